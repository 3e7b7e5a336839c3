//! The page that `--format html` prints.

use crate::harness::{Folder, assert_lacks, dpsis, names_in};

/// Where a text is in a page.
#[track_caller]
fn place(page: &str, text: &str) -> usize {
    page.find(text).unwrap_or_else(|| panic!("{text:?} is not in the page:\n{page}"))
}

#[test]
fn the_names_follow_the_significance_and_the_guarantee() {
    let output = dpsis("select -k 5 -e 2 --format html demo.csv").succeeds();
    assert_eq!(output.stderr, "", "the report is in the page");
    let html = output.stdout;
    assert!(html.starts_with("<!doctype html>"));
    let words = place(&html, "<p class=\"words\">PRIVATE</p>");
    let significance = place(&html, "<p class=\"words\">");
    let names = place(&html, "<td>gene_");
    let concluded = place(&html, "What may be concluded");
    let published = place(&html, "What may be published");
    let methods = place(&html, "@software{dpsis,");
    let how = place(&html, "by the mechanism ");
    let record = place(&html, "aria-label=\"The whole record\">{");
    assert!(
        significance < words
            && words < names
            && names < concluded
            && concluded < published
            && published < methods
            && methods < how
            && how < record
    );
    place(&html, "<h1>5 of 300 features for \u{201c}response\u{201d}</h1>");
    // On the first page, and with all released values.
    assert_eq!(html.matches("<td>gene_").count(), 10);
    for text in ["adding or removing one row", "88.1%", "target median: 0.2 (10%)", "response"] {
        place(&html, text);
    }
    // Nothing is fetched and nothing runs.
    for fetch in ["http", "src=", "url(", "@import", "<link", "<script", "<iframe", "onload"] {
        assert_lacks(&html, fetch);
    }
}

/// All of the record is in the page, and the numbers of the page equal the record's.
#[test]
fn the_record_can_be_saved() {
    let select = "select -k 3 -e 1/3 --seed 7 demo.csv --format";
    let html = dpsis(&format!("{select} html")).succeeds().stdout;
    let json = dpsis(&format!("{select} json"));
    let record = json.json();
    let start = "aria-label=\"The whole record\">";
    let shown = &html[place(&html, start) + start.len()..html.rfind("</pre>").unwrap()];
    let json = json.stdout.replace("--format json", "--format html");
    assert_eq!(shown.replace("&quot;", "\"").replace("&#39;", "'"), json);
    let start = place(&html, "data:application/json;charset=utf-8,") + 36;
    let data = &html[start..start + html[start..].find('"').unwrap()];
    assert_eq!(percent_decoded(data), json);
    for name in names_in(&record, "selected") {
        place(&html, &format!("<td>{name}</td>"));
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
fn pages_that_are_not_private_are_marked_in_large_letters() {
    let output = dpsis("select -k 5 -e 2 --format html --seed 7 demo.csv").succeeds();
    let html = output.stdout;
    let words = place(&html, "<p class=\"words\">NOT PRIVATE</p>");
    assert!(words < place(&html, "<td>gene_"));
    assert_lacks(&html, ">PRIVATE<");
    // No promise is made.
    assert_lacks(&html, "be right with a chance");
    assert!(output.stderr.starts_with("warning: "), "{}", output.stderr);
}

#[test]
fn names_cannot_break_out() {
    let name = "<script>alert('1')</script>";
    let folder = Folder::new()
        .with("t.csv", format!("{name},</pre>&amp;\n1,2\n3,5\n2,1\n"))
        .with("c.csv", "name,score\n<b>,1\n<i>,2\n");
    let html = folder.run("select -k 1 -e 1 --format html t.csv").succeeds().stdout;
    assert_lacks(&html, "<script");
    // The BibTeX entries and the record.
    assert_eq!(html.matches("</pre>").count(), 2);
    place(&html, "<td>&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;</td>");
    place(&html, "&lt;/pre&gt;&amp;amp;");

    let html = folder.run("choose -e 1 --sensitivity 1 --format html c.csv").succeeds().stdout;
    assert!(!html.contains("<b>") && !html.contains("<i>"));
    let names = place(&html, "1 of 2 candidates").max(place(&html, "<td>&lt;"));
    assert!(place(&html, ">PRIVATE<") < names);
}

#[test]
fn outputs_without_a_page_are_refused() {
    let folder = Folder::new().with("c.csv", "name,score\na,1\nb,2\n");
    folder.refuses(&[
        ("select -k 1 -e 1 --format html --dry-run none.csv", 2, "a dry run"),
        ("choose -e 1 --sensitivity 1 --format html --advise c.csv", 2, "advice"),
        ("choose -e 1 --sensitivity 1 --format html --trials 10 c.csv", 2, "--format"),
    ]);
}
