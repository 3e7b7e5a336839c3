//! Ledgers in files: refusals, races, damage.

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::*;
use crate::error::ErrorKind;
use crate::privacy::locked::Locked;
use crate::privacy::{Neighbors, Unit};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("budget.txt")
    }

    fn ledger(&self, cap: &str) -> Ledger {
        let terms = LedgerTerms::new(cap.parse().unwrap()).name("pilot");
        Ledger::create(self.path(), terms).unwrap()
    }
}

fn expense(epsilon: &str) -> Expense {
    Expense::new(epsilon.parse().unwrap(), "select")
}

#[test]
fn the_cap_is_met_exactly() {
    let folder = Folder::new();
    let ledger = folder.ledger("1");
    for (entry, left) in [(1, "0.9"), (2, "0.8"), (3, "0.7")] {
        let receipt = ledger.spend(&expense("0.1")).unwrap();
        assert_eq!((receipt.entry, receipt.left.as_str()), (entry, left));
    }
    let before = fs::read(folder.path()).unwrap();
    let error = ledger.spend(&expense("0.7000000000001")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget);
    assert_eq!(ledger.check(&expense("0.8")).unwrap_err().kind(), ErrorKind::Budget);
    assert_eq!(fs::read(folder.path()).unwrap(), before);
    let receipt = ledger.spend(&expense("0.7")).unwrap();
    assert_eq!((receipt.spent.as_str(), receipt.left.as_str()), ("1", "0"));
    assert_eq!(ledger.spend(&expense("1e-6")).unwrap_err().kind(), ErrorKind::Budget);
    let thirds = Folder::new();
    let ledger = thirds.ledger("1");
    (0..3).for_each(|_| drop(ledger.spend(&expense("1/3")).unwrap()));
    assert!(ledger.spend(&expense("1e-6")).is_err());
}

/// The unspent part of a release can be spent by others. It is returned once, and not after the
/// release failed.
#[test]
fn returned_parts_can_be_spent_again() {
    let folder = Folder::new();
    let ledger = folder.ledger("1");
    let [first, second] = [(), ()].map(|()| ledger.spend(&expense("0.5")).unwrap());
    let back = |text: &str| text.parse().unwrap();
    assert!(ledger.take_back(&first, &back("0.5")).is_err());
    let after = ledger.take_back(&first, &back("0.4")).unwrap();
    assert_eq!((after.spent(), after.left()), ("0.6".into(), "0.4".into()));
    assert!(ledger.take_back(&first, &back("0.05")).is_err());
    assert_eq!(ledger.read().unwrap(), after);
    assert_eq!(ledger.spend(&expense("0.41")).unwrap_err().kind(), ErrorKind::Budget);
    let third = ledger.spend(&expense("0.4")).unwrap();
    assert_eq!(third.left, "0");
    ledger.mark_failed(&second, ErrorKind::Input).unwrap();
    assert!(ledger.take_back(&second, &back("0.4")).is_err());
    assert_eq!(ledger.read().unwrap().entries[0].returned, Some(back("0.4")));
}

#[test]
fn other_releases_and_words_are_refused() {
    let folder = Folder::new();
    let ledger = folder.ledger("1");
    let replacing = expense("0.1").neighbors(Neighbors::ReplaceOne);
    for wrong in [replacing, expense("0.1").note("a\nb"), Expense::new("1".parse().unwrap(), "a,b")]
    {
        assert_eq!(ledger.spend(&wrong).unwrap_err().kind(), ErrorKind::Request);
    }
    let person = || expense("0.1").unit(Unit::Person);
    assert_eq!(ledger.spend(&person()).unwrap_err().kind(), ErrorKind::Request);
    for unit in [Unit::Row, Unit::Column, Unit::Unit] {
        ledger.spend(&expense("0.1").unit(unit)).unwrap();
    }
    let of_people = Folder::new();
    let terms = LedgerTerms::new("1".parse().unwrap()).unit(Unit::Person);
    let of_people = Ledger::create(of_people.path(), terms).unwrap();
    assert_eq!(of_people.spend(&expense("0.1")).unwrap_err().kind(), ErrorKind::Request);
    assert!(of_people.spend(&person()).is_ok());
    let other = Folder::new();
    let terms = LedgerTerms::new("1".parse().unwrap());
    let terms = terms.neighbors(Neighbors::ReplaceOne).unit(Unit::Unit);
    let create = |name| Ledger::create(other.path(), terms.clone().name(name));
    assert_eq!(create("a\nb").unwrap_err().kind(), ErrorKind::Request);
    let ledger = create("").unwrap();
    assert_eq!(create("").unwrap_err().kind(), ErrorKind::Io);
    let replacing = || expense("0.1").neighbors(Neighbors::ReplaceOne);
    assert_eq!(ledger.spend(&replacing()).unwrap_err().kind(), ErrorKind::Request);
    assert!(ledger.spend(&replacing().unit(Unit::Unit)).is_ok());
}

