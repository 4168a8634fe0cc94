"""A session: models on tests. Results of earlier requests are found, all others are computed and written.

A request is everything that determines a result and is known before a model is loaded or a test is built. Its hash is
written next to each result. If a later request has the same hash, its result is read, and nothing is computed. Files
are identified by their content.
"""

from __future__ import annotations

import platform
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from harness.evaluation.layout import lay_out_tests
from harness.evaluation.results import Result, read_result
from harness.evaluation.runner import Settings, Suite, evaluate_model, load_named_metrics, load_suite
from harness.evaluation.transfers import list_identities
from harness.files.hashing import hash_file, hash_values
from harness.files.json_files import Json
from harness.files.writing import expand_home, write_file
from harness.metrics.named_metrics import NamedMetric
from harness.models.files.folders import find_bases, hash_folder
from harness.models.files.hub import find_snapshot
from harness.models.files.kept_tests import describe_data, load_kept_tests
from harness.models.interfaces.kinds import Spec
from harness.models.interfaces.model import Model
from harness.models.loading import check_spec, load_model
from harness.models.specs import list_missing_shortcuts, require_different_names
from harness.stats.similarities import COSINE
from harness.support.errors import ModelError
from harness.support.names import slug
from harness.support.progress import Progress
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.files.extras import UNLISTED, find_versions
from pyramid_paraphrase.files.inputs import is_folder, read_input
from pyramid_paraphrase.hub import is_built
from pyramid_paraphrase.pyramids.sources import Source
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES, DATA_VERSION, TRAIN

_SUFFIX = ".request"


def describe_files(model: Spec) -> Json:
    """Describe the files of a model: local files by their content, others by the commit in the cache of the Hub.

    Args:
        model: The parsed spec of the model.

    Returns:
        The description. None if the scores also depend on unknown files.

    Raises:
        ModelError: If a file cannot be read.
    """
    commits = find_commits(model)
    if commits is None or model.settings.get("trust_remote_code"):  # the code may be in another repository
        return None
    return [describe_local_files(model), commits]


def describe_local_files(model: Spec) -> list[str]:
    """Return the SHA-256 of the files of a model on this machine, and of the local models that it needs.

    Raises:
        ModelError: If a file cannot be read.
    """
    paths, _ = _find_parts(model)
    hashes = []
    for path in paths:
        try:
            hashes.append(hash_folder(path) if is_folder(path) else hash_file(path))
        except OSError as error:
            raise ModelError(f"{path}: cannot be read ({error.strerror}). Check its permissions") from None
    return hashes


def find_commits(model: Spec) -> list[str] | None:
    """Find the commits of a model on the Hub and of the models on the Hub that it needs.

    Returns:
        The commits in the cache. Empty if all files are local. None if a commit is not in the cache.
    """
    _, commits = _find_parts(model)
    return None if None in commits else [commit for commit in commits if commit]


def _find_parts(model: Spec) -> tuple[list[Path], list[str | None]]:
    """Find the files of a model and of the models that it needs, which can need others.

    Returns:
        The file or the folders on this machine, and the commits on the Hub. A commit is None if it is not in the cache.
    """
    folders: list[Path] = []
    commits: list[str | None] = []
    if not model.kind.has_path:
        return folders, commits
    path = expand_home(model.model)
    if path.exists() and not is_folder(path):
        return [path], commits
    first = (str(path), model.settings.get("revision"))
    waiting, known = deque([first]), {first}
    while waiting:
        name, revision = waiting.popleft()
        if is_folder(name):
            folder = Path(name)
            folders.append(folder)
        else:
            snapshot = find_snapshot(name, revision, model.kind.hub)
            if snapshot is None:
                commits.append(None)
                continue
            commit, folder = snapshot
            commits.append(commit)
        bases = [base for base in find_bases(folder) if base not in known]
        waiting.extend(bases)
        known.update(bases)
    return folders, commits


def describe_software() -> dict[str, Json]:
    """Describe the versions of everything that computes a result."""
    return {
        # Python has tables of characters, too.
        "version": [__version__, DATA_VERSION, platform.python_version()],
        "libraries": {**find_versions(), **find_versions(UNLISTED)},
    }


