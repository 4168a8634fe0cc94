"""The notebooks in docs, run from their first cells to their last."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.commands import Room
from helpers.hub_cache import put_on_the_hub
from helpers.notebooks import TUTORIALS, execute_notebook, find_notebook, list_numbers, list_outputs

pytestmark = pytest.mark.full

MOST_CELLS = 10


@pytest.mark.needs("nbclient", "ipykernel", "sentence_transformers", "accelerate", "matplotlib")
def test_a_model_is_trained_and_compared_in_a_notebook(room: Room, tiny_model: Path) -> None:
    """A tiny model stands in for the one from the Hub, so that training takes a second. A cell that fails raises."""
    put_on_the_hub(
        tiny_model, "models--sentence-transformers--all-MiniLM-L6-v2", Path(room.environment["HF_HOME"], "hub")
    )
    notebook = execute_notebook(find_notebook("fine_tuning"), room.folder, room.environment)

    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(cells) <= MOST_CELLS
    _, baseline, _, evaluation, comparison, errors, *_ = (cell.outputs for cell in cells)
    assert (room.folder / "by-topic" / "manifest.json").is_file()
    assert "encoding:   0%" in "".join(output.get("text", "") for output in baseline if output.get("name") == "stderr")
    assert "<td" in evaluation[-1].data["text/html"]
    assert "minus base" in comparison[-1].data["text/html"]
    assert "Wrong: tuned." in errors[-1].data["text/html"]
    assert (room.folder / "report.html").is_file()
    assert "model-index:" in (room.folder / "tuned" / "README.md").read_text()


@pytest.mark.needs("nbclient", "ipykernel")
@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_gives_the_numbers_that_are_stored_in_it(room: Room, name: str) -> None:
    """The site shows the stored outputs. `python -m helpers.notebooks` stores them anew."""
    path = find_notebook(name)
    stored = [cell["outputs"] for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    outputs = list_outputs(execute_notebook(path, room.folder, room.environment), room.folder)
    assert 2 < len(outputs) <= MOST_CELLS
    assert all(outputs)
    assert [list_numbers(cell) for cell in outputs] == [list_numbers(cell) for cell in stored]
