"""The cost of a private selection from Spark, compared with Spark's own sums of the same columns in the same session.

    python benches/scale/spark.py make FOLDER [--rows 1000000] [--features 2000] [--files 20]
    python benches/scale/spark.py run FOLDER [--files 20] [--work sums,bounds,bins,ks] [--ks-features 200] [--cores 2]

`make` writes Parquet files of normal numbers in single precision (4 bytes each: 8 GB as given), a target that follows
three of the columns, and a label. `run` starts Spark in this process (`local[cores]`), and prints for each kind of work the
median time of three runs after one to warm up, the time of the processor in all its processes, the ratio of that to
`SELECT sum(x0), ...`, and the largest resident memory of the driver (this process), of the JVM, which is driver and executors
in one, and of the largest Python worker. Needs the packages dpsis, pyspark and pyarrow. Where the machine has other work, the
time of the processor is more reliable.
"""

import argparse
import os
import statistics
import sys
import threading
import time
from pathlib import Path

import numpy as np

SIGNAL = (7, 70, 170)


def make(folder, rows, features, files):
    import pyarrow
    import pyarrow.parquet

    folder.mkdir(parents=True, exist_ok=True)
    names = [f"x{place}" for place in range(features)]
    for number in range(files):
        rng = np.random.default_rng(number)
        count = rows // files
        x = rng.standard_normal((features, count), dtype=np.float32)
        y = sum(x[place] for place in SIGNAL if place < features) + rng.standard_normal(count, dtype=np.float32)
        columns = [pyarrow.array(column) for column in x]
        label = pyarrow.array(np.where(y > 0, "case", "control"))
        table = pyarrow.table([*columns, pyarrow.array(y), label], names=[*names, "y", "label"])
        path = folder / f"part-{number:03}.parquet"
        pyarrow.parquet.write_table(table, path, use_dictionary=["label"], compression="none")
        print(path, path.stat().st_size >> 20, "MB", flush=True)


class Memory:
    """The largest resident memory of this process, of the JVM, and of the workers in sum and each, in MB."""

    def __init__(self):
        self.largest, self._stop = {}, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _watch(self):
        while not self._stop.wait(0.2):
            now = {"driver": _resident(os.getpid())}
            for pid in _descendants(os.getpid()):
                kind = "JVM" if _name(pid) == "java" else "worker"
                now[kind] = max(now.get(kind, 0), _resident(pid))
            for kind, size in now.items():
                self.largest[kind] = max(self.largest.get(kind, 0), size)


def _resident(pid):
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
    except OSError:
        return 0


def _processor():
    """The seconds that this process and all it has started have spent on the processor."""
    ticks = 0
    for pid in (os.getpid(), *_descendants(os.getpid())):
        try:
            ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:15]))
        except OSError:
            pass
    return ticks / os.sysconf("SC_CLK_TCK")


def _name(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _descendants(pid):
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass
    found, wanted = set(), {pid}
    while wanted:
        wanted = {child for child, parent in parents.items() if parent in wanted and child not in found}
        found |= wanted
    return found


def run(folder, files, work, ks_features, cores, heap, runs):
    import dpsis
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": heap,
        "spark.local.dir": str(folder / "scratch"),
        "spark.sql.files.maxPartitionBytes": "512m",
    }
    spark = SparkSession.builder.master(f"local[{cores}]").config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    table = spark.read.parquet(*[str(path) for path in sorted(folder.glob("*.parquet"))[:files]])
    names = [name for name in table.columns if name.startswith("x")]
    some = table.select(*names[:ks_features], "label")
    two = {"classes": ["control", "case"]}
    kinds = {
        "sums of Spark": lambda: table.selectExpr(*[f"sum({name})" for name in names]).collect(),
        "bounds": lambda: dpsis.spark.select(table, 3, 1, target="label", exclude=["y"], bounds=(-3, 3), **two),
        "bounds, median": lambda: dpsis.spark.select(table, 3, 1, target="y", exclude=["label"], bounds=(-3, 3)),
        "bins": lambda: dpsis.spark.select(
            table, 3, 1, target="label", exclude=["y"], bounds=(-3, 3), score="ks", **two
        ),
        "row ranks": lambda: dpsis.spark.select(table, 3, 1, target="label", exclude=["y"], scale="row-rank", **two),
        f"sums of Spark, {ks_features} columns": lambda: some.selectExpr(
            *[f"sum({name})" for name in names[:ks_features]]
        ).collect(),
        f"ks, {ks_features} columns": lambda: dpsis.spark.select(some, 3, 1, **two),
    }
    expected = sorted(f"x{place}" for place in SIGNAL)
    base = {}
    for kind, call in kinds.items():
        if kind.split(",")[0].split(" of ")[0] not in work:
            continue
        seconds = []
        with Memory() as memory:
            for _ in range(runs):
                start = time.perf_counter(), _processor()
                found = call()
                seconds.append((time.perf_counter() - start[0], _processor() - start[1]))
                if not kind.startswith("sums") and sorted(found.names) != expected:
                    raise SystemExit(f"{kind}: {found.names} is wrong")
        took, processor = (statistics.median(some) for some in zip(*(seconds[1:] or seconds)))
        of = "columns" if "columns" in kind else "all"
        base[of] = processor if kind.startswith("sums") else base.get(of, float("nan"))
        sizes = ", ".join(f"{name} {size} MB" for name, size in memory.largest.items())
        print(f"{kind:28} {took:7.1f} s {processor:7.1f} s of the processor {processor / base[of]:5.2f} x  {sizes}", flush=True)
    spark.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "run"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=2000)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--work", type=lambda text: text.split(","), default=["sums", "bounds", "bins", "ks"])
    parser.add_argument("--ks-features", type=int, default=200)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--heap", default="4g")
    parser.add_argument("--runs", type=int, default=4)
    given = parser.parse_args()
    if given.what == "make":
        make(given.folder, given.rows, given.features, given.files)
    else:
        run(given.folder, given.files, given.work, given.ks_features, given.cores, given.heap, given.runs)


if __name__ == "__main__":
    main()
