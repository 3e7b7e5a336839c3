"""Reading the wide table of `cargo bench --bench reading` with the usual tools.

Run that benchmark first, then `python benches/peers/wide_csv.py BINARY TABLE`: each peer that is
installed reads the table in turn with one whole `dpsis select` (reading, scoring and selecting),
as processes that have already loaded their libraries do not count start-up; medians of five.
"""

import importlib
import statistics
import subprocess
import sys
import time


def clock(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def readers(table):
    """(name, work) for each peer that is installed."""
    for name, read in [
        ("numpy.loadtxt", lambda m: m.loadtxt(table, delimiter=",", skiprows=1)),
        ("pandas.read_csv", lambda m: m.read_csv(table)),
        ("polars.read_csv", lambda m: m.read_csv(table)),
    ]:
        try:
            module = importlib.import_module(name.split(".")[0])
        except ImportError:
            print(f"{name}: not installed")
            continue
        yield name, (lambda read=read, module=module: read(module))


def main():
    binary, table = sys.argv[1:]
    select = [binary, "select", "--k", "10", "--eps", "1", "--target-bounds=-1,1", table]
    work = {
        "dpsis --bounds": lambda: run(select + ["--bounds=-1,1"]),
        "dpsis --bounds --threads 1": lambda: run(select + ["--bounds=-1,1", "--threads", "1"]),
        "dpsis --scale row-rank": lambda: run(select + ["--scale", "row-rank"]),
    }
    work.update(readers(table))
    times = {name: [] for name in work}
    for _ in range(6):
        for name, do in work.items():
            times[name].append(clock(do))
    base = statistics.median(times["dpsis --bounds"][1:])
    for name, seconds in times.items():
        median = statistics.median(seconds[1:])
        print(f"{name:<28} {median * 1000:8.0f} ms  {median / base:6.1f} x")


def run(command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
