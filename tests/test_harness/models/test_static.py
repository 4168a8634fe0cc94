"""Word vectors: case, unknown words, tokenizers, compositions, and their messages."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import numpy as np
import pytest
from helpers.commands import Run
from helpers.messages import mentions

from harness.models.interfaces.model import Coverage
from harness.models.kinds.static import WordVectorEncoder
from harness.models.loading import load_model
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.files.extras import MissingExtraError

VECTORS = "storm 1 0 0\nStorm 0 1 0\ntown 0 0 1\nhit 1 1 1\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.txt"
    path.write_text(VECTORS)
    return path


def load(path: Path, options: str = "") -> WordVectorEncoder:
    scorer = load_model(f"{path}{options}").scorer
    assert isinstance(scorer, WordVectorEncoder)
    return scorer


@pytest.mark.parametrize(
    ("options", "storm", "town"),
    [
        ("", [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
        (",case=fallback", [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
        (",case=exact", [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]),
        (",case=lower", [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
        (",format=glove", [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
    ],
)
def test_case(file: Path, options: str, storm: list[float], town: list[float]) -> None:
    assert load(file, options).encode(["Storm", "Town", "storm hit"]).tolist() == [storm, town, [2.0, 1.0, 1.0]]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("form_of_text", ["NFC", "NFD"])
def test_words_of_any_normal_form_are_found(
    tmp_path: Path, form: Literal["NFC", "NFD"], form_of_text: Literal["NFC", "NFD"]
) -> None:
    """A file with decomposed letters had no vector for words in composed letters, and the reverse."""
    path = tmp_path / "vectors.txt"
    path.write_text(normalize(form, "été 1 0\nn\u0303 0 2\nthe 0 3\n"))
    assert load(path).encode([normalize(form_of_text, "Été"), "the"]).tolist() == [[1.0, 0.0], [0.0, 3.0]]


def test_words_with_typographic_apostrophes_are_found(tmp_path: Path) -> None:
    """Bags of words do not distinguish apostrophes, but word vectors had none for "n\u2019t" and "\u2019s"."""
    path = tmp_path / "vectors.txt"
    path.write_text("'s 1 0 0\nn't 0 1 0\n\u2019ll 0 0 1\n'll 0 0 9\n")
    texts = ["port's", "port\u2019s", "didn\u2019t", "we\u2019ll"]
    assert load(path).encode(texts).tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_unknown_words_are_left_out_and_counted(file: Path) -> None:
    encoder = load(file)
    assert encoder.encode(["storm hit Paris", "Paris fell", "town town"]).tolist() == [
        [2.0, 1.0, 1.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 2.0],
    ]
    assert encoder.unknown == Coverage(tokens=3 / 7, texts=1 / 3)


def test_unknown_words_are_those_of_all_texts_so_far(file: Path) -> None:
    """Some compositions encode the texts of each test anew, and tests share texts."""
    encoder = load(file)
    assert encoder.unknown is None
    encoder.encode(["storm hit Paris", "town town"])
    encoder.encode(["town town", "Paris fell"])
    assert encoder.unknown == Coverage(tokens=3 / 7, texts=1 / 3)


@pytest.mark.parametrize(
    ("composition", "vectors"),
    [
        ("sum", [[1, 0, 2], [1, 0, 1], [0, 0, 0]]),
        ("unit-sum", [[1, 0, 2], [1, 0, 1], [0, 0, 0]]),
        # Two of three texts have each word: ln(4/3) + 1 for all.
        ("idf", [[1.287682, 0, 2.575364], [1.287682, 0, 1.287682], [0, 0, 0]]),
        ("content-words", [[1, 0, 2], [1, 0, 1], [0, 0, 0]]),
        ("max-min", [[1, 0, 1, 0, 0, 0], [1, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0]]),
    ],
)
def test_compositions(file: Path, composition: str, vectors: list[list[float]]) -> None:
    encoder = load(file, f",composition={composition}")
    encoded = encoder.encode(["storm town town", "town in a storm", "Paris"])
    assert encoded == pytest.approx(np.array(vectors), abs=1e-6)


@pytest.mark.needs("wordfreq")
def test_sif(tmp_path: Path) -> None:
    """Two texts are along (1, 0), and the third is across. The weight of a single word is lost in the cosine."""
    path = tmp_path / "vectors.txt"
    path.write_text("storm 1 0\nflood 1 0\ntown 0 1\n")
    encoded = load(path, ",composition=sif").encode(["storm flood", "flood", "town"])
    # By wordfreq 3.1.1, p(town) is 0.000174: 0.001 / 0.001174.
    assert encoded == pytest.approx(np.array([[0, 0], [0, 0], [0, 0.851789]]), abs=1e-6)


def test_effects_of_a_composition(file: Path) -> None:
    """Results of earlier releases have no composition, and the default has their fingerprint."""
    plain, default, idf = (load_model(f"{file}{options}") for options in ("", ",composition=sum", ",composition=idf"))
    assert plain.fingerprint == default.fingerprint != idf.fingerprint
    assert plain.options == default.options == {"tokenizer": "own", "case": "fallback", "format": "auto"}
    assert idf.options == {**plain.options, "composition": "idf"}
    assert idf.name == f"{plain.name} (composition=idf)"
    assert (idf.is_transductive, plain.is_transductive) == (True, False)


def test_words_that_do_not_count_are_not_unknown(file: Path) -> None:
    encoder = load(file, ",composition=content-words")
    encoder.encode(["the storm", "the"])
    assert encoder.unknown == Coverage(tokens=0, texts=1 / 2)


def test_an_unknown_composition(file: Path) -> None:
    with pytest.raises(
        OptionError, match=mentions("option composition ... 'mean'. Use sum, unit-sum, idf, sif, content-words, max")
    ):
        load_model(f"{file},composition=mean")


def test_frequencies_need_a_package(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(MissingExtraError, match=mentions("wordfreq ... pip install 'pyramid-paraphrase[wordfreq]'")):
        load_model(f"{file},composition=sif")


def test_the_read_vectors_are_logged(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    load(file).encode(["storm hit Paris"])
    assert caplog.messages == [f"{file}: glove, 2 of 3 words"]


def test_no_known_words(file: Path) -> None:
    with pytest.raises(ModelError, match=mentions("vectors.txt: ... 2 words ... language")):
        load(file).encode(["bonjour madame"])
    with pytest.raises(ModelError, match=mentions("vectors.txt: ... 0 words ... language")):
        load(file).encode(["", "..."])


@pytest.mark.needs("spacy")
def test_the_papers_tokenizer(file: Path) -> None:
    assert load(file, ",tokenizer=spacy").encode(["(storm), town!"]).tolist() == [[1.0, 0.0, 1.0]]


def test_the_fingerprint_is_that_of_content_and_options(file: Path, tmp_path: Path) -> None:
    copy, other_file = tmp_path / "copy.txt", tmp_path / "other_file.txt"
    copy.write_text(VECTORS)
    other_file.write_text(VECTORS + "sea 1 1 0\n")
    prints = {str(path): load_model(str(path)).fingerprint for path in (file, copy, other_file)}
    assert prints[str(file)] == prints[str(copy)] != prints[str(other_file)]
    assert load_model(f"{file},case=lower").fingerprint != prints[str(file)]


def test_progress(file: Path) -> None:
    byte_counts: list[int] = []
    encoder = load(file)
    size = encoder.start_reading(byte_counts.append)
    encoder.encode(["storm"])
    assert sum(byte_counts) == size == len(VECTORS)


def test_sums_do_not_depend_on_the_order_of_words(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    random = np.random.default_rng(0).normal(size=(50, 8))
    path.write_text("".join(f"w{i} {' '.join(map(str, row))}\n" for i, row in enumerate(random)))
    words = [f"w{i}" for i in range(50)]
    forth, back = load(path).encode([" ".join(words), " ".join(words[::-1])])
    assert forth.tolist() == back.tolist()


@pytest.mark.needs("wordllama")
def test_wordllama() -> None:
    full, short = load_model("wordllama"), load_model("wordllama,dimension=64")
    assert (full.name, short.name) == ("wordllama", "wordllama (dimension=64)")
    assert (full.parameters, short.parameters) == (32000 * 256, 32000 * 64)
    assert full.fingerprint != short.fingerprint
    texts = ["A storm hit the town.", "", "The town was hit by a storm."]
    vectors, cut = full.scorer.encode(texts), short.scorer.encode(texts)
    assert vectors.shape == (3, 256)
    assert not vectors[1].any()
    assert cut.tolist() == vectors[:, :64].tolist()
    alone = np.concatenate([full.scorer.encode([text]) for text in texts])
    assert alone.tolist() == vectors.tolist()


@pytest.mark.needs("wordllama")
def test_the_root_logger_stays(run_python: Run) -> None:
    """wordllama sets the root logger to show all messages when it is imported."""
    code = """
import logging
from harness.models.loading import load_model
load_model("wordllama")
print(logging.getLogger().handlers, logging.getLogger().level == logging.WARNING)
"""
    assert run_python(code).stdout == "[] True\n"


@pytest.mark.needs("wordllama")
def test_wordllama_has_three_dimensions() -> None:
    with pytest.raises(OptionError, match=mentions("option dimension ... '100'. Use 256, 128 or 64")):
        load_model("wordllama,dimension=100")


@pytest.mark.needs("wordllama")
def test_a_package_without_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library would download the model from an address that the user did not name."""
    import wordllama

    monkeypatch.setattr(wordllama.WordLlama, "get_filename", staticmethod(lambda *_: "absent.safetensors"))
    with pytest.raises(ModelError, match=mentions("wordllama: ... absent.safetensors ... Reinstall")):
        load_model("wordllama")
