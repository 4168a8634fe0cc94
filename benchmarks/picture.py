"""Take the pictures of a report that the README and the start page show, light and dark.

usage: picture.py SOURCE MODEL      (MODEL: folder of a sentence-transformers model; needs chromium)
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.models.loading import load_model
from harness.models.registry import list_shortcuts
from harness.reports.html_reports import render_html
from harness.reports.model_tables import make_tables
from pyramid_paraphrase.rules.options import PYRAMID_TESTS

DOCS = Path(__file__).parent.parent / "docs"
BASELINES = ("one-hot", "tf-idf", "char-ngrams")
WIDTH = 760
"""Width of the page in CSS pixels. The README and the start page show pictures with about this width."""


def take_pictures(source: str, model: str) -> None:
    """Render the report of some baselines and a model, and take a picture of it up to its first table."""
    suite = load_suite(source, PYRAMID_TESTS)
    specs = (*BASELINES, f"{model},name=all-MiniLM-L6-v2", *list_shortcuts(PYRAMID_TESTS))
    html = render_html(make_tables([evaluate_model(load_model(spec), suite, Settings()) for spec in specs]))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "report.html"
        page_file.write_text(html, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            # Two pixels of the picture for each CSS pixel, for sharp text on all screens.
            page = browser.new_page(
                viewport={"width": WIDTH, "height": WIDTH}, color_scheme=scheme, device_scale_factor=2
            )
            page.goto(page_file.as_uri())
            height = page.locator(".scroll").first.evaluate("table => table.getBoundingClientRect().bottom + 16")
            page.screenshot(
                path=DOCS / f"report-{scheme}.png",
                clip={"x": 0, "y": 0, "width": WIDTH, "height": height},
                full_page=True,
            )
        browser.close()


if __name__ == "__main__":
    take_pictures(*sys.argv[1:3])
