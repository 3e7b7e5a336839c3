//! Sources of randomness and the types of their results.

use crate::error::Result;
use crate::privacy::NotPrivate;
use crate::random::{Entropy, RandomnessSource};

/// A source of randomness for a draw: [`OperatingSystem`] for a release, [`Seeded`] for a
/// simulation.
///
/// Callers cannot pass their own generator, because the guarantee would then depend on that
/// generator. Results drawn from a seed have a separate type.
///
/// ```
/// use dpsis_mechanisms::{CanonicalLipschitz, Epsilon, Mechanism, Neighbors, NotPrivate, OperatingSystem, Scores, Seeded};
///
/// let scores = Scores::new(vec![3, 120, 7], 1, Neighbors::AddRemove)?;
/// let (mechanism, epsilon): (_, Epsilon) = (CanonicalLipschitz::default(), "1".parse()?);
/// let release: Vec<usize> = mechanism.pick(&scores, 1, &epsilon, OperatingSystem)?;
/// let rehearsal: NotPrivate<Vec<usize>> = mechanism.pick(&scores, 1, &epsilon, Seeded(7))?;
/// assert_eq!(release, *rehearsal);
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
///
/// ```compile_fail,E0277
/// # use dpsis_mechanisms::{CanonicalLipschitz, Mechanism, Neighbors, Scores};
/// # let scores = Scores::new(vec![3, 120, 7], 1, Neighbors::AddRemove)?;
/// let own = rand::rngs::mock::StepRng::new(1, 1);
/// CanonicalLipschitz::default().pick(&scores, 1, &"1".parse()?, own)?;
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
pub trait Randomness: sealed::Source {
    /// The type of a result `T` with this source.
    type Output<T>;
}

/// A fresh 256-bit key from the operating system for every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OperatingSystem;

/// A key derived from a public number, for tests, examples and simulations. The same seed and
/// request give the same result; the different draws of one pipeline use different bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeded(pub u64);

impl Randomness for OperatingSystem {
    type Output<T> = T;
}

impl Randomness for Seeded {
    type Output<T> = NotPrivate<T>;
}

pub(crate) mod sealed {
    use super::*;

    /// Keys, and the types of results drawn with them.
    pub trait Source {
        fn source(self) -> Result<RandomnessSource>;

        fn mark<T>(result: T) -> <Self as Randomness>::Output<T>
        where
            Self: Randomness;
    }

    impl Source for OperatingSystem {
        fn source(self) -> Result<RandomnessSource> {
            Entropy::OperatingSystem.source()
        }

        fn mark<T>(result: T) -> T {
            result
        }
    }

    impl Source for Seeded {
        fn source(self) -> Result<RandomnessSource> {
            Entropy::Seeded(self.0).source()
        }

        fn mark<T>(result: T) -> NotPrivate<T> {
            NotPrivate::new(result)
        }
    }
}
