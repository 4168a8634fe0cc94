"""Evaluation of one or several models, from Python."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, ValuesView
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

from harness.api.collection import Results
from harness.evaluation.modules.named import locate_metrics
from harness.evaluation.results import Result
from harness.evaluation.runner import DEFAULT_RESAMPLES, Settings, evaluate_model, load_named_metrics, load_suite
from harness.evaluation.store import EmbeddingStore
from harness.models.hosted.addresses import parse_host
from harness.models.interfaces.options import CONFIGURED
from harness.models.interfaces.protocols import Encoder, Model, TextLearner, Trainable
from harness.models.loading import load_model, with_similarity
from harness.models.objects import describe_object
from harness.models.registry import list_shortcuts
from harness.stats.similarities import COSINE, SIMILARITIES
from harness.support.errors import ModelError
from harness.support.progress import is_notebook
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.ranges import BATCH_SIZE
from pyramid_paraphrase.sources import Source

_Models = Mapping[str, Any] | list[Any] | tuple[Any, ...] | Iterator[Any] | ValuesView[Any]


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
    similarity: str | None = None,
    cache: bool | str | os.PathLike[str] = True,
    resume: bool = True,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
    output: str | os.PathLike[str] | None = None,
    quiet: bool | None = None,
    send_text_to: str | Sequence[str] = (),
    metrics: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
) -> Result | Results:
    """Evaluate one or several models.

    Args:
        model: A spec as on the command line, a `SentenceTransformer`, a `CrossEncoder`, or any object with
            ``encode(list of n texts) -> (n, dimension)`` or ``score(list of n pairs) -> (n,)``. If an object has both
            methods, ``encode`` is used. For "presence", ``score_summaries(n SCUs, n lists of sentences) -> (n,)`` is
            preferred to ``score``. If the object has ``train(pairs, labels)`` or ``learn(texts)``, this method is
            called first. The object that it returns then encodes or scores. If it returns None, the original object
            does.
            A list, tuple or iterator of models, or a mapping of names to models, evaluates all of them. The shortcuts
            that it does not name are evaluated, too.
        data: Annotation files, "sample", or a built folder, on disk or on the Hub ("ORG/NAME"). If None, the last
            build.
        tasks: Names of configurations. If None, all tests that the data has, except "presence".
        name: Name of a single model in tables and paths. If None, the model's own name.
        device: Name of a device, such as "cuda". If None, the library chooses it.
        batch_size: Number of texts per batch. If None, it is chosen by the length of the texts.
        dtype: "float32" (default), "float16" or "bfloat16".
        similarity: Similarity of the vectors of encoders: "cosine" (default, as in the paper), "dot", "euclidean" or
            "manhattan" (distances, negative), or "model" for the one that the model's configuration names.
        cache: Whether to store embeddings on disk, or the folder to store them in. Embeddings of an object are never
            stored, because an object has no known identity.
        resume: Whether to use stored embeddings. If False, they are computed again.
        resamples: Number of resamples of the bootstrap over topics.
        seed: Random seed of the bootstrap.
        output: Folder to write results to. If None, nothing is written.
        quiet: Whether to hide progress. If None, a notebook shows progress and a script does not.
        send_text_to: A host, or several, that may receive the texts, such as "api.openai.com". By default, no text
            leaves this machine.
        metrics: A metric of the library `evaluate`, or several, in addition to the metrics of each test: the folder of
            a module, whose code runs, or a name on the Hub with ",trust_remote_code=true". Models are never ranked by
            them. The values are in `Result.tests[name].other_metrics`.

    Returns:
        A `Result` for a single model. `Results` for several models.

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
    named = locate_metrics([metrics] if isinstance(metrics, str | os.PathLike) else metrics)
    settings = Settings(resamples, seed, store, resume, quiet, recipients, named)
    if similarity is not None:
        _check_similarity(similarity)
    defaults = {"device": device, "batch_size": batch_size, "dtype": dtype, "similarity": similarity}
    model = _collect(model)
    has_several = isinstance(model, Mapping | list | tuple)
    if has_several and name:
        raise OptionError("name applies to a single model only. Pass a mapping of names to models instead")
    suite = load_suite(data, tasks)
    load_named_metrics(suite, settings)
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


def _check_similarity(similarity: str) -> None:
    if similarity not in (*SIMILARITIES, CONFIGURED):
        raise unknown_name("similarity", similarity, (*SIMILARITIES, CONFIGURED))


def _collect(model: Any) -> Any:  # noqa: ANN401
    """Return the models of a generator or another iterator as a list, and anything else as it is."""
    if not isinstance(model, Iterator | ValuesView):
        return model
    models = list(model)
    if not models:
        raise OptionError("the iterator yields no model, perhaps because it was used before. Pass a list of models")
    return models


def _list_models(models: _Models, test_names: Sequence[str]) -> list[tuple[str | None, Any]]:
    """List the models and the missing shortcuts, each with its name. None means the model's own name."""
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
        raise ModelError("device and dtype apply only to models loaded by a spec. Move or convert the object instead")
    else:
        loaded = describe_object(model, batch_size=defaults["batch_size"])
        if defaults["similarity"] and not isinstance(loaded.scorer, Encoder | TextLearner | Trainable):
            raise ModelError(f"{loaded.name}: similarity applies to encoders only. Omit it")
        loaded = with_similarity(loaded, defaults["similarity"] or COSINE, "Pass similarity=")
    return loaded.renamed(name) if name else loaded
