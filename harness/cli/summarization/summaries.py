"""The commands that score summaries without annotators, and say what that takes: rouge, soft-pyramid, coverage."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.cli.arguments import (
    SOURCE_HELP,
    add_command,
    add_workers_option,
    path,
    refuse_among_summaries,
    refuse_overwriting,
    say,
    show,
)
from harness.cli.summarization.options import (
    SUMMARIES_HELP,
    add_max_files_option,
    add_summary_options,
    add_table_option,
    open_tables,
    read_comparisons,
)
from harness.text.stem_names import PORTER, STEMS
from pyramid_paraphrase.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path

    from harness.models.protocols import Model
    from harness.summarization.soft_pyramid.scus import Peer
    from harness.summarization.summaries.references import Comparison
    from harness.summarization.summaries.score_files import SummaryScore
    from harness.text.stemming import Divide

_MOST_ORDERS = 10


def add_summary_commands(commands: Any) -> None:  # noqa: ANN401
    """Add rouge, soft-pyramid and coverage."""
    _add_rouge(commands)
    _add_soft_pyramid(commands)
    _add_coverage(commands)


def _add_rouge(commands: Any) -> None:  # noqa: ANN401
    text = "score summaries by the words and n-grams of references that they have"
    rouge = add_command(commands, "rouge", _rouge, text)
    add_summary_options(rouge)
    rouge.add_argument(
        "--n", type=_parse_orders, default=(1, 2), metavar="NUMBERS", help="lengths of n-grams; default: 1,2"
    )
    rouge.add_argument(
        "--stem",
        choices=STEMS,
        default=PORTER,
        help="what is taken for the same word; rouge: as ROUGE-1.5.5 does with -m, and irregular forms of WordNet; "
        "default: %(default)s",
    )
    rouge.add_argument(
        "--wordnet", type=path, metavar="DIR", help="for --stem rouge, folder of WordNet; default: /usr/share/wordnet"
    )
    rouge.add_argument("--no-stop-words", action="store_true", help="leave function words out first")
    add_workers_option(rouge)


def _add_soft_pyramid(commands: Any) -> None:  # noqa: ANN401
    text = "score summaries by how near a model sees them come to the SCUs of pyramids"
    soft = add_command(commands, "soft-pyramid", _soft_pyramid, text)
    soft.add_argument(
        "--model",
        action="append",
        required=True,
        metavar="SPEC",
        help="encoder, see `pyramid-paraphrase models`; repeatable",
    )
    soft.add_argument("--pyramids", action="append", required=True, metavar="SOURCE", help=f"{SOURCE_HELP}; repeatable")
    soft.add_argument("--peers", required=True, metavar="LOCATION", help=f"summaries to score: {SUMMARIES_HELP}")
    soft.add_argument("--output", type=path, metavar="FILE", help="write a score per topic and system (.tsv)")
    add_max_files_option(soft)
    soft.add_argument("--no-cache", action="store_true", help="use no embeddings on disk and keep none")


def _add_coverage(commands: Any) -> None:  # noqa: ANN401
    text = "count the words that SCUs lack when they are said otherwise, and what finds them"
    coverage = add_command(commands, "coverage", _coverage, text)
    coverage.add_argument(
        "--pyramids", action="append", required=True, metavar="SOURCE", help=f"{SOURCE_HELP}; repeatable"
    )
    add_table_option(coverage)
    coverage.add_argument(
        "--other-topics", action="store_true", help="look for paraphrases among the SCUs of the other topics, too"
    )


def _parse_orders(text: str) -> tuple[int, ...]:
    parts = dict.fromkeys(part.strip() for part in text.split(","))
    if not parts.keys() <= set(map(str, range(1, _MOST_ORDERS + 1))):
        raise argparse.ArgumentTypeError(f"give numbers from 1 to {_MOST_ORDERS}, joined by commas")
    return tuple(map(int, parts))


def _rouge(options: argparse.Namespace) -> None:
    from harness.summarization.summaries.rouge import name_metric
    from harness.text.stemming import choose_division

    refuse_among_summaries({"--output": options.output}, options.peers, options.references)
    division = choose_division(options.stem, stop_words=not options.no_stop_words, wordnet=options.wordnet)
    comparisons = read_comparisons(options)
    scores = _score_rouge(comparisons, options, division.divide)
    signature = f"rouge|{division.signature}|jackknife:{'yes' if options.jackknife else 'no'}"
    _finish(scores, [name_metric(order) for order in options.n], options.output, signature)


def _score_rouge(comparisons: Sequence[Comparison], options: argparse.Namespace, divide: Divide) -> list[SummaryScore]:
    from harness.summarization.summaries.rouge import score_rouge
    from harness.support.progress import track

    scores = score_rouge(comparisons, options.n, divide, jackknife=options.jackknife, workers=options.workers)
    return list(track(scores, "summaries", len(comparisons)))


def _finish(scores: Sequence[SummaryScore], metrics: Sequence[str], output: Path | None, signature: str) -> None:
    """Write scores, and show the means of systems, the best by the last metric first."""
    from harness.files.writing import write_file
    from harness.summarization.summaries.rendering import render_means
    from harness.summarization.summaries.score_files import average_by_system, render_scores
    from pyramid_paraphrase import __version__

    if output:
        write_file(output, render_scores(scores, metrics).encode())
    say(f"{render_means(average_by_system(scores, metrics[-1]))}\n\n{show(signature)}|version:{__version__}")


def _soft_pyramid(options: argparse.Namespace) -> None:
    from harness.models.kinds import load_model, parse_spec
    from harness.summarization.soft_pyramid.scoring import require_encoder
    from harness.summarization.soft_pyramid.scus import pair_with_pyramids
    from harness.summarization.summaries.reading import read_summaries
    from harness.summarization.summaries.score_files import SummaryScore
    from pyramid_paraphrase.corpus import read_corpus

    refuse_overwriting(options.output, *options.pyramids)
    refuse_among_summaries({"--output": options.output}, options.peers)
    titles = [parse_spec(spec).title for spec in options.model]
    if twice := next((title for title in titles if titles.count(title) > 1), None):
        raise OptionError(f"two models would be called {twice}; add ,name=... to tell them apart")
    corpus = read_corpus(*options.pyramids)
    paired = pair_with_pyramids(read_summaries(options.peers, max_files=options.max_files), corpus.pyramids)
    for note in paired.notes:
        say(f"note: {show(note)}", sys.stderr)
    models = [load_model(spec) for spec in options.model]
    for model in models:
        require_encoder(model)  # rather than after another has encoded everything
    columns = {model.name: _score_softly(model, paired.peers, options) for model in models}
    scores = [
        SummaryScore(peer.summary.topic, peer.summary.author, {name: column[index] for name, column in columns.items()})
        for index, peer in enumerate(paired.peers)
    ]
    named = (f"model:{model.kind}:{(model.fingerprint or '')[:12]}" for model in models)
    _finish(scores, titles, options.output, "|".join(["soft-pyramid", f"pyramids:{corpus.digest[:12]}", *named]))


def _score_softly(model: Model, peers: Sequence[Peer], options: argparse.Namespace) -> list[float]:
    from harness.evaluation.store import EmbeddingStore
    from harness.summarization.soft_pyramid.scoring import score_soft_pyramids
    from harness.support.progress import Progress

    store = None if options.no_cache else EmbeddingStore()
    return score_soft_pyramids(model, peers, store=store, bar=Progress(visible=True))


def _coverage(options: argparse.Namespace) -> None:
    from harness.summarization.paraeval.coverage import make_matchers, measure_coverage, render_coverage
    from harness.summarization.paraeval.tables import TopicTables
    from pyramid_paraphrase.corpus import read_corpus

    pyramids = read_corpus(*options.pyramids).pyramids
    tables = TopicTables(
        open_tables(options.tables), pyramids if options.other_topics else (), stem=False, min_probability=0.0
    )
    say(render_coverage(measure_coverage(pyramids, lambda topic: make_matchers(tables(topic)))))
