"""Results as HTML pages."""

from __future__ import annotations

import html
import os
from pathlib import Path

from . import _native


class Paged:
    """A result that has a page."""

    def to_json(self) -> str:
        """The record."""
        raise NotImplementedError

    def to_html(
        self, path: str | os.PathLike[str] | None = None, *, title: str = "", study: str = "", contact: str = ""
    ) -> str:
        """The report as an HTML page of its own.

        The first printed page has the findings, their interpretation, the guarantee, the budget that is left and what
        may be published; a paragraph for the methods section of a paper and all details follow.

        Parameters
        ----------
        path : path-like, optional
            A file to write it to.
        title : str
            The title; one made from the record if it is empty.
        study, contact : str
            The study or the data, and the person to ask. They are published with the page.

        Returns
        -------
        str
        """
        return written(_native.page(self.to_json(), (title, study, contact)), path)

    def _repr_html_(self) -> str:
        # A frame: the page's styles do not apply to the notebook.
        page = html.escape(self.to_html(), quote=True)
        style = "width: 100%; height: 40em; border: 0"
        return f'<iframe sandbox="allow-downloads" style="{style}" srcdoc="{page}"></iframe>'


def written(page: str, path: str | os.PathLike[str] | None) -> str:
    """The page, also written to a file if one is given."""
    if path is not None:
        Path(path).write_text(page, encoding="utf-8")
    return page
