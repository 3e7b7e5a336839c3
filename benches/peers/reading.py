"""Reads the tables of `cargo bench --bench reading` with other tools: see run.py.

Each installed peer takes turns with a complete `dpsis select` process (reading, scoring and selecting). The
peers' libraries are already loaded, so their times do not include start-up.
"""

import importlib
import pathlib
import statistics
import subprocess
import sys
import time

TABLES = ["wide.csv", "wide-short.csv", "tall.csv", "tall-short.csv"]
ROUNDS = 5

PEERS = {
    "polars `read_csv`": ("polars", lambda m, table: m.read_csv(table)),
    "DuckDB `read_csv`": ("duckdb", lambda m, table: duckdb_read(m, table)),
    "pandas `read_csv`": ("pandas", lambda m, table: m.read_csv(table)),
    "pandas `read_csv`, pyarrow": ("pandas", lambda m, table: m.read_csv(table, engine="pyarrow")),
    "numpy `loadtxt`": ("numpy", lambda m, table: m.loadtxt(table, delimiter=",", skiprows=1)),
}
# Peers that need minutes, or much more memory than the table, for files larger than this.
SLOW = {"numpy `loadtxt`": 100e6, "pandas `read_csv`": 600e6}
SLOW_IF_WIDE = {"DuckDB `read_csv`"}


def duckdb_read(duckdb, table):
    """All columns as numbers, in DuckDB's memory."""
    with duckdb.connect() as connection:
        connection.execute(f"create table t as select * from read_csv('{table}')")


def dpsis(binary, *options):
    def work(table):
        command = [binary, "select", "--k", "10", "--eps", "1", "--target-bounds=-1,1", *options, table]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    return work


def clock(work, table):
    start = time.perf_counter()
    work(table)
    return time.perf_counter() - start


def contestants(binary):
    yield "`dpsis select --bounds`", dpsis(binary, "--bounds=-1,1")
    yield "the same, 1 thread", dpsis(binary, "--bounds=-1,1", "--threads", "1")
    yield "`dpsis select --scale row-rank`", dpsis(binary, "--scale", "row-rank")
    yield "`dpsis select`", dpsis(binary)
    yield "the same, without effect sizes", dpsis(binary, "--split", "estimates=0")
    for name, (module, read) in PEERS.items():
        try:
            module = importlib.import_module(module)
        except ImportError:
            continue
        version = module.__version__
        yield f"{name} {version}", lambda table, m=module, read=read: read(m, table)


def rounds(work, table):
    """The seconds of each contestant in each round, without the first round, which is a warm-up."""
    size = pathlib.Path(table).stat().st_size
    wide = "wide" in pathlib.Path(table).name

    def turns(name):
        if any(name.startswith(peer) and size > most for peer, most in SLOW.items()):
            return 0
        # One round without warm-up: a pass takes about ten seconds.
        return 1 if wide and any(name.startswith(peer) for peer in SLOW_IF_WIDE) else ROUNDS

    times = {name: [] for name in work if turns(name) > 0}
    for turn in range(ROUNDS + 1):
        for name, seconds in times.items():
            if len(seconds) - 1 < turns(name):
                seconds.append(clock(work[name], table))
                print(f"{table}, {turn}: {name} {seconds[-1]:.3f} s", file=sys.stderr)
    return {name: seconds[1:] for name, seconds in times.items()}


def table(binary, folder):
    """The columns, and the cells of each contestant by column: median ms, median ratio within a round."""
    tables = [pathlib.Path(folder) / name for name in TABLES]
    work = dict(contestants(binary))
    columns, rows = [], {name: {} for name in work}
    for path in filter(pathlib.Path.exists, tables):
        column = f"{path.name}, {path.stat().st_size / 1e6:.0f} MB"
        columns.append(column)
        times = rounds(work, str(path))
        base = times["`dpsis select --bounds`"]
        for name, seconds in times.items():
            ratio = statistics.median(a / b for a, b in zip(seconds, base))
            cell = f"{statistics.median(seconds) * 1000:.0f} ({ratio:.1f})"
            rows[name][column] = cell
    return columns, rows
