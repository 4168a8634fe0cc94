"""Agreement of summary metrics with people on DUC 2007: ParaEval with several tables, ROUGE, soft pyramids.

usage: summary_metrics.py SOURCE [MODEL WORDNET] [--table TABLE...] [--meteor FILE] [--weights]

SOURCE: mainPyramidEval.tar.gz, with NIST's mainEval.tar.gz in the same folder; MODEL: folder of a sentence-transformers
model; WORDNET: folder of WordNet's database; TABLEs: further paraphrases, such as `paraphrases pivot` makes.
--meteor: METEOR's table; --weights: only compare tables with and without weights, and the relations of WordNet. Without
MODEL, only ROUGE is compared, also with people among the summarizers.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from scipy.stats import kendalltau, pearsonr, spearmanr

from harness.files.writing import write_file
from harness.models.loading import load_model
from harness.paraphrases.tables.reading import ENTRIES, open_table, read_table
from harness.paraphrases.tables.storage import write_table
from harness.rendering.pictures import parse_format
from harness.rendering.reports import Grid, grid_markdown
from harness.rendering.tables import format_interval
from harness.stats.rounding import DECIMALS
from harness.summarization.locations import read_files
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS, KENDALL, PEARSON, SPEARMAN, SUMMARY, SYSTEM
from harness.summarization.meta_evaluation.evaluation import (
    CorrelationDifference,
    MetaEvaluation,
    compare_metrics,
    correct_differences,
    evaluate_metrics,
)
from harness.summarization.meta_evaluation.figure import draw_correlations
from harness.summarization.meta_evaluation.inputs import read_score_files
from harness.summarization.meta_evaluation.resampling import TOPICS, CorrelationSettings, Resampler
from harness.summarization.meta_evaluation.scores import CENTRED, COMPLETE, OWN_TOPICS, MeasureScores
from harness.summarization.paraeval.coverage import make_matchers, measure_coverage
from harness.summarization.paraeval.scoring import MatchCounts, score_summaries
from harness.summarization.paraeval.texts import ParaEvalSettings, TopicTables
from harness.summarization.reading import read_summaries
from harness.summarization.references import Comparison, pair_summaries
from harness.summarization.rouge import name_metric, score_rouge
from harness.summarization.soft_pyramid import pair_with_pyramids, score_soft_pyramids
from harness.summarization.summary_scores import SummaryScore
from harness.support.progress import Progress
from harness.text.stems import choose_division
from pyramid_paraphrase.pyramids.official_tables import CONTENT, MODIFIED_PYRAMID
from pyramid_paraphrase.pyramids.records import Pyramid
from pyramid_paraphrase.reading import read_corpus

PUBLISHED = ("ROUGE-1", "ROUGE-2", "ROUGE-SU4")
MEASURES = ("1", "2", "3", "4", "L", "W-1.2", "SU4")
"""The measures of NIST's output."""

COMPARED = (("automatic", COMPLETE), ("all", OWN_TOPICS), ("all", CENTRED), ("human", OWN_TOPICS), ("human", CENTRED))
"""Summarizers and means with which ROUGE is correlated with content responsiveness."""

RESAMPLES = 1000
SURE = 0.1
"""Minimum probability at which paraphrases from parallel text are not due to chance."""

Scored = Sequence[tuple[SummaryScore, Mapping[str, Mapping[str, MatchCounts]]]]
"""The scores of summaries, and the counts of matched words by reference and choice of tiers."""

PICTURES = {mode: Path(__file__).parent.parent / "docs" / f"summary-metrics-{mode}.png" for mode in ("light", "dark")}
"""The picture for light and for dark pages."""

_RELATIONS = ("synonyms+hypernyms", "synonyms+derived", "synonyms+hypernyms+derived")

PLAIN = "no table"
"""Name of ParaEval without paraphrases, which is ROUGE-1 with Porter's stems."""

_TITLES = {"para_only": "para_only", "paraeval_2": "ParaEval-2", "paraeval_3": "ParaEval-3"}


@dataclass(frozen=True, slots=True)
class Data:
    """The data of the measurements.

    Attributes:
        root: Path of NIST's evaluation.
        comparisons: Summaries of systems, with references.
        pyramids: The pyramids of some topics.
    """

    root: Path
    comparisons: Sequence[Comparison]
    pyramids: tuple[Pyramid, ...]


