"""A session: models on tests. Earlier results are found, all others are computed and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from harness.evaluation.requests import describe_data, find_result, hash_requests, write_request
from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, Suite, load_and_evaluate, load_named_metrics, load_suite
from harness.models.interfaces.kinds import Spec
from harness.models.interfaces.protocols import Model
from harness.models.loading import check_spec, load_model
from harness.models.specs import list_missing_shortcuts, require_different_names
from pyramid_paraphrase.pyramids.sources import Source
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES


class PlannedModel(NamedTuple):
    """A model that is going to be evaluated.

    Attributes:
        name: Its name in tables.
        load: Loads it.
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
    return PlannedModel(spec.title, partial(_load, text, defaults, send_text_to, name), spec)


def _load(text: str, defaults: Mapping[str, Any] | None, send_text_to: Sequence[str], name: str | None) -> Model:
    model = load_model(text, defaults, send_text_to=send_text_to)
    return model if name is None else model.renamed(name)


def check_names(models: Sequence[PlannedModel], remedy: str = "Add ,name=... to one of the specs") -> None:
    """Check that no two models have the same name, and none has that of a shortcut.

    Args:
        models: The models that the user names.
        remedy: How to give a model another name.

    Raises:
        OptionError: If two models have the same name.
    """
    require_different_names([model.name for model in models], _list_shortcuts(models, CONFIGURATION_NAMES), remedy)


def plan_shortcuts(models: Sequence[PlannedModel], test_names: Sequence[str]) -> list[PlannedModel]:
    """Plan the shortcuts that can score any of the tests, except those among the models."""
    return [plan_spec(shortcut) for shortcut in _list_shortcuts(models, test_names)]


def _list_shortcuts(models: Sequence[PlannedModel], test_names: Sequence[str]) -> list[str]:
    return list_missing_shortcuts([model.spec for model in models if model.spec is not None], test_names)


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
        self._requests: dict[str, str] = {}

    def load_tests(self) -> Suite:
        """Load the tests once, and check that the metrics that the user named fit them. `evaluate` does so, too.

        Raises:
            PyramidParaphraseError: If the data cannot be used.
            MetricError: If a metric cannot be loaded, or fits none of the tests.
        """
        if self._suite is None:
            self._suite = load_suite(self._data, self._test_names)
            load_named_metrics(self._suite, self._settings)
        return self._suite

    def find_earlier(self, models: Iterable[PlannedModel]) -> dict[str, Result]:
        """Find the results of earlier evaluations in the folder, by name of the model.

        Call this before `evaluate`. Objects, and models without a known identity, have no earlier results.
        """
        if self._folder is None:
            return {}
        self._requests = self._hash(models)
        if self._force or not self._settings.resume:
            return {}
        found = {name: find_result(request, name, self._folder) for name, request in self._requests.items()}
        return {name: result for name, result in found.items() if result is not None}

    def evaluate(self, planned: PlannedModel) -> Result:
        """Load a model, evaluate it, and write its result.

        Raises:
            PyramidParaphraseError: If the model cannot be loaded or fails, or if its output cannot be used.
        """
        result = load_and_evaluate(planned.name, planned.load, self.load_tests(), self._settings)
        if self._folder is None:
            return result
        path, request = result.write(self._folder), self._requests.get(planned.name)
        # If a file changed during the evaluation, it is unknown which content was evaluated.
        if request is not None and self._hash([planned]) == {planned.name: request}:
            write_request(request, path)
        return replace(result, path=str(path))

    def _hash(self, models: Iterable[PlannedModel]) -> dict[str, str]:
        """Hash everything that determines a result, by name of the model."""
        specs = {model.name: model.spec for model in models if model.spec is not None}
        if not specs:
            return {}
        data = describe_data(self._data, self._test_names)
        return hash_requests(specs, data, (self._settings.resamples, self._settings.seed), self._settings.metrics)
