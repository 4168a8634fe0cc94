"""Measure how well EP, EPR and DIMPLE predict the recognition of paraphrases, on lists derived from corpora.

usage: dimple.py SOURCE PAIRS RTE MODEL [--plot FILE] [--votes PIT]

SOURCE: pyramids; PAIRS: the Microsoft Research Paraphrase Corpus; RTE: RTE 1 to 3, such as rte.zip of NLTK; MODEL:
folder of a sentence-transformers model. The ten verbs of the paper and four methods give 40 lists. The model judges
them, not people. --votes fits models to the votes of PIT-2015, whose sources are whole sentences: `dev.data` in PIT.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.files.writing import write_file
from harness.metrics.graded_pairs import pearson
from harness.models.interfaces.model import Model
from harness.models.loading import load_model
from harness.paraphrases.dimple.derivation import PAPER_SOURCES, derive_lists
from harness.paraphrases.dimple.figures import draw_correlations
from harness.paraphrases.dimple.lists import LENIENT, STRICT, Paraphrase, RankedList
from harness.paraphrases.dimple.meta_evaluation import (
    SHARES,
    PairIndex,
    RecognitionCorrelation,
    RecognitionEvaluation,
    meta_evaluate,
)
from harness.paraphrases.dimple.metrics import METRICS
from harness.paraphrases.dimple.positive_pairs import Pair, read_positive_pairs
from harness.paraphrases.dimple.quality import (
    AUTOMATIC,
    AutomaticQuality,
    embed_words,
    fit_quality,
    rate_by_votes,
    replace_words,
)
from harness.paraphrases.dimple.reports import format_correlation, report_correlations
from harness.paraphrases.dimple.scores import DimpleScores, Judgment, score_lists
from harness.rendering.pictures import parse_format
from harness.rendering.reports import Grid, grid_markdown
from harness.stats.rounding import round_scores
from pyramid_paraphrase.formats.pairs.corpora import VOTERS, read_pair_corpus
from pyramid_paraphrase.pyramids.sources import Source
from pyramid_paraphrase.reading import read_corpus

LEAST = 5

REPORTED = {
    "MSRPC": (89, 59, 125, 48, 30, 21, 22, 14, 22, 10),
    "RTE": (62, 61, 34, 109, 44, 23, 18, 20, 10, 10),
}
"""Positive pairs with each verb in table 1 of the paper. Its RTE is RTE 1 to 4."""


class PlainSimilarity:
    """A baseline: the cosine of a sentence and the sentence with the paraphrase. Negative values become 0."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def __call__(self, ranked: RankedList) -> list[float]:
        """Rate the paraphrases of a list."""
        texts = [
            replace_words(paraphrase.sentence, ranked.source, paraphrase.text) or ""
            for paraphrase in ranked.paraphrases
        ]
        if not texts:
            return []
        sentence = ranked.paraphrases[0].sentence
        vectors = embed_words(self._model, list(dict.fromkeys([sentence, *texts])))
        return [float(max(value, 0)) for value in round_scores(vectors[1:] @ vectors[0])]


def render(source: str, pairs: Source, rte: Path, model: str, plot: Path | None = None) -> str:
    """Derive lists, measure, correlate, and render Markdown tables with numbers only and no text of a corpus."""
    splits = read_pair_corpus(pairs).splits
    texts = [text for rows in splits.values() for row in rows for text in (row.sentence1, row.sentence2)]
    encoder = load_model(f"{model},name=MiniLM")
    models = [encoder, load_model("char-ngrams")]
    lists = derive_lists(PAPER_SOURCES, read_corpus(source).pyramids, texts, models, LEAST)
    scores = score_lists(lists, Judgment(AUTOMATIC, AutomaticQuality(encoder), encoder.name))
    corpora = {"MSRPC": read_positive_pairs([pairs])}
    evaluations = {share: meta_evaluate(scores, lists, corpora, share) for share in SHARES}
    (recognitions,) = evaluations[SHARES[0]].recognitions.values()
    if plot is not None:
        write_file(plot, draw_correlations(evaluations[SHARES[0]], parse_format(plot)))
    means = {}
    for method in (method_scores.method for method_scores in scores.methods):
        recognized_sets = [
            recognized_set
            for recognized_set, row in zip(recognitions, scores.sets, strict=True)
            if row.method == method
        ]
        means[method] = [
            sum(recognized_set.share(share) or 0 for recognized_set in recognized_sets) / len(recognized_sets)
            for share in SHARES
        ]
    plain = score_lists(lists, Judgment("plain", PlainSimilarity(encoder), encoder.name))
    by_quality = {
        AUTOMATIC: {share: [*evaluation.correlations.values()] for share, evaluation in evaluations.items()},
        "plain": {share: [*meta_evaluate(plain, lists, corpora, share).correlations.values()] for share in SHARES},
    }
    grids = (_list_methods(scores, means), _list_correlations(scores, by_quality), _list_methods(plain, means))
    tables = list(map(grid_markdown, grids))
    corpora["RTE"] = read_positive_pairs([rte])
    tables.append(grid_markdown(_list_counts(corpora)))
    varied = score_lists(lists, scores.judgment, with_diversity=True, encoder=encoder)
    evaluations = {share: meta_evaluate(varied, lists, corpora, share) for share in SHARES}
    tables.append(grid_markdown(_list_diversity(evaluations)))
    for share, evaluation in evaluations.items():
        (claim,) = (note for note in report_correlations(evaluation).notes if note.startswith("EP < EPR"))
        tables.append(f"Share of pairs {share}. {claim}")
    return "\n\n".join(tables)


