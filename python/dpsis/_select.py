"""Private selections of features."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _arguments as arguments
from . import _native
from ._errors import RequestError
from ._job import Job, delivered, terms_of, warn
from ._ledger import Ledger, payer
from ._partial import Partial, ReleasedTarget, gathered, sums_options
from ._selection import DryRun, Selection, dry, parts
from ._tables import FACTS, check_classes, table


@arguments.names_near()
def select(
    data: Any = None,
    k: int | None = None,
    epsilon: arguments.Exact | None = None,
    *,
    fwer: arguments.Exact | None = None,
    at_most: int | None = None,
    y: Any = None,
    target: str | int | None = None,
    classes: Iterable[Any] | None = None,
    time: str | None = None,
    event: Mapping[str, Any] | tuple[str, Any] | None = None,
    by: float | None = None,
    target_bounds: Sequence[float] | None = None,
    target_number: bool = False,
    unit: Any = None,
    unit_target: str | None = None,
    paired: Any = None,
    adjust: Iterable[str] | str = (),
    groups: Mapping[str, Iterable[str]] | str | os.PathLike[str] | None = None,
    group_size: int | tuple[int, int] | None = None,
    bounds: Any = None,
    score: str | None = None,
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
    weights: Mapping[str, float] | str | os.PathLike[str] | None = None,
    weights_uniform: float | None = None,
    mechanism: str | None = None,
    parameters: Mapping[str, arguments.Exact] | None = None,
    feature_names: Iterable[str] | None = None,
    target_file: str | os.PathLike[str] | None = None,
    id: str | None = None,
    exclude: Iterable[str] | str = (),
    missing: Iterable[Any] = (),
    features_as_rows: bool | None = None,
    delimiter: str | None = None,
    decimal_comma: bool | None = None,
    numeric_names: bool = False,
    partials: Iterable[Partial | str | os.PathLike[str]] | Partial | str | os.PathLike[str] | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    note: str = "",
    run_key: str | None = None,
    memory: int | str | None = None,
    threads: int | None = None,
    progress: arguments.Progressing = None,
    seed: int | None = None,
    dry_run: bool = False,
) -> Selection | Any:  # a DryRun with dry_run=True, or a ReleasedTarget, which a type of all would have callers exclude
    """Select k features, or all that are significant, under differential privacy.

    One row is one person, unless `unit` identifies people. Everything given here - classes, ranges, columns that are left
    out - must be public knowledge: what was looked up in the data would reveal information about people.

    Parameters
    ----------
    data : path, list of paths, DataFrame, LazyFrame, Arrow table or dataset, or array
        A file of any format that the command line reads; a folder, a pattern such as ``'part-*.parquet'``, or a list of
        such, whose files hold the rows of one table; a data frame of pandas or polars; a table of pyarrow or anything else
        with ``__arrow_c_stream__``; an array of shape (n, d). An array of float64 or float32 in C or Fortran order is not
        copied. A lazy frame of polars and a dataset of pyarrow, with the columns of its partitions, are not held: they are
        computed once for each pass over the rows, batch by batch, and must be of the same rows each time. Columns may hold
        numbers, texts, categories, truth values (0 and 1) and dates (days since 1970-01-01); None, NaN, infinite and empty
        values are missing, and so are objects of other types.
    k : int, optional
        The number of features to select, at most as many as there are. Without it all that are significant are
        selected, perhaps none.
    epsilon : number
        The privacy budget, from 1e-6 to 1e6; read exactly, of a float its shortest decimal text.
    fwer : number, optional
        Without `k`: the family-wise error rate, the probability that any selected feature has no association with the
        target; 0.05 if it is not given.
    at_most : int, optional
        Without `k`: the largest number of features to select.
    y : array-like of shape (n,), optional
        The target of each row, for data without a column of it. Needed with an array.
    target : str or int, optional
        The column that holds the target: its name, or its place from 0 (-1 for the last one). The last one, if neither
        this nor `y` nor `target_file` is given.
    classes : list, optional
        The labels of the target, as text or as numbers: ``['control', 'case']``. A row with another label contributes
        nothing. Without them the target is a number.
    time, event, by : str, dict and float, optional
        The target is whether an event happened by a horizon: the column of the times of follow-up, the column of events
        with the value that means one, ``{'died': 1}`` or ``('died', 1)``, and the horizon in the unit of the times. The
        classes are no event by then, and an event by then; rows that were lost before without the event take no part,
        which is right if loss to follow-up does not depend on the features, given the class. Or `y` is a structured
        array with a boolean and a number, as scikit-survival has them, and `by` the horizon.
    target_bounds : (float, float), optional
        The range of a numeric target. Without it the target is split at a private median.
    target_number : bool, optional
        That the target is a number of unknown range. Required where a ledger is charged and neither `classes` nor
        `target_bounds` nor the type of the target determines its kind: texts and objects do not.
    unit : str or array-like of shape (n,), optional
        The person identifiers: the name of a column, which is then not a feature, or for data in memory the ids
        themselves. All rows of a person (or another unit with ids) are protected together. A row without an id
        contributes nothing.
    unit_target : {'last', 'mean', 'any-positive'}, optional
        With `unit`, the target of a person: that of the last row that has one (the default), the mean of
        numbers, or the second of two classes if any row has it.
    paired : str or array-like of shape (n,), optional
        Compare the rows of each person with each other: the same as this `unit` with the score 'paired'. People have rows
        of two `classes`, such as tumor and normal tissue, or before and after.
    adjust : list of str, optional
        Covariates within whose strata features are compared, with public cut points, ``'age:40,60'``, or levels,
        ``'sex=F,M'``. They are not features; a row in no stratum contributes nothing. 25% of epsilon are for the centers
        of all strata. Effect sizes and significance are not released.
    groups : dict or path, optional
        Public sets of features that are selected instead of features, each by the mean of its members' ranks within the
        row, or values within bounds: members by names of sets, or a GMT file.
    group_size : int or (int, int), optional
        Use the sets of which at least the first and at most the second number of members are features of the data; 5 or more if not
        given.
    bounds : (float, float), dict, or path, optional
        The range of all features, or of each by its name (``'*'`` for all others), or a CSV file `feature,lo,hi`.
    score : {'ks', 'correlation', 'kendall', 'paired'}, optional
        How features are scored: by correlation if bounds or a scale are given, else by Kolmogorov-Smirnov. 'paired' is for
        people with rows of two classes: see `paired`.
    scale : {'row-rank', 'cpm'}, optional
        Ranks within each row, or counts per million.
    center : 'private', 'none', float or dict, optional
        The target's center: estimated privately, the middle of its range, or its publicly known mean, share of the
        second class, or share of each class.
    neighbors : {'add-remove', 'replace-one'}, optional
        The difference between neighboring tables.
    delta : number, optional
        A delta that the release may spend too: without `k`, or with ``mechanism='peel'``.
    shares : dict, optional
        The shares of epsilon for 'target' (its median), 'center', 'estimates' (0 for none), 'direction', as far as
        they are needed; the selection gets the rest. A dry run reports them.
    direction : bool, optional
        Whether to release if the target rises or falls with each feature.
    method : {'dp-sis', 'two-stage', 'dpkendall'}, optional
        How features are found.
    blocks, penalty : optional
        Of the two-stage method: the number of blocks, if it is public, and the penalty of its LASSO.
    refine : {'gram'}, optional
        A second stage for correlated features: twice as many are screened, and the k that together explain the target
        best are selected by private correlations of all of them.
    weights : dict, Series or path, optional
        Public weights of features by name, at least 0, or a CSV file `feature,weight`: a weight of 2 stands for twice the
        probability, by public knowledge, of an association. All others have the weight 0. Weights must not come from this
        table, nor from people in it: see `dpsis.weights`.
    weights_uniform : float, optional
        The share of the probability that all features have alike; 0.3 by default, so that wrong weights cost little.
    mechanism : str, optional
        How candidates are chosen from their scores: 'canonical', 'joint', 'peel', ... By default 'canonical' where the
        released counts of rows are enough to place all k at once, else 'peel-pnf'.
    parameters : dict, optional
        The parameters of the mechanism, such as ``{'gamma': 0.25}``.
    feature_names : list of str, optional
        The names of an array's columns; otherwise they are 'feature-1' and so on.
    target_file : path, optional
        A file of targets, joined by the ids of the rows.
    id : str, optional
        The column of ids, which is not a feature.
    exclude : list of str, optional
        Columns that are not features: names, or patterns such as ``'visit_*'``.
    missing : list, optional
        Further codes of missing values, such as -999.
    features_as_rows, delimiter, decimal_comma, numeric_names : optional
        How a file is written, where that is not found in it.
    partials : list of Partial or paths, optional
        Instead of data: the sums of all its parts, by `partial` or ``dpsis partial``. They contain how the table was read
        and scored, so none of these options is given here. For a numeric target without a range, the partials of the first
        stage count the target, and the result is a `ReleasedTarget`, which the partials of the next stage need.
    ledger : Ledger or path, optional
        The budget file to charge. If less than epsilon is left, the release is refused before data are read.
    note : str, optional
        A note on the entry in the ledger.
    run_key : str, optional
        With `ledger`: a key of this run. A repeated call with it returns the recorded release and is not charged again;
        other arguments need another key. It identifies the call, not the data: give it anew after the data changed. All
        stages of a release from `partials` take one key.
    memory : int or str, optional
        The most memory to take, such as '500MB': larger tables are read in several passes. 4 GiB if it is not given, or
        three quarters of the container's limit. The result does not depend on it.
    threads : int, optional
        All cores if not given. The result does not depend on it.
    progress : bool or callable, optional
        Whether to show a bar by tqdm, after two seconds; or a callback for the finished share. If not given, a
        bar is shown on a terminal and in a notebook, where tqdm is installed.
    seed : int, optional
        Draw from this seed, for tests: the result is then not private.
    dry_run : bool, optional
        Whether to report only how the budget would be spent, from the names of the columns: nothing is drawn or spent.

    Returns
    -------
    Selection
        The names and the other parts of the release; for a dry run a `DryRun`, for counts of the target a `ReleasedTarget`.

    Raises
    ------
    RequestError
        A ValueError: the request is wrong, by itself or for the names of the columns.
    InputError
        A ValueError: the table is malformed, which depends on the data, or the private counts leave nothing to find.
    BudgetExceeded
        Less is left in the ledger than epsilon.
    ReadError
        An OSError: a file cannot be read.
    KeyboardInterrupt
        Ctrl-C; nothing is released. A ledger stays charged. If the result was ready, it is the attribute `result` of
        the exception.

    Warns
    -----
    NotPrivateWarning
        If a seed is given.
    DpsisWarning
        For each caveat of the record.

    Notes
    -----
    **Privacy.** The whole `Selection` is epsilon-differentially private (delta 0, unless one is given) for adding or
    removing one row, or all rows of one person if `unit` is given, or for the relation given. Each call spends epsilon.
    Warnings and errors never hold a value of the data; time and memory depend on them.

    Examples
    --------
    >>> import dpsis, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(5000, 4))
    >>> y = np.where(x[:, 2] + rng.normal(size=5000) > 0, "case", "control")
    >>> names = ["age", "weight", "dose", "height"]
    >>> dpsis.select(x, 1, 5, y=y, classes=["control", "case"], feature_names=names).names
    ['dose']

    All significant features, however many:

    >>> found = dpsis.select(x, epsilon=5, y=y, classes=["control", "case"], feature_names=names)
    >>> found.names, found.significance
    (['dose'], '1 feature is significant (any false discovery in at most 5% of runs)')

    Two rows of each person, who are protected with both:

    >>> ids = np.arange(5000) // 2
    >>> found = dpsis.select(x, 1, 5, y=y, classes=["control", "case"], unit=ids, unit_target="any-positive")
    >>> found.record["guarantee"]["unit"]
    'person'
    """
    given = _paired(dict(locals()))
    if partials is not None:
        return _released(given)
    job = job_of("select", given)
    if dry_run:
        return dry(job.run(False, "selecting"))
    return drawn(job, progress, stacklevel=3)


def _paired(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments with `paired` as unit and score."""
    if given["paired"] is None:
        return given
    if given["unit"] is not None or given["score"] is not None:
        raise RequestError("paired stands for a unit and a score: give neither", ["paired", "unit", "score"])
    return given | {"paired": None, "unit": given["paired"], "score": "paired"}


