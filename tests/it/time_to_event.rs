//! A target at a horizon gives the record, to the bit, of a table with a column of classes that is
//! made by hand, in every format, request and part of a table.

use std::io::Write;
use std::path::Path;

use dpsis::{
    ErrorKind, FileTable, FileTables, FitModel, Neighbors, Orientation, Parameter, Refine, Result,
    Scaling, ScoreKind, Select, Source, Target, TargetColumn, TimeToEvent, UnitTarget,
};
use serde_json::Value;

const NO_EVENT: &str = "no event by 50";
const EVENT: &str = "event by 50";

/// A row: its features, the text of its time and of its event, and its class, computed
/// independently.
struct Row {
    features: [String; 3],
    time: String,
    event: String,
    class: &'static str,
    person: String,
}

fn rows() -> Vec<Row> {
    (0..400_usize).map(row).collect()
}

fn row(i: usize) -> Row {
    // Halves of numbers are exact in every type.
    let halves = (i * 53 % 199) as f64 - 8.0;
    let (time, is_time) = match i % 23 {
        0 => ("50".to_owned(), Some(50.0)),
        1 => (String::new(), None),
        2 => ("NA".to_owned(), None),
        _ => ((halves / 2.0).to_string(), Some(halves / 2.0).filter(|time| *time >= 0.0)),
    };
    let (event, is_event) = match i % 17 {
        0 => (String::new(), None),
        1 => ("2".to_owned(), Some(false)),
        2 | 3 | 5 | 7 | 11 | 13 => ("1".to_owned(), Some(true)),
        _ => ("0".to_owned(), Some(false)),
    };
    let class = match (is_time, is_event) {
        (Some(time), Some(true)) if time <= 50.0 => EVENT,
        (Some(time), Some(true)) if time > 50.0 => NO_EVENT,
        (Some(time), Some(false)) if time >= 50.0 => NO_EVENT,
        _ => "",
    };
    let shift = if class == EVENT { 3 } else { 0 };
    Row {
        features: [i * 7 % 11, i * 5 % 13 + shift, i * i % 17].map(|value| value.to_string()),
        time,
        event,
        class,
        person: format!("p{}", i / 2),
    }
}

fn events() -> TimeToEvent {
    TimeToEvent::new("days", ("died", "1"), 50.0).unwrap()
}

fn at_horizon(select: Select) -> Select {
    select.target(Target::TimeToEvent(events()))
}

fn by_hand(select: Select) -> Select {
    select.target(Target::classes([NO_EVENT, EVENT]))
}

/// The text of a table with the columns of times and events, in the given places.
fn with_events(rows: &[Row]) -> String {
    let row = |row: &Row| format!("{},{},{}\n", row.features.join(","), row.time, row.event);
    format!("a,b,c,days,died\n{}", rows.iter().map(row).collect::<String>())
}

fn with_classes(rows: &[Row]) -> String {
    let row = |row: &Row| format!("{},{}\n", row.features.join(","), row.class);
    format!("a,b,c,y\n{}", rows.iter().map(row).collect::<String>())
}

fn file(folder: &Path, name: &str, text: &str) -> FileTable {
    std::fs::write(folder.join(name), text).unwrap();
    FileTable::new(folder.join(name))
}

/// A record without the names of the target and the remedies.
fn record(select: Select, table: &(impl Source + ?Sized)) -> Value {
    let run = select.seed(5).run(table).unwrap();
    let mut record = serde_json::to_value(&run).unwrap();
    let fields = record.as_object_mut().unwrap();
    fields.remove("target").unwrap();
    for warning in fields["warnings"].as_array_mut().unwrap() {
        warning["text"].take();
    }
    record
}

fn requests() -> Vec<(&'static str, Select)> {
    let base = || Select::new(1).epsilon("4");
    let mut all = vec![
        ("ks", base()),
        ("ks without k", Select::significant().epsilon("4")),
        ("bins", base().bounds(0.0, 20.0).score(ScoreKind::Ks)),
        ("correlation", base().bounds(0.0, 20.0)),
        ("row ranks", base().scaling(Scaling::RowRank)),
        ("kendall", base().score(ScoreKind::Kendall)),
        ("replace one", base().neighbors(Neighbors::ReplaceOne)),
        ("direction", base().direction("0.05")),
        ("refined", base().refine(Refine::Gram)),
        ("strata", base().adjust(["c:8".parse().unwrap()])),
    ];
    if cfg!(feature = "methods") {
        let two_stage = dpsis::Method::TwoStage(dpsis::TwoStage::default());
        all.push(("two-stage", base().bounds(0.0, 20.0).method(two_stage)));
    }
    all
}

