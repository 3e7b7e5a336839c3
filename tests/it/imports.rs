//! The imports between files: no two files import each other, rooms import only as CONTRIBUTING.md
//! describes, and the parts of a room (its files and folders) import in one direction, too.
//!
//! Imports are read from the text of the code: `use` and paths from `crate`, without tests. An item
//! that a module re-exports (`pub use`) counts for the file that defines it. A registry and its
//! members may import each other.

#![allow(clippy::unwrap_used)] // a failing test panics

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Registries, whose members they list and who take their types from them.
const REGISTRIES: [&str; 5] = [
    "crates/dpsis-mechanisms/src/mechanism/card.rs",
    "crates/dpsis-mechanisms/src/mechanism/registry.rs",
    "crates/dpsis-mechanisms/src/mechanism/not_private.rs",
    "crates/dpsis-mechanisms/src/account/accountant.rs",
    // Its tests with exact fractions list the mechanisms with rational probabilities.
    "crates/dpsis-mechanisms/src/mechanism/contract",
];

/// The sources of a crate: files by module path, without tests.
struct Sources {
    root: PathBuf,
    files: BTreeMap<Vec<String>, (PathBuf, String)>,
}

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

impl Sources {
    fn of(folder: &str) -> Self {
        let root = project().join(folder);
        let mut sources = Self { root: root.clone(), files: BTreeMap::new() };
        sources.read(&root);
        // Modules of tests.
        let mut tests = BTreeSet::new();
        for (module, (_, text)) in &sources.files {
            let lines = text.lines().map(str::trim);
            let mut of_tests = false;
            for line in lines {
                if line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test") {
                    of_tests = true;
                } else if !line.starts_with("#[") {
                    if let Some(name) = line.strip_suffix(';').and_then(|l| l.rsplit_once("mod "))
                        && of_tests
                    {
                        tests.insert([&module[..], &[name.1.to_owned()]].concat());
                    }
                    of_tests = false;
                }
            }
        }
        let is_test = |module: &Vec<String>| tests.iter().any(|test| module.starts_with(test));
        sources.files.retain(|module, (path, _)| {
            !is_test(module) && !path.ends_with("tests.rs") && !path.ends_with("contract.rs")
        });
        sources
    }

    fn read(&mut self, folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.read(&path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let inside = path.strip_prefix(&self.root).unwrap().with_extension("");
                let mut module: Vec<String> =
                    inside.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
                if ["mod", "lib", "main"].contains(&module.last().unwrap().as_str()) {
                    module.pop();
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let text = ["ndarray", "methods"].iter().fold(text, |text, feature| {
                    let both = format!("#[cfg(all(test, feature = \"{feature}\"))]");
                    text.replace(&both, "#[cfg(test)]")
                });
                // Comments, and the tests at the end.
                let code = text.lines().map(|line| line.split("//").next().unwrap());
                let code: String = code.flat_map(|line| [line, "\n"]).collect();
                let code = without_tests(&code);
                self.files.insert(module, (path, code));
            }
        }
    }

    /// The items that a file takes from elsewhere in its crate, and the items that it re-exports,
    /// as whole paths.
    fn taken(&self, module: &[String]) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
        let (mut used, mut handed) = (Vec::new(), Vec::new());
        let code = &self.files[module].1;
        for statement in code.split(';') {
            let Some((before, tree)) = statement.rsplit_once("use ") else { continue };
            let before = before.rsplit('\n').next().unwrap_or_default().trim();
            let is_handed = before.starts_with("pub");
            if !is_handed && !before.is_empty() {
                continue;
            }
            let mut paths = Vec::new();
            expand(&tree.split_whitespace().collect::<Vec<_>>().join(" "), &[], &mut paths);
            for path in paths {
                if let Some(path) = self.whole(module, &path) {
                    if is_handed { &mut handed } else { &mut used }.push(path);
                }
            }
        }
        // Paths in the midst of the code.
        for place in code.split("crate::").skip(1) {
            let end = place.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            let path = place[..end.unwrap_or(place.len())].trim_end_matches(':');
            used.push(path.split("::").map(str::to_owned).collect());
        }
        used.retain(|path| !handed.iter().any(|other| other.starts_with(path)));
        (used, handed)
    }

    /// A path from the root of the crate; `None` if it leads to another crate.
    fn whole(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let mut whole = match path.first()?.as_str() {
            "crate" => Vec::new(),
            "self" => module.to_vec(),
            "super" => module.to_vec(),
            name => {
                let child = [module, &[name.to_owned()]].concat();
                return self.files.contains_key(&child).then(|| [module, path].concat());
            }
        };
        for part in path {
            match part.as_str() {
                "super" => drop(whole.pop()),
                "crate" | "self" => {}
                name => whole.push(name.to_owned()),
            }
        }
        Some(whole)
    }

    /// The module of the file that defines an item.
    fn definer(
        &self,
        path: &[String],
        handed: &BTreeMap<Vec<String>, Vec<Vec<String>>>,
        depth: usize,
    ) -> Option<Vec<String>> {
        let module = (0..=path.len()).rev().map(|n| &path[..n]);
        let module = module.into_iter().find(|module| self.files.contains_key(*module))?;
        let Some(name) = path.get(module.len()) else { return Some(module.to_vec()) };
        let onward = handed.get(module)?.iter().find(|other| other.last() == Some(name));
        match onward {
            Some(onward) if depth < 8 && onward != path => self.definer(onward, handed, depth + 1),
            _ => Some(module.to_vec()),
        }
    }

    /// For each file the files that it takes something from.
    fn imports(&self) -> BTreeMap<String, BTreeSet<String>> {
        let taken: BTreeMap<_, _> =
            self.files.keys().map(|module| (module.clone(), self.taken(module))).collect();
        let handed = taken.iter().map(|(module, (_, handed))| (module.clone(), handed.clone()));
        let handed: BTreeMap<_, _> = handed.collect();
        let name = |module: &[String]| {
            self.files[module].0.strip_prefix(project()).unwrap().display().to_string()
        };
        let mut all = BTreeMap::new();
        for (module, (used, _)) in &taken {
            let from = name(module);
            let of = used.iter().filter_map(|path| self.definer(path, &handed, 0));
            let of: BTreeSet<String> =
                of.map(|module| name(&module)).filter(|file| *file != from).collect();
            all.insert(from, of);
        }
        all
    }
}

