"""Pivoting: paraphrases from the phrases of a phrase table that share translations.

The method is that of Bannard and Callison-Burch (2005). A translation that phrases share is called the pivot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Literal, NamedTuple

from harness.paraphrases.extraction.array_files import temporary_folder
from harness.paraphrases.extraction.phrase_tables import PhrasePair, read_phrase_pairs, writing_lines
from harness.paraphrases.pivoting.filters import PAIR_FILTERS, PHRASE_FILTERS
from harness.paraphrases.pivoting.grouping import LineSorter, Tally, group_sums
from harness.support.progress import Progress
from pyramid_paraphrase.errors import EmptyResultError, InputError, LimitError
from pyramid_paraphrase.inputs import is_file

COLUMNS = (b"phrase", b"paraphrase", b"probability")

UNIT = 10**18
"""Probabilities are summed as whole multiples of 1 / UNIT, so that sums do not depend on the order of the terms."""

MAX_PAIRS_PER_PIVOT = 100_000_000
"""Largest number of phrase pairs of a pivot. It bounds time and disk space: even a short table can have many pairs."""

UNSURE, LONG, IMPROBABLE, BEYOND = (
    "with improbable translations",
    "of too many words",
    "improbable",
    "beyond the best of a phrase",
)
"""Reasons why phrase pairs and paraphrases are left out, in addition to the filters."""


@dataclass(frozen=True)
class PivotRules:
    """The rules of pivoting.

    Attributes:
        side: Side of the phrase table that paraphrases are of.
        max_words: Largest number of words of a phrase.
        min_translation_probability: Smallest probability of a translation, in each direction.
        min_probability: Smallest probability of a paraphrase.
        max_paraphrases: Largest number of paraphrases of a phrase; the most probable ones are kept.
        keep: Names of the filters that are not used.
    """

    side: Literal["source", "target"] = "target"
    max_words: int = 7
    min_translation_probability: float = 0.001
    min_probability: float = 0.01
    max_paraphrases: int = 100
    keep: frozenset[str] = frozenset()


class Pivoted(NamedTuple):
    """Counts of what was read and written.

    Attributes:
        entries: Number of phrase pairs of the phrase table.
        entries_left_out: Number of these that are left out, by reason.
        pairs: Number of pairs of a phrase and a paraphrase.
        pairs_left_out: Number of these that are left out, by reason.
        written: Number of pairs that are written.
        phrases: Number of phrases with paraphrases.
    """

    entries: int
    entries_left_out: dict[str, int]
    pairs: int
    pairs_left_out: dict[str, int]
    written: int
    phrases: int


class Translation(NamedTuple):
    """A phrase that translates the pivot.

    Attributes:
        phrase: The phrase, as UTF-8.
        pivot_given_phrase: Probability that the pivot translates the phrase.
        phrase_given_pivot: Probability that the phrase translates the pivot.
    """

    phrase: bytes
    pivot_given_phrase: float
    phrase_given_pivot: float


def pivot_translations(
    translations: Sequence[Translation], min_probability: float
) -> Iterator[tuple[bytes, bytes, int]]:
    """Compute the terms of a pivot f in p(e2|e1), the sum over all f of p(f|e1) p(e2|f), where e1 and e2 differ.

    Args:
        translations: Phrases that translate the pivot, each once.
        min_probability: Smallest p(f|e1) and p(e2|f) that is used.

    Yields:
        The phrase e1, its paraphrase e2, and the product in multiples of 1 / `UNIT`.
    """
    sources = [e1 for e1 in translations if e1.pivot_given_phrase >= min_probability]
    targets = [e2 for e2 in translations if e2.phrase_given_pivot >= min_probability]
    for e1 in sources:
        for e2 in targets:
            if e1.phrase != e2.phrase:
                yield e1.phrase, e2.phrase, round(e1.pivot_given_phrase * e2.phrase_given_pivot * UNIT)


def write_paraphrases(
    table: Path, output: Path, rules: PivotRules, *, temporary: Path | None = None, progress: Progress | None = None
) -> Pivoted:
    """Find the paraphrases in a phrase table and write them: by phrase, the most probable first.

    Args:
        table: A phrase table of Moses.
        output: File to write.
        rules: The rules of pivoting.
        temporary: Folder for temporary files; that of the output if None.
        progress: Shows the progress.

    Raises:
        InputError: If the table cannot be used.
        LimitError: If a pivot has more pairs than `MAX_PAIRS_PER_PIVOT`.
        EmptyResultError: If no paraphrase is left.
        OutputError: If a file cannot be written.
    """
    progress = progress or Progress(visible=False)
    entries_left_out, pairs_left_out = Counter[str](), Counter[str]()
    with temporary_folder(output, temporary) as folder:
        try:
            sorter, entries = _sort_by_pivot(table, rules, folder, entries_left_out, progress)
            progress.start("pivoting", entries - entries_left_out.total())
            tally = _sum_products(table, sorter, rules, folder, progress)
            phrases, written = _write(_select(tally, rules, pairs_left_out), output)
        finally:
            progress.stop()
    entry_reasons = (LONG, *(phrase_filter.text for phrase_filter in PHRASE_FILTERS), UNSURE)
    pair_reasons = (IMPROBABLE, *(pair_filter.text for pair_filter in PAIR_FILTERS), BEYOND)
    return Pivoted(
        entries=entries,
        entries_left_out={reason: entries_left_out[reason] for reason in entry_reasons},
        pairs=written + pairs_left_out.total(),
        pairs_left_out={reason: pairs_left_out[reason] for reason in pair_reasons},
        written=written,
        phrases=phrases,
    )


def _write(selected: Iterator[tuple[bytes, list[tuple[bytes, int]]]], output: Path) -> tuple[int, int]:
    """Write paraphrases, and return the numbers of phrases and of paraphrases."""
    phrases, written = 0, 0
    with writing_lines(output) as file:
        file.write(b"\t".join(COLUMNS) + b"\n")
        for phrase, paraphrases in selected:
            file.writelines(b"%b\t%b\t%.6g\n" % (phrase, paraphrase, units / UNIT) for paraphrase, units in paraphrases)
            phrases, written = phrases + 1, written + len(paraphrases)
        if not written:
            raise EmptyResultError("the table gives no paraphrase; lower --min-probability, or --keep more")
    return phrases, written


def _sort_by_pivot(
    table: Path, rules: PivotRules, folder: Path, left_out: Counter[str], progress: Progress
) -> tuple[LineSorter, int]:
    """Sort the usable phrase pairs of a table by pivot, and return the number of all phrase pairs."""
    file_size = table.stat().st_size if is_file(table) else 0
    progress.start("reading", file_size, unit="B")
    sorter, entries, consumed_before = LineSorter(folder), 0, 0
    for pair, consumed in read_phrase_pairs(table):
        entries += 1
        progress.advance(consumed - consumed_before)
        consumed_before = consumed
        pivot, translation = _orient(pair, rules.side)
        if reason := _find_reason(translation, rules):
            left_out[reason] += 1
        else:
            sorter.add(b"%b\t%b\t%r\t%r\n" % (pivot, *translation))
    return sorter, entries


def _orient(pair: PhrasePair, side: Literal["source", "target"]) -> tuple[bytes, Translation]:
    """Divide a phrase pair into the pivot and its translation into the language of the paraphrases."""
    if side == "target":
        return pair.source, Translation(pair.target, pair.source_given_target, pair.target_given_source)
    return pair.target, Translation(pair.source, pair.target_given_source, pair.source_given_target)


def _find_reason(translation: Translation, rules: PivotRules) -> str:
    """Find the reason why a translation is left out, or ""."""
    words = translation.phrase.decode().split(" ")
    if len(words) > rules.max_words:
        return LONG
    for phrase_filter in PHRASE_FILTERS:
        if phrase_filter.name not in rules.keep and phrase_filter.matches(words):
            return phrase_filter.text
    if max(translation.pivot_given_phrase, translation.phrase_given_pivot) < rules.min_translation_probability:
        return UNSURE
    return ""


def _sum_products(table: Path, sorter: LineSorter, rules: PivotRules, folder: Path, progress: Progress) -> Tally:
    """Sum the terms of all pivots in the probability of each paraphrase."""
    tally = Tally(folder)
    for pivot, group in groupby(map(_parse_line, sorter.sorted_lines()), itemgetter(0)):
        translations = [translation for _, translation in group]
        _refuse_repetition(table, pivot, translations)
        _require_few(table, pivot, translations, rules.min_translation_probability)
        for phrase, paraphrase, units in pivot_translations(translations, rules.min_translation_probability):
            tally.add(b"%b\t%b" % (phrase, paraphrase), units)
        progress.advance(len(translations))
    return tally


def _parse_line(line: bytes) -> tuple[bytes, Translation]:
    pivot, phrase, pivot_given_phrase, phrase_given_pivot = line.split(b"\t")
    return pivot, Translation(phrase, float(pivot_given_phrase), float(phrase_given_pivot))


def _require_few(table: Path, pivot: bytes, translations: Sequence[Translation], min_probability: float) -> None:
    """Check the number of phrase pairs of a pivot.

    Raises:
        LimitError: If there are more than `MAX_PAIRS_PER_PIVOT`.
    """
    sources = sum(translation.pivot_given_phrase >= min_probability for translation in translations)
    targets = sum(translation.phrase_given_pivot >= min_probability for translation in translations)
    if sources * targets > MAX_PAIRS_PER_PIVOT:
        pairs = f"{sources:,} times {targets:,} pairs"
        reason = f"{pivot.decode()[:40]!a} makes {pairs}; at most {MAX_PAIRS_PER_PIVOT:,} are allowed"
        raise LimitError(str(table), reason, "raise --min-translation-probability")


def _refuse_repetition(table: Path, pivot: bytes, translations: Sequence[Translation]) -> None:
    """Check that no phrase pair is repeated; translations are sorted by phrase."""
    for translation, next_translation in pairwise(translations):
        if translation.phrase == next_translation.phrase:
            reason = f"has {pivot.decode()!a} and {translation.phrase.decode()!a} as a phrase pair twice"
            raise InputError(str(table), reason, "unite the two, or drop one")


def _select(tally: Tally, rules: PivotRules, left_out: Counter[str]) -> Iterator[tuple[bytes, list[tuple[bytes, int]]]]:
    """Select the paraphrases of each phrase that are to be written, the most probable first, ties sorted by bytes."""
    min_units = rules.min_probability * UNIT
    for phrase, sums in group_sums(tally.sums()):
        kept = []
        for paraphrase, units in sums:
            if units < min_units:
                left_out[IMPROBABLE] += 1
            elif reason := _find_pair_reason(phrase, paraphrase, rules):
                left_out[reason] += 1
            else:
                kept.append((paraphrase, min(units, UNIT)))
        kept.sort(key=lambda pair: (-pair[1], pair[0]))
        left_out[BEYOND] += len(kept[rules.max_paraphrases :])
        if kept:
            yield phrase, kept[: rules.max_paraphrases]


def _find_pair_reason(phrase: bytes, paraphrase: bytes, rules: PivotRules) -> str:
    """Find the reason why a paraphrase is left out, or ""."""
    words, paraphrase_words = phrase.decode().split(" "), paraphrase.decode().split(" ")
    for pair_filter in PAIR_FILTERS:
        if pair_filter.name not in rules.keep and pair_filter.matches(words, paraphrase_words):
            return pair_filter.text
    return ""
