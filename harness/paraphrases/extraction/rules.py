"""The rules of extraction."""

from __future__ import annotations

from dataclasses import dataclass

from harness.paraphrases.extraction.discounts import Discount


@dataclass(frozen=True)
class ExtractionRules:
    """The rules of extraction.

    Attributes:
        max_words: Largest number of words of a phrase, on either side.
        min_count: Smallest number of occurrences of a phrase pair. Rarer pairs count in the probabilities, too.
        keep_case: Whether words keep their case; otherwise they are in lower case.
        discount: How the counts of phrase pairs are discounted, or None.
    """

    max_words: int = 7
    min_count: int = 1
    keep_case: bool = False
    discount: Discount | None = None
