"""The code of the page about Python runs from top to bottom and prints what the page shows."""

import pytest

from conftest import ROOT, run_page


@pytest.mark.filterwarnings("ignore")
def test_the_page_about_python(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert run_page("python.md", {"__name__": "page"}) >= 6
