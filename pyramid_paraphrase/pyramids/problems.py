"""The kinds of problems of annotation files, and the handling of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from pyramid_paraphrase.errors import InputError, StrictError, place
from pyramid_paraphrase.pyramids.records import Problem


class Kind(NamedTuple):
    """A kind of problem: whether a part of the input is left out, and a description of the problem and its handling."""

    left_out: bool
    meaning: str


KINDS = {
    "combined-pyramid": Kind(True, "pyramid over document sets that have their own pyramids: not in the tests"),
    "contributor-empty": Kind(True, "contributor without any text: left out"),
    "double-escaped": Kind(False, "character references that are escaped twice: unescaped once more"),
    "encoding": Kind(False, "file that is not UTF-8: read as Windows-1252"),
    "expression-unused": Kind(False, "regular expression that does not find the headings: not used"),
    "file-rejected": Kind(True, "file that cannot be read: left out"),
    "labels-incomplete": Kind(True, "file of SCU labels without the files that belong to it: left out"),
    "member-skipped": Kind(True, "link, pipe or other special file: left out"),
    "not-compared": Kind(True, "proposition of a document that is not compared with another document: left out"),
    "not-reference": Kind(True, "proposition by a rater who is not the reference rater: left out"),
    "outside-summaries": Kind(False, "part outside of all model summaries: kept without a summarizer"),
    "part-empty": Kind(True, "part without text: left out"),
    "part-moved": Kind(False, "part with wrong offsets: moved to the nearest occurrence of its text"),
    "part-not-found": Kind(False, "part whose text is not in the summaries: kept as annotated"),
    "part-whitespace": Kind(False, "part that differs from the summaries only in whitespace: whitespace ignored"),
    "peer-name": Kind(False, "peer annotation whose file name does not identify the peer: file name used as peer"),
    "peer-repeated": Kind(True, "second, different annotation of a peer by the same annotator: left out"),
    "premise-left-out": Kind(True, "premise that is not a proposition of its sentence: left out"),
    "premise-replaced": Kind(False, "premise that nearly equals a proposition of its sentence: replaced by it"),
    "pyramid-differs": Kind(False, "pyramid in a peer annotation that differs from others: used for this peer only"),
    "relation-without-text": Kind(True, "relation between documents whose texts are missing: left out"),
    "scu-empty": Kind(True, "SCU without any contributor: left out"),
    "scu-mismatch": Kind(False, "peer SCU missing in its pyramid, or with another weight: weight taken from its label"),
    "scu-renamed": Kind(False, "SCU with the uid of an earlier SCU: renamed"),
    "undivided": Kind(False, "text without headings: read as one document"),
    "without-text": Kind(True, "proposition of a document whose text is missing: left out"),
}

REJECTED = ("file-rejected", "member-skipped")
"""Kinds of problems for which a whole file is left out."""


def report_rejected(error: InputError) -> Problem:
    """Make the problem of a file that cannot be read."""
    return Problem(error.file, error.line, "file-rejected", "", f"{error.reason}: file left out")


def count_kinds(problems: Iterable[Problem]) -> dict[str, int]:
    """Count problems per kind, in alphabetical order of the kinds."""
    counts: Counter[str] = Counter()
    for problem in problems:
        counts[problem.kind] += problem.times
    return {kind: counts[kind] for kind in sorted(counts)}


def describe(problems: Iterable[Problem]) -> str:
    """Count problems per kind in one line: "106 repaired (part-moved 65, part-whitespace 41)"."""
    counts = count_kinds(problems)
    pieces = []
    for left_out, outcome in ((True, "left out"), (False, "repaired")):
        selected = {kind: count for kind, count in counts.items() if KINDS[kind].left_out is left_out}
        if selected:
            kinds = ", ".join(f"{kind} {count}" for kind, count in selected.items())
            pieces.append(f"{sum(selected.values()):,} {outcome} ({kinds})")
    return ", ".join(pieces) or "nothing to repair"


def require_none(problems: tuple[Problem, ...]) -> None:
    """Raise an error if there are problems.

    Raises:
        StrictError: If there are problems. The message describes the first problem and counts all problems.
    """
    if problems:
        first_problem = problems[0]
        location = place(first_problem.file, first_problem.line)
        description = f"{location}: {first_problem.kind}: {first_problem.message}"
        count = f"Strict reading does not accept problems, but found {describe(problems)}"
        raise StrictError(f"{description}. {count}. Repair the files, or read them without strict")
