"""The notebooks in docs, run from their first cells to their last."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from helpers.commands import make_environment
from helpers.hub_cache import put_on_the_hub
from helpers.notebooks import TUTORIALS, execute_notebook, find_notebook, list_numbers, list_outputs, run_kernel

pytestmark = pytest.mark.full

MOST_CELLS = 10


class Kernel(NamedTuple):
    """A client of a kernel, and the folder of models from the Hub in its environment."""

    client: Any
    hub: Path


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel for all notebooks, because its imports take seconds."""
    folder = tmp_path_factory.mktemp("kernel")
    environment = make_environment(folder)
    with run_kernel(folder, environment) as client:
        yield Kernel(client, Path(environment["HF_HOME"], "hub"))


@pytest.mark.needs("nbclient", "ipykernel", "sentence_transformers", "accelerate", "matplotlib")
def test_a_model_is_trained_and_compared_in_a_notebook(kernel: Kernel, tmp_path: Path, tiny_model: Path) -> None:
    """A tiny model stands in for the one from the Hub, so that training takes a second. A cell that fails raises."""
    put_on_the_hub(tiny_model, "models--sentence-transformers--all-MiniLM-L6-v2", kernel.hub)
    notebook = execute_notebook(kernel.client, find_notebook("fine_tuning"), tmp_path)

    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(cells) <= MOST_CELLS
    _, baseline, _, evaluation, comparison, errors, *_ = (cell.outputs for cell in cells)
    assert (tmp_path / "by-topic" / "manifest.json").is_file()
    assert "<td" in baseline[-1].data["text/html"]
    assert "<td" in evaluation[-1].data["text/html"]
    assert "minus base" in comparison[-1].data["text/html"]
    assert "Wrong: tuned." in errors[-1].data["text/html"]
    outputs = [output for cell in cells for output in cell.outputs if "data" in output]
    assert sum("image/png" in output.data for output in outputs) == 1  # of `plot`
    assert (tmp_path / "report.html").is_file()
    assert "model-index:" in (tmp_path / "tuned" / "README.md").read_text()


@pytest.mark.needs("nbclient", "ipykernel")
@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_gives_the_numbers_that_are_stored_in_it(kernel: Kernel, tmp_path: Path, name: str) -> None:
    """The site shows the stored outputs. `python -m helpers.notebooks` stores them anew."""
    path = find_notebook(name)
    stored = [cell["outputs"] for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    outputs = list_outputs(execute_notebook(kernel.client, path, tmp_path), tmp_path)
    assert 2 < len(outputs) <= MOST_CELLS
    assert all(outputs)
    assert [list_numbers(cell) for cell in outputs] == [list_numbers(cell) for cell in stored]
