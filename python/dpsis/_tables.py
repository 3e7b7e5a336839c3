"""Tables of Python as tables of the library.

A matrix of floats is borrowed. A data frame of pandas becomes columns; objects with Arrow's stream interface - tables of
pyarrow, frames of polars, relations of DuckDB - is read by it, its columns borrowed where they are numbers. Lazy frames of
polars and datasets of pyarrow are not held: each pass computes the columns that it needs, batch by batch.
"""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from . import _arguments as arguments
from ._errors import RequestError
from ._native import Table, are_excluded

#: The kinds of numpy's types that are texts or hold objects.
_TEXTS = "OUST"

#: The kind of a column, its values, and additions such as categories or a unit.
_Column: TypeAlias = tuple[str, Any, Any]

#: The integer of a missing date in numpy.
_NOT_A_TIME = np.iinfo(np.int64).min

#: The values of a batch that an engine computes.
_OF_BATCH = 1 << 22

#: The arguments that are facts about a table.
FACTS = (
    "feature_names",
    "target",
    "target_file",
    "id",
    "unit",
    "exclude",
    "missing",
    "features_as_rows",
    "delimiter",
    "decimal_comma",
    "numeric_names",
)


def table(
    data: Any,
    y: Any = None,
    *,
    feature_names: Any = None,
    target: Any = None,
    target_file: Any = None,
    id: Any = None,
    unit: Any = None,
    exclude: Any = (),
    missing: Any = (),
    features_as_rows: bool | None = None,
    delimiter: str | None = None,
    decimal_comma: bool | None = None,
    numeric_names: bool = False,
    as_matrix: bool = True,
    needs_target: bool = True,
    once: bool = False,
    compared: bool = False,
    of_target: Sequence[str] = (),
) -> Table:
    """The table in any data that the package takes; `once`: one pass over the rows may do; `compared`:
    an engine has compared the identifiers of rows; `of_target` names the columns of times and events."""
    exclude = arguments.names("exclude", exclude)
    missing = [arguments.text_of(code) or "" for code in arguments.listed(missing)]
    if _is_pandas(data) and not isinstance(target, str) and target is not None:
        # Labels that are numbers are names, as in pandas.
        labelled = np.ndim(target) == 0 and not all(isinstance(name, str) for name in data.columns)
        target = str(target) if labelled and target in data.columns else target
    # A text names a column; all else holds the ids themselves.
    named, ids = (unit, None) if isinstance(unit, str) else (None, unit)
    facts = {
        "target": _place(target),
        "target_file": None if target_file is None else os.fspath(target_file),
        "id": None if id is None or ids is not None else arguments.word("id", id),
        "unit": named,
        # Where person identifiers come separately, other identifiers are not features, either.
        "exclude": exclude if id is None or ids is None else [*exclude, str(id)],
        "missing": missing,
        "features_as_rows": features_as_rows,
        "delimiter": delimiter,
        "decimal_comma": None if decimal_comma is None else bool(decimal_comma),
        "numeric_names": bool(numeric_names),
        "identifiers_compared": compared,
    }
    if y is not None and (target is not None or target_file is not None):
        raise RequestError("the target is y, or is named: not both", ["y", "target", "target_file"])
    given = json.dumps(facts)
    events = _events(y)
    paths, passes = _paths(data), _passes(data, once and y is None)
    if paths is not None or passes is not None:
        if y is not None:
            raise RequestError("y needs data in memory: give the target of files, lazy frames and datasets by name", ["target"])
        if ids is not None:
            raise RequestError("ids need data in memory: give the column of ids of files, lazy frames and datasets by name", ["unit"])
    if paths is not None:
        return Table.of_files(paths, isinstance(data, (list, tuple)), given)
    for_text = {"delimiter": delimiter, "decimal_comma": decimal_comma, "numeric_names": numeric_names}
    for name, value in for_text.items():
        if value:
            raise RequestError(f"{name} can be given of a file of text only", [name])
    if passes is not None:
        if feature_names is not None:
            raise RequestError("its columns have names of their own", ["feature_names"])
        return Table.of_passes(passes, given)
    refuse(data)
    if events:
        y = None
    if feature_names is not None and hasattr(data, "columns"):
        raise RequestError("a data frame has names of its own", ["feature_names"])
    if _is_pandas(data):
        plain = not (exclude or missing or id is not None or named is not None or features_as_rows)
        return _of_pandas(data, y, ids, given, exclude, as_matrix and plain and y is not None, of_target, events)
    if hasattr(data, "__arrow_c_stream__"):
        if hasattr(data, "columns"):
            check_beside(data, y, ids)
        data = _with_events(data, events)
        if is_of(data, "polars"):
            data = _typed(data)
        return Table.of_stream(data, _beside("y", y), _beside("unit", ids), given)
    values = matrix(data)
    if y is None and needs_target and not events:
        raise RequestError("with an array the target must be given: y", ["y"])
    if target is not None or id is not None or named is not None:
        raise RequestError("the columns of an array have no names", ["target", "id", "unit"])
    names = _feature_names(feature_names, values.shape[1])
    if features_as_rows:
        raise RequestError("an array has samples as rows: pass its transpose", ["data"])
    plain = not (exclude or missing) and values.dtype.kind == "f"
    column, units = _beside("y", y), _beside("unit", ids)
    _check_rows(values.shape, events[0][1] if events else column, units)
    if as_matrix and plain and column is not None and _is_plain(column, units):
        return Table.of_matrix(values, column, units, names)
    columns = [_array_column(values[:, place]) for place in range(values.shape[1])]
    shown = names or [f"feature-{place + 1}" for place in range(values.shape[1])]
    arguments.different([*shown, *(name for name, _ in events)], "y")
    return Table.of_columns([*zip(shown, columns), *events], values.shape[0], column, units, given)


