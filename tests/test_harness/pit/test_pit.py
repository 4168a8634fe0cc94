"""Systems of SemEval-2015 task 1: formats, scores, comparison; every flag and every message."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.checkout import DATA
from helpers.commands import Capture, run, unwrap
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from harness.metrics.graded_pairs import max_f1, pearson
from harness.metrics.pairs import make_curve
from harness.pit.comparison import correlate_rankings, rank_systems
from harness.pit.files import parse_output, render_output
from harness.pit.scoring import System, measure_systems, read_inputs
from harness.stats.bootstrap import draw_weights
from pyramid_paraphrase.errors import InputError

REAL = DATA / "pit2015"


def lay_out(pairs: str) -> str:
    """Lines of two columns."""
    return "".join(pair.replace(" ", "\t") + "\n" for pair in pairs.split(", "))


LABELS = lay_out(
    "true 1.0000, false 0.4000, ---- 0.6000, true 0.8000, false 0.0000, false 0.2000, true 0.8000, ---- 0.6000"
)
"""Eight pairs: three paraphrases, three others, two debatable."""

GOOD = lay_out(
    "true 0.9000, false 0.3000, true 0.7000, true 0.8000, false 0.1000, true 0.6000, false 0.5000, true 0.4000"
)
POOR = lay_out(
    "false 0.2000, true 0.9000, false 0.1000, true 0.5000, false 0.5000, true 0.8000, false 0.5000, true 0.3000"
)
SIGNATURE = "pit2015|labels:d90ea6857942|"
"""The beginning of the SHA-256 of LABELS, by sha256sum."""

Room = Callable[..., "list[object]"]


@pytest.fixture
def room(tmp_path: Path) -> Room:
    """Writes files of a task, and returns the arguments that name them."""

    def write(*outputs: str | bytes, labels: str | bytes = LABELS, data: str | None = None) -> list[object]:
        files = {"test.label": labels, **{f"system{number}.output": text for number, text in enumerate(outputs, 1)}}
        if data is not None:
            files["test.data"] = data
        for name, text in files.items():
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        systems = [tmp_path / name for name in files if name.endswith(".output")]
        return ["--labels", tmp_path / "test.label", *systems, *(["--data", tmp_path / "test.data"] if data else [])]

    return write


def data_lines(topics: str, grades: str = "52340143") -> str:
    """Test data of our own, with a letter for the topic of each pair."""
    pairs = zip(topics, grades, strict=True)
    return "".join(f"{topic}\ta name\tone text\tother text\t{grade}\ttags\ttags\n" for topic, grade in pairs)


@pytest.fixture
def real() -> Path:
    if not (REAL / "test.label").is_file():
        pytest.skip("the files of PIT-2015 are not beside the checkout (../shared/data/pit2015)")
    return REAL


def real_outputs(folder: Path, *names: str) -> list[Path]:
    return [next((folder / "systemoutputs").glob(f"*_{name}.output")) for name in names]


# The organizers' figures for their baselines: F1, precision, recall; Pearson; maximum of F1, precision, recall. The
# abstract of Xu et al. (2015) repeats those of LG, 0.589 and 0.511.
PUBLISHED = {
    "random": "0.266 0.192 0.434 0.017 0.350 0.215 0.949",
    "LG": "0.589 0.679 0.520 0.511 0.601 0.674 0.543",
    "WTMF": "0.536 0.450 0.663 0.350 0.587 0.570 0.606",
    "MultiP": "0.696 0.720 0.674 0.551 0.714 0.773 0.663",
}
METRICS = ("f1", "precision", "recall", "pearson")
MAXIMUM = ("published_max_f1", "published_max_f1_precision", "published_max_f1_recall")


def test_the_published_figures(real: Path, tmp_path: Path) -> None:
    """WTMF's output has negative scores, and its published correlation is that of the scores as they are."""
    arguments = ["--labels", real / "test.label", *real_outputs(real, *PUBLISHED)]
    assert run("pit", "score", *arguments, "--resamples", 10, "--output", tmp_path / "scores.json") == 0
    record = json.loads((tmp_path / "scores.json").read_text())
    assert record["pairs"] == {"all": 972, "decided": 838, "paraphrases": 175}
    for system, (name, figures) in zip(record["systems"], PUBLISHED.items(), strict=True):
        assert system["name"].endswith(f"_{name}")
        assert " ".join(f"{system['metrics'][metric]:.3f}" for metric in (*METRICS, *MAXIMUM)) == figures
    assert [system["out_of_range"] for system in record["systems"]] == [0, 0, 28, 0]
    multip = record["systems"][3]["metrics"]
    tie_safe = [f"{multip[name.removeprefix('published_')]:.3f}" for name in MAXIMUM]
    assert tie_safe == ["0.711", "0.760", "0.669"]  # by a loop over the distinct scores


