//! Cells that look like numbers with something around them: `<0.1`, `>100`, `1,234`, `12 mg`, `5%`.
//!
//! Such a cell is read as a word. A guess: what is taken for a unit may be part of a name (`3rd`).

/// The longest unit, in characters.
const LONGEST_UNIT: usize = 10;

/// Whether a cell looks like a number with a sign of comparison or money before it, commas in it,
/// or a percent sign or a unit after it.
pub(super) fn is_amount(cell: &str) -> bool {
    let signs = ['<', '>', '=', '~', '\u{2264}', '\u{2265}', '$', '\u{20ac}', '\u{a3}'];
    let unsigned = cell.trim_start_matches(signs);
    // "=" may follow "<", but a cell of arrows is no number.
    if cell.chars().count() - unsigned.chars().count() > 2 {
        return false;
    }
    let number = unsigned.trim_start().trim_start_matches(['-', '+']);
    if !number.trim_start_matches('.').starts_with(|digit: char| digit.is_ascii_digit()) {
        return false;
    }
    let unit = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
    is_unit(unit.trim_start())
}

/// Whether a text could be a unit: none, a percent sign, or a short word that starts with a letter.
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
        ] {
            assert!(!is_amount(cell), "{cell}");
        }
    }
}
