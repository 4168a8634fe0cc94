"""Large text files, plain or compressed: streams of their content, their lines one at a time, and the numbers in them.

Files are untrusted. The first bytes determine how a file is compressed, and nothing is unpacked to disk. Only one line
is in memory, and limits apply to its length and to the expansion of a file.
"""

from __future__ import annotations

import bz2
import codecs
import io
import math
import re
import zipfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar, cast

from harness.support.progress import Progress
from pyramid_paraphrase.errors import InputError, LimitError, cannot_read
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.archives import (
    allow_expansion,
    describe_encryption,
    describe_expansion,
    open_gzip,
    open_zip,
    refusing_damage,
)
from pyramid_paraphrase.files.inputs import describe_pipe, open_input, refuse_document_at

GZIP = b"\x1f\x8b"
_BZIP2 = re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""How compressed files begin."""

_FILES_OF_MODELS = ("config.json", "modules.json", "model.safetensors", "tokenizer.json")
"""Files that tell an archive of a model from an archive of a table."""


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
                raise describe_pipe(path)
            raise InputError(file, "no such file", "check the path")
        with refusing_damage(file), ExitStack() as stack:
            refuse_document_at(path)
            raw = stack.enter_context(open_input(path))
            beginning = raw.read(10)
            raw.seek(0)
            stream: Any = raw
            if beginning.startswith(GZIP):
                stream = stack.enter_context(open_gzip(raw, file))
            elif _BZIP2.match(beginning):
                stream = stack.enter_context(bz2.BZ2File(raw))
            elif beginning.startswith(_ZIP):
                archive = stack.enter_context(open_zip(raw, file))
                stream = stack.enter_context(archive.open(_find_member(archive, file, remedy)))
            yield raw, stream
    except OSError as error:  # bz2 also raises it for damaged data
        raise cannot_read(file, error, "check its permissions, or get it again") from None


def _find_member(archive: zipfile.ZipFile, file: str, remedy: str) -> zipfile.ZipInfo:
    """Return the only file of an archive. Refuse archives of models, of several files, and of encrypted files."""
    members = [entry for entry in archive.infolist() if not entry.is_dir()]
    if any(entry.filename.endswith("/data.pkl") for entry in members):
        raise InputError(file, "is a PyTorch file, the weights of a model", "use the folder of the model")
    if any(Path(entry.filename).name in _FILES_OF_MODELS for entry in members):
        raise InputError(file, "is an archive of a model", "unpack it, and use the folder")
    if len(members) != 1:
        raise InputError(file, f"expected 1 file in the archive, found {len(members)}", f"unpack it, and {remedy}")
    if members[0].flag_bits & 1:
        raise describe_encryption(file)
    return members[0]


_BOM = codecs.BOM_UTF8
_ENCODINGS_BY_MARK = (  # the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BUFFER_BYTES = 1 << 16
_STEP = 1 << 12
"""Number of lines between two reports of progress."""


def find_marked_encoding(data: bytes) -> str:
    """Return the encoding of UTF-16 or UTF-32 that a byte order mark names, or ""."""
    return next((encoding for mark, encoding in _ENCODINGS_BY_MARK if data.startswith(mark)), "")


CORRECT = "correct or remove the line"


class Line(NamedTuple):
    """A line of a file.

    Attributes:
        file: Name of the file.
        number: Number of the line in the file, 1-based.
        text: Text of the line without the line break.
    """

    file: str
    number: int
    text: str

    def refuse(self, reason: str, remedy: str = CORRECT) -> InputError:
        """Return an error about the line, to be raised by the caller."""
        return InputError(self.file, reason, remedy, self.number)


_make_line: Callable[[tuple[str, int, str]], Line] = partial(tuple.__new__, Line)
"""Makes a line in half of the time of its class, for files of millions of lines."""


class ByteLines:
    """The lines of a file as bytes, with line breaks and without a byte order mark. They can be read only once.

    Args:
        file: Name of the file.
        remedy: The remedy for a file with too long lines, for errors.
        raw: The file itself.
        stream: The decompressed content of the file.
    """

    def __init__(self, file: str, remedy: str, raw: IO[bytes], stream: IO[bytes]) -> None:
        self._file, self._remedy = file, remedy
        self._raw, self._stream = raw, stream

    def __iter__(self) -> Iterator[bytes]:
        """Read the lines.

        Raises:
            InputError: If a line contains a zero byte.
            LimitError: If a line is longer than `limits` allows, or the file expands too much.
        """
        limit = limits.MAX_TEXT_LINE_BYTES
        size, checked_size = 0, 0
        for number, line in enumerate(iter(partial(self._stream.readline, limit + 1), b""), 1):
            size += len(line)
            if len(line) > limit:
                raise LimitError(self._file, f"is longer than {limit:,} bytes", self._remedy, number)
            if size - checked_size > limits.RATIO_FLOOR_BYTES:
                if size > allow_expansion(self.tell()):
                    raise describe_expansion(self._file)
                checked_size = size
            if b"\0" in line:
                raise InputError(self._file, "contains zero bytes, as UTF-16 does", "convert the file to UTF-8", number)
            yield line.removeprefix(_BOM) if number == 1 else line

    @property
    def is_compressed(self) -> bool:
        """Whether the file is compressed."""
        return self._stream is not self._raw

    def tell(self) -> int:
        """Return the number of bytes of the file on disk that were read."""
        return self._raw.tell()


@contextmanager
def open_lines(path: Path, remedy: str) -> Iterator[ByteLines]:
    """Open a file of lines.

    Args:
        path: The file, plain or compressed, as recognized by its first bytes.
        remedy: The remedy for a folder, or for a file that is not a text, for errors.

    Yields:
        The lines.

    Raises:
        InputError: If the file cannot be read, or turns out to be damaged within the block.
    """
    with open_compressed(path, remedy) as (raw, stream):
        if stream is not raw:  # `readline` of decompressing streams takes twice the time
            stream = cast(IO[bytes], io.BufferedReader(cast(io.RawIOBase, stream), _BUFFER_BYTES))
        yield ByteLines(str(path), remedy, raw, stream)


_Lines = TypeVar("_Lines")


def divide_lines(
    lines: Iterable[_Lines], measure: Callable[[_Lines], int], limit: int, tell: Callable[[], int]
) -> Iterator[tuple[int, list[_Lines], int]]:
    """Divide the lines of a file into chunks.

    Args:
        lines: The lines, or the tuples of lines of files that are read in parallel.
        measure: Function that returns the number of bytes of a line.
        limit: Minimum number of bytes of a chunk, except for the last one.
        tell: Function that returns the number of bytes on disk that were read.

    Yields:
        The number of the first line of a chunk, 1-based, the lines, and the number of bytes on disk that were read
        since the last chunk, for progress.
    """
    first, chunk, size, consumed = 1, list[_Lines](), 0, 0
    for line in lines:
        chunk.append(line)
        size += measure(line)
        if size >= limit:
            yield first, chunk, tell() - consumed
            first, chunk, size, consumed = first + len(chunk), [], 0, tell()
    yield first, chunk, tell() - consumed


def decode_line(data: bytes, file: str, number: int) -> str:
    """Decode a line.

    Raises:
        InputError: If the line is not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InputError(file, "is not UTF-8", "convert the file to UTF-8", number) from None


