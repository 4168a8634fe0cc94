"""What the commands about collecting paraphrases show; nothing is computed here but shares and means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from harness.paraphrases.collection.agreement import Annotator, ExpertAgreement
from harness.paraphrases.collection.annotator_questions import Question
from harness.paraphrases.collection.simulation import Pool, Yield
from harness.paraphrases.collection.topic_selection import Plan
from harness.paraphrases.collection.votes import Tally, label_of_tally
from harness.rendering.tables import count_of, render_table
from pyramid_paraphrase.pair_corpora.pit import HIGHEST_GRADE
from pyramid_paraphrase.pair_corpora.records import DEBATABLE

_LABELS = {1: "paraphrase", DEBATABLE: "debatable", 0: "no paraphrase"}


def render_questions(questions: Sequence[Question], topic_count: int) -> str:
    """Say how many questions there are."""
    pairs = sum(len(question.candidates) for question in questions)
    line = f"{count_of(topic_count, 'topic')}: {count_of(len(questions), 'question')} of {count_of(pairs, 'pair')}"
    alone = topic_count - len(questions)
    return line + (f"; left out: {count_of(alone, 'topic')} of one sentence." if alone else ".")


def render_simulation(pool: Pool, plan: Plan, per_question: int, yields: Sequence[Yield]) -> str:
    """A row per method: paraphrases found, how sure, in how many topics, how reworded."""
    random, budget = yields[0].paraphrases.mean(), plan.budget * per_question
    rows = [
        (
            one.method.name,
            f"{one.paraphrases.mean():,.1f}",
            "[{:,.0f}, {:,.0f}]".format(*one.interval),
            f"{100 * one.paraphrases.mean() / budget:.1f} %",
            f"{one.paraphrases.mean() / random:.2f}" if random else "-",
            f"{one.topics.mean():,.1f}",
            float(one.pinc.mean()),
        )
        for one in yields
    ]
    header = ("method", "paraphrases", "95 % of runs", "of the pairs", "times random", "from topics", "PINC")
    return "\n".join([*_describe(pool, plan, per_question, yields), "", render_table(header, rows)])


def _describe(pool: Pool, plan: Plan, per_question: int, yields: Sequence[Yield]) -> list[str]:
    total, kept = len(pool.topics), int(pool.salient.sum())
    shares = (pool.paraphrases.mean(), pool.paraphrases[pool.salient].mean())
    asked = f"{count_of(plan.budget, 'question')} of {count_of(per_question, 'pair')}"
    corpus = (
        f"{count_of(pool.topic_count, 'topic')}, {count_of(total, 'pair')}, {100 * shares[0]:.1f} % paraphrases; "
        f"the sentence filter leaves {count_of(kept, 'pair')}, {100 * shares[1]:.1f} % paraphrases."
    )
    runs = (
        f"In each of {count_of(len(yields[0].paraphrases), 'run')}: {asked}, at most {plan.limit} per topic; "
        f"topic selection explores with {100 * plan.epsilon:g} % of them, {plan.explore} per topic."
    )
    return [corpus, runs]


def render_annotators(annotators: Sequence[Annotator], tallies: Mapping[str, Tally]) -> str:
    """A row per annotator, and how many items the votes call what."""
    rows = [
        (
            one.name,
            one.items,
            one.yes,
            "not defined" if one.kappa is None else f"{one.kappa:.3f}",
            one.others,
            one.shared,
            one.undefined,
        )
        for one in annotators
    ]
    header = ("annotator", "items", "yes", "kappa", "others", "shared items", "others without kappa")
    labels = Counter(label_of_tally(tally) for tally in tallies.values())
    counts = ", ".join(f"{labels[label]:,} {name}" for label, name in _LABELS.items())
    sizes = ", ".join(map(str, sorted({tally.votes for tally in tallies.values()})))
    return f"{render_table(header, rows)}\n\n{count_of(len(tallies), 'item')} ({sizes} votes each): {counts}."


def render_expert(agreement: ExpertAgreement) -> str:
    """Votes by grades, and how well they agree."""
    header = ("votes", *(f"grade {grade}" for grade in range(HIGHEST_GRADE + 1)))
    rows = [(f"{tally.yes} of {tally.votes}", *counts) for tally, counts in agreement.table.items()]
    tp, fp, fn, tn = (f"{count:,}" for count in map(int, agreement.counts))  # type: ignore[arg-type]
    rates = ", ".join(f"{name} {agreement.rates[key]:.3f}" for name, key in _RATES)
    decisions = (
        f"(both say paraphrase: {tp}; votes alone: {fp}; grades alone: {fn}; neither: {tn}; "
        f"debatable and left out: {agreement.debatable:,})"
    )
    return "\n".join(
        [
            f"{count_of(agreement.items, 'item')} with votes and a grade, by both:",
            "",
            render_table(header, rows),
            "",
            f"Pearson of votes and grades: {agreement.pearson:.3f}",
            f"Labels by votes against labels by grades: {rates}",
            decisions,
        ]
    )


_RATES = (("F", "f1"), ("precision", "precision"), ("recall", "recall"))
