"""The command line: every flag, its output, and its errors."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from helpers.aligned_corpora import make_town
from helpers.annotations import MODEL_TEXT, PEER, PYRAMID, SCUS, SUMMARIES, pair_element, pyramid_element, sea_file
from helpers.commands import Capture, Run, run
from helpers.messages import mentions

from harness.rendering.inspection import render_scores
from harness.rendering.tables import render_table
from pyramid_paraphrase import SAMPLE_DIR, __version__
from pyramid_paraphrase.pyramids.pyramid_scores import PeerScore
from pyramid_paraphrase.rules.options import OPTION_FIELDS


def test_inspect(capsys: Capture) -> None:
    assert run("inspect", "sample") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "collection  pyramids  summaries  SCUs  contributors  peers  complete",
        "sample             8         32   189           439     16  yes",
    ]
    assert "Files: 24 annotations (24 used, 0 repeated, 0 left out), 1 other file." in lines
    assert lines[-1] == "No problems."


def test_arguments_that_are_not_text(capsys: Capture, tmp_path: Path) -> None:
    """Arguments with bytes that are not UTF-8 contain surrogates. Writing them ended in a traceback."""
    board = tmp_path / "board"
    assert run("leaderboard", "init", board, "--data", "sample", "--title", "\udcff") == 2
    assert re.search(mentions("title '\\udcff' ... character ... Change"), capsys.readouterr().err)
    assert not board.exists()
    scores, others, judged = (tmp_path / name for name in ("\udcff.tsv", "others.tsv", "judged.tsv"))
    for power, path in enumerate((scores, others, judged), 1):
        path.write_text("topic\tsystem\tm\n" + "".join(f"D1\t{n}\t{n**power}\n" for n in range(9)))
    report = tmp_path / "report.md"
    assert run("meta-eval", scores, others, "--judgements", judged, "--output", report) == 0
    assert "| \\\\udcff.tsv:m |" in report.read_text("utf-8")


DISABLED = """
import os
from harness.cli import main
main(["models"])
from huggingface_hub import constants
print(constants.HF_HUB_DISABLE_XET, os.environ["DISABLE_SAFETENSORS_CONVERSION"])
"""


def test_downloads_without_limits_are_disabled(run_fork: Run) -> None:
    """hf_xet has no time limits, and transformers asks another server for conversions. The user's variables count."""
    assert run_fork(DISABLED).stdout.splitlines()[-1] == "True 1"
    assert run_fork(DISABLED, HF_HUB_DISABLE_XET="0").stdout.splitlines()[-1] == "False 1"


