//! Lines of a limited width.

/// The width of reports and messages, in columns.
pub(super) const WIDTH: usize = 80;

/// Wraps a line at spaces to 80 columns; further lines are indented by `indent` columns. A longer
/// word stays whole, and several spaces stay as they are within a line.
pub fn wrapped(line: &str, indent: usize) -> String {
    let mut text = String::with_capacity(line.len());
    let mut column = 0;
    for (i, word) in line.split(' ').enumerate() {
        let width = word.chars().count();
        if i > 0 && column > indent && column + 1 + width > WIDTH {
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if i > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += width;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_full_but_not_longer() {
        let forty = "a".repeat(40);
        let thirty_nine = "b".repeat(39);
        // 40 + 1 + 39 is 80.
        assert_eq!(
            wrapped(&format!("{forty} {thirty_nine} c"), 2),
            format!("{forty} {thirty_nine}\n  c")
        );
        assert_eq!(wrapped(&format!("{forty} {forty} c"), 3), format!("{forty}\n   {forty} c"));
    }

    #[test]
    fn long_words_and_blanks_stay() {
        let word = "w".repeat(100);
        assert_eq!(wrapped(&word, 2), word);
        assert_eq!(
            wrapped(&format!("label      {word} x"), 11),
            format!("label      {word}\n           x")
        );
        assert_eq!(wrapped("a  b   c ", 2), "a  b   c ");
        assert_eq!(wrapped("", 2), "");
        // Characters count, not bytes.
        assert_eq!(wrapped(&"\u{e9}".repeat(80), 2).lines().count(), 1);
    }
}
