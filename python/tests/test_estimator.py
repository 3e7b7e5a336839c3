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
from dpsis import PrivateClassifier, PrivateRegression, PrivateSelectFwe, PrivateSelectKBest

RNG = np.random.default_rng(2)
X = RNG.normal(size=(3000, 6))
Y = np.where(X[:, 4] + 0.3 * RNG.normal(size=3000) > 0, "yes", "no")
ON = {"epsilon": 20, "classes": ["no", "yes"]}


#: Checks that a classifier must fail whose labels are given, by the reason.
OF_LABELS = {
    "check_classifiers_classes": "the labels of y are others than those given: to take them from y would reveal them",
    "check_classifiers_regression_target": "what is no given label is missing: to raise would reveal that it is there",
    "check_classifier_not_supporting_multiclass": "a third label is missing: to raise would reveal that it is there",
}


#: A check that all must fail, by the reason.
OF_ROWS = {"check_estimators_empty_data_messages": "to raise without a row would reveal whether there is one"}


#: A check that a model must fail, by the reason.
OF_TARGETS = {
    "check_supervised_y_no_nan": "a target that is not a number is missing: to raise if all are would reveal whether one is there",
}


# Those with a seed are deterministic, so that all checks run. The checks have few rows: an epsilon of use for them is large.
@pytest.mark.parametrize(
    "estimator",
    [
        PrivateSelectKBest(),
        PrivateSelectKBest(random_state=0),
        PrivateSelectFwe(20, random_state=0),
        PrivateRegression(epsilon=10**6, random_state=0),
        PrivateRegression(100, epsilon=10**6, random_state=0),
        PrivateClassifier(100, epsilon=10**6, classes=[0, 1], random_state=0),
    ],
)
def test_every_check_of_scikit_learn(estimator):
    of_labels = OF_LABELS if isinstance(estimator, PrivateClassifier) else {}
    is_model = isinstance(estimator, (PrivateRegression, PrivateClassifier))
    expected = {**OF_ROWS, **of_labels, **OF_TARGETS} if is_model else OF_ROWS
    found = check_estimator(estimator, expected_failed_checks=expected, on_fail=None, on_skip=None)
    assert len(found) > 40
    assert {one["check_name"] for one in found if one["status"] == "xfail"} == set(expected)
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


@pytest.mark.parametrize("k", range(1, 6))
def test_identifiers_and_excluded_columns_are_never_kept(k):
    data = pandas.DataFrame({"pid": range(3000), "leak": Y == "yes", "a": X[:, 4], "b": X[:, 1], "c": X[:, 2]})
    roles = {"id": "pid", "exclude": ["le*"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dpsis.DpsisWarning)
        kept = set(PrivateSelectKBest(k, **roles, **ON).fit(data, Y).get_feature_names_out())
    assert kept <= {"a", "b", "c"} and len(kept) == min(k, 3)
    chosen = PrivateSelectFwe(20, classes=ON["classes"], **roles).fit(data, Y).get_feature_names_out()
    assert "a" in chosen and set(chosen) <= {"a", "b", "c"}
    array = PrivateSelectKBest(k, exclude=["feature-2", "feature-5"], **ON)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dpsis.DpsisWarning)
        mask = array.fit(X, Y).get_support()
    assert not mask[1] and not mask[4] and mask.sum() == min(k, 4)
    for wrong in ({"exclude": ["leek"]}, {"exclude": ["zz*"]}, {"id": "pit"}):
        with pytest.raises(ValueError, match="leek|zz|pit"):
            PrivateSelectKBest(k, **wrong, **ON).fit(data, Y)


def test_classes_are_given():
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