def test_real_systems_are_ranked_alike(real: Path, capsys: Capture) -> None:
    """The baselines of the paper's table 3; four orders that agree are 2 of 24, both ends counted."""
    arguments = ["--labels", real / "test.label", *real_outputs(real, *PUBLISHED)]
    assert run("pit", "compare", *arguments, "--published") == 0
    first, second, third, _ = capsys.readouterr().out.split("\n\n")
    tables = [[line.split() for line in table.splitlines()[-4:]] for table in (first, second)]
    for table in tables:
        assert [line[0].rpartition("_")[2] for line in table] == ["MultiP", "LG", "WTMF", "random"]
    figures = [*tables[0][1][1:], *tables[1][1][1:]]
    assert figures == "0.589 (2) 0.679 0.520 0.511 (2) 0.601 (2) 0.674 0.543".split()
    assert third.splitlines()[1].split() == "F1 and Pearson 1.000 0.083 1.000 0.083".split()


def test_scores_in_the_terminal(capsys: Capture, room: Room) -> None:
    """By hand: GOOD says true of 3 decided pairs, 2 of them paraphrases, of which there are 3."""
    assert run("pit", "score", *room(GOOD, POOR), "--resamples", 50, "--seed", 3) == 0
    first, second, notes = capsys.readouterr().out.split("\n\n")
    for table, titles in (
        (first, "system F1 P of F1 R of F1 Pearson"),
        (second, "system max F1 P of max F1 R of max F1 published max F1 P of published max F1 R of published max F1"),
    ):
        words = " ".join(line for line in table.splitlines() if not line.startswith("system1")).split()
        assert sorted(words[: len(titles.split())]) == sorted(titles.split())
    good, poor = (table.splitlines()[-2:] for table in (first, second))
    assert good[0].split()[:2] == ["system1", "0.667"]
    assert "0.667  0.667" in good[0]
    assert poor[0].split()[-3:] == ["0.857", "0.750", "1.000"]
    assert poor[1].split()[-3:] == ["0.667", "0.500", "1.000"]
    assert unwrap(notes).splitlines()[:3] == [
        "Pairs: F1 and its maximum over 6, 3 of them paraphrases; Pearson over 8, including debatable pairs.",
        "Intervals: 95 %, bootstrap over 8 pairs, 50 resamples, seed 3. Each resample has its own maximum of F.",
        "Pairs of the same topic are not independent. To draw topics, add --test-data test.data.",
    ]
    signature = unwrap(notes).splitlines()[-1]
    assert signature.startswith(f"Signature: {SIGNATURE}output:")
    assert "|bootstrap:pairs:50/3|version:" in signature


