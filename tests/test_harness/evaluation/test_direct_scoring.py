"""Scores of models that compare texts themselves."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

from harness.evaluation import direct_scoring
from harness.evaluation.direct_scoring import DirectScoring, refuse_unusable, replace_missing
from harness.models.files.store import ModelStore
from harness.models.interfaces.model import Ability, Model, Usage
from harness.models.interfaces.scores import NO_ANSWERS, Outcome, Scores, make_scores
from harness.models.loading import describe_object
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
    monkeypatch.setattr(direct_scoring, "_ITEMS_AT_ONCE", 2)
    scorer, events = Counting(), list[Event]()
    pairs = [("a", "b"), ("aa", "b"), ("a", "bbb")]
    scoring = DirectScoring(describe_object(scorer), listen=events.append)
    scores = score_pairs(scoring, pairs, "scoring binary")
    assert (scores.values.tolist(), scores.computed) == ([2.0, 3.0, 4.0], 3)
    assert scorer.calls == [2, 1]
    assert events == [StepStarted("scoring binary", 3), StepAdvanced(2), StepAdvanced(1)]


class Fractions(Counting):
    """Scores that need all digits of double precision."""

    def score(self, pairs: list[tuple[str, str]]) -> list[float]:  # type: ignore[override]
        self.calls.append(len(pairs))
        return [1 / (3 * len(first)) - len(second) * 1e7 for first, second in pairs]


def score_pairs(scoring: DirectScoring, pairs: list[tuple[str, str]], step: str = "x") -> Scores:
    return scoring.score(Ability.SCORE_PAIRS, pairs, step)


def score_lists(
    scoring: DirectScoring, firsts: list[str], others: list[list[str]], ability: Ability = Ability.SCORE_SUMMARIES
) -> Scores:
    """Score summaries of SCUs, or the options of questions."""
    return scoring.score(ability, [(first, *texts) for first, texts in zip(firsts, others, strict=True)], "x")


def describe(scorer: object, **fields: Any) -> Model:  # noqa: ANN401
    return dataclasses.replace(describe_object(Counting()), scorer=scorer, **fields)


def test_scores_of_pairs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct_scoring, "_ITEMS_AT_ONCE", 2)
    scorer, store = Fractions(), ModelStore(tmp_path)
    model = dataclasses.replace(describe_object(scorer), store_key="0" * 64)
    pairs = [("a", "b"), ("aa", "b"), ("a", "bb")]
    first = score_pairs(DirectScoring(model, store), pairs)
    events: list[Event] = []
    more = [*pairs, ("ab", "b"), ("a", "bb b")]  # similar to stored pairs
    second = score_pairs(DirectScoring(model, store, listen=events.append), more)
    assert second.values[:3].tolist() == first.values.tolist() == [1 / 3 - 1e7, 1 / 6 - 1e7, 1 / 3 - 2e7]
    assert (first.computed, second.computed, scorer.calls) == (3, 2, [2, 1, 2])
    assert events == [StepStarted("x", 5, done=3), StepAdvanced(2)]
    assert score_pairs(DirectScoring(model, store, resume=False), more).computed == 5
    nameless = describe_object(scorer)
    assert score_pairs(DirectScoring(nameless, store), pairs).computed == 3
    assert [stored.entries for stored in store.list_models()] == [5]


@pytest.mark.parametrize(("score", "kept"), [(float("inf"), 0), (1e39, 1), (1e-50, 1), (1e-30 / 3, 1), (-0.0, 1)])
def test_all_finite_scores_are_kept_as_they_are(score: float, kept: int, tmp_path: Path) -> None:
    """A score of 1e-50 was read back as 0. Callers refuse scores that are not finite."""

    class Odd(Counting):
        def score(self, pairs: list[tuple[str, str]]) -> list[float]:  # type: ignore[override]
            return [score] * len(pairs)

    store, scorer = ModelStore(tmp_path), Odd()
    model = dataclasses.replace(describe_object(scorer), store_key="0" * 64)
    for _ in range(2):
        assert score_pairs(DirectScoring(model, store), [("a", "b")]).values.tolist() == [score]
    assert [stored.entries for stored in store.list_models()] == [kept]


@pytest.mark.parametrize(("usage", "kept"), [(lambda: Usage(1, 1, None), [0, 1]), (None, [0, 0])])
def test_answers_of_a_server_are_stored_at_once(
    tmp_path: Path, usage: Callable[[], Usage] | None, kept: list[int]
) -> None:
    """Answers may cost money. Scores that are computed on this machine are stored in larger batches."""
    store, seen = ModelStore(tmp_path), list[int]()

    class InBatches(Counting):
        in_batches = True

        def score_batches(self, pairs: list[tuple[str, str]]) -> Iterator[tuple[list[int], list[float]]]:
            for number in range(len(pairs)):
                seen.extend(stored.entries for stored in ModelStore(tmp_path).list_models())
                yield [number], [0.5]

    scorer = InBatches()
    model = dataclasses.replace(describe_object(scorer), store_key="0" * 64, find_usage=usage)
    score_pairs(DirectScoring(model, store), [("a", "b"), ("a", "c")])
    assert seen == kept


def test_scores_of_summaries_are_kept(tmp_path: Path) -> None:
    """Equal rows are computed once. A summary is not mistaken for a pair or for a summary with other sentence ends."""
    scorer, store = Counting(), ModelStore(tmp_path)
    model = dataclasses.replace(describe_object(scorer), store_key="0" * 64)
    scus, summaries = ["ab", "ab", "ab", "a"], [["c", "d"], ["c", "d"], ["cd"], ["bcd"]]
    first = score_lists(DirectScoring(model, store), scus, summaries)
    assert (first.values.tolist(), first.computed) == ([4.0, 4.0, 3.0, 2.0], 3)
    second = score_lists(DirectScoring(model, store), scus[::-1], summaries[::-1])
    assert (second.values.tolist(), second.computed) == ([2.0, 3.0, 4.0, 4.0], 0)
    assert score_lists(DirectScoring(model, store, resume=False), scus, summaries).computed == 3
    assert score_pairs(DirectScoring(model, store), [("cd", "ab")]).computed == 1


def test_summaries_are_scored_in_parts_if_scores_are_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a run breaks off, the scores of earlier parts are kept."""
    monkeypatch.setattr(direct_scoring, "_ITEMS_AT_ONCE", 2)
    events: list[Event] = []
    model = describe(Counting(), store_key="0" * 64)
    scoring = DirectScoring(model, ModelStore(tmp_path), listen=events.append)
    assert score_lists(scoring, ["a", "b", "c"], [["d"], ["e"], ["f"]]).values.tolist() == [2.0, 2.0, 2.0]
    assert events == [StepStarted("x", 3), StepAdvanced(2), StepAdvanced(1)]


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
    scorer, store = Choosing(), ModelStore(tmp_path)
    model = describe(scorer, store_key="0" * 64)
    questions, options = ["fail", "b", "c", "d"], [["a", "bb", "c"], ["aa", "b", "c"], ["a", "b", "cc"], ["", "a", ""]]
    with pytest.raises(ModelError, match=mentions("Counting: failed ... no answer ... --verbose")):
        score_lists(DirectScoring(model, store), questions, options, Ability.SCORE_QUESTIONS)
    scorer.asked = []
    questions[0] = "a"
    events: list[Event] = []
    scores = score_lists(DirectScoring(model, store, listen=events.append), questions, options, Ability.SCORE_QUESTIONS)
    assert (scores.values.tolist(), scores.computed) == ([[1, 2, 1], [2, 1, 1], [1, 1, 2], [0, 1, 0]], 6)
    assert scorer.asked == ["a", "b"]
    assert events == [StepStarted("x", 4, done=2), StepAdvanced(2)]
    swapped = [options[1], options[0], *options[2:]]
    assert score_lists(DirectScoring(model, store), questions, swapped, Ability.SCORE_QUESTIONS).computed == 6
    assert score_lists(DirectScoring(describe(scorer)), questions, options, Ability.SCORE_QUESTIONS).computed == 12


