"""Embeddings on disk: storage per model, limits, and damaged files."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions

from harness.models.files.store import ModelStore, default_folder, format_age
from harness.models.interfaces.scores import Outcome, make_scores
from pyramid_paraphrase.errors import InputError, OptionError, OutputError

VECTORS = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)


def fill(store: ModelStore, key: str, texts: tuple[str, ...] = ("one", "two")) -> None:
    with store.open(key, f"model {key}") as kept:
        kept.add(list(texts), np.resize(VECTORS, (len(texts), 2)))


def read(store: ModelStore, key: str, *texts: str) -> dict[int, list[float]]:
    with store.open(key, f"model {key}") as kept:
        return {number: vector.tolist() for number, vector in kept.read(texts).items()}


def test_added_vectors_are_read(tmp_path: Path) -> None:
    store = ModelStore(tmp_path)
    fill(store, "aa")
    assert read(ModelStore(tmp_path), "aa", "two", "three", "one") == {0: [3.0, 4.0], 2: [1.0, 2.0]}


def test_models_never_share_an_entry(tmp_path: Path) -> None:
    store = ModelStore(tmp_path)
    fill(store, "aa")
    assert read(store, "bb", "one") == {}


def test_committed_vectors_survive_a_kill(tmp_path: Path) -> None:
    """Nothing is closed here: the process might as well have been killed."""
    store = ModelStore(tmp_path)
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
    store = ModelStore(tmp_path)
    texts = tuple(map(str, range(1300)))
    fill(store, "aa", texts)
    assert len(read(store, "aa", *texts)) == 1300


def test_vectors_that_are_not_sound_are_not_used(tmp_path: Path) -> None:
    store = ModelStore(tmp_path)
    fill(store, "aa", ("one", "two", "three", "four"))
    connection = sqlite3.connect(tmp_path / "aa.sqlite3")
    with connection:
        rows = connection.execute("select hash from embeddings order by rowid").fetchall()
        bad = np.array([np.nan, 1.0], dtype="<f4").tobytes()
        connection.execute("update embeddings set vector = ? where hash = ?", (bad, *rows[0]))
        connection.execute("update embeddings set vector = ? where hash = ?", (b"\0" * 12, *rows[1]))
    connection.close()
    assert sorted(read(store, "aa", "one", "two", "three", "four")) == [2, 3]


def test_pipes_are_refused(tmp_path: Path) -> None:
    """Regression test: SQLite waited for a writer forever."""
    os.mkfifo(tmp_path / "aa.sqlite3")
    store = ModelStore(tmp_path)
    assert store.list_models() == []
    with pytest.raises(OutputError, match=mentions("aa.sqlite3: is not a file. ... --no-cache")):
        fill(store, "aa")


def test_a_damaged_file_is_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = ModelStore(tmp_path)
    (tmp_path / "aa.sqlite3").write_bytes(b"no database" * 1000)
    assert store.list_models()[0].name == "(damaged)"
    fill(store, "aa")
    assert re.search(mentions("aa.sqlite3: the cache is damaged ( ... Replacing"), caplog.text)
    assert len(read(store, "aa", "one", "two")) == 2


def test_a_damaged_schema_is_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Regression test: SQLite's message quoted bytes that are not UTF-8, which caused a traceback."""
    store = ModelStore(tmp_path)
    fill(store, "aa")
    path = tmp_path / "aa.sqlite3"
    path.write_bytes(path.read_bytes().replace(b"modelmodel", b"mod\xfflmodel"))
    assert store.list_models()[0].name == "(damaged)"
    fill(store, "aa")
    assert re.search(mentions("aa.sqlite3: the cache is damaged ( ... Replacing"), caplog.text)


