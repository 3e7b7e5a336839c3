"""Results other than releases: a record and its text."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, repr=False)
class Document:
    """A record with a text of a few lines.

    Attributes
    ----------
    record : dict
        All figures.
    """

    _json: str
    _text: str

    @property
    def record(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._json)
        return found

    def report(self) -> str:
        """The figures as text.

        Returns
        -------
        str
        """
        return self._text

    def to_json(self) -> str:
        """The record as the command line writes it.

        Returns
        -------
        str
        """
        return self._json

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"
