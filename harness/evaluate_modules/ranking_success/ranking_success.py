"""Success rate among options, as a module for `evaluate`."""

from __future__ import annotations

from typing import Any

from harness.evaluate_modules import frame
from harness.metrics.choices import rate_success

_DESCRIPTION = """
Share of questions whose right option has the highest score. If it shares the highest score with t - 1 other options,
the question counts 1/t: the expected value over random orders of ties. A constant scorer reaches 1/options.
"""

_INPUTS = """
Args:
    predictions (list of list of float): one score per option of each question.
    references (list of int): index of the right option.
Returns:
    success_rate: share of questions that are answered correctly, in [0, 1].

Examples:
    >>> import evaluate
    >>> import harness.evaluate_modules
    >>> metric = evaluate.load(f"{harness.evaluate_modules.__path__[0]}/ranking_success")
    >>> metric.compute(predictions=[[0.1, 0.9, 0.9, 0.2]], references=[1])
    {'success_rate': 0.5}
"""


class RankingSuccess(frame.MetricModule):
    """Success rate (Baumel et al. 2016, section 4)."""

    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS
    FEATURES = frame.QUESTIONS
    REFERENCE_URLS = ("https://aclanthology.org/volumes/W16-25/",)

    def _compute(self, *, predictions: Any, references: Any) -> dict[str, float]:  # noqa: ANN401 - passed by `evaluate`
        return {"success_rate": float(rate_success(predictions, references).mean())}
