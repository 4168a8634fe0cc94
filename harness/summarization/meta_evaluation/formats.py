"""The formats of files of scores and judgements; the first lines of a file decide its format."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from harness.files.tab_separated import split_lines
from harness.summarization.meta_evaluation.scores import ScoreCollector, Scores
from harness.summarization.summaries.locations import LocatedFile
from harness.summarization.summaries.rouge import F_MEASURE, PRECISION, RECALL
from harness.summarization.summaries.score_files import KEYS
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramid_scores import parse_official_row

MODIFIED_PYRAMID = "pyramid_modified"
"""The measure that NIST published, and that `pyramid_scores` computes."""

CONTENT = "content_responsiveness"
"""The measure of content, named by the title of its column in NIST's table."""

_QUALITY = "linguistic_quality_"
_REMEDY = "give NIST's file as it is"
_ROUGE_LINE = re.compile(
    r"(?P<system>\S+) (?P<metric>\S+) Eval (?P<item>\S+) R: *(?P<recall>\S+) P: *(?P<precision>\S+) F: *(?P<f>\S+)"
)
_ROUGE_MARK = re.compile(r"\S+ \S+ (?:Average_[RPF]:|Eval) .*")
_ROUGE_IDLE = re.compile(r"-+|\.+|\S+ \S+ Average_[RPF]: .*")
_ROUGE_ITEM = re.compile(
    r"(?P<topic>[A-Za-z]+[0-9]+(?:-[A-Za-z0-9]+)?)\.[MP]\.[0-9]+\.[A-Za-z0-9]+(?:-(?P<left_out>[A-Za-z0-9]+))?"
)
_ENDINGS = {RECALL: "", PRECISION: "-P", F_MEASURE: "-F"}
_HEAD_LINES = 5

Lines = Sequence[tuple[int, str]]
"""The lines of a file that are not blank, with their numbers."""


class Format(NamedTuple):
    """A format of scores.

    Attributes:
        name: A description for errors.
        matches: Tells whether the first lines of a file are in this format.
        collect: Adds the scores of all lines to a collector; its last argument is one of `rouge.ROUGE_VALUES`.
    """

    name: str
    matches: Callable[[Sequence[str]], bool]
    collect: Callable[[Lines, ScoreCollector, str], None]


def parse_scores(file: LocatedFile, rouge: str = RECALL) -> list[Scores]:
    """Read a file of scores.

    Args:
        file: The file.
        rouge: The value that is read from ROUGE's output, one of `rouge.ROUGE_VALUES`.

    Returns:
        A record per measure, at least one.

    Raises:
        InputError: If the file or a line is not in a known format; it names the line.
        LimitError: If it has more lines than `limits` allows.
    """
    texts = split_lines(file.data, file.name, "give a file of scores")
    lines = [(number, line.rstrip()) for number, line in enumerate(texts, 1) if line.strip()]
    head = [line for _, line in lines[:_HEAD_LINES]]
    form = next((form for form in FORMATS if form.matches(head)), None)
    if form is None:
        names = ", ".join(form.name for form in FORMATS)
        raise InputError(file.name, "holds no scores in a known format", f"give one of: {names}, pyramid annotations")
    collector = ScoreCollector(file.name)
    form.collect(lines, collector, rouge)
    scores = collector.finish()
    if not scores:
        raise InputError(file.name, f"holds no score in what should be {form.name}", "give a file with some")
    return scores


def _is_table(head: Sequence[str]) -> bool:
    return bool(head) and _split_cells(head[0])[:2] == list(KEYS)


def _split_cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("\t")]


def _collect_table(lines: Lines, collector: ScoreCollector, rouge: str) -> None:
    del rouge  # as of every format
    number, first = lines[0]
    names = _split_cells(first)
    if len(names) == len(KEYS) or "" in names or len(set(names)) < len(names):
        reason = "names no measure" if len(names) == len(KEYS) else "does not name each column, once"
        raise InputError(collector.source, reason, "let columns follow topic and system, each with a name", number)
    for number, line in lines[1:]:
        cells = _split_cells(line)
        cells += [""] * (len(names) - len(cells))  # empty cells at the end were stripped with the tabs
        if len(cells) > len(names):
            reason = f"has {len(cells)} columns, and {len(names)} are due"
            raise InputError(collector.source, reason, "divide columns by tabs", number)
        for name, cell in zip(names[2:], cells[2:], strict=True):
            if cell:
                collector.add(name, (cells[0], cells[1]), cell, number)


