//! Loops compiled for several kinds of processors, of which the best that is here runs.
//!
//! Plain loops over slices become vector instructions. Which ones they are must not show in a bit of a
//! result: tests run what they test on every kind ([`on_each`]).

use pulp::{Arch, NullaryFnOnce};

/// Runs loops in the widest vectors that the processor has.
#[inline]
pub(crate) fn run<F: NullaryFnOnce>(loops: F) -> F::Output {
    arch().dispatch(loops)
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
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
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
