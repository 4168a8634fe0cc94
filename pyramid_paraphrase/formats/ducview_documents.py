"""Divide the annotated text of a pyramid into documents, each the summary of one summarizer, and locate parts in it.

NIST put a heading of three lines before each model summary. Users of DUCView can choose another separator, which a
regular expression in the file (`startDocumentRegEx`) describes, or no separator. Three methods are tried in this order:
NIST's headings, the file's expression, and separators that recur.

In a few real files, the offsets of parts are slightly wrong.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain, count, islice, pairwise, product
from string import ascii_uppercase
from typing import Any, NamedTuple

from pyramid_paraphrase.errors import shorten
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.naming import parse_document_name
from pyramid_paraphrase.pyramids.records import Summary

_NIST_DASHES = re.compile(r"\s*-{3,}\s*")
_RULE = re.compile(r"\s*([-=_*#~+])\1{2,}\s*")
_DECORATED = re.compile(r"\s*(?:#|([-=_*~+])\1|[\[<{]).*\w.*")
_NUMBER = re.compile(r"[0-9]{1,9}")
_DECORATION = " \t-=_*#~+<>[](){}:"
_MAX_TITLE = 80
"""Longest line that can be the title of a document, in characters."""

_MAX_NAME = 40
"""Longest title that can be the name of a summarizer, in characters."""

_HEADINGS_PER_CUT = 10
"""At most one in this many headings may lie in text that annotators marked. Otherwise none of them is a heading."""

_MAX_QUOTED = 60

Span = tuple[int, int]
"""Offsets of the first character, and after the last one."""


class Heading(NamedTuple):
    """The separator between a document and the text before it: its place in the text, and its words or ""."""

    start: int
    end: int
    title: str


def divide(
    text: str, expression: str, marks: Sequence[Span]
) -> tuple[tuple[Summary, ...], str, tuple[str, ...], list[tuple[str, str]]]:
    """Divide a text into documents.

    Args:
        text: The annotated text.
        expression: The regular expression of the file for headings, or "" if it has none.
        marks: Spans that annotators marked, sorted. Headings are not marked. Text before the first heading is a
            document only if there are marks in it.

    Returns:
        The documents in the order of the text, at least one; the topic that the headings name, or ""; the letters of
        the document sets that they name, sorted; and kind and message of each problem.
    """
    problems = []
    headings = find_nist_headings(text)
    if not headings:
        if expression:
            headings, fault = match_headings(text, expression, marks)
            if fault:
                problems.append(("expression-unused", f"expression {shorten(expression, _MAX_QUOTED)!r} {fault}"))
        headings = headings or find_separators(text, marks)
        if not headings:
            problems.append(("undivided", "no headings found: the text is read as one document"))
        if not headings or (marks and marks[0][0] < headings[0].start):
            headings = [Heading(0, 0, ""), *headings]
    names = [name for heading in headings if (name := parse_document_name(heading.title))]
    summarizers = [summarizer for _, _, summarizer in names]
    if len(names) < len(headings):
        summarizers = _name_summarizers(headings)
    ends = [*(heading.start for heading in headings[1:]), len(text)]
    summaries = tuple(
        Summary(heading.title or summarizer, summarizer, heading.end, end)
        for heading, summarizer, end in zip(headings, summarizers, ends, strict=True)
    )
    topics = sorted({topic for topic, _, _ in names})
    sets = tuple(sorted({letter for _, letter, _ in names if letter}))
    return summaries, "+".join(topics), sets, problems


def _name_summarizers(headings: Sequence[Heading]) -> list[str]:
    """Name the summarizers by distinct titles, or else by the letters A, B, ..., Z, AA, AB and so on."""
    # Names of several summarizers are joined by "+".
    titles = [heading.title.replace("+", "_") for heading in headings]
    if all(titles) and len(set(titles)) == len(titles) and max(map(len, titles)) <= _MAX_NAME:
        return titles
    letters = (map("".join, product(ascii_uppercase, repeat=length)) for length in count(1))
    return list(islice(chain.from_iterable(letters), len(headings)))


class _Lines:
    """The lines of a text with their offsets."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def make_heading(self, first: int, last: int, title: str) -> Heading:
        """Make a heading of the whole lines from ``first`` to ``last``, both included."""
        return Heading(self._starts[first], self._starts[last + 1], title)


def find_nist_headings(text: str) -> list[Heading]:
    """Find headings of three lines: dashes, a document name such as "D0743-A.M.100.J.B", dashes.

    The regular expressions in NIST's files are ignored, because many are missing or wrong.
    """
    index = _Lines(text)
    headings = []
    for row, above, line, below in _list_neighbours(index.lines):
        if _NIST_DASHES.fullmatch(above) and _NIST_DASHES.fullmatch(below) and parse_document_name(line):
            headings.append(index.make_heading(row - 1, row + 1, line.strip()))
    return headings


