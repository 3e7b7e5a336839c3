//! Import of public sets from a folder or a server, checked against the manifest.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use dpsis::{Error, Result};
use flate2::read::MultiGzDecoder;

use crate::datasets::checksum;
use crate::datasets::fetch::{Limits, fetch};
use crate::datasets::form::{Form, MAX_BYTES};
use crate::datasets::manifest::{DataSet, find};
use crate::datasets::table::PublicTable;

/// The subfolders that are searched, in this order.
const FOLDERS: [&str; 3] = ["", "csv", "raw"];
/// The formats that are requested from a server, in this order.
const SERVED: [Form; 3] = [Form::CsvGz, Form::RData, Form::Csv];
const LIMITS: Limits = Limits { bytes: MAX_BYTES, seconds: 300 };

/// Finds a set of the manifest in a folder and reads it into memory, 8 bytes per value; `None` if
/// the folder does not have it.
///
/// The folder itself and its subfolders `csv/` and `raw/` are searched for `NAME.csv`,
/// `NAME.csv.gz`, `NAME.RData` and `NAME.npy` (with `NAME.features.csv` and `NAME.labels.csv`), in
/// this order. The first file found is read and checked against the sizes and, where known, the
/// checksum in the manifest.
///
/// ```no_run
/// let golub = dpsis_eval::datasets::open("data".as_ref(), "golub")?;
/// assert!(golub.is_none_or(|table| table.x.dim() == (72, 7129)));
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// # Errors
///
/// `Request` if the manifest has no such set; `Input` if the file is malformed or another table;
/// `Io` if it cannot be read.
pub fn open(folder: &Path, name: &str) -> Result<Option<PublicTable>> {
    let set = find(name)?;
    locate(folder, set).map(|(path, form)| read(set, &path, form)).transpose()
}

/// Whether [`open`] would find a set in a folder.
pub fn has(folder: &Path, name: &str) -> bool {
    find(name).is_ok_and(|set| locate(folder, set).is_some())
}

/// Reads a set of the manifest from a folder, as [`open`] does, or from a server (`http://` or
/// `https://`, feature `http`): the URL of a folder with `NAME.csv.gz`, `NAME.RData` or `NAME.csv`,
/// or of such a file. A download takes at most 256 MiB and five minutes.
///
/// # Errors
///
/// `Request` if the manifest has no such set, or for a URL without feature `http`; `Input` if the
/// file is malformed or another table; `Io` if it is not there or cannot be read.
pub fn get(name: &str, from: &str) -> Result<PublicTable> {
    match locate_or_server(name, from)? {
        Origin::File(set, path, form) => read(set, &path, form),
        Origin::Server(set) => download(set, from, LIMITS),
    }
}

/// The source of a set.
pub enum Origin {
    /// A file in this format in a folder.
    File(&'static DataSet, PathBuf, Form),
    /// A server.
    Server(&'static DataSet),
}

/// Determines the source of a set without reading it. `from` is a folder or a URL.
///
/// # Errors
///
/// `Request` if the manifest has no such set; `Io` if the folder does not have it.
pub fn locate_or_server(name: &str, from: &str) -> Result<Origin> {
    let set = find(name)?;
    if from.starts_with("http://") || from.starts_with("https://") {
        return Ok(Origin::Server(set));
    }
    let (path, form) = locate(Path::new(from), set).ok_or_else(|| {
        let name = &set.name;
        Error::io(format!("{from} does not hold {name}")).hint(format!(
            "looked for {name}.csv, .csv.gz, .RData and .npy there, in csv/ and in raw/"
        ))
    })?;
    Ok(Origin::File(set, path, form))
}

fn locate(folder: &Path, set: &DataSet) -> Option<(PathBuf, Form)> {
    let places = FOLDERS.iter().flat_map(|below| Form::ALL.map(|form| (below, form)));
    let mut files = places.map(|(below, form)| {
        (folder.join(below).join(format!("{}{}", set.name, form.ending())), form)
    });
    files.find(|(path, _)| path.is_file())
}

/// Reads a set from a file and checks it against the manifest.
///
/// # Errors
///
/// `Input` if the file is malformed, too large or another table; `Io` if it cannot be read.
pub fn read(set: &DataSet, path: &Path, form: Form) -> Result<PublicTable> {
    let known = checksum::file_is_known(set, &read_file(path)?);
    if form == Form::CsvGz {
        check_inflated_size(path)?;
    }
    let table = form.read(path)?;
    checksum::check(set, &table, known)?;
    Ok(table)
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| Error::cannot_read(path, &error))?;
    if bytes.len() as u64 > MAX_BYTES { Err(too_large(path)) } else { Ok(bytes) }
}

/// Refuses a small file that decompresses to more than the largest size allowed. Damage is left to
/// the reader of the table.
fn check_inflated_size(path: &Path) -> Result<()> {
    let file = File::open(path).map_err(|error| Error::cannot_read(path, &error))?;
    let mut inflated = MultiGzDecoder::new(file).take(MAX_BYTES + 1);
    match io::copy(&mut inflated, &mut io::sink()) {
        Ok(bytes) if bytes > MAX_BYTES => Err(too_large(path)),
        _ => Ok(()),
    }
}

fn too_large(path: &Path) -> Error {
    Error::input(format!("{} is far larger than any known set", path.display()))
}

fn download(set: &DataSet, from: &str, limits: Limits) -> Result<PublicTable> {
    let names_a_file = SERVED.into_iter().find(|form| from.ends_with(form.ending()));
    let places = match names_a_file {
        Some(form) => vec![(from.to_owned(), form)],
        None => {
            let folder = from.trim_end_matches('/');
            SERVED.map(|form| (format!("{folder}/{}{}", set.name, form.ending()), form)).into()
        }
    };
    for (url, form) in places {
        if let Some(bytes) = fetch(&url, limits)? {
            let folder = tempfile::tempdir()
                .map_err(|error| Error::io(format!("cannot keep the download: {error}")))?;
            // The reader recognizes files of R by their names.
            let path = folder.path().join(format!("{}{}", set.name, form.ending()));
            fs::write(&path, bytes)
                .map_err(|error| Error::io(format!("cannot keep the download: {error}")))?;
            return read(set, &path, form);
        }
    }
    Err(Error::io(format!("{from} does not hold {}: the server answered 404", set.name)))
}
