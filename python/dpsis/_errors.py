"""Errors and warnings of the package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class DpsisError(Exception):
    """An error of the package: the rule that was broken, its place, and a hint; never a value of the data.

    Attributes
    ----------
    parameters : tuple of str
        The parameters to give or to change, the most likely first; often empty.
    row : int or None
        The row of the table, counted from 1 below the header.
    column : int or None
        The column of the table, counted from 1.
    """

    def __init__(
        self,
        message: str,
        parameters: Sequence[str] = (),
        row: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.parameters = tuple(parameters)
        self.row = row
        self.column = column

    def __str__(self) -> str:
        return f"{self.message} ({', '.join(self.parameters)})" if self.parameters else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.parameters, self.row, self.column)


class RequestError(DpsisError, ValueError):
    """The request is wrong, by itself or for the names of the columns."""


class InputError(DpsisError, ValueError):
    """The table is malformed, or its private counts leave nothing to find."""


class BudgetExceeded(DpsisError, RuntimeError):
    """Less is left in the ledger than the release costs: nothing was spent, and no data were read."""


class ReadError(DpsisError, OSError):
    """Reading or writing a file failed, or the operating system gave no entropy."""


class DpsisWarning(UserWarning):
    """A caveat to read before using a result."""


class NotPrivateWarning(DpsisWarning):
    """The result is not private and must not be released."""
