"""Names of the rows of tests with labels, for reports."""

from __future__ import annotations

from typing import NamedTuple

from pyramid_paraphrase.rules.options import FRAGMENTS, SUMMARIES, find_configuration


class Wording(NamedTuple):
    """Names of the rows of a test.

    Attributes:
        positive: A row with label 1.
        positives: Rows with label 1.
        negatives: Rows with label 0.
        false_positives: Rows with label 0 that score at least the threshold.
    """

    positive: str
    positives: str
    negatives: str
    false_positives: str


PARAPHRASES = Wording("paraphrase", "paraphrases", "other pairs", "pairs classified as paraphrases")
PRESENT_SCUS = Wording("present SCU", "present SCUs", "absent SCUs", "absent SCUs classified as present")

MATCHED_FRAGMENTS = Wording(
    "matched fragment", "matched fragments", "unmatched fragments", "unmatched fragments classified as matched"
)
_WORDINGS = {SUMMARIES: PRESENT_SCUS, FRAGMENTS: MATCHED_FRAGMENTS}


def choose_wording(test_name: str) -> Wording:
    """Return the names of the rows of a configuration."""
    return _WORDINGS.get(find_configuration(test_name).origin, PARAPHRASES)
