"""Built folders and tests in the forms of earlier releases."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.building.rows import OPTIONAL_COLUMNS


def drop_optional_columns(folder: Path) -> None:
    """Change a built folder to the form of a release without optional columns and their digests."""
    for path in folder.rglob("*.parquet"):
        pq.write_table(_drop(pq.read_table(path)), path)
    manifest = json.loads((folder / "manifest.json").read_text())
    for entry in manifest["configurations"].values():
        del entry["optional_columns"]
    (folder / "manifest.json").write_text(json.dumps(manifest))


def without_optional_columns(test: BuiltTest) -> BuiltTest:
    """Return a test in the form of a release without optional columns."""
    splits = {split: [_drop(table) for table in tables] for split, tables in test.splits.items()}
    return dataclasses.replace(test, splits=splits)


def _drop(table: pa.Table) -> pa.Table:
    return table.select([name for name in table.column_names if name not in OPTIONAL_COLUMNS])


def make_earlier_layout(cache: Path) -> Path:
    """Change a cache with a build to the layout of version 0.1.0 before builds: entries beside each other, no link.

    Returns:
        The folder of the entries.
    """
    folder = cache / "pyramid_paraphrase"
    build = folder.resolve()
    folder.unlink()
    for entry in build.glob("[a-z]*/*/*/pyramid_paraphrase-test.arrow"):
        name, version = entry.relative_to(build).parts[:2]
        shutil.copytree(entry.parent, folder / name / version / ("0" * 64))
        (folder / name / version / "last_build").write_text("0" * 64 + "\n")
    shutil.rmtree(cache / "pyramid_paraphrase_builds")
    return folder
