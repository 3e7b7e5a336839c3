//! Files of other programs that are taken for tables of text: recognized by their first bytes, so
//! that the error names them and the way to save a table.

use crate::error::Error;

/// How to save a table from a spreadsheet.
const SPREADSHEET: &str = "save the sheet as CSV UTF-8 (File, Save As or Download)";

/// The format that the first bytes of a file indicate, and how to get a table out of it; `None` for
/// any format that may be a table here.
fn foreign(start: &[u8]) -> Option<(&'static str, &'static str)> {
    const SAS: &[u8] = b"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\0";
    let r = "in R: write.csv(haven::read_dta(FILE), \"NAME.csv\", row.names = FALSE), or Save As CSV in Stata";
    let starts: [(&[u8], &str, &str); 11] = [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook (.xls)", SPREADSHEET),
        (
            b"$FL2",
            "an SPSS file (.sav)",
            "in R: write.csv(haven::read_sav(FILE), \"NAME.csv\", row.names = FALSE), or Save As CSV in SPSS",
        ),
        (
            b"$FL3",
            "a compressed SPSS file (.zsav)",
            "in R: write.csv(haven::read_sav(FILE), \"NAME.csv\", row.names = FALSE), or Save As CSV in SPSS",
        ),
        (b"<stata_dta>", "a Stata file (.dta)", r),
        (
            SAS,
            "a SAS file (.sas7bdat)",
            "in R: write.csv(haven::read_sas(FILE), \"NAME.csv\", row.names = FALSE), or PROC EXPORT in SAS",
        ),
        (
            b"HEADER RECORD*******",
            "a SAS transport file (.xpt)",
            "in R: write.csv(haven::read_xpt(FILE), \"NAME.csv\", row.names = FALSE), or PROC EXPORT in SAS",
        ),
        (b"%PDF-", "a PDF document", "get the table as CSV from where it was made"),
        (b"{\\rtf", "an RTF document", "save the table as CSV"),
        (
            b"SQLite format 3\0",
            "an SQLite database",
            "sqlite3 -csv -header FILE \"SELECT ...\" > NAME.csv",
        ),
        (
            b"\x89HDF\r\n",
            "an HDF5 file",
            "write its table as CSV or Parquet, or pass it as a data frame or matrix",
        ),
        (b"BZh", "a file compressed by bzip2", "unpack it with bunzip2, or compress it with gzip"),
    ];
    if let Some((_, name, remedy)) = starts.iter().find(|(magic, ..)| start.starts_with(magic)) {
        return Some((name, remedy));
    }
    // Before version 13: the release, the order of bytes, a file of data.
    if let [105..=115, 1 | 2, 1, 0, ..] = start {
        return Some(("a Stata file (.dta)", r));
    }
    if let Some(name) = first_of_zip(start) {
        return of_zip(name);
    }
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let is_tag = |tag: &str| {
        text.get(..tag.len()).is_some_and(|text| text.eq_ignore_ascii_case(tag.as_bytes()))
    };
    match () {
        () if ["<!doctype html", "<html", "<table", "<head"].iter().any(|tag| is_tag(tag)) => {
            let remedy = "a download may have needed a login: get the file itself; \
                          a spreadsheet opens a table in it and saves it as CSV UTF-8";
            Some(("a web page (HTML)", remedy))
        }
        () if is_tag("<?xml") => Some(("an XML document", SPREADSHEET)),
        () => None,
    }
}

/// The name of the first file of a zip archive, as far as it is there.
fn first_of_zip(start: &[u8]) -> Option<&[u8]> {
    let rest = start.strip_prefix(b"PK\x03\x04")?;
    let length: [u8; 2] = rest.get(22..24)?.try_into().ok()?;
    let name = rest.get(26..)?;
    name.get(..usize::from(u16::from_le_bytes(length)).min(name.len()))
}

fn of_zip(name: &[u8]) -> Option<(&'static str, &'static str)> {
    let starts = |start: &str| name.starts_with(start.as_bytes());
    match () {
        () if name.ends_with(b".npy") => None,
        () if starts("[Content_Types]")
            || starts("_rels/")
            || starts("xl/")
            || starts("docProps/") =>
        {
            Some(("an Excel workbook (.xlsx) or another document of Office", SPREADSHEET))
        }
        () if starts("mimetype") => Some(("an OpenDocument file (.ods)", SPREADSHEET)),
        () => Some(("a zip archive", "unpack it, or compress the table with gzip")),
    }
}

/// Refuses a file that starts like one of another program.
///
/// # Errors
///
/// `Input` in that case.
pub(in crate::table) fn refuse_foreign(name: &str, start: &[u8]) -> Result<(), Error> {
    match foreign(start) {
        None => Ok(()),
        Some((format, remedy)) => {
            Err(Error::input(format!("{name} is {format}, not a table of text")).hint(remedy))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zip(name: &str) -> Vec<u8> {
        let length = u16::try_from(name.len()).unwrap().to_le_bytes();
        [&b"PK\x03\x04"[..], &[0; 22], &length, &[0; 2], name.as_bytes(), b"content"].concat()
    }

    #[test]
    fn other_programs_are_recognized() {
        for (start, format) in [
            (zip("[Content_Types].xml"), "Excel"),
            (zip("xl/workbook.xml"), "Excel"),
            (zip("mimetype"), "OpenDocument"),
            (zip("table.csv"), "zip"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0".to_vec(), ".xls"),
            (b"$FL2@(#) SPSS DATA FILE".to_vec(), "SPSS"),
            (b"<stata_dta><header><release>118".to_vec(), "Stata"),
            (b"\x72\x02\x01\0\x05".to_vec(), "Stata"),
            (b"HEADER RECORD*******LIBRARY".to_vec(), "SAS"),
            (b"\xef\xbb\xbf\n <!DOCTYPE HTML PUBLIC".to_vec(), "HTML"),
            (b"<?xml version=\"1.0\"?>".to_vec(), "XML"),
        ] {
            let error = refuse_foreign("a.csv", &start).unwrap_err().to_string();
            assert!(error.contains(format), "{error}");
        }
        for table in
            [&b"id,age\n1,2\n"[..], b"<5,>6\n", b"PK,y\n", b"r\x01,y", b"", b"PK\x03\x04", b"$FL,y"]
        {
            assert!(refuse_foreign("a.csv", table).is_ok());
        }
        assert!(refuse_foreign("a.npz", &zip("X.npy")).is_ok());
    }
}
