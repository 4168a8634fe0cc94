"""The commands that make tables from parallel text: paraphrases extract, paraphrases pivot."""

from __future__ import annotations

from typing import Any


def add_extraction_commands(actions: Any) -> None:  # noqa: ANN401
    """Add extract and pivot."""