/// Deltas add up like epsilons, and a ledger without a delta can be charged for pure releases only.
#[test]
fn deltas_have_a_cap_of_their_own() {
    let folder = Folder::new();
    let with_delta = |delta: &str| expense("0.1").delta(delta.parse().unwrap());
    let pure = folder.ledger("1");
    assert_eq!(pure.spend(&with_delta("1e-9")).unwrap_err().kind(), ErrorKind::Request);
    let other = Folder::new();
    let terms = LedgerTerms::new("1".parse().unwrap()).delta("1e-6".parse().unwrap());
    let ledger = Ledger::create(other.path(), terms).unwrap();
    ledger.spend(&expense("0.1")).unwrap();
    for _ in 0..3 {
        ledger.spend(&with_delta("3e-7")).unwrap();
    }
    let error = ledger.spend(&with_delta("1.0001e-7")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget);
    ledger.spend(&with_delta("1e-7")).unwrap();
    assert_eq!(ledger.spend(&with_delta("1e-100")).unwrap_err().kind(), ErrorKind::Budget);
    ledger.spend(&expense("0.5")).unwrap();
    let balance = ledger.read().unwrap();
    assert_eq!((balance.spent(), balance.spent_delta.to_string()), ("1".into(), "1e-6".into()));
}

#[test]
fn a_failed_release_is_marked_and_stays_spent() {
    let folder = Folder::new();
    let ledger = folder.ledger("1");
    let failed = ledger.charge(&expense("0.5"), || Err::<(), _>(Error::input("damaged")));
    assert_eq!(failed.unwrap_err().kind(), ErrorKind::Input);
    let (answer, receipt) = ledger.charge(&expense("0.25"), || Ok(42)).unwrap();
    assert_eq!((answer, receipt.entry), (42, 2));
    let balance = ledger.read().unwrap();
    assert_eq!(balance.spent(), "0.75");
    let marks: Vec<_> = balance.entries.iter().map(|entry| entry.failed.as_deref()).collect();
    assert_eq!(marks, [Some("input"), None]);
    let released: Vec<_> = balance.entries.iter().map(|entry| entry.released).collect();
    assert_eq!(released, [false, true]);
    // An earlier entry can be marked after later ones; an entry of another, longer ledger cannot.
    ledger.mark_failed(&receipt, ErrorKind::Canceled).unwrap();
    assert_eq!(ledger.read().unwrap().entries[1].failed.as_deref(), Some("canceled"));
    let stranger = Receipt { entry: 3, ..receipt };
    assert_eq!(ledger.mark_failed(&stranger, ErrorKind::Io).unwrap_err().kind(), ErrorKind::Input);
    // A release whose charge is refused does not begin.
    let refused = ledger.charge(&expense("0.5"), || -> Result<()> { unreachable!() });
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Budget);
}

