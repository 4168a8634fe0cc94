"""Commands that read texts refuse documents of other programs by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.commands import Capture, run
from helpers.messages import mentions

PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"
OLD_EXCEL = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(99)

COMMANDS = (
    "inspect {}",
    "score {}",
    "evaluate --model one-hot --data {}",
    "evaluate --model {} --data sample --no-cache",
    "meta-eval {0} --judgements {0}",
    "rouge --references {0} --peers {0}",
    "annotate score {} --data sample",
    "dimple score {} --judgment strict",
    "paraphrases compile {} --output table",
    "report {}",
    "sweep {} --data sample",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_document_in_place_of_a_text(
    tmp_path: Path, command: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, data, kind in (("scores.xls", OLD_EXCEL, "Excel"), ("paper.pdf", PDF, "PDF")):
        Path(name).write_bytes(data)
        assert run(*command.format(name).split()) == 2
        assert re.search(mentions(f"{name}: ... {kind} ... as CSV"), capsys.readouterr().err)
