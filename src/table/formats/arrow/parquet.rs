//! Random access to Parquet files for its crate, with reading ahead.
//!
//! The crate requests the head of each page and then its bytes, a few hundred each in a wide table;
//! therefore neighboring bytes are read at once. A range beyond the end of the file is refused
//! before memory is allocated. A failed read is remembered, because the crate reports it like
//! damage.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use crate::error::{Error, ErrorKind, Result};
use crate::table::formats::positioned::Positioned;

/// The number of bytes that are read at once if fewer are requested. Nothing is read ahead of
/// larger requests: the bytes behind a large page are seldom wanted next.
const AHEAD: u64 = 1 << 16;

/// An open file, for one or several passes.
#[derive(Clone)]
pub(super) struct ParquetSource {
    file: Arc<Inner>,
    /// The last bytes that were read ahead, and their place.
    ahead: Arc<Mutex<(u64, Bytes)>>,
}

struct Inner {
    bytes: Positioned,
    failed: Mutex<Option<Error>>,
}

impl ParquetSource {
    pub(super) fn new(bytes: Positioned) -> Self {
        Self { file: Arc::new(Inner { bytes, failed: Mutex::new(None) }), ahead: Arc::default() }
    }

    /// The same file for a reader of its own, which reads ahead by itself.
    pub(super) fn of_one_reader(&self) -> Self {
        Self { file: self.file.clone(), ahead: Arc::default() }
    }

    /// The failed read behind an error of the crate; otherwise the error itself.
    pub(super) fn cause(&self, error: Error) -> Error {
        self.file.failed.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or(error)
    }

    /// The bytes from an offset on, at most `most` and at least one unless the file ends there;
    /// following bytes are read ahead.
    fn some(&self, place: u64, most: u64) -> io::Result<Bytes> {
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        let inside = place.checked_sub(ahead.0).and_then(|from| usize::try_from(from).ok());
        if let Some(from) = inside.filter(|from| *from < ahead.1.len()) {
            let left = (ahead.1.len() - from) as u64;
            return Ok(ahead.1.slice(from..from + left.min(most) as usize));
        }
        let read = Bytes::from(self.kept(self.file.bytes.bytes(place, most.max(AHEAD)))?);
        *ahead = (place, read.clone());
        Ok(read.slice(..read.len().min(usize::try_from(most).unwrap_or(usize::MAX))))
    }

    fn kept<T>(&self, read: Result<T>) -> io::Result<T> {
        read.map_err(|error| {
            if error.kind() == ErrorKind::Io {
                let mut failed = self.file.failed.lock().unwrap_or_else(PoisonError::into_inner);
                *failed = Some(error);
            }
            io::ErrorKind::Other.into()
        })
    }
}

impl Length for ParquetSource {
    fn len(&self) -> u64 {
        self.file.bytes.len()
    }
}

impl ChunkReader for ParquetSource {
    type T = From;

    fn get_read(&self, start: u64) -> parquet::errors::Result<From> {
        Ok(From { source: self.clone(), place: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.len());
        end.ok_or_else(|| ParquetError::EOF(String::new()))?;
        let first = self.some(start, length as u64)?;
        if first.len() == length {
            return Ok(first);
        }
        // The remaining bytes of a request that starts in bytes read ahead.
        let mut all = first.to_vec();
        all.resize(length, 0);
        let rest = &mut all[first.len()..];
        self.kept(self.file.bytes.read_at(start + first.len() as u64, rest))?;
        Ok(all.into())
    }
}

/// A file from an offset on.
pub(super) struct From {
    source: ParquetSource,
    place: u64,
}

impl Read for From {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.source.some(self.place, buffer.len() as u64)?;
        buffer[..bytes.len()].copy_from_slice(&bytes);
        self.place += bytes.len() as u64;
        Ok(bytes.len())
    }
}
