"""Read tables with a pair of sentences per row: PAWS, Quora, GLUE, SICK, natural language inference, PARAPHRASUS.

A table is recognized by the columns in its first line, or by the form of that line if the release has no column names.
Cells are divided by tabs or, if the first line has none, by commas or semicolons, or they are those of an Excel sheet.
Between tabs, quotation marks are part of a sentence, except in the files of Quora and Kaggle, which quote cells as CSV
does.

A label of natural language inference says whether the first sentence entails the second one. Neutral pairs and
contradictions are not paraphrases. Entailment in one direction neither shows nor excludes a paraphrase, so these pairs
are debatable, as are pairs without a gold label.
"""

from __future__ import annotations

import ast
import csv
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from pyramid_paraphrase.errors import InputError, LimitError, NoAnnotationError, shorten, unknown_name
from pyramid_paraphrase.escaping import make_logger, restore_tsv
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import split_lines
from pyramid_paraphrase.files.tab_separated import iterate_csv
from pyramid_paraphrase.formats.pairs.files import DEBATABLE, AnnotatedPair, CorpusFile, share_sentence
from pyramid_paraphrase.rules.options import TEST, TRAIN, VALIDATION

Judgement = tuple[int, float | None]
"""A label and a grade. Graded pairs have no label, and their label is `DEBATABLE`."""

_MARK = "\ufeff"
_REMEDY = "get the file again, or correct this line"
_BYTES = re.compile(r"b(['\"]).*\1")
"""A sentence as the generator of PAWS-QQP prints it."""

_VOTES = re.compile(r"\(([0-6]), 6\)")
_GRADE = re.compile(r"[0-5](?:\.[0-9]{1,18})?")
_NO_LABEL = 2
"""Most votes of six against a paraphrase. Three votes are debatable (Lan et al. 2017, section 3)."""

_logger = make_logger(__name__)


def _read_label(text: str) -> Judgement | None:
    return (int(text), None) if text in ("0", "1") else None


_INFERENCES = {
    **dict.fromkeys(("neutral", "contradiction", "n", "c"), 0),
    **dict.fromkeys(("entailment", "e", "-", ""), DEBATABLE),
}


def _read_inference(text: str) -> Judgement | None:
    return None if text not in _INFERENCES else (_INFERENCES[text], None)


def _read_grade(text: str) -> Judgement | None:
    return (DEBATABLE, float(text)) if _GRADE.fullmatch(text) and float(text) <= 5 else None


def _read_votes(text: str) -> Judgement | None:
    votes = _VOTES.fullmatch(text)
    if votes is None:
        return None
    count = int(votes[1])
    label = DEBATABLE if count == _NO_LABEL + 1 else int(count > _NO_LABEL)
    return label, None


_INFERENCE_SCORES = {"0": 0, "-1": 0, "1": DEBATABLE}


def _read_paraphrasus(text: str) -> Judgement | None:
    """Read a score of PARAPHRASUS, after the name of its data set and a tab."""
    data_set, _, score = text.partition("\t")
    if "nli" in data_set:
        return (_INFERENCE_SCORES[score], None) if score in _INFERENCE_SCORES else None
    return _read_grade(score) if data_set.endswith("-sts") else _read_label(score)


def _read_listed(text: str) -> Judgement | None:
    return {"paraphrase": (1, None), "not a paraphrase": (0, None)}.get(text, _read_label(text))


