"""Several rows per person, covariates, and sets of features: the same bits as the command line, in every form."""

import os

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dpsis
from conftest import ROOT, without

VISITS = ROOT / "datasets/visits.csv"
GENES, SETS = ROOT / "datasets/demo.csv", ROOT / "datasets/demo.gmt"
#: As the page about people has it.
PEOPLE = {"unit_target": "any-positive", "classes": ["no", "yes"], "seed": 1}
ON_THE_LINE = ["--unit", "person", "--unit-target", "any-positive", "--classes", "no,yes", "--seed", 1]
STRATA = ["age:45,55,65", "sex=F,M"]


@pytest.fixture(scope="module")
def visits():
    return pandas.read_csv(VISITS)


def in_tables(frame):
    yield "pandas", frame
    yield "polars", polars.from_pandas(frame)
    arrow = pyarrow.Table.from_pandas(frame, preserve_index=False)
    yield "arrow", pyarrow.concat_tables([arrow.slice(0, 100), arrow.slice(100)])


def forms_of_ids(ids):
    yield from (ids, list(ids), ids.to_numpy(), ids.astype("category"), polars.Series(ids.tolist()))
    yield pyarrow.array(ids.tolist())
    # Only equality of ids matters, not their values.
    yield ids.str[1:].astype(int).to_numpy()
    yield ids.str[1:].astype(float).to_numpy() + 0.5


def test_people(visits, command_line):
    """Identified by a column of a file or of a frame, or by ids outside a frame or an array."""
    options = [*ON_THE_LINE, "--exclude", "age,sex"]
    expected = without(command_line("select", "--k", 5, "--eps", 3, *options, VISITS))
    assert expected["guarantee"]["unit"] == "person"
    out = {"exclude": ["age", "sex"], **PEOPLE}
    for form, data in [("path", VISITS), *in_tables(visits)]:
        found = dpsis.select(data, 5, 3, unit="person", **out)
        assert without(found.record) == expected, form
    # The places of columns differ, and nothing else.
    apart = ("public", "target", "selected")
    ids, y = visits["person"], visits["event"]
    labs = visits.drop(columns=["person", "age", "sex", "event"])
    names = [one["name"] for one in expected["selected"]]
    for own in forms_of_ids(ids):
        for form, data in in_tables(visits.drop(columns="person")):
            found = dpsis.select(data, 5, 3, unit=own, **out)
            assert without(found.record, *apart) == without(expected, *apart), form
            assert found.names == names
        arrays = {"C": labs.to_numpy(), "F": np.asfortranarray(labs.to_numpy()), "objects": labs.to_numpy(dtype=object)}
        for form, data in arrays.items():
            found = dpsis.select(data, 5, 3, unit=own, y=y, feature_names=list(labs.columns), **PEOPLE)
            assert without(found.record, *apart) == without(expected, *apart), form
        found = dpsis.select(labs, 5, 3, unit=own, y=y, **PEOPLE)
        assert without(found.record, *apart) == without(expected, *apart)


def test_ids_of_rows_and_of_people(visits, command_line):
    """Ids of rows are not features, and an unnamed column of them does not identify people."""
    options = [*ON_THE_LINE, "--exclude", "age,sex"]
    expected = command_line("select", "--k", 5, "--eps", 3, *options, VISITS)
    apart = ("public", "target", "selected")
    numbered = visits.drop(columns="person").assign(row=range(len(visits)))[["row", *visits.columns[1:]]]
    for data, own in ((numbered, {"id": "row"}), (numbered.rename(columns={"row": ""}), {})):
        found = dpsis.select(data, 5, 3, unit=list(visits["person"]), exclude=["age", "sex"], **own, **PEOPLE)
        assert without(found.record, *apart) == without(expected, *apart)
        assert found.record["public"].get("id_column") is None


@pytest.mark.parametrize("rule", ["last", "mean"])
def test_rules_for_targets(visits, command_line, rule):
    options = ["--unit", "person", "--unit-target", rule, "--target", "lab_01", "--target-bounds=-2,2", "--seed", 3]
    expected = command_line("select", "--k", 3, "--eps", 2, *options, VISITS)
    given = {"unit": "person", "unit_target": rule, "target": "lab_01", "target_bounds": (-2, 2), "seed": 3}
    for form, data in [("path", VISITS), *in_tables(visits)]:
        assert without(dpsis.select(data, 3, 2, **given).record) == without(expected), form


