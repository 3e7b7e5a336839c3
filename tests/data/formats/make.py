"""Writes the tables of this folder, all of one content, with numpy, pandas and pyarrow.

Run in this folder: python make.py, then Rscript make.R. Written with numpy 2.4, pandas 3.1, pyarrow 26.0.
The content is drawn from a seed; every value is exact in 32 bits. -999 stands for missing in feature-4.
"""

import gzip
import math
import random

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet

N, D = 40, 6
random.seed(7)
rows = []
for i in range(N):
    signal = i % 4
    x = [random.randrange(-32, 33) / 8 for _ in range(4)]
    x[0] += signal / 2
    x[3] = -999.0 if i % 11 == 5 else x[3]
    x += [float(random.randrange(-20, 21)), float((i + signal) % 3 == 0)]
    if i % 7 == 3:
        x[1] = math.nan
    if i % 13 == 4:
        x[4] = math.nan
    age = math.nan if i % 17 == 6 else 20 + 5 * signal + random.randrange(0, 64) / 4
    two = "yes" if signal > 1 else "no"
    three = None if i % 19 == 2 else "abc"[min(signal, 2)]
    rows.append((f"s{i:02}", x, age, two, three))

names = [f"feature-{j}" for j in range(1, D + 1)]
ids = [row[0] for row in rows]
X = np.array([row[1] for row in rows])
age = np.array([row[2] for row in rows])
two = [row[3] for row in rows]
three = [row[4] for row in rows]
assert np.array_equal(X.astype("f4").astype("f8"), X, equal_nan=True)


def text(value):
    if value is None or value != value:
        return ""
    return value if isinstance(value, str) else f"{value:g}"


def lines(path, table, separator=","):
    content = "".join(separator.join(map(text, line)) + "\n" for line in table)
    opened = gzip.open(path, "wt") if path.endswith(".gz") else open(path, "w")
    with opened as file:
        file.write(content)


# The reference, in both directions, and targets in files of their own.
header = ["id"] + names + ["age", "two", "three"]
lines("table.csv", [header] + [[r[0], *r[1], r[2], r[3], r[4]] for r in rows])
lines("rows.tsv", [["name"] + ids] + [[names[j], *X[:, j]] for j in range(D)], "\t")
# By id: in another order, with somebody who is not in the table.
for name, values in [("age", age), ("two", two), ("three", three)]:
    lines(f"{name}-by-id.csv", [["id", name], ["s99", values[0]]] + list(zip(ids, values))[::-1])
    lines(f"{name}.csv", [[name]] + [[value or "NA"] for value in values] if name == "three" else [[name]] + [["NA" if value != value else value] for value in values])
lines("two.cls", [[N, 2, 1], ["#", "no", "yes"], [0 if label == "no" else 1 for label in two]], " ")

# numpy.
np.save("c-f4.npy", X.astype("<f4"))
np.save("fortran-f8.npy", np.asfortranarray(X))
np.save("big-f4.npy", X.astype(">f4"))
np.save("rows-f8.npy", X.T.copy())
np.save("with-age.npy", np.column_stack([X, age]))
np.save("age.npy", age)
np.save("two.npy", np.array(two))
np.save("three.npy", np.array([label or "" for label in three]))
np.savez("stored.npz", X=X.astype("f4"), y=age, feature_names=np.array(names))
np.savez_compressed("deflated.npz", data=np.asfortranarray(X), target=np.array(two), columns=np.array(names).astype("S"))
np.save("objects.npy", np.array(three, dtype=object))
np.save("halves.npy", (np.arange(6) / 4).astype("f2").reshape(3, 2))

# GenePattern.
features = [[names[j], "about it", *X[:, j]] for j in range(D)]
lines("v12.gct", [["#1.2"], [D, N], ["Name", "Description"] + ids] + features, "\t")
lines("v12.gct.gz", [["#1.2"], [D, N], ["Name", "Description"] + ids] + features, "\t")
meta = [["two", "na", *two], ["three", "na", *three]]
lines("v13.gct", [["#1.3"], [D, N, 1, 2], ["id", "gene"] + ids] + meta + features, "\t")

# Arrow and Parquet.
whole = pd.array([None if v != v else int(v) for v in X[:, 4]], dtype="Int16")
frame = pd.DataFrame(
    {
        "id": ids,
        "feature-1": X[:, 0].astype("f4"),
        "feature-2": pd.array([None if v != v else v for v in X[:, 1]], dtype="Float64"),
        "feature-3": X[:, 2].astype("f2"),
        "feature-4": X[:, 3],
        "feature-5": whole,
        "feature-6": X[:, 5] == 1,
        "age": pd.array([None if v != v else v for v in age], dtype="Float64"),
        "two": pd.Categorical(two),
        "three": three,
    }
)
table = pa.Table.from_pandas(frame, preserve_index=False)
for codec in ["none", "snappy", "zstd", "gzip", "lz4"]:
    pa.parquet.write_table(table, f"{codec}.parquet", compression=codec, row_group_size=15)
frame.set_index("id").rename_axis(None).to_parquet("index.parquet")
pa.feather.write_feather(table, "lz4.feather", compression="lz4", chunksize=15)
pa.feather.write_feather(table, "zstd.feather", compression="zstd", chunksize=15)
with pa.ipc.new_file("plain.arrow", table.schema) as writer:
    writer.write_table(table, max_chunksize=15)
with pa.ipc.new_stream("stream.arrows", table.schema) as writer:
    writer.write_table(table, max_chunksize=15)
