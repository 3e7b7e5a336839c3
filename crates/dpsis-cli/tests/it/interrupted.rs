//! Failures while the program writes, at every place where it does: no room on the disk, a folder
//! that cannot be written to, a reader that has left, an interrupt, a kill. A file is the old one
//! or the whole new one, and where the output is lost the exit code reports it.
//!
//! The same for ledgers is in `ledger.rs`.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::harness::{Folder, Outcome, assert_contains, piped, silent};

/// Commands that write one file, OUT.
const FILE_WRITERS: [&str; 9] = [
    "select -k 1 --eps 1 -o OUT t.csv",
    "select -k 1 --eps 1 --format json -o OUT t.csv",
    "select -k 1 --eps 1 --format tsv -o OUT t.csv",
    "select -k 1 --eps 1 --format html -o OUT t.csv",
    "choose --eps 1 --sensitivity 1 --format html -o OUT models.csv",
    "inspect --write-schema OUT t.csv",
    "bounds --clip 1sd -o OUT t.csv",
    "datasets list --format json -o OUT",
    "datasets make fan-lv -o OUT",
];

/// A command that writes a folder, OUT.
const COMPARE: &str = "compare --eps 1 --k 1 --trials 2 --methods dp-sis -o OUT t.csv";

/// Commands that write to stdout.
const STDOUT_WRITERS: [&str; 15] = [
    "select -k 1 --eps 1 t.csv",
    "select -k 1 --eps 1 --format json t.csv",
    "select -k 1 --eps 1 --format html t.csv",
    "select -k 1 --eps 1 --dry-run t.csv",
    "choose --eps 1 --sensitivity 1 models.csv",
    "choose --eps 1 --sensitivity 1 --trials 5 models.csv",
    "inspect t.csv",
    "bounds --clip 1sd t.csv",
    "datasets list",
    "ledger show budget.txt",
    "completions bash",
    "man",
    "--help",
    "select --help",
    "--version",
];

/// A folder with a table, candidates and a ledger.
fn folder() -> Folder {
    let folder = Folder::new().with("models.csv", "name,score\na,10\nb,20\n");
    folder.table("t.csv", "age,dose,out", 200, |i| {
        format!("{},{},{}", i * 7 % 40, i * i % 31, i % 40)
    });
    folder.run("ledger create --cap 1 budget.txt").succeeds();
    folder
}

/// All files with their contents, also in folders.
fn contents(folder: &Folder) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    gather(&folder.path(""), &mut all);
    all
}

fn gather(folder: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            gather(&path, all);
        } else {
            // A file may be a temporary one that is gone by now.
            fs::read(&path).ok().map(|bytes| all.insert(path, bytes));
        }
    }
}

/// A command with the name of the file that it is to write, and that name; the extension of a table
/// gives its format.
fn to(line: &str, name: &str) -> (String, String) {
    let name = format!("{name}{}", if line.contains("make") { ".csv" } else { "" });
    (line.replace("OUT", &name), name)
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    for line in FILE_WRITERS {
        for old in [None, Some("the old file")] {
            // A schema is never replaced.
            if old.is_some() && line.starts_with("inspect") {
                continue;
            }
            let folder = folder();
            let (line, name) = to(line, "out");
            old.map(|old| folder.write(&name, old));
            let before = contents(&folder);
            let message = folder.run_on_full_disk(0, &line).fails(5);
            assert_contains(&message, "cannot write the output to");
            assert_eq!(contents(&folder), before, "{line}");
        }
    }
}

/// A run that found no room is resumed when there is some.
#[test]
fn a_full_disk_in_an_evaluation() {
    let folder = folder();
    let line = COMPARE.replace("OUT", "out");
    for blocks in [0, 4] {
        assert_eq!(folder.run_on_full_disk(blocks, &line).code, Some(5), "{line}");
        let new = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "new");
        assert!(!contents(&folder).keys().any(new), "{line}: {:?}", contents(&folder).keys());
    }
    folder.run(&line).succeeds();
    assert!(folder.read("out/index.html").ends_with("</html>\n"));
}

/// A path below a file, a folder that is not there, a folder in the place of the file, a device
/// that is full. (Permissions are not tested: root may write in spite of them.)
#[test]
fn places_that_cannot_be_written() {
    for line in FILE_WRITERS.into_iter().chain([COMPARE]) {
        let folder = folder();
        let before = contents(&folder);
        for name in ["t.csv/out", "nowhere/out"] {
            // A folder is made with the folders above it.
            if line == COMPARE && name.starts_with("nowhere") {
                continue;
            }
            let (line, _) = to(line, name);
            let output = folder.run(&line);
            assert_eq!(output.code, Some(5), "{line}: {}", output.stderr);
            assert_contains(&output.message(), "cannot write");
            assert_eq!(contents(&folder), before, "{line}");
        }
    }
    let folder = folder();
    fs::create_dir(folder.path("a-folder")).unwrap();
    for line in FILE_WRITERS.into_iter().filter(|line| !line.contains("make")) {
        for name in ["/dev/full", "a-folder"] {
            let output = folder.run(&line.replace("OUT", name));
            assert_eq!(output.code, Some(5), "{line}: {}", output.stderr);
        }
    }
}

