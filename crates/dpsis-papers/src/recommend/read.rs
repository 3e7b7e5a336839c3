//! Files of interactions: CSV with a header, or tab-separated as the `u.data` of MovieLens.
//!
//! - CSV: `user,item` or `user,item,rating`, with further columns after the rating left alone, as
//!   the time in the `ratings.csv` of MovieLens. The names of the first two columns do not matter.
//! - Tab-separated: user, item, rating, time; no header.
//!
//! Ratings from 0 to 5 are binarized as in Spišák et al. (2023): only ratings of 4 and more are
//! interactions. Without a rating each line is an interaction. Ids are any text. Files compressed
//! by gzip or Zstandard are recognized by their first bytes.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use csv::{ByteRecord, ReaderBuilder};
use dpsis::{Error, Result};

use crate::recommend::Interactions;
use crate::recommend::interactions::LEAST;

/// The least rating that is an interaction.
const LIKED: f64 = 4.0;
/// The largest rating of the scale.
const MOST: f64 = 5.0;

/// Reads a file of interactions and drops users and items with fewer than [`LEAST`], repeatedly.
///
/// # Errors
///
/// `Input` if the file is malformed or nothing remains; `Io` if it cannot be read.
pub(crate) fn read(path: &Path) -> Result<Interactions> {
    let failed =
        |error: io::Error| Error::io(format!("cannot read {}: {}", path.display(), error.kind()));
    let input = decompressed(BufReader::new(File::open(path).map_err(failed)?)).map_err(damaged)?;
    let core = parse(input)?.core(LEAST);
    if core.count() == 0 {
        return Err(Error::input(format!(
            "no interactions remain of users and items with at least {LEAST} each"
        ))
        .hint(format!("a rating is an interaction from {LIKED} on")));
    }
    Ok(core)
}

fn damaged(_: io::Error) -> Error {
    Error::input("the file cannot be read to its end: damaged, or cut off when it was compressed")
}

/// Decompresses a stream that starts like gzip or Zstandard.
fn decompressed(mut input: impl BufRead + 'static) -> io::Result<Box<dyn BufRead>> {
    let mut start = Vec::new();
    input.by_ref().take(4).read_to_end(&mut start)?;
    let magic: [u8; 4] = std::array::from_fn(|i| start.get(i).copied().unwrap_or_default());
    let input = io::Cursor::new(start).chain(input);
    Ok(match magic {
        [0x1f, 0x8b, ..] => Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(input))),
        [0x28, 0xb5, 0x2f, 0xfd] => {
            Box::new(BufReader::new(zstd::stream::read::Decoder::with_buffer(input)?))
        }
        _ => Box::new(input),
    })
}

/// The columns of a file.
#[derive(Clone, Copy, PartialEq)]
enum Layout {
    /// A header, user and item.
    Pairs,
    /// A header, user, item and rating.
    Rated,
    /// No header; user, item, rating and time between tabs.
    MovieLens,
}

fn parse(mut input: Box<dyn BufRead>) -> Result<Interactions> {
    let mut line = Vec::new();
    input.by_ref().take(LONGEST).read_until(b'\n', &mut line).map_err(damaged)?;
    let tabs = line.contains(&b'\t');
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(if tabs { b'\t' } else { b',' })
        .quoting(!tabs)
        .from_reader(io::Cursor::new(line).chain(input));
    let mut record = ByteRecord::new();
    let (mut layout, mut width) = (Layout::MovieLens, 4);
    if !tabs {
        reader.read_byte_record(&mut record).map_err(unreadable)?;
        (layout, width) = (header(&record)?, record.len());
    }
    let (mut users, mut items) = (Ids::default(), Ids::default());
    let mut pairs = Vec::new();
    let mut row = 0;
    while reader.read_byte_record(&mut record).map_err(unreadable)? {
        row += 1;
        if record.len() != width {
            let rule = format!("a row of {} cells where {width} belong", record.len());
            return Err(Error::input(rule).at(Some(row), None));
        }
        record.trim();
        let number = |ids: &mut Ids, column: usize| {
            ids.number(&record[column]).map_err(|error| error.at(Some(row), Some(column + 1)))
        };
        let pair = (number(&mut users, 0)?, number(&mut items, 1)?);
        if layout == Layout::Pairs || liked(&record[2]).map_err(|e| e.at(Some(row), Some(3)))? {
            pairs.push(pair);
        }
    }
    Ok(Interactions::of_pairs(pairs, users.0.len(), items.0.len()))
}

/// The number of bytes in which a tab is looked for in the first line, and the most of an id.
const LONGEST: u64 = 4096;

fn unreadable(error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => damaged(error),
        _ => Error::input("the file is not CSV"),
    }
}

fn header(record: &ByteRecord) -> Result<Layout> {
    let hint = "CSV starts with the header user,item or user,item,rating; the u.data of MovieLens \
                has tabs";
    let rule = |rule: &str, column| Err(Error::input(rule).at(None, column).hint(hint));
    let is_number = |cell: &[u8]| text(cell).is_some_and(|cell| cell.parse::<f64>().is_ok());
    if record.len() < 2 {
        return rule("there is no column of users and one of items", None);
    }
    if record.iter().any(is_number) {
        return rule("a number stands where the name of a column belongs", None);
    }
    match record.get(2).and_then(text) {
        None if record.len() == 2 => Ok(Layout::Pairs),
        Some(name) if name.eq_ignore_ascii_case("rating") => Ok(Layout::Rated),
        _ => rule("the third column is not called rating", Some(3)),
    }
}

fn text(cell: &[u8]) -> Option<&str> {
    std::str::from_utf8(cell).ok().map(str::trim)
}

