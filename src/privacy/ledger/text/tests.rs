//! Every cut of a ledger, and files that are not ledgers.

use super::*;
use crate::error::ErrorKind;
use crate::exact::ratio;

const TIME: &str = "2026-11-22T09:30:00Z";

/// The terms of a ledger with a cap of 2.
fn empty() -> String {
    terms(&LedgerTerms::new("2".parse().unwrap()).name("the pilot"))
}

/// A ledger with entries of 1/2, 1/8 and 1/3: the second one failed, and the third returned 1/4. It
/// contains letters of several bytes.
fn filled() -> String {
    let mut text = empty();
    for (epsilon, note) in [("0.5", "erster Blick, größer"), ("0.125", ""), ("1/3", "λ, μ")] {
        let (balance, _) = read(text.as_bytes()).unwrap();
        let expense = Expense::new(epsilon.parse().unwrap(), "select").note(note);
        text += &entry(&balance, &expense, TIME);
        if epsilon == "0.125" {
            text += &failure(2, ErrorKind::Input);
        }
    }
    let (mut after, _) = read(text.as_bytes()).unwrap();
    let back: Epsilon = "0.25".parse().unwrap();
    assert!(after.take_back(3, back.clone()));
    text + &returned(&after, 3, &back)
}

#[test]
fn the_format_is_the_documented_one() {
    assert_eq!(
        filled(),
        "dpsis ledger 1\nname: the pilot\ncap: 2\nneighbors: add/remove\nunit: row\ndelta: 0\n\n\
         1: epsilon 0.5, total 0.5, 2026-11-22T09:30:00Z, select, erster Blick, größer\n\
         2: epsilon 0.125, total 0.625, 2026-11-22T09:30:00Z, select\n\
         failed 2: input\n\
         3: epsilon 1/3, total 23/24, 2026-11-22T09:30:00Z, select, λ, μ\n\
         returned 3: epsilon 0.25, total 17/24\n"
    );
    let page = include_str!("../page.md");
    let example = page.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let (balance, ending) = read(example.as_bytes()).unwrap();
    assert_eq!((balance.spent(), balance.left()), ("0.95625".into(), "0.04375".into()));
    let open: Vec<bool> = balance.entries.iter().map(LedgerEntry::is_open).collect();
    assert_eq!(open, [true, false, false, false]);
    assert_eq!(balance.notes[0].text, "the board allows one more look");
    let closed = balance.closed.unwrap();
    assert_eq!(
        (closed.when.as_deref(), &*closed.text),
        (Some("2026-11-22T12:00:00Z"), "the study is over")
    );
    assert_eq!(ending, Ending::Whole);
}

#[test]
fn deltas_follow_their_epsilons() {
    let start = terms(&LedgerTerms::new("2".parse().unwrap()).delta("1e-6".parse().unwrap()));
    assert!(start.ends_with("\ndelta: 1e-6\n\n"));
    let (balance, _) = read(start.as_bytes()).unwrap();
    let expense = Expense::new("0.5".parse().unwrap(), "select").delta("2.5e-7".parse().unwrap());
    let first = entry(&balance, &expense, TIME);
    assert_eq!(
        first,
        format!("1: epsilon 0.5 delta 2.5e-7, total 0.5 delta 2.5e-7, {TIME}, select\n")
    );
    let (balance, _) = read((start.clone() + &first).as_bytes()).unwrap();
    let second = entry(&balance, &expense, TIME);
    assert!(second.contains(", total 1 delta 5e-7, "), "{second}");
    let both = start + &first + &second;
    let (balance, _) = read(both.as_bytes()).unwrap();
    assert_eq!(balance.spent_delta.to_string(), "5e-7");
    for (right, wrong) in
        [("1 delta 5e-7", "1 delta 4e-7"), ("1 delta 5e-7", "1"), ("delta: 1e-6", "delta: 1")]
    {
        assert!(read(both.replace(right, wrong).as_bytes()).is_err(), "{wrong}");
    }
    // Cut off within the delta, or before the comma: refused.
    let begun = both.rfind("2: epsilon").unwrap();
    let comma = begun + both[begun..].find(',').unwrap();
    assert!((begun + 1..=comma).all(|cut| read(&both.as_bytes()[..cut]).is_err()));
    let (balance, ending) = read(&both.as_bytes()[..=comma]).unwrap();
    assert_eq!((balance.spent_delta.to_string(), ending), ("5e-7".into(), Ending::CutOff));
}

