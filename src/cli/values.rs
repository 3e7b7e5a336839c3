//! The values of options, from text.

use crate::data::{Bounds, CellFormat};
use crate::error::{Error, Result};
use crate::select::Center;

/// A number as a cell of the table would be read.
fn parse_value(text: &str) -> Option<f64> {
    CellFormat::default().number(text.as_bytes())
}

/// `LO,HI`.
pub(super) fn parse_bounds(text: &str) -> Result<Bounds> {
    let ends = text.split_once(',').and_then(|(low, high)| parse_value(low).zip(parse_value(high)));
    match ends {
        Some((low, high)) => Bounds::new(low, high),
        None => Err(Error::request("bounds must be two numbers with a comma between them: LO,HI")),
    }
}

/// A list as one CSV record, trimmed.
pub(super) fn parse_record(text: &str) -> Result<Vec<String>> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let records: Vec<_> = reader.records().filter_map(|record| record.ok()).collect();
    match records.as_slice() {
        [record] => Ok(record.iter().map(|label| label.trim().to_owned()).collect()),
        _ => Err(Error::request("a list must be stated on one line: a,b or a,b,c")),
    }
}

/// One ASCII character, or the word tab.
pub(super) fn parse_delimiter(text: &str) -> Result<u8> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if !b"\"\r\n".contains(byte) => Ok(*byte),
        _ => Err(Error::request("the delimiter must be one character, or the word tab")),
    }
}

/// `center=C,target=T`, either or both: the shares of the target's median and centre.
pub(super) fn parse_split(text: &str) -> Result<(String, String)> {
    let (mut target, mut center) = ("0.10".to_owned(), "0.05".to_owned());
    for part in text.split(',') {
        match part.split_once('=').map(|(name, share)| (name.trim(), share.trim())) {
            Some(("target", share)) => share.clone_into(&mut target),
            Some(("center", share)) => share.clone_into(&mut center),
            _ => return Err(Error::request("the split must be stated as center=0.05,target=0.10")),
        }
    }
    Ok((target, center))
}

/// `private`, `none`, a number, or `LABEL=SHARE,...`.
pub(super) fn parse_center(text: &str) -> Result<Center> {
    match text {
        "private" => Ok(Center::Private),
        "none" => Ok(Center::None),
        _ if text.contains('=') => {
            let share = |part: &str| {
                let (label, share) = part.rsplit_once('=')?;
                Some((label.trim().to_owned(), parse_value(share)?))
            };
            let shares: Option<Vec<_>> = text.split(',').map(share).collect();
            shares.map(Center::Shares).ok_or_else(bad_center)
        }
        _ => parse_value(text).map(Center::Stated).ok_or_else(bad_center),
    }
}

fn bad_center() -> Error {
    Error::request(
        "the centre must be private, none, a number, or shares such as a=0.3,b=0.5,c=0.2",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_one_record() {
        assert_eq!(parse_record("case, control ,\"x, y\"").unwrap(), ["case", "control", "x, y"]);
        for text in ["", "a,b\nc,d"] {
            assert!(parse_record(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn centres_are_words_numbers_or_shares() {
        assert_eq!(parse_center("private").unwrap(), Center::Private);
        assert_eq!(parse_center("none").unwrap(), Center::None);
        assert_eq!(parse_center("-1.5e2").unwrap(), Center::Stated(-150.0));
        let shares = [("a".to_owned(), 0.25), ("b=c".to_owned(), 0.75)];
        assert_eq!(parse_center("a=0.25, b=c=0.75").unwrap(), Center::Shares(shares.into()));
        for text in ["", "mean", "a=", "a=x", "=", "a=0.5,b"] {
            assert!(parse_center(text).is_err(), "{text:?}");
        }
    }
}