def test_topics_are_drawn_where_they_are_known(capsys: Capture, room: Room) -> None:
    assert run("pit", "score", *room(GOOD, data=data_lines("aabbccaa")), "--format", "json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["statistics"] == {"unit": "topics", "units": 3, "resamples": 1000, "seed": 0, "confidence": 0.95}
    assert record["data"]["file"] == "test.data"
    assert "|data:" in record["signature"]
    assert "|bootstrap:topics:1000/0|" in record["signature"]
    assert record["labels"]["sha256"].startswith("d90ea6857942")


@pytest.mark.parametrize("topics", [None, "aabbccaa"])
def test_intervals_are_those_of_repeated_pairs(room: Room, topics: str | None) -> None:
    """Direct computation: each resample repeats the pairs of the drawn units, and all metrics are computed again."""
    arguments = room(GOOD, data=data_lines(topics) if topics else None)
    labels_file, output_file, *data = (Path(str(arguments[place])) for place in range(1, len(arguments)) if place != 3)
    inputs = read_inputs(labels_file, [output_file], *data)
    (output,) = inputs.systems
    samples: dict[str, list[float]] = {"f1": [], "pearson": [], "max_f1": []}
    for drawn in draw_weights(inputs.unit_count, 200, 5):
        rows = np.repeat(np.arange(8), drawn[inputs.unit_of_pairs].astype(int))
        kept = rows[inputs.decided[rows]]
        said, true = output.decisions[kept], inputs.labels[kept] == 1
        samples["f1"].append(2 * (said & true).sum() / max(1, said.sum() + true.sum()))
        constant = len(set(output.scores[rows])) < 2 or len(set(inputs.gold[rows])) < 2
        samples["pearson"].append(0.0 if constant else pearson(output.scores[rows], inputs.gold[rows]))
        samples["max_f1"].append(max_f1(make_curve(output.scores[kept], true))["max_f1"] if len(kept) else 0.0)
    (found,) = measure_systems(inputs, 200, 5)
    for name, values in samples.items():
        assert found.intervals[name] == pytest.approx(np.quantile(values, (0.025, 0.975)), abs=1e-6), name


@pytest.mark.parametrize(
    ("ending", "beginning"),
    [
        (".txt", "system "),
        (".md", "| system | F1 | P of F1 | R of F1 |"),
        (".tex", "% needs \\usepackage{booktabs}\n% Pairs: "),
        (".csv", "system,metric,value,lower,upper,signature\nsystem1,f1,0.666667,"),
        (".json", '{\n "task": "pit2015",'),
    ],
)
def test_every_format_is_written_whole(
    capsys: Capture, room: Room, tmp_path: Path, ending: str, beginning: str
) -> None:
    target = tmp_path / f"scores{ending}"
    assert run("pit", "score", *room(GOOD), "--resamples", 20, "--output", target) == 0
    text = target.read_text()
    assert text.startswith(beginning)
    assert text.endswith("\n")
    assert SIGNATURE in text.replace("\\|", "|")
    assert capsys.readouterr().out == f"{target}\n"


def test_a_comparison_in_csv_and_json(capsys: Capture, room: Room) -> None:
    """By hand: of the orders of the ranks 1, 2, 2 a third agree with them; p counts those at both ends."""
    arguments = room(GOOD, POOR, POOR.replace("0.9000", "0.9001"))
    assert run("pit", "compare", *arguments, "--format", "json") == 0
    record = json.loads(capsys.readouterr().out)
    assert [system["ranks"] for system in record["systems"]] == [
        {"f1": 1, "pearson": 1, "max_f1": 1},
        {"f1": 2, "pearson": 2, "max_f1": 2},
        {"f1": 2, "pearson": 2, "max_f1": 2},
    ]
    assert list(record["correlations"][0].values()) == ["f1", "pearson", 1.0, 0.666667, 1.0, 0.666667]
    assert run("pit", "compare", *arguments, "--format", "csv") == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [row["rank"] for row in rows if row["metric"] == "max_f1"] == ["1", "2", "2"]
    assert rows[-1]["metric"] == "kendall pearson max_f1"
    assert (rows[-1]["system"], rows[-1]["value"], rows[-1]["p_value"]) == ("", "1.0", "0.666667")


EIGHT = "abcdefgh"
"""A topic per pair, so that a system that swaps its decisions on a topic swaps those on a pair."""


def test_differences_are_tested_over_topics(capsys: Capture, room: Room) -> None:
    """Holm's method by its definition: of three p-values in rising order, it multiplies by 3, 2 and 1."""
    worse = GOOD.replace("true\t0.9000", "false\t0.2000").replace("false\t0.1000", "true\t0.9500")
    arguments = room(GOOD, worse, POOR, data=data_lines(EIGHT))
    assert run("pit", "compare", *arguments, "--format", "json", "--resamples", 200) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["statistics"] == {"unit": "topics", "units": 8, "resamples": 200, "seed": 0, "confidence": 0.95}
    metrics = {system["name"]: system["metrics"] for system in record["systems"]}
    assert len(record["differences"]) == 9
    for name in ("f1", "pearson", "max_f1"):
        differences = [entry for entry in record["differences"] if entry["metric"] == name]
        assert len(differences) == 3
        for entry in differences:
            difference = metrics[entry["system"]][name] - metrics[entry["first"]][name]
            assert entry["difference"] == pytest.approx(difference, abs=1e-6)
            assert entry["difference"] >= 0
            assert entry["lower"] <= entry["upper"]
            assert entry["won"] + entry["tied"] + entry["lost"] <= 8
        rising = sorted(entry["p_value"] for entry in differences)
        corrected = [3 * rising[0], max(3 * rising[0], 2 * rising[1]), max(3 * rising[0], 2 * rising[1], rising[2])]
        assert sorted(entry["p_holm"] for entry in differences) == pytest.approx(
            [min(1.0, value) for value in corrected], rel=1e-5
        )
    assert "|data:" in record["signature"]
    assert "|bootstrap:topics:200/0|" in record["signature"]


def test_equal_systems_do_not_differ(capsys: Capture, room: Room) -> None:
    assert run("pit", "compare", *room(GOOD, GOOD, data=data_lines(EIGHT)), "--format", "csv") == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    found = [row for row in rows if row["metric"].startswith("difference ")]
    assert [row["metric"] for row in found] == ["difference f1", "difference pearson", "difference max_f1"]
    for row in found:
        numbers = [float(row[name]) for name in ("value", "lower", "upper", "p_value", "p_holm")]
        assert numbers == [0, 0, 0, 1, 1]
        assert (row["system"], row["against"]) == ("system1", "system2")
    assert {row["against"] for row in rows[:22]} == {""}


def test_all_systems_are_compared_with_one(capsys: Capture, room: Room) -> None:
    arguments = room(GOOD, POOR, decide_only(POOR), data=data_lines(EIGHT))
    assert run("pit", "compare", *arguments, "--against", "system2", "--format", "json") == 0
    record = json.loads(capsys.readouterr().out)
    pairs = [(entry["metric"], entry["first"], entry["system"]) for entry in record["differences"]]
    assert pairs == [
        ("f1", "system2", "system1"),
        ("f1", "system2", "system3"),
        ("pearson", "system2", "system1"),
        ("max_f1", "system2", "system1"),
    ]
    assert "|against:" in record["signature"]
    assert run("pit", "compare", *arguments, "--against", "system3", "--format", "json") == 0
    differences = json.loads(capsys.readouterr().out)["differences"]
    assert [entry["metric"] for entry in differences] == ["f1", "f1"]  # it has no score
    assert run("pit", "compare", *arguments, "--against", "sytem2") == 2
    assert re.search(mentions("'sytem2' ... 'system2'"), capsys.readouterr().err)
    assert run("pit", "compare", *room(GOOD, POOR), "--against", "system2") == 2
    assert re.search(mentions("--against ... --test-data test.data"), capsys.readouterr().err)


def test_tests_in_the_terminal(capsys: Capture, room: Room) -> None:
    assert run("pit", "compare", *room(GOOD, POOR, data=data_lines("aabbccaa"))) == 0
    out = capsys.readouterr().out
    row = next(line.split() for line in out.splitlines() if line.startswith("system1 minus system2"))
    assert (row[3], row[6]) == ("+0.333", "1.0000")  # F1 is 4 / 6 and 2 / 6 by hand; 3 topics are too few for a test
    assert "paired bootstrap over 3 topics" in out
    assert "no difference can be significant" in unwrap(out)
    assert run("pit", "compare", *room(GOOD, POOR)) == 0
    assert re.search(mentions("not tested ... --test-data"), unwrap(capsys.readouterr().out))
    assert run("pit", "compare", *room(GOOD, data=data_lines(EIGHT))) == 0
    assert "minus" not in capsys.readouterr().out  # nothing to compare with


def test_real_differences(real: Path, tmp_path: Path) -> None:
    """Of the baselines, MultiP has the best F1, and its difference from the next one is beyond chance.

    An independent computation, with 200,000 random swaps of all decisions on a topic, gives p = 0.0092. Holm's method
    doubles it, since only one of the six p-values is higher. Swapped contributions agree with that to first order.
    """
    arguments = ["--labels", real / "test.label", "--data", real / "test.data", real / "systemoutputs"]
    assert run("pit", "compare", *arguments, "--output", tmp_path / "tests.json") == 0
    record = json.loads((tmp_path / "tests.json").read_text())
    assert record["statistics"]["units"] == 40
    first, *_ = record["differences"]
    assert [first["system"].rpartition("_")[2], first["first"].rpartition("_")[2]] == ["MultiP", "LG"]
    assert first["difference"] == pytest.approx(0.107, abs=5e-4)
    assert (first["p_value"], first["p_holm"]) == pytest.approx((0.0092, 2 * 0.0092), rel=0.1)
    assert len(record["differences"]) == 18


def test_a_folder_of_outputs(capsys: Capture, room: Room, tmp_path: Path) -> None:
    labels = room(GOOD, POOR)[1]
    for name in (".hidden", "test.data", "train.data"):
        (tmp_path / name).write_text("no output")
    (tmp_path / "within").mkdir()
    assert run("pit", "score", "--labels", labels, tmp_path, "--format", "json") == 0
    assert [system["name"] for system in json.loads(capsys.readouterr().out)["systems"]] == ["system1", "system2"]
    assert run("pit", "compare", "--labels", labels, tmp_path / "within") == 2
    assert re.search(mentions(f"{tmp_path / 'within'}: ... without an output"), capsys.readouterr().err)
    assert run("pit", "compare", "--labels", labels, tmp_path, tmp_path / "system1.output") == 2
    assert re.search(mentions("system1.output: ... given twice"), capsys.readouterr().err)
    target = tmp_path / "system2.output"
    assert run("pit", "score", "--labels", labels, tmp_path, "--format", "csv", "--output", target) == 2
    assert re.search(mentions("system2.output: ... also an input"), capsys.readouterr().err)


def test_two_systems_are_not_correlated(capsys: Capture, room: Room) -> None:
    assert run("pit", "compare", *room(GOOD, POOR), "--format", "markdown") == 0
    out = capsys.readouterr().out
    assert "No correlations: there are 2 systems, and correlations need 3." in out
    assert "Spearman" not in out


def decide_only(output: str, score: str = "0.0000") -> str:
    """The output for sub-task A alone: the same decisions, and equal scores."""
    return "".join(f"{line.partition(chr(9))[0]}\t{score}\n" for line in output.splitlines())


@pytest.mark.parametrize("score", ["0.0000", "0.5000"])
def test_a_submission_to_sub_task_a_alone(capsys: Capture, room: Room, score: str) -> None:
    """Regression test: it was refused, and all other outputs with it. GOOD decides right on 2 of 3 as above."""
    assert run("pit", "score", *room(GOOD, decide_only(GOOD, score)), "--format", "markdown") == 0
    out = capsys.readouterr().out
    _, both, alone = (line.split(" | ")[1:] for line in out.splitlines() if line.startswith("| system"))
    assert alone == [*both[:3], *["-"] * 6, "- |"]
    assert f"Sub-task A alone: system2. All its scores are {score}" in out
    assert "system1. All" not in out
    assert run("pit", "score", *room(GOOD, decide_only(GOOD, score)), "--format", "json") == 0
    both, alone = json.loads(capsys.readouterr().out)["systems"]
    assert alone["metrics"] == {"f1": 0.666667, "precision": 0.666667, "recall": 0.666667}
    assert alone["intervals"] == {"f1": both["intervals"]["f1"]}


def test_a_submission_to_sub_task_a_is_ranked_only_there(capsys: Capture, room: Room) -> None:
    outputs = (POOR, decide_only(GOOD), GOOD)
    assert run("pit", "compare", *room(*outputs), "--format", "json") == 0
    systems = json.loads(capsys.readouterr().out)["systems"]
    assert {system["name"]: list(system["ranks"].values()) for system in systems} == {
        "system1": [3, 2, 2],
        "system2": [1, None, None],
        "system3": [1, 1, 1],
    }
    assert run("pit", "compare", *room(*outputs)) == 0
    assert "No correlations: there are 2 systems with scores, and correlations need 3." in capsys.readouterr().out
    arguments = room(*outputs, POOR)  # the last two of the three with scores are equal: exact p of ranks 1, 2, 2
    assert run("pit", "compare", *arguments, "--format", "json") == 0
    first, *_ = json.loads(capsys.readouterr().out)["correlations"]
    assert list(first.values()) == ["f1", "pearson", 1.0, 0.666667, 1.0, 0.666667]


def test_the_published_decisions_without_scores(real: Path, tmp_path: Path) -> None:
    (path,) = real_outputs(real, "LG")
    (tmp_path / "LG.output").write_text(decide_only(path.read_text()))
    arguments = ["--labels", real / "test.label", tmp_path / "LG.output", *real_outputs(real, "random")]
    assert run("pit", "score", *arguments, "--resamples", 10, "--output", tmp_path / "scores.json") == 0
    alone, other = json.loads((tmp_path / "scores.json").read_text())["systems"]
    assert [f"{value:.3f}" for value in alone["metrics"].values()] == PUBLISHED["LG"].split()[:3]
    assert len(other["metrics"]) == 11


def test_systems_that_share_a_rank_are_not_correlated(capsys: Capture, room: Room) -> None:
    assert run("pit", "compare", *room(GOOD, GOOD, GOOD), "--format", "latex") == 0
    out = capsys.readouterr().out
    assert "F1 and max F1 & - & - & - & - \\\\" in out
    assert "% -: all systems share a rank by one of the two metrics.\n" in out


def test_systems_have_the_names_of_their_files_and_folders_if_needed(room: Room, tmp_path: Path) -> None:
    arguments = [Path(str(argument)) for argument in room(GOOD, POOR)]
    other = tmp_path / "other" / "system1.output"
    other.parent.mkdir()
    other.write_text(GOOD)
    names = [system.name for system in read_inputs(arguments[1], [*arguments[2:], other]).systems]
    assert names[1] == "system2"
    assert len({*names}) == 3
    assert all("system1" in name for name in (names[0], names[2]))


SCORES = st.floats(0, 1)


@given(st.lists(st.tuples(st.booleans(), SCORES), min_size=1, max_size=20))
def test_what_is_written_is_read(rows: list[tuple[bool, float]]) -> None:
    said, scores = [row[0] for row in rows], [row[1] for row in rows]
    found_decisions, found_scores = parse_output(render_output(np.array(said), np.array(scores)), "it")
    assert found_decisions.tolist() == said
    assert found_scores == pytest.approx(scores, abs=0.5e-4 + 1e-12)


def test_an_output_as_it_is_written() -> None:
    assert render_output(np.array([True, False]), np.array([0.12345, -0.0])) == b"true\t0.1235\nfalse\t0.0000\n"
    assert parse_output("\ufefftrue\t0.1000\r\nfalse\t1.0000".encode(), "it") == (
        pytest.approx([True, False]),
        pytest.approx([0.1, 1.0]),
    )


GOOD_ROWS = [line.split("\t") for line in GOOD.splitlines()]
NAMED = [{"label": decision == "true", "similarity": float(score)} for decision, score in GOOD_ROWS]
NUMBERED = "".join(
    f"{number};{score.replace('.', ',')};{'yes' if decision == 'true' else 'no'}\n"
    for number, (decision, score) in reversed(list(enumerate(GOOD_ROWS, 1)))
)


@pytest.mark.parametrize("text", [json.dumps(NAMED), f"pair id;score;prediction\n{NUMBERED}"])
def test_a_table_gives_the_numbers_of_an_output(room: Room, text: str) -> None:
    """The rows of the second table are in reverse order, and have ids."""
    arguments = room(GOOD, text)
    official, table = measure_systems(read_inputs(Path(str(arguments[1])), [Path(str(path)) for path in arguments[2:]]))
    assert table.metrics == official.metrics
    assert table.scores.tolist() == official.scores.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("label,score\ntrue,high\n", ", line 2: 'high' is not a number"),
        ("label,score\nmaybe,0.5\n", ", line 2: ... 'maybe' ... true or false"),
        ("label,score\ntrue,\n", ", line 2: ... no score"),
        ("label,score\ntrue,0.5\n", ": ... 1 line ... 8 ... order"),
        ("label,score,id\ntrue,0.5,2\n", ", line 2: id '2' ... 1 to 1 ... order of the labels"),
        ("label,score,id\ntrue,0.5,1\ntrue,0.5,1\n", ", line 3: id 1 ... line 2 ... one of the two"),
        ("name,score\ntrue,0.5\n", ": ... no column for decision ... name (true) ... --columns decision="),
    ],
)
def test_tables_that_are_refused(capsys: Capture, room: Room, tmp_path: Path, text: str, message: str) -> None:
    assert run("pit", "score", *room(text)) == 2
    assert re.search(mentions(f"{tmp_path}/system1.output{message}"), capsys.readouterr().err)


