"""Private models of selected features."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _arguments as arguments
from . import _native
from ._errors import NotPrivateWarning, RequestError
from ._exports import Exported
from ._job import Job, delivered
from ._page import Paged
from ._select import _DEFAULTS, job_of
from ._selection import dry
from ._tables import table


@dataclass(frozen=True, repr=False)
class Model(Paged):
    """A private model of a few features, as `load_model` returns it.

    Attributes
    ----------
    names : list of str
        The feature of each coefficient; of a level, ``'stage=II'``.
    kind : {'linear', 'logistic'}
        What is predicted: a number, or one of two classes.
    classes : list of str or None
        The two classes; None of a linear model.
    coef_ : ndarray of shape (k,)
        The coefficients, in units of the target (or of log-odds of the second class) per unit of the feature; all 0
        where the model is the mean of the target or the share of the second class.
    intercept_ : float
        The prediction (or its log-odds) where all values are 0.
    intervals_ : ndarray of shape (k, 2) or None
        The 90% interval of each coefficient, for noise and sampling; None of a logistic model and of a mean.
    noise_ : ndarray of shape (k,) or None
        The standard deviation of the privacy noise in each coefficient; None of a linear model and of a share.
    private : bool
        Whether the model may be released: False if it was drawn from a seed.
    record : dict
        The content of its file.
    """

    _model: str | None

    def _text(self) -> str:
        """The file."""
        if self._model is None:
            rule = "there is no model: the released values do not determine even the mean of the target"
            raise RequestError(rule, ["epsilon"])
        return self._model

    def _read(self) -> dict[str, Any]:
        """The content of the file."""
        found: dict[str, Any] = json.loads(self._text())
        return found

    def _of_features(self, *keys: str) -> np.ndarray[Any, Any] | None:
        """The values of these keys of each feature; None if a feature lacks one."""
        rows = [[one.get(key) for key in keys] for one in self._read()["features"]]
        if any(value is None for row in rows for value in row):
            return None
        return np.array(rows, dtype=np.float64).reshape(-1, len(keys))

    @property
    def record(self) -> dict[str, Any]:
        return self._read()

    @property
    def names(self) -> list[str]:
        return [label(one) for one in self._read()["features"]]

    @property
    def kind(self) -> str:
        return str(self._read()["kind"])

    @property
    def classes(self) -> list[str] | None:
        found: list[str] | None = self._read()["target"].get("classes")
        return found

    @property
    def coef_(self) -> np.ndarray[Any, Any]:
        return np.array([one["coefficient"] for one in self._read()["features"]], dtype=np.float64)

    @property
    def intercept_(self) -> float:
        return float(self._read()["intercept"])

    @property
    def intervals_(self) -> np.ndarray[Any, Any] | None:
        return self._of_features("low", "high")

    @property
    def noise_(self) -> np.ndarray[Any, Any] | None:
        noise = self._of_features("noise")
        return None if noise is None else noise[:, 0]

    @property
    def private(self) -> bool:
        return bool(self._read()["guarantee"]["private"])

    def to_json(self) -> str:
        """The record as the command line writes it.

        Returns
        -------
        str
        """
        return self._text()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, as ``dpsis fit -o`` does.

        Parameters
        ----------
        path : path-like
            The file, which `load_model` and ``dpsis predict`` read.
        """
        Path(path).write_text(self._text(), encoding="utf-8")

    def predict(self, data: Any, **facts: Any) -> np.ndarray[Any, Any]:
        """Predict the target of each row. Columns are found by their names, all others are ignored.

        Parameters
        ----------
        data : path, DataFrame, Arrow table or array
            As for `select`. Of an array the columns are the columns of the array that the model was fitted to, or
            `feature_names` names them.
        **facts
            Further facts about the table, as for `select`: `feature_names`, `missing`, `delimiter`, ...

        Returns
        -------
        ndarray of shape (n,)
            Numbers within the range of the target; of a logistic model the more probable class of each row.

        Raises
        ------
        RequestError
            There is no model, or the table lacks a feature of it.
        InputError, ReadError
            As for `select`.

        Notes
        -----
        **Privacy.** A prediction is a function of the row that it is for: predictions for the rows of a sensitive table
        must not be published.
        """
        predicted = self._predicted(data, facts)
        classes = self.classes
        return predicted if classes is None else np.take(classes, predicted > 0.5)

    def predict_proba(self, data: Any, **facts: Any) -> np.ndarray[Any, Any]:
        """Predict the probabilities of the two classes of a logistic model.

        Parameters
        ----------
        data, **facts
            As for `predict`.

        Returns
        -------
        ndarray of shape (n, 2)
            The probability of each class, in the order of `classes`.
        """
        if self.kind != "logistic":
            raise RequestError("a linear model predicts numbers, which have no probabilities", ["classes"])
        predicted = self._predicted(data, facts)
        return np.column_stack([1 - predicted, predicted])

    def _predicted(self, data: Any, facts: dict[str, Any]) -> np.ndarray[Any, Any]:
        model = self._text()
        source = table(data, **facts, as_matrix=False, needs_target=False)
        with arguments.Progress(None, "predicting") as bar:
            return _native.predict(model, source, bar.show)

    def to_frame(self) -> Any:
        """The features with their coefficients, one row each.

        Returns
        -------
        pandas.DataFrame
            Columns `name`, `level` and its `reference` if some feature has levels, `coefficient`, `low` and `high` or
            `noise`, and the `range` that values are clipped to.
        """
        import pandas

        return pandas.DataFrame(self._read()["features"])

    def __repr__(self) -> str:
        terms = [f"{one['coefficient']:.4g} {label(one)}" for one in self._read()["features"]]
        return f"Model({self.kind}: {' + '.join([f'{self.intercept_:.4g}', *terms])})"


