//! What is known and proven of a mechanism.

/// The card of a mechanism. Tests hold every private mechanism to it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Card {
    /// Its name on the command line and in records.
    pub id: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// What it chooses, and whether the order of its picks is released.
    pub chooses: Chooses,
    /// Which scores it takes.
    pub sensitivity: Sensitivity,
    /// Where it was published.
    pub reference: &'static str,
    /// Its page: what it does, the guarantee with its proof, how it is sampled.
    pub page: &'static str,
    /// The largest log-ratio of its probabilities over epsilon that the enumeration of all neighbors on
    /// small grids finds, to six digits: never above 1.
    pub max_ratio: f64,
    /// Why that is not near 1.
    pub slack: Option<&'static str>,
    /// Whether the time it takes tells something of the scores; what.
    pub timing: Option<&'static str>,
    /// The mistakes in it that the tests are known to reject.
    pub mutants: &'static [&'static str],
}

/// What a mechanism chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chooses {
    /// One candidate.
    One,
    /// A set of k, in the order of the candidates.
    Set,
    /// k candidates in an order that is part of the release.
    Sequence,
}

/// Which scores a mechanism takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sensitivity {
    /// Those with one sensitivity for all.
    Common,
    /// Those with a sensitivity each, of which it makes use.
    Own,
    /// All: it makes no use of them.
    Any,
}

impl Card {
    /// What it promises.
    pub fn statement(&self) -> &'static str {
        match self.sensitivity {
            Sensitivity::Common => {
                "epsilon-differentially private (delta = 0) for neighbors between which no score differs by \
                 more than the common sensitivity"
            }
            Sensitivity::Own => {
                "epsilon-differentially private (delta = 0) for neighbors between which no score differs by \
                 more than its own sensitivity"
            }
            Sensitivity::Any => {
                "epsilon-differentially private (delta = 0) for any two tables of scores"
            }
        }
    }
}
