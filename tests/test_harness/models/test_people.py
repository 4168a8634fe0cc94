"""A person as a model: texts are compared by the SCUs of the person's pyramid."""

from __future__ import annotations

import logging
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from helpers.annotations import FLOOD, FLOOD_SCUS, FLOOD_SCUS_OF_SECOND, PYRAMID, SUMMARIES, Scus, pyramid_file, tar
from helpers.checkout import REAL_ANNOTATORS, needs_real_annotators
from helpers.messages import mentions

from harness.evaluation.layout import lay_out_tests
from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, Suite, evaluate_model, load_suite
from harness.models.interfaces.model import Coverage, Model
from harness.models.kinds import people
from harness.models.kinds.people import Annotator
from harness.models.loading import load_model
from harness.support.errors import ModelError
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PYRAMID_TESTS


def save(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def make_annotator(path: Path) -> Annotator:
    scorer = load_model(f"annotator:{path}").scorer
    assert isinstance(scorer, Annotator)
    return scorer


@pytest.fixture
def annotator(tmp_path: Path) -> Annotator:
    """SCU 1 has 7 words of A, 5 of B, and 5 + 3 neighbouring words of C. SCU 2 has 6 words of A and 4 of B."""
    return make_annotator(save(tmp_path / "second.pyr", PYRAMID))


@pytest.mark.parametrize(
    ("text", "vector"),
    [
        ("Fire destroyed the ancient mill", [1.0, 0.0]),
        ("fire destroyed the ANCIENT mill.", [1.0, 0.0]),
        ("the ancient mill", [(3 / 5) ** 4, 0.0]),
        ("Nobody was hurt in the fire at the mill", [0.0, (6 / 9) ** 4]),
        ("old mill Monday", [(3 / 7) ** 4, 0.0]),
        ("Monday Nobody was hurt", [(1 / (4 + 7 - 1)) ** 4, (3 / (4 + 6 - 3)) ** 4]),
        ("on Monday", [(2 / 7) ** 4 + (2 / 8) ** 4, 0.0]),
        ("at the mill", [0.0, 0.0]),
        ("workers destroyed", [0.0, 0.0]),
        ("", [0.0, 0.0]),
    ],
)
def test_vectors(annotator: Annotator, text: str, vector: list[float]) -> None:
    """The values are (shared words / words in either)^4. The values of "on Monday" in A and in C are added."""
    vectors = annotator.encode([text, "Nobody"]).toarray()
    np.testing.assert_allclose(vectors[0], vector, rtol=1e-12)


def test_the_contributor_that_resembles_a_text_most_counts(tmp_path: Path) -> None:
    scus: Scus = {("1", "x"): [("B", ["the ancient mill"]), ("B", ["Fire destroyed the ancient mill"])]}
    annotator = make_annotator(save(tmp_path / "second.pyr", pyramid_file(SUMMARIES, scus)))
    assert annotator.encode(["the ancient mill"]).toarray().tolist() == [[1.0]]


def test_a_word_belongs_to_a_part_that_begins_or_ends_within_it(tmp_path: Path) -> None:
    scus: Scus = {("1", "x"): [("B", ["troyed the anc"])]}
    annotator = make_annotator(save(tmp_path / "second.pyr", pyramid_file(SUMMARIES, scus)))
    assert annotator.encode(["destroyed the ancient"]).toarray().tolist() == [[1.0]]


def test_unmarked_words_and_texts_are_counted(annotator: Annotator, caplog: pytest.LogCaptureFixture) -> None:
    """Of 2 + 3 + 4 + 1 words, 2 + 0 + 1 + 0 are in contributors: "at the mill" is not marked, "no one" is nowhere."""
    with caplog.at_level(logging.WARNING):
        annotator.encode(["ancient mill", "at the mill", "fire at the mill", "nothing"])
    assert annotator.unknown == Coverage(tokens=1 - 3 / 10, texts=2 / 4)
    [record] = caplog.records
    assert "second.pyr: 1 of 4 texts are not in its summaries. Labels of SCUs are never" in record.message
    assert "--no-labels" in record.message


def test_no_warning_if_all_texts_are_in_the_summaries(annotator: Annotator, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        annotator.encode(["ancient mill", "at the mill"])
    assert caplog.records == []


def test_other_summaries_are_an_error(annotator: Annotator) -> None:
    with pytest.raises(ModelError, match=mentions("second.pyr: ... none of the 2 texts ... pyramid")):
        annotator.encode(["The river flooded the town", "Most houses lost power"])


def test_a_result_counts_texts_without_a_vector(tmp_path: Path) -> None:
    """The second person marked neither "Rescue teams" nor "by rescue teams", of 44 words in eight texts."""
    first = save(tmp_path / "first.pyr", pyramid_file(FLOOD, FLOOD_SCUS))
    second = save(tmp_path / "second.pyr", pyramid_file(FLOOD, FLOOD_SCUS_OF_SECOND))
    result = evaluate(second, first, "ranking")
    assert result.record.model.kind == "annotator"
    assert result.record.model.dimension == 3
    unknown = result.record.model.out_of_vocabulary
    assert unknown is not None
    assert unknown.texts == 0
    assert unknown.tokens == pytest.approx(5 / 44)


def evaluate(second: Path, first: Path, test_name: str) -> Result:
    return evaluate_model(load_model(str(second)), load_suite(first, test_name), Settings(resamples=10, quiet=True))


@pytest.mark.parametrize("test_name", ["ranking", "ranking_matched"])
def test_scores_of_a_second_person(tmp_path: Path, test_name: str) -> None:
    """Of eight questions, those on SCUs 1 and 2 are answered. In those on 3 and 4, two options have the same vector."""
    first = save(tmp_path / "first.pyr", pyramid_file(FLOOD, FLOOD_SCUS))
    second = save(tmp_path / "second.pyr", pyramid_file(FLOOD, FLOOD_SCUS_OF_SECOND))
    metrics = evaluate(second, first, test_name).tests[test_name].metrics
    assert metrics["success_rate"] == pytest.approx((4 + 4 / 2) / 8)
    assert metrics["mrr"] == pytest.approx((4 + 4 * (1 + 1 / 2) / 2) / 8)
    assert evaluate(first, first, test_name).tests[test_name].metrics["success_rate"] == 1


def test_a_person_needs_no_fitted_threshold(tmp_path: Path) -> None:
    assert load_model(f"annotator:{save(tmp_path / 'second.pyr', PYRAMID)}").cutoff == 0.5


def test_the_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    def load(name: str, data: bytes) -> Model:
        return load_model(f"annotator:{save(tmp_path / name, data)}")

    model = load("second.pyr", PYRAMID)
    assert model.fingerprint == load("renamed.xml", PYRAMID).fingerprint
    assert model.fingerprint == load("packed.tar.gz", tar({"a.pyr": PYRAMID})).fingerprint
    assert model.fingerprint != load("other.pyr", PYRAMID.replace(b"ancient", b"antique")).fingerprint


def test_an_archive_of_several_pyramids(tmp_path: Path) -> None:
    """Every SCU has a column, in the order of the pyramids' ids: two of D0901-A, then four of D0902-A."""
    flood = pyramid_file(FLOOD, FLOOD_SCUS, topic="D0902-A")
    annotator = make_annotator(save(tmp_path / "all.tar.gz", tar({"b.pyr": flood, "a.pyr": PYRAMID})))
    texts = ["All workers escaped unharmed", "Most houses lost power"]
    assert annotator.encode(texts).toarray().tolist() == [[0.0, 1.0, *[0.0] * 4], [*[0.0] * 5, 1.0]]


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (b"The mill burned down.", InputError, "second.pyr, line 1: ... XML ( ... Restore"),
        (pyramid_file(SUMMARIES, {}), ModelError, "second.pyr: ... SCUs ... DUCView ... (.pyr)"),
    ],
)
def test_files_without_a_pyramid(tmp_path: Path, data: bytes, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=mentions(message)):
        load_model(f"annotator:{save(tmp_path / 'second.pyr', data)}")


