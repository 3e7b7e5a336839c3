"""Compares the Python package with what scikit-learn, scipy, diffprivlib and OpenDP do nearest to it; prints two tables.

`python benches/peers/python.py`: needs `dpsis`, scikit-learn and scipy; diffprivlib and OpenDP as far as they are
installed. One matrix of 20,000 rows and 2,000 features in memory, a target of two classes, 10 features. Each peer takes
turns with `dpsis`, so that both run under the same load. Medians of five rounds in ms, and the median over rounds of the
ratio to `dpsis`.
"""

import statistics
import subprocess
import sys
import time
import warnings

import numpy as np

ROUNDS = 5
ROWS, FEATURES, K = 20_000, 2_000, 10


def data(order="C"):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, ROWS)
    x = np.empty((ROWS, FEATURES), order=order)
    for place in range(FEATURES):
        x[:, place] = rng.normal(size=ROWS) + (place < K) * 0.5 * y
    return x, y


def seconds(run):
    start = time.perf_counter()
    found = run()
    return time.perf_counter() - start, found


def compared(title, own, peers, check):
    """Lines of a table: `own` first, the peers with their ratios to it."""
    times = {name: [] for name in ("dpsis", *peers)}
    assert check(own()), f"{title}: dpsis found something else"
    for name, peer in peers.items():
        found = peer()
        assert found is None or check(found), f"{title}: {name} found something else"
    ratios = {name: [] for name in peers}
    for _ in range(ROUNDS):
        for name, peer in peers.items():
            mine, theirs = seconds(own)[0], seconds(peer)[0]
            times["dpsis"].append(mine)
            times[name].append(theirs)
            ratios[name].append(theirs / mine)
    print(f"| {title} | ms | ratio |\n| --- | --- | --- |")
    for name, taken in times.items():
        ratio = statistics.median(ratios[name]) if name in ratios else 1
        print(f"| {name} | {1000 * statistics.median(taken):.0f} | {ratio:.3g} |")
    print()


def by_sums():
    import dpsis
    from sklearn.feature_selection import SelectKBest, f_classif

    x, y = data()

    def own():
        return dpsis.select(x, K, 1, y=y, classes=[0, 1], bounds=(-3, 3)).indices

    peers = {
        "scikit-learn, `SelectKBest(f_classif)` (not private)": lambda: list(
            SelectKBest(f_classif, k=K).fit(x, y).get_support(indices=True)
        ),
        "numpy, `(y - mean) @ x` (not private)": lambda: sorted(
            np.argpartition(-np.abs((y - y.mean()) @ x), K)[:K].tolist()
        ),
    }
    try:
        from diffprivlib.models import LogisticRegression

        # It selects nothing: the nearest is a private model, whose largest coefficients are taken.
        def model():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                LogisticRegression(epsilon=1, data_norm=3 * FEATURES**0.5, max_iter=100).fit(x, y)

        peers["diffprivlib, a private logistic regression"] = model
    except ImportError:
        pass
    try:
        import opendp.prelude as dp

        dp.enable_features("contrib", "honest-but-curious")
        # It scores nothing: scores by numpy with a sensitivity that is given, then its private top k.
        space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
        top = dp.m.make_noisy_top_k(*space, dp.max_divergence(), k=K, scale=2.0 * K * 6.0)

        def nearest():
            clipped = np.clip(x, -3, 3)
            return sorted(top(np.abs((y - y.mean()) @ clipped).tolist()))

        peers["numpy, then OpenDP's noisy top k"] = nearest
    except (ImportError, AttributeError, TypeError) as error:
        print(f"OpenDP: {error}", file=sys.stderr)
    compared("bounds (-3, 3)", own, peers, lambda found: sorted(found) == list(range(K)))


def by_thresholds():
    import dpsis
    from scipy.stats import ks_2samp

    for order in "CF":
        x, y = data(order)
        one, other = y == 0, y == 1

        def own():
            return dpsis.select(x, K, 1, y=y, classes=[0, 1]).indices

        def each():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = [ks_2samp(x[one, j], x[other, j], method="asymp").statistic for j in range(FEATURES)]
            return sorted(np.argpartition(-np.array(found), K)[:K].tolist())

        title = f"ks, rows in {'row' if order == 'C' else 'column'} order"
        peers = {"scipy, `ks_2samp` of each column (not private)": each}
        compared(title, own, peers, lambda found: sorted(found) == list(range(K)))


def memory():
    """The growth of the resident memory over a matrix of 1 GB, in percent of it."""
    code = """
import resource, sys, numpy as np, dpsis
x = np.empty((125_000, 1_000), order=sys.argv[1])
rng = np.random.default_rng(1)
for place in range(1_000):
    x[:, place] = rng.random(125_000)
y = (x[:, 3] > 0.5).astype(int)
options = {"bounds": (0, 1)} if sys.argv[2] == "bounds" else {}
select = lambda x, y: dpsis.select(x, 5, 1, y=y, classes=[0, 1], **options)
select(x[:100], y[:100])
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = peak()
select(x, y)
print(f"{100 * (peak() - before) / x.nbytes:.1f}")
"""
    print("| memory beyond a matrix of 1 GB, percent of it | rows | columns |\n| --- | --- | --- |")
    for score in ("bounds", "ks"):
        grown = [
            subprocess.run([sys.executable, "-c", code, order, score], capture_output=True, text=True, check=True)
            for order in "CF"
        ]
        print(f"| {score} | " + " | ".join(one.stdout.strip() for one in grown) + " |")


if __name__ == "__main__":
    by_sums()
    by_thresholds()
    memory()
