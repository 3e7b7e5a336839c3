//! Runs `dpsis` in a folder and checks how it ends.
//!
//! A command is one line, split into words as a shell splits it:
//!
//! ```ignore
//! let folder = Folder::new().with("t.csv", "a,y\n1,2\n3,4\n");
//! assert_eq!(folder.run("select -k 1 --eps 1 t.csv").succeeds().stdout, "a\n");
//! let message = folder.run("select -k 2 --eps 1 t.csv").fails(2);
//! assert_contains(&message, "number of features, 1");
//! ```
//!
//! [`dpsis`] runs a command among the tables that come with the project. The environment is the
//! same in every run: records carry one day, so that two of them can be compared at midnight, and
//! neither the width of the terminal nor a proxy plays a part.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use serde_json::Value;

/// The root of the project.
pub(crate) const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The folder of the tables that come with the project.
pub(crate) const DATASETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets");

/// A table of 640 rows, 300 features and a numeric target.
pub(crate) const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/demo.csv");

/// Runs a command in the folder [`DATASETS`].
pub(crate) fn dpsis(line: &str) -> Outcome {
    Folder::at(DATASETS).run(line)
}

/// A folder in which commands run.
pub(crate) struct Folder {
    path: PathBuf,
    /// Removes the folder in the end, unless it was there before.
    _temporary: Option<tempfile::TempDir>,
}

impl Folder {
    /// An empty folder, removed at the end of the test.
    pub(crate) fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        Self { path: temporary.path().to_owned(), _temporary: Some(temporary) }
    }

    /// A folder that exists and stays.
    pub(crate) fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), _temporary: None }
    }

    /// Writes a file, in a chain.
    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(name, content);
        self
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path.into_os_string().into_string().unwrap()
    }

    /// Writes a CSV table of a header and `n` rows, `row(0)` to `row(n - 1)`.
    pub(crate) fn table<R: std::fmt::Display>(
        &self,
        name: &str,
        header: &str,
        n: usize,
        row: impl Fn(usize) -> R,
    ) {
        let rows: String = (0..n).map(|i| format!("{}\n", row(i))).collect();
        self.write(name, format!("{header}\n{rows}"));
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).unwrap();
    }

    /// The sorted names of all files and folders in it, hidden ones too.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The command of a line, to be changed before it runs.
    pub(crate) fn command(&self, line: &str) -> Command {
        self.prepared(Command::new(env!("CARGO_BIN_EXE_dpsis")), line)
    }

    fn prepared(&self, mut command: Command, line: &str) -> Command {
        command.args(words(line)).current_dir(&self.path);
        command.env("SOURCE_DATE_EPOCH", "1795305600").env_remove("COLUMNS");
        for proxy in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
            command.env_remove(proxy);
        }
        command
    }

    /// Runs a command to its end, without input.
    pub(crate) fn run(&self, line: &str) -> Outcome {
        Outcome::of(line, &mut self.command(line))
    }

    /// Runs a command with its standard input from a pipe.
    pub(crate) fn pipe(&self, line: &str, input: impl AsRef<[u8]>) -> Outcome {
        let mut child = piped(&mut self.command(line));
        // The program may end without reading.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        Outcome::new(line, child.wait_with_output().unwrap())
    }

    /// Runs a command where no file can grow beyond a number of blocks, of 512 or 1024 bytes as the
    /// shell counts: a full disk.
    #[cfg(unix)]
    pub(crate) fn run_on_full_disk(&self, blocks: u32, line: &str) -> Outcome {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_dpsis")]);
        Outcome::of(line, &mut self.prepared(shell, line))
    }

    /// Runs each line, which must fail with this exit code and a message that contains this text.
    #[track_caller]
    pub(crate) fn refuses<L: AsRef<str>>(&self, cases: &[(L, i32, &str)]) {
        for (line, code, part) in cases {
            let message = self.run(line.as_ref()).fails(*code);
            assert!(message.contains(part), "{}: {part}\n{message}", line.as_ref());
        }
    }

    /// [`Folder::refuses`] for lines with the same start and exit code 2.
    #[track_caller]
    pub(crate) fn refuses_options(&self, start: &str, cases: &[(&str, &str)]) {
        for (options, part) in cases {
            self.refuses(&[(format!("{start} {options}"), 2, *part)]);
        }
    }
}

