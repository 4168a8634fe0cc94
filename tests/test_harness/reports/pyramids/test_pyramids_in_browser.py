"""Pages of pyramids in a real browser: by click, by keyboard, on a phone, in both palettes, and without JavaScript."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.accessibility import find_violations
from helpers.annotations import peer_file, pyramid_element, pyramid_file
from helpers.commands import run

from harness.reports.pyramids.site import render_site
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import Contributor, Part, Pyramid, Scu, Summary

HOSTILE = "<script>alert(1)</script>"
TWO = "two/d0901-a-d0901-a-kim.html"
WIDTHS = (390, 1280)

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of the sample, and of a pyramid with hostile texts, in which three SCUs overlap."""
    folder = tmp_path_factory.mktemp("pyramids")
    assert run("inspect", "sample", "--html", folder / "sample") == 0
    summaries = {"A": f"The ferry sank at dawn {HOSTILE}.", "B": "x" * 100}
    scus = {
        ("1", HOSTILE): [("A", ["The ferry", HOSTILE])],
        ("2", "x" * 100): [("A", ["ferry sank"]), ("B", ["x" * 100])],
        ("3", "dawn"): [("A", ["ferry sank at dawn"])],
    }
    element = pyramid_element(summaries, scus)
    (folder / "D0901-A.M.100.A.2.pan").write_bytes(
        peer_file(element, f"{HOSTILE} Rain.", {("1", f"(1) {HOSTILE}"): [[HOSTILE]], ("0", "None"): [["Rain"]]})
    )
    (folder / "D0901-A.pyr").write_bytes(pyramid_file(summaries, scus))
    assert run("inspect", folder, "--html", folder / "hostile.html") == 0
    (folder / "kim.pyr").write_bytes(pyramid_file(summaries, dict(list(scus.items())[:2])))
    assert run("inspect", folder / "D0901-A.pyr", folder / "kim.pyr", "--html", folder / "two") == 0
    return folder


