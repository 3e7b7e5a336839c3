"""Releases as others read them: output checkers with acro, custodians of a ledger."""

import hashlib
import json

import pytest

import dpsis
from conftest import ROOT

DEMO = ROOT / "datasets" / "demo.csv"


@pytest.fixture(scope="module")
def results():
    """A selection, a choice and a model."""
    selection = dpsis.select(DEMO, 5, 2)
    choice = dpsis.choose({"lasso": 0.81, "forest, <b>": 0.87}, 0.75, k=2, sensitivity=0.005)
    return {"select": selection, "choose": choice, "fit": dpsis.fit(DEMO, 2, 9)}


@pytest.fixture(scope="module")
def record():
    """The records of acro."""
    pytest.importorskip("acro", reason="acro is not installed")
    from acro import record

    return record


@pytest.mark.parametrize("command", ["select", "choose", "fit"])
def test_acro_loads_the_folder(results, record, tmp_path, command):
    result = results[command]
    result.to_acro(tmp_path / "out")
    loaded = record.load_records(str(tmp_path / "out"))
    assert loaded.get_keys() == ["output_0"]
    one = loaded.get("output_0")
    assert (one.status, one.properties["method"]) == ("review", f"dpsis {command}")
    guarantee = result.record["guarantee"]
    assert one.properties["guarantee"]["epsilon"] == guarantee["epsilon"]
    # The names are acro's output.
    assert list(one.output[0]["name"]) == result.names
    assert one.outcome["result"]["the guarantee covers every file"] == "ok"
    assert f"epsilon {guarantee['epsilon']}, delta 0" in one.summary
    # It prints, and writes again, what it has loaded. (`finalise` would put a summary of its own in the place of any
    # output_0 that was loaded.)
    assert "review" in loaded.print()
    loaded.finalise_json(str(tmp_path / "again"))
    again = record.load_records(str(tmp_path / "again")).get("output_0")
    assert list(again.output[0]["name"]) == result.names


def test_a_session_of_acro_takes_several(results, record, tmp_path):
    import acro

    session = acro.ACRO()
    for command, result in results.items():
        result.to_acro(tmp_path / command, session=session)
    session.finalise(str(tmp_path / "all"))
    found = json.loads((tmp_path / "all" / "results.json").read_text())["results"]
    for number, (command, result) in enumerate(results.items()):
        one = found[f"output_{number}"]
        assert (one["status"], one["properties"]["method"]) == ("review", f"dpsis {command}")
        # No output replaced the files of another.
        [name] = [file["name"] for file in one["files"] if file["name"].endswith("record.json")]
        assert json.loads((tmp_path / "all" / name).read_text()) == result.record


def test_the_folder_is_whole(results, tmp_path):
    results["select"].to_acro(tmp_path / "out")
    files = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir() if path.is_file()}
    sums = {path.name: path.read_text() for path in (tmp_path / "out" / "checksums").iterdir()}
    assert sums == {f"{name}.txt": hashlib.sha256(data).hexdigest() for name, data in files.items()}
    pytest.importorskip("matplotlib")
    assert files["output_0_effect_sizes.png"].startswith(b"\x89PNG")
    assert "output_0_effect_sizes.png" in files["results.json"].decode()
    # Nothing to draw: no effect sizes were released.
    results["choose"].to_acro(tmp_path / "choice")
    assert not list((tmp_path / "choice").glob("*.png"))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(dpsis.ReadError, match="must be new"):
        results["choose"].to_acro(tmp_path / "choice")
    with pytest.raises(dpsis.ReadError):
        results["choose"].to_acro(tmp_path / "nowhere" / "out")
    assert sorted(tmp_path.iterdir()) == before


def test_a_seed_fails_the_check(tmp_path):
    seeded = dpsis.select(DEMO, 2, 1, seed=1)
    seeded.to_acro(tmp_path / "out")
    one = json.loads((tmp_path / "out" / "results.json").read_text())["results"]["output_0"]
    assert one["status"] == "fail" and "NOT PRIVATE" in one["summary"]


def test_a_ledger_is_kept(tmp_path):
    ledger = dpsis.Ledger(tmp_path / "ledger", cap=1, name="<b>pilot", note="signed off")
    dpsis.choose({"a": 1, "b": 2}, 0.25, sensitivity=1, ledger=ledger)
    ledger.note("a second look")
    # The ledger after a run that was stopped after its charge.
    whole = (tmp_path / "ledger").read_text()
    (tmp_path / "ledger").write_text(whole.replace("ended 1: released\n", ""))
    assert not ledger.read()["entries"][0]["released"]
    assert "1 run did not report an end" in ledger.to_html()
    (tmp_path / "ledger").write_text(whole)
    before = (tmp_path / "ledger").read_bytes()
    ledger.close("over")
    assert ledger.closed and (tmp_path / "ledger").read_bytes().startswith(before)
    with pytest.raises(dpsis.BudgetExceeded, match="closed"):
        dpsis.choose({"a": 1, "b": 2}, 0.25, sensitivity=1, ledger=ledger)
    with pytest.raises(dpsis.RequestError, match="closed"):
        ledger.close()
    for wrong in ("", "a\nb"):
        with pytest.raises(dpsis.RequestError):
            ledger.note(wrong)
    content = ledger.read()
    assert [note["text"] for note in content["notes"]] == ["signed off", "a second look"]
    assert content["closed"]["text"] == "over"
    assert content["entries"][0]["released"]
    page = ledger.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert "CLOSED" in page and "a second look" in page and "<b>" not in page
