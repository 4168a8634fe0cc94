"""The page in a real browser: it loads no other file, sorts its tables, fits the screen, and is readable."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.accessibility import find_violations
from helpers.commands import run

import harness
from pyramid_paraphrase.rules.options import PAPER_TESTS

HOSTILE = "<script>alert(1)</script>"
LONG = "x" * 100
WIDTHS = (390, 1280)

Open = Callable[..., Any]


class Lengths:
    """An encoder of two numbers: the number of characters of a text, and a constant."""

    def encode(self, texts: list[str]) -> np.ndarray[Any, Any]:
        return np.array([[len(text), 50.0] for text in texts])


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models of the sample: shortcuts, one on pairs only, names that are HTML or long, and the paper's rows."""
    folder = tmp_path_factory.mktemp("pages")
    for name in ("overlap", "tf-idf", "length", "options-only"):
        harness.evaluate(name, "sample", PAPER_TESTS, resamples=5, cache=False, output=folder / "results")
    for name, test_names in ((HOSTILE, PAPER_TESTS), (LONG, ("binary",))):
        harness.evaluate(Lengths(), "sample", test_names, name=name, resamples=5, output=folder / "results")
    page = folder / "report.html"
    assert run("report", folder / "results", "--paper", "--output", page) == 0
    return page


@pytest.fixture
def open_page(browser: Any, report: Path) -> Iterator[Open]:  # noqa: ANN401
    """Open the report. Any error of the page and any request for another file fails the test."""
    seen: list[str] = []
    contexts = []

    def open_report(width: int = 1280, **options: Any) -> Any:  # noqa: ANN401
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: seen.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: seen.append(f"error: {error}"))
        page.on("dialog", lambda dialog: seen.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: seen.append(f"request: {request.url}"))
        page.goto(report.as_uri())
        return page

    yield open_report
    for context in contexts:
        context.close()
    assert seen == [f"request: {report.as_uri()}"] * len(contexts)


def names_of(page: Any) -> list[str]:  # noqa: ANN401
    """The models in the order in which the first table shows them, without their roles."""
    return list(page.locator("table").first.locator("tbody th .model-name").all_inner_texts())


# By F, 0.425 to 0.041.
PAPER = ["Open IE", "word2vec, Google News", "word2vec, BOW5", "word2vec, BOW2", "word2vec, dependencies", "GloVe"]
PAPER += ["one-hot", "random"]
FIRST = ["tf-idf", HOSTILE, LONG, "length", "overlap", "options-only"]


