"""Submissions whose numbers follow from their scores, with identities and ranks, but without scores to save memory."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

import harness
import pyramid_paraphrase
from harness.evaluation.comparing.standings import MeasuredModel
from harness.evaluation.record import Record
from harness.evaluation.results import Result
from harness.evaluation.score_files import ScoreParser
from harness.files.hashing import hash_file, hash_values
from harness.files.writing import find_cache, make_folder, write_file
from harness.leaderboards.board import BOARD_NAME, Board, RankedTest
from harness.leaderboards.checks import CheckedTest, Submission, check_folder, check_result
from harness.leaderboards.forms import Form
from harness.leaderboards.history import RETIRED
from harness.leaderboards.reproduction import Reproduction, read_reproduction
from harness.leaderboards.submissions import hash_submission, list_modes, read_statements
from harness.metrics.measuring import make_measure, measure_contributions, rate_topics
from harness.metrics.table import list_published
from harness.models.registry import CHANCE, SHORTCUT, Role, find_role
from harness.stats.bootstrap import RESAMPLES, SEED, Samples, bootstrap
from harness.stats.correlation import rank_scores
from harness.support.errors import LeaderboardError, describe_cause
from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.rules.options import find_configuration

_WORKERS = 2

_DAYS_KEPT = 90
_DIGEST_BYTES = 32
_cleaned = set[Path]()

_MARKS = re.compile(r"[^a-z0-9]+")


class Identity(NamedTuple):
    """A name, a model or scores that only one submission to a test may have.

    Attributes:
        kind: "name", "model" or "scores".
        fingerprint: Fingerprint of the test.
        value: The name without punctuation and case, the fingerprint of the model, or the hash of the scores.
    """

    kind: str
    fingerprint: str
    value: str


def identify(record: Record, scores: Mapping[str, str]) -> list[Identity]:
    """List the identities of a result.

    Args:
        record: Its content.
        scores: Hashes from `hash_scores`, by name of the test.

    Returns:
        Three identities per test.
    """
    identities: list[Identity] = []
    for test_name, digest in scores.items():
        fingerprint = record.tests[test_name].fingerprint
        identities += [
            Identity("name", fingerprint, simplify_name(record.model.name)),
            Identity("model", fingerprint, record.model.fingerprint),
            Identity("scores", fingerprint, digest),
        ]
    return identities


def simplify_name(name: str) -> str:
    """Return a name of a model without case, punctuation and spaces. Names without another difference are the same."""
    return _MARKS.sub("-", name.casefold()).strip("-")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A submission whose numbers follow from its scores, or a shortcut.

    A submission may still be in conflict with another one.

    Attributes:
        name: Name of its folder, or "" for shortcuts.
        record: The content of the result.
        form: The statements of its author, or None for shortcuts.
        digest: SHA-256 of all its files, as `hash_submission` computes it, or "" for shortcuts.
        identities: Its identities, which no other submission may have.
        models: Its model, measured on the resamples of the leaderboard, by name of the test.
        score_ranks: The ranks of its scores, from `rank_scores`, by name of the test.
        reproduction: The record of its reproduction, or None if there is none.
        topic_values: Its published metrics on each topic, from `rate_topics`, by name of the test.
        state: The last decision about it, as `History.find_state` returns it.
    """

    name: str
    record: Record
    form: Form | None
    digest: str
    identities: tuple[Identity, ...]
    models: Mapping[str, MeasuredModel]
    score_ranks: Mapping[str, npt.NDArray[np.float32]]
    reproduction: Reproduction | None
    topic_values: Mapping[str, Samples] = field(default_factory=dict)
    state: str = ""

    @property
    def place(self) -> str:
        """The name of the submission, or of the shortcut, for messages."""
        return self.name or f"the shortcut {self.record.model.name}"

    @property
    def is_shortcut(self) -> bool:
        """Whether it is a shortcut of the leaderboard."""
        return not self.name

    @property
    def replaces(self) -> str:
        """The name of the submission that its author says it replaces, or ""."""
        return "" if self.form is None else self.form.replaces

    @property
    def is_retired(self) -> bool:
        """Whether its maintainer took it out of the ranks. It keeps its page."""
        return self.state == RETIRED

    @property
    def is_reproduced(self) -> bool:
        """Whether the maintainer ran the model: for reproduced submissions and shortcuts."""
        return self.is_shortcut or self.reproduction is not None

    def has_test(self, test: RankedTest) -> bool:
        """Return whether its model was measured on a test."""
        name = test.configuration
        return name in self.models and self.record.tests[name].fingerprint == test.fingerprint


def make_candidate(board: Board, submission: Submission) -> Candidate:
    """Reduce a checked submission to the data that rankings and notices need.

    Raises:
        InputError: If the record of its reproduction is damaged.
    """
    reproduction = read_reproduction(board, submission)
    return _make(submission.name, submission.result, submission.form, submission.tests, reproduction)