class PairTable(NamedTuple):
    """A form of tables of pairs.

    Attributes:
        corpus: Name of the corpus in the catalog, or "" if other corpora have the same form.
        names: Pattern of the names of its files, as the corpus is distributed.
        columns: The columns of both sentences and of the judgement, which may be in two columns. In a table without
            column names, they are positions.
        read: Returns the judgement that a cell means, or None. It gets two cells joined by a tab.
        allowed: The values of the judgement, for messages.
        first_line: Pattern of the first line of a table without column names. "" for a table with column names.
        topic: The column that says which pairs are not independent. In a table without column names, its position. "",
            a table without this column, and an empty cell stand for the first sentence.
        has_other_widths: Whether rows can have fewer or, without column names, more cells than the first line.
        skips_faulty: Whether rows with an empty sentence or another number of cells are left out and counted, because
            the release has some.
        is_escaped: Whether texts that a spreadsheet would run as a formula have an apostrophe in front, except in JSON
            and in Excel.
    """

    corpus: str
    names: str
    columns: tuple[str, ...]
    read: Callable[[str], Judgement | None]
    allowed: str
    first_line: str = ""
    topic: str = ""
    has_other_widths: bool = False
    skips_faulty: bool = False
    is_escaped: bool = False

    def fits(self, first_line: str, *, without_judgement: bool = False) -> bool:
        """Return whether a file with this first line has this form, or has it except for its judgements."""
        if self.first_line:
            return not without_judgement and re.match(self.first_line, first_line) is not None
        columns = self.columns[:2] if without_judgement else self.columns
        return set(columns) <= set(list_columns(first_line))

    def find_places(self, names: Sequence[str]) -> list[int]:
        """Return the positions of the columns, and that of the topic or, without one, of the first sentence."""
        if self.first_line:
            return [int(name) for name in (*self.columns, self.topic or self.columns[0])]
        topic = self.topic if self.topic in names else self.columns[0]
        return [names.index(name) for name in (*self.columns, topic)]


_LABELS, _GRADES, _INFERENCE_LABELS = "0 or 1", "a grade from 0 to 5", "entailment, neutral, contradiction or -"
_GLUE = r"(?:train|dev|test)\.tsv"
TABLES = (
    PairTable(
        "qqp",
        rf"quora_duplicate_questions\.tsv|{_GLUE}",
        ("question1", "question2", "is_duplicate"),
        _read_label,
        _LABELS,
        skips_faulty=True,
    ),
    PairTable(
        "msrp",
        rf"msr_paraphrase_(?:train|test)\.txt|{_GLUE}",
        ("#1 String", "#2 String", "Quality"),
        _read_label,
        _LABELS,
    ),
    PairTable(
        "sick",
        r"SICK(?:_train|_trial|_test_annotated)?\.txt",
        ("sentence_A", "sentence_B", "relatedness_score"),
        _read_grade,
        _GRADES,
    ),
    PairTable(
        "",
        r"(?:fb-anli-pre-hyp|stannlp-snli-pre-hyp|sickr-sts|stsbenchmark-test-sts)\.tsv",
        ("sentence1", "sentence2", "data set", "score"),
        _read_paraphrasus,
        "-1, 0 or 1 for data sets of inference, a grade from 0 to 5 for -sts, and 0 or 1 for others",
    ),
    PairTable(
        "sts-b",
        _GLUE,
        ("sentence1", "sentence2", "score", "genre"),
        lambda text: _read_grade(text.partition("\t")[0]),
        _GRADES,
    ),
    PairTable("", r"(?:train|dev|test)\.(?:tsv|csv|xlsx)", ("sentence1", "sentence2", "score"), _read_grade, _GRADES),
    PairTable(
        "sts-b",
        r"sts-(?:train|dev|test)\.csv",
        ("5", "6", "4"),
        _read_grade,
        _GRADES,
        first_line=r"main-[a-z]+\t[^\t]*\t[^\t]*\t[^\t]*\t[0-9.]+\t",
        has_other_widths=True,
    ),
    PairTable(
        "",
        r"(?:multinli|snli)_1\.0_(?:train|dev|test|dev_matched|dev_mismatched)\.(?:jsonl|txt)|dev_(?:mis)?matched\.tsv",
        ("sentence1", "sentence2", "gold_label"),
        _read_inference,
        _INFERENCE_LABELS,
        has_other_widths=True,
    ),
    PairTable("anli", r"(?:train|dev|test)\.jsonl", ("context", "hypothesis", "label"), _read_inference, "e, n or c"),
    PairTable(
        "",
        r"(?:train|dev|test)\.(?:tsv|csv|xlsx)|(?:dev_and_test|onestop_parallel_all_pairs)\.tsv",
        ("sentence1", "sentence2", "label"),
        _read_label,
        _LABELS,
    ),
    PairTable(
        "twitter-url-votes",
        r"Twitter_URL_Corpus_(?:train|test)\.txt",
        ("0", "1", "2"),
        _read_votes,
        "the votes of six people, such as (4, 6)",
        first_line=r"[^\t]*\t[^\t]*\t\([0-6], 6\)\t",
        topic="3",
    ),
    PairTable(  # the command `pairs` writes it
        "",
        r"pairs\.(?:tsv|jsonl|csv|xlsx)",
        ("text1", "text2", "label"),
        _read_listed,
        "0, 1, paraphrase or other. Pairs with grades are read from the files of their corpus",
        topic="topic1",
        is_escaped=True,
    ),
)
"""The forms. A file has the first form that fits its first line."""