#[test]
fn every_request_gives_the_record_of_classes_by_hand() {
    let (rows, folder) = (rows(), tempfile::tempdir().unwrap());
    let events = file(folder.path(), "events.csv", &with_events(&rows));
    let classes = file(folder.path(), "classes.csv", &with_classes(&rows));
    for (name, select) in requests() {
        let expected = record(by_hand(select.clone()), &classes);
        assert_eq!(record(at_horizon(select), &events), expected, "{name}");
        assert_eq!(expected["score"]["classes"], serde_json::json!([NO_EVENT, EVENT]), "{name}");
    }
}

/// The result depends neither on the places of the two columns, nor on the notation of numbers, nor
/// on the way the table is read.
#[test]
fn every_way_to_read_a_text_gives_the_same() {
    let (rows, folder) = (rows(), tempfile::tempdir().unwrap());
    let folder = folder.path();
    let select = || Select::new(1).epsilon("4");
    let places = |mut record: Value| {
        record["selected"].as_array_mut().unwrap().iter_mut().for_each(|one| {
            one["column"].take();
        });
        record
    };
    let run = |select: Select, table: &dyn Source| places(record(at_horizon(select), table));
    let classes = file(folder, "classes.csv", &with_classes(&rows));
    let expected = places(record(by_hand(select()), &classes));
    let text = with_events(&rows);

    // Quotes, blanks and line ends; numbers of other forms.
    let quoted = |row: &Row| {
        let event = match &*row.event {
            "1" => "1.0",
            "0" => " false",
            other => other,
        };
        format!("\"{event}\",{},\" {} \"\r\n", row.features.join(","), row.time)
    };
    let quoted: String = rows.iter().map(quoted).collect();
    let front = file(folder, "front.csv", &format!("died,a,b,c,days\r\n{quoted}"));
    assert_eq!(run(select(), &front), expected, "quoted");

    // Decimal commas.
    let comma = text.replace(',', ";").replace('.', ",");
    let comma = file(folder, "comma.csv", &comma).decimal_comma(true);
    assert_eq!(run(select(), &comma), expected, "decimal comma");

    // Codes for missing values, in both columns.
    let coded = |row: &Row| {
        let code = |text: &str| if text.is_empty() { "-9.0".to_owned() } else { text.to_owned() };
        let (time, event) = (code(&row.time), code(&row.event));
        format!("{},{time},{event}\n", row.features.join(","))
    };
    let coded: String = rows.iter().map(coded).collect();
    let coded = file(folder, "coded.csv", &format!("a,b,c,days,died\n{coded}")).missing(["-9"]);
    assert_eq!(run(select(), &coded), expected, "codes");

    // gzip, and a reader that is read once.
    let gz = folder.join("events.csv.gz");
    let mut encoder =
        flate2::write::GzEncoder::new(std::fs::File::create(&gz).unwrap(), Default::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap();
    assert_eq!(run(select(), &FileTable::new(gz)), expected, "gzip");
    let reader = FileTable::from_reader(std::io::Cursor::new(text.clone()));
    assert_eq!(run(select(), &reader), expected, "reader");

    // Several files, the second with its columns in another order.
    let first = file(folder, "first.csv", &with_events(&rows[..150]));
    let turned = |row: &Row| {
        let [a, b, c] = &row.features;
        format!("{},{c},{},{a},{b}\n", row.event, row.time)
    };
    let turned: String = rows[150..].iter().map(turned).collect();
    let second = file(folder, "second.csv", &format!("died,c,days,a,b\n{turned}"));
    let both = FileTables::new([first, second]).unwrap();
    assert_eq!(run(select(), &both), expected, "two files");

    // A target file, by identifiers and by order.
    let x = |(i, row): (usize, &Row)| format!("id{i},{}\n", row.features.join(","));
    let x: String = rows.iter().enumerate().map(x).collect();
    let x = file(folder, "x.csv", &format!("who,a,b,c\n{x}"));
    let y = |(i, row): (usize, &Row)| format!("{},id{i},{}\n", row.event, row.time);
    let y: String = rows.iter().enumerate().map(y).collect();
    file(folder, "y.csv", &format!("died,who,days\n{y}"));
    let joined = x.clone().target_file(folder.join("y.csv")).id("who");
    assert_eq!(run(select(), &joined)["released"], expected["released"], "by identifiers");
    let y: String = rows.iter().map(|row| format!("{},{}\n", row.time, row.event)).collect();
    file(folder, "order.csv", &format!("days,died\n{y}"));
    let features = |row: &Row| format!("{}\n", row.features.join(","));
    let features: String = rows.iter().map(features).collect();
    let plain = file(folder, "plain.csv", &format!("a,b,c\n{features}"));
    let in_order = plain.target_file(folder.join("order.csv"));
    assert_eq!(run(select(), &in_order)["released"], expected["released"]);

    // Features as rows.
    let line = |name: &str, cell: &dyn Fn(&Row) -> String| {
        let cells: Vec<String> = rows.iter().map(cell).collect();
        format!("{name},{}\n", cells.join(","))
    };
    let ids: Vec<String> = (0..rows.len()).map(|i| format!("s{i}")).collect();
    let lines = [
        format!("name,{}\n", ids.join(",")),
        line("a", &|row| row.features[0].clone()),
        line("died", &|row| row.event.clone()),
        line("b", &|row| row.features[1].clone()),
        line("days", &|row| row.time.clone()),
        line("c", &|row| row.features[2].clone()),
    ];
    let lines = file(folder, "lines.csv", &lines.concat());
    let found = run(select(), &lines.orientation(Orientation::FeaturesAsRows));
    assert_eq!(found["released"], expected["released"]);
}

/// Typed columns: numbers of both widths and integers, booleans, texts and spans of time.
#[cfg(feature = "arrow")]
#[test]
fn typed_columns_give_the_same() {
    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, DurationSecondArray, Float32Array, Float64Array,
        Int64Array, RecordBatch, StringArray,
    };
    use std::sync::Arc;

    let (rows, folder) = (rows(), tempfile::tempdir().unwrap());
    let select = || Select::new(1).epsilon("4");
    let classes = file(folder.path(), "classes.csv", &with_classes(&rows));
    let expected = record(by_hand(select()), &classes);
    let numbers = |place: usize| -> ArrayRef {
        let cells = rows.iter().map(|row| row.features[place].parse::<f64>().unwrap());
        Arc::new(Float64Array::from_iter_values(cells))
    };
    let time = |row: &Row| row.time.parse::<f64>().ok();
    let times: Vec<(&str, ArrayRef)> = vec![
        ("f64", Arc::new(rows.iter().map(time).collect::<Float64Array>())),
        ("f32", Arc::new(rows.iter().map(|r| time(r).map(|t| t as f32)).collect::<Float32Array>())),
        ("text", Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.time)))),
    ];
    let event = |row: &Row| row.event.parse::<i64>().ok();
    let events: Vec<(&str, ArrayRef)> = vec![
        ("i64", Arc::new(rows.iter().map(event).collect::<Int64Array>())),
        ("bool", Arc::new(rows.iter().map(|r| event(r).map(|e| e == 1)).collect::<BooleanArray>())),
        ("text", Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.event)))),
    ];
    let batch = |time: &ArrayRef, event: &ArrayRef| {
        let columns = [
            ("a", numbers(0)),
            ("b", numbers(1)),
            ("c", numbers(2)),
            ("days", time.clone()),
            ("died", event.clone()),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.map(|(n, c)| (n, c, true))).unwrap()
    };
    for (of_times, time) in &times {
        for (of_events, event) in &events {
            let batch = batch(time, event);
            let table = FileTable::from_batches(batch.schema(), [batch.clone()]).unwrap();
            assert_eq!(record(at_horizon(select()), &table), expected, "{of_times} {of_events}");
            let path = folder.path().join(format!("{of_times}-{of_events}.parquet"));
            let written = std::fs::File::create(&path).unwrap();
            let mut writer =
                parquet::arrow::ArrowWriter::try_new(written, batch.schema(), None).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
            let table = FileTable::new(&path);
            assert_eq!(record(at_horizon(select()), &table), expected, "{}", path.display());
        }
    }
    // Spans of time are seconds.
    let seconds = rows.iter().map(|row| time(row).map(|time| (2.0 * time) as i64));
    let spans: ArrayRef = Arc::new(seconds.collect::<DurationSecondArray>());
    let batch_of_spans = batch(&spans, &events[1].1);
    let table = FileTable::from_batches(batch_of_spans.schema(), [batch_of_spans]).unwrap();
    let target = TimeToEvent::new("days", ("died", "true"), 100.0).unwrap();
    let found = record(select().target(Target::TimeToEvent(target)), &table);
    assert_eq!(found["released"], expected["released"]);
    // Dates are not durations.
    let dates: ArrayRef = Arc::new(Date32Array::from_iter_values(0..rows.len() as i32));
    let dated = batch(&dates, &events[0].1);
    let table = FileTable::from_batches(dated.schema(), [dated]).unwrap();
    let error = at_horizon(select()).run(&table).unwrap_err();
    assert_eq!((error.kind(), error.parameters()), (ErrorKind::Request, &[Parameter::Time][..]));
    assert!(error.to_string().contains("number of days"), "{error}");
}

