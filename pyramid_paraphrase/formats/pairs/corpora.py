"""Read corpora of labelled sentence pairs, in the formats of their publishers.

The tokenized MSRP and Twitter URL have `a.toks`, `b.toks` and `sim.txt` per split, with a pair per line. A file of
SemEval-2015 task 1, Paraphrase and Semantic Similarity in Twitter (Xu et al. 2015, sections 2-4), has seven
tab-separated columns: number of the topic, topic, two sentences, judgement, and the two sentences with tags. `tables`
reads all other corpora.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pyramid_paraphrase.catalog import OTHER_PAIRS, OTHER_PIT, PAIR_COLLECTIONS, find_pair_collection
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.tab_separated import split_columns
from pyramid_paraphrase.formats.pairs.files import (
    DEBATABLE,
    GRADED,
    UNLABELLED,
    AnnotatedPair,
    CorpusFile,
    PairCorpus,
    list_pair_files,
    read_pair_files,
    share_sentence,
)
from pyramid_paraphrase.formats.pairs.tables import (
    find_corpus,
    is_table,
    is_table_name,
    parse_tables,
    parse_unlabelled,
    require_table,
)
from pyramid_paraphrase.pyramids.sources import Source, resolve_source
from pyramid_paraphrase.rules.options import CONFIGURATIONS, PAIR_CORPUS, PIT, TEST, TRAIN, VALIDATION

FIRST, SECOND, LABELS = "a.toks", "b.toks", "sim.txt"
TOKEN_NAMES = frozenset({FIRST, SECOND, LABELS})
FOLDERS = {"train": TRAIN, "dev": VALIDATION, "valid": VALIDATION, "validation": VALIDATION, "test": TEST}
"""Split by name of its folder."""

_REMEDY = "get the corpus again, or correct the file"


def parse_tokens(files: Sequence[CorpusFile]) -> dict[str, list[AnnotatedPair]]:
    """Read the three files of each split.

    Args:
        files: The files of one corpus, in folders named as in `FOLDERS`.

    Returns:
        Pairs by split.

    Raises:
        InputError: If a file is missing, the files have different numbers of lines, or a label is not valid.
    """
    splits: dict[str, list[AnnotatedPair]] = {}
    for folder in dict.fromkeys(file.folder for file in files):
        split_files = {file.name: file for file in files if file.folder == folder}
        folder_name = re.sub("[/!][^/!]*$", "", next(iter(split_files.values())).full_name)
        split = _find_split(folder, folder_name)
        if split in splits:
            raise InputError(folder_name, f"is a second folder with the split {split}", "read one corpus at a time")
        missing = sorted(TOKEN_NAMES - split_files.keys())
        if missing:
            reason = f"does not contain {missing[0]}"
            raise InputError(folder_name, reason, "put a.toks, b.toks and sim.txt into the same folder")
        splits[split] = _parse_split(split_files[FIRST], split_files[SECOND], split_files[LABELS])
    return splits


def _find_split(folder: str, folder_name: str) -> str:
    """Return the split of a folder.

    Args:
        folder: Its path within the source.
        folder_name: Its full name, for errors.

    Raises:
        InputError: If its name is not that of a split, or it is the source itself.
    """
    split = FOLDERS.get(folder.rpartition("/")[2].lower())
    if split is not None:
        return split
    if folder_name.lower() in FOLDERS:
        raise InputError(folder_name, "is the folder of one split", "use the folder that contains it")
    remedy = f"name the folders of splits {', '.join(FOLDERS)}, and use the folder that contains them"
    raise InputError(folder_name, "does not have the name of a split", remedy)


def _parse_split(first: CorpusFile, second: CorpusFile, labels: CorpusFile) -> list[AnnotatedPair]:
    columns = [file.lines() for file in (first, second, labels)]
    for file, lines in zip((second, labels), columns[1:], strict=True):
        if len(lines) != len(columns[0]):
            reason = f"has {len(lines):,} lines, but {first.name} has {len(columns[0]):,}"
            raise InputError(file.full_name, reason, _REMEDY)
    rows = enumerate(zip(*columns, strict=True), 1)
    return [_make_pair(number, *row, files=(first, second, labels)) for number, row in rows]


def _make_pair(
    number: int, sentence1: str, sentence2: str, label: str, *, files: tuple[CorpusFile, CorpusFile, CorpusFile]
) -> AnnotatedPair:
    """Make a pair of two sentences and a label from line ``number`` of three files, which may be the same file."""
    first, second, labels = files
    for file, sentence in ((first, sentence1), (second, sentence2)):
        if not sentence.strip():
            raise InputError(file.full_name, "a sentence is empty", _REMEDY, number)
    if label not in ("0", "1"):
        raise InputError(labels.full_name, f"label is '{label[:40]}'", "use 0 or 1", number)
    sentence1, topic = share_sentence(sentence1)
    return AnnotatedPair(number, topic, sentence1, sentence2, int(label))


PIT_FILES = {"train.data": TRAIN, "dev.data": VALIDATION, "test.data": TEST}
LABEL_FILE = "test.label"
PIT_NAMES = frozenset({*PIT_FILES, LABEL_FILE})

VOTERS = 5
"""Number of people who judged each pair of the training and development data."""

HIGHEST_GRADE = 5
"""Highest grade of the expert who judged the test data. Both scales begin with 0."""

TEST_LABELS = {1: 175, 0: 663, DEBATABLE: 134}
"""Number of test pairs of the task by label (Xu et al. 2015, section 3)."""

LABELS_OF_GRADES = (0, 0, 0, DEBATABLE, 1, 1)
"""Label by expert's grade: 4 and 5 are paraphrases, 0 to 2 are not, 3 is debatable."""

