//! Failures while the program writes, at every place where it does: no room on the disk, a folder
//! that cannot be written to, a reader that has left, an interrupt, a kill. A file is the old one
//! or the whole new one, and where the output is lost the exit code says so.
//!
//! The same for ledgers is in `ledger.rs`.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)] // in a test a panic is how a failure is said

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Commands that write one file, OUT.
const WRITERS: [&str; 9] = [
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

/// Commands that write a folder, OUT.
const FOLDERS: [&str; 1] = ["compare --eps 1 --k 1 --trials 2 --methods dp-sis -o OUT t.csv"];

/// Commands that write to stdout.
const TALKERS: [&str; 15] = [
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
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let row = |i: u32| format!("{},{},{}\n", i * 7 % 40, i * i % 31, i % 40);
        let rows: String = (0..200).map(row).collect();
        fs::write(folder.path().join("t.csv"), format!("age,dose,out\n{rows}")).unwrap();
        fs::write(folder.path().join("models.csv"), "name,score\na,10\nb,20\n").unwrap();
        let folder = Self(folder);
        assert!(folder.run("ledger create --cap 1 budget.txt").status.success());
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dpsis"));
        command.args(words.split_whitespace()).current_dir(self.0.path());
        command
    }

    fn run(&self, words: &str) -> Output {
        self.command(words).stdin(Stdio::null()).output().unwrap()
    }

    /// A run where no file can grow beyond a number of blocks, of 512 or 1024 bytes as the shell
    /// counts.
    fn run_with_room(&self, blocks: u32, words: &str) -> Output {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_dpsis")]);
        command.args(words.split_whitespace()).current_dir(self.0.path()).output().unwrap()
    }

    /// All files with their contents, those of folders too.
    fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        gather(self.0.path(), &mut all);
        all
    }
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

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name of the file that a command is to write; that of a table says its form.
fn to(words: &str, name: &str) -> String {
    let ending = if words.contains("make") { ".csv" } else { "" };
    words.replace("OUT", &format!("{name}{ending}"))
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    for words in WRITERS {
        for old in [None, Some("what was there")] {
            // A schema is never replaced.
            if old.is_some() && words.starts_with("inspect") {
                continue;
            }
            let folder = Folder::new();
            let words = to(words, "out");
            let name = words.split_whitespace().find(|word| word.starts_with("out")).unwrap();
            if let Some(old) = old {
                fs::write(folder.path(name), old).unwrap();
            }
            let before = folder.contents();
            let output = folder.run_with_room(0, &words);
            assert_eq!(output.status.code(), Some(5), "{words}: {}", said(&output));
            assert!(said(&output).contains("cannot write the output to"), "{}", said(&output));
            assert!(output.stdout.is_empty(), "{words}");
            assert_eq!(folder.contents(), before, "{words}");
        }
    }
}

/// A run that found no room is resumed when there is some.
#[test]
fn a_full_disk_in_an_evaluation() {
    for words in FOLDERS {
        let folder = Folder::new();
        let words = words.replace("OUT", "out");
        for blocks in [0, 4] {
            let output = folder.run_with_room(blocks, &words);
            assert_eq!(output.status.code(), Some(5), "{words}: {}", said(&output));
            let new = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "new");
            assert!(!folder.contents().keys().any(new), "{words}: {:?}", folder.contents().keys());
        }
        let output = folder.run(&words);
        assert_eq!(output.status.code(), Some(0), "{words}: {}", said(&output));
        assert!(fs::read_to_string(folder.path("out/index.html")).unwrap().ends_with("</html>\n"));
    }
}

