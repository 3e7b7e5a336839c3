"""The estimators for pipelines of scikit-learn."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

try:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import DataConversionWarning
    from sklearn.feature_selection import SelectorMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:  # pragma: no cover
    raise ImportError("the estimators need scikit-learn 1.6 or later") from error

from . import _arguments as arguments
from ._errors import DpsisError, DpsisWarning, RequestError
from ._job import Job, terms_of
from ._ledger import Ledger, payer
from ._native import are_excluded
from ._select import drawn, select_options
from ._select import select as select_in_memory
from ._tables import check_beside, check_classes, is_of, matrix, no_complex, refuse, table

#: Parameters that are options of `select`, by the same name.
_OPTIONS = (
    "epsilon",
    "classes",
    "by",
    "target_bounds",
    "target_number",
    "bounds",
    "neighbors",
    "shares",
    "direction",
    "memory",
    "threads",
)

#: Further options of a selection of k features.
_OPTIONS_OF_K = (
    "k",
    "delta",
    "unit_target",
    "scale",
    "center",
    "method",
    "blocks",
    "penalty",
    "refine",
    "mechanism",
    "parameters",
)

#: The options of `select` that the estimator does not have.
_DEFAULTS = arguments.defaults(select_in_memory)


#: Parameters that are facts about the table.
_FACTS = ("id", "exclude", "missing")


class _Private(BaseEstimator):  # type: ignore[misc]
    """Base of all estimators: one private release of X and y, with options of `select` as parameters."""

    #: The parameters that are options of `select`, by the same name.
    _options: Sequence[str] = _OPTIONS
    _command = "select"

    def _given(self) -> dict[str, Any]:
        """The options of `select`."""
        return {name: getattr(self, name) for name in self._options}

    def _keeps_all(self, options: Mapping[str, Any], features: int) -> bool:
        """Whether all features are kept, and nothing is spent."""
        return False

    @contextlib.contextmanager
    def _in_own_names(self) -> Iterator[None]:
        """Names parameters in errors as they are called here."""
        try:
            yield
        except DpsisError as error:
            raise renamed(error, self._own_names()) from None

    def _own_names(self) -> dict[str, str]:
        """The names that options of `select` have here."""
        own = {"data": "X", "score": "score_func", "seed": "random_state"}
        if hasattr(self, "alpha"):
            own["fwer"] = "alpha"
        if not hasattr(self, "exclude"):
            # A column is excluded by leaving it out of X.
            own["exclude"] = "X"
        return own

    def _job(self, X: Any, y: Any, unit: Any) -> Job:
        """The job, after all checks that come before the release."""
        score = arguments.maybe_word("score_func", self.score_func)
        options = select_options({**_DEFAULTS, **self._given(), "score": score, "unit": unit, "y": y})
        if isinstance(unit, str):
            raise RequestError("unit holds the ids themselves: one for each row of X", ["unit"])
        if y is None:
            rule = "requires y to be passed, but the target y is None"
            raise RequestError(f"{type(self).__name__} {rule}", ["y"])
        seed = arguments.maybe_integer("random_state", self._seed())
        shown = _public(self.get_params(deep=False)) | ({} if unit is None else {"unit": unit})
        request = arguments.note(type(self).__name__, shown, _defaults(type(self)))
        terms = terms_of(request, payer(self.ledger, seed), self.note, seed)
        job = Job(self._command, options, terms, names=self._own_names())
        names = _names(X)
        if names is not None and not self._keeps_all(options, int(self._candidates(names).sum())):
            job.check_ledger()
        check_classes(y, options["classes"])
        data = X
        if is_frame(X):
            validate_data(self, X, skip_check_array=True)
            check_beside(X, y, unit)
        else:
            data = validate_data(self, read_matrix(X), dtype=None, ensure_all_finite=False, ensure_min_samples=0)
        self._names = _names(X) or [f"feature-{place + 1}" for place in range(self.n_features_in_)]
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            rule = "A column-vector y was passed when a 1d array was expected: pass y.ravel()"
            warnings.warn(DataConversionWarning(rule), stacklevel=4)
        facts = {name: getattr(self, name) for name in _FACTS if hasattr(self, name)}
        job.source = table(data, y, unit=unit, **facts)
        return job

    def _candidates(self, names: list[str]) -> np.ndarray[Any, Any]:
        """Whether each column may be selected: not identifiers and excluded columns."""
        excluded = are_excluded(names, arguments.names("exclude", getattr(self, "exclude", ())))
        id = getattr(self, "id", None)
        if id is not None and id not in names:
            raise RequestError(f"no column is called {id!r}", ["id"])
        return np.array([not out and name != id for name, out in zip(names, excluded)], dtype=bool)

    def _seed(self) -> Any:
        """The seed: of a generator, a draw."""
        state = self.random_state
        if state is None or not hasattr(state, "randint"):
            return state
        return int(state.randint(2**31))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.random_state is None
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags


class _PrivateSelector(SelectorMixin, _Private):  # type: ignore[misc]
    """Base of the selectors: a selection of columns."""

    def _fit(self, X: Any, y: Any, unit: Any) -> None:
        with self._in_own_names():
            job = self._job(X, y, unit)
            candidates = self._candidates(self._names)
        features = int(candidates.sum())
        if self._keeps_all(job.options, features):
            text = f"k is {self.k}, and there are {features} features: all are kept, and nothing is spent"
            warnings.warn(text, DpsisWarning, stacklevel=3)
            self.selection_ = None
            self._support = candidates
            return
        with self._in_own_names():
            self.selection_ = drawn(job, self.progress, stacklevel=3)
        # By name: columns that are left out have no index.
        self._support = np.isin(self._names, self.selection_.names)

    def transform(self, X: Any) -> Any:
        """Keep the selected columns of X.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Data with the columns of `fit`.

        Returns
        -------
        array or data frame of shape (n_samples, k)
            The selected columns, which are data: nothing about them is private.
        """
        _check_matrix(X)
        return super().transform(X)

    def inverse_transform(self, X: Any) -> Any:
        """Put the selected columns back to their places, zeros between them.

        Parameters
        ----------
        X : array-like of shape (n_samples, k)
            Columns that were kept.

        Returns
        -------
        array of shape (n_samples, n_features)
            The columns of `fit`; columns that were not selected are 0.
        """
        _check_matrix(X)
        return super().inverse_transform(X)

    def _get_support_mask(self) -> np.ndarray[Any, Any]:
        check_is_fitted(self)
        return self._support


class PrivateSelectKBest(_PrivateSelector):
    """Select k features under differential privacy, as a step of a pipeline.

    Parameters
    ----------
    k : int, default=5
        How many features to select. If there are not more, all are kept, with a warning, and nothing is spent.
        Identifiers and excluded columns are never kept.
    epsilon : number, default=1.0
        The privacy budget of each fit.
    classes : list, default=None
        The labels of y. They are given, never read from y, because which labels occur is private. Without them y is a
        number.
    by : float, default=None
        The horizon, where y is a structured array of an event and a time, as scikit-survival has them: the target is
        whether the event happened by then. Rows that were lost before without the event take no part.
    score_func : {'ks', 'correlation', 'kendall'}, default=None
        How features are scored: `score` of `dpsis.select`, which is the name of a method here.
    target_bounds, target_number, unit_target, bounds, scale, center, neighbors, delta, shares, direction, method, blocks, penalty, \
