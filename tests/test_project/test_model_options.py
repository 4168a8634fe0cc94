"""The page "Which options does my model need?": every line to copy is a spec that can be parsed."""

from __future__ import annotations

import re
import shlex

from helpers.checkout import ROOT

from harness.models.specs import parse_spec

PAGE = ROOT / "docs" / "model_options.md"


def test_every_line_to_copy_names_a_model() -> None:
    rows = re.findall(r"^\| (\d+) \|[^|]*\| (.*?) \|.*\| *([\w-]*) *\|$", PAGE.read_text(), re.MULTILINE)
    assert [int(number) for number, _, _ in rows] == list(range(1, 41))
    parsed = []
    for _, line, checked in rows:
        if line == "-":
            assert checked == ""
            continue
        assert checked in ("real", "stand-in", "spec")
        option, spec = shlex.split(line.strip("`"))
        assert option == "--model"
        parsed.append(parse_spec(spec).kind.name)
    assert len(parsed) == 40
    assert {name: parsed.count(name) for name in sorted(set(parsed))} == {
        "cross-encoder": 3,
        "endpoint": 4,
        "entailment": 2,
        "late-interaction": 1,
        "model2vec": 1,
        "sentence-transformers": 27,
        "sparse": 1,
        "vectors": 1,
    }
