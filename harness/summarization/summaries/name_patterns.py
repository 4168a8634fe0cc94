"""Patterns of file names, such as "{topic}_{author}.txt"."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from pyramid_paraphrase.errors import OptionError

TOPIC, AUTHOR = FIELDS = ("topic", "author")

_FIELD = re.compile(r"{(topic|author)}")
_EXAMPLE = "Use {topic} and, optionally, {author}, such as {topic}_{author}.txt or {author}/{topic}.txt"


class _Part(NamedTuple):
    """The pattern of the name of a file, or of a folder around it.

    Attributes:
        fields: The fields in it, at most two.
        texts: The texts before the first field, between the fields, and after the last field. Without fields, the name.
    """

    fields: tuple[str, ...]
    texts: tuple[str, ...]

    def list_readings(self, name: str) -> list[dict[str, str]]:
        """List the values of the fields in a name.

        The text between two fields is searched from the left and from the right. There are two readings if it occurs
        several times, and none if the name does not match.
        """
        if not self.fields:
            return [{}] if name == self.texts[0] else []
        before, after = self.texts[0], self.texts[-1]
        inner = name.removeprefix(before).removesuffix(after)
        # The texts before and after the fields must not overlap, and each field has at least one character.
        if not inner or len(inner) != len(name) - len(before) - len(after):
            return []
        if len(self.fields) == 1:
            return [{self.fields[0]: inner}]
        between = self.texts[1]
        places = {find(between, 1, len(inner) - 1) for find in (inner.find, inner.rfind)}
        values = [(inner[:place], inner[place + len(between) :]) for place in sorted(places) if place != -1]
        return [dict(zip(self.fields, pair, strict=True)) for pair in values]


class NamePattern(NamedTuple):
    """A pattern of the last parts of paths.

    Attributes:
        text: The pattern as the user wrote it.
        parts: The patterns of the last folders of a path, and of the file name.
    """

    text: str
    parts: tuple[_Part, ...]

    def list_readings(self, path: str) -> list[dict[str, str]]:
        """List the values of the fields of a path.

        A field matches one or more characters other than "/". The time is linear in the length of the path.

        Args:
            path: Path of a file. Folders before those of the pattern can have any name.

        Returns:
            The readings: the topic and, if the pattern contains it, the author, by name of the field. There are two if
            the text between the fields occurs more than once, and none if the path does not match.
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
        text: Name of a file and, optionally, of the folders around it, separated by "/". It contains {topic} once and
            {author} at most once. All other characters match themselves.

    Raises:
        OptionError: If a field is missing, unknown or given twice, if there is no text between two fields, if a folder
            or the file has no name, or if there is a backslash.
    """
    if "\\" in text:
        raise OptionError(f"the pattern '{text}' contains a backslash. Separate folders by '/', also on Windows")
    parts = tuple(map(_parse_part, text.split("/")))
    counts = Counter(field for part in parts for field in part.fields)
    if counts[TOPIC] != 1 or counts[AUTHOR] > 1:
        raise OptionError(f"the pattern '{text}' must contain {{topic}} once and {{author}} at most once. {_EXAMPLE}")
    for part in parts:
        if any("{" in literal or "}" in literal for literal in part.texts):
            raise OptionError(f"the pattern '{text}' contains a field other than {{topic}} and {{author}}. {_EXAMPLE}")
        if len(part.fields) > 1 and not part.texts[1]:
            raise OptionError(f"the pattern '{text}' has no text between its fields. {_EXAMPLE}")
        if not part.fields and part.texts[0] in ("", ".", ".."):
            raise OptionError(f"the pattern '{text}' has a folder or file without a name. {_EXAMPLE}")
    return NamePattern(text, parts)


def _parse_part(text: str) -> _Part:
    pieces = _FIELD.split(text)
    return _Part(tuple(pieces[1::2]), tuple(pieces[::2]))
