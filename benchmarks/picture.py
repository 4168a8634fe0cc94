"""Take the pictures of a report that the README shows, light and dark.

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
from pyramid_paraphrase.options import PAPER_TESTS

DOCS = Path(__file__).parent.parent / "docs"
BASELINES = ("one-hot", "tf-idf", "char-ngrams")


def take_pictures(source: str, model: str) -> None:
    """Render the report of some baselines and a model, and write a picture of its beginning for each colour scheme."""
    suite = load_suite(source, PAPER_TESTS)
    specs = (*BASELINES, f"{model},name=all-MiniLM-L6-v2", *list_shortcuts(PAPER_TESTS))
    html = render_html(make_tables([evaluate_model(load_model(spec), suite, Settings()) for spec in specs]))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "report.html"
        page_file.write_text(html, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": 1440, "height": 1240}, color_scheme=scheme)
            page.goto(page_file.as_uri())
            page.add_style_tag(content="main { max-width: none !important; }")  # the whole width of the table
            page.screenshot(path=DOCS / f"report-{scheme}.png")
        browser.close()


if __name__ == "__main__":
    take_pictures(*sys.argv[1:3])