/// Code without the items that are there for tests alone.
fn without_tests(code: &str) -> String {
    let mut kept = String::new();
    let mut pieces = code.split("#[cfg(test)]\n");
    kept += pieces.next().unwrap();
    for piece in pieces {
        if let Some((_, after)) = piece.split_once("mod tests {").and_then(|(before, inside)| {
            (!before.contains(['{', ';'])).then_some(inside)?.split_once("\n}\n")
        }) {
            kept += after;
            continue;
        }
        // The item ends with its semicolon or its last brace, at the depth where it began.
        let (mut depth, mut end) = (0, piece.len());
        for (at, letter) in piece.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 && (letter == ';' || letter == '}') {
                end = at + 1;
                break;
            }
        }
        kept += &piece[end..];
    }
    kept
}

/// Whether one of two files is the module that the other is a part of.
fn one_is_part_of_the_other(one: &str, other: &str) -> bool {
    let folder = |file: &str| {
        file.strip_suffix("/mod.rs").or_else(|| file.strip_suffix(".rs")).unwrap_or(file).to_owned()
            + "/"
    };
    one.starts_with(&folder(other)) || other.starts_with(&folder(one))
}

/// The paths of a `use` tree.
fn expand(tree: &str, prefix: &[String], paths: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        let parts = tree.split(" as ").next().unwrap().split("::");
        let parts =
            parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty() && part != "*");
        let mut path: Vec<String> = prefix.iter().cloned().chain(parts).collect();
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        if path.len() > prefix.len() || !prefix.is_empty() {
            paths.push(path);
        }
        return;
    };
    let parts = head.split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty());
    let prefix: Vec<String> = prefix.iter().cloned().chain(parts).collect();
    let rest = rest.trim().strip_suffix('}').unwrap_or(rest);
    let (mut depth, mut start) = (0, 0);
    for (at, letter) in rest.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&rest[start..at], &prefix, paths);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !rest[start..].trim().is_empty() {
        expand(&rest[start..], &prefix, paths);
    }
}

