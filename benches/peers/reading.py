"""Reading the tables of `cargo bench --bench reading` with the usual tools.

Run that benchmark first, then `python benches/peers/reading.py BINARY FOLDER`, FOLDER being the one with
wide.csv and tall-short.csv (`target/tmp`). Each peer that is installed reads a table in turn with one whole
`dpsis select` (reading, scoring and selecting); as processes that have already loaded their libraries, the
peers do not count start-up. Medians of five rounds, and the median of the ratios within a round.
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
# One pass over a large table takes them minutes, or more memory than the table by far.
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
    for name, (module, read) in PEERS.items():
        try:
            module = importlib.import_module(module)
        except ImportError:
            continue
        version = module.__version__
        yield f"{name} {version}", lambda table, m=module, read=read: read(m, table)


def rounds(work, table):
    """Seconds of each contestant in each round; a first round warms up."""
    size = pathlib.Path(table).stat().st_size
    wide = "wide" in pathlib.Path(table).name

    def takes_part(name):
        slow = any(name.startswith(peer) and size > most for peer, most in SLOW.items())
        return not slow

    times = {name: [] for name in work if takes_part(name)}
    once = {name for name in times if wide and any(name.startswith(peer) for peer in SLOW_IF_WIDE)}
    for turn in range(ROUNDS + 1):
        for name, seconds in times.items():
            if name in once and turn > 1:
                seconds.append(seconds[-1])
            else:
                seconds.append(clock(work[name], table))
            print(f"{table}, {turn}: {name} {seconds[-1]:.3f} s", file=sys.stderr)
    return {name: seconds[1:] for name, seconds in times.items()}


def main():
    binary, folder = sys.argv[1:]
    tables = [str(pathlib.Path(folder) / name) for name in TABLES]
    tables = [table for table in tables if pathlib.Path(table).exists()]
    work = dict(contestants(binary))
    results = [rounds(work, table) for table in tables]
    sizes = [f"{pathlib.Path(t).name}, {pathlib.Path(t).stat().st_size / 1e6:.0f} MB" for t in tables]
    print("| ms (ratio) | " + " | ".join(sizes) + " |")
    print("| --- |" + " --- |" * len(tables))
    for name in work:
        cells = []
        for times in results:
            if name not in times:
                cells.append("")
                continue
            base = times["`dpsis select --bounds`"]
            ratio = statistics.median(a / b for a, b in zip(times[name], base))
            cells.append(f"{statistics.median(times[name]) * 1000:.0f} ({ratio:.1f})")
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
