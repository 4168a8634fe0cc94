"""The page of modules is current, and documents for developers name files and objects that exist."""

from __future__ import annotations

import importlib
import re

import pytest
from helpers.checkout import PACKAGES, ROOT, list_sources
from helpers.commands import Run

PAGE = "docs/modules.md"
DOCUMENTS = (("CONTRIBUTING.md", 60), ("docs/architecture.md", 40), ("docs/extending.md", 10))
"""Documents, and the least numbers of names in them."""

SHORT = re.compile(r"`((\w+)(?:\.\w+)+)`")
"""A dotted name in code, and its first part."""


def find(name: str) -> bool:
    """Return whether a dotted name is that of a module, or of an object in a module."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            found = getattr(found, part, None)
        return found is not None
    return False


def test_the_page_is_current(run_python: Run) -> None:
    """Each module is a line, and each package is a heading. The script writes the page again."""
    page = (ROOT / PAGE).read_text("utf-8")
    code = "import modules; print(modules.render_modules(), end='')"
    rendered = run_python(code, PYTHONPATH=str(ROOT / "docs" / "make_pages")).stdout
    assert rendered == page, "run: python docs/make_pages/modules.py"
    files = list_sources()
    packages = [path for path in files if path.name == "__init__.py"]
    assert len(packages) > 45
    assert len(re.findall("^##+ `", page, re.MULTILINE)) == len(packages)
    assert len(re.findall(r"^- `\w+`: \S", page, re.MULTILINE)) == len(files) - len(packages)


@pytest.mark.parametrize(("document", "least"), DOCUMENTS)
def test_names_of_files_and_objects_exist(document: str, least: int) -> None:
    """A name that begins with a module of the packages is complete, so that it is found after a move, too."""
    text = (ROOT / document).read_text("utf-8")
    paths = re.findall(r"`((?:pyramid_paraphrase|harness|tests|benchmarks|docs)/[\w/.]*)`", text)
    names = re.findall(r"`((?:pyramid_paraphrase|harness)(?:\.\w+)+)`", text)
    assert len(paths) + len(names) >= least
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [name for name in names if not find(name)] == []
    modules = {name for path in list_sources() for name in (path.stem, path.parent.name)} - set(PACKAGES)
    short = {match[1] for match in SHORT.finditer(text) if match[2] in modules}
    assert {name for name in short if not (ROOT / name).exists()} == set()
