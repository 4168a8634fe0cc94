"""Model cards: their content, its interpretation by the Hub's own client, and refused inputs."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.commands import Capture, run
from helpers.messages import mentions
from huggingface_hub import DatasetCard, ModelCard, eval_result_entries_to_yaml, parse_eval_result_entries
from huggingface_hub.utils import validate_repo_id
from msgspec import structs

from harness.api.evaluating import evaluate
from harness.cards.metadata import update_entries
from harness.cards.numbers import list_numbers, make_groups
from harness.cards.writing import write_card
from harness.evaluation.results import Result, read_result
from harness.models.neural.checkpoints import find_fingerprint
from harness.support.errors import CardError
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.atomic import locked_folder
from pyramid_paraphrase.rules.options import PAPER_TESTS

# By hand, for a model that scores all alike: of the sample's 1,237 test pairs, 614 are paraphrases. All are called so:
# F = 2 * 614 / (1237 + 614), average precision = 614 / 1237. Of four tied options each is first as often as the others:
# success rate = 1/4, MRR = (1 + 1/2 + 1/3 + 1/4) / 4.
BY_HAND = {"f1": 0.663425, "average_precision": 0.496362, "success_rate": 0.25, "mrr": 0.520833}
ENTRIES = ".eval_results/pyramid_paraphrase.yaml"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluate("constant", "sample", PAPER_TESTS, resamples=5).write(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def matched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    test_names = ["binary_matched", "ranking_matched"]
    return evaluate("constant", "sample", test_names, resamples=5).write(tmp_path_factory.mktemp("results"))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    return folder


def change(result: Path, folder: Path, edit: Callable[[dict[str, Any]], object]) -> Path:
    """Write a changed copy of a result."""
    record = json.loads(result.read_text())
    edit(record)
    for test in record["tests"].values():
        name = test["scores"]["file"]
        (folder / name).write_bytes((result.parent / name).read_bytes())
    path = folder / "changed.json"
    path.write_text(json.dumps(record))
    return path


def test_the_readme_is_read_by_the_hubs_client(capsys: Capture, result: Path, model: Path) -> None:
    assert run("card", result, "--model-dir", model) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Written: {model}/README.md\nNot written: {ENTRIES}. ")
    assert "--dataset-repo" in out.splitlines()[1]
    assert [path.name for path in model.iterdir()] == ["README.md"]
    links = re.findall(r"\]\(([^)]+)\)", (model / "README.md").read_text())
    assert [link for link in links if not link.startswith("https://")] == []  # no file of ours is beside the card
    data = ModelCard.load(model / "README.md").data
    assert data.model_name == "constant"
    assert {eval_result.metric_type: eval_result.metric_value for eval_result in data.eval_results} == BY_HAND
    assert {type(eval_result.metric_value) for eval_result in data.eval_results} == {float}
    first, last = data.eval_results[0], data.eval_results[-1]
    assert (first.task_type, last.task_type) == ("text-classification", "multiple-choice")
    assert (first.dataset_type, first.dataset_name) == ("pyramid_paraphrase", "Pyramid paraphrase (binary)")
    assert (last.dataset_config, last.dataset_split, last.metric_name) == ("ranking", "test", "MRR")
    assert last.dataset_args == {"fingerprint": read_result(result).tasks["ranking"]["fingerprint"]}
    assert last.source_name is None


def test_entries_are_read_by_the_hubs_client(result: Path, matched: Path, model: Path) -> None:
    assert run("card", result, matched, "--model-dir", model, "--dataset-repo", "org/set") == 0
    entries = parse_eval_result_entries(yaml.safe_load((model / ENTRIES).read_text()))
    ids = ["binary_f1", "binary_average_precision", "ranking_success_rate", "ranking_mrr"]
    ids += ["binary_matched_f1", "binary_matched_average_precision"]
    ids += ["ranking_matched_success_rate", "ranking_matched_mrr"]
    assert [entry.task_id for entry in entries] == ids
    assert [entry.value for entry in entries[:4]] == list(BY_HAND.values())
    assert {entry.dataset_id for entry in entries} == {"org/set"}
    records = [read_result(path) for path in (result, matched)]
    assert [entry.date for entry in entries] == [record.record.time.date for record in records for _ in range(4)]
    assert [entry.notes for entry in entries] == [record.signature for record in records for _ in range(4)]
    assert {eval_result.dataset_type for eval_result in ModelCard.load(model / "README.md").data.eval_results} == {
        "org/set"
    }


def test_every_task_is_what_the_hub_takes_for_one(result: Path, matched: Path, model: Path, tmp_path: Path) -> None:
    """The tasks of a card are those of `eval.yaml` in the built data, and the Hub's client loses nothing of them."""
    assert run("card", result, matched, "--model-dir", model, "--dataset-repo", "org/set") == 0
    assert run("build", "sample", "--output", tmp_path / "built") == 0
    benchmark = yaml.safe_load((tmp_path / "built" / "eval.yaml").read_text())
    content = yaml.safe_load((model / ENTRIES).read_text())
    entries = parse_eval_result_entries(content)
    assert eval_result_entries_to_yaml(entries) == content
    assert sorted(entry.task_id for entry in entries) == sorted(task["id"] for task in benchmark["tasks"])
    assert len(entries) == 8
    for entry in entries:
        validate_repo_id(entry.dataset_id)
        assert isinstance(entry.value, float)
        assert math.isfinite(entry.value)
        assert entry.date is not None
        assert datetime.fromisoformat(entry.date).tzinfo is not None
        assert isinstance(entry.notes, str)
        assert "\n" not in entry.notes
    card = DatasetCard.load(tmp_path / "built" / "README.md")
    # Hub's lists: huggingface_hub's DatasetCardData names the sizes and creators
    assert card.data.size_categories == ["1K<n<10K"]
    assert card.data.task_categories == ["sentence-similarity", "text-classification", "multiple-choice"]
    assert (card.data.annotations_creators, card.data.language) == (["expert-generated"], ["en"])
    assert card.data.tags == ["paraphrase", "sentence-embeddings", "summarization", "pyramid-method"]
    assert {task["config"] for task in benchmark["tasks"]} <= {row["config_name"] for row in card.data.configs}
    assert {tuple(task) for task in benchmark["tasks"]} == {("id", "config", "split")}
    assert {type(value) for task in benchmark["tasks"] for value in task.values()} == {str}


