"""Run the notebooks of the documentation in a folder. As a program, store their outputs in the notebooks.

PYTHONPATH=tests python -m helpers.notebooks
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from helpers.checkout import ROOT
from helpers.commands import make_environment

TUTORIALS = ("compare_models", "find_errors", "keep_leaderboard", "score_summaries")
"""Notebooks that need no optional package, and whose outputs are stored in them for the site."""

_PROGRESS = re.compile(r"[^\n]*\r|[^\n]*\d+%\|[^\n]*\n?")

_TIME = re.compile(r".+: [\d.]+ s")
"""The line that a cell keeps of a model that took longer than a second."""


def find_notebook(name: str) -> Path:
    """Return the path of a notebook."""
    return ROOT / "docs" / f"{name}.ipynb"


def _import_untyped(name: str) -> Any:  # noqa: ANN401
    """Import an optional package, whose functions have no types."""
    return importlib.import_module(name)


@contextmanager
def run_kernel(folder: Path, environment: Mapping[str, str]) -> Iterator[Any]:
    """Run a kernel in a folder, and yield a client of it. `nbclient` has no types."""
    nbformat, nbclient = (_import_untyped(name) for name in ("nbformat", "nbclient"))
    programs = f"{Path(sys.executable).parent}:{environment['PATH']}"
    client = nbclient.NotebookClient(nbformat.v4.new_notebook(), resources={"metadata": {"path": str(folder)}})
    with client.setup_kernel(env={**environment, "PATH": programs}):
        yield client


def execute_notebook(client: Any, path: Path, folder: Path) -> Any:  # noqa: ANN401
    """Run a notebook in a folder. A failing cell raises an exception.

    The kernel may have run other notebooks. Their names are removed, and their imports save time.

    Returns:
        The notebook with outputs. `nbformat` has no types.
    """
    nbformat = _import_untyped("nbformat")
    notebook = nbformat.read(path, 4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(f"%reset -f\n%cd -q {folder}"))
    client.nb = notebook
    client.execute(cleanup_kc=False)
    del notebook.cells[0]
    return notebook


def list_outputs(notebook: Any, folder: Path) -> list[list[dict[str, Any]]]:  # noqa: ANN401
    """List the outputs of each code cell as a user sees them at the end, without the path of the folder."""
    return [_list_outputs_of_cell(cell, folder) for cell in notebook.cells if cell.cell_type == "code"]


def _list_outputs_of_cell(cell: Any, folder: Path) -> list[dict[str, Any]]:  # noqa: ANN401
    """List warnings, the printed text, then the values. Texts come in pieces that depend on time.

    A bar of a command replaces itself, and is gone at the end. The bar of a model is replaced by the time that it took,
    which is left out, because it differs from machine to machine.
    """
    outputs: list[dict[str, Any]] = []
    for stream in ("stderr", "stdout"):
        printed = "".join(output.text for output in cell.outputs if output.get("name") == stream)
        printed = _PROGRESS.sub("", printed.replace("\r\n", "\n")).replace(f"{folder}/", "")
        if printed:
            outputs.append({"output_type": "stream", "name": stream, "text": printed})
    for output in cell.outputs:
        if "data" in output and not _TIME.fullmatch(output.data.get("text/plain", "")):
            values = {
                "output_type": "execute_result",
                "data": dict(output.data),
                "metadata": {},
                "execution_count": None,
            }
            outputs.append(values)
    return outputs


def list_numbers(outputs: object) -> list[str]:
    """List the numbers with three decimals or more in outputs."""
    return re.findall(r"\d\.\d{3,}", json.dumps(outputs, sort_keys=True))


def store_outputs(name: str) -> None:
    """Run a notebook in an empty folder, and store its outputs in it."""
    nbformat = _import_untyped("nbformat")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        (folder / "work").mkdir()
        with run_kernel(folder, make_environment(folder)) as client:
            executed = execute_notebook(client, find_notebook(name), folder / "work")
        outputs = list_outputs(executed, folder / "work")
    notebook = nbformat.read(find_notebook(name), 4)
    for cell, cell_outputs in zip((cell for cell in notebook.cells if cell.cell_type == "code"), outputs, strict=True):
        cell.outputs = [nbformat.from_dict(output) for output in cell_outputs]
    nbformat.write(notebook, find_notebook(name))


if __name__ == "__main__":
    for tutorial in sys.argv[1:] or TUTORIALS:
        store_outputs(tutorial)
