"""The command download: its output, its files, and its errors."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.commands import HEED_INTERRUPTIONS, Capture, run
from helpers.file_server import FileServer, serve_files
from helpers.local_copies import read_local_copies
from helpers.messages import mentions

from harness.files.downloads import list_remote_files
from harness.support.terminal import WIDTH

COMMIT = "97b3d641e65cc772a3d041f05baa18b135c3940c"
PATHS = {
    "propsegment": "/google-research-datasets/PropSegmEnt/ea0b57b3afb255553ac2dadaad7e83be8eddbac7/v1",
    "superpal": f"/oriern/SuperPAL/{COMMIT}/manual_datasets",
    "realsumm": "/ZhangShiyue/Lite2-3Pyramid/cfa581a587d5441ee2d84e77c8602c83ec36ffd5/data/REALSumm",
}
"""Paths of the folders on GitHub's server of files."""

SUPERPAL_PATH = f"{PATHS['superpal']}/dev_MN_only.csv"
SUPERPAL_DIGEST = "f3c9214639cc64851c60faeb1d42a8fe43cc4e7c"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder. HF_HUB_OFFLINE is off, which is set for tests and read when the library is imported."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serve_files() as server:
        yield server


def list_files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_list(capsys: Capture) -> None:
    assert run("download") == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= WIDTH
    lines = {line.split()[0]: line for line in out.splitlines() if not line.startswith(" ")}
    assert lines["name"].split() == ["name", "title", "size", "licence"]
    assert lines["propsegment"].split()[1:7] == ["PropSegmEnt", "5.0", "MB", "CC", "BY-SA", "3.0"]
    assert lines["superpal"].split()[1:5] == ["SuperPAL", "0.1", "MB", "MIT"]
    assert "1.1 MB  CC BY 4.0" in lines["realsumm"]
    assert "2.6 MB  BSD 3-Clause" in lines["rose"]
    assert "4.1 MB  MIT" in lines["qapyramid"]
    assert "2.2 MB  Apache 2.0" in lines["summhay"]
    assert " ".join(out.split()).count("from its publisher Paraphrase and Semantic Similarity in Twitter") == 1
    assert lines["duc2007-main"].split(maxsplit=1)[1].split("  ")[0] == "DUC 2007 main task"
    assert lines["duc2007-main"].endswith("-       on request")
    assert lines["sample"].endswith("built in")
    assert lines["msrp"].endswith("from its publisher")
    assert lines["pyrxsum"].endswith("from its publisher")
    assert len(lines) == 35


DUC = "mainPyramidEval.tar.gz (DUC data: sign NIST's user agreement, https://duc.nist.gov/data.html)"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("duc2007-main", f"DUC 2007 main task: {DUC}"),
        (
            "twitter-url",
            "Twitter URL paraphrase corpus: a.toks, b.toks and sim.txt by way of https://languagenet.github.io",
        ),
    ],
)
def test_collections_that_others_give_away(capsys: Capture, here: Path, name: str, message: str) -> None:
    assert run("download", name) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"pyramid-paraphrase: {message}. ")
    assert "`evaluate --data`" in captured.err
    assert list_files(here) == []


def test_the_sample_is_not_downloaded(capsys: Capture) -> None:
    assert run("download", "sample") == 2
    assert re.search(mentions("sample: ... built in. ... --data sample"), capsys.readouterr().err)


def test_unknown_names(capsys: Capture) -> None:
    assert run("download", "propsegmant") == 2
    error = capsys.readouterr().err
    assert re.search(mentions("'propsegmant' ... 'propsegment' ... duc2005, duc2006"), error)
    assert error.count("superpal") == error.count("realsumm") == error.count("msrp") == 1


@pytest.mark.parametrize(("flag", "value"), [("--output", "x"), ("--mirror", "http://mirror.example")])
def test_flags_without_a_name(capsys: Capture, flag: str, value: str) -> None:
    assert run("download", flag, value) == 2
    assert re.search(mentions("--output and --mirror"), capsys.readouterr().err)


