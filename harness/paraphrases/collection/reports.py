"""Terminal output of the command `collection`. Only shares and means are computed here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import NamedTuple

from harness.metrics.pairs import rate_decisions
from harness.paraphrases.collection.agreement import (
    Annotator,
    Estimates,
    ExpertAgreement,
    label_by_votes,
    measure_alpha,
)
from harness.paraphrases.collection.questions import Question, name_items
from harness.paraphrases.collection.simulation import Plan, Pool, Yield
from harness.rendering.reports import Grid, Report
from harness.rendering.tables import NOTHING, count_of, render_table
from pyramid_paraphrase.formats.pairs.corpora import HIGHEST_GRADE, LABELS_OF_GRADES
from pyramid_paraphrase.formats.pairs.files import DEBATABLE

_LABELS = {1: "paraphrase", DEBATABLE: "debatable", 0: "not a paraphrase"}
_MOST_TOPICS = 20
_DEBATED = LABELS_OF_GRADES.index(DEBATABLE)
_RATES = (("F", "f1"), ("precision", "precision"), ("recall", "recall"))


def render_questions(questions: Sequence[tuple[str, str, Sequence[str]]], topic_count: int) -> str:
    """Render the numbers of topics, questions and pairs."""
    pairs = sum(len(candidates) for _, _, candidates in questions)
    line = f"{count_of(topic_count, 'topic')}: {count_of(len(questions), 'question')} of {count_of(pairs, 'pair')}"
    if left_out := topic_count - len(questions):
        line += f". Left out: {count_of(left_out, 'topic')} with only one distinct sentence"
    return f"{line}."


class TopicYield(NamedTuple):
    """The answers to the questions about a topic."""

    topic: str
    questions: int
    pairs: int
    paraphrases: int
    debatable: int
    share: float


def list_yields(questions: Sequence[Question], tallies: Mapping[str, tuple[int, int]]) -> list[TopicYield]:
    """List the topics that have answers, with the share of paraphrases among the pairs with votes, the highest first.

    Args:
        questions: All questions.
        tallies: Numbers of yes votes and of all votes, by item.
    """
    labels: dict[str, list[list[int]]] = {}
    for question in questions:
        voted = [label_by_votes(*tallies[item]) for item in name_items(question) if item in tallies]
        if voted:
            labels.setdefault(question[0], []).append(voted)
    yields = []
    for topic, answers in labels.items():
        counts = Counter(chain.from_iterable(answers))
        pairs = counts.total()
        yields.append(TopicYield(topic, len(answers), pairs, counts[1], counts[DEBATABLE], round(counts[1] / pairs, 6)))
    return sorted(yields, key=lambda topic_yield: -topic_yield.share)


def render_next(
    questions: Sequence[Question], tallies: Mapping[str, tuple[int, int]], chosen: Sequence[Question], explores: bool
) -> str:
    """Render the yields of topics so far, and the questions that come next."""
    yields = list_yields(questions, tallies)
    lines = []
    if yields:
        header = ("topic", "questions", "pairs", "paraphrases", "debatable", "share")
        lines += [render_table(header, [tuple(topic_yield) for topic_yield in yields[:_MOST_TOPICS]]), ""]
        if len(yields) > _MOST_TOPICS:
            lines.append(f"Shown: the best {_MOST_TOPICS} of {len(yields):,} topics.")
    asked = sum(topic_yield.questions for topic_yield in yields)
    pairs = count_of(sum(topic_yield.pairs for topic_yield in yields), "pair")
    paraphrases = sum(topic_yield.paraphrases for topic_yield in yields)
    lines.append(f"Answers: {count_of(asked, 'question')}, {pairs}, {paraphrases:,} paraphrases.")
    items = {item for question in questions for item in name_items(question)}
    if unknown := len(tallies.keys() - items):
        lines.append(f"Left out: votes on {count_of(unknown, 'item')} that no question has.")
    phase = "exploration" if explores else "exploitation"
    size = sum(len(candidates) for _, _, candidates in chosen)
    topics = count_of(len({topic for topic, _, _ in chosen}), "topic")
    follows = f"{count_of(len(chosen), 'question')} of {count_of(size, 'pair')} about {topics} ({phase})"
    lines.append(f"Next: {follows}." if chosen else "Next: no question, because the budget is spent.")
    return "\n".join(lines)


def report_simulation(pool: Pool, plan: Plan, per_question: int, yields: Sequence[Yield]) -> Report:
    """Report a row per method: the number of paraphrases with its interval, the number of topics, and PINC."""
    random_mean, asked_pairs = yields[0].paraphrases.mean(), plan.budget * per_question
    rows: list[tuple[object, ...]] = []
    numbers: list[tuple[object, ...]] = []
    for method_yield in yields:
        mean = float(method_yield.paraphrases.mean())
        topics, pinc = float(method_yield.topics.mean()), float(method_yield.pinc.mean())
        ratio = mean / float(random_mean) if random_mean else None
        numbers.append(
            (method_yield.method.name, mean, *method_yield.interval, mean / asked_pairs, ratio, topics, pinc)
        )
        times_random = NOTHING if ratio is None else f"{ratio:.2f}"
        rows.append(
            (
                method_yield.method.name,
                f"{mean:,.1f}",
                "[{:,.0f}, {:,.0f}]".format(*method_yield.interval),
                f"{100 * mean / asked_pairs:.1f} %",
                times_random,
                f"{topics:,.1f}",
                round(pinc, 4),
            )
        )
    header = ("method", "paraphrases", "95 % of runs", "share", "times random", "topics", "PINC")
    columns = ("method", "paraphrases", "lower", "upper", "share", "times_random", "topics", "pinc")
    record = {"methods": [dict(zip(columns, row, strict=True)) for row in numbers]}
    described = tuple(_describe(pool, plan, per_question, yields))
    return Report((Grid(header, tuple(rows)),), (), Grid(columns, tuple(numbers)), record, described)


def _describe(pool: Pool, plan: Plan, per_question: int, yields: Sequence[Yield]) -> list[str]:
    """Describe the corpus and the settings in two lines."""
    pairs, salient_pairs = len(pool.topics), int(pool.salient.sum())
    share, salient_share = pool.paraphrases.mean(), pool.paraphrases[pool.salient].mean()
    asked = f"{count_of(plan.budget, 'question')} of {count_of(per_question, 'pair')}"
    corpus = (
        f"{count_of(pool.topic_count, 'topic')}, {count_of(pairs, 'pair')}, {100 * share:.1f} % paraphrases. "
        f"The sentence filter leaves {count_of(salient_pairs, 'pair')}, {100 * salient_share:.1f} % paraphrases."
    )
    runs = (
        f"In each of {count_of(len(yields[0].paraphrases), 'run')}: {asked}, at most {plan.limit} per topic. "
        f"Topic selection uses {100 * plan.epsilon:g} % of them to explore, {plan.explore} per topic."
    )
    return [corpus, runs]


def render_annotators(annotators: Sequence[Annotator], tallies: Mapping[str, tuple[int, int]]) -> str:
    """Render a row per annotator, and the number of items with each label."""
    rows = []
    for annotator in annotators:
        kappa = "not defined" if annotator.kappa is None else f"{annotator.kappa:.3f}"
        counts_of_others = (annotator.others, annotator.shared, annotator.undefined)
        rows.append((annotator.name, annotator.items, annotator.yes, kappa, *counts_of_others))
    header = ("annotator", "items", "yes", "kappa", "others", "shared items", "others without kappa")
    labels = Counter(label_by_votes(yes, votes) for yes, votes in tallies.values())
    counts = ", ".join(f"{labels[label]:,} {name}" for label, name in _LABELS.items())
    sizes = ", ".join(map(str, sorted({votes for _, votes in tallies.values()})))
    alpha, used = measure_alpha(tallies)
    value = "not defined" if math.isnan(alpha) else f"{alpha:.3f}"
    share = fmean(annotator.yes / annotator.items for annotator in annotators)
    kappas = [annotator.kappa for annotator in annotators if annotator.kappa is not None]
    kappa_mean = f"{fmean(kappas):.3f}" if kappas else "not defined"
    return "\n".join(
        [
            render_table(header, rows),
            "",
            f"{count_of(len(tallies), 'item')} ({sizes} votes each): {counts}.",
            f"Means over annotators: {100 * share:.1f} % of votes are yes, kappa {kappa_mean}",
            f"Krippendorff's alpha of {count_of(used, 'item')} with at least two votes: {value}",
        ]
    )


def render_estimates(estimates: Estimates, tallies: Mapping[str, tuple[int, int]], grades: Mapping[str, int]) -> str:
    """Render the estimated errors of annotators, and the labels that differ from those by votes.

    Args:
        estimates: The estimates.
        tallies: Numbers of yes votes and of all votes, by item.
        grades: Grades of an expert by item, to compare the labels with. Can be empty.
    """
    rows = [(name, *rates) for name, rates in estimates.annotators.items()]
    changes = Counter((label_by_votes(*tally), estimates.label(item)) for item, tally in tallies.items())
    count, others = sum(map(estimates.label, tallies)), changes[DEBATABLE, 0]
    changed = changes[0, 1] + changes[1, 0]
    lines = [
        render_table(("annotator", "sensitivity", "specificity"), rows),
        "",
        f"Dawid-Skene: {count:,} of {count_of(len(tallies), 'item')} are paraphrases.",
        f"Debatable by votes: {changes[DEBATABLE, 1]:,} of them are paraphrases, {others:,} are not.",
        f"Other items with another label than by votes: {changed:,}.",
    ]
    if not estimates.is_settled:
        lines.append("The estimates still changed at the last iteration, so treat them with caution.")
    clear = [(estimates.label(item), LABELS_OF_GRADES[grade]) for item, grade in grades.items() if grade != _DEBATED]
    if clear:
        pairs = Counter(clear)
        rates = rate_decisions(pairs[1, 1], pairs[1, 0], pairs[0, 1], pairs[0, 0])
        listed = ", ".join(f"{name} {float(rates[key]):.3f}" for name, key in _RATES)
        lines.append(f"Labels by Dawid-Skene against labels by grades ({count_of(len(clear), 'item')}): {listed}")
    return "\n".join(lines)


def render_expert(agreement: ExpertAgreement) -> str:
    """Render a table of votes against grades, and the agreement of both."""
    header = ("votes", *(f"grade {grade}" for grade in range(HIGHEST_GRADE + 1)))
    rows = [(f"{yes} of {votes}", *counts) for (yes, votes), counts in agreement.table.items()]
    tp, fp, fn, tn = (f"{count:,}" for count in agreement.counts)
    rates = ", ".join(f"{name} {agreement.rates[key]:.3f}" for name, key in _RATES)
    decisions = (
        f"(paraphrases by votes and grades: {tp}, by votes only: {fp}, by grades only: {fn}, by neither: {tn}, "
        f"debatable and left out: {agreement.debatable:,})"
    )
    return "\n".join(
        [
            f"{count_of(agreement.items, 'item')} with votes and a grade:",
            "",
            render_table(header, rows),
            "",
            f"Pearson of votes and grades: {agreement.pearson:.3f}",
            f"Labels by votes against labels by grades: {rates}",
            decisions,
        ]
    )
