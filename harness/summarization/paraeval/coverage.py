"""How much of what annotators took for the same needs more than equal words (Zhou et al. 2006, section 3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from harness.paraphrases.tables.table import ParaphraseTable, PhraseSpan
from harness.rendering.tables import count_of, render_table
from harness.text.words import STOP_WORDS, split_alphanumeric, stem_words
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.records import Pyramid

Matcher = Callable[[Sequence[str], Sequence[str]], set[int]]
"""From the words of one text and of another to the places in the one, from 0, that it finds in the other."""

MatchersOf = Callable[[str], Mapping[str, Matcher]]
"""The matchers of a topic, by name: one that learned from SCUs must not know those of the topic."""

STEMS = "equal stems"


class Coverage(NamedTuple):
    """What is found.

    Attributes:
        pairs: Ordered pairs of contributors of one SCU.
        words: Distinct content words of the first of each pair.
        cases: Those that do not occur in the second.
        found: Of these, how many each matcher finds, by name.
        found_by_any: How many any of them finds.
    """

    pairs: int
    words: int
    cases: int
    found: Mapping[str, int]
    found_by_any: int


def measure_coverage(pyramids: Sequence[Pyramid], matchers_of: MatchersOf) -> Coverage:
    """Count the words that the same content lacks when it is said otherwise, and what finds them.

    Every contributor of an SCU is compared with every other. Words are those of `split_alphanumeric`; a content word
    is none of `STOP_WORDS`. A word that occurs several times in a contributor is one, and found if any occurrence is.

    Args:
        pyramids: Whose SCUs.
        matchers_of: What may find a word, for a pyramid's id.

    Returns:
        The counts.

    Raises:
        EmptyResultError: If no SCU has two contributors.
    """
    counts: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for pyramid in pyramids:
        matchers = matchers_of(pyramid.id)
        found.update(dict.fromkeys(matchers, 0))
        for one, other in _list_pairs(pyramid):
            content = set(one) - STOP_WORDS
            cases = content - set(other)
            hits = {name: cases & {one[place] for place in match(one, other)} for name, match in matchers.items()}
            counts.update(pairs=1, words=len(content), cases=len(cases), any=len(set().union(*hits.values())))
            found.update({name: len(hit) for name, hit in hits.items()})
    if not counts["pairs"]:
        raise EmptyResultError("no SCU has two contributors; give other pyramids")
    return Coverage(counts["pairs"], counts["words"], counts["cases"], dict(found), counts["any"])


def match_stems(one: Sequence[str], other: Sequence[str]) -> set[int]:
    """Find words by Porter's stems."""
    known = set(stem_words(other))
    return {place for place, stem in enumerate(stem_words(one)) if stem in known}


def make_matchers(tables: Sequence[ParaphraseTable]) -> dict[str, Matcher]:
    """The matchers by stems and by tables; of these, what the first and the second tier of ParaEval match apart."""
    matchers: dict[str, Matcher] = {STEMS: match_stems}
    for table in tables:
        matchers[f"{table.name}, phrases"] = _TableMatcher(table, phrases=True)
        matchers[f"{table.name}, synonyms"] = _TableMatcher(table, phrases=False)
    return matchers


class _TableMatcher:
    """Finds what a table pairs with something in the other text: phrases of several words, or synonyms.

    Args:
        table: The table.
        phrases: Whether both have several words; otherwise one at least has a single one.
    """

    def __init__(self, table: ParaphraseTable, *, phrases: bool) -> None:
        self._table, self._phrases = table, phrases

    def __call__(self, one: Sequence[str], other: Sequence[str]) -> set[int]:
        ours, theirs = self._table.find_phrases(one), self._table.find_phrases(other)
        lengths = {span.phrase: span.end - span.start for span in (*ours, *theirs)}
        matched = {
            left
            for left, right in self._table.match_phrases(_ids(ours), _ids(theirs)).tolist()
            if (min(lengths[left], lengths[right]) > 1) == self._phrases
        }
        return {place for span in ours if span.phrase in matched for place in range(span.start, span.end)}


def _ids(spans: Sequence[PhraseSpan]) -> list[int]:
    return [span.phrase for span in spans]


def _list_pairs(pyramid: Pyramid) -> Iterator[tuple[list[str], list[str]]]:
    for scu in pyramid.scus:
        texts = [split_alphanumeric(contributor.text) for contributor in scu.contributors]
        yield from permutations(texts, 2)


def render_coverage(coverage: Coverage) -> str:
    """What was counted in a line, and a row per matcher with its share of the cases."""
    words, pairs = count_of(coverage.words, "content word"), count_of(coverage.pairs, "ordered pair")
    cases = f"{coverage.cases:,} ({_percent(coverage.cases, coverage.words)})"
    line = f"Of {words} in {pairs} of contributors of one SCU, {cases} do not occur in the other contributor."
    found = {**coverage.found, "any of these": coverage.found_by_any}
    rows = [(name, number, _percent(number, coverage.cases)) for name, number in found.items()]
    return f"{line}\n\n{render_table(('found by', 'words', 'share'), rows)}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.2f} %"
