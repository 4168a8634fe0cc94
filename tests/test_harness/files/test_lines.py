"""Lines of large files: numbers of lines, limits, progress, and numbers in lines."""

from __future__ import annotations

import gzip
import math
import re
from pathlib import Path

import pytest
from helpers.messages import mentions

from harness.files import lines as module
from harness.files.lines import Line, open_lines, parse_estimate, parse_number, stream_lines
from harness.support.progress import Progress
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits


def write(folder: Path, data: bytes) -> Path:
    path = folder / "t.txt"
    path.write_bytes(data)
    return path


def read(folder: Path, data: bytes, *, keep_blank: bool = False) -> list[tuple[int, str]]:
    lines = stream_lines(write(folder, data), "use a table", keep_blank=keep_blank)
    return [(line.number, line.text) for line in lines]


def refuse(folder: Path, data: bytes, message: str, kind: type[InputError] = InputError) -> None:
    with pytest.raises(kind) as error:
        read(folder, data)
    assert re.search(mentions(message), str(error.value))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines_have_numbers(pack: type[bytes], tmp_path: Path) -> None:
    """A byte order mark counts in the first line only. Blank lines count, but are left out unless they are wanted."""
    data = pack("\ufeff a\r\n\n \t\n\ufeffb\u00e9\r\r\nc".encode())
    assert read(tmp_path, data) == [(1, " a"), (4, "\ufeffb\u00e9"), (5, "c")]
    kept = [(1, " a"), (2, ""), (3, " \t"), (4, "\ufeffb\u00e9"), (5, "c")]
    assert read(tmp_path, data, keep_blank=True) == kept
    with open_lines(tmp_path / "t.txt", "use a table") as lines:
        assert lines.is_compressed is (pack is not bytes)
        assert len(list(lines)) == 5
        assert lines.tell() == len(data)


def test_lines_that_are_refused(tmp_path: Path) -> None:
    refuse(tmp_path, b"a\nb\xff\n", "t.txt, line 2: ... UTF-8")
    refuse(tmp_path, b"a\nb\n\0", "t.txt, line 3: ... zero bytes ... UTF-8")


def test_the_length_of_lines_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line break counts, too."""
    monkeypatch.setattr(limits, "MAX_TEXT_LINE_BYTES", 1000)
    assert read(tmp_path, b"a\n" + b"y" * 999 + b"\nb") == [(1, "a"), (2, "y" * 999), (3, "b")]
    assert read(tmp_path, b"y" * 1000) == [(1, "y" * 1000)]
    refuse(tmp_path, b"a\n" + b"y" * 1000 + b"\n", "t.txt, line 2: ... 1,000 bytes ... Use a table", LimitError)


def test_the_expansion_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RATIO_FLOOR_BYTES", 100)
    bomb = gzip.compress(b"y\n" * 100_000)
    refuse(tmp_path, bomb, "t.txt: ... 200 times ... unpack", LimitError)
    monkeypatch.setattr(limits, "MAX_RATIO", 100_000)
    assert len(read(tmp_path, bomb)) == 100_000
    monkeypatch.setattr(module, "allow_expansion", lambda _: 200)
    assert read(tmp_path, b"y" * 200) == [(1, "y" * 200)]
    refuse(tmp_path, b"y" * 201, "t.txt: ... unpack", LimitError)


def test_the_expansion_is_checked_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check comes after more bytes than the floor since the last one, here after 101 and after 101 + 125."""
    monkeypatch.setattr(limits, "RATIO_FLOOR_BYTES", 100)
    checked: list[int] = []
    monkeypatch.setattr(module, "allow_expansion", lambda position: checked.append(position) or 10_000)
    assert len(read(tmp_path, b"y" * 50 + b"\n" + b"y" * 49 + b"\n" + (b"y" * 24 + b"\n") * 9)) == 11
    assert checked == [101, 226]


def test_progress_is_told_all_bytes_in_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    monkeypatch.setattr(Progress, "advance", lambda _, count: counts.append(count))
    path = write(tmp_path, b"a\nbc\ndef\n")
    assert len(list(stream_lines(path, "", Progress(visible=False)))) == 3
    assert counts == [9]
    counts.clear()
    assert list(stream_lines(write(tmp_path, b"\n" * 8193), "", Progress(visible=False))) == []
    assert sum(counts) == 8193
    assert len(counts) == 3  # after 4096 and 8192 lines, and at the end
    with pytest.raises(InputError, match=mentions("no such file")):
        list(stream_lines(tmp_path / "missing", "use a table"))


LINE = Line("t.txt", 7, "")


@pytest.mark.parametrize(("text", "value"), [("0.5", 0.5), ("-1e-3", -0.001), (" 2 ", 2.0), ("+.5", 0.5)])
def test_numbers(text: str, value: float) -> None:
    assert parse_number(text, LINE) == value


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "-infinity", "1_000", "\u0661", "1,5", "0x10"])
def test_texts_that_are_no_numbers(text: str) -> None:
    with pytest.raises(InputError, match=mentions(f"t.txt, line 7: {text!a} ... Correct")):
        parse_number(text, LINE)


def test_long_texts_are_shown_in_part() -> None:
    with pytest.raises(InputError, match=mentions(f"'{'y' * 20}' ... Use a table")):
        parse_number("y" * 21, LINE, "use a table")


def test_estimates_are_not_negative() -> None:
    """An estimate can be above 1. Negative zero becomes zero, so that equal tables have equal bytes."""
    assert parse_estimate("1.5", LINE, "x") == 1.5
    assert math.copysign(1, parse_estimate("-0.0", LINE, "x")) == 1
    with pytest.raises(InputError, match=mentions("t.txt, line 7: ... -0.001 ... 0 to 1 ... Use a table")):
        parse_estimate("-0.001", LINE, "use a table")