def hash_request(
    model: Spec,
    files: Json,
    data: Json,
    bootstrap: Sequence[int],
    metrics: Sequence[NamedMetric] = (),
    software: Mapping[str, Json] | None = None,
    transfers: Mapping[str, str] | None = None,
) -> str:
    """Hash everything that determines a result.

    Args:
        model: The parsed spec of the model.
        files: Description of the files of the model.
        data: Description of the tests.
        bootstrap: Number of resamples and random seed.
        metrics: The metrics that the user named.
        software: What `describe_software` returns. None to call it.
        transfers: SHA-256 of the sets of other pairs by name.

    Returns:
        A SHA-256 in hexadecimal.
    """
    decisive: dict[str, Json] = {
        "kind": model.kind.name,
        "model": model.model,
        "title": model.title,
        "options": {name: str(value) for name, value in model.settings.items()},
        "files": files,
        "data": data,
        "bootstrap": list(bootstrap),
        **(software or describe_software()),
    }
    if model.similarity != COSINE:
        decisive["similarity"] = model.similarity
    if model.train_on != TRAIN:
        decisive["train_on"] = model.train_on
    if metrics:
        decisive["metrics"] = {metric.name: metric.sha256 for metric in metrics}
    if transfers:
        decisive["transfers"] = dict(transfers)
    return hash_values(decisive)


def write_request(request: str, result: Path) -> None:
    """Write a request next to the JSON file of its result.

    Raises:
        OutputError: If the request cannot be written.
    """
    write_file(result.with_suffix(_SUFFIX), f"{request} {hash_file(result)}\n".encode())


def find_result(request: str, title: str, folder: Path) -> Result | None:
    """Find the result of a request.

    Args:
        request: Hash of the request.
        title: Name of the model in tables.
        folder: The folder that `Result.write` wrote results to.

    Returns:
        The result. None if it does not exist, or if one of its files was changed or removed.
    """
    for path in sorted((folder / slug(title)).glob(f"*{_SUFFIX}")):
        result = path.with_suffix(".json")
        with suppress(OSError, PyramidParaphraseError):
            if read_input(path).decode("ascii", "replace").split() == [request, hash_file(result)]:
                return read_result(result)
    return None


class PlannedModel(NamedTuple):
    """A model that is going to be evaluated.

    Attributes:
        name: Its name in tables.
        load: Loads it, under its own name.
        spec: Its parsed spec. None for an object in memory.
    """

    name: str
    load: Callable[[], Model]
    spec: Spec | None


def plan_spec(
    text: str, defaults: Mapping[str, Any] | None = None, send_text_to: Sequence[str] = (), name: str | None = None
) -> PlannedModel:
    """Check a spec before anything is loaded or computed.

    Args:
        text: As for `load_model`.
        defaults: As for `load_model`.
        send_text_to: As for `load_model`.
        name: Name in tables and paths. None for the model's own name.

    Raises:
        OptionError: If the spec cannot be used, or the model sends texts to a host that is not in `send_text_to`.
        ModelError: If the files of the model do not exist.
    """
    spec = check_spec(text, defaults, send_text_to)
    spec = spec._replace(title=name or spec.title)
    return PlannedModel(spec.title, partial(load_model, text, defaults, send_text_to=send_text_to), spec)


def check_names(models: Sequence[PlannedModel], *remedy: str) -> None:
    """Check that no two models have the same name, and none has that of a shortcut.

    Args:
        models: The models that the user names.
        remedy: How to give a model another name, if not in its spec.

    Raises:
        OptionError: If two models have the same name.
    """
    require_different_names([model.name for model in models], _list_shortcuts(models, CONFIGURATION_NAMES), *remedy)


def plan_shortcuts(models: Sequence[PlannedModel], test_names: Sequence[str]) -> list[PlannedModel]:
    """Plan the shortcuts that can score any of the tests, except those among the models."""
    return [plan_spec(shortcut) for shortcut in _list_shortcuts(models, test_names)]


