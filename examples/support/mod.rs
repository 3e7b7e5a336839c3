//! The demo table as a dataset.

use linfa::Dataset;
use ndarray::{Array1, Array2, Ix1};

/// Features by name, and the response.
pub(crate) fn demo() -> Result<Dataset<f64, f64, Ix1>, Box<dyn std::error::Error>> {
    let mut reader =
        csv::Reader::from_path(concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/demo.csv"))?;
    let mut names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    names.pop();
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let row = record?.iter().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        let (response, features) = row.split_last().ok_or("an empty row")?;
        x.extend_from_slice(features);
        y.push(*response);
    }
    let x = Array2::from_shape_vec((y.len(), names.len()), x)?;
    Ok(Dataset::new(x, Array1::from(y)).with_feature_names(names))
}
