"""Propositions: the texts of contributors and labels that tests are made from, with their contexts.

The context of a contributor is the sentences around it, in which annotators read it.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from pyramid_paraphrase.catalog import find_collection
from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.records import Contributor, Pyramid, list_contradicting, list_related
from pyramid_paraphrase.rules.options import CONTRIBUTOR, LABEL, UNIT, Options
from pyramid_paraphrase.sentences import locate_sentences
from pyramid_paraphrase.words import compose, content_words, list_pronoun_kinds, normalize_word, split_words


@dataclass(frozen=True, slots=True)
class Proposition:
    """One text with its provenance.

    Attributes:
        pyramid: Id of the pyramid.
        scu: Uid of the SCU.
        kind: "contributor", "label" or, with the option ``units``, "unit" (a discourse unit that has the meaning of the
            SCU).
        summarizer: Letter of the model summary. If parts lie in several summaries, their letters joined by "+". "" for
            a label. For a unit, the author of its text, who can be a peer.
        text: The proposition.
        topic: Topic number of the pyramid.
        collection: Name of the pyramid's collection.
        words: Its normalized words, in order.
        content: Its distinct content words, sorted.
        weight: Weight of the SCU, the number of model summaries that contribute (Nenkova and Passonneau 2004).
        parts: Number of parts of the contributor, or 0 for a label or a unit, which is not in the text.
        context: The sentences around the contributor, if ``options.context`` is set, otherwise "". See `Contexts`.
        related: Uids of the SCUs that must not form negatives with this SCU. See `records.list_related`.
        contradicting: Uids of the SCUs that contradict this SCU. See `records.list_contradicting`.
    """

    pyramid: str
    scu: str
    kind: str
    summarizer: str
    text: str
    topic: str
    collection: str
    words: tuple[str, ...]
    content: tuple[str, ...]
    weight: int
    parts: int
    context: str
    related: frozenset[str] = frozenset()
    contradicting: frozenset[str] = frozenset()

    @property
    def folded(self) -> str:
        """The text in lower case and in normal form C, for comparisons."""
        return compose(self.text).lower()

    @property
    def tie_break(self) -> str:
        """The SHA-256 of the first five attributes, which determines orders and breaks ties in the tests."""
        return sha256_of(self.pyramid, self.scu, self.kind, self.summarizer, self.text)


_CANONICAL_ORDER = attrgetter("scu", "kind", "summarizer", "text", "parts", "context")


DIGEST_SEPARATOR = "\x1f"
"""A character that XML does not allow, between the texts of a digest."""


def digest_of(*fields: str) -> bytes:
    """Return the SHA-256 digest of some texts, joined by `DIGEST_SEPARATOR`."""
    return hashlib.sha256(DIGEST_SEPARATOR.join(fields).encode()).digest()


def sha256_of(*fields: str) -> str:
    """Return the digest of some texts as hexadecimal digits."""
    return digest_of(*fields).hex()


@lru_cache(maxsize=1 << 19)
def analyse_text(text: str) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
    """Find the words of a text. Cached, because every test needs them.

    Returns:
        The normalized words in order, the distinct content words in alphabetical order, and the kinds of the pronouns
        among the words.
    """
    words = split_words(text)
    # A set would take five times the memory.
    content = tuple(sorted(content_words(words)))
    return tuple(map(normalize_word, words)), content, _unite(frozenset(map(list_pronoun_kinds, words)))


@lru_cache
def _unite(kinds: frozenset[frozenset[str]]) -> frozenset[str]:
    """Unite the kinds of pronouns of a text's words. Texts share the results, since each set takes 216 bytes."""
    return frozenset[str]().union(*kinds)


def list_propositions(pyramids: Iterable[Pyramid], options: Options, *, labels: bool) -> list[Proposition]:
    """List the eligible propositions of some pyramids.

    A text is eligible if it has at least ``options.min_words`` words and, unless ``options.pronouns``, no pronoun of
    ``options.pronoun_kinds`` (Baumel et al. 2016, section 3). If texts of one SCU are equal up to case, only the first
    in the order below is kept. If only labels ask questions, a label is also kept if a contributor has the same text.

    Args:
        pyramids: The pyramids, in any order.
        options: The rules.
        labels: Whether SCU labels are also propositions.

    Returns:
        The propositions in the order of (pyramid, SCU uid, kind, summarizer, text).

    Raises:
        LimitError: If contexts are larger than `limits` allows.
    """
    eligible = _list_eligible(sorted(pyramids, key=attrgetter("id")), options, labels=labels)
    propositions: list[Proposition] = []
    # One pyramid at a time, so that only the keys of its propositions are in memory.
    for _, members in groupby(eligible, key=attrgetter("pyramid")):
        kept: dict[tuple[str, str, str], Proposition] = {}
        for proposition in sorted(members, key=_CANONICAL_ORDER):
            role = proposition.kind if options.asker == LABEL else ""
            kept.setdefault((proposition.scu, role, proposition.folded), proposition)
        propositions += kept.values()
    return propositions


def link_propositions(
    propositions: Sequence[Proposition], list_uids: Callable[[Proposition], frozenset[str]]
) -> list[tuple[int, int]]:
    """List the pairs of propositions whose SCUs are related.

    Args:
        propositions: The propositions.
        list_uids: Returns the uids of the SCUs that are related to the SCU of a proposition.

    Returns:
        Ordered pairs of indices.
    """
    related = [(number, proposition) for number, proposition in enumerate(propositions) if list_uids(proposition)]
    members: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number, proposition in enumerate(propositions if related else ()):
        members[proposition.pyramid, proposition.scu].append(number)
    pairs: list[tuple[int, int]] = []
    for number, proposition in related:
        for uid in list_uids(proposition):
            pairs += [(number, partner) for partner in members.get((proposition.pyramid, uid), ())]
    return pairs