def _list_shortcuts(models: Sequence[PlannedModel], test_names: Sequence[str]) -> list[str]:
    return list_missing_shortcuts([model.spec for model in models if model.spec is not None], test_names)


def load_named(name: str, load: Callable[[], Model], progress: Progress) -> Model:
    """Load a model, show the progress, and give the model a name."""
    progress.start(f"loading {name}", 1)
    model = load()
    progress.stop()
    return model if model.name == name else model.renamed(name)


class Session:
    """The evaluation of models on the same tests with the same settings.

    Args:
        data: Sources, as for `load_suite`. None for the last build.
        test_names: Names of configurations.
        settings: Settings of the evaluation.
        folder: Folder of the results. None to write nothing.
        force: Whether to compute all results anew.
    """

    def __init__(
        self,
        data: Sequence[Source] | None,
        test_names: Sequence[str],
        settings: Settings,
        folder: Path | None = None,
        *,
        force: bool = False,
    ) -> None:
        self._data, self._test_names, self._settings = data, test_names, settings
        self._folder, self._force = folder, force
        self._suite: Suite | None = None
        self._requests: dict[str, str | None] = {}
        self.kept_tests: list[str] = []
        """Names of the tests that were not built, because an earlier run built them from files with the same content"""

        self._software = describe_software()  # once, because looking for versions takes 10 ms

    def load_tests(self) -> Suite:
        """Load the tests once, and check that the metrics that the user named fit them. `evaluate` does so, too.

        Raises:
            PyramidParaphraseError: If the data cannot be used.
            MetricError: If a metric cannot be loaded, or fits none of the tests.
        """
        if self._suite is None:
            store = self._settings.store
            if self._data is None or store is None or any(map(is_built, self._data)):
                self._suite = load_suite(self._data, self._test_names)
            else:
                resume = self._settings.resume
                tests, self.kept_tests = load_kept_tests(self._data, self._test_names, store, resume=resume)
                self._suite = Suite(*lay_out_tests(tests))
            load_named_metrics(self._suite, self._settings)
        return self._suite

    def find_earlier(self, models: Sequence[PlannedModel]) -> dict[str, Result]:
        """Find the results of earlier evaluations in the folder, by name of the model.

        Objects, and models without a known identity, have no earlier results.
        """
        if self._folder is None:
            return {}
        self._requests |= self._hash(models)
        if self._force or not self._settings.resume:
            return {}
        requests = {name: request for name, request in self._requests.items() if request is not None}
        found = {name: find_result(request, name, self._folder) for name, request in requests.items()}
        return {name: result for name, result in found.items() if result is not None}

    def evaluate(self, planned: PlannedModel) -> Result:
        """Load a model, evaluate it, and write its result.

        Raises:
            PyramidParaphraseError: If the model cannot be loaded or fails, or if its output cannot be used.
        """
        if self._folder is not None and planned.name not in self._requests:
            self._requests |= self._hash([planned])  # before anything is computed
        suite = self.load_tests()
        with Progress(visible=not self._settings.quiet, title=planned.name) as progress:
            model = load_named(planned.name, planned.load, progress)
            result = evaluate_model(model, suite, self._settings, progress)
        if self._folder is None:
            return result
        path, request = result.write(self._folder), self._requests[planned.name]
        # If a file changed during the evaluation, it is unknown which content was evaluated.
        if request is not None and self._hash([planned]) == {planned.name: request}:
            write_request(request, path)
        return replace(result, path=str(path))

    def _hash(self, models: Sequence[PlannedModel]) -> dict[str, str | None]:
        """Hash everything that determines a result, by name of the model. None for a model of unknown identity."""
        requests: dict[str, str | None] = dict.fromkeys((model.name for model in models), None)
        specs = {model.name: model.spec for model in models if model.spec is not None}
        if not specs:
            return requests
        data, bootstrap = describe_data(self._data, self._test_names), (self._settings.resamples, self._settings.seed)
        transfers = list_identities(self._settings.transfers)
        for name, spec in specs.items():
            files = describe_files(spec)
            if files is not None:
                requests[name] = hash_request(
                    spec, files, data, bootstrap, self._settings.metrics, self._software, transfers
                )
        return requests
