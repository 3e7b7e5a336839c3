//! `dpsis ledger`, and releases charged to a ledger: races, kills, full disks.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Folder, assert_contains, assert_contains_all, assert_lacks, one_line};
use dpsis::{Balance, Ledger, LedgerTerms};
use dpsis_mechanisms::support::effort::exhaustive;

/// A folder with a ledger of cap 1, candidates and a table.
fn folder() -> Folder {
    let models = "name,score\nlasso,0.8125\nridge,0.79\nforest,0.871\nnet,0.86\n";
    let folder = Folder::new().with("models.csv", models);
    folder.table("table.csv", "age,dose,out", 200, |i| {
        format!("{},{},{}", i * 7 % 40, i * i % 31, i % 40)
    });
    create(&folder, "1");
    folder
}

/// Makes a new ledger in the place of one that may be there.
fn create(folder: &Folder, cap: &str) {
    let _ = fs::remove_file(folder.path("budget.txt"));
    folder.run(&format!("ledger create --cap {cap} --name pilot budget.txt")).succeeds();
}

/// The balance of the ledger in a folder.
pub(crate) fn balance(folder: &Folder) -> Balance {
    Ledger::open(folder.path("budget.txt")).unwrap().read().unwrap()
}

/// The message of a run that is refused with this code: nothing on stdout, nothing in the ledger.
#[track_caller]
pub(crate) fn refused(folder: &Folder, line: &str, code: i32) -> String {
    let before = folder.read("budget.txt");
    let message = folder.run(line).fails(code);
    assert_eq!(folder.read("budget.txt"), before, "{line}");
    message
}

const CHOOSE: &str = "choose --sensitivity 0.01 --ledger budget.txt models.csv --eps";
const SELECT: &str = "select -k 1 --target-number --ledger budget.txt table.csv --eps";

/// A folder in the place of a file is noticed before the charge.
#[test]
fn folders_cost_nothing() {
    let folder = folder();
    fs::create_dir(folder.path("empty")).unwrap();
    for line in [
        format!("{SELECT} 0.5 --target-file empty"),
        format!("{SELECT} 0.5 --bounds-file empty"),
        format!("{CHOOSE} 0.5").replace("models.csv", "empty"),
    ] {
        assert_contains(&refused(&folder, &line, 5), "empty: is a directory");
    }
}

#[test]
fn releases_are_charged_until_the_cap_is_reached() {
    let folder = folder();
    let report = folder.run(&format!("{SELECT} 0.5 --ledger-note first")).succeeds().message();
    assert_contains(&report, "ledger pilot: spent 0.5 of 1, 0.5 left");
    let json = folder.run(&format!("{CHOOSE} 1/4 --format json")).json();
    let expected = serde_json::json!(
        {"name": "pilot", "entry": 2, "cap": "1", "spent": "0.75", "left": "0.25"}
    );
    assert_eq!(json["ledger"], expected);
    assert!(json["run"]["request"].as_str().unwrap().contains("--ledger FILE"));
    for release in [CHOOSE, SELECT] {
        let printed = refused(&folder, &format!("{release} 0.2500001"), 4);
        assert_contains(&printed, "the ledger has 0.25 left of 1");
        // Before the data are read: the file need not even be there.
        let release = release.replace("models.csv", "none.csv").replace("table.csv", "none.csv");
        refused(&folder, &format!("{release} 0.2500001"), 4);
    }
    folder.run(&format!("{CHOOSE} 0.25")).succeeds();
    let balance = balance(&folder);
    assert_eq!((balance.spent(), balance.left()), ("1".into(), "0".into()));
    let commands: Vec<_> =
        balance.entries.iter().map(|entry| entry.command.as_deref().unwrap()).collect();
    assert_eq!(commands, ["select", "choose", "choose"]);
    assert_eq!(balance.entries[0].note, "first");
}

