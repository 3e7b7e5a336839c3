"""An algorithm for vantage6: one selection from the rows of several nodes, none of which shows its sums.

Each node makes a key for the run and adds masks to the integer sums of its rows; the masks cancel in the sum over all nodes.
The person who runs `release` opens that total, which is exact, and draws the names from it. The page next to this file explains who learns
what. The command line ``dpsis`` does the work: it must be in the image of the algorithm.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
from vantage6.algorithm.tools.decorators import algorithm_client, data


def _dpsis(*words: Any) -> str:
    """Runs the command line and returns its output."""
    command = [os.environ.get("DPSIS_BIN", "dpsis"), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        # It contains rule and place, never a value of the table.
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def _folder(client: Any) -> Path:
    """Where a node keeps its key between the tasks of a run: its own temporary folder."""
    folder = Path(os.environ["TEMPORARY_FOLDER"]) / f"dpsis-{client.organization_id}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _table(frame: pd.DataFrame, folder: Path) -> Path:
    """The rows of a node as a file of the node."""
    path = folder / "rows.csv"
    frame.to_csv(path, index=False)
    return path


def _given(facts: dict[str, Any]) -> list[str]:
    """The options for the tables of all nodes: no task can bring other options to a node."""
    low, high = map(float, facts["bounds"])
    classes = [str(label) for label in facts["classes"]]
    if any(mark in label for label in classes for mark in ',"\n'):
        raise ValueError("a class holds a comma, a quote or a line break")
    return [f"--bounds={low},{high}", f"--classes={','.join(classes)}", f"--target={facts['target']}"]


@algorithm_client
def agree(client: Any, facts: dict[str, Any], sites: list[int] | None = None) -> dict[str, Any]:
    """Collects the keys of all nodes, and joins them: the first half of a run.

    Parameters
    ----------
    client : AlgorithmClient
    facts : dict
        Public facts about the tables, the same at all nodes: ``bounds`` of all features, the two ``classes``, and the
        ``target``.
    sites : list of int, optional
        The organizations that take part; all of the collaboration if they are not given. Three or more.

    Returns
    -------
    dict
        The argument ``agreed`` of `release`. Its ``fingerprint`` must be compared by the people of all sites first.
    """
    if sites is None:
        sites = [organization["id"] for organization in client.organization.list()]
    if len(sites) < 3:
        raise ValueError("two sites hide nothing from each other: take three or more")
    publics = _at_all(client, sites, "key", facts=facts)
    with tempfile.TemporaryDirectory() as here:
        parts = [Path(here) / f"{site}.pub" for site in sites]
        for part, public in zip(parts, publics):
            part.write_text(public)
        roster = _dpsis("sites", "roster", *parts)
        whole = Path(here) / "roster"
        whole.write_text(roster)
        fingerprint = _fingerprint(whole)
    return {"facts": facts, "sites": sites, "roster": roster, "fingerprint": fingerprint}


@algorithm_client
def release(client: Any, agreed: dict[str, Any], k: int, epsilon: str) -> dict[str, Any]:
    """Selects k features from the rows of all nodes, at one of them that all others trust with the totals.

    Parameters
    ----------
    client : AlgorithmClient
    agreed : dict
        The result of `agree`.
    k : int
        The number of features.
    epsilon : str
        The budget, exactly: ``"2"`` or ``"1/3"``.

    Returns
    -------
    dict
        The record of the release.

    Notes
    -----
    With the variable ``DPSIS_LEDGER`` at this node, that budget file is charged.
    """
    facts, sites, roster = agreed["facts"], agreed["sites"], agreed["roster"]
    masked = _at_all(client, sites, "mask", facts=facts, roster=roster)
    ledger = os.environ.get("DPSIS_LEDGER")
    ledger_option = [f"--ledger={ledger}"] if ledger else []
    with tempfile.TemporaryDirectory() as here:
        partials = [Path(here) / f"{site}.masked" for site in sites]
        for partial, sums in zip(partials, masked):
            partial.write_text(sums)
        terms = [f"--k={int(k)}", f"--eps={epsilon}", "--format=json", "--quiet", *ledger_option]
        record: dict[str, Any] = json.loads(_dpsis("select", *terms, "--partials", *partials))
    _at_all(client, sites, "forget")
    return record


def _at_all(client: Any, sites: list[int], method: str, **arguments: Any) -> list[Any]:
    """The results of a function at the sites, in their order: one task for each."""
    results = []
    for site in sites:
        task = client.task.create(input_={"method": method, "kwargs": arguments}, organizations=[site])
        [result] = client.wait_for_results(task_id=task["id"])
        results.append(result)
    return results


def _fingerprint(roster: Path) -> str:
    """The fingerprint of the sites of a run, which all of them compare."""
    return _dpsis("sites", "show", roster).split("fingerprint", 1)[1].split()[0]


@data(1)
@algorithm_client
def key(client: Any, frame: pd.DataFrame, facts: dict[str, Any]) -> str:
    """Makes the key of a node for one run, and gives its public part."""
    folder = _folder(client)
    table, secret = _table(frame, folder), folder / "key"
    # A run takes a new key.
    secret.unlink(missing_ok=True)
    try:
        return _dpsis("sites", "key", f"site-{client.organization_id}", "--key", secret, *_given(facts), table)
    finally:
        table.unlink()


@data(1)
@algorithm_client
def mask(client: Any, frame: pd.DataFrame, facts: dict[str, Any], roster: str) -> str:
    """Gives the sums of a node with its masks.

    With the variable ``DPSIS_FINGERPRINT`` at the node, which its people set after they compared it with all others, it
    refuses any other roster.
    """
    folder = _folder(client)
    sites = folder / "roster"
    sites.write_text(roster)
    agreed = os.environ.get("DPSIS_FINGERPRINT")
    if agreed and agreed != _fingerprint(sites):
        raise RuntimeError("the roster has another fingerprint than the sites agreed on")
    table = _table(frame, folder)
    try:
        return _dpsis("partial", *_given(facts), "--mask", sites, "--key", folder / "key", table)
    finally:
        table.unlink()


@algorithm_client
def forget(client: Any) -> bool:
    """Removes the key of a node: the run is over."""
    shutil.rmtree(_folder(client))
    return True
