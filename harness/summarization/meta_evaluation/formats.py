"""The formats of files of scores and judgements. The first lines of a file decide its format.

NIST's are pyramid scores with judgements, judgements of assessors, and metrics of AESOP. From TAC 2009 on, NIST has a
file for each document set, such as `manual.peer.A` and `aesop_allpeers_B`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from harness.summarization.meta_evaluation.scores import JUDGEMENTS, REFERENCES, MeasureScores, ScoreCollector
from harness.summarization.meta_evaluation.tables import collect_tables
from harness.summarization.rouge import F_MEASURE, PRECISION, RECALL
from harness.support.errors import ComparisonError
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.inputs import decode, split_lines
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.pyramids.official_tables import (
    ORIGINAL_PYRAMID,
    QUALITY,
    REPETITIONS,
    SCUS,
    looks_official,
    parse_official_rows,
)
from pyramid_paraphrase.pyramids.sources import SourceFile, base_name

_REMEDY = "use NIST's file without changes"
_SET_FILE = re.compile(
    r"(?:manual\.(?:peer|model)\.([A-Z])|aesop_[a-z]+_([A-Z])|(?:rouge|simple)(?:jk)?_([A-Z])\.m)(?:\..*)?"
)
_PART_OF_MANUAL = re.compile(r"manual\.(?:peer|model)(?:\.[A-Z])?(?:\.gz)?")
_YEAR = re.compile(r"(?<![A-Za-z])(?:AESOP|GuidedSumm|UpdateSumm|TAC)[ _-]?(?:20)?([01][0-9])(?![0-9])", re.IGNORECASE)
_NUMBERED = re.compile(r"d(?P<number>[0-9]{1,2})(?P<set>-[A-Z])")
_DATED = re.compile(r"D(?P<year>[0-9]{2})(?P<number>[0-9]{2})(?P<set>-[A-Z])")
_AESOP_ROW = re.compile(r"s(?P<system>[0-9]+|[A-Z])\s+d(?P<number>[0-9]{1,2})(?P<values>(?:\s+\S+)+)")
_ASSESSED_ROW = re.compile(r"\S*[0-9]\S*\s+\S+\s+\S+\s+(?:[0-9]+|[A-Z])(?:\s+[0-9]+){1,2}")
_MIN_HEADING = 4

Lines = Sequence[tuple[int, str]]
"""The lines of a file that are not blank, with their numbers."""


def find_set(name: str) -> str:
    """Return the document set that the name of one of NIST's files states, such as "A", or ""."""
    match = _SET_FILE.fullmatch(base_name(name))
    return next(filter(None, match.groups()), "") if match else ""


def is_part_of_manual(name: str) -> bool:
    """Return whether a file has the judgements of either systems or people, beside a file of the others."""
    return bool(_PART_OF_MANUAL.fullmatch(base_name(name)))


def _add_set(topic: str, collector: ScoreCollector, line: int) -> str:
    """Add the document set of a file to a topic: topic D0907 of `manual.peer.A` is D0907-A."""
    head, dash, stated = topic.rpartition("-")
    if not collector.document_set or (dash and stated == collector.document_set):
        return topic
    if dash and head and len(stated) == 1:
        reason = f"topic {topic} is not in the document set of the file's name, {collector.document_set}"
        raise InputError(collector.source, reason, _REMEDY, line)
    return f"{topic}-{collector.document_set}"


def is_official(head: Sequence[str], _name: str) -> bool:
    """Return whether the first lines of a file are rows of pyramid scores."""
    return bool(head) and looks_official(head[0])


def collect_official(lines: Lines, collector: ScoreCollector, **_others: object) -> None:
    """Collect pyramid scores and judgements. In DUC 2005, two annotators scored some summaries."""
    for line, topic, system, values in parse_official_rows(lines, collector.source):
        part = ""
        if ORIGINAL_PYRAMID in values:
            collector.parts, part = JUDGEMENTS, str(line)
        for name, value in values.items():
            if name not in {SCUS, REPETITIONS}:
                collector.add(name, (_add_set(topic, collector, line), system), value, line, part)


def is_aesop(head: Sequence[str], name: str) -> bool:
    """Return whether a file is a table of the metrics of TAC's task AESOP, and not of a user with such names."""
    has_names = bool(head) and {"topic", "system"} <= set(re.split(r"[\s,;]+", head[0].lower()))
    is_named = "aesop" in base_name(name).lower()
    return any(map(_AESOP_ROW.fullmatch, head[:2])) and (is_named or not has_names)


def collect_aesop(lines: Lines, collector: ScoreCollector, **_others: object) -> None:
    """Collect metrics: a line of names, then rows such as `s12 d7 0.25 NaN`.

    The path of the file states the year: d7 of `AESOP2010_eval/data/aesop_allpeers_A` is D1007-A. Without a year, the
    topic is d7-A, which `match_topics` replaces.
    """
    years = _YEAR.findall(collector.source)
    names: list[str] = []
    for line, text in lines:
        match = _AESOP_ROW.fullmatch(text.strip())
        if not match:
            if line == lines[0][0]:
                continue
            raise InputError(collector.source, "expected a row such as `s12 d7 0.25`", _REMEDY, line)
        cells = match["values"].split()
        names = names or _name_metrics(lines[0][1], len(cells))
        if len(cells) != len(names):
            reason = f"expected {len(names)} metrics, found {len(cells)}"
            raise InputError(collector.source, reason, _REMEDY, line)
        topic = f"d{int(match['number'])}"
        if years:
            topic = f"D{years[-1]}{int(match['number']):02}"
        for name, cell in zip(names, cells, strict=True):
            if cell.lower() != "nan":
                collector.add(name, (_add_set(topic, collector, line), match["system"]), cell, line)


