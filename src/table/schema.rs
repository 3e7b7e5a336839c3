//! The roles of columns by the header: features, target, ids.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Parameter, Result};
use crate::table::event::TimeToEvent;
use crate::table::pattern::{Names, is_pattern};

/// The orientation of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orientation {
    /// One row per sample, one column per feature: the header holds feature names.
    #[default]
    SamplesAsRows,
    /// One row per feature, one column per sample: the first column holds feature names, and the
    /// header sample ids, which are private.
    FeaturesAsRows,
}

/// The column that holds the target.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TargetColumn {
    /// The last one.
    #[default]
    Last,
    /// The one of this name.
    Named(String),
    /// The one at this place, counted from 1.
    At(usize),
}

/// The origin of the target.
pub(crate) enum TargetRole<'a> {
    /// A column (or, where features are rows, a row) of the table.
    Here(&'a TargetColumn),
    /// Two columns of the table: of times and of events.
    Events(&'a TimeToEvent),
    /// Another file, joined by the ids of this one.
    Elsewhere,
    /// Outside the columns, or in another file in the order of the samples, or joined by ids
    /// outside the columns. No column of ids is needed.
    Apart,
}

/// The roles of the columns (or rows, where features are rows): features, target, ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub(crate) struct Schema {
    orientation: Orientation,
    names: Vec<String>,
    target: Option<usize>,
    id: Option<usize>,
    features: Vec<usize>,
    /// The column of events, where the target's column holds times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<usize>,
    /// The horizon at which times and events define the target, in this file or another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time_to_event: Option<TimeToEvent>,
    /// Whether the id identifies people.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    people: bool,
    /// Whether rows get their targets from another file by ids; an id takes part if it occurs once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    joined: bool,
    /// Whether a row takes part only if no other row has its id.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    one_row_each: bool,
    /// Whether the target is a column of booleans by its type.
    #[serde(skip)]
    boolean_target: bool,
    /// The places of the columns of text by their type.
    #[serde(skip)]
    texts: Vec<usize>,
    /// The places of columns with another role: ids of people, or the strata of rows.
    #[serde(skip)]
    role_columns: Vec<usize>,
}

/// A schema as read, whose places may be wrong.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    orientation: Orientation,
    names: Vec<String>,
    target: Option<usize>,
    id: Option<usize>,
    features: Vec<usize>,
    #[serde(default)]
    event: Option<usize>,
    #[serde(default)]
    time_to_event: Option<TimeToEvent>,
    #[serde(default)]
    people: bool,
    #[serde(default)]
    joined: bool,
    #[serde(default)]
    one_row_each: bool,
}

impl TryFrom<Unchecked> for Schema {
    type Error = Error;

    fn try_from(read: Unchecked) -> Result<Self> {
        let Unchecked { orientation, names, target, id, features, .. } = read;
        let Unchecked { event, time_to_event, people, joined, one_row_each, .. } = read;
        let roles = [target, id, event];
        let increase = features.is_sorted_by(|a, b| a < b);
        let apart = !features.iter().any(|&place| roles.contains(&Some(place)));
        let mut places = features.iter().chain(roles.iter().flatten());
        let different: HashSet<&usize> = roles.iter().flatten().collect();
        let two_roles = different.len() < roles.iter().flatten().count();
        let named =
            |place: Option<usize>| place.and_then(|place| names.get(place)).map(String::as_str);
        let has_events = match (&time_to_event, event) {
            (Some(own), Some(_)) => {
                named(target) == Some(own.time()) && named(event) == Some(own.event())
            }
            (Some(_), None) => target.is_none(),
            (None, event) => event.is_none(),
        };
        if !increase || !apart || two_roles || !has_events || features.is_empty() {
            return Err(Error::input("a column has two roles, or features are out of order"));
        }
        if places.any(|&place| place >= names.len()) || repeated(&names).is_some() {
            return Err(Error::input("a column has no name, or one that occurs twice"));
        }
        Ok(Self {
            orientation,
            names,
            target,
            id,
            features,
            event,
            time_to_event,
            people,
            joined,
            one_row_each,
            boolean_target: false,
            texts: Vec::new(),
            role_columns: Vec::new(),
        })
    }
}

