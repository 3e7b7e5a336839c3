//! The manifest of public sets: a table compiled into the program.

use std::sync::OnceLock;

use dpsis::{Error, Parameter, Result};
use serde::Serialize;

/// The manifest as CSV; `datasets/README.md` describes its columns.
pub const MANIFEST: &str = include_str!("manifest.csv");

/// A public set of the DP-SIS paper, with the facts known about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DataSet {
    /// The name: the first author, in lower case.
    pub name: String,
    /// The number of samples, n.
    pub n: usize,
    /// The number of features, d.
    pub d: usize,
    /// The labels of the target, in the order of the source's factor; empty if not known.
    pub classes: Vec<String>,
    /// The publication of the data.
    pub source: String,
    /// The web page of the source.
    pub url: String,
    /// The facts in the DP-SIS paper.
    pub paper: PaperFacts,
    /// The citation of the study that measured it.
    pub citation: String,
    /// SHA-256 of `NAME.RData` as published, in hexadecimal.
    pub rdata_sha256: Option<String>,
    /// SHA-256 of a `NAME.csv.gz` that holds the same table.
    pub csv_gz_sha256: Option<String>,
    /// SHA-256 of the table itself, in any form of file, as `table_sha256` computes it.
    pub table_sha256: Option<String>,
}

/// The facts about a set in Table 1 of the DP-SIS paper.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PaperFacts {
    /// The number of samples, n.
    pub n: usize,
    /// The number of features (p in the table); for two sets it differs by one from the published
    /// data.
    pub d: usize,
    /// R squared of a LASSO regression without privacy, lambda = 0.1.
    pub r2: f64,
}

/// Returns the known sets, sorted by name.
pub fn manifest() -> &'static [DataSet] {
    static SETS: OnceLock<Vec<DataSet>> = OnceLock::new();
    // A test checks that the manifest parses.
    SETS.get_or_init(|| parse(MANIFEST).unwrap_or_default())
}

/// Finds a set by its name, ignoring case.
///
/// # Errors
///
/// `Request` if the name is unknown, with similar names as a hint.
pub fn find(name: &str) -> Result<&'static DataSet> {
    let wanted = name.trim().to_lowercase();
    manifest().iter().find(|set| set.name == wanted).ok_or_else(|| {
        let names: Vec<String> = manifest().iter().map(|set| set.name.clone()).collect();
        let error = Error::request(format!("there is no data set {name:?} in the manifest"));
        error.hint("the manifest lists them").about([Parameter::DataSets]).or_near(&names, name)
    })
}

fn parse(text: &str) -> Option<Vec<DataSet>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().ok()?.clone();
    reader.records().map(|record| data_set(&header, &record.ok()?)).collect()
}

fn data_set(header: &csv::StringRecord, record: &csv::StringRecord) -> Option<DataSet> {
    let cell = |name: &str| record.get(header.iter().position(|other| other == name)?);
    let known =
        |name: &str| cell(name).map(|text| Some(text.to_owned()).filter(|text| !text.is_empty()));
    let classes = cell("classes")?.split(';').filter(|label| !label.is_empty());
    Some(DataSet {
        name: cell("name")?.to_owned(),
        n: cell("n")?.parse().ok()?,
        d: cell("d")?.parse().ok()?,
        classes: classes.map(str::to_owned).collect(),
        source: cell("source")?.to_owned(),
        url: cell("url")?.to_owned(),
        paper: PaperFacts {
            n: cell("paper_n")?.parse().ok()?,
            d: cell("paper_d")?.parse().ok()?,
            r2: cell("paper_r2")?.parse().ok()?,
        },
        citation: cell("citation")?.to_owned(),
        rdata_sha256: known("rdata_sha256")?,
        csv_gz_sha256: known("csv_gz_sha256")?,
        table_sha256: known("table_sha256")?,
    })
}

#[cfg(test)]
mod tests {
    use dpsis::ErrorKind;

    use super::*;

    /// Table 1 of the DP-SIS paper: name, n, p, R squared.
    const TABLE_1: [(&str, usize, usize, f64); 19] = [
        ("alon", 62, 2000, 0.4822),
        ("borovecki", 31, 22283, 0.9011),
        ("burczynski", 127, 22283, 0.2175),
        ("chiaretti", 128, 12625, 0.2705),
        ("chin", 118, 22215, 0.5879),
        ("chowdary", 104, 22283, 0.8338),
        ("christensen", 217, 1413, 0.7870),
        ("golub", 72, 7129, 0.6819),
        ("gordon", 181, 12533, 0.2432),
        ("gravier", 168, 2905, 0.0689),
        ("khan", 63, 2308, 0.6961),
        ("shipp", 77, 7129, 0.4204),
        ("singh", 102, 12600, 0.6449),
        ("sorlie", 85, 457, 0.9300),
        ("su", 102, 5564, 0.9602),
        ("subramanian", 50, 10100, 0.5340),
        ("tian", 173, 12625, 0.0080),
        ("west", 49, 7129, 0.7044),
        ("yeoh", 248, 12625, 0.4611),
    ];

    #[test]
    fn the_manifest_holds_the_papers_table() {
        let given = |set: &DataSet| (set.paper.n, set.paper.d, set.paper.r2);
        let given: Vec<_> = manifest().iter().map(|set| (set.name.as_str(), given(set))).collect();
        let expected = TABLE_1.map(|(name, n, d, r2)| (name, (n, d, r2)));
        assert_eq!(given, expected);
        for set in manifest() {
            // The data differ from the paper in two places only.
            let (n, d) = match set.name.as_str() {
                "sorlie" => (85, 456),
                "su" => (102, 5565),
                _ => (set.paper.n, set.paper.d),
            };
            assert_eq!((set.n, set.d), (n, d), "{}", set.name);
        }
    }

    #[test]
    fn hashes_and_classes_are_well_formed() {
        let unknown = ["burczynski", "chin", "tian", "yeoh"];
        for set in manifest() {
            let known = !unknown.contains(&set.name.as_str());
            assert_eq!(set.classes.len() >= 2, known, "{}", set.name);
            assert_eq!(set.table_sha256.is_some(), known, "{}", set.name);
            assert_eq!(set.csv_gz_sha256.is_some(), known, "{}", set.name);
            let published = known && set.name != "chiaretti";
            assert_eq!(set.rdata_sha256.is_some(), published, "{}", set.name);
            for hash in [&set.rdata_sha256, &set.csv_gz_sha256, &set.table_sha256] {
                let digits = hash.iter().all(|hash| {
                    hash.len() == 64 && hash.bytes().all(|b| b"0123456789abcdef".contains(&b))
                });
                assert!(digits, "{}", set.name);
            }
            assert!(set.citation.to_lowercase().starts_with(&set.name), "{}", set.name);
            assert!(set.url.starts_with("https://") && !set.source.is_empty(), "{}", set.name);
        }
    }

    #[test]
    fn names_and_near_misses() {
        assert_eq!(find(" Golub").unwrap().d, 7129);
        let error = find("subramanien").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Request);
        assert!(error.to_string().contains("did you mean \"subramanian\"?"), "{error}");
        assert!(find("").unwrap_err().parameters() == [Parameter::DataSets]);
    }
}
