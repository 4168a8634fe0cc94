"""Evaluate models, and add their results without texts to the reference results of the package.

usage: reference_results.py [--models LIST] [--packages FOLDER --minilm FOLDER] [--data SOURCE]... [--work FOLDER]
                            [--output FOLDER] [OPTION...]

LIST: models as for `pyramid-paraphrase sweep`, such as reference_models.yaml beside this file, which needs the network;
--packages: also evaluate the baselines and the models of packaged_models.py, with the folder of their packages and the
folder of MiniLM; SOURCE: a data set by itself (repeatable, default: sample); --work: the folder of the sweeps (default:
reference-work); --output: the folder of the reference results (default: the one of this package, which `--with
reference` reads). All other options are those of `sweep`, such as --workers, --device or --retry.

After an interruption, the same command continues. If a model fails, the others are added, the exit status is 2, and
`--retry` evaluates it again. A result replaces that of the same model or of the same name on the same data set, and all
others stay. The default tests except `peers` are evaluated: the scores of `peers` are as large as all others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from packaged_models import MODELS, load_packaged

from harness.cli import main
from harness.evaluation.comparing.references import FOLDER, add_rows, read_records, write_references
from harness.evaluation.results import Result, read_results
from harness.evaluation.runner import Settings, Suite, evaluate_model, load_suite
from harness.evaluation.sweeps.plans import read_plan
from harness.evaluation.sweeps.units import State, SweepFolder
from harness.models.interfaces.model import Model
from harness.models.loading import load_model
from harness.support.names import slug
from pyramid_paraphrase.rules.options import PYRAMID_TESTS

_BASELINES = ("one-hot", "tf-idf", "char-ngrams")


def evaluate_list(models: Path, source: str, folder: Path, options: Sequence[str]) -> tuple[int, list[Result]]:
    """Evaluate the models of a file on a data set, except those with a result in the folder.

    Returns:
        The exit status of `sweep`, and the results of the models that have one, without those of added shortcuts.
    """
    command = ["sweep", str(models), "--data", source, "--task", ",".join(PYRAMID_TESTS), "--output", str(folder)]
    status = main([*command, *options])
    sweep, specs = SweepFolder(folder), {spec for spec, _ in read_plan(models)}
    units = sweep.read_states(sweep.read_units()) if status in (0, 2) and folder.is_dir() else {}
    done = [unit for unit, state in units.items() if state is State.DONE and unit.spec in specs]
    return status, read_results([file for unit in done for file in sweep.list_result_files(unit)])


def evaluate_loaded(models: Iterable[Model], suite: Suite) -> list[Result]:
    """Evaluate models on the tests of a data set."""
    return [evaluate_model(model, suite, Settings(quiet=True)) for model in models]


def add_references(results: Sequence[Result], folder: Path) -> list[str]:
    """Add results to a folder of reference results. They replace those of the same models, or of the same names.

    Args:
        results: The results, with their scores.
        folder: The folder. It is created if it does not exist. Files on other data sets remain as they are.

    Returns:
        Names of the models whose results were replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    data = {result.record.dataset.fingerprint for result in results}
    added = set(chain.from_iterable(map(_identify, results)))
    stored = [result for result in read_records(folder) if result.record.dataset.fingerprint in data]
    kept = [result for result in stored if added.isdisjoint(_identify(result))]
    write_references([*add_rows(kept), *results], folder)
    return [result.model for result in stored if result not in kept]


def _identify(result: Result) -> list[tuple[str, str]]:
    """Return what no two reference results have in common: data set and name, and data set and model."""
    record = result.record
    return [(record.dataset.fingerprint, identity) for identity in (slug(record.model.name), record.model.fingerprint)]


def _parse_arguments() -> tuple[argparse.Namespace, list[str]]:
    """Return the arguments, and the options of `sweep`."""
    parser = argparse.ArgumentParser(allow_abbrev=False, usage=(__doc__ or "").partition("usage: ")[2])
    for name in ("--models", "--packages", "--minilm"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--data", action="append")
    parser.add_argument("--work", type=Path, default=Path("reference-work"))
    parser.add_argument("--output", type=Path, default=FOLDER)
    arguments, options = parser.parse_known_args()
    if not arguments.models and not arguments.packages:
        parser.error("name models by --models or --packages")
    if bool(arguments.packages) != bool(arguments.minilm) or (options and not arguments.models):
        parser.error("--packages needs --minilm, and the options of sweep need --models")
    return arguments, options


def _main() -> int:
    arguments, options = _parse_arguments()
    packaged: list[Model] = []
    if arguments.packages:
        packaged = [load_model(spec) for spec in _BASELINES]
        packaged += [load_packaged(row, arguments.packages, arguments.minilm) for row in MODELS]
    worst = 0
    for source in arguments.data or ["sample"]:
        status, results = 0, []
        if packaged:
            results = evaluate_loaded(packaged, load_suite(source, PYRAMID_TESTS))
        if arguments.models:
            folder = arguments.work / slug(Path(source).name)
            status, listed = evaluate_list(arguments.models, source, folder, options)
            results += listed
        if results:
            replaced = ", ".join(add_references(results, arguments.output)) or "none"
            print(f"{source}: {len(results)} results added to {arguments.output} (replaced: {replaced})", flush=True)
        worst = max(worst, status)
        if status not in (0, 2):  # interrupted
            break
    return worst


if __name__ == "__main__":
    sys.exit(_main())
