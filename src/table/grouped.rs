//! Sets of features in place of the features: the mean of each set in each sample.
//!
//! # Definition
//!
//! Let x_j be the grid value of feature j in a sample (its rank within the sample, or its value
//! clipped to a given range), 0 where it is missing, and M_s the members of set s that are
//! features of the table. The value of the set is
//!
//! ```text
//! z_s = round(1/|M_s| * sum of x_j over j in M_s),
//! ```
//!
//! half away from zero, in integers. The number |M_s| follows from the header and the sets,
//! for any missing values in the sample. As |x_j| <= Q, also |z_s| <= Q.
//!
//! # Privacy
//!
//! Row-local: z is a function of one sample, of the public names of the features and of the public
//! sets. So neighboring tables still differ in one sample, every sensitivity is that of any
//! features with values from -Q to Q, and no budget is spent. Sets may overlap: no sensitivity
//! depends on relations between features.
//!
//! # Cost
//!
//! Per sample, that of its grid values and one addition for each member of each set. Columns of a
//! matrix are no longer scored in place but held, 4 bytes per value of a set.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Parameter, Result};
use crate::table::bounds::Bounds;
use crate::table::feature_sets::{FeatureSet, FeatureSets};
use crate::table::scaling::Scaling;
use crate::table::schema::{Orientation, Schema};

/// The members of sets, as places among the features.
#[derive(Debug, Default)]
pub(crate) struct Members {
    /// The members of one set after the other.
    places: Vec<u32>,
    /// The number of members of each set, at least 1.
    sizes: Vec<usize>,
}

impl Members {
    /// Adds a set, unless it has no members.
    pub(crate) fn push(&mut self, members: &[u32]) {
        if !members.is_empty() {
            self.places.extend(members);
            self.sizes.push(members.len());
        }
    }

    /// Replaces the content of `means` by the mean of each set.
    pub(crate) fn means(&self, grid: &[i16], means: &mut Vec<i16>) {
        means.clear();
        let mut places = self.places.iter();
        means.extend(self.sizes.iter().map(|&size| {
            let members = places.by_ref().take(size);
            let sum: i64 = members.map(|&place| i64::from(grid[place as usize])).sum();
            rounded(sum, size as i64)
        }));
    }
}

/// A mean, rounded half away from zero.
fn rounded(sum: i64, size: i64) -> i16 {
    let magnitude = (2 * sum.abs() + size) / (2 * size);
    (if sum < 0 { -magnitude } else { magnitude }) as i16
}

/// A set in a table, by its members and the names of the features alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SetFacts {
    /// Its name.
    pub name: String,
    /// Its line in the file, or its place in the list, counted from 1.
    pub line: usize,
    /// Its members.
    #[serde(flatten)]
    pub members: SetMembers,
    /// Whether it is used.
    pub size: SetSize,
}

/// The members of a set in a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SetMembers {
    /// The number of members that are features of the table.
    pub present: usize,
    /// The other members.
    pub missing: Vec<String>,
}

/// The size of a set in a table, which decides whether it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SetSize {
    /// The set is used.
    Used,
    /// Too few of its members are features of the table.
    TooSmall,
    /// Too many of its members are features of the table.
    TooLarge,
}

/// The sets of a request in one table.
#[derive(Debug)]
pub(crate) struct Grouping {
    /// The used sets as features.
    schema: Schema,
    /// The scaling of the members' values.
    scaling: Scaling,
    members: Members,
    /// All sets, in their order.
    pub(crate) facts: Vec<SetFacts>,
    /// The number of features of the table.
    pub(crate) features: usize,
    pub(crate) least: usize,
    pub(crate) most: Option<usize>,
}

impl Grouping {
    /// Finds the members of sets among the features of a table.
    ///
    /// # Errors
    ///
    /// `Request` if the given sizes are wrong, or if no set is left; the latter is `Input` where
    /// features are rows, because the table had to be read to find out.
    pub(crate) fn new(sets: &FeatureSets, schema: &Schema, scaling: Scaling) -> Result<Self> {
        let (least, most) = sets.checked_sizes()?;
        let places: HashMap<&str, u32> = schema.feature_names().map(str::trim).zip(0..).collect();
        let (mut facts, mut members) = (Vec::new(), Members::default());
        for FeatureSet { name, line, members: given } in sets.sets() {
            let (mut found, mut missing) = (Vec::new(), Vec::new());
            for member in given {
                match places.get(member.as_str()) {
                    Some(place) => found.push(*place),
                    None => missing.push(member.clone()),
                }
            }
            let size = match found.len() {
                few if few < least => SetSize::TooSmall,
                many if most.is_some_and(|most| many > most) => SetSize::TooLarge,
                _ => SetSize::Used,
            };
            if size == SetSize::Used {
                members.push(&found);
            }
            facts.push(SetFacts {
                name: name.clone(),
                line: *line,
                members: SetMembers { present: found.len(), missing },
                size,
            });
        }
        if members.sizes.is_empty() {
            return Err(no_set_left(schema, &facts, least, most));
        }
        let used = facts.iter().filter(|set| set.size == SetSize::Used);
        let schema_of_sets = schema.of_sets(used.map(|set| set.name.clone()));
        let features = schema.d();
        Ok(Self { schema: schema_of_sets, scaling, members, facts, features, least, most })
    }

