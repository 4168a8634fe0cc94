"""Models of servers, judges, entailment models and compositions of word vectors in one command, and what it writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.commands import Room, Run, read_everything
from helpers.model_server import ModelServer, serve_models
from helpers.tiny_models import ONNX_VOCABULARY, make_onnx_model, save_entailment_model, save_judge, serve_judge

from harness.evaluation.results import Result, read_results
from harness.evaluation.runner import load_suite
from pyramid_paraphrase import SAMPLE_DIR

COMMAND = "import sys; from harness.cli import main; sys.exit(main(['evaluate', *sys.argv[1:]]))"
DATA = SAMPLE_DIR / "S0101.pyr"
TEST = "ranking"
SECRET = "sk-very-secret-1234567890"
COMPOSITIONS = ("sum", "unit-sum", "idf", "sif", "content-words", "max-min")

pytestmark = [
    pytest.mark.full,
    pytest.mark.needs("sentence_transformers", "wordllama", "wordfreq"),
    pytest.mark.needs("onnx", "onnxruntime", "onnxruntime_extensions"),
]


def write_models(folder: Path, tiny_model: Path) -> None:
    save_judge(folder / "judge", None)
    save_entailment_model(folder / "nli")
    vocabulary = "\n".join([*ONNX_VOCABULARY[:5], "the", "of"])  # words of the data, otherwise all vectors were zero
    (folder / "model.onnx").write_bytes(make_onnx_model(vocab_file=vocabulary).SerializeToString())
    words = ("the", "a", "storm", "bridge", "was", "of", "in", "found", "city", "year")
    lines = [f"{word} {number % 3} {number % 4} 1" for number, word in enumerate(words)]
    (folder / "words.txt").write_text("\n".join(lines) + "\n")
    (folder / "encoder").symlink_to(tiny_model)


def list_specs(server: ModelServer) -> list[str]:
    specs = [
        *(f"endpoint:encoder,url={server.url},name=hosted encoder", "sentence-transformers:encoder,name=encoder"),
        *(f"hosted-judge:judge,url={server.url},name=hosted judge", "judge:judge,name=judge"),
        *("judge:judge,answer=text,name=judge in words", "entailment:nli,direction=product,name=nli"),
        *("wordllama,dimension=64", "model.onnx"),
    ]
    return specs + [f"words.txt,composition={composition},name={composition}" for composition in COMPOSITIONS]


def test_every_kind_in_one_evaluation(run_torch_fork: Run, room: Room, tiny_model: Path) -> None:
    """A process of its own shows all that it prints. What the servers say equals what the same models say here."""
    from sentence_transformers import SentenceTransformer

    write_models(room.folder, tiny_model)
    encoder = SentenceTransformer(str(tiny_model), device="cpu")
    with serve_models(encoder.encode, serve_judge(room.folder / "judge")) as server:
        options = f"--task {TEST} --resamples 10 --output results --cache-dir kept --verbose"
        models = [argument for spec in list_specs(server) for argument in ("--model", spec)]
        process = run_torch_fork(COMMAND, *models, "--data", DATA, *options.split(), OPENAI_API_KEY=SECRET)
    assert process.returncode == 0, process.stderr
    results = {result.record.model.name: result for result in read_results([room.folder / "results"])}
    assert {"nli", "wordllama (dimension=64)", "model.onnx", *COMPOSITIONS} <= set(results)
    for pair in (("hosted encoder", "encoder"), ("hosted judge", "judge")):
        hosted, local = (results[name] for name in pair)
        require_same_scores(hosted, local)
        assert hosted.record.usage is not None
    everything = (process.stdout + process.stderr).encode() + read_everything(room.folder)
    assert b"hosted judge" in everything
    assert SECRET.encode() not in everything
    texts = load_suite(DATA, (TEST,)).texts
    assert len(texts) == 51  # distinct questions and options of the topic in the Parquet file of its test
    assert [text for text in texts if len(text) > 30 and text.encode() in everything] == []


def require_same_scores(first: Result, second: Result) -> None:
    np.testing.assert_allclose(first.rows[TEST].scores, second.rows[TEST].scores, atol=1e-5)
    assert len(np.unique(first.rows[TEST].scores)) > 1