/// Groups of files that reach each other.
fn circles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach = |from: &String| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(file) = next.pop() {
            let others = imports.get(&file).into_iter().flatten();
            for other in others.filter(|other| !one_is_part_of_the_other(&file, other)) {
                let stem = |file: &str| file.trim_end_matches(".rs").to_owned();
                let of_registry =
                    |file: &String| REGISTRIES.iter().any(|one| stem(one) == stem(file));
                if !of_registry(&file) && seen.insert(other.clone()) {
                    next.push(other.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<String>> =
        imports.keys().map(|file| (file, reach(file))).collect();
    let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
    for (file, others) in &reached {
        let circle: Vec<String> = others
            .iter()
            .filter(|other| reached.get(other).is_some_and(|back| back.contains(*file)))
            .cloned()
            .collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

/// The imports between the files and folders of each folder, a folder standing for all its files.
/// Definitions and imports of a folder's own module are left out: they belong to all its parts.
fn imports_of_parts(
    imports: &BTreeMap<String, BTreeSet<String>>,
) -> BTreeMap<String, BTreeMap<String, BTreeSet<String>>> {
    let mut all: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (file, others) in imports {
        for other in others {
            let both = file.split('/').zip(other.split('/'));
            let shared = both.take_while(|(one, other)| one == other).count();
            let part = |file: &str| {
                let part = file.split('/').take(shared + 1).collect::<Vec<_>>().join("/");
                part.trim_end_matches(".rs").to_owned()
            };
            let (from, to) = (part(file), part(other));
            let is_own =
                |part: &str| ["/mod", "/lib", "/main"].iter().any(|own| part.ends_with(own));
            if from == to || is_own(&from) || is_own(&to) {
                continue;
            }
            let folder = file.split('/').take(shared).collect::<Vec<_>>().join("/");
            all.entry(folder).or_default().entry(from).or_default().insert(to);
        }
    }
    all
}

/// The first folder or file below the sources of a crate.
fn room(file: &str) -> &str {
    let inside = file.split_once("src/").unwrap().1;
    inside.split('/').next().unwrap().trim_end_matches(".rs")
}

/// The table of rooms below a heading of CONTRIBUTING.md, from the bottom up.
fn rooms(heading: &str) -> Vec<String> {
    let page = include_str!("../../CONTRIBUTING.md");
    let table = page.split(heading).nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| row.split('`').next().unwrap().to_owned()).collect()
}

#[test]
fn files_parts_and_rooms_import_in_one_direction() {
    let mut wrong = Vec::new();
    for folder in [
        "src",
        "crates/dpsis-mechanisms/src",
        "crates/dpsis-cli/src",
        "crates/dpsis-eval/src",
        "crates/dpsis-papers/src",
        "crates/dpsis-web/src",
        "python/src",
        "r/src/rust/src",
        "fuzz/src",
    ] {
        // The library packaged alone has no other crates.
        if folder != "src" && !project().join(folder).is_dir() {
            continue;
        }
        let imports = Sources::of(folder).imports();
        let known: usize = imports.values().map(BTreeSet::len).sum();
        assert!(known > imports.len() / 2, "{folder}: {known} imports");
        for circle in circles(&imports) {
            wrong.push(format!("circle: {}", circle.join(" ")));
        }
        for parts in imports_of_parts(&imports).values() {
            for circle in circles(parts) {
                wrong.push(format!("circle of parts: {}", circle.join(" ")));
            }
        }
        let rooms = match folder {
            "src" => rooms("\n## Rooms of the library\n"),
            "crates/dpsis-mechanisms/src" => rooms("\n## Rooms of the mechanisms\n"),
            _ => continue,
        };
        let floor = |file: &str| rooms.iter().position(|name| name == room(file));
        for (file, others) in &imports {
            for other in others.iter().filter(|other| room(other) != "lib") {
                if room(file) == "lib" {
                    continue;
                }
                let both = floor(file).zip(floor(other));
                if both.is_none_or(|(from, to)| to > from) {
                    wrong.push(format!("up: {file} -> {other}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// All files of a folder count as one part.
#[test]
fn circles_of_folders_are_found() {
    let imports = |pairs: &[(&str, &str)]| {
        let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in pairs {
            imports.entry((*from).to_owned()).or_default().insert((*to).to_owned());
            imports.entry((*to).to_owned()).or_default();
        }
        imports
    };
    let of_parts = |pairs: &[(&str, &str)]| -> usize {
        let imports = imports(pairs);
        assert!(circles(&imports).is_empty(), "circles of files");
        imports_of_parts(&imports).values().map(|parts| circles(parts).len()).sum()
    };
    let down = [("src/run/a.rs", "src/plan/b.rs"), ("src/run/mod.rs", "src/run/a.rs")];
    assert_eq!(of_parts(&down), 0);
    assert_eq!(of_parts(&[down[0], ("src/plan/c.rs", "src/run/d.rs")]), 1);
    assert_eq!(of_parts(&[("src/r/x/a.rs", "src/r/y.rs"), ("src/r/y.rs", "src/r/x/b.rs")]), 1);
}
