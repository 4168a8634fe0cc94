"""Base classes of metrics that are modules of `evaluate`. Attributes of the classes describe the metrics.

A module must import this module, not the classes, because `evaluate.load` uses the first metric class in a script.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import datasets
import evaluate

from harness.metrics import CITATION

_TEXT, _SCORE, _INDEX = (datasets.Value(name) for name in ("string", "float64", "int64"))

QUESTIONS = {"predictions": datasets.Sequence(_SCORE), "references": _INDEX}
"""Features of questions and matches: one score per option, and the index of the right option (-1 for none)."""

RANKED_LISTS = {"predictions": datasets.Sequence(_TEXT), "references": datasets.Sequence(_SCORE)}
"""Features of ranked lists of paraphrases: their texts, the best paraphrase first, and their qualities."""

SCORED_PAIRS = {"predictions": _SCORE, "references": _INDEX}
"""Features of labelled pairs: a score and a label."""

GRADED_PAIRS = {"predictions": _SCORE, "references": _SCORE}
"""Features of graded pairs: a score and a similarity."""

TEXT_PAIRS = {"predictions": _TEXT, "references": _TEXT}
"""Features of pairs of texts."""

SUMMARIES = {"predictions": _TEXT, "references": datasets.Sequence(_TEXT)}
"""Features of summaries: a text and the texts of its references."""

CODEBASE_URLS: tuple[str, ...] = ()
"""Public addresses of this code. Empty, because the repository does not have one yet."""


class MetricModule(evaluate.Metric):
    """A metric of `evaluate`. A subclass sets the attributes and implements `_compute`.

    Attributes:
        DESCRIPTION: Description of the metric.
        INPUTS: Arguments and results of the metric, in the format of a docstring.
        FEATURES: Types of predictions and references.
        SOURCE: BibTeX entry of the paper that defines the metric.
        REFERENCE_URLS: Addresses of that paper, or of the volume that contains it.
    """

    DESCRIPTION: ClassVar[str]
    INPUTS: ClassVar[str]
    FEATURES: ClassVar[Mapping[str, object]]
    SOURCE: ClassVar[str] = CITATION
    REFERENCE_URLS: ClassVar[tuple[str, ...]]

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=self.DESCRIPTION,
            citation=self.SOURCE,
            inputs_description=self.INPUTS,
            features=datasets.Features(self.FEATURES),
            codebase_urls=list(CODEBASE_URLS),
            reference_urls=list(self.REFERENCE_URLS),
        )


class ThresholdModule(MetricModule, ABC):
    """A metric of decisions by a threshold. The caller gives the threshold, or it is fitted on another split.

    A subclass implements `fit` and `measure`.
    """

    @abstractmethod
    def fit(self, scores: Any, targets: Any) -> float:  # noqa: ANN401 - passed by `evaluate`
        """Return the threshold with the highest F on the scores and targets of a split."""

    @abstractmethod
    def measure(self, scores: Any, targets: Any, threshold: float) -> dict[str, float]:  # noqa: ANN401
        """Compute metrics of the decisions by a threshold."""

    def _compute(
        self,
        *,
        predictions: Any,  # noqa: ANN401
        references: Any,  # noqa: ANN401
        validation_predictions: Any = None,  # noqa: ANN401
        validation_references: Any = None,  # noqa: ANN401
        threshold: float | None = None,
    ) -> dict[str, float]:
        """Measure with the threshold of the caller, or fit it on predictions and references of another split.

        Raises:
            ValueError: If there are both a threshold and rows to fit it on, or neither, or it is not finite.
        """
        can_fit = validation_predictions is not None and validation_references is not None
        if can_fit == (threshold is not None):
            raise ValueError("pass either a threshold, or validation_predictions and validation_references to fit it")
        if threshold is None:
            threshold = self.fit(validation_predictions, validation_references)
        elif not math.isfinite(threshold):
            raise ValueError(f"threshold is {threshold}. Use a finite number")
        return self.measure(predictions, references, threshold)
