"""Changes of bytes, regardless of their meaning."""

from __future__ import annotations

from collections.abc import Callable

from fuzzing.chance import BYTES, Chance

Mutator = Callable[[bytes, Chance], bytes]
"""Makes another content of a file."""

_LARGEST_REPEAT = 1 << 18


def flip(data: bytes, chance: Chance) -> bytes:
    """Change one bit, or one byte to another."""
    if not data:
        return data
    at = chance.randrange(len(data))
    changed = data[at] ^ (1 << chance.randrange(8)) if chance.happens(0.5) else chance.randrange(256)
    return data[:at] + bytes([changed]) + data[at + 1 :]


def cut(data: bytes, chance: Chance) -> bytes:
    """Remove a range."""
    start, end = chance.span(len(data))
    return data[:start] + data[end:]


def truncate(data: bytes, chance: Chance) -> bytes:
    """Keep only the beginning."""
    return data[: chance.randint(0, len(data))]


def duplicate(data: bytes, chance: Chance) -> bytes:
    """Repeat a range, from twice to a total of 256 KiB."""
    start, end = chance.span(len(data))
    most = max(1, _LARGEST_REPEAT // max(1, end - start))
    return data[:end] + data[start:end] * min(chance.count(), most) + data[end:]


def move(data: bytes, chance: Chance) -> bytes:
    """Copy a range over another place."""
    start, end = chance.span(len(data))
    at = chance.randint(0, len(data))
    return data[:at] + data[start:end] + data[at + (end - start) * chance.randrange(2) :]


def insert(data: bytes, chance: Chance) -> bytes:
    """Insert bytes or a text that often cause errors."""
    at = chance.randint(0, len(data))
    piece = chance.choice(BYTES) if chance.happens(0.4) else chance.text().encode("utf-8", "surrogatepass")
    return data[:at] + piece + data[at:]


def overwrite_number(data: bytes, chance: Chance) -> bytes:
    """Write a binary integer of 1 to 8 bytes at the limits of its type."""
    size = chance.choice((1, 2, 4, 8))
    bits = 8 * size
    value = chance.choice((0, 1, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, 1 << (bits // 2)))
    order = chance.choice(("little", "big"))
    at = chance.randint(0, max(0, len(data) - size))
    return data[:at] + value.to_bytes(size, "little" if order == "little" else "big") + data[at + size :]


def replace_digits(data: bytes, chance: Chance) -> bytes:
    """Replace a run of digits by another number."""
    places = [at for at, byte in enumerate(data[: 1 << 16]) if chr(byte).isdigit()]
    start = chance.pick(places)
    if start is None:
        return data
    end = start
    while end < len(data) and chr(data[end]).isdigit():
        end += 1
    return data[:start] + chance.number().encode() + data[end:]


_CHANGES: tuple[Mutator, ...] = (
    flip,
    cut,
    truncate,
    duplicate,
    move,
    insert,
    overwrite_number,
    replace_digits,
)


def mutate_bytes(data: bytes, chance: Chance) -> bytes:
    """Apply one of the changes of this module."""
    return chance.choice(_CHANGES)(data, chance)


def splice(first: bytes, second: bytes, chance: Chance) -> bytes:
    """Join the beginning of one file and the end of another."""
    return first[: chance.randint(0, len(first))] + second[chance.randint(0, len(second)) :]
