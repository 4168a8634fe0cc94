"""Scores of models that compare texts themselves."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from helpers.messages import mentions

from harness.evaluation import direct_scoring
from harness.evaluation.direct_scoring import DirectScoring, PairScores, refuse_unusable, replace_missing, score_options
from harness.evaluation.store import EmbeddingStore
from harness.models.interfaces.protocols import Usage
from harness.models.objects import describe_object
from harness.support.errors import ModelError
from harness.support.progress import Event, StepAdvanced, StepStarted


class Counting:
    """Scores texts by their number of characters, and records the number of rows of each call."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def score(self, pairs: list[tuple[str, str]]) -> list[int]:
        self.calls.append(len(pairs))
        return [len(first) + len(second) for first, second in pairs]

    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> list[int]:
        return [len(scu) + len(summary) for scu, summary in zip(scus, summaries, strict=True)]

    def score_options(self, options: list[list[str]]) -> list[list[int]]:
        return [[len(option) for option in row] for row in options]


def test_pairs_are_scored_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct_scoring, "_PAIRS_AT_ONCE", 2)
    scorer, events = Counting(), list[Event]()
    pairs = [("a", "b"), ("aa", "b"), ("a", "bbb")]
    scores = DirectScoring(describe_object(scorer), listen=events.append).score_pairs(scorer, pairs, "scoring binary")
    assert (scores.values.tolist(), scores.computed) == ([2.0, 3.0, 4.0], 3)
    assert scorer.calls == [2, 1]
    assert events == [StepStarted("scoring binary", 3), StepAdvanced(2), StepAdvanced(1)]


class Fractions(Counting):
    """Scores that need all digits of double precision."""

    def score(self, pairs: list[tuple[str, str]]) -> list[float]:  # type: ignore[override]
        self.calls.append(len(pairs))
        return [1 / (3 * len(first)) - len(second) * 1e7 for first, second in pairs]


def test_scores_of_pairs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct_scoring, "_PAIRS_AT_ONCE", 2)
    scorer, store = Fractions(), EmbeddingStore(tmp_path)
    model = dataclasses.replace(describe_object(scorer), store_key="0" * 64)
    pairs = [("a", "b"), ("aa", "b"), ("a", "bb")]
    first = DirectScoring(model, store).score_pairs(scorer, pairs, "x")
    events: list[Event] = []
    more = [*pairs, ("ab", "b"), ("a", "bb b")]  # similar to stored pairs
    second = DirectScoring(model, store, listen=events.append).score_pairs(scorer, more, "x")
    assert second.values[:3].tolist() == first.values.tolist() == [1 / 3 - 1e7, 1 / 6 - 1e7, 1 / 3 - 2e7]
    assert (first.computed, second.computed, scorer.calls) == (3, 2, [2, 1, 2])
    assert events == [StepStarted("x", 5, done=3), StepAdvanced(2)]
    assert DirectScoring(model, store, resume=False).score_pairs(scorer, more, "x").computed == 5
    nameless = describe_object(scorer)
    assert DirectScoring(nameless, store).score_pairs(scorer, pairs, "x").computed == 3
    assert [stored.texts for stored in store.list_models()] == [5]


@pytest.mark.parametrize(("score", "kept"), [(float("inf"), 0), (1e39, 0), (1e-50, 0), (1e-30 / 3, 0), (1e-7 / 3, 1)])
def test_scores_that_the_store_would_change_are_not_kept(score: float, kept: int, tmp_path: Path) -> None:
    """A score of 1e-50 was read back as 0."""

    class Odd(Counting):
        def score(self, pairs: list[tuple[str, str]]) -> list[float]:  # type: ignore[override]
            return [score] * len(pairs)

    store, scorer = EmbeddingStore(tmp_path), Odd()
    model = dataclasses.replace(describe_object(scorer), store_key="0" * 64)
    for _ in range(2):
        assert DirectScoring(model, store).score_pairs(scorer, [("a", "b")], "x").values.tolist() == [score]
    assert [stored.texts for stored in store.list_models()] == [kept]


