//! The refinement of a selection: its pass over the screened columns, and its release.

use crate::error::{Error, Result};
use crate::exact::GRID;
use crate::method::gram::{Screened, Spend, refine};
use crate::privacy::Purpose;
use crate::release::draws::Release;
use crate::release::settled::Settled;
use crate::request::fields::Association;
use crate::request::plan::Refinement;
use crate::score::{KsColumns, MISSING};
use crate::statistic::coded::{CenteredCode, Gathering, KsRows, grid_value};
use crate::statistic::pass::Pass;
use crate::table::{Bounds, Table};

impl Release<'_> {
    /// The selected features out of the screened ones, whose columns are at these places of the
    /// gathered values.
    ///
    /// # Errors
    ///
    /// The errors of reading a range; `Request` if the values are no rows any more.
    pub(crate) fn refined(
        &self,
        refinement: &Refinement,
        settled: &Settled,
        values: &Gathering<'_>,
        places: &[usize],
        screened: &[usize],
    ) -> Result<Vec<usize>> {
        let Refinement { medians, signs, .. } = refinement;
        let CenteredCode { code, released, .. } = &settled.target;
        // A class or side keeps its sign at any center.
        let center = released.first().map_or(0, |center| (*center).clamp(1 - GRID, GRID - 1));
        let value = |target| code.as_ref().map_or(target as i16, |code| grid_value(code, target));
        let sign = |&target: &f64| (i32::from(value(target)) - center).signum() as i8;
        let (columns, range, targets) = match values {
            Gathering::Columns(KsRows {
                columns: KsColumns::Values { columns, .. },
                targets,
                ..
            }) => (places.iter().map(|&place| columns.to_vec(place)).collect(), None, targets),
            Gathering::Rows(rows, _) => {
                let value = |&code: &i16| if code == MISSING { f64::NAN } else { f64::from(code) };
                let column = |&place: &usize| rows.column(place).map(value).collect();
                let end = f64::from(GRID);
                let range = Some(Bounds::new(-end, end)?);
                (places.iter().map(column).collect(), range, &rows.targets)
            }
            Gathering::Columns(_) | Gathering::Sums(..) => {
                return Err(Error::request(
                    "a refinement needs the rows themselves, not their sums",
                ));
            }
        };
        let target = targets.iter().map(sign).collect();
        let spend = Spend { neighbors: self.plan.request.neighbors, medians, signs };
        let bits = |purpose: Purpose| self.randomness.bits(purpose.draw());
        let (medians, signs) = (bits(Purpose::FeatureMedians), bits(Purpose::Signs));
        let rows = Screened { columns, range, target };
        let mut picks: Vec<usize> = refine(&rows, self.plan.k, &spend, &medians, &signs)
            .into_iter()
            .map(|place| screened[place])
            .collect();
        // The output does not depend on the order of the screened features.
        picks.sort_unstable();
        Ok(picks)
    }

    /// The selected features out of the screened ones, in one more pass over their columns; all of
    /// them, if the plan has no refinement.
    ///
    /// # Errors
    ///
    /// The errors of a pass.
    pub(crate) fn refined_by_pass(
        &self,
        pass: &Pass<'_>,
        table: &mut dyn Table,
        settled: &Settled,
        screened: &[usize],
    ) -> Result<Vec<usize>> {
        let Some(refinement) = &self.plan.refinement else { return Ok(screened.to_vec()) };
        let scoring = self.plan.scoring.coded();
        let values = match scoring.map(|scoring| scoring.association) {
            Some(Association::Ks | Association::Paired) => {
                Gathering::Columns(pass.ks_rows(table, screened, None)?)
            }
            _ => Gathering::Rows(pass.grid_rows(table, Some(screened))?, screened.len()),
        };
        let places = Vec::from_iter(0..screened.len());
        self.refined(refinement, settled, &values, &places, screened)
    }
}

#[cfg(all(test, feature = "ndarray"))]
mod tests {
    use ndarray::{Array1, Array2, Axis};

    use super::*;
    use crate::error::{ErrorKind, Parameter};
    use crate::privacy::Neighbors;
    use crate::release::PickOrder;
    use crate::request::{Center, NotPrivateSelect, Refine, ScoreKind, Select, Target};
    use crate::run::{Rehearsal, RehearsalSeeds};
    use crate::table::{ArrayTable, FileTable, Scaling};

    const ROWS: usize = 6000;

    /// Ten features in a chain, each correlated with the one before; the first, the third and the
    /// fifth determine the target.
    fn table() -> (Array2<f64>, Array1<f64>) {
        let mut state = 3u64;
        let mut uniform = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut normal = move || (0..12).map(|_| uniform()).sum::<f64>();
        let mut x = Array2::zeros((ROWS, 10));
        let mut y = Array1::zeros(ROWS);
        for i in 0..ROWS {
            let mut last = normal();
            for j in 0..10 {
                last = 0.7 * last + 0.51f64.sqrt() * normal();
                x[(i, j)] = last;
            }
            y[i] = x[(i, 0)] + x[(i, 2)] + x[(i, 4)] + normal();
        }
        // A missing value and a missing target.
        (x[(7, 3)], y[11]) = (f64::NAN, f64::NAN);
        (x, y)
    }

    fn bounded() -> Target {
        let range = Bounds::new(-6.0, 6.0);
        range.map_or(Target::Numeric, Target::Bounded)
    }

    fn select() -> Select {
        Select::new(3).epsilon("40").refine(Refine::Gram)
    }