def test_a_text_that_cannot_be_written(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs escape surrogates. If a library writes one, the error names the text and no traceback appears."""
    monkeypatch.setattr("harness.cli.dataset.read_corpus", lambda *_, **__: "a name \udcff".encode())
    assert run("inspect", "sample") == 2
    assert re.search(mentions("UTF-8: 'a name \\udcff' ... argument"), capsys.readouterr().err)


@pytest.mark.parametrize(
    "line",
    [
        "report LONG",
        "card LONG --model-dir LONG",
        "compare LONG LONG",
        "meta-eval LONG --judgements LONG",
        "paraphrases show LONG word",
        "paraphrases extract LONG LONG LONG --output x",
        "paraphrases pivot LONG --output x",
        "paraeval --peers LONG --references LONG",
        "rouge --peers LONG --references LONG --output LONG",
        "leaderboard render LONG --output x",
        "leaderboard init LONG --data sample",
    ],
)
def test_paths_that_the_system_refuses(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """Before Python 3.14, `Path.is_dir` of a name of 256 bytes raises an error. That ended in a traceback."""
    monkeypatch.chdir(tmp_path)
    assert run(*line.replace("LONG", "9" * 400).split()) == 2
    assert "Traceback" not in (message := capsys.readouterr().err)
    assert message.startswith("pyramid-paraphrase: ")
    assert not list(tmp_path.iterdir())


def test_inspect_lists_problems(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "x.pyr").write_bytes(PYRAMID.replace(b'uid="2"', b'uid="1"'))
    (tmp_path / "bad.pyr").write_text("<html/>")
    assert run("inspect", tmp_path, "--list") == 0
    out = capsys.readouterr().out
    assert "scu-renamed        1  SCU with the uid of an earlier SCU: renamed\n" in out
    assert f"{tmp_path.name}/bad.pyr, line 1: file-rejected: SCU -: the root element is <html>" in out
    assert f"{tmp_path.name}/x.pyr, line 44: scu-renamed: SCU 1: uid '1' is used twice: SCU renamed to '1#2'" in out


def test_inspect_says_what_is_missing_from_a_distribution(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "x.pyr").write_bytes(PYRAMID.replace(b"D0901-A", b"D0701"))
    assert run("inspect", tmp_path) == 0
    out = capsys.readouterr().out
    assert "Part of a collection: 1 of 23 topics of duc2007-main." in out
    assert "duc2007-main has 23 pyramids, 1,583 SCUs, 2,643 contributors and 299 peer annotations" in out
    assert (
        "Get all of DUC 2007 main task: mainPyramidEval.tar.gz (DUC data: sign NIST's user agreement, https://" in out
    )


def test_build_says_what_is_missing_and_left_out(capsys: Capture, tmp_path: Path) -> None:
    """The manifest alone said how many pairs a split by topic costs. Of the sample's 1,375 pairs, all are in a row or
    counted here."""
    assert run("build", "sample", "--config", "binary", "--split-by", "topic", "--cache-dir", tmp_path / "cache") == 0
    out = capsys.readouterr().out
    rows = sum(int(line.split()[2]) for line in out.splitlines() if line.startswith("binary "))
    assert f"binary: pairs left out: {1375 - rows} (" in out
    assert "Part of a collection" not in out
    for topic in ("S0101", "S0102", "S0103"):
        shutil.copy(SAMPLE_DIR / f"{topic}.pyr", tmp_path)
    assert run("build", tmp_path, "--config", "ranking", "--cache-dir", tmp_path / "cache") == 0
    out = capsys.readouterr().out
    assert "Part of a collection: 3 of 8 topics of sample." in out
    assert "left out" not in out


def test_build_into_a_cache_of_ones_own(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a folder hides the last build from `datasets`, as in the checkout, the call imports the package first."""
    monkeypatch.chdir(tmp_path)
    assert run("build", "sample", "--cache-dir", tmp_path, "--config", "ranking", "--config", "binary") == 0
    captured = capsys.readouterr()
    assert [line.split()[:3] for line in captured.out.splitlines()[2:6]] == [
        ["configuration", "split", "rows"],
        ["binary", "test", "1,237"],
        ["binary", "validation", "138"],
        ["ranking", "test", "634"],
    ]
    call = f'from datasets import load_dataset; load_dataset("pyramid_paraphrase", "binary", cache_dir="{tmp_path}")'
    assert captured.out.splitlines()[-1] == f"In Python: import pyramid_paraphrase; {call}"
    assert (tmp_path / "pyramid_paraphrase" / "ranking" / "1.0.0").is_dir()
    monkeypatch.chdir(tmp_path / "pyramid_paraphrase")
    assert run("build", "sample", "--cache-dir", tmp_path, "--config", "binary") == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"In Python: {call}"


def test_a_built_folder_is_no_source(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    assert run("build", tmp_path) == 2
    message = "built dataset, ... load_dataset("
    assert re.search(mentions(message), capsys.readouterr().err)


def test_build_a_folder(capsys: Capture, tmp_path: Path) -> None:
    target = tmp_path / "my build"
    assert run("build", SAMPLE_DIR, "--output", target, "--verbose") == 0
    call, _, upload = capsys.readouterr().out.splitlines()[-3:]
    assert call == f'In Python: from datasets import load_dataset; load_dataset("{target}", "binary")'
    assert upload.strip() == f"hf upload ORG/NAME '{target}' --repo-type dataset --private"
    assert len(json.loads((target / "manifest.json").read_text())["configurations"]) == 4


@pytest.mark.parametrize("option", ["--output", "--cache-dir"])
def test_lines_to_copy_are_quoted(capsys: Capture, tmp_path: Path, option: str) -> None:
    """A quotation mark in the name of the folder ended the text of Python, and the rest was code."""
    target = tmp_path / "a\\n\"); print('b'); (\""
    assert run("build", "sample", option, target, "--config", "binary") == 0
    call, *_, last = capsys.readouterr().out.splitlines()[-3:]
    line = last if option == "--cache-dir" else call
    expression = ast.parse(line.rpartition("load_dataset; ")[2], mode="eval").body
    assert isinstance(expression, ast.Call)
    values = [*expression.args, *(keyword.value for keyword in expression.keywords)]
    assert str(target) in map(ast.literal_eval, values)
    if option == "--output":
        assert shlex.split(last)[3] == str(target)


CHANGED: dict[str, tuple[str | bool | None, str]] = {
    "min_words": ("5", "binary"),
    "pronouns": (None, "binary"),
    "pronoun_kinds": ("personal", "binary"),
    "min_shared_words": ("3", "binary"),
    "match_positives": (None, "binary"),
    "labels": (False, "binary"),
    "scope": ("pyramid", "binary"),
    "negatives_per_positive": ("1", "binary"),
    "distractors": ("2", "ranking"),
    "distractors_per_scu": ("2", "ranking"),
    "asker": ("label", "ranking"),
    "anchor": ("question", "ranking"),
    "similarity": ("shared-words", "ranking"),
    "entailment": ("either", "ranking"),
    "split_by": ("topic", "ranking"),
    "validation_collections": ("propsegment", "ranking"),
    "test_collections": ("sample", "ranking"),
    "seed": ("7", "binary"),
    "collections": ("sample", "ranking"),
    "context": (None, "ranking"),
    "units": (None, "binary"),
}


NEEDS_RELATIONS = {"entailment", "validation_collections"}
"""Rules that are recorded only of pyramids with relations, or that need a second collection."""

BESIDE = {
    "validation_collections": ("sample", "--split-by", "collection", "--test-collections", "sample"),
    "test_collections": ("--split-by", "collection"),
}
"""What a rule needs on the command line in addition."""


@pytest.mark.parametrize("name", CHANGED)
def test_every_rule_is_a_flag(name: str, tmp_path: Path) -> None:
    value, configuration = CHANGED[name]
    flag = ("--no-" if value is False else "--") + name.replace("_", "-")
    sources: list[object] = [make_town().write(tmp_path / "town") if name in NEEDS_RELATIONS else "sample"]
    if name == "units":
        unit = pair_element("Flames destroyed a mill", ["The old mill burned"], "1", MODEL_TEXT)
        sources.append(tmp_path / "essays.sea")
        (tmp_path / "essays.sea").write_bytes(sea_file(pyramid_element(SUMMARIES, SCUS), [unit]))
    target = tmp_path / "built"
    setting = [flag, value] if value else [flag]
    assert run("build", *sources, *BESIDE.get(name, ()), "--output", target, "--config", configuration, *setting) == 0
    built = json.loads((target / "manifest.json").read_text())["configurations"][configuration]
    expected = {None: True, False: False}.get(value, int(value) if str(value).isdigit() else value)  # type: ignore[call-overload, arg-type]
    assert built["options"][name] == expected
    assert sum(count for key, count in built["counts"].items() if key.endswith("_rows")) > 0


def test_no_rule_is_forgotten() -> None:
    assert set(CHANGED) == {option.name for option in OPTION_FIELDS}


def test_options_go_where_they_have_an_effect(capsys: Capture, tmp_path: Path) -> None:
    target = tmp_path / "built"
    assert run("build", "sample", "--output", target, "--scope", "pyramid") == 0
    built = json.loads((target / "manifest.json").read_text())["configurations"]
    assert built["binary"]["options"]["scope"] == "pyramid"
    assert built["ranking"]["options"]["scope"] == "corpus"
    assert run("build", "sample", "--config", "ranking", "--scope", "pyramid") == 2
    error = capsys.readouterr().err
    assert re.search(mentions("option scope ... no effect ... binary"), error)
    assert error.endswith("applies to binary\n")


def test_score(capsys: Capture, tmp_path: Path) -> None:
    table = tmp_path / "official.txt"
    table.write_text("S0108 1 0.8974 12 0\nS0108 2 0.2564 4 2\n")
    assert run("score", "sample", "--official", table) == 0
    out = capsys.readouterr().out
    assert "S0108    1                  0.9459    0.8974    12            0" in out
    assert "No published table" not in out
    assert out.startswith("peer  summaries")  # the means, before the scores of each summary
    assert "not shown" not in out
    assert "Written" not in out
    assert "1 of 2 rows agree with official.txt\nS0108 peer 2: published 0.2564 4 2, ours 0.2564 4 1\n" in out


def test_a_written_file_of_scores_is_named(capsys: Capture, tmp_path: Path) -> None:
    assert run("score", "sample", "--output", tmp_path / "scores.csv") == 0
    rows = (tmp_path / "scores.csv").read_text().splitlines()
    assert f"Written: {tmp_path / 'scores.csv'} ({len(rows) - 1} rows)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("count", "is_shown"), [(40, True), (41, False)])
def test_scores_of_many_summaries_are_not_printed(count: int, *, is_shown: bool) -> None:
    scores = [PeerScore(f"topic{number}", "1", "annotator", 0.5, 0.25, 3, 1) for number in range(count)]
    means, *others = render_scores(scores).split("\n\n")
    assert means.splitlines()[1].split() == ["1", str(count), "0.5000", "0.2500"]
    assert ("topic7 " in "".join(others)) is is_shown
    assert (f"{count} summaries are not shown. --output FILE" in "".join(others)) is not is_shown
    assert "--output" not in render_scores(scores, are_written=True)


def test_a_bundled_table_that_cannot_be_read_does_not_hide_the_scores(capsys: Capture, tmp_path: Path) -> None:
    shutil.copytree(SAMPLE_DIR, tmp_path / "data")
    (tmp_path / "data" / "2006_modified_scores.txt").write_text("topic peer score\n")
    assert run("score", tmp_path / "data") == 0
    out = capsys.readouterr().out
    assert "S0108    1                  0.9459" in out
    assert "Not compared: data/2006_modified_scores.txt, line 1: expected the columns pyramid, peer" in out


def test_file_names_may_be_anything(run_python: Run, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path / "odd")
    os.mkdir(folder)  # noqa: PTH102 - a name that is no text
    for name, data in ((b"x.pyr", PYRAMID), (b"S\xff.pyr", b"<html/>")):
        with open(folder + b"/" + name, "wb") as file:  # noqa: PTH123
            file.write(data)
    code = "import sys; from harness.cli import main; sys.exit(main(['inspect', sys.argv[1], '--list']))"
    result = run_python(code, tmp_path / "odd", PYTHONIOENCODING="utf-8")
    assert result.returncode == 0, result.stderr
    assert "odd/S\\udcff.pyr, line 1: file-rejected" in result.stdout


def test_what_to_type_in_python_is_what_works(capsys: Capture, tmp_path: Path) -> None:
    assert (
        run("build", "sample", "--cache-dir", tmp_path, "--config", "binary", "--seed", "0", "--scope", "pyramid") == 0
    )
    assert (
        f'load_dataset("pyramid_paraphrase", "binary", scope=\'pyramid\', cache_dir="{tmp_path}")'
        in capsys.readouterr().out
    )


def test_score_names_peers_that_may_be_one(capsys: Capture, tmp_path: Path) -> None:
    """Each would have a mean of its own, over other topics."""
    for topic, peer in (("D0901", "p1"), ("D0902", "P01")):
        text = PEER.decode().replace("D0901", topic)
        (tmp_path / f"{topic}-A.M.100.A.{peer}.pan").write_text(text)
    assert run("score", tmp_path) == 0
    assert re.search(mentions("different systems: P01, p1"), capsys.readouterr().out)


def test_score_without_a_published_table(capsys: Capture) -> None:
    assert run("score", "sample") == 0
    assert capsys.readouterr().out.endswith("add --official FILE.\n")


def test_wide_scores_name_the_peer_in_each_table() -> None:
    """Names of systems as long as those of REALSumm: the second table had pyramids without peers."""
    peer = "abs_ptr_generator_out_pointer_gen_cov"
    tables = render_scores([PeerScore("cnndm307", peer, "annotator", 0.5, 0.25, 3, 1)]).split("\n\n")
    assert [table.splitlines()[1].split() for table in tables[1:]] == [
        ["cnndm307", peer, "annotator", "0.5000", "0.2500"],
        ["cnndm307", peer, "annotator", "3", "1"],
    ]


def test_score_finds_the_published_table(capsys: Capture, real_archive: Path) -> None:
    assert run("score", real_archive) == 0
    assert "299 of 299 rows agree with mainPyramidEval.tar.gz!" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["inspect", "build", "score"])
def test_strict(capsys: Capture, tmp_path: Path, command: str) -> None:
    (tmp_path / "x.pyr").write_bytes(PYRAMID.replace(b'uid="2"', b'uid="1"'))
    assert run(command, tmp_path, "--strict") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.search(mentions("x.pyr, line 44: scu-renamed: uid '1' ... '1#2'. ... without strict"), captured.err)


def test_errors_are_one_line_and_exit_with_2(capsys: Capture, tmp_path: Path) -> None:
    for arguments in (
        ("inspect", tmp_path / "missing"),
        ("inspect", tmp_path),
        ("build", "sample", "--min-words", "99"),
        ("build", "sample", "--collections", "duc"),
        ("build", "sample", "--output", "/proc/nothing"),
        ("build", "sample", "--cache-dir", "/proc/nothing"),
        ("build", "sample", "--output", "~nobody-of-that-name/x"),
        ("inspect", "~nobody-of-that-name/x"),
        ("score", "sample", "--official", tmp_path / "missing"),
    ):
        assert run(*arguments) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        error = [line for line in captured.err.splitlines() if not line.startswith("WARNING")]
        assert len(error) == 1
        assert error[0].startswith("pyramid-paraphrase: ")
        assert ". " in error[0]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["build"],
        ["build", "sample", "--config", "x"],
        ["build", "x", "--seed", "y"],
        ["build", "sample", "--see", "1"],
        ["build", "sample", "--output", "x", "--cache-dir", "y"],
    ],
)
def test_wrong_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run(*arguments)
    assert caught.value.code == 2


def test_what_follows_two_hyphens_is_no_flag(capsys: Capture) -> None:
    assert run("inspect", "--", "--lits") == 2
    assert re.search(mentions("--lits: no such file ... path"), capsys.readouterr().err)


def test_version_and_help(capsys: Capture) -> None:
    for argument, expected in (("--version", __version__), ("--help", "inspect")):
        with pytest.raises(SystemExit) as caught:
            run(argument)
        assert caught.value.code == 0
        assert expected in capsys.readouterr().out


def test_a_closed_pipe_causes_no_message(run_python: Run) -> None:
    """The status is that of other programs, because the command may have ended before it did its work."""
    code = """
import subprocess, sys
command = [sys.executable, "-m", "harness.cli", "score", "sample"]
with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
    process.stdout.close()
    print(process.wait(), process.stderr.read())
"""
    assert run_python(code).stdout.strip() == "141 b''"


def test_tables_align_numbers_to_the_right() -> None:
    table = render_table(("name", "count", "score"), [("a", 1234, 0.5), ("bcdef", 1, 0.25)])
    assert table == "name   count   score\na      1,234  0.5000\nbcdef      1  0.2500"
    assert render_table(("a", "b"), []) == "a  b"
