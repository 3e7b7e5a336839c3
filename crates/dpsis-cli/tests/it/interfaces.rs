//! The tables of docs/interfaces.md, which show each command and option in every interface.
//!
//! The rows come from the help of the command line, and the names from the sources of Rust, Python
//! and R. The file `interfaces.txt` adds the names that differ, and the notes. With `DPSIS_BLESS=1`
//! a test writes the tables into the page; otherwise it fails if the page has other tables.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{array, env, fs, slice};

use crate::docs::project;
use crate::help::{commands, help, whole_help};

type Names = BTreeSet<String>;

/// A row of a table: the names of one command or option in Rust, Python and R.
struct Row {
    name: String,
    names: [Vec<String>; 3],
    note: String,
}

const COMMANDS: &str = "\n## Commands\n";
const OPTIONS: &str = "\n## Options of `select` and `fit`\n";

fn read(path: &str) -> String {
    fs::read_to_string(project().join(path)).unwrap()
}

/// The text between two marks.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start}"));
    rest.split_once(end).unwrap().0
}

/// The names in a list such as `a, b = 1, "c"`.
fn names(list: &str) -> impl Iterator<Item = String> {
    let parts = list.split(',').map(|part| part.split(['=', ':']).next().unwrap().trim());
    let names = parts.map(|name| name.trim_matches('"').to_owned());
    names.filter(|name| name.starts_with(char::is_alphabetic))
}

/// All commands in the order of the help, without those that only group others.
fn command_names() -> Vec<String> {
    let (mut all, help) = (commands(), help(&[], "--help"));
    all.sort_by_key(|command| {
        let start = format!("\n  {} ", command.first().map_or("", |word| word));
        help.find(&start).unwrap_or(help.len())
    });
    let is_group =
        |command: &[String]| all.iter().any(|other| other.starts_with(command) && other != command);
    all.iter().filter(|command| !is_group(command)).map(|command| command.join(" ")).collect()
}

/// The long options in the help of a command.
fn options_of(command: &str) -> Vec<String> {
    let help = whole_help(&[command.to_owned()]);
    // The name of an option is indented by two columns, or by six without a short form.
    let names = help.lines().filter_map(|line| {
        let start = line.strip_prefix("      ").or_else(|| line.strip_prefix("  -")?.get(3..))?;
        let is_option = |word: &&str| word.starts_with("--") && !word.starts_with("--help");
        start.split(' ').next().filter(is_option)
    });
    names.map(str::to_owned).collect()
}

/// The arguments of `dpsis.select` and `dpsis.fit`.
fn python_arguments() -> Names {
    let mut found = Names::new();
    for command in ["select", "fit"] {
        let source = read(&format!("python/dpsis/_{command}.py"));
        let lines = between(&source, &format!("\ndef {command}(\n"), "\n)").lines();
        found.extend(lines.filter_map(|line| names(line).next()));
    }
    found
}

/// The arguments of `dp_select` and `dp_fit`: in the signatures of their methods and in the lists
/// that `check_names` accepts.
fn r_arguments() -> Names {
    let lists = read("r/R/arguments.R");
    let mut found = Names::new();
    for command in ["select", "fit"] {
        let source = read(&format!("r/R/{command}.R"));
        for method in ["default", "formula"] {
            let start = format!("\ndp_{command}.{method} <- function(");
            found.extend(names(between(&source, &start, ") {\n")));
        }
        for known in between(&source, "check_names(list(...), c(", "))\n").split(", ") {
            let list = known.trim_start_matches("names(").trim_end_matches(')');
            let is_name = list.starts_with('"');
            let start = format!("\n{list} <- ");
            let list = if is_name { list } else { between(&lists, &start, ")") };
            found.extend(names(list.trim_start_matches("list(").trim_start_matches("c(")));
        }
    }
    found
}

/// The functions of the Python package.
fn python_functions() -> Names {
    let package = read("python/dpsis/__init__.py");
    let all = names(between(&package, "__all__ = [", "]"));
    all.filter(|name| name.starts_with(char::is_lowercase) && name != "spark").collect()
}

/// The functions that the R package exports.
fn r_functions() -> Names {
    let exports = read("r/NAMESPACE");
    let functions = exports.lines().filter_map(|line| line.strip_prefix("export("));
    functions.map(|name| name.trim_end_matches(')').to_owned()).collect()
}