#[test]
fn written_ledgers_are_read() {
    let (balance, ending) = read(filled().as_bytes()).unwrap();
    assert_eq!(ending, Ending::Whole);
    assert_eq!(
        (balance.terms.name.as_str(), balance.terms.cap.to_string()),
        ("the pilot", "2".to_owned())
    );
    assert_eq!(balance.spent, ratio(17, 24));
    assert_eq!(balance.left, ratio(31, 24));
    let entries = &balance.entries;
    assert_eq!(entries.iter().map(|entry| entry.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(entries[0].note, "erster Blick, größer");
    assert_eq!(entries[1].failed.as_deref(), Some("input"));
    assert_eq!((entries[2].when.as_deref(), entries[2].failed.as_deref()), (Some(TIME), None));
    let back: Vec<Option<String>> =
        entries.iter().map(|entry| entry.returned.as_ref().map(Epsilon::to_string)).collect();
    assert_eq!(back, [None, None, Some("0.25".to_owned())]);
}

/// If a byte of an entry is left, its whole epsilon counts, or the file is refused; the same holds
/// after the next entry, and after that one was cut. Only a whole line returns a part.
#[test]
fn cut_entries_still_count() {
    let (whole, start) = (filled(), empty().len());
    let amounts = [ratio(1, 2), ratio(1, 8), ratio(1, 3)];
    let starts: Vec<usize> =
        (1..=3).map(|number| whole.find(&format!("\n{number}: ")).unwrap() + 1).collect();
    let (mut counted, mut refused) = (0, 0);
    for cut in 0..=whole.len() {
        let bytes = &whole.as_bytes()[..cut];
        let Ok((balance, ending)) = read(bytes) else {
            // The terms, or an epsilon without the comma behind it.
            let line = bytes.rsplit(|byte| *byte == b'\n').next().unwrap();
            assert!(cut < start || !line.contains(&b','), "{cut}");
            refused += 1;
            continue;
        };
        counted += 1;
        let begun = starts.iter().filter(|start| **start < cut).count();
        let mut expected: BigRational = amounts[..begun].iter().sum();
        if bytes.windows(12).any(|part| part == b" total 17/24") {
            expected -= ratio(1, 4);
        }
        assert_eq!(balance.spent, expected, "{cut}");
        // The next entry.
        let expense = Expense::new("0.25".parse().unwrap(), "choose");
        let added = ending.text() + &entry(&balance, &expense, TIME);
        let bytes = [bytes, added.as_bytes()].concat();
        let (after, ending) = read(&bytes).unwrap();
        assert_eq!((after.spent, ending), (&expected + ratio(1, 4), Ending::Whole), "{cut}");
        let (cut_again, ending) = read(&bytes[..bytes.len() - 3]).unwrap();
        assert_eq!((cut_again.spent, ending), (&expected + ratio(1, 4), Ending::LineFeed), "{cut}");
    }
    assert!(counted > 150 && refused > start, "{counted} {refused}");
}

/// If a byte of a closing is left, the ledger is closed, also with a note after it; a note or an
/// ending that was cut is ignored, and nothing else changes.
#[test]
fn closed_ledgers_stay_closed_when_cut() {
    let whole = filled();
    for words in ["", "vorüber: für immer"] {
        let line = closed(TIME, words);
        for cut in 1..=line.len() {
            let bytes = [whole.as_bytes(), &line.as_bytes()[..cut]].concat();
            let (balance, ending) = read(&bytes).unwrap();
            assert!(balance.closed.is_some(), "{cut}");
            let more = [&bytes[..], (ending.text() + &note(TIME, "a note")).as_bytes()].concat();
            let (balance, ending) = read(&more).unwrap();
            assert!(balance.closed.is_some() && balance.notes.len() == 1, "{cut}");
            assert_eq!(ending, Ending::Whole);
            // Nothing can be charged after it.
            let late = "4: epsilon 0.25, total 23/24, 2026-11-22T09:30:00Z, select\n";
            assert!(read(&[&more[..], late.as_bytes()].concat()).is_err(), "{cut}");
        }
    }
    let before = read(whole.as_bytes()).unwrap().0;
    for line in [note(TIME, "größer"), released(1)] {
        // A line that is whole except for its line feed is read.
        for cut in 1..line.trim_end().len() {
            let bytes = [whole.as_bytes(), &line.as_bytes()[..cut]].concat();
            let (mut balance, _) = read(&bytes).unwrap();
            let note = balance.notes.pop().map(|note| note.text);
            assert!(note.is_none_or(|note| "größer".starts_with(&note)), "{cut}");
            assert_eq!(balance, before, "{cut}");
        }
        assert_ne!(read((whole.clone() + &line).as_bytes()).unwrap().0, before);
    }
}

#[test]
fn errors_about_other_files_do_not_quote_them() {
    let filled = filled();
    let changed = |from: &str, to: &str| {
        assert!(filled.contains(from), "{from}");
        filled.replacen(from, to, 1)
    };
    for wrong in [
        String::new(),
        "age,dose\n1,S3CR3T\n".repeat(9),
        changed("ledger 1", "ledger 2"),
        changed("delta: 0", "delta: 0.1"),
        changed("cap: 2", "cap: -2"),
        changed("unit: row", "unit: S3CR3T"),
        changed("add/remove", "remove"),
        // A line that was removed, changed, doubled or moved.
        changed("2: epsilon 0.125, total 0.625, 2026-11-22T09:30:00Z, select\n", ""),
        changed("epsilon 0.125", "epsilon 0.12"),
        changed("total 0.625", "total 0.62"),
        changed("3: epsilon", "4: epsilon"),
        changed("failed 2: input\n", "failed 4: input\n"),
        // A part returned twice, by no entry, with another sum, larger than the charge, or after a
        // failure.
        filled.clone() + "returned 3: epsilon 0.25, total 11/24\n",
        changed("returned 3", "returned 4"),
        changed("total 17/24", "total 16/24"),
        changed("returned 3: epsilon 0.25, total 17/24", "returned 3: epsilon 1/3, total 0.625"),
        changed("returned 3: epsilon 0.25, total 17/24", "returned 2: epsilon 0.1, total 103/120"),
        changed("failed 2: input\n", "failed 2: S3CR3T\n"),
        changed("2026-11-22T09", "22.11.2026 09"),
        changed("2: epsilon 0.125", "2: epsilon -0.125"),
        changed("λ", "\r"),
        changed("select, erster", "\u{0}"),
        filled.clone() + "S3CR3T",
        filled.clone() + "S3CR3T\n",
        filled.clone() + "\0\0\0",
        filled.replace('\n', "\r\n"),
    ] {
        let error = read(wrong.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input, "{wrong}");
        assert!(!error.to_string().contains("S3CR3T"), "{error}");
    }
    let not_text = [filled.as_bytes(), &[0xff, b'\n']].concat();
    assert!(read(&not_text).is_err());
}

#[test]
fn names_and_notes_are_single_lines() {
    for good in ["", "a", "the pilot, 2nd look: 1/2 (cut off)", "größer"] {
        assert!(check_words("it", good).is_ok(), "{good:?}");
    }
    assert!(check_words("it", &"ö".repeat(200)).is_ok());
    let long = "n".repeat(201);
    for bad in ["a\nb", "a\rb", "a\tb", "\u{85}x", "a\u{2028}b", " a", "a ", &long] {
        assert!(check_words("it", bad).is_err(), "{bad:?}");
    }
}

/// No name and no note can make a line that reads differently.
#[test]
fn notes_cannot_imitate_entries() {
    for note in ["3: epsilon 1, total 1", "a (cut off)", "failed 1: io", ", ,", "epsilon 9,"] {
        let (balance, _) = read(empty().as_bytes()).unwrap();
        let expense = Expense::new("0.5".parse().unwrap(), "select").note(note);
        let text = empty() + &entry(&balance, &expense, TIME);
        let (balance, ending) = read(text.as_bytes()).unwrap();
        assert_eq!((balance.entries.len(), ending), (1, Ending::Whole), "{note}");
        assert_eq!((balance.spent, &*balance.entries[0].note), (ratio(1, 2), note));
    }
}

/// Two charges with run keys: the record of the first one was kept.
fn with_keys() -> String {
    let mut text = empty();
    for (key, request) in [("nightly, größer: 1, request x", "a"), ("second", "b")] {
        let (balance, _) = read(text.as_bytes()).unwrap();
        let expense = Expense::new("0.5".parse().unwrap(), "select");
        text += &entry(&balance, &expense, TIME);
        let number = balance.entries.len() + 1;
        text += &run_key(number, key, &request.repeat(32));
    }
    text + &recorded(1, &"0".repeat(32))
}

#[test]
fn run_keys_are_read() {
    let text = with_keys();
    let last = format!("ended 1: released, record {}\n", "0".repeat(32));
    assert!(
        text.ends_with(&format!("key 2: second, request {}\n{last}", "b".repeat(32))),
        "{text}"
    );
    let (balance, ending) = read(text.as_bytes()).unwrap();
    let [first, second] = &balance.entries[..] else { panic!("two entries") };
    assert_eq!(first.run_key.as_deref(), Some("nightly, größer: 1, request x"));
    assert_eq!((&first.request, first.released), (&Some("a".repeat(32)), true));
    assert_eq!(first.record, Some("0".repeat(32)));
    assert_eq!((second.run_key.as_deref(), second.is_open()), (Some("second"), true));
    assert_eq!((balance.of_run_key("second").unwrap().number, ending), (2, Ending::Whole));
    assert!(balance.of_run_key("").is_none());
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    let hash = "b".repeat(32);
    for wrong in [
        changed("key 2: second", "key 1: second"),
        changed("key 2: second", "key 3: second"),
        changed("key 2: second", "key 2: nightly, größer: 1, request x"),
        changed("key 2: second", "key 2:  second"),
        changed("key 2: second", "key 2: "),
        changed(&hash, &hash[1..]),
        changed(&hash, &hash.to_uppercase()),
        changed(", request b", " request b"),
        changed("ended 1: released, record", "ended 2: released record"),
        // A second key, or a second record, of one entry.
        text.clone() + &run_key(2, "third", &hash),
        text.clone() + &recorded(1, &hash),
        // A record without a key.
        filled() + &recorded(1, &hash),
    ] {
        assert_eq!(read(wrong.as_bytes()).unwrap_err().kind(), ErrorKind::Input, "{wrong}");
    }
}

/// A ledger that is cut in the line of a key has the charge and not the key; a record is read if
/// its whole hash is there.
#[test]
fn cut_run_keys_are_ignored() {
    let text = with_keys();
    let start = text.find("key 2: ").unwrap();
    for cut in start..=text.len() {
        let (balance, ending) = read(&text.as_bytes()[..cut]).unwrap();
        assert_eq!(balance.spent, ratio(1, 1), "{cut}");
        let line = text[start..].find('\n').unwrap() + start;
        assert_eq!(balance.entries[1].run_key.is_some(), cut >= line, "{cut}");
        assert_eq!(balance.entries[0].record.is_some(), cut + 1 >= text.len(), "{cut}");
        let note = ending.text() + &note(TIME, "a note");
        let after = [&text.as_bytes()[..cut], note.as_bytes()].concat();
        let (after, _) = read(&after).unwrap();
        assert_eq!(after.entries[1].run_key, balance.entries[1].run_key, "{cut}");
        assert_eq!(after.entries[0].record, balance.entries[0].record, "{cut}");
    }
}
