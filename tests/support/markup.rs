//! A check that markup is well formed.

/// Whether every tag of a document is closed, in order; this detects a missing escape.
pub fn is_balanced(document: &str) -> bool {
    const VOID: [&str; 4] = ["meta", "br", "link", "!doctype"];
    let mut open: Vec<&str> = Vec::new();
    let mut pieces = document.split('<');
    if pieces.next().is_none_or(|before| before.contains('>')) {
        return false;
    }
    for piece in pieces {
        // A tag contains no further `<`, and the text outside of tags no `>`.
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
