//! A public table in memory.

use dpsis::internals::WholeTable;
use dpsis::{Error, Result, Source};
use ndarray::Array2;

/// A public table: one row per sample, numeric and categorical features, one label per sample.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicTable {
    /// The names of the features.
    pub features: Vec<String>,
    /// The values, n samples by d features; NaN where missing, with a payload for a category.
    pub x: Array2<f64>,
    /// The target of each sample, as text, without blanks around it.
    pub labels: Vec<String>,
}

impl PublicTable {
    /// Reads a table into memory, 8 bytes per value, keeping the order of the rows.
    ///
    /// # Errors
    ///
    /// `Request` if the request does not fit the header of the table; `Input` if the table is
    /// malformed or has no rows; `Io` if it cannot be read.
    pub fn read(source: &(impl Source + ?Sized)) -> Result<Self> {
        let WholeTable { features, values, targets: labels } = WholeTable::read(source)?;
        let x = Array2::from_shape_vec((labels.len(), features.len()), values);
        let x = x.map_err(|_| Error::input("the table's rows differ in length"))?;
        Ok(Self { features, x, labels })
    }
}

#[cfg(test)]
mod tests {
    use dpsis::{FileTable, TargetColumn};

    use super::*;

    /// Rows read in several blocks keep their order.
    #[test]
    fn rows_keep_the_order_of_the_file() {
        let n = 100_000;
        let rows = (0..n).map(|i| format!("{i},{},label {i} of a long name,-{i}.5\n", i * 7 % n));
        let text = format!("a,b,y,c\n{}", rows.collect::<String>());
        assert!(text.len() > 4 << 20);
        let source = FileTable::from_reader(std::io::Cursor::new(text));
        let table = PublicTable::read(&source.target_column(TargetColumn::Named("y".into())));
        let table = table.unwrap();
        assert_eq!(table.features, ["a", "b", "c"]);
        assert_eq!(table.x.dim(), (n, 3));
        for (i, (row, label)) in table.x.rows().into_iter().zip(&table.labels).enumerate() {
            let i_th = i as f64;
            assert_eq!(row.to_vec(), [i_th, (i * 7 % n) as f64, -i_th - 0.5]);
            assert_eq!(*label, format!("label {i} of a long name"));
        }
    }
}
