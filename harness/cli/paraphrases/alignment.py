"""Align the words of parallel text, or combine alignments in two directions (`paraphrases align`)."""

from __future__ import annotations

import argparse
from typing import Any

from harness.cli.arguments import add_command, path, refuse_overwriting, say, show
from harness.cli.shared_options import SENTENCES_HELP, TRANSLATIONS_HELP, add_required_output, add_temporary_option
from harness.paraphrases.alignment.symmetrization import (
    DEFAULT_METHOD,
    METHODS,
    Aligned,
    build_alignments,
    combine_directions,
)
from harness.rendering.tables import render_table
from harness.support.progress import Progress
from pyramid_paraphrase.errors import OptionError

_GIVE_TEXT = "expected parallel text or two alignments. Use either SOURCE and TARGET, or --forward and --reverse"


def add_alignment_action(actions: Any) -> None:  # noqa: ANN401
    """Add the action align, with parallel text or two alignments, and the method of symmetrization."""
    text = (
        "align the words of parallel text with eflomal (results vary slightly between runs), or combine two alignments"
    )
    align = add_command(actions, "align", _align, text)
    align.add_argument("source", type=path, nargs="?", metavar="SOURCE", help=SENTENCES_HELP)
    align.add_argument("target", type=path, nargs="?", metavar="TARGET", help=TRANSLATIONS_HELP)
    align.add_argument(
        "--forward",
        type=path,
        metavar="FILE",
        help="alignments from source to target, in Pharaoh format (0-0 1-2) or an A3 file of GIZA++",
    )
    align.add_argument("--reverse", type=path, metavar="FILE", help="alignments from target to source")
    align.add_argument(
        "--symmetrize",
        choices=[*METHODS],
        metavar="METHOD",
        default=DEFAULT_METHOD,
        help="method to combine the two directions: %(choices)s (default: %(default)s)",
    )
    add_required_output(align, "the alignments (compressed for .gz)")
    add_temporary_option(align)


def _align(options: argparse.Namespace) -> None:
    text, directions = (options.source, options.target), (options.forward, options.reverse)
    if not (all(text) and not any(directions)) and not (all(directions) and not any(text)):
        raise OptionError(_GIVE_TEXT)
    refuse_overwriting(options.output, *filter(None, text + directions))
    with Progress(visible=True) as progress:
        if all(text):
            progress.start("aligning", 1)
            aligned = build_alignments(*text, options.output, options.symmetrize, options.temporary)
        else:
            aligned = combine_directions(*directions, options.output, options.symmetrize)
    say(f"{render_table(('', 'number'), _list_counts(aligned))}\n{show(options.output)}")


def _list_counts(aligned: Aligned) -> list[tuple[str, int]]:
    return [
        ("sentence pairs", aligned.sentence_pairs),
        *((f"  not aligned: {reason}", number) for reason, number in aligned.left_out.items()),
        ("links from source to target", aligned.forward),
        ("links from target to source", aligned.reverse),
        ("  in both directions", aligned.shared),
        ("links written", aligned.written),
    ]