/// The HTML page shows the ledger; without a ledger, the record does not mention one.
#[test]
fn records_show_the_ledger() {
    let folder = folder();
    let page = folder.run(&format!("{SELECT} 0.5 --format html")).succeeds().stdout;
    assert_contains(&one_line(&page), "pilot: spent 0.5 of 1, 0.5 left");
    let json = folder.run("select -k 1 --eps 1 --format json table.csv").json();
    assert_eq!(json.get("ledger"), None);
}

#[test]
fn runs_without_a_release_do_not_spend() {
    let folder = folder();
    refused(&folder, &format!("{SELECT} 0.5 --seed 1"), 2);
    // A rehearsal is refused as the run would be, and spends nothing.
    let before = folder.read("budget.txt");
    folder.run(&format!("{SELECT} 0.5 --dry-run")).succeeds();
    refused(&folder, &format!("{SELECT} 9 --dry-run"), 4);
    refused(&folder, &format!("{} 0.5 --dry-run", SELECT.replace("--target-number ", "")), 2);
    assert_eq!(folder.read("budget.txt"), before);
    for more in ["--seed 1", "--trials 3", "--advise", "--mechanism sis --not-private"] {
        refused(&folder, &format!("{CHOOSE} 0.5 {more}"), 2);
    }
    refused(&folder, "choose --eps 1 --sensitivity 1 --ledger-note a models.csv", 2);
}

/// A request that does not fit public facts spends nothing.
#[test]
fn wrong_requests_do_not_spend() {
    let folder = folder();
    for more in
        ["--target nothing", "--k 3", "--neighbors replace-one", "-o budget.txt", "--bounds 1,0"]
    {
        refused(&folder, &format!("{SELECT} 0.5 {more}").replace("-k 1", "-k 2"), 2);
    }
    for more in ["-k 5", "--neighbors replace-one", "--mechanism em -k 2", "--name-column x"] {
        refused(&folder, &format!("{CHOOSE} 0.5 {more}"), 2);
    }
    refused(&folder, &format!("{SELECT} 0.5 --ledger-note 'a\u{2028}b'"), 2);
    refused(&folder, &format!("{SELECT} 0.5").replace("budget.txt", "models.csv"), 3);
    refused(&folder, &format!("{SELECT} 0.5").replace("budget.txt", "none.txt"), 5);
    refused(&folder, &format!("{SELECT} 0.5").replace("table.csv", "none.csv"), 5);
}

/// Malformed data are detected after the charge, and the budget stays spent.
#[test]
fn a_failed_release_stays_spent() {
    let folder = folder();
    folder.write("table.csv", "age,dose,out\n1,2,3\n1,2\n");
    folder.write("models.csv", "name,score\na,1\nb,S3CR3T\n");
    for release in [SELECT, CHOOSE] {
        folder.run(&format!("{release} 0.25")).fails(3);
    }
    let balance = balance(&folder);
    assert_eq!(balance.left(), "0.5");
    assert!(balance.entries.iter().all(|entry| entry.failed.as_deref() == Some("input")));
    assert_lacks(&folder.read("budget.txt"), "S3CR3T");
}

/// Standard input can be read only once: the ledger is charged first.
#[cfg(unix)]
#[test]
fn releases_of_standard_input_are_charged() {
    let folder = folder();
    for (release, file) in [(SELECT, "table.csv"), (CHOOSE, "models.csv")] {
        let line = format!("{release} 0.25").replace(file, "-");
        folder.pipe(&line, folder.read(file)).succeeds();
    }
    assert_eq!(balance(&folder).left(), "0.5");
}