    fn requests() -> Vec<Select> {
        vec![
            select(),
            select().bounds(-2.0, 2.0),
            select().target(bounded()),
            select().bounds(-2.0, 2.0).target(bounded()).center(Center::None),
            select().bounds(-2.0, 2.0).score(ScoreKind::Ks),
            select().estimates(0).direction("0.1").neighbors(Neighbors::ReplaceOne),
            // Ranks among this few features mix them.
            select().scaling(Scaling::RowRank).neighbors(Neighbors::ReplaceOne),
        ]
    }

    fn seeded(select: &Select, seed: u64) -> NotPrivateSelect {
        select.clone().seed(seed)
    }

    /// The whole path, for every score and coding.
    #[test]
    fn features_that_explain_together_are_selected() {
        let (x, y) = table();
        let table = ArrayTable::new(x.view(), y.view()).unwrap();
        for (number, select) in requests().into_iter().take(6).enumerate() {
            let record = seeded(&select, 1).run(&table).unwrap();
            assert_eq!(record.indices(), [0, 2, 4], "request {number}");
            let screened: Vec<usize> =
                record.screened.iter().flatten().map(|picked| picked.index).collect();
            assert_eq!(screened.len(), 6);
            assert!(record.indices().iter().all(|index| screened.contains(index)));
            assert_eq!(record.order, PickOrder::File);
            assert_eq!(record.mechanism.parameters["gamma"], "0.25");
            assert_eq!(record.mechanism.parameters["refine"], "gram");
        }
        let alone = Select::new(3).epsilon("40").seed(1).run(&table).unwrap();
        assert!(alone.screened.is_none());
    }

    fn text(x: &Array2<f64>, y: &Array1<f64>, rows: usize) -> Vec<u8> {
        let cell = |value: &f64| if value.is_finite() { value.to_string() } else { String::new() };
        let mut text = "a,b,c,d,e,f,g,h,i,j,y\n".to_owned();
        for (x, y) in x.rows().into_iter().zip(y).take(rows) {
            let cells: Vec<String> = x.iter().chain([y]).map(cell).collect();
            text += &format!("{}\n", cells.join(","));
        }
        text.into_bytes()
    }

    /// A stream, a file with memory for few columns, a matrix and a seeded simulation: the same
    /// seed gives the same picks.
    #[test]
    fn picks_do_not_depend_on_how_the_table_is_read() {
        let (x, y) = table();
        let rows = 400;
        let text = text(&x, &y, rows);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &text).unwrap();
        let (x, y) = (x.view().split_at(Axis(0), rows).0, y.view().split_at(Axis(0), rows).0);
        let matrix = ArrayTable::new(x, y).unwrap();
        for (number, select) in requests().into_iter().enumerate() {
            let select = select.epsilon("3");
            let rehearsal = Rehearsal::new(select.clone(), &matrix).unwrap();
            for seed in 0..4 {
                let expected = seeded(&select, seed).run(&matrix).unwrap();
                let stream = FileTable::from_reader(std::io::Cursor::new(text.clone()));
                let small = select.clone().column_memory(4 * 8 * rows as u64).threads(2);
                for (way, run) in [
                    seeded(&select, seed).run(&stream),
                    seeded(&select, seed).run(file.path()),
                    seeded(&small, seed).run(file.path()),
                ]
                .into_iter()
                .enumerate()
                {
                    let run = run.unwrap();
                    assert_eq!(run.indices(), expected.indices(), "request {number}, way {way}");
                    assert_eq!(run.released, expected.released);
                    assert_eq!(run.estimates.len(), expected.estimates.len());
                }
                let epsilon = "3".parse().unwrap();
                let picks = rehearsal.picks(3, &epsilon, None, RehearsalSeeds::all(seed)).unwrap();
                assert_eq!(*picks, expected.indices(), "request {number}");
            }
        }
    }

    #[test]
    fn budget_split_matches_the_page() {
        let spent = |select: Select| -> Vec<(Purpose, String)> {
            let spent = select.check_ref().unwrap().spending(9).unwrap();
            spent.into_iter().map(|part| (part.purpose, part.epsilon.to_string())).collect()
        };
        let public = select().epsilon(2).target(bounded()).center(Center::None);
        let parts = |of: [&str; 3]| {
            let purposes = [Purpose::Selection, Purpose::FeatureMedians, Purpose::Signs];
            purposes.into_iter().zip(of.map(str::to_owned)).collect::<Vec<_>>()
        };
        assert_eq!(spent(public), parts(["0.2", "0.2", "1.6"]));
        let all = spent(select().epsilon(2));
        assert_eq!(all[2..5], parts(["0.125", "0.125", "1"]));
        assert_eq!(all.len(), 6);
    }

    #[test]
    fn unsupported_refinements_are_refused() {
        use crate::forecast::Simulated;
        use crate::request::{Method, TwoStage};
        let three = Target::classes(["a", "b", "c"]);
        for wrong in [
            select().target(three),
            select().score(ScoreKind::Kendall),
            select().method(Method::DpKendall),
            select().method(Method::TwoStage(TwoStage::default())),
            select().k(51),
        ] {
            let error = wrong.check().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Request);
            assert!(error.parameters().contains(&Parameter::Refine), "{error}");
        }
        assert!(select().paper_preprocessing().check().is_err());
        assert!(select().k(50).check().is_ok());
        let bytes = &b"a,b,y\n1,2,3\n"[..];
        let sums = select().k(1).bounds(0.0, 1.0).partial(&FileTable::from_reader(bytes), None);
        assert!(sums.unwrap_err().parameters().contains(&Parameter::Refine));
        let forecast = select().check_ref().unwrap().forecast(100, Simulated::default());
        assert!(forecast.is_err());
    }
}
