"""Functions that release nothing: inspection, plans, bounds from a public table, comparisons on public tables."""

from __future__ import annotations

import html
import json
import math
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from . import _arguments as arguments
from . import _native
from ._document import Document
from ._errors import RequestError
from ._job import Job, delivered
from ._page import Paged
from ._select import _DEFAULTS, select_options
from ._tables import FACTS, table


@dataclass(frozen=True)
class Finding:
    """One finding of an inspection.

    Attributes
    ----------
    topic : str
        The part of the table that it is about.
    text : str
        The finding, with the parameters that take care of it.
    odd : bool
        Whether something should be done about it.
    """

    topic: str
    text: str
    odd: bool


@dataclass(frozen=True, repr=False)
class Inspection:
    """The contents of a table. **Not private**: for the data holder only.

    Attributes
    ----------
    rows, columns, features : int
        The numbers of rows, columns, and features.
    findings : list of Finding
        What was found, in the order to read it.
    suggestion : dict
        Arguments of `select` that suit the table: to be checked, and given only if they are public knowledge.
    undecided : bool
        Whether something must be decided before anything is run.
    """

    rows: int
    columns: int
    features: int
    findings: list[Finding]
    suggestion: dict[str, Any]
    undecided: bool
    _report: str

    def report(self) -> str:
        """All findings as lines, the odd ones marked by ``!``.

        Returns
        -------
        str
        """
        return self._report

    def __repr__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        def row(one: Finding) -> str:
            cells = ("!" if one.odd else "", one.topic, one.text)
            style = ' style="text-align: left; white-space: pre-line"'
            return f"<tr>{''.join(f'<td{style}>{html.escape(cell)}</td>' for cell in cells)}</tr>"

        rows = "".join(map(row, self.findings))
        return f"<p>NOT PRIVATE: for the data holder's eyes only</p><table>{rows}</table>"


@arguments.names_near(FACTS)
def inspect(
    data: Any,
    *,
    y: Any = None,
    classes: Iterable[Any] | None = None,
    time: str | None = None,
    event: Mapping[str, Any] | tuple[str, Any] | None = None,
    by: float | None = None,
    target_bounds: Sequence[float] | None = None,
    progress: arguments.Progressing = None,
    **facts: Any,
) -> Inspection:
    """Inspect a table before a release: contents, oddities and suitable arguments.

    Parameters
    ----------
    data, y, classes, time, event, by, target_bounds, progress : optional
        As for `select`.
    **facts
        Further facts about the table, as for `select`: `target`, `id`, `exclude`, `missing`, ...

    Returns
    -------
    Inspection

    Raises
    ------
    RequestError, InputError, ReadError
        As for `select`.

    Notes
    -----
    **Privacy.** This reads the data without privacy. Its result must not be passed on.

    Examples
    --------
    >>> import dpsis, numpy as np
    >>> look = dpsis.inspect(np.eye(3), y=["a", "b", "a"])
    >>> look.rows, look.suggestion["classes"]
    (3, ['a', 'b'])
    """
    options = arguments.at_horizon({"y": y, "time": time, "event": event, "by": by}) | {
        "classes": arguments.labels("classes", classes),
        "target_bounds": arguments.interval("target_bounds", target_bounds),
    }
    of_target = arguments.columns_of_events(options)
    source = table(data, y, as_matrix=False, needs_target=False, of_target=of_target, **facts)
    answer = Job("inspect", options, {}, source).run(progress, "reading")
    found = json.loads(answer["json"])
    findings = [Finding(one["topic"], one["text"], one["odd"]) for one in found["findings"]]
    suggestion = found["suggestion"]
    if isinstance(suggestion.get("target"), int):
        # Places are counted from 0 here.
        suggestion["target"] -= 1
    for name in ("event", "target_bounds"):
        if name in suggestion:
            suggestion[name] = tuple(suggestion[name])
    numbers = (found["rows"], found["columns"], found["features"])
    return Inspection(*numbers, findings, suggestion, found["undecided"], answer["report"])


