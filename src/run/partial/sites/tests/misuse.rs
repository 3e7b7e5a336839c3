//! Misuse of keys and masked sums is refused, and damage is noticed.

use super::*;

fn refused(result: crate::error::Result<impl std::fmt::Debug>, words: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request, "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

/// The same sums can be masked again, with the same result; other sums would reveal the difference.
#[test]
fn a_stage_is_masked_once() {
    let (rows, run) = (rows(40), Run::new(2, 1));
    let (key, path) = (&run.keys[0], run.path("north"));
    let first = key.mask(&sums(&classes(), &rows, None), &run.roster).unwrap();
    let file = fs::read(&path).unwrap();
    let again = SiteKey::open(&path).unwrap().mask(&sums(&classes(), &rows, None), &run.roster);
    assert_eq!(again.unwrap().to_text().unwrap(), first.to_text().unwrap());
    let corrected = sums(&classes(), &rows[1..], None);
    refused(key.mask(&corrected, &run.roster), "has masked other sums of this stage");
    assert_eq!(fs::read(&path).unwrap(), file);
    // Another request has its own masks.
    assert!(key.mask(&sums(&base(), &rows, None), &run.roster).is_ok());
    assert!(fs::read(&path).unwrap().starts_with(&file));
}

/// A coordinator that requests rosters of pairs could open single sites.
#[test]
fn a_key_serves_one_roster() {
    let (rows, run) = (rows(40), Run::new(3, 1));
    let partial = sums(&classes(), &rows, None);
    let site = |place: usize| run.keys[place].site().unwrap();
    let pair = Roster::new([site(0), site(1)]).unwrap();
    run.keys[0].mask(&partial, &run.roster).unwrap();
    refused(run.keys[0].mask(&partial, &pair), "has served another roster");
    refused(run.keys[0].mask(&sums(&base(), &rows, None), &pair), "has served another roster");
    refused(run.keys[2].mask(&partial, &pair), "does not have this key");
    refused(run.keys[2].check(&pair), "does not have this key");
    refused(run.keys[0].check(&pair), "has served another roster");
    assert!(run.keys[0].check(&run.roster).is_ok() && run.keys[1].check(&pair).is_ok());
    // After a restart the old key is not in the roster.
    let restarted = Run::new(3, 11);
    refused(run.keys[1].mask(&partial, &restarted.roster), "does not have this key");
}

/// Points of small order give everybody the same secret: 0, 1, and one of order 8 (RFC 7748,
/// section 6.1).
#[test]
fn keys_of_small_order_are_refused() {
    let (rows, run) = (rows(40), Run::new(2, 1));
    let order_8 = "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800";
    let one = format!("01{}", "00".repeat(31));
    for key in ["00".repeat(32), one, order_8.to_owned()] {
        let key = Bytes32::try_from(key).unwrap();
        let (own, other) = (run.keys[0].site().unwrap(), run.keys[1].site().unwrap());
        let roster = Roster::new([own, Site { key, ..other }]).unwrap();
        let before = fs::read(run.path("north")).unwrap();
        refused(run.keys[0].mask(&sums(&classes(), &rows, None), &roster), "hides nothing");
        assert_eq!(fs::read(run.path("north")).unwrap(), before);
    }
}

#[test]
fn only_a_complete_total_is_opened() {
    let (rows, run) = (rows(40), Run::new(3, 1));
    let part = |rows: &[String]| sums(&classes(), rows, None);
    let partials = [part(&rows[..5]), part(&rows[5..9]), part(&rows[9..])];
    let masked = run.masked(&partials);
    refused(masked[1].clone().open(), "missing: of north, south");
    let two = masked[1].clone().merge(&masked[0]).unwrap();
    assert_eq!(two.missing(), ["south"]);
    refused(two.clone().open(), "missing: of south");
    refused(two.merge(&masked[0]), "north is there twice");
    let elsewhere = Run::new(3, 11).masked(&partials);
    refused(masked[0].clone().merge(&elsewhere[1]), "of another run");
    let other = sums(&classes().score(ScoreKind::Ks), &rows, None);
    let other = run.keys[1].mask(&other, &run.roster).unwrap();
    refused(masked[0].clone().merge(&other), "were made with another score");
    let shown = format!("{:?}", masked[0]);
    assert!(shown.contains("north") && !shown.contains("rows"), "{shown}");
}

/// Changed numbers of one site, which only the total can reveal.
#[test]
fn masks_that_do_not_cancel_are_noticed() {
    let (rows, run) = (rows(40), Run::new(2, 1));
    let part = |rows: &[String]| sums(&classes(), rows, None);
    let masked = run.masked(&[part(&rows[..9]), part(&rows[9..])]);
    for place in 0..masked[0].masked.numbers().len() {
        let (mut changed, mut at) = (masked[1].clone(), 0..);
        changed.masked.replace_numbers(|sum| match at.next() == Some(place) {
            true => sum ^ 1 << 62,
            false => sum,
        });
        let error = masked[0].clone().merge(&changed).unwrap().open().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input, "{place}");
        assert!(error.to_string().contains("do not cancel"), "{error}");
    }
}

