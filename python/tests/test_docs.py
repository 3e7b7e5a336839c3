"""The code of the pages runs from top to bottom and prints the output that they show."""

import pytest

from conftest import ROOT, run_page

#: Blocks of `python spark` are run where Spark is.
PAGES = sorted(
    page.name
    for page in (ROOT / "docs").glob("*.md")
    if "```python\n" in page.read_text(encoding="utf-8")
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", PAGES)
def test_page(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert run_page(page, {"__name__": "page"}) >= 1


def test_the_page_about_python_is_among_them():
    assert "python.md" in PAGES
