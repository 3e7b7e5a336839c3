//! Tables of people with odd contents, written in every format that holds text or numbers.

use std::path::Path;

/// One person: an id, the cells of the features and the target, as the bytes of a text file.
#[derive(Clone, Debug)]
pub struct Person {
    pub id: Vec<u8>,
    pub cells: Vec<Vec<u8>>,
    pub target: Vec<u8>,
}

/// Contents that could be taken for something else, or that programs stumble over: missing values,
/// names, labels, headers, numbers of other notations, bytes of other encodings.
pub const ODD: [&[u8]; 45] = [
    b"",
    b" ",
    b"NA",
    b"n/a",
    b"NaN",
    b"nan",
    b"inf",
    b"-inf",
    b"1e400",
    b"-0",
    b"0",
    b"1",
    b"2",
    b"1.5",
    b"1,5",
    b"1,234.5",
    b"<0.1",
    b"12 mg",
    b"2024-02-29",
    b"2024-02-30",
    b"x",
    b"None",
    b"id",
    b"gene",
    b"Name",
    b"outcome",
    b"ill",
    b"well",
    b"Ill",
    b"marker_1x",
    b"GSM900001",
    b"sample_7",
    b"\xe9",
    b"a\xffb",
    b"a\0b",
    b"\0",
    b"#",
    b"say \"x\"",
    b"a,b;c",
    b"feature,lo,hi",
    b"-1e308",
    b"5e-324",
    b"word",
    b"a;b\tc",
    b"p7",
];

/// The names of `d` features.
pub fn features(d: usize) -> Vec<String> {
    (1..=d).map(|i| format!("marker_{i}x")).collect()
}

/// A cell as CSV: quoted, with quotes doubled.
fn quoted(cell: &[u8]) -> Vec<u8> {
    let mut text = vec![b'"'];
    for &byte in cell {
        text.extend(std::iter::repeat_n(byte, if byte == b'"' { 2 } else { 1 }));
    }
    text.push(b'"');
    text
}

/// Lines of quoted cells.
pub fn csv(lines: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let line = |cells: &Vec<Vec<u8>>| {
        let cells: Vec<Vec<u8>> = cells.iter().map(|cell| quoted(cell)).collect();
        [cells.join(&b','), b"\n".to_vec()].concat()
    };
    lines.iter().flat_map(line).collect()
}

/// Lines of cells between tabs; a tab, a quote or a line end in a cell becomes a blank.
pub fn tabs(lines: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let plain = |cell: &Vec<u8>| -> Vec<u8> {
        let other = |byte: &u8| if b"\t\r\n\"".contains(byte) { b' ' } else { *byte };
        cell.iter().map(other).collect()
    };
    let line = |cells: &Vec<Vec<u8>>| {
        let cells: Vec<Vec<u8>> = cells.iter().map(plain).collect();
        [cells.join(&b'\t'), b"\n".to_vec()].concat()
    };
    lines.iter().flat_map(line).collect()
}

fn number(cell: &[u8]) -> f64 {
    std::str::from_utf8(cell).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}

/// A matrix of numpy; cells that are not numbers are NaN.
pub fn npy_numbers(people: &[Person]) -> Vec<u8> {
    let values = people.iter().flat_map(|person| &person.cells);
    let bytes = values.flat_map(|cell| number(cell).to_le_bytes()).collect();
    let d = people.first().map_or(0, |person| person.cells.len());
    npy("<f8", &format!("({}, {d})", people.len()), bytes)
}

/// A vector of texts of numpy; a byte that is not ASCII becomes a lone surrogate, as Python reads
/// it.
pub fn npy_texts<'a>(texts: impl Iterator<Item = &'a [u8]> + Clone) -> Vec<u8> {
    let width = texts.clone().map(<[u8]>::len).max().unwrap_or(0).max(1);
    let letter = |byte: u8| if byte < 128 { u32::from(byte) } else { 0xdc00 + u32::from(byte) };
    let padded = |text: &[u8]| {
        let letters = text.iter().map(|&byte| letter(byte)).chain(std::iter::repeat(0));
        letters.take(width).flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
    };
    let shape = format!("({},)", texts.clone().count());
    npy(&format!("<U{width}"), &shape, texts.flat_map(padded).collect())
}

fn npy(descr: &str, shape: &str, values: Vec<u8>) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), &values].concat()
}

/// A zip archive of stored files.
pub fn zip(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    let short = |value: usize| u16::try_from(value).unwrap().to_le_bytes();
    let long = |value: usize| u32::try_from(value).unwrap().to_le_bytes();
    for (name, bytes) in files {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let sum = crc.sum().to_le_bytes();
        let sizes = [sum, long(bytes.len()), long(bytes.len())].concat();
        let start = archive.len();
        let common = [&[0; 8][..], &sizes, &short(name.len()), &short(0)].concat();
        archive.extend([&b"PK\x03\x04\x14\0"[..], &common, name.as_bytes(), bytes].concat());
        directory.extend([&b"PK\x01\x02\x14\0\x14\0"[..], &common].concat());
        directory.extend([&[0; 10][..], &long(start), name.as_bytes()].concat());
    }
    let count = short(files.len());
    let end = [&count[..], &count, &long(directory.len()), &long(archive.len()), &[0, 0]].concat();
    [archive, directory, b"PK\x05\x06\0\0\0\0".to_vec(), end].concat()
}

