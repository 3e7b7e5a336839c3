"""Releases as output checkers read them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from . import _native
from ._page import Paged


class Exported(Paged):
    """Output formats of releases."""

    _statement: str

    def report(self) -> str:
        """A few lines."""
        raise NotImplementedError

    def _figure(self) -> bytes | None:
        """A figure as PNG, if there is one."""
        return None

    def to_acro(self, path: str | os.PathLike[str], session: Any = None) -> None:
        """Write a folder for an output checker, as the package ``acro`` does: the SACRO viewer opens it.

        It holds ``results.json`` with the guarantee in plain words, the names as CSV, the report as text and as a page, the record, the effect
        sizes as a figure where they were released and matplotlib is there, and the checksums of these files.

        Parameters
        ----------
        path : path-like
            The folder, which must be new: it is written whole or not at all.
        session : acro.ACRO, optional
            A session of acro that the output is added to, as well. The files must stay where they are until its
            ``finalise``.

        Raises
        ------
        ReadError
            If the folder is there, or cannot be written.

        Notes
        -----
        Its status is ``review``, since a person has to check it; that of a result that is not private is ``fail``.
        """
        number = 0 if session is None else session.results.output_id
        texts = [("report.txt", self.report()), ("report.html", self.to_html()), ("record.json", self.to_json())]
        files = [(name, text.encode()) for name, text in texts]
        figure = self._figure()
        if figure is not None:
            files.append(("effect_sizes.png", figure))
        _native.write_acro(os.fspath(path), self._statement, number, files)
        if session is not None:
            import pandas

            folder = Path(path)
            results = json.loads((folder / "results.json").read_text(encoding="utf-8"))["results"]
            one = results[f"output_{number}"]
            session.results.add(
                status=one["status"],
                # Of these acro takes files as they are.
                output_type="custom",
                properties=one["properties"],
                sdc=one["files"][0]["sdc"],
                fair=one["fair"],
                command=one["command"],
                summary=one["summary"],
                outcome=pandas.DataFrame.from_dict(one["outcome"]),
                output=[str(folder / file["name"]) for file in one["files"]],
                comments=one["comments"],
            )
