"""Name pyramids whose headings name no topic: by their files, and one topic for all pyramids of the same text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyramid_paraphrase.parser import ParsedFile, PyramidReading
from pyramid_paraphrase.records import Pyramid

_SEPARATOR = re.compile(r"[/!]")
_EXTENSION = re.compile(r"\.(?:pyr|pan)\Z", re.IGNORECASE)
_OTHER_CHARACTERS = re.compile(r"[^A-Za-z0-9_.]+")


def name_pyramids(parsed: Sequence[ParsedFile]) -> list[ParsedFile]:
    """Name the pyramids whose headings name no topic.

    A pyramid has the name of its `.pyr`. If only peer annotations hold it, it has the name of a `.pyr` of the same text
    or, without one, what the names of the peer annotations begin with. Pyramids of the same text, by different
    annotators, get one topic, so that their propositions are never paired, and stay in one split.

    Args:
        parsed: Files in any order.

    Returns:
        The files in the same order; those with other pyramids are unchanged.
    """
    groups: dict[str, list[ParsedFile]] = {}
    for file in parsed:
        if not file.reading.pyramid.topic:
            groups.setdefault(_fold_documents(file.reading.pyramid), []).append(file)
    if not groups:
        return list(parsed)
    stems = _shorten_paths(sorted({file.file for files in groups.values() for file in files}))
    named: dict[int, PyramidReading] = {}
    for files in groups.values():
        named |= _name_group(files, stems)
    return [_rename(file, named) for file in parsed]


def _fold_documents(pyramid: Pyramid) -> str:
    """Return the letters and digits of the documents; annotators differ in separators and white space only."""
    text = "".join(pyramid.text[summary.start : summary.end] for summary in pyramid.summaries)
    return "".join(filter(str.isalnum, text.casefold()))


def _shorten_paths(paths: Sequence[str]) -> dict[str, str]:
    """Return a name for each path: the end of the path, of as many folders as make names differ, without extension."""
    pieces = {path: _SEPARATOR.split(_EXTENSION.sub("", path)) for path in paths}
    for depth in range(1, max(map(len, pieces.values())) + 1):
        names = {path: "_".join(parts[-depth:]) for path, parts in pieces.items()}
        if len(set(names.values())) == len(paths):
            break
    return {path: _OTHER_CHARACTERS.sub("_", name) for path, name in names.items()}


def _name_group(files: Sequence[ParsedFile], stems: Mapping[str, str]) -> dict[int, PyramidReading]:
    """Name the pyramids of one text.

    Args:
        files: Files whose pyramids have the same text.
        stems: A name for each path.

    Returns:
        Readings with named pyramids, by the identity of the reading without a name.
    """
    names: dict[str, str] = {}
    for file in sorted(files, key=lambda file: stems[file.file]):
        if file.annotation is None:
            names.setdefault(file.reading.content_digest, stems[file.file])
    common = min(names.values(), default="") or _find_common_name([stems[file.file] for file in files])
    is_shared = len(names) > 1
    named = {}
    for file in files:
        name = names.get(file.reading.content_digest, common)
        pyramid_id = f"{common}-{name}" if is_shared else common
        pyramid = replace(file.reading.pyramid, id=pyramid_id, topic=common)
        named[id(file.reading)] = replace(file.reading, pyramid=pyramid)
    return named


def _find_common_name(names: Sequence[str]) -> str:
    """Return what all names begin with; the first of them if they have no beginning in common."""
    first, last = min(names), max(names)
    length = next((place for place in range(len(first)) if not last.startswith(first[: place + 1])), len(first))
    return first[:length].rstrip("_.") or first


def _rename(file: ParsedFile, named: Mapping[int, PyramidReading]) -> ParsedFile:
    reading = named.get(id(file.reading))
    if reading is None:
        return file
    annotation = replace(file.annotation, pyramid=reading.pyramid) if file.annotation else None
    return replace(file, reading=reading, annotation=annotation)
