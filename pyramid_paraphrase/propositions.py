"""Propositions: the texts of contributors and labels that the tests are made of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from pyramid_paraphrase.catalog import find_collection
from pyramid_paraphrase.options import Options
from pyramid_paraphrase.records import Pyramid
from pyramid_paraphrase.words import content_words, is_pronoun, normalize_word, split_words

CONTRIBUTOR, LABEL = "contributor", "label"


@dataclass(frozen=True, slots=True)
class Proposition:
    """One text and where it comes from.

    Attributes:
        pyramid: Id of the pyramid.
        scu: Uid of the SCU.
        kind: "contributor" or "label".
        summarizer: Letter of the model summary, several joined by "+" where parts lie in several, "" for a label.
        text: The proposition.
        topic: Topic number of the pyramid.
        collection: Name of the pyramid's collection.
        words: Its normalized words, in order.
        content: Its distinct content words, sorted.
        tie_break: SHA-256 of the first five; every order and tie of the tests is settled by it.
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
    tie_break: str

    @property
    def folded(self) -> str:
        """The text in the form in which texts are compared."""
        return self.text.lower()


def digest_of(*fields: str) -> bytes:
    """Return the SHA-256 digest of some texts, joined by a character that XML cannot hold."""
    return hashlib.sha256("\x1f".join(fields).encode()).digest()


def sha256_of(*fields: str) -> str:
    """Return the digest of some texts as hexadecimal digits."""
    return digest_of(*fields).hex()


@lru_cache(maxsize=1 << 19)
def _analyse(text: str) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Normalized words, content words, and whether there is a pronoun; remembered, as every test asks for them."""
    words = split_words(text)
    # A set would take five times the memory.
    content = tuple(sorted(content_words(words)))
    return tuple(map(normalize_word, words)), content, any(map(is_pronoun, words))


def list_propositions(pyramids: Iterable[Pyramid], options: Options, *, labels: bool) -> list[Proposition]:
    """The eligible propositions of some pyramids.

    Eligible is a text of at least ``options.min_words`` words and, unless ``options.pronouns``, without a pronoun
    (Baumel et al. 2016, section 3). Texts equal up to case within one SCU are taken once: the first in the order below.

    Args:
        pyramids: The pyramids, in any order.
        options: The rules.
        labels: Whether SCU labels are propositions too.

    Returns:
        The propositions in the order of (pyramid, SCU uid, kind, summarizer, text).
    """
    propositions: list[Proposition] = []
    for _, texts in groupby(sorted(_all_texts(pyramids, labels=labels)), key=itemgetter(0, 1)):
        kept: dict[str, Proposition] = {}
        for own in texts:
            if (proposition := _make_proposition(*own, options)) is not None:
                kept.setdefault(proposition.folded, proposition)
        propositions += kept.values()
    return propositions


def _make_proposition(
    pyramid: str, scu: str, kind: str, summarizer: str, text: str, topic: str, options: Options
) -> Proposition | None:
    """Make a proposition from a text; None if the text is not eligible."""
    words, content, has_pronoun = _analyse(text)
    if len(words) < options.min_words or (has_pronoun and not options.pronouns):
        return None
    collection, tie_break = find_collection(pyramid).name, sha256_of(pyramid, scu, kind, summarizer, text)
    return Proposition(pyramid, scu, kind, summarizer, text, topic, collection, words, content, tie_break)


def _all_texts(pyramids: Iterable[Pyramid], *, labels: bool) -> Iterator[tuple[str, str, str, str, str, str]]:
    for pyramid in pyramids:
        for scu in pyramid.scus:
            for contributor in scu.contributors:
                summarizer = "+".join(contributor.summarizers)
                yield pyramid.id, scu.uid, CONTRIBUTOR, summarizer, contributor.text, pyramid.topic
            if labels:
                yield pyramid.id, scu.uid, LABEL, "", scu.label, pyramid.topic
