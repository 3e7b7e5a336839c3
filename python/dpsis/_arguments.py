"""Arguments in the form in which the library reads them."""

from __future__ import annotations

import datetime
import functools
import inspect
import json
import math
import numbers
import operator
import os
import re
import sys
import time as clock
import uuid
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np

from . import _native
from ._errors import RequestError

#: A number that is read exactly; of a float, its shortest decimal text.
Exact: TypeAlias = int | float | str | Fraction | Decimal

#: Whether to show a bar, or a callback for the finished share; None on a terminal or in a notebook.
Progressing: TypeAlias = bool | Callable[[float], object] | None

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: What other packages call parameters.
_ELSEWHERE = {
    "alpha": "fwer",
    "budget": "epsilon",
    "df": "data",
    "labels": "classes",
    "n_features": "k",
    "n_features_to_select": "k",
    "n_jobs": "threads",
    "random_state": "seed",
    "verbose": "progress",
    "x": "data",
}

#: The name of the units of sizes, and their bytes.
_UNITS = {
    "": 1,
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}


def exact(name: str, value: Exact) -> str:
    """The text of a number that is read exactly."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a number, not a truth value")
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, (Decimal, numbers.Real)):
        text = str(value)
        return text.removesuffix(".0")
    raise TypeError(f"{name} must be a number, not {type(value).__name__}")


def maybe_exact(name: str, value: Exact | None) -> str | None:
    """The text of a number, if there is one."""
    return None if value is None else exact(name, value)


def integer(name: str, value: Any, least: int = 0) -> int:
    """An integer of at least `least` and below 2^64."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be an integer, not a truth value")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if not least <= number < 2**64:
        raise RequestError(f"{name} must be at least {least} and below 2^64", [name])
    return number


def maybe_integer(name: str, value: Any, least: int = 0) -> int | None:
    """An integer, if there is one."""
    return None if value is None else integer(name, value, least)


def number_of_features(value: Any) -> int | None:
    """The number of features to select, if it is given."""
    if isinstance(value, str):
        # As scikit-learn's SelectKBest takes 'all'.
        rule = "k is a number of features: leave it out to select all that are significant, or give their number"
        raise RequestError(rule, ["k"])
    return maybe_integer("k", value, 1)


def text_of(value: Any) -> str | None:
    """The text of a cell or of a label as a file would hold it; None if it is missing or its type has no text.

    It depends on this value alone, and nothing is raised: one cell must neither stop a run nor change how others are read.
    """
    try:
        return _text_of(value)
    except Exception:
        return None


def _text_of(value: Any) -> str | None:
    # The usual kinds first: the others are recognized slowly.
    if isinstance(value, float):
        return _number_text(value)
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, str):
        # Surrogates, as from damaged files, are not valid text.
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if isinstance(value, np.timedelta64):
        return None if np.isnat(value) else _number_text(float(value / np.timedelta64(1, "s")))
    if isinstance(value, datetime.timedelta):
        return _number_text(value.total_seconds())
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else str(np.datetime_as_string(value, unit="auto"))
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return str(np.datetime_as_string(np.datetime64(value), unit="auto"))
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, np.float32):
        return _number_text(value)
    if isinstance(value, (numbers.Real, Decimal)):
        return _number_text(float(value))
    if isinstance(value, (datetime.time, uuid.UUID)):
        return str(value)
    return None


def _number_text(value: float | np.floating[Any]) -> str | None:
    """The shortest digits that read back to a number, without an exponent."""
    if not math.isfinite(value):
        return None
    text = str(value)
    if "e" in text:
        return str(np.format_float_positional(value, unique=True, trim="-"))
    return text.removesuffix(".0")


def labels(name: str, values: Iterable[Any] | None) -> list[str] | None:
    """Labels as texts."""
    if values is None:
        return None
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list of labels, such as ['control', 'case']")
    texts = [text_of(value) for value in in_order(name, values)]
    if any(text is None for text in texts):
        raise RequestError("a label is a text, a number, a truth value or a date", [name])
    return [text for text in texts if text is not None]


