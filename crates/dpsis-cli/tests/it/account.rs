//! `dpsis account`, and releases that spend a delta.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// A folder with a table of 40 features, 60 rows and a target of two classes.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let names: String = (0..40).map(|i| format!("f{i},")).collect();
        let row = |r: u32| {
            let cells: String = (0..40).map(|i| format!("{},", (r * (i + 3)) % 17)).collect();
            format!("{cells}{}\n", if r.is_multiple_of(2) { "no" } else { "yes" })
        };
        let rows: String = (0..60).map(row).collect();
        fs::write(folder.path("table.csv"), format!("{names}out\n{rows}")).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, words: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dpsis"));
        command.args(words.split_whitespace()).current_dir(self.0.path()).output().unwrap()
    }

    /// The stdout of a command, which must succeed.
    fn printed(&self, words: &str) -> String {
        let output = self.run(words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{words}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, words: &str) -> Value {
        serde_json::from_str(&self.printed(words)).unwrap()
    }

    fn refused(&self, words: &str, code: i32) -> String {
        let output = self.run(words);
        assert_eq!(output.status.code(), Some(code), "{words}");
        assert!(output.stdout.is_empty(), "{words}");
        flat(&output.stderr)
    }
}

/// A message without its line breaks.
fn flat(said: &[u8]) -> String {
    String::from_utf8_lossy(said).split_whitespace().collect::<Vec<_>>().join(" ")
}

const SELECT: &str = "select --eps 1 --classes no,yes --split estimates=0 --center none table.csv";

/// The price of an accountant.
fn price(account: &Value, id: &str) -> Option<f64> {
    let prices = account["prices"].as_array().unwrap();
    prices.iter().find(|price| price["accountant"] == id).unwrap()["price"].as_f64()
}

/// Twelve randomized responses at 0.5, summed by definition.
#[test]
fn prices_are_those_of_the_definition() {
    let folder = Folder::new();
    let account = folder.json("account pure:0.5x8 pure:0.5x4 --eps 3 --format json");
    let e = 0.5f64.exp();
    let choose = |k: u32| (0..k).map(|i| f64::from(12 - i) / f64::from(i + 1)).product::<f64>();
    let term = |i: u32| {
        let excess = 1.0 - (3.0 - 0.5 * (12.0 - 2.0 * f64::from(i))).exp();
        choose(i) * e.powi(12 - i as i32) / (1.0 + e).powi(12) * excess.max(0.0)
    };
    let delta: f64 = (0..=12).map(term).sum();
    let found = price(&account, "optimal").unwrap();
    assert!(found >= delta && found < delta * (1.0 + 1e-9), "{found} {delta}");
    assert_eq!(price(&account, "gaussian"), None);
    let text = folder.printed("account pure:0.5x12 --delta 0");
    assert!(text.contains("\nbasic             6 (the least): the sum"), "{text}");
}

#[test]
fn records_and_ledgers_are_priced() {
    let folder = Folder::new();
    folder.printed("ledger create --cap 9 --delta 1e-6 budget.txt");
    let peel = format!("{SELECT} --k 20 --mechanism peel --delta 1e-6 --ledger budget.txt");
    folder.printed(&format!("{peel} -o first.json"));
    let record: Value =
        serde_json::from_slice(&fs::read(folder.path("first.json")).unwrap()).unwrap();
    let guarantee = &record["guarantee"];
    assert_eq!((&guarantee["epsilon"], &guarantee["delta"]), (&"1".into(), &"1e-6".into()));
    assert_eq!(guarantee["events"][0], "range:0.1057x20");
    assert_eq!(guarantee["pure_epsilon"], "2.114");
    let account = folder.json("account first.json --format json");
    assert_eq!(account["for"], "adding or removing one row");
    assert!((0.999..=1.0).contains(&price(&account, "range").unwrap()));
    let twice = folder.json("account first.json first.json --format json");
    let together = price(&twice, "range").unwrap();
    assert!(together > 1.3 && together < 1.6, "{together}");
    let shown = folder.printed("ledger show budget.txt");
    assert!(shown.contains("delta 1e-6, of which 1e-6 is spent"), "{shown}");
    assert!(folder.refused("account budget.txt", 2).contains("does not tell what ran"));
    folder.refused(&peel, 4);
    let over = format!("{SELECT} --k 2 --seed 1 -o budget.txt");
    assert!(folder.refused(&over, 2).contains("overwrite a budget file"));

    folder.printed("ledger create --cap 9 pure.txt");
    let pure = format!("{SELECT} --k 2 --ledger pure.txt");
    folder.printed(&pure);
    folder.printed(&pure);
    let account = folder.json("account pure.txt --format json");
    assert_eq!(price(&account, "basic"), Some(2.0));
    assert!(folder.refused(&peel.replace("budget", "pure"), 2).contains("purely private"));
}