def _events(y: Any) -> list[tuple[str, _Column]]:
    """The columns of times and of events that a structured y holds, by name; none of another y."""
    fields = arguments.fields_of_events(y)
    if fields is None:
        return []
    if y.ndim != 1:
        raise RequestError("y must have one dimension", ["y"])
    return [(name, _array_column(np.asarray(y[name]))) for name in fields]


def _with_events(data: Any, events: list[tuple[str, _Column]]) -> Any:
    """A data frame of polars, or a table of pyarrow, with the columns of a structured y behind its own."""
    if not events:
        return data
    names = [str(name) for name in getattr(data, "column_names", getattr(data, "columns", []))]
    arguments.different([*names, *(name for name, _ in events)], "y")
    if is_of(data, "polars") or hasattr(data, "append_column"):
        _check_rows((len(data), len(names)), events[0][1], None)
    if is_of(data, "polars"):
        import polars

        return data.with_columns(*(polars.Series(name, values) for name, (_, values, _) in events))
    if not hasattr(data, "append_column"):
        rule = "y of times and events needs an array, a data frame of pandas or polars, or a table of pyarrow"
        raise RequestError(f"{rule}: put both into columns, and name them by time and event", ["y", "time", "event"])
    import pyarrow

    for name, (_, values, _) in events:
        data = data.append_column(name, pyarrow.array(values))
    return data


def _place(target: Any) -> Any:
    """The target's column: its name, or its place as the library counts, from 1; None is the last."""
    if target is None or isinstance(target, str):
        return target
    if isinstance(target, (bool, np.bool_)) or not hasattr(target, "__index__") or np.ndim(target):
        raise TypeError("target must be the name of a column or its place; the targets themselves are y")
    place = operator.index(target)
    if place == -1:
        return None
    if place < 0:
        raise RequestError("the place of the target is counted from 0, or -1", ["target"])
    return place + 1


def _paths(data: Any) -> list[str] | None:
    """The paths of files, folders and patterns that data is; None if it is something else."""
    is_list = isinstance(data, (list, tuple))
    listed: Sequence[Any] = data if is_list else [data]
    return list(map(os.fspath, listed)) if all(isinstance(one, (str, os.PathLike)) for one in listed) else None


