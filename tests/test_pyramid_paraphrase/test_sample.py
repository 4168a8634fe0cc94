"""The sample corpus: annotated without a slip, and as varied as the real thing."""

from __future__ import annotations

from collections import Counter

from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.words import content_words, split_words


def test_offsets_are_right_and_nothing_needs_repair(sample: Corpus) -> None:
    assert sample.problems == ()
    parts = 0
    for pyramid in sample.pyramids:
        for scu in pyramid.scus:
            for contributor in scu.contributors:
                for part in contributor.parts:
                    assert pyramid.text[part.start : part.end] == part.text
                    assert part.summarizer in "ABCD"
                    parts += 1
    assert parts == 543


def test_size(sample: Corpus) -> None:
    assert len(sample.pyramids) == 8
    assert Counter(annotation.pyramid.id for annotation in sample.annotations) == {p.id: 2 for p in sample.pyramids}
    for pyramid in sample.pyramids:
        assert [summary.summarizer for summary in pyramid.summaries] == list("ABCD")
        for summary in pyramid.summaries:
            assert 85 <= len(pyramid.text[summary.start : summary.end].split()) <= 125


def test_weights_are_those_of_the_summaries(sample: Corpus) -> None:
    weights: Counter[int] = Counter()
    for pyramid in sample.pyramids:
        for scu in pyramid.scus:
            summarizers = [contributor.summarizers for contributor in scu.contributors]
            assert all(len(own) == 1 for own in summarizers)
            assert scu.weight == len(scu.contributors) == len(set(summarizers))
            weights[scu.weight] += 1
    assert sorted(weights) == [1, 2, 3, 4]
    assert min(weights.values()) >= 20


def test_peers_weigh_as_their_labels_say(sample: Corpus) -> None:
    assert sum(len(annotation.scus) for annotation in sample.annotations) == 154
    for annotation in sample.annotations:
        weights = {scu.uid: scu.weight for scu in annotation.pyramid.scus}
        assert all(scu.weight == weights[scu.uid] for scu in annotation.scus if scu.uid != "0")


def test_there_is_something_to_learn(sample: Corpus) -> None:
    """Paraphrases that share few words, near-misses that share many, contributors of several parts."""
    distant, near_misses, several_parts = 0, 0, 0
    for pyramid in sample.pyramids:
        texts = [
            (scu.uid, contributor.text, content_words(split_words(contributor.text)))
            for scu in pyramid.scus
            for contributor in scu.contributors
        ]
        several_parts += sum(len(c.parts) > 1 for scu in pyramid.scus for c in scu.contributors)
        for number, (uid, _, words) in enumerate(texts):
            for other_uid, _, other_words in texts[:number]:
                shared = len(words & other_words) / min(len(words), len(other_words))
                distant += uid == other_uid and shared <= 0.25
                near_misses += uid != other_uid and shared >= 0.5
    assert distant >= 50
    assert near_misses >= 50
    assert several_parts >= 50