impl Schema {
    /// Assigns the roles of columns from the header alone, which is public.
    ///
    /// # Errors
    ///
    /// `Input` if names repeat, a name is empty (except for the first) or no feature is left;
    /// `Request` if a given column does not exist.
    pub(crate) fn of_columns(
        header: Vec<String>,
        target: &TargetRole<'_>,
        id: Option<(&str, Parameter)>,
        exclude: &[String],
    ) -> Result<Self> {
        let unnamed_first = header.first().ok_or_else(no_feature)?.is_empty();
        if let Some(column) = repeated(&header) {
            return Err(Error::input("a column name occurs twice").at(None, Some(column + 1)));
        }
        let id_about = id.map(|(_, about)| about);
        let named = id.map(|(name, about)| find(&header, name, "of identifiers", about));
        let named = named.transpose()?;
        // A first column without a name holds row names, as in files written from data frames.
        let unnamed = |target: usize| {
            let unnamed = named.is_none() && unnamed_first && target != 0;
            named.or(unnamed.then_some(0))
        };
        let mut event = None;
        let (target, id) = match target {
            TargetRole::Here(target) => {
                let target = locate(&header, target)?;
                (Some(target), unnamed(target))
            }
            TargetRole::Events(events) => {
                let (target, place) = places_of_events(&header, events, exclude)?;
                event = Some((place, *events));
                (Some(target), unnamed(target))
            }
            TargetRole::Elsewhere => (None, Some(named.unwrap_or(0))),
            TargetRole::Apart => (None, named.or(unnamed_first.then_some(0))),
        };
        if named.is_some() && named == target {
            let about = [Parameter::Target].into_iter().chain(id_about);
            return Err(Error::request("one column cannot be both the target and the identifier")
                .about(about));
        }
        // A nameless first column is not a feature even where others hold the ids.
        let first = usize::from(target != Some(0));
        if let Some(blank) = (first..header.len()).find(|&c| header[c].is_empty()) {
            let error = Error::input("the column has no name").hint("name it");
            return Err(error.at(None, Some(blank + 1)));
        }
        let schema = Self::new(Orientation::SamplesAsRows, header, target, id, exclude)?;
        let schema = schema.without_event(event);
        if schema.d() == 0 {
            return Err(no_feature());
        }
        Ok(schema)
    }

    /// Assigns the roles of rows, by their names.
    ///
    /// # Errors
    ///
    /// As for columns.
    pub(crate) fn of_rows(
        names: Vec<String>,
        target: &TargetRole<'_>,
        exclude: &[String],
    ) -> Result<Self> {
        let in_row = |row: usize| (Some(row as u64 + 1), Some(1));
        if let Some(row) = repeated(&names) {
            let (row, column) = in_row(row);
            return Err(Error::input("a feature name occurs twice").at(row, column));
        }
        if let Some(row) = names.iter().position(String::is_empty) {
            let (row, column) = in_row(row);
            return Err(Error::input("the feature has no name").at(row, column));
        }
        let mut event = None;
        let target = match target {
            TargetRole::Events(events) => {
                let (target, place) = places_of_events(&names, events, exclude)?;
                event = Some((place, *events));
                Some(target)
            }
            TargetRole::Here(TargetColumn::Named(name)) => {
                Some(find(&names, name, "for the target", Parameter::Target)?)
            }
            TargetRole::Here(target @ TargetColumn::At(_)) => Some(locate(&names, target)?),
            TargetRole::Here(TargetColumn::Last) => {
                return Err(target_of_rows());
            }
            TargetRole::Elsewhere | TargetRole::Apart => None,
        };
        let schema = Self::new(Orientation::FeaturesAsRows, names, target, None, exclude)?;
        let schema = schema.without_event(event);
        if schema.d() == 0 {
            return Err(Error::input("there is no feature row"));
        }
        Ok(schema)
    }

