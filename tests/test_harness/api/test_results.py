"""Results of several models in Python and in notebooks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers.messages import mentions
from helpers.results import split_tables

import harness
from harness import Results
from pyramid_paraphrase.errors import OptionError

MODELS = ["one-hot", "tf-idf"]


@pytest.fixture(scope="module")
def results() -> Results:
    return harness.evaluate(MODELS, "sample", "ranking", resamples=20, cache=False)


class Letters:
    def encode(self, texts: list[str]) -> Any:  # noqa: ANN401
        return [[text.count(letter) for letter in "etaoin"] for text in texts]


class Equal:
    """An encoder with equal or zero vectors."""

    def encode(self, texts: list[str]) -> Any:  # noqa: ANN401
        return [[0.0]] * len(texts[:120]) + [[1.0]] * len(texts[120:])


def test_several_models_are_evaluated_with_the_shortcuts(results: Results) -> None:
    assert [result.model for result in results] == [*MODELS, "length", "overlap", "options-only"]
    assert results["tf-idf"] is results[1]
    assert [result.model for result in results[1:3]] == ["tf-idf", "length"]
    with pytest.raises(OptionError, match="tf-idf"):
        results["tf-idx"]


def test_a_name_of_results_of_different_models_or_data_is_ambiguous(tmp_path: Path) -> None:
    """The result of the first path was returned: that of another model, or on other data."""
    for model, task in (("one-hot", "ranking"), ("tf-idf,name=one-hot", "ranking"), ("constant", "binary")):
        harness.evaluate(model, "sample", task, resamples=1, cache=False, output=tmp_path)
    harness.evaluate("constant", "sample", "ranking", resamples=1, cache=False, output=tmp_path)
    written = harness.read_results(tmp_path)
    for name in ("one-hot", "constant"):
        with pytest.raises(OptionError, match=mentions(f"{name} ... .json ... .json ... index")):
            written[name]
    first = written[0]
    assert Results([first, first])[first.model] is first


def test_a_mapping_names_models() -> None:
    models = {"first": Letters(), "second": "constant"}
    named = harness.evaluate(models, "sample", "ranking", resamples=20, cache=False)
    assert [result.model for result in named[:2]] == ["first", "second"]
    assert named["second"].tasks["ranking"]["success_rate"] == 0.25


def test_a_name_for_several_models_is_refused() -> None:
    with pytest.raises(OptionError, match=mentions("mapping of names")):
        harness.evaluate(MODELS, "sample", name="x")


def test_a_single_result_shows_the_notes_of_tables(tmp_path: Path) -> None:
    """Without a table, nothing said that vectors were zero, or that most options had equal scores."""
    result = harness.evaluate(Equal(), "sample", "ranking", name="m", resamples=20, cache=False, output=tmp_path)
    first, second = result.notes
    assert re.search(mentions("m: ... 120 of 388 texts are zero"), first)
    assert re.search(mentions("m: ... 634 rows of ranking ... same"), second)
    assert repr(result).splitlines()[-2:] == list(result.notes)
    table = repr(harness.evaluate({"m": Equal()}, "sample", "ranking", resamples=20, cache=False))
    assert all(note in " ".join(table.split()) for note in result.notes)
    assert harness.evaluate("tf-idf", "sample", "ranking", resamples=20, cache=False).notes == ()


def test_a_notebook_shows_a_single_result_as_a_table() -> None:
    """The numbers are those of `repr`. A single result was shown as plain text."""
    result = harness.evaluate("constant", "sample", ["ranking", "binary"], name="<m>", resamples=20, cache=False)
    shown = result._repr_html_()
    assert "<strong>Result of &lt;m&gt;</strong>" in shown
    assert '<tr><td style="text-align: left">ranking</td><td>success rate</td><td>0.250 [0.250, 0.250]</td>' in shown
    numbers = re.findall(r"\d\.\d{3} \[\d\.\d{3}, \d\.\d{3}\]", repr(result))
    assert re.findall(r"<td>(\d.*?)</td></tr>", shown) == numbers
    assert len(numbers) == 3
    assert [note for note in result.notes if f"<p>{note.replace('<m>', '&lt;m&gt;')}</p>" not in shown] == []


def test_results_are_arranged_by_columns_digits_and_order(results: Results, tmp_path: Path) -> None:
    """`report` of the command line has these options, and Python had no counterpart."""
    arranged = results.arrange(["ranking MRR", "ranking success_rate"], digits=1, order="name", with_paper=True)
    ((header, *rows),) = split_tables(repr(arranged))[:1]
    assert header.split() == ["model", "ranking", "MRR", "ranking", "success", "rate"]
    assert [line.split()[:2] for line in rows[1:3]] == [["one-hot", "0.8"], ["tf-idf", "0.9"]]
    assert "<td>0.6</td>" in arranged._repr_html_()  # of the paper
    frame = arranged.to_pandas()
    assert list(frame[frame.model == "tf-idf"]["metric"]) == ["mrr", "success_rate"]
    assert list(frame[frame.model == "tf-idf"]["value"]) == ["0.9", "0.8"]
    assert arranged.report(tmp_path / "r.txt").read_text() == repr(arranged) + "\n"
    assert list(arranged) == list(results)
    assert repr(arranged[:]) == repr(results)
    for wrong, place in (
        ({"columns": ["ranking MMR"]}, "ranking MMR ... ranking MRR"),
        ({"digits": 10}, "digits ... 1 to 9"),
        ({"order": "best"}, "best ... score"),
    ):
        with pytest.raises(OptionError, match=mentions(place)):
            results.arrange(**wrong)  # type: ignore[arg-type]


def test_values_by_topic_are_a_data_frame(caplog: pytest.LogCaptureFixture, results: Results) -> None:
    frame = results.by_topic()
    assert list(frame.columns) == ["model", "task", "fingerprint", "metric", "topic", "value", "rows"]
    own = frame[(frame.model == "tf-idf") & (frame.metric == "success_rate")]
    assert len(own) == 8
    assert (own["value"] * own["rows"]).sum() / own["rows"].sum() == pytest.approx(
        results["tf-idf"].tasks["ranking"]["success_rate"], abs=1e-6
    )
    assert caplog.text == ""
    pairs = harness.evaluate(["one-hot"], "sample", "binary", resamples=1, cache=False)
    pairs.by_topic()
    assert "are of two topics" in caplog.text


def test_results_show_the_table_of_evaluate(results: Results) -> None:
    text = repr(results)
    assert text.startswith("Best on ranking by success rate: tf-idf 0.755. It is 0.103 ")
    ((header, *rows),) = split_tables(text)
    assert header.split() == ["ranking", "success", "rate", "MRR"]
    assert [line.split()[0] for line in rows[:4]] == ["models", "tf-idf", "one-hot", "shortcuts"]
    notes = text.splitlines()
    place = notes.index("Intervals: 95 %, bootstrap over topics, 20 resamples, seed 0.")
    assert notes[place + 1].startswith("* or bold: no other model is significantly better")
    assert notes[-2].startswith("= or not above: the best shortcut is not significantly worse")  # one-hot and overlap


def test_a_notebook_shows_a_table_with_escaped_names() -> None:
    named = harness.evaluate({"<b>": "constant"}, "sample", "ranking", resamples=20, cache=False)
    shown = named._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    assert shown.count("<tr>") == 1 + 2 + 4


def test_numbers_become_a_data_frame(results: Results) -> None:
    frame = results.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    row = frame[(frame.model == "one-hot") & (frame.metric == "success_rate")].iloc[0]
    result = results["one-hot"].tasks["ranking"]
    assert row["value"] == result["success_rate"]
    assert [row["lower"], row["upper"]] == result["intervals"]["success_rate"]
    assert row["fingerprint"] == result["fingerprint"]


def test_differences_are_a_table_and_a_data_frame(results: Results, tmp_path: Path) -> None:
    differences = results.compare("one-hot", resamples=20)
    assert [compared.metric.name for compared in differences] == ["success_rate", "mrr"]
    assert {difference.model for difference in differences[0].differences} == {
        "tf-idf", "length", "overlap", "options-only",
    }  # fmt: skip
    frame = differences.to_pandas()
    row = frame[(frame.model == "tf-idf") & (frame.metric == "mrr")].iloc[0]
    assert row["value"] - row["first_value"] == pytest.approx(row["difference"])
    assert row["value"] == results["tf-idf"].tasks["ranking"]["mrr"]
    assert len(results.compare(resamples=20).to_pandas()) == 2 * 10  # all pairs of five models
    assert repr(differences[:1]).startswith("Best on ranking by success rate: tf-idf 0.755. It is 0.103 ")
    assert "\n\nranking, success rate" in repr(differences[:1])
    # Two sections, and the places of two models.
    assert differences._repr_html_().count("<tr>") == 2 * (1 + 5 + 2) + (1 + 2)
    assert differences.report(tmp_path / "d.txt").read_text() == repr(differences) + "\n"


@pytest.mark.parametrize(
    ("name", "beginning"),
    [("r.md", "Best on ranking "), ("r.tex", "% needs"), ("r.csv", "model,group"), ("r.txt", "Best on ranking ")],
)
def test_reports_are_written(results: Results, tmp_path: Path, name: str, beginning: str) -> None:
    path = results.report(tmp_path / name)
    assert path.read_text().startswith(beginning)


def test_a_page_is_written(results: Results, tmp_path: Path) -> None:
    assert results.report(tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")


def test_a_report_in_an_unknown_format_is_refused(results: Results, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"r\.gif.*\.html"):
        results.report(tmp_path / "r.gif")
    assert not (tmp_path / "r.gif").exists()


def test_results_are_written_and_read(results: Results, tmp_path: Path) -> None:
    paths = results.write(tmp_path)
    assert len(paths) == 5
    again = harness.read_results(tmp_path)
    assert {result.model for result in again} == {result.model for result in results}


def test_a_result_shows_its_numbers_and_its_file(tmp_path: Path) -> None:
    result = harness.evaluate("constant", "sample", resamples=20, cache=False, output=tmp_path)
    (path,) = tmp_path.glob("constant/*.json")
    lines = repr(result).splitlines()
    assert lines[0] == f"Result of constant ({path})"
    assert lines[2] == "  ranking: success_rate 0.250 [0.250, 0.250], mrr 0.521 [0.521, 0.521]"


def test_models_of_an_iterator() -> None:
    """A generator can be read once only, and an empty one would silently leave the shortcuts alone."""
    names = ["one-hot", "constant"]
    for models in ((name for name in names), iter(names), dict(enumerate(names)).values()):
        results = harness.evaluate(models, data="sample", tasks="ranking", resamples=10)
        assert [result.model for result in results][:2] == names
    used = (name for name in names)
    list(used)
    with pytest.raises(OptionError, match="list of models"):
        harness.evaluate(used, data="sample", tasks="ranking", resamples=10)
