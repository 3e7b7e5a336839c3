"""Private selections from data frames of Apache Spark, summed or scored where the rows are.

Spark computes the sums of numbers by a query, where there is one; otherwise the executors turn the Arrow batches of their
partitions into integer sums, or columns into scores. The driver adds these up and makes the release. It never holds the
table. The result is that of `dpsis.select` on the collected table, to the bit.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _arguments as arguments
from . import _errors, _native
from ._errors import DpsisError, ReadError, RequestError
from ._job import Job, terms_of, warn
from ._ledger import Ledger, payer
from ._select import public, select_options
from ._select import select as select_in_memory
from ._selection import Selection, parts
from ._tables import table

__all__ = ["select"]

#: The number of tasks that add up the sums of all partitions; the driver adds up theirs.
_ADDERS = 4

#: The most features of a chunk, and the most bytes of its columns in one worker, unless a single column takes more.
_MOST_FEATURES = 32
_MOST_BYTES = 1 << 27

#: The most values that are turned into chunks at a time.
_MOST_VALUES = 1 << 22

#: From this number of features on, Spark hands them over as one array per row: each column costs it milliseconds.
_MANY_FEATURES = 500

#: The types of columns that Spark turns to doubles as Arrow's are.
_NUMBERS = frozenset({"int8", "int16", "int32", "int64", "float", "double"})

#: What every task returns: the place of a chunk's first feature, the content, or an error instead.
_ROW = "place int, content binary, error string"


@arguments.names_near()
def select(
    data: Any,
    k: int | None = None,
    epsilon: arguments.Exact | None = None,
    *,
    fwer: arguments.Exact | None = None,
    at_most: int | None = None,
    target: str | int | None = None,
    classes: Iterable[Any] | None = None,
    time: str | None = None,
    event: Mapping[str, Any] | tuple[str, Any] | None = None,
    by: float | None = None,
    target_bounds: Sequence[float] | None = None,
    target_number: bool = False,
    bounds: Any = None,
    score: str | None = None,
    scale: str | None = None,
    center: Any = "private",
    neighbors: str = "add-remove",
    delta: arguments.Exact | None = None,
    shares: Mapping[str, arguments.Exact] | None = None,
    direction: bool = False,
    mechanism: str | None = None,
    parameters: Mapping[str, arguments.Exact] | None = None,
    id: str | None = None,
    exclude: Iterable[str] | str = (),
    missing: Iterable[Any] = (),
    ledger: Ledger | str | os.PathLike[str] | None = None,
    note: str = "",
    threads: int = 1,
    seed: int | None = None,
) -> Selection:
    """Select k features of a Spark DataFrame, or all significant features, under differential privacy.

    One row is one person. Everything given here must be public knowledge. The parameters are as for `dpsis.select`, as
    far as they make sense here.

    Parameters
    ----------
    data : pyspark.sql.DataFrame
        Columns of numbers, texts, truth values and dates, as `dpsis.select` takes them from Arrow; decimals are read as
        doubles. It is computed once for each stage, twice or three times (see the notes).
    k : int, optional
        The number of features to select. Without it, all that are significant.
    epsilon : number
        The privacy budget.
    fwer, at_most
        As for `dpsis.select`.
    target : str or int, optional
        The column that holds the target: its name, or its place from 0. The last one, if it is not given.
    classes, time, event, by, target_bounds, target_number, bounds, score, scale, center, neighbors, delta, shares, direction, \