def _list_neighbours(lines: Sequence[str]) -> Iterator[tuple[int, str, str, str]]:
    """Yield the number of each inner line, the line before it, the line, and the line after it."""
    for row in range(1, len(lines) - 1):
        yield row, lines[row - 1], lines[row], lines[row + 1]


def match_headings(text: str, expression: str, marks: Sequence[Span]) -> tuple[list[Heading], str]:
    """Find the matches of an untrusted regular expression, in time that is linear in the length of the text.

    Args:
        text: The text.
        expression: The expression, in the syntax of RE2.
        marks: Spans that annotators marked, sorted.

    Returns:
        The matches, and the reason if there are none, otherwise "".
    """
    import re2  # few files need it

    options = re2.Options()
    options.log_errors = False
    if len(expression) > limits.MAX_EXPRESSION_CHARACTERS:
        return [], f"is longer than {limits.MAX_EXPRESSION_CHARACTERS:,} characters"
    try:
        pattern = re2.compile(expression.encode(), options)
    except re2.error:
        return [], "is not a regular expression that RE2 can use"
    data = text.encode()
    spans, fault = _find_matches(pattern, data)
    if fault:
        return [], fault
    try:
        headings = _make_headings(data, spans)
    except UnicodeDecodeError:
        return [], "matches only a part of a character"
    if 2 * sum(end - start for start, end, _ in headings) > len(text) or _cut_marks(headings, marks):
        return [], "matches text that is not a heading"
    return headings, ""


def _find_matches(pattern: Any, data: bytes) -> tuple[list[Span], str]:  # noqa: ANN401 - the type is not exported
    """Find all matches, within the limit on steps.

    Returns:
        The spans of the matches in the encoded text, and the reason if they cannot be used, otherwise "".
    """
    spans: list[Span] = []
    steps, place = pattern.programsize * len(data), 0
    while steps <= limits.MAX_EXPRESSION_STEPS:
        match = pattern.search(data, place)
        if match is None:
            return spans, "" if spans else "matches nothing"
        if match.end() == match.start():
            return [], "matches the empty string"
        spans.append(match.span())
        place = match.end()
        steps += pattern.programsize * (len(data) - place)
    return [], "matches too often, or takes too long in a text of this length"


def _make_headings(data: bytes, spans: Sequence[Span]) -> list[Heading]:
    """Make headings of spans of the encoded text. The offsets of the headings count characters."""
    headings = []
    offset, place = 0, 0
    for start, end in spans:
        offset += len(data[place:start].decode())
        words = data[start:end].decode()
        headings.append(Heading(offset, offset + len(words), _strip_decoration(words)))
        offset, place = offset + len(words), end
    return headings


def _strip_decoration(text: str) -> str:
    """Return the words of a heading without rules and brackets around them."""
    lines = (" ".join(line.split()).strip(_DECORATION) for line in text.split("\n"))
    return " ".join(line for line in lines if line)


def _cut_marks(headings: Sequence[Heading], marks: Sequence[Span]) -> bool:
    """Return whether too many headings lie in marked text for them to be headings."""
    starts = [start for start, _ in marks]
    # The furthest end of the marks before each mark, so that a binary search finds the marks that overlap a heading.
    reach = [0]
    for _, end in marks:
        reach.append(max(reach[-1], end))
    cuts = sum(reach[bisect_left(starts, heading.end)] > heading.start for heading in headings)
    return _HEADINGS_PER_CUT * cuts > len(headings)


def find_separators(text: str, marks: Sequence[Span]) -> list[Heading]:
    """Find lines that recur and look like separators of documents.

    Four kinds of separators are tried in this order: titles between rules, titles with decoration, rules, and numbered
    titles. A rule is a line of dashes or similar characters.

    Args:
        text: The text.
        marks: Spans that annotators marked, sorted.

    Returns:
        The separators. The list is empty if no kind of separator recurs outside of marked text.
    """
    index = _Lines(text)
    finders: tuple[Callable[[_Lines], list[Heading]], ...]
    finders = (_find_framed, _find_decorated, _find_rules, _find_numbered)
    for find in finders:
        headings = find(index)
        if len(headings) > 1 and not _cut_marks(headings, marks):
            return headings
    return []


def _find_framed(index: _Lines) -> list[Heading]:
    """Find titles between two rules.

    If a rule is both below a title and above the next title, rules are the separators, and the list is empty.
    """
    headings: list[Heading] = []
    for row, above, line, below in _list_neighbours(index.lines):
        title = _strip_decoration(line)
        if title and len(line) <= _MAX_TITLE and _RULE.fullmatch(above) and _RULE.fullmatch(below):
            headings.append(index.make_heading(row - 1, row + 1, title))
    is_ambiguous = any(first.end > second.start for first, second in pairwise(headings))
    return [] if is_ambiguous else headings


