//! Loops compiled for several instruction sets; at run time the best available one is used.
//!
//! Plain loops over slices compile to vector instructions. Results must be identical to the bit on
//! all instruction sets; tests run on each of them (`on_each`).

use pulp::{Arch, NullaryFnOnce};

/// Runs loops with the widest vectors of the processor.
#[inline]
pub(crate) fn run<F: NullaryFnOnce>(loops: F) -> F::Output {
    arch().dispatch(loops)
}

/// Prefetches memory that will be read soon: as many bytes as `values` has, `beyond` bytes after
/// its start. Hardware prefetching of sequential reads does not reach far enough. This is only a
/// hint: nothing is read, and on processors without the instruction it does nothing.
#[inline(always)]
pub(crate) fn fetch<A>(values: &[A], beyond: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(sse) = pulp::core_arch::x86::Sse::try_new() {
        const LINE: usize = 64;
        let start = values.as_ptr().cast::<i8>().wrapping_add(beyond);
        for place in (0..size_of_val(values)).step_by(LINE) {
            sse._mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(start.wrapping_add(place));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, beyond);
}

#[cfg(not(test))]
#[inline]
fn arch() -> Arch {
    Arch::new()
}

#[cfg(test)]
thread_local! {
    static GIVEN: std::cell::Cell<Option<Arch>> = const { std::cell::Cell::new(None) };
}

#[cfg(test)]
fn arch() -> Arch {
    GIVEN.get().unwrap_or_default()
}

/// The results of `find` on each instruction set of the processor, including scalar code.
#[cfg(test)]
pub(crate) fn on_each<T>(mut find: impl FnMut() -> T) -> Vec<T> {
    let mut all = vec![Arch::default()];
    #[cfg(target_arch = "x86_64")]
    {
        all.push(Arch::Scalar);
        all.extend(pulp::x86::V3::try_new().map(Arch::V3));
    }
    let found = all.into_iter().map(|arch| {
        GIVEN.set(Some(arch));
        find()
    });
    let found = found.collect();
    GIVEN.set(None);
    found
}
