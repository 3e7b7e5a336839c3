"""One person more, with any cells, stops no run and changes nothing about the others."""

import collections
import datetime
import functools
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pytest

import dpsis
from conftest import without

RNG = np.random.default_rng(0)
N = 300
X = RNG.normal(size=(N, 4))
NUMBERS = X[:, 1] + RNG.normal(size=N)
LABELS = (NUMBERS > 0).astype(int)
#: One person more, whose own features are the middle of all ranges.
MORE = np.vstack([X, np.zeros(4)])

#: Cells that programs have left in columns of objects.
ODD = {
    "nothing": None,
    "a word": "x",
    "half a character": "Jane Roe \ud83d",
    "bytes": b"\xff",
    "a list": [1, 2],
    "an array": np.zeros(3),
    "a large integer": 2**60,
    "a very large integer": 10**5000,
    "a large fraction": Fraction(10**400),
    "no number": Decimal("sNaN"),
    "a large decimal": Decimal("1e999"),
    "a long double": np.longdouble("1e4000"),
    "a half": np.float16(0.1),
    "complex": 1j,
    "numpy's complex": np.complex128(1j),
    "a time span": np.timedelta64(7, "D"),
    "a far date": np.datetime64(2**62, "s"),
    "not a time": pandas.NaT,
    "not available": pandas.NA,
    "a date with a zone": pandas.Timestamp("2000-01-01", tz="UTC"),
    "a dictionary": {"a": 1},
    "an object": object(),
    "true": True,
}