@arguments.names_near(FACTS)
def bounds(
    data: Any,
    clip: str = "1sd",
    *,
    y: Any = None,
    no_target: bool = False,
    progress: arguments.Progressing = None,
    **facts: Any,
) -> dict[str, tuple[float, float]]:
    """Compute the range of each feature from a public reference table, for ``select(bounds=...)``.

    Parameters
    ----------
    data, y
        As for `select`. The table must be public: ranges computed from the sensitive table are not private.
    clip : str, optional
        Where to clip: a number of standard deviations around the mean ('1sd', '2.5sd'), at quantiles
        ('quantiles:0.05,0.95'), or at the smallest and the largest value ('range').
    no_target : bool, optional
        Whether all columns are features; otherwise the target's has no range.
    progress : bool or callable, optional
        As for `select`.
    **facts
        Further facts about the table, as for `select`.

    Returns
    -------
    dict
        The range of each feature, by its name.

    Raises
    ------
    RequestError, InputError, ReadError
        As for `select`.

    Notes
    -----
    **Privacy.** None: the result is made of the data.

    Examples
    --------
    >>> import dpsis, numpy as np
    >>> dpsis.bounds(np.array([[1.0, 5.0], [3.0, 9.0]]), "range", no_target=True)
    {'feature-1': (1.0, 3.0), 'feature-2': (5.0, 9.0)}
    """
    source = table(data, y, as_matrix=False, needs_target=not no_target, **facts)
    with arguments.Progress(progress, "reading") as bar:
        ranges = _native.bounds(source, clip, no_target, bar.show)
    return {name: (low, high) for name, low, high in ranges}


@arguments.names_near(_DEFAULTS)
def weights(
    data: Any,
    *,
    y: Any = None,
    progress: arguments.Progressing = None,
    **options: Any,
) -> dict[str, float]:
    """Compute weights of features from a public table, for ``select(weights=...)`` on another one.

    Parameters
    ----------
    data, y
        As for `select`. The table must be public, with other people than the sensitive one: weights computed from the
        sensitive table are not private.
    progress : bool or callable, optional
        As for `select`.
    **options
        The target, the score and further facts about the table, as for `select`.

    Returns
    -------
    dict
        The weight of each feature, by its name: large where it is associated with the target.

    Raises
    ------
    RequestError, InputError, ReadError
        As for `select`.

    Notes
    -----
    **Privacy.** None: the result is made of the data.

    Examples
    --------
    >>> import dpsis, numpy as np
    >>> x, y = np.array([[1.0, 5], [2, 5], [3, 6], [4, 5]]), ["a", "a", "b", "b"]
    >>> weights = dpsis.weights(x, y=y, classes=["a", "b"])
    >>> weights["feature-1"] > weights["feature-2"]
    True
    """
    chosen = {**_DEFAULTS, **options, "epsilon": 1}
    facts = {name: chosen[name] for name in FACTS}
    request = select_options(chosen) | {"k": 1}
    source = table(data, y, as_matrix=False, **facts, of_target=arguments.columns_of_events(request))
    with arguments.Progress(progress, "reading") as bar:
        return dict(_native.weights(source, arguments.as_json(request), bar.show))


@dataclass(frozen=True, repr=False)
class Plan(Document, Paged):
    """The findings that a selection can expect.

    Attributes
    ----------
    record : dict
        All figures: the effect sizes from which features are found, and significant, in half of all runs and in nine of
        ten; the same at other epsilons; the rows and the epsilon for an effect size.
    """

    # The page, rather than the text of a document.
    _repr_html_ = Paged._repr_html_

    def plot(self, ax: Any = None) -> Any:
        """Draw the effect sizes that are needed against epsilon.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw into; new ones if not given.

        Returns
        -------
        matplotlib.axes.Axes
        """
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(figsize=(6, 4), layout="constrained")
        record = self.record
        over = record["over"] or [{"epsilon": record["epsilon"], "needed": record["needed"]}]
        epsilons = [float(Fraction(at["epsilon"])) for at in over]
        # Without k, all found features are significant.
        kinds = ("significant",) if record["k"] is None else ("significant", "found")
        for place, kind in enumerate(kinds):
            for probability, style, share in ((0, "--", "half of all runs"), (1, "-", "nine in ten")):
                needed = [at["needed"][kind][probability] for at in over]
                values = [math.nan if one is None else one["value"] for one in needed]
                ax.plot(epsilons, values, style, marker=".", color=f"C{place}", label=f"{kind}, {share}")
        ax.set_xscale("log")
        ax.set_xticks(epsilons, [at["epsilon"] for at in over], minor=False)
        ax.minorticks_off()
        rows = round(sum(record["rows"]))
        ax.set(ylim=(0, 1), xlabel="epsilon", ylabel="effect size", title=f"{rows:,} rows, {record['features']:,} features")
        ax.legend(frameon=False)
        return ax