def _passes(data: Any, once: bool) -> _LazyFrame | _Dataset | _Reader | None:
    """The source of the rows of data for each pass, or `once`; None if they are held."""
    if is_of(data, "polars") and hasattr(data, "collect_schema") and hasattr(data, "collect"):
        return _LazyFrame(data)
    if is_of(data, "pyarrow") and hasattr(data, "scanner"):
        return _Dataset(data)
    if once and is_of(data, "pyarrow") and hasattr(data, "read_next_batch"):
        return _Reader(data)
    return None


def _typed(frame: Any) -> Any:
    """A frame of polars whose columns without a type hold missing numbers: Arrow's stream interface has no form for them."""
    import polars

    return frame.with_columns(polars.selectors.by_dtype(polars.Null).cast(polars.Float64))


class _LazyFrame:
    """A query of polars, computed once for each pass."""

    def __init__(self, frame: Any) -> None:
        self._frame = _typed(frame)

    def empty(self) -> Any:
        return self._frame.collect_schema().to_frame()

    def open(self, places: list[int]) -> Iterator[Any]:
        import polars

        wanted = self._frame.select(polars.nth(places))
        if not hasattr(wanted, "collect_batches"):
            return iter([wanted.collect()])
        return iter(wanted.collect_batches(chunk_size=_rows_of(places), maintain_order=True))


class _Dataset:
    """A dataset of pyarrow, scanned once for each pass; of partitions, the columns that their names hold, too."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        arguments.different(dataset.schema.names, "data")
        parts = [dataset, *getattr(dataset, "children", [])]
        if any(getattr(getattr(part, "format", None), "default_extname", None) in ("csv", "json") for part in parts):
            rule = "in a dataset of CSV or JSON files a cell may not fit the type of its column, which ends the run"
            raise RequestError(f"{rule}: pass the paths of CSV files, or convert JSON files to Parquet", ["data"])
        files = getattr(dataset, "files", [])
        if len(set(files)) < len(files):
            raise RequestError("a file of the dataset is there twice: each of its rows would count twice", ["data"])

    def empty(self) -> Any:
        return self._dataset.schema.empty_table()

    def open(self, places: list[int]) -> Iterator[Any]:
        names = [self._dataset.schema.names[place] for place in places]
        # Rows that were read ahead are held.
        scanner = self._dataset.scanner(
            columns=names, batch_size=_rows_of(places), batch_readahead=2, fragment_readahead=1
        )
        return iter([scanner.to_reader()])


class _Reader:
    """A reader of pyarrow, whose rows come once."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._is_read = False

    def empty(self) -> Any:
        return self._reader.schema.empty_table()

    def open(self, places: list[int]) -> Iterator[Any]:
        if self._is_read:
            rule = "this takes several passes over the rows, and a reader gives them once: pass a table, a dataset or files"
            raise RequestError(rule, ["data"])
        self._is_read = True
        return (batch.select(places) for batch in self._reader)


