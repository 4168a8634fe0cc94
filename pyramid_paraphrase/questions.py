"""Multiple-choice questions for the ranking test (Baumel et al. 2016, section 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, permutations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyramid_paraphrase.options import Options
from pyramid_paraphrase.propositions import Proposition, sha256_of

Matrix = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_SIMILARITY_STEPS = 1_000_000
"""Similarities are compared as whole millionths, so that ties do not depend on rounding."""


class Question(NamedTuple):
    """A question, its answer and its distractors, as indices of a list of propositions."""

    question: int
    answer: int
    distractors: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Questions:
    """All questions of a corpus, and how many were left out for want of distractors."""

    questions: tuple[Question, ...]
    left_out: int


def build_questions(propositions: Sequence[Proposition], options: Options) -> Questions:
    """Make all questions that the rules allow.

    Question and answer are an ordered pair of propositions of one SCU whose content words differ. Distractors come from
    other SCUs of the same pyramid, at most one from each, no text twice, none whose text is in the question's SCU or
    whose content words are those of question or answer.

    By default they are those most similar to the answer, or to the question if ``options.anchor`` says so (cosine of
    word counts). With "balanced", questions are dealt into groups that share their options: see `_deal`.

    Args:
        propositions: Contributors in their canonical order.
        options: The rules.

    Returns:
        The questions, by pyramid.
    """
    questions: list[Question] = []
    asked = 0
    for _, group in groupby(range(len(propositions)), key=lambda row: propositions[row].pyramid):
        rows = list(group)
        index = _PyramidIndex([propositions[row] for row in rows])
        asked += len(index.asked)
        made = _deal(index, options.distractors + 1) if options.anchor == "balanced" else _pick(index, options)
        questions += [
            Question(rows[question], rows[answer], tuple(rows[row] for row in distractors))
            for question, answer, distractors in made
        ]
    return Questions(tuple(questions), asked - len(questions))


class _PyramidIndex:
    """The propositions of one pyramid: how similar they are, and which pairs of them are asked."""

    def __init__(self, propositions: list[Proposition]) -> None:
        self.propositions = propositions
        self.texts = _number([p.folded for p in propositions])
        self.contents = _number([p.content for p in propositions])
        self.scus = _number([p.scu for p in propositions])
        counts = _count_words(propositions)
        # Counts are small integers: these products are exact on any machine.
        self.dots = counts @ counts.T
        self.squares = np.diag(self.dots)
        self.asked = [
            pair
            for _, group in groupby(range(len(propositions)), key=lambda row: propositions[row].scu)
            for pair in permutations(group, 2)
            if self.contents[pair[0]] != self.contents[pair[1]]
        ]

    def texts_within_scus(self) -> npt.NDArray[np.bool_]:
        """Whether a text (column) occurs in an SCU (row)."""
        within = np.zeros((len(self.propositions), len(self.propositions)), dtype=bool)
        within[self.scus, self.texts] = True
        return within


def _number(values: Sequence[object]) -> Indices:
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)


def _count_words(propositions: list[Proposition]) -> Matrix:
    vocabulary: dict[str, int] = {}
    cells = [
        (row, vocabulary.setdefault(word, len(vocabulary)))
        for row, proposition in enumerate(propositions)
        for word in proposition.words
    ]
    counts = np.zeros((len(propositions), len(vocabulary)))
    np.add.at(counts, tuple(np.array(cells, dtype=np.int64).reshape(-1, 2).T), 1)
    return counts


def _pick(index: _PyramidIndex, options: Options) -> Iterator[Question]:
    """Give each question the distractors most similar to its anchor."""
    # For one anchor, dot² / |other|² orders as the cosine does, and equal cosines are equal numbers.
    similarity = index.dots**2 / index.squares
    ties = np.argsort(np.argsort([p.tie_break for p in index.propositions]))
    nearest = [np.lexsort((ties, -row)).tolist() for row in similarity]
    traits = list(zip(index.scus.tolist(), index.texts.tolist(), index.contents.tolist(), strict=True))
    texts_of: dict[int, set[int]] = {}
    for scu, text, _ in traits:
        texts_of.setdefault(scu, set()).add(text)
    for question, answer in index.asked:
        anchor = answer if options.anchor == "answer" else question
        scus, contents = {traits[question][0]}, {traits[question][2], traits[answer][2]}
        texts = set(texts_of[traits[question][0]])
        chosen: list[int] = []
        for row in nearest[anchor]:
            scu, text, content = traits[row]
            if scu in scus or text in texts or content in contents:
                continue
            chosen.append(row)
            scus.add(scu)
            texts.add(text)
            if len(chosen) == options.distractors:
                yield Question(question, answer, tuple(chosen))
                break


def _deal(index: _PyramidIndex, size: int) -> Iterator[Question]:
    """Deal the questions of a pyramid into groups whose answers are the options of each question of the group.

    Every option is then right once and wrong ``size - 1`` times, so whoever does not read the question is right once in
    ``size`` times, whatever they know of the options. Two questions are the more confusable the more similar each one's
    question is to the other one's answer (sum of two cosines of word counts). The most confusable two of the questions
    left open a group; the one most confusable with those in it joins until it is full.
    """
    asked = sorted(index.asked, key=lambda pair: sha256_of(*(index.propositions[row].tie_break for row in pair)))
    if not asked:
        return
    confusable, compatible = _compare(index, np.array(asked))
    free = np.ones(len(asked), dtype=bool)
    while free.sum() >= size:
        open_pairs = np.where(compatible & free & free[:, None], confusable, -1)
        first, second = np.unravel_index(np.argmax(open_pairs), open_pairs.shape)
        if open_pairs[first, second] < 0:
            break
        group = _fill([int(first), int(second)], size, confusable, compatible & free)
        if len(group) < size:
            free[first] = False
            continue
        free[group] = False
        answers = [asked[member][1] for member in group]
        for member in group:
            question, answer = asked[member]
            yield Question(question, answer, tuple(row for row in answers if row != answer))


def _fill(group: list[int], size: int, confusable: Indices, joinable: npt.NDArray[np.bool_]) -> list[int]:
    while len(group) < size:
        together = np.where(joinable[group].all(axis=0), confusable[group].sum(axis=0), -1)
        best = int(np.argmax(together))
        if together[best] < 0:
            break
        group.append(best)
    return group


def _compare(index: _PyramidIndex, asked: Indices) -> tuple[Indices, npt.NDArray[np.bool_]]:
    """How confusable any two questions are, in millionths, and whether their answers may be options of each other."""
    questions, answers = asked.T
    cosine = index.dots / np.sqrt(index.squares * index.squares[:, None])
    steps = np.rint(cosine * _SIMILARITY_STEPS).astype(np.int64)
    across = steps[np.ix_(questions, answers)]
    scus, contents = index.scus[questions], index.contents
    conflict = index.texts_within_scus()[np.ix_(scus, index.texts[answers])]
    conflict |= contents[answers] == contents[answers][:, None]
    conflict |= contents[answers] == contents[questions][:, None]
    compatible = (scus != scus[:, None]) & ~conflict & ~conflict.T
    return across + across.T, compatible
