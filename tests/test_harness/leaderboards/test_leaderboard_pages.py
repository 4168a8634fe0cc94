"""The pages of a leaderboard in a real browser: filters, views, charts, and what they show without scripts."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.accessibility import find_violations
from helpers.commands import run
from helpers.submissions import FORM, evaluate_forged, rename

from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.leaderboards.board import Board, read_board
from harness.leaderboards.submissions import write_submission
from harness.models.loading import load_model

TASKS = ("binary", "ranking", "binary_matched", "ranking_matched")
LONG = "x" * 120
LONG_WITH_BLANKS = f"organization/{' '.join(['long'] * 20)}"
WIDTHS = (390, 1280)
OVERVIEW = "#overview-table"

Open = Callable[..., Any]


@cache
def evaluate_sample(spec: str) -> Result:
    return evaluate_model(load_model(spec), load_suite("sample", TASKS), Settings(resamples=10))


def forge_answers() -> Result:
    """The answer key as scores."""
    real = evaluate_sample("tf-idf")
    rows = {}
    for name, scored in real.rows.items():
        options = scored.scores.shape[-1] if scored.scores.ndim > 1 else None
        scores = scored.targets.astype(float) if options is None else np.eye(options)[scored.targets]
        rows[name] = dataclasses.replace(scored, scores=scores)
    return evaluate_forged(rename(real, "answers", "a" * 64), rows)


def submit(board: Board, result: Result, name: str = "", *, reproduced: bool = False) -> Path:
    if name:
        result = rename(result, name, hashlib.sha256(name.encode()).hexdigest())
    folder = write_submission(board, result, FORM)
    if reproduced:
        assert run("leaderboard", "reproduce", folder, "--data", "sample") == 0
    return folder


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sites: "site" with reproduced models, "new" without. The models of both are the same."""
    folder = tmp_path_factory.mktemp("pages")
    for name in ("site", "new"):
        assert run("leaderboard", "init", folder / f"{name}-board", "--data", "sample", "--title", "Models") == 0
        board = read_board(folder / f"{name}-board")
        for spec in ("one-hot", "tf-idf"):
            submit(board, evaluate_sample(spec), reproduced=name == "site")
        submit(board, evaluate_sample("char-ngrams"), LONG)
        submit(board, evaluate_sample("random"), LONG_WITH_BLANKS)
        submit(board, forge_answers())
        assert run("leaderboard", "render", board.folder, "--output", folder / name) == 0
    return folder