fn liked(cell: &[u8]) -> Result<bool> {
    match text(cell).and_then(|cell| cell.parse::<f64>().ok()) {
        Some(rating) if (0.0..=MOST).contains(&rating) => Ok(rating >= LIKED),
        _ => Err(Error::input(format!("a rating is a number from 0 to {MOST}"))),
    }
}

/// Numbers for ids, from 0 in the order of their first occurrence.
#[derive(Default)]
struct Ids(HashMap<Box<[u8]>, u32>);

impl Ids {
    fn number(&mut self, id: &[u8]) -> Result<u32> {
        if let Some(number) = self.0.get(id) {
            return Ok(*number);
        }
        // A line break within an id is within quotes, which may contain further lines by mistake.
        if id.is_empty() || id.contains(&b'\n') || id.len() as u64 > LONGEST {
            return Err(Error::input(
                "an id is empty, has a line break in it, or is longer than 4096 bytes",
            ));
        }
        let next = u32::try_from(self.0.len())
            .map_err(|_| Error::input("there are more ids than 32 bits can number"))?;
        self.0.insert(id.into(), next);
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn parsed(text: &str) -> Result<Interactions> {
        parse(Box::new(io::Cursor::new(text.as_bytes().to_vec())))
    }

    fn rows(text: &str) -> Vec<Vec<u32>> {
        let all = parsed(text).unwrap();
        (0..all.users()).map(|user| all.of(user).to_vec()).collect()
    }

    #[test]
    fn lines_are_interactions_unless_rated_below_four() {
        assert_eq!(rows("user,item\na,x\nb,y\na,y\na,x\n"), [vec![0, 1], vec![1]]);
        let rated = "userId,movieId,Rating,timestamp\na,x,4.0,1\nb,y,3.5,2\na,y,5,3\n";
        assert_eq!(rows(rated), [vec![0, 1], vec![]]);
        assert_eq!(rows("196\t242\t3\t881\n186\t302\t4\t891\n196\t302\t5\t8\n"), [[1], [1]]);
    }

    #[test]
    fn odd_but_sound_files_are_read() {
        // A byte order mark, line ends of Windows, blanks, quotes, an empty last line; then no line
        // end at the end of the file.
        let odd = "\u{feff}user,item\r\n a ,x\r\n\"b, c\",\"x\"\r\n\r\n";
        assert_eq!(rows(odd), [[0], [0]]);
        assert_eq!(rows("user,item\na,x"), [[0]]);
        // Quotes are text in tab-separated files, and so are tabs in CSV after the header.
        assert_eq!(rows("\"1\t2\t5\t0\n\"1\t3\t4\t0\n"), [[0, 1]]);
        assert_eq!(rows("user,item\na\tb,x\n"), [[0]]);
        let none = parsed("user,item\n").unwrap();
        assert_eq!((none.users(), none.catalog(), none.count()), (0, 0, 0));
    }

    #[test]
    fn broken_files_are_refused_by_rule_and_place() {
        let belongs = "a number stands where the name of a column belongs";
        let cases = [
            ("", "there is no column of users and one of items"),
            ("user\na\n", "there is no column of users and one of items"),
            ("1,2\n3,4\n", belongs),
            ("user,item,time\na,x,7\n", "column 3: the third column is not called rating"),
            ("user,item\na,x,5\n", "row 1: a row of 3 cells where 2 belong"),
            ("user,item\na,x\na\n", "row 2: a row of 1 cells where 2 belong"),
            ("user,item\n,x\n", "row 1, column 1: an id is empty"),
            ("user,item\na,x\nb,\"y\nc,z\n", "row 2, column 2: an id is empty, has a line break"),
            ("user,item,rating\na,secret,9\n", "row 1, column 3: a rating is a number from 0 to 5"),
            ("u,i,rating\na,x,NaN\n", "row 1, column 3: a rating is"),
            ("u,i,rating\na,x,\n", "row 1, column 3: a rating is"),
            ("user\titem\trating\ttime\n1\t2\t3\t4\n", "row 1, column 3: a rating is"),
            ("1\t2\t3\n", "row 1: a row of 3 cells where 4 belong"),
        ];
        for (text, rule) in cases {
            let error = parsed(text).unwrap_err();
            assert_eq!(error.kind(), dpsis::ErrorKind::Input);
            let error = error.to_string();
            assert!(error.contains(rule), "{text:?}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    /// Six users who like all of six items, and a user and an item that occur once and do not
    /// count.
    fn blocks() -> String {
        let pairs = (0..36).map(|i| format!("u{},i{}\n", i / 6, i % 6));
        format!("user,item\nonce,i0\nu0,once\n{}", pairs.collect::<String>())
    }

    #[test]
    fn compressed_files_are_read_like_plain_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            File::create(&path).unwrap().write_all(bytes).unwrap();
            path
        };
        let text = blocks();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        let gzip = gzip.finish().unwrap();
        let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
        for bytes in [text.as_bytes(), &gzip, &zstd] {
            let core = read(&file("all", bytes)).unwrap();
            assert_eq!((core.users(), core.catalog(), core.count()), (6, 6, 36));
        }
        for bytes in [&gzip[..gzip.len() / 2], &zstd[..zstd.len() / 2]] {
            let error = read(&file("half", bytes)).unwrap_err().to_string();
            assert!(error.contains("cannot be read to its end"), "{error}");
        }
        let few = read(&file("few", b"user,item\na,x\n")).unwrap_err().to_string();
        assert!(few.contains("no interactions remain"), "{few}");
        let missing = read(&folder.path().join("missing")).unwrap_err();
        assert_eq!(missing.kind(), dpsis::ErrorKind::Io);
    }
}