def test_listing_and_clearing(tmp_path: Path) -> None:
    store = ModelStore(tmp_path)
    fill(store, "aa")
    fill(store, "bb", ("one",))
    os.utime(tmp_path / "aa.sqlite3", (1, 1))
    assert [(one.name, one.key, one.entries) for one in store.list_models()] == [
        ("model bb", "bb", 1),
        ("model aa", "aa", 2),
    ]
    assert [one.key for one in store.list_models("model aa")] == ["aa"]
    assert [one.key for one in store.clear("model bb")] == ["bb"]
    with pytest.raises(OptionError, match=mentions("'a' ... model aa")):
        store.clear("a")
    fill(store, "0123456789")
    assert [one.key for one in store.clear("01234567")] == ["0123456789"]
    assert len(store.clear()) == 1
    assert store.list_models() == []
    assert ModelStore(tmp_path / "nothing").list_models() == []


def test_a_folder_that_cannot_be_listed(tmp_path: Path) -> None:
    """`cache list` ended in a traceback without permission to read the folder; a file in its place is as unreadable."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match=mentions("file: ... (Not a directory) ... permissions")):
        ModelStore(tmp_path / "file").list_models()


def test_the_models_used_longest_ago_make_room(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = ModelStore(tmp_path, limit_mib=1)
    for number, key in enumerate(("aa", "bb", "cc")):
        with ModelStore(tmp_path).open(key, key) as kept:
            kept.add([key], np.ones((1, 150_000), dtype=np.float32))  # 600 kB
        os.utime(tmp_path / f"{key}.sqlite3", (number + 1, number + 1))
    fill(store, "dd")
    assert [one.key for one in store.list_models()] == ["dd", "cc"]
    assert re.search(mentions("cache is full: ... aa"), caplog.text)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=mentions("file/aa.sqlite3: cannot be written ( ... --no-cache")):
        fill(ModelStore(tmp_path / "file"), "aa")


def test_a_busy_store_is_not_a_damaged_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression test: the file was removed while another process was writing it for a long time."""
    monkeypatch.setattr("harness.models.files.store._LOCK_SECONDS", 0.05)
    store = ModelStore(tmp_path)
    fill(store, "aa")
    other = sqlite3.connect(tmp_path / "aa.sqlite3")
    other.execute("begin immediate")
    with pytest.raises(OutputError, match=mentions("aa.sqlite3: ... (database is locked) ... --no-cache")):
        fill(store, "aa")
    other.close()
    assert len(read(store, "aa", "one", "two")) == 2


def test_a_store_that_fails_on_the_way_is_given_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = ModelStore(tmp_path)
    with store.open("aa", "x") as kept:
        kept._connection.execute("pragma max_page_count=1")
        kept.add(["one"], np.ones((1, 100_000), dtype=np.float32))
        kept.add(["two"], VECTORS[:1])
        assert kept.read(["one"]) == {}
    assert caplog.text.count("aa.sqlite3: the cache failed (database or disk is full). Continuing without it") == 1


def test_written_vectors_become_visible_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.models.files.store._SECONDS_PER_COMMIT", -1)
    store = ModelStore(tmp_path)
    with store.open("aa", "x") as kept:
        kept.add(["one"], VECTORS[:1])
        assert store.list_models()[0].entries == 1


