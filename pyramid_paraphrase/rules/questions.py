"""Multiple-choice questions for the ranking test (Baumel et al. 2016, section 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, permutations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pyramid_paraphrase.rules.options import ANY, BALANCED, CONTRIBUTOR, SHARED_WORDS, Options
from pyramid_paraphrase.rules.propositions import Proposition, number_values, sha256_of

Matrix = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_SIMILARITY_STEPS = 1_000_000
"""Steps per unit of similarity. Similarities are compared as integers, so that ties do not depend on rounding."""

_PAIRS_PER_BLOCK = 4096
"""Pairs of questions that are examined in one array operation."""


def build_questions(
    propositions: Sequence[Proposition], options: Options
) -> tuple[list[tuple[int, int, tuple[int, ...]]], int]:
    """Make all questions that the rules allow.

    Question and answer are an ordered pair of propositions of one SCU whose content words differ. Distractors come from
    other SCUs of the same pyramid, by default at most one from each SCU (``options.distractors_per_scu``). No option
    occurs twice. The text of a distractor does not occur in the question's SCU or in a related SCU, and its content
    words differ from the content words of question and answer.

    By default, questions are contributors. ``options.asker`` can make labels questions, but labels are never options.
    Distractors are the contributors most similar to the anchor, which is the answer or the question
    (``options.anchor``). With the anchor "balanced", questions form groups that share their options. See `_deal`.

    Args:
        propositions: Contributors, and labels if they are questions, in their canonical order.
        options: The rules.

    Returns:
        The questions in the order of pyramids, and the number of questions that have too few distractors. A question is
        the indices of three kinds of propositions: the question itself, its answer, and its distractors.
    """
    questions: list[tuple[int, int, tuple[int, ...]]] = []
    asked = 0
    for _, group in groupby(range(len(propositions)), key=lambda row: propositions[row].pyramid):
        rows = list(group)
        index = _PyramidIndex([propositions[row] for row in rows], options.asker)
        asked += len(index.asked)
        is_balanced = options.anchor == BALANCED
        local_questions = _deal(index, options.distractors + 1) if is_balanced else _pick(index, options)
        for question, answer, distractors in local_questions:
            questions.append((rows[question], rows[answer], tuple(rows[row] for row in distractors)))
    return questions, asked - len(questions)


class _PyramidIndex:
    """The propositions of one pyramid as arrays.

    Attributes:
        texts: Numbers of the texts, equal for texts equal up to case.
        contents: Numbers of the sets of content words.
        scus: Numbers of the SCUs.
        is_contributor: Whether each proposition is a contributor. Otherwise it is a label.
        counts: Word counts, shape (propositions, words). The matrix is sparse, because a dense product of this size
            takes several times as long, and keeps all cores busy.
        dots: Dot products of the word counts of all propositions.
        squares: Squared lengths of the word counts.
        asked: Pairs of question and answer.
    """

    def __init__(self, propositions: list[Proposition], asker: str) -> None:
        self.propositions = propositions
        self.is_contributor = np.array([proposition.kind == CONTRIBUTOR for proposition in propositions])
        self.texts = number_values(proposition.folded for proposition in propositions)
        self.contents = number_values(proposition.content for proposition in propositions)
        self.scus = number_values(proposition.scu for proposition in propositions)
        self.counts = _count_words(propositions)
        # Counts are small integers, so these products are exact on every machine.
        self.dots: Matrix = (self.counts @ self.counts.T).toarray()
        self.squares = np.diag(self.dots)
        asks = [asker in (ANY, proposition.kind) for proposition in propositions]
        self.asked: list[tuple[int, int]] = []
        for _, group in groupby(range(len(propositions)), key=lambda row: propositions[row].scu):
            for question, answer in permutations(group, 2):
                is_allowed = asks[question] and self.is_contributor[answer]
                if is_allowed and self.contents[question] != self.contents[answer]:
                    self.asked.append((question, answer))

    def texts_within_scus(self) -> npt.NDArray[np.bool_]:
        """Return a matrix: whether a text (column) occurs in an SCU (row) or in a related SCU."""
        within = np.zeros((len(self.propositions), len(self.propositions)), dtype=bool)
        within[self.scus, self.texts] = True
        occurring = within.copy()
        related = {proposition.scu: proposition.related for proposition in self.propositions}
        numbers = {proposition.scu: number for proposition, number in zip(self.propositions, self.scus, strict=True)}
        for scu, uids in related.items():
            for uid in uids & numbers.keys():
                within[numbers[scu]] |= occurring[numbers[uid]]
        return within


def _count_words(propositions: list[Proposition]) -> sp.csr_matrix:
    vocabulary: dict[str, int] = {}
    words = [vocabulary.setdefault(word, len(vocabulary)) for proposition in propositions for word in proposition.words]
    rows = np.repeat(np.arange(len(propositions)), [len(proposition.words) for proposition in propositions])
    return sp.csr_matrix((np.ones(len(words)), (rows, words)), shape=(len(propositions), len(vocabulary)))


def _pick(index: _PyramidIndex, options: Options) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Give each question the distractors most similar to its anchor."""
    order = _order_ties(index, options.similarity)
    similarities = _compare_words(index, options.similarity)[:, order]
    scus, texts, contents = (values[order] for values in (index.scus, index.texts, index.contents))
    is_contributor = index.is_contributor[order]
    within = index.texts_within_scus()
    for question, answer in index.asked:
        anchor = answer if options.anchor == "answer" else question
        allowed = is_contributor & ~within[index.scus[question], texts]
        allowed &= (contents != index.contents[question]) & (contents != index.contents[answer])
        similarity = np.where(allowed, similarities[anchor], -1)
        chosen: list[int] = []
        while len(chosen) < options.distractors:
            nearest = np.argmax(similarity)
            if similarity[nearest] < 0:
                break
            chosen.append(int(order[nearest]))
            similarity[texts == texts[nearest]] = -1
            scu = scus[nearest]
            if np.count_nonzero(index.scus[chosen] == scu) == options.distractors_per_scu:
                similarity[scus == scu] = -1
        else:
            yield question, answer, tuple(chosen)


