"""Joint costs, enumerations and audits: as the command line gives them."""

import json
import math

import numpy as np
import pandas
import pytest

import dpsis

RNG = np.random.default_rng(8)
X = RNG.normal(size=(400, 3))
ON = {"y": X[:, 0], "target_bounds": (-3, 3)}


def test_events_are_priced(printed):
    for given, options, more in [
        (["peel:2,50x52"], ["--delta", "1e-9"], {"delta": "1e-9"}),
        (["pure:0.5x8", "gaussian:1,40"], [], {}),
        ("pure:0.5x12", ["--eps", "3"], {"epsilon": 3}),
    ]:
        words = [given] if isinstance(given, str) else given
        found = dpsis.account(given, **more)
        assert found.record == json.loads(printed("account", *words, *options, "--format", "json"))
        assert found.report() == repr(found) == printed("account", *words, *options)
    assert found.least == min(one["price"] for one in found.record["prices"] if one["price"] is not None)


def test_results_and_ledgers_are_priced(tmp_path):
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=9)
    selection = dpsis.select(X, 1, 1, ledger=ledger, **ON)
    fitted = dpsis.fit(X, 1, 2, bounds=(-3, 3), ledger=ledger, **ON)
    (tmp_path / "record.json").write_text(selection.to_json())
    for releases, total in [
        (selection, 1), ([selection, fitted], 3), (ledger, 3), ([tmp_path / "record.json", str(tmp_path / "ledger")], 4),
        ([selection, "pure:1/2x4"], 3),
    ] + ([(fitted.model, 2)] if fitted.model else []):
        found = dpsis.account(releases, delta=0)
        assert found.least == pytest.approx(total)
        assert found.record["for"] == "adding or removing one row"
    seeded = dpsis.select(X, 1, 1, seed=1, **ON)
    replaced = dpsis.select(X, 1, 1, neighbors="replace-one", **ON)
    for releases, expected in [
        (seeded, "release 1 is not private"),
        ([selection, replaced], "release 2 is for another neighbor relation"),
        ("pure:x", "no such event"),
    ]:
        with pytest.raises(dpsis.RequestError, match=expected):
            dpsis.account(releases)
    with pytest.raises(dpsis.ReadError, match="cannot read"):
        dpsis.account("no such file")


@pytest.mark.parametrize(
    "given, options",
    [
        (("canonical", {"k": 2, "d": 3, "epsilon": "1/2", "parameters": {"gamma": "1/4"}}),
         ["canonical", "--k", 2, "--d", 3, "--eps", "1/2", "--gamma", "1/4"]),
        (("gem", {"sensitivities": [1, 1, 5], "levels": 6}), ["gem", "--sensitivities", "1,1,5", "--levels", 6]),
        (("peel", {"draws": 1000, "seed": 3, "steps": 1}), ["peel", "--draws", 1000, "--seed", 3, "--steps", 1]),
    ],
)
def test_enumerations(printed, given, options):
    mechanism, sizes = given
    found = dpsis.verify(mechanism, **sizes)
    assert found.holds and found.record == json.loads(printed("verify", *options, "--format", "json"))
    assert found.report() == printed("verify", *options)


def test_broken_variants_and_wrong_requests():
    broken = dpsis.verify("canonical", variant="printed-class-sizes")
    assert not broken.holds and "violates" in broken.report()
    for wrong in ({"variant": "none"}, {"levels": 2**40}, {"k": 99}, {"draws": 10, "variant": "printed-class-sizes"}):
        with pytest.raises(dpsis.RequestError):
            dpsis.verify("canonical", **wrong)
    with pytest.raises(dpsis.RequestError, match="mechanism"):
        dpsis.verify("canonicle")


def test_audits():
    """Randomized response at ln 3, claimed at that and at half of it."""
    shares = []
    answer = np.random.default_rng(5)

    def respond(truth):
        return truth ^ (answer.random() < 0.25)

    assert dpsis.audit(respond, True, False, math.log(3) + 0.1, draws=4000, progress=shares.append).consistent
    assert shares[-1] == 1
    found = dpsis.audit(respond, True, False, "0.3", draws=4000)
    assert not found.consistent and found.record["lower_bound"] > 0.3
    assert found.report().startswith("claim      epsilon 0.3")


def test_notebook_output(tmp_path):
    ledger = dpsis.Ledger(tmp_path / "<ledger>", cap=9)
    dpsis.select(X, 1, 1, ledger=ledger, note="first & last", **ON)
    shown = ledger._repr_html_()
    assert "&lt;ledger&gt;" in shown and "1 spent, 8 left" in shown and "first &amp; last" in shown
    look = dpsis.inspect(pandas.DataFrame({"a<b": X[:, 0], "c": 1.0}), y=X[:, 1])
    assert "NOT PRIVATE" in look._repr_html_() and "a<b" not in look._repr_html_()
    assert isinstance(dpsis.plan(1000, 20, epsilon=1).to_json(), str)


def test_the_picture_of_a_selection():
    pytest.importorskip("matplotlib").use("Agg")
    names = ["first", "second", "third"]
    found = dpsis.select(X, 3, 9, feature_names=names, seed=1, **ON)
    axes = found.plot()
    ascending = sorted(found.estimates, key=lambda one: one.effect_size)
    assert [one.get_text() for one in axes.get_yticklabels()] == [one.name for one in ascending]
    level = found.record["significance"]["threshold"]
    assert any(np.allclose(line.get_xdata(), level) for line in axes.lines)
    # No interval crosses the threshold: points alone are compared with it.
    assert all(len(line.get_xdata()) == 1 or np.allclose(line.get_xdata(), level) for line in axes.lines)
    assert found.plot(axes) is axes
    with pytest.raises(dpsis.RequestError, match="page must be from 1 to 1"):
        found.plot(page=2)
    with pytest.raises(dpsis.RequestError, match="no effect sizes"):
        dpsis.select(X, 3, 9, shares={"estimates": 0}, seed=1, **ON).plot()
    wide = np.random.default_rng(5).uniform(-1, 1, (500, 70))
    names = [f"$f{i}_$^" for i in range(70)]
    many = dpsis.select(wide, 65, 9, feature_names=names, seed=1, y=wide[:, 0], target_bounds=(-1, 1))
    pages = [many.plot(page=page) for page in (1, 2)]
    assert [len(axes.get_yticklabels()) for axes in pages] == [60, 5]
    # Names are not mathematics: drawing them succeeds.
    pages[1].figure.canvas.draw()
    frame = dpsis.select(X, 2, 9, direction=True, seed=1, **ON).to_frame()
    columns = ["name", "index", "effect_size", "low", "high", "p_value", "significant", "direction", "direction_error"]
    assert list(frame.columns) == columns