/// The rows of a table: the listed names in their order, then the names that only programs have.
/// A name in R may be derived from the names in Python.
fn rows(
    heading: &str,
    listed: &[String],
    derive: impl Fn(usize, &str, &[String]) -> Vec<String>,
) -> Vec<Row> {
    let data = read("crates/dpsis-cli/tests/it/interfaces.txt");
    let (_, data) = data.split_once(heading).unwrap();
    let lines = data.split("\n## ").next().unwrap().lines().filter(|line| !line.is_empty());
    let cells = |line: &str| {
        let mut cells = line.split('|').map(|cell| cell.trim().to_owned());
        array::from_fn(|_| cells.next().unwrap_or_default())
    };
    let mut given: Vec<[String; 5]> = lines.map(cells).collect();
    let mut entries: Vec<_> = listed
        .iter()
        .map(|name| match given.iter().position(|entry| entry[0] == *name) {
            Some(place) => given.remove(place),
            None => cells(name),
        })
        .collect();
    assert!(given.iter().all(|entry| entry[0] == "-"), "unknown or repeated: {given:?}");
    entries.append(&mut given);
    let row = |[name, rust, python, r, note]: [String; 5]| {
        let mut names: [Vec<String>; 3] = Default::default();
        for (place, cell) in [rust, python, r].into_iter().enumerate() {
            let given: Vec<_> = cell.split_terminator(", ").map(str::to_owned).collect();
            let derived = derive(place, &name, &names[1]);
            assert!(given.is_empty() || given != derived, "{name}: {given:?} is derived");
            names[place] = if given.is_empty() { derived } else { given };
        }
        let is_everywhere = name != "-" && names.iter().all(|names| !names.is_empty());
        assert!(is_everywhere || !note.is_empty(), "{name} {names:?} needs a note");
        Row { name, names, note }
    };
    entries.into_iter().map(row).collect()
}

fn command_rows() -> Vec<Row> {
    let functions = [Names::new(), python_functions(), r_functions()];
    rows(COMMANDS, &command_names(), |place, command, _| {
        let name = ["", "", "dp_"][place].to_owned() + &command.replace(' ', "_");
        functions[place].get(&name).cloned().into_iter().collect()
    })
}

fn option_rows() -> Vec<Row> {
    let (setters, python, r) = (setters(), python_arguments(), r_arguments());
    let mut listed = options_of("select");
    let others: Vec<_> = options_of("fit").into_iter().filter(|it| !listed.contains(it)).collect();
    listed.extend(others);
    rows(OPTIONS, &listed, |place, option, in_python| {
        let name = option.trim_start_matches('-').replace('-', "_");
        let end = format!("::{name}");
        match place {
            0 => setters.iter().filter(|path| path.ends_with(&end)).cloned().collect(),
            1 => python.get(&name).cloned().into_iter().collect(),
            _ if r.contains(&name) => vec![name],
            _ => in_python.iter().filter(|name| r.contains(*name)).cloned().collect(),
        }
    })
}

/// The names of an interface in all rows: 0 is Rust, 1 Python, 2 R.
fn column(rows: &[Row], place: usize) -> Names {
    rows.iter().flat_map(|row| row.names[place].iter().cloned()).collect()
}

/// The page with other rows below a heading.
fn with_rows(page: &str, heading: &str, rows: impl Iterator<Item = String>) -> String {
    let (before, after) = page.split_once(heading).unwrap();
    let (head, table) = after.split_once(" --- |\n").unwrap();
    let rest = table.find("\n\n").map_or("", |end| &table[end + 1..]);
    format!("{before}{heading}{head} --- |\n{}{rest}", rows.collect::<String>())
}

#[test]
fn the_page_has_the_generated_tables() {
    let code = |names: &[String]| match names {
        [] => "-".to_owned(),
        [name] if name == "-" => name.clone(),
        names => format!("`{}`", names.join("`, `")),
    };
    let line = |row: &Row, command: &str| {
        let [rust, python, r] = row.names.each_ref().map(|names| code(names));
        let name = code(slice::from_ref(&row.name));
        let line = format!("| {name} |{command} {rust} | {python} | {r} | {} |\n", row.note);
        line.replace("|  |", "| |")
    };
    let (select, fit) = (options_of("select"), options_of("fit"));
    let command = |row: &Row| match (select.contains(&row.name), fit.contains(&row.name)) {
        (true, false) => " `select` |",
        (false, true) => " `fit` |",
        _ => " |",
    };
    let page = read("docs/interfaces.md");
    let made = with_rows(&page, COMMANDS, command_rows().iter().map(|row| line(row, "")));
    let made = with_rows(&made, OPTIONS, option_rows().iter().map(|row| line(row, command(row))));
    if env::var_os("DPSIS_BLESS").is_some() {
        fs::write(project().join("docs/interfaces.md"), made).unwrap();
    } else {
        assert_eq!(page, made, "other tables: run this test with DPSIS_BLESS=1");
    }
}

