"""Reports: tables per data set, every format, the content of pages, and the command."""

from __future__ import annotations

import copy
import csv
import dataclasses
import io
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import Capture, run
from helpers.messages import mentions
from helpers.pair_corpora import write_pit
from helpers.results import edit_result, split_tables

from harness.api.evaluating import evaluate
from harness.evaluation.comparing.stability import RankStability
from harness.evaluation.results import Result, read_result, read_results
from harness.evaluation.score_files import render_scores
from harness.rendering.reports import Cell, Grid, grid_latex
from harness.reports import figures
from harness.reports.analysis import PARAPHRASES
from harness.reports.html_reports import render_html
from harness.reports.model_tables import Column, Table, make_tables
from harness.reports.table_notes import write_notes
from harness.reports.text_reports import render_tables
from harness.stats.rounding import RoundedScores
from harness.support.errors import ComparisonError
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.rules.options import PAPER_TESTS

NAMES = ("one-hot", "random", "overlap", "options-only")
HOSTILE = "a|b*<c>_"
F1, SUCCESS, MRR = Column("binary", "f1"), Column("ranking", "success_rate"), Column("ranking", "mrr")


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    return {name: evaluate(name, "sample", PAPER_TESTS, resamples=20, cache=False) for name in NAMES}


@pytest.fixture(scope="module")
def folder(results: dict[str, Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("results")
    for result in results.values():
        result.write(place)
    return place


def rename(result: Result, name: str) -> Result:
    return edit_result(result, lambda record: record["model"].update(name=name))


def make_model(result: Result, name: str) -> Result:
    """Return the result under another name, as that of a model that competes, which random scores do not."""
    return edit_result(rename(result, name), lambda record: record["model"].update(kind="char-ngrams"))


def only(result: Result, test_name: str) -> Result:
    """Return a result with only one of its tests."""
    part = edit_result(result, lambda record: record.update(tests={test_name: record["tests"][test_name]}))
    return dataclasses.replace(part, rows={test_name: part.rows[test_name]})


def names_of(table: Table) -> list[str]:
    return [row.name for row in table.rows]


# What is in tables.


def test_models_come_by_score_and_then_shortcuts_and_chance(results: dict[str, Result]) -> None:
    [table] = make_tables([results[name] for name in ("overlap", "random", "options-only", "one-hot")])
    assert [(row.group, row.name) for row in table.rows] == [
        ("baselines", "one-hot"),
        ("shortcuts", "overlap"),
        ("shortcuts", "options-only"),
        ("chance", "random"),
    ]
    assert table.columns() == [F1, SUCCESS, MRR]
    assert table.describe_data() == "sample: binary b80dc816ce66, ranking fa10d090d4bd"


def test_people_stand_between_models_and_shortcuts_and_are_never_the_best(results: dict[str, Result]) -> None:
    """A person with the scores of the best model is in a separate section."""
    model, weak = results["one-hot"], make_model(results["random"], "weak")
    person = edit_result(rename(model, "second"), lambda record: record["model"].update(kind="annotator"))
    [table] = make_tables([results["options-only"], results["random"], person, weak, model])
    assert [(row.section, row.name) for row in table.rows] == [
        ("models", "one-hot"),
        ("models", "weak"),
        ("people", "second"),
        ("shortcuts", "options-only"),
        ("chance", "random"),
    ]
    # Whether it is one of the best, and whether it beats `options-only`: 0.666, 0.270 and 0.489.
    judged = {row.name: table.judge(row, SUCCESS) for row in table.rows}
    assert judged == {
        "one-hot": (True, True),
        "weak": (False, False),
        **dict.fromkeys(["second", "options-only", "random"], (None, None)),
    }


def test_a_model_that_does_not_beat_the_best_shortcut_is_marked(results: dict[str, Result]) -> None:
    """`overlap` has a success rate of 0.652. The 0.666 of `one-hot` are not significantly more."""
    models = [results["one-hot"], make_model(results["random"], "weak")]
    for shortcuts, marks in ((["options-only"], (True, True)), (["options-only", "overlap"], (False, False))):
        [table] = make_tables([*models, *(results[name] for name in shortcuts)])
        assert table.judge(table.rows[0], SUCCESS) == marks
        assert table.standings[SUCCESS].shortcut_name == shortcuts[-1]
        assert "= or not above" in "\n".join(write_notes(table))
    assert make_tables(models)[0].standings[SUCCESS].shortcut_name == ""


def test_other_data_is_another_table(results: dict[str, Result]) -> None:
    result = results["one-hot"]
    foreign = edit_result(rename(result, "x"), lambda record: record["tests"]["ranking"].update(fingerprint="0" * 64))
    elsewhere = edit_result(rename(result, "y"), lambda record: record["dataset"].update(collections=["duc2007"]))
    tables = make_tables([result, foreign, elsewhere, results["random"]])
    assert [names_of(table) for table in tables] == [["one-hot", "random"], ["x"], ["y"]]
    assert [table.fingerprints["ranking"][:4] for table in tables] == ["fa10", "0000", "fa10"]


def test_tasks_of_one_model_join_into_one_row(results: dict[str, Result]) -> None:
    result = results["one-hot"]
    [table] = make_tables([only(result, "ranking"), only(result, "binary")])
    [row] = table.rows
    assert (row.value(F1), row.value(SUCCESS)) == (0.663425, 0.665747)  # as `evaluate` prints them for the sample
    assert len(row.results) == 2
    assert split_tables(render_tables([table], "terminal")) == [
        ["binary     F", "models", "  one-hot  0.663 [0.612, 0.766]"],
        ["ranking    success rate          MRR", "models", f"  one-hot  {'  '.join(INTERVALS)}"],
    ]


def test_the_later_of_two_evaluations_counts(results: dict[str, Result]) -> None:
    result = results["one-hot"]
    dates = {0.1: "2026-01-02T00:00:00+00:00", 0.2: "2026-01-03T00:00:00+00:00", 0.3: "2026-01-01T00:00:00+00:00"}
    several = []
    for value, date in dates.items():
        dated = edit_result(result, lambda record, date=date: record["time"].update(date=date))  # type: ignore[misc]
        several.append(edit_result(dated, lambda r, value=value: r["tests"]["ranking"]["metrics"].update(mrr=value)))  # type: ignore[misc]
    several[1] = edit_result(several[1], lambda record: record["model"].update(dimension=7))
    [table] = make_tables(several)
    [row] = table.rows
    assert row.value(MRR) == 0.2
    assert row.results == (several[1],)
    older = [only(several[0], "binary"), several[2]]
    assert [result.record.time.date[:10] for result in make_tables(older)[0].rows[0].results] == [
        "2026-01-01",
        "2026-01-02",
    ]


def test_models_of_one_name_are_told_apart(results: dict[str, Result]) -> None:
    first = results["one-hot"]
    second = edit_result(first, lambda record: record["model"].update(fingerprint="0123456789abcdef" * 4))
    [table] = make_tables([first, second])
    assert names_of(table) == ["one-hot [01234567]", "one-hot [cc2a8aba]"]  # of one score, by name


def test_the_papers_rows_stand_below_and_are_never_the_best(results: dict[str, Result]) -> None:
    random = make_model(only(results["random"], "ranking"), "random")
    constant = make_model(evaluate("constant", "sample", "ranking", resamples=20), "constant")
    [table] = make_tables([random, constant], with_paper=True)
    paper = [row for row in table.rows if not row.is_ours]
    # Baumel et al. (2016), table 1, by success rate: 0.670, 0.657, ..., 0.247.
    assert [row.name for row in paper][:2] == ["word2vec, Google News", "Open IE"]
    assert paper[-1].name == "random"
    assert [paper[1].value(column) for column in (F1, SUCCESS, MRR)] == [0.425, 0.657, 0.778]
    assert table.rows[-8:] == paper
    assert table.columns() == [SUCCESS, MRR]
    assert random.tasks["ranking"]["success_rate"] < 0.3
    judged = [table.judge(row, SUCCESS) for row in table.rows]  # the paper has a model "random", too
    assert judged == [(True, None)] * 2 + [(None, None)] * 8
    assert render_tables([table], "markdown").count("**") == 8
    assert write_notes(table)[-1].startswith("The paper: Baumel et al. (2016), table 1, on DUC 2005 to 2007. Its data")


def test_the_paper_has_no_numbers_for_matched_tests(results: dict[str, Result]) -> None:
    ranking = only(results["random"], "ranking")
    matched = edit_result(ranking, lambda r: r.update(tests={"ranking_matched": r["tests"]["ranking"]}))
    assert names_of(make_tables([matched], with_paper=True)[0]) == ["random"]


def test_notes(results: dict[str, Result]) -> None:
    unknown = {"tokens": 0.125, "texts": 0.01}
    silent = edit_result(
        make_model(results["random"], "silent"),
        lambda r: (r["tests"]["binary"]["metrics"].update(f1=0), r["model"].update(out_of_vocabulary=unknown)),
    )
    [table] = make_tables([results["one-hot"], silent])
    marked = "no other model is significantly better (two-sided sign-flip test over topics, p < 0.05 for each pair, not"
    assert write_notes(table) == [
        f"* or bold: {marked} corrected for the number of models).",
        "one-hot: classifies every row of binary as a paraphrase, which determines its F.",
        "silent: 12.5% of the words and 1.0% of the texts have no vector.",
        "silent: finds no paraphrase of binary at its threshold.",
    ]


def configure(result: Result, effective: dict[str, object], **counts: int) -> Result:
    """Return a result of a model with a configuration, which did not read some texts as they are."""
    return edit_result(result, lambda record: record["model"].update(effective=effective, text_counts=counts))


EFFECTIVE = {"prompt": "say:\n<x> ", "pooling": "mean", "max_tokens": 8}


@pytest.mark.parametrize(
    ("counts", "note"),
    [
        ({"cut_texts": 514, "cut_tokens": 4321}, "514 of 571 texts were cut to 8 tokens (4,321 tokens lost)."),
        (
            {"cut_pairs": 7, "pairs": 1234, "cut_tokens": 1},
            "7 of 1,234 pairs of texts were cut to 8 tokens (1 token lost).",
        ),
        ({"zero_vectors": 210}, "the vectors of 210 of 571 texts are zero (no known word, or a failure of the model)."),
    ],
)
def test_notes_on_texts_that_were_not_read_as_they_are(
    results: dict[str, Result], counts: dict[str, int], note: str
) -> None:
    [table] = make_tables([configure(results["random"], {"max_tokens": 8}, **counts)])
    assert write_notes(table) == [f"random: {note}"]


def test_a_cut_without_its_length(results: dict[str, Result]) -> None:
    """Another program may have written the result."""
    [table] = make_tables([configure(results["random"], {"pooling": "mean"}, cut_texts=3)])
    assert write_notes(table) == ["random: 3 of 571 texts were cut (0 tokens lost)."]


def test_a_prompt_that_no_option_names_is_noted(results: dict[str, Result]) -> None:
    """A configuration is untrusted, and a prompt can be long."""
    [table] = make_tables([configure(results["random"], EFFECTIVE, zero_vectors=1)])
    assert write_notes(table)[0] == "random: its configuration puts the prompt 'say:\\n<x> ' before every text."
    long = configure(results["random"], {"prompt": "a" * 30 + "b" * 50 + "c" * 30}, zero_vectors=1)
    assert f"'{'a' * 30}[...]{'c' * 30}'" in write_notes(make_tables([long])[0])[0]
    named = edit_result(
        configure(results["random"], EFFECTIVE, zero_vectors=1), lambda r: r["model"]["options"].update(prompt_name="x")
    )
    assert len(write_notes(make_tables([named])[0])) == 1
    chosen = configure(results["random"], {"prompt": "query: ", "prompt_source": "E5, its card"}, zero_vectors=1)
    chosen = edit_result(chosen, lambda r: r["model"]["options"].update(prompt="query: "))
    note = "random: prompt=auto puts the prompt 'query: ' before every text (E5, its card)."
    assert write_notes(make_tables([chosen])[0])[0] == note


def test_training_data_that_contain_the_collection_are_noted(results: dict[str, Result]) -> None:
    """Names in a card are untrusted. Pages and CSV show all training data."""

    trained = edit_result(results["random"], lambda r: r["model"].update(training_data=["snli", "SNLI", "a<b>"]))
    trained = edit_result(trained, lambda r: r["dataset"].update(collections=["rose", "snli"]))
    [table] = make_tables([trained])
    note = "random: was trained on all or a part of snli (in snli, SNLI), according to its model card."
    assert note in write_notes(table)
    [row, *_] = csv.DictReader(io.StringIO(render_tables([table], "csv")))
    assert row["training_data"] == "snli, SNLI, a<b>"
    page = render_html([table])
    assert "<dt>Training data, according to the model card</dt><dd>snli, SNLI, a&lt;b&gt;</dd>" in page
    assert note in page
    assert "card" not in str(write_notes(make_tables([results["random"]])[0]))


def test_csv_tells_what_a_model_did_to_texts(results: dict[str, Result]) -> None:
    cut = configure(results["random"], EFFECTIVE, cut_texts=514, cut_tokens=4321, zero_vectors=2)
    pairs = configure(rename(results["random"], "pairs"), {"max_tokens": 8}, cut_pairs=7, pairs=9, cut_tokens=1)
    pairs = edit_result(pairs, lambda r: r["tests"]["ranking"]["counts"].update(refusals=3, unparsable=1, by_words=9))
    rows = csv.DictReader(io.StringIO(render_tables(make_tables([results["one-hot"], cut, pairs]), "csv")))
    names = ("cut_inputs", "cut_tokens", "zero_vectors", "no_answers", "effective")
    values = {(row["model"], row["task"]): tuple(row[name] for name in names) for row in rows}
    assert values["one-hot", "ranking"] == ("", "", "", "", "")
    assert values["random", "ranking"][:4] == ("514", "4321", "2", "")
    assert json.loads(values["random", "ranking"][4]) == EFFECTIVE
    assert values["pairs", "ranking"] == ("7", "1", "", "4", '{"max_tokens": 8}')
    assert values["pairs", "binary"] == ("7", "1", "", "", '{"max_tokens": 8}')


def test_a_page_tells_what_a_model_did_to_texts(results: dict[str, Result]) -> None:
    page = render_html(make_tables([configure(results["random"], EFFECTIVE, cut_texts=514, cut_tokens=4321)]))
    assert "<dt>Configuration: pooling</dt><dd>mean</dd>" in page
    assert "&lt;x&gt;" in page
    assert "<x>" not in page
    assert "514 of 571 texts were cut to 8 tokens" in page


def test_models_that_cannot_decide_are_noted(results: dict[str, Result]) -> None:
    """A text without known words has the same cosine with every option. The success rate is then that of chance."""
    one_hot = only(results["one-hot"], "ranking")
    rows = one_hot.rows["ranking"]
    numbers = np.flatnonzero(rows.is_test)
    notes = []
    for decided in (0, 316, 317):
        scores = np.zeros_like(rows.scores)
        scores[numbers[:decided], 0] = 1
        tied = dataclasses.replace(rows, scores=RoundedScores(scores))
        [table] = make_tables([dataclasses.replace(one_hot, rows={"ranking": tied})])
        notes.append([line for line in write_notes(table) if "same rounded score" in line])
    rest = "rows of ranking, all options have the same rounded score, so the model decides nothing there."
    assert notes == [[f"one-hot: in 634 of 634 {rest}"], [f"one-hot: in 318 of 634 {rest}"], []]


def test_a_test_with_a_single_class_is_noted(results: dict[str, Result]) -> None:
    one_hot = only(results["one-hot"], "binary")
    for count, message in (
        (0, "binary: has no paraphrases to find, so F is 0"),
        (1237, "binary: has only paraphrases"),
    ):
        edited = edit_result(one_hot, lambda r, count=count: r["tests"]["binary"]["counts"].update(paraphrases=count))
        assert [line for line in write_notes(make_tables([edited])[0]) if line.startswith(message)]
    without = edit_result(one_hot, lambda r: r["tests"]["binary"].update(counts={}))
    for result in (one_hot, without):
        assert not [line for line in write_notes(make_tables([result])[0]) if line.startswith("binary: has")]


def test_thresholds_fitted_on_a_single_class_are_noted(results: dict[str, Result]) -> None:
    """The validation split of the sample has 138 pairs. Only pairs of the test split have both classes here."""
    one_hot = only(results["one-hot"], "binary")
    rows = one_hot.rows["binary"]
    for label, message in ((1, "validation has only paraphrases"), (0, "validation has no paraphrases")):
        changed = dataclasses.replace(rows, targets=np.where(rows.is_test, rows.targets, label))
        [table] = make_tables([dataclasses.replace(one_hot, rows={"binary": changed})])
        assert re.search(mentions(f"binary: ... {message} ... thresholds"), "\n".join(write_notes(table)))
    assert "thresholds" not in "\n".join(write_notes(make_tables([one_hot])[0]))


def test_several_ways_of_making_intervals_are_told(results: dict[str, Result]) -> None:
    differing = edit_result(results["random"], lambda record: record["statistics"].update(resamples=1000, seed=3))
    [table] = make_tables([results["one-hot"], differing])
    ways = "20 resamples, seed 0 or 1,000 resamples, seed 3"
    assert table.describe_intervals() == f"95 %, bootstrap over topics, {ways}"


# Formats. The numbers are those that `evaluate` gives for the sample with 20 resamples.

INTERVALS = "0.666 [0.575, 0.730]", "0.809 [0.757, 0.844]"


@pytest.fixture(scope="module")
def tables(results: dict[str, Result]) -> list[Table]:
    pairless = only(results["options-only"], "ranking")
    return make_tables([results["one-hot"], make_model(results["random"], HOSTILE), pairless])


ANSWER = (
    (
        f"Best on binary by F: one-hot 0.663 and {HOSTILE} 0.657, which cannot be told apart. one-hot is 0.337 below "
        "the ceiling (1). No shortcut was evaluated, so it is unknown whether this is more than one."
    ),
    (
        "Best on ranking by success rate: one-hot 0.666. It is 0.177 [0.113, 0.237] above the best shortcut "
        "(options-only 0.489) and 0.334 below the ceiling (1)."
    ),
    "A shortcut can score high on these tests: evaluate on binary_matched and ranking_matched, too.",
)
"""The intervals are from 1,000 resamples."""


def test_terminal(tables: list[Table]) -> None:
    parts = render_tables(tables, "terminal").split("\n\n")
    assert tuple(part.replace("\n  ", " ") for part in parts[:3]) == ANSWER
    binary, ranking, notes = (part.splitlines() for part in parts[3:])
    assert binary[:3] == [
        "binary      F",
        "models",
        "  one-hot   0.663 [0.612, 0.766] *",
    ]
    assert binary[3].startswith("  a|b*<c>_  0.657 [")
    assert ranking[:3] == [
        "ranking         success rate            MRR",
        "models",
        f"  one-hot       {' *  '.join(INTERVALS)} *",
    ]
    assert ranking[3].startswith("  a|b*<c>_      0.270 [")
    assert ranking[3].count("] =") == 2
    assert ranking[4] == "shortcuts"  # which has no score of the first test
    assert ranking[5].startswith("  options-only  0.489 [")
    assert notes[:2] == [
        "Data: sample: binary b80dc816ce66, ranking fa10d090d4bd.",
        "Intervals: 95 %, bootstrap over topics, 20 resamples, seed 0.",
    ]
    assert len(split_tables(render_tables([*tables, *tables], "terminal"))) == 4


def test_the_papers_tests_have_a_table_of_their_own_after_the_others(results: dict[str, Result]) -> None:
    """The best model is the one of the other tests. Without them, the paper's tests decide."""
    matched = [evaluate(name, "sample", "ranking_matched", resamples=20) for name in ("one-hot", "options-only")]
    tables = make_tables([*matched, results["one-hot"], results["options-only"]])
    title = "The tests of the paper, on which a shortcut can score high"
    parts = render_tables(tables, "terminal").split("\n\n")
    assert [re.split(r"  |\n", part)[0] for part in parts[:5]] == [
        "The only model on ranking_matched by success rate: one-hot 0.579. It is 0.329",
        "ranking_matched",
        title,
        "binary",
        "ranking",
    ]
    for form, title_of_form, header in (
        ("markdown", f"**{title}**", "| model | {} |"),
        ("notebook", f"<p><strong>{title}</strong></p>", ">model</th><th>{}</th>"),
    ):
        text = render_tables(tables, form)
        separator = {"markdown": " | ", "notebook": "</th><th>"}[form]
        first = header.format(separator.join(["ranking_matched success rate", "ranking_matched MRR"]))
        second = header.format(separator.join(["binary F", "ranking success rate", "ranking MRR"]))
        places = [text.index(part) for part in ("The only model on", first, title_of_form, second)]
        assert places == sorted(places)
    text = render_tables(tables, "latex")
    parts = (
        r"matched\\MRR}",
        r"\caption[{Results on Sample corpus of this project}]",
        "binary F",
        rf"\caption[{{Results on Sample corpus of this project: {title}}}]",
    )
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)


def test_markdown(tables: list[Table]) -> None:
    lines = render_tables(tables, "markdown").splitlines()
    assert lines[2].replace("\\", "") == ANSWER[1]
    start = lines.index("| model | binary F | ranking success rate | ranking MRR |")
    assert lines[start + 1 : start + 4] == [
        "| --- | ---: | ---: | ---: |",
        "| *models* |  |  |  |",
        f"| one-hot | **0.663 [0.612, 0.766]** | **{INTERVALS[0]}** | **{INTERVALS[1]}** |",
    ]
    assert lines[start + 4].startswith(r"| a\|b\*\<c\>\_ | **0.657 [")
    assert lines[start + 4].count("**") == 2  # by F alone, the difference is not significant
    assert lines[start + 4].count("] = |") == 2  # not above `options-only`
    assert lines[start + 6].startswith("| options-only | - | 0.489 [")


def test_markdown_takes_nothing_of_a_name_for_its_own(results: dict[str, Result]) -> None:
    name = r"[x](y) `z` \ ~a~ #1 {b} &lt;"
    text = render_tables(make_tables([rename(results["options-only"], name)]), "markdown")
    assert r"| \[x\](y) \`z\` \\ \~a\~ \#1 \{b\} \&lt; |" in text


def test_latex(tables: list[Table]) -> None:
    lines = render_tables(tables, "latex").splitlines()
    assert [line for line in lines if line.startswith("%")] == lines[:3]
    assert lines[1].startswith("% Data: sample: binary b80dc816ce66, ranking fa10d090d4bd. Intervals: 95 %,")
    assert lines[2] == "% Not here: the answer, 3 notes (--format markdown), 3 signatures (CSV)."
    first = lines.index(r"\toprule")
    # From the intervals of Markdown: 0.612 to 0.766, 0.575 to 0.730, and 0.757 to 0.844.
    cells = ("0.663", ".103", ".051"), ("0.666", ".064", ".091"), ("0.809", ".035", ".052")
    best = " & ".join(rf"\textbf{{{value}}}\(^{{+{above}}}_{{-{below}}}\)" for value, above, below in cells)
    assert lines[3:5] == [
        r"\begin{table}",
        r"\centering\small\setlength{\tabcolsep}{3pt}\renewcommand{\arraystretch}{1.15}",
    ]
    assert lines[first - 1] == r"\begin{tabular}{lrrr}"
    assert lines[first + 1 : first + 5] == [
        r"Model & \shortstack[r]{binary F} & \shortstack[r]{ranking\\success\\rate} & \shortstack[r]{ranking\\MRR} \\",
        r"\midrule",
        r"\multicolumn{4}{l}{\emph{models}} \\",
        rf"one-hot & {best} \\",
    ]
    assert lines[first + 5].startswith(r"a\textbar{}b{*}\textless{}c\textgreater{}\_ & \textbf{0.657}\(^{+")
    assert lines[first + 5].count(" = ") == 2
    assert r"options-only & -- & 0.489" in "\n".join(lines)
    assert lines[-4:-2] == [r"\bottomrule", r"\end{tabular}"]
    assert lines[-2].startswith(
        r"\caption[{Results on Sample corpus of this project}]{Results on Sample corpus of this project. Bold: no model"
    )
    assert lines[-2].endswith(r"Raised and lowered: distances from the value to the ends of the 95~\% interval.}")
    assert lines[-1] == r"\end{table}"


@pytest.mark.parametrize(
    ("value", "interval", "digits", "text"),
    [
        (0.5, (0.4, 0.6), 3, r"0.500{\scriptsize \(\pm\).100}"),
        (0.5, (0.41, 0.6), 2, r"0.50\(^{+.10}_{-.09}\)"),
        (0.5, (0.41, 0.6), 1, r"0.5{\scriptsize \(\pm\).1}"),  # of the digits that a reader sees
        (3.0, (1.5, 5.0), 1, r"3.0\(^{+2.0}_{-1.5}\)"),
        (0.5, (0.6, 0.7), 1, r"0.5 {\scriptsize [0.6, 0.7]}"),  # the value is not within
        (0.5, None, 2, "0.50"),
    ],
)
def test_intervals_in_latex(value: float, interval: tuple[float, float] | None, digits: int, text: str) -> None:
    grid = Grid(("Model", "F"), (("a", Cell(value, interval, digits=digits)),))
    assert rf"a & {text} \\" in grid_latex(grid, ("Results",)).splitlines()


def test_a_table_that_is_wider_than_a_column_spans_both() -> None:
    """With 20 letters for long names and 4 numbers with intervals, pdflatex measured 285 points; a column has 229."""
    cells = (Cell(0.123, (0.1, 0.2)),) * 4
    grid = Grid(("Model", "a", "b", "c", "d"), (("organization/a_model-with-a-long-name", *cells),))
    text = grid_latex(grid, ("Results",))
    assert text.startswith("\\begin{table*}\n")
    assert text.endswith("\\end{table*}")
    assert r"\begin{tabular}{p{10em}rrrr}" in text
    name = r"\raggedright organization/\allowbreak{}a\_\allowbreak{}model-\allowbreak{}with-"
    assert name in text
    assert grid_latex(Grid(("Model", "a"), (("m", cells[0]),)), ("Results",)).startswith("\\begin{table}\n")


def test_chosen_columns_and_digits(capsys: Capture, folder: Path) -> None:
    chosen = ("--columns", "ranking MRR, binary F,ranking MRR", "--digits", "2")
    assert run("report", folder, *chosen, "--format", "markdown") == 0
    out = capsys.readouterr().out
    assert "| model | ranking MRR | binary F |" in out
    assert "| one-hot | 0.81 [0.76, 0.84] = | 0.66 [0.61, 0.77] = |" in out
    assert "success rate" not in out[out.index("| model") :].split("\n\n")[0]
    assert run("report", folder, *chosen) == 0
    assert "model           ranking MRR" in capsys.readouterr().out
    assert run("report", folder, *chosen, "--format", "latex") == 0
    assert r"Model & \shortstack[r]{ranking\\MRR} & \shortstack[r]{binary F} \\" in capsys.readouterr().out
    assert run("report", folder, *chosen, "--format", "html") == 0
    page = capsys.readouterr().out
    first = page[: page.index("All metrics, sizes and speed")]
    assert re.findall(r"data-sort=\"number\">(\w+)<br>([^<]+)</th>", first) == [("ranking", "MRR"), ("binary", "F")]
    assert ">0.81</a><small>[0.76, 0.84]</small>" in first
    # By the names in CSV, and in CSV. All digits are the default there.
    names = ("--columns", "ranking mrr,binary f1", "--format", "csv")
    assert run("report", folder, *names) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["task"], row["metric"]) for row in rows if row["model"] == "one-hot"] == [
        ("ranking", "mrr"),
        ("binary", "f1"),
    ]
    assert all(len(row["value"]) > 5 for row in rows if row["model"] == "one-hot")
    assert run("report", folder, *names, "--digits", "1") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["value"] for row in rows if row["model"] == "one-hot"] == ["0.8", "0.7"]


