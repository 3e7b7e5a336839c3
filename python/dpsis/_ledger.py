"""Budget files."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from . import _arguments as arguments
from ._native import close_ledger, ledger_page, note_ledger, open_ledger, read_ledger
from ._page import written


class Ledger:
    """A budget file with a cap: a release is charged to it first, and no release that would exceed the cap
    is made.

    It is the file of the command line's ``--ledger``, readable in any editor. Copies of this object, in clones of
    estimators and in other processes, are of the same file, and the file is locked while it is read and written: of two
    that race for the last of the budget, one gets it.

    Parameters
    ----------
    path : path-like
        The file. It is made if it is not there and a cap is given.
    cap : number, optional
        The most that all releases may spend together. If the file exists, it must match the file.
    name : str, optional
        A name of the budget for reports: of a new file, or as in the file.
    delta : number, optional
        The most that all deltas may sum to; 0 if none is given.
    neighbors : {'add-remove', 'replace-one'}, optional
        The neighbor relation of all releases; adding or removing a row if none is given.
    privacy_unit : {'row', 'person'}, optional
        What all releases protect; a row if nothing is given. Releases with a `unit` need a ledger for people.
    note : str, optional
        A first note in a new file, such as who signed the budget off.

    Raises
    ------
    RequestError
        If the file differs.
    InputError
        If the file is not a ledger, or is damaged.
    ReadError
        If it cannot be read or written, or is not there and no cap is given.

    Examples
    --------
    >>> import dpsis, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "study.ledger")
    >>> ledger = dpsis.Ledger(path, cap=3)
    >>> ledger.left
    3.0
    """

    @arguments.names_near()
    def __init__(
        self,
        path: str | os.PathLike[str],
        cap: arguments.Exact | None = None,
        *,
        name: str | None = None,
        delta: arguments.Exact | None = None,
        neighbors: str | None = None,
        privacy_unit: str | None = None,
        note: str | None = None,
    ) -> None:
        # Other processes may have other working folders.
        self._path = os.path.abspath(os.fspath(path))
        options = {
            "path": self._path,
            "cap": arguments.maybe_exact("cap", cap),
            "name": name,
            "note": note,
            "delta": arguments.maybe_exact("delta", delta),
            "neighbors": neighbors,
            "privacy_unit": privacy_unit,
        }
        open_ledger(json.dumps(options))

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    def read(self) -> dict[str, Any]:
        """The terms, the spent budget, and all entries.

        Returns
        -------
        dict
        """
        content: dict[str, Any] = json.loads(read_ledger(self._path)[0])
        return content

    @property
    def cap(self) -> float:
        """The most that all releases may spend together; `read` gives it exactly."""
        return float(Fraction(self.read()["cap"]))

    @property
    def spent(self) -> float:
        """The spent budget; `read` gives it exactly."""
        return float(Fraction(read_ledger(self._path)[1]))

    @property
    def left(self) -> float:
        """The remaining budget; `read` gives it exactly."""
        return float(Fraction(read_ledger(self._path)[2]))

    def note(self, text: str) -> None:
        """Append a note, with the time. It does not change the budget.

        Parameters
        ----------
        text : str
            One line, which must not be private.
        """
        note_ledger(self._path, text)

    def close(self, note: str = "") -> None:
        """Close the file: no more releases can be charged, and it cannot be opened again.

        Parameters
        ----------
        note : str, optional
            Why, in one line, which must not be private.

        Raises
        ------
        RequestError
            If it is closed.
        """
        close_ledger(self._path, note)

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self.read()["closed"] is not None

    def to_html(
        self, path: str | os.PathLike[str] | None = None, *, title: str = "", study: str = "", contact: str = ""
    ) -> str:
        """The remaining budget, all releases and all notes as an HTML page.

        Parameters
        ----------
        path : path-like, optional
            A file to write it to.
        title : str
            The title; the ledger's name if it is empty.
        study, contact : str
            The study or the data, and the person to ask.

        Returns
        -------
        str
        """
        return written(ledger_page(self._path, (title, study, contact)), path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and other._path == self._path

    def __hash__(self) -> int:
        return hash(self._path)

    def __repr__(self) -> str:
        return f"Ledger({self._path!r})"

    def _repr_html_(self) -> str:
        content = self.read()
        keys = ("when", "command", "epsilon", "returned", "delta", "note")

        def row(cell: str, values: Iterable[Any]) -> str:
            return f"<tr>{''.join(f'<{cell}>{html.escape(str(value))}</{cell}>' for value in values)}</tr>"

        entries = [row("td", [one.get(key, "") for key in keys]) for one in content["entries"]]
        head = f"{self!r}: {self.spent:g} spent, {self.left:g} left"
        return f"<p>{html.escape(head)}</p><table>{row('th', keys)}{''.join(entries)}</table>"


def payer(ledger: Ledger | str | os.PathLike[str] | None, seed: Any = None) -> str | None:
    """The file that is charged. With a seed it is not opened: the library refuses both together."""
    if ledger is None:
        return None
    if isinstance(ledger, Ledger):
        return ledger.path
    return os.path.abspath(os.fspath(ledger)) if seed is not None else Ledger(ledger).path
