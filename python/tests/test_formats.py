"""One parser of cells: a table of columns of every type gives the same record and the same description in every form.

The tables are drawn anew for each seed; `DPSIS_EXHAUSTIVE` draws more of them. Each format of the library must have a form
here.
"""

import datetime
import decimal
import gzip
import os
import struct

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest

import dpsis
from conftest import without
from dpsis import _native

SEEDS = range(40 if os.environ.get("DPSIS_EXHAUSTIVE") else 4)
ROWS = 240

#: The code of missing values in the columns that have one.
CODE = -999


def holes(rng, values, share=0.05):
    """The values as objects, some of them missing."""
    values = np.array(values, dtype=object)
    values[rng.random(len(values)) < share] = None
    return values


def signal(rng, cases):
    """Numbers that rise with the cases."""
    return rng.normal(size=len(cases)) + cases * rng.choice([0.0, 0.5, 1.0])


def of_floats(rng, cases):
    return pandas.Series(np.round(signal(rng, cases), rng.integers(0, 9))).mask(rng.random(len(cases)) < 0.05)


def of_short_floats(rng, cases):
    return pandas.Series(np.round(signal(rng, cases), 2).astype(np.float32))


def of_codes(rng, cases):
    values = np.round(signal(rng, cases), 1) + 10
    values[rng.random(len(cases)) < 0.2] = CODE
    return pandas.Series(values)


def of_integers(rng, cases):
    return pandas.Series(holes(rng, np.round(4 * signal(rng, cases)).astype(int).tolist())).astype("Int64")


def of_long_integers(rng, cases):
    return pandas.Series((2**53 + np.round(1e4 * signal(rng, cases)).astype(np.int64)) * 3)


def of_booleans(rng, cases):
    values = pandas.Series(signal(rng, cases) > 0.5)
    return values if rng.random() < 0.5 else values.astype("boolean").mask(rng.random(len(cases)) < 0.1)


def of_dates(rng, cases):
    days = np.round(100 * signal(rng, cases)).astype(int).astype("timedelta64[D]")
    return pandas.Series((np.datetime64("1970-02-01") + days).tolist(), dtype=object)


def of_timestamps(rng, cases):
    seconds = np.round(1e7 * signal(rng, cases)).astype(int).astype("timedelta64[s]")
    return pandas.Series((np.datetime64("2020-01-01T00:00:00") + seconds).astype("datetime64[ms]"))


def of_zones(rng, cases):
    zone = rng.choice(["Europe/Paris", "America/New_York", "Asia/Kolkata", "UTC"])
    return of_timestamps(rng, cases).dt.tz_localize("UTC").dt.tz_convert(str(zone))


