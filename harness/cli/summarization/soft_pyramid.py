"""Score summaries by their similarity to the SCUs of pyramids, which a model computes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain

from harness.cli.arguments import refuse_among_summaries, refuse_overwriting, report, say, set_run, show
from harness.cli.shared_options import (
    add_no_cache_option,
    add_pyramids_option,
    add_recipient_option,
    describe_spec,
    note_words,
)
from harness.cli.summarization.options import add_peer_options, write_and_show_means
from harness.evaluation.store import EmbeddingStore
from harness.models.interfaces.protocols import Model
from harness.models.loading import load_model
from harness.models.specs import parse_spec, require_different_names
from harness.summarization.reading import read_summaries
from harness.summarization.soft_pyramid import pair_with_pyramids, require_scorer, score_soft_pyramids
from harness.summarization.summaries import Summary
from harness.summarization.summary_scores import SummaryScore
from harness.support.errors import ModelError
from harness.support.progress import Progress
from harness.text.words import count_words
from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.reading import read_corpus


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add specs of models, pyramids and summaries."""
    set_run(parser, _soft_pyramid, _keeps_embeddings)
    parser.add_argument(
        "--model",
        action="append",
        required=True,
        metavar="SPEC",
        help=describe_spec("model that encodes or compares texts", " (repeatable)"),
    )
    add_pyramids_option(parser)
    add_peer_options(parser)
    add_no_cache_option(parser)
    add_recipient_option(parser)


def _keeps_embeddings(options: argparse.Namespace) -> bool:
    """Return whether a command that was stopped continues with the embeddings that it stored."""
    return not options.no_cache


def _soft_pyramid(options: argparse.Namespace) -> None:
    refuse_overwriting(options.output, *options.pyramids)
    refuse_among_summaries({"--output": options.output}, options.peers)
    titles = [parse_spec(spec).title for spec in options.model]
    require_different_names(titles)
    corpus = read_corpus(*options.pyramids)
    summaries = read_summaries(options.peers, options.max_files, pattern=options.pattern, columns=options.columns)
    scus_of, notes = pair_with_pyramids(summaries, corpus.all_pyramids)
    for note in notes:
        say(f"note: {show(note)}", sys.stderr)
    models, columns = _score_by_models(scus_of, options)
    if models:
        scores = []
        for summary, *values in zip(scus_of, *columns.values(), strict=True):
            by_model = dict(zip(columns, values, strict=True))
            scores.append(SummaryScore(summary.topic, summary.author, by_model))
        named_models = (f"model:{model.kind}:{(model.fingerprint or '')[:12]}" for model in models)
        signature = "|".join(["soft-pyramid", f"pyramids:{corpus.digest[:12]}", *named_models])
        names = list(columns)
        write_and_show_means(scores, names, options.output, best_by=names[0], signature=signature)
    if failed := len(titles) - len(models):
        raise ModelError(f"{failed} of {len(titles)} models could not score the summaries. The reasons are above")


def _score_by_models(
    scus_of: Mapping[Summary, Sequence[Sequence[str]]], options: argparse.Namespace
) -> tuple[list[Model], dict[str, list[float]]]:
    """Score all summaries with each model. Load all models first, so that most errors appear before the computation.

    Errors of single models are printed.

    Returns:
        The models that did not fail, and the scores by the name of the model, in the order of the summaries.

    Raises:
        PyramidParaphraseError: If the only model fails.
    """
    loaded: list[Model] = []
    for spec in options.model:
        with _reporting_failure(options):
            model = load_model(spec, send_text_to=options.send_text_to)
            require_scorer(model)
            loaded.append(model)
    models: list[Model] = []
    columns: dict[str, list[float]] = {}
    for model in loaded:
        with _reporting_failure(options):
            columns[model.name] = _score_softly(model, scus_of, options)
            models.append(model)
    return models, columns


@contextmanager
def _reporting_failure(options: argparse.Namespace) -> Iterator[None]:
    """Print the error of a model within the block, and continue if there are several models."""
    try:
        yield
    except PyramidParaphraseError as error:
        if len(options.model) == 1:
            raise
        report(error)


def _score_softly(
    model: Model, scus_of: Mapping[Summary, Sequence[Sequence[str]]], options: argparse.Namespace
) -> list[float]:
    if model.divide is not None:
        texts = list(chain.from_iterable(summary.sentences for summary in scus_of))
        texts += chain.from_iterable(chain.from_iterable(scus_of.values()))
        note_words(count_words(texts, model.divide), f"texts of {model.name}")
    store = None if options.no_cache else EmbeddingStore()
    return score_soft_pyramids(model, scus_of, store=store, bar=Progress(visible=True))
