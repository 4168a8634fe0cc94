"""The commands about tables of paraphrases: paraphrases."""

from __future__ import annotations

from typing import Any

from harness.cli.phrase_extraction import add_extraction_commands


def add_paraphrase_commands(commands: Any) -> None:  # noqa: ANN401
    """Add paraphrases; what is done with tables is added topic by topic."""
    paraphrases = commands.add_parser("paraphrases", help="make and look at tables of paraphrases", allow_abbrev=False)
    actions = paraphrases.add_subparsers(required=True, metavar="ACTION")
    add_extraction_commands(actions)
