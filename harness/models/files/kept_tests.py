"""Built tests on disk: annotations are read, and tests are built from them, once for all models evaluated on them."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import mmap
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from harness.files.hashing import hash_file, hash_values
from harness.files.json_files import Json
from harness.files.writing import replacing
from harness.models.files.store import TEST_SUFFIX, ModelStore, read_header
from pyramid_paraphrase.errors import InputError, PyramidParaphraseError
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.extras import find_versions
from pyramid_paraphrase.files.inputs import is_file, is_folder, walk_folder
from pyramid_paraphrase.hub import locate_source
from pyramid_paraphrase.publishing.registration import NAME, code_hash
from pyramid_paraphrase.pyramids.sources import Source
from pyramid_paraphrase.rules.options import Options, find_configuration

if TYPE_CHECKING:
    from pyramid_paraphrase.building.built_tests import BuiltTest

_FORMAT = 1
_MIN_ROWS = 5000
"""Smallest number of rows of all tests together that are kept. Fewer rows are built in a fraction of a second."""

_BLOCK = 64
"""The rows begin at a multiple of this number of bytes, as Arrow recommends for files that are mapped into memory."""

_DIGEST_BYTES = 32
_READING = ("lxml", "pyarrow")
"""Libraries that read annotations, besides those that results list."""

_logger = make_logger(__name__)

_Messages = list[tuple[int, str]]
"""Levels and texts of log messages."""


def describe_data(sources: Sequence[Source] | None, test_names: Sequence[str]) -> Json:
    """Describe tests and the files that they are built from.

    Args:
        sources: The files. None for the last build of each test.
        test_names: Names of configurations.

    Raises:
        InputError: If a file does not exist, or a repository on the Hub cannot be read.
        NoBuildError: If no files are given and a test has not been built.
    """
    if sources is None:
        from pyramid_paraphrase.publishing.builds import find_last_build

        entries = [find_last_build(name, {}) for name in test_names]
        return [[entry.configuration, entry.fingerprint, entry.optional_digest] for entry in entries]
    paths = [locate_source(source, test_names) for source in sources]
    return [list(test_names), [[path.name, _hash_source(path)] for path in paths]]


def _hash_source(path: Path) -> str:
    """Hash the names and contents of all files of a source. Files that cannot be read have only a name."""
    if not is_folder(path):
        return _hash_readable(path)
    files = walk_folder(path, path.name, skips_unreadable=True)
    return hash_values(sorted((file.name, _hash_readable(file.path)) for file in files if file.path))


def _hash_readable(path: Path) -> str:
    try:
        return hash_file(path)
    except (OSError, InputError):
        return ""


def load_kept_tests(
    sources: Sequence[Source], test_names: Sequence[str], store: ModelStore, *, resume: bool
) -> tuple[list[BuiltTest], list[str]]:
    """Load tests as `load_tests` does. Read those that an earlier run built from files with the same content.

    A test is kept under a hash of the names and contents of the files, of the code that reads files and builds tests,
    and of the versions of its libraries. If messages of reading are shown that are not warnings, files are read again.

    Args:
        sources: Annotation files or a corpus of pairs.
        test_names: Names of configurations.
        store: The folder to keep tests in.
        resume: Whether to use kept tests. Otherwise, they are replaced.

    Returns:
        A built test per name, and the names of the tests that an earlier run built.

    Raises:
        PyramidParaphraseError: If the data cannot be used.
    """
    described = describe_data(sources, ())
    shared = [_FORMAT, list(map(str, sources)), described, code_hash(), find_versions(), find_versions(_READING)]
    paths = {name: store.folder / f"{hash_values([name, *shared])}{TEST_SUFFIX}" for name in test_names}
    kept: dict[str, tuple[BuiltTest, _Messages]] = {}
    if resume and not logging.getLogger(NAME).isEnabledFor(logging.INFO):
        read = {name: _read(path, name) for name, path in paths.items()}
        kept = {name: test for name, test in read.items() if test is not None}
    missing = [name for name in test_names if name not in kept]
    with _recording() as messages:
        tests = {name: test for name, (test, _) in kept.items()}
        if missing:
            from pyramid_paraphrase.loading import load_tests  # imports `datasets`, which takes long

            tests |= zip(missing, load_tests(missing, sources), strict=True)
    for level, message in dict.fromkeys(message for _, logged in kept.values() for message in logged):
        if (level, message) not in messages:
            _logger.log(level, "%s", message)
    is_large = sum(_count_rows(test) for test in tests.values()) >= _MIN_ROWS
    # If a file changed in the meantime, it is unknown which content was read.
    if missing and is_large and describe_data(sources, ()) == described:
        data = ", ".join(Path(str(source)).name for source in sources)
        try:
            for name in missing:
                _keep(paths[name], tests[name], data, messages)
            store.make_room({path.name for path in paths.values()})
        except (PyramidParaphraseError, pa.ArrowException) as error:
            _logger.warning("the tests are not kept for later evaluations (%s)", error)
    return [tests[name] for name in test_names], list(kept)


@contextmanager
def _recording() -> Iterator[_Messages]:
    """Record the log messages of `pyramid_paraphrase` in this block, and show them as usual."""
    messages: _Messages = []

    class Recorder(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append((record.levelno, record.getMessage()))

    recorder, logger = Recorder(), logging.getLogger(NAME)
    logger.addHandler(recorder)
    try:
        yield messages
    finally:
        logger.removeHandler(recorder)


def _count_rows(test: BuiltTest) -> int:
    return sum(table.num_rows for tables in test.splits.values() for table in tables)


def _keep(path: Path, test: BuiltTest, data: str, messages: _Messages) -> None:
    """Write a test: a line that describes it, its rows, and the SHA-256 of both.

    Raises:
        OutputError: If the file cannot be written.
        ArrowException: If the rows cannot be written.
    """
    header = {
        "file": path.name,
        "name": f"{test.configuration.name} of {data}",
        "rows": _count_rows(test),
        "splits": {split: len(tables) for split, tables in test.splits.items()},
        "options": None if test.options is None else dataclasses.asdict(test.options),
        "collections": test.collections,
        "counts": test.counts,
        "fingerprint": test.fingerprint,
        "messages": messages,
    }
    line = json.dumps(header).encode("ascii")
    schema = next(iter(next(iter(test.splits.values())))).schema
    with replacing(path) as file:
        file.write(line + b" " * (-(len(line) + 1) % _BLOCK) + b"\n")
        with pa.ipc.new_file(file, schema) as writer:
            for tables in test.splits.values():
                for table in tables:
                    writer.write_table(table.combine_chunks())
        file.flush()
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            digest = hashlib.sha256(content).digest()
        file.write(digest)


def _read(path: Path, name: str) -> tuple[BuiltTest, _Messages] | None:
    """Read a test. The rows are mapped into memory.

    Returns:
        The test and the messages of its building. None if it was not kept, or its file is damaged.
    """
    if not is_file(path):
        return None
    try:
        content = pa.memory_map(str(path)).read_buffer()
        everything = memoryview(content)
        if hashlib.sha256(everything[:-_DIGEST_BYTES]).digest() != bytes(everything[-_DIGEST_BYTES:]):
            raise ValueError("wrong digest")
        header, start = read_header(path)
        if header["file"] != path.name:
            raise ValueError("a file of another test")
        rows = pa.ipc.open_file(content[start:-_DIGEST_BYTES])
        test = _make_test(name, header, rows)
        os.utime(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, pa.ArrowException) as error:
        reason = str(error) or type(error).__name__
        _logger.warning("%s: is damaged (%s), so the test is built again", path, reason)
        return None
    return test, [(level, message) for level, message in header["messages"]]


def _make_test(name: str, header: Mapping[str, Any], rows: pa.ipc.RecordBatchFileReader) -> BuiltTest:
    from pyramid_paraphrase.building.built_tests import BuiltTest

    tables = [pa.Table.from_batches([rows.get_batch(number)]) for number in range(rows.num_record_batches)]
    splits = {}
    for split, count in header["splits"].items():
        splits[split], tables = tables[:count], tables[count:]
    return BuiltTest(
        configuration=find_configuration(name),
        options=None if header["options"] is None else Options(**header["options"]),
        splits=splits,
        collections=tuple(header["collections"]),
        counts=header["counts"],
        fingerprint=header["fingerprint"],
    )
