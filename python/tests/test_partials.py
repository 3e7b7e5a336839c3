"""Partials: any parts give the record of the whole table, also with the command line; refused requests."""

import copy
import multiprocessing
import os
import pickle
import stat
import traceback

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import dpsis
from conftest import without

TARGETS = {
    "bounded": {"target": "number", "target_bounds": (-3, 3)},
    "two": {"target": "two", "classes": ["control", "case"]},
    "three": {"target": "three", "classes": ["low", "middle", "high"]},
    "split": {"target": "number"},
}
SCORES = {
    "bounds": {"bounds": (-2, 2)},
    "bins": {"bounds": {"gene 1": (-1, 1), "*": (-2, 2)}, "score": "ks"},
    "row ranks": {"scale": "row-rank"},
}
#: The options of the release, as given to the command line.
RELEASE = {"k": 3, "epsilon": 2.5, "neighbors": "replace-one", "shares": {"estimates": 0.3}, "seed": 11}
OPTIONS = ["--k", 3, "--eps", "2.5", "--neighbors", "replace-one", "--split", "estimates=0.3", "--seed", 11]


@pytest.fixture(scope="module")
def whole(numbers):
    frame, targets = numbers
    return frame.assign(**targets)


def given_of(target):
    others = {"number", "two", "three"} - {target["target"]}
    return {**target, "exclude": sorted(others)}


def cut(whole):
    """The rows in parts of all kinds, with the first one empty."""
    arrow = pyarrow.Table.from_pandas(whole, preserve_index=False)
    return [
        whole[:0].reset_index(drop=True),
        whole[400:].reset_index(drop=True),
        polars.from_pandas(whole[1:300]),
        arrow.slice(0, 1),
        arrow.slice(300, 100).to_reader(max_chunksize=7),
    ]


def summed(whole, **given):
    pieces = cut(whole)
    return [dpsis.partial(piece, (i, len(pieces)), **given) for i, piece in enumerate(pieces, 1)]


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("target", TARGETS)
def test_the_record_of_the_whole(whole, target, score):
    given = given_of(TARGETS[target]) | SCORES[score]
    expected = without(dpsis.select(whole, **given, **RELEASE).record)
    parts = summed(whole, **given)
    if target == "split":
        median = dpsis.select(partials=parts, **RELEASE)
        assert (median.private, median.epsilon) == (False, "0.25")
        parts = summed(whole, released=pickle.loads(pickle.dumps(median)), **given)
    added = parts[3].add(parts[1]).add(copy.deepcopy(parts[4]))
    assert (added.parts, parts[3].parts) == ([2, 4, 5], [4])
    for partials in (parts, parts[::-1], [parts[2], added, pickle.loads(pickle.dumps(parts[0]))]):
        assert without(dpsis.select(partials=partials, **RELEASE).record) == expected


def test_an_array(whole, numbers):
    x, y = numbers[0].to_numpy(), whole["number"].to_numpy()
    given = {"bounds": (-2, 2), "target_bounds": (-3, 3), "feature_names": [f"f{place}" for place in range(12)]}
    parts = [dpsis.partial(x[i::3], (i + 1, 3), y=y[i::3], **given) for i in range(3)]
    expected = without(dpsis.select(x, y=y, **given, **RELEASE).record)
    assert without(dpsis.select(partials=parts, **RELEASE).record) == expected


def test_the_files_of_the_command_line(whole, printed, command_line, tmp_path):
    """In both stages: a part of each, and the release of each."""
    paths = [tmp_path / f"{part}.csv" for part in (1, 2)]
    for part, path in enumerate(paths):
        whole[["gene 1", "gene 2", "gene 3", "gene 4", "number"]][part::2].to_csv(path, index=False)
    expected = without(dpsis.select(paths, scale="row-rank", target_number=True, **RELEASE).record)

    def both(stage, *options, **given):
        options = "--scale", "row-rank", "--target-number", *options
        printed("partial", "--part", "1/2", *options, paths[0], "-o", tmp_path / f"1.{stage}")
        part = dpsis.partial(paths[1], (2, 2), scale="row-rank", target_number=True, **given)
        part.save(tmp_path / f"2.{stage}")
        assert printed("partial", "--part", "2/2", *options, paths[1]) == (tmp_path / f"2.{stage}").read_text()
        return [dpsis.load_partial(tmp_path / f"1.{stage}"), part]

    counts = both("counts")
    median = dpsis.select(partials=counts, **RELEASE)
    median.save(tmp_path / "median")
    assert printed("select", *OPTIONS, "--partials", tmp_path / "*.counts") == (tmp_path / "median").read_text()
    sums = both("sums", "--released", tmp_path / "median", released=tmp_path / "median")
    assert sums[0].parts == [1] and sums[1].features == 4
    assert without(command_line("select", *OPTIONS, "--partials", tmp_path / "*.sums")) == expected
    for partials in (sums, tmp_path / "*.sums", [tmp_path / "2.sums", sums[0]]):
        assert without(dpsis.select(partials=partials, **RELEASE).record) == expected
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "2.sums").stat().st_mode) == 0o600
    assert sorted(one.name for one in tmp_path.iterdir() if one.name.startswith(".")) == []


