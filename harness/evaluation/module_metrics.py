"""Values of modules of the library `evaluate`: ours, which results publish, and those that a user named.

Our modules are called as any user calls them. `metrics.measuring.measure_split` computes the same values without the
library, by the same arithmetic. It serves those who recompute values, such as the checks of submissions: they need
neither the import nor the copies that the library makes of all scores. Models are never ranked by modules that a user
named.
"""

from __future__ import annotations

import math
import numbers
import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from tempfile import TemporaryDirectory
from typing import Any

import datasets
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from evaluate.loading import import_main_class
from evaluate.module import temp_seed

from harness.evaluate_modules.frame import MetricModule
from harness.evaluate_modules.match_f1.match_f1 import MatchF1
from harness.evaluate_modules.mrr.mrr import Mrr
from harness.evaluate_modules.pit_similarity.pit_similarity import PitSimilarity
from harness.evaluate_modules.ranking_success.ranking_success import RankingSuccess
from harness.evaluate_modules.threshold_f1.threshold_f1 import ThresholdF1
from harness.evaluation.record import SHARE, OtherMetric
from harness.metrics.named_metrics import NamedMetric, hash_code, import_code
from harness.metrics.rows import ScoredSplit
from harness.metrics.table import list_metrics
from harness.stats.bootstrap import Samples, bootstrap, find_cells, find_intervals
from harness.stats.rounding import DECIMALS
from harness.support.arrays import Floats
from harness.support.errors import MetricError, describe_cause
from pyramid_paraphrase.errors import shorten
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.formats.pairs.corpora import HIGHEST_GRADE
from pyramid_paraphrase.rules.options import GRADED_PAIRS, MATCHES, PAIRS, QUESTIONS, Kind

MODULES: Mapping[Kind, Sequence[type[MetricModule]]] = {
    PAIRS: (ThresholdF1,),
    QUESTIONS: (RankingSuccess, Mrr),
    GRADED_PAIRS: (PitSimilarity,),
    MATCHES: (MatchF1,),
}
"""The modules that compute the metrics of each kind of test."""

_logger = make_logger(__name__)
_REFERENCES = "references"
_PREDICTIONS = ("predictions", "prediction_scores")
"""Names of the column of predictions. Modules such as `roc_auc` use the second one."""

_KEY = re.compile(r"[A-Za-z0-9_.-]{1,50}")
_MAX_QUOTED = 60
_RULE = (
    "Use a module with one column of references and one of predictions: whole numbers for both (decisions on pairs, "
    "chosen options), decimal predictions and whole references (scores of pairs), or decimal numbers for both (scores "
    "and grades)"
)
_KINDS: dict[tuple[bool, ...], tuple[Kind, ...]] = {
    (False, False): (PAIRS, QUESTIONS),
    (True, False): (PAIRS,),
    (True, True): (GRADED_PAIRS,),
}
"""The kinds of tests, by whether predictions and references are decimal numbers."""

_FOUR_CLASSES = [0, 1, 2, 3], [0, 1, 2, 2]
"""Chosen and right options, for a trial. Modules such as `f1` accept two classes only."""


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
    predictions, references = split.scores.tolist(), split.targets.tolist()  # lists are faster than arrays
    inputs: dict[str, Any] = {"predictions": predictions, "references": references}
    if split.kind == MATCHES:
        inputs["predictions"] = [row[~np.isnan(row)].tolist() for row in split.scores]
    if split.kind == GRADED_PAIRS:
        inputs |= {"references": [grade / HIGHEST_GRADE for grade in references], "undefined": 0.0}
    elif split.kind.fits_threshold:
        inputs["threshold"] = split.threshold
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


