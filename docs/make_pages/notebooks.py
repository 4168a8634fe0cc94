"""Pages made from notebooks: their text, their code, and the outputs that are stored in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def render_page(path: Path, name: str) -> str:
    """Render a notebook as Markdown.

    Args:
        path: The notebook, in format 4 of Jupyter.
        name: Its address on the site, for a link to download it.
    """
    cells = json.loads(path.read_text("utf-8"))["cells"]
    parts = [part for cell in cells for part in _render_cell(cell)]
    link = f'\n<a href="../{Path(name).name}" download>Download this page as a notebook</a> and run it with Jupyter.\n'
    return "\n".join([parts[0], link, *parts[1:]]) + "\n"


def _render_cell(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield f"{source}\n"
        return
    if source.startswith("!"):
        commands = re.sub("^!", "", source, flags=re.MULTILINE)
        yield f"```bash\n{commands}\n```\n"
    else:
        yield f"```python\n{source}\n```\n"
    for output in cell["outputs"]:
        yield _render_output(output)


def _render_output(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        html = re.sub(r"\n\s*\n", "\n", "".join(data["text/html"]))
        return f'<div class="output">\n{html}\n</div>\n'
    text = "".join(output.get("text", data.get("text/plain", "")))
    text = _TERMINAL_CODES.sub("", text).rstrip()
    return f'<div class="output" markdown>\n\n```text\n{text}\n```\n\n</div>\n'