def test_without_an_id(visits):
    """A row whose id is missing contributes nothing, in every form of ids."""
    ids = visits["person"].astype(object).where(visits.index % 7 > 0, None)
    there = ids.notna()
    labs = visits.drop(columns=["person", "age", "sex", "event"]).to_numpy()
    y = visits["event"].to_numpy()
    apart, names = ("public", "target"), [f"feature-{place + 1}" for place in range(40)]
    expected = dpsis.select(labs[there], 5, 3, y=y[there], unit=ids[there].to_numpy(), **PEOPLE)
    numbers = pandas.to_numeric(ids.str[1:])
    for own in (ids, list(ids), numbers.to_numpy(), numbers.astype("Int64"), polars.Series(list(ids))):
        found = dpsis.select(labs, 5, 3, y=y, unit=own, **PEOPLE)
        assert without(found.record) == without(expected.record)
        objects = pandas.DataFrame(labs, columns=names).astype(object)
        found = dpsis.select(objects, 5, 3, y=y, unit=own, **PEOPLE)
        assert without(found.record, *apart, "selected") == without(expected.record, *apart, "selected")


def test_one_person_counts_once(visits):
    """The rows of a person who has many change no draws of others: with 9,000 rows, too."""
    x = visits[[f"lab_{place:02}" for place in range(1, 41)]].to_numpy()
    y, ids = visits["event"].to_numpy(), visits["person"].to_numpy()
    many = np.repeat(x[:1] * 100, 9000, axis=0)
    more = {"x": np.vstack([x, many]), "y": np.append(y, ["yes"] * 9000), "ids": np.append(ids, ["p-many"] * 9000)}
    at = {**PEOPLE, "seed": 2}
    found = dpsis.select(more["x"], 5, 1e5, y=more["y"], unit=more["ids"], **at)
    assert found.names == dpsis.select(x, 5, 1e5, y=y, unit=ids, **at).names


def test_covariates(visits, command_line):
    options = [*ON_THE_LINE, "--adjust", STRATA[0], "--adjust", STRATA[1]]
    expected = command_line("select", "--k", 3, "--eps", 3, *options, VISITS)
    for form, data in [("path", VISITS), *in_tables(visits)]:
        found = dpsis.select(data, 3, 3, unit="person", adjust=STRATA, **PEOPLE)
        assert without(found.record) == without(expected), form
    assert found.names == ["lab_11", "lab_23", "lab_31"] and found.estimates == []
    # Rows of an array, and one covariate as a text.
    options = ["--exclude", "sex,person", "--adjust", "age:50", "--classes", "no,yes", "--seed", 1]
    expected = command_line("select", "--k", 3, "--eps", 3, *options, VISITS)
    numbers = visits.drop(columns=["person", "sex", "event"])
    found = dpsis.select(
        numbers.to_numpy(float), 3, 3, y=visits["event"], feature_names=list(numbers.columns), adjust="age:50",
        classes=["no", "yes"], seed=1,
    )
    apart = ("public", "target", "selected")
    assert without(found.record, *apart) == without(expected, *apart)
    assert found.names == [one["name"] for one in expected["selected"]]


def test_sets(command_line):
    """From a file or by names, for a file, a frame and an array."""
    genes = pandas.read_csv(GENES)
    lines = [line.split("\t") for line in SETS.read_text().splitlines()]
    by_name = {name: members for name, _, *members in lines}
    for sizes, given in (([], {}), (["--group-size", "6,12"], {"group_size": (6, 12)}), (["--group-size", "1"], {"group_size": 1})):
        options = ["--groups", SETS, *sizes, "--seed", 4]
        expected = command_line("select", "--k", 4, "--eps", 2, *options, GENES)
        for form, data in [("path", GENES), *in_tables(genes)]:
            for sets in (SETS, str(SETS), by_name):
                found = dpsis.select(data, 4, 2, groups=sets, **given, seed=4)
                assert without(found.record) == without(expected), form
        features = genes.drop(columns="response")
        arrays = ("public", "target", "selected")
        found = dpsis.select(
            features.to_numpy(float), 4, 2, y=genes["response"], feature_names=list(features.columns), groups=by_name,
            **given, seed=4,
        )
        assert without(found.record, *arrays) == without(expected, *arrays)
        assert found.names == [one["name"] for one in expected["selected"]]
        frame = found.to_frame()
        assert set(found.names) <= set(by_name) and list(frame["name"]) == found.names
        used = [(one["members"]["present"], len(one["members"]["missing"])) for one in found.record["selected"]]
        assert list(zip(frame["members"], frame["missing"], strict=True)) == used