def test_columns_that_no_table_has(capsys: Capture, folder: Path) -> None:
    assert run("report", folder, "--columns", "ranking mr") == 2
    assert re.search(mentions("column 'ranking mr' ... ranking MRR"), capsys.readouterr().err)
    assert run("report", folder, "--columns", "binary_matched F") == 2
    assert re.search(mentions("column 'binary_matched F' ... binary F"), capsys.readouterr().err)
    for option in (["--columns", "binary F"], ["--digits", "2"]):
        assert run("report", folder, *option, "--by-topic", "--format", "csv") == 2
        assert re.search(mentions(f"{option[0]} ... --by-topic"), capsys.readouterr().err)


def test_latex_takes_nothing_of_a_name_for_its_own(results: dict[str, Result]) -> None:
    """At the start of a row, "[" and "*" would be an argument of the line break before it."""
    text = render_tables(make_tables([rename(results["options-only"], r"[1]*\ ~ ^ & % $ # _ { }")]), "latex")
    assert (
        r"{[}1]{*}\textbackslash{} \textasciitilde{} \textasciicircum{} \& \% \$ \# \_ \{ \} & "
        in text.splitlines()[text.splitlines().index(r"\midrule") + 2]
    )


def test_names_of_models_are_no_formulas_in_csv(results: dict[str, Result]) -> None:
    """A model named `=HYPERLINK(...)` became a live link when a spreadsheet opened the report."""
    name = '=HYPERLINK("https://example.org")'
    rows = list(csv.DictReader(io.StringIO(render_tables(make_tables([rename(results["one-hot"], name)]), "csv"))))
    assert {row["model"] for row in rows} == {f"'{name}"}
    (threshold,) = (row["value"] for row in rows if row["metric"] == "threshold")
    assert threshold == "-1.85042"  # a number stays a number