@pytest.mark.parametrize("text", ["", "x", "ftp://secret", "http://u:secret@mirror.example", "http://a?key=secret"])
def test_a_mirror_is_an_address_without_a_password(capsys: Capture, text: str) -> None:
    """An empty text meant the usual server, and messages showed the password."""
    with pytest.raises(SystemExit, match="2"):
        run("download", "superpal", "--mirror", text)
    error = capsys.readouterr().err
    assert re.search(mentions("argument --mirror: ... without user, password and query. Use an address"), error)
    assert "secret" not in error


def test_what_is_said_before_the_first_byte(capsys: Capture, here: Path, server: FileServer) -> None:
    assert run("download", "superpal", "--mirror", server.url) == 2
    captured = capsys.readouterr()
    assert captured.out.splitlines() == [
        f"SuperPAL: https://github.com/oriern/SuperPAL/tree/{COMMIT}/manual_datasets",
        "Licence: MIT (the annotations; the texts are news articles and summaries of Multi-News)",
        "Attribution: Ernst et al. (2021), https://arxiv.org/abs/2009.00590",
        "Folder: superpal (1 file, 0.1 MB)",
    ]
    assert re.search(
        mentions(f"{server.url}{SUPERPAL_PATH}: ... answers 404 (Not Found) ... superpal/dev_MN_only.csv"), captured.err
    )
    assert server.asked == [(SUPERPAL_PATH, "")]
    assert list_files(here) == []


def test_other_bytes_are_refused(capsys: Capture, here: Path, server: FileServer) -> None:
    server.contents[SUPERPAL_PATH] = bytes(131_530)
    assert run("download", "superpal", "--mirror", f"{server.url}/", "--output", "corpus") == 2
    error = capsys.readouterr().err
    assert re.search(mentions(f"expected {SUPERPAL_DIGEST}, ... later"), error)
    assert error.endswith("save it as corpus/dev_MN_only.csv\n")
    assert list_files(here) == []


def test_offline(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --mirror: the address is that of GitHub."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert run("download", "superpal") == 2
    assert re.search(
        mentions(f"https://raw.githubusercontent.com{SUPERPAL_PATH} ... HF_HUB_OFFLINE ... superpal/dev_MN_only.csv"),
        capsys.readouterr().err,
    )


def test_interrupted(here: Path, server: FileServer) -> None:
    """By Ctrl-C: what was received is kept for the next run."""
    server.contents[SUPERPAL_PATH] = bytes(131_530)
    server.hanging_after[SUPERPAL_PATH] = 100_000
    code = f"{HEED_INTERRUPTIONS}; import sys; from harness.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "download", "superpal", "--mirror", server.url]
    environment = os.environ | {"HF_HUB_OFFLINE": "0"}
    part = here / "superpal" / f".dev_MN_only.csv.{SUPERPAL_DIGEST}.part"
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        while not part.exists() or not part.stat().st_size:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate()
    assert process.returncode == 130
    assert error == "pyramid-paraphrase: stopped. Run the same command again to continue where it stopped.\n"
    assert list_files(here) == [part.relative_to(here).as_posix()]


@pytest.mark.parametrize("name", list(PATHS))
def test_addresses(server: FileServer, name: str) -> None:
    """A mirror has the paths of GitHub's server."""
    assert run("download", name, "--mirror", server.url) == 2
    first = list_remote_files(name)[0].path
    assert server.asked == [(f"{PATHS[name]}/{first}", "")]


@pytest.mark.parametrize("name", list(PATHS))
def test_the_real_files(capsys: Capture, here: Path, server: FileServer, name: str) -> None:
    """From the copies beside the checkout; then as the last line says."""
    server.contents = {f"{PATHS[name]}/{path}": content for path, content in read_local_copies(name).items()}
    assert run("download", name, "--mirror", server.url, "--output", "my corpus") == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-1] == "Next: pyramid-paraphrase inspect 'my corpus'"
    assert captured.err == ""
    assert list_files(here) == sorted(f"my corpus/{file.path}" for file in list_remote_files(name))
    assert run("inspect", "my corpus") == 0
    assert f"\n{name} " in capsys.readouterr().out
    asked = len(server.asked)
    assert asked == len(list_remote_files(name))
    assert run("download", name, "--mirror", server.url, "--output", "my corpus") == 0
    assert len(server.asked) == asked
