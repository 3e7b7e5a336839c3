//! The commands of the README and of the pages in `docs/` run and print the output that the pages
//! show; targets of links exist.

use std::path::{Path, PathBuf};

use crate::harness::{DEMO, Folder, Outcome, PROJECT};
use crate::ledger::balance;

/// The root of the project.
pub(super) fn project() -> PathBuf {
    Path::new(PROJECT).to_owned()
}

/// README.md and the pages of `docs/`: path and text.
fn pages() -> Vec<(PathBuf, String)> {
    let docs = std::fs::read_dir(project().join("docs")).unwrap();
    let mut paths: Vec<PathBuf> = docs.map(|entry| entry.unwrap().path()).collect();
    paths.push(project().join("README.md"));
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// The lines of fenced blocks of a language.
fn lines_of<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    let blocks = page.split(fence.as_str()).skip(1);
    blocks.flat_map(|block| block.split("```").next().unwrap().lines()).collect()
}

fn run(command: &str) -> Outcome {
    let command = command.trim_start_matches("cargo run --release -- ");
    let line = command.trim_start_matches("dpsis ");
    // Commands that make a folder run in a temporary one.
    let folder = if is_on_our_data(command) { Folder::at(PROJECT) } else { Folder::new() };
    folder.run(line)
}

/// Whether a command reads a table that comes with the project.
fn is_on_our_data(command: &str) -> bool {
    ["demo", "small", "visits", "followup", "pairs"]
        .iter()
        .any(|table| command.contains(&format!("datasets/{table}.csv")))
}

/// Commands on data that comes with the project succeed. The others are examples on the reader's
/// files: their requests are valid, and they fail because the file is missing.
#[test]
fn commands_run() {
    let mut count = 0;
    for (path, text) in pages() {
        for command in lines_of(&text, "sh") {
            if !command.starts_with("cargo run --release -- ") && !command.starts_with("dpsis ") {
                continue;
            }
            count += 1;
            let succeeds = is_on_our_data(command)
                || command.starts_with("dpsis plan")
                || command.starts_with("dpsis ledger create")
                || (command.starts_with("dpsis account") && !command.contains(".json"))
                || command.starts_with("dpsis verify")
                || command.starts_with("dpsis audit --mechanism");
            // Broken variants violate their claim.
            let violates = command.contains("--variant");
            let expected = if violates {
                1
            } else if succeeds {
                0
            } else {
                5
            };
            let (output, page) = (run(command), path.display());
            assert_eq!(output.code, Some(expected), "{page}: {command}: {}", output.stderr);
        }
    }
    assert!(count >= 30, "{count} commands");
}

/// The reports shown in the README and on the page about reports equal the output of the command
/// with a seed, except for the warning about the seed.
#[test]
fn shown_reports_match_the_output() {
    let printed = |command: &str| {
        let output = run(command);
        let lines = output.stderr.lines().filter(|line| !line.starts_with("warning"));
        let report: Vec<String> = lines.map(|line| format!("{line}\n")).collect();
        (report, output.stdout)
    };
    let whole = |seed: u32| {
        let (report, names) =
            printed(&format!("select --k 5 --eps 2 --seed {seed} datasets/demo.csv"));
        format!("```text\n{}{names}```", report.concat())
    };
    // The README shows a typical run; the page on significance, a run with a feature that is not
    // significant.
    let (typical, open) = (whole(1), whole(6));
    let (report, _) = printed("select --k 5 --eps 2 --direction --seed 6 datasets/demo.csv");
    let found = report.iter().position(|line| line.starts_with("effect ")).unwrap();
    let found = format!("```text\n{}```", report[found..].concat());
    for (page, shown) in
        [("docs/significance.md", &open), ("docs/significance.md", &found), ("README.md", &typical)]
    {
        let text = std::fs::read_to_string(project().join(page)).unwrap();
        assert!(text.contains(shown), "{page} does not show\n{shown}");
    }
}

/// A command that draws nothing, or by a given seed, is shown with its exact output where that
/// follows; `...` marks omitted lines.
#[test]
fn shown_outputs_match_their_commands() {
    let mut count = 0;
    for (path, text) in pages() {
        for after in text.split("```sh\n").skip(1) {
            let Some((command, shown)) = after.split_once("\n```\n\n```text\n") else { continue };
            let is_random = !["--dry-run", "--seed", "dpsis plan", " inspect"]
                .iter()
                .any(|word| command.contains(word));
            if command.contains(['\n', '`']) || is_random {
                continue;
            }
            count += 1;
            let output = run(command);
            let names = output.stdout;
            let lines = output.stderr.lines();
            let lines = lines.filter(|line| !line.starts_with("warning    seeded"));
            let report: String = lines.map(|line| format!("{line}\n")).collect();
            let (shown, page) = (shown.split("```").next().unwrap(), path.display());
            let all = report.clone() + &names;
            if !shown.contains("...\n") {
                assert!(shown == names || shown == all, "{page}: {command}:\n{all}");
                continue;
            }
            let mut rest = all.as_str();
            for part in shown.split("...\n").filter(|part| !part.is_empty()) {
                let (_, after) =
                    rest.split_once(part).unwrap_or_else(|| panic!("{page}: {command}:\n{all}"));
                rest = after;
            }
        }
    }
    assert!(count >= 7, "{count} commands");
}

/// The page about people shows the output of its seeded commands.
#[test]
fn the_page_about_people_matches_the_output() {
    let page = std::fs::read_to_string(project().join("docs/people.md")).unwrap();
    let commands: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("cargo run --release -- ")).collect();
    assert_eq!(commands.len(), 2);
    for (number, command) in commands.into_iter().enumerate() {
        let output = run(command);
        let (names, report) = (output.stdout, output.stderr);
        assert!(page.contains(&format!("```text\n{names}```")), "{command}: {names}");
        let is_shown = page.contains(&format!("```text\n{report}```"));
        assert!(number > 0 || is_shown, "{command}: {report}");
    }
}

/// The commands of the page about production run in order in one folder. A repeated release is not
/// charged again, and the check of the budget fails in the end.
#[test]
fn the_page_about_production_runs_in_order() {
    let page = std::fs::read_to_string(project().join("docs/production.md")).unwrap();
    let folder = Folder::new().with("data.csv", std::fs::read(DEMO).unwrap());
    let commands = lines_of(&page, "sh");
    let lines = || commands.iter().map(|command| command.trim_start_matches("dpsis "));
    for line in lines() {
        folder.run(line).succeeds();
        if line.contains("--run-key") {
            let before = folder.read("budget.txt");
            folder.run(line).succeeds();
            assert_eq!(folder.read("budget.txt"), before, "{line}");
        }
    }
    assert_eq!(balance(&folder).left(), "0");
    folder.run(lines().find(|line| line.contains("--dry-run")).unwrap()).fails(4);
}

/// Relative links lead to files that are there.
#[test]
fn links_lead_to_existing_files() {
    let mut count = 0;
    for (path, text) in pages() {
        for link in text.split("](").skip(1) {
            let target = link.split(')').next().unwrap().split('#').next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            count += 1;
            let file = path.parent().unwrap().join(target);
            assert!(file.exists(), "{}: {target}", path.display());
        }
    }
    assert!(count >= 20, "{count} links");
}

/// The README is for a first look: it stays short.
#[test]
fn the_readme_is_short() {
    let readme = std::fs::read_to_string(project().join("README.md")).unwrap();
    assert!(readme.lines().count() <= 130);
}
