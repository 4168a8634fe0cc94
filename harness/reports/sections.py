"""The section of a page about one test: figures with their numbers, values by topic, and mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from harness.evaluation.record import TestRecord
from harness.metrics.rows import ScoredRows
from harness.metrics.table import find_main_metric
from harness.models.kinds.baselines import OVERLAP
from harness.rendering.charts import Chart
from harness.rendering.tables import format_value
from harness.reports import figures
from harness.reports.analysis import (
    Mistake,
    Wording,
    ask_for_any,
    chance_of_first,
    choose_wording,
    find_mistakes,
    rate_overlaps,
    rate_topics,
    reach_precision,
    share_paraphrases,
    share_ranks,
    spread_by_grade,
    spread_scores,
    thin_curve,
    trace_precision,
)
from harness.reports.figures import Curve, Series
from harness.reports.model_tables import Row, Table, align_scored_rows
from harness.reports.row_texts import Texts
from harness.stats.rounding import DECIMALS, find_decimals
from pyramid_paraphrase.rules.options import GRADED_PAIRS, MATCHES, PAIR_CORPUS, PAIRS, QUESTIONS, find_configuration

MISTAKES = 10
"""Maximum number of rows per model and kind of mistake."""

_MOST_MODELS = 16
"""Maximum number of models with figures, topics and mistakes in a section, including shortcuts."""

_BEFORE_FOLD = 4
"""Number of figures of single models that are visible without unfolding."""

_TOPIC_CAPTIONS = {
    "f1": "F of the pairs within each topic, at the model's threshold. Pairs across topics and topics without "
    "{positives} are left out.",
    "match_f1": "F of the fragments of each topic, at the model's threshold. Topics without {positives} are left out.",
    "success_rate": "Success rate on the questions of each topic.",
    "pearson": "Correlation of scores and grades within each topic.",
}
_MISTAKE_SCORES = {QUESTIONS: "Lead of the wrong option", MATCHES: "Highest score"}
_RECALL_LEVELS = tuple(level / 10 for level in range(1, 11))


class ScoredModel(NamedTuple):
    """A model on a test.

    Attributes:
        row: The model's row in the table.
        test: The numbers of the model on the test.
        rows: The scored rows of the model on the test.
        wording: Names of the rows, if they have labels.
    """

    row: Row
    test: TestRecord
    rows: ScoredRows
    wording: Wording

    @property
    def name(self) -> str:
        """The name that the table shows."""
        return self.row.name


def show_test(table: Table, test_name: str, identifier: str, texts: Texts | None) -> dict[str, Any]:
    """Lay out the section about a test.

    Args:
        table: The table of the models.
        test_name: Name of the configuration.
        identifier: Prefix of the ids of all elements of the section.
        texts: The texts of rows, to be shown with mistakes if they belong to the test. None shows no texts.

    Returns:
        Values for the template of the page.

    Raises:
        ComparisonError: If the scored rows of a model do not match the fingerprint.
    """
    models, omitted = _choose_models(table, test_name)
    configuration = find_configuration(test_name)
    kind = configuration.kind
    show_figures, metric = _SHOW_FIGURES[kind], find_main_metric(configuration).name
    topics: dict[str, Any] = {"names": [], "rows": []}
    if configuration.origin != PAIR_CORPUS:  # a topic of a pair corpus is only a sentence
        topics = _show_topics(models, metric)
    if texts is not None and not texts.has_test(table.fingerprints[test_name]):
        texts = None
    return {
        "id": identifier,
        "title": test_name,
        "description": f"{configuration.title}.",
        "omitted": omitted,
        **show_figures(models, _choose_series(table, test_name)),
        "topics_caption": _TOPIC_CAPTIONS.get(metric, "").format(positives=choose_wording(test_name).positives),
        "topics": topics,
        "shows_text": texts is not None,
        "mistake_score": _MISTAKE_SCORES.get(kind, "Score"),
        "mistakes": [(model.name, _show_mistakes(model, texts)) for model in models],
    }


def _choose_models(table: Table, test_name: str) -> tuple[list[ScoredModel], int]:
    """Choose the best models of a test and all shortcuts, in this order, and count the models that are left out."""
    scored_rows = {row.name: rows for row, rows in align_scored_rows(table, test_name)}
    ranked = [row for row in table.sort_rows(test_name, "score") if row.is_ours]
    chosen = _limit(ranked, _MOST_MODELS)
    models = [
        ScoredModel(row, row.tests[test_name], scored_rows[row.name], choose_wording(test_name)) for row in chosen
    ]
    return models, len(ranked) - len(models)


def _choose_series(table: Table, test_name: str) -> dict[str, Series]:
    """Choose the models for figures with a line per model: the best models, and all shortcuts.

    The first models of a table have the same colours for every test. All other models get the remaining colours.
    """
    numbers = {row.name: number for number, row in enumerate(_limit(table.ours, figures.SERIES))}
    test_rows = [row for row in table.sort_rows(test_name, "score") if row.is_ours]
    names = [row.name for row in _limit(test_rows, figures.SERIES)]
    taken = {numbers[name] for name in names if name in numbers}
    free = iter(sorted(set(range(figures.SERIES)) - taken))
    series = {}
    for name in names:
        number = numbers[name] if name in numbers else next(free)
        series[name] = Series(number, name)
    return series


def _limit(rows: Sequence[Row], most: int) -> list[Row]:
    """Return a limited number of rows. Those that do not compete are kept in any case, and come last."""
    kept = [row for row in rows if not row.competes][-most:]
    models = [row for row in rows if row.competes]
    return [*models[: most - len(kept)], *kept]


def _describe_missing(models: Sequence[ScoredModel], series: Mapping[str, Series]) -> str:
    """Return a note if a figure does not show all models, otherwise an empty text."""
    if all(model.name in series for model in models):
        return ""
    return " Only the best models and the shortcuts are shown."


def _make_figure(
    *, title: str, caption: str, chart: Chart, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> dict[str, Any]:
    return {"title": title, "caption": caption, "chart": chart, "numbers": {"header": header, "rows": rows}}


def _format_numbers(numbers: Iterable[float]) -> list[str]:
    return [f"{number:.3f}" for number in numbers]


# Pairs with labels: precision by recall, and the scores of each model.


def _show_pairs(models: Sequence[ScoredModel], series: Mapping[str, Series]) -> dict[str, Any]:
    curves = {series[model.name]: trace_precision(model.rows) for model in models if model.name in series}
    share = share_paraphrases(models[0].rows)
    caption = f"Dotted: {share:.3f}, the share of {models[0].wording.positives}. It is the precision of chance."
    thinned = {line: thin_curve(*curve) for line, curve in curves.items()}
    precision = _make_figure(
        title="Precision by recall",
        caption=caption + _describe_missing(models, series),
        chart=figures.draw_precision(thinned, share),
        header=["recall at least", *(f"{level:.1f}" for level in _RECALL_LEVELS)],
        rows=[[line.name, *_list_precision(curve)] for line, curve in curves.items()],
    )
    spreads = [*map(_show_distribution, models)]
    return {"figures": [precision, *spreads[:_BEFORE_FOLD]], "folded": spreads[_BEFORE_FOLD:], "notes": []}


def _list_precision(curve: Curve) -> list[str]:
    return [format_value(reach_precision(*curve, level)) for level in _RECALL_LEVELS]


def _format_score(score: float, rows: ScoredRows) -> str:
    """Format a score with three decimals, or as in 1.20e-07 if the scores of the rows are very small or large."""
    if find_decimals(rows.scores) == DECIMALS:
        return f"{score:.3f}"
    return f"{score:.2e}"


def _show_distribution(model: ScoredModel) -> dict[str, Any]:
    spread, threshold, wording = spread_scores(model.rows), model.test.threshold, model.wording
    assert threshold is not None  # pairs with labels and matches have a threshold
    bins = zip(spread.edges[:-1], spread.edges[1:], spread.positives, spread.negatives, strict=True)
    rows = []
    for low, high, *shares in bins:
        ends = (_format_score(end, model.rows) for end in (low, high))
        rows.append([" to ".join(ends), *_format_numbers(shares)])
    shown_threshold = _format_score(threshold, model.rows)
    return _make_figure(
        title=model.name,
        caption=f"Scores of {wording.positives} and of {wording.negatives}. Threshold: {shown_threshold}.",
        chart=figures.draw_distribution(spread, threshold, wording),
        header=["score", wording.positives, wording.negatives],
        rows=rows,
    )


# Questions: the rank of the right option, and success by shared words.


def _show_questions(models: Sequence[ScoredModel], series: Mapping[str, Series]) -> dict[str, Any]:
    shown = [_show_ranks(models)]
    # By kind, because a model of another kind can also have the name "overlap".
    rows_by_kind = {model.row.results[-1].record.model.kind: model.rows for model in models}
    overlap = rows_by_kind.get(OVERLAP.name)
    if overlap is None:
        note = f"To see success by the words that question and answer share, also report the result of {OVERLAP.name}."
        return {"figures": shown, "folded": [], "notes": [note]}
    shown.append(_show_overlaps(models, series, overlap))
    return {"figures": shown, "folded": [], "notes": []}


def _show_ranks(models: Sequence[ScoredModel]) -> dict[str, Any]:
    shares = {model.name: share_ranks(model.rows) for model in models}
    options = len(next(iter(shares.values())))
    rows = models[0].rows
    rated = "questions" if rows.kind == QUESTIONS else models[0].wording.positives
    return _make_figure(
        title="Rank of the right option",
        caption=f"Share of the {rated}. Tied options share their ranks. Dotted: rank 1 by chance.",
        chart=figures.draw_ranks(shares, chance_of_first(rows), rated),
        header=["model", *(f"rank {rank}" for rank in range(1, options + 1))],
        rows=[[name, *_format_numbers(model_shares)] for name, model_shares in shares.items()],
    )


def _show_overlaps(models: Sequence[ScoredModel], series: Mapping[str, Series], overlap: ScoredRows) -> dict[str, Any]:
    rates = {series[model.name]: rate_overlaps(model.rows, overlap) for model in models if model.name in series}
    questions: dict[int, int] = {}
    for model_rates in rates.values():
        questions |= {words: rate.questions for words, rate in model_rates.items()}
    word_counts = sorted(questions)
    rows = []
    for line, model_rates in rates.items():
        success = [model_rates[words].success for words in word_counts]
        rows.append([line.name, *_format_numbers(success)])
    return _make_figure(
        title="Success by shared words",
        caption="Distinct words that question and answer share." + _describe_missing(models, series),
        chart=figures.draw_overlaps(rates),
        header=[
            "words (questions)",
            *(f"{figures.name_word_count(words)} ({questions[words]:,})" for words in word_counts),
        ],
        rows=rows,
    )


# Matches: the rank of the right option, and the highest scores of rows with a right option and of others.


def _show_matches(models: Sequence[ScoredModel], series: Mapping[str, Series]) -> dict[str, Any]:
    del series  # no figure has a line per model
    spreads = []
    for model in models:
        spread = _show_distribution(model._replace(rows=ask_for_any(model.rows)))
        spread["caption"] = f"Highest score of a row. {spread['caption']}"
        spreads.append(spread)
    shown = [_show_ranks(models), *spreads[:_BEFORE_FOLD]]
    return {"figures": shown, "folded": spreads[_BEFORE_FOLD:], "notes": []}


# Pairs with grades: the scores of each model by grade.


def _show_grades(models: Sequence[ScoredModel], series: Mapping[str, Series]) -> dict[str, Any]:
    del series  # each model has its own figure, because the scales of scores differ
    shown = [*map(_show_model_by_grade, models)]
    return {"figures": shown[:_BEFORE_FOLD], "folded": shown[_BEFORE_FOLD:], "notes": []}


def _show_model_by_grade(model: ScoredModel) -> dict[str, Any]:
    spreads = spread_by_grade(model.rows)
    rows = []
    for spread in spreads:
        quartiles = (_format_score(quartile, model.rows) for quartile in spread.quartiles)
        rows.append([str(spread.grade), f"{spread.pairs:,}", *quartiles])
    return _make_figure(
        title=model.name,
        caption="Median score by grade. The band contains the middle half of the pairs.",
        chart=figures.draw_grades(spreads),
        header=["grade", "pairs", "lower quartile", "median", "upper quartile"],
        rows=rows,
    )


_SHOW_FIGURES = {
    PAIRS: _show_pairs,
    QUESTIONS: _show_questions,
    GRADED_PAIRS: _show_grades,
    MATCHES: _show_matches,
}


# All tests: values by topic, and mistakes.


def _show_topics(models: Sequence[ScoredModel], metric: str) -> dict[str, Any]:
    values = {model.name: rate_topics(model.rows, metric, model.test.threshold) for model in models}
    topics: set[str] = set()
    for model_values in values.values():
        topics |= model_values.keys()
    rows = []
    for topic in sorted(topics):
        row = [model_values.get(topic) for model_values in values.values()]
        rows.append((topic, row))
    return {"names": list(values), "rows": rows}


def _show_mistakes(model: ScoredModel, texts: Texts | None) -> list[tuple[str, list[dict[str, Any]]]]:
    mistakes_by_kind = find_mistakes(model.rows, model.test.threshold, MISTAKES, model.wording)
    sections = []
    for kind, mistakes in mistakes_by_kind.items():
        rows = [_show_mistake(mistake, model, texts) for mistake in mistakes]
        sections.append((kind, rows))
    return sections


def _show_mistake(mistake: Mistake, model: ScoredModel, texts: Texts | None) -> dict[str, Any]:
    values = {**mistake._asdict(), "score": _format_score(mistake.score, model.rows)}
    if texts is not None:
        values["texts"] = texts.of_row(model.test.fingerprint, mistake.row_id)
    return values
