"""The rules of the extraction of phrase tables."""

from __future__ import annotations

from dataclasses import dataclass

from harness.paraphrases.extraction.discounts import Discount


@dataclass(frozen=True)
class ExtractionRules:
    """The rules of extraction.

    Attributes:
        max_words: Maximum number of words of a phrase, on either side.
        min_count: Minimum number of occurrences of a phrase pair. Rarer pairs are not written, but count in the
            probabilities.
        keep_case: Whether words keep their case. Otherwise they are lower-cased.
        discount: Name of the discount of the counts of phrase pairs, or None.
    """

    max_words: int = 7
    min_count: int = 1
    keep_case: bool = False
    discount: Discount | None = None
