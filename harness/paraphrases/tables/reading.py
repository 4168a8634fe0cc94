"""Reading of tables of paraphrases in any format: entries are collected as numbers, and finally sorted."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from harness.files.lines import stream_lines
from harness.paraphrases.sorting import find_starts
from harness.paraphrases.tables import formats
from harness.paraphrases.tables.storage import TableArrays, make_arrays
from harness.paraphrases.tables.table import ParaphraseTable
from harness.paraphrases.tables.tries import build_trie, pack_words
from harness.paraphrases.tables.wordnet import read_wordnet
from harness.support.progress import Progress
from harness.text.stems import stem_words
from pyramid_paraphrase.errors import InputError, LimitError, OptionError, unknown_name
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import is_file, is_folder

NO_WORDS = "without words on one side"
SAME_WORDS = "with the same words on both sides"
IMPROBABLE = "below the minimum probability"
REPEATED = "repeated (the highest probability is kept)"
REASONS = (NO_WORDS, SAME_WORDS, IMPROBABLE, REPEATED, formats.PATTERN, formats.NO_PARAPHRASE)
"""Reasons why entries are left out."""

ABOVE_ONE = "probability above 1, replaced by 1"
"""Reason why entries are repaired. Left-out entries count, too."""

ENTRIES = "entries read"
"""Key of the number of all entries in counts."""


class TableBuilder:
    """Collector of entries. It uses 12 bytes per entry and 4 bytes per word.

    Args:
        name: Name of the source, for messages.
        min_probability: Entries with a lower probability are left out.

    Attributes:
        counts: Number of all entries, of left-out entries by reason, and of repaired entries.
    """

    def __init__(self, name: str, min_probability: float = 0.0) -> None:
        self.counts: Counter[str] = Counter()
        self._name = name
        self._min_probability = min_probability
        self._ids: defaultdict[str, int] = defaultdict()
        self._ids.default_factory = self._ids.__len__
        self._words = array("I")
        self._lengths = array("I")
        self._probabilities = array("f")

    def add(self, entry: formats.ParaphraseEntry | str) -> None:
        """Add an entry, or count the reason why it is left out, which may be known and given instead of the entry.

        Raises:
            LimitError: If there are more entries or words than `limits` allows.
        """
        self.counts[ENTRIES] += 1
        if isinstance(entry, str):
            self.counts[entry] += 1
            return
        if entry.probability > 1:
            self.counts[ABOVE_ONE] += 1
        if not entry.phrase or not entry.paraphrase:
            self.counts[NO_WORDS] += 1
        elif entry.phrase == entry.paraphrase:
            self.counts[SAME_WORDS] += 1
        elif entry.probability < self._min_probability:
            self.counts[IMPROBABLE] += 1
        else:
            self._keep(entry)

    def _keep(self, entry: formats.ParaphraseEntry) -> None:
        words, number_of = self._words, self._ids.__getitem__
        for side in (entry.phrase, entry.paraphrase):
            words.extend(map(number_of, side))
            self._lengths.append(len(side))
        self._probabilities.append(min(entry.probability, 1.0))
        if len(self._probabilities) > limits.MAX_TABLE_ENTRIES:
            raise self._refuse(f"{limits.MAX_TABLE_ENTRIES:,} entries")
        if len(words) > limits.MAX_TABLE_WORDS:
            raise self._refuse(f"{limits.MAX_TABLE_WORDS:,} words in entries")

    def _refuse(self, limit: str) -> LimitError:
        return LimitError(self._name, f"has more than {limit}", "remove improbable entries")

    def build(self) -> TableArrays:
        """Build the arrays of the collected entries."""
        words = sorted(self._ids)
        ranks = np.empty(len(words), np.uint32)
        ranks[[self._ids[word] for word in words]] = np.arange(len(words), dtype=np.uint32)
        symbols = ranks[np.frombuffer(self._words, np.uint32)]
        lengths = np.frombuffer(self._lengths, np.uint32)
        del self._words  # the arrays below need the memory
        starts = np.cumsum(lengths, dtype=np.uint32) - lengths
        edges, nodes = build_trie(symbols, starts, lengths)
        first = np.full(len(edges) + 1, len(nodes), np.uint32)
        first[nodes[::-1]] = np.arange(len(nodes), dtype=np.uint32)[::-1]  # of equal nodes, the last one is assigned
        phrase_nodes = np.flatnonzero(first < len(nodes))
        first = first[phrase_nodes]
        numbers = np.zeros(len(edges) + 1, np.uint32)
        numbers[phrase_nodes] = np.arange(len(phrase_nodes), dtype=np.uint32)
        sides = numbers[nodes].reshape(-1, 2)
        del nodes, numbers
        probabilities = np.frombuffer(self._probabilities, np.float32)
        # Sorted by phrase and paraphrase. Of repeated pairs, the highest probability comes first, and is kept.
        order = np.lexsort((-probabilities, sides[:, 1], sides[:, 0]))
        kept = order[find_starts(sides[order])]
        if repeated := len(sides) - len(kept):
            self.counts[REPEATED] += repeated
        stems = stem_words(words)
        distinct_stems = sorted(set(stems))
        stem_ranks = {stem: rank for rank, stem in enumerate(distinct_stems)}
        symbols = np.array([stem_ranks[stem] for stem in stems], np.uint32)[symbols]
        stem_edges, stem_nodes = build_trie(symbols, starts[first], lengths[first])
        word_offsets, word_text = pack_words(words)
        stem_offsets, stem_text = pack_words(distinct_stems)
        return make_arrays(
            word_offsets=word_offsets,
            word_text=word_text,
            stem_offsets=stem_offsets,
            stem_text=stem_text,
            edges=edges,
            phrase_nodes=phrase_nodes,
            stem_edges=stem_edges,
            stem_nodes=stem_nodes,
            stem_phrases=np.argsort(stem_nodes, kind="stable"),
            entry_offsets=np.searchsorted(sides[kept, 0], np.arange(len(phrase_nodes) + 1)),
            paraphrases=sides[kept, 1],
            probabilities=probabilities[kept],
        )


def open_table(
    source: str | Path, *, stem: bool = False, min_probability: float = 0.0, progress: Progress | None = None
) -> ParaphraseTable:
    """Open a compiled table, or read a table in another format into memory.

    Args:
        source: The file or folder, as for `formats.parse_source`.
        stem: Whether the table is searched by stems.
        min_probability: Entries with a lower probability are ignored.
        progress: Progress bar, or None.

    Raises:
        InputError: If the table cannot be read.
        LimitError: If the table is larger than `limits` allows.
    """
    path, relations = formats.parse_source(source)
    format_name = formats.recognize_format(source)
    if format_name == formats.COMPILED:
        return ParaphraseTable.open(path, stem=stem, min_probability=min_probability)
    _, arrays, counts = read_table(source, format_name, progress=progress)
    name = Path(path.name.removesuffix(".gz")).stem or path.absolute().name
    if relations:
        name += f" ({'+'.join(relations)})"
    table = ParaphraseTable(arrays, name, stem=stem, min_probability=min_probability)
    table.entries_without_words = counts[NO_WORDS]
    return table


def read_table(
    source: str | Path,
    input_format: str | None = None,
    score: int | None = None,
    min_probability: float = 0.0,
    progress: Progress | None = None,
) -> tuple[str, TableArrays, Counter[str]]:
    """Read a table in a text format.

    Args:
        source: The file, plain or compressed, or the folder, as for `formats.parse_source`.
        input_format: One of `FORMAT_NAMES`. If None, the format is recognized.
        score: Number of the score of Moses that is the probability, 1-based.
        min_probability: Entries with a lower probability are left out.
        progress: Progress bar, or None.

    Returns:
        The format, the content of the table, and the counts of `TableBuilder`.

    Raises:
        OptionError: If the format is unknown, or `score` is given for a format other than Moses, or relations for a
            format other than WordNet.
        InputError: If the table cannot be read, or no entry remains.
        LimitError: If the table is larger than `limits` allows.
    """
    path, relations = formats.parse_source(source)
    format_name = _choose_format(source, input_format, score)
    progress = progress or Progress(visible=False)
    size = sum(file.stat().st_size for file in list_files(path) if is_file(file))
    progress.start(f"reading {path.name}", size, unit="B")
    builder = TableBuilder(str(path), min_probability)
    if format_name == formats.WORDNET:
        entries: Iterator[formats.ParaphraseEntry | str] = read_wordnet(
            path, relations or (formats.SYNONYMS,), progress
        )
    else:
        entries = _read_entries(path, format_name, score, progress)
    for entry in entries:
        builder.add(entry)
    progress.start("sorting", 1)
    arrays = builder.build()
    if not len(arrays.paraphrases):
        counts = builder.counts
        left_out = "; ".join(f"{counts[reason]:,} {reason}" for reason in sorted(REASONS) if counts[reason])
        reason = "contains no usable paraphrases" + (f" ({left_out})" if left_out else "")
        raise InputError(str(path), reason, "use another table")
    return format_name, arrays, builder.counts


def _choose_format(path: str | Path, input_format: str | None, score: int | None) -> str:
    format_name = input_format
    if format_name is None:
        format_name = formats.recognize_format(path)
        if format_name == formats.COMPILED:
            raise InputError(str(path), "is already compiled", "use this file directly")
    elif format_name not in formats.FORMAT_NAMES:
        raise unknown_name("format of tables of paraphrases", format_name, formats.FORMAT_NAMES)
    text_format = formats.TEXT_FORMATS.get(format_name)
    if score is not None and not (text_format and text_format.has_scores):
        raise OptionError(f"{path}: --score applies to the format {formats.MOSES}, not to {format_name}. Omit --score")
    return format_name


def _read_entries(
    path: Path, format_name: str, score: int | None, progress: Progress
) -> Iterator[formats.ParaphraseEntry | str]:
    """Read the entries of a table. For a left-out entry, yield the reason instead."""
    if format_name == formats.ROWS:
        yield from formats.read_rows(path)
        return
    text_format = formats.TEXT_FORMATS[format_name]
    with closing(stream_lines(path, formats.GIVE_TABLE, progress, keep_blank=text_format.has_blank_lines)) as lines:
        yield from text_format.read(lines, score)


def list_files(source: str | Path) -> list[Path]:
    """List the files that a table is read from: the file itself, or the files of WordNet in a folder."""
    path, _ = formats.parse_source(source)
    return [path / name for name in formats.WORDNET_FILES] if is_folder(path) else [path]