def test_csv_has_every_number_as_it_is(results: dict[str, Result]) -> None:
    result = results["one-hot"]
    tables = make_tables([rename(result, 'a,"b"'), results["options-only"]], with_paper=True)
    rows = list(csv.DictReader(io.StringIO(render_tables(tables, "csv"))))
    mine = {(row["task"], row["metric"]): row for row in rows if row["model"] == 'a,"b"'}
    assert len(mine) == 15  # ten of pairs, three at the paper's share of paraphrases, two of questions
    assert list(mine["ranking", "mrr"].values()) == [
        *('a,"b"', "baselines", "one-hot", "1262", "", "", str(result.record.time.per_second)),
        *("ranking", "mrr", "0.808633"),
        *map(str, result.tasks["ranking"]["intervals"]["mrr"]),
        *("", "True", result.tasks["ranking"]["fingerprint"], result.signature, "", "", "", "", "", ""),
    ]
    assert (mine["binary", "threshold"]["value"], mine["binary", "threshold"]["lower"]) == ("-1.85042", "")
    paper = [row for row in rows if row["group"] == "the paper (other data)"]
    assert len(paper) == 24
    assert {row["fingerprint"] + row["signature"] + row["kind"] for row in paper} == {""}
    assert {row["task"] for row in rows if row["model"] == "options-only"} == {"ranking"}