@pytest.fixture(autouse=True)
def no_warning_of_others():
    """A warning about one cell would reveal it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", dpsis.DpsisWarning)
        yield


#: Targets of every kind, with what is given about them.
KINDS = {
    "numbers": (NUMBERS.tolist(), {"target_bounds": (-3, 3)}),
    "labels": (LABELS.tolist(), {"classes": [0, 1]}),
    "labels as floats": ([float(one) for one in LABELS], {"classes": [0, 1]}),
    "labels as decimals": ([Decimal(int(one)).quantize(Decimal("1.0")) for one in LABELS], {"classes": [0, 1]}),
    "truth values": ([bool(one) for one in LABELS], {"classes": [False, True]}),
    "small numbers": ([one * 1e-5 + 1e-5 for one in LABELS], {"classes": [1e-5, 2e-5]}),
    "single precision": ([np.float32(one * 0.1 + 0.1) for one in LABELS], {"classes": [0.1, 0.2]}),
    "half precision": ([np.float16(one) for one in NUMBERS], {"target_bounds": (-3, 3)}),
}


@functools.cache
def record_with_a_missing_target(kind):
    y, target = KINDS[kind]
    return without(dpsis.select(MORE, 2, 500, y=[*y, None], seed=1, **target).record)


@pytest.mark.parametrize("cell", ODD)
def test_in_a_list_of_targets(cell):
    """In each kind of target; with a target missing instead the result is the same."""
    value = ODD[cell]
    # A number, or a date, is a target.
    contributes = cell in ("a large integer", "a half", "true", "a date with a zone", "a far date", "a time span")
    for kind, (y, target) in KINDS.items():
        for listed in ([*y, value], series([*y, value])):
            found = dpsis.select(MORE, 2, 500, y=listed, seed=1, **target)
            if not contributes:
                assert without(found.record) == record_with_a_missing_target(kind), kind
            # The estimator of scikit-learn goes the same way.
            fitted = dpsis.PrivateSelectKBest(2, epsilon=500, random_state=1, **target).fit(MORE, listed)
            assert without(fitted.selection_.record) == without(found.record), kind


def series(values):
    """Objects that are not converted."""
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return pandas.Series(objects)


@pytest.mark.parametrize("cell", ODD)
def test_in_a_column_of_objects(cell, tmp_path):
    value = ODD[cell]
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=10)
    objects = np.empty((N + 1, 4), dtype=object)
    objects[:] = MORE
    objects[N, 2] = value
    y = np.append(NUMBERS, 0)
    dpsis.select(pandas.DataFrame(objects), 2, 1, y=y, ledger=ledger)
    dpsis.select(objects, 2, 1, y=y, ledger=ledger)
    dpsis.PrivateSelectKBest(2, epsilon=1, ledger=ledger).fit(objects, y)
    dpsis.PrivateSelectKBest(2, epsilon=1, ledger=ledger).fit(pandas.DataFrame(objects), y)
    assert ledger.spent == 4
    if not cell.startswith("an array"):
        assert dpsis.select(objects, 2, 1e6, y=y, seed=1).names == names_of_the_others()


@functools.cache
def names_of_the_others():
    return dpsis.select(X.astype(object), 2, 1e6, y=NUMBERS, seed=1).names


def test_masked_values_are_missing():
    """Masked values are missing, of every type."""
    y = np.append(NUMBERS, 0.0)
    hidden = np.zeros(MORE.shape, dtype=bool)
    hidden[-1, 0] = True
    expected = np.where(hidden, np.nan, np.round(MORE * 10))
    expected = without(dpsis.select(expected, 2, 5, y=y, seed=1).record)
    for values in (np.round(MORE * 10), np.round(MORE * 10).astype(int), np.round(MORE * 10).astype("f4")):
        masked = np.ma.masked_array(values, hidden)
        assert without(dpsis.select(masked, 2, 5, y=y, seed=1).record) == expected
        fitted = dpsis.PrivateSelectKBest(2, epsilon=5, random_state=1).fit(masked, y)
        assert without(fitted.selection_.record) == expected
    targets = np.ma.masked_array(np.append(NUMBERS, -999.0), mask=[False] * N + [True])
    found = dpsis.select(MORE, 2, 5, y=targets, seed=1)
    fitted = dpsis.PrivateSelectKBest(2, epsilon=5, random_state=1).fit(MORE, targets)
    assert without(fitted.selection_.record) == without(found.record)
    assert without(found.record) == without(dpsis.select(MORE, 2, 5, y=np.append(NUMBERS, np.nan), seed=1).record)
    days = np.full(MORE.shape, np.datetime64("2000-01-01"))
    dpsis.select(np.ma.masked_array(days, hidden), 2, 5, y=y)


def test_views_of_packed_records_are_read_where_they_are():
    n = 4000
    x = RNG.normal(size=(n, 4))
    x[:, 1] += np.arange(n) % 2
    for fields in ([("id", "i4"), ("x", "f8", (4,))], [("id", "i1"), ("x", "f4", (4,))]):
        records = np.zeros(n, dtype=fields)
        records["id"], records["x"] = 1, x
        y, target = np.arange(n) % 2, {"classes": [0, 1]}
        expected = dpsis.select(records["x"].copy(), 2, 10, y=y, seed=1, **target)
        assert dpsis.select(records["x"], 2, 10, y=y, seed=1, **target) == expected
        numbers = np.zeros(n, dtype=[("id", "i1"), ("y", "f8")])
        numbers["y"] = x[:, 1]
        whole = dpsis.select(x, 2, 10, y=x[:, 1].copy(), seed=1)
        assert dpsis.select(x, 2, 10, y=numbers["y"], seed=1) == whole


def test_targets_of_arrow():
    """Dates beyond Python's, and texts that are not dates, stop nothing."""
    days = [int(one) for one in 10_000 + 400 * NUMBERS]
    far = [*days, 2**40]
    kinds = [
        polars.Series(far, dtype=polars.Int64).cast(polars.Datetime("ms")),
        pyarrow.array(far, pyarrow.timestamp("ms")),
        pyarrow.array([*days, 2 * 10**9], pyarrow.date32()),
        polars.Series([*days, 2 * 10**9], dtype=polars.Int32).cast(polars.Date),
        pyarrow.chunked_array([pyarrow.array(days), pyarrow.array([None], pyarrow.int64())]),
    ]
    for y in kinds:
        for data in (MORE, pandas.DataFrame(MORE), polars.DataFrame(MORE)):
            assert len(dpsis.select(data, 2, 5, y=y).names) == 2


def test_large_labels_are_distinguished():
    labels = [2**60 + 1, 2**60 + 3]
    values = [labels[one] for one in LABELS]
    expected = None
    for data in (X, pandas.DataFrame(X), pandas.DataFrame(X).assign(word="w"), polars.DataFrame(X)):
        for y in (values, np.array(values), pandas.Series(values), polars.Series(values), pyarrow.array(values)):
            found = dpsis.select(data, 1, 20, y=y, classes=labels, seed=1)
            expected = expected or found.indices
            assert found.indices == expected == [1]


