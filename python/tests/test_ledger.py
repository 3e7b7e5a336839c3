"""The budget survives clones, folds, threads and processes."""

import copy
import multiprocessing
import pickle
import subprocess
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline

import dpsis
from conftest import ROOT

RNG = np.random.default_rng(9)
X = RNG.normal(size=(400, 7))
Y = (X[:, 3] > 0).astype(int)


class Untouched:
    """Data that must not be read."""

    def __array__(self, *_, **__):
        raise AssertionError("the data were read")


def test_terms(tmp_path):
    path = tmp_path / "study.ledger"
    ledger = dpsis.Ledger(path, cap=3.0, name="the study")
    assert (ledger.left, ledger.spent) == (3, 0)
    assert dpsis.Ledger(path) == dpsis.Ledger(path, cap="3") == ledger
    for wrong in ({"cap": 4}, {"name": "other"}, {"delta": "1e-6"}, {"neighbors": "replace-one"}):
        with pytest.raises(ValueError, match="another (cap|name|delta|neighbor relation)"):
            dpsis.Ledger(path, **wrong)
    with pytest.raises(OSError, match="no ledger"):
        dpsis.Ledger(tmp_path / "other")
    (tmp_path / "text").write_text("no ledger")
    with pytest.raises(ValueError):
        dpsis.Ledger(tmp_path / "text", cap=1)
    with pytest.raises(ValueError, match="neighbor"):
        dpsis.select(X, 2, 1, y=Y, neighbors="replace-one", ledger=ledger)
    assert ledger.spent == 0


def test_an_overspend_is_refused_before_data_are_read(tmp_path):
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=1)
    selection = dpsis.select(X, 2, 0.75, y=Y, ledger=ledger, note="first")
    assert selection.record["ledger"]["left"] == "0.25"
    with pytest.raises(dpsis.BudgetExceeded) as caught:
        dpsis.select(tmp_path / "there is no such table.csv", 2, 0.5, ledger=ledger)
    assert "ledger" in str(caught.value) and ledger.left == 0.25
    estimator = dpsis.PrivateSelectKBest(2, epsilon=0.5, ledger=ledger)
    with pytest.raises(dpsis.BudgetExceeded):
        estimator.fit(X, Y)
    assert ledger.read()["entries"][0]["note"] == "first"


def test_the_command_line_shares_the_file(tmp_path, command_line):
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=2)
    demo = ROOT / "datasets" / "demo.csv"
    command_line("select", "--k", 2, "--eps", 1.5, "--target-number", "--ledger", ledger.path, demo)
    assert ledger.left == 0.5
    with pytest.raises(dpsis.BudgetExceeded):
        dpsis.select(demo, 2, 1, ledger=ledger)


def test_copies_are_of_one_file(tmp_path):
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=10)
    estimator = dpsis.PrivateSelectKBest(2, epsilon=1, ledger=ledger)
    for other in (clone(estimator), copy.deepcopy(estimator), pickle.loads(pickle.dumps(estimator))):
        other.fit(X, Y)
    assert ledger.spent == 3


def test_folds_and_processes(tmp_path):
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=100)
    steps = make_pipeline(dpsis.PrivateSelectKBest(2, epsilon=1, ledger=ledger), LogisticRegression())
    scores = cross_val_score(steps, X, Y, cv=KFold(5))
    assert len(scores) == 5 and ledger.spent == 5
    search = GridSearchCV(steps, {"privateselectkbest__k": [1, 2]}, cv=3, n_jobs=2)
    search.fit(X, Y)
    # Three folds of two values, and the best one on all rows.
    assert ledger.spent == 12 and len(ledger.read()["entries"]) == 12
    short = dpsis.Ledger(tmp_path / "short", cap=2)
    steps.set_params(privateselectkbest__ledger=short)
    with pytest.raises(dpsis.BudgetExceeded):
        cross_val_score(steps, X, Y, cv=5, error_score="raise")
    assert short.spent == 2


def spends(path):
    try:
        dpsis.select(X, 2, 1, y=Y, ledger=path)
    except dpsis.BudgetExceeded:
        return False
    return True


def test_of_many_that_race_as_many_win_as_can_pay(tmp_path):
    for run, pool in enumerate([
        ThreadPoolExecutor(8),
        ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")),
    ]):
        ledger = dpsis.Ledger(tmp_path / f"ledger {run}", cap=5)
        with pool:
            won = list(pool.map(spends, [ledger.path] * 24))
        assert sum(won) == 5 and ledger.left == 0


def test_choices_pay(tmp_path):
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=1)
    scores = {"a": 1, "b": 5}
    assert dpsis.choose(scores, 1, sensitivity=1, ledger=ledger).private
    with pytest.raises(dpsis.BudgetExceeded):
        dpsis.choose(scores, 1, sensitivity=1, ledger=ledger)


def test_no_charge_without_the_kind_of_the_target(tmp_path):
    """Labels that are taken for numbers would cost everything, for nothing: types settle it, texts and objects do not."""
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=100)
    labels = np.where(Y > 0, "yes", "no").astype(object)
    path = tmp_path / "table.csv"
    frame = pandas.DataFrame(X).assign(y=labels)
    frame.to_csv(path, index=False)
    given = ("classes", "target_bounds", "target_number")
    for data, options in ((X, {"y": labels}), (X, {"y": list(Y)}), (frame, {}), (path, {"numeric_names": True})):
        with pytest.raises(dpsis.RequestError, match="give the kind of the target") as caught:
            dpsis.select(data, 2, 1, ledger=ledger, **options)
        assert caught.value.parameters == given
    with pytest.raises(dpsis.RequestError, match="give the kind of the target"):
        dpsis.PrivateSelectKBest(2, epsilon=1, ledger=ledger).fit(X, labels)
    assert ledger.spent == 0
    assert dpsis.select(frame, 2, 20, classes=["no", "yes"], ledger=ledger).private
    assert dpsis.select(X, 2, 1, y=list(Y), target_number=True, ledger=ledger).private
    for y in (Y, Y.astype("f4"), pandas.Series(Y), np.arange(len(Y))):
        assert dpsis.select(X, 2, 1, y=y, ledger=ledger).private
    assert dpsis.select(pandas.DataFrame(X).assign(y=Y), 2, 1, ledger=ledger).private
    assert ledger.spent == 26


def test_a_repeated_call_with_a_run_key_is_charged_once(tmp_path):
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=1)
    options = {"y": Y, "ledger": ledger, "run_key": "nightly"}
    first = dpsis.select(X, 2, 1, **options)
    again = dpsis.select(X, 2, 1, note="late", **options)
    assert (again.names, again.record) == (first.names, first.record) and ledger.left == 0
    with pytest.raises(dpsis.RequestError, match=r"(?s)another request.*\(run_key\)"):
        dpsis.select(X, 1, 1, **options)
    with pytest.raises(dpsis.RequestError, match="run key"):
        dpsis.select(X, 2, 1, y=Y, run_key="nightly")
    ledger = dpsis.Ledger(tmp_path / "others", cap=3)
    chosen = [dpsis.choose({"a": 3, "b": 2}, 1, sensitivity=1, ledger=ledger, run_key="choice").names for _ in range(9)]
    assert all(names == chosen[0] for names in chosen) and ledger.left == 2
    bounds = {"bounds": (-9, 9), "target_bounds": (-9, 9)}
    models = [dpsis.fit(X, 1, 1, **bounds, **{**options, "ledger": ledger}).record for _ in range(2)]
    assert models[0] == models[1] and ledger.left == 1
    assert [entry["run_key"] for entry in ledger.read()["entries"]] == ["choice", "nightly"]