def _list_eligible(pyramids: Iterable[Pyramid], options: Options, *, labels: bool) -> Iterator[Proposition]:
    size = 0
    for pyramid in pyramids:
        contexts = Contexts(pyramid) if options.context else None
        related, contradicting = list_related(pyramid), list_contradicting(pyramid)
        for scu in pyramid.scus:
            partners = related.get(scu.uid, frozenset()), contradicting.get(scu.uid, frozenset())
            make = partial(_make_proposition, pyramid, scu.uid, scu.weight, partners)
            for contributor in scu.contributors:
                context = contexts.of_contributor(contributor) if contexts else ""
                size += len(context.encode())
                require_bounded_contexts(size, pyramid.id)
                summarizer, parts = "+".join(contributor.summarizers), len(contributor.parts)
                text = contributor.text
                if is_eligible(text, options):
                    yield make(text, CONTRIBUTOR, summarizer, parts, context)
            if labels and is_eligible(scu.label, options):
                yield make(scu.label, LABEL)
            for unit in scu.units if options.units else ():
                if is_eligible(unit.text, options):
                    yield make(unit.text, UNIT, unit.summarizer)


def _make_proposition(
    pyramid: Pyramid,
    scu: str,
    weight: int,
    partners: tuple[frozenset[str], frozenset[str]],
    text: str,
    kind: str,
    summarizer: str = "",
    parts: int = 0,
    context: str = "",
) -> Proposition:
    """Make a proposition. Only a contributor has parts and a context, and a label has no summarizer."""
    words, content, _ = analyse_text(text)
    collection = find_collection(pyramid.id).name
    return Proposition(
        pyramid.id, scu, kind, summarizer, text, pyramid.topic, collection, words, content, weight, parts,
        context, *partners,
    )  # fmt: skip


def is_eligible(text: str, options: Options) -> bool:
    """Return whether a text has enough words and, unless the options accept it, no pronoun."""
    words, _, pronouns = analyse_text(text)
    return len(words) >= options.min_words and not has_excluded_pronoun(pronouns, options)


def has_excluded_pronoun(pronouns: frozenset[str], options: Options) -> bool:
    """Return whether a text with these kinds of pronouns is not eligible because of them."""
    return not options.pronouns and not pronouns.isdisjoint(options.excluded_pronouns)


GAP = " [...] "
"""Separator between sentences of a context that are not adjacent in the summary."""


class Contexts:
    """The contexts of the contributors of a pyramid.

    Args:
        pyramid: The pyramid.
    """

    def __init__(self, pyramid: Pyramid) -> None:
        self._text = pyramid.text
        sentences: list[tuple[int, int, int]] = []
        for number, summary in enumerate(pyramid.summaries):
            for start, end in locate_sentences(pyramid.text[summary.start : summary.end]):
                sentences.append((summary.start + start, summary.start + end, number))
        sentences.sort()
        self._starts = [start for start, _, _ in sentences]
        self._ends = [end for _, end, _ in sentences]
        self._summaries = [summary for _, _, summary in sentences]

    def of_contributor(self, contributor: Contributor) -> str:
        """Return the sentences that contain the parts of a contributor, with the sentences before and after each.

        Args:
            contributor: A contributor of the pyramid.

        Returns:
            The sentences of its summaries in the order of the text, with one space between words, and with `GAP` where
            sentences are left out. "" if all parts are outside of summaries.
        """
        numbers: set[int] = set()
        for part in contributor.parts:
            first, after = bisect_right(self._ends, part.start), bisect_left(self._starts, part.end)
            for number in range(first, after):
                neighbours = range(max(0, number - 1), min(number + 2, len(self._summaries)))
                numbers.update(place for place in neighbours if self._summaries[place] == self._summaries[number])
        context, previous = "", None
        for number in sorted(numbers):
            if previous is not None:
                is_adjacent = previous == number - 1 and self._summaries[previous] == self._summaries[number]
                context += " " if is_adjacent else GAP
            context += " ".join(self._text[self._starts[number] : self._ends[number]].split())
            previous = number
        return context


def require_bounded_contexts(size: int, name: str) -> None:
    """Check that contexts fit into memory.

    Args:
        size: Size of the contexts in bytes.
        name: Name of their pyramid or configuration, for the error.

    Raises:
        LimitError: If they are larger than `limits` allows.
    """
    if size > limits.MAX_CONTEXT_BYTES:
        reason = f"has more than {limits.MAX_CONTEXT_BYTES:,} bytes of contexts, alone or with the pyramids before it"
        raise LimitError(name, reason, "omit the option context, or use fewer pyramids")


def number_values(values: Iterable[object]) -> npt.NDArray[np.int64]:
    """Number values in the order of their first occurrences, beginning with 0.

    Args:
        values: Hashable values, consumed one at a time.

    Returns:
        The number of each value. Equal values have the same number.
    """
    number_of: defaultdict[object, int] = defaultdict()
    number_of.default_factory = number_of.__len__
    return np.fromiter(map(number_of.__getitem__, values), dtype=np.int64)
