//! Agreements on statements, from counts and from significance.

use dpsis::report::Agreement;

/// The agreement for a statement that holds in `held` of `of` cases.
pub(super) fn agreement_of(held: usize, of: usize) -> Agreement {
    match held {
        _ if of == 0 => Agreement::NotTested,
        0 => Agreement::DoesNotMatch,
        held if held == of => Agreement::Matches,
        _ => Agreement::Partly,
    }
}

/// The number of standard errors above which a difference counts.
pub(super) const CLEAR: f64 = 3.0;

/// The agreement for a statement that should hold in most cases and whose opposite should hold in
/// none.
pub(super) fn mostly(held: usize, opposite: usize, of: usize) -> Agreement {
    match (held, opposite) {
        (held, 0) if 2 * held > of => Agreement::Matches,
        (0, 0) => Agreement::Undecided,
        (0, _) => Agreement::DoesNotMatch,
        _ => Agreement::Partly,
    }
}

/// Comparisons that are parts of one statement, such as one at each budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clear {
    /// The comparisons that clearly hold.
    pub(super) held: usize,
    /// The comparisons whose opposite clearly holds.
    pub(super) reversed: usize,
}

impl Clear {
    /// Counts differences in standard errors, positive where the statement holds. One that is not a
    /// number counts as neither.
    pub(super) fn of(differences: impl IntoIterator<Item = f64>) -> Self {
        let mut found = Self { held: 0, reversed: 0 };
        for z in differences {
            found.held += usize::from(z > CLEAR);
            found.reversed += usize::from(z < -CLEAR);
        }
        found
    }
}

/// The agreement for a statement of several parts: it matches if each part is clear somewhere and
/// reversed nowhere.
pub(super) fn agreement_of_parts(parts: &[Clear]) -> Agreement {
    let all = |is: fn(&Clear) -> bool| parts.iter().all(is);
    if all(|part| part.held > 0 && part.reversed == 0) {
        Agreement::Matches
    } else if all(|part| part.held == 0 && part.reversed == 0) {
        Agreement::Undecided
    } else if all(|part| part.held == 0) {
        Agreement::DoesNotMatch
    } else {
        Agreement::Partly
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significance_follows_the_rule() {
        let clear = |differences: &[f64]| Clear::of(differences.iter().copied());
        assert_eq!(clear(&[4.0, -4.0, 2.0, f64::NAN, 5.0]), Clear { held: 2, reversed: 1 });
        assert_eq!(agreement_of_parts(&[clear(&[4.0, 2.9])]), Agreement::Matches);
        assert_eq!(agreement_of_parts(&[clear(&[4.0, -3.1])]), Agreement::Partly);
        assert_eq!(agreement_of_parts(&[clear(&[-3.1, 0.0])]), Agreement::DoesNotMatch);
        assert_eq!(agreement_of_parts(&[clear(&[1.0, f64::NAN])]), Agreement::Undecided);
        assert_eq!(agreement_of_parts(&[clear(&[4.0]), clear(&[0.0])]), Agreement::Partly);
    }
}
