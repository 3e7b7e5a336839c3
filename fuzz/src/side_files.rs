//! Small files that accompany a table: targets, bounds, schemas, ledgers, candidates.

use dpsis::{
    CandidateColumns, Candidates, Choose, Expense, FileTable, Ledger, LedgerEntry, Neighbors,
    Select, Unit,
};

use super::files::Folder;
use super::schema_file::{SchemaFile, read_schema};
use super::tables::{message_of, released, whole};

const ROWS: &[u8] = b"id,a,b\np1,1,2\np2,3,4\np3,5,6\n";

/// A file of targets, joined to three samples: at most one target each, the same in every reading.
pub fn targets(bytes: &[u8]) {
    let folder = Folder::new();
    let rows = folder.write("t.csv", ROWS);
    let targets = folder.write("y.csv", bytes);
    let table = || FileTable::new(&rows).id("id").target_file(&targets);
    let read = whole(&table());
    if let Ok((features, _, targets)) = &read {
        assert!(features.len() == 2 && targets.len() <= 3);
    }
    let _ = released(&Select::new(1).epsilon("1"), table);
}

/// A file of bounds: a release or an error of the right kind.
pub fn bounds(bytes: &[u8]) {
    let folder = Folder::new();
    let rows = folder.write("t.csv", b"a,b,y\n1,2,3\n4,5,6\n");
    let bounds = folder.write("bounds.csv", bytes);
    let request = Select::new(1).epsilon("1").bounds_file(&bounds);
    let _ = released(&request, || FileTable::new(&rows));
    let _ = released(&request.counts_per_million(), || FileTable::new(&rows));
}

/// A schema that is read and written is the same schema.
pub fn schema(bytes: &[u8]) {
    let folder = Folder::new();
    let path = folder.write("schema.json", bytes);
    let (schema, hash) = match read_schema(&path) {
        Ok(read) => read,
        Err(error) => {
            message_of(&error);
            return;
        }
    };
    assert_eq!(hash.len(), 64);
    let json = serde_json::to_string(&schema).unwrap();
    let again: SchemaFile = serde_json::from_str(&json).unwrap();
    assert_eq!(again, schema, "{json}");
    let rows = folder.write("t.csv", ROWS);
    let table = || FileTable::new(&rows).facts(again.facts.clone());
    // A file that it names need not be there.
    if again.facts.target_file.is_none() {
        let _ = released(&Select::new(1).epsilon("1"), table);
    }
}

/// A ledger that is read charges a release or refuses it, and shows it then; spent budget stays
/// spent.
pub fn ledger(bytes: &[u8]) {
    const START: &[u8] = b"dpsis ledger 1\n";
    let folder = Folder::new();
    let path = folder.write("budget.txt", &[START, bytes].concat());
    let ledger = match Ledger::open(&path) {
        Ok(ledger) => ledger,
        Err(error) => {
            message_of(&error);
            return;
        }
    };
    let before = ledger.read().unwrap();
    let expense = Expense::new("1/3".parse().unwrap(), "select")
        .neighbors(before.terms.neighbors)
        .unit(before.terms.unit)
        .note("a note");
    let file = std::fs::read(&path).unwrap();
    match ledger.spend(&expense) {
        Err(_) => assert_eq!(std::fs::read(&path).unwrap(), file, "refused, but written"),
        Ok(receipt) => {
            let after = ledger.read().unwrap();
            assert_eq!((receipt.entry, &receipt.spent), (after.entries.len(), &after.spent()));
            // A line that was cut off is ended with words that may become a part of its note.
            let costs = |entries: &[LedgerEntry]| -> Vec<(usize, String)> {
                let cost = |entry: &LedgerEntry| format!("{} {}", entry.epsilon, entry.delta);
                entries.iter().map(|entry| (entry.number, cost(entry))).collect()
            };
            assert_eq!(costs(&after.entries[..receipt.entry - 1]), costs(&before.entries));
            let entry = after.entries.last().unwrap();
            assert_eq!((entry.note.as_str(), entry.epsilon.to_string()), ("a note", "1/3".into()));
            assert!(std::fs::read(&path).unwrap().starts_with(&file));
            ledger.mark_failed(&receipt, dpsis::ErrorKind::Io).unwrap();
            let marked = ledger.read().unwrap();
            assert_eq!((marked.spent(), marked.left()), (after.spent(), after.left()));
            assert_eq!(marked.entries.last().unwrap().failed.as_deref(), Some("io"));
        }
    }
    // A ledger of the same terms is written and read as such.
    let new = path.with_file_name("new.txt");
    if let Ok(made) = Ledger::create(&new, before.terms.clone()) {
        assert_eq!(made.read().unwrap().terms, before.terms);
    }
    assert!(matches!(before.terms.neighbors, Neighbors::AddRemove | Neighbors::ReplaceOne));
    assert!(matches!(before.terms.unit, Unit::Row | Unit::Unit));
}

/// A file of candidates: a choice of one of its names, or an error of the right kind.
pub fn candidates(bytes: &[u8]) {
    let folder = Folder::new();
    let path = folder.write("models.csv", bytes);
    let mut given = CandidateColumns::default();
    given.name = Some("model".into());
    for columns in [CandidateColumns::default(), given] {
        for sensitivity in [None, Some("0.01")] {
            let read = Candidates::read_columns(&path, &columns, sensitivity);
            let candidates = match read {
                Ok(candidates) => candidates.with_the_largest_sensitivity(),
                Err(error) => {
                    message_of(&error);
                    continue;
                }
            };
            match Choose::new(1).epsilon("1").seed(1).run(&candidates) {
                Ok(choice) => {
                    let chosen = &choice.selected[0].name;
                    assert!(candidates.names().contains(chosen));
                }
                Err(error) => drop(message_of(&error)),
            }
        }
    }
}
