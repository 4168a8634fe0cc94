"""Judges of presence side by side, and their reports."""

from __future__ import annotations

import csv
import io
import re
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
import sklearn.metrics
from helpers.commands import unwrap
from helpers.messages import mentions
from helpers.scu_labels import write_scu_labels

from harness.api.evaluating import evaluate
from harness.cli import main
from harness.evaluation.results import Result, read_results
from harness.metrics.rows import ScoredRows
from harness.reports.judges.measuring import FITTED, OWN, JudgedTest, SystemScores, judge_presence
from harness.reports.model_tables import make_tables
from harness.reports.rows import load_texts
from harness.stats.rounding import round_scores
from harness.support.errors import ComparisonError
from pyramid_paraphrase.rules.options import PAIRS

Capture = pytest.CaptureFixture[str]

SYSTEMS, TOPICS, UNITS = 5, 12, 3
COLOURS = ("red", "green", "blue")


def say(topic: int, unit: int) -> str:
    return f"The {COLOURS[unit]} house in village{topic} burned down."


def is_present(system: int, topic: int, unit: int) -> bool:
    """System 0 expresses every unit, and later systems fewer of them."""
    return (7 * topic + 5 * unit + system) % SYSTEMS >= system


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five systems on twelve topics. A summary contains a unit word by word if people found it."""
    topics = range(TOPICS)
    files: dict[str, str | None] = {"labels/copy.label": None, "labels/terse.label": None}
    files |= {"summaries/copy.summary": None, "summaries/terse.summary": None}
    files["SCUs.txt"] = "\n".join("\t".join(say(topic, unit) for unit in range(UNITS)) for topic in topics)
    files["references.txt"] = "\n".join(" ".join(say(topic, unit) for unit in range(UNITS)) for topic in topics)
    files["ids.txt"] = "\n".join(f"t{topic}" for topic in topics)
    for system in range(SYSTEMS):
        labels, summaries = [], []
        for topic in topics:
            found = [unit for unit in range(UNITS) if is_present(system, topic, unit)]
            labels.append("\t".join(str(int(unit in found)) for unit in range(UNITS)))
            summaries.append(" ".join([f"It rained in village{topic}.", *(say(topic, unit) for unit in found)]))
        files[f"labels/sys{system}.label"] = "\n".join(labels)
        files[f"summaries/sys{system}.summary"] = "\n".join(summaries)
    return write_scu_labels(tmp_path_factory.mktemp("judges") / "corpus", files)


class Noisy:
    """Finds a unit by its words, and is wrong on every fourth one. Scores are certainties or doubts."""

    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> list[float]:
        scores = []
        for scu, sentences in zip(scus, summaries, strict=True):
            is_found, is_wrong = scu in sentences, (len(" ".join(sentences)) + len(scu)) % 4 == 0
            scores.append((0.9 if is_found else 0.2) if not is_wrong else (0.4 if is_found else 0.6))
        return scores


@pytest.fixture(scope="module")
def results(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    evaluate({"noisy": Noisy()}, corpus, "presence", output=folder, resamples=20)
    evaluate("overlap", corpus, "presence", output=folder, resamples=20)
    return folder


@pytest.fixture(scope="module")
def judged(corpus: Path, results: Path) -> JudgedTest:
    [test] = judge_presence(make_tables(read_results([results])), load_texts(str(corpus), ["presence"]))
    return test


def find_noisy(results: Path) -> Result:
    return next(result for result in read_results([results]) if result.model == "noisy")


def test_agreement_on_single_units(judged: JudgedTest, results: Path) -> None:
    """scikit-learn computes the same kappa. Alpha of two annotators follows from its definition (Krippendorff 2011)."""
    result = find_noisy(results)
    rows = result.rows["presence"]
    labels = rows.targets[rows.is_test]
    said = (rows.scores[rows.is_test] >= result.tests["presence"].threshold).astype(int)
    noisy = next(judge for judge in judged.judges if judge.row.name == "noisy")
    assert judged.rows == len(labels) > 100
    assert noisy.cells["kappa"].value == pytest.approx(sklearn.metrics.cohen_kappa_score(labels, said), abs=1e-6)
    both = np.concatenate([labels, said])
    yes, no = both.sum(), len(both) - both.sum()
    alpha = 1 - (len(both) - 1) * 2 * (labels != said).sum() / (2 * yes * no)
    assert noisy.cells["alpha"].value == pytest.approx(alpha, abs=1e-6)
    lower, upper = noisy.cells["alpha"].interval or (0, 0)
    assert lower < alpha < upper
    assert noisy.cells["f1"].value == result.tests["presence"].metrics["f1"]


def test_probabilities_are_fitted_on_other_rows(judged: JudgedTest, results: Path) -> None:
    """An object does not say that its scores are probabilities, so it has no own ones."""
    rows = find_noisy(results).rows["presence"]
    fitted = sklearn.isotonic.IsotonicRegression(out_of_bounds="clip").fit(*rows.fitted_on())
    probabilities = fitted.predict(rows.scores[rows.is_test])
    labels = rows.targets[rows.is_test]
    noisy = next(judge for judge in judged.judges if judge.row.name == "noisy")
    assert list(noisy.reliability) == [FITTED]
    expected = sklearn.metrics.brier_score_loss(labels, probabilities)
    assert noisy.cells["fitted_brier"].value == pytest.approx(expected, abs=1e-6)
    assert "own_brier" not in noisy.cells
    assert noisy.cells["fitted_calibration_error"].interval is None


@pytest.mark.parametrize(("scores", "sources"), [((0.9, 0.2), [OWN, FITTED]), ((1.0, 0.0), [FITTED])])
def test_which_scores_are_probabilities(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scores: tuple[float, float], sources: list[str]
) -> None:
    """Scores of a kind that gives probabilities, unless all are answers in words."""
    from dataclasses import replace

    from harness.models import registry

    class Judge:
        def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> list[float]:
            return [scores[scu not in sentences] for scu, sentences in zip(scus, summaries, strict=True)]

    kind = replace(registry.KIND_BY_NAME["judge"], name="object")
    monkeypatch.setitem(registry.KIND_BY_NAME, "object", kind)
    evaluate({"m": Judge()}, corpus, "presence", output=tmp_path, resamples=20)
    [test] = judge_presence(make_tables(read_results([tmp_path])), None)
    [judge] = [judge for judge in test.judges if judge.row.name == "m"]
    assert list(judge.reliability) == sources
    assert (OWN in sources) == ("own_brier" in judge.cells)
    if OWN in sources:
        present = judge.row.results[0].rows["presence"]
        share = present.targets[present.is_test].mean()
        assert judge.cells["own_brier"].value == pytest.approx(share * 0.1**2 + (1 - share) * 0.2**2, abs=1e-6)


def test_scores_of_systems(judged: JudgedTest, results: Path) -> None:
    """Means over topics of the share of units, correlated by scipy."""
    result = find_noisy(results)
    rows, threshold = result.rows["presence"], result.tests["presence"].threshold
    noisy = next(judge for judge in judged.judges if judge.row.name == "noisy")
    assert (judged.systems, judged.is_weighted, noisy.problem) == (SYSTEMS, False, "")
    topics = sorted({rows.topic_names[topic] for topic in rows.topics[rows.is_test, 0].tolist()})
    assert judged.topics == len(topics)
    numbers = [int(re.sub(r"\D", "", topic)) for topic in topics]
    people = [
        np.mean([is_present(system, *unit) for unit in product(numbers, range(UNITS))]) for system in range(SYSTEMS)
    ]
    shares = []
    for system in range(SYSTEMS):
        found = []
        for topic, unit in product(numbers, range(UNITS)):
            sentences = [f"It rained in village{topic}."]
            sentences += [say(topic, other) for other in range(UNITS) if is_present(system, topic, other)]
            found.append(Noisy().score_summaries([say(topic, unit)], [sentences])[0] >= threshold)
        shares.append(np.mean(found))
    for name, function in (("pearson", "pearsonr"), ("spearman", "spearmanr"), ("kendall", "kendalltau")):
        expected = getattr(scipy.stats, function)(shares, people).statistic
        assert noisy.cells[f"system_{name}"].value == pytest.approx(expected, abs=1e-6)
    assert set(noisy.cells) >= {"summary_pearson", "summary_spearman", "summary_kendall"}


def test_without_the_data(results: Path) -> None:
    [test] = judge_presence(make_tables(read_results([results])), None)
    assert (test.systems, test.topics) == (None, None)
    assert not any(name.startswith(("system_", "summary_")) for judge in test.judges for name in judge.cells)


def test_results_on_other_tests_are_refused(tmp_path: Path) -> None:
    evaluate("one-hot", "sample", "ranking", output=tmp_path, resamples=20)
    with pytest.raises(ComparisonError, match=mentions("presence. ... --task presence")):
        judge_presence(make_tables(read_results([tmp_path])), None)


def run(*arguments: object) -> int:
    return main(["report", *map(str, arguments)])


def test_the_command(results: Path, corpus: Path, capsys: Capture, tmp_path: Path) -> None:
    assert run(results, "--agreement", "--data", corpus) == 0
    text = capsys.readouterr().out
    assert "decisions on SCUs" in text
    assert "5 systems, " in text
    assert "* or bold" not in text
    assert run(results, "--agreement", "--data", corpus, "--format", "csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    metrics = {row["metric"] for row in rows if row["model"] == "noisy"}
    assert {"f1", "kappa", "alpha", "fitted_brier", "system_pearson", "summary_kendall"} <= metrics
    bins = [row for row in rows if row["model"] == "noisy" and row["metric"].endswith(".share")]
    kept = int(next(row["rows"] for row in rows if row["metric"] == "f1"))
    assert sum(int(row["rows"]) for row in bins) == kept
    for form in ("html", "markdown", "latex"):
        assert run(results, "--agreement", "--data", corpus, "--output", tmp_path / f"x{form}", "--format", form) == 0
    assert "<h2 id=" in (tmp_path / "xhtml").read_text()
    assert "burned" not in (tmp_path / "xhtml").read_text()


def test_without_a_build_scores_of_systems_are_missing(
    results: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.cli.evaluation.results.load_texts", fail_without_build)
    assert run(results, "--agreement") == 0
    assert "--data SOURCE" in " ".join(capsys.readouterr().out.split())


def fail_without_build(*_: object) -> None:
    from pyramid_paraphrase.errors import NoBuildError

    raise NoBuildError("presence", "build it")


def test_data_of_results_on_several_corpora_are_read_one_by_one(
    results: Path, corpus: Path, capsys: Capture, tmp_path: Path
) -> None:
    """Both corpora were joined, which made rows that no model was evaluated on."""
    evaluate("length", "sample", "presence", output=tmp_path / "more", resamples=20)
    assert run(results, tmp_path / "more", "--agreement", "--data", corpus, "--data", "sample") == 0
    printed = unwrap(capsys.readouterr().out)
    assert re.findall(r"Scores of systems: (missing|\d+ systems?)", printed) == ["5 systems", "2 systems"]


def test_a_last_build_of_other_rows_is_told(
    results: Path, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(tmp_path / "cache"))
    assert main(["build", "sample", "--config", "presence"]) == 0
    assert run(results, "--agreement") == 0
    assert re.search(mentions("last build ... other rows ... Add --data SOURCE"), capsys.readouterr().err)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--plot", "x.png"), "--plot ... --agreement"),
        (("--data", "sample"), "--data ... --agreement"),
        (("--agreement", "--paper"), "--paper ... --agreement"),
        (("--agreement", "--plot", "x.gif"), "x.gif ... .png"),
        (("--agreement", "--data", "sample"), "presence ... data"),
    ],
)
def test_options_that_do_not_fit(results: Path, capsys: Capture, options: tuple[str, ...], message: str) -> None:
    if "x.gif" not in options and "--plot" in options:
        pytest.importorskip("matplotlib")
    assert run(results, *options) != 0
    assert re.search(mentions(message), capsys.readouterr().err)


@pytest.mark.needs("matplotlib")
def test_the_figure_is_always_the_same(results: Path, corpus: Path, capsys: Capture, tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        assert run(results, "--agreement", "--data", corpus, "--plot", tmp_path / name) == 0
        assert name in capsys.readouterr().err
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "share of present SCUs" in (tmp_path / "a.svg").read_text()


def test_systems_without_common_topics_have_their_own_ones() -> None:
    """Twelve systems, two of them on each of six topics, as in SummHay. Weights of units count."""
    keys = [(f"t{system // 2}", f"s{system:02}", unit) for system in range(12) for unit in range(3)]
    labels = np.array([int(unit < system % 4) for system in range(12) for unit in range(3)])
    ids = [f"{topic} {system} {unit}" for topic, system, unit in keys]
    table = pa.table(
        {
            "id": ids,
            "pyramid": [topic for topic, *_ in keys],
            "peer": [system for _, system, _ in keys],
            "annotator": [""] * len(keys),
            "weight": [unit + 1 for *_, unit in keys],
        }
    )
    systems = SystemScores(SimpleNamespace(splits={"test": [table]}))  # type: ignore[arg-type]
    assert systems.is_weighted
    shares = systems.average(ids, labels.astype(float), np.ones(len(ids), dtype=bool))
    assert [shares["t1", "s03"], shares["t1", "s02"], shares["t0", "s01"]] == [1.0, 0.5, pytest.approx(1 / 6)]
    rows = ScoredRows(
        kind=PAIRS,
        targets=labels,
        topics=np.zeros((len(ids), 2), dtype=np.int64),
        ids=ids,
        is_test=np.ones(len(ids), dtype=bool),
        topic_names=("t",),
        scores=round_scores(labels),
    )
    cells, problem = systems.correlate("m", rows, 0.5)
    assert cells["system_pearson"].value == 1.0
    assert "own topics" in problem
