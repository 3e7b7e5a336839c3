"""The parameters of a selection mean the same wherever it is called, and each is documented."""

import inspect
import re

import pytest

import dpsis
from dpsis import spark

#: The parameters with a default of their own.
OWN = {
    dpsis.PrivateSelectKBest: {"k", "epsilon"},
    dpsis.PrivateSelectFwe: set(),
    dpsis.PrivateRegression: set(),
    dpsis.PrivateClassifier: set(),
    spark.select: {"data", "threads"},
    dpsis.partial: {"data"},
}


def signature(function):
    return {name: one for name, one in inspect.signature(function).parameters.items() if name != "self"}


def documented(function):
    """The names in the section on parameters of a docstring."""
    section = re.search(r"Parameters\n-+\n(.*?)(\n\n\w+\n-|\Z)", inspect.getdoc(function), re.S)[1]
    lines = [line for line in section.split("\n") if line and not line.startswith(" ")]
    return [name.strip().lstrip("*") for line in lines for name in line.split(" : ")[0].split(",") if name.strip()]


@pytest.mark.parametrize("function", [dpsis.select, dpsis.fit, dpsis.plan, dpsis.load_partial, dpsis.choose, dpsis.inspect, dpsis.account, dpsis.verify, dpsis.audit, *OWN])
def test_every_parameter_is_documented_once(function):
    names = documented(function)
    assert sorted(names) == sorted(signature(function)), function
    assert len(names) == len(set(names))


def test_fit_and_select_share_parameters():
    known, own = signature(dpsis.select), signature(dpsis.fit)
    shared = [name for name in own if name in known]
    assert shared == ["data", "k", "epsilon", "y", "dry_run"]
    for name in shared:
        assert own[name].annotation == known[name].annotation, name
        # Only a selection can do without data, with partials.
        assert name == "data" or own[name].default == known[name].default, name


@pytest.mark.parametrize("function", OWN)
def test_parameters_of_one_name_are_the_same(function):
    known = signature(dpsis.fit) | signature(dpsis.select)
    shared = {name: one for name, one in signature(function).items() if name in known}
    assert len(shared) > 10
    for name, one in shared.items():
        other = known[name]
        if name not in OWN[function]:
            assert one.annotation == other.annotation, name
            assert one.default == other.default, name


@pytest.mark.parametrize(
    "estimator", [dpsis.PrivateSelectKBest, dpsis.PrivateSelectFwe, dpsis.PrivateRegression, dpsis.PrivateClassifier]
)
def test_estimators_have_the_parameters_of_functions(estimator):
    renamed = {"score_func": "score", "random_state": "seed", "alpha": "fwer"}
    assert {renamed.get(name, name) for name in signature(estimator)} <= {*signature(dpsis.select), *signature(dpsis.fit)}
