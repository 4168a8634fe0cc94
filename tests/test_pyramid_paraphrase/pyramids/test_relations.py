"""Relations between SCUs: merged SCUs, and SCUs that must not form negatives."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import (
    CONTRADICTS,
    ENTAILS,
    OVERLAPS,
    Contributor,
    Part,
    Pyramid,
    Relation,
    Scu,
    list_contradicting,
    list_related,
    merge_entailed,
    merge_mutual,
)
from pyramid_paraphrase.rules.options import Options
from pyramid_paraphrase.rules.pairs import build_pairs
from pyramid_paraphrase.rules.propositions import Proposition, list_propositions
from pyramid_paraphrase.rules.questions import build_questions

VERBS = ("sank", "froze", "burned", "opened", "closed", "moved", "grew", "fell")


def make_pyramid(count: int, *relations: Relation) -> Pyramid:
    """Make a pyramid of SCUs "1", "2", ... with one contributor each, alternately by A and B. All share some words."""
    scus = []
    for number in range(1, count + 1):
        summarizer = "AB"[number % 2]
        text = f"the old harbour of Tarn {VERBS[number % len(VERBS)]} {number}"
        scus.append(Scu(str(number), "", (Contributor((Part(text, 0, len(text), summarizer),)),)))
    return Pyramid("propsegment:1", "propsegment:1", (), "", (), tuple(scus), relations)


def entails(premise: int, hypothesis: int, *, agreed: bool = True) -> Relation:
    return Relation(ENTAILS, str(premise), str(hypothesis), agreed)


def list_groups(pyramid: Pyramid) -> list[tuple[str, int]]:
    return [(scu.uid, len(scu.contributors)) for scu in pyramid.scus]


def test_mutual_entailment_merges() -> None:
    pyramid = make_pyramid(4, entails(1, 3), entails(3, 1), entails(2, 4))
    merged = merge_mutual(pyramid)
    assert list_groups(merged) == [("1", 2), ("2", 1), ("4", 1)]
    assert merged.relations == (entails(2, 4),)


def test_contradictions_are_of_both_scus_and_may_be_the_opinion_of_a_few() -> None:
    pyramid = make_pyramid(
        4, Relation(CONTRADICTS, "3", "1", False), Relation(CONTRADICTS, "4", "1", True), entails(1, 2)
    )
    expected = {"1": {"3", "4"}, "3": {"1"}, "4": {"1"}}
    assert list_contradicting(pyramid) == expected
    assert list_related(pyramid) == {"1": {"2"}, "2": {"1"}}
    propositions = list_propositions([pyramid], Options(), labels=False)
    assert {row.scu: row.contradicting for row in propositions if row.contradicting} == expected


def test_a_direction_that_most_people_deny_does_not_count() -> None:
    pyramid = make_pyramid(2, entails(1, 2), entails(2, 1, agreed=False))
    assert list_groups(merge_mutual(pyramid)) == [("1", 1), ("2", 1)]


def test_either_direction_merges_if_asked() -> None:
    pyramid = make_pyramid(4, entails(4, 2), entails(3, 1, agreed=False))
    assert list_groups(merge_entailed(pyramid)) == [("1", 1), ("2", 2), ("3", 1)]


def test_merging_is_transitive_and_relations_follow() -> None:
    mutual = (entails(1, 2), entails(2, 1), entails(2, 3), entails(3, 2))
    contradiction = Relation(CONTRADICTS, "3", "4", True)
    merged = merge_mutual(make_pyramid(4, *mutual, contradiction, entails(1, 4), entails(3, 4)))
    assert list_groups(merged) == [("1", 3), ("4", 1)]
    assert merged.relations == (Relation(CONTRADICTS, "1", "4", True), entails(1, 4))


def test_contradictions_and_overlaps_merge_nothing() -> None:
    relations = [Relation(kind, *uids, True) for kind in (CONTRADICTS, OVERLAPS) for uids in (("1", "2"), ("2", "1"))]
    assert list_groups(merge_entailed(make_pyramid(2, *relations))) == [("1", 1), ("2", 1)]


def test_related_scus_are_listed_both_ways_without_contradictions() -> None:
    further = (Relation(OVERLAPS, "2", "3", False), Relation(CONTRADICTS, "1", "4", True))
    assert list_related(make_pyramid(4, entails(1, 2, agreed=False), *further)) == {
        "1": frozenset({"2"}),
        "2": frozenset({"1", "3"}),
        "3": frozenset({"2"}),
    }


def test_a_merged_scu_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_PAIRS", 1)
    with pytest.raises(
        LimitError, match=mentions("propsegment:1 ... 2,500 contributors ... 1 pairs ... SCUs ... remove")
    ):
        merge_entailed(make_pyramid(2, entails(1, 2)))


uids = st.integers(1, 8).map(str)
kinds = st.sampled_from([ENTAILS, CONTRADICTS, OVERLAPS])
relations_of = st.lists(st.builds(Relation, kinds, uids, uids, st.booleans()), max_size=12)


PAIRED = [entails(first, second) for odd in range(1, 12, 2) for first, second in ((odd, odd + 1), (odd + 1, odd))]
"""Relations that merge twelve SCUs into six, so that each proposition can be asked about."""


@pytest.mark.parametrize("anchor", ["answer", "balanced"])
def test_unrelated_propositions_have_questions(anchor: str) -> None:
    """With fewer propositions there was no balanced question, which the next test did not notice."""
    pyramid = merge_mutual(make_pyramid(12, *PAIRED))
    propositions = list_propositions([pyramid], Options(), labels=False)
    questions, _ = build_questions(propositions, Options(anchor=anchor))
    assert len(questions) == 12


@given(relations_of)
def test_related_propositions_are_no_negatives_and_no_distractors(relations: list[Relation]) -> None:
    """Exactly the negatives across related SCUs are missing, and no question opposes related SCUs."""
    pyramid = merge_mutual(make_pyramid(12, *relations, *PAIRED))
    related = list_related(pyramid)
    options = Options()
    propositions = list_propositions([pyramid], options, labels=False)
    unrelated = list_propositions([replace(pyramid, relations=())], options, labels=False)

    def list_negatives(chosen: list[Proposition]) -> set[tuple[str, str]]:
        pairs, labels = build_pairs(chosen, options)
        negatives = pairs[labels == 0]
        return {(chosen[first].scu, chosen[second].scu) for first, second in negatives}

    allowed = {pair for pair in list_negatives(unrelated) if pair[1] not in related.get(pair[0], ())}
    assert list_negatives(propositions) == allowed
    for anchor in ("answer", "balanced"):
        questions, _ = build_questions(propositions, Options(anchor=anchor))
        for question, _, distractors in questions:
            opposed = {propositions[distractor].scu for distractor in distractors}
            assert not opposed & related.get(propositions[question].scu, frozenset())


def test_positives_are_in_the_order_of_their_indices() -> None:
    pyramid = merge_entailed(make_pyramid(4, entails(1, 2), entails(2, 3), entails(3, 4)))
    pairs, _ = build_pairs(list_propositions([pyramid], Options(), labels=False), Options())
    assert pairs.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]


def test_options_decide_which_entailments_count() -> None:
    """Two of eight SCUs entail each other, two others only in one direction."""
    pyramid = merge_mutual(make_pyramid(8, entails(1, 2), entails(2, 1), entails(3, 4)))
    corpus = Corpus((pyramid,))
    mutual = build_test(corpus, "ranking")
    either = build_test(corpus, "ranking", {"entailment": "either"})
    assert (mutual.counts["questions"], either.counts["questions"]) == (2, 4)
    assert (mutual.rules["entailment"], either.rules["entailment"]) == ("mutual", "either")
    assert mutual.fingerprint != either.fingerprint


def test_entailment_is_no_rule_of_pyramids_without_relations() -> None:
    """Results on them do not name it, so that they compare with results of earlier releases."""
    pyramid = replace(merge_mutual(make_pyramid(8, entails(1, 2), entails(2, 1))), relations=())
    built = build_test(Corpus((pyramid,)), "ranking")
    assert "entailment" not in built.rules
    assert "relations" not in built.counts
