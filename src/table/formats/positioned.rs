//! Random access to bytes: a part of a file, or of memory.
//!
//! Files are read at given offsets, never mapped into memory: an access to a mapped file that
//! another program has truncated kills the process, while a read returns an error; and mapping
//! needs `unsafe`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::{Error, Result};

/// A range of bytes that can be read at any offset.
#[derive(Debug)]
pub(crate) enum Positioned {
    /// Part of a file.
    File {
        /// The file, open.
        file: Shared,
        /// The offset of the part in the file.
        start: u64,
        /// The length of the part.
        length: u64,
    },
    /// Bytes in memory.
    Memory(Vec<u8>),
}

impl Positioned {
    /// A whole file.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be opened.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let opened = File::open(path).and_then(|file| file.metadata().map(|data| (file, data)));
        let (file, metadata) = opened.map_err(|error| Error::cannot_read(path, &error))?;
        Ok(Self::File { file: Shared::new(file), start: 0, length: metadata.len() })
    }

    /// A file whose reads all fail: it is open for writing alone.
    #[cfg(all(test, feature = "arrow"))]
    pub(crate) fn unreadable(length: u64) -> io::Result<Self> {
        let file = tempfile::NamedTempFile::new()?;
        let file = File::options().write(true).open(file.path())?;
        Ok(Self::File { file: Shared::new(file), start: 0, length })
    }

    /// The number of bytes.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::File { length, .. } => *length,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// A part of these bytes.
    ///
    /// # Errors
    ///
    /// `Input` if it ends before the part does; `Io` if the file cannot be opened twice.
    pub(crate) fn part(&self, from: u64, bytes: u64) -> Result<Self> {
        let end = from.checked_add(bytes).filter(|end| *end <= self.len());
        let end = end.ok_or_else(too_short)?;
        match self {
            Self::File { file, start, .. } => Ok(Self::File {
                file: file.again()?,
                start: start.checked_add(from).ok_or_else(too_short)?,
                length: bytes,
            }),
            Self::Memory(all) => {
                let range = usize::try_from(from).ok().zip(usize::try_from(end).ok());
                let part = range.and_then(|(from, end)| all.get(from..end));
                Ok(Self::Memory(part.ok_or_else(too_short)?.to_vec()))
            }
        }
    }

    /// Fills `buffer` with the bytes from an offset on.
    ///
    /// # Errors
    ///
    /// `Input` if there are not as many; `Io` if they cannot be read.
    pub(crate) fn read_at(&self, place: u64, buffer: &mut [u8]) -> Result<()> {
        let end = place.checked_add(buffer.len() as u64).filter(|end| *end <= self.len());
        end.ok_or_else(too_short)?;
        match self {
            Self::File { file, start, .. } => file
                .read_at(buffer, start.saturating_add(place))
                .map_err(|error| match error.kind() {
                    io::ErrorKind::UnexpectedEof => {
                        Error::input("the file was cut short while it was being read")
                    }
                    _ => Error::io(format!("cannot read the table: {error}")),
                }),
            Self::Memory(bytes) => {
                // Within the length, which is that of a vector.
                let place = usize::try_from(place).map_err(|_| too_short())?;
                bytes.get(place..).unwrap_or_default().read_exact(buffer).map_err(|_| too_short())
            }
        }
    }

    /// The bytes from an offset on, at most `most`, as a vector.
    ///
    /// # Errors
    ///
    /// As for [`read_at`](Self::read_at).
    pub(crate) fn bytes(&self, place: u64, most: u64) -> Result<Vec<u8>> {
        let length = self.len().saturating_sub(place).min(most);
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| too_short())?];
        self.read_at(place, &mut bytes)?;
        Ok(bytes)
    }
}

/// The error for a file that ends too early.
pub(super) fn too_short() -> Error {
    Error::input("the file ends before the end of its data")
}

/// An open file that several threads read.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct Shared(File);

#[cfg(unix)]
impl Shared {
    fn new(file: File) -> Self {
        Self(file)
    }

    fn again(&self) -> Result<Self> {
        let again = self.0.try_clone();
        again.map(Self).map_err(|error| Error::io(format!("cannot read the table: {error}")))
    }

    fn read_at(&self, buffer: &mut [u8], place: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, buffer, place)
    }
}

/// An open file that several threads read, one after the other.
#[cfg(not(unix))]
#[derive(Debug)]
pub(crate) struct Shared(std::sync::Arc<std::sync::Mutex<File>>);

#[cfg(not(unix))]
impl Shared {
    fn new(file: File) -> Self {
        Self(std::sync::Arc::new(std::sync::Mutex::new(file)))
    }

    fn again(&self) -> Result<Self> {
        Ok(Self(self.0.clone()))
    }

    fn read_at(&self, buffer: &mut [u8], place: u64) -> io::Result<()> {
        use std::io::Seek;
        let mut file = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(io::SeekFrom::Start(place))?;
        file.read_exact(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn files_and_memory_are_read_alike() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"0123456789").unwrap();
        for whole in
            [Positioned::open(file.path()).unwrap(), Positioned::Memory(b"0123456789".to_vec())]
        {
            let part = whole.part(3, 5).unwrap();
            assert_eq!((whole.len(), part.len()), (10, 5));
            assert_eq!(part.bytes(1, 3).unwrap(), b"456");
            assert_eq!(part.bytes(4, 30).unwrap(), b"7");
            for (place, length) in [(5, 1), (u64::MAX, 2), (0, 6)] {
                let error = part.read_at(place, &mut vec![0; length]).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Input);
            }
            assert!(whole.part(9, 2).is_err() && whole.part(u64::MAX, 2).is_err());
        }
        let whole = Positioned::open(file.path()).unwrap();
        std::fs::write(file.path(), b"0").unwrap();
        assert_eq!(whole.bytes(0, 10).unwrap_err().kind(), ErrorKind::Input);
    }
}
