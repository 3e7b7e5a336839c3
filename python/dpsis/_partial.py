"""Sums of some rows, which add up to the sums of all rows. They are not private."""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _arguments as arguments
from . import _native
from ._errors import NotPrivateWarning, ReadError, RequestError
from ._tables import FACTS, check_classes, table


@dataclass(frozen=True, repr=False, eq=False)
class Partial:
    """The exact sums of some rows, from `partial` or `load_partial`. **Not private.**

    It is as sensitive as the rows: it contains their sums, which for a part of few rows reveal much about each. It may go
    where the rows may. It can be pickled.

    Attributes
    ----------
    parts : list of int
        The numbers of the parts that were added up.
    features : int
        The number of features.
    """

    _sums: _native.Partial

    @property
    def parts(self) -> list[int]:
        return self._sums.parts()

    @property
    def features(self) -> int:
        return len(self._sums.features())

    def add(self, other: Partial) -> Partial:
        """Add up the sums of different parts; both stay as they are.

        Parameters
        ----------
        other : Partial
            Partials of other parts of the same table, with the same options.

        Returns
        -------
        Partial

        Raises
        ------
        RequestError
            They contain the same part, or differ in columns, options or stage.
        """
        if not isinstance(other, Partial):
            raise TypeError(f"a partial adds up with another one, not with {type(other).__name__}")
        return Partial(self._sums.add(other._sums))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sums to a file, as ``dpsis partial -o`` does: whole or not at all, and for its owner alone.

        Parameters
        ----------
        path : path-like
            The file, which `load_partial`, `select` and ``dpsis select --partials`` read.
        """
        path = os.path.realpath(path)
        handle, temporary = tempfile.mkstemp(prefix=".", dir=os.path.dirname(path))
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(self._sums.text())
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _of_text, (self._sums.text(),)

    def __repr__(self) -> str:
        which = ", ".join(map(str, self.parts))
        return f"Partial(parts {which}; {self.features} features; NOT PRIVATE: exact sums of rows, keep them like the rows)"


def _of_text(text: str) -> Partial:
    return Partial(_native.Partial.of_text(text))


@dataclass(frozen=True, repr=False)
class ReleasedTarget:
    """The released target, from the counts of all parts, for the partials of the next stage.

    Attributes
    ----------
    private : bool
        Whether it may be released: False if it was drawn from a seed.
    epsilon : str
        The epsilon that was spent on it, a part of the budget of the whole release.
    """

    private: bool
    epsilon: str
    _text: str

    @classmethod
    def warned(cls, released: Mapping[str, Any], stacklevel: int) -> ReleasedTarget:
        """The target of a release, with a warning if it is not private."""
        if not released["private"]:
            warnings.warn("the target's part was drawn from a given seed", NotPrivateWarning, stacklevel=stacklevel + 1)
        return cls(released["private"], released["epsilon"], released["target"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, as ``dpsis select --partials ... -o`` does.

        Parameters
        ----------
        path : path-like
            The file, which `partial` and ``dpsis partial --released`` read.
        """
        Path(path).write_text(self._text, encoding="utf-8", newline="")

    def __repr__(self) -> str:
        return f"ReleasedTarget(epsilon {self.epsilon} spent, {'private' if self.private else 'NOT PRIVATE'})"


