"""Errors of models: selected rows, their common properties, groups, formats, the Python interface, and the command."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from helpers.commands import Capture, Run, run, unwrap
from helpers.earlier_releases import drop_optional_columns
from helpers.hub_server import serve_hub
from helpers.messages import mentions
from helpers.pair_corpora import write_pit

import harness
from harness import Results
from harness.evaluation.comparing.standings import MeasuredModel, make_standing
from harness.metrics.table import list_metrics
from harness.models.registry import MODEL
from harness.reports.error_analysis import Decisions, analyse_errors
from harness.reports.rows import RowFacts, describe_rows
from harness.support.errors import ComparisonError
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.loading import load_tests
from pyramid_paraphrase.rules.options import PAPER_TESTS, QUESTIONS, find_configuration

MODELS = ("one-hot", "constant")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("results")
    harness.evaluate(list(MODELS), "sample", PAPER_TESTS, resamples=5, cache=False, output=place)
    return place


@pytest.fixture(scope="module")
def results(folder: Path) -> Results:
    return harness.read_results(folder)


def credit_of(result: Any, row_id: str) -> float:  # noqa: ANN401
    """The credit of a question, by its definition: 1 for the highest score alone, a share of a tie, otherwise 0."""
    rows = result.rows["ranking"]
    number = rows.ids.index(row_id)
    scores, right = rows.scores[number], rows.scores[number][rows.targets[number]]
    return 0.0 if right < scores.max() else 1 / int((scores == right).sum())


def test_rows_that_one_model_gets_right_and_another_wrong(results: Results) -> None:
    frame = results.errors("sample", right=["one-hot"], wrong=["constant"], tasks=["ranking"]).to_pandas()
    expected = {
        row_id for row_id in results["one-hot"].rows["ranking"].ids if credit_of(results["one-hot"], row_id) == 1
    }
    assert set(frame["row"]) == expected
    assert set(frame["one-hot"]) == {1.0}
    assert set(frame["constant"]) == {0.25}  # every option has the same score
    roles = [role for role, _ in frame["texts"][0]]
    assert sorted(roles) == ["question", "right", "wrong", "wrong", "wrong"]


def test_by_default_rows_that_all_models_get_wrong(results: Results) -> None:
    analysis = results.errors("sample", tasks=["ranking"]).analyses[0]
    assert analysis.wrong == ("one-hot",)  # without the shortcuts and "constant", which show chance
    wrong = {row_id for row_id in results["one-hot"].rows["ranking"].ids if credit_of(results["one-hot"], row_id) < 1}
    assert {analysis.decisions.ids[row] for group in analysis.selected for row in group} == wrong
    assert analysis.selected_count == len(wrong) < len(analysis.facts) == len(results["one-hot"].rows["ranking"].ids)


def test_chance_is_not_among_all_models(tmp_path: Path) -> None:
    """Regression test: a random model hid most of the rows that all models miss, because it gets some of them right."""
    models = ["one-hot", "tf-idf"]
    evaluated = harness.evaluate(models, "sample", ["binary"], resamples=5, cache=False, output=tmp_path)
    wrong = []
    for model in models:
        rows, threshold = evaluated[model].rows["binary"], evaluated[model].tests["binary"].threshold
        is_wrong = rows.is_test & ((rows.scores >= threshold) != (rows.targets == 1))
        wrong.append({row_id for row_id, flag in zip(rows.ids, is_wrong, strict=True) if flag})
    all_miss = wrong[0] & wrong[1]
    harness.evaluate(["random", "constant"], "sample", ["binary"], resamples=5, cache=False, output=tmp_path)
    with_chance = harness.read_results(tmp_path)
    assert {"random", "constant"} <= set(with_chance.to_pandas().model)
    frames = [results.errors("sample", tasks=["binary"]).to_pandas() for results in (evaluated, with_chance)]
    assert set(frames[0]["row"]) == all_miss
    assert frames[1][list(frames[0])].equals(frames[0])
    assert 0 < (frames[1]["random"] == 1).sum() < len(frames[1])  # rows that it would hide


def test_models_have_to_be_named_where_none_competes() -> None:
    results = harness.evaluate(["random", "constant"], "sample", ["ranking"], resamples=5, cache=False)
    with pytest.raises(ComparisonError, match=mentions("ranking ... --wrong")):
        results.errors("sample")
    assert results.errors("sample", wrong=["random"]).analyses[0].wrong == ("random",)


def test_error_rates_follow_from_metrics(results: Results) -> None:
    slices = results.errors("sample").slices()
    for dimension in ("rows", "words", "shared words", "SCU weight", "parts"):
        part = slices[(slices.task == "ranking") & (slices.dimension == dimension) & (slices.model == "one-hot")]
        mean = (part["error_rate"] * part["rows"]).sum() / part["rows"].sum()
        assert 1 - mean == pytest.approx(results["one-hot"].tasks["ranking"]["success_rate"], abs=1e-6)
    pairs = slices[(slices.task == "binary") & (slices.dimension == "kind") & (slices.model == "one-hot")]
    mean = (pairs["error_rate"] * pairs["rows"]).sum() / pairs["rows"].sum()
    assert 1 - mean == pytest.approx(results["one-hot"].tasks["binary"]["accuracy"], abs=1e-6)
    assert set(pairs["value"]) == {
        "other pair, of contributors", "other pair, with a label", "paraphrase, of contributors",
        "paraphrase, with a label",
    }  # fmt: skip


def test_rows_about_the_same_scus_are_a_group(results: Results) -> None:
    (test,) = load_tests(["ranking"], "sample")
    facts = describe_rows(test)
    analysis = results.errors("sample", tasks=["ranking"]).analyses[0]
    groups = [{facts[analysis.decisions.ids[row]].group for row in group} for group in analysis.selected]
    assert all(len(group) == 1 for group in groups)
    assert len(set().union(*groups)) == len(groups)
    alike = [len(group) - 1 for group in analysis.selected for _ in group]
    assert results.errors("sample", tasks=["ranking"]).to_pandas()["alike"].tolist() == alike
    assert any(len(group) > 1 for group in analysis.selected)


PAIR = {
    "sentence1": "Rain fell all day",
    "sentence2": "The rain fell and fell",
    "label": 1,
    "collection1": "duc2007-main",
    "pyramid1": "D0702",
    "scu1": "7",
    "kind1": "contributor",
    "weight1": 4,
    "parts1": 2,
    "collection2": "duc2006",
    "pyramid2": "D0601",
    "scu2": "3",
    "kind2": "label",
    "weight2": 3,
    "parts2": 0,
    "relation": "",
}


def make_test(name: str, row: dict[str, Any]) -> BuiltTest:
    table = pa.Table.from_pylist([{"id": "x", **row}])
    return BuiltTest(find_configuration(name), None, {"test": [table]}, (), {}, fingerprint="")


def test_facts_of_a_pair() -> None:
    """Nine words, of which "rain" and "fell" are shared; the lower weight, and the higher number of parts."""
    group = "D0601\t3\tD0702\t7"
    expected = RowFacts("paraphrase, with a label", 9, 2, 3, 2, "duc2006 duc2007-main", (), group)
    assert describe_rows(make_test("binary", PAIR)) == {"x": expected}


@pytest.mark.parametrize(
    ("relation", "name"), [("", "contained"), ("contradicts", "contradiction"), (None, "contained")]
)
def test_the_type_of_a_negative(relation: str | None, name: str) -> None:
    """Builds of earlier releases have no relations."""
    row = {**PAIR, "label": 0, "relation": relation}
    if relation is None:
        del row["relation"]
    assert describe_rows(make_test("binary", row))["x"].types == (name,)


def test_types_of_presence_are_not_named() -> None:
    """A summary differs from an SCU in most of its words."""
    row = {
        "scu_text": "Rain fell",
        "sentences": ["Winds blew hard", "Rain fell"],
        "label": 0,
        "collection": "sample",
        "pyramid": "S0101",
        "scu": "7",
    }
    expected = RowFacts("absent SCU", 7, 2, None, None, "sample", (), "S0101\t7")
    assert describe_rows(make_test("presence", row)) == {"x": expected}


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        (1, RowFacts("matched fragment", 6, 2, 3, 2, "sample", (), "S0101\t7")),
        (-1, RowFacts("unmatched fragment", 2, 0, None, 2, "sample", (), "")),
    ],
)
def test_facts_of_a_fragment(match: int, expected: RowFacts) -> None:
    """An unmatched fragment is compared with nothing."""
    row = {
        "fragment": "Rain fell",
        "options": ["Sun shone", "Then the rain fell"],
        "match": match,
        "collection": "sample",
        "pyramid": "S0101",
        "scu": "7",
        "weight": 3,
        "parts": 2,
    }
    assert describe_rows(make_test("peers", row)) == {"x": expected}


def test_facts_of_a_question() -> None:
    row = {
        "question": "Rain fell all day",
        "options": ["The rain fell", "It rained all day", "Winds blew hard", "Sun and wind", "It did not rain"],
        "answer": 1,
        "collection": "sample",
        "pyramid": "S0101",
        "scu": "7",
        "weight": 3,
        "parts": 1,
        "option_parts": [4, 2, 1, 1, 1],
        "option_relations": ["", "", "", "", "contradicts"],
    }
    types = ("contradiction", "contained", "other")
    expected = RowFacts("question", 8, 2, 3, 2, "sample", types, "S0101\t7")
    assert describe_rows(make_test("ranking", row)) == {"x": expected}


def test_what_rows_have_in_common() -> None:
    """Kinds and numbers of words do not differ, so they are left out. A row can have several types."""
    facts = {
        "a": RowFacts("question", 9, 2, 2, 0, "duc2006", ("contained", "other"), "a"),
        "b": RowFacts("question", 9, 2, 2, 1, "duc2006 sample", (), "b"),
        "c": RowFacts("question", 9, 2, 3, 5, "x", ("contained",), "c"),
    }
    metric = list_metrics(QUESTIONS)[0]
    contributions, samples = {metric.name: np.zeros(3)}, {metric.name: np.zeros(1)}
    member = MeasuredModel("model", MODEL, {metric.name: 0.0}, contributions, lambda: samples)
    decisions = Decisions(
        test_name="ranking",
        fingerprint="f",
        ids=["a", "b", "c"],
        topics=["A", "B", "C"],
        credits={"model": np.array([1.0, 0.0, 0.25])},
        margins={"model": np.zeros(3)},
        standing=make_standing("ranking", metric, [member]),
    )
    analysis = analyse_errors(decisions, facts, [], [])
    assert [(*part[:4], part.error_rates["model"]) for part in analysis.slices] == [
        ("rows", "all", 3, 2, pytest.approx(1.75 / 3)),
        ("SCU weight", "2", 2, 1, 0.5),
        ("SCU weight", "3", 1, 1, 0.75),
        ("parts", "0 (labels)", 1, 0, 0.0),
        ("parts", "1", 1, 1, 1.0),
        ("parts", "3 or more", 1, 1, 0.75),
        ("collection", "duc2006", 1, 0, 0.0),
        ("collection", "duc2006 and sample", 1, 1, 1.0),
        ("collection", "x", 1, 1, 0.75),
        ("type", "contained", 2, 1, 0.375),
        ("type", "other", 1, 0, 0.0),
    ]


def test_a_built_folder_has_weights_unless_an_earlier_release_built_it(folder: Path, tmp_path: Path) -> None:
    assert run("build", SAMPLE_DIR, "--output", tmp_path / "built") == 0
    of_files = harness.read_results(folder).errors("sample").slices()
    assert harness.read_results(folder).errors(tmp_path / "built").slices().equals(of_files)
    drop_optional_columns(tmp_path / "built")
    errors = harness.read_results(folder).errors(tmp_path / "built", tasks=["ranking"])
    assert set(errors.slices()["dimension"]) == {"rows", "words", "shared words", "type"}
    assert errors.to_pandas()["scu_weight"].isna().all()
    assert "SCU weight" not in repr(errors)


def test_a_repository_on_the_hub_is_data(run_fork: Run, folder: Path, tmp_path: Path) -> None:
    assert run("build", SAMPLE_DIR, "--output", tmp_path / "built") == 0
    code = """
