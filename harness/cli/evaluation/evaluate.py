"""Evaluate models on tests, and write their results and a table."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.arguments import number_in, parse_test_names, positive, report, say, set_run, show
from harness.cli.data_errors import explaining_labelled_pairs, explaining_missing_build
from harness.cli.shared_options import (
    add_bootstrap_options,
    add_cache_option,
    add_data_option,
    add_no_cache_option,
    add_recipient_option,
    describe_spec,
)
from harness.files.writing import make_folder
from harness.rendering.tables import count_of
from harness.support.errors import ModelError
from harness.support.hardware import HOW_TO_NAME_DEVICES, parse_devices, require_devices
from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.hub import require_source
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES, PYRAMID_TESTS
from pyramid_paraphrase.rules.ranges import BATCH_SIZE

if TYPE_CHECKING:
    from harness.evaluation.modules.named import NamedMetric
    from harness.evaluation.results import Result
    from harness.evaluation.runner import Settings, Suite
    from harness.evaluation.session import PlannedModel, Session

_AUTO, _ALL = "auto", "all"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add specs of models, and the options that `sweep` has, too."""
    set_run(parser, _evaluate, _keeps_embeddings)
    parser.add_argument(
        "--model",
        action="append",
        required=True,
        metavar="SPEC",
        help=describe_spec("model to evaluate", " (repeatable)"),
    )
    parser.add_argument("--force", action="store_true", help="evaluate models again even if --output has their results")
    add_evaluation_options(parser, Path("results"))


def add_evaluation_options(parser: argparse.ArgumentParser, output: Path) -> None:
    """Add the options of commands that evaluate models: data, output, computation, embeddings and bootstrap.

    Args:
        parser: The parser of the command.
        output: The default of ``--output``.
    """
    add_data_option(parser)
    parser.add_argument(
        "--task",
        type=_parse_tasks,
        metavar="NAMES",
        help=f"tests, comma-separated: {', '.join(CONFIGURATION_NAMES)}. The default, 'all', selects "
        f"{', '.join(PYRAMID_TESTS)} as far as available, or the tests of labelled pairs",
    )
    parser.add_argument(
        "--output", type=Path, default=output, metavar="DIR", help="folder of the results (default: %(default)s)"
    )
    parser.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="PATH_OR_NAME",
        help="additional metric of the library evaluate (repeatable): a folder with its module, or a name on the Hub "
        "with ,trust_remote_code=true. The code of the module runs. Models are not ranked by this metric",
    )
    parser.add_argument("--quiet", action="store_true", help="hide progress bars")
    add_recipient_option(parser)
    _add_computing_options(parser)
    _add_cache_options(parser)
    add_bootstrap_options(parser)


def _add_computing_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("computation (options within SPEC take precedence)")
    group.add_argument(
        "--device",
        type=_parse_devices,
        default=_AUTO,
        help=f"device to compute on: {HOW_TO_NAME_DEVICES} (default: %(default)s)",
    )
    group.add_argument(
        "--batch-size",
        type=_parse_batch_size,
        default=_AUTO,
        metavar="N",
        help="texts per batch (default: %(default)s, which means a few thousand tokens)",
    )
    group.add_argument(
        "--dtype",
        choices=("float32", "float16", "bfloat16", "int8"),
        help="numerical precision. Lower precision is faster on hardware that supports it (default: float32)",
    )
    group.add_argument(
        "--backend",
        choices=("torch", "openvino", "onnx", "auto"),
        help="library that runs encoders on a CPU (default: torch). 'auto' selects the fastest installed library with "
        "the same vectors",
    )


def _add_cache_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("embeddings on disk")
    group.add_argument(
        "--resume",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="use stored embeddings, scores and results. --no-resume computes them again",
    )
    add_no_cache_option(group)
    group.add_argument(
        "--cache-limit",
        type=positive,
        default=4096,
        metavar="MIB",
        help="cache size in MiB. Above it, the least recently used models are removed (default: %(default)s)",
    )
    add_cache_option(group)


def _keeps_embeddings(options: argparse.Namespace) -> bool:
    """Return whether an evaluation that was stopped continues with the embeddings and results that it stored."""
    return bool(options.resume and not options.no_cache)


def _parse_tasks(text: str) -> list[str] | None:
    return None if text == _ALL else parse_test_names(text)


def _parse_devices(text: str) -> str | None:
    if text == _AUTO:
        return None
    try:
        return parse_devices(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"use {HOW_TO_NAME_DEVICES}") from None


def _parse_batch_size(text: str) -> Any:  # noqa: ANN401
    if text == _AUTO:
        return None
    return number_in(BATCH_SIZE)(text)


def _evaluate(options: argparse.Namespace) -> None:
    from harness.evaluation.modules.named import locate_metrics
    from harness.evaluation.session import Session, check_names, plan_shortcuts, plan_spec
    from harness.reports.model_tables import make_tables
    from harness.reports.text_reports import render_tables

    models = [plan_spec(spec, list_defaults(options), options.send_text_to) for spec in options.model]
    check_names(models)
    test_names = choose_tests(options)
    models += plan_shortcuts(models, test_names)
    settings = make_settings(options, locate_metrics(options.metric))
    session = Session(options.data, test_names, settings, options.output, force=options.force)
    with explaining_missing_data(options, test_names):
        earlier = session.find_earlier(models)
    missing = [planned for planned in models if planned.name not in earlier]
    computed, failures = _compute(session, missing, options, test_names) if missing else ({}, [])
    available = earlier | computed
    evaluated = [available[planned.name] for planned in models if planned.name in available]
    lines = [render_tables(make_tables(evaluated), "terminal")]
    lines += [show(result.path) for result in evaluated]
    lines += [_describe_usage(result) for result in computed.values() if result.record.usage]
    if earlier:
        lines.append(f"{count_of(len(earlier), 'model')} evaluated before. To evaluate again, add --force.")
    if unasked := _list_unasked(earlier, computed):
        reason = f"Servers that were not asked, because their answers are stored: {show(', '.join(unasked))}"
        lines.append(f"{reason}. If their models may have changed, add --no-resume.")
    omitted = [name for name in PYRAMID_TESTS if name not in test_names]
    if options.task is None and omitted and len(omitted) < len(PYRAMID_TESTS):
        lines.append(f"Tests that the data does not have: {show(', '.join(omitted))}")
    say("\n".join(lines))
    if failures:
        raise ModelError(f"{count_of(len(failures), 'model')} could not be evaluated. The reasons are above")


