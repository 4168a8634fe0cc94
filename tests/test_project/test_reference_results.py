"""The script that adds reference results: the list of families, and a run against a Hub on this machine."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.checkout import ROOT
from helpers.commands import Room, Run
from helpers.hub_server import COMMIT, Hub, Refusal, serve_hub

import harness
from harness.evaluation.comparing.references import list_references, read_records
from harness.evaluation.sweeps.plans import read_plan
from harness.models.specs import parse_spec

LIST = ROOT / "benchmarks" / "reference_models.yaml"
NOT_ON_THE_HUB = {"endpoint", "vectors"}
"""Kinds of the page whose models are behind servers or in files of the user."""


def test_the_list_has_the_families_of_the_page() -> None:
    listed = {(parsed.kind.name, parsed.model) for parsed in (parse_spec(spec) for spec, _ in read_plan(LIST))}
    _, _, families = (ROOT / "docs" / "model_options.md").read_text().partition("\n## Families\n")
    lines = re.findall(r"`--model ([^`]+)`", families)
    specs = [parse_spec(shlex.split(line)[0]) for line in lines]
    named = {(spec.kind.name, spec.model) for spec in specs if spec.kind.name not in NOT_ON_THE_HUB}
    named.discard(("sentence-transformers", "folder"))  # stands for a folder of the user
    assert len(named) > 30
    assert named <= listed


def run_script(room: Room, hub: Hub, *options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "benchmarks" / "reference_results.py", *options]
    environment = room.environment | {"HF_ENDPOINT": hub.url, "HF_HUB_OFFLINE": "0", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        list(map(str, command)), cwd=room.folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.full
@pytest.mark.needs("sentence_transformers")
def test_a_run_continues_and_adds_results(room: Room, tiny_model: Path) -> None:
    """The second model is refused first. Afterwards, only this model is requested and evaluated."""
    output, models = room.folder / "references", room.folder / "models.yaml"
    models.write_text("- one-hot,name=words\n- model: [org/first, org/second]\n  truncate_dim: 4\n")
    command = ("--models", models, "--data", "sample", "--output", output, "--workers", "1", "--quiet")
    first, second = "org/first (truncate_dim=4)", "org/second (truncate_dim=4)"
    with serve_hub({"org/first": tiny_model, "org/second": tiny_model}) as hub:
        hub.refusals["org/second"] = Refusal(500, "")
        stopped = run_script(room, hub, *command)
        assert stopped.returncode == 2, stopped.stderr
        assert f"failed: {second}" in stopped.stdout
        assert "sample: 2 results added" in stopped.stdout
        assert [result.model for result in read_records(output)] == [first, "words"]
        hub.refusals.clear()
        hub.asked.clear()
        ended = run_script(room, hub, *command, "--retry")
        assert ended.returncode == 0, ended.stderr
        assert f"(replaced: {first}, words)" in ended.stdout
        assert f"/org/second/resolve/{COMMIT}/model.safetensors" in hub.asked
        assert not any("/org/first/" in path for path in hub.asked)
    records = read_records(output)
    assert [(result.model, len(result.tests)) for result in records] == [(first, 4), (second, 4), ("words", 4)]
    mine = harness.evaluate("tf-idf", data="sample", tasks=["ranking"], resamples=10)
    marked = [result.model for result in list_references([mine], output)]
    assert marked == [f"{name} (reference)" for name in (first, second, "words")]
    assert "length" not in " ".join(marked)  # shortcuts are evaluated with the models of a user


REPLACE = """
import sys
from pathlib import Path
import harness
from harness.evaluation.comparing.references import read_records
from reference_results import add_references
folder = Path(sys.argv[1])
evaluate = lambda spec, task: harness.evaluate(spec, data="sample", tasks=[task], resamples=10)
print(add_references([evaluate("one-hot,name=a", "ranking"), evaluate("tf-idf,name=b", "ranking")], folder))
print(add_references([evaluate("one-hot", "binary")], folder))
print(add_references([evaluate("char-ngrams,name=a", "ranking"), evaluate("tf-idf,name=c", "ranking")], folder))
print(sorted((result.model, result.record.model.kind, *result.tests) for result in read_records(folder)))
"""


@pytest.mark.full
def test_results_of_the_same_name_replace_stored_ones(run_python: Run, tmp_path: Path) -> None:
    """Results of the same model under another name do so, too. Those on other data sets stay."""
    result = run_python(REPLACE, tmp_path / "references", PYTHONPATH=str(ROOT / "benchmarks"))
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "[]",
        "[]",
        "['a', 'b']",
        "[('a', 'char-ngrams', 'ranking'), ('c', 'tf-idf', 'ranking'), ('one-hot', 'one-hot', 'binary')]",
    ]


@pytest.mark.parametrize("options", [(), ("--packages", "x"), ("--packages", "x", "--minilm", "y", "--workers", "1")])
@pytest.mark.full
def test_incomplete_options_are_refused(room: Room, options: tuple[str, ...]) -> None:
    with serve_hub({}) as hub:
        result = run_script(room, hub, *options)
        assert hub.asked == []
    assert result.returncode == 2
    assert "--models" in result.stderr.splitlines()[-1] or "--minilm" in result.stderr.splitlines()[-1]
