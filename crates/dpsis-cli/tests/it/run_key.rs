//! Run keys: a repeated call is charged once, even if the first one is killed.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Folder, assert_contains, assert_contains_all, one_line, piped};
use crate::ledger::{balance, refused};
use dpsis_mechanisms::support::effort::exhaustive;

/// A folder with a ledger of cap 2000, candidates and a table.
fn folder() -> Folder {
    let models = "name,score\nlasso,0.8125\nridge,0.79\nforest,0.871\nnet,0.86\n";
    let folder = Folder::new().with("models.csv", models);
    folder.table("table.csv", "age,dose,out", 2000, |i| {
        format!("{},{},{}", i * 7 % 40, i * i % 31, i % 40)
    });
    folder.run("ledger create --cap 2000 --name pilot budget.txt").succeeds();
    folder
}

/// The files in the folder of runs with this ending.
fn kept(folder: &Folder, ending: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(folder.path("budget.txt.runs")).unwrap().flatten();
    let paths = all.map(|entry| entry.path());
    paths.filter(|path| path.to_str().unwrap().ends_with(ending)).collect()
}

const CHOOSE: &str = "choose --sensitivity 0.01 --eps 1 --ledger budget.txt models.csv --run-key";
const SELECT: &str = "select -k 1 --target-number --eps 1 --ledger budget.txt table.csv --run-key";
const FIT: &str = "fit --features age --bounds 0,40 --target-bounds 0,40 --eps 1 --ledger budget.txt table.csv --run-key";

#[test]
fn repeated_calls_return_the_release() {
    let folder = folder();
    for (place, (line, format)) in
        [(SELECT, "--format json"), (CHOOSE, "--format json"), (FIT, "")].into_iter().enumerate()
    {
        let line = format!("{line} 'key {place}' {format}");
        let first = folder.run(&line).succeeds();
        let before = folder.read("budget.txt");
        let again = folder.run(&line).succeeds();
        assert_eq!((&again.stdout, &again.stderr), (&first.stdout, &first.stderr), "{line}");
        // The format, the output and the note are not part of the request.
        folder.run(&format!("{line} --quiet --ledger-note late -o out{place}")).succeeds();
        assert_eq!(folder.read(&format!("out{place}")), first.stdout);
        assert_eq!(folder.read("budget.txt"), before);
        assert_eq!(balance(&folder).entries.len(), place + 1);
        // Another request under the key.
        for other in ["--neighbors replace-one", "--eps 2"] {
            let line = match other.strip_prefix("--eps") {
                Some(epsilon) => line.replace("--eps 1", &format!("--eps{epsilon}")),
                None => format!("{line} {other}"),
            };
            assert_contains(&refused(&folder, &line, 2), "belongs to another request");
        }
    }
    // The table is not read again; another file is another request.
    let key = format!("{SELECT} 'key 0'");
    let names = folder.run(&key).succeeds().stdout;
    folder.write("table.csv", "age,dose,out\n");
    assert_eq!(folder.run(&key).succeeds().stdout, names);
    let other = key.replace("table.csv", "models.csv");
    assert_contains(&refused(&folder, &other, 2), "belongs to another request");
    // Nothing is left, and the ledger is closed.
    folder.run("ledger close budget.txt").succeeds();
    assert_eq!(folder.run(&key).succeeds().stdout, names);
    assert_eq!(balance(&folder).spent(), "3");

    let shown = one_line(&folder.run("ledger show budget.txt").succeeds().stdout);
    assert_contains_all(&shown, &["select, run key key 0", "choose, run key key 1"]);
    let json = folder.run("ledger show --format json budget.txt").json();
    assert_eq!(json["entries"][2]["run_key"], "key 2");
    assert_eq!(json["entries"][2].get("record"), None);
    let page = folder.run("ledger show --format html budget.txt").succeeds().stdout;
    assert_contains_all(&page, &["run key", "key 2"]);
    // The kept record is a record.
    let file = kept(&folder, ".json").remove(0);
    folder.run(&format!("report -o page.html {}", file.display())).succeeds();
}

#[test]
fn run_keys_need_a_ledger() {
    let folder = folder();
    for line in [SELECT, CHOOSE, FIT] {
        let without = line.replace("--ledger budget.txt", "");
        folder.refuses(&[(format!("{without} a"), 2, "--ledger")]);
        refused(&folder, &format!("{line} ''"), 2);
        refused(&folder, &format!("{line} 'a\u{2028}b'"), 2);
    }
    assert!(!folder.has("budget.txt.runs"));
    folder.run(&format!("{SELECT} a --dry-run")).succeeds();
    assert!(balance(&folder).entries.is_empty());
}

