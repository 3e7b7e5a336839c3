//! The library as used in a pipeline: one request gives the same result to the bit on every kind of
//! table, the parts reproduce the whole, and results that are not private cannot be used as a
//! release.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use std::io::Cursor;

use dpsis::score::{ClassSums, CorrelationSums, kendall, kendall_of_classes, ks, ks_of_classes};
use dpsis::{
    ArrayTable, Bounds, CanonicalLipschitz, Center, CheckedSelect, Epsilon, Error, ErrorKind,
    FileTable, GRID, Mechanism, Neighbors, NotPrivate, NotPrivateSelect, Orientation, Parameter,
    Record, ScaleUsed, Scaler, Scaling, ScoreKind, Scores, Seeded, Select, Selection, Target,
    WarningKind, estimate,
};
use dpsis_mechanisms::support::effort::exhaustive;
use ndarray::{Array1, Array2, Axis, ShapeBuilder, Slice, array};
use proptest::prelude::*;

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/demo.csv");

/// The demo table: feature names, features (n x d), response.
fn demo() -> (Vec<String>, Array2<f64>, Array1<f64>) {
    let mut reader = csv::Reader::from_path(DEMO).unwrap();
    let mut names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    names.pop();
    let cells: Vec<f64> = reader
        .records()
        .flat_map(|row| row.unwrap().iter().map(|cell| cell.parse().unwrap()).collect::<Vec<_>>())
        .collect();
    let table = Array2::from_shape_vec((cells.len() / (names.len() + 1), names.len() + 1), cells);
    let table = table.unwrap();
    let d = names.len();
    (names, table.slice_axis(Axis(1), Slice::from(..d)).to_owned(), table.column(d).to_owned())
}

fn select() -> Select {
    Select::new(5).epsilon("0.7")
}

fn canonical() -> Select {
    select().mechanism(CanonicalLipschitz::default())
}

/// The content of a record, except for the place of the target.
fn json_of(record: &Record) -> String {
    let mut json = serde_json::to_value(record).unwrap();
    json["target"]["name"] = "y".into();
    json["target"]["column"] = 0.into();
    json.to_string()
}

/// Requests with every score, scaling, target coding and neighbor relation.
fn requests() -> Vec<Select> {
    let bounded = Target::Bounded(Bounds::new(-4.0, 4.0).unwrap());
    vec![
        select(),
        select().bounds(-2.0, 2.0),
        select().bounds(-2.0, 2.0).target(bounded.clone()).neighbors(Neighbors::ReplaceOne),
        select().target(bounded).center(Center::Given(0.5)),
        select().score(ScoreKind::Kendall),
        select().shares("0.2", "0.1"),
    ]
}

#[test]
fn files_readers_and_matrices_agree_to_the_bit() {
    let (names, x, y) = demo();
    let mut by_column = Array2::zeros(x.raw_dim().f());
    by_column.assign(&x);
    assert!(!by_column.is_standard_layout());
    let genes_as_rows = x.t().to_owned();
    for request in requests() {
        for threads in [1, 3] {
            let request = request.clone().threads(threads).seed(11);
            let expected = json_of(&request.run(DEMO).unwrap());
            let reader = FileTable::from_reader(std::fs::File::open(DEMO).unwrap());
            assert_eq!(json_of(&request.run(&reader).unwrap()), expected);
            for view in [x.view(), by_column.view(), genes_as_rows.t()] {
                let table = ArrayTable::new(view, y.view()).unwrap().feature_names(names.clone());
                let record = request.run(&table.unwrap()).unwrap();
                assert_eq!(json_of(&record), expected);
                assert_eq!(record.target.name, None);
            }
        }
    }
}

/// 32-bit floats and integers that are exactly representable give the same result as 64-bit floats.
#[test]
fn element_types_agree() {
    let x = Array2::from_shape_fn((60, 4), |(i, j)| ((i * (j + 3) * 37) % 50) as i16);
    let y = Array1::from_shape_fn(60, |i| (i % 7) as f32 * 0.5);
    let run = |request: &NotPrivateSelect| {
        let of = |table: Result<Record, Error>| json_of(&table.unwrap());
        let wide = x.mapv(f64::from);
        let single = x.mapv(f32::from);
        let y64 = y.mapv(f64::from);
        [
            of(request
                .run(&ArrayTable::new(x.view(), y.view()).unwrap())
                .map(NotPrivate::into_inner)),
            of(request
                .run(&ArrayTable::new(wide.view(), y64.view()).unwrap())
                .map(NotPrivate::into_inner)),
            of(request
                .run(&ArrayTable::new(single.view(), y.view()).unwrap())
                .map(NotPrivate::into_inner)),
        ]
    };
    for request in [Select::new(2).epsilon("1"), Select::new(2).epsilon("1").bounds(0.0, 49.0)] {
        let [integers, wide, single] = run(&request.seed(3));
        assert_eq!(integers, wide);
        assert_eq!(single, wide);
    }
}

