"""Embeddings and scores on disk: a model computes each once, and a run that was killed resumes where it stopped."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from harness.files.writing import find_cache
from harness.models.interfaces.scores import Scores
from harness.rendering.tables import count_of
from pyramid_paraphrase.errors import OutputError, advise_writing, cannot_read, cannot_remove, join_remedy, unknown_name
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.inputs import exists, is_file
from pyramid_paraphrase.rules.ranges import COUNT

DEFAULT_LIMIT_MIB = 4096
_HASHES_PER_QUERY = 500
_TEXTS_PER_COMMIT = 512
_SECONDS_PER_COMMIT = 5
_KEY_DIGITS = 8
_LOCK_SECONDS = 60
_NO_DAMAGE = ("locked", "busy", "full", "unable to open", "disk I/O error", "interrupted", "out of memory")

TEST_SUFFIX = ".test.arrow"
"""End of the names of files with built tests, which `harness.models.files.kept_tests` writes."""

_MAX_HEADER_BYTES = 1 << 24

_FAILURES = (sqlite3.Error, UnicodeDecodeError)
"""Errors that `sqlite3` raises. It raises the second one for messages that quote a damaged schema."""

_logger = make_logger(__name__)

Vectors = npt.NDArray[np.float32]
File = TypeVar("File", bound="ModelFile")


def default_folder() -> Path:
    """Return the folder of embeddings and scores in the user's cache."""
    return find_cache() / "embeddings"


class StoredModel(NamedTuple):
    """A model whose embeddings or scores are stored, or that was converted for a library; or a built test.

    Attributes:
        name: Name of the model, or of the test and its data.
        path: The file, or the folder of a converted model.
        entries: Number of texts that have a vector, of pairs, summaries and questions that have scores, of files, or of
            rows of a test.
        bytes: Size of the file or files.
        used: Time of the last use, in Unix time.
        backend: Name of the library that computes a converted model. Empty for stored embeddings or scores.
    """

    name: str
    path: Path
    entries: int
    bytes: int
    used: float
    backend: str = ""

    @property
    def key(self) -> str:
        """SHA-256 that identifies the model or the test."""
        return self.path.name.partition(".")[0]