/// A dry run is checked against the entry of the run key.
#[test]
fn dry_runs_see_the_run_key() {
    let folder = Folder::new();
    folder.table("table.csv", "age,dose,out", 2000, |i| {
        format!("{},{},{}", i * 7 % 40, i * i % 31, i % 40)
    });
    folder.run("ledger create --cap 1 budget.txt").succeeds();
    folder.run(&format!("{SELECT} a --dry-run")).succeeds();
    folder.run(&format!("{SELECT} a -o out.txt")).succeeds();
    // Nothing is left, and the repeated call needs nothing.
    for line in [format!("{SELECT} a"), format!("{SELECT} a --dry-run")] {
        folder.run(&line).succeeds();
    }
    folder.run(&format!("{SELECT} b --dry-run")).fails(4);
    for dry in ["", "--dry-run"] {
        let other = format!("{SELECT} a --neighbors replace-one {dry}");
        assert_contains(&folder.run(&other).fails(2), "belongs to another request");
    }
}

/// The stages of a release from parts, under one key.
#[test]
fn releases_from_parts_have_run_keys() {
    let folder = folder();
    let release = "select -k 1 --eps 2 --ledger budget.txt --run-key nightly --partials";
    let part = "partial --part 1/1 --bounds 0,40 table.csv";
    folder.run(&format!("{part} -o 1.counts")).succeeds();
    let median = folder.run(&format!("{release} 1.counts")).succeeds().stdout;
    folder.run(&format!("{release} 1.counts -o median.txt")).succeeds();
    assert_eq!(folder.read("median.txt"), median);
    folder.run(&format!("{part} --released median.txt -o 1.sums")).succeeds();
    let names = folder.run(&format!("{release} 1.sums")).succeeds().stdout;
    assert_eq!(folder.run(&format!("{release} 1.sums")).succeeds().stdout, names);
    let other = refused(&folder, &format!("{release} 1.counts --direction"), 2);
    assert_contains(&other, "belongs to another request");
    assert_eq!((balance(&folder).spent().as_str(), balance(&folder).entries.len()), ("2", 2));
}

#[test]
fn missing_and_edited_records_are_refused() {
    let folder = folder();
    let line = format!("{CHOOSE} a");
    folder.run(&line).succeeds();
    let file = kept(&folder, ".json").remove(0);
    let record = fs::read_to_string(&file).unwrap();
    fs::write(&file, record.replacen("\"name\": \"", "\"name\": \"my ", 1)).unwrap();
    assert_contains(&refused(&folder, &line, 3), "was changed");
    fs::remove_file(&file).unwrap();
    assert_contains(&refused(&folder, &line, 5), "cannot be read");
    fs::write(&file, record).unwrap();
    folder.run(&line).succeeds();
    // An older copy of the ledger.
    let older = folder.read("budget.txt");
    folder.write("budget.txt", &older[..older.find("1: ").unwrap()]);
    assert_contains(&refused(&folder, &line, 3), "has no entry for it");
    assert_eq!(balance(&folder).entries.len(), 0);
}

fn started(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Thirty processes with one key: one is charged, and all print its release.
#[test]
fn racing_processes_charge_once() {
    for line in [CHOOSE, SELECT] {
        let folder = folder();
        let line = format!("{line} race --format json");
        let all: Vec<Child> = (0..30).map(|_| started(folder.command(&line))).collect();
        let mut printed: Vec<Vec<u8>> = all
            .into_iter()
            .map(|child| {
                let output = child.wait_with_output().unwrap();
                let message = String::from_utf8_lossy(&output.stderr);
                assert_eq!(output.status.code(), Some(0), "{message}");
                output.stdout
            })
            .collect();
        printed.dedup();
        assert_eq!(printed.len(), 1, "{line}");
        assert_eq!(balance(&folder).entries.len(), 1, "{line}");
    }
}

/// Killed while it waits for the rest of its table, after the charge: the call is refused from then
/// on, and nothing more is charged. A call that waits for it ends, too.
#[cfg(unix)]
#[test]
fn a_run_killed_after_its_charge_is_not_made_again() {
    let folder = folder();
    let line = format!("{SELECT} killed").replace("table.csv", "-");
    let mut first = piped(&mut folder.command(&line));
    let mut input = first.stdin.take().unwrap();
    input.write_all(b"age,dose,out\n1,2,3\n").unwrap();
    let start = Instant::now();
    while balance(&folder).entries.is_empty() {
        assert!(start.elapsed() < Duration::from_secs(60), "no charge");
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut waiting = folder.command(&line);
    waiting.stdin(Stdio::null());
    let waiting = started(waiting);
    std::thread::sleep(Duration::from_millis(100));
    first.kill().unwrap();
    assert!(first.wait_with_output().unwrap().stdout.is_empty());
    let output = waiting.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(2), true));
    let message = refused(&folder, &line, 2);
    assert_contains_all(&message, &["no record of it was kept (entry 1", "another run key"]);
    assert!(balance(&folder).entries[0].is_open());
    drop(input);
    // Another key is another run.
    let again = line.replace("killed", "again").replace(" - ", " table.csv ");
    folder.run(&again).succeeds();
    assert_eq!(balance(&folder).entries.len(), 2);
}

