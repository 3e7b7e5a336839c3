//! The language of code, comments, messages and documentation: forms that CONTRIBUTING.md rules out
//! are counted, and the counts below are limits that may only fall: enter a lower count after a pass.

#![allow(clippy::unwrap_used, clippy::panic)] // a failing test panics

use std::path::Path;

/// A form to avoid: phrases of whole words in lower case, and the limit of their number.
struct Form {
    name: &'static str,
    phrases: &'static [&'static str],
    count: usize,
}

const FORMS: [Form; 14] = [
    Form { name: "told, tells", phrases: &["told", "tell", "tells"], count: 2 },
    Form {
        name: "says, knows, asks, wishes",
        phrases: &["says", "said", "knows", "asks", "asked", "wish", "wishes"],
        count: 23,
    },
    Form { name: "stated", phrases: &["stated", "states", "stating", "unstated"], count: 0 },
    Form { name: "those of", phrases: &["those of", "such of"], count: 5 },
    Form { name: "so many", phrases: &["so many", "so few"], count: 1 },
    Form { name: "whatever", phrases: &["whatever", "whoever"], count: 1 },
    Form { name: "beside", phrases: &["beside"], count: 3 },
    Form {
        name: "is none",
        phrases: &["is none", "are none", "was none", "were none", "has none", "have none"],
        count: 3,
    },
    Form {
        name: "beyond chance",
        phrases: &["beyond chance", "beyond_chance", "level of chance", "chance level"],
        count: 0,
    },
    Form { name: "strength", phrases: &["strength", "strengths"], count: 2 },
    Form { name: "verdict", phrases: &["verdict", "verdicts"], count: 0 },
    Form { name: "false name", phrases: &["false name", "false names", "false_names"], count: 0 },
    Form { name: "pays", phrases: &["pay", "pays", "paid", "costs nothing"], count: 11 },
    Form { name: "column of words", phrases: &["column of words", "columns of words"], count: 0 },
];

/// Comments and headings that begin with "What" and are no questions.
const WHAT: usize = 0;

/// Folders and files of the project; others are generated or hold data.
const ROOTS: [&str; 18] = [
    "src",
    "crates",
    "python",
    "r",
    "docs",
    "tests",
    "benches",
    "examples",
    "fuzz",
    "datasets",
    ".ci",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "PAPERS.md",
    "BENCHMARKS.md",
    "Cargo.toml",
    "build.rs",
];

/// Calls `take` with each file that people write.
fn each_file(path: &Path, take: &mut impl FnMut(&Path, &str)) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if path.is_dir() {
        if ["target", "node_modules", "corpus", "vendor", "__pycache__"].contains(&&*name)
            || name.ends_with(".Rcheck")
        {
            return;
        }
        let mut entries: Vec<_> =
            std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries.iter().for_each(|entry| each_file(entry, take));
        return;
    }
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned());
    let is_read = ["rs", "py", "R", "js", "md", "Rmd", "html", "sh", "toml"];
    // This file names the forms, and the guide explains them.
    let is_exempt = name == "prose.rs" || name == "CHANGELOG.md";
    if is_exempt || !ending.is_some_and(|ending| is_read.contains(&ending.as_str())) {
        return;
    }
    if let Ok(text) = std::fs::read_to_string(path) {
        take(path, &text);
    }
}

/// How often a phrase of whole words occurs in a text in lower case.
fn occurrences(text: &str, phrase: &str) -> usize {
    let is_part = |letter: Option<char>| letter.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let matches = text.match_indices(phrase);
    let whole = matches.filter(|(at, _)| {
        let (before, after) = (&text[..*at], &text[at + phrase.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    });
    whole.count()
}

/// Whether a line is a comment or heading that begins with "What" and is no question.
fn begins_with_what(line: &str) -> bool {
    let line = line.trim_start();
    let mark = ["///", "//!", "//", "#'", "#", "\"\"\""];
    let text = mark.iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or_default();
    let text = text.trim_start_matches('#').trim_start();
    text.starts_with("What ") && !line.contains('?')
}

#[test]
fn forms_to_avoid_become_fewer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The library packaged alone has no other crates.
    if !root.join("crates").is_dir() {
        return;
    }
    let (mut counts, mut what) = ([0; FORMS.len()], 0);
    for path in ROOTS {
        let path = root.join(path);
        if !path.exists() {
            continue;
        }
        each_file(&path, &mut |_, text| {
            // Python's comparison is code.
            let lower = text.replace("is None", "").to_lowercase();
            for (form, count) in FORMS.iter().zip(&mut counts) {
                *count += form.phrases.iter().map(|of| occurrences(&lower, of)).sum::<usize>();
            }
            what += text.lines().filter(|line| begins_with_what(line)).count();
        });
    }
    let found = FORMS.iter().map(|form| (form.name, form.count)).zip(counts);
    let found = found.chain([(("What ...", WHAT), what)]);
    let more: Vec<String> = found
        .filter(|((_, limit), now)| now > limit)
        .map(|((name, limit), now)| format!("{name}: {now}, limit {limit}"))
        .collect();
    assert!(more.is_empty(), "write in plain English (CONTRIBUTING.md, Language): {more:#?}");
}

#[test]
fn whole_words_are_counted() {
    assert_eq!(occurrences("told, untold; it told me: _told told", "told"), 3);
    assert_eq!(occurrences("those of\nthose of the", "those of"), 2);
    assert!(begins_with_what("    /// What a run spends."));
    assert!(!begins_with_what("# What does it cost?") && !begins_with_what("let what = 1;"));
}
