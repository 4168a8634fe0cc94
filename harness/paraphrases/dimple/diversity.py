"""Lexical diversity of the paraphrases in a ranked list: algorithm 1 of Shima and Mitamura (2011)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from harness.text.porter import stem_word
from pyramid_paraphrase.text.words import content_words, split_words

SEEN_WORD, SEEN_STEM, UNSEEN = 1, 2, 3
"""The values of D: a word was seen before, only a stem was seen before, or neither."""


class Diversity(Protocol):
    """Function that rates the lexical diversity of ranked paraphrases."""

    def __call__(self, source: str, paraphrases: Sequence[str]) -> Sequence[int]:
        """Rate the paraphrases of a source.

        Args:
            source: The word or phrase that is paraphrased.
            paraphrases: Its paraphrases, the best first.

        Returns:
            A whole number from 1 to 3 for each paraphrase.
        """


def collect_stems(words: Iterable[str]) -> frozenset[str]:
    """Collect the distinct stems of normalized words."""
    return frozenset(map(stem_word, words))


def extract_content_words(phrase: str) -> frozenset[str]:
    """Extract the content words of a phrase by the rule of `pyramid_paraphrase.text.words.content_words`.

    For example, the content word of "to take" is "take", because "to" is a function word. The content word of "has been
    killed" is "killed". "to" and "has been" have no content words.
    """
    return content_words(split_words(phrase, tokenized=True))


def rate_all(sources: Sequence[str], lists: Sequence[Sequence[str]]) -> list[list[int]]:
    """Rate the lists of several sources with `rate_diversity`.

    Raises:
        ValueError: If there is no list, or the numbers of sources and lists differ.
    """
    if len(sources) != len(lists) or not sources:
        reason = f"expected one source per list, found {len(lists)} lists and {len(sources)} sources"
        raise ValueError(f"{reason}. Pass at least one list, and its source")
    return [rate_diversity(source, ranked) for source, ranked in zip(sources, lists, strict=True)]


def rate_diversity(source: str, paraphrases: Sequence[str]) -> list[int]:
    """Rate ranked paraphrases by words that occur neither in the source nor in a better paraphrase (algorithm 1).

    D is 1 if a paraphrase has no content word or a seen word. Otherwise D is 2 if it has a seen stem, and 3 if not. At
    the start, the words of the source are seen. As printed in the paper, only a paraphrase with D above 1 adds its
    words to the seen words. For example, after "killed violently" for the source "killed", the word "violently" is
    still new.

    Args:
        source: The word or phrase that is paraphrased, such as "killed" or "to take".
        paraphrases: Its paraphrases, the best first.

    Returns:
        D of each paraphrase, from 1 to 3. For the source "killed", the paraphrases "shot and killed", "killing" and
        "assassinated" have 1, 2 and 3.
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
        seen_words |= words
        seen_stems |= stems
    return ratings
