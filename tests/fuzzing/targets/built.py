"""Files that this package wrote and that others may have changed: built folders, and embeddings on disk."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fuzzing.cases import Case, read_case
from fuzzing.chance import Chance
from fuzzing.command_line import run_command
from fuzzing.mutations.blobs import mutate_bytes
from fuzzing.mutations.parquet import mutate_parquet
from fuzzing.mutations.values import mutate_json
from fuzzing.target import Arguments, Target, require
from fuzzing.targets.results import TESTS, list_sources
from harness.models.files import kept_tests
from harness.models.files.store import TEST_SUFFIX, ModelStore
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.built_tests import BuiltTest, digest_optional_columns, fingerprint_rows
from pyramid_paraphrase.loading import fingerprint, load
from pyramid_paraphrase.publishing.builder import make_features
from pyramid_paraphrase.publishing.export import write_folder
from pyramid_paraphrase.pyramids.sources import MANIFEST_NAME
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import find_configuration

_KEEP_WRONG = 0.15
_KEY = "ab" * 32
_STORED = [f"text {number}" for number in range(40)]
_ASKED = [*_STORED, "another", ""]


def _make_built() -> Sequence[Case]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "built")
        corpus = read_corpus(*list_sources())
        options: tuple[dict[str, object], ...] = ({"negatives_per_positive": 2}, {"context": True})
        tests = [build_test(corpus, name, changes) for name, changes in zip(TESTS, options, strict=True)]
        write_folder(corpus, tests, folder)
        whole = read_case(folder)
    return [Case({f"built/{path}": data for path, data in whole.files.items()}, (test_name,)) for test_name in TESTS]


def _repair(case: Case, chance: Chance) -> Case:
    """Write the fingerprints of changed rows into the manifest, so that the rows are read."""
    name = f"built/{MANIFEST_NAME}"
    if chance.happens(_KEEP_WRONG):
        return case
    try:
        manifest = json.loads(case.plain_files()[name])
        for test_name in TESTS:
            tables = _read_tables(case, test_name)
            manifest["configurations"][test_name]["fingerprint"] = fingerprint_rows(tables)
            manifest["configurations"][test_name]["optional_columns"] = digest_optional_columns(tables)
        return case.with_file(name, (json.dumps(manifest, indent=1) + "\n").encode())
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, pa.ArrowException):
        return case


def _read_tables(case: Case, test_name: str) -> dict[str, list[pa.Table]]:
    tables = {}
    for name, data in case.plain_files().items():
        if name.startswith(f"built/{test_name}/") and name.endswith(".parquet"):
            table = pq.read_table(pa.BufferReader(data))
            schema = make_features(find_configuration(test_name), table.column_names).arrow_schema
            tables[Path(name).stem] = [table.cast(schema)]
    return tables


def load_built(folder: Path, arguments: Arguments) -> object:
    """Evaluate a model on a test of a built folder, and load the test."""
    test_name, place = "".join(arguments) or TESTS[0], folder / "built"
    settings = ["--resamples", "5", "--no-cache"]
    line = ["evaluate", "--model", "one-hot", "--data", str(place), "--task", test_name, *settings]
    said = run_command([*line, "--quiet"])  # its output contains the date
    splits = load(test_name, place)
    require(said.status == 0, f"loaded data can be evaluated: {said.errors[:300]!a}")
    return fingerprint(splits), {name: split.to_list() for name, split in splits.items()}


def _change_test(arguments: Arguments, chance: Chance) -> Arguments:
    return (chance.choice((*TESTS, "binary_matched", "pairs", chance.text())),)


def _make_stores() -> Sequence[Case]:
    vectors = np.random.default_rng(0).normal(size=(len(_STORED), 300)).astype(np.float32)
    with tempfile.TemporaryDirectory() as name:
        with ModelStore(Path(name)).open(_KEY, "a model") as store:
            store.add(_STORED, vectors)
        whole = read_case(Path(name))
    return [Case({f"store/{path}": data for path, data in whole.files.items()})]


def _mutate_store(data: bytes, chance: Chance) -> bytes:
    """Change bytes, or the tables of the database or their content."""
    if chance.happens(0.5):
        return mutate_bytes(data, chance)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "store.sqlite3")
        path.write_bytes(data)
        connection = sqlite3.connect(path)
        try:
            connection.executescript("pragma journal_mode=delete")
            statement, values = chance.choice(_STATEMENTS), (chance.choice(_BLOBS),)
            connection.execute(statement, values if "?" in statement else ())
            connection.commit()
        except (sqlite3.Error, OverflowError, UnicodeError):
            return mutate_bytes(data, chance)
        finally:
            connection.close()
        return path.read_bytes()


_BLOBS: tuple[object, ...] = (
    *(b"", b"\0" * 12, b"\0" * 1200, b"\0" * 1204, b"\xff" * 7, b"x" * 200_000, None, 1, 1.5, "text", "\x1b[2J\n"),
    *("x" * 5000, 1 << 62),
)
_STATEMENTS = (
    "update embeddings set vector = ? where rowid = 3",
    "update embeddings set vector = ?",
    "update embeddings set hash = ? where rowid = 3",
    "update embeddings set vector = (select vector from embeddings where rowid = 1)",
    "delete from embeddings",
    "delete from model",
    "update model set name = ?",
    "insert into model values (?)",
    "drop table model",
    "drop table embeddings",
    "alter table embeddings rename column vector to other",
    "alter table embeddings add column other",
    "create trigger t after insert on model begin delete from embeddings; end",
    "create trigger t before delete on model begin select raise(abort, 'no'); end",
    "create view other as select * from embeddings",
    "pragma user_version = 7",
)


def use_store(folder: Path, arguments: Arguments) -> object:
    """List the stores of a folder, and read and write one.

    A damaged file may lose vectors, which are then computed again, but all vectors that are read must be as written.
    """
    del arguments
    place = folder / "store"
    listed = run_command(["cache", "list", "--cache-dir", str(place)])
    store = ModelStore(place)
    with store.open(_KEY, "a model") as opened:
        vectors = opened.read(_ASKED)
        opened.add(_ASKED, np.ones((len(_ASKED), 4), dtype=np.float32))
    sizes = {len(vector) for vector in vectors.values()}
    require(len(sizes) <= 1, "vectors that are read have one dimension")
    require(all(np.isfinite(vector).all() for vector in vectors.values()), "vectors that are read are finite")
    with store.open(_KEY, "a model") as opened:
        vectors_again = opened.read(_ASKED)
    require(
        all((vector == 1).all() for vector in vectors_again.values()),
        "the vectors read are the vectors written",
    )
    cleared = run_command(["cache", "clear", "--cache-dir", str(place)])
    return listed.status, sorted(vectors.items()), sorted(vectors_again), cleared.status


def _make_kept_tests() -> Sequence[Case]:
    with tempfile.TemporaryDirectory() as name:
        _load_kept(Path(name))
        whole = read_case(Path(name))
    return [Case({f"store/{path}": data for path, data in whole.files.items()})]


def _load_kept(folder: Path) -> tuple[BuiltTest, list[str]]:
    """Load a test of the sample, and keep it although it is small."""
    with patch.object(kept_tests, "_MIN_ROWS", 1):
        (test,), kept = kept_tests.load_kept_tests([SAMPLE_DIR], ["ranking"], ModelStore(folder), resume=True)
    return test, kept


def use_kept_test(folder: Path, arguments: Arguments) -> object:
    """List the kept tests of a folder, and load one. A damaged test is built again, so that it is always the same."""
    del arguments
    place = folder / "store"
    listed = run_command(["cache", "list", "--cache-dir", str(place)])
    for _ in range(2):
        test, kept = _load_kept(place)
        require(test.fingerprint == fingerprint_rows(test.splits), "the rows are those of the fingerprint")
        require(test.fingerprint.startswith("fa10d090d4bd"), "the test is that of the sample")
    # A folder cannot be replaced, and neither can a link that leads nowhere, such as to itself.
    in_the_way = [path.is_dir() or (path.is_symlink() and not path.exists()) for path in place.glob(f"*{TEST_SUFFIX}")]
    is_free = not any(in_the_way)
    require(kept == ["ranking"] or not is_free, "a test that was built again is kept")
    return listed.status, test.counts


TARGETS = (
    Target(
        "built-folder",
        load_built,
        _make_built,
        (("*.json", mutate_json), ("*.parquet", mutate_parquet)),
        change_arguments=_change_test,
        repair=_repair,
    ),
    Target("embedding-store", use_store, _make_stores, (("*.sqlite3", _mutate_store),), changes_input=True),
    Target("kept-test", use_kept_test, _make_kept_tests, (("*.arrow", mutate_bytes),), changes_input=True),
)
