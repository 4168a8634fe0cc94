"""Short names of models, for tables and paths."""

from __future__ import annotations

import re
from pathlib import PurePath

_MAX_SLUG = 80


def short_name(name: str) -> str:
    """The last two parts of a path or of a name on the Hub, such as "org/model" or "runs/best"."""
    parts = [part for part in PurePath(name).parts if part.strip("./\\")]
    return "/".join(parts[-2:]) or name


def slug(name: str) -> str:
    """A name of a folder for a model: letters, digits, dots, hyphens and underscores only."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")[:_MAX_SLUG] or "model"