/// Starts a command with pipes for all of its inputs and outputs.
pub(crate) fn piped(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Starts a command whose outputs nobody reads.
pub(crate) fn silent(command: &mut Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The exit code and the output of a command.
pub(crate) struct Outcome {
    line: String,
    pub(crate) status: ExitStatus,
    /// The exit code; none for a program that was killed.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// Runs a command to its end.
    pub(crate) fn of(line: &str, command: &mut Command) -> Self {
        Self::new(line, command.output().unwrap())
    }

    pub(crate) fn new(line: &str, output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert!(!stderr.contains("panicked"), "{line}: {stderr}");
        Self {
            line: line.to_owned(),
            status: output.status,
            code: output.status.code(),
            stdout,
            stderr,
        }
    }

    #[track_caller]
    fn has_code(&self, code: i32) {
        let Self { line, stdout, stderr, .. } = self;
        assert_eq!(self.code, Some(code), "dpsis {line}\n{stdout}\n{stderr}");
    }

    /// Fails the test unless the exit code is 0.
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        self.has_code(0);
        self
    }

    /// Fails the test unless the exit code is this one and nothing was printed to stdout; returns
    /// the message.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32) -> String {
        self.has_code(code);
        assert_eq!(self.stdout, "", "dpsis {}", self.line);
        self.message()
    }

    /// The record that a successful command printed as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        self.has_code(0);
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// The text on stderr without its line breaks.
    pub(crate) fn message(&self) -> String {
        one_line(&self.stderr)
    }

    /// The text on stdout and stderr without its line breaks.
    pub(crate) fn text(&self) -> String {
        one_line(&format!("{}\n{}", self.stdout, self.stderr))
    }
}

/// A text with one blank between its words: reports are wrapped at the width of the terminal.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
pub(crate) fn assert_contains(text: &str, part: &str) {
    assert!(text.contains(part), "no {part:?} in\n{text}");
}

#[track_caller]
pub(crate) fn assert_contains_all(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert_contains(text, part));
}

#[track_caller]
pub(crate) fn assert_lacks(text: &str, part: &str) {
    assert!(!text.contains(part), "{part:?} in\n{text}");
}

/// The words of a line as a shell splits it: parts in single quotes are not split, and `\'` is a
/// single quote.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = None;
    let mut is_quoted = false;
    let mut rest = line.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' if !is_quoted && rest.peek() == Some(&'\'') => {
                word.get_or_insert_with(String::new).extend(rest.next());
            }
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            letter if letter.is_whitespace() && !is_quoted => words.extend(word.take()),
            letter => word.get_or_insert_with(String::new).push(letter),
        }
    }
    words.extend(word);
    words
}

/// The command that `inspect` suggests, without the name of the program.
#[track_caller]
pub(crate) fn suggested(inspected: &Outcome) -> String {
    let text = &inspected.stdout;
    let command = text.lines().find_map(|line| line.trim().strip_prefix("dpsis select"));
    format!("select{}", command.unwrap_or_else(|| panic!("no command in\n{text}")))
}

/// A command with another epsilon: private counts of a small table can end a run with a small one.
pub(crate) fn with_epsilon(command: &str, epsilon: &str) -> String {
    let (start, rest) = command.split_once("--eps ").unwrap();
    let end = rest.find(' ').unwrap_or(rest.len());
    format!("{start}--eps {epsilon}{}", &rest[end..])
}

/// Bytes compressed by gzip.
pub(crate) fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// The header and the rows of the table [`DEMO`].
pub(crate) fn demo_lines() -> (String, Vec<String>) {
    let text = fs::read_to_string(DEMO).unwrap();
    let mut lines = text.lines().map(str::to_owned);
    (lines.next().unwrap(), lines.collect())
}

/// The names of the selected features in a record.
pub(crate) fn names_in(record: &Value, list: &str) -> Vec<String> {
    let picks = record[list].as_array().unwrap().iter();
    picks.map(|picked| picked["name"].as_str().unwrap().to_owned()).collect()
}

/// The ids of the warnings in a record.
pub(crate) fn warning_ids(record: &Value) -> Vec<&str> {
    let warnings = record["warnings"].as_array().unwrap().iter();
    warnings.map(|warning| warning["id"].as_str().unwrap()).collect()
}
