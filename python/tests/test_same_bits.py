"""The same table and seed: the same record, from Python in every form and from the command line."""

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import dpsis
from conftest import without

TARGETS = {
    "number": ({}, []),
    "bounded": ({"target_bounds": (-3, 3)}, ["--target-bounds=-3,3"]),
    "two": ({"classes": ["control", "case"]}, ["--classes", "control,case"]),
    "three": ({"classes": ["low", "middle", "high"]}, ["--classes", "low,middle,high"]),
}
SCORES = {
    "ks": ({}, []),
    "ks in bins": ({"score": "ks", "bounds": (-2, 2)}, ["--score", "ks", "--bounds=-2,2"]),
    "bounds": ({"bounds": (-2, 2)}, ["--bounds=-2,2"]),
    "row ranks": ({"scale": "row-rank"}, ["--scale", "row-rank"]),
    "ks, refined": ({"refine": "gram"}, ["--refine", "gram"]),
    "bounds, refined": ({"bounds": (-2, 2), "refine": "gram"}, ["--bounds=-2,2", "--refine", "gram"]),
    "kendall": ({"score": "kendall"}, ["--score", "kendall"]),
    "dpkendall": ({"method": "dpkendall"}, ["--method", "dpkendall"]),
    "two-stage": ({"method": "two-stage", "bounds": (-2, 2)}, ["--method", "two-stage", "--bounds=-2,2"]),
}


def forms(frame, target, folder):
    """The table in each form that Python takes, with the arguments that go with it."""
    path = folder / "table.csv"
    whole = frame.assign(**{"out come": target})
    whole.to_csv(path, index=False)
    arrow = pyarrow.Table.from_pandas(whole, preserve_index=False)
    parquet = folder / "table.parquet"
    pyarrow.parquet.write_table(arrow, parquet)
    in_pieces = pyarrow.concat_tables([arrow.slice(0, 100), arrow.slice(100)])
    yield "path", path, {}
    yield "parquet", parquet, {}
    yield "pandas", whole, {}
    yield "polars", polars.from_pandas(whole), {}
    yield "arrow", in_pieces, {}
    yield "reader", in_pieces.to_reader(), {}


@pytest.mark.parametrize("neighbors", ["add-remove", "replace-one"])
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("target", TARGETS)
def test_numbers(numbers, command_line, tmp_path, target, score, neighbors):
    frame, targets = numbers
    y = targets["number" if target == "bounded" else target]
    (of_target, target_options), (of_score, score_options) = TARGETS[target], SCORES[score]
    given = {**of_target, **of_score, "neighbors": neighbors, "seed": 11}
    options = [*target_options, *score_options, "--neighbors", neighbors, "--seed", "11"]
    expected = None
    for form, data, arguments in forms(frame, y, tmp_path):
        if expected is None:
            expected = outcome(lambda: command_line("select", "--k", 3, "--eps", "2.5", *options, data))
        found = outcome(lambda: dpsis.select(data, 3, 2.5, **arguments, **given).record)
        assert found == expected, form
    if isinstance(expected, str):
        return
    # The target outside the features: all but its name and place is the same.
    values = frame.to_numpy()
    narrow = {"f4": values.astype(np.float32)}
    outside = {
        "C": values,
        "F": np.asfortranarray(values),
        "strided": np.repeat(values, 2, axis=1)[:, ::2],
        "frame": frame,
        "polars": polars.from_pandas(frame),
    }
    names = list(frame.columns)
    for form, data in outside.items():
        more = {} if hasattr(data, "columns") else {"feature_names": names}
        for own in (y, list(y), pandas.Series(y), polars.Series(y), pyarrow.array(y)):
            record = dpsis.select(data, 3, 2.5, y=own, **more, **given).record
            assert without(record, "target") == without(expected, "target"), form
            assert record["target"]["coding"] == expected["target"]["coding"]
    one, other = (
        dpsis.select(data, 3, 2.5, y=y, **given)
        for data in (narrow["f4"], narrow["f4"].astype(np.float64))
    )
    assert without(one.record) == without(other.record)


def outcome(run):
    """The record without its run, or "refused" if the method refuses the request."""
    try:
        return without(run())
    except (AssertionError, dpsis.RequestError):
        return "refused"