def fields_of_events(y: Any) -> tuple[str, str] | None:
    """The names of the fields of times and of events of a structured array, as scikit-survival has them; None of another y."""
    fields = getattr(getattr(y, "dtype", None), "fields", None)
    if not isinstance(getattr(y, "dtype", None), np.dtype) or fields is None:
        return None
    kinds = {name: field[0].kind for name, field in fields.items()}
    events = [name for name, kind in kinds.items() if kind == "b"]
    times = [name for name, kind in kinds.items() if kind in "fiu"]
    if len(kinds) != 2 or len(events) != 1 or len(times) != 1:
        rule = "a structured y has two fields: whether the event happened, a boolean, and the time, a number"
        raise RequestError(f"{rule}; or give columns of the data by time and event", ["y"])
    return times[0], events[0]


def at_horizon(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a target at a horizon in the form in which the library reads them."""
    time, event, y = maybe_word("time", given.get("time")), _event(given.get("event")), given.get("y")
    fields = fields_of_events(y)
    if y is not None and (time is not None or event is not None):
        raise RequestError("the target is y, or is made of two columns: leave out one of both", ["y", "time", "event"])
    if fields is not None:
        if given.get("by") is None:
            raise RequestError("y holds times and events: give the horizon, such as by=1825", ["by"])
        time, event = fields[0], (fields[1], "1")
    elif y is not None and given.get("by") is not None:
        rule = "a horizon needs times and events: give y as an array of both, or columns by time and event"
        raise RequestError(rule, ["by", "y", "time", "event"])
    return {"time": time, "event": event, "by": maybe_number("by", given.get("by"))}


def _event(value: Any) -> tuple[str, str] | None:
    """The column of events, and the text of the value that means one."""
    if value is None:
        return None
    pairs = list(value.items()) if isinstance(value, Mapping) else [value]
    if len(pairs) != 1 or not isinstance(pairs[0], (tuple, list)) or len(pairs[0]) != 2:
        raise TypeError("event must be one column and the value that means that it happened: {'died': 1}")
    column, given = pairs[0]
    text = text_of(given)
    if text is None:
        raise RequestError("the value of an event is a text, a number, a truth value or a date", ["event"])
    return str(column), text


def columns_of_events(options: Mapping[str, Any]) -> list[str]:
    """The names of the columns of times and events, if the options give them."""
    time, event = options["time"], options["event"]
    return [] if time is None or event is None else [time, event[0]]


def name_of(value: Any) -> str:
    """A column's name as text."""
    name = str(value)
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise RequestError("a column's name is not text in UTF-8", ["data"]) from None
    return name


def different(names: Sequence[str], parameter: str) -> None:
    """Refuses names that occur twice; they are public."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise RequestError(f"the name {name!r} occurs twice: each column needs its own", [parameter])
        seen.add(name)


def word(name: str, value: Any) -> str:
    """A word out of several."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {type(value).__name__}")
    return value


def maybe_word(name: str, value: Any) -> str | None:
    """A word, if there is one."""
    return None if value is None else word(name, value)


def in_order(name: str, values: Any) -> list[Any]:
    """A list whose order counts; a single value is one."""
    if isinstance(values, (set, frozenset)):
        raise TypeError(f"{name} must be a list: a set has no order, and the order counts")
    return listed(values)


def listed(values: Any) -> list[Any]:
    """A list; a single value is one."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        return [values]
    return list(values)


def names(name: str, values: Iterable[Any] | str | None) -> list[str]:
    """A list of names; a text is one name."""
    if values is None:
        return []
    if isinstance(values, str):
        return [values]
    return [str(value) for value in values]


def interval(name: str, value: Sequence[float] | None) -> tuple[float, float] | None:
    """A lower and an upper end."""
    if value is None:
        return None
    try:
        low, high = (float(end) for end in value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be two numbers, (low, high)") from None
    return low, high


def maybe_number(name: str, value: Any) -> float | None:
    """A number, if there is one."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    return float(value)


