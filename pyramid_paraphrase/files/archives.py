"""Read members of archives one by one in memory, without unpacking to disk. Compress by gzip."""

from __future__ import annotations

import gzip
import io
import lzma
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import IO, cast

from pyramid_paraphrase.errors import InputError, LimitError, PyramidParaphraseError
from pyramid_paraphrase.files import limits

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
_GZIP = zlib.MAX_WBITS | 16
_SYSTEM_BYTE, _UNIX = 9, 3  # RFC 1952: the place of the operating system in the header, and the number of Unix
GZIP_LEVEL = 6
"""Compression level. Files of scores are 1 % larger than at level 9, and are compressed in half the time."""

_END_OF_TAR = b"\0" * 512
_DIGITS = re.compile("[0-9]+")

_TAR_BUFFER = 20 * 512
_Entries = Generator[tuple[str, Callable[[], IO[bytes]] | None, bool], None, None]
"""Entries as the libraries return them: name, function that opens it, and whether it is a folder. The function is None
for entries that are neither a file nor a folder."""

_UNPACK = "if you trust it, unpack it yourself and use the folder"


class Budget:
    """A limit on the number of bytes that are decompressed from an archive.

    Args:
        size: Number of bytes of the archive.
        file: Its name, for errors.
        outer: The budget of the archive that contains this archive, if any. Every byte also counts there.
    """

    def __init__(self, size: int, file: str, outer: Budget | None = None) -> None:
        self.limit = min(allow_expansion(size), limits.MAX_EXPANDED_BYTES)
        self._file = file
        self._outer = outer
        self._spent = self._work = 0

    def spend(self, count: int) -> None:
        """Add decompressed bytes to the number of bytes spent.

        Raises:
            LimitError: If there are too many.
        """
        self._spent += count
        self.require(self._spent)
        if self._outer:
            self._outer.spend(count)

    def spend_work(self, count: int) -> None:
        """Add work on headers, in the unit of `limits.MAX_HEADER_WORK`.

        Raises:
            LimitError: If it is too much.
        """
        self._work += count
        if self._work > limits.MAX_HEADER_WORK:
            raise LimitError(self._file, "has too many digits in its extended headers", _UNPACK)
        if self._outer:
            self._outer.spend_work(count)

    def require(self, size: int) -> None:
        """Check that a number of decompressed bytes is allowed.

        Raises:
            LimitError: If it is too large.
        """
        if size > self.limit:
            if self.limit == limits.MAX_EXPANDED_BYTES:
                reason = f"expands to more than {limits.MAX_EXPANDED_BYTES // limits.MEBIBYTE:,} MiB"
                raise LimitError(self._file, reason, _UNPACK)
            raise describe_expansion(self._file)


def allow_expansion(size: int) -> int:
    """Return the allowed number of decompressed bytes for a number of compressed bytes."""
    return max(limits.RATIO_FLOOR_BYTES, limits.MAX_RATIO * size)


def describe_expansion(file: str) -> LimitError:
    """Describe a compressed file that exceeds `allow_expansion`, as an error to be raised by the caller."""
    return LimitError(file, f"expands to more than {limits.MAX_RATIO} times its size", _UNPACK)


def is_archive(name: str) -> bool:
    """Return whether a file has the name of a supported archive."""
    return name.lower().endswith(tuple(_READERS))


def read_members(
    stream: IO[bytes], file: str, budget: Budget, *, max_members: int | None = None, remedy: str = "split the archive"
) -> Iterator[tuple[str, Callable[[], IO[bytes]] | None]]:
    """Yield the entries of an archive except folders.

    Args:
        stream: The archive, seekable for a `.zip`.
        file: Its name, with the suffix of its format.
        budget: The limit on the number of decompressed bytes.
        max_members: Maximum number of entries. If None, `limits.MAX_MEMBERS`.
        remedy: The remedy for an archive with more entries.

    Yields:
        The name of each entry, which is never used as a path on disk, and the function that opens it until the next
        entry is read. The function is None for links, devices and sparse files.

    Raises:
        LimitError: If it has too many entries, or expands too much.
        InputError: If it is truncated or damaged.
    """
    reader = next(reader for suffix, reader in _READERS.items() if file.lower().endswith(suffix))
    if max_members is None:
        max_members = limits.MAX_MEMBERS
    with closing(reader(stream, budget, file)) as entries:
        for count in range(max_members + 1):
            with _explaining_damage(file):
                entry = next(entries, None)
            if entry is None:
                return
            if count == max_members:
                raise LimitError(file, f"has more than {max_members:,} members", remedy)
            name, opener, is_folder = entry
            if not is_folder:
                yield name, opener and partial(_open_member, opener, file)


