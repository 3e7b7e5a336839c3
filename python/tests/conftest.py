"""Tables and the command line for the tests."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pandas
import pytest

import dpsis

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def seeded_quietly():
    """Seeds are for tests, and these are some."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dpsis.NotPrivateWarning)
        warnings.simplefilter("ignore", dpsis.DpsisWarning)
        yield


@pytest.fixture(scope="session", autouse=True)
def interrupts():
    """Ctrl-C raises KeyboardInterrupt, also where the shell starts the tests in the background and ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def printed():
    """Runs the command line and returns its output."""
    binary = os.environ.get("DPSIS_BIN", str(ROOT / "target/release/dpsis"))
    if not os.path.exists(binary):
        pytest.skip(f"no command line at {binary}: cargo build --release")

    def run(*arguments):
        done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def command_line(printed):
    """Runs the command line, and gives the record of a selection."""
    return lambda *arguments: json.loads(printed(*arguments, "--format", "json"))


@pytest.fixture(scope="session")
def numbers():
    """900 rows of 12 features, of which three move with the targets."""
    rng = np.random.default_rng(20261122)
    x = np.round(rng.normal(size=(900, 12)), 3)
    x[rng.random(x.shape) < 0.02] = np.nan
    signal = np.nansum(x[:, [1, 4, 7]], axis=1) + rng.normal(size=900)
    frame = pandas.DataFrame(x, columns=[f"gene {place}" for place in range(12)])
    return frame, {
        "number": np.round(signal, 3),
        "two": np.where(signal > 0, "case", "control"),
        "three": np.select([signal < -1, signal < 1], ["low", "middle"], "high"),
    }


@pytest.fixture(scope="session")
def mixed():
    """700 rows of columns of every kind, the target last."""
    rng = np.random.default_rng(7)
    n = 700
    sick = rng.random(n) < 0.4
    words = np.where(rng.random(n) < np.where(sick, 0.7, 0.2), "smoker", "never").astype(object)
    words[rng.random(n) < 0.05] = None
    days = np.datetime64("2024-01-01") + rng.integers(0, 400, n).astype("timedelta64[D]")
    counts = pandas.array(rng.integers(0, 9, n), dtype="Int64")
    counts[::17] = pandas.NA
    flags = pandas.array(rng.random(n) < np.where(sick, 0.8, 0.3), dtype="boolean")
    flags[::23] = pandas.NA
    return pandas.DataFrame(
        {
            "habit": words,
            "visit": days.astype("datetime64[s]"),
            "score": np.round(rng.normal(size=n) + sick, 2),
            "count": counts,
            "flag": flags,
            "site": pandas.Categorical(rng.choice(["north", "south, west", "east"], n)),
            "short": rng.normal(size=n).astype(np.float32),
            "status": np.where(sick, "ill", "well"),
        }
    )


def run_page(name, names, language="python"):
    """Runs the code of a page in blocks of this language with these names; its number of blocks."""
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    blocks = re.findall(rf"```{language}\n(.*?)```\n(?:```text\n(.*?)```)?", page, re.DOTALL)
    for code, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"docs/{name}", "exec"), names)
        assert printed.getvalue() == shown, code
    return len(blocks)


def without(record, *names):
    """The parts of a record that do not depend on the source of the table."""
    kept = {name: value for name, value in record.items() if name not in ("run", *names)}
    return json.loads(json.dumps(kept))
