"""Phrase tables extracted on Spark: the bytes of the local extraction, also when a worker is killed."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.checkout import ROOT
from helpers.commands import Capture, run
from helpers.messages import mentions
from helpers.parallel_text import write_text
from helpers.spark import Gates, find_executor, find_obstacle, make_environment, run_session, start_cluster

from harness.paraphrases.extraction.building import DISTINCT, PHRASE_PAIRS, WRITTEN, build_phrase_table
from harness.paraphrases.extraction.scoring import ExtractionRules
from harness.paraphrases.parallel_text import ParallelText

needs_java = pytest.mark.skipif(bool(find_obstacle()), reason=find_obstacle())


def write_random_text(folder: Path, sentences: int = 8000) -> ParallelText:
    """Write sentences of 4 to 20 words, 300 different ones, in reversed pairs of words, one in ten unaligned.

    They give enough phrase pairs for several tasks.
    """
    chance = random.Random(0)
    source, target, alignments = [], [], []
    for _ in range(sentences):
        words = [chance.randint(1, 300) for _ in range(chance.randint(4, 20))]
        places = sorted(range(len(words)), key=lambda place: place ^ 1)
        source.append(" ".join(f"s{word}" for word in words))
        target.append(" ".join(f"t{words[place]}" for place in places))
        alignments.append(" ".join(f"{i}-{j}" for j, i in enumerate(places) if chance.random() < 0.9))
    return write_text(folder, *("".join(f"{line}\n" for line in lines) for lines in (source, target, alignments)))


def extract(*arguments: object, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, because Java stays in a process that has used Spark."""
    command = [sys.executable, "-m", "harness.cli", "paraphrases", "extract", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@needs_java
@pytest.mark.needs("pyspark")
def test_spark_writes_the_same_bytes(tmp_path: Path) -> None:
    """Compressed, so that the divisions of the rows are equal, too."""
    text = write_random_text(tmp_path)
    rules = ExtractionRules(max_words=5, min_count=2, discount="kneser-ney")
    extracted = build_phrase_table(text, tmp_path / "local.gz", rules)
    flags = ("--max-words", 5, "--min-count", 2, "--discount", "kneser-ney", "--master", "local[2]")
    result = extract(*text, "--output", tmp_path / "spark.gz", *flags, environment=make_environment(tmp_path))
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "spark.gz").read_bytes() == (tmp_path / "local.gz").read_bytes()
    numbers = re.findall(r"^(?:phrase pairs|  distinct|  written) +([\d,]+)$", result.stdout, re.MULTILINE)
    expected = [extracted[key] for key in (PHRASE_PAIRS, DISTINCT, WRITTEN)]
    assert [int(number.replace(",", "")) for number in numbers] == expected
    assert extracted[WRITTEN] > 1000
    assert [path.name for path in tmp_path.iterdir() if path.is_dir() and path.name.startswith(".")] == []


@needs_java
@pytest.mark.needs("pyspark")
def test_a_worker_that_is_killed_changes_nothing(tmp_path: Path) -> None:
    """Two workers wait before they count. One of them and its executor are killed, with the rows that it extracted."""
    text = write_random_text(tmp_path)
    build_phrase_table(text, tmp_path / "local", ExtractionRules())
    gates = Gates(tmp_path)
    with gates.make() as waiting, start_cluster(tmp_path) as (master, environment):
        command = [sys.executable, "-m", "helpers.spark", "paraphrases", "extract", *map(str, text)]
        command += ["--output", str(tmp_path / "spark"), "--master", master]
        log = tmp_path / "driver.log"
        with run_session(command, environment, log) as driver:
            workers = [find_executor(gates.read_process(waiting)) for _ in range(2)]
            assert len(set(workers)) == 2
            for pid in workers[0]:
                os.kill(pid, signal.SIGKILL)
            gates.open()
            status = driver.wait(timeout=300)
    assert status == 0, log.read_text()
    assert "Lost executor" in log.read_text()
    assert (tmp_path / "spark").read_bytes() == (tmp_path / "local").read_bytes()


@needs_java
@pytest.mark.needs("pyspark")
def test_the_cluster_of_the_documentation(tmp_path: Path) -> None:
    """Its commands as they stand; the port of the master is that of the page."""
    text = write_random_text(tmp_path)
    build_phrase_table(text, tmp_path / "local.gz", ExtractionRules())
    text.source.rename(tmp_path / "text.fr")
    (block,) = re.findall(r"^```bash\n(.*?)^```$", (ROOT / "docs/cluster.md").read_text(), re.DOTALL | re.MULTILINE)
    command = tmp_path / "bin" / "pyramid-paraphrase"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m harness.cli "$@"\n')
    command.chmod(0o755)
    environment = make_environment(tmp_path)
    environment["PATH"] = f"{command.parent}:{environment['PATH']}"
    with run_session(["bash", "-ec", f"cd {tmp_path}\n{block}"], environment, tmp_path / "log") as session:
        assert session.wait(timeout=300) == 0, (tmp_path / "log").read_text()
    assert (tmp_path / "phrase-table.gz").read_bytes() == (tmp_path / "local.gz").read_bytes()
    assert "Registering worker" in (tmp_path / "master.log").read_text()


@needs_java
@pytest.mark.needs("pyspark")
def test_errors_of_the_text_and_of_spark(tmp_path: Path) -> None:
    environment = make_environment(tmp_path)
    text = write_text(tmp_path, points="0-0\n9-9\n")
    result = extract(*text, "--output", tmp_path / "table", "--master", "local[2]", environment=environment)
    assert result.returncode == 2
    assert f"{text.alignments}, line 2: link 9-9 is out of range" in result.stderr
    text = write_text(tmp_path, points="\n\n")
    result = extract(*text, "--output", tmp_path / "table", "--master", "local[2]", environment=environment)
    assert (result.returncode, "no phrase pair could be extracted" in result.stderr) == (2, True)
    result = extract(*text, "--output", tmp_path / "table", "--master", "nowhere", environment=environment)
    assert result.returncode == 2
    assert "pyramid-paraphrase: Spark failed on the master nowhere: " in result.stderr
    assert not (tmp_path / "table").exists()


@pytest.mark.needs("pyspark")
def test_spark_needs_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    text = write_text(tmp_path)
    assert run("paraphrases", "extract", *text, "--output", tmp_path / "table", "--master", "local[2]") == 2
    message = f"{tmp_path}/bin/java ... Java 17"
    assert re.search(mentions(message), capsys.readouterr().err)


def test_spark_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    text = write_text(tmp_path)
    assert run("paraphrases", "extract", *text, "--output", tmp_path / "table", "--master", "local[2]") == 2
    assert re.search(mentions("pyspark ... pip install 'pyramid-paraphrase[spark]'"), capsys.readouterr().err)