def test_csv_says_which_models_are_the_best(results: dict[str, Result]) -> None:
    """Shortcuts, chance and the paper's models do not compete: their cells are empty, as are those of other metrics."""
    chosen = [results["one-hot"], make_model(results["random"], "weak"), results["options-only"], results["random"]]
    rows = csv.DictReader(io.StringIO(render_tables(make_tables(chosen, with_paper=True), "csv")))
    marks: dict[str, dict[str, tuple[str, str]]] = {}
    for row in rows:
        values = row["is_best"], row["beats_shortcut"]
        marks.setdefault(f"{row['model']}, {row['group']}", {})[f"{row['task']} {row['metric']}"] = values
    assert marks["one-hot, baselines"]["ranking success_rate"] == ("True", "True")
    assert marks["weak, baselines"]["ranking success_rate"] == ("False", "False")
    assert marks["weak, baselines"]["binary f1"] == ("True", "")  # no shortcut has a score of pairs
    assert marks["weak, baselines"]["binary precision"] == ("", "")
    for name in ("options-only, shortcuts", "random, chance", "random, the paper (other data)"):
        assert set(marks[name].values()) == {("", "")}


# The page, as text; a browser looks at it in test_pages.py.


def test_a_page_is_the_same_each_time(results: dict[str, Result]) -> None:
    tables = make_tables(list(results.values()), with_paper=True)
    assert render_html(tables) == render_html(tables)


