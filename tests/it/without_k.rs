//! The selection of all significant features, as a user sees it.

use dpsis::mechanism::Peel;
use dpsis::report::{report, to_tsv};
use dpsis::{
    Center, ErrorKind, FileTable, FitModel, Ledger, LedgerTerms, Method, Parameter, Partial,
    Purpose, Record, Refine, Result, Scaling, ScoreKind, Select, Target,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const STRONG: usize = 4;
const D: usize = 30;

/// The text of rows of two classes: the first four features are larger in the second. The rows of
/// one part of `of`, or of all.
fn text(rows: usize, seed: u64, (part, of): (usize, usize)) -> String {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut text: String = (0..D).map(|j| format!("f{j},")).collect::<String>() + "y\n";
    for i in 0..rows {
        let shift = |j: usize| if j < STRONG && i % 2 == 1 { 0.8 } else { 0.0 };
        let row: String = (0..D)
            .map(|j| format!("{:.3},", random.gen_range(0.0..1.0) + shift(j)))
            .collect::<String>();
        if i % of == part {
            text += &(row + ["a", "b"][i % 2] + "\n");
        }
    }
    text
}

fn table(rows: usize, seed: u64) -> FileTable {
    FileTable::from_reader(std::io::Cursor::new(text(rows, seed, (0, 1))))
}

fn select() -> Select {
    Select::significant().epsilon(5).target(Target::classes(["a", "b"]))
}

fn ran(request: Select, rows: usize, seed: u64) -> Record {
    request.seed(seed).run(&table(rows, seed)).unwrap().into_inner()
}

/// With every score, all strong features are named, and at most 5% of runs have a false discovery:
/// more than 5 of 24 have a probability of 1e-3. The draws are fixed.
#[test]
fn strong_features_are_named_and_no_others() {
    for (name, request) in [
        ("ks", select()),
        ("replaced", select().neighbors(dpsis::Neighbors::ReplaceOne)),
        ("bounds", select().bounds(0.0, 2.0)),
        ("bins", select().bounds(0.0, 2.0).score(ScoreKind::Ks)),
    ] {
        let (mut wrong, mut right) = (0, 0);
        for seed in 0..24 {
            let names = ran(request.clone(), 400, seed).indices();
            wrong += usize::from(names.iter().any(|name| *name >= STRONG));
            right += names.iter().filter(|name| **name < STRONG).count();
        }
        assert!(wrong <= 5, "{name}: {wrong}");
        assert!(right >= 24 * STRONG * 9 / 10, "{name}: {right}");
    }
}

/// With a delta, many findings are named with less noise, a few as without one, and at most 5% of
/// runs have a false discovery: more than 2 of 8 have a probability of 6e-3. The draws are fixed.
#[test]
fn a_delta_names_more_of_many_features() {
    let many = 40;
    let table = |seed: u64, strong: usize| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut text: String = (0..300).map(|j| format!("f{j},")).collect::<String>() + "y\n";
        for i in 0..2500 {
            let size = |j: usize| 0.3 - 0.2 * j as f64 / strong as f64;
            let shift = |j: usize| if j < strong && i % 2 == 1 { size(j) } else { 0.0 };
            let cell = |j: usize| format!("{:.3},", random.gen_range(0.0..1.0) + shift(j));
            text += &(0..300).map(cell).collect::<String>();
            text += ["a\n", "b\n"][i % 2];
        }
        FileTable::from_reader(std::io::Cursor::new(text))
    };
    let request = || Select::significant().epsilon(1).target(Target::classes(["a", "b"]));
    let run = |request: Select, seed, strong| {
        request.seed(seed).run(&table(seed, strong)).unwrap().into_inner()
    };
    let (mut pure, mut named, mut wrong) = (0, 0, 0);
    for seed in 0..4 {
        pure += run(request(), seed, many).selected.len();
        let record = run(request().delta("1e-6"), seed, many);
        named += record.selected.len();
        wrong += usize::from(record.indices().iter().any(|name| *name >= many));
        assert_eq!(record.guarantee.delta.to_string(), "1e-6");
        assert_eq!(record.guarantee.pure_epsilon, None);
        let spent: Vec<_> = record.guarantee.spent.iter().map(|part| part.purpose).collect();
        assert_eq!(spent, [Purpose::TargetCenter, Purpose::Findings]);
        let events: Vec<_> = record.guarantee.events.iter().map(ToString::to_string).collect();
        assert_eq!(events, ["pure:0.12", "approximate:0.88,1e-6"]);
        // No association.
        wrong += usize::from(!run(request().delta("1e-6"), seed, 0).selected.is_empty());
    }
    assert!(named * 5 > pure * 6, "{pure} {named}");
    assert!(wrong <= 2, "{wrong}");
}

