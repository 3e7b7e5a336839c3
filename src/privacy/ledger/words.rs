//! The texts that may be part of a budget file.

use crate::error::{Error, Result};

/// The longest name or note, in characters.
const LONGEST: usize = 200;

/// Checks a text that is to be part of a line.
///
/// # Errors
///
/// `Request` if it is long, contains a line break or another control character, or starts or ends
/// with a blank.
pub(crate) fn check_words(what: &str, text: &str) -> Result<()> {
    let breaks = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    if text.chars().any(breaks) {
        return Err(Error::request(format!("{what} holds a line break or a control character")));
    }
    if text.trim() != text {
        return Err(Error::request(format!("{what} starts or ends with a blank")));
    }
    if text.chars().count() > LONGEST {
        return Err(Error::request(format!("{what} is longer than {LONGEST} characters")));
    }
    Ok(())
}
