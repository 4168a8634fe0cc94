"""Entries of a leaderboard for its pages: submitted models and shortcuts, with their views, titles and facts."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from harness.evaluation.record import Record, describe_metric, describe_versions, list_settings, make_signature
from harness.leaderboards.audits.audits import Audit
from harness.leaderboards.board import RankedTest
from harness.leaderboards.candidates import Candidate
from harness.leaderboards.history import RETIRED
from harness.leaderboards.rankings import NEAR_PERFECT, VIEW_ALL, VIEW_REPRODUCED, RankedModel, Ranking
from harness.leaderboards.reproduction import Reproduction, find_obstacle
from harness.metrics.rows import Key
from harness.models.interfaces.scores import COUNTED
from harness.models.registry import find_group
from harness.rendering.reports import Grid
from harness.rendering.tables import count_of, format_value
from harness.reports.analysis import TOPICS_HEADER, list_topics
from pyramid_paraphrase.catalog import title_of

MODELS = "models"
REPRODUCED, SELF_REPORTED, SHORTCUT = "reproduced", "self-reported", "shortcut"
"""Statuses of entries, besides `RETIRED`."""

IMPLAUSIBLE = "implausible"
"""The mark of a self-reported entry with implausible numbers."""

_NOTHING = frozenset({"-", "?", "n/a", "no", "none", "nothing", "not known", "unknown"})
"""Statements about training data that name none, without case and full stop."""

_SAW_TEST_DATA = {"no": "no", "yes": "yes", "unknown": "not known"}


def title_tests(tests: Sequence[RankedTest]) -> list[tuple[str, str]]:
    """Give each test of a leaderboard titles that no other test has.

    Tests of the same configuration and the same collections differ in their options. Their titles end with the first
    digits of the fingerprint.

    Returns:
        Two titles per test. The long title has the configuration and the titles of the collections. The short title is
        the configuration alone, or the long title if the leaderboard has several tests of the configuration.
    """
    long_titles = [f"{test.configuration}: {title_collections(test)}" for test in tests]
    repeated = Counter(long_titles)
    configurations = Counter(test.configuration for test in tests)
    titles = []
    for test, title in zip(tests, long_titles, strict=True):
        long = title if repeated[title] == 1 else f"{title} ({test.fingerprint[:12]})"
        titles.append((long, test.configuration if configurations[test.configuration] == 1 else long))
    return titles


def title_collections(test: RankedTest) -> str:
    """Join the titles of the collections from which a test is made."""
    return ", ".join(map(title_of, test.collections))


class Entry(NamedTuple):
    """An entry of a leaderboard.

    Attributes:
        key: A short identifier that is unique on a page.
        name: Name of the model.
        page: Path of its page in the site, or "" for shortcuts.
        status: Origin of its numbers: reproduced, self-reported or shortcut. Or retired, without a rank.
        group: Title of the group of models that it belongs to.
        dimension: Dimension of its vectors, or None if it has no vectors.
        parameters: Number of its parameters, or None if the number is not known.
        saw_test_data: Whether it saw test data, according to its author, or "" for shortcuts.
        is_implausible: Whether its numbers on any test are implausible.
        names_data: Whether its author or its model card names data that it was trained on.
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
    names_data: bool = False


def list_entries(rankings: Iterable[Ranking]) -> dict[tuple[str, str], Entry]:
    """List the distinct entries of all rankings by `RankedModel.identity`."""
    models_by_identity: dict[tuple[str, str], list[RankedModel]] = {}
    for ranking in rankings:
        for model in ranking.models:
            models_by_identity.setdefault(model.identity, []).append(model)
    entries = {}
    for number, (identity, models) in enumerate(models_by_identity.items()):
        candidate = models[0].candidate
        description, page, status = candidate.record.model, "", SHORTCUT
        if not candidate.is_shortcut:
            page = f"{MODELS}/{candidate.name}.html"
            status = REPRODUCED if candidate.is_reproduced else SELF_REPORTED
            if candidate.is_retired:
                status = RETIRED
        entries[identity] = Entry(
            key=f"e{number}",
            name=description.name,
            page=page,
            status=status,
            group=find_group(description.kind),
            dimension=description.dimension,
            parameters=description.parameters,
            saw_test_data="" if candidate.form is None else _SAW_TEST_DATA[candidate.form.saw_test_data],
            is_implausible=any(ranked.is_implausible for ranked in models),
            names_data=any(list_named_data(candidate)),
        )
    return entries


