"""Comparisons of models: pairs, corrections, results that cannot be compared, all formats, and the command."""

from __future__ import annotations

import csv
import dataclasses
import gzip
import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import Capture, run
from helpers.messages import mentions
from helpers.results import edit_result, split_tables

from harness.api.evaluating import evaluate
from harness.evaluation.comparing.comparison import ComparedMetric, compare
from harness.evaluation.results import Result, read_result
from harness.reports import difference_reports
from harness.reports.difference_reports import render_comparisons
from harness.stats.significance import correct_holm
from harness.support.errors import ComparisonError
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.rules.options import PAPER_TESTS

NAMES = ("one-hot", "char-ngrams", "options-only")
_PER_ROW = ("ids", "is_test", "targets", "topics", "scores")


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("results")
    return {name: evaluate(name, "sample", PAPER_TESTS).write(folder) for name in NAMES}


@pytest.fixture(scope="module")
def results(evaluated: dict[str, Path]) -> list[Result]:
    return [read_result(path) for path in evaluated.values()]


def rename(result: Result, name: str) -> Result:
    return dataclasses.replace(edit_result(result, lambda record: record["model"].update(name=name)), path="")


def by_metric(comparisons: list[ComparedMetric]) -> dict[tuple[str, str], ComparedMetric]:
    return {(compared.test_name, compared.metric.name): compared for compared in comparisons}


def test_all_models_are_compared_with_all(results: list[Result]) -> None:
    comparisons = by_metric(compare(results, resamples=50))
    assert list(comparisons) == [
        ("binary", "f1"), ("binary", "average_precision"), ("ranking", "success_rate"), ("ranking", "mrr"),
    ]  # fmt: skip
    compared = comparisons["ranking", "success_rate"]
    assert list(compared.values) == ["char-ngrams", "one-hot", "options-only"]
    assert [(difference.first, difference.model) for difference in compared.differences] == [
        ("one-hot", "char-ngrams"),
        ("options-only", "char-ngrams"),
        ("options-only", "one-hot"),
    ]
    assert all(difference.difference >= 0 for difference in compared.differences)
    assert compared.topics == 8
    assert list(comparisons["binary", "f1"].values) == ["one-hot", "char-ngrams"]  # options-only has no such scores
    rates = {result.model: result.tasks["ranking"]["success_rate"] for result in results}
    assert compared.values == rates


def test_all_models_are_compared_with_one(results: list[Result]) -> None:
    compared = by_metric(compare(results, "char-ngrams", resamples=50))["ranking", "mrr"]
    assert compared.against == "char-ngrams"
    assert [(difference.first, difference.model) for difference in compared.differences] == [
        ("char-ngrams", "one-hot"),
        ("char-ngrams", "options-only"),
    ]
    assert all(difference.difference < 0 for difference in compared.differences)
    alone = by_metric(compare(results, "options-only", resamples=50))
    assert {test_name for test_name, _ in alone} == {"ranking"}  # the only test that it shares


def test_p_values_are_corrected_within_a_metric(results: list[Result]) -> None:
    comparisons = compare(results, resamples=5)
    assert len(comparisons) == 4
    for compared in comparisons:
        p_values = [difference.p_value for difference in compared.differences]
        assert [difference.corrected for difference in compared.differences] == correct_holm(p_values)
    compared = by_metric(comparisons)["ranking", "success_rate"]
    assert any(difference.corrected > difference.p_value for difference in compared.differences)


def test_a_difference_is_significant_below_the_level(results: list[Result]) -> None:
    difference = compare(results[:2], resamples=5)[0].differences[0]
    assert difference._replace(corrected=0.049).is_significant
    assert not difference._replace(corrected=0.05).is_significant


def test_the_defaults_of_the_bootstrap(results: list[Result]) -> None:
    assert compare(results[:2]) == compare(results[:2], resamples=1000, seed=0)
    for options in ({"resamples": 0}, {"seed": -1}):
        with pytest.raises(OptionError, match=mentions(f"{next(iter(options))} is")):
            compare(results, **options)


def test_models_of_equal_values_are_sorted_by_name(results: list[Result]) -> None:
    compared = compare([rename(results[0], "b"), rename(results[0], "a")], resamples=5)[0]
    assert list(compared.values) == ["a", "b"]


def test_models_come_before_people(results: list[Result]) -> None:
    """`char-ngrams` has a higher value than `one-hot`."""
    signature = results[1].signature.replace("model:char-ngrams", "model:annotator")
    person = edit_result(
        results[1], lambda record: (record["model"].update(kind="annotator"), record.update(signature=signature))
    )
    compared = by_metric(compare([results[0], person], resamples=5))["ranking", "success_rate"]
    assert list(compared.values) == ["one-hot", "char-ngrams"]
    assert compared.values["one-hot"] < compared.values["char-ngrams"]


