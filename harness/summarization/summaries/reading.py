"""Reading of summaries from folders and archives: a file per summary (plain text or markup), or a row per summary."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

from lxml import etree, html

from harness.rendering.tables import count_of, join_some
from harness.summarization.summaries.label_corpora import (
    find_label_corpora,
    has_label_corpus,
    list_peers,
    list_references,
)
from harness.summarization.summaries.locations import (
    FileLimit,
    LocatedFile,
    Location,
    decompress,
    read_files,
    require_text,
)
from harness.summarization.summaries.naming import (
    PEER_AUTHORS,
    REFERENCE_AUTHORS,
    SINGLE_PEER,
    SINGLE_REFERENCE,
    SINGLE_TOPIC,
    DefaultAuthors,
    Naming,
    SummaryName,
    name_summary,
    parse_summary_name,
    remove_ending,
    require_printable,
)
from harness.summarization.summaries.records import Summary, SummarySet
from harness.summarization.summaries.row_files import Columns, has_rows, read_rows
from harness.text.markup import BYTE_ORDER_MARK, Markup, join_texts, read_lines, read_text, starts_with_text
from pyramid_paraphrase.errors import InputError, LimitError, OptionError, place
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.limits import MAX_MEMBERS
from pyramid_paraphrase.pyramids.naming import natural_key, note_similar, note_unified, unify_numbers
from pyramid_paraphrase.words import compose

_LIMIT_REMEDY = "name a folder within it, or raise --max-files"
_MARKUP_REMEDY = "use plain text, a sentence per line, or JSON lines, where texts may begin with '<'"
_DUPLICATE_REMEDY = (
    "remove one of them, use a folder that contains only one of them, or name their authors, in a column or by "
    "{author} in the pattern"
)
_TABLE_SUFFIX = ".tsv"
_OTHER_ENCODING = "cp1252"
_ENCODINGS_BY_MARK = (  # the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SENTENCE_NUMBER = re.compile(r"\[[0-9]+]")
_MAX_PATHS = 3
_PATH_PARTS = 2
"""Number of last parts of a path that notes show. A file AUTHOR/TOPIC.txt is ambiguous without its folder."""

_REMARKS = {
    "separators": ("removed", "separator", ""),
    "references": ("replaced", "character reference", ""),
    "tags": ("removed", "HTML tag", ""),
    "byte_order_marks": ("removed", "byte order mark", ""),
    "other_tags": ("counted", "other tag", " as words"),
    "word_pieces": ("counted", "word piece", " as words. Join them by their tokenizer"),
    "outside": ("ignored", "outer text", ", outside of the marked sentences"),
}
"""What is done with the pieces of each field of `Markup`: a verb, a noun, and an addition."""

_DEFAULT_NAMING = Naming()


class Source(NamedTuple):
    """A location with summaries, and the naming of its files and rows."""

    location: Location
    naming: Naming = Naming()


def read_summaries(location: Location, max_files: int = MAX_MEMBERS, naming: Naming = _DEFAULT_NAMING) -> SummarySet:
    """Read the summaries of a folder, an archive, a folder within an archive, or a file.

    Args:
        location: Path of the folder, archive or file. In a corpus of SCU labels, the summaries of systems are read.
        max_files: Maximum number of files.
        naming: The naming of topics and authors in files and rows.

    Returns:
        All summaries. Files with one summary that are not Unicode are read as Windows-1252, and empty files have no
        sentences. Notes list both.

    Raises:
        InputError: If there is no summary, a name does not contain topic and author or is ambiguous, two summaries have
            the same topic and author, a file has unknown markup, or a row cannot be read.
        OptionError: If there is a pattern but no file with one summary, or names of columns but no file with rows.
            A corpus of SCU labels has neither.
        LimitError: If there are more files, or a file or all files together are larger than `limits` allows.
    """
    source = Source(location, naming)
    files = _read_files(location, max_files)
    _check_naming([(source, files)])
    return _parse_peers(source, files)


def read_peers_and_references(
    peers: Source, references: Source, max_files: int = MAX_MEMBERS, *, by_line: bool | None = False
) -> tuple[SummarySet, SummarySet]:
    """Read summaries to score and their references, as `read_summaries` does.

    `SINGLE_REFERENCE` is the author of the references of a corpus of SCU labels, and of files and rows without an
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
        The summaries to score, and the references.

    Raises:
        InputError: As for `read_summaries`, and if files with a summary per line have different numbers of lines.
        OptionError: As for `read_summaries`, and if it is unclear whether a file or a line is a summary.
        LimitError: As for `read_summaries`.
    """
    peer_files, reference_files = (_read_files(source.location, max_files) for source in (peers, references))
    sources = [(peers, peer_files), (references, reference_files)]
    if by_line:
        _check_lines(sources)
        return _parse_lines(peers, peer_files, SINGLE_PEER), _parse_lines(references, reference_files, SINGLE_REFERENCE)
    _check_naming(sources)
    if by_line is None:
        _refuse_unclear_lines([*peer_files, *reference_files])
    if _is_single_text(peers, peer_files) and _is_single_text(references, reference_files):
        peer_set, reference_set = _pair_texts(peers, peer_files[0], references, reference_files[0])
        notes = _note_lines([peer_files[0], reference_files[0]]) if by_line is None else []
        return peer_set._replace(notes=(*peer_set.notes, *notes)), reference_set
    return _parse_peers(peers, peer_files), _parse_references(references, reference_files)


def _read_files(location: Location, max_files: int) -> list[LocatedFile]:
    return read_files(location, FileLimit(max_files, _LIMIT_REMEDY))


def _check_naming(sources: Sequence[tuple[Source, Sequence[LocatedFile]]]) -> None:
    """Check that a pattern and names of columns describe at least one file.

    Raises:
        OptionError: If there is no file that they describe.
    """
    forms = {has_rows(file.name) for _, files in sources if not has_label_corpus(files) for file in files}
    has_pattern = any(source.naming.pattern for source, _ in sources)
    has_columns = any(source.naming.columns != Columns() for source, _ in sources)
    if not forms and (has_pattern or has_columns):
        raise OptionError("a corpus of SCU labels already names topics and systems. Omit patterns and columns")
    if forms == {True} and has_pattern:
        raise OptionError("the pattern has no effect, because all files have a summary per row. Use --columns instead")
    if forms == {False} and has_columns:
        raise OptionError("the columns have no effect, because each file is one summary. Use --pattern instead")


def _refuse_unclear_lines(files: Sequence[LocatedFile]) -> None:
    """Check that not all files have the same number of lines, more than one, as files with a summary per line have.

    Raises:
        OptionError: If they have.
    """
    if has_label_corpus(files):
        return
    first = _count_lines(files[0])
    if first > 1 and all(_count_lines(file) == first for file in files[1:]):
        raise OptionError(
            f"{files[0].name} and all other files have {first:,} lines, so each line may be a summary. Add --by-line "
            "if it is, or --by-file if each file is a single summary"
        )


def _note_lines(files: Sequence[LocatedFile]) -> list[str]:
    """Write a note on two texts of several lines, which are read as one summary each."""
    counts = [_count_lines(file) for file in files]
    if max(counts) < 2 or not all(counts):
        return []
    names = " and ".join(f"{file.name} ({count_of(count, 'line')})" for file, count in zip(files, counts, strict=True))
    return [f"{names} were read as one summary each. Add --by-line if each line is a summary"]


def _count_lines(file: LocatedFile) -> int:
    """Return the number of lines of a text, or 0 for markup and for files with a summary per row."""
    if has_rows(file.name) or _is_markup(_decode(file)):
        return 0
    return len(_split_lines(file))


def _is_markup(text: str) -> bool:
    """Return whether a text is a document of markup. A plain text may begin with a separator or a tag, too."""
    return text.lstrip().startswith("<") and not starts_with_text(text)


def _split_lines(file: LocatedFile) -> list[str]:
    """Split a text at line feeds only, as programs do that write a summary per line. Empty lines keep their place.

    If there are no line feeds, lines end at carriage returns, as on old systems.
    """
    text = _decode(file)
    if "\n" not in text:
        text = text.replace("\r", "\n")
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _check_lines(sources: Sequence[tuple[Source, Sequence[LocatedFile]]]) -> None:
    """Check that the files have a summary per line, and all the same number of lines.

    Raises:
        InputError: If two files have different numbers of lines.
        OptionError: If files have another form, or options describe their names or columns.
    """
    files = [file for _, location_files in sources for file in location_files]
    if has_label_corpus(files) or any(has_rows(file.name) for file in files):
        raise OptionError("--by-line reads plain texts, but a file has a summary per row. Omit --by-line")
    if any(source.naming != Naming() for source, _ in sources):
        raise OptionError("--by-line names topics by the numbers of lines. Omit patterns and columns")
    first, *others = files
    count = len(_split_lines(first))
    if count > limits.MAX_LINES:
        raise LimitError(first.name, f"has more than {limits.MAX_LINES:,} lines", "split the file")
    for file in others:
        other_count = len(_split_lines(file))
        if other_count != count:
            reason = f"has {count_of(other_count, 'line')}, but {first.name} has {count:,}"
            if max(_count_filled(file), _count_filled(first)) <= min(count, other_count):
                raise InputError(file.name, reason, "remove empty lines at the end of the longer file")
            raise InputError(file.name, reason, "use files with a summary per line, all in the same order")


def _count_filled(file: LocatedFile) -> int:
    """Return the number of lines without the empty lines at the end."""
    return max((number for number, line in enumerate(_split_lines(file), 1) if line.strip()), default=0)


def _parse_lines(source: Source, files: Sequence[LocatedFile], single_author: str) -> SummarySet:
    """Parse files with a summary per line. Several files are named by their paths below the location."""
    summaries, notes = [], _note_encodings(files)
    for file in files:
        _refuse_table(file)
        author = single_author
        if len(files) > 1:
            author = remove_ending(_get_relative_path(source, file))
        require_printable(SummaryName("", author), file.name)
        lines = _split_lines(file)
        if tabs := sum("\t" in line.strip() for line in lines):
            count = count_of(tabs, "line")
            notes.append(f"{file.name}: {count} with tabs, which count as blanks. Write a file per set of references")
        for number, line in enumerate(lines, 1):
            sentences, markup = read_text(line)
            summaries.append(Summary(str(number), author, sentences, place(file.name, number), markup))
    return _collect(source.location, summaries, notes)


def _parse_peers(source: Source, files: Sequence[LocatedFile]) -> SummarySet:
    if corpora := find_label_corpora(files):
        return _collect(source.location, list_peers(corpora), [])
    return _parse_files(source, files, PEER_AUTHORS)


def _parse_references(source: Source, files: Sequence[LocatedFile]) -> SummarySet:
    if corpora := find_label_corpora(files):
        return _collect(source.location, list_references(corpora, SINGLE_REFERENCE), [])
    return _parse_files(source, files, REFERENCE_AUTHORS)


def _is_single_text(source: Source, files: Sequence[LocatedFile]) -> bool:
    """Return whether a location is a file with one summary, which needs no particular name."""
    is_file = len(files) == 1 and files[0].name == Path(source.location).as_posix()
    return is_file and source.naming.pattern is None and not has_rows(files[0].name)


def _pair_texts(
    peers: Source, peer: LocatedFile, references: Source, reference: LocatedFile
) -> tuple[SummarySet, SummarySet]:
    """Parse two texts as summaries of one topic by different authors. Their file names are used where possible."""
    name = parse_summary_name(Path(peer.name).name) or SummaryName(SINGLE_TOPIC, SINGLE_PEER)
    reference_name = parse_summary_name(Path(reference.name).name, SINGLE_REFERENCE)
    author = reference_name.author if reference_name else SINGLE_REFERENCE
    if author == name.author:
        author = SINGLE_REFERENCE if author != SINGLE_REFERENCE else SINGLE_PEER
    sets = []
    for source, file, file_name in (
        (peers, peer, name),
        (references, reference, SummaryName(name.topic, author)),
    ):
        require_printable(file_name, file.name)
        sets.append(_collect(source.location, [_parse_text(file, file_name)], _note_encodings([file])))
    return sets[0], sets[1]


def _parse_files(source: Source, files: Sequence[LocatedFile], defaults: DefaultAuthors) -> SummarySet:
    """Parse files with one summary, and files with a summary per row."""
    texts = [file for file in files if not has_rows(file.name)]
    summaries: list[Summary] = []
    for file in decompress(file for file in files if has_rows(file.name)):
        summaries += read_rows(file, source.naming.columns, defaults.author)
    for file in texts:
        path = _get_relative_path(source, file)
        summaries.append(_parse_text(file, name_summary(file.name, path, source.naming.pattern, defaults)))
    return _collect(source.location, summaries, _note_encodings(texts))


def _get_relative_path(source: Source, file: LocatedFile) -> str:
    """Return the path of a file below its location, or its name if it is the location."""
    return file.name.removeprefix(Path(source.location).as_posix()).lstrip("/") or Path(file.name).name


def _note_encodings(files: Iterable[LocatedFile]) -> list[str]:
    paths = [file.name for file in files if _find_encoding(file.data) == _OTHER_ENCODING]
    remedy = "Convert other encodings to UTF-8"
    return note_files(
        paths,
        f"is not UTF-8 and was read as Windows-1252. {remedy}",
        f"are not UTF-8 and were read as Windows-1252. {remedy}",
    )


def _collect(location: Location, summaries: list[Summary], notes: list[str]) -> SummarySet:
    """Sort summaries, and check that no two summaries have the same topic and author.

    Names are compared in Unicode's normal form C. Authors that differ in zeros before a number are one author, as
    `unify_numbers` finds them.
    """
    summaries = [
        summary._replace(topic=compose(summary.topic), author=compose(summary.author)) for summary in summaries
    ]
    unified = unify_numbers([[(summary.topic, summary.author) for summary in summaries]])
    summaries = [summary._replace(author=unified.get(summary.author, summary.author)) for summary in summaries]
    similar = note_similar([[(summary.topic, summary.author) for summary in summaries]])
    summaries.sort(key=lambda summary: (natural_key(summary.topic), natural_key(summary.author), summary.path))
    if not summaries:
        raise InputError(str(location), "contains no summary", "use a folder, an archive or a file with summaries")
    for earlier, later in pairwise(summaries):
        if (earlier.topic, earlier.author) == (later.topic, later.author):
            reason = f"has the same topic {later.topic} and author {later.author} as {earlier.path}"
            raise InputError(later.path, reason, _DUPLICATE_REMEDY)
    empty = [summary.path for summary in summaries if not summary.sentences]
    markup = note_markup(str(location), (summary.markup for summary in summaries))
    empty_notes = note_files(empty, "is empty", "are empty")
    return SummarySet(tuple(summaries), (*notes, *empty_notes, *note_unified(unified), *similar, *markup))


def note_files(paths: Iterable[str], singular: str, plural: str) -> list[str]:
    """Write a note on files.

    Args:
        paths: Paths of the files.
        singular: The remark if there is one file, such as "is empty".
        plural: The remark if there are several.

    Returns:
        A list with one line, or an empty list if there is no file.
    """
    names = ["/".join(path.split("/")[-_PATH_PARTS:]) for path in paths]
    if not names:
        return []
    remark = singular if len(names) == 1 else plural
    return [f"{join_some(names, _MAX_PATHS)} {remark}"]


def note_markup(location: str, markups: Iterable[Markup]) -> list[str]:
    """Write a line on each kind of markup in summaries: how often it occurs, an example, and what was done with it."""
    notes = []
    for name, pieces_by_summary in zip(Markup._fields, zip(*markups, strict=True), strict=True):
        counts = [len(pieces) for pieces in pieces_by_summary if pieces]
        if counts:
            verb, noun, addition = _REMARKS[name]
            example = next(pieces[0] for pieces in pieces_by_summary if pieces)
            such_as = "" if name == "outside" or example == BYTE_ORDER_MARK else f" such as {example}"
            number, texts = count_of(sum(counts), noun), count_of(len(counts), "text")
            notes.append(f"{location}: {verb} {number}{such_as} in {texts}{addition}")
    return notes


def _parse_text(file: LocatedFile, name: SummaryName) -> Summary:
    _refuse_table(file)
    text = _decode(file)
    if _is_markup(text):
        texts, outside = _read_markup(file.name, text)
        sentences, markup = join_texts(map(read_lines, texts))
        markup = markup._replace(outside=outside)
    else:
        sentences, markup = read_lines(text)
    return Summary(name.topic, name.author, sentences, file.name, markup)


def _refuse_table(file: LocatedFile) -> None:
    if file.name.lower().endswith(_TABLE_SUFFIX):
        raise InputError(file.name, "is a table, not a summary", "convert it to CSV or JSON lines, or remove it")


def _decode(file: LocatedFile) -> str:
    encoding = _find_encoding(file.data)
    if encoding in (_OTHER_ENCODING, "utf-8"):
        require_text(file)
        return file.data.removeprefix(codecs.BOM_UTF8).decode(encoding, "replace")
    try:
        return file.data.decode(encoding)
    except UnicodeDecodeError:
        reason = f"has the byte order mark of {encoding.upper()}, but other bytes"
        raise InputError(file.name, reason, "convert it to UTF-8") from None


def _find_encoding(data: bytes) -> str:
    """Find the encoding of a text: the one of its byte order mark, UTF-8, or else Windows-1252."""
    for mark, encoding in _ENCODINGS_BY_MARK:
        if data.startswith(mark):
            return encoding
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _OTHER_ENCODING
    return "utf-8"


def _read_markup(name: str, text: str) -> tuple[list[str], tuple[str, ...]]:
    """Return the sentences of SEE's markup (links with a number) or the texts of NIST's elements <SUM>, and all others.

    The numbers of sentences in brackets are part of SEE's markup.
    """
    try:
        tree = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, ValueError) as error:
        raise InputError(name, f"contains markup that cannot be read ({error})", "use plain text") from None
    linked = [link for link in tree.iter("a") if "href" in link.attrib and "id" in link.attrib]
    if marked := linked or list(tree.iter("sum")):
        return [_collect_text(element) for element in marked], _list_outer_texts(tree, marked)
    raise InputError(name, "contains markup of an unknown kind", _MARKUP_REMEDY, 1)


def _list_outer_texts(tree: etree._Element, marked: Sequence[etree._Element]) -> tuple[str, ...]:
    """List the texts of a document outside of elements, without its title."""
    inner = {descendant for element in marked for descendant in element.iter()}
    texts = []
    for element in chain.from_iterable(body.iter(etree.Element) for body in tree.iter("body")):
        if element not in inner:
            texts.append(element.text)
        if element.getparent() not in inner:
            texts.append(element.tail)
    stripped = (text.strip() for text in texts if text)
    return tuple(text for text in stripped if text and not _SENTENCE_NUMBER.fullmatch(text))


def _collect_text(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))
