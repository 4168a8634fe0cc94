"""The English in the code: every text that users read, for the catalogue in `tests/data/messages.txt`.

`PYTHONPATH=tests python -m helpers.wording` writes the catalogue.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from helpers.checkout import ROOT, list_sources

CATALOGUE = ROOT / "tests" / "data" / "messages.txt"

_ENGLISH = re.compile(r"[a-z]{2,}[.,:;?)]* \S|\S [a-z]{2,}")
"""A word beside another word or a placeholder. Names and keys are single words."""
_PATTERN = re.compile(r"\\[bdsw.]|\(\?")
"""Escape sequences and groups of regular expressions."""


def make_template(node: ast.AST) -> str | None:
    """Return a string of the source in one line, with `{}` for each inserted value, or None for other nodes."""
    if isinstance(node, ast.JoinedStr):
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
    else:
        return None
    return " ".join(text.split())


def find_templates(node: ast.AST) -> Iterator[str]:
    """Yield the strings in a node, also those within placeholders of other strings, without docstrings."""
    template = make_template(node)
    if template is not None:
        yield template
    for child in ast.iter_child_nodes(node):
        is_piece = isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)
        is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if not (is_piece or is_docstring):
            yield from find_templates(child)


def list_texts(source: str) -> list[str]:
    """List the texts in the source of a module that contain English, each once, in alphabetical order."""
    templates = set(find_templates(ast.parse(source)))
    return sorted(text for text in templates if _ENGLISH.search(text) and not _PATTERN.search(text))


def render_catalogue() -> str:
    """Return the catalogue: the path of each module, and its texts below it."""
    lines = []
    for path in list_sources():
        texts = list_texts(path.read_text("utf-8"))
        if texts:
            lines += [path.relative_to(ROOT).as_posix(), *(f"    {text}" for text in texts), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    CATALOGUE.write_text(render_catalogue(), "utf-8")
