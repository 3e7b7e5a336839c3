//! On every planted kind of table, the command that `inspect` suggests finds the most true
//! features: without noise no other score finds more of them.

use crate::harness::{Folder, suggested, with_epsilon};
use dpsis_eval::planted::{Kind, Planted, Size, table};
use dpsis_mechanisms::support::effort::exhaustive;

/// The names that a command selects with a budget large enough to make noise negligible.
fn selected(folder: &Folder, line: &str) -> Vec<String> {
    let output = folder.run(&format!("{line} --split estimates=0 --quiet")).succeeds();
    output.stdout.lines().map(str::to_owned).collect()
}

fn found(planted: &Planted, names: &[String]) -> usize {
    planted.truth.iter().filter(|&&j| names.contains(&planted.names[j])).count()
}

#[test]
fn the_suggested_command_finds_the_most() {
    let folder = Folder::new();
    for kind in Kind::ALL {
        let mut totals = [0; 4];
        let seeds = if exhaustive() { 3 } else { 1 };
        for seed in 0..seeds {
            let planted = table(kind, Size::Full, seed);
            planted.write_csv(std::fs::File::create(folder.path("t.csv")).unwrap()).unwrap();
            let command = with_epsilon(&suggested(&folder.run("inspect t.csv")), "1e6");
            let others = ["", "--score kendall", "--scale row-rank", "--scale cpm"];
            for (total, options) in totals.iter_mut().zip(others) {
                // Counts per million are for tables of counts.
                if options != "--scale cpm" || kind == Kind::Counts {
                    *total += found(&planted, &selected(&folder, &format!("{command} {options}")));
                }
            }
        }
        let [best, others @ ..] = totals;
        // Another option may find one feature more by chance.
        assert!(others.iter().all(|other| *other <= best + 1), "{kind:?}: {totals:?}");
        assert!(best >= 4 * seeds as usize, "{kind:?}: {totals:?}");
    }
}
