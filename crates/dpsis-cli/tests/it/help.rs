//! Help: it fits a terminal of 80 columns, `-h` one screen and `--help` two.

use crate::harness::{assert_contains_all, dpsis};

/// The completions, which list everything in the definition of the arguments.
fn completions() -> String {
    dpsis("completions bash").succeeds().stdout
}

/// All commands that have help, `sites key` as two words; none for the program itself.
pub(super) fn commands() -> Vec<Vec<String>> {
    // Where options are listed, a line is `dpsis__subcmd__sites__subcmd__key)`.
    let script = completions();
    let arms =
        script.lines().filter_map(|line| line.strip_prefix("        dpsis")?.strip_suffix(')'));
    let paths = arms.filter(|arm| arm.is_empty() || arm.starts_with("__subcmd__"));
    let words = |path: &str| path.split("__subcmd__").skip(1).map(str::to_owned).collect();
    paths.map(words).filter(|words: &Vec<_>| !words.iter().any(|word| word == "help")).collect()
}

pub(super) fn help(command: &[String], flag: &str) -> String {
    dpsis(&format!("{} {flag}", command.join(" "))).succeeds().stdout
}

/// Whether a command has advanced options, which `--help-all` lists.
fn has_advanced(command: &[String]) -> bool {
    help(command, "--help").contains(" --help-all\n")
}

/// The help with all options.
pub(super) fn whole_help(command: &[String]) -> String {
    help(command, if has_advanced(command) { "--help-all" } else { "--help" })
}

#[test]
fn no_line_is_wider_than_80_columns() {
    for command in commands() {
        for flag in ["-h", "--help", "--help-all"] {
            if flag == "--help-all" && !has_advanced(&command) {
                continue;
            }
            let help = help(&command, flag);
            for line in help.lines() {
                assert!(line.chars().count() <= 80, "{command:?} {flag}: {line}");
            }
        }
    }
}

#[test]
fn the_short_help_fits_one_screen() {
    for command in commands() {
        let help = help(&command, "-h");
        let lines = help.lines().count();
        assert!(lines <= 30, "{command:?} {lines}:\n{help}");
    }
    let select = help(&["select".to_owned()], "-h");
    let options = "-k --eps --target --target-file --id --exclude --orient \
        --classes --bounds --score --format -o --dry-run --seed";
    assert_contains_all(&select, &options.split(' ').collect::<Vec<_>>());
    assert!(select.ends_with("dpsis select --help\n"), "{select}");
}

/// `--help` shows the options that most users need, with examples; `--help-all` shows the rest.
#[test]
fn help_fits_two_screens() {
    for command in commands() {
        let shown = help(&command, "--help");
        let lines = shown.lines().count();
        assert!(lines <= 80, "{command:?} {lines}:\n{shown}");
    }
    let select = help(&["select".to_owned()], "--help");
    assert_contains_all(&select, &["--unit", "--time", "Examples:", "dpsis select --help-all\n"]);
    for advanced in ["--mechanism", "--gamma", "--method", "--split", "--threads"] {
        assert!(!select.contains(advanced), "{advanced}");
    }
    let all = help(&["select".to_owned()], "--help-all");
    assert_contains_all(&all, &["--mechanism", "--gamma", "--method", "--split", "--threads"]);
}

/// Without a command three commands are shown, and nothing is done.
#[test]
fn three_commands_are_shown_without_a_command() {
    let output = dpsis("");
    output.fails(2);
    let shown = output.stderr;
    let commands: Vec<&str> = shown.lines().filter(|line| line.starts_with("  dpsis ")).collect();
    assert_eq!(commands.len(), 3, "{shown}");
    assert!(shown.ends_with("dpsis --help\n"), "{shown}");
    assert!(shown.lines().all(|line| line.len() <= 80), "{shown}");
}

/// Options of `dpsis select` that `dpsis fit` refuses: no help lists them.
const NOT_FOR_MODELS: [&str; 6] =
    ["--partials", "--name-file", "--groups", "--group-size", "--adjust", "--paired"];

/// Options of `dpsis partial` that `dpsis sql` refuses: a query reads the target from one column.
const NOT_FOR_QUERIES: [&str; 3] = ["--time", "--event", "--by"];

#[test]
fn the_long_help_has_every_option() {
    let script = completions();
    let all = commands();
    assert!(all.len() >= 28, "{all:?}");
    for command in all {
        let names: Vec<&str> =
            ["dpsis"].into_iter().chain(command.iter().map(String::as_str)).collect();
        let start = script.find(&format!("        {})\n", names.join("__subcmd__"))).unwrap();
        let options = script[start..].split("opts=\"").nth(1).unwrap();
        let options = options.split('"').next().unwrap();
        let help = whole_help(&command);
        let is_word_of = |c: char| c.is_alphanumeric() || c == '-';
        let words: Vec<&str> = help.split(|c| !is_word_of(c)).collect();
        let long: Vec<&str> =
            options.split(' ').filter(|option| option.starts_with("--")).collect();
        assert!(long.contains(&"--help"), "{command:?}: {options}");
        for option in long {
            let is_refused = match names[1..] {
                ["fit"] => NOT_FOR_MODELS.contains(&option),
                ["sql"] => NOT_FOR_QUERIES.contains(&option),
                ["plan"] => ["--time", "--event", "--by"].contains(&option),
                _ => false,
            };
            assert_eq!(words.contains(&option), !is_refused, "{command:?}: {option}");
        }
    }
}

/// The groups that most users need come first.
#[test]
fn option_groups_are_ordered_by_need() {
    let help = help(&["select".to_owned()], "--help-all");
    let place = |group: &str| help.find(&format!("\n{group}:\n")).unwrap_or(usize::MAX);
    let groups = ["Options", "Table", "Target", "Output", "Privacy", "Mechanism", "Method"];
    let places: Vec<usize> = groups.iter().map(|group| place(group)).collect();
    assert!(places.is_sorted() && !places.contains(&usize::MAX), "{places:?}");
}