    /// Makes all columns of a matrix features; the target is separate.
    ///
    /// # Errors
    ///
    /// `Request` if names repeat, a name is empty or holds a line break.
    #[cfg(feature = "ndarray")]
    pub(crate) fn of_array(names: Vec<String>) -> Result<Self> {
        if let Some(column) = repeated(&names) {
            let number = column + 1;
            return Err(Error::request(format!("the name of feature {number} occurs twice")));
        }
        let unprintable = |name: &String| name.is_empty() || name.contains(['\n', '\r', '\0']);
        if let Some(column) = names.iter().position(unprintable) {
            let number = column + 1;
            let rule = format!("the name of feature {number} is empty or holds a line break");
            return Err(Error::request(rule));
        }
        Self::new(Orientation::SamplesAsRows, names, None, None, &[])
    }

    fn new(
        orientation: Orientation,
        names: Vec<String>,
        target: Option<usize>,
        id: Option<usize>,
        exclude: &[String],
    ) -> Result<Self> {
        let excluded = excluded(&names, target, exclude)?;
        let has_role = |c: usize| Some(c) == target || Some(c) == id || names[c].is_empty();
        let is_feature = |c: &usize| !has_role(*c) && !excluded.contains(c);
        let features = (0..names.len()).filter(is_feature).collect();
        let role_columns = Vec::new();
        Ok(Self {
            orientation,
            names,
            target,
            id,
            features,
            event: None,
            time_to_event: None,
            people: false,
            joined: false,
            one_row_each: false,
            boolean_target: false,
            texts: Vec::new(),
            role_columns,
        })
    }

    /// The same table with a column of events, which is then not a feature.
    fn without_event(mut self, event: Option<(usize, &TimeToEvent)>) -> Self {
        if let Some((place, events)) = event {
            self.features.retain(|feature| *feature != place);
            (self.event, self.time_to_event) = (Some(place), Some(events.clone()));
        }
        self
    }

    /// The same table, whose target is defined by times and events outside its columns.
    pub(crate) fn with_events_elsewhere(mut self, events: Option<&TimeToEvent>) -> Self {
        if self.time_to_event.is_none() {
            self.time_to_event = events.cloned();
        }
        self
    }

    /// The same table, whose target is one of booleans by its type, or not.
    pub(crate) fn with_boolean_target(self, boolean_target: bool) -> Self {
        Self { boolean_target, ..self }
    }

    /// The same table with the places of the columns that are text by their types, which are
    /// public.
    pub(crate) fn with_text_types(self, texts: Vec<usize>) -> Self {
        Self { texts, ..self }
    }

    /// The same table; a column also has the type of the column of its name in the other table.
    pub(crate) fn with_types_of(self, other: &Self) -> Self {
        let places: HashMap<&str, usize> =
            self.names.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
        let place = |of: &usize| places.get(other.name(*of)).copied();
        let all: BTreeSet<usize> =
            self.texts.iter().copied().chain(other.texts.iter().filter_map(place)).collect();
        self.with_text_types(all.into_iter().collect())
    }

    /// The names of the features that are text by their type.
    pub(crate) fn text_features(&self) -> impl Iterator<Item = &str> {
        let texts: HashSet<usize> = self.texts.iter().copied().collect();
        let features = self.features.iter().filter(move |place| texts.contains(place));
        features.map(|place| self.name(*place))
    }

    /// Whether the target is a column of booleans by its type, which is public.
    pub(crate) fn has_boolean_target(&self) -> bool {
        self.boolean_target
    }

    /// The horizon by which times and events make the target.
    pub(crate) fn time_to_event(&self) -> Option<&TimeToEvent> {
        self.time_to_event.as_ref()
    }

