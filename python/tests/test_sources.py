"""Files in lists, patterns and folders, lazy frames and datasets: the record of one file; refused requests."""

import signal
import threading
import time
import traceback

import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest

import dpsis
from conftest import without
from dpsis import _tables

REQUESTS = {
    "ks": {},
    "ks, people": {"unit": "person"},
    "bounds": {"bounds": (-2, 2)},
    "bins of classes": {"bounds": (-2, 2), "score": "ks", "target": "group", "classes": ["control", "case"]},
    "kendall": {"score": "kendall"},
    "refined": {"refine": "gram"},
}


@pytest.fixture(scope="module")
def table(numbers):
    frame, targets = numbers
    people = [f"p{row * 7 % 450}" for row in range(len(frame))]
    return pyarrow.Table.from_pandas(
        frame.assign(person=people, group=targets["two"], y=targets["number"]), preserve_index=False
    )


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    """The table in one file, in three of unequal size, one of them in row groups, and in partitions."""
    folder = tmp_path_factory.mktemp("sources")
    (folder / "parts").mkdir()
    pyarrow.parquet.write_table(table, folder / "one.parquet")
    for part, (first, rows) in enumerate([(0, 1), (1, 500), (501, 399)]):
        path = folder / "parts" / f"part-{part}.parquet"
        pyarrow.parquet.write_table(table.slice(first, rows), path, row_group_size=170)
    (folder / "parts" / "_SUCCESS").touch()
    pyarrow.dataset.write_dataset(
        table, folder / "hive", format="parquet", partitioning=["group"], partitioning_flavor="hive"
    )
    return folder


def forms(folder):
    parts = sorted((folder / "parts").glob("*.parquet"))
    yield "list", parts
    yield "another order", [str(parts[2]), parts[0], str(parts[1])]
    yield "pattern", folder / "parts" / "part-?.parquet"
    yield "folder", str(folder / "parts")
    yield "folder in a list", [folder / "parts"]
    yield "lazy frame", polars.scan_parquet(parts)
    yield "lazy frame in memory", polars.concat([polars.read_parquet(one) for one in parts]).lazy()
    yield "dataset", pyarrow.dataset.dataset(parts[::-1])


@pytest.mark.parametrize("request_", REQUESTS)
def test_the_record_of_one_file(folder, request_):
    given = {"target": "y", **REQUESTS[request_], "seed": 3}
    given["exclude"] = [name for name in ("group", "person", "y") if name not in given.values()]
    expected = without(dpsis.select(folder / "one.parquet", 3, 2, **given).record)
    for form, data in forms(folder):
        if form in ("another order", "dataset") and "unit" in given:
            # The target of a person is the target of their last row.
            continue
        assert without(dpsis.select(data, 3, 2, **given).record) == expected, form


def test_partitions_are_columns(folder, table, tmp_path):
    """Partitions are read like columns at the end of the file."""
    last = table.select([name for name in table.column_names if name != "group"])
    pyarrow.parquet.write_table(last.append_column("group", table["group"]), tmp_path / "one.parquet")
    given = {"exclude": "person", "target": "y", "seed": 4}
    expected = without(dpsis.select(tmp_path / "one.parquet", 3, 20, **given).record)
    data = pyarrow.dataset.dataset(folder / "hive", partitioning="hive")
    assert without(dpsis.select(data, 3, 20, **given).record) == expected
    assert "group" in [one["name"] for one in expected["selected"]]


def test_each_pass_reads_only_its_columns(folder, monkeypatch):
    opened = []
    for source in (_tables._LazyFrame, _tables._Dataset):

        def recording(self, places, open=source.open):
            opened.append(places)
            return open(self, places)

        monkeypatch.setattr(source, "open", recording)
    monkeypatch.setattr(polars.LazyFrame, "collect", None)
    parts = str(folder / "parts" / "*.parquet")
    datasets = polars.scan_parquet(parts), pyarrow.dataset.dataset(folder / "parts", exclude_invalid_files=True)
    for data in datasets:
        opened.clear()
        dpsis.select(data, 3, 2, bounds=(-2, 2), target="y", exclude=["group", "person"])
        # The median of the target, then the sums.
        assert opened == [[14], [*range(12), 14]]


def test_fits_inspections_and_predictions(folder):
    lazy = polars.scan_parquet(folder / "parts" / "*.parquet")
    given = {"target": "y", "exclude": ["group", "person"], "target_bounds": (-3, 3), "bounds": (-2, 2), "seed": 1}
    whole, parts = (
        dpsis.fit(data, 2, 8, **given) for data in (folder / "one.parquet", [folder / "parts" / "*.parquet"])
    )
    assert whole.to_json().split('"run"')[0] == parts.to_json().split('"run"')[0]
    assert (whole.predict(lazy) == whole.predict(folder / "one.parquet")).all()
    looks = [dpsis.inspect(data, target="y").report() for data in (lazy, folder / "one.parquet")]
    assert looks[0].splitlines()[2:] == looks[1].splitlines()[2:]