def label(feature: dict[str, Any]) -> str:
    """The name of a feature, and the level that its coefficient is for."""
    level = feature.get("level")
    return str(feature["name"]) if level is None else f"{feature['name']}={level}"


@arguments.names_near()
def load_model(path: str | os.PathLike[str]) -> Model:
    """Read a model that `Fitted.save` or ``dpsis fit`` wrote.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    Model

    Raises
    ------
    InputError
        The file is not a model.
    ReadError
        It cannot be read.

    Warns
    -----
    NotPrivateWarning
        If the model was drawn from a seed.
    """
    model = Model(_native.load_model(os.fspath(path)))
    if not model.private:
        warnings.warn("the model was drawn from a given seed", NotPrivateWarning, stacklevel=3)
    return model


@dataclass(frozen=True, repr=False)
class Fitted(Model, Exported):
    """A private model with the record of its release, the result of `fit`.

    If the released values do not determine even the mean of the target, there is no model, only the record and the
    names; all else raises `RequestError`.

    Attributes
    ----------
    names : list of str
        The feature of each coefficient; the selected features if there is no model.
    indices : list of int
        The position of the feature of each coefficient among the features of the table, from 0.
    model : Model or None
        The model alone.
    record : dict
        The record of the release: the selection, the model, and the guarantee of both.
    kind, classes, coef_, intercept_, intervals_, noise_, private
        As for `Model`.
    """

    indices: list[int]
    _json: str
    _report: str
    _statement: str

    def __hash__(self) -> int:
        return hash(self._json)

    @property
    def record(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._json)
        return found

    @property
    def model(self) -> Model | None:
        return None if self._model is None else Model(self._model)

    @property
    def names(self) -> list[str]:
        if self._model is None:
            return [one["name"] for one in (self.record["selection"] or {"selected": []})["selected"]]
        return super().names

    @property
    def private(self) -> bool:
        return bool(self.record["private"])

    def report(self) -> str:
        """Guarantee, budget and coefficients in a few lines.

        Returns
        -------
        str
        """
        return self._report

    def to_json(self) -> str:
        """The record, which includes the model.

        Returns
        -------
        str
        """
        return self._json

    def __repr__(self) -> str:
        return self._report


