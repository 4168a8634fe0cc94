"""Tables of users in all forms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fuzzing.cases import Case
from fuzzing.chance import Chance
from fuzzing.mutations.lines import mutate_table
from fuzzing.mutations.markup import mutate_markup
from fuzzing.mutations.packing import mutate_archive, pack_zip
from fuzzing.mutations.values import mutate_json_lines
from fuzzing.target import Arguments, Target, require
from harness.files.columns import SYSTEM, TOPIC, choose_columns, is_number, read_numbers
from harness.files.tables import DELIMITERS, read_tables
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramids.sources import SourceFile

_NAME = "table"
_ROWS = [["topic", "system", "score"], ["t1", "s1", "0,5"], ["t1", 'the "second", one', ""], ["t2", "s1", "1"]]
_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
WORKBOOK = {
    "[Content_Types].xml": f"""<Types xmlns="{_PACKAGE}/content-types">
<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/></Types>""",
    "_rels/.rels": f"""<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="r1" Type="{_DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>""",
    "xl/workbook.xml": f"""<workbook xmlns="{_SHEETS}" xmlns:r="{_DOCUMENT}"><sheets>
<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>""",
    "xl/_rels/workbook.xml.rels": f"""<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="r1" Type="{_DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>""",
    "xl/worksheets/sheet1.xml": f"""<worksheet xmlns="{_SHEETS}"><sheetData>
<row r="2"><c r="B2" t="str"><v>topic</v></c><c r="C2" t="inlineStr"><is><t>system</t></is></c></row>
<row r="9"><c r="B9" t="str"><v>t1</v></c><c r="C9"><f>1/2</f><v>0.5</v></c><c r="D9" t="b"><v>1</v></c></row>
<row><c t="str"><f>A1</f><v></v></c><c><v>5e1</v></c></row></sheetData></worksheet>""",
}
_TEXTS = (
    "\n| topic | score |\n|---|---:|\n| t1 | 0.5 |\n\n* by one judge\n",
    'sep=;\r\n\r\nMeans;;\r\n;topic;score\r\n0;"a\nb";1,5\r\n1;t2;\r\n\r\n;system;score\r\n0;s1;1,5\r\n',
    '{"topic": {"0": "t1", "1": "t2"}, "score": {"0": 0.5, "1": NaN}}',
    '{"t1": {"s1": {"R-1": {"f": 0.5}}, "s2": [1, 2]}, "t2/s1": [{"a": [1]}]}',
    '{"doc": "t1", "model": "s1", "m": {"a": 1}, "votes": [{"x": 1}, {"x": 2}]}\n{"doc": "t2"}\n',
    '[["topic", "score"], ["t1", 1e5], ["t2", [1, {}]]]',
)


def _make_tables() -> Sequence[Case]:
    texts = [*_TEXTS, *("\n".join(delimiter.join(row) for row in _ROWS) for delimiter in DELIMITERS)]
    return [Case({_NAME: text.encode(encoding)}) for text in texts for encoding in ("utf-8-sig", "utf-16", "cp1252")]


def _make_workbooks() -> Sequence[Case]:
    return [Case({_NAME: pack_zip({name: text.encode() for name, text in WORKBOOK.items()})})]


def read_all(folder: Path, arguments: Arguments) -> object:
    """Read the tables of a file, their columns and their numbers."""
    del arguments
    tables = read_tables(SourceFile(_NAME, (folder / _NAME).read_bytes()))
    require(bool(tables), "there is a table, or an error")
    for table in tables:
        require(len(set(table.names)) == len(table.names) and all(table.names), "each column has a name of its own")
        require(bool(table.rows), "each table has a row")
        require(all(len(cells) == len(table.names) for _, cells in table.rows), "each row has a cell per column")
        for column in range(len(table.names)):
            try:
                numbers = read_numbers(table, column)
            except InputError:
                continue
            texts = [
                cells[column] for (_, cells), number in zip(table.rows, numbers, strict=True) if number is not None
            ]
            require(all(text and is_number(text) for text in texts), "each number is a text that looks like a number")
    return [choose_columns(table, (TOPIC, SYSTEM), {}) for table in tables[:1]]


def _mutate(data: bytes, chance: Chance) -> bytes:
    if chance.choice((True, False)):
        return mutate_json_lines(data, chance)
    return mutate_table(chance.choice(tuple(DELIMITERS)))(data, chance)


TARGETS = (
    Target("tables", read_all, _make_tables, ((_NAME, _mutate),), has_tree=False),
    Target(
        "workbooks",
        read_all,
        _make_workbooks,
        ((_NAME, mutate_archive(mutate_markup)),),
        needs=("openpyxl",),
        has_tree=False,
    ),
)
