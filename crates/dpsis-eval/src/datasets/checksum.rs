//! Checks of files and tables against the checksums of the manifest.

use dpsis::{Error, Result};
use sha2::{Digest, Sha256};

use crate::datasets::manifest::DataSet;
use crate::datasets::table::PublicTable;

/// Computes the SHA-256 of a table, in hexadecimal, independent of its file format.
///
/// The hash covers, in this order: each feature's name and a line feed; a line feed; the values row
/// by row as 8 bytes each, little-endian (every missing value as the same NaN); each row's label
/// and a line feed.
pub fn table_sha256(table: &PublicTable) -> String {
    let mut hash = Sha256::new();
    let line = |hash: &mut Sha256, text: &str| {
        hash.update(text);
        hash.update(b"\n");
    };
    table.features.iter().for_each(|name| line(&mut hash, name));
    line(&mut hash, "");
    let mut bytes = Vec::with_capacity(8 * table.x.ncols());
    for sample in table.x.rows() {
        bytes.clear();
        let values = sample.iter().map(|&value| if value.is_nan() { f64::NAN } else { value });
        bytes.extend(values.flat_map(f64::to_le_bytes));
        hash.update(&bytes);
    }
    table.labels.iter().for_each(|label| line(&mut hash, label));
    hexadecimal(hash)
}

/// Whether the bytes of a file have a checksum that the manifest lists for the set.
pub(super) fn file_is_known(set: &DataSet, bytes: &[u8]) -> bool {
    let known = [&set.rdata_sha256, &set.csv_gz_sha256];
    let mut known = known.into_iter().flatten().peekable();
    if known.peek().is_none() {
        return false;
    }
    let hash = hexadecimal(Sha256::new_with_prefix(bytes));
    known.any(|known| *known == hash)
}

/// Checks a table against the manifest. `file_known` skips the checksum of the table.
///
/// # Errors
///
/// `Input` if the shape or the checksum differs.
pub(super) fn check(set: &DataSet, table: &PublicTable, file_known: bool) -> Result<()> {
    let (n, d) = table.x.dim();
    if (n, d) != (set.n, set.d) {
        return Err(Error::input(format!(
            "{} has {n} samples and {d} features; the manifest says {} and {}",
            set.name, set.n, set.d
        )));
    }
    let same = |known: &String| file_known || table_sha256(table) == *known;
    if !set.table_sha256.as_ref().is_none_or(same) {
        let rule = format!("the checksum of {} is not the one in the manifest", set.name);
        return Err(Error::input(rule).hint("the data are not those that were published"));
    }
    Ok(())
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn the_checksum_of_a_table() {
        let table = PublicTable {
            features: vec!["a".into(), "b".into()],
            x: array![[1.0, -0.5], [f64::NAN, 3.25]],
            labels: vec!["u".into(), "v".into()],
        };
        // sha256(b"a\nb\n\n" + struct.pack("<4d", 1, -.5, nan, 3.25) + b"u\nv\n") by Python's
        // hashlib.
        let expected = "c60ac1f41b481af32ae0cfd56d489ba5f2f3f3e6be81d91bcc63e7bbb00e5ffb";
        assert_eq!(table_sha256(&table), expected);
        let by_columns = PublicTable { x: table.x.t().to_owned().reversed_axes(), ..table.clone() };
        assert_eq!(table_sha256(&by_columns), expected);
        let mut other = table;
        other.x[[0, 0]] = 1.0 + f64::EPSILON;
        assert_ne!(table_sha256(&other), expected);
    }
}