WRITE = "Write per pair 'true' or 'false', a tab, and a score such as 0.5000"
IN_RANGE = "Scale all scores to that range"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", f": ... empty. {WRITE}"),
        (b"true\t0.1000\nfalse\t\xff\n", f", line 2: ... UTF-8. {WRITE}"),
        (b"true 0.1000\n", f", line 1: ... 2 tab-separated columns, ... 1. {WRITE}"),
        (b"true\t0.1000\n\ntrue\t0.2000\n", f", line 2: ... 2 tab-separated columns, ... 1. {WRITE}"),
        (b"true\t0.1000\t\n", f", line 1: ... 2 tab-separated columns, ... 3. {WRITE}"),
        (b"True\t0.1000\n", ", line 1: ... 'True' ... false"),
        (b"----\t0.1000\n", ", line 1: ... '----' ... false"),
        (b"true\t0.100\n", ", line 1: ... '0.100' ... 4 decimals ... 0.5000"),
        (b"true\t1e-3\n", ", line 1: ... '1e-3' ... 4 decimals ... 0.5000"),
        (b"true\t00.1000\n", ", line 1: ... '00.1000' ... 4 decimals ... 0.5000"),
        (b"x" * 41 + b"\t0.1000\n", f", line 1: ... '{'x' * 40}' ... false"),
        (b"true\t" + b"x" * 41 + b"\n", f", line 1: ... '{'x' * 40}' ... 4 decimals ... 0.5000"),
        (
            b"true\t0.1000\n" * 7,
            ": ... 7 lines ... 8 ... order",
        ),
        (b"true\t0.1000\n" * 30_000, f": ... 262,144 bytes. {WRITE}"),
    ],
)
def test_outputs_that_are_refused(capsys: Capture, room: Room, tmp_path: Path, content: bytes, message: str) -> None:
    for action in ("score", "compare"):
        assert run("pit", action, *room(content)) == 2
        assert re.search(mentions(f"{tmp_path}/system1.output{message}"), capsys.readouterr().err)