/// Each listed name of Python and R is a function, method or argument, and the list is complete.
#[test]
fn python_and_r_have_the_named_functions_and_arguments() {
    let (commands, options) = (command_rows(), option_rows());
    assert_eq!(column(&options, 1), python_arguments());
    assert_eq!(column(&options, 2), r_arguments());
    let python: String = sources("python/dpsis", "py").into_iter().map(|(_, text)| text).collect();
    let exports = read("r/NAMESPACE");
    let is_method = |place: usize, name: &str| {
        let (class, method) = name.split_once('.').unwrap_or((name, "__init__"));
        let method = format!("\n    def {method}(");
        // A class inherits methods of others.
        let has_class =
            [":", "("].iter().any(|end| python.contains(&format!("\nclass {class}{end}")));
        let mut classes = python.split("\nclass ");
        match place {
            1 => has_class && classes.any(|text| text.contains(&method)),
            _ => exports.contains(&format!("\nS3method({name},dpsis_")),
        }
    };
    for (place, functions) in [(1, python_functions()), (2, r_functions())] {
        let named = column(&commands, place);
        assert_eq!(functions.difference(&named).next(), None);
        assert_eq!(named.difference(&functions).find(|name| !is_method(place, name)), None);
    }
}

/// The files of a folder with an ending: their paths from there, and their texts.
fn sources(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let root = project().join(folder);
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|other| other == ending) {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(&root).unwrap().to_owned(), text));
            }
        }
    }
    found
}

/// The blocks of a Rust source that define a type or its own items.
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
/// names, if it names one, otherwise of a file of its module.
fn is_item(path: &str) -> bool {
    // The library shows the items of the mechanisms.
    let (folders, path) = match path.strip_prefix("dpsis_eval::") {
        Some(rest) => (&["crates/dpsis-eval/src"][..], rest),
        None => (&["src", "crates/dpsis-mechanisms/src"][..], path),
    };
    let segments: Vec<&str> = path.split("::").collect();
    let (name, owners) = segments.split_last().unwrap();
    let (types, modules): (Vec<&str>, Vec<&str>) =
        owners.iter().partition(|part| part.starts_with(char::is_uppercase));
    let indent = if types.is_empty() { "\n" } else { "\n    " };
    let functions = ["pub fn NAME(", "pub fn NAME<", "pub NAME:", "NAME,", "NAME("];
    let structs = ["pub struct NAME ", "pub struct NAME<", "pub struct NAME("];
    let has = |text: &str| {
        let mut forms = functions.iter().chain(&structs);
        let again = format!("::{name};");
        forms.any(|form| text.contains(&format!("{indent}{}", form.replace("NAME", name))))
            || text.lines().any(|line| line.starts_with("pub use ") && line.ends_with(&again))
    };
    let in_module = |file: &Path| {
        let places = file.with_extension("");
        modules.iter().all(|module| places.iter().any(|part| part == *module))
    };
    folders.iter().flat_map(|folder| sources(folder, "rs")).any(|(file, text)| {
        in_module(&file)
            && match types.first() {
                Some(owner) => blocks_of(&text, owner).any(has),
                None => has(&text),
            }
    })
}

/// The public methods that take a request, a model or a table by value.
fn setters() -> Names {
    let mut found = Names::new();
    for (_, text) in sources("src", "rs") {
        for owner in ["Select", "FitModel", "FileTable"] {
            let items = blocks_of(&text, owner).flat_map(|block| block.split("\n\n"));
            for item in items.filter(|item| !item.contains("#[doc(hidden)]")) {
                let Some((_, signature)) = item.split_once("\n    pub fn ") else { continue };
                let dense: String = signature.split(" -> ").next().unwrap().split(' ').collect();
                let dense = dense.replace('\n', "");
                if dense.contains("(self") || dense.contains("(mutself") {
                    let name = signature.split(['(', '<']).next().unwrap();
                    found.insert(format!("{owner}::{name}"));
                }
            }
        }
    }
    found
}

#[test]
fn rust_has_the_named_items() {
    let options = column(&option_rows(), 0);
    let items = &column(&command_rows(), 0) | &options;
    assert!(items.len() >= 60, "{} items", items.len());
    assert_eq!(items.iter().find(|item| !is_item(item)), None);
    for wrong in ["Select::rn", "Select::lambda", "Target::Bound", "report::compare", "Selec"] {
        assert!(!is_item(wrong), "{wrong}");
    }
    let setters = setters();
    assert!(setters.len() >= 40, "{} setters", setters.len());
    assert_eq!(setters.difference(&options).next(), None);
}
