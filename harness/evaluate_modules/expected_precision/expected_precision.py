"""Expected precision of ranked paraphrases, as a module for `evaluate`."""

from __future__ import annotations

from typing import Any

from harness.evaluate_modules import frame
from harness.paraphrases.dimple import CITATION
from harness.paraphrases.dimple.gains import expected_precision

_DESCRIPTION = """
The expected share of right paraphrases among the first k of a ranked list: the sum of their quality, such as the share
of annotators who accept them, divided by k; ranks that a shorter list lacks count 0. The mean over all lists.
"""

_INPUTS = """
Args:
    predictions (list of list of str): per source its paraphrases, the best first.
    references (list of list of float): the quality of each, in [0, 1].
    k (int): how many ranks count; default: 10.
Returns:
    expected_precision, in [0, 1].
"""


class ExpectedPrecision(frame.MetricModule):
    """EP at k (Shima and Mitamura 2011, section 3.2)."""

    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS
    FEATURES = frame.RANKED_LISTS
    SOURCE = CITATION

    def _compute(self, *, predictions: Any, references: Any, k: int = 10) -> dict[str, float]:  # noqa: ANN401
        if not len(predictions):
            raise ValueError("no list was given; give at least one")
        pairs = zip(predictions, references, strict=True)
        if any(len(paraphrases) != len(quality) for paraphrases, quality in pairs):
            raise ValueError("a list has not as many paraphrases as qualities; give one quality for each")
        values = [expected_precision(quality, k) for quality in references]
        return {"expected_precision": sum(values) / len(values)}
