"""Folders that are written as a whole: which folders may be replaced, and how."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from helpers.messages import mentions

from harness.leaderboards.site.pages import write_site
from pyramid_paraphrase.errors import OutputError
from pyramid_paraphrase.files.atomic import _name_retired, exchange, write_whole_folder
from pyramid_paraphrase.publishing.export import write_folder
from pyramid_paraphrase.pyramids.corpus import Corpus

NAMES = ["a.txt", "inner/b.txt", "list"]


def write(folder: Path, text: str = "new") -> None:
    def fill(temporary: Path) -> None:
        (temporary / "inner").mkdir()
        for name in NAMES:
            (temporary / name).write_text(text)

    write_whole_folder(folder, lambda place: NAMES if (place / "list").is_file() else None, fill)


def read(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["mine.txt", "inner/mine.txt", "inner/deep/mine.txt", ".hidden/mine.txt"])
def test_a_users_file_at_any_depth_is_not_deleted(tmp_path: Path, name: str) -> None:
    """Only the top level was looked at: `built/binary/mine.txt` went away with the next build."""
    write(tmp_path / "out", "old")
    (tmp_path / "out" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "out" / name).write_text("mine")
    with pytest.raises(OutputError, match=mentions(f"out: ... {name}. ... move this file")):
        write(tmp_path / "out")
    assert (tmp_path / "out" / name).read_text() == "mine"
    assert (tmp_path / "out" / "a.txt").read_text() == "old"


def test_a_pipe_in_an_output_folder_is_not_waited_for(tmp_path: Path, sample: Corpus) -> None:
    """`build --output` and `leaderboard render` read their list of files, and waited forever for a pipe."""
    os.mkfifo(tmp_path / "manifest.json")
    os.mkfifo(tmp_path / ".pyramid-paraphrase-site")
    for write_into in (lambda: write_folder(sample, [], tmp_path), lambda: write_site({}, tmp_path)):
        with pytest.raises(OutputError, match=mentions("exists ... Choose")):
            write_into()


def test_a_users_file_that_comes_while_the_folder_is_written_is_not_deleted(tmp_path: Path) -> None:
    """Writing takes minutes, and the folder was looked at only before."""
    write(tmp_path / "out", "old")

    def fill(temporary: Path) -> None:
        (tmp_path / "out" / "mine.txt").write_text("mine")

    with pytest.raises(OutputError, match=mentions("out: ... mine.txt ... move")):
        write_whole_folder(tmp_path / "out", lambda _: NAMES, fill)
    assert (tmp_path / "out" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("target", ["elsewhere", "nowhere"])
def test_a_link_within_a_folder_is_the_users(tmp_path: Path, target: str) -> None:
    """This program did not write the link or its target."""
    (tmp_path / "elsewhere").mkdir()
    write(tmp_path / "out", "old")
    (tmp_path / "out" / "link").symlink_to(tmp_path / target)
    with pytest.raises(OutputError, match=mentions("out: ... link ... move")):
        write(tmp_path / "out")


def test_a_retired_folder_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the system cannot exchange folders, a kill can leave only the retired one. The next run restores it."""
    folder = tmp_path / "out"
    write(folder, "old")
    folder.rename(_name_retired(folder))

    def fail(_: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match=mentions("out: ... No space left on device ... free space")):
        write_whole_folder(folder, lambda _: NAMES, fail)
    assert read(folder) == dict.fromkeys(NAMES, "old")
    monkeypatch.setattr("pyramid_paraphrase.files.atomic.exchange", lambda *_: False)
    shutil.copytree(folder, _name_retired(folder))
    write(folder)
    assert read(folder) == dict.fromkeys(NAMES, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_retired_folder_beside_a_foreign_one_stays(tmp_path: Path) -> None:
    """It may be the only copy: the user made a folder of that name after the kill."""
    folder = tmp_path / "out"
    write(folder, "old")
    folder.rename(_name_retired(folder))
    folder.mkdir()
    (folder / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match=mentions("out: ... exists ... Choose")):
        write(folder)
    assert read(_name_retired(folder)) == dict.fromkeys(NAMES, "old")


def test_paths_are_exchanged(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second").write_text("")
    if not exchange(tmp_path / "first", tmp_path / "second"):
        pytest.skip("neither Linux nor macOS, or a file system that cannot exchange")
    assert (tmp_path / "first").is_file()
    assert not exchange(tmp_path / "first", tmp_path / "nothing")
    assert list((tmp_path / "second").iterdir()) == []