/// Labels of several types are compared by their text form.
#[test]
fn labels_are_compared_by_their_text() {
    let x = Array2::from_shape_fn((40, 3), |(i, j)| ((i * (j + 1)) % 9) as f64);
    let class = Array1::from_shape_fn(40, |i| i % 2);
    let request = |labels: [&str; 2]| {
        let labels = labels.map(str::to_owned).to_vec();
        Select::new(1).epsilon("1").target(Target::Classes(labels)).seed(5)
    };
    let picks = |record: NotPrivate<Record>| record.indices();
    let numbers = request(["0", "1"]);
    let expected = picks(numbers.run(&ArrayTable::new(x.view(), class.view()).unwrap()).unwrap());
    let floats = class.mapv(|c| c as f64);
    let same = numbers.run(&ArrayTable::new(x.view(), floats.view()).unwrap()).unwrap();
    assert_eq!(picks(same), expected);
    let flags = class.mapv(|c| c == 1);
    let same = request(["false", "true"]);
    assert_eq!(
        picks(same.run(&ArrayTable::new(x.view(), flags.view()).unwrap()).unwrap()),
        expected
    );
    let words = class.mapv(|c| ["no", "yes"][c]);
    let same = request(["no", "yes"]);
    assert_eq!(
        picks(same.run(&ArrayTable::new(x.view(), words.view()).unwrap()).unwrap()),
        expected
    );
    let none = request(["No", "Yes"]).run(&ArrayTable::new(x.view(), words.view()).unwrap());
    assert_eq!(none.unwrap_err().kind(), ErrorKind::Input);
}

/// The type of a target of booleans is public: its values are classes, and only such labels fit.
#[test]
fn booleans_are_classes() {
    let x = Array2::from_shape_fn((200, 3), |(i, j)| ((i * (j + 3)) % 9) as f64);
    let flags = Array1::from_shape_fn(200, |i| i % 2 == 0);
    let table = ArrayTable::new(x.view(), flags.view()).unwrap();
    let select = || Select::new(1).epsilon("2");
    for refused in [select(), select().target(Target::classes(["no", "yes"]))] {
        let error = refused.seed(5).run(&table).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Request);
        assert_eq!(error.parameters(), [Parameter::Classes]);
    }
    for labels in [["0", "1"], ["False", "True"], ["1", "0"]] {
        select().target(Target::classes(labels)).seed(5).run(&table).unwrap();
    }
    select().target(Target::Numeric).seed(5).run(&table).unwrap();
}

