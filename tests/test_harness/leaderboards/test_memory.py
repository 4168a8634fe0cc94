"""Checks are remembered by the content of submissions, in the user's cache. What changed is checked again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.submissions import FORM, make_board, make_overlap_result

from harness.evaluation.score_files import ScoreParser
from harness.files.json_files import render_json
from harness.leaderboards import candidates
from harness.leaderboards.board import Board
from harness.leaderboards.candidates import Candidate, locate_memory, read_candidates
from harness.leaderboards.submissions import write_submission
from pyramid_paraphrase.errors import PyramidParaphraseError


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Board:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return make_board(tmp_path / "board")


@pytest.fixture
def folder(board: Board) -> Path:
    return write_submission(board, make_overlap_result(), FORM)


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """The submissions that were checked, and whether with their intervals."""
    names, check_folder = list[tuple[str, bool]](), candidates.check_folder

    def check(board: Board, folder: Path, *, with_intervals: bool, parser: ScoreParser) -> object:
        names.append((folder.name, with_intervals))
        return check_folder(board, folder, with_intervals=with_intervals, parser=parser)

    monkeypatch.setattr(candidates, "check_folder", check)
    return names


def read(board: Board, *, with_intervals: bool = True) -> Candidate | PyramidParaphraseError:
    names = set() if with_intervals else {folder.name for folder in board.list_submissions()}
    ((_, outcome),) = read_candidates(board, names)
    return outcome


def list_content(candidate: object) -> list[object]:
    assert isinstance(candidate, Candidate)
    models = []
    for model in candidate.models.values():
        parts = (model.contributions, model.resample())
        arrays = [{name: values.tolist() for name, values in part.items()} for part in parts]
        models.append((model.name, model.role, dict(model.metrics), arrays))
    ranks = {name: (values.dtype, values.tolist()) for name, values in candidate.score_ranks.items()}
    topics = []
    for name, values in candidate.topic_values.items():
        topics.append((name, {metric: repr(part.tolist()) for metric, part in values.items()}))
    others = (candidate.record, candidate.form, candidate.digest, candidate.identities, candidate.reproduction)
    return [candidate.name, *others, list(candidate.models), models, ranks, topics]


def test_a_submission_is_checked_once(board: Board, folder: Path, checked: list[tuple[str, bool]]) -> None:
    """The check of 1,000 submissions took 152 seconds each time, also if one of them was new."""
    first, second = read(board), read(board)
    assert checked == [(folder.name, True)]
    assert list_content(first) == list_content(second)
    assert list_content(read(board, with_intervals=False)) == list_content(first)
    assert len(checked) == 1


def test_a_check_without_intervals_does_not_replace_one_with_them(
    board: Board, folder: Path, checked: list[tuple[str, bool]]
) -> None:
    for with_intervals in (False, False, True, False, True):
        read(board, with_intervals=with_intervals)
    assert checked == [(folder.name, False), (folder.name, True)]


def edit_number(board: Board, folder: Path) -> None:
    (path,) = [path for path in folder.glob("*.json") if path.name != "submission.json"]
    record = json.loads(path.read_text())
    record["tests"]["ranking"]["metrics"]["mrr"] = 0.99
    path.write_bytes(render_json(record))


def edit_scores(board: Board, folder: Path) -> None:
    path = next(folder.glob("*.ranking.csv.gz"))
    path.write_bytes(path.read_bytes()[:-1] + b"?")


def add_file(board: Board, folder: Path) -> None:
    (folder / "more.txt").write_text("text")


def make_executable(board: Board, folder: Path) -> None:
    (folder / "submission.json").chmod(0o755)


def link_file(board: Board, folder: Path) -> None:
    path = folder / "submission.json"
    path.rename(folder.parent.parent / "elsewhere.json")
    path.symlink_to(folder.parent.parent / "elsewhere.json")


def rename_folder(board: Board, folder: Path) -> None:
    folder.rename(folder.with_name("other"))


@pytest.mark.parametrize("edit", [edit_number, edit_scores, add_file, make_executable, link_file, rename_folder])
def test_changed_submissions_are_refused_as_before(
    board: Board, folder: Path, edit: Callable[[Board, Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(read(board), Candidate)
    edit(board, folder)
    refusal = read(board)
    assert isinstance(refusal, PyramidParaphraseError)
    monkeypatch.setattr(candidates, "locate_memory", lambda *_: None)
    assert str(refusal) == str(read(board))


def test_other_tests_and_other_programs_check_again(
    board: Board, folder: Path, checked: list[tuple[str, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {locate_memory(board, folder)}
    tests = tuple(replace_rows(test.__struct_fields__, test) for test in board.tests)
    places.add(locate_memory(replace(board, tests=tests), folder))
    monkeypatch.setattr(candidates, "_hash_program", lambda: "another release")
    places.add(locate_memory(board, folder))
    assert len(places) == 3
    assert None not in places


def replace_rows(names: tuple[str, ...], test: object) -> object:
    values = {name: getattr(test, name) for name in names}
    return type(test)(**{**values, "rows": values["rows"] + 1})


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: data[:-1] + bytes([data[-1] ^ 1]), lambda _: b""]
)
def test_damaged_memory_is_not_used(
    board: Board, folder: Path, checked: list[tuple[str, bool]], damage: Callable[[bytes], bytes]
) -> None:
    first = read(board)
    memory = locate_memory(board, folder)
    assert memory is not None
    memory.write_bytes(damage(memory.read_bytes()))
    assert list_content(read(board)) == list_content(first)
    assert len(checked) == 2


def test_a_cache_that_cannot_be_written_is_left_out(
    board: Board, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checked: list[tuple[str, bool]]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    for _ in range(2):
        assert isinstance(read(board), Candidate)
    assert len(checked) == 2
