"""Tables of paraphrases from pyramids: what annotators put into one SCU says the same.

Two contributors of an SCU are paraphrases as a whole. Such long ones seldom occur anywhere else, so where two
contributors are much alike, the stretches in which they differ between words that they share are taken, too. Measured
by leaving one topic of DUC 2007 out after the other: stretches of function words match unrelated contributors more
often than paraphrases; those at the ends of contributors, with digits, or from contributors that share less match more
unrelated ones and no more paraphrases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations

from harness.paraphrases.tables.building import TableBuilder
from harness.paraphrases.tables.formats.entries import Entry, Words
from harness.paraphrases.tables.reading import TableReading
from harness.text.words import split_alphanumeric
from pyramid_paraphrase.errors import EmptyResultError, unknown_name
from pyramid_paraphrase.records import Pyramid, Scu
from pyramid_paraphrase.words import FUNCTION_WORDS

CLUSTERS = "clusters"
_LEAST_SHARED = 0.5
"""Part of the words of the shorter contributor that the other has in the same order."""


def read_clusters(pyramids: Sequence[Pyramid], without_topics: Collection[str] = ()) -> TableReading:
    """Make a table of pyramids.

    The probability of a paraphrase given a phrase is the share of the SCUs that give it among all that give any
    paraphrase of the phrase, an SCU counting once for each of its pairs.

    Args:
        pyramids: Where SCUs are from.
        without_topics: Topics or ids of pyramids; all pyramids of these topics are left out.

    Raises:
        OptionError: If there is no such topic.
        EmptyResultError: If no paraphrase is left.
    """
    builder = TableBuilder(CLUSTERS)
    entries = list_entries(choose_pyramids(pyramids, without_topics))
    for entry in entries:
        builder.add(entry)
    if not entries:
        raise EmptyResultError("no SCU has two contributors of different words; give more pyramids")
    return TableReading(CLUSTERS, CLUSTERS, builder.build(), len(entries), builder.left_out)


def choose_pyramids(pyramids: Sequence[Pyramid], without_topics: Collection[str]) -> list[Pyramid]:
    """The pyramids of other topics; D0743 and D0743-A are one.

    Raises:
        OptionError: If there is no such topic.
    """
    numbers = {pyramid.id: set(pyramid.topic.split("+")) for pyramid in pyramids}  # several, where it joins some
    known = {topic: {topic} for topics in numbers.values() for topic in topics} | numbers
    for name in without_topics:
        if name not in known:
            raise unknown_name("topic", name, known)
    dropped = {topic for name in without_topics for topic in known[name]}
    return [pyramid for pyramid in pyramids if not numbers[pyramid.id] & dropped]


def list_entries(pyramids: Iterable[Pyramid]) -> list[Entry]:
    """What the SCUs of pyramids give, both ways, sorted."""
    counts: Counter[tuple[Words, Words]] = Counter()
    for pyramid in pyramids:
        for scu in pyramid.scus:
            pairs = set(_pair_phrases(scu))
            counts.update(pairs | {(other, one) for one, other in pairs})
    totals: Counter[Words] = Counter()
    for (phrase, _), count in counts.items():
        totals[phrase] += count
    return [Entry(phrase, other, count / totals[phrase]) for (phrase, other), count in sorted(counts.items())]


def _pair_phrases(scu: Scu) -> Iterator[tuple[Words, Words]]:
    texts = {tuple(split_alphanumeric(contributor.text)) for contributor in scu.contributors} - {()}
    for one, other in combinations(sorted(texts), 2):
        yield one, other
        yield from align_stretches(one, other)


def align_stretches(one: Words, other: Words) -> list[tuple[Words, Words]]:
    """The stretches in which two texts differ between words that they share, if they share much.

    Both sides have a word that is no function word, and none has a digit: other numbers say other things.
    """
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    shared = sum(end - start for kind, start, end, _, _ in blocks if kind == "equal")
    if shared < _LEAST_SHARED * min(len(one), len(other)):
        return []
    inner = [(one[a:b], other[c:d]) for kind, a, b, c, d in blocks[1:-1] if kind == "replace"]
    return [pair for pair in inner if all(map(_says_something, pair))]


def _says_something(words: Words) -> bool:
    has_digit = any(letter.isdigit() for word in words for letter in word)
    return not has_digit and not FUNCTION_WORDS.issuperset(words)
