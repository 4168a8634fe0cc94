"""How well EP, EPR and DIMPLE predict what paraphrases let one recognize, on lists derived from corpora at hand.

usage: dimple.py SOURCE PAIRS MODEL [--plot FILE]

SOURCE: pyramids; PAIRS: the Microsoft Research Paraphrase Corpus; MODEL: folder of a sentence-transformers model.
The ten verbs of the paper times four methods are 40 lists; nobody judged them, the model did.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.dimple.derivation import PAPER_SOURCES, derive_lists
from harness.dimple.figures import draw_correlations
from harness.dimple.gains import METRICS
from harness.dimple.meta_evaluation import Correlation, correlate_all, recognize_sets
from harness.dimple.positive_pairs import read_positive_pairs
from harness.dimple.quality import AUTOMATIC, AutomaticQuality
from harness.dimple.recognition import SHARES
from harness.dimple.scores import Judgment, Scores, score_lists
from harness.files import write_file
from harness.models.kinds import load_model
from pyramid_paraphrase.corpus import read_corpus
from pyramid_paraphrase.pair_corpora import read_pair_corpus

LEAST = 5


def render(source: str, pairs: str, model: str, plot: Path | None = None) -> str:
    """Derive lists, measure, correlate, and render Markdown tables; figures only, no text of a corpus."""
    splits = read_pair_corpus(pairs).splits
    texts = [text for rows in splits.values() for row in rows for text in (row.sentence1, row.sentence2)]
    encoder = load_model(f"{model},name=MiniLM")
    models = [encoder, load_model("char-ngrams")]
    lists = derive_lists(PAPER_SOURCES, read_corpus(source).pyramids, texts, models, LEAST)
    scores = score_lists(lists, Judgment(AUTOMATIC, AutomaticQuality(encoder), encoder.name))
    extrinsic = [recognize_sets(scores, lists, read_positive_pairs("MSRPC", [pairs]))]
    correlations = {share: correlate_all(scores, extrinsic, share) for share in SHARES}
    if plot is not None:
        write_file(plot, draw_correlations(scores, extrinsic, correlations[SHARES[0]], SHARES[0], plot.suffix[1:]))
    means = {}
    for method in scores.methods:
        found = [one for one, row in zip(extrinsic[0].sets, scores.sets, strict=True) if row.method == method.method]
        means[method.method] = [sum(one.share(share) or 0 for one in found) / len(found) for share in SHARES]
    return "\n".join([*_render_methods(scores, means), "", *_render_correlations(scores, correlations)])


def _render_methods(scores: Scores, shares: dict[str, list[float]]) -> list[str]:
    cut = max(scores.cuts)
    titles = ["method", "sources", *(f"{metric}@{cut}, {AUTOMATIC}" for metric in METRICS), *SHARES]
    lines = [_pipe(titles), _pipe(["---", *["---:"] * (len(titles) - 1)])]
    for one in scores.methods:
        values = [*(one.values[metric, cut] for metric in METRICS), *shares[one.method]]
        lines.append(_pipe([one.method, str(one.sources), *(f"{value:.3f}" for value in values)]))
    return lines


def _render_correlations(scores: Scores, correlations: dict[str, list[Correlation]]) -> list[str]:
    titles = ["r with the share", *(f"{metric}@{k}" for metric in METRICS for k in scores.cuts)]
    lines = [_pipe(titles), _pipe(["---", *["---:"] * (len(titles) - 1)])]
    for share, rows in correlations.items():
        lines.append(_pipe([share, *(_format(one) for one in rows)]))
    return lines


def _format(one: Correlation) -> str:
    return "-" if one.value is None else f"{one.value:.2f}{'*' if one.is_significant else ''}"


def _pipe(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Which metric of paraphrases predicts what they are good for.")
    parser.add_argument("source")
    parser.add_argument("pairs")
    parser.add_argument("model")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="picture to write, .png or .svg")
    options = parser.parse_args()
    print(render(options.source, options.pairs, options.model, options.plot))


if __name__ == "__main__":
    main()
