//! Text for XML and HTML.

/// Text that stands for itself between tags and within quoted attributes; what XML cannot hold at all
/// becomes the replacement character.
pub(super) fn escape(text: &str) -> String {
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

/// Whether every tag of a document is closed, in order: enough to tell a broken escape.
#[cfg(test)]
pub(super) fn is_balanced(document: &str) -> bool {
    const VOID: [&str; 4] = ["meta", "br", "link", "!doctype"];
    let mut open: Vec<&str> = Vec::new();
    let mut pieces = document.split('<');
    if pieces.next().is_none_or(|before| before.contains('>')) {
        return false;
    }
    for piece in pieces {
        // Within the tag there is no further `<`, and after it no `>`.
        let Some((tag, after)) = piece.split_once('>') else { return false };
        if after.contains('>') && open.last() != Some(&"style") && !tag.starts_with("style") {
            return false;
        }
        if tag.matches('"').count() % 2 != 0 {
            return false;
        }
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap_or_default();
        if VOID.contains(&name) || tag.ends_with('/') {
            continue;
        }
        if tag.starts_with('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else {
            open.push(name);
        }
    }
    open.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_escapes() {
        assert_eq!(
            escape("<a href=\"x\" title='&'>"),
            "&lt;a href=&quot;x&quot; title=&#39;&amp;&#39;&gt;"
        );
        assert_eq!(escape("a\u{0}b\u{1b}c\u{ffff}"), "a\u{fffd}b\u{fffd}c\u{fffd}");
        assert_eq!(escape("κ ≤ 1\t"), "κ ≤ 1\t");
    }

    #[test]
    fn the_balance_checker_sees_what_is_wrong() {
        assert!(is_balanced("<a b=\"c\"><d/>text</a>"));
        for broken in ["<a>", "<a></b>", "<a", "<a b=\"></a>", "<a>1 > 0</a>", "</a>"] {
            assert!(!is_balanced(broken), "{broken}");
        }
    }
}