@arguments.names_near(_DEFAULTS)
def fit(
    data: Any,
    k: int | None = None,
    epsilon: arguments.Exact | None = None,
    *,
    y: Any = None,
    features: Iterable[str] | None = None,
    levels: Mapping[str, Iterable[Any]] | None = None,
    selection_share: arguments.Exact | None = None,
    ranges: arguments.Exact | None = None,
    lambda_: float | None = None,
    dry_run: bool = False,
    **options: Any,
) -> Fitted | Any:  # a DryRun with dry_run=True, as for select
    """Select features and fit a model to them, both under one budget of differential privacy.

    A number gets a linear regression, one of two `classes` a logistic one. Every value is clipped to a range of its column:
    the one that `bounds` (of the target `target_bounds`) gives, else one that is drawn privately.

    Parameters
    ----------
    data, k, epsilon, y
        As for `select`; epsilon is the budget of the whole. The target may come second, as in scikit-learn:
        ``fit(X, y, k=5, epsilon=1)``.
    features : list of str, optional
        Fit to these features, which must be public knowledge, and select none: without `k`, `fwer`, `at_most`, `selection_share`.
    levels : dict of lists, optional
        The levels of categorical columns, ``{'stage': ['I', 'II', 'III', 'IV']}``, which are public knowledge: in the model
        each but the first is a column of 0 and 1, and a row at no level counts as one at the first. In the selection other
        categories are missing. A column that is text or categorical by its type needs levels, or must be excluded.
    selection_share : number, optional
        The selection's share of epsilon; 0.4 if it is not given.
    ranges : number, optional
        The share of the rest for ranges that are not given; 0.3 by default.
    lambda_ : float, optional
        With two `classes`: the regularization of the sum over rows. A larger one takes less noise and
        pulls probabilities towards 1/2. By default 2.5 times the standard deviation of the noise, in rows: it depends on
        the budget and the number of features alone, and is in the report.
    dry_run : bool, optional
        As for `select`.
    **options
        All others of `select`: `classes`, `bounds`, `unit`, `ledger`, `seed`, ... A model takes features as they are:
        `groups`, `adjust` and ``scale='cpm'`` are refused.

    Returns
    -------
    Fitted
        The model, and its record; of a dry run a `DryRun`.

    Raises
    ------
    RequestError, InputError, BudgetExceeded, ReadError, KeyboardInterrupt
        As for `select`.

    Warns
    -----
    NotPrivateWarning, DpsisWarning
        As for `select`.

    Notes
    -----
    **Privacy.** The whole `Fitted` is (epsilon, delta)-differentially private, with delta 0 unless one is given: names,
    coefficients, ranges and intervals. Predictions for other rows spend no budget; predictions for the rows of the table
    itself are functions of these rows and must not be published.

    Examples
    --------
    >>> import dpsis, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.uniform(0, 10, size=(5000, 4))
    >>> fitted = dpsis.fit(x, 1, 5, y=2 * x[:, 2] + 1, bounds=(0, 10), target_bounds=(0, 25))
    >>> fitted.names, round(fitted.predict(np.array([[0, 0, 4, 0]]))[0])
    (['feature-3'], 9)
    """
    if options.get("partials") is not None:
        raise RequestError("a model is fitted to rows: from sums of parts, features are selected", ["partials"])
    of_model = {
        "features": features, "levels": levels, "selection_share": selection_share, "ranges": ranges, "lambda_": lambda_,
    }
    given = {**_DEFAULTS, **options, "data": data, "k": k, "epsilon": epsilon, "y": y, "dry_run": dry_run}
    job = job_of("fit", given | {name: value for name, value in of_model.items() if value is not None})
    job.options |= model_options(features, levels, selection_share, ranges, lambda_)
    if dry_run:
        return dry(job.run(False, "fitting"))
    return fitted(job, given["progress"], stacklevel=3)


def model_options(
    features: Iterable[str] | None,
    levels: Mapping[str, Iterable[Any]] | None,
    selection_share: Any,
    ranges: Any,
    lambda_: Any,
) -> dict[str, Any]:
    """The options of a model in the form in which the library reads them."""
    return {
        "features": None if features is None else arguments.names("features", features),
        "levels": arguments.levels(levels),
        "selection_share": arguments.maybe_exact("selection_share", selection_share),
        "ranges": arguments.maybe_exact("ranges", ranges),
        "lambda": arguments.maybe_number("lambda_", lambda_),
    }


def fitted(job: Job, progress: arguments.Progressing, stacklevel: int) -> Fitted:
    """Fits a model, and issues its warnings."""
    answer = job.run(progress, "fitting")
    result = Fitted(answer["model"], answer["indices"], answer["json"], answer["report"], answer["statement"])
    return delivered(answer, result, stacklevel + 1)
