//! `dpsis inspect`: its findings in tables as people have them, and that the command it prints
//! works.

use crate::harness::{
    DEMO, Folder, Outcome, PROJECT, assert_contains, assert_contains_all, assert_lacks, one_line,
    suggested, with_epsilon,
};

/// Inspects a table and runs the suggested command with an epsilon at which private counts of a
/// small table do not end the run.
#[track_caller]
fn inspect_then_select(folder: &Folder, options: &str) -> (Outcome, Outcome) {
    let inspected = folder.run(&format!("inspect {options}")).succeeds();
    let selected = folder.run(&with_epsilon(&suggested(&inspected), "20")).succeeds();
    (inspected, selected)
}

/// The output of `inspect` in one line.
#[track_caller]
fn inspect(folder: &Folder, options: &str) -> String {
    folder.run(&format!("inspect {options}")).succeeds().text()
}

/// 40 rows with the cells `cells` makes of (row, case).
fn table(header: &str, cells: impl Fn(usize, bool) -> String) -> String {
    let rows = (0..40).map(|i| cells(i, i % 3 == 0) + "\n");
    format!("{header}\n{}", rows.collect::<String>())
}

#[test]
fn the_suggested_command_works() {
    let status = |case: bool| if case { "case" } else { "well" };
    let cases: [(&str, String, &[&str]); 9] = [
        // A pandas index.
        (
            "t.csv",
            table(",age,income,out", |i, c| {
                format!("{i},{},{},{}", 20 + i, 9000 + 31 * i, status(c))
            }),
            &["holds identifiers", "labels well (26), case (14)", "--classes well,case"],
        ),
        // Decimal commas.
        (
            "t.csv",
            table("who;age;dose;out", |i, c| format!("P{i};{i};{i},5;{}", status(c))),
            &["separated by ';'", "decimal comma", "--decimal-comma --id who"],
        ),
        // Tabs and a numeric target.
        (
            "t.tsv",
            table("age\tdose\tout", |i, _| format!("{i}\t{}\t{}.25", i * i, i * 3)),
            &["separated by tabs", "numbers from 0.25 to 117.25"],
        ),
        // Labels as numbers.
        (
            "t.csv",
            table("age,dose,grade", |i, c| format!("{i},{},{}", i * i, 1 + u8::from(c))),
            &["look like labels", "--classes 1,2"],
        ),
        // Codes for missing values.
        (
            "t.csv",
            table("age,dose,y", |i, c| {
                format!("{},{},{i}.5", if c { -999 } else { i as i32 % 5 }, i)
            }),
            &["-999 may stand for missing values in column 1 (\"age\"): give it (--na=-999)"],
        ),
        // The target elsewhere.
        (
            "t.csv",
            table("out,age,dose", |i, c| format!("{},{i},{}.5", status(c), i * i)),
            &[
                "holds labels (well, case): give it if it is the target",
                "its categories are used for selection, but missing in a model (--target, --exclude)",
                "dpsis select --k 1 --eps 10 t.csv",
            ],
        ),
        // Names that want quoting.
        (
            "a table.csv",
            table("it's an id,age,dose,out", |i, c| {
                format!("p{i},{i},{},it is {}", i * 2, status(c))
            }),
            &["--classes 'it is case,it is well'", "'a table.csv'"],
        ),
        // Twice the same id.
        (
            "t.csv",
            table("id,age,dose,y", |i, _| format!("p{},{i},{},{i}.5", i / 2, i * 2)),
            &["20 identifiers occur more than once", "--unit id", "With 20 people"],
        ),
        // Text among numbers.
        (
            "t.csv",
            table("age,dose,y", |i, c| format!("{},{i},{i}.5", if c { "old" } else { "7" })),
            &[
                "column 1 (\"age\"): 14 cells are not numbers, the first in row 1; most often \"old\" (14)",
            ],
        ),
    ];
    for (name, table, expected) in cases {
        let folder = Folder::new().with(name, table);
        let (inspected, _) = inspect_then_select(&folder, &format!("'{name}'"));
        assert!(inspected.stdout.starts_with("NOT PRIVATE"), "{}", inspected.stdout);
        assert_contains_all(&inspected.text(), expected);
    }
}

/// A list shows where a label that contains a comma ends.
#[test]
fn labels_with_commas_are_in_quotes() {
    let row = |i, case| format!("{i},{}.5,{}", i * i, if case { "\"B, north\"" } else { "A" });
    let folder = Folder::new().with("t.csv", table("age,dose,site", row));
    let (inspected, selected) = inspect_then_select(&folder, "t.csv");
    assert_contains(&inspected.text(), "labels A (26), \"B, north\" (14)");
    assert_contains(&selected.text(), "classes A, \"B, north\"");
}

