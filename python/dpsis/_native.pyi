from collections.abc import Callable
from typing import Any

import numpy as np

__version__: str

def identifiers(table: Table) -> list[int | None]: ...
def formats() -> list[str]: ...
def are_excluded(names: list[str], exclude: list[str]) -> list[bool]: ...
def near(known: list[str], name: str) -> list[str]: ...

class Table:
    @staticmethod
    def of_files(paths: list[str], listed: bool, facts: str) -> Table: ...
    @staticmethod
    def of_matrix(
        x: Any,
        y: tuple[str, Any, Any],
        unit: tuple[str, Any, Any] | None,
        names: list[str] | None,
    ) -> Table: ...
    @staticmethod
    def of_stream(
        stream: Any,
        y: tuple[str, Any, Any] | None,
        unit: tuple[str, Any, Any] | None,
        facts: str,
    ) -> Table: ...
    @staticmethod
    def of_passes(source: Any, facts: str) -> Table: ...
    @staticmethod
    def of_columns(
        columns: list[tuple[str, tuple[str, Any, Any]]],
        rows: int,
        y: tuple[str, Any, Any] | None,
        unit: tuple[str, Any, Any] | None,
        facts: str,
    ) -> Table: ...

class Partial:
    @staticmethod
    def of_table(
        table: Table,
        options: str,
        released: str | None,
        part: tuple[int, int] | None = None,
    ) -> Partial: ...
    @staticmethod
    def of_files(path: str) -> list[tuple[str, Partial]]: ...
    @staticmethod
    def of_text(text: str) -> Partial: ...
    def text(self) -> str: ...
    def add(self, other: Partial) -> Partial: ...
    def parts(self) -> list[int]: ...
    def places(self) -> tuple[list[int], int | None]: ...
    def features(self) -> list[int]: ...
    def rows(self) -> int: ...
    def with_columns(self, released: str, scores: list[str]) -> Partial: ...

def column_chunks(
    table: Table, options: str, released: str, features: int
) -> list[bytes]: ...
def score_chunks(released: str, stream: Any, threads: int) -> str: ...
def select_from_partials(
    partials: list[tuple[str, Partial]],
    options: str,
    run_note: tuple[str, str],
    ledger: tuple[str, str] | None,
    seed: int | None,
) -> dict[str, Any]: ...
def select_in_parts(
    options: str,
    run_note: tuple[str, str],
    ledger: tuple[str, str] | None,
    seed: int | None,
    none: Partial,
    gather: Callable[[str | None, bool], Partial],
) -> dict[str, Any]: ...
def select(
    table: Table,
    options: str,
    run_note: tuple[str, str],
    ledger: tuple[str, str] | None,
    seed: int | None,
    progress: Callable[[float], object] | None,
) -> dict[str, Any]: ...
def select_dry_run(
    table: Table, options: str, ledger: str | None, seed: int | None
) -> tuple[str, str]: ...
def fit(
    table: Table,
    options: str,
    ledger: tuple[str, str] | None,
    seed: int | None,
    progress: Callable[[float], object] | None,
) -> dict[str, Any]: ...
def fit_dry_run(
    table: Table, options: str, ledger: str | None, seed: int | None
) -> tuple[str, str]: ...
def load_model(path: str) -> str: ...
def predict(
    model: str, table: Table, progress: Callable[[float], object] | None
) -> np.ndarray[Any, np.dtype[np.float64]]: ...
def choose(options: dict[str, Any], run_note: tuple[str, str]) -> dict[str, Any]: ...
def write_acro(
    path: str, statement: str, number: int, files: list[tuple[str, bytes]]
) -> None: ...
def registry_entry(statement: str, facts: str) -> tuple[str, list[str]]: ...
def account(
    releases: list[tuple[str, str | None]], delta: str, epsilon: str | None
) -> tuple[str, str]: ...
def verify(
    options: str, progress: Callable[[float], object] | None
) -> tuple[str, str, bool]: ...
def audit(
    epsilon: str, delta: float, outcomes: list[tuple[str, str]]
) -> tuple[str, str, bool]: ...
def inspect(
    table: Table,
    classes: list[str] | None,
    target_bounds: tuple[float, float] | None,
    progress: Callable[[float], object] | None,
) -> dict[str, Any]: ...
def bounds(
    table: Table, clip: str, no_target: bool, progress: Callable[[float], object] | None
) -> list[tuple[str, float, float]]: ...
def plan(
    options: dict[str, Any], progress: Callable[[float], object] | None
) -> tuple[str, str]: ...
def compare(
    tables: list[tuple[str, Table]],
    options: dict[str, Any],
    progress: Callable[[float], object] | None,
) -> tuple[list[dict[str, Any]], str]: ...
def open_ledger(
    path: str,
    cap: str | None,
    words: tuple[str | None, str | None],
    delta: str | None,
    relation: str | None,
    protected: str | None,
) -> None: ...
def note_ledger(path: str, words: str) -> None: ...
def close_ledger(path: str, words: str) -> None: ...
def check_ledger(
    path: str, epsilon: str, delta: str | None, relation: str, protected: str
) -> None: ...
def read_ledger(path: str) -> tuple[str, str, str, str]: ...