def bounds(value: Any) -> Any:
    """Ranges of features: (low, high), a path, or (name, low, high) for each of several names."""
    if value is None or isinstance(value, (str, os.PathLike)):
        return None if value is None else os.fspath(value)
    if isinstance(value, Mapping):
        ranges = []
        for feature, ends in value.items():
            low, high = interval("bounds", ends) or (math.nan, math.nan)
            ranges.append((str(feature), low, high))
        return ranges
    return interval("bounds", value)


def weights(value: Any) -> Any:
    """Weights of features: a path, or (name, weight) for each."""
    if value is None or isinstance(value, (str, os.PathLike)):
        return None if value is None else os.fspath(value)
    if not hasattr(value, "items"):
        raise TypeError("weights must be the path of a CSV file, a dictionary or a Series")
    return [(str(name), float(weight)) for name, weight in value.items()]


def center(value: Any) -> Any:
    """The center of the target: a word, a number, or (label, share) for each class."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return [(text_of(label) or "", float(share)) for label, share in value.items()]
    return float(value)


def covariates(value: Any) -> list[str]:
    """Covariates with their cut points or levels, each a text."""
    if any(not isinstance(one, str) for one in listed(value)):
        raise TypeError("adjust must be a list of texts, such as ['age:40,60', 'sex=F,M']")
    return listed(value)


def levels(value: Mapping[str, Iterable[Any]] | None) -> list[tuple[str, list[str]]]:
    """Columns, each with the texts of its levels."""
    if value is None:
        return []
    if not isinstance(value, Mapping):
        raise TypeError("levels must be a dictionary, such as {'stage': ['I', 'II', 'III']}")
    return [(str(name), [text_of(level) or "" for level in in_order("levels", given)]) for name, given in value.items()]


def groups(value: Any) -> Any:
    """Sets of features: a path, or (name, members) for each."""
    if value is None or isinstance(value, (str, os.PathLike)):
        return None if value is None else os.fspath(value)
    if not isinstance(value, Mapping):
        raise TypeError("groups must be the path of a GMT file, or a dictionary of lists of names")
    return [(str(name), names("groups", members)) for name, members in value.items()]


def sizes(name: str, value: Any) -> tuple[int, int | None]:
    """The smallest size and the largest one, if there is one; (5, None) if none is given."""
    if value is None:
        return 5, None
    given = listed(value)
    if len(given) not in (1, 2):
        raise TypeError(f"{name} must be the smallest size, or (smallest, largest)")
    return integer(name, given[0], 1), None if len(given) == 1 else integer(name, given[1], 1)


def texts(name: str, values: Mapping[str, Exact] | None) -> dict[str, str]:
    """Numbers by name, as texts."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise TypeError(f"{name} must be a dictionary")
    return {str(key): exact(f"{name}[{key!r}]", value) for key, value in values.items()}


def size(name: str, value: int | str) -> int:
    """A number of bytes from an integer or from a number with a unit, such as 4GiB."""
    if not isinstance(value, str):
        return integer(name, value)
    parts = re.fullmatch(r"\s*([0-9.]+)\s*([a-zA-Z]*)\s*", value)
    unit = _UNITS.get(parts[2].lower()) if parts else None
    if parts is None or unit is None:
        raise RequestError("a size is a number and a unit, such as 500MB or 4GiB", [name])
    return int(float(parts[1]) * unit)


