"""Built tests on disk are read only if all that determines them is the same, and never if they are damaged."""

from __future__ import annotations

import logging
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import Capture, run
from helpers.fingerprints import SAMPLE_FINGERPRINTS
from helpers.messages import mentions

import pyramid_paraphrase.loading
from harness.models.files import kept_tests
from harness.models.files.kept_tests import load_kept_tests
from harness.models.files.store import TEST_SUFFIX, ModelStore
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.building.built_tests import BuiltTest

NAMES = ["binary", "ranking"]


@pytest.fixture(autouse=True)
def small_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep small tests, too."""
    monkeypatch.setattr(kept_tests, "_MIN_ROWS", 1)


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "store")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A copy of the sample, about which no message is shown."""
    return Path(shutil.copytree(SAMPLE_DIR, tmp_path / "corpus"))


def refuse(*_: object, **__: object) -> Any:  # noqa: ANN401
    raise AssertionError("a test was built")


def load(corpus: Path | str, store: ModelStore, names: list[str] = NAMES, *, resume: bool = True) -> list[str]:
    """Load tests, and return the names of those that were kept."""
    tests, kept = load_kept_tests([corpus], names, store, resume=resume)
    assert [test.configuration.name for test in tests] == names
    assert [test.fingerprint[:12] for test in tests] == [SAMPLE_FINGERPRINTS[name] for name in names]
    return kept


def describe(test: BuiltTest) -> dict[str, object]:
    """Return all fields of a test, with rows as Python objects."""
    fields = {name: getattr(test, name) for name in BuiltTest.__dataclass_fields__}
    splits = {name: [table.to_pylist() for table in tables] for name, tables in test.splits.items()}
    return fields | {"splits": splits, "schemas": [tables[0].schema for tables in test.splits.values()]}