/// A delta that would not help is not spent, and one above one over the number of rows is named.
#[test]
fn deltas_are_spent_where_they_help() {
    let unspent = ran(select().delta("1e-6").at_most(4), 400, 1);
    assert_eq!(unspent.guarantee.delta.to_string(), "0");
    assert_eq!(unspent.selected, ran(select().at_most(4), 400, 1).selected);
    let ids = |record: &Record| -> Vec<String> {
        record.warnings.iter().map(|warning| warning.kind.to_string()).collect()
    };
    assert!(ids(&unspent).contains(&"unspent-delta".to_owned()));
    for (delta, expected) in [("1e-3", false), ("1e-6", false)] {
        let record = ran(select().delta(delta), 400, 1);
        assert_eq!(ids(&record).contains(&"large-delta".to_owned()), expected, "{delta}");
    }
    let record = ran(select().delta("1e-3"), 1600, 1);
    let warning = record.warnings.iter().find(|one| one.kind.to_string() == "large-delta").unwrap();
    assert!(warning.text.contains("the number of rows (about 1"), "{}", warning.text);
}

/// Features without an association, for a target of three classes and for a number. More than 8 of
/// 50 runs have a probability of 8e-4 at 5%.
#[test]
fn null_features_are_rarely_named() {
    let mut named = 0;
    for seed in 0..25 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut text = String::from("a,b,c,word,y\n");
        for _ in 0..300 {
            let cell = |x: f64| format!("{x:.3},");
            let cells: String = (0..3).map(|_| cell(random.gen_range(0.0..1.0))).collect();
            let word = ["p", "q", "r"][random.gen_range(0..3)];
            text += &format!("{cells}{word},{}\n", random.gen_range(1..4));
        }
        let table = || FileTable::from_reader(std::io::Cursor::new(text.clone()));
        let request = || Select::significant().epsilon(10).seed(seed);
        named += usize::from(!request().run(&table()).unwrap().selected.is_empty());
        let classes = Select::significant().epsilon(10).target(Target::classes(["1", "2", "3"]));
        named += usize::from(!classes.seed(seed).run(&table()).unwrap().selected.is_empty());
    }
    assert!(named <= 8, "{named}");
}

#[test]
fn the_record_contains_the_request() {
    let record = ran(select().fwer("1/8").at_most(6), 1000, 1);
    let bound = record.public.false_discoveries.as_ref().unwrap();
    assert_eq!((bound.fwer.as_str(), bound.at_most), ("0.125", Some(6)));
    assert_eq!(record.public.k, None);
    assert_eq!(record.selected.len(), STRONG);
    assert_eq!(record.mechanism.id, "canonical");
    assert_eq!(record.mechanism.parameters["gamma"], "1");
    assert!((STRONG..=6).contains(&record.released.number.unwrap()), "{:?}", record.released);
    assert_eq!(record.significance.significant, Some(STRONG));
    assert_eq!(
        record.significance.text,
        "4 features are significant (any false discovery in at most 12.5% of runs)"
    );
    assert!(record.significance.threshold.is_some_and(|level| level > 0.0 && level < 0.5));
    for estimate in &record.estimates {
        assert_eq!((estimate.p_value, estimate.significant), (None, Some(true)));
        assert!(estimate.effect_size.is_some() && estimate.low.is_some());
    }
    let spent: Vec<(Purpose, String)> = record
        .guarantee
        .spent
        .iter()
        .map(|part| (part.purpose, part.epsilon.to_string()))
        .collect();
    let expected =
        [(Purpose::TargetCenter, "0.6"), (Purpose::Selection, "2.6"), (Purpose::Estimates, "1.8")];
    assert_eq!(spent, expected.map(|(purpose, epsilon)| (purpose, epsilon.to_owned())));
    let events = &record.guarantee.events;
    assert!(events.iter().all(|event| matches!(event.loss(), dpsis::account::Loss::Pure(_))));

    // No column contains the significance of single names.
    let tsv = to_tsv(&record);
    assert!(tsv.starts_with("name\tcolumn\teffect_size\tlow\thigh\n"), "{tsv}");
    let text = report(&record);
    assert!(
        text.starts_with("asked for  all significant features, at most 6 (fwer 0.125)\n"),
        "{text}"
    );
    let lines =
        text.lines().filter(|line| line.trim_start().starts_with('f') && line.contains(" to "));
    assert!(
        lines.clone().count() == STRONG && lines.clone().all(|line| line.ends_with(')')),
        "{text}"
    );
}

