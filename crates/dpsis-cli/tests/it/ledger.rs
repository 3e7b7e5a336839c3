//! `dpsis ledger`, and releases that a ledger pays for: races, kills, full disks.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::support::effort::exhaustive;
use dpsis::{Balance, Ledger, LedgerTerms};

const MODELS: &str = "name,score\nlasso,0.8125\nridge,0.79\nforest,0.871\nnet,0.86\n";

/// A folder with a ledger of cap 1, candidates and a table.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.create("1");
        fs::write(folder.path("models.csv"), MODELS).unwrap();
        let row = |i: u32| format!("{},{},{}\n", i * 7 % 40, i * i % 31, i % 40);
        let rows: String = (0..200).map(row).collect();
        fs::write(folder.path("table.csv"), format!("age,dose,out\n{rows}")).unwrap();
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
        self.command(words).output().unwrap()
    }

    fn create(&self, cap: &str) {
        let output = self.run(&format!("ledger create --cap {cap} --name pilot budget.txt"));
        assert_eq!(output.status.code(), Some(0), "{}", flat(&output.stderr));
    }

    fn balance(&self) -> Balance {
        Ledger::open(self.path("budget.txt")).unwrap().read().unwrap()
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path("budget.txt")).unwrap()
    }

    /// A run that is refused with this code: nothing on stdout, nothing in the ledger.
    fn refused(&self, words: &str, code: i32) -> String {
        let before = self.text();
        let output = self.run(words);
        let said = flat(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words}: {said}");
        assert!(output.stdout.is_empty(), "{words}");
        assert_eq!(self.text(), before, "{words}");
        said
    }
}