LABEL = "Use the task's test.label"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", f": is empty. {LABEL}"),
        (b"\xff\n", f", line 1: is not UTF-8. {LABEL}"),
        (b"true\t1.0000\nfalse\n", f", line 2: expected 2 tab-separated columns, found 1. {LABEL}"),
        (b"yes\t1.0000\n", f", line 1: label is 'yes', expected one of true, false, ----. {LABEL}"),
        (
            b"x" * 41 + b"\t1.0000\n",
            f", line 1: label is '{'x' * 40}', expected one of true, false, ----. {LABEL}",
        ),
        (
            b"true\t" + b"x" * 41 + b"\n",
            f", line 1: similarity is '{'x' * 40}', expected one of 0.0000, 0.2000, 0.4000, 0.6000, 0.8000, 1.0000. "
            + LABEL,
        ),
        (
            b"false\t0.3000\n",
            ", line 1: similarity is '0.3000', expected one of 0.0000, 0.2000, 0.4000, 0.6000, 0.8000, 1.0000. "
            + LABEL,
        ),
        (b"true\t0.6000\n", f", line 1: label is true, but the similarity 0.6000 belongs to ----. {LABEL}"),
        (b"false\t0.8000\n", f", line 1: label is false, but the similarity 0.8000 belongs to true. {LABEL}"),
        (b"----\t0.4000\n", f", line 1: label is ----, but the similarity 0.4000 belongs to false. {LABEL}"),
        (b"false\t0.2000\n----\t0.6000\n", f": contains no paraphrase, so recall is not defined. {LABEL}"),
        (b"true\t1.0000\n", f": all similarities are equal, so correlation is not defined. {LABEL}"),
        (b"true\t1.0000\n" * 2, f": all similarities are equal, so correlation is not defined. {LABEL}"),
    ],
)
def test_labels_that_are_refused(capsys: Capture, room: Room, tmp_path: Path, content: bytes, message: str) -> None:
    assert run("pit", "score", *room(GOOD, labels=content)) == 2
    assert capsys.readouterr().err == f"pyramid-paraphrase: {tmp_path}/test.label{message}\n"


