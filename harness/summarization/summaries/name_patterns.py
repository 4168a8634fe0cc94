"""Names of files by a pattern of the user, such as "{topic}_{author}.txt"."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from pyramid_paraphrase.errors import OptionError

TOPIC, AUTHOR = FIELDS = ("topic", "author")

_FIELD = re.compile(r"\{(topic|author)\}")
_EXAMPLE = "give {topic} and perhaps {author}, such as {topic}_{author}.txt or {author}/{topic}.txt"


class _Part(NamedTuple):
    """The pattern of the name of a file, or of a folder around it.

    Attributes:
        fields: The fields in it, at most two.
        texts: The text before the first field, between the fields, and after the last field; without a field, the name.
    """

    fields: tuple[str, ...]
    texts: tuple[str, ...]

    def list_readings(self, name: str) -> list[dict[str, str]]:
        """List the values of the fields in a name, with the text between them sought from the left and from the right.

        Both are the same unless the text occurs several times. The list is empty if the name does not fit.
        """
        if not self.fields:
            return [{}] if name == self.texts[0] else []
        before, after = self.texts[0], self.texts[-1]
        inner = name.removeprefix(before).removesuffix(after)
        # The texts on both sides must not overlap, and each field has at least one character.
        if not inner or len(inner) != len(name) - len(before) - len(after):
            return []
        if len(self.fields) == 1:
            return [{self.fields[0]: inner}]
        between = self.texts[1]
        places = {find(between, 1, len(inner) - 1) for find in (inner.find, inner.rfind)}
        values = [(inner[:place], inner[place + len(between) :]) for place in sorted(places) if place > 0]
        return [dict(zip(self.fields, pair, strict=True)) for pair in values]


class NamePattern(NamedTuple):
    """A pattern of the ends of paths.

    Attributes:
        text: The pattern as the user wrote it.
        parts: The patterns of the last folders of a path, and of the name of the file.
    """

    text: str
    parts: tuple[_Part, ...]

    def list_readings(self, path: str) -> list[dict[str, str]]:
        """List the values of the fields of a path.

        A field stands for one character or more, and for no "/". The time is linear in the length of the path.

        Args:
            path: Path of a file. Folders before those of the pattern can have any name.

        Returns:
            The topic and, if the pattern has it, the author, by name of the field. Two if the text between the fields
            occurs more than once between them, so that they could be divided in several ways; none if the path does
            not fit the pattern.
        """
        names = path.split("/")[-len(self.parts) :]
        if len(names) < len(self.parts):
            return []
        readings: list[dict[str, str]] = [{}]
        for part, name in zip(self.parts, names, strict=True):
            readings = [reading | values for reading in readings for values in part.list_readings(name)]
        return readings


def parse_pattern(text: str) -> NamePattern:
    """Parse a pattern.

    Args:
        text: Names of a file and perhaps of folders around it, divided by "/", with {topic} once and {author} at most
            once. All other characters stand for themselves.

    Raises:
        OptionError: If a field is missing, unknown, given twice, or not divided from the other by any text, if a
            folder or the file has no name, or if there is a backslash.
    """
    if "\\" in text:
        raise OptionError(f"the pattern '{text}' has a backslash; divide folders by '/', also on Windows")
    parts = tuple(map(_parse_part, text.split("/")))
    counts = Counter(field for part in parts for field in part.fields)
    if counts[TOPIC] != 1 or counts[AUTHOR] > 1:
        raise OptionError(f"the pattern '{text}' needs {{topic}} once and {{author}} at most once; {_EXAMPLE}")
    for part in parts:
        if any("{" in literal or "}" in literal for literal in part.texts):
            raise OptionError(f"the pattern '{text}' has a field other than {{topic}} and {{author}}; {_EXAMPLE}")
        if len(part.fields) > 1 and not part.texts[1]:
            raise OptionError(f"the pattern '{text}' has no text between its fields; {_EXAMPLE}")
        if not part.fields and part.texts[0] in ("", ".", ".."):
            raise OptionError(f"the pattern '{text}' has a folder or file without a name; {_EXAMPLE}")
    return NamePattern(text, parts)


def _parse_part(text: str) -> _Part:
    pieces = _FIELD.split(text)
    return _Part(tuple(pieces[1::2]), tuple(pieces[::2]))
