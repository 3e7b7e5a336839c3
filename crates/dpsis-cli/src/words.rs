//! The options for the parameters that errors and findings are about, and exit codes.

use dpsis::{Error, ErrorKind, Parameter};

/// The option that states a parameter.
pub(super) fn option(parameter: Parameter) -> String {
    match parameter {
        Parameter::K => "--k",
        Parameter::Epsilon => "--eps",
        Parameter::Delta => "--delta",
        Parameter::Shares => "--split",
        Parameter::Direction => "--direction",
        Parameter::Neighbors => "--neighbors",
        Parameter::Target => "--target",
        Parameter::TargetIndex => "--target-index",
        Parameter::TargetFile => "--target-file",
        Parameter::TargetBounds => "--target-bounds",
        Parameter::TargetNumber => "--target-number",
        Parameter::Classes => "--classes",
        Parameter::Center => "--center",
        Parameter::Id => "--id",
        Parameter::Unit => "--unit",
        Parameter::UnitTarget => "--unit-target",
        Parameter::Covariates => "--adjust",
        Parameter::Exclude => "--exclude",
        Parameter::Orientation => "--orient",
        Parameter::Delimiter => "--delimiter",
        Parameter::DecimalComma => "--decimal-comma",
        Parameter::NumericNames => "--numeric-names",
        Parameter::Missing => "--na",
        Parameter::Bounds => "--bounds",
        Parameter::BoundsFile => "--bounds-file",
        Parameter::Scaling => "--scale",
        Parameter::Groups => "--groups",
        Parameter::GroupSize => "--group-size",
        Parameter::Score => "--score",
        Parameter::Method => "--method",
        Parameter::Blocks => "--blocks",
        Parameter::Refine => "--refine",
        Parameter::Penalty => "--penalty",
        Parameter::Mechanism => "--mechanism",
        Parameter::OfMechanism(name) => return format!("--{name}"),
        Parameter::Sensitivity => "--sensitivity",
        Parameter::CandidateColumns => "--name-column, --score-column, --sensitivity-column",
        Parameter::Advice => "--advise",
        Parameter::Inspect => "dpsis inspect",
        Parameter::DataSets => "dpsis datasets list",
        Parameter::Size => "--rows, --features",
        Parameter::Threads => "--threads",
        Parameter::Memory => "--memory",
        Parameter::Ledger => "--ledger",
        Parameter::SiteKey => "--key",
        Parameter::Roster => "--mask",
        Parameter::BuildFeature(name) => return format!("a build with --features {name}"),
        // A parameter that this program does not know yet has no option here.
        _ => "",
    }
    .to_owned()
}

/// The options for parameters in parentheses, after a blank; empty if there are none.
pub(super) fn options(parameters: &[Parameter]) -> String {
    let options: Vec<String> = parameters.iter().map(|p| option(*p)).collect();
    let options: Vec<&str> = options.iter().map(String::as_str).filter(|o| !o.is_empty()).collect();
    if options.is_empty() { String::new() } else { format!(" ({})", options.join(", ")) }
}

/// An error with the options that mend it.
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
