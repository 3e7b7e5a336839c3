//! The request in a linfa pipeline: parameters, check, fit, transform.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use dpsis::{ArrayTable, ErrorKind, FitModel, NotPrivate, Record, Select, Selection, Target};
use linfa::prelude::*;
use linfa::{Dataset, DatasetView};
use linfa_elasticnet::ElasticNet;
use ndarray::{Array1, Array2, Axis, array};

fn data() -> Dataset<f64, f64, ndarray::Ix1> {
    let x = Array2::from_shape_fn((200, 4), |(i, j)| ((i * (11 + 6 * j)) % 101) as f64 - 50.0);
    let y = x.column(2).mapv(|value| 3.0 * value - 1.0);
    Dataset::new(x, y)
        .with_feature_names(vec!["a", "b", "c", "d"])
        .with_target_names(vec!["response"])
}

fn request() -> Select {
    Select::new(2).epsilon("3").bounds(-50.0, 50.0)
}

#[test]
fn a_fit_is_a_run() {
    let data = data();
    let fitted: NotPrivate<Record> = request().seed(4).fit(&data).unwrap();
    let table = ArrayTable::new(data.records.view(), data.targets.view()).unwrap();
    let table = table.feature_names(data.feature_names().to_vec()).unwrap();
    assert_eq!(fitted, request().seed(4).run(&table).unwrap());
    // All entry points to a private selection.
    let _: Selection = request().fit(&data).unwrap();
    let _: Selection = ParamGuard::check(request()).unwrap().fit(&data).unwrap();
    let _: Selection = request().check_unwrap().fit(&data.view()).unwrap();
    assert!(ParamGuard::check_ref(&Select::new(1)).is_err());
    let error: dpsis::Error = Select::new(1).fit(&data).unwrap_err();
    assert_eq!(error.to_string(), "no epsilon is given");
}

/// A feature of a dataset identifies people; the others keep their columns.
#[test]
fn people_of_a_dataset() {
    let data = data();
    let request = || request().unit_feature("b").adjust(["d:0".parse().unwrap()]).seed(4);
    let fitted = request().fit(&data).unwrap();
    assert_eq!(fitted.guarantee.unit.to_string(), "person");
    assert_eq!((fitted.public.features, fitted.indices()), (2, vec![0, 2]));
    let (x, y) = (data.records.select(Axis(1), &[0, 2]), data.targets.clone());
    let reduced = fitted.transform(data.clone()).unwrap();
    assert_eq!((reduced.records, reduced.targets), (x, y));
    // In any memory layout the last row of a person determines the stratum.
    let turned = data.records.t().as_standard_layout().into_owned().reversed_axes();
    let turned = Dataset::new(turned, data.targets.clone());
    let turned = turned.with_feature_names(data.feature_names().to_vec());
    assert_eq!(request().fit(&turned).unwrap(), fitted);
    // The same people by ids outside the matrix, with the covariate as before.
    let x = data.records.select(Axis(1), &[0, 2, 3]);
    let table = ArrayTable::new(x.view(), data.targets.view()).unwrap();
    let table = table.feature_names(["a", "c", "d"]).unwrap();
    let table = table.units(data.records.column(1)).unwrap();
    let outside = self::request().adjust(["d:0".parse().unwrap()]).seed(4).run(&table).unwrap();
    assert_eq!(
        (&outside.selected[1].name, &outside.released),
        (&fitted.selected[1].name, &fitted.released)
    );
    let twice = request().run(&table).unwrap_err();
    assert!(twice.to_string().contains("there is no column \"b\""), "{twice}");
}

/// A model of people, identified by a column before its features: it predicts from whole
/// matrices.
#[test]
fn a_model_of_the_people_of_a_dataset() {
    let data = data();
    let model = |select: Select| FitModel::new(select.epsilon(50).bounds(-50.0, 50.0)).seed(4);
    let fitted = model(request().unit_feature("b")).fit(&data).unwrap();
    assert_eq!(fitted.guarantee.unit.to_string(), "person");
    let columns: Vec<usize> = fitted
        .model
        .as_ref()
        .unwrap()
        .feature_names()
        .map(|name| ["a", "b", "c", "d"].iter().position(|other| *other == name).unwrap())
        .collect();
    assert_eq!(fitted.indices(), columns);
    let predicted: Array1<f64> = fitted.predict(&data.records);
    for (row, predicted) in data.records.rows().into_iter().zip(&predicted) {
        let values: Vec<f64> = columns.iter().map(|&column| row[column]).collect();
        assert_eq!(fitted.model.as_ref().unwrap().predict(&values).unwrap(), *predicted);
    }
    // The same people by ids outside a matrix without that column.
    let x = data.records.select(Axis(1), &[0, 2, 3]);
    let table = ArrayTable::new(x.view(), data.targets.view()).unwrap();
    let table = table.feature_names(["a", "c", "d"]).unwrap();
    let outside = model(request()).run(&table.units(data.records.column(1)).unwrap()).unwrap();
    assert_eq!(outside.model.as_ref().unwrap().features, fitted.model.as_ref().unwrap().features);
}

