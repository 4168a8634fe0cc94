"""The page "Which options does my model need?": every line to copy is a spec that can be parsed."""

from __future__ import annotations

import re
import shlex

from helpers.checkout import ROOT

from harness.models.specs import parse_spec

PAGE = ROOT / "docs" / "model_options.md"

TESTS = ROOT / "tests" / "test_harness" / "models"

STAND_INS = {
    "test_families.py": (4, 22, 25, 27, 28, 30, 32, 33),
    "test_prompts.py": (2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 18, 19, 20, 23, 24, 31, 34),
    "test_sides.py": (29,),
    "test_quantization.py": (40,),
    "test_own_code.py": (13, 14, 21, 35),
}
"""The rows of the page that tests check on stand-ins, by the file of the tests."""

IMITATIONS = {
    "test_embeddings.py": ("serve_models", (36, 39)),
    "test_presets.py": ("serve_interface", (37, 38)),
}
"""The rows that tests check on servers of their own, by the file of the tests, with the function that starts one."""


def list_rows() -> list[tuple[str, str, str]]:
    """Return the number, the line to copy and the last column of each row of the page."""
    return re.findall(r"^\| (\d+) \|[^|]*\| (.*?) \|.*\| *([\w-]*) *\|$", PAGE.read_text(), re.MULTILINE)


def test_every_stand_in_is_tested() -> None:
    """Each file requires 50 different scores of a stand-in."""
    numbers = [number for numbers in STAND_INS.values() for number in numbers]
    assert sorted(numbers) == [int(number) for number, _, checked in list_rows() if checked in ("stand-in", "own-code")]
    assert len(numbers) == 34
    for name in STAND_INS:
        assert "require_same" in (TESTS / name).read_text()


def test_every_imitation_is_tested() -> None:
    numbers = [number for _, rows in IMITATIONS.values() for number in rows]
    assert sorted(numbers) == [int(number) for number, _, checked in list_rows() if checked == "imitation"]
    for name, (function, _) in IMITATIONS.items():
        assert f"{function}(" in (TESTS / "hosted" / name).read_text()


def test_every_line_to_copy_names_a_model() -> None:
    rows = list_rows()
    assert [int(number) for number, _, _ in rows] == list(range(1, 41))
    parsed = []
    for _, line, checked in rows:
        if line == "-":
            assert checked == ""
            continue
        assert checked in ("real", "stand-in", "own-code", "imitation")
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
