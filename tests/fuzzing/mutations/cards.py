"""Changes of YAML in the metadata of model cards, a line at a time."""

from __future__ import annotations

from collections.abc import Callable

from fuzzing.chance import Chance
from fuzzing.mutations.lines import mutate_table

Lines = list[str]

_SCALARS = (
    *(
        "",
        "~",
        "null",
        "[]",
        "{}",
        "[a, b]",
        "{a: b}",
        "- x",
        "|",
        ">-",
        "|2+",
        "'",
        '"',
        '"\\x1b"',
        "*a",
        "&a x",
        "!!binary x",
    ),
    *(
        "!!python/object:os.system",
        "!local",
        "? x",
        "x: y: z",
        "# comment",
        "%YAML 1.2",
        "...",
        "---",
        "\t",
        "@",
        "`",
        "<<: *a",
    ),
    *(
        "[" * 200,
        "{a: " * 200,
        "- " * 200,
        "2026-01-01",
        "1_000",
        "0o7",
        "1e999",
        ".nan",
        "yes",
        "0x1F",
        "\u0085",
        "\u2028",
    ),
)


def mutate_card(data: bytes, chance: Chance) -> bytes:
    """Change lines of YAML, or cells of its lines."""
    if chance.happens(0.3):
        return mutate_table(": ")(data, chance)
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    lines = chance.choice(_CHANGES)(lines, chance)
    ending = chance.choice(("\n", "\n", "\n", "\n", "\r\n", "\r", "\n\n", "\u2028"))
    return ending.join(lines).encode("utf-8", "surrogateescape")


def _change_value(lines: Lines, chance: Chance) -> Lines:
    at = chance.randrange(len(lines))
    key, colon, _ = lines[at].partition(": ")
    value = chance.choice(_SCALARS) if chance.happens(0.7) else chance.text()
    lines[at] = f"{key}{colon or ': '}{value}"
    return lines


def _insert_line(lines: Lines, chance: Chance) -> Lines:
    at = chance.randint(0, len(lines))
    blanks = " " * chance.choice((0, 0, 1, 2, 4, 6))
    lines.insert(
        at, f"{blanks}{chance.choice(('', '- ', 'x: ', 'model-index: ', '- name: '))}{chance.choice(_SCALARS)}"
    )
    return lines


def _indent(lines: Lines, chance: Chance) -> Lines:
    """Indent or unindent a range of lines."""
    start, end = chance.span(len(lines))
    distance = chance.choice((-2, -1, 1, 2, 200))
    for at in range(start, end):
        lines[at] = " " * distance + lines[at] if distance > 0 else lines[at][-distance:]
    return lines


def _copy_lines(lines: Lines, chance: Chance) -> Lines:
    start, end = chance.span(len(lines))
    at = chance.randint(0, len(lines))
    return lines[:at] + lines[start:end] * min(chance.count(), 100) + lines[at:]


def _drop_lines(lines: Lines, chance: Chance) -> Lines:
    start, end = chance.span(len(lines))
    return lines[:start] + lines[end:] or [""]


def _change_fence(lines: Lines, chance: Chance) -> Lines:
    """Change one of the lines of hyphens around the metadata."""
    fences = [at for at, line in enumerate(lines) if line.strip() == "---"]
    at = chance.pick(fences)
    if at is not None:
        lines[at] = chance.choice(("--- ", "----", "--", " ---", "---x", "...", "", "\ufeff---", "---\t", "--- # x"))
    return lines


def _empty(lines: Lines, chance: Chance) -> Lines:
    """Keep no line, or only one line, between the lines of hyphens."""
    return ["---", *([chance.choice(_SCALARS)] if chance.happens(0.7) else []), "---", *lines[-2:]]


_CHANGES: tuple[Callable[[Lines, Chance], Lines], ...] = (
    _change_value,
    _change_value,
    _change_value,
    _insert_line,
    _insert_line,
    _indent,
    _copy_lines,
    _drop_lines,
    _change_fence,
    _empty,
)
