"""The example for vantage6, run with its mock client: several nodes, one release."""

import importlib
import os

import numpy as np
import pandas
import pytest

from conftest import ROOT

mock_client = pytest.importorskip("vantage6.algorithm.tools.mock_client", reason="vantage6-algorithm-tools is not installed")

FACTS = {"bounds": [0, 50], "classes": ["no", "yes"], "target": "ill"}
IDS = [7, 8, 9]


@pytest.fixture
def nodes(tmp_path, monkeypatch, printed):
    """Three nodes; two of ten features are associated with the class."""
    monkeypatch.syspath_prepend(str(ROOT / "python" / "examples" / "vantage6"))
    monkeypatch.setenv("TEMPORARY_FOLDER", str(tmp_path))
    monkeypatch.setenv("DPSIS_BIN", os.environ.get("DPSIS_BIN", str(ROOT / "target/release/dpsis")))
    rng = np.random.default_rng(5)
    ill = rng.random(900) < 0.5
    frame = pandas.DataFrame({f"f{place}": rng.uniform(0, 50, 900).round(2) for place in range(10)})
    for strong in ("f3", "f6"):
        frame[strong] = np.where(ill, 35, 15) + rng.uniform(-15, 15, 900).round(2)
    frame["ill"] = np.where(ill, "yes", "no")
    frames = [frame[:100], frame[100:500], frame[500:]]
    client = mock_client.MockAlgorithmClient(
        datasets=[[{"database": one}] for one in frames], module="dpsis_sites", organization_ids=IDS
    )
    return frame, client


def run(client, method, **arguments):
    """The result of a task at the first node."""
    input_ = {"method": method, "kwargs": arguments}
    task = client.task.create(input_=input_, organizations=[IDS[0]])
    [result] = client.wait_for_results(task["id"])
    return result


def test_sites_release_the_names_of_all_rows(nodes, tmp_path, monkeypatch, printed):
    frame, client = nodes
    ledger = tmp_path / "budget.txt"
    printed("ledger", "create", "--cap", 30, ledger)
    monkeypatch.setenv("DPSIS_LEDGER", str(ledger))
    agreed = run(client, "agree", facts=FACTS)
    assert agreed["sites"] == IDS and len(agreed["fingerprint"]) == 64
    monkeypatch.setenv("DPSIS_FINGERPRINT", agreed["fingerprint"])
    record = run(client, "release", agreed=agreed, k=2, epsilon="20")
    # At this epsilon another selection has a probability below e^-30.
    assert [one["name"] for one in record["selected"]] == ["f3", "f6"]
    assert record["private"] and record["guarantee"]["epsilon"] == "20"
    # The counts are of all rows of all nodes.
    assert abs(record["released"]["rows_estimate"] - len(frame)) < 30
    assert record["ledger"]["left"] == "10"
    # Neither rows nor keys stay at the nodes.
    assert [path.name for path in tmp_path.iterdir()] == ["budget.txt"]


def test_no_node_shows_its_sums(nodes, tmp_path, monkeypatch, printed):
    _, client = nodes
    agreed = run(client, "agree", facts=FACTS)
    module = importlib.import_module("dpsis_sites")
    one = module._at_all(client, IDS[:1], "mask", facts=FACTS, roster=agreed["roster"])
    (tmp_path / "one").write_text(one[0])
    with pytest.raises(RuntimeError, match="site"):
        module._dpsis("select", "--k=1", "--eps=1", "--partials", tmp_path / "one")


def test_requests_without_agreement_are_refused(nodes, monkeypatch):
    _, client = nodes
    agreed = run(client, "agree", facts=FACTS)
    monkeypatch.setenv("DPSIS_FINGERPRINT", "0" * 64)
    with pytest.raises(RuntimeError, match="fingerprint"):
        run(client, "release", agreed=agreed, k=2, epsilon="1")
    monkeypatch.delenv("DPSIS_FINGERPRINT")
    with pytest.raises(ValueError, match="three"):
        run(client, "agree", facts=FACTS, sites=IDS[:2])
    # Facts that differ from the facts of the keys, and a fact that would add options.
    other = {**agreed, "facts": {**FACTS, "bounds": [0, 40]}}
    with pytest.raises(RuntimeError):
        run(client, "release", agreed=other, k=2, epsilon="1")
    with pytest.raises(ValueError):
        run(client, "agree", facts={**FACTS, "classes": ["no", "yes,maybe"]})