#[test]
fn a_ledger_is_created_and_shown() {
    let folder = folder();
    refused(&folder, "ledger create --cap 2 budget.txt", 5);
    for wrong in ["--cap 0 a.txt", "--cap two a.txt", "a.txt", "--cap 1 --neighbors x a.txt"] {
        refused(&folder, &format!("ledger create {wrong}"), 2);
    }
    folder.run(&format!("{CHOOSE} 1/3 --ledger-note models")).succeeds();
    let shown = folder.run("ledger show budget.txt").stdout;
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(
        lines[..5],
        [
            "ledger     pilot",
            "cap        1",
            "spent      1/3",
            "left       2/3",
            "for        adding or removing one row; delta 0"
        ]
    );
    assert!(lines[5].starts_with("1          epsilon 1/3, 20"), "{shown}");
    assert!(lines[5].ends_with("Z, choose, models"), "{shown}");
    let json = folder.run("ledger show --format json budget.txt").json();
    assert_eq!((&json["cap"], &json["left"]), (&"1".into(), &"2/3".into()));
    assert_eq!(json["entries"][0]["command"], "choose");
    refused(&folder, "ledger show models.csv", 3);
    refused(&folder, "ledger show none.txt", 5);

    let options = "--cap 1 --neighbors replace-one --privacy-unit unit";
    folder.run(&format!("ledger create {options} other.txt")).succeeds();
    let other = |words: &str| words.replace("budget", "other") + " 0.5 --neighbors replace-one";
    folder.run(&other(SELECT)).fails(2);
    let report = folder.run(&other(CHOOSE)).succeeds().message();
    assert_contains(&report, " ledger spent 0.5 of 1, 0.5 left");
}

/// A custodian signs off, looks, notes and closes; earlier entries stay unchanged.
#[test]
fn a_ledger_is_kept_and_closed() {
    let folder = folder();
    folder.remove("budget.txt");
    folder.run("ledger create --cap 1 --note 'a\nb' budget.txt").fails(2);
    assert!(!folder.has("budget.txt"));
    folder.run("ledger create --cap 1 --note 'signed off by <the> board' budget.txt").succeeds();
    let mut before = folder.read("budget.txt");
    let mut appended = |words: &str| {
        folder.run(words).succeeds();
        let after = folder.read("budget.txt");
        assert!(after.starts_with(&before), "{words}");
        let lines = after[before.len()..].to_owned();
        before = after;
        lines
    };
    assert!(appended(&format!("{CHOOSE} 0.25")).ends_with("choose\nended 1: released\n"));
    assert!(appended("ledger note budget.txt second").ends_with("Z: second\n"));
    // The ledger after a run that was stopped after its charge.
    let stopped = Ledger::open(folder.path("budget.txt")).unwrap();
    stopped.spend(&dpsis::Expense::new("0.5".parse().unwrap(), "select")).unwrap();
    assert!(appended("ledger close --note over budget.txt").ends_with("Z: over\n"));
    for release in [CHOOSE, SELECT] {
        let printed = refused(&folder, &format!("{release} 0.125"), 4);
        assert_contains(&printed, "the ledger is closed");
    }
    refused(&folder, &format!("{SELECT} 0.125 --dry-run"), 4);
    refused(&folder, "ledger close budget.txt", 2);
    refused(&folder, "ledger note budget.txt", 2);
    for command in ["close none.txt", "note none.txt a"] {
        refused(&folder, &format!("ledger {command}"), 5);
    }
    refused(&folder, "ledger close models.csv", 3);
    assert!(appended("ledger note budget.txt archived").ends_with("Z: archived\n"));

    let shown = one_line(&folder.run("ledger show budget.txt").stdout);
    assert_contains_all(
        &shown,
        &["no recorded end; counts as spent", ", signed off by <the> board note", "Z, over"],
    );
    let json = folder.run("ledger show --format json budget.txt").json();
    let released: Vec<_> =
        json["entries"].as_array().unwrap().iter().map(|entry| &entry["released"]).collect();
    assert_eq!(released, [true, false]);
    assert_eq!(
        (&json["notes"][1]["text"], &json["closed"]["text"]),
        (&"second".into(), &"over".into())
    );
    let page = folder.run("ledger show --format html budget.txt").stdout;
    assert_contains_all(
        &page,
        &[
            "0.25 OF 1 LEFT",
            ">CLOSED<",
            "1 run did not report an end (number 2)",
            "signed off by &lt;the&gt; board",
            "<li><span class=\"key p0\"></span>choose: 0.25 (25%)</li>",
            "select: 0.5 (50%)",
        ],
    );
    for fetch in ["http", "src=", "url(", "<script", "<the>"] {
        assert_lacks(&page, fetch);
    }
}

