"""Accessibility checks of pages in a browser, by axe-core."""

from __future__ import annotations

from typing import Any


def find_violations(page: Any) -> list[str]:  # noqa: ANN401
    """List the violations that axe-core finds on a page, by all rules including best practices."""
    from axe_playwright_python.sync_playwright import Axe

    violations = Axe().run(page).response["violations"]
    return [f"{violation['id']}: {node['html'][:200]}" for violation in violations for node in violation["nodes"]]
