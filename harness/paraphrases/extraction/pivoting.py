"""From a phrase table to paraphrases: phrases that share translations (Bannard and Callison-Burch, 2005)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Literal, NamedTuple

from harness.paraphrases.extraction.filters import PAIR_FILTERS, PHRASE_FILTERS
from harness.paraphrases.extraction.grouping import LineSorter, Tally, group_sums, temporary_folder
from harness.paraphrases.extraction.phrase_tables import PhrasePair, read_phrase_pairs, writing_lines
from harness.support.progress import Progress
from pyramid_paraphrase.errors import EmptyResultError, InputError, LimitError
from pyramid_paraphrase.inputs import is_file

COLUMNS = (b"phrase", b"paraphrase", b"probability")

UNIT = 10**18
"""Probabilities are summed as whole numbers of its reciprocal, so that the order of the terms cannot show."""

MAX_PAIRS_PER_PIVOT = 100_000_000
"""Pairs of phrases that share one translation: bounds time and disk, because a short table can have very many."""

UNSURE, LONG, IMPROBABLE, BEYOND = (
    "with improbable translations",
    "of too many words",
    "improbable",
    "beyond the best of a phrase",
)
"""Why phrase pairs and paraphrases are left out, beside what filters match."""


@dataclass(frozen=True)
class PivotRules:
    """What makes paraphrases.

    Attributes:
        side: Which side of the phrase table they are of.
        max_words: Words that a phrase has at most.
        min_translation_probability: The least probability of a translation to be used, there and back.
        min_probability: The least probability of a paraphrase.
        max_paraphrases: How many a phrase has at most, the most probable.
        keep: Names of the filters that are not used.
    """

    side: Literal["source", "target"] = "target"
    max_words: int = 7
    min_translation_probability: float = 0.001
    min_probability: float = 0.01
    max_paraphrases: int = 100
    keep: frozenset[str] = frozenset()


class Pivoted(NamedTuple):
    """What was read and written.

    Attributes:
        entries: Phrase pairs that were read.
        entries_left_out: Of them, by reason.
        pairs: Phrases and paraphrases that were found.
        pairs_left_out: Of them, by reason.
        written: Those that were not left out.
        phrases: How many phrases have paraphrases.
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
        pivot_given_phrase: Probability that the pivot translates it.
        phrase_given_pivot: Probability that it translates the pivot.
    """

    phrase: bytes
    pivot_given_phrase: float
    phrase_given_pivot: float


def pivot_translations(
    translations: Sequence[Translation], min_probability: float
) -> Iterator[tuple[bytes, bytes, int]]:
    """What one pivot f adds to p(e2|e1), the sum over all f of p(f|e1) p(e2|f), where e1 and e2 differ.

    Args:
        translations: Phrases that translate the pivot, each once.
        min_probability: What p(f|e1) and p(e2|f) are at least.

    Yields:
        The phrase e1, its paraphrase e2, and the product in whole parts of `UNIT`.
    """
    there = [one for one in translations if one.pivot_given_phrase >= min_probability]
    back = [one for one in translations if one.phrase_given_pivot >= min_probability]
    for one in there:
        for other in back:
            if one.phrase != other.phrase:
                yield one.phrase, other.phrase, round(one.pivot_given_phrase * other.phrase_given_pivot * UNIT)


def write_paraphrases(
    table: Path, output: Path, rules: PivotRules, *, temporary: Path | None = None, progress: Progress | None = None
) -> Pivoted:
    """Find the paraphrases in a phrase table and write them: by phrase, the most probable first.

    Args:
        table: A phrase table of Moses.
        output: Where they go.
        rules: What makes them.
        temporary: Folder for what memory does not hold; that of the output if None.
        progress: Shows how far it is.

    Raises:
        InputError: If the table cannot be used.
        LimitError: If one phrase of the other language makes more pairs than `MAX_PAIRS_PER_PIVOT`.
        EmptyResultError: If no paraphrase is left.
        OutputError: If something cannot be written.
    """
    progress = progress or Progress(visible=False)
    entries_left_out, pairs_left_out = Counter[str](), Counter[str]()
    with temporary_folder(output, temporary) as folder:
        try:
            sorter, entries = _sort_by_pivot(table, rules, folder, entries_left_out, progress)
            tally = _sum_products(table, sorter, entries - entries_left_out.total(), rules, folder, progress)
            phrases, written = _write(_select(tally, rules, pairs_left_out), output)
        finally:
            progress.stop()
    return Pivoted(
        entries,
        _order(entries_left_out, (LONG, *(one.text for one in PHRASE_FILTERS), UNSURE)),
        written + pairs_left_out.total(),
        _order(pairs_left_out, (IMPROBABLE, *(one.text for one in PAIR_FILTERS), BEYOND)),
        written,
        phrases,
    )


def _write(selected: Iterator[tuple[bytes, list[tuple[bytes, int]]]], output: Path) -> tuple[int, int]:
    """Write paraphrases, and say how many phrases have how many."""
    phrases, written = 0, 0
    with writing_lines(output) as file:
        file.write(b"\t".join(COLUMNS) + b"\n")
        for phrase, paraphrases in selected:
            file.writelines(b"%b\t%b\t%.6g\n" % (phrase, other, units / UNIT) for other, units in paraphrases)
            phrases, written = phrases + 1, written + len(paraphrases)
        if not written:
            raise EmptyResultError("the table gives no paraphrase; lower --min-probability, or --keep more")
    return phrases, written


def _order(counts: Counter[str], reasons: Sequence[str]) -> dict[str, int]:
    return {reason: counts[reason] for reason in reasons}


def _sort_by_pivot(
    table: Path, rules: PivotRules, folder: Path, left_out: Counter[str], progress: Progress
) -> tuple[LineSorter, int]:
    """Sort what may be used of a table by the phrases of the other language; say how many entries there are."""
    progress.start("reading", table.stat().st_size if is_file(table) else 0, unit="B")
    sorter, entries, told = LineSorter(folder), 0, 0
    for entry, consumed in read_phrase_pairs(table):
        entries += 1
        progress.advance(consumed - told)
        told = consumed
        pivot, one = _turn(entry, rules.side)
        if reason := _find_reason(one, rules):
            left_out[reason] += 1
        else:
            sorter.add(b"%b\t%b\t%r\t%r\n" % (pivot, *one))
    return sorter, entries


def _turn(entry: PhrasePair, side: Literal["source", "target"]) -> tuple[bytes, Translation]:
    """The pivot, and its translation into the language of the paraphrases."""
    if side == "target":
        return entry.source, Translation(entry.target, entry.source_given_target, entry.target_given_source)
    return entry.target, Translation(entry.source, entry.target_given_source, entry.source_given_target)


def _find_reason(one: Translation, rules: PivotRules) -> str:
    """Why an entry is of no use, or nothing."""
    words = one.phrase.decode().split(" ")
    if len(words) > rules.max_words:
        return LONG
    for kind in PHRASE_FILTERS:
        if kind.name not in rules.keep and kind.matches(words):
            return kind.text
    is_unsure = max(one.pivot_given_phrase, one.phrase_given_pivot) < rules.min_translation_probability
    return UNSURE if is_unsure else ""


def _sum_products(
    table: Path, sorter: LineSorter, entries: int, rules: PivotRules, folder: Path, progress: Progress
) -> Tally:
    """Sum what all pivots add to the probability of each paraphrase."""
    progress.start("pivoting", entries)
    tally = Tally(folder)
    for pivot, group in groupby(map(_parse_line, sorter.sorted_lines()), itemgetter(0)):
        translations = [one for _, one in group]
        _refuse_repetition(table, pivot, translations)
        _require_few(table, pivot, translations, rules.min_translation_probability)
        for phrase, paraphrase, units in pivot_translations(translations, rules.min_translation_probability):
            tally.add(b"%b\t%b" % (phrase, paraphrase), units)
        progress.advance(len(translations))
    return tally


def _parse_line(line: bytes) -> tuple[bytes, Translation]:
    pivot, phrase, there, back = line.split(b"\t")
    return pivot, Translation(phrase, float(there), float(back))


def _require_few(table: Path, pivot: bytes, translations: Sequence[Translation], min_probability: float) -> None:
    """Check the number of pairs of phrases that share one pivot.

    Raises:
        LimitError: If they are more than `MAX_PAIRS_PER_PIVOT`.
    """
    there = sum(translation.pivot_given_phrase >= min_probability for translation in translations)
    back = sum(translation.phrase_given_pivot >= min_probability for translation in translations)
    if there * back > MAX_PAIRS_PER_PIVOT:
        reason = (
            f"{pivot.decode()[:40]!a} makes {there:,} times {back:,} pairs; at most {MAX_PAIRS_PER_PIVOT:,} are allowed"
        )
        raise LimitError(str(table), reason, "raise --min-translation-probability")


def _refuse_repetition(table: Path, pivot: bytes, translations: Sequence[Translation]) -> None:
    """Check that no phrase pair is there twice; they come in order."""
    for one, other in pairwise(translations):
        if one.phrase == other.phrase:
            reason = f"has {pivot.decode()!a} and {one.phrase.decode()!a} as a phrase pair twice"
            raise InputError(str(table), reason, "unite the two, or drop one")


def _select(tally: Tally, rules: PivotRules, left_out: Counter[str]) -> Iterator[tuple[bytes, list[tuple[bytes, int]]]]:
    """Phrases with the paraphrases that are to be written, the most probable first, equal ones in order."""
    least = rules.min_probability * UNIT
    for phrase, sums in group_sums(tally.sums()):
        kept = []
        for paraphrase, units in sums:
            if reason := _find_pair_reason(phrase, paraphrase, rules) if units >= least else IMPROBABLE:
                left_out[reason] += 1
            else:
                kept.append((paraphrase, min(units, UNIT)))
        kept.sort(key=lambda one: (-one[1], one[0]))
        left_out[BEYOND] += len(kept[rules.max_paraphrases :])
        if kept:
            yield phrase, kept[: rules.max_paraphrases]


def _find_pair_reason(phrase: bytes, paraphrase: bytes, rules: PivotRules) -> str:
    words, other = phrase.decode().split(" "), paraphrase.decode().split(" ")
    return next((one.text for one in PAIR_FILTERS if one.name not in rules.keep and one.matches(words, other)), "")
