//! Cells that look like dates or times in an unsupported notation: `12.04.2021`, `4/12/21`,
//! `2021/04/12`, `2021-04`, `10:30 PM`, `2021-04-12 10:30 CET`.
//!
//! Which of two numbers is the day, and the meaning of a zone, are ambiguous, so such a cell is
//! read as a category.

use crate::table::CellFormat;

/// Whether a cell looks like a date: three numbers with the same separator between them, one of
/// which may be a year and two a day and a month; a time may follow after a space.
pub(super) fn is_other_date(cell: &str) -> bool {
    if is_year_and_month(cell) || is_half_day(cell) || has_named_zone(cell) {
        return true;
    }
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

/// Whether a cell is a year and a month: `2021-04`.
fn is_year_and_month(cell: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    cell.split_once(['-', '/']).is_some_and(|(year, month)| {
        let is_month = month.parse().is_ok_and(|month: u8| (1..=12).contains(&month));
        year.len() == 4 && month.len() == 2 && digits(year) && is_month
    })
}

/// Whether a cell ends with a 12-hour time: `10:30 PM`.
fn is_half_day(cell: &str) -> bool {
    let lower = cell.to_ascii_lowercase();
    let time = lower.strip_suffix("am").or(lower.strip_suffix("pm"));
    let time = time.and_then(|time| time.trim_end().rsplit(' ').next());
    time.is_some_and(|time| {
        CellFormat::default().number(time.as_bytes()).is_some() && time.contains(':')
    })
}

/// Whether a cell is a date and time with the name of a zone: `2021-04-12 10:30 CET`.
fn has_named_zone(cell: &str) -> bool {
    let is_date =
        cell.get(..10).is_some_and(|day| CellFormat::default().number(day.as_bytes()).is_some());
    is_date && cell.as_bytes()[4] == b'-' && cell.len() > 10 && cell[10..].contains(':')
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
        for cell in [
            "12.04.2021",
            "4/12/21",
            "04/30/2021",
            "2021/4/12",
            "31-12-1999",
            "1.2.03 14:30",
            "2021-04",
            "10:30 PM",
            "9:05am",
            "2021-04-12 10:30 AM",
            "2021-04-12T10:30:00 CET",
        ] {
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