mechanism, parameters
        As for `dpsis.select`. Scores are correlation, or Kolmogorov-Smirnov: on bins if bounds or row ranks are given, else
        of whole columns, each of which must fit in the memory of a worker.
    id, exclude, missing
        As for `dpsis.select`. Columns that are not features are not read.
    ledger, note
        As for `dpsis.select`: the ledger, a file of the driver's machine, is charged before a row is read.
    threads : int, optional
        The threads of one task: no more than ``spark.task.cpus``.
    seed : int, optional
        Draw from this seed, for tests: the result is then not private.

    Returns
    -------
    Selection
        The same as that of `dpsis.select` on the collected table.

    Raises
    ------
    RequestError, InputError, BudgetExceeded
        As for `dpsis.select`.
    ReadError
        Spark failed to compute the rows. Its own message, which may hold values of the data, is not passed on.

    Notes
    -----
    **Stages.** A numeric target without a range is counted first, to release its median; for scores of whole columns the
    target is summed to release its center; then follow the sums or the scores of the features. Only the target's column is
    read in the stages before the last. If the rows of `data` are not the same each time they are computed, persist it
    first: the privacy holds, but the result is of different rows and does not repeat.

    **Trust.** Executors, driver and their messages see the data or exact sums. Only the `Selection` is private.
    """
    given = dict(locals())
    request = arguments.note("spark.select", public(given), _DEFAULTS)
    if not hasattr(data, "mapInArrow") or not hasattr(data, "schema"):
        raise TypeError(f"data must be a DataFrame of Spark, not {type(data).__name__}: others are for dpsis.select")
    if data.isStreaming:
        raise TypeError("data is a stream, whose rows have no end")
    options = select_options({**arguments.defaults(select_in_memory), **given})
    charged = payer(ledger, seed)
    terms = terms_of(request, charged, note, seed)
    Job("select", options, terms).check_ledger()
    facts = {"target": target, "id": id, "exclude": arguments.names("exclude", exclude), "missing": arguments.listed(missing)}
    frame = _Frame(data, _Request.given(data, options, facts))
    none = frame.checked()
    if charged is not None:
        _check_target(data, none, options)
    answer = _native.select_in_parts(arguments.as_json(options), json.dumps(terms), none, frame.gather)
    warn(answer, stacklevel=3)
    return Selection(*parts(answer))


_DEFAULTS = arguments.defaults(select)


def _check_target(data: Any, none: _native.Partial, options: Mapping[str, Any]) -> None:
    """Refuses a target of texts without a given kind: labels taken for numbers would be charged."""
    kinds = (options["classes"], options["time"], options["target_bounds"])
    given = any(kind is not None for kind in kinds) or options["target_number"]
    place = none.places()[1]
    is_text = place is not None and str(_arrow_type(data.schema.fields[place].dataType)) == "string"
    if is_text and not given:
        rule = "before a ledger is charged, give the kind of the target: its type does not show it"
        raise RequestError(rule, ["classes", "target_bounds", "target_number"])


@dataclass(frozen=True)
class _Request:
    """The settings of an executor."""

    options: dict[str, Any]
    facts: dict[str, Any]
    names: list[str]
    #: The content of the file of bounds, which lies on the driver's machine.
    bounds: bytes | None = None

    @staticmethod
    def given(data: Any, options: dict[str, Any], facts: dict[str, Any]) -> _Request:
        names = [arguments.name_of(name) for name in data.columns]
        arguments.different(names, "data")
        path, content = options["bounds"], None
        if isinstance(path, str):
            try:
                with open(path, "rb") as file:
                    content = file.read()
            except OSError as error:
                raise ReadError(f"the file of bounds cannot be read: {error.strerror}", ["bounds"]) from None
        return _Request(options, facts, names, content)

    def table(self, columns: Mapping[int, Any], rows: int, compared: bool = True) -> _native.Table:
        """The table with these columns; its other columns are empty. `compared`: identifiers have been compared."""
        import pyarrow

        empty = pyarrow.nulls(rows)
        arrays = [columns.get(place, empty) for place in range(len(self.names))]
        return table(pyarrow.table(arrays, names=self.names), **self.facts, compared=compared)

    def placed(self) -> _Request:
        """The request on the machine of an executor, with the file of bounds written there."""
        if self.bounds is None:
            return self
        handle, path = tempfile.mkstemp(suffix=".csv")
        with os.fdopen(handle, "wb") as file:
            file.write(self.bounds)
        return _Request({**self.options, "bounds": path}, self.facts, self.names)

    def removed(self, placed: _Request) -> None:
        """Removes the file that `placed` has written."""
        if placed is not self:
            os.unlink(placed.options["bounds"])


@dataclass
class _Frame:
    """A data frame and its gathered sums."""

    data: Any
    request: _Request
    #: The sums of the stage before.
    sums: _native.Partial | None = None

    def gather(self, released: str | None, at_center: bool) -> _native.Partial:
        """The sums of all rows, or the scores of all columns, at the values released before."""
        if at_center and self.sums is not None and released is not None:
            return self._scored(self.sums, released)
        self.sums = self._summed(released)
        return self.sums

    def _summed(self, released: str | None) -> _native.Partial:
        total = self.empty(released)
        features = total.places()[0]
        places = _sorted(features, total)
        view = f"rows_{uuid.uuid4().hex}"
        query = self._query(total, view)
        if query is not None:
            return total.with_result(_queried(self._columns(places), view, query))
        others = sorted(set(places).difference(features))
        rows, together = self._joined(features, others), len(features)
        if rows is None:
            rows, together = self._columns(places), 0
        else:
            places = [*features, *others]
        summed = rows.mapInArrow(_task(_sum_rows, self.request, places, released, together), _ROW)
        added = summed.repartition(_ADDERS).mapInArrow(_task(_add_sums), _ROW)
        for row in _collected(added):
            total = total.add(_native.Partial.of_text(bytes(row.content).decode()))
        return total

    def _joined(self, features: Sequence[int], others: Sequence[int]) -> Any | None:
        """The data frame of the features as one array of doubles per row, and of the other columns; None if the features
        are few or not all of them are numbers."""
        names = self.data.columns
        # Spark cannot find columns by names that differ in case alone.
        different = len({name.lower() for name in names}) == len(names)
        if len(features) < _MANY_FEATURES or self.request.facts["id"] is not None or not different:
            return None
        kinds = [one.dataType for one in self.data.schema.fields]
        if not all(str(_arrow_type(kinds[place])) in _NUMBERS for place in features):
            return None
        quoted = ["`" + name.replace("`", "``") + "`" for name in names]
        doubles = [f"CAST({name} AS DOUBLE)" for name in quoted]
        ends = [(doubles if kinds[place].typeName() == "decimal" else quoted)[place] for place in others]
        # One text, because each object of Spark costs a call.
        return self.data.selectExpr(f"array({', '.join(doubles[place] for place in features)}) AS x", *ends)

    def _query(self, none: _native.Partial, view: str) -> str | None:
        """The query of Spark for sums of numbers, if there is one: it costs less than sums of Arrow batches."""
        features, target = none.places()
        types = [_arrow_type(one.dataType) for one in self.data.schema.fields]
        if target is None or not all(str(types[place]) in _NUMBERS for place in features):
            return None
        of = str(types[target])
        kind = "text" if of == "string" else "integer" if of.startswith("int") else "number" if of in _NUMBERS else None
        return kind and none.one_pass_query(arguments.as_json(self.request.options), view, kind)

    def _scored(self, sums: _native.Partial, released: str) -> _native.Partial:
        places = self._needed(sums)
        most = _MOST_BYTES // (8 * max(1, sums.rows()))
        together = max(1, min(_MOST_FEATURES, most))
        cut = _task(_cut_columns, self.request, places, released, together)
        chunks = self._columns(places).mapInArrow(cut, _ROW)
        threads = self.request.options["threads"]
        # Spark looks for type hints, and fails to in a partial function (4.3).
        scored = chunks.groupBy("place").applyInArrow(
            lambda key, joined: _score_columns(released, threads, key, joined), _ROW
        )
        found = {row.place: bytes(row.content).decode() for row in _collected(scored)}
        # Partitions without rows give no chunks: without any rows no column would have a score.
        for place, chunk in enumerate(self._chunks_of_no_rows(released, together)):
            if place not in found:
                found[place] = _native.score_chunks(released, chunk, threads)
        return sums.with_columns(released, [found[place] for place in sorted(found)])

    def _chunks_of_no_rows(self, released: str, together: int) -> list[Any]:
        import pyarrow

        chunks = _native.column_chunks(self._none(), arguments.as_json(self.request.options), released, together)
        return [pyarrow.table({"content": pyarrow.array([chunk], pyarrow.binary())}) for chunk in chunks]

    def checked(self) -> _native.Partial:
        """The sums of no rows, if the request fits the columns."""
        none = self.empty(None)
        id = self.request.facts["id"]
        names = self.request.names
        for place in [*self._needed(none), *([names.index(id)] if id in names else [])]:
            one = self.data.schema.fields[place]
            if _arrow_type(one.dataType) is None:
                rule = f"the column {one.name!r} holds neither numbers nor texts: exclude it, or cast it"
                raise RequestError(rule, ["exclude"])
        return none

    def _needed(self, sums: _native.Partial) -> list[int]:
        """The places of all features and of the target."""
        return _sorted(sums.features(), sums)

    def empty(self, released: str | None) -> _native.Partial:
        """The sums of no rows, by which a request is checked before a job is run."""
        return _native.Partial.of_table(self._none(), arguments.as_json(self.request.options), released)

    def _none(self) -> _native.Table:
        """The table without rows."""
        import pyarrow

        types = [_arrow_type(one.dataType) for one in self.data.schema.fields]
        columns = {place: pyarrow.array([], of) for place, of in enumerate(types) if of is not None}
        return self.request.table(columns, 0)

    def _columns(self, places: Sequence[int]) -> Any:
        """The data frame of these columns alone, as Arrow takes them."""
        from pyspark.sql import functions

        # Names may hold dots, or differ in case alone: places do not.
        named = self.data.toDF(*[f"c{place}" for place in range(len(self.request.names))])
        fields = self.data.schema.fields
        columns = []
        for place in places:
            column = functions.col(f"c{place}")
            is_decimal = fields[place].dataType.typeName() == "decimal"
            columns.append(column.cast("double").alias(f"c{place}") if is_decimal else column)
        id = self.request.facts["id"]
        if id is None:
            return named.select(*columns)
        target = self.empty(None).places()[1]
        return self._one_row_each(named, columns, self.request.names.index(id), target)

    def _one_row_each(self, named: Any, columns: list[Any], id: int, target: int | None) -> Any:
        """The same of one row for each identifier, as `dpsis.select` has them: of rows that share one, two are left out, and
        the others have no target, as rows without an identifier."""
        from pyspark.sql import Window, functions, types

        field = self.data.schema.fields[id]
        held = functions.col(f"c{id}")
        held = held.cast("double") if field.dataType.typeName() == "decimal" else held
        rows = named.select(*columns, held.alias("id"))
        hashed = types.StructType([*rows.schema.fields, types.StructField("hash", types.LongType())])
        rows = rows.mapInArrow(_task(_hash_identifiers, self.request, id), hashed)
        alike = Window.partitionBy("hash")
        shares = functions.count("*").over(alike) > 1
        number = functions.row_number().over(alike.orderBy("hash"))
        has_id = functions.col("hash").isNotNull()
        rows = rows.withColumn("shares", shares).withColumn("number", number)
        rows = rows.where(~has_id | ~functions.col("shares") | (functions.col("number") > 2))
        if target is not None:
            takes_part = has_id & ~functions.col("shares")
            rows = rows.withColumn(f"c{target}", functions.when(takes_part, functions.col(f"c{target}")))
        return rows.drop("id", "hash", "shares", "number")


def _sorted(features: Sequence[int], sums: _native.Partial) -> list[int]:
    """The places of features, and of the columns that make the target of sums."""
    targets = (sums.places()[1], sums.event_place())
    return sorted([*features, *(place for place in targets if place is not None)])


def _arrow_type(of: Any) -> Any:
    """The type of Arrow's columns of a type of Spark, as far as it matters; None if it is not a number, text or date."""
    return _arrow_types().get(of.typeName())


