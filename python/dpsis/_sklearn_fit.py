"""The estimators for pipelines of scikit-learn that predict."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _arguments as arguments
from ._errors import DpsisWarning, RequestError
from ._fit import fitted, model_options
from ._ledger import Ledger
from ._sklearn import _Private, is_frame, read_matrix

#: Parameters that are options of `select`, by the same name.
_OPTIONS = (
    "k",
    "epsilon",
    "fwer",
    "at_most",
    "unit_target",
    "bounds",
    "neighbors",
    "delta",
    "refine",
    "memory",
    "threads",
)


class _PrivateModel(_Private):
    """Base of the two estimators: a model of selected features, or of all, by one private release."""

    _options: Sequence[str] = _OPTIONS
    _command = "fit"

    def _fit(self, X: Any, y: Any, unit: Any) -> None:
        with self._in_own_names():
            job = self._job(X, y, unit)
            share, features = self.selection_share, None
            if self.k is not None and self.k >= self.n_features_in_:
                # Nothing is left to select.
                job.options["k"], share, features = None, None, self._names
            job.options |= model_options(
                features, self.levels, share, self.ranges, getattr(self, "lambda_", None)
            )
            self.fitted_ = fitted(job, self.progress, stacklevel=3)
        if self.fitted_.model is None:
            text = "there is no model, only names: the released values do not determine even the mean of the target"
            warnings.warn(text, DpsisWarning, stacklevel=3)

    def __sklearn_is_fitted__(self) -> bool:
        # Not by the ends of names: a parameter is called lambda_.
        return hasattr(self, "fitted_")

    def _table(self, X: Any) -> dict[str, Any]:
        """Rows to predict for, and their columns."""
        check_is_fitted(self)
        if is_frame(X) and hasattr(self, "feature_names_in_"):
            validate_data(self, X, skip_check_array=True, reset=False)
            return {"data": X, "missing": self.missing}
        # By their places, as in the fit.
        values = read_matrix(np.asarray(X) if is_frame(X) else X)
        data = validate_data(self, values, dtype=None, ensure_all_finite=False, reset=False)
        return {"data": data, "missing": self.missing, "feature_names": self._names}

    def _of_all(self) -> np.ndarray[Any, Any]:
        """The coefficients of all features: 0 of one that was not selected, NaN of one with levels."""
        check_is_fitted(self)
        coefficients = np.zeros(self.n_features_in_)
        coefficients[self.fitted_.indices] = self.fitted_.coef_
        terms = self.fitted_.record["model"]["features"] if self.levels else ()
        coefficients[[place for place, one in zip(self.fitted_.indices, terms) if "level" in one]] = np.nan
        return coefficients


class PrivateRegression(RegressorMixin, _PrivateModel):  # type: ignore[misc]
    """Select features and fit a linear regression to them, under one budget of differential privacy.

    Parameters
    ----------
    k : int, default=None
        How many features to select; all that are significant if not given. If there are not more, none are selected,
        and all of epsilon is for the model.
    epsilon : number
        The privacy budget of each fit. It has no default: `fit` refuses None.
    levels : dict of lists, default=None
        As for `dpsis.fit`, of columns of a data frame.
    selection_share, ranges : number, default=None
        As for `dpsis.fit`.
    target_bounds : (float, float), default=None
        The range of y, known from public sources; otherwise it is drawn privately.
    score_func : {'ks', 'correlation', 'kendall'}, default=None
        How features are scored: `score` of `dpsis.select`, which is the name of a method here.
    fwer, at_most, unit_target, bounds, neighbors, delta, refine, missing, memory, threads, progress
        As for `dpsis.select`.
    ledger : dpsis.Ledger or path, default=None
        The budget file that each fit is charged to. Clones and other processes share it.
    note : str, default=''
        A note on the entries in the ledger.
    random_state : int or RandomState, default=None
        A seed, for tests: other than None, the model is not private, with a `NotPrivateWarning`.

    Attributes
    ----------
    fitted_ : dpsis.Fitted
        What was released.
    coef_ : ndarray of shape (n_features_in_,)
        The coefficients; 0 of a feature that was not selected, NaN of one with levels (see `fitted_`).
    intercept_ : float
        The prediction where all values are 0.
    n_features_in_ : int
        The number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are texts.

    See Also
    --------
    dpsis.fit : The same without scikit-learn.
    PrivateSelectKBest : More about privacy in pipelines.

    Notes
    -----
    **Privacy.** `fitted_`, and thereby coefficients and names, is differentially private for adding or removing one row
    of X and y. Predictions and scores for sensitive rows are functions of them, and must not be published. If the
    released values do not determine even the mean of the target, there is no model: then `fit` warns, and `predict`
    raises `RequestError`.

    Examples
    --------
    >>> import dpsis, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.uniform(0, 10, size=(5000, 4))
    >>> model = dpsis.PrivateRegression(1, epsilon=5, bounds=(0, 10), target_bounds=(0, 25))
    >>> round(model.fit(x, 2 * x[:, 2] + 1).predict([[0, 0, 4, 0]])[0])
    9
    """

    _options = (*_OPTIONS, "target_bounds")

    @arguments.names_near()
    def __init__(
        self,
        k: int | None = None,
        *,
        epsilon: arguments.Exact | None = None,
        levels: Mapping[str, Iterable[Any]] | None = None,
        selection_share: arguments.Exact | None = None,
        ranges: arguments.Exact | None = None,
        target_bounds: Sequence[float] | None = None,
        fwer: arguments.Exact | None = None,
        at_most: int | None = None,
        score_func: str | None = None,
        unit_target: str | None = None,
        bounds: Any = None,
        neighbors: str = "add-remove",
        delta: arguments.Exact | None = None,
        refine: str | None = None,
        missing: Iterable[Any] = (),
        ledger: Ledger | str | os.PathLike[str] | None = None,
        note: str = "",
        memory: int | str | None = None,
        threads: int | None = None,
        progress: arguments.Progressing = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.epsilon = epsilon
        self.levels = levels
        self.selection_share = selection_share
        self.ranges = ranges
        self.target_bounds = target_bounds
        self.fwer = fwer
        self.at_most = at_most
        self.score_func = score_func
        self.unit_target = unit_target
        self.bounds = bounds
        self.neighbors = neighbors
        self.delta = delta
        self.refine = refine
        self.missing = missing
        self.ledger = ledger
        self.note = note
        self.memory = memory
        self.threads = threads
        self.progress = progress
        self.random_state = random_state

    def _given(self) -> dict[str, Any]:
        # y is a number: no label is among its values.
        return {**super()._given(), "target_number": self.target_bounds is None}

    def fit(self, X: Any, y: Any, unit: Any = None) -> PrivateRegression:
        """Select features and fit the model.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            One row per person, unless `unit` is given. What is not a number is missing, and counts as the middle of its range.
        y : array-like of shape (n_samples,)
            The target: numbers.
        unit : array-like of shape (n_samples,), default=None
            The person identifiers of the rows, as for `dpsis.select`.

        Returns
        -------
        self

        Raises
        ------
        RequestError, InputError, BudgetExceeded
            As for `PrivateSelectKBest.fit`.
        """
        self._fit(X, y, unit)
        return self

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """Predict y.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Data with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        rows = self._table(X)
        return self.fitted_.predict(**rows)

    @property
    def coef_(self) -> np.ndarray[Any, Any]:
        return self._of_all()

    @property
    def intercept_(self) -> float:
        check_is_fitted(self)
        return self.fitted_.intercept_