/// The parts, combined by hand with the same seed, select the same features as the request.
#[test]
fn the_parts_rebuild_the_whole() {
    let (names, x, y) = demo();
    let seed = Seeded(21);
    let request = canonical().scaling(Scaling::RowRank).neighbors(Neighbors::AddRemove).seed(21);
    let table = ArrayTable::new(x.view(), y.view()).unwrap().feature_names(names).unwrap();
    let whole = request.run(&table).unwrap();

    let part = |index: usize| whole.guarantee.spent[index].epsilon.clone();
    let relation = Neighbors::AddRemove;
    let median = estimate::median(y.iter().copied(), relation, &part(0), seed).unwrap();
    assert_eq!(whole.released.target_median, Some(*median));
    let (mut sums, mut other) = (CorrelationSums::new(300), CorrelationSums::new(300));
    let mut scaler = Scaler::new(&Scaling::RowRank);
    let mut codes = Vec::new();
    for (i, (row, &target)) in x.rows().into_iter().zip(&y).enumerate() {
        scaler.scale(row.iter().map(|&value| Some(value)), &mut codes);
        let code = if target > *median { GRID } else { -GRID } as i16;
        let block = if i % 3 == 0 { &mut sums } else { &mut other };
        block.add_row(&codes, code).unwrap();
    }
    sums.add_sums(&other).unwrap();
    assert_eq!(sums.rows(), 640);
    let center = estimate::center(sums.target_sums(), relation, &part(1), seed).unwrap();
    assert_eq!(whole.released.rows_estimate, Some(center.1.rows));
    let scores = sums.scores(center.0, relation).unwrap();
    let mechanism = CanonicalLipschitz::default();
    assert_eq!(*mechanism.pick(&scores, 5, &part(2), seed).unwrap(), whole.indices());

    let center = 2000;
    let by_default = canonical().target(Target::Bounded(Bounds::new(-4.0, 4.0).unwrap()));
    let given = by_default.center(Center::Given(8.0 * 2000.0 / (2.0 * f64::from(GRID))));
    let whole = given.seed(21).run(&table).unwrap();
    let coded = y.mapv(|target| Some(Bounds::new(-4.0, 4.0).unwrap().to_grid(target)));
    let scores = ks(x.view(), coded.view(), center, relation).unwrap();
    let epsilon: Epsilon = "0.7".parse().unwrap();
    assert_eq!(*mechanism.pick(&scores, 5, &epsilon, seed).unwrap(), whole.indices());

    let by_rank = canonical().score(ScoreKind::Kendall).seed(21).run(&table).unwrap();
    let scores = kendall(x.view(), y.view(), relation).unwrap();
    let epsilon: Epsilon = "0.7".parse().unwrap();
    assert_eq!(*mechanism.pick(&scores, 5, &epsilon, seed).unwrap(), by_rank.indices());

    let replaced = canonical().bounds(-2.0, 2.0).neighbors(Neighbors::ReplaceOne);
    let bounded = Bounds::new(-4.0, 4.0).unwrap();
    let whole = replaced.target(Target::Bounded(bounded)).seed(21).run(&table).unwrap();
    let scaling = Scaling::Bounds(Bounds::new(-2.0, 2.0).unwrap());
    let (mut sums, mut scaler) = (CorrelationSums::new(300), Scaler::new(&scaling));
    for (row, &target) in x.rows().into_iter().zip(&y) {
        scaler.scale(row.iter().map(|&value| Some(value)), &mut codes);
        sums.add_row(&codes, bounded.to_grid(target)).unwrap();
    }
    let part = |index: usize| whole.guarantee.spent[index].epsilon.clone();
    let replaced = Neighbors::ReplaceOne;
    let center = estimate::center(sums.target_sums(), replaced, &part(0), seed).unwrap();
    let scores = sums.scores(center.0, replaced).unwrap();
    assert_eq!(*mechanism.pick(&scores, 5, &part(1), seed).unwrap(), whole.indices());
}

#[test]
fn the_parts_for_classes_rebuild_the_whole() {
    let (_, x, y) = demo();
    let class = y.mapv(|v| if v < -0.5 { 0 } else { 1 + usize::from(v > 0.5) });
    let labels = ["0", "1", "2"].map(str::to_owned).to_vec();
    let table = ArrayTable::new(x.view(), class.view()).unwrap();
    let by_class = || canonical().target(Target::Classes(labels.clone()));
    let whole = by_class().scaling(Scaling::RowRank).seed(2).run(&table).unwrap();
    let part = |index: usize| whole.guarantee.spent[index].epsilon.clone();
    let mut sums = ClassSums::new(300, 3);
    let mut scaler = Scaler::new(&Scaling::RowRank);
    let mut codes = Vec::new();
    for (row, &class) in x.rows().into_iter().zip(&class) {
        scaler.scale(row.iter().map(|&value| Some(value)), &mut codes);
        sums.add_row(&codes, class).unwrap();
    }
    let (relation, seed) = (Neighbors::AddRemove, Seeded(2));
    let centers = estimate::class_centers(sums.rows(), relation, &part(0), seed).unwrap();
    let scores = sums.scores(&centers.0, relation).unwrap();
    let mechanism = CanonicalLipschitz::default();
    assert_eq!(*mechanism.pick(&scores, 5, &part(1), seed).unwrap(), whole.indices());

    let whole = by_class().seed(2).run(&table).unwrap();
    let scores = ks_of_classes(x.view(), class.mapv(Some).view(), &centers.0, relation).unwrap();
    assert_eq!(*mechanism.pick(&scores, 5, &part(1), seed).unwrap(), whole.indices());

    let request = by_class().score(ScoreKind::Kendall).seed(2);
    let whole = request.run(&table).unwrap();
    let scores = kendall_of_classes(x.view(), class.mapv(Some).view(), 3, relation).unwrap();
    let epsilon: Epsilon = "0.7".parse().unwrap();
    assert_eq!(*mechanism.pick(&scores, 5, &epsilon, seed).unwrap(), whole.indices());
}

