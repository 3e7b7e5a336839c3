//! The options behind the parameters of errors and findings, and exit codes.

use dpsis::{Error, ErrorKind, Parameter, in_parentheses};

/// The option that sets a parameter; empty if no option sets it.
pub(super) fn option(parameter: Parameter) -> String {
    match parameter {
        Parameter::Epsilon => "--eps".to_owned(),
        Parameter::Shares => "--split".to_owned(),
        Parameter::Fwer => "--fwer".to_owned(),
        Parameter::Orientation => "--orient".to_owned(),
        Parameter::Missing => "--na".to_owned(),
        Parameter::DecimalPoint => "--decimal-point".to_owned(),
        Parameter::CandidateColumns => {
            "--name-column, --score-column, --sensitivity-column".to_owned()
        }
        Parameter::Inspect => "dpsis inspect".to_owned(),
        Parameter::DataSets => "dpsis datasets list".to_owned(),
        Parameter::Size => "--n, --d".to_owned(),
        Parameter::BuildFeature(name) => {
            format!("cargo install --path crates/dpsis-cli --features {name}")
        }
        _ if parameter.name().is_empty() => String::new(),
        _ => format!("--{}", parameter.name().replace('_', "-")),
    }
}

/// The options of parameters in parentheses, after a space; empty without options.
pub(super) fn options(parameters: &[Parameter]) -> String {
    let options: Vec<String> = parameters.iter().map(|p| option(*p)).collect();
    in_parentheses(&options)
}

/// An error with the options that resolve it.
pub(super) fn error(error: &Error) -> String {
    format!("{error}{}", options(error.parameters()))
}

/// 2: the request is wrong; 3: the input is malformed; 4: the budget is too small; 5: reading or
/// writing failed.
pub(super) fn exit_code(error: &Error) -> u8 {
    match error.kind() {
        ErrorKind::Request => 2,
        ErrorKind::Input => 3,
        ErrorKind::Budget => 4,
        _ => 5,
    }
}
