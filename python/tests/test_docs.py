"""The code of the page about Python runs from top to bottom and prints what the page shows."""

import contextlib
import io
import re

import pytest

from conftest import ROOT


@pytest.mark.filterwarnings("ignore")
def test_the_page_about_python(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```\n(?:```text\n(.*?)```)?", page, re.DOTALL)
    assert len(blocks) >= 6
    names = {"__name__": "page"}
    for code, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/python.md", "exec"), names)
        assert printed.getvalue() == shown, code
