"""Builds in the cache of `datasets`, and the link that makes one of them visible.

A build is a folder that is never changed. It contains one entry per configuration, in the layout of `datasets`::

    pyramid_paraphrase -> pyramid_paraphrase_builds/KEY/pyramid_paraphrase
    pyramid_paraphrase_builds/KEY/pyramid_paraphrase/build.json
    pyramid_paraphrase_builds/KEY/pyramid_paraphrase/CONFIGURATION/VERSION/KEY
    pyramid_paraphrase_builds/files/pyramid_paraphrase/CONFIGURATION/VERSION/HASH

KEY is a hash of ``build.json``, which contains the fingerprints of all entries. The link is replaced atomically, so all
configurations become visible together. `datasets` finds the entries through the link if this package is not imported.
Entries below ``files`` are made from files that the user names in Python. They are not part of any build.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import datasets
import pyarrow as pa
from datasets.arrow_reader import ArrowReader

from pyramid_paraphrase.building.built_tests import digest_optional_columns, fingerprint_rows
from pyramid_paraphrase.catalog import SAMPLE_DIR, SAMPLE_NAME
from pyramid_paraphrase.errors import InputError, NoBuildError
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.inputs import is_file, read_input
from pyramid_paraphrase.publishing.registration import NAME
from pyramid_paraphrase.pyramids.sources import Source
from pyramid_paraphrase.rules.options import DATA_VERSION, PYRAMID_TESTS

STORE_NAME = "pyramid_paraphrase_builds"
"""Name of the folder of all builds."""

DESCRIPTION_NAME = "build.json"
"""Name of the file that describes the entries of a build."""

FILES_NAME = "files"
"""Name of the folder, below the folder of all builds, for entries that are made from files named in Python."""

BUILD_AGAIN = "repair it by building it again with `pyramid-paraphrase build SOURCE`"

HINT = "import pyramid_paraphrase before load_dataset to use other data, options and configurations"
"""Name of an entry without rows. Errors of `datasets` list the names of all entries, also if this package is not
imported. Because of this entry, every build has several, so `datasets` requires the name of a configuration."""

_HOW_TO_GIVE_DATA = (
    "pass your files as data_dir=... (source=... in pyramid_paraphrase.load), or build them once with "
    "`pyramid-paraphrase build SOURCE{option}`"
)
_SAMPLE_HINT = ". To try the package without data, use data_dir=pyramid_paraphrase.SAMPLE_DIR"
_KEY_LENGTH = 32
_logger = make_logger(__name__)

own_builds: dict[Path, Path] = {}
"""The last build of this process in each cache. A process loads its own build, even if another process has built other
data in the same cache since."""


class Entry(NamedTuple):
    """An entry of a build: the rows of a configuration with certain options.

    Attributes:
        folder: Its folder. The last part of the path is the key of the build.
        configuration: Name of the configuration.
        fingerprint: Fingerprint of the rows.
        optional_digest: Digest of the optional columns, or "" if the rows have none.
        collections: Names of the collections of the rows, joined by commas.
        sources: Absolute paths of the files that it was built from, if they are known.
        sources_digest: Digest of the content of these files, or "".
    """

    folder: Path
    configuration: str
    fingerprint: str
    optional_digest: str
    collections: str
    sources: tuple[str, ...] = ()
    sources_digest: str = ""

    @property
    def origin(self) -> str:
        """Names of the files that it was built from, or of its collections, and a short fingerprint."""
        sample = str(SAMPLE_DIR)
        names = [SAMPLE_NAME if source == sample else source for source in self.sources]
        return f"made from {', '.join(names) or self.collections}, fingerprint {self.fingerprint[:12]}"


def find_root(cache_dir: str | os.PathLike[str] | None) -> Path:
    """Return the absolute path of the cache of `datasets`: a folder that the user names, or the default folder."""
    return Path(cache_dir or datasets.config.HF_DATASETS_CACHE).expanduser().absolute()


def find_entries(root: Path) -> dict[str, Entry]:
    """Find the entries of the last build of this process or, without one, of the last build of any process.

    Args:
        root: The cache of `datasets`.

    Returns:
        Entries by the id that `datasets` gives to their configuration and options. Empty if there is no build.

    Raises:
        InputError: If the description of the build is damaged.
    """
    visible = (root / NAME).resolve()
    own = own_builds.get(root, visible)
    if own != visible and is_file(own / DESCRIPTION_NAME):
        entries = read_entries(own)
        for name, other in read_entries(visible).items():
            if name in entries and other.fingerprint != entries[name].fingerprint:
                message = "another process has built other data since (%s, %s): using the last build of this process"
                _logger.warning(message, name, other.origin)
                break
        return entries
    return read_entries(visible)


def read_entries(folder: Path) -> dict[str, Entry]:
    """Read the description of a build.

    Args:
        folder: The folder of its entries.

    Returns:
        As `find_entries`.

    Raises:
        InputError: If the description is damaged.
    """
    path = folder / DESCRIPTION_NAME
    try:
        text = read_input(path)
        key = make_key(text)
        entries = {}
        for name, fields in json.loads(text)["entries"].items():
            fields["sources"] = tuple(fields["sources"])
            entries[name] = Entry(folder / name / DATA_VERSION / key, **fields)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError):
        raise InputError(str(path), "is not the description of a build", BUILD_AGAIN) from None
    return entries


def read_rows(entry: Entry) -> dict[str, list[pa.Table]]:
    """Read the rows of an entry, and compare them with its fingerprint.

    Returns:
        Tables by split.

    Raises:
        InputError: If they are damaged.
    """
    try:
        info = datasets.DatasetInfo.from_directory(str(entry.folder))
        reader = ArrowReader(str(entry.folder), info)
        tables = {}
        for split in map(str, info.splits):
            read = reader.read(name=NAME, instructions=split, split_infos=info.splits.values())
            tables[split] = [datasets.Dataset(**read).data.table]
        for table in chain.from_iterable(tables.values()):
            table.validate(full=True)  # in damaged files, offsets can point outside of the file
        digests = fingerprint_rows(tables), digest_optional_columns(tables)
    except Exception:  # `datasets` does not check what it reads, so damage can cause any exception
        raise describe_damage(entry.folder, "its files cannot be read") from None
    if digests != (entry.fingerprint, entry.optional_digest):
        raise describe_damage(entry.folder, "its rows differ from the rows that were built")
    return tables


def describe_damage(folder: str | os.PathLike[str], reason: str, remedy: str = BUILD_AGAIN) -> InputError:
    """Describe a damaged entry, as an error to be raised by the caller."""
    return InputError(str(folder), f"is a damaged entry of the datasets cache ({reason})", remedy)


def make_key(description: bytes) -> str:
    """Return the key of a build: the beginning of the SHA-256 of its description."""
    return hashlib.sha256(description).hexdigest()[:_KEY_LENGTH]


def find_last_build(configuration: str, options: Mapping[str, Any], cache_dir: Source | None = None) -> Entry:
    """Return the entry of the last build of a configuration with these options. The entry may be damaged.

    Raises:
        InputError: If the description of the last build is damaged.
        NoBuildError: If there is no build of this configuration with these options.
    """
    root, name = find_root(cache_dir), make_id(configuration, options)
    entries = find_entries(root)
    if name in entries:
        return entries[name]
    missing = f"no data was given, and {name} was not built before"
    earlier = any((root / NAME).glob(f"{configuration}*/*/*/{datasets.config.DATASET_INFO_FILENAME}"))
    if entries:
        missing = f"{missing}. The last build has {', '.join(entries)}, {next(iter(entries.values())).origin}"
    elif earlier:
        missing = f"{missing} by this version of {NAME}, only by an earlier one"
    raise NoBuildError(missing, how_to_give_data(configuration))


def make_id(configuration: str, options: Mapping[str, Any]) -> str:
    """Return the name that `datasets` gives to a configuration with options in its cache."""
    return str(datasets.BuilderConfig(configuration).create_config_id(dict(options)))


def how_to_give_data(configuration: str) -> str:
    """Describe how to pass data to a configuration. A sample exists only for tests of pyramids."""
    if configuration in PYRAMID_TESTS:
        return _HOW_TO_GIVE_DATA.format(option="") + _SAMPLE_HINT
    return _HOW_TO_GIVE_DATA.format(option=f" --task {configuration}")
