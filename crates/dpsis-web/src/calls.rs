//! The functions that the worker of the page calls.

use wasm_bindgen::prelude::*;

use crate::answers;
use crate::question::Question;

/// The defaults of the library that the page shows.
#[wasm_bindgen]
pub fn defaults() -> String {
    answers::defaults().to_string()
}

/// Looks at a table, for its holder: not private.
///
/// # Errors
///
/// The errors of the library.
#[wasm_bindgen]
pub fn inspect(question: &str) -> Result<String, String> {
    answer(question, answers::inspect)
}

/// Forecasts the findings of a selection, from counts of an inspection: not private.
///
/// # Errors
///
/// The errors of the library.
#[wasm_bindgen]
pub fn forecast(question: &str) -> Result<String, String> {
    answer(question, answers::forecast)
}

/// Selects features.
///
/// # Errors
///
/// The errors of the library.
#[wasm_bindgen]
pub fn select(question: &str) -> Result<String, String> {
    answer(question, answers::select)
}

/// Makes the text of a new ledger.
///
/// # Errors
///
/// The errors of the library.
#[wasm_bindgen(js_name = newLedger)]
pub fn new_ledger(question: &str) -> Result<String, String> {
    answer(question, answers::new_ledger)
}

/// Reads the text of a ledger: spent and remaining budget.
///
/// # Errors
///
/// The errors of the library.
#[wasm_bindgen(js_name = readLedger)]
pub fn read_ledger(question: &str) -> Result<String, String> {
    answer(question, answers::read_ledger)
}

fn answer(
    question: &str,
    answer: impl FnOnce(Question) -> dpsis::Result<serde_json::Value>,
) -> Result<String, String> {
    let answered = Question::read(question).and_then(answer);
    answered.map(|answer| answer.to_string()).map_err(|error| answers::error(&error).to_string())
}
