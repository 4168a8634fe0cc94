"""Evaluation of one or several models, from Python."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, ValuesView
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, overload

from harness.api.collection import Results
from harness.evaluation.results import Result
from harness.evaluation.runner import DEFAULT_RESAMPLES, Settings, list_test_names
from harness.evaluation.session import PlannedModel, Session, check_names, plan_shortcuts, plan_spec
from harness.evaluation.transfers import read_transfer_sets
from harness.metrics.named_metrics import locate_metrics
from harness.models.files.store import ModelStore
from harness.models.hosted.access import parse_host
from harness.models.interfaces.kinds import CONFIGURED
from harness.models.interfaces.model import LEARNING, Ability, Model
from harness.models.loading import describe_object, name_object, with_similarity, with_training
from harness.models.specs import check_defaults, parse_spec
from harness.reports.model_tables import make_tables
from harness.reports.table_notes import note_models
from harness.stats.similarities import SIMILARITIES
from harness.support.errors import ModelError
from harness.support.names import NAME_RULE, parse_name
from harness.support.progress import is_notebook
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.pyramids.sources import Source, list_sources
from pyramid_paraphrase.rules.options import TRAIN
from pyramid_paraphrase.rules.ranges import BATCH_SIZE

_logger = make_logger(__name__)

_REMEDY_OF_SIMILARITY = "Omit it, or add ,similarity=... to the specs of encoders"

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
    backend: str | None = None,
    similarity: str | None = None,
    train_on: str | None = None,
    cache: bool | str | os.PathLike[str] = True,
    resume: bool = True,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    quiet: bool | None = None,
    send_text_to: str | Sequence[str] = (),
    metrics: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    transfer_to: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
) -> Result | Results:
    """Evaluate one or several models.

    Args:
        model: A spec as on the command line, a `SentenceTransformer`, a `CrossEncoder`, or any object with
            ``encode(list of n texts) -> (n, dimension)`` or ``score(list of n pairs) -> (n,)``. If an object has both
            methods, ``encode`` is used. For "presence", ``score_summaries(n SCUs, n lists of sentences) -> (n,)`` is
            preferred to ``score``. If the object has ``train(pairs, labels)`` or ``learn(texts)``, this method is
            called first. The object that it returns then encodes or scores. If it returns None, the original object
            does.
            A list, tuple or iterator of models, or a mapping of names to models, evaluates all of them, which must have
            different names. The shortcuts that it does not name without options are evaluated, too.
        data: Annotation files, "sample", or a built folder, on disk or on the Hub ("ORG/NAME"). If None, the last
            build.
        tasks: Names of configurations. If None, all tests that the data has, except "presence".
        name: Name of a single model in tables and paths, of 1 to 100 printable characters. If None, the model's own
            name.
        device: Name of a device, such as "cuda". If None, the library chooses it.
        batch_size: Number of texts per batch. If None, it is chosen by the length of the texts.
        dtype: "float32" (default), "float16", "bfloat16" or "int8", if the backend supports it.
        backend: Library that runs encoders on a CPU: "torch" (default), "openvino", "onnx" or "auto".
        similarity: Similarity of the vectors of encoders: "cosine" (default, as in the paper), "dot", "euclidean" or
            "manhattan" (distances, negative), or "model" for the one that the model's configuration names.
        train_on: Splits with the labelled pairs that models learn from: "train" (default), "validation", or
            "train+validation". Texts of `learn(texts)` do not depend on it.
        cache: Whether to store embeddings, scores and built tests on disk, or the folder to store them in. Embeddings
            of an object are never stored, because an object has no known identity.
        resume: Whether to use stored tests, embeddings, scores and results. If False, they are computed again.
        resamples: Number of resamples of the bootstrap over topics.
        seed: Random seed of the bootstrap.
        output: Folder to write results to. If None, nothing is written. If it has the result of an earlier evaluation
            of the same model, with the same options on the same data, this result is read and returned, as by the
            command. An object in memory has no known identity and is always evaluated.
        force: Whether to evaluate again even if `output` has the result.
        quiet: Whether to hide progress. If None, a notebook shows progress and a script does not.
        send_text_to: A host, or several, that may receive the texts, such as "api.openai.com". By default, no text
            leaves this machine.
        metrics: A metric of the library `evaluate`, or several, in addition to the metrics of each test: the folder of
            a module, whose code runs, or a name on the Hub with ",trust_remote_code=true". Models are never ranked by
            them. The values are in `Result.tests[name].other_metrics`.
        transfer_to: A file, folder or archive of labelled or graded pairs, or several, to which the thresholds of tests
            of pairs are applied. The shares of yes and the correlations are in `Result.tests[name].other_metrics`.

    Returns:
        A `Result` for a single model. `Results` for a list, a tuple or a mapping.

    Raises:
        PyramidParaphraseError: If a model or the data cannot be used. Nothing is written for that model.
    """
    hosts = [send_text_to] if isinstance(send_text_to, str) else send_text_to
    store = None
    if cache:
        store = ModelStore(None if isinstance(cache, bool) else Path(cache))
    settings = Settings(
        resamples,
        seed,
        store,
        resume,
        quiet=not is_notebook() if quiet is None else quiet,
        send_text_to=tuple(map(parse_host, hosts)),
        metrics=locate_metrics([metrics] if isinstance(metrics, str | os.PathLike) else metrics),
        transfers=read_transfer_sets([transfer_to] if isinstance(transfer_to, str | os.PathLike) else transfer_to),
    )
    if similarity is not None and similarity not in (*SIMILARITIES, CONFIGURED):
        raise unknown_name("similarity", similarity, (*SIMILARITIES, CONFIGURED))
    defaults = {
        "device": device,
        "batch_size": batch_size,
        "dtype": dtype,
        "backend": backend,
        "similarity": similarity,
        "train_on": train_on,
    }
    named_models, has_several = _list_named(model, name)
    if has_several and name is not None:
        raise OptionError("name applies to a single model only. Pass a mapping of names to models instead")
    models = [_plan(single, title, defaults, settings.send_text_to) for title, single in named_models]
    test_names = list_test_names(data, tasks)
    if has_several:
        check_names(models, "Pass a mapping of names to models")
        models += plan_shortcuts(models, test_names)
    sources = None if data is None else list_sources(data)
    folder = None if output is None else Path(output)
    results = _run(Session(sources, test_names, settings, folder, force=force), models)
    if has_several:
        return Results(results)
    (table,) = make_tables(results)
    return replace(results[0], notes=tuple(note_models(table.ours)))


def _run(session: Session, models: Sequence[PlannedModel]) -> list[Result]:
    """Read the results of earlier evaluations, and compute the others."""
    results = session.find_earlier(models)
    if results:
        _logger.info("evaluated before: %s. To evaluate again, pass force=True", ", ".join(results))
    for planned in models:
        if planned.name not in results:
            results[planned.name] = session.evaluate(planned)
    if session.kept_tests:
        _logger.info("built before: %s. To build again, pass resume=False", ", ".join(session.kept_tests))
    return [results[planned.name] for planned in models]


def _list_named(model: Any, name: str | None) -> tuple[list[tuple[str | None, Any]], bool]:  # noqa: ANN401
    """List the models that the user names.

    Returns:
        The models, each with the name that the user gives it, or None, and whether the user named several at once.
    """
    if isinstance(model, Iterator | ValuesView):
        model = list(model)
        if not model:
            raise OptionError("the iterator yields no model, perhaps because it was used before. Pass a list of models")
    if not isinstance(model, Mapping | list | tuple):
        return [(name, model)], False
    if not model:
        raise OptionError(f"{model!r} contains no model. Pass a spec, an object, or several of them")
    if isinstance(model, Mapping):
        return list(model.items()), True
    return [(None, single) for single in model], True


def _plan(
    model: Any,  # noqa: ANN401
    name: str | None,
    defaults: Mapping[str, Any],
    recipients: Sequence[str],
) -> PlannedModel:
    """Check the name and the options of a model, before anything is computed."""
    if name is not None:
        name = _check_name(name)
    if defaults["batch_size"] is not None:
        BATCH_SIZE.check("batch_size", defaults["batch_size"])
    if isinstance(model, str):
        check_defaults(defaults)
        spec = parse_spec(model, defaults)
        if defaults["similarity"] and spec.kind.similarity is None:
            raise ModelError(f"{spec.title}: similarity applies to encoders only. {_REMEDY_OF_SIMILARITY}")
        return plan_spec(model, defaults, recipients, name)
    if defaults["device"] or defaults["dtype"] or defaults["backend"]:
        reason = "backend, device and dtype apply only to models loaded by a spec"
        raise ModelError(f"{reason}. Move or convert the object instead")
    check_defaults(defaults)
    return PlannedModel(name or name_object(model), partial(_describe_object, model, defaults), None)


def _describe_object(model: Any, defaults: Mapping[str, Any]) -> Model:  # noqa: ANN401
    described = describe_object(model, batch_size=defaults["batch_size"])
    if defaults["similarity"] and described.abilities.isdisjoint({Ability.ENCODE, *LEARNING}):
        raise ModelError(f"{described.name}: similarity applies to encoders only. {_REMEDY_OF_SIMILARITY}")
    if defaults["train_on"] not in (None, TRAIN):
        described = with_training(described, defaults["train_on"])
    return with_similarity(described, defaults["similarity"] or described.similarity, "Pass similarity=")


def _check_name(name: Any) -> str:  # noqa: ANN401
    try:
        return parse_name(name)
    except (ValueError, TypeError, AttributeError):
        raise OptionError(f"a model has the name {name!r}. Use {NAME_RULE}") from None
