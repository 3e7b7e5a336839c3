//! Patterns of names: `*` stands for any run of characters, `?` for one. Names are public.

use std::collections::HashMap;

/// The names of columns (or rows, where features are rows), to be found by name or pattern.
pub(crate) struct Names<'a> {
    names: &'a [String],
    places: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(names: &'a [String]) -> Self {
        // The first place of a name that occurs twice.
        let places = names.iter().enumerate().rev().map(|(place, name)| (name.as_str(), place));
        Self { names, places: places.collect() }
    }

    /// The places of the names that a name or a pattern stands for, from 0: a name that exists
    /// stands for itself, with any characters.
    pub(crate) fn places(&self, pattern: &str) -> Vec<usize> {
        if let Some(place) = self.places.get(pattern) {
            return vec![*place];
        }
        if !is_pattern(pattern) {
            return Vec::new();
        }
        let pattern: Vec<char> = pattern.chars().collect();
        (0..self.names.len()).filter(|&place| matches(&pattern, &self.names[place])).collect()
    }
}

/// Whether a text is a pattern, provided that it is not a name itself.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Whether the whole name matches. The last `*` alone may have to take more characters, so the time
/// is at most the product of both lengths.
fn matches(pattern: &[char], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    // After the last star: the place in the pattern, and the first character that the star has not
    // taken.
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                p += 1;
                star = Some((p, n));
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((after, taken)) = star else { return false };
                star = Some((after, taken + 1));
                (p, n) = (after, taken + 1);
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition: a star takes nothing, or one character more.
    fn naive(pattern: &[char], name: &[char]) -> bool {
        match (pattern.split_first(), name.split_first()) {
            (None, None) => true,
            (Some(('*', rest)), _) => {
                naive(rest, name) || !name.is_empty() && naive(pattern, &name[1..])
            }
            (Some((c, rest)), Some((first, others))) => {
                (*c == '?' || c == first) && naive(rest, others)
            }
            _ => false,
        }
    }

    /// All texts of up to `most` of these letters.
    fn texts(letters: &str, most: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut last = all.clone();
        for _ in 0..most {
            last =
                last.iter().flat_map(|t| letters.chars().map(move |c| format!("{t}{c}"))).collect();
            all.extend(last.iter().cloned());
        }
        all
    }

    #[test]
    fn every_short_pattern_matches_as_defined() {
        for pattern in texts("a\u{e9}*?", 4) {
            let pattern: Vec<char> = pattern.chars().collect();
            for name in texts("a\u{e9}", 5) {
                let letters: Vec<char> = name.chars().collect();
                let expected = naive(&pattern, &letters);
                assert_eq!(matches(&pattern, &name), expected, "{pattern:?} {name:?}");
            }
        }
    }

    #[test]
    fn a_name_that_exists_stands_for_itself() {
        let names = ["a*", "ab", "ac", "b?"].map(str::to_owned);
        let names = Names::new(&names);
        assert_eq!(names.places("a*"), [0]);
        assert_eq!(names.places("a?"), [0, 1, 2]);
        assert_eq!(names.places("*"), [0, 1, 2, 3]);
        assert!(names.places("x").is_empty() && names.places("x*").is_empty());
    }
}
