"""Notes, errors and files of commands. Errors of the library name parameters of Python, here they name options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness.files.table_forms import TABLE_FORMS
from harness.files.writing import expand_home, write_file
from harness.rendering.reports import find_format, require_text
from harness.support.terminal import emit, widen_tables
from harness.support.terminal import hint as hint  # commands import these four from here
from harness.support.terminal import report as report
from harness.support.terminal import say as say
from harness.support.terminal import show as show
from harness.text.words import count_words
from pyramid_paraphrase.errors import NoAnnotationError, NoBuildError, OptionError
from pyramid_paraphrase.files.extras import require
from pyramid_paraphrase.files.inputs import exists

_UNWRITTEN = (".xlsm", ".xls", ".ods", ".parquet", ".ndjson", ".gz")
"""Suffixes of tables in forms that are not written."""


def choose_format(
    options: argparse.Namespace,
    formats: Mapping[str, str],
    inputs: Iterable[str | Path | None] = (),
    *,
    rounds_all: bool = False,
) -> str:
    """Check `--output`, and return the value of `--format`, or the format for the suffix of `--output`.

    Args:
        options: The options of the command.
        formats: Names of formats, and the suffixes of their files.
        inputs: The files to read. None stands for an option that is not set.
        rounds_all: Whether `--digits` applies to all formats. Otherwise, it applies to those that people read as text.

    Raises:
        OptionError: If the suffix belongs to no format, `--digits` has no effect, or the output is an input.
    """
    form: str = options.format or "terminal"
    if not options.format and options.output is not None:
        form = find_format(options.output, formats)
        if form == "terminal" and not options.width:
            widen_tables()
    if getattr(options, "digits", None) and not rounds_all and form in (*TABLE_FORMS, "html"):
        raise OptionError(f"--digits has no effect on {form}, which has all digits. Omit it")
    _require_excel(form, options.output)
    refuse_overwriting(options.output, *inputs)
    return form


def choose_table_form(options: argparse.Namespace, inputs: Iterable[str | Path | None] = ()) -> str:
    """Check `--output`, and return the form of the table to write or print: `--format`, or that of the suffix.

    Args:
        options: The options of the command.
        inputs: The files to read. None stands for an option that is not set.

    Returns:
        The form. Unknown suffixes belong to tab-separated text. Empty without `--format` and `--output`.

    Raises:
        OptionError: If tables are not written in the form of the suffix, or the output is an input.
    """
    form: str = options.format or ""
    if options.output is not None and not form:
        form = find_table_form(options.output)
    _require_excel(form, options.output)
    refuse_overwriting(options.output, *inputs)
    return form


def find_table_form(file: Path) -> str:
    """Return the form of a table to write by the suffix of its file. Unknown suffixes belong to tab-separated text.

    Raises:
        OptionError: If tables are not written in the form of the suffix.
    """
    suffix = file.suffix.lower()
    if suffix in _UNWRITTEN:
        forms = ", ".join(TABLE_FORMS.values())
        raise OptionError(f"{file}: tables are not written as '{suffix}'. Use {forms}")
    form = next((name for name, ending in TABLE_FORMS.items() if ending == suffix), "tsv")
    _require_excel(form, file)
    return form


def _require_excel(form: str, output: Path | None) -> None:
    """Check before the computation that a file for Excel can be written."""
    if form == "xlsx":
        if output is None:
            raise OptionError("--format xlsx requires a file. Add --output FILE")
        require("openpyxl", "excel")


def refuse_overwriting(output: Path | None, *inputs: str | Path | None, flag_name: str = "--output") -> None:
    """Check that an output does not replace an input, which may be the only copy.

    Args:
        output: The file to write, or None.
        inputs: The files to read. A file within an archive is ARCHIVE/PATH. None stands for an option that is not set.
        flag_name: The option of the output, for the error.

    Raises:
        OptionError: If the output is an input, also through a link, or an archive that contains an input.
    """
    if output is None or not exists(output):
        return
    for source in (expand_home(path) for path in inputs if path is not None):
        if any(exists(place) and output.samefile(place) for place in (source, *source.parents)):
            raise OptionError(f"{output}: is also an input. Use another path for {flag_name}")


def show_or_write(content: str | bytes, output: Path | None) -> None:
    """Print a report or a table, or write it to a file and print the path."""
    if output is None:
        emit(require_text(content).rstrip("\n"))
        return
    write_file(output, encode(content))
    say(show(output))


def encode(content: str | bytes) -> bytes:
    """Encode the content of a file. A text ends with one line break."""
    return content if isinstance(content, bytes) else (content.rstrip("\n") + "\n").encode()


def note_words(
    texts: Iterable[str],
    divide: Callable[[str], Sequence[str]],
    noun: str = "summaries",
    words: str = "letters and digits",
) -> None:
    """Print notes on texts without words, and on texts in which single characters are the words.

    Args:
        texts: The texts.
        divide: Function that divides a text into words.
        noun: Name of the texts in the notes.
        words: Description of the words in the notes.
    """
    print_notes(count_words(texts, divide).describe(noun, words))


def print_notes(notes: Iterable[str]) -> None:
    """Print notes on the input, which do not belong to the output."""
    for note in notes:
        say(f"note: {show(note)}", sys.stderr)


@contextmanager
def explaining_missing_build(
    remedy: str = "add --data SOURCE, the data that the models were evaluated on",
) -> Iterator[None]:
    """Replace the remedy of the error about missing data, which names a parameter of Python.

    Args:
        remedy: The remedy.

    Raises:
        NoBuildError: If no data was given to the block, and nothing was built before.
    """
    try:
        yield
    except NoBuildError as error:
        raise NoBuildError(error.missing, remedy) from None


@contextmanager
def explaining_labelled_pairs(
    sources: Sequence[str] | None, make_remedy: Callable[[Sequence[str]], str]
) -> Iterator[None]:
    """Replace the error about sources without annotations, if a source is a corpus of labelled pairs.

    Args:
        sources: The sources that are read within the block. None means the last build.
        make_remedy: Makes the remedy from the names of the configurations that can be built from the corpus.

    Raises:
        OptionError: If a source is a corpus of labelled pairs, and no source has annotations.
    """
    try:
        yield
    except NoAnnotationError:
        from pyramid_paraphrase.formats.pairs.corpora import list_pair_tests

        for source in sources or ():
            if test_names := list_pair_tests(source):
                remedy = make_remedy(test_names)
                raise OptionError(f"{source}: contains labelled pairs, not annotations. {remedy}") from None
        raise