@pytest.mark.parametrize(("usage", "kept"), [(Usage(1, 1, None), [0, 1]), (None, [0, 0])])
def test_answers_of_a_server_are_stored_at_once(tmp_path: Path, usage: Usage | None, kept: list[int]) -> None:
    """Answers may cost money. Scores that are computed on this machine are stored in larger batches."""
    store, seen = EmbeddingStore(tmp_path), list[int]()

    class InBatches(Counting):
        def score_batches(self, pairs: list[tuple[str, str]]) -> Iterator[tuple[list[int], list[float]]]:
            for number in range(len(pairs)):
                seen.extend(stored.texts for stored in EmbeddingStore(tmp_path).list_models())
                yield [number], [0.5]

        def score_summary_batches(self, scus: list[str], summaries: list[list[str]]) -> NoReturn:
            raise NotImplementedError

    scorer = InBatches()
    model = dataclasses.replace(describe_object(scorer), store_key="0" * 64, find_usage=lambda: usage)
    DirectScoring(model, store).score_pairs(scorer, [("a", "b"), ("a", "c")], "x")
    assert seen == kept


def test_scores_of_summaries_are_kept(tmp_path: Path) -> None:
    """Equal rows are computed once. A summary is not mistaken for a pair or for a summary with other sentence ends."""
    scorer, store = Counting(), EmbeddingStore(tmp_path)
    model = dataclasses.replace(describe_object(scorer), store_key="0" * 64)
    scus, summaries = ["ab", "ab", "ab", "a"], [["c", "d"], ["c", "d"], ["cd"], ["bcd"]]
    first = DirectScoring(model, store).score_summaries(scorer, scus, summaries, "x")
    assert (first.values.tolist(), first.computed) == ([4.0, 4.0, 3.0, 2.0], 3)
    second = DirectScoring(model, store).score_summaries(scorer, scus[::-1], summaries[::-1], "x")
    assert (second.values.tolist(), second.computed) == ([2.0, 3.0, 4.0, 4.0], 0)
    assert DirectScoring(model, store, resume=False).score_summaries(scorer, scus, summaries, "x").computed == 3
    assert DirectScoring(model, store).score_pairs(scorer, [("cd", "ab")], "x").computed == 1