#[cfg(feature = "ndarray")]
#[test]
fn matrices_give_the_same() {
    use dpsis::ArrayTable;
    use ndarray::{Array1, Array2};

    let rows = rows();
    let x = Array2::from_shape_fn((rows.len(), 3), |(i, j)| {
        rows[i].features[j].parse::<f64>().unwrap()
    });
    let number = |text: &String| text.parse::<f64>().unwrap_or(f64::NAN);
    let times: Array1<f64> = rows.iter().map(|row| number(&row.time)).collect();
    let ends: Array1<f64> = rows.iter().map(|row| number(&row.event)).collect();
    let classes: Array1<&str> = rows.iter().map(|row| row.class).collect();
    let names = ["a", "b", "c"];
    let by_class = ArrayTable::new(x.view(), classes.view()).unwrap().feature_names(names).unwrap();
    let by_event =
        ArrayTable::of_events(x.view(), times.view(), ends.view()).unwrap().feature_names(names);
    let by_event = by_event.unwrap();
    for (name, select) in requests() {
        let expected = record(by_hand(select.clone()), &by_class);
        assert_eq!(record(at_horizon(select), &by_event), expected, "{name}");
    }
    // Both or neither.
    for (request, table) in
        [(at_horizon(Select::new(1)), &by_class), (by_hand(Select::new(1)), &by_event)]
    {
        let error = request.epsilon("1").run(table).unwrap_err();
        assert_eq!(error.parameters()[0], Parameter::Time, "{error}");
    }
    let fewer: Array1<f64> = ends.iter().copied().skip(1).collect();
    assert!(ArrayTable::of_events(x.view(), times.view(), fewer.view()).is_err());
}