/// Words with one blank between them: lines are wrapped.
fn flat(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const CHOOSE: &str = "choose --sensitivity 0.01 --ledger budget.txt models.csv --eps";
const SELECT: &str = "select -k 1 --target-number --ledger budget.txt table.csv --eps";

#[test]
fn releases_are_paid_for_until_the_cap_is_reached() {
    let folder = Folder::new();
    let output = folder.run(&format!("{SELECT} 0.5 --ledger-note first"));
    let report = flat(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert!(report.contains("ledger pilot: spent 0.5 of 1, 0.5 left"), "{report}");
    let output = folder.run(&format!("{CHOOSE} 1/4 --format json"));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected = serde_json::json!(
        {"name": "pilot", "entry": 2, "cap": "1", "spent": "0.75", "left": "0.25"}
    );
    assert_eq!(json["ledger"], expected);
    assert!(json["run"]["request"].as_str().unwrap().contains("--ledger FILE"));
    for release in [CHOOSE, SELECT] {
        let said = folder.refused(&format!("{release} 0.2500001"), 4);
        assert!(said.contains("the ledger has 0.25 left of 1"), "{said}");
        // Before the data are read: the file need not even be there.
        let release = release.replace("models.csv", "none.csv").replace("table.csv", "none.csv");
        folder.refused(&format!("{release} 0.2500001"), 4);
    }
    assert_eq!(folder.run(&format!("{CHOOSE} 0.25")).status.code(), Some(0));
    let balance = folder.balance();
    assert_eq!((balance.spent(), balance.left()), ("1".into(), "0".into()));
    let commands: Vec<_> =
        balance.entries.iter().map(|entry| entry.command.as_deref().unwrap()).collect();
    assert_eq!(commands, ["select", "choose", "choose"]);
    assert_eq!(balance.entries[0].note, "first");
}

/// A page shows the ledger, and so does the report; without a ledger nothing speaks of one.
#[test]
fn records_show_the_ledger() {
    let folder = Folder::new();
    let page = folder.run(&format!("{SELECT} 0.5 --format html"));
    let page = flat(&page.stdout);
    assert!(page.contains("pilot: spent 0.5 of 1, 0.5 left"), "{page}");
    let without = folder.run("select -k 1 --eps 1 --format json table.csv");
    let json: serde_json::Value = serde_json::from_slice(&without.stdout).unwrap();
    assert_eq!(json.get("ledger"), None);
}

#[test]
fn what_is_no_release_does_not_spend() {
    let folder = Folder::new();
    for more in ["--seed 1", "--preprocess paper --not-private"] {
        folder.refused(&format!("{SELECT} 0.5 {more}"), 2);
    }
    // A rehearsal is refused as the run would be, and pays nothing.
    let before = folder.text();
    let output = folder.run(&format!("{SELECT} 0.5 --dry-run"));
    assert_eq!(output.status.code(), Some(0), "{}", flat(&output.stderr));
    folder.refused(&format!("{SELECT} 9 --dry-run"), 4);
    folder.refused(&format!("{} 0.5 --dry-run", SELECT.replace("--target-number ", "")), 2);
    assert_eq!(folder.text(), before);
    for more in ["--seed 1", "--trials 3", "--advise", "--mechanism sis --not-private"] {
        folder.refused(&format!("{CHOOSE} 0.5 {more}"), 2);
    }
    folder.refused("choose --eps 1 --sensitivity 1 --ledger-note a models.csv", 2);
}

/// A request that does not fit what is public costs nothing.
#[test]
fn wrong_requests_do_not_spend() {
    let folder = Folder::new();
    for more in
        ["--target nothing", "--k 3", "--neighbors replace-one", "-o budget.txt", "--bounds 1,0"]
    {
        folder.refused(&format!("{SELECT} 0.5 {more}").replace("-k 1", "-k 2"), 2);
    }
    for more in ["-k 5", "--neighbors replace-one", "--mechanism em -k 2", "--name-column x"] {
        folder.refused(&format!("{CHOOSE} 0.5 {more}"), 2);
    }
    let before = folder.text();
    let mut noted = folder.command(&format!("{SELECT} 0.5 --ledger-note"));
    let output = noted.arg("a\u{2028}b").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", flat(&output.stderr));
    assert_eq!(folder.text(), before);
    folder.refused(&format!("{SELECT} 0.5").replace("budget.txt", "models.csv"), 3);
    folder.refused(&format!("{SELECT} 0.5").replace("budget.txt", "none.txt"), 5);
    folder.refused(&format!("{SELECT} 0.5").replace("table.csv", "none.csv"), 5);
}

/// That the data are malformed is found out after the spend, and stays spent.
#[test]
fn a_failed_release_stays_spent() {
    let folder = Folder::new();
    fs::write(folder.path("table.csv"), "age,dose,out\n1,2,3\n1,2\n").unwrap();
    fs::write(folder.path("models.csv"), "name,score\na,1\nb,S3CR3T\n").unwrap();
    for release in [SELECT, CHOOSE] {
        let output = folder.run(&format!("{release} 0.25"));
        assert_eq!(output.status.code(), Some(3), "{}", flat(&output.stderr));
        assert!(output.stdout.is_empty());
    }
    let balance = folder.balance();
    assert_eq!(balance.left(), "0.5");
    assert!(balance.entries.iter().all(|entry| entry.failed.as_deref() == Some("input")));
    assert!(!folder.text().contains("S3CR3T"));
}

/// Standard input can be read only once: it is paid for first.
#[cfg(unix)]
#[test]
fn standard_input_is_paid_for() {
    let folder = Folder::new();
    for (release, file) in [(SELECT, "table.csv"), (CHOOSE, "models.csv")] {
        let table = fs::File::open(folder.path(file)).unwrap();
        let words = format!("{release} 0.25").replace(file, "-");
        let output = folder.command(&words).stdin(table).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", flat(&output.stderr));
    }
    assert_eq!(folder.balance().left(), "0.5");
}

#[test]
fn a_ledger_is_created_and_shown() {
    let folder = Folder::new();
    folder.refused("ledger create --cap 2 budget.txt", 5);
    for wrong in ["--cap 0 a.txt", "--cap two a.txt", "a.txt", "--cap 1 --neighbors x a.txt"] {
        folder.refused(&format!("ledger create {wrong}"), 2);
    }
    folder.run(&format!("{CHOOSE} 1/3 --ledger-note models"));
    let shown = String::from_utf8(folder.run("ledger show budget.txt").stdout).unwrap();
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
    let json = folder.run("ledger show --format json budget.txt").stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((&json["cap"], &json["left"]), (&"1".into(), &"2/3".into()));
    assert_eq!(json["entries"][0]["command"], "choose");
    folder.refused("ledger show models.csv", 3);
    folder.refused("ledger show none.txt", 5);

    let options = "--cap 1 --neighbors replace-one --unit unit";
    folder.run(&format!("ledger create {options} other.txt"));
    let other = |words: &str| words.replace("budget", "other") + " 0.5 --neighbors replace-one";
    assert_eq!(folder.run(&other(SELECT)).status.code(), Some(2));
    let paid = folder.run(&other(CHOOSE));
    assert_eq!(paid.status.code(), Some(0), "{}", flat(&paid.stderr));
    let report = flat(&paid.stderr);
    assert!(report.contains(" ledger spent 0.5 of 1, 0.5 left"), "{report}");
}

/// A custodian signs off, looks, notes and closes; what was written stays as it was.
#[test]
fn a_ledger_is_kept_and_closed() {
    let folder = Folder::new();
    fs::remove_file(folder.path("budget.txt")).unwrap();
    let create = "ledger create --cap 1 --note";
    let signed = |note: &str| {
        let mut command = folder.command(create);
        command.args([note, "budget.txt"]).output().unwrap().status.code()
    };
    assert_eq!(signed("a\nb"), Some(2));
    assert!(!folder.path("budget.txt").exists());
    assert_eq!(signed("signed off by <the> board"), Some(0));
    let mut before = folder.text();
    let mut appended = |words: &str| {
        let output = folder.run(words);
        assert_eq!(output.status.code(), Some(0), "{words}: {}", flat(&output.stderr));
        let after = folder.text();
        assert!(after.starts_with(&before), "{words}");
        let lines = after[before.len()..].to_owned();
        before = after;
        lines
    };
    assert!(appended(&format!("{CHOOSE} 0.25")).ends_with("choose\nended 1: released\n"));
    assert!(appended("ledger note budget.txt second").ends_with("Z: second\n"));
    // As a run leaves it that is stopped after it has paid.
    let paid = Ledger::open(folder.path("budget.txt")).unwrap();
    paid.spend(&dpsis::Expense::new("0.5".parse().unwrap(), "select")).unwrap();
    assert!(appended("ledger close --note over budget.txt").ends_with("Z: over\n"));
    for release in [CHOOSE, SELECT] {
        let said = folder.refused(&format!("{release} 0.125"), 4);
        assert!(said.contains("the ledger is closed"), "{said}");
    }
    folder.refused(&format!("{SELECT} 0.125 --dry-run"), 4);
    folder.refused("ledger close budget.txt", 2);
    folder.refused("ledger note budget.txt", 2);
    for command in ["close none.txt", "note none.txt a"] {
        folder.refused(&format!("ledger {command}"), 5);
    }
    folder.refused("ledger close models.csv", 3);
    assert!(appended("ledger note budget.txt archived").ends_with("Z: archived\n"));

    let shown = flat(&folder.run("ledger show budget.txt").stdout);
    for words in
        ["never reported back; spent all the same", ", signed off by <the> board note", "Z, over"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let json = folder.run("ledger show --format json budget.txt").stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let released: Vec<_> =
        json["entries"].as_array().unwrap().iter().map(|entry| &entry["released"]).collect();
    assert_eq!(released, [true, false]);
    assert_eq!(
        (&json["notes"][1]["text"], &json["closed"]["text"]),
        (&"second".into(), &"over".into())
    );
    let page =
        String::from_utf8(folder.run("ledger show --format html budget.txt").stdout).unwrap();
    for words in [
        "0.25 OF 1 LEFT",
        ">CLOSED<",
        "1 run never reported back (number 2)",
        "signed off by &lt;the&gt; board",
        "<li><span class=\"key p0\"></span>choose: 0.25 (25%)</li>",
        "select: 0.5 (50%)",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    for fetch in ["http", "src=", "url(", "<script", "<the>"] {
        assert!(!page.contains(fetch), "{fetch}");
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
    let folder = Folder::new();
    for round in 0..rounds() {
        fs::remove_file(folder.path("budget.txt")).unwrap();
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
        assert_eq!(folder.balance().entries.len(), 1, "{round}");
    }
}

/// Whatever the moment of a kill: what was printed is in the ledger, which opens.
#[cfg(unix)]
#[test]
fn a_killed_run_has_spent_what_it_printed() {
    let folder = Folder::new();
    fs::remove_file(folder.path("budget.txt")).unwrap();
    folder.create("1000");
    let words = format!("{CHOOSE} 1");
    // The time of a whole run.
    let start = std::time::Instant::now();
    assert_eq!(folder.run(&words).status.code(), Some(0));
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
        let entries = folder.balance().entries.len();
        assert!(entries >= printed, "{round}: {entries} entries, {printed} printed");
    }
    assert!(killed > 0 && silent > 0, "{killed} {silent}");
    assert!(folder.balance().entries.len() <= printed + silent);
    assert_eq!(folder.run(&words).status.code(), Some(0));
}

/// A file that cannot grow stands for a full disk: the entry is not written, and nothing is
/// released.
#[cfg(unix)]
#[test]
fn a_full_disk_releases_nothing() {
    let folder = Folder::new();
    // Blank lines leave so little room below the limit that an entry is begun and not ended.
    let entry = folder.text();
    let before = format!("{entry}{}", "\n".repeat(2024 - entry.len()));
    // Shells count in blocks of 512 or 1024 bytes; with the wrong one of them the limit is twice as
    // large.
    for block in [512, 1024] {
        fs::write(folder.path("budget.txt"), &before).unwrap();
        let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", 2048 / block);
        let output = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_dpsis")])
            .args(format!("{CHOOSE} 0.1").split_whitespace())
            .current_dir(folder.0.path())
            .output()
            .unwrap();
        if output.status.code() == Some(0) {
            continue;
        }
        let said = flat(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{said}");
        assert!(output.stdout.is_empty());
        // What was begun is taken back.
        assert_eq!(folder.text(), before);
        assert!(said.contains("cannot use the ledger"), "{said}");
        return;
    }
    unreachable!("one of the limits is that of the shell");
}

/// The same for devices and files that cannot be written.
#[cfg(unix)]
#[test]
fn what_cannot_be_written_releases_nothing() {
    let folder = Folder::new();
    for device in ["/dev/full", "/dev/null", "/dev/zero", "."] {
        folder.refused(&format!("{CHOOSE} 0.1").replace("budget.txt", device), 5);
    }
    let path = folder.path("budget.txt");
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    for release in [CHOOSE, SELECT] {
        let said = folder.refused(&format!("{release} 0.1"), 5);
        assert!(said.contains("permission denied"), "{said}");
    }
    assert_eq!(folder.run("ledger show budget.txt").status.code(), Some(0));
}
