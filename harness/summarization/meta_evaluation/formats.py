"""The formats of files of scores and judgements. The first lines of a file decide its format."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from harness.summarization.meta_evaluation import nist
from harness.summarization.meta_evaluation.scores import REFERENCES, ScoreCollector
from harness.summarization.meta_evaluation.tables import collect_tables
from harness.summarization.rouge import F_MEASURE, PRECISION, RECALL
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.inputs import decode, split_lines
from pyramid_paraphrase.pyramids.sources import SourceFile

_ROUGE_LINE = re.compile(
    r"(?P<system>\S+) (?P<metric>\S+) Eval (?P<item>\S+) R: *(?P<recall>\S+) P: *(?P<precision>\S+) F: *(?P<f>\S+)"
)
_ROUGE_MARK = re.compile(r"\S+ \S+ (?:Average_[RPF]:|Eval) .*")
_ROUGE_IGNORED = re.compile(r"-+|\.+|\S+ \S+ Average_[RPF]: .*")
_ROUGE_ITEM = re.compile(
    r"(?P<topic>[A-Za-z]+[0-9]+(?:-[A-Za-z0-9]+)?)\.[MP]\.[0-9]+\.[A-Za-z0-9]+(?:-(?P<left_out>[A-Za-z0-9]+))?"
)
_ENDINGS = {RECALL: "", PRECISION: "-P", F_MEASURE: "-F"}
_HEAD_LINES = 8
"""NIST's tables have headings of up to seven lines."""

_BEGINNING = 1 << 16
"""Number of bytes by which a format is recognized."""

Lines = Sequence[tuple[int, str]]
"""The lines of a file that are not blank, with their numbers."""


def parse_scores(
    file: SourceFile, columns: Mapping[str, str] | None = None, *, rouge: str = RECALL, are_judgements: bool = False
) -> ScoreCollector:
    """Parse a file of scores.

    Args:
        file: The file.
        columns: Names of the columns of tables of users by field, as from `parse_columns` with `tables.FIELDS`.
        rouge: The value to read from ROUGE's output, one of `rouge.ROUGE_VALUES`.
        are_judgements: Whether the scores are judgements. Several rows of a table for one summary are then averaged,
            also without names of judges. Several scores of a summary by one metric are an error.

    Returns:
        The collector of the scores, which has at least one.

    Raises:
        InputError: If the file or a line is not in a known format. The error names the line.
        LimitError: If the file has more lines than `limits` allows.
    """
    beginning = file.data[:_BEGINNING].decode("utf-8-sig", "replace")
    head = [line.rstrip() for line in beginning.split("\n") if line.strip()][:_HEAD_LINES]
    name = next((name for name, (matches, _) in FORMATS.items() if matches(head, file.name)), "a table of scores")
    collector = ScoreCollector(file.name, nist.find_set(file.name))
    if name in FORMATS:
        texts = split_lines(decode(file.data, file.name, "use a file of scores in UTF-8"), file.name)
        lines = [(number, line.rstrip()) for number, line in enumerate(texts, 1) if line.strip()]
        _, collect = FORMATS[name]
        collect(lines, collector, rouge=rouge)
    else:
        collect_tables(file, collector, columns or {}, are_judgements=are_judgements)
    if not collector.finish():
        raise InputError(file.name, f"looks like {name}, but contains no scores", "use a file with at least one score")
    return collector


def _collect_rouge(lines: Lines, collector: ScoreCollector, *, rouge: str, **_others: object) -> None:
    collector.parts = REFERENCES
    for number, line in lines:
        if _ROUGE_IGNORED.fullmatch(line):
            continue
        match = _ROUGE_LINE.fullmatch(line)
        if not match or not match["item"].endswith(f".{match['system']}"):
            raise InputError(collector.source, "is not a line of ROUGE's output", "use ROUGE-1.5.5's file", number)
        topic, left_out = match["item"].removesuffix(f".{match['system']}"), ""
        if parts := _ROUGE_ITEM.fullmatch(topic):
            topic, left_out = parts["topic"], parts["left_out"] or ""
        collector.add(match["metric"] + _ENDINGS[rouge], (topic, match["system"]), match[rouge], number, left_out)
    if not collector.finish():
        reason = "contains ROUGE's averages, but no scores of summaries"
        raise InputError(collector.source, reason, "run ROUGE with -d, which prints the scores of summaries")


FORMATS: Mapping[str, tuple[Callable[[Sequence[str], str], bool], Callable[..., None]]] = {
    "the output of ROUGE-1.5.5 with -d": (lambda head, _: any(map(_ROUGE_MARK.fullmatch, head)), _collect_rouge),
    "the metrics of AESOP": (nist.is_aesop, nist.collect_aesop),
    "NIST's tables of content and linguistic quality": (nist.is_assessed, nist.collect_assessed),
    "NIST's pyramid scores": (nist.is_official, nist.collect_official),
}
"""For each format, whether a file with these first lines and this name is in it, and the function that adds its scores
to a collector.

The functions take the keyword argument `rouge` of `parse_scores`. A file in none of these formats is a table of a user.
"""