RELEASE = "Use the test.data of the same release as the labels"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (data_lines("aab", "523"), f": ... 3 lines ... 8. {RELEASE}"),
        (data_lines("aabbccaa", "52341143"), f", line 5: ... grade ... 1 ... 0. {RELEASE}"),
        (
            data_lines("aabbccaa").replace("\ttags\n", "\n", 1),
            ", line 1: ... 7 tab-separated columns, ... 6. ... task",
        ),
    ],
)
def test_test_data_that_are_refused(capsys: Capture, room: Room, tmp_path: Path, content: str, message: str) -> None:
    assert run("pit", "score", *room(GOOD, data=content)) == 2
    assert re.search(mentions(f"{tmp_path}/test.data{message}"), capsys.readouterr().err)


def test_files_that_are_not_there(capsys: Capture, room: Room, tmp_path: Path) -> None:
    labels, *_ = room(GOOD)[1:]
    assert run("pit", "score", "--labels", tmp_path / "no", tmp_path / "system1.output") == 2
    assert re.search(mentions(f"{tmp_path}/no: ... (No such file or directory). {LABEL}"), capsys.readouterr().err)
    assert run("pit", "score", "--labels", labels, tmp_path / "no") == 2
    assert re.search(mentions(f"{tmp_path}/no: ... (No such file or directory). {WRITE}"), capsys.readouterr().err)
    assert run("pit", "score", "--labels", labels, tmp_path / "system1.output", "--data", tmp_path) == 2
    assert re.search(mentions(f"{tmp_path}: ... (Is a directory). {RELEASE}"), capsys.readouterr().err)


