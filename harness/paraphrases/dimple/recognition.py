"""How many positive pairs a set of paraphrases lets one recognize: the extrinsic score of section 3.4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from harness.paraphrases.dimple.diversity import collect_stems, extract_content_words
from harness.paraphrases.dimple.matching import PairIndex
from harness.stats.rounding import DECIMALS
from pyramid_paraphrase.words import normalize_word, split_words

MAX_PARAPHRASES = 10
"""How many paraphrases of a set are used."""

RECOGNIZED, GAINED = "recognized", "gained"
SHARES = (RECOGNIZED, GAINED)
"""What may be shared out: all that is recognized, or what paraphrases alone add to matching stems."""


class Recognition(NamedTuple):
    """What was recognized of the pairs in which a source occurs.

    Attributes:
        pairs: How many pairs there are.
        by_stem: In how many the stem of the source occurs on both sides.
        by_paraphrase: In how many of the others the source occurs on one side and a paraphrase on the other.
    """

    pairs: int
    by_stem: int
    by_paraphrase: int

    def share(self, what: str = RECOGNIZED) -> float | None:
        """A share of the pairs, one of `SHARES`; None without pairs."""
        if not self.pairs:
            return None
        count = self.by_paraphrase + (self.by_stem if what == RECOGNIZED else 0)
        return round(count / self.pairs, DECIMALS)


def recognize_pairs(index: PairIndex, source: str, paraphrases: Sequence[str]) -> Recognition:
    """Recognize what can be of the pairs in which a source occurs (Shima and Mitamura 2011, section 3.4).

    A pair is recognized if both texts hold the stems of the source's content words (of all its words, if it has no
    content word); otherwise if one holds the source and the other one of the paraphrases, as whole words one after the
    other, in any case. Paraphrases of function words alone are left out: "to" would be found nearly everywhere.

    Args:
        index: The pairs.
        source: What is paraphrased.
        paraphrases: Its paraphrases, the best first; the first `MAX_PARAPHRASES` are used.

    Returns:
        Counts.
    """
    selected = index.select_pairs(source)
    with_stem = index.find_stems(collect_stems(extract_content_words(source) or _normalize(source)))
    by_stem = {pair for pair in selected if {2 * pair, 2 * pair + 1} <= with_stem}
    with_source = index.find_phrase(_normalize(source))
    with_paraphrase: set[int] = set()
    for paraphrase in paraphrases[:MAX_PARAPHRASES]:
        if extract_content_words(paraphrase):
            with_paraphrase |= index.find_phrase(_normalize(paraphrase))
    # The two texts of a pair have numbers that differ in the last bit.
    across = {number // 2 for number in with_source if number ^ 1 in with_paraphrase}
    return Recognition(len(selected), len(by_stem), len((selected - by_stem) & across))


def _normalize(text: str) -> list[str]:
    return [normalize_word(word) for word in split_words(text)]