def test_as_the_command_line(numbers, command_line, tmp_path):
    frame, targets = numbers
    for part in range(3):
        frame.assign(y=targets["number"])[part::3].to_csv(tmp_path / f"part-{part}.csv", index=False)
    expected = without(command_line("select", "--k", 3, "--eps", 2, "--seed", 1, tmp_path))
    for data in (tmp_path, str(tmp_path / "*.csv"), sorted(tmp_path.iterdir())):
        assert without(dpsis.select(data, 3, 2, seed=1).record) == expected


SECRET = "918273.5"


def lazy(**columns):
    return polars.LazyFrame({"a": [SECRET, "1"], "y": [1.0, 2.0]}).with_columns(**columns)


def fails(rows):
    raise ValueError(SECRET)


MISTAKES = {
    "no files": (lambda at: [], ValueError, "there is no file"),
    "an item that is not there": (lambda at: [at / "one.parquet", SECRET], OSError, "item 2 of the list is no file"),
    "a pattern in a list": (lambda at: [f"{SECRET}*"], OSError, "item 1 of the list"),
    "no path among paths": (lambda at: [at / "one.parquet", 3.5], TypeError, "data is a list: pass"),
    "a pattern of nothing": (lambda at: at / "*.csv", OSError, r"no file matches .*\*\.csv"),
    "an empty folder": (lambda at: at / "empty", OSError, "empty holds no file"),
    "a folder of folders": (lambda at: at / "hive", ValueError, "holds others, whose names may be columns"),
    "a file twice": (lambda at: [at / "one.parquet", at / "*.parquet"], ValueError, "is there twice"),
    "a file twice in a dataset": (
        lambda at: pyarrow.dataset.dataset([at / "one.parquet"] * 2), ValueError, "is there twice",
    ),
    "other columns": (
        lambda at: [at / "parts" / "part-0.parquet", at / "other" / "table.csv"],
        ValueError, r'table.csv: the column "gene 0" of the first is not among',
    ),
    "a query of no such column": (lambda at: lazy(b=polars.col("b")), OSError, r"failed to compute them \(ColumnNotFound"),
    "a query that fails": (lambda at: lazy(b=polars.col("a").cast(int)), OSError, r"to compute them \(InvalidOperation"),
    "a query of Python that fails": (
        lambda at: lazy().map_batches(fails, validate_output_schema=False), OSError, "to compute them",
    ),
    "a dataset whose file is gone": (
        lambda at: pyarrow.dataset.FileSystemDataset.from_paths(
            ["gone"], pyarrow.schema({"a": pyarrow.float64(), "y": pyarrow.float64()}),
            pyarrow.dataset.ParquetFileFormat(), pyarrow.fs.LocalFileSystem(),
        ),
        (OSError, ValueError), "to compute them|broke off",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_messages_of_mistakes(folder, mistake):
    (folder / "empty").mkdir(exist_ok=True)
    (folder / "other").mkdir(exist_ok=True)
    (folder / "other" / "table.csv").write_text(f"b,y\n{SECRET},{SECRET}\n")
    made, kind, expected = MISTAKES[mistake]
    with pytest.raises(kind, match="(?s)" + expected) as caught:
        dpsis.select(made(folder), 1, 1, bounds=(0, 1))
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_options_that_need_data_in_memory(folder):
    rows = polars.scan_parquet(folder / "one.parquet"), pyarrow.dataset.dataset(folder / "parts"), [folder / "one.parquet"]
    for data in rows:
        for wrong in ({"y": [1.0]}, {"unit": [1]}, {"feature_names": ["a"]} if data is not rows[2] else {"y": 1}):
            with pytest.raises(dpsis.RequestError, match="needs? data in memory|names of their own"):
                dpsis.select(data, 1, 1, **wrong)
    with pytest.raises(dpsis.RequestError, match="takes one file"):
        dpsis.inspect([folder / "one.parquet", folder / "parts"])


def test_a_query_can_be_stopped(folder, monkeypatch):
    """Ctrl-C while more of its rows are waited for."""

    def endless(self, places):
        while True:
            time.sleep(0.1)
            yield self._frame.select(polars.nth(places)).collect()

    monkeypatch.setattr(_tables._LazyFrame, "open", endless)
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        dpsis.select(polars.scan_parquet(folder / "one.parquet"), 3, 2, exclude=["group", "person"])
    timer.join()
