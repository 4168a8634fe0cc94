"""Tables in temporary files."""

from __future__ import annotations

import gzip
import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.messages import mentions

from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.building import built_tests
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.built_tests import BuiltTest, StoredTables, list_handles
from pyramid_paraphrase.errors import OutputError
from pyramid_paraphrase.files.archives import compress_pieces
from pyramid_paraphrase.loading import to_datasets
from pyramid_paraphrase.publishing.export import read_folder, render_key, write_folder
from pyramid_paraphrase.publishing.seeding import seed_cache
from pyramid_paraphrase.reading import read_corpus


def make_tables(count: int) -> Iterator[pa.Table]:
    return (pa.table({"n": [number, -number]}) for number in range(count))


def test_tables_come_back_by_place_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built_tests, "_TABLES_PER_SEGMENT", 3)
    stored = StoredTables(make_tables(8))
    assert len(stored) == 8
    assert [table["n"][0].as_py() for table in stored] == list(range(8))
    assert [stored[index]["n"].to_pylist() for index in (0, 5, -1)] == [[0, 0], [5, -5], [7, -7]]
    assert [table["n"][0].as_py() for table in stored[2:4]] == [2, 3]
    assert pa.concat_tables(stored).num_rows == 16
    with pytest.raises(IndexError):
        stored[8]
    assert [table["n"][1].as_py() for table in StoredTables(make_tables(4))] == [0, -1, -2, -3]  # the last stands alone


def test_a_table_outlives_the_file() -> None:
    last = StoredTables(make_tables(2))[1]
    assert last["n"].to_pylist() == [1, -1]


def test_other_processes_get_the_tables_themselves() -> None:
    """An open file cannot be sent to another process: `load_dataset` divides the tables among several."""
    stored = StoredTables(make_tables(3))
    assert [table["n"][0].as_py() for table in pickle.loads(pickle.dumps(stored))] == [0, 1, 2]
    assert pickle.loads(pickle.dumps(list_handles(stored)[2])).load()["n"].to_pylist() == [2, -2]


def test_no_room_for_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    with pytest.raises(OutputError, match=mentions("(No space left on device) ... TMPDIR")):
        StoredTables(make_tables(1))


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> BuiltTest:
    monkeypatch.setattr(built_tests, "MAX_ROWS_IN_MEMORY", 0)
    monkeypatch.setattr(built_tests, "ROWS_PER_TABLE", 10)
    monkeypatch.setattr(built_tests, "_TABLES_PER_SEGMENT", 2)
    return build_test(read_corpus(SAMPLE_DIR), "binary")


def test_large_tests_have_the_same_rows(stored: BuiltTest, tmp_path: Path) -> None:
    """Tests of three million rows needed 3 GiB: they are stored in files, with nothing else changed."""
    held = build_test(read_corpus(SAMPLE_DIR), "binary")
    assert isinstance(stored.splits["test"], StoredTables)
    assert (stored.fingerprint, stored.counts) == (held.fingerprint, held.counts)
    assert render_key(stored) == render_key(held)
    assert to_datasets(stored)["test"].to_dict() == to_datasets(held)["test"].to_dict()
    write_folder(read_corpus(SAMPLE_DIR), [stored], tmp_path / "folder")
    assert read_folder(tmp_path / "folder", "binary").fingerprint == held.fingerprint
    assert (seed_cache([stored], tmp_path / "cache")[0] / "dataset_info.json").is_file()


def test_pieces_are_compressed_as_the_whole_is() -> None:
    """Keys and scores were rendered as a whole, in ten times their memory. Their bytes must stay the same."""
    pieces = [bytes([number % 7]) * number for number in range(3000)]
    for data in (pieces, []):
        compressed = compress_pieces(data)
        # The header of RFC 1952: without time stamp, from Unix. `gzip.compress` names the system in some versions only.
        assert compressed[:10] == b"\x1f\x8b\x08\0\0\0\0\0\0\x03"
        assert compressed[10:] == gzip.compress(b"".join(data), compresslevel=6, mtime=0)[10:]