    /// The place of the column of events, from 0; `None` if the table has no such column.
    pub(crate) fn event(&self) -> Option<usize> {
        self.event
    }

    /// The same table with sets of its features in their place.
    pub(crate) fn of_sets(&self, sets: impl IntoIterator<Item = String>) -> Self {
        let mut names = self.names.clone();
        names.extend(sets);
        let features = (self.names.len()..names.len()).collect();
        Self { names, features, role_columns: Vec::new(), ..self.clone() }
    }

    /// The orientation of the table.
    pub(crate) fn orientation(&self) -> Orientation {
        self.orientation
    }

    /// The same table with people, identified by its ids, as units, or with samples.
    pub(crate) fn with_people(self, people: bool) -> Self {
        Self { people, ..self }
    }

    /// The same table, whose rows may get their targets from another file by ids.
    pub(crate) fn joined(self, joined: bool) -> Self {
        Self { joined, ..self }
    }

    /// Whether rows get their targets from another file by ids.
    pub(crate) fn is_joined(&self) -> bool {
        self.joined
    }

    /// The same table, with or without the rule that rows that share an identifier take no part.
    pub(crate) fn with_one_row_each(self, one_row_each: bool) -> Self {
        Self { one_row_each, ..self }
    }

    /// Whether a row takes part only if no other row has its identifier.
    pub(crate) fn has_one_row_each(&self) -> bool {
        self.one_row_each
    }

    /// Whether rows are privacy units that take part depending on their identifiers: replacing a
    /// row may then remove another one as well, and the number of rows that take part is not
    /// public.
    pub(crate) fn compares_ids(&self) -> bool {
        (self.joined || self.one_row_each) && !self.people
    }

    /// The same table with people, identified by ids outside its columns, as units.
    pub(crate) fn with_people_beside(self) -> Self {
        Self { people: true, id: None, ..self }
    }

    /// Whether each row has the id of a person.
    pub(crate) fn has_people(&self) -> bool {
        self.people
    }

    /// The number of features.
    pub(crate) fn d(&self) -> usize {
        self.features.len()
    }

    /// The places of the features, from 0.
    pub(crate) fn features(&self) -> &[usize] {
        &self.features
    }

    /// The names of the features.
    pub(crate) fn feature_names(&self) -> impl Iterator<Item = &str> {
        self.features.iter().map(|&place| self.name(place))
    }

    /// The number of a feature among the features, by its name.
    ///
    /// # Errors
    ///
    /// `Request`, about a parameter, if no feature has this name.
    pub(crate) fn place_of_feature(&self, name: &str, about: Parameter) -> Result<usize> {
        let column = find(&self.names, name, "", about)?;
        self.features.iter().position(|feature| *feature == column).ok_or_else(|| {
            let rule = format!(
                "the column {name:?} is not a feature: it is left out, or has a role of its own"
            );
            Error::request(rule).about([about])
        })
    }

    /// The same table without some of its features, by their numbers.
    ///
    /// # Errors
    ///
    /// `Request` if no feature is left.
    pub(crate) fn without_features(&self, numbers: &[usize]) -> Result<Self> {
        let kept = self.features.iter().enumerate().filter(|(i, _)| !numbers.contains(i));
        let features: Vec<usize> = kept.map(|(_, feature)| *feature).collect();
        if features.is_empty() {
            return Err(Error::request("there is no feature besides the covariates")
                .about([Parameter::Covariates]));
        }
        let role_columns = numbers.iter().map(|number| self.features[*number]).collect();
        Ok(Self { features, role_columns, ..self.clone() })
    }

