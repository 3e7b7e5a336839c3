//! The page about the doors names every command and option once, and items of Rust that are there.
//! Its Python column is tested with the package.

use std::fs;
use std::path::{Path, PathBuf};

use crate::docs::project;
use crate::help::{commands, help};

/// The cells of the rows below a heading, without backticks.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let page = fs::read_to_string(project().join("docs/doors.md")).unwrap();
    let part = page.split(heading).nth(1).unwrap();
    let table = part.lines().skip_while(|line| !line.starts_with("| ---")).skip(1);
    let rows = table.take_while(|line| line.starts_with('|'));
    let cells = |row: &str| row.split('|').map(|cell| cell.trim().replace('`', "")).collect();
    rows.map(cells).collect()
}

const COMMANDS: &str = "\n## Commands\n";
const OPTIONS: &str = "\n## Options of `select` and `fit`\n";

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

#[test]
fn every_command_is_there_once() {
    let all = commands();
    // Of a group of commands, its members.
    let is_group =
        |command: &[String]| all.iter().any(|other| other.starts_with(command) && other != command);
    let leaves = all.iter().filter(|command| !is_group(command)).map(|command| command.join(" "));
    let named = rows(COMMANDS).into_iter().map(|row| row[1].clone()).collect();
    assert_eq!(sorted(named), sorted(leaves.collect()));
}

#[test]
fn every_option_is_there_once() {
    for command in ["select", "fit"] {
        let help = help(&[command.to_owned()], "--help");
        // Options are indented by two, or by six without a short form; what is said of them, by ten.
        let lines = help.lines().filter(|line| !line.starts_with("       "));
        let names = lines.filter_map(|line| {
            let start =
                line.strip_prefix("      ").or_else(|| line.strip_prefix("  -")?.get(3..))?;
            start.split(' ').next().filter(|word| word.starts_with("--"))
        });
        let listed = names.filter(|name| *name != "--help").map(str::to_owned).collect();
        let of_it = rows(OPTIONS).into_iter().filter(|row| row[2].is_empty() || row[2] == command);
        let named = of_it.map(|row| row[1].clone()).filter(|name| name != "-").collect();
        assert_eq!(sorted(named), sorted(listed), "{command}");
    }
}

#[test]
fn what_is_in_one_door_only_says_why() {
    for row in rows(COMMANDS).into_iter().chain(rows(OPTIONS)) {
        let lacks = row[1..row.len() - 2].iter().any(|cell| cell == "-");
        assert!(!lacks || !row[row.len() - 2].is_empty(), "{row:?}");
    }
}

/// The texts of the files of a folder, with their paths from there.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(folder).unwrap().to_owned(), text));
            }
        }
    }
    found
}

/// The blocks of a source that define a type or its own items.
fn blocks_of<'a>(source: &'a str, owner: &'a str) -> impl Iterator<Item = &'a str> {
    source.split_inclusive("\n}\n").filter_map(move |block| {
        let is_head = |line: &str| {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let defines = ["impl", "pub struct ", "pub enum "].iter().any(|w| line.starts_with(w));
            defines && !line.contains(" for ") && words.any(|word| word == owner)
        };
        let head = block.lines().find(|line| is_head(line))?;
        block.find(head).map(|start| &block[start..])
    })
}

/// Whether a path such as `report::to_json` or `Select::run` is a public item: of the type that it
/// names, if it names one, else of a file of its module.
fn is_there(path: &str) -> bool {
    let (folder, path) = match path.strip_prefix("dpsis_eval::") {
        Some(rest) => ("crates/dpsis-eval/src", rest),
        None => ("src", path),
    };
    let segments: Vec<&str> = path.split("::").collect();
    let (name, owners) = segments.split_last().unwrap();
    let (types, modules): (Vec<&str>, Vec<&str>) =
        owners.iter().partition(|part| part.starts_with(char::is_uppercase));
    let indent = if types.is_empty() { "\n" } else { "\n    " };
    let forms = [
        format!("{indent}pub fn {name}("),
        format!("{indent}pub fn {name}<"),
        format!("{indent}pub struct {name} "),
        format!("{indent}pub struct {name}<"),
        format!("{indent}pub struct {name}("),
        format!("{indent}pub {name}:"),
        format!("{indent}{name},"),
        format!("{indent}{name}("),
    ];
    let again = format!("::{name};");
    let has = |text: &str| {
        forms.iter().any(|form| text.contains(form.as_str()))
            || text.lines().any(|line| line.starts_with("pub use ") && line.ends_with(&again))
    };
    let in_module = |file: &Path| {
        let places = file.with_extension("");
        modules.iter().all(|module| places.iter().any(|part| part == *module))
    };
    sources(&project().join(folder)).iter().any(|(file, text)| {
        in_module(file)
            && match types.first() {
                Some(owner) => blocks_of(text, owner).any(has),
                None => has(text),
            }
    })
}

#[test]
fn the_items_of_rust_are_there() {
    let commands = rows(COMMANDS).into_iter().map(|row| row[2].clone());
    let options = rows(OPTIONS).into_iter().map(|row| row[3].clone());
    let cells: Vec<String> = commands.chain(options).filter(|cell| cell != "-").collect();
    assert!(cells.len() >= 60, "{} cells", cells.len());
    let items = cells.iter().flat_map(|cell| cell.split(", "));
    assert_eq!(items.filter(|item| !is_there(item)).collect::<Vec<_>>(), [""; 0]);
    // What is not there is not found.
    for wrong in ["Select::rn", "Select::lambda", "Target::Bound", "report::compare", "Selec"] {
        assert!(!is_there(wrong), "{wrong}");
    }
}

/// All setters of a request and of a table are in the table of options.
#[test]
fn every_setter_is_there() {
    let named: Vec<String> = rows(OPTIONS)
        .iter()
        .flat_map(|row| row[3].split(", ").map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let mut count = 0;
    for owner in ["Select", "FitModel", "FileTable"] {
        for (_, text) in sources(&project().join("src")) {
            let items = blocks_of(&text, owner).flat_map(|block| block.split("\n\n"));
            for item in items.filter(|item| !item.contains("#[doc(hidden)]")) {
                let Some(signature) = item.split("\n    pub fn ").nth(1) else { continue };
                let dense: String = signature.split(" -> ").next().unwrap().split(' ').collect();
                let takes_itself = ["(self", "(mutself", "(\nself", "(\nmutself"]
                    .iter()
                    .any(|form| dense.contains(form));
                if takes_itself {
                    count += 1;
                    let name = signature.split(['(', '<']).next().unwrap();
                    assert!(named.contains(&format!("{owner}::{name}")), "{owner}::{name}");
                }
            }
        }
    }
    assert!(count >= 40, "{count} setters");
}
