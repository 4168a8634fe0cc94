"""A complete folder takes its place, or nothing changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyramid_paraphrase.files import atomic
from pyramid_paraphrase.files.atomic import put_folder


def make_folder(path: Path, text: str) -> Path:
    path.mkdir()
    (path / "file").write_text(text)
    return path


def read(folder: Path) -> str:
    return (folder / "file").read_text()


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_folder_takes_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, can_exchange: bool) -> None:
    if not can_exchange:
        monkeypatch.setattr(atomic, "exchange", lambda *_: False)
    put_folder(make_folder(tmp_path / "ready", "first"), tmp_path / "folder")
    assert read(tmp_path / "folder") == "first"
    put_folder(make_folder(tmp_path / "ready", "second"), tmp_path / "folder")
    assert read(tmp_path / "folder") == "second"
    assert {path.name for path in tmp_path.iterdir()} <= {"folder", "ready"}


def test_without_the_parent_nothing_changes(tmp_path: Path) -> None:
    ready = make_folder(tmp_path / "ready", "new")
    with pytest.raises(FileNotFoundError):
        put_folder(ready, tmp_path / "missing" / "folder")
    assert read(ready) == "new"
    assert list(tmp_path.iterdir()) == [ready]


def test_a_folder_that_another_process_puts_first_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other process creates the folder between the check and the renaming, which then fails."""
    ready, folder = make_folder(tmp_path / "ready", "mine"), tmp_path / "folder"
    rename = Path.rename

    def be_late(path: Path, target: Path) -> Path:
        if path == ready and not folder.exists():
            make_folder(folder, "theirs")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", be_late)
    put_folder(ready, folder)
    assert read(folder) == "mine"


def test_the_old_folder_comes_back_if_the_new_one_cannot_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_folder(tmp_path / "folder", "old")
    monkeypatch.setattr(atomic, "exchange", lambda *_: False)
    with pytest.raises(FileNotFoundError):
        put_folder(tmp_path / "missing", folder)
    assert read(folder) == "old"
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["folder"]
