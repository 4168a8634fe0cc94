"""Evaluation of one model or of several, from Python."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

from harness.api.collection import Results
from harness.evaluation.results import Result
from harness.evaluation.runner import DEFAULT_RESAMPLES, Settings, evaluate_model, load_suite
from harness.evaluation.store import EmbeddingStore
from harness.models.hosted.addresses import parse_host
from harness.models.interfaces.protocols import Model
from harness.models.loading import load_model
from harness.models.objects import describe_object
from harness.models.registry import list_shortcuts
from harness.support.errors import ModelError
from harness.support.progress import is_notebook
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.ranges import BATCH_SIZE
from pyramid_paraphrase.sources import Source

_Models = Mapping[str, Any] | list[Any] | tuple[Any, ...]


@overload
def evaluate(
    model: _Models,
    data: Source | Sequence[Source] | None = ...,
    tasks: str | Sequence[str] | None = ...,
    **options: Any,  # noqa: ANN401
) -> Results: ...


@overload
def evaluate(
    model: Any,  # noqa: ANN401
    data: Source | Sequence[Source] | None = ...,
    tasks: str | Sequence[str] | None = ...,
    **options: Any,  # noqa: ANN401
) -> Result: ...


def evaluate(  # type: ignore[misc]  # the overloads do not repeat the options
    model: Any,
    data: Source | Sequence[Source] | None = None,
    tasks: str | Sequence[str] | None = None,
    *,
    name: str | None = None,
    device: str | None = None,
    batch_size: int | None = None,
    dtype: str | None = None,
    cache: bool | str | os.PathLike[str] = True,
    resume: bool = True,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
    output: str | os.PathLike[str] | None = None,
    quiet: bool | None = None,
    send_text_to: str | Sequence[str] = (),
) -> Result | Results:
    """Evaluate a model, or several models.

    Args:
        model: A spec as on the command line, a `SentenceTransformer`, a `CrossEncoder`, or any object with
            ``encode(list of n texts) -> (n, dimension)`` or ``score(list of n pairs) -> (n,)``; of one with both,
            ``encode`` is used. For "presence", ``score_summaries(n SCUs, n lists of sentences) -> (n,)`` comes before
            ``score``. An object with ``train(pairs, labels)`` or ``learn(texts)`` learns first. The object
            that this method returns then encodes or scores; if it returns None, the object itself does.
            A list or tuple of models evaluates all of them, and the shortcuts that it does not name. So does a mapping
            of names to models.
        data: Annotation files, "sample", or a built folder, here or on the Hub ("ORG/NAME"); the last build if None.
        tasks: Names of configurations; if None, all tests that the data has, without "presence".
        name: Name of a single model in tables and paths; by default its own.
        device: Such as "cuda"; chosen by the library if None.
        batch_size: Texts per batch; chosen by their length if None.
        dtype: "float32", "float16" or "bfloat16".
        cache: Whether to keep embeddings on disk, or the folder to keep them in. Embeddings of an object are never
            kept, because it has no identity.
        resume: Whether to use stored embeddings; otherwise they are computed again.
        resamples: Number of resamples of the bootstrap over topics.
        seed: Random seed of the bootstrap.
        output: Folder to write results to; None to return them only.
        quiet: Whether to show no progress; by default, a notebook shows it and a script does not.
        send_text_to: The host that may get the texts, such as "api.openai.com", or several; by default, no text leaves
            this machine.

    Returns:
        The result of a single model; `Results` of several.

    Raises:
        PyramidParaphraseError: If a model or the data cannot be used. Nothing is written for that model.
    """
    store = None
    if cache:
        folder = None if isinstance(cache, bool) else Path(cache)
        store = EmbeddingStore(folder)
    if quiet is None:
        quiet = not is_notebook()
    hosts = [send_text_to] if isinstance(send_text_to, str) else send_text_to
    recipients = tuple(map(parse_host, hosts))
    settings = Settings(resamples, seed, store, resume, quiet, recipients)
    defaults = {"device": device, "batch_size": batch_size, "dtype": dtype}
    has_several = isinstance(model, Mapping | list | tuple)
    if has_several and name:
        raise OptionError("name is for a single model; give a mapping of names to models instead")
    suite = load_suite(data, tasks)
    models = [(name, model)]
    if has_several:
        models = _list_models(model, [test.configuration.name for test in suite.tests])
    results = []
    for title, single in models:
        result = evaluate_model(_load(single, title, defaults, recipients), suite, settings)
        if output is not None:
            result = replace(result, path=str(result.write(output)))
        results.append(result)
    return Results(results) if has_several else results[0]


def _list_models(models: _Models, test_names: Sequence[str]) -> list[tuple[str | None, Any]]:
    """List models with their names, None for their own, and the shortcuts that are not among them."""
    listed = list(models.items()) if isinstance(models, Mapping) else [(None, model) for model in models]
    named = [model for _, model in listed if isinstance(model, str)]
    return [*listed, *((None, shortcut) for shortcut in list_shortcuts(test_names) if shortcut not in named)]


def _load(
    model: Any,  # noqa: ANN401
    name: str | None,
    defaults: Mapping[str, Any],
    recipients: Sequence[str],
) -> Model:
    """Load a model by its spec, or describe an object."""
    if defaults["batch_size"] is not None:
        BATCH_SIZE.check("batch_size", defaults["batch_size"])
    if isinstance(model, str):
        loaded = load_model(model, defaults, send_text_to=recipients)
    elif defaults["device"] or defaults["dtype"]:
        raise ModelError("device and dtype are for models that are loaded here; move or convert the object instead")
    else:
        loaded = describe_object(model, batch_size=defaults["batch_size"])
    return loaded.renamed(name) if name else loaded
