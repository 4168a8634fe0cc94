"""Pairs against the rules of the paper, spelt out by brute force."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from helpers.strategies import pyramids
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import Contributor, Part, Pyramid, Scu
from pyramid_paraphrase.rules import pairs as pairs_module
from pyramid_paraphrase.rules.options import Options
from pyramid_paraphrase.rules.pairs import (
    BUFFER_FACTOR,
    BUFFER_MINIMUM,
    WordSets,
    _hash_texts,
    _Index,
    _mix,
    _Negatives,
    build_pairs,
)
from pyramid_paraphrase.rules.propositions import Proposition, list_propositions


def brute_force(propositions: list[Proposition], options: Options) -> dict[frozenset[str], int]:
    """Labels by pair of texts, from the definition: quadratic, and without any index."""
    together = {
        frozenset((a.folded, b.folded))
        for a, b in combinations(propositions, 2)
        if (a.pyramid, a.scu) == (b.pyramid, b.scu)
    }
    labels: dict[frozenset[str], int] = {}
    for a, b in combinations(propositions, 2):
        texts, shared = frozenset((a.folded, b.folded)), len(set(a.words) & set(b.words))
        same_scu = (a.pyramid, a.scu) == (b.pyramid, b.scu)
        if a.content == b.content:
            continue
        if same_scu and (not options.match_positives or shared >= options.min_shared_words):
            labels[texts] = 1
        elif not same_scu and texts not in together and shared >= options.min_shared_words:
            allowed = a.pyramid == b.pyramid or (options.scope == "corpus" and a.topic != b.topic)
            if allowed:
                labels.setdefault(texts, 0)
    return labels


@settings(max_examples=150)
@given(pyramids(), st.sampled_from(["corpus", "pyramid"]), st.booleans(), st.booleans(), st.integers(0, 4))
def test_pairs_are_those_of_the_definition(
    given_pyramids: list[Pyramid], scope: str, match: bool, labels: bool, shared: int
) -> None:
    options = Options(scope=scope, match_positives=match, min_shared_words=shared, min_words=1, labels=labels)
    propositions = list_propositions(given_pyramids, options, labels=labels)
    indices, pair_labels = build_pairs(propositions, options)
    label_of_texts = {
        frozenset((propositions[a].folded, propositions[b].folded)): label
        for (a, b), label in zip(indices.tolist(), pair_labels.tolist(), strict=True)
    }
    assert len(label_of_texts) == len(pair_labels)
    assert label_of_texts == brute_force(propositions, options)


@settings(max_examples=60)
@given(pyramids(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(given_pyramids: list[Pyramid], rng: object) -> None:
    options = Options(min_words=1, min_shared_words=1)
    shuffled = [
        Pyramid(p.id, p.topic, p.sets, p.text, p.summaries, tuple(reversed(p.scus))) for p in reversed(given_pyramids)
    ]
    assert list_propositions(given_pyramids, options, labels=True) == list_propositions(shuffled, options, labels=True)


@settings(max_examples=60)
@given(pyramids(), st.integers(1, 3), st.integers(0, 3))
def test_sampled_negatives_are_some_of_all(given_pyramids: list[Pyramid], per_positive: int, seed: int) -> None:
    everything = Options(min_words=1, min_shared_words=1)
    propositions = list_propositions(given_pyramids, everything, labels=True)
    whole, whole_labels = build_pairs(propositions, everything)
    part, part_labels = build_pairs(
        propositions, Options(min_words=1, min_shared_words=1, negatives_per_positive=per_positive, seed=seed)
    )
    positives = int(whole_labels.sum())
    negatives = len(whole_labels) - positives
    wanted = min(negatives, per_positive * positives) if positives else negatives
    assert int((part_labels == 0).sum()) == wanted
    assert {*map(tuple, part.tolist())} <= {*map(tuple, whole.tolist())}


def test_sampling_in_many_steps_is_sampling_at_once(monkeypatch: pytest.MonkeyPatch, real: object) -> None:
    options = Options(negatives_per_positive=1)
    propositions = list_propositions(real.pyramids, options, labels=True)  # type: ignore[attr-defined]
    once, _ = build_pairs(propositions, options)
    monkeypatch.setattr("pyramid_paraphrase.rules.pairs.BUFFER_MINIMUM", 1)
    monkeypatch.setattr("pyramid_paraphrase.rules.pairs._PRODUCTS_AT_ONCE", 10_000)
    many, _ = build_pairs(propositions, options)
    assert once.tolist() == many.tolist()


def test_sampled_negatives_have_the_smallest_hashes(sample: Corpus) -> None:
    """The definition in Python's integers: SplitMix64's finalizer of the sum of both texts' hashes."""
    options = Options(min_shared_words=2, negatives_per_positive=1, seed=3)
    propositions = list_propositions(sample.pyramids, options, labels=True)
    whole, whole_labels = build_pairs(propositions, Options(min_shared_words=2))
    part, _ = build_pairs(propositions, options)

    def rank(pair: list[int]) -> int:
        digests = [hashlib.sha256(f"3:{propositions[row].folded}".encode()).digest()[:8] for row in pair]
        return finalize(sum(int.from_bytes(digest, "little") for digest in digests) % 2**64)

    count = int(whole_labels.sum())
    assert len(whole_labels) - count > 2 * count
    best = sorted(sorted(whole[count:].tolist(), key=rank)[:count])
    assert part.tolist() == whole[:count].tolist() + best


def finalize(value: int) -> int:
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB % 2**64
    return value ^ (value >> 31)