def test_all_significant():
    found = PrivateSelectFwe(**ON).fit(X, Y)
    assert found.get_support().tolist() == [False] * 4 + [True, False]
    bound = found.selection_.record["public"]["false_discoveries"]
    assert bound == {"fwer": "0.05", "at_most": None}
    assert "significant" in found.selection_.significance and found.selection_.estimates[0].significant
    capped = PrivateSelectFwe(**ON, alpha="1/10", at_most=3).fit(X, Y).selection_
    assert capped.record["public"]["false_discoveries"] == {"fwer": "0.1", "at_most": 3}
    with pytest.raises(dpsis.RequestError, match="a budget must be given"):
        PrivateSelectFwe(classes=["no", "yes"]).fit(X, Y)
    with pytest.raises(dpsis.RequestError, match=r"from 0\.001 to 0\.5") as caught:
        PrivateSelectFwe(**ON, alpha=0.9).fit(X, Y)
    assert caught.value.parameters == ("alpha",)


def test_an_empty_selection_warns_as_others_do():
    noise = np.random.default_rng(5).permutation(Y)
    found = PrivateSelectFwe(epsilon=1, alpha=0.001, classes=["no", "yes"], random_state=1)
    with pytest.warns(dpsis.NotPrivateWarning):
        found.fit(X, noise)
    assert found.selection_.names == [] and found.selection_.significance.startswith("no feature is significant")
    with pytest.warns(UserWarning, match="No features were selected"):
        assert found.transform(X).shape == (3000, 0)


def test_regression():
    x = RNG.uniform(0, 10, size=(4000, 5))
    y = 3 * x[:, 1] - x[:, 3] + 2
    on = {"epsilon": 20, "bounds": (0, 10), "target_bounds": (-10, 40)}
    found = PrivateRegression(2, **on).fit(x, y)
    assert found.fitted_.private and found.fitted_.indices == [1, 3]
    assert found.coef_ == pytest.approx([0, 3, 0, -1, 0], abs=0.1) and found.intercept_ == pytest.approx(2, abs=1)
    assert found.score(x, y) > 0.99
    frame = pandas.DataFrame(x, columns=list("abcde"))
    named = PrivateRegression(2, **on).fit(frame, y)
    assert named.fitted_.names == ["b", "d"] and list(named.feature_names_in_) == list("abcde")
    assert named.predict(frame) == pytest.approx(named.predict(polars.from_pandas(frame)))
    with pytest.warns(UserWarning, match="valid feature names"):
        assert named.predict(frame) == pytest.approx(named.predict(x))
    assert found.predict(frame) == pytest.approx(found.predict(x))
    with pytest.raises(ValueError, match="5 features"):
        found.predict(x[:, :2])
    everything = PrivateRegression(9, **on).fit(x, y)
    assert everything.fitted_.record["selection"] is None and len(everything.fitted_.names) == 5
    again = pickle.loads(pickle.dumps(clone(found).fit(x, y)))
    assert again.predict(x) == pytest.approx(y, abs=2)


def test_classification():
    x = RNG.uniform(size=(8000, 4))
    y = np.where(x[:, 2] > 0.5, "well", "ill")
    found = PrivateClassifier(1, epsilon=20, classes=["well", "ill"], bounds=(0, 1)).fit(x, y)
    assert list(found.classes_) == ["ill", "well"] and found.fitted_.indices == [2]
    assert found.coef_.shape == (1, 4) and found.coef_[0, 2] > 0 and found.intercept_.shape == (1,)
    assert found.score(x, y) > 0.95 and found.predict_proba(x).shape == (8000, 2)
    truths = PrivateClassifier(1, epsilon=20, classes=[False, True], bounds=(0, 1)).fit(x, y == "well")
    assert truths.predict(x).dtype == bool and truths.score(x, y == "well") > 0.95
    with pytest.raises(dpsis.RequestError, match="give the two labels") as caught:
        PrivateClassifier(1, epsilon=1).fit(x, y)
    assert caught.value.parameters == ("classes",)
    with pytest.raises(TypeError, match="a list of labels"):
        PrivateClassifier(1, epsilon=1, classes="no").fit(x, y)
    with pytest.raises(dpsis.RequestError, match="not of more"):
        PrivateClassifier(1, epsilon=1, classes=[1, 2, 3]).fit(x, y)


