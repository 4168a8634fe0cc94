"""Topic and author of a summary, from the name of its file, or by a pattern such as "{topic}_{author}.txt"."""

from __future__ import annotations

import re
from collections import Counter

from pyramid_paraphrase.errors import InputError, OptionError
from pyramid_paraphrase.escaping import is_visible

TOPIC, AUTHOR = "topic", "author"

SINGLE_REFERENCE = "reference"
"""Author of references whose file or row does not name an author."""

SINGLE_PEER = "peer"
"""Author of summaries to score whose file or row does not name an author."""

SINGLE_TOPIC = "summary"
"""Topic of two single texts that are compared regardless of their names."""

_NAMING_REMEDY = (
    "name files as NIST does (D0701.M.250.A.15), AUTHOR/TOPIC.txt or TOPIC.AUTHOR.txt, or add --pattern, such as "
    "--pattern {topic}_{author}.txt"
)
_PATTERN_REMEDY = (
    "correct the pattern, which is matched with the path below the given folder or archive, or move the file out of it"
)
_EXAMPLE = "Use {topic} and, optionally, {author}, such as {topic}_{author}.txt or {author}/{topic}.txt"
_FIELD = re.compile(r"{(topic|author)}")
_SET = r"(?P<topic>[a-z]+[0-9]+(?:-[a-z0-9]+)?)"
_NIST = re.compile(
    _SET + r"\.(?:m|p)\.[0-9]+\.[a-z0-9]+\.(?P<author>[a-z0-9]+)(?:\.(?P<document>[a-z]+[0-9][a-z0-9.-]*))?",
    re.IGNORECASE,
)
_ENDING = re.compile(r"\.(?:txt|html?|spl|sum)\Z", re.IGNORECASE)


def name_summary(file: str, path: str, pattern: str | None, author: str) -> tuple[str, str]:
    """Read topic and author from the name of a file.

    Args:
        file: Name of the file, for errors.
        path: Its path within the folder or archive that the user named.
        pattern: Pattern of these paths, or None for the names that `parse_summary_name` accepts.
        author: Author if the name does not contain one: `SINGLE_PEER` or `SINGLE_REFERENCE`. Summaries to score must
            name their author unless there is a pattern.

    Returns:
        Topic and author.

    Raises:
        InputError: If the name does not match, matches the pattern in several ways, or is not printable.
    """
    if pattern is None:
        name = parse_summary_name(path, author if author == SINGLE_REFERENCE else "")
        if name is None:
            raise InputError(file, "its name does not contain topic and author", _NAMING_REMEDY)
    else:
        names = [(fields[TOPIC], fields.get(AUTHOR, author)) for fields in list_readings(pattern, path)]
        if not names:
            raise InputError(file, f"{path} does not match the pattern {pattern}", _PATTERN_REMEDY)
        if len(names) > 1:
            readings = " or ".join(f"topic {topic} by {author}" for topic, author in names)
            reason = f"its name matches the pattern {pattern} in several ways ({readings})"
            raise InputError(file, reason, "rename it, use a folder per author, or use JSON lines or CSV")
        (name,) = names
    require_printable(name, file)
    return name


def parse_summary_name(name: str, default_author: str = "") -> tuple[str, str] | None:
    """Read the name of a summary's file.

    Args:
        name: Path within the given folder or archive. Accepted are NIST's names (``D0701.M.250.A.15``, and for single
            documents ``D061.P.100.J.15.AP880911-0016``), ``AUTHOR/TOPIC.txt`` and ``TOPIC.AUTHOR.txt``.
        default_author: Author of a file outside of any folder, if its name does not contain an author.

    Returns:
        Topic and author, or None if the name does not contain both. A single document is a topic, named by set and
        document.
    """
    folder, _, file = name.rpartition("/")
    stem = remove_ending(file)
    if match := _NIST.fullmatch(stem):
        topic, document = match["topic"], match["document"]
        if document:
            topic = f"{topic}.{document}"
        return topic, match["author"]
    if folder and stem:
        return stem, folder.rpartition("/")[2]
    topic, _, author = stem.rpartition(".")
    if topic and author:
        return topic, author
    if stem and default_author:
        return stem, default_author
    return None


