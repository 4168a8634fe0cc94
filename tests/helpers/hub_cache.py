"""The cache of the Hub, with made-up repositories."""

from __future__ import annotations

from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def put_on_the_hub(folder: Path, name: str, cache: Path) -> None:
    """Lay out a repository as in the Hub's cache, so that its name works without network."""
    home = cache / name
    (home / "snapshots").mkdir(parents=True)
    (home / "snapshots" / COMMIT).symlink_to(folder)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(COMMIT)