refine, mechanism, parameters, id, exclude, missing, memory, threads, progress
        As for `dpsis.select`.
    ledger : dpsis.Ledger or path, default=None
        The budget file that each fit is charged to. Clones and other processes share it.
    note : str, default=''
        A note on the entries in the ledger.
    random_state : int or RandomState, default=None
        A seed, for tests: other than None, the selection is not private, with a `NotPrivateWarning`.

    Attributes
    ----------
    selection_ : dpsis.Selection or None
        What was released; None if all features were kept.
    n_features_in_ : int
        The number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are texts.

    See Also
    --------
    dpsis.select : The same without scikit-learn.

    Notes
    -----
    **Privacy.** `selection_`, and thereby the names of the kept columns, is epsilon-differentially private for adding or
    removing one row of X and y, or all rows of one person if `fit` gets a `unit`. The columns that `transform` returns
    are data, and a model fitted on them is not private. There are no scores: they would be data.

    Every fit spends epsilon. In cross-validation a row is among the training rows of all folds but one, so that their
    epsilons add up, *if* no row's fold depends on other rows. ``KFold`` assigns rows to folds by their places, which
    an added row changes: give ``neighbors='replace-one'`` with it. ``StratifiedKFold``, the default for classifiers, assigns
    them by the labels of all rows: nothing is guaranteed with it. ``PredefinedSplit`` by a hash of each person's id serves 'add-remove'. A
    ledger charges epsilon for every fit. Warnings and errors never hold a value of the data.

    Examples
    --------
    >>> import dpsis, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(5000, 6))
    >>> y = (x[:, 3] > 0).astype(int)
    >>> dpsis.PrivateSelectKBest(1, epsilon=5, classes=[0, 1]).fit(x, y).get_support(indices=True)
    array([3])
    """

    _options = _OPTIONS + _OPTIONS_OF_K

    @arguments.names_near()
    def __init__(
        self,
        k: int = 5,
        *,
        epsilon: arguments.Exact = 1.0,
        classes: Iterable[Any] | None = None,
        by: float | None = None,
        target_bounds: Sequence[float] | None = None,
        target_number: bool = False,
        unit_target: str | None = None,
        bounds: Any = None,
        score_func: str | None = None,
        scale: str | None = None,
        center: Any = "private",
        neighbors: str = "add-remove",
        delta: arguments.Exact | None = None,
        shares: Mapping[str, arguments.Exact] | None = None,
        direction: bool = False,
        method: str = "dp-sis",
        blocks: int | None = None,
        penalty: float | None = None,
        refine: str | None = None,
        mechanism: str | None = None,
        parameters: Mapping[str, arguments.Exact] | None = None,
        id: str | None = None,
        exclude: Iterable[str] | str = (),
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
        self.by = by
        self.target_bounds = target_bounds
        self.target_number = target_number
        self.unit_target = unit_target
        self.bounds = bounds
        self.score_func = score_func
        self.scale = scale
        self.center = center
        self.neighbors = neighbors
        self.delta = delta
        self.shares = shares
        self.direction = direction
        self.method = method
        self.blocks = blocks
        self.penalty = penalty
        self.refine = refine
        self.mechanism = mechanism
        self.parameters = parameters
        self.id = id
        self.exclude = exclude
        self.missing = missing
        self.ledger = ledger
        self.note = note
        self.memory = memory
        self.threads = threads
        self.progress = progress
        self.random_state = random_state

    def _keeps_all(self, options: Mapping[str, Any], features: int) -> bool:
        return bool(options["k"] >= features)

    def fit(self, X: Any, y: Any, unit: Any = None) -> PrivateSelectKBest:
        """Select features.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            One row per person, unless `unit` is given. Numbers; in a data frame also words, categories, truth values and
            dates.
        y : array-like of shape (n_samples,)
            The target: numbers, labels if `classes` are given, or events and times with `by`.
        unit : array-like of shape (n_samples,), default=None
            The person identifiers of the rows, as for `dpsis.select`. In a pipeline it comes by
            ``fit(X, y, privateselectkbest__unit=ids)``, or by metadata routing after ``set_fit_request(unit=True)``.

        Returns
        -------
        self

        Raises
        ------
        RequestError, InputError
            A ValueError: the request or the data are wrong.
        BudgetExceeded
            Less is left in the ledger than epsilon; no data were read. (GridSearchCV and cross_validate turn errors of
            a fit into missing scores, unless ``error_score='raise'``.)
        """
        self._fit(X, y, unit)
        return self


class PrivateSelectFwe(_PrivateSelector):
    """Select all significant features under differential privacy, at a bounded family-wise error rate.

    Parameters
    ----------
    epsilon : number
        The privacy budget of each fit. It has no default: `fit` refuses None.
    alpha : number, default=0.05
        The family-wise error rate: the probability that any selected feature has no association with y. From 0.001 to
        0.5. So the false discovery rate is at most alpha, too, as with scikit-learn's `SelectFdr`.
    at_most : int, default=None
        The most features to select; any number if not given.
    classes : list, default=None
        The labels of y. They are given, never read from y, because which labels occur is private. Without them y is a
        number.
    by : float, default=None
        The horizon, where y is a structured array of an event and a time, as scikit-survival has them: the target is
        whether the event happened by then. Rows that were lost before without the event take no part.
    score_func : {'ks', 'correlation'}, default=None
        How features are scored: `score` of `dpsis.select`, which is the name of a method here.
    target_bounds, target_number, bounds, neighbors, shares, direction, id, exclude, missing, memory, threads, progress
        As for `dpsis.select`.
    ledger : dpsis.Ledger or path, default=None
        The budget file that each fit is charged to. Clones and other processes share it.
    note : str, default=''
        A note on the entries in the ledger.
    random_state : int or RandomState, default=None
        A seed, for tests: other than None, the selection is not private, with a `NotPrivateWarning`.

    Attributes
    ----------
    selection_ : dpsis.Selection
        What was released.
    n_features_in_ : int
        The number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are texts.

    See Also
    --------
    PrivateSelectKBest : k features, and more about privacy in pipelines.

    Notes
    -----
    If nothing can be shown to be significant, nothing is selected, and `transform` warns as that of scikit-learn's
    selectors does.

    Examples
    --------
    >>> import dpsis, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(5000, 6))
    >>> y = (x[:, 3] > 0).astype(int)
    >>> dpsis.PrivateSelectFwe(epsilon=5, classes=[0, 1]).fit(x, y).get_support(indices=True)
    array([3])
    """

    @arguments.names_near()
    def __init__(
        self,
        epsilon: arguments.Exact | None = None,
        alpha: arguments.Exact = 0.05,
        *,
        at_most: int | None = None,
        classes: Iterable[Any] | None = None,
        by: float | None = None,
        target_bounds: Sequence[float] | None = None,
        target_number: bool = False,
        bounds: Any = None,
        score_func: str | None = None,
        neighbors: str = "add-remove",
        shares: Mapping[str, arguments.Exact] | None = None,
        direction: bool = False,
        id: str | None = None,
        exclude: Iterable[str] | str = (),
        missing: Iterable[Any] = (),
        ledger: Ledger | str | os.PathLike[str] | None = None,
        note: str = "",
        memory: int | str | None = None,
        threads: int | None = None,
        progress: arguments.Progressing = None,
        random_state: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.alpha = alpha
        self.at_most = at_most
        self.classes = classes
        self.by = by
        self.target_bounds = target_bounds
        self.target_number = target_number
        self.bounds = bounds
        self.score_func = score_func
        self.neighbors = neighbors
        self.shares = shares
        self.direction = direction
        self.id = id
        self.exclude = exclude
        self.missing = missing
        self.ledger = ledger
        self.note = note
        self.memory = memory
        self.threads = threads
        self.progress = progress
        self.random_state = random_state

    def _given(self) -> dict[str, Any]:
        return {**super()._given(), "at_most": self.at_most, "fwer": arguments.maybe_exact("alpha", self.alpha)}

    def fit(self, X: Any, y: Any) -> PrivateSelectFwe:
        """Select features.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            One row per person. Numbers; in a data frame also words, categories, truth values and dates.
        y : array-like of shape (n_samples,)
            The target: numbers, labels if `classes` are given, or events and times with `by`.

        Returns
        -------
        self

        Raises
        ------
        RequestError, InputError
            A ValueError: the request or the data are wrong.
        BudgetExceeded
            Less is left in the ledger than epsilon; no data were read.
        """
        self._fit(X, y, None)
        return self


def _names(data: Any) -> list[str] | None:
    """The names of columns, where no cell need be read for them; of an array, their places."""
    if is_frame(data):
        # A table of pyarrow has names apart from its columns.
        return [str(name) for name in getattr(data, "column_names", data.columns)]
    shape = getattr(data, "shape", None)
    is_listed = isinstance(data, (list, tuple)) and data and isinstance(data[0], (list, tuple))
    features = int(shape[-1]) if shape else len(data[0]) if is_listed else None
    return None if features is None else [f"feature-{place + 1}" for place in range(features)]


def read_matrix(data: Any) -> np.ndarray[Any, Any]:
    """The matrix in data other than frames."""
    if hasattr(data, "__array__") or hasattr(data, "tocsr"):
        refuse(data)
    try:
        return matrix(data)
    except DpsisError as error:
        raise renamed(error, {"data": "X"}) from None


def _check_matrix(data: Any) -> None:
    """Refuses malformed matrices before scikit-learn does, whose messages show values."""
    if is_frame(data) or hasattr(data, "tocsr"):
        return
    read_matrix(data)
    # Of lists scikit-learn makes an array of one type.
    if isinstance(data, (list, tuple)) and np.asarray(data).dtype.kind == "c":
        raise renamed(no_complex(), {"data": "X"})


def is_frame(data: Any) -> bool:
    return hasattr(data, "columns") and (
        hasattr(data, "__arrow_c_stream__") or is_of(data, "pandas")
    )


def renamed(error: DpsisError, names: Mapping[str, str]) -> DpsisError:
    """The error with these names of parameters."""
    parameters = [names.get(name, name) for name in error.parameters]
    return type(error)(error.message, parameters, error.row, error.column)


def _public(given: Mapping[str, Any]) -> dict[str, Any]:
    unnamed = ("note", "memory", "threads", "progress")
    return {name: value for name, value in given.items() if name not in unnamed}


def _defaults(estimator: type[_PrivateSelector]) -> dict[str, Any]:
    defaults: dict[str, Any] = estimator().get_params(deep=False)
    return {name: value for name, value in defaults.items() if name not in ("k", "epsilon")}