/// If samples could be rows or columns, inspection raises the question and suggests no command
/// until it is answered.
#[test]
fn an_unclear_orientation_raises_a_question() {
    let folder = Folder::new();
    let samples: Vec<String> = (0..90).map(|s| format!("S{s}")).collect();
    folder.table("genes.tsv", &format!("name\t{}", samples.join("\t")), 400, |g| {
        let values: Vec<String> =
            (0..90).map(|s| format!("{}.5", (g * 31 + s * 7) % 113)).collect();
        format!("gene{g}\t{}", values.join("\t"))
    });
    folder.table("y.csv", "id,y", 90, |s| format!("S{s},{}", s % 2));
    let open = inspect(&folder, "--write-schema s.json genes.tsv");
    let parts =
        ["! layout is a line a person or a feature?", "No command yet", "'--orient=?' genes.tsv"];
    assert_contains_all(&open, &parts);
    assert!(!folder.has("s.json"));
    let untargeted = inspect(&folder, "--orient features-as-rows genes.tsv");
    assert_contains(&untargeted, "No command yet");
    for (options, names) in [
        ("--orient features-as-rows --target-file y.csv", "gene"),
        ("--orient features-as-rows --target gene7", "gene"),
        ("--orient samples-as-rows", "S"),
    ] {
        let command = suggested(&folder.run(&format!("inspect {options} genes.tsv")));
        let picked = folder.run(&format!("{command} --seed 1")).succeeds().stdout;
        assert!(picked.lines().all(|name| name.starts_with(names)), "{command}: {picked}");
    }
}

/// Effect sizes that can be found are printed before anything is spent; they fall with epsilon.
#[test]
fn detectable_effect_sizes_are_reported() {
    let folder = Folder::new();
    let output = folder.run(&format!("inspect {DEMO}")).succeeds().stdout;
    let found = |epsilon: &str| -> f64 {
        let start = format!("epsilon {epsilon}: found from ");
        let line = output.lines().find_map(|line| line.trim().strip_prefix(&start));
        line.unwrap().split(',').next().unwrap().parse().unwrap()
    };
    assert_contains(
        &output,
        "With 640 rows these are the smallest effect sizes at which features are found",
    );
    // The true features have distances of about a quarter.
    assert!(found("0.5") > 0.25 && found("2") < 0.25 && found("5") < found("2"), "{output}");
    folder.table("t.csv", "a,b,y", 40, |i| format!("{},{},{}", i % 7, i % 5, i % 2));
    let parts = ["50% of them in the smallest class", "nothing significant"];
    assert_contains_all(&inspect(&folder, "t.csv"), &parts);
}

/// Random picks find a large share of few features, as a remark explains.
#[test]
fn random_picks_find_few_features_often() {
    let folder = Folder::new();
    let header: String = (0..12).map(|j| format!("m{j},")).collect();
    folder.table("t.csv", &format!("{header}y"), 190, |i| {
        let cells = (0..12).map(|j| format!("{},", (i * (j + 3) * 17) % 101));
        format!("{}{}", cells.collect::<String>(), i % 2)
    });
    let remark = "With k 5 of 12 features, chance alone picks any one of them 42 times of";
    assert_contains(&inspect(&folder, "t.csv"), remark);
}

/// An ordinary table of patients is not taken for genes.
#[test]
fn patients_are_not_taken_for_features() {
    let folder = Folder::new();
    folder.table("t.csv", "patient,m0,m1,died", 500, |i| {
        format!("NHS-{i:05},{}.5,{}.25,{}", i % 97, i * i % 89, u8::from(i % 3 == 0))
    });
    let text = inspect_then_select(&folder, "t.csv").0.text();
    assert_lacks(&text, "features-as-rows");
    assert_contains(&text, "--id patient --classes 0,1");
}