class ModelFile:
    """Values of one model in one SQLite file, by the hash of their texts: committed values survive a kill.

    The file is optional: once it is open, any failure is a warning, and the evaluation continues. A damaged file is
    replaced by an empty one as soon as the damage is detected. Each value has a checksum, because SQLite has none.

    Attributes:
        suffix: End of the file's name, after the key of the model.
        count: Statement of SQL that counts the values. Other statements create the table, and read and write values.

    Args:
        path: The file. It is created if it does not exist.
        name: Name of the model, for `ModelStore.list_models`.

    Raises:
        OutputError: If the file cannot be written.
    """

    suffix: ClassVar[str]
    count: ClassVar[str]
    _create: ClassVar[str]
    _select: ClassVar[str]
    _insert: ClassVar[str]

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        self._pending, self._committed, self._usable = 0, time.monotonic(), True
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if exists(path) and not is_file(path):  # SQLite would block on a pipe
                raise OutputError(f"{path}: is not a file. Remove it, or add --no-cache")
            try:
                self._connection = self._connect()
            except _FAILURES as error:
                if not _is_damage(error, path):
                    raise
                self._connection = self._connect_anew(error)
        except (OSError, *_FAILURES) as error:
            remedy = f"{advise_writing(error)}, or add --no-cache"
            raise OutputError(join_remedy(f"{path}: cannot be written ({error})", remedy)) from None

    def _read(self, hashes: Sequence[bytes]) -> dict[int, bytes]:
        """Read stored values, by the index of their hash. Damaged values are omitted."""
        index = {key: number for number, key in enumerate(hashes)}
        values: dict[int, bytes] = {}
        with self._giving_up():
            for start in range(0, len(hashes), _HASHES_PER_QUERY):
                part = hashes[start : start + _HASHES_PER_QUERY]
                rows = self._connection.execute(self._select + f"({','.join('?' * len(part))})", part)
                for key, blob in rows:
                    is_sound = isinstance(blob, bytes) and blob[-4:] == _checksum(key, blob[:-4])
                    if key in index and is_sound:
                        values[index[key]] = blob[:-4]
        return values

    def _add(self, hashes: Iterable[bytes], values: Iterable[bytes]) -> None:
        """Store values. The last four bytes of an entry are a checksum of the value and its hash."""
        rows = [(key, value + _checksum(key, value)) for key, value in zip(hashes, values, strict=True)]
        if not self._usable:
            return
        with self._giving_up():
            self._connection.executemany(self._insert, rows)
            self._pending += len(rows)
            # A commit per batch would be slow. A commit every few minutes would block other processes.
            if self._pending >= _TEXTS_PER_COMMIT or time.monotonic() - self._committed > _SECONDS_PER_COMMIT:
                self.commit()

    def commit(self) -> None:
        """Commit all values, so that they survive a kill."""
        if not self._usable:
            return
        with self._giving_up():
            self._connection.commit()
            self._pending, self._committed = 0, time.monotonic()

    def close(self) -> None:
        """Commit all values, and close the file."""
        self.commit()
        with suppress(*_FAILURES):
            self._connection.close()

    @contextmanager
    def _giving_up(self) -> Iterator[None]:
        """Continue with an empty store if the file is damaged, and without a store after any other failure."""
        try:
            yield
        except _FAILURES as error:
            if self._usable and _is_damage(error, self._path):
                with suppress(*_FAILURES):
                    self._connection.close()
                with suppress(OSError, *_FAILURES):
                    self._connection, self._pending = self._connect_anew(error), 0
                    return
            _logger.warning("%s: the cache failed (%s). Continuing without it", self._path, error)
            self._usable = False

    def _connect_anew(self, error: Exception) -> sqlite3.Connection:
        _logger.warning("%s: the cache is damaged (%s). Replacing it by an empty one", self._path, error)
        _remove_file(self._path)
        return self._connect()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_LOCK_SECONDS)
        try:
            connection.execute("pragma page_size=16384")  # several vectors fit into a page
            connection.execute("pragma synchronous=normal")
            connection.execute("create table if not exists model (name text not null)")
            connection.execute(self._create)
            connection.execute("delete from model")
            connection.execute("insert into model values (?)", (self._name,))
            connection.commit()
        except _FAILURES:
            connection.close()
            raise
        return connection


