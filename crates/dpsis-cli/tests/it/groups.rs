//! `--groups`: sets of features from a GMT file.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::process::{Command, Output};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets");

/// Runs the program among the demo data.
fn dpsis(words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpsis"));
    command.env("SOURCE_DATE_EPOCH", "1795305600").current_dir(DATA);
    command.args(words.split_whitespace()).output().unwrap()
}

/// Both outputs of a command that succeeds, with one blank between words.
fn out(words: &str) -> [String; 2] {
    let output = dpsis(words);
    let said = one_line(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{words}: {said}");
    [String::from_utf8(output.stdout).unwrap(), said]
}

fn one_line(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn refused(words: &str, code: i32) -> String {
    let output = dpsis(words);
    let said = one_line(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words}: {said}");
    assert!(output.stdout.is_empty(), "{words}");
    said
}

#[test]
fn sets_are_selected_in_every_format() {
    let base = "select -k 4 -e 2 --seed 6 --groups demo.gmt demo.csv";
    let [names, report] = out(base);
    assert_eq!(names, "BLOCK_08\nBLOCK_15\nBLOCK_21\nBLOCK_28\n");
    for text in [
        "the mean of its members' ranks within the sample",
        "46 of 47 are used, those with 5 or more members among the 300 features of the table; 1 with \
         fewer left out; 3 members of used sets are no features of the table",
        "4 of 46 sets, all at once (about 657 rows are enough for that), by the mechanism canonical",
        "no verdict: values were taken in relation to the others of their row",
    ] {
        assert!(report.contains(text), "{report}");
    }
    let [table, _] = out(&format!("{base} --format tsv"));
    assert!(table.starts_with("name\tline\tmembers\tmissing\tstrength"), "{table}");
    assert!(table.contains("\nBLOCK_15\t15\t10\t0\t"), "{table}");
    let [json, _] = out(&format!("{base} --format json --group-size 8,15 --bounds=-3,3"));
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    let groups = &record["score"]["groups"];
    assert_eq!((&groups["used"], &groups["too_large"]), (&31.into(), &15.into()));
    assert_eq!(
        (&groups["scale"], &groups["bounds"]),
        (&"bounds".into(), &[-3.0, 3.0].to_vec().into())
    );
    assert_eq!(record["score"]["missing"], "0, the middle of the grid");
    assert_eq!(record["selected"][0]["members"]["present"], 10);
    assert!(record["run"]["request"].as_str().unwrap().contains("--groups FILE"), "{json}");
    let [page, _] = out(&format!("{base} --format html"));
    for text in ["4 of 46 sets", "Selected sets", "46 of 47 are used", "<td>BLOCK_15</td>"] {
        assert!(page.contains(text), "{text}");
    }
}

/// The sets of a file that is compressed are the same.
#[test]
fn compressed_sets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sets.gmt.gz");
    let file = std::fs::File::create(&path).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    let plain = std::fs::read(format!("{DATA}/demo.gmt")).unwrap();
    std::io::Write::write_all(&mut encoder, &plain).unwrap();
    encoder.finish().unwrap();
    let select = |sets: &str| out(&format!("select -k 4 -e 2 --seed 6 --groups {sets} demo.csv"));
    assert_eq!(select(path.to_str().unwrap()), select("demo.gmt"));
}

/// A dry run reads header and sets, and lists what is missing.
#[test]
fn dry_runs_list_what_is_missing() {
    let [plan, _] = out("select -k 4 -e 2 --groups demo.gmt --dry-run demo.csv");
    let plan = one_line(plan.as_bytes());
    for text in [
        "ALIASES: 8 of 11 members, without gene_301, GENE_069, gene_070.1 ",
        "PAIR: 2 of 2 members; too small",
    ] {
        assert!(plan.contains(text), "{plan}");
    }
    let [json, _] = out("select -k 4 -e 2 --groups demo.gmt --dry-run --format json demo.csv");
    let plan: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(plan["sets"].as_array().unwrap().len(), 47);
    assert_eq!(
        plan["sets"][45]["missing"],
        serde_json::json!(["gene_301", "GENE_069", "gene_070.1"])
    );
    assert_eq!(plan["sets"][46]["size"], "too-small");
    let [plan, _] = out("select -k 4 -e 2 --groups demo.gmt --exclude gene_00* --dry-run demo.csv");
    assert!(
        one_line(plan.as_bytes()).contains("BLOCK_01: 1 of 10 members, without gene_001,"),
        "{plan}"
    );
}

#[test]
fn what_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let twice = file("twice.gmt", "A\tx\tgene_001\n\nA\tx\tgene_002\n");
    let commas = file("sets.csv", "set,gene\nA,gene_001\n");
    let unknown = file("unknown.gmt", "A\tx\tTP53\tBRCA1\n");
    let empty = file("empty.gmt", "");
    for (words, code, text) in [
        (format!("--groups {twice}"), 3, "row 3: the name of the set occurs twice (--groups)"),
        (format!("--groups {commas}"), 3, "row 1: a set is a name, a description and its members"),
        (format!("--groups {empty}"), 3, "there is no set"),
        ("--groups none.gmt".into(), 5, "cannot read none.gmt"),
        (format!("--groups {unknown}"), 2, "the first member \"TP53\" (--groups, --group-size)"),
        ("--groups demo.gmt --group-size 50".into(), 2, "the largest set has 20"),
        ("--groups demo.gmt --group-size 0".into(), 2, "at least 1"),
        ("--groups demo.gmt --group-size 9,8".into(), 2, "no smaller (--group-size)"),
        ("--groups demo.gmt --group-size few".into(), 2, "MIN,MAX"),
        ("--group-size 9".into(), 2, "--groups"),
        (
            "--groups demo.gmt --preprocess paper --not-private".into(),
            2,
            "no score, bounds, scale, sets",
        ),
    ] {
        let said = refused(&format!("select -k 1 -e 1 {words} demo.csv"), code);
        assert!(said.contains(text), "{words}: {said}");
    }
    let said = refused("select -k 47 -e 1 --groups demo.gmt demo.csv", 2);
    assert!(said.contains("sets that are used, 46 (--k)"), "{said}");
    refused("select -k 1 -e 1 --groups demo.gmt --partials a.partial", 2);
}