def test_results_of_one_model_are_joined(results: list[Result]) -> None:
    def keep(result: Result, test_name: str) -> Result:
        part = edit_result(result, lambda record: record.update(tests={test_name: record["tests"][test_name]}))
        return dataclasses.replace(part, rows={test_name: part.rows[test_name]})

    one_hot = results[0]
    parts = [keep(one_hot, "ranking"), keep(one_hot, "binary")]
    assert compare([*parts, one_hot, *results[1:]], resamples=5) == compare(results, resamples=5)


def test_models_of_the_same_name_get_different_titles(results: list[Result]) -> None:
    other = edit_result(rename(results[1], "one-hot"), lambda record: record["model"].update(fingerprint="0" * 64))
    compared = compare([results[0], other], resamples=5)[0]
    assert sorted(compared.values) == ["one-hot [00000000]", "one-hot [cc2a8aba]"]


def test_results_on_other_data_are_compared_separately(results: list[Result]) -> None:
    def move(result: Result, collections: list[str], fingerprint: str) -> Result:
        def edit(record: dict[str, Any]) -> None:
            record["dataset"].update(collections=collections)
            record["tests"]["ranking"].update(fingerprint=fingerprint)

        return dataclasses.replace(edit_result(result, edit), path="")

    others = [move(result, ["other", "more"], "0" * 64) for result in results]
    mixed = compare([*results, *others], "one-hot", resamples=5)
    assert [compared.fingerprint[:8] for compared in mixed if compared.test_name == "ranking"] == [
        *("fa10d090", "fa10d090"),
        *("00000000", "00000000"),
    ]
    # Other models on other data change nothing.
    assert compare([*results, *others[1:]], "one-hot", resamples=5) == compare(results, "one-hot", resamples=5)
    titles = [table.splitlines() for table in render_comparisons(mixed, "markdown").split("\n\n")]
    assert [table[0].split(" |")[0] for table in titles if table[0].startswith("| ")] == [
        *["| binary, F"] * 2,  # the second one has places
        *(
            f"| ranking on {data}, {metric}"
            for data in ("sample", "other, more")
            for metric in ("success rate", "success rate", "MRR")
        ),
    ]
    moved = [move(result, ["sample"], "0" * 64) for result in results]
    page = render_comparisons(compare([*results, *moved], resamples=5), "html")
    assert "ranking on fa10d090d4bd: success rate" in page
    assert "ranking on 000000000000: success rate" in page


def test_results_that_cannot_be_compared(results: list[Result], evaluated: dict[str, Path]) -> None:
    one = results[0]
    with pytest.raises(ComparisonError, match=mentions("one-hot ( ... result of another model")):
        compare([one])
    with pytest.raises(ComparisonError, match=mentions("one-hot ( ... result of another model")):
        compare([one, one])
    with pytest.raises(ComparisonError, match=mentions("two or more models")):
        compare([])
    pairs = evaluate("overlap", "sample", "binary", resamples=5)
    with pytest.raises(ComparisonError, match=mentions("no test in common. ... same tests")):
        compare([pairs, results[2]])
    foreign = edit_result(rename(one, "other"), lambda record: record["tests"]["ranking"].update(fingerprint="0" * 64))
    prints = "ranking ... fa10d090d4bd and 000000000000. ... same data"
    message = f"one-hot ({evaluated['one-hot']}) and other ... {prints}"
    with pytest.raises(ComparisonError, match=mentions(message)):
        compare([one, dataclasses.replace(foreign, path="")])
    with pytest.raises(OptionError, match=r"one-hat.*one-hot"):
        compare(results, "one-hat")


def test_results_with_other_rows_cannot_be_compared(results: list[Result]) -> None:
    one, namesake = results[0], rename(results[0], "other")
    rows = one.rows["ranking"]
    changed = (
        (
            dataclasses.replace(rows, ids=[*rows.ids[:-1], "f" * 64]),
            "missing rows: 1, ... 1",
        ),
        (dataclasses.replace(rows, targets=(rows.targets + 1) % 4), "the targets differ"),
        (dataclasses.replace(rows, topics=rows.topics + 1), "the topics differ"),
        (dataclasses.replace(rows, topic_names=("X", *rows.topic_names[1:])), "the topics differ"),
        (dataclasses.replace(rows, is_test=np.append(False, rows.is_test[1:])), "the splits differ"),
        (dataclasses.replace(rows, scores=rows.scores[:, :3]), "the numbers of options differ"),
    )
    for other_rows, reason in changed:
        other = dataclasses.replace(namesake, rows={**one.rows, "ranking": other_rows})
        message = f"rows of ranking ... ({reason}). Evaluate"
        with pytest.raises(ComparisonError, match=mentions(message)):
            compare([one, other])
    shuffled = dataclasses.replace(rows, **{name: getattr(rows, name)[::-1] for name in _PER_ROW})
    other = dataclasses.replace(namesake, rows={**one.rows, "ranking": shuffled})
    equal = by_metric(compare([one, other], resamples=5))["ranking", "mrr"].differences[0]
    assert (equal.difference, equal.p_value, equal.tied) == (0, 1, 8)


