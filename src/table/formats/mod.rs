//! The formats of tables: recognizing the format of a file, and a reader for each but text.
//!
//! A format is recognized by the first bytes of the content, compressed or not, if it has such a
//! signature, and otherwise by the file's name. A file whose name promises a format with a
//! signature must start with it.

#[cfg(feature = "batches")]
pub(crate) mod arrow;
pub(crate) mod cls;
pub(crate) mod decompress;
mod foreign;
mod gct;
pub(crate) mod inflate;
pub(crate) mod npy;
mod npz;
pub(crate) mod positioned;
pub(crate) mod r;
pub(crate) mod serialized;
pub(crate) mod text;

use std::fs::File;
use std::io::Read;
use std::path::Path;

#[cfg(not(feature = "arrow"))]
use crate::error::Parameter;
use crate::error::{Error, Result};
use crate::table::block_table::BlockTable;
use crate::table::facts::TableFacts;
pub(in crate::table) use foreign::refuse_foreign;
use positioned::Positioned;

/// The largest number of columns of a binary matrix without rows: no file length bounds it, and
/// their names take memory.
pub(super) const MAX_COLUMNS_WITHOUT_ROWS: u64 = 1 << 24;

/// A format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// CSV and its like, plain, gzip or zstd.
    Text,
    /// One array of numpy.
    Npy,
    /// Arrays of numpy in a zip archive.
    Npz,
    /// Gene expression as text, features as rows.
    Gct,
    /// R's `save` and `saveRDS`.
    R,
    /// Arrow's file, also Feather of version 2.
    Arrow,
    /// Arrow's stream.
    ArrowStream,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// The formats that this build reads.
    pub(crate) const READ: &[Self] = &[
        Self::Text,
        Self::Npy,
        Self::Npz,
        Self::Gct,
        Self::R,
        #[cfg(feature = "arrow")]
        Self::Arrow,
        #[cfg(feature = "arrow")]
        Self::ArrowStream,
        #[cfg(feature = "arrow")]
        Self::Parquet,
    ];

    /// The name of the format.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Npy => ".npy",
            Self::Npz => ".npz",
            Self::Gct => ".gct",
            Self::R => "R",
            Self::Arrow => "Arrow",
            Self::ArrowStream => "Arrow stream",
            Self::Parquet => "Parquet",
        }
    }

    /// The format of a file. An input that can be read only once is text; for a file that does not
    /// exist, the name decides.
    ///
    /// # Errors
    ///
    /// `Input` if the name promises another format than the content has, or the file is one of
    /// another program.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let start = match path.metadata() {
            Ok(metadata) if !metadata.is_file() => return Ok(Self::Text),
            Ok(_) => start(path),
            Err(_) if is_url(path) => return Err(no_url(path)),
            Err(_) => None,
        };
        let Some(start) = start else { return Ok(Self::of_name(path).unwrap_or(Self::Text)) };
        let content = start.inflated.as_deref().unwrap_or(&start.raw);
        refuse_foreign(&path.display().to_string(), content)?;
        if let Some(format) = Self::of_start(&start.raw) {
            return Ok(format);
        }
        if let Some(format) = start.inflated.as_deref().and_then(Self::of_start) {
            // The others are read at given offsets, which compressed files do not allow.
            return match format {
                Self::R | Self::Gct => Ok(format),
                _ => Err(Error::input(format!(
                    "{} is compressed, and its format is {}: unpack it first",
                    path.display(),
                    format.name()
                ))),
            };
        }
        match Self::of_name(path) {
            // The reader for R reports what it cannot read.
            None | Some(Self::R) => Ok(Self::of_name(path).unwrap_or(Self::Text)),
            Some(promised) => {
                let (path, name) = (path.display(), promised.name());
                Err(Error::input(format!("{path} does not start as its format, {name}, does")))
            }
        }
    }

    /// The format, other than text, whose content starts like this.
    pub(crate) fn of_start(start: &[u8]) -> Option<Self> {
        // The format's version, the writer's, and the oldest reader's: 2.3.0 or 3.5.0.
        let serialized = matches!(
            start,
            [b'X', b'\n', 0, 0, 0, 2 | 3, 0, _, _, _, 0, 2, 3, 0, ..]
                | [b'X', b'\n', 0, 0, 0, 2 | 3, 0, _, _, _, 0, 3, 5, 0, ..]
        );
        if serialized {
            return Some(Self::R);
        }
        let starts: [(&[u8], Self); 11] = [
            (npy::MAGIC, Self::Npy),
            (b"PK\x03\x04", Self::Npz),
            (b"PK\x05\x06", Self::Npz),
            (b"PAR1", Self::Parquet),
            (b"ARROW1\0\0", Self::Arrow),
            (b"\xff\xff\xff\xff", Self::ArrowStream),
            (b"RDX2\n", Self::R),
            (b"RDX3\n", Self::R),
            (b"\xfd7zXZ\0", Self::R),
            (b"#1.2", Self::Gct),
            (b"#1.3", Self::Gct),
        ];
        starts.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, format)| *format)
    }

    /// The format, other than text, that a name promises.
    fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "npy" => Some(Self::Npy),
            "npz" => Some(Self::Npz),
            "gct" => Some(Self::Gct),
            "rds" | "rdata" | "rda" => Some(Self::R),
            "arrow" | "feather" | "ipc" => Some(Self::Arrow),
            "arrows" => Some(Self::ArrowStream),
            "parquet" | "pq" => Some(Self::Parquet),
            _ => None,
        }
    }

    /// Opens a file of this format.
    ///
    /// # Errors
    ///
    /// `Request` for text, for a format that this build lacks, or for an orientation that the
    /// format does not have; as for reading.
    pub(crate) fn open(self, path: &Path, facts: &TableFacts) -> Result<Box<dyn BlockTable>> {
        let orientation = facts.orientation.unwrap_or_default();
        Ok(match self {
            Self::Npy => {
                let array = npy::Array::read(Positioned::open(path)?)?;
                Box::new(npy::Matrix::new(array, None, orientation)?)
            }
            Self::Npz => Box::new(npz::read(Positioned::open(path)?, orientation)?),
            Self::Gct => Box::new(gct::read(path, facts)?),
            Self::R => Box::new(r::read(path, facts)?),
            #[cfg(feature = "arrow")]
            Self::Arrow | Self::ArrowStream | Self::Parquet => {
                Box::new(arrow::ArrowTable::open(self, Positioned::open(path)?)?)
            }
            #[cfg(not(feature = "arrow"))]
            Self::Arrow | Self::ArrowStream | Self::Parquet => {
                let rule = format!("this build does not read the format {}", self.name());
                return Err(Error::request(rule)
                    .hint("build it with the feature arrow")
                    .about([Parameter::BuildFeature("arrow")]));
            }
            Self::Text => return Err(Error::request("text is read line by line")),
        })
    }
}

