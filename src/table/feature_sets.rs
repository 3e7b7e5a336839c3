//! Sets of features, such as the genes of a pathway, from a GMT file.
//!
//! # Format
//!
//! A GMT file has one set per line and no header: its name, a description and its members,
//! separated by tabs. Blanks around a cell are ignored, as are blank lines, empty members and a
//! member's repetitions. It may be compressed by gzip.
//!
//! Source: A. Subramanian et al., "Gene set enrichment analysis", PNAS 102 (2005); the format is
//! that of its program.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Parameter, Result};
use crate::table::formats::decompress::open_text;

/// The maximum size of a file of sets, decompressed, in bytes.
const MAX_BYTES: u64 = 1 << 28;

/// The default minimum number of members of a set in the table: smaller sets are nearly single
/// features.
const MIN_MEMBERS: usize = 5;

/// Public sets of features, which may overlap: a request that [has them](crate::Select::groups)
/// selects sets instead of features.
///
/// A set is used if at least 5 of its members are features of the table, see
/// [`sizes`](Self::sizes).
///
/// ```
/// use dpsis::{FeatureSets, FileTable, Select};
///
/// let table = FileTable::from_reader(&b"a1,a2,b1,b2,y\n1,2,7,8,0\n2,1,9,7,1\n8,9,1,2,2\n"[..]);
/// let sets = FeatureSets::new([("a", vec!["a1", "a2"]), ("b", vec!["b1", "b2", "b3"])])?;
/// let selection = Select::new(1).epsilon("1").groups(sets.sizes(2, None)).run(&table)?;
/// assert!(["a", "b"].contains(&selection.selected[0].name.as_str()));
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureSets {
    sets: Vec<FeatureSet>,
    least: usize,
    most: Option<usize>,
}

/// A set of features as it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FeatureSet {
    pub(crate) name: String,
    /// Its line in the file, or its place in the list, from 1.
    pub(crate) line: usize,
    /// Its members, each once.
    pub(crate) members: Vec<String>,
}

impl FeatureSets {
    /// Sets by their names, with the names of their members. They are numbered from 1.
    ///
    /// # Errors
    ///
    /// `Input` if there is no set, or if a name is empty, occurs twice or holds a control character,
    /// with the set's number as its row.
    pub fn new<N: Into<String>, M: Into<String>>(
        sets: impl IntoIterator<Item = (N, impl IntoIterator<Item = M>)>,
    ) -> Result<Self> {
        let set = |(line, (name, members)): (_, (N, _))| FeatureSet {
            name: name.into().trim().to_owned(),
            line,
            members: distinct(Vec::from_iter(members).into_iter().map(Into::into)),
        };
        Self::checked((1..).zip(sets).map(set).collect())
    }

    /// Reads a GMT file, plain or compressed by gzip.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be read; `Input` if it is malformed, with the line as its row: if a line
    /// has no description, or as for [`new`](Self::new).
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let about =
            |error: Error| error.in_file(path.display().to_string()).about([Parameter::Groups]);
        let mut bytes = Vec::new();
        let read = open_text(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes);
        if read.is_err() {
            return Err(about(Error::input("the file cannot be read to its end")));
        }
        Self::of_bytes(&bytes).map_err(about)
    }

    /// The sets of a GMT file's text.
    fn of_bytes(bytes: &[u8]) -> Result<Self> {
        if bytes.len() as u64 > MAX_BYTES {
            return Err(Error::input("a file of sets has at most 256 MiB"));
        }
        let mut sets = Vec::new();
        for (line, text) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            let at = |rule: &str| Error::input(rule).at(Some(line as u64), None);
            let text = str::from_utf8(text).map_err(|_| at("the line is not text in UTF-8"))?;
            if text.trim().is_empty() {
                continue;
            }
            let mut cells = text.split('\t').map(str::trim);
            let (Some(name), Some(_)) = (cells.next(), cells.next()) else {
                let rule = "a set is a name, a description and its members, separated by tabs";
                return Err(at(rule));
            };
            let members = distinct(cells.map(str::to_owned));
            sets.push(FeatureSet { name: name.to_owned(), line, members });
        }
        Self::checked(sets)
    }

    fn checked(sets: Vec<FeatureSet>) -> Result<Self> {
        let mut names = HashSet::with_capacity(sets.len());
        for set in &sets {
            let at = |rule: &str| Err(Error::input(rule).at(Some(set.line as u64), None));
            match set.name.as_str() {
                "" => return at("the set has no name"),
                name if name.contains(char::is_control) => {
                    return at("the name of the set holds a control character");
                }
                name if !names.insert(name) => return at("the name of the set occurs twice"),
                _ => {}
            }
        }
        if sets.is_empty() {
            return Err(Error::input("there is no set").about([Parameter::Groups]));
        }
        Ok(Self { sets, least: MIN_MEMBERS, most: None })
    }

    /// Uses the sets with at least `least` members, 1 or more, and at most `most` are features
    /// of the table (default: at least 5). Programs for gene set enrichment often use 15 and 500.
    pub fn sizes(self, least: usize, most: Option<usize>) -> Self {
        Self { least, most, ..self }
    }

    /// The numbers of members with which sets are used.
    ///
    /// # Errors
    ///
    /// `Request` unless the smaller number is at least 1 and no larger than the other one.
    pub(crate) fn checked_sizes(&self) -> Result<(usize, Option<usize>)> {
        if self.least == 0 || self.most.is_some_and(|most| most < self.least) {
            let rule =
                "the smallest size of a set must be at least 1, and the largest at least as large";
            return Err(Error::request(rule).about([Parameter::GroupSize]));
        }
        Ok((self.least, self.most))
    }

    /// The sets in their order.
    pub(crate) fn sets(&self) -> &[FeatureSet] {
        &self.sets
    }
}

