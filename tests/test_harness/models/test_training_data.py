"""Training data that model cards name, and the collections that they contain."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_cache import put_on_the_hub

import harness
from harness.models.files.hub import CACHE_VARIABLE
from harness.models.files.training_data import (
    CONTENTS,
    describe_overlap,
    find_training_data,
    list_datasets,
    read_training_data,
)
from harness.models.interfaces.model import MAX_DATASETS
from harness.models.specs import parse_spec
from pyramid_paraphrase.catalog import COLLECTION_NAMES, PAIR_COLLECTIONS

LIBRARY = (
    "---\ndatasets:\n- org/b\n---\n- **Model Type:** x\n- **Training Datasets:**\n    - [a (b)]"
    "(https://huggingface.co/datasets/org/b)\n\n    - mine\n- **Language:** en\n    - c\n"
)
"""A card as the template of sentence-transformers (6.2) writes it."""

CARDS: dict[str, tuple[str, list[str]]] = {
    "a list": ("---\nlanguage: en\ndatasets:\n- snli\n# e\n\n- b c\n- 'd'\ntags:\n- e\n---\n", ["snli", "b c", "d"]),
    "an indented list": ("---\ndatasets:\n    - snli\n    - 1\nbase_model: x\n---\n", ["snli", "1"]),
    "a list in a line": ("\ufeff\n---\r\ndatasets: [a,\r\n  b\r\n]\r\n---\r\n", ["a", "b"]),
    "a single name": ("---\ndatasets: a\n---\n", ["a"]),
    "nothing": ("---\ndatasets:\nlanguage: en\n---\n", []),
    "null": ("---\ndatasets: [a, ~, null]\n---\n", ["a"]),
    "another key": ("---\nmodel-index:\n- name: m\n  datasets: [a]\n---\n", []),
    "after the metadata": ("---\nlanguage: en\n---\ndatasets: [a]\n", []),
    "no metadata": ("# M\n\ndatasets: [a]\n", []),
    "no text": ("", []),
    "metadata without an end": ("---\ndatasets: [a]\n", ["a"]),
    "the list of sentence-transformers": (LIBRARY, ["org/b", "org/b", "mine"]),
    "a key with a blank": ("---\ndatasets : [a]\n---\n", ["a"]),
    "a key without a colon": ("---\ndatasets [a]\n---\n", []),
    "a bullet with blanks": ("- **Training Datasets:**  \n- a\n", ["a"]),
    "a link with a blank": (
        "- **Training Dataset:**\n- [a](https://huggingface.co/datasets/b c)\n",
        ["[a](https://huggingface.co/datasets/b c)"],
    ),
    "a link with a parenthesis": (
        "- **Training Dataset:**\n- [a](https://huggingface.co/datasets/b)c)\n",
        ["[a](https://huggingface.co/datasets/b)c)"],
    ),
    "the longest list": (f"---\ndatasets: {'a' * (65536 - 10)}\n---\n", ["a" * (65536 - 10)]),
    "a bullet without a list": ("- **Training Datasets:**  \nsnli\n- a\n", []),
    "a bullet within": (
        "  - **Training Dataset:**\n    - [a](https://huggingface.co/datasets/o/n(1)\n",
        ["[a](https://huggingface.co/datasets/o/n(1)"],
    ),
    "other addresses": (
        "- **Training Datasets:**\n- [a](https://huggingfacexco/datasets/b)\n- [s](https://huggingface.co/datasets/s)\n",
        ["[a](https://huggingfacexco/datasets/b)", "s"],
    ),
    "other bullets": (
        "- **xTraining Datasets:**\n- a\n- *Training Datasets:**\n- a\n- **Training Datasets:*\n- b\n",
        [],
    ),
    "one dataset": (
        "- **Training Dataset:**\n    - [x](https://example.org/y)\n\nMore.\n- z\n",
        ["[x](https://example.org/y)"],
    ),
}
"""Cards, and the names in them."""


@pytest.mark.parametrize("name", CARDS)
def test_names_in_a_card(name: str, caplog: pytest.LogCaptureFixture) -> None:
    card, names = CARDS[name]
    assert list_datasets(card, "m") == names
    assert not caplog.messages


def write_card(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text("{}")
    (folder / "README.md").write_text(text)
    return folder


def test_the_card_of_a_folder_is_read(tmp_path: Path) -> None:
    """Other kinds of models have no card, even if a folder has their name."""
    folder = write_card(tmp_path / "m", "---\ndatasets: [b, a, b]\n---\n")
    assert read_training_data(parse_spec(f"sentence-transformers:{folder}")) == ("b", "a")
    assert read_training_data(parse_spec(f"cross-encoder:{folder}")) == ("b", "a")
    (folder / "README.md").unlink()
    assert read_training_data(parse_spec(f"sentence-transformers:{folder}")) == ()
    (folder / "README.md").mkdir()
    assert read_training_data(parse_spec(f"sentence-transformers:{folder}")) == ()


def test_the_card_in_the_cache_of_the_hub_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    folder = write_card(tmp_path / "m", "---\ndatasets: a\n---\n")
    put_on_the_hub(folder, "models--cross-encoder--x", tmp_path / "cache")
    assert read_training_data(parse_spec("cross-encoder:cross-encoder/x")) == ("a",)
    assert read_training_data(parse_spec("cross-encoder:x")) == ("a",)
    assert read_training_data(parse_spec("cross-encoder:cross-encoder/x,revision=v2")) == ()
    assert not caplog.messages


def test_names_that_a_result_cannot_contain_are_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lines = "\n".join(f"- d{number}" for number in range(MAX_DATASETS + 3))
    folder = write_card(
        tmp_path / "m", f'---\ndatasets:\n- "a\\x1b"\n- ""\n- {"l" * 201}\n- {"k" * 200}\n{lines}\n---\n'
    )
    names = read_training_data(parse_spec(f"sentence-transformers:{folder}"))
    assert (len(names), names[0], names[-1]) == (200, "k" * 200, "d198")
    (message,) = caplog.messages
    assert ": 7 names " in message


def test_the_data_of_a_training_in_memory() -> None:
    """The names of the card that the model was loaded with come first."""

    class Data:
        train_datasets = ({"id": "org/b", "name": "b"}, {"name": "mine"}, {"size": 3}, {"id": "a"})

    class Trained:
        _model_card_text = "---\ndatasets: a\n---\n"
        model_card_data = Data()

    assert find_training_data(Trained()) == ("a", "org/b", "mine")
    assert find_training_data(object()) == ()


BOTH = (
    "all or a part of multinli (in sentence-transformers/all-nli), "
    "all or a part of snli (in SNLI, sentence-transformers/all-nli)"
)


@pytest.mark.parametrize(
    ("datasets", "collections", "text"),
    [
        (("snli", "multi_nli"), ("snli",), "all or a part of snli (in snli)"),
        (
            ("SNLI", "sentence-transformers/all-nli"),
            ("multinli", "snli"),
            BOTH,
        ),
        (("https://huggingface.co/datasets/multi-nli/",), ("multinli",), "all or a part of multinli (in {0})"),
        (("http://huggingface.co/datasets/snli",), ("snli",), "all or a part of snli (in {0})"),
        (("huggingface.co/datasets/snli//",), ("snli",), "all or a part of snli (in {0})"),
        (
            ("huggingfacexco/datasets/snli", "httpxhuggingface.co/datasets/snli", "a/snli", "stanfordnlpsnli"),
            ("snli",),
            "",
        ),
        (("multi _ NLI",), ("multinli",), "all or a part of multinli (in multi _ NLI)"),
        (("Multi NLI",), ("multinli",), "all or a part of multinli (in Multi NLI)"),
        (("cnn_dailymail",), ("rose", "duc2005"), "the texts of rose (in cnn_dailymail)"),
        (("snli-de", "org/snli", ""), ("snli",), ""),
        (("snli",), ("sample", "duc2007-main"), ""),
        ((), ("snli",), ""),
    ],
)
def test_collections_in_training_data(datasets: tuple[str, ...], collections: tuple[str, ...], text: str) -> None:
    assert describe_overlap(datasets, collections) == text.format(*datasets)


def test_the_table_tells_labels_from_texts() -> None:
    """As the pages in the column of sources say: three collections are made from summaries, which have no labels."""
    texts = {collection for row in CONTENTS if not row.has_labels for collection in row.collections}
    assert texts == {"realsumm", "rose", "qapyramid", "superpal", "pyrxsum", "paraphrasus-onestop"}
    labels = {collection for row in CONTENTS if row.has_labels for collection in row.collections}
    assert not texts & labels


def test_the_table_names_known_collections_and_each_dataset_once() -> None:
    names = [name.casefold() for row in CONTENTS for name in row.datasets]
    assert len(names) == len(set(names)) == 40
    known = {*COLLECTION_NAMES, *(row.name for row in PAIR_COLLECTIONS)}
    listed = {collection for row in CONTENTS for collection in row.collections}
    assert listed <= known
    # No training data of models on the Hub are known to contain the others.
    assert known - listed == {
        *(
            "duc2005",
            "duc2006",
            "duc2007-main",
            "duc2007-update",
            "tac2008",
            "tac2009",
            "tac2010",
            "tac2011",
            "tac2014",
        ),
        *("summhay", "sample", "other"),
    }
    assert all(row.source for row in CONTENTS)


@pytest.mark.parametrize(
    "value",
    # The nesting comes last: a function that traces calls is removed when it fails for lack of stack.
    ["\n- a\n- {name: b}", " {a: b}", " [a", " *x", f" {'a' * 70000}", f" {'[' * 5000}"],
)
def test_a_list_in_another_form_is_reported(value: str, caplog: pytest.LogCaptureFixture) -> None:
    assert list_datasets(f"---\ndatasets:{value}\n---\n", "org/m") == []
    (message,) = caplog.messages
    assert message.startswith("org/m: ")
    assert "README.md" in message


@pytest.mark.full
@pytest.mark.needs("sentence_transformers")
def test_a_result_names_the_training_data_of_its_model(tiny_model: Path, tmp_path: Path) -> None:
    """They change neither the fingerprint nor the numbers. A model in memory has the card that it was loaded with."""
    from sentence_transformers import SentenceTransformer

    folder = shutil.copytree(tiny_model, tmp_path / "m")
    (folder / "README.md").write_text("# M\n")
    settings: dict[str, Any] = {"data": "sample", "tasks": ["ranking"], "resamples": 10}
    plain = harness.evaluate(str(folder), **settings)
    (folder / "README.md").write_text("---\ndatasets: [snli, mine]\n---\n")
    named = harness.evaluate(str(folder), **settings)
    in_memory = harness.evaluate(SentenceTransformer(str(folder), device="cpu"), **settings)
    assert plain.record.model.training_data == ()
    assert named.record.model.training_data == in_memory.record.model.training_data == ("snli", "mine")
    assert named.record.model.fingerprint == plain.record.model.fingerprint
    assert named.signature == plain.signature
    assert named.tests["ranking"].metrics == plain.tests["ranking"].metrics