@functools.cache
def _arrow_types() -> dict[str, Any]:
    import pyarrow

    return {
        "boolean": pyarrow.bool_(),
        "byte": pyarrow.int8(),
        "short": pyarrow.int16(),
        "integer": pyarrow.int32(),
        "long": pyarrow.int64(),
        "float": pyarrow.float32(),
        "double": pyarrow.float64(),
        "decimal": pyarrow.float64(),
        "string": pyarrow.string(),
        "char": pyarrow.string(),
        "varchar": pyarrow.string(),
        "date": pyarrow.date32(),
        "timestamp": pyarrow.timestamp("us", "UTC"),
        "timestamp_ntz": pyarrow.timestamp("us"),
        "void": pyarrow.null(),
    }


def _queried(rows: Any, view: str, query: str) -> list[list[str]]:
    """The result of a query on a view of these rows."""
    session = rows.sparkSession

    def run() -> list[Any]:
        rows.createOrReplaceTempView(view)
        try:
            return list(session.sql(query).collect())
        finally:
            session.catalog.dropTempView(view)

    return [[row.item, str(row.place), row.value] for row in _safely(run)]


def _safely(run: Callable[[], list[Any]]) -> list[Any]:
    """The rows that a job of Spark returns. Its message about a failure may hold values of the data."""
    found, failure = [], None
    try:
        found = run()
    except Exception as error:
        failure = _failure(error)
    if failure is not None:
        # Outside of the handler, so that it does not refer to the error of Spark.
        raise failure
    return found