    /// The used sets as features.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The scaling of the members' values.
    pub(crate) fn scaling(&self) -> &Scaling {
        &self.scaling
    }

    /// The members of the used sets.
    pub(crate) fn members(&self) -> &Members {
        &self.members
    }

    /// The scaling that leaves the means as they are.
    pub(crate) fn of_means() -> Scaling {
        Scaling::Bounds(Bounds::of_grid())
    }

    /// The used sets.
    pub(crate) fn used(&self) -> impl Iterator<Item = &SetFacts> {
        self.facts.iter().filter(|set| set.size == SetSize::Used)
    }
}

/// The error if no set has enough members in the table. Header and sets are public.
fn no_set_left(schema: &Schema, facts: &[SetFacts], least: usize, most: Option<usize>) -> Error {
    let most = most.map_or(String::new(), |most| format!(" and at most {most}"));
    let features = schema.d();
    let rule = format!(
        "no set has at least {least}{most} of its members among the {features} features of the table"
    );
    let error = match schema.orientation() {
        Orientation::SamplesAsRows => Error::request(rule),
        Orientation::FeaturesAsRows => Error::input(rule),
    };
    let largest = facts.iter().map(|set| set.members.present).max().unwrap_or(0);
    let member = facts.iter().flat_map(|set| &set.members.missing).next();
    let error = match schema.feature_names().next().zip(member) {
        Some((feature, member)) if largest == 0 => error.hint(format!(
            "members are found by their names: the first feature is {feature:?}, the first member {member:?}"
        )),
        _ => error.hint(format!("the largest set has {largest}")),
    };
    error.about([Parameter::Groups, Parameter::GroupSize])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;
    use crate::exact::GRID;
    use crate::table::collected::Collected;
    use crate::table::open_table::{Table, fold};
    use crate::table::scaling::Scaler;
    use crate::table::source::sealed::Open;
    use crate::table::{FileTable, Opening, PreparedTable};

    #[test]
    fn halves_go_away_from_zero() {
        let means = [(3, 2), (-3, 2), (1, 3), (-1, 3), (5, 3), (-5, 3), (0, 4), (7, 1)];
        assert_eq!(means.map(|(sum, size)| rounded(sum, size)), [2, -2, 0, 0, 2, -2, 0, 7]);
        let q = i64::from(GRID);
        assert_eq!([rounded(20_000 * q, 20_000), rounded(-q, 1)], [GRID as i16, -GRID as i16]);
    }

    #[test]
    fn means_stay_as_they_are() {
        let of_means = Grouping::of_means();
        let all: Vec<i16> = (-GRID..=GRID).map(|value| value as i16).collect();
        let mut out = vec![0; all.len()];
        Scaler::new(&of_means).sample(&all, &mut out);
        assert_eq!(out, all);
    }

    fn table(text: &str) -> FileTable {
        FileTable::from_reader(std::io::Cursor::new(text.to_owned().into_bytes()))
    }

    /// The sets of a request in a table of text, features in columns, the target last.
    fn grouping(header: &str, sets: FeatureSets, scaling: Scaling) -> Result<Grouping> {
        let opening = Opening::of_all_rows(1);
        let table = table(&format!("{header}\n"));
        Grouping::new(&sets, table.open(&opening)?.schema(), scaling)
    }

    #[test]
    fn members_are_found_by_name() {
        let sets = [("A", vec!["a", "c", "x"]), ("B", vec!["b", "y"]), ("C", vec!["a", "b", "c"])];
        let sets = FeatureSets::new(sets).unwrap();
        let of = |least, most| {
            grouping("id,a,b ,c,y", sets.clone().sizes(least, most), Scaling::RowRank)
        };
        let found = of(2, None).unwrap();
        let facts = |set: &SetFacts| (set.members.present, set.members.missing.join(" "), set.size);
        assert_eq!(
            found.facts.iter().map(facts).collect::<Vec<_>>(),
            [
                (2, "x".into(), SetSize::Used),
                // The target is not a feature.
                (1, "y".into(), SetSize::TooSmall),
                (3, String::new(), SetSize::Used),
            ]
        );
        assert_eq!(found.schema().feature_names().collect::<Vec<_>>(), ["A", "C"]);
        assert_eq!((found.schema().target(), found.schema().d(), found.features), (Some(4), 2, 4));
        assert_eq!((found.members.places, found.members.sizes), (vec![1, 3, 1, 2, 3], vec![2, 3]));
        assert_eq!(of(1, Some(2)).unwrap().facts[2].size, SetSize::TooLarge);
        let refused = of(4, None).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Request);
        assert!(refused.to_string().contains("the largest set has 3"), "{refused}");
        let other = FeatureSets::new([("A", ["ENSG1"])]).unwrap();
        let refused = grouping("a,y", other, Scaling::RowRank).unwrap_err().to_string();
        assert!(refused.contains("feature is \"a\", the first member \"ENSG1\""), "{refused}");
    }

    /// The means of each row, in the order of the targets, which number the rows.
    fn means(text: &str, sets: &FeatureSets, scaling: &Scaling, threads: usize) -> Vec<Vec<f64>> {
        let opening = Opening::of_all_rows(threads);
        let table = table(text);
        let open = table.open(&opening).unwrap();
        let grouping = Grouping::new(sets, open.schema(), scaling.clone()).unwrap();
        let mut grouped = PreparedTable::new(open).grouped(Some(grouping));
        assert!(!grouped.has_words());
        let mut rows = fold(&mut grouped, &Collected::default).unwrap().0;
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows.into_iter().map(|(_, row)| row).collect()
    }

    proptest! {
        /// The means of a row do not depend on the other rows, and equal the means of the
        /// definition in exact fractions.
        #[test]
        fn means_depend_on_their_own_row_only(
            rows in prop::collection::vec(
                prop::collection::vec(prop::option::weighted(0.8, -9i32..10), 5), 1..8),
            sets in prop::collection::vec(prop::sample::subsequence(vec![0usize, 1, 2, 3, 4, 5], 1..6), 1..5),
            ranks in any::<bool>(),
            threads in 1usize..4,
        ) {
            let header = "a,b,c,d,e,y\n";
            // The sixth member is not a feature of the table.
            let name = |&place: &usize| ["a", "b", "c", "d", "e", "other"][place];
            let named = sets.iter().enumerate().map(|(i, set)| {
                (format!("S{i}"), set.iter().map(name).collect::<Vec<_>>())
            });
            let named = FeatureSets::new(named).unwrap().sizes(1, None);
            let used: Vec<Vec<usize>> = sets.iter()
                .map(|set| set.iter().copied().filter(|&place| place < 5).collect())
                .filter(|set: &Vec<usize>| !set.is_empty())
                .collect();
            prop_assume!(!used.is_empty());
            let scaling = match ranks {
                true => Scaling::RowRank,
                false => Scaling::Bounds(Bounds::new(-4.0, 4.0).unwrap()),
            };
            let line = |(i, row): (usize, &Vec<Option<i32>>)| {
                // A word is a missing value.
                let cell = |value: &Option<i32>| value.map_or("word".to_owned(), |v| v.to_string());
                let cells: Vec<String> = row.iter().map(cell).collect();
                format!("{},{i}\n", cells.join(","))
            };
            let lines: Vec<String> = rows.iter().enumerate().map(line).collect();
            let whole = means(&format!("{header}{}", lines.concat()), &named, &scaling, threads);
            for ((line, row), found) in lines.iter().zip(&rows).zip(&whole) {
                let alone = means(&format!("{header}{line}"), &named, &scaling, 1);
                prop_assert_eq!(&alone[0], found);
                let grid: Vec<i64> = row.iter().map(|value| grid_value(*value, row, ranks)).collect();
                for (set, found) in used.iter().zip(found) {
                    let (sum, size) = (set.iter().map(|&j| grid[j]).sum::<i64>(), set.len() as i64);
                    // z is the nearest integer to sum/size, the outer one of two: |z size - sum| <=
                    // size/2.
                    let z = *found as i64;
                    let off = 2 * (z * size - sum);
                    prop_assert!(off.abs() <= size, "{sum}/{size} is not {z}");
                    prop_assert!(off.abs() < size || z.abs() * size > sum.abs(), "{sum}/{size}: {z}");
                }
            }
        }
    }

    /// The grid value of a value in its row, by counting.
    fn grid_value(value: Option<i32>, row: &[Option<i32>], ranks: bool) -> i64 {
        let Some(value) = value else { return 0 };
        let (numerator, denominator) = if ranks {
            let present = row.iter().flatten().count() as i64;
            let below = row.iter().flatten().filter(|other| **other < value).count() as i64;
            let above = row.iter().flatten().filter(|other| **other > value).count() as i64;
            (below - above, (present - 1).max(1))
        } else {
            (i64::from(value.clamp(-4, 4)), 4)
        };
        let doubled = 2 * numerator.abs() * i64::from(GRID) + denominator;
        numerator.signum() * (doubled / (2 * denominator))
    }
}
