"""Entailment models: their label, and their distinction from other classifiers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.tiny_models import save_entailment_model, save_tiny_encoder

from harness.models.loading import load_model
from harness.models.neural.scorers import EntailmentScorer
from harness.models.specs import parse_spec
from harness.support.errors import ModelError

PAIRS = [("abc", "abd"), ("a", "zzz zz"), ("abd", "abc")]
RULES = ("minimum", "mean", "product")


@pytest.mark.needs("torch")
def test_the_probability_is_the_softmax_over_all_labels() -> None:
    """Logits log 1, log 6 and log 3: 6 of 10. Large logits do not overflow."""

    class Outputs:
        def predict(self, pairs: list[tuple[str, str]], **_: object) -> list[list[float]]:
            return [[0.0, float(np.log(6)), float(np.log(3))], [0.0, 1000.0, 0.0], [0.0, -1000.0, 0.0]][: len(pairs)]

    assert EntailmentScorer(Outputs(), 1).score(PAIRS).tolist() == pytest.approx([0.6, 1.0, 0.0])


@pytest.mark.needs("sentence_transformers")
def test_the_score_is_that_of_transformers(tmp_path: Path) -> None:
    """The first text is the premise."""
    import torch
    import transformers

    folder = save_entailment_model(tmp_path / "nli")
    library: Any = transformers
    tokenizer, model = (
        maker.from_pretrained(folder) for maker in (library.AutoTokenizer, library.AutoModelForSequenceClassification)
    )
    with torch.no_grad():
        expected = [model(**tokenizer(*pair, return_tensors="pt")).logits.softmax(1)[0, 1].item() for pair in PAIRS]
    loaded = load_model(str(folder))
    scorer: Any = loaded.scorer
    assert loaded.kind == "entailment"
    assert scorer.score(PAIRS).tolist() == pytest.approx(expected, abs=1e-6)
    assert abs(expected[0] - expected[2]) > 1e-8
    assert loaded.directions == RULES


@pytest.mark.needs("sentence_transformers")
@pytest.mark.parametrize(
    ("labels", "option", "number"),
    [
        (("ENTAILMENT", "NEUTRAL", "CONTRADICTION"), "", 0),
        (("contradiction", "neutral", "Entailment"), "", 2),
        (("not_entailment", "entailment"), "", 1),
        (("LABEL_0", "LABEL_1", "LABEL_2"), ",label=LABEL_2", 2),
        (("entailment", "Entailment"), ",label=Entailment", 1),
    ],
)
def test_the_label_of_entailment(tmp_path: Path, labels: tuple[str, ...], option: str, number: int) -> None:
    scorer: Any = load_model(f"entailment:{save_entailment_model(tmp_path / 'nli', labels)}{option}").scorer
    assert scorer._label == number


@pytest.mark.needs("sentence_transformers")
@pytest.mark.parametrize(
    ("labels", "option", "message"),
    [
        (("LABEL_0", "LABEL_1"), "", "entailment (labels: LABEL_0, LABEL_1). ... ,label="),
        (("entailment", "Entailment"), "", "several labels ... entailment ... ,label="),
        (
            ("yes", "entailment"),
            ",label=Entailment",
            "nli,label=Entailment: ... Entailment (labels: yes, entailment). ... ,label=",
        ),
        (("entailment",), "", "single output ... cross-encoder:"),
    ],
)
def test_unusable_labels(tmp_path: Path, labels: tuple[str, ...], option: str, message: str) -> None:
    with pytest.raises(ModelError, match=mentions(message)):
        load_model(f"entailment:{save_entailment_model(tmp_path / 'nli', labels)}{option}")


@pytest.mark.needs("sentence_transformers")
def test_a_bare_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=mentions("trained head ... sentence-transformers:...")):
        load_model(f"entailment:{save_tiny_encoder(tmp_path / 'bare')}")


@pytest.mark.needs("sentence_transformers")
def test_folders_are_recognized_by_their_labels(tmp_path: Path) -> None:
    from sentence_transformers import CrossEncoder

    folder = save_entailment_model(tmp_path / "nli")
    CrossEncoder(str(folder), device="cpu").save_pretrained(str(tmp_path / "saved"))
    assert parse_spec(str(folder)).kind.name == parse_spec(str(tmp_path / "saved")).kind.name == "entailment"
    assert parse_spec(str(save_tiny_encoder(tmp_path / "three", labels=3))).kind.name == "cross-encoder"
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"id2label": ["entailment"]}))
    assert parse_spec(str(folder)).kind.name == "cross-encoder"


def test_names_on_the_hub() -> None:
    assert parse_spec("cross-encoder/nli-deberta-v3-base").kind.name == "entailment"
    assert parse_spec("cross-encoder/nlidb").kind.name == "cross-encoder"


@pytest.mark.needs("sentence_transformers")
def test_rules_share_stored_scores_and_no_fingerprint(tmp_path: Path) -> None:
    folder = save_entailment_model(tmp_path / "nli")
    models = [load_model(f"{folder}{option}") for option in ("", *(f",direction={rule}" for rule in RULES))]
    assert len({model.fingerprint for model in models}) == 4
    assert len({model.store_key for model in models}) == 1
    assert [len(model.directions) for model in models] == [3, 1, 1, 1]
    assert load_model(f"{folder},label=neutral").store_key != models[0].store_key
