"""The notebook in docs, run from its first cell to its last."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from helpers.checkout import ROOT
from helpers.commands import Room
from helpers.hub_cache import put_on_the_hub

NOTEBOOK = ROOT / "docs" / "fine_tuning.ipynb"
MOST_CELLS = 10


@pytest.mark.needs("nbclient", "ipykernel", "sentence_transformers", "accelerate", "matplotlib")
def test_a_model_is_trained_and_compared_in_a_notebook(room: Room, tiny_model: Path) -> None:
    """A tiny model stands in for the one from the Hub, so that training takes a second. A cell that fails raises."""
    import nbformat
    from nbclient import NotebookClient

    put_on_the_hub(
        tiny_model, "models--sentence-transformers--all-MiniLM-L6-v2", Path(room.environment["HF_HOME"], "hub")
    )
    programs = f"{Path(sys.executable).parent}:{room.environment['PATH']}"
    notebook = nbformat.read(NOTEBOOK, 4)
    client = NotebookClient(notebook, resources={"metadata": {"path": str(room.folder)}})
    client.execute(env=room.environment | {"PATH": programs})

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
