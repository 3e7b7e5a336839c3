//! Help: it fits a terminal of 80 columns, `-h` one screen and `--help` two.

use crate::harness::{Folder, assert_contains_all, dpsis};

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

/// Options that a command shares with others and always refuses: its help does not list them.
fn refused(command: &[&str]) -> &'static [&'static str] {
    match command {
        ["fit"] => {
            &["--partials", "--name-file", "--groups", "--group-size", "--adjust", "--paired"]
        }
        // Sums of parts are of rows.
        ["partial"] | ["sites", "key"] => &["--unit", "--unit-target", "--adjust", "--paired"],
        // A query reads the target from one column.
        ["sql"] => &["--time", "--event", "--by", "--adjust", "--unit-target"],
        ["plan"] => &["--time", "--event", "--by"],
        ["weights"] => &["--adjust"],
        ["bounds"] | ["compare"] => &["--unit"],
        _ => &[],
    }
}

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
            let is_refused = refused(&names[1..]).contains(&option);
            assert_eq!(words.contains(&option), !is_refused, "{command:?}: {option}");
        }
    }
}

#[test]
fn options_that_help_does_not_list_are_refused() {
    let rows = "a,b,age,y\n1,2,3,no\n2,3,4,yes\n3,1,5,no\n4,5,6,yes\n";
    let folder = Folder::new().with("rows.csv", rows);
    let partial = "partial --part 1/1 --classes no,yes --bounds 0,9 rows.csv";
    let key = "sites key north --classes no,yes --bounds 0,9 rows.csv --key north.key";
    let query = "sql --dialect duckdb --table t --wide --features a --target y --classes no,yes --bounds 0,9";
    let whole = "sums of parts are of rows";
    let lines = [
        (format!("{partial} --unit age"), whole),
        (format!("{partial} --adjust age:4"), whole),
        (format!("{partial} --unit-target mean"), ""),
        (format!("{partial} --paired age"), ""),
        (format!("{partial} --score kendall"), ""),
        (format!("{key} --unit age"), whole),
        (format!("{key} --adjust age:4"), whole),
        (format!("{query} --adjust age:4"), whole),
        (format!("{query} --unit-target mean"), ""),
        (format!("{query} --score kendall"), ""),
        ("weights --classes no,yes --adjust age:4 rows.csv".to_owned(), "without covariates"),
        ("weights --classes no,yes --score kendall rows.csv".to_owned(), "without covariates"),
        ("bounds --clip 1sd --unit age rows.csv".to_owned(), "row by row"),
        ("compare rows.csv --unit age -o compared".to_owned(), "row by row"),
    ];
    for (line, rule) in lines {
        folder.refuses(&[(&line, 2, rule)]);
    }
}

/// Help lists the scores that a command takes, and no others.
#[test]
fn help_lists_the_scores_of_a_command() {
    let all = ["ks", "correlation", "kendall", "paired"];
    let commands: [(&str, &[&str]); 6] = [
        ("select", &all),
        ("fit", &all[..3]),
        ("partial", &all[..2]),
        ("sites key", &all[..2]),
        ("sql", &all[..2]),
        ("weights", &["ks", "correlation", "paired"]),
    ];
    for (command, scores) in commands {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let long = whole_help(&words);
        for score in all {
            let is_listed = long.contains(&format!("- {score}:"));
            assert_eq!(is_listed, scores.contains(&score), "{command} {score}:\n{long}");
        }
        let short = help(&words, "-h");
        let (last, others) = scores.split_last().unwrap();
        let short: Vec<&str> = short.split_whitespace().collect();
        let listed = format!("Score of features: {} or {last}", others.join(", "));
        assert!(short.join(" ").contains(&listed), "{command}: {short:?}");
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
