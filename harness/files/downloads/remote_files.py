"""The files of the collections that can be downloaded, each with its size and digest."""

from __future__ import annotations

import csv
import hashlib
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pyramid_paraphrase.inputs import open_input

if TYPE_CHECKING:
    from hashlib import _Hash

_TABLE = "files/downloads/files.tsv"
CHUNK_BYTES = 1 << 20


class RemoteFile(NamedTuple):
    """A file of a collection.

    Attributes:
        path: Its path in the folder of the collection, with slashes.
        size: Its size in bytes.
        digest: Its Git blob id, in hexadecimal: the SHA-1 of "blob", its size, and its content. A commit of a
            repository lists the blob ids of its files, so that anybody can verify this table.
    """

    path: str
    size: int
    digest: str


def list_remote_files(name: str) -> list[RemoteFile]:
    """List the files of a collection by the collection's name; an unknown collection has none."""
    text = files("harness").joinpath(_TABLE).read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t")
    return [RemoteFile(row["path"], int(row["bytes"]), row["blob"]) for row in rows if row["collection"] == name]


def start_digest(size: int) -> _Hash:
    """Return a SHA-1 object that gives the Git blob id once it is updated with a content of this size in bytes."""
    # The id names a content that somebody published; it is no signature.
    return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)


def hash_blob(path: Path) -> str:
    """Compute the Git blob id of a file on disk.

    Raises:
        InputError: If it is a pipe or a device.
        OSError: If it cannot be read.
    """
    digest = start_digest(path.stat().st_size)
    with open_input(path) as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