@pytest.mark.parametrize("name", ["_x", "$x_{1}$", "模型 🙂", "#000001 url(#a", "x" * 100])
def test_figures_show_any_name(name: str) -> None:
    curve = np.array([0.5, 1.0]), np.array([1.0, 0.5])
    precision = figures.draw_precision({name: curve}, {name: 3}, 0.5)
    # From 54.5 to 446 across and from 222 to 12 up.
    assert [(shape.colour, shape.name, shape.path) for shape in precision.shapes] == [
        ("muted", "", "M54.5 117L446 117"),
        ("series-3", name, "M250.2 12L446 117"),
    ]
    overlaps = figures.draw_overlaps({name: {0: (0.5, 2)}}, {name: 3})
    assert [(shape.look, shape.colour, shape.name) for shape in overlaps.shapes] == [
        ("line", "series-3", name),
        ("points", "series-3", ""),
    ]


@pytest.mark.parametrize(
    ("name", "shown"), [("\u202eevil\uffff", r"\u202eevil\uffff"), ("x" * 100, "x" * 12 + "…" + "x" * 13)]
)
def test_names_beside_bars_are_short(name: str, shown: str) -> None:
    """Characters that XML does not allow or that change the direction are escaped, and the middle is left out."""
    chart = figures.draw_ranks({name: np.array([0.75, 0.25]), "y": np.array([0.5, 0.5])}, 0.25, "questions")
    assert chart.y.ticks == ((0, shown), (1, "y"))
    assert [(shape.name, shape.style) for shape in chart.shapes] == [
        ("rank 1", "fill-opacity: 0.95"),
        ("rank 2", "fill-opacity: 0.6"),
        ("", "stroke-dasharray: 1 3"),
    ]


def test_bars_follow_each_other() -> None:
    """The plot is 400 wide and 56 high. A bar takes 80 % of 28, and leaves a gap of 2.8 above and below."""
    chart = figures.draw_ranks({"x" * 7: np.array([0.75, 0.25]), "y": np.array([0.5, 0.5])}, 0.25, "questions")
    first, second, chance = (shape.path for shape in chart.shapes)
    left, width = 84.5, 361.5
    ends = [f"{round(left + share * width, 1):g}" for share in (0, 0.5, 0.75, 1)]
    assert first == (
        f"M{ends[0]} 14.8L{ends[2]} 14.8L{ends[2]} 37.2L{ends[0]} 37.2"
        f"M{ends[0]} 42.8L{ends[1]} 42.8L{ends[1]} 65.2L{ends[0]} 65.2"
    )
    assert second.startswith(f"M{ends[2]} 14.8L{ends[3]} 14.8")
    assert chance == "M174.9 68L174.9 12"


def test_distributions_are_steps() -> None:
    """Two bins from 0 to 2. The threshold is drawn if it is one of the scores that are shown."""
    spread = (np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    chart = figures.draw_distribution(*spread, 0.5, PARAPHRASES)
    assert [(shape.look, shape.colour, shape.name) for shape in chart.shapes] == [
        ("area", "paraphrase", "paraphrases"),
        ("area", "other", "other pairs"),
        ("line", "ink", "threshold"),
    ]
    assert chart.shapes[0].path == "M54.5 222L54.5 222L250.2 222L250.2 12L446 12L446 222"
    assert chart.shapes[2].path == "M152.4 222L152.4 12"
    for outside in (-0.1, 2.1):
        assert len(figures.draw_distribution(*spread, outside, PARAPHRASES).shapes) == 2


def test_grades_have_a_band_and_a_median() -> None:
    chart = figures.draw_grades([(0, 3, (0.0, 0.2, 0.4)), (1, 2, (0.6, 0.8, 1.0))])
    assert [(shape.look, shape.path) for shape in chart.shapes] == [
        ("area", "M152.4 222L348.1 96L348.1 12L152.4 138"),
        ("line", "M152.4 180L348.1 54"),
        ("points", "M152.4 180h0M348.1 54h0"),
    ]
    assert chart.x.ticks == ((0, "0"), (1, "1"))


def test_ids_of_a_page_are_unique(results: dict[str, Result]) -> None:
    page = render_html(make_tables(list(results.values())))
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids)) > 0


