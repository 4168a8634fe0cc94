"""A Hub that drips in the place of any answer, for each command that loads a model, a dataset or a metric from it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from helpers.checkout import ROOT
from helpers.commands import Room
from helpers.dripping_server import LONGEST
from helpers.hostile_hub import COMMANDS, SECONDS

pytestmark = [pytest.mark.full, pytest.mark.needs("sentence_transformers"), pytest.mark.needs("model2vec")]

_REASONS = (f"no answer within {SECONDS} seconds", f"fewer than 300,000 bytes within {SECONDS} seconds")


def test_commands_end_soon_with_a_message(room: Room) -> None:
    """A list of all files is not needed, and is requested beside the files: a command may end without it.

    Without an answer for modules.json, sentence-transformers would have made another model of the other files.
    """
    command = [sys.executable, "-m", "helpers.hostile_hub", *COMMANDS]
    environment = room.environment | {"PYTHONPATH": str(ROOT / "tests"), "OMP_NUM_THREADS": "1"}
    process = subprocess.run(command, cwd=room.folder, env=environment, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    outcomes = [json.loads(line) for line in process.stdout.splitlines()]
    good = {outcome["command"]: outcome["status"] for outcome in outcomes if outcome["request"] is None}
    assert good == dict.fromkeys(COMMANDS, 0)
    held = [outcome for outcome in outcomes if outcome["request"]]
    assert len(held) > 25
    for outcome in held:
        assert outcome["seconds"] < LONGEST / 2, outcome
        if outcome["status"] == 0:
            assert "/tree/" in outcome["request"][1], outcome
        else:
            *_, message = outcome["errors"].rstrip("\n").split("\n")
            assert outcome["status"] == 2, outcome
            assert message.startswith("pyramid-paraphrase: "), outcome
            assert any(reason in message for reason in _REASONS), outcome
            assert "network" in message, outcome