_DEFAULTS = arguments.defaults(select)

#: Arguments that no record names: they are data, or nothing depends on them.
_UNNAMED = ("data", "note", "memory", "threads", "progress", "feature_names", "dry_run")

#: Options of a release from sums, which contain how the table was read and scored.
_OF_RELEASE = (
    "partials", "k", "epsilon", "fwer", "at_most", "center", "neighbors", "delta", "shares", "direction", "mechanism",
    "parameters", "weights", "weights_uniform", "ledger", "note", "run_key", "progress", "seed",
)  # fmt: skip


def job_of(command: str, given: Mapping[str, Any]) -> Job:
    """The job for all arguments of `select`, checked as far as they can be without the library."""
    options = select_options(given)
    ledger = payer(given["ledger"], given["seed"])
    request = arguments.note(command, public(given), _DEFAULTS)
    terms = terms_of(request, ledger, given["note"], given["seed"], given["dry_run"], given["run_key"])
    job = Job(command, options, terms)
    job.check_ledger()
    check_classes(given["y"], options["classes"])
    of_target = arguments.columns_of_events(options)
    job.source = table(given["data"], given["y"], **{name: given[name] for name in FACTS}, of_target=of_target)
    return job


def _released(given: Mapping[str, Any]) -> Selection | ReleasedTarget:
    """The release from the sums of all parts."""
    wrong = [name for name in arguments.differing_from_defaults(given, _DEFAULTS) if name not in _OF_RELEASE]
    if wrong:
        raise RequestError("sums say themselves how the table was read and scored: give the release alone", [*wrong, "partials"])
    options = arguments.as_json(select_options(given))
    request = arguments.note("select", public(given), _DEFAULTS)
    ledger = payer(given["ledger"], given["seed"])
    terms = json.dumps(terms_of(request, ledger, given["note"], given["seed"], run_key=given["run_key"]))
    released = _native.select_from_partials(gathered(given["partials"]), options, terms)
    if "target" in released:
        return ReleasedTarget.warned(released, stacklevel=3)
    warn(released, stacklevel=3)
    return Selection(*parts(released))


