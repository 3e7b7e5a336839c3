//! Sums under masks: only their total can be opened, once.

mod misuse;

use std::fs;
use std::path::PathBuf;

use super::hex::Bytes32;
use super::masks::{Use, public_key};
use super::*;
use crate::error::ErrorKind;
use crate::random::Entropy;
use crate::request::fields::{ScoreKind, Target};
use crate::request::{CheckedSelect, Select};
use crate::run::partial::tests::{merged, of_target, rows};
use crate::run::partial::{Partial, ReleasedTarget, Stage, Sums};
use crate::support::goodness::{assert_fits, fit};
use crate::table::Bounds;

/// The keys of some sites, and their roster.
struct Run {
    folder: tempfile::TempDir,
    keys: Vec<SiteKey>,
    roster: Roster,
}

const NAMES: [&str; 5] = ["north", "east", "south", "west", "Zürich"];

impl Run {
    /// Keys of `count` sites, drawn from consecutive seeds from this one on.
    fn new(count: usize, seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = |(name, seed): (&&str, u64)| {
            let path = folder.path().join(format!("{name}.key"));
            SiteKey::create_with(path, name, None, Entropy::Seeded(seed)).unwrap()
        };
        let keys: Vec<SiteKey> = NAMES[..count].iter().zip(seed..).map(key).collect();
        let roster = Roster::new(keys.iter().map(|key| key.site().unwrap())).unwrap();
        Self { folder, keys, roster }
    }

    /// The masked partials of all sites, through their texts.
    fn masked(&self, partials: &[Partial]) -> Vec<MaskedPartial> {
        let pairs = self.keys.iter().zip(partials);
        let masked = pairs.map(|(key, partial)| key.mask(partial, &self.roster).unwrap());
        masked.map(|one| MaskedPartial::from_text(&one.to_text().unwrap()).unwrap()).collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.key"))
    }
}

fn total(masked: &[MaskedPartial], order: impl IntoIterator<Item = usize>) -> MaskedPartial {
    let mut ordered = order.into_iter().map(|place| masked[place].clone());
    let first = ordered.next().unwrap();
    ordered.fold(first, |sum, one| sum.merge(&one).unwrap())
}

/// Rows for each site, as many as its place times seven.
fn shares(rows: &[String], sites: usize) -> Vec<&[String]> {
    let ends: Vec<usize> = (0..=sites).map(|site| site * site * 7).collect();
    ends.windows(2).map(|ends| &rows[ends[0]..ends[1]]).collect()
}

fn base() -> Select {
    let bounds = Bounds::new(-0.5, 0.5).unwrap();
    Select::new(2).epsilon("3").scaling(crate::table::Scaling::Bounds(bounds))
}

fn classes() -> Select {
    base().target(Target::classes(["low", "high"]))
}

fn sums(select: &Select, rows: &[String], at: Option<&ReleasedTarget>) -> Partial {
    let checked: CheckedSelect = select.clone().check().unwrap();
    let has_classes = format!("{checked:?}").contains("Classes");
    select.partial(&of_target(rows, has_classes), at).unwrap()
}

/// For all kinds of sums that add up, two to five sites and any order.
#[test]
fn opened_total_equals_the_sums() {
    let rows = rows(200);
    let three = || base().target(Target::classes(["low", "middle", "high"]));
    let range = || base().target(Target::Bounded(Bounds::new(-0.7, 0.7).unwrap()));
    let requests = [
        base(),
        range(),
        classes(),
        three(),
        range().score(ScoreKind::Ks),
        three().score(ScoreKind::Ks),
    ];
    let mut negative = false;
    for (number, request) in requests.iter().enumerate() {
        for sites in 2..=5 {
            let run = Run::new(sites, 10 * number as u64);
            let partials: Vec<Partial> =
                shares(&rows, sites).iter().map(|rows| sums(request, rows, None)).collect();
            negative |= partials.iter().any(|partial| match &partial.sums {
                Sums::Features(raw) => raw.features.iter().any(|sum| *sum < 0),
                _ => false,
            });
            let masked = run.masked(&partials);
            let expected = merged(&partials, &Vec::from_iter(0..sites));
            for order in [Vec::from_iter(0..sites), Vec::from_iter((0..sites).rev())] {
                let total = total(&masked, order);
                assert_eq!(total.missing(), Vec::<&str>::new());
                assert!(total.open().unwrap() == expected, "request {number}, {sites} sites");
            }
        }
    }
    assert!(negative, "no sum of these tests wraps");
}

