"""The estimator within scikit-learn."""

import pickle
import warnings

import numpy as np
import pandas
import polars
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import dpsis
from dpsis import PrivateSelectFwe, PrivateSelectKBest

RNG = np.random.default_rng(2)
X = RNG.normal(size=(3000, 6))
Y = np.where(X[:, 4] + 0.3 * RNG.normal(size=3000) > 0, "yes", "no")
ON = {"epsilon": 20, "classes": ["no", "yes"]}


# The second is deterministic, so that all checks run.
@pytest.mark.parametrize(
    "estimator",
    [
        PrivateSelectKBest(),
        PrivateSelectKBest(random_state=0),
        PrivateSelectFwe(20, random_state=0),
    ],
)
def test_every_check_of_scikit_learn(estimator):
    found = check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(found) > 40
    assert [one["check_name"] for one in found if one["status"] == "failed"] == []
    skipped = {one["check_name"] for one in found if one["status"] == "skipped"}
    # That one needs a setting of scipy for arrays of other packages.
    known = {"check_array_api_input"}
    if estimator.random_state is None:
        known |= {
            "check_pipeline_consistency", "check_transformer_data_not_an_array", "check_transformer_general",
        }
    assert skipped <= known


def test_support_and_names():
    found = PrivateSelectKBest(1, **ON).fit(X, Y)
    assert found.get_support().tolist() == [False] * 4 + [True, False]
    assert found.selection_.indices == [4] and found.selection_.private
    assert found.transform(X).shape == (3000, 1)
    assert list(found.get_feature_names_out()) == ["x4"]
    assert not hasattr(found, "scores_") and not hasattr(found, "pvalues_")
    again = pickle.loads(pickle.dumps(found))
    assert again.selection_ == found.selection_


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_frames_in_and_out(output):
    if output == "polars" and sklearn.__version__ < "1.9":
        pytest.skip("scikit-learn before 1.9 does not see the names of polars 2")
    names = list("abcdef")
    data = pandas.DataFrame(X, columns=names).assign(
        word=RNG.choice(["x", "y"], 3000), day=pandas.Timestamp("2024-05-01")
    )
    data = data if output == "pandas" else polars.from_pandas(data)
    found = PrivateSelectKBest(1, **ON).set_output(transform=output).fit(data, Y)
    assert list(found.transform(data).columns) == ["e"]
    assert list(found.feature_names_in_) == [*names, "word", "day"]


def test_all_are_kept_where_there_are_not_more(tmp_path):
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=1)
    with pytest.warns(dpsis.DpsisWarning, match="all are kept, and nothing is spent"):
        found = PrivateSelectKBest(6, ledger=ledger, **{**ON, "epsilon": 1}).fit(X, Y)
    assert found.get_support().all() and found.selection_ is None and ledger.spent == 0


def test_classes_are_stated():
    with pytest.raises(ValueError, match="which labels occur is private"):
        PrivateSelectKBest(1).fit(X, Y)
    numbers = PrivateSelectKBest(1, epsilon=20, classes=[0, 1]).fit(X, (Y == "yes").astype(int))
    assert numbers.selection_.indices == [4]
    truths = PrivateSelectKBest(1, epsilon=20, classes=[False, True]).fit(X, Y == "yes")
    assert truths.selection_.indices == [4]


def test_a_random_state_is_not_private():
    for state in (0, np.random.RandomState(0)):
        with pytest.warns(dpsis.NotPrivateWarning):
            found = PrivateSelectKBest(2, random_state=state, **ON).fit(X, Y)
        assert not found.selection_.private
    first, second = (PrivateSelectKBest(2, random_state=3, epsilon=0.01).fit(X, X[:, 0]) for _ in range(2))
    assert first.selection_ == second.selection_
    with pytest.raises(ValueError, match=r"\(random_state, ledger\)"):
        PrivateSelectKBest(2, random_state=3, ledger="any").fit(X, X[:, 0])


def test_targets_of_other_rows_or_among_the_features():
    data = pandas.DataFrame(X, columns=list("abcdef"))
    with pytest.raises(ValueError, match="align them"):
        PrivateSelectKBest(1).fit(data, pandas.Series(X[:, 0]).iloc[::-1])
    with pytest.raises(ValueError, match="has the name of the column 'c'"):
        PrivateSelectKBest(1).fit(data, data["c"])
    with pytest.raises(ValueError, match="y holds texts"):
        PrivateSelectKBest(1).fit(data, pandas.Series(Y).astype("string"))
    with pytest.raises(ValueError, match="two dimensions") as caught:
        PrivateSelectKBest(1).fit(X[:, 0], X[:, 1])
    assert str(X[0, 0])[:6] not in str(caught.value)


def test_errors_name_parameters_of_the_estimator():
    with pytest.raises(ValueError, match=r"\(score_func\)"):
        PrivateSelectKBest(2, score_func="f_classif").fit(X, X[:, 0])


def test_pipelines():
    steps = make_pipeline(StandardScaler(), PrivateSelectKBest(1, **ON), LogisticRegression())
    assert steps.fit(X, Y).score(X, Y) > 0.8
    columns = ColumnTransformer([("some", PrivateSelectKBest(1, **ON), [1, 4]), ("rest", "passthrough", [0])])
    assert columns.fit_transform(X, Y).shape == (3000, 2)
    assert clone(steps).get_params()["privateselectkbest__epsilon"] == 20


def test_a_private_fit_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PrivateSelectKBest(1, **{**ON, "epsilon": 9}).fit(X, Y)
    with pytest.warns(dpsis.DpsisWarning, match="protects little"):
        PrivateSelectKBest(1, **{**ON, "epsilon": 20}).fit(X, Y)


def test_all_beyond_chance():
    found = PrivateSelectFwe(**ON).fit(X, Y)
    assert found.get_support().tolist() == [False] * 4 + [True, False]
    bound = found.selection_.record["public"]["false_names"]
    assert bound == {"fwer": "0.05", "at_most": None}
    assert "beyond chance" in found.selection_.verdict and found.selection_.estimates[0].beyond_chance
    capped = PrivateSelectFwe(**ON, alpha="1/10", at_most=3).fit(X, Y).selection_
    assert capped.record["public"]["false_names"] == {"fwer": "0.1", "at_most": 3}
    with pytest.raises(dpsis.RequestError, match="a budget must be stated"):
        PrivateSelectFwe(classes=["no", "yes"]).fit(X, Y)
    with pytest.raises(dpsis.RequestError, match=r"from 0\.001 to 0\.5") as caught:
        PrivateSelectFwe(**ON, alpha=0.9).fit(X, Y)
    assert caught.value.parameters == ("alpha",)


def test_an_empty_selection_warns_as_others_do():
    noise = np.random.default_rng(5).permutation(Y)
    found = PrivateSelectFwe(epsilon=1, alpha=0.001, classes=["no", "yes"], random_state=1)
    with pytest.warns(dpsis.NotPrivateWarning):
        found.fit(X, noise)
    assert found.selection_.names == [] and found.selection_.verdict.startswith("no feature is distinguishable")
    with pytest.warns(UserWarning, match="No features were selected"):
        assert found.transform(X).shape == (3000, 0)