/// The first bytes of a file.
struct Start {
    raw: Vec<u8>,
    /// The first bytes after decompression, if the file is compressed by gzip or Zstandard.
    inflated: Option<Vec<u8>>,
}

/// Reads the start of a file; `None` if it cannot be read.
fn start(path: &Path) -> Option<Start> {
    const START_BYTES: u64 = 256;
    let first = |input: &mut dyn Read| {
        let mut bytes = Vec::new();
        // Damage is reported later, by the reader.
        let _ = input.take(START_BYTES).read_to_end(&mut bytes);
        bytes
    };
    let raw = first(&mut File::open(path).ok()?);
    let again = || File::open(path).ok();
    let inflated = match raw.as_slice() {
        [0x1f, 0x8b, ..] => Some(first(&mut flate2::read::MultiGzDecoder::new(again()?))),
        #[cfg(feature = "zstd")]
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            let decoder = zstd::stream::read::Decoder::new(again()?);
            decoder.ok().map(|mut decoder| first(&mut decoder))
        }
        _ => None,
    };
    Some(Start { raw, inflated })
}

/// Whether a path is the address of something elsewhere, such as `s3://bucket/table.csv`.
fn is_url(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    scheme
        .is_some_and(|scheme| scheme.len() > 1 && scheme.bytes().all(|b| b.is_ascii_alphanumeric()))
}

fn no_url(path: &Path) -> Error {
    Error::request(format!("{} is not the path of a file: URLs are not read", path.display())).hint(
        "copy it to a file first; DuckDB (COPY (FROM 's3://...') TO 'table.parquet') and pyarrow read URLs, and in \
         Python their results are tables",
    )
}
