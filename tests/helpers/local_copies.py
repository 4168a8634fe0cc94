"""The files of freely licensed collections, beside the checkout."""

from __future__ import annotations

import gzip
import tarfile

import pytest

from helpers.checkout import DATA


def read_local_copies(name: str) -> dict[str, bytes]:
    """Read the copies of a collection beside the checkout, by their paths."""
    if not (DATA / name).is_dir():
        pytest.skip(f"the files of {name} are not beside the checkout (../shared/data/{name})")
    if name == "realsumm":
        with tarfile.open(DATA / name / "realsumm.tar.gz") as archive:
            members = [member for member in archive if member.isfile()]
            contents = {member.name.removeprefix("data/REALSumm/"): archive.extractfile(member) for member in members}
            return {path: stream.read() for path, stream in contents.items() if stream}
    copies = {path.name.removesuffix(".gz"): path for path in (DATA / name).iterdir() if path.suffix != ".md"}
    return {
        path: gzip.decompress(copy.read_bytes()) if copy.suffix == ".gz" else copy.read_bytes()
        for path, copy in copies.items()
    }
