//! Cells that look like numbers with something around them: `<0.1`, `>100`, `1,234`, `12 mg`, `5%`.
//!
//! Such a cell is read as a category. This is a guess: a supposed unit may be part of a name
//! (`3rd`).

/// The longest unit, in characters.
const LONGEST_UNIT: usize = 10;

/// Whether a cell looks like a number with a comparison or currency sign before it, commas in it,
/// or a percent sign or a unit after it.
pub(super) fn is_amount(cell: &str) -> bool {
    let signs = ['<', '>', '=', '~', '\u{2264}', '\u{2265}', '$', '\u{20ac}', '\u{a3}'];
    let unsigned = cell.trim_start_matches(signs);
    // "=" may follow "<", but a cell of arrows is not a number.
    if cell.chars().count() - unsigned.chars().count() > 2 {
        return false;
    }
    let number = unsigned.trim_start().trim_start_matches(['-', '+']);
    if !number.trim_start_matches('.').starts_with(|digit: char| digit.is_ascii_digit()) {
        return false;
    }
    if has_thousands(number) {
        return true;
    }
    let unit = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
    is_unit(unit.trim_start())
}

/// Whether spaces or apostrophes separate thousands, as in `10 970,5` and `10'970`.
fn has_thousands(number: &str) -> bool {
    let end = number.find(['.', ',']).unwrap_or(number.len());
    let (whole, places) = number.split_at(end);
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.split([' ', '\'', '\u{a0}', '\u{202f}', '\u{2019}']);
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len())
        && is_digits(first)
        && whole.len() > first.len()
        && groups.all(|group| group.len() == 3 && is_digits(group))
        && is_digits(places.trim_start_matches(['.', ',']))
}

/// Whether a text could be a unit: empty, a percent sign, or a short word that starts with a
/// letter.
fn is_unit(text: &str) -> bool {
    let start = |c: char| c.is_alphabetic() || c == '%' || c == '\u{b0}' || c == '\u{2030}';
    text.is_empty()
        || text.starts_with(start)
            && text.chars().count() <= LONGEST_UNIT
            && !text.contains([' ', '-', '_', ':', ';'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_others() {
        for cell in [
            "<0.1",
            ">100",
            "<= 5",
            "\u{2264}5",
            "~3",
            "1,234",
            "1,234,567.8",
            "12 mg",
            "12mg",
            "5%",
            "-3 %",
            "$5",
            "\u{20ac} 1,000",
            "37 \u{b0}C",
            "10 \u{b5}g/l",
            "80 kg/m2",
            "10 970",
            "10'970.5",
            "-1 234 567,8",
            ".5 ml",
            "< 1e",
        ] {
            assert!(is_amount(cell), "{cell}");
        }
        for cell in [
            "yes",
            "",
            "<",
            "<<<5",
            "low",
            "T2",
            "10-20",
            "12 Main Street",
            "3-A",
            "id_7",
            "1/2",
            "12:30",
            "2023-02-29",
            "P12",
            "->5",
            "12 a2-c",
            "10 97",
            "1 2345",
            "555 1234",
        ] {
            assert!(!is_amount(cell), "{cell}");
        }
    }
}