def test_values_lead_to_lists_of_mistakes(results: dict[str, Result]) -> None:
    """The paper has values without rows."""
    page = render_html(make_tables(list(results.values()), with_paper=True))
    ids = set(re.findall(r'<details id="([^"]+)"', page))
    linked = re.findall(r'<a href="#([^"]+)">[01]\.\d', page)
    assert set(linked) == ids
    assert len(linked) > len(ids) > 0
    assert "<a" not in page[page.index('<tr class="elsewhere">') :].partition("</tr>")[0]


def test_figures_without_anything_to_show() -> None:
    empty = np.array([])
    assert figures.draw_precision({"x": (empty, empty)}, {"x": 0}, 0.0).shapes[-1].path == ""
    assert figures.draw_precision({}, {}, 0.0).x_title == "recall"


def test_every_task_shows_its_models_though_others_come_first(results: dict[str, Result]) -> None:
    """The ninth model was in no figure of a test that the eight before it had not been evaluated on."""
    first = []
    for number in range(8):
        model = {"name": f"m{number}", "fingerprint": f"{number}" * 64}
        first.append(edit_result(only(results["random"], "binary"), lambda r, model=model: r["model"].update(model)))  # type: ignore[misc]
    page = render_html(make_tables([*first, only(results["one-hot"], "ranking"), only(results["overlap"], "ranking")]))
    shared = page[page.index("Success by shared words") :]
    assert "</svg>one-hot</li>" in shared[: shared.index("</ul>")]
    assert "Only the best models and the shortcuts are shown." not in page


def test_a_page_shows_the_best_of_many_models(results: dict[str, Result]) -> None:
    """Of 17 models and a shortcut, sections show 15 models, and figures with a line per model show 7."""
    models = [results["overlap"], only(results["one-hot"], "ranking")]
    for number in range(16):
        model = {"fingerprint": f"{number:x}" * 64}
        random = make_model(only(results["random"], "ranking"), f"m{number}")
        models.append(edit_result(random, lambda r, model=model: r["model"].update(model)))  # type: ignore[misc]
    page = render_html(make_tables(models))
    assert "for the best models and the shortcuts, not for the other 2." in page
    assert page.count("Only the best models and the shortcuts are shown.") == 1
    shared = page[page.index("Success by shared words") :]
    legend = shared[: shared.index("</ul>")]
    assert set(re.findall(r"</svg>(m\d+|one-hot|overlap)</li>", legend)) == {
        *("one-hot", "overlap"),
        *("m0", "m1", "m10", "m11", "m12", "m13"),
    }


def test_a_model_that_is_only_called_overlap_is_none(results: dict[str, Result]) -> None:
    page = render_html(make_tables([rename(results["random"], "overlap")]))
    assert "also report the result of overlap" in page
    assert "Success by shared words" not in page


def test_results_with_other_rows_than_they_say_are_no_traceback(results: dict[str, Result]) -> None:
    one, scored_rows = results["one-hot"], results["random"].rows["ranking"]
    other_rows = dataclasses.replace(scored_rows, ids=["f" * 64, *scored_rows.ids[1:]])
    foreign = edit_result(results["random"], lambda _: None, ranking=other_rows)
    with pytest.raises(ComparisonError, match=mentions("random: ... ranking ... fingerprint ... Evaluate")):
        render_html(make_tables([one, foreign]))


def test_a_task_without_paraphrases_in_test(results: dict[str, Result]) -> None:
    scored_rows = results["one-hot"].rows["binary"]
    none = only(
        edit_result(
            results["one-hot"],
            lambda record: (
                record["tests"]["binary"]["metrics"].update(f1=0, positive_share=0, recall=0),
                record["tests"]["binary"]["counts"].update(paraphrases=0),
            ),
            binary=dataclasses.replace(scored_rows, targets=np.zeros_like(scored_rows.targets)),
        ),
        "binary",
    )
    page = render_html(make_tables([none]))
    assert "has no paraphrases to find" in page
    assert "finds no paraphrase" not in page
    assert '<th scope="row">one-hot</th><td class="number">-</td>' in page


def test_two_data_sets_have_two_titles(results: dict[str, Result]) -> None:
    foreign = edit_result(results["random"], lambda record: record["tests"]["ranking"].update(fingerprint="0" * 64))
    page = render_html(make_tables([results["one-hot"], foreign]))
    assert re.findall(r"<h2 id=\"table-\d\">([^<]+)", page) == [
        "Sample corpus of this project, 1 of 2",
        "Sample corpus of this project, 2 of 2",
    ]
    assert "from 2 results." in page
    assert "from 1 result." in render_html(make_tables([results["one-hot"]]))


def test_places_are_drawn_with_their_intervals() -> None:
    stability = [RankStability(0, 1, (1, 2), 0.9, 7), RankStability(1, 2, (1, 3), 0.1, None)]
    chart = figures.draw_places(["first", "second"], stability)
    assert (chart.x.low, chart.x.high, chart.y_title) == (0.5, 3.5, "")
    line, dots = chart.shapes
    assert line.path.count("M") == 2
    assert dots.path == chart.dot([(1, 0), (2, 1)])
    assert [label for _, label in chart.y.ticks] == ["first", "second"]


def test_scores_by_size_and_by_false_alarms(results: dict[str, Result]) -> None:
    """The sizes and false alarms are invented."""

    def add(record: dict[str, object], size: int | None, alarms: float) -> None:
        record["model"]["parameters"] = size
        record["tests"]["ranking"]["other_metrics"] = {"transfer.mine.false_alarms": {"value": alarms}}

    changed = [
        edit_result(make_model(results["one-hot"], "large"), lambda record: add(record, 1_000_000, 0.1)),
        edit_result(make_model(results["random"], "small"), lambda record: add(record, 1_000, 0.5)),
        edit_result(make_model(results["options-only"], "unknown"), lambda record: add(record, None, 0.3)),
    ]
    page = render_html(make_tables(changed))
    captions = re.findall(r"<figcaption>(.*?)<span>(.*?)</span></figcaption>", page)
    assert captions.count(("Success rate by parameters", "Not known for 1 model.")) == 1
    assert captions.count(("Success rate by mine: false alarms", "")) == 1
    figure = page[page.index("Success rate by mine: false alarms") :].split("</figure>")[0]
    labels = re.findall(r"<text class=\"point-name\".*?>(.*?)</text>", figure)
    assert sorted(labels) == ["large", "small", "unknown"]
    assert re.findall(r"<th scope=\"row\">(.*?)</th><td class=\"number\">(.*?)</td>", figure) == [
        ("large", "0.100"),
        ("unknown", "0.300"),
        ("small", "0.500"),
    ]


# The command.

