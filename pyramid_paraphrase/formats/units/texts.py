"""Read texts of summaries that a user has, for annotations whose files lack them: a table with a summary per row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import decode
from pyramid_paraphrase.files.tab_separated import iterate_csv
from pyramid_paraphrase.formats.units.common import parse_entries
from pyramid_paraphrase.pyramids.corpus import Accounts, Corpus, SummaryText
from pyramid_paraphrase.pyramids.sources import FileKind, SourceFile

_COLUMNS = ("document", "system", "text")
_TABLE = FileKind("texts of summaries", ".csv", (",".join(_COLUMNS).encode(),))
_LINES = FileKind("texts of summaries", ".jsonl", tuple(f'"{name}"'.encode() for name in _COLUMNS))

KINDS = (_TABLE, _LINES)

_REMEDY = f"use a table with the header {','.join(_COLUMNS)}, or JSON lines with these fields"

_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class _Row(msgspec.Struct, frozen=True):
    document: _Name
    system: _Name
    text: Annotated[str, msgspec.Meta(max_length=limits.MAX_TEXT_CHARACTERS)]


def read_texts(files: Sequence[SourceFile]) -> Corpus:
    """Read the texts of files. `common.add_texts` joins them with annotations.

    Args:
        files: The files, sorted by name, without repetitions.

    Returns:
        The texts. Topic and document are the id of the document, or of the pyramid, in the file.

    Raises:
        InputError: If a file is not such a table, or has two different texts of a summary. The error names the line.
    """
    texts: dict[tuple[str, str], SummaryText] = {}
    for file in files:
        for line, row in _parse_rows(file):
            text = SummaryText(row.document, row.system, row.text, file.name, document=row.document)
            first = texts.setdefault((row.document, row.system), text)
            if first.text != row.text:
                reason = f"has another text of {row.system} of {row.document} than before, in {first.file}"
                raise InputError(file.name, reason, "keep one of them", line)
    accounts = Accounts(files_read=len(files), files_used=len(files))
    return Corpus(accounts=accounts, summaries=tuple(texts.values()))


def _parse_rows(file: SourceFile) -> Iterator[tuple[int, _Row]]:
    """Yield the rows, each with its line.

    Raises:
        InputError: If the file is not such a table.
    """
    if file.kind == _LINES:
        yield from parse_entries(file, _Row, "a summary with document, system and text", _REMEDY)
        return
    rows = iterate_csv(decode(file.data, file.name, _REMEDY), file.name, _REMEDY)
    for number, (line, cells) in enumerate(rows):
        if number == 0 and tuple(cells) != _COLUMNS:
            raise InputError(file.name, f"has the header {','.join(cells)}", _REMEDY, line)
        if number and cells:
            if len(cells) != len(_COLUMNS):
                raise InputError(file.name, f"expected {len(_COLUMNS)} columns, found {len(cells)}", _REMEDY, line)
            try:
                yield line, msgspec.convert(dict(zip(_COLUMNS, cells, strict=True)), _Row)
            except msgspec.ValidationError as error:
                raise InputError(file.name, f"is not a summary of a system ({error})", _REMEDY, line) from None
