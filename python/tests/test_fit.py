"""Private models, and dry runs of them: as the command line makes them."""

import json
import pickle
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import dpsis

TARGETS = {
    "number": ({}, []),
    "bounded": ({"target_bounds": (-3, 3)}, ["--target-bounds=-3,3"]),
    "two": ({"classes": ["control", "case"]}, ["--classes", "control,case"]),
}
MODELS = {
    "drawn ranges": ({"k": 3}, ["--k", 3]),
    "given ranges": ({"k": 3, "bounds": (-2, 2), "selection_share": "1/2"}, ["--k", 3, "--bounds=-2,2", "--selection-share", "1/2"]),
    "significant": ({"fwer": 0.1, "ranges": 0.2}, ["--fwer", "0.1", "--ranges", "0.2"]),
    "given features": ({"features": ["gene 1", "gene 4"]}, ["--features", "gene 1,gene 4"]),
    "delta": ({"k": 12, "delta": "1e-6"}, ["--k", 12, "--delta", "1e-6"]),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("target", TARGETS)
def test_the_same_bits(numbers, printed, tmp_path, target, model):
    frame, targets = numbers
    y = targets["number" if target == "bounded" else target]
    (of_target, target_options), (of_model, model_options) = TARGETS[target], MODELS[model]
    given = {**of_target, **of_model, "epsilon": 20, "seed": 11}
    table, file = tmp_path / "table.csv", tmp_path / "model.json"
    whole = frame.assign(**{"out come": y})
    whole.to_csv(table, index=False)
    options = [*target_options, *model_options, "--eps", 20, "--seed", 11]
    printed("fit", *options, "-o", file, table)
    written = file.read_text() if file.exists() else None
    forms = [(table, {}), (whole, {}), (polars.from_pandas(whole), {}), (frame, {"y": y})]
    forms.append((frame.to_numpy(), {"y": y, "feature_names": list(frame.columns)}))
    for data, more in forms:
        found = dpsis.fit(data, **more, **given)
        assert not found.private and found.record["randomness"]["seeded"]
        if written is None:
            assert found.model is None
            continue
        of_file = json.loads(written)
        if "y" in more:
            of_file["target"]["name"] = found.model.record["target"]["name"]
        assert found.model.record == of_file
        assert [frame.columns[place] for place in found.indices] == found.names
    if written is None:
        return
    found = dpsis.fit(table, **given)
    found.save(tmp_path / "saved.json")
    assert (tmp_path / "saved.json").read_text() == written
    of_command = printed("predict", tmp_path / "saved.json", table).splitlines()[1:]
    with pytest.warns(dpsis.NotPrivateWarning):
        read = dpsis.load_model(file)
    for data in (table, whole, polars.from_pandas(frame)):
        if target == "two":
            probabilities = read.predict_proba(data)
            assert probabilities[:, 1].tolist() == [float(line) for line in of_command]
            assert (probabilities.sum(axis=1) == pytest.approx(1)) and read.classes == ["control", "case"]
            labels = np.where(probabilities[:, 1] > 0.5, "case", "control")
            assert read.predict(data).tolist() == labels.tolist()
        else:
            assert read.predict(data).tolist() == [float(line) for line in of_command]
    outside = read.predict(frame.to_numpy(), feature_names=list(frame.columns))
    assert outside.tolist() == read.predict(table).tolist()


def test_levels(printed, tmp_path):
    rng = np.random.default_rng(5)
    stage = rng.choice(["I", "II", "III, late", None], size=4000)
    x = rng.uniform(-1, 1, size=4000).round(3)
    y = x + pandas.Series(stage).map({"I": 0, "II": 4, "III, late": 2}).fillna(0).to_numpy()
    frame = pandas.DataFrame({"stage": stage, "x": x, "code": rng.integers(1, 4, size=4000), "y": y.round(3)})
    table, file = tmp_path / "table.csv", tmp_path / "model.json"
    frame.to_csv(table, index=False)
    levels = {"stage": ["I", "II", "III, late"], "code": [1, 2, 3]}
    given = {"features": ["x", "stage", "code"], "levels": levels, "epsilon": 20, "seed": 11}
    forms = [table, frame, frame.astype({"stage": "category"}), polars.from_pandas(frame)]
    found = [dpsis.fit(data, **given) for data in forms]
    assert len({one.to_json() for one in found}) == 1
    names = ["x", "stage=II", "stage=III, late", "code=2", "code=3"]
    assert found[0].names == names and found[0].indices == [1, 0, 0, 2, 2]
    assert found[0].coef_ == pytest.approx([1, 4, 2, 0, 0], abs=0.2)
    assert found[0].model.to_frame()["reference"].fillna("").tolist() == ["", "I", "I", "1", "1"]
    found[0].save(file)
    with pytest.warns(dpsis.NotPrivateWarning):
        read = dpsis.load_model(file)
    predictions = [read.predict(data).tolist() for data in forms]
    assert all(of_one == predictions[0] for of_one in predictions)
    assert predictions[0] == pytest.approx(y, abs=0.6)
    # The command line splits levels at commas.
    command = ["fit", "--features", "x,code", "--levels", "code=1,2,3", "--eps", 20, "--seed", 11]
    given |= {"features": ["x", "code"], "levels": {"code": [1, 2, 3]}}
    assert json.loads(printed(*command, table)) == dpsis.fit(table, **given).model.record
    with pytest.raises(TypeError, match="a set has no order"):
        dpsis.fit(table, epsilon=1, k=1, levels={"stage": {"I", "II"}})
    with pytest.raises(dpsis.RequestError, match="did you mean \"stage\"") as refused:
        dpsis.fit(table, epsilon=1, features=["stag"])
    assert refused.value.parameters == ("features",)
    for wrong, expected in [
        ({"stage": ["I", "I"]}, "differ"),
        ({"stage": ["I", None]}, "missing"),
        ({"stag": ["I", "II"]}, "stag"),
    ]:
        with pytest.raises(dpsis.RequestError, match=expected):
            dpsis.fit(table, epsilon=1, k=1, levels=wrong)


def test_contents_of_a_model(numbers):
    frame, targets = numbers
    linear = dpsis.fit(frame, 3, 20, y=targets["number"], bounds=(-2, 2), target_bounds=(-4, 4), seed=1)
    assert linear.kind == "linear" and linear.classes is None and linear.noise_ is None
    assert linear.intervals_.shape == (3, 2)
    assert (linear.intervals_[:, 0] < linear.coef_).all() and (linear.coef_ < linear.intervals_[:, 1]).all()
    assert sorted(linear.names) == ["gene 1", "gene 4", "gene 7"]
    assert list(linear.to_frame().columns) == ["name", "coefficient", "low", "high", "range"]
    assert not {"places", "table_features"} & set(linear.record)
    assert "intercept" in linear.report() and linear.record["guarantee"]["epsilon"] == "20"
    with pytest.raises(dpsis.RequestError, match="no probabilities"):
        linear.predict_proba(frame)
    one = frame[linear.names].fillna(0).iloc[:1].to_numpy()
    by_hand = linear.intercept_ + (np.clip(one, -2, 2) @ linear.coef_)[0]
    assert linear.predict(one, feature_names=linear.names)[0] == pytest.approx(np.clip(by_hand, -4, 4))
    logistic = dpsis.fit(frame, 1, 20, y=targets["two"], classes=["control", "case"], lambda_=30, seed=1)
    assert logistic.kind == "logistic" and logistic.noise_.shape == (1,) and logistic.intervals_ is None
    single = frame[logistic.names]
    assert logistic.predict_proba(single).shape == (900, 2)
    again = pickle.loads(pickle.dumps(logistic))
    assert again == logistic and hash(again) == hash(logistic)


def test_no_model(numbers):
    frame, targets = numbers
    found = dpsis.fit(frame[:30], 2, 0.01, y=targets["number"][:30], seed=1)
    assert found.model is None and len(found.names) == 2 and "no model" in found.report()
    for ask in (lambda: found.predict(frame), lambda: found.coef_, lambda: found.save("never")):
        with pytest.raises(dpsis.RequestError, match="determine even the mean of the target"):
            ask()


def test_the_target_may_come_second(numbers):
    frame, targets = numbers
    y = targets["number"]
    quiet = {"epsilon": 20, "seed": 1}
    with pytest.warns(dpsis.NotPrivateWarning):
        first = dpsis.fit(frame, y, k=2, **quiet)
        assert first.record["model"] == dpsis.fit(frame, 2, y=y, **quiet).record["model"]
        assert dpsis.select(frame, y, 2, **quiet).names == dpsis.select(frame, 2, y=y, **quiet).names


def test_invalid_requests_are_refused(numbers, tmp_path):
    frame, targets = numbers
    y = targets["number"]
    with pytest.raises(TypeError, match="unexpected keyword argument 'clases'"):
        dpsis.fit(frame, 2, 1, y=y, clases=["a"])
    for wrong, expected in [
        ({"k": 2, "epsilon": None}, "budget"),
        ({"k": 2, "features": ["gene 1"]}, "not both"),
        ({"features": ["gene 99"]}, "no feature"),
        ({"k": 2, "selection_share": 2}, "below 1"),
        ({"k": 2, "lambda_": 2}, "two classes"),
        ({"k": 2, "scale": "cpm"}, "counts per million"),
        ({"k": 2, "groups": {"a": ["gene 1"]}}, "not sets"),
        ({"k": 2, "seed": 1, "ledger": tmp_path / "any"}, "not for release"),
    ]:
        with pytest.raises(dpsis.RequestError, match=expected):
            dpsis.fit(frame, **{"epsilon": 1, "y": y, **wrong})
    with pytest.raises(dpsis.ReadError):
        dpsis.load_model(tmp_path / "none.json")
    (tmp_path / "wrong.json").write_text("{}")
    with pytest.raises(dpsis.InputError, match="cannot be read"):
        dpsis.load_model(tmp_path / "wrong.json")
    found = dpsis.fit(frame, 2, 20, y=y, seed=1)
    with pytest.raises(dpsis.RequestError, match="has no column"):
        found.predict(frame.drop(columns=found.names))


def test_a_fit_is_charged(numbers, tmp_path):
    frame, targets = numbers
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=6)
    given = {"y": targets["number"], "ledger": ledger, "bounds": (-2, 2), "target_bounds": (-4, 4)}
    planned = dpsis.fit(frame, 2, 5, **given, dry_run=True)
    assert ledger.spent == 0 and planned.record["dry_run"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", dpsis.NotPrivateWarning)
        found = dpsis.fit(frame, 2, 5, **given)
    assert found.private and ledger.spent == 5 and found.record["ledger"]
    for dry in (False, True):
        with pytest.raises(dpsis.BudgetExceeded):
            dpsis.fit(frame, 2, 5, **given, dry_run=dry)
        with pytest.raises(dpsis.BudgetExceeded):
            dpsis.select(frame, 2, 5, y=targets["number"], ledger=ledger, dry_run=dry)


@pytest.mark.parametrize("command", ["select", "fit"])
def test_dry_runs(numbers, command_line, tmp_path, command):
    frame, targets = numbers
    table = tmp_path / "table.csv"
    frame.assign(y=targets["number"]).to_csv(table, index=False)
    options = [command, "--k", 3, "--eps", 2, "--dry-run", table]
    for data, more in [(table, {}), (frame, {"y": targets["number"]})]:
        planned = getattr(dpsis, command)(data, 3, 2, dry_run=True, **more)
        assert isinstance(planned, dpsis.DryRun)
        record, expected = planned.record, command_line(*options)
        for one in (record, expected):
            for part in (one, one.get("selection") or {}):
                part.pop("target", None)
        assert record == expected
        assert "only the" in planned.report() and repr(planned) == planned.report()


def test_no_row_is_read_in_a_dry_run(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b,y\n1,2\n")
    assert dpsis.select(table, 1, 1, dry_run=True).record["features"] == 2
    with pytest.raises(dpsis.InputError):
        dpsis.select(table, 1, 1)


def test_people(printed, tmp_path):
    """With ids as a column the model equals the model of the command line."""
    rng = np.random.default_rng(3)
    x = rng.uniform(size=(3000, 2))
    frame = pandas.DataFrame({"who": np.arange(3000) // 2, "a": x[:, 0], "b": x[:, 1], "y": x[:, 0] * 2})
    table = tmp_path / "table.csv"
    frame.to_csv(table, index=False)
    options = ["--k", 1, "--eps", 9, "--seed", 4, "--unit", "who", "--unit-target", "mean", "--bounds", "0,1"]
    expected = json.loads(printed("fit", *options, "--target-bounds", "0,2", table))
    given = {"unit_target": "mean", "bounds": (0, 1), "target_bounds": (0, 2), "seed": 4}
    assert dpsis.fit(frame, 1, 9, unit="who", **given).model.record == expected
    outside = dpsis.fit(frame.drop(columns="who"), 1, 9, unit=frame["who"], **given)
    assert outside.model.record == expected and expected["guarantee"]["unit"] == "person"


def test_text_needs_levels(tmp_path):
    rng = np.random.default_rng(5)
    stage = rng.choice(["I", "II"], size=400)
    columns = {"age": rng.uniform(0, 9, size=400), "stage": stage, "y": rng.uniform(0, 9, size=400)}
    frame = pandas.DataFrame(columns)
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=9)

    def fit(data, **given):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return dpsis.fit(data, **{"k": 1, "epsilon": 1, "target_bounds": (0, 9), "ledger": ledger, **given})

    texts = (
        frame, frame.assign(stage=frame["stage"].astype("category")), frame.assign(stage=frame["stage"].astype("string")),
        polars.DataFrame(columns), polars.DataFrame(columns).with_columns(polars.col("stage").cast(polars.Categorical)),
        pyarrow.table(columns), pyarrow.table({**columns, "stage": pyarrow.array(stage).dictionary_encode()}),
    )  # fmt: skip
    for data in texts:
        for options in ({}, {"dry_run": True}, {"k": None, "features": ["age", "stage"]}):
            with pytest.raises(dpsis.RequestError, match='column "stage" holds text') as caught:
                fit(data, **options)
            assert caught.value.parameters[0] == "levels"
        assert ledger.spent == 0
    with pytest.raises(dpsis.RequestError, match=r"\(levels, X\)"):
        dpsis.PrivateRegression(1, epsilon=1, target_bounds=(0, 9)).fit(frame.drop(columns="y"), frame["y"])
    # The remedies, and types that leave it open.
    for data in (texts[0], texts[1], texts[3], texts[5]):
        assert fit(data, levels={"stage": ["I", "II"]}, seed=1, ledger=None).names
        assert fit(data, exclude="stage", seed=1, ledger=None).names == ["age"]
        assert fit(data, k=None, features=["age"], seed=1, ledger=None).names == ["age"]
    assert fit(frame.assign(stage=frame["stage"].astype(object)), seed=1, ledger=None).private is False


def test_the_record_notes_the_run():
    x = np.random.default_rng(1).uniform(0, 9, size=(500, 2))
    fitted = dpsis.fit(x, y=x[:, 0], features=["feature-1"], epsilon=1, bounds=(0, 9), target_bounds=(0, 9))
    run = fitted.record["run"]
    assert run["request"].startswith("dpsis.fit(data, ") and "features=['feature-1']" in run["request"]
    assert run["day"] and "share" not in run["request"]
