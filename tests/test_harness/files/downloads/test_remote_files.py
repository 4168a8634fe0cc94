"""The table of files that can be downloaded."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest
from helpers.local_copies import read_local_copies

from harness.files.downloads.remote_files import hash_blob, list_remote_files
from pyramid_paraphrase.catalog import PUBLICATIONS

NAMES = [publication.name for publication in PUBLICATIONS]


def test_blob_ids_are_those_of_git(tmp_path: Path) -> None:
    """The expected value is the output of `git hash-object`."""
    for content, digest in (
        (b"", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
        (b"The bridge fell.\n", "f5b3ee57e3123139ad485700e0b8370d3af78fca"),
        (b"The river rose.\n" * 100_000, "e3072aa65c70a943e6d5c78737a47df0a1ba76a0"),
    ):
        (tmp_path / "file").write_bytes(content)
        assert hash_blob(tmp_path / "file") == digest


@pytest.mark.parametrize(("name", "count", "size"), [("propsegment", 3, 5_041_104), ("superpal", 1, 131_530)])
def test_files_of_collections(name: str, count: int, size: int) -> None:
    remote_files = list_remote_files(name)
    assert (len(remote_files), sum(file.size for file in remote_files)) == (count, size)


def test_files_of_realsumm() -> None:
    """Labels and summaries of 25 systems; the summaries that were judged, their SCUs and their ids."""
    paths = [PurePosixPath(file.path) for file in list_remote_files("realsumm")]
    assert len(paths) == 53
    assert {str(path) for path in paths if path.parent == PurePosixPath()} == {"SCUs.txt", "ids.txt", "references.txt"}
    systems = {suffix: {path.stem for path in paths if path.suffix == suffix} for suffix in (".label", ".summary")}
    assert len(systems[".label"]) == 25
    assert systems[".label"] == systems[".summary"]


@pytest.mark.parametrize("name", NAMES)
def test_every_row_is_well_formed(name: str) -> None:
    remote_files = list_remote_files(name)
    assert len(remote_files) == len({file.path for file in remote_files}) > 0
    for file in remote_files:
        assert re.fullmatch(r"[A-Za-z0-9_]+(/[A-Za-z0-9_]+)?(\.[A-Za-z_]+)+", file.path)
        assert file.size > 0
        assert re.fullmatch(r"[0-9a-f]{40}", file.digest)


def test_an_unknown_collection_has_no_files() -> None:
    assert list_remote_files("duc2007-main") == []


@pytest.mark.parametrize("name", NAMES)
def test_the_table_describes_the_real_files(name: str, tmp_path: Path) -> None:
    copies = read_local_copies(name)
    for file in list_remote_files(name):
        (tmp_path / "copy").write_bytes(copies[file.path])
        assert (len(copies[file.path]), hash_blob(tmp_path / "copy")) == (file.size, file.digest), file.path
