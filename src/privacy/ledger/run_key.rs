//! Run keys: a call that is repeated with its key neither charges nor releases again.
//!
//! The key and a hash of the request are appended to the ledger together with the charge. When the
//! release is made, its record is kept in a folder next to the ledger, and the ledger gets the hash
//! of the record; only then is the release returned:
//!
//! ```text
//! budget.txt                    4: epsilon 0.5, ...      charge
//!                               key 4: nightly, ...      in the same write
//! budget.txt.runs/HASH.json.new                          the record, synced
//! budget.txt                    ended 4: released, ...   the hash of the record
//! budget.txt.runs/HASH.json                              renamed
//! ```
//!
//! A repeated call returns the record with this hash. It is refused in every other state: after a
//! failure, after a kill between charge and hash, and if the record is missing or was changed.
//!
//! # Privacy
//!
//! A ledger charges a key at most once, because the charge is refused under the lock of the ledger
//! if an entry has the key. Only the process that charged draws, and it draws once; repeated calls
//! return this draw or an error. So all calls with one key together are one release and cost its
//! charge once.
//!
//! A run that was killed after its charge is neither completed nor made again under this charge:
//!
//! - Completing it with the same random bits would need their seed on the disk, and everybody who
//!   reads the seed and the release can remove the noise.
//! - Drawing again under the same charge is private only if the end of the first run does not
//!   depend on its draw. This cannot be shown: a disk that is full because of a long record, a time
//!   limit or a lack of memory may depend on it. The pair of this end and the second release then
//!   reveals two draws. With retries until a draw succeeds the release is a draw conditioned on its
//!   success, which may be up to twice as expensive.
//! - Charging again is private, but a job that is always killed would then spend the whole ledger
//!   by its retries, which a run key shall prevent.
//!
//! The user decides: another key is another run, with its own charge. That a run failed or did not
//! end is in the ledger without a key, too, and depends on the data as errors do.
//!
//! The kept record contains the release and nothing else. The hash of the request is of public
//! information: options, given facts and names of files. It contains neither rows nor scores, so
//! that nobody can test guesses about them; for the same reason a run key does not identify data.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use super::place::Place;
use super::{Balance, Ledger, LedgerEntry, check_words, text};
use crate::error::{Error, Parameter, Result};
use crate::privacy::locked::{Kind, Lock, make_folder, rename_synced, write_synced};

/// The files of runs, in messages.
static FILE: Kind =
    Kind { name: "folder of runs", start: "", parameter: Parameter::RunKey, secret: false };

/// A run key and the hash of the request that it belongs to.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) key: String,
    pub(super) request: String,
}

/// A call with a run key.
pub(crate) enum Begun {
    /// A call that is repeated: the text of the record that was kept.
    Recorded(String),
    /// The first call.
    New(KeyedRun),
}

/// The first call with a run key, which holds the lock of the key.
pub(crate) struct KeyedRun {
    ledger: Ledger,
    run: Arc<Run>,
    files: Files,
    _lock: Lock,
}

/// The files of a run key.
struct Files {
    /// The record.
    record: PathBuf,
    /// The record before its hash is in the ledger.
    new: PathBuf,
}

fn hash(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}

fn refuse(error: Error) -> Error {
    let hint = "another run key makes and charges it as a new run";
    error.hint(hint).about([Parameter::RunKey])
}

/// The most characters of a run key. In a ledger, the name of a stage may follow.
const MAX_KEY: usize = 150;

/// Checks a run key.
///
/// # Errors
///
/// `Request` if it cannot be part of a ledger.
pub(crate) fn check_run_key(key: &str) -> Result<()> {
    let length = key.chars().count();
    let check = match length {
        0 => Err(Error::request("the run key is empty")),
        1..=MAX_KEY => check_words("the run key", key),
        _ => Err(Error::request(format!("the run key is longer than {MAX_KEY} characters"))),
    };
    check.map_err(|error| error.about([Parameter::RunKey]))
}

impl Run {
    /// The entry of this key, if it was charged.
    ///
    /// # Errors
    ///
    /// `Request` if the key belongs to another request.
    fn entry<'a>(&self, balance: &'a Balance) -> Result<Option<&'a LedgerEntry>> {
        let Some(entry) = balance.of_run_key(&self.key) else { return Ok(None) };
        if entry.request.as_ref() == Some(&self.request) {
            return Ok(Some(entry));
        }
        let rule = format!(
            "the run key belongs to another request or program version: entry {} of the ledger",
            entry.number
        );
        let hint = "give each request a key of its own; a repeated call has the same options and the same files";
        Err(Error::request(rule).hint(hint).about([Parameter::RunKey]))
    }

    /// Checks that the key can be charged.
    ///
    /// # Errors
    ///
    /// `Request` if it was charged before.
    pub(super) fn check_is_new(&self, balance: &Balance) -> Result<()> {
        self.entry(balance)?.map_or(Ok(()), |entry| Err(ended_otherwise(entry)))
    }
}