def read_data(source: str) -> Data:
    """Read the pyramids, and the summaries in the same folder."""
    root = Path(source).with_name("mainEval.tar.gz") / "mainEval"
    (peers, _), (references, _) = (read_summaries(root / "ROUGE" / name) for name in ("peers", "models"))
    systems = [summary for summary in peers if summary.author.isdigit()]
    comparisons, _ = pair_summaries(systems, references, jackknife=True)
    return Data(root, comparisons, read_corpus(source).pyramids)


def render(source: str, model: str, wordnet: str, tables: Sequence[str] = ()) -> str:
    """Score all summaries by all metrics, correlate, draw `PICTURES`, and render Markdown tables without texts."""
    data = read_data(source)
    published = {
        metric.name: metric
        for file in read_score_files([data.root / "ROUGE" / "rougejk.m.out"])
        for metric in file.scores
    }
    scored = dict(_score_with_tables(data, _choose_tables(wordnet, tables)))
    metrics = [published[name] for name in PUBLISHED]
    metrics += list(_list_paraeval(scored))
    metrics += _score_softly(data, [f"{model},name=MiniLM", "one-hot"], source)
    files = [data.root / "manual" / "content.table", Path(source) / "mainPyramidEval/scoring/2007_modified_scores.txt"]
    (content,), measures = (file.scores for file in read_score_files(files))
    content = replace(content, name=CONTENT)
    pyramid = next(measure for measure in measures if measure.name.endswith(MODIFIED_PYRAMID))
    settings = CorrelationSettings(resamples=RESAMPLES, drawn=TOPICS)  # the systems of this year, on other topics
    parts = []
    for judgement, more in ((content, [pyramid]), (pyramid, [])):
        evaluation = evaluate_metrics([*metrics, *more], [judgement], settings)
        parts.append(list_correlations(evaluation))
        if judgement is content:
            parts.append(_list_differences(metrics, judgement, settings))
            for mode, path in PICTURES.items():
                write_file(path, draw_correlations(evaluation, parse_format(path), is_dark=mode == "dark"))
    grids = [_compare_with_nist(data, published, wordnet), _list_matches(scored), *parts]
    return "\n\n".join(map(grid_markdown, grids))


def render_weights(source: str, wordnet: str, tables: Sequence[str] = (), meteor: str | None = None) -> str:
    """Score by relations of WordNet, and by tables with and without weights, and correlate with responsiveness.

    Args:
        source: As for `render`.
        wordnet: Folder of WordNet.
        tables: Tables with probabilities.
        meteor: METEOR's table, which is compiled first.
    """
    data = read_data(source)
    with tempfile.TemporaryDirectory() as folder:
        compiled, notes = [], []
        for table in [*tables, *([meteor] if meteor else [])]:
            _, arrays, counts = read_table(table)
            compiled.append(Path(folder) / f"{Path(table).name.partition('.')[0]}.table")
            write_table(compiled[-1], arrays)
            notes.append(f"{compiled[-1].stem}: {counts[ENTRIES]:,} entries read, {len(arrays.paraphrases):,} kept.")
        choices = {"WordNet": Choice((wordnet,))}
        for relations in _RELATIONS:
            choices[f"WordNet, {relations.replace('+', ', ')}"] = Choice((f"{wordnet},relations={relations}",))
        for path in compiled:
            choices[path.stem] = Choice((str(path),))
            choices[f"{path.stem}, {SURE:g} and above"] = Choice((str(path),), min_probability=SURE)
            choices[f"{path.stem}, weighted"] = Choice((str(path),), weighted=True)
        scored = dict(_score_with_tables(data, choices))
    (content,) = (file.scores for file in read_score_files([data.root / "manual" / "content.table"]))
    judgement = replace(next(measure for measure in content if measure.name == CONTENT), name=CONTENT)
    settings = CorrelationSettings(resamples=RESAMPLES, drawn=TOPICS)
    metrics = list(_list_paraeval(scored))
    evaluation = evaluate_metrics(metrics, [judgement], settings)
    grids = [
        _list_matches(scored),
        list_correlations(evaluation),
        _list_differences(metrics, judgement, settings),
    ]
    return "\n\n".join([*map(grid_markdown, grids), " ".join(notes)])