/// A reader of a kind of file.
type Reader<'a> = &'a dyn Fn(&str) -> crate::error::Result<()>;

/// Every changed byte, and every place where a file is cut off. A key that is cut off between two
/// entries equals an older copy of itself; this damage is not noticed.
#[test]
fn damage_is_noticed() {
    let (rows, run) = (rows(40), Run::new(2, 1));
    let masked = run.keys[0].mask(&sums(&classes(), &rows, None), &run.roster).unwrap();
    run.keys[0].mask(&sums(&base(), &rows[..3], None), &run.roster).unwrap();
    let key = fs::read_to_string(run.path("north")).unwrap();
    let elsewhere = run.path("elsewhere");
    let read_key = |text: &str| {
        fs::write(&elsewhere, text).unwrap();
        SiteKey::open(&elsewhere).map(drop)
    };
    let read_roster = |text: &str| Roster::from_text(text).map(drop);
    let read_site = |text: &str| Site::from_text(text).map(drop);
    let read_masked = |text: &str| MaskedPartial::from_text(text).map(drop);
    let readers: [(String, Reader<'_>, usize); 4] = [
        (key, &read_key, 2),
        (run.roster.to_text().unwrap(), &read_roster, 0),
        (run.keys[0].site().unwrap().to_text().unwrap(), &read_site, 0),
        (masked.to_text().unwrap(), &read_masked, 0),
    ];
    for (text, read, older) in &readers {
        assert!(read(text).is_ok());
        let whole = (0..text.len()).filter(|&place| read(&text[..place]).is_ok()).count();
        assert_eq!(whole, *older, "{text}");
        for place in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[place] ^= 1;
            if let Ok(other) = String::from_utf8(bytes) {
                assert_eq!(read(&other).unwrap_err().kind(), ErrorKind::Input, "{place}");
            }
        }
        assert!(read(&format!("{text}more\n")).is_err());
    }
}

/// Forms that no site gives out, though their text is intact.
#[test]
fn impossible_forms_are_refused() {
    let (rows, run) = (rows(40), Run::new(2, 1));
    let good = run.keys[0].mask(&sums(&classes(), &rows, None), &run.roster).unwrap();
    let wrong = |change: &dyn Fn(&mut MaskedPartial)| {
        let mut masked = good.clone();
        change(&mut masked);
        let error = MaskedPartial::from_text(&masked.to_text().unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
    };
    wrong(&|masked| masked.sites.clear());
    wrong(&|masked| masked.sites.extend(["nobody".into()]));
    wrong(&|masked| masked.masked.sums = Sums::Ranks(vec![(3, 1)]));
    wrong(&|masked| masked.masked.sums = Sums::Columns(Vec::new()));
    wrong(&|masked| match &mut masked.masked.sums {
        Sums::Features(raw) => drop(raw.features.pop()),
        _ => unreachable!("classes have one stage"),
    });
    // The order of a roster is part of its fingerprint.
    let text = run.roster.to_text().unwrap();
    let json = text.lines().nth(1).unwrap();
    let mut sites: Vec<serde_json::Value> = serde_json::from_str(json).unwrap();
    sites.reverse();
    assert!(serde_json::from_value::<Roster>(sites.into()).is_err());
}

/// Sums are recorded in the file before they are given out; nobody else can read it.
#[cfg(unix)]
#[test]
fn sums_are_recorded_before_they_are_returned() {
    use std::os::unix::fs::PermissionsExt;
    let (rows, run) = (rows(40), Run::new(2, 1));
    let path = run.path("north");
    let mode = |mode: u32| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::read_to_string(&path).unwrap().starts_with("dpsis secret key 1: SECRET"));
    mode(0o400);
    let error = run.keys[0].mask(&sums(&classes(), &rows, None), &run.roster).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    mode(0o600);
    assert_eq!(SiteKey::create(&path, "north", None).unwrap_err().kind(), ErrorKind::Io);
    let again = SiteKey::open(&path).unwrap();
    assert!(again.mask(&sums(&classes(), &rows, None), &run.roster).is_ok());
}

