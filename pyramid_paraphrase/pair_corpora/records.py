"""Records of a pair corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

DEBATABLE = -1
"""The label of a pair on which people disagree or which they call half a paraphrase; for `datasets`, -1 is no label."""


class AnnotatedPair(NamedTuple):
    """A labelled pair of sentences.

    Attributes:
        line: Its line in its file, 1-based.
        topic: An identifier that it shares with all pairs that are not independent of it.
        sentence1: The first sentence. Where a sentence was compared with several sentences, it is the first.
        sentence2: The second sentence.
        label: 1 for a paraphrase, 0 for other pairs, or `DEBATABLE`.
        grade: Degree of paraphrase from 0 to 5; None if the corpus has no grades.
        topic_name: The topic in words; "" if the corpus has no names.
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
