//! Names as text.

/// The bytes as a string; `None` unless they are UTF-8 without NUL.
pub(crate) fn text(name: &[u8]) -> Option<String> {
    std::str::from_utf8(name).ok().filter(|name| !name.contains('\0')).map(str::to_owned)
}
