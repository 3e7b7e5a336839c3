//! The orientation of a table by the names in its header, and names of columns of ids.
//!
//! Where samples are rows the header is public, so it may decide. A table of expression data often
//! has genes as rows; taken for one with samples as rows, it would protect the genes and print the
//! ids of people.

use crate::error::{Error, Parameter, Result};
use crate::table::file::FileTable;

/// Names of a first column that holds features, without separators and in lower case. Ambiguous
/// names are left out: "Probe" is German for a sample, and symbols and transcripts also belong to
/// shares and students.
const NAMES_OF_FEATURES: [&str; 21] = [
    "gene",
    "genes",
    "geneid",
    "genename",
    "genesymbol",
    "hugosymbol",
    "hgncsymbol",
    "entrezgeneid",
    "probeid",
    "probeset",
    "probesetid",
    "idref",
    "ensembl",
    "ensemblid",
    "ensemblgeneid",
    "transcriptid",
    "cpg",
    "cpgid",
    "cpgsite",
    "featureid",
    "proteinid",
];

/// Starts of accession numbers of samples in public archives, before their digits.
const ACCESSIONS: [&str; 10] =
    ["GSM", "SRR", "ERR", "DRR", "SRS", "ERS", "DRS", "SAMN", "SAMEA", "SAMD"];

/// Words before the number of a sample.
const STEMS: [&str; 6] = ["sample", "patient", "subject", "donor", "individual", "participant"];

/// The reason to take the names of a header for samples, if there is one.
pub(crate) fn looks_turned(header: &[String]) -> Option<&'static str> {
    let first = header.first()?;
    let letters: String = first.chars().filter(|c| c.is_alphanumeric()).collect();
    if NAMES_OF_FEATURES.contains(&letters.to_lowercase().as_str()) {
        return Some("the first column's name is typical of a list of features");
    }
    let samples = header.iter().filter(|name| is_sample(name)).count();
    (2 * samples > header.len())
        .then_some("most names in the header look like identifiers of samples")
}

fn is_sample(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    if ["tcga-", "tcga.", "tcga_"].iter().any(|start| name.starts_with(start)) {
        return true;
    }
    let numbered = |start: &str, least: usize| {
        let Some(rest) = name.strip_prefix(start) else { return false };
        let rest = rest.trim_start_matches(['_', '-', '.', ' ', '#']);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits >= least && !rest[digits..].starts_with(|c: char| c.is_alphanumeric())
    };
    ACCESSIONS.iter().any(|start| numbered(&start.to_ascii_lowercase(), 3))
        || STEMS.iter().any(|stem| numbered(stem, 1))
}

/// Whether a name is one of ids.
pub(crate) fn is_id_name(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    let words = ["id", "ids", "mrn", "ssn", "uuid", "identifier"];
    STEMS.contains(&name.as_str())
        || words.iter().any(|word| {
            name == *word
                || ["_", "-", ".", " "].iter().any(|by| name.ends_with(&format!("{by}{word}")))
        })
}

impl FileTable {
    /// Refuses names of columns that look like samples, unless the orientation was given.
    pub(super) fn check_not_turned(&self, header: &[String]) -> Result<()> {
        let Some(reason) = looks_turned(header).filter(|_| self.facts.orientation.is_none()) else {
            return Ok(());
        };
        Err(Error::request(format!("{reason}: give the orientation of the table"))
            .hint(
                "features as rows, if each row is a feature (Arrow and Parquet: write the table the other way \
                 round); samples as rows, if each row is a person",
            )
            .about([Parameter::Orientation]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(names: &[&str]) -> bool {
        looks_turned(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).is_some()
    }

    #[test]
    fn headers_of_samples() {
        for first in ["gene", "Gene ID", "gene_name", "Hugo_Symbol", "probe_id", "ID_REF", "cpg"] {
            assert!(looks(&[first, "a", "b"]), "{first}");
        }
        for names in [
            &["", "GSM900000", "GSM900001"][..],
            &["x", "TCGA-A1-A0SB-01", "TCGA.A1.A0SD.01"],
            &["", "SRR1039508", "ERR1039509", "SAMEA104"],
            &["name", "sample_1", "Sample-2", "sample 3"],
            &["", "patient1", "patient2_rep1", "Subject.3", "donor#4"],
            &["", "GSM900000_rep1.CEL", "GSM900001_rep2.CEL"],
        ] {
            assert!(looks(names), "{names:?}");
        }
    }

    #[test]
    fn names_of_ids() {
        for name in ["id", "ID", "patient_id", "Subject ID", "record.id", "MRN", "Patient"] {
            assert!(is_id_name(name), "{name}");
        }
        for name in
            ["idea", "covid", "acid", "uric_acid", "lipid", "gene_001", "identity", "patients", ""]
        {
            assert!(!is_id_name(name), "{name}");
        }
    }

    #[test]
    fn headers_of_features() {
        for names in [
            &["gene_001", "gene_002", "status"][..],
            &["X1", "X2", "y"],
            &["V1", "V2", "y"],
            &["feature-1", "feature-2"],
            &["patient_id", "sample", "age", "status"],
            &["sample_id", "sample_weight", "sample_date", "y"],
            &["1007_s_at", "1053_at", "y"],
            &["gsm_calls", "gsm_minutes", "churn"],
            &["patient_1_note", "age", "bmi", "y"],
            &["Probe", "Alter", "Befund"],
            &["Symbol", "volume", "y"],
            &["subjective1", "participants2"],
            &[],
        ] {
            assert!(!looks(names), "{names:?}");
        }
    }
}
