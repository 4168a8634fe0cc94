"""Soft pyramid scores: vectors that can be checked by eye, the sample's pyramids, and the command."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from helpers.annotations import PYRAMID
from helpers.judges import Answer, make_answers
from helpers.messages import mentions
from helpers.summaries import write_summaries
from hypothesis import given
from hypothesis import strategies as st

from harness.cli import main
from harness.models.files.store import ModelStore
from harness.models.interfaces.model import Ability, Cut, Model
from harness.models.interfaces.scores import Outcome, Scores
from harness.models.loading import describe_object, load_model
from harness.models.neural.configuration import make_cut
from harness.summarization import soft_pyramid
from harness.summarization.soft_pyramid import (
    average_nearest,
    pair_with_pyramids,
    require_scorer,
    score_soft_pyramids,
    select_scus,
)
from harness.summarization.summaries import Summary
from harness.support.errors import ModelError
from harness.support.progress import Progress
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import Contributor, Part, Pyramid, Scu

VECTORS = {"fire": (1, 0), "flames": (3, 4), "rain": (0, 2), "a fire": (4, 3), "no rain": (0, -1), "...": (0, 0)}
SCUS = [("fire", "flames"), ("rain",)]


class ByTable:
    def encode(self, texts: list[str]) -> np.ndarray:
        return np.array([VECTORS[text] for text in texts], dtype=np.float32)


def peer_of(*sentences: str, topic: str = "D1", author: str = "1") -> Summary:
    return Summary(topic, author, sentences, f"{topic}.{author}")


def score_peers(model: Model, *peers: Summary, store: ModelStore | None = None) -> list[float]:
    assert len(set(peers)) == len(peers)
    return score_soft_pyramids(model, dict.fromkeys(peers, SCUS), store=store, bar=Progress(visible=False))


def score(*peers: Summary, model: object = None) -> list[float]:
    return score_peers(describe_object(model or ByTable()), *peers)


def test_the_nearest_sentence_counts_for_each_scu() -> None:
    # Of "a fire": 4/5 to fire, 24/25 to flames, 3/5 to rain; (2 * 24/25 + 3/5) / 3. "no rain": 0, -4/5 and -1.
    assert score(peer_of("a fire")) == [0.84]
    assert score(peer_of("no rain")) == [pytest.approx(-1 / 3, abs=1e-6)]
    assert score(peer_of("no rain", "a fire")) == [0.84]
    assert score(peer_of("fire", "rain")) == [1.0]


class WithLimit:
    """A scorer of pairs or of summaries."""

    def __init__(self, method: str) -> None:
        setattr(self, method, lambda *inputs: np.ones(len(inputs[0])))


@pytest.mark.parametrize(
    ("method", "limit", "message"),
    [
        ("score", 10, "m: 1 of 6 inputs were cut (2 tokens lost)"),
        ("score_summaries", 16, "m: 1 of 3 inputs were cut (1 token lost)"),
    ],
)
def test_cut_texts_are_reported(caplog: pytest.LogCaptureFixture, method: str, limit: int, message: str) -> None:
    """The longest pair has 6 + 6 characters, and the longest pair of the whole summary 11 + 6."""

    def find_cut(pairs: Sequence[tuple[str, str]]) -> Cut:
        assert len(set(pairs)) == len(pairs)
        return make_cut([(len("".join(pair)), 0, 0) for pair in pairs], limit)

    model = dataclasses.replace(describe_object(WithLimit(method)), name="m", find_cut=find_cut)
    score_peers(model, peer_of("a fire", "rain"), peer_of())
    assert [record.getMessage() for record in caplog.records] == [message]


def test_other_similarities_are_refused() -> None:
    model = dataclasses.replace(describe_object(ByTable()), similarity="dot")
    with pytest.raises(ModelError, match=mentions("ByTable: ... cosine ... Omit similarity=dot")):
        score_peers(model, peer_of("a fire"))


def test_zero_vectors_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    score(peer_of("a fire", "..."))
    assert [record.getMessage() for record in caplog.records] == ["ByTable: the vectors of 1 of 5 texts are zero"]


def test_nothing_comes_near_to_nothing() -> None:
    assert score(peer_of(), peer_of("...")) == [0.0, 0.0]


@pytest.mark.parametrize("spec", ["one-hot", "length", "char-ngrams"])
def test_summaries_without_sentences_score_nothing(spec: str) -> None:
    peers = [peer_of(), peer_of(author="2")]
    assert score_peers(load_model(spec), *peers) == [0.0, 0.0]


class FailingEncoder:
    def encode(self, texts: list[str]) -> list[list[float]]:
        raise RuntimeError(f"{len(texts)} texts are too many")


class FailingScorer:
    def score(self, pairs: list[tuple[str, str]]) -> list[float]:
        raise RuntimeError(f"{len(pairs)} pairs are too many")


class FailingReader:
    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> list[float]:
        raise RuntimeError(f"{len(scus)} SCUs and {len(summaries)} summaries are too many")


@pytest.mark.parametrize("model", [FailingEncoder(), FailingScorer(), FailingReader()])
def test_the_bar_is_taken_away_before_an_error_is_shown(model: object) -> None:
    stopped = []

    class Bar(Progress):
        def stop(self) -> None:
            stopped.append(True)

    with pytest.raises(ModelError, match="are too many"):
        score_soft_pyramids(describe_object(model), {peer_of("a fire"): SCUS}, bar=Bar(visible=False))
    assert len(stopped) == 2  # before the bar is shown, and after the error


def test_a_model_of_options_is_refused_before_anything_is_read() -> None:
    with pytest.raises(ModelError, match=mentions("options-only: ... SCU ... encoder")):
        require_scorer(load_model("options-only"))


def test_topics_and_order_do_not_matter() -> None:
    peers = [peer_of("a fire"), peer_of("no rain", author="2"), peer_of("rain", topic="D2")]
    together = score(*peers)
    assert together == [value for peer in peers for value in score(peer)]
    assert score(*peers[::-1]) == together[::-1]


cosines = st.floats(-1, 1, width=32)


@given(st.lists(st.lists(cosines, min_size=3, max_size=3), min_size=3, max_size=3), cosines)
def test_a_further_sentence_never_costs(rows: list[list[float]], other: float) -> None:
    more = [[*row, other] for row in rows]
    weights = [1, 2]
    assert -1 <= average_nearest(rows, weights) <= average_nearest(more, weights) <= 1


def contributor(text: str, author: str) -> Contributor:
    return Contributor((Part(text, 0, len(text), author),))


def test_nobody_is_compared_with_their_own_words() -> None:
    scus = (
        Scu("1", "it burned", (contributor("fire", "A"), contributor("flames", "B"), contributor("a fire", "B"))),
        Scu("2", "it rained", (contributor("rain", "A"),)),
    )
    assert select_scus(scus, "7") == [("fire", "flames", "a fire"), ("rain",)]
    assert select_scus(scus, "A") == [("flames", "a fire")]
    alone = Pyramid("D1", "D1", (), "", (), scus[1:])
    summaries = (Summary("D1", "A", ("fire",), "D1.A"), Summary("D1", "1", ("fire",), "D1.1"))
    peers, notes = pair_with_pyramids(summaries, [alone])
    assert [summary.author for summary in peers] == ["1"]
    assert notes == ["D1.A has no SCU by other authors, and no score"]
    with pytest.raises(EmptyResultError, match=mentions("SCU by other authors, such as D1.A. ... authors")):
        pair_with_pyramids(summaries[:1], [alone])


def test_topics_without_a_pyramid_are_counted(sample: Corpus) -> None:
    summaries = tuple(Summary(topic, "1", ("It rained.",), topic) for topic in ("S0101", "S0901", "S0902", "S0902-A"))
    peers, notes = pair_with_pyramids(summaries, sample.pyramids)
    assert [summary.topic for summary in peers] == ["S0101"]
    assert notes == ["3 topics have no pyramid, and no scores"]
    with pytest.raises(EmptyResultError, match=mentions("S0901 ... S0101 ... topic")):
        pair_with_pyramids(summaries[1:], sample.pyramids)
    with pytest.raises(EmptyResultError, match=mentions("sources ... summaries'")):
        pair_with_pyramids(summaries, [])


def test_models_that_score_pairs() -> None:
    class Scorer:
        pairs: list[tuple[str, str]]

        def score(self, pairs: list[tuple[str, str]]) -> list[float]:
            self.pairs = pairs
            return [{"fire": 0.25, "flames": 0.5, "rain": 1.0}[scu] * len(sentence) for sentence, scu in pairs]

    scorer = Scorer()
    # Of the longer sentence: (2 * max(0.25, 0.5) + 1) / 3 for each of its characters.
    assert score(peer_of("a", "ab"), peer_of("ab", author="2"), peer_of(author="3"), model=scorer) == [
        pytest.approx(4 / 3, abs=1e-6), pytest.approx(4 / 3, abs=1e-6), 0.0
    ]  # fmt: skip
    assert len(scorer.pairs) == len(set(scorer.pairs)) == 6


def test_small_scores_are_kept_apart() -> None:
    """Six decimals made 0 of both summaries."""

    class Scorer:
        def score(self, pairs: list[tuple[str, str]]) -> list[float]:
            return [len(sentence) * 1e-9 for sentence, _ in pairs]

    assert score(peer_of("a"), peer_of("abc", author="2"), model=Scorer()) == [1e-9, 3e-9]


def test_no_answer_of_a_judge_is_a_no(caplog: pytest.LogCaptureFixture) -> None:
    """The SCUs have weights 2 and 1: (2 * 1 + 0) / 3."""

    class Scorer:
        def score(self, pairs: list[tuple[str, str]]) -> Scores:
            answers: dict[str, Answer] = {"fire": 1.0, "flames": Outcome.UNPARSABLE, "rain": Outcome.REFUSALS}
            return make_answers([answers[scu] for _, scu in pairs])

    model = describe_object(Scorer())
    scores = score_peers(model, peer_of("a"))
    assert scores == [pytest.approx(2 / 3, abs=1e-6)]
    [message] = caplog.messages
    assert re.search(mentions("Scorer: ... 2 of 3 times ... no"), message)
    model = describe_object(Marking())
    scores = score_peers(model, peer_of("a"))
    assert scores == [pytest.approx((2 * 0.75 + 0.25) / 3, abs=1e-6)]
    assert re.search(mentions("Marking: 1 of 3 answers ... (improbable)"), caplog.messages[1])


class Marking:
    """A judge of which one answer is improbable: its score is 0.25."""

    def score(self, pairs: list[tuple[str, str]]) -> Scores:
        answers: dict[str, Answer] = {"fire": 0.75, "flames": 0.5, "rain": (0.25, Outcome.IMPROBABLE)}
        return make_answers([answers[scu] for _, scu in pairs])


@pytest.mark.needs("sentence_transformers")
@pytest.mark.parametrize("kind", ["judge", "entailment"])
def test_a_second_run_asks_nothing(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge reads whole summaries, an entailment model each sentence."""
    from helpers.tiny_models import save_entailment_model, save_judge

    folder = save_judge(tmp_path / "m", {"yes": 1.0}) if kind == "judge" else save_entailment_model(tmp_path / "m")
    model, store = load_model(f"{kind}:{folder}"), ModelStore(tmp_path / "store")
    first = score_peers(model, peer_of("a", "b"), store=store)
    asked = "score_summary_batches" if kind == "judge" else "score"
    monkeypatch.setattr(type(model.scorer), asked, lambda *_: pytest.fail("asked again"))
    assert score_peers(model, peer_of("a", "b"), store=store) == first
    assert 0 < first[0] < 1