fn started(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// Rounds of a race: a few; a thousand in `.ci/full`.
fn rounds() -> usize {
    if exhaustive() { 1000 } else { 30 }
}

#[test]
fn exactly_one_of_two_processes_gets_the_last_budget() {
    let folder = folder();
    for round in 0..rounds() {
        folder.remove("budget.txt");
        let terms = LedgerTerms::new("1".parse().unwrap());
        Ledger::create(folder.path("budget.txt"), terms).unwrap();
        let both = [CHOOSE, CHOOSE].map(|words| started(folder.command(&format!("{words} 1"))));
        let mut codes = both.map(|child| {
            let output = child.wait_with_output().unwrap();
            let code = output.status.code().unwrap();
            assert_eq!(output.stdout.is_empty(), code == 4, "{round}");
            code
        });
        codes.sort_unstable();
        assert_eq!(codes, [0, 4], "{round}");
        assert_eq!(balance(&folder).entries.len(), 1, "{round}");
    }
}

/// At any moment of a kill: a printed release is in the ledger, which opens.
#[cfg(unix)]
#[test]
fn printed_releases_of_killed_runs_are_charged() {
    let folder = folder();
    create(&folder, "1000");
    let words = format!("{CHOOSE} 1");
    // The time of a whole run.
    let start = Instant::now();
    folder.run(&words).succeeds();
    let whole = start.elapsed().as_micros() as u64;
    let (mut printed, mut silent, mut killed) = (1, 0, 0);
    let rounds = 4 * rounds() as u64 / 3;
    for round in 0..rounds {
        let mut child = started(folder.command(&words));
        // From nothing to somewhat more than a whole run, in an order without a pattern.
        std::thread::sleep(Duration::from_micros(whole * (round * 17 % rounds) / rounds * 5 / 4));
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        killed += usize::from(output.status.code().is_none());
        if output.stdout.is_empty() {
            silent += 1
        } else {
            printed += 1
        }
        let entries = balance(&folder).entries.len();
        assert!(entries >= printed, "{round}: {entries} entries, {printed} printed");
    }
    assert!(killed > 0 && silent > 0, "{killed} {silent}");
    assert!(balance(&folder).entries.len() <= printed + silent);
    folder.run(&words).succeeds();
}

/// A file that cannot grow simulates a full disk: the entry is not written, and nothing is
/// released.
#[cfg(unix)]
#[test]
fn a_full_disk_releases_nothing() {
    let folder = folder();
    // Blank lines leave so little room below the limit that an entry is begun and not ended.
    let entry = folder.read("budget.txt");
    let before = format!("{entry}{}", "\n".repeat(2024 - entry.len()));
    // Shells count in blocks of 512 or 1024 bytes; with the wrong one of them the limit is twice as
    // large.
    for block in [512, 1024] {
        folder.write("budget.txt", &before);
        let output = folder.run_on_full_disk(2048 / block, &format!("{CHOOSE} 0.1"));
        if output.code == Some(0) {
            continue;
        }
        assert_contains(&output.fails(5), "cannot use the ledger");
        // A charge that was begun is undone.
        assert_eq!(folder.read("budget.txt"), before);
        return;
    }
    unreachable!("one of the limits is that of the shell");
}

/// The same for devices and files that cannot be written.
#[cfg(unix)]
#[test]
fn a_ledger_that_cannot_be_written_releases_nothing() {
    let folder = folder();
    for device in ["/dev/full", "/dev/null", "/dev/zero", "."] {
        let line = format!("{CHOOSE} 0.1").replace("budget.txt", device);
        refused(&folder, &line, 5);
    }
    let path = folder.path("budget.txt");
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    for release in [CHOOSE, SELECT] {
        let printed = refused(&folder, &format!("{release} 0.1"), 5);
        assert_contains(&printed, "permission denied");
    }
    folder.run("ledger show budget.txt").succeeds();
}
