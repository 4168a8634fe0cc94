"""The place of metrics that a user names, the consent to run their code, and their identity."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import huggingface_hub.constants
import pytest
from helpers.commands import Run
from helpers.dripping_server import DRIPS, serve_drops
from helpers.hub_server import serve_hub
from helpers.messages import mentions
from helpers.metric_modules import METRICS, write_metric

from harness.metrics.named_metrics import locate_metrics
from harness.support.errors import MetricError
from pyramid_paraphrase.errors import OptionError

TRUSTED = "accuracy,trust_remote_code=true"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of `evaluate` with two versions of accuracy, in the layout that `evaluate.load` writes."""
    folder = tmp_path / "modules" / "evaluate_modules" / "metrics" / "evaluate-metric--accuracy"
    for number, time in (("a", 2_000_000_000), ("b", 1_000_000_000)):
        version = folder / (number * 64)
        shutil.copytree(METRICS / "accuracy", version)
        os.utime(version / "accuracy.py", (time, time))
    (folder / "no-hash").mkdir()
    (folder / "no-hash" / "accuracy.py").touch()
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_folder_and_its_script_are_the_same_metric() -> None:
    by_folder, by_script = (locate_metrics([METRICS / place])[0] for place in ("accuracy", "accuracy/accuracy.py"))
    assert by_folder == by_script
    assert (by_folder.name, by_folder.script) == ("accuracy", METRICS / "accuracy" / "accuracy.py")


def test_the_identity_is_the_content_of_all_code_in_the_folder(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(METRICS / "accuracy", tmp_path / "accuracy"))
    (original,) = locate_metrics([METRICS / "accuracy"])
    (folder / "README.md").write_text("Not code.")
    assert locate_metrics([folder])[0].sha256 == original.sha256
    (folder / "shares.py").write_text((folder / "shares.py").read_text() + "\n")
    assert locate_metrics([folder])[0].sha256 != original.sha256


def test_a_name_is_found_in_the_cache_of_the_library(cache: Path) -> None:
    """The latest version counts, as in `evaluate.load` without a network."""
    assert locate_metrics([TRUSTED])[0].script == cache / ("a" * 64) / "accuracy.py"


def test_the_cache_is_where_the_library_looks_for_it(cache: Path, run_fork: Run) -> None:
    code = """
import evaluate, logging
from harness.metrics.named_metrics import locate_metrics
(metric,) = locate_metrics(["accuracy,trust_remote_code=true"])
from evaluate.loading import CachedEvaluationModuleFactory
found = CachedEvaluationModuleFactory("evaluate-metric--accuracy").get_module()
print(metric.script.parent.name == found.hash)
"""
    run = run_fork(code, HF_MODULES_CACHE=str(cache.parents[2]))
    assert run.stdout == "True\n", run.stderr


def test_a_folder_comes_before_a_name(cache: Path, tmp_path: Path) -> None:
    write_metric(tmp_path / "accuracy", "return {'accuracy': 1.0}")
    assert locate_metrics(["accuracy"])[0].script == tmp_path / "accuracy" / "accuracy.py"


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    ("spec", "error", "remedy"),
    [
        ("accuracy", OptionError, "metric accuracy: ... ,trust_remote_code=true"),
        (
            "accuracy,trust_remote_code=false",
            OptionError,
            "metric accuracy: ... ,trust_remote_code=true",
        ),
        ("accuracy,trust_remote_code=maybe", OptionError, "metric accuracy: trust_remote_code ... 'maybe' ... false"),
        ("org/f2,trust_remote_code=true", MetricError, "metric org/f2: ... cache ... path of a folder"),
        ("./nothing", OptionError, "no such file ... folder"),
        ("nothing.py", OptionError, "no such file ... folder"),
        ("modules", OptionError, "metric modules: ... modules.py ... accuracy/ ... accuracy.py"),
        ("table.csv", OptionError, "folder such as"),
        ("two words.py", OptionError, "words.py ... 50 letters ... _ ... Rename"),
    ],
)
def test_places_that_cannot_be_used(spec: str, error: type[Exception], remedy: str, tmp_path: Path) -> None:
    for name in ("table.csv", "two words.py"):
        (tmp_path / name).touch()
    with pytest.raises(error) as raised:
        locate_metrics([spec])
    assert f"metric {spec.partition(',')[0]}: " in str(raised.value)
    assert re.search(mentions(remedy), str(raised.value))


FIRST_LETTERS = "AMZamz059_"


@pytest.mark.parametrize(
    "name",
    [*FIRST_LETTERS, *(f"{letter}/{letter}b-c.d_e" for letter in FIRST_LETTERS), f"{'a' * 96}/{'b' * 96}", "a-b.c_d"],
)
def test_names_on_the_hub(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError, match=mentions(f"metric {name}: ... module of the Hub ... ./{name}")):
        locate_metrics([name])


@pytest.mark.parametrize(
    "name",
    ["-a", ".a", ":a", "a/:b", "a/.b", "a/-b", "a/b/c", "a/", "a b", "\u00e9", "a\u00e9", "a" * 97, "b/" + "a" * 97],
)
def test_texts_that_are_no_names_on_the_hub(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError, match=mentions("no such file or folder")):
        locate_metrics([name])


