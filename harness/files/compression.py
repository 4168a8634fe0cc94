"""Compressed files as streams. The first bytes determine the format, and nothing is unpacked to disk."""

from __future__ import annotations

import bz2
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

from pyramid_paraphrase.errors import InputError, cannot_read
from pyramid_paraphrase.files.archives import open_gzip, open_zip, refusing_damage
from pyramid_paraphrase.files.inputs import open_input, refuse_document_at, refuse_irregular


@contextmanager
def open_compressed(path: Path, remedy: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file and the stream of its decompressed content.

    Args:
        path: The file, plain or compressed by gzip, bzip2 or zip, as recognized by its first bytes.
        remedy: The remedy for a folder, or for an archive that does not contain exactly one file of the right kind.

    Yields:
        The file itself, whose position shows the progress of reading, and the stream.

    Raises:
        InputError: If the path is missing, a folder, a document of another program, or cannot be read, or if the file
        turns out to be damaged within the block.
    """
    file = str(path)
    try:
        if path.is_dir():
            raise InputError(file, "is a folder", remedy)
        if not path.is_file():
            if path.exists():
                raise refuse_irregular(path)
            raise InputError(file, "no such file", "check the path")
        with refusing_damage(file), ExitStack() as stack:
            refuse_document_at(path)
            raw = stack.enter_context(open_input(path))
            beginning = raw.read(10)
            raw.seek(0)
            opener = next((opener for magic, opener in _COMPRESSIONS if magic.match(beginning)), None)
            stream = raw if opener is None else opener(raw, file, remedy, stack)
            yield raw, stream
    except OSError as error:  # bz2 also raises it for damaged data
        raise cannot_read(file, error, "check its permissions, or get it again") from None


_FILES_OF_MODELS = ("config.json", "modules.json", "model.safetensors", "tokenizer.json")
"""Files that tell an archive of a model from an archive of a table."""


def _open_gzip(raw: IO[bytes], file: str, _remedy: str, stack: ExitStack) -> IO[bytes]:
    return cast(IO[bytes], stack.enter_context(open_gzip(raw, file)))


def _open_bzip2(raw: IO[bytes], _file: str, _remedy: str, stack: ExitStack) -> IO[bytes]:
    return cast(IO[bytes], stack.enter_context(bz2.BZ2File(raw)))


def _open_zip(raw: IO[bytes], file: str, remedy: str, stack: ExitStack) -> IO[bytes]:
    archive = stack.enter_context(open_zip(raw, file))
    members = [entry for entry in archive.infolist() if not entry.is_dir()]
    if any(entry.filename.endswith("/data.pkl") for entry in members):
        raise InputError(file, "is a PyTorch file, the weights of a model", "use the folder of the model")
    if any(Path(entry.filename).name in _FILES_OF_MODELS for entry in members):
        raise InputError(file, "is an archive of a model", "unpack it, and use the folder")
    if len(members) != 1:
        raise InputError(file, f"expected 1 file in the archive, found {len(members)}", f"unpack it, and {remedy}")
    if members[0].flag_bits & 1:
        raise zipfile.BadZipFile("the archive is encrypted")
    return stack.enter_context(archive.open(members[0]))


_COMPRESSIONS: tuple[tuple[re.Pattern[bytes], Callable[[IO[bytes], str, str, ExitStack], IO[bytes]]], ...] = (
    (re.compile(rb"\x1f\x8b"), _open_gzip),
    (re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), _open_bzip2),
    (re.compile(rb"PK(\x03\x04|\x05\x06)"), _open_zip),
)
