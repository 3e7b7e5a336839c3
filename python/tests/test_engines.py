"""Tables of Dask, Ray, Delta Lake, Iceberg and Spark Connect: the selection of one run over the same rows."""

import json
import os
import shutil
import subprocess
import sys

import pyarrow
import pyarrow.parquet
import pytest

import dpsis
from conftest import without

GIVEN = {"target": "y", "bounds": (-2, 2), "target_bounds": (-3, 3)}


@pytest.fixture(scope="module")
def table(numbers):
    frame, targets = numbers
    return pyarrow.Table.from_pandas(frame.assign(y=targets["number"]), preserve_index=False)


@pytest.fixture(scope="module")
def expected(table):
    return dpsis.select(table, 3, 2, seed=1, **GIVEN)


def check_partials(partials, expected):
    found = dpsis.select(partials=partials, k=3, epsilon=2, seed=1)
    assert found.names == expected.names
    assert found.record["released"] == expected.record["released"]


def test_dask(table, expected):
    dask = pytest.importorskip("dask", reason="dask is not installed")
    frames = pytest.importorskip("dask.dataframe", reason="dask.dataframe is not installed")
    pieces = frames.from_pandas(table.to_pandas(), npartitions=3).to_delayed()
    partial = dask.delayed(dpsis.partial)
    tasks = [partial(piece, (number, len(pieces)), **GIVEN) for number, piece in enumerate(pieces, 1)]
    check_partials(dask.compute(*tasks, scheduler="processes"), expected)


def test_ray(table, expected):
    ray = pytest.importorskip("ray", reason="ray is not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        partial = ray.remote(dpsis.partial)
        pieces = [table.slice(first, 300) for first in range(0, table.num_rows, 300)]
        tasks = [partial.remote(piece, (number, len(pieces)), **GIVEN) for number, piece in enumerate(pieces, 1)]
        check_partials(ray.get(tasks), expected)
    finally:
        ray.shutdown()


def test_delta(table, expected, tmp_path):
    deltalake = pytest.importorskip("deltalake", reason="deltalake is not installed")
    for first in range(0, table.num_rows, 300):
        deltalake.write_deltalake(tmp_path, table.slice(first, 300), mode="append")
    found = dpsis.select(deltalake.DeltaTable(tmp_path).to_pyarrow_table(), 3, 2, seed=1, **GIVEN)
    assert without(found.record) == without(expected.record)


def test_iceberg(table, expected, tmp_path):
    catalogs = pytest.importorskip("pyiceberg.catalog", reason="pyiceberg is not installed")
    pytest.importorskip("sqlalchemy", reason="sqlalchemy is not installed")
    catalog = catalogs.load_catalog("test", type="sql", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=tmp_path.as_uri())
    catalog.create_namespace("clinic")
    people = catalog.create_table("clinic.people", schema=table.schema)
    for first in range(0, table.num_rows, 300):
        people.append(table.slice(first, 300))
    found = dpsis.select(people.scan().to_arrow_batch_reader(), 3, 2, seed=1, **GIVEN)
    assert without(found.record) == without(expected.record)


# A session of Spark Connect, which a process with another session of Spark cannot have.
CONNECT = """if True:
    import json, sys
    import pyarrow.parquet
    from pyspark.sql import SparkSession
    import dpsis.spark

    spark = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    frame = spark.createDataFrame(pyarrow.parquet.read_table(sys.argv[1])).repartition(3)
    found = [dpsis.spark.select(frame, 3, 2, seed=1, **given) for given in json.loads(sys.argv[2])]
    print(json.dumps([type(frame).__module__, *(one.record for one in found)]))
    spark.stop()
"""


def test_spark_connect(table, tmp_path):
    """Sums that Spark computes, sums of Arrow batches, and scores of whole columns."""
    pytest.importorskip("grpc", reason="pyspark[connect] is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java here")
    requests = [GIVEN, {"target": "y", "bounds": (-2, 2)}, {**GIVEN, "score": "ks"}, {"target": "y"}]
    pyarrow.parquet.write_table(table, tmp_path / "table.parquet")
    words = [sys.executable, "-c", CONNECT, str(tmp_path / "table.parquet"), json.dumps(requests)]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    module, *records = json.loads(done.stdout.splitlines()[-1])
    assert "connect" in module
    for given, record in zip(requests, records):
        assert without(record) == without(dpsis.select(table, 3, 2, seed=1, **given).record)