/// A closed ledger refuses all charges, and its content stays the same.
#[test]
fn closed_ledgers_refuse_charges() {
    let folder = Folder::new();
    let terms = LedgerTerms::new("1".parse().unwrap());
    let ledger = Ledger::create_with_note(folder.path(), terms, "signed off: the board").unwrap();
    let receipt = ledger.spend(&expense("0.25")).unwrap();
    let mut before = fs::read(folder.path()).unwrap();
    let mut grown = || {
        let now = fs::read(folder.path()).unwrap();
        assert!(now.len() > before.len() && now.starts_with(&before));
        before = now;
    };
    ledger.note("the second look, at last").unwrap();
    grown();
    ledger.close("the study is over").unwrap();
    grown();
    for refused in [ledger.spend(&expense("0.25")).map(drop), ledger.check(&expense("0.25"))] {
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Budget);
        assert!(error.to_string().contains("closed"), "{error}");
    }
    assert_eq!(ledger.close("").unwrap_err().kind(), ErrorKind::Request);
    // A release that was charged before may end, and notes may be added.
    assert!(ledger.read().unwrap().entries[0].is_open());
    ledger.mark_released(&receipt).unwrap();
    grown();
    ledger.note("archived").unwrap();
    grown();
    let balance = ledger.read().unwrap();
    assert!(balance.entries[0].released && !balance.entries[0].is_open());
    let notes: Vec<&str> = balance.notes.iter().map(|note| &*note.text).collect();
    assert_eq!(notes, ["signed off: the board", "the second look, at last", "archived"]);
    assert_eq!(balance.closed.unwrap().text, "the study is over");
    for wrong in ["", "a\nb", " a", "a\u{2028}b", &"n".repeat(201)] {
        assert_eq!(ledger.note(wrong).unwrap_err().kind(), ErrorKind::Request, "{wrong:?}");
    }
    let other = Folder::new();
    let terms = LedgerTerms::new("1".parse().unwrap());
    assert!(Ledger::create_with_note(other.path(), terms, "a\nb").is_err());
    assert!(!other.path().exists());
}

/// A closing and the last charge of a budget race: a release is charged before the closing, or not
/// at all.
#[test]
fn a_closing_and_a_spend_do_not_overlap() {
    for _ in 0..20 {
        let folder = Folder::new();
        let ledger = folder.ledger("1");
        let charged = std::thread::scope(|scope| {
            let spends = scope.spawn(|| ledger.spend(&expense("0.5")).is_ok());
            ledger.close("").unwrap();
            spends.join().unwrap()
        });
        // Entries below a closing are not read.
        assert_eq!(ledger.read().unwrap().entries.len(), usize::from(charged));
    }
}

/// Sums whose exact text could not be read again are not written.
#[test]
fn sums_of_many_digits_are_refused() {
    let folder = Folder::new();
    let ledger = folder.ledger("1000");
    let primes = ["1000003", "1000033", "1000037", "1000039", "1000081", "1000099", "1000117"];
    let charged =
        primes.iter().filter(|prime| ledger.spend(&expense(&format!("3/{prime}"))).is_ok());
    let charged = charged.count();
    assert!((2..7).contains(&charged), "{charged}");
    assert_eq!(ledger.read().unwrap().entries.len(), charged);
    let long = LedgerTerms::new(format!("1.{}e0", "1".repeat(60)).parse().unwrap());
    let other = Folder::new();
    let made = Ledger::create(other.path(), long);
    assert_eq!(made.unwrap_err().kind(), ErrorKind::Request);
    assert!(!other.path().exists());
}