/// Names, trimmed, each once and in order; empty ones are left out.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let trimmed = names.map(|name| match name.trim() {
        same if same.len() == name.len() => name,
        trimmed => trimmed.to_owned(),
    });
    trimmed.filter(|name| !name.is_empty() && seen.insert(name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;

    fn sets(text: &str) -> Vec<(String, usize, String)> {
        let sets = FeatureSets::of_bytes(text.as_bytes()).unwrap();
        let set = |set: &FeatureSet| (set.name.clone(), set.line, set.members.join("|"));
        sets.sets().iter().map(set).collect()
    }

    fn set(name: &str, line: usize, members: &str) -> (String, usize, String) {
        (name.to_owned(), line, members.to_owned())
    }

    #[test]
    fn one_set_per_line() {
        assert_eq!(
            sets("A\thttp://a\tg1\tg2\r\n\n \nB b\t\t g3 \tg1\t\tg3\t\nC\tempty"),
            [set("A", 1, "g1|g2"), set("B b", 4, "g3|g1"), set("C", 5, "")]
        );
        let listed = FeatureSets::new([(" A", vec!["g1", "g2", "g1 "]), ("B", vec![])]).unwrap();
        assert_eq!(listed, FeatureSets::of_bytes(b"A\t\tg1\tg2\nB\t").unwrap());
    }

    #[test]
    fn errors_name_the_line() {
        for (text, line, words) in [
            (&b"A\tx\tg1\nB\n"[..], Some(2), "separated by tabs"),
            (b"A,x,g1\n", Some(1), "separated by tabs"),
            (b"A\tx\tg1\n\n\tx\tg2\n", Some(3), "has no name"),
            (b"A\tx\tg1\nB\tx\n A \tx\tg2\n", Some(3), "occurs twice"),
            (b"A\x1b[2J\tx\tg1\n", Some(1), "control character"),
            (b"A\tx\tg\xff1\n", Some(1), "UTF-8"),
            (b"\x1f\x8b\x08\x00", Some(1), "UTF-8"),
            (b"", None, "there is no set"),
            (b"\n\r\n", None, "there is no set"),
        ] {
            let refused = FeatureSets::of_bytes(text).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Input);
            assert_eq!(refused.place().and_then(|place| place.row), line, "{refused}");
            assert!(refused.to_string().contains(words), "{refused}");
        }
        let listed = FeatureSets::new([("A", ["g1"]), ("A", ["g2"])]).unwrap_err();
        assert_eq!(listed.place().unwrap().row, Some(2));
    }

    #[test]
    fn files_may_be_compressed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let text = b"A\tx\tg1\tg2\nB\tx\tg3\n";
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        let compressed = encoder.finish().unwrap();
        let plain = FeatureSets::read(write("sets.gmt", text)).unwrap();
        assert_eq!(FeatureSets::read(write("sets.gmt.gz", &compressed)).unwrap(), plain);
        let marked = [b"\xef\xbb\xbf", &text[..]].concat();
        assert_eq!(FeatureSets::read(write("marked.gmt", &marked)).unwrap(), plain);

        let cut = FeatureSets::read(write("cut.gmt.gz", &compressed[..compressed.len() - 9]));
        assert_eq!(cut.unwrap_err().kind(), ErrorKind::Input);
        let wrong = FeatureSets::read(write("wrong.gmt", b"A\tx\nA\tx\n")).unwrap_err();
        assert!(wrong.to_string().contains("wrong.gmt: row 2: the name"), "{wrong}");
        assert_eq!(wrong.parameters(), [Parameter::Groups]);
        let none = FeatureSets::read(folder.path().join("none.gmt")).unwrap_err();
        assert_eq!(none.kind(), ErrorKind::Io);
    }

    #[test]
    fn sizes_are_checked() {
        let sizes = |least, most| {
            let sets = FeatureSets::new([("A", ["g1"])]).unwrap();
            sets.sizes(least, most).checked_sizes().ok()
        };
        assert_eq!(sizes(1, None), Some((1, None)));
        assert_eq!(sizes(15, Some(15)), Some((15, Some(15))));
        assert_eq!([sizes(0, None), sizes(3, Some(2))], [None, None]);
    }

    proptest! {
        /// Any bytes are sets, or an error of the input: names are distinct and can be printed,
        /// members are distinct.
        #[test]
        fn any_bytes_are_sets_or_refused(bytes in prop_oneof![
            prop::collection::vec(prop::sample::select(b"ab\t\t\t\n\n\r \0\xc3\xa9".to_vec()), 0..80),
            prop::collection::vec(any::<u8>(), 0..80),
        ]) {
            match FeatureSets::of_bytes(&bytes) {
                Err(error) => prop_assert_eq!(error.kind(), ErrorKind::Input),
                Ok(sets) => {
                    let names: HashSet<&str> = sets.sets().iter().map(|set| &*set.name).collect();
                    prop_assert_eq!(names.len(), sets.sets().len());
                    prop_assert!(names.iter().all(|name| !name.contains(['\n', '\r', '\0', '\t'])));
                    for FeatureSet { members, .. } in sets.sets() {
                        let once: HashSet<&String> = members.iter().collect();
                        prop_assert!(once.len() == members.len() && !members.contains(&String::new()));
                    }
                }
            }
        }
    }
}
