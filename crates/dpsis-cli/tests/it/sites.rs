//! `dpsis sites`, and one release from the masked sums of several sites.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use sha2::{Digest, Sha256};

const SITES: [&str; 3] = ["north", "south", "west"];

/// Requests whose sums add up: their options for the table, and whether they have two stages.
const REQUESTS: [(&str, bool); 3] = [
    ("--bounds 0,50 --classes no,yes --target ill", false),
    ("--scale row-rank --score ks --target age --exclude ill", true),
    ("--scale row-rank --target age --target-bounds 0,40 --exclude ill", false),
];

/// A folder with a table, its rows by site, keys and a roster.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let ill = |i: u32| if i % 7 < 3 { "yes" } else { "no" };
        let row = |i: u32| format!("{},{},{},{}\n", i * 7 % 40, i * i % 31, i % 40, ill(i));
        let rows: Vec<String> = (0..200).map(row).collect();
        let table = |name: &str, rows: &[String]| {
            let text = format!("weight,dose,age,ill\n{}", rows.concat());
            fs::write(folder.path(name), text).unwrap();
        };
        table("all.csv", &rows);
        for (site, ends) in SITES.iter().zip([0..3, 3..90, 90..200]) {
            table(&format!("{site}.csv"), &rows[ends]);
        }
        folder.keys(REQUESTS[0].0);
        folder
    }

    /// New keys of all sites for a request, and their roster.
    fn keys(&self, options: &str) {
        for site in SITES {
            let _ = fs::remove_file(self.path(&format!("{site}.key")));
            self.done(&format!(
                "sites key {site} --key {site}.key {options} {site}.csv -o {site}.pub"
            ));
        }
        self.done("sites roster *.pub -o sites.txt");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, words: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dpsis"));
        command.args(words.split_whitespace()).current_dir(self.0.path()).output().unwrap()
    }

    /// The stdout and stderr of a run, which must succeed.
    fn done(&self, words: &str) -> (String, String) {
        let output = self.run(words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{words}: {said}");
        (String::from_utf8(output.stdout).unwrap(), said)
    }

    /// The message of a run, which must be refused with this code, in one line.
    fn refused(&self, words: &str, code: i32) -> String {
        let output = self.run(words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{words}: {said}");
        assert!(output.stdout.is_empty(), "{words}");
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The masked sums of a site in a file with this ending.
    fn mask(&self, site: &str, options: &str, ending: &str) {
        self.done(&format!(
            "partial {options} --mask sites.txt --key {site}.key {site}.csv -o {site}.{ending}"
        ));
    }
}

/// To the bit, in one stage and in two, with the same keys for both.
#[test]
fn several_sites_release_what_one_table_does() {
    let folder = Folder::new();
    for (options, two_stages) in REQUESTS {
        folder.keys(options);
        let request = "select --k 1 --eps 50 --seed 4 --format tsv";
        let (expected, _) = folder.done(&format!("{request} {options} all.csv"));
        let mut options = options.to_owned();
        if two_stages {
            SITES.iter().for_each(|site| folder.mask(site, &options, "counts"));
            folder.done("select --k 1 --eps 50 --seed 4 --partials *.counts -o median.txt");
            options += " --released median.txt";
        }
        SITES.iter().for_each(|site| folder.mask(site, &options, "masked"));
        let (selected, _) =
            folder.done(&format!("{request} --partials south.masked west.masked north.masked"));
        assert_eq!(selected, expected, "{options}");
    }
}

/// It is what any program that hashes files prints for the first two lines.
#[test]
fn the_fingerprint_can_be_computed_elsewhere() {
    let folder = Folder::new();
    let roster = fs::read_to_string(folder.path("sites.txt")).unwrap();
    let lines: String = roster.split_inclusive('\n').take(2).collect();
    let hash = Sha256::digest(lines).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let (shown, _) = folder.done("sites show sites.txt");
    let facts = "facts        the same at all sites";
    assert_eq!(shown, format!("fingerprint  {hash}\n3 sites      north, south, west\n{facts}\n"));
    assert_eq!(folder.done("sites check sites.txt --key west.key").0, shown);
    let (again, said) = folder.done("sites roster west.pub north.pub south.pub");
    assert_eq!((again, said), (roster, shown.clone()));
    let options = REQUESTS[0].0;
    let partial = format!("partial {options} --mask sites.txt --key west.key west.csv");
    let (_, said) = folder.done(&partial);
    assert_eq!(said, format!("masked for this roster\n{shown}"));
}

#[test]
fn misuse_is_refused() {
    let folder = Folder::new();
    let options = REQUESTS[0].0;
    SITES.iter().for_each(|site| folder.mask(site, options, "masked"));
    let said = folder.refused("select --k 1 --eps 1 --partials north.masked west.masked", 2);
    assert!(said.contains("missing: of south"), "{said}");
    folder.done(&format!("partial --part 1/1 {options} south.csv -o south.partial"));
    let mixed = "select --k 1 --eps 1 --partials north.masked south.partial";
    assert!(folder.refused(mixed, 2).contains("with and without masks"));

    // The same rows once more give the same sums; a corrected table does not.
    let masked = fs::read(folder.path("north.masked")).unwrap();
    folder.mask("north", options, "again");
    assert_eq!(fs::read(folder.path("north.again")).unwrap(), masked);
    let mask = format!("partial {options} --mask sites.txt --key north.key");
    let said = folder.refused(&format!("{mask} south.csv"), 2);
    assert!(said.contains("has masked other sums of this stage"), "{said}");
    assert!(said.contains("(--key)"), "{said}");
    // Of two sites each can compute the other's sums, which is said.
    let (_, said) = folder.done("sites roster north.pub south.pub -o pair.txt");
    assert!(said.contains("subtract its own sums"), "{said}");
    assert!(
        folder.refused("sites check pair.txt --key west.key", 2).contains("does not have this key")
    );
    // Another statement at one site is found when the keys are joined, or by its own key.
    let other = options.replace("0,50", "0,60");
    folder.done(&format!("sites key east --key east.key {other} south.csv -o east.pub"));
    let said = folder.refused("sites roster north.pub east.pub -o no.txt", 2);
    assert!(said.contains("east and north state another scaling of features"), "{said}");
    let mask = format!("partial {other} --mask sites.txt --key west.key west.csv");
    let said = folder.refused(&mask, 2);
    assert!(said.contains("another scaling of features than this key"), "{said}");
    let pair = format!("partial {options} --mask pair.txt --key north.key north.csv");
    assert!(folder.refused(&pair, 2).contains("has served another roster"));
    let other = format!("partial {options} --mask pair.txt --key west.key west.csv");
    assert!(folder.refused(&other, 2).contains("does not have this key"));

    for (words, code) in [
        ("sites key north --key north.key north.csv --bounds 0,1", 5),
        ("sites key north --key other.key north.csv --bounds 0,1 -o other.key", 2),
        ("sites key north --key other.key north.csv --bounds 0,1 -o ./other.key", 2),
        ("sites key north --key other.key north.csv --bounds 0,1 -o north.key", 2),
        ("sites key north --key other.key north.csv", 2),
        ("sites key north --key other.key none.csv --bounds 0,1", 5),
        ("sites roster north.pub", 2),
        ("sites roster north.pub north.pub", 2),
        ("sites roster north.pub north.key", 3),
        ("sites roster north.pub none.pub", 5),
        ("sites show north.pub", 3),
        ("partial --bounds 0,1 --mask sites.txt north.csv", 2),
        ("partial --bounds 0,1 --key north.key north.csv", 2),
        ("partial --bounds 0,1 --mask sites.txt --key north.pub north.csv", 3),
        ("partial --bounds 0,1 --mask sites.txt --key north.key north.csv -o north.key", 2),
        ("partial --bounds 0,1 --mask sites.txt --key north.key north.csv -o west.key", 2),
    ] {
        folder.refused(words, code);
    }
    assert!(!folder.path("other.key").exists());
}
