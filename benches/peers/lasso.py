"""The LASSO of `cargo bench --bench lasso` with other tools, on the same blocks in one run.

`python benches/peers/lasso.py`: runs that benchmark, which leaves its blocks in the build folder, then
each installed peer (celer, scikit-learn; glmnet of R), then the benchmark again; ratios refer to the
mean of its two medians. Each peer runs at its default tolerance, and at the loosest power of ten (of 100
for glmnet) whose relative duality gap, computed here from its coefficients, is at most 1e-8, as in the
benchmark, or at 1e-15 without a gap in the benchmark. Medians of runs in one process with loaded libraries, one
thread. The peers get matrices in column-major order, which suits them.
"""

import os

for library in ["OMP", "OPENBLAS", "MKL"]:
    os.environ[f"{library}_NUM_THREADS"] = "1"

import importlib
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time
import warnings

import numpy as np

PENALTY = 0.1
GAP = 1e-8
ROOT = pathlib.Path(__file__).parents[2]
BLOCKS = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "tmp"

GLMNET = """
suppressMessages(library(glmnet))
args <- commandArgs(TRUE)
file <- file(args[1], "rb")
size <- readBin(file, "double", 2)
y <- readBin(file, "double", size[1])
x <- matrix(readBin(file, "double", size[1] * size[2]), size[1], size[2], byrow = TRUE)
thresh <- as.numeric(args[3])
fit <- function() glmnet(x, y, lambda = as.numeric(args[2]), standardize = FALSE, thresh = thresh, maxit = 1e7)
model <- fit()
once <- system.time(fit())[["elapsed"]]
runs <- max(1, min(200, floor(0.2 / max(once, 0.001))))
times <- replicate(7, system.time(for (i in 1:runs) fit())[["elapsed"]] / runs)
cat(median(times), "\\n")
w <- as.vector(model$beta)
for (j in which(w != 0)) cat(j - 1, format(w[j], digits = 17), "\\n")
"""


def gap(x, y, w):
    """The relative duality gap of coefficients, with the optimal intercept."""
    y = y - y.mean()
    r = y - x @ w
    r -= r.mean()
    threshold = PENALTY * len(y)
    theta = r * min(1.0, threshold / np.abs(x.T @ r).max())
    primal = r @ r / 2 + threshold * np.abs(w).sum()
    return (primal - (y @ theta - theta @ theta / 2)) / (y @ y / 2)


def python_peer(name, x, y):
    """A function from the tolerance to seconds and coefficients; None if the peer is not installed."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        return None

    def run(tolerance):
        model = module.Lasso(alpha=PENALTY, tol=tolerance, max_iter=100_000)
        times = []
        while len(times) < 5 or (sum(times) < 1.0 and len(times) < 101):
            start = time.perf_counter()
            model.fit(x, y)
            times.append(time.perf_counter() - start)
        return statistics.median(times[1:]), model.coef_

    return run


def glmnet_peer(block, features):
    script = ["Rscript", "--vanilla"]
    check = script + ["-e", "library(glmnet)"]
    if shutil.which("Rscript") is None or subprocess.run(check, capture_output=True).returncode:
        return None

    def run(tolerance):
        with tempfile.NamedTemporaryFile("w", suffix=".R") as file:
            file.write(GLMNET)
            file.flush()
            command = script + [file.name, block, str(PENALTY), str(tolerance)]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        seconds, *pairs = output.splitlines()
        w = np.zeros(features)
        for column, value in map(str.split, pairs):
            w[int(column)] = float(value)
        return float(seconds), w

    return run


def ours():
    """The output of the benchmark: maps (block, name) to ms and gap."""
    command = ["cargo", "bench", "-q", "--bench", "lasso", "--", "no-bench-of-divan"]
    output = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True).stdout
    lines = {}
    for line in output.splitlines():
        if " ms " in line and " gap " in line:
            (block, name), (ms, rest) = line[:39].split(None, 1), line[39:].split(" ms ")
            lines[block, name.strip()] = float(ms), float(rest.split("gap")[1])
    return lines


def main():
    warnings.simplefilter("ignore")
    first = ours()
    rows = {key: line for key, line in first.items() if key[1] != "dpsis"}
    for block in dict.fromkeys(block for block, _ in first):
        path = BLOCKS / f"lasso-{block}.bin"
        values = np.fromfile(path)
        n, d = int(values[0]), int(values[1])
        y, x = values[2 : 2 + n], np.asfortranarray(values[2 + n :].reshape(n, d))
        peers = {
            "celer": python_peer("celer", x, y),
            "scikit-learn": python_peer("sklearn.linear_model", x, y),
            "glmnet": glmnet_peer(str(path), d),
        }
        for name, run in peers.items():
            if run is None:
                print(f"{name}: not installed")
                continue
            powers = range(7, 16, 2) if name == "glmnet" else range(4, 16)
            for power in powers:
                seconds, w = run(10.0**-power)
                reached = gap(x, y, w)
                if power == powers[0] or power == powers[-1] or reached <= GAP:
                    rows[block, f"{name} 1e-{power}"] = seconds * 1000, reached
                if reached <= GAP:
                    break
    second = ours()
    for block in dict.fromkeys(block for block, _ in first):
        (before, reached), (after, _) = first[block, "dpsis"], second[block, "dpsis"]
        base = (before + after) / 2
        print(f"{block:<12} {f'dpsis ({before:.3f}, {after:.3f})':<26} {base:9.3f} ms      1.0 x  gap {reached:.1e}")
        for (of, name), (ms, reached) in rows.items():
            if of == block:
                print(f"{block:<12} {name:<26} {ms:9.3f} ms {ms / base:8.1f} x  gap {reached:.1e}")


if __name__ == "__main__":
    main()
