"""The queries of `dpsis sql` on real engines: the integers of the library, for any rows."""

from __future__ import annotations

import csv
import json
import math
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from sql_engines import ENGINES, missing

ROOT = Path(__file__).resolve().parents[2]
Q = 32767
TARGETS = {
    "number": [],
    "bounded": ["--target-bounds=-3,3"],
    "two": ["--classes", "control,case"],
    "three": ["--classes", "low,middle,high"],
}
SCORES = {
    "ks": ["--score", "ks"],
    "ks in bins": ["--score", "ks", "--bounds=-2,2"],
    "bounds": ["--bounds=-2,1.5"],
    "row ranks": ["--scale", "row-rank"],
    "ks in bins of row ranks": ["--scale", "row-rank", "--score", "ks"],
}


@pytest.fixture(scope="module", params=ENGINES)
def engine(request, tmp_path_factory):
    reason = missing(request.param)
    if reason:
        pytest.skip(reason)
    engine = ENGINES[request.param](tmp_path_factory.mktemp("engine"))
    yield engine
    engine.close()


def dpsis(*words):
    """The output of the command line."""
    binary = os.environ.get("DPSIS_BIN", str(ROOT / "target/release/dpsis"))
    if not os.path.exists(binary):
        pytest.skip(f"no command line at {binary}: cargo build --release")
    done = subprocess.run([binary, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Query:
    """A table in an engine, and the queries on it, stage by stage."""

    def __init__(self, engine, folder, form, features, options):
        self.engine, self.folder, self.features = engine, folder, features
        names = folder / "features.txt"
        names.write_text("".join(name + "\n" for name in features))
        self.words = ["--dialect", engine.dialect, *form, "--features", f"@{names}", *options]
        self.released = None

    def stage(self, *choice):
        """Runs the query of the next stage: its raw result, and the release from it."""
        after = ["--released", self.folder / "released"] if self.released else []
        text = dpsis("sql", *self.words, *after)
        result = self.folder / "result.csv"
        self.engine.export(text.rstrip().rstrip(";"), result)
        raw = read_result(result)
        out = self.folder / "out.json"
        dpsis("choose", "--sums", "--k", 2, "--eps", 3, "--seed", 5, "-o", out, *choice, result)
        if out.read_text().startswith("{"):
            return raw, json.loads(out.read_text())
        out.rename(self.folder / "released")
        self.released = json.loads((self.folder / "released").read_text().splitlines()[1])
        return raw, None

    def last(self, *choice):
        """The result of the last stage and the record."""
        record = None
        while record is None:
            raw, record = self.stage(*choice)
        record.pop("run")
        return raw, record


def read_result(file):
    items = {}
    with open(file, newline="") as lines:
        for row in csv.DictReader(lines):
            items.setdefault(row["item"], {})[int(row["place"])] = row["value"]
    assert all(sorted(values) == list(range(len(values))) for values in items.values())
    return {
        item: [int(values[place]) for place in range(len(values))]
        for item, values in items.items()
        if item != "facts"
    }


# The sums by the library's definitions.


def finite(value):
    return isinstance(value, (int, float)) and math.isfinite(value)


def on_grid(value, low, high):
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    with np.errstate(over="ignore"):
        t = min(max(float((np.float64(value) - middle) / half), -1.0), 1.0)
    return int(math.copysign(math.floor(abs(t) * Q + 0.5), t))


def row_ranks(row):
    present = [value for value in row if value is not None]
    codes = []
    for value in row:
        if value is None or len(present) < 2:
            codes.append(None if value is None else 0)
            continue
        side = sum(other < value for other in present) - sum(other > value for other in present)
        magnitude = (2 * abs(side) * Q + len(present) - 1) // (2 * (len(present) - 1))
        codes.append(magnitude if side > 0 else -magnitude)
    return codes


def coded(target, kind, value, released):
    if kind in ("two", "three"):
        labels = TARGETS[kind][1].split(",")
        label = value.strip(" \t\r\n\f") if isinstance(value, str) else None
        if label not in labels:
            return None
        place = labels.index(label)
        return place if kind == "three" else (-Q, Q)[place]
    if not finite(value):
        return None
    if kind == "bounded":
        return on_grid(value, -3, 3)
    return Q if value >= float(released["median"]["value"]) else -Q


def expected(rows, kind, score, released, ranges=None):
    """The sums and targets of rows of (target, values)."""
    d = len(rows[0][1])
    coded_rows = []
    for target, values in rows:
        y = coded(target, kind, target, released)
        if y is not None:
            coded_rows.append((y, [value if finite(value) else None for value in values]))
    classes = 3 if kind == "three" else None
    ys = [y for y, _ in coded_rows]
    targets = [ys.count(c) for c in range(3)] if classes else [sum(ys), len(ys)]
    if score == "ks":
        return targets, columns(coded_rows, d, released["center"]["on_grid"])
    width = 16 if "bins" in score else 1
    # By the value of a feature, and, for the rows that have one, by their target.
    parts = (classes or 2) * (1 if width > 1 else 2)
    sums = np.zeros((d, width, parts), dtype=object)
    for y, values in coded_rows:
        if "row ranks" in score:
            grid = row_ranks(values)
        else:
            all_ranges = ranges or [(-2, 2 if "bins" in score else 1.5)] * d
            grid = [None if v is None else on_grid(v, *r) for v, r in zip(values, all_ranges)]
        for feature, x in enumerate(grid):
            if x is None:
                continue
            cell = sums[feature, (x + 32768) // 4096 if width > 1 else 0]
            if width > 1 and classes:
                cell[y] += 1
            elif width > 1:
                cell += np.array([y, 1], dtype=object)
            elif classes:
                cell[y] += x
                cell[classes + y] += 1
            else:
                cell += np.array([x * y, x, y, 1], dtype=object)
    ordered = sums.reshape(-1) if width > 1 else sums[:, 0, :].T.reshape(-1)
    return targets, [int(value) for value in ordered]


def columns(rows, d, centers):
    """By each threshold, one after the other, less the sum over the rows without a value."""
    sums = []
    for feature in range(d):
        cells = [(values[feature], y) for y, values in rows if values[feature] is not None]
        missing = [y for y, values in rows if values[feature] is None]
        signs = [[1] * len(cells)]
        signs += [[-1 if v <= c else 1 for v, _ in cells] for c in sorted({v for v, _ in cells})]
        if len(centers) == 1:
            found = [sum(f * (y - centers[0]) for f, (_, y) in zip(sign, cells)) for sign in signs]
            less = abs(sum(y - centers[0] for y in missing))
            sums += [max(0, max(map(abs, found)) - less), max(0, max(found) - less), min(0, min(found) + less)]
        else:
            found = []
            for sign in signs:
                of = [sum(f for f, (_, y) in zip(sign, cells) if y == c) for c in range(len(centers))]
                found.append(sum(abs(Q * own - m * sum(of)) for own, m in zip(of, centers)))
            less = sum(abs(Q * missing.count(c) - m * len(missing)) for c, m in enumerate(centers))
            sums.append(max(0, max(found) - less))
    return sums


# Tables.


def people(rng, n, d):
    """Values and targets of every kind, with ties, zeros of both signs and missing cells."""
    x = np.round(rng.normal(size=(n, d)), 1)
    x[:, 0] = np.where(rng.random(n) < 0.5, 0.0, -0.0)
    signal = np.round(x[:, 1] + x[:, 3] + rng.normal(size=n), 2)
    values = [[float(v) for v in row] for row in x]
    for row in values:
        for place in range(d):
            if rng.random() < 0.05:
                row[place] = rng.choice([None, float("nan"), float("inf"), -float("inf")])
    targets = {
        "number": [float(v) for v in signal],
        "two": ["case" if v > 0 else "control" for v in signal],
        "three": ["low" if v < -1 else "middle" if v < 1 else "high" for v in signal],
    }
    targets["number"][5] = targets["number"][6] = None
    targets["number"][7] = float("nan")
    targets["two"][3] = targets["three"][3] = " case of nothing"
    targets["two"][4] = targets["three"][4] = None
    targets["two"][8], targets["three"][8] = "\tcase ", " low \t"
    targets["bounded"] = targets["number"]
    return values, targets


def write_csv(path, names, rows):
    def cell(value):
        return "" if value is None else repr(value) if isinstance(value, float) else value

    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*names, "outcome"])
        writer.writerows([*map(cell, values), cell(target)] for target, values in rows)


def kind_of(target):
    return "text" if target in ("two", "three") else "double"


def wide_table(engine, names, rows, target):
    columns = [(name, "double") for name in names] + [("outcome", kind_of(target))]
    engine.create("people", columns, [[*values, target] for target, values in rows])
    return ["--table", "people", "--wide", "--target", "outcome"]


def long_tables(engine, names, rows, target):
    cells = [
        (f"p{sample}", name, value)
        for sample, (_, values) in enumerate(rows)
        for name, value in zip(names, values)
        if value is not None or sample % 2
    ]
    cells += [("p1", "not a feature", 1e300), (None, names[0], 5.0), ("nobody", names[0], 7.0)]
    engine.create("cells", [("who", "text"), ("what", "text"), ("value", "double")], cells)
    people = [(f"p{sample}", target) for sample, (target, _) in enumerate(rows)]
    people += [(None, rows[0][0])]
    engine.create("people", [("id", "text"), ("outcome", kind_of(target))], people)
    return ["--table", "cells", "--long", "who,what,value", "--targets", "people:id,outcome"]


def forms(engine):
    return {"long": long_tables, **({"wide": wide_table} if engine.wide else {})}


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("target", TARGETS)
def test_the_sums_and_the_record_are_the_librarys(engine, tmp_path, target, score):
    values, targets = people(np.random.default_rng(20261122), 150, 6)
    rows = list(zip(targets[target], values))
    names = [f"gene {place}" for place in range(6)]
    write_csv(tmp_path / "people.csv", names, rows)
    options = [*TARGETS[target], *SCORES[score]]
    # A query does not depend on the neighbor relation, but the release from it does.
    for (form, make), neighbors in zip(forms(engine).items(), ["add-remove", "replace-one"]):
        choice = ["--neighbors", neighbors]
        query = Query(engine, tmp_path, make(engine, names, rows, target), names, options)
        raw, found = query.last(*choice)
        sums = expected(rows, target, score, query.released)
        if score == "ks" and target != "three":
            # The score is at a center shrunk by its noise; the record shows whether it is right.
            raw["sums"][::3] = sums[1][::3]
        assert (raw["targets"], raw["sums"]) == sums, form
        assert raw["rows"] == [len(rows)]
        record = json.loads(
            dpsis(
                "select", "--k", 2, "--eps", 3, "--seed", 5, "--format", "json",
                *options, *choice, tmp_path / "people.csv",
            )
        )  # fmt: skip
        record.pop("run")
        # The target of a long table is not one of its columns.
        parts = ["target"] if form == "long" else []
        assert without(found, parts) == without(record, parts), form


def without(record, parts):
    return {name: value for name, value in record.items() if name not in parts}


@pytest.mark.parametrize("target", ["two", "three"])
def test_scores_of_columns_at_a_public_center(engine, tmp_path, target):
    values, targets = people(np.random.default_rng(3), 60, 4)
    rows = list(zip(targets[target], values))
    names = list("abcd")
    query = Query(engine, tmp_path, long_tables(engine, names, rows, target), names, TARGETS[target])
    center = ["--center", "0.7" if target == "two" else "low=0.2,middle=0.5,high=0.3"]
    raw, _ = query.last(*center)
    assert (raw["targets"], raw["sums"]) == expected(rows, target, "ks", query.released)


def test_every_bit_of_the_grid(engine, tmp_path):
    """Values at the steps of the grid and near them, in ranges of all sizes."""
    rng = np.random.default_rng(11)
    ranges, columns = [(0.1, 0.7), (-1e-300, 1e-300), (-1.7e308, 1.7e308), (1e16, 1e16 + 2), (0.0, 5e-324 * 9)], []
    ranges += [(low, low + width) for low, width in zip(rng.normal(size=35) * 100, 10 ** rng.uniform(-6, 6, 35))]
    for low, high in ranges:
        middle, half = low / 2 + high / 2, high / 2 - low / 2
        steps = middle + half * ((rng.integers(-Q, Q, 60) + 0.5) / Q)
        near = [np.nextafter(steps, np.inf), np.nextafter(steps, -np.inf), steps]
        odd = [low, high, middle, 1.7976931348623157e308, -1.7976931348623157e308, 5e-324, -5e-324, 0.0]
        columns.append(np.concatenate([*near, [*odd, np.nextafter(high, -np.inf), np.nextafter(low, np.inf)]]))
    values = [[float(v) for v in row] for row in np.array(columns).T]
    rows = [("low middle high".split()[place % 3], row) for place, row in enumerate(values)]
    names = [f"f{place}" for place in range(len(ranges))]
    bounds = tmp_path / "bounds.csv"
    bounds.write_text("feature,lo,hi\n" + "".join(f"{n},{lo!r},{hi!r}\n" for n, (lo, hi) in zip(names, map(plain, ranges))))
    options = [*TARGETS["three"], "--bounds-file", bounds]
    make = long_tables if not engine.wide else wide_table
    query = Query(engine, tmp_path, make(engine, names, rows, "three"), names, options)
    raw, _ = query.last()
    assert raw["sums"] == expected(rows, "three", "bounds", None, ranges)[1]


def plain(ends):
    return tuple(float(end) for end in ends)


def test_odd_people(engine, tmp_path):
    """Samples and cells that occur several times, and odd cells, are missing; other people's are not."""
    cells = [(f"p{s}", f, float((7 * s + 3 * p) % 11 - 5)) for s in range(20) for p, f in enumerate("abc")]
    people = [(f"p{s}", "case" if s % 3 else "control") for s in range(20)]
    odd_cells = [("p3", "a", 1.0), ("p3", "a", None), ("p4", "b", cells[13][2]), ("p5", "c", float("nan"))]
    odd_people = [("p6", "case"), ("p6", "control"), ("p7", "control"), ("p7", None), ("p8", "case"), ("p8", "case")]
    odd_people += [("alone", "case"), ("alike", "CASE"), (None, "case"), ("", "case")]
    rows = []
    for sample, label in [*people, ("alone", "case"), ("alike", "CASE"), ("", "case")]:
        own = [value for who, what, value in cells if who == sample] or [None] * 3
        gone = {"p3": 0, "p4": 1, "p5": 2}.get(sample)
        values = [None if place == gone else value for place, value in enumerate(own)]
        rows.append((None if sample in ("p6", "p7", "p8") else label, values))
    engine.create("cells", [("who", "text"), ("what", "text"), ("value", "double")], [*odd_cells, *cells])
    engine.create("people", [("id", "text"), ("outcome", "text")], [*odd_people, *people])
    form = ["--table", "cells", "--long", "who,what,value", "--targets", "people:id,outcome"]
    for score in ["bounds", "row ranks", "ks in bins", "ks"]:
        query = Query(engine, tmp_path, form, list("abc"), [*TARGETS["two"], *SCORES[score]])
        raw, _ = query.last("--center", "none")
        assert (raw["targets"], raw["sums"]) == expected(rows, "two", score, query.released), score
        assert raw["rows"] == [len(rows)]


def test_names_stay_names(engine, tmp_path):
    """Names of features, labels, tables and columns are quoted: none is read as code."""
    names = ["it's", 'say "a"', "x'; DROP TABLE people; --", "größe", "back\\slash", "`tick`", "a,b", ":x %s ? {{y}}", "--", "\\'"]
    wide_names = list(names)
    if engine.dialect != "spark":
        names.append("${x}")
        wide_names.append("${x}")
    else:
        names.append("${x}")
    labels = ["it's; --", 'a\\"b']
    rng = np.random.default_rng(2)
    rows = [(labels[s % 2], [float(v) for v in np.round(rng.normal(size=len(names)), 1)]) for s in range(30)]
    record = ",".join('"' + label.replace('"', '""') + '"' for label in labels)
    options = ["--classes", record, "--bounds=-2,1.5"]

    def check(form, names, rows):
        query = Query(engine, tmp_path, form, names, options)
        raw, found = query.last()
        of = [("control" if label == labels[0] else "case", values) for label, values in rows]
        assert (raw["targets"], raw["sums"]) == expected(of, "two", "bounds", None)
        assert {picked["name"] for picked in found["selected"]} <= set(names)

    table = "the cells" if engine.dialect == "spark" else 'o"dd; cells'
    cells = [(f"p{s}", n, v) for s, (_, values) in enumerate(rows) for n, v in zip(names, values)]
    engine.create(table, [("the 'who'", "text"), ("what --", "text"), ("value", "double")], cells)
    engine.create("people", [("id", "text"), ("out come", "text")], [(f"p{s}", y) for s, (y, _) in enumerate(rows)])
    table = '"' + table.replace('"', '""') + '"'
    check(["--table", table, "--long", "the 'who',what --,value", "--targets", "people:id,out come"], names, rows)
    if engine.wide:
        d = len(wide_names)
        rows = [(label, values[:d]) for label, values in rows]
        columns = [(name, "double") for name in wide_names] + [("out come", "text")]
        engine.create("people", columns, [[*values, y] for y, values in rows])
        check(["--table", "people", "--wide", "--target", "out come"], wide_names, rows)


def test_types_of_columns(engine, tmp_path):
    """Integers as samples; texts that are not numbers, and numbers that no double holds."""
    values = ["1", " 2.5 ", "x", "", "1e400", "-1e400", "nan", "0", "-1", "1"]
    kind, meant = "text", [1.0, 2.5, None, None, None, None, None, 0.0, -1.0, 1.0]
    if engine.dialect == "postgres":
        values = ["1", "2.5", "1e400", "-1e400", "NaN", "1e-400", "-1e-330", "0", "-1", "1"]
        kind, meant = "numeric", [1.0, 2.5, None, None, None, 0.0, 0.0, 0.0, -1.0, 1.0]
    engine.create("cells", [("who", "integer"), ("what", "text"), ("value", kind)], [(s, "a", v) for s, v in enumerate(values)])
    engine.create("people", [("id", "text"), ("outcome", kind)], [(str(s), v) for s, v in enumerate(values)])
    form = ["--table", "cells", "--long", "who,what,value", "--targets", "people:id,outcome"]
    query = Query(engine, tmp_path, form, ["a"], [*TARGETS["bounded"], "--bounds=-2,1.5"])
    text = dpsis("sql", *query.words)
    engine.export(text.rstrip().rstrip(";"), tmp_path / "result.csv")
    raw = read_result(tmp_path / "result.csv")
    rows = [(value, [value]) for value in meant]
    assert (raw["targets"], raw["sums"]) == expected(rows, "bounded", "bounds", None)


def test_incomplete_results_are_refused(engine, tmp_path):
    """An incomplete result, or one with repetitions, is refused; PostgreSQL refuses a column of texts before it reads."""
    engine.create("cells", [("who", "text"), ("what", "text"), ("value", "double")], [("p", "a", 1.0)])
    engine.create("people", [("id", "text"), ("outcome", "double")], [("p", 1.0)])
    form = ["--table", "cells", "--long", "who,what,value", "--targets", "people:id,outcome"]
    query = Query(engine, tmp_path, form, ["a", "b"], [*TARGETS["bounded"], "--bounds=-2,1.5"])
    query.stage()
    lines = (tmp_path / "result.csv").read_text().splitlines(keepends=True)
    for part in [*(lines[:n] + lines[n + 1 :] for n in range(len(lines))), lines + lines[-1:]]:
        (tmp_path / "result.csv").write_text("".join(part))
        with pytest.raises(AssertionError):
            dpsis("choose", "--sums", "--eps", 3, "--seed", 5, tmp_path / "result.csv")
    if engine.dialect == "postgres":
        engine.create("cells", [("who", "text"), ("what", "text"), ("value", "text")], [])
        with pytest.raises(AssertionError, match="operator does not exist"):
            query.stage()