def _collected(rows: Any) -> list[Any]:
    """The few rows that tasks have returned."""
    found = _safely(rows.collect)
    errors = sorted(row.error for row in found if row.error is not None)
    if errors:
        name, message, parameters = json.loads(errors[0])
        raise getattr(_errors, name)(message, parameters)
    return [row for row in found if row.content is not None]


def _failure(error: Any) -> ReadError:
    """The error for a job that failed: of Spark's message only its name."""
    message = str(error)
    if "No module named" in message or "PYTHON_VERSION_MISMATCH" in message or "Cannot run program" in message:
        rule = "the executors run a Python without the package dpsis and its dependencies: set PYSPARK_PYTHON to one that has them"
        return ReadError(f"{rule}, before the session starts; on one machine to {sys.executable}")
    condition = getattr(error, "getCondition", lambda: None)()
    named = f" ({condition})" if condition else ""
    return ReadError(f"Spark failed to compute the rows{named}: its log has details, and may hold values of the data")


# The rest runs in the executors.


def _task(work: Callable[..., Iterator[Any]], *given: Any) -> Callable[..., Any]:
    return functools.partial(work, *given)


def _row(place: int, content: bytes | None, error: str | None = None) -> Any:
    return _rows([place], [content], [error])


def _rows(places: Sequence[int], contents: Sequence[bytes | None], errors: Sequence[str | None]) -> Any:
    import pyarrow

    arrays = [
        pyarrow.array(places, pyarrow.int32()),
        pyarrow.array(contents, pyarrow.binary()),
        pyarrow.array(errors, pyarrow.string()),
    ]
    return pyarrow.RecordBatch.from_arrays(arrays, names=["place", "content", "error"])


