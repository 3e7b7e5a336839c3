//! The request from the arguments of `select`.

use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};

use super::arguments::{MethodId, SelectArguments};
use crate::output;
use crate::progress::progress;
use crate::values::parse_size;
use dpsis::job::Terms;
use dpsis::{Error, FileTables, Result, Select, files};

/// The files that a command reads.
pub(crate) struct Inputs {
    /// The files of the table.
    rows: Vec<PathBuf>,
    /// The files of sums.
    pub(super) partials: Vec<PathBuf>,
    others: Vec<PathBuf>,
}

impl Inputs {
    pub(crate) fn all(&self) -> impl Iterator<Item = &Path> {
        [&self.rows, &self.partials, &self.others].into_iter().flatten().map(PathBuf::as_path)
    }
}

/// A request and its table.
pub(crate) struct Job {
    pub(crate) table: FileTables,
    pub(crate) select: Select,
}

impl SelectArguments {
    /// All files that are read, with patterns expanded.
    pub(crate) fn inputs(&self) -> Result<Inputs> {
        let release = [&self.release.groups.groups, &self.release.weights.weights];
        let others = release.into_iter().flatten().map(PathBuf::as_path).chain(self.ledger.file());
        let others = self.given.files(&self.scaling).chain(others).map(Path::to_owned).collect();
        Ok(Inputs { rows: files(&self.files)?, partials: files(&self.partials)?, others })
    }

    /// The terms of a run.
    pub(crate) fn terms(&self, request: &str) -> Terms {
        self.ledger.terms(request, self.seed)
    }

    /// The request, unchecked, and its table.
    pub(crate) fn job(&self, inputs: &Inputs) -> Result<Job> {
        if inputs.all().filter(|path| *path == Path::new("-")).count() > 1 {
            return Err(Error::request("only one file can be standard input"));
        }
        let takes_schema = self.release.method != MethodId::DpKendall;
        let mut given = self.given.request(&self.scaling, takes_schema)?;
        self.names.apply_to(&mut given.options);
        self.apply_release_to(&mut given.options)?;
        let mut select = given.select()?;
        if self.shows_progress()
            && let Some(report) = progress()
        {
            select = select.progress(report);
        }
        let table = self.given.tables(&inputs.rows, &given)?;
        Ok(Job { table, select })
    }

    /// Reports on a terminal, and nowhere else, that a run exceeded its memory: this depends on the
    /// data.
    pub(crate) fn say_if_over_memory(&self) {
        let Some(memory) = self.memory.as_deref().filter(|_| self.shows_progress()) else { return };
        if let Some(peak) =
            peak().filter(|peak| stderr().is_terminal() && Some(*peak) > parse_size(memory).ok())
        {
            let peak = peak.div_ceil(1 << 20);
            output::remark(&format!("took {peak} MiB of memory, more than --memory {memory}\n"));
        }
    }

    /// Whether progress may be shown.
    fn shows_progress(&self) -> bool {
        !self.no_progress && !self.output.quiet
    }
}

/// The peak memory of this process, in bytes, if the system reports it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1 << 10)
}