DECISIONS = {1: "true", 0: "false", DEBATABLE: "----"}
"""Names of the labels in `test.label` and, except for debatable pairs, in the outputs of systems."""

_PIT_COLUMNS = 7
_PIT_REMEDY = "get the files of the task again, or correct this file"
_VOTES = re.compile(r"\((\d), (\d)\)")
_TOPIC = re.compile(r"[\w.-]{1,40}", re.ASCII)
_LABELS_OF_VOTES = (0, 0, DEBATABLE, 1, 1, 1)


def parse_pit(files: Sequence[CorpusFile]) -> dict[str, list[AnnotatedPair]]:
    """Read the data files. If there is a `test.label`, it must agree with `test.data`.

    Args:
        files: The files of one folder.

    Returns:
        Pairs by split.

    Raises:
        InputError: If a line does not fit the format, or the files contradict each other.
    """
    splits = {PIT_FILES[file.name]: parse_pit_file(file) for file in files if file.name in PIT_FILES}
    if not splits:
        reason = "contains only labels, and the files with the sentences are missing"
        raise InputError(files[0].full_name, reason, f"add {', '.join(PIT_FILES)}")
    labels = next((file for file in files if file.name == LABEL_FILE), None)
    if labels is not None and TEST in splits:
        _require_agreement(splits[TEST], labels)
    return splits


def parse_pit_file(file: CorpusFile) -> list[AnnotatedPair]:
    """Read one data file.

    Raises:
        InputError: If a line does not fit the format. The error names the line.
    """
    read_judgement = _read_grade if PIT_FILES[file.name] == TEST else _read_votes
    pairs = []
    for number, line in enumerate(file.lines(), 1):
        columns = split_columns(line, _PIT_COLUMNS, file.full_name, number, _PIT_REMEDY)
        topic, name, sentence1, sentence2, judgement, tags1, tags2 = columns
        if not _TOPIC.fullmatch(topic):
            reason = f"the topic number is '{topic[:40]}'"
            raise InputError(file.full_name, reason, "use letters and digits", number)
        if not sentence1.strip() or not sentence2.strip():
            raise InputError(file.full_name, "a sentence is empty", _PIT_REMEDY, number)
        grade, label = read_judgement(judgement, file.full_name, number)
        pairs.append(AnnotatedPair(number, topic, sentence1, sentence2, label, grade, name, tags1, tags2))
    return pairs