def _is_rouge(head: Sequence[str]) -> bool:
    return any(_ROUGE_MARK.fullmatch(line) for line in head)


def _collect_rouge(lines: Lines, collector: ScoreCollector, rouge: str) -> None:
    for number, line in lines:
        if _ROUGE_IDLE.fullmatch(line):
            continue
        match = _ROUGE_LINE.fullmatch(line)
        if not match or not match["item"].endswith(f".{match['system']}"):
            raise InputError(collector.source, "is no line of ROUGE's output", "give what ROUGE-1.5.5 wrote", number)
        topic, left_out = match["item"].removesuffix(f".{match['system']}"), ""
        if parts := _ROUGE_ITEM.fullmatch(topic):
            topic, left_out = parts["topic"], parts["left_out"] or ""
        collector.add(match["metric"] + _ENDINGS[rouge], (topic, match["system"]), match[rouge], number, left_out)
    if not collector.finish():
        reason = "holds ROUGE's averages and no score of a summary"
        raise InputError(collector.source, reason, "run ROUGE with -d, which prints them")


def _is_nist_table(head: Sequence[str]) -> bool:
    return len(head) > 1 and head[0].strip() == "Topic" and head[1].startswith("|")


def _collect_nist_table(lines: Lines, collector: ScoreCollector, rouge: str) -> None:
    """Collect the scores below a heading, which has a line per column, each one column further to the right."""
    del rouge
    start = next((index for index, (_, line) in enumerate(lines) if index and not line.startswith("|")), len(lines))
    titles = [title for _, line in lines[:start] if (title := line.strip("| \t"))]
    assessor, summarizer, question = (
        _find_column(titles, kind) for kind in ("Assessor", "Summarizer", "Quality Question")
    )
    if summarizer is None or "Score" not in titles[-1]:
        raise InputError(collector.source, "has no columns Summarizer and Score in its heading", _REMEDY)
    name = "_".join(titles[-1].partition("Score")[0].lower().split())
    for number, line in lines[start:]:
        cells = line.split()
        if len(cells) != len(titles):
            reason = f"has {len(cells)} columns, and {len(titles)} are due"
            raise InputError(collector.source, reason, _REMEDY, number)
        measure = name if question is None else _QUALITY + cells[question]
        part = "" if assessor is None else cells[assessor]
        collector.add(measure, (cells[0], cells[summarizer]), cells[-1], number, part)


def _find_column(titles: Sequence[str], beginning: str) -> int | None:
    """Find the first column whose title begins with some words."""
    return next((index for index, title in enumerate(titles) if title.startswith(beginning)), None)


_JUDGED = (*(f"{_QUALITY}{number}" for number in range(1, 6)), CONTENT)
_MODIFIED_LINE = re.compile(r"\S+\s+\S+\s+[0-9.]+\s+[0-9]+\s+[0-9]+(?:(?:\s+[0-9.]+){6})?")


def _is_modified(head: Sequence[str]) -> bool:
    return bool(head) and bool(_MODIFIED_LINE.fullmatch(head[0]))


def _collect_modified(lines: Lines, collector: ScoreCollector, rouge: str) -> None:
    """Collect rows of modified score, numbers of SCUs and repetitions, and optionally five qualities and content."""
    del rouge
    for number, line in lines:
        row = parse_official_row(line, collector.source, number)
        key, judged = (row.pyramid, row.peer), line.split()[5:]
        if len(judged) not in {0, len(_JUDGED)}:
            raise InputError(collector.source, f"has {5 + len(judged)} columns, and 5 or 11 are due", _REMEDY, number)
        collector.add(MODIFIED_PYRAMID, key, row.modified, number)
        for name, cell in zip(_JUDGED, judged, strict=False):
            collector.add(name, key, cell, number)


FORMATS = (
    Format("a table of topic, system and measures divided by tabs", _is_table, _collect_table),
    Format("the output of ROUGE-1.5.5 with -d", _is_rouge, _collect_rouge),
    Format("NIST's tables of content and linguistic quality", _is_nist_table, _collect_nist_table),
    Format("NIST's modified pyramid scores", _is_modified, _collect_modified),
)