def test_all_is_shown_without_javascript(open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    assert names_of(page) == FIRST + PAPER
    assert page.locator("table").first.locator("button").count() == 0
    assert page.title() == "Pyramid paraphrase: results"


def test_names_are_text(open_page: Open) -> None:
    page = open_page()
    assert page.locator("script").count() == 1
    assert page.get_by_role("rowheader", name=HOSTILE).count() > 0


def test_the_answer_comes_first_and_marks_agree(open_page: Open) -> None:
    """The first table names roles, the best models, and the best shortcut where a model is not above it."""
    page = open_page()
    answers = page.locator(".answer").all_inner_texts()
    assert [text.partition(":")[0] for text in answers] == [
        "No model beats the best shortcut on binary by F",
        "Best on ranking by success rate",
        "A shortcut can score high on these tests",
    ]
    table = page.locator("table").first
    assert (
        page.evaluate("document.querySelector('.answer').compareDocumentPosition(document.querySelector('table'))") == 4
    )
    assert table.locator("thead th").all_inner_texts() == [
        "Model",
        "binary\nF",
        "ranking\nsuccess rate",
        "ranking\nMRR",
    ]
    roles = dict(zip(names_of(page), table.locator("tbody th").all_inner_texts(), strict=True))
    assert {name: text.partition("\n")[2] for name, text in roles.items()} == {
        **dict.fromkeys(["tf-idf", HOSTILE, LONG], ""),
        **dict.fromkeys(["length", "overlap", "options-only"], "shortcuts"),
        **dict.fromkeys(PAPER, "the paper (other data)"),
    }
    best = table.locator("td.best").all_inner_texts()
    assert [text.split("\n")[0] for text in best] == ["0.755", "0.858"]  # of tf-idf, see docs/get_started.md
    failing = table.locator("tr", has=page.locator("small.not-above"))
    assert failing.count() == 3  # by F, "length" is above all
    assert set(failing.locator("small.not-above").all_inner_texts()) == {"not above length", "not above overlap"}


def test_sorting_by_a_click(open_page: Open) -> None:
    page = open_page()
    header = page.locator("table").first.locator("thead th").nth(2)
    assert header.get_attribute("aria-sort") is None
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    # Success rates of the sample: 0.755, 0.652, 0.489, then two that only count; none of the long name; the paper's.
    assert names_of(page) == ["tf-idf", "overlap", "options-only", HOSTILE, "length", LONG, *PAPER]
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    assert names_of(page) == ["length", HOSTILE, "options-only", "overlap", "tf-idf", LONG, *PAPER]


def test_a_value_leads_to_the_rows_that_the_model_gets_wrong(open_page: Open) -> None:
    """The list is folded. A click unfolds it, also a second time, and by keyboard."""
    page = open_page()
    link = page.locator("tbody tr", has=page.locator("th .model-name", has_text="tf-idf")).first.locator("td a").first
    address = link.get_attribute("href")
    details = page.locator(f'[id="{address[1:]}"]')
    assert details.locator("summary").inner_text() == "tf-idf"
    for press in (link.click, link.click, lambda: link.press("Enter")):
        assert not details.evaluate("element => element.open")
        press()
        assert details.evaluate("element => element.open")
        assert details.locator("h4").first.is_visible()
        details.evaluate("element => { element.open = false; }")
    page.evaluate("location.hash = 'content'")
    page.go_back()
    details.locator("h4").first.wait_for(state="visible")


def test_sorting_by_keyboard(open_page: Open) -> None:
    page = open_page()
    headers = page.locator("table").first.locator("thead th")
    for key, order in (("Enter", "ascending"), ("Space", "descending")):
        headers.first.get_by_role("button").focus()
        page.keyboard.press(key)
        assert headers.first.get_attribute("aria-sort") == order
    # By name the paper's rows stay below, too: they are of other data.
    assert names_of(page) == [LONG, "tf-idf", "overlap", "options-only", "length", HOSTILE, *PAPER]
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert [header.get_attribute("aria-sort") for header in headers.all()[:2]] == [None, "descending"]
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_the_first_stop_leads_to_the_content(open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#content"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_window(open_page: Open, width: int) -> None:
    """A name of a hundred letters made the page three times as wide as a telephone. The first table fits, too."""
    page = open_page(width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    first, all_metrics = (page.locator(".scroll").nth(number) for number in range(2))
    page.evaluate("document.querySelector('details').open = true")
    assert first.evaluate("box => box.scrollWidth - box.clientWidth") == 0
    assert all_metrics.evaluate("box => box.scrollWidth - box.clientWidth") > 0
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") == width


CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const paint = (colours) => {
    for (const colour of ["#fff", ...colours]) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return Array.from(canvas.getImageData(0, 0, 1, 1).data).slice(0, 3);
  };
  const light = (rgb) => rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const grounds = (element) => element === null ? [] :
    [...grounds(element.parentElement), getComputedStyle(element).backgroundColor];
  const contrast = (element) => {
    const behind = grounds(element);
    const pair = [paint(behind), paint([...behind, getComputedStyle(element).color])].map(light).sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05);
  };
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  const hottest = document.querySelector(".heat td");
  hottest.style.setProperty("--heat", "1");
  const chosen = ["body", "p.muted", "a", "summary", "thead th", "thead th button", "tbody th", ".best", ".best small",
    ".answer", ".not-above", ".elsewhere td", "small", "figcaption span", "dt", "footer", ".heat td"];
  return Object.fromEntries(chosen.map((one) =>
    [one, Math.min(...Array.from(document.querySelectorAll(one), contrast))]));
}"""


def test_text_has_contrast_light_and_dark(open_page: Open) -> None:
    """At least 4.5 to 1, as WCAG 2.2 (1.4.3) asks for text of this size."""
    grounds = {}
    for scheme in ("light", "dark"):
        page = open_page(color_scheme=scheme)
        grounds[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
        contrasts = page.evaluate(CONTRASTS)
        assert len(contrasts) == 17
        assert {name: value for name, value in contrasts.items() if not 4.5 <= value <= 21} == {}
    assert grounds == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}


def test_figures_follow_the_scheme(open_page: Open) -> None:
    strokes = "Array.from(document.querySelectorAll('figure path'), path => getComputedStyle(path).stroke)"
    light, dark = (set(open_page(color_scheme=scheme).evaluate(strokes)) for scheme in ("light", "dark"))
    assert "rgb(0, 114, 178)" in light - dark
    assert "rgb(86, 180, 233)" in dark - light


def test_figures_have_a_caption_and_their_numbers(open_page: Open) -> None:
    page = open_page()
    assert page.locator("figure > svg").count() == page.locator("figure").count() == 8
    assert page.locator("figure > svg[aria-hidden=true]").count() == 8
    fold = page.locator("details:has(> .figures)")
    assert fold.locator("> summary").all_inner_texts() == ["1 more figure"]  # five models have pairs, four are shown
    assert fold.locator("figure").count() == 1
    assert not fold.locator("figure").is_visible()
    fold.locator("> summary").click()
    for figure in page.locator("figure").all():
        assert figure.locator("figcaption").inner_text().strip()
        assert figure.locator("details table tbody tr").count() > 0


def test_costs_of_models_are_sorted(open_page: Open) -> None:
    """The widths of vectors of the sample: the words of a test, two numbers of the models above, none for shortcuts."""
    page = open_page()
    page.get_by_text("All metrics, sizes and speed").click()
    table = page.locator("table").nth(1)
    headers = table.locator("thead th")
    titles = headers.all_inner_texts()
    assert titles[-4:] == ["Dimension", "Parameters", "Memory of parameters in MiB", "Texts or pairs per second"]
    for _ in range(2):
        headers.nth(len(titles) - 4).get_by_role("button").click()
    assert table.locator("tbody th").all_inner_texts()[:3] == [HOSTILE, LONG, "tf-idf"]
    widths = table.locator("tbody tr td:nth-last-child(4)")
    assert widths.all_inner_texts()[:4] == ["2", "2", "1,257", ""]


def test_structure(open_page: Open) -> None:
    page = open_page()
    assert page.locator("html").get_attribute("lang") == "en"
    ids = page.evaluate("Array.from(document.querySelectorAll('[id]'), one => one.id)")
    assert len(ids) == len(set(ids))
    tags = page.evaluate("Array.from(document.querySelectorAll('h1,h2,h3,h4,h5,h6'), heading => heading.tagName)")
    levels = [int(tag[1]) for tag in tags]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert page.locator("th:not([scope=col]):not([scope=row])").count() == 0
    assert page.locator("table:not(:has(thead th[scope=col]))").count() == 0
    assert page.locator("main").count() == page.locator("footer").count() == 1
    scrolling = page.locator(".scroll")
    assert scrolling.count() == page.locator(".scroll[tabindex='0']:is([aria-label],[aria-labelledby])").count() > 10


def test_the_policy_admits_the_script_inside_and_nothing_else(open_page: Open, report: Path) -> None:
    text = report.read_text()
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert page_policy(open_page()) == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; "
        "form-action 'none'"
    )
    assert text.index("Content-Security-Policy") < text.index("<style>") < text.index("<script>")


def page_policy(page: Any) -> str:  # noqa: ANN401
    return str(page.locator("meta[http-equiv]").get_attribute("content"))


@pytest.mark.needs("axe_playwright_python")
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page: Open, width: int, scheme: str) -> None:
    page = open_page(width, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    assert find_violations(page) == []