def find_submitted_role(record: Record) -> Role:
    """Return what the model of a submission is compared as. It never becomes a shortcut, which others have to beat."""
    role = find_role(record.model.kind)
    return CHANCE if role == SHORTCUT else role


def measure_shortcuts(board: Board) -> list[Candidate]:
    """Measure the shortcuts of a leaderboard.

    Returns:
        The shortcuts, a shortcut on a test only once. Results can overlap, because all shortcuts are evaluated again
        when tests are added.

    Raises:
        PyramidParaphraseError: If the result of a shortcut is damaged.
    """
    shortcuts, measured = [], set[tuple[str, str]]()
    for result in board.shortcuts:
        tests = check_result(board, result, with_intervals=False)
        runs = {name: (result.model, result.tests[name].fingerprint) for name in tests}
        new_tests = {name: tests[name] for name, run in runs.items() if run not in measured}
        measured.update(runs.values())
        shortcuts.append(_make("", result, None, new_tests, None))
    return shortcuts


def _make(
    name: str,
    result: Result,
    form: Form | None,
    tests: Mapping[str, CheckedTest],
    reproduction: Reproduction | None,
) -> Candidate:
    role = find_role(result.record.model.kind) if form is None else find_submitted_role(result.record)
    models, topic_values = {}, {}
    for test_name, checked in tests.items():
        split = checked.scored
        rated = rate_topics(split)
        names = [metric.name for metric in list_published(find_configuration(test_name))]
        topic_values[test_name] = {name: rated[name] for name in names}
        contributions = measure_contributions(split, with_curves=False)
        samples = checked.samples
        if samples is None:
            samples = bootstrap(make_measure(split, with_curves=False), split.topic_count, RESAMPLES, SEED)
        samples = {metric: samples[metric] for metric in contributions}  # without those of curves
        # The function must not refer to the scores, which would stay in memory.
        models[test_name] = MeasuredModel(result.model, role, checked.metrics, contributions, partial(dict, samples))
    scores = {test_name: checked.scores_sha256 for test_name, checked in tests.items()}
    return Candidate(
        name=name,
        record=result.record,
        form=form,
        digest="" if form is None else hash_submission(result, form),
        identities=tuple(identify(result.record, scores)),
        models=models,
        score_ranks={test_name: rank_scores(checked.scored.scores) for test_name, checked in tests.items()},
        topic_values=topic_values,
        reproduction=reproduction,
    )


def read_candidates(
    board: Board, without_intervals: Collection[str]
) -> Iterator[tuple[Path, Candidate | PyramidParaphraseError]]:
    """Read and check all submissions of a leaderboard, each independently.

    Args:
        board: The leaderboard.
        without_intervals: Names of the submissions whose intervals are not recomputed, because this takes most of the
            time.

    Yields:
        The folder of each submission, in the order of names, with the submission or the error that refuses it. Any
        exception of a check refuses the submission, because one submission must not end the check of the others.
    """
    for folder, check in _check_ahead(board, board.list_submissions(), without_intervals):
        try:
            yield folder, check.result()
        except PyramidParaphraseError as error:
            yield folder, error
        except Exception as error:  # a hostile submission can cause any exception in a library
            reason = f"cannot be checked ({type(error).__name__}: {describe_cause(error)})"
            refusal = LeaderboardError(f"{folder}: {reason}. Inspect its files. --verbose shows where the check failed")
            refusal.__cause__ = error
            yield folder, refusal


def _check_ahead(
    board: Board, folders: Iterable[Path], without_intervals: Collection[str]
) -> Iterator[tuple[Path, Future[Candidate]]]:
    """Check several submissions at a time in threads. Decompression and parsing release the interpreter lock."""
    parser = ScoreParser()

    def check(folder: Path) -> Candidate:
        with_intervals = folder.name not in without_intervals
        memory = locate_memory(board, folder)
        candidate = None if memory is None else _recall(board, folder, memory, with_intervals=with_intervals)
        if candidate is None:
            submission = check_folder(board, folder, with_intervals=with_intervals, parser=parser)
            candidate = make_candidate(board, submission)
            if memory is not None and memory == locate_memory(board, folder):  # no file changed in the meantime
                _remember(candidate, memory, with_intervals=with_intervals)
        return candidate

    waiting: deque[tuple[Path, Future[Candidate]]] = deque()
    with ThreadPoolExecutor(_WORKERS) as pool:
        for folder in folders:
            waiting.append((folder, pool.submit(check, folder)))
            if len(waiting) > _WORKERS:  # not more, because each keeps its scores in memory
                yield waiting.popleft()
        yield from waiting


class _TestMemory(msgspec.Struct, frozen=True):
    """What a candidate keeps of a test, with arrays as bytes."""

    metrics: dict[str, float]
    contributions: dict[str, bytes]
    samples: dict[str, bytes]
    ranks: bytes
    topics: dict[str, bytes]
    scores_sha256: str


