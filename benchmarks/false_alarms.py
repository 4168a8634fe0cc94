"""False alarms: models that say "paraphrase" of pairs that are not, by thresholds fitted on other pairs.

usage: false_alarms.py PARAPHRASUS DUC2007 MSRP [MODEL]
(PARAPHRASUS: folder of its five .tsv files; MODEL: folder of a sentence-transformers model)
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from harness.evaluation.record import OtherMetric
from harness.evaluation.runner import DEFAULT_RESAMPLES, Settings, evaluate_model, load_suite
from harness.evaluation.transfers import measure_share, read_transfer_sets
from harness.models.files.store import ModelStore
from harness.models.loading import load_model
from harness.rendering.tables import format_interval
from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus
from pyramid_paraphrase.formats.pairs.files import CorpusFile
from pyramid_paraphrase.formats.pairs.tables import read_column

SETS = {
    "stannlp-snli-pre-hyp": ("SNLI, yes", "false_alarms"),
    "fb-anli-pre-hyp": ("ANLI, yes", "false_alarms"),
    "onestop_parallel_all_pairs": ("OneStop, yes", "recall"),
}
"""Sets without paraphrases, and the one of paraphrases only."""

GRADED = {"sickr-sts": "SICK-R", "stsbenchmark-test-sts": "STS-B"}
PUBLISHED = {
    "Llama 3, paraphrases": "LLama3 zero-shot (Paraph)",
    "Llama 3, semantically equivalent": "LLama3 zero-shot (Sem Equiv)",
    "Llama 3, exactly the same content": "LLama3 zero-shot (Ex. Same Content)",
    "XLM-RoBERTa": "XLM-RoBERTa-EN-ALLTHREE-V3-1",
}
"""Columns of published systems."""

BASELINES = ("overlap", "one-hot", "tf-idf", "length")


def rate_published(folder: Path) -> Iterator[tuple[str, list[OtherMetric]]]:
    """Yield the share of yes of each published system on each set, row by row, with intervals over first sentences."""
    for title, column in PUBLISHED.items():
        shares = []
        for name in SETS:
            path = folder / f"{name}.tsv"
            pairs = read_pair_corpus(path).splits["test"]
            file = CorpusFile("", path.name, str(path), path.read_text(encoding="utf-8"))
            answers = {line: cell == "1" for line, _, _, cell in read_column(file, column)}
            is_yes = np.array([answers[pair.line] for pair in pairs])
            _, topics = np.unique([pair.topic for pair in pairs], return_inverse=True)
            shares.append(measure_share(is_yes, topics, DEFAULT_RESAMPLES, 0))
        yield title, shares


def rate_models(folder: Path, mains: dict[str, tuple[Path, str]], model: str | None) -> Iterator[tuple[str, ...]]:
    """Yield a row of cells per main test and model: shares of yes, and Spearman's correlations with grades."""
    sets = read_transfer_sets([folder / f"{name}.tsv" for name in (*SETS, *GRADED)])
    specs = [*BASELINES, *([f"{model},name=MiniLM"] if model else [])]
    with tempfile.TemporaryDirectory() as cache:
        settings = Settings(quiet=True, store=ModelStore(Path(cache)), transfers=sets)
        for title, (data, task) in mains.items():
            suite = load_suite(data, task)
            for spec in specs:
                result = evaluate_model(load_model(spec), suite, settings)
                test = result.tests[task]
                others = test.other_metrics
                shares = [others[f"transfer.{name}.{metric}"] for name, (_, metric) in SETS.items()]
                correlations = [others[f"transfer.{name}.spearman"] for name in GRADED]
                f1 = OtherMetric(test.metrics["f1"], test.intervals["f1"])
                yield title, result.model, *map(show, (f1, *shares, *correlations))


def show(metric: OtherMetric) -> str:
    """Show a number and its interval."""
    return f"{metric.value:.4f} {format_interval(metric.interval)}"


def render(folder: Path, duc: Path, msrp: Path, model: str | None = None) -> str:
    """Render a table in Markdown: published systems, then models by their thresholds on both main tests."""
    titles = [
        "threshold",
        "model",
        "F",
        *(title for title, _ in SETS.values()),
        *(f"{t}, rho" for t in GRADED.values()),
    ]
    lines = [titles, ["---", "---", *["---:"] * (len(titles) - 2)]]
    for name, shares in rate_published(folder):
        lines.append(["its own", name, "-", *map(show, shares), *["-"] * len(GRADED)])
    mains = {"DUC 2007, binary_matched": (duc, "binary_matched"), "MSRP": (msrp, "pairs")}
    lines += map(list, rate_models(folder, mains, model))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    paraphrasus, duc2007, msrp, *further = sys.argv[1:]
    print(render(Path(paraphrasus), Path(duc2007), Path(msrp), *further))
