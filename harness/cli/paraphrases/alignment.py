"""The action align of the command paraphrases."""

from __future__ import annotations

import argparse
from typing import Any

from harness.cli.arguments import add_command, path, refuse_overwriting, say, show
from harness.paraphrases.alignment.building import Aligned, build_alignments, combine_directions
from harness.paraphrases.alignment.symmetrization import DEFAULT_METHOD, METHODS
from harness.rendering.tables import render_table
from harness.support.progress import Progress
from pyramid_paraphrase.errors import OptionError

_GIVE_TEXT = "give SOURCE and TARGET, or --forward and --reverse"


def add_alignment_action(actions: Any) -> None:  # noqa: ANN401
    """Add align."""
    text = "align the words of parallel text by eflomal (links vary a little between runs), or combine two directions"
    align = add_command(actions, "align", _align, text)
    align.add_argument(
        "source", type=path, nargs="?", metavar="SOURCE", help="sentences, one per line, with blanks between words"
    )
    align.add_argument("target", type=path, nargs="?", metavar="TARGET", help="translations of the sentences")
    align.add_argument(
        "--forward",
        type=path,
        metavar="FILE",
        help="alignments from source to target, as of Pharaoh (0-0 1-2) or an A3 file of GIZA++",
    )
    align.add_argument("--reverse", type=path, metavar="FILE", help="alignments from target to source")
    align.add_argument(
        "--symmetrize",
        choices=[method.name for method in METHODS],
        metavar="METHOD",
        default=DEFAULT_METHOD.name,
        help="how the two directions become one alignment: %(choices)s; default: %(default)s",
    )
    align.add_argument(
        "--output", type=path, required=True, metavar="FILE", help="alignments; compressed if it ends in .gz"
    )
    align.add_argument(
        "--temporary", type=path, metavar="FOLDER", help="folder for temporary files; default: that of the output"
    )


def _align(options: argparse.Namespace) -> None:
    text, directions = (options.source, options.target), (options.forward, options.reverse)
    if not (all(text) and not any(directions)) and not (all(directions) and not any(text)):
        raise OptionError(_GIVE_TEXT)
    refuse_overwriting(options.output, *filter(None, text + directions))
    method = next(method for method in METHODS if method.name == options.symmetrize)
    with Progress(visible=True) as progress:
        if all(text):
            progress.start("aligning", 1)
            aligned = build_alignments(*text, options.output, method, options.temporary)
        else:
            aligned = combine_directions(*directions, options.output, method)
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
