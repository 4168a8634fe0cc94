"""Tests as arrays: the memory that a large corpus of pairs needs, in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from helpers.checkout import ROOT
from helpers.commands import Run

sys.path.insert(0, str(ROOT / "benchmarks"))

import many_results

_PAIRS = 300_000
_PROGRAM = """
import re, sys
from pathlib import Path
import datasets
from harness.evaluation.runner import load_suite

def find_peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

load_suite(sys.argv[1], "pairs")
before = find_peak()
suite = load_suite(sys.argv[2], "pairs")
print(len(suite.texts), len(suite.rows[0].ids), find_peak() - before)
"""


@pytest.mark.full
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of memory is read from /proc")
def test_each_text_of_a_large_corpus_of_pairs_is_in_memory_once(tmp_path: Path, run_python: Run) -> None:
    """The pairs took 193 MiB, and 243 MiB when each pair had its own first sentence and all files were mapped."""
    for name, count in (("few", 1000), ("many", _PAIRS)):
        (tmp_path / name).mkdir()
        many_results.write_pairs(tmp_path / name, count)
    output = run_python(_PROGRAM, str(tmp_path / "few"), str(tmp_path / "many")).stdout
    texts, rows, mebibytes = output.split()
    assert (int(texts), int(rows)) == (262_057, _PAIRS)
    assert float(mebibytes) < 220
