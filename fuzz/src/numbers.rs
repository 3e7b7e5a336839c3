//! Numbers: against the standard library, and epsilons against their own text.

use std::io::Cursor;

use dpsis::internals::{WholeTable, parse_number};
use dpsis::{Epsilon, FileTable};

/// The longest exact number that is read, in bytes.
const LONGEST: usize = 64;

/// A cell is the number that the standard library reads, alone and in a table; the text of an
/// epsilon is read as the same epsilon.
pub fn number(cell: &[u8]) {
    let trimmed = cell.trim_ascii();
    let text = std::str::from_utf8(trimmed).ok();
    let expected = text.and_then(|text| text.parse::<f64>().ok()).filter(|value| value.is_finite());
    let bits = |value: Option<f64>| value.map(f64::to_bits);
    assert_eq!(bits(parse_number(cell)), bits(expected));
    in_a_table(cell, expected);
    in_decimal_commas(cell, expected);
    if let Some(epsilon) = text.and_then(|text| text.parse::<Epsilon>().ok()) {
        // A fraction may be longer than the decimal that it was, and longer than what is read.
        let written = epsilon.to_string();
        if written.len() <= LONGEST {
            assert_eq!(written.parse::<Epsilon>().unwrap(), epsilon);
        }
        // Both read the same number to the last place: the epsilon is exact, the float is near it.
        if let Some(float) = expected {
            let ratio = epsilon.to_f64() / float;
            assert!((ratio - 1.0).abs() < 1e-15, "{epsilon} {float}");
        }
    }
}

/// The value of a cell far from the ends of its text, where the fast parser is used, and at its
/// start.
fn in_a_table(cell: &[u8], expected: Option<f64>) {
    if cell.iter().any(|byte| b",\"\r\n".contains(byte)) {
        return;
    }
    let far = [b"far,x,y\n1111111111111111,", cell, b",1\n2222222222222222222222,3,2\n"].concat();
    let near = [b"x,y\n", cell, b",1\n"].concat();
    let read = |bytes: Vec<u8>| WholeTable::read(&FileTable::from_reader(Cursor::new(bytes)));
    let far = read(far).map(|table| table.values[1]);
    // Alone, an empty cell and a target are a line like any other.
    let near = read(near).map(|table| table.values[0]);
    let bits = |value: dpsis::Result<f64>| value.map(f64::to_bits).map_err(|error| error.kind());
    let (far, near) = (bits(far), bits(near));
    assert_eq!(far, near);
    if let Some(expected) = expected {
        assert_eq!(far, Ok(expected.to_bits()));
    } else if let Ok(bits) = far {
        // A word, a date or a missing value.
        let value = f64::from_bits(bits);
        assert!(value.is_nan() || value.fract() == 0.0);
    }
}

/// The same with a comma for the point.
fn in_decimal_commas(cell: &[u8], expected: Option<f64>) {
    let plain = cell.iter().all(|byte| b"0123456789.-+eE".contains(byte));
    let (Some(expected), true, true) = (expected, plain, cell.len() <= 64) else { return };
    let comma: Vec<u8> = cell.iter().map(|byte| if *byte == b'.' { b',' } else { *byte }).collect();
    let bytes = [b"far;x;y\n1111111111111111;", &comma[..], b";1\n2222222222222222222222;3;2\n"];
    let table = FileTable::from_reader(Cursor::new(bytes.concat()));
    let table = table.delimiter(b';').decimal_comma(true);
    let value = WholeTable::read(&table).unwrap().values[1];
    assert_eq!(value.to_bits(), expected.to_bits());
}
