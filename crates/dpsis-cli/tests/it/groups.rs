//! `--groups`: sets of features from a GMT file.

use crate::harness::{
    DATASETS, DEMO, Folder, assert_contains, assert_contains_all, demo_lines, dpsis, gzip, one_line,
};

/// A folder with the sets of the demo data.
fn folder() -> Folder {
    Folder::new().with("demo.gmt", Folder::at(DATASETS).read("demo.gmt"))
}

#[test]
fn sets_are_selected_in_every_format() {
    let base = "select -k 4 -e 2 --seed 6 --groups demo.gmt demo.csv";
    let output = dpsis(base).succeeds();
    assert_eq!(output.stdout, "BLOCK_08\nBLOCK_15\nBLOCK_21\nBLOCK_28\n");
    assert_contains_all(
        &output.message(),
        &[
            "the mean of its members' ranks within the sample",
            "46 of 47 are used, those with 5 or more members among the 300 features of the table; 1 with \
             fewer left out; 3 members of used sets are not features of the table",
            "4 of 46 sets, all at once (about 657 rows are enough for that), by the mechanism canonical",
            "significance was not tested: values were taken in relation to the others of their row",
        ],
    );
    let table = dpsis(&format!("{base} --format tsv")).succeeds().stdout;
    assert!(table.starts_with("name\tline\tmembers\tmissing\teffect_size"), "{table}");
    assert_contains(&table, "\nBLOCK_15\t15\t10\t0\t");
    let record = dpsis(&format!("{base} --format json --group-size 8,15 --bounds=-3,3")).json();
    let groups = &record["score"]["groups"];
    assert_eq!((&groups["used"], &groups["too_large"]), (&31.into(), &15.into()));
    assert_eq!(groups["scale"], "bounds");
    assert_eq!(groups["bounds"], serde_json::json!([-3.0, 3.0]));
    assert_eq!(record["score"]["missing"], "0, the middle of the grid");
    assert_eq!(record["selected"][0]["members"]["present"], 10);
    assert_contains(record["run"]["request"].as_str().unwrap(), "--groups FILE");
    let page = dpsis(&format!("{base} --format html")).succeeds().stdout;
    let parts = ["4 of 46 sets", "Selected sets", "46 of 47 are used", "<td>BLOCK_15</td>"];
    assert_contains_all(&page, &parts);
}

/// The sets of a file that is compressed are the same.
#[test]
fn compressed_sets() {
    let folder = folder();
    folder.write("sets.gmt.gz", gzip(folder.read("demo.gmt")));
    let select = |sets: &str| {
        let line = format!("select -k 4 -e 2 --seed 6 --groups {sets} {DEMO}");
        let output = folder.run(&line).succeeds();
        (output.stdout, output.stderr)
    };
    assert_eq!(select("sets.gmt.gz"), select("demo.gmt"));
}

/// A dry run reads the header and the sets, and lists members that the table lacks.
#[test]
fn dry_runs_list_missing_members() {
    let dry = |options: &str| {
        let select = "select -k 4 -e 2 --groups demo.gmt --dry-run demo.csv";
        dpsis(&format!("{select} {options}")).succeeds()
    };
    assert_contains_all(
        &one_line(&dry("").stdout),
        &[
            "ALIASES: 8 of 11 members, without gene_301, GENE_069, gene_070.1 ",
            "PAIR: 2 of 2 members; too small",
        ],
    );
    let sets = &dry("--format json").json()["sets"];
    assert_eq!(sets.as_array().unwrap().len(), 47);
    assert_eq!(sets[45]["missing"], serde_json::json!(["gene_301", "GENE_069", "gene_070.1"]));
    assert_eq!(sets[46]["size"], "too-small");
    let excluded = one_line(&dry("--exclude gene_00*").stdout);
    assert_contains(&excluded, "BLOCK_01: 1 of 10 members, without gene_001,");
}

#[test]
fn wrong_sets_and_options_are_refused() {
    let folder = folder()
        .with("twice.gmt", "A\tx\tgene_001\n\nA\tx\tgene_002\n")
        .with("sets.csv", "set,gene\nA,gene_001\n")
        .with("unknown.gmt", "A\tx\tTP53\tBRCA1\n")
        .with("empty.gmt", "");
    for (options, code, part) in [
        ("--groups twice.gmt", 3, "row 3: the name of the set occurs twice (--groups)"),
        ("--groups sets.csv", 3, "row 1: a set is a name, a description and its members"),
        ("--groups empty.gmt", 3, "there is no set"),
        ("--groups none.gmt", 5, "cannot read none.gmt"),
        ("--groups unknown.gmt", 2, "the first member \"TP53\" (--groups, --group-size)"),
        ("--groups demo.gmt --group-size 50", 2, "the largest set has 20"),
        ("--groups demo.gmt --group-size 0", 2, "at least 1"),
        ("--groups demo.gmt --group-size 9,8", 2, "the largest at least as large (--group-size)"),
        ("--groups demo.gmt --group-size few", 2, "MIN,MAX"),
        ("--group-size 9", 2, "--groups"),
    ] {
        folder.refuses(&[(format!("select -k 1 -e 1 {options} {DEMO}"), code, part)]);
    }
    folder.refuses_options(
        "select -e 1 --groups demo.gmt",
        &[
            (&format!("-k 47 {DEMO}"), "sets that are used, 46 (--k)"),
            ("-k 1 --partials a.partial", ""),
        ],
    );
}

/// An audit takes the options of select.
#[test]
fn an_audit_of_sets() {
    let (header, rows) = demo_lines();
    let shorter = rows[..rows.len() - 1].join("\n");
    let folder = folder().with("other.csv", format!("{header}\n{shorter}\n"));
    let audit = format!("audit --eps 1 --draws 200 {DEMO} other.csv");
    let report = folder.run(&format!("{audit} -- --groups demo.gmt --score kendall")).succeeds();
    assert_contains(&report.stdout, "200");
}

/// The same sets are selected from a table that lies the other way, as text and as GCT.
#[test]
fn the_orientation_of_a_table_does_not_matter() {
    let text = std::fs::read_to_string(DEMO).unwrap();
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
    let folder = folder().with("y.csv", targets).with("turned.tsv", turned).with("table.gct", gct);
    let base = "select -k 4 -e 2 --seed 6 --groups demo.gmt --format tsv";
    let expected = dpsis(&format!("{base} demo.csv")).succeeds().stdout;
    for table in ["turned.tsv --orient features-as-rows", "table.gct"] {
        let found = folder.run(&format!("{base} --target-file y.csv {table}")).succeeds().stdout;
        assert_eq!(found, expected, "{table}");
    }
}
