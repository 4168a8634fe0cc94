"""Sets of other pairs: shares of yes at the threshold of a test, correlations with grades, and where they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import run
from helpers.messages import mentions
from helpers.pair_corpora import list_rows, write_tokens

import harness
from harness.evaluation.record import describe_metric
from harness.evaluation.results import Result, read_result
from harness.evaluation.transfers import measure_share, read_transfer_sets
from harness.leaderboards.site.entries import list_facts
from harness.models.interfaces.scores import Outcome, Scores, make_scores
from pyramid_paraphrase.errors import OptionError

_NAMES = ("id", "sentence1", "sentence2", "label")


def write_pairs(path: Path, *rows: tuple[str, str, int]) -> Path:
    lines = [_NAMES, *((str(number), *map(str, row)) for number, row in enumerate(rows))]
    path.write_text("".join("\t".join(line) + "\n" for line in lines))
    return path


class LastWord:
    """Scores the pairs of the main test by their grades, and other pairs by the number at the end.

    The grades of paraphrases are 4 and 5, and those of other pairs at most 2. The threshold is in the middle of 0.4
    and 0.8.
    """

    def __init__(self) -> None:
        self.grades = {(first, second): grade / 5 for _, _, first, second, grade in list_rows(0, 12)}

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [self.grades[pair] if pair in self.grades else float(pair[1].split()[-1]) for pair in pairs]


def evaluate(tmp_path: Path, *sets: Path, model: object | None = None) -> Result:
    data = tmp_path / "data"
    if not data.exists():
        write_tokens(data)
    result: Result = harness.evaluate(model or LastWord(), data, "pairs", transfer_to=sets, name="m", quiet=True)
    return result


def test_shares_of_yes(tmp_path: Path) -> None:
    """By hand: the threshold is fitted to `train` of the main test. 1 of 4 pairs is below it, in one of two topics."""
    main = evaluate(tmp_path)
    assert main.tests["pairs"].threshold == pytest.approx(0.6)
    negatives = write_pairs(
        tmp_path / "negatives.tsv", ("a", "b 0.9", 0), ("a", "c 0.001", 0), ("d", "e 0.9", 0), ("d", "f 0.95", 0)
    )
    positives = write_pairs(tmp_path / "positives.tsv", ("a", "b 0.9", 1), ("b", "b 0.9", 1))
    both = write_pairs(tmp_path / "both.tsv", ("a", "b 0.9", 1), ("a", "b 0.001", 1), ("a", "c 0.001", 0))
    result = evaluate(tmp_path, negatives, positives, both)
    test = result.tests["pairs"]
    assert test.metrics == main.tests["pairs"].metrics
    assert {name: metric.value for name, metric in test.other_metrics.items()} == {
        "transfer.negatives.false_alarms": 0.75,
        "transfer.positives.recall": 1.0,
        "transfer.both.false_alarms": 0.0,
        "transfer.both.recall": 0.5,
    }
    # Two topics of two pairs have 1 and 2 yes: a resample has a share of 0.5, 0.75 or 1.
    assert test.other_metrics["transfer.negatives.false_alarms"].interval == (0.5, 1.0)
    # 0.025 ** (1 / 2) is 0.158114, for two topics with the same answer.
    assert test.other_metrics["transfer.positives.recall"].interval == (0.158114, 1.0)
    assert set(result.record.metric_modules) == {"transfer.negatives", "transfer.positives", "transfer.both"}


def test_exact_intervals() -> None:
    """Without any yes of 100 topics, the upper end is 1 - 0.025 ** 0.01 = 0.036217 (Clopper and Pearson 1934)."""
    share = measure_share(np.zeros(100, dtype=bool), np.arange(100), 10, 0)
    assert (share.value, share.interval) == (0.0, (0.0, 0.036217))


def test_a_cutoff_of_the_model(tmp_path: Path) -> None:
    class Decided(LastWord):
        cutoff = 0.5

        def train(self, pairs: Sequence[tuple[str, str]], labels: object) -> None:
            """Learn nothing. Only models that learn have a cutoff of their own."""

    rows = write_pairs(tmp_path / "n.tsv", ("a", "b 0.49", 0), ("c", "b 0.5", 0))
    test = evaluate(tmp_path, rows, model=Decided()).tests["pairs"]
    assert test.threshold == 0.5
    assert test.other_metrics["transfer.n.false_alarms"].value == 0.5


def test_grades(tmp_path: Path) -> None:
    """By hand: scores .1, .2, .3, .9 and grades 1, 2, 4, 3 have Spearman's correlation 1 - 6 * 2 / 60 = 0.8."""
    path = tmp_path / "graded.txt"
    rows = [("0.1", "1.0"), ("0.2", "2.0"), ("0.3", "4.0"), ("0.9", "3.0")]
    lines = ["pair_ID\tsentence_A\tsentence_B\trelatedness_score\n"]
    lines += [f"{number}\ta {number}\tb {score}\t{grade}\n" for number, (score, grade) in enumerate(rows)]
    path.write_text("".join(lines))
    metrics = evaluate(tmp_path, path).tests["pairs"].other_metrics
    assert metrics["transfer.graded.spearman"].value == 0.8
    assert metrics["transfer.graded.pearson"].value == pytest.approx(
        np.corrcoef([1, 2, 3, 9], [1, 2, 4, 3])[0, 1], abs=1e-6
    )


