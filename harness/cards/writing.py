"""Cards of models: the numbers of a model in the files of its repository, and as readable text to paste."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from harness.cards.metadata import update_entries, update_readme
from harness.cards.numbers import Number, list_numbers, make_entries, make_groups
from harness.cards.yaml_edits import render_yaml
from harness.evaluation.comparing.standings import choose_decisive, order_tests
from harness.evaluation.record import ModelRecord
from harness.evaluation.results import Result
from harness.files.writing import write_files
from harness.metrics.measuring import measure_chance
from harness.models.neural.checkpoints import find_fingerprint
from harness.rendering.tables import NOTHING, format_interval
from harness.reports.model_tables import PAPER_TESTS_TITLE, Column, Table, make_tables
from harness.reports.table_notes import note_answers, note_texts, note_training_data
from harness.support.errors import CardError
from harness.support.names import slug
from pyramid_paraphrase.catalog import SAMPLE_WARNING, title_of
from pyramid_paraphrase.errors import InputError, LimitError, cannot_read, cannot_write
from pyramid_paraphrase.escaping import escape, escape_markdown, make_logger
from pyramid_paraphrase.files.atomic import locked_folder
from pyramid_paraphrase.files.inputs import is_folder, open_input
from pyramid_paraphrase.files.limits import MEBIBYTE
from pyramid_paraphrase.publishing.card import CITATIONS
from pyramid_paraphrase.rules.options import PYRAMIDS

README_NAME = "README.md"
ENTRIES_NAME = ".eval_results/pyramid_paraphrase.yaml"
MAX_CARD_BYTES = 16 * MEBIBYTE

_logger = make_logger(__name__)

_COMPARABLE = "Numbers are comparable only if the fingerprints are equal."
_CHANCE = "Chance: the same score for all rows."


def write_card(results: Sequence[Result], folder: Path, dataset_repo: str | None = None) -> list[Path]:
    """Enter the numbers of a model into the files of its repository. Either all files are written, or none.

    Args:
        results: One or more results of one model.
        folder: A checkout of the model's repository, or the folder in which the model was saved.
        dataset_repo: Id of the benchmark dataset on the Hub. If None, only the README is written.

    Returns:
        The written files.

    Raises:
        PyramidParaphraseError: If the results are not from one model, or not of different tests, or if a file cannot be
            read or written.
    """
    numbers = list_numbers(results)
    if not is_folder(folder):
        raise CardError(f"{folder}: no such folder. Use the folder with the model's README.md")
    for result in results:
        _warn_if_changed(result.record.model, folder)
    with locked_folder(folder):
        path = folder / README_NAME
        text = update_readme(_read(path), str(path), results[0].model, make_groups(numbers, dataset_repo))
        contents = {path: text}
        if dataset_repo:
            entries_path = folder / ENTRIES_NAME
            entries = make_entries(numbers, dataset_repo)
            contents[entries_path] = update_entries(_read(entries_path), str(entries_path), entries)
        try:
            for path in contents:
                path.parent.mkdir(exist_ok=True)
            write_files({path: text.encode() for path, text in contents.items()})
        except OSError as error:
            raise cannot_write(folder, error) from None
    return list(contents)


def _warn_if_changed(model: ModelRecord, folder: Path) -> None:
    """Log a warning if a model was evaluated from a folder of this name, and the folder now has other files.

    Raises:
        ModelError: If a file of the folder cannot be read.
    """
    name = model.spec.partition(":")[2].split(",")[0]
    if not folder.resolve().as_posix().endswith(f"/{name}"):
        return
    fingerprint = find_fingerprint(folder, model.kind, model.options)
    if fingerprint not in (None, model.fingerprint):
        prints = f"fingerprint {str(fingerprint)[:12]} instead of {model.fingerprint[:12]}"
        message = "%s: its files are not those that were evaluated (%s). If the model has changed, evaluate it again"
        _logger.warning(message, folder, prints)


def _read(path: Path) -> str:
    """Read a text file with its line breaks. Return an empty text if there is no file."""
    try:
        with open_input(path) as file:
            data = file.read(MAX_CARD_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise cannot_read(path, error, "check the path") from None
    if len(data) > MAX_CARD_BYTES:
        raise LimitError(str(path), f"is larger than {MAX_CARD_BYTES:,} bytes", "shorten it")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(str(path), "is not UTF-8", "convert the file to UTF-8", line) from None


def render_metadata(results: Sequence[Result], dataset_repo: str | None = None) -> str:
    """Render both forms of metadata as files without other content.

    Raises:
        CardError: If the results are not from one version of a model, or not of different tests.
    """
    numbers = list_numbers(results)
    readme = update_readme("", README_NAME, results[0].model, make_groups(numbers, dataset_repo))
    blocks = [f"{README_NAME}:\n\n{readme}"]
    if dataset_repo:
        blocks.append(f"{ENTRIES_NAME}:\n\n{render_yaml(make_entries(numbers, dataset_repo))}")
    return "\n".join(blocks)


def warn_if_sample(results: Sequence[Result]) -> None:
    """Log a warning that scores on the sample cannot be compared with others."""
    if any("sample" in result.record.dataset.collections for result in results):
        _logger.warning(SAMPLE_WARNING)


def render_snippet(results: Sequence[Result], others: Sequence[Result] = ()) -> str:
    """Render the numbers as Markdown: the answer, values with intervals, best shortcut and chance, and the citation.

    Args:
        results: One or more results of one model.
        others: Results of other models and of shortcuts, with which it is compared.

    Returns:
        A section of a README.

    Raises:
        CardError: If the results are not from one version of a model, or not of different tests.
    """
    numbers, tables = list_numbers(results), make_tables([*results, *others])
    decisive = choose_decisive(dict.fromkeys(number.test_name for number in numbers))
    prints = dict.fromkeys(f"`{number.test_name}` `{number.fingerprint[:12]}`" for number in numbers)
    names = dict.fromkeys(chain.from_iterable(result.record.dataset.collections for result in results))
    data = f"Data: {', '.join(map(_name_collection, names))}; fingerprints {', '.join(prints)}."
    statistics = [result.record.statistics for result in results]
    bootstraps = dict.fromkeys(
        f"{100 * row.confidence:g} %, bootstrap over topics, {row.resamples:,} resamples" for row in statistics
    )
    missing = ""
    if not all(_show_shortcut(number, tables) for number in numbers):
        missing = " Results of shortcuts are missing: `evaluate` writes them next to the result of the model."
    lines = [
        "## Pyramid paraphrase",
        "",
        *(line for table in tables for text in table.answer() for line in (escape_markdown(text), "")),
        *_tabulate([number for number in numbers if number.test_name in decisive], tables),
        *_tabulate([number for number in numbers if number.test_name not in decisive], tables, PAPER_TESTS_TITLE),
        f"{data} {_COMPARABLE} Intervals: {'; '.join(bootstraps)}. {_CHANCE}{missing}",
        "",
        *_describe_configurations(results),
        "Signature, to be quoted with the numbers:",
        "",
        *dict.fromkeys(f"    {escape(result.signature)}" for result in results),
        "",
        "The tests follow this paper:",
        "",
        "```bibtex",
        CITATIONS[PYRAMIDS],
        "```",
    ]
    return "\n".join(lines)


def _tabulate(numbers: Sequence[Number], tables: Sequence[Table], title: str = "") -> list[str]:
    """Lay out numbers as lines of a table, in the order of the tests, with an empty line after it."""
    if not numbers:
        return []
    lines = [f"{title}:", ""] if title else []
    lines += [
        "| test | metric | value | interval | best shortcut | chance |",
        "| --- | --- | ---: | --- | --- | ---: |",
    ]
    order = order_tests({number.test_name for number in numbers})
    for number in sorted(numbers, key=lambda number: order.index(number.test_name)):
        chance = measure_chance(number.result.rows[number.test_name])[number.metric.name]
        cells = (
            f"`{number.test_name}`",
            number.metric.title,
            f"{number.value:.3f}",
            format_interval(number.test.intervals.get(number.metric.name), NOTHING),
            escape_markdown(_show_shortcut(number, tables)) or NOTHING,
            f"{chance:.3f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def _show_shortcut(number: Number, tables: Sequence[Table]) -> str:
    """Show the best shortcut by the metric of a number, and whether the model fails to beat it.

    Returns:
        A text, or "" without results of shortcuts on the data of the number.
    """
    column = Column(number.test_name, number.metric.name)
    table = next(table for table in tables if table.fingerprints.get(number.test_name) == number.fingerprint)
    standing = table.standings[column]
    if standing.shortcut is None:
        return ""
    row = next(row for row in table.rows if row.name == number.result.model)
    _, beats_shortcut = table.judge(row, column)
    failure = ", not significantly worse" if beats_shortcut is False else ""
    return f"{standing.show(standing.shortcut)}{failure}"


def _describe_configurations(results: Sequence[Result]) -> list[str]:
    """Describe the settings of the model's configuration, and the texts that it did not read as they are, as lines."""
    lines: dict[str, None] = {}
    for result in results:
        record = result.record
        settings = []
        for name, value in record.model.effective.items():
            # The configuration is not trusted. Its values are JSON within a code span of Markdown.
            quoted = escape(json.dumps(value, ensure_ascii=False)).replace("`", "'")
            settings.append(f"{name} `{quoted}`")
        if settings:
            lines[f"Settings of the model's configuration: {', '.join(settings)}."] = None
        name = record.model.name
        notes = (*note_texts(name, record), *note_training_data(name, record), *note_answers(name, record.tests))
        lines |= dict.fromkeys(escape_markdown(note) for note in notes)
    return [line for text in lines for line in (text, "")]


def _name_collection(name: str) -> str:
    """Return the title of a collection. Unknown names are untrusted, so characters with a meaning in Markdown go."""
    title = title_of(name)
    return slug(name.encode("ascii", "replace").decode()) if title == name else title