/// The parts reject wrong input with an error and remain unchanged.
#[test]
fn parts_reject_invalid_input() {
    let kind = |error: Error| assert_eq!(error.kind(), ErrorKind::Request, "{error}");
    let mut sums = CorrelationSums::new(2);
    kind(sums.add_row(&[1], 1).unwrap_err());
    kind(sums.add_row(&[i16::MIN, 1], 1).unwrap_err());
    kind(sums.add_row(&[1, 1], i16::MIN).unwrap_err());
    kind(sums.add_sums(&CorrelationSums::new(3)).unwrap_err());
    assert_eq!((sums.rows(), sums.target_sums()), (0, (0, 0)));
    kind(sums.scores(GRID + 1, Neighbors::AddRemove).unwrap_err());
    kind(sums.scores(i32::MIN, Neighbors::AddRemove).unwrap_err());
    kind(CorrelationSums::new(0).scores(0, Neighbors::AddRemove).unwrap_err());
    let mut sums = ClassSums::new(2, 2);
    kind(sums.add_row(&[1, 1], 2).unwrap_err());
    kind(sums.add_row(&[1], 1).unwrap_err());
    kind(sums.add_sums(&ClassSums::new(2, 3)).unwrap_err());
    kind(sums.scores(&[1], Neighbors::AddRemove).unwrap_err());
    kind(sums.scores(&[1, -1], Neighbors::AddRemove).unwrap_err());
    kind(ClassSums::new(0, 0).scores(&[], Neighbors::AddRemove).unwrap_err());
    let epsilon: Epsilon = "1".parse().unwrap();
    for relation in [Neighbors::AddRemove, Neighbors::ReplaceOne] {
        let most = (u64::MAX, u64::MAX);
        assert!(estimate::center(most, relation, &epsilon, Seeded(1)).is_ok());
    }
    assert!(estimate::class_centers(&[], Neighbors::AddRemove, &epsilon, Seeded(1)).is_ok());
    let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let nothing = estimate::median(values, Neighbors::AddRemove, &epsilon, Seeded(1)).unwrap();
    let empty = estimate::median([], Neighbors::AddRemove, &epsilon, Seeded(1)).unwrap();
    assert_eq!(nothing, empty);
    let x: Array2<f64> = array![[1.0], [2.0]];
    kind(kendall(x.view(), array![1.0].view(), Neighbors::AddRemove).unwrap_err());
    kind(
        kendall(
            x.slice_axis(Axis(1), Slice::from(..0)),
            array![1.0, 2.0].view(),
            Neighbors::AddRemove,
        )
        .unwrap_err(),
    );
    let classes = array![Some(0), Some(9)];
    kind(kendall_of_classes(x.view(), classes.view(), 1, Neighbors::AddRemove).unwrap_err());
    assert!(kendall_of_classes(x.view(), classes.view(), 2, Neighbors::AddRemove).is_ok());
}

#[test]
fn wrong_tables_are_refused() {
    let (x, y) = (array![[1.0, 2.0], [3.0, 4.0]], array![1.0, 2.0]);
    let kind = |error: Error| error.kind();
    assert_eq!(
        kind(ArrayTable::new(x.view(), array![1.0].view()).err().unwrap()),
        ErrorKind::Request
    );
    let table = || ArrayTable::new(x.view(), y.view()).unwrap();
    for names in [vec!["a"], vec!["a", "a"], vec!["a", ""], vec!["a", "b\nc"]] {
        assert_eq!(kind(table().feature_names(names).err().unwrap()), ErrorKind::Request);
    }
    let request = || Select::new(1).epsilon("1");
    let run = |request: Select| kind(request.run(&table()).unwrap_err());
    assert_eq!(run(Select::new(1)), ErrorKind::Request);
    assert_eq!(run(Select::new(3).epsilon("1")), ErrorKind::Request);
    assert_eq!(run(request().bounds(f64::NAN, 1.0)), ErrorKind::Request);
    let one = vec![Bounds::new(0.0, 1.0).unwrap()];
    assert_eq!(run(request().scaling(Scaling::BoundsByFeature(one))), ErrorKind::Request);
    // Whether any row has a usable target is private, so a table without one is not an error.
    let none = array![f64::NAN, f64::INFINITY];
    let unusable = ArrayTable::new(x.view(), none.view()).unwrap();
    let empty = Array2::<f64>::zeros((0, 2));
    let no_rows = ArrayTable::new(empty.view(), Array1::<f64>::zeros(0).view()).unwrap();
    for request in [request(), request().score(ScoreKind::Correlation)] {
        assert!(request.run(&unusable).is_ok() && request.run(&no_rows).is_ok());
    }
    let no_columns = ArrayTable::new(x.slice_axis(Axis(1), Slice::from(..0)), y.view()).unwrap();
    assert_eq!(kind(request().run(&no_columns).unwrap_err()), ErrorKind::Input);
    // A reader is consumed by one run.
    let reader = FileTable::from_reader(Cursor::new("a,b,y\n1,2,3\n4,5,6\n"));
    assert!(request().run(&reader).is_ok());
    assert_eq!(kind(request().run(&reader).unwrap_err()), ErrorKind::Request);
}

