"""The folder of a leaderboard: what is written, read again, found and refused."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import pytest
from helpers.messages import mentions
from helpers.submissions import edit_json, load_sample, make_overlap_result, run_before_the_lock
from msgspec.structs import replace

from harness.leaderboards import board as board_module
from harness.leaderboards.board import (
    Board,
    RankedTest,
    find_board,
    read_board,
    write_board,
)
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.errors import InputError, OutputError


def write_plain(folder: Path) -> Board:
    return write_board(folder, "Models", load_sample().tests[:1])


def test_a_board_is_written_and_read(tmp_path: Path) -> None:
    """A part of a fingerprint names the file of a key. Tests can be added, but are never described twice."""
    binary, ranking = load_sample().tests
    board = write_board(tmp_path, "", [binary])
    assert board.title == "Pyramid paraphrase leaderboard"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "README.md", "keys", "leaderboard.json", "reproductions", "shortcuts", "submissions",
    ]  # fmt: skip
    (test,) = board.tests
    rows = sum(table.num_rows for tables in binary.splits.values() for table in tables)
    assert (test.configuration, test.fingerprint, test.rows) == ("binary", binary.fingerprint, rows)
    assert test.key == f"binary-{binary.fingerprint[:12]}.csv.gz"
    assert test.key_sha256 == hashlib.sha256((tmp_path / "keys" / test.key).read_bytes()).hexdigest()
    assert read_board(tmp_path) == board
    assert '"format": 1,' in (tmp_path / "leaderboard.json").read_text()

    key = tmp_path / "keys" / test.key
    key.chmod(0o600)
    kept = key.stat().st_ino
    (tmp_path / "README.md").write_text("My own instructions.")
    more = write_board(tmp_path, "Models", [binary, ranking], [make_overlap_result()])
    assert (more.title, more.tests[0], len(more.tests)) == ("Models", test, 2)
    assert more.find_test("ranking", ranking.fingerprint) == more.tests[1]
    assert more.find_test("ranking", binary.fingerprint) is None
    assert key.stat().st_ino == kept
    assert (tmp_path / "README.md").read_text() == "My own instructions."
    assert write_board(tmp_path, "", []) == more
    assert [result.record.model.name for result in more.shortcuts] == ["overlap"]
    assert len(more.key(test).ids) == rows
    assert more.key(test) is more.key(test)


def test_a_title_is_plain_text_in_the_instructions(tmp_path: Path) -> None:
    """HTML in the title was HTML in README.md, which platforms show as a page."""
    title = "<img src=x onerror=alert(1)> {0} [a](javascript:b) ![c](d) # *e* `f`"
    assert write_board(tmp_path, title, load_sample().tests[:1]).title == title
    heading = next(line for line in (tmp_path / "README.md").read_text().splitlines() if line.startswith("# "))
    assert heading == (r"# \<img src=x onerror=alert(1)\> \{0\} \[a\](javascript:b) !\[c\](d) \# \*e\* \`f\`")
    assert read_board(tmp_path).title == title
    with pytest.raises(LeaderboardError, match=mentions("title ... nobody sees")):
        write_board(tmp_path, "a\u3164", [])
    assert read_board(tmp_path).title == title


def test_tests_that_another_process_adds_are_not_lost(tmp_path: Path) -> None:
    """Of two `leaderboard init` at the same time, the second replaced the tests of the first, and both succeeded."""
    binary, ranking = load_sample().tests
    with (
        run_before_the_lock(board_module, lambda: write_board(tmp_path, "", [binary])),
        pytest.raises(LeaderboardError, match=mentions("another process ... meantime. Run the command again")),
    ):
        write_board(tmp_path, "", [ranking])
    assert [test.configuration for test in read_board(tmp_path).tests] == ["binary"]
    assert len(write_board(tmp_path, "", [ranking]).tests) == 2


def test_another_key_is_refused(tmp_path: Path) -> None:
    board = write_board(tmp_path, "", load_sample().tests[:1])
    (test,) = board.tests
    key = tmp_path / "keys" / test.key
    key.write_bytes(key.read_bytes() + b"\0")
    with pytest.raises(LeaderboardError, match=mentions(f"{test.key}: ... key ... leaderboard init")):
        board.key(test)
    key.unlink()
    with pytest.raises(InputError, match=mentions(f"{test.key}: ... leaderboard init")):
        board.key(replace(test))


def test_submissions_are_found(tmp_path: Path) -> None:
    board = write_plain(tmp_path)
    assert board.shortcuts == []
    assert board.list_submissions() == []
    for name in ("b", "a"):
        (tmp_path / "submissions" / name).mkdir()
    submissions = tmp_path / "submissions"
    assert board.list_submissions() == [submissions / "a", submissions / "b"]
    assert board.find_submission(submissions / "a") == submissions / "a"
    for path in (submissions, submissions / "a" / "x.json", tmp_path / "shortcuts" / "a", tmp_path):
        with pytest.raises(LeaderboardError, match=mentions(f"{path}: ... not a submission ... {submissions}")):
            board.find_submission(path)
    for name in ("b", "a"):
        (submissions / name).rmdir()
    submissions.rmdir()
    assert board.list_submissions() == []


def test_the_board_around_a_path_is_found(tmp_path: Path) -> None:
    """A leaderboard within a submission must not be used to check it, but may be anywhere else."""
    board = write_plain(tmp_path / "board")
    submission = board.folder / "submissions" / "a"
    write_plain(submission)
    for path in (board.folder, submission / "x.json", submission, board.folder / "keys"):
        assert find_board(path) == board
    other = write_plain(tmp_path / "submissions" / "other")  # in a folder of this name that is not a leaderboard's
    assert find_board(other.folder / "keys") == other
    inner = write_plain(board.folder / "drafts" / "inner")
    assert find_board(inner.folder) == inner
    with pytest.raises(LeaderboardError, match=mentions(f"{tmp_path}: ... leaderboard ... leaderboard.json")):
        find_board(tmp_path)


def test_a_folder_without_a_board(tmp_path: Path) -> None:
    with pytest.raises(LeaderboardError, match=mentions(f"{tmp_path}: ... leaderboard init {tmp_path} --data")):
        read_board(tmp_path)


@pytest.mark.parametrize("name", ["leaderboard.json", "keys", "submissions", "shortcuts", "reproductions"])
def test_links_are_refused(name: str, tmp_path: Path) -> None:
    write_plain(tmp_path / "board")
    (tmp_path / "board" / name).rename(tmp_path / "elsewhere")
    (tmp_path / "board" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LeaderboardError, match=mentions(f"{tmp_path / 'board' / name}: ... link ... Replace")):
        read_board(tmp_path / "board")


@pytest.mark.parametrize("name", ["keys", "submissions", "shortcuts", "reproductions"])
def test_a_file_in_place_of_a_folder_is_refused(name: str, tmp_path: Path) -> None:
    """It was read as an empty folder, so all submissions, or the shortcuts that they have to beat, were gone."""
    write_plain(tmp_path)
    shutil.rmtree(tmp_path / name)
    (tmp_path / name).touch()
    with pytest.raises(LeaderboardError, match=mentions(f"{tmp_path / name}: ... Restore")):
        read_board(tmp_path)
    (tmp_path / name).unlink()  # git keeps no empty folders
    assert read_board(tmp_path).list_submissions() == []


def test_a_damaged_board_is_refused(tmp_path: Path) -> None:
    write_plain(tmp_path)
    edit_json(tmp_path / "leaderboard.json", lambda value: value.update(title=1))
    with pytest.raises(InputError, match=mentions("leaderboard.json: ... title ... leaderboard init")):
        read_board(tmp_path)


def test_a_board_that_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=mentions(f"{tmp_path}: ... title")):
        write_board(tmp_path, "x" * 10_000, load_sample().tests)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match=mentions("file")):
        write_plain(tmp_path / "file")
    board = write_plain(tmp_path / "board")
    (tmp_path / "other" / "keys" / board.tests[0].key).mkdir(parents=True)
    with pytest.raises(OutputError, match=mentions(f"{tmp_path / 'other'}: ... (Is a directory)")):
        write_plain(tmp_path / "other")
    assert not (tmp_path / "other" / "leaderboard.json").exists()


def test_sizes_are_limited(tmp_path: Path) -> None:
    """1 MiB for the description, and 64 MiB for a key."""
    board = write_plain(tmp_path)
    path = tmp_path / "leaderboard.json"
    description = path.read_bytes()
    path.write_bytes(description + b" " * ((1 << 20) - len(description)))
    assert read_board(tmp_path) == board
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(InputError, match=mentions("leaderboard.json: ... 1,048,576 bytes")):
        read_board(tmp_path)
    key = tmp_path / "keys" / board.tests[0].key
    os.truncate(key, 64 << 20)
    with pytest.raises(LeaderboardError, match=mentions(f"{key}: ... key")):
        board.key(board.tests[0])
    os.truncate(key, (64 << 20) + 1)
    with pytest.raises(InputError, match=mentions("67,108,864 bytes")):
        board.key(board.tests[0])


def test_tests_are_found_by_name_and_fingerprint(tmp_path: Path) -> None:
    tests = tuple(RankedTest(name, print_ * 64, (), {}, 1, "key", "k" * 64) for name in "ab" for print_ in "12")
    board = Board(tmp_path, "Models", tests)
    assert board.find_test("b", "1" * 64) == tests[2]
    assert board.find_test("b", "3" * 64) is None