def _order_ties(index: _PyramidIndex, similarity: str) -> Indices:
    """Return the order of propositions that breaks ties: of equally similar propositions, the first is chosen.

    For cosines, this is the order of `Proposition.tie_break`. For shared words, it is the reverse alphabetical order of
    the words. The distractors of figure 3 in Baumel et al. (2016) are in this order. Among all texts that share as many
    words with the question as the third distractor, this distractor is the last in alphabetical order.
    """
    propositions = index.propositions
    order = sorted(range(len(propositions)), key=lambda row: propositions[row].tie_break)
    if similarity == SHARED_WORDS:
        order.sort(key=lambda row: propositions[row].words, reverse=True)
    return np.array(order, dtype=np.int64)


def _compare_words(index: _PyramidIndex, similarity: str) -> Matrix:
    """Return a matrix that orders the propositions (columns) by their similarity to each anchor (row)."""
    if similarity == SHARED_WORDS:
        has_word = index.counts.sign()
        shared: Matrix = (has_word @ has_word.T).toarray()
        return shared
    # For one anchor, dot² / |proposition|² has the same order as the cosine, and equal cosines give equal numbers.
    return index.dots**2 / index.squares


def _deal(index: _PyramidIndex, size: int) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Divide the questions of a pyramid into groups. The answers of a group are the options of all its questions.

    Every option is correct once and wrong ``size - 1`` times. A model that ignores the question therefore has a success
    rate of 1 / ``size``, whatever it knows about the options.

    The confusability of two questions is the sum of two cosines of word counts: of the first question and the second
    answer, and of the second question and the first answer. A greedy algorithm makes the groups: the two most
    confusable free questions start a group, and then the free question that is most confusable with the group joins it
    until the group is full.
    """
    asked = sorted(index.asked, key=lambda pair: sha256_of(*(index.propositions[row].tie_break for row in pair)))
    if not asked:
        return
    confusable, compatible = _compare(index, np.array(asked))
    free = np.ones(len(asked), dtype=bool)
    for first, second in _list_open_pairs(_order_pairs(confusable, compatible), free):
        group = _fill([first, second], size, confusable, compatible, free)
        if len(group) < size:
            free[first] = False
            continue
        free[group] = False
        answers = [asked[member][1] for member in group]
        for member in group:
            question, answer = asked[member]
            yield question, answer, tuple(row for row in answers if row != answer)


def _order_pairs(confusable: Indices, compatible: npt.NDArray[np.bool_]) -> Indices:
    """Sort the pairs of compatible questions, the most confusable first. Ties are in the order of positions.

    Returns:
        Positions in the flattened matrix, above its diagonal.
    """
    positions = np.flatnonzero(np.triu(compatible))
    keys = positions - confusable.ravel()[positions] * confusable.size
    keys.sort()
    return keys % confusable.size


def _list_open_pairs(order: Indices, free: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Yield the pairs in which both questions are free. The caller changes ``free`` between two pairs."""
    for start in range(0, len(order), _PAIRS_PER_BLOCK):
        first, second = np.divmod(order[start : start + _PAIRS_PER_BLOCK], len(free))
        is_open = free[first] & free[second]
        for pair in zip(first[is_open].tolist(), second[is_open].tolist(), strict=True):
            if free[pair[0]] and free[pair[1]]:
                yield pair


def _fill(
    group: list[int], size: int, confusable: Indices, compatible: npt.NDArray[np.bool_], free: npt.NDArray[np.bool_]
) -> list[int]:
    """Add the free question most confusable with a group until the group is full or no question is compatible."""
    while len(group) < size:
        joinable = compatible[group].all(axis=0) & free
        together = np.where(joinable, confusable[group].sum(axis=0), -1)
        best = int(np.argmax(together))
        if together[best] < 0:
            break
        group.append(best)
    return group


def _compare(index: _PyramidIndex, asked: Indices) -> tuple[Indices, npt.NDArray[np.bool_]]:
    """Compare all pairs of questions.

    Returns:
        Confusability of each pair in steps, and whether the answer of each question may be an option of the other.
    """
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