@pytest.fixture
def open_page(browser: Any, boards: Path) -> Iterator[Open]:  # noqa: ANN401
    """Open a page. Messages on its console and requests for other files fail the test."""
    contexts: list[Any] = []
    seen: list[str] = []

    def open_path(path: str = "site/index.html", width: int = 1280, **options: Any) -> Any:  # noqa: ANN401
        contexts.append(browser.new_context(viewport={"width": width, "height": 844}, **options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: seen.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: seen.append(f"error: {error}"))
        page.on("request", lambda request: seen.append(f"request: {request.url}"))
        page.goto((boards / path).as_uri())
        return page

    yield open_path
    for context in contexts:
        context.close()
    assert [line for line in seen if not (line.startswith("request: file:") and line.endswith(".html"))] == []


def list_names(page: Any, table: str = OVERVIEW, part: str = "tbody") -> list[str]:  # noqa: ANN401
    return list(page.locator(f"{table} {part} tr[data-entry]:visible th .model-name").all_inner_texts())


def list_ranks(page: Any, table: str = OVERVIEW, column: int = 1) -> dict[str, str]:  # noqa: ANN401
    """Return the second line of the cells of a column, or the only one, by name of the model."""
    ranks = {}
    for row in page.locator(f"{table} tr[data-entry]:visible").all():
        lines = row.locator("td").nth(column - 1).inner_text().split("\n")
        ranks[row.locator("th .model-name").inner_text()] = lines[min(1, len(lines) - 1)]
    return ranks


def list_marked(page: Any) -> set[tuple[str, str]]:  # noqa: ANN401
    """Return the models that a shortcut explains, with the mark, in the first column of the overview."""
    rows = page.locator(f"{OVERVIEW} tr[data-entry]", has=page.locator("td:nth-of-type(1) .not-above"))
    return {
        (row.locator("th .model-name").inner_text(), row.locator(".not-above").first.inner_text()) for row in rows.all()
    }


def list_answers(page: Any) -> list[str]:  # noqa: ANN401
    return list(page.locator(".answer:visible").all_inner_texts())


def model_page(boards: Path, name: str, site: str = "site") -> str:
    [path] = (boards / site / "models").glob(f"{name}*.html")
    return path.relative_to(boards).as_posix()


# Trust


@pytest.mark.parametrize("script", [True, False])
def test_self_reported_models_stand_below_without_a_rank(open_page: Open, script: bool) -> None:
    """Self-reported models were ranked together with reproduced models, and a copy of the answer key was first."""
    page = open_page(java_script_enabled=script)
    ranked, unranked = list_names(page, part="tbody:nth-of-type(1)"), list_names(page, part="tbody:nth-of-type(2)")
    assert sorted(ranked) == ["length", "one-hot", "options-only", "overlap", "tf-idf"]
    assert sorted(unranked) == sorted(["answers", LONG, LONG_WITH_BLANKS])
    ranks = list_ranks(page)
    # On `ranking_matched` of the sample, tf-idf is significantly better than one-hot and overlap, and one-hot is not
    # significantly better than overlap.
    assert (ranks["tf-idf"], ranks["one-hot"]) == ("rank 1", "rank 2")
    assert list_marked(page) == {("one-hot", "not above overlap"), (LONG, "not above overlap")}
    assert {ranks["answers"], ranks[LONG], ranks[LONG_WITH_BLANKS]} == {"no rank"}
    assert page.locator(".divider:visible").count() == 5
    marked = page.locator(f"{OVERVIEW} .best-reproduced").first
    assert int(marked.evaluate("cell => getComputedStyle(cell).fontWeight")) == 700
    assert page.locator(f"{OVERVIEW} .implausible:visible").count() >= 1
    dots = page.locator("#r0 + p ~ figure .dots li:visible .label").all_inner_texts()
    assert sorted(dots) == ["length", "one-hot", "options-only", "overlap", "tf-idf"]


def test_the_visitor_includes_self_reported_models(open_page: Open) -> None:
    page = open_page()
    page.get_by_label("Include self-reported").check()
    assert list_names(page, part="tbody:nth-of-type(2)") == ["answers", LONG_WITH_BLANKS]
    ranks = list_ranks(page)
    assert ranks["answers"] == ranks[LONG_WITH_BLANKS] == "no rank"  # the second one is `random`, which is chance
    assert ranks[LONG] == "rank 1"
    # The highest score first, reproduced or not; the answers stay below.
    success = "section[aria-labelledby=r1] table.sortable"
    values = page.locator(f"{success} tbody:first-of-type tr td:nth-of-type(2)").all_inner_texts()
    scores = [float(value.split("\n")[0]) for value in values]
    assert len(scores) == 5
    assert scores == sorted(scores, reverse=True)
    assert LONG in page.locator("section[aria-labelledby=r1] .dots li:visible .label").all_inner_texts()
    assert "answers" not in page.locator("section[aria-labelledby=r1] .dots li:visible .label").all_inner_texts()
    page.get_by_label("Include self-reported").uncheck()
    assert sorted(list_names(page, part="tbody:nth-of-type(2)")) == sorted(["answers", LONG, LONG_WITH_BLANKS])


@pytest.mark.parametrize("script", [True, False])
def test_a_new_leaderboard_ranks_self_reported_models_and_says_so(open_page: Open, script: bool) -> None:
    page = open_page("new/index.html", java_script_enabled=script)
    assert "No model has been reproduced yet" in page.locator(".warning").inner_text()
    ranks = list_ranks(page)
    assert (ranks["tf-idf"], ranks["one-hot"], ranks["answers"]) == ("rank 1", "rank 2", "no rank")
    assert list_names(page, part="tbody:nth-of-type(2)") == ["answers", LONG_WITH_BLANKS]
    assert page.get_by_label("Include self-reported").count() == 0


def test_the_first_lines_answer_which_model_is_best(open_page: Open) -> None:
    """Each view has its own answer. On the sample, tf-idf is the best model of both."""
    page = open_page()
    among_reproduced = first, second, third = list_answers(page)
    start = "on ranking_matched by success rate: tf-idf 0.637"
    assert first.startswith(f"Best {start}. It is 0.043 [0.016, 0.068] above the best shortcut (overlap 0.594)")
    assert second.startswith(
        "Best on binary_matched by F: tf-idf 0.735. It is 0.066 [0.012, 0.117] above the best shortcut"
    )
    assert second.endswith(" one-hot 0.704 cannot be told apart from tf-idf, but does not beat the shortcut.")
    assert third.startswith("No model beats the best shortcut on binary by F: length 0.731, against one-hot 0.663, ")
    assert page.get_by_text("Reproduced models only:").is_visible()
    page.get_by_label("Include self-reported").check()
    assert page.get_by_text("Self-reported models included:").is_visible()
    assert page.get_by_text("Reproduced models only:").is_hidden()
    first, second, _ = among_all = list_answers(page)
    assert LONG in first
    assert "answers" not in first + second
    page.get_by_label("Include self-reported").uncheck()
    assert list_answers(page) == among_reproduced != among_all
    new = open_page("new/index.html", java_script_enabled=False)
    assert list_answers(new) == among_all
    assert new.get_by_text("Self-reported models included:").count() == 0


@pytest.mark.parametrize("width", WIDTHS)
def test_the_answers_are_on_the_first_screen(open_page: Open, width: int) -> None:
    for path in ("site/index.html", "new/index.html"):
        page = open_page(path, width)
        boxes = [answer.bounding_box() for answer in page.locator(".answer:visible").all()]
        assert len(boxes) == 3
        assert all(box["y"] + box["height"] < 844 for box in boxes)


# Filters


def test_filters_apply_to_every_table_and_chart(open_page: Open) -> None:
    page = open_page(width=390)
    assert page.locator("form.filters").count() == 1
    assert page.get_by_label("Model", exact=True).is_hidden()  # folded on a telephone
    page.locator("form summary").click()
    page.get_by_label("Model", exact=True).fill("HOT")
    assert page.get_by_role("status").inner_text() == "1 of 8 entries shown"
    tables = page.locator("table.sortable").all()
    assert len(tables) > 2  # the overview, and at least one per test
    for table in tables:
        assert table.locator("tr[data-entry]:visible").count() == 1
    assert page.locator(".divider:visible").count() == 0
    assert page.locator(".dots li:visible").all_inner_texts()
    assert page.locator(".scatter g[data-entry]:visible").count() == 2
    assert page.locator("section[aria-labelledby=r0] [data-count]").inner_text() == "1 of 1"
    page.get_by_role("button", name="Clear").click()
    assert page.get_by_role("status").inner_text() == "8 of 8 entries shown"
    page.get_by_label("Kind").select_option("shortcuts")
    assert page.get_by_role("status").inner_text() == "3 of 8 entries shown"
    page.get_by_label("Kind").select_option("")
    page.get_by_label("Status").select_option("self-reported")
    assert page.get_by_role("status").inner_text() == "3 of 8 entries shown"
    page.get_by_label("Status").select_option("")
    page.get_by_label("Dimension at most").fill("1")
    # Entries without a dimension stay.
    assert "one-hot" not in list_names(page)
    assert "overlap" in list_names(page)


def test_filters_stand_at_one_height(open_page: Open) -> None:
    page = open_page()
    boxes = [field.bounding_box() for field in page.locator(".fields select, .fields input, .fields button").all()]
    assert len(boxes) == 6
    assert {(box["y"], box["height"]) for box in boxes} == {(boxes[0]["y"], 36)}


def test_without_scripts_there_are_no_filters(open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    assert page.locator("form.filters").is_hidden()
    assert page.locator("table button").count() == 0


def test_sorting_keeps_unranked_models_below(open_page: Open) -> None:
    page = open_page()
    page.locator(OVERVIEW).get_by_role("button", name="Model").click()
    assert list_names(page, part="tbody:nth-of-type(1)") == ["length", "one-hot", "options-only", "overlap", "tf-idf"]
    table = "section[aria-labelledby=r1] table"
    page.locator(table).get_by_role("button", name="Rank").click()
    page.get_by_label("Include self-reported").check()
    page.locator(table).get_by_role("button", name="Rank").click()
    ranks = [rank for rank in list_ranks(page, table, 1).values() if rank.isdigit()]
    assert ranks == sorted(ranks)
    assert len(ranks) == 3


# Layout


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_window(open_page: Open, boards: Path, width: int) -> None:
    for path in ("site/index.html", model_page(boards, "xxxx"), model_page(boards, "organization")):
        page = open_page(path, width)
        page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") == width, path


BROKEN = """() => {
  const broken = [];
  for (const cell of document.querySelectorAll("td.number, .dots .value, .exact")) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const range = document.createRange();
      if (texts.currentNode.parentElement.matches(".not-above")) continue; // words, which may break
      range.selectNodeContents(texts.currentNode);
      const tops = new Set(Array.from(range.getClientRects(), box => box.top));
      if (texts.currentNode.data.trim() && tops.size > 1) broken.push(texts.currentNode.data);
    }
  }
  return broken;
}"""


@pytest.mark.parametrize("width", WIDTHS)
def test_numbers_never_break(open_page: Open, width: int) -> None:
    """`overflow-wrap: anywhere` broke a number across two lines."""
    page = open_page(width=width)
    broken = page.evaluate(BROKEN)
    assert broken == []
    page.add_style_tag(content="td.number { white-space: normal !important; width: 1px; word-break: break-all; }")
    assert page.evaluate(BROKEN) != []


def test_the_first_column_and_the_header_stay_with_their_borders(open_page: Open) -> None:
    page = open_page(width=390)
    region = page.locator("section[aria-labelledby=r0] .scroll").first
    header, corner = region.locator("tbody th").first, region.locator("thead th").first
    before = header.bounding_box()["x"]
    page.add_style_tag(content=".scroll { max-height: 10rem; }")  # as in tables of 40 rows and more
    region.evaluate("region => { region.scrollLeft = 200; region.scrollTop = 100; }")
    assert region.evaluate("region => region.scrollLeft") == 200
    assert header.bounding_box()["x"] == before
    assert corner.bounding_box()["y"] == region.bounding_box()["y"] + 1
    style = "cell => [getComputedStyle(cell).borderRightWidth, getComputedStyle(cell.closest('table')).borderCollapse]"
    assert header.evaluate(style) == ["1px", "separate"]


@pytest.mark.parametrize("width", [390, 1280])
def test_a_table_that_is_wider_than_the_page_says_so(open_page: Open, width: int) -> None:
    """A small table scrolled within the page, and its last row could not be seen."""
    page = open_page(width=width)
    boxes = page.locator(".scroll:visible").all()
    assert len(boxes) > 2
    for box in boxes:
        is_wide = box.evaluate("box => box.scrollWidth > box.clientWidth")
        assert not box.evaluate("box => box.scrollHeight > box.clientHeight")
        hint = box.locator("xpath=preceding-sibling::p[1]")
        assert hint.is_visible() == is_wide


def test_long_names_are_shortened_and_stay_accessible(open_page: Open) -> None:
    page = open_page(width=390)
    name = page.locator(OVERVIEW).get_by_role("link", name=LONG)
    assert name.locator("xpath=..").get_attribute("title") == LONG
    assert name.locator("xpath=..").bounding_box()["height"] < 100


def test_badges_differ_without_colour(open_page: Open) -> None:
    page = open_page()
    shape = "badge => [getComputedStyle(badge).borderStyle, getComputedStyle(badge).borderRadius, "
    shape += "getComputedStyle(badge, '::before').content]"
    statuses = ("reproduced", "self-reported", "implausible", "shortcut")
    shapes = [str(page.locator(f".badge.{status}").first.evaluate(shape)) for status in statuses]
    assert len(set(shapes)) == 4


def test_charts_follow_the_scheme_and_have_labels(open_page: Open) -> None:
    colour = "Array.from(document.querySelectorAll('.dots .mark.reproduced'), mark => getComputedStyle(mark).fill)"
    light, dark = (set(open_page(color_scheme=scheme).evaluate(colour)) for scheme in ("light", "dark"))
    assert (light, dark) == ({"rgb(0, 114, 178)"}, {"rgb(86, 180, 233)"})
    page = open_page(width=390)
    assert page.get_by_role("img", name="Scatter plot of the models: binary across, binary_matched up").count() == 1
    images = page.locator("svg[role=img]")
    assert images.count() == page.locator("svg[role=img][aria-label]").count() > 20
    scale = page.locator("svg.scatter").first.evaluate("svg => svg.getScreenCTM().a")
    assert 14 * scale > 11


def test_structure(open_page: Open, boards: Path) -> None:
    for path in ("site/index.html", model_page(boards, "one-hot")):
        page = open_page(path)
        ids = page.evaluate("Array.from(document.querySelectorAll('[id]'), element => element.id)")
        assert len(ids) == len(set(ids))
        tags = page.evaluate("Array.from(document.querySelectorAll('h1,h2,h3,h4'), heading => heading.tagName)")
        levels = [int(tag[1]) for tag in tags]
        assert len(levels) > 3
        assert levels.count(1) == 1
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


@pytest.mark.needs("axe_playwright_python")
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page: Open, boards: Path, width: int, scheme: str) -> None:
    models = (model_page(boards, "one-hot"), model_page(boards, "answers"))
    for path in ("site/index.html", "new/index.html", "site/about.html", "site/history.html", *models):
        page = open_page(path, width, color_scheme=scheme)
        page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
        assert find_violations(page) == [], path


# Pages of models


def test_the_page_of_a_model_explains_its_numbers(open_page: Open, boards: Path) -> None:
    page = open_page()
    page.locator(OVERVIEW).get_by_role("link", name="one-hot").click()
    assert page.title() == "one-hot"
    text = page.locator("main").inner_text()
    assert "Which of four is a paraphrase of this? By section 3 of Baumel et al. (2016)." in text
    assert "Rank 2 of 2 reproduced models: 1 of them is significantly better." in text
    assert "Rank 2 of 3 models, self-reported ones included: 1 of them is significantly better." in text
    assert "Not significantly better than the best shortcut, overlap." in text
    assert "The maintainer of the leaderboard ran this model again on " in text
    assert "pyramid-paraphrase evaluate --model one-hot --data SOURCE --task binary,ranking," in text
    assert "pyramid-paraphrase leaderboard reproduce BOARD/submissions/one-hot-" in text
    dots = page.locator("section[aria-labelledby=r3] .dots .label").all_inner_texts()
    assert dots == ["tf-idf", "one-hot", "overlap", "options-only", "length"]
    page.get_by_role("link", name="Models", exact=True).click()
    assert page.title() == "Models"


def test_the_page_of_a_model_that_does_not_compete(open_page: Open, boards: Path) -> None:
    """The entry is the kind `random`. Its page gave its score as the reason why it has no rank."""
    text = open_page(model_page(boards, "organization")).locator("main").inner_text()
    assert text.count("No rank, because models of the kind random do not compete.") == len(TASKS)
    assert "0.95" not in text
    assert "best shortcut" not in text


def test_the_page_of_a_self_reported_model_names_unknown_facts(open_page: Open, boards: Path) -> None:
    text = open_page(model_page(boards, "answers")).locator("main").inner_text()
    assert "Only the author has run this model." in text
    assert "No rank among the reproduced models" in text
    assert "0.95 or more" in text
    assert "do not rely on them until the maintainer reproduces them" in text
