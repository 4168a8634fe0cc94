"""The command download."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path

from harness.cli.arguments import path, say, set_run, show
from harness.files.downloads.folders import download_files
from harness.files.downloads.remote_files import RemoteFile, list_remote_files
from harness.rendering.tables import NOTHING, Prose, count_of, render_table
from harness.support.errors import DownloadError
from harness.support.progress import Progress
from pyramid_paraphrase.catalog import COLLECTIONS, PAIR_COLLECTIONS, PUBLICATIONS, Publication, how_to_obtain
from pyramid_paraphrase.errors import OptionError, unknown_name

SERVER = "https://raw.githubusercontent.com"
_MEGABYTE = 1_000_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    set_run(parser, _download)
    parser.add_argument("name", nargs="?", metavar="NAME", help="collection to download; default: list the collections")
    parser.add_argument(
        "--output",
        type=path,
        metavar="FOLDER",
        help="folder to write the files to; default: a folder with the name of the collection, here",
    )
    parser.add_argument(
        "--mirror",
        metavar="ADDRESS",
        help=f"server to use in place of {SERVER}; each file is accepted only if it has the declared digest",
    )


def _download(options: argparse.Namespace) -> None:
    """Download a collection, or list the collections.

    Raises:
        DownloadError: If the collection is not downloaded, also because only its publisher gives it away. Then a script
            that goes on with the files must not believe that they are there, so the exit status is 2.
        OptionError: If there is no such collection, or an option has no effect.
    """
    if options.name is None:
        if options.output or options.mirror:
            raise OptionError("--output and --mirror need the name of a collection; give it before them")
        say(render_table(("name", "title", "size", "licence"), list(_list_rows())))
        return
    publication = next((row for row in PUBLICATIONS if row.name == options.name), None)
    if publication is None:
        raise _refuse(options.name)
    _download_publication(publication, options.output or Path(publication.name), options.mirror or SERVER)


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
    """Describe why a collection cannot be downloaded, and how to obtain it, as an error to be raised by the caller."""
    names = [row.name for row in (*PUBLICATIONS, *COLLECTIONS, *PAIR_COLLECTIONS)]
    if name not in names:
        return unknown_name("collection", name, set(names))
    return DownloadError(
        f"{how_to_obtain(name)}: nothing is downloaded; once you have the files, give their path to `inspect`, `build` "
        "or `evaluate --data`"
    )


def _download_publication(publication: Publication, folder: Path, server: str) -> None:
    remote_files = list_remote_files(publication.name)
    say(f"{publication.title}: {publication.page}")
    say(f"Licence: {publication.licence}")
    say(f"Attribution: {publication.attribution}")
    say(show(f"To: {folder} ({count_of(len(remote_files), 'file')}, {_format_size(remote_files)})"))
    address = f"{server.rstrip('/')}/{publication.repository}/{publication.commit}/{publication.folder}"
    with Progress(visible=True) as progress:
        download_files(remote_files, address, folder, listener=progress.follow)
    say(show(f"Next: pyramid-paraphrase inspect {shlex.quote(str(folder))}"))
