//! Work on the parts of a computation by several threads, each part by one of them: results do not
//! depend on the number of threads.

use std::sync::Mutex;

use dpsis::internals::on_threads;

/// Calls a function on each part, the first ones first.
pub(super) fn each<T: Send>(
    parts: impl Iterator<Item = T> + Send,
    threads: usize,
    work: impl Fn(T) + Sync,
) {
    let parts = Mutex::new(parts);
    // If the lock is poisoned, another thread panicked: stop, and the scope passes the panic on.
    let next = || parts.lock().ok().and_then(|mut parts| parts.next());
    on_threads(threads, |_| {
        while let Some(part) = next() {
            work(part);
        }
    });
}

/// Calls a function on each part and collects the results in the order of the parts.
pub(super) fn collect<T: Send, U: Send>(
    parts: impl Iterator<Item = T> + Send,
    threads: usize,
    work: impl Fn(T) -> U + Sync,
) -> Vec<U> {
    let found: Mutex<Vec<(usize, U)>> = Mutex::default();
    each(parts.enumerate(), threads, |(place, part)| {
        let result = work(part);
        if let Ok(mut found) = found.lock() {
            found.push((place, result));
        }
    });
    let mut found = found.into_inner().unwrap_or_default();
    found.sort_unstable_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_parts() {
        let squares: Vec<u64> = (0..100).map(|i| i * i).collect();
        for threads in [0, 1, 3] {
            assert_eq!(collect(0..100_u64, threads, |i| i * i), squares);
        }
        let mut cells = vec![0; 10];
        each(cells.chunks_mut(3).enumerate(), 2, |(i, part)| part.fill(i));
        assert_eq!(cells, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]);
    }
}