/// Given options stay in the command; where `select` would refuse, the reason is given instead of
/// a command.
#[test]
fn select_accepts_the_suggested_command() {
    let folder = Folder::new();
    folder.table("t.txt", "dose|person|gain|y", 60, |i| {
        let code = if i % 9 == 0 { "-999".to_owned() } else { format!("{i}.5") };
        format!("{i}|q{}|{code}|?", i % 30)
    });
    let options = "--delimiter '|' --id person --target gain '--na=?'";
    let text = inspect_then_select(&folder, &format!("{options} t.txt")).0.text();
    let parts = [
        "--delimiter '|'",
        "--target gain",
        "--id person",
        "'--na=?'",
        "30 identifiers occur",
        "-999 may stand",
    ];
    assert_contains_all(&text, &parts);
    for (table, options, reason) in [
        ("a,a,y\n1,2,3\n4,5,6\n", "", "a column name occurs twice"),
        ("y\n1\n", "", "there is no feature column"),
        ("1.5,2.5,3\n4,5,6\n", "", "is the header missing?"),
        ("a,b,y\n1,2,3\n", "--target z", "there is no column \"z\""),
    ] {
        folder.write("t.csv", table);
        let text = inspect(&folder, &format!("{options} t.csv"));
        assert_contains_all(&text, &["No command yet", reason]);
    }
}

/// The schema file has the effect of the options, and its hash is in the record.
#[test]
fn a_schema_stands_for_the_options() {
    let folder = Folder::new().with("bad.json", "{\"targt\": \"out\"}");
    folder.write(
        "t.csv",
        table("who;age;dose;gain;out", |i, c| {
            let gain = if c { "9,5" } else { "1,5" };
            format!("P{i};{i};{},5;{gain};{}", i * i % 7, u8::from(c))
        }),
    );
    let written = inspect(&folder, "--write-schema s.json t.csv");
    assert_contains(&written, "--schema s.json t.csv");
    let select = "select --k 1 --eps 3 --seed 2 --format json";
    let record = |options: &str| {
        let mut record = folder.run(&format!("{select} {options} t.csv")).json();
        // The requests differ.
        assert!(record.as_object_mut().unwrap().remove("run").is_some());
        record
    };
    let mut by_schema = record("--schema s.json");
    let hash = by_schema["public"]["schema_sha256"].take();
    assert_eq!(hash.as_str().unwrap().len(), 64);
    assert_eq!(by_schema, record("--decimal-comma --id who --classes 0,1 --target out"));
    // A wrong schema is refused before the table is read.
    folder.run(&format!("{select} --schema bad.json missing.csv")).fails(2);
    folder.run(&format!("{select} --schema no.json t.csv")).fails(5);
}

/// A schema in another folder than the files it names finds them.
#[test]
fn a_schema_in_another_folder() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("facts")).unwrap();
    folder.table("t.csv", "who,age,dose", 30, |i| format!("P{i},{i},{}", i * i % 7));
    folder.table("y.csv", "who,gain", 30, |i| format!("P{i},{}", i % 5));
    inspect(&folder, "--write-schema facts/s.json t.csv --id who --target-file y.csv");
    // So large an epsilon is for thirty rows.
    folder.run("select --k 1 --eps 100 --schema facts/s.json t.csv").succeeds();
}

/// Odd tables are looked at without a panic.
#[test]
fn odd_tables_are_inspected_without_a_panic() {
    let folder = Folder::new();
    for (text, code) in [
        ("", 3),
        ("a,b,y\n", 0),
        ("y\n1\n2\n", 0),
        ("a,b,y\n,,\n,,\n", 0),
        ("a,b,y\n1,1,1\n", 0),
        ("a,a,y\n1,2,x\n", 0),
        ("a,b,y\n1,2\n", 3),
        (",,\n1,2,3\n", 0),
    ] {
        folder.write("t.csv", text);
        assert_eq!(folder.run("inspect t.csv").code, Some(code), "{text:?}");
    }
}

