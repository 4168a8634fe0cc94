"""Audits of a corpus: the rows of each test that it contains, scores without these rows, reports and records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from harness.evaluation.results import Result
from harness.files.json_files import Count, Date, JsonRecord, Sha256, ShortLine, make_record, read_record, render_json
from harness.files.writing import make_folder, write_file
from harness.leaderboards.board import AUDITS, Board, RankedTest
from harness.leaderboards.checks import CheckedTest, check_folder, check_result
from harness.leaderboards.contamination.grams import VERSION, GramIndex
from harness.leaderboards.contamination.prints import HashedTest, read_prints
from harness.leaderboards.contamination.search import SearchedFile, hash_corpus, search_corpus
from harness.leaderboards.history import RANKED, find_today, read_history
from harness.metrics.measuring import measure_split
from harness.metrics.table import find_main_metric
from harness.rendering.reports import Cell, Grid, Report
from harness.rendering.tables import count_of, join_some
from harness.stats.rounding import RoundedScores
from harness.support.arrays import Flags
from harness.support.names import slug
from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.files.inputs import is_folder
from pyramid_paraphrase.rules.options import find_configuration

_MAX_BYTES = 1 << 20
_REMEDY = "Write it again with `pyramid-paraphrase leaderboard audit BOARD CORPUS --record NAME`"

_MOST_FILES = 3
_MEANING = (
    "A side was found if the corpus contains 8 words of it in succession, or all words of a side of 4 to 7 words. "
    "This does not prove that a model was trained on the row: news in the corpus can contain the sentences that a "
    "summary quotes."
)


class AuditedTest(JsonRecord, frozen=True):
    """The rows of a test, and how many of them a corpus contains.

    Attributes:
        configuration: Name of the test.
        fingerprint: Its fingerprint.
        rows: Number of rows of its test split.
        one_side: Number of rows of which the corpus contains exactly one side.
        both_sides: Number of rows of which it contains both sides.
        both_long: Number of rows of which it contains both sides, by 8 words in succession of each.
        not_searchable: Number of rows with a side that has too few words to be searched.
    """

    configuration: ShortLine
    fingerprint: Sha256
    rows: Count
    one_side: Count
    both_sides: Count
    both_long: Count
    not_searchable: Count


class Audit(JsonRecord, frozen=True, tag_field="format", tag=1):
    """The record of an audit.

    Attributes:
        corpus: Name of the corpus, as the maintainer gave it.
        date: Date of the audit, in ISO format.
        sha256: SHA-256 of the words that were searched.
        files: Number of files.
        unread: Number of files that were not read, or not to their end.
        words: Number of words that were searched.
        version: Version of the division into words.
        tests: The tests of the leaderboard.
    """

    corpus: ShortLine
    date: Date
    sha256: Sha256
    files: Count
    unread: Count
    words: Count
    version: Count
    tests: Annotated[tuple[AuditedTest, ...], Meta(min_length=1)]


class AuditOutcome(NamedTuple):
    """An audit with its details, which are not recorded.

    Attributes:
        audit: The record.
        tests: The tests of the leaderboard.
        hits: By fingerprint, whether the corpus contains the sides of the rows of the test split, in the order of the
            key, shape (rows, 2).
        files: The files that were searched.
        counts: Numbers of lines and places that were not read as they should be, by reason.
    """

    audit: Audit
    tests: Sequence[RankedTest]
    hits: dict[str, Flags]
    files: Sequence[SearchedFile]
    counts: Counter[str]


def audit_corpus(
    board: Board, paths: Sequence[Path], name: str, fields: Sequence[str] = (), workers: int = 1
) -> AuditOutcome:
    """Search a corpus for the texts of the tests of a leaderboard.

    Args:
        board: The leaderboard.
        paths: Files and folders of the corpus.
        name: Name of the corpus, for the record.
        fields: Names of the fields of JSON, or of the columns of Parquet, that are searched. All of them if empty.
        workers: Number of processes. The outcome does not depend on it.

    Raises:
        InputError: If the hashes of a test are missing or damaged, or a path is missing.
        EmptyResultError: If there are no files.
    """
    tests = [test for test in board.tests if not test.superseded]
    hashed = [read_prints(board.locate_hashes(test), test.fingerprint, len(board.key(test).ids)) for test in tests]
    index = GramIndex([test.grams for test in hashed], [test.salt for test in hashed])
    files, counts = search_corpus(index, paths, fields, workers, visible=True)
    is_found = np.zeros(sum(len(test.grams) for test in hashed), dtype=np.bool_)
    is_found[sorted(frozenset().union(*(file.found for file in files)))] = True
    parts = np.split(is_found, np.cumsum([len(test.grams) for test in hashed])[:-1])
    audited, hits = [], {}
    for test, hashes, found in zip(tests, hashed, parts, strict=True):
        hits[test.fingerprint], record = _find_rows(board, test, hashes, found)
        audited.append(record)
    audit = Audit(
        corpus=name,
        date=find_today(),
        sha256=hash_corpus(files),
        files=len(files),
        unread=sum(bool(file.problem) for file in files),
        words=sum(file.words for file in files),
        version=VERSION,
        tests=tuple(audited),
    )
    return AuditOutcome(audit, tests, hits, files, counts)


def _find_rows(board: Board, test: RankedTest, hashed: HashedTest, is_found: Flags) -> tuple[Flags, AuditedTest]:
    """Return which sides of the rows of the test split were found, in the order of the key, and their numbers."""
    key = board.key(test)
    order = np.argsort(np.argsort(np.array(key.ids)))[key.is_test]  # the rows are stored in the order of their ids
    hits, rows = hashed.find_rows(is_found)[order], hashed.rows[order]
    sides = hits.sum(axis=1)
    return hits, AuditedTest(
        configuration=test.configuration,
        fingerprint=test.fingerprint,
        rows=len(rows),
        one_side=int((sides == 1).sum()),
        both_sides=int((sides == 2).sum()),
        both_long=int((hits & ~hashed.is_short[rows]).all(axis=1).sum()),
        not_searchable=int((~hashed.is_searchable[rows]).any(axis=1).sum()),
    )


class ScoreWithout(NamedTuple):
    """The main metric of a model on a test, with all rows and with fewer.

    Attributes:
        test: The test.
        model: Name of the model.
        metric: Name of the metric.
        value: Its value on all rows.
        without_both: Its value without the rows of which the corpus contains both sides. None if no row is left.
        without_any: Its value without the rows of which it contains a side.
    """

    test: RankedTest
    model: str
    metric: str
    value: float
    without_both: float | None
    without_any: float | None


def compare_scores(board: Board, outcome: AuditOutcome, results: Sequence[Result]) -> Iterator[ScoreWithout]:
    """Measure models with and without the rows that a corpus contains. Thresholds stay as they are.

    Args:
        board: The leaderboard.
        outcome: The audit.
        results: Results on its tests.

    Raises:
        PyramidParaphraseError: If a result cannot be of the tests.
    """
    checked = [(result, check_result(board, result, with_intervals=False)) for result in results]
    for test in outcome.tests:
        hits = outcome.hits[test.fingerprint]
        for result, tests in checked:
            part = tests.get(test.configuration)
            if part is not None and result.tests[test.configuration].fingerprint == test.fingerprint:
                yield _measure_without(test, result.model, part, hits)


def _measure_without(test: RankedTest, model: str, checked: CheckedTest, hits: Flags) -> ScoreWithout:
    metric = find_main_metric(find_configuration(test.configuration)).name

    def measure(is_kept: Flags) -> float | None:
        split = checked.scored
        if not is_kept.any():
            return None
        kept = replace(
            split,
            targets=split.targets[is_kept],
            topics=split.topics[is_kept],
            scores=RoundedScores(split.scores[is_kept]),
        )
        return measure_split(kept)[metric]

    without = measure(np.asarray(~hits.all(axis=1))), measure(np.asarray(~hits.any(axis=1)))
    return ScoreWithout(test, model, metric, checked.metrics[metric], *without)


def list_results(board: Board) -> tuple[list[Result], list[PyramidParaphraseError]]:
    """Return the results of the shortcuts and of the ranked submissions, and errors about damaged submissions."""
    results, errors, history = list(board.shortcuts), list[PyramidParaphraseError](), read_history(board)
    for folder in board.list_submissions():
        if history.find_state(folder.name) in RANKED:
            try:
                results.append(check_folder(board, folder, with_intervals=False).result)
            except PyramidParaphraseError as error:
                errors.append(error)
    return results, errors


def write_audit(board: Board, audit: Audit) -> Path:
    """Record an audit in a leaderboard, under the name of its corpus. An earlier audit of that name is replaced.

    Raises:
        OutputError: If it cannot be written.
    """
    content = render_json(msgspec.to_builtins(audit))
    make_record(msgspec.to_builtins(audit), Audit, "the audit", "record of an audit", "change the name of the corpus")
    path = make_folder(board.folder / AUDITS) / f"{slug(audit.corpus)}.json"
    write_file(path, content)
    return path


def read_audits(board: Board) -> list[Audit]:
    """Read the recorded audits of a leaderboard, in the order of their names.

    Raises:
        InputError: If one is damaged.
    """
    folder = board.folder / AUDITS
    paths = sorted(folder.glob("*.json")) if is_folder(folder) else []
    return [read_record(path, Audit, kind="record of an audit", limit=_MAX_BYTES, remedy=_REMEDY) for path in paths]


def make_report(outcome: AuditOutcome, scores: Sequence[ScoreWithout]) -> Report:
    """Make a report of an audit: its rows per test, and scores with and without these rows."""
    audit = outcome.audit
    header = ("test", "rows", "one side", "both sides", "both by 8 words")
    rows = [
        (f"{test.configuration} {test.fingerprint[:12]}", test.rows, test.one_side, test.both_sides, test.both_long)
        for test in audit.tests
    ]
    grids = [Grid(header, tuple(rows), title=f"Rows whose texts {audit.corpus} contains")]
    if scores:
        cells = [
            (
                f"{score.test.configuration}: {score.model}",
                score.metric,
                *map(Cell, (score.value, score.without_both, score.without_any)),
            )
            for score in scores
        ]
        titles = ("model", "metric", "all rows", "without both sides", "without any side")
        grids.append(Grid(titles, tuple(cells), keys=2, title="Scores with and without these rows"))
    numbers = Grid(header, tuple(rows))
    return Report(tuple(grids), tuple(_list_notes(outcome)), numbers, _make_record(outcome, scores))


def _list_notes(outcome: AuditOutcome) -> Iterable[str]:
    audit = outcome.audit
    yield _MEANING
    short = [f"{test.not_searchable:,} of {test.configuration}" for test in audit.tests if test.not_searchable]
    if short:
        yield f"Rows with a side of fewer than 4 words, which is not searched: {', '.join(short)}."
    yield f"{count_of(audit.files, 'file')}, {count_of(audit.words, 'word')}, SHA-256 of the words {audit.sha256[:12]}"
    hits = sorted((file for file in outcome.files if file.found), key=lambda file: (-len(file.found), file.name))
    if hits:
        yield f"Most hits: {join_some([f'{file.name} ({len(file.found):,} hashes)' for file in hits], _MOST_FILES)}"


def _make_record(outcome: AuditOutcome, scores: Sequence[ScoreWithout]) -> dict[str, object]:
    files = [
        {"name": file.name, "words": file.words, "hashes": len(file.found), "problem": file.problem}
        for file in outcome.files
    ]
    return {
        "audit": msgspec.to_builtins(outcome.audit),
        "counts": dict(sorted(outcome.counts.items())),
        "files": files,
        "scores": [
            {
                "configuration": score.test.configuration,
                "fingerprint": score.test.fingerprint,
                "model": score.model,
                "metric": score.metric,
                "value": score.value,
                "without_both_sides": score.without_both,
                "without_any_side": score.without_any,
            }
            for score in scores
        ],
    }