def test_scores_of_another_number_of_options() -> None:
    class Wrong(Choosing):
        def score_question_batches(
            self, questions: list[str], options: list[list[str]]
        ) -> Iterator[tuple[list[int], list[list[int]]]]:
            yield [0], [[1] * (len(options[0]) - len(questions))]

    message = "Counting: score_question_batches() ... shape (1, 1) ... shape (1, 2)"
    with pytest.raises(ModelError, match=mentions(message)):
        score_lists(DirectScoring(describe(Wrong())), ["a"], [["b", "c"]], Ability.SCORE_QUESTIONS)


@pytest.mark.parametrize("has_store", [False, True])
def test_a_model_whose_scores_are_not_stored_is_given_all_summaries_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_store: bool
) -> None:
    """Scores of `frequency` depend on all summaries."""
    monkeypatch.setattr(direct_scoring, "_ITEMS_AT_ONCE", 1)

    class Whole(Counting):
        def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> list[int]:
            assert summaries == [["c"], ["c"]]
            return [len(scus)] * len(scus)

    store = ModelStore(tmp_path) if has_store else None
    scores = score_lists(DirectScoring(describe_object(Whole()), store), ["a", "a"], [["c"], ["c"]])
    assert (scores.values.tolist(), scores.computed) == ([2.0, 2.0], 2)