def test_sets_and_people(visits, command_line, tmp_path):
    sets = {f"block {start}": [f"lab_{start + place:02}" for place in range(5)] for start in range(1, 41, 5)}
    path = tmp_path / "blocks.gmt"
    path.write_text("".join("\t".join([name, "", *members]) + "\n" for name, members in sets.items()))
    options = [*ON_THE_LINE, "--exclude", "age,sex", "--groups", path]
    expected = command_line("select", "--k", 2, "--eps", 3, *options, VISITS)
    found = dpsis.select(visits, 2, 3, unit="person", exclude=["age", "sex"], groups=sets, **PEOPLE)
    assert without(found.record) == without(expected)


def test_ledgers_are_for_people_or_rows(visits, tmp_path):
    rows = dpsis.Ledger(tmp_path / "rows", cap=3)
    people = dpsis.Ledger(tmp_path / "people", cap=4, privacy_unit="person")
    assert people.read()["unit"] == "person"
    given = {"classes": ["no", "yes"], "exclude": ["age", "sex"]}
    ids = list(visits["person"])
    for unit in ("person", ids):
        data = visits if unit == "person" else visits.drop(columns="person")
        with pytest.raises(dpsis.RequestError, match="one row.*one person"):
            dpsis.select(data, 5, 1, unit=unit, ledger=rows, **given)
        assert dpsis.select(data, 5, 1, unit=unit, ledger=people, **given).private
    labs = visits.drop(columns=["person", "age", "sex", "event"])
    with pytest.raises(dpsis.RequestError, match="one person.*one row"):
        dpsis.select(labs, 5, 1, y=visits["event"], classes=["no", "yes"], ledger=people)
    estimator = dpsis.PrivateSelectKBest(5, epsilon=1, classes=["no", "yes"], ledger=people)
    estimator.fit(labs, visits["event"], unit=ids)
    with pytest.raises(dpsis.RequestError, match="one person.*one row"):
        estimator.fit(labs, visits["event"])
    assert (rows.spent, people.spent) == (0, 3)
    dpsis.Ledger(tmp_path / "people", privacy_unit="person")
    with pytest.raises(dpsis.RequestError, match="another privacy unit"):
        dpsis.Ledger(tmp_path / "people", privacy_unit="row")


def test_the_estimator(visits):
    """Ids come by fit, in a pipeline by its step's name or by routing."""
    labs, y, ids = visits.drop(columns=["person", "age", "sex", "event"]), visits["event"], visits["person"]
    step = {"epsilon": 3, "classes": ["no", "yes"], "unit_target": "any-positive", "random_state": 1}
    expected = dpsis.select(labs, 5, 3, y=y, unit=ids, **PEOPLE)
    for data in (labs, labs.to_numpy(), polars.from_pandas(labs)):
        own = ids if hasattr(data, "iloc") else ids.to_numpy()
        found = dpsis.PrivateSelectKBest(5, **step).fit(data, y if hasattr(data, "iloc") else y.to_numpy(), unit=own)
        assert found.selection_.indices == expected.indices
        assert found.selection_.record["guarantee"]["unit"] == "person"
        assert found.get_support(indices=True).tolist() == expected.indices
        assert "unit=..." in found.selection_.record["run"]["request"]
    steps = make_pipeline(StandardScaler(), dpsis.PrivateSelectKBest(5, **step))
    steps.fit(labs, y, privateselectkbest__unit=ids.to_numpy())
    named = steps[-1].selection_.indices
    with sklearn.config_context(enable_metadata_routing=True):
        routed = make_pipeline(StandardScaler(), dpsis.PrivateSelectKBest(5, **step).set_fit_request(unit=True))
        routed.fit(labs, y, unit=ids.to_numpy())
    assert routed[-1].selection_.indices == named == expected.indices


