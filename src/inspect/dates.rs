//! Cells that look like dates of another notation than the one that is read: `12.04.2021`,
//! `4/12/21`, `2021/04/12`.
//!
//! Which of two numbers is the day is not known, so such a cell is read as a word.

/// Whether a cell looks like a date: three numbers with the same mark between them, one of which
/// may be a year and two a day and a month; a time may follow after a blank.
pub(super) fn is_other_date(cell: &str) -> bool {
    let day = cell.split(' ').next().unwrap_or(cell);
    ['.', '/', '-'].into_iter().any(|mark| {
        let parts: Vec<&str> = day.split(mark).collect();
        let digits = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if parts.len() != 3 || !parts.iter().all(digits) {
            return false;
        }
        match [parts[0], parts[1], parts[2]] {
            [year, month, day] if year.len() == 4 => are_day_and_month(month, day),
            [one, other, year] if [2, 4].contains(&year.len()) => are_day_and_month(one, other),
            _ => false,
        }
    })
}

/// Whether two numbers are a day and a month, in some order.
fn are_day_and_month(one: &str, other: &str) -> bool {
    let number = |text: &str| text.parse::<u8>().ok().filter(|n| text.len() <= 2 && *n > 0);
    let (Some(one), Some(other)) = (number(one), number(other)) else { return false };
    one.min(other) <= 12 && one.max(other) <= 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_others() {
        for cell in
            ["12.04.2021", "4/12/21", "04/30/2021", "2021/4/12", "31-12-1999", "1.2.03 14:30"]
        {
            assert!(is_other_date(cell), "{cell}");
        }
        for cell in [
            "",
            "2021",
            "12.04",
            "1.2.3",
            "13.14.2021",
            "0.1.2021",
            "192.168.1.20",
            "1.234.567",
            "12/04-2021",
            "a.b.cd",
            "32/1/2020",
        ] {
            assert!(!is_other_date(cell), "{cell}");
        }
    }
}
