"""The command soft-pyramid."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from harness.cli.arguments import SOURCE_HELP, path, refuse_among_summaries, refuse_overwriting, say, set_run, show
from harness.cli.summarization.options import SUMMARIES_HELP, add_max_files_option, write_and_show_means
from harness.evaluation.store import EmbeddingStore
from harness.models.interfaces.protocols import Model
from harness.models.loading import load_model
from harness.models.specs import parse_spec
from harness.summarization.soft_pyramid.scoring import require_scorer, score_soft_pyramids
from harness.summarization.soft_pyramid.scus import Peer, pair_with_pyramids
from harness.summarization.summaries.reading import read_summaries
from harness.summarization.summaries.score_files import SummaryScore
from harness.support.progress import Progress
from pyramid_paraphrase.corpus import read_corpus
from pyramid_paraphrase.errors import OptionError


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    set_run(parser, _soft_pyramid)
    parser.add_argument(
        "--model",
        action="append",
        required=True,
        metavar="SPEC",
        help="model that encodes or compares texts, see `pyramid-paraphrase models`; repeatable",
    )
    parser.add_argument(
        "--pyramids", action="append", required=True, metavar="SOURCE", help=f"{SOURCE_HELP}; repeatable"
    )
    parser.add_argument("--peers", required=True, metavar="LOCATION", help=f"summaries to score: {SUMMARIES_HELP}")
    parser.add_argument("--output", type=path, metavar="FILE", help="write a score per topic and system (.tsv)")
    add_max_files_option(parser)
    parser.add_argument("--no-cache", action="store_true", help="use no embeddings on disk and keep none")


def _soft_pyramid(options: argparse.Namespace) -> None:
    refuse_overwriting(options.output, *options.pyramids)
    refuse_among_summaries({"--output": options.output}, options.peers)
    titles = [parse_spec(spec).title for spec in options.model]
    if twice := next((title for title in titles if titles.count(title) > 1), None):
        raise OptionError(f"two models would be called {twice}; add ,name=... to tell them apart")
    corpus = read_corpus(*options.pyramids)
    paired = pair_with_pyramids(read_summaries(options.peers, options.max_files), corpus.all_pyramids)
    for note in paired.notes:
        say(f"note: {show(note)}", sys.stderr)
    models = [load_model(spec) for spec in options.model]
    for model in models:
        require_scorer(model)  # before the first model encodes all texts
    columns = {model.name: _score_softly(model, paired.peers, options) for model in models}
    scores = []
    for peer, *values in zip(paired.peers, *columns.values(), strict=True):
        by_model = dict(zip(columns, values, strict=True))
        scores.append(SummaryScore(peer.summary.topic, peer.summary.author, by_model))
    named_models = (f"model:{model.kind}:{(model.fingerprint or '')[:12]}" for model in models)
    signature = "|".join(["soft-pyramid", f"pyramids:{corpus.digest[:12]}", *named_models])
    write_and_show_means(scores, titles, options.output, signature)


def _score_softly(model: Model, peers: Sequence[Peer], options: argparse.Namespace) -> list[float]:
    store = None if options.no_cache else EmbeddingStore()
    return score_soft_pyramids(model, peers, store=store, bar=Progress(visible=True))