/// The error for a run that was charged and has no kept record.
fn ended_otherwise(LedgerEntry { number, failed, .. }: &LedgerEntry) -> Error {
    let of = format!("(entry {number} of the ledger)");
    refuse(Error::request(match failed {
        Some(kind) => format!("the run with this key failed and stays charged {of}: {kind}"),
        None => format!("the run with this key was charged, and no record of it was kept {of}"),
    }))
}

impl Files {
    fn of(ledger: &Path, key: &str) -> Result<(Self, PathBuf)> {
        let mut folder = ledger.as_os_str().to_owned();
        folder.push(".runs");
        let folder = PathBuf::from(folder);
        make_folder(&folder).map_err(|error| FILE.cannot(&folder, error.kind()))?;
        let file = |ending: &str| folder.join(format!("{}.{ending}", hash(key.as_bytes())));
        Ok((Self { record: file("json"), new: file("json.new") }, file("lock")))
    }

    /// The text of the record with this hash. If it was kept and not yet renamed, it is now.
    ///
    /// # Errors
    ///
    /// `Io` if it is not there, `Input` if it was changed.
    fn read(&self, expected: &str) -> Result<String> {
        let read = |path: &Path| match fs::read(path) {
            Ok(bytes) if hash(&bytes) == expected => Ok(String::from_utf8(bytes).ok()),
            Ok(_) => Ok(None),
            Err(error) => Err(error),
        };
        let path = self.record.display();
        let error = match read(&self.record) {
            Ok(Some(text)) => return Ok(text),
            Ok(None) => {
                let rule = format!("the record kept for this run key was changed: {path}");
                return Err(refuse(Error::input(rule)));
            }
            Err(error) => error,
        };
        if error.kind() == io::ErrorKind::NotFound
            && let Ok(Some(text)) = read(&self.new)
        {
            // Whether it can be renamed does not matter: it is found under either name.
            let _ = rename_synced(&self.new, &self.record);
            return Ok(text);
        }
        let rule =
            format!("the record kept for this run key cannot be read: {path}: {}", error.kind());
        Err(refuse(Error::io(rule)))
    }
}

impl Ledger {
    /// Begins a call with a run key for a request, given by a text with everything that determines
    /// the release except the data. Waits while another call with the key is running; `check` can
    /// stop the waiting.
    ///
    /// # Errors
    ///
    /// `Request` if the key belongs to another request, or its run ended without a kept record;
    /// `Input` or `Io` if the record was changed, is missing, or is newer than the ledger, or if
    /// the folder of runs cannot be used; the errors of `check` and of [`read`](Self::read).
    pub(crate) fn begin(
        &self,
        key: &str,
        request: &str,
        check: impl FnMut() -> Result<()>,
    ) -> Result<Begun> {
        check_words("the run key", key)?;
        let Place::File(path) = &self.place else {
            let rule = "a run key needs a ledger in a file";
            return Err(Error::request(rule).about([Parameter::RunKey, Parameter::Ledger]));
        };
        let run = Arc::new(Run { key: key.to_owned(), request: hash(request.as_bytes()) });
        run.entry(&self.read()?)?;
        // One folder for all links to the ledger.
        let path = path.canonicalize().map_err(|error| FILE.cannot(path, error.kind()))?;
        let (files, lock) = Files::of(&path, key)?;
        let lock = Lock::wait(&FILE, &lock, check)?;
        let balance = self.read()?;
        match run.entry(&balance)? {
            Some(LedgerEntry { record: Some(record), .. }) => {
                files.read(record).map(Begun::Recorded)
            }
            Some(entry) => Err(ended_otherwise(entry)),
            None if files.record.exists() => {
                let rule = format!(
                    "a record is kept for this run key, and the ledger has no entry for it: {}",
                    files.record.display()
                );
                let hint =
                    "the ledger may be an older copy: restore the newest; or give another run key";
                Err(Error::input(rule).hint(hint).about([Parameter::RunKey, Parameter::Ledger]))
            }
            None => {
                let ledger = Self { place: self.place.clone(), run: Some(run.clone()) };
                Ok(Begun::New(KeyedRun { ledger, run, files, _lock: lock }))
            }
        }
    }