def test_each_stage_is_charged(whole, tmp_path):
    given = {"target": "number", "exclude": ["two", "three"], "scale": "row-rank"}
    release = {"k": 3, "epsilon": 2}
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=2)
    median = dpsis.select(partials=summed(whole, **given), **release, ledger=ledger, note="median")
    assert (median.private, float(median.epsilon), float(ledger.spent)) == (True, 0.2, 0.2)
    sums = summed(whole, released=median, **given)
    with pytest.warns(dpsis.DpsisWarning, match="this one is not: give the ledger"):
        dpsis.select(partials=sums, **release)
    assert dpsis.select(partials=sums, **release, ledger=ledger).private
    assert float(ledger.left) == 0
    with pytest.raises(dpsis.BudgetExceeded):
        dpsis.select(partials=sums, **release, ledger=ledger)


def test_another_process(whole):
    """A part comes back from a process that was started afresh."""
    given = given_of(TARGETS["two"]) | SCORES["bounds"]
    rows = whole[:50].reset_index(drop=True)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(dpsis.partial, (rows, (1, 1)), {**given, "threads": 1})
    assert there.__reduce__() == dpsis.partial(rows, (1, 1), **given).__reduce__()


def test_no_sum_is_shown(whole):
    part = dpsis.partial(whole, (1, 1), **given_of(TARGETS["two"]), bounds=(-2, 2))
    shown = "Partial(parts 1; 12 features; NOT PRIVATE: exact sums of rows, keep them like the rows)"
    assert repr(part) == str(part) == shown
    with pytest.raises(AttributeError):
        part.parts = [2]


def test_a_reader_is_read_once(numbers, tmp_path):
    """Ids that occur twice are left out, which takes a pass of its own."""
    rows = pyarrow.table({"id": ["a", "b", "b", "c"], "x": [1.0, 2.0, 3.0, 4.0]})
    targets = tmp_path / "targets.csv"
    targets.write_text("id,y\na,1\nb,2\nc,3\n")
    given = {"target_file": targets, "id": "id", "bounds": (0, 9), "target_bounds": (0, 9)}
    assert dpsis.partial(rows, (1, 1), **given).features == 1
    with pytest.raises(dpsis.RequestError, match="takes several passes over the rows, and a reader gives them once"):
        dpsis.partial(rows.to_reader(), (1, 1), **given)


SECRET = 918273.5
ROWS = pandas.DataFrame({"a": [SECRET, 1.0, 2.0], "b": [1.0, SECRET, 3.0], "y": [0.0, 1.0, 2.0]})
GIVEN = {"bounds": (-2, 2), "target_bounds": (-3, 3)}


def part(number=1, of=2, data=ROWS, **more):
    return dpsis.partial(data, (number, of), **{**GIVEN, **more})


def release(*partials, **more):
    return dpsis.select(partials=list(partials), **{"k": 1, "epsilon": 1, **more})


def damaged(change):
    """A partial whose text was changed."""
    return lambda at: at.write_text(change(part(1, 1).__reduce__()[1][0])) and dpsis.load_partial(at)


