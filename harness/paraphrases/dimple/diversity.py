"""How much each paraphrase of a ranked list adds in words: algorithm 1 of Shima and Mitamura (2011)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from harness.text.porter import stem_word
from pyramid_paraphrase.words import content_words, split_words

SEEN_WORD, SEEN_STEM, UNSEEN = 1, 2, 3
"""The values of D."""


class Diversity(Protocol):
    """Rates the lexical diversity of ranked paraphrases; any callable will do."""

    def __call__(self, source: str, paraphrases: Sequence[str]) -> Sequence[int]:
        """Rate paraphrases.

        Args:
            source: What is paraphrased.
            paraphrases: Its paraphrases, the best first.

        Returns:
            A whole number from 1 to 3 for each of them.
        """


def collect_stems(words: Iterable[str]) -> frozenset[str]:
    """The distinct stems of normalized words."""
    return frozenset(map(stem_word, words))


def extract_content_words(text: str) -> frozenset[str]:
    """The content words of a text by the benchmark's own rule, `pyramid_paraphrase.words.content_words`.

    Of "to take" that is "take", for "to" is a function word; of "has been killed" it is "killed"; of "to" alone, and
    of "has been", it is nothing.
    """
    return content_words(split_words(text))


def rate_all(sources: Sequence[str], lists: Sequence[Sequence[str]]) -> list[list[int]]:
    """Rate the lists of several sources by `rate_diversity`.

    Raises:
        ValueError: If there is none, or there are not as many sources as lists.
    """
    if len(sources) != len(lists) or not sources:
        raise ValueError(f"{len(lists)} lists and {len(sources)} sources; give one of each for a list, at least one")
    return [rate_diversity(source, ranked) for source, ranked in zip(sources, lists, strict=True)]


def rate_diversity(source: str, paraphrases: Sequence[str]) -> list[int]:
    """Rate ranked paraphrases by the words that neither the source nor a better paraphrase has (algorithm 1).

    D is 1 if there is no content word, or one that was seen before; otherwise 2 if there is a stem that was seen
    before; otherwise 3. Seen are at first the words of the source. As printed, only a paraphrase with D above 1 adds
    its words to them: after "killed violently", the other word of which is the source's, "violently" is still new.

    Args:
        source: What is paraphrased, such as "killed" or "to take".
        paraphrases: Its paraphrases, the best first.

    Returns:
        D of each, from 1 to 3; to "killed", of "shot and killed", "killing" and "assassinated" it is 1, 2 and 3.
    """
    seen_words = extract_content_words(source)
    seen_stems = collect_stems(seen_words)
    ratings = []
    for paraphrase in paraphrases:
        words = extract_content_words(paraphrase)
        stems = collect_stems(words)
        if not words or words & seen_words:
            ratings.append(SEEN_WORD)
            continue
        ratings.append(SEEN_STEM if stems & seen_stems else UNSEEN)
        seen_words, seen_stems = seen_words | words, seen_stems | stems
    return ratings
