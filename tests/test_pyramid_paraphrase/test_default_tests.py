"""The tests that models are evaluated on if the user names none."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.annotations import tar
from helpers.commands import Capture, run
from helpers.messages import mentions
from helpers.pair_corpora import write_pit, write_tokens

from harness.api.evaluating import evaluate
from harness.evaluation.runner import load_suite
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.errors import InputError, OptionError
from pyramid_paraphrase.hub import choose_default_tests
from pyramid_paraphrase.rules.options import PAPER_TESTS, PYRAMID_TESTS

ALL = ("binary", "ranking", "binary_matched", "ranking_matched")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two tests, which were named in another order than that of the configurations."""
    folder = tmp_path_factory.mktemp("built") / "sample"
    assert run("build", "sample", "--output", folder, "--config", "ranking_matched", "--config", "binary") == 0
    return folder


def test_the_paper_has_two_of_four_tests() -> None:
    assert list(PAPER_TESTS) == ["binary", "ranking"]
    assert list(PYRAMID_TESTS) == [*PAPER_TESTS, "binary_matched", "ranking_matched"]


@pytest.mark.parametrize("data", ["sample", SAMPLE_DIR, [SAMPLE_DIR / "S0101.pyr", SAMPLE_DIR / "S0102.pyr"]])
def test_annotation_files_have_all_tests(data: str | Path | list[Path]) -> None:
    assert choose_default_tests(data) == ALL


def test_a_pair_corpus_has_its_tests(tmp_path: Path) -> None:
    write_tokens(tmp_path / "msrp")
    write_pit(tmp_path / "pit2015")
    members = {path.name: path.read_bytes() for path in (tmp_path / "pit2015").iterdir()}
    (tmp_path / "pit.tar.gz").write_bytes(tar(members))
    assert choose_default_tests(tmp_path / "msrp") == ("pairs",)
    assert choose_default_tests(tmp_path / "pit2015") == ("pit_identification", "pit_similarity")
    assert choose_default_tests(tmp_path / "pit.tar.gz") == ("pit_identification", "pit_similarity")
    assert list(evaluate("constant", tmp_path / "pit2015", resamples=5).tasks) == [
        "pit_identification",
        "pit_similarity",
    ]


def test_several_pair_corpora_have_no_tests_in_common(tmp_path: Path) -> None:
    """The error about the files comes when they are read."""
    write_tokens(tmp_path / "both" / "msrp")
    write_pit(tmp_path / "both" / "pit2015")
    assert choose_default_tests(tmp_path / "both") == PYRAMID_TESTS
    assert choose_default_tests([tmp_path / "both" / "msrp", tmp_path / "both" / "pit2015"]) == PYRAMID_TESTS


def test_a_pair_corpus_lacks_no_test(tmp_path: Path, capsys: Capture) -> None:
    """The tests of pyramids are not listed as missing."""
    write_tokens(tmp_path / "msrp")
    folder = tmp_path / "results"
    assert (
        run("evaluate", "--model", "constant", "--data", tmp_path / "msrp", "--output", folder, "--resamples", 5) == 0
    )
    assert "Not evaluated" not in capsys.readouterr().out


def test_a_built_folder_has_the_tests_that_were_built(built: Path) -> None:
    assert choose_default_tests(built) == choose_default_tests([str(built)]) == ("binary", "ranking_matched")
    assert [test.configuration.name for test in load_suite(built).tests] == ["binary", "ranking_matched"]
    assert list(evaluate("constant", built, resamples=5).tasks) == ["binary", "ranking_matched"]


def test_named_tests_are_not_replaced(built: Path) -> None:
    assert list(evaluate("constant", built, "binary", resamples=5).tasks) == ["binary"]
    with pytest.raises(OptionError, match=mentions("sample ... ranking. ... binary, ranking_matched")):
        evaluate("constant", built, "ranking")


def test_a_damaged_folder(built: Path, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text((built / "manifest.json").read_text()[:-9])
    with pytest.raises(InputError, match=r"manifest\.json"):
        choose_default_tests(tmp_path)


def test_data_that_does_not_exist() -> None:
    with pytest.raises(InputError, match=mentions("nowhere: no such file ... path")):
        choose_default_tests("nowhere")


def test_without_data_they_are_those_of_the_last_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a build, all tests are chosen, so that the error on loading them states the remedy."""
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path)
    assert choose_default_tests(None) == ALL
    for name in ("ranking_matched", "binary"):
        assert run("build", "sample", "--config", name) == 0
    assert choose_default_tests(None) == ("binary", "ranking_matched")