def test_a_single_row() -> None:
    scorer = Counting()
    model = describe_object(scorer)
    options = score_lists(DirectScoring(model), ["q"], [["a", "bb", "c"]], Ability.SCORE_OPTIONS)
    assert options.values.tolist() == [[1.0, 2.0, 1.0]]
    assert score_lists(DirectScoring(model), ["abc"], [["one", "two"]]).values.tolist() == [5.0]


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
        score_lists(DirectScoring(describe_object(Wrong())), ["a", "b"], [["c"], ["d"]])


def test_a_stored_answer_lets_a_judge_go_on(tmp_path: Path) -> None:
    """Without any answer among 200, a judge is refused."""

    class Judge:
        def score(self, pairs: list[tuple[str, str]]) -> Scores:
            outcomes = [Outcome.ANSWERED if pair == ("a", "b") else Outcome.REFUSALS for pair in pairs]
            return make_scores([0.5] * len(pairs), outcomes)

    model = dataclasses.replace(describe_object(Judge()), outcomes=NO_ANSWERS, store_key="a" * 64)
    scoring = DirectScoring(model, ModelStore(tmp_path))
    others = [("a", str(number)) for number in range(200)]
    with pytest.raises(ModelError, match=mentions("first 200 of 200 answers, x (refusals: 200)")):
        score_pairs(DirectScoring(model), others)
    score_pairs(scoring, [("a", "b")])
    scores = score_pairs(scoring, [("a", "b"), *others])
    assert scores.values[0] == 0.5
    assert scores.is_missing.tolist() == [False, *([True] * 200)]


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        ([Outcome.REFUSALS] * 2, "m: ... here (refusals: 2). Change the prompt with prompt_file"),
        (
            [Outcome.REFUSALS, Outcome.IMPROBABLE],
            "m: ... here (refusals: 1, improbable: 1). ... answer=text,reply_tokens=4000",
        ),
        ([Outcome.REFUSALS, Outcome.ANSWERED], ""),
        ([Outcome.REFUSALS, Outcome.BY_WORDS], ""),
    ],
)
def test_a_judge_without_answers_is_refused(outcomes: list[Outcome], message: str) -> None:
    model = describe(Counting(), name="m", outcomes=(*NO_ANSWERS, Outcome.IMPROBABLE))
    scores = make_scores([0.5, 0.5], outcomes)
    if message:
        with pytest.raises(ModelError, match=mentions(message)):
            refuse_unusable(model, scores, "here")
    else:
        refuse_unusable(model, scores, "here")


def test_missing_answers_are_replaced_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    """Without right answers, a missing answer is a no. Answers by words keep their score."""
    model = describe(Counting(), name="m")
    outcomes = [Outcome.CUT, Outcome.BY_WORDS, Outcome.REFUSALS, Outcome.BY_WORDS, Outcome.BY_WORDS]
    scores = make_scores([0.5, 0.25, 0.75, 1.0, 0.5], outcomes)
    assert replace_missing(model, scores).tolist() == [0.0, 0.25, 0.0, 1.0, 0.5]
    missing, flagged = caplog.messages
    assert re.search(mentions("m: ... 2 of 5 times ... no"), missing)
    assert re.search(mentions("m: 3 of 5 answers ... (by_words)"), flagged)
    caplog.clear()
    assert replace_missing(model, make_scores([0.25, 1.0])).tolist() == [0.25, 1.0]
    assert caplog.messages == []
    replace_missing(model, make_scores([0.25, 1.0], [Outcome.IMPROBABLE, Outcome.ANSWERED]))
    assert re.search(mentions("m: 1 of 2 answers ... (improbable)"), caplog.text)