def test_all_kinds_of_columns(mixed, command_line, tmp_path):
    """As the command line reads their text; truth values are 0 and 1."""
    path = tmp_path / "mixed.csv"
    mixed.assign(flag=mixed["flag"].astype("Int64")).to_csv(path, index=False)
    classes = ["well", "ill"]
    expected = without(
        command_line("select", "--k", 3, "--eps", 3, "--classes", "well,ill", "--seed", 5, path)
    )
    arrow = pyarrow.Table.from_pandas(mixed, preserve_index=False)
    forms = {
        "pandas": mixed,
        "nullable": mixed.convert_dtypes(),
        "of Arrow": mixed.astype({"site": object}).convert_dtypes(dtype_backend="pyarrow"),
        "objects": mixed.astype({"count": object, "flag": object, "score": object, "visit": object}),
        "polars": polars.from_arrow(arrow),
        "arrow": arrow,
    }
    for form, data in forms.items():
        found = dpsis.select(data, 3, 3, classes=classes, seed=5).record
        assert without(found) == expected, form
        features = data.drop(columns="status") if form not in ("polars", "arrow") else data.drop("status") if form == "polars" else data.drop_columns(["status"])
        outside = dpsis.select(features, 3, 3, y=mixed["status"], classes=classes, seed=5).record
        assert without(outside, "target") == without(expected, "target"), form


def test_dates_as_targets_and_time_zones(mixed):
    """Dates are days; with a time zone, days of UTC."""
    whole = mixed.drop(columns="status")
    features = whole.drop(columns="visit")
    days = (whole["visit"] - pandas.Timestamp("1970-01-01")).dt.days
    zoned = whole["visit"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
    expected = without(dpsis.select(features, 2, 2, y=days, seed=1).record)
    for dates in (whole["visit"], zoned, list(whole["visit"])):
        assert without(dpsis.select(features, 2, 2, y=dates, seed=1).record) == expected
    one = dpsis.select(whole.assign(visit=zoned), 2, 2, target="score", seed=1)
    other = dpsis.select(whole, 2, 2, target="score", seed=1)
    assert without(one.record) == without(other.record)


def test_facts(mixed, command_line, tmp_path):
    """Ids, columns that are left out, codes of missing values, places of targets."""
    path = tmp_path / "facts.csv"
    whole = mixed[["score", "short", "count", "status"]].assign(who=range(len(mixed)))
    whole["short"] = whole["short"].round(2).astype(float)
    whole.loc[::11, "short"] = -999.0
    whole.to_csv(path, index=False)
    options = ["--target", "status", "--classes", "well,ill", "--id", "who", "--exclude", "cou*", "--na=-999"]
    expected = without(command_line("select", "--k", 1, "--eps", 3, "--seed", 5, *options, path))
    facts = {"classes": ["well", "ill"], "id": "who", "exclude": "cou*", "missing": [-999], "seed": 5}
    for target in ("status", 3):
        assert without(dpsis.select(whole, 1, 3, target=target, **facts).record) == expected
    for data in (path, str(path), polars.from_pandas(whole)):
        assert without(dpsis.select(data, 1, 3, target="status", **facts).record) == expected
    features = whole[["score", "short"]]
    record = dpsis.select(
        features.to_numpy(), 1, 3, y=whole["status"], classes=["well", "ill"], missing=[-999],
        feature_names=["score", "short"], seed=5,
    ).record
    # A matrix has no column of identifiers, which are compared.
    places = ("target", "selected", "score", "public", "guarantee")
    assert without(record, *places) == without(expected, *places)


def test_bounds_of_each_feature(numbers, command_line, tmp_path):
    frame, targets = numbers
    path, file = tmp_path / "table.csv", tmp_path / "bounds.csv"
    frame.assign(y=targets["number"]).to_csv(path, index=False)
    file.write_text("feature,lo,hi\ngene 1,-1,1\n*,-2,2\n")
    expected = command_line("select", "--k", 2, "--eps", 2, "--seed", 3, "--bounds-file", file, path)
    by_name = {"gene 1": (-1, 1), "*": (-2, 2)}
    named = dpsis.select(path, 2, 2, bounds=by_name, seed=3)
    filed = dpsis.select(path, 2, 2, bounds=file, seed=3)
    assert without(filed.record) == without(expected)
    assert without(named.record, "score") == without(expected, "score")
    with pytest.raises(dpsis.RequestError, match="gene 0"):
        dpsis.select(path, 2, 2, bounds={"gene 1": (-1, 1)}, seed=3)


def test_choices(command_line, tmp_path):
    path = tmp_path / "candidates.csv"
    path.write_text("name,score\nlasso,0.81\nridge,0.79\nforest,0.87\n")
    options = ["--sensitivity", "0.005", "--seed", 4]
    expected = without(command_line("choose", "--eps", "1/3", *options, path))
    scores = {"lasso": 0.81, "ridge": 0.79, "forest": 0.87}
    frame = pandas.DataFrame({"name": scores.keys(), "score": scores.values()})
    for data in (path, scores, frame, polars.from_pandas(frame)):
        found = dpsis.choose(data, "1/3", sensitivity="0.005", seed=4)
        assert without(found.record) == expected
    own = {"lasso": 0.005, "ridge": 0.005, "forest": 0.01}
    chosen = dpsis.choose(scores, 1, sensitivity=own, mechanism="gem", seed=4)
    frame = frame.assign(sensitivity=own.values())
    assert without(dpsis.choose(frame, 1, mechanism="gem", seed=4).record) == without(chosen.record)
