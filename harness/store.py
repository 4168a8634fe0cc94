"""Embeddings on disk, so that no text is encoded twice by the same model and a killed run goes on where it was."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import platformdirs

from pyramid_paraphrase.errors import OutputError

DEFAULT_LIMIT_MIB = 4096
_SUFFIX = ".sqlite3"
_HASHES_PER_QUERY = 500
_TEXTS_PER_COMMIT = 512
_LOCK_SECONDS = 60

_SCHEMA = """
create table if not exists model (name text not null);
create table if not exists embeddings (hash blob primary key, vector blob not null);
"""

_logger = logging.getLogger(__name__)

Vectors = npt.NDArray[np.float32]


def default_folder() -> Path:
    """Where embeddings are kept, unless the user says otherwise."""
    return Path(platformdirs.user_cache_dir("pyramid-paraphrase", appauthor=False)) / "embeddings"


class Entry(NamedTuple):
    """What the store holds of a model: how many texts, in how many bytes, and when that was last used (Unix time)."""

    name: str
    key: str
    texts: int
    bytes: int
    used: float


class ModelStore:
    """The embeddings of one model, in one SQLite file: what was committed survives a kill.

    Args:
        path: The file; made if it is not there, made anew if it is damaged.
        name: Name of the model, to be listed.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._pending = path, 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._connection = _connect(path, name)
            except sqlite3.DatabaseError:
                _logger.warning("%s: is damaged and is made anew", path)
                path.unlink()
                self._connection = _connect(path, name)
        except (OSError, sqlite3.Error) as error:
            raise OutputError(f"{path}: cannot be written ({error}); check path and space, or say --no-cache") from None

    def read(self, texts: Sequence[str]) -> dict[int, Vectors]:
        """Find stored vectors.

        Args:
            texts: The texts.

        Returns:
            Vectors of shape (dimension,), by the index of the text; what is not stored, or not sound, is not there.
        """
        index = {_hash(text): number for number, text in enumerate(texts)}
        hashes, found = list(index), {}
        for start in range(0, len(hashes), _HASHES_PER_QUERY):
            part = hashes[start : start + _HASHES_PER_QUERY]
            marks = ",".join("?" * len(part))
            rows = self._connection.execute(f"select hash, vector from embeddings where hash in ({marks})", part)  # noqa: S608 - only marks
            found.update({index[key]: np.frombuffer(vector, dtype="<f4") for key, vector in rows})
        return _keep_sound(found)

    def add(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Store vectors.

        Args:
            texts: n texts.
            vectors: Shape (n, dimension).
        """
        rows = [(_hash(text), vector.astype("<f4").tobytes()) for text, vector in zip(texts, vectors, strict=True)]
        try:
            self._connection.executemany("insert or replace into embeddings values (?, ?)", rows)
            self._pending += len(rows)
            if self._pending >= _TEXTS_PER_COMMIT:
                self.commit()
        except sqlite3.Error as error:
            raise OutputError(f"{self._path}: cannot be written ({error}); check space, or say --no-cache") from None

    def commit(self) -> None:
        """Make what was added survive."""
        self._connection.commit()
        self._pending = 0

    def forget(self) -> None:
        """Remove all that is stored of the model."""
        self._connection.execute("delete from embeddings")
        self._connection.commit()

    def close(self) -> None:
        """Commit, and close the file."""
        self.commit()
        self._connection.close()


def _connect(path: Path, name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_LOCK_SECONDS)
    try:
        connection.execute("pragma page_size=16384")  # some vectors fit into a page
        connection.execute("pragma synchronous=normal")
        connection.executescript(_SCHEMA)
        connection.execute("delete from model")
        connection.execute("insert into model values (?)", (name,))
        connection.commit()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).digest()


def _keep_sound(found: dict[int, Vectors]) -> dict[int, Vectors]:
    """Vectors with finite values and the dimension that most have."""
    sizes = [len(vector) for vector in found.values()]
    usual = max(set(sizes), key=lambda size: (sizes.count(size), size), default=0)
    return {number: v for number, v in found.items() if len(v) == usual and np.isfinite(v).all()}


class EmbeddingStore:
    """A folder with a file per model.

    Args:
        folder: The folder; `default_folder()` if None.
        limit_mib: Size above which the models that were not used for longest are removed.
    """

    def __init__(self, folder: Path | None = None, limit_mib: int = DEFAULT_LIMIT_MIB) -> None:
        self.folder, self._limit_bytes = folder or default_folder(), limit_mib << 20

    @contextmanager
    def open(self, key: str, name: str) -> Iterator[ModelStore]:
        """Open what is stored of a model.

        Args:
            key: Identity of the model, a SHA-256.
            name: Its name, to be listed.

        Raises:
            OutputError: If the store cannot be written.
        """
        store = ModelStore(self.folder / (key + _SUFFIX), name)
        try:
            yield store
        finally:
            store.close()
        self._prune(keep=key)

    def entries(self) -> list[Entry]:
        """What is stored, the last used first."""
        return sorted(map(_describe, self.folder.glob("*" + _SUFFIX)), key=lambda entry: (-entry.used, entry.key))

    def clear(self, name: str | None = None) -> list[Entry]:
        """Remove models.

        Args:
            name: Name, or start of the key, of those to remove; None for all.

        Returns:
            What was removed.
        """
        chosen = [entry for entry in self.entries() if name is None or entry.name == name or entry.key.startswith(name)]
        for entry in chosen:
            (self.folder / (entry.key + _SUFFIX)).unlink(missing_ok=True)
        return chosen

    def _prune(self, keep: str) -> None:
        total = 0
        for entry in self.entries():
            total += entry.bytes
            if total > self._limit_bytes and entry.key != keep:
                _logger.warning("embeddings of %s are removed from the cache: it is full", entry.name)
                (self.folder / (entry.key + _SUFFIX)).unlink(missing_ok=True)


def _describe(path: Path) -> Entry:
    try:
        connection = sqlite3.connect(path, timeout=_LOCK_SECONDS)
        try:
            (name,) = connection.execute("select name from model").fetchone()
            (texts,) = connection.execute("select count(*) from embeddings").fetchone()
        finally:
            connection.close()
        status = path.stat()
        return Entry(str(name), path.name.removesuffix(_SUFFIX), texts, status.st_size, status.st_mtime)
    except (OSError, sqlite3.Error, TypeError):
        return Entry("(damaged)", path.name.removesuffix(_SUFFIX), 0, 0, 0.0)


def format_age(used: float) -> str:
    """Say how long ago something was."""
    hours = max(0, int(time.time() - used)) // 3600
    return f"{hours // 24} days ago" if hours >= 48 else f"{hours} hours ago" if hours else "within the hour"