/// For people with several rows, the target of a person follows the same rules as for classes.
#[test]
fn targets_of_people_follow_their_rows() {
    let (rows, folder) = (rows(), tempfile::tempdir().unwrap());
    let row = |row: &Row, rest: &str| format!("{},{},{rest}\n", row.person, row.features.join(","));
    let of_events: String =
        rows.iter().map(|one| row(one, &format!("{},{}", one.time, one.event))).collect();
    let of_classes: String = rows.iter().map(|one| row(one, one.class)).collect();
    let events =
        file(folder.path(), "events.csv", &format!("who,a,b,c,days,died\n{of_events}")).unit("who");
    let classes =
        file(folder.path(), "classes.csv", &format!("who,a,b,c,y\n{of_classes}")).unit("who");
    for rule in [UnitTarget::Last, UnitTarget::AnyPositive] {
        let select = || Select::new(1).epsilon("4").unit_target(rule);
        let expected = record(by_hand(select()), &classes);
        assert_eq!(record(at_horizon(select()), &events), expected, "{rule:?}");
    }
    let mean = at_horizon(Select::new(1).epsilon("4").unit_target(UnitTarget::Mean));
    let error = mean.run(&events).unwrap_err();
    assert!(error.to_string().contains("classes have no mean"), "{error}");
}

#[test]
fn a_model_is_of_the_two_classes() {
    let (rows, folder) = (rows(), tempfile::tempdir().unwrap());
    let events = file(folder.path(), "events.csv", &with_events(&rows));
    let classes = file(folder.path(), "classes.csv", &with_classes(&rows));
    let fit = |select: Select, table: &FileTable| {
        let fitted = FitModel::new(select.bounds(0.0, 20.0)).seed(3).run(table).unwrap();
        let model = fitted.model.clone().unwrap();
        let numbers: Vec<f64> = model.features.iter().map(|one| one.coefficient).collect();
        (model.target.classes.clone(), model.intercept, numbers)
    };
    let select = || Select::new(1).epsilon("6");
    let expected = fit(by_hand(select()), &classes);
    assert_eq!(fit(at_horizon(select()), &events), expected);
    assert_eq!(expected.0, Some([NO_EVENT, EVENT].map(str::to_owned)));
}

