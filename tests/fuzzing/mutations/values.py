"""Changes of JSON: values, keys, types, depth, and syntax that only some parsers accept."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from fuzzing.chance import Chance
from fuzzing.mutations.blobs import mutate_bytes

_MARKER = "MARKER-OF-THE-FUZZER"

_RAW_VALUES = (
    *("NaN", "Infinity", "-Infinity", "1e999", "-0.0", "1" + "0" * 400, "9" * 5000, "20.0", "1E5", "0.1e1"),
    *('"\\ud800"', '"\\u0000"', '"\\u001b[2J"', '"\\u202e"', '"' + "a" * 5000 + '"', '""', '" "', '"x\\ny"'),
    *("[]", "{}", "[[]]", "null", "true", "[null]", '{"": null}', "[" * 2000 + "]" * 2000, "[" * 100_000),
    '{"a":' * 2000 + "1" + "}" * 2000,
)

Place = tuple[Any, Any]
"""A list or an object, and an index or a key in it."""


def mutate_json(data: bytes, chance: Chance) -> bytes:
    """Change a file of JSON. A file that cannot be parsed is changed as bytes.

    What is written looks as our own files do, so that only the change is unusual.
    """
    try:
        value = json.loads(data)
        places = list(_list_places(value))
    except (ValueError, RecursionError):
        return mutate_bytes(data, chance)
    if not places or chance.happens(0.1):
        return chance.choice(_TEXTS)(data, chance)
    raw = chance.choice(_CHANGES)(places, chance)
    text = json.dumps(value, indent=1)
    return text.replace(f'"{_MARKER}"', raw).encode("utf-8", "surrogatepass") + b"\n"


def mutate_json_lines(data: bytes, chance: Chance) -> bytes:
    """Change one line of a file of JSON values."""
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    changed = mutate_json(lines[at], chance).strip()
    lines[at] = changed if chance.happens(0.2) else changed.replace(b"\n", b"")
    return b"\n".join(lines)


def _list_places(value: Any) -> list[Place]:  # noqa: ANN401
    places: list[Place] = []
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            places.append((value, key))
            places += _list_places(value[key])
    return places


def _replace(places: list[Place], chance: Chance) -> str:
    holder, key = chance.choice(places)
    holder[key] = _MARKER
    return chance.choice(_RAW_VALUES) if chance.happens(0.6) else json.dumps(chance.text())


def _is_moderate(value: object) -> bool:
    """Return whether a value is a number that can be converted to int and float. Earlier changes can prevent that."""
    return isinstance(value, int | float) and -1e300 < value < 1e300


def _change_type(places: list[Place], chance: Chance) -> str:
    """Write a number as another kind of number or as a text, a text as a list, and so on."""
    holder, key = chance.choice(places)
    value = holder[key]
    holder[key] = chance.choice((str(value), [value], {"a": value}, _MARKER))
    is_number = _is_moderate(value) and not isinstance(value, bool)
    return chance.choice((f"{float(value)!r}", f"{int(value)}", f"{value}e0")) if is_number else "1"


def _change_number(places: list[Place], chance: Chance) -> str:
    numbers = [place for place in places if _is_moderate(place[0][place[1]])]
    if not numbers:
        return ""
    holder, key = chance.choice(numbers)
    value = holder[key]
    holder[key] = _MARKER
    return chance.choice((f"{value + 1}", f"{-value}", f"{value * 1.0000001!r}", "0", "-1", "1e300", str(1 << 53)))


def _drop(places: list[Place], chance: Chance) -> str:
    holder, key = chance.choice(places)
    del holder[key]
    return ""


def _rename(places: list[Place], chance: Chance) -> str:
    named = [place for place in places if isinstance(place[0], dict)]
    if named:
        holder, key = chance.choice(named)
        holder[chance.text()] = holder.pop(key)
    return ""


def _add(places: list[Place], chance: Chance) -> str:
    holder, key = chance.choice(places)
    if isinstance(holder, dict):
        holder[chance.choice(("extra", "", "name", chance.text()))] = holder[key]
    else:
        holder[key:key] = [holder[key]] * min(chance.count(), 1000)
    return ""


def _copy(places: list[Place], chance: Chance) -> str:
    (holder, key), (source, other) = chance.choice(places), chance.choice(places)
    holder[key] = json.loads(json.dumps(source[other]))
    return ""


def _write_key_twice(places: list[Place], chance: Chance) -> str:
    """Return the text that replaces the marker, so that an object contains a key twice."""
    named = [place for place in places if isinstance(place[0], dict)]
    if not named:
        return ""
    holder, key = chance.choice(named)
    value = json.dumps(holder[key])
    holder[key] = _MARKER
    return f"{value}, {json.dumps(key)}: {chance.choice((value, '1', 'null'))}"


_CHANGES: tuple[Callable[[list[Place], Chance], str], ...] = (
    _replace,
    _replace,
    _change_type,
    _change_number,
    _drop,
    _rename,
    _add,
    _copy,
    _write_key_twice,
)


def _to_utf16(data: bytes, chance: Chance) -> bytes:
    return data.decode("utf-8", "replace").encode(chance.choice(("utf-16", "utf-32", "utf-8-sig")))


_TEXTS: tuple[Callable[[bytes, Chance], bytes], ...] = (
    _to_utf16,
    lambda _, chance: chance.choice(_RAW_VALUES).encode(),
    lambda data, _: data.replace(b"\n", b"\r\n"),
    lambda data, _: data.replace(b"\n", b""),
    lambda data, chance: data + chance.choice((b"x", b"{}", b"\0", b" " * 5000, b"\n\n")),
    lambda data, _: data.replace(b":", b" :", 1),
    lambda *_: b"",
)
