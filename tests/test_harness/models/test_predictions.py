"""Predictions in files as models: published columns, tables of pairs and of units, missing answers and errors."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import run
from helpers.messages import mentions
from helpers.pair_tables import PAIR_TABLES
from helpers.summhay import write_summhay

import harness
from harness.models.loading import load_model
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import EmptyResultError, InputError, OptionError
from pyramid_paraphrase.loading import load

_HEADER = "id\tdata set\tlang\tsentence1\tsentence2\tscore\tA (x, y)\tB\n"


def write_published(path: Path, *rows: tuple[str, str, str]) -> Path:
    """Write a file of PARAPHRASUS without paraphrases: first sentence, answer of system A, answer of system B."""
    lines = [f"{n}\ta/snli\ten\t{first}\tthe heron\t0\t{a}\t{b}\n" for n, (first, a, b) in enumerate(rows)]
    path.write_text("".join([_HEADER, *lines]))
    return path


def test_published_columns(tmp_path: Path) -> None:
    """Two of four answers are yes, so that accuracy is 0.5. System B has a missing answer, which counts as yes."""
    path = write_published(
        tmp_path / "n.tsv", ("a", "1", "0"), ('b "c"', "0", "-100"), ("d", "1.0", "0"), ("e", "0", "0")
    )
    result = harness.evaluate(f"predictions:{path},column=A (x, y)", path, "pairs", quiet=True)
    test = result.tests["pairs"]
    assert (test.metrics["accuracy"], test.threshold) == (0.5, 0.5)
    assert "absent" not in test.counts
    test = harness.evaluate(f"predictions:{path},column=B", path, "pairs", quiet=True).tests["pairs"]
    assert (test.metrics["accuracy"], test.counts["absent"]) == (0.75, 1)
    with pytest.raises(OptionError, match=mentions("'C' ... A (x, y)")):
        load_model(f"predictions:{path},column=C")
    with pytest.raises(OptionError, match=mentions("column ... Add ,column=NAME")):
        load_model(f"predictions:{path}")


@pytest.mark.parametrize(("yes", "no", "cutoff"), [("5", "1", "2.5"), ("-1", "-5", "-3"), ("1", "0.9", "0.95")])
def test_a_missing_answer_is_wrong_on_any_scale(tmp_path: Path, yes: str, no: str, cutoff: str) -> None:
    """No pair is a paraphrase: one answer is wrong, one is right, and two are missing. A missing answer once had 1."""
    path = write_published(tmp_path / "n.tsv", ("a", yes, ""), ("b", no, no), ("c", "", ""), ("d", "NaN", ""))
    test = harness.evaluate(f"predictions:{path},column=A (x, y),cutoff={cutoff}", path, "pairs", quiet=True)
    assert test.tests["pairs"].metrics["accuracy"] == 0.25
    # No answer is yes.
    test = harness.evaluate(f"predictions:{path},column=B,cutoff={cutoff}", path, "pairs", quiet=True)
    assert test.tests["pairs"].metrics["accuracy"] == 0.25


def test_a_missing_paraphrase_is_wrong_on_any_scale(tmp_path: Path) -> None:
    """Answers of the right order, without one paraphrase. On a scale below 0, a missing answer once was the best."""
    data = tmp_path / "tweets"
    for split in ("train", "test"):
        (data / split).mkdir(parents=True)
        (data / split / "a.toks").write_text("".join(f"the fox {n}\n" for n in range(4)))
        (data / split / "b.toks").write_text("".join(f"a fox {n}\n" for n in range(4)))
        (data / split / "sim.txt").write_text("1\n1\n0\n0\n")
    scores = ("-1", "", "-8", "-9")
    lines = [f"the fox {n}\ta fox {n}\t{score}\n" for n, score in enumerate(scores)]
    (tmp_path / "p.tsv").write_text("".join(["sentence1\tsentence2\tscore\n", *lines]))
    test = harness.evaluate(f"predictions:{tmp_path / 'p.tsv'},column=score", data, "pairs", quiet=True).tests["pairs"]
    assert (test.metrics["recall"], test.metrics["precision"]) == (0.5, 1.0)
    assert test.counts["absent"] == 1


def test_a_test_without_a_threshold_needs_a_cutoff(tmp_path: Path) -> None:
    path = write_published(tmp_path / "n.tsv", ("a", "1", "0"))
    with pytest.raises(EmptyResultError, match=mentions("other-pairs: ... threshold ... --transfer-to")):
        harness.evaluate("overlap", path, "pairs", quiet=True)

    (tmp_path / "n.tsv").write_text((tmp_path / "n.tsv").read_text().replace("\t1\t0\n", "\t0.7\t0\n"))
    with pytest.raises(EmptyResultError, match=mentions("other-pairs: ... threshold ... ,cutoff=NUMBER")):
        harness.evaluate(f"predictions:{path},column=A (x, y)", path, "pairs", quiet=True)


def test_earlier_results_of_a_test_split_alone(tmp_path: Path) -> None:
    """The scores of a file with rows of `test` only were once compared as those of another split."""
    path = write_published(tmp_path / "n.tsv", ("a", "1", "0"), ("b", "0", "1"))
    command = ("evaluate", "--quiet", "--data", path, "--output", tmp_path / "r", "--model")
    assert run(*command, f"predictions:{path},column=B") == 0
    assert run(*command, f"predictions:{path},column=B", "--model", f"predictions:{path},column=A (x, y)") == 0


def test_the_command_leaves_out_shortcuts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_published(tmp_path / "n.tsv", ("a", "1", "0"), ("b", "0", "-100"))
    spec = f"predictions:{path},column=B,name=B"
    assert run("evaluate", "--quiet", "--model", spec, "--data", path, "--output", tmp_path / "r") == 0
    output = capsys.readouterr().out
    assert "Shortcuts are left out" in output
    assert "1 times without an answer in pairs (absent: 1)" in " ".join(output.split())


def test_transfers_use_the_cutoff(tmp_path: Path) -> None:
    """The predictions have no row of the main test's `train`, and need none."""
    path = write_published(tmp_path / "n.tsv", ("a", "1", "0"), ("b", "0", "1"))
    other = write_published(tmp_path / "o.tsv", ("a", "1", "0"))
    result = harness.evaluate(f"predictions:{path},column=A (x, y)", path, "pairs", transfer_to=other, quiet=True)
    assert {name: metric.value for name, metric in result.tests["pairs"].other_metrics.items()} == {
        "transfer.o.false_alarms": 1.0
    }


