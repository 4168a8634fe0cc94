"""Lines of large text files, plain or compressed, one at a time, and the numbers in them.

Files are untrusted: a line is all that is in memory, and neither its length nor what a file expands to is unbounded.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

from harness.files.compression import open_compressed
from harness.support.progress import Progress
from pyramid_paraphrase import limits
from pyramid_paraphrase.archives import allow_expansion, refuse_expansion
from pyramid_paraphrase.errors import InputError, LimitError

_BOM = b"\xef\xbb\xbf"
_BUFFER_BYTES = 1 << 16
_STEP = 1 << 12
"""Lines after which progress is told."""

_ROUNDING = 1e-5
"""How far above 1 a probability may be that was summed of rounded ones."""

CORRECT = "correct the line, or leave it out"


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

    def refuse(self, reason: str, remedy: str = CORRECT) -> InputError:
        """Describe what is wrong with it, as an error to be raised by the caller."""
        return InputError(self.file, reason, remedy, self.number)


class ByteLines:
    """The lines of a file as bytes, with what ends them and without a mark of byte order, to be gone through once.

    Args:
        file: Its name.
        remedy: What to give instead of a file with endless lines.
        raw: The file itself.
        stream: What it holds once decompressed.
    """

    def __init__(self, file: str, remedy: str, raw: IO[bytes], stream: IO[bytes]) -> None:
        self._file, self._remedy = file, remedy
        self._raw, self._stream = raw, stream

    def __iter__(self) -> Iterator[bytes]:
        """Go through the lines.

        Raises:
            InputError: If one has a zero byte.
            LimitError: If one is longer than `limits` allows, or the file expands too much.
        """
        most = limits.MAX_TEXT_LINE_BYTES
        size, looked = 0, 0
        for number, line in enumerate(iter(lambda: self._stream.readline(most + 1), b""), 1):
            size += len(line)
            if len(line) > most:
                raise LimitError(self._file, f"a line of more than {most:,} bytes", self._remedy, number)
            if size - looked > limits.RATIO_FLOOR_BYTES:
                self._check_ratio(size)
                looked = size
            if b"\0" in line:
                raise InputError(self._file, "holds zero bytes, as UTF-16 does", "convert the file to UTF-8", number)
            yield line.removeprefix(_BOM) if number == 1 else line

    def _check_ratio(self, size: int) -> None:
        if size > allow_expansion(self.tell()):
            raise refuse_expansion(self._file)

    @property
    def is_compressed(self) -> bool:
        """Whether the file is compressed."""
        return self._stream is not self._raw

    def tell(self) -> int:
        """How many bytes of the file, as it lies on the disk, were read."""
        return self._raw.tell()


@contextmanager
def open_lines(path: Path, remedy: str) -> Iterator[ByteLines]:
    """Open a file of lines.

    Args:
        path: The file, plain or compressed; its first bytes tell.
        remedy: What to give instead of a folder, or of what is no text.

    Raises:
        InputError: If it cannot be read, or is damaged, until the end.
    """
    with open_compressed(path, remedy) as (raw, stream):
        if stream is not raw:  # whose own `readline` takes twice the time
            stream = cast(IO[bytes], io.BufferedReader(cast(io.RawIOBase, stream), _BUFFER_BYTES))
        yield ByteLines(str(path), remedy, raw, stream)


def decode_line(data: bytes, file: str, number: int) -> str:
    """The text of a line.

    Raises:
        InputError: If it is no UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InputError(file, "is no UTF-8", "convert the file", number) from None


def stream_lines(path: Path, remedy: str, progress: Progress | None = None) -> Iterator[Line]:
    """Go through the lines of a file that are not blank.

    Args:
        path: The file, plain or compressed.
        remedy: What to give instead of a folder, or of what is no text.
        progress: Told how many bytes of the file were read.

    Raises:
        InputError: If it cannot be read, is damaged, or is no UTF-8.
        LimitError: If it has a longer line than `limits` allows, or expands too much.
    """
    file = str(path)
    with open_lines(path, remedy) as lines:
        told = 0
        for number, data in enumerate(lines, 1):
            if progress and number % _STEP == 0:
                progress.advance(lines.tell() - told)
                told = lines.tell()
            text = decode_line(data, file, number).rstrip("\r\n")
            if text.strip():
                yield Line(file, number, text)
        if progress:
            progress.advance(lines.tell() - told)


def parse_number(text: str, line: Line, remedy: str = CORRECT) -> float:
    """A finite number as it stands in a line.

    Raises:
        InputError: If it is none.
    """
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan  # only Python reads 1_000
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise line.refuse(f"{text[:20]!a} is no number", remedy)
    return value


def parse_probability(text: str, line: Line, remedy: str) -> float:
    """A probability as it stands in a line, from 0 to 1; what is above by rounding is 1.

    Raises:
        InputError: If it is none.
    """
    value = parse_number(text, line, remedy)
    if not 0 <= value <= 1 + _ROUNDING:
        raise line.refuse(f"the probability {text:.20} is not from 0 to 1", remedy)
    return min(value, 1.0) + 0.0  # without the sign of -0.0, by which equal tables would differ