class _Memory(msgspec.Struct, frozen=True):
    """What a check found that refused nothing. It does not contain the result, the form, and the reproduction."""

    has_intervals: bool
    digest: str
    tests: dict[str, _TestMemory]


_DECODER = msgspec.msgpack.Decoder(_Memory)
"""Made here, because msgspec 0.22 can crash if two threads decode a type for the first time."""


def locate_memory(board: Board, folder: Path) -> Path | None:
    """Return the file in the user's cache that may contain what a check of a submission found.

    Its name is the SHA-256 of all that a check depends on: the names, modes and contents of all files of the
    submission, the tests of the leaderboard, and the program. The leaderboard itself is never trusted, because a
    proposed change may contain anything.

    Returns:
        The file, which may not exist, or None for submissions that a check refuses before it reads the scores.
    """
    try:
        modes = list_modes(folder)
        if len(modes) > len(board.tests) + 2:
            return None
        files = [[name, mode, hash_file(folder / name)] for name, mode in sorted(modes.items())]
        board_mode = (board.folder / BOARD_NAME).stat().st_mode
    except (OSError, PyramidParaphraseError):
        return None
    key = hash_values([folder.name, files, board_mode, msgspec.to_builtins(board.tests), _hash_program()])
    return find_cache() / "submissions" / key


@cache
def _hash_program() -> str:
    """Compute the SHA-256 of the modules of this program, and of the versions of the libraries that compute numbers."""
    digest = hashlib.sha256()
    for package in (harness, pyramid_paraphrase):
        for path in sorted(Path(package.__path__[0]).rglob("*.py")):
            digest.update(path.read_bytes())
    return hash_values([digest.hexdigest(), sys.version, *map(version, ("numpy", "scipy", "pyarrow", "msgspec"))])


def _remember(candidate: Candidate, memory: Path, *, with_intervals: bool) -> None:
    """Write what a check found. Nothing is written if the cache cannot be used: the next check takes longer."""
    scores = {identity.fingerprint: identity.value for identity in candidate.identities if identity.kind == "scores"}
    tests = {}
    for name, model in candidate.models.items():
        tests[name] = _TestMemory(
            dict(model.metrics),
            {metric: values.tobytes() for metric, values in model.contributions.items()},
            {metric: values.tobytes() for metric, values in model.resample().items()},
            candidate.score_ranks[name].tobytes(),
            {metric: values.tobytes() for metric, values in candidate.topic_values[name].items()},
            scores[candidate.record.tests[name].fingerprint],
        )
    content = msgspec.msgpack.encode(_Memory(with_intervals, candidate.digest, tests))
    with suppress(OSError, PyramidParaphraseError):
        _remove_old(make_folder(memory.parent))
        write_file(memory, hashlib.sha256(content).digest() + content)


def _remove_old(folder: Path) -> None:
    """Remove the memory of submissions that were not checked for `_DAYS_KEPT`, once per process."""
    if folder in _cleaned:
        return
    _cleaned.add(folder)
    for path in folder.iterdir():
        if time.time() - path.stat().st_mtime > _DAYS_KEPT * 86_400:
            path.unlink(missing_ok=True)


def _recall(board: Board, folder: Path, memory: Path, *, with_intervals: bool) -> Candidate | None:
    """Read what an earlier check of the same files found, or return None if it is not known or damaged."""
    try:
        data = memory.read_bytes()
        found = _DECODER.decode(data[_DIGEST_BYTES:])
        if hashlib.sha256(data[_DIGEST_BYTES:]).digest() != data[:_DIGEST_BYTES]:
            return None
        os.utime(memory)
    except (OSError, msgspec.MsgspecError):
        return None
    if with_intervals and not found.has_intervals:
        return None
    result, form = read_statements(folder)
    if hash_submission(result, form) != found.digest:
        return None  # another process changes the files
    submission = Submission(folder.name, result, form, {})
    role = find_submitted_role(result.record)
    models, ranks, topic_values = {}, {}, {}
    for name, test in found.tests.items():
        contributions, samples, topic_values[name] = (
            {metric: np.frombuffer(values) for metric, values in arrays.items()}
            for arrays in (test.contributions, test.samples, test.topics)
        )
        models[name] = MeasuredModel(result.model, role, test.metrics, contributions, partial(dict, samples))
        ranks[name] = np.frombuffer(test.ranks, dtype=np.float32)
    scores = {name: test.scores_sha256 for name, test in found.tests.items()}
    return Candidate(
        name=folder.name,
        record=result.record,
        form=form,
        digest=found.digest,
        identities=tuple(identify(result.record, scores)),
        models=models,
        score_ranks=ranks,
        topic_values=topic_values,
        reproduction=read_reproduction(board, submission),
    )
