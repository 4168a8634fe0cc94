"""Evaluate known models, and write their results without texts into the package, as reference results.

usage: reference_results.py SOURCE CORPORA MODEL PACKAGES      (SOURCE: pyramids and peer annotations of DUC 2007;
CORPORA: folder with `propsegment` and `superpal`; MODEL: folder of MiniLM; PACKAGES: folder of packaged_models.py)

The files of the package are replaced. `peers` is left out, because its scores are as large as all other scores.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from packaged_models import MODELS, load_packaged

from harness.evaluation.comparing.references import FOLDER, write_references
from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, Suite, evaluate_model, load_suite
from harness.models.interfaces.model import Model
from harness.models.loading import load_model
from pyramid_paraphrase.rules.options import PYRAMID_TESTS

_BASELINES = ("one-hot", "tf-idf", "char-ngrams")


def make_references(suites: Iterable[Suite], models: Iterable[Model]) -> list[Result]:
    """Evaluate models on each suite of tests."""
    suites = list(suites)
    return [evaluate_model(model, suite, Settings(quiet=True)) for model in models for suite in suites]


def _main(source: str, corpora: str, minilm: str, packages: str) -> None:
    free = [str(Path(corpora, name)) for name in ("propsegment", "superpal")]
    suites = [load_suite(data, PYRAMID_TESTS) for data in ("sample", source, *free)]
    models = [load_model(spec) for spec in _BASELINES]
    models += [load_packaged(row, Path(packages), Path(minilm)) for row in MODELS]
    results = make_references(suites, models)
    for path in FOLDER.iterdir():
        path.unlink()
    write_references(results, FOLDER)


if __name__ == "__main__":
    _main(*sys.argv[1:])