/// An audit takes the options of select.
#[test]
fn an_audit_of_sets() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(format!("{DATA}/demo.csv")).unwrap();
    let (shorter, _) = text.trim_end().rsplit_once('\n').unwrap();
    let other = folder.path().join("other.csv");
    std::fs::write(&other, format!("{shorter}\n")).unwrap();
    let [report, _] = out(&format!(
        "audit --eps 1 --draws 200 demo.csv {} -- --groups demo.gmt --score kendall",
        other.display()
    ));
    assert!(report.contains("200"), "{report}");
}

/// The same sets are selected from a table that lies the other way, as text and as GCT.
#[test]
fn the_way_a_table_lies_does_not_matter() {
    let text = std::fs::read_to_string(format!("{DATA}/demo.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let (n, d) = (rows.len() - 1, rows[0].len() - 1);
    let samples: String = (1..=n).map(|i| format!("\ts{i}")).collect();
    let mut turned = format!("feature{samples}\n");
    let mut gct = format!("#1.2\n{d}\t{n}\nName\tDescription{samples}\n");
    for j in 0..d {
        let values: String = rows[1..].iter().map(|row| format!("\t{}", row[j])).collect();
        turned += &format!("{}{values}\n", rows[0][j]);
        gct += &format!("{}\tna{values}\n", rows[0][j]);
    }
    let targets: String = rows.iter().map(|row| format!("{}\n", row[d])).collect();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let y = write("y.csv", &targets);
    let base = "select -k 4 -e 2 --seed 6 --groups demo.gmt --format tsv";
    let [expected, _] = out(&format!("{base} demo.csv"));
    for (file, more) in [
        (write("turned.tsv", &turned), "--orient features-as-rows"),
        (write("table.gct", &gct), ""),
    ] {
        let [found, _] = out(&format!("{base} --target-file {y} {more} {file}"));
        assert_eq!(found, expected, "{file}");
    }
}
