//! `dpsis` in a browser: the library's calls for one HTML page.
//!
//! Every function takes one question as JSON and gives its answer as JSON, or an error as JSON. The
//! library runs in a worker of the page, which reads the table piece by piece and keeps the ledger.
//! Elsewhere than in a browser the crate is empty.

#[cfg(target_family = "wasm")]
mod answers;
#[cfg(target_family = "wasm")]
pub mod calls;
#[cfg(target_family = "wasm")]
mod question;
#[cfg(target_family = "wasm")]
mod worker;
