"""Name pyramids whose headings name no topic, by their files. All pyramids of the same text get one topic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, count

from pyramid_paraphrase.ducview.parser import ParsedFile, PyramidReading
from pyramid_paraphrase.pyramids.records import Pyramid
from pyramid_paraphrase.words import split_alphanumeric

_SEPARATOR = re.compile(r"[/!]")
_EXTENSION = re.compile(r"\.(?:pyr|pan)\Z", re.IGNORECASE)
_OTHER_CHARACTERS = re.compile(r"[^A-Za-z0-9_.]+")
_MAX_DEPTH = 100
"""Maximum number of path components in a name. Paths whose names are still equal are numbered."""


def name_pyramids(parsed: Sequence[ParsedFile]) -> list[ParsedFile]:
    """Name the pyramids whose headings name no topic.

    A pyramid has the name of its `.pyr`. If only peer annotations contain it, it has the name of a `.pyr` of the same
    text or, without one, the common prefix of the names of the peer annotations. Pyramids of the same text by different
    annotators get one topic, so that their propositions are never paired, and stay in one split.

    Args:
        parsed: Files in any order.

    Returns:
        The files in the same order. Files with other pyramids are unchanged.
    """
    groups: dict[str, list[ParsedFile]] = {}
    for file in parsed:
        if not file.reading.pyramid.topic:
            groups.setdefault(_fold_documents(file.reading.pyramid), []).append(file)
    if not groups:
        return list(parsed)
    unnamed = [file for files in groups.values() for file in files]
    pyramid_files = {file.file for file in unnamed if file.annotation is None}
    stems = _shorten_paths(pyramid_files) | _shorten_paths({file.file for file in unnamed} - pyramid_files)
    named: dict[int, PyramidReading] = {}
    taken: set[str] = set()
    for files in sorted(groups.values(), key=lambda files: min(stems[file.file] for file in files)):
        named |= _name_group(files, stems, taken)
    return [_rename(file, named) for file in parsed]


def _fold_documents(pyramid: Pyramid) -> str:
    """Return the letters and digits of the documents, because annotators differ only in separators and whitespace."""
    text = "".join(pyramid.text[summary.start : summary.end] for summary in pyramid.summaries)
    return "".join(split_alphanumeric(text))


def _shorten_paths(paths: Iterable[str]) -> dict[str, str]:
    """Return a name for each path: its end without extension, with as many folders as needed to make it unique."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    clashing, depth = sorted(paths), 1
    while clashing:
        members: dict[str, list[str]] = {}
        for path in clashing:
            members.setdefault(_cut_path(path, depth), []).append(path)
        for name, same_named in members.items():
            are_equal = len({_cut_path(path, _MAX_DEPTH) for path in same_named}) == 1
            if depth == _MAX_DEPTH or (are_equal and name not in taken):
                names |= zip(same_named, _list_free_names(name, taken), strict=False)
                taken.update(names[path] for path in same_named)
        clashing = [path for path in clashing if path not in names]
        depth += 1
    return names


def _cut_path(path: str, depth: int) -> str:
    """Return the last pieces of a path without its extension, in characters that names can have."""
    pieces = _SEPARATOR.split(_EXTENSION.sub("", path))
    return _OTHER_CHARACTERS.sub("_", "_".join(pieces[-depth:]))


def _list_free_names(name: str, taken: Set[str]) -> Iterator[str]:
    """Yield a name, and the name with the numbers 2, 3 and so on. Taken names are skipped."""
    numbered = (f"{name}_{number}" for number in count(2))
    return (candidate for candidate in chain([name], numbered) if candidate not in taken)


def _name_group(files: Sequence[ParsedFile], stems: Mapping[str, str], taken: set[str]) -> dict[int, PyramidReading]:
    """Name the pyramids of one text.

    Args:
        files: Files whose pyramids have the same text.
        stems: A name for each path.
        taken: Names of groups of peer annotations without a `.pyr`. If this is such a group, its name is added.

    Returns:
        Readings with named pyramids, by the identity of the reading without a name.
    """
    names: dict[str, str] = {}
    for file in sorted(files, key=lambda file: stems[file.file]):
        if file.annotation is None:
            names.setdefault(file.reading.content_digest, stems[file.file])
    common = min(names.values(), default="")
    if not common:
        common = next(_list_free_names(_find_common_name([stems[file.file] for file in files]), taken))
        taken.add(common)
    is_shared = len(names) > 1
    named = {}
    for file in files:
        name = names.get(file.reading.content_digest, common)
        pyramid_id = f"{common}-{name}" if is_shared else common
        pyramid = replace(file.reading.pyramid, id=pyramid_id, topic=common)
        named[id(file.reading)] = replace(file.reading, pyramid=pyramid)
    return named


def _find_common_name(names: Sequence[str]) -> str:
    """Return the common prefix of all names, or the first name if there is none."""
    # The common prefix of the least and the greatest name is the common prefix of all names.
    first, last = min(names), max(names)
    lengths = range(len(first))
    length = next((length for length in lengths if not last.startswith(first[: length + 1])), len(first))
    return first[:length].rstrip("_.") or first


def _rename(file: ParsedFile, named: Mapping[int, PyramidReading]) -> ParsedFile:
    reading = named.get(id(file.reading))
    if reading is None:
        return file
    annotation = replace(file.annotation, pyramid=reading.pyramid) if file.annotation else None
    return replace(file, reading=reading, annotation=annotation)