def test_models_take_a_budget_and_a_ledger(tmp_path):
    for estimator in (PrivateRegression(1), PrivateClassifier(1, classes=["no", "yes"])):
        with pytest.raises(dpsis.RequestError, match="a budget must be given"):
            estimator.fit(X, Y if hasattr(estimator, "classes") else X[:, 0])
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=3)
    found = PrivateRegression(1, epsilon=2, bounds=(-3, 3), target_bounds=(-3, 3), ledger=ledger)
    assert make_pipeline(StandardScaler(), found).fit(X, X[:, 2]).predict(X).shape == (3000,)
    assert ledger.spent == 2 and found.fitted_.record["ledger"]
    with pytest.raises(dpsis.BudgetExceeded):
        found.fit(X, X[:, 2])
    with pytest.raises(ValueError, match=r"\(random_state, ledger\)"):
        found.set_params(random_state=1).fit(X, X[:, 2])


def test_too_few_rows_for_a_model():
    with pytest.warns(dpsis.DpsisWarning, match="no model, only names"):
        found = PrivateRegression(1, epsilon=0.01).fit(X[:50], X[:50, 0])
    assert len(found.fitted_.names) == 1
    with pytest.raises(dpsis.RequestError, match="there is no model"):
        found.predict(X)


@pytest.mark.parametrize("form", ["frame", "array"])
def test_columns_that_are_no_features(form):
    frame = pandas.DataFrame(X, columns=list("abcdef")).assign(who=range(3000))[["who", *"abcdef"]]
    frame.loc[::7, "e"] = -999
    data, left_out = (frame, {"id": "who", "exclude": ["a", "b"]})
    if form == "array":
        data, left_out = frame.to_numpy(), {"exclude": ["feature-1", "feature-2", "feature-3"]}
    for found in (PrivateSelectKBest(1, **ON, **left_out, missing=[-999]), PrivateSelectFwe(**ON, **left_out, missing=[-999])):
        found.fit(data, Y)
        assert found.get_support(indices=True).tolist() == [5] and found.transform(data).shape == (3000, 1)
        assert found.selection_.indices == [2]
    model = PrivateRegression(1, epsilon=20, missing=[-999], bounds=(-5, 5), target_bounds=(-5, 5))
    coded, values = np.where(RNG.random((3000, 1)) < 0.1, -999, X[:, :1]), X[:, 0]
    predicted = model.fit(coded, values).predict(coded)
    assert predicted[coded[:, 0] == -999] == pytest.approx(model.intercept_)


@pytest.mark.parametrize(
    "estimator",
    [dpsis.PrivateSelectKBest(1), dpsis.PrivateSelectFwe(1), dpsis.PrivateRegression(1, epsilon=1)],
    ids=lambda one: type(one).__name__,
)
def test_messages_name_parameters_that_the_estimator_has(estimator, tmp_path):
    own = {*estimator.get_params(), "X", "y", "unit"}
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=9)
    wrong = [
        {"score_func": "f"}, {"score_func": 3}, {"random_state": "x"}, {"random_state": 1, "ledger": ledger},
        {"alpha": "x"}, {"alpha": True}, {"fwer": "x"}, {"scale": "x"}, {"k": 0}, {"epsilon": None},
    ]  # fmt: skip
    for parameters in wrong:
        if not set(parameters) <= set(estimator.get_params()):
            continue
        with pytest.raises((dpsis.DpsisError, TypeError)) as caught:
            clone(estimator).set_params(**parameters).fit(X, X[:, 0])
        text = str(caught.value)
        if isinstance(caught.value, dpsis.DpsisError):
            assert caught.value.parameters and set(caught.value.parameters) <= own, text
        else:
            assert text.split()[0] in own, text
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        names = {"scale": "row-rank"} if "scale" in own else {}
        clone(estimator).set_params(random_state=1, **names).fit(X, X[:, 0])
    texts = [str(one.message) for one in caught]
    assert not any("(score)" in text or "seed)" in text for text in texts), texts
    assert not names or any("(score_func)" in text for text in texts), texts


def test_select_names_its_own_arguments():
    with pytest.raises(dpsis.RequestError) as caught:
        dpsis.select(X, 1, 1, y=X[:, 0], score="f")
    assert caught.value.parameters == ("score",)
