"""Questions: what every one of them must satisfy, and what makes the matched ones fair."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_pairs import pyramids

from pyramid_paraphrase.corpus import Corpus
from pyramid_paraphrase.options import Options
from pyramid_paraphrase.propositions import Proposition, list_propositions
from pyramid_paraphrase.questions import Questions, build_questions
from pyramid_paraphrase.records import Contributor, Part, Pyramid, Scu, Summary
from pyramid_paraphrase.rows import QuestionRows

ANCHORS = ["answer", "question", "balanced"]


def make(given_pyramids: tuple[Pyramid, ...] | list[Pyramid], **rules: object) -> tuple[list[Proposition], Questions]:
    options = Options(**rules)  # type: ignore[arg-type]
    propositions = list_propositions(given_pyramids, options, labels=False)
    return propositions, build_questions(propositions, options)


def cosine(left: Proposition, right: Proposition) -> float:
    a, b = Counter(left.words), Counter(right.words)
    dot = sum(a[word] * b[word] for word in a)
    return dot / float(np.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values())))


def check_rules(propositions: list[Proposition], made: Questions, distractors: int) -> None:
    asked = [(question, answer) for question, answer, _ in made.questions]
    assert len(asked) == len(set(asked))
    for question, answer, others in made.questions:
        asked_for, right = propositions[question], propositions[answer]
        wrong = [propositions[row] for row in others]
        assert (asked_for.pyramid, asked_for.scu) == (right.pyramid, right.scu)
        assert asked_for.content != right.content
        assert len(wrong) == distractors
        assert {other.pyramid for other in wrong} == {asked_for.pyramid}
        assert len({other.scu for other in wrong} | {right.scu}) == distractors + 1
        assert len({other.folded for other in wrong} | {right.folded}) == distractors + 1
        own = {p.folded for p in propositions if (p.pyramid, p.scu) == (right.pyramid, right.scu)}
        assert not own & {other.folded for other in wrong}
        assert not {right.content, asked_for.content} & {other.content for other in wrong}


@settings(max_examples=150)
@given(pyramids(), st.sampled_from(ANCHORS), st.integers(1, 3))
def test_every_question_follows_the_rules(given_pyramids: list[Pyramid], anchor: str, distractors: int) -> None:
    rules = {"anchor": anchor, "distractors": distractors, "min_words": 1}
    propositions, made = make(given_pyramids, **rules)
    check_rules(propositions, made, distractors)
    pairs = sum(
        a.content != b.content
        for a in propositions
        for b in propositions
        if a is not b and (a.pyramid, a.scu) == (b.pyramid, b.scu)
    )
    assert len(made.questions) + made.left_out == pairs


@pytest.mark.parametrize("anchor", ["answer", "question"])
def test_distractors_are_the_nearest_allowed(sample: Corpus, anchor: str) -> None:
    propositions, made = make(sample.pyramids, anchor=anchor)
    check_rules(propositions, made, 3)
    for question, answer, others in made.questions[::50]:
        near = propositions[answer if anchor == "answer" else question]
        excluded = {propositions[row].scu for row in (*others, answer)}
        texts = {p.folded for p in propositions if (p.pyramid, p.scu) == (near.pyramid, propositions[answer].scu)}
        left = [
            cosine(near, p)
            for p in propositions
            if p.pyramid == near.pyramid
            and p.scu not in excluded
            and p.folded not in texts
            and p.content not in (propositions[answer].content, propositions[question].content)
        ]
        assert min(cosine(near, propositions[row]) for row in others) >= max(left) - 1e-9


def test_in_matched_questions_every_option_is_right_as_often_as_any(sample: Corpus) -> None:
    """Whoever does not read the question is right once in four times, for each set of options is asked about four
    times, each time with another right answer."""
    propositions, made = make(sample.pyramids, anchor="balanced")
    check_rules(propositions, made, 3)
    uses: dict[frozenset[int], Counter[int]] = {}
    for _, answer, others in made.questions:
        uses.setdefault(frozenset((answer, *others)), Counter())[answer] += 1
    for options, answers in uses.items():
        assert set(answers) == options
        assert len(set(answers.values())) == 1


def test_blind_scorers_reach_chance_on_matched_questions_only(sample: Corpus) -> None:
    rates = {}
    for anchor in ANCHORS:
        propositions, made = make(sample.pyramids, anchor=anchor)
        right = 0.0
        for _, answer, others in made.questions:
            rows = (answer, *others)
            blind = [round(sum(cosine(propositions[a], propositions[b]) for b in rows if b != a), 6) for a in rows]
            right += (blind[0] == max(blind)) / blind.count(max(blind))
        rates[anchor] = right / len(made.questions)
    assert rates["balanced"] == pytest.approx(0.25, abs=1e-12)
    assert rates["answer"] > 0.35


def test_questions_may_have_many_options() -> None:
    """The place of an answer among more than 127 options is no 8-bit number."""
    contributors = [
        Contributor((Part(f"word{number} seen again", 0, 5, letter),)) for number, letter in enumerate("ABCD" * 75)
    ]
    scus = tuple(Scu(str(uid), "", tuple(contributors[2 * uid : 2 * uid + 2])) for uid in range(len(contributors) // 2))
    pyramid = Pyramid("D0701", "D0701", (), "", (Summary("d", "A", 0, 100),), scus)
    propositions, made = make([pyramid], distractors=140)
    rows = QuestionRows(propositions, made.questions, "ranking")
    assert len(rows) == 300
    assert rows.targets.max() > 127