/// R's serialization, by the format's description ("R Internals").
pub mod r {
    use std::collections::BTreeSet;

    fn word(value: i32) -> Vec<u8> {
        value.to_be_bytes().to_vec()
    }

    fn length(of: usize) -> Vec<u8> {
        word(i32::try_from(of).unwrap())
    }

    fn string(text: Option<&[u8]>) -> Vec<u8> {
        match text {
            Some(text) => [word(9 | 4 << 12), length(text.len()), text.to_vec()].concat(),
            None => [word(9), word(-1)].concat(),
        }
    }

    /// The attributes as a pairlist, and a flag for them.
    fn with(kind: i32, body: Vec<u8>, attributes: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let flags = word(kind | i32::from(!attributes.is_empty()) << 9);
        let pair = |(name, value): &(&str, Vec<u8>)| {
            [word(2 | 1 << 10), word(1), string(Some(name.as_bytes())), value.clone()].concat()
        };
        let mut all = [flags, body].concat();
        if !attributes.is_empty() {
            all.extend(attributes.iter().flat_map(pair));
            all.extend(word(254));
        }
        all
    }

    pub fn strings(texts: &[Option<&[u8]>]) -> Vec<u8> {
        let body = texts.iter().flat_map(|text| string(*text)).collect();
        with(16, [length(texts.len()), body].concat(), &[])
    }

    pub fn names(texts: &[String]) -> Vec<u8> {
        strings(&texts.iter().map(|text| Some(text.as_bytes())).collect::<Vec<_>>())
    }

    pub fn reals(values: &[f64], attributes: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let body = values.iter().flat_map(|value| value.to_be_bytes()).collect();
        with(14, [length(values.len()), body].concat(), attributes)
    }

    pub fn integers(values: &[i32]) -> Vec<u8> {
        let body = values.iter().flat_map(|value| value.to_be_bytes()).collect();
        with(13, [length(values.len()), body].concat(), &[])
    }

    pub fn list(items: &[Vec<u8>], attributes: &[(&str, Vec<u8>)]) -> Vec<u8> {
        with(19, [length(items.len()), items.concat()].concat(), attributes)
    }

    /// Cells as R's `read.csv` takes them: numbers if all are, NA where empty or `NA`; else texts.
    pub fn column(cells: &[&[u8]]) -> Vec<u8> {
        let missing = |cell: &[u8]| cell.is_empty() || cell == b"NA";
        let numbers: Option<Vec<f64>> = cells
            .iter()
            .map(|cell| match std::str::from_utf8(cell).ok()?.parse() {
                Ok(number) => Some(number),
                Err(_) => missing(cell).then_some(f64::NAN),
            })
            .collect();
        match numbers {
            Some(numbers) => reals(&numbers, &[]),
            None => strings(
                &cells.iter().map(|cell| Some(*cell).filter(|c| !missing(c))).collect::<Vec<_>>(),
            ),
        }
    }

    /// Cells as a factor of R: the levels are the texts that occur, in order.
    pub fn factor(cells: &[&[u8]]) -> Vec<u8> {
        let levels: Vec<&[u8]> =
            cells.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let code = |cell: &&[u8]| i32::try_from(levels.binary_search(cell).unwrap() + 1).unwrap();
        let body = cells.iter().map(code).flat_map(i32::to_be_bytes).collect();
        let texts = strings(&levels.iter().map(|level| Some(*level)).collect::<Vec<_>>());
        let attributes = [("levels", texts), ("class", strings(&[Some(b"factor")]))];
        with(13, [length(cells.len()), body].concat(), &attributes)
    }

    pub fn frame(columns: &[Vec<u8>], names: Vec<u8>, row_names: Vec<u8>) -> Vec<u8> {
        let class = strings(&[Some(b"data.frame")]);
        list(columns, &[("names", names), ("row.names", row_names), ("class", class)])
    }

    /// A matrix of numbers, or of texts if one cell is not a number, column by column.
    pub fn matrix(cells: &[&[u8]], rows: usize, dimnames: &[Vec<u8>]) -> Vec<u8> {
        let mut values = column(cells);
        // The attributes come last; the flag for them is in the first word.
        let columns = cells.len() / rows.max(1);
        let dim = [i32::try_from(rows).unwrap(), i32::try_from(columns).unwrap()];
        let whole = with(0, vec![], &[("dim", integers(&dim)), ("dimnames", list(dimnames, &[]))]);
        values[2] |= 2;
        values.extend(&whole[4..]);
        values
    }

    pub fn rds(object: Vec<u8>) -> Vec<u8> {
        [b"X\n".to_vec(), word(2), word(0x4_0000), word(0x2_0300), object].concat()
    }
}

/// Writes a file and gives its path.
pub fn write(folder: &Path, name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}