def test_no_id_is_in_a_record(visits):
    """The request in the record contains no ids and no lists either."""
    secret = ["secret" + name for name in visits["person"]]
    labs = visits.drop(columns=["person", "age", "sex"])
    found = dpsis.select(labs, 5, 3, unit=secret, **PEOPLE)
    assert "unit=..." in found.record["run"]["request"]
    assert "secret" not in found.to_json() + found.report() + found.to_html()
    sets = {"a set": list(labs.columns[:9]), "another": list(labs.columns[9:18])}
    found = dpsis.select(labs, 1, 3, groups=sets, classes=["no", "yes"])
    assert "groups=..." in found.record["run"]["request"]
    found = dpsis.select(GENES, 1, 3, groups=str(SETS))
    assert "groups=FILE" in found.record["run"]["request"]


def test_looks_at_people(visits):
    repeated = [one.text for one in dpsis.inspect(visits).findings if "unit" in one.text]
    assert repeated, "ids that occur more than once are pointed out"
    assert dpsis.inspect(visits, unit="person").suggestion["unit"] == "person"


LABS = pandas.read_csv(VISITS).drop(columns=["person", "age", "sex"])
FEATURES, EVENT = LABS.drop(columns="event"), LABS["event"]
SECRET = ["secret"] * len(LABS)
ON = {"classes": ["no", "yes"]}
MISTAKES = {
    "ids for a file": (lambda: dpsis.select(VISITS, 2, 1, unit=SECRET, **ON), ValueError, r"column of ids of files.*\(unit\)"),
    "a name for an array": (
        lambda: dpsis.select(FEATURES.to_numpy(), 2, 1, y=EVENT, unit="who", **ON), ValueError, r"no names.*unit\)",
    ),
    "no such column": (lambda: dpsis.select(LABS, 2, 1, unit="who", **ON), ValueError, "who"),
    "too few ids": (lambda: dpsis.select(LABS, 2, 1, unit=SECRET[1:], **ON), ValueError, r"data and unit.*same number"),
    "too few ids of polars": (
        lambda: dpsis.select(polars.from_pandas(LABS), 2, 1, unit=SECRET[1:], **ON), ValueError, "data and unit.*same number",
    ),
    "ids in a matrix": (
        lambda: dpsis.select(LABS, 2, 1, unit=FEATURES.to_numpy(), **ON), ValueError, r"unit must have one column",
    ),
    "one number": (lambda: dpsis.select(LABS, 2, 1, unit=3, **ON), ValueError, "unit must have one dimension"),
    "ids left in data": (
        lambda: dpsis.select(LABS, 2, 1, unit=LABS["lab_01"], **ON), ValueError, "unit has the name of the column 'lab_01'",
    ),
    "ids of other rows": (
        lambda: dpsis.select(LABS, 2, 1, unit=pandas.Series(SECRET).iloc[::-1].rename("who"), **ON),
        ValueError, "align them.*",
    ),
    "a rule without ids": (
        lambda: dpsis.select(LABS, 2, 1, unit_target="last", **ON), ValueError, r"\(unit, unit_target\)",
    ),
    "no such rule": (
        lambda: dpsis.select(LABS, 2, 1, unit=SECRET, unit_target="first", **ON), ValueError, r"any-positive.*\(unit_target\)",
    ),
    "the mean of classes": (
        lambda: dpsis.select(LABS, 2, 1, unit=SECRET, unit_target="mean", **ON), ValueError, "no mean",
    ),
    "a covariate without cut points": (lambda: dpsis.select(LABS, 2, 1, adjust="lab_01", **ON), ValueError, r"\(adjust\)"),
    "an unknown covariate": (lambda: dpsis.select(LABS, 2, 1, adjust="height:3", **ON), ValueError, "height"),
    "covariates as numbers": (lambda: dpsis.select(LABS, 2, 1, adjust=[40], **ON), TypeError, "age:40,60"),
    "strata with replacement": (
        lambda: dpsis.select(LABS, 2, 1, adjust="lab_01:0", neighbors="replace-one", **ON), ValueError, "adjust",
    ),
    "no file of sets": (lambda: dpsis.select(LABS, 2, 1, groups="not there.gmt", **ON), OSError, "not there.gmt"),
    "sets in a list": (lambda: dpsis.select(LABS, 2, 1, groups=[["lab_01"]], **ON), TypeError, "dictionary"),
    "no sets": (lambda: dpsis.select(LABS, 2, 1, groups={}, **ON), ValueError, r"no set.*\(groups\)"),
    "a set without a name": (lambda: dpsis.select(LABS, 2, 1, groups={"": ["lab_01"]}, **ON), ValueError, "no name"),
    "only small sets": (lambda: dpsis.select(LABS, 1, 1, groups={"a": ["lab_01"]}, **ON), ValueError, "members"),
    "a size without sets": (lambda: dpsis.select(LABS, 2, 1, group_size=3, **ON), ValueError, r"\(groups, group_size\)"),
    "three sizes": (
        lambda: dpsis.select(LABS, 2, 1, groups={"a": ["lab_01"]}, group_size=(1, 2, 3), **ON), TypeError, "smallest",
    ),
    "sizes that fall": (
        lambda: dpsis.select(LABS, 2, 1, groups={"a": ["lab_01"]}, group_size=(9, 2), **ON), ValueError, r"\(group_size\)",
    ),
    "ids by name in the estimator": (
        lambda: dpsis.PrivateSelectKBest(2, **ON).fit(FEATURES, EVENT, unit="who"), ValueError, "ids themselves",
    ),
    "too few ids in the estimator": (
        lambda: dpsis.PrivateSelectKBest(2, **ON).fit(FEATURES, EVENT, unit=SECRET[1:]), ValueError, "same number",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_messages_of_mistakes(mistake):
    run, kind, expected = MISTAKES[mistake]
    with pytest.raises(kind, match="(?s)" + expected) as caught:
        run()
    text = str(caught.value)
    assert "secret" not in text and "--" not in text and "::" not in text, text


def test_one_id_stops_no_run():
    """No cell of ids changes the identity of others."""
    x = FEATURES.to_numpy()
    people = list(pandas.read_csv(VISITS)["person"])
    cells = (None, float("nan"), [1], {"a": 1}, object(), b"\xff", 1j, "Jane Roe \ud83d", pandas.NaT)
    for number, cell in enumerate(cells):
        ids = np.empty(len(people), dtype=object)
        ids[:] = people
        ids[7] = cell
        forms = [list(ids), ids, pandas.Series(ids, dtype=object)]
        # One form for each cell; all forms in `.ci/full`.
        for own in forms if os.environ.get("DPSIS_EXHAUSTIVE") else forms[number % 3 : number % 3 + 1]:
            assert len(dpsis.select(x, 2, 1, y=EVENT, unit=own, **ON).names) == 2
            assert len(dpsis.select(LABS, 2, 1, unit=own, **ON).names) == 2


def test_weights(command_line, printed, tmp_path):
    """By names or from a file, and those made from a public table."""
    genes = pandas.read_csv(GENES)
    by_name = {"gene_017": 2.0, "gene_074": 1.0, "other": 3.0}
    path = tmp_path / "weights.csv"
    path.write_text("feature,weight\n" + "".join(f"{name},{weight}\n" for name, weight in by_name.items()))
    for options, given in (([], {}), (["--weights-uniform", "0.5"], {"weights_uniform": 0.5})):
        expected = command_line("select", "--k", 3, "--eps", 1, "--weights", path, *options, "--seed", 4, GENES)
        for weights in (path, str(path), by_name, pandas.Series(by_name)):
            found = dpsis.select(genes, 3, 1, weights=weights, **given, seed=4)
            assert without(found.record) == without(expected)
        assert expected["mechanism"]["weights"] == "2"
    assert "weights=..." in found.record["run"]["request"]
    assert found.record["significance"]["threshold"] is None
    made = dpsis.weights(genes)
    lines = printed("weights", GENES).splitlines()
    assert made == {name: float(weight) for name, weight in (line.split(",") for line in lines[1:])}
    assert dpsis.select(genes, 3, 1, weights=made, seed=1).record["mechanism"]["weights"] == "300"
    plan = dpsis.plan(300, 2000, 2, 1, class_shares=0.5, weights=by_name, over=[], seed=1)
    assert plan.record["mechanism"]["weights"] == "3"
    for wrong, error in (({"gene_017": -1}, dpsis.RequestError), ([1, 2], TypeError), ({"nobody": 1}, dpsis.RequestError)):
        with pytest.raises(error, match="weight"):
            dpsis.select(genes, 3, 1, weights=wrong, seed=1)
    with pytest.raises(dpsis.RequestError, match="needs weights"):
        dpsis.select(genes, 3, 1, weights_uniform=0.5, seed=1)
