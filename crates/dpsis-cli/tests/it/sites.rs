//! `dpsis sites`, and one release from the masked sums of several sites.

use std::fs;

use sha2::{Digest, Sha256};

use crate::harness::{Folder, assert_contains};

const SITES: [&str; 3] = ["north", "south", "west"];

/// Requests whose sums add up: their options for the table, and whether they have two stages.
const REQUESTS: [(&str, bool); 3] = [
    ("--bounds 0,50 --classes no,yes --target ill", false),
    ("--scale row-rank --score ks --target age --exclude ill", true),
    ("--scale row-rank --target age --target-bounds 0,40 --exclude ill", false),
];

/// A folder with a table, its rows by site, keys and a roster.
fn folder() -> Folder {
    let folder = Folder::new();
    let ill = |i: u32| if i % 7 < 3 { "yes" } else { "no" };
    let row = |i: u32| format!("{},{},{},{}\n", i * 7 % 40, i * i % 31, i % 40, ill(i));
    let rows: Vec<String> = (0..200).map(row).collect();
    for (name, ends) in
        ["all", "north", "south", "west"].into_iter().zip([0..200, 0..3, 3..90, 90..200])
    {
        let text = format!("weight,dose,age,ill\n{}", rows[ends].concat());
        folder.write(&format!("{name}.csv"), text);
    }
    make_keys(&folder, REQUESTS[0].0);
    folder
}

/// New keys of all sites for a request, and their roster.
fn make_keys(folder: &Folder, options: &str) {
    for site in SITES {
        let _ = fs::remove_file(folder.path(&format!("{site}.key")));
        let files = format!("--key {site}.key {site}.csv -o {site}.pub");
        folder.run(&format!("sites key {site} {options} {files}")).succeeds();
    }
    folder.run("sites roster *.pub -o sites.txt").succeeds();
}

/// The masked sums of a site in a file with this extension.
fn mask(folder: &Folder, site: &str, options: &str, extension: &str) {
    let files = format!("--mask sites.txt --key {site}.key {site}.csv -o {site}.{extension}");
    folder.run(&format!("partial {options} {files}")).succeeds();
}

/// The records agree to the bit, in one stage and in two; both stages use the same keys.
#[test]
fn several_sites_release_the_same_as_one_table() {
    let folder = folder();
    for (options, two_stages) in REQUESTS {
        make_keys(&folder, options);
        let request = "select --k 1 --eps 50 --seed 4 --format tsv";
        let expected = folder.run(&format!("{request} {options} all.csv")).succeeds().stdout;
        let mut options = options.to_owned();
        if two_stages {
            SITES.iter().for_each(|site| mask(&folder, site, &options, "counts"));
            let counts = "select --k 1 --eps 50 --seed 4 --partials *.counts -o median.txt";
            folder.run(counts).succeeds();
            options += " --released median.txt";
        }
        SITES.iter().for_each(|site| mask(&folder, site, &options, "masked"));
        let partials = "--partials south.masked west.masked north.masked";
        let selected = folder.run(&format!("{request} {partials}")).succeeds().stdout;
        assert_eq!(selected, expected, "{options}");
    }
}

/// Any program that hashes files prints the same for the first two lines.
#[test]
fn the_fingerprint_can_be_computed_elsewhere() {
    let folder = folder();
    let roster = folder.read("sites.txt");
    let lines: String = roster.split_inclusive('\n').take(2).collect();
    let hash = Sha256::digest(lines).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let shown = folder.run("sites show sites.txt").succeeds().stdout;
    let facts = "facts        the same at all sites";
    assert_eq!(shown, format!("fingerprint  {hash}\n3 sites      north, south, west\n{facts}\n"));
    assert_eq!(folder.run("sites check sites.txt --key west.key").succeeds().stdout, shown);
    let again = folder.run("sites roster west.pub north.pub south.pub").succeeds();
    assert_eq!((&again.stdout, &again.stderr), (&roster, &shown));
    let options = REQUESTS[0].0;
    let partial = format!("partial {options} --mask sites.txt --key west.key west.csv");
    let printed = folder.run(&partial).succeeds().stderr;
    assert_eq!(printed, format!("masked for this roster\n{shown}"));
}

#[test]
fn misuse_is_refused() {
    let folder = folder();
    let options = REQUESTS[0].0;
    SITES.iter().for_each(|site| mask(&folder, site, options, "masked"));
    folder.run(&format!("partial --part 1/1 {options} south.csv -o south.partial")).succeeds();
    folder.refuses_options(
        "select --k 1 --eps 1 --partials north.masked",
        &[("west.masked", "missing: of south"), ("south.partial", "with and without masks")],
    );

    // The same rows once more give the same sums; a corrected table does not.
    mask(&folder, "north", options, "again");
    assert_eq!(folder.read("north.again"), folder.read("north.masked"));
    let masked = format!("partial {options} --mask sites.txt --key north.key south.csv");
    let printed = folder.run(&masked).fails(2);
    assert_contains(&printed, "has masked other sums of this stage");
    assert_contains(&printed, "(--key)");
    // Of two sites each can compute the sums of the other: the program warns of that.
    let pair = folder.run("sites roster north.pub south.pub -o pair.txt").succeeds().stderr;
    assert_contains(&pair, "subtract its own sums");
    // Another request at one site is found when the keys are joined, or by its own key.
    let other = options.replace("0,50", "0,60");
    folder.run(&format!("sites key east --key east.key {other} south.csv -o east.pub")).succeeds();
    let other = format!("partial {other} --mask sites.txt --key west.key west.csv");
    let pair = format!("partial {options} --mask pair.txt --key");
    folder.refuses(&[
        ("sites check pair.txt --key west.key", 2, "does not have this key"),
        (
            "sites roster north.pub east.pub -o no.txt",
            2,
            "east and north have another scaling of features",
        ),
        (&other, 2, "another scaling of features than this key"),
        (&*format!("{pair} north.key north.csv"), 2, "has served another roster"),
        (&*format!("{pair} west.key west.csv"), 2, "does not have this key"),
    ]);
    for (words, code) in [
        ("key north --key north.key north.csv --bounds 0,1", 5),
        ("key north --key other.key north.csv --bounds 0,1 -o other.key", 2),
        ("key north --key other.key north.csv --bounds 0,1 -o ./other.key", 2),
        ("key north --key other.key north.csv --bounds 0,1 -o north.key", 2),
        ("key north --key other.key north.csv", 2),
        ("key north --key other.key none.csv --bounds 0,1", 5),
        ("roster north.pub", 2),
        ("roster north.pub north.pub", 2),
        ("roster north.pub north.key", 3),
        ("roster north.pub none.pub", 5),
        ("show north.pub", 3),
    ] {
        folder.run(&format!("sites {words}")).fails(code);
    }
    for (words, code) in [
        ("--mask sites.txt north.csv", 2),
        ("--key north.key north.csv", 2),
        ("--mask sites.txt --key north.pub north.csv", 3),
        ("--mask sites.txt --key north.key north.csv -o north.key", 2),
        ("--mask sites.txt --key north.key north.csv -o west.key", 2),
    ] {
        folder.run(&format!("partial --bounds 0,1 {words}")).fails(code);
    }
    assert!(!folder.has("other.key"));
}