def test_integers_keep_their_digits_if_one_is_missing():
    """Ids and labels that a float cannot distinguish, one of them missing, in any container."""
    texts = [*(str(9_000_000_000_000_000_001 + place) for place in range(N)), None]
    ids = [None if text is None else int(text) for text in texts]
    large = [2**60 + 1, 2**60 + 3]
    labels = [*(large[one] for one in LABELS), None]

    def forms(values):
        filled, hidden = [value or 0 for value in values], [value is None for value in values]
        for kind in (np.int64, np.uint64):
            yield np.ma.masked_array(np.array(filled, dtype=kind), hidden)
        yield from (polars.Series(values, dtype=kind) for kind in (polars.Int64, polars.UInt64))
        yield from (pyarrow.array(values, kind) for kind in (pyarrow.int64(), pyarrow.uint64()))
        yield pyarrow.chunked_array([pyarrow.array(values[:9]), pyarrow.array(values[9:])])
        for kind in ("Int64", "UInt64", "int64[pyarrow]", "uint64[pyarrow]"):
            yield pandas.Series(values, dtype=kind)

    y = np.append(NUMBERS, 0)
    tables = [MORE, pandas.DataFrame(MORE), pandas.DataFrame(MORE).assign(word="w"), polars.DataFrame(MORE)]
    for data in tables:
        expected = without(dpsis.select(data, 2, 3, y=y, unit=texts, seed=1).record)
        for unit in forms(ids):
            assert without(dpsis.select(data, 2, 3, y=y, unit=unit, seed=1).record) == expected
        # Labels that a float cannot distinguish stay different classes.
        options = {"classes": large, "seed": 1}
        expected = without(dpsis.select(data, 2, 3, y=labels, **options).record)
        for outside in forms(labels):
            assert without(dpsis.select(data, 2, 3, y=outside, **options).record) == expected
    fitted = dpsis.PrivateSelectKBest(2, epsilon=3, classes=large, random_state=1)
    expected = without(fitted.fit(MORE, labels).selection_.record)
    for outside in forms(labels):
        assert without(fitted.fit(MORE, outside).selection_.record) == expected


def test_decimals_times_and_spans_are_numbers():
    """In any container, as their numbers of seconds do."""
    cents = [Decimal(int(1000 * value)) / 1000 for value in X[:, 1]]
    seconds = [40_000 + int(1000 * value) for value in X[:, 1]]
    clock = [(datetime.datetime(2000, 1, 1) + datetime.timedelta(seconds=one)).time() for one in seconds]
    spans = [datetime.timedelta(seconds=one) for one in seconds]
    for values, number in ((cents, [float(one) for one in cents]), (clock, seconds), (spans, seconds)):
        expected = without(dpsis.select(polars.DataFrame({"a": X[:, 2], "b": number}), 1, 9, y=NUMBERS, seed=1).record)
        assert expected["selected"][0]["name"] == "b"
        column = pyarrow.array(values)
        tables = [
            polars.DataFrame({"a": X[:, 2], "b": values}),
            pyarrow.table({"a": X[:, 2], "b": column}),
            pandas.DataFrame({"a": X[:, 2], "b": pandas.Series(values, dtype=pandas.ArrowDtype(column.type))}),
        ]
        if values is spans:
            tables += [pandas.DataFrame({"a": X[:, 2], "b": pandas.Series(values)})]
        for table in tables:
            assert without(dpsis.select(table, 1, 9, y=NUMBERS, seed=1).record) == expected
    # As targets, too.
    expected = dpsis.select(X, 1, 9, y=[str(one) for one in cents], seed=1)
    for y in (cents, polars.Series(cents), pyarrow.array(cents)):
        assert dpsis.select(X, 1, 9, y=y, seed=1) == expected


def test_ids_in_a_column_keep_their_digits():
    ids = [9_000_000_000_000_000_001 + place for place in range(N)]
    expected = without(dpsis.select(X, 2, 3, y=NUMBERS, unit=[str(one) for one in ids], seed=1).record)["released"]
    for kind in (polars.Int64, polars.Decimal(38, 0), polars.String):
        frame = polars.DataFrame(X, schema=list("abcd")).with_columns(polars.Series("who", ids).cast(kind), y=NUMBERS)
        found = dpsis.select(frame, 2, 3, target="y", unit="who", seed=1)
        assert without(found.record)["released"] == expected


