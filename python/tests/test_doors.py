"""The page about the doors names what the package has; the other columns are tested with the command line."""

import inspect
import operator
import re

import pytest

import dpsis
from conftest import ROOT


def column(heading, place):
    """The names in a column of the table below a heading."""
    part = (ROOT / "docs/doors.md").read_text(encoding="utf-8").split(f"\n## {heading}\n")[1]
    rows = re.findall(r"^\|.*\|$", part.split("\n## ")[0], re.MULTILINE)[2:]
    return [name for row in rows for name in re.findall(r"`(.*?)`", row.split("|")[place])]


def arguments(function):
    """The names of the arguments of a function, but for those that are another's."""
    found = inspect.signature(function).parameters.values()
    return {one.name for one in found if one.kind is not one.VAR_KEYWORD}


OPTIONS = "Options of `select` and `fit`"


def test_every_name_is_there():
    names = column("Commands", 3)
    assert len(names) >= 14
    for name in names:
        assert callable(operator.attrgetter(name)(dpsis)), name


def test_every_function_is_named():
    functions = {name for name in dpsis.__all__ if inspect.isfunction(getattr(dpsis, name))}
    assert functions == {name for name in column("Commands", 3) if inspect.isfunction(getattr(dpsis, name, None))}


def test_every_argument_is_named():
    assert set(column(OPTIONS, 4)) == arguments(dpsis.select) | arguments(dpsis.fit)


@pytest.mark.parametrize(
    "estimator", ["PrivateSelectKBest", "PrivateSelectFwe", "PrivateRegression", "PrivateClassifier"]
)
def test_estimators_take_the_same_arguments(estimator):
    theirs = {"score_func": "score", "random_state": "seed", "alpha": "fwer"}
    assert {theirs.get(name, name) for name in arguments(getattr(dpsis, estimator))} <= set(column(OPTIONS, 4))
