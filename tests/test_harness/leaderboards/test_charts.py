"""Charts of leaderboards: limits, positions and labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from helpers.submissions import FORM, evaluate_sample
from msgspec import structs

from harness.evaluation.comparing.standings import make_standing
from harness.leaderboards.board import RankedTest
from harness.leaderboards.candidates import Candidate
from harness.leaderboards.rankings import RankedModel, Ranking
from harness.leaderboards.reproduction import Reproduction
from harness.leaderboards.site.charts import (
    count_models,
    draw_timeline,
    hide_rows,
    list_matched,
    make_dot_plot,
    make_scatter_plot,
    make_size_plot,
)
from harness.leaderboards.site.entries import (
    REPRODUCED,
    SHORTCUT,
    Entry,
    choose_view,
    list_entries,
    list_facts,
    title_tests,
)
from harness.metrics.table import find_main_metric
from pyramid_paraphrase.rules.options import find_configuration

RECORD = evaluate_sample("one-hot", 10).record
REPRODUCTION = Reproduction("f" * 64, 0.000125, "2026-01-02", {"python": "3.11"})


def make_model(
    name: str,
    score: float,
    *,
    submission: str | None = None,
    reproduced: int | None = 1,
    candidate: Candidate | None = None,
) -> RankedModel:
    """Make a model with an interval of 0.02 on both sides of its score. It is a shortcut without a submission."""
    submission = name if submission is None else submission
    return RankedModel(
        candidate=candidate or make_candidate(submission, model=name),
        metrics={"f1": score},
        intervals={"f1": (score - 0.02, score + 0.02)},
        ranks={"reproduced": reproduced if submission else None, "all": 1 if submission else None},
        best_views=("reproduced", "all")[reproduced != 1 :] if submission else (),
        beats_shortcut=True if submission else None,
        is_implausible=False,
        awaits_reproduction=False,
    )


def make_candidate(
    name: str,
    reproduction: Reproduction | None = None,
    saw_test_data: str = "no",
    *,
    model: str = "best",
    dimension: int | None = RECORD.model.dimension,
) -> Candidate:
    record = structs.replace(RECORD, model=structs.replace(RECORD.model, name=model, dimension=dimension))
    form = structs.replace(FORM, saw_test_data=saw_test_data)
    return Candidate(name, record, form, "f" * 64, (), {}, {}, reproduction)


def make_ranking(configuration: str, models: Sequence[RankedModel], collections: tuple[str, ...] = ("a",)) -> Ranking:
    test = RankedTest(configuration, "f" * 64, collections, {}, 1, "key", "k" * 64)
    empty = make_standing(configuration, find_main_metric(find_configuration(configuration)), [])
    return Ranking(test, "f1", tuple(models), {"reproduced": empty, "all": empty})


def make_entries(models: Sequence[RankedModel]) -> dict[tuple[str, str], Entry]:
    entries = {}
    for model in models:
        status = REPRODUCED if model.candidate.name else SHORTCUT
        entries[model.identity] = Entry(model.name, model.name, "", status, "baselines", None, None, "", False)
    return entries


def test_a_dot_plot_places_scores_and_intervals() -> None:
    models = [make_model("best", 0.58), make_model("length", 0.42, submission="")]
    entries = make_entries(models)
    plot = make_dot_plot(models, "f1", entries)
    assert plot is not None
    # From 0.40 to 0.60, the ends of the intervals.
    assert plot["ticks"] == [
        ("0.00%", "0.40"),
        ("25.00%", "0.45"),
        ("50.00%", "0.50"),
        ("75.00%", "0.55"),
        ("100.00%", "0.60"),
    ]
    best, length = plot["dots"]
    assert (best["lower"], best["place"], best["upper"]) == ("80.00%", "90.00%", "100.00%")
    assert (best["value"], best["interval"], best["best_views"]) == ("0.580", "[0.560, 0.600]", ("reproduced", "all"))
    assert (length["mark"], length["best_views"], length["views"]) == ("shortcut", (), ("reproduced", "all"))
    assert make_dot_plot([], "f1", entries) is None


def test_a_chart_shows_the_best_25_models_and_the_shortcuts() -> None:
    models = [
        make_model(f"m{number}", 0.9 - number / 100, reproduced=None if number % 10 == 0 else 1) for number in range(60)
    ]
    models.append(make_model("length", 0.1, submission=""))
    entries = make_entries(models)
    plot = make_dot_plot(models, "f1", entries)
    assert plot is not None
    for view, last, total in (("reproduced", "m27", 54), ("all", "m24", 60)):
        shown = [dot["entry"].name for dot in hide_rows(plot["dots"], view) if not dot["is_hidden"]]
        assert len(shown) == 26
        assert shown[-2:] == [last, "length"]
        assert ("m10" in shown) == (view == "all")
        assert count_models(plot["dots"], view) == total


def make_scatter(scores: dict[str, tuple[float, float]], shortcuts: tuple[str, ...] = ()) -> dict[str, Any] | None:
    def list_models(place: int) -> list[RankedModel]:
        return [
            make_model(name, pair[place], submission="" if name in shortcuts else name) for name, pair in scores.items()
        ]

    ranking, counterpart = make_ranking("binary", list_models(0)), make_ranking("binary_matched", list_models(1))
    return make_scatter_plot(ranking, counterpart, make_entries(ranking.models), "reproduced")


def test_tests_are_matched_on_the_same_data() -> None:
    rankings = [
        make_ranking("binary", []),
        make_ranking("binary", [], ("b",)),
        make_ranking("binary_matched", []),
        make_ranking("ranking_matched", []),
    ]
    assert [*list_matched(rankings)] == [(rankings[0], rankings[2])]


def test_a_scatter_plot_places_both_scores() -> None:
    plot = make_scatter({"best": (0.6, 0.4), "worst": (0.2, 0.2), "length": (0.5, 0.2)}, ("length",))
    assert plot is not None
    places = {point["entry"].name: (point["x"], point["y"]) for point in plot["points"]}
    # The axes go from 0.2 to 0.6; the plot from 54 to 406 across and from 372 to 12 up.
    assert places == {"best": (406, 192), "worst": (54, 372), "length": (318, 372)}
    assert plot["points"][0]["title"] == "best: 0.600 and 0.400"
    assert make_scatter({"best": (0.6, 0.4), "length": (0.5, 0.2)}, ("length",)) is None


def test_labels_do_not_overlap() -> None:
    plot = make_scatter({
        "organization/first": (0.6, 0.6), "organization/second": (0.599, 0.6), "far": (0.2, 0.2), "x" * 120: (0.4, 0.3),
    })  # fmt: skip
    assert plot is not None
    labels = {point["entry"].name: point["label"] for point in plot["points"]}
    first, far, long = labels["organization/first"], labels["far"], labels["x" * 120]
    assert first is not None
    assert (first["text"], first["anchor"]) == ("first", "end")  # the border of the plot is to its right
    assert labels["organization/second"] is None  # the other label is in its place
    assert far is not None
    assert (far["text"], far["anchor"]) == ("far", "start")
    assert long is not None
    assert re.fullmatch("x{23}…", long["text"])


def test_a_plot_of_sizes_places_the_models_whose_size_is_known() -> None:
    models = [make_model(name, score) for name, score in (("large", 0.6), ("small", 0.2), ("unknown", 0.5))]
    models.append(make_model("length", 0.5, submission=""))
    entries = make_entries(models)
    for model, size in zip(models, (100_000, 1_000, None, 5), strict=True):
        entries[model.identity] = entries[model.identity]._replace(parameters=size)
    plot = make_size_plot(make_ranking("binary", models), entries, "reproduced")
    assert plot is not None
    places = {point["entry"].name: (point["x"], point["y"]) for point in plot["points"]}
    # From 1,000 to 100,000 parameters across, and from 0.2 to 0.6 up, in the frame of the other scatter plots.
    assert places == {"large": (406, 12), "small": (54, 372)}
    assert plot["points"][0]["title"] == "large: 100,000 parameters, 0.600"
    assert (plot["unknown"], plot["diagonal"], plot["chart"].x_title) == (1, "", "parameters")
    entries[models[1].identity] = entries[models[1].identity]._replace(parameters=0)
    assert make_size_plot(make_ranking("binary", models), entries, "reproduced") is None


def test_a_timeline_has_a_line_per_model_with_intervals() -> None:
    days = [date(2026, 1, 1), date(2026, 1, 11)]
    chart = draw_timeline(days, {"a": {days[0]: (1, 1, 2), days[1]: (2, 1, 3)}, "b": {days[1]: (1, 1, 1)}})
    whiskers, line, dots, _, second, _ = chart.shapes
    assert (line.name, second.name) == ("a", "b")
    # 10 days, half a day before the first and one after the last, so that lines can be shifted to both sides.
    assert (chart.x.low, chart.x.high) == (days[0].toordinal() - 0.5, days[1].toordinal() + 1)
    assert [label for _, label in chart.x.ticks] == ["2026-01-01", "2026-01-11"]
    assert chart.y.low > chart.y.high  # the first place is at the top
    assert line.path.count("L") == 1
    assert whiskers.path.count("M") == 2
    assert dots.path.count("h0") == 2
    assert second.path.count("L") == 0
    long = [date(2026, 1, day) for day in range(1, 30)]
    assert len(draw_timeline(long, {"a": dict.fromkeys(long, (1, 1, 1))}).x.ticks) == 4


def test_entries_are_listed_once() -> None:
    models = [make_model("best", 0.6), make_model("length", 0.5, submission="")]
    rankings = [make_ranking("binary", models), make_ranking("ranking", models)]
    entries = list_entries(rankings)
    assert [*entries] == [("best", "best"), ("", "length")]
    assert entries[models[1].identity].status == "shortcut"
    assert len({entry.key for entry in entries.values()}) == 2


def test_entries_describe_submissions() -> None:
    """A number that is implausible on one test marks the entry. Its description is that of the first test."""
    ours = make_candidate("ours", REPRODUCTION, dimension=7)
    other_candidate = make_candidate("other", None, "yes", model="other")
    first = make_model("best", 0.6, candidate=ours)
    second = replace(make_model("best", 0.9, candidate=ours), is_implausible=True)
    third = make_model("other", 0.5, candidate=other_candidate)
    rankings = [make_ranking("binary", [first, third]), make_ranking("ranking", [second])]
    best, other = list_entries(rankings).values()
    assert (best.page, best.status, best.saw_test_data) == ("models/ours.html", "reproduced", "no")
    assert (best.dimension, best.is_implausible) == (7, True)
    assert (other.page, other.status, other.saw_test_data) == ("models/other.html", "self-reported", "yes")
    assert (other.dimension, other.is_implausible) == (RECORD.model.dimension, False)


def test_views_show_reproduced_models_first() -> None:
    shortcut, reported = make_model("length", 0.5, submission=""), make_model("reported", 0.6, reproduced=None)
    reproduced = make_model("reproduced", 0.7, reproduced=2)
    unranked = replace(reported, ranks={"reproduced": None, "all": None}, best_views=())
    assert [model.views for model in (shortcut, reported, reproduced, unranked)] == [
        ("reproduced", "all"), ("all",), ("reproduced", "all"), (),
    ]  # fmt: skip
    assert [model.best_views for model in (shortcut, reported, reproduced, unranked)] == [
        (), ("all",), ("all",), (),
    ]  # fmt: skip
    assert choose_view([make_ranking("binary", [shortcut, reported]), make_ranking("ranking", [reported])]) == "all"
    some = [make_ranking("binary", [reported]), make_ranking("ranking", [reported, reproduced])]
    assert choose_view(some) == "reproduced"


def test_facts_name_what_is_known() -> None:
    record = evaluate_sample("one-hot", 10).record
    model = structs.replace(record.model, dimension=1234, parameters=5678901, text_counts={"cut_texts": 2345})
    binary = structs.replace(record.tests["binary"], counts={"rows": 634, "refusals": 1200, "cut": 0})
    tests = {**record.tests, "binary": binary}
    facts = dict(list_facts(structs.replace(record, model=model, tests=tests), REPRODUCTION))
    assert [name for name in facts if name.startswith("Count: ")] == ["Count: cut_texts", "Count: refusals in binary"]
    assert facts["Count: refusals in binary"] == "1,200"
    assert (facts["Dimension"], facts["Parameters"], facts["Count: cut_texts"]) == ("1,234", "5,678,901", "2,345")
    assert facts["Reproduced"].startswith("2026-01-02, ")
    assert "0.000125" in facts["Reproduced"]
    plain = dict(
        list_facts(structs.replace(record, model=structs.replace(model, dimension=None, parameters=None)), None)
    )
    assert set(facts) - set(plain) == {"Dimension", "Parameters", "Reproduced", "Count: refusals in binary"}


def test_titles_of_tests_occur_once() -> None:
    places = (("binary", ("a",)), ("ranking", ("a",)), ("binary", ("b",)), ("presence", ("b",)), ("presence", ("b",)))
    tests = [
        RankedTest(configuration, f"{number}" * 64, collections, {}, 1, "key", "k" * 64)
        for number, (configuration, collections) in enumerate(places)
    ]
    titles = title_tests(tests)
    assert [long for long, _ in titles] == [
        "binary: a", "ranking: a", "binary: b", "presence: b (333333333333)", "presence: b (444444444444)",
    ]  # fmt: skip
    assert [short for _, short in titles][:3] == ["binary: a", "ranking", "binary: b"]