def test_names_of_scripts(tmp_path: Path) -> None:
    for name in (*"AMZamz_", "a" + FIRST_LETTERS, "a" * 50):
        (tmp_path / f"{name}.py").touch()
        assert [metric.name for metric in locate_metrics([tmp_path / f"{name}.py"])] == [name]
    for name in ("0a", "a-b", "a.b", "a:b", "\u00e9", "a" * 51):
        (tmp_path / f"{name}.py").touch()
        with pytest.raises(OptionError, match=mentions("50 letters ... Rename")):
            locate_metrics([tmp_path / f"{name}.py"])


def test_code_that_cannot_be_read(tmp_path: Path) -> None:
    folder = write_metric(tmp_path / "made", "return {'made': 1.0}")
    (folder / "lost.py").symlink_to(tmp_path / "nowhere.py")
    with pytest.raises(MetricError, match=mentions(f"metric made: {folder / 'lost.py'} ... permissions")):
        locate_metrics([folder])


def test_the_cache_of_an_organization(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a variable for it, the cache is in the home of the Hub."""
    version = cache.parent / "org--accuracy" / ("c" * 64)
    shutil.copytree(METRICS / "accuracy", version)
    assert locate_metrics([f"org/{TRUSTED}"])[0].script == version / "accuracy.py"
    home = cache.parents[3]
    assert cache.parents[2] == home / "modules"
    monkeypatch.delenv("HF_MODULES_CACHE")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HOME", str(home))
    assert locate_metrics([f"org/{TRUSTED}"])[0].script == version / "accuracy.py"


def test_a_hub_without_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_EVALUATE_OFFLINE", "0")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr("pyramid_paraphrase.hub_client.SECONDS_TO_ANSWER", 0.1)
    with serve_drops(*DRIPS["no byte"]) as server:
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", f"http://127.0.0.1:{server.port}")
        with pytest.raises(MetricError, match=mentions("metric org/f2: ... 0.1 seconds ... network")):
            locate_metrics(["org/f2,trust_remote_code=true"])


def test_downloads_that_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library raises any error, or leaves no script where it puts modules."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_EVALUATE_OFFLINE", "0")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    asked = []
    monkeypatch.setattr("pyramid_paraphrase.hub_client.find_silence", lambda request, *_: request())
    monkeypatch.setattr("evaluate.loading.evaluation_module_factory", lambda name, **_: asked.append(name))
    with pytest.raises(MetricError, match=mentions("metric org/f2: f2.py ... cache ... folder")):
        locate_metrics(["org/f2,trust_remote_code=true"])
    assert asked == ["org/f2"]
    monkeypatch.setattr("evaluate.loading.evaluation_module_factory", lambda *_, **__: 1 / 0)
    with pytest.raises(MetricError, match=mentions("metric org/f2: ... (division by zero) ... network")):
        locate_metrics(["org/f2,trust_remote_code=true"])


def test_two_metrics_of_one_name(tmp_path: Path) -> None:
    copy = shutil.copytree(METRICS / "accuracy", tmp_path / "accuracy")
    with pytest.raises(OptionError, match=mentions("two metrics ... accuracy ... rename")):
        locate_metrics([METRICS / "accuracy", copy])


def test_a_trusted_module_is_downloaded_from_the_hub_once(run_fork: Run) -> None:
    """The Hub is a server on this machine. Without consent, nothing is requested."""
    code = """
import sys
from harness.metrics.named_metrics import locate_metrics
from pyramid_paraphrase.errors import PyramidParaphraseError
try:
    print(*(metric.sha256 for metric in locate_metrics(sys.argv[1:])))
except PyramidParaphraseError as error:
    print(error)
"""
    (local,) = locate_metrics([METRICS / "accuracy"])
    with serve_hub({"spaces/evaluate-metric/accuracy": METRICS / "accuracy"}) as hub:
        settings = {"HF_ENDPOINT": hub.url, "HF_HUB_OFFLINE": "0", "HF_UPDATE_DOWNLOAD_COUNTS": "0"}
        assert "add ,trust_remote_code=true" in run_fork(code, "accuracy", **settings).stdout
        assert hub.asked == []
        assert "Check the name and the network" in run_fork(code, "nothing,trust_remote_code=true", **settings).stdout
        first = run_fork(code, TRUSTED, **settings).stdout.split()
        assert any(path.endswith("/spaces/evaluate-metric/accuracy/resolve/main/shares.py") for path in hub.asked)
        count = len(hub.asked)
        assert run_fork(code, TRUSTED, **settings).stdout.split() == first
        assert len(hub.asked) == count
    assert first == [local.sha256]  # although the library adds an empty file __init__.py


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE"])
def test_offline_nothing_is_requested(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_EVALUATE_OFFLINE", "1" if variable == "HF_EVALUATE_OFFLINE" else "0")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", variable == "HF_HUB_OFFLINE")
    monkeypatch.setattr("evaluate.loading.evaluation_module_factory", None)
    with pytest.raises(MetricError, match=mentions(f"metric accuracy: ... {variable} ... path of a folder")):
        locate_metrics([TRUSTED])