/// When threads mask different sums at once, only one of them gets masked sums.
#[test]
fn one_of_two_uses_at_once_is_refused() {
    let (rows, run) = (rows(40), Run::new(2, 1));
    let partials = [sums(&classes(), &rows, None), sums(&classes(), &rows[2..], None)];
    let given = std::thread::scope(|scope| {
        let mask = |partial| {
            let (key, roster) = (&run.keys[0], &run.roster);
            scope.spawn(move || key.mask(partial, roster).is_ok())
        };
        let threads: Vec<_> = partials.iter().map(mask).collect();
        threads.into_iter().map(|thread| u32::from(thread.join().unwrap())).sum::<u32>()
    });
    assert_eq!(given, 1);
}

/// Keys from the operating system's randomness are distinct.
#[test]
fn keys_are_distinct() {
    let folder = tempfile::tempdir().unwrap();
    let make = |file: &str| {
        let key = SiteKey::create(folder.path().join(file), "north", None).unwrap();
        key.site().unwrap()
    };
    let (one, other) = (make("one"), make("other"));
    assert!(one.key != other.key && one.nonce != other.nonce && one.key != one.nonce);
}

/// Sites with different facts cannot make a roster, and a key does not mask other sums than it was
/// made for.
#[test]
fn other_facts_are_found_before_anything_is_masked() {
    let folder = tempfile::tempdir().unwrap();
    let rows = rows(60);
    let facts = |select: &Select| select.site_facts(&of_target(&rows[..0], true)).unwrap();
    let three = base().target(Target::classes(["low", "middle", "high"]));
    let wider = classes().bounds(-1.0, 1.0);
    let selects = [classes(), classes(), wider.clone(), three, classes().score(ScoreKind::Ks)];
    let key = |(name, select): (&&str, &Select)| {
        SiteKey::create(folder.path().join(name), name, facts(select)).unwrap()
    };
    let keys: Vec<SiteKey> = NAMES.iter().zip(&selects).map(key).collect();
    let site = |place: usize| keys[place].site().unwrap();
    for (other, what) in [(2, "scaling of features"), (3, "coding of the target"), (4, "score")] {
        let error = Roster::new([site(0), site(other)]).unwrap_err().to_string();
        assert!(error.contains(&format!("another {what}")), "{error}");
        assert!(error.contains("north") && error.contains(NAMES[other]), "{error}");
    }
    let without = SiteKey::create(folder.path().join("no"), "no", None).unwrap();
    assert!(Roster::new([site(0), without.site().unwrap()]).is_err());
    let roster = Roster::new([site(0), site(1)]).unwrap();
    let roster = Roster::from_text(&roster.to_text().unwrap()).unwrap();
    assert_eq!(roster.sites()[0].facts(), Some(&facts(&classes())));
    let error = keys[0].mask(&sums(&wider, &rows, None), &roster).unwrap_err().to_string();
    assert!(error.contains("another scaling of features than this key"), "{error}");
    let masked =
        |place: usize, rows| keys[place].mask(&sums(&classes(), rows, None), &roster).unwrap();
    let total = masked(0, &rows[..20]).merge(&masked(1, &rows[20..])).unwrap().open().unwrap();
    assert_eq!(total.rows(), 60);
}
