"""Take the pictures that the README and the start page show, light and dark: of a report, and of a pyramid.

usage: picture.py SOURCE MODEL      (MODEL: folder of a sentence-transformers model; needs chromium)
       picture.py                   (only the pictures of the pyramid, which is the first one of the sample)
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.models.loading import load_model
from harness.models.registry import list_shortcuts
from harness.reports.html_reports import render_html
from harness.reports.model_tables import make_tables
from harness.reports.pyramids.site import render_site
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PYRAMID_TESTS

DOCS = Path(__file__).parent.parent / "docs"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
BASELINES = ("one-hot", "tf-idf", "char-ngrams")
WIDTH = 760
"""Width of the page in CSS pixels. The README and the start page show pictures with about this width."""


PHONE = 520
"""Width of the page of the pyramid, so that its text is still legible on a telephone."""

CUT = """() => {
  const drop = (selector, first) => {
    Array.from(document.querySelectorAll(selector)).slice(first).forEach((element) => element.remove());
  };
  drop("main > :not(.columns), h2, .scu[open] li:last-child, .texts > section ~ section", 0);
  for (const selector of [".scus h3", ".texts h3", ".text", ".scu"]) drop(selector, 1);
  Object.assign(document.querySelector(".scus").style, { padding: 0 });
  Object.assign(document.querySelector(".scus h3").style, { margin: 0 });
  Object.assign(document.querySelector(".text").style, { maxHeight: "14rem", overflow: "hidden" });
}"""
"""Leaves an SCU and the first seven lines of a summary."""


def take_report_pictures(source: str, model: str) -> None:
    """Render the report of some baselines and a model, and take a picture of it up to its first table."""
    suite = load_suite(source, PYRAMID_TESTS)
    specs = (*BASELINES, f"{model},name=all-MiniLM-L6-v2", *list_shortcuts(PYRAMID_TESTS))
    html = render_html(make_tables([evaluate_model(load_model(spec), suite, Settings()) for spec in specs]))

    def measure(page: Page) -> float:
        return float(page.locator(".scroll").first.evaluate("table => table.getBoundingClientRect().bottom + 16"))

    _take_pictures("report", html, WIDTH, measure)


def take_pyramid_pictures() -> None:
    """Render the first pyramid of the sample, and take a picture of its first SCU and the first lines of a summary."""
    html = next(iter(render_site({"": read_corpus("sample")}).pages.values())).html

    def measure(page: Page) -> float:
        page.locator(".scu > summary").first.click()
        page.wait_for_selector("mark.chosen")
        page.evaluate(CUT)
        return float(page.locator(".texts").evaluate("texts => texts.getBoundingClientRect().bottom + scrollY + 8"))

    _take_pictures("pyramid", html, PHONE, measure)


def _take_pictures(name: str, html: str, width: int, measure: Callable[[Page], float]) -> None:
    """Take pictures of a page in both schemes, up to the height that a function returns."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "page.html"
        page_file.write_text(html, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for scheme in SCHEMES:
            # Two pixels of the picture for each CSS pixel, for sharp text on all screens.
            page = browser.new_page(
                viewport={"width": width, "height": width}, color_scheme=scheme, device_scale_factor=2
            )
            page.goto(page_file.as_uri())
            height = measure(page)
            picture = DOCS / f"{name}-{scheme}.png"
            page.screenshot(path=picture, clip={"x": 0, "y": 0, "width": width, "height": height}, full_page=True)
            # A palette of 64 colours makes the file a third as large, and text looks the same.
            Image.open(picture).convert("RGB").quantize(64).save(picture, optimize=True)
        browser.close()


if __name__ == "__main__":
    take_pyramid_pictures()
    if sys.argv[1:]:
        take_report_pictures(*sys.argv[1:3])
