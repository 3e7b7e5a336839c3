//! The R package `dpsis`, as far as it is not R: tables, requests and releases of the library.
//!
//! The interface that users see - functions, checks of types, documentation - is written in R
//! outside this crate. Here a table of R becomes one of the library, and a job of the library runs
//! on it, on a thread of its own while R can be interrupted.
//!
//! Every function returns a list: its results, or an `error` that is raised in R. R is called from
//! its own thread alone, and the R side has checked the arguments.

mod columns;
mod errors;
mod job;
mod ledger;
mod table;

use extendr_api::prelude::*;

extendr_module! {
    mod dpsis;
    use job;
    use ledger;
}