#: The options of `select` that a plan takes, which need no table.
_PLANNED = (
    "fwer at_most classes target_bounds target_number adjust groups group_size bounds score scale center neighbors delta "
    "shares direction method blocks penalty refine weights weights_uniform mechanism parameters threads"
).split()


@arguments.names_near(_PLANNED)
def plan(
    n: int,
    d: int,
    k: int | None = None,
    epsilon: arguments.Exact | None = None,
    *,
    class_shares: float | Sequence[float] | None = None,
    effect_size: float | None = None,
    over: Iterable[arguments.Exact] = (0.1, 0.25, 0.5, 1, 2, 4, 8),
    draws: int | None = None,
    output: str | os.PathLike[str] | None = None,
    seed: int = 0,
    progress: arguments.Progressing = None,
    **options: Any,
) -> Plan:
    """Forecast the findings of a selection: a power analysis that reads no data.

    Parameters
    ----------
    n, d, k : int
        The numbers of rows with a usable target (of people, if they have several rows), of features, and of features to
        select; without `k`, all significant ones are selected.
    epsilon : number
        The privacy budget.
    class_shares : float or list, optional
        The share of the rarer of two classes, or of each class; by default all are equal. Without `classes`, one
        share stands for two classes, more for as many; without both the target is a number that is split at a private
        median.
    effect_size : float, optional
        An effect size from 0 to 1: report the rows, and the epsilon, that it needs.
    over : list, optional
        Other epsilons to look at.
    draws : int, optional
        The number of simulated tables.
    output : path, optional
        A folder for a page with a figure.
    seed, progress : optional
        Of the draws; as for `select`.
    **options
        Options of `select` that need no table: `classes`, `score`, `bounds`, `delta`, `neighbors`, `shares`, `mechanism`, ...

    Returns
    -------
    Plan

    Raises
    ------
    RequestError
        The request is wrong.

    Notes
    -----
    **Privacy.** No data are read; the given numbers must be public.

    Examples
    --------
    >>> import dpsis
    >>> outlook = dpsis.plan(1000, 50, 3, 1, draws=20, over=[1])
    >>> len(outlook.record["over"])
    1
    """
    chosen: dict[str, Any] = {**_DEFAULTS, **options, "k": k, "epsilon": epsilon}
    request = select_options(chosen) | {
        "rows": arguments.integer("n", n),
        "features": arguments.integer("d", d),
        "class_shares": [] if class_shares is None else [float(one) for one in np.atleast_1d(np.asarray(class_shares))],
        "effect_size": arguments.maybe_number("effect_size", effect_size),
        "over": [arguments.exact("over", one) for one in arguments.listed(over)],
        "tables": arguments.maybe_integer("draws", draws),
        "seed": arguments.integer("seed", seed),
    }
    folder = None if output is None else os.fspath(output)
    answer = Job("plan", request, {}).run(progress, "planning", folder)
    return delivered(answer, Plan(answer["json"], answer["report"]), stacklevel=3)


