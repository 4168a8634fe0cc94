"""Servers that drip, flood or lie at each stage of an answer, for each command that talks to servers.

The deadline is a twentieth of a second. A command without a deadline would get bytes for `LONGEST` seconds.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from helpers.annotations import PYRAMID
from helpers.commands import Capture, Room, run
from helpers.dripping_server import DRIPS, FLOODS, LIES, LONGEST, STAGES, serve_stage
from helpers.large_answers import ENDLESS, LARGEST, OTHERS, measure_peak
from helpers.ranked_paraphrases import make_table

from harness.files import downloads

pytestmark = pytest.mark.full

_DEADLINE = 0.05
_SPEC = f"m,url={{url}}/v1,timeout={_DEADLINE},retries=0"
_MOST_CHARACTERS = 500
"""Enough for an address, for 200 characters of a server's or a library's words, and for a remedy."""

_DATA = ("--data", "town.pyr", "--task", "binary", "--no-cache", "--quiet", "--resamples", "10", "--output", "results")
COMMANDS = {
    "evaluate": ("evaluate", *_DATA, "--model", f"endpoint:{_SPEC}"),
    "evaluate vectors of a service": ("evaluate", *_DATA, "--model", f"endpoint:{_SPEC},preset=gemini"),
    "evaluate a reranker": ("evaluate", *_DATA, "--model", f"hosted-reranker:{_SPEC},preset=tei"),
    "evaluate a judge": ("evaluate", *_DATA, "--model", f"hosted-judge:{_SPEC}"),
    "evaluate a judge in batches": ("evaluate", *_DATA, "--model", f"hosted-judge:{_SPEC},requests_per_batch=9"),
    "soft-pyramid": (
        *("soft-pyramid", "--pyramids", "sample", "--peers", "peers", "--no-cache"),
        *("--model", f"endpoint:{_SPEC}"),
    ),
    "dimple": ("dimple", "score", "--judgment", "automatic", "--model", f"hosted-judge:{_SPEC}", "lists.jsonl"),
    "download": ("download", "superpal", "--output", "files", "--mirror", "{url}"),
}
"""The command lines. `{url}` stands for the address of the server."""

UNREAD = {"drip: body", "drip: body of an error", "drip: body of a redirect"}
"""Stages that `download` does not reach, because the size or the status decides."""

UNFOLLOWED = {"redirect"}
"""Stages that no other command reaches, because texts are not sent to another address."""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The current folder, with the input of all commands. Downloads have the deadline, too."""
    folder = tmp_path_factory.mktemp("here")
    (folder / "peers").mkdir()
    (folder / "peers" / "S0101.M.100.S.1").write_text("The river rose and the bridge fell.\n")
    (folder / "town.pyr").write_bytes(PYRAMID)
    (folder / "lists.tsv").write_text(make_table())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
        patch.setattr("harness.cli.dataset.download_files", partial(downloads.download_files, seconds=_DEADLINE))
        patch.setattr(downloads, "SLOWEST_RATE", 100_000_000)
        assert run("dimple", "convert", "lists.tsv", "--output", "lists.jsonl") == 0
        yield folder


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("stage", STAGES)
def test_commands_end_soon_with_a_message(stage: str, capsys: Capture) -> None:
    """A message is one printable line. It names the deadline if the server would have gone on."""
    is_held = stage in ("connection", "TLS", "redirect") or stage.startswith("drip: ")
    with serve_stage(stage) as url:
        for name, command in COMMANDS.items():
            start = time.monotonic()
            status = run(*(argument.format(url=url) for argument in command))
            seconds = time.monotonic() - start
            message = capsys.readouterr().err.rstrip("\n").rpartition("\n")[2]
            assert status == 2, name
            assert seconds < LONGEST / 2, name
            assert message.startswith("pyramid-paraphrase: ")
            assert message.isprintable()
            assert len(message) <= _MOST_CHARACTERS
            if is_held and stage not in (UNREAD if name == "download" else UNFOLLOWED):
                reason = "(timed out)" if name == "download" else f"did not answer within {_DEADLINE} seconds"
                assert reason in message, name


def test_the_table_is_complete() -> None:
    """Three stages with a silent server, and then those of the three tables, for eight commands and `sweep`."""
    assert (len(DRIPS), len(FLOODS), len(LIES)) == (15, 13, 37)
    assert len(STAGES) == len(set(STAGES)) == 68
    assert len(STAGES) * len(COMMANDS) == 544


def test_a_sweep_ends_soon_with_a_message_for_each_model(room: Room) -> None:
    """All stages in one sweep, each with a server and a model of its own."""
    with ExitStack() as servers:
        urls = [servers.enter_context(serve_stage(stage)) for stage in STAGES]
        lines = [f"endpoint:{_SPEC.format(url=url)},name=model-{number}" for number, url in enumerate(urls)]
        (room.folder / "models.txt").write_text("\n".join(lines))
        (room.folder / "town.pyr").write_bytes(PYRAMID)
        command = [sys.executable, "-m", "harness.cli", "sweep", "models.txt", "--workers", "2", *_DATA]
        start = time.monotonic()
        process = subprocess.run(command, cwd=room.folder, env=room.environment, capture_output=True, text=True)
        seconds = time.monotonic() - start
    failed = [line.split(":")[1].strip() for line in process.stdout.splitlines() if line.startswith("failed: ")]
    assert (process.returncode, sorted(failed)) == (2, sorted(f"model-{number}" for number in range(len(STAGES))))
    assert "Traceback" not in process.stdout + process.stderr
    assert seconds < LONGEST + len(STAGES) * (_DEADLINE + 1)


MOST_MIB = 300
WORST = ("numbers of 15 digits", "text of wide characters", "wide words of an error", "wide name of a model")
"""Each is measured in a process of its own, because the C library keeps memory for later."""


def test_no_answer_takes_much_memory(tmp_path: Path) -> None:
    """Beyond the memory of right answers. The words of an error took 750 MiB, the name of a model 350."""
    status, usual_peak = measure_peak(["right answers"], tmp_path)
    assert (status, len(ENDLESS), len(LARGEST)) == ([0], 16, 12)
    for names in (list(ENDLESS), *([name] for name in WORST), list(OTHERS)):
        statuses, peak = measure_peak(names, tmp_path)
        assert set(statuses) == {2}, names
        assert peak - usual_peak < MOST_MIB, names
