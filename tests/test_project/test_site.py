"""The documentation site: what it shows agrees with the program, and its search finds every command and metric."""

from __future__ import annotations

import argparse
import json
import logging
import re
import shlex
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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The site, built with warnings as errors."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    config = load_config(str(ROOT / "mkdocs.yml"), strict=True, site_dir=str(folder))
    build(config)
    yield folder
    logging.getLogger("mkdocs").handlers.clear()


@pytest.fixture
def titles(site: Path) -> set[tuple[str, str]]:
    """Page and title of each entry of the search."""
    entries = json.loads((site / "search" / "search_index.json").read_text("utf-8"))["docs"]
    return {(entry["location"].partition("#")[0], re.sub("<[^>]*>", "", entry["title"])) for entry in entries}


def list_commands(parser: argparse.ArgumentParser, prefix: str = "") -> Iterator[str]:
    """List the commands of a parser and their actions, such as `leaderboard check`."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                command.describe()
                yield prefix + name
                yield from list_commands(command, f"{prefix}{name} ")


@pytest.mark.needs("mkdocs", "material", "mkdocstrings")
def test_the_search_finds_every_command(titles: set[tuple[str, str]]) -> None:
    names = set(list_commands(make_parser()))
    assert {command.name for command in COMMANDS} | {"leaderboard reproduce", "paraphrases pivot"} <= names
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
    assert len(pages) > 25
    for page in pages:
        assert "flowchart" not in page.read_text("utf-8"), page


@pytest.mark.needs("mkdocs", "material", "mkdocstrings")
def test_a_command_is_described_as_help_describes_it(site: Path) -> None:
    page = (site / "commands" / "index.html").read_text("utf-8")
    assert "pyramid-paraphrase leaderboard check" in page
    assert "--changed-since" in page


@pytest.mark.needs("mkdocs", "material", "mkdocstrings", "axe_playwright_python")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(site: Path, browser: Any, scheme: str) -> None:  # noqa: ANN401
    context = browser.new_context(color_scheme=scheme)
    for name in ("get_started", "compare_models", "metrics"):
        page = context.new_page()
        page.goto((site / name / "index.html").as_uri())
        page.add_style_tag(content="*, ::before, ::after { transition: none !important; animation: none !important; }")
        page.locator("nav.md-code__nav[aria-label], .md-footer").last.wait_for()
        assert find_violations(page) == [], name
        page.close()
    context.close()


def test_get_started_shows_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    text = (ROOT / "docs" / "get_started.md").read_text("utf-8")
    (command,) = re.findall(r"^pyramid-paraphrase (evaluate .*)$", text, re.MULTILINE)
    (table,) = re.findall(r"^```text\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    assert run(*shlex.split(command)) == 0
    assert table in capsys.readouterr().out