def tabulate_topics(ranking: Ranking, key: Key, entries: Mapping[tuple[str, str], Entry]) -> Grid:
    """List the values of all models and shortcuts of a test by topic, a row per model, metric and topic.

    Args:
        ranking: The ranking of the test.
        key: The key of the test.
        entries: Entries by `RankedModel.identity`.
    """
    rows: list[tuple[object, ...]] = []
    name, fingerprint = ranking.test.configuration, ranking.test.fingerprint
    for model in ranking.models:
        status = entries[model.identity].status
        facts = (model.name, model.candidate.name, IMPLAUSIBLE if model.is_implausible else status, name, fingerprint)
        rows += [(*facts, *cells) for cells in list_topics(key, model.candidate.topic_values[name])]
    return Grid(("model", "submission", "status", "task", "fingerprint", *TOPICS_HEADER), tuple(rows))


def list_named_data(candidate: Candidate) -> list[str]:
    """List the training data that the author of a submission or the model card names. A text such as "none" is none."""
    if candidate.form is None:
        return []
    stated = candidate.form.training_data
    names = [] if stated.strip(" .").casefold() in _NOTHING else [stated]
    return [*names, *candidate.record.model.training_data]


def describe_audits(candidate: Candidate, test: RankedTest, audits: Iterable[Audit]) -> Iterator[str]:
    """Say how many rows of a test are in the searched corpora that the named training data of a model mention."""
    named = "\n".join(list_named_data(candidate))
    for audit in audits:
        if re.search(rf"(?<!\w){re.escape(audit.corpus)}(?!\w)", named, re.IGNORECASE):
            for audited in audit.tests:
                if (audited.configuration, audited.fingerprint) == (test.configuration, test.fingerprint):
                    both, one = f"both sides of {audited.both_sides:,}", f"one side of {audited.one_side:,}"
                    yield f"{audit.corpus} contains {both} and {one} of {audited.rows:,} rows of {test.configuration}"


def choose_view(rankings: Iterable[Ranking]) -> str:
    """Return the initial view of a page: reproduced models if there are any, otherwise all models."""
    for ranking in rankings:
        if any(model.ranks[VIEW_REPRODUCED] is not None for model in ranking.models):
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
    yield from _list_unchecked(record)
    yield "Signature", make_signature(record)
    yield "Evaluated", record.time.date
    yield "Versions", describe_versions(record.versions)
    if reproduction:
        difference = f"largest difference of a metric {reproduction.largest_difference:.6f}"
        yield "Reproduced", f"{reproduction.date}, {difference}, with {describe_versions(reproduction.versions)}"


def _list_unchecked(record: Record) -> Iterator[tuple[str, str]]:
    """List the numbers that scores do not show: the answers of a judge, and other metrics, each with a title."""
    for test_name, test in record.tests.items():
        for outcome in COUNTED:
            if times := test.counts.get(outcome.label):
                yield f"Count: {outcome.label} in {test_name}", f"{times:,}"
        for name, other in test.other_metrics.items():
            title = f"{describe_metric(name)}, by {test_name} (not checked)"
            yield title, format_value(other.value, other.interval)


def describe_ranks(model: RankedModel, ranked: Mapping[str, int]) -> Iterator[str]:
    """Describe the rank of a model in each view, which ranks some number of models."""
    if model.candidate.is_retired:
        yield "No rank, because it was retired."
        return
    if not model.competes:
        yield f"No rank, because models of the kind {model.candidate.record.model.kind} do not compete."
        return
    rank, reproduced = model.ranks[VIEW_REPRODUCED], ranked[VIEW_REPRODUCED]
    if rank is not None:
        yield _describe_rank(rank, count_of(reproduced, "reproduced model"))
    elif reproduced:
        yield "No rank among the reproduced models, because this entry was not reproduced."
    rank, everything = model.ranks[VIEW_ALL], ranked[VIEW_ALL]
    if rank is None:
        yield f"No rank among all models, because a score of {NEAR_PERFECT} or more is ranked only if reproduced."
    elif everything > reproduced:
        yield _describe_rank(rank, f"{count_of(everything, 'model')}, self-reported ones included")


def _describe_rank(rank: int, models: str) -> str:
    better = "none is" if rank == 1 else f"{rank - 1} of them {'is' if rank == 2 else 'are'}"
    return f"Rank {rank} of {models}: {better} significantly better."


def write_commands(candidate: Candidate) -> dict[str, str]:
    """Write the commands that run a model again: one for the maintainer, and one for other users.

    The spec comes from an untrusted author. It is therefore quoted, and left out if it could run other code.
    """
    model = candidate.record.model
    reproduce = f"pyramid-paraphrase leaderboard reproduce BOARD/submissions/{candidate.name} --data SOURCE"
    if find_obstacle(model):
        return {"reproduce": f"{reproduce} --model MODEL", "evaluate": ""}
    tasks = ",".join(candidate.record.tests)
    evaluate = f"pyramid-paraphrase evaluate --model {shlex.quote(model.spec)} --data SOURCE --task {tasks}"
    return {"reproduce": reproduce, "evaluate": evaluate}