def as_json(options: Mapping[str, Any]) -> str:
    """Options as the library reads them. Numbers that JSON does not have are texts, which it refuses."""

    def finite(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [finite(one) for one in value]
        return str(value) if isinstance(value, float) and not math.isfinite(value) else value

    return json.dumps({name: finite(value) for name, value in options.items()}, allow_nan=False)


def defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """The defaults of a function's parameters, by name."""
    parameters = inspect.signature(function).parameters.items()
    return {name: one.default for name, one in parameters if one.default is not one.empty}


def differing_from_defaults(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that are not left at their defaults."""

    def is_default(value: Any, default: Any) -> bool:
        return value is default or (isinstance(value, type(default)) and value == default)

    return {name: value for name, value in given.items() if name not in defaults or not is_default(value, defaults[name])}


def names_near(options: Iterable[str] = ()) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Has a function name the parameters that are near to an unknown one; `options` are the parameters of its `**`."""

    def with_names(function: Callable[_P, _R]) -> Callable[_P, _R]:
        own = [one.name for one in inspect.signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
        known = list(dict.fromkeys([*own, *options]))

        @functools.wraps(function)
        def checked(*args: _P.args, **given: _P.kwargs) -> _R:
            if "y" in known and len(args) > 1 and is_target(args[1]) and "y" not in given:
                # As in scikit-learn, the target may come second.
                given["y"], args = args[1], (args[0], *args[2:])  # type: ignore[assignment]
            for name in given:
                if name not in known:
                    raise TypeError(_unknown(function.__qualname__.removesuffix(".__init__"), name, known))
            return function(*args, **given)

        return checked

    return with_names


def is_target(value: Any) -> bool:
    """Whether an argument in the place of k holds the target of each row."""
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def _unknown(function: str, name: str, known: list[str]) -> str:
    elsewhere = _ELSEWHERE.get(name.lower())
    near = [elsewhere] if elsewhere in known else _native.near(known, name)
    hint = f": did you mean {' or '.join(map(repr, near))}?" if near else ""
    return f"{function}() got an unexpected keyword argument {name!r}{hint}"


def note(function: str, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """The request as a call of the function; placeholders stand for files and data."""
    changed = differing_from_defaults(given, defaults)
    parts = [] if "partials" in changed else ["data"]
    for name, value in changed.items():
        if isinstance(value, os.PathLike) or name == "target_file":
            value = "FILE"
        elif name in ("bounds", "groups", "weights") and isinstance(value, str):
            value = "FILE"
        elif name == "ledger":
            value = "LEDGER"
        elif name in ("y", "groups", "weights", "partials") or (name == "unit" and not isinstance(value, str)):
            # Targets and ids are data; sets are many.
            value = "..."
        elif _is_plain(value):
            value = repr(value)
        else:
            value = "..."
        parts.append(f"{name}={value}")
    request = f"dpsis.{function}({', '.join(parts)})"
    return request.replace("\n", " ")


def _is_plain(value: Any) -> bool:
    """Whether the text of a value identifies it."""
    if isinstance(value, Mapping):
        return all(map(_is_plain, [*value.keys(), *value.values()]))
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (str, bool, int, float, Decimal, Fraction, np.generic))


class Progress:
    """A callback for the share of the work that is done: tqdm's bar, one of the caller's, or none.

    A bar is shown after two seconds: by default on a terminal or in a notebook, if tqdm is installed.
    """

    def __init__(self, wanted: Progressing, what: str) -> None:
        self._bar: Any = None
        self.show: Callable[[float], object] | None = None
        if callable(wanted):
            self.show = wanted
        elif wanted or (wanted is None and _is_watched()):
            try:
                with warnings.catch_warnings():
                    # Without widgets for notebooks it warns, and draws with letters.
                    warnings.simplefilter("ignore")
                    from tqdm.auto import tqdm
            except ImportError:
                if wanted is None:
                    return
                raise ImportError("a progress bar needs the package tqdm") from None
            self._bar = tqdm(total=100, desc=what, unit="%", leave=False, delay=2, miniters=1)
            self.show = self._move

    def _move(self, share: float) -> None:
        self._bar.update(round(100 * share) - self._bar.n)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _is_watched() -> bool:
    """Whether there is a terminal, or a notebook."""
    return "ipykernel" in sys.modules or bool(getattr(sys.stderr, "isatty", bool)())
