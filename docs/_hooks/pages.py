"""Hook of MkDocs: pages that are not files in `docs`, and links that work on the site and in the repository."""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

import commands
import notebooks

ROOT = Path(__file__).resolve().parents[2]

COPIES = {
    "dataset_card.md": "dataset_card.md",
    "benchmarks/README.md": "benchmarks.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Files of the repository outside of `docs`, and the pages of the site that are copies of them."""

PLACES = {**COPIES, "README.md": "index.md"}
"""Pages of the site by the file of the repository that a link leads to; README is not a page itself."""

COMMANDS_PLACE = "<!-- The documentation site lists all commands here, from the parser of the command line. -->"

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
_EMPTY_HEADER = re.compile(r"<th((?: [^>]*)?)></th>")
_COMMANDS = re.compile(r'<div class="language-(?:bash|sh) .*?</div>', re.DOTALL)
_INLINE_CODE = re.compile(r"<code>[^<]*</code>")
_OPTION = re.compile(r"(?<![^\s>])(-[\w-]+)(?![^\s<])")
_WORD = r'<span class="word">\1</span>'
_HYPHENATED = re.compile(r"(?<=>)([\w-]*-[\w-]+)(?=<)")
_MARKER = re.compile(r"^(<!-- (?:begin|end): \w+ -->)$", re.MULTILINE)


def on_files(files: Files, config: Any) -> Files:  # noqa: ANN401
    """Add the pages that are made from other files, and replace notebooks by pages."""
    for source, page in COPIES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text("utf-8")))
    for file in list(files):
        if file.src_uri.endswith(".ipynb"):
            content = notebooks.render_page(Path(file.abs_src_path), file.src_uri)
            files.append(File.generated(config, file.src_uri.replace(".ipynb", ".md"), content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:  # noqa: ANN401
    """Insert the commands, turn links into links to pages of the site, and set off the markers of measured sections."""
    sources = {target: source for source, target in COPIES.items()}
    source = sources.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    if COMMANDS_PLACE in markdown:
        markdown = markdown.replace(COMMANDS_PLACE, commands.render_commands())
    markdown = _MARKER.sub(r"\n\1\n", markdown)
    return _LINK.sub(lambda match: _lead(match, source, page.file.src_uri), markdown)


def on_page_content(html: str, **_: object) -> str:
    """Turn empty headers of tables into plain cells for screen readers, and keep words of commands on one line."""
    html = _EMPTY_HEADER.sub(r"<td\1></td>", html)
    html = _COMMANDS.sub(lambda commands: _HYPHENATED.sub(_WORD, commands[0]), html)
    return _INLINE_CODE.sub(lambda code: _OPTION.sub(_WORD, code[0]), html)


def on_post_page(output: str, **_: object) -> str:
    """Name the dialog of the search, which the theme leaves without a name for screen readers."""
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )


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
