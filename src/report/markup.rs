//! Escaping of text for XML and HTML.

/// Escapes text for use between tags and in quoted attributes. Control characters that XML does not
/// allow become the replacement character.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(c),
            c if c < ' ' || matches!(c, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}') => {
                escaped.push('\u{fffd}');
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::is_balanced;

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(
            escape("<a href=\"x\" title='&'>"),
            "&lt;a href=&quot;x&quot; title=&#39;&amp;&#39;&gt;"
        );
        assert_eq!(escape("a\u{0}b\u{1b}c\u{ffff}"), "a\u{fffd}b\u{fffd}c\u{fffd}");
        assert_eq!(escape("κ ≤ 1\t"), "κ ≤ 1\t");
    }

    #[test]
    fn balance_checker_rejects_broken_markup() {
        assert!(is_balanced("<a b=\"c\"><d/>text</a>"));
        for broken in ["<a>", "<a></b>", "<a", "<a b=\"></a>", "<a>1 > 0</a>", "</a>"] {
            assert!(!is_balanced(broken), "{broken}");
        }
    }
}
