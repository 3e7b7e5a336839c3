//! The README's commands run, and print what the README shows.

#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../../../README.md");

/// The lines of fenced blocks of a language.
fn lines_of(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let blocks = README.split(fence.as_str()).skip(1);
    blocks.flat_map(|block| block.split("```").next().unwrap().lines()).collect()
}

fn run(command: &str) -> std::process::Output {
    let arguments = command.split(" -- ").last().unwrap().trim_start_matches("dpsis ");
    let elsewhere = tempfile::tempdir().unwrap();
    // What makes folders of its own leaves none here.
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = if command.contains("datasets/demo.csv") { &project } else { elsewhere.path() };
    Command::new(env!("CARGO_BIN_EXE_dpsis"))
        .args(arguments.split_whitespace().map(|word| word.trim_matches('\'')))
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Commands on data that comes with the project release something; the others are examples on
/// files of the reader's, of which the request at least is right: they fail on the missing file.
#[test]
fn commands_run() {
    let commands: Vec<&str> = lines_of("sh")
        .into_iter()
        .filter(|line| line.starts_with("cargo run --release -- ") || line.starts_with("dpsis "))
        .collect();
    assert!(commands.len() >= 5);
    for command in commands {
        let output = run(command);
        let expected = if command.contains("datasets/demo.csv") { 0 } else { 5 };
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(expected), "{command}: {said}");
    }
}

/// The lines shown below the first command are what it prints, but for private numbers and names
/// (all words with a digit): those are drawn anew each time.
#[test]
fn the_shown_output_is_what_comes() {
    let output = run("select --k 5 --eps 2 datasets/demo.csv");
    let printed = [output.stderr, output.stdout].map(|bytes| String::from_utf8(bytes).unwrap());
    let without_numbers = |text: &str| -> String {
        let digits = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
        text.split_whitespace().filter(|word| !word.contains(digits)).collect()
    };
    let shown = lines_of("text").join("\n");
    assert_eq!(without_numbers(&shown), without_numbers(&printed.concat()));
}
