"""Models on the configuration `peers`, and the commands around it."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.results import edit_result

from harness.api.evaluating import evaluate
from harness.cli import main
from harness.models.kinds.baselines import OptionsOnly
from harness.reports.model_tables import make_tables
from harness.reports.table_notes import write_notes
from harness.support.errors import ModelError
from harness.text.words import in_lower_case
from pyramid_paraphrase.words import split_words

Capture = pytest.CaptureFixture[str]

METRICS = ["match_f1", "match_precision", "match_recall", "match_accuracy", "match_success_rate", "match_mrr"]


class Recorder:
    """Scores pairs by the length of the option, and records the pairs."""

    pairs: list[tuple[str, str]]

    def score(self, pairs: list[tuple[str, str]]) -> list[float]:
        self.pairs = pairs
        return [float(len(option)) for _, option in pairs]


def test_pair_scorers_see_each_fragment_with_each_option() -> None:
    recorder = Recorder()
    result = evaluate(recorder, "sample", "peers", cache=False)
    rows = result.rows["peers"]
    assert list(result.tests["peers"].metrics) == [*METRICS]
    assert result.tests["peers"].counts == {"test": 166, "validation": 18, "topics": 8, "matched": 116}
    # 184 rows with 22 to 24 options each; some rows share a fragment, and so pairs.
    assert rows.scores.shape == (184, 24)
    assert (rows.option_counts.min(), rows.option_counts.max()) == (22, 24)
    assert len(recorder.pairs) == len(set(recorder.pairs)) <= rows.option_counts.sum() == 4345


def test_a_perfect_encoder_finds_every_scu() -> None:
    """Fragments and labels have the vectors of their SCUs; unmatched fragments have no vector."""
    import pyramid_paraphrase

    vectors: dict[str, np.ndarray] = {}
    numbers: dict[tuple[str, str], int] = {}
    for split in pyramid_paraphrase.load("peers", "sample").values():
        for row in split:
            for uid, text in zip(row["option_scus"], row["options"], strict=True):
                number = numbers.setdefault((row["pyramid"], uid), len(numbers))
                vectors[text] = np.eye(1, 200, number)[0]
        for row in split:
            vectors.setdefault(row["fragment"], np.zeros(200))
            if row["match"] != -1:
                vectors[row["fragment"]] = vectors[row["options"][row["match"]]]

    class Oracle:
        def encode(self, texts: list[str]) -> np.ndarray:
            return np.array([vectors[text] for text in texts])

    metrics = evaluate(Oracle(), "sample", "peers", cache=False).tests["peers"].metrics
    assert metrics == dict.fromkeys(METRICS, 1.0)


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (1.0, "m: classifies every row of peers as a matched fragment, which determines its F."),
        (0.0, "m: finds no matched fragment of peers at its threshold."),
    ],
)
def test_models_that_match_everything_or_nothing_are_noted(score: float, message: str) -> None:
    model = SimpleNamespace(score=lambda pairs: [len(option) for _, option in pairs])
    result = evaluate(model, "sample", "peers", cache=False, name="m", resamples=5)
    metrics = {"match_f1": score, "match_precision": 0.5, "match_recall": 0.5 * 166 / 116}
    edited = edit_result(result, lambda r: r["tests"]["peers"]["metrics"].update(metrics))
    assert message in write_notes(make_tables([edited])[0])
    without = edit_result(edited, lambda r: r["tests"]["peers"].update(counts={}))
    assert (message in write_notes(make_tables([without])[0])) == (score == 0)
    perfect = edit_result(result, lambda r: r["tests"]["peers"]["metrics"].update(dict.fromkeys(METRICS, 1.0)))
    assert message not in write_notes(make_tables([perfect])[0])


def test_a_score_that_is_not_finite_is_refused() -> None:
    class Broken:
        def score(self, pairs: list[tuple[str, str]]) -> list[float]:
            return [float("nan"), *[0.5] * (len(pairs) - 1)]

    with pytest.raises(ModelError, match=mentions("Broken: ... score of row ... peers ... finite")):
        evaluate(Broken(), "sample", "peers", cache=False)


def test_options_only_averages_the_cosines_with_the_other_options() -> None:
    """By hand: "a b" and "b c" share one of two words, and "d" shares none; a row without words scores 0."""
    shortcut = OptionsOnly(in_lower_case(split_words))
    scores = shortcut.score_options([["a b", "b c", "d"], ["a b", "a b", "..."]])
    assert scores.tolist() == [pytest.approx([0.25, 0.25, 0.0]), pytest.approx([0.5, 0.5, 0.0])]


def test_models_that_learn_from_pairs_skip_it() -> None:
    class Learner:
        def train(self, pairs: list[tuple[str, str]], labels: list[int]) -> Recorder:
            del pairs, labels
            return Recorder()

    with pytest.raises(ModelError, match=mentions("Learner: ... labelled pairs. ... a test with pairs")):
        evaluate(Learner(), "sample", "peers", cache=False)


def test_results_are_shown_compared_and_explained(tmp_path: Path, capsys: Capture) -> None:
    output = str(tmp_path / "results")
    models = ["--model", "one-hot", "--model", "tf-idf"]
    call = ["evaluate", "--data", "sample", "--task", "peers", *models, "--output", output, "--resamples", "10"]
    assert main(call) == 0
    printed = capsys.readouterr().out
    assert [line.split()[0] for line in printed.splitlines() if line.startswith("  ") and "[" in line][:5] == [
        "tf-idf", "one-hot", "overlap", "length", "options-only"
    ]  # fmt: skip
    assert main(["report", output, "--format", "csv"]) == 0
    metrics = {row["metric"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert {*METRICS, "threshold"} <= metrics
    assert main(["compare", output, "--format", "json"]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert {part["metric"] for part in compared["comparisons"]} == {"match_f1", "match_success_rate", "match_mrr"}
    assert main(["errors", output, "--data", "sample", "--format", "json"]) == 0
    (analysis,) = json.loads(capsys.readouterr().out)["tests"]
    kinds = {part["value"]: part["rows"] for part in analysis["slices"] if part["dimension"] == "kind"}
    assert kinds == {"matched fragment": 116, "unmatched fragment": 50}


def test_the_page_speaks_of_fragments(tmp_path: Path, capsys: Capture) -> None:
    output = str(tmp_path / "results")
    evaluate("one-hot", "sample", "peers", output=output, resamples=10)
    assert main(["report", output, "--format", "html", "--show-text", "--data", "sample"]) == 0
    page = capsys.readouterr().out
    assert "<em>peers</em> measures how well models find the SCU that a fragment" in page
    assert "Share of the matched fragments. Tied options share their ranks." in page
    assert "Scores of matched fragments and of unmatched fragments. Threshold: " in page
    assert "<h4>Unmatched fragments classified as matched</h4>" in page
    assert '<span class="muted">SCU:</span> none' in page
    assert "paraphrases" not in page


def test_build_lists_omitted_data(tmp_path: Path, capsys: Capture) -> None:
    assert main(["build", "sample", "--config", "peers", "--cache-dir", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "peers: fragments left out: 19 (contain a pronoun)" in out
    assert main(["build", "sample", "--config", "peers", "--output", str(tmp_path / "folder")]) == 2
    assert re.search(mentions("peers ... --output. ... data_dir="), capsys.readouterr().err)
