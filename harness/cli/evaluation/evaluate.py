"""Evaluate models on tests, and write their results and a table."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.options import CACHE_FOLDER, DATA, NO_CACHE, RECIPIENTS, bootstrap, model_spec, parse_test_names
from harness.cli.outputs import explaining_labelled_pairs, explaining_missing_build, report, say, show
from harness.cli.parser import Row, choice, command, flag, group, option
from harness.files.writing import make_folder
from harness.rendering.reports import require_text
from harness.rendering.tables import count_of
from harness.support.errors import ModelError
from harness.support.hardware import HOW_TO_NAME_DEVICES, parse_devices, require_devices
from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.hub import choose_default_tests, require_source
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES, LEARNED_SPLITS, PYRAMID_TESTS
from pyramid_paraphrase.rules.ranges import BATCH_SIZE, COUNT

if TYPE_CHECKING:
    from harness.evaluation.results import Result
    from harness.evaluation.runner import Settings, Suite
    from harness.evaluation.session import PlannedModel, Session
    from harness.evaluation.transfers import TransferSet

_AUTO = "auto"


def _unless(word: str, parse: Callable[[str], object]) -> Callable[[str], object]:
    """Make a parser that returns None for the word that stands for the default."""
    return lambda text: None if text == word else parse(text)


def list_evaluation_options(output: str) -> tuple[Row, ...]:
    """List the options of commands that evaluate models, with a default of ``--output``."""
    return (
        DATA,
        option(
            "--task NAMES",
            f"tests, comma-separated: {', '.join(CONFIGURATION_NAMES)} (default: all, which selects the first "
            f"{len(PYRAMID_TESTS)}, or the tests of labelled pairs)",
            _unless("all", parse_test_names),
        ),
        option("--output DIR", "folder of the results", Path, default=Path(output)),
        option(
            "--metric PATH_OR_NAME",
            "additional metric of the library evaluate (repeatable): a folder with its module, or a name on the Hub "
            "with ,trust_remote_code=true. The code of the module runs. Models are not ranked by this metric",
            action="append",
            default=[],
        ),
        RECIPIENTS,
        group(
            "computation (options within SPEC take precedence)",
            option(
                "--device",
                f"device to compute on: {HOW_TO_NAME_DEVICES}",
                _unless(_AUTO, parse_devices),
                default=_AUTO,
            ),
            option(
                "--batch-size N",
                "texts per batch (default: %(default)s, which means a few thousand tokens)",
                _unless(_AUTO, BATCH_SIZE.parse),
                default=_AUTO,
            ),
            choice(
                "--dtype",
                ("float32", "float16", "bfloat16", "int8"),
                "numerical precision. Lower precision is faster on hardware that supports it (default: float32)",
            ),
            choice(
                "--backend",
                ("torch", "openvino", "onnx", "auto"),
                "library that runs encoders on a CPU (default: torch). 'auto' selects the fastest installed library "
                "with the same vectors",
            ),
        ),
        group(
            "cache on disk",
            flag(
                "--resume",
                "use stored tests, embeddings, scores and results. --no-resume computes them again",
                action=argparse.BooleanOptionalAction,
                default=True,
            ),
            NO_CACHE,
            option(
                "--cache-limit MIB",
                "cache size in MiB. Above it, the least recently used models and tests are removed",
                COUNT,
                default=4096,
            ),
            CACHE_FOLDER,
        ),
        bootstrap(),
    )


@command(
    model_spec("--model", "model to evaluate", " (repeatable)", action="append", required=True),
    flag("--force", "also evaluate models that have results in --output"),
    choice(
        "--train-on SPLITS",
        tuple(LEARNED_SPLITS),
        f"splits with the labelled pairs that models learn from: {', '.join(LEARNED_SPLITS)} (default: train)",
    ),
    option(
        "--transfer-to FILE",
        "other pairs to decide by the threshold of each test of pairs (repeatable): shows the share of yes, or the "
        "correlation with grades",
        action="append",
        default=[],
    ),
    *list_evaluation_options("results"),
)
def run_evaluate(options: argparse.Namespace) -> None:
    """Evaluate models on tests, and write their results and a table."""
    from harness.evaluation.session import Session, check_names, plan_shortcuts, plan_spec
    from harness.reports.model_tables import make_tables
    from harness.reports.text_reports import render_tables

    models = [plan_spec(spec, list_defaults(options), options.send_text_to) for spec in options.model]
    check_names(models)
    test_names = choose_tests(options)
    models += plan_shortcuts(models, test_names)
    settings = make_settings(options)
    session = Session(options.data, test_names, settings, options.output, force=options.force)
    with explaining_missing_data(options, test_names):
        earlier = session.find_earlier(models)
    missing = [planned for planned in models if planned.name not in earlier]
    computed, failures = _compute(session, missing, options, test_names) if missing else ({}, [])
    available = earlier | computed
    evaluated = [available[planned.name] for planned in models if planned.name in available]
    lines = [require_text(render_tables(make_tables(evaluated), "terminal"))]
    lines += [show(result.path) for result in evaluated]
    lines += _describe_work(earlier, computed)
    if session.kept_tests:
        reason = f"Tests that an earlier run built from the same files: {show(', '.join(session.kept_tests))}"
        lines.append(f"{reason}. To build them again, add --no-resume.")
    omitted = [name for name in PYRAMID_TESTS if name not in test_names]
    if options.task is None and omitted and len(omitted) < len(PYRAMID_TESTS):
        lines.append(f"Tests that the data does not have: {show(', '.join(omitted))}")
    say("\n".join(lines))
    if failures:
        raise ModelError(f"{count_of(len(failures), 'model')} could not be evaluated. The reasons are above")


def _describe_work(earlier: Mapping[str, Result], computed: Mapping[str, Result]) -> Iterator[str]:
    """Describe the requests to servers of models, and the results that were not computed again."""
    usages = {result.model: result.record.usage for result in computed.values() if result.record.usage}
    for name, usage in usages.items():
        parts = [count_of(usage.requests, "request")]
        if usage.tokens is not None:
            parts.append(count_of(usage.tokens, "token"))
        if usage.cost is not None:
            parts.append(f"cost {usage.cost:.9f}".rstrip("0").removesuffix("."))
        if usage.models:
            parts.append(f"answered by {show(', '.join(usage.models))}")
        yield f"{show(name)}: {', '.join(parts)}"
    if earlier:
        yield f"{count_of(len(earlier), 'model')} evaluated before. To evaluate again, add --force."
    # Only answers of a server can show whether it has another model.
    unasked = [result.model for result in earlier.values() if result.record.usage]
    unasked += [name for name, usage in usages.items() if not usage.requests]
    if unasked:
        reason = f"Servers that were not asked, because their answers are stored: {show(', '.join(unasked))}"
        yield f"{reason}. If their models may have changed, add --no-resume."


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
    for planned in models:
        # Without torch, the loader reports the missing package.
        if planned.spec and (devices := planned.spec.settings.get("device")) and find_spec("torch"):
            require_devices(devices)
    import datasets

    from harness.metrics.named_metrics import import_evaluate_alone

    import_evaluate_alone()
    datasets.disable_progress_bars()
    with explaining_missing_data(options, test_names):
        suite = session.load_tests()
    if not all(rows.can_fit for rows in suite.rows):
        from harness.models.registry import SHORTCUT  # imports numpy

        kept = [planned for planned in models if planned.spec is None or planned.spec.kind.group != SHORTCUT]
        if len(kept) < len(models):
            say("Shortcuts are left out, because the data have no pairs to fit a threshold on.")
        models = kept
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
    names = ("device", "batch_size", "dtype", "backend", "train_on")
    return {name: getattr(options, name) for name in names if hasattr(options, name)}


def choose_tests(options: argparse.Namespace) -> list[str]:
    """Check that all sources exist or can be repositories on the Hub, and choose the tests. Runs before slow imports.

    Raises:
        InputError: If a source does not exist, or the manifest of a built folder is damaged.
    """
    for source in options.data or ():
        require_source(source)
    return list(options.task or choose_default_tests(options.data))


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
    pair_tests = [name for name in test_names if name not in PYRAMID_TESTS]
    config = "".join(f" --task {name}" for name in pair_tests)
    remedy = f"add --data SOURCE, or build the tests with `pyramid-paraphrase build SOURCE{config}`"
    if not pair_tests:
        remedy += ". To try the program, add --data sample"
    with (
        explaining_missing_build(remedy),
        explaining_labelled_pairs(options.data, lambda names: f"Use --task {','.join(names)}"),
    ):
        yield


def make_settings(options: argparse.Namespace) -> Settings:
    """Make the settings of an evaluation.

    Raises:
        MetricError: If a metric cannot be found.
    """
    from harness.evaluation.runner import Settings
    from harness.metrics.named_metrics import locate_metrics
    from harness.models.files.store import ModelStore

    store = None if options.no_cache else ModelStore(options.cache_dir, options.cache_limit)
    recipients, metrics = tuple(options.send_text_to), locate_metrics(options.metric)
    transfers = getattr(options, "transfer_to", ())  # other commands do not have it
    sets: tuple[TransferSet, ...] = ()
    if transfers:
        from harness.evaluation.transfers import read_transfer_sets

        sets = read_transfer_sets(transfers)
    return Settings(options.resamples, options.seed, store, options.resume, options.quiet, recipients, metrics, sets)
