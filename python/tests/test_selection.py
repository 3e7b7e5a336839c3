"""Results: names, estimates, pages, pickles."""

import json
import pickle
import warnings
from fractions import Fraction

import numpy as np
import pandas
import polars
import pytest

import dpsis

RNG = np.random.default_rng(5)
X = RNG.normal(size=(4000, 8))
Y = X[:, 2] - 2 * X[:, 5] + RNG.normal(size=4000)


@pytest.fixture(scope="module")
def selection():
    return dpsis.select(X, 2, "20", y=Y, target_bounds=(-9, 9), direction=True)


def test_selected_features(selection):
    # Wrong with a probability below 1e-9: the scores of the two are far from all others.
    assert selection.names == ["feature-3", "feature-6"]
    assert selection.indices == [2, 5]
    assert selection.private
    for one in selection.estimates:
        assert 0 <= one.low <= one.effect_size <= one.high <= 1 and one.significant
    assert [one.name for one in selection.estimates] == selection.names
    assert [one.direction for one in selection.estimates] == ["rises", "falls"]


def test_the_record(selection):
    assert selection.record["guarantee"]["epsilon"] == "20"
    assert json.loads(selection.to_json()) == selection.record
    assert "epsilon" in selection.report()
    request = selection.record["run"]["request"]
    assert request.startswith("dpsis.select(data, k=2, epsilon='20', y=..., ")


def test_frames(selection):
    frame = selection.to_frame()
    assert list(frame["name"]) == selection.names and list(frame["index"]) == [2, 5]
    assert {"effect_size", "low", "high", "significant", "direction"} < set(frame.columns)


def test_pages(selection, tmp_path):
    page = selection._repr_html_()
    assert page.startswith("<iframe") and "feature-3" in page and "<script src" not in page
    selection.to_html(tmp_path / "record.html")
    assert (tmp_path / "record.html").read_text(encoding="utf-8") == selection.to_html()


def test_pickles(selection):
    again = pickle.loads(pickle.dumps(selection))
    assert again == selection and again.estimates == selection.estimates


def test_exact_budgets():
    for epsilon, text in [(0.1, "0.1"), ("1/3", "1/3"), (Fraction(1, 3), "1/3"), (2, "2"),
                          (2.0, "2"), (np.float32(0.1), "0.1"), (np.int8(3), "3")]:
        assert dpsis.select(X, 1, epsilon, y=Y).record["guarantee"]["epsilon"] == text


def test_nothing_is_copied_or_changed():
    x = X.copy()
    x.flags.writeable = False
    dpsis.select(x, 2, 1, y=Y)
    assert (x == X).all()


def test_looks(mixed):
    look = dpsis.inspect(mixed)
    assert sorted(look.suggestion["classes"]) == ["ill", "well"] and look.rows == len(mixed)
    assert look.report().startswith("NOT PRIVATE")
    assert dpsis.inspect(polars.from_pandas(mixed)).findings == look.findings
    assert dpsis.inspect(X, y=Y).features == 8


def test_bounds():
    ranges = dpsis.bounds(X, "range", no_target=True)
    assert ranges["feature-3"] == (X[:, 2].min(), X[:, 2].max())
    assert dpsis.select(X, 2, 20, y=Y, bounds=ranges).names == ["feature-3", "feature-6"]


def test_plans(tmp_path):
    shares = []
    outlook = dpsis.plan(
        2000, 40, 2, 1, effect_size=0.3, mechanism="peel", delta=1e-6, classes=["a", "b", "c"], draws=20,
        over=[1], output=tmp_path / "plan", progress=shares.append,
    )
    assert outlook.record["mechanism"]["id"] == "peel" and outlook.record["delta"] != "0"
    assert len(outlook.record["rows"]) == 3 and outlook.record["wanted"]["effect_size"] == 0.3
    assert (tmp_path / "plan" / "index.html").exists()
    assert outlook.report().startswith("With 2000 rows at epsilon 1: significant from KS distance .")
    assert repr(outlook) == outlook.report()
    assert shares == sorted(shares) and shares[-1] == 1
    with pytest.raises(ValueError, match="rows"):
        dpsis.plan(1, 40, 2, 1)
    with pytest.raises(TypeError, match="target_file"):
        dpsis.plan(1000, 40, 2, 1, target_file="y.csv")


def test_a_plan_equals_the_command_line(command_line):
    options = "--n 900 --d 40 --k 3 --eps 2 --class-shares 0.5,0.3,0.2 --classes a,b,c --draws 30 --at-most 3".replace(" --k 3", "")
    expected = command_line("plan", *options.split())
    planned = dpsis.plan(900, 40, epsilon=2, class_shares=[0.5, 0.3, 0.2], classes=["a", "b", "c"], draws=30, at_most=3)
    assert planned.record == expected


def test_comparisons():
    found = dpsis.compare(
        {"one": X[:300]}, y=Y[:300], methods=["sis", "dp-sis:peel"], epsilon=[1, 5], k=[2, "log"], trials=3
    )
    frame = found.to_frame()
    assert len(frame) == 8 and set(frame["method"]) == {"sis", "dp-sis:peel"}
    assert (frame[frame["method"] == "sis"]["overlap"] == 1).all()
    assert "sis" in found.report()


def test_all_above_a_level():
    scores = {f"c{i}": i / 8 for i in range(40)}
    chosen = dpsis.choose(scores, 100, above=4.4, sensitivity=0.01)
    assert chosen.names == ["c36", "c37", "c38", "c39"]
    assert chosen.record["score"]["above"] == "4.4"
    capped = dpsis.choose(scores, 100, above=4.4, sensitivity=0.01, k=2, parameters={"alpha": 0.01, "rate": "fwer"})
    assert len(capped.names) <= 2
    assert capped.record["mechanism"]["rate"] == "fwer"
    with pytest.raises(dpsis.RequestError, match="its own mechanism"):
        dpsis.choose(scores, 1, above=4.4, sensitivity=0.01, mechanism="canonical")


@pytest.mark.parametrize("k", [2, None])
def test_a_plan_is_drawn(k):
    figure = pytest.importorskip("matplotlib.figure")
    outlook = dpsis.plan(800, 20, k, 2, class_shares=0.4, draws=40, over=[0.5, 2, 8])
    ax = outlook.plot(figure.Figure().subplots())
    lines = {one.get_label(): one.get_ydata() for one in ax.get_lines()}
    kinds = ["significant"] if k is None else ["significant", "found"]
    assert list(lines) == [f"{kind}, {share}" for kind in kinds for share in ("half of all runs", "nine in ten")]
    for place, kind in enumerate(lines):
        values = [at["needed"][kind.split(",")[0]][place % 2]["value"] for at in outlook.record["over"]]
        # A larger epsilon finds smaller effect sizes.
        assert list(lines[kind]) == values == sorted(values, reverse=True)
    assert outlook._repr_html_().startswith("<iframe") and "Power analysis" in outlook._repr_html_()
    assert pickle.loads(pickle.dumps(outlook)) == outlook


def test_the_report_explains_missing_categories():
    frame = pandas.DataFrame({"a": range(300), "habit": ["yes", "no", "never"] * 100, "y": range(300)})

    def line(**options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            report = dpsis.select(frame, 1, 1, target_bounds=(0, 300), seed=1, **options).report()
        return "categories count as missing" in " ".join(report.split())

    assert line(bounds=(0, 300)) and line(bounds={"*": (0, 300)}) and line(score="kendall") and line(scale="row-rank")
    assert not line()