/// Files of numbers: the findings fit the format, and the command works.
#[test]
fn files_of_every_format() {
    let data = Folder::at(format!("{PROJECT}/tests/data/formats"));
    let mut cases: Vec<(&str, &[&str])> = vec![
        (
            "with-age.npy",
            &["40 rows and 7 columns, format .npy", "column 7 (\"feature-7\"): numbers from"],
        ),
        ("--target-index 7 with-age.npy", &["--target feature-7"]),
        (
            "--target-file two.cls c-f4.npy",
            &["its file: labels no (20), yes (20)", "--target-file two.cls"],
        ),
        ("deflated.npz", &["labels no (20), yes (20)", "--classes no,yes"]),
        ("stored.npz", &["column 7 (\"y\"): numbers from", "-999 may stand"]),
        (
            "--target-file two-by-id.csv v12.gct",
            &["each row is a feature", "6 of 6 features hold numbers", "--classes no,yes"],
        ),
        ("--target two v13.gct", &["--target two", "labels no (20), yes (20)"]),
        (
            "--target two --exclude age,three frame.rds",
            &[
                "column 1 (\"id\") holds identifiers",
                "--target two",
                "--id id",
                "--exclude age,three",
            ],
        ),
        (
            "--target age --na=-999 named.rds",
            &["each sample has an id outside", "column 7 (\"age\"): numbers", "2 hold categories"],
        ),
        ("list.RData", &["column 7 (\"y\"): labels no (20), yes (20)"]),
        (
            "--orient features-as-rows --target-file age-by-id.csv rows.rds",
            &["each row is a feature", "--orient features-as-rows"],
        ),
    ];
    if cfg!(feature = "arrow") {
        cases.extend([
            ("--target two snappy.parquet", &["format Parquet", "--id id"][..]),
            ("--target age lz4.feather", &["format Arrow", "column 8 (\"age\")"]),
            ("--target age stream.arrows", &["column 8 (\"age\"): numbers"]),
            ("--target age index.parquet", &["each sample has an id outside"]),
        ]);
    }
    for (options, expected) in cases {
        let (inspected, selected) = inspect_then_select(&data, options);
        assert_contains_all(&inspected.text(), expected);
        // Where another is the target, the age and the labels are candidates.
        let is_feature =
            |name: &str| name.starts_with("feature-") || ["age", "two", "three"].contains(&name);
        assert!(selected.stdout.lines().all(is_feature), "{options}: {}", selected.stdout);
    }
    // Nothing to run without a target; text alone has delimiters.
    let text = inspect(&data, "v12.gct");
    assert_contains_all(&text, &["give a file of targets", "--target-file", "No command yet"]);
    data.run("inspect --delimiter , c-f4.npy").fails(2);
}

