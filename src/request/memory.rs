//! The memory of a run: its limit, and its use besides columns.

use std::fs;
use std::path::Path;

use crate::error::{Error, Parameter, Result};
use crate::table::Limit;

/// The default memory limit in bytes, unless the group of processes has a lower one: half of the
/// address space of a program in a browser, or 4 GiB.
const DEFAULT: u64 = if cfg!(target_family = "wasm") { 1 << 31 } else { 1 << 32 };

/// The bytes of a run for any table.
const PROGRAM: u64 = 14 << 20;

/// The bytes of each thread: text in transit, and rows being transposed to columns.
const THREAD: u64 = 3 << 20;

/// The bytes of each feature: its name and the references to it, its score and the noise on it.
const FEATURE: u64 = 300;

/// The bytes of each feature in each thread: its values in the current row and in the rows being
/// transposed to columns.
const STAGED: u64 = 72;

/// The bytes of each row: its target, in a growing list.
const ROW: u64 = 24;

/// The bytes of each row in each thread: a column that is scored, and its order.
const SORTED: u64 = 48;

/// The memory limit of a run without a given limit: the default, or three quarters of the limit of
/// this process's group, if that is less.
pub(crate) fn default_memory() -> u64 {
    of_group(
        Path::new("/sys/fs/cgroup"),
        &fs::read_to_string("/proc/self/cgroup").unwrap_or_default(),
    )
    .map_or(DEFAULT, |limit| DEFAULT.min(limit / 4 * 3))
}

/// The smallest limit of a process's group and of the groups that contain it, in either version of
/// Linux's groups.
fn of_group(root: &Path, groups: &str) -> Option<u64> {
    let limits = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) =
            (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let (folder, file) = match controllers.split(',').any(|one| one == "memory") {
            true => (root.join("memory"), "memory.limit_in_bytes"),
            false => (root.to_owned(), "memory.max"),
        };
        let own = folder.join(path.trim_start_matches('/'));
        let is_inside = |place: &&Path| place.starts_with(root);
        let all: Vec<_> =
            own.ancestors().take_while(is_inside).map(|place| place.join(file)).collect();
        all
    });
    // A group without a limit has text here, or a number beyond any memory.
    limits.filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok()).min()
}

/// The limit of columns within this memory, in a table of `features` on `threads` threads.
pub(crate) fn of_columns(memory: u64, features: usize, threads: usize) -> Limit {
    Limit {
        // An eighth is for blocks of rows in transit.
        bytes: memory - memory / 8,
        fixed: fixed(features, threads),
        row: ROW + threads as u64 * SORTED,
    }
}

fn fixed(features: usize, threads: usize) -> u64 {
    let (features, threads) = (features as u64, threads as u64);
    PROGRAM + threads * (THREAD + STAGED * features) + FEATURE * features
}

/// Refuses a memory limit that a table with this many features exceeds for any rows.
///
/// # Errors
///
/// `Request` in that case, with the smallest possible limit.
pub(crate) fn check_memory(given: u64, features: usize, threads: usize) -> Result<()> {
    let least = fixed(features, threads);
    if given - given / 8 >= least {
        return Ok(());
    }
    let megabytes = (least + least / 7).div_ceil(1_000_000) + 1;
    let rule =
        format!("{features} features on {threads} threads take at least {megabytes} MB of memory");
    Err(Error::request(rule)
        .hint("fewer threads take less")
        .about([Parameter::Memory, Parameter::Threads]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By features and threads alone; the rows are not known.
    #[test]
    fn too_little_memory_is_refused() {
        let error = check_memory(16_000_000, 500, 2).unwrap_err().to_string();
        assert!(error.contains("500 features on 2 threads take at least 26 MB"), "{error}");
        assert!(check_memory(26_000_000, 500, 2).is_ok());
        assert!(check_memory(100_000_000, 1_000_000, 2).is_err());
        assert!(check_memory(u64::MAX, 1_000_000, 256).is_ok());
        assert!(check_memory(0, 1, 1).is_err());
    }

    #[test]
    fn smallest_limit_of_the_control_groups_applies() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let limit = |groups: &str| of_group(folder.path(), groups);
        assert_eq!(limit("0::/user/job\n"), None);
        write("user/job/memory.max", "max\n");
        assert_eq!(limit("0::/user/job\n"), None);
        write("user/memory.max", "3000\n");
        assert_eq!(limit("0::/user/job\n"), Some(3000));
        write("user/job/memory.max", "2000\n");
        assert_eq!(limit("0::/user/job\n"), Some(2000));
        write("memory.max", "1000\n");
        assert_eq!(limit("0::/\n"), Some(1000));
        write("memory/slice/memory.limit_in_bytes", "500\n");
        assert_eq!(limit("5:cpu,cpuacct:/\n4:memory:/slice\n"), Some(500));
        assert_eq!(limit(""), None);
    }
}
