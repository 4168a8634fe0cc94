"""The tests as an evaluator of sentence-transformers, for direct calls or for a trainer."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.evaluation.layout import lay_out_tests
from harness.evaluation.runner import Suite, load_suite
from harness.evaluation.scoring import score_tests
from harness.metrics.measuring import measure_rows
from harness.metrics.rows import make_scored_rows
from harness.metrics.table import list_published
from harness.models.kinds.neural import EXTRA
from harness.models.loading import describe_object
from harness.support.names import NAME_RULE, parse_name
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.files.extras import require
from pyramid_paraphrase.pyramids.sources import Source
from pyramid_paraphrase.rules.options import PAPER_TESTS, QUESTIONS, TEST, VALIDATION
from pyramid_paraphrase.rules.ranges import BATCH_SIZE

_Evaluator: Any = require("sentence_transformers.base.evaluation", EXTRA).SentenceEvaluator

SPLITS = (VALIDATION, TEST)


class PyramidParaphraseEvaluator(_Evaluator):
    """An evaluator that measures the current state of a model in memory. It keeps only the tests between calls.

    With ``split="test"``, it returns the metrics that `harness.evaluate` gives for the same model. With
    ``split="validation"``, it scores the validation split instead, so that the test split stays unseen during training.
    To use it, build the tests with ``split_by="topic"``. Otherwise both splits share texts, and questions have no
    validation split. On ``split="validation"``, the threshold is fitted on the measured pairs themselves, so F,
    precision, recall, accuracy and MCC are higher than on held-out pairs. Average precision, ROC AUC and all metrics of
    questions do not depend on a threshold.

    A trainer chooses the best checkpoint by `primary_metric`, which does not depend on a threshold. It is the success
    rate of the first test with questions, or the average precision of the first test if there are only pairs.

    Args:
        data: Annotation files, "sample", or a built folder, local or on the Hub ("ORG/NAME"). The last build if None.
        tasks: Names of configurations.
        split: "test" or "validation".
        name: Prefix of the names of metrics and files, to distinguish evaluators. At most 100 printable characters,
            without slashes.
        batch_size: Texts per batch. If None, it depends on the length of the texts.
        write_csv: Whether to append a line to a CSV file if a call names a folder.

    Raises:
        PyramidParaphraseError: If the data cannot be used or does not have the split.
    """

    def __init__(
        self,
        data: Source | Sequence[Source] | None = None,
        tasks: str | Sequence[str] = PAPER_TESTS,
        *,
        split: str = TEST,
        name: str = "",
        batch_size: int | None = None,
        write_csv: bool = True,
    ) -> None:
        super().__init__()
        if batch_size is not None:
            BATCH_SIZE.check("batch_size", batch_size)
        if name:
            _check_name(name)
        if split not in SPLITS:
            raise unknown_name("split", split, SPLITS)
        self.name, self.split, self.batch_size, self.write_csv = name, split, batch_size, write_csv
        suite = load_suite(data, tasks)
        self._fingerprints = {test.configuration.name: test.fingerprint for test in suite.tests}
        if split == VALIDATION:
            tests = tuple(map(_move_validation, suite.tests))
            suite = Suite(*lay_out_tests(tests))
        self._suite = suite
        self.greater_is_better = True
        rows = next((rows for rows in suite.rows if rows.kind == QUESTIONS), suite.rows[0])
        metric = next(metric for metric in list_published(rows.test.configuration) if not metric.needs_threshold)
        self.primary_metric = f"{self._prefix}{rows.name}_{metric.name}"
        self.csv_file = "_".join(filter(None, ["pyramid_paraphrase_evaluation", name, split, "results.csv"]))

    @property
    def description(self) -> str:
        """Name of the evaluator in model cards."""
        if self.split == TEST:
            return "Pyramid Paraphrase"
        return "Pyramid Paraphrase Validation"

    @property
    def _prefix(self) -> str:
        return f"{self.name}_" if self.name else ""

    def get_config_dict(self) -> dict[str, Any]:
        """Return the settings for the model card: the split, and the fingerprint of each test."""
        return {"split": self.split, "fingerprints": self._fingerprints}

    def __call__(
        self,
        model: Any,  # noqa: ANN401
        output_path: str | None = None,
        epoch: float = -1,
        steps: int = -1,
    ) -> dict[str, float]:
        """Measure a model.

        Args:
            model: A `SentenceTransformer` or a `CrossEncoder`.
            output_path: Folder of the CSV file.
            epoch: Current epoch of the training. -1 after the training.
            steps: Current step of the epoch. -1 after the epoch.

        Returns:
            The metrics of `harness.evaluate`, by names such as "ranking_success_rate".

        Raises:
            ModelError: If the model fails, or its output cannot be used.
        """
        metrics = self._measure(model)
        if output_path is not None and self.write_csv:
            self._append(Path(output_path), {"epoch": epoch, "steps": steps, **metrics})
        metrics = {self._prefix + key: value for key, value in metrics.items()}
        self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        return metrics

    def _measure(self, model: Any) -> dict[str, float]:  # noqa: ANN401
        description, suite = describe_object(model, batch_size=self.batch_size, hashed=False), self._suite
        scores = score_tests(description, suite.texts, suite.rows, store=None, resume=False)
        metrics: dict[str, float] = {}
        for rows in suite.rows:
            values = measure_rows(make_scored_rows(rows, scores.by_test[rows.name].values))
            metrics |= {f"{rows.name}_{metric}": float(value) for metric, value in values.items()}
        return metrics

    def _append(self, folder: Path, row: dict[str, float]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.csv_file
        is_new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, row)
            if is_new:
                writer.writeheader()
            writer.writerow(row)


def _check_name(name: str) -> None:
    """Check that a name can be a part of a file name, before a training that takes hours.

    Raises:
        OptionError: If it cannot.
    """
    try:
        is_part = not set("/\\") & set(parse_name(name))
    except ValueError:
        is_part = False
    if not is_part:
        raise OptionError(f"the name of the evaluator is {name!r}. Use {NAME_RULE}, without slashes")


def _move_validation(test: BuiltTest) -> BuiltTest:
    """Make the validation split of a test its test split."""
    if VALIDATION not in test.splits:
        name = test.configuration.name
        # Only tests that are made from pyramids have options.
        remedy = "Build it with split_by=topic" if test.options else "Add the files of a validation split"
        raise OptionError(f"{name} has no validation split. {remedy}, or omit {name} from tasks")
    return replace(test, splits={**test.splits, TEST: test.splits[VALIDATION]})
