//! Runs whose rows are in many places: each place sums its rows, stage by stage, and the releases
//! are made here.

use crate::error::Result;
use crate::privacy::{Ledger, NotPrivate};
use crate::release::record::{Record, Selection};
use crate::request::builder::CheckedSelect;
use crate::request::not_private::NotPrivateSelect;
use crate::run::charged::{check_names, expense_of_rows};
use crate::run::partial::stages::run_in_parts;
use crate::run::partial::{Partial, ReleasedTarget};

impl CheckedSelect {
    /// Selects features of a table whose rows are in many places, such as the partitions of an
    /// engine. `gather` returns the sums of all rows for each stage
    /// ([`Select::stage_partial`](crate::Select::stage_partial)), at the values released in the
    /// stage before, or the scores of whole columns
    /// ([`Select::column_chunks`](crate::Select::column_chunks), [`Partial::with_columns`]) once a
    /// center was released.
    ///
    /// # Privacy
    ///
    /// As for [`run`](Self::run) on the whole table, if each of its rows is summed once in each
    /// stage. The gathered values are not private: keep them as safe as the table.
    ///
    /// # Errors
    ///
    /// The errors of `gather`; `Request` if the gathered values were made for another request or
    /// stage; `Input` if the private counts leave nothing to find; `Io` if the operating system
    /// gives no entropy.
    pub fn run_in_parts(
        &self,
        gather: impl FnMut(Option<&ReleasedTarget>) -> Result<Partial>,
    ) -> Result<Selection> {
        run_in_parts(self.request(), gather).map(Selection::new)
    }

    /// Like [`run_in_parts`](Self::run_in_parts), but charges a ledger for all stages first; the
    /// entry has this note. If the run fails, the entry is marked as failed and stays spent.
    ///
    /// # Errors
    ///
    /// As for [`Ledger::spend`], before anything is gathered; as for
    /// [`run_in_parts`](Self::run_in_parts).
    pub fn run_in_parts_with_ledger(
        &self,
        ledger: &Ledger,
        note: &str,
        gather: impl FnMut(Option<&ReleasedTarget>) -> Result<Partial>,
    ) -> Result<Selection> {
        check_names(self.request())?;
        let expense = expense_of_rows(self.request(), note)?;
        let (record, receipt) = ledger.charge(&expense, || run_in_parts(self.request(), gather))?;
        Ok(Selection::new(record).with_receipt(receipt))
    }
}