def public(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in _UNNAMED}


def select_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a selection in the form in which the library reads them."""
    if given["unit_target"] is not None and given["unit"] is None:
        raise RequestError("unit_target needs unit, the person identifiers", ["unit", "unit_target"])
    if given["epsilon"] is None:
        raise RequestError("a budget must be given", ["epsilon"])
    if given["group_size"] is not None and given["groups"] is None:
        raise RequestError("there are no sets: give them, too", ["groups", "group_size"])
    return sums_options(given) | {
        "k": arguments.number_of_features(given["k"]),
        "fwer": arguments.maybe_exact("fwer", given["fwer"]),
        "at_most": arguments.maybe_integer("at_most", given["at_most"], 1),
        "epsilon": arguments.exact("epsilon", given["epsilon"]),
        "delta": arguments.maybe_exact("delta", given["delta"]),
        "unit_target": arguments.maybe_word("unit_target", given["unit_target"]),
        "adjust": arguments.covariates(given["adjust"]),
        "groups": arguments.groups(given["groups"]),
        "group_size": arguments.sizes("group_size", given["group_size"]),
        "center": arguments.center(given["center"]),
        "neighbors": arguments.word("neighbors", given["neighbors"]),
        "shares": arguments.texts("shares", given["shares"]),
        "direction": bool(given["direction"]),
        "method": arguments.word("method", given["method"]),
        "blocks": arguments.maybe_integer("blocks", given["blocks"], 1),
        "penalty": arguments.maybe_number("penalty", given["penalty"]),
        "refine": arguments.maybe_word("refine", given["refine"]),
        "weights": arguments.weights(given["weights"]),
        "weights_uniform": arguments.maybe_number("weights_uniform", given["weights_uniform"]),
        "mechanism": arguments.maybe_word("mechanism", given["mechanism"]),
        "parameters": arguments.texts("parameters", given["parameters"]),
        "memory": None if given["memory"] is None else arguments.size("memory", given["memory"]),
    }


def drawn(job: Job, progress: arguments.Progressing, stacklevel: int) -> Selection:
    """Draws a selection, and issues its warnings."""
    answer = job.run(progress, "selecting")
    return delivered(answer, Selection(*parts(answer)), stacklevel + 1)
