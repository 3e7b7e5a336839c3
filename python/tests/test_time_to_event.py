"""A target at a horizon: the record of the command line in every form, and of structured targets."""

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import dpsis
from conftest import without

BY = {"by": 50.0, "seed": 3}
NAMED = {"time": "days", "event": {"died": 1}, **BY}
ON_THE_LINE = ["--time", "days", "--event", "died=1", "--by", 50, "--seed", 3]


@pytest.fixture(scope="module")
def followed():
    """500 rows: features, days of follow-up, and whether it ended with the event."""
    rng = np.random.default_rng(51)
    x = np.round(rng.normal(size=(500, 6)), 3)
    event, lost = rng.exponential(60 * np.exp(-x[:, 1])), rng.exponential(70, 500)
    days = np.round(np.minimum(event, lost), 1)
    days[::40] = 50.0
    frame = pandas.DataFrame(x, columns=[f"m{place}" for place in range(6)])
    return frame, days, event <= lost


def structured(days, died, order=("event", "time")):
    """As scikit-survival has it."""
    fields = {"event": ("event", "?"), "time": ("time", "<f8")}
    y = np.empty(len(days), dtype=[fields[name] for name in order])
    y["event"], y["time"] = died, days
    return y


def test_columns(followed, command_line, tmp_path):
    frame, days, died = followed
    whole = frame.assign(days=days, died=died.astype(int))
    path, parquet = tmp_path / "t.csv", tmp_path / "t.parquet"
    whole.to_csv(path, index=False)
    expected = without(command_line("select", "--k", 1, "--eps", 3, *ON_THE_LINE, path))
    assert expected["target"]["time_to_event"]["by"] == 50 and expected["selected"][0]["name"] == "m1"
    arrow = pyarrow.Table.from_pandas(whole, preserve_index=False)
    pyarrow.parquet.write_table(arrow, parquet)
    texts = whole.assign(died=np.where(died, "1", "0"))
    forms = {
        "path": path, "parquet": parquet, "pandas": whole, "polars": polars.from_pandas(whole), "arrow": arrow,
        "lazy": polars.from_pandas(whole).lazy(), "booleans": whole.assign(died=died), "texts": texts,
        "categories": texts.astype({"died": "category"}), "nullable": whole.convert_dtypes(),
    }  # fmt: skip
    for form, data in forms.items():
        assert without(dpsis.select(data, 1, 3, **NAMED).record) == expected, form
    pair = dpsis.select(whole, 1, 3, time="days", event=("died", 1.0), **BY).record
    assert pair["released"] == expected["released"]
    # Columns that a pattern excludes with others are read all the same.
    excluded = dpsis.select(whole.assign(dose=0.0), 1, 3, exclude="d*", **NAMED).record
    assert excluded["released"] == expected["released"]
    spans = whole.assign(days=pandas.to_timedelta(days, unit="s"))
    assert dpsis.select(spans, 1, 3, **NAMED).record["released"] == expected["released"]
    halves = [dpsis.partial(part, (place, 2), time="days", event={"died": 1}, by=50, bounds=(-3, 3))
              for place, part in enumerate((whole[:200], whole[200:]), 1)]  # fmt: skip
    summed = dpsis.select(partials=halves, k=1, epsilon=3, seed=3).record
    assert summed["released"] == dpsis.select(whole, 1, 3, bounds=(-3, 3), **NAMED).record["released"]
    assert summed["target"]["time_to_event"]["event"] == "died"


def test_structured_targets(followed):
    frame, days, died = followed
    whole = frame.assign(time=days, event=died)
    expected = dpsis.select(whole, 1, 3, time="time", event={"event": True}, **BY).record
    names = list(frame.columns)
    for order in (("event", "time"), ("time", "event")):
        y = structured(days, died, order)
        forms = {
            "array": (frame.to_numpy(), {"feature_names": names}), "pandas": (frame, {}),
            "polars": (polars.from_pandas(frame), {}), "arrow": (pyarrow.Table.from_pandas(frame), {}),
            "texts": (frame.to_numpy().astype(str), {"feature_names": names}),
        }  # fmt: skip
        for form, (data, more) in forms.items():
            found = dpsis.select(data, 1, 3, y=y, **BY, **more).record
            for part in ("selected", "released", "estimates", "score"):
                assert found[part] == expected[part], (form, order)
            assert found["target"]["time_to_event"] == expected["target"]["time_to_event"] | {"value": "1"}
    units = np.arange(len(days)) // 2
    of_people = dpsis.select(frame, 1, 3, y=structured(days, died), unit=units, **BY).record
    assert of_people["guarantee"]["unit"] == "person"
    fitted = dpsis.fit(frame, 1, 6, y=structured(days, died), bounds=(-3, 3), **BY)
    assert fitted.classes == ["no event by 50", "event by 50"]
    chosen = dpsis.PrivateSelectKBest(1, epsilon=3, by=50.0, random_state=3).fit(frame, structured(days, died))
    assert chosen.selection_.names == [one["name"] for one in expected["selected"]]
    strict = dpsis.PrivateSelectFwe(epsilon=5, by=50.0, random_state=3).fit(frame.to_numpy(), structured(days, died))
    assert strict.get_support()[1]


def test_inspection(followed):
    frame, days, died = followed
    whole = frame.assign(days=days, died=died.astype(int))
    inspected = dpsis.inspect(whole)
    assert inspected.undecided and "a time to an event?" in inspected.report()
    assert inspected.suggestion["time"] == "days" and tuple(inspected.suggestion["event"]) == ("died", "1")
    counted = dpsis.inspect(whole, time="days", event={"died": 1}, by=50)
    assert not counted.undecided and "event by 50 (" in counted.report() and counted.features == 6
    assert dpsis.inspect(frame, y=structured(days, died), by=50).features == 6


MISTAKES = {
    "no horizon": ({"time": "days", "event": {"died": 1}}, "give all three"),
    "no event": ({"time": "days", "by": 5}, "give all three"),
    "several events": ({"time": "days", "by": 5, "event": {"died": 1, "x": 2}}, "one column"),
    "a column alone": ({"time": "days", "by": 5, "event": "died"}, "one column"),
    "classes, too": ({**NAMED, "classes": [0, 1]}, "classes, time, event, by"),
    "a target, too": ({**NAMED, "target": "m1"}, "not both"),
    "no such column": ({**NAMED, "time": "dayz"}, "did you mean"),
    "a horizon of a text": ({**NAMED, "by": "soon"}, "by must be a number"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(followed, mistake):
    frame, days, died = followed
    arguments, expected = MISTAKES[mistake]
    with pytest.raises((ValueError, TypeError), match=expected):
        dpsis.select(frame.assign(days=days, died=died.astype(int)), 1, 3, **arguments)


def test_mistakes_with_y(followed, tmp_path):
    frame, days, died = followed
    y = structured(days, died)
    for data, arguments, expected in [
        (frame, {"y": y}, "give the horizon"),
        (frame, {"y": days, "by": 5}, "an array of both"),
        (frame, {"y": y, "by": 5, "time": "m1", "event": {"m2": 1}}, "leave out one of both"),
        (frame, {"y": y[["time"]], "by": 5}, "two fields"),
        (frame, {"y": y[1:], "by": 5}, "same number of rows"),
        (frame.rename(columns={"m0": "time"}), {"y": y, "by": 5}, "occurs twice"),
        (tmp_path / "t.csv", {"y": y, "by": 5}, "y needs data in memory"),
    ]:
        with pytest.raises(ValueError, match=expected):
            dpsis.select(data, 1, 3, **arguments)