#[test]
fn a_full_stdout_is_an_error() {
    let folder = folder();
    for line in STDOUT_WRITERS {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let message = Outcome::of(line, folder.command(line).stdout(full)).fails(5);
        assert_contains(&message, "cannot write the output to stdout");
    }
}

/// As in `dpsis man | head -1`.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = folder();
    for line in STDOUT_WRITERS {
        let mut child = piped(&mut folder.command(line));
        drop(child.stdout.take());
        let output = Outcome::new(line, child.wait_with_output().unwrap()).succeeds();
        assert!(!output.stderr.contains("error"), "{line}: {}", output.stderr);
    }
    // A report that nobody reads withholds no release.
    let mut shell = Command::new("sh");
    let script = "exec \"$0\" select -k 1 --eps 1 t.csv 2>&-";
    shell.args(["-c", script, env!("CARGO_BIN_EXE_dpsis")]).current_dir(folder.path(""));
    assert_eq!(Outcome::of(script, &mut shell).succeeds().stdout.lines().count(), 1);
}

fn interrupt(child: &Child) {
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(sent.unwrap().success());
}

/// The same command with the default disposition of interrupts, where `env` can restore it: a shell
/// starts programs in the background with interrupts ignored.
fn with_interrupts(command: Command) -> Command {
    let restore = "--default-signal=INT";
    if !Command::new("env").args([restore, "true"]).output().is_ok_and(|o| o.status.success()) {
        return command;
    }
    let mut restored = Command::new("env");
    restored.arg(restore).arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        restored.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => restored.env(name, value),
            None => restored.env_remove(name),
        };
    }
    restored
}

/// Interrupted while it waits for the rest of its table: nothing is printed or written, and the
/// program ends by the signal, so a shell stops, too.
#[test]
fn an_interrupt_ends_a_run() {
    let folder = folder();
    let before = contents(&folder);
    for words in [
        "select -k 1 --eps 1 -o out -",
        "select -k 1 --eps 1 --format json -",
        "choose --eps 1 --sensitivity 1 -o out -",
        "inspect --write-schema out -",
        "bounds --clip 1sd -o out -",
    ] {
        let mut child = piped(&mut with_interrupts(folder.command(words)));
        let mut input = child.stdin.take().unwrap();
        let header =
            if words.starts_with("choose") { "name,score\na,1\n" } else { "a,b,y\n1,2,3\n" };
        input.write_all(header.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        interrupt(&child);
        // Where interrupts are ignored, the end of the input ends it.
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(10));
            drop(input);
        });
        let output = Outcome::new(words, child.wait_with_output().unwrap());
        assert_eq!(output.status.signal(), Some(2), "{words}: {}", output.stderr);
        assert_eq!(output.stdout, "", "{words}");
        assert_eq!(contents(&folder), before, "{words}");
    }
}

/// Killed or interrupted at any moment: the file is the old one or the whole new one.
#[test]
fn a_kill_leaves_the_old_file_or_the_new_one() {
    let folder = folder();
    let old = "the old file";
    for (words, is_whole) in [
        (
            FILE_WRITERS[1],
            (|text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok())
                as fn(&str) -> bool,
        ),
        (FILE_WRITERS[3], |text: &str| {
            text.starts_with("<!doctype html>") && text.ends_with("</html>\n")
        }),
        (FILE_WRITERS[8], |text: &str| text.lines().count() == 101 && text.ends_with('\n')),
    ] {
        let (words, name) = to(words, "out");
        let start = Instant::now();
        folder.run(&words).succeeds();
        let whole = start.elapsed();
        let (mut olds, mut news) = (0, 0);
        for round in 0..24 {
            folder.write(&name, old);
            let mut child = silent(&mut folder.command(&words));
            // Up to somewhat more than a whole run, in an order without a pattern.
            std::thread::sleep(whole * (round * 7 % 24) * 5 / 4 / 24);
            if round % 2 == 0 {
                child.kill().unwrap()
            } else {
                interrupt(&child)
            };
            child.wait().unwrap();
            let text = folder.read(&name);
            let is_old = text == old;
            assert!(is_old || is_whole(&text), "{words} {round}: {} bytes", text.len());
            if is_old { olds += 1 } else { news += 1 }
        }
        assert!(olds > 0, "{olds} {news}");
    }
}

/// An evaluation that was killed is resumed, and ends as if it had not been.
#[test]
fn a_killed_evaluation_is_resumed() {
    let words =
        "compare --eps 0.5,1,2,4 --k 1,2 --trials 20 --methods dp-sis,dp-sis:peel -o OUT t.csv";
    let folder = folder();
    folder.run(&words.replace("OUT", "whole")).succeeds();
    for round in 1..8 {
        let mut child = silent(&mut folder.command(&words.replace("OUT", "parts")));
        std::thread::sleep(Duration::from_millis(15 * round));
        if round % 2 == 0 {
            child.kill().unwrap()
        } else {
            interrupt(&child)
        };
        child.wait().unwrap();
    }
    folder.run(&words.replace("OUT", "parts")).succeeds();
    let [whole, parts] = ["whole", "parts"].map(|out| folder.read(&format!("{out}/compare.csv")));
    // Times differ between runs.
    assert_eq!(whole.lines().count(), parts.lines().count());
}