    /// The places of this schema's features among the features of another one with the same
    /// columns, by their names.
    ///
    /// # Errors
    ///
    /// `Request` if the other one has others, or other roles of them.
    pub(crate) fn places_in(&self, other: &Self) -> Result<Vec<usize>> {
        let refuse = |rule: String| Err(Error::request(rule));
        let names: HashSet<&String> = other.names.iter().collect();
        // Names of the other one may be the values of a file without a header.
        if let Some(name) = self.names.iter().find(|name| !names.contains(name)) {
            return refuse(format!("the column {name:?} of the first is not among its columns"));
        }
        if self.names.len() != other.names.len() {
            let more = other.names.len() - self.names.len();
            return refuse(format!("it has {more} more columns than the first"));
        }
        let name =
            |schema: &Self, place: Option<usize>| place.map(|place| schema.names[place].clone());
        let roles = |schema: &Self| {
            let of = |place| name(schema, place);
            let by_id = [schema.people, schema.joined, schema.one_row_each];
            let events = (schema.time_to_event.clone(), of(schema.event));
            (schema.orientation, by_id, of(schema.target), of(schema.id), events)
        };
        if roles(self) != roles(other) {
            return refuse("its columns of targets or ids differ from the first file".to_owned());
        }
        let places: HashMap<&str, usize> =
            other.feature_names().enumerate().map(|(place, name)| (name, place)).collect();
        let found: Option<Vec<usize>> =
            self.feature_names().map(|name| places.get(name).copied()).collect();
        match found.filter(|found| found.len() == places.len()) {
            Some(found) => Ok(found),
            None => refuse("its features differ from the first file".to_owned()),
        }
    }

    /// The number of columns with another role: ids of people, or the strata of rows.
    pub(crate) fn role_columns(&self) -> usize {
        self.role_columns.len()
    }

    /// The number of a feature among the features and the columns of ids of people and of
    /// covariates: in a matrix, its column.
    pub(crate) fn index(&self, feature: usize) -> usize {
        let place = self.features[feature];
        feature + self.role_columns.iter().filter(|other| **other < place).count()
    }

    /// The place of the target, from 0; `None` if it is outside the table.
    pub(crate) fn target(&self) -> Option<usize> {
        self.target
    }

    /// The name at a place, from 0.
    pub(crate) fn name(&self, place: usize) -> &str {
        &self.names[place]
    }

    /// The place of the id column, from 0.
    pub(crate) fn id(&self) -> Option<usize> {
        self.id
    }

    /// Whether these are the names that the schema was made of.
    pub(crate) fn is_of(&self, names: &[String]) -> bool {
        self.names == names
    }
}

fn no_feature() -> Error {
    Error::input("there is no feature column")
        .hint(
            "every column is the target, an identifier or excluded: add a column, or exclude fewer",
        )
        .about([Parameter::Target, Parameter::Exclude])
}

/// The error for features as rows without a target: no row stands for it by default.
pub(crate) fn target_of_rows() -> Error {
    Error::request("with features as rows give the target: a file, or the name of a row")
        .about([Parameter::TargetFile, Parameter::Target])
}

/// The first place of a name that occurred before; empty names are ignored.
fn repeated(names: &[String]) -> Option<usize> {
    let mut seen = HashSet::with_capacity(names.len());
    names.iter().position(|name| !seen.insert(name.as_str()) && !name.is_empty())
}

/// Whether each column is excluded, by its name or by a pattern.
///
/// # Errors
///
/// `Request` for an exclusion of no column.
pub fn are_excluded(names: &[String], exclude: &[String]) -> Result<Vec<bool>> {
    let excluded = excluded(names, None, exclude)?;
    Ok((0..names.len()).map(|place| excluded.contains(&place)).collect())
}

