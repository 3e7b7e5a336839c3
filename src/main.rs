//! The command line: see `dpsis --help`.

fn main() -> std::process::ExitCode {
    dpsis::cli::run(std::env::args_os())
}
