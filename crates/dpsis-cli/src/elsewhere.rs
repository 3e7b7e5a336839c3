//! Tips for users who type the options of other tools.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// An option of another tool, and the names of the options here; the first one is an option of the
/// command.
const ELSEWHERE: [(&str, &str); 13] = [
    ("--html", "--format html -o FILE"),
    ("--json", "--format json"),
    ("--tsv", "--format tsv"),
    ("--csv", "--format tsv"),
    ("--budget", "--eps EPSILON"),
    ("--labels", "--classes A,B"),
    ("--label", "--target NAME"),
    ("--target-column", "--target NAME"),
    ("--drop", "--exclude A,B"),
    ("--n-features", "--k K"),
    ("--top", "--k K"),
    ("--random-state", "--seed N"),
    ("--jobs", "--threads N"),
];

/// Adds the option to use to an error about an unknown option of this command.
pub(crate) fn with_words_here(
    mut error: clap::Error,
    command: Option<&clap::Command>,
) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let given = unknown.split('=').next().unwrap_or_default();
    let takes = |words: &str| {
        let option = words.split(' ').next().and_then(|option| option.strip_prefix("--"));
        // A model has forms of its own.
        let command =
            command.filter(|command| option != Some("format") || command.get_name() != "fit");
        let mut all = command.into_iter().flat_map(clap::Command::get_arguments);
        all.any(|arg| arg.get_long() == option && !arg.is_hide_set())
    };
    let found = ELSEWHERE.iter().find(|(other, words)| *other == given && takes(words));
    if let Some((_, words)) = found {
        let tip = format!("here it is '{words}'");
        error.insert(ContextKind::SuggestedArg, ContextValue::None);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The error for an option with one dash, such as `-eps 1`: the parser would read its first letter
/// as an option and the rest as a value. The program must be built.
pub(crate) fn with_one_dash(
    program: &clap::Command,
    words: impl Iterator<Item = String>,
) -> Option<clap::Error> {
    let mut command = program;
    for word in words.take_while(|word| word != "--") {
        let name = word.strip_prefix('-').map(|rest| rest.split('=').next().unwrap_or_default());
        match name {
            None => command = command.find_subcommand(&word).unwrap_or(command),
            Some(name) if name.len() > 1 && takes(command, name) => {
                let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(command);
                let strings = [
                    (ContextKind::InvalidArg, format!("-{name}")),
                    (ContextKind::SuggestedArg, format!("--{name}")),
                ];
                for (kind, text) in strings {
                    error.insert(kind, ContextValue::String(text));
                }
                return Some(error);
            }
            Some(_) => {}
        }
    }
    None
}

/// Whether a command has an option with this name and two dashes.
fn takes(command: &clap::Command, name: &str) -> bool {
    let is_it = |option: &clap::Arg| {
        option.get_long() == Some(name)
            || option.get_all_aliases().is_some_and(|all| all.contains(&name))
    };
    command.get_arguments().any(is_it)
}
