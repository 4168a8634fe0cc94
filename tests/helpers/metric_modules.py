"""Modules of `evaluate` for tests: those in tests/data/metrics, and small ones that a test writes."""

from __future__ import annotations

from pathlib import Path

METRICS = Path(__file__).parent.parent / "data" / "metrics"
"""Modules in the form of those on the Hub: accuracy, matthews_correlation, roc_auc and pearsonr."""

_SCRIPT = """
import datasets
import evaluate


class Made(evaluate.Metric):
    def _info(self):
        types = {types}
        features = datasets.Features({{name: datasets.Value(value) for name, value in types.items()}})
        return evaluate.MetricInfo(description="", citation="", features=features)

    def _compute(self, predictions, references):
        {body}
"""


def write_metric(folder: Path, body: str, predictions: str = "int32", references: str = "int32") -> Path:
    """Write a module with the types of its columns and the body of its function, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    types = {"predictions": predictions, "references": references}
    (folder / f"{folder.name}.py").write_text(_SCRIPT.format(types=types, body=body))
    return folder