import sys
from harness.cli import main
print(main(["errors", sys.argv[1], "--data", "org/pyramids", "--task", "ranking"]))
"""
    with serve_hub({"datasets/org/pyramids": tmp_path / "built"}) as hub:
        done = run_fork(code, folder, HF_ENDPOINT=hub.url, HF_HUB_OFFLINE="0")
    assert done.stdout.splitlines()[-1] == "0", done.stderr
    assert "ranking, error rate" in done.stdout


def test_pairs_of_a_corpus_are_rows_of_their_own(tmp_path: Path) -> None:
    corpus = write_pit(tmp_path / "pit")
    tasks = ["pit_identification", "pit_similarity"]
    pair_results = harness.evaluate(["one-hot", "random"], corpus, tasks, resamples=5, cache=False)
    errors = pair_results.errors(corpus)
    assert [analysis.decisions.test_name for analysis in errors.analyses] == [
        "pit_identification"
    ]  # grades are not decisions
    selected = errors.analyses[0].selected
    assert len(selected) > 5
    assert all(len(group) == 1 for group in selected)
    assert {"SCU weight", "parts", "collection"}.isdisjoint(errors.slices()["dimension"])
    assert "SCU weight" not in repr(errors)
    with pytest.raises(ComparisonError, match=mentions("pairs or questions")):
        pair_results.errors(corpus, tasks=["pit_similarity"])


def test_errors_that_are_refused(results: Results) -> None:
    with pytest.raises(OptionError, match=r"one-hat.*one-hot"):
        results.errors("sample", right=["one-hat"])
    with pytest.raises(ComparisonError, match=mentions("binary ... data that the models were evaluated on")):
        results.errors(SAMPLE_DIR / "S0101.pyr")


def test_the_command(capsys: Capture, folder: Path, tmp_path: Path) -> None:
    arguments = ("errors", folder, "--data", "sample", "--task", "ranking", "--right", "one-hot", "--wrong", "constant")
    assert run(*arguments, "--rows", "3") == 0
    out = capsys.readouterr().out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "ranking, error rate" in out
    assert re.search("shared words +SCU weight +parts +alike", out)
    assert "Right: one-hot. Wrong: constant." in " ".join(out.split())
    assert "question: " not in out
    assert run(*arguments, "--rows", "1", "--show-text") == 0
    assert capsys.readouterr().out.count("  question: ") == 1
    for name in ("e.csv", "e.json", "e.md", "e.tex", "e.html"):
        assert run(*arguments, "--output", tmp_path / name) == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "e.csv").read_text())))
    report = json.loads((tmp_path / "e.json").read_text())
    finding = "Wrong on ranking, 634 rows: constant 75.0 %. 414 (65.3 %) are right for one-hot and wrong for constant."
    assert report["answer"][0] == finding  # a constant errs as often on all rows
    assert report["answer"][1].startswith("No model beats the best shortcut on ranking by success rate: overlap 0.652,")
    (record,) = report["tests"]
    assert len(rows) == record["selected"] == sum(map(len, record["groups"]))
    assert rows[0]["row"] == record["groups"][0][0]["row"]
    assert {row["one-hot"] for row in rows} == {"1.0"}
    assert "texts" not in rows[0].keys() | record.keys()
    for name in ("e.csv", "e.json"):
        assert run(*arguments, "--show-text", "--output", tmp_path / name) == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "e.csv").read_text())))
    (record,) = json.loads((tmp_path / "e.json").read_text())["tests"]
    for row in rows:
        texts = record["texts"][row["row"]]
        assert row["texts"] == " | ".join(f"{role}: {text}" for role, text in texts)
        assert texts[0][0] == "question"
    page = (tmp_path / "e.html").read_text()
    assert "This page contains no text of the data." in page
    assert page.index(f'<p class="answer">{finding}') < page.index('<p class="answer">No model beats')
    assert page.index('<p class="answer">No model beats') < page.index("<table") < page.index("Error rates: shares")
    assert run(*arguments, "--show-text", "--output", tmp_path / "e.html") == 0
    assert "Do not share it" in (tmp_path / "e.html").read_text()


def test_python_shows_and_writes_the_same(results: Results, tmp_path: Path) -> None:
    errors = results.errors("sample", tasks=["ranking"])
    finding, answer, *_ = (unwrap(paragraph) for paragraph in repr(errors).split("\n\n"))
    assert finding == (
        "Wrong on ranking, 634 rows: one-hot 33.4 %. The error rate is highest for shared words: 0 (89.4 % of 26), and "
        "lowest for shared words: 6 or more (8.3 % of 72)."
    )
    assert answer.startswith("No model beats the best shortcut on ranking by success rate: overlap 0.652,")
    assert "\n\nranking, error rate" in repr(errors)
    assert errors._repr_html_().count("<table>") == 2
    assert errors.report(tmp_path / "e.txt").read_text() == repr(errors) + "\n"
    assert "question: " in errors.report(tmp_path / "e.txt", show_text=True).read_text()
