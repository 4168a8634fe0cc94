"""Accuracy, wrong labels and agreement of judgements: by hand, by simulation, and undefined values."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from helpers.messages import mentions

from harness.evaluation.layout import TextRows
from harness.evaluation.people.judgements import NO_ANSWER, FilledSheet, Judgements, collect_judgements
from harness.evaluation.people.quality import (
    ALPHA,
    COHEN,
    FLEISS,
    Agreement,
    Estimate,
    estimate_wrong_labels,
    find_contradicted,
    measure_agreement,
    rate_answers,
    rate_labels,
)
from harness.evaluation.people.report import describe_judgements
from harness.evaluation.people.sheets import choose_rows
from harness.evaluation.runner import load_suite
from harness.stats.agreement import Share
from pyramid_paraphrase.errors import InputError


@pytest.fixture(scope="module")
def pairs() -> TextRows:
    return load_suite("sample", "binary").rows[0]


@pytest.fixture(scope="module")
def questions() -> TextRows:
    return load_suite("sample", "ranking").rows[0]


def make_sheet(rows: TextRows, person: str, answers: Mapping[str, str]) -> FilledSheet:
    entries = tuple((number, row_id, answer) for number, (row_id, answer) in enumerate(answers.items(), start=2))
    return FilledSheet(
        f"{person}.csv", person, rows.test.configuration, rows.test.fingerprint[:12], line=2, entries=entries
    )


def judge_pairs(rows: TextRows, positives: Sequence[str], negatives: Sequence[str]) -> Judgements:
    """Judgements of people on some positives and negatives: a text per person, a letter y, n or - per row."""
    test = np.flatnonzero(rows.is_test)
    ids = [[rows.ids[place] for place in test[rows.targets[test] == label]] for label in (1, 0)]
    sheets = []
    for number, letters in enumerate(zip(positives, negatives, strict=True)):
        answers = {}
        for row_ids, row_letters in zip(ids, letters, strict=True):
            answers |= dict(zip(row_ids, row_letters.replace("-", " "), strict=False))
        sheets.append(make_sheet(rows, f"p{number}", {row_id: letter.strip() for row_id, letter in answers.items()}))
    return collect_judgements(sheets, rows)


def judge_questions(rows: TextRows, *answers: str) -> Judgements:
    """Judgements of people on the first questions: a digit is added to the right option, and "-" is no answer."""
    places = np.flatnonzero(rows.is_test)[: len(answers[0])]
    sheets = []
    for number, digits in enumerate(answers):
        filled = {}
        for place, digit in zip(places, digits, strict=True):
            filled[rows.ids[place]] = "" if digit == "-" else "abcd"[(rows.targets[place] + int(digit)) % 4]
        sheets.append(make_sheet(rows, f"p{number}", filled))
    return collect_judgements(sheets, rows)


def shares(judgements: Judgements) -> list[tuple[Share, Share]]:
    return [(contradicted, rejected) for _, contradicted, rejected in rate_labels(judgements).values()]


def rate_majority(judgements: Judgements) -> dict[int | None, Share]:
    return rate_answers(judgements, judgements.find_majority())


def count_undecided(judgements: Judgements) -> int:
    return int((judgements.find_majority() == NO_ANSWER).sum())


def test_wrong_labels_by_hand(pairs: TextRows) -> None:
    """Three people, five positives and four negatives.

    Positives: 3 yes; 2 of 3 yes; 1 of 3 yes (contradicted); 3 no (rejected); 1 yes, 1 no (undecided).
    Negatives: 3 no; yes by a single person (contradicted); 2 yes of 2 (rejected); nobody.
    """
    judgements = judge_pairs(pairs, ["yyyny", "yynnn", "ynnn-"], ["nyy-", "n-y-", "n---"])
    assert len(judgements.places) == 8
    assert rate_answers(judgements, judgements.answers[0]) == {None: Share(4 + 1, 8), 1: Share(4, 5), 0: Share(1, 3)}
    assert rate_answers(judgements, judgements.answers[2])[None] == Share(1 + 1, 5)
    assert rate_majority(judgements) == {None: Share(3, 7), 1: Share(2, 4), 0: Share(1, 3)}
    assert count_undecided(judgements) == 1
    rated = rate_labels(judgements)
    assert rated == {1: (614, Share(2, 4), Share(1, 5)), 0: (623, Share(2, 3), Share(1, 2))}
    contradicted, rejected = estimate_wrong_labels(rated)
    assert contradicted is not None
    assert rejected is not None
    assert contradicted[0] == pytest.approx((614 * 2 / 4 + 623 * 2 / 3) / 1237, abs=1e-6)
    assert rejected[0] == pytest.approx((614 * 1 / 5 + 623 * 1 / 2) / 1237, abs=1e-6)


def test_contradicted_rows_are_listed_the_unanimous_ones_first(pairs: TextRows) -> None:
    judgements = judge_pairs(pairs, ["yyyny", "yynnn", "ynnn-"], ["nyy-", "n-y-", "n---"])
    test = np.flatnonzero(pairs.is_test)
    positives, negatives = (test[pairs.targets[test] == label] for label in (1, 0))
    found = find_contradicted(judgements)
    assert judgements.places[found].tolist() == [positives[3], negatives[2], negatives[1], positives[2]]
    contradicted = describe_judgements(judgements, 1, 0)["contradicted"]
    assert contradicted == [
        {"id": pairs.ids[positives[3]], "label": "yes", "majority": "no", "agreeing": 3, "people": 3},
        {"id": pairs.ids[negatives[2]], "label": "no", "majority": "yes", "agreeing": 2, "people": 2},
        {"id": pairs.ids[negatives[1]], "label": "no", "majority": "yes", "agreeing": 1, "people": 1},
        {"id": pairs.ids[positives[2]], "label": "yes", "majority": "no", "agreeing": 2, "people": 3},
    ]


def test_people_who_choose_different_wrong_options_do_not_contradict_the_label(questions: TextRows) -> None:
    """Rows: all right; all the same wrong one; three wrong ones; two the same wrong one; a tie of right and wrong."""
    judgements = judge_questions(questions, "01110", "01221", "0132-")
    assert rate_majority(judgements) == {None: Share(1, 3)}
    assert count_undecided(judgements) == 2
    assert shares(judgements) == [(Share(2, 3), Share(1, 5))]
    assert list(rate_answers(judgements, judgements.answers[2])) == [None]


def test_a_single_person_is_the_majority_and_cannot_reject(pairs: TextRows) -> None:
    judgements = judge_pairs(pairs, ["yn"], ["nnn"])
    assert shares(judgements) == [(Share(1, 2), Share(0, 0)), (Share(0, 3), Share(0, 0))]
    contradicted, rejected = estimate_wrong_labels(rate_labels(judgements))
    assert rejected is None
    assert contradicted is not None


def test_a_label_that_nobody_judged_leaves_the_whole_undefined(pairs: TextRows) -> None:
    judgements = judge_pairs(pairs, ["yn"], [""])
    assert estimate_wrong_labels(rate_labels(judgements)) == (None, None)
    assert rate_answers(judgements, judgements.answers[0])[0].estimate() is None


def simulate(rows: TextRows, error: float, wrong: float, seed: int) -> tuple[Estimate, Estimate]:
    """Three people err independently; they all take some labels for wrong."""
    chance = random.Random(seed)
    places = choose_rows(rows, 400, seed)
    truth = {place: int(rows.targets[place]) ^ (chance.random() < wrong) for place in places.tolist()}
    sheets = []
    for person in range(3):
        answers = {rows.ids[place]: str(label ^ (chance.random() < error)) for place, label in truth.items()}
        sheets.append(make_sheet(rows, str(person), answers))
    return estimate_wrong_labels(rate_labels(collect_judgements(sheets, rows)))


def test_the_estimate_agrees_with_a_simulation(pairs: TextRows) -> None:
    """The majority of three errs with probability e = 3 * 0.01 * 0.9 + 0.001 = 0.028. With 10 % wrong labels, it
    contradicts 0.1 * 0.972 + 0.9 * 0.028 of them = 0.1224; all contradict 0.1 * 0.729 + 0.9 * 0.001 = 0.0738."""
    contradicted, rejected = zip(*(simulate(pairs, 0.1, 0.1, seed) for seed in range(30)), strict=True)
    for estimates, truth in ((contradicted, 0.1224), (rejected, 0.0738)):
        assert all(estimates)
        values, intervals = zip(*(estimate for estimate in estimates if estimate), strict=True)
        covered = [lower <= truth <= upper for lower, upper in intervals]
        assert np.mean(values) == pytest.approx(truth, abs=0.012)
        assert sum(covered) >= 26


# Agreement


def agreement_of(judgements: Judgements, resamples: int = 100, seed: int = 0) -> list[Agreement]:
    return measure_agreement(judgements, resamples, seed)


def values(measured: Sequence[Agreement]) -> list[tuple[str, int, float | None]]:
    return [(row.coefficient, row.rows, row.value) for row in measured]


def test_agreement_by_hand(pairs: TextRows) -> None:
    """Rows yy, yn, nn, y-: alpha (5 * 4 - 12) / (30 - 12) = 4/9 of three rows, kappa (2/3 - 4/9) / (5/9) = 0.4.

    Fleiss' kappa takes the mean share of yes of both, 1/2: (2/3 - 1/2) / (1/2) = 1/3.
    """
    measured = agreement_of(judge_pairs(pairs, ["yyny", "ynn-"], ["", ""]))
    assert values(measured) == [
        (ALPHA, 3, pytest.approx(4 / 9, abs=1e-6)),
        (FLEISS, 3, pytest.approx(1 / 3, abs=1e-6)),
        (COHEN, 3, pytest.approx(0.4, abs=1e-6)),
    ]
    assert [row.people for row in measured] == [("p0", "p1")] * 3


def test_agreement_of_three_people_with_gaps(pairs: TextRows) -> None:
    """Values of PyPI's krippendorff 0.9.0 (alpha) and of statsmodels 0.15 (Fleiss, Cohen)."""
    measured = agreement_of(judge_pairs(pairs, ["yynnyyn-", "yynyyn-n", "ynnnyyyn"], ["nnny", "nyn-", "nnnn"]))
    assert values(measured) == [
        (ALPHA, 12, pytest.approx(0.27819548872, abs=1e-6)),
        (FLEISS, 9, pytest.approx(0.4, abs=1e-6)),
        (COHEN, 9, pytest.approx(0.34146341463, abs=1e-6)),
        (COHEN, 11, pytest.approx(0.44067796610, abs=1e-6)),
        (COHEN, 10, pytest.approx(0.2, abs=1e-6)),
    ]


