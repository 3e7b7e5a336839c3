"""Data frames of Spark, on a cluster of several processes: the record of the collected table, without collecting it."""

import functools
import os
import shutil
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest

import dpsis
from conftest import ROOT, run_page, without
from dpsis._arguments import text_of
from test_one_row import ODD

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("no Java here", allow_module_level=True)

TARGETS = {
    "number": {},
    "bounded": {"target_bounds": (-3, 3)},
    "two": {"classes": ["control", "case"]},
    "three": {"classes": ["low", "middle", "high"]},
}
SCORES = {
    "ks": {},
    "ks in bins": {"score": "ks", "bounds": (-2, 2)},
    "bounds": {"bounds": (-2, 2)},
    "row ranks": {"scale": "row-rank"},
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """Two executors, each a process of its own; batches of a few rows, and a driver that can hold little."""
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(folder / "scratch"),
            "SPARK_WORKER_DIR": str(folder / "workers"),
            "SPARK_LOG_DIR": str(folder / "logs"),
        }.items():
            patch.setenv(name, value)
        settings = {
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "3",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
            "spark.driver.maxResultSize": "2m",
            "spark.task.maxFailures": "1",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
        }
        session = SparkSession.builder.master("local-cluster[2,1,1024]").config(map=settings).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def parted(spark, frame, parts):
    """A data frame in a number of partitions: of very different sizes, and the second without any row."""
    table = frame if isinstance(frame, pyarrow.Table) else pyarrow.Table.from_pandas(frame, preserve_index=False)
    ends = [0, *sorted(table.num_rows // 3**part for part in range(1, max(1, parts - 1))), table.num_rows]
    slices = [table.slice(first, last - first) for first, last in zip(ends, ends[1:])]
    if parts > 1:
        slices.insert(1, table.slice(0, 0))
    frames = [spark.createDataFrame(one).coalesce(1) for one in slices]
    return functools.reduce(lambda one, other: one.union(other), frames)


CASES = [(score, target, neighbors) for score in SCORES for target in TARGETS for neighbors in ("add-remove", "replace-one")]


@pytest.mark.parametrize("number", range(0, len(CASES), 2))
def test_the_record_of_the_collected_table(spark, numbers, number):
    """Every score and every target; the relations and 1 to 7 partitions in turn."""
    frame, targets = numbers
    score, target, neighbors = CASES[number + number // 2 % 2]
    values = targets[target if target in targets else "number"]
    frame = frame.assign(y=values)
    facts = {**SCORES[score], **TARGETS[target], "neighbors": neighbors, "seed": number, "target": "y"}
    found = dpsis.spark.select(parted(spark, frame, number // 2 % 7 + 1), 3, "2.5", **facts)
    expected = dpsis.select(pyarrow.Table.from_pandas(frame, preserve_index=False), 3, "2.5", **facts)
    assert without(found.record) == without(expected.record)
    assert found.indices == expected.indices
    assert found.record["run"]["request"].startswith("dpsis.spark.select(data, k=3, epsilon='2.5', target='y'")


def test_columns_of_every_kind(spark, mixed):
    """Names with dots and names that differ in case, words, dates, times, truth values, nulls; decimals are doubles."""
    table = pyarrow.Table.from_pandas(mixed.astype({"site": str}), preserve_index=False)
    table = table.rename_columns(["ha.bit", "visit", "Score", "score", "flag", "site `x`", "short", "status"])
    frame = parted(spark, table, 4)
    facts = {"classes": ["well", "ill"], "exclude": ["site*"], "missing": [7, "never"], "seed": 3}
    for score in ({}, {"bounds": {"score": (0, 8), "*": (-1, 3)}}):
        found = dpsis.spark.select(frame, 2, 4, target="status", **facts, **score)
        expected = dpsis.select(frame.toArrow(), 2, 4, target="status", **facts, **score)
        assert without(found.record) == without(expected.record)
        assert without(found.record) == without(dpsis.spark.select(frame, 2, 4, **facts, **score).record)
        assert without(found.record) == without(dpsis.spark.select(frame, 2, 4, target=7, **facts, **score).record)
    exact = [None if one is None else Decimal(one).scaleb(-2) for one in table["score"].to_pylist()]
    decimals = table.append_column("paid", pyarrow.array(exact, pyarrow.decimal128(9, 3)))
    floats = table.append_column("paid", pyarrow.array([None if one is None else float(one) for one in exact]))
    found = dpsis.spark.select(parted(spark, decimals, 2), 2, 4, target="status", **facts)
    assert without(found.record) == without(dpsis.select(floats, 2, 4, target="status", **facts).record)


TYPED = {
    "a": "cast(hash(id, 1) % 100 as int)",
    "b": "if(id % 11 = 3, double('nan'), if(id % 13 = 5, double('-infinity'), hash(id, 2) / 1e9))",
    "c": "cast(if(id % 5 = 1, null, hash(id, 3) / 1e9) as float)",
    "d": "cast(hash(id, 4) % 1000 / 10 as decimal(9, 2))",
    "e": "if(id % 3 = 0, null, id)",
    "y": "if(id % 17 = 0, null, hash(id, 3) / 1e9 + (id % 4) / 4)",
    "group": "cast(id % 3 as int)",
    "status": "if(hash(id, 2) > 0, 'yes ', if(id % 2 = 0, 'no', 'unknown'))",
}


@pytest.mark.parametrize(
    "target, given",
    [
        ("y", {}),
        ("y", {"target_bounds": (-1.5, 2)}),
        ("group", {"classes": [0, 1]}),
        ("status", {"classes": ["no", "yes"]}),
    ],
)
def test_numbers_are_summed_by_a_query(spark, monkeypatch, target, given):
    """Missing values of every kind, types other than double, and more rows of a partition than a block of sums has."""
    queries, run = [], dpsis.spark._queried
    monkeypatch.setattr(dpsis.spark, "_queried", lambda *args: queries.append(args) or run(*args))
    columns = [name for name in TYPED if name not in ("y", "group", "status")] + [target]
    frame = spark.range(0, 9000, 1, 3).selectExpr(*[f"{TYPED[name]} as `{name}`" for name in columns])
    doubles = frame.withColumn("d", pyspark.sql.functions.col("d").cast("double")).toArrow()
    for bounds in ((-2, 2), {"a": (-50, 60), "d": (0.1, 99.9), "*": (-1.2, 3)}):
        for neighbors in ("add-remove", "replace-one"):
            facts = {"target": target, "bounds": bounds, "neighbors": neighbors, "seed": 7, **given}
            found = dpsis.spark.select(frame, 3, 2, **facts)
            assert without(found.record) == without(dpsis.select(doubles, 3, 2, **facts).record)
    assert len(queries) == 4


@pytest.mark.parametrize("target", ["y", "amount", "status"])
def test_many_columns_are_joined(spark, monkeypatch, target):
    """Several hundred numbers of every type and with every kind of missing value, in partitions that can be empty."""
    separated, run = [], dpsis.spark._Frame._joined
    monkeypatch.setattr(dpsis.spark._Frame, "_joined", lambda *args: separated.append(run(*args)) or separated[-1])
    numbers = [name for name in TYPED if name not in ("y", "group", "status")]
    columns = [f"{TYPED[numbers[j % 5]]} as `{numbers[j % 5]}.{j} ``x```" for j in range(520)]
    ends = {"amount": "cast(id % 7 / 4 as decimal(9, 2))", **TYPED}
    frame = spark.range(0, 250, 1, 3).selectExpr(*columns[:300], f"{ends[target]} as `{target}`", *columns[300:])
    frame = frame.where("`e.4 ``x``` > 90")
    decimals = [name for name, kind in frame.dtypes if kind.startswith("decimal")]
    doubles = frame.withColumns({name: frame["`" + name.replace("`", "``") + "`"].cast("double") for name in decimals})
    given = {"classes": ["no", "yes"]} if target == "status" else {}
    for score in ({"bounds": (-2, 2)}, {"score": "ks", "bounds": (-2, 2)}, {"scale": "row-rank"}):
        facts = {"target": target, "missing": [7, -3.5], "exclude": ["a.0*"], "seed": 7, **given, **score}
        found = dpsis.spark.select(frame, 3, 2, **facts)
        assert without(found.record) == without(dpsis.select(doubles.toArrow(), 3, 2, **facts).record)
        assert separated[-1] is not None
    dpsis.spark.select(frame.drop(*frame.columns[:40]), 3, 2, target=target, scale="row-rank", seed=7, **given)
    assert separated[-1] is None


def test_more_rows_than_a_block_of_sums(spark, tmp_path):
    """With two classes, a block has 2^18 consecutive rows of a partition."""
    columns = ["if(id % 7 = 1, null, hash(id, 1) / 1e9) as a", "hash(id, 2) / 1e9 as b", "-9D as c"]
    status = "if(id % 5 = 0, null, if(hash(id, 1) > 0, 'yes', 'no')) as status"
    frame = spark.range(0, 600_000, 1, 1).selectExpr(*columns, status)
    facts = {"target": "status", "classes": ["no", "yes"], "bounds": (-2, 2), "seed": 7}
    found = dpsis.spark.select(frame, 2, 2, **facts)
    frame.write.parquet(str(tmp_path / "rows"))
    table = pyarrow.parquet.read_table(tmp_path / "rows")
    assert without(found.record) == without(dpsis.select(table, 2, 2, **facts).record)


def test_bounds_in_a_file_of_the_driver(spark, numbers, tmp_path):
    frame, targets = numbers
    frame, file = frame.assign(y=targets["number"]), tmp_path / "bounds.csv"
    file.write_text("feature,lo,hi\ngene 1,-1,1\n*,-2,2\n")
    for score in ("ks", "correlation"):
        found = dpsis.spark.select(parted(spark, frame, 3), 2, 2, bounds=file, score=score, seed=3)
        assert without(found.record) == without(
            dpsis.select(pyarrow.Table.from_pandas(frame), 2, 2, bounds=file, score=score, seed=3).record
        )
    with pytest.raises(dpsis.ReadError, match="file of bounds"):
        dpsis.spark.select(parted(spark, frame, 1), 2, 2, bounds=tmp_path / "none.csv")


def test_the_table_is_never_collected(spark):
    """The driver takes 2 MB at most from a job; the table has 16, and so have its columns in chunks."""
    rows = spark.range(0, 100_000, 1, 5).selectExpr(
        *[f"hash(id, {place}) / 1e9 as x{place}" for place in range(20)], "hash(id, 3) / 1e9 + rand(1) as y"
    )
    with pytest.raises(Exception, match="maxResultSize"):
        rows.collect()
    for score in ({}, {"bounds": (-2, 2)}, {"bounds": (-2, 2), "score": "ks"}):
        found = dpsis.spark.select(rows, 1, 2, target_bounds=(-2, 3), **score)
        assert found.names == ["x3"] and found.private


def test_one_odd_row(spark):
    """For any cell of text and any target of one person: the job ends, and the sums of others do not change."""
    odd = [text_of(cell) or type(cell).__name__ for cell in ODD.values()]
    odd += [None, "", "1e999", "-1e308", "nan", "infinity", "0x10", "a\nb", 'say "no"', "\x00", "9" * 4096, "9999-99-99"]
    rng = np.random.default_rng(5)
    others = pandas.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300), "word": "w"})
    others["y"] = (others["b"] > 0).astype(int).astype(str)
    # A row with a missing target takes no part.
    more = pandas.DataFrame({"a": 1e308, "b": np.nan, "word": odd, "y": odd})
    more["y"] = more["y"].where(more["y"] != "1", None)
    facts = {"classes": ["0", "1"], "seed": 1}
    for score in ({}, {"score": "ks", "bounds": (-1, 1)}):
        alone = dpsis.spark.select(parted(spark, others, 2), 1, 1e6, **facts, **score)
        both = dpsis.spark.select(parted(spark, pandas.concat([others, more]), 2), 1, 1e6, **facts, **score)
        assert alone.names == both.names == ["b"]
        table = pyarrow.Table.from_pandas(pandas.concat([others, more]), preserve_index=False)
        assert without(both.record) == without(dpsis.select(table, 1, 1e6, **facts, **score).record)
        numeric = pandas.concat([others, more])
        dpsis.spark.select(parted(spark, numeric, 2), 1, 1, seed=1, **score)
    # Bytes that are not valid text, which Arrow passes on unchanged; times beyond all calendars.
    broken = "if(id = 7, cast(X'ff41' as string), if(id % 2 = 0, 'z', 'x'))"
    far = "if(id = 8, timestamp_seconds(9223372036854), timestamp '2020-01-01')"
    frame = spark.range(300).selectExpr(f"{broken} as word", f"{far} as day", "id % 2 as other", "double(id) as y")
    dpsis.spark.select(frame, 1, 1)
    dpsis.spark.select(frame, 1, 1, scale="row-rank", target="word", classes=["x", "z"])


def test_a_release_is_charged_once_and_first(spark, numbers, tmp_path):
    frame, targets = numbers
    frame = parted(spark, frame.assign(y=targets["number"]), 3)
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=5)
    found = dpsis.spark.select(frame, 2, 2, ledger=ledger, note="in parts")
    assert found.private and found.record["ledger"]["entry"] == 1
    # Requests that do not fit the columns spend nothing.
    for wrong in ({"target": "z"}, {"k": 13}, {"score": "kendall"}, {"exclude": ["nobody"]}):
        with pytest.raises(dpsis.RequestError):
            dpsis.spark.select(frame, **{"k": 2, "epsilon": 1, "ledger": ledger, **wrong})
    assert ledger.spent == 2
    # Without a row of a class, the released counts decide whether a run ends.
    unusable = frame.selectExpr("`gene 1`", "'x' as y")
    try:
        dpsis.spark.select(unusable, 1, 1, ledger=ledger, classes=["a", "b"])
    except dpsis.InputError as error:
        assert error.parameters
    assert 2 < float(ledger.spent) <= 3 and len(ledger.read()["entries"]) == 2
    with pytest.raises(dpsis.BudgetExceeded):
        dpsis.spark.select(frame, 1, "3.5", ledger=ledger)
    with pytest.raises(dpsis.RequestError):
        dpsis.spark.select(frame, 1, 1, ledger=ledger, seed=1)


def test_messages_of_spark_are_not_repeated(spark, tmp_path):
    """A query that fails for one row fails here; its value is in Spark's message, and not in this one."""
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=5)
    cast = spark.range(100).selectExpr("id as a", "cast(if(id = 77, 'Jane Roe', '1') as int) as b", "double(id) as y")

    @pyspark.sql.functions.udf("double")
    def failing(value):
        raise ValueError(f"Jane Roe has {value}")

    called = spark.range(100).select("id", failing("id").alias("y"))
    for frame in (cast, called):
        for facts in ({"target_bounds": (0, 1)}, {"scale": "row-rank", "ledger": ledger}):
            with pytest.raises(dpsis.ReadError, match="Spark failed") as error:
                dpsis.spark.select(frame, 1, 1, **facts)
            raised = error.value
            assert raised.__context__ is None and "Roe" not in str(raised) and "77" not in str(raised)
    assert [entry["failed"] for entry in ledger.read()["entries"]] == ["io", "io"]