def test_tables_of_pairs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Scores that are not all 0 or 1 have no cutoff by default. Repeated rows have the mean of their scores."""
    path = tmp_path / "p.csv"
    path.write_text("text1,text2,Score\na  b,c,0.25\na b,c,0.75\nd,e,\n")
    with caplog.at_level(logging.WARNING):
        model = load_model(f"predictions:{path},column=Score")
    assert any("different answers" in message for message in caplog.messages)
    assert model.cutoff is None
    scores = model.scorer.score([("a b", "c"), ("c", "a b"), ("d", "e")])
    np.testing.assert_array_equal(scores.values, [0.5, np.nan, np.nan])
    np.testing.assert_array_equal(scores.is_missing, [False, True, True])
    assert load_model(f"predictions:{path},cutoff=0.3").cutoff == 0.3
    assert load_model(f"predictions:{path}").fingerprint != load_model(f"predictions:{path},cutoff=0.3").fingerprint


def test_units_of_content(tmp_path: Path) -> None:
    """Predictions on all units of the sample but the first one: its answers are counted as missing."""
    rows = load("presence", "sample")
    lines, missing = ["unit\tsummary\tscore\n"], 0
    first = rows["test"][0]["scu_text"]
    for split in rows:
        for row in rows[split]:
            if row["scu_text"] != first:
                lines.append(f"{row['scu_text']}\t{' '.join(row['sentences'])}\t{row['label']}\n")
            elif split == "test":
                missing += 1
    path = tmp_path / "units.tsv"
    path.write_text("".join(dict.fromkeys(lines)))
    test = harness.evaluate(f"predictions:{path}", "sample", "presence", quiet=True).tests["presence"]
    assert missing
    assert test.counts["absent"] >= missing
    assert test.metrics["accuracy"] == pytest.approx(1 - missing / test.counts["test"], abs=1e-6)


def test_files_without_predictions(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=mentions("p.csv ... sentence1 ... unit, summary and score")):
        load_model(f"predictions:{path}")
    path.write_text("sentence1,sentence2,score\na,b,\n")
    with pytest.raises(InputError, match=mentions("p.csv ... no answer ... another column")):
        load_model(f"predictions:{path}")
    path.write_text("sentence1,sentence2,score\na,b,much\n")
    with pytest.raises(InputError, match=mentions("p.csv, line 2: 'much' ... number")):
        load_model(f"predictions:{path}")
    path.write_text("sentence1,sentence2,score\na,b,1\n")
    name, text = PAIR_TABLES["paws"]
    (tmp_path / name).write_text(text)
    with pytest.raises(ModelError, match=mentions("p.csv ... no answer to any row of pairs. Use")):
        harness.evaluate(f"predictions:{path},cutoff=0.5", tmp_path / name, "pairs", quiet=True)


def test_judges_of_summhay_are_models(tmp_path: Path) -> None:
    """The model agrees with people on both insights of the test split except c2, which it does not find."""
    path = write_summhay(tmp_path / "summhay")
    for column in ("prompted_big", "predictions_prompted_big"):
        tasks = ["presence", "presence_grades"]
        result = harness.evaluate(f"predictions:{path},column={column}", path, tasks, cache=False, quiet=True)
        scores = dict(zip(result.rows["presence"].ids, result.rows["presence"].scores.tolist(), strict=True))
        rows = [row for rows in load("presence", path).values() for row in rows]
        found = {(row["scu"], row["peer"]): scores[row["id"]] for row in rows}
        assert found == {
            ("a1", "e5/base_one"): 1,
            ("a3", "e5/base_one"): 1,
            ("b1", "two"): 1,
            ("a1", "two"): 1,
            ("a2", "two"): 1,
            ("a3", "two"): 1,
            ("c1", "e5/base_one"): 1,
            ("c2", "e5/base_one"): 0,
        }
        assert "absent" not in result.tests["presence_grades"].counts
    for wrong in (",column=prompted_bigger", ""):
        with pytest.raises(OptionError, match=mentions("prompted_big")):
            load_model(f"predictions:{path}{wrong}")
