//! The command `choose`, and `select --mechanism`.

use std::collections::BTreeMap;

use crate::harness::{Folder, Outcome, assert_contains, assert_contains_all, assert_lacks, dpsis};
use dpsis::mechanism::{CARDS, Chooses, Sensitivity};
use dpsis_mechanisms::support::goodness::assert_fits;
use dpsis_mechanisms::support::laws;

/// A folder with candidates that share one sensitivity, and candidates with their own.
fn folder() -> Folder {
    Folder::new()
        .with("models.csv", "name,score\nlasso,0.8125\nridge,0.79\nforest,0.871\nnet,0.86\n")
        .with("own.csv", "name,score,sensitivity\na,5,1\nb,9,4\nc,3,0.5\nd,9.5,6\n")
}

#[test]
fn a_choice_is_made_and_reported() {
    let folder = folder();
    let choose = |more: &str| {
        folder.run(&format!("choose --eps 2 --sensitivity 1e-5 {more} models.csv")).succeeds()
    };
    let output = choose("");
    assert_eq!(output.stdout, "forest\n");
    let report = output.message();
    assert_contains_all(
        &report,
        &[
            "it moves a score by 0.00001, as given",
            "epsilon 2 = 2 selection; delta 0; adding or removing one unit",
            "1 of 4 candidates by the mechanism canonical, gamma 1",
        ],
    );
    let last = "result significance is not tested for a choice among scores";
    assert!(report.ends_with(last), "{report}");
    // No score in any output.
    let json = choose("--format json");
    let record = json.json();
    assert_eq!(record["selected"][0]["row"], 3);
    assert_eq!(record["mechanism"]["id"], "canonical");
    assert_eq!(record["private"], true);
    for score in ["0.8125", "0.871", "8125"] {
        assert_lacks(&json.stdout, score);
        assert_lacks(&report, score);
    }
    assert_eq!(choose("--format tsv").stdout, "name\trow\nforest\t3\n");
    assert_contains(&choose("--seed 4 --quiet").stderr, "seeded: not for release");
}

#[test]
fn columns_can_have_other_names() {
    let folder = Folder::new()
        .with("auc.csv", "run,auc,model,seconds\n1,0.8,lasso,x\n2,0.9,forest,y\n3,0.7,ridge,z\n")
        .with("own.csv", "name,score,note,d\na,1,x,1e-5\nb,2,x,1e-5\n");
    let choose = |options: &str| folder.run(&format!("choose --eps 2 {options}"));
    let by_auc = "--name-column model --score-column auc --sensitivity 1e-5 --format tsv auc.csv";
    assert_eq!(choose(by_auc).succeeds().stdout, "name\trow\nforest\t2\n");
    let own = choose("--sensitivity-column d --mechanism gem own.csv");
    assert_eq!(own.succeeds().stdout, "b\n");
    for (options, code, part) in [
        ("--sensitivity 1e-5", 3, "give the columns (--name-column,"),
        ("--name-column modle --score-column auc", 2, "mean \"model\"?"),
        ("--name-column model", 2, "no column \"score\" for the score"),
        ("--name-column auc --score-column auc", 2, "cannot be two of"),
        ("--name-column model --score-column seconds", 2, "no sensitivity"),
        // A cell is named by its place, and never shown.
        ("--name-column model --score-column seconds --sensitivity 1e-5", 3, "row 1, column 4"),
    ] {
        assert_contains(&choose(&format!("{options} auc.csv")).fails(code), part);
    }
}