/// The places of the columns that are excluded, each by its name or by a pattern. The target is not
/// a feature anyway, so a pattern may match it.
fn excluded(names: &[String], target: Option<usize>, exclude: &[String]) -> Result<HashSet<usize>> {
    if exclude.is_empty() {
        return Ok(HashSet::new());
    }
    let all = Names::new(names);
    let mut excluded = HashSet::new();
    for pattern in exclude {
        let mut places = all.places(pattern);
        if places.is_empty() && is_pattern(pattern) {
            let rule = format!("no name matches the exclusion {pattern:?}");
            return Err(Error::request(rule).about([Parameter::Exclude]));
        }
        if places.is_empty() {
            places = vec![find(names, pattern, "to exclude", Parameter::Exclude)?];
        }
        if places.iter().all(|place| Some(*place) == target) {
            return Err(Error::request("the target cannot be excluded")
                .hint("name another target, or leave it out of the exclusions: it is not a feature anyway")
                .about([Parameter::Target, Parameter::Exclude]));
        }
        excluded.extend(places);
    }
    Ok(excluded)
}

/// The places of the columns of times and of events; neither column may be excluded.
fn places_of_events(
    header: &[String],
    events: &TimeToEvent,
    exclude: &[String],
) -> Result<(usize, usize)> {
    let [(time, of_times), (event, of_events)] = events.columns();
    let places = [
        find(header, time, "for the times", of_times)?,
        find(header, event, "for the events", of_events)?,
    ];
    let all = Names::new(header);
    let is_target = |pattern: &String| {
        let excluded = all.places(pattern);
        !excluded.is_empty() && excluded.iter().all(|place| places.contains(place))
    };
    if exclude.iter().any(is_target) {
        let rule = "the columns of times and events cannot be excluded: they are the target";
        return Err(Error::request(rule)
            .hint("leave them out of the exclusions: they are not features anyway")
            .about([Parameter::Exclude]));
    }
    Ok((places[0], places[1]))
}

fn locate(header: &[String], target: &TargetColumn) -> Result<usize> {
    let columns = header.len();
    match target {
        TargetColumn::Last => Ok(columns - 1),
        TargetColumn::Named(name) => find(header, name, "for the target", Parameter::Target),
        TargetColumn::At(place) if (1..=columns).contains(place) => Ok(place - 1),
        TargetColumn::At(_) => {
            let rule =
                format!("there is no such place for the target: the table has {columns} columns");
            Err(Error::request(rule).about([Parameter::TargetIndex]))
        }
    }
}

