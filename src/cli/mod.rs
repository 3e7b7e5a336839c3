//! Arguments to request to record to output.

mod arguments;
mod output;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::error::{Error, ErrorKind, Result};
use arguments::{Arguments, Command};

/// Runs the command line and says how it ended.
///
/// 0: released; 2: the request is wrong; 3: the input is malformed; 5: reading or writing failed.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version go to stdout with code 0, mistakes to stderr with code 2.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match execute(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            ExitCode::from(exit_code(&error))
        }
    }
}

fn execute(command: Command) -> Result<()> {
    let Command::Select(arguments) = command;
    let selection = arguments.request()?.run(&arguments.file)?;
    output::write(&selection, arguments.format)
}

fn exit_code(error: &Error) -> u8 {
    match error.kind() {
        ErrorKind::Request => 2,
        ErrorKind::Input => 3,
        ErrorKind::Io => 5,
    }
}
