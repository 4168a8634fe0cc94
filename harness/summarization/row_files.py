"""Files with a summary per row: tables in any form, which may be compressed by gzip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.files.columns import SYSTEM, Field, choose_table, fold_name
from harness.files.columns import TOPIC as TOPIC_FIELD
from harness.files.tables import Table, read_tables
from harness.rendering.tables import count_of
from harness.summarization.naming import AUTHOR, SINGLE_REFERENCE, TOPIC
from harness.summarization.summaries import Summary
from harness.text.markup import divide_text
from pyramid_paraphrase.errors import place
from pyramid_paraphrase.escaping import is_visible
from pyramid_paraphrase.files.tab_separated import Cells
from pyramid_paraphrase.pyramids.sources import GZIP_SUFFIX, SourceFile

TEXT = "text"

_SUMMARY_NAMES = (
    *("text", "summary", "decoded", "prediction", "predicted", "generated", "hypothesis", "candidate", "output"),
    *("systemsummary", "systemoutput", "modeloutput", "generatedsummary", "predictedsummary", "response"),
)
_REFERENCE_NAMES = (
    *("reference", "references", "referencesummary", "reftext", "ref", "target", "gold", "goldsummary", "highlights"),
    *("groundtruth", "humansummary"),
)
_AUTHOR = Field(AUTHOR, (SYSTEM.name, *SYSTEM.others), is_required=False)
PEER_FIELDS = (TOPIC_FIELD, _AUTHOR, Field(TEXT, _SUMMARY_NAMES))
REFERENCE_FIELDS = (TOPIC_FIELD, _AUTHOR, Field(TEXT, (*_REFERENCE_NAMES, *_SUMMARY_NAMES)))
"""The columns of references. A column of references comes first, because summaries may be in the same table."""

_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".xlsx")


def has_rows(name: str) -> bool:
    """Return whether the suffix of a file means that it has a summary per row."""
    return name.lower().removesuffix(GZIP_SUFFIX).endswith(_SUFFIXES)


def read_summary_rows(
    file: SourceFile, columns: Mapping[str, str], default_author: str
) -> tuple[list[Summary], list[str]]:
    """Read the summaries of a file.

    If a table of references has a column of references and one of systems, the systems wrote other texts of the row.
    Equal references of a topic are then a single one, and different ones have numbered authors. So have several texts
    in a list of JSON.

    Args:
        file: The decompressed content of the file, in any form of `harness.files.tables.read_tables`.
        columns: Names of columns by field. The column of authors is optional unless it is named.
        default_author: Author of all summaries if the file has no column of authors: `SINGLE_PEER` or
            `SINGLE_REFERENCE`, which also says which columns are recognized.

    Returns:
        The summaries, in order, and notes for the user. `divide_text` divides their texts into sentences.

    Raises:
        InputError: If the file is no table, or a column or a value is missing. The error names the line.
        LimitError: If the file is larger than `limits` or the reader of tables allows.
    """
    is_reference = default_author == SINGLE_REFERENCE
    fields, flag = (REFERENCE_FIELDS, "--reference-columns") if is_reference else (PEER_FIELDS, "--columns")
    table, places = choose_table(read_tables(file), fields, columns, flag)
    text_name = table.names[places[TEXT]]
    if text_name in table.listed and not is_reference:
        reason = f"{text_name} is a list"
        raise table.refuse(reason, "write the summary as one string, and several texts in a row each", table.rows[0][0])
    has_systems = AUTHOR in places and AUTHOR not in columns and fold_name(table.names[places[AUTHOR]]) != AUTHOR
    has_systems &= is_reference and fold_name(text_name) in _REFERENCE_NAMES
    if text_name in table.listed:
        rows_of_texts = table.rows
    else:  # a record has a row for each item of its lists
        first_rows: dict[int, Cells] = {}
        for number, cells in table.rows:
            first_rows.setdefault(number, cells)
        rows_of_texts = list(first_rows.items())
    rows = [_read_row(table, number, cells, places, default_author) for number, cells in rows_of_texts]
    if has_systems or text_name in table.listed:
        rows = _number_references(table, rows)
    summaries = []
    for number, topic, author, text in rows:
        sentences, markup = divide_text(text)
        path, line = table.locate(number)
        summaries.append(Summary(topic, author, sentences, place(path, line), markup))
    return summaries, table.notes


def _read_row(
    table: Table, number: int, cells: Sequence[str | None], places: Mapping[str, int], default_author: str
) -> tuple[int, str, str, str]:
    """Return the number of a row, its topic, author and text."""
    text = cells[places[TEXT]]
    if text is None:
        raise table.refuse(f"has no {table.names[places[TEXT]]}", "write the text, or remove the row", number)
    author = default_author
    if AUTHOR in places:
        author = _read_name(table, number, cells, places[AUTHOR])
    return number, _read_name(table, number, cells, places[TOPIC]), author, text


def _read_name(table: Table, number: int, cells: Sequence[str | None], column: int) -> str:
    """Return a topic or an author."""
    name = (cells[column] or "").strip()
    # A tab would split a cell of the file of scores, and an escape sequence would move the cursor of the terminal.
    if not name or not is_visible(name):
        raise table.refuse(f"{table.names[column]} is not a valid name", "use printable text or a number", number)
    return name


def _number_references(table: Table, rows: Sequence[tuple[int, str, str, str]]) -> list[tuple[int, str, str, str]]:
    """Give numbers to the references of each topic, without those that are equal to an earlier one."""
    texts_by_topic: dict[str, list[str]] = {}
    kept = []
    for number, topic, _, text in rows:
        texts = texts_by_topic.setdefault(topic, [])
        if text not in texts:
            texts.append(text)
            kept.append((number, topic, f"{SINGLE_REFERENCE}-{len(texts)}", text))
    if repeated := len(rows) - len(kept):
        table.notes.append(
            f"{table.file}: {count_of(repeated, 'reference')} equal to another one of the topic count once"
        )
    if all(len(texts) == 1 for texts in texts_by_topic.values()):
        kept = [(number, topic, SINGLE_REFERENCE, text) for number, topic, _, text in kept]
    return kept
