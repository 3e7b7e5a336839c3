//! Records of selections that are kept for run keys.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::json::{Kept, read_json_with, to_json_with};
use crate::release::record::{Picked, Record, Selection};

/// The values of a record that its JSON omits, except the parameters of warnings.
#[derive(Serialize, Deserialize)]
pub(crate) struct Omitted {
    selected: Vec<usize>,
    screened: Vec<usize>,
    role_columns: usize,
}

impl Record {
    /// The values that the JSON omits.
    pub(crate) fn omitted(&self) -> Omitted {
        let indices =
            |picks: &[Picked]| picks.iter().map(|picked| picked.index).collect::<Vec<_>>();
        Omitted {
            selected: indices(&self.selected),
            screened: indices(self.screened.as_deref().unwrap_or_default()),
            role_columns: self.public.role_columns,
        }
    }

    /// The record read from JSON, with the values that the JSON omits.
    pub(crate) fn with_omitted(mut self, omitted: Omitted) -> Self {
        let Omitted { selected, screened, role_columns } = omitted;
        let picks = self.selected.iter_mut().zip(selected);
        let all = picks.chain(self.screened.iter_mut().flatten().zip(screened));
        all.for_each(|(picked, index)| picked.index = index);
        self.public.role_columns = role_columns;
        self
    }
}

impl Kept for Selection {
    fn to_kept(&self) -> Result<String> {
        to_json_with(self, &self.omitted())
    }

    fn from_kept(text: &str) -> Result<Self> {
        let (record, omitted): (Record, Omitted) = read_json_with(text)?;
        Ok(Self(record.with_omitted(omitted)))
    }
}
