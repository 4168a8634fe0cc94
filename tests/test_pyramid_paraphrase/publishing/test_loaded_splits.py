"""Splits as users of `datasets` name them. `datasets` itself, which reads the same rows, gives the expected ones."""

from __future__ import annotations

import datasets
import pytest
from helpers.messages import mentions

import pyramid_paraphrase
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.loading import select_splits
from pyramid_paraphrase.pyramids.corpus import Corpus


@pytest.fixture(scope="module")
def built(sample: Corpus) -> BuiltTest:
    return build_test(sample, "binary")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize(
    "split",
    [
        "test",
        "test[:100]",
        "test[-10%:]",
        "test[:3%](pct1_dropremainder)",
        "validation[5:2]",
        "validation+test[7:9]",
        "all",
        datasets.Split.VALIDATION,
        datasets.Split.ALL,
        datasets.ReadInstruction("test", from_=-3),
    ],
)
def test_a_split_has_the_rows_and_the_name_that_datasets_gives(built: BuiltTest, cache: str, split: object) -> None:
    expected = datasets.load_dataset("pyramid_paraphrase", "binary", data_dir=SAMPLE_DIR, cache_dir=cache, split=split)
    selected = select_splits(built, split)  # type: ignore[arg-type]
    assert selected.to_list() == expected.to_list()
    assert str(selected.split) == str(expected.split)
    assert selected.features == expected.features


def test_load_returns_what_load_dataset_would_return() -> None:
    whole = pyramid_paraphrase.load("ranking", "sample")
    assert isinstance(whole, datasets.DatasetDict)
    assert list(whole) == ["test"]
    test = pyramid_paraphrase.load("ranking", "sample", split="test")
    assert isinstance(test, datasets.Dataset)
    assert test.num_rows == 634  # the sample's questions, as docs/start_paraphrases.md shows
    first, last = pyramid_paraphrase.load("ranking", "sample", split=["test[:2]", "test[-1:]"])
    assert [first["id"][:], last["id"][:]] == [whole["test"]["id"][:2], whole["test"]["id"][-1:]]


@pytest.mark.parametrize(
    ("split", "reason"),
    [
        ("tset", "split 'tset'. ... 'test'?"),
        ("train", "split 'train'"),
        ("train[:3]", "split 'train[:3]' ... Unknown split"),
        ("test[a]", "split 'test[a]' ... Unrecognized instruction"),
        ("test[:200%]", "split 'test[:200%]' ... Percent slice"),
        ("test[:3%](nearest)", "split 'test[:3%](nearest)' ... rounding"),
        ("", "split '' ... Unrecognized instruction"),
        (["test", "train"], "split 'train'"),
    ],
)
def test_an_unknown_split_lists_the_splits(built: BuiltTest, split: str, reason: str) -> None:
    with pytest.raises(OptionError, match=mentions(f"{reason} ... test, validation")):
        select_splits(built, split)


def test_a_notebook_shows_the_numbers_of_the_splits_and_no_text() -> None:
    """The numbers are those of the card of a built folder. Cells of notebooks are stored, and texts are licensed."""
    whole = pyramid_paraphrase.load("binary", "sample")
    shown = whole._repr_html_()  # type: ignore[operator]
    assert ">test</td><td>1,237</td><td>8</td><td>614</td></tr>" in shown
    assert ">validation</td><td>138</td><td>8</td><td>79</td></tr>" in shown
    assert whole["test"][0]["sentence1"] not in shown
    questions = pyramid_paraphrase.load("ranking", "sample")._repr_html_()  # type: ignore[operator]
    assert ">test</td><td>634</td><td>8</td><td>-</td></tr>" in questions
    assert type(whole.select_columns(["label"])) is datasets.DatasetDict