def test_people_who_share_no_row_or_always_say_the_same_have_no_agreement(pairs: TextRows) -> None:
    assert [row.value for row in agreement_of(judge_pairs(pairs, ["y--", "-nn"], ["", ""]))] == [None] * 3
    measured = agreement_of(judge_pairs(pairs, ["yyy", "yyy"], ["", ""]))
    assert [(row.rows, row.value, row.interval) for row in measured] == [(3, None, None)] * 3


def test_a_single_person_agrees_with_nobody(pairs: TextRows) -> None:
    assert agreement_of(judge_pairs(pairs, ["yn"], ["nn"])) == []


def test_agreement_of_questions_counts_the_same_option(questions: TextRows) -> None:
    measured = agreement_of(judge_questions(questions, "000000", "000012"))
    assert 0 < (measured[2].value or 0) < 1
    assert agreement_of(judge_questions(questions, "012301", "012301"))[0].value == 1


def test_intervals_are_of_the_bootstrap_over_topics(pairs: TextRows) -> None:
    """The same seed gives the same interval. With one topic, or too many undefined resamples, there is no interval."""
    chance = random.Random(3)
    letters = ["".join(chance.choice("yn") for _ in range(150)) for _ in range(2)]
    mixed = ["".join(pair) for pair in zip(letters[0], letters[0], strict=True)]
    first = "".join(mixed)[:150]
    second = "".join(a if chance.random() < 0.8 else b for a, b in zip(first, letters[1], strict=True))
    judgements = judge_pairs(pairs, [first, second], [first, second])
    once, again, other = (agreement_of(judgements, 500, seed) for seed in (1, 1, 2))
    assert once == again
    assert [row.interval for row in once] != [row.interval for row in other]
    for row in once:
        assert row.interval is not None
        assert row.value is not None
        assert row.interval[0] < row.value < row.interval[1]
    alone = replace(judgements, rows=replace(pairs, topics=np.zeros_like(pairs.topics)))
    assert [row.interval for row in agreement_of(alone)] == [None] * 3
    assert [row.value for row in agreement_of(alone)] == [row.value for row in once]
    rare = judge_pairs(pairs, ["y" * 20, "n" + "y" * 19], ["", ""])
    assert [(row.value is None, row.interval) for row in agreement_of(rare, 500)] == [(False, None)] * 3


