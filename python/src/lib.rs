//! The Python package `dpsis`, as far as it is not Python: tables, requests and releases of the
//! library.
//!
//! The interface that users see - functions, checks of types, documentation - is written in Python
//! beside this crate. Here a table of Python becomes one of the library, a request is built, and
//! the library runs it on a thread of its own while Python can be interrupted.

mod bounds;
mod choose;
mod claims;
mod columns;
mod compare;
mod errors;
mod exports;
mod fit;
mod inspect;
mod interruptible;
mod ledger;
mod partial;
mod plan;
mod released;
mod select;
mod spark;
mod table;

use pyo3::prelude::*;

/// The functions that the package `dpsis` is built on; private to it.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::bounds::bounds;
    #[pymodule_export]
    use crate::choose::choose;
    #[pymodule_export]
    use crate::claims::{account, audit, verify};
    #[pymodule_export]
    use crate::compare::compare;
    #[pymodule_export]
    use crate::errors::{are_excluded, near};
    #[pymodule_export]
    use crate::exports::{registry_entry, write_acro};
    #[pymodule_export]
    use crate::fit::{fit, fit_dry_run, load_model, predict};
    #[pymodule_export]
    use crate::inspect::inspect;
    #[pymodule_export]
    use crate::ledger::{check_ledger, close_ledger, note_ledger, open_ledger, read_ledger};
    #[pymodule_export]
    use crate::partial::{Partial, select_from_partials};
    #[pymodule_export]
    use crate::plan::plan;
    #[pymodule_export]
    use crate::select::{select, select_dry_run};
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
