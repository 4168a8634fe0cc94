"""Figures of results in Python: the charts of pages, drawn by matplotlib."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from helpers.messages import mentions

import harness
from harness import Results
from harness.api.comparing import Differences
from harness.rendering.charts import Chart, Shape, make_chart, make_scale
from harness.rendering.pages import read_asset
from harness.rendering.pictures import CHART_COLOURS, plot_charts, render_figure
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.scores import MeasureScores
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.files.extras import MissingExtraError

pytestmark = pytest.mark.needs("matplotlib")


@pytest.fixture(scope="module")
def results() -> Results:
    return harness.evaluate(["one-hot", "tf-idf"], "sample", ["ranking", "binary"], resamples=20, cache=False)


@pytest.fixture(scope="module")
def differences(results: Results) -> Differences:
    return results.compare(resamples=20)


def list_axes(figure: Any) -> list[Any]:  # noqa: ANN401 - of matplotlib
    return [axes for axes in figure.axes if axes.get_visible()]


def list_labels(axes: Any) -> list[str]:  # noqa: ANN401
    """List the names on the left, from the top."""
    return [label.get_text() for label in axes.get_yticklabels()]


def list_legend(axes: Any) -> list[str]:  # noqa: ANN401
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_colours_are_those_of_pages_in_light_mode() -> None:
    light = read_asset("page.css").partition("@media")[0]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", light))
    assert {name: colours.get(name) for name in CHART_COLOURS} == CHART_COLOURS


def test_shapes_are_where_pages_have_them() -> None:
    """The units of the axes are those of the SVG image, so a point of a path has the same place in both."""
    chart = make_chart(make_scale((0, 1)), make_scale((0, 4)), "recall", "pairs")
    shapes = [
        Shape("line", "series-1", chart.trace([(0, 0), (1, 4)]), "a", "stroke-dasharray: 7 3"),
        Shape("points", "series-0", chart.dot([(0.5, 2)])),
        Shape("bars", "ink", chart.trace([(0, 0), (0, 1), (1, 1)]), "b", "fill-opacity: 0.6"),
    ]
    labels = [(100.0, 50.0, "end", "name")]
    (axes,) = list_axes(plot_charts([("t", chart._replace(shapes=shapes, labels=labels))]))
    left, right, bottom, top = chart.place_x(0), chart.place_x(1), chart.place_y(0), chart.place_y(4)
    assert (axes.get_xlim(), axes.get_ylim()) == ((left, right), (bottom, top))
    assert bottom > top  # as in SVG
    line, points = axes.lines
    assert line.get_xydata().tolist() == [[left, bottom], [right, top]]
    assert (line.get_color(), line.get_linestyle()) == ("#d55e00", "--")
    assert points.get_xydata().tolist() == [[chart.place_x(0.5), chart.place_y(2)]]
    assert axes.patches[0].get_alpha() == 0.6
    assert list_legend(axes) == ["a", "b"]
    assert [(text.get_text(), text.get_position()) for text in axes.texts] == [("name", (100.0, 50.0))]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title(loc="left")) == ("recall", "pairs", "t")


def test_main_metrics_with_intervals(results: Results) -> None:
    figure = results.plot()
    ranking, binary = sorted(list_axes(figure), key=lambda axes: str(axes.get_title(loc="left")), reverse=True)
    assert list_labels(ranking) == ["tf-idf", "one-hot", "overlap", "options-only", "length"]
    assert list_labels(binary)[0] == "one-hot"
    assert (ranking.get_xlabel(), binary.get_xlabel()) == ("success rate", "F")
    assert list_legend(ranking) == ["models", "shortcuts"]
    assert figure._repr_png_().startswith(b"\x89PNG")  # a notebook shows it, also without `pyplot`


@pytest.mark.parametrize(
    ("task", "titles"),
    [
        ("ranking", ["Rank of the right option", "Success by shared words"]),
        ("binary", ["Precision by recall", "one-hot", "tf-idf", "length", "overlap"]),
    ],
)
def test_scores_on_a_test_as_on_a_page(results: Results, task: str, titles: Sequence[str]) -> None:
    assert [axes.get_title(loc="left") for axes in list_axes(results.plot(task))] == titles


def test_a_task_without_results(results: Results) -> None:
    with pytest.raises(OptionError, match=mentions("bynary ... binary")):
        results.plot("bynary")


def test_differences_with_intervals(results: Results, differences: Differences) -> None:
    axes = list_axes(differences.plot())[1]
    assert axes.get_title(loc="left") == "ranking"
    assert list_labels(axes)[0] == "tf-idf minus one-hot"
    assert len(list_labels(axes)) == 10  # all pairs of five models
    assert axes.get_xlabel() == "difference in success rate"
    against = list_axes(results.compare("one-hot", resamples=20).plot())[1]
    assert list_labels(against) == ["tf-idf", "overlap", "options-only", "length"]
    assert against.get_xlabel() == "success rate minus one-hot"


def test_places(differences: Differences) -> None:
    axes = list_axes(differences.plot("places"))[1]
    assert list_labels(axes) == ["tf-idf", "one-hot"]
    assert axes.get_xlabel() == "place"
    for kind, place in (("place", "places"), ("ranks", "differences")):
        with pytest.raises(OptionError, match=mentions(place)):
            differences.plot(kind)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=mentions("places")):
        differences[:0].plot("places")


def test_names_are_not_formulas(results: Results) -> None:
    del results
    chart: Chart = make_chart(make_scale((0, 1)), make_scale((0, 1)), "x", "y")
    svg = render_figure(plot_charts([("$a_b$ <b>\x1b", chart)]), "svg").decode()
    assert "$a_b$ &lt;b&gt;\\x1b" in svg


def test_correlations_of_metrics() -> None:
    values = {(f"D{topic}", f"{system}"): float(system * topic % 5) for topic in range(1, 5) for system in range(1, 7)}
    metric, people = MeasureScores("<m>", "m.tsv", values), MeasureScores("responsiveness", "p.tsv", values)
    evaluation = evaluate_metrics([metric], [people])
    titles = [axes.get_title() for axes in list_axes(evaluation.plot())]
    assert titles == [
        "responsiveness\nsystem level, 6 systems, 4 topics",
        "responsiveness\nsummary level, 6 systems, 4 topics",
    ]


def test_matplotlib_is_optional(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=mentions("matplotlib ... plots")):
        results.plot()
