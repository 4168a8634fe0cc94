"""The tables of the pages of measurements."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from markdown_tables import LEFT_OUT, leave_out, tabulate  # noqa: E402

pytestmark = pytest.mark.full


def test_columns_rows_and_parts_are_left_out() -> None:
    table = tabulate(["model", "F", "rho, system", ""], [["one", "0.5", "0.1", "slow"], ["two", "0.6", "0.2", ""]])
    text = f"Two models.\n\n{table}\n\n* a note\n* another note"
    assert leave_out(text) == text
    shortened = leave_out(text, columns="rho, .*", rows=r"\| two", parts=r"\* a note")
    assert shortened == "Two models.\n\n| model | F |  |\n| --- | ---: | ---: |\n| one | 0.5 | slow |"


def test_the_pages_show_nothing_that_is_left_out() -> None:
    """A new pattern needs new pages, and every pattern is for a table that exists."""
    texts = [path.read_text() for path in sorted((ROOT / "benchmarks" / "measurements").glob("*.md"))]
    sections = dict(re.findall(r"<!-- begin: (\w+) -->\n(.*?)\n<!-- end: \1 -->", "\n".join(texts), re.DOTALL))
    assert len(LEFT_OUT) > 30
    assert set(LEFT_OUT) - set(sections) == set()
    for name, patterns in LEFT_OUT.items():
        assert leave_out(sections[name], **patterns) == sections[name], name