/// The sums of targets alone, for engines that hold whole columns.
#[test]
fn sums_of_targets_add_up_and_scores_of_columns_do_not() {
    let rows = rows(40);
    let select = Select::new(1).epsilon("1").target(Target::classes(["low", "high"]));
    let part = |rows: &[String]| select.target_partial(&of_target(rows, true), None).unwrap();
    let partials = [part(&rows[..15]), part(&rows[15..])];
    assert_eq!(partials[0].stage(), Stage::Center);
    let run = Run::new(2, 70);
    let opened = total(&run.masked(&partials), [1, 0]).open().unwrap();
    assert!(opened == merged(&partials, &[0, 1]));
    let columns = Partial { sums: Sums::Columns(Vec::new()), ..partials[0].clone() };
    let error = run.keys[0].mask(&columns, &run.roster).unwrap_err();
    assert!(error.to_string().contains("do not add up"), "{error}");
}

/// A median is released from the opened counts, and the sums at it are masked by the same keys.
#[test]
fn keys_serve_both_stages() {
    let rows = rows(200);
    let (select, run) = (base(), Run::new(3, 80));
    let released = |at: Option<&ReleasedTarget>| {
        let parts = shares(&rows, 3);
        let partials: Vec<Partial> = parts.iter().map(|rows| sums(&select, rows, at)).collect();
        total(&run.masked(&partials), [2, 0, 1]).open().unwrap()
    };
    let counts = released(None);
    assert_eq!(counts.stage(), Stage::Median);
    let target = select.clone().seed(3).release_target(&counts).unwrap();
    let all = &rows[..shares(&rows, 3).iter().map(|share| share.len()).sum()];
    let expected = select.clone().seed(3).run(&of_target(all, false)).unwrap();
    assert_eq!(select.clone().seed(3).release(&released(Some(&target))).unwrap(), expected);
    // Sums at another median have their own masks.
    let other = select.clone().seed(4).release_target(&counts).unwrap();
    assert!(other != target);
    released(Some(&other));
}

/// X25519, HKDF and ChaCha20 of Python's `cryptography` 48.0, on OpenSSL, for the secrets 11..11
/// and 22..22, the roster 33..33 and the subject 44..44.
#[test]
fn masks_match_another_implementation() {
    let (one, other) = (Bytes32([0x11; 32]), Bytes32([0x22; 32]));
    let site =
        |secret| Site { name: "any".into(), key: public_key(secret), nonce: other, facts: None };
    let (first, second) = (site(one), site(other));
    let keys = [&first, &second].map(|site| site.key.to_string());
    assert_eq!(keys[0], "7b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f13");
    assert_eq!(keys[1], "0faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f20");
    let subject = Use { roster: Bytes32([0x33; 32]), subject: Bytes32([0x44; 32]) };
    for secret in [one, other] {
        let mut masks = subject.masks(secret, &first, &second).unwrap();
        let words: Vec<u64> = (0..21).map(|_| masks.next_word()).collect();
        assert_eq!(
            words[..3],
            [0xe779_4679_8f67_7c7f, 0xe09a_ff98_ce69_5e6a, 0x678f_9c3c_01c8_6306]
        );
        assert_eq!(words[20], 0x7929_e8dc_061a_dd11);
    }
}

