//! A table that is a matrix in memory. X is borrowed, never copied.

use std::fmt;
use std::ops::Range;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, Slice, Zip};

use crate::error::{Error, Parameter, Result};
use crate::exact::MAX_ROWS;
use crate::table::batch::{Batch, Folds, Layout, Sink, Values};
use crate::table::cell::CellFormat;
use crate::table::columns::SomeRows;
use crate::table::held_columns::Limit;
use crate::table::hooks::Hooks;
use crate::table::open_table::{Opening, Table, UsableSamples, in_ranges};
use crate::table::schema::Schema;
use crate::table::source::sealed;
use crate::table::target::{Code, TargetCell};
use crate::table::to_target::{OwnTarget, ToTarget};

/// Features X (n samples by d features) and target y (n values) in memory: one row per sample, one
/// column per feature.
///
/// X is a view in any memory order of any [`Element`] (`f64`, `f32`, `bool`, integers up to 32
/// bits); it is not copied. NaN and infinite values are missing. For genes as rows, pass the
/// transposed view, `x.t()`.
///
/// y holds numbers, or labels by their text form: `1.5`, `"case"`, `true`; see [`ToTarget`]. In
/// [`Target::Classes`](crate::Target::Classes) a label is given by its text form, so the class of a
/// number `1.0` is `1`.
///
/// ```
/// use dpsis::{ArrayTable, Select};
/// use ndarray::array;
///
/// let x = array![[0.1, 0.9], [0.2, 0.3], [0.8, 0.4]];
/// let y = array![1.0, 0.0, 1.0];
/// let table = ArrayTable::new(x.view(), y.view())?.feature_names(["age", "dose"])?;
/// let selection = Select::new(1).epsilon("1").bounds(0.0, 1.0).run(&table)?;
/// assert!(["age", "dose"].contains(&selection.selected[0].name.as_str()));
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Clone)]
pub struct ArrayTable<'a, A> {
    x: ArrayView2<'a, A>,
    targets: Vec<OwnTarget>,
    /// The events of the rows whose targets are times to them.
    events: Option<Vec<OwnTarget>>,
    /// Whether the target is a number by its type.
    number_target: bool,
    boolean_target: bool,
    names: Vec<String>,
    /// The id of the unit of each row; empty if each row is its own privacy unit.
    units: Vec<OwnTarget>,
    /// Whether a NaN may stand for a category.
    words: bool,
}

impl<'a, A: Element> ArrayTable<'a, A> {
    /// A table of features `x`, n by d, and `n` targets `y`. Features are called `feature-1` to
    /// `feature-d` unless they have names.
    ///
    /// # Errors
    ///
    /// `Request` if the number of rows differs, or there are more than 2^31 rows or columns.
    pub fn new<T: ToTarget>(x: ArrayView2<'a, A>, y: ArrayView1<'_, T>) -> Result<Self> {
        if x.nrows() != y.len() {
            return Err(Error::request("X and y must have the same number of rows"));
        }
        if x.nrows() as u64 > MAX_ROWS || x.ncols() >= 1 << 31 {
            return Err(Error::request("X has more than 2^31 rows or columns"));
        }
        let targets = y.iter().map(ToTarget::to_target).collect();
        let names = (1..=x.ncols()).map(|column| format!("feature-{column}")).collect();
        Ok(Self {
            x,
            targets,
            events: None,
            number_target: T::IS_NUMBER,
            boolean_target: T::IS_BOOLEAN,
            names,
            units: Vec::new(),
            words: false,
        })
    }

    /// A table of features `x`, n by d, with the times of `n` rows and how each ended: a number, a
    /// boolean or a label. For requests with [`TimeToEvent`](crate::TimeToEvent), which gives the
    /// value that means the event, and the horizon.
    ///
    /// ```
    /// use dpsis::{ArrayTable, Select, Target, TimeToEvent};
    /// use ndarray::{Array1, Array2};
    ///
    /// let x = Array2::from_shape_fn((400, 2), |(row, feature)| (row * (feature + 3) % 7) as f64);
    /// let days = Array1::from_shape_fn(400, |row| if row % 2 == 0 { 400.0 } else { 2500.0 });
    /// let died = Array1::from_shape_fn(400, |row| i32::from(row % 2 == 0));
    /// let table = ArrayTable::of_events(x.view(), days.view(), died.view())?;
    /// let target = TimeToEvent::new("days", ("died", "1"), 1825.0)?;
    /// let select = Select::new(1).epsilon("2").target(Target::TimeToEvent(target));
    /// assert_eq!(select.run(&table)?.selected.len(), 1);
    /// # Ok::<(), dpsis::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new); `Request` if the numbers of times and events differ.
    pub fn of_events<T: ToTarget, E: ToTarget>(
        x: ArrayView2<'a, A>,
        times: ArrayView1<'_, T>,
        events: ArrayView1<'_, E>,
    ) -> Result<Self> {
        if times.len() != events.len() {
            let rule = "times and events must have the same number of rows";
            return Err(Error::request(rule)
                .hint("give one time and one event for each row of X")
                .about([Parameter::Time, Parameter::Event]));
        }
        let events = Some(events.iter().map(ToTarget::to_target).collect());
        Ok(Self { events, ..Self::new(x, times)? })
    }