/// Bounds given for each feature are equivalent to a bounds file.
#[test]
fn bounds_by_feature() {
    let x = Array2::from_shape_fn((30, 2), |(i, j)| ((i * (j + 2)) % 11) as f64);
    let y = Array1::from_shape_fn(30, |i| (i % 11) as f64);
    let table = ArrayTable::new(x.view(), y.view()).unwrap().feature_names(["a", "b"]).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "feature,lo,hi\nb,0,4\na,2,10\n").unwrap();
    let bounds = [(2.0, 10.0), (0.0, 4.0)].map(|(low, high)| Bounds::new(low, high).unwrap());
    let given = Select::new(1).epsilon("1");
    let from_file = given.clone().bounds_file(file.path()).seed(9).run(&table).unwrap();
    let by_feature = given.scaling(Scaling::BoundsByFeature(bounds.to_vec())).seed(9);
    let by_feature = by_feature.run(&table).unwrap();
    assert_eq!(from_file.selected, by_feature.selected);
    assert_eq!(from_file.released, by_feature.released);
    assert_eq!(
        (from_file.score.scale, by_feature.score.scale),
        (ScaleUsed::BoundsFile, ScaleUsed::BoundsByFeature)
    );
    assert!(dpsis::report::report(&by_feature).contains("to its own given range"));
}

#[test]
fn the_plan_is_known_without_the_data() {
    let (names, x, y) = demo();
    let table = ArrayTable::new(x.view(), y.view()).unwrap().feature_names(names).unwrap();
    let mut of_file = select().dry_run(DEMO).unwrap();
    // The target is outside a matrix, and in the file.
    let place = (of_file.target.name.take(), of_file.target.column.take());
    assert_eq!(place, (Some("response".to_owned()), Some(301)));
    assert_eq!(select().dry_run(&table).unwrap(), of_file);
}

/// Types that pipelines move between threads.
#[test]
fn everything_can_be_sent_and_shared() {
    fn both<T: Send + Sync>() {}
    both::<Select>();
    both::<CheckedSelect>();
    both::<NotPrivateSelect>();
    both::<Selection>();
    both::<NotPrivate<Record>>();
    both::<FileTable>();
    both::<ArrayTable<'_, f64>>();
    both::<Scores>();
    both::<CorrelationSums>();
    both::<ClassSums>();
    both::<CanonicalLipschitz>();
    both::<Epsilon>();
    both::<Error>();
    both::<dpsis::DryRun>();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any matrix, with NaN, infinities, ties or without rows, gives a release or an error, and the
    /// same on one thread and on three and in both memory orders.
    #[test]
    fn any_matrix(
        rows in 0usize..8,
        columns in 0usize..5,
        cells in prop::collection::vec(
            prop_oneof![any::<f64>(), Just(f64::NAN), Just(f64::INFINITY), Just(1.0), Just(-0.0)], 40),
        k in 0usize..6,
        way in 0usize..4,
    ) {
        let x = Array2::from_shape_fn((rows, columns), |(i, j)| cells[i * 4 + j]);
        let y = Array1::from_shape_fn(rows, |i| cells[39 - i]);
        let base = Select::new(k).epsilon("1");
        let request = match way {
            0 => base,
            1 => base.bounds(-1.0, 1e9),
            2 => base.scaling(Scaling::RowRank).target(Target::Bounded(Bounds::new(0.0, 1.0).unwrap())),
            _ => base.target(Target::Classes(vec!["1".into(), "0".into(), "NaN".into()])),
        };
        let mut by_column = Array2::zeros(x.raw_dim().f());
        by_column.assign(&x);
        let run = |x: &Array2<f64>, threads| {
            let table = ArrayTable::new(x.view(), y.view()).unwrap();
            let record = request.clone().threads(threads).seed(1).run(&table);
            record.map(NotPrivate::into_inner).map_err(|error| error.to_string())
        };
        let outcome = run(&x, 1);
        prop_assert_eq!(&run(&x, 3), &outcome);
        prop_assert_eq!(&run(&by_column, 2), &outcome);
        if let Ok(record) = outcome {
            prop_assert_eq!(record.selected.len(), k);
        }
    }
}