def count_intervals(rows: TextRows, topic_count: int, resamples: int, seed: int) -> int:
    """Count intervals if two people answer a to everything, but for a question of each of the first two topics.

    A resample without these topics is undefined: with probability ((t - 2) / t)^t, 1/27 of three and 1/16 of four.
    """
    answers = {}
    for topic in range(topic_count):
        first, second = np.flatnonzero(rows.topics[:, 0] == topic)[:2]
        answers |= {rows.ids[first]: "b" if topic < 2 else "a", rows.ids[second]: "a"}
    judgements = collect_judgements([make_sheet(rows, name, answers) for name in ("anna", "ben")], rows)
    measured = measure_agreement(judgements, resamples, seed)
    assert [row.value for row in measured] == [1.0] * 3
    return sum(row.interval is not None for row in measured)


def test_an_interval_needs_enough_resamples_in_which_agreement_is_defined(questions: TextRows) -> None:
    assert [count_intervals(questions, topics, 5000, 0) for topics in (2, 3, 4)] == [3, 3, 0]
    # By these seeds, 5 and 6 of 100 resamples draw the third topic three times.
    assert [count_intervals(questions, 3, 100, seed) for seed in (7, 12)] == [3, 0]


# Errors


def test_sheets_of_other_data_are_refused(pairs: TextRows) -> None:
    sheet = make_sheet(pairs, "anna", {pairs.ids[0]: "y"})._replace(fingerprint="0" * 12)
    message = "anna.csv, line 2: ... binary 000000000000, ... b80dc816ce66. ... --data"
    with pytest.raises(InputError, match=mentions(message)):
        collect_judgements([sheet], pairs)


