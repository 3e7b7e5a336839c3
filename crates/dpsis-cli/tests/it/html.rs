//! The page that `--format html` prints.
#![allow(clippy::unwrap_used, clippy::panic)] // in a test a panic is how a failure is said

use std::process::{Command, Output};

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/demo.csv");

/// Runs the program. Its records carry one day, so that they can be compared at midnight, too.
fn dpsis(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpsis"));
    command.env("SOURCE_DATE_EPOCH", "1795305600").args(arguments).output().unwrap()
}

/// The standard output of a successful run.
fn page(arguments: &[&str]) -> (String, String) {
    let output = dpsis(arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    (String::from_utf8(output.stdout).unwrap(), said)
}

/// Where a text stands; it must.
fn place(page: &str, text: &str) -> usize {
    page.find(text).unwrap_or_else(|| panic!("{text:?} is not in the page:\n{page}"))
}

#[test]
fn the_names_come_first_below_the_verdict_and_the_promise() {
    let (html, said) = page(&["select", "-k", "5", "-e", "2", "--format", "html", DEMO]);
    assert_eq!(said, "", "the report is in the page");
    assert!(html.starts_with("<!doctype html>"));
    let words = place(&html, "<p class=\"words\">PRIVATE</p>");
    let verdict = place(&html, "<p class=\"words\">");
    let ledger = place(&html, "<td class=\"number\">1.25</td>");
    let names = place(&html, "<td>gene_");
    let how = place(&html, "by the mechanism ");
    let record = place(&html, "<pre>{");
    assert!(verdict < words && words < names && names < ledger && ledger < how && how < record);
    place(&html, "<h1>5 of 300 features for \u{201c}response\u{201d}</h1>");
    assert_eq!(html.matches("<td>gene_").count(), 5);
    for text in ["adding or removing one row", "88.1%", "target median: 0.2 (10%)", "response"] {
        place(&html, text);
    }
}

/// All of the record is in the page, and the numbers of the page are those of the record.
#[test]
fn the_record_can_be_saved() {
    let seeded = ["select", "-k", "3", "-e", "1/3", "--seed", "7", "--format"];
    let (html, _) = page(&[&seeded[..], &["html", DEMO]].concat());
    let (json, _) = page(&[&seeded[..], &["json", DEMO]].concat());
    let shown = &html[place(&html, "<pre>") + 5..place(&html, "</pre>")];
    let json = json.replace("--format json", "--format html");
    assert_eq!(shown.replace("&quot;", "\"").replace("&#39;", "'"), json);
    let start = place(&html, "data:application/json;charset=utf-8,") + 36;
    let data = &html[start..start + html[start..].find('"').unwrap()];
    assert_eq!(percent_decoded(data), json);
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    for picked in record["selected"].as_array().unwrap() {
        place(&html, &format!("<td>{}</td>", picked["name"].as_str().unwrap()));
    }
    place(&html, &format!("<td>{}</td>", record["run"]["day"].as_str().unwrap()));
    place(&html, "<td>dpsis select --k 3 --eps 1/3 --format html --seed 7 FILE</td>");
}

fn percent_decoded(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap().as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(&piece[..2], 16).unwrap());
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn what_is_not_private_says_so_in_large_letters() {
    for more in [&["--seed", "7"][..], &["--preprocess", "paper", "--not-private"]] {
        let arguments = ["select", "-k", "5", "-e", "2", "--format", "html"];
        let (html, said) = page(&[&arguments[..], more, &[DEMO]].concat());
        let words = place(&html, "<p class=\"words\">NOT PRIVATE</p>");
        assert!(words < place(&html, "<td>gene_"));
        assert!(!html.contains(">PRIVATE<"));
        assert!(!html.contains("be right with a chance"), "no promise is made");
        assert!(said.starts_with("warning: "), "{said}");
    }
}

#[test]
fn nothing_is_fetched_and_nothing_runs() {
    let (html, _) = page(&["select", "-k", "5", "-e", "2", "--format", "html", DEMO]);
    for fetch in ["http", "src=", "url(", "@import", "<link", "<script", "<iframe", "onload"] {
        assert!(!html.contains(fetch), "{fetch}");
    }
}

#[test]
fn names_cannot_break_out() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("t.csv");
    let name = "<script>alert('1')</script>";
    std::fs::write(&table, format!("{name},</pre>&amp;\n1,2\n3,5\n2,1\n")).unwrap();
    let (html, _) =
        page(&["select", "-k", "1", "-e", "1", "--format", "html", table.to_str().unwrap()]);
    assert!(!html.contains("<script"));
    assert_eq!(html.matches("</pre>").count(), 1);
    place(&html, "<td>&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;</td>");
    place(&html, "&lt;/pre&gt;&amp;amp;");

    let candidates = folder.path().join("c.csv");
    std::fs::write(&candidates, "name,score\n<b>,1\n<i>,2\n").unwrap();
    let choose = ["choose", "-e", "1", "--sensitivity", "1", "--format", "html"];
    let (html, _) = page(&[&choose[..], &[candidates.to_str().unwrap()]].concat());
    assert!(!html.contains("<b>") && !html.contains("<i>"));
    assert!(
        place(&html, ">PRIVATE<") < place(&html, "1 of 2 candidates").max(place(&html, "<td>&lt;"))
    );
}

#[test]
fn what_has_no_page_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.csv");
    std::fs::write(&file, "name,score\na,1\nb,2\n").unwrap();
    let file = file.to_str().unwrap();
    let choose = ["choose", "-e", "1", "--sensitivity", "1", "--format", "html"];
    for (arguments, rule) in [
        (
            vec!["select", "-k", "1", "-e", "1", "--format", "html", "--dry-run", "none.csv"],
            "a dry run",
        ),
        ([&choose[..], &["--advise", file]].concat(), "advice"),
        ([&choose[..], &["--trials", "10", file]].concat(), "--format"),
    ] {
        let output = dpsis(&arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(rule), "{said}");
        assert!(output.stdout.is_empty());
    }
}
