//! Files that record past actions: locked, checked to be still at their paths, appended to and
//! synced.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use crate::error::{Error, Parameter, Result};

/// A kind of such file.
#[derive(Debug)]
pub(crate) struct Kind {
    /// Its name in messages.
    pub(crate) name: &'static str,
    /// The start of all its files: other files are not read.
    pub(crate) start: &'static str,
    /// The parameter that gives the file.
    pub(crate) parameter: Parameter,
    /// Whether only its owner may read it, where files have such permissions.
    pub(crate) secret: bool,
}

/// A locked file; other processes and threads wait until it is dropped.
pub(crate) struct Locked<'a> {
    kind: &'static Kind,
    path: &'a Path,
    file: File,
    /// The whole content.
    pub(crate) content: Vec<u8>,
}

impl<'a> Locked<'a> {
    /// Opens a file to append to it.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be read, written or locked, or is not a regular file.
    pub(crate) fn to_append(kind: &'static Kind, path: &'a Path) -> Result<Self> {
        Self::open(kind, path, OpenOptions::new().read(true).append(true), |file| {
            if file.metadata()?.permissions().readonly() {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            file.lock()
        })
    }

    /// Opens a file to read it.
    ///
    /// # Errors
    ///
    /// As for [`to_append`](Self::to_append), except that it need not be writable.
    pub(crate) fn to_read(kind: &'static Kind, path: &'a Path) -> Result<Self> {
        Self::open(kind, path, OpenOptions::new().read(true), File::lock_shared)
    }

    fn open(
        kind: &'static Kind,
        path: &'a Path,
        options: &OpenOptions,
        lock: impl Fn(&File) -> io::Result<()>,
    ) -> Result<Self> {
        let failed = |error: io::Error| kind.cannot(path, error.kind());
        // Reading a pipe would block, and a device may have no end.
        if !path.metadata().map_err(failed)?.is_file() {
            return Err(Error::io(format!("{} is not a regular file", path.display()))
                .about([kind.parameter]));
        }
        let mut file = options.open(path).map_err(failed)?;
        lock(&file).map_err(failed)?;
        // A large file of another kind is not read.
        let mut content = Vec::new();
        let start = kind.start.len() as u64 + 1;
        Read::by_ref(&mut file).take(start).read_to_end(&mut content).map_err(failed)?;
        if content.starts_with(kind.start.as_bytes()) {
            file.read_to_end(&mut content).map_err(failed)?;
        }
        let locked = Self { kind, path, file, content };
        locked.check_place()?;
        Ok(locked)
    }

    /// Appends lines and waits until they are on the disk. Removes lines that were not written
    /// whole.
    ///
    /// # Errors
    ///
    /// `Io` if that fails.
    pub(crate) fn append(mut self, lines: &str) -> Result<()> {
        let failed = |error: io::Error| self.kind.cannot(self.path, error.kind());
        let written = match self.file.write(lines.as_bytes()) {
            Ok(length) if length == lines.len() => Ok(()),
            Ok(_) => Err(io::ErrorKind::StorageFull.into()),
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            // Nothing in them can have been released. If this fails as well, the line is later
            // found cut off.
            let _ = self.file.set_len(self.content.len() as u64);
            return Err(failed(error));
        }
        self.file.sync_all().map_err(failed)?;
        self.check_place()
    }

    /// Checks that the file is still at its path: an editor may have put another in its place.
    fn check_place(&self) -> Result<()> {
        let at = |metadata: io::Result<Metadata>| {
            metadata.map_err(|error| self.kind.cannot(self.path, error.kind()))
        };
        if is_same(&at(self.file.metadata())?, &at(self.path.metadata())?) {
            return Ok(());
        }
        let rule = format!("the {} was replaced by another file while it was used", self.kind.name);
        Err(Error::io(rule).about([self.kind.parameter]))
    }
}

impl Kind {
    /// Creates a new file; it is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// `Io` if it exists or cannot be written.
    pub(crate) fn create(&self, path: &Path, content: &str) -> Result<()> {
        let make = || -> io::Result<()> {
            let mut file = self.creating().open(path)?;
            if let Err(error) = file.write_all(content.as_bytes()).and_then(|()| file.sync_all()) {
                // Nothing can have been done with an incomplete file.
                let _ = std::fs::remove_file(path);
                return Err(error);
            }
            sync_folder(path)
        };
        make().map_err(|error| {
            let (name, path, kind) = (self.name, path.display(), error.kind());
            let refusal = Error::io(format!("cannot create the {name} {path}: {kind}"));
            match kind {
                io::ErrorKind::AlreadyExists => {
                    refusal.hint("it is made once, and used from then on")
                }
                _ => refusal,
            }
        })
    }

    /// The options of a file that must be new.
    fn creating(&self) -> OpenOptions {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        if self.secret {
            for_owner(&mut options);
        }
        options
    }

    pub(crate) fn cannot(&self, path: &Path, kind: io::ErrorKind) -> Error {
        let (name, shown) = (self.name, path.display());
        let about = |rule: String| Error::io(rule).about([self.parameter]);
        match kind {
            io::ErrorKind::NotFound => {
                about(format!("there is no {name} {shown}: create it first")).or_near_file(path)
            }
            io::ErrorKind::AlreadyExists => about(format!("there is a file {shown} already")),
            _ => about(format!("cannot use the {name} {shown}: {kind}")),
        }
    }
}

/// A lock that has a file of its own and is held until it is dropped or its process ends. The file
/// stays: two processes could hold locks of a file and of its successor.
pub(crate) struct Lock {
    /// Held, not read.
    _file: File,
}

impl Lock {
    /// Waits for the lock; `check` is called before each attempt and can stop the waiting.
    ///
    /// # Errors
    ///
    /// The errors of `check`; `Io` if the file cannot be made or locked.
    pub(crate) fn wait(
        kind: &'static Kind,
        path: &Path,
        mut check: impl FnMut() -> Result<()>,
    ) -> Result<Self> {
        /// The time between two attempts.
        const PAUSE: Duration = Duration::from_millis(20);
        let failed = |error: io::Error| kind.cannot(path, error.kind());
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).open(path).map_err(failed)?;
        loop {
            check()?;
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) => sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }
}

/// Writes a file, replacing an earlier one, and waits until it and its name are on the disk. After
/// a failure or a kill it may be incomplete.
///
/// # Errors
///
/// The errors of the system.
pub(crate) fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    sync_folder(path)
}

/// Renames a file within its folder and waits until the name is on the disk.
///
/// # Errors
///
/// The errors of the system.
pub(crate) fn rename_synced(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)?;
    sync_folder(to)
}

/// Makes a folder if there is none; its name is on the disk when this returns.
///
/// # Errors
///
/// The errors of the system.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    match std::fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) => Err(error),
        Ok(()) => sync_folder(path),
    }
}

/// Waits until the name of a new file is on the disk.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Elsewhere a folder cannot be opened as a file.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// A new file that only its owner may read.
#[cfg(unix)]
fn for_owner(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

/// Elsewhere files have no such permissions.
#[cfg(not(unix))]
fn for_owner(_: &mut OpenOptions) {}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Elsewhere an open file cannot be replaced.
#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}