def of_times(rng, cases):
    seconds = np.clip(np.round(40_000 + 15_000 * signal(rng, cases)), 0, 86_399).astype(int)
    times = [datetime.time(s // 3600, s // 60 % 60, s % 60, 250_000 * int(rng.integers(0, 4))) for s in seconds.tolist()]
    return pandas.Series(holes(rng, times))


def of_decimals(rng, cases):
    cents = np.round(100 * signal(rng, cases)).astype(int).tolist()
    return pandas.Series(holes(rng, [decimal.Decimal(cent).scaleb(-2) for cent in cents]))


def of_texts(rng, cases):
    texts = ["north", "söuth", "a, b", 'the "best"', "NA-like", "12 mg", "<5", "x;y", "tab\there", "é"]
    return pandas.Series(holes(rng, [texts[place] for place in rng.integers(0, len(texts), len(cases)) * (1 - cases)]))


def of_categories(rng, cases):
    return pandas.Series(pandas.Categorical(rng.choice(["low", "high", "Ünknown"], len(cases))))


def of_integer_categories(rng, cases):
    return pandas.Series(pandas.Categorical(np.round(signal(rng, cases)).astype(int)))


def of_nothing(rng, cases):
    return pandas.Series([None] * len(cases), dtype=object)


KINDS = {name.removeprefix("of_"): value for name, value in dict(globals()).items() if name.startswith("of_")}
NAMES = ["gene.1", "größe (cm)", 'the "x"', "a,b", "Straße;", "пол", "x y", "_z", "n/a?", "β", "k-9", "v#", "100%", "T°", "end"]


def drawn(seed):
    """A table with a column of every kind, the target last."""
    rng = np.random.default_rng(seed)
    cases = (rng.random(ROWS) < 0.5).astype(int)
    kinds, names = list(KINDS), list(NAMES)
    rng.shuffle(kinds)
    rng.shuffle(names)
    columns = {f"{name} {kind}": KINDS[kind](rng, cases) for name, kind in zip(names, kinds)}
    classes = [["well", "ill"], ["0", "1"], ["False", "True"], ["1.5", "2.5"]][seed % 4]
    target = pandas.Series(cases).map({0: classes[0], 1: classes[1]})
    if seed % 4 == 1:
        target = target.astype(int if seed % 8 < 4 else float)
    elif seed % 4 == 2:
        target = target == "True"
    elif seed % 4 == 3:
        target = target.astype(float)
    return pandas.DataFrame({**columns, "état": target}), classes


def text_forms(frame, folder):
    plain = frame.to_csv(index=False)
    (folder / "table.csv").write_text(plain, encoding="utf-8")
    (folder / "marked.csv").write_text("\ufeff" + plain, encoding="utf-8")
    (folder / "table.csv.gz").write_bytes(gzip.compress(plain.encode()))
    frame.to_csv(folder / "table.tsv", sep="\t", index=False)
    frame.to_csv(folder / "semicolons.csv", sep=";", index=False, quoting=1)
    yield "csv", folder / "table.csv", {}
    yield "csv with a byte order mark", folder / "marked.csv", {}
    yield "csv.gz", folder / "table.csv.gz", {}
    yield "tsv", folder / "table.tsv", {}
    yield "semicolons", folder / "semicolons.csv", {"decimal_comma": False}


def binary_forms(frame, folder):
    arrow = pyarrow.Table.from_pandas(frame, preserve_index=False)
    pyarrow.parquet.write_table(arrow, folder / "table.parquet")
    indexed = frame.set_index(pandas.Index([17 * place % 251 for place in range(ROWS)], name="record"))
    last = pyarrow.Table.from_pandas(indexed)
    assert last.column_names[-1] == "record"
    pyarrow.parquet.write_table(last, folder / "indexed.parquet")
    pyarrow.feather.write_feather(arrow, folder / "table.arrow", compression="uncompressed")
    with pyarrow.OSFile(str(folder / "table.arrows"), "wb") as sink, pyarrow.ipc.new_stream(sink, arrow.schema) as writer:
        writer.write_table(arrow, max_chunksize=100)
    (folder / "table.rds").write_bytes(rds(frame))
    yield "Parquet", folder / "table.parquet", {}
    yield "Parquet with an index", folder / "indexed.parquet", {}
    yield "Arrow", folder / "table.arrow", {}
    yield "Arrow stream", folder / "table.arrows", {}
    yield "R", folder / "table.rds", {}
    yield "pandas", frame, {}
    yield "pandas of Arrow", frame.convert_dtypes(dtype_backend="pyarrow"), {}
    yield "pyarrow", arrow, {}
    yield "pyarrow with an index", last, {}
    frames = polars.from_arrow(arrow)
    yield "polars", frames, {}
    yield "polars, lazy", frames.lazy(), {}


def described(look):
    """The findings of an inspection, without the findings about the format."""
    of_format = ("shape", "numbers", "layout")
    findings = [(one.topic, one.text) for one in look.findings if one.topic not in of_format]
    suggestion = {name: value for name, value in look.suggestion.items() if name not in ("delimiter", "decimal_comma")}
    return findings, suggestion


@pytest.mark.parametrize("seed", SEEDS)
def test_every_form_holds_the_same_cells(seed, tmp_path):
    frame, classes = drawn(seed)
    options = {"classes": classes, "missing": [CODE], "target": "état"}
    expected = None
    for form, data, facts in [*text_forms(frame, tmp_path), *binary_forms(frame, tmp_path)]:
        record = without(dpsis.select(data, 5, 5, seed=seed, **options, **facts).record)
        assert form not in ("Parquet with an index", "pyarrow with an index") or "record" not in str(record), form
        if expected is None:
            expected = record
        assert record == expected, form
    features, target = frame.drop(columns="état"), frame["état"]
    found = dpsis.PrivateSelectKBest(5, epsilon=5, classes=classes, missing=[CODE], random_state=seed)
    found = found.fit(features, target).selection_.record
    assert without(found, "target") == without(expected, "target")


@pytest.mark.parametrize("seed", SEEDS)
def test_every_form_is_described_alike(seed, tmp_path):
    frame, _ = drawn(seed)
    expected = None
    for form, data, facts in [*text_forms(frame, tmp_path), *binary_forms(frame, tmp_path)]:
        if form == "polars, lazy":
            continue
        look = described(dpsis.inspect(data, missing=[CODE, -12345], target="état", **facts))
        expected = expected or look
        assert look == expected, form
    nowhere = [text for _, text in expected[0] if "occurs nowhere" in text]
    assert len(nowhere) == 1 and "-12345" in nowhere[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_matrices_hold_the_same_numbers(seed, tmp_path):
    rng = np.random.default_rng(seed)
    cases = (rng.random(ROWS) < 0.5).astype(int)
    values = np.column_stack([of_codes(rng, cases) if place % 3 else of_floats(rng, cases) for place in range(9)])
    y = np.round(cases + rng.normal(size=ROWS), 2)
    names = [f"feature-{place + 1}" for place in range(9)]
    whole = np.column_stack([values, y])
    frame = pandas.DataFrame(whole, columns=[*names, "feature-10"])
    frame.to_csv(tmp_path / "table.csv", index=False)
    np.save(tmp_path / "table.npy", whole)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(whole))
    np.savez(tmp_path / "table.npz", X=values, y=y, feature_names=np.array(names))
    (tmp_path / "y.csv").write_text("y\n" + "".join(f"{value}\n" for value in y))
    cells = lambda row: "\t".join("" if np.isnan(value) else repr(float(value)) for value in row)  # noqa: E731
    lines = [f"{name}\tnone\t{cells(row)}" for name, row in zip(names, values.T)]
    samples = "\t".join(f"s{place}" for place in range(ROWS))
    (tmp_path / "table.gct").write_text(f"#1.2\n9\t{ROWS}\nName\tDescription\t{samples}\n" + "\n".join(lines) + "\n")
    (tmp_path / "table.rds").write_bytes(rds(frame))
    options = {"missing": ["-999"], "seed": seed}
    expected = without(dpsis.select(tmp_path / "table.csv", 3, 5, **options).record)
    for form in ("table.npy", "fortran.npy", "table.rds"):
        assert without(dpsis.select(tmp_path / form, 3, 5, **options).record) == expected, form
    apart = [
        (tmp_path / "table.npz", {}),
        (tmp_path / "table.gct", {"target_file": tmp_path / "y.csv"}),
        (values, {"y": y}),
        (pandas.DataFrame(values, columns=names), {"y": y}),
    ]
    for data, facts in apart:
        # The unit of a table with features as rows is a column.
        parts = ("target", "guarantee", "significance") if facts.get("target_file") else ("target",)
        found = without(dpsis.select(data, 3, 5, **options, **facts).record, *parts)
        assert found == without(expected, *parts), data


@pytest.mark.parametrize("kind", ["dates", "timestamps", "zones", "times", "long integers"])
def test_labels_of_every_type(kind, tmp_path):
    """Labels are compared with typed targets as with their text."""
    rng = np.random.default_rng(1)
    cases = (rng.random(ROWS) < 0.5).astype(int)
    utc = datetime.timezone.utc
    pairs = {
        "dates": [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)],
        "timestamps": [datetime.datetime(2024, 1, 1, 6, 30), datetime.datetime(2024, 1, 2, 0, 0, 0, 250_000)],
        "zones": [datetime.datetime(2024, 1, 1, 6, 30, tzinfo=utc), datetime.datetime(2024, 1, 2, tzinfo=utc)],
        "times": [datetime.time(6, 0), datetime.time(7, 30, 15)],
        "long integers": [2**60, 2**60 + 1],
    }
    labels = pairs[kind]
    target = pandas.Series([labels[case] for case in cases], dtype=None if kind == "long integers" else object)
    frame = pandas.DataFrame({"x": np.round(cases + rng.normal(size=ROWS), 3), "n": np.round(rng.normal(size=ROWS), 3), "état": target})
    arrow = pyarrow.Table.from_pandas(frame, preserve_index=False)
    pyarrow.parquet.write_table(arrow, tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    forms = [tmp_path / "t.csv", tmp_path / "t.parquet", arrow, polars.from_arrow(arrow), frame, frame.convert_dtypes(dtype_backend="pyarrow")]
    texts = [str(label) for label in labels]
    for given in (labels, texts):
        found = [without(dpsis.select(data, 1, 20, seed=1, classes=given).record, "target") for data in forms]
        assert all(one == found[0] for one in found)
        assert found[0]["selected"][0]["name"] == "x"
    for data in forms:
        counted = [one.text for one in dpsis.inspect(data, classes=texts).findings if "labels" in one.text]
        assert len(counted) == 1 and "(0)" not in counted[0], data


def test_an_index_can_be_named(tmp_path):
    """The columns of an index are not features, but can be the target, the identifiers or the unit."""
    frame, classes = drawn(0)
    rows = range(ROWS)
    frame = frame.assign(person=[f"p{place // 2}" for place in rows], age=[17 * place % 83 for place in rows])
    frame = frame.assign(sample=[f"s{place}" for place in rows])
    plain, indexed = tmp_path / "plain.parquet", tmp_path / "indexed.parquet"
    frame.to_parquet(plain, index=False)
    frame.set_index(["person", "age", "sample"]).to_parquet(indexed)
    roles = [
        {"target": "age", "exclude": ["état", "person", "sample"]},
        {"target": "état", "classes": classes, "unit": "person", "exclude": ["age", "sample"]},
        {"target": "état", "classes": classes, "id": "sample", "exclude": ["age", "person"]},
    ]
    for facts in roles:
        expected = without(dpsis.select(plain, 3, 5, seed=1, **facts).record, "target")
        assert without(dpsis.select(indexed, 3, 5, seed=1, **facts).record, "target") == expected, facts
    default = dpsis.select(indexed, 3, 5, seed=1, classes=classes).record
    assert default["target"]["name"] == "état" and default["public"]["features"] == frame.shape[1] - 4


def test_every_format_has_a_form():
    forms = {"text", ".npy", ".npz", ".gct", "R", "Arrow", "Arrow stream", "Parquet"}
    assert set(_native.formats()) == forms


# ---- A writer of R's serialization: a data frame.


def word(value):
    return struct.pack(">i", value)


def text(value):
    if value is None:
        return word(9) + word(-1)
    value = value.encode()
    return word(9 | 64 << 12) + word(len(value)) + value


def strings(values):
    return word(16) + word(len(values)) + b"".join(map(text, values))


def with_attributes(item, attributes):
    """An item of R with attributes, by name."""
    pairs = b"".join(word(2 | 1 << 10) + word(1) + text(name) + value for name, value in attributes.items())
    flags = struct.unpack(">i", item[:4])[0] | 1 << 9
    return word(flags) + item[4:] + pairs + word(254)


def reals(values):
    return word(14) + word(len(values)) + struct.pack(f">{len(values)}d", *values)


def integers(values, kind=13):
    return word(kind) + word(len(values)) + struct.pack(f">{len(values)}i", *values)


def r_column(series):
    """A column as R would hold it."""
    missing = series.isna().to_numpy(dtype=bool)
    known = [None if gone else value for value, gone in zip(series.tolist(), missing)]
    classed = lambda item, *classes, **more: with_attributes(item, {"class": strings(classes), **more})  # noqa: E731
    numbers = lambda of: reals([np.nan if value is None else of(value) for value in known])  # noqa: E731
    first = next((value for value in known if value is not None), None)
    if isinstance(series.dtype, pandas.CategoricalDtype):
        codes = [-(2**31) if code < 0 else code + 1 for code in series.cat.codes.tolist()]
        if not all(isinstance(one, str) for one in series.cat.categories):
            # A factor with levels that are numbers is refused as a feature: R would hold these as the numbers.
            return numbers(float)
        return classed(integers(codes), "factor", levels=strings([str(one) for one in series.cat.categories]))
    if first is None:
        return integers([-(2**31)] * len(known), 10)
    if isinstance(first, bool):
        return integers([-(2**31) if value is None else int(value) for value in known], 10)
    if isinstance(first, int) and abs(first) > 2**31:
        return classed(word(14) + word(len(known)) + struct.pack(f">{len(known)}q", *known), "integer64")
    if isinstance(first, int):
        return integers([-(2**31) if value is None else value for value in known])
    if isinstance(first, (float, decimal.Decimal)):
        # R reads another number than the one in the shortest text of a short float.
        return numbers(float)
    if isinstance(first, (pandas.Timestamp, datetime.datetime)):
        return classed(numbers(lambda value: pandas.Timestamp(value).timestamp()), "POSIXct", "POSIXt")
    if isinstance(first, datetime.date):
        epoch = datetime.date(1970, 1, 1)
        return classed(numbers(lambda value: float((value - epoch).days)), "Date")
    if isinstance(first, datetime.time):
        seconds = lambda time: time.hour * 3600.0 + time.minute * 60 + time.second + time.microsecond / 1e6  # noqa: E731
        return classed(numbers(seconds), "hms", "difftime", units=strings(["secs"]))
    return strings(known)


def rds(frame):
    columns = b"".join(r_column(frame[name]) for name in frame.columns)
    item = word(19) + word(frame.shape[1]) + columns
    names = {"names": strings(list(frame.columns)), "class": strings(["data.frame"])}
    rows = {"row.names": integers([-(2**31), -len(frame)])}
    return b"X\n" + word(3) + word(0x40000) + word(0x30500) + word(5) + b"UTF-8" + with_attributes(item, {**names, **rows})


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (pyarrow.array([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)] * 100), ["2020-01-01", "2020-01-02"]),
        (pyarrow.array([2**53, 2**53 + 1] * 100), ["9007199254740992", "9007199254740993"]),
        (pyarrow.array([2**64 - 1, 2**64 - 2] * 100, pyarrow.uint64()), [str(2**64 - 2), str(2**64 - 1)]),
        (pyarrow.array([datetime.time(6, 30), datetime.time(7, 30)] * 100), ["06:30:00", "07:30:00"]),
        (pyarrow.array([0.0, 1.0] * 100), ["0", "1"]),
    ],
)
def test_labels_are_suggested_as_a_selection_compares_them(values, labels, tmp_path):
    table = pyarrow.table({"a": range(200), "b": [i * i % 31 for i in range(200)], "y": values})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    for data in (table, tmp_path / "t.parquet"):
        look = dpsis.inspect(data)
        assert look.suggestion["classes"] == labels
        assert dpsis.inspect(data, classes=labels).suggestion["classes"] == labels
        found = dpsis.select(data, 1, epsilon=50, seed=1, **look.suggestion)
        assert abs(found.record["released"]["rows_estimate"] - 200) <= 3