class Silent(LastWord):
    """Gives no answer to pairs that end in 0.7."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> Scores:  # type: ignore[override]
        outcomes = [Outcome.REFUSALS if second.endswith("0.7") else Outcome.ANSWERED for _, second in pairs]
        return make_scores(super().score(pairs), outcomes)


def test_missing_answers_are_wrong_and_counted(tmp_path: Path) -> None:
    rows = write_pairs(tmp_path / "n.tsv", ("a", "b 0.7", 0), ("c", "b 0.001", 0))
    metrics = evaluate(tmp_path, rows, model=Silent()).tests["pairs"].other_metrics
    assert {name: metric.value for name, metric in metrics.items()} == {
        "transfer.n.false_alarms": 0.5,
        "transfer.n.no_answers": 1.0,
    }


def test_tests_without_pairs_are_refused(tmp_path: Path) -> None:
    """Other pairs once changed the request of such a test, and the notes named them, without any number."""
    rows = write_pairs(tmp_path / "n.tsv", ("a", "b", 0))
    with pytest.raises(OptionError, match=mentions("--transfer-to ... ranking ... Add ... binary_matched")):
        harness.evaluate("overlap", "sample", "ranking", transfer_to=rows, quiet=True)


def test_trained_models_learn_from_the_main_test(tmp_path: Path) -> None:
    rows = write_pairs(tmp_path / "n.tsv", ("the ferry came back", "the ferry came back", 0), ("x y", "z", 0))
    result = harness.evaluate(
        "logistic-regression", write_tokens(tmp_path / "d"), "pairs", transfer_to=rows, quiet=True
    )
    assert result.tests["pairs"].other_metrics["transfer.n.false_alarms"].value == 0.5


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Table, CSV, HTML and a board's page show the shares. Other pairs of the same name are another request."""
    monkeypatch.chdir(tmp_path)
    write_tokens(tmp_path / "data")
    path = write_pairs(tmp_path / "n.tsv", ("a b c", "a b c", 0), ("d", "e", 0))
    command = ["evaluate", "--model", "logistic-regression", "--data", "data", "--transfer-to", "n.tsv", "--quiet"]
    assert run(*command) == 0
    output = capsys.readouterr().out
    assert "threshold of pairs" in output
    assert "0.500" in output
    assert run(*command) == 0
    assert "evaluated before" in capsys.readouterr().out
    (file,) = Path("results/logistic-regression").glob("*.json")
    result = read_result(file)
    facts = dict(list_facts(result.record, None))
    assert facts["n: false alarms, by pairs (not checked)"].startswith("0.500 [")
    assert run("report", "results", "--format", "csv") == 0
    assert "other_metrics.transfer.n.false_alarms,0.5," in capsys.readouterr().out
    assert run("report", "results", "--output", "r.html") == 0
    assert "n: false alarms" in Path("r.html").read_text()
    write_pairs(path, ("a b c", "a b c", 0), ("d", "d", 0))
    capsys.readouterr()
    assert run(*command) == 0
    assert "evaluated before" not in capsys.readouterr().out


def test_names(tmp_path: Path) -> None:
    first = write_pairs(tmp_path / "n.tsv", ("a", "b", 0))
    (tmp_path / "x").mkdir()
    second = write_pairs(tmp_path / "x" / "n.txt", ("a", "b", 0))
    with pytest.raises(OptionError, match=mentions("--transfer-to ... n. Rename")):
        read_transfer_sets([first, second])
    assert [chosen.name for chosen in read_transfer_sets([write_pairs(tmp_path / "été (1).tsv", ("a", "b", 0))])] == [
        "t-1"
    ]
    assert describe_metric("transfer.a.b.false_alarms") == "a.b: false alarms"
    assert describe_metric("accuracy.f1") == "accuracy.f1"
    undecided = tmp_path / "u.jsonl"
    undecided.write_text('{"sentence1": "a", "sentence2": "b", "gold_label": "-"}\n')
    with pytest.raises(OptionError, match=mentions("u.jsonl ... debatable ... labels or grades")):
        read_transfer_sets([undecided])
