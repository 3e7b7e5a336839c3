//! The checks of the fuzz targets, as functions of any bytes. The binaries in `fuzz_targets` hand
//! them to libFuzzer; the test `fuzz_corpus` of the command line runs them on the committed corpus
//! with the stable compiler.
#![allow(clippy::unwrap_used)] // a target fails by panicking

mod files;
mod numbers;
// The schema's reader belongs to the command line.
mod partials;
#[allow(dead_code, reason = "the commands use all of it")]
#[path = "../../crates/dpsis-cli/src/schema_file.rs"]
mod schema_file;
mod side_files;
mod tables;

#[cfg(feature = "arrow")]
pub use files::{arrow, parquet};
pub use files::{cls, gct, npy, npz, r, select};
pub use numbers::number;
pub use partials::partial;
pub use side_files::{bounds, candidates, ledger, schema, targets};
pub use tables::{compressed, text};

/// A target: its check of any bytes.
pub type Check = fn(&[u8]);

/// All targets of this build, by their names.
pub const TARGETS: &[(&str, Check)] = &[
    ("text", text),
    ("select", select),
    ("compressed", compressed),
    ("npy", npy),
    ("npz", npz),
    ("gct", gct),
    ("cls", cls),
    ("r", r),
    ("number", number),
    ("targets", targets),
    ("bounds", bounds),
    ("schema", schema),
    ("ledger", ledger),
    ("partial", partial),
    ("candidates", candidates),
    #[cfg(feature = "arrow")]
    ("arrow", arrow),
    #[cfg(feature = "arrow")]
    ("parquet", parquet),
];
