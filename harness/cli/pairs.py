"""Write the pairs of tests as a table, with their types."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.options import PLOT, TEST_SOURCE_HELP, list_sources, table_file, task
from harness.cli.outputs import (
    choose_table_form,
    encode,
    hint,
    print_notes,
    refuse_overwriting,
    say,
    show,
    show_or_write,
)
from harness.cli.parser import choice, command, option
from harness.files.table_forms import render_table_file
from harness.files.writing import write_outputs
from harness.rendering.reports import Report, render_report, require_text
from harness.rendering.tables import count_of
from harness.reports.pairs import (
    LABELS,
    TESTS,
    PairCounts,
    TextPair,
    list_cells,
    list_pairs,
    list_unlabelled,
    render_pair_workbook,
)
from harness.text.pair_types import PAIR_TYPES
from pyramid_paraphrase.catalog import OTHER, OTHER_PAIRS, OTHER_PIT, has_terms, licence_of, title_of
from pyramid_paraphrase.errors import EmptyResultError, OptionError
from pyramid_paraphrase.escaping import quote_path
from pyramid_paraphrase.hub import choose_default_tests, is_built
from pyramid_paraphrase.rules.options import PAIR_CORPUS, PAIRS, PAPER_TESTS, PYRAMIDS
from pyramid_paraphrase.rules.ranges import Range

if TYPE_CHECKING:
    from pyramid_paraphrase.building.built_tests import BuiltTest
    from pyramid_paraphrase.formats.pairs.files import PairCorpus

_EVALUATED = ("tsv", "jsonl", "csv", "xlsx")
"""Forms of the file that `evaluate` reads."""


def _hyphenate(name: str) -> str:
    """Return the name of a type or a label as an option, from the name that tables show."""
    return name.replace(" ", "-")


_TYPES = {_hyphenate(name): name for name in PAIR_TYPES}
_LABELS = {_hyphenate(name): name for name in LABELS}


@command(
    list_sources("data", TEST_SOURCE_HELP),
    task(f", comma-separated: {', '.join(TESTS)} (default: binary and ranking, or all tests of labelled pairs)"),
    choice(
        "--type",
        _TYPES,
        "select pairs of a type (repeatable): %(choices)s",
        action="append",
        metavar="TYPE",
        type=_hyphenate,
    ),
    choice("--label", _LABELS, "select pairs with a label: %(choices)s", metavar="LABEL", type=_hyphenate),
    option("--split NAME", "select pairs of a split, such as test"),
    option(
        "--examples N",
        "number of examples to print per type and label (default: %(default)s)",
        Range(0, 1000),
        default=1,
    ),
    *table_file("the pairs"),
    PLOT,
)
def run_pairs(options: argparse.Namespace) -> None:
    """Count the pairs by type, print examples, and write all selected pairs to a file."""
    from harness.rendering.pictures import parse_format
    from pyramid_paraphrase.building.build import build_pair_test

    form = choose_table_form(options, options.data)
    refuse_overwriting(options.plot, *options.data, flag_name="--plot")
    picture = parse_format(options.plot) if options.plot else ""
    names = _choose_tests(options)
    corpus = _read_corpus(names, options)
    if corpus and corpus.format != PAIR_CORPUS:
        notes = [f"{options.data[0]} has {corpus.format}. To name labels, use the column label with 0 and 1"]
        tests: list[BuiltTest] = []
        described = list(_select(list_unlabelled(corpus), corpus.splits, options))
    else:
        tests, notes = ([build_pair_test(corpus, PAIRS.name)], []) if corpus else _load(names, options)
        splits = {str(split) for test in tests for split in test.splits}
        described = list(_select(list_pairs(tests), splits, options))
    collections = [corpus.name] if corpus else list(dict.fromkeys(name for test in tests for name in test.collections))
    types = {_TYPES[name] for name in options.type or ()}
    pairs = [pair for pair in described if not types or not types.isdisjoint(pair.types)]
    if not pairs:
        raise OptionError("no pair is of the selected type, label and split. Select others")
    counts = PairCounts(described, options.examples, types, _name_data(collections, options))
    contents: dict[Path, bytes] = {}
    table = _render(form, pairs, counts) if form else ""
    if options.output:
        contents[options.output] = encode(table)
    if picture:
        contents[options.plot] = counts.draw(picture)
    write_outputs(contents)
    notes += _list_notes(tests, collections, described, shows_texts=bool(options.examples or form))
    if table and not options.output:
        show_or_write(table, None)
        print_notes(notes)
        return
    tables = (counts.tabulate(), counts.tabulate_examples()) if options.examples else (counts.tabulate(),)
    say(require_text(render_report(Report(tables, ()), "terminal")).rstrip("\n"))
    for file in contents:
        say(f"Written: {show(file)}" + (f" ({count_of(len(pairs), 'pair')})" if file == options.output else ""))
    print_notes(notes)
    if form in _EVALUATED and options.output and all(pair.label in LABELS[:2] for pair in pairs):
        data = " ".join(f"--data {quote_path(source)}" for source in options.data)
        words = f"evaluate {data} --model SPEC --transfer-to {quote_path(options.output)}"
        hint(f"To measure models on these pairs: pyramid-paraphrase {show(words)}", sys.stderr)


def _render(form: str, pairs: Sequence[TextPair], counts: PairCounts) -> str | bytes:
    """Render the pairs as a table. Only a workbook has their counts, too."""
    if form == "xlsx":
        return render_pair_workbook(pairs, counts)
    rows: Iterable[Sequence[object]] = pairs if form.startswith("json") else map(list_cells, pairs)
    return render_table_file(form, TextPair._fields, rows)


def _choose_tests(options: argparse.Namespace) -> list[str]:
    """Choose the tests that `--task` names, or those of the data.

    Raises:
        OptionError: If a test has no pairs.
    """
    for name in options.task or ():
        if name not in TESTS:
            raise OptionError(f"--task {name}: its rows are not pairs. Choose from: {', '.join(TESTS)}")
    offered = [name for name in choose_default_tests(options.data) if name in TESTS]
    return options.task or [name for name in offered if name in PAPER_TESTS] or offered


def _load(names: Sequence[str], options: argparse.Namespace) -> tuple[list[BuiltTest], list[str]]:
    """Load tests. Unless `--task` names them, a test without rows is left out, if another has rows.

    Returns:
        The tests, and a note for each that is left out.

    Raises:
        PyramidParaphraseError: If the data cannot be used.
    """
    from pyramid_paraphrase.loading import load_tests  # imports `datasets`

    try:
        return load_tests(names, options.data), []
    except EmptyResultError:
        if options.task:
            raise
    tests, reasons = [], []
    for name in names:
        try:
            tests += load_tests([name], options.data)
        except EmptyResultError as error:
            empty = error
            reasons.append(f"left out: {error}")
    if not tests:
        raise empty
    return tests, reasons


def _read_corpus(names: Sequence[str], options: argparse.Namespace) -> PairCorpus | None:
    """Read the data if they are a single corpus of pairs, also without labels, and no test is chosen."""
    from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus, read_unlabelled_pairs

    if options.task or len(options.data) != 1 or is_built(options.data[0]):
        return None
    return (read_pair_corpus if list(names) == [PAIRS.name] else read_unlabelled_pairs)(options.data[0])


def _select(pairs: Iterable[TextPair], splits: Iterable[str], options: argparse.Namespace) -> Iterable[TextPair]:
    """Yield the pairs of the label and split that the options select.

    Raises:
        OptionError: If no pair is of the split.
    """
    if options.split and options.split not in splits:
        raise OptionError(f"--split {options.split}: no such split. Choose from: {', '.join(sorted(splits))}")
    for pair in pairs:
        if _LABELS.get(options.label, pair.label) == pair.label and options.split in (None, pair.split):
            yield pair


def _name_data(names: Iterable[str], options: argparse.Namespace) -> str:
    """Name the collections, or the files whose collection is unknown, and the split."""
    unknown = {row.name for row in (OTHER, OTHER_PAIRS, OTHER_PIT)}
    titles = [title_of(name) for name in names if name not in unknown]
    split = [f"{options.split} split"] if options.split else []
    return ", ".join([*(titles or [Path(source).name for source in options.data]), *split])


def _list_notes(
    tests: Sequence[BuiltTest], collections: Iterable[str], pairs: Sequence[TextPair], *, shows_texts: bool
) -> list[str]:
    """List notes on the types and tests and, if texts are shown, one for each collection with a licence."""
    notes = ["a pair can have several types. Negations and numbers in words are recognized in English only"]
    names = [test.configuration.name for test in tests]
    if any(test.configuration.origin == PYRAMIDS for test in tests):
        notes.append("the tests of pyramids exclude pairs with the same content words")
    distinct = len({frozenset((pair.text1, pair.text2)) for pair in pairs})
    if len(tests) > 1 and distinct < len(pairs):
        words = f"{distinct:,} of {len(pairs):,} pairs are distinct, because {' and '.join(names)} repeat pairs"
        notes.append(f"{words}. To list the pairs of a single test, use --task {names[0]}")
    if shows_texts:
        licensed = sorted(filter(has_terms, collections))
        notes += [f"the output contains licensed text of {title_of(name)}: {licence_of(name)}" for name in licensed]
    return notes
