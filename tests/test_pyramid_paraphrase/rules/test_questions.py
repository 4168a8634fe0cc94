"""Questions: conditions on all questions, and the fairness of matched questions."""

from __future__ import annotations

import itertools
import time
from collections import Counter

import numpy as np
import pytest
from helpers.strategies import pyramids
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramid_paraphrase.building.rows import QuestionRows
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import Contributor, Part, Pyramid, Scu, Summary
from pyramid_paraphrase.rules.options import Options
from pyramid_paraphrase.rules.propositions import Proposition, list_propositions, sha256_of
from pyramid_paraphrase.rules.questions import _compare, _PyramidIndex, build_questions

ANCHORS = ["answer", "question", "balanced"]


def make(
    given_pyramids: tuple[Pyramid, ...] | list[Pyramid], **rules: object
) -> tuple[list[Proposition], list[tuple[int, int, tuple[int, ...]]], int]:
    """Return the propositions, the questions, and the number of questions left out."""
    options = Options(**rules)  # type: ignore[arg-type]
    propositions = list_propositions(given_pyramids, options, labels=False)
    return propositions, *build_questions(propositions, options)


def cosine(left: Proposition, right: Proposition) -> float:
    a, b = Counter(left.words), Counter(right.words)
    dot = sum(a[word] * b[word] for word in a)
    return dot / float(np.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values())))


def check_rules(
    propositions: list[Proposition], made: list[tuple[int, int, tuple[int, ...]]], distractors: int
) -> None:
    asked = [(question, answer) for question, answer, _ in made]
    assert len(asked) == len(set(asked))
    for question, answer, distractor_rows in made:
        asked_for, right = propositions[question], propositions[answer]
        wrong = [propositions[row] for row in distractor_rows]
        assert (asked_for.pyramid, asked_for.scu) == (right.pyramid, right.scu)
        assert asked_for.content != right.content
        assert len(wrong) == distractors
        assert {distractor.pyramid for distractor in wrong} == {asked_for.pyramid}
        assert len({distractor.scu for distractor in wrong} | {right.scu}) == distractors + 1
        assert len({distractor.folded for distractor in wrong} | {right.folded}) == distractors + 1
        own = {p.folded for p in propositions if (p.pyramid, p.scu) == (right.pyramid, right.scu)}
        assert not own & {distractor.folded for distractor in wrong}
        assert not {right.content, asked_for.content} & {distractor.content for distractor in wrong}


@settings(max_examples=150)
@given(pyramids(), st.sampled_from(ANCHORS), st.integers(1, 3))
def test_every_question_follows_the_rules(given_pyramids: list[Pyramid], anchor: str, distractors: int) -> None:
    rules = {"anchor": anchor, "distractors": distractors, "min_words": 1}
    propositions, made, left_out = make(given_pyramids, **rules)
    check_rules(propositions, made, distractors)
    pairs = sum(
        a.content != b.content
        for a in propositions
        for b in propositions
        if a is not b and (a.pyramid, a.scu) == (b.pyramid, b.scu)
    )
    assert len(made) + left_out == pairs


class Reader:
    """The rules of section 3 and figure 3 of the paper in plain loops, for the propositions of one pyramid."""

    def __init__(self, propositions: list[Proposition], rules: Options) -> None:
        self.propositions, self.rules = propositions, rules

    def list_questions(self) -> list[tuple[int, int, tuple[int, ...]]]:
        rows = range(len(self.propositions))
        questions = []
        for question, answer in itertools.permutations(rows, 2):
            if self.is_asked(self.propositions[question], self.propositions[answer]):
                distractors = self.choose(question, answer)
                if len(distractors) == self.rules.distractors:
                    questions.append((question, answer, distractors))
        return questions

    def is_asked(self, question: Proposition, answer: Proposition) -> bool:
        is_asking = self.rules.asker in ("any", question.kind)
        is_fitting = question.scu == answer.scu and question.content != answer.content
        return is_asking and is_fitting and answer.kind == "contributor"

    def choose(self, question: int, answer: int) -> tuple[int, ...]:
        asked, right = self.propositions[question], self.propositions[answer]
        own = {proposition.folded for proposition in self.propositions if proposition.scu == asked.scu}
        near = right if self.rules.anchor == "answer" else asked
        allowed = [
            row
            for row, proposition in enumerate(self.propositions)
            if proposition.kind == "contributor"
            and proposition.scu != asked.scu
            and proposition.folded not in own
            and proposition.content not in (asked.content, right.content)
        ]
        chosen: list[int] = []
        for row in self.sort(allowed, near):
            proposition = self.propositions[row]
            from_scu = sum(self.propositions[earlier].scu == proposition.scu for earlier in chosen)
            is_new = proposition.folded not in {self.propositions[earlier].folded for earlier in chosen}
            if is_new and from_scu < self.rules.distractors_per_scu and len(chosen) < self.rules.distractors:
                chosen.append(row)
        return tuple(chosen)

    def sort(self, rows: list[int], near: Proposition) -> list[int]:
        """Sort the most similar rows first, and equally similar ones as the rules say."""
        rows = sorted(rows, key=lambda row: self.propositions[row].tie_break)
        if self.rules.similarity == "cosine":
            return sorted(rows, key=lambda row: -round(cosine(near, self.propositions[row]), 9))
        rows = sorted(rows, key=lambda row: self.propositions[row].words, reverse=True)
        return sorted(rows, key=lambda row: -len({*near.words} & {*self.propositions[row].words}))