@pytest.mark.parametrize("action", ["score", "compare"])
def test_reports_do_not_replace_inputs(capsys: Capture, room: Room, tmp_path: Path, action: str) -> None:
    arguments = room(GOOD, POOR)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for name in ("test.label", "system2.output"):
        assert run("pit", action, *arguments, "--format", "csv", "--output", tmp_path / name) == 2
        assert re.search(mentions(f"{name}: ... also an input ... --output"), capsys.readouterr().err)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_output_is_named_once(room: Room, tmp_path: Path) -> None:
    labels, output = (Path(str(argument)) for argument in room(GOOD)[1:])
    with pytest.raises(InputError, match=mentions("system1.output: ... given twice. ... once")):
        read_inputs(labels, [output, tmp_path / "." / ".." / tmp_path.name / output.name])


def test_a_link_to_itself_is_refused(room: Room, tmp_path: Path) -> None:
    """Regression test: Python 3.11 raises a RuntimeError for a link to itself, which caused a traceback."""
    labels = Path(str(room(GOOD)[1]))
    loop = tmp_path / "loop.output"
    loop.symlink_to(loop.name)
    with pytest.raises(InputError, match=mentions("loop.output: cannot be read ( ... Write")):
        read_inputs(labels, [loop])


def test_scores_beyond_the_range_are_counted(capsys: Capture, room: Room) -> None:
    arguments = room(GOOD.replace("0.1000", "-0.5000").replace("0.9000", "12.5000"))
    assert run("pit", "score", *arguments) == 0
    assert "Scores outside 0 to 1, against the rules of the task: 2 of system1.\n" in capsys.readouterr().out


def test_scores_beyond_the_range_are_read_by_default(room: Room) -> None:
    labels, output = (Path(str(argument)) for argument in room(GOOD.replace("0.9000", "12.5000"))[1:])
    assert read_inputs(labels, [output]).systems[0].out_of_range == 1
    with pytest.raises(InputError, match=mentions("system1.output, line 1: ... 12.5000")):
        read_inputs(labels, [output], strict=True)


