"""Scoring of rows pair by pair: both orders of a pair, the rule that combines them, and pairs without an answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.judges import Answer, make_answers
from helpers.messages import mentions
from helpers.pair_corpora import write_pit
from helpers.scu_labels import write_scu_labels
from helpers.tiny_models import save_entailment_model, save_judge

from harness.api.collection import Results
from harness.api.evaluating import evaluate
from harness.evaluation.layout import NO_TEXT, join_windows, list_windows
from harness.evaluation.runner import Settings, Suite, evaluate_model, load_suite
from harness.evaluation.scoring import ScoredTests, score_tests
from harness.models.files.store import ModelStore
from harness.models.interfaces.model import Cut, Model
from harness.models.interfaces.scores import DIRECTION_RULES, NO_ANSWERS, Outcome, Scores, make_scores
from harness.models.loading import describe_object, load_model
from harness.support.errors import ModelError
from pyramid_paraphrase.rules.options import MATCHES

RULES = tuple(DIRECTION_RULES)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite("sample", ("binary", "ranking"))


@pytest.fixture
def summaries(tmp_path: Path) -> Suite:
    return load_suite(write_scu_labels(tmp_path / "corpus"), "presence")


@pytest.fixture(scope="module")
def peers() -> Suite:
    return load_suite("sample", "peers")


class OneWay:
    """Scores a pair by a table, and records the pairs."""

    def __init__(self, scores: Mapping[tuple[str, str], Answer], default: Answer = 0.0) -> None:
        self.scores, self.default = scores, default
        self.asked: list[tuple[str, str]] = []

    def score(self, pairs: list[tuple[str, str]]) -> Scores:
        self.asked += pairs
        return make_answers([self.scores.get(pair, self.default) for pair in pairs])


def make_model(scorer: object, **fields: Any) -> Model:  # noqa: ANN401
    return dataclasses.replace(describe_object(scorer), **fields)


def score(model: Model, suite: Suite, store: ModelStore | None = None) -> ScoredTests:
    return score_tests(model, suite.texts, suite.rows, store=store, resume=True)


def list_directions(scores: ScoredTests) -> dict[str, str | None]:
    return {name: rows.direction for name, rows in scores.by_test.items()}


def list_pairs(suite: Suite, test: str) -> list[tuple[tuple[str, str], int]]:
    """List the pairs of a test of pairs with their labels."""
    rows = next(rows for rows in suite.rows if rows.name == test)
    return [
        ((suite.texts[first], suite.texts[second]), label)
        for (first, second), label in zip(rows.texts.tolist(), rows.targets.tolist(), strict=True)
    ]


class Choosing:
    """Scores options by a table of questions with options, and has no answer to other questions."""

    def __init__(self, scores: Mapping[tuple[str, ...], list[float]]) -> None:
        self.scores = scores

    def score_question_batches(
        self, questions: list[str], options: list[list[str]]
    ) -> Iterator[tuple[list[int], Scores]]:
        for place, (question, texts) in enumerate(zip(questions, options, strict=True)):
            shares = self.scores.get((question, *texts))
            outcome = Outcome.REFUSALS if shares is None else Outcome.ANSWERED
            yield [place], make_scores([shares or [0.0] * len(texts)], [outcome])

    def score(self, pairs: list[tuple[str, str]]) -> list[float]:
        return [0.5] * len(pairs)


def test_questions_with_all_options(suite: Suite) -> None:
    """The model answers the first question by the third option, and no other question."""
    rows = next(rows for rows in suite.rows if rows.name == "ranking")
    first = tuple(suite.texts[index] for index in rows.texts[0].tolist())
    scores = score(make_model(Choosing({first: [0.1, 0.2, 0.6, 0.1]}), outcomes=(Outcome.REFUSALS,)), suite)
    ranking = scores.by_test["ranking"].values
    assert ranking[0].tolist() == [0.1, 0.2, 0.6, 0.1]
    target = rows.targets[1]
    assert ranking[1].tolist() == [float(place != target) for place in range(4)]
    assert scores.by_test["binary"].counts == {"refusals": 0}
    assert scores.by_test["ranking"].counts == {"refusals": len(rows.targets) - 1}
    assert set(scores.by_test["binary"].values.tolist()) == {0.5}


def test_questions_with_fewer_options(suite: Suite) -> None:
    """The first question lacks its last option, and has no answer. The model gets questions of the same length."""
    rows = next(rows for rows in suite.rows if rows.name == "ranking")
    texts, targets = rows.texts.copy(), rows.targets.copy()
    texts[0, -1], targets[0] = NO_TEXT, 1
    second = tuple(suite.texts[index] for index in texts[1].tolist())
    shorter = Suite(suite.texts, [dataclasses.replace(rows, texts=texts, targets=targets)])
    scores = score(make_model(Choosing({second: [0.1, 0.2, 0.6, 0.1]}), outcomes=NO_ANSWERS), shorter)
    np.testing.assert_equal(scores.by_test["ranking"].values[0], [1.0, 0.0, 1.0, np.nan])
    assert scores.by_test["ranking"].values[1].tolist() == [0.1, 0.2, 0.6, 0.1]
    assert scores.encoded == 4 * len(texts) - 1


def test_an_outcome_that_a_model_does_not_announce_is_counted(suite: Suite) -> None:
    """A missing answer is counted as wrong, so no result may hide it."""
    pair, _ = list_pairs(suite, "binary")[0]
    scores = score(make_model(OneWay({pair: Outcome.CUT})), suite)
    assert scores.by_test["binary"].counts == {"cut": 1}


def test_the_time_of_scoring(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(perf_counter=iter([20.0, 25.0]).__next__)
    monkeypatch.setattr("harness.evaluation.scoring.time", clock)
    assert score(make_model(OneWay({})), suite).seconds == 5


@dataclasses.dataclass
class InfiniteEncoder:
    """Encodes one of the texts by a value that is not finite."""

    text: str

    def encode(self, texts: list[str]) -> list[list[float]]:
        return [[float("inf") if text == self.text else 1.0] for text in texts]


@dataclasses.dataclass
class InfiniteScorer:
    """Scores pairs with one of the texts by a value that is not finite."""

    text: str

    def score(self, pairs: list[tuple[str, str]]) -> list[float]:
        return [float("inf") if self.text in pair else 1.0 for pair in pairs]


@pytest.mark.parametrize("scorer", [InfiniteEncoder, InfiniteScorer])
def test_the_first_row_with_a_wrong_value_is_named(suite: Suite, scorer: type[InfiniteEncoder]) -> None:
    """The text occurs in several rows of the second test, and not in the first."""
    first, second = (next(rows for rows in suite.rows if rows.name == name) for name in ("binary", "ranking"))
    counts = np.bincount(second.texts.ravel(), minlength=len(suite.texts))
    number = next(number for number in np.flatnonzero(counts > 1) if number not in first.texts)
    places = np.flatnonzero((second.texts == number).any(axis=1))
    assert len(places) > 1
    with pytest.raises(ModelError, match=mentions(f"row {second.ids[places[0]]} ... finite")):
        score(make_model(scorer(suite.texts[number])), suite)


def test_rules() -> None:
    """By hand: 0.8 one way and 0.5 back."""
    combined = {name: rule(np.array([0.8]), np.array([0.5])).item() for name, rule in DIRECTION_RULES.items()}
    assert combined == {"minimum": 0.5, "mean": 0.65, "product": 0.4}


@pytest.mark.parametrize("name", RULES)
def test_scores_of_both_orders_are_combined(suite: Suite, name: str) -> None:
    (pair, _), *_ = list_pairs(suite, "binary")
    scorer = OneWay({pair: 0.8, pair[::-1]: 0.5}, default=0.25)
    scores = score(make_model(scorer, directions=(name,)), suite)
    assert scores.by_test["binary"].values[0] == {"minimum": 0.5, "mean": 0.65, "product": 0.4}[name]
    assert scores.by_test["binary"].values[-1] == {"minimum": 0.25, "mean": 0.25, "product": 0.0625}[name]
    assert list_directions(scores) == {"binary": name, "ranking": name}
    assert set(scorer.asked) == {(second, first) for first, second in scorer.asked}


def test_the_rule_with_the_highest_f_on_validation(suite: Suite) -> None:
    """Paraphrases score 1 and 0, other pairs 0.4 in both orders: only the mean separates them."""
    pairs = list_pairs(suite, "binary")
    positive = {pair for pair, label in pairs if label == 1}
    scorer = OneWay(dict.fromkeys(positive, 1.0) | {pair[::-1]: 0.0 for pair in positive}, default=0.4)
    model = make_model(scorer, directions=RULES)
    scores = score(model, suite)
    assert list_directions(scores) == {"binary": "mean", "ranking": "minimum"}
    two_rules = make_model(scorer, directions=("product", "mean"))
    assert list_directions(score(two_rules, suite)) == {"binary": "mean", "ranking": "product"}
    result = evaluate_model(model, suite, Settings(resamples=10, quiet=True))
    assert result.record.model.options["direction"] == "binary: mean, ranking: minimum"
    assert result.tests["binary"].metrics["f1"] == 1.0


def test_equal_rules_are_the_minimum(suite: Suite) -> None:
    scores = score(make_model(OneWay({}, default=0.5), directions=RULES), suite)
    assert list_directions(scores) == {"binary": "minimum", "ranking": "minimum"}


def test_presence_is_scored_in_one_direction(summaries: Suite) -> None:
    scorer = OneWay({}, default=0.5)
    scores = score(make_model(scorer, directions=RULES), summaries)
    assert list_directions(scores) == {"presence": "one way"}
    (rows,) = summaries.rows
    scus = {summaries.texts[index] for index in rows.texts[:, 0].tolist()}
    assert {second for _, second in scorer.asked} == scus
    assert len(scorer.asked) == len(set(scorer.asked))


def list_summaries(suite: Suite) -> list[tuple[str, list[str]]]:
    """List the SCU and the sentences of each row; unused places of sentences are negative."""
    (rows,) = suite.rows
    return [
        (suite.texts[scu], [suite.texts[index] for index in sentences if index >= 0])
        for scu, *sentences in rows.texts.tolist()
    ]


def test_a_summary_has_the_score_of_its_best_sentence(summaries: Suite) -> None:
    scorer = OneWay({(text, scu): len(text) for scu, sentences in list_summaries(summaries) for text in sentences})
    expected = [max(map(len, sentences)) for _, sentences in list_summaries(summaries)]
    assert {len(sentences) for _, sentences in list_summaries(summaries)} == {1, 2}
    assert score(make_model(scorer), summaries).by_test["presence"].values.tolist() == expected


def test_whole_summaries(summaries: Suite) -> None:
    class Whole(OneWay):
        def score_summaries(self, scus: list[str], texts: list[list[str]]) -> list[float]:
            assert list(zip(scus, texts, strict=True)) == list_summaries(summaries)
            return [float(len(sentences)) for sentences in texts]

    expected = [len(sentences) for _, sentences in list_summaries(summaries)]
    assert score(make_model(Whole({})), summaries).by_test["presence"].values.tolist() == expected


def test_windows() -> None:
    assert list_windows("abcd", 1) == ["a", "b", "c", "d"]
    assert list_windows("abcd", 3) == ["abc", "bcd"]
    assert list_windows("abcd", 9) == list_windows("abcd", None) == ["abcd"]


@pytest.mark.parametrize("size", [2, 9, None])
def test_a_summary_has_the_score_of_its_best_window(summaries: Suite, size: int | None) -> None:
    """The summaries have one or two sentences, so all these windows are whole summaries. Each pair is scored once."""
    listed = list_summaries(summaries)
    scorer = OneWay({(" ".join(sentences), scu): len(" ".join(sentences)) for scu, sentences in listed})
    counting = Counting()
    scores = score(make_model(scorer, window=size, find_cut=counting), summaries)
    assert scores.by_test["presence"].values.tolist() == [len(" ".join(sentences)) for _, sentences in listed]
    assert len(scorer.asked) == len(set(scorer.asked)) == len({(scu, *sentences) for scu, sentences in listed})
    assert counting.pairs == sorted(scorer.asked)


def test_windows_within_a_summary() -> None:
    """Three sentences have two windows of two. One of them is a sentence of another summary."""
    texts = ["scu", "a.", "b.", "c.", "a. b."]
    rows = np.array([[0, 1, 2, 3], [0, 4, -1, -1]])
    joined, laid_out = join_windows(texts, SimpleRows(rows), 2)  # type: ignore[arg-type]
    assert [[joined[number] for number in row if number >= 0] for row in laid_out.texts.tolist()] == [
        ["scu", "a. b.", "b. c."],
        ["scu", "a. b."],
    ]
    assert len(set(joined)) == len(joined)


@dataclasses.dataclass
class SimpleRows:
    """Rows of which only the texts matter."""

    texts: np.ndarray


class Counting:
    """A function that counts cut pairs of texts, and records the pairs."""

    def __call__(self, pairs: list[tuple[str, str]]) -> Cut:
        self.pairs = pairs
        return Cut(len(pairs), 2, 3)


def test_cut_pairs_are_counted_among_all_pairs_of_all_tests(suite: Suite) -> None:
    """Pairs that occur in both tests are one pair, and a model that reads both orders reads the same texts twice."""
    scorer, counting = OneWay({}), Counting()
    scores = score(make_model(scorer, find_cut=counting), suite)
    assert counting.pairs == sorted(set(scorer.asked))
    assert scores.cut == Cut(len(counting.pairs), 2, 3)
    in_both_orders = Counting()
    score(make_model(OneWay({}), find_cut=in_both_orders, directions=RULES), suite)
    assert in_both_orders.pairs == counting.pairs
    assert score(make_model(OneWay({})), suite).cut is None


def test_cut_pairs_are_part_of_a_result(suite: Suite) -> None:
    def count(pairs: list[tuple[str, str]]) -> Cut:
        return Cut(len(pairs), *cut)

    counts = {}
    for cut in ((2, 3), (0, 0)):
        result = evaluate_model(make_model(OneWay({}), find_cut=count), suite, Settings(resamples=1))
        counts[cut] = result.record.model.text_counts
    pairs = {pair for pair, _ in list_pairs(suite, "binary")}
    for question, *options in suite.rows[1].texts.tolist():
        pairs |= {(suite.texts[question], suite.texts[option]) for option in options}
    assert counts == {(2, 3): {"cut_pairs": 2, "pairs": len(pairs), "cut_tokens": 3}, (0, 0): {}}


def test_pairs_of_sentences_and_whole_summaries(summaries: Suite) -> None:
    scorer, counting = OneWay({}), Counting()
    score(make_model(scorer, find_cut=counting), summaries)
    assert counting.pairs == sorted(scorer.asked)
    score(make_model(Whole(0.0, 0.0), find_cut=counting), summaries)
    assert counting.pairs == sorted({(" ".join(sentences), scu) for scu, sentences in list_summaries(summaries)})


def test_peers_fit_a_rule(peers: Suite) -> None:
    """Fragments entail the SCU that they match, and that SCU does not entail them."""
    (rows,) = peers.rows
    assert rows.kind == MATCHES
    right = {
        (peers.texts[row[0]], peers.texts[row[1 + target]])
        for row, target in zip(rows.texts.tolist(), rows.targets.tolist(), strict=True)
        if target >= 0
    }
    scorer = OneWay(dict.fromkeys(right, 1.0) | {pair[::-1]: 0.0 for pair in right}, default=0.4)
    assert list_directions(score(make_model(scorer, directions=RULES), peers)) == {"peers": "mean"}


def test_a_second_run_and_another_rule_ask_nothing(suite: Suite, tmp_path: Path) -> None:
    store, scorer = ModelStore(tmp_path), OneWay({}, default=0.5)
    model = make_model(scorer, directions=RULES, store_key="0" * 64)
    first = score(model, suite, store)
    asked = len(scorer.asked)
    assert first.encoded == asked == len(set(scorer.asked))
    second = score(dataclasses.replace(model, directions=("product",)), suite, store)
    assert (second.encoded, len(scorer.asked)) == (0, asked)
    assert second.by_test["binary"].values[0] == 0.25


def test_no_answer_counts_as_a_wrong_answer(suite: Suite) -> None:
    """A judge that is always right, but does not answer for one paraphrase and one other pair."""
    pairs = list_pairs(suite, "binary")
    right: dict[tuple[str, str], Answer] = {pair: float(label) for pair, label in pairs}
    first_of = {label: next(pair for pair, its_label in reversed(pairs) if its_label == label) for label in (0, 1)}
    silent = right | {first_of[0]: Outcome.REFUSALS, first_of[1]: Outcome.UNPARSABLE}
    wrong = right | {first_of[0]: 1.0, first_of[1]: 0.0}
    binary = Suite(suite.texts, suite.rows[:1])
    settings = Settings(resamples=10, quiet=True)
    results = [
        evaluate_model(make_model(OneWay(scores), outcomes=NO_ANSWERS), binary, settings)
        for scores in (right, silent, wrong)
    ]
    metrics = [result.tests["binary"].metrics for result in results]
    assert metrics[0]["f1"] == metrics[0]["average_precision"] == 1.0
    assert metrics[1] == metrics[2]
    assert metrics[1]["f1"] < 1.0
    counts = [result.tests["binary"].counts for result in results]
    assert [count["refusals"] for count in counts] == [0, 1, 0]
    assert [count["unparsable"] for count in counts] == [0, 1, 0]
    representations = [repr(Results([result])) for result in results]
    note = "OneWay: 2 times without an answer in binary (refusals: 1, unparsable: 1), counted as wrong."
    assert [note in " ".join(text.split()) for text in representations] == [False, True, False]


@pytest.mark.parametrize("outcome", [Outcome.BY_WORDS, Outcome.IMPROBABLE])
def test_answers_by_words_and_improbable_ones_count_as_they_are(suite: Suite, outcome: Outcome, tmp_path: Path) -> None:
    """Of the distinct pairs, one has the score 0.25 with this outcome, and one has no answer."""
    pairs = [pair for pair, _ in list_pairs(suite, "binary")]
    scorer = OneWay({pairs[0]: (0.25, outcome), pairs[1]: Outcome.CUT}, default=0.5)
    model = make_model(scorer, outcomes=(*NO_ANSWERS, outcome), store_key="a" * 64)
    store = ModelStore(tmp_path)
    for _ in range(2):  # the second time by stored scores
        scores = score(model, suite, store)
        assert scores.by_test["binary"].values[0] == 0.25
        assert scores.by_test["binary"].counts == {"refusals": 0, "unparsable": 0, "cut": 1, outcome.label: 1}
    assert len(scorer.asked) == len(set(scorer.asked))
    for number in (-1.0, -15.75):  # scores of a model that is not a judge, although they once were codes
        others = score(make_model(OneWay({pairs[0]: number})), suite)
        assert others.by_test["binary"].values[0] == number
        assert others.by_test["binary"].counts == {}


@pytest.mark.parametrize(
    ("last", "first", "others", "message"),
    [
        (
            Outcome.IMPROBABLE,
            Outcome.IMPROBABLE,
            Outcome.IMPROBABLE,
            "OneWay: ... binary (improbable: {}). ... answer=text ... prompt_file",
        ),
        (
            Outcome.IMPROBABLE,
            Outcome.UNPARSABLE,
            Outcome.IMPROBABLE,
            "OneWay: ... binary (unparsable: 1, improbable: {}). ... answer=text",
        ),
        (
            Outcome.BY_WORDS,
            Outcome.REFUSALS,
            Outcome.CUT,
            "OneWay: ... binary (refusals: 1, cut: {}). ... reply_tokens=4000",
        ),
        (Outcome.BY_WORDS, Outcome.BY_WORDS, Outcome.BY_WORDS, None),
        (Outcome.BY_WORDS, Outcome.REFUSALS, Outcome.BY_WORDS, None),
        (Outcome.IMPROBABLE, 0.5, Outcome.IMPROBABLE, None),
        (Outcome.CUT, Outcome.REFUSALS, Outcome.REFUSALS, "OneWay: ... binary (refusals: {}). Change ... prompt_file"),
        (Outcome.CUT, Outcome.REFUSALS, 0.5, None),
    ],
)
def test_a_judge_that_gives_no_probability_at_all(
    suite: Suite, last: Outcome, first: Answer, others: Answer, message: str | None
) -> None:
    """An answer by words is one, an improbable answer is none."""
    pairs = list_pairs(suite, "binary")
    outcomes = tuple(dict.fromkeys((*NO_ANSWERS, last)))
    model = make_model(OneWay({pairs[0][0]: first}, default=others), outcomes=outcomes)
    binary = Suite(suite.texts, suite.rows[:1])
    if message is None:
        counts = score(model, binary).by_test["binary"].counts
        assert sum(counts.values()) == (first != 0.5) + (others != 0.5) * (len(pairs) - 1)
        return
    count = f"{len(pairs) - (first != others):,}"
    with pytest.raises(ModelError, match=mentions(message.format(count))):
        score(model, binary)


def test_a_judge_ends_after_its_first_answers_if_none_can_be_used(suite: Suite) -> None:
    """A server is paid for each answer. A single answer lets it go on, and missing ones are never right."""

    class Judge:
        in_batches = True

        def __init__(self, answered: int) -> None:
            self.answered, self.asked = answered, 0

        def score_batches(self, pairs: list[tuple[str, str]]) -> Iterator[tuple[list[int], Scores]]:
            for index in range(len(pairs)):
                self.asked += 1
                yield [index], make_answers([0.0 if self.asked == self.answered else Outcome.REFUSALS])

    ranking = Suite(suite.texts, suite.rows[1:])
    message = mentions("first 200 of 2,304 answers ... ranking (refusals: 200). Change")
    for answered in (0, 201):
        judge = Judge(answered)
        with pytest.raises(ModelError, match=message):
            score(make_model(judge, outcomes=NO_ANSWERS), ranking)
        assert judge.asked == 200
    model = make_model(Judge(200), outcomes=NO_ANSWERS)
    result = evaluate_model(model, ranking, Settings(resamples=10, quiet=True))
    assert result.tests["ranking"].metrics["success_rate"] == 0


class Whole:
    """Scores whole summaries: the first one, and all others."""

    def __init__(self, first: Answer, others: Answer) -> None:
        self.first, self.others = first, others

    def score_summaries(self, scus: list[str], _texts: list[list[str]]) -> Scores:
        return make_answers([self.first, *([self.others] * (len(scus) - 1))])


def test_no_answer_about_whole_summaries(summaries: Suite) -> None:
    targets = summaries.rows[0].targets.tolist()
    assert {0, 1} == set(targets[1:])
    scores = score(make_model(Whole(0.5, Outcome.REFUSALS), outcomes=NO_ANSWERS), summaries)
    assert scores.by_test["presence"].values.tolist() == [0.5, *(1.0 - target for target in targets[1:])]
    assert scores.by_test["presence"].counts == {"refusals": len(targets) - 1, "unparsable": 0}


def test_few_answers_of_almost_no_probability_are_refused(summaries: Suite) -> None:
    count = len(summaries.rows[0].targets)
    improbable = Outcome.IMPROBABLE
    assert count < 200  # with more answers, the judge has ended before
    with pytest.raises(ModelError, match=mentions(f"Whole: ... presence (improbable: {count}). ... answer=text")):
        score(make_model(Whole(improbable, improbable), outcomes=(improbable,)), summaries)


def test_equal_answers_are_right_by_chance(suite: Suite) -> None:
    model = make_model(OneWay({}, default=0.5), outcomes=NO_ANSWERS)
    ranking = Suite(suite.texts, suite.rows[1:])
    result = evaluate_model(model, ranking, Settings(resamples=10, quiet=True))
    assert result.tests["ranking"].metrics["success_rate"] == 0.25


def test_no_answer_about_grades_and_matches(peers: Suite, tmp_path: Path) -> None:
    """High grades get the score 0 and low grades 1. Of the options of a fragment, the right one gets 0."""
    folder = tmp_path / "pit2015"
    write_pit(folder)
    graded = load_suite(folder, "pit_similarity")
    model = make_model(OneWay({}, default=Outcome.REFUSALS), outcomes=NO_ANSWERS)
    targets = np.minimum(graded.rows[0].targets, 4)  # grades from 0 to 4, with one in the middle
    graded = Suite(graded.texts, [dataclasses.replace(graded.rows[0], targets=targets)])
    scores = score(model, graded).by_test["pit_similarity"].values
    assert scores.tolist() == [float(target <= 2) for target in targets.tolist()]
    texts, targets = peers.rows[0].texts.tolist(), peers.rows[0].targets.tolist()
    wrong_option = 1 + (targets[0] == 0)
    answered = (peers.texts[texts[0][0]], peers.texts[texts[0][wrong_option]])  # without any answer, a judge is refused
    model = make_model(OneWay({answered: 0.5}, default=Outcome.REFUSALS), outcomes=NO_ANSWERS)
    for row, target in zip(score(model, peers).by_test["peers"].values.tolist(), targets, strict=True):
        assert [place for place, value in enumerate(row) if value == 0.0] == ([target] if target >= 0 else [])


@pytest.mark.needs("sentence_transformers")
def test_an_entailment_model_from_end_to_end(suite: Suite, tmp_path: Path) -> None:
    folder = save_entailment_model(tmp_path / "nli")
    settings = Settings(resamples=10, quiet=True, store=ModelStore(tmp_path / "store"))
    first, second = (evaluate_model(load_model(str(folder)), suite, settings) for _ in range(2))
    assert first.files == second.files
    assert first.record.time.encoded > 0 == second.record.time.encoded
    by_rule = [evaluate_model(load_model(f"{folder},direction={name}"), suite, settings) for name in RULES]
    assert [result.record.time.encoded for result in by_rule] == [0, 0, 0]
    assert first.rows["ranking"].scores.tolist() == by_rule[0].rows["ranking"].scores.tolist()
    assert len({result.record.settings_hash for result in (first, *by_rule)}) == 4


@pytest.mark.needs("sentence_transformers")
def test_a_judge_from_end_to_end(summaries: Suite, tmp_path: Path) -> None:
    """A judge reads whole summaries. All its replies are stored, including replies that are not answers."""
    spec = f"judge:{save_judge(tmp_path / 'judge', {'maybe': 5.0})},answer=text"
    settings = Settings(resamples=10, quiet=True, store=ModelStore(tmp_path / "store"))
    first, second = (evaluate_model(load_model(spec), summaries, settings) for _ in range(2))
    rows = summaries.rows[0]
    assert first.tests["presence"].counts["cut"] == len(rows.ids)
    assert second.tests["presence"].counts == first.tests["presence"].counts
    assert (first.record.time.encoded, second.record.time.encoded) == (len(rows.ids), 0)
    assert first.rows["presence"].scores.tolist() == [1.0 - target for target in rows.targets.tolist()]
    assert first.record.model.options["prompt"].startswith("Do these two sentences say the same?")
    assert "prompt:Do" not in first.signature
    assert "|prompt:" in first.signature


@pytest.mark.needs("sentence_transformers")
def test_a_judge_and_an_entailment_model_of_the_command(tmp_path: Path) -> None:
    specs = [
        f"judge:{save_judge(tmp_path / 'judge', {'yes': 1.0})},name=judge",
        f"entailment:{save_entailment_model(tmp_path / 'nli')},name=nli",
    ]
    results = evaluate(specs, "sample", ["ranking"], resamples=10, cache=str(tmp_path / "cache"))
    assert {result.record.model.name for result in results} >= {"judge", "nli"}
