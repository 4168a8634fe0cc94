"""The commands that score summaries without annotators: rouge, soft-pyramid."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.cli.arguments import add_command, path, positive, refuse_overwriting, say
from harness.cli.paraeval import add_summary_options, read_comparisons
from harness.summaries.stemming import PORTER, STEMS

if TYPE_CHECKING:
    from pathlib import Path

    from harness.summaries.score_files import SummaryScore

_MOST_ORDERS = 10


def add_summary_commands(commands: Any) -> None:  # noqa: ANN401
    """Add rouge."""
    text = "score summaries by the words and n-grams of references that they have"
    rouge = add_command(commands, "rouge", _rouge, text)
    add_summary_options(rouge)
    rouge.add_argument(
        "--n", type=_parse_orders, default=(1, 2), metavar="NUMBERS", help="lengths of n-grams; default: 1,2"
    )
    rouge.add_argument(
        "--stem",
        choices=STEMS,
        default=PORTER,
        help="what is taken for the same word; rouge: as ROUGE-1.5.5 does with -m, and irregular forms of WordNet; "
        "default: %(default)s",
    )
    rouge.add_argument(
        "--wordnet", type=path, metavar="DIR", help="for --stem rouge, folder of WordNet; default: /usr/share/wordnet"
    )
    rouge.add_argument("--no-stop-words", action="store_true", help="leave function words out first")


def _parse_orders(text: str) -> tuple[int, ...]:
    orders = tuple(dict.fromkeys(positive(part) for part in text.split(",")))
    if max(orders) > _MOST_ORDERS:
        raise argparse.ArgumentTypeError(f"give numbers up to {_MOST_ORDERS}")
    return orders


def _rouge(options: argparse.Namespace) -> None:
    from harness.summaries.rouge import name_metric, score_rouge
    from harness.summaries.stemming import choose_division

    refuse_overwriting(options.output, options.peers, options.references)
    division = choose_division(options.stem, stop_words=not options.no_stop_words, wordnet=options.wordnet)
    comparisons = read_comparisons(options)
    scores = list(score_rouge(comparisons, options.n, division.divide, jackknife=options.jackknife))
    signature = f"rouge|{division.signature}|jackknife:{'yes' if options.jackknife else 'no'}"
    _finish(scores, [name_metric(order) for order in options.n], options.output, signature)


def _finish(scores: Sequence[SummaryScore], metrics: Sequence[str], output: Path | None, signature: str) -> None:
    """Write scores, and show the means of systems, the best by the last metric first."""
    from harness.files import write_file
    from harness.summaries.rendering import render_means
    from harness.summaries.score_files import average_by_system, render_scores
    from pyramid_paraphrase import __version__

    if output:
        write_file(output, render_scores(scores, metrics).encode())
    say(f"{render_means(average_by_system(scores, metrics[-1]))}\n\n{signature}|version:{__version__}")