/// Texts and numbers are counted in the same way in all formats.
#[test]
fn all_formats_give_the_same_inspection() {
    let data = Folder::at(format!("{PROJECT}/tests/data/formats"));
    let findings = |file: &str| {
        let output = data.run(&format!("inspect --target age --id id {file}")).succeeds();
        let kept = |line: &&str| !line.contains("rows and") && !line.contains("dpsis select");
        // A missing label is written as one in text.
        output.stdout.lines().filter(kept).map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = findings("table.csv");
    assert!(expected.len() > 8, "{expected:?}");
    assert_eq!(findings("frame.rds"), expected);
    if cfg!(feature = "arrow") {
        assert_eq!(findings("zstd.parquet"), expected);
    }
}

/// Ids of a target file that match nothing: similar ids are reported, and no command is suggested
/// that fails.
#[test]
fn ids_that_match_nothing() {
    let folder = Folder::new();
    let ids: Vec<String> = (0..20).map(|i| format!("Q{i}")).collect();
    folder.table("t.tsv", &format!("name\t{}", ids.join("\t")), 8, |gene| {
        let values: Vec<String> = (0..20).map(|s| format!("{}", s * (gene + 1) % 17)).collect();
        format!("m{gene}\t{}", values.join("\t"))
    });
    folder.table("rows.csv", "who,age,dose", 20, |i| format!("Q{i},{i},{}", i % 7));
    for (name, start) in [("same.csv", "Q"), ("capitals.csv", "q"), ("others.csv", "R")] {
        folder.table(name, "id,y", 20, |i| format!("{start}{i},{}", ["a", "b"][i % 2]));
    }
    let names = "the ids of the target file are names of columns";
    for (options, expected) in [
        (
            "--orient features-as-rows t.tsv --target-file capitals.csv",
            "none of the 20 ids in its file is in the table; 20 differ in capitals",
        ),
        (
            "--orient features-as-rows t.tsv --target-file others.csv",
            "none of the 20 ids in its file is in the table, whose ids are in the header",
        ),
        ("t.tsv --target-file same.csv", names),
        ("--orient samples-as-rows t.tsv --target-file same.csv", names),
        (
            "rows.csv --target-file others.csv",
            "give the column that holds them, or use the same spelling (--id)",
        ),
        ("--id who rows.csv --target-file capitals.csv", "20 differ in capitals alone"),
    ] {
        let text = inspect(&folder, options);
        assert_contains_all(&text, &[expected, "No command yet", "'--target-file=?'"]);
        assert_eq!(text.contains("(--id)"), expected.contains("--id"), "{text}");
    }
    // Matching ids continue.
    let matching = inspect(&folder, "--target-file same.csv --orient features-as-rows t.tsv");
    assert_contains(&matching, "dpsis select");
}

/// If labels differ only in capitals, one is probably misspelled: inspection suggests no classes,
/// but accepts the given ones.
#[test]
fn misspelled_labels_are_not_suggested() {
    let label = |i: usize| match i {
        7 => "Case",
        i => ["case", "well"][i % 2],
    };
    let folder = Folder::new();
    folder.write("t.csv", table("age,dose,out", |i, _| format!("{i},{},{}", i * i % 11, label(i))));
    let parts =
        ["! target labels that differ in capitals alone", "No command yet", "'--classes=?' t.csv"];
    assert_contains_all(&inspect(&folder, "t.csv"), &parts);
    for classes in ["--classes well,case", "--classes case,well,Case"] {
        assert_contains(&inspect(&folder, &format!("{classes} t.csv")), classes);
    }
}

/// The suggested epsilon is the smallest at which the strongest features are significant in half of
/// all runs; if 10 is not enough, inspection reports that, and the epsilon that would be enough.
#[test]
fn the_suggested_epsilon_makes_the_strongest_features_significant() {
    const EPSILONS: [&str; 11] =
        ["0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3", "5", "10"];
    let folder = Folder::new();
    // Five features of 40 are larger in the second class, by as many of 101 values.
    let inspected = |rows: usize, shift: usize| {
        let header: String = (0..40).map(|j| format!("m{j},")).collect();
        folder.table("t.csv", &format!("{header}y"), rows, |i| {
            let cell = |j: usize| {
                let value = (i * i * (2 * j + 3) + 7 * i * j) % 101;
                format!("{},", value + if j < 5 && i % 2 == 1 { shift } else { 0 })
            };
            (0..40).map(cell).collect::<String>() + &format!("{}", i % 2)
        });
        folder.run("inspect t.csv").succeeds()
    };
    for (rows, shift) in [(300, 0), (40, 60)] {
        let inspected = inspected(rows, shift);
        assert_contains_all(
            &inspected.text(),
            &[
                "No private release is suggested: with",
                "no epsilon up to 10 makes the strongest feature",
                "It would take about ",
                "--bounds",
            ],
        );
        assert_contains(&suggested(&inspected), "--eps 1 ");
    }
    // A class of one row: no number of columns is enough, and one column has no sets.
    let other = Folder::new();
    other.table("one.csv", "x,y", 300, |i| format!("{},{}", i % 97, u8::from(i == 5)));
    let alone = other.run("inspect one.csv --classes 0,1").succeeds().text();
    assert_contains(&alone, "with 300 rows and 1 feature, no epsilon");
    for remedy in ["candidate column", "--groups"] {
        assert_lacks(&alone, remedy);
    }
    let inspected = inspected(300, 50);
    let text = "at which the 5 strongest features of this table are significant";
    assert_contains(&inspected.text(), text);
    let command = suggested(&inspected);
    let is_suggested = |epsilon: &&str| command.contains(&format!("--eps {epsilon} "));
    let at = EPSILONS.iter().position(is_suggested).unwrap();
    let significant = |epsilon: &str| {
        let runs = (0..20).map(|seed| {
            let command = with_epsilon(&command, epsilon);
            let record = folder.run(&format!("{command} --seed={seed} --format=json")).json();
            let estimates = record["estimates"].as_array().unwrap();
            estimates.iter().filter(|one| one["significant"] == true).count()
        });
        runs.sum::<usize>() as f64 / 100.0
    };
    // 100 features: shares of .5 are off by .2 with probability 6e-5 if they are independent.
    assert!(significant(EPSILONS[at]) >= 0.35, "{command}");
    assert!(at > 0 && significant(EPSILONS[at - 1]) <= 0.65, "{command}");
}

/// Options on people and strata are in the command; advice that was followed is not given again.
#[test]
fn given_options_are_kept() {
    let folder = Folder::new();
    folder.table("t.csv", "who,age,dose,y", 400, |i| {
        format!("p{},{},{},{}.5", i / 2, i % 60, i * 7 % 31, i * i % 97)
    });
    assert_contains(&inspect(&folder, "t.csv"), "identifiers occur more than once");
    let options = "--unit who --unit-target mean --adjust age:20,40 t.csv";
    let (inspected, _) = inspect_then_select(&folder, options);
    assert_lacks(&inspected.text(), "occur more than once");
    let parts = ["--unit who", "--unit-target mean", "--adjust age:20,40"];
    assert_contains_all(&suggested(&inspected), &parts);
}

/// Where the file does not decide, a question with the answers that are possible, and no command.
#[test]
fn open_questions_are_asked() {
    let folder = Folder::new();
    let inspect = |file: &str, header: &str, cells: &dyn Fn(usize) -> String, options: &str| {
        folder.table(file, header, 60, cells);
        inspect(&folder, &format!("{options} {file}"))
    };
    // Thousands or a decimal comma.
    let thousands = |i: usize| format!("1,{:03}\t2,{:03}\t{}", i * 7 + 100, i, i % 2);
    let text = inspect("t.tsv", "a\tb\tout", &thousands, "");
    let parts =
        ["If commas separate thousands, remove them", "(--decimal-comma)", "No command yet"];
    assert_contains_all(&text, &parts);
    assert_lacks(&text, "identifiers");
    assert_lacks(&text, "--id");
    // A number below one, or of other than three places, has a decimal comma.
    let decimals = |i: usize| format!("0,{:03}\t2,{:03}\t{}", i * 7 + 100, i, i % 2);
    let text = inspect("t.tsv", "a\tb\tout", &decimals, "");
    assert_contains(&text, "--eps 1 --decimal-comma --classes 0,1 t.tsv");
    // The target's numbers are those with the comma.
    let target = |i: usize| format!("{i};{},5;{},25", i % 7, i % 20 + 3);
    let text = inspect("t.csv", "a;b;out", &target, "--decimal-comma");
    assert_contains(&text, "numbers from 3.25 to 22.25");
    // Columns that differ, and points between thousands.
    let mixed = |i: usize| format!("{},5\t{}.25\t{}", i, i * 3 % 7, i % 2);
    let text = inspect("t.tsv", "a\tb\tout", &mixed, "");
    let parts = ["column 1 (\"a\") with a decimal comma, others with a point", "No command yet"];
    assert_contains_all(&text, &parts);
    let points = |i: usize| format!("1.{:03},50;{};{}", i + 100, i % 7, i % 2);
    let text = inspect("t.csv", "a;b;out", &points, "");
    assert_contains_all(&text, &["remove the points from the numbers", "No command yet"]);
    assert_lacks(&text, "--decimal-point");
    // Several codes are given at once.
    let codes = |i: usize| match i % 4 {
        0 => format!("-999,{},{}", i % 7, i % 2),
        1 => format!("missing,{},{}", i % 7, i % 2),
        _ => format!("{},{},{}", i % 9, i % 7, i % 2),
    };
    assert_contains(&inspect("t.csv", "a,b,out", &codes, ""), "(--na=missing,-999)");
    // An identifier is not suggested as the target.
    let last = |i: usize| format!("{},{},P{i:03}", i % 7, i % 2);
    assert_contains(&inspect("t.csv", "a,y,key", &last, ""), "No command yet");
    // Wavelengths as names.
    let spectra = |i: usize| format!("{}.5,{}.25,{}", i, i * 3 % 7, i % 2);
    let text = inspect("t.csv", "400.5,401,out", &spectra, "");
    assert_contains_all(&text, &["are the numbers in the header names", "--numeric-names t.csv"]);
    // Codes and labels that occur nowhere.
    let plain = |i: usize| format!("{},{},{}", i % 9, i * 3 % 7, i % 2);
    let text = inspect("t.csv", "a,b,out", &plain, "--na=-7,3.0 --classes 1.0,2");
    let parts = [
        "the code \"-7\" occurs nowhere",
        "the label \"2\" does not occur",
        "labels 1.0 (30), 2 (0)",
    ];
    assert_contains_all(&text, &parts);
    assert_lacks(&text, "\"3.0\" occurs");
}

/// A column holds identifiers by its name or the form of its values, not because it looks odd.
#[test]
fn identifiers_are_not_guessed() {
    let folder = Folder::new();
    let inspect = |header: &str, cells: &dyn Fn(usize) -> String| {
        folder.table("t.csv", header, 120, cells);
        folder.run("inspect t.csv").succeeds()
    };
    // Dates, amounts and names of towns.
    for odd in [
        &|i: usize| format!("{:02}.{:02}.2021", i % 28 + 1, i % 12 + 1),
        &|i: usize| format!("{i} mg"),
        &|i: usize| format!("\"{},5\"", i),
        &|i: usize| format!("town of {}", ["a", "b", "c", "d", "e"][i % 5]),
        &|i: usize| ["ab", "cd", "ef"][i % 3].repeat(i % 9 + 1),
        &|i: usize| format!("{}/{}", 110 + i % 40, 60 + i % 30),
        &|i: usize| format!("{}-{:02}", 2000 + i % 20, i % 12 + 1),
        &|i: usize| format!("{}'{:03}", 1 + i % 30, i),
        &|i: usize| format!("{} {:03}", 1 + i % 30, i),
        &|i: usize| format!("{}:{:02} PM", 1 + i % 11, i % 60),
    ] as [&dyn Fn(usize) -> String; 10]
    {
        let text = inspect("first,b,out", &|i| format!("{},{},{}", odd(i), i % 7, i % 2)).text();
        assert_lacks(&text, "--id");
        assert_lacks(&text, "--unit");
    }
    // Sentences, also where rows repeat.
    let note = |i: usize| format!("visit {} without any finding at all", i / 4);
    for (header, cells, option) in [
        // Identifiers that differ, by name and by form, in any column; those that repeat.
        ("code,b,out", &|i| format!("S{i:03},{},{}", i % 7, i % 2), "--id code"),
        ("b,patient_id,out", &|i| format!("{},{},{}", i % 7, 1000 + i, i % 2), "--id patient_id"),
        (
            "b,patient_id,out",
            &|i| format!("{},{},{}", i % 7, 1000 + i / 4, i / 4 % 2),
            "--unit patient_id",
        ),
        // The target varies within each.
        (
            "b,patient_id,out",
            &|i| format!("{},{},{}", i % 7, 1000 + i / 4, i % 2),
            "--paired patient_id",
        ),
        ("b,note,out", &|i| format!("{},{},{}", i % 7, note(i), i % 2), "--exclude note"),
    ] as [(&str, &dyn Fn(usize) -> String, &str); 5]
    {
        assert_contains(&suggested(&inspect(header, cells)), option);
    }
    // Samples may repeat without being people.
    let samples = inspect("sample_id,b,out", &|i| format!("S{},{},{}", i / 4, i % 7, i % 2));
    assert_lacks(&suggested(&samples), "--unit");
    assert_contains(&one_line(&samples.stdout), "Does the column identify people?");
}

/// The names that `select` prints with the options of `inspect`, and its report.
#[track_caller]
fn released(folder: &Folder, command: &str) -> String {
    folder.run(&format!("{} --seed 1", with_epsilon(command, "20"))).succeeds().text()
}

/// A target of dates has the labels that `select` compares with.
#[test]
fn dates_are_labels_as_they_are_written() {
    let folder = Folder::new();
    for labels in [["2020-01-01", "2020-01-02"], ["06:30", "07:30"]] {
        folder.table("t.csv", "a,b,y", 200, |i| {
            format!("{},{},{}", i % 2 * 100 + i % 7, i * 7 % 31, labels[i % 2])
        });
        let found = folder.run("inspect t.csv").succeeds();
        let [first, second] = labels;
        assert_contains(&found.text(), &format!("labels {first} (100), {second} (100)"));
        assert_contains(&suggested(&found), &format!("--classes {first},{second}"));
        let report = released(&folder, &suggested(&found));
        assert_contains(&report, "about 200 rows");
        let other = inspect(&folder, "--classes 18262,18263 t.csv");
        assert_contains(&other, "18262 (0), 18263 (0)");
    }
}

/// Classes of people are counted by the rule for their targets.
#[test]
fn people_are_counted_by_their_targets() {
    let folder = Folder::new();
    // 150 people with 4 rows each; the second row of 70 of them is positive.
    folder.table("t.csv", "who,a,b,y", 600, |i| {
        let y = if i % 4 == 1 && i / 4 < 70 { "yes" } else { "no" };
        format!("p{},{},{},{y}", i / 4, i * 7 % 31, i * i % 97)
    });
    let any = "--classes no,yes --unit who --unit-target any-positive t.csv";
    let found = inspect(&folder, any);
    let parts = [
        "people by their targets: no (80), yes (70)",
        "a person has the second class if any row has it",
        "With 150 people, 47% of them in the smallest class",
    ];
    assert_contains_all(&found, &parts);
    assert_lacks(&found, "by default");
    let last = inspect(&folder, "--classes no,yes --unit who t.csv");
    let parts = [
        "people by their targets: no (150), yes (0). A class has no people (--unit-target, --classes)",
        "No command yet",
    ];
    assert_contains_all(&last, &parts);
}

/// Rows without an identifier are not the rows of one person.
#[test]
fn rows_without_an_identifier_are_no_person() {
    let folder = Folder::new();
    for missing in ["", "NA", "?"] {
        folder.table("t.csv", "patient,a,y", 200, |i| {
            let id = if i < 150 { format!("P{i}x") } else { missing.to_owned() };
            format!("{id},{},{}", i * 7 % 31, ["no", "yes"][i % 2])
        });
        let found = folder.run("inspect t.csv").succeeds();
        let text = found.text();
        assert_contains(&text, "given as identifiers or as the unit: 50");
        assert_lacks(&text, "occur more than once");
        assert_contains(&suggested(&found), "--id patient");
        assert_contains(&text, "With 150 rows");
        assert_contains(&inspect(&folder, "--unit patient t.csv"), "With 150 people");
    }
    let coded = inspect(&folder, "--unit patient --na=P0x,P1x t.csv");
    assert_contains(&coded, "given as identifiers or as the unit: 52");
}

/// Blanks that cells keep are part of labels.
#[test]
fn labels_are_compared_with_all_of_their_characters() {
    let folder = Folder::new();
    folder.table("t.csv", "a,b,y", 200, |i| {
        let y = ["no\u{a0}", "yes"][i % 2];
        format!("{},{},{y}", i % 2 * 100 + i % 7, i * 7 % 31)
    });
    let found = folder.run("inspect t.csv").succeeds();
    assert_contains(&found.text(), "yes (100)");
    assert_lacks(&found.text(), "effect size 0.00");
    assert_contains(&released(&folder, &suggested(&found)), "about 200 rows");
    let rows = (0..60).flat_map(|i| {
        [format!("{i},").as_bytes(), [&b"m\xe4nnlich"[..], b"weiblich"][i % 2], b"\n"].concat()
    });
    folder.write("latin.csv", [&b"a,y\n"[..], &rows.collect::<Vec<u8>>()].concat());
    let latin = inspect(&folder, "latin.csv");
    assert_contains_all(&latin, &["save the file as UTF-8", "No command yet", "--classes=?"]);
}

/// Texts that stand for missing values do not hide what the target holds.
#[test]
fn targets_with_missing_values_keep_their_labels() {
    let folder = Folder::new();
    folder.table("n.csv", "a,y", 208, |i| format!("{},{}", i * 7 % 31, ["0", "1", "NA"][i % 3]));
    let found = folder.run("inspect n.csv").succeeds();
    let parts = ["labels 0 (70), 1 (69)", "rows without one, which are not used: 69"];
    assert_contains_all(&found.text(), &parts);
    assert_contains(&suggested(&found), "--classes 0,1");
    folder.table("t.csv", "a,y", 200, |i| {
        format!("{},{}", i * 7 % 31, ["no", "yes", "NA", "?"][i % 4])
    });
    let found = inspect(&folder, "t.csv");
    let line =
        "rows with NA or the like, which are used only if NA itself is given as a class: 100";
    assert_contains(&found, line);
    let given = inspect(&folder, "--classes no,yes t.csv");
    assert_contains(&given, "rows without one, which are not used: 100");
    let named = inspect(&folder, "--classes NA,yes t.csv");
    assert_contains(&named, "labels NA (50), yes (50)");
    assert_contains(&named, "rows without one, which are not used: 50");
}

/// A covariate is no feature, and its levels are checked.
#[test]
fn covariates_are_checked() {
    let folder = Folder::new();
    folder.table("t.csv", "a,b,c,lab,y", 300, |i| {
        format!("{},{},{},{},{}", i % 31, i * 7 % 31, i * i % 97, ["x1", "y"][i / 3 % 2], i % 2)
    });
    let right = inspect(&folder, "--classes 0,1 --adjust lab=x1,y t.csv");
    assert_contains_all(&right, &["of 3 features", "2 strata, the smallest with 150 rows"]);
    assert_lacks(&right, "in none");
    let wrong = inspect(&folder, "--classes 0,1 --adjust lab=x,y t.csv");
    let line =
        "2 strata, the smallest with 0 rows with a target; in none, and not used: 150 (--adjust)";
    assert_contains(&wrong, line);
}

/// A statement about events is made only if it is known.
#[test]
fn events_of_many_values_are_not_said_to_occur() {
    let folder = Folder::new();
    folder.table("t.csv", "a,days,status", 200, |i| format!("{},{i},s{}", i * 7 % 31, i % 50));
    let found = inspect(&folder, "--time days --event status=dead --by 70 t.csv");
    assert_contains(&found, "events of more than 20 different values");
    assert_lacks(&found, "is among them");
}

/// Names that begin with a dash can be given.
#[test]
fn labels_that_begin_with_a_dash_are_suggested() {
    let folder = Folder::new();
    folder.table("t.csv", "a,b,--y", 200, |i| {
        format!("{},{},{}", i % 2 * 100 + i % 7, i * 7 % 31, ["-1x", "--k"][i % 2])
    });
    let found = folder.run("inspect --target=--y t.csv").succeeds();
    assert_contains_all(&suggested(&found), &["--target=--y", "--classes=--k,-1x"]);
    released(&folder, &suggested(&found));
}