impl NotPrivateSelect {
    /// Like [`CheckedSelect::run_in_parts`](crate::CheckedSelect::run_in_parts).
    ///
    /// # Errors
    ///
    /// As for [`CheckedSelect::run_in_parts`](crate::CheckedSelect::run_in_parts).
    pub fn run_in_parts(
        &self,
        gather: impl FnMut(Option<&ReleasedTarget>) -> Result<Partial>,
    ) -> Result<NotPrivate<Record>> {
        self.check()?;
        run_in_parts(self.request(), gather).map(NotPrivate::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::privacy::LedgerTerms;
    use crate::request::{ScoreKind, Select, Target};
    use crate::table::{FileTable, TargetColumn};

    const HEADER: &str = "dose,word,y,class,age\n";

    /// Rows with text, missing cells, and unusable targets.
    fn rows() -> Vec<String> {
        let row = |i: usize| {
            let dose = (i * 7919 % 101) as f64 / 7.0;
            let word = ["yes", "no", "", "3"][i % 4];
            let target = if i % 13 == 5 { "?".to_owned() } else { (i * 31 % 97).to_string() };
            let class = ["low", "high", "middle", "other"][(i / 3) % 4];
            format!("{dose},{word},{target},{class},{}\n", i * i % 71)
        };
        (0..800).map(row).collect()
    }

    fn table(rows: &[String], target: &str, exclude: &str) -> FileTable {
        let text = HEADER.to_owned() + &rows.concat();
        FileTable::from_reader(std::io::Cursor::new(text))
            .target_column(TargetColumn::Named(target.into()))
            .exclude([exclude])
    }

    type Case = (Select, &'static str, &'static str);

    fn cases() -> Vec<Case> {
        let request = || Select::new(2).epsilon("3").direction("0.05");
        let classes = |labels: &[&str]| Target::classes(labels.iter().copied());
        let mut all: Vec<Case> = vec![
            (request(), "y", "class"),
            (
                request().target(Target::Bounded(crate::Bounds::new(0.0, 90.0).unwrap())),
                "y",
                "class",
            ),
            (request().target(classes(&["low", "high"])), "class", "y"),
            (Select::new(2).epsilon("3").target(classes(&["low", "high", "middle"])), "class", "y"),
            (request().center(crate::Center::None).estimates("0"), "y", "class"),
            (Select::significant().epsilon("40"), "y", "class"),
            (Select::significant().epsilon("40").target(classes(&["low", "high"])), "class", "y"),
        ];
        let bounded = |(select, target, exclude): Case| (select.bounds(0.0, 80.0), target, exclude);
        let on_bins = |(select, target, exclude): Case| {
            (select.bounds(0.0, 80.0).score(ScoreKind::Ks), target, exclude)
        };
        let replaced = |(select, target, exclude): Case| {
            (select.neighbors(crate::Neighbors::ReplaceOne), target, exclude)
        };
        let plain = all.clone();
        for of in [&bounded as &dyn Fn(Case) -> Case, &on_bins, &replaced] {
            all.extend(plain.iter().cloned().map(of));
        }
        // Without a private center there are no directions to release.
        all.retain(|(select, ..)| select.check_ref().is_ok());
        assert!(all.len() >= 15);
        all
    }

    /// Gathers a stage as an engine does: sums of parts, or scores of joined chunks of one or two
    /// features.
    fn gathered(
        (select, target, exclude): &Case,
        parts: &[&[String]],
        before: &mut Option<Partial>,
        released: Option<&ReleasedTarget>,
    ) -> Result<Partial> {
        let tables = || parts.iter().map(|rows| table(rows, target, exclude));
        if released.is_some_and(|released| released.has_center()) {
            let released = released.unwrap();
            let cut = |table| select.column_chunks(&table, released, 2).unwrap();
            let mut chunks: Vec<_> = tables().map(cut).collect();
            chunks.reverse();
            let mut scores = Vec::new();
            for group in 0..2 {
                let of_group = chunks.iter().filter_map(|all| Some(&all.get(group)?[..]));
                scores.extend(released.score_chunks(of_group, Some(1)).unwrap());
            }
            return before.take().unwrap().with_columns(released, scores);
        }
        let mut sums = tables().map(|table| select.stage_partial(&table, released).unwrap());
        let first = sums.next().unwrap();
        let sum = sums.try_fold(first, |sum, more| sum.merge(&more))?;
        *before = Some(sum.clone());
        Ok(sum)
    }

    #[test]
    fn parts_give_the_bits_of_the_whole() {
        let rows = rows();
        let (first, rest) = rows.split_at(13);
        let (second, third) = rest.split_at(500);
        // One row has no usable target, and one part no rows.
        let parts = [first, second, &rows[5..5], &third[..1], &third[1..]];
        for (number, case) in cases().iter().enumerate() {
            let (select, target, exclude) = case;
            for seed in 0..3 {
                let seeded = select.clone().seed(seed);
                let expected = seeded.run(&table(&rows, target, exclude)).unwrap();
                let mut before = None;
                let gather = |released: Option<&ReleasedTarget>| {
                    gathered(case, &parts, &mut before, released)
                };
                assert_eq!(seeded.run_in_parts(gather).unwrap(), expected, "case {number}");
            }
        }
    }

    #[test]
    fn ledger_is_charged_once_for_all_stages() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        let ledger = Ledger::create(&path, LedgerTerms::new("7".parse().unwrap())).unwrap();
        let rows = rows();
        let case = &cases()[0];
        let checked = case.0.clone().check().unwrap();
        let mut before = None;
        let mut stages = 0;
        let selection = checked.run_in_parts_with_ledger(&ledger, "spark", |released| {
            stages += 1;
            assert_eq!(ledger.read().unwrap().spent(), "3");
            gathered(case, &[&rows], &mut before, released)
        });
        assert!(selection.unwrap().ledger.is_some());
        assert_eq!((stages, ledger.read().unwrap().entries.len()), (3, 1));
        let lost = |_: Option<&ReleasedTarget>| Err(crate::Error::io("an executor was lost"));
        let error = checked.run_in_parts_with_ledger(&ledger, "", lost).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        let balance = ledger.read().unwrap();
        assert_eq!(
            (balance.spent(), balance.entries[1].failed.as_deref()),
            ("6".into(), Some("io"))
        );
        let calls = |_: Option<&ReleasedTarget>| panic!("nothing was charged");
        let error = checked.run_in_parts_with_ledger(&ledger, "", calls).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Budget);
    }

    /// Sums that were not made at the released values are of another stage; parts without a usable
    /// target give each column a score.
    #[test]
    fn stages_come_in_order() {
        let rows = rows();
        let case = &cases()[0];
        let mut calls = 0;
        let stuck = |_: Option<&ReleasedTarget>| {
            calls += 1;
            gathered(case, &[&rows], &mut None, None)
        };
        let error = case.0.clone().seed(1).run_in_parts(stuck).unwrap_err();
        assert_eq!((error.kind(), calls), (ErrorKind::Request, 2));
        let unusable = [rows[5].clone()];
        for rows in [&unusable[..], &[]] {
            let seeded = case.0.clone().seed(1);
            let expected = seeded.run(&table(rows, case.1, case.2)).unwrap();
            let mut before = None;
            let none = |released: Option<&ReleasedTarget>| {
                gathered(case, &[rows, rows], &mut before, released)
            };
            let none = seeded.run_in_parts(none).unwrap();
            assert_eq!(none.selected, expected.selected);
        }
    }
}
