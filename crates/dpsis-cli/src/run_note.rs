//! The request as a command line, for the record of a run.

use std::any::TypeId;
use std::ffi::OsStr;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use crate::inspect::shell_word;

/// The given options, in the order of the help. File names are omitted unless they may be in the
/// record.
pub(super) fn request(program: &Command, matches: &ArgMatches) -> String {
    let Some((name, matches)) = matches.subcommand() else { return String::new() };
    let Some(command) = program.find_subcommand(name) else { return String::new() };
    let named = matches.get_flag("name_file");
    let given =
        |arg: &&Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let (files, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(given).partition(|arg| arg.is_positional());
    let mut words = vec!["dpsis".to_owned(), name.to_owned()];
    for arg in options.into_iter().chain(files) {
        let option = arg.get_long().map(|long| format!("--{long}"));
        let values: Vec<String> = matches
            .get_raw(arg.get_id().as_str())
            .into_iter()
            .flatten()
            .map(|value| shown(arg, value, named))
            .collect();
        // The number of files is private, too.
        let values = match &values[..] {
            [first, _, ..] if first == FILE => vec![format!("{FILE}...")],
            _ => values,
        };
        match option {
            Some(option) if !arg.get_action().takes_values() => words.push(option),
            // A value may start with a minus sign.
            Some(option) => words.extend(values.iter().flat_map(|value| {
                if value.starts_with('-') {
                    vec![format!("{option}={}", shell_word(value))]
                } else {
                    vec![option.clone(), shell_word(value)]
                }
            })),
            None => words.extend(values.iter().map(|value| shell_word(value))),
        }
    }
    words.join(" ")
}

/// The placeholder for a file that is not named.
const FILE: &str = "FILE";

/// The value of an argument: the placeholder FILE for a file, unless files are named.
fn shown(arg: &Arg, value: &OsStr, named: bool) -> String {
    let value = value.to_string_lossy().into_owned();
    if named {
        value
    } else if arg.get_value_parser().type_id() == TypeId::of::<PathBuf>() {
        FILE.to_owned()
    } else if ["exclude", "features"].contains(&arg.get_id().as_str()) && value.starts_with('@') {
        "@FILE".to_owned()
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::program::Arguments;

    fn request_of(words: &[&str]) -> String {
        let words = ["dpsis"].iter().chain(words);
        let program = Arguments::command();
        request(&program, &program.clone().try_get_matches_from(words).unwrap())
    }

    #[test]
    fn a_request_can_be_typed_again() {
        let given = ["select", "-k5", "-e", "1/3", "secret.csv", "--bounds", "-1,1"];
        assert_eq!(request_of(&given), "dpsis select --k 5 --eps 1/3 --bounds=-1,1 FILE");
        let given = [
            "select",
            "--exclude",
            "a b,c*",
            "--exclude",
            "@list",
            "--target-file",
            "y.csv",
            "-k1",
            "--direction",
            "-e1",
            "-o",
            "out",
            "--seed",
            "3",
            "it's.csv",
        ];
        assert_eq!(
            request_of(&given),
            "dpsis select --k 1 --eps 1 --exclude 'a b,c*' --exclude @FILE --target-file FILE \
             --output FILE --seed 3 --direction FILE"
        );
        assert_eq!(
            request_of(&[&given[..], &["--name-file"]].concat()),
            "dpsis select --k 1 --eps 1 --exclude 'a b,c*' --exclude @list --target-file y.csv \
             --output out --name-file --seed 3 --direction 'it'\\''s.csv'"
        );
        let given = ["choose", "--eps", "2", "--sensitivity", "-1", "s.csv", "--monotonic"];
        assert_eq!(request_of(&given), "dpsis choose --eps 2 --sensitivity=-1 --monotonic FILE");
    }
}