/// With features as rows the header holds private ids. However many delimiters an id contains, it
/// does not change how lines are split.
#[test]
fn a_private_header_does_not_choose_the_delimiter() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let genes = |ids: &[String], cell: &str| {
        let line = |g: usize| {
            let values: Vec<String> = (0..20).map(|p| (p * g * g % 20).to_string()).collect();
            let more = if ids.len() > 20 { format!("\t{cell}") } else { String::new() };
            format!("g{g}\t{}{more}\n", values.join("\t"))
        };
        format!("gene\t{}\n{}", ids.join("\t"), (1..5).map(line).collect::<String>())
    };
    let ids: Vec<String> = (0..20).map(|p| format!("p{p}")).collect();
    let odd = format!("x,{}", ids.join(","));
    let longer = [&ids[..], &[odd]].concat();
    let targets: String = (0..20).map(|p| format!("p{p},{p}\n")).collect();
    let targets = write("y.csv", format!("id,y\n{targets}"));
    let run = |path: &std::path::Path| {
        let table = FileTable::new(path).orientation(Orientation::FeaturesAsRows);
        let request = Select::new(1).epsilon("1e6").score(ScoreKind::Kendall);
        let selection = request.run(&table.target_file(&targets)).unwrap();
        selection.selected.iter().map(|picked| picked.name.clone()).collect::<Vec<_>>()
    };
    let without = run(&write("a.tsv", genes(&ids, "")));
    let with = run(&write("b.tsv", genes(&longer, &"0,".repeat(20))));
    assert_eq!((without, with), (vec!["g1".to_owned()], vec!["g1".to_owned()]));
    // A delimiter that nothing else determines must be given.
    let untold = write("c", genes(&ids, ""));
    let table = || {
        let table = FileTable::new(&untold).orientation(Orientation::FeaturesAsRows);
        table.target_file(&targets)
    };
    let request = Select::new(1).epsilon("1");
    assert_eq!(request.run(&table()).unwrap_err().kind(), ErrorKind::Request);
    assert!(request.run(&table().delimiter(b'\t')).is_ok());
    // Any bytes are an id.
    let odd = write("d.tsv", genes(&[&ids[..6], &["\0".into()], &ids[7..]].concat(), ""));
    let table = FileTable::new(&odd).orientation(Orientation::FeaturesAsRows).target_file(&targets);
    assert!(request.run(&table).is_ok());
    // A name that looks like several cells is rejected.
    let wrong = FileTable::new(&odd).orientation(Orientation::FeaturesAsRows).delimiter(b';');
    assert!(request.run(&wrong.target_file(&targets)).is_err());
}

/// No similar column name is suggested if the header may be a row of data.
#[test]
fn hints_hold_no_cells() {
    let text = "Jane Doe 1951,5.1,case\nJoe Doe 1950,4.1,control\n";
    let table = FileTable::from_reader(text.as_bytes())
        .target_column(dpsis::TargetColumn::Named("cases".into()));
    let request = Select::new(1).epsilon("1");
    let error = request.target(Target::classes(["case", "control"])).run(&table).unwrap_err();
    assert!(!error.to_string().contains("mean"), "{error}");
}

/// NaN and infinite values are missing for the parts as well as for the whole.
#[test]
fn nan_and_infinite_values_are_missing() {
    for scaling in [Scaling::RowRank, Scaling::Bounds(Bounds::new(0.0, 8.0).unwrap())] {
        let mut scaler = Scaler::new(&scaling);
        let (mut with, mut without) = (Vec::new(), Vec::new());
        let odd =
            [Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY), Some(1.0), Some(7.0)];
        scaler.scale(odd, &mut with);
        scaler.scale(odd.map(|value| value.filter(|value| value.is_finite())), &mut without);
        assert_eq!(with, without);
        assert_eq!(with[..3], [0, 0, 0]);
    }
}