def stream_lines(
    path: Path, remedy: str, progress: Progress | None = None, *, keep_blank: bool = False
) -> Generator[Line, None, None]:
    """Read the lines of a file, which is open until the end or until the generator is closed.

    Args:
        path: The file, plain or compressed.
        remedy: The remedy for a folder, or for a file that is not a text, for errors.
        progress: Progress bar over the bytes of the file.
        keep_blank: Whether to yield blank lines, too.

    Yields:
        The lines.

    Raises:
        InputError: If the file cannot be read, is damaged, or is not UTF-8.
        LimitError: If a line is longer than `limits` allows, or the file expands too much.
    """
    file = str(path)
    with open_lines(path, remedy) as lines:
        reported = 0
        for number, data in enumerate(lines, 1):
            if progress and number % _STEP == 0:
                progress.advance(lines.tell() - reported)
                reported = lines.tell()
            try:  # as `decode_line`, without a call per line
                text = data.decode().rstrip("\r\n")
            except UnicodeDecodeError:
                text = decode_line(data, file, number)
            if keep_blank or text.strip():
                yield _make_line((file, number, text))
        if progress:
            progress.advance(lines.tell() - reported)


def parse_number(text: str, line: Line, remedy: str = CORRECT) -> float:
    """Parse a finite number in a line.

    Raises:
        InputError: If the text is not a finite number.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    # Python also accepts digits of other scripts and 1_000, but other programs do not.
    if not math.isfinite(value) or not text.isascii() or "_" in text:
        raise line.refuse(f"{text[:20]!a} is not a number", remedy)
    return value


def parse_estimate(text: str, line: Line, remedy: str) -> float:
    """Parse an estimated probability in a line, which may be above 1.

    Raises:
        InputError: If the text is not a number, or is negative.
    """
    value = parse_number(text, line, remedy)
    if value < 0:
        raise line.refuse(f"the probability {text:.20} is not from 0 to 1", remedy)
    return value + 0.0  # -0.0 becomes 0.0, so that equal tables have equal bytes