def refuse_to_remove(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_files_that_cannot_be_removed_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were named as removed, below a warning."""
    store = ModelStore(tmp_path)
    fill(store, "aa")
    monkeypatch.setattr("pathlib.Path.unlink", refuse_to_remove)
    with pytest.raises(
        OutputError, match=mentions("aa.sqlite3: cannot be removed (Permission denied). ... permissions")
    ):
        store.clear()
    assert [model.key for model in store.list_models()] == ["aa"]


def test_a_full_cache_that_cannot_be_reduced_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with ModelStore(tmp_path).open("aa", "aa") as kept:
        kept.add(["aa"], np.ones((1, 300_000), dtype=np.float32))  # 1.2 MB
    monkeypatch.setattr("pathlib.Path.unlink", refuse_to_remove)
    fill(ModelStore(tmp_path, limit_mib=1), "bb")
    assert re.search(mentions("aa.sqlite3: cannot be removed (Permission denied)"), caplog.text)


def test_the_default_folder_is_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "pyramid-paraphrase" / "embeddings"


def test_ages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.models.files.store.time.time", lambda: 1_000_000.0)
    assert format_age(1_000_000 - 60) == "within the hour"
    assert format_age(1_000_000 - 3600) == "1 hour ago"
    assert format_age(1_000_000 - 3600 * 47) == "47 hours ago"
    assert format_age(1_000_000 - 3600 * 49) == "2 days ago"


def overwrite(path: Path, place: int, data: bytes) -> None:
    content = bytearray(path.read_bytes())
    content[place : place + len(data)] = data
    path.write_bytes(content)


def execute(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


DAMAGE: dict[str, Callable[[Path], None]] = {
    "nothing but zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "truncated within a page": lambda path: os.truncate(path, 20_000),
    "truncated header": lambda path: os.truncate(path, 50),
    "zeros in a page": lambda path: overwrite(path, 16384, bytes(3000)),
    "garbage in every page": lambda path: overwrite(path, 200, b"\xff" * (path.stat().st_size - 200)),
    "unknown file format": lambda path: overwrite(path, 44, b"\xff\xff\xff\xff"),
    "write version of a newer SQLite": lambda path: overwrite(path, 18, b"\x09"),
    "a schema of other columns": lambda path: execute(path, "drop table embeddings", "create table embeddings (a)"),
    "a table that is missing": lambda path: execute(
        path, "drop table embeddings", "create view embeddings as select 1"
    ),
    "vectors that are missing": lambda path: execute(
        path,
        "create table copy (hash blob primary key, vector blob)",
        "insert into copy select hash, null from embeddings",
        "drop table embeddings",
        "alter table copy rename to embeddings",
    ),
    "vectors that are text": lambda path: execute(path, "update embeddings set vector = 'text'"),
    "vectors of other texts": lambda path: execute(
        path, "update embeddings set vector = (select vector from embeddings limit 1)"
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_of_every_kind_costs_only_time(tmp_path: Path, damage: str) -> None:
    """A damaged store once ended the evaluation (a vector that is null), was kept for ever (errors that SQLite calls
    operational), or changed scores (zeros within a vector). An evaluation reads, encodes the rest, and adds it."""
    store, texts = ModelStore(tmp_path), [str(number) for number in range(400)]
    vectors = np.arange(400 * 50, dtype=np.float32).reshape(400, 50)
    with store.open("aa", "x") as kept:
        kept.add(texts, vectors)
    DAMAGE[damage](tmp_path / "aa.sqlite3")
    with store.open("aa", "x") as kept:
        stored = kept.read(texts)
        missing = [number for number in range(len(texts)) if number not in stored]
        kept.add([texts[number] for number in missing], vectors[missing])
    assert missing
    assert all((vectors[number] == vector).all() for number, vector in stored.items())
    with store.open("aa", "x") as kept:
        kept.add(texts, vectors)  # damage that only writing meets is mended by the run that meets it
    with store.open("aa", "x") as kept:
        assert len(kept.read(texts)) == 400
    assert [path.name for path in tmp_path.iterdir()] == ["aa.sqlite3"]


def test_a_journal_of_a_damaged_store_is_not_applied_to_the_new_one(tmp_path: Path) -> None:
    store = ModelStore(tmp_path)
    (tmp_path / "aa.sqlite3").write_bytes(b"no database" * 1000)
    (tmp_path / "aa.sqlite3-journal").write_bytes(b"no journal" * 1000)
    fill(store, "aa")
    assert [path.name for path in tmp_path.iterdir()] == ["aa.sqlite3"]
    assert len(read(store, "aa", "one", "two")) == 2


def test_a_full_disk_does_not_empty_the_store(tmp_path: Path) -> None:
    """Only damage does: embeddings may have taken hours."""
    store = ModelStore(tmp_path)
    fill(store, "aa")
    with store.open("aa", "x") as kept:
        kept._connection.execute("pragma max_page_count=1")
        kept.add(["three"], np.ones((1, 100_000), dtype=np.float32))
    assert len(read(store, "aa", "one", "two")) == 2


def score_two(store: ModelStore, key: str = "aa") -> list[tuple[str, ...]]:
    """Store an answer and a missing answer."""
    items = [("a", "b"), ("a", "b", "c")]
    with store.open_scores(key, "judge") as file:
        file.add("score", items, make_scores([1 / 3, 0.0], [Outcome.BY_WORDS, Outcome.CUT]))
    return items


def test_scores_have_a_file_of_their_own(tmp_path: Path) -> None:
    """Double precision and missing answers survive, and embeddings of the same model do not mix with scores."""
    store = ModelStore(tmp_path)
    items = score_two(store)
    fill(store, "aa")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["aa.scores.sqlite3", "aa.sqlite3"]
    with ModelStore(tmp_path).open_scores("aa", "judge") as file:
        places, scores = file.read("score", [("x",), *items], ())
        other_method, _ = file.read("score_summaries", items, ())
        other_shape, _ = file.read("score", items, (2,))
    assert places == [1, 2]
    assert scores.values[0] == 1 / 3
    assert scores.outcomes.tolist() == [Outcome.BY_WORDS, Outcome.CUT]
    assert scores.is_missing.tolist() == [False, True]
    assert other_method == other_shape == []


def test_scores_of_options_are_kept_together(tmp_path: Path) -> None:
    with ModelStore(tmp_path).open_scores("aa", "judge") as file:
        file.add("ask", [("q", "a", "b"), ("r", "a", "b")], make_scores([[0.25, 0.75], [np.inf, 0.5]]))
        places, scores = file.read("ask", [("r", "a", "b"), ("q", "a", "b")], (2,))
    assert (places, scores.values.tolist()) == ([1], [[0.25, 0.75]])


def test_texts_of_scores_are_not_joined(tmp_path: Path) -> None:
    with ModelStore(tmp_path).open_scores("aa", "judge") as file:
        file.add("score", [("ab", "c")], make_scores([0.5]))
        assert file.read("score", [("a", "bc"), ("abc",), ("c", "ab")], ())[0] == []
        assert file.read("score", [("ab", "c")], ())[0] == [0]


def test_damaged_scores_are_omitted(tmp_path: Path) -> None:
    store = ModelStore(tmp_path)
    items = score_two(store)
    execute(tmp_path / "aa.scores.sqlite3", "update scores set score = (select score from scores limit 1)")
    with store.open_scores("aa", "judge") as file:
        assert len(file.read("score", items, ())[0]) == 1
    (tmp_path / "aa.scores.sqlite3").write_bytes(b"no database" * 1000)
    with store.open_scores("aa", "judge") as file:
        assert file.read("score", items, ())[0] == []
    assert [stored.entries for stored in store.list_models()] == [0]


def test_scores_are_listed_limited_and_removed_as_embeddings_are(tmp_path: Path) -> None:
    store = ModelStore(tmp_path)
    score_two(store)
    fill(store, "bb", ("one",))
    found = {stored.key: (stored.name, stored.entries, stored.path.name) for stored in store.list_models()}
    assert found == {"aa": ("judge", 2, "aa.scores.sqlite3"), "bb": ("model bb", 1, "bb.sqlite3")}
    assert [stored.key for stored in store.clear("judge")] == ["aa"]
    assert [path.name for path in tmp_path.iterdir()] == ["bb.sqlite3"]


def test_scores_used_longest_ago_make_room(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = ModelStore(tmp_path, limit_mib=1)
    score_two(store)
    os.utime(tmp_path / "aa.scores.sqlite3", (1, 1))
    with store.open("bb", "large") as kept:
        kept.add(["text"], np.ones((1, 300_000), dtype=np.float32))  # 1.2 MB
    assert [stored.key for stored in store.list_models()] == ["bb"]
    assert re.search(mentions("cache is full: ... judge"), caplog.text)