@settings(max_examples=200)
@given(
    pyramids(),
    st.sampled_from(["contributor", "label", "any"]),
    st.sampled_from(["answer", "question"]),
    st.sampled_from(["cosine", "shared-words"]),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_every_reading_of_the_rules(
    given_pyramids: list[Pyramid], asker: str, anchor: str, similarity: str, distractors: int, per_scu: int
) -> None:
    options = Options(
        min_words=1,
        asker=asker,
        anchor=anchor,
        similarity=similarity,
        distractors=distractors,
        distractors_per_scu=per_scu,
    )
    propositions = list_propositions(given_pyramids, options, labels=asker != "contributor")
    expected = []
    for _, group in itertools.groupby(enumerate(propositions), key=lambda item: item[1].pyramid):
        rows, members = zip(*group, strict=True)
        for question, answer, chosen in Reader(list(members), options).list_questions():
            expected.append((rows[question], rows[answer], tuple(rows[row] for row in chosen)))
    questions, _ = build_questions(propositions, options)
    assert [tuple(question) for question in questions] == expected


def test_labels_that_are_also_contributors_still_ask() -> None:
    """Where all ask, a contributor with the text of the label asks in its place."""
    pyramid = make_pyramid(("Alpha beta gamma", ["alpha beta gamma", "delta alpha beta"]), ("7 beta", ["red old mill"]))
    asked = {}
    for asker in ("label", "any"):
        options = Options(asker=asker, distractors=1)
        propositions = list_propositions([pyramid], options, labels=True)
        made, _ = build_questions(propositions, options)
        asked[asker] = [(propositions[question].kind, propositions[answer].text) for question, answer, _ in made]
    assert asked["label"] == [("label", "delta alpha beta")]
    assert asked["any"] == [("contributor", "delta alpha beta"), ("contributor", "alpha beta gamma")]


@pytest.mark.parametrize("anchor", ["answer", "question"])
def test_distractors_are_the_nearest_allowed(sample: Corpus, anchor: str) -> None:
    propositions, made, _ = make(sample.pyramids, anchor=anchor)
    check_rules(propositions, made, 3)
    assert len(made) > 500
    for question, answer, distractors in made[::50]:
        near = propositions[answer if anchor == "answer" else question]
        excluded = {propositions[row].scu for row in (*distractors, answer)}
        texts = {p.folded for p in propositions if (p.pyramid, p.scu) == (near.pyramid, propositions[answer].scu)}
        left = [
            cosine(near, p)
            for p in propositions
            if p.pyramid == near.pyramid
            and p.scu not in excluded
            and p.folded not in texts
            and p.content not in (propositions[answer].content, propositions[question].content)
        ]
        assert min(cosine(near, propositions[row]) for row in distractors) >= max(left) - 1e-9


def test_in_matched_questions_every_option_is_right_as_often_as_any(sample: Corpus) -> None:
    """Whoever does not read the question is right once in four times, for each set of options is asked about four
    times, each time with another right answer."""
    propositions, made, _ = make(sample.pyramids, anchor="balanced")
    check_rules(propositions, made, 3)
    uses: dict[frozenset[int], Counter[int]] = {}
    for _, answer, distractors in made:
        uses.setdefault(frozenset((answer, *distractors)), Counter())[answer] += 1
    assert len(uses) > 100
    for options, answers in uses.items():
        assert set(answers) == options
        assert len(set(answers.values())) == 1


class Dealer:
    """The greedy rule of `_deal` in plain loops, for the propositions of one pyramid."""

    def __init__(self, propositions: list[Proposition]) -> None:
        self.propositions = propositions
        asked = [
            (a, b)
            for a, b in itertools.permutations(range(len(propositions)), 2)
            if propositions[a].scu == propositions[b].scu and propositions[a].content != propositions[b].content
        ]
        self.asked = sorted(asked, key=lambda pair: sha256_of(*(propositions[row].tie_break for row in pair)))

    def confuse(self, x: int, y: int) -> int:
        """Cosines of each one's question and the other's answer, in millionths."""
        pairs = ((self.asked[x][0], self.asked[y][1]), (self.asked[y][0], self.asked[x][1]))
        return sum(round(cosine(self.propositions[a], self.propositions[b]) * 1_000_000) for a, b in pairs)

    def accepts(self, x: int, y: int) -> bool:
        """Whether the answer of ``y`` may be an option of ``x``."""
        question, right = (self.propositions[row] for row in self.asked[x])
        answer = self.propositions[self.asked[y][1]]
        own_texts = {p.folded for p in self.propositions if p.scu == question.scu}
        new_content = answer.content not in (question.content, right.content)
        return answer.scu != question.scu and answer.folded not in own_texts and new_content

    def fit(self, x: int, y: int) -> bool:
        return self.accepts(x, y) and self.accepts(y, x)

    def open_group(self, left: list[int], size: int) -> list[int]:
        """Return the two most confusable questions, and the questions that join them until there are ``size``."""
        pairs = [(-self.confuse(x, y), x, y) for x, y in itertools.combinations(left, 2) if self.fit(x, y)]
        group = list(min(pairs)[1:]) if pairs else []
        while group and len(group) < size:
            fitting = [z for z in left if all(self.fit(x, z) for x in group)]
            if not fitting:
                break
            group.append(min(fitting, key=lambda z: (-sum(self.confuse(x, z) for x in group), z)))
        return group

    def deal(self, size: int) -> list[tuple[int, int, tuple[int, ...]]]:
        made, left = [], list(range(len(self.asked)))
        while len(left) >= size and (group := self.open_group(left, size)):
            if len(group) < size:
                left.remove(group[0])
                continue
            left = [x for x in left if x not in group]
            answers = [self.asked[x][1] for x in group]
            made += [(*self.asked[x], tuple(row for row in answers if row != self.asked[x][1])) for x in group]
        return made


@settings(max_examples=60)
@given(pyramids(), st.integers(1, 3))
def test_matched_questions_are_dealt_by_the_definition(given_pyramids: list[Pyramid], distractors: int) -> None:
    """The most confusable questions start a group, the next join it, and only questions of full groups remain."""
    propositions, made, _ = make(given_pyramids[:1], anchor="balanced", distractors=distractors, min_words=1)
    assert [tuple(question) for question in made] == Dealer(propositions).deal(distractors + 1)


def test_matched_questions_of_the_sample_are_dealt_by_the_definition(sample: Corpus) -> None:
    """Twenty contributors, each of many SCUs, so that groups of four fill up."""
    propositions, _, _ = make(sample.pyramids[:1])
    some = propositions[:20]
    made, _ = build_questions(some, Options(anchor="balanced"))
    assert [tuple(question) for question in made] == Dealer(some).deal(4)
    assert len(made) >= 4


def make_pyramid(*scus: tuple[str, list[str]]) -> Pyramid:
    """A pyramid of labels and the texts of their contributors."""
    made = [
        Scu(str(uid), label, tuple(Contributor((Part(text, row, row + 1, "A"),)) for row, text in enumerate(texts)))
        for uid, (label, texts) in enumerate(scus)
    ]
    return Pyramid("X1", "X1", (), "", (), tuple(made))


def texts_of(*texts_by_scu: list[str]) -> list[Proposition]:
    pyramid = make_pyramid(*(("", texts) for texts in texts_by_scu))
    return list_propositions([pyramid], Options(min_words=1), labels=False)


def test_how_confusable_questions_are_is_counted_in_millionths() -> None:
    """By hand: "alpha" and "alpha beta" have the cosine 1/sqrt(2), 0.7071067..., and equal texts have 1."""
    propositions = texts_of(["alpha", "gamma"], ["alpha beta", "alpha"])
    index = _PyramidIndex(propositions, "contributor")
    # "alpha" -> "gamma" and "alpha beta" -> "alpha": the cosines of each question with the other's answer.
    confusable, _ = _compare(index, np.array([[0, 1], [2, 3]]))
    assert [propositions[row].text for row in (0, 1, 2, 3)] == ["alpha", "gamma", "alpha", "alpha beta"]
    assert confusable[0, 1] == 707_107 + 0
    confusable, _ = _compare(index, np.array([[1, 0], [3, 2]]))
    assert confusable[0, 1] == 0 + 707_107
    confusable, _ = _compare(index, np.array([[0, 1], [3, 2]]))
    assert confusable[0, 1] == 1_000_000 + 0


def test_the_last_four_questions_are_dealt_too() -> None:
    """Two SCUs of two contributors have four questions: two groups of two."""
    propositions = texts_of(["red mill", "old mill"], ["blue barn", "new barn"])
    made, left_out = build_questions(propositions, Options(anchor="balanced", distractors=1))
    assert (len(made), left_out) == (4, 0)


def test_a_question_that_starts_no_full_group_starts_no_other() -> None:
    """Nothing joins the two most confusable questions. The first is left out, and the second is dealt with others."""
    propositions = texts_of(["red mill", "road mill"], ["old", "barn mill"], ["wet red", "road mill"])
    made, left_out = build_questions(propositions, Options(anchor="balanced", distractors=2))
    assert [tuple(question) for question in made] == Dealer(propositions).deal(3)
    assert (len(made), left_out) == (3, 3)


def test_questions_that_share_no_word_are_dealt_too() -> None:
    """Nothing makes them confusable, but they are allowed: two groups of three, of an SCU each."""
    propositions = texts_of(["red mill", "old mill"], ["blue barn", "new barn"], ["wet road", "dry road"])
    made, left_out = build_questions(propositions, Options(anchor="balanced", distractors=2))
    assert (len(made), left_out) == (6, 0)


def test_distractors_may_share_no_word_with_the_answer() -> None:
    """Each of the six questions has two distractors, one from each other SCU, of similarity 0."""
    propositions = texts_of(["red mill", "old mill"], ["blue barn", "new barn"], ["wet road", "dry road"])
    made, left_out = build_questions(propositions, Options(distractors=2))
    assert (len(made), left_out) == (6, 0)


@pytest.mark.full
@pytest.mark.parametrize("anchor", ANCHORS)
def test_many_questions_that_fit_no_others_take_little_time(anchor: str) -> None:
    """Fuzzing found a pyramid of a quarter of a mebibyte with the same two SCUs again and again. No question of it can
    have three distractors. Each looked through all pairs of questions for the most confusable, half a minute in all."""
    propositions = texts_of(*[["red mill here", "old mill there"], ["blue barn far", "new barn near"]] * 600)
    start = time.process_time()
    made, left_out = build_questions(propositions, Options(anchor=anchor))
    assert time.process_time() - start < 10
    assert (len(made), left_out) == (0, 2400)


def test_blind_scorers_reach_chance_on_matched_questions_only(sample: Corpus) -> None:
    rates = {}
    for anchor in ANCHORS:
        propositions, made, _ = make(sample.pyramids, anchor=anchor)
        right = 0.0
        for _, answer, distractors in made:
            rows = (answer, *distractors)
            blind = [round(sum(cosine(propositions[a], propositions[b]) for b in rows if b != a), 6) for a in rows]
            right += (blind[0] == max(blind)) / blind.count(max(blind))
        rates[anchor] = right / len(made)
    assert rates["balanced"] == pytest.approx(0.25, abs=1e-12)
    assert rates["answer"] > 0.35


def test_questions_may_have_many_options() -> None:
    """The index of an answer among more than 127 options does not fit an 8-bit integer."""
    contributors = [
        Contributor((Part(f"word{number} seen again", 0, 5, letter),)) for number, letter in enumerate("ABCD" * 75)
    ]
    scus = tuple(Scu(str(uid), "", tuple(contributors[2 * uid : 2 * uid + 2])) for uid in range(len(contributors) // 2))
    pyramid = Pyramid("D0701", "D0701", (), "", (Summary("d", "A", 0, 100),), scus)
    propositions, made, _ = make([pyramid], distractors=140)
    rows = QuestionRows(propositions, made, "ranking")
    assert len(rows) == 300
    assert rows.targets.max() > 127