class AddedMetric:
    """A module that a user named, ready to measure.

    Args:
        metric: The module. It is loaded from its place, and nothing is written to the cache of `evaluate`.

    Attributes:
        name: Its name in results and tables.
        column: Name of the column of predictions of its input.
        kinds: The kinds of tests that it measures.
        failure: Why it cannot measure chosen options, for messages. Empty if it can, or need not.

    Raises:
        MetricError: If the module cannot be loaded, or fits no kind of test.
    """

    def __init__(self, metric: NamedMetric) -> None:
        self.name = metric.name
        self._class = self._import(metric)
        module = self._make_module(seed=0)
        self.column, *self._types, kinds = self._find_columns(module.features)
        self.failure = ""
        if QUESTIONS in kinds:
            predictions, references = _FOUR_CLASSES
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    module.compute(**{self.column: predictions, _REFERENCES: references})
            except Exception as error:
                self.failure = f" (on questions, it fails: {describe_cause(error)})"
        self.kinds = tuple(kind for kind in kinds if kind != QUESTIONS or not self.failure)

    def _import(self, metric: NamedMetric) -> type[Any]:
        """Return the class that `evaluate.load` would choose in a script. The script may import files in its folder."""
        if hash_code(metric.script) != metric.sha256:
            raise MetricError(f"metric {self.name}: its code has changed since the command started. Run it again")
        try:
            module = import_main_class(import_code(metric.script, metric.sha256))
        except Exception as error:  # the code may raise any exception
            raise self._fail("cannot be loaded", error) from error
        if module is None:
            reason = f"{metric.script} defines no metric of evaluate"
            raise MetricError(f"metric {self.name}: {reason}. Derive a class from evaluate.Metric")
        return module

    def _make_module(self, seed: int) -> Any:  # noqa: ANN401 - `evaluate` has no types
        try:
            module = make_module(self._class, seed=seed)
            module.download_and_prepare(download_config=datasets.DownloadConfig())
        except Exception as error:
            raise self._fail("cannot be made", error) from error
        return module

    def _fail(self, reason: str, error: BaseException) -> MetricError:
        cause = f"{type(error).__name__}: {describe_cause(error)}"
        return MetricError(f"metric {self.name}: {reason} ({cause}). Correct the module, or omit it")

    def _find_columns(self, features: Any) -> tuple[str, str, str, tuple[Kind, ...]]:  # noqa: ANN401
        """Find the first input of a module that has two columns of numbers.

        Returns:
            The name of the column of predictions, NumPy's names of the types of predictions and of references, and the
            kinds of tests that have this input.

        Raises:
            MetricError: If there is no such input, or no kind of test has it.
        """
        for alternative in features if isinstance(features, list) else [features]:
            names = [name for name in _PREDICTIONS if name in alternative]
            if len(names) != 1 or set(alternative) != {_REFERENCES, *names}:
                continue
            columns = alternative[names[0]], alternative[_REFERENCES]
            if all(isinstance(column, datasets.Value) and _is_number(column.pa_type) for column in columns):
                predictions, references = (column.dtype for column in columns)
                kinds = _KINDS.get((np.dtype(predictions).kind == "f", np.dtype(references).kind == "f"))
                if kinds:
                    return names[0], predictions, references, kinds
                break
        raise MetricError(f"metric {self.name}: its features fit no kind of test. {_RULE}")

    def measure(self, split: ScoredSplit, resamples: int, seed: int) -> dict[str, OtherMetric]:
        """Measure a test of one of the kinds.

        Args:
            split: The test split.
            resamples: Number of resamples of the bootstrap over topics.
            seed: Random seed of the bootstrap, and of modules that draw numbers.

        Returns:
            Values with their intervals by name: the name of the module, followed by a dot and the name of the value if
            this name is another one. Without an interval if the module fails on a resample, for example on one without
            paraphrases.

        Raises:
            MetricError: If the module fails, or returns anything but finite numbers.
        """
        predictions, references = self._lay_out(split)
        if predictions.dtype.kind == "f" and len(np.unique(predictions)) < len(np.unique(split.scores)):
            message = "metric %s takes numbers of type %s, in which some different scores are equal"
            _logger.warning(message, self.name, predictions.dtype)
        module = self._make_module(seed)
        try:
            output = module.compute(**{self.column: predictions.tolist(), _REFERENCES: references.tolist()})
        except Exception as error:
            raise self._fail("failed", error) from error
        values = _check_output(self.name, output)
        cells = find_cells(split.topics, split.topic_count)

        def measure(weights: Floats) -> Samples:
            # The resampled rows go to `_compute`, the method that modules implement. `compute` would first copy them to
            # an Arrow table and back, which takes several times as long. The columns have the types of that table.
            samples: list[dict[str, float]] = []
            for weight in cells.weigh(weights):
                rows = np.repeat(np.arange(len(references)), weight[cells.of_rows].astype(np.int64))
                inputs = {self.column: predictions[rows].tolist(), _REFERENCES: references[rows].tolist()}
                samples.append(_check_output(self.name, module._compute(**inputs)))
            return {name: np.array([sample[name] for sample in samples]) for name in samples[0]}

        intervals: Mapping[str, tuple[float, float]] = {}
        try:
            with temp_seed(seed), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # once per resample
                intervals = find_intervals(bootstrap(measure, split.topic_count, resamples, seed))
        except Exception as error:
            message = "metric %s has no interval for %s, because it fails on a resample: %s"
            _logger.warning(message, self.name, split.kind.name, describe_cause(error))
        return {name: OtherMetric(round(value, DECIMALS), intervals.get(name)) for name, value in values.items()}

    def _lay_out(self, split: ScoredSplit) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return the predictions and the references of a test, in the types of the module."""
        prediction_type, reference_type = self._types
        predictions: npt.NDArray[Any] = split.scores
        if np.dtype(prediction_type).kind != "f":
            if split.kind == PAIRS:
                assert split.threshold is not None  # pairs have a threshold
                predictions = split.scores >= split.threshold
            else:
                predictions = split.scores.argmax(axis=1)
        return predictions.astype(prediction_type), split.targets.astype(reference_type)


def load_metrics(metrics: Sequence[NamedMetric], kinds: Collection[Kind]) -> list[AddedMetric]:
    """Run the code of modules, and check that each can measure a test.

    Args:
        metrics: The modules.
        kinds: The kinds of the tests.

    Raises:
        MetricError: If a module cannot be loaded, or fits none of the tests.
    """
    loaded = []
    for named in metrics:
        metric = AddedMetric(named)
        if not set(metric.kinds) & set(kinds):
            fitting = " or ".join(kind.name for kind in metric.kinds)
            reason = f"measures {fitting}, but no chosen test has them{metric.failure}"
            remedy = "Add such a test (--task, or tasks= in Python), or omit the metric"
            raise MetricError(f"metric {metric.name}: {reason}. {remedy}")
        loaded.append(metric)
    return loaded


def _is_number(column: pa.DataType) -> bool:
    return pa.types.is_integer(column) or pa.types.is_floating(column)


def _check_output(name: str, output: object) -> dict[str, float]:
    """Return the values of a module by their names in results.

    Raises:
        MetricError: If the output is not a mapping of names to finite numbers.
    """
    remedy = "Use a module that returns a mapping of names to finite numbers"
    if not isinstance(output, Mapping) or not output:
        raise MetricError(f"metric {name}: returned {shorten(repr(output), _MAX_QUOTED)}. {remedy}")
    values = {}
    for key, value in output.items():
        if not (isinstance(key, str) and _KEY.fullmatch(key)):
            raise MetricError(f"metric {name}: returned the name {shorten(repr(key), _MAX_QUOTED)}. {remedy}")
        is_number = isinstance(value, numbers.Real | np.number) and not isinstance(value, bool)
        if not is_number or not math.isfinite(float(value)):
            raise MetricError(f"metric {name}: returned {key} = {shorten(repr(value), _MAX_QUOTED)}. {remedy}")
        values[name if key == name else f"{name}.{key}"] = float(value)
    return values
