"""Suggestions for misspelled paths: files and folders with similar names."""

from __future__ import annotations

import difflib
import os
from contextlib import suppress
from itertools import islice

from harness.files.writing import expand_home

_MAX_NAMES = 10_000
"""Maximum number of entries of a folder that are compared."""

_CUTOFF = 0.75
"""Lowest similarity of a suggestion, as `difflib` computes it. Its default, 0.6, suggests unrelated models."""


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
    matches = difflib.get_close_matches(path.name, names, n=1, cutoff=_CUTOFF)
    if not matches or matches[0] == path.name:
        return ""
    return f". Did you mean '{path.with_name(matches[0])}'?"