def _rows_of(places: list[int]) -> int:
    """The rows of a batch of these columns."""
    return max(1, _OF_BATCH // len(places))


def is_of(data: Any, package: str) -> bool:
    """Whether the type of data, or one that it derives from, is one of a package."""
    return any(kind.__module__.split(".")[0] == package for kind in type(data).__mro__)


def _is_pandas(data: Any) -> bool:
    return is_of(data, "pandas") and hasattr(data, "columns")


def refuse(data: Any) -> None:
    """Refuses data that are not a table, with the remedy."""
    kind = type(data).__name__
    package = type(data).__module__.split(".")[0]
    if package == "scipy" or hasattr(data, "tocsr"):
        raise TypeError("data is a sparse matrix: pass it as an array (data.toarray())")
    if hasattr(data, "__cuda_array_interface__"):
        raise TypeError("data is on a GPU: copy it to memory first (.get() or .cpu().numpy())")
    if isinstance(data, (list, tuple)):
        raise TypeError(f"data is a {kind}: pass a NumPy array with y, a data frame, or paths")
    if is_of(data, "narwhals"):
        raise TypeError("data is wrapped by narwhals: pass data.to_native()")
    if kind == "LazyFrame":
        raise TypeError("data is a lazy frame: collect it first (data.collect())")
    is_array = hasattr(data, "__array__") or hasattr(data, "__arrow_c_stream__")
    if kind == "Series" or not is_array:
        wanted = "a path, a data frame, an Arrow table or a NumPy array"
        raise TypeError(f"data must be {wanted}, not {kind}")


def matrix(data: Any) -> np.ndarray[Any, Any]:
    """A matrix of floats, not copied if it is one; or of texts, objects or dates.

    No other package should read the values of data before this, since its messages may show them.
    """
    if isinstance(data, np.ma.MaskedArray):
        values = _unmasked(data)
    else:
        # Lists cell by cell: one that is not a number must not make texts of the others.
        kind_of_cells = object if isinstance(data, (list, tuple)) else None
        try:
            values = np.asarray(data, dtype=kind_of_cells)
        except Exception:
            raise RequestError("data is no matrix: its rows differ in shape", ["data"]) from None
    if values.ndim != 2:
        shape = "Reshape your data: one row of the same length for each person"
        rule = f"an array must have two dimensions, not {values.ndim}. {shape}"
        raise RequestError(rule, ["data"])
    kind, bytes_each = values.dtype.kind, values.dtype.itemsize
    if kind in _TEXTS or kind == "M":
        return values
    if kind == "f" and bytes_each in (4, 8):
        return _borrowable(values.astype(values.dtype.newbyteorder("="), copy=False))
    if kind == "c":
        raise no_complex()
    if kind == "m":
        return _seconds(values)
    if kind not in "fiub":
        raise TypeError(f"an array must hold numbers, dates or texts, not {values.dtype}")
    # Numbers too large for a double are infinite, and so missing.
    with np.errstate(all="ignore"):
        return values.astype(np.float32 if kind == "f" and bytes_each == 2 else np.float64)


def no_complex() -> RequestError:
    """The error for complex numbers, in the words of scikit-learn, whose checks look for them."""
    return RequestError("Complex data not supported: pass both parts as columns of their own", ["data"])


def _borrowable(matrix: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A matrix whose values lie at whole numbers of values from each other; a view of packed records is copied."""
    whole = all(stride % matrix.itemsize == 0 for stride in matrix.strides)
    return matrix if whole and matrix.flags.aligned else np.array(matrix, order="C")


def _unmasked(array: np.ma.MaskedArray[Any, Any]) -> np.ndarray[Any, Any]:
    """The values of an array with a mask, missing where it hides them."""
    hidden, values = np.ma.getmaskarray(array), np.asarray(array.data)
    kind = values.dtype.kind
    if kind in "iub":
        values = values.astype(np.float64)
    elif kind == "M" or kind == "f":
        values = values.copy()
    else:
        values = values.astype(object)
    if values.dtype.kind == "M":
        values.view(np.int64)[hidden] = _NOT_A_TIME
    else:
        values[hidden] = None if values.dtype.kind == "O" else np.nan
    return values


def _feature_names(names: Any, features: int) -> list[str] | None:
    if names is None:
        return None
    if isinstance(names, str):
        raise TypeError("feature_names must be a list of names")
    texts = [arguments.name_of(name) for name in names]
    arguments.different(texts, "feature_names")
    if len(texts) != features:
        raise RequestError("there must be one name for each column", ["feature_names"])
    return texts


def _check_rows(shape: tuple[int, ...], y: _Column | None, units: _Column | None) -> None:
    for name, column in (("y", y), ("unit", units)):
        if column is None or shape[0] == _length(column):
            continue
        turned = "; are the samples its columns? Then pass the transpose" if shape[1] == _length(column) else ""
        raise RequestError(f"data and {name} must have the same number of rows{turned}", ["data", name])


def _is_plain(*columns: _Column | None) -> bool:
    """Whether these columns, as far as they are there, hold numbers or texts of numpy or Python."""
    return all(column is None or column[0] != "stream" for column in columns)


def _array_column(values: np.ndarray[Any, Any]) -> tuple[str, Any, Any]:
    """A column of a matrix, or a target, in numpy, perhaps with a mask."""
    kind = values.dtype.kind
    if kind in "iu":
        # With a mask, since a float for missing values would round the others.
        hidden = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
        return f"{kind}64", np.asarray(values, dtype=np.int64 if kind == "i" else np.uint64), hidden
    if isinstance(values, np.ma.MaskedArray):
        values = _unmasked(values)
        kind = values.dtype.kind
    if kind in _TEXTS:
        return "objects" if kind == "O" else "text", [arguments.text_of(value) for value in values.tolist()], None
    if kind == "M":
        return _times(values)
    if kind == "m":
        return "f64", _seconds(values), None
    with np.errstate(all="ignore"):
        if kind == "f":
            wide = values.dtype.itemsize > 4
            dtype = np.float64 if wide else np.float32
            return ("f64" if wide else "f32"), values.astype(dtype), None
        if kind == "b":
            return "bool", np.asarray(values), None
    raise TypeError(f"values of type {values.dtype} are neither numbers, dates nor texts")


def _seconds(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Spans of time in seconds."""
    if np.datetime_data(values.dtype)[0] in ("Y", "M", "generic"):
        raise TypeError(f"values of type {values.dtype} are of no fixed length")
    return np.asarray(values / np.timedelta64(1, "s"), dtype=np.float64)


def _times(values: np.ndarray[Any, Any]) -> tuple[str, Any, Any]:
    """Dates as counts of a unit; those that seconds cannot count are missing."""
    values = np.array(values, dtype=values.dtype.newbyteorder("="), order="C")
    unit, step = np.datetime_data(values.dtype)
    if unit not in ("s", "ms", "us", "ns") or step != 1:
        counts = values.view(np.int64)
        # Some 10^10 years: in seconds, far from the end of 64 bits.
        most = 10**10 // step * {"Y": 1, "M": 12, "W": 52, "D": 365}.get(unit, 8760)
        counts[np.abs(counts.astype(np.float64)) > most] = _NOT_A_TIME
        values, unit = values.astype("datetime64[s]"), "s"
    return "time", values.view(np.int64), unit


def _of_pandas(
    frame: Any,
    y: Any,
    ids: Any,
    given: str,
    exclude: list[str],
    as_matrix: bool,
    of_target: Sequence[str],
    events: list[tuple[str, _Column]],
) -> Table:
    names = [arguments.name_of(name) for name in frame.columns]
    arguments.different(names, "data")
    arguments.different([*names, *(name for name, _ in events)], "y")
    if not names:
        raise RequestError("the data frame has no columns", ["data"])
    column, units = _beside("y", y), _beside("unit", ids)
    _check_rows(frame.shape, events[0][1] if events else column, units)
    check_beside(frame, y, ids)
    # Types are compared, not hashed: the hash of a categorical one looks at its categories.
    floats = any(all(one == np.dtype(kind) for one in frame.dtypes) for kind in ("f4", "f8"))
    if as_matrix and column is not None and _is_plain(column, units) and floats:
        return Table.of_matrix(_borrowable(frame.to_numpy()), column, units, names)
    # Excluded columns are not read; a pattern may match the target, which is read.
    target = json.loads(given)["target"] or len(names)
    target_name = None if y is not None else names[target - 1] if isinstance(target, int) and target <= len(names) else target
    targets: Sequence[object] = of_target or [target_name]
    excluded = are_excluded(names, exclude)
    columns: list[tuple[str, _Column]] = []
    for place, name in enumerate(names):
        if excluded[place] and name not in targets:
            columns.append((name, _array_column(np.full(len(frame), np.nan, dtype=np.float32))))
            continue
        try:
            columns.append((name, _pandas_column(frame.iloc[:, place])))
        except TypeError as error:
            raise TypeError(f"column {name!r}: {error}; leave it out, or turn it into one of these") from None
    return Table.of_columns([*columns, *events], len(frame), column, units, given)


def _category_text(category: Any) -> str:
    """The text of a category, used for all of its cells; nothing is raised, since which categories occur is private."""
    try:
        text = arguments.text_of(category) or str(category)
    except Exception:
        text = type(category).__name__
    return text.encode("utf-8", "replace").decode("utf-8")


def _pandas_column(series: Any) -> tuple[str, Any, Any]:
    """A column of pandas: of numpy's types, nullable, categorical, of Arrow, with a time zone."""
    kind, name = getattr(series.dtype, "kind", "O"), type(series.dtype).__name__
    if name == "CategoricalDtype":
        categories = [_category_text(one) for one in series.cat.categories]
        return "codes", series.cat.codes.to_numpy().astype(np.int32), categories
    if name == "PeriodDtype":
        # A period is the date of its beginning, in any year.
        return "time", series.array.asfreq("us", how="start").asi8, "us"
    if name == "IntervalDtype":
        return "text", [None if missing else str(one) for one, missing in zip(series, series.isna())], None
    if name == "SparseDtype":
        series = series.sparse.to_dense()
        kind = series.dtype.kind
    if kind == "M" and name == "ArrowDtype" and str(series.dtype.pyarrow_dtype).startswith("timestamp"):
        # Times with a zone are kept in UTC.
        counts = series.astype("int64[pyarrow]").to_numpy(dtype=np.int64, na_value=_NOT_A_TIME)
        return "time", counts, series.dtype.pyarrow_dtype.unit
    if kind == "M" and name != "ArrowDtype":
        if getattr(series.dt, "tz", None) is not None:
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        return _times(series.to_numpy())
    if isinstance(series.dtype, np.dtype):
        return _array_column(series.to_numpy())
    if kind == "b":
        return "bool", series.to_numpy(dtype=bool, na_value=False), series.isna().to_numpy(dtype=bool)
    if kind == "f":
        wide = series.dtype.itemsize > 4
        dtype = np.float64 if wide else np.float32
        return ("f64" if wide else "f32"), series.to_numpy(dtype=dtype, na_value=np.nan), None
    if kind in "iu":
        hidden = series.isna().to_numpy(dtype=bool)
        wide_enough = np.int64 if kind == "i" else np.uint64
        return f"{kind}64", series.to_numpy(dtype=wide_enough, na_value=0), hidden
    if name == "ArrowDtype" and "string" not in str(series.dtype.pyarrow_dtype):
        return "stream", _in_one_piece("", _decoded(series.array.__arrow_array__())), len(series)
    return "text", [arguments.text_of(value) for value in series.tolist()], None


def _beside(name: str, values: Any) -> _Column | None:
    """Separate targets (`y`) or ids (`unit`) as a column of numbers or texts, if given."""
    if values is None:
        return None
    if isinstance(values, str):
        raise TypeError(f"{name} holds the targets themselves: a column that holds them is named by target")
    if _is_pandas(values) or (hasattr(values, "ndim") and values.ndim == 2):
        if values.shape[1] != 1:
            raise RequestError(f"{name} must have one column", [name])
        values = values.iloc[:, 0] if _is_pandas(values) else values[:, 0]
    if hasattr(values, "__cuda_array_interface__"):
        raise TypeError(f"{name} is on a GPU: copy it to memory first (.get() or .cpu().numpy())")
    for package in ("polars", "pyarrow"):
        if is_of(values, package):
            return _arrow_beside(name, values, package)
    is_typed = hasattr(values, "dtype") or hasattr(values, "__array__")
    if isinstance(values, Sequence) and not is_typed and not isinstance(values, (bytes, bytearray, memoryview)):
        # Lists and other sequences, cell by cell: one that is no number must not make texts of the others.
        return "text", [arguments.text_of(value) for value in values], None
    if is_of(values, "pandas") and not _is_object(values.dtype):
        import pandas

        column = _pandas_column(pandas.Series(values))
    else:
        array = np.asanyarray(values)
        if array.ndim != 1:
            raise RequestError(f"{name} must have one dimension", [name])
        column = _array_column(array)
    kind, cells, more = column
    if kind == "f32":
        # The number in the shortest text of a value, as a file would contain it.
        return "f64", cells.astype(str).astype(np.float64), None
    if kind == "codes":
        return "text", [more[code] if code >= 0 else None for code in cells.tolist()], None
    if kind == "time":
        dates = cells.view(f"datetime64[{more}]")
        return "text", [arguments.text_of(value) for value in dates], None
    return column


def _arrow_beside(name: str, values: Any, package: str) -> _Column | None:
    """Targets or ids of polars or pyarrow: numbers by numpy, integers with their mask, all others as they are."""
    if package == "polars":
        is_integer, is_float = values.dtype.is_integer(), values.dtype.is_float()
    else:
        import pyarrow

        values = _decoded(values)
        is_integer, is_float = pyarrow.types.is_integer(values.type), pyarrow.types.is_floating(values.type)
    if is_integer:
        hidden = _numpy_of(values.is_null())
        return _beside(name, np.ma.masked_array(_numpy_of(values.fill_null(0)), hidden))
    if is_float:
        return _beside(name, _numpy_of(values))
    if package == "polars":
        return "stream", values.rechunk().to_frame(name), len(values)
    return "stream", _in_one_piece(name, values), len(values)


def _decoded(values: Any) -> Any:
    """Values of pyarrow without a dictionary, and texts of any length in all.

    The dictionaries of chunks may not fit into one, and texts not into one chunk, by how many and how long they are.
    """
    import pyarrow

    def wide(of: Any) -> Any:
        is_text = pyarrow.types.is_string(of) or pyarrow.types.is_string_view(of)
        return pyarrow.large_string() if is_text else of

    if not pyarrow.types.is_dictionary(values.type):
        of = wide(values.type)
        return values if of == values.type else values.cast(of)
    of = wide(values.type.value_type)
    chunks = values.chunks if hasattr(values, "chunks") else [values]
    return pyarrow.chunked_array([chunk.dictionary.cast(of).take(chunk.indices) for chunk in chunks], of)


def _in_one_piece(name: str, values: Any) -> Any:
    """A table of pyarrow with one column and one chunk."""
    import pyarrow

    return pyarrow.table({name: values}).combine_chunks()


def _numpy_of(values: Any) -> np.ndarray[Any, Any]:
    """Values of polars or pyarrow in numpy."""
    whole = is_of(values, "polars") or hasattr(values, "chunks")
    return np.asarray(values.to_numpy() if whole else values.to_numpy(zero_copy_only=False))


def _length(column: _Column) -> int:
    """The number of values of a column."""
    return int(column[2]) if column[0] == "stream" else len(column[1])


def _is_object(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def check_classes(y: Any, classes: list[str] | None) -> None:
    """Refuses targets that are labels by their type, if no classes are given.

    The type alone decides: the contents of a list or of objects are data, and one label among numbers is a missing number.
    """
    dtype: Any = getattr(y, "dtype", None)
    if dtype is None and hasattr(y, "type") and is_of(y, "pyarrow"):
        dtype = y.type
    if classes is not None:
        return
    described = str(dtype).lower()
    texts = ("<u", "|s", "string", "str", "large_string", "string_view", "enum", "dictionary")
    if isinstance(dtype, np.dtype):
        is_text = dtype.kind in "US"
    else:
        is_text = described.startswith(texts)
    if is_text:
        rule = "y holds texts: give its labels in classes. They are not read from y, because which labels occur is private"
        raise RequestError(rule, ["classes"])


def check_beside(data: Any, y: Any, ids: Any = None) -> None:
    """Refuses targets and ids that are among the columns of a data frame by their name, or that are of other rows."""
    # A table of pyarrow has names apart from its columns.
    names = [str(name) for name in getattr(data, "column_names", data.columns)]
    for given, values, named in (("y", y, "target"), ("unit", ids, "unit")):
        name = getattr(values, "name", None)
        if name is not None and str(name) and str(name) in names:
            rule = f"{given} has the name of the column {str(name)!r}, which is a feature: leave it out, or name it by {named}"
            raise RequestError(rule, list(dict.fromkeys([given, named])))
        has_index = hasattr(values, "index") and not callable(values.index)
        if _is_pandas(data) and has_index and not values.index.equals(data.index):
            rule = f"the rows of data and {given} have different indexes: align them, or pass {given}.to_numpy() if only the order counts"
            raise RequestError(rule, [given])
