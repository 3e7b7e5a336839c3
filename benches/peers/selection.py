"""One private selection of k out of d scores, beside other tools.

`python benches/peers/selection.py BINARY`, the binary built with `cargo build --release`. Scores are
uniform integers over 1000 sensitivities; epsilon 1; one core. The time of one `dpsis` selection is
what more `dpsis choose --trials` cost, so that reading the candidates and starting do not count; peers
are libraries that are loaded, with their scores in memory as they like them. Peers take turns with
dpsis; medians of five rounds, as a table in Markdown. OpenDP's noisy top-k is measured where one
selection takes seconds, not minutes; what is not installed is left out and named.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

SIZES = [(1_000, 10), (22_000, 10), (1_000_000, 10), (1_000_000, 100)]
SENSITIVITY = 1000
ROUNDS = 5


def clock(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def scores(d):
    """Uniform integers by a generator that every Python has."""
    import random

    generator = random.Random(1)
    return [generator.randrange(1000 * SENSITIVITY) for _ in range(d)]


def dpsis(binary, path, k, mechanism):
    """Seconds for one more trial."""

    def run(trials):
        command = [binary, "choose", "--k", str(k), "--eps", "1", "--mechanism", mechanism]
        command += ["--sensitivity", str(SENSITIVITY), "--trials", str(trials), "--seed", "1"]
        subprocess.run([*command, path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    few, many = clock(lambda: run(1)), clock(lambda: run(101))
    return (many - few) / 100


def peers(values, k):
    """(name, work) of what is installed."""
    try:
        import numpy
    except ImportError:
        print("numpy: not installed", file=sys.stderr)
    else:
        x = numpy.array(values, dtype=float)
        generator = numpy.random.default_rng(1)
        d = len(x)

        def gumbel():
            noisy = x / SENSITIVITY + generator.gumbel(scale=2 * k, size=d)
            return numpy.argpartition(noisy, d - k)[d - k :]

        yield "numpy: argpartition alone (not private)", lambda: numpy.argpartition(x, d - k)
        yield "numpy: one-shot Gumbel in floats (peeling)", gumbel
    try:
        import opendp.prelude as dp
    except ImportError:
        print("opendp: not installed", file=sys.stderr)
        return
    if len(values) * k > 10_000_000:
        return
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    top = dp.m.make_noisy_top_k(*space, dp.max_divergence(), k=k, scale=2.0 * k * SENSITIVITY)
    yield "OpenDP: noisy top-k (peeling)", lambda: top(values)


def main():
    (binary,) = sys.argv[1:]
    # One core for all, processes that are started included.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rows = {}
    for size in SIZES:
        d, k = size
        values = scores(d)
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("name,score\n")
            file.writelines(f"c{i},{value}\n" for i, value in enumerate(values))
            file.flush()
            work = {
                f"dpsis: {id}": (lambda id=id: dpsis(binary, file.name, k, id))
                for id in ["canonical", "joint", "peel"]
            }
            work.update({name: (lambda do=do: clock(do)) for name, do in peers(values, k)})
            seconds = {name: [] for name in work}
            for _ in range(ROUNDS):
                for name, once in work.items():
                    seconds[name].append(once())
        for name, times in seconds.items():
            rows.setdefault(name, {})[size] = statistics.median(times)
    print("| ms | " + " | ".join(f"d = {d:,}, k = {k}" for d, k in SIZES) + " |")
    print("| --- |" + " --- |" * len(SIZES))
    for name, times in rows.items():
        cells = (f"{times[size] * 1000:,.2f}" if size in times else "" for size in SIZES)
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
