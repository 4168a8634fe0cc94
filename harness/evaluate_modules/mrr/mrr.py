"""Mean reciprocal rank among options, as a module for `evaluate`."""

from __future__ import annotations

from typing import Any

from harness.evaluate_modules import frame
from harness.metrics.choices import rate_reciprocal_rank

_DESCRIPTION = """
Mean of 1/rank of the right option. If b options have a higher score and t options, including the right option, have the
same score, the value of a question is the mean of 1/(b + 1), ..., 1/(b + t): the expected value over random orders of
ties. A constant scorer reaches (1 + 1/2 + 1/3 + 1/4) / 4 = 0.5208 with four options.
"""

_INPUTS = """
Args:
    predictions (list of list of float): one score per option of each question.
    references (list of int): index of the right option.
Returns:
    mrr: mean of the reciprocal ranks, in (0, 1].

Examples:
    >>> import evaluate
    >>> import harness.evaluate_modules
    >>> metric = evaluate.load(f"{harness.evaluate_modules.__path__[0]}/mrr")
    >>> metric.compute(predictions=[[0.1, 0.9, 0.9, 0.2]], references=[1])
    {'mrr': 0.75}
"""


class Mrr(frame.MetricModule):
    """Mean reciprocal rank (Baumel et al. 2016, section 4)."""

    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS
    FEATURES = frame.QUESTIONS
    REFERENCE_URLS = ("https://aclanthology.org/volumes/W16-25/",)

    def _compute(self, *, predictions: Any, references: Any) -> dict[str, float]:  # noqa: ANN401 - passed by `evaluate`
        return {"mrr": float(rate_reciprocal_rank(predictions, references).mean())}
