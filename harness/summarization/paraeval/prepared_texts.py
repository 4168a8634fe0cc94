"""Summaries prepared for ParaEval: their words, the words that count, and the occurrences of phrases of tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from harness.paraphrases.tables.table import ParaphraseTable
from harness.text.stems import STOP_WORDS, stem_words
from pyramid_paraphrase.words import split_alphanumeric


@dataclass(frozen=True, slots=True)
class WordRules:
    """Rules for the words that count, and for the equality of words.

    Attributes:
        stem: Whether words with the same stem are equal.
        stop_words: Whether stop words count. Stop words that do not count may still be in matched phrases.
    """

    stem: bool = False
    stop_words: bool = True

    def list_counted(self, text: str) -> list[str]:
        """Divide a text into words in lower case, and leave out those that do not count."""
        return [word for word in split_alphanumeric(text) if self.stop_words or word not in STOP_WORDS]


Stretch = tuple[int, int]
"""Index of the first word, and the index after the last word."""


@dataclass(frozen=True, slots=True)
class Text:
    """A summary, ready to be compared.

    Attributes:
        words: The words to compare, as stems if the rules say so.
        counts: Cumulative counts: for each word and for the end, the number of earlier words that count.
        phrases: For each table, the stretches of its phrases, by the number of the phrase in the table.
    """

    words: tuple[str, ...]
    counts: tuple[int, ...]
    phrases: tuple[Mapping[int, tuple[Stretch, ...]], ...]

    @property
    def total(self) -> int:
        """Number of words that count."""
        return self.counts[-1]

    def count(self, start: int, end: int) -> int:
        """Return the number of words of a stretch that count."""
        return self.counts[end] - self.counts[start]


def prepare_text(sentences: Sequence[str], tables: Sequence[ParaphraseTable], rules: WordRules) -> Text:
    """Prepare a summary.

    Args:
        sentences: Its sentences. No phrase extends from one sentence into another.
        tables: Tables of paraphrases, opened for stems if the rules say so.
        rules: The rules for words.

    Returns:
        The prepared summary.
    """
    plain = [split_alphanumeric(sentence) for sentence in sentences]
    compared = [stem_words(words) for words in plain] if rules.stem else plain
    is_counted = (rules.stop_words or word not in STOP_WORDS for word in chain.from_iterable(plain))
    return Text(
        words=tuple(chain.from_iterable(compared)),
        counts=tuple(accumulate(is_counted, initial=0)),
        phrases=tuple(_find_phrases(compared, table) for table in tables),
    )


def _find_phrases(sentences: Sequence[Sequence[str]], table: ParaphraseTable) -> dict[int, tuple[Stretch, ...]]:
    occurrences: dict[int, list[Stretch]] = defaultdict(list)
    offset = 0
    for words in sentences:
        for span in table.find_phrases(words):
            occurrences[span.phrase].append((offset + span.start, offset + span.end))
        offset += len(words)
    return {phrase: tuple(stretches) for phrase, stretches in occurrences.items()}