def _name_metrics(header: str, count: int) -> list[str]:
    """Return the names of a header, or numbers if it does not have one name per metric."""
    titles = header.split("\t") if "\t" in header else header.split()
    names = [title.strip() for title in titles[-count:]]
    is_row = bool(_AESOP_ROW.fullmatch(header.strip()))
    if is_row or len(titles) not in {count, count + 2} or len(set(filter(None, names))) < count:
        names = list(map(str, range(1, count + 1)))
    return [f"AESOP-{name}" if name.isdigit() else name for name in names]


def is_assessed(head: Sequence[str], _name: str) -> bool:
    """Return whether the first lines of a file are a heading of a table of judgements, or such a heading and rows.

    A table of a user has one line of names, with as many cells as the rows. Lines of NIST's headings may begin with
    bars.
    """
    start = next((index for index, line in enumerate(head) if _ASSESSED_ROW.fullmatch(line.strip())), 0)
    widths = {len(line.split()) for line in head[:start] if not line.startswith("|")}
    has_titles = len(head) > 1 and head[0].strip() == "Topic" and head[1].startswith("|")
    return has_titles or (start >= _MIN_HEADING and len(head[start].split()) not in widths)


def collect_assessed(lines: Lines, collector: ScoreCollector, **_others: object) -> None:
    """Collect judgements below a heading with one line per column, where each line is indented by one more column.

    If the heading does not name the columns in this way, the columns are those of DUC 2005: topic, selector, assessor,
    summarizer, for linguistic quality the question, and score.
    """
    start = next((index for index, (_, line) in enumerate(lines) if index and not line.startswith("|")), len(lines))
    titles = [title for _, line in lines[:start] if (title := line.strip("| \t"))]
    assessor, summarizer, question = (
        _find_column(titles, kind) for kind in ("Assessor", "Summarizer", "Quality Question")
    )
    name = "_".join(titles[-1].partition("Score")[0].lower().split())
    if summarizer is None or "Score" not in titles[-1]:
        start = next((index for index, (_, line) in enumerate(lines) if _ASSESSED_ROW.fullmatch(line.strip())), 0)
        if not start:
            raise InputError(collector.source, "has no columns Summarizer and Score in its heading", _REMEDY)
        width = len(lines[start][1].split())
        titles = [""] * width
        assessor, summarizer, question = 2, 3, 4 if width > 5 else None
        name = base_name(collector.source).partition(".")[0]
    for number, line in lines[start:]:
        cells = line.split()
        if len(cells) != len(titles):
            reason = f"expected {len(titles)} columns, found {len(cells)}"
            raise InputError(collector.source, reason, _REMEDY, number)
        measure = name if question is None else f"{QUALITY}_{cells[question]}"
        part = "" if assessor is None else cells[assessor]
        collector.add(measure, (cells[0], cells[summarizer]), cells[-1], number, part)


def _find_column(titles: Sequence[str], beginning: str) -> int | None:
    """Return the index of the first column whose title begins with some words, or None if there is none."""
    return next((index for index, title in enumerate(titles) if title.startswith(beginning)), None)


def match_topics(measures: Iterable[MeasureScores]) -> dict[str, str]:
    """Match the topics of AESOP, such as d7-A, by their number with topics of other measures, such as D0907-A.

    Args:
        measures: All measures.

    Returns:
        The names of the other measures by the names that AESOP has for these topics.

    Raises:
        ComparisonError: If the other measures have topics of several years with these numbers.
    """
    topics = sorted({topic for measure in measures for topic, _ in measure.values}, key=natural_key)
    numbered = {(int(match["number"]), match["set"]): match[0] for match in map(_NUMBERED.fullmatch, topics) if match}
    dated = [match for match in map(_DATED.fullmatch, topics) if match]
    matches = [match for match in dated if (int(match["number"]), match["set"]) in numbered]
    if len({match["year"] for match in matches}) > 1:
        reason = f"topics of AESOP may be those of several years, such as {matches[0][0]} and {matches[-1][0]}"
        raise ComparisonError(f"{reason}. Name the table with its folder, such as AESOP2010_eval/data/aesop_allpeers_A")
    return {numbered[int(match["number"]), match["set"]]: match[0] for match in matches}


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
    collector = ScoreCollector(file.name, find_set(file.name))
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
    "the metrics of AESOP": (is_aesop, collect_aesop),
    "NIST's tables of content and linguistic quality": (is_assessed, collect_assessed),
    "NIST's pyramid scores": (is_official, collect_official),
}
"""For each format, whether a file with these first lines and this name is in it, and the function that adds its scores
to a collector.

The functions take the keyword argument `rouge` of `parse_scores`. A file in none of these formats is a table of a user.
"""