@pytest.mark.parametrize(
    "repository", ["set", "org/set/part", "org/-set", "org/a--b", "org/set.git", "", "https://hub/org/set"]
)
def test_datasets_that_the_hub_would_refuse(capsys: Capture, result: Path, model: Path, repository: str) -> None:
    with pytest.raises(SystemExit):
        run("card", result, "--model-dir", model, "--dataset-repo", repository)
    assert re.search(mentions("--dataset-repo ... ORG/NAME"), capsys.readouterr().err)
    assert list(model.iterdir()) == []


def test_a_card_of_a_folder_that_has_changed(result: Path, model: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The numbers of the old checkpoint went into the card of the new one, without a word."""
    (model / "weights.bin").write_text("1")
    (model / "adapter.json").write_text("{}")
    stored = read_result(result)

    def write(spec: str, options: dict[str, Any], kind: str = "sentence-transformers") -> str:
        described = structs.replace(
            stored.record.model, kind=kind, spec=spec, options=options, fingerprint=print_of_old
        )
        caplog.clear()
        write_card([dataclasses.replace(stored, record=structs.replace(stored.record, model=described))], model)
        return caplog.text

    spec, options = f"sentence-transformers:{model.parent.name}/{model.name},dtype=float32", {"dtype": "float32"}
    print_of_old = find_fingerprint(model, "sentence-transformers", options) or ""
    assert write(spec, options) == ""
    assert write(spec, options) == "", "the card does not change the model"
    (model / "weights.bin").write_text("2")
    assert re.search(mentions(f"{model}: ... {print_of_old[:12]} ... evaluate it again"), write(spec, options))
    assert write("sentence-transformers:org/model", options) == "", "the model was on the Hub"
    assert write(spec, {}, "model2vec") == write(spec, options | {"similarity": "dot"}) == ""


def test_results_of_a_model_that_changed_are_not_one_card(result: Path, matched: Path) -> None:
    """A card had the numbers of a checkpoint on one test, and of its successor on another."""
    old, new = read_result(result), read_result(matched)

    def rename(part: Result, **fields: str) -> Result:
        model = structs.replace(part.record.model, **fields)  # type: ignore[arg-type]
        return dataclasses.replace(part, record=structs.replace(part.record, model=model))

    changed = rename(new, fingerprint="0" * 64)
    with pytest.raises(CardError, match=mentions(f"{result} ... {matched} ... fingerprints ... evaluate it again")):
        list_numbers([old, changed])
    assert len(list_numbers([rename(old, kind="object"), rename(changed, kind="object")])) == 8


def test_numbers_of_other_data_and_numbers_of_their_own(result: Path) -> None:
    """Tests that are not made from pyramids have no number. A test of an earlier release has a number of its own."""
    stored = read_result(result)
    ranking = structs.replace(stored.tests["ranking"], metrics={"mrr": 0.5})
    record = structs.replace(stored.record, tests={"pit_similarity": stored.tests["binary"], "ranking": ranking})
    numbers = list_numbers([dataclasses.replace(stored, record=record)])
    assert [(number.name, number.value) for number in numbers] == [("ranking_mrr", 0.5)]
    (group,) = make_groups(numbers, None)
    assert (group["task"]["type"], group["dataset"]["config"]) == ("multiple-choice", "ranking")
    assert group["metrics"] == [{"type": "mrr", "value": 0.5, "name": "MRR"}]


def test_writing_twice_changes_nothing(result: Path, matched: Path, model: Path) -> None:
    (model / "README.md").write_bytes(b"---\r\nlicense: mit # mine\r\n---\r\n# Model\r\n")
    written = []
    for results in ([result], [matched], [matched, result], [result]):
        assert run("card", *results, "--model-dir", model, "--dataset-repo", "org/set") == 0
        written.append(((model / "README.md").read_bytes(), (model / ENTRIES).read_bytes()))
    assert written[1] == written[2] == written[3] != written[0]
    assert written[0][0].startswith(b"---\r\nlicense: mit # mine\r\nmodel-index:\r\n- name: constant\r\n")
    assert written[0][0].endswith(b"\r\n---\r\n# Model\r\n")


def test_a_new_number_takes_the_place_of_the_old(
    result: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.evaluation.results.METRIC_TOLERANCE", 1)  # the numbers do not follow from the scores

    def edit(record: dict[str, Any]) -> None:
        record["tests"]["ranking"]["metrics"]["mrr"] = 1e-6
        record["tests"]["ranking"]["metrics"]["success_rate"] = 1

    arguments = ("--model-dir", model, "--dataset-repo", "org/set")
    assert run("card", result, *arguments) == 0
    before = [(model / name).read_text() for name in ("README.md", ENTRIES)]
    assert run("card", change(result, tmp_path, edit), *arguments) == 0
    after = [(model / name).read_text() for name in ("README.md", ENTRIES)]
    expected = [text.replace(": 0.520833", ": 1.0e-06").replace(": 0.25", ": 1.0") for text in before]
    assert after == expected
    assert ModelCard.load(model / "README.md").data.eval_results[-1].metric_value == 1e-6


THEIRS = """\
# theirs
- dataset: {id: cais/hle, task_id: default} # in a flow
  value: 20.90
  evaluation_framework: inspect-ai
- dataset:
    id: org/set
    task_id: other
  value: 1e-3
  unknown: [1, 2]
"""
OURS = [{"dataset": {"id": "org/set", "task_id": "ranking_mrr"}, "value": 0.5, "notes": "a: b"}]
ADDED = "- dataset:\n    id: org/set\n    task_id: ranking_mrr\n  value: 0.5\n  notes: 'a: b'\n"


def update(text: str) -> str:
    return update_entries(text, "x.yaml", OURS)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ADDED),
        ("# c", f"# c\n{ADDED}"),
        # The second run treated the new lines of the first run as old lines with other line breaks.
        ("\r", f"\r{ADDED}"),
        ("# c\r\n", ("# c\n" + ADDED).replace("\n", "\r\n")),
        ("# c\r\n# d", ("# c\n# d\n" + ADDED).replace("\n", "\r\n")),
        (THEIRS, THEIRS + ADDED),
        ("\ufeff" + THEIRS, "\ufeff" + THEIRS + ADDED),
        (THEIRS.replace("\n", "\r\n"), (THEIRS + ADDED).replace("\n", "\r\n")),
        (f"---\n{THEIRS}# end\n", f"---\n{THEIRS}{ADDED}# end\n"),
        (ADDED.replace("value: 0.5", "value: 9\n  verifyToken: x") + THEIRS, ADDED + THEIRS),
        (ADDED.replace("notes: 'a: b'", "notes: |\n    a\n    b") + THEIRS, ADDED + THEIRS),
        ("[]", "[{dataset: {id: org/set, task_id: ranking_mrr}, value: 0.5, notes: 'a: b'}]"),
        (
            "- {dataset: {id: org/set, task_id: ranking_mrr}, value: 1} # c",
            "- {dataset: {id: org/set, task_id: ranking_mrr}, value: 0.5, notes: 'a: b'} # c",
        ),
    ],
)
def test_other_entries_remain_unchanged(before: str, after: str) -> None:
    assert update(before) == after
    assert update(after) == after


@pytest.mark.parametrize("text", ["a: 1", "null", "x"])
def test_files_without_a_list_of_entries(text: str) -> None:
    with pytest.raises(InputError, match=mentions("x.yaml, line 1: ... entries ... Rename")):
        update(text)


def test_the_snippet(capsys: Capture, result: Path, matched: Path) -> None:
    assert run("card", result, matched, "--print") == 0
    out = capsys.readouterr().out
    assert out.startswith("README.md:\n\n---\nmodel-index:\n- name: constant\n")
    assert f"\nNot written: {ENTRIES}. " in out
    assert re.search(r"\| `binary` \| F \| 0\.663 \| \[.*\] \| - \| 0\.663 \|\n", out)
    assert "| `ranking` | success rate | 0.250 | [0.250, 0.250] | - | 0.250 |\n" in out
    assert "| `ranking` | MRR | 0.521 | [0.521, 0.521] | - | 0.521 |\n" in out
    tests = re.findall(r"^\| `(\w+)`|^(The tests of the paper)", out, re.MULTILINE)
    assert ["".join(found) for found in tests] == [
        *["ranking_matched"] * 2, *["binary_matched"] * 2, "The tests of the paper", *["binary"] * 2, *["ranking"] * 2,
    ]  # fmt: skip
    assert "Results of shortcuts are missing" in out
    assert "Data: Sample corpus of this project; fingerprints `binary` `b80dc816ce66`, `ranking` `fa10d090d4bd`," in out
    assert "Intervals: 95 %, bootstrap over topics, 5 resamples." in out
    for path in (result, matched):
        assert f"\n    {read_result(path).signature}\n" in out
    assert "@inproceedings{baumel2016sentence," in out
    assert run("card", result, "--print", "--dataset-repo", "org/set") == 0
    out = capsys.readouterr().out
    assert f"\n{ENTRIES}:\n\n- dataset:\n    id: org/set\n    task_id: binary_f1\n  value: 0.663425\n" in out


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of two models and two shortcuts on tests that differ for them."""
    folder, tests = tmp_path_factory.mktemp("results"), ["ranking_matched", "ranking"]
    for model in ("tf-idf", "one-hot", "overlap", "length"):
        evaluate(model, "sample", tests, resamples=5).write(folder)
    return folder


def test_a_card_compares_the_model_with_the_others(capsys: Capture, compared: Path) -> None:
    """The answer and the best shortcut come from all results, and the numbers and metadata from those of the model."""
    assert run("card", compared, "--model", "one-hot", "--print") == 0
    out = capsys.readouterr().out
    metadata, snippet = out.split("## Pyramid paraphrase")
    assert metadata.count("value: ") == 4
    assert "- name: one-hot\n" in metadata
    assert "tf-idf" not in metadata
    first = snippet.strip().splitlines()[0]
    assert first.startswith("Best on ranking\\_matched by success rate: tf-idf 0.637.")
    # On these questions, tf-idf is significantly better than overlap (p 0.0312), and one-hot is not (0.2188).
    (row,) = (line for line in snippet.splitlines() if line.startswith("| `ranking_matched` | success rate |"))
    assert row.split(" | ")[2] == "0.579"
    assert row.endswith("] | overlap 0.594, not significantly worse | 0.250 |")
    assert "Results of shortcuts are missing" not in snippet
    assert run("card", compared, "--model", "tf-idf", "--print") == 0
    snippet = capsys.readouterr().out.split("## Pyramid paraphrase")[1]
    assert "| overlap 0.594 | 0.250 |\n" in snippet
    assert snippet.strip().splitlines()[0] == first


def test_the_only_model_that_competes_needs_no_name(capsys: Capture, compared: Path, matched: Path) -> None:
    """Shortcuts and chance are there for comparison."""
    assert run("card", compared / "tf-idf", compared / "overlap", matched, "--print") == 0
    out = capsys.readouterr().out
    assert "- name: tf-idf\n" in out
    assert "The only model on ranking\\_matched by success rate: tf-idf 0.637." in out
    assert run("card", compared, "--print") == 2
    assert re.search(mentions("2 models (one-hot, tf-idf). ... --model"), capsys.readouterr().err)


def test_the_snippet_tells_what_a_model_did_to_texts(capsys: Capture, result: Path, tmp_path: Path) -> None:
    def edit(record: dict[str, Any]) -> None:
        record["model"]["effective"] = {"prompt": "`*a*`\n", "max_tokens": 8}
        record["model"]["text_counts"] = {"cut_texts": 514, "cut_tokens": 4321}
        record["tests"]["binary"]["counts"].update(refusals=2, unparsable=1, by_words=5)

    assert run("card", change(result, tmp_path, edit), "--print") == 0
    out = capsys.readouterr().out
    assert "Settings of the model's configuration: prompt `\"'*a*'\\n\"`, max_tokens `8`.\n" in out
    assert "constant: its configuration puts the prompt '\\`\\*a\\*\\`\\\\n' before every text.\n" in out
    assert "constant: 514 of 571 texts were cut to 8 tokens (4,321 tokens lost).\n" in out
    missing = "3 times without an answer in binary (refusals: 2, unparsable: 1), counted as wrong"
    assert f"constant: {missing}.\n" in out
    assert "constant: answers 5 times in binary by the words of the reply" in out
    assert "configuration" not in out.split("## Pyramid paraphrase")[0]


def test_numbers_of_the_sample_are_said_to_compare_with_nothing(
    caplog: pytest.LogCaptureFixture, result: Path, tmp_path: Path
) -> None:
    def edit(record: dict[str, Any]) -> None:
        record["dataset"]["collections"] = ["duc2007-main"]

    assert run("card", result, "--print") == 0
    assert "built-in sample corpus" in caplog.text
    caplog.clear()
    assert run("card", change(result, tmp_path, edit), "--print") == 0
    assert caplog.text == ""


def test_texts_of_untrusted_results_are_escaped(capsys: Capture, result: Path, tmp_path: Path) -> None:
    def edit(record: dict[str, Any]) -> None:
        record["model"]["name"] = "a: [b]\u2028# \U0001f600 'c' \"d\""
        record["dataset"]["collections"] = ["duc2007-main", "a\u2028# new"]
        record["tests"]["ranking"]["intervals"].clear()

    changed = change(result, tmp_path, edit)
    assert run("card", changed, "--model-dir", tmp_path) == 0
    out = capsys.readouterr().out
    assert "Data: DUC 2007 main task, a-new; fingerprints" in out
    assert "| `ranking` | MRR | 0.521 | - | - | 0.521 |\n" in out
    assert ModelCard.load(tmp_path / "README.md").data.model_name == "a: [b]\u2028# \U0001f600 'c' \"d\""
    before = (tmp_path / "README.md").read_bytes()
    assert run("card", changed, "--model-dir", tmp_path) == 0
    assert (tmp_path / "README.md").read_bytes() == before


def test_results_without_a_card(capsys: Capture, result: Path, model: Path, tmp_path: Path) -> None:
    renamed_result = change(result, tmp_path, lambda record: record["model"].update(name="other"))
    for arguments, message in (
        ([result, renamed_result], "2 models (constant, other). ... --model"),
        ([result, renamed_result, "--model", "othr"], "'othr' ... 'other' ... constant"),
        ([result, result], f"constant ({result}) ... constant ({result}) ... binary. ... only one"),
        ([tmp_path / "none.json"], "none.json: no such file ... Check the path"),
    ):
        assert run("card", *arguments, "--model-dir", model) == 2
        captured = capsys.readouterr()
        assert captured.err.startswith("pyramid-paraphrase: ")
        assert re.search(mentions(message), captured.err)
        assert captured.out == ""
    for date in ("yesterday", "2026-W01-1", "20260102", "2026-13-01"):  # Python reads two of them
        dated = change(result, tmp_path, lambda record, date=date: record["time"].update(date=date))
        assert run("card", dated, "--model-dir", model, "--dataset-repo", "org/set") == 2
        message = "pyramid-paraphrase: the result of constant has no valid ISO 8601 date. Evaluate it again\n"
        assert re.search(mentions(message), capsys.readouterr().err)
    metrics = change(result, tmp_path, lambda record: [test["metrics"].clear() for test in record["tests"].values()])
    assert run("card", metrics, "--model-dir", model) == 2
    message = (
        "pyramid-paraphrase: the results of constant contain none of the numbers of a card (binary_f1, "
        "binary_average_precision, ranking_success_rate, ranking_mrr). Evaluate it again\n"
    )
    assert re.search(mentions(message), capsys.readouterr().err)
    assert list(model.iterdir()) == []


FILES: dict[str, tuple[str, bytes, str]] = {
    "broken": ("README.md", b"---\nlicense: [\n---\n", "model/README.md, line 3: ... not valid YAML ( ... YAML"),
    "latin": ("README.md", b"# a\n\xe9", "model/README.md, line 2: ... UTF-8"),
    "large": ("README.md", b" " * ((16 << 20) + 1), "model/README.md: ... 16,777,216 bytes ... Shorten"),
    "entries": (ENTRIES, b"- a: 1\n- *b\n", f"{ENTRIES}, line 2: ... alias *b. Replace"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_cannot_be_edited_are_left_alone(capsys: Capture, result: Path, model: Path, name: str) -> None:
    file, data, message = FILES[name]
    (model / ENTRIES).parent.mkdir()
    (model / file).write_bytes(data)
    assert run("card", result, "--model-dir", model, "--dataset-repo", "org/set") == 2
    captured = capsys.readouterr()
    assert re.search(mentions(message), captured.err)
    assert len(captured.err.splitlines()) == 1 + captured.err.count("WARNING")
    assert [path for path in model.rglob("*") if path.is_file()] == [model / file]
    assert (model / file).read_bytes() == data


def test_folders_that_cannot_be_written(capsys: Capture, result: Path, model: Path) -> None:
    arguments = (result, "--dataset-repo", "org/set", "--model-dir")
    assert run("card", *arguments, model / "nowhere") == 2
    assert re.search(mentions("nowhere: no such folder. ... README.md"), capsys.readouterr().err)
    (model / "README.md").mkdir()
    assert run("card", *arguments, model) == 2
    assert re.search(mentions("model/README.md: ... (Is a directory) ... path"), capsys.readouterr().err)
    (model / "README.md").rmdir()
    (model / "README.md").write_text("# mine")
    (model / ".eval_results").write_text("a file")
    assert run("card", *arguments, model) == 2
    assert re.search(mentions("directory) ... path"), capsys.readouterr().err)
    assert (model / "README.md").read_text() == "# mine"


def test_a_second_file_that_fails_takes_back_the_first(
    capsys: Capture, result: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (model / "README.md").write_text("# mine")

    def fail(path: Path, *_: object) -> None:
        if path.parent.name == ".eval_results":
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.chmod", fail)
    assert run("card", result, "--model-dir", model, "--dataset-repo", "org/set") == 2
    assert re.search(mentions("model: ... (No space left on device) ... free"), capsys.readouterr().err)
    assert [path for path in model.rglob("*") if path.is_file()] == [model / "README.md"]
    assert (model / "README.md").read_text() == "# mine"


def test_a_change_of_another_process_is_kept(result: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two `card` at the same time, the second replaced the lines of the first. Now it waits, and reads them."""
    (model / "README.md").write_text("# mine")

    @contextmanager
    def wait(folder: Path) -> Iterator[None]:
        (folder / "README.md").write_text("# of another process")
        with locked_folder(folder):
            yield

    monkeypatch.setattr("harness.cards.writing.locked_folder", wait)
    assert run("card", result, "--model-dir", model) == 0
    assert "# of another process" in (model / "README.md").read_text()


def test_permissions_are_kept(result: Path, model: Path) -> None:
    (model / "README.md").write_text("# mine")
    (model / "README.md").chmod(0o600)
    assert run("card", result, "--model-dir", model, "--dataset-repo", "org/set") == 0
    modes = [stat.S_IMODE((model / name).stat().st_mode) for name in ("README.md", ENTRIES)]
    assert modes == [0o600, 0o644]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["card", "--print"], "RESULT"),
        (["card", "r.json"], "card ... arguments --model-dir --print"),
        (["card", "r.json", "--print", "--model-dir", "."], "card ... --model-dir ... --print"),
        (["card", "r.json", "--print", "--dataset-repo", "set"], "card ... --dataset-repo ... ORG/NAME"),
        (["card", "r.json", "--print", "--dataset-repo", "a/b c"], "card ... --dataset-repo ... ORG/NAME"),
    ],
)
def test_wrong_usage(capsys: Capture, arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as caught:
        run(*arguments)
    assert caught.value.code == 2
    assert re.search(mentions(message), capsys.readouterr().err)
