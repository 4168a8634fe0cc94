"""Model cards: README.md with metadata in YAML, and entries of benchmarks beside it."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from fuzzing.cases import Case
from fuzzing.mutations.cards import mutate_card
from fuzzing.target import Arguments, Target, require
from fuzzing.targets.results import make_result
from harness.cards.writing import ENTRIES_NAME, write_card
from harness.models.files.training_data import describe_overlap, read_training_data
from harness.models.specs import parse_spec

_REPOSITORY = "someone/a-benchmark"
_PLAIN = b"""---
language: en
tags:
- sentence-similarity  # a comment
license: apache-2.0
---
# A model

It embeds sentences.
"""
_FLOW = b"""---
tags: [a, "b: c"]
model-index:
- name: other
  results:
  - task: {type: ranking}
    dataset: {type: x, name: y}
    metrics:
    - type: mrr
      value: 0.5
---
text
"""


def _make_cards() -> Sequence[Case]:
    cases = [Case({"model/README.md": text}) for text in (_PLAIN, _FLOW, b"# No metadata\n", b"---\n---\n")]
    with tempfile.TemporaryDirectory() as name:
        write_card([make_result("one-hot")], Path(name), _REPOSITORY)
        written = {f"model/{path}": Path(name, path).read_bytes() for path in ("README.md", ENTRIES_NAME)}
    return [*cases, Case(written), Case({"model/README.md": _PLAIN, f"model/{ENTRIES_NAME}": b"[]\n"})]


def write_numbers(folder: Path, arguments: Arguments) -> object:
    """Enter numbers into a card twice. The second time must change nothing."""
    del arguments
    result = make_result("one-hot")
    written = write_card([result], folder / "model", _REPOSITORY)
    once = [path.read_bytes() for path in written]
    write_card([result], folder / "model", _REPOSITORY)
    require(once == [path.read_bytes() for path in written], "numbers that are entered twice change nothing")
    return once


def _make_lists() -> Sequence[Case]:
    lists = (b"\n- snli\n- org/b\n", b" [snli, 'c d']\n", b" snli\n")
    bullets = b"---\n- **Training Datasets:**\n    - [a](https://huggingface.co/datasets/org/a)\n    - mine\n"
    return [Case({"README.md": b"---\nlanguage: en\ndatasets:" + text + bullets}) for text in lists]


def read_names(folder: Path, arguments: Arguments) -> object:
    """Read the training data that a card names, and the collections that they contain."""
    del arguments
    names = read_training_data(parse_spec(f"sentence-transformers:{folder}"))
    return names, describe_overlap(names, ("snli", "rose"))


TARGETS = (
    Target("training-data", read_names, _make_lists, (("*", mutate_card),)),
    Target("card", write_numbers, _make_cards, (("*", mutate_card),), changes_input=True),
)
