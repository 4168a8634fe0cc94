"""The number of positive pairs that a set of paraphrases helps to recognize.

This is the extrinsic evaluation of Shima and Mitamura (2011), section 3.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from harness.paraphrases.dimple.diversity import collect_stems, extract_content_words
from harness.paraphrases.dimple.matching import PairIndex
from harness.stats.rounding import DECIMALS
from pyramid_paraphrase.text.words import normalize_word, split_words

MAX_PARAPHRASES = 10
"""Maximum number of paraphrases of a set that are used."""

RECOGNIZED, GAINED = "recognized", "gained"
SHARES = (RECOGNIZED, GAINED)
"""Shares of pairs: all recognized pairs, or only the pairs that are recognized by a paraphrase but not by stem."""


class Recognition(NamedTuple):
    """Counts of the pairs in which a source occurs.

    Attributes:
        pairs: Number of pairs.
        by_stem: Number of pairs with the stem of the source in both texts.
        by_paraphrase: Number of other pairs with the source in one text and a paraphrase in the other text.
    """

    pairs: int
    by_stem: int
    by_paraphrase: int

    def share(self, kind: str = RECOGNIZED) -> float | None:
        """Compute a share of the pairs in [0, 1], one of `SHARES`. None if there are no pairs."""
        if not self.pairs:
            return None
        count = self.by_paraphrase
        if kind == RECOGNIZED:
            count += self.by_stem
        return round(count / self.pairs, DECIMALS)


def recognize_pairs(index: PairIndex, source: str, paraphrases: Sequence[str]) -> Recognition:
    """Count the recognized pairs in which a source occurs (Shima and Mitamura 2011, section 3.4).

    A pair is recognized by stem if both texts contain the stems of the source's content words (of all its words, if it
    has no content word). Otherwise it is recognized by paraphrase if one text contains the source and the other text
    contains a paraphrase, as consecutive whole words in any case. Paraphrases without a content word are ignored,
    because a word such as "to" occurs nearly everywhere.

    Args:
        index: The pairs.
        source: The word or phrase that is paraphrased.
        paraphrases: Its paraphrases, the best first. Only the first `MAX_PARAPHRASES` are used.

    Returns:
        Counts of pairs.
    """
    selected = index.select_pairs(source)
    with_stem = index.find_stems(collect_stems(extract_content_words(source) or _normalize(source)))
    by_stem = {pair for pair in selected if {2 * pair, 2 * pair + 1} <= with_stem}
    with_source = index.find_phrase(_normalize(source))
    with_paraphrase: set[int] = set()
    for paraphrase in paraphrases[:MAX_PARAPHRASES]:
        if extract_content_words(paraphrase):
            with_paraphrase |= index.find_phrase(_normalize(paraphrase))
    # The numbers of the two texts of a pair differ in the last bit.
    across = {number // 2 for number in with_source if number ^ 1 in with_paraphrase}
    return Recognition(len(selected), len(by_stem), len((selected - by_stem) & across))


def _normalize(phrase: str) -> list[str]:
    return [normalize_word(word) for word in split_words(phrase, tokenized=True)]