def render_coverage(source: str, wordnet: str, tables: Sequence[str] = ()) -> str:
    """Count the words of SCUs that only paraphrases can match, and the matches (section 3.2 of the paper)."""
    pyramids = read_corpus(source).pyramids
    opened = [open_table(table) for table in (wordnet, *tables)]
    chosen = TopicTables(opened, pyramids, stem=False, min_probability=0)
    pairs, words, cases, matched = measure_coverage(pyramids, lambda topic: make_matchers(chosen(topic)))
    introduction = (
        f"{pairs:,} ordered pairs of contributors, {words:,} content words, of which "
        f"{cases:,} ({100 * cases / words:.2f} %) do not occur in the other contributor. "
        "Words that each source matches:"
    )
    rows = tuple((name, f"{count:,}", f"{100 * count / cases:.2f}") for name, count in matched.items())
    return f"{introduction}\n\n{grid_markdown(Grid(('source', 'words', '%'), rows))}"


def render_people(source: str) -> str:
    """Correlate ROUGE with content responsiveness with people among the summarizers, and check it by scipy."""
    root = Path(source).with_name("mainEval.tar.gz") / "mainEval"
    table = Path(source) / "mainPyramidEval/scoring/2007_modified_scores.txt"
    (rouge, content), (scored,) = (
        [{measure.name: measure for measure in file.scores} for file in read_score_files(paths)]
        for paths in ([root / "ROUGE" / "rougejk.m.out", root / "manual" / "content.table"], [table])
    )
    cases = [(rouge[name], content[CONTENT], systems, means) for systems, means in COMPARED for name in PUBLISHED]
    cases.append((scored[MODIFIED_PYRAMID], scored[CONTENT], "automatic", COMPLETE))
    rows, differences = [], []
    for metric, judgement, systems, means in cases:
        settings = CorrelationSettings(systems=systems, means=means, resamples=1)
        by_system, by_summary = evaluate_metrics([metric], [judgement], settings).correlations
        lowest, highest = by_system.topics_per_system or (len(by_system.topics),) * 2
        expected = _correlate_by_scipy(metric, judgement, systems, means)
        differences += [abs(expected[name] - by_system.values[name]) for name in COEFFICIENTS]
        values = [by_level.values[name] for by_level in (by_system, by_summary) for name in COEFFICIENTS]
        topics = str(lowest) if lowest == highest else f"{lowest} to {highest}"
        counts = (len(by_system.systems), topics, len(by_summary.topics))
        rows.append((metric.name, systems, means, *(f"{value:.4f}" for value in values), *counts))
    header = [f"{coefficient}, {level}" for level in (SYSTEM, SUMMARY) for coefficient in ("r", "rho", "tau")]
    counted = ("summarizers", "topics of each", "topics with a correlation")
    grid = Grid(("metric", "summarizers", "means", *header, *counted), tuple(rows))
    return f"{grid_markdown(grid)}\n\nLargest difference from scipy at the system level: {max(differences):.6f}"


def _correlate_by_scipy(metric: MeasureScores, judgement: MeasureScores, systems: str, means: str) -> dict[str, float]:
    """Correlate means of summarizers by a few lines of their own, with scipy."""
    keys = [key for key in metric.values if key in judgement.values]
    keys = [key for key in keys if systems == "all" or key[1].isalpha() == (systems == "human")]
    by_measure = []
    for measure in (metric, judgement):
        shifts = dict.fromkeys((topic for topic, _ in keys), 0.0)
        if means == CENTRED:
            shifts = {topic: fmean(measure.values[key] for key in keys if key[0] == topic) for topic in shifts}
        scores: dict[str, list[float]] = {}
        for topic, system in keys:
            scores.setdefault(system, []).append(measure.values[topic, system] - shifts[topic])
        by_measure.append([round(fmean(scores[system]), 2 * DECIMALS) for system in sorted(scores)])
    first, second = by_measure
    return {
        PEARSON: float(pearsonr(first, second).statistic),
        SPEARMAN: float(spearmanr(first, second).statistic),
        KENDALL: float(kendalltau(first, second).statistic),
    }