@pytest.fixture
def open_page(browser: Any, pages: Path) -> Iterator[Open]:  # noqa: ANN401
    """Open a page. Any error of it and any request for another file fails the test."""
    seen: list[str] = []
    opened: list[str] = []
    contexts = []

    def open_file(name: str = "hostile.html", width: int = 1280, **options: Any) -> Any:  # noqa: ANN401
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: seen.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: seen.append(f"error: {error}"))
        page.on("dialog", lambda dialog: seen.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: seen.append(request.url.partition("#")[0]))
        opened.append((pages / name).as_uri())
        page.goto(opened[-1])
        if options.get("java_script_enabled", True):
            # The hints above wide tables come and go with the first frame, and what is below them moves.
            page.evaluate("() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert seen == opened


def chosen_texts(page: Any) -> list[str]:  # noqa: ANN401
    """The texts of highlighted marks, without their numbers."""
    script = """Array.from(document.querySelectorAll("mark.chosen"), (mark) => Array.from(mark.childNodes)
      .filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join(""))"""
    return list(page.evaluate(script))


def open_scus(page: Any) -> list[str]:  # noqa: ANN401
    return list(page.locator(".scu[open] > summary > b").all_inner_texts())


def test_a_click_on_an_scu_shows_its_parts(open_page: Open) -> None:
    """SCUs by weight: 1 is the one of x, 2 is the hostile one, 3 is dawn."""
    page = open_page()
    page.locator(".scu > summary").nth(1).click()
    page.wait_for_selector("mark.chosen")
    assert open_scus(page) == ["2"]
    assert chosen_texts(page) == ["The ", "ferry", HOSTILE, HOSTILE]
    assert page.locator("[role=status]").inner_text() == f"SCU 2, 3 places: {HOSTILE}"
    assert page.locator(".scu[open] li a").all_inner_texts() == ["A", "peer 2"]
    page.locator(".scu > summary").nth(2).click()
    page.wait_for_selector(".scu:not([open]) >> nth=1")
    assert open_scus(page) == ["3"]
    assert chosen_texts(page) == ["ferry", " sank", " at dawn"]
    page.keyboard.press("Escape")
    assert open_scus(page) == chosen_texts(page) == []
    assert not page.locator(".chosen-bar").is_visible()


def test_a_click_on_a_text_shows_its_scus_in_turn(open_page: Open) -> None:
    page = open_page()
    ferry = page.locator("mark.d3")
    assert ferry.count() == 1
    box = ferry.bounding_box()
    for number in ("1", "2", "3", "1"):
        page.mouse.click(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)  # beside the links at its start
        assert open_scus(page) == [number]
        assert "ferry" in chosen_texts(page)
    page.locator("mark.no-scu").click()
    assert open_scus(page) == ["1"]


def test_all_by_keyboard(open_page: Open) -> None:
    page = open_page()
    page.locator(".scu > summary").nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("mark.chosen")
    assert open_scus(page) == ["2"]
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the link to the place in A
    assert page.evaluate("location.hash") == "#m1"
    link = page.locator("mark a.ref").nth(1)
    link.focus()
    assert link.inner_text() == "3"
    page.keyboard.press("Enter")
    assert open_scus(page) == ["3"]
    assert page.evaluate("document.activeElement === document.querySelector('.scu[open] > summary')")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.get_by_role("button", name="Close").focus()
    page.keyboard.press("Enter")
    assert open_scus(page) == []
    assert page.evaluate("document.activeElement === document.querySelectorAll('.scu > summary')[2]")


def test_an_scu_of_two_people_is_shown_in_both_texts(open_page: Open) -> None:
    """Both have SCUs 1 and 2, with the same words. The third is only in the first pyramid."""
    page = open_page(TWO)
    page.locator(".scu > summary").nth(0).click()
    page.wait_for_selector("mark.chosen")
    assert chosen_texts(page) == ["ferry", " sank", " at dawn"]
    assert page.locator(".scu[open] > ul > li").all_inner_texts()[1] == (
        "kim: no such SCU. SCUs 1, 2 contain some of these words"
    )
    page.locator(".scu > summary").nth(1).click()
    page.wait_for_selector(".scu:not([open]) >> nth=1")
    assert chosen_texts(page) == ["ferry", " sank", "ferry", " sank", "x" * 100, "x" * 100]


@pytest.mark.parametrize("width", WIDTHS)
def test_places_are_visited_in_turn(open_page: Open, width: int) -> None:
    page = open_page("sample/s0101.html", width)
    page.locator(".scu > summary").first.click()
    page.wait_for_selector("mark.chosen")
    places = len(page.locator(".scu").first.get_attribute("data-marks").split())
    status = page.locator("[role=status]")
    assert status.inner_text().startswith(f"SCU 1, {places} places: ")
    for number in (1, 2, 3):
        page.get_by_role("button", name="Next place").click()
        assert status.inner_text().startswith(f"SCU 1, place {number} of {places}: ")
    page.get_by_role("button", name="Previous place").click()
    assert status.inner_text().startswith(f"SCU 1, place 2 of {places}: ")
    top = page.locator("mark.current").evaluate("mark => mark.getBoundingClientRect().top")
    assert 0 < top < 800


@pytest.mark.parametrize("width", WIDTHS)
def test_what_is_chosen_stays_in_its_place(open_page: Open, width: int) -> None:
    """SCUs open and close above it. The texts of a phone are below all SCUs."""
    page = open_page("sample/s0101.html", width)
    top = "element => element.getBoundingClientRect().top"
    last = page.locator("mark:not(.no-scu)").last
    last.scroll_into_view_if_needed()
    before = last.evaluate(top)
    for place in (-1, -2):
        page.locator("mark:not(.no-scu)").nth(place).evaluate("mark => mark.click()")
        assert len(open_scus(page)) == 1
        assert abs(last.evaluate(top) - before) < 2
    first, second = (page.locator(".scu > summary").nth(number) for number in (0, 5))
    first.click()
    page.wait_for_selector(".scu[open] >> nth=0")
    second.evaluate("element => element.scrollIntoView()")  # all above it is out of sight, so there is room to scroll
    before = second.evaluate(top)
    second.click()
    page.wait_for_selector("details.scu:nth-of-type(1):not([open])")
    assert abs(second.evaluate(top) - before) < 2


def test_all_is_read_without_javascript(open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    assert page.locator("mark").count() == 8
    assert not page.locator(".chosen-bar").is_visible()
    page.locator(".scu > summary").nth(1).click()
    assert page.locator(".scu[open] li").first.inner_text() == f"A: The ferry … {HOSTILE}"
    page.locator("mark a.ref", has_text="3").click()
    assert page.locator("#u3 li").first.is_visible()  # the browser opens what contains the target of a link


def test_nothing_is_wider_than_the_window(open_page: Open) -> None:
    for name in ("hostile.html", "sample/s0101.html", "sample/index.html", TWO, "two/index.html"):
        for width in WIDTHS:
            page = open_page(name, width)
            page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
            assert page.evaluate("document.documentElement.scrollWidth") == width


def test_texts_are_text(open_page: Open) -> None:
    page = open_page()
    assert page.locator("script").count() == 1
    assert page.locator(".scu > summary").nth(1).inner_text().startswith(f"2 {HOSTILE}")


@pytest.mark.needs("axe_playwright_python")
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["hostile.html", "sample/s0101.html", "sample/index.html", TWO, "two/index.html"])
def test_axe_finds_nothing(open_page: Open, name: str, width: int, scheme: str) -> None:
    page = open_page(name, width, color_scheme=scheme)
    if page.locator(".scu").count():
        page.locator(".scu > summary").nth(1).click()
        page.wait_for_selector("mark.chosen")
    assert find_violations(page) == []


def test_a_thousand_scus(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    lines = [f"Sentence {number} says that ship {number} sank." for number in range(1000)]
    text = "\n".join(lines)
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(1000)]
    scus = []
    for number, (line, start) in enumerate(zip(lines, starts, strict=True)):
        whole = Part(line, start, start + len(line), "A")
        clause = Part(line[15:], start + 15, start + len(line), "A")
        scus.append(Scu(str(number), line, (Contributor((whole,)), Contributor((clause,)))))
    pyramid = Pyramid("D1", "D1", (), text, (Summary("A", "A", 0, len(text)),), tuple(scus))
    html = render_site({"": Corpus(pyramids=(pyramid,), files={"D1": "d1.pyr"})}).pages["d1.html"].html
    (tmp_path / "d1.html").write_text(html, encoding="utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "d1.html").as_uri())
    assert page.locator("mark").count() == 2000
    page.locator(".scu > summary").nth(999).click()
    page.wait_for_selector("mark.chosen")
    assert len(chosen_texts(page)) == 2
    page.close()
