"""Files that list the models of a sweep."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from harness.evaluation.sweeps.plans import MAX_BYTES, read_plan
from pyramid_paraphrase.errors import InputError

TEN = "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"


def write(folder: Path, text: str, name: str = "models.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_lines(tmp_path: Path) -> None:
    path = write(tmp_path, "\ufeff# baselines\none-hot\n\n  tf-idf,tokenizer=spacy  \n")
    assert read_plan(path) == [("one-hot", 2), ("tf-idf,tokenizer=spacy", 4)]


@pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x1d", "\x85", "\u2028"])
def test_lines_end_at_line_feeds_only(tmp_path: Path, mark: str) -> None:
    """Python also divides texts at these marks, so that a line listed two models under wrong numbers."""
    path = write(tmp_path, f"one-hot,name=a{mark}b\r\n{mark}\ntf-idf\n")
    assert read_plan(path) == [(f"one-hot,name=a{mark}b", 1), ("tf-idf", 3)]


def test_lists_multiply_and_values_stay_as_written(tmp_path: Path) -> None:
    """YAML itself would read the revision as the number 10, and the flag as true."""
    text = "- one-hot\n- model: [a/b, c/d]\n  revision: 1e1\n  truncate_dim: [64, 128]\n  trust_remote_code: yes\n"
    assert read_plan(write(tmp_path, text, "models.yaml")) == [
        ("one-hot", 1),
        ("a/b,revision=1e1,truncate_dim=64,trust_remote_code=yes", 2),
        ("a/b,revision=1e1,truncate_dim=128,trust_remote_code=yes", 2),
        ("c/d,revision=1e1,truncate_dim=64,trust_remote_code=yes", 2),
        ("c/d,revision=1e1,truncate_dim=128,trust_remote_code=yes", 2),
    ]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("models: [one-hot]\n", 1, "list of models"),
        ("- one-hot\n- [tf-idf]\n", 2, "list of models"),
        ("- model: a\n  dimension: {low: 1}\n", 2, "list of models"),
        ("- truncate_dim: 64\n", 1, "models.yml, line 1: ... key 'model'"),
        ("- model: a\n  truncate_dim: []\n", 2, "models.yml, line 2: ... empty list"),
        ("- model: a\n  model: b\n", 1, "models.yml, line 1: ... twice ... Remove"),
        ("- one-hot\n- 'tf-idf\n", 3, "YAML"),
        ("- *unknown\n", 1, "YAML"),
        ("- \x00\n", 0, "YAML"),
        ("", 0, "models.yml: ... no model ... pyramid-paraphrase models"),
        ("[" * 5000, 0, "YAML"),
        (
            "- model: x\n" + "".join(f"  o{n}: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n" for n in range(9)),
            1,
            "models.yml, line 1: ... 10,000 models ... Split",
        ),
    ],
)
def test_yaml_that_is_not_a_plan(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = write(tmp_path, text, "models.yml")
    with pytest.raises(InputError, match=mentions(reason)) as raised:
        read_plan(path)
    assert (raised.value.file, raised.value.line) == (str(path), line)


def test_text_that_is_not_a_plan(tmp_path: Path) -> None:
    path = tmp_path / "models.txt"
    path.write_bytes(b"one-hot\n\xff\n")
    with pytest.raises(InputError, match=mentions("models.txt, line 2: ... UTF-8 ... pyramid-paraphrase models")):
        read_plan(path)
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(InputError, match=mentions("models.txt: ... 4,194,304 bytes ... pyramid-paraphrase models")):
        read_plan(path)
    with pytest.raises(InputError, match=mentions("models.yaml: ... 131,072 bytes. ... a spec per line")):
        read_plan(write(tmp_path, "- one-hot\n" * 15_000, "models.yaml"))
    with pytest.raises(InputError, match=r"none\.txt"):
        read_plan(tmp_path / "none.txt")
    with pytest.raises(InputError, match=mentions("models.txt: ... no model ... pyramid-paraphrase models")):
        read_plan(write(tmp_path, "# nothing\n\n"))


@given(specs=st.lists(st.from_regex(r"[a-z/-]{1,9}(,[a-z]{1,4}=[a-z0-9]{1,4})?", fullmatch=True), min_size=1))
def test_a_list_in_yaml_means_the_same_as_lines(tmp_path_factory: pytest.TempPathFactory, specs: list[str]) -> None:
    folder = tmp_path_factory.mktemp("plans")
    lines = read_plan(write(folder, "\n".join(specs)))
    listed = read_plan(write(folder, "".join(f"- '{spec}'\n" for spec in specs), "models.yaml"))
    assert listed == lines == [(spec, number) for number, spec in enumerate(specs, start=1)]
