"""Write the results of a model into its card on the Hub, or print them as metadata."""

from __future__ import annotations

import argparse

from harness.cards.numbers import choose_model
from harness.cards.snippet import render_snippet
from harness.cards.writing import ENTRIES_NAME, render_metadata, warn_if_sample, write_card
from harness.cli.arguments import path, say, set_run, show
from harness.cli.shared_options import RESULT_HELP
from harness.evaluation.results import read_results


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add results, the model among them, and the target."""
    set_run(parser, _write_card)
    parser.add_argument("results", nargs="+", metavar="RESULT", help=RESULT_HELP)
    parser.add_argument(
        "--model",
        metavar="NAME",
        help="name of the model in its results. The card compares it with all other results (default: the only model "
        "besides shortcuts, people and chance)",
    )
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--model-dir", type=path, metavar="DIR", help="model folder in which README.md is updated")
    target.add_argument("--print", action="store_true", help="print the metadata instead of writing files")
    parser.add_argument(
        "--dataset-repo",
        type=_repository,
        metavar="ORG/NAME",
        help="also write the results as entries for this benchmark dataset on the Hub",
    )


def _repository(text: str) -> str:
    """Parse the id of a dataset on the Hub, for `argparse`."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]  # lazily exported

    try:
        validate_repo_id(text)
    except HFValidationError:
        pass
    else:
        if text.count("/") == 1:
            return text
    raise argparse.ArgumentTypeError("use the id of a dataset on the Hub, such as ORG/NAME")


def _write_card(options: argparse.Namespace) -> None:
    results, others = choose_model(read_results(options.results), options.model)
    snippet = render_snippet(results, others)
    warn_if_sample(results)
    if options.print:
        say(render_metadata(results, options.dataset_repo))
    else:
        for written in write_card(results, options.model_dir, options.dataset_repo):
            say(f"Written: {show(written)}")
    if not options.dataset_repo:
        say(f"Not written: {ENTRIES_NAME}. To add entries for a benchmark dataset, add --dataset-repo ORG/NAME.")
    say("\nSnippet for the model card:\n\n" + snippet)
