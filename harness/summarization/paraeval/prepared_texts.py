"""Summaries as ParaEval sees them: words in order, which of them count, and where they are phrases of a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from harness.paraphrases.tables.table import ParaphraseTable
from harness.text.words import STOP_WORDS, split_words, stem_words


@dataclass(frozen=True, slots=True)
class WordRules:
    """What counts as a word, and as the same word.

    Attributes:
        stem: Whether words with the same stem are the same.
        stop_words: Whether function words count. Those that do not may be within matched phrases all the same.
    """

    stem: bool = False
    stop_words: bool = True


Stretch = tuple[int, int]
"""The first word, counted from 0, and the one behind the last."""


@dataclass(frozen=True, slots=True)
class Text:
    """A summary, ready to be compared.

    Attributes:
        words: As they are compared.
        counts: Per word and for the end, how many words before it count.
        phrases: Per table, where its phrases stand, by their number there.
    """

    words: tuple[str, ...]
    counts: tuple[int, ...]
    phrases: tuple[Mapping[int, tuple[Stretch, ...]], ...]

    @property
    def total(self) -> int:
        """How many words count."""
        return self.counts[-1]

    def count(self, start: int, end: int) -> int:
        """How many words of a stretch count."""
        return self.counts[end] - self.counts[start]


def prepare_text(sentences: Sequence[str], tables: Sequence[ParaphraseTable], rules: WordRules) -> Text:
    """Prepare a summary.

    Args:
        sentences: Its sentences; no phrase reaches from one into another.
        tables: In which phrases are looked up, opened for stems if the rules say so.
        rules: What counts.

    Returns:
        The summary.
    """
    plain = [split_words(sentence) for sentence in sentences]
    divided = [stem_words(words) for words in plain] if rules.stem else plain
    counting = (rules.stop_words or word not in STOP_WORDS for words in plain for word in words)
    return Text(
        tuple(word for words in divided for word in words),
        tuple(accumulate(counting, initial=0)),
        tuple(_find_phrases(divided, table) for table in tables),
    )


def _find_phrases(sentences: Sequence[Sequence[str]], table: ParaphraseTable) -> dict[int, tuple[Stretch, ...]]:
    found: dict[int, list[Stretch]] = defaultdict(list)
    offset = 0
    for words in sentences:
        for span in table.find_phrases(words):
            found[span.phrase].append((offset + span.start, offset + span.end))
        offset += len(words)
    return {phrase: tuple(stretches) for phrase, stretches in found.items()}