def _read_votes(judgement: str, file_name: str, number: int) -> tuple[int, int]:
    """Parse a judgement of the training and development data. Return its grade and label."""
    votes = _VOTES.fullmatch(judgement)
    if votes is None:
        remedy = "write the votes for and against, such as '(3, 2)'"
        raise InputError(file_name, f"judgement is '{judgement[:40]}'", remedy, number)
    votes_for, votes_against = int(votes[1]), int(votes[2])
    if votes_for + votes_against != VOTERS:
        reason = f"the votes {judgement} sum to {votes_for + votes_against} instead of {VOTERS}"
        raise InputError(file_name, reason, _PIT_REMEDY, number)
    return votes_for, _LABELS_OF_VOTES[votes_for]


def _read_grade(judgement: str, file_name: str, number: int) -> tuple[int, int]:
    """Parse a judgement of the test data. Return its grade and label."""
    if not re.fullmatch(f"[0-{HIGHEST_GRADE}]", judgement):
        raise InputError(file_name, f"grade is '{judgement[:40]}'", f"use a number from 0 to {HIGHEST_GRADE}", number)
    return int(judgement), LABELS_OF_GRADES[int(judgement)]


def _require_agreement(pairs: Sequence[AnnotatedPair], labels: CorpusFile) -> None:
    lines = labels.lines()
    if len(lines) != len(pairs):
        reason = f"has {len(lines):,} lines, but test.data has {len(pairs):,}"
        raise InputError(labels.full_name, reason, "use the two files of one release")
    for pair, line in zip(pairs, lines, strict=True):
        expected = f"{DECISIONS[pair.label]}\t{(pair.grade or 0) / HIGHEST_GRADE:.4f}"
        if line != expected:
            reason = f"contradicts the grade {pair.grade} in test.data"
            raise InputError(labels.full_name, reason, "use the two files of one release", pair.line)


class PairFormat(NamedTuple):
    """A format in which pairs are distributed.

    Attributes:
        corpus: The name of the only corpus in this format, or "".
        has_name: Returns whether a file has the name of a file of this format.
        fits: Returns whether a file has this format, by its name, which is "" for a single file, and its first line.
        parse: Parses files into pairs by split.
        origin: The origin of the configurations that are made from it.
    """

    corpus: str
    has_name: Callable[[str], bool]
    fits: Callable[[str, str], bool]
    parse: Callable[[Sequence[CorpusFile]], dict[str, list[AnnotatedPair]]]
    origin: str = PAIR_CORPUS


FORMATS = (
    PairFormat("pit2015", PIT_NAMES.__contains__, lambda name, _: name in PIT_NAMES, parse_pit, PIT),
    PairFormat("", TOKEN_NAMES.__contains__, lambda name, _: name in TOKEN_NAMES, parse_tokens),
    PairFormat("", is_table_name, is_table, parse_tables),
)
"""All formats. `tables.TABLES` lists the forms of tables."""

_TABLE_SUFFIXES = (".csv", ".tsv", ".xlsx", ".xlsm")
_PAIRS_AT_ONCE = 1 << 14
_GET_CORPUS = (
    f"use the folder of one of {', '.join(row.name for row in PAIR_COLLECTIONS)}. `pyramid-paraphrase download NAME` "
    "says how to get it"
)


def _has_name(name: str) -> bool:
    return any(row.has_name(name) for row in FORMATS)