class PrivateClassifier(ClassifierMixin, _PrivateModel):  # type: ignore[misc]
    """Select features and fit a logistic regression of two classes to them, under one budget of differential privacy.

    Parameters
    ----------
    k : int, default=None
        How many features to select; all that are significant if not given. If there are not more, none are selected,
        and all of epsilon is for the model.
    epsilon : number
        The privacy budget of each fit. It has no default: `fit` refuses None.
    classes : list
        The two labels of y. They are given, never read from y, because which labels occur is private.
    levels : dict of lists, default=None
        As for `dpsis.fit`, of columns of a data frame.
    selection_share, ranges : number, default=None
        As for `dpsis.fit`.
    lambda_ : float, default=None
        As for `dpsis.fit`.
    score_func : {'ks', 'correlation', 'kendall'}, default=None
        How features are scored: `score` of `dpsis.select`, which is the name of a method here.
    fwer, at_most, unit_target, bounds, neighbors, delta, refine, missing, memory, threads, progress
        As for `dpsis.select`.
    ledger : dpsis.Ledger or path, default=None
        The budget file that each fit is charged to. Clones and other processes share it.
    note : str, default=''
        A note on the entries in the ledger.
    random_state : int or RandomState, default=None
        A seed, for tests: other than None, the model is not private, with a `NotPrivateWarning`.

    Attributes
    ----------
    fitted_ : dpsis.Fitted
        What was released.
    classes_ : ndarray of shape (2,)
        The labels, sorted.
    coef_ : ndarray of shape (1, n_features_in_)
        The coefficients, in log-odds of the second label; 0 of a feature that was not selected, NaN of one with levels (see `fitted_`).
    intercept_ : ndarray of shape (1,)
        The log-odds where all values are 0.
    n_features_in_ : int
        The number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are texts.

    See Also
    --------
    dpsis.fit : The same without scikit-learn.
    PrivateSelectKBest : More about privacy in pipelines.

    Notes
    -----
    **Privacy.** As for `PrivateRegression`.

    Examples
    --------
    >>> import dpsis, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.uniform(size=(20000, 4))
    >>> model = dpsis.PrivateClassifier(1, epsilon=5, classes=["well", "ill"], bounds=(0, 1))
    >>> model.fit(x, np.where(x[:, 2] > 0.5, "ill", "well")).predict([[0, 0, 0, 0], [0, 0, 1, 0]])
    array(['well', 'ill'], dtype='<U4')
    """

    _options = (*_OPTIONS, "classes")

    @arguments.names_near()
    def __init__(
        self,
        k: int | None = None,
        *,
        epsilon: arguments.Exact | None = None,
        classes: Iterable[Any] | None = None,
        levels: Mapping[str, Iterable[Any]] | None = None,
        selection_share: arguments.Exact | None = None,
        ranges: arguments.Exact | None = None,
        lambda_: float | None = None,
        fwer: arguments.Exact | None = None,
        at_most: int | None = None,
        score_func: str | None = None,
        unit_target: str | None = None,
        bounds: Any = None,
        neighbors: str = "add-remove",
        delta: arguments.Exact | None = None,
        refine: str | None = None,
        missing: Iterable[Any] = (),
        ledger: Ledger | str | os.PathLike[str] | None = None,
        note: str = "",
        memory: int | str | None = None,
        threads: int | None = None,
        progress: arguments.Progressing = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.epsilon = epsilon
        self.classes = classes
        self.levels = levels
        self.selection_share = selection_share
        self.ranges = ranges
        self.lambda_ = lambda_
        self.fwer = fwer
        self.at_most = at_most
        self.score_func = score_func
        self.unit_target = unit_target
        self.bounds = bounds
        self.neighbors = neighbors
        self.delta = delta
        self.refine = refine
        self.missing = missing
        self.ledger = ledger
        self.note = note
        self.memory = memory
        self.threads = threads
        self.progress = progress
        self.random_state = random_state

    def _given(self) -> dict[str, Any]:
        if arguments.labels("classes", self.classes) is None:
            rule = "give the two labels of y. They are not read from it, because which labels occur is private"
            raise RequestError(rule, ["classes"])
        # Sorted, as scikit-learn has them.
        return {**super()._given(), "classes": np.unique(list(self.classes or ())).tolist()}

    def fit(self, X: Any, y: Any, unit: Any = None) -> PrivateClassifier:
        """Select features and fit the model.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            One row per person, unless `unit` is given. What is not a number is missing, and counts as the middle of its range.
        y : array-like of shape (n_samples,)
            The target: one of two labels. A row with another one contributes nothing.
        unit : array-like of shape (n_samples,), default=None
            The person identifiers of the rows, as for `dpsis.select`.

        Returns
        -------
        self

        Raises
        ------
        RequestError, InputError, BudgetExceeded
            As for `PrivateSelectKBest.fit`.
        """
        self._fit(X, y, unit)
        self.classes_ = np.unique(list(self.classes or ()))
        return self

    def predict_proba(self, X: Any) -> np.ndarray[Any, Any]:
        """Predict the probabilities of the two classes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Data with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            In the order of `classes_`.
        """
        rows = self._table(X)
        return self.fitted_.predict_proba(**rows)

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """Predict y: the more probable class of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Data with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        second = self.predict_proba(X)[:, 1] > 0.5
        return np.asarray(self.classes_[second.astype(int)])

    @property
    def coef_(self) -> np.ndarray[Any, Any]:
        return self._of_all()[np.newaxis]

    @property
    def intercept_(self) -> np.ndarray[Any, Any]:
        check_is_fitted(self)
        return np.array([self.fitted_.intercept_])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