def render_votes(folder: Path, model: str) -> str:
    """Render a Markdown table of models whose scale is fitted to the votes on the pairs of PIT-2015.

    The first sentence of a pair is the source. Without the source, its sentence is empty. Pairs that repeat a
    paraphrase up to case and spaces are left out.
    """
    paraphrases: dict[str, dict[str, Paraphrase]] = {}
    repeated = 0
    for pair in read_pair_corpus(str(folder)).splits["validation"]:
        assert pair.grade is not None  # the number of annotators for it
        yes = int(pair.grade)
        votes = (1,) * yes + (0,) * (VOTERS - yes)
        of_source = paraphrases.setdefault(pair.sentence1, {})
        text = " ".join(pair.sentence2.lower().split())
        repeated += text in of_source
        of_source.setdefault(text, Paraphrase(pair.sentence2, {STRICT: votes, LENIENT: votes}, pair.sentence1))
    voted = [RankedList(source, "tweets", tuple(rows.values())) for source, rows in paraphrases.items()]
    shares = [share for ranked in voted for share in rate_by_votes(ranked, STRICT)]
    rows = []
    for spec in ("overlap", "char-ngrams", f"{model},name=MiniLM"):
        loaded = load_model(spec)
        quality = AutomaticQuality(loaded, voted)
        _, scale = fit_quality(quality, voted)
        plain = [rating for ranked in voted for rating in quality(ranked)]
        zeros = plain.count(0)
        held_out = re.search(r"r = (\S+)", scale)
        rows.append(
            (
                loaded.name,
                held_out[1] if held_out else "not defined",
                f"{pearson(plain, shares):.2f}",
                f"{zeros:,}",
            )
        )
    header = ("model", "r, fitted to the other sources", "r of Q without a fit", "Q is 0")
    sizes = f"{len(shares):,} paraphrases of {len(voted):,} sources. {repeated} repeated pairs are left out."
    return f"{sizes}\n\n{grid_markdown(Grid(header, tuple(rows)))}"


def _list_counts(corpora: Mapping[str, Sequence[Pair]]) -> Grid:
    """List the positive pairs with each verb, beside the numbers of the paper."""
    header = [cell for name in corpora for cell in (name, f"{name}, reported")]
    indices = {name: PairIndex(pairs) for name, pairs in corpora.items()}
    rows = []
    for number, verb in enumerate(PAPER_SOURCES):
        counts = [(len(index.select_pairs(verb)), REPORTED[name][number]) for name, index in indices.items()]
        rows.append((verb, *(count for pair in counts for count in pair)))
    return Grid(("verb", *header), tuple(rows))


def _list_diversity(evaluations: Mapping[str, RecognitionEvaluation]) -> Grid:
    """List the correlations of all metrics and of all measures of diversity at the largest k."""
    scores = evaluations[SHARES[0]].scores
    cut = max(scores.cuts)
    rows = []
    for share, evaluation in evaluations.items():
        for corpus in evaluation.corpora:
            values = (evaluation.correlations[corpus, metric, cut] for metric in scores.metrics)
            rows.append((corpus, share, *map(format_correlation, values)))
    return Grid(("corpus", "r with the share", *(f"{metric}@{cut}" for metric in scores.metrics)), tuple(rows))


def _list_methods(scores: DimpleScores, shares: Mapping[str, Sequence[float]]) -> Grid:
    cut = max(scores.cuts)
    rows = []
    for means in scores.methods:
        values = [*(means.values[metric, cut] for metric in METRICS), *shares[means.method]]
        rows.append((means.method, means.sources, *(f"{value:.3f}" for value in values)))
    name = scores.judgment.name
    return Grid(("method", "sources", *(f"{metric}@{cut}, {name}" for metric in METRICS), *SHARES), tuple(rows))


def _list_correlations(
    scores: DimpleScores, by_quality: Mapping[str, Mapping[str, Sequence[RecognitionCorrelation]]]
) -> Grid:
    header = ("quality", "r with the share", *(f"{metric}@{k}" for metric in METRICS for k in scores.cuts))
    rows = (
        (quality, share, *map(format_correlation, row))
        for quality, correlations in by_quality.items()
        for share, row in correlations.items()
    )
    return Grid(header, tuple(rows))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure which metric predicts the use of paraphrases best.")
    parser.add_argument("source")
    parser.add_argument("pairs")
    parser.add_argument("rte", type=Path)
    parser.add_argument("model")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="picture to write: .png, .svg or .pdf")
    parser.add_argument("--votes", type=Path, metavar="PIT", help="only fit models to the votes of PIT-2015")
    options = parser.parse_args()
    if options.votes:
        print(render_votes(options.votes, options.model))
        return
    print(render(options.source, options.pairs, options.rte, options.model, options.plot))


if __name__ == "__main__":
    main()
