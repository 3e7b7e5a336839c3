//! The Python package `dpsis`, as far as it is not Python: tables, requests and releases of the
//! library.
//!
//! The interface that users see - functions, checks of types, documentation - is written in Python
//! outside this crate. Here a table of Python becomes one of the library, and a job of the library
//! runs on it, on a thread of its own while Python can be interrupted.

mod bounds;
mod claims;
mod columns;
mod compare;
mod errors;
mod exports;
mod interruptible;
mod job;
mod ledger;
mod partial;
mod spark;
mod table;

use pyo3::prelude::*;

/// The functions that the package `dpsis` is built on; private to it.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::bounds::{bounds, weights};
    #[pymodule_export]
    use crate::claims::{account, audit, verify};
    #[pymodule_export]
    use crate::compare::compare;
    #[pymodule_export]
    use crate::errors::{are_excluded, near};
    #[pymodule_export]
    use crate::exports::write_acro;
    #[pymodule_export]
    use crate::job::{check_ledger, load_model, page, predict, run_job_on};
    #[pymodule_export]
    use crate::ledger::{close_ledger, ledger_page, note_ledger, open_ledger, read_ledger};
    #[pymodule_export]
    use crate::partial::{Partial, select_from_partials};
    #[pymodule_export]
    use crate::spark::{column_chunks, identifiers, score_chunks, select_in_parts};
    #[pymodule_export]
    use crate::table::{Table, formats};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
