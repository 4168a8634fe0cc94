"""The published values of a test: our modules compute them, called by the library `evaluate` as any user calls them.

`metrics.measuring.measure_split` computes the same values without the library, by the same arithmetic. It serves those
who recompute values, such as the checks of submissions: they need neither the import nor the copies that the library
makes of all scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from harness.evaluate_modules.frame import MetricModule
from harness.evaluate_modules.match_f1.match_f1 import MatchF1
from harness.evaluate_modules.mrr.mrr import Mrr
from harness.evaluate_modules.pit_similarity.pit_similarity import PitSimilarity
from harness.evaluate_modules.ranking_success.ranking_success import RankingSuccess
from harness.evaluate_modules.threshold_f1.threshold_f1 import ThresholdF1
from harness.evaluation.records.record import SHARE
from harness.metrics.rows import ScoredSplit
from harness.metrics.table import list_metrics
from harness.stats.rounding import DECIMALS
from pyramid_paraphrase.formats.pair_corpora import HIGHEST_GRADE
from pyramid_paraphrase.rules.options import GRADED_PAIRS, MATCHES, PAIRS, QUESTIONS, Kind

MODULES: Mapping[Kind, Sequence[type[MetricModule]]] = {
    PAIRS: (ThresholdF1,),
    QUESTIONS: (RankingSuccess, Mrr),
    GRADED_PAIRS: (PitSimilarity,),
    MATCHES: (MatchF1,),
}
"""The modules that compute the metrics of each kind of test."""


def publish_metrics(split: ScoredSplit) -> dict[str, float]:
    """Compute all metrics of the test split by the modules for `evaluate`.

    Args:
        split: The rows.

    Returns:
        Metrics by name, rounded to six decimals, with the share of paraphrases of pairs.

    Raises:
        NotImplementedError: If no module returns a metric of the table.
    """
    published = {metric.name for metric in list_metrics(split.kind)} | {SHARE}
    inputs = _list_inputs(split)
    metrics = {}
    for module in MODULES[split.kind]:
        for name, value in make_module(module).compute(**inputs).items():
            if name in published:
                metrics[name] = round(value, DECIMALS)
    if missing := published - metrics.keys() - {SHARE}:
        raise NotImplementedError(f"no module computes {', '.join(sorted(missing))}. Return it from one in MODULES")
    return metrics


def make_module(module: type[Any], **options: Any) -> Any:  # noqa: ANN401 - `evaluate` has no types
    """Make a module that keeps its inputs in memory and leaves no file behind.

    `evaluate` makes a folder for each module, even if the module never writes to it. Therefore the folder is a
    temporary one, which also works if the user's cache cannot be written, and which no other process locks.

    Args:
        module: A class of modules of `evaluate`.
        options: Further arguments of the class.
    """
    with TemporaryDirectory(prefix="pyramid-paraphrase-") as folder:
        return module(cache_dir=folder, keep_in_memory=True, **options)


def _list_inputs(split: ScoredSplit) -> dict[str, Any]:
    """Return the arguments of `compute`. The library takes lists of Python's numbers faster than arrays."""
    predictions, references = split.scores.tolist(), split.targets.tolist()
    if split.kind == MATCHES:
        predictions = [row[~np.isnan(row)].tolist() for row in split.scores]
    if split.kind == GRADED_PAIRS:
        similarities = [grade / HIGHEST_GRADE for grade in references]
        return {"predictions": predictions, "references": similarities, "undefined": 0.0}
    if split.kind.fits_threshold:
        return {"predictions": predictions, "references": references, "threshold": split.threshold}
    return {"predictions": predictions, "references": references}
