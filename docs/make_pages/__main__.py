"""Write the pages of the documentation site, which a generator of sites then builds: MkDocs, or Zensical.

`python docs/make_pages [FOLDER]` writes the folder that `mkdocs.yml` names. It contains the files of `docs`, copies of
files outside of `docs`, the notebooks as pages, the commands, and JSON schemas. Links work on the site and in the
repository.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import commands
import notebooks
import schemas

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = ROOT / "build" / "pages"
RESULTS = sorted((ROOT / "benchmarks" / "measurements").glob("*.md"))

COPIES = {
    "dataset_card.md": "dataset_card.md",
    "benchmarks/README.md": "benchmarks/index.md",
    **{f"benchmarks/measurements/{path.name}": f"benchmarks/{path.name}" for path in RESULTS},
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Files of the repository outside of `docs`, and the pages of the site that are copies of them."""

PLACES = {**COPIES, "README.md": "index.md"}
"""Pages of the site by the file of the repository that a link leads to; README is not a page itself."""

NO_PAGES = {"pypi.md"}
ALONE = {"dataset_card.md"}
"""Files that other places show alone, such as the Hub. They name pages. On the site, each name is a link."""
COMMANDS_PLACE = "<!-- The documentation site lists all commands here, from the parser of the command line. -->"

_NAME = re.compile(r"(?<!\[)`(docs/\w+\.md)`")

NOT_SEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"
"""Metadata of pages of measurements. Most names occur in their tables, which would hide the pages that explain them."""

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
_MARKER = re.compile(r"^(<!-- (?:begin|end): \w+ -->)$", re.MULTILINE)


def write_pages(folder: Path) -> None:
    """Write all files of the site into a folder. Remove files of earlier calls, and keep files that are the same.

    Args:
        folder: The folder, which contains nothing else.
    """
    contents = dict(list_files())
    for path in list(folder.rglob("*")):
        if path.is_file() and path.relative_to(folder).as_posix() not in contents:
            path.unlink()
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_bytes() != content:  # `mkdocs serve` builds again when a file is written
            path.write_bytes(content)


def list_files() -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of all files of the site."""
    for path in sorted(DOCS.iterdir()):
        if not path.is_file() or path.name in NO_PAGES:
            continue
        if path.suffix == ".md":
            yield path.name, render_page(path.read_text("utf-8"), f"docs/{path.name}", path.name)
            continue
        yield path.name, path.read_bytes()
        if path.suffix == ".ipynb":
            page = path.with_suffix(".md").name
            yield page, render_page(notebooks.render_page(path, path.name), f"docs/{path.name}", page)
    for name, record_type in schemas.RECORDS.items():
        yield f"schemas/{name}.json", schemas.render_schema(record_type)
    for source, page in COPIES.items():
        yield page, render_page((ROOT / source).read_text("utf-8"), source, page)


def render_page(markdown: str, source: str, page: str) -> bytes:
    """Insert the commands, turn links into links to pages of the site, and set off the markers of measured sections.

    Args:
        markdown: The text in the repository.
        source: Its path in the repository, which its links start from.
        page: Its path on the site.
    """
    if COMMANDS_PLACE in markdown:
        markdown = markdown.replace(COMMANDS_PLACE, commands.render_commands())
    markdown = _MARKER.sub(r"\n\1\n", markdown)
    if source in ALONE:
        markdown = _NAME.sub(r"[`\1`](\1)", markdown)
    return _LINK.sub(lambda match: _lead(match, source, page), markdown).encode()


def _lead(match: re.Match[str], source: str, page: str) -> str:
    """Return a link that works on the site, or the text of the link if its target is not on the site."""
    image, text, target = match.groups()
    if target.startswith(("#", "http:", "https:", "mailto:")):
        return match[0]
    path, _, anchor = target.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    site_path = PLACES.get(path, path.removeprefix("docs/") if path.startswith("docs/") else None)
    if site_path is None:
        return text
    site_path = re.sub(r"\.ipynb$", ".md", posixpath.relpath(site_path, posixpath.dirname(page) or "."))
    return f"{image}[{text}]({site_path}{'#' + anchor if anchor else ''})"


if __name__ == "__main__":
    write_pages(Path(*sys.argv[1:2]) if sys.argv[1:] else PAGES)
