"""The files of the downloadable collections, with their sizes and digests."""

from __future__ import annotations

import csv
import hashlib
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pyramid_paraphrase.files.inputs import open_input

if TYPE_CHECKING:
    from hashlib import _Hash

_TABLE = "files/downloads/files.tsv"
CHUNK_BYTES = 1 << 20


class RemoteFile(NamedTuple):
    """A file of a collection.

    Attributes:
        path: Path of the file in the folder of the collection, with slashes.
        size: Size of the file in bytes.
        digest: Git blob id of the file, in hexadecimal: the SHA-1 of "blob", the size, and the content. A commit of a
            repository lists the blob ids of its files, so that anybody can verify this table.
    """

    path: str
    size: int
    digest: str


def list_remote_files(name: str) -> list[RemoteFile]:
    """List the files of a collection by the name of the collection. An unknown collection has no files."""
    text = files("harness").joinpath(_TABLE).read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t")
    return [RemoteFile(row["path"], int(row["bytes"]), row["blob"]) for row in rows if row["collection"] == name]


def start_digest(size: int) -> _Hash:
    """Return a SHA-1 object that gives the Git blob id after an update with content of this size in bytes."""
    # The id identifies published content and is not a signature, so SHA-1 suffices.
    return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)


def hash_blob(path: Path) -> str:
    """Compute the Git blob id of a file on disk.

    Raises:
        InputError: If the file is a pipe or a device.
        OSError: If the file cannot be read.
    """
    digest = start_digest(path.stat().st_size)
    with open_input(path) as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