def test_the_order_of_rows_in_files_does_not_matter(results: list[Result], tmp_path: Path) -> None:
    one, other = results[:2]
    record = json.loads(other.content)
    assert list(record["tests"]) == ["binary", "ranking"]
    for test_name, test in record["tests"].items():
        entry = test["scores"]
        header, *rows = gzip.decompress(other.files[test_name]).decode().splitlines()
        data = gzip.compress("\n".join([header, *rows[::-1]]).encode())
        (tmp_path / entry["file"]).write_bytes(data)
        entry["sha256"] = hashlib.sha256(data).hexdigest()
    (tmp_path / "r.json").write_text(json.dumps(record))
    assert compare([one, read_result(tmp_path / "r.json")], resamples=9) == compare([one, other], resamples=9)


def test_too_few_topics_for_many_differences_are_noted(results: list[Result]) -> None:
    """Eight topics: 2 / 2^8 = 0.0078, times the 10 pairs of five models 0.0781; times the 3 of three models 0.0234."""
    namesakes = [rename(results[0], "second"), rename(results[1], "third")]
    noted = render_comparisons(compare([*results, *namesakes], resamples=5), "terminal").replace("\n  ", " ")
    assert "ranking: with 8 topics, p cannot be below 0.0078, and with 10 differences not below 0.0781." in noted
    assert "cannot be below" not in render_comparisons(compare(results, resamples=5), "terminal")


def test_counts_of_groups_of_topics_are_noted(results: list[Result]) -> None:
    """`measure_contributions` merges more than 256 topics."""
    compared = compare(results[:2], "one-hot", resamples=5)
    for topics, count in ((256, 0), (257, 1)):
        several = [dataclasses.replace(compared[0], topics=topics), *compared[1:]]
        assert render_comparisons(several, "markdown").count("More than 256 topics are merged into 256 groups") == count


def test_without_an_answer_nothing_is_said_about_it() -> None:
    """Shortcuts alone have no best model."""
    shortcuts = [evaluate(name, "sample", "ranking", resamples=5) for name in ("overlap", "length")]
    text = render_comparisons(compare(shortcuts, resamples=5), "terminal")
    assert text.startswith("ranking, success rate")
    assert "first lines" not in text


