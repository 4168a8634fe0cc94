"""Suggestions for misspelled paths: files and folders with similar names."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice

from harness.files.writing import expand_home
from pyramid_paraphrase.errors import CLOSE, find_similar

_MAX_NAMES = 10_000
"""Maximum number of entries of a folder that are compared."""


def suggest_nearby(name: str) -> str:
    """Return a question about a file or folder with a similar name, to be appended to an error message.

    Args:
        name: The name of a model, which may be a misspelled path.

    Returns:
        Such as ". Did you mean 'runs/my-model'?", or an empty text if no name in the same folder is similar.
    """
    path = expand_home(name)
    names: list[str] = []
    with suppress(OSError, ValueError), os.scandir(path.parent) as entries:
        names = sorted(entry.name for entry in islice(entries, _MAX_NAMES) if not entry.name.startswith("."))
    similar = find_similar(path.name, names, CLOSE)
    if similar in ("", path.name):
        return ""
    return f". Did you mean '{path.with_name(similar)}'?"