_DELIMITERS = {"\t": "tab", ",": "comma", ";": "semicolon"}
_WORDS_OF_SPLITS = (
    (TEST, {"test", "mismatched"}),
    (TRAIN, {"train"}),
    (VALIDATION, {"dev", "val", "valid", "validation", "trial"}),
)


def list_columns(first_line: str) -> list[str]:
    """List the column names in the first line of a table, or the keys of the first object of JSON lines."""
    line = first_line.removeprefix(_MARK)
    if not line.startswith("{"):
        delimiter = find_delimiter(line)
        if delimiter == "\t":
            return line.split(delimiter)
        try:
            return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
        except csv.Error:  # a name that is too long
            return []
    try:
        return list(msgspec.json.decode(line, type=dict[str, msgspec.Raw]))
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return []


def find_delimiter(first_line: str) -> str:
    """Return the character between the cells of a table: a tab, or the more frequent one of comma and semicolon.

    A line without them is a table with one column, as for tabs. JSON lines have no delimiter, and count as tabs.
    """
    counts = {delimiter: first_line.count(delimiter) for delimiter in _DELIMITERS}
    return "\t" if counts["\t"] or first_line.startswith("{") else max(counts, key=counts.__getitem__)


def find_table(first_line: str) -> PairTable | None:
    """Return the form of a file with this first line, or None if it is not a table of pairs."""
    return next((table for table in TABLES if table.fits(first_line)), None)


def is_table(name: str, first_line: str) -> bool:
    """Return whether a file has the name and the first line of a table of pairs. "" stands for any name."""
    return (not name or is_table_name(name)) and find_table(first_line) is not None


def is_table_name(name: str) -> bool:
    """Return whether a corpus of tables contains a file of this name."""
    return any(re.fullmatch(table.names, name) for table in TABLES)


def find_corpus(files: Sequence[CorpusFile]) -> str:
    """Return the name of the only corpus that has the form of one of the files, or ""."""
    tables = filter(None, (find_table(file.first_line) for file in files))
    return next((table.corpus for table in tables if table.corpus), "")


def find_split(name: str) -> str:
    """Return the split that the name of a file says, and `TEST` if it says none.

    The mismatched pairs of MultiNLI are its test, because its test files have no labels.
    """
    words = set(re.split(r"[^a-z]+", name.lower()))
    return next((split for split, marks in _WORDS_OF_SPLITS if words & marks), TEST)


def parse_tables(files: Sequence[CorpusFile]) -> dict[str, list[AnnotatedPair]]:
    """Read the files of one corpus, each a split.

    Test files without judgements, as in GLUE, are left out with a warning. Then `dev` is the test.

    Args:
        files: The files of one folder, or a single file.

    Returns:
        Pairs by split.

    Raises:
        InputError: If a row does not fit the form, or two files have the same split or different forms.
    """
    splits: dict[str, list[AnnotatedPair]] = {}
    tables: dict[str, CorpusFile] = {}
    for file in files:
        table, split = _choose_table(file), find_split(file.name)
        if table is None:
            continue
        tables.setdefault(table.corpus, file)
        if len(tables) > 1 or split in splits:
            reason = f"is a second file with the split {split}"
            if len(tables) > 1:
                reason = f"is of another corpus than {next(iter(tables.values())).name}"
            raise InputError(file.full_name, reason, "use the path of one file, or the folder of one corpus")
        splits[split] = _parse_table(file, table)
    if len(files) == 1:
        splits = dict.fromkeys([TEST], next(iter(splits.values()), []))
    elif VALIDATION in splits and TEST not in splits:
        _logger.warning("%s: the pairs of dev are the test, because no test file has labels", files[0].full_name)
        splits[TEST] = splits.pop(VALIDATION)
    return splits


