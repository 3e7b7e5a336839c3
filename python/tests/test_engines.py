"""Tables of Dask, Ray, Delta Lake and Iceberg: the selection of one run over the same rows."""

import pyarrow
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