def _message(error: Exception) -> str:
    """An error as text, without any value of the data; errors of other packages by their type alone."""
    if isinstance(error, DpsisError):
        return json.dumps([type(error).__name__, error.message, error.parameters])
    return json.dumps(["ReadError", f"a task failed with {type(error).__name__}", []])


def _failing_safely(work: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """Returns an error as a row: Spark would print its traceback, and retry a task that fails every time."""

    @functools.wraps(work)
    def run(*given: Any) -> Iterator[Any]:
        try:
            yield from work(*given)
        except Exception as error:
            yield _row(-1, None, _message(error))

    return run


def _hash_identifiers(request: _Request, id: int, batches: Iterator[Any]) -> Iterator[Any]:
    """Adds the hashes of identifiers, which are the last column."""
    import pyarrow

    for batch in batches:
        column = batch.columns[-1]
        hashes = _native.identifiers(request.table({id: column}, batch.num_rows, compared=False))
        arrays = [*batch.columns, pyarrow.array(hashes, pyarrow.int64())]
        yield pyarrow.RecordBatch.from_arrays(arrays, names=[*batch.schema.names, "hash"])


@_failing_safely
def _sum_rows(
    request: _Request, places: Sequence[int], released: str | None, together: int, batches: Iterator[Any]
) -> Iterator[Any]:
    """The sums of a partition, batch by batch. `together`: the number of features that are in one array per row, or 0."""
    placed, total = request.placed(), None
    try:
        for batch in batches:
            arrays = _separated(batch, together) if together else batch.columns
            columns = placed.table(dict(zip(places, arrays)), batch.num_rows)
            sums = _native.Partial.of_table(columns, arguments.as_json(placed.options), released)
            total = sums if total is None else total.add(sums)
    finally:
        request.removed(placed)
    if total is not None:
        yield _row(0, total.text().encode())


def _separated(batch: Any, together: int) -> list[Any]:
    """The columns of a batch whose first column is arrays of this length; missing values become NaN."""
    import numpy
    import pyarrow

    first, *others = batch.columns
    values = first.flatten().to_numpy(zero_copy_only=False)
    by_column = numpy.ascontiguousarray(values.reshape(batch.num_rows, together).T)
    return [*map(pyarrow.array, by_column), *others]


@_failing_safely
def _add_sums(batches: Iterator[Any]) -> Iterator[Any]:
    """The sum of sums; the first error, if there is one."""
    total = None
    for batch in batches:
        for row in batch.to_pylist():
            if row["error"] is not None:
                yield _row(-1, None, row["error"])
                return
            sums = _native.Partial.of_text(row["content"].decode())
            total = sums if total is None else total.add(sums)
    if total is not None:
        yield _row(0, total.text().encode())


@_failing_safely
def _cut_columns(
    request: _Request, places: Sequence[int], released: str, together: int, batches: Iterator[Any]
) -> Iterator[Any]:
    """The chunks of a partition, a few rows at a time."""
    placed = request.placed()
    rows = max(1, _MOST_VALUES // max(1, len(places)))
    try:
        for batch in batches:
            for first in range(0, batch.num_rows, rows):
                some = batch.slice(first, rows)
                columns = placed.table(dict(zip(places, some.columns)), some.num_rows)
                chunks = _native.column_chunks(columns, arguments.as_json(placed.options), released, together)
                yield _rows(range(len(chunks)), chunks, [None] * len(chunks))
    finally:
        request.removed(placed)


def _score_columns(released: str, threads: int, key: tuple[Any, ...], chunks: Any) -> Any:
    """The scores of the features whose chunks have this place."""
    import pyarrow

    place = key[0].as_py()
    if place < 0:
        row = _row(place, None, chunks.column("error")[0].as_py())
    else:
        try:
            row = _row(place, _native.score_chunks(released, chunks.select(["content"]), threads).encode())
        except Exception as error:
            row = _row(-1, None, _message(error))
    return pyarrow.Table.from_batches([row])