def test_both_ends_of_the_range_belong_to_it() -> None:
    decisions, scores = parse_output(b"true\t1.0000\nfalse\t0.0000\n", "it", strict=True)
    system = System("it", {}, decisions, scores)
    assert (scores.tolist(), system.out_of_range) == ([1.0, 0.0], 0)
    assert render_output(decisions, scores) == b"true\t1.0000\nfalse\t0.0000\n"
    assert System("it", {}, *parse_output(b"true\t1.5000\nfalse\t-0.5000\n", "it")).out_of_range == 2


@pytest.mark.parametrize("score", ["1.0001", "-0.0000"])
@pytest.mark.parametrize("action", ["score", "compare"])
def test_scores_beyond_the_range_are_refused_if_asked_for(
    capsys: Capture, room: Room, tmp_path: Path, score: str, action: str
) -> None:
    assert run("pit", action, *room(f"true\t{score}\n"), "--strict") == 2
    message = f"system1.output, line 1: score ... {score} ... 0 ... 1. {IN_RANGE}"
    assert re.search(mentions(f"{tmp_path}/{message}"), capsys.readouterr().err)


def test_a_number_that_is_too_large_stays_refused(capsys: Capture, room: Room) -> None:
    arguments = room(GOOD.replace("0.9000", f"{'9' * 400}.0000"))
    assert run("pit", "score", *arguments) == 2
    assert re.search(mentions(f"line 1: score is {'9' * 40}, ... between 0 and 1. {IN_RANGE}"), capsys.readouterr().err)


def test_an_unknown_ending(capsys: Capture, room: Room) -> None:
    assert run("pit", "score", *room(GOOD), "--output", "x.html") == 2
    message = "x.html: ... '.html'. Use .txt, .md, .tex, .csv, .tsv, .xlsx, .json"
    assert re.search(mentions(message), capsys.readouterr().err)


def test_values_that_are_displayed_equal_share_a_rank() -> None:
    assert rank_systems([0.5004, 0.7, 0.4996, 0.2]) == [2, 1, 2, 4]
    assert rank_systems([0.5004, None, 0.7]) == [2, None, 1]


def correlate(similarities: Iterable[float]) -> dict[str, Any]:
    """Correlate the order of systems with their ranks by another metric."""
    values = list(similarities)
    ranks = {"f1": rank_systems([-index for index in range(len(values))]), "pearson": rank_systems(values)}
    (correlation,) = correlate_rankings(ranks)
    assert (correlation.pop("first"), correlation.pop("second")) == ("f1", "pearson")
    return correlation


def test_correlations_of_few_and_of_many_systems() -> None:
    """By hand, for two neighbours that changed places.

    Of eight: Spearman 1 - 6 * 2 / (8 * 63), Kendall (28 - 2) / 28; 1 + 7 of 8! orders, at both ends.
    Of four: Spearman 1 - 6 * 2 / (4 * 15), Kendall (6 - 2) / 6; of the 24 orders, the one without a change and the
    three with one change of neighbours are as far, and as many at the other end. Of nine: 1 - 6 * 2 / (9 * 80), and
    (36 - 2) / 36; t = 14.31 with 7 degrees of freedom, whose density was integrated; 1 + 8 of 9! orders, at both ends.
    """
    few = correlate((-1, 0, -2, -3))
    assert list(few.values()) == [0.8, round(8 / 24, 6), round(4 / 6, 6), round(8 / 24, 6)]
    eight = correlate((-1, 0, *range(-2, -8, -1)))
    assert list(eight.values()) == [round(41 / 42, 6), round(16 / 40320, 6), round(26 / 28, 6), round(16 / 40320, 6)]
    many = correlate((-1, 0, *range(-2, -9, -1)))
    assert (many["spearman"], many["kendall"]) == (round(59 / 60, 6), round(34 / 36, 6))
    assert (many["spearman_p"], many["kendall_p"]) == (round(1.936e-6, 6), round(18 / 362880, 6))


@pytest.mark.parametrize("metrics", [("f1", "pearson"), ("pearson", "f1")])
def test_a_ranking_in_which_all_are_equal_has_no_correlation(metrics: tuple[str, str]) -> None:
    ranks = dict(zip(metrics, ([1, 1, 1], [3, 2, 1]), strict=True))
    (correlation,) = correlate_rankings(ranks)
    assert list(correlation.values()) == [*metrics, None, None, None, None]


def test_the_group_wants_an_action(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        run("pit", "scor")
    assert re.search(mentions("ACTION ... 'scor' ... 'score'?"), capsys.readouterr().err)