FIRST_WORDS = "No model beats the best shortcut on binary by F"


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("r.txt", f"{FIRST_WORDS}: overlap 0.663, against one-hot\n  0.663"),
        ("r.md", f"{FIRST_WORDS}: overlap 0.663, against one-hot 0.663"),
        ("r.tex", "% needs \\usepackage{booktabs}\n% Data: sample: binary b80dc816ce66"),
        ("r.csv", "model,group,"),
        ("r.HTML", "<!DOCTYPE html>"),
    ],
)
def test_the_ending_decides_on_the_format(capsys: Capture, folder: Path, tmp_path: Path, name: str, start: str) -> None:
    assert run("report", folder, "--output", tmp_path / "new" / name) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'new' / name}\n"
    text = (tmp_path / "new" / name).read_text()
    assert text.startswith(start)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_a_format_comes_before_the_ending(capsys: Capture, folder: Path, tmp_path: Path) -> None:
    assert run("report", folder, "--format", "csv", "--output", tmp_path / "r.html") == 0
    capsys.readouterr()
    assert run("report", folder, "--format", "csv") == 0
    assert (tmp_path / "r.html").read_text() == capsys.readouterr().out


def test_files_and_folders_are_results(capsys: Capture, folder: Path) -> None:
    assert run("report", folder / "random", next((folder / "one-hot").glob("*.json")), folder / "random") == 0
    lines = split_tables(capsys.readouterr().out)[0]
    assert [line.split()[0] for line in lines[1:]] == ["models", "one-hot", "chance", "random"]
    order = ["one-hot", "options-only", "overlap", "random"]
    assert [result.model for result in read_results([folder])] == order


def test_the_order_is_a_flag(capsys: Capture, results: dict[str, Result], tmp_path: Path) -> None:
    """By score, "one-hot" is before "abc" on both tests; by name, no score counts. Sections stay where they are."""
    for result in (*results.values(), make_model(results["random"], "abc")):
        result.write(tmp_path)
    orders = {}
    for flags in ([], ["--sort", "score"], ["--sort", "name"]):
        assert run("report", tmp_path, "--paper", *flags) == 0
        orders[" ".join(flags)] = [
            [line.strip().split("  ")[0] for line in table if line.startswith("  ")]
            for table in split_tables(capsys.readouterr().out)
        ]
    assert orders[""] == orders["--sort score"]
    binary, ranking = orders[""]
    assert binary[:4] == ["one-hot", "abc", "overlap", "random"]
    assert ranking[:5] == ["one-hot", "abc", "overlap", "options-only", "random"]
    # Baumel et al. (2016), table 1: F of 0.425 and 0.423, success rates of 0.670 and 0.657.
    assert binary[4:6] == ranking[5:7][::-1] == ["Open IE", "word2vec, Google News"]
    paper = ["GloVe", "Open IE", "one-hot", "random"]
    paper += [f"word2vec, {vectors}" for vectors in ("BOW2", "BOW5", "Google News", "dependencies")]
    assert orders["--sort name"] == [
        ["abc", "one-hot", "overlap", "random", *paper],
        ["abc", "one-hot", "options-only", "overlap", "random", *paper],
    ]


def test_an_order_that_there_is_not(capsys: Capture, folder: Path) -> None:
    with pytest.raises(SystemExit) as caught:
        run("report", folder, "--sort", "size")
    assert caught.value.code == 2
    assert re.search(mentions("report ... --sort ... 'size'"), capsys.readouterr().err)


def test_the_papers_table_is_a_flag(capsys: Capture, folder: Path) -> None:
    for flags, count in (([], 0), (["--paper"], 2)):  # in the table of each test
        assert run("report", folder, *flags) == 0
        assert capsys.readouterr().out.count("GloVe") == count


def test_f_at_the_papers_share_is_beside_f(capsys: Capture, folder: Path) -> None:
    """The paper's pairs are paraphrases in 8,390 of 197,619 cases (section 3), and those of the sample more often."""
    for form in ("terminal", "markdown", "latex", "html"):
        for flags, count in (([], 0), (["--paper"], 1)):
            assert run("report", folder, *flags, "--format", form) == 0
            assert len(re.findall(r"binary, 4\.25 ?\\?% positives", capsys.readouterr().out)) == count
    assert run("report", folder, "--paper", "--format", "csv") == 0
    out = capsys.readouterr().out
    ours = [row for row in csv.DictReader(io.StringIO(out)) if row["signature"]]
    values = {(row["model"], row["metric"]): float(row["value"]) for row in ours if row["task"] == "binary"}
    shares = {name: value for name, value in values.items() if name[1].startswith("paper_share.")}
    assert len(shares) == 9  # one-hot, overlap and random, three numbers each
    assert shares["random", "paper_share.best_f1_at_share"] < shares["random", "paper_share.best_f1"]
    assert run("report", folder, "--paper") == 0
    out = capsys.readouterr().out
    # 2 x 8390 / (8390 + 197619), and 8390 / 197619
    assert "calling every pair a paraphrase gives 0.0815" in " ".join(out.split())
    assert "at random 0.0425 (the paper's random: 0.041)" in " ".join(out.split())
    line = f"one-hot +{values['one-hot', 'f1']:.4f} +{shares['one-hot', 'paper_share.f1_at_share']:.4f} "
    assert re.search(line, out)


def test_values_on_each_topic(capsys: Capture, results: dict[str, Result], tmp_path: Path) -> None:
    name = "=1+1"
    files = [rename(results["one-hot"], name).write(tmp_path), results["random"].write(tmp_path)]
    assert run("report", *files, "--by-topic", "--output", tmp_path / "topics.csv") == 0
    note = capsys.readouterr().err
    rows = list(csv.DictReader(io.StringIO((tmp_path / "topics.csv").read_text(encoding="utf-8"))))
    assert [*rows[0]] == ["model", "task", "fingerprint", "metric", "topic", "value", "rows"]
    assert {row["model"] for row in rows} == {f"'{name}", "random"}
    own = [row for row in rows if row["model"] == f"'{name}"]
    success = [row for row in own if row["metric"] == "success_rate"]
    total = sum(int(row["rows"]) for row in success)
    mean = sum(float(row["value"]) * int(row["rows"]) for row in success) / total
    # In full precision: the mean over topics, weighted by their questions, is the mean over questions.
    assert round(mean, 6) == results["one-hot"].tests["ranking"].metrics["success_rate"]
    assert total == results["one-hot"].tests["ranking"].counts["test"]
    within = sum(int(row["rows"]) for row in own if row["metric"] == "f1")
    pairs = results["one-hot"].tests["binary"].counts["test"]
    assert f"note: binary b80dc816ce66: {pairs - within:,} of {pairs:,} pairs are of two topics" in note
    for arguments in (["--by-topic"], ["--by-topic", "--format", "csv", "--paper"]):
        assert run("report", *files, *arguments) == 2
        assert re.search(mentions("--by-topic ... --format csv"), capsys.readouterr().err)


def texts_of_sample() -> set[str]:
    return {text for path in SAMPLE_DIR.glob("*.pyr") for text in re.findall(r'label="([^"&]{30,})"', path.read_text())}


