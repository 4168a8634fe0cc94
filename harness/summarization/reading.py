"""Reading of summaries from folders and archives: a file, a line or a row per summary, or a corpus of units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from harness.rendering.tables import count_of
from harness.summarization import naming
from harness.summarization.locations import Location, decompress, read_files
from harness.summarization.row_files import has_rows, read_summary_rows
from harness.summarization.summaries import (
    Summary,
    collect_summaries,
    count_lines,
    note_encodings,
    parse_summary,
    split_text,
)
from harness.text.markup import divide_text
from pyramid_paraphrase.errors import InputError, LimitError, OptionError, place
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.corpus import LEFT_OUT, Corpus, describe_problems
from pyramid_paraphrase.pyramids.sources import SourceFile

_LIMIT_REMEDY = "name a folder within it, or raise --max-files"


class SummarySource(NamedTuple):
    """A location with summaries, and the naming of its topics and authors.

    Attributes:
        location: Path of a folder, an archive, a file or a folder within an archive, or a file.
        pattern: Pattern of file paths, or None for the names that `parse_summary_name` accepts.
        columns: Names of columns of files with a summary per row, as from `parse_columns`.
    """

    location: Location
    pattern: str | None = None
    columns: Mapping[str, str] = MappingProxyType({})


class _Opened(NamedTuple):
    """A location that was read: its files, and what they contain if they are a corpus of units, such as REALSumm."""

    source: SummarySource
    files: list[SourceFile]
    corpus: Corpus | None


def read_summaries(
    location: Location,
    max_files: int = limits.MAX_MEMBERS,
    *,
    pattern: str | None = None,
    columns: Mapping[str, str] = MappingProxyType({}),
) -> tuple[list[Summary], list[str]]:
    """Read the summaries of a folder, an archive, a folder within an archive, or a file.

    Args:
        location: Path of the folder, archive or file. In a corpus of units, the summaries of systems are read.
        max_files: Maximum number of files.
        pattern: As in `SummarySource`.
        columns: As in `SummarySource`.

    Returns:
        All summaries, as from `collect_summaries`, and notes for the user. Files with one summary that are not Unicode
        are read as Windows-1252, and empty files have no sentences. The notes list both.

    Raises:
        InputError: If there is no summary, a name does not contain topic and author or is ambiguous, two summaries have
            the same topic and author, a file has unknown markup, or a row cannot be read.
        OptionError: If there is a pattern but no file with one summary, or names of columns but no file with rows.
            A corpus of units has neither.
        LimitError: If there are more files, or a file or all files together are larger than `limits` allows.
    """
    opened = _open(SummarySource(location, pattern, columns), max_files)
    _check_naming([opened])
    return _parse(opened, naming.SINGLE_PEER)


def read_peers_and_references(
    peers: SummarySource,
    references: SummarySource,
    max_files: int = limits.MAX_MEMBERS,
    *,
    by_line: bool | None = False,
) -> tuple[list[Summary], list[Summary], list[str]]:
    """Read summaries to score and their references, as `read_summaries` does.

    `SINGLE_REFERENCE` is the author of the references of a corpus of units, and of files and rows without an
    author. If both locations are single texts and no pattern is given, the texts have the same topic regardless of
    their names.

    Args:
        peers: The summaries to score.
        references: Their references.
        max_files: Maximum number of files in each location.
        by_line: Whether each line of a file is a summary, whose topic is the number of the line. A location with
            several files has an author per file. None refuses files that may have a summary per line, because all of
            them have the same number of lines.

    Returns:
        The summaries to score, the references, and notes for the user on both.

    Raises:
        InputError: As for `read_summaries`, and if files with a summary per line have different numbers of lines.
        OptionError: As for `read_summaries`, and if it is unclear whether a file or a line is a summary.
        LimitError: As for `read_summaries`.
    """
    places = peer_place, reference_place = _open(peers, max_files), _open(references, max_files)
    if by_line:
        _check_lines(places)
        parse = _parse_lines
    else:
        _check_naming(places)
        if by_line is None:
            _refuse_unclear_lines(places)
        if all(map(_is_single_text, places)):
            return _pair_texts(peer_place, reference_place, note_lines=by_line is None)
        parse = _parse
    peer_summaries, peer_notes = parse(peer_place, naming.SINGLE_PEER)
    reference_summaries, reference_notes = parse(reference_place, naming.SINGLE_REFERENCE)
    return peer_summaries, reference_summaries, [*peer_notes, *reference_notes]


def _open(source: SummarySource, max_files: int) -> _Opened:
    """Read the files of a location. A file of a corpus of units is recognized by its name and its first bytes."""
    from pyramid_paraphrase.reading import UNIT_KINDS, read_units  # imported here, because it imports all formats

    files = read_files(source.location, max_files, _LIMIT_REMEDY)
    corpus = read_units(decompress(file for file in files if any(kind.fits(file.name) for kind in UNIT_KINDS)))
    has_texts = corpus is not None and bool(corpus.all_pyramids or corpus.summaries)
    return _Opened(source, files, corpus if has_texts else None)


def _check_naming(places: Iterable[_Opened]) -> None:
    """Check that a pattern and names of columns describe at least one file.

    Raises:
        OptionError: If there is no file that they describe.
    """
    forms: set[bool] = set()
    has_pattern = has_columns = False
    for source, files, corpus in places:
        has_pattern |= source.pattern is not None
        has_columns |= bool(source.columns)
        if corpus is None:
            forms.update(has_rows(file.name) for file in files)
    if not forms and (has_pattern or has_columns):
        raise OptionError("a corpus of units already names topics and systems. Omit patterns and columns")
    if forms == {True} and has_pattern:
        raise OptionError("the pattern has no effect, because all files have a summary per row. Use --columns instead")
    if forms == {False} and has_columns:
        raise OptionError("the columns have no effect, because each file is one summary. Use --pattern instead")


def _refuse_unclear_lines(places: Iterable[_Opened]) -> None:
    """Check that not all files have the same number of lines, more than one, as files with a summary per line have.

    Raises:
        OptionError: If they have.
    """
    files = [file for place in places for file in place.files]
    if any(place.corpus for place in places) or has_rows(files[0].name):
        return
    first = count_lines(files[0])
    if first > 1 and all(not has_rows(file.name) and count_lines(file) == first for file in files[1:]):
        raise OptionError(
            f"{files[0].name} and all other files have {first:,} lines, so each line may be a summary. Add --by-line "
            "if it is, or --by-file if each file is a single summary"
        )


def _check_lines(places: Iterable[_Opened]) -> None:
    """Check that the files have a summary per line, and all the same number of lines.

    Raises:
        InputError: If two files have different numbers of lines.
        OptionError: If files have another form, or options describe their names or columns.
    """
    files = [file for place in places for file in place.files]
    if any(place.corpus or any(has_rows(file.name) for file in place.files) for place in places):
        raise OptionError("--by-line reads plain texts, but a file has a summary per row. Omit --by-line")
    if any(source.pattern is not None or source.columns for source, *_ in places):
        raise OptionError("--by-line names topics by the numbers of lines. Omit patterns and columns")
    first, *others = files
    lines = split_text(first)
    if len(lines) > limits.MAX_LINES:
        raise LimitError(first.name, f"has more than {limits.MAX_LINES:,} lines", "split the file")
    for file in others:
        other_lines = split_text(file)
        if len(other_lines) != len(lines):
            shorter, longer = sorted((lines, other_lines), key=len)
            remedy = "remove empty lines at the end of the longer file"
            if any(line.strip() for line in longer[len(shorter) :]):
                remedy = "use files with a summary per line, all in the same order"
            reason = f"has {count_of(len(other_lines), 'line')}, but {first.name} has {len(lines):,}"
            raise InputError(file.name, reason, remedy)


def _parse_lines(opened: _Opened, single_author: str) -> tuple[list[Summary], list[str]]:
    """Parse files with a summary per line. Several files are named by their paths below the location."""
    source, files, _ = opened
    summaries, notes = [], note_encodings(files)
    for file in files:
        author = single_author
        if len(files) > 1:
            author = naming.remove_ending(_get_relative_path(source, file))
        naming.require_printable((author,), file.name)
        lines = split_text(file)
        if tabs := sum("\t" in line.strip() for line in lines):
            count = count_of(tabs, "line")
            notes.append(f"{file.name}: {count} with tabs, which count as blanks. Write a file per set of references")
        for number, line in enumerate(lines, 1):
            sentences, markup = divide_text(line)
            summaries.append(Summary(str(number), author, sentences, place(file.name, number), markup))
    return collect_summaries(source.location, summaries, notes)


def _is_single_text(opened: _Opened) -> bool:
    """Return whether a location is a file with one summary, which needs no particular name."""
    source, files, _ = opened
    is_file = len(files) == 1 and files[0].name == Path(source.location).as_posix()
    return is_file and source.pattern is None and not has_rows(files[0].name)


def _pair_texts(
    peer_place: _Opened, reference_place: _Opened, *, note_lines: bool
) -> tuple[list[Summary], list[Summary], list[str]]:
    """Parse two texts as summaries of one topic by different authors. Their file names are used where possible.

    Args:
        peer_place: The location of the summary.
        reference_place: The location of its reference.
        note_lines: Whether to note that texts of several lines are read as one summary each.
    """
    peers, (peer,), _ = peer_place
    references, (reference,), _ = reference_place
    topic, author = naming.parse_summary_name(Path(peer.name).name) or (naming.SINGLE_TOPIC, naming.SINGLE_PEER)
    reference_name = naming.parse_summary_name(Path(reference.name).name, naming.SINGLE_REFERENCE)
    _, reference_author = reference_name or (topic, naming.SINGLE_REFERENCE)
    if reference_author == author:
        reference_author = naming.SINGLE_REFERENCE if author != naming.SINGLE_REFERENCE else naming.SINGLE_PEER
    collected = []
    for source, file, author_of_file in ((peers, peer, author), (references, reference, reference_author)):
        naming.require_printable((topic, author_of_file), file.name)
        summary = parse_summary(file, topic, author_of_file)
        collected.append(collect_summaries(source.location, [summary], note_encodings([file])))
    (peer_summaries, notes), (reference_summaries, reference_notes) = collected
    counts = [count_lines(file) for file in (peer, reference) if note_lines]
    if max(counts, default=0) > 1 and all(counts):
        names = " and ".join(f"{file.name} ({count_of(count_lines(file), 'line')})" for file in (peer, reference))
        notes.append(f"{names} were read as one summary each. Add --by-line if each line is a summary")
    return peer_summaries, reference_summaries, [*notes, *reference_notes]


def _parse(opened: _Opened, single_author: str) -> tuple[list[Summary], list[str]]:
    """Parse files with one summary, files with a summary per row, or a corpus of units.

    Args:
        opened: The location.
        single_author: Author of files and rows without an author: `SINGLE_PEER` or `SINGLE_REFERENCE`, which also says
            whether to read the summaries of systems or the references of a corpus of units.
    """
    source, files, corpus = opened
    if corpus is not None:
        return _list_summaries(source, corpus, of_references=single_author == naming.SINGLE_REFERENCE)
    texts = [file for file in files if not has_rows(file.name)]
    summaries: list[Summary] = []
    notes = note_encodings(texts)
    for file in decompress(file for file in files if has_rows(file.name)):
        rows, row_notes = read_summary_rows(file, source.columns, single_author)
        summaries += rows
        notes += row_notes
    for file in texts:
        path = _get_relative_path(source, file)
        topic, author = naming.name_summary(file.name, path, source.pattern, single_author)
        summaries.append(parse_summary(file, topic, author))
    return collect_summaries(source.location, summaries, notes)


def _get_relative_path(source: SummarySource, file: SourceFile) -> str:
    """Return the path of a file below its location, or its name if it is the location."""
    return file.name.removeprefix(Path(source.location).as_posix()).lstrip("/") or Path(file.name).name


def _list_summaries(source: SummarySource, corpus: Corpus, *, of_references: bool) -> tuple[list[Summary], list[str]]:
    """Return the summaries of all systems, or the references, of a corpus of units, and notes on its problems.

    The topic of a system's summary is the name of its reference.
    """
    summaries = []
    for text in corpus.summaries:
        if text.is_reference == of_references:
            sentences, markup = divide_text(text.text)
            summaries.append(Summary(text.topic, text.author, sentences, text.file, markup))
    left_out = [problem for problem in corpus.problems if problem.kind in LEFT_OUT]
    notes = [f"{source.location}: {describe_problems(left_out)}"] if left_out else []
    return collect_summaries(source.location, summaries, notes)