/// The masks change with each of their inputs.
#[test]
fn every_use_has_masks_of_its_own() {
    let secrets = [1, 2, 3].map(|byte| Bytes32([byte; 32]));
    let site = |secret| Site {
        name: "any".into(),
        key: public_key(secret),
        nonce: secrets[0],
        facts: None,
    };
    let word = |roster: u8, subject: u8, first: usize, second: usize| {
        let (roster, subject) = (Bytes32([roster; 32]), Bytes32([subject; 32]));
        let (first, second) = (site(secrets[first]), site(secrets[second]));
        let masks = Use { roster, subject }.masks(secrets[0], &first, &second);
        masks.unwrap().next_word()
    };
    let words = [word(0, 0, 0, 1), word(1, 0, 0, 1), word(0, 1, 0, 1), word(0, 0, 1, 0)];
    let words = [&words[..], &[word(0, 0, 0, 2)]].concat();
    for (place, word) in words.iter().enumerate() {
        assert!(!words[..place].contains(word), "{place}");
    }
}

/// The counts of all bins, nearly all of them 0, in several runs with the same rows: they fit the
/// uniform distribution, by the high and by the low bits, for one site and for the sum of all but
/// one. The error probability is 8e-6.
#[test]
fn masked_numbers_are_uniform() {
    let rows = rows(40);
    let part = |rows: &[String]| sums(&base(), rows, None);
    let partials = [part(&rows[..1]), part(&rows[1..9]), part(&rows[9..])];
    let mut counts = [[[0u64; 64]; 2]; 4];
    let mut seen = std::collections::HashSet::new();
    for seed in 0..5 {
        let masked = Run::new(3, 1000 + 3 * seed).masked(&partials);
        let but_one = masked[0].clone().merge(&masked[2]).unwrap();
        for (counts, one) in counts.iter_mut().zip(masked.iter().chain([&but_one])) {
            let numbers = one.masked.numbers();
            assert!(seen.insert(numbers.clone()), "the same numbers in two runs");
            for number in numbers {
                counts[0][(number >> 58) as usize] += 1;
                counts[1][(number & 63) as usize] += 1;
            }
        }
    }
    // The test detects sums without masks, or under masks of few bits.
    for bits in [0, 60] {
        let mut plain = [0; 64];
        let numbers = partials[0].clone().dense().unwrap().numbers().into_iter();
        let few =
            numbers.zip(1u64..).map(|(sum, word)| sum.wrapping_add(word * 0x9e37 % (1 << bits)));
        few.for_each(|number| plain[(number >> 58) as usize] += 1);
        assert!(!fit(&plain, &[1.0 / 64.0; 64]).holds(), "{bits} bits");
    }
    for counts in counts.iter().flatten() {
        assert!(counts.iter().sum::<u64>() > 150_000);
        assert_fits(counts, &[1.0 / 64.0; 64]);
    }
}

/// The hash equals that of `hashlib` in Python for the documented text of the roster.
#[test]
fn roster_does_not_depend_on_who_joins_it() {
    let site = |name: &str, byte: u8| Site {
        name: name.into(),
        key: Bytes32([byte; 32]),
        nonce: Bytes32([byte + 1; 32]),
        facts: None,
    };
    let join = |sites: &[Site]| Roster::new(sites.iter().cloned());
    let (north, south) = (site("north", 1), site("south", 0xa0));
    let roster = join(&[south.clone(), north.clone()]).unwrap();
    assert_eq!(roster, join(&[north.clone(), south.clone()]).unwrap());
    assert_eq!(
        roster.fingerprint().unwrap(),
        "c4c6133907a2d49792c2d74ae3664505f18e12b33eee687c33da8d48ac1b7bc0"
    );
    let text = roster.to_text().unwrap();
    assert_eq!(Roster::from_text(&text).unwrap(), roster);
    assert_eq!(Site::from_text(&north.to_text().unwrap()).unwrap(), north);
    let other = join(&[north.clone(), Site { nonce: north.nonce, ..south.clone() }]).unwrap();
    assert_ne!(other.fingerprint().unwrap(), roster.fingerprint().unwrap());
    for wrong in [
        vec![north.clone()],
        vec![north.clone(), north.clone()],
        vec![north.clone(), Site { name: "north".into(), ..south.clone() }],
        vec![north.clone(), Site { key: north.key, ..south.clone() }],
        vec![north.clone(), Site { name: "a\nb".into(), ..south.clone() }],
        vec![north, Site { name: String::new(), ..south }],
    ] {
        assert_eq!(join(&wrong).unwrap_err().kind(), ErrorKind::Request, "{wrong:?}");
    }
}
