"""Long runs: other threads go on, Ctrl-C ends them, memory stays."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pandas
import pytest

import dpsis


def script(text, *arguments):
    code = textwrap.dedent(text)
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )


RUNS = {
    "an array": """
        x = np.random.default_rng(1).normal(size=(20_000, 1500))
        run = lambda: dpsis.select(x, 5, 1, y=x[:, 0] + x[:, 1], ledger=ledger, score="kendall", threads=1)
    """,
    "ks": """
        x = np.asfortranarray(np.random.default_rng(1).normal(size=(60_000, 1200)))
        run = lambda: [dpsis.select(x, 5, 0.01, y=x[:, 0] + x[:, 1], ledger=ledger) for _ in range(90)]
    """,
    "a plan": """
        run = lambda: dpsis.plan(10**6, 20_000, 5, 1, draws=1000, effect_size=0.1)
    """,
    "a comparison": """
        x = np.random.default_rng(1).normal(size=(2_000, 300))
        run = lambda: dpsis.compare(x, y=x[:, 0], trials=2000)
    """,
}


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("what", RUNS)
def test_ctrl_c_ends_a_run(what, tmp_path):
    process = script(
        "import sys, time, numpy as np, dpsis\n"
        "ledger = dpsis.Ledger(sys.argv[1], cap=10)\n"
        + textwrap.dedent(RUNS[what])
        + textwrap.dedent("""
            print("ready", flush=True)
            try:
                run()
            except KeyboardInterrupt:
                print(time.time(), flush=True)
            else:
                print("too short", flush=True)
        """),
        tmp_path / "ledger",
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.7)
    sent = time.time()
    process.send_signal(signal.SIGINT)
    ended = process.stdout.readline().strip()
    assert ended != "too short", "the run must last longer"
    # The aim is 0.3 s; a machine with other work gets more time.
    assert float(ended) - sent < 0.3 + float(os.environ.get("DPSIS_PATIENCE", "1.0"))
    process.communicate()
    if what == "an array":
        # It was charged, and the file records that it failed.
        entries = dpsis.Ledger(tmp_path / "ledger").read()["entries"]
        assert entries[-1]["failed"] == "canceled"


def test_other_threads_go_on():
    x = np.random.default_rng(1).normal(size=(20_000, 300))
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.002):
            ticks.append(time.perf_counter())

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    dpsis.select(x, 5, 1, y=x[:, 0], score="kendall", threads=1)
    end = time.perf_counter()
    stop.set()
    thread.join()
    within = [t for t in ticks if start < t < end]
    # Without releasing the lock there would be none at all.
    assert len(within) > 20 * min(end - start, 2)


def test_progress():
    x = np.random.default_rng(1).normal(size=(20_000, 400))
    shares = []
    dpsis.select(x, 5, 1, y=x[:, 0], score="kendall", progress=shares.append, threads=1)
    assert shares and all(0 <= share <= 1 for share in shares)
    dpsis.select(x, 5, 1, y=x[:, 0], progress=True)

    frame = pandas.DataFrame(x[:, :50])
    fitted = dpsis.fit(frame, 2, 50, y=x[:, 0])
    for run in (
        lambda show: dpsis.inspect(frame, y=x[:, 0], progress=show),
        lambda show: dpsis.bounds(frame, no_target=True, progress=show),
        lambda show: dpsis.plan(1000, 5000, epsilon=1, effect_size=0.3, progress=show),
    ):
        shares = []
        run(shares.append)
        assert shares and all(0 <= share <= 1 for share in shares)
    assert len(fitted.predict(frame)) == len(frame)


def test_a_result_whose_budget_is_spent_is_returned(tmp_path, capsys):
    """Neither a failing callback nor warnings as errors discard it."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(4000, 60))

    def fails(share):
        raise RuntimeError("the callback failed")

    ledger = dpsis.Ledger(tmp_path / "ledger", cap=2)
    raised = []
    old, sys.unraisablehook = sys.unraisablehook, raised.append
    try:
        found = dpsis.select(x, 2, 1, y=x[:, 0], score="kendall", progress=fails, threads=1, ledger=ledger, target_number=True)
    finally:
        sys.unraisablehook = old
    assert len(found.names) == 2 and float(ledger.spent) == 1
    assert any("the callback failed" in str(one.exc_value) for one in raised)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = dpsis.select(x, 2, 1, y=x[:, 0], seed=1)
    assert len(found.names) == 2
    assert "NotPrivateWarning" in capsys.readouterr().err


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_a_matrix_is_not_copied(order, kind):
    process = script(
        """
        import sys, resource, numpy as np, dpsis
        x = np.empty((100_000, 400), dtype=sys.argv[2], order=sys.argv[1])
        rng = np.random.default_rng(1)
        for place in range(400):
            x[:, place] = rng.random(100_000)
        y = x[:, 3].astype(float)
        dpsis.select(x[:100], 5, 1, y=y[:100], bounds=(0, 1), target_bounds=(0, 1))
        peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        before = peak()
        dpsis.select(x, 5, 1, y=y, bounds=(0, 1), target_bounds=(0, 1))
        print((peak() - before) / x.nbytes)
        """,
        order,
        kind,
    )
    grown, errors = process.communicate()
    assert float(grown) < 0.05, errors


@pytest.mark.parametrize("make", [dpsis.select, dpsis.fit])
def test_an_interrupt_does_not_lose_a_result_that_is_ready(tmp_path, make):
    x = np.random.default_rng(1).uniform(size=(200, 3))
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=2)

    def interrupt(_):
        # The progress of short work is shown when it ends.
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught:
        make(x, 1, 1, y=x[:, 0], bounds=(0, 1), target_bounds=(0, 1), ledger=ledger, progress=interrupt)
    assert caught.value.result.record["private"] and ledger.spent == 1
    assert ledger.read()["entries"][0]["failed"] is None
    # Without a result it is raised alone.
    with pytest.raises(dpsis.RequestError):
        make(x, 9, 1, y=x[:, 0], progress=interrupt)
