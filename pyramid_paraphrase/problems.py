"""The kinds of problems of annotation files, and how each is handled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from pyramid_paraphrase.errors import StrictError, place
from pyramid_paraphrase.records import Problem


class Kind(NamedTuple):
    """A kind of problem: whether a part of the input is left out, and a description with the remedy."""

    left_out: bool
    meaning: str


KINDS = {
    "combined-pyramid": Kind(True, "pyramid over document sets that have pyramids of their own: not in the tests"),
    "contributor-empty": Kind(True, "contributor without any text: left out"),
    "double-escaped": Kind(False, "character references escaped twice: unescaped once more"),
    "encoding": Kind(False, "not UTF-8: read as Windows-1252"),
    "expression-unused": Kind(False, "regular expression for headings that finds none: not used"),
    "file-rejected": Kind(True, "file that cannot be read: left out"),
    "labels-incomplete": Kind(True, "file of a corpus of SCU labels without the files that it needs: left out"),
    "member-skipped": Kind(True, "link, pipe or the like where a file is expected: left out"),
    "not-compared": Kind(True, "proposition of a document that no relation compares with another: left out"),
    "not-reference": Kind(True, "proposition in the segmentation of a rater that is not the reference: left out"),
    "outside-summaries": Kind(False, "part outside of all model summaries: kept, without a summarizer"),
    "part-empty": Kind(True, "part without text: left out"),
    "part-moved": Kind(False, "part whose offsets point elsewhere: moved to the nearest place that says the same"),
    "part-not-found": Kind(False, "part whose text is nowhere in the summaries: kept as annotated"),
    "part-whitespace": Kind(False, "part that differs from the summaries in whitespace only: matched ignoring it"),
    "peer-name": Kind(False, "peer annotation whose file name tells no peer: the file name stands for it"),
    "peer-repeated": Kind(True, "peer annotated twice by one annotator in different ways: only one is used"),
    "premise-left-out": Kind(True, "premise that is no proposition of its sentence: left out"),
    "premise-replaced": Kind(False, "premise that is nearly a proposition of its sentence: taken for it"),
    "pyramid-differs": Kind(False, "pyramid inside a peer annotation that differs: used for this peer's score only"),
    "relation-without-text": Kind(True, "relation between documents whose text is not in the files: left out"),
    "scu-empty": Kind(True, "SCU without any contributor: left out"),
    "scu-mismatch": Kind(False, "peer SCU that is not, or weighs otherwise, in its pyramid: weighed as its label says"),
    "scu-renamed": Kind(False, "uid that occurs twice in one pyramid: the later SCU is renamed"),
    "undivided": Kind(False, "text without headings: read as one document"),
    "without-text": Kind(True, "proposition of a document whose text is not in the files: left out"),
}


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
    """Refuse any problem.

    Raises:
        StrictError: If there is one. The message has the first problem and counts all.
    """
    if problems:
        first = problems[0]
        reason = f"{place(first.file, first.line)}: {first.kind}: {first.message}"
        remedy = "mend the files, or read them without strict"
        raise StrictError(f"{reason}; strict reading accepts none, and there was {describe(problems)}: {remedy}")