/// A run that fails is not repeated under its key.
#[test]
fn a_failed_run_is_not_made_again() {
    let folder = folder();
    folder.write("table.csv", "age,dose,out\n1,2,3\n4,5\n");
    let line = format!("{SELECT} failed");
    folder.run(&line).fails(3);
    folder.write("table.csv", "age,dose,out\n1,2,3\n4,5,6\n");
    let message = refused(&folder, &line, 2);
    assert_contains(&message, "failed and stays charged (entry 1 of the ledger): input");
}

/// Kills between two steps after the draw, by the files that they leave.
#[test]
fn every_step_of_a_kill_has_one_outcome() {
    let line = format!("{CHOOSE} a --format json");
    // The hash of the record is not in the ledger yet.
    let folder = folder();
    let first = folder.run(&line).succeeds().stdout;
    let file = kept(&folder, ".json").remove(0);
    let new = file.with_extension("json.new");
    let whole = folder.read("budget.txt");
    let ended = whole.find("ended 1").unwrap();
    fs::rename(&file, &new).unwrap();
    for end in [ended, ended + 3, ended + "ended 1: released".len(), whole.len() - 2] {
        folder.write("budget.txt", &whole[..end]);
        refused(&folder, &line, 2);
    }
    // It is, and the record is not renamed yet.
    folder.write("budget.txt", &whole);
    assert_eq!(folder.run(&line).succeeds().stdout, first);
    assert!(file.exists() && !new.exists());
    // The record was kept, and nothing was printed.
    assert_eq!(folder.run(&line).succeeds().stdout, first);
    assert_eq!(balance(&folder).entries.len(), 1);
}

/// Killed at any moment and repeated: one charge at most, and all that was printed is one release.
#[cfg(unix)]
#[test]
fn killed_and_repeated_calls_are_charged_once() {
    let folder = folder();
    let start = Instant::now();
    folder.run(&format!("{CHOOSE} first")).succeeds();
    let whole = start.elapsed().as_micros() as u64;
    let rounds = if exhaustive() { 1000 } else { 40 };
    let (mut returned, mut refused, mut charged_now) = (0, 0, 0);
    for round in 0..rounds {
        let line = format!("{CHOOSE} 'round {round}'");
        let mut child = started(folder.command(&line));
        // From nothing to somewhat more than a whole run, in an order without a pattern.
        std::thread::sleep(Duration::from_micros(whole * (round * 17 % rounds) / rounds * 5 / 4));
        child.kill().unwrap();
        let printed = child.wait_with_output().unwrap().stdout;
        let before = balance(&folder).entries.len();
        let again = folder.run(&line);
        let entries = balance(&folder).entries;
        let key = Some(format!("round {round}"));
        let charges = entries.iter().filter(|entry| entry.run_key == key).count();
        match again.code {
            Some(0) => {
                assert_eq!(charges, 1, "{round}");
                let same = printed.is_empty() || printed == again.stdout.as_bytes();
                assert!(same, "{round}");
                if entries.len() > before { charged_now += 1 } else { returned += 1 }
            }
            Some(2) => {
                assert_eq!((charges, entries.len()), (1, before), "{round}");
                assert!(printed.is_empty() && again.stdout.is_empty(), "{round}");
                refused += 1;
            }
            code => panic!("{round}: {code:?} {}", again.stderr),
        }
    }
    assert!(charged_now > 0, "{returned} {refused} {charged_now}");
}
