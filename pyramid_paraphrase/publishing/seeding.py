"""Write a build to the cache of `datasets`, and make it visible. See `builds` for the layout of the cache."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import datasets

from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.errors import InputError, OutputError, advise_writing, join_remedy
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.atomic import locked_file, put_folder, remove_abandoned, temporary_folder
from pyramid_paraphrase.files.inputs import is_file, read_input
from pyramid_paraphrase.publishing import builds
from pyramid_paraphrase.publishing.builder import PyramidParaphrase
from pyramid_paraphrase.publishing.registration import NAME, code_hash
from pyramid_paraphrase.pyramids.sources import Source, resolve_source
from pyramid_paraphrase.rules import options

_LOCK_NAME = "builds.lock"
_OF_NO_CONFIGURATION = json.dumps({"config_name": ""}).encode()
_ENTRY_FILE = re.compile(
    rf"({'|'.join(map(re.escape, (*options.CONFIGURATION_NAMES, builds.HINT)))})(-[^/]+)?/\d+\.\d+\.\d+/.+"
)
_logger = make_logger(__name__)


def seed_cache(
    tests: Sequence[BuiltTest],
    cache_dir: Source | None = None,
    *,
    sources: Sequence[Source] = (),
    sources_digest: str = "",
) -> list[Path]:
    """Write built configurations to the cache as the last build, for `load_dataset("pyramid_paraphrase", ...)`.

    They become visible together. If the options of a configuration are not its defaults, pass the same options to
    `load_dataset`.

    Other entries of the last build stay visible if they were built from files of the same digest, or from another kind
    of files: annotations, or a corpus of labelled pairs. So rows of different annotation files are never visible
    together. An existing build of the same content is kept unless it is damaged.

    Args:
        tests: The built configurations.
        cache_dir: Folder of the `datasets` cache. If None, the default folder.
        sources: The files that they were built from, for messages, and to build them with other options.
        sources_digest: Digest of the content of these files.

    Returns:
        The folder of each entry.

    Raises:
        OutputError: If the cache cannot be written. In this case, the last build stays visible.
    """
    root = builds.find_root(cache_dir)
    paths = tuple(str(resolve_source(source)) for source in sources)
    entries = {}
    for test in tests:
        name = builds.make_id(test.configuration.name, _list_changes(test))
        digests, collections = (test.fingerprint, test.optional_digest), ", ".join(test.collections)
        entries[name] = builds.Entry(Path(), test.configuration.name, *digests, collections, paths, sources_digest)
    link, store = root / NAME, root / builds.STORE_NAME
    try:
        _require_own_entries(link)
        store.mkdir(parents=True, exist_ok=True)
        with locked_file(store / _LOCK_NAME):
            remove_abandoned(root)
            remove_abandoned(store)
            kept = _select_kept(link, entries)
            description = _describe({**kept, **entries})
            folder = store / builds.make_key(description) / NAME
            if not _is_whole(folder, description):
                _write_build(folder, description, tests, kept)
            _keep_paths(link.resolve(), folder)
            _lead_to(link, folder)
    except (OSError, RuntimeError, datasets.exceptions.DatasetGenerationError) as error:
        cause = error.__cause__ or error
        raise OutputError(join_remedy(f"{root}: cannot be written ({cause})", advise_writing(cause))) from None
    builds.own_builds[root] = folder.resolve()
    stored = builds.read_entries(builds.own_builds[root])
    return [stored[name].folder for name in entries]


def _list_changes(test: BuiltTest) -> dict[str, Any]:
    """Return the options of a test that are not the defaults of its configuration."""
    return options.changed_options(test.configuration, test.options) if test.options else {}


def _describe(entries: Mapping[str, builds.Entry]) -> bytes:
    fields = {name: entries[name]._asdict() for name in sorted(entries)}
    for values in fields.values():
        del values["folder"]
    return json.dumps({"code": code_hash(), "entries": fields}, indent=1).encode()


def _select_kept(link: Path, entries: Mapping[str, builds.Entry]) -> dict[str, builds.Entry]:
    """Select the entries of the last build that stay visible."""
    try:
        last = builds.read_entries(link.resolve())
    except InputError as error:
        _logger.warning("%s: %s. Replacing it", error.file, error.reason)
        return {}
    digests = {_name_group(entry): entry.sources_digest for entry in entries.values()}
    kept = {}
    for name, entry in last.items():
        digest = digests.get(_name_group(entry))
        is_compatible = digest is None or digest == entry.sources_digest != ""
        if name not in entries and is_compatible and is_file(entry.folder / datasets.config.DATASET_INFO_FILENAME):
            kept[name] = entry
    return kept


def _name_group(entry: builds.Entry) -> str:
    """Return the kind of files that an entry is built from. All configurations of annotation files belong together."""
    origin = options.find_configuration(entry.configuration).origin
    return options.ANNOTATIONS[0] if origin in options.ANNOTATIONS else origin


def _is_whole(folder: Path, description: bytes) -> bool:
    """Return whether a build exists and is not damaged."""
    try:
        if read_input(folder / builds.DESCRIPTION_NAME) != description:
            return False
        entries = builds.read_entries(folder)
        for entry in entries.values():
            builds.read_rows(entry)
    except FileNotFoundError:
        return False
    except InputError as error:
        _logger.warning("%s: %s. Replacing it", error.file, error.reason)
        return False
    names = set()
    for path in folder.glob("*/*/*"):
        info = path / datasets.config.DATASET_INFO_FILENAME
        if path.name == folder.parent.name:
            names.add(path.parents[1].name)
        elif path.is_dir() and not (is_file(info) and read_input(info) == _OF_NO_CONFIGURATION):
            return False
    return names == {*entries, builds.HINT}


def _write_build(
    folder: Path, description: bytes, tests: Sequence[BuiltTest], kept: Mapping[str, builds.Entry]
) -> None:
    """Write a build under a temporary name, and move the complete build to its place."""
    key = folder.parent.name
    with temporary_folder(folder.parents[1]) as cache:
        for test in tests:
            name = test.configuration.name
            builder = PyramidParaphrase(str(cache), name, built=test, hash=key, **_list_changes(test))
            builder.download_and_prepare()
        ready = cache / NAME
        for name, entry in kept.items():
            _copy_folder(entry.folder, ready / name / options.DATA_VERSION / key)
        hint = ready / builds.HINT / options.DATA_VERSION / key
        hint.mkdir(parents=True)
        (hint / datasets.config.DATASET_INFO_FILENAME).write_text(json.dumps({"config_name": builds.HINT}))
        (ready / builds.DESCRIPTION_NAME).write_bytes(description)
        folder.parent.mkdir(exist_ok=True)
        put_folder(ready, folder)


def _keep_paths(last: Path, folder: Path) -> None:
    """Keep the paths of the last build, which lead through the link, for datasets that are loaded already.

    Otherwise, worker processes do not find their files, and `Dataset.map` makes their folder again. `datasets` fails on
    a folder without a description. It ignores the kept entries, because they are of no configuration. With options, it
    does not read descriptions, so the paths of entries with options are not kept.

    Args:
        last: The folder of the build that is visible now.
        folder: The folder of the build that becomes visible.
    """
    for path in sorted(last.glob(f"*/{options.DATA_VERSION}/*")):
        kept = folder / path.relative_to(last)
        is_kept = path.is_dir() and path.parents[1].name in options.CONFIGURATION_NAMES and kept.parent.exists()
        if not is_kept or kept.exists():
            continue
        with temporary_folder(folder.parents[1]) as temporary:
            ready = temporary / path.name
            _copy_folder(path, ready)
            description = ready / datasets.config.DATASET_INFO_FILENAME
            description.unlink(missing_ok=True)  # a link to the description of the last build
            description.write_bytes(_OF_NO_CONFIGURATION)
            ready.rename(kept)


def _copy_folder(source: Path, target: Path) -> None:
    """Copy a folder without the files of `Dataset.map`, by links to its files where the file system permits."""

    def copy(file: str, copied: str) -> None:
        try:
            os.link(file, copied)
        except OSError:
            shutil.copy2(file, copied)

    shutil.copytree(source, target, copy_function=copy, ignore=shutil.ignore_patterns("cache-*", "tmp*"))


def _lead_to(link: Path, folder: Path) -> None:
    """Make a link to a folder, or replace it atomically.

    On a system without symbolic links, a copy of the folder takes the place of the link. If the system cannot exchange
    folders either, there is a moment without a build.
    """
    with temporary_folder(link.parent) as temporary:
        ready = temporary / link.name
        try:
            ready.symlink_to(os.path.relpath(folder, link.parent), target_is_directory=True)
        except (NotImplementedError, OSError):
            _copy_folder(folder, ready)
        if ready.is_symlink() and (link.is_symlink() or not link.exists()):
            ready.replace(link)
        else:
            put_folder(ready, link)


def _require_own_entries(link: Path) -> None:
    """Require that a link to a build, or entries of this package, or nothing is at a path.

    Raises:
        OutputError: If there is anything else, such as the source code of this package.
    """
    if link.is_symlink() or not link.exists():
        return
    files = [link]
    if link.is_dir():
        files = [path for path in link.rglob("*") if not path.is_dir()]
    for file in files:
        name = file.relative_to(link).as_posix()
        if name != builds.DESCRIPTION_NAME and not _ENTRY_FILE.fullmatch(name):
            problem = f"{file}: is in the place of the link to the build, and this program did not write it"
            raise OutputError(f"{problem}. Choose another folder for the cache, or move {link} away")