def test_the_size_of_contributors_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The contributors of the pyramid have 7 + 5 + 8 + 6 + 4 words."""
    path = save(tmp_path / "second.pyr", PYRAMID)
    monkeypatch.setattr(people, "MAX_MARKED_WORDS", 30)
    make_annotator(path)
    monkeypatch.setattr(people, "MAX_MARKED_WORDS", 29)
    with pytest.raises(LimitError, match=mentions("second.pyr: ... 29 words ... pyramids")):
        make_annotator(path)


@needs_real_annotators
def test_three_people_on_the_same_summaries() -> None:
    """The counts and scores of `benchmarks/annotators.py` for one of its pairs of people."""
    first, second = (REAL_ANNOTATORS / name for name in ("12_10_09_MATTER.pyr", "Yinghui_12_10_09_MATTER.pyr"))
    corpus = read_corpus(first)
    tests = tuple(
        build_test(corpus, name, {"labels": False} if name.startswith("binary") else {}) for name in PYRAMID_TESTS
    )
    suite = Suite(*lay_out_tests(tests))
    result = evaluate_model(load_model(str(second)), suite, Settings(resamples=10, quiet=True))
    tests_by_name = result.tests
    assert [tests_by_name[name].counts["test"] for name in PYRAMID_TESTS] == [227, 88, 216, 80]
    scores = [tests_by_name[name].metrics["f1" if "binary" in name else "success_rate"] for name in PYRAMID_TESTS]
    assert [f"{score:.3f}" for score in scores] == ["0.779", "0.920", "0.737", "0.941"]
    unknown = result.record.model.out_of_vocabulary
    assert unknown is not None
    assert unknown.texts == 0


@needs_real_annotators
def test_every_text_of_the_three_pyramids_is_located(caplog: pytest.LogCaptureFixture) -> None:
    """The people marked the same five summaries, whose separators and line breaks differ between the files."""
    pyramids = [read_corpus(path).pyramids[0] for path in sorted(REAL_ANNOTATORS.glob("*.pyr"))]
    annotators = [Annotator([pyramid], pyramid.id) for pyramid in pyramids]
    for pyramid, annotator in product(pyramids, annotators):
        texts = {contributor.text for scu in pyramid.scus for contributor in scu.contributors}
        annotator.encode(sorted(texts))
    assert len(pyramids) == 3
    assert caplog.records == []