    /// Whether a call with a run key for a request is a repeated one, whose record was kept.
    ///
    /// # Errors
    ///
    /// `Request` as for [`begin`](Self::begin); as for [`read`](Self::read).
    pub(crate) fn is_repeated(&self, key: &str, request: &str) -> Result<bool> {
        let run = Run { key: key.to_owned(), request: hash(request.as_bytes()) };
        match run.entry(&self.read()?)? {
            Some(LedgerEntry { record: Some(_), .. }) => Ok(true),
            Some(entry) => Err(ended_otherwise(entry)),
            None => Ok(false),
        }
    }

    /// Whether the ledger has an entry for a run key.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    pub(crate) fn has_run_key(&self, key: &str) -> Result<bool> {
        Ok(self.read()?.of_run_key(key).is_some())
    }
}

impl KeyedRun {
    /// The ledger that adds the run key to its next charge.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Keeps the text of the record of the charged release. If that fails, the entry is marked as
    /// released without a record, so that a repeated call is refused: the release itself is
    /// returned in any case, because its budget is spent. Does nothing if nothing was charged.
    pub(crate) fn keep(self, record: &str) {
        let balance = self.ledger.read();
        let Some(number) = balance.ok().and_then(|balance| self.number(&balance)) else { return };
        let line = match write_synced(&self.files.new, record.as_bytes()) {
            Ok(()) => text::recorded(number, &hash(record.as_bytes())),
            Err(_) => {
                let _ = fs::remove_file(&self.files.new);
                text::released(number)
            }
        };
        let is_marked = self.ledger.place.append(|content| {
            let (_, ending) = text::read(content)?;
            Ok((ending.text() + &line, ()))
        });
        if is_marked.is_ok() {
            let _ = rename_synced(&self.files.new, &self.files.record);
        }
    }

    fn number(&self, balance: &Balance) -> Option<usize> {
        self.run.entry(balance).ok().flatten().map(|entry| entry.number)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;
    use crate::error::ErrorKind;
    use crate::privacy::{Expense, LedgerTerms};

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> (Self, Ledger) {
            let folder = Self(tempfile::tempdir().unwrap());
            let ledger = folder.path("budget.txt");
            (folder, Ledger::create(ledger, LedgerTerms::new("9".parse().unwrap())).unwrap())
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        /// A file of the key `a`.
        fn file(&self, ending: &str) -> PathBuf {
            self.path("budget.txt.runs").join(format!("{}.{ending}", hash(b"a")))
        }

        /// The ledger without its last line.
        fn cut_last_line(&self) {
            let text = fs::read_to_string(self.path("budget.txt")).unwrap();
            let end = text.trim_end().rfind('\n').unwrap() + 1;
            fs::write(self.path("budget.txt"), &text[..end]).unwrap();
        }
    }

    /// A call with a key: its record, and whether it was made now.
    fn call(ledger: &Ledger, key: &str, request: &str) -> Result<(String, bool)> {
        match ledger.begin(key, request, || Ok(()))? {
            Begun::Recorded(text) => Ok((text, false)),
            Begun::New(run) => {
                let expense = Expense::new("1".parse().unwrap(), "select");
                let ((), receipt) = run.ledger().charge(&expense, || Ok(()))?;
                let record = format!("release {}", receipt.entry);
                run.keep(&record);
                Ok((record, true))
            }
        }
    }

    #[track_caller]
    fn refused(ledger: &Ledger, kind: ErrorKind, words: &str) {
        let before = ledger.read().unwrap();
        let error = call(ledger, "a", "request").unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(ledger.read().unwrap(), before);
    }

    #[test]
    fn a_repeated_call_returns_the_record() {
        let (folder, ledger) = Folder::new();
        let first = ("release 1".to_owned(), true);
        assert_eq!(call(&ledger, "a", "request").unwrap(), first);
        assert_eq!(call(&ledger, "b", "request").unwrap(), ("release 2".to_owned(), true));
        // By any path of the ledger, and after it was closed.
        ledger.close("").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path("budget.txt"), folder.path("link")).unwrap();
        let path = if cfg!(unix) { "link" } else { "budget.txt" };
        let linked = Ledger::open(folder.path(path)).unwrap();
        assert_eq!(call(&linked, "a", "request").unwrap(), (first.0, false));
        let other = call(&linked, "a", "another").unwrap_err();
        assert!(other.to_string().contains("another request"), "{other}");
        let balance = ledger.read().unwrap();
        assert_eq!((balance.spent().as_str(), balance.entries.len()), ("2", 2));
        assert!(balance.entries.iter().all(|entry| entry.released));
        assert_eq!(call(&ledger, "two\nlines", "").unwrap_err().kind(), ErrorKind::Request);
    }

