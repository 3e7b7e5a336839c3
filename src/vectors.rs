//! Loops compiled for several kinds of processors, of which the best that is here runs.
//!
//! Plain loops over slices become vector instructions. Which ones they are must not show in a bit of a
//! result: tests run what they test on every kind (`on_each`).

use pulp::{Arch, NullaryFnOnce};

/// Runs loops in the widest vectors that the processor has.
#[inline]
pub(crate) fn run<F: NullaryFnOnce>(loops: F) -> F::Output {
    arch().dispatch(loops)
}

/// Asks for memory that will be read soon: as many bytes as the values have, so many bytes beyond their start.
/// Processors see for themselves that memory is read in order, but only so far ahead. A hint: it reads nothing,
/// and does nothing where there is no such instruction.
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
    static STATED: std::cell::Cell<Option<Arch>> = const { std::cell::Cell::new(None) };
}

#[cfg(test)]
fn arch() -> Arch {
    STATED.get().unwrap_or_default()
}

/// What a test finds on each kind of vectors that the processor has, and with none beyond the baseline.
#[cfg(test)]
pub(crate) fn on_each<T>(mut find: impl FnMut() -> T) -> Vec<T> {
    let mut all = vec![Arch::default()];
    #[cfg(target_arch = "x86_64")]
    {
        all.push(Arch::Scalar);
        all.extend(pulp::x86::V3::try_new().map(Arch::V3));
    }
    let found = all.into_iter().map(|arch| {
        STATED.set(Some(arch));
        find()
    });
    let found = found.collect();
    STATED.set(None);
    found
}
