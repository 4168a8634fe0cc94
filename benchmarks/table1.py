"""Table 1 of the paper on your own data, if you have the eight word vectors.

usage: table1.py --vectors DIR [--data SOURCE] [--tokenizer own|spacy]

If a file is missing, the script prints its source and the expected name.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

from harness.cli.options import SOURCE_HELP
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.models.loading import load_model
from harness.rendering.tables import render_table
from harness.reports.model_tables import TABLE1
from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.rules.options import PAPER_TESTS

_COMPRESSIONS = ("", ".gz", ".bz2", ".zip")


class Row(NamedTuple):
    """A row of the table.

    Attributes:
        name: Name of the row in the paper's table.
        files: Accepted names of the file, plain or compressed. Empty for a baseline.
        case: Letter case for looking up words in the file.
        origin: Source of the file.
    """

    name: str
    files: tuple[str, ...] = ()
    case: str = "fallback"
    origin: str = ""


_LEVY = "Levy and Goldberg (2014), https://levyomer.wordpress.com/2014/04/25/dependency-based-word-embeddings/"

ROWS = (
    Row("random"),
    Row("one-hot"),
    Row(
        "word2vec, Google News",
        ("GoogleNews-vectors-negative300.bin",),
        origin="Mikolov et al. (2013), https://code.google.com/archive/p/word2vec/",
    ),
    Row("word2vec, BOW2", ("bow2.words",), "lower", _LEVY),
    Row("word2vec, BOW5", ("bow5.words",), "lower", _LEVY),
    Row("word2vec, dependencies", ("deps.words",), "lower", _LEVY),
    Row(
        "GloVe",
        ("glove.840B.300d.txt", "glove.42B.300d.txt", "glove.6B.300d.txt"),
        origin="Pennington et al. (2014), https://nlp.stanford.edu/projects/glove/",
    ),
    Row("Open IE", ("openie.txt", "openie.bin"), origin="Stanovsky et al. (2015), from the authors"),
)


def find_file(row: Row, folder: Path) -> Path | None:
    """Find the file of a row, plain or compressed."""
    names = [file + ending for file in row.files for ending in _COMPRESSIONS]
    names += [Path(file).with_suffix(".zip").name for file in row.files]
    return next((folder / name for name in names if (folder / name).is_file()), None)


def make_spec(row: Row, path: Path | None, tokenizer: str) -> str:
    """Return the spec of the model of a row."""
    if path is None:
        return row.name + (f",tokenizer={tokenizer}" if row.name == "one-hot" else "")
    return f"vectors:{path},case={row.case},tokenizer={tokenizer}"


def main(arguments: list[str] | None = None) -> int:
    """Evaluate the rows whose files exist, and print the sources of the missing files."""
    parser = argparse.ArgumentParser(description="Compute table 1 of the paper on your own data.")
    parser.add_argument("--vectors", type=Path, required=True, metavar="DIR", help="folder with the word vectors")
    parser.add_argument("--data", action="append", metavar="SOURCE", help=f"{SOURCE_HELP} (default: the last build)")
    parser.add_argument("--tokenizer", choices=("own", "spacy"), default="spacy", help="default: the paper's, spacy")
    options = parser.parse_args(arguments)
    files = {row.name: find_file(row, options.vectors) for row in ROWS}
    try:
        print(render(options.data, files, options.tokenizer))
    except PyramidParaphraseError as error:
        print(f"table1: {error}", file=sys.stderr)
        return 2
    for row in ROWS:
        if row.files and not files[row.name]:
            print(f"{row.name}: put {' or '.join(row.files)} into {options.vectors}. Source: {row.origin}")
    return 0


def render(data: list[str] | None, files: dict[str, Path | None], tokenizer: str) -> str:
    """Evaluate and render a table that compares our values with the paper's values."""
    suite = load_suite(data, PAPER_TESTS)
    lines: list[list[str]] = []
    for row in ROWS:
        ours = ["-"] * 4
        if files[row.name] or not row.files:
            result = evaluate_model(load_model(make_spec(row, files[row.name], tokenizer)), suite, Settings())
            unknown = result.record.model.out_of_vocabulary
            binary, ranking = (result.tests[test_name].metrics for test_name in PAPER_TESTS)
            ours = [f"{value:.3f}" for value in (binary["f1"], ranking["success_rate"], ranking["mrr"])]
            ours.append(f"{unknown.tokens:.1%}" if unknown else "-")
        paper = [f"{value:.3f}" for value in TABLE1[row.name]]
        lines.append([row.name, *(cell for cells in zip(ours, paper, strict=False) for cell in cells), ours[3]])
    titles = [f"{metric} {whose}" for metric in ("F", "success", "MRR") for whose in ("ours", "paper")]
    return render_table(("model", *titles, "unknown words"), lines)


if __name__ == "__main__":
    sys.exit(main())
