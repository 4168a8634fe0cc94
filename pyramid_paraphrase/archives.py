"""Members of archives, read in memory one by one: nothing is ever unpacked by path."""

from __future__ import annotations

import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple, cast

from pyramid_paraphrase import limits
from pyramid_paraphrase.errors import InputError, LimitError

_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    IndexError,
    NotImplementedError,
    UnicodeDecodeError,
)
_END_OF_TAR = b"\0" * 512


class Member(NamedTuple):
    """One entry of an archive; ``open`` is None for links, devices and the like, and valid until the next entry."""

    name: str
    open: Callable[[], IO[bytes]] | None


def is_archive(name: str) -> bool:
    """Whether a file name is that of an archive this module reads."""
    return name.lower().endswith(tuple(_READERS))


def read_members(
    stream: IO[bytes], size: int, file: str, max_members: int | None = None, remedy: str = "split the archive"
) -> Iterator[Member]:
    """Go through the entries of an archive, folders left out.

    Args:
        stream: The archive, seekable for a `.zip`.
        size: Its length in bytes, which bounds what may come out of it.
        file: Its name, which also tells its format.
        max_members: How many entries are accepted; `limits.MAX_MEMBERS` if None.
        remedy: What to do if there are more.

    Yields:
        Its entries in order.

    Raises:
        LimitError: If it has too many entries, or expands too much.
        Exception: If it is truncated or damaged, one of those that `refusing_damage` explains.
    """
    reader = next(reader for suffix, reader in _READERS.items() if file.lower().endswith(suffix))
    most = limits.MAX_MEMBERS if max_members is None else max_members
    for count, member in enumerate(reader(stream, _Budget(size, file))):
        if count >= most:
            raise LimitError(file, f"more than {most:,} members", remedy)
        yield member


@contextmanager
def refusing_damage(file: str) -> Iterator[None]:
    """Turn what a truncated or damaged archive raises, between its members or within one, into an `InputError`."""
    try:
        yield
    except _DAMAGE as error:
        reason = f"truncated or damaged archive ({error or type(error).__name__})"
        raise InputError(file, reason, "get the archive again and compare its size") from None


def read_bounded(stream: IO[bytes] | gzip.GzipFile, limit: int, file: str) -> bytes:
    """Read all of a stream.

    Args:
        stream: A file, or a member of an archive.
        limit: How many bytes are accepted.
        file: Its name, for errors.

    Raises:
        LimitError: If there are more.
    """
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise LimitError(file, f"larger than {limit // limits.MEBIBYTE} MiB", "split the file")
    return data


class _Budget:
    """How many bytes may still come out of an archive of a given size."""

    def __init__(self, size: int, file: str) -> None:
        self._size = size
        self._file = file
        self._spent = 0

    def spend(self, count: int) -> None:
        self._spent += count
        if self._spent > max(limits.RATIO_FLOOR_BYTES, limits.MAX_RATIO * self._size):
            reason = f"expands to more than {limits.MAX_RATIO} times its size"
            raise LimitError(self._file, reason, "unpack it yourself if you trust it, and give the folder")


class _Metered(io.RawIOBase):
    """A stream that spends a budget as it is read, and remembers its last block."""

    def __init__(self, stream: IO[bytes], budget: _Budget) -> None:
        self._stream = stream
        self._budget = budget
        self.last_block = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._budget.spend(len(data))
        self.last_block = (self.last_block + data)[-len(_END_OF_TAR) :]
        return data

    def close(self) -> None:
        self._stream.close()
        super().close()


def _read_tar(stream: IO[bytes], budget: _Budget) -> Iterator[Member]:
    metered = _Metered(stream, budget)
    with tarfile.open(fileobj=cast(IO[bytes], metered), mode="r|") as archive:
        for entry in archive:
            if entry.isdir():
                continue
            yield Member(entry.name, _tar_opener(archive, entry) if entry.isfile() else None)
    if metered.last_block != _END_OF_TAR:
        raise tarfile.ReadError("end of archive is missing")
    while metered.read(limits.MEBIBYTE):
        pass  # so that a checksum at the very end is compared


def _tar_opener(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def opener() -> IO[bytes]:
        stream = archive.extractfile(entry)
        if stream is None:
            raise tarfile.ReadError(f"no data for {entry.name}")
        return stream

    return opener


def _read_gzipped_tar(stream: IO[bytes], budget: _Budget) -> Iterator[Member]:
    with gzip.GzipFile(fileobj=stream) as unzipped:
        yield from _read_tar(cast(IO[bytes], unzipped), budget)


def _read_zip(stream: IO[bytes], budget: _Budget) -> Iterator[Member]:
    with zipfile.ZipFile(stream) as archive:
        for entry in archive.infolist():
            if entry.is_dir():
                continue
            if entry.flag_bits & 1:
                raise zipfile.BadZipFile("it is encrypted")
            link = (entry.external_attr >> 28) == 0o12
            yield Member(entry.filename, None if link else _zip_opener(archive, entry, budget))


def _zip_opener(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, budget: _Budget) -> Callable[[], IO[bytes]]:
    return lambda: cast(IO[bytes], _Metered(archive.open(entry), budget))


_READERS: dict[str, Callable[[IO[bytes], _Budget], Iterator[Member]]] = {
    ".tar.gz": _read_gzipped_tar,
    ".tgz": _read_gzipped_tar,
    ".tar": _read_tar,
    ".zip": _read_zip,
}
