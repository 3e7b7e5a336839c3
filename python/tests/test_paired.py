"""Paired designs: the record of the command line in every form; targets of booleans are classes."""

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import dpsis
from conftest import without


@pytest.fixture(scope="module")
def pairs():
    """150 patients with a row of each tissue; m1 is higher in tumors."""
    rng = np.random.default_rng(22)
    levels = rng.normal(scale=4, size=(150, 5))
    normal = levels + rng.normal(size=levels.shape)
    tumor = levels + rng.normal(size=levels.shape)
    tumor[:, 1] += 1.5
    x = np.round(np.concatenate([normal, tumor]), 3)
    frame = pandas.DataFrame(x, columns=[f"m{place}" for place in range(5)])
    return frame.assign(
        patient=[f"P{number:03}" for number in range(150)] * 2,
        tissue=["normal"] * 150 + ["tumor"] * 150,
    )


def test_forms(pairs, command_line, tmp_path):
    path = tmp_path / "t.csv"
    pairs.to_csv(path, index=False)
    words = ["select", "--k", 1, "--eps", 2, "--seed", 3, "--classes", "normal,tumor", "--paired", "patient", path]
    expected = without(command_line(*words))
    assert expected["score"]["id"] == "paired" and expected["selected"][0]["name"] == "m1"
    forms = {"path": path, "pandas": pairs, "polars": polars.from_pandas(pairs), "arrow": pyarrow.table(pairs)}
    given = {"classes": ["normal", "tumor"], "paired": "patient", "seed": 3}
    for form, data in forms.items():
        assert without(dpsis.select(data, 1, 2, **given).record) == expected, form
    x = pairs.drop(columns=["patient", "tissue"])
    outside = {**given, "paired": pairs["patient"]}
    apart = dpsis.select(x, 1, 2, y=pairs["tissue"], **outside).record
    assert apart["estimates"] == expected["estimates"]
    matrix = dpsis.select(x.to_numpy(), 1, 2, y=pairs["tissue"].to_numpy(), feature_names=list(x), **outside).record
    assert matrix["estimates"] == expected["estimates"]
    with pytest.raises(dpsis.RequestError, match="neither"):
        dpsis.select(pairs, 1, 2, unit="patient", **given)


def test_inspect_suggests_it(pairs):
    look = dpsis.inspect(pairs, classes=["normal", "tumor"])
    assert look.suggestion["paired"] == "patient" and "unit" not in look.suggestion
    found = dpsis.select(pairs, 1, 2, seed=1, **look.suggestion)
    assert found.names == ["m1"]


def test_booleans_are_classes(pairs, tmp_path):
    frame = pairs.drop(columns=["patient", "tissue"]).assign(y=pairs["tissue"] == "tumor")
    path = tmp_path / "t.parquet"
    frame.to_parquet(path)
    x, y = frame.drop(columns="y"), frame["y"]
    forms = {
        "pandas": ((frame,), {}), "nullable": ((frame.astype({"y": "boolean"}),), {}), "parquet": ((path,), {}),
        "polars": ((polars.from_pandas(frame),), {}), "outside": ((x,), {"y": y}), "array": ((x,), {"y": y.to_numpy()}),
        "matrix": ((x.to_numpy(),), {"y": y.to_numpy(), "feature_names": list(x)}),
    }  # fmt: skip
    records = {}
    for form, (data, outside) in forms.items():
        with pytest.raises(dpsis.RequestError, match="booleans") as refused:
            dpsis.select(*data, 1, 2, **outside)
        assert refused.value.parameters == ("classes",), form
        # The remedy, and a number by request.
        record = dpsis.select(*data, 1, 2, classes=[0, 1], seed=1, **outside).record
        records[form] = (record["estimates"], record["released"])
        dpsis.select(*data, 1, 2, target_number=True, seed=1, **outside)
    assert len({str(found) for found in records.values()}) == 1
