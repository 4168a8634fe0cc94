"""The agreement of annotators in one report: filled sheets, votes and pyramids, and what people disagree on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from harness.evaluation.layout import NO_TEXT
from harness.evaluation.people.judgements import NO_ANSWER, Judgements
from harness.evaluation.people.pyramids import MarkedSummaries, has_units, join_scus, match_sets
from harness.evaluation.people.quality import ALPHA
from harness.evaluation.people.report import AGREEMENTS, name_coefficient, report_agreement, report_judgements
from harness.evaluation.people.votes import list_items, report_votes
from harness.rendering.reports import Grid, Report
from harness.rendering.tables import count_of, format_value
from pyramid_paraphrase.errors import InputError, NoAnnotationError, cannot_read
from pyramid_paraphrase.files.inputs import is_file, is_folder, open_input
from pyramid_paraphrase.files.workbooks import is_workbook_at
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import Contributor, Part, Pyramid
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.words import find_words

SHEETS, VOTES, PYRAMIDS = "sheets", "votes", "pyramids"

_ID_DIGITS = 12
_ABSENT = "no such SCU"
_HEAD = 1 << 16
"""Number of bytes at the beginning of a sheet that contain the titles of its columns."""

NUMBERS = ("kind", "measure", "of", "value", "lower", "upper", "units", "answers", "texts")


def sort_sources(sources: Sequence[str]) -> tuple[list[Path], list[str], list[str]]:
    """Recognize what people made, by the content of the files.

    Files with a column of judgements are sheets, also those within a folder. Annotations with votes are votes. So are
    annotations of units without summaries, such as the texts for the votes, if there are votes. All others are
    pyramids.

    Returns:
        The sheets, the sources with votes, and the pyramids.

    Raises:
        InputError: If a source is none of these, or cannot be read.
    """
    sheets: list[Path] = []
    corpora: dict[str, Corpus | None] = {}
    for source in sources:
        try:
            members = sorted(Path(source).iterdir()) if is_folder(source) else [Path(source)]
            filled = [path for path in members if _is_sheet(path)]
        except OSError as error:
            raise cannot_read(source, error, "use files that can be read") from None
        if filled:
            sheets += filled
        elif has_units(source):
            corpora[source] = None
        else:
            try:
                corpora[source] = read_corpus(source)
            except NoAnnotationError as error:
                remedy = "use filled sheets with their columns judgement, id and test, votes, or pyramids"
                raise InputError(source, f"is neither a sheet nor an annotation: {error.reason}", remedy) from None
    votes = [source for source, corpus in corpora.items() if corpus and _has_votes(corpus)]
    if votes:
        others = {source: corpus for source, corpus in corpora.items() if corpus and source not in votes}
        votes += [source for source, corpus in others.items() if _has_units_only(corpus)]
    return sheets, votes, [source for source in corpora if source not in votes]


def _is_sheet(path: Path) -> bool:
    if not is_file(path):
        return False
    with open_input(path) as file:
        head = file.read(_HEAD).replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t").lower()
    return is_workbook_at(path) or (head[:1] not in (b"<", b"{", b"[") and re.search(b"judge?ment", head) is not None)


def _has_votes(corpus: Corpus) -> bool:
    return any(votes for annotation in corpus.annotations for votes in annotation.votes)


def _has_units_only(corpus: Corpus) -> bool:
    return not any(scu.contributors for pyramid in corpus.pyramids for scu in pyramid.scus)


class Row(NamedTuple):
    """An SCU of both people, or of one.

    Attributes:
        first: Index of the SCU in the pyramid of the first person, or None.
        second: Index of the SCU in the pyramid of the second person, or None.
        shared: Share of the words of both SCUs that are in both, 0 to 1.
    """

    first: int | None
    second: int | None
    shared: float


def match_scus(first: dict[int, frozenset[int]], second: dict[int, frozenset[int]]) -> list[Row]:
    """Match the SCUs of two people one to one, as the agreement of annotators does.

    Returns:
        The matched SCUs, then those of the first person only, then those of the second.
    """
    indices = [list(first), list(second)]
    pairs = match_sets(list(first.values()), list(second.values()))
    rows = []
    for one, two in ((indices[0][one], indices[1][two]) for one, two in pairs):
        shared, united = len(first[one] & second[two]), len(first[one] | second[two])
        rows.append(Row(one, two, shared / united))
    matched = [{row.first for row in rows}, {row.second for row in rows}]
    rows += [Row(index, None, 0.0) for index in first if index not in matched[0]]
    rows += [Row(None, index, 0.0) for index in second if index not in matched[1]]
    return rows


def locate_words(words: Iterable[int], places: Sequence[tuple[int, int, int]], text: str) -> Contributor:
    """Make a contributor of words, given their places in a text. Its parts are stretches of consecutive words."""
    stretches: list[tuple[int, int]] = []
    for word in sorted(words):
        if stretches and stretches[-1][1] == word - 1 and places[word][0] == places[word - 1][0]:
            stretches[-1] = stretches[-1][0], word
        else:
            stretches.append((word, word))
    parts = []
    for first, last in stretches:
        start, end = places[first][1], places[last][2]
        parts.append(Part(" ".join(text[start:end].split()), start, end, ""))
    return Contributor(tuple(parts))


def list_places(pyramid: Pyramid) -> list[tuple[int, int, int]]:
    """List the words of the summaries of a pyramid: the number of the summary, and the ends of the word in the text."""
    places = []
    for number, summary in enumerate(pyramid.summaries):
        words = find_words(pyramid.text[summary.start : summary.end])
        places += [(number, summary.start + first, summary.start + last) for _, first, last in words]
    return places


def report_sheets(judgements: Judgements, texts: Sequence[str], resamples: int, seed: int) -> Report:
    """Report the agreement of people who filled sheets.

    Args:
        judgements: Their judgements.
        texts: The texts that the rows refer to.
        resamples: Number of resamples for the intervals of agreement.
        seed: Random seed of these resamples.

    Returns:
        The report of `report_judgements`, with the rows that people disagree on.
    """
    report = report_judgements(judgements, resamples, seed)
    rows, form, counts = judgements.rows, judgements.form, judgements.count_answers()
    disagreements = []
    for number, place in enumerate(judgements.places.tolist()):
        if (counts[number] > 0).sum() < 2:
            continue
        given = zip(judgements.people, judgements.answers[:, number].tolist(), strict=True)
        shown = [texts[text] for text in rows.texts[place].tolist() if text != NO_TEXT]
        if rows.is_of_summaries:  # the sentences of a summary are one text to people
            shown[1:] = [" ".join(shown[1:])]
        label = form.answers[judgements.targets[number]]
        disagreement = {
            "id": rows.ids[place],
            "title": f"{rows.name} {rows.ids[place][:_ID_DIGITS]}, label {label}",
            "answers": {person: form.answers[answer] for person, answer in given if answer != NO_ANSWER},
            "texts": list(zip(form.columns, shown, strict=True)),
        }
        disagreements.append((counts[number].max() / counts[number].sum(), disagreement))
    coefficients = [
        (name_coefficient(measured), "all", measured["value"], measured["interval"], measured["rows"])
        for measured in report.record["agreement"]
    ]
    units = len(judgements.places)
    finding = (
        f"{_count_people(judgements.people)} judged {count_of(units, 'row')} of {rows.name}. They disagree on "
        f"{len(disagreements):,}.{_state_alpha(coefficients)}"
    )
    return _extend(report, SHEETS, finding, judgements.people, units, coefficients, disagreements)


def report_voters(corpus: Corpus, resamples: int, seed: int) -> Report:
    """Report the agreement of people who voted on units of summaries.

    Args:
        corpus: A corpus with votes.
        resamples: Number of resamples for intervals.
        seed: Random seed of these resamples.

    Returns:
        The report of `report_votes`, with the units that people disagree on.
    """
    report, items = report_votes(corpus, resamples, seed), list_items(corpus)
    disagreements = []
    for annotation, place, votes in items:
        share = sum(vote for _, vote in votes) / len(votes)
        if 0 < share < 1:
            scu, texts = annotation.pyramid.scus[place], [("unit", annotation.pyramid.scus[place].label)]
            disagreement = {
                "id": scu.uid,
                "title": f"{annotation.pyramid.id}, summary of {annotation.peer}",
                "answers": {person: "present" if vote else "absent" for person, vote in votes},
                "texts": [*texts, ("summary", annotation.text)] if annotation.text else texts,
            }
            disagreements.append((max(share, 1 - share), disagreement))
    alpha = report.record["alpha"]
    coefficients = [(ALPHA, "all", alpha["value"], alpha["interval"], alpha["items"])]
    for person in report.record["people"]:
        for name, title in (("f1", "F against the others"), ("kappa", "kappa against the others")):
            interval = person.get(f"{name}_interval")
            coefficients.append((title, person["person"], person[name], interval, person["votes"]))
    people = list(dict.fromkeys(person for item in items for person, _ in item.votes))
    shared = sum(len(item.votes) > 1 for item in items)
    finding = (
        f"{_count_people(people)} voted on {count_of(len(items), 'unit')} of summaries, several of them on {shared:,}. "
        f"They disagree on {len(disagreements):,}.{_state_alpha(coefficients)}"
    )
    return _extend(report, VOTES, finding, people, len(items), coefficients, disagreements)


def report_pyramids(groups: Sequence[MarkedSummaries], notes: Sequence[str], resamples: int, seed: int) -> Report:
    """Report the agreement of people who made pyramids of the same summaries.

    Args:
        groups: The summaries with their annotators.
        notes: Notes for the reader.
        resamples: Number of resamples for intervals.
        seed: Random seed of these resamples.

    Returns:
        The report of `report_agreement`, with the SCUs that two people do not both have, or not with the same words.
    """
    report = report_agreement(groups, notes, resamples, seed)
    coefficients = [
        (title, f"{pair['first']} and {pair['second']}", pair[name], pair["intervals"].get(name), pair["topics"])
        for pair in report.record["agreement"]
        for name, title in AGREEMENTS.items()
    ]
    disagreements = [disagreement for group in groups for disagreement in _compare_group(group)]
    people = [person["annotator"] for person in report.record["annotators"]]
    scus = sum(person["scus"] for person in report.record["annotators"])
    topics = len({group.pyramid.topic for group in groups if len(group.markings) > 1})
    pairs = report.record["agreement"]
    finding = f"{_count_people(people)} made pyramids of the same summaries of {count_of(topics, 'topic')}. "
    alone = sum(_ABSENT in disagreement["answers"].values() for _, disagreement in disagreements)
    finding += f"Between two people, {count_of(alone, 'SCU')} {'is' if alone == 1 else 'are'} in one pyramid only, "
    finding += f"and {len(disagreements) - alone:,} in both, but with other words."
    if len(pairs) == 1:
        cells = [format_value(pairs[0][name], pairs[0]["intervals"].get(name)) for name in ("scus", "kappa")]
        finding += f" F of SCUs is {cells[0]}, and kappa {cells[1]}."
    elif pairs:
        cells = [_name_range([pair[name] for pair in pairs]) for name in ("scus", "kappa")]
        finding += f" Over {len(pairs):,} pairs of people, F of SCUs is {cells[0]}, and kappa {cells[1]}."
    return _extend(report, PYRAMIDS, finding, people, scus, coefficients, disagreements)


def _compare_group(group: MarkedSummaries) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield the SCUs that pairs of annotators disagree on, each with a number by which they are sorted."""
    places = list_places(group.pyramid)
    for names in combinations(group.markings, 2):
        markings = [group.markings[name] for name in names]
        scus = [join_scus(marking) for marking in markings]
        for row in match_scus(*scus):
            if row.shared == 1:
                continue
            sides = []
            for marking, scu in zip(markings, row[:2], strict=True):
                own = zip(marking.scus, marking.contributors, strict=True)
                sides.append([words for number, words in own if number == scu])
            matched = match_sets(*sides)
            texts = [("both", sides[0][one]) for one, _ in matched]
            for name, contributors, same in zip(
                names, sides, list(zip(*matched, strict=True)) or ((), ()), strict=True
            ):
                texts += [(f"only {name}", words) for place, words in enumerate(contributors) if place not in same]
            sizes = [len(contributors) for contributors in sides]
            reason = f"{row.shared:.0%} of the words in both" if row.shared else "in one pyramid only"
            disagreement = {
                "id": "",
                "title": f"{group.pyramid.id}, {reason}",
                "answers": {
                    name: count_of(size, "contributor") if size else _ABSENT
                    for name, size in zip(names, sizes, strict=True)
                },
                "texts": [(role, locate_words(words, places, group.pyramid.text).text) for role, words in texts],
            }
            yield (row.shared - 1) * max(sizes), disagreement