/// An empty selection has no effect sizes, and reports the effect size that would be named.
#[test]
fn an_empty_selection_is_a_result() {
    let record = ran(select().epsilon("0.5").fwer("0.001"), 300, 3);
    assert!(record.selected.is_empty() && record.estimates.is_empty());
    assert_eq!(record.significance.significant, Some(0));
    let text = &record.significance.text;
    assert!(text.starts_with("no feature is significant; "), "{text}");
    assert!(text.contains("rows") && text.contains("of effect size 0.30"), "{text}");
    // If noise hides the counts, there is no threshold, and the selection is empty. (The target is
    // a number: with classes the run would end.)
    let number = Select::significant().epsilon("0.01").bounds(0.0, 2.0);
    let number = number.target(Target::Bounded(dpsis::Bounds::new(0.0, 1.0).unwrap()));
    let rows = "0.1,0.2,0\n0.3,0.1,1\n".repeat(3);
    let source = || FileTable::from_reader(std::io::Cursor::new(format!("p,q,y\n{rows}")));
    let mut none = 0;
    for seed in 0..20 {
        let record = number.clone().seed(seed).run(&source()).unwrap();
        if record.significance.threshold.is_none() {
            none += 1;
            assert!(record.selected.is_empty());
            assert!(!record.mechanism.parameters.contains_key("level"));
            assert!(
                record.significance.text.ends_with("counted, no more than noise can show"),
                "{:?}",
                record.significance
            );
        }
    }
    assert!(none > 10, "{none}");
}

/// The same bits on any number of threads, in passes over some columns, and from sums of parts.
#[test]
fn the_same_names_however_it_is_run() {
    let whole = |request: &Select| ran(request.clone(), 600, 7);
    let request = select();
    let expected = whole(&request);
    assert!(!expected.selected.is_empty());
    for threads in [1, 3] {
        assert_eq!(whole(&request.clone().threads(threads)), expected);
    }
    assert_eq!(whole(&request.clone().column_memory(1)), expected);
    for request in [
        select().bounds(0.0, 2.0),
        select().bounds(0.0, 2.0).score(ScoreKind::Ks),
        select().fwer("0.1").at_most(3).bounds(0.0, 2.0),
    ] {
        let part = |part: usize| -> Partial {
            let text = text(600, 7, (part, 3));
            let rows = FileTable::from_reader(std::io::Cursor::new(text));
            request.partial(&rows, None).unwrap()
        };
        let sums = part(2).merge(&part(0)).unwrap().merge(&part(1)).unwrap();
        assert_eq!(request.clone().seed(7).release(&sums).unwrap().into_inner(), whole(&request));
    }
}

