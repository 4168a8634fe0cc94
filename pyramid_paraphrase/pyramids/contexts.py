"""The sentences of a summary around a contributor: the context in which annotators read it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.records import Contributor, Pyramid
from pyramid_paraphrase.sentences import locate_sentences

GAP = " [...] "
"""Separator between sentences of a context that are not adjacent in the summary."""


class _Sentence(NamedTuple):
    """A sentence: its offsets in the text of the pyramid, and the number of its summary."""

    start: int
    end: int
    summary: int


class Contexts:
    """The contexts of the contributors of a pyramid.

    Args:
        pyramid: The pyramid.
    """

    def __init__(self, pyramid: Pyramid) -> None:
        self._text = pyramid.text
        self._sentences = sorted(_list_sentences(pyramid))
        self._starts = [sentence.start for sentence in self._sentences]
        self._ends = [sentence.end for sentence in self._sentences]

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
                numbers.update(self._list_neighbours(number))
        runs = (" ".join(map(self._read, run)) for run in self._divide(sorted(numbers)))
        return GAP.join(runs)

    def _list_neighbours(self, number: int) -> Iterator[int]:
        """Yield the numbers of a sentence and of its neighbours in the same summary."""
        for neighbour in range(max(0, number - 1), min(number + 2, len(self._sentences))):
            if self._sentences[neighbour].summary == self._sentences[number].summary:
                yield neighbour

    def _divide(self, numbers: Iterable[int]) -> list[list[int]]:
        """Divide sorted numbers of sentences into runs of sentences that are adjacent in a summary."""
        runs: list[list[int]] = []
        for number in numbers:
            summary = self._sentences[number].summary
            if runs and runs[-1][-1] == number - 1 and self._sentences[number - 1].summary == summary:
                runs[-1].append(number)
            else:
                runs.append([number])
        return runs

    def _read(self, number: int) -> str:
        start, end, _ = self._sentences[number]
        return " ".join(self._text[start:end].split())


def _list_sentences(pyramid: Pyramid) -> Iterator[_Sentence]:
    for number, summary in enumerate(pyramid.summaries):
        for start, end in locate_sentences(pyramid.text[summary.start : summary.end]):
            yield _Sentence(summary.start + start, summary.start + end, number)


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