def test_ids_that_are_not_of_the_test_split_are_refused(pairs: TextRows) -> None:
    validation = pairs.ids[int(np.flatnonzero(~pairs.is_test)[0])]
    for row_id in (validation, "=1+1"):
        sheet = make_sheet(pairs, "anna", {pairs.ids[int(np.flatnonzero(pairs.is_test)[0])]: "y", row_id: ""})
        with pytest.raises(InputError, match=mentions(f"anna.csv, line 3: {row_id[:40]} ... id ... test split. Copy")):
            collect_judgements([sheet], pairs)


@pytest.mark.parametrize(("answer", "remedy"), [("maybe", "Write yes or no"), ("3", "Write yes or no")])
def test_texts_that_are_not_answers_about_a_pair(pairs: TextRows, answer: str, remedy: str) -> None:
    with pytest.raises(InputError, match=mentions(f"anna.csv, line 2: judgement '{answer}' ... {remedy}")):
        collect_judgements([make_sheet(pairs, "anna", {pairs.ids[place_of_test(pairs)]: answer})], pairs)


def test_texts_that_are_not_answers_to_a_question(questions: TextRows) -> None:
    with pytest.raises(InputError, match=mentions("anna.csv, line 2: judgement 'e' ... Write a, b, c or d")):
        collect_judgements([make_sheet(questions, "anna", {questions.ids[0]: "e"})], questions)


def test_an_empty_sheet_is_refused(pairs: TextRows) -> None:
    with pytest.raises(InputError, match=mentions("anna.csv: ... no judgement. Fill the column judgement")):
        collect_judgements([make_sheet(pairs, "anna", {pairs.ids[place_of_test(pairs)]: ""})], pairs)


def place_of_test(rows: TextRows) -> int:
    return int(np.flatnonzero(rows.is_test)[0])
