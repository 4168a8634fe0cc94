"""Tables of paraphrases from pyramids: the contributors of an SCU are paraphrases of each other.

Two contributors of an SCU are paraphrases as a whole, but long texts seldom occur elsewhere. If two contributors share
enough words, the different stretches between shared words are paraphrases, too. We measured this on DUC 2007,
with each topic left out in turn. Stretches of function words match unrelated contributors more often than
paraphrases. Stretches at the ends of contributors, with digits, or from contributors that share fewer words match more
unrelated contributors, but not more paraphrases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import chain, combinations

from harness.paraphrases.tables.formats import ParaphraseEntry, Words
from harness.paraphrases.tables.reading import TableBuilder
from harness.paraphrases.tables.storage import TableArrays
from pyramid_paraphrase.errors import EmptyResultError, unknown_name
from pyramid_paraphrase.pyramids.records import Pyramid
from pyramid_paraphrase.words import FUNCTION_WORDS, split_alphanumeric

CLUSTERS = "clusters"
_LEAST_SHARED = 0.5
"""Minimum share of the words of the shorter contributor that the longer contributor contains in the same order."""


def read_clusters(
    pyramids: Sequence[Pyramid], without_topics: Collection[str] = ()
) -> tuple[TableArrays, Counter[str]]:
    """Make a table of paraphrases from the SCUs of pyramids.

    The probability of a paraphrase given a phrase is the number of SCUs with this pair, divided by the sum of these
    numbers over all paraphrases of the phrase. A pair counts once per SCU.

    Args:
        pyramids: Pyramids with SCUs.
        without_topics: Topics or ids of pyramids. All pyramids of these topics are left out.

    Returns:
        The content of the table, and the counts of `TableBuilder`.

    Raises:
        OptionError: If a topic does not exist.
        EmptyResultError: If the SCUs contain no paraphrases.
    """
    builder = TableBuilder(CLUSTERS)
    chosen = choose_pyramids(pyramids, without_topics)
    if pyramids and not chosen:
        raise EmptyResultError("--without leaves out all pyramids, so there is no SCU. Add pyramids of other topics")
    entries = list_entries(chosen)
    for entry in entries:
        builder.add(entry)
    if not entries:
        raise EmptyResultError("no SCU has two contributors with different words. Add pyramids")
    return builder.build(), builder.counts


def choose_pyramids(pyramids: Sequence[Pyramid], without_topics: Collection[str]) -> list[Pyramid]:
    """Choose the pyramids of all topics except some. D0743 and D0743-A are the same topic.

    Raises:
        OptionError: If a topic does not exist.
    """
    topics_of_pyramid = {
        pyramid.id: set(pyramid.topic.split("+")) for pyramid in pyramids
    }  # a pyramid may have several topics
    topics_by_name = {topic: {topic} for topic in chain.from_iterable(topics_of_pyramid.values())} | topics_of_pyramid
    dropped: set[str] = set()
    for name in without_topics:
        if name not in topics_by_name:
            raise unknown_name("topic", name, topics_by_name)
        dropped |= topics_by_name[name]
    return [pyramid for pyramid in pyramids if not topics_of_pyramid[pyramid.id] & dropped]


def list_entries(pyramids: Iterable[Pyramid]) -> list[ParaphraseEntry]:
    """List the pairs of paraphrases in the SCUs of pyramids, in both directions, sorted."""
    counts: Counter[tuple[Words, Words]] = Counter()
    for scu in chain.from_iterable(pyramid.scus for pyramid in pyramids):
        texts = {tuple(split_alphanumeric(contributor.text)) for contributor in scu.contributors} - {()}
        pairs: set[tuple[Words, Words]] = set()
        for first, second in combinations(sorted(texts), 2):
            pairs |= {(first, second), *align_stretches(first, second)}
        counts.update(pairs | {(second, first) for first, second in pairs})
    totals: Counter[Words] = Counter()
    for (phrase, _), count in counts.items():
        totals[phrase] += count
    return [
        ParaphraseEntry(phrase, paraphrase, count / totals[phrase])
        for (phrase, paraphrase), count in sorted(counts.items())
    ]


def align_stretches(first: Words, second: Words) -> list[tuple[Words, Words]]:
    """Align the different stretches between shared words of two texts, if the texts share enough words.

    Each stretch contains a word that is not a function word. Stretches with digits are left out, because different
    numbers are not paraphrases.
    """
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    shared = sum(end - start for kind, start, end, _, _ in blocks if kind == "equal")
    if shared < _LEAST_SHARED * min(len(first), len(second)):
        return []
    pairs = []
    for kind, first_start, first_end, second_start, second_end in blocks[1:-1]:
        if kind == "replace":
            stretches = (first[first_start:first_end], second[second_start:second_end])
            if all(map(_has_content, stretches)):
                pairs.append(stretches)
    return pairs


def _has_content(words: Words) -> bool:
    has_digit = any(map(str.isdigit, "".join(words)))
    return not has_digit and not FUNCTION_WORDS.issuperset(words)
