"""Private choices among candidates with scores from elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _arguments as arguments
from ._errors import RequestError
from ._job import Job, delivered, terms_of
from ._ledger import Ledger, payer
from ._selection import Choice, parts


@arguments.names_near()
def choose(
    data: Any,
    epsilon: arguments.Exact,
    *,
    k: int | None = None,
    above: arguments.Exact | None = None,
    sensitivity: arguments.Exact | Mapping[str, arguments.Exact] | None = None,
    columns: Mapping[str, str] | None = None,
    neighbors: str = "add-remove",
    monotonic: bool = False,
    delta: arguments.Exact | None = None,
    mechanism: str | None = None,
    parameters: Mapping[str, arguments.Exact] | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    note: str = "",
    run_key: str | None = None,
    seed: int | None = None,
) -> Choice:
    """Choose k of several candidates by scores that were computed elsewhere, under differential privacy.

    Parameters
    ----------
    data : dict, DataFrame or path
        The score of each candidate by its name; or a data frame or a CSV file with the columns `name`, `score` and
        perhaps `sensitivity`. Scores are data; names and sensitivities are public. Numbers are read exactly, of a float
        its shortest decimal text.
    epsilon : number
        The privacy budget.
    k : int, optional
        How many to choose: 1 if not given; with `above` the largest number, any number if not given.
    above : number, optional
        Choose all candidates whose scores are above this public level; ``parameters={'alpha': 0.05, 'rate': 'fdr'}``
        bounds the expected share of names at or below it, ``'fwer'`` the probability of any.
    sensitivity : number or dict, optional
        The most that one row can change any score, or each score by its candidate's name.
    columns : dict, optional
        Other names of the columns, such as ``{'name': 'model', 'score': 'accuracy'}``.
    neighbors : {'add-remove', 'replace-one'}, optional
        The relation of tables that the sensitivities are for.
    monotonic : bool, optional
        Whether one row more changes all scores in one direction, as it does counts.
    delta, mechanism, parameters, ledger, note, run_key, seed : optional
        As for `select`. Where sensitivities differ, a mechanism must be given: 'gem', 'mgem', 'cgem', 'rs', 'rs-tnb'.

    Returns
    -------
    Choice
        The names, and the record of the release.

    Raises
    ------
    RequestError, InputError, BudgetExceeded, ReadError
        As for `select`.

    Notes
    -----
    **Privacy.** The whole `Choice` is epsilon-differentially private, provided that the sensitivities are right.

    Examples
    --------
    >>> import dpsis
    >>> dpsis.choose({"lasso": 0.8125, "forest": 0.871}, 20, sensitivity=0.005).names
    ['forest']
    """
    given = {name: value for name, value in locals().items() if name not in ("data", "note")}
    if isinstance(sensitivity, Mapping):
        # It has the names of the candidates.
        given["sensitivity"] = dict(sensitivity)
    request = arguments.note("choose", given, _DEFAULTS)
    named = dict(columns or {})
    candidates, common = _candidates(data, sensitivity, named)
    options = {
        "candidates": candidates,
        "columns": named,
        "k": arguments.maybe_integer("k", k, 1),
        "above": arguments.maybe_exact("above", above),
        "epsilon": arguments.exact("epsilon", epsilon),
        "delta": arguments.maybe_exact("delta", delta),
        "sensitivity": common,
        "neighbors": arguments.word("neighbors", neighbors),
        "monotonic": bool(monotonic),
        "mechanism": arguments.maybe_word("mechanism", mechanism),
        "parameters": arguments.texts("parameters", parameters),
    }
    terms = terms_of(request, payer(ledger, seed), note, seed, run_key=run_key)
    answer = Job("choose", options, terms).run(False, "choosing")
    return delivered(answer, Choice(*parts(answer)), stacklevel=3)


_DEFAULTS = arguments.defaults(choose)


def _candidates(data: Any, sensitivity: Any, named: dict[str, str]) -> tuple[Any, str | None]:
    """The candidates, and the sensitivity that they have in common."""
    own = isinstance(sensitivity, Mapping)
    common = None if own or sensitivity is None else arguments.exact("sensitivity", sensitivity)
    if isinstance(data, (str, os.PathLike)):
        if own:
            raise RequestError("a file of candidates has a column of sensitivities", ["sensitivity"])
        return os.fspath(data), common
    if isinstance(data, Mapping):
        names: Iterable[Any] = list(data)
        scores: list[Any] = list(data.values())
        each = [sensitivity[name] for name in data if name in sensitivity] if own else None
    elif hasattr(data, "columns"):
        found = [str(name) for name in data.columns]
        places = {role: named.get(role, role) for role in ("name", "score", "sensitivity")}
        missing = [places[role] for role in ("name", "score") if places[role] not in found]
        if missing:
            raise RequestError(f"the data frame has no column {missing[0]!r}", ["columns"])
        names, scores = list(data[places["name"]]), list(data[places["score"]])
        has_own = places["sensitivity"] in found
        if has_own and sensitivity is not None:
            raise RequestError("the sensitivity is given twice", ["sensitivity"])
        each = list(data[places["sensitivity"]]) if has_own else None
    else:
        raise TypeError(f"data must be a dictionary, a data frame or a path, not {type(data).__name__}")
    texts = [arguments.exact("a score", score) for score in scores]
    if each is None:
        return list(zip(map(str, names), texts)), common
    if len(each) != len(texts):
        raise RequestError("the sensitivity of a candidate is not given", ["sensitivity"])
    own_texts = [arguments.exact("a sensitivity", one) for one in each]
    return list(zip(map(str, names), texts, own_texts)), None
