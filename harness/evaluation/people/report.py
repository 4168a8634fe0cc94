"""The report of people's judgements as tables, in all formats. It shows no texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np

from harness.evaluation.people.judgements import NO_ANSWER, Judgements
from harness.evaluation.people.pyramids import MATCHED, MarkedSummaries, Marking, compare_markings
from harness.evaluation.people.quality import (
    COHEN,
    MAX_UNDEFINED,
    Estimate,
    estimate_wrong_labels,
    find_contradicted,
    find_defined_interval,
    measure_agreement,
    rate_answers,
    rate_labels,
)
from harness.rendering.reports import Cell, Grid, Report, SafeMarkdown
from harness.rendering.tables import count_of
from harness.stats.agreement import Share, compute_kappa
from harness.stats.bootstrap import bootstrap
from harness.stats.rounding import DECIMALS
from harness.support.arrays import Floats
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.rules.options import PAIRS

_UNDEFINED = "undefined"
_MAJORITY = "by majority"
_ID_DIGITS = 12
_MOST_ROWS = 20
"""Maximum number of contradicted rows in a table."""

_POSITIVES, _NEGATIVES = "positives", "negatives"
_LABELS = {1: _POSITIVES, 0: _NEGATIVES, None: "questions"}
_WHOLE = "whole test"

_Json = Mapping[str, Any]


def report_judgements(judgements: Judgements, resamples: int, seed: int) -> Report:
    """Compare judgements with the labels and with each other.

    Args:
        judgements: The judgements.
        resamples: Number of resamples for the intervals of agreement.
        seed: Random seed of these resamples.

    Returns:
        Tables of accuracies, agreement, strata and contradictions, with notes. Empty tables are left out. All tables
        show numbers of the record.
    """
    record = describe_judgements(judgements, resamples, seed)
    people = list(record["accuracy"]["people"].items())
    if len(people) > 1:
        people.append((_MAJORITY, record["accuracy"]["majority"]))
    are_pairs = judgements.rows.kind == PAIRS
    tables = (
        _lay_out_accuracies(people, None if are_pairs else record["accuracy"]["chance"]),
        _lay_out_agreement(record["agreement"]),
        _lay_out_wrong_labels(record["wrong_labels"]),
        _lay_out_contradicted(record["contradicted"]),
    )
    notes = tuple(_write_notes(judgements, record))
    return Report(tuple(table for table in tables if table.rows), notes, _tabulate(people, record), record)


def describe_judgements(judgements: Judgements, resamples: int, seed: int) -> dict[str, Any]:
    """Compute all numbers of the report, as the JSON file contains them. Arguments as for `report_judgements`."""
    rows, answers = judgements.rows, judgements.form.answers
    majority, counts, rated = judgements.find_majority(), judgements.count_answers(), rate_labels(judgements)
    contradicted, rejected = estimate_wrong_labels(rated)
    return {
        "task": rows.name,
        "fingerprint": rows.test.fingerprint,
        "collections": list(rows.test.collections),
        "people": list(judgements.people),
        "judged_rows": len(judgements.places),
        "undecided_rows": int((majority == NO_ANSWER).sum()),
        "resamples": resamples,
        "seed": seed,
        "accuracy": {
            "people": {
                person: _describe_accuracy(rate_answers(judgements, given))
                for person, given in zip(judgements.people, judgements.answers, strict=True)
            },
            "majority": _describe_accuracy(rate_answers(judgements, majority)),
            "chance": 1 / len(answers),
        },
        "agreement": [measured._asdict() for measured in measure_agreement(judgements, resamples, seed)],
        "wrong_labels": {
            "majority": _describe_estimate(contradicted),
            "everybody": _describe_estimate(rejected),
            "strata": [
                {
                    "rows": _LABELS[label],
                    "rows_of_test": row_count,
                    "majority": _describe_share(by_majority),
                    "everybody": _describe_share(by_everybody),
                }
                for label, (row_count, by_majority, by_everybody) in rated.items()
            ],
        },
        "contradicted": [
            {
                "id": rows.ids[judgements.places[number]],
                "label": answers[judgements.targets[number]],
                "majority": answers[majority[number]],
                "agreeing": int(counts[number].max()),
                "people": int(counts[number].sum()),
            }
            for number in find_contradicted(judgements).tolist()
        ],
    }


def _describe_accuracy(accuracy: Mapping[int | None, Share]) -> _Json:
    by_label = {_LABELS[label]: _describe_share(share) for label, share in accuracy.items() if label is not None}
    return {**_describe_share(accuracy[None]), **by_label}


def _describe_share(share: Share) -> _Json:
    return {**_describe_estimate(share.estimate()), "count": share.count, "total": share.total}


def _describe_estimate(estimate: Estimate) -> _Json:
    value, interval = estimate or (None, None)
    return {"value": value, "interval": interval}


def _show(estimate: _Json) -> object:
    return _UNDEFINED if estimate["value"] is None else Cell(estimate["value"], estimate["interval"])


def _lay_out_accuracies(people: Sequence[tuple[str, _Json]], chance: float | None) -> Grid:
    """Lay out the accuracy of each person. The accuracy of random answers is shown for questions."""
    if chance is not None:
        rows = [(person, accuracy["total"], _show(accuracy)) for person, accuracy in people]
        return Grid(("person", "rows", "success rate"), (*rows, ("chance", "", Cell(chance))))
    rows_by_label = [
        (person, accuracy["total"], *map(_show, (accuracy, accuracy[_POSITIVES], accuracy[_NEGATIVES])))
        for person, accuracy in people
    ]
    return Grid(("person", "rows", "accuracy", "positives: yes", "negatives: no"), tuple(rows_by_label))


def _lay_out_agreement(agreement: Sequence[_Json]) -> Grid:
    rows = [(name_coefficient(measured), measured["rows"], _show(measured)) for measured in agreement]
    return Grid(("agreement", "rows", "value"), tuple(rows))


def name_coefficient(measured: _Json) -> str:
    """Return the title of a coefficient, with the people if it is of two of them."""
    if measured["coefficient"] == COHEN:
        return f"{COHEN}, {' and '.join(measured['people'])}"
    return str(measured["coefficient"])


def _lay_out_wrong_labels(wrong_labels: _Json) -> Grid:
    strata = wrong_labels["strata"]
    if len(strata) > 1:
        total = sum(stratum["rows_of_test"] for stratum in strata)
        strata = [*strata, {**wrong_labels, "rows": _WHOLE, "rows_of_test": total}]
    rows = [(row["rows"], row["rows_of_test"], _show(row["majority"]), _show(row["everybody"])) for row in strata]
    return Grid(("wrong labels", "rows of test", "majority contradicts", "everybody contradicts"), tuple(rows))


def _lay_out_contradicted(contradicted: Sequence[_Json]) -> Grid:
    rows: list[tuple[str, ...]] = []
    for row in contradicted[:_MOST_ROWS]:
        people = SafeMarkdown(f"{row['agreeing']} of {row['people']}")
        rows.append((SafeMarkdown(row["id"][:_ID_DIGITS]), row["label"], row["majority"], people))
    return Grid(("contradicted row", "label", "majority", "people"), tuple(rows))


def _write_notes(judgements: Judgements, record: _Json) -> Iterator[str]:
    people = len(judgements.people)
    test = judgements.rows.test
    judged = f"{count_of(len(judgements.places), 'row')} judged by {people} {'person' if people == 1 else 'people'}"
    yield f"Data: {', '.join(test.collections)}: {judgements.rows.name} {test.fingerprint[:12]}. {judged}."
    yield "Majority: the answer of more than half of the people who judged a row."
    if people == 1:
        yield "The majority is a single person. Ask other people to judge the same sheet, because people make mistakes."
    elif record["undecided_rows"]:
        yield f"Rows without a majority: {record['undecided_rows']:,}. They count neither for nor against a label."
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
    yield from _note_agreement(record)
    if contradicted := record["contradicted"]:
        row_count = min(len(contradicted), _MOST_ROWS)
        yield (
            f"Contradicted rows: {row_count} of {len(contradicted):,}, by the first {_ID_DIGITS} digits of "
            "their ids. CSV and JSON contain all rows with full ids."
        )


def _note_agreement(record: _Json) -> Iterator[str]:
    if not record["agreement"]:
        return
    settings = f"{record['resamples']:,} resamples, seed {record['seed']}"
    yield f"Intervals of agreement: 95 %, bootstrap over topics, {settings}."
    if any(measured["value"] is None for measured in record["agreement"]):
        yield "Undefined agreement: all people give the same answer to every row, or they judged no row in common."
    if any(measured["value"] is not None and measured["interval"] is None for measured in record["agreement"]):
        limit = f"{100 * MAX_UNDEFINED:g} %"
        yield (
            "Agreement without an interval: all rows are of one topic, or the value is undefined in more than "
            f"{limit} of the resamples."
        )


def _list_numbers(people: Sequence[tuple[str, _Json]], record: _Json) -> Iterator[tuple[str, str, _Json]]:
    """Yield all numbers for CSV: the measure, the rows or the person that it is of, and the number."""
    wrong_labels = record["wrong_labels"]
    strata = wrong_labels["strata"]
    for person, accuracy in people:
        yield "accuracy", person, accuracy
        labels = (label for label in (_POSITIVES, _NEGATIVES) if label in accuracy)
        yield from ((f"accuracy on {label}", person, accuracy[label]) for label in labels)
    if len(strata) == 1:  # questions
        yield "accuracy", "chance", {"value": record["accuracy"]["chance"]}
    for measured in record["agreement"]:
        yield name_coefficient(measured), "all", {**measured, "total": measured["rows"]}
    for stratum in (*strata, {**wrong_labels, "rows": _WHOLE}):
        for who in ("majority", "everybody"):
            yield f"wrong labels, {who}", stratum["rows"], stratum[who]
    for row in record["contradicted"]:
        choice = f"contradicted: {row['label']} by {row['majority']}"
        yield choice, row["id"], {"count": row["agreeing"], "total": row["people"]}


def _tabulate(people: Sequence[tuple[str, _Json]], record: _Json) -> Grid:
    rows: list[tuple[object, ...]] = []
    for measure, of, number in _list_numbers(people, record):
        interval = number.get("interval") or (None, None)
        rows.append((measure, of, number.get("value"), *interval, number.get("count"), number.get("total")))
    return Grid(("measure", "of", "value", "lower", "upper", "count", "total"), tuple(rows))


AGREEMENTS = {
    "contributors": "contributors",
    "scus": "SCUs",
    "v_measure": "V",
    "b_cubed": "B-cubed",
    "kappa": "kappa",
}
"""Names and titles of the measures of agreement between pyramids."""

_SIZES = ("annotator", "topics", "SCUs", "contributors")


def report_agreement(
    groups: Sequence[MarkedSummaries], notes: Sequence[str], resamples: int = 1000, seed: int = 0
) -> Report:
    """Report the agreement of all pairs of annotators, and the sizes of their pyramids.

    Args:
        groups: The summaries with their annotators.
        notes: Notes for the reader.
        resamples: Number of resamples for intervals, which are percentiles of the bootstrap over topics. A pair of
            annotators with a single topic has no intervals, and neither has a measure that is undefined in more than
            5 % of the resamples.
        seed: Random seed of these resamples.

    Raises:
        EmptyResultError: If no summaries have two annotators, and all have the SCUs of one.
    """
    values: dict[tuple[str, str], list[dict[str, float]]] = {}
    counts: dict[tuple[str, str], list[tuple[Floats, Floats, Floats]]] = {}
    sizes: dict[str, list[Marking]] = {}
    for group in groups:
        for name, marking in group.markings.items():
            sizes.setdefault(name, []).append(marking)
        for first, second in combinations(group.markings, 2):
            measured, words = compare_markings(group, group.markings[first], group.markings[second])
            values.setdefault((first, second), []).append(measured)
            counts.setdefault((first, second), []).append(words)
    if not values and all(group.pyramid.scus for group in groups):
        reason = f"none of the {len(groups):,} pyramids has the same summaries as another one"
        remedy = "Add another annotator's pyramid of the same summaries, or use `annotate pyramids --model`"
        raise EmptyResultError(f"{reason}. {remedy}")
    rows, numbers, records = [], [], []
    for pair, measures in values.items():
        means, intervals = _measure_pair(measures, counts[pair], resamples, seed)
        rows.append((*pair, len(measures), *(Cell(means[name], intervals.get(name)) for name in AGREEMENTS)))
        numbers.append((*pair, len(measures), *means.values()))
        records.append({"first": pair[0], "second": pair[1], "topics": len(measures), **means, "intervals": intervals})
    agreement = Grid(("annotator", "annotator", "topics", *AGREEMENTS.values()), tuple(rows), keys=2)
    explanation = (
        f"Contributors and SCUs: F of those that are the same, because they share at least {MATCHED:.0%} of the words "
        "of both. V and B-cubed (F) compare the SCUs of the same contributors, and singletons make them high. Kappa is "
        "of pairs of words of different summaries: are they in one SCU? All but kappa are means over topics"
    )
    if any(record["intervals"] for record in records):
        explanation += f". Intervals: 95 %, bootstrap over topics, {resamples:,} resamples, seed {seed}"
    measured_sizes = []
    for name, markings in sizes.items():
        scus = sum(len(set(marking.scus)) for marking in markings)
        measured_sizes.append((name, len(markings), scus, sum(len(marking.contributors) for marking in markings)))
    header = ("first", "second", "topics", *AGREEMENTS)
    return Report(
        (Grid(_SIZES, tuple(measured_sizes)), *([agreement] if values else [])),
        tuple(f"{note}." for note in (*notes, *([explanation] if values else []))),
        numbers=Grid(header, tuple(numbers)),
        record={
            "annotators": [dict(zip(map(str.lower, _SIZES), row, strict=True)) for row in measured_sizes],
            "agreement": records,
        },
    )


def _measure_pair(
    measures: Sequence[dict[str, float]], counts: Sequence[tuple[Floats, Floats, Floats]], resamples: int, seed: int
) -> tuple[dict[str, float | None], dict[str, tuple[float, float]]]:
    """Average the measures of a pair of annotators over topics, with intervals.

    Args:
        measures: The measures of each topic, NaN where they are not defined.
        counts: The counts for kappa of each topic, as from `compare_markings`.
        resamples: As for `report_agreement`.
        seed: As for `report_agreement`.

    Returns:
        The values by the names of `AGREEMENTS`, None where they are not defined, and the intervals.
    """
    by_topic = np.array([list(measured.values()) for measured in measures])
    is_defined = ~np.isnan(by_topic)
    agreed, one, two = (np.stack(part) for part in zip(*counts, strict=True))

    def measure(weights: Floats) -> dict[str, Floats]:
        with np.errstate(invalid="ignore"):  # a mean over no topic is not a number
            means = (weights @ np.nan_to_num(by_topic)) / (weights @ is_defined)
        values = dict(zip(measures[0], means.T, strict=True))
        return {**values, "kappa": compute_kappa(weights @ agreed, weights @ one, weights @ two)}

    values = {name: float(value) for name, (value,) in measure(np.ones((1, len(measures)))).items()}
    samples = bootstrap(measure, len(measures), resamples, seed) if len(measures) > 1 else {}
    found = {name: find_defined_interval(sampled) for name, sampled in samples.items() if not isnan(values[name])}
    intervals = {name: interval for name, interval in found.items() if interval is not None}
    return {name: None if isnan(values[name]) else round(values[name], DECIMALS) for name in AGREEMENTS}, intervals
