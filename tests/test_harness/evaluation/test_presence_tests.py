"""Models on the configuration `presence`, and the commands around a corpus of SCU labels."""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.results import split_tables
from helpers.scu_labels import write_scu_labels
from helpers.summhay import PART, make_entries, write_summhay

from harness.api.evaluating import evaluate
from harness.cli import main
from harness.models.loading import load_model
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.files import limits

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_scu_labels(tmp_path / "corpus")


class Recorder:
    """Scores pairs by the length of the sentence, and records the pairs."""

    pairs: list[tuple[str, str]]

    def score(self, pairs: list[tuple[str, str]]) -> list[float]:
        self.pairs = pairs
        return [float(len(sentence)) for sentence, _ in pairs]


def test_pair_scorers_see_each_sentence_once_with_each_scu(corpus: Path) -> None:
    recorder = Recorder()
    result = evaluate(recorder, corpus, "presence", cache=False)
    # Two sentences of `copy` and one of `terse` with 2 SCUs, one sentence with 3, and one and two with 2: 6 + 3 + 6.
    assert len(recorder.pairs) == len(set(recorder.pairs)) == 15
    assert ("Dr. Lee saw it.", "The fire began at night.") in recorder.pairs
    rows = result.rows["presence"]
    longest = {"ferry": {35, 13}, "fox_1": {54}, "mill": {22, 39}}
    assert len(rows.scores) == 11
    for topic, score in zip(rows.topics[:, 0].tolist(), rows.scores.tolist(), strict=True):
        assert score in longest[rows.topic_names[topic]]


def test_encoders_score_by_the_nearest_sentence(corpus: Path) -> None:
    class ByKeyword:
        def encode(self, texts: list[str]) -> np.ndarray:
            words = ("ferry", "saved", "burned", "night")
            return np.array([[float(word in text) for word in words] for text in texts])

    result = evaluate(ByKeyword(), corpus, "presence", cache=False)
    scores = set(result.rows["presence"].scores.tolist())
    # Of "burned ... at night" to "burned down" and to "at night"; equal words; no word.
    assert scores <= {0.0, 1.0, round(math.sqrt(0.5), 6)}
    assert round(math.sqrt(0.5), 6) in scores


def test_models_that_read_summaries_come_first(corpus: Path) -> None:
    class Whole(Recorder):
        def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> list[float]:
            return [len(summary) + 0.5 * scu.startswith("The") for scu, summary in zip(scus, summaries, strict=True)]

    result = evaluate(Whole(), corpus, "presence", cache=False)
    assert set(result.rows["presence"].scores.tolist()) <= {1.0, 1.5, 2.0, 2.5}
    with pytest.raises(ModelError, match=mentions("frequency: ... SCUs ... presence")):
        evaluate("frequency", "sample", "ranking")


def test_shortcuts() -> None:
    scus = ["the mill burned", "nobody came", "the the"]
    summaries = [["The mill fell.", "It burned."], ["It rained."], ["The mill fell."]]
    assert load_model("length").scorer.score_summaries(scus, summaries).tolist() == [5.0, 2.0, 3.0]  # type: ignore[union-attr]
    assert load_model("overlap").scorer.score_summaries(scus, summaries).tolist() == [1.0, 0.0, 1.0]  # type: ignore[union-attr]
    # Of three different sentences, one has "the" and "mill", one "burned", and none "nobody" or "came".
    frequencies = load_model("frequency").scorer.score_summaries(scus, summaries).tolist()  # type: ignore[union-attr]
    assert frequencies == pytest.approx([math.log(2), 0.0, math.log(2)])