def remove_ending(name: str) -> str:
    """Remove the suffix of a text, such as ".txt", from the name of its file."""
    return _ENDING.sub("", name)


def require_printable(names: tuple[str, ...], file: str) -> None:
    """Check that topic and author can be printed.

    A tab would split a cell of the file of scores, and an escape sequence would move the cursor of the terminal.

    Raises:
        InputError: If topic or author cannot be printed.
    """
    if not all(map(is_visible, names)):
        raise InputError(file, "its name contains a character that cannot be printed", "rename it")


def parse_pattern(text: str) -> str:
    """Check a pattern of the last parts of paths.

    Args:
        text: Name of a file and, optionally, of the folders around it, separated by "/". It contains {topic} once and
            {author} at most once. All other characters match themselves.

    Returns:
        The pattern, for `list_readings`.

    Raises:
        OptionError: If a field is missing, unknown or given twice, if there is no text between two fields, if a folder
            or the file has no name, or if there is a backslash.
    """
    if "\\" in text:
        raise OptionError(f"the pattern '{text}' contains a backslash. Separate folders by '/', also on Windows")
    counts = Counter(_FIELD.findall(text))
    if counts[TOPIC] != 1 or counts[AUTHOR] > 1:
        raise OptionError(f"the pattern '{text}' must contain {{topic}} once and {{author}} at most once. {_EXAMPLE}")
    for part in text.split("/"):
        rest = _FIELD.sub("", part)
        if "{" in rest or "}" in rest:
            raise OptionError(f"the pattern '{text}' contains a field other than {{topic}} and {{author}}. {_EXAMPLE}")
        if "}{" in part:
            raise OptionError(f"the pattern '{text}' has no text between its fields. {_EXAMPLE}")
        if part in ("", ".", ".."):
            raise OptionError(f"the pattern '{text}' has a folder or file without a name. {_EXAMPLE}")
    return text


def list_readings(pattern: str, path: str) -> list[dict[str, str]]:
    """List the values of the fields of a path.

    A field matches one or more characters other than "/". The time is linear in the length of the path.

    Args:
        pattern: A pattern that `parse_pattern` accepts.
        path: Path of a file. Folders before those of the pattern can have any name.

    Returns:
        The readings: the topic and, if the pattern contains it, the author, by name of the field. There are two if the
        text between the fields occurs more than once, and none if the path does not match.
    """
    parts = pattern.split("/")
    names = path.split("/")[-len(parts) :]
    if len(names) < len(parts):
        return []
    readings: list[dict[str, str]] = [{}]
    for part, name in zip(parts, names, strict=True):
        readings = [reading | values for reading in readings for values in _read_part(part, name)]
    return readings


def _read_part(part: str, name: str) -> list[dict[str, str]]:
    """List the values of the fields in the name of a file or folder.

    The text between two fields is searched from the left and from the right. There are two readings if it occurs
    several times, and none if the name does not match.
    """
    before, *pieces = _FIELD.split(part)
    if not pieces:
        return [{}] if name == before else []
    field, *_, after = pieces
    inner = name.removeprefix(before).removesuffix(after)
    # The texts before and after the fields must not overlap, and each field has at least one character.
    if not inner or len(inner) != len(name) - len(before) - len(after):
        return []
    if len(pieces) == 2:
        return [{field: inner}]
    _, between, second_field, _ = pieces
    places = {find(between, 1, len(inner) - 1) for find in (inner.find, inner.rfind)}
    return [
        {field: inner[:place], second_field: inner[place + len(between) :]} for place in sorted(places) if place != -1
    ]