    /// The names of the features, in the order of the columns. They are public and will be printed.
    ///
    /// # Errors
    ///
    /// `Request` unless there is one name a column, no name is empty or holds a line break, and all
    /// differ.
    pub fn feature_names<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self> {
        self.names = names.into_iter().map(Into::into).collect();
        if self.names.len() != self.x.ncols() {
            return Err(Error::request("there must be one feature name for each column of X"));
        }
        Schema::of_array(self.names.clone())?;
        Ok(self)
    }

    /// Sets the person of each row, or another privacy unit, by an id in any
    /// form. A row with an empty id contributes nothing.
    ///
    /// # Errors
    ///
    /// `Request` unless there is one id for each row of X.
    pub fn units<T: ToTarget>(mut self, ids: impl IntoIterator<Item = T>) -> Result<Self> {
        self.units = ids.into_iter().map(|id| id.to_target()).collect();
        if self.units.len() != self.x.nrows() {
            let error = Error::request("there must be one id of a unit for each row of X");
            return Err(error.about([Parameter::Unit]));
        }
        Ok(self)
    }

    /// Declares targets of several types to be numbers.
    #[doc(hidden)]
    pub fn with_number_target(self) -> Self {
        Self { number_target: true, ..self }
    }

    /// Declares targets of another type to be booleans.
    #[doc(hidden)]
    pub fn with_boolean_target(self) -> Self {
        Self { boolean_target: true, ..self }
    }

    /// Takes a NaN with a payload as a word, as in a table read with its words.
    #[doc(hidden)]
    pub fn with_words(self) -> Self {
        Self { words: true, ..self }
    }
}

/// A number of a matrix: `f32`, `f64`, `bool` or an integer of up to 32 bits; each converts to
/// `f64` exactly.
pub trait Element: Typed {}

impl<A: Typed> Element for A {}

mod typed {
    use super::*;

    /// The sealed part of an element.
    #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
    pub trait Typed: Copy + Into<f64> + Send + Sync {
        /// Values in the form of a batch, if they need no conversion.
        fn values<'a>(_: Layout<'a, Self>) -> Option<Values<'a>> {
            None
        }
    }

    #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
    impl Typed for f32 {
        fn values<'a>(values: Layout<'a, Self>) -> Option<Values<'a>> {
            Some(Values::F32(values))
        }
    }

    #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
    impl Typed for f64 {
        fn values<'a>(values: Layout<'a, Self>) -> Option<Values<'a>> {
            Some(Values::F64(values))
        }
    }

    macro_rules! converted {
        ($($element:ty),*) => {$(impl Typed for $element {})*};
    }

    converted!(bool, i8, i16, i32, u8, u16, u32);
}

use typed::Typed;

impl<A> fmt::Debug for ArrayTable<'_, A> {
    /// Shows the shape, never the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrayTable").field("features", &self.names.len()).finish_non_exhaustive()
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl<A: Element> sealed::Open for ArrayTable<'_, A> {
    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Table + '_>> {
        let (schema, format) = (self.header(opening)?, CellFormat::default());
        let class = |(time, event): (&OwnTarget, &OwnTarget)| {
            let class = opening.events?.class(Some(time.cell()), Some(event.cell()), &format);
            class.map(|class| OwnTarget::Text(class.to_owned()))
        };
        let classes = self.events.as_ref().map(|events| {
            self.targets.iter().zip(events).map(class).collect::<Vec<Option<OwnTarget>>>()
        });
        Ok(Box::new(OpenArray {
            table: self,
            classes,
            schema,
            format,
            threads: opening.threads,
            hooks: opening.hooks.clone(),
        }))
    }

    fn header(&self, opening: &Opening<'_>) -> Result<Schema> {
        if self.names.is_empty() {
            return Err(Error::input("the matrix has no columns"));
        }
        if opening.events.is_some() != self.events.is_some() {
            let rule = "times and events need a target at a horizon";
            return Err(Error::request(rule)
                .hint("give the matrix with times and events, and the request the value that means the event and the horizon")
                .about([Parameter::Time, Parameter::Event, Parameter::Horizon]));
        }
        let schema = Schema::of_array(self.names.clone())?.with_people(!self.units.is_empty());
        let boolean_target = self.boolean_target && opening.events.is_none();
        Ok(schema.with_events_elsewhere(opening.events).with_boolean_target(boolean_target))
    }

    fn identity(&self) -> String {
        format!("{:?}", self.names)
    }

    fn cells(&self) -> CellFormat {
        CellFormat::default()
    }

    fn repeats(&self) -> bool {
        true
    }

    fn has_number_target(&self, _: &Opening<'_>) -> Result<bool> {
        Ok(self.number_target)
    }
}

