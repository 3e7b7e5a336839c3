//! Names of features in figures and on the first page: at most two lines of a given width.

/// The largest width of a line of a name in a figure, in units of the figure.
pub(super) const IN_FIGURE: f64 = 154.0;

/// The largest width of a line of a name in a table of the first page as printed.
const IN_TABLE: f64 = 300.0;

/// A name in one or two lines, each at most `width` wide in a font of 13 units. The middle of a
/// name that is too long is left out.
pub(super) fn lines_of_name(name: &str, width: f64) -> Vec<String> {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let letters: Vec<char> = name.chars().map(plain).collect();
    let first = fitting(&letters, width);
    if first == letters.len() {
        return vec![letters.into_iter().collect()];
    }
    let rest = &letters[first..];
    if fitting(rest, width) == rest.len() {
        let second = last_separator(&letters[..first])
            .filter(|&end| fitting(&letters[end..], width) == letters.len() - end);
        let (first, second) = letters.split_at(second.unwrap_or(first));
        return vec![text(first), text(second)];
    }
    let first = last_separator(&letters[..first]).unwrap_or(first);
    let rest: Vec<char> = letters[first..].iter().rev().copied().collect();
    let kept = fitting(&rest, width - width_of('\u{2026}'));
    // From the end of the name on: whole words if that leaves more than half of the line.
    let kept = match rest[..kept].iter().rposition(|c| is_separator(*c)) {
        Some(end) if end > kept / 2 => end,
        _ => kept - rest[..kept].iter().rev().take_while(|c| width_of(**c) == 0.0).count(),
    };
    let last: Vec<char> = rest[..kept].iter().rev().copied().collect();
    vec![text(&letters[..first]), format!("\u{2026}{}", text(&last))]
}

/// A name for a table of the first page: the middle of a name that needs more than two lines is
/// left out.
pub(super) fn short_name(name: &str) -> String {
    match &lines_of_name(name, IN_TABLE)[..] {
        [first, last] if last.starts_with('\u{2026}') => format!("{first}{last}"),
        _ => name.to_owned(),
    }
}

/// The number of names, in this order, that the first page has room for: at least one, and at most
/// as many as have `lines` lines in a figure.
pub(super) fn fitting_names<'a>(names: impl IntoIterator<Item = &'a str>, lines: usize) -> usize {
    let mut taken = 0;
    let fits = |name: &&str| {
        taken += lines_of_name(name, IN_FIGURE).len();
        taken <= lines
    };
    names.into_iter().take_while(fits).count().max(1)
}

/// The approximate width of a text in the same font.
pub(super) fn width_of_text(text: &str) -> f64 {
    text.chars().map(width_of).sum()
}

fn text(letters: &[char]) -> String {
    letters.iter().collect::<String>().trim().to_owned()
}

/// The place behind the last separator, if there is one in the second half.
fn last_separator(letters: &[char]) -> Option<usize> {
    let last = letters.iter().rposition(|c| is_separator(*c))?;
    (last + 1 >= letters.len() / 2).then_some(last + 1)
}

fn is_separator(c: char) -> bool {
    !c.is_alphanumeric() && width_of(c) > 0.0
}

/// The number of characters from the start that fit into the width; combining marks stay with their
/// letter.
fn fitting(letters: &[char], width: f64) -> usize {
    let mut taken = 0.0;
    let fits = |c: &&char| {
        taken += width_of(**c);
        taken <= width
    };
    letters.iter().take_while(fits).count()
}

/// The approximate width of a character in a font of 13 units without serifs.
fn width_of(c: char) -> f64 {
    const SIZE: f64 = 13.0;
    let share = match c {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0.0,
        'i' | 'j' | 'l' | 'I' | ' ' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' => 0.3,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '-' | '/' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.92,
        // Scripts of East Asia, and pictures.
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' => 1.05,
        '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f000}'.. => 1.05,
        '\u{2026}' => 1.0,
        _ if c.is_uppercase() => 0.74,
        _ => 0.61,
    };
    SIZE * share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_at_most_two_lines() {
        let lines = |name: &str| lines_of_name(name, 154.0);
        assert_eq!(lines("gene_017"), ["gene_017"]);
        assert_eq!(lines(""), [""]);
        assert_eq!(
            lines("HALLMARK_TNFA_SIGNALING_VIA_NFKB"),
            ["HALLMARK_TNFA_", "SIGNALING_VIA_NFKB"]
        );
        assert_eq!(lines("a\tb"), ["a b"]);
        let cut = lines("systolic blood pressure at the second visit, mean of three readings");
        assert_eq!(cut.len(), 2);
        assert!(cut[0].starts_with("systolic blood") && cut[1].starts_with('\u{2026}'), "{cut:?}");
        assert!(cut[1].ends_with("three readings"), "{cut:?}");
    }

    #[test]
    fn long_names_make_room_on_the_first_page() {
        let long = "systolic blood pressure at the second visit";
        assert_eq!(fitting_names(["a"; 20], 12), 12);
        assert_eq!(fitting_names([long; 20], 12), 6);
        assert_eq!(fitting_names([long, "a", "b", "c"], 4), 3);
        assert_eq!(fitting_names([long], 1), 1);
        assert_eq!(short_name(long), long);
        let short = short_name(&[long; 9].join(", "));
        assert!(short.starts_with(long) && short.ends_with(long), "{short}");
        assert!(short.contains('\u{2026}') && short.chars().count() < 110, "{short}");
    }

    #[test]
    fn scripts_of_any_width_fit() {
        let wide = "\u{57fa}\u{56e0}\u{8868}\u{8fbe}\u{6c34}\u{5e73}".repeat(2);
        let lines = lines_of_name(&wide, 154.0);
        assert_eq!(lines.iter().map(|line| line.chars().count()).collect::<Vec<_>>(), [11, 1]);
        // A combining mark is not separated from its letter.
        let marked = "e\u{301}".repeat(60);
        for line in lines_of_name(&marked, 154.0) {
            let bare = line.trim_start_matches('\u{2026}');
            assert!(bare.starts_with('e') && bare.ends_with('\u{301}'), "{line}");
        }
    }
}
