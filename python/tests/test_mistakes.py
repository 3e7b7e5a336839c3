"""Messages of usual mistakes: the rule, the parameters that mend it, and never a value of the data."""

import pickle
import traceback
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import dpsis

RNG = np.random.default_rng(3)
X = RNG.normal(size=(300, 6))
Y = X[:, 0] + RNG.normal(size=300)


class OnGpu:
    """Like an array that lies in the memory of a GPU."""

    __cuda_array_interface__ = {}

    def __array__(self):
        raise AssertionError("not to be touched")


class Sparse:
    def tocsr(self):
        return self


def frame(**columns):
    return pandas.DataFrame(X, columns=list("abcdef")).assign(**columns)


def until_ended(data=X, **given):
    """Released counts, which have noise, end a run or do not: of some seeds one does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(40):
            dpsis.select(data, 2, 1, seed=seed, **given)


MISTAKES = {
    "no such refinement": (lambda: dpsis.select(X, 2, 1, y=Y, refine="ridge"), ValueError, r'"gram" \(refine\)'),
    "a refinement of votes": (
        lambda: dpsis.select(X, 2, 1, y=Y, method="two-stage", refine="gram"), ValueError, "by scores.*refine",
    ),
    "labels not given": (
        lambda: dpsis.select(X, 2, 1, y=np.where(Y > 0, "secret", "other")),
        ValueError, "y holds texts: give its labels in classes",
    ),
    "labels of a type not known before": (
        lambda: until_ended(y=np.where(Y > 0, "secret", "other").astype(object)),
        ValueError, r"by private counts.*give them as classes.*\(classes, ",
    ),
    "labels in a category": (
        lambda: until_ended(y=pandas.Categorical(np.where(Y > 0, "secret", "other"))),
        ValueError, "give them as classes",
    ),
    "labels in polars": (
        lambda: dpsis.select(X, 2, 1, y=polars.Series(np.where(Y > 0, "secret", "other"))),
        ValueError, "y holds texts",
    ),
    "truth values": (
        lambda: dpsis.select(X, 2, 1, y=Y > 0), ValueError, "column of booleans.*give the classes 0 and 1",
    ),
    "labels that are not booleans": (
        lambda: dpsis.select(X, 2, 1, y=Y > 0, classes=["yes", "no"]), ValueError, "booleans",
    ),
    "the target left in data": (
        lambda: dpsis.select(frame(age=Y), 2, 1, y=pandas.Series(Y, name="age")),
        ValueError, "y has the name of the column 'age'",
    ),
    "another order of rows": (
        lambda: dpsis.select(frame(), 2, 1, y=pandas.Series(Y).iloc[::-1]), ValueError, "align them",
    ),
    "the name as y": (lambda: dpsis.select(frame(), 2, 1, y="a"), TypeError, "named by target"),
    "targets as target": (
        lambda: dpsis.select(frame(), 2, 1, target=pandas.Series(Y)), TypeError, "themselves are y",
    ),
    "no columns": (lambda: dpsis.select(pandas.DataFrame(), 2, 1), ValueError, "no columns"),
    "a function as a word": (
        lambda: dpsis.select(X, 2, 1, y=Y, score=max), TypeError, "score must be a text",
    ),
    "a name that is no text": (
        lambda: dpsis.select(X, 2, 1, y=Y, feature_names=["\ud83d", *"bcdef"]), ValueError, "UTF-8",
    ),
    "labels in the table not given": (
        lambda: until_ended(frame(y=np.where(Y > 0, "secret", "other"))),
        ValueError, r"give them as classes",
    ),
    "other labels given": (
        lambda: until_ended(y=np.where(Y > 0, "secret", "other"), classes=["yes", "no"]),
        ValueError, "by private counts the classes have almost no rows",
    ),
    "the epsilon of others": (lambda: dpsis.select(X, 2, eps=1, y=Y), TypeError, "did you mean 'epsilon'"),
    "a seed of others": (lambda: dpsis.select(X, 2, 1, y=Y, random_state=1), TypeError, "did you mean 'seed'"),
    "a fact misspelled": (lambda: dpsis.inspect(frame(), taget="a"), TypeError, r"inspect\(\).*did you mean 'target'"),
    "an option of a fit misspelled": (
        lambda: dpsis.fit(X, 2, 1, y=Y, lamda_=3), TypeError, r"fit\(\).*did you mean 'lambda_'",
    ),
    "an estimator's k of others": (
        lambda: dpsis.PrivateSelectKBest(n_features_to_select=2), TypeError, "PrivateSelectKBest.*did you mean 'k'",
    ),
    "a ledger's cap misspelled": (lambda: dpsis.Ledger("x", capp=2), TypeError, "did you mean 'cap'"),
    "nothing like it": (lambda: dpsis.plan(100, 5, 2, 1, zzz=2), TypeError, "argument 'zzz'$"),
    "no such target": (
        lambda: dpsis.select(frame(), 2, 1, target="nope"), ValueError, r"^there is no column \"nope\" for the target \(target\)$",
    ),
    "k above d": (lambda: dpsis.select(X, 7, 1, y=Y), ValueError, r"k must not exceed .*\(k\)"),
    "k of 0": (lambda: dpsis.select(X, 0, 1, y=Y), ValueError, "k must be at least 1"),
    "k of a half": (lambda: dpsis.select(X, 0.5, 1, y=Y), TypeError, "k must be an integer"),
    "epsilon 0": (lambda: dpsis.select(X, 2, 0, y=Y), ValueError, r"epsilon"),
    "epsilon NaN": (lambda: dpsis.select(X, 2, float("nan"), y=Y), ValueError, r"epsilon"),
    "epsilon true": (lambda: dpsis.select(X, 2, True, y=Y), TypeError, "epsilon must be a number"),
    "wrong orientation": (
        lambda: dpsis.select(X.T, 2, 1, y=Y), ValueError, "pass the transpose",
    ),
    "y too short": (lambda: dpsis.select(X, 2, 1, y=Y[1:]), ValueError, "same number of rows"),
    "frame and y differ": (
        lambda: dpsis.select(polars.DataFrame(X), 2, 1, y=Y[1:]), ValueError, "same number of rows",
    ),
    "no y": (lambda: dpsis.select(X, 2, 1), ValueError, r"the target must be given: y"),
    "duplicated columns": (
        lambda: dpsis.select(frame().set_axis(list("aacdef"), axis=1), 2, 1), ValueError, "'a' occurs twice",
    ),
    "duplicated names": (
        lambda: dpsis.select(X, 2, 1, y=Y, feature_names=list("aacdef")), ValueError, "twice",
    ),
    "sparse matrix": (lambda: dpsis.select(Sparse(), 2, 1, y=Y), TypeError, "toarray"),
    "GPU array": (lambda: dpsis.select(OnGpu(), 2, 1, y=Y), TypeError, "is on a GPU"),
    "list of lists": (lambda: dpsis.select(X.tolist(), 2, 1, y=Y), TypeError, "is a list: pass"),
    "dictionary": (lambda: dpsis.select({"a": X}, 2, 1, y=Y), TypeError, "must be a path"),
    "neither data nor partials": (lambda: dpsis.select(k=2, epsilon=1), TypeError, "must be a path"),
    "complex": (lambda: dpsis.select(X * 1j, 2, 1, y=Y), ValueError, "Complex data"),
    "three dimensions": (lambda: dpsis.select(X[None], 2, 1, y=Y), ValueError, "two dimensions"),
    "complex columns": (
        lambda: dpsis.select(frame(stay=Y * 1j, y=Y), 2, 1), TypeError, "column 'stay'.*neither numbers",
    ),
    "lists in polars": (
        lambda: dpsis.select(polars.DataFrame({"a": [[1.0]] * 9, "y": range(9)}), 1, 1),
        ValueError, 'column "a" holds neither numbers, dates nor texts',
    ),
    "target not there": (
        lambda: dpsis.select(frame(age=Y), 2, 1, target="agee"), ValueError, r"age.*\(target\)",
    ),
    "target and y": (lambda: dpsis.select(frame(), 2, 1, y=Y, target="a"), ValueError, "not both"),
    "classes as text": (
        lambda: dpsis.select(X, 2, 1, y=Y, classes="a,b"), TypeError, "a list of labels",
    ),
    "bounds upside down": (
        lambda: dpsis.select(X, 2, 1, y=Y, bounds=(1, 0)), ValueError, r"bounds",
    ),
    "bounds of one number": (lambda: dpsis.select(X, 2, 1, y=Y, bounds=1), TypeError, "bounds"),
    "unknown score": (
        lambda: dpsis.select(X, 2, 1, y=Y, score="f"), ValueError, r"'?\"ks\".*\(score\)",
    ),
    "unknown mechanism": (
        lambda: dpsis.select(X, 2, 1, y=Y, mechanism="best"), ValueError, r"canonical",
    ),
    "file not there": (lambda: dpsis.select("not there.csv", 2, 1), OSError, "not there.csv"),
    "ledger not there": (
        lambda: dpsis.select(X, 2, 1, y=Y, ledger="not/there"), OSError, r"no ledger.*\(ledger\)",
    ),
    "seed and ledger": (
        lambda: dpsis.select(X, 2, 1, y=Y, ledger="any", seed=1), ValueError, "not for release",
    ),
    "unknown argument": (lambda: dpsis.select(X, 2, 1, y=Y, eps=1), TypeError, "eps"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_messages_of_mistakes(mistake):
    run, kind, expected = MISTAKES[mistake]
    with pytest.raises(kind, match="(?s)" + expected) as caught:
        run()
    text = str(caught.value)
    assert "secret" not in text and "--" not in text and "::" not in text, text


def test_missing_files_have_near_names(tmp_path):
    (tmp_path / "data.csv").write_text("a,y\n1,2\n")
    missing = tmp_path / "dat.csv"
    for use in (lambda: dpsis.select(missing, 1, 1), lambda: dpsis.load_model(missing), lambda: dpsis.Ledger(missing)):
        with pytest.raises(dpsis.ReadError, match='did you mean "data.csv"'):
            use()


def test_of_data_in_memory_no_warning_speaks_of_a_file():
    y = np.array(["a", "b", "c"])[np.arange(300) % 3]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dpsis.select(X, 2, 5, y=y, classes=["a", "b"])
    shown = " ".join(str(one.message) for one in caught)
    assert "no usable target" in shown and "dpsis.inspect" in shown
    assert "file" not in shown


@pytest.mark.filterwarnings("ignore::dpsis.DpsisWarning")
def test_tables_without_a_usable_row_are_released():
    """Whether there is a row is private: it is counted with noise, and only counts end a run."""
    some = frame(y=["a", "b", "c"] * 100)
    for data in (some, some.iloc[:0], pyarrow.Table.from_pandas(some).slice(0, 0)):
        for run in (
            lambda: dpsis.select(data, 1, 1, target="y", classes=["x", "z"]),
            lambda: dpsis.select(data, 1, 1, target="y"),
            lambda: dpsis.select(data, 1, 1, target="y", score="kendall"),
            lambda: dpsis.fit(data, features=["a"], epsilon=1, target="y", classes=["x", "z"], bounds=[0, 1]),
            lambda: dpsis.select(
                partials=[dpsis.partial(data, (1, 1), target="y", classes=["x", "z"], bounds=[0, 1])], k=1, epsilon=1
            ),
        ):
            try:
                run()
            except dpsis.InputError as error:
                assert "by private counts" in str(error)


def test_identifiers_that_repeat_take_no_part():
    data = frame(who=[f"p{i // 2}" for i in range(300)], y=["a", "b"] * 150)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = dpsis.select(data, 1, 4, id="who", target="y", classes=["a", "b"])
            assert found.record["guarantee"]["one_row_per_identifier"]
            expected = " ".join(str(one.message) for one in caught)
        except dpsis.InputError as error:
            expected = str(error)
    assert "share an identifier take no part" in expected and "unit" in expected


class Unprintable:
    def __str__(self):
        raise RuntimeError(SECRET)

    __repr__ = __str__


def test_a_category_without_a_text():
    odd = pandas.Categorical.from_codes([0] * 300, pandas.Index([Unprintable()], dtype=object))
    data = frame(odd=odd, y=Y)
    for exclude in ([], ["odd"], ["od?"]):
        assert str(SECRET) not in str(dpsis.select(data, 1, 9, exclude=exclude))


def test_errors_name_parameters():
    with pytest.raises(dpsis.RequestError) as caught:
        dpsis.select(X, 7, 1, y=Y)
    assert caught.value.parameters == ("k",)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.parameters) == (str(caught.value), ("k",))


def test_one_cell_stops_no_run(tmp_path):
    """Half a character, a list, a label among numbers: missing, for any row of the person, and charged."""
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=100)
    odd = ["Jane Roe \ud83d", [1], {"a": 1}, 1j, object(), b"\xff", pandas.NaT]
    for cell in odd:
        note = pandas.Series(["fine"] * 299 + [cell], dtype=object)
        data = frame(note=note, y=Y)
        assert dpsis.select(data, 2, 1, ledger=ledger).private
        assert dpsis.select(X, 2, 1, y=[*Y[:299], cell], target_number=True, ledger=ledger).private
    assert ledger.spent == 2 * len(odd)


def test_places_of_errors(tmp_path):
    path = tmp_path / "ragged.csv"
    path.write_text("a,b,y\n1,2,3\n4,5\n")
    with pytest.raises(dpsis.InputError) as caught:
        dpsis.select(path, 1, 1)
    assert caught.value.row == 2 and isinstance(caught.value, ValueError)


def test_warnings_are_of_python():
    with pytest.warns(dpsis.NotPrivateWarning, match="seeded"):
        selection = dpsis.select(X, 2, 1, y=Y, seed=1)
    assert not selection.private
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error", dpsis.NotPrivateWarning)
        assert dpsis.select(X, 2, 1, y=Y).private


#: Data of wrong shape or kind, whose cells are to be seen nowhere. The number is one that no other text holds.
SECRET = 918273.5
TEXT = "918273.5"
BROKEN = {
    "unequal rows": [[SECRET, 1.0], [SECRET]],
    "unequal arrays": [np.full((2, 2), SECRET), np.full((2, 3), SECRET)],
    "texts": [TEXT, TEXT],
    "bytes": TEXT.encode(),
    "dictionaries": [{TEXT: SECRET}, {TEXT: SECRET}],
    "a dictionary": {"a": [SECRET, SECRET]},
    "complex values": np.full((3, 2), SECRET * 1j),
    "complex values in lists": [[SECRET * 1j, 1], [2, 3]],
    "one dimension": np.full(3, SECRET),
    "three dimensions": np.full((3, 2, 2), SECRET),
    "a number": SECRET,
    "objects in one dimension": np.array([TEXT, SECRET], dtype=object),
    "records": np.array([(SECRET, TEXT)], dtype=[("a", "f8"), ("b", "U9")]),
    "a series": pandas.Series([SECRET, SECRET]),
    "pairs in a set": {(SECRET, TEXT)},
    "spans of time": np.full((3, 2), np.timedelta64(918273, "s")),
    "nothing": None,
}
USES = {
    "select": lambda data: dpsis.select(data, 1, 1, y=[SECRET, 2.0, 3.0]),
    "select, y": lambda data: dpsis.select(X[:3], 1, 1, y=data),
    "select, unit": lambda data: dpsis.select(X[:3], 1, 1, y=Y[:3], unit=data),
    "select, id": lambda data: dpsis.select(frame(), 1, 1, target="a", id=data),
    "choose": lambda data: dpsis.choose(data, 1, 1, sensitivity=1),
    "inspect": lambda data: dpsis.inspect(data),
    "inspect, y": lambda data: dpsis.inspect(X[:3], y=data),
    "bounds": lambda data: dpsis.bounds(data),
    "compare": lambda data: dpsis.compare(data, y=[SECRET, 2.0, 3.0]),
    "compare, y": lambda data: dpsis.compare(X[:3], y=data),
    "fit": lambda data: dpsis.PrivateSelectKBest(1).fit(data, [SECRET, 2.0, 3.0]),
    "fit, y": lambda data: dpsis.PrivateSelectKBest(1).fit(X[:3], data),
    "fit, unit": lambda data: dpsis.PrivateSelectKBest(1).fit(X[:3], Y[:3], unit=data),
    "transform": lambda data: FITTED.transform(data),
    "inverse_transform": lambda data: FITTED.inverse_transform(data),
}
FITTED = dpsis.PrivateSelectKBest(1).fit(X, Y)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("data", BROKEN)
def test_no_cell_is_in_a_message(use, data):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            USES[use](BROKEN[data])
        except Exception as error:
            expected = "".join(traceback.format_exception(error))
        else:
            expected = ""
    # The lines of this file are quoted in a traceback, and hold no digits of the number.
    assert "918273" not in expected + "".join(str(one.message) for one in caught)


#: Words of files, which a table in memory has not.
OF_FILES = ("header", "delimiter", "line", "file", "Arrow", "row 1")


def tables():
    """The same table as a data frame of pandas and of polars, and as a table of pyarrow."""
    columns = {"a": Y, "b": X[:, 1], "y": X[:, 2]}
    return {"pandas": pandas.DataFrame(columns), "polars": polars.DataFrame(columns), "arrow": pyarrow.table(columns)}


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("make", [dpsis.select, dpsis.fit])
def test_errors_about_tables_in_memory_do_not_mention_files(make, kind):
    data = tables()[kind]
    wrong = [
        {"exclude": "*"}, {"exclude": ["a", "b"]}, {"exclude": "y"}, {"exclude": "c"}, {"exclude": "c*"},
        {"target": "c"}, {"target": 7}, {"unit": "c"}, {"id": "c"}, {"id": "y"}, {"adjust": "c:1"},
        {"bounds": {"c": (0, 1)}}, {"bounds": {"a": (0, 1)}}, {"bounds": (1, 0)}, {"features_as_rows": True},
        {"groups": {"s": ["c"]}}, {"k": 9}, {"k": "all"}, {"classes": ["c"]}, {"time": "c", "event": {"y": 1}, "by": 1},
    ]  # fmt: skip
    for options in wrong:
        with pytest.raises(dpsis.DpsisError) as caught:
            make(data, **{"k": 1, "epsilon": 1, **options})
        text = str(caught.value)
        assert not any(word in text for word in OF_FILES), text
        assert caught.value.parameters, text
    names = pyarrow.Table.from_arrays([pyarrow.array(Y)] * 3, names=["a", "a", "y"])
    unnamed = pandas.DataFrame(X[:, :3], columns=["a", "", "y"])
    broken = pandas.DataFrame(X[:, :3], columns=["a", "b\nc", "y"])
    alone = pandas.DataFrame({"y": Y})
    for data in (names, unnamed, unnamed[["a", "y", ""]], broken, alone, polars.DataFrame()):
        with pytest.raises(dpsis.DpsisError) as caught:
            make(data, 1, 1)
        text = str(caught.value).replace("line break", "")
        assert not any(word in text for word in OF_FILES), text


def test_the_number_of_features_is_a_number():
    match = r"leave it out to select all that are significant.*\(k\)"
    for wrong in (
        lambda: dpsis.select(X, "all", 1, y=Y),
        lambda: dpsis.fit(X, "all", 1, y=Y),
        lambda: dpsis.PrivateSelectKBest("all").fit(X, Y),
        lambda: dpsis.PrivateRegression("all", epsilon=1).fit(X, Y),
    ):
        with pytest.raises(dpsis.RequestError, match=match):
            wrong()


def test_errors_of_a_fit_name_its_arguments():
    for options, parameter in (
        ({"features": []}, "features"),
        ({"features": ["feature-1"], "k": 1}, "features"),
        ({"features": ["feature-1"], "selection_share": 0.5}, "selection_share"),
        ({"k": 1, "ranges": 2}, "ranges"),
        ({"k": 1, "lambda_": 2}, "lambda_"),
    ):
        with pytest.raises(dpsis.RequestError) as caught:
            dpsis.fit(X, y=Y, epsilon=1, **options)
        assert caught.value.parameters[0] == parameter, caught.value
