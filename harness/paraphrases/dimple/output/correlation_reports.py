"""Correlations as tables, laid out as tables 2 and 3 of Shima and Mitamura (2011); nothing is computed here."""

from __future__ import annotations

from collections.abc import Sequence

from harness.paraphrases.dimple.gains import METRICS
from harness.paraphrases.dimple.meta_evaluation import SIGNIFICANT, Correlation, Extrinsic
from harness.paraphrases.dimple.output.score_reports import NOTHING
from harness.paraphrases.dimple.recognition import GAINED, RECOGNIZED
from harness.paraphrases.dimple.scores import Scores
from harness.rendering.formats import Grid, escape_markdown, grid_csv, grid_latex, grid_markdown
from harness.rendering.tables import count_of, format_p, render_table
from harness.support.terminal import show
from pyramid_paraphrase import __version__

_SHOWN = {
    RECOGNIZED: "pairs recognized by stem or paraphrase",
    GAINED: "pairs recognized by a paraphrase and not by the stem",
}


def render_correlations(
    scores: Scores, extrinsic: Sequence[Extrinsic], correlations: Sequence[Correlation], share: str
) -> str:
    """A row per corpus, a column per metric and k; then each with p-value and interval; then what the numbers are."""
    table = _lay_out(scores, extrinsic, correlations)
    notes = map(show, _explain(scores, extrinsic, correlations, share))
    return "\n".join([render_table(table.header, table.rows), "", _render_details(correlations), "", *notes])


def render_markdown(
    scores: Scores, extrinsic: Sequence[Extrinsic], correlations: Sequence[Correlation], share: str
) -> str:
    """A row per corpus, a column per metric and k, for a README."""
    notes = map(escape_markdown, _explain(scores, extrinsic, correlations, share))
    return "\n\n".join([grid_markdown(_lay_out(scores, extrinsic, correlations)), *notes])


def render_latex(
    scores: Scores, extrinsic: Sequence[Extrinsic], correlations: Sequence[Correlation], share: str
) -> str:
    """The same for a paper, by the package booktabs."""
    notes = (r"needs \usepackage{booktabs}", *_explain(scores, extrinsic, correlations, share))
    return "\n".join([*(f"% {line}" for line in notes), "", grid_latex(_lay_out(scores, extrinsic, correlations))])


def _lay_out(scores: Scores, extrinsic: Sequence[Extrinsic], correlations: Sequence[Correlation]) -> Grid:
    keys = [(metric, k) for metric in METRICS for k in scores.cuts]
    cells = {(one.corpus, one.metric, one.k): format_correlation(one) for one in correlations}
    rows = tuple(
        (corpus.corpus, f"{corpus.pairs:,}", *(cells[corpus.corpus, metric, k] for metric, k in keys))
        for corpus in extrinsic
    )
    return Grid(("corpus", "pairs", *(f"{metric}@{k}" for metric, k in keys)), rows)


def _explain(
    scores: Scores, extrinsic: Sequence[Extrinsic], correlations: Sequence[Correlation], share: str
) -> list[str]:
    return [
        f"Pearson's r of each metric with the share of {_SHOWN[share]}; *: p < {SIGNIFICANT}, not corrected.",
        *_list_sets(scores, extrinsic, correlations),
        *dict.fromkeys(f"{one.corpus}, {one.metric}@{one.k}: none, {one.reason}" for one in correlations if one.reason),
        f"Judgment: {scores.judgment.shown}.",
        render_signature(scores, extrinsic, share),
    ]


def render_signature(scores: Scores, extrinsic: Sequence[Extrinsic], share: str) -> str:
    """One line that names everything that decides the correlations."""
    pairs = "|".join(f"{corpus.corpus}:{corpus.fingerprint[:12]}" for corpus in extrinsic)
    return f"dimple-meta|pairs:{pairs}|share:{share}|{scores.settings}|version:{__version__}"


def _list_sets(scores: Scores, extrinsic: Sequence[Extrinsic], correlations: Sequence[Correlation]) -> list[str]:
    used = {one.corpus: one.sets for one in correlations}
    lines = []
    for corpus in extrinsic:
        empty = sum(not one.count for one in scores.sets)
        missing = len(scores.sets) - empty - used[corpus.corpus]
        left_out = f"; {missing} left out, their sources are in no pair" if missing else ""
        without = f"; {empty} without any paraphrase" if empty else ""
        lines.append(f"{corpus.corpus}: {count_of(used[corpus.corpus], 'set')}{left_out}{without}.")
    return lines


def format_correlation(one: Correlation) -> str:
    """A correlation with two decimals, marked if it is significant, as in tables 2 and 3; 0 has no sign."""
    return NOTHING if one.value is None else f"{round(one.value, 2) + 0.0:.2f}{'*' if one.is_significant else ''}"


def _render_details(correlations: Sequence[Correlation]) -> str:
    rows = []
    for one in correlations:
        if one.value is None or one.interval is None or one.p_value is None:
            rows.append((one.corpus, one.metric, str(one.k), NOTHING, NOTHING, NOTHING))
        else:
            value, lower, upper = (f"{round(number, 3) + 0.0:+.3f}" for number in (one.value, *one.interval))
            cells = (value, f"[{lower}, {upper}]", format_p(one.p_value))
            rows.append((one.corpus, one.metric, str(one.k), *cells))
    return render_table(("corpus", "metric", "k", "r", "95 % interval", "p"), rows)


_CORRELATIONS = (
    *("corpus", "judgment", "model", "share", "metric", "k", "sets"),
    *("r", "lower", "upper", "p", "significant", "reason"),
)


def render_csv(
    scores: Scores,
    extrinsic: Sequence[Extrinsic],  # noqa: ARG001 - as of the other renderers
    correlations: Sequence[Correlation],
    share: str,
) -> str:
    """A line per correlation."""
    return grid_csv(Grid(_CORRELATIONS, tuple(_row(scores, one, share) for one in correlations)))


def _row(scores: Scores, one: Correlation, share: str) -> tuple[object, ...]:
    ends = one.interval or (None, None)
    significant = "" if one.value is None else "yes" if one.is_significant else "no"
    what = (one.corpus, scores.judgment.name, scores.judgment.model, share, one.metric, one.k, one.sets)
    return (*what, one.value, *ends, one.p_value, significant, one.reason)


RENDERERS = {"csv": render_csv, "md": render_markdown, "tex": render_latex}
"""How correlations are written, by the end of the file's name."""


def render_sets_csv(scores: Scores, extrinsic: Sequence[Extrinsic]) -> str:
    """A line per corpus, source and method: what is recognized, beside every metric."""
    keys = [(metric, k) for metric in METRICS for k in scores.cuts]
    header = (
        *("corpus", "source", "method", "paraphrases", "judgment", "model"),
        *("pairs", "by_stem", "by_paraphrase", RECOGNIZED, GAINED, *(f"{metric}@{k}" for metric, k in keys)),
    )
    rows = tuple(
        (
            *(corpus.corpus, one.source, one.method, one.count, scores.judgment.name, scores.judgment.model),
            *(*found, found.share(RECOGNIZED), found.share(GAINED), *(one.values[key] for key in keys)),
        )
        for corpus in extrinsic
        for one, found in zip(scores.sets, corpus.sets, strict=True)
    )
    return grid_csv(Grid(header, rows))
