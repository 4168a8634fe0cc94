"""Embeddings on disk: what is kept, for whom, and what becomes of damage."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from harness.store import EmbeddingStore, default_folder, format_age
from pyramid_paraphrase.errors import InputError, OptionError, OutputError

VECTORS = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)


def fill(store: EmbeddingStore, key: str, texts: tuple[str, ...] = ("one", "two")) -> None:
    with store.open(key, f"model {key}") as kept:
        kept.add(list(texts), np.resize(VECTORS, (len(texts), 2)))


def read(store: EmbeddingStore, key: str, *texts: str) -> dict[int, list[float]]:
    with store.open(key, f"model {key}") as kept:
        return {number: vector.tolist() for number, vector in kept.read(texts).items()}


def test_what_is_added_is_found(tmp_path: Path) -> None:
    store = EmbeddingStore(tmp_path)
    fill(store, "aa")
    assert read(EmbeddingStore(tmp_path), "aa", "two", "three", "one") == {0: [3.0, 4.0], 2: [1.0, 2.0]}


def test_models_never_share_an_entry(tmp_path: Path) -> None:
    store = EmbeddingStore(tmp_path)
    fill(store, "aa")
    assert read(store, "bb", "one") == {}


def test_what_was_committed_survives_a_kill(tmp_path: Path) -> None:
    """Nothing is closed here: the process might as well have been killed."""
    store = EmbeddingStore(tmp_path)
    texts = [str(number) for number in range(600)]
    context = store.open("aa", "x")
    kept = context.__enter__()
    kept.add(texts[:512], np.ones((512, 2), dtype=np.float32))
    kept.add(texts[512:], np.ones((88, 2), dtype=np.float32))
    connection = sqlite3.connect(tmp_path / "aa.sqlite3")
    assert connection.execute("select count(*) from embeddings").fetchone() == (512,)
    connection.close()
    context.__exit__(None, None, None)


def test_more_texts_than_fit_into_one_query(tmp_path: Path) -> None:
    store = EmbeddingStore(tmp_path)
    texts = tuple(map(str, range(1300)))
    fill(store, "aa", texts)
    assert len(read(store, "aa", *texts)) == 1300


def test_vectors_that_are_not_sound_are_not_used(tmp_path: Path) -> None:
    store = EmbeddingStore(tmp_path)
    fill(store, "aa", ("one", "two", "three", "four"))
    connection = sqlite3.connect(tmp_path / "aa.sqlite3")
    with connection:
        rows = connection.execute("select hash from embeddings order by rowid").fetchall()
        bad = np.array([np.nan, 1.0], dtype="<f4").tobytes()
        connection.execute("update embeddings set vector = ? where hash = ?", (bad, *rows[0]))
        connection.execute("update embeddings set vector = ? where hash = ?", (b"\0" * 12, *rows[1]))
    connection.close()
    assert sorted(read(store, "aa", "one", "two", "three", "four")) == [2, 3]


def test_a_damaged_file_is_made_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = EmbeddingStore(tmp_path)
    (tmp_path / "aa.sqlite3").write_bytes(b"no database" * 1000)
    assert store.entries()[0].name == "(damaged)"
    fill(store, "aa")
    assert "aa.sqlite3: is damaged and is made anew" in caplog.text
    assert len(read(store, "aa", "one", "two")) == 2


def test_listing_and_clearing(tmp_path: Path) -> None:
    store = EmbeddingStore(tmp_path)
    fill(store, "aa")
    fill(store, "bb", ("one",))
    os.utime(tmp_path / "aa.sqlite3", (1, 1))
    assert [(one.name, one.key, one.texts) for one in store.entries()] == [("model bb", "bb", 1), ("model aa", "aa", 2)]
    assert [one.key for one in store.entries("model aa")] == ["aa"]
    assert [one.key for one in store.clear("model bb")] == ["bb"]
    with pytest.raises(OptionError, match="unknown model in the cache 'a'; there are: model aa"):
        store.clear("a")
    fill(store, "0123456789")
    assert [one.key for one in store.clear("01234567")] == ["0123456789"]
    assert len(store.clear()) == 1
    assert store.entries() == []
    assert EmbeddingStore(tmp_path / "nothing").entries() == []


def test_a_folder_that_cannot_be_listed(tmp_path: Path) -> None:
    """`cache list` ended in a traceback without permission to read the folder; a file in its place is as unreadable."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match=r"file: cannot be read \(Not a directory\); check its permissions"):
        EmbeddingStore(tmp_path / "file").entries()


def test_the_models_used_longest_ago_make_room(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = EmbeddingStore(tmp_path, limit_mib=1)
    for number, key in enumerate(("aa", "bb", "cc")):
        with EmbeddingStore(tmp_path).open(key, key) as kept:
            kept.add([key], np.ones((1, 150_000), dtype=np.float32))  # 600 kB
        os.utime(tmp_path / f"{key}.sqlite3", (number + 1, number + 1))
    fill(store, "dd")
    assert [one.key for one in store.entries()] == ["dd", "cc"]
    assert "embeddings of aa are removed from the cache: it is full" in caplog.text


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"cannot be written \(.*\); check path and space, or say --no-cache"):
        fill(EmbeddingStore(tmp_path / "file"), "aa")


def test_a_busy_store_is_not_a_damaged_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process that was writing for long once had its file removed."""
    monkeypatch.setattr("harness.store._LOCK_SECONDS", 0.05)
    store = EmbeddingStore(tmp_path)
    fill(store, "aa")
    other = sqlite3.connect(tmp_path / "aa.sqlite3")
    other.execute("begin immediate")
    with pytest.raises(OutputError, match=r"cannot be written \(database is locked\)"):
        fill(store, "aa")
    other.close()
    assert len(read(store, "aa", "one", "two")) == 2


def test_a_store_that_fails_on_the_way_is_given_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = EmbeddingStore(tmp_path)
    with store.open("aa", "x") as kept:
        kept._connection.execute("drop table embeddings")
        kept.add(["one"], VECTORS[:1])
        kept.add(["two"], VECTORS[:1])
        assert kept.read(["one"]) == {}
    assert caplog.text.count("aa.sqlite3: fails (no such table: embeddings); going on without it") == 2


def test_what_is_written_becomes_visible_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.store._SECONDS_PER_COMMIT", -1)
    store = EmbeddingStore(tmp_path)
    with store.open("aa", "x") as kept:
        kept.add(["one"], VECTORS[:1])
        assert store.entries()[0].texts == 1


def test_what_cannot_be_removed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = EmbeddingStore(tmp_path)
    fill(store, "aa")

    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.unlink", fail)
    store.clear()
    assert "cannot be removed (Permission denied)" in caplog.text


def test_the_default_folder_is_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "pyramid-paraphrase" / "embeddings"


def test_ages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.store.time.time", lambda: 1_000_000.0)
    assert format_age(1_000_000 - 60) == "within the hour"
    assert format_age(1_000_000 - 3600 * 47) == "47 hours ago"
    assert format_age(1_000_000 - 3600 * 49) == "2 days ago"
