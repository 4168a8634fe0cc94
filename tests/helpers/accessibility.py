"""Checks of pages by axe-core, an engine that tests the accessibility of what a browser shows."""

from __future__ import annotations

from typing import Any


def find_violations(page: Any) -> list[str]:  # noqa: ANN401
    """List what axe-core finds on a page, by all of its rules, those of best practice included."""
    from axe_playwright_python.sync_playwright import Axe

    violations = Axe().run(page).response["violations"]
    return [f"{violation['id']}: {node['html'][:200]}" for violation in violations for node in violation["nodes"]]