fn find(header: &[String], name: &str, role: &str, about: Parameter) -> Result<usize> {
    header.iter().position(|other| other == name).ok_or_else(|| {
        let blank = if role.is_empty() { "" } else { " " };
        let error = Error::request(format!("there is no column {name:?}{blank}{role}"));
        error.about([about]).or_near(header, name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn schema(header: &[&str], target: TargetColumn, id: Option<&str>) -> Result<Schema> {
        let header = header.iter().map(|name| name.to_string()).collect();
        let id = id.map(|id| (id, Parameter::Id));
        Schema::of_columns(header, &TargetRole::Here(&target), id, &[])
    }

    #[test]
    fn the_last_column_is_the_target() {
        let schema = schema(&["a", "b", "y"], TargetColumn::Last, None).unwrap();
        assert_eq!((schema.features(), schema.target()), (&[0, 1][..], Some(2)));
    }

    #[test]
    fn columns_can_be_given() {
        let schema =
            schema(&["id", "y", "b"], TargetColumn::Named("y".into()), Some("id")).unwrap();
        assert_eq!((schema.features(), schema.target(), schema.id()), (&[2][..], Some(1), Some(0)));
    }

    #[test]
    fn an_unnamed_first_column_holds_ids() {
        let schema = schema(&["", "b", "y"], TargetColumn::At(3), None).unwrap();
        assert_eq!(schema.id(), Some(0));
        assert_eq!(schema.features(), [1]);
    }

    #[test]
    fn invalid_headers_are_refused() {
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
    fn a_target_elsewhere_needs_ids() {
        let header = vec!["who".to_owned(), "a".into(), "b".into()];
        let schema = Schema::of_columns(header.clone(), &TargetRole::Elsewhere, None, &[]).unwrap();
        assert_eq!((schema.id(), schema.target(), schema.d()), (Some(0), None, 2));
        let schema =
            Schema::of_columns(header, &TargetRole::Elsewhere, Some(("b", Parameter::Id)), &[])
                .unwrap();
        assert_eq!((schema.id(), schema.features()), (Some(2), &[0, 1][..]));
    }

    #[test]
    fn columns_can_be_left_out() {
        let header = || ["a", "b", "c", "y"].map(str::to_owned).to_vec();
        let role = TargetRole::Here(&TargetColumn::Last);
        let without = |name: &str| Schema::of_columns(header(), &role, None, &[name.to_owned()]);
        assert_eq!(without("b").unwrap().features(), [0, 2]);
        assert!(without("y").is_err() && without("z").is_err());
    }

    #[test]
    fn columns_can_be_left_out_by_patterns() {
        let header = || ["id", "a_1", "a_2", "b", "a_y"].map(str::to_owned).to_vec();
        let role = TargetRole::Here(&TargetColumn::Last);
        let without = |patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|p| p.to_string()).collect();
            Schema::of_columns(header(), &role, None, &patterns)
        };
        // The target matches, too, and stays the target.
        let schema = without(&["a_*"]).unwrap();
        assert_eq!((schema.features(), schema.target()), (&[0, 3][..], Some(4)));
        assert_eq!(without(&["?", "a_1"]).unwrap().features(), [0, 2]);
        for refused in ["c*", "???????", "*y"] {
            let error = without(&[refused]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Request, "{refused}");
        }
        assert_eq!(without(&["*"]).unwrap_err().kind(), ErrorKind::Input);
        let names = ["g1", "g2", "status"].map(str::to_owned).to_vec();
        let named = TargetColumn::Named("status".into());
        let schema = Schema::of_rows(names, &TargetRole::Here(&named), &["*2".to_owned()]).unwrap();
        assert_eq!(schema.features(), [0]);
    }

    #[test]
    fn features_can_be_rows() {
        let names = || vec!["g1".to_owned(), "status".into(), "g2".into()];
        let named = TargetColumn::Named("status".into());
        let schema = Schema::of_rows(names(), &TargetRole::Here(&named), &[]).unwrap();
        assert_eq!((schema.target(), schema.features()), (Some(1), &[0, 2][..]));
        assert!(Schema::of_rows(names(), &TargetRole::Here(&TargetColumn::Last), &[]).is_err());
        let twice = vec!["g".to_owned(), "g".into()];
        let place =
            Schema::of_rows(twice, &TargetRole::Elsewhere, &[]).unwrap_err().place().unwrap();
        assert_eq!((place.row, place.column), (Some(2), Some(1)));
    }

    #[test]
    fn near_misses_are_offered() {
        let error = schema(&["a", "Status"], TargetColumn::Named("status".into()), None);
        assert!(error.unwrap_err().to_string().contains("did you mean \"Status\"?"));
    }

    #[test]
    fn a_written_schema_is_checked_when_it_is_read() {
        let written = serde_json::to_string(
            &schema(&["id", "a", "b", "y"], TargetColumn::Last, Some("id")).unwrap(),
        );
        let written = written.unwrap();
        assert!(serde_json::from_str::<Schema>(&written).is_ok());
        for (whole, broken) in [
            (r#""target":3"#, r#""target":4"#),
            (r#""target":3"#, r#""target":0"#),
            (r#""target":3"#, r#""target":1"#),
            (r#""id":0"#, r#""id":9"#),
            (r#"[1,2]"#, r#"[2,1]"#),
            (r#"[1,2]"#, r#"[1,1]"#),
            (r#"[1,2]"#, r#"[1,2,4]"#),
            (r#"[1,2]"#, r#"[]"#),
            (r#""b""#, r#""a""#),
        ] {
            assert!(written.contains(whole));
            assert!(
                serde_json::from_str::<Schema>(&written.replace(whole, broken)).is_err(),
                "{broken}"
            );
        }
    }
}
