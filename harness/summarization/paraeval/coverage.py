"""Words of SCUs that equal words cannot match, and how many of them stems and paraphrases match.

The method is that of Zhou et al. (2006), section 3.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations

from harness.paraphrases.tables.table import ParaphraseTable
from harness.rendering.reports import Grid, Report
from harness.rendering.tables import count_of
from harness.text.stems import STOP_WORDS, stem_words
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.pyramids.records import Pyramid
from pyramid_paraphrase.words import split_alphanumeric

Matcher = Callable[[Sequence[str], Sequence[str]], set[int]]
"""Function of the words of two texts. It returns the indices of the words of the first text that it matches."""

MatchersOf = Callable[[str], Mapping[str, Matcher]]
"""Function from a pyramid's id to its matchers by name. Matchers made of SCUs must leave out the same pyramid."""

STEMS = "equal stems"
_ANY = "any of these"


def measure_coverage(pyramids: Sequence[Pyramid], matchers_of: MatchersOf) -> tuple[int, int, int, dict[str, int]]:
    """Count the content words of contributors that are not in other contributors of the SCU, and those that match.

    Every contributor of an SCU is compared with every other contributor. `split_alphanumeric` splits the texts into
    words, and content words are words that are not in `STOP_WORDS`. A word that occurs several times in a contributor
    counts once, and is matched if any occurrence is matched.

    Args:
        pyramids: Pyramids with the SCUs.
        matchers_of: Returns the matchers of a pyramid by its id.

    Returns:
        Counts over ordered pairs of contributors of one SCU: the number of pairs, the number of distinct content words
        of the first contributors, the number of these words that do not occur in the second contributor (cases), and
        the number of cases that each matcher matches, by name, and that any of them matches.

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
    return counts["pairs"], counts["words"], counts["cases"], {**matched, _ANY: counts["any"]}


def _list_pairs(pyramid: Pyramid) -> Iterator[tuple[list[str], list[str]]]:
    for scu in pyramid.scus:
        texts = [split_alphanumeric(contributor.text) for contributor in scu.contributors]
        yield from permutations(texts, 2)


def match_stems(first: Sequence[str], second: Sequence[str]) -> set[int]:
    """Match words with the same stem (Porter)."""
    stems = set(stem_words(second))
    return {index for index, stem in enumerate(stem_words(first)) if stem in stems}


def make_matchers(tables: Sequence[ParaphraseTable]) -> dict[str, Matcher]:
    """Make a matcher of stems, and two matchers per table: phrases and synonyms, as in tiers 1 and 2 of ParaEval."""
    matchers: dict[str, Matcher] = {STEMS: match_stems}
    for table in tables:
        matchers[f"{table.name}, phrases"] = partial(_match_by_table, table=table, phrases=True)
        matchers[f"{table.name}, synonyms"] = partial(_match_by_table, table=table, phrases=False)
    return matchers


def _match_by_table(first: Sequence[str], second: Sequence[str], *, table: ParaphraseTable, phrases: bool) -> set[int]:
    """Match words by a table: by pairs of two phrases of several words, or by pairs with a single word on a side."""
    left_spans, right_spans = table.find_phrases(first), table.find_phrases(second)
    lengths = {phrase: end - start for start, end, phrase in (*left_spans, *right_spans)}
    left, right = ([phrase for *_, phrase in spans] for spans in (left_spans, right_spans))
    pairs = table.match_phrases(left, right).tolist()
    matched = {left for left, right in pairs if (min(lengths[left], lengths[right]) > 1) == phrases}
    indices: set[int] = set()
    for start, end, phrase in left_spans:
        if phrase in matched:
            indices.update(range(start, end))
    return indices


def report_coverage(pairs: int, words: int, cases: int, matched: Mapping[str, int]) -> Report:
    """Report the counts of `measure_coverage`, and a row per matcher with its share of the cases."""
    subject = f"{count_of(words, 'content word')} in {count_of(pairs, 'ordered pair')} of contributors of one SCU"
    line = f"Of {subject}, {cases:,} ({_percent(cases, words)}) do not occur in the other contributor."
    header = ("matched by", "words", "share")
    rows = tuple((name, number, _percent(number, cases)) for name, number in matched.items())
    numbers = tuple((name, number, number / max(cases, 1)) for name, number in matched.items())
    record = {"pairs": pairs, "words": words, "cases": cases, "matched": matched}
    return Report((Grid(header, rows),), (), Grid(header, numbers), record, (line,))


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.2f} %"
