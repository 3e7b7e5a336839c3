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
    /// How much of its budget it uses.
    pub tightness: Tightness,
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

/// The largest log-ratio of a mechanism's probabilities between neighbours, over epsilon.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Tightness {
    /// It is reached or approached: above 0.99 on small tables.
    Tight,
    /// It stays below; why.
    Slack(&'static str),
}