/// A warning, derived from released values: no grid point splits the target's values.
#[test]
fn a_one_sided_split_is_reported() {
    let x = Array2::from_shape_fn((500, 3), |(i, j)| ((i * (j + 3)) % 17) as f64);
    let warned = |y: Array1<f64>| {
        let request = Select::new(1).epsilon("20").bounds(0.0, 16.0);
        let selection = request.run(&ArrayTable::new(x.view(), y.view()).unwrap()).unwrap();
        selection.warnings.iter().any(|warning| warning.kind == WarningKind::OneSidedSplit)
    };
    assert!(warned(Array1::from_shape_fn(500, |i| 1.7e12 + i as f64)));
    assert!(warned(Array1::from_elem(500, 5.0)));
    assert!(!warned(Array1::from_shape_fn(500, |i| i as f64)));
}

/// A canceled power analysis does not draw the tables that it would still need, and ends at once at
/// any later stage.
#[test]
fn plans_can_be_canceled() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use dpsis::forecast::PlanOptions;
    const TABLES: usize = 200;
    let json =
        r#"{"rows": 500, "features": 50, "k": 2, "epsilon": "2", "tables": 200, "threads": 2}"#;
    let options = PlanOptions::from_json(json).unwrap();
    let calls = |wanted: usize| {
        let calls = AtomicUsize::new(0);
        let canceled = options.run(&|_| match calls.fetch_add(1, Ordering::Relaxed) < wanted {
            true => Ok(()),
            false => Err(Error::request("canceled")),
        });
        (calls.into_inner(), canceled.is_err())
    };
    let (all, canceled) = calls(usize::MAX);
    assert!(!canceled && all > 2 * TABLES, "{all} calls");
    for wanted in [0, 1, TABLES / 2, TABLES + 1, all - 1] {
        let (calls, canceled) = calls(wanted);
        // Both threads may be between two tables.
        assert!(canceled && calls <= wanted + 2, "{calls} calls after {wanted}");
    }
}

/// A canceled run stops soon at any stage and releases nothing; a callback that never cancels
/// changes nothing.
#[test]
fn runs_can_be_canceled() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let (names, x, y) = demo();
    let mut by_column = Array2::zeros(x.raw_dim().f());
    by_column.assign(&x);
    let array =
        |view| ArrayTable::new(view, y.view()).unwrap().feature_names(names.clone()).unwrap();
    let mut requests = requests();
    if cfg!(feature = "methods") {
        requests.push(select().method(dpsis::Method::TwoStage(dpsis::TwoStage::default())));
    }
    requests.push(select().method(dpsis::Method::DpKendall));
    for request in requests {
        let whole = request.clone().seed(3).run(DEMO).unwrap();
        let uncanceled = request.clone().cancel_when(|| false).seed(3);
        assert_eq!(uncanceled.run(DEMO).unwrap(), whole);
        assert_eq!(uncanceled.run(&array(by_column.view())).unwrap().selected.len(), 5);
        // A single call cancels, at any point of the run; skipped parts are never released.
        for limit in (0..12).step_by(if exhaustive() { 1 } else { 3 }) {
            let calls = Arc::new(AtomicUsize::new(0));
            let count = calls.clone();
            let once = move || count.fetch_add(1, Ordering::Relaxed) == limit;
            let canceled = request.clone().threads(2).cancel_when(once).seed(3);
            let runs = [
                canceled.run(DEMO).map(|record| json_of(&record)),
                canceled.run(&array(x.view())).map(|record| json_of(&record)),
                canceled.run(&array(by_column.view())).map(|record| json_of(&record)),
            ];
            for run in runs {
                match run {
                    Ok(record) => assert_eq!(record, json_of(&whole)),
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Canceled, "{error}"),
                }
            }
            // One of the three runs made the call that cancels.
            assert!(calls.load(Ordering::Relaxed) > limit);
        }
        for limit in [0, 2] {
            let calls = Arc::new(AtomicUsize::new(0));
            let count = calls.clone();
            let canceled = request
                .clone()
                .threads(2)
                .cancel_when(move || count.fetch_add(1, Ordering::Relaxed) >= limit);
            let errors = [
                canceled.run(DEMO).map(|_| ()),
                canceled.run(&array(x.view())).map(|_| ()),
                canceled.run(&array(by_column.view())).map(|_| ()),
            ];
            for error in errors {
                let error = error.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Canceled, "{error}");
            }
            // All threads stop soon: each calls once or twice more.
            assert!(calls.load(Ordering::Relaxed) < 40, "{calls:?}");
        }
    }
}

