"""The code of the pages about Python runs from top to bottom and prints what the pages show."""

import pytest

from conftest import ROOT, run_page


@pytest.mark.filterwarnings("ignore")
def test_the_page_about_python(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert run_page("python.md", {"__name__": "page"}) >= 6


@pytest.mark.filterwarnings("ignore")
def test_the_page_about_engines(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert run_page("engines.md", {"__name__": "page"}) == 6