def test_metrics_and_shortcuts_are_shown(corpus: Path, tmp_path: Path, capsys: Capture) -> None:
    output = str(tmp_path / "results")
    call = ["evaluate", "--data", str(corpus), "--task", "presence", "--model", "one-hot", "--output", output]
    assert main([*call, "--resamples", "10"]) == 0
    output_text = capsys.readouterr().out
    assert "presence: 2 topics, too few for reliable intervals" in output_text
    (shown,) = split_tables(output_text)
    assert [line.split()[0] for line in shown if line.startswith("  ")] == [
        "one-hot", "frequency", "length", "overlap"
    ]  # fmt: skip
    assert main(["report", output, "--format", "csv"]) == 0
    metrics = {row["metric"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert {"f1", "average_precision", "roc_auc"} <= metrics


def test_the_page_speaks_of_scus(corpus: Path, tmp_path: Path, capsys: Capture) -> None:
    """Regression test: `--show-text` ended in a traceback, and the rows were called paraphrases."""
    output = str(tmp_path / "results")
    evaluate("constant", corpus, "presence", output=output, resamples=10)
    call = ["report", output, "--format", "html"]
    assert main(call) == 0
    page = capsys.readouterr().out
    assert "<em>presence</em> measures how well models recognize whether the summary" in page
    assert "Scores of present SCUs and of absent SCUs. Threshold: " in page
    assert "the share of present SCUs. It is the precision of chance." in page
    assert "<h4>Absent SCUs classified as present</h4>" in page
    assert "classifies every row of presence as a present SCU, which determines its F." in page
    assert "paraphrases" not in page
    assert "passengers" not in page
    assert main([*call, "--show-text", "--data", str(corpus)]) == 0
    page = capsys.readouterr().out
    assert '<span class="muted">SCU:</span> Nobody drowned.</li><li><span class="muted">summary:</span> A ferry' in page


@pytest.mark.needs("sentence_transformers")
def test_cross_encoders_read_sentences_or_summaries(corpus: Path, tmp_path: Path) -> None:
    from helpers.tiny_models import save_tiny_encoder

    folder = save_tiny_encoder(tmp_path / "cross", labels=1)
    sentences = evaluate(f"cross-encoder:{folder}", corpus, "presence")
    whole = evaluate(f"cross-encoder:{folder},summaries=whole", corpus, "presence")
    assert whole.record.model.options["summaries"] == "whole"
    by_sentences, by_summaries = (result.rows["presence"].scores for result in (sentences, whole))
    # A summary of a single sentence is the same in both.
    assert np.count_nonzero(by_sentences == by_summaries) >= 4
    assert np.count_nonzero(by_sentences != by_summaries) >= 2
    in_pairs = evaluate(f"cross-encoder:{folder},summaries=2", corpus, "presence")
    assert in_pairs.rows["presence"].scores.tolist() == by_summaries.tolist()  # of at most two sentences
    assert in_pairs.record.model.options["summaries"] == 2
    assert len({result.record.model.fingerprint for result in (sentences, whole, in_pairs)}) == 3


@pytest.mark.needs("sentence_transformers")
def test_entailment_by_windows_counts_cut_pairs(corpus: Path, tmp_path: Path) -> None:
    """A model that reads few tokens cuts whole summaries, and fewer single sentences."""
    from helpers.tiny_models import save_entailment_model

    folder = save_entailment_model(tmp_path / "nli")
    spec = f"entailment:{folder},max_seq_length=48"
    sentences, whole = (
        evaluate(f"{spec}{option}", corpus, "presence", resamples=10) for option in ("", ",summaries=whole")
    )
    cut = [result.record.model.text_counts.get("cut_pairs", 0) for result in (sentences, whole)]
    assert 0 <= cut[0] < cut[1]
    assert "summaries" not in sentences.record.model.options
    assert whole.record.model.options["direction"] == "presence: one way"
    with pytest.raises(OptionError, match=mentions("summaries ... whole")):
        load_model(f"entailment:{folder},summaries=1")


def test_build(corpus: Path, tmp_path: Path, capsys: Capture) -> None:
    cache = ["--cache-dir", str(tmp_path / "cache")]
    assert main(["build", str(corpus), "--config", "presence", *cache]) == 0
    out = capsys.readouterr().out
    assert "Pyramids read: 3." in out
    assert "presence: annotated summaries left out: 1 (no text, or an SCU that is not in the pyramid)" in out
    assert 'load_dataset("pyramid_paraphrase", "presence", cache_dir=' in out
    assert main(["build", str(corpus)]) == 2
    assert re.search(mentions("SCU labels ... configuration presence"), capsys.readouterr().err)
    assert main(["build", str(corpus), "--config", "presence", "--output", str(tmp_path / "folder")]) == 2
    assert re.search(mentions("presence ... --output. ... data_dir="), capsys.readouterr().err)


def test_inspect_and_score(corpus: Path, capsys: Capture) -> None:
    assert main(["inspect", str(corpus)]) == 0
    assert "other              3          3     7             7      6  -" in capsys.readouterr().out
    assert main(["score", str(corpus)]) == 0
    out = capsys.readouterr().out
    assert "copy           3  -           0.7222" in out
    assert "terse          3  -           0.5000" in out


def test_metrics_of_summaries(corpus: Path, tmp_path: Path, capsys: Capture) -> None:
    """The corpus is peers, references, pyramids and judgements."""
    rouge, soft = str(tmp_path / "rouge.tsv"), str(tmp_path / "soft.tsv")
    assert main(["rouge", "--peers", str(corpus), "--references", str(corpus), "--output", rouge]) == 0
    models = ["--model", "length", "--model", "one-hot"]
    assert main(["soft-pyramid", "--pyramids", str(corpus), "--peers", str(corpus), *models, "--output", soft]) == 0
    assert re.search(mentions("note: ... terse.summary is empty"), capsys.readouterr().err)
    lengths = {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in Path(soft).read_text().splitlines()[1:]}
    assert lengths["mill", "terse"] == "12.000000"
    assert lengths["fox_1", "terse"] == "0.000000"
    assert main(["meta-eval", rouge, soft, "--judgements", str(corpus), "--level", "system"]) == 0
    assert "pyramid_modified, system level" in capsys.readouterr().out


def test_compressed_files_have_the_same_scores(corpus: Path, tmp_path: Path, capsys: Capture) -> None:
    """Regression test: `--peers` and `--references` read the compressed bytes as text."""
    call = ["rouge", "--peers", str(corpus), "--references", str(corpus)]
    assert main(call) == 0
    plain = capsys.readouterr().out
    files = [path for path in corpus.rglob("*") if path.is_file()]
    assert len(files) > 3
    for path in files:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert main(call) == 0
    assert capsys.readouterr().out == plain
    summaries = corpus / "summaries" / "copy.summary.gz"
    summaries.write_bytes(summaries.read_bytes()[:-9])
    assert main(call) == 2
    assert re.search(mentions("corpus/summaries/copy.summary.gz: ... damaged ... size"), capsys.readouterr().err)


@pytest.mark.parametrize(
    ("limit", "error"),
    [
        ("MAX_FILE_BYTES", "corpus/SCUs.txt.gz: ... 0 MiB ... Split"),
        ("MAX_KEPT_BYTES", "corpus/SCUs.txt.gz: ... 0 MiB ... systems"),
    ],
)
def test_limits_hold_after_decompression(
    corpus: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, limit: str, error: str
) -> None:
    scus = corpus / "SCUs.txt"
    scus.with_name("SCUs.txt.gz").write_bytes(gzip.compress(scus.read_bytes() + b" " * 10_000))
    scus.unlink()
    monkeypatch.setattr(limits, limit, 10_000)
    assert main(["rouge", "--peers", str(corpus), "--references", str(corpus)]) == 2
    assert re.search(mentions(error), capsys.readouterr().err)


def test_the_limit_on_all_files(corpus: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only files of the corpus count, because folders such as PyrXSum's also contain documents."""
    size = sum(path.stat().st_size for path in corpus.rglob("*") if path.is_file())
    call = ["rouge", "--peers", str(corpus), "--references", str(corpus)]
    monkeypatch.setattr(limits, "MAX_KEPT_BYTES", size)
    assert main(call) == 0
    monkeypatch.setattr(limits, "MAX_KEPT_BYTES", size - 1)
    assert main(call) == 2
    monkeypatch.undo()
    (corpus / "documents.txt").write_text("A document.\n")
    assert main(call) == 0


def test_a_corpus_without_references_has_none(corpus: Path, capsys: Capture) -> None:
    (corpus / "references.txt").unlink()
    assert main(["rouge", "--peers", str(corpus), "--references", str(corpus)]) == 2
    assert re.search(mentions("corpus: ... no summary. ... archive"), capsys.readouterr().err)


def test_units_in_part_are_graded(tmp_path: Path) -> None:
    """A unit that is fully in the summary (5) shares more words with it than a unit that is there in part (3)."""
    entries = make_entries()
    entries[3]["annotation"][1] = {"insight_id": "c2", "coverage": PART, "candidate_id": "1"}
    path = write_summhay(tmp_path / "summhay", entries)
    result = evaluate("overlap", path, "presence_grades", cache=False, quiet=True)
    rows, test = result.rows["presence_grades"], result.tests["presence_grades"]
    assert dict(zip(rows.targets.tolist(), rows.scores.tolist(), strict=True)) == {5: 0.666667, 3: 0.6}  # 4/6 and 3/5
    assert (test.metrics["pearson"], test.metrics["max_f1"]) == (1.0, 1.0)  # F leaves out debatable units
