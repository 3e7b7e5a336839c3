"""Jobs, which the library runs for every interface."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from . import _arguments as arguments
from . import _native
from ._errors import DpsisWarning, NotPrivateWarning

_T = TypeVar("_T")


def terms_of(
    request: str, ledger: str | None, note: str, seed: Any, dry_run: bool = False, run_key: str | None = None
) -> dict[str, Any]:
    """The terms of a run: the request for its record, the ledger to charge with a note, the seed and the run key."""
    return {
        "request": request,
        "ledger": ledger,
        "note": note,
        "run_key": arguments.maybe_word("run_key", run_key),
        "seed": arguments.maybe_integer("seed", seed),
        "dry_run": bool(dry_run),
    }


@dataclass
class Job:
    """A command with its options, terms and table, in the form in which the library reads them."""

    command: str
    options: dict[str, Any]
    terms: dict[str, Any]
    source: _native.Table | None = None
    #: Other names for arguments, for messages.
    names: Mapping[str, str] = field(default_factory=dict)

    def _text(self) -> str:
        """The job as JSON."""
        return f'{{"command": "{self.command}", "options": {arguments.as_json(self.options)}, "terms": {json.dumps(self.terms)}}}'

    def check_ledger(self) -> None:
        """Refuses a job that would exceed its ledger, before data are converted."""
        if self.terms["ledger"] is not None:
            _native.check_ledger(self._text())

    def run(self, progress: arguments.Progressing, what: str, output: str | None = None) -> dict[str, Any]:
        """The answer of the library, with progress called `what`."""
        with arguments.Progress(progress, what) as bar:
            return _native.run_job_on(self._text(), self.source, bar.show, output, dict(self.names))


def delivered(answer: Mapping[str, Any], result: _T, stacklevel: int) -> _T:
    """The result of an answer, after its warnings. An interrupt that came when the result was ready is raised with it: its
    budget is spent, and it must not be lost.
    """
    warn(answer, stacklevel + 1)
    interrupt: BaseException | None = answer.get("interrupt")
    if interrupt is None:
        return result
    interrupt.result = result  # type: ignore[attr-defined]
    if hasattr(interrupt, "add_note"):
        interrupt.add_note("The result was ready: it is the attribute `result` of this exception.")
    raise interrupt


def warn(answer: Mapping[str, Any], stacklevel: int) -> None:
    """Issues the warnings of an answer. Where warnings are errors they go to stderr: nothing may discard a result whose budget
    is spent.
    """
    for text, essential in answer["warnings"]:
        category = NotPrivateWarning if essential else DpsisWarning
        try:
            warnings.warn(text, category, stacklevel=stacklevel + 1)
        except DpsisWarning:
            if sys.stderr is not None:
                print(f"{category.__name__}: {text}", file=sys.stderr)