#[test]
fn names_targets_and_weights_are_kept() {
    let selection = request().seed(4).fit(&data()).unwrap();
    let weights = Array1::linspace(0.5f32, 1.0, 200);
    let reduced = selection.transform(data().with_weights(weights.clone())).unwrap();
    let names: Vec<&str> = selection.selected.iter().map(|picked| picked.name.as_str()).collect();
    assert_eq!(reduced.feature_names(), names);
    assert_eq!(reduced.target_names(), ["response"]);
    assert_eq!(reduced.targets, data().targets);
    assert_eq!(reduced.weights, weights);
    assert_eq!(reduced.records, data().records.select(Axis(1), &selection.indices()));
    // In linfa a dataset may hold target names without having those targets.
    let two = Dataset::new(data().records, Array2::<f64>::zeros((200, 2)));
    let one = two.with_target_names(vec!["a", "b"]).with_targets(data().targets);
    let one = one.with_feature_names(vec!["a", "b", "c", "d"]);
    assert!(selection.transform(one).unwrap().target_names().is_empty());
    // Views of datasets, and matrices alone.
    let owned = data();
    let view: DatasetView<'_, f64, f64, ndarray::Ix1> = owned.view();
    assert_eq!(selection.transform(view).unwrap().records, reduced.records);
    let alone: dpsis::Result<Array2<f64>> = selection.transform(owned.records);
    assert_eq!(alone.unwrap(), reduced.records);
}

#[test]
fn unnamed_features_are_counted() {
    let data = Dataset::new(data().records, data().targets);
    let selection = request().seed(4).fit(&data).unwrap();
    for picked in &selection.selected {
        assert_eq!(picked.name, format!("feature-{}", picked.index + 1));
    }
    assert_eq!(selection.transform(data).unwrap().nfeatures(), 2);
}

#[test]
fn labels_of_linfa_types() {
    let x = data().records;
    let classes = |labels: [&str; 2]| Target::Classes(labels.map(str::to_owned).to_vec());
    let flags = x.column(1).mapv(|value| value > 0.0);
    let by_flag = request().target(classes(["false", "true"])).seed(1);
    let by_flag = by_flag.fit(&Dataset::new(x.clone(), flags.clone())).unwrap();
    let numbers = flags.mapv(usize::from);
    let by_number = request().target(classes(["0", "1"])).seed(1);
    let by_number = by_number.fit(&Dataset::new(x.clone(), numbers)).unwrap();
    let words = flags.mapv(|flag| if flag { "case".to_owned() } else { "control".to_owned() });
    let by_word = request().target(classes(["control", "case"])).seed(1);
    let by_word = by_word.fit(&Dataset::new(x.mapv(|value| value as f32), words)).unwrap();
    assert_eq!(by_flag.selected, by_number.selected);
    assert_eq!(by_flag.selected, by_word.selected);
}

#[test]
fn invalid_input_is_refused() {
    let kind = |error: dpsis::Error| assert_eq!(error.kind(), ErrorKind::Request, "{error}");
    let weighted = data().with_weights(Array1::ones(200));
    kind(request().fit(&weighted).unwrap_err());
    let selection = request().seed(4).fit(&data()).unwrap();
    let narrow = Dataset::new(array![[1.0, 2.0]], array![1.0]);
    kind(selection.transform(narrow).unwrap_err());
    let others = data().with_feature_names(vec!["d", "c", "b", "a"]);
    kind(selection.transform(others).unwrap_err());
    let mut foreign = (*selection).clone();
    foreign.selected[0].index = 9;
    let foreign: dpsis::Result<Array2<f64>> = foreign.transform(data().records);
    kind(foreign.unwrap_err());
    let short: dpsis::Result<Array2<f64>> = selection.transform(array![[1.0, 2.0]]);
    kind(short.unwrap_err());
}

/// The reduced dataset is used to fit a model. (linfa's elastic net centers only the target; the
/// features here are centered around 0.)
#[test]
fn a_selection_feeds_a_model() -> Result<(), Box<dyn std::error::Error>> {
    let data = data();
    let selection = Select::new(1).epsilon("50").bounds(-50.0, 50.0).fit(&data)?;
    assert_eq!(selection.selected[0].name, "c"); // wrong with probability below e^-100
    let reduced = selection.transform(data)?;
    let model = ElasticNet::params().penalty(1e-6).fit(&reduced)?;
    assert!(model.predict(&reduced).r2(&reduced)? > 0.99);
    Ok(())
}
