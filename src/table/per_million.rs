//! Counts per million: the numbers of a sample as shares of their sum.
//!
//! # Definition
//!
//! A number x of a sample becomes x / s * 10^6, where s is the sum of the numbers of that sample,
//! in `f64` and in the order of the features. Other values (missing values, categories) count as 0
//! and stay unchanged. If a number is negative, or if s is 0 or beyond the range of `f64`, shares
//! are meaningless, and all numbers of the sample become missing.
//!
//! # Privacy
//!
//! Row-local: the result is a function of one sample and of the public list of features. So
//! neighboring tables still differ in one sample, and no budget is spent.
//!
//! # Cost
//!
//! Two passes over a sample in memory. Columns of a matrix are no longer scored in place but held,
//! 8 bytes per value.

use crate::table::batch::Value;

/// Replaces the content of `out` by the values of a sample, its numbers as counts per million.
pub(crate) fn per_million<A: Value>(values: &[A], out: &mut Vec<f64>) {
    out.clear();
    out.extend(values.iter().map(|value| -> f64 { (*value).into() }));
    let numbers = || out.iter().filter(|value| value.is_finite());
    let sum: f64 = numbers().sum();
    let is_share = sum > 0.0 && sum.is_finite() && !numbers().any(|value| *value < 0.0);
    for value in out.iter_mut().filter(|value| value.is_finite()) {
        *value = if is_share { *value / sum * 1e6 } else { f64::NAN };
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::Path;

    use super::*;
    use crate::table::collected::Collected;
    use crate::table::open_table::{Table, UsableSamples, fold, hold};
    use crate::table::target::TargetCell;
    use crate::table::{FileTable, Opening, Orientation, PreparedTable, Source, TargetColumn};

    fn shares(values: &[f64]) -> Vec<f64> {
        let mut out = vec![7.0];
        per_million(values, &mut out);
        out
    }

    #[test]
    fn numbers_become_shares_of_their_sum() {
        assert_eq!(shares(&[1.0, 3.0, 0.0, 4.0]), [125_000.0, 375_000.0, 0.0, 500_000.0]);
        assert_eq!(shares(&[5.0]), [1e6]);
        assert!(shares(&[]).is_empty());
        // The sequencing depth does not change a bit, and large numbers do not overflow.
        assert_eq!(shares(&[1.0, 6.0]), shares(&[3.0, 18.0]));
        assert_eq!(shares(&[1e308, 0.0]), [1e6, 0.0]);
        // Integers and floats of any width are the same numbers.
        let mut of_bytes = Vec::new();
        per_million(&[1u8, 6], &mut of_bytes);
        assert_eq!(of_bytes, shares(&[1.0, 6.0]));
    }

    #[test]
    fn non_numbers_count_zero_and_stay() {
        let word = f64::from_bits(f64::NAN.to_bits() | 5);
        let others = [f64::NAN, word, f64::INFINITY, f64::NEG_INFINITY];
        for other in others {
            let found = shares(&[1.0, other, 1.0]);
            assert_eq!(found[1].to_bits(), other.to_bits());
            assert_eq!([found[0], found[2]], [500_000.0; 2]);
        }
        // Without a sum there are no shares.
        for wrong in [-1.0, -1e-300, f64::MAX] {
            let found = shares(&[f64::MAX, word, wrong]);
            assert_eq!(found[1].to_bits(), word.to_bits());
            assert!([found[0], found[2]].iter().all(|v| v.to_bits() == f64::NAN.to_bits()));
        }
        assert!(shares(&[0.0, -0.0, 0.0]).iter().all(|value| value.is_nan()));
    }

    /// Numbers whose sum depends on the order: 2^53 swallows a single 1, but not two at once.
    const LARGE: f64 = 9_007_199_254_740_992.0;
    const ROWS: [[f64; 5]; 7] = [
        [LARGE, 1.0, 1.0, 1.0, 5.0],
        [1.0, 1.0, 1.0, LARGE, 5.0],
        [1.0, 2.0, f64::NAN, 4.0, 8.0],
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [3.0, -1.0, 2.0, 2.0, 2.0],
        [0.5, 0.25, 0.125, 7.0, 9.0],
        [1.0, 0.0, 0.0, 0.0, LARGE],
    ];

    /// The bits of all rows, each with its target, in the order of the targets; a missing value
    /// as 0.
    fn bits(source: &impl Source, threads: usize) -> Vec<[u64; 5]> {
        let opening = Opening::of_all_rows(threads);
        let mut found: Option<Vec<[u64; 5]>> = None;
        for way in 0..3 {
            let rows = bits_of(source.open(&opening).unwrap(), way);
            assert_eq!(*found.get_or_insert(rows.clone()), rows, "way {way}");
        }
        found.unwrap()
    }

    /// The same by a fold over samples, by all columns, or by columns held one at a time.
    fn bits_of(table: Box<dyn Table + '_>, way: usize) -> Vec<[u64; 5]> {
        let mut table = PreparedTable::new(table).per_million(true);
        let format = table.format().clone();
        let code = |cell: TargetCell<'_>| cell.number(&format);
        let (columns, targets): (Vec<Vec<f64>>, Vec<f64>) = match way {
            0 => {
                let rows = fold(&mut table, &Collected::default).unwrap().0;
                let column = |i: usize| rows.iter().map(|(_, row)| row[i]).collect();
                ((0..5).map(column).collect(), rows.iter().map(|(y, _)| *y).collect())
            }
            1 => {
                let usable = table.columns(None, &code).unwrap();
                ((0..5).map(|i| usable.columns.to_vec(i)).collect(), usable.targets)
            }
            _ => {
                let held = |i| hold(&mut table, &[i], None, &code).unwrap();
                let held: Vec<_> = (0..5).map(held).collect();
                // Threads may mix rows otherwise in each pass.
                let sorted = |usable: &UsableSamples<'_>| {
                    let values = usable.columns.to_vec(0);
                    let mut rows: Vec<_> = usable.targets.iter().zip(values).collect();
                    rows.sort_by(|a, b| a.0.total_cmp(b.0));
                    rows.into_iter().map(|(_, value)| value).collect()
                };
                (held.iter().map(sorted).collect(), (0..7).map(f64::from).collect())
            }
        };
        let mut rows: Vec<usize> = (0..targets.len()).collect();
        rows.sort_by(|a, b| targets[*a].total_cmp(&targets[*b]));
        let bits = |value: f64| if value.is_nan() { 0 } else { value.to_bits() };
        let row = |&row: &usize| [0, 1, 2, 3, 4].map(|i| bits(columns[i][row]));
        rows.iter().map(row).collect()
    }

    fn file(folder: &Path, name: &str, bytes: &[u8]) -> FileTable {
        let path = folder.join(name);
        std::fs::File::create(&path).unwrap().write_all(bytes).unwrap();
        FileTable::new(path)
    }

    /// A matrix as numpy writes it.
    fn npy(kind: &str, fortran: bool, shape: [usize; 2], values: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let header = format!(
            "{{'descr': '{kind}', 'fortran_order': {order}, 'shape': ({}, {}), }}",
            shape[0], shape[1]
        );
        let padded = format!("{header:<117}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((padded.len() as u16).to_le_bytes());
        bytes.extend(padded.as_bytes());
        bytes.extend(values);
        bytes
    }

    /// Every format, orientation, memory order, number of threads and way through a table gives the
    /// same bits as a sum from the first feature to the last.
    #[test]
    fn the_order_of_the_sum_is_that_of_the_features() {
        let expected: Vec<[u64; 5]> = ROWS
            .iter()
            .map(|row| {
                let mut sum = 0.0;
                for value in row {
                    sum += if value.is_nan() { 0.0 } else { *value };
                }
                let missing = sum == 0.0 || row.contains(&-1.0);
                row.map(|value| match missing || value.is_nan() {
                    true => 0,
                    false => (value / sum * 1e6).to_bits(),
                })
            })
            .collect();
        // The order matters for the first two rows: 5 more than 2^53, or 8 more.
        assert_ne!(expected[0][0], expected[1][3]);

        let folder = tempfile::tempdir().unwrap();
        let cell = |value: &f64| if value.is_nan() { "NA".into() } else { value.to_string() };
        let mut text = String::from("id,left,a,b,c,d,e,y\n");
        for (y, row) in ROWS.iter().enumerate() {
            let cells: Vec<String> = row.iter().map(cell).collect();
            text += &format!("r{y},99,{},{y}\n", cells.join(","));
        }
        let mut turned = String::from(",r0,r1,r2,r3,r4,r5,r6\ny,0,1,2,3,4,5,6\n");
        for (i, name) in ["a", "b", "left", "c", "d", "e"].iter().enumerate() {
            let place = if i < 2 { i } else { i.saturating_sub(1) };
            let cells: Vec<String> = match *name {
                "left" => vec!["99".into(); 7],
                _ => ROWS.iter().map(|row| cell(&row[place])).collect(),
            };
            turned += &format!("{name},{}\n", cells.join(","));
        }
        let quoted = text.replace(",99,", ",\"99\",");
        let targets = folder.path().join("y.csv");
        std::fs::write(&targets, "y\n0\n1\n2\n3\n4\n5\n6\n").unwrap();
        let narrow: Vec<u8> =
            ROWS.iter().flatten().flat_map(|v| (*v as f32).to_le_bytes()).collect();
        let by_feature = (0..5).flat_map(|i| ROWS.iter().map(move |row| row[i]));
        let wide: Vec<u8> = by_feature.flat_map(f64::to_le_bytes).collect();
        let folder = folder.path();
        let excluding = |table: FileTable| table.exclude(["left"]);
        let rows = |table: FileTable| {
            let table = table.orientation(Orientation::FeaturesAsRows);
            table.target_column(TargetColumn::Named("y".into())).exclude(["left"])
        };
        let with_targets = |table: FileTable| table.target_file(&targets);
        let tables = [
            excluding(file(folder, "plain.csv", text.as_bytes()).id("id")),
            excluding(file(folder, "quoted.csv", quoted.as_bytes()).id("id")),
            rows(file(folder, "turned.csv", turned.as_bytes())),
            with_targets(file(folder, "f4.npy", &npy("<f4", false, [7, 5], &narrow))),
            with_targets(file(folder, "f8.npy", &npy("<f8", true, [7, 5], &wide))),
            with_targets(file(folder, "rows.npy", &npy("<f8", false, [5, 7], &wide)))
                .orientation(Orientation::FeaturesAsRows),
        ];
        for (i, table) in tables.iter().enumerate() {
            for threads in [1, 3] {
                assert_eq!(bits(table, threads), expected, "table {i}, {threads} threads");
            }
        }
        #[cfg(feature = "ndarray")]
        {
            use crate::ArrayTable;
            let x = ndarray::Array2::from_shape_fn((7, 5), |(row, i)| ROWS[row][i]);
            let y = ndarray::Array1::from_iter((0..7).map(f64::from));
            let by_feature = x.t().as_standard_layout().into_owned();
            for x in [x.view(), by_feature.t()] {
                let table = ArrayTable::new(x, y.view()).unwrap();
                assert_eq!(
                    [1, 3].map(|threads| bits(&table, threads)),
                    [expected.clone(), expected.clone()]
                );
            }
            let x = x.mapv(|value| value as f32);
            assert_eq!(bits(&ArrayTable::new(x.view(), y.view()).unwrap(), 2), expected);
        }
    }
}