def partial(
    data: Any,
    part: tuple[int, int],
    *,
    y: Any = None,
    target: str | int | None = None,
    classes: Iterable[Any] | None = None,
    time: str | None = None,
    event: Mapping[str, Any] | tuple[str, Any] | None = None,
    by: float | None = None,
    target_bounds: Sequence[float] | None = None,
    target_number: bool = False,
    bounds: Any = None,
    score: str | None = None,
    scale: str | None = None,
    feature_names: Iterable[str] | None = None,
    target_file: str | os.PathLike[str] | None = None,
    id: str | None = None,
    exclude: Iterable[str] | str = (),
    missing: Iterable[Any] = (),
    features_as_rows: bool | None = None,
    delimiter: str | None = None,
    decimal_comma: bool | None = None,
    numeric_names: bool = False,
    released: ReleasedTarget | str | os.PathLike[str] | None = None,
    threads: int | None = None,
) -> Partial:
    """Sum up some rows of a table, for ``select(partials=...)``: **not private**.

    Each task, machine or file sums its own rows; `select` adds up the sums of all. Its release is the same, to the bit, as
    from the whole table. Correlation adds up, and ks on bins of scaled values; scores of whole columns do not.

    Parameters
    ----------
    data : as for `select`
        These rows. Each row of the table belongs to one part, and each person to one row. A reader of pyarrow, such as
        engines make of a query, is summed batch by batch.
    part : (int, int)
        The number of this part, from 1, and the number of all parts: ``(3, 8)``. Two partials with the same number do
        not add up, and a release needs all parts.
    y, target, classes, time, event, by, target_bounds, target_number, bounds, score, scale : optional
        As for `select`, and the same for all parts.
    feature_names, target_file, id, exclude, missing, features_as_rows, delimiter, decimal_comma, numeric_names : optional
        As for `select`.
    released : ReleasedTarget or path, optional
        For a numeric target without a range: the release of `select` from the partials of the first stage.
    threads : int, optional
        All cores if not given. The result does not depend on it.

    Returns
    -------
    Partial

    Raises
    ------
    RequestError, InputError, ReadError
        As for `select`.

    Notes
    -----
    **Privacy.** None: these are exact sums of rows. They may go where the rows may.

    Examples
    --------
    >>> import dpsis, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(5000, 4))
    >>> y = np.where(x[:, 2] + rng.normal(size=5000) > 0, "case", "control")
    >>> public = {"bounds": (-3, 3), "classes": ["control", "case"]}
    >>> halves = [dpsis.partial(x[i::2], (i + 1, 2), y=y[i::2], **public) for i in range(2)]
    >>> halves[0]
    Partial(parts 1; 4 features; NOT PRIVATE: exact sums of rows, keep them like the rows)
    >>> dpsis.select(partials=halves, k=1, epsilon=5).names
    ['feature-3']
    """
    given = {"unit": None} | locals()
    try:
        number, of = (arguments.integer("part", one, 1) for one in part)
    except (TypeError, ValueError) as error:
        if isinstance(error, RequestError):
            raise
        raise TypeError("part must be two integers: which one, and of how many") from None
    if not number <= of < 2**32:
        raise RequestError("a part is a number from 1 and that of all, such as (3, 8)", ["part"])
    options = {"k": 1} | sums_options(given)
    check_classes(y, options["classes"])
    of_target = arguments.columns_of_events(options)
    source = table(data, y, **{name: given[name] for name in FACTS}, once=True, of_target=of_target)
    text = None
    if isinstance(released, ReleasedTarget):
        text = released._text
    elif released is not None:
        text = _read(released)
    return Partial(_native.Partial.of_table(source, arguments.as_json(options), text, (number, of)))


def sums_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that sums depend on, in the form in which the library reads them."""
    return arguments.at_horizon(given) | {
        "classes": arguments.labels("classes", given["classes"]),
        "target_bounds": arguments.interval("target_bounds", given["target_bounds"]),
        "target_number": bool(given["target_number"]),
        "bounds": arguments.bounds(given["bounds"]),
        "scale": arguments.maybe_word("scale", given["scale"]),
        "score": arguments.maybe_word("score", given["score"]),
        "threads": arguments.maybe_integer("threads", given["threads"], 1),
    }


def load_partial(path: str | os.PathLike[str]) -> Partial:
    """Read the sums that `Partial.save` or ``dpsis partial`` wrote.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    Partial

    Raises
    ------
    InputError
        The file is not a partial, of another version, or damaged. A masked one opens with the files of all sites, by
        ``select(partials=paths)``.
    ReadError
        It cannot be read.
    """
    return _of_text(_read(path))


def gathered(partials: Any) -> list[tuple[str, _native.Partial | str]]:
    """Sums in memory, each with its name in errors, and paths of files."""
    found: list[tuple[str, _native.Partial | str]] = []
    listed = [partials] if isinstance(partials, (Partial, str, os.PathLike)) else partials
    if not isinstance(listed, Iterable):
        raise TypeError(f"partials must be a list of partials or their paths, not {type(partials).__name__}")
    for place, one in enumerate(listed):
        if isinstance(one, Partial):
            found.append((f"partials[{place}]", one._sums))
        elif isinstance(one, (str, os.PathLike)):
            found.append((f"partials[{place}]", os.fspath(one)))
        else:
            raise TypeError(f"partials[{place}] must be a partial or its path, not {type(one).__name__}")
    return found


def _read(path: str | os.PathLike[str]) -> str:
    """The text of a file; other content is damaged."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ReadError(f"{os.fspath(path)} cannot be read: {error.strerror}") from None