def test_a_kept_test_has_all_fields_of_the_built_one(
    corpus: Path, store: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    built, kept = load_kept_tests([corpus], NAMES, store, resume=True)
    assert kept == []
    monkeypatch.setattr(pyramid_paraphrase.loading, "load_tests", refuse)
    again, kept = load_kept_tests([corpus], NAMES, store, resume=True)
    assert kept == NAMES
    assert list(map(describe, again)) == list(map(describe, built))
    # Rows are aligned for Arrow: the line before them has a multiple of 64 bytes.
    paths = list(store.folder.iterdir())
    assert [path.read_bytes().index(b"ARROW1") % 64 for path in paths] == [0, 0]


def test_only_missing_tests_are_built(corpus: Path, store: ModelStore) -> None:
    assert load(corpus, store, ["ranking"]) == []
    assert load(corpus, store) == ["ranking"]
    assert load(corpus, store) == NAMES


def change_text(corpus: Path, _: pytest.MonkeyPatch) -> None:
    path = min(corpus.rglob("*.pyr"))
    path.write_bytes(path.read_bytes() + b"\n")


def add_file(corpus: Path, _: pytest.MonkeyPatch) -> None:
    (corpus / "notes.txt").write_text("one more")


def change_code(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_tests, "code_hash", lambda: "other code")


def change_library(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_tests, "find_versions", lambda *_: {"lxml": "0"})


@pytest.mark.parametrize("change", [change_text, add_file, change_code, change_library])
def test_other_content_code_and_libraries_mean_other_tests(
    change: Callable[[Path, pytest.MonkeyPatch], None],
    corpus: Path,
    store: ModelStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    load(corpus, store)
    change(corpus, monkeypatch)
    assert load(corpus, store) == []
    assert load(corpus, store) == NAMES


def test_tests_are_built_and_replaced_without_resume(corpus: Path, store: ModelStore) -> None:
    load(corpus, store)
    for path in store.folder.iterdir():
        os.utime(path, (1, 1))
    assert load(corpus, store, resume=False) == []
    assert all(path.stat().st_mtime > 1 for path in store.folder.iterdir())


def test_a_use_is_recorded(corpus: Path, store: ModelStore) -> None:
    load(corpus, store)
    for path in store.folder.iterdir():
        os.utime(path, (1, 1))
    load(corpus, store)
    assert all(path.stat().st_mtime > 1 for path in store.folder.iterdir())


def change_byte(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: change_byte(path, 10),
        lambda path: change_byte(path, path.stat().st_size // 2),
        lambda path: change_byte(path, -1),
        lambda path: path.write_bytes(path.read_bytes()[:-100]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"of another program"),
    ],
    ids=["line", "rows", "digest", "cut", "empty", "foreign"],
)
def test_damaged_tests_are_built_again(
    damage: Callable[[Path], None], corpus: Path, store: ModelStore, caplog: pytest.LogCaptureFixture
) -> None:
    load(corpus, store, ["ranking"])
    (path,) = store.folder.iterdir()
    damage(path)
    assert load(corpus, store, ["ranking"]) == []
    (message,) = caplog.messages
    assert re.search(mentions(f"{path.name} ... damaged ... built again"), message)
    assert load(corpus, store, ["ranking"]) == ["ranking"]


def test_a_renamed_file_is_not_taken_for_another_test(
    corpus: Path, store: ModelStore, caplog: pytest.LogCaptureFixture
) -> None:
    load(corpus, store)
    first, second = store.folder.iterdir()
    first.replace(second)
    assert len(load(corpus, store)) == 0
    assert re.search(mentions(f"{second.name} ... damaged"), caplog.text)
    assert load(corpus, store) == NAMES


def test_messages_about_the_data_are_repeated(store: ModelStore, caplog: pytest.LogCaptureFixture) -> None:
    load("sample", store)
    first = caplog.messages[:]
    caplog.clear()
    assert load("sample", store) == NAMES
    assert caplog.messages == first
    assert len(first) == 1  # scores on the sample are not comparable
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_files_are_read_again_if_more_messages_are_shown(
    store: ModelStore, corpus: Path, caplog: pytest.LogCaptureFixture
) -> None:
    load(corpus, store)
    with caplog.at_level(logging.INFO):
        assert load(corpus, store) == []


def test_a_folder_that_cannot_be_written_is_a_warning(
    corpus: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_bytes(b"")
    for _ in range(2):
        assert load(corpus, ModelStore(tmp_path / "file")) == []
    assert len(caplog.messages) == 2
    assert re.search(mentions("not kept ... file"), caplog.text)


def test_a_full_disk_is_a_warning_and_leaves_no_file(
    corpus: Path, store: ModelStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fill(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mmap.mmap", fill)  # called when the rows are written
    assert load(corpus, store) == []
    assert list(store.folder.iterdir()) == []
    (message,) = caplog.messages
    assert re.search(mentions("not kept ... No space left"), message)


def test_tests_of_files_that_change_while_they_are_read_are_not_kept(
    corpus: Path, store: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_tests = pyramid_paraphrase.loading.load_tests

    def change_afterwards(*arguments: Any, **options: Any) -> list[BuiltTest]:  # noqa: ANN401
        tests = load_tests(*arguments, **options)
        add_file(corpus, monkeypatch)
        return tests

    monkeypatch.setattr(pyramid_paraphrase.loading, "load_tests", change_afterwards)
    assert load(corpus, store) == []
    assert not store.folder.exists()


def test_small_tests_are_not_kept(corpus: Path, store: ModelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_tests, "_MIN_ROWS", 5000)
    load(corpus, store)
    assert not store.folder.exists()


def test_tests_used_longest_ago_make_room(
    corpus: Path, tmp_path: Path, store: ModelStore, caplog: pytest.LogCaptureFixture
) -> None:
    """The tests of the sample need more than a tenth of a mebibyte, those of one evaluation are all kept."""
    store = ModelStore(tmp_path / "store", limit_mib=1)
    load(corpus, store)
    filler = store.folder / f"{'f' * 64}{TEST_SUFFIX}"
    filler.write_bytes(b'{"name": "old test of old data", "rows": 3}\n' + bytes(1 << 20))
    os.utime(filler, (1, 1))
    assert load(corpus, store, resume=False) == []
    assert not filler.exists()
    assert re.search(mentions("cache is full: ... old test of old data"), caplog.text)
    assert load(corpus, store) == NAMES


def test_a_command_says_which_tests_it_did_not_build(
    capsys: Capture, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["evaluate", "--data", corpus, "--task", "ranking", "--resamples", "20", "--cache-dir", "store"]
    hint = mentions("same files: ranking ... --no-resume")

    def evaluate(*arguments: str) -> str:
        assert run(*command, *arguments) == 0
        return capsys.readouterr().out

    assert not re.search(hint, evaluate("--model", "one-hot"))
    second = evaluate("--model", "tf-idf")
    assert re.search(hint, second)
    assert not re.search(hint, evaluate("--model", "tf-idf", "--no-resume", "--force"))
    assert not re.search(hint, evaluate("--model", "tf-idf", "--no-cache", "--force"))
    scores = {path: path.read_bytes() for path in (tmp_path / "results").rglob("*.csv.gz")}
    assert re.search(hint, evaluate("--model", "tf-idf", "--force"))
    assert scores
    assert {path: path.read_bytes() for path in (tmp_path / "results").rglob("*.csv.gz")} == scores

    assert run("cache", "list", "--cache-dir", "store") == 0
    assert re.search(mentions("1 built test ... ranking of corpus"), capsys.readouterr().out.replace("\n", " "))
    assert run("cache", "clear", "ranking of corpus", "--cache-dir", "store") == 0
    assert run("cache", "clear", "ranking of corpus", "--cache-dir", "store") == 2
    assert "ranking of corpus" in capsys.readouterr().err
    assert list((tmp_path / "store").glob("*.arrow")) == []


def test_a_damaged_file_can_be_listed_and_removed(capsys: Capture, store: ModelStore) -> None:
    store.folder.mkdir()
    (store.folder / f"{'a' * 64}{TEST_SUFFIX}").write_bytes(b"damaged\n")
    (store.folder / f"{'b' * 64}{TEST_SUFFIX}").write_bytes(b"[1]\n")
    assert run("cache", "list", "--cache-dir", store.folder) == 0
    assert capsys.readouterr().out.count("(damaged)") == 2
    assert run("cache", "clear", "--cache-dir", store.folder) == 0
    assert list(store.folder.iterdir()) == []
