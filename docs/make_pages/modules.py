"""The page of all modules, made from the first lines of their docstrings.

`python docs/make_pages/modules.py` writes `docs/modules.md`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("pyramid_paraphrase", "harness")
PAGE = ROOT / "docs" / "modules.md"

_INTRODUCTION = """# Modules

[Back to the start page](index.md) · [Glossary](glossary.md) · [Architecture](architecture.md)

All packages and modules, by the first lines of their docstrings. `python docs/make_pages/modules.py` writes this page.
"""


def render_modules() -> str:
    """Render a section per package as Markdown, with a line per module."""
    return "\n".join([_INTRODUCTION, *(line for package in PACKAGES for line in _render_package(ROOT / package, 2))])


def _render_package(folder: Path, level: int) -> Iterator[str]:
    """Render a package, then the packages in it. Those of the second level and below have headings of one size."""
    yield f"{'#' * level} `{folder.relative_to(ROOT)}`\n\n{_describe(folder / '__init__.py')}\n"
    modules = [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
    if modules:
        yield "\n".join(f"- `{path.stem}`: {_describe(path)}" for path in modules) + "\n"
    for package in sorted(path.parent for path in folder.glob("*/__init__.py")):
        yield from _render_package(package, 3)


def _describe(path: Path) -> str:
    """Return the first line of a module's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]


if __name__ == "__main__":
    PAGE.write_text(render_modules(), encoding="utf-8")