def test_labels_in_single_precision_and_dates():
    single = (LABELS * 0.1 + 0.1).astype(np.float32)
    days = np.where(LABELS, np.datetime64("2000-01-01"), np.datetime64("2000-02-01"))
    dates = [datetime.date(2000, 1, 1), datetime.date(2000, 2, 1)]
    for data in (X, polars.DataFrame(X), pandas.DataFrame(X)):
        for y in (single, list(single), pandas.Series(single), polars.Series(single)):
            assert dpsis.select(data, 1, 20, y=y, classes=[0.1, 0.2], seed=1).indices == [1]
        for y in (days, days.astype("M8[ns]"), pandas.Series(days), list(pandas.Series(days))):
            for classes in (dates, ["2000-01-01", "2000-02-01"]):
                assert dpsis.select(data, 1, 20, y=y, classes=classes, seed=1).indices == [1]


def test_dates_are_kept_or_missing():
    days = pandas.Series(pandas.to_datetime("2000-01-01") + pandas.to_timedelta((100 * X[:, 1]).astype(int), "D"))
    expected = dpsis.select(pandas.DataFrame({"a": days, "b": X[:, 2]}), 1, 9, y=NUMBERS, seed=1)
    assert expected.names == ["a"]
    forms = [
        days.astype("timestamp[us][pyarrow]"),
        days.astype("timestamp[ns][pyarrow]"),
        days.astype("date32[pyarrow]"),
    ]
    for form in forms:
        found = dpsis.select(pandas.DataFrame({"a": form, "b": X[:, 2]}), 1, 9, y=NUMBERS, seed=1)
        assert without(found.record) == without(expected.record)
    far = days.astype("timestamp[us][pyarrow]").copy()
    far[7] = datetime.datetime(9999, 12, 31)
    numpy = days.astype("datetime64[us]").copy()
    numpy[7] = datetime.datetime(9999, 12, 31)
    one, other = (
        dpsis.select(pandas.DataFrame({"a": form, "b": X[:, 2]}), 1, 9, y=NUMBERS, seed=1) for form in (far, numpy)
    )
    assert without(one.record) == without(other.record)
    huge = days.to_numpy().astype("M8[D]")[:, None].repeat(2, axis=1)
    huge[3, 0] = np.datetime64(2**62, "D")
    dpsis.select(huge, 1, 9, y=NUMBERS)


class Cohort(pandas.DataFrame):
    """A data frame of a package that builds on pandas."""


class Ages(pandas.Series):
    """A column of such a package."""


class Counts(polars.Series):
    """A column of a package that builds on polars."""


def test_types_that_derive_from_those_of_pandas():
    """Objects are read cell by cell, and not as the type that all cells allow."""
    for odd in ([], ["HIV+"], [None], [3.5]):
        cells = [*map(float, NUMBERS)][: N - len(odd)] + odd
        columns = {"a": X[:, 2], "b": np.array(cells, dtype=object)}
        expected = without(dpsis.select(pandas.DataFrame(columns), 1, 9, y=NUMBERS, seed=1).record)
        assert without(dpsis.select(Cohort(columns), 1, 9, y=NUMBERS, seed=1).record) == expected
        # As targets, with a type and without one.
        for kind in (object, None) if odd != ["HIV+"] else (object,):
            given = {"target_bounds": (-3, 3), "seed": 1}
            plain, derived = (of(cells, dtype=kind) for of in (pandas.Series, Ages))
            assert dpsis.select(X, 1, 9, y=derived, **given) == dpsis.select(X, 1, 9, y=plain, **given)
    for plain in (polars.Series(NUMBERS), polars.Series(range(N))):
        assert dpsis.select(X, 1, 9, y=Counts(plain), seed=1) == dpsis.select(X, 1, 9, y=plain, seed=1)
    integers = [*range(N - 1), None]
    plain, derived = (of(integers, dtype="Int64") for of in (pandas.Series, Ages))
    assert dpsis.select(X, 1, 9, y=derived, seed=1) == dpsis.select(X, 1, 9, y=plain, seed=1)


def test_any_sequence_of_targets_is_read_cell_by_cell():
    for odd in (7.0, "x", None, 2**70):
        cells = [*map(float, NUMBERS[1:]), odd]
        expected = dpsis.select(X, 1, 9, y=cells, target_bounds=(-3, 3), seed=1)
        for sequence in (collections.deque, collections.UserList):
            assert dpsis.select(X, 1, 9, y=sequence(cells), target_bounds=(-3, 3), seed=1) == expected


