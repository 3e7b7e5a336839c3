//! Help of a command in three lengths: `-h` fits one screen, `--help` two, `--help-all` lists every
//! option.

use clap::{Arg, ArgAction, Command};

/// Options for special cases, which only `--help-all` lists.
pub(crate) const ADVANCED: [&str; 46] = [
    "alpha",
    "beta",
    "blocks",
    "bounds-file",
    "center",
    "command",
    "decimal-comma",
    "decimal-point",
    "delimiter",
    "delta",
    "direction",
    "eta",
    "gamma",
    "group-size",
    "lambda",
    "ledger-note",
    "level",
    "mechanism",
    "memory",
    "method",
    "name-file",
    "neighbors",
    "no-progress",
    "noise",
    "not-private",
    "numeric-names",
    "partials",
    "penalty",
    "quiet",
    "ranges",
    "rate",
    "refine",
    "relation",
    "run-key",
    "schema",
    "share",
    "split",
    "stop",
    "target-index",
    "target-number",
    "threads",
    "trials",
    "unit-target",
    "variant",
    "weights",
    "weights-uniform",
];

/// The option of the longest help.
const ALL: &str = "help-all";

/// Adds `--help-all` to the commands that have advanced options.
pub(crate) fn with_help_all(program: Command) -> Command {
    program.mut_subcommands(|command| {
        let command = with_help_all(command);
        if !command.get_arguments().any(is_advanced) {
            return command;
        }
        let all = Arg::new(ALL).long(ALL).action(ArgAction::HelpLong);
        command.arg(all.help("Print all options, advanced ones too").hide_short_help(true))
    })
}

/// The help of two screens, if these words request it by `--help` for a command with advanced
/// options: without these, in short words, with the examples.
pub(crate) fn of_two_screens(
    program: impl FnOnce() -> Command,
    words: impl Iterator<Item = String>,
) -> Option<String> {
    let words: Vec<String> = words.take_while(|word| word != "--").collect();
    let before = &words[..words.iter().position(|word| word == "--help")?];
    let mut program = program();
    program.build();
    let within =
        |command, word: &String| Command::find_subcommand(command, word).unwrap_or(command);
    let command = before.iter().fold(&program, within);
    if !command.get_arguments().any(is_advanced) {
        return None;
    }
    let examples = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let name = command.get_bin_name().unwrap_or_default();
    let more = format!("{examples}\n\nAdvanced options: {name} --help-all");
    let command = command.clone().after_help(more).mut_args(|arg| {
        let is_hidden = arg.is_hide_set() || is_advanced(&arg) || arg.get_long() == Some(ALL);
        arg.hide(is_hidden).hide_short_help(false).hide_possible_values(true)
    });
    Some(command.clone().render_help().to_string())
}

fn is_advanced(arg: &Arg) -> bool {
    arg.get_long().is_some_and(|long| ADVANCED.contains(&long))
}
