"""What a pair corpus holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

DEBATABLE = -1
"""The label of a pair on which people disagree, or which they call half a paraphrase; `datasets` reads -1 as none."""


class AnnotatedPair(NamedTuple):
    """A labelled pair of sentences.

    Attributes:
        line: Its line in its file, 1-based.
        topic: What it is about, or what else it shares with pairs that are not independent of it.
        sentence1: One sentence; of questions of one sentence against several, the one.
        sentence2: The other.
        label: 1 for a paraphrase, 0 for none, or `DEBATABLE`.
        grade: How much of a paraphrase it is, 0 to 5, where people said so.
        topic_name: The topic in words, where it has a name.
        tags1: The first sentence with the tags that the corpus brings.
        tags2: The same of the second.
    """

    line: int
    topic: str
    sentence1: str
    sentence2: str
    label: int
    grade: int | None = None
    topic_name: str = ""
    tags1: str = ""
    tags2: str = ""


@dataclass(frozen=True, slots=True)
class PairCorpus:
    """The pairs of all files.

    Attributes:
        name: Which corpus it is, a name of the catalog.
        format: What its configurations are made from, `options.PAIRS` or `options.PIT`.
        splits: Pairs in the order of the files, by split: "train", "validation", "test", as far as they are there.
        digest: SHA-256 over its pairs.
    """

    name: str
    format: str
    splits: Mapping[str, list[AnnotatedPair]]
    digest: str