/// A matrix ready for passes over its rows.
struct OpenArray<'s, 'a, A> {
    table: &'s ArrayTable<'a, A>,
    /// The classes of the rows whose targets are times to events.
    classes: Option<Vec<Option<OwnTarget>>>,
    schema: Schema,
    format: CellFormat,
    threads: usize,
    hooks: Hooks,
}

/// The values of each feature, if they are contiguous in memory and the values of rows are not.
fn by_feature<'a, A>(x: &ArrayView2<'a, A>) -> Option<Vec<&'a [A]>> {
    if x.is_standard_layout() {
        return None;
    }
    (0..x.ncols()).map(|feature| x.index_axis_move(Axis(1), feature).to_slice()).collect()
}

impl<A: Element> OpenArray<'_, '_, A> {
    /// The target of a row.
    fn target(&self, row: usize) -> Option<TargetCell<'_>> {
        match &self.classes {
            Some(classes) => classes[row].as_ref().map(OwnTarget::cell),
            None => Some(self.table.targets[row].cell()),
        }
    }

    /// Sends some rows on: in place if their values lie there as a batch has them, otherwise
    /// copied.
    fn send(
        &self,
        rows: Range<usize>,
        by_feature: Option<&[&[A]]>,
        read_values: bool,
        sink: &mut Sink<'_>,
    ) {
        let ArrayTable { x, units, .. } = self.table;
        let mut send = |rows: Range<usize>, values: Values<'_>| {
            let targets: Vec<_> = rows.clone().map(|row| self.target(row)).collect();
            let ids = units.get(rows.clone()).unwrap_or_default().iter();
            let ids: Vec<_> = ids.map(|id| Some(id.cell())).collect();
            sink(&Batch { ids: &ids, ..Batch::new(rows.start as u64, &targets, values) });
        };
        if !read_values {
            return send(rows, Values::Unread);
        }
        let features: Vec<&[A]>;
        let layout = match by_feature {
            Some(all) => {
                features = all.iter().map(|values| &values[rows.clone()]).collect();
                Some(Layout::Columns(&features[..]))
            }
            None => {
                let d = x.ncols();
                x.as_slice().map(|x| Layout::Rows(&x[rows.start * d..rows.end * d]))
            }
        };
        if let Some(values) = layout.and_then(A::values) {
            return send(rows, values);
        }
        // This number of values fits in the processor's caches; at least a cache line of each
        // feature.
        let some = ((1 << 16) / x.ncols().max(1)).clamp(16, 256);
        for start in rows.clone().step_by(some) {
            let rows = start..(start + some).min(rows.end);
            let mut values = Array2::<f64>::zeros((rows.len(), x.ncols()));
            let from = x.slice_axis(Axis(0), Slice::from(rows.clone()));
            Zip::from(&mut values).and(&from).for_each(|value, from| *value = (*from).into());
            send(rows, Values::F64(Layout::Rows(values.as_slice().unwrap_or_default())));
        }
    }
}

impl<A: Element> Table for OpenArray<'_, '_, A> {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn format(&self) -> &CellFormat {
        &self.format
    }

    fn can_repeat(&self) -> bool {
        true
    }

    fn has_words(&self) -> bool {
        self.table.words
    }

    fn pass(&mut self, folds: &dyn Folds) -> Result<()> {
        let this = &*self;
        let by_feature = by_feature(&this.table.x);
        let size = (this.table.targets.len(), this.table.x.ncols());
        in_ranges(size, this.threads, &this.hooks, folds, &|rows, sink| {
            this.send(rows, by_feature.as_deref(), folds.read_values(), sink);
            Ok(())
        })
    }

    fn columns(&mut self, _: Option<Limit>, code: &Code<'_>) -> Result<UsableSamples<'_>> {
        let codes: Vec<Option<f64>> =
            (0..self.table.targets.len()).map(|row| code(self.target(row)?)).collect();
        let kept = codes.iter().map(Option::is_some).collect();
        Ok(UsableSamples {
            columns: Box::new(SomeRows::new(self.table.x.view(), kept)),
            samples: codes.len() as u64,
            targets: codes.into_iter().flatten().collect(),
            roles: Vec::new(),
        })
    }
}
