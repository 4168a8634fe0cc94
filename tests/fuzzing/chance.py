"""Reproducible random choices, and values that often cause errors in readers."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

_Item = TypeVar("_Item")

NUMBERS = (
    *("0", "-0", "1", "2", "-1", "7", "0.5", "-0.5", "1.0", "20.0", "1e5", "1e-9", "1e308", "1e999", "-1e999", "nan"),
    *("inf", "-inf", "1_000", "+1", " 1 ", "0x10", "1,5", "\u0663", "\u00b2", "01", "1e", ".", "-"),
    *("65535", "65536", "2147483647", "2147483648", "4294967296", "9007199254740993", "9223372036854775808"),
    *("9" * 20, "9" * 400, "9" * 5000, "0." + "3" * 5000),
)
"""Numbers at the limits of types, and texts that only some readers accept as numbers."""

TEXTS = (
    *("", " ", "\0", "\t", "\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1f", "\x7f", "\x85", "\x9b31m", "\x1b[2J"),
    *(
        "\u00a0",
        "\u2028",
        "\u202e",
        "\u200b",
        "\ufeff",
        "\ufffd",
        "e\u0301",
        "\u0130",
        "\u00df",
        "\u4e2d",
        "\U0001f600",
    ),
    *("&", "&amp;quot;", "&#0;", "&#x110000;", "&none;", "<", ">", "]]>", "<!--", "<?x?>", "|||", "'", '"', "\\", "/"),
    *("..", "../..", "~", "~nobody", "-", "--", "=1+1", "%s", "{0}", "null", "true", "None", "*", "!!python/object:os"),
    *("a" * 300, "a" * 5000, "\u00e9" * 300, "[" * 1000, "{" * 1000, "(" * 1000, "-" * 1000, " " * 5000),
)
"""Control characters, markup, syntax of various formats, and long texts."""

BYTES = (
    *(b"\x00", b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
    *(b"\n", b"\r", b"\r\n", b"\x0b", b"\x1c", b"\x85", b"\x1b[31m", b"PK\x03\x04", b"\x1f\x8b", b"\x80\x04", b"<"),
)
"""Bytes that are not UTF-8, that end lines for some readers, or that begin a file of another format."""

SPANS = ((1, 4), (1, 40), (16, 400), (256, 8000))


class Chance(Random):
    """A source of random choices that depends only on its parts.

    Args:
        parts: The seed of the run, the name of the target, the number of the input.
    """

    def __new__(cls, *parts: object) -> Chance:  # noqa: ARG004 - __init__ takes them
        # Before Python 3.11, Random.__new__ takes one argument at most.
        return super().__new__(cls)

    def __init__(self, *parts: object) -> None:
        super().__init__("/".join(map(str, parts)))

    def happens(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self.random() < probability

    def number(self) -> str:
        """Choose one of `NUMBERS`, or a small number."""
        return self.choice(NUMBERS) if self.happens(0.7) else str(self.randrange(-3, 300))

    def text(self) -> str:
        """Choose one of `TEXTS` or `NUMBERS`, or two of them joined."""
        chosen = self.choice(TEXTS) if self.happens(0.75) else self.number()
        return chosen if self.happens(0.8) else chosen + self.choice(TEXTS)

    def span(self, length: int) -> tuple[int, int]:
        """Choose a range (start, end) within a length, most often a short one."""
        size = min(length, self.randint(*self.choice(SPANS)))
        start = self.randint(0, length - size)
        return start, start + size

    def count(self) -> int:
        """Choose a number of repetitions: mostly a few, sometimes thousands."""
        return self.choice((1, 2, 3, 10, 100, 1000, 20_000))

    def pick(self, items: Sequence[_Item]) -> _Item | None:
        """Choose an item. Return None if there are no items."""
        return self.choice(items) if items else None
