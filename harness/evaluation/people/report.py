"""The report of people's judgements as tables, in all formats. It computes nothing and shows no texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.evaluation.people.judgements import Judgements
from harness.evaluation.people.quality import COHEN, MAX_UNDEFINED, Agreement, LabelQuality
from harness.rendering.reports import Cell, Grid, Report, SafeMarkdown
from harness.rendering.tables import count_of
from harness.stats.agreement import Share
from pyramid_paraphrase.rules.options import PAIRS

_UNDEFINED = "undefined"
_MAJORITY = "by majority"
_ID_DIGITS = 12
_MOST_ROWS = 20
"""Maximum number of contradicted rows in a table."""

_LABELS = {1: "positives", 0: "negatives", None: "questions"}
_NUMBERS_HEADER = ("measure", "of", "value", "lower", "upper", "count", "total")


@dataclass(frozen=True, slots=True)
class Findings:
    """The content of the report.

    Attributes:
        judgements: The judgements.
        quality: The quality of the labels.
        agreement: The agreement of the people.
        resamples: Number of resamples for the intervals of agreement.
        seed: Random seed of these resamples.
    """

    judgements: Judgements
    quality: LabelQuality
    agreement: Sequence[Agreement]
    resamples: int
    seed: int

    @property
    def accuracies(self) -> list[tuple[str, Mapping[int | None, Share]]]:
        """The accuracy of each person, and of the majority if there are several people."""
        listed = [*self.quality.people.items()]
        if len(listed) > 1:
            listed.append((_MAJORITY, self.quality.majority))
        return listed

    @property
    def chance(self) -> float:
        """The expected accuracy of random answers."""
        return 1 / len(self.judgements.form.answers)


def report_findings(findings: Findings) -> Report:
    """Make tables of accuracies, agreement, strata and contradictions, with notes. Empty tables are left out."""
    tables = [_lay_out_accuracies(findings)]
    if findings.agreement:
        tables.append(_lay_out_agreement(findings.agreement))
    tables.append(_lay_out_strata(findings.quality))
    if findings.quality.contradictions:
        tables.append(_lay_out_contradictions(findings))
    return Report(tuple(tables), tuple(_write_notes(findings)), _tabulate(findings), _make_record(findings))


def _show_share(share: Share) -> object:
    return _show_estimate(share.estimate())


def _show_estimate(estimate: tuple[float, tuple[float, float]] | None) -> object:
    return _UNDEFINED if estimate is None else Cell(*estimate)


def _lay_out_accuracies(findings: Findings) -> Grid:
    rows: list[tuple[object, ...]] = []
    for person, accuracy in findings.accuracies:
        rows.append((person, accuracy[None].total, *map(_show_share, accuracy.values())))
    if findings.judgements.rows.kind == PAIRS:
        return Grid(("person", "rows", "accuracy", "positives: yes", "negatives: no"), tuple(rows))
    rows.append(("chance", "", Cell(findings.chance)))
    return Grid(("person", "rows", "success rate"), tuple(rows))


def _lay_out_agreement(agreement: Sequence[Agreement]) -> Grid:
    rows = []
    for measured in agreement:
        value = _UNDEFINED if measured.value is None else Cell(measured.value, measured.interval)
        rows.append((_name_coefficient(measured), measured.rows, value))
    return Grid(("agreement", "rows", "value"), tuple(rows))


def _name_coefficient(measured: Agreement) -> str:
    if measured.coefficient == COHEN:
        return f"{COHEN}, {' and '.join(measured.people)}"
    return measured.coefficient


def _lay_out_strata(quality: LabelQuality) -> Grid:
    rows: list[tuple[object, ...]] = []
    for stratum in quality.strata:
        shares = map(_show_share, (stratum.contradicted, stratum.rejected))
        rows.append((_LABELS[stratum.label], stratum.rows, *shares))
    if len(rows) > 1:
        total = sum(stratum.rows for stratum in quality.strata)
        rows.append(("whole test", total, *map(_show_estimate, (quality.contradicted, quality.rejected))))
    return Grid(("wrong labels", "rows of test", "majority contradicts", "everybody contradicts"), tuple(rows))


def _lay_out_contradictions(findings: Findings) -> Grid:
    answers = findings.judgements.form.answers
    rows = [
        (
            SafeMarkdown(row.row_id[:_ID_DIGITS]),
            answers[row.target],
            answers[row.answer],
            SafeMarkdown(f"{row.agreeing} of {row.people}"),
        )
        for row in findings.quality.contradictions[:_MOST_ROWS]
    ]
    return Grid(("contradicted row", "label", "majority", "people"), tuple(rows))


def _write_notes(findings: Findings) -> Iterator[str]:
    judgements, quality = findings.judgements, findings.quality
    people = len(judgements.people)
    test = judgements.rows.test
    judged = f"{count_of(len(judgements.places), 'row')} judged by {people} {'person' if people == 1 else 'people'}"
    yield f"Data: {', '.join(test.collections)}: {judgements.rows.name} {test.fingerprint[:12]}. {judged}."
    yield "Majority: the answer of more than half of the people who judged a row."
    if people == 1:
        yield "The majority is a single person. Ask other people to judge the same sheet, because people make mistakes."
    elif quality.undecided:
        yield f"Rows without a majority: {quality.undecided:,}. They count neither for nor against a label."
    yield (
        "Wrong labels, majority contradicts: share of the rows with a majority in which its answer is not the label. "
        "It includes the mistakes of the people."
    )
    yield (
        "Wrong labels, everybody contradicts: share of the rows that two or more people judged in which all people "
        "give the same answer and it is not the label."
    )
    if judgements.rows.kind == PAIRS:
        yield "Whole test: both labels, weighted by their numbers of rows in the test split."
    yield "Intervals of shares: 95 %, Wilson. They apply to this test, from which the rows are a random sample."
    yield from _note_agreement(findings)
    if quality.contradictions:
        row_count = min(len(quality.contradictions), _MOST_ROWS)
        yield (
            f"Contradicted rows: {row_count} of {len(quality.contradictions):,}, by the first {_ID_DIGITS} digits of "
            "their ids. CSV and JSON contain all rows with full ids."
        )


def _note_agreement(findings: Findings) -> Iterator[str]:
    if not findings.agreement:
        return
    settings = f"{findings.resamples:,} resamples, seed {findings.seed}"
    yield f"Intervals of agreement: 95 %, bootstrap over topics, {settings}."
    if any(measured.value is None for measured in findings.agreement):
        yield "Undefined agreement: all people give the same answer to every row, or they judged no row in common."
    if any(measured.value is not None and measured.interval is None for measured in findings.agreement):
        limit = f"{100 * MAX_UNDEFINED:g} %"
        yield (
            "Agreement without an interval: all rows are of one topic, or the value is undefined in more than "
            f"{limit} of the resamples."
        )


def _tabulate(findings: Findings) -> Grid:
    """List all numbers for CSV, one per line."""
    rows: list[tuple[object, ...]] = []
    for person, accuracy in findings.accuracies:
        for label, share in accuracy.items():
            measure = "accuracy" if label is None else f"accuracy on {_LABELS[label]}"
            rows.append((measure, person, *_list_share(share)))
    if findings.judgements.rows.kind != PAIRS:
        rows.append(("accuracy", "chance", findings.chance, None, None, None, None))
    for measured in findings.agreement:
        interval = measured.interval or (None, None)
        rows.append((_name_coefficient(measured), "all", measured.value, *interval, None, measured.rows))
    for stratum in findings.quality.strata:
        name = _LABELS[stratum.label]
        rows.append(("wrong labels, majority", name, *_list_share(stratum.contradicted)))
        rows.append(("wrong labels, everybody", name, *_list_share(stratum.rejected)))
    for name, estimate in (("majority", findings.quality.contradicted), ("everybody", findings.quality.rejected)):
        rows.append((f"wrong labels, {name}", "whole test", *_list_estimate(estimate), None, None))
    answers = findings.judgements.form.answers
    for row in findings.quality.contradictions:
        choice = f"contradicted: {answers[row.target]} by {answers[row.answer]}"
        rows.append((choice, row.row_id, None, None, None, row.agreeing, row.people))
    return Grid(_NUMBERS_HEADER, tuple(rows))


def _list_share(share: Share) -> tuple[object, ...]:
    return *_list_estimate(share.estimate()), share.count, share.total


def _list_estimate(estimate: tuple[float, tuple[float, float]] | None) -> tuple[float | None, ...]:
    value, interval = estimate or (None, (None, None))
    return value, *interval


def _make_record(findings: Findings) -> dict[str, Any]:
    judgements, quality = findings.judgements, findings.quality
    rows, answers = judgements.rows, judgements.form.answers
    return {
        "task": rows.name,
        "fingerprint": rows.test.fingerprint,
        "collections": list(rows.test.collections),
        "people": list(judgements.people),
        "judged_rows": len(judgements.places),
        "undecided_rows": quality.undecided,
        "resamples": findings.resamples,
        "seed": findings.seed,
        "accuracy": {
            "people": {person: _record_accuracy(accuracy) for person, accuracy in quality.people.items()},
            "majority": _record_accuracy(quality.majority),
            "chance": findings.chance,
        },
        "agreement": [measured._asdict() for measured in findings.agreement],
        "wrong_labels": {
            "majority": _record_estimate(quality.contradicted),
            "everybody": _record_estimate(quality.rejected),
            "strata": [
                {
                    "rows": _LABELS[stratum.label],
                    "rows_of_test": stratum.rows,
                    "majority": _record_share(stratum.contradicted),
                    "everybody": _record_share(stratum.rejected),
                }
                for stratum in quality.strata
            ],
        },
        "contradicted": [
            {
                "id": row.row_id,
                "label": answers[row.target],
                "majority": answers[row.answer],
                "agreeing": row.agreeing,
                "people": row.people,
            }
            for row in quality.contradictions
        ],
    }


def _record_accuracy(accuracy: Mapping[int | None, Share]) -> dict[str, Any]:
    by_label = {_LABELS[label]: _record_share(share) for label, share in accuracy.items() if label is not None}
    return _record_share(accuracy[None]) | by_label


def _record_share(share: Share) -> dict[str, Any]:
    return {**_record_estimate(share.estimate()), "count": share.count, "total": share.total}


def _record_estimate(estimate: tuple[float, tuple[float, float]] | None) -> dict[str, Any]:
    value, interval = estimate or (None, None)
    return {"value": value, "interval": interval}
