//! The identity of a request: equal texts are requests with the same distribution of releases on
//! the same data.

use crate::request::fields::{PeopleOptions, Request, Scale, Shares};

impl Request {
    /// A text with everything that determines the release except the table, its files and the
    /// program version. Files of bounds are named; their content is not part of it.
    ///
    /// Limits of memory and threads, hooks and random bits do not change the distribution and are
    /// left out.
    pub(crate) fn identity(&self) -> String {
        // Each new field has to be added here or left out by name.
        let Self {
            names,
            epsilon,
            delta,
            method,
            score,
            refine,
            scale,
            numbers_and,
            per_million,
            groups,
            target,
            target_is_given: _,
            people,
            covariates,
            center,
            neighbors,
            shares,
            weights,
            mechanism: _,
            schema_hash,
            threads: _,
            memory: _,
            column_memory: _,
            hooks: _,
            refused: _,
            entropy: _,
            paper,
        } = self;
        let PeopleOptions { rule: rule_of_people, feature: identifiers } = people;
        let Shares { target: median, center: of_center, estimates, direction } = shares;
        let scale = scale.as_ref().map(|scale| match scale {
            Scale::Given(scaling) => format!("{scaling:?}"),
            Scale::BoundsFile(path) => format!("file {path:?}"),
            Scale::BoundsByName(all) => format!("{all:?}"),
        });
        let mechanism = self.mechanism_used();
        format!(
            "{:?}\n{:?}\n{:?}\n{:?}",
            (names, epsilon, delta, method, score, refine, scale),
            (numbers_and, per_million, groups, target, rule_of_people, identifiers, covariates),
            (center, neighbors, median, of_center, estimates, direction),
            (mechanism.card().id, &mechanism, schema_hash, paper, weights),
        )
    }
}