def _count_people(people: Sequence[str]) -> str:
    return "1 person" if len(people) == 1 else f"{len(people):,} people"


def _state_alpha(coefficients: Sequence[tuple[str, str, float | None, Sequence[float] | None, int]]) -> str:
    """Return a sentence on Krippendorff's alpha, after a blank. It is empty if alpha is not defined."""
    for title, _, value, interval, _ in coefficients:
        if title == ALPHA and value is not None:
            return f" {ALPHA} is {format_value(value, interval)}."
    return ""


def _name_range(values: Sequence[float | None]) -> str:
    defined = [value for value in values if value is not None]
    ends = dict.fromkeys(format_value(end) for end in (min(defined), max(defined))) if defined else ["undefined"]
    return " to ".join(ends)


def _extend(
    report: Report,
    kind: str,
    finding: str,
    people: Sequence[str],
    units: int,
    coefficients: Sequence[tuple[str, str, float | None, Sequence[float] | None, int]],
    disagreements: Sequence[tuple[float, dict[str, Any]]],
) -> Report:
    """Add a finding, disagreements and a number per row to a report.

    Args:
        report: A report.
        kind: `SHEETS`, `VOTES` or `PYRAMIDS`.
        finding: The answer of the report.
        people: Names of the people.
        units: Number of the units that they judged.
        coefficients: The coefficients: title, people, value, interval and number of units.
        disagreements: The disagreements, each with a number by which they are sorted.
    """
    ordered = [disagreement for _, disagreement in sorted(disagreements, key=lambda pair: pair[0])]
    rows: list[tuple[object, ...]] = [
        (kind, title, of, value, *(interval or (None, None)), count, None, None)
        for title, of, value, interval, count in coefficients
    ]
    for disagreement in ordered:
        texts = " | ".join(f"{role}: {text}" for role, text in disagreement["texts"])
        name = disagreement["id"] or disagreement["title"]
        rows.append((kind, "disagreement", name, *[None] * 4, join_answers(disagreement), texts))
    return Report(
        report.tables,
        report.notes,
        Grid(NUMBERS, tuple(rows)),
        {"kind": kind, "names": list(people), "units": units, **report.record, "disagreements": ordered},
        (finding,),
    )


def join_answers(disagreement: Mapping[str, Any]) -> str:
    """Join the answers of a disagreement, each after the name of the person."""
    return ", ".join(f"{person} {answer}" for person, answer in disagreement["answers"].items())
