"""Read files from a location: a file, a folder, an archive, or a path within an archive."""

from __future__ import annotations

import io
import os
import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from harness.files.writing import expand_home
from pyramid_paraphrase.catalog import SAMPLE_DIR, SAMPLE_NAME
from pyramid_paraphrase.errors import InputError, LimitError, cannot_read
from pyramid_paraphrase.files import inputs, limits
from pyramid_paraphrase.files.archives import is_archive, open_gzip, read_bounded, refusing_damage
from pyramid_paraphrase.pyramids.sources import GZIP_SUFFIX, SourceFile

_REMEDY = "use a file, a folder or an archive, or ARCHIVE/PATH for a file or folder within an archive"

Location = str | os.PathLike[str]
_Walk = Callable[..., Iterable[inputs.WalkedFile]]
"""`walk_archive` with a maximum number of members."""


def require_text(file: SourceFile) -> None:
    """Check that a file has no NUL byte. Texts in UTF-16 and files of word processors have NUL bytes.

    Raises:
        InputError: If the file has a NUL byte. The message names the line.
    """
    inputs.refuse_document(file.name, file.data)
    if b"\0" in file.data:
        line = file.data[: file.data.index(b"\0")].count(b"\n") + 1
        raise InputError(
            file.name, "has a NUL byte, unlike text in UTF-8", "use plain text, JSON lines or CSV, in UTF-8", line
        )


def read_files(
    location: Location,
    max_files: int | None = None,
    remedy: str = "name a folder within it, or split the archive",
) -> list[SourceFile]:
    """Read a file, all files of a folder or an archive, or a file or folder within an archive.

    An archive in an archive or in a folder is read like a folder. Files and folders below the location whose names
    begin with a dot are left out, because operating systems and editors add them.

    Args:
        location: A path, which may lead through archives, or "sample" for the sample corpus.
        max_files: Maximum number of files in a folder and of entries in an archive, or None for `limits.MAX_MEMBERS`.
        remedy: Remedy in the message if there are more.

    Returns:
        The files in the order of their names, such as `mainEval.tar.gz/mainEval/manual/content.table`, at least one.

    Raises:
        InputError: If the location does not exist, or a file cannot be read, is not a regular file, or occurs twice.
        LimitError: If a file is too large, or there are more files than the maximum or `limits` allows.
    """
    most = limits.MAX_MEMBERS if max_files is None else max_files
    (path, within), full_name = _find_place(location), Path(location).as_posix()
    walk = partial(inputs.walk_archive, max_members=most, remedy=remedy)
    files: Iterable[inputs.WalkedFile] = [inputs.WalkedFile(path.name, full_name.removesuffix(f"/{within}"), path)]
    if inputs.is_folder(path):
        files = (file for file in inputs.walk_folder(path, full_name) if not _is_hidden(file.name))
    contents: dict[str, bytes] = {}
    size = 0
    for name, data in chain.from_iterable(_read_file(file, within, walk) for file in files):
        if name in contents:
            raise InputError(name, "occurs twice", "remove one of them")
        if len(contents) == most:
            raise LimitError(full_name, f"contains more than {most:,} files", remedy)
        contents[name] = data
        size += len(data)
        if size > limits.MAX_KEPT_BYTES:
            reason = f"contains more than {limits.MAX_KEPT_BYTES // limits.MEBIBYTE} MiB in all files"
            raise LimitError(full_name, reason, "name a folder within it")
    if not contents:
        is_container = not within and (inputs.is_folder(path) or is_archive(path.name))
        reason = "contains no files" if is_container else "no such file or folder"
        raise InputError(full_name, reason, _REMEDY)
    return [SourceFile(name, contents[name]) for name in sorted(contents)]


def decompress(files: Iterable[SourceFile]) -> Iterator[SourceFile]:
    """Yield files, decompressed if their names end in ".gz".

    Raises:
        InputError: If a compressed file is damaged.
        LimitError: If a file, or all files together, are larger than `limits` allows.
    """
    size = 0
    for file in files:
        plain = file
        if file.name.lower().endswith(GZIP_SUFFIX):
            with refusing_damage(file.name):
                stream = open_gzip(io.BytesIO(file.data), file.name)
                plain = replace(file, data=read_bounded(stream, limits.MAX_FILE_BYTES, file.name))
        size += len(plain.data)
        if size > limits.MAX_KEPT_BYTES:
            reason = f"all files up to this file are larger than {limits.MAX_KEPT_BYTES // limits.MEBIBYTE} MiB"
            raise LimitError(file.name, reason, "use fewer systems at a time")
        yield plain


def _find_place(location: Location) -> tuple[Path, str]:
    """Split a location at the first archive that it leads into.

    Returns:
        A file or folder on disk, and the path within it if it is an archive, or "".
    """
    text = os.fspath(location)
    if text == SAMPLE_NAME:
        return SAMPLE_DIR, ""
    path = expand_home(location)
    try:
        if text and (path.is_file() or path.is_dir()):
            return path, ""
        for parent in path.parents:
            if parent.is_file() and is_archive(parent.name):
                return parent, path.relative_to(parent).as_posix()
        if text and os.path.lexists(path):
            raise inputs.describe_pipe(text) if inputs.exists(path) else inputs.describe_unopenable(text)
    except PermissionError as error:
        raise cannot_read(text, error, "check the permissions of the file and of its folders") from None
    except (OSError, ValueError) as error:
        raise InputError(text, f"is not a usable path ({error})", "check the path") from None
    raise InputError(text or "''", "no such file or folder", _REMEDY)


def _read_file(file: inputs.WalkedFile, within: str, walk: _Walk) -> Iterator[tuple[str, bytes]]:
    """Yield a file, or the files at a path within an archive. The path "" means the whole archive."""
    if not file.is_regular:
        raise inputs.describe_unopenable(file.full_name)
    with file.open() as stream:
        if not file.is_archive:
            yield file.full_name, read_bounded(stream, limits.MAX_FILE_BYTES, file.full_name)
            return
        for member in walk(file, stream):
            # Members are named like files in a folder, without leading slashes and parts such as ".".
            name = posixpath.normpath(member.name.lstrip("/"))
            if _leads_to(within, name):
                rest = within.removeprefix(f"{name}/") if within.startswith(f"{name}/") else ""
                yield from _read_file(replace(member, name=name, full_name=f"{file.full_name}/{name}"), rest, walk)


def _leads_to(within: str, name: str) -> bool:
    """Return whether a path within an archive leads to a member, to a folder around it, or into it.

    A member that is hidden below the path is left out.
    """
    leads_into_archive = is_archive(name) and within.startswith(f"{name}/")
    if leads_into_archive or name == within:
        return True
    folder = f"{within}/" if within else ""
    return name.startswith(folder) and not _is_hidden(name.removeprefix(folder))


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") and part != ".." for part in path.split("/"))