/// Columns that do not fit in memory are read in further passes: the same record to the bit.
#[test]
fn the_memory_for_columns_does_not_change_the_result() {
    let request = |memory| select().column_memory(memory).seed(5);
    let whole = request(u64::MAX).run(DEMO).unwrap();
    assert_eq!(whole.estimates.len(), 5);
    for memory in [0, 10_000, 500_000, 700_000] {
        assert_eq!(*request(memory).run(DEMO).unwrap(), *whole, "{memory}");
    }
    // A source that can be read only once is held whole.
    let bytes = std::fs::read(DEMO).unwrap();
    let reader = FileTable::from_reader(Cursor::new(bytes));
    assert_eq!(*request(10_000).run(&reader).unwrap(), *whole);
}

/// Samples of very different depth: a feature whose share separates the classes is best only per
/// million, on every way to the table and with any memory; bounds are then bounds of counts per
/// million.
#[test]
fn counts_per_million_undo_the_depth() {
    let n = 240;
    let is_case = |i: usize| i * 7 % 16 < 8;
    let mut x = Array2::from_shape_fn((n, 6), |(i, j)| {
        let share = if j == 2 && is_case(i) { 45 } else { 30 };
        let noise = (i * 131 + j * 977) * 7919 % 11;
        ((share + noise) << (i * 5 % 12)) as f64
    });
    // The last feature completes a constant total, so that shares do not influence each other.
    for i in 0..n {
        let others: f64 = x.row(i).iter().take(5).sum();
        x[(i, 5)] = f64::from(300 << (i * 5 % 12)) - others;
    }
    let y: Array1<&str> = (0..n).map(|i| if is_case(i) { "case" } else { "control" }).collect();
    let table = ArrayTable::new(x.view(), y.view()).unwrap();
    let request = || Select::new(1).epsilon("40").target(Target::classes(["control", "case"]));
    let exact = |select| {
        let scores = dpsis::Rehearsal::new(select, &table).unwrap().exact_scores().unwrap();
        scores.unwrap().into_inner().values().to_vec()
    };
    let (raw, shares) = (exact(request()), exact(request().counts_per_million()));
    let noise = [0, 1, 3, 4].map(|j| shares[j]).into_iter().max().unwrap();
    assert!(shares[2] > 2 * noise && shares[2] > 2 * raw[2], "{shares:?} {raw:?}");

    // In place, by feature, as text of either orientation, and with little memory.
    let mut rows = String::from("a,b,c,d,e,f,y\n");
    for (row, label) in x.rows().into_iter().zip(&y) {
        row.iter().for_each(|value| rows += &format!("{value},"));
        rows += &format!("{label}\n");
    }
    let mut turned: String = (0..n).map(|i| format!(",s{i}")).collect();
    for (name, column) in ["a", "b", "c", "d", "e", "f"].iter().zip(x.columns()) {
        turned += &format!("\n{name}");
        column.iter().for_each(|value| turned += &format!(",{value}"));
    }
    turned += &y.iter().fold("\ny".to_owned(), |line, label| line + "," + label);
    let by_feature = x.t().as_standard_layout().into_owned();
    let rows = || FileTable::from_reader(Cursor::new(rows.clone().into_bytes()));
    let turned = || {
        FileTable::from_reader(Cursor::new(turned.clone().into_bytes()))
            .delimiter(b',')
            .orientation(Orientation::FeaturesAsRows)
            .target_column(dpsis::TargetColumn::Named("y".into()))
    };
    let outcome_of = |record: NotPrivate<Record>| {
        assert!(record.score.per_million && !record.score.by_default);
        let picks: Vec<usize> = record.selected.iter().map(|picked| picked.index).collect();
        (picks, record.released.clone(), record.estimates.iter().map(|e| e.low).collect::<Vec<_>>())
    };
    for request in [
        request().counts_per_million(),
        request().counts_per_million().bounds(5e4, 2e5),
        request().counts_per_million().score(ScoreKind::Kendall),
        request().counts_per_million().column_memory(1000),
    ] {
        for threads in [1, 3] {
            let request = request.clone().threads(threads).seed(7);
            let expected = outcome_of(request.run(&table).unwrap());
            // The last feature mirrors the third.
            assert!(expected.0 == [2] || expected.0 == [5], "{expected:?}");
            let by_feature = ArrayTable::new(by_feature.t(), y.view()).unwrap();
            assert_eq!(outcome_of(request.run(&by_feature).unwrap()), expected);
            assert_eq!(outcome_of(request.run(&rows()).unwrap()), expected);
            assert_eq!(outcome_of(request.run(&turned()).unwrap()), expected);
        }
    }
    // Ranks within the row are unchanged.
    let ranked = |select: Select| exact(select.scaling(Scaling::RowRank));
    assert_eq!(ranked(request().counts_per_million()), ranked(request()));
}