def _open_member(opener: Callable[[], IO[bytes]], file: str) -> IO[bytes]:
    with _explaining_damage(file):
        return cast(IO[bytes], _Content(opener(), file))


@contextmanager
def _explaining_damage(file: str) -> Iterator[None]:
    """Turn any exception in the body into an `InputError`. The body may call only the archive libraries.

    Their documentation lists few of the exceptions that damaged archives cause. OSError, ValueError, RecursionError and
    other exceptions have been observed.
    """
    try:
        yield
    except PyramidParaphraseError:
        raise
    except Exception as error:
        raise _damaged(file, error) from None


@contextmanager
def refusing_damage(file: str) -> Iterator[None]:
    """Turn the exceptions of reading a truncated or damaged compressed file into an `InputError`."""
    try:
        yield
    except _DAMAGE as error:
        raise _damaged(file, error) from None


def _damaged(file: str, error: Exception) -> InputError:
    reason = f"is a truncated or damaged archive ({error or type(error).__name__})"
    return InputError(file, reason, "make or download the file again, and check its size")


def describe_encryption(file: str) -> InputError:
    """Describe an archive that needs a password, as an error to be raised by the caller."""
    return InputError(file, "is an encrypted archive", "unpack it with its password, and use the files in it")


def read_bounded(stream: IO[bytes] | gzip.GzipFile, limit: int, file: str, head: bytes = b"") -> bytes:
    """Read a whole stream block by block, so that its budget is checked before much of it is in memory.

    Args:
        stream: A file, or a member of an archive.
        limit: Maximum number of bytes.
        file: Its name, for errors.
        head: Its first bytes, if they were read before.

    Returns:
        Its bytes, including the head.

    Raises:
        LimitError: If there are more bytes.
    """
    blocks, size = [head], len(head)
    while size <= limit and (block := stream.read(limits.MEBIBYTE)):
        blocks.append(block)
        size += len(block)
    if size > limit:
        raise LimitError(file, f"is larger than {limit // limits.MEBIBYTE} MiB", "split the file")
    return b"".join(blocks)


