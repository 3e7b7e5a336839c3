//! Work on several threads: results do not depend on their number, and a panic continues on the
//! calling thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::error::Result;

/// The number of threads that this process can use at once, at least 1.
///
/// Linux reads several files for it; they are read once.
pub fn available_threads() -> usize {
    static AVAILABLE: LazyLock<usize> =
        LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));
    *AVAILABLE
}

/// Calls `work` with 0, 1, ... below `count` (at least 1), 0 on this thread and the others on
/// separate threads, and returns the results in this order.
///
/// No thread is spawned for a count of 1: the heap of the main thread grows in larger steps than
/// the heaps of others.
pub fn on_threads<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let results: Vec<Mutex<Option<T>>> = (0..count.max(1)).map(|_| Mutex::default()).collect();
    spawned(results.len(), &|number| {
        let result = work(number);
        *results[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    });
    let result = |slot: Mutex<Option<T>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().filter_map(result).collect()
}

/// A browser has no threads: one call after the other.
#[cfg(target_family = "wasm")]
fn spawned(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).for_each(work);
}

/// Compiled once: the standard library's code for threads is long.
#[cfg(not(target_family = "wasm"))]
fn spawned(count: usize, work: &(dyn Fn(usize) + Sync)) {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..count).map(|number| scope.spawn(move || work(number))).collect();
        work(0);
        for other in others {
            other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

/// Calls `one` with 0, 1, ... below `count` on threads that take turns, and returns the results in
/// this order.
///
/// # Errors
///
/// The first error in this order; no further call begins after an error.
pub fn in_parallel<T: Send>(
    count: u64,
    threads: usize,
    one: impl Fn(u64) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicU64::new(0);
    let turns = on_threads(threads, |_| {
        let mut found = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return found;
            }
            let result = one(number);
            if result.is_err() {
                next.store(count, Ordering::Relaxed);
            }
            found.push((number, result));
        }
    });
    let mut found: Vec<(u64, Result<T>)> = turns.into_iter().flatten().collect();
    found.sort_unstable_by_key(|(number, _)| *number);
    found.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn results_are_in_order_and_the_first_error_is_returned() {
        let squares: Vec<u64> = (0..100).map(|i| i * i).collect();
        for threads in [0, 1, 3] {
            assert_eq!(on_threads(threads, |i| i), Vec::from_iter(0..threads.max(1)));
            assert_eq!(in_parallel(100, threads, |i| Ok(i * i)).unwrap(), squares);
            let error = in_parallel(100, threads, |i| match i {
                0..30 => Ok(i),
                _ => Err(Error::input(format!("at {i}"))),
            });
            assert_eq!(error.unwrap_err().to_string(), "at 30");
        }
    }

    /// A single share must not need another thread, because there may be none.
    #[test]
    fn the_first_share_stays_on_this_thread() {
        let here = std::thread::current().id();
        for threads in [0, 1, 3] {
            assert_eq!(on_threads(threads, |_| std::thread::current().id())[0], here);
        }
    }

    #[test]
    #[should_panic(expected = "of a thread")]
    fn panics_propagate() {
        on_threads(3, |i| assert!(i != 2, "of a thread"));
    }
}
