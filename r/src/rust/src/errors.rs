//! Errors of the library in R's words.

use dpsis::{ErrorKind, Parameter, Result, in_parentheses};
use extendr_api::prelude::*;

/// The names of arguments for parameters, each once.
fn arguments(all: &[Parameter]) -> Vec<&'static str> {
    Parameter::arguments(all, "dp_inspect")
}

/// The names of arguments in parentheses, after a blank; empty without arguments.
pub(crate) fn words(all: &[Parameter]) -> String {
    in_parentheses(&arguments(all))
}

/// The result, or the error that R raises: its class, message, arguments and place.
pub(crate) fn found_or_error(found: Result<List>) -> List {
    let error = match found {
        Ok(found) => return found,
        Err(error) => error,
    };
    let class = match error.kind() {
        ErrorKind::Request => "dpsis_request_error",
        ErrorKind::Input => "dpsis_input_error",
        ErrorKind::Budget => "dpsis_budget_exceeded",
        ErrorKind::Canceled => "dpsis_canceled",
        _ => "dpsis_read_error",
    };
    let (row, column) = error.place().map_or((None, None), |place| (place.row, place.column));
    list!(
        error = list!(
            class = class,
            message = error.to_string(),
            arguments = arguments(error.parameters()),
            // Doubles: rows may be beyond the integers of R.
            row = row.map(|row| row as f64),
            column = column.map(|column| column as f64)
        )
    )
}