def test_no_text_unless_asked_for(capsys: Capture, folder: Path, tmp_path: Path) -> None:
    texts = texts_of_sample()
    assert len(texts) > 300
    for form in ("terminal", "markdown", "latex", "csv", "html"):
        assert run("report", folder, "--format", form) == 0
        out = capsys.readouterr().out
        assert not any(text in out for text in texts)
        assert "licensed text" not in out
    assert run("report", folder, "--format", "html", "--show-text", "--data", "sample") == 0
    out = capsys.readouterr().out
    assert sum(text in out for text in texts) > 10
    assert "This page contains licensed text. Do not share it." in out
    assert "by row id" not in out.lower()


def test_results_on_other_data_have_no_texts(capsys: Capture, folder: Path, tmp_path: Path) -> None:
    """A folder of results may be about several data. The texts of one of them are shown, and the errors on it."""
    assert run("build", "sample", "--output", tmp_path / "other", "--seed", "5") == 0
    data, places = ("--data", tmp_path / "other"), (folder, tmp_path / "results")
    assert run("evaluate", "--model", "one-hot", *data, "--output", tmp_path / "results", "--resamples", "5") == 0
    capsys.readouterr()
    assert run("report", *places, "--format", "html", "--show-text", *data) == 0
    out = capsys.readouterr().out
    assert out.count("Rows are listed by id") == 1  # binary on the sample: ranking does not depend on the seed
    assert '<th scope="col">Texts</th>' in out
    assert run("errors", *places, *data, "--task", "binary", "--wrong", "one-hot") == 0
    assert capsys.readouterr().out.count("binary, error rate") == 1


def test_texts_of_the_tests_that_the_data_has(capsys: Capture, folder: Path, tmp_path: Path) -> None:
    """A folder with results on pyramids and on a pair corpus."""
    corpus = write_pit(tmp_path / "pit")
    pairs = ("--task", "pit_identification", "--data", corpus, "--output", tmp_path / "results")
    assert run("evaluate", "--model", "one-hot", *pairs, "--resamples", "5") == 0
    places = (folder, tmp_path / "results")
    for data, present, absent in (
        (["sample"], ["binary", "ranking"], ["pit_identification"]),
        ([corpus], ["pit_identification"], ["binary", "ranking"]),
        ([corpus, "sample"], ["binary", "ranking", "pit_identification"], []),
    ):
        capsys.readouterr()
        assert run("errors", *places, *(argument for source in data for argument in ("--data", source))) == 0
        out = capsys.readouterr().out
        assert all(f"{name}, error rate" in out for name in present)
        assert not any(f"{name}, error rate" in out for name in absent)
    assert run("errors", *places, "--task", "binary", "--data", corpus) == 2
    assert re.search(mentions("no binary rows, ... b80dc816ce66. Use the data"), capsys.readouterr().err)


@pytest.mark.parametrize("command", ["report", "compare", "errors"])
def test_reports_do_not_replace_results(
    capsys: Capture, results: dict[str, Result], tmp_path: Path, command: str
) -> None:
    paths = [results[name].write(tmp_path) for name in ("one-hot", "random")]
    before = paths[0].read_bytes()
    assert run(command, *paths, "--format", "csv", "--output", paths[0]) == 2
    assert re.search(mentions(f"{paths[0]}: ... also an input ... --output"), capsys.readouterr().err)
    assert paths[0].read_bytes() == before


def test_texts_without_data(capsys: Capture, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "empty")
    for command in (["report", folder, "--format", "html", "--show-text"], ["errors", folder]):
        assert run(*command) == 2
        assert re.search(mentions("--data SOURCE, the data"), capsys.readouterr().err)


def test_texts_of_other_data_are_refused(capsys: Capture, folder: Path, tmp_path: Path) -> None:
    assert run("build", "sample", "--output", tmp_path / "other", "--seed", "5") == 0
    capsys.readouterr()
    arguments = ["--format", "html", "--show-text", "--data", tmp_path / "other", "--output", tmp_path / "r.html"]
    assert run("report", folder, *arguments) == 2
    assert re.search(mentions("binary rows ... b80dc816ce66. Use the data"), capsys.readouterr().err)
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--show-text"], "--show-text ... --format html, ... terminal"),
        (["--data", "sample"], "--data ... without --show-text or --agreement. Add one of them, or omit --data"),
    ],
)
def test_flags_without_effect(capsys: Capture, folder: Path, arguments: list[str], message: str) -> None:
    assert run("report", folder, *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.search(mentions(f"pyramid-paraphrase: {message}"), err)


def test_an_unknown_format(capsys: Capture, folder: Path) -> None:
    with pytest.raises(SystemExit) as caught:
        run("report", folder, "--format", "pdf")
    assert caught.value.code == 2
    assert re.search(mentions("report ... --format ... 'pdf'"), capsys.readouterr().err)


def test_an_ending_that_says_nothing(capsys: Capture, folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "r.pdf"
    assert run("report", folder, "--output", output) == 2
    message = "format '.pdf' ... .txt, .md, .tex, .csv, .tsv, .xlsx, .html"
    assert re.search(mentions(message), capsys.readouterr().err)
    assert run("report", folder, "--output", output, "--format", "markdown") == 0
    assert "\n| model |" in output.read_text()


def test_a_page_needs_no_matplotlib(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run("report", folder, "--output", tmp_path / "r.html") == 0
    assert (tmp_path / "r.html").read_text().count('<svg class="chart" viewBox="0 0 460 ') > 5


def test_an_output_that_cannot_be_written_leaves_nothing(capsys: Capture, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "file").write_text("as it was")
    for output, message in (
        (tmp_path / "taken", "regular file. Use another path"),
        ("/dev/full", "regular file. Use another path"),
        (tmp_path / "file" / "r.md", "file/r.md: ... (Not a directory) ... another path"),
        ("/proc/nothing/r.md", "/proc/nothing: ... (No such file or directory) ... path"),
        (tmp_path / f"{'x' * 300}.md", "(File name too long) ... shorter name"),
    ):
        assert run("report", folder, "--output", output, "--format", "markdown") == 2
        assert re.search(mentions(message), capsys.readouterr().err)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "taken"]
    assert (tmp_path / "file").read_text() == "as it was"


def test_a_folder_without_results(capsys: Capture, tmp_path: Path) -> None:
    assert run("report", tmp_path) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.search(mentions(f"pyramid-paraphrase: {tmp_path}: ... no result ... `pyramid-paraphrase evaluate`"), err)


def test_results_that_no_report_could_hold(folder: Path, tmp_path: Path) -> None:
    """A lone surrogate in a name was a traceback in each format. A line break in a collection ended a comment."""
    [source] = (folder / "random").glob("*.json")
    record = json.loads(source.read_text())
    for part, key, value, reason in (
        ("model", "name", "\ud800", "... surrogate pair"),
        ("dataset", "collections", ["x\n\\input{y}"], "... valid result: dataset.collections.0"),
    ):
        changed = copy.deepcopy(record)
        changed[part][key] = value
        place = tmp_path / "r.json"
        place.write_text(json.dumps(changed))
        with pytest.raises(InputError, match=mentions(f"r.json: {reason}")):
            read_result(place)


def test_rendering_scores_twice_gives_the_same(results: dict[str, Result]) -> None:
    assert len(results["one-hot"].rows) == 2
    for test_name, scored_rows in results["one-hot"].rows.items():
        assert render_scores(scored_rows) == results["one-hot"].files[test_name]
