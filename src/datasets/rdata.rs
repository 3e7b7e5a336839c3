//! R's files (`.RData`) with a matrix `x` of features and a factor `y`.
//!
//! As the R package datamicroarray publishes them: one list, named after the set, with members `x`
//! (samples by features: a matrix or a data frame) and `y` (a factor). Compressed by xz or gzip, or not
//! at all; then `RDX2` or `RDX3` on a line, and a [serialisation](super::serialised).

use std::rc::Rc;

use ndarray::{Array2, ShapeBuilder};

use crate::datasets::PublicTable;
use crate::datasets::inflate::inflate;
use crate::datasets::serialised::{self, NA_INTEGER, Object, Value};
use crate::error::{Error, Result};

/// Reads the set of this name: features as R names its columns (`V1` to `Vd` where it does not), and
/// labels as the factor's levels. A value that is missing or not finite is NaN.
///
/// # Errors
///
/// `Input` if the bytes are no such file; never a panic, and never more memory than about twenty
/// times what the inflated file holds.
pub(super) fn read(bytes: Vec<u8>, name: &str) -> Result<PublicTable> {
    let inflated = inflate(bytes)?;
    let serialised =
        [&b"RDX2\n"[..], b"RDX3\n"].iter().find_map(|line| inflated.strip_prefix(*line));
    let serialised = serialised.ok_or_else(|| {
        Error::input("this is no R data file in XDR format")
            .hint("in R: save(..., file = \"NAME.RData\", compress = \"xz\")")
    })?;
    let workspace = serialised::read(serialised)?;
    let (x, y) = x_and_y(&workspace, name)?;
    let labels = labels(y)?;
    let (features, x) = matrix(x)?;
    if x.nrows() != labels.len() {
        return Err(Error::input("x and y in the R file differ in their number of samples"));
    }
    Ok(PublicTable { features, x, labels })
}

/// The members x and y of the list of this name, or of the only one that has them.
fn x_and_y<'a>(workspace: &'a Object, name: &str) -> Result<(&'a Object, &'a Object)> {
    let both = |object: &'a Object| object.member("x").zip(object.member("y"));
    if let Some(found) = workspace.member(name).and_then(both).or_else(|| both(workspace)) {
        return Ok(found);
    }
    let Value::Pairs(bindings) = &workspace.value else {
        return Err(Error::input("the R file holds no variables"));
    };
    let mut found = bindings.iter().filter_map(|(_, object)| both(object));
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(Error::input("the R file does not hold one list with members x and y")),
    }
}

/// A factor's labels; strings and integers as they are.
fn labels(y: &Object) -> Result<Vec<String>> {
    let missing =
        |row: usize| Error::input("the label is missing").at(u64::try_from(row + 1).ok(), None);
    let texts: Vec<Option<String>> = match (&y.value, y.attribute("levels")) {
        (Value::Integers(codes), Some(levels)) => {
            let levels = levels.strings().unwrap_or_default();
            let level = |&code: &i32| levels.get(usize::try_from(code).ok()?.checked_sub(1)?);
            codes.iter().map(|code| level(code)?.as_deref().map(str::to_owned)).collect()
        }
        (Value::Integers(codes), None) => {
            let text = |code: &i32| (*code != NA_INTEGER).then(|| code.to_string());
            codes.iter().map(text).collect()
        }
        (Value::Strings(texts), _) => {
            texts.iter().map(|text| text.as_deref().map(str::to_owned)).collect()
        }
        _ => return Err(Error::input("y in the R file is neither a factor nor text")),
    };
    let label = |(row, text): (usize, Option<String>)| {
        text.map(|text| text.trim().to_owned()).ok_or_else(|| missing(row))
    };
    texts.into_iter().enumerate().map(label).collect()
}

/// Names and values, samples by features.
fn matrix(x: &Object) -> Result<(Vec<String>, Array2<f64>)> {
    if let Value::List(columns) = &x.value {
        return frame(x, columns);
    }
    let not_a_matrix = || Error::input("x in the R file is neither a matrix nor a data frame");
    let Some(Value::Integers(dimensions)) = x.attribute("dim").map(|dim| &dim.value) else {
        return Err(not_a_matrix());
    };
    let &[n, d] = dimensions.as_slice() else { return Err(not_a_matrix()) };
    let (Ok(n), Ok(d)) = (usize::try_from(n), usize::try_from(d)) else {
        return Err(not_a_matrix());
    };
    if n == 0 {
        return Err(Error::input("x in the R file has no samples"));
    }
    // R lays matrices out by columns.
    let x_by_columns = Array2::from_shape_vec((n, d).f(), numbers(x)?);
    let x_by_columns = x_by_columns.map_err(|_| not_a_matrix())?;
    let names = match x.attribute("dimnames").map(|names| &names.value) {
        Some(Value::List(names)) => names.get(1),
        _ => None,
    };
    let names = feature_names(names, d)?;
    Ok((names, x_by_columns.as_standard_layout().into_owned()))
}

/// A data frame: a list of columns of one length.
fn frame(x: &Object, columns: &[Object]) -> Result<(Vec<String>, Array2<f64>)> {
    let names = feature_names(x.attribute("names"), columns.len())?;
    let columns = columns.iter().map(numbers).collect::<Result<Vec<_>>>()?;
    let n = columns.first().map_or(0, Vec::len);
    if columns.iter().any(|column| column.len() != n) {
        return Err(Error::input("the columns of x in the R file differ in length"));
    }
    let x = Array2::from_shape_vec((n, columns.len()).f(), columns.concat());
    let x = x.map_err(|_| Error::input("the columns of x in the R file differ in length"))?;
    Ok((names, x.as_standard_layout().into_owned()))
}

/// Numbers, NaN where missing or not finite.
fn numbers(object: &Object) -> Result<Vec<f64>> {
    match &object.value {
        // A factor's codes are no measurements.
        Value::Integers(values) if object.attribute("levels").is_none() => {
            let number = |&value: &i32| if value == NA_INTEGER { f64::NAN } else { value.into() };
            Ok(values.iter().map(number).collect())
        }
        Value::Reals(values) => {
            let number = |&value: &f64| if value.is_finite() { value } else { f64::NAN };
            Ok(values.iter().map(number).collect())
        }
        _ => Err(Error::input("a feature in the R file does not hold numbers")),
    }
}

fn feature_names(names: Option<&Object>, d: usize) -> Result<Vec<String>> {
    let texts = match names.map(|names| &names.value) {
        None | Some(Value::Null) => return Ok((1..=d).map(|i| format!("V{i}")).collect()),
        Some(Value::Strings(texts)) if texts.len() == d => texts,
        _ => return Err(Error::input("the R file does not name every feature")),
    };
    let name = |text: &Option<Rc<str>>| text.as_deref().map(str::to_owned);
    let names: Option<Vec<String>> = texts.iter().map(name).collect();
    names.ok_or_else(|| Error::input("the R file does not name every feature"))
}