def read_pair_corpus(source: Source) -> PairCorpus:
    """Read a corpus of labelled or graded pairs.

    Args:
        source: A folder or an archive with the files of one corpus, each of which may be compressed by gzip. The files
            are `train.data`, `dev.data`, `test.data` and, optionally, `test.label` for PIT-2015. Tables have the names
            of `tables.TABLES`. For other corpora, a folder per split contains `a.toks`, `b.toks` and `sim.txt`. Or a
            single table of any name, all of whose pairs are the test.

    Returns:
        The corpus.

    Raises:
        InputError: If the source contains no corpus or several corpora, or a line does not fit the format.
        LimitError: If a file is larger than `limits` allows, or there are more files.
    """
    files = read_pair_files(source, _has_name, require_table)
    if not files:
        raise InputError(str(source), "does not contain a pair corpus", _GET_CORPUS)
    formats = [
        row
        for row in FORMATS
        if any(row.fits(file.name, file.first_line) or row.fits("", file.first_line) for file in files)
    ]
    # The parser of tables says what is wrong with a file that has the name of a table and another first line.
    chosen = formats[0] if formats else FORMATS[-1]
    folders = {file.folder for file in files}
    if len(formats) > 1 or (len(folders) > 1 and chosen.parse is not parse_tokens):
        raise InputError(str(source), "contains the files of several corpora", "use the folder of one corpus")
    first_name, only_corpus = files[0].full_name, chosen.corpus or find_corpus(files)
    splits = {split: pairs for split, pairs in chosen.parse(files).items() if pairs}
    del files  # frees memory: the pairs contain the texts now
    if not splits:
        raise InputError(first_name, "does not contain any pairs", "get the corpus again")
    digest = _digest(splits)
    # The names of files are not sufficient to identify other corpora, because several corpora have the same names.
    name = only_corpus or find_pair_collection(digest)
    origin = chosen.origin
    if origin == PIT and Counter(pair.label for pair in splits.get(TEST, ())) != TEST_LABELS:
        name = OTHER_PIT.name
    if origin != PIT and any(pair.grade is not None for pairs in splits.values() for pair in pairs):
        origin = GRADED
    return PairCorpus(name, origin, splits, digest)


def list_pair_tests(source: Source) -> tuple[str, ...]:
    """List the configurations that are made from a pair corpus, by the names and the first lines of its files.

    Args:
        source: A file, a folder or an archive.

    Returns:
        Names of configurations. Empty if the source is not a pair corpus, or contains the files of several corpora.

    Raises:
        InputError: If the source does not exist, or an archive is damaged.
    """
    files = list_pair_files(source, _has_name)
    origins = {row.origin for row in FORMATS if any(row.fits(*file) for file in files)}
    if len(origins) != 1:
        return ()
    return tuple(row.name for row in CONFIGURATIONS if row.origin in origins)


def refuse_other_table(source: Source) -> None:
    """Refuse a single table in CSV, Excel or with tabs whose columns are not those of pairs.

    Raises:
        NoAnnotationError: If the source is such a table. The error names its columns and those of pairs.
    """
    path = resolve_source(source)
    if path.is_file() and path.suffix.lower() in _TABLE_SUFFIXES:
        read_pair_files(source, _has_name, require_table)


def read_unlabelled_pairs(source: Source) -> PairCorpus | None:
    """Read a single table with the columns sentence1 and sentence2, but without labels and grades.

    Returns:
        The pairs, all in the split "test". None for any other source.

    Raises:
        InputError: If a row does not fit the table.
    """
    path = resolve_source(source)
    if not path.is_file() or path.suffix.lower() not in _TABLE_SUFFIXES:
        return None
    (file,) = read_pair_files(source, _has_name, lambda _: None)
    pairs = parse_unlabelled(file)
    splits = {TEST: pairs}
    return PairCorpus(OTHER_PAIRS.name, UNLABELLED, splits, _digest(splits)) if pairs else None


def read_one_pair_corpus(sources: Sequence[Source]) -> PairCorpus:
    """Read a corpus that must be the only source.

    Raises:
        InputError: If there are several sources, or `read_pair_corpus` raises it.
    """
    if len(sources) != 1:
        names = ", ".join(map(str, sources))
        reason = "are several sources, but a pair corpus is a single source"
        raise InputError(names, reason, "use its folder or its archive")
    return read_pair_corpus(sources[0])


def _digest(splits: Mapping[str, Sequence[AnnotatedPair]]) -> str:
    """Compute the SHA-256 of all pairs. It does not depend on the folder's name or the packing of its files."""
    digest = hashlib.sha256()
    for split, pairs in sorted(splits.items()):
        digest.update(f"{split} {len(pairs)}\n".encode())
        for column in range(len(AnnotatedPair._fields)):
            for start in range(0, len(pairs), _PAIRS_AT_ONCE):
                values = [str(pair[column]) for pair in pairs[start : start + _PAIRS_AT_ONCE]]
                digest.update("\n".join([*values, ""]).encode())  # unambiguous, because no field contains a line feed
    return digest.hexdigest()