/// Threads that spend at the same time: all entries are present, and the cap holds.
#[test]
fn threads_share_a_ledger() {
    let folder = Folder::new();
    let ledger = folder.ledger("1");
    let charged: usize = std::thread::scope(|scope| {
        let spend = || (0..10).filter(|_| ledger.spend(&expense("0.05")).is_ok()).count();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(spend)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(charged, 20);
    let balance = ledger.read().unwrap();
    assert_eq!((balance.entries.len(), balance.left()), (20, "0".into()));
}

/// A line that was cut off counts, the next entry ends it, and nothing before it changes.
#[test]
fn a_cut_line_is_ended_by_the_next_entry() {
    let folder = Folder::new();
    let ledger = folder.ledger("1");
    ledger.spend(&expense("0.5").note("größer")).unwrap();
    let whole = fs::read(folder.path()).unwrap();
    let cut = &whole[..whole.len() - 24];
    fs::write(folder.path(), cut).unwrap();
    assert_eq!(ledger.read().unwrap().left(), "0.5");
    assert_eq!(ledger.spend(&expense("0.75")).unwrap_err().kind(), ErrorKind::Budget);
    let receipt = ledger.spend(&expense("0.25")).unwrap();
    assert_eq!((receipt.entry, receipt.left.as_str()), (2, "0.25"));
    let after = fs::read(folder.path()).unwrap();
    assert!(
        after.starts_with(cut) && after[cut.len()..].starts_with(b" (cut off)\n2: epsilon 0.25,")
    );
    ledger.mark_failed(&receipt, ErrorKind::Canceled).unwrap();
    assert_eq!(Ledger::open(folder.path()).unwrap().read().unwrap().spent(), "0.75");
}

#[test]
fn other_files_are_left_alone() {
    let folder = Folder::new();
    let data = "age,dose\n1,2\n";
    fs::write(folder.path(), data).unwrap();
    assert_eq!(Ledger::open(folder.path()).unwrap_err().kind(), ErrorKind::Input);
    assert_eq!(fs::read_to_string(folder.path()).unwrap(), data);
    assert_eq!(Ledger::open(folder.0.path()).unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(Ledger::open(folder.0.path().join("none")).unwrap_err().kind(), ErrorKind::Io);
    #[cfg(unix)]
    assert_eq!(Ledger::open("/dev/zero").unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn read_only_ledgers_refuse_charges() {
    let folder = Folder::new();
    let ledger = folder.ledger("1");
    let mut permissions = fs::metadata(folder.path()).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(folder.path(), permissions).unwrap();
    assert_eq!(ledger.spend(&expense("0.5")).unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(ledger.read().unwrap().spent(), "0");
}

/// An editor that saves puts another file in the place of the old one: an entry in the old one
/// would be lost.
#[cfg(unix)]
#[test]
fn replaced_ledgers_refuse_charges() {
    let folder = Folder::new();
    folder.ledger("1");
    let path = folder.path();
    let locked = Locked::to_append(&FILE, &path).unwrap();
    let saved = folder.0.path().join("saved");
    fs::copy(&path, &saved).unwrap();
    fs::rename(&saved, &path).unwrap();
    let error = locked.append("1: epsilon").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().contains("replaced"), "{error}");
}

/// In memory a ledger has the same text as in a file, and its keeper receives it before a release.
#[test]
fn ledgers_in_memory_match_files() {
    #[derive(Clone, Default)]
    struct Keeper(Arc<Mutex<Vec<u8>>>);
    impl KeepLedger for Keeper {
        fn keep(&self, text: &[u8]) {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text.to_vec();
        }
        fn now(&self) -> u64 {
            86_400
        }
    }
    let folder = Folder::new();
    let file = folder.ledger("1");
    let (start, keeper) = (fs::read(folder.path()).unwrap(), Keeper::default());
    let terms = LedgerTerms::new("1".parse().unwrap()).name("pilot");
    assert_eq!(Ledger::text_of(&terms).unwrap().as_bytes(), start);
    let kept = Ledger::kept(start, keeper.clone()).unwrap();
    for ledger in [&file, &kept] {
        let failed: Result<((), Receipt)> = ledger.charge(&expense("0.75"), || {
            // The entry is there before the release is made.
            assert_eq!(ledger.read().unwrap().spent(), "0.75");
            Err(Error::input("damaged"))
        });
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::Input);
        assert_eq!(ledger.spend(&expense("0.5")).unwrap_err().kind(), ErrorKind::Budget);
        assert_eq!(ledger.spend(&expense("0.25")).unwrap().left, "0");
    }
    let in_memory = String::from_utf8(keeper.0.lock().unwrap().clone()).unwrap();
    assert!(in_memory.contains(", 1970-01-02T00:00:00Z, select\nfailed 1: input\n"), "{in_memory}");
    let day = |line: &str| match line.split_once("Z, ") {
        Some((before, after)) => [&before[..before.len() - 19], after].concat(),
        None => line.to_owned(),
    };
    let days = |text: &str| text.lines().map(day).collect::<Vec<_>>();
    assert_eq!(days(&in_memory), days(&fs::read_to_string(folder.path()).unwrap()));
    // A ledger opened from this text continues from there.
    assert_eq!(Ledger::kept(in_memory, Keeper::default()).unwrap().read().unwrap().left(), "0");
    assert!(Ledger::kept("dpsis ledger", Keeper::default()).is_err());
}
