"""Score summaries by their similarity to the SCUs of pyramids, which a model computes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain

from harness.cli.options import NO_CACHE, PYRAMIDS, RECIPIENTS, model_spec
from harness.cli.outputs import note_words, print_notes, refuse_overwriting, report
from harness.cli.parser import command
from harness.cli.summarization import summaries
from harness.models.files.store import ModelStore
from harness.models.interfaces.model import Model
from harness.models.loading import load_model
from harness.models.specs import parse_spec, require_different_names
from harness.summarization.reading import read_summaries
from harness.summarization.soft_pyramid import pair_with_pyramids, require_scorer, score_soft_pyramids
from harness.summarization.summaries import Summary
from harness.summarization.summary_scores import SummaryScore
from harness.support.errors import ModelError
from harness.support.progress import Progress
from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.reading import read_corpus


@command(
    model_spec("--model", "model that encodes or compares texts", " (repeatable)", action="append", required=True),
    PYRAMIDS,
    *summaries.PEERS,
    NO_CACHE,
    RECIPIENTS,
)
def run_soft_pyramid(options: argparse.Namespace) -> None:
    """Score summaries by their similarity to SCUs. The errors of single models are printed."""
    refuse_overwriting(options.output, *options.pyramids)
    summaries.refuse_among_summaries({"--output": options.output}, options.peers)
    require_different_names([parse_spec(spec).title for spec in options.model])
    corpus = read_corpus(*options.pyramids)
    peers, notes = read_summaries(options.peers, options.max_files, pattern=options.pattern, columns=options.columns)
    scus_of, pyramid_notes = pair_with_pyramids(peers, corpus.all_pyramids)
    print_notes([*notes, *pyramid_notes])
    loaded: list[Model] = []
    for spec in options.model:  # all models are loaded first, so that most errors appear before the computation
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
    if models:
        scores = []
        for summary, *values in zip(scus_of, *columns.values(), strict=True):
            by_model = dict(zip(columns, values, strict=True))
            scores.append(SummaryScore(summary.topic, summary.author, by_model))
        named_models = (f"model:{model.kind}:{(model.fingerprint or '')[:12]}" for model in models)
        signature = "|".join(["soft-pyramid", f"pyramids:{corpus.digest[:12]}", *named_models])
        names = list(columns)
        summaries.write_and_show_means(scores, names, options, best_by=names[0], signature=signature)
    if failed := len(options.model) - len(models):
        raise ModelError(
            f"{failed} of {len(options.model)} models could not score the summaries. The reasons are above"
        )


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
        note_words(texts, model.divide, f"texts of {model.name}")
    store = None if options.no_cache else ModelStore()
    return score_soft_pyramids(model, scus_of, store=store, bar=Progress(visible=True))
