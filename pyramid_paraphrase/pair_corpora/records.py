"""Records of a pair corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

DEBATABLE = -1
"""The label of a pair that people disagree on, or call half a paraphrase. `datasets` treats -1 as a missing label."""


class AnnotatedPair(NamedTuple):
    """A labelled pair of sentences.

    Attributes:
        line: Its line in its file, 1-based.
        topic: An identifier. Pairs of the same topic are not independent.
        sentence1: The first sentence. If a sentence was compared with several sentences, it is the first of each pair.
        sentence2: The second sentence.
        label: 1 for a paraphrase, 0 for other pairs, or `DEBATABLE`.
        grade: Degree of paraphrase from 0 to 5, or None if the corpus has no grades.
        topic_name: Name of the topic, or "" if the corpus has no names.
        tags1: The first sentence with the tags of the corpus.
        tags2: The second sentence with the tags of the corpus.
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
        name: Its name in the catalog.
        format: The origin of its configurations, `options.PAIR_CORPUS` or `options.PIT`.
        splits: Pairs in the order of the files, by split: any of "train", "validation" and "test".
        digest: SHA-256 over its pairs.
    """

    name: str
    format: str
    splits: Mapping[str, list[AnnotatedPair]]
    digest: str
