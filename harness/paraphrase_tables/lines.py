"""Lines of large files, plain or compressed by gzip, one at a time."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

from harness.progress import Progress
from pyramid_paraphrase import limits
from pyramid_paraphrase.archives import refusing_damage
from pyramid_paraphrase.errors import InputError, LimitError

_GZIP = b"\x1f\x8b"
_BOM = "\ufeff"
_STEP = 1 << 12
"""Lines after which progress and size are looked at."""


class Line(NamedTuple):
    """A line of a file.

    Attributes:
        file: Name of the file.
        number: 1-based.
        text: Without what ends it.
    """

    file: str
    number: int
    text: str

    def refuse(self, reason: str, remedy: str = "correct the line, or leave it out") -> InputError:
        """Describe what is wrong with it, as an error to be raised by the caller."""
        return InputError(self.file, reason, remedy, self.number)


def read_lines(path: Path, progress: Progress | None = None) -> Iterator[Line]:
    """Go through the lines of a file that are not blank.

    Args:
        path: The file, plain or compressed by gzip; its first bytes tell.
        progress: Told how many bytes of the file were read.

    Raises:
        InputError: If it cannot be read, is damaged, or is no UTF-8.
        LimitError: If it is larger than `limits` allows, has a longer line, or expands too much.
    """
    with _open(path) as (raw, stream):
        size = seen = 0
        for number, data in enumerate(iter(lambda: stream.readline(limits.MAX_TABLE_LINE_BYTES + 1), b""), 1):
            size += len(data)
            if number % _STEP == 0:
                _check_size(path, size, raw.tell())
                seen = _advance(progress, raw, seen)
            if len(data) > limits.MAX_TABLE_LINE_BYTES:
                reason = f"a line of more than {limits.MAX_TABLE_LINE_BYTES >> 20} MiB"
                raise LimitError(str(path), reason, "give a table of paraphrases", number)
            text = _decode(path, number, data)
            if text.strip():
                yield Line(str(path), number, text)
        _advance(progress, raw, seen)


def _advance(progress: Progress | None, raw: IO[bytes], seen: int) -> int:
    """Tell how far a file was read since the last time, and return its position."""
    if progress:
        progress.advance(raw.tell() - seen)
    return raw.tell()


def _check_size(path: Path, size: int, read: int) -> None:
    if size > max(limits.RATIO_FLOOR_BYTES, limits.MAX_RATIO * read):
        reason = f"expands to more than {limits.MAX_RATIO} times its size"
        raise LimitError(str(path), reason, "unpack it yourself if you trust it")
    if size > limits.MAX_TABLE_BYTES:
        raise LimitError(str(path), f"more than {limits.MAX_TABLE_BYTES >> 30} GiB", "give a smaller table")


def _decode(path: Path, number: int, data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError(str(path), "is no UTF-8", "convert the file", number) from None
    return (text.removeprefix(_BOM) if number == 1 else text).rstrip("\r\n")


@contextmanager
def _open(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The file itself, whose position tells how far it was read, and the stream of what it holds."""
    try:
        with path.open("rb") as raw, refusing_damage(str(path)):
            packed = raw.read(len(_GZIP)) == _GZIP
            raw.seek(0)
            yield raw, cast(IO[bytes], io.BufferedReader(gzip.GzipFile(fileobj=raw), 1 << 16)) if packed else raw
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror or error})", "check the path") from None