def test_collections_without_an_order_of_their_own_are_refused():
    labels = ["a", "b"] * (N // 2)
    for y in (dict(enumerate(labels)), set(range(N)), bytes(N), (label for label in labels)):
        for given in ({"y": y}, {"y": labels, "unit": y}):
            with pytest.raises((TypeError, ValueError), match="must have one dimension"):
                dpsis.select(X, 1, 9, classes=["a", "b"], **given)


def test_datasets_of_text_files_are_refused(tmp_path):
    """A late cell that is no number would end the run."""
    for name, last in (("one", "7"), ("two", "HIV+")):
        (tmp_path / f"{name}.csv").write_text("a,y\n" + "1,2\n" * 9 + f"{last},2\n")
    one, two = (pyarrow.dataset.dataset(tmp_path / f"{name}.csv", format="csv") for name in ("one", "two"))
    for dataset in (one, pyarrow.dataset.dataset([one, one])):
        with pytest.raises(dpsis.RequestError, match="pass the paths"):
            dpsis.select(dataset, 1, 9)
    assert dpsis.select([tmp_path / "one.csv", tmp_path / "two.csv"], 1, 9).names == ["a"]


def test_far_dates_of_arrow_in_pandas():
    for last in (1, 2_932_897, 2 * 10**9):
        days = pyarrow.array([*range(N - 1), last], pyarrow.int32()).cast(pyarrow.date32())
        days = pandas.Series(days, dtype=pandas.ArrowDtype(pyarrow.date32()))
        dpsis.select(pandas.DataFrame({"a": days, "b": X[:, 2]}), 1, 9, y=NUMBERS)
        dpsis.select(X, 1, 9, y=days)


def test_dictionaries_of_chunks_with_any_number_of_values():
    """One value more would not fit into the dictionary of all chunks."""
    kind = pyarrow.dictionary(pyarrow.int8(), pyarrow.string())
    views = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1] * (N // 2)), pyarrow.array(["a", "b"], pyarrow.string_view()))
    expected = dpsis.select(X, 1, 9, y=["a", "b"] * (N // 2), classes=["a", "b"], seed=1)
    assert dpsis.select(X, 1, 9, y=views, classes=["a", "b"], seed=1) == expected
    for more in (27, 28, 100):
        chunks = [[f"p{one % 100}" for one in range(200)], [f"q{one % more}" for one in range(N - 200)]]
        people = pyarrow.chunked_array([pyarrow.array(chunk).dictionary_encode().cast(kind) for chunk in chunks])
        texts = people.to_pylist()
        expected = without(dpsis.select(X, 1, 9, y=NUMBERS, unit=texts, seed=1).record)
        assert without(dpsis.select(X, 1, 9, y=NUMBERS, unit=people, seed=1).record) == expected
        frame = {"a": pandas.Series(people, dtype=pandas.ArrowDtype(kind)), "b": X[:, 2]}
        expected = dpsis.select(pandas.DataFrame({**frame, "a": texts}), 1, 9, y=NUMBERS, seed=1)
        assert without(dpsis.select(pandas.DataFrame(frame), 1, 9, y=NUMBERS, seed=1).record) == without(expected.record)


def test_the_exception_of_an_engine_shows_no_cell():
    class Lazy:
        columns = ["a", "b"]

        def __arrow_c_stream__(self, requested_schema=None):
            return pyarrow.table({"a": [41.0, "HIV+"]}).__arrow_c_stream__()

    with pytest.raises(dpsis.ReadError) as caught:
        dpsis.select(Lazy(), 1, 9)
    assert "HIV+" not in str(caught.value)


def test_estimators_take_an_empty_table():
    """The only row decides about nothing."""
    for rows in (0, 1):
        dpsis.PrivateSelectKBest(2, epsilon=1, neighbors="add-remove").fit(np.zeros((rows, 2)), np.zeros(rows))


def test_a_ledger_is_asked_before_data_are_read(tmp_path):
    class Data:
        columns = ["a", "b"]

        def __arrow_c_stream__(self, requested_schema=None):
            raise AssertionError("the data were read")

    class Targets(list):
        def __iter__(self):
            raise AssertionError("the targets were read")

    ledger = dpsis.Ledger(tmp_path / "ledger", cap=1)
    with pytest.raises(dpsis.BudgetExceeded):
        dpsis.select(Data(), 1, 5, y=Targets(), ledger=ledger)
    with pytest.raises(dpsis.BudgetExceeded):
        dpsis.PrivateSelectKBest(1, epsilon=5, ledger=ledger).fit(X, Targets())
    assert ledger.spent == 0


def test_no_address_in_a_record():
    fitted = dpsis.PrivateSelectKBest(2, random_state=np.random.RandomState(0)).fit(X, NUMBERS)
    assert "0x" not in fitted.selection_.record["run"]["request"]