#[test]
fn wrong_requests_and_files_are_refused() {
    let folder = folder();
    let one = "choose --eps 1 models.csv --sensitivity 1";
    folder.refuses_options(
        one,
        &[
            ("--k 5", "between 1 and 4"),
            ("--k 0", "between 1 and 4"),
            ("--mechanism pnf --k 2", "k must be 1"),
            ("--mechanism sis", "needs --not-private"),
            ("--not-private", "is for sis, random"),
            ("--beta 0.1", "canonical takes no parameter"),
            ("--monotonic --neighbors replace-one", "monotonic"),
            ("--ordered", "--trials"),
            ("--trials 0", "--trials"),
            ("--trials 18446744073709551615", "--trials"),
            ("--trials 5 --format json", "no --format"),
            ("--advise --mechanism em", "cannot be used"),
        ],
    );
    folder.refuses_options(
        "choose --eps 1 models.csv",
        &[
            ("", "no sensitivity is given"),
            ("--sensitivity largest", "no sensitivity is given"),
            ("--sensitivity 0", "above 0"),
            ("--sensitivity x", "not a decimal number"),
            // A column of scores is not taken for sensitivities.
            ("--advise --sensitivity-column score", "cannot be two"),
        ],
    );
    folder.refuses_options(
        "choose --eps 1 own.csv",
        &[
            ("--sensitivity 1", "the file gives sensitivities"),
            ("", "give the mechanism"),
            ("--mechanism peel", "needs one sensitivity"),
            ("--mechanism gem --beta 2", "between 0 and 1"),
            ("--mechanism gem --eta 1", "gem takes no parameter `eta`"),
            ("--mechanism rs --stop 0", "from 1e-6 to 1"),
            ("--mechanism rs --gamma 0.1", "rs takes no parameter `gamma`"),
            ("--mechanism rs-tnb --eta -1", "above -1"),
            ("--mechanism cgem --share 1", "between 0 and 1"),
            ("--mechanism nothing", "possible values"),
            ("--relation positive", "--advise"),
            ("--advise --relation rising", "possible values"),
            ("--advise --k 9", "between 1 and 4"),
            ("--advise --not-private --relation none", "cannot be used"),
            ("--advise --share 1/2", "no parameters"),
            ("--advise --monotonic --neighbors replace-one", "only if units are added"),
            ("--advise --format tsv", "text or json"),
        ],
    );
    for (content, part) in [
        ("name,score\na,1\nb,90817x\n", "row 2, column 2"),
        ("name,score\na,1\nb,nan\n", "row 2, column 2"),
        ("name,score\na,1\nb,\n", "row 2, column 2"),
        ("name,score\na,1\na,90817\n", "row 2, column 1"),
        ("name,score\n,90817\n", "row 1, column 1"),
        ("name,score,sensitivity\na,1,1\nb,90817\n", "row 2"),
        ("candidate,value\na,1\n", "must be name,score"),
        ("", "empty"),
    ] {
        folder.write("bad.csv", content);
        let has_own = content.contains("sensitivity");
        let sensitivity = if has_own { "--mechanism gem" } else { "--sensitivity 1" };
        let message = folder.run(&format!("choose --eps 1 {sensitivity} bad.csv")).fails(3);
        assert_contains(&message, part);
        assert_lacks(&message, "90817");
    }
    folder.refuses(&[("choose --eps 1 --sensitivity 1 no-such.csv", 5, "")]);
}

/// How often each outcome was drawn.
fn trials(output: &Outcome) -> BTreeMap<&str, u64> {
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert_contains(&output.stderr, "NOT PRIVATE");
    let mut lines = output.stdout.lines();
    assert_eq!(lines.next(), Some("outcome\tcount"));
    let pairs = lines.map(|line| line.split_once('\t').unwrap());
    pairs.map(|(outcome, count)| (outcome, count.parse().unwrap())).collect()
}