#[test]
fn requests_without_a_significance_threshold_are_refused() {
    let covariate = "f1:0.5".parse().unwrap();
    for (request, about) in [
        (select().score(ScoreKind::Kendall), Parameter::Score),
        (select().scaling(Scaling::RowRank), Parameter::Scaling),
        (select().scaling(Scaling::RowRank).score(ScoreKind::Ks), Parameter::Scaling),
        (select().score(ScoreKind::Correlation), Parameter::Scaling),
        (select().counts_per_million().bounds(0.0, 9.0), Parameter::Scaling),
        (
            select().groups(dpsis::FeatureSets::new([("s", ["f1", "f2"])]).unwrap()),
            Parameter::Groups,
        ),
        (
            select()
                .groups(dpsis::FeatureSets::new([("s", ["f1", "f2"])]).unwrap())
                .bounds(0.0, 2.0),
            Parameter::Groups,
        ),
        (select().center(Center::None), Parameter::Center),
        (select().center(Center::Given(0.5)), Parameter::Center),
        (select().adjust([covariate]), Parameter::Covariates),
        (select().refine(Refine::Gram), Parameter::Refine),
        (select().method(Method::DpKendall), Parameter::Method),
        (select().mechanism(Peel), Parameter::Mechanism),
        (select().delta("1e-6").estimates("0.3"), Parameter::Delta),
        (select().fwer("0.0009"), Parameter::Fwer),
        (select().estimates(0), Parameter::Shares),
        (select().fwer("0.51"), Parameter::Fwer),
        (select().fwer("x"), Parameter::Fwer),
        (select().at_most(0), Parameter::AtMost),
    ] {
        let error = request.check().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Request);
        assert!(error.parameters().contains(&about), "{about:?}: {error}");
    }
    // People with several rows are found in the table.
    let path = tempfile::NamedTempFile::with_suffix(".csv").unwrap();
    std::fs::write(path.path(), text(400, 1, (0, 1))).unwrap();
    let error = select().run(&FileTable::new(path.path()).unit("f9")).unwrap_err();
    assert!(error.parameters().contains(&Parameter::Unit), "{error}");
}

/// With a ledger, a request without k must give the family-wise error rate, so that a forgotten k
/// spends nothing.
#[test]
fn with_a_ledger_the_rate_is_required() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let ledger =
        Ledger::create(folder.path().join("budget.txt"), LedgerTerms::new("20".parse().unwrap()))?;
    let error = select().run_with_ledger(&table(400, 1), &ledger, "").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request);
    assert!(error.parameters().contains(&Parameter::Fwer), "{error}");
    let fit = FitModel::new(select().at_most(3));
    assert!(fit.run_with_ledger(&table(400, 1), &ledger, "").is_err());
    assert_eq!(ledger.read()?.left(), "20");
    select().fwer("0.05").run_with_ledger(&table(400, 1), &ledger, "")?;
    assert_eq!(ledger.read()?.left(), "15");
    Ok(())
}

/// A model uses the named features; without any, it predicts the share or mean of the target.
#[test]
fn a_model_uses_the_named_features() {
    let path = tempfile::NamedTempFile::with_suffix(".csv").unwrap();
    std::fs::write(path.path(), text(3000, 5, (0, 1))).unwrap();
    let source = FileTable::new(path.path());
    let fitted = FitModel::new(select().epsilon(20)).seed(1).run(&source).unwrap();
    let model = fitted.model.as_ref().unwrap();
    assert_eq!(model.feature_names().count(), fitted.selection.as_ref().unwrap().selected.len());
    assert!(model.feature_names().count() >= STRONG);

    let rows: String = (0..400).map(|i| format!("{},{},{}\n", i % 7, i % 5, i % 3)).collect();
    std::fs::write(path.path(), format!("p,q,y\n{rows}")).unwrap();
    let bounded = || Target::Bounded(dpsis::Bounds::new(0.0, 2.0).unwrap());
    for target in [bounded(), Target::classes(["0", "1"])] {
        let request = Select::significant().epsilon(4).target(target).bounds(0.0, 7.0);
        let fitted = FitModel::new(request.score(ScoreKind::Ks)).seed(1).run(&source).unwrap();
        assert!(fitted.selection.as_ref().unwrap().selected.is_empty());
        let model = fitted.model.as_ref().unwrap();
        assert_eq!(model.feature_names().count(), 0);
        assert!((model.predict(&[]).unwrap() - 1.0).abs() < 0.6);
    }
}