def _choose_table(file: CorpusFile) -> PairTable | None:
    """Return the form of a file, or None for an empty file and, with a warning, for test pairs without judgements.

    Raises:
        InputError: If the file has no known form.
    """
    table, line = find_table(file.first_line), file.first_line
    if table is not None or not file.text:
        return table
    if find_split(file.name) == TEST and any(form.fits(line, without_judgement=True) for form in TABLES):
        _logger.warning("%s: left out, because its pairs have no labels", file.full_name)
        return None
    raise refuse_columns(file)


def require_table(file: CorpusFile) -> None:
    """Check that a single file is a table of pairs.

    Raises:
        InputError: If it is empty, or has no known form.
    """
    if not file.text:
        raise InputError(file.full_name, "empty", "write a table with the columns sentence1, sentence2 and label")
    if find_table(file.first_line) is None:
        raise refuse_columns(file)


def refuse_columns(file: CorpusFile) -> NoAnnotationError:
    """Describe the columns of a table that has no known form, as an error to be raised by the caller."""
    names = list_columns(file.first_line)
    found = ", ".join(f"'{shorten(name, 40)}'" for name in names[:8]) or "no name"
    more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
    remedy = (
        "name the columns sentence1, sentence2 and label (0 or 1), or score in place of label (a grade from 0 to 5). "
        "Use the publisher's files of a published corpus, and the folder if it has several"
    )
    reason = f"its first line has no columns of labelled pairs, but {found}{more}"
    return NoAnnotationError(file.full_name, reason, remedy, 1)


def _parse_table(file: CorpusFile, table: PairTable) -> list[AnnotatedPair]:
    """Parse a file of a known form. Rows that are left out, or have no label or grade, are counted in a warning."""
    pairs, faulty = [], 0
    for number, cells in _iterate_rows(file, table):
        if table.skips_faulty and not (cells and cells[0].strip() and cells[1].strip()):
            faulty += 1
            continue
        first, second = (_decode_literal(text, file.full_name, number) for text in cells[:2])
        if not first.strip() or not second.strip():
            raise InputError(file.full_name, "a sentence is empty", _REMEDY, number)
        judgement = table.read("\t".join(cells[2:-1]))
        if judgement is None:
            reason = f"label is '{' '.join(cells[2:-1])[:40]}'"
            raise InputError(file.full_name, reason, f"use {table.allowed}", number)
        first, topic = share_sentence(first)
        if table.topic and cells[-1]:
            _, topic = share_sentence(cells[-1])
        pairs.append(AnnotatedPair(number, topic, first, second, *judgement))
    total = f"{len(pairs) + faulty:,}"
    if faulty:
        message = "%s: %s of %s rows are left out, because they have an empty sentence or another number of columns"
        _logger.warning(message, file.full_name, f"{faulty:,}", total)
    undecided = sum(pair.label == DEBATABLE and pair.grade is None for pair in pairs)
    if undecided:
        message = "%s: %s of %s pairs are debatable (entailment in one direction, no gold label, or three of six votes)"
        _logger.warning(message, file.full_name, f"{undecided:,}", total)
    return pairs


def parse_unlabelled(file: CorpusFile) -> list[AnnotatedPair]:
    """Read the sentences of a table without labels and grades, whose columns are sentence1 and sentence2.

    Returns:
        The pairs. Empty if the table has a known form, or not these columns.

    Raises:
        InputError: If a row does not fit the header, or a sentence is empty.
    """
    columns = ("sentence1", "sentence2")
    if find_table(file.first_line) or not {*columns} <= {*list_columns(file.first_line)}:
        return []
    pairs = []
    for number, cells in _iterate_rows(file, PairTable("", "", columns, _read_label, "")):
        if not cells[0].strip() or not cells[1].strip():
            raise InputError(file.full_name, "a sentence is empty", _REMEDY, number)
        first, topic = share_sentence(cells[0])
        pairs.append(AnnotatedPair(number, topic, first, cells[1], DEBATABLE))
    return pairs