@dataclass(frozen=True, repr=False)
class Comparison:
    """How well methods do on public tables. **Not private.**

    Attributes
    ----------
    cells : list of dict
        One for each table, method, scale, k and epsilon: the agreement with a LASSO and with the best scores, and how
        accurate a plain model on the picks is.
    """

    cells: list[dict[str, Any]]
    _text: str

    def report(self) -> str:
        """A summary over all epsilons.

        Returns
        -------
        str
        """
        return self._text

    def __repr__(self) -> str:
        return self._text

    def to_frame(self) -> Any:
        """The cells as a data frame.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        return pandas.DataFrame(self.cells)


@arguments.names_near(FACTS)
def compare(
    data: Mapping[str, Any] | Any,
    *,
    y: Any = None,
    methods: Iterable[str] | str = ("dp-sis", "two-stage", "sis"),
    scale: Iterable[str] | str = "default",
    epsilon: Iterable[arguments.Exact] = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20),
    k: Iterable[int | str] | int | str = 5,
    trials: int = 100,
    penalty: float = 0.1,
    bounds: Any = None,
    classes: Iterable[Any] | None = None,
    labels: bool = False,
    target_bounds: Sequence[float] | None = None,
    output: str | os.PathLike[str] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: arguments.Progressing = None,
    **facts: Any,
) -> Comparison:
    """Compare methods of selection on tables that are public.

    Parameters
    ----------
    data : table or dict of tables
        As for `select`; several by their names.
    y : array-like, optional
        As for `select`, for one table.
    methods : list of str, optional
        'dp-sis', 'two-stage' (each also with a mechanism: 'dp-sis:joint'), 'significant' (at most k), 'dpkendall', 'sis',
        'random'.
    scale : list of str, optional
        'default', 'cpm', 'row-rank', 'kendall', 'bounds', 'paper', 'quantiles', '1sd', ...
    epsilon : list, optional
        The budgets.
    k : int, 'log', or list of them, optional
        The numbers of features; 'log' is the natural logarithm of the number of features.
    trials : int, optional
        How often each selection is drawn.
    penalty : float, optional
        The penalty of the LASSO that selections are compared with.
    bounds : (float, float) or path, optional
        The bounds of ``scale='bounds'``.
    classes, target_bounds : optional
        As for `select`. Otherwise the target is a number if all of its values are numbers, else a label.
    labels : bool, optional
        Whether the targets are class labels, taken from each table, even if they are numbers.
    output : path, optional
        A folder for a page with figures; a comparison that was stopped is resumed there.
    seed, threads, progress : optional
        Of the draws; as for `select`.
    **facts
        Further facts about the tables, as for `select`.

    Returns
    -------
    Comparison

    Raises
    ------
    RequestError, InputError, ReadError
        As for `select`.

    Notes
    -----
    **Privacy.** None: the tables are read without it and must be public.

    Examples
    --------
    >>> import dpsis, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(200, 5))
    >>> found = dpsis.compare(x, y=x[:, 0], methods="sis", epsilon=[1], k=2, trials=2)
    >>> found.cells[0]["overlap"]
    1.0
    """
    tables = dict(data) if isinstance(data, Mapping) else {_name(data): data}
    if y is not None and len(tables) != 1:
        raise RequestError("y is the target of one table", ["y"])
    sources = [
        (str(name), table(one, y, as_matrix=False, **facts)) for name, one in tables.items()
    ]
    counts = arguments.listed(k)
    ranges = arguments.bounds(bounds)
    if isinstance(ranges, list):
        raise RequestError("a comparison takes one range for all features, or a file", ["bounds"])
    options = {
        "methods": arguments.names("methods", methods),
        "scales": arguments.names("scale", scale),
        "epsilons": [arguments.exact("epsilon", one) for one in arguments.listed(epsilon)],
        "counts": [0 if count == "log" else arguments.integer("k", count, 1) for count in counts],
        "trials": arguments.integer("trials", trials, 1),
        "penalty": float(penalty),
        "bounds": ranges,
        "classes": arguments.labels("classes", classes),
        "labels": bool(labels),
        "target_bounds": arguments.interval("target_bounds", target_bounds),
        "seed": arguments.integer("seed", seed),
        "threads": arguments.maybe_integer("threads", threads, 1),
    }
    with arguments.Progress(progress, "comparing") as bar:
        if output is not None:
            options["output"] = os.fspath(output)
            return Comparison(*_native.compare(sources, options, bar.show))
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            options["output"] = os.path.join(folder, "comparison")
            cells, text = _native.compare(sources, options, bar.show)
        # The last line names the page, which is gone.
        return Comparison(cells, "".join(text.splitlines(keepends=True)[:-1]))


def _name(data: Any) -> str:
    """The name of a table in results."""
    return os.path.basename(os.fspath(data)) if isinstance(data, (str, os.PathLike)) else "data"
