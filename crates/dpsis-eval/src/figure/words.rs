//! Estimated widths of texts, and line breaks.

/// The estimated width of a text in a common sans serif font, slightly too large rather than too
/// small.
pub(super) fn width_of(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.32,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | ' ' | '-' | '/' | '"' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.96,
        'A'..='Z' => 0.74,
        '\0'..='\u{7f}' => 0.62,
        '\u{300}'..='\u{36f}' => 0.0,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' => 1.0,
        '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{1f000}'.. => 1.1,
        _ => 0.68,
    };
    text.chars().map(em).sum::<f64>() * size
}

/// A number with its noun: `1 curve`, `2 curves`.
pub(super) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Breaks a text at blanks, and within long words, into at most `most` lines. The rest is replaced
/// by an ellipsis.
pub(super) fn wrapped(text: &str, size: f64, width: f64, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        for piece in pieces(word, size, width) {
            let current = lines.last().map_or("", String::as_str);
            let joined =
                if current.is_empty() { piece.clone() } else { format!("{current} {piece}") };
            if current.is_empty() || width_of(&joined, size) <= width {
                lines.pop();
                lines.push(joined);
            } else {
                lines.push(piece);
            }
        }
    }
    if lines.len() > most {
        lines.truncate(most.max(1));
        if let Some(last) = lines.last_mut() {
            while !last.is_empty() && width_of(last, size) + size > width {
                last.pop();
            }
            last.push('…');
        }
    }
    lines
}

/// Splits a word into pieces that fit the width.
fn pieces(word: &str, size: f64, width: f64) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for c in word.chars() {
        if let Some(piece) = pieces.last_mut() {
            piece.push(c);
            if width_of(piece, size) > width && piece.chars().count() > 1 {
                piece.pop();
                pieces.push(c.to_string());
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_lose_nothing_but_by_an_ellipsis() {
        let text = "two-stage with the canonical mechanism, votes of ten blocks";
        let lines = wrapped(text, 12.0, 120.0, 9);
        assert!(lines.iter().all(|line| width_of(line, 12.0) <= 120.0), "{lines:?}");
        assert_eq!(lines.join(" "), text);
        let short = wrapped(text, 12.0, 120.0, 2);
        assert_eq!(short.len(), 2);
        assert!(short[1].ends_with('…'));
        let long = wrapped(&"x".repeat(100), 12.0, 100.0, 20);
        assert!(long.iter().all(|line| width_of(line, 12.0) <= 100.0));
        assert_eq!(long.concat().len(), 100);
        assert_eq!(wrapped("", 12.0, 100.0, 2), [""]);
        assert_eq!(wrapped("wide", 12.0, 0.0, 1), ["…"]);
    }
}