class _Wrapped(io.RawIOBase):
    """A wrapper around a stream. Closing the wrapper closes the stream."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._stream.close()
        super().close()


class _Content(_Wrapped):
    """The content of a member. Errors of the archive libraries become an `InputError`."""

    def __init__(self, stream: IO[bytes], file: str) -> None:
        super().__init__(stream)
        self._file = file

    def read(self, size: int = -1) -> bytes:
        try:
            return self._stream.read(size)
        except PyramidParaphraseError:
            raise
        except Exception as error:  # as in `_explaining_damage`, which is slower
            raise _damaged(self._file, error) from None


class _Metered(_Wrapped):
    """A stream that spends a budget while it is read, and keeps its last block.

    Attributes:
        last_block: The last bytes that were read.
        position: Number of bytes that were read.
        end: The position beyond which reading is an error, or None for no limit.
    """

    def __init__(self, stream: IO[bytes], budget: Budget, file: str) -> None:
        super().__init__(stream)
        self._budget, self._file = budget, file
        self.last_block = b""
        self.position = 0
        self.end: int | None = None

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._budget.spend(len(data))
        self.position += len(data)
        if self.end is not None and self.position > self.end:
            kibibytes = limits.MAX_HEADER_BYTES // 1024
            raise LimitError(self._file, f"has a member with a header of more than {kibibytes} KiB", _UNPACK)
        self.last_block = (self.last_block + data)[-len(_END_OF_TAR) :]
        return data


def _read_tar(stream: IO[bytes], budget: Budget, file: str) -> _Entries:
    metered = _Metered(stream, budget, file)
    metered.end = _TAR_BUFFER + limits.MAX_HEADER_BYTES
    with tarfile.open(fileobj=cast(IO[bytes], metered), mode="r|", bufsize=_TAR_BUFFER) as archive:
        # The offset is 0 in an archive without members, in which Python 3.10 would seek backwards.
        while archive.offset and (entry := archive.next()) is not None:
            metered.end = None
            vars(archive)["members"].clear()  # otherwise the library keeps all headers in memory
            budget.require(archive.offset)  # otherwise the library reads on after the end of the archive
            if len(archive.pax_headers) > limits.MAX_GLOBAL_RECORDS:
                reason = f"has more than {limits.MAX_GLOBAL_RECORDS:,} global header records"
                raise LimitError(file, reason, _UNPACK)
            own_records = entry.pax_headers.items() - archive.pax_headers.items()
            budget.spend_work(sum(len(digits) ** 2 for digits in _DIGITS.findall(str(own_records))))
            is_plain = entry.isfile() and not entry.issparse()
            yield entry.name, partial(_open_tarred, archive, entry) if is_plain else None, entry.isdir()
            # The library reads a header as a whole, whatever its size, and some kinds of headers without end.
            metered.end = max(archive.offset, metered.position) + _TAR_BUFFER + limits.MAX_HEADER_BYTES
    if metered.last_block != _END_OF_TAR:
        raise tarfile.ReadError("the end of the archive is missing")
    metered.end = None
    while metered.read(limits.MEBIBYTE):
        pass  # the checksum at the end of a gzip stream is checked only if everything is read


def _open_tarred(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    stream = archive.extractfile(entry)
    if stream is None:
        raise tarfile.ReadError(f"no data for {entry.name}")
    return stream


def _read_gzipped_tar(stream: IO[bytes], budget: Budget, file: str) -> _Entries:
    with open_gzip(stream, file) as unzipped:
        yield from _read_tar(cast(IO[bytes], unzipped), budget, file)


def open_gzip(stream: IO[bytes], file: str) -> gzip.GzipFile:
    """Open a gzip stream with a limit on the size of its headers.

    Args:
        stream: The compressed stream.
        file: Its name, for errors.

    Returns:
        The decompressed stream. Reading raises a LimitError if a header is larger than `limits` allows.
    """
    single_bytes = 0

    def check(size: int) -> None:
        # The library reads byte by byte only in the names and comments of headers.
        nonlocal single_bytes
        single_bytes = single_bytes + 1 if size == 1 else 0
        if single_bytes > limits.MAX_HEADER_BYTES:
            kibibytes = limits.MAX_HEADER_BYTES // 1024
            raise LimitError(file, f"has a gzip header of more than {kibibytes} KiB", "compress it again")

    return gzip.GzipFile(fileobj=cast(IO[bytes], _CheckedFile(stream, check)))


class _CheckedFile:
    """The file that a library reads an archive from. ``check`` refuses sizes of pieces that are too large."""

    def __init__(self, stream: IO[bytes], check: Callable[[int], None]) -> None:
        self._stream, self.check = stream, check
        self.seek, self.tell, self.seekable = stream.seek, stream.tell, stream.seekable

    def read(self, size: int = -1) -> bytes:
        self.check(size)
        return self._stream.read(size)


def _read_zip(stream: IO[bytes], budget: Budget, file: str) -> _Entries:
    with open_zip(stream, file) as archive:
        for entry in archive.infolist():
            if entry.flag_bits & 1:
                raise describe_encryption(file)
            is_link = (entry.external_attr >> 28) == 0o12  # S_IFLNK of the Unix mode
            opener = None if is_link else partial(_open_zipped, archive, entry, budget, file)
            yield entry.filename, opener, entry.is_dir()


def _open_zipped(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, budget: Budget, file: str) -> IO[bytes]:
    return cast(IO[bytes], _Metered(archive.open(entry), budget, file))


def open_zip(stream: IO[bytes], file: str) -> zipfile.ZipFile:
    """Open a zip archive, and limit the size of its directory, which the library reads as a whole.

    Args:
        stream: The archive, seekable.
        file: Its name, for errors.

    Raises:
        LimitError: If its directory is larger than `limits` allows.
        InputError: If it is damaged.
    """

    def check(size: int) -> None:
        if size > limits.MAX_DIRECTORY_BYTES:
            mebibytes = limits.MAX_DIRECTORY_BYTES // limits.MEBIBYTE
            raise LimitError(file, f"has a directory of more than {mebibytes} MiB", "split the archive")

    source = _CheckedFile(stream, check)
    with _explaining_damage(file):
        archive = zipfile.ZipFile(cast(IO[bytes], source))
    source.check = lambda _: None  # the directory is read
    return archive


_READERS: dict[str, Callable[[IO[bytes], Budget, str], _Entries]] = {
    ".tar.gz": _read_gzipped_tar,
    ".tgz": _read_gzipped_tar,
    ".tar": _read_tar,
    ".zip": _read_zip,
}


def compress_pieces(pieces: Iterable[bytes], level: int = GZIP_LEVEL) -> bytes:
    """Compress data that comes in pieces by gzip, without a time stamp.

    The bytes depend neither on the pieces, nor on the version of Python (as those of `gzip.compress`), nor on the
    operating system.

    Args:
        pieces: The data.
        level: From 1, which is the fastest, to 9, which gives the smallest data.
    """
    stream = zlib.compressobj(level, wbits=_GZIP)
    compressed = bytearray().join([*map(stream.compress, pieces), stream.flush()])
    compressed[_SYSTEM_BYTE] = _UNIX
    return bytes(compressed)