def test_days_and_intervals_are_read_as_they_are_written(tmp_path):
    rng = np.random.default_rng(3)
    days = pandas.Series(pandas.period_range("2020-01-01", periods=300, freq="D"))
    days[::17] = pandas.NaT
    days[299] = pandas.Period("9999-12-31", freq="D")
    places = rng.integers(0, 3, 300)
    parts = pandas.arrays.IntervalArray.from_tuples([None if place == 2 else (place, place + 1) for place in places])
    frame = pandas.DataFrame({"day": days, "part": parts, "y": np.arange(300) > 150})
    assert type(frame["day"].dtype).__name__ == "PeriodDtype" and type(frame["part"].dtype).__name__ == "IntervalDtype"
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = {"k": 2, "epsilon": 5, "seed": 1, "classes": ["False", "True"]}
    of_frame, of_file = (dpsis.select(data, **options) for data in (frame, tmp_path / "t.csv"))
    assert of_frame.record["estimates"] == of_file.record["estimates"]
    months = frame.assign(day=days.dt.asfreq("M"))
    of_start = frame.assign(day=days.dt.asfreq("M").dt.asfreq("D", how="start"))
    of_months, of_days = (dpsis.select(data, **options) for data in (months, of_start))
    assert of_months.record["estimates"] == of_days.record["estimates"]
