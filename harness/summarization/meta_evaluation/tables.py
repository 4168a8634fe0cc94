"""Scores and judgements in tables of users, whose columns are recognized by their names or named by the user."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence, Set
from decimal import Decimal
from functools import partial
from pathlib import PurePath

from harness.files.columns import (
    SYSTEM,
    TOPIC,
    Field,
    choose_columns,
    find_name,
    is_missing,
    is_number,
    read_numbers,
)
from harness.files.tables import Table, read_tables
from harness.rendering.tables import count_of, join_some
from harness.summarization.meta_evaluation.scores import ALL_TOPICS, JUDGEMENTS, ScoreCollector
from pyramid_paraphrase.errors import InputError, shorten
from pyramid_paraphrase.pyramids.sources import SourceFile
from pyramid_paraphrase.words import compose

JUDGE = Field("judge", is_required=False)
METRIC = Field("metric", ("metricname", "measure", "measurename", "criterion", "dimension", "aspect"), False)
VALUE = Field("value", is_required=False)
TYPE = Field("type", ("summarizertype", "systemtype", "authortype"), is_required=False)
FIELDS = (TOPIC, SYSTEM, JUDGE, METRIC, VALUE, TYPE)
"""The fields of a score, which `--columns` maps to columns."""

EVERY = "*"
"""Column of a field whose values are the names of the columns with numbers."""

_JUDGE_NAMES = tuple(
    re.compile(rf"(?:{names})s?(?:[ _-]?(?:id|name|number|no|nr))?", re.IGNORECASE)
    for names in (
        "assessor|annotator|judge|rater|worker",
        (
            "crowdworker|turker|coder|evaluator|expert|grader|labell?er|participant|person|respondent|reviewer|scorer|subject"
            "|user|volunteer|annotatorin|annotateur|annotador|bewerter|bewerterin|gutachter|gutachterin|kodierer|kodiererin"
            "|évaluateur|evaluador|juge|juez|proband|probandin|teilnehmer|teilnehmerin|valutatore"
        ),
    )
)
"""Names of columns of judges: usual ones, and those that count if there is none of them."""

_IS_PERSON = {"reference": True, "human": True, "person": True, "peer": False, "system": False, "automatic": False}
"""Whether summarizers of a type are people. SacreROUGE has the types "reference" and "peer"."""

_NO_COLUMN = -1
"""Index of the column of a field whose values are the names of the columns with numbers."""

_ROUNDING = 1e-9
"""Relative error that a mean may have without being another number."""

_Found = dict[str, int]
"""Indices of columns by name of the field."""


def collect_tables(
    file: SourceFile, collector: ScoreCollector, columns: Mapping[str, str], *, are_judgements: bool
) -> None:
    """Collect the scores of the tables of a file.

    A table has a row per summary, or per summary and judge, and a column per measure. With a column of names of
    metrics, it has a row per summary and metric. Beside a table of topics and systems, tables of topics or of systems
    alone are only compared with its means. A file with nothing but a row per system has scores on `ALL_TOPICS`.

    Args:
        file: The file.
        collector: The collector of its scores. Notes and the names of all columns are added to it.
        columns: Names of columns by field, as from `parse_columns` with `FIELDS`. A field applies to the tables that
            have its column. `EVERY` applies to tables that have no column of topics or of systems, also if it follows
            the name of a column, as in "model,*".
        are_judgements: Whether several rows for one summary are judgements, whose mean counts.

    Raises:
        InputError: If the file has no column of systems or of numbers, or a row cannot be used.
    """
    tables = read_tables(file)
    notes = [tuple(table.notes) for table in tables]
    numeric = [_find_numbers(table) for table in tables]
    found = [_find_columns(table, columns, numbers) for table, numbers in zip(tables, numeric, strict=True)]
    measures = [_find_measures(*parts) for parts in zip(tables, found, numeric, strict=True)]
    used = _choose_finest(tables, found, measures)
    if not used:
        raise _refuse_incomplete(tables[0], found[0], columns, len(measures[0]))
    for table, fields in zip(tables, found, strict=True):
        collector.columns += (*table.names, *([EVERY] if _NO_COLUMN in fields.values() else []))
    has_several = are_judgements or any(tables[place].listed for place in used)
    if has_several and not any(JUDGE.name in found[place] for place in used):
        collector.parts = JUDGEMENTS
    for place in used:
        _collect(tables[place], found[place], measures[place], collector, are_judgements=are_judgements)
        if TYPE.name in found[place]:
            _collect_types(tables[place], found[place], collector)
        _note_unused(tables[place], found[place], measures[place], numeric[place])
        collector.notes += tables[place].notes
    collector.refuse = partial(InputError, file.name)  # without the rows of a table
    for place, table in enumerate(tables):
        if place not in used:
            collector.notes += (*notes[place], _compare_means(table, found[place], measures[place], collector))


def _find_columns(table: Table, columns: Mapping[str, str], numeric: Set[int]) -> _Found:
    """Find the columns of the fields, as far as a table has them. Notes in the table say what was recognized."""
    divided = {field: divide_name(name) for field, name in columns.items()}
    named = {field: name for field, (name, _) in divided.items() if find_name(name, table.names)}
    keys = [field._replace(is_required=False) for field in (TOPIC, SYSTEM)]
    others = [field for field in (JUDGE, METRIC, VALUE, TYPE) if field.name in named]
    found = choose_columns(table, [*keys, *others], named)
    if METRIC.name not in found and (metric := _find_texts(table, found, METRIC, numeric)) is not None:
        found[METRIC.name] = metric
        note = f"{table.file}: the names of metrics are in the column {table.names[metric]}"
        table.notes.append(f"{note}. Use --columns metric=NAME to choose another")
    has_type = TYPE.name in found or found.get(SYSTEM.name, _NO_COLUMN) == _NO_COLUMN
    kind = None if has_type else _find_texts(table, found, TYPE, numeric)
    if kind is not None and {cell.lower() for cell in _list_cells(table, kind)} <= _IS_PERSON.keys():
        found[TYPE.name] = kind
    if JUDGE.name not in found and (judge := _recognize_judge(table, found)) is not None:
        found[JUDGE.name] = judge
    if _may_be_wide(table, found, numeric):
        every = [name for name in (TOPIC.name, SYSTEM.name) if name not in found and divided.get(name, ("", False))[1]]
        found |= dict.fromkeys(every, _NO_COLUMN)
    return found


def divide_name(column: str) -> tuple[str, bool]:
    """Divide the name of a column that the user gave from `EVERY`, which may follow it or stand alone."""
    name, _, last = column.rpartition(",")
    return (name.strip(), True) if last.strip() == EVERY else (column, False)


def _may_be_wide(table: Table, found: _Found, numeric: Set[int]) -> bool:
    """Return whether the columns of numbers can be topics or systems. A single one beside texts has ratings."""
    others = {column for column, _ in _list_others(table, found)}
    return len(others & numeric) > 1 or others <= numeric


def _find_texts(table: Table, found: _Found, field: Field, numeric: Set[int]) -> int | None:
    """Find the column of a field among the columns without numbers."""
    texts = [name for column, name in _list_others(table, found) if column not in numeric]
    name = next(filter(None, (find_name(name, texts) for name in (field.name, *field.others))), None)
    return None if name is None else table.names.index(name)


def _recognize_judge(table: Table, found: _Found) -> int | None:
    """Recognize the column with names of judges.

    Numbers in a column such as "judge" are names if summaries have several rows. They are scores if each summary has
    one row, as in a table by a language model in the place of a judge.

    Raises:
        InputError: If several columns have such a name.
    """
    others = _list_others(table, found)
    has_one_row_each = _has_one_row_each(table, found)
    candidates: list[int] = []
    for pattern in _JUDGE_NAMES:
        candidates = candidates or [
            column
            for column, name in others
            if pattern.fullmatch(name) and not (has_one_row_each and all(map(is_number, _list_cells(table, column))))
        ]
    if len(others) == 1 or not candidates:
        return None
    if len(candidates) > 1:
        names = " and ".join(table.names[column] for column in candidates)
        example = shlex.quote(f"judge={table.names[candidates[0]]}")
        remedy = f"name the right one, such as --columns {example}"
        raise table.refuse(f"{names} may both name judges", remedy)
    return candidates[0]


def _has_one_row_each(table: Table, found: _Found) -> bool:
    """Return whether no two records of a table have the same topic, system, metric and judge."""
    keys = found.keys() - {VALUE.name, TYPE.name}
    columns = [found[field] for field in keys if found[field] != _NO_COLUMN]
    records = {number: tuple(cells[column] for column in columns) for number, cells in table.rows}
    return len(set(records.values())) == len(records)


def _list_others(table: Table, found: _Found) -> list[tuple[int, str]]:
    """List the columns without a field, with their names."""
    return [(column, name) for column, name in enumerate(table.names) if column not in found.values()]


def _list_cells(table: Table, column: int) -> list[str]:
    """List the cells of a column that have a value."""
    cells = (cells[column] for _, cells in table.rows)
    return [cell for cell in cells if cell is not None and not is_missing(cell)]


def _find_numbers(table: Table) -> Set[int]:
    """Find the columns in which at least half of the values are numbers."""
    numeric = set()
    for column in range(len(table.names)):
        cells = _list_cells(table, column)
        if cells and 2 * sum(is_number(cell.strip()) for cell in cells) >= len(cells):
            numeric.add(column)
    return numeric


def _find_measures(table: Table, found: _Found, numeric: Set[int]) -> list[int]:
    """Find the columns with scores: the one that the user named, or all other columns with numbers."""
    if VALUE.name in found:
        return [found[VALUE.name]]
    return [column for column, _ in _list_others(table, found) if column in numeric]


def _choose_finest(tables: Sequence[Table], found: Sequence[_Found], measures: Sequence[Sequence[int]]) -> list[int]:
    """Return the places of the tables with a score per summary, or else per system.

    If some tables have a score per judge, tables with the same measures and no judges are left out.
    """
    complete = [place for place, fields in enumerate(found) if {TOPIC.name, SYSTEM.name} <= fields.keys()]
    if not complete:
        by_system = [place for place, fields in enumerate(found) if SYSTEM.name in fields]
        return [place for place in by_system if _has_one_row_each(tables[place], found[place])]
    complete = [place for place in complete if measures[place]] or complete
    names = {place: {tables[place].names[column] for column in measures[place]} for place in complete}
    judged = set().union(*(names[place] for place in complete if JUDGE.name in found[place]))
    return [place for place in complete if JUDGE.name in found[place] or not names[place] & judged]


def _refuse_incomplete(table: Table, found: _Found, columns: Mapping[str, str], measures: int) -> InputError:
    """Return the error about a table without topics or systems, and with a number of columns of numbers."""
    lacking = [name for name in (TOPIC.name, SYSTEM.name) if name not in found]
    first = lacking[0]
    name, is_every = divide_name(columns.get(first, ""))
    wanted = f" {name}" if name else ""
    reason = f"has no column{wanted} for {' and '.join(lacking)}. Its columns, with their first values, are "
    remedy = f'name it, such as --columns "{first}=NAME,{EVERY}"' if is_every else ""
    remedy = remedy or f"name it, such as --columns {first}=NAME"
    if lacking == [TOPIC.name]:
        remedy += ". A table with a single row per system needs no topic"
    if measures > 1:
        remedy += f'. If each column of numbers is a {first}, use --columns "{first}={EVERY}"'
    if len(lacking) > 1:
        others = "use output of ROUGE-1.5.5, a table of NIST, or pyramid annotations"
        remedy = (
            "name them, such as --columns topic=NAME,system=NAME, and judge=NAME if there are judges, or system=NAME "
        )
        remedy += f"alone if each row is a system. Or {others}"
        if len(table.names) == 1:
            remedy = f"separate the columns by tabs or commas, or {others}"
    return table.refuse(reason + table.describe(), remedy)


def _collect(
    table: Table, found: _Found, measures: Sequence[int], collector: ScoreCollector, *, are_judgements: bool
) -> None:
    """Collect the scores of a table."""
    if not measures:
        reason = f"has no column of numbers. Its columns, with their first values, are {table.describe()}"
        raise table.refuse(reason, "add a column for each measure, with numbers")
    collector.refuse = table.refuse
    scores = {column: read_numbers(table, column) for column in measures}
    listed = {column for column in measures if table.names[column] in table.listed}
    every = [field for field, column in found.items() if column == _NO_COLUMN]
    previous = 0
    for place, (number, cells) in enumerate(table.rows):
        begins_record, previous = number != previous, number
        scored = [column for column in measures if begins_record or column in listed]
        scored = [column for column in scored if scores[column][place] is not None]
        if not scored:
            continue
        names = {field: cells[column] or "" for field, column in found.items() if column != _NO_COLUMN}
        names.pop(TYPE.name, None)
        for field, name in names.items():
            if not name:
                remedy = f"write the {field} in each row. Merged cells have a value in their first row only"
                raise table.refuse(f"has no {table.names[found[field]]}", remedy, number)
        for column in scored:
            names.update(dict.fromkeys(every, table.names[column]))
            part = names.get(JUDGE.name, "")
            if not part and (are_judgements or column in listed):
                part = f"{table.file}, {number}, {place}"
            key = (names.get(TOPIC.name, ALL_TOPICS), names[SYSTEM.name])
            measure = _name_measure(table, found, measures, column, names.get(METRIC.name, ""))
            collector.add(measure, key, scores[column][place] or 0.0, number, part)


def _collect_types(table: Table, found: _Found, collector: ScoreCollector) -> None:
    """Collect which summarizers are people.

    Raises:
        InputError: If a type is unknown, a summarizer has two, or the systems are columns.
    """
    types, system = found[TYPE.name], found[SYSTEM.name]
    if system == _NO_COLUMN:
        raise table.refuse("has types of summarizers, but no column of systems", "omit type from --columns")
    for number, cells in table.rows:
        kind, name = (cells[types] or "").lower(), compose(cells[system] or "")
        if not kind:
            continue
        if kind not in _IS_PERSON:
            remedy = f"use {' or '.join(_IS_PERSON)}"
            raise table.refuse(f"'{shorten(kind, 40)}' is not a type of summarizers", remedy, number)
        if collector.people.setdefault(name, _IS_PERSON[kind]) != _IS_PERSON[kind]:
            reason = f"summarizer {name} is a person in some rows and a system in others"
            raise table.refuse(reason, "use a different name for each summarizer", number)
    counts = f"{sum(collector.people.values()):,} of {len(collector.people):,} summarizers are people"
    table.notes.append(f"{table.file}: the column {table.names[types]} says that {counts}")


def _name_measure(table: Table, found: _Found, measures: Sequence[int], column: int, metric: str) -> str:
    """Return the name of the measure of a score: the metric of its row, its column, both, or the sheet or file."""
    if _NO_COLUMN in found.values():
        file, _, sheet = table.file.rpartition(", sheet ")
        return metric or (sheet if file else PurePath(table.file).name.partition(".")[0])
    if metric and len(measures) > 1:
        return f"{metric} {table.names[column]}"
    return metric or table.names[column]


def _note_unused(table: Table, found: _Found, measures: Sequence[int], numeric: Set[int]) -> None:
    """Note the columns without numbers, the spelled missing values, and the absence of topics."""
    if ignored := [name for column, name in _list_others(table, found) if column not in numeric]:
        names = join_some([shorten(name, 40) for name in ignored], 6)
        table.notes.append(f"{table.file}: {count_of(len(ignored), 'column')} without numbers not used ({names})")
    spelled = [cells[column] for _, cells in table.rows for column in measures if cells[column]]
    if missing := [cell for cell in spelled if is_missing(cell)]:
        forms = join_some(list(dict.fromkeys(f"'{cell}'" for cell in missing)))
        number = f"{len(missing):,} cells count" if len(missing) > 1 else "1 cell counts"
        table.notes.append(f"{table.file}: {number} as missing ({forms})")
    if TOPIC.name not in found:
        table.notes.append(f"{table.file}: a row per system and no topics, so that only systems are correlated")


def _compare_means(table: Table, found: _Found, measures: Sequence[int], collector: ScoreCollector) -> str:
    """Compare a table of systems or topics with the means of the scores that were collected from other tables.

    Returns:
        A note on the number of rows whose numbers are these means, to the decimals that they have.
    """
    by_topic, by_system = TOPIC.name in found, SYSTEM.name in found
    means = {
        column: collector.average(table.names[column], by_topic=by_topic, by_system=by_system) for column in measures
    }
    compared = agreeing = 0
    largest, example = 0.0, ""
    for _, cells in table.rows:
        topic, system = (compose(cells[found[f]] or "") if f in found else "" for f in (TOPIC.name, SYSTEM.name))
        differences = []
        for column, mean_by_key in means.items():
            cell, mean = (cells[column] or "").replace(",", "."), mean_by_key.get((topic, system))
            if mean is None or not is_number(cell):
                continue
            exponent = Decimal(cell).as_tuple().exponent
            difference = abs(float(cell) - mean)
            tolerance = 10.0 ** int(exponent) / 2 + _ROUNDING * max(1.0, abs(mean))
            differences.append(difference > tolerance)
            if difference > max(tolerance, largest):
                name = topic or system
                largest, example = difference, f"{name}, {table.names[column]}: {cell}, mean {mean:.{-int(exponent)}f}"
        compared += bool(differences)
        agreeing += bool(differences) and not any(differences)
    kind = {(True, False): "topics", (False, True): "systems"}.get((by_topic, by_system), "summaries")
    start = f"{table.file}: the table from {table.unit} {table.rows[0][0]:,} on"
    if not compared:
        return f"{start} was not used, because it has no scores of summaries and no means of them"
    note = f"{start} has means of {kind}, of which {agreeing:,} of {compared:,} agree with the scores of summaries"
    if largest:
        note += f". The scores of summaries count. The largest difference is {largest:.2g} ({shorten(example, 100)})"
    return note
