"""Words of SCUs that equal words cannot match, and how many of them stems and paraphrases match.

The method is that of Zhou et al. (2006), section 3.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from harness.paraphrases.tables.table import ParaphraseTable, PhraseSpan
from harness.rendering.tables import count_of, render_table
from harness.text.stems import STOP_WORDS, stem_words
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.pyramids.records import Pyramid
from pyramid_paraphrase.words import split_alphanumeric

Matcher = Callable[[Sequence[str], Sequence[str]], set[int]]
"""Function of the words of two texts. It returns the indices of the words of the first text that it matches."""

MatchersOf = Callable[[str], Mapping[str, Matcher]]
"""Function from a pyramid's id to its matchers by name. Matchers made of SCUs must leave out the same pyramid."""

STEMS = "equal stems"


class Coverage(NamedTuple):
    """Counts over ordered pairs of contributors of one SCU.

    Attributes:
        pairs: Number of pairs.
        words: Number of distinct content words of the first contributors.
        cases: Number of these words that do not occur in the second contributor.
        matched: Number of cases that each matcher matches, by name.
        matched_by_any: Number of cases that at least one matcher matches.
    """

    pairs: int
    words: int
    cases: int
    matched: Mapping[str, int]
    matched_by_any: int


def measure_coverage(pyramids: Sequence[Pyramid], matchers_of: MatchersOf) -> Coverage:
    """Count the content words of contributors that are not in other contributors of the SCU, and those that match.

    Every contributor of an SCU is compared with every other contributor. `split_alphanumeric` splits the texts into
    words, and content words are words that are not in `STOP_WORDS`. A word that occurs several times in a contributor
    counts once, and is matched if any occurrence is matched.

    Args:
        pyramids: Pyramids with the SCUs.
        matchers_of: Returns the matchers of a pyramid by its id.

    Returns:
        The counts.

    Raises:
        EmptyResultError: If no SCU has two contributors.
    """
    counts: Counter[str] = Counter()
    matched: Counter[str] = Counter()
    for pyramid in pyramids:
        matchers = matchers_of(pyramid.id)
        matched.update(dict.fromkeys(matchers, 0))
        for first, second in _list_pairs(pyramid):
            content = set(first) - STOP_WORDS
            cases = content - set(second)
            matched_by_any: set[str] = set()
            for name, match in matchers.items():
                matched_cases = cases.intersection(first[index] for index in match(first, second))
                matched[name] += len(matched_cases)
                matched_by_any |= matched_cases
            counts.update(pairs=1, words=len(content), cases=len(cases), any=len(matched_by_any))
    if not counts["pairs"]:
        raise EmptyResultError("no SCU has two contributors. Use other pyramids")
    return Coverage(counts["pairs"], counts["words"], counts["cases"], dict(matched), counts["any"])


def match_stems(first: Sequence[str], second: Sequence[str]) -> set[int]:
    """Match words with the same stem (Porter)."""
    stems = set(stem_words(second))
    return {index for index, stem in enumerate(stem_words(first)) if stem in stems}


def make_matchers(tables: Sequence[ParaphraseTable]) -> dict[str, Matcher]:
    """Make a matcher of stems, and two matchers per table: phrases and synonyms, as in tiers 1 and 2 of ParaEval."""
    matchers: dict[str, Matcher] = {STEMS: match_stems}
    for table in tables:
        matchers[f"{table.name}, phrases"] = _TableMatcher(table, phrases=True)
        matchers[f"{table.name}, synonyms"] = _TableMatcher(table, phrases=False)
    return matchers


class _TableMatcher:
    """Matches words by a table: by pairs of two phrases of several words, or by pairs with a single word on a side.

    Args:
        table: The table.
        phrases: True for pairs of two phrases of several words, False for pairs with a single word on a side.
    """

    def __init__(self, table: ParaphraseTable, *, phrases: bool) -> None:
        self._table, self._phrases = table, phrases

    def __call__(self, first: Sequence[str], second: Sequence[str]) -> set[int]:
        left_spans, right_spans = self._table.find_phrases(first), self._table.find_phrases(second)
        lengths = {span.phrase: span.end - span.start for span in (*left_spans, *right_spans)}
        pairs = self._table.match_phrases(_list_phrases(left_spans), _list_phrases(right_spans)).tolist()
        matched = {left for left, right in pairs if (min(lengths[left], lengths[right]) > 1) == self._phrases}
        indices: set[int] = set()
        for span in left_spans:
            if span.phrase in matched:
                indices.update(range(span.start, span.end))
        return indices


def _list_phrases(spans: Sequence[PhraseSpan]) -> list[int]:
    return [span.phrase for span in spans]


def _list_pairs(pyramid: Pyramid) -> Iterator[tuple[list[str], list[str]]]:
    for scu in pyramid.scus:
        texts = [split_alphanumeric(contributor.text) for contributor in scu.contributors]
        yield from permutations(texts, 2)


def render_coverage(coverage: Coverage) -> str:
    """Render a line of counts, and a row per matcher with its share of the cases."""
    words, pairs = count_of(coverage.words, "content word"), count_of(coverage.pairs, "ordered pair")
    cases = f"{coverage.cases:,} ({_percent(coverage.cases, coverage.words)})"
    line = f"Of {words} in {pairs} of contributors of one SCU, {cases} do not occur in the other contributor."
    matched = {**coverage.matched, "any of these": coverage.matched_by_any}
    rows = [(name, number, _percent(number, coverage.cases)) for name, number in matched.items()]
    return f"{line}\n\n{render_table(('matched by', 'words', 'share'), rows)}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.2f} %"
