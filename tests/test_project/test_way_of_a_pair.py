"""CONTRIBUTING names the files through which a pair passes: the code passes through them, in that order."""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
from pathlib import Path
from types import FrameType

from helpers.checkout import ROOT

import harness
from pyramid_paraphrase import SAMPLE_DIR, load
from pyramid_paraphrase.text.words import split_words

MOST_FILES = 15
PACKAGES = Path(harness.__file__).parents[1]

Step = tuple[str, str]


def read_way() -> list[Step]:
    """Return files and functions of the table, in its order."""
    section = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("### The way of a pair", 1)[1].split("\n#", 1)[0]
    return re.findall(r"^\| `(\S+\.py)` \| `([\w.]+)` \|", section, re.MULTILINE)


def name_step(path: str, function: str) -> Step:
    """Return a step as a frame shows it: the constructor of a class, and a method without its class."""
    name = function.rpartition(".")[2]
    return path, "__init__" if name[0].isupper() else name


def trace_steps(steps: set[Step], source: Path) -> tuple[list[Step], harness.Result]:
    """Evaluate on a file, and return the steps in the order in which they were first called."""
    order: dict[Step, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename.removeprefix(f"{PACKAGES}/")
        if event == "call" and (path, frame.f_code.co_name) in steps:
            order.setdefault((path, frame.f_code.co_name))

    sys.setprofile(note)
    try:
        result = harness.evaluate("overlap", source, "binary", resamples=2, cache=False)
    finally:
        sys.setprofile(None)
    return list(order), result


def test_a_pair_passes_through_the_files_in_the_order_of_the_table() -> None:
    way = [name_step(path, function) for path, function in read_way()]
    files = {path for path, _ in way}
    assert 10 < len(files) <= MOST_FILES
    source = sorted(SAMPLE_DIR.glob("*.pyr"))[0]
    order, result = trace_steps(set(way), source)
    assert order == way
    row = load("binary", source)["test"][0]
    scores = csv.DictReader(io.StringIO(gzip.decompress(result.files["binary"]).decode()))
    score = next(line["score"] for line in scores if line["id"] == row["id"])
    shared = set(map(str.lower, split_words(row["sentence1"]))) & set(map(str.lower, split_words(row["sentence2"])))
    assert float(score) == len(shared)