def test_models_that_read_whole_summaries() -> None:
    # The mill burned, of three words, has one of the two words of each text of the first SCU, and none of the other.
    scus_of = {peer_of("The mill burned.", "Rain fell."): [("mill fire", "burned house"), ("nobody came",)]}
    for spec, expected in (("length", 5.0), ("overlap", 1 / 3)):
        values = score_soft_pyramids(load_model(spec), scus_of, bar=Progress(visible=False))
        assert values == [pytest.approx(expected, abs=1e-6)]


def test_models_that_compare_no_scu_with_a_summary() -> None:
    with pytest.raises(ModelError, match=mentions("options-only: ... SCU ... encoder")):
        score_peers(load_model("options-only"), peer_of("fire"))


def test_scores_that_are_not_finite_are_refused() -> None:
    class Scorer:
        def score(self, pairs: list[tuple[str, str]]) -> list[float]:
            return [float("nan")] * len(pairs)

    with pytest.raises(ModelError, match=mentions("Scorer: ... finite")):
        score(peer_of("fire"), model=Scorer())


def test_a_learner_learns_from_all_texts() -> None:
    class Learner:
        def learn(self, texts: list[str]) -> ByTable:
            assert texts == ["a fire", "fire", "flames", "rain"]
            return ByTable()

    assert score(peer_of("a fire"), model=Learner()) == [0.84]