class Choosing:
    """Scores options by length, two questions at a time in reverse order, and fails at a question "fail"."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def score_question_batches(
        self, questions: list[str], options: list[list[str]]
    ) -> Iterator[tuple[list[int], list[list[int]]]]:
        for end in range(len(questions), 0, -2):
            indices = list(range(max(0, end - 2), end))
            self.asked += [questions[index] for index in indices]
            if "fail" in self.asked:
                raise RuntimeError("no answer")
            yield indices, [[len(option) for option in options[index]] for index in indices]


def test_scores_of_options_are_kept_as_they_come(tmp_path: Path) -> None:
    scorer, store = Choosing(), EmbeddingStore(tmp_path)
    model = dataclasses.replace(describe_object(Counting()), store_key="0" * 64)
    questions, options = ["fail", "b", "c", "d"], [["a", "bb", "c"], ["aa", "b", "c"], ["a", "b", "cc"], ["", "a", ""]]
    with pytest.raises(ModelError, match=mentions("Counting: failed ... no answer ... --verbose")):
        DirectScoring(model, store).score_questions(scorer, questions, options, "x")
    scorer.asked = []
    questions[0] = "a"
    events: list[Event] = []
    scores = DirectScoring(model, store, listen=events.append).score_questions(scorer, questions, options, "x")
    assert (scores.values.tolist(), scores.computed) == ([[1, 2, 1], [2, 1, 1], [1, 1, 2], [0, 1, 0]], 6)
    assert scorer.asked == ["a", "b"]
    assert events == [StepStarted("x", 12, done=6), StepAdvanced(6)]
    swapped = [options[1], options[0], *options[2:]]
    assert DirectScoring(model, store).score_questions(scorer, questions, swapped, "x").computed == 6
    assert DirectScoring(describe_object(Counting())).score_questions(scorer, questions, options, "x").computed == 12


def test_scores_of_another_number_of_options() -> None:
    class Wrong(Choosing):
        def score_question_batches(
            self, questions: list[str], options: list[list[str]]
        ) -> Iterator[tuple[list[int], list[list[int]]]]:
            yield [0], [[1] * (len(options[0]) - len(questions))]

    message = "Counting: score_question_batches() ... shape (1, 1) ... shape (1, 2)"
    with pytest.raises(ModelError, match=mentions(message)):
        DirectScoring(describe_object(Counting())).score_questions(Wrong(), ["a"], [["b", "c"]], "x")


@pytest.mark.parametrize("has_store", [False, True])
def test_a_model_whose_scores_are_not_stored_is_given_all_summaries_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_store: bool
) -> None:
    """Scores of `frequency` depend on all summaries."""
    monkeypatch.setattr(direct_scoring, "_PAIRS_AT_ONCE", 1)

    class Whole(Counting):
        def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> list[int]:
            assert summaries == [["c"], ["c"]]
            return [len(scus)] * len(scus)

    store = EmbeddingStore(tmp_path) if has_store else None
    scores = DirectScoring(describe_object(Whole()), store).score_summaries(Whole(), ["a", "a"], [["c"], ["c"]], "x")
    assert (scores.values.tolist(), scores.computed) == ([2.0, 2.0], 2)


def test_a_single_row() -> None:
    scorer = Counting()
    model = describe_object(scorer)
    assert score_options(model, scorer, [["a", "bb", "c"]]).tolist() == [[1.0, 2.0, 1.0]]
    assert DirectScoring(model).score_summaries(scorer, ["abc"], [["one", "two"]], "x").values.tolist() == [5.0]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([1.0], "Wrong: score_summaries() ... shape (1,) ... shape (2,)"),
        ([[1.0, 2.0]], "Wrong: score_summaries() ... shape (1, 2) ... shape (2,)"),
        (["one", "two"], "Wrong: score_summaries() ... shape (2,)"),
        (None, "Wrong: score_summaries() ... type NoneType ... shape (2,)"),
    ],
)
def test_wrong_numbers_of_scores_are_refused(returned: object, message: str) -> None:
    class Wrong(Counting):
        def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> Any:  # noqa: ANN401, ARG002
            return returned

    with pytest.raises(ModelError, match=mentions(message)):
        DirectScoring(describe_object(Wrong())).score_summaries(Wrong(), ["a", "b"], [["c"], ["d"]], "x")


def test_a_stored_answer_lets_a_judge_go_on(tmp_path: Path) -> None:
    """Without any answer among 200, a judge is refused."""

    class Judge:
        def score(self, pairs: list[tuple[str, str]]) -> list[float]:
            return [0.5 if pair == ("a", "b") else -1.0 for pair in pairs]

    model = dataclasses.replace(describe_object(Judge()), no_answers={"refusals": -1.0}, store_key="a" * 64)
    scoring = DirectScoring(model, EmbeddingStore(tmp_path))
    others = [("a", str(number)) for number in range(200)]
    with pytest.raises(ModelError, match=mentions("first 200 of 200 answers, x (refusals: 200)")):
        DirectScoring(model).score_pairs(Judge(), others, "x")
    scoring.score_pairs(Judge(), [("a", "b")], "x")
    assert scoring.score_pairs(Judge(), [("a", "b"), *others], "x").values.tolist() == [0.5, *([-1.0] * 200)]


@pytest.mark.parametrize(
    ("values", "flagged", "message"),
    [
        ([-1.0, -1.0], [False, False], "m: ... here (refusals: 2). Change the prompt with prompt_file"),
        ([-1.0, 0.5], [False, True], "m: ... here (refusals: 1, improbable: 1). ... answer=text,reply_tokens=4000"),
        ([-1.0, 0.5], [False, False], ""),
    ],
)
def test_a_judge_without_answers_is_refused(values: list[float], flagged: list[bool], message: str) -> None:
    model = dataclasses.replace(describe_object(Counting()), name="m", no_answers={"refusals": -1.0}, flag="improbable")
    scores = PairScores(np.array(values), 2, np.array(flagged))
    if message:
        with pytest.raises(ModelError, match=mentions(message)):
            refuse_unusable(model, scores, "here")
    else:
        refuse_unusable(model, scores, "here")


def test_missing_answers_are_replaced_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    """Without right answers, a missing answer is a no. Flagged answers keep their score."""
    model = dataclasses.replace(describe_object(Counting()), name="m", no_answers={"refusals": -1.0}, flag="by_words")
    values, flags = np.array([-1.0, 0.25, -1.0, 1.0, 0.5]), np.array([False, True, False, True, True])
    assert replace_missing(model, PairScores(values, 5, flags)).tolist() == [0.0, 0.25, 0.0, 1.0, 0.5]
    missing, flagged = caplog.messages
    assert re.search(mentions("m: ... 2 of 5 times ... no"), missing)
    assert re.search(mentions("m: 3 of 5 answers ... (by_words)"), flagged)
    caplog.clear()
    assert replace_missing(model, PairScores(values[[1, 3]], 2, flags[[0, 2]])).tolist() == [0.25, 1.0]
    assert caplog.messages == []