def _find_decorated(index: _Lines) -> list[Heading]:
    headings = []
    for row, line in enumerate(index.lines):
        if len(line) <= _MAX_TITLE and _DECORATED.fullmatch(line):
            headings.append(index.make_heading(row, row, _strip_decoration(line)))
    return headings


def _find_rules(index: _Lines) -> list[Heading]:
    return [index.make_heading(row, row, "") for row, line in enumerate(index.lines) if _RULE.fullmatch(line)]


def _find_numbered(index: _Lines) -> list[Heading]:
    """Find titles that differ only by an ascending number, such as "Summary 1", of the most frequent form."""
    forms: dict[str, list[Heading]] = {}
    numbers: dict[str, int] = {}
    for row, line in enumerate(index.lines):
        digits = _NUMBER.search(line)
        if digits is None or len(line) > _MAX_TITLE:
            continue
        form = f"{line[: digits.start()]}0{line[digits.end() :]}".strip()
        if int(digits[0]) > numbers.get(form, -1):
            numbers[form] = int(digits[0])
            forms.setdefault(form, []).append(index.make_heading(row, row, _strip_decoration(line)))
    return max(forms.values(), key=len, default=[])


_QUADRATIC_LABEL, _QUADRATIC_TEXT = 100, 30_000
"""Up to these lengths of label and text, CPython's `str.find` can take time proportional to their product."""


class TextIndex:
    """A text in which parts are located.

    Attributes:
        text: The text.
        summaries: The model summaries in it, in the order of the text. A peer's text has none.
        steps: Upper bound on the comparisons of characters in all searches so far. Correct offsets need no search. All
            searches together can take time proportional to the number of distinct labels times the length of the text,
            so callers limit the steps.
    """

    def __init__(self, text: str, summaries: Sequence[Summary] = ()) -> None:
        self.text, self.summaries = text, summaries
        self.steps = 0
        self._starts = [summary.start for summary in summaries]

    def summarizer_at(self, offset: int) -> str:
        """Return the summarizer of the summary at an offset, or "" if there is none."""
        number = bisect_right(self._starts, offset) - 1
        if number < 0 or offset >= self.summaries[number].end:
            return ""
        return self.summaries[number].summarizer

    @cached_property
    def _reversed(self) -> str:
        return self.text[::-1]

    @cached_property
    def _solid(self) -> tuple[TextIndex, array[int]]:
        """The text without whitespace, and the offset of each of its characters in the text."""
        offsets = array("q", (offset for offset, char in enumerate(self.text) if not char.isspace()))
        return TextIndex("".join(self.text.split())), offsets

    def says(self, label: str, start: int, end: int) -> bool:
        """Return whether the text from ``start`` to ``end`` equals a label."""
        # Offsets can be far apart, so the text between them is not copied.
        return start >= 0 and min(end, len(self.text)) - start == len(label) and self.text.startswith(label, start)

    def locate(self, label: str, start: int, end: int) -> tuple[int, int, str | None] | None:
        """Locate a part.

        The part is at its offsets, otherwise at the nearest occurrence of its text, otherwise at the nearest occurrence
        ignoring whitespace.

        Args:
            label: The part's text in the annotation, not blank.
            start: Start offset in the annotation, negative if there is none.
            end: End offset in the annotation, exclusive.

        Returns:
            Start and end in the text, and the kind of problem if the offsets are repaired. None if the text does not
            contain the part.
        """
        if self.says(label, start, end):
            return start, end, None
        exact = self.find_nearest(label, start)
        if exact >= 0:
            return exact, exact + len(label), "part-moved"
        solid_text, offsets = self._solid
        solid_label = "".join(label.split())
        solid_start = solid_text.find_nearest(solid_label, bisect_left(offsets, start))
        self.steps += solid_text.steps
        solid_text.steps = 0
        if solid_start < 0:
            return None
        last = offsets[solid_start + len(solid_label) - 1]
        return offsets[solid_start], last + 1, "part-whitespace"

    def find_nearest(self, label: str, start: int) -> int:
        """Return the offset of the occurrence nearest to ``start``, or -1. In a tie, the earlier occurrence."""
        size, place = len(self.text), max(start, 0)
        self.steps += 2 * (size + min(len(label), _QUADRATIC_LABEL) * min(size, _QUADRATIC_TEXT))
        after = self.text.find(label, place)
        # Search the reversed text, because `str.find` is linear for long texts and `str.rfind` can be quadratic.
        reversed_start = self._reversed.find(label[::-1], max(size - place - len(label), 0))
        before = size - reversed_start - len(label) if reversed_start >= 0 else -1
        if before < 0 or after < 0:
            return max(before, after)
        return before if start - before <= after - start else after
