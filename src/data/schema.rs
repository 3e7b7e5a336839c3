//! What the header says: which columns are features, which is the target, which holds ids.

use std::collections::HashSet;
use std::path::Path;

use crate::error::{Error, Result};

/// Which column holds the target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TargetColumn {
    /// The last one.
    #[default]
    Last,
    /// The one of this name.
    Named(String),
    /// The one at this place, counted from 1.
    At(usize),
}

/// The roles of the columns. Built from the header alone, which is public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Schema {
    header: Vec<String>,
    target: usize,
    id: Option<usize>,
    features: Vec<usize>,
}

impl Schema {
    /// Assigns the roles.
    ///
    /// # Errors
    ///
    /// `Input` if names repeat, a name is empty (but for the first) or no feature is left; `Request`
    /// if a stated column does not exist.
    pub(crate) fn new(
        header: Vec<String>,
        target: &TargetColumn,
        id: Option<&str>,
    ) -> Result<Self> {
        check_names(&header)?;
        let target = match target {
            TargetColumn::Last => header.len() - 1,
            TargetColumn::Named(name) => find(&header, name, "target")?,
            TargetColumn::At(place) if (1..=header.len()).contains(place) => place - 1,
            TargetColumn::At(_) => {
                let columns = header.len();
                return Err(Error::request(format!(
                    "the target's column must lie between 1 and {columns}"
                )));
            }
        };
        let named = id.map(|name| find(&header, name, "id")).transpose()?;
        if named == Some(target) {
            return Err(Error::request("one column cannot be both the target and the id"));
        }
        // Row names, as data frames are often written.
        let unnamed = named.is_none() && header[0].is_empty() && target != 0;
        let id = named.or(unnamed.then_some(0));
        if let Some(blank) = (0..header.len()).find(|&c| header[c].is_empty() && Some(c) != id) {
            return Err(Error::input("the column has no name").at(None, Some(blank + 1)));
        }
        let features: Vec<usize> =
            (0..header.len()).filter(|&c| c != target && Some(c) != id).collect();
        if features.is_empty() {
            return Err(Error::input("there is no feature column")
                .hint("columns must be separated by commas; the last one is the target"));
        }
        Ok(Self { header, target, id, features })
    }

    /// The number of features.
    pub(crate) fn d(&self) -> usize {
        self.features.len()
    }

    /// The columns of the features, from 0.
    pub(crate) fn features(&self) -> &[usize] {
        &self.features
    }

    /// The column of the target, from 0.
    pub(crate) fn target(&self) -> usize {
        self.target
    }

    /// The name of a column, from 0.
    pub(crate) fn name(&self, column: usize) -> &str {
        &self.header[column]
    }

    /// The id column, from 0.
    pub(crate) fn id(&self) -> Option<usize> {
        self.id
    }

    /// Whether a file still has this header.
    pub(crate) fn check_same(&self, header: &[String], path: &Path) -> Result<()> {
        if self.header == header {
            return Ok(());
        }
        Err(Error::input(format!("{} changed while it was being read", path.display())))
    }
}

fn check_names(header: &[String]) -> Result<()> {
    let mut seen = HashSet::with_capacity(header.len());
    for (column, name) in header.iter().enumerate() {
        if !seen.insert(name.as_str()) && !name.is_empty() {
            return Err(Error::input("a column name occurs twice").at(None, Some(column + 1)));
        }
    }
    Ok(())
}

fn find(header: &[String], name: &str, role: &str) -> Result<usize> {
    header.iter().position(|other| other == name).ok_or_else(|| {
        let error = Error::request(format!("there is no column {name:?} for the {role}"));
        match near_misses(header, name).as_slice() {
            [] => error,
            near => error.hint(format!("did you mean {}?", near.join(" or "))),
        }
    })
}

/// Up to three names that are close to a mistyped one, the closest first.
fn near_misses(header: &[String], name: &str) -> Vec<String> {
    let wanted = name.trim().to_lowercase();
    let mut near: Vec<(f64, &String)> = header
        .iter()
        .map(|other| (strsim::jaro_winkler(&wanted, &other.trim().to_lowercase()), other))
        .filter(|(similarity, _)| *similarity > 0.85)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().take(3).map(|(_, other)| format!("{other:?}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn schema(header: &[&str], target: TargetColumn, id: Option<&str>) -> Result<Schema> {
        Schema::new(header.iter().map(|name| name.to_string()).collect(), &target, id)
    }

    #[test]
    fn the_last_column_is_the_target() {
        let schema = schema(&["a", "b", "y"], TargetColumn::Last, None).unwrap();
        assert_eq!((schema.features(), schema.target()), (&[0, 1][..], 2));
    }

    #[test]
    fn columns_can_be_stated() {
        let schema =
            schema(&["id", "y", "b"], TargetColumn::Named("y".into()), Some("id")).unwrap();
        assert_eq!((schema.features(), schema.target(), schema.id()), (&[2][..], 1, Some(0)));
    }

    #[test]
    fn an_unnamed_first_column_holds_ids() {
        let schema = schema(&["", "b", "y"], TargetColumn::At(3), None).unwrap();
        assert_eq!(schema.id(), Some(0));
        assert_eq!(schema.features(), [1]);
    }

    #[test]
    fn what_is_refused() {
        for (header, target, id, kind) in [
            (&["a", "a", "y"][..], TargetColumn::Last, None, ErrorKind::Input),
            (&["a", "", "y"], TargetColumn::Last, None, ErrorKind::Input),
            (&["", "", "y"], TargetColumn::Last, None, ErrorKind::Input),
            (&["y"], TargetColumn::Last, None, ErrorKind::Input),
            (&["", "y"], TargetColumn::Last, None, ErrorKind::Input),
            (&["a", "y"], TargetColumn::At(0), None, ErrorKind::Request),
            (&["a", "y"], TargetColumn::At(3), None, ErrorKind::Request),
            (&["a", "y"], TargetColumn::Named("z".into()), None, ErrorKind::Request),
            (&["a", "y"], TargetColumn::Last, Some("y"), ErrorKind::Request),
        ] {
            let refused = schema(header, target, id).unwrap_err();
            assert_eq!(refused.kind(), kind, "{header:?}");
        }
    }

    #[test]
    fn near_misses_are_offered() {
        let error = schema(&["a", "Status"], TargetColumn::Named("status".into()), None);
        assert!(error.unwrap_err().to_string().contains("did you mean \"Status\"?"));
    }
}
