"""Entries of a leaderboard for its pages: submitted models and shortcuts, without their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from harness.evaluation.records.record import Record
from harness.evaluation.records.signing import make_signature
from harness.leaderboards.files.reproductions import Reproduction
from harness.leaderboards.judging.candidates import Candidate
from harness.leaderboards.judging.rankings import RankedModel, Ranking
from harness.reports.model_tables import describe_versions, list_settings

MODELS = "models"
REPRODUCED, SELF_REPORTED, SHORTCUT = "reproduced", "self-reported", "shortcut"
"""Statuses of entries."""

IMPLAUSIBLE = "implausible"
"""The mark of a self-reported entry with implausible numbers."""

VIEW_REPRODUCED, VIEW_ALL = "reproduced", "all"
"""Views of a page: ranks among reproduced models, or among all."""

_SAW_TEST_DATA = {"no": "no", "yes": "yes", "unknown": "not known"}


class Entry(NamedTuple):
    """An entry of a leaderboard.

    Attributes:
        key: A short identifier that is unique on a page.
        name: Name of the model.
        page: Path of its page in the site, or "" for shortcuts.
        status: Origin of its numbers: reproduced, self-reported or shortcut.
        group: Title of the group of models that it belongs to.
        dimension: Dimension of its vectors, or None if it has no vectors.
        parameters: Number of its parameters, or None if the number is not known.
        saw_test_data: Whether it saw test data, according to its author, or "" for shortcuts.
        is_implausible: Whether its numbers on any test are implausible.
    """

    key: str
    name: str
    page: str
    status: str
    group: str
    dimension: int | None
    parameters: int | None
    saw_test_data: str
    is_implausible: bool


def list_entries(rankings: Iterable[Ranking], candidates: Mapping[str, Candidate]) -> dict[tuple[str, str], Entry]:
    """List the distinct entries of all rankings.

    Args:
        rankings: The rankings of all tests.
        candidates: The accepted submissions by name.

    Returns:
        Entries by `identify_entry`.
    """
    models_by_identity: dict[tuple[str, str], list[RankedModel]] = {}
    for ranking in rankings:
        for model in ranking.models:
            models_by_identity.setdefault(identify_entry(model), []).append(model)
    return {
        identity: _make_entry(f"e{number}", models, candidates.get(identity[0]))
        for number, (identity, models) in enumerate(models_by_identity.items())
    }


def identify_entry(model: RankedModel) -> tuple[str, str]:
    """Return the name of the submission, which is empty for shortcuts, and the name of the model."""
    return model.submission, model.name


def _make_entry(key: str, models: Sequence[RankedModel], candidate: Candidate | None) -> Entry:
    model = models[0]
    page, status, saw_test_data = "", SHORTCUT, ""
    if candidate is not None:
        page = f"{MODELS}/{candidate.name}.html"
        status = find_status(candidate)
        saw_test_data = describe_saw_test_data(candidate)
    return Entry(
        key=key,
        name=model.name,
        page=page,
        status=status,
        group=model.group,
        dimension=model.description.dimension,
        parameters=model.description.parameters,
        saw_test_data=saw_test_data,
        is_implausible=any(model.is_implausible for model in models),
    )


def find_status(candidate: Candidate) -> str:
    """Return whether the numbers of a submission are reproduced or self-reported."""
    return REPRODUCED if candidate.reproduction else SELF_REPORTED


def describe_saw_test_data(candidate: Candidate) -> str:
    """Return whether a model saw test data, according to its author."""
    return _SAW_TEST_DATA[candidate.form.saw_test_data]


def list_views(model: RankedModel) -> tuple[str, ...]:
    """List the views that show a model among the ranked models. All views show shortcuts for comparison."""
    if model.is_shortcut or model.rank_among_reproduced is not None:
        return VIEW_REPRODUCED, VIEW_ALL
    if model.rank_among_all is not None:
        return (VIEW_ALL,)
    return ()


def list_best_views(model: RankedModel) -> tuple[str, ...]:
    """List the views whose rankings mark a model as one of the best."""
    flags = ((VIEW_REPRODUCED, model.is_best_among_reproduced), (VIEW_ALL, model.is_best_among_all))
    return tuple(view for view, is_best in flags if is_best)


def choose_view(rankings: Iterable[Ranking]) -> str:
    """Return the initial view of a page: reproduced models if there are any, otherwise all models."""
    for ranking in rankings:
        if any(model.rank_among_reproduced is not None for model in ranking.models):
            return VIEW_REPRODUCED
    return VIEW_ALL


def list_facts(record: Record, reproduction: Reproduction | None) -> Iterator[tuple[str, str]]:
    """List facts about a model and its evaluation.

    Yields:
        A title and a value.
    """
    model = record.model
    yield "Kind", model.kind
    yield "Named as", model.spec
    yield "Fingerprint", model.fingerprint
    if model.dimension is not None:
        yield "Dimension", f"{model.dimension:,}"
    if model.parameters is not None:
        yield "Parameters", f"{model.parameters:,}"
    yield from list_settings(model)
    for name, count in model.text_counts.items():
        yield f"Count: {name}", f"{count:,}"
    yield "Signature", make_signature(record)
    yield "Evaluated", record.time.date
    yield "Versions", describe_versions(record.versions)
    if reproduction:
        difference = f"largest difference of a metric {reproduction.largest_difference:.6f}"
        yield "Reproduced", f"{reproduction.date}, {difference}, with {describe_versions(reproduction.versions)}"