/// The outcomes of several mechanisms have the frequencies of their closed forms, with scores in
/// [0, 1].
#[test]
fn trials_have_the_distribution_of_the_mechanism() {
    let folder = Folder::new()
        .with("c.csv", "name,score\nx,0.3\ny,0.1\nz,0.05\n")
        .with("odd.csv", "name,score\na+b,1\nc,2\n");
    let run = |options: &str| {
        let start = "choose --eps 2 --sensitivity 0.1 --seed 3";
        folder.run(&format!("{start} {options}"))
    };
    let draw = |options: &str| run(&format!("--trials 50000 {options} c.csv"));
    let counts = |counted: &BTreeMap<&str, u64>, names: &[&str]| -> Vec<u64> {
        names.iter().map(|name| counted.get(name).copied().unwrap_or(0)).collect()
    };
    let x = [3.0, 1.0, 0.5];
    let exponential = draw("--mechanism em");
    let counted = counts(&trials(&exponential), &["x", "y", "z"]);
    assert_eq!(counted.iter().sum::<u64>(), 50_000);
    assert_fits(&counted, &laws::of_one(&x, 1.0, laws::exponential));

    let ordered = draw("--mechanism peel --k 2 --ordered");
    let ordered = trials(&ordered);
    let counted = counts(&ordered, &["x>y", "x>z", "y>x", "y>z", "z>x", "z>y"]);
    assert_fits(&counted, &laws::of_rounds(&x, 2, 0.5, laws::exponential));
    let sets = draw("--mechanism peel --k 2");
    assert_eq!(trials(&sets)["x+y"], ordered["x>y"] + ordered["y>x"]);
    // One-sided scores need half the noise.
    let monotonic = draw("--mechanism pnf --monotonic");
    let counted = counts(&trials(&monotonic), &["x", "y", "z"]);
    assert_fits(&counted, &laws::of_one(&x, 2.0, laws::flips));
    // A set has no order; ambiguous options are refused.
    let canonical = draw("--mechanism canonical --k 2 --ordered");
    let sets = trials(&canonical);
    assert!(sets.keys().all(|outcome| outcome.contains('+') && !outcome.contains('>')));
    run("--trials 50000 --mechanism em odd.csv").fails(2);
    // The first trial is the run of the same seed.
    let first = run("--mechanism em --trials 1 c.csv");
    let first = trials(&first).into_keys().next().unwrap().to_owned();
    assert_eq!(run("--mechanism em c.csv").stdout, format!("{first}\n"));
}

#[test]
fn comparisons_and_advice_are_marked() {
    let folder = folder();
    let choose = |options: &str| {
        folder.run(&format!("choose --eps 1 {options} --not-private own.csv")).succeeds()
    };
    let output = choose("--k 2 --mechanism sis");
    assert_eq!(output.stdout, "b\nd\n");
    assert_contains(&output.stderr, "NOT PRIVATE");
    let record = choose("--mechanism rnm-h --format json").json();
    let selected = record["selected"].as_array().unwrap().len();
    assert_eq!((&record["private"], selected), (&false.into(), 1));
    let random = choose("--mechanism random --trials 8000 --seed 2");
    let random = trials(&random);
    let counts: Vec<u64> = ["a", "b", "c", "d"].map(|name| random[name]).to_vec();
    assert_fits(&counts, &[0.25; 4]);
    let advice = choose("--advise").stdout;
    assert!(advice.starts_with("NOT PRIVATE"), "{advice}");
    assert_contains(&advice, "\nmechanism    mgem");
}

/// With a relation, or without scores, the advice looks at public facts only; its command works.
#[test]
fn advice_on_public_facts() {
    let folder = Folder::new();
    let advised = |content: &str, more: &str| {
        folder.write("own.csv", content);
        folder.run(&format!("choose --eps 1 --advise {more} own.csv")).succeeds()
    };
    let scores = [
        "name,score,sensitivity\na,1,1\nb,2,2\nc,9,5\n",
        "name,score,sensitivity\na,9,1\nb,,2\nc,?,5\n",
    ];
    for (relation, mechanism) in
        [("positive", "rs"), ("negative", "gem"), ("none", "pnf"), ("unknown", "pnf")]
    {
        let [found, other] =
            scores.map(|content| advised(content, &format!("--relation {relation}")));
        let start = format!("mechanism    {mechanism}");
        assert!(found.stdout.starts_with(&start), "{}", found.stdout);
        assert_contains(&found.stderr, "public facts");
        assert_lacks(&found.stderr, "NOT PRIVATE");
        // Other scores change nothing.
        assert_eq!((&found.stdout, &found.stderr), (&other.stdout, &other.stderr));
        let command = found.stdout.split("command").nth(1).unwrap();
        let command = command.lines().next().unwrap().split_once("dpsis ").unwrap().1;
        folder.write("own.csv", scores[0]);
        folder.run(command).succeeds();
    }
    let without_scores = advised("name,sensitivity\na,1\nb,3\n", "").stdout;
    assert_contains_all(&without_scores, &["pnf with the largest sensitivity", "column of scores"]);
    let record = advised(scores[0], "--relation negative --format json").json();
    assert_eq!(record["mechanism"], "gem");
    let largest = advised(scores[0], "--sensitivity largest --neighbors replace-one").stdout;
    assert_contains_all(
        &largest,
        &["the same sensitivity", "--sensitivity largest", "--neighbors replace-one"],
    );
    // By public scores: in units of the scores.
    let record = advised(scores[0], "--not-private --format json").json();
    assert_eq!((&record["private"], &record["mechanism"]), (&false.into(), &"mgem".into()));
    let losses = record["losses"].as_array().unwrap();
    assert!(losses.iter().all(|loss| loss["mean"].as_f64().unwrap() <= 8.0));
    // Of 0.1, 0.2 and 0.9 the best is 0.5 above the mean.
    let tenths = "name,score,sensitivity\na,0.1,1\nb,0.2,2\nc,0.9,5\n";
    let record = advised(tenths, "--not-private --format json").json();
    assert!((record["uniform_loss"].as_f64().unwrap() - 0.5).abs() < 1e-12);
}

