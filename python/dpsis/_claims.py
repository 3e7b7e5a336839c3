"""The joint privacy loss of releases, and checks of privacy claims."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import _arguments as arguments
from . import _native
from ._document import Document
from ._errors import RequestError
from ._fit import Model
from ._ledger import Ledger
from ._selection import Choice


class Account(Document):
    """The joint cost of several releases.

    Attributes
    ----------
    least : float
        The smallest bound of all accountants: an epsilon, or a delta if epsilon was given.
    record : dict
        The events, and the price of each accountant.
    """

    @property
    def least(self) -> float:
        return min(float(one["price"]) for one in self.record["prices"] if one["price"] is not None)


@arguments.names_near()
def account(
    releases: Any,
    *,
    delta: arguments.Exact = "1e-6",
    epsilon: arguments.Exact | None = None,
) -> Account:
    """Compute the total epsilon of several releases, by each composition theorem.

    Parameters
    ----------
    releases : list
        Each an event, ``'pure:0.5x12'``; picks of a mechanism, ``'peel:2,50'``; the path of a record in JSON or of a ledger;
        a `Ledger`; or a result: a `Selection`, a `Choice`, a `Fitted` or a `Model`.
    delta : number, optional
        The delta at which epsilon is computed.
    epsilon : number, optional
        Compute delta at this epsilon, instead of epsilon at a delta.

    Returns
    -------
    Account

    Raises
    ------
    RequestError
        An event has no form or no price, or a release is not private or is for another neighbor relation.
    InputError, ReadError
        A file is damaged, or cannot be read.

    Notes
    -----
    **Privacy.** No data are read.

    Examples
    --------
    >>> import dpsis
    >>> year = dpsis.account(["peel:2,50x52"], delta="1e-9")
    >>> round(year.least, 2)
    6.62
    """
    listed = [releases] if isinstance(releases, (str, os.PathLike, Ledger, Choice, Model)) else releases
    given = [_release(place, one) for place, one in enumerate(listed, 1)]
    return Account(
        *_native.account(given, arguments.exact("delta", delta), arguments.maybe_exact("epsilon", epsilon))
    )


def _release(place: int, one: Any) -> tuple[str, str | None]:
    """An event or the name of a file; or the name of a record, and the record."""
    if isinstance(one, (Choice, Model)):
        return f"release {place}", one.to_json()
    if isinstance(one, Ledger):
        return one.path, None
    return os.fspath(one), None


@dataclass(frozen=True, repr=False)
class Verification(Document):
    """A mechanism's claim, checked by enumeration.

    Attributes
    ----------
    holds : bool
        Whether the claim holds on the grid, and the draws, if any, have the enumerated distribution.
    record : dict
        The sizes, the largest loss, where it occurs, and the test of the draws.
    """

    holds: bool


@arguments.names_near()
def verify(
    mechanism: str,
    *,
    epsilon: arguments.Exact | None = None,
    k: int | None = None,
    d: int | None = None,
    levels: int | None = None,
    steps: int | None = None,
    sensitivities: Iterable[int] | None = None,
    monotonic: bool = False,
    parameters: Mapping[str, arguments.Exact] | None = None,
    variant: str | None = None,
    draws: int | None = None,
    seed: int | None = None,
    progress: arguments.Progressing = None,
) -> Verification:
    """Check a mechanism's claim by its distribution on all neighboring scores of a small grid.

    Parameters
    ----------
    mechanism : str
        The mechanism: 'canonical', 'peel', 'gem', ...
    epsilon : number, optional
        The claim; 1 if it is not given.
    k, d : int, optional
        How many are picked, of how many candidates.
    levels, steps : int, optional
        How many values a score takes, and how many steps of them a sensitivity has.
    sensitivities : list of int, optional
        A sensitivity for each candidate, in steps, for the mechanisms that use them.
    monotonic : bool, optional
        Whether between neighbors all scores move in one direction.
    parameters : dict, optional
        The parameters of the mechanism.
    variant : str, optional
        A broken variant of it, whose claim is violated: ``dpsis verify --list`` names them.
    draws : int, optional
        Also compare this many draws of the code with the distribution.
    seed : int, optional
        With `draws`: draw from this seed.
    progress : bool or callable, optional
        As for `select`.

    Returns
    -------
    Verification

    Raises
    ------
    RequestError
        There is no such mechanism, or the sizes do not fit it or take too long.

    Notes
    -----
    **Privacy.** No data are read.

    Examples
    --------
    >>> import dpsis
    >>> dpsis.verify("canonical", k=2, d=3).holds
    True
    >>> dpsis.verify("canonical", variant="printed-class-sizes").holds
    False
    """
    options = {
        "mechanism": arguments.word("mechanism", mechanism),
        "variant": arguments.maybe_word("variant", variant),
        "epsilon": arguments.maybe_exact("epsilon", epsilon),
        "k": arguments.maybe_integer("k", k, 1),
        "d": arguments.maybe_integer("d", d, 1),
        "levels": None if levels is None else _small("levels", levels),
        "steps": None if steps is None else _small("steps", steps),
        "sensitivities": sensitivities and [_small("sensitivities", one) for one in sensitivities],
        "monotonic": bool(monotonic),
        "parameters": arguments.texts("parameters", parameters),
        "draws": arguments.maybe_integer("draws", draws, 1),
        "seed": arguments.maybe_integer("seed", seed),
    }
    with arguments.Progress(progress, "verifying") as bar:
        return Verification(*_native.verify(arguments.as_json(options), bar.show))


def _small(name: str, value: Any) -> int:
    """A size of an enumeration."""
    size = arguments.integer(name, value, 1)
    if size >= 2**32:
        raise RequestError(f"{name} must be below 2^32", [name])
    return size


@dataclass(frozen=True, repr=False)
class Audit(Document):
    """A claim, tested by draws. **Not private**: many draws on one table reveal its rows.

    Attributes
    ----------
    consistent : bool
        Whether the draws are consistent with the claim, which is no proof of it.
    record : dict
        The claim, the numbers of draws, and the event that distinguishes the tables best, with a lower bound of epsilon.
    """

    consistent: bool


@arguments.names_near()
def audit(
    release: Callable[[Any], object],
    first: Any,
    second: Any,
    epsilon: arguments.Exact,
    *,
    delta: float = 0.0,
    draws: int = 2000,
    progress: arguments.Progressing = None,
) -> Audit:
    """Test a claimed epsilon by many runs of a function on two neighboring tables.

    Parameters
    ----------
    release : callable
        The function that is claimed to be private: it is called with a table, and its results are compared by `repr`.
    first, second : object
        Two tables, or other arguments of the function, that differ in one row.
    epsilon : number
        The claim.
    delta : float, optional
        The delta of the claim.
    draws : int, optional
        How often it is called with each.
    progress : bool or callable, optional
        As for `select`.

    Returns
    -------
    Audit

    Notes
    -----
    **Privacy.** None: for tests with public or made-up tables only.

    Examples
    --------
    >>> import dpsis
    >>> found = dpsis.audit(lambda table: table > 3, 3, 4, epsilon=1)
    >>> found.consistent, found.report().splitlines()[-1].startswith("result     violates")
    (False, True)
    """
    times = arguments.integer("draws", draws, 2)
    outcomes = []
    with arguments.Progress(progress, "auditing") as bar:
        for place in range(times):
            outcomes.append((repr(release(first)), repr(release(second))))
            if bar.show is not None:
                bar.show((place + 1) / times)
    return Audit(*_native.audit(arguments.exact("epsilon", epsilon), float(delta), outcomes))
