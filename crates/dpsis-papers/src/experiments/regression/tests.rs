use dpsis::report::Block;

use super::*;
use crate::experiments::experiment::with;
use crate::experiments::regression::cells::Cells;
use crate::experiments::regression::contenders::Contender;
use crate::experiments::regression::split::Kind;

const SMALL: [Setting; 2] = [
    Setting { kind: Kind::Number, features: 12, rows: 3000 },
    Setting { kind: Kind::Classes, features: 12, rows: 3000 },
];

#[test]
fn a_small_run_writes_its_files() {
    with(3, 2, |experiment| {
        let section = run_on(experiment, &SMALL).unwrap();
        let count =
            |is: fn(&Block) -> bool| section.blocks.iter().filter(|block| is(block)).count();
        assert_eq!(count(|block| matches!(block, Block::Figure { .. })), 2);
        assert_eq!(count(|block| matches!(block, Block::Comparison { .. })), 2);
        for file in ["regression.csv", "regression-sets.csv", "regression-number-12-3000.svg"] {
            assert!(experiment.output.path().join(file).exists(), "{file}");
        }
        for setting in &SMALL {
            let cells = on_synthetic(experiment, setting).unwrap();
            let name = setting.name();
            let at = |one, epsilon| Cells(&cells).median(&name, one, epsilon);
            // The best possible measures: R^2 of 0.833; for classes, an accuracy of 0.866 minus
            // 1/2.
            let (plain, most) = (
                at(Contender::PlainAll, "1"),
                if setting.kind == Kind::Number { 0.833 } else { 0.366 },
            );
            assert!((plain - most).abs() < 0.05, "{name}: {plain}");
            let ours = at(Contender::Given, "10");
            assert!(ours > 0.75 * plain && ours < plain + 0.01, "{name}: {ours}");
            assert!(at(Contender::SamePicks, "10") > ours - 0.02);
            // A plain model on selected features may lose as epsilon grows: with correlated
            // features, the five best scores are not the best five features.
            for one in Contender::ALL.into_iter().filter(|one| one.is_private()) {
                let (few, many) = (at(one, "0.5"), at(one, "10"));
                assert!(
                    many.is_finite() && many > few - 0.03,
                    "{name}, {}: {few} {many}",
                    one.name()
                );
            }
        }
    });
}

#[test]
fn threads_change_nothing() {
    let setting = Setting { kind: Kind::Number, features: 9, rows: 300 };
    let cells =
        |threads| with(3, threads, |experiment| on_synthetic(experiment, &setting).unwrap());
    assert_eq!(cells(1), cells(3));
}