/// Sums of parts add up to the sums of the whole table if their horizons are equal, and are refused
/// otherwise.
#[test]
fn parts_with_the_same_horizon_add_up() {
    let (rows, folder) = (rows(), tempfile::tempdir().unwrap());
    let folder = folder.path();
    let whole = file(folder, "whole.csv", &with_events(&rows));
    let halves = [&rows[..170], &rows[170..]].map(with_events);
    let halves = [file(folder, "one.csv", &halves[0]), file(folder, "two.csv", &halves[1])];
    for select in [
        Select::new(1).epsilon("4").bounds(0.0, 20.0),
        Select::new(1).epsilon("4").bounds(0.0, 20.0).score(ScoreKind::Ks),
    ] {
        let part = |select: &Select, table: &FileTable| select.partial(table, None).unwrap();
        let select = at_horizon(select);
        let [one, two] = halves.each_ref().map(|half| part(&select, half));
        let total = one.clone().merge(&two).unwrap();
        assert_eq!(total.to_text().unwrap(), part(&select, &whole).to_text().unwrap());
        let other = |time: &str, value: &str, by: f64| {
            let target = TimeToEvent::new(time, ("died", value), by).unwrap();
            let select = select.clone().target(Target::TimeToEvent(target));
            one.clone().merge(&part(&select, &halves[1]))
        };
        assert!(other("days", "1", 50.0).is_ok());
        for (time, value, by) in [("days", "1", 60.0), ("days", "2", 50.0), ("a", "1", 50.0)] {
            assert_eq!(other(time, value, by).unwrap_err().kind(), ErrorKind::Request);
        }
        // The sums contain the definition of the target.
        let again = total.apply_to(Select::new(1).epsilon("4")).unwrap();
        let run = again.check().unwrap().release(&total).unwrap();
        let record = serde_json::to_value(&run).unwrap();
        assert_eq!(record["target"]["time_to_event"]["by"], 50.0);
        assert_eq!(record["target"]["time_to_event"]["value"], "1");
    }
}

#[test]
fn the_record_names_columns_classes_and_the_assumption() {
    let (rows, folder) = (rows(), tempfile::tempdir().unwrap());
    let table = file(folder.path(), "events.csv", &with_events(&rows));
    let run = at_horizon(Select::new(1).epsilon("4")).seed(1).run(&table).unwrap();
    let record = serde_json::to_value(&run).unwrap();
    let target = &record["target"];
    assert_eq!((&target["name"], &target["column"]), (&"died".into(), &5.into()));
    assert_eq!(target["coding"], "classes");
    let horizon = &target["time_to_event"];
    assert_eq!((&horizon["time"], &horizon["event"]), (&"days".into(), &"died".into()));
    assert!(horizon["assumes"].as_str().unwrap().contains("non-informative censoring"));
    let report = dpsis::report::report(&*run);
    let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "classes no event by 50, event by 50",
        "\"died\" is \"1\" at a time of at most 50 in \"days\"",
        "lost before the horizon without the event take no part",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
}

#[test]
fn wrong_roles_are_refused() {
    let (rows, folder) = (rows(), tempfile::tempdir().unwrap());
    let folder = folder.path();
    let table = || file(folder, "events.csv", &with_events(&rows));
    let named = |time: &str, event: &str| TimeToEvent::new(time, (event, "1"), 50.0).unwrap();
    let run = |target: TimeToEvent, table: FileTable| -> Result<()> {
        let select = Select::new(1).epsilon("1").target(Target::TimeToEvent(target));
        select.run(&table).map(|_| ())
    };
    let column = |name: &str| TargetColumn::Named(name.to_owned());
    file(folder, "no-header.csv", "id1,5,1\n");
    for (target, table, about, words) in [
        (named("day", "died"), table(), Parameter::Time, "did you mean \"days\""),
        (named("days", "dead"), table(), Parameter::Event, "did you mean \"died\""),
        (events(), table().target_column(column("a")), Parameter::Target, "leave out"),
        (events(), table().target_column(TargetColumn::At(1)), Parameter::Target, "leave out"),
        (events(), table().exclude(["days"]), Parameter::Exclude, "leave them out"),
        (events(), table().exclude(["d*"]), Parameter::Exclude, "leave them out"),
        (events(), table().id("days"), Parameter::Time, "another column"),
        (events(), table().unit("died"), Parameter::Event, "another column"),
        (
            events(),
            table().target_file(folder.join("no-header.csv")),
            Parameter::TargetFile,
            "id,days,died",
        ),
    ] {
        let error = run(target, table).unwrap_err();
        assert_eq!(error.parameters()[0], about, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    // A pattern may match both and others: they are not features anyway.
    assert!(run(events(), table().exclude(["?", "d*"])).is_err());
    assert!(run(events(), table().exclude(["[abc]"])).is_err());
    assert!(run(events(), table().exclude(["a"])).is_ok());
    let covariate = at_horizon(Select::new(1).epsilon("1")).adjust(["days:3".parse().unwrap()]);
    let error = covariate.run(&table()).unwrap_err();
    assert!(error.to_string().contains("role of its own"), "{error}");
}
