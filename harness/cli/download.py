"""Download the files of a freely licensed collection, and verify their digests."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path

from harness.cli.parser import option, path
from harness.files.downloads import RemoteFile, download_files, list_remote_files
from harness.rendering.tables import NOTHING, Prose, count_of, render_table
from harness.support.errors import DownloadError
from harness.support.progress import Progress
from harness.support.terminal import say, show
from pyramid_paraphrase.catalog import (
    COLLECTIONS,
    OBTAINABLE_NAMES,
    PAIR_COLLECTIONS,
    PUBLICATIONS,
    SAMPLE_NAME,
    how_to_obtain,
)
from pyramid_paraphrase.errors import OptionError, unknown_name

SERVER = "https://raw.githubusercontent.com"
_MEGABYTE = 1_000_000


DOWNLOAD_OPTIONS = (
    option("name", "NAME", "collection to download (default: list all collections)", nargs="?"),
    path("--output", "FOLDER", "write the files to FOLDER (default: NAME, in the current folder)"),
    option("--mirror", "ADDRESS", f"server to use instead of {SERVER}. The digest of every file is checked"),
)


def run_download(options: argparse.Namespace) -> None:
    """Download a collection, or list the collections.

    Raises:
        DownloadError: If the collection is not downloaded, for example because only its publisher distributes it. The
            exit status is then 2, so that scripts do not continue without the files.
        OptionError: If the name of the collection is unknown, or an option has no effect.
    """
    if options.name is None:
        if options.output or options.mirror:
            raise OptionError("--output and --mirror have no effect without the name of a collection. Add the name")
        say(render_table(("name", "title", "size", "licence"), list(_list_rows())))
        return
    publication = next((row for row in PUBLICATIONS if row.name == options.name), None)
    if publication is None:
        raise _refuse(options.name)
    folder, remote_files = options.output or Path(publication.name), list_remote_files(publication.name)
    say(f"{show(publication.title)}: {show(publication.page)}")
    say(f"Licence: {show(publication.licence)}")
    say(f"Attribution: {show(publication.attribution)}")
    say(show(f"Folder: {folder} ({count_of(len(remote_files), 'file')}, {_format_size(remote_files)})"))
    server = (options.mirror or SERVER).rstrip("/")
    address = f"{server}/{publication.repository}/{publication.commit}/{publication.folder}"
    with Progress(visible=True) as progress:
        download_files(remote_files, address, folder, listener=progress.follow)
    say(show(f"Next: pyramid-paraphrase inspect {shlex.quote(str(folder))}"))


def _list_rows() -> Iterator[tuple[str, str, str, str]]:
    for publication in PUBLICATIONS:
        size = _format_size(list_remote_files(publication.name))
        yield publication.name, Prose(publication.title), size, Prose(publication.licence)
    published = {publication.name for publication in PUBLICATIONS}
    for collection in (*COLLECTIONS, *PAIR_COLLECTIONS):
        if collection.name not in published:
            yield collection.name, Prose(collection.title), NOTHING, Prose(collection.access)


def _format_size(remote_files: list[RemoteFile]) -> str:
    return f"{sum(file.size for file in remote_files) / _MEGABYTE:.1f} MB"


def _refuse(name: str) -> DownloadError | OptionError:
    """Return the error for a collection that cannot be downloaded, with the way to obtain it."""
    if name not in OBTAINABLE_NAMES:
        return unknown_name("collection", name, OBTAINABLE_NAMES)
    if name == SAMPLE_NAME:
        return DownloadError(f"{name}: is built in. Use `--data {name}`, without a download")
    return DownloadError(
        f"{how_to_obtain(name)}. This program cannot download it. When you have the files, pass their path to "
        "`build` or `evaluate --data`"
    )