def test_a_matrix_has_the_best_models_and_files_have_all(
    results: list[Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of 300 models had 147 MB."""
    monkeypatch.setattr(difference_reports, "MOST_MODELS", 2)
    comparisons = compare(results, resamples=5)
    for form in ("terminal", "html"):
        rendered = render_comparisons(comparisons, form)
        assert "Shown: the best 2 of up to 3 models." in rendered
        assert rendered.count("options-only") == 1  # in the answer, as the best shortcut
    assert "options-only" in render_comparisons(comparisons, "csv")
    assert "options-only" in render_comparisons(comparisons, "json")
    against = render_comparisons(compare(results, "one-hot", resamples=5), "terminal")
    assert "options-only" in against
    assert "Shown:" not in against


# Formats.


def test_a_matrix_in_the_terminal(capsys: Capture, evaluated: dict[str, Path]) -> None:
    assert run("compare", *evaluated.values(), "--resamples", "20") == 0
    output = capsys.readouterr().out
    lines = output.splitlines()
    assert lines[0].startswith("Best on binary by F: one-hot 0.663 and char-ngrams 0.6")
    assert all(len(line) <= 80 for line in lines)
    table = split_tables(output)[1]
    assert table[0].split() == ["ranking,", "success", "rate", "value", "1", "2", "3"]
    assert (table[1], table[4]) == ("models", "shortcuts")
    first, second, third = (line.split() for line in (*table[2:4], table[5]))
    assert (first[:2], first[3]) == (["1", "char-ngrams"], "-")
    assert (second[:3], second[4]) == (["2", "one-hot", "0.666"], "-")  # as `evaluate` shows it for the sample
    assert (third[:3], third[5]) == (["3", "options-only", "0.489"], "-")
    assert float(first[4].strip("*")) == -float(second[3].strip("*"))
    assert third[4] == "-0.177*"  # 0.489 - 0.666
    assert "* or bold: significant differences, p < 0.05." in lines


def test_a_list_in_the_terminal(capsys: Capture, evaluated: dict[str, Path]) -> None:
    assert run("compare", *evaluated.values(), "--against", "one-hot", "--resamples", "20", "--seed", "3") == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    rows = [line.split() for line in lines if line.startswith("  options-only  ")]
    assert rows[0][:3] == ["options-only", "0.489", "-0.177*"]
    assert rows[0][-1] == "0/0/8"
    assert ["one-hot", "0.666", "-", "-", "-", "-"] in [line.split() for line in lines]


def test_markdown_and_latex_print_significant_differences_in_bold(results: list[Result]) -> None:
    comparisons = compare(results, "one-hot", resamples=20)
    assert "| options-only | 0.489 | **-0.177** | [" in render_comparisons(comparisons, "markdown")
    assert r"options-only & 0.489 & \textbf{-0.177} & {[}" in render_comparisons(comparisons, "latex")


def test_csv_and_json_have_all_metrics(results: list[Result]) -> None:
    comparisons = compare(results, resamples=20)
    rows = list(csv.DictReader(io.StringIO(render_comparisons(comparisons, "csv"))))
    report = json.loads(render_comparisons(comparisons, "json"))
    assert [paragraph.split(":")[0] for paragraph in report["answer"]] == [
        "Best on binary by F",
        "Best on ranking by success rate",
        "A shortcut can score high on these tests",
    ]
    record = report["comparisons"]
    assert len(rows) == sum(len(compared["differences"]) for compared in record) == 1 + 1 + 3 + 3
    (row,) = (row for row in rows if row["metric"] == "mrr" and row["first"] == "options-only" and row["won"] == "8"
              and row["model"] == "one-hot")  # fmt: skip
    (compared,) = (compared for compared in record if compared["metric"] == "mrr")
    (difference,) = (entry for entry in compared["differences"] if entry["model"] == "one-hot")
    assert (
        float(row["difference"])
        == difference["difference"]
        == pytest.approx(compared["values"]["one-hot"] - compared["values"]["options-only"])
    )
    assert (row["is_significant"], difference["is_significant"]) == ("True", True)
    assert row["fingerprint"] == compared["fingerprint"] == results[0].tasks["ranking"]["fingerprint"]
    assert (row["topics"], compared["topics"], compared["against"]) == ("8", 8, None)


def test_a_page_with_a_matrix(capsys: Capture, evaluated: dict[str, Path], tmp_path: Path) -> None:
    assert run("compare", *evaluated.values(), "--resamples", "20", "--output", tmp_path / "c.html") == 0
    assert capsys.readouterr().out == f"{tmp_path / 'c.html'}\n"
    page = (tmp_path / "c.html").read_text()
    assert page.index('<p class="answer">Best on binary by F: one-hot 0.663 and') < page.index('<table class="matrix">')
    assert (
        '<th scope="row"><span class="model-name" title="options-only">options-only</span><small>shortcuts</small>'
        in page
    )
    assert re.search(r'class="number worse" style="--heat: 0?\.?\d*">-0\.177<', page)
    assert page.count('<table class="matrix">') == 4
    assert run("compare", *evaluated.values(), "--against", "one-hot", "--output", tmp_path / "c.html") == 0
    page = (tmp_path / "c.html").read_text()
    assert 'class="matrix"' not in page
    assert page.count("<details open>") == 4


def test_names_are_escaped_on_pages(results: list[Result]) -> None:
    page = render_comparisons(compare([results[0], rename(results[1], "<b>x")], resamples=5), "html")
    assert "<b>" not in page
    assert "&lt;b&gt;x" in page


def test_files_and_folders_are_results(capsys: Capture, evaluated: dict[str, Path]) -> None:
    """Regression test: if a file and its folder were given, the result was compared with itself and counted by Holm."""
    file, folder = evaluated["one-hot"], evaluated["one-hot"].parent.parent
    assert run("compare", file, folder / "char-ngrams") == 0
    expected = capsys.readouterr().out
    assert run("compare", file, folder / "one-hot", folder / "char-ngrams", folder / "char-ngrams") == 0
    assert capsys.readouterr().out == expected
    assert run("compare", file, file) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "one-hot" in captured.err
    assert re.search(mentions("one-hot ( ... result of another model"), captured.err)
