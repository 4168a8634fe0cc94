"""The documentation site: what it shows agrees with the program, and its search finds every command and metric."""

from __future__ import annotations

import argparse
import html
import json
import logging
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.accessibility import find_violations
from helpers.checkout import ROOT
from helpers.commands import Capture, run

from harness.cli import make_parser
from harness.cli.commands import COMMANDS
from harness.metrics.table import METRICS

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages that are written before a site is built."""
    return write_pages(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def site(pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The site, built with warnings as errors."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    config = load_config(str(ROOT / "mkdocs.yml"), strict=True, docs_dir=str(pages), site_dir=str(folder))
    build(config)
    yield folder
    logging.getLogger("mkdocs").handlers.clear()


@pytest.fixture
def titles(site: Path) -> set[tuple[str, str]]:
    """Page and title of each entry of the search."""
    entries = json.loads((site / "search" / "search_index.json").read_text("utf-8"))["docs"]
    return {(entry["location"].partition("#")[0], re.sub("<[^>]*>", "", entry["title"])) for entry in entries}


def write_pages(folder: Path) -> Path:
    """Write the pages into a folder, and return it."""
    subprocess.run([sys.executable, ROOT / "docs" / "make_pages", folder], check=True)
    return folder


def list_commands(parser: argparse.ArgumentParser, prefix: str = "") -> Iterator[str]:
    """List the commands of a parser and their actions, such as `leaderboard check`."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                command.describe()
                yield prefix + name
                yield from list_commands(command, f"{prefix}{name} ")


def test_pages_are_files_of_the_repository(pages: Path) -> None:
    """Every file of `docs` has its place, and four files outside of it; no generator needs a hook for them."""
    names = {path.name for path in pages.iterdir()}
    sources = {path.name for path in (ROOT / "docs").iterdir() if path.is_file()}
    notebooks = {name.replace(".ipynb", ".md") for name in sources if name.endswith(".ipynb")}
    assert names == sources - {"pypi.md"} | notebooks | {
        "dataset_card.md",
        "benchmarks",
        "contributing.md",
        "changelog.md",
        "schemas",
    }
    assert len(notebooks) >= 5
    assert len(names) >= 50
    assert "\nhooks:" not in (ROOT / "mkdocs.yml").read_text("utf-8")
    assert "[start page](index.md)" in (pages / "contributing.md").read_text("utf-8")  # docs/index.md in the repository


def test_unchanged_pages_are_not_written_again(tmp_path: Path) -> None:
    """`mkdocs serve` builds the site again whenever a file is written."""
    write_pages(tmp_path)
    times = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    (tmp_path / "page_of_yesterday.md").touch()
    (tmp_path / "index.md").write_text("edited")
    write_pages(tmp_path)
    changed = {path.name for path in tmp_path.iterdir() if path.stat().st_mtime_ns != times.pop(path.name)}
    assert changed == {"index.md"}
    assert times == {}


@pytest.mark.needs("mkdocs", "material", "mkdocstrings", "ruff")
def test_signatures_are_formatted(site: Path) -> None:
    """Without a formatter, each signature is one line that is cut at the edge of the page."""
    page = (site / "api" / "index.html").read_text("utf-8")
    signatures = re.findall(r'<div class="[^"]*doc-signature[^>]*>(.*?)</div>', page, re.DOTALL)
    lines = [html.unescape(line) for text in signatures for line in re.sub("<[^>]*>", "", text).splitlines()]
    assert len(signatures) >= 50
    assert "evaluate(" in lines
    assert [line for line in lines if len(line) > 100] == []


@pytest.mark.needs("mkdocs", "material", "mkdocstrings")
def test_the_search_finds_every_command(titles: set[tuple[str, str]]) -> None:
    names = set(list_commands(make_parser()))
    assert {"leaderboard reproduce", "paraphrases pivot"} <= {command.name for command in COMMANDS} <= names
    assert names - {title for page, title in titles if page == "commands/"} == set()


@pytest.mark.needs("mkdocs", "material", "mkdocstrings")
def test_the_search_finds_every_metric(titles: set[tuple[str, str]]) -> None:
    shown = {title for page, title in titles if page == "metrics/"}
    missing = [metric.name for metric in METRICS if not any(f"({metric.name})" in title for title in shown)]
    assert missing == ["max_f1_precision", "max_f1_recall"]  # with the metric `max_f1`


@pytest.mark.needs("mkdocs", "material", "mkdocstrings")
def test_pages_load_nothing_from_other_servers(site: Path) -> None:
    loaded = {}
    for page in site.rglob("*.html"):
        found = re.findall(r"<(?:script|img|iframe)[^>]*\ssrc=\"([^\"]*)|<link([^>]*stylesheet[^>]*)", page.read_text())
        loaded[page] = [source or re.findall(r"href=\"([^\"]*)", link)[0] for source, link in found]
    assert len(loaded) > 25
    assert min(map(len, loaded.values())) > 1  # the theme's own
    foreign = ("http:", "https:", "//")
    assert {page: names for page, names in loaded.items() if any(name.startswith(foreign) for name in names)} == {}


