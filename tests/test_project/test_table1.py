"""The paper's table 1, with files in the place and under the names of the real ones."""

from __future__ import annotations

import bz2
import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest
from helpers.checkout import ROOT
from helpers.commands import Run

pytestmark = pytest.mark.full

TABLE1 = ROOT / "benchmarks" / "table1.py"
SCRIPT = f"import runpy, sys; sys.argv[0] = 'x'; runpy.run_path({str(TABLE1)!r}, run_name='__main__')"
PATH = {"PYTHONPATH": str(ROOT / "benchmarks")}


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Five of the six files, in the formats and compressions in which they are distributed."""
    folder = tmp_path / "vectors"
    folder.mkdir()
    words = ["the", "of", "in", "a", "storm", "bridge", "city"]
    rows = np.random.default_rng(0).normal(size=(len(words), 4)).astype("<f4")
    text = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, rows, strict=True)).encode()
    binary = b"7 4\n" + b"".join(word.encode() + b" " + row.tobytes() for word, row in zip(words, rows, strict=True))
    (folder / "GoogleNews-vectors-negative300.bin.gz").write_bytes(gzip.compress(binary))
    (folder / "bow2.words.bz2").write_bytes(bz2.compress(text))
    (folder / "bow5.words").write_bytes(text)
    (folder / "deps.words.bz2").write_bytes(bz2.compress(text))
    with zipfile.ZipFile(folder / "glove.840B.300d.zip", "w") as archive:
        archive.writestr("glove.840B.300d.txt", text)
    return folder


def test_table1(vectors: Path, run_python: Run) -> None:
    result = run_python(SCRIPT, "--vectors", vectors, "--data", "sample", "--tokenizer", "own", **PATH)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert [line.split("  ")[0] for line in lines[2:10]] == [
        "random",
        "one-hot",
        "word2vec, Google News",
        "word2vec, BOW2",
        "word2vec, BOW5",
        "word2vec, dependencies",
        "GloVe",
        "Open IE",
    ]
    measured = {tuple(line[24:].split()[::2]) for line in lines[5:8]}
    assert len(measured) == 1  # the same vectors and the same case, so the same F, success rate and MRR
    assert lines[10].startswith("Open IE: put openie.txt or openie.bin into ")
    assert lines[10].endswith("Source: Stanovsky et al. (2015), from the authors")


def test_bad_vectors_are_one_line(vectors: Path, run_python: Run) -> None:
    (vectors / "bow5.words").write_bytes(b"")
    result = run_python(SCRIPT, "--vectors", vectors, "--data", "sample", "--tokenizer", "own", **PATH)
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].startswith("table1: ")
    assert "bow5.words: is empty" in result.stderr