    /// A key that is accepted can be recorded together with the name of a stage.
    #[test]
    fn keys_are_words_of_limited_length() {
        let longest = "k".repeat(MAX_KEY);
        check_run_key(&longest).unwrap();
        let (_folder, ledger) = Folder::new();
        assert!(call(&ledger, &format!("{longest} (selection)"), "").unwrap().1);
        for wrong in ["", "two\nlines", " a", &"k".repeat(MAX_KEY + 1)] {
            let refused = check_run_key(wrong).unwrap_err();
            assert_eq!(
                (refused.kind(), refused.parameters()),
                (ErrorKind::Request, &[Parameter::RunKey][..])
            );
        }
    }

    /// Every state that a kill can leave.
    #[test]
    fn a_killed_run_is_neither_charged_nor_made_again() {
        // Before the charge: the folder and the lock are there.
        let (folder, ledger) = Folder::new();
        drop(ledger.begin("a", "request", || Ok(())).unwrap());
        assert!(folder.file("lock").exists());
        assert!(call(&ledger, "a", "request").unwrap().1);

        // Between the charge and the record, or between the record and its hash.
        fs::rename(folder.file("json"), folder.file("json.new")).unwrap();
        folder.cut_last_line();
        refused(&ledger, ErrorKind::Request, "no record of it was kept (entry 1 of the ledger)");
        fs::remove_file(folder.file("json.new")).unwrap();
        refused(&ledger, ErrorKind::Request, "no record of it was kept (entry 1 of the ledger)");

        // After the hash and before the record was renamed.
        let (folder, ledger) = Folder::new();
        call(&ledger, "a", "request").unwrap();
        fs::rename(folder.file("json"), folder.file("json.new")).unwrap();
        for _ in 0..2 {
            assert!(!call(&ledger, "a", "request").unwrap().1);
            assert!(folder.file("json").exists());
        }
    }

    #[test]
    fn a_failed_run_is_not_made_again() {
        let (_folder, ledger) = Folder::new();
        let Begun::New(run) = ledger.begin("a", "request", || Ok(())).unwrap() else {
            panic!("the first call")
        };
        let expense = Expense::new("1".parse().unwrap(), "select");
        // The run charges once, and a second charge is refused.
        let failed: Result<((), _)> =
            run.ledger().charge(&expense, || Err(Error::input("a wrong row")));
        assert!(failed.is_err() && run.ledger().spend(&expense).is_err());
        drop(run);
        refused(&ledger, ErrorKind::Request, "failed and stays charged (entry 1 of the ledger)");
    }

    #[test]
    fn records_are_compared_with_the_ledger() {
        let (folder, ledger) = Folder::new();
        call(&ledger, "a", "request").unwrap();
        fs::write(folder.file("json"), "release 7").unwrap();
        refused(&ledger, ErrorKind::Input, "was changed");
        fs::remove_file(folder.file("json")).unwrap();
        refused(&ledger, ErrorKind::Io, "cannot be read");
        fs::write(folder.file("json.new"), "release 7").unwrap();
        refused(&ledger, ErrorKind::Io, "cannot be read");
        // A ledger that was put back, from before the charge.
        fs::write(folder.file("json"), "release 1").unwrap();
        (0..3).for_each(|_| folder.cut_last_line());
        assert!(ledger.read().unwrap().entries.is_empty());
        refused(&ledger, ErrorKind::Input, "has no entry for it");
    }

    /// A record that cannot be kept is noted, and its release is not lost.
    #[test]
    fn a_record_that_is_not_kept_stays_charged() {
        let (folder, ledger) = Folder::new();
        fs::create_dir_all(folder.file("json.new")).unwrap();
        assert!(call(&ledger, "a", "request").unwrap().1);
        let entries = ledger.read().unwrap().entries;
        assert_eq!((entries[0].released, &entries[0].record), (true, &None));
        refused(&ledger, ErrorKind::Request, "no record of it was kept");
    }

    #[test]
    fn one_of_many_threads_charges() {
        let (_folder, ledger) = Folder::new();
        let made = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..30 {
                scope.spawn(|| {
                    let (record, now) = call(&ledger, "a", "request").unwrap();
                    assert_eq!(record, "release 1");
                    made.fetch_add(usize::from(now), Ordering::Relaxed);
                });
            }
        });
        assert_eq!((made.into_inner(), ledger.read().unwrap().entries.len()), (1, 1));
    }

    /// A call that waits for another one can be stopped.
    #[test]
    fn waiting_ends_when_it_is_stopped() {
        let (_folder, ledger) = Folder::new();
        let first = ledger.begin("a", "request", || Ok(())).unwrap();
        let mut checks = 0;
        let second = ledger.begin("a", "request", || {
            checks += 1;
            if checks < 3 { Ok(()) } else { Err(Error::canceled()) }
        });
        assert_eq!(second.err().map(|error| error.kind()), Some(ErrorKind::Canceled));
        drop(first);
        assert!(call(&ledger, "a", "request").unwrap().1);
    }
}