/// All above a level are named, however many, at most k; the level is in the unit of the scores.
#[test]
fn all_above_a_level() {
    let folder = Folder::new();
    folder.table("c.csv", "name,score", 40, |i| format!("c{i},{}", i as f64 / 8.0));
    let start = "choose --eps 100 --sensitivity 0.01 --above 4.4 c.csv";
    let choose = |options: &str| folder.run(&format!("{start} {options}")).succeeds();
    // 36/8 is the first above 4.4.
    let output = choose("");
    assert_eq!(output.stdout, "c36\nc37\nc38\nc39\n");
    let report = "4 of 40 candidates above 4.4 by the mechanism threshold-set, alpha 0.05, level 440, rate fdr";
    assert_contains(&output.message(), report);
    let record = choose("--rate fwer --alpha 0.01 --format json").json();
    assert_eq!(record["score"]["above"], "4.4");
    assert_eq!(record["mechanism"]["rate"], "fwer");
    assert_eq!(record["order"], "file");
    // The prior of more names than two is zero.
    let capped = choose("--k 2");
    assert!(capped.stdout.lines().count() <= 2);
    assert_contains(&capped.message(), "above 4.4, at most 2,");
    // An empty result is valid, too.
    let none = folder.run("choose --eps 9 --sensitivity 0.01 --above 9 c.csv").succeeds();
    assert_eq!(none.stdout, "");
    folder.refuses_options(
        start,
        &[
            ("--alpha 0.6", "from 1e-6 to 0.5"),
            ("--rate other", "fdr or fwer"),
            ("--mechanism canonical", "cannot be used"),
            ("--gamma 1", "--gamma"),
        ],
    );
}

/// Every mechanism that suits features with one sensitivity selects features; the others are
/// refused before the file is read.
#[test]
fn features_by_every_mechanism() {
    for card in CARDS {
        let k = if card.chooses == Chooses::One { "1" } else { "4" };
        let select = format!("select --k {k} --eps 2 --mechanism {}", card.id);
        if card.sensitivity == Sensitivity::Own || card.chooses == Chooses::AtMost {
            for table in ["demo.csv", "no-such-file.csv"] {
                dpsis(&format!("{select} {table}")).fails(2);
            }
            continue;
        }
        let record = dpsis(&format!("{select} --format json demo.csv")).json();
        assert_eq!(record["mechanism"]["id"], card.id);
        let order = if card.chooses == Chooses::Sequence { "pick" } else { "file" };
        assert_eq!(record["order"], order, "{}", card.id);
        assert_eq!(record["selected"].as_array().unwrap().len().to_string(), k);
        dpsis(&format!("{select} --dry-run demo.csv")).succeeds();
    }
    dpsis("select --k 2 --eps 2 --mechanism em no-such-file.csv").fails(2);
    let foreign = dpsis("select --k 2 --eps 2 --mechanism peel --gamma 1 no.csv").fails(2);
    assert_contains(&foreign, "peel takes no parameter `gamma`");
}
