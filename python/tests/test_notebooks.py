"""The notebooks run from top to bottom, and print the output that they show.

What is drawn without a seed, or needs files that are not everywhere, is in cells with the tag `not-compared`. After a change:

    jupyter nbconvert --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False docs/notebooks/*.ipynb
"""

import re

import pytest

from conftest import ROOT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def printed(notebook):
    """The text that cells printed or showed, except cells that are not compared; progress shows only on slow machines."""
    cells = [cell for cell in notebook.cells if "not-compared" not in cell.metadata.get("tags", [])]
    outputs = [[output for output in cell.get("outputs", []) if output.get("name") != "stderr"] for cell in cells]
    return ["".join(one.get("text") or one["data"]["text/plain"] for one in of_cell) for of_cell in outputs]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path):
    assert path.stat().st_size < 150_000
    shown = nbformat.read(path, as_version=4)
    nbformat.validate(shown)
    run = nbformat.from_dict(shown)
    nbclient.NotebookClient(run, timeout=600, kernel_name="python3", resources={"metadata": {"path": path.parent}}).execute()
    assert printed(run) == printed(shown)
    for cell in shown.cells:
        for link in re.findall(r"\]\((?!\w+:)(.*?)(?:#.*?)?\)", cell.source if cell.cell_type == "markdown" else ""):
            assert (path.parent / link).exists(), link


def test_there_are_some():
    assert len(NOTEBOOKS) >= 3
