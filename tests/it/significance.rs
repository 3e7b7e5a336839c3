//! Significance as users see it: which null features are found significant among features with an
//! association, and where significance is not tested.

use dpsis::forecast::Simulated;
use dpsis::{FileTable, Record, Scaling, ScoreKind, Select, Target};
use dpsis_mechanisms::support::effort::exhaustive;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const STRONG: usize = 10;
const D: usize = 30;

/// Counts of two classes: the first ten features are twice as large in the second, the others in
/// neither.
fn table(rows: usize, seed: u64) -> FileTable {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let header: String = (0..D).map(|j| format!("f{j},")).collect();
    let mut row = |i: usize| {
        let mut cell = |j: usize| {
            let size = if j < STRONG && i % 2 == 1 { 80.0 } else { 40.0 };
            format!("{:.0},", size * (0.5 + random.gen_range(0.0..1.0)))
        };
        let cells: String = (0..D).map(&mut cell).collect();
        format!("{cells}{}\n", ["a", "b"][i % 2])
    };
    let text: String = (0..rows).map(&mut row).collect();
    FileTable::from_reader(std::io::Cursor::new(format!("{header}y\n{text}")))
}

fn select() -> Select {
    Select::new(STRONG + 5).epsilon(20).target(Target::classes(["a", "b"]))
}

fn calls_a_null(record: &Record) -> bool {
    let picks = record.indices().into_iter().zip(&record.estimates);
    picks.into_iter().any(|(index, one)| index >= STRONG && one.significant == Some(true))
}

/// In a table with ten strong features, which are significant, a null feature is significant in at
/// most 5% of runs. More than 8 of 60 runs, or 3 of 15, have a probability of at most 6e-3 at 5%;
/// the draws are fixed.
#[test]
fn strong_features_do_not_make_null_features_significant() {
    let (runs, most) = if exhaustive() { (60, 8) } else { (15, 3) };
    for (name, request) in [
        ("ks", select()),
        ("bounds", select().bounds(0.0, 120.0)),
        ("bins", select().bounds(0.0, 120.0).score(ScoreKind::Ks)),
    ] {
        let (mut wrong, mut right) = (0, 0);
        for seed in 0..runs {
            let record = request.clone().seed(seed).run(&table(300, seed)).unwrap().into_inner();
            wrong += usize::from(calls_a_null(&record));
            let strong = record.indices().into_iter().zip(&record.estimates);
            right += strong.filter(|(i, one)| *i < STRONG && one.significant == Some(true)).count();
        }
        assert!(wrong <= most, "{name}: {wrong}");
        assert!(right >= runs as usize * STRONG * 9 / 10, "{name}: {right}");
    }
}

/// For values relative to their row, a run releases effect sizes, with a share of the budget, but
/// no p-values; the forecast agrees.
#[test]
fn values_relative_to_their_row_are_not_tested() {
    let ranks = select().scaling(Scaling::RowRank);
    for request in [ranks.clone(), ranks.score(ScoreKind::Ks), select().counts_per_million()] {
        let record = request.clone().seed(1).run(&table(300, 1)).unwrap().into_inner();
        assert_eq!(record.estimates.len(), STRONG + 5);
        for estimate in &record.estimates {
            assert!(estimate.effect_size.is_some() && estimate.low.is_some());
            assert_eq!((estimate.p_value, estimate.significant), (None, None));
        }
        assert_eq!((record.significance.significant, record.significance.threshold), (None, None));
        assert!(
            record
                .significance
                .text
                .starts_with("significance was not tested: values were taken in relation")
        );
        assert!(
            record.guarantee.spent.iter().any(|part| part.purpose == dpsis::Purpose::Estimates)
        );
        let checked = request.check().unwrap();
        let forecast = checked.forecast(D, Simulated::default()).unwrap();
        let chances = forecast.chances(&[150.0; 2], 0.5).unwrap();
        assert!(chances.found.mean > 0.5 && chances.significant.is_none());
    }
}