#[test]
fn what_has_no_price_is_refused() {
    let folder = Folder::new();
    folder.printed(&format!("{SELECT} --k 2 --seed 1 -o seeded.json"));
    folder.printed(&format!("{SELECT} --k 2 --neighbors replace-one -o replaced.json"));
    folder.printed(&format!("{SELECT} --k 2 -o first.json"));
    fs::write(folder.path("other.json"), "{}").unwrap();
    // Records that were changed: without events, of an unknown relation, with another epsilon.
    let record = fs::read_to_string(folder.path("first.json")).unwrap();
    let start = record.find("\"events\": [").unwrap() + 11;
    let end = start + record[start..].find(']').unwrap();
    let without = format!("{}{}", &record[..start], &record[end..]);
    fs::write(folder.path("without.json"), without).unwrap();
    fs::write(folder.path("unknown.json"), record.replace("add/remove", "either")).unwrap();
    let epsilon = record.replacen("\"epsilon\": \"1\"", "\"epsilon\": \"2\"", 1);
    assert_ne!(epsilon, record);
    fs::write(folder.path("epsilon.json"), epsilon).unwrap();
    for (words, code, rule) in [
        ("seeded.json", 2, "not private"),
        ("first.json replaced.json", 2, "another neighbor relation"),
        ("other.json", 3, "no record"),
        ("without.json", 3, "damaged"),
        ("unknown.json", 3, "damaged"),
        ("epsilon.json", 3, "damaged"),
        ("table.csv", 3, "neither a record in JSON nor a budget file"),
        ("missing.json", 5, "cannot read"),
        ("exponential:1", 5, "cannot read"),
        ("pure:0", 2, "epsilon"),
        ("peel:2,0", 2, "at least 1"),
        ("pure:1 --delta 1", 2, "delta"),
        ("", 2, "required"),
    ] {
        let said = folder.refused(&format!("account {words}"), code);
        assert!(said.contains(rule), "{words}: {said}");
    }
}

#[test]
fn a_delta_is_for_peeling() {
    let folder = Folder::new();
    for (words, rule) in [
        ("--k 20 --delta 1e-6", "a delta lets peeling do with less noise"),
        ("--k 20 --delta 1e-6 --mechanism joint", "no other mechanism"),
        ("--k 20 --delta 0.1 --mechanism peel", "1e-100 to 1e-3"),
        ("--k 20 --delta -1 --mechanism peel", "delta"),
    ] {
        let said = folder.refused(&format!("{SELECT} {words}"), 2);
        assert!(said.contains(rule), "{words}: {said}");
    }
    let said = folder.refused(
        "select --k 2 --eps 1 --classes no,yes --method dpkendall --delta 1e-6 table.csv",
        2,
    );
    assert!(said.contains("by scores"), "{said}");
    let output = folder.run(&format!("{SELECT} --k 1 --delta 1e-6 --mechanism peel -o a.json"));
    let said = flat(&output.stderr);
    assert!(said.contains("would buy next to nothing"), "{said}");
    let record: Value = serde_json::from_slice(&fs::read(folder.path("a.json")).unwrap()).unwrap();
    assert_eq!(record["guarantee"]["delta"], "0");
    assert_eq!(record["warnings"][0]["id"], "unspent-delta");
}