def read_column(file: CorpusFile, column: str) -> Iterator[tuple[int, str, str, str]]:
    """Read a further column of a table of pairs, such as the predictions of a system.

    Args:
        file: A file that has one of the forms.
        column: Name of the column.

    Yields:
        The line of each row, both sentences, and the cell.

    Raises:
        OptionError: If the table has no such column.
        InputError: If a row does not fit the form.
    """
    table, names = find_table(file.first_line), list_columns(file.first_line)
    if table is None or table.first_line or column not in names:
        raise unknown_name("column", column, names)
    wanted = table._replace(columns=(*table.columns[:2], column))
    for number, cells in _iterate_rows(file, wanted):
        if cells:
            first, second = (_decode_literal(text, file.full_name, number) for text in cells[:2])
            yield number, first, second, cells[2]


def _iterate_rows(file: CorpusFile, table: PairTable) -> Iterator[tuple[int, list[str]]]:
    """Yield the line of each row, and its sentences, its judgement and its topic, or no cells of a faulty row.

    Raises:
        InputError: If a row has another number of cells than the first line, and the release has no such rows, or if a
            row is not valid JSON or CSV.
    """
    text = file.text.removeprefix(_MARK)
    if text.startswith("{"):
        for number, line in enumerate(split_lines(text, file.full_name), 1):
            yield number, _read_object(line, table, file.full_name, number)
        return
    delimiter = "," if file.is_sheet else find_delimiter(file.first_line)
    rows = _divide_rows(file, delimiter)
    first = next(rows)
    _, names = first
    places = table.find_places(names)
    restore = restore_tsv if table.is_escaped and not file.is_sheet else str
    fewest = max(places) + 1 if table.has_other_widths else len(names)
    most = sys.maxsize if table.first_line and table.has_other_widths else len(names)
    for number, cells in chain([first] if table.first_line else [], rows):
        if fewest <= len(cells) <= most:
            yield number, [restore(re.sub(r"[\r\n]+", " ", cells[place])) for place in places]
        elif table.skips_faulty:
            yield number, []
        else:
            reason = f"expected {len(names)} {_DELIMITERS[delimiter]}-separated columns, found {len(cells)}"
            raise InputError(file.full_name, reason, _REMEDY, number)


def _divide_rows(file: CorpusFile, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line of each row with its cells. Blank rows of CSV and Excel, which spreadsheets write, are skipped."""
    text = file.text.removeprefix(_MARK)
    is_quora = "quora" in file.name.lower()
    if delimiter == "\t" and not is_quora:
        lines = split_lines(text, file.full_name)
        yield from ((number, line.split(delimiter)) for number, line in enumerate(lines, 1))
        return
    if text.count("\n") > limits.MAX_LINES:
        raise LimitError(file.full_name, f"has more than {limits.MAX_LINES:,} lines", "split the file")
    for number, cells in iterate_csv(text, file.full_name, _REMEDY, delimiter):
        if is_quora or any(cells):
            yield number, cells


def _read_object(line: str, table: PairTable, name: str, number: int) -> list[str]:
    try:
        values = msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise InputError(name, f"is not an object of JSON ({error})", _REMEDY, number) from None
    for column in table.columns:
        if not isinstance(values.get(column), str):
            raise InputError(name, f"has no text with the key {column}", _REMEDY, number)
    topic = values.get(table.topic)
    return [*(values[column].replace("\n", " ") for column in table.columns), str(topic or "")]


def _decode_literal(text: str, name: str, number: int) -> str:
    """Return a sentence that was printed as bytes of Python, such as b'a heron', and any other text as it is."""
    if not _BYTES.fullmatch(text):
        return text
    try:
        return ast.literal_eval(text).decode()
    except (ValueError, SyntaxError):  # UnicodeDecodeError is a ValueError
        raise InputError(name, f"sentence is {text[:40]}, which is not valid in Python", _REMEDY, number) from None