def _describe_usage(result: Result) -> str:
    """Return a line with the requests, tokens and cost of a model on a server, and the names that the server gave."""
    usage = result.record.usage
    if usage is None:
        raise AssertionError("the model is not on a server")
    parts = [count_of(usage.requests, "request")]
    if usage.tokens is not None:
        parts.append(count_of(usage.tokens, "token"))
    if usage.cost is not None:
        parts.append(f"cost {usage.cost:.9f}".rstrip("0").removesuffix("."))
    if usage.models:
        parts.append(f"answered by {show(', '.join(usage.models))}")
    return f"{show(result.model)}: {', '.join(parts)}"


def _list_unasked(earlier: Mapping[str, Result], computed: Mapping[str, Result]) -> list[str]:
    """List the models whose server got no request. Only its answers can show whether the server has another model."""
    models = [result.model for result in earlier.values() if result.record.usage]
    usages = {result.model: result.record.usage for result in computed.values()}
    return models + [name for name, usage in usages.items() if usage and not usage.requests]


def _compute(
    session: Session, models: Sequence[PlannedModel], options: argparse.Namespace, test_names: Sequence[str]
) -> tuple[dict[str, Result], list[PyramidParaphraseError]]:
    """Evaluate models and write their results.

    Returns:
        The results by name of the model, and the errors of models that failed.

    Raises:
        PyramidParaphraseError: If the data cannot be used, or the only model that the user named fails.
    """
    # All errors that do not require torch were reported before, because importing torch takes seconds.
    _require_devices(models)
    import datasets

    from harness.evaluation.modules.importing import import_evaluate_alone

    import_evaluate_alone()
    datasets.disable_progress_bars()
    with explaining_missing_data(options, test_names):
        session.load_tests()
    make_folder(options.output)  # before hours of computing, so that errors come early
    computed, failures = {}, []
    for planned in models:
        try:
            computed[planned.name] = session.evaluate(planned)
        except PyramidParaphraseError as error:
            if len(options.model) == 1:
                raise
            failures.append(error)
            report(error)
    return computed, failures


def list_defaults(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options that apply to all models, as arguments of `load_model`."""
    return {name: getattr(options, name) for name in ("device", "batch_size", "dtype", "backend")}


def choose_tests(options: argparse.Namespace) -> list[str]:
    """Check that all sources exist or can be repositories on the Hub, and choose the tests. Runs before slow imports.

    Raises:
        InputError: If a source does not exist, or the manifest of a built folder is damaged.
    """
    from pyramid_paraphrase.hub import choose_default_tests

    for source in options.data or ():
        require_source(source)
    return list(options.task or choose_default_tests(options.data))


def _require_devices(models: Sequence[PlannedModel]) -> None:
    """Check the devices of all models. Without `torch`, leave it to the loader to report the missing package."""
    for planned in models:
        if planned.spec and (devices := planned.spec.settings.get("device")) and find_spec("torch"):
            require_devices(devices)


def load_requested_suite(options: argparse.Namespace, test_names: Sequence[str]) -> Suite:
    """Load tests from the data that the options name.

    Raises:
        PyramidParaphraseError: If the data cannot be used.
    """
    from harness.evaluation.runner import load_suite

    with explaining_missing_data(options, test_names):
        return load_suite(options.data, test_names)


@contextmanager
def explaining_missing_data(options: argparse.Namespace, test_names: Sequence[str]) -> Iterator[None]:
    """Name the options that help in errors about a missing build, and about labelled pairs without their test."""
    with (
        explaining_missing_build(_suggest_data(test_names)),
        explaining_labelled_pairs(options.data, lambda names: f"Use --task {','.join(names)}"),
    ):
        yield


def _suggest_data(test_names: Sequence[str]) -> str:
    """Name the options and commands that help if no data was given and nothing was built."""
    pair_tests = [name for name in test_names if name not in PYRAMID_TESTS]
    config = "".join(f" --config {name}" for name in pair_tests)
    remedy = f"add --data SOURCE, or build the tests with `pyramid-paraphrase build SOURCE{config}`"
    if not pair_tests:
        remedy += ". To try the program, add --data sample"
    return remedy


def make_settings(options: argparse.Namespace, metrics: Sequence[NamedMetric]) -> Settings:
    """Make the settings of an evaluation from the options and the metrics that they name."""
    from harness.evaluation.runner import Settings
    from harness.evaluation.store import EmbeddingStore

    store = None if options.no_cache else EmbeddingStore(options.cache_dir, options.cache_limit)
    recipients = tuple(options.send_text_to)
    return Settings(options.resamples, options.seed, store, options.resume, options.quiet, recipients, tuple(metrics))