/// A path below a file, a folder that is not there, a folder in the place of the file, a device
/// that is full. (Root may write where permissions forbid it, so that they say nothing here.)
#[test]
fn places_that_cannot_be_written() {
    for words in WRITERS.into_iter().chain(FOLDERS) {
        let folder = Folder::new();
        let before = folder.contents();
        let mut names = vec!["t.csv/out"];
        if !FOLDERS.contains(&words) {
            names.push("nowhere/out");
        }
        for name in names {
            let words = to(words, name);
            let output = folder.run(&words);
            assert_eq!(output.status.code(), Some(5), "{words}: {}", said(&output));
            assert!(said(&output).contains("cannot write"), "{words}: {}", said(&output));
            assert_eq!(folder.contents(), before, "{words}");
        }
    }
    let folder = Folder::new();
    for words in WRITERS.into_iter().filter(|words| !words.contains("make")) {
        let output = folder.run(&words.replace("OUT", "/dev/full"));
        assert_eq!(output.status.code(), Some(5), "{words}: {}", said(&output));
        fs::create_dir_all(folder.path("a-folder")).unwrap();
        let output = folder.run(&words.replace("OUT", "a-folder"));
        assert_eq!(output.status.code(), Some(5), "{words}: {}", said(&output));
    }
}

#[test]
fn a_full_stdout_is_an_error() {
    let folder = Folder::new();
    for words in TALKERS {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = folder.command(words).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(5), "{words}: {}", said(&output));
        assert!(said(&output).contains("cannot write the output to stdout"), "{}", said(&output));
    }
}

/// As in `dpsis man | head -1`.
#[test]
fn a_reader_that_has_left_is_no_error() {
    let folder = Folder::new();
    for words in TALKERS {
        let mut child = folder.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.as_mut().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{words}: {said}");
        assert!(!said.contains("panicked") && !said.contains("error"), "{words}: {said}");
    }
    // A report that nobody reads withholds no release.
    let script = "exec \"$0\" select -k 1 --eps 1 t.csv 2>&-";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_dpsis")])
        .current_dir(folder.0.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
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

/// Interrupted while it waits for the rest of its table: nothing is printed or left, and the shell
/// is told.
#[test]
fn an_interrupt_ends_a_run() {
    let folder = Folder::new();
    let before = folder.contents();
    for words in [
        "select -k 1 --eps 1 -o out -",
        "select -k 1 --eps 1 --format json -",
        "choose --eps 1 --sensitivity 1 -o out -",
        "inspect --write-schema out -",
        "bounds --clip 1sd -o out -",
    ] {
        let mut command = with_interrupts(folder.command(words));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
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
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(2), "{words}: {}", said(&output));
        assert!(output.stdout.is_empty(), "{words}");
        assert_eq!(folder.contents(), before, "{words}");
    }
}

/// Killed or interrupted at any moment: the file is the old one or the whole new one.
#[test]
fn a_kill_leaves_the_old_file_or_the_new_one() {
    let folder = Folder::new();
    let old = "what was there";
    for (words, is_whole) in [
        (
            WRITERS[1],
            (|text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok())
                as fn(&str) -> bool,
        ),
        (WRITERS[3], |text: &str| {
            text.starts_with("<!doctype html>") && text.ends_with("</html>\n")
        }),
        (WRITERS[8], |text: &str| text.lines().count() == 101 && text.ends_with('\n')),
    ] {
        let words = to(words, "out");
        let name = words.split_whitespace().find(|word| word.starts_with("out")).unwrap();
        let start = Instant::now();
        assert_eq!(folder.run(&words).status.code(), Some(0));
        let whole = start.elapsed();
        let (mut olds, mut news) = (0, 0);
        for round in 0..24 {
            fs::write(folder.path(name), old).unwrap();
            let mut child =
                folder.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            // Up to somewhat more than a whole run, in an order without a pattern.
            std::thread::sleep(whole * (round * 7 % 24) * 5 / 4 / 24);
            if round % 2 == 0 {
                child.kill().unwrap()
            } else {
                interrupt(&child)
            };
            child.wait().unwrap();
            let text = fs::read_to_string(folder.path(name)).unwrap();
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
    let folder = Folder::new();
    assert_eq!(folder.run(&words.replace("OUT", "whole")).status.code(), Some(0));
    for round in 1..8 {
        let mut command = folder.command(&words.replace("OUT", "parts"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(15 * round));
        if round % 2 == 0 {
            child.kill().unwrap()
        } else {
            interrupt(&child)
        };
        child.wait().unwrap();
    }
    let output = folder.run(&words.replace("OUT", "parts"));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let cells = |of: &str| {
        let text = fs::read_to_string(folder.path(of).join("compare.csv")).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    // The seconds of a cell are its own.
    assert_eq!(cells("whole").len(), cells("parts").len());
}
