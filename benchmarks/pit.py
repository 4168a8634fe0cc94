"""Score the organizers' baselines of SemEval-2015 task 1, compare with their published numbers, and train our own.

usage: pit.py FOLDER TEXTS
(FOLDER: contains dev.data, test.data, test.label and systemoutputs/; TEXTS: a folder of the Twitter URL corpus)
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import harness
from harness.pit.comparison import compare_systems
from harness.pit.files import make_output, parse_labels
from harness.pit.scoring import measure_output, measure_systems, read_inputs
from harness.rendering.tables import format_p
from harness.stats.bootstrap import RESAMPLES, SEED
from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus
from pyramid_paraphrase.formats.pairs.files import DEBATABLE

PUBLISHED = {
    "random": "0.266 0.192 0.434 0.017 0.350 0.215 0.949",
    "LG": "0.589 0.679 0.520 0.511 0.601 0.674 0.543",
    "WTMF": "0.536 0.450 0.663 0.350 0.587 0.570 0.606",
    "MultiP": "0.696 0.720 0.674 0.551 0.714 0.773 0.663",
}
"""Output of the task's evaluation script: F1, precision, recall, Pearson, and maximum F1 with precision and recall."""

_AS_PUBLISHED = (
    "f1", "precision", "recall", "pearson", "published_max_f1", "published_max_f1_precision", "published_max_f1_recall",
)  # fmt: skip

_TIE_SAFE = ("max_f1", "max_f1_precision", "max_f1_recall")


def render(folder: Path) -> str:
    """Render a Markdown table of the number of reproduced published numbers, and of the tie-safe maximum F."""
    inputs = read_inputs(folder / "test.label", sorted((folder / "systemoutputs").glob("*.output")))
    lines = [
        "| system | F1 | P | R | Pearson | max F1, published | P | R | as published | max F1, tie-safe | P | R |",
        "| --- |" + " ---: |" * 11,
    ]
    for system in measure_systems(inputs):
        name = system.name.rpartition("_")[2]
        ours = [f"{system.metrics[metric]:.3f}" for metric in _AS_PUBLISHED]
        agree = sum(figure == published for figure, published in zip(ours, PUBLISHED[name].split(), strict=True))
        safe = [f"{system.metrics[metric]:.3f}" for metric in _TIE_SAFE]
        lines.append(f"| {' | '.join([name, *ours, f'{agree} of {len(ours)}', *safe])} |")
    return "\n".join(lines)


def render_tests(folder: Path) -> str:
    """Render a Markdown table of the tests of differences over topics, and the sizes of the data."""
    outputs = sorted((folder / "systemoutputs").glob("*.output"))
    inputs = read_inputs(folder / "test.label", outputs, folder / "test.data")
    lines = [
        f"Tests over {inputs.unit_count} topics:",
        "",
        "| metric | system | minus | difference | interval | p | p by Holm |",
        "| --- | --- | --- |" + " ---: |" * 4,
    ]
    for metric, differences in compare_systems(inputs, RESAMPLES, SEED).items():
        for pair in differences:
            names = (pair.model.rpartition("_")[2], pair.first.rpartition("_")[2])
            lower, upper = pair.interval
            interval = f"{lower:+.3f} to {upper:+.3f}"
            numbers = (f"{pair.difference:+.3f}", interval, format_p(pair.p_value), format_p(pair.corrected))
            lines.append(f"| {' | '.join([metric, *names, *numbers])} |")
    for split, pairs in read_pair_corpus(str(folder)).splits.items():
        labels = [pair.label for pair in pairs]
        sentences = {sentence for pair in pairs for sentence in (pair.sentence1, pair.sentence2)}
        counts = f"{labels.count(1):,} paraphrases, {labels.count(0):,} others, {labels.count(DEBATABLE):,} debatable"
        lines += ["", f"{split}: {len(sentences):,} unique sentences, {len(pairs):,} pairs: {counts}."]
    return "\n".join(lines)


REPORTED = {
    "das-smith": ("0.589", "0.511"),
    "overlap-svm": ("0.674", ""),
    "wtmf,texts=": ("0.536", "0.350"),
}
"""F1 and Pearson that the organizers report for systems of these kinds, which learned from other data."""


def render_trained(folder: Path, twitter: Path) -> str:
    """Render a Markdown table of models that learn from `dev.data`, or without labels, beside the reported figures.

    Args:
        folder: The folder of PIT-2015.
        twitter: The folder of the Twitter URL corpus, whose training texts some models learn from.
    """
    pairs = read_pair_corpus(str(twitter)).splits["train"]
    texts = sorted({text for pair in pairs for text in (pair.sentence1, pair.sentence2)})
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "twitter.txt"
        file.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        learned = [f"{kind},texts={file}" for kind in ("wtmf", "ormf")]
        return _render_models(
            folder,
            ["logistic-regression", "das-smith", "overlap-svm", "overlap-svm,kernel=rbf", "wtmf", "ormf", *learned],
        )


def _render_models(folder: Path, specs: Sequence[str]) -> str:
    gold, labels = parse_labels((folder / "test.label").read_bytes(), "test.label")
    lines = [
        "| model | learns from | F1 | P | R | Pearson | F1, reported | Pearson, reported |",
        "| --- | --- |" + " ---: |" * 6,
    ]
    for spec in specs:
        tasks = ("pit_identification", "pit_similarity")
        result = harness.evaluate(spec, folder, tasks, train_on="validation", resamples=10, quiet=True)
        metrics = measure_output(*make_output(result), gold, labels)
        ours = [f"{metrics[metric]:.3f}" for metric in _AS_PUBLISHED[:4]]
        counts = result.record.tests["pit_identification"].counts
        source = f"{counts['learned_pairs']:,} pairs of dev" if "learned_pairs" in counts else "texts of dev and test"
        name, mark, _ = spec.partition("texts=")
        if mark:
            source = "texts of Twitter URL"
        reported = REPORTED.get(name + mark, ("", ""))
        lines.append(f"| {' | '.join([name.rstrip(','), source, *ours, *reported])} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(render(Path(sys.argv[1])))
    print(render_tests(Path(sys.argv[1])))
    print(render_trained(*map(Path, sys.argv[1:3])))
