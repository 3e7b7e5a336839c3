//! One value per feature, on all threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Result;
use crate::table::Hooks;
use crate::threads::on_threads;

/// The number of consecutive features that a thread takes at a time: a cache line of most values.
const TURN: usize = 16;

/// Computes a value for each feature; `worker` makes the function of each thread.
///
/// # Errors
///
/// `Canceled` if the caller stopped it.
pub(super) fn by_feature<T: Send, W: FnMut(usize) -> T>(
    features: usize,
    threads: usize,
    hooks: &Hooks,
    worker: impl Fn() -> W + Sync,
) -> Result<Vec<T>> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let (mut worker, mut parts) = (worker(), Vec::new());
        loop {
            let first = next.fetch_add(TURN, Ordering::Relaxed);
            if first >= features || hooks.is_canceled() {
                return parts;
            }
            let turn = first..(first + TURN).min(features);
            let count = turn.len();
            parts.push((first, turn.map(&mut worker).collect::<Vec<T>>()));
            let done = done.fetch_add(count, Ordering::Relaxed) + count;
            hooks.report(done as f64, features as f64);
        }
    };
    let mut parts: Vec<_> = on_threads(threads, |_| work()).into_iter().flatten().collect();
    hooks.check()?;
    parts.sort_unstable_by_key(|(first, _)| *first);
    Ok(parts.into_iter().flat_map(|(_, part)| part).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_the_order_of_the_features() {
        for (features, threads) in [(0, 2), (1, 3), (16, 1), (1000, 4)] {
            let squares = by_feature(features, threads, &Hooks::default(), || |i: usize| i * i);
            let expected: Vec<usize> = (0..features).map(|i| i * i).collect();
            assert_eq!(squares.unwrap(), expected);
        }
    }
}