def test_the_finalizer_of_splitmix64() -> None:
    """The first numbers of Vigna's splitmix64.c from seed 0."""
    states = np.array([0x9E3779B97F4A7C15 * step % 2**64 for step in (1, 2, 3)], dtype=np.uint64)
    assert _mix(states).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def texts_of(texts: list[str]) -> list[Proposition]:
    contributors = tuple(Contributor((Part(text, row, row + 1, "A"),)) for row, text in enumerate(texts))
    scus = tuple(Scu(str(row), "", (contributor,)) for row, contributor in enumerate(contributors))
    return list_propositions([Pyramid("X1", "X1", (), "", (), scus)], Options(min_words=1), labels=False)


@pytest.mark.parametrize(
    ("wanted", "minimum", "held"),
    [
        (2, 10, [5, 10, 2, 7, 2]),  # more than 10
        (2, 1, [2, 2, 2, 2, 2]),  # more than 2 x 2
        (2, 6, [5, 2, 2, 2, 2]),
        (5, 1, [5, 10, 5, 10, 5]),  # 2 x 5 is not more
        (0, 1, [5, 10, 15, 20, 25]),
    ],
)
def test_sampling_holds_few_pairs(monkeypatch: pytest.MonkeyPatch, wanted: int, minimum: int, held: list[int]) -> None:
    """All but the best are dropped once more than twice as many as were left last, and than the minimum, are held."""
    monkeypatch.setattr(pairs_module, "BUFFER_MINIMUM", minimum)
    propositions = texts_of([f"text {number}" for number in range(50)])
    hashes = _hash_texts((proposition.folded for proposition in propositions), 0) if wanted else None
    negatives = _Negatives(_Index(propositions, "corpus"), wanted, hashes)
    seen = []
    for start in range(0, 50, 10):
        negatives.add(np.arange(start, start + 10).reshape(5, 2))
        seen.append(negatives._held)
    assert seen == held
    assert len(negatives.finish()) == (wanted or 25)


def test_the_sampling_buffer_is_small() -> None:
    """A million numbers would need 8 MB. The documented sizes are a factor of 2 and 65,536 pairs."""
    assert (BUFFER_FACTOR, BUFFER_MINIMUM) == (2, 65_536)


def copy_pyramid(number: int, topic: str, texts: list[str]) -> Pyramid:
    contributors = tuple(Contributor((Part(text, row, row + 1, "A"),)) for row, text in enumerate(texts))
    scus = tuple(Scu(str(row), "", (contributor,)) for row, contributor in enumerate(contributors))
    return Pyramid(f"X{number}", topic, (), "", (), scus)


def test_copies_of_a_pyramid_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of copies were found again and again, and dropped late: 100 copies of DUC 2007 took seven minutes."""
    texts = ["old storm hits town", "storm hits old harbour", "town council meets again", "old council meets town"]
    compared: list[int] = []
    find_overlapping = WordSets.find_overlapping

    def count(self: WordSets, groups: np.ndarray, minimum: int) -> Iterator[np.ndarray]:
        for candidates in find_overlapping(self, groups, minimum):
            compared[-1] += len(candidates)
            yield candidates

    monkeypatch.setattr(WordSets, "find_overlapping", count)
    options, pairs = Options(min_words=1, min_shared_words=2), []
    for copies in (1, 7):
        compared.append(0)
        pyramids = [copy_pyramid(number, f"X{number}", texts) for number in range(copies)]
        propositions = list_propositions(pyramids, options, labels=False)
        indices, labels = build_pairs(propositions, options)
        pairs.append((indices.tolist(), labels.tolist()))
    assert compared == [5, 5]
    assert pairs == [([[0, 1], [0, 3], [2, 3]], [0, 0, 0])] * 2


def test_a_later_copy_can_be_the_first_that_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The texts are first in two pyramids of one topic, which are never paired. A third pyramid has another topic."""
    monkeypatch.setattr(pairs_module, "_PAIRS_AT_ONCE", 1)
    options = Options(min_words=1, min_shared_words=2)
    pyramids = [
        copy_pyramid(1, "D1", ["old storm hits town", "a storm was old"]),
        copy_pyramid(2, "D1", ["storm hits old harbour", "an old storm hits land"]),
        copy_pyramid(3, "D2", ["old storm hits town"]),
    ]
    propositions = list_propositions(pyramids, options, labels=False)
    assert [proposition.pyramid for proposition in propositions] == ["X1", "X1", "X2", "X2", "X3"]
    indices, labels = build_pairs(propositions, options)
    # Within X1 and X2, and X3 with the texts of both.
    assert indices.tolist() == [[0, 1], [2, 3], [2, 4], [3, 4]]
    assert labels.tolist() == [0, 0, 0, 0]


def test_pronouns_short_texts_and_repetitions_are_left_out() -> None:
    texts = [
        "Two words",
        "They saw three birds",
        "Three birds were seen",
        "three BIRDS were seen",
        "The US saw three birds",
    ]
    contributors = tuple(Contributor((Part(text, row, row + 1, "ABCDE"[row]),)) for row, text in enumerate(texts))
    pyramid = Pyramid("D0701", "D0701", (), "", (), (Scu("1", "Birds were three", contributors),))
    kept = list_propositions([pyramid], Options(), labels=True)
    assert [(p.kind, p.summarizer, p.text) for p in kept] == [
        ("contributor", "C", "Three birds were seen"),
        ("contributor", "E", "The US saw three birds"),
        ("label", "", "Birds were three"),
    ]
    assert kept[0].collection == "duc2007-main"
    everything = list_propositions([pyramid], Options(pronouns=True, min_words=1), labels=False)
    assert [p.summarizer for p in everything] == ["A", "B", "C", "E"]