MISTAKES = {
    "a part is missing": (lambda at: release(part()), ValueError, "of 2 parts these are missing: 2"),
    "a part twice": (lambda at: release(part(), part()), ValueError, r"partials\[0\] and partials\[1\] are both part 1"),
    "a part added twice": (lambda at: part().add(part()), ValueError, "part 1 of 2 is there twice"),
    "a part in a sum": (lambda at: part(1, 3).add(part(2, 3)).add(part(2, 3)), ValueError, "part 2 of 3 is there twice"),
    "a file twice": (lambda at: part(1, 1).save(at) or release(at, at), ValueError, "table are both part 1: rows would count twice"),
    "other numbers": (lambda at: part().add(part(2, 3)), ValueError, "of 2 parts and of 3"),
    "other bounds": (lambda at: part().add(part(2, bounds=(0, 1))), ValueError, "another scaling"),
    "another range": (lambda at: part().add(part(2, target_bounds=(0, 1))), ValueError, "made with another"),
    "another score": (lambda at: part().add(part(2, score="ks")), ValueError, "made with another"),
    "other columns": (lambda at: part().add(part(2, data=ROWS.rename(columns={"a": "c"}))), ValueError, "column|feature"),
    "fewer columns": (lambda at: part().add(part(2, exclude="a")), ValueError, "column|feature"),
    "another stage": (
        lambda at: part().add(dpsis.partial(ROWS, (2, 2), bounds=(-2, 2))), ValueError, "made with another|another stage",
    ),
    "no number": (lambda at: dpsis.partial(ROWS, "1/2", **GIVEN), TypeError, "part must be two integers"),
    "a number alone": (lambda at: dpsis.partial(ROWS, 1, **GIVEN), TypeError, "part must be two integers"),
    "a number of 0": (lambda at: part(0), ValueError, "at least 1"),
    "a number too large": (lambda at: part(3), ValueError, "from 1 and that of all"),
    "parts without end": (lambda at: part(1, 2**32), ValueError, "from 1 and that of all"),
    "whole columns": (
        lambda at: dpsis.partial(ROWS, (1, 1), target_bounds=(-3, 3)), ValueError, r"do not add up.*\(bounds, scale, score\)",
    ),
    "no partial": (lambda at: release(), ValueError, "there is no partial"),
    "something else": (lambda at: release(part(), 3), TypeError, r"partials\[1\] must be a partial or its path, not int"),
    "rows": (lambda at: release(ROWS), TypeError, r"partials\[0\] must be a partial or its path, not DataFrame"),
    "adding something else": (lambda at: part().add(ROWS), TypeError, "not with DataFrame"),
    "a table's facts": (lambda at: release(part(1, 1), bounds=(0, 1)), ValueError, r"release alone \(bounds, partials\)"),
    "data, too": (lambda at: release(part(1, 1), data=ROWS), ValueError, r"release alone \(data, partials\)"),
    "a dry run": (lambda at: release(part(1, 1), dry_run=True), ValueError, r"\(dry_run, partials\)"),
    "seed and ledger": (lambda at: release(part(1, 1), seed=1, ledger=at), ValueError, "not for release"),
    "k above d": (lambda at: release(part(1, 1), k=3), ValueError, r"k must not exceed .*\(k\)"),
    "a fit": (lambda at: dpsis.fit(ROWS, 1, 1, partials=[part()]), ValueError, "a model is fitted to rows"),
    "no file": (lambda at: dpsis.load_partial(at), OSError, "cannot be read"),
    "no files": (lambda at: release(at / "*"), OSError, "no file matches"),
    "a table": (lambda at: at.write_text("a,y\n1,2\n") and dpsis.load_partial(at), ValueError, "is not a dpsis partial"),
    "bytes": (lambda at: at.write_bytes(b"\xff\xfe") and release(at), ValueError, "table: .*not text"),
    "another version": (damaged(lambda text: text.replace("partial 2:", "partial 3:")), ValueError, "another version"),
    "a changed sum": (damaged(lambda text: text.replace('"rows":3', '"rows":4')), ValueError, "damaged"),
    "half a file": (damaged(lambda text: text[: len(text) // 2]), ValueError, "damaged or ends too early"),
    "no released target": (lambda at: part(released=part().save(at) or at), ValueError, "a dpsis partial, not a dpsis released target"),
    "a released target for no stage": (
        lambda at: part(released=release(dpsis.partial(ROWS, (1, 1), bounds=(-2, 2)), seed=1)), ValueError, "another stage",
    ),
}  # fmt: skip


def test_masked_sums_of_sites(printed, tmp_path):
    """They open together, whether as a pattern or one by one; none does alone."""
    given = ["--bounds=-2,2", "--target-bounds=-3,3"]
    rows = {"north": ROWS, "south": ROWS[::-1], "west": ROWS}
    sites = {site: tmp_path / f"{site}.csv" for site in rows}
    for site, path in sites.items():
        rows[site].to_csv(path, index=False)
        printed("sites", "key", site, "--key", tmp_path / f"{site}.key", *given, path, "-o", tmp_path / f"{site}.pub")
    printed("sites", "roster", *(tmp_path / f"{site}.pub" for site in sites), "-o", tmp_path / "sites.txt")
    masked = [tmp_path / f"{site}.masked" for site in sites]
    for (site, path), to in zip(sites.items(), masked, strict=True):
        key = ["--mask", tmp_path / "sites.txt", "--key", tmp_path / f"{site}.key"]
        printed("partial", *given, *key, path, "-o", to)
    release = {"k": 1, "epsilon": 9, "seed": 1}
    parts = [dpsis.partial(rows[site], (i, 3), **GIVEN) for i, site in enumerate(rows, 1)]
    expected = without(dpsis.select(partials=parts, **release).record)
    for partials in (masked, tmp_path / "*.masked", [masked[0], *map(os.fspath, masked[1:])]):
        assert without(dpsis.select(partials=partials, **release).record) == expected
    with pytest.raises(dpsis.RequestError, match="masked partials are missing: of south, west"):
        dpsis.select(partials=masked[0], **release)
    with pytest.raises(dpsis.InputError, match="a dpsis masked partial, not a dpsis partial"):
        dpsis.load_partial(masked[0])


@pytest.mark.parametrize("mistake", MISTAKES)
def test_messages_of_mistakes(mistake, tmp_path):
    run, kind, expected = MISTAKES[mistake]
    with pytest.raises(kind, match="(?s)" + expected) as caught:
        run(tmp_path / "table")
    assert "918273" not in "".join(traceback.format_exception(caught.value))
