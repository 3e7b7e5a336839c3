"""One private selection of k out of d scores, compared with other tools: see run.py.

Scores are uniform integers over a range of 1000 sensitivities; epsilon 1; one core. The time of one `dpsis`
selection is the additional time of more `dpsis choose --trials`, which excludes start-up and reading the
candidates. Peers are loaded libraries with the scores in memory in their preferred form.
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
    """Uniform integers from the generator of the standard library."""
    import random

    generator = random.Random(1)
    return [generator.randrange(1000 * SENSITIVITY) for _ in range(d)]


def dpsis(binary, path, k, mechanism):
    """The seconds of one additional trial."""

    def run(trials):
        command = [binary, "choose", "--k", str(k), "--eps", "1", "--mechanism", mechanism]
        command += ["--sensitivity", str(SENSITIVITY), "--trials", str(trials), "--seed", "1"]
        subprocess.run([*command, path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    few, many = clock(lambda: run(1)), clock(lambda: run(101))
    return (many - few) / 100


def peers(values, k):
    """Pairs (name, task) of the installed peers."""
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

        yield "numpy `argpartition` alone (not private)", lambda: numpy.argpartition(x, d - k)
        yield "numpy, one-shot Gumbel in floats (peeling)", gumbel
    try:
        import opendp.prelude as dp
    except ImportError:
        print("opendp: not installed", file=sys.stderr)
        return
    if len(values) * k > 100_000_000:
        return
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    top = dp.m.make_noisy_top_k(*space, dp.max_divergence(), k=k, scale=2.0 * k * SENSITIVITY)
    yield "OpenDP noisy top-k (peeling)", lambda: top(values)


def table(binary):
    """The columns, and the cells of each contestant by column: median ms, median ratio within a round."""
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_setaffinity") else None
    if cores:
        # One core for all, including child processes.
        os.sched_setaffinity(0, {max(cores)})
    columns, rows = [], {}
    for d, k in SIZES:
        column = f"{k} of {d:,}"
        columns.append(column)
        values = scores(d)
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("name,score\n")
            file.writelines(f"c{i},{value}\n" for i, value in enumerate(values))
            file.flush()
            work = {
                f"`dpsis`, {id}": (lambda id=id: dpsis(binary, file.name, k, id))
                for id in ["canonical", "joint", "peel"]
            }
            work.update({name: (lambda do=do: clock(do)) for name, do in peers(values, k)})
            seconds = {name: [] for name in work}
            for turn in range(ROUNDS):
                for name, once in work.items():
                    seconds[name].append(once())
                    print(f"{column}, {turn}: {name} {seconds[name][-1]:.5f} s", file=sys.stderr)
        base = seconds["`dpsis`, canonical"]
        for name, times in seconds.items():
            ratio = statistics.median(a / b for a, b in zip(times, base))
            cell = f"{statistics.median(times) * 1000:,.2f} ({ratio:,.1f})"
            rows.setdefault(name, {})[column] = cell
    if cores:
        os.sched_setaffinity(0, cores)
    return columns, rows