def test_vectors_are_kept(tiny_model: Path, tmp_path: Path) -> None:
    store, model = ModelStore(tmp_path / "cache"), load_model(str(tiny_model))
    once = score_peers(model, peer_of("a fire"), store=store)
    assert [entry.entries for entry in store.list_models()] == [4]
    assert score_peers(model, peer_of("a fire"), store=store) == once


@pytest.fixture
def room(tmp_path: Path) -> Path:
    write_summaries(tmp_path)
    (tmp_path / "D0901-A.pyr").write_bytes(PYRAMID)
    for author, text in (("1", "Fire destroyed the ancient mill.\nThe weather was fine."), ("2", "Nobody came.")):
        (tmp_path / "peers" / f"D0901-A.M.100.A.{author}").write_text(text)
    return tmp_path


def call(room: Path, *options: str) -> int:
    places = ["--pyramids", str(room / "D0901-A.pyr"), "--peers", str(room / "peers"), "--no-cache"]
    return main(["soft-pyramid", *places, *options])


def test_the_command(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = room / "scores.tsv"
    assert call(room, "--model", "one-hot,name=words", "--model", "char-ngrams", "--output", str(output)) == 0
    captured = capsys.readouterr()
    assert captured.err.splitlines() == [
        "note: peers/D0101.M.100.A.2 is empty",
        "note: 2 topics have no pyramid, and no scores",
    ]
    header, *rows = output.read_text().splitlines()
    assert header == "topic\tsystem\twords\tchar-ngrams"
    # By hand, system 1: a sentence is a contributor of the SCU of weight 3; "the" and "was" of 4 words and of 6 are in
    # the other's. System 2: "nobody" of 2 words and of 6.
    expected = {"1": 3 / 5 + 2 / 5 * 2 / 24**0.5, "2": 2 / 5 / 12**0.5}
    assert [row.split("\t")[1:3] for row in rows] == [[name, f"{value:.6f}"] for name, value in expected.items()]
    first, *lines = captured.out.splitlines()
    assert first.split() == ["system", "summaries", "words", "char-ngrams"]
    assert [line.split()[:2] for line in lines[:2]] == [["1", "1"], ["2", "1"]]
    signature = lines[-1].split("|")
    assert (signature[0], signature[-1]) == ("soft-pyramid", f"version:{__version__}")
    assert [part.rpartition(":")[0] for part in signature[1:-1]] == ["pyramids", "model:one-hot", "model:char-ngrams"]


def test_texts_without_words_are_counted(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (room / "peers" / "D0901-A.M.100.A.2").write_text("\u2602", encoding="utf-8")
    assert call(room, "--model", "overlap") == 0
    assert re.search(mentions("note: 1 of ... texts of overlap"), capsys.readouterr().err)


def test_a_model_that_fails_stops_no_other(
    room: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One model that could not be loaded, or failed while scoring, discarded the scores of all others."""

    def fail_at_once(*arguments: object, **options: object) -> list[float]:
        raise ModelError("length: fails at once; mend the model")

    monkeypatch.setitem(soft_pyramid._WAYS, Ability.SCORE_SUMMARIES, fail_at_once)
    output = room / "scores.tsv"
    models = [option for name in ("options-only", "length", "one-hot", "char-ngrams") for option in ("--model", name)]
    assert call(room, *models, "--output", str(output)) == 2
    captured = capsys.readouterr()
    errors = [line for line in captured.err.splitlines() if line.startswith("pyramid-paraphrase: ")]
    assert [line.split(": ")[1] for line in errors[:2]] == ["options-only", "length"]
    assert errors[2:] == ["pyramid-paraphrase: 2 of 4 models could not score the summaries. The reasons are above"]
    assert output.read_text().splitlines()[0] == "topic\tsystem\tone-hot\tchar-ngrams"
    assert captured.out.split()[:4] == ["system", "summaries", "one-hot", "char-ngrams"]


def test_nothing_is_written_if_all_models_fail(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = room / "scores.tsv"
    models = ["--model", "options-only", "--model", "options-only,name=again"]
    assert call(room, *models, "--output", str(output)) == 2
    assert re.search(mentions("2 of 2 models ... above"), capsys.readouterr().err)
    assert not output.exists()


def test_summaries_by_any_name(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (room / "mine.csv").write_text('id,text\nD0901-A,"Fire destroyed the ancient mill."\n')
    places = ["--pyramids", str(room / "D0901-A.pyr"), "--peers", str(room / "mine.csv"), "--columns", "topic=id"]
    assert main(["soft-pyramid", *places, "--model", "one-hot", "--no-cache"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:2] == ["peer", "1"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--model", "one-hot", "--model", "one-hot"],
            "one-hot ... ,name=...",
        ),
        (["--model", "one-hot", "--model", "options-only"], "options-only: ... SCU ... encoder"),
        (["--model", "one-hot", "--output", "."], ".: ... regular ... path"),
    ],
)
def test_inputs_that_cannot_be_scored(
    room: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(room, *options) == 2
    assert re.search(mentions(message), capsys.readouterr().err)


def test_the_cache_is_used(room: Path, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    places = ["--pyramids", str(room / "D0901-A.pyr"), "--peers", str(room / "peers")]
    assert main(["soft-pyramid", *places, "--model", str(tiny_model)]) == 0
    assert [entry.entries > 0 for entry in ModelStore().list_models()] == [True]


def test_models_compare_by_the_cosine() -> None:
    require_scorer(load_model("one-hot"))
    with pytest.raises(ModelError, match=mentions("one-hot (similarity=dot): ... cosine ... similarity=dot")):
        require_scorer(load_model("one-hot,similarity=dot"))