@pytest.mark.needs("mkdocs", "material", "mkdocstrings")
def test_diagrams_are_pictures(site: Path) -> None:
    """Mermaid shows as code on the site, unless a script is loaded from another server."""
    pages = list(site.rglob("*.html"))
    assert len(pages) >= 40
    for page in pages:
        assert "flowchart" not in page.read_text("utf-8"), page


@pytest.mark.needs("mkdocs", "material", "mkdocstrings")
def test_a_command_is_described_as_help_describes_it(site: Path) -> None:
    page = (site / "commands" / "index.html").read_text("utf-8")
    assert "pyramid-paraphrase leaderboard check" in page
    assert "--changed-since" in page


@pytest.mark.needs("mkdocs", "material", "mkdocstrings", "axe_playwright_python")
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390)])
def test_axe_finds_nothing(site: Path, browser: Any, scheme: str, width: int) -> None:  # noqa: ANN401
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 844})
    for name in (".", "get_started", "from_a_table", "compare_models", "metrics"):
        page = context.new_page()
        page.goto((site / name / "index.html").as_uri())
        page.add_style_tag(content="*, ::before, ::after { transition: none !important; animation: none !important; }")
        page.locator("nav.md-code__nav[aria-label], .md-footer").last.wait_for()
        assert find_violations(page) == [], name
        page.close()
    context.close()


OVERFLOWING = """() => {
    const scrolls = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
    const isInBox = (element) => element !== null && (scrolls(element) || isInBox(element.parentElement));
    const wide = [...document.querySelectorAll(".md-content *")].filter((element) => {
        const box = element.getBoundingClientRect();
        return box.width > 0 && box.right > innerWidth + 1 && !isInBox(element.parentElement);
    });
    const names = wide.map((element) => element.outerHTML.slice(0, 100));
    return document.documentElement.scrollWidth > innerWidth ? ["the page", ...names] : names;
}"""
"""List the elements that are wider than the window and not in a box that scrolls."""


@pytest.mark.needs("mkdocs", "material", "mkdocstrings", "playwright")
def test_pages_fit_a_phone_in_both_palettes(site: Path, browser: Any) -> None:  # noqa: ANN401
    """Code and tables wrap, or scroll in boxes of their own. Each palette shows its own pictures."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    folders, pictures = sorted(path.parent for path in site.rglob("index.html")), []
    for folder in folders:
        page.goto((folder / "index.html").as_uri())
        for scheme, other in (("default", "dark"), ("slate", "light")):
            page.evaluate("scheme => document.body.setAttribute('data-md-color-scheme', scheme)", scheme)
            assert page.evaluate(OVERFLOWING) == [], (folder.name, scheme)
            visible = page.locator(".md-content img:visible").evaluate_all("all => all.map((image) => image.src)")
            assert [picture for picture in visible if f"-{other}." in picture] == [], (folder.name, scheme)
            pictures += visible
    page.close()
    assert len(folders) > 50
    assert len(pictures) > 10


@pytest.mark.needs("mkdocs", "material", "mkdocstrings", "axe_playwright_python")
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_start_page_begins_with_commands_and_doors(
    site: Path,
    browser: Any,  # noqa: ANN401
    width: int,
    height: int,
) -> None:
    """The first command was below two pictures, so that a reader of the first screen could not try anything."""
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    blocks, doors = page.locator(".md-content pre").all(), page.locator(".grid.cards > ul > li").all()
    assert [len(blocks), len(doors)] == [2, 3]
    for element in [*blocks, doors[0]]:
        box = element.bounding_box()
        assert box["y"] + box["height"] < height
    context.close()


def test_a_page_shows_what_the_command_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    text = (ROOT / "docs" / "get_started.md").read_text("utf-8")
    (command,) = re.findall(r"^pyramid-paraphrase (evaluate .* --data sample .*)$", text, re.MULTILINE)
    (shown,) = re.findall(r"^```text\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    assert run(*shlex.split(command)) == 0
    assert capsys.readouterr().out.startswith(shown)


def test_schemas_have_patterns_of_whole_texts_and_no_null_for_absent_fields(pages: Path) -> None:
    """Other programs search for a pattern anywhere in a text, and do not know the mark of its end in Python."""
    schemas = {path.stem: path.read_text() for path in (pages / "schemas").iterdir()}
    assert sorted(schemas) == ["accepted", "audit", "hashes", "leaderboard", "reproduction", "result", "submission"]
    for schema in schemas.values():
        patterns = re.findall(r'"pattern": "(.*)"', schema)
        assert patterns
        assert all(pattern.startswith("^") and pattern.endswith("$") for pattern in patterns)
    parts = json.loads(schemas["result"])["$defs"]
    assert parts["TestRecord"]["properties"]["threshold"] == {"type": "number"}
    assert "threshold" not in parts["TestRecord"]["required"]
    assert parts["ModelRecord"]["properties"]["parameters"] == {
        "anyOf": [{"type": "integer", "minimum": 0, "maximum": 1 << 53}, {"type": "null"}]
    }
    assert parts["Record"]["properties"]["schema_version"] == {"enum": [2]}
    assert parts["Record"]["additionalProperties"] is False
