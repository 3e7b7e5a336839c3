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
/// `Input` if the bytes are no such file; never a panic, and never more memory than some thirty times
/// what the inflated file holds, which is limited.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;

    /// A writer of the serialisation, by the format's description.
    mod written {
        pub(super) fn word(value: i32) -> Vec<u8> {
            value.to_be_bytes().to_vec()
        }

        fn vector(flags: i32, length: usize, elements: Vec<u8>) -> Vec<u8> {
            [word(flags), word(i32::try_from(length).unwrap()), elements].concat()
        }

        pub(super) fn text(text: &str) -> Vec<u8> {
            vector(9 | 64 << 12, text.len(), text.into())
        }

        pub(super) fn symbol(name: &str) -> Vec<u8> {
            [word(1), text(name)].concat()
        }

        /// A reference to the n-th symbol, from 1.
        pub(super) fn again(number: i32) -> Vec<u8> {
            word(255 | number << 8)
        }

        pub(super) fn integers(attributes: bool, values: &[i32]) -> Vec<u8> {
            let elements = values.iter().flat_map(|value| value.to_be_bytes()).collect();
            vector(13 | i32::from(attributes) << 9, values.len(), elements)
        }

        pub(super) fn reals(attributes: bool, values: &[f64]) -> Vec<u8> {
            let elements = values.iter().flat_map(|value| value.to_be_bytes()).collect();
            vector(14 | i32::from(attributes) << 9, values.len(), elements)
        }

        pub(super) fn strings(values: &[&str]) -> Vec<u8> {
            vector(16, values.len(), values.iter().flat_map(|value| text(value)).collect())
        }

        pub(super) fn list(attributes: bool, items: &[Vec<u8>]) -> Vec<u8> {
            vector(19 | i32::from(attributes) << 9, items.len(), items.concat())
        }

        /// Tags (symbols or references) and values.
        pub(super) fn pairs(pairs: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
            let nodes = pairs
                .iter()
                .map(|(tag, value)| [word(2 | 1 << 10), tag.clone(), value.clone()].concat());
            [nodes.collect::<Vec<_>>().concat(), word(254)].concat()
        }

        pub(super) fn file(version: i32, item: &[u8]) -> Vec<u8> {
            let line: &[u8] = if version == 2 { b"RDX2\nX\n" } else { b"RDX3\nX\n" };
            let native = if version == 2 { vec![] } else { [&word(5)[..], b"UTF-8"].concat() };
            [line, &word(version), &word(0x4_0000), &word(0x2_0300), &native, item].concat()
        }
    }
    use written::*;

    /// A list of x, a 2 by 3 matrix, and y, a factor; beside it another variable.
    fn small(version: i32) -> Vec<u8> {
        let dimensions = (symbol("dim"), integers(false, &[2, 3]));
        let names = list(false, &[word(254), strings(&["a", "b \u{e9}", "c"])]);
        let values = reals(true, &[1.5, -2.0, 1e-300, f64::NAN, f64::INFINITY, 0.1]);
        let x = [values, pairs(&[dimensions, (symbol("dimnames"), names)])].concat();
        let levels = (symbol("levels"), strings(&["well", "ill"]));
        let class = (symbol("class"), strings(&["factor"]));
        let y = [integers(true, &[2, 1]), pairs(&[levels, class])].concat();
        let members = pairs(&[(symbol("names"), strings(&["x", "y"]))]);
        let set = [list(true, &[x, y]), members].concat();
        let other = (symbol("other"), integers(false, &[7]));
        file(version, &pairs(&[(symbol("small"), set), other]))
    }

    fn assert_small(table: &PublicTable) {
        assert_eq!(table.features, ["a", "b \u{e9}", "c"]);
        assert_eq!(table.labels, ["ill", "well"]);
        assert_eq!(table.x.row(0).to_vec()[..2], [1.5, 1e-300]);
        assert_eq!((table.x[[1, 0]], table.x[[1, 2]]), (-2.0, 0.1));
        assert!(table.x[[1, 1]].is_nan() && table.x[[0, 2]].is_nan());
        assert!(table.x.is_standard_layout());
    }

    #[test]
    fn matrices_of_both_versions_by_any_compression() {
        for version in [2, 3] {
            let plain = small(version);
            let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
            std::io::Write::write_all(&mut gzip, &plain).unwrap();
            let mut xz = liblzma::write::XzEncoder::new(vec![], 6);
            std::io::Write::write_all(&mut xz, &plain).unwrap();
            for bytes in [plain, gzip.finish().unwrap(), xz.finish().unwrap()] {
                assert_small(&read(bytes.clone(), "small").unwrap());
                assert_small(&read(bytes, "by another name").unwrap());
            }
        }
    }

    /// A data frame without row names, integers with NA, labels as text, compact forms of version 3.
    #[test]
    fn frames_and_compact_forms() {
        let tagless = |items: &[Vec<u8>]| {
            let nodes = items.iter().flat_map(|item| [word(2), item.clone()].concat());
            [nodes.collect::<Vec<_>>(), word(254)].concat()
        };
        let info = |name: &str| tagless(&[symbol(name), symbol("base"), integers(false, &[13])]);
        let compact = |name, state: Vec<u8>| [word(238), info(name), state, word(254)].concat();
        let sequence = compact("compact_intseq", reals(false, &[3.0, 5.0, -1.0]));
        let wrapped = list(false, &[reals(false, &[0.5, 0.25, 0.125]), integers(false, &[0, 0])]);
        let wrapped = compact("wrap_real", wrapped);
        let columns = [integers(false, &[4, NA_INTEGER, 6]), sequence, wrapped];
        let names = pairs(&[(symbol("names"), strings(&["i", "s", "w"]))]);
        let x = [list(true, &columns), names].concat();
        let y = strings(&["u", " v", "u"]);
        let bytes = file(3, &pairs(&[(symbol("x"), x), (symbol("y"), y)]));
        let table = read(bytes, "any").unwrap();
        assert_eq!(table.features, ["i", "s", "w"]);
        assert_eq!(table.labels, ["u", "v", "u"]);
        assert_eq!(table.x.column(1).to_vec(), [5.0, 4.0, 3.0]);
        assert_eq!(table.x.column(2).to_vec(), [0.5, 0.25, 0.125]);
        assert!(table.x[[0, 0]] == 4.0 && table.x[[1, 0]].is_nan());
    }

    /// Later references to a name, and features without names.
    #[test]
    fn references_and_unnamed_features() {
        let x =
            [integers(true, &[1, 2, 3, 4]), pairs(&[(symbol("dim"), integers(false, &[2, 2]))])];
        let y = [integers(true, &[1, 1]), pairs(&[(symbol("levels"), strings(&["only"]))])];
        let set = [
            list(true, &[x.concat(), y.concat()]),
            pairs(&[(symbol("names"), strings(&["x", "y"]))]),
        ];
        // Symbols so far: s, dim, levels, names.
        let twice = pairs(&[(symbol("s"), set.concat()), (again(2), integers(false, &[1]))]);
        let table = read(file(2, &twice), "s").unwrap();
        assert_eq!(table.features, ["V1", "V2"]);
        assert_eq!(table.x.row(1).to_vec(), [2.0, 4.0]);
        let dangling = pairs(&[(symbol("s"), set.concat()), (again(9), integers(false, &[1]))]);
        assert!(read(file(2, &dangling), "s").is_err());
    }

    #[test]
    fn what_is_no_table() {
        let deep = [[&word(19)[..], &word(1)].concat().repeat(1_000_000), word(254)].concat();
        let long = [word(14), word(i32::MAX)].concat();
        let longer = [word(19), word(-1), word(0x7fff_ffff), word(-1)].concat();
        let compact = pairs(&[(symbol("form"), symbol("compact_intseq"))]);
        let sequence = [word(238), compact, reals(false, &[2e9, 1.0, 1.0]), word(254)].concat();
        let wide = [reals(true, &[]), pairs(&[(symbol("dim"), integers(false, &[0, i32::MAX]))])];
        let wide = [(symbol("x"), wide.concat()), (symbol("y"), integers(false, &[]))];
        let unlabelled = [reals(true, &[1.0]), pairs(&[(symbol("dim"), integers(false, &[1, 1]))])];
        let unlabelled =
            [(symbol("x"), unlabelled.concat()), (symbol("y"), integers(false, &[NA_INTEGER]))];
        for (item, text) in [
            (deep, "too deeply"),
            (long, "ends too early"),
            (longer, "ends too early"),
            (sequence, "a sequence that is none"),
            (pairs(&wide), "no samples"),
            (pairs(&unlabelled), "row 1: the label is missing"),
            (word(3), "more than data"),
            (word(4), "more than data"),
            (integers(false, &[1]), "no variables"),
            (pairs(&[(symbol("x"), integers(false, &[1]))]), "one list with members x and y"),
            ([pairs(&[]), word(0)].concat(), "more data"),
        ] {
            let error = read(file(2, &item), "s").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Input);
            assert!(error.to_string().contains(text), "{text}: {error}");
        }
        for bytes in
            [&b""[..], b"RDX2\n", b"RDX2\nX\n", b"RDA2\nA\n2\n", b"PK\x03\x04", b"\xfd7zXZ\0"]
        {
            assert_eq!(read(bytes.to_vec(), "s").unwrap_err().kind(), ErrorKind::Input);
        }
    }

    proptest! {
        /// Damage is an error or another table, never a panic.
        #[test]
        fn damage_is_survived(
            version in 2..4,
            cut in 0.0..1.0,
            flips in prop::collection::vec((0.0..1.0, 1..=255u8), 0..4),
            compress: bool,
        ) {
            let mut bytes = small(version);
            if compress {
                let mut xz = liblzma::write::XzEncoder::new(vec![], 1);
                std::io::Write::write_all(&mut xz, &bytes).unwrap();
                bytes = xz.finish().unwrap();
            }
            let whole = bytes.len();
            for (place, flip) in flips {
                bytes[(place * whole as f64) as usize] ^= flip;
            }
            if let Err(error) = read(bytes.clone(), "small") {
                prop_assert_eq!(error.kind(), ErrorKind::Input);
            }
            bytes.truncate((cut * whole as f64) as usize);
            prop_assert_eq!(read(bytes, "small").unwrap_err().kind(), ErrorKind::Input);
        }

        #[test]
        fn any_bytes_are_survived(item in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(file(3, &item), "s");
        }
    }

    /// Every flag byte at every place of a well-formed file.
    #[test]
    fn every_byte_replaced() {
        let whole = small(3);
        for place in 0..whole.len() {
            for byte in [0, 1, 2, 6, 13, 16, 19, 127, 128, 238, 239, 253, 254, 255] {
                let mut bytes = whole.clone();
                bytes[place] = byte;
                let _ = read(bytes, "small");
            }
        }
    }
}