class Choice(NamedTuple):
    """Paraphrase tables, and the options of their use.

    Attributes:
        paths: Tables for all topics.
        scus: Whether the SCUs of other topics are also used.
        stem: Whether words with the same stem match.
        min_probability: Minimum probability of a paraphrase.
        weighted: Whether a paraphrase counts with its probability.
    """

    paths: tuple[str, ...]
    scus: bool = False
    stem: bool = True
    min_probability: float = 0.0
    weighted: bool = False


def _choose_tables(wordnet: str, tables: Sequence[str]) -> dict[str, Choice]:
    choices = {"WordNet": Choice((wordnet,)), "WordNet, no stems": Choice((wordnet,), stem=False)}
    choices["SCUs"] = Choice((), scus=True)
    for table in tables:
        name = Path(table).name.partition(".")[0]
        choices[name] = Choice((table,))
        choices[f"{name}, {SURE:g} and above"] = Choice((table,), min_probability=SURE)
    choices["all of them"] = Choice((wordnet, *tables), scus=True, min_probability=SURE)
    return choices


def _score_with_tables(data: Data, choices: Mapping[str, Choice]) -> Iterator[tuple[str, Scored]]:
    """Score by ParaEval with each table, with jackknifing over references as NIST did."""
    for name, choice in choices.items():
        opened = [open_table(path, stem=choice.stem, min_probability=choice.min_probability) for path in choice.paths]
        pyramids = data.pyramids if choice.scus else ()
        tables = TopicTables(opened, pyramids, stem=choice.stem, min_probability=choice.min_probability)
        comparing = ParaEvalSettings(stem=choice.stem, jackknife=True, weighted=choice.weighted)
        yield name, list(score_summaries(data.comparisons, tables, comparing))


def _list_paraeval(
    scored: Mapping[str, Scored],
) -> Iterator[MeasureScores]:
    """List the scores with each table, after those by equal stems, which do not depend on the first table."""
    first = next(iter(scored.values()))
    yield _collect(PLAIN, [score for score, _ in first], "rouge_1")
    for name, summaries in scored.items():
        for metric, title in _TITLES.items():
            yield _collect(f"{name}: {title}", [score for score, _ in summaries], metric)


def _collect(name: str, scores: Sequence[SummaryScore], metric: str) -> MeasureScores:
    values = {(score.topic, score.author): round(score.values[metric], DECIMALS) for score in scores}
    return MeasureScores(name, "", values)


def _score_softly(data: Data, specs: Sequence[str], source: str) -> list[MeasureScores]:
    peers, _ = read_summaries(data.root / "ROUGE" / "peers")
    systems = [summary for summary in peers if summary.author.isdigit()]
    scus_of, _ = pair_with_pyramids(systems, data.pyramids)
    scores = []
    for spec in specs:
        model = load_model(spec)
        values = score_soft_pyramids(model, scus_of, bar=Progress(visible=False))
        keys = [(summary.topic, summary.author) for summary in scus_of]
        scores.append(MeasureScores(f"soft pyramid, {model.name}", source, dict(zip(keys, values, strict=True))))
    return scores


def _compare_with_nist(data: Data, published: Mapping[str, MeasureScores], wordnet: str) -> Grid:
    """Compare our ROUGE with NIST's, per summary and in the published averages."""
    rows = []
    for stem in ("rouge", "porter"):
        divide, _ = choose_division(stem, wordnet=Path(wordnet) if stem == "rouge" else None)
        scores = list(score_rouge(data.comparisons, MEASURES, divide, jackknife=True))
        for order in MEASURES:
            ours, theirs = _collect("", scores, name_metric(order)), published[f"ROUGE-{order}"]
            off = max(abs(value - theirs.values[key]) for key, value in ours.values.items())
            means, averages = _average(ours), _read_averages(data.root, order)
            names = sorted(means)
            tau = kendalltau([means[name] for name in names], [averages[name] for name in names]).statistic
            most = max(abs(means[name] - averages[name]) for name in names)
            rows.append((f"ROUGE-{order}, stems: {stem}", f"{off:.5f}", f"{most:.5f}", f"{tau:.4f}"))
    return Grid(
        ("ours against NIST's", "a summary, at most", "a system's average, at most", "tau of systems"), tuple(rows)
    )


def _average(scores: MeasureScores) -> dict[str, float]:
    systems = {system for _, system in scores.values}
    return {one: fmean(value for (_, system), value in scores.values.items() if system == one) for one in systems}


