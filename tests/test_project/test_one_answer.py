"""Which model is best, and is it more than a shortcut: all outputs answer it in the same words."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.commands import Capture, run
from helpers.results import edit_result
from helpers.submissions import FLAGS
from lxml import html

import harness

MODELS = ["one-hot", "tf-idf", "random"]
TESTS = ["binary_matched", "ranking_matched", "binary"]
PERSON = "second reader"

ANSWER = [
    (
        "Best on ranking_matched by success rate: tf-idf 0.637. It is 0.043 [0.016, 0.068] above the best shortcut "
        "(overlap 0.594) and 0.020 [-0.020, 0.051] above people (second reader 0.617), which is not significant."
    ),
    (
        "Best on binary_matched by F: tf-idf 0.735. It is 0.066 [0.012, 0.117] above the best shortcut (overlap 0.669) "
        "and 0.042 [0.014, 0.074] above people (second reader 0.693). one-hot 0.704 cannot be told apart from tf-idf, "
        "but does not beat the shortcut."
    ),
    (
        "No model beats the best shortcut on binary by F: length 0.731, against one-hot 0.663, 0.067 [0.014, 0.110] "
        "below it."
    ),
]
"""The values are in the tables of these results, and differ by 0.043, 0.020, 0.066, 0.042 and 0.067. All intervals are
from 1,000 resamples, whatever the results have."""


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results on the sample, and a leaderboard to which all but the shortcuts are submitted.

    The person has the scores of `char-ngrams`. Leaderboards evaluate the shortcuts themselves.
    """
    folder = tmp_path_factory.mktemp("answers")
    harness.evaluate(MODELS, "sample", TESTS, resamples=20, cache=False, output=folder / "results")
    scores = harness.evaluate("char-ngrams", "sample", TESTS, resamples=20, cache=False)
    signature = scores.signature.replace("model:char-ngrams", "model:annotator")
    person = edit_result(
        scores,
        lambda record: (record["model"].update(name=PERSON, kind="annotator"), record.update(signature=signature)),
    )
    person.write(folder / "results")
    assert run("leaderboard", "init", folder / "board", "--data", "sample", "--task", ",".join(TESTS)) == 0
    paths = [path for name in (*MODELS, "second-reader") for path in (folder / "results" / name).glob("*.json")]
    assert len(paths) == 4
    for path in paths:
        assert run("submit", path, "--to", folder / "board", *FLAGS, "--saw-test-data", "no") == 0
    return folder


def show_command(command: str, *arguments: str) -> Callable[[Path, Capture], str]:
    def show(room: Path, capsys: Capture) -> str:
        assert run(command, room / "results", *arguments) == 0
        return capsys.readouterr().out

    return show


def show_notebook(room: Path, capsys: Capture) -> str:
    del capsys
    return harness.read_results(room / "results")._repr_html_()


def show_board(room: Path, capsys: Capture) -> str:
    assert run("leaderboard", "render", room / "board", "--output", room / "site") == 0
    capsys.readouterr()
    return (room / "site" / "index.html").read_text("utf-8")


OUTPUTS: dict[str, Callable[[Path, Capture], str]] = {
    "terminal": show_command("report"),
    "compare": show_command("compare"),
    "errors": show_command("errors", "--data", "sample"),
    "card": show_command("card", "--model", "tf-idf", "--print"),
    "page": show_command("report", "--format", "html"),
    "notebook": show_notebook,
    "board": show_board,
}


def read_paragraphs(output: str) -> list[str]:
    """Read the text of each paragraph of an output: elements of a page, otherwise parts between empty lines."""
    if output.lstrip().startswith("<"):
        parts = [element.text_content() for element in html.fromstring(output).iter("p")]
    else:
        parts = output.replace("\\", "").split("\n\n")  # Markdown escapes some characters
    return [" ".join(part.split()) for part in parts]


@pytest.mark.parametrize("name", OUTPUTS)
def test_all_outputs_give_the_same_answer(room: Path, capsys: Capture, name: str) -> None:
    paragraphs = read_paragraphs(OUTPUTS[name](room, capsys))
    starts = re.compile(r"(Best|Highest|No model beats|None|The only model|A shortcut can score high) ")
    assert [paragraph for paragraph in paragraphs if starts.match(paragraph)] == ANSWER


def test_the_answer_comes_before_all_tables(room: Path, capsys: Capture) -> None:
    tables = {
        "terminal": "\nmodels\n",
        "compare": "\nmodels\n",
        "errors": "\nranking_matched, error rate",
        "card": "| test |",
    }
    tables |= dict.fromkeys(["notebook", "board"], "<table")
    for name, table in tables.items():
        output = OUTPUTS[name](room, capsys)
        assert 0 < output.index("beat the shortcut.") < output.index(table), name
