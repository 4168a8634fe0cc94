"""The search of a corpus of 100 MB with planted rows, in processes of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from helpers.checkout import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import contamination

pytestmark = pytest.mark.full


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of memory is read from /proc")
def test_planted_rows_are_found_and_nothing_else_in_little_memory(tmp_path: Path) -> None:
    """`measure_search` compares the rows with those of a slow search, and fails if they differ."""
    size, both, run = contamination.measure_search("sample", tmp_path, 100)
    assert size > 99_000_000
    assert both > 500
    assert run["peak"] < 300 << 20