def _read_averages(root: Path, order: str) -> dict[str, float]:
    """Read the averages from ROUGE's own output. NIST also published those of ROUGE-2 in a file."""
    (file,) = read_files(root / "ROUGE" / "rougejk.m.out")
    rows = (line.split() for line in file.data.decode().splitlines() if f" ROUGE-{order} Average_R: " in line)
    return {row[0]: float(row[3]) for row in rows}


def _list_matches(scored: Mapping[str, Scored]) -> Grid:
    """Return the percentages of words of references that each tier matches."""
    rows = []
    for name, summaries in scored.items():
        counts = [by_name["paraeval_3"] for _, pairs in summaries for by_name in pairs.values()]
        plain = [by_name["rouge_1"] for _, pairs in summaries for by_name in pairs.values()]
        total = sum(count.total for count in counts) / 100
        sums = [sum(getattr(count, tier) for count in counts) for tier in ("phrases", "synonyms", "words")]
        fewer = sum(count.matched < plain_count.matched for count, plain_count in zip(counts, plain, strict=True))
        bounded = sum(not count.is_exact for count in counts)
        percentages = [
            f"{part / total:.2f}" for part in (*sums, sum(sums), sum(plain_count.words for plain_count in plain))
        ]
        rows.append((name, *percentages, f"{len(counts):,}", fewer, bounded))
    header = ("table", "phrases", "synonyms", "equal", "all", "ROUGE-1", "pairs", "below ROUGE-1", "not exact")
    return Grid(header, tuple(rows))


def list_correlations(evaluation: MetaEvaluation) -> Grid:
    """Make a row per metric: coefficients at both levels, the first coefficient with its interval."""
    by_metric: dict[str, list[object]] = {}
    blocks = {}
    for correlation in evaluation.correlations:
        cells = by_metric.setdefault(correlation.metric, [])
        for name in COEFFICIENTS:
            interval = f" {format_interval(correlation.intervals.get(name))}" if name == PEARSON else ""
            cells.append(f"{correlation.values[name]:.3f}{interval}" if correlation.values else correlation.reason)
        blocks[correlation.metric] = (len(correlation.systems), len(correlation.topics))
    rows = tuple((name, *cells, *blocks[name]) for name, cells in by_metric.items())
    header = [f"{coefficient}, {level}" for level in (SYSTEM, SUMMARY) for coefficient in ("r", "rho", "tau")]
    return Grid((evaluation.correlations[0].judgement, *header, "systems", "topics"), rows)


def _list_differences(
    metrics: Sequence[MeasureScores], judgement: MeasureScores, settings: CorrelationSettings
) -> Grid:
    """Test whether any metric agrees better than equal words."""
    plain = next(metric for metric in metrics if metric.name == PLAIN)
    other_metrics = [metric for metric in metrics if metric is not plain]
    resampler = Resampler(settings)
    compared = [compare_metrics(judgement, (metric, plain), SYSTEM, resampler) for metric in other_metrics]
    differences = correct_differences(
        [difference for by_coefficient in compared for difference in by_coefficient if difference.has_williams]
    )
    rows = tuple((difference.first, *_show_difference(difference)) for difference in differences)
    header = ("r above that without a table", "by", "95 % interval", "Williams p (Holm)", "bootstrap p (Holm)")
    return Grid(header, rows)


def _show_difference(difference: CorrelationDifference) -> tuple[str, ...]:
    """Format a difference. Undefined values, for two equal metrics, become a dash."""
    p_values = (difference.williams_holm, difference.bootstrap_holm)
    by = "-" if difference.difference is None else f"{difference.difference:+.3f}"
    shown = ("-" if value is None else f"{value:.4f}" for value in p_values)
    return by, format_interval(difference.interval, "-"), *shown


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("model", nargs="?")
    parser.add_argument("wordnet", nargs="?")
    parser.add_argument("--table", dest="tables", action="append", default=[])
    parser.add_argument("--meteor")
    parser.add_argument("--weights", action="store_true")
    options = parser.parse_args()
    if options.weights:
        print(render_weights(options.source, options.wordnet, options.tables, options.meteor))
        raise SystemExit
    if options.model:
        print(render(options.source, options.model, options.wordnet, options.tables))
    print(render_people(options.source))
