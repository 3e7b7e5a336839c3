"""A Parquet file of very many columns compared with the same table as CSV, and with polars: processor time and memory. The
same for counts, stored as integers of 8 bits.

    python benches/peers/wide_parquet.py target/release/dpsis [ROWS COLUMNS]

Needs polars, and a command line built with all features. Every reading is a process of its own; before it is timed, all
files of a table must give the same names.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 5
CODECS = ("snappy", "zstd")
READ = "import polars, sys; polars.read_parquet(sys.argv[1])"


def measured(command):
    """The processor time of a process in seconds, and the most memory it held in MB."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    assert status == 0, command
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def make(folder, rows, columns):
    """Writes the table: as CSV, and as Parquet with two codecs; and counts: as CSV, and as Parquet of 8-bit integers."""
    import polars

    column = polars.int_range(int(rows), eager=True)
    values = {f"g{place}": (column * (2 * place + 3) * 7919 % 1000) / 1000 for place in range(int(columns))}
    table = polars.DataFrame({**values, "y": values["g0"] + values["g1"]})
    table.write_csv(f"{folder}/wide.csv")
    for codec in CODECS:
        table.write_parquet(f"{folder}/{codec}.parquet", compression=codec)
    counts = (polars.all().exclude("y") * 3).floor().cast(polars.Int8)
    table = table.with_columns(counts)
    table.write_csv(f"{folder}/counts.csv")
    table.write_parquet(f"{folder}/counts.parquet", compression="snappy")


def main(binary, rows="100", columns="200000"):
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: the memory of this one is that of its children before they start.
        subprocess.run([sys.executable, __file__, "make", folder, rows, columns], check=True)
        select = [binary, "select", "--k", "5", "--eps", "2"]
        wide = [f"{folder}/wide.csv", *(f"{folder}/{codec}.parquet" for codec in CODECS)]
        counts = [f"{folder}/counts.csv", f"{folder}/counts.parquet"]
        for files in (wide, counts):
            names = [subprocess.run([*select, "--seed", "1", file], check=True, capture_output=True).stdout for file in files]
            assert len(set(names)) == 1
        work = {f"dpsis select {pathlib.Path(file).name}": [*select, file] for file in wide + counts}
        parquet = wide[1:] + counts[1:]
        work |= {f"polars {pathlib.Path(file).name}": [sys.executable, "-c", READ, file] for file in parquet}
        runs = {name: [] for name in work}
        for _ in range(ROUNDS):
            for name, command in work.items():
                runs[name].append(measured(command))
        for name, found in runs.items():
            seconds, memory = (statistics.median(column) for column in zip(*found))
            print(f"{name:<32} {seconds:6.2f} s {memory:7.0f} MB")


if __name__ == "__main__":
    make(*sys.argv[2:]) if sys.argv[1] == "make" else main(*sys.argv[1:])