def test_texts_as_a_target_are_given_before_a_ledger_is_charged(spark, tmp_path):
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=5)
    frame = spark.range(400).selectExpr("id as a", "id % 7 as b", "cast(id % 2 as string) as y")
    with pytest.raises(dpsis.RequestError, match="give the kind of the target") as error:
        dpsis.spark.select(frame, 1, 1, ledger=ledger)
    assert error.value.parameters == ("classes", "target_bounds", "target_number") and ledger.spent == 0
    assert dpsis.spark.select(frame, 1, 1, target_number=True, ledger=ledger).private
    assert ledger.spent == 1


def test_another_python(spark, tmp_path):
    """The executors of a session without an activated environment find another Python, without the package."""
    python = tmp_path / "other"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", python], check=True)
    script = """if True:
        from pyspark.sql import SparkSession
        import dpsis.spark
        spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
        try:
            dpsis.spark.select(spark.range(9).selectExpr("id as a", "double(id) as y"), 1, 1, target_bounds=(0, 9))
        except dpsis.ReadError as error:
            print(error)
    """
    # Nothing of the session of the other tests.
    kept = {name: os.environ[name] for name in ("HOME", "JAVA_HOME", "PATH") if name in os.environ}
    environment = {
        **kept,
        "PYSPARK_PYTHON": str(python / "bin" / "python"),
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    # From a folder without sources of the package.
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert "set PYSPARK_PYTHON" in done.stdout, done.stderr[-2000:]
    assert sys.executable in done.stdout


def test_invalid_tables_are_refused(spark, mixed):
    frame = spark.range(10).selectExpr("id", "array(id) as list", "X'00' as bytes", "double(id) as y")
    for name in ("list", "bytes"):
        with pytest.raises(dpsis.RequestError, match=f"'{name}' holds neither numbers nor texts") as error:
            dpsis.spark.select(frame, 1, 1, exclude={"list", "bytes"} - {name})
        assert error.value.parameters == ("exclude",)
    dpsis.spark.select(frame, 1, 1, exclude=["list", "bytes"])
    with pytest.raises(dpsis.RequestError, match="occurs twice"):
        dpsis.spark.select(frame.select("id", "id", "y"), 1, 1)
    with pytest.raises(TypeError, match="DataFrame of Spark"):
        dpsis.spark.select(mixed, 1, 1)
    with pytest.raises(TypeError, match="stream"):
        dpsis.spark.select(spark.readStream.format("rate").load(), 1, 1)
    # A table without rows is not an error: whether there are rows is private.
    for empty in (frame.limit(0), frame.where("y < 0")):
        with pytest.warns(dpsis.DpsisWarning):
            assert len(dpsis.spark.select(empty, 1, 1, exclude=["list", "bytes"]).names) == 1


def test_rows_that_share_an_identifier_take_no_part(spark):
    """The result equals that of the collected table to the bit, also for one person in many partitions."""
    import pandas as pd

    people = [f"p{i}" for i in range(60)] + ["q1"] * 2 + ["q2"] * 5 + [None, "NA", " q3", "q3 "]
    y = [("yes" if i % 2 else "no") for i in range(len(people))]
    frame = pd.DataFrame({"who": people, "a": [i % 7 for i in range(len(people))], "b": [3 * (i % 2) for i in range(len(people))], "y": y})
    given = dict(id="who", classes=["no", "yes"], seed=4)
    for more in ({}, {"bounds": [0, 7]}):
        with pytest.warns(dpsis.NotPrivateWarning):
            expected = dpsis.select(frame, 1, 9, **given, **more)
            found = dpsis.spark.select(spark.createDataFrame(frame).repartition(7), 1, 9, **given, **more)
        assert found.names == expected.names
        for part in ("released", "estimates", "guarantee", "public"):
            assert found.record[part] == expected.record[part]


def test_a_cached_frame_and_random_rows(spark):
    """Persisted rows are the same in every stage; others may differ, without an error."""
    random = spark.range(2000).selectExpr("rand() as a", "rand() as b").selectExpr("a", "b", "a + b / 9 as y")
    persisted = random.persist()
    first, second = (dpsis.spark.select(persisted, 1, 9, seed=1) for _ in range(2))
    assert without(first.record) == without(second.record)
    assert without(first.record) == without(dpsis.select(persisted.toArrow(), 1, 9, seed=1).record)
    persisted.unpersist()
    assert dpsis.spark.select(spark.range(2000).selectExpr("rand() as a", "rand() as y"), 1, 9).names == ["a"]


def test_the_page(spark, monkeypatch):
    """With a path that the JVM, which started elsewhere, finds."""
    read = spark.read.csv
    monkeypatch.setattr(type(spark.read), "csv", lambda _, path, **given: read(str(ROOT / path), **given))
    assert run_page("scale.md", {"spark": spark}, "python spark") == 1
