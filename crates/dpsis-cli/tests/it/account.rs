//! `dpsis account`, and releases that spend a delta.

use serde_json::Value;

use crate::harness::{Folder, assert_contains};

/// A folder with a table of 40 features, 600 rows and a target of two classes.
fn folder() -> Folder {
    let folder = Folder::new();
    let names: String = (0..40).map(|i| format!("f{i},")).collect();
    folder.table("table.csv", &format!("{names}out"), 600, |r| {
        let cells: String = (0..40).map(|i| format!("{},", (r * (i + 3)) % 17)).collect();
        format!("{cells}{}", ["no", "yes"][r % 2])
    });
    folder
}

const SELECT: &str = "select --eps 1 --classes no,yes --split estimates=0 --center none table.csv";

/// The price of an accountant.
fn price(account: &Value, id: &str) -> Option<f64> {
    let prices = account["prices"].as_array().unwrap();
    prices.iter().find(|price| price["accountant"] == id).unwrap()["price"].as_f64()
}

/// Twelve randomized responses at 0.5, summed by definition.
#[test]
fn prices_follow_the_definition() {
    let folder = folder();
    let account = folder.run("account pure:0.5x8 pure:0.5x4 --eps 3 --format json").json();
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
    let text = folder.run("account pure:0.5x12 --delta 0").succeeds().stdout;
    assert_contains(&text, "\nbasic             6 (the least): the sum");
}

#[test]
fn records_and_ledgers_are_priced() {
    let folder = folder();
    folder.run("ledger create --cap 9 --delta 1e-6 budget.txt").succeeds();
    let peel = format!("{SELECT} --k 20 --mechanism peel --delta 1e-6 --ledger budget.txt");
    folder.run(&format!("{peel} -o first.json")).succeeds();
    let guarantee = &folder.json("first.json")["guarantee"];
    assert_eq!((&guarantee["epsilon"], &guarantee["delta"]), (&"1".into(), &"1e-6".into()));
    assert_eq!(guarantee["events"][0], "range:0.1057x20");
    assert_eq!(guarantee["pure_epsilon"], "2.114");
    let account = folder.run("account first.json --format json").json();
    assert_eq!(account["for"], "adding or removing one row");
    assert!((0.999..=1.0).contains(&price(&account, "range").unwrap()));
    let twice = folder.run("account first.json first.json --format json").json();
    let together = price(&twice, "range").unwrap();
    assert!(together > 1.3 && together < 1.6, "{together}");
    let shown = folder.run("ledger show budget.txt").succeeds().stdout;
    assert_contains(&shown, "delta 1e-6, 1e-6 spent");
    folder.refuses(&[
        (&peel, 4, ""),
        (&format!("{SELECT} --k 2 --seed 1 -o budget.txt"), 2, "overwrite a budget file"),
    ]);

    folder.run("ledger create --cap 2 unused.txt").succeeds();
    let unused = folder.run("account unused.txt --format json").json();
    assert_eq!(price(&unused, "basic"), Some(0.0));
    assert_contains(&folder.run("account unused.txt").succeeds().stdout, "events            none");

    let ledger = folder.run("account budget.txt --delta 2e-6 --format json").json();
    assert_eq!(ledger["events"], serde_json::json!(["approximate:1,1e-6"]));
    assert_eq!(price(&ledger, "basic"), Some(1.0));
    folder.refuses(&[("account budget.txt --delta 1e-7", 2, "no accountant prices")]);

    folder.run("ledger create --cap 9 pure.txt").succeeds();
    let pure = format!("{SELECT} --k 2 --ledger pure.txt");
    folder.run(&pure).succeeds();
    folder.run(&pure).succeeds();
    let account = folder.run("account pure.txt --format json").json();
    assert_eq!(price(&account, "basic"), Some(2.0));
    folder.refuses(&[(peel.replace("budget", "pure"), 2, "purely private")]);
}

#[test]
fn expenses_without_a_price_are_refused() {
    let folder = folder().with("other.json", "{}");
    folder.run(&format!("{SELECT} --k 2 --seed 1 -o seeded.json")).succeeds();
    folder.run(&format!("{SELECT} --k 2 --neighbors replace-one -o replaced.json")).succeeds();
    folder.run(&format!("{SELECT} --k 2 -o first.json")).succeeds();
    // Records that were changed: without events, of an unknown relation, with another epsilon.
    let record = folder.read("first.json");
    let start = record.find("\"events\": [").unwrap() + 11;
    let end = start + record[start..].find(']').unwrap();
    folder.write("without.json", format!("{}{}", &record[..start], &record[end..]));
    folder.write("unknown.json", record.replace("add/remove", "either"));
    let epsilon = record.replacen("\"epsilon\": \"1\"", "\"epsilon\": \"2\"", 1);
    assert_ne!(epsilon, record);
    folder.write("epsilon.json", epsilon);
    // Selection and effect sizes share a delta, which their event contains.
    let many = "select --eps 1 --classes no,yes --delta 1e-6 -o many.json table.csv";
    folder.run(many).succeeds();
    let many = folder.run("account many.json --delta 2e-6 --format json").json();
    assert_eq!(price(&many, "basic"), Some(1.0));
    let record = folder.read("many.json");
    for (name, event) in [("delta.json", "approximate:0.5,1e-6"), ("pure.json", "pure:0.88")] {
        let start = record.find("approximate:").unwrap();
        let end = start + record[start..].find('"').unwrap();
        folder.write(name, format!("{}{event}{}", &record[..start], &record[end..]));
    }
    folder.refuses(&[
        ("account seeded.json", 2, "not private"),
        ("account first.json replaced.json", 2, "another neighbor relation"),
        ("account other.json", 3, "not a record"),
        ("account without.json", 3, "damaged"),
        ("account unknown.json", 3, "damaged"),
        ("account epsilon.json", 3, "damaged"),
        ("account delta.json", 3, "damaged"),
        ("account pure.json", 3, "damaged"),
        ("account table.csv", 3, "neither a record in JSON nor a budget file"),
        ("account missing.json", 5, "cannot read"),
        ("account exponential:1", 5, "cannot read"),
        ("account pure:0", 2, "epsilon"),
        ("account peel:2,0", 2, "at least 1"),
        ("account pure:1 --delta 1", 2, "delta"),
        ("account", 2, "required"),
    ]);
}

#[test]
fn a_delta_is_for_peeling() {
    let folder = folder();
    folder.refuses_options(
        SELECT,
        &[
            ("--k 20 --delta 1e-6", "a delta reduces the noise of peeling (peel) alone"),
            ("--k 20 --delta 1e-6 --mechanism joint", "of peeling (peel) alone"),
            ("--k 20 --delta 0.1 --mechanism peel", "1e-100 to 1e-3"),
            ("--k 20 --delta -1 --mechanism peel", "delta"),
        ],
    );
    let method = "select --k 2 --eps 1 --classes no,yes --method dpkendall --delta 1e-6 table.csv";
    folder.refuses(&[(method, 2, "by scores")]);
    let output = folder.run(&format!("{SELECT} --k 1 --delta 1e-6 --mechanism peel -o a.json"));
    assert_contains(&output.message(), "would buy next to nothing");
    let record = folder.json("a.json");
    assert_eq!(record["guarantee"]["delta"], "0");
    assert_eq!(record["warnings"][0]["id"], "unspent-delta");
}
