"""The folder of converted models, with made-up conversions."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from harness.models.files.conversions import default_folder, find, keep, list_conversions, remove_conversions
from pyramid_paraphrase.errors import OutputError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of converted models, which does not exist yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return default_folder()


def convert(name: str, key: str, content: bytes = b"four") -> Path:
    """Keep a model of one file, and return its folder."""

    def write(folder: Path) -> None:
        (folder / "model.onnx").write_bytes(content)

    return keep(key, name, "onnx", write)


def test_a_conversion_is_kept_under_its_key(folder: Path) -> None:
    assert find("a" * 64) is None
    kept = convert("org/x", "a" * 64)
    assert kept == folder / ("a" * 64) == find("a" * 64)
    assert (kept / "model.onnx").read_bytes() == b"four"
    assert json.loads((kept / "about.json").read_bytes()) == {"model": "org/x", "backend": "onnx"}
    assert [path.name for path in folder.iterdir()] == ["a" * 64]


def test_a_conversion_replaces_the_one_with_its_key() -> None:
    convert("org/x", "a" * 64)
    assert (convert("org/x", "a" * 64, b"new") / "model.onnx").read_bytes() == b"new"


def test_a_failed_conversion_leaves_nothing(folder: Path) -> None:
    def fail(_: Path) -> None:
        raise ValueError("cannot be converted")

    with pytest.raises(ValueError, match="cannot be converted"):
        keep("a" * 64, "org/x", "onnx", fail)
    assert list(folder.iterdir()) == []


def test_the_model_that_was_used_last_comes_first(folder: Path) -> None:
    assert list_conversions() == []
    for number, key in enumerate(("a" * 64, "b" * 64, "c" * 64)):
        os.utime(convert(f"org/{key[0]}", key), (number, number))
    find("a" * 64)  # uses it
    assert [kept.key[0] for kept in list_conversions()] == ["a", "c", "b"]
    assert [kept.key[0] for kept in list_conversions("org/c")] == ["c"]
    assert [kept.key[0] for kept in list_conversions("bbbbbbbb")] == ["b"]
    (kept,) = list_conversions("org/c")
    assert kept.bytes == sum(path.stat().st_size for path in (folder / kept.key).iterdir()) > len(b"four")
    remove_conversions([kept])
    assert [kept.key[0] for kept in list_conversions()] == ["a", "b"]


@pytest.mark.parametrize(
    "about",
    ["", "[]", "5", "null", '{"model": "x"}', '{"model": 1, "backend": []}', "[" * 100_000, "1" * 5_000, "\xff"],
)
def test_a_damaged_description_is_listed_so_that_it_can_be_removed(folder: Path, about: str) -> None:
    """Such a conversion was not listed and not removed, and nested brackets ended the command."""
    (convert("org/x", "a" * 64) / "about.json").write_text(about, encoding="latin-1")
    (kept,) = list_conversions()
    assert (kept.name, kept.backend, kept.key) == ("(damaged)", "(damaged)", "a" * 64)
    assert [damaged.key for damaged in list_conversions("a" * 64)] == ["a" * 64]
    remove_conversions([kept])
    assert list(folder.iterdir()) == []


def test_other_files_are_no_conversions(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("of the user")
    (folder / ".pyramid-paraphrase-0.tmp").mkdir()
    assert list_conversions() == []


def test_no_description_is_waited_for(folder: Path) -> None:
    (folder / "a").mkdir(parents=True)
    os.mkfifo(folder / "a" / "about.json")
    assert [kept.name for kept in list_conversions()] == ["(damaged)"]


def test_a_conversion_that_cannot_be_removed_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was named as removed."""
    convert("org/x", "a" * 64)

    def fail(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("shutil.rmtree", fail)
    with pytest.raises(OutputError, match=r"a{64}: cannot be removed"):
        remove_conversions(list_conversions())


def test_a_conversion_that_another_process_removes(folder: Path) -> None:
    convert("org/x", "a" * 64)
    kept = list_conversions()
    remove_conversions(kept)
    remove_conversions(kept)
    assert list_conversions() == []