class VectorFile(ModelFile):
    """The embeddings of one model."""

    suffix = ".sqlite3"
    count = "select count(*) from embeddings"
    _create = "create table if not exists embeddings (hash blob primary key, vector blob not null)"
    _select = "select hash, vector from embeddings where hash in "
    _insert = "insert or replace into embeddings values (?, ?)"

    def read(self, texts: Sequence[str]) -> dict[int, Vectors]:
        """Read stored vectors.

        Args:
            texts: The texts.

        Returns:
            Vectors of shape (dimension,), by the index of the text. Damaged vectors are omitted: those with values that
            are not finite, or without the most frequent dimension. If dimensions tie, the largest is used.
        """
        values = self._read([_hash(text) for text in texts])
        vectors = {number: np.frombuffer(value, dtype="<f4") for number, value in values.items()}
        counts = Counter(len(vector) for vector in vectors.values() if len(vector))
        usual = max(counts, key=lambda size: (counts[size], size), default=None)
        return {
            number: vector for number, vector in vectors.items() if len(vector) == usual and np.isfinite(vector).all()
        }

    def add(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Store vectors.

        Args:
            texts: n texts.
            vectors: Shape (n, dimension).
        """
        self._add(map(_hash, texts), [vector.astype("<f4").tobytes() for vector in vectors])


class ScoreFile(ModelFile):
    """The scores of one model in double precision, and where a judge gave no answer."""

    suffix = ".scores.sqlite3"
    count = "select count(*) from scores"
    _create = "create table if not exists scores (hash blob primary key, score blob not null)"
    _select = "select hash, score from scores where hash in "
    _insert = "insert or replace into scores values (?, ?)"

    def read(self, method: str, items: Sequence[Sequence[str]], shape: tuple[int, ...]) -> tuple[list[int], Scores]:
        """Read stored scores.

        Args:
            method: The method of the model that computes them.
            items: The texts of each pair, summary or question.
            shape: Shape of the scores of an item.

        Returns:
            The indices of the items that have scores, and these scores.
        """
        form = _make_form(shape)
        values = self._read([_hash(method, *texts) for texts in items])
        values = {number: value for number, value in values.items() if len(value) == form.itemsize}
        rows = np.frombuffer(b"".join(values.values()), dtype=form)
        return list(values), Scores(rows["values"], rows["outcome"])

    def add(self, method: str, items: Sequence[Sequence[str]], scores: Scores) -> None:
        """Store scores. Scores that are not finite are left out, because callers refuse them.

        Args:
            method: As for `read`.
            items: As for `read`, n items.
            scores: The n scores.
        """
        rows = np.zeros(len(items), dtype=_make_form(scores.values.shape[1:]))
        rows["values"], rows["outcome"] = scores.values, scores.outcomes
        is_kept = scores.is_missing | np.isfinite(scores.values).reshape(len(items), -1).all(axis=1)
        places = np.flatnonzero(is_kept).tolist()
        self._add([_hash(method, *items[place]) for place in places], [rows[place].tobytes() for place in places])


def _make_form(shape: tuple[int, ...]) -> np.dtype[np.void]:
    """Return the form of the stored scores of an item."""
    return np.dtype([("outcome", "u1"), ("values", "<f8", shape)])


def _is_damage(error: Exception, path: Path) -> bool:
    """Return whether the content of the file caused an error, not the system, other processes or this program.

    SQLite reports many kinds of damage, such as a missing column, as an operational error. So the operational errors
    with other causes are listed.
    """
    if isinstance(error, UnicodeDecodeError):
        return True
    if isinstance(error, sqlite3.OperationalError):
        message = str(error)
        if "readonly" in message:  # a damaged header can also declare the file read-only
            return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
        return not any(cause in message for cause in _NO_DAMAGE)
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.ProgrammingError)


def _remove_file(path: Path) -> None:
    """Remove a store and its journal. SQLite would apply a leftover journal to a new file of the same name."""
    path.with_name(path.name + "-journal").unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def _hash(*texts: str) -> bytes:
    """Return the hash of a text, or of several texts in their order."""
    digests = [hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).digest() for text in texts]
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256(b"".join(digests)).digest()


def _checksum(key: bytes, data: bytes) -> bytes:
    return zlib.crc32(data, zlib.crc32(key)).to_bytes(4, "little")


class ModelStore:
    """A folder of stored embeddings and scores, each with one file per model, and of built tests.

    Args:
        folder: The folder. If None, `default_folder()`.
        limit_mib: Size in MiB above which the least recently used models and tests are removed.
    """

    def __init__(self, folder: Path | None = None, limit_mib: int = DEFAULT_LIMIT_MIB) -> None:
        COUNT.check("limit_mib", limit_mib)
        self.folder, self._limit_bytes = folder or default_folder(), limit_mib << 20

    def open(self, key: str, name: str) -> AbstractContextManager[VectorFile]:
        """Open the embeddings of a model.

        Args:
            key: SHA-256 that identifies the model.
            name: Name of the model, for `list_models`.

        Raises:
            OutputError: If the store cannot be written.
        """
        return self._open(VectorFile, key, name)

    def open_scores(self, key: str, name: str) -> AbstractContextManager[ScoreFile]:
        """Open the scores of a model, as `open` does its embeddings."""
        return self._open(ScoreFile, key, name)

    @contextmanager
    def _open(self, kind: type[File], key: str, name: str) -> Iterator[File]:
        """Open a file for a block, and then make room for it."""
        file = kind(self.folder / (key + kind.suffix), name)
        try:
            yield file
        finally:
            file.close()
        self.make_room({key + kind.suffix})

    def make_room(self, kept: Collection[str]) -> None:
        """Remove the least recently used models and tests that exceed the limit.

        Args:
            kept: Names of files that are not removed.
        """
        total = 0
        stored = [*self.list_models(), *self.list_models(suffix=TEST_SUFFIX)]
        for model in sorted(stored, key=lambda model: -model.used):
            total += model.bytes
            if total > self._limit_bytes and model.path.name not in kept:
                _logger.warning("the cache is full: removing what is stored of %s", model.name)
                try:
                    _remove_file(model.path)
                except OSError as error:
                    _logger.warning("%s", cannot_remove(model.path, error))

    def list_models(self, name: str | None = None, suffix: str = VectorFile.suffix) -> list[StoredModel]:
        """List the stored models, the most recently used first.

        Args:
            name: Name of a model, or at least eight digits of its key. None for all.
            suffix: End of the names of files. `TEST_SUFFIX` lists the built tests instead.

        Raises:
            OptionError: If nothing has that name or key.
            InputError: If the folder cannot be read.
        """
        models = [model for path in _list_files(self.folder, suffix) if (model := _describe(path)) is not None]
        models.sort(key=lambda model: (-model.used, model.key))
        if name is None:
            return models
        is_key = len(name) >= _KEY_DIGITS
        matching = [model for model in models if model.name == name or (is_key and model.key.startswith(name))]
        if not matching:
            raise unknown_name("name in the cache", name, {model.name for model in models})
        return matching

    def clear(self, name: str | None = None, suffix: str = VectorFile.suffix) -> list[StoredModel]:
        """Remove models, and return them. Arguments and errors are the same as for `list_models`.

        Raises:
            OutputError: If a file cannot be removed. The models before it are removed.
        """
        models = self.list_models(name, suffix)
        for model in models:
            try:
                _remove_file(model.path)
            except OSError as error:
                raise cannot_remove(model.path, error) from None
        return models


def _list_files(folder: Path, suffix: str) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.name.endswith(suffix) and is_file(path)]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise cannot_read(folder, error, "check its permissions") from None


def _describe(path: Path) -> StoredModel | None:
    """Describe the model or the test of a file. Return None if the file has just been removed."""
    kind: type[ModelFile] = VectorFile
    if path.name.endswith(ScoreFile.suffix):
        kind = ScoreFile
    try:
        status = path.stat()
    except OSError:
        return None
    try:
        if path.name.endswith(TEST_SUFFIX):
            header, _ = read_header(path)
            return StoredModel(str(header["name"]), path, int(header["rows"]), status.st_size, status.st_mtime)
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            (name,) = connection.execute("select name from model").fetchone()
            (entries,) = connection.execute(kind.count).fetchone()
        return StoredModel(str(name), path, entries, status.st_size, status.st_mtime)
    except (*_FAILURES, OSError, KeyError, TypeError, ValueError):
        return StoredModel("(damaged)", path, 0, status.st_size, status.st_mtime)


def read_header(path: Path) -> tuple[dict[str, Any], int]:
    """Read the description of a built test, the first line of its file.

    Returns:
        The description, and the number of bytes of the line.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If the line is damaged.
    """
    with path.open("rb") as file:
        line = file.readline(_MAX_HEADER_BYTES)
    return dict(json.loads(line)), len(line)


def format_age(used: float) -> str:
    """Format the time since a Unix time, in hours, or in days from two days on."""
    hours = max(0, int(time.time() - used)) // 3600
    if hours >= 48:
        return f"{hours // 24} days ago"
    if hours:
        return f"{count_of(hours, 'hour')} ago"
    return "within the hour"
