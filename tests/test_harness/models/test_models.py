"""Models of every kind: names, loading, fingerprints, and refused inputs."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import Run
from helpers.encoding import encode_all
from helpers.messages import mentions
from helpers.tiny_models import save_entailment_model, save_model2vec, save_static_model, save_tiny_encoder
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer

from harness.models.files.folders import hash_folder
from harness.models.kinds.baselines import OneHot
from harness.models.loading import describe_object, load_model
from harness.models.neural import checkpoints
from harness.models.neural.checkpoints import hash_local, identify, load_checkpoint
from harness.models.neural.scorers import SentenceEncoder
from harness.models.registry import KINDS, SHORTCUTS
from harness.models.specs import parse_spec
from harness.stats.similarities import normalize
from harness.support.errors import ModelError
from harness.support.hardware import require_devices
from harness.support.names import name_variant, short_name, slug
from harness.text.words import in_lower_case, load_tokenizer
from pyramid_paraphrase.errors import InputError, OptionError, PyramidParaphraseError
from pyramid_paraphrase.files.extras import MissingExtraError
from pyramid_paraphrase.words import split_words

TEXTS = ["Storms flooded two towns.", "a", "Two towns were flooded by storms", "abc def", "Nobody was hurt there"]


def encode(spec: str, texts: list[str] = TEXTS) -> np.ndarray:
    scorer = load_model(spec).scorer
    vectors = scorer.encode(texts)
    return vectors if isinstance(vectors, np.ndarray) else vectors.toarray()


def test_specs() -> None:
    for kind in KINDS:
        assert parse_spec(kind.example).kind == kind
    spec = parse_spec("sentence-transformers:org/x,prompt=Say: a, b, c,truncate_dim=64,name=X")
    assert (spec.kind.name, spec.model, spec.title) == ("sentence-transformers", "org/x", "X")
    assert spec.options == {"prompt": "Say: a, b, c", "truncate_dim": 64}
    assert parse_spec("org/name").kind.name == "sentence-transformers"
    assert parse_spec("cross-encoder/name").kind.name == "cross-encoder"
    assert load_model("one-hot,name=Words").name == "Words"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("onehot", "onehot: ... kind ... 'one-hot'"),
        ("vector:x.txt", "vector:x.txt ... 'vectors'"),
        (
            "no such thing",
            "thing ... models ... model2vec",
        ),
        ("vectors:", "missing ... vectors:GoogleNews"),
        ("one-hot:x", "one-hot:x ... one-hot"),
        ("one-hot,tokeniser=own", "'tokeniser' ... 'tokenizer' ... name, similarity, tokenizer"),
        ("one-hot,tokenizer=nltk", "'nltk' ... spacy"),
        ("org/x,truncate_dim=0", "truncate_dim ... '0' ... 1 ... 1000000"),
        ("org/x,trust_remote_code=maybe", "trust_remote_code ... 'maybe' ... false"),
        ("org/x,dtype=int8", "org/x,dtype=int8: ... int8 ... float32 ... float16"),
        ("one-hot,tokenizer=own,tokenizer=spacy", "tokenizer ... Omit"),
        ("org/x,prompt=a,prompt_name=b", "prompt_name ... Omit"),
        ("one-hot,name=", "'' ... 1 ... 100 characters"),
        ("one-hot,name=a\nb", "1 ... 100 characters"),
        ("x" * 5000, "(File name too long) ... path"),
        ("vectors:" + "x" * 5000, "(File name too long) ... path"),
        ("a\0b", "models ... model2vec"),
        ("vectors:/nowhere/x.txt", "/nowhere/x.txt: ... vectors"),
        ("annotator:gone.pyr", "gone.pyr: ... (.pyr)"),
        ("annotator:x.pyr,labels=true", "'labels' ... name"),
        ("gone.pyr", "gone.pyr: ... sentence-transformers:gone.pyr"),
        ("vectors:.", ".: ... folder ... vectors"),
        ("nofile.txt", "nofile.txt: ... sentence-transformers:nofile.txt"),
        ("vectors.VEC", "vectors.VEC: ... sentence-transformers:vectors.VEC"),
        ("runs/model.bin", "runs/model.bin: ... sentence-transformers:runs/model.bin"),
        ("folder/", "folder/: ... folder ... path"),
        ("folder/sub/x", "folder/sub/x: ... folder ... path"),
        ("./x", "./x: ... folder ... path"),
        ("sentence-transformers:a/b/c", "a/b/c: ... folder ... Hub"),
        ("model2vec:../x", "../x: ... folder ... Hub"),
        (
            f"cross-encoder:{__file__}",
            f"{__file__}: ... vectors:{__file__}",
        ),
        (
            "crossencoder:org/x",
            "crossencoder:org/x ... 'cross-encoder'",
        ),
        ("sentencetransformers:x", "sentencetransformers:x ... 'sentence-transformers'"),
        ("org/x,device=Cuda", "'Cuda' ... cuda:1"),
        ("org/x,dtype=float16,backend=onnx", "org/x,dtype=float16,backend=onnx: ... float16 ... float32"),
        ("cross-encoder/x,device=cpu+cpu", "cross-encoder/x,device=cpu+cpu: ... several devices. Use one"),
    ],
)
def test_wrong_specs(spec: str, message: str) -> None:
    with pytest.raises(PyramidParaphraseError) as caught:
        load_model(spec)
    assert re.search(mentions(message), str(caught.value))


def test_paths_may_contain_any_character(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / "lr,seed=3 x"
    odd.write_text("a 1 2\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in (str(odd), f"vectors:{odd}", "~/lr,seed=3 x", "vectors:~/lr,seed=3 x"):
        spec = parse_spec(f"{path},case=exact")
        assert (spec.kind.name, spec.model, spec.options) == ("vectors", str(odd), {"case": "exact"})
    assert parse_spec(str(odd)).public == f"vectors:{tmp_path.name}/lr,seed=3 x"
    assert str(tmp_path.parent) not in load_model(str(odd)).spec


TITLES = {
    "org/x,truncate_dim=128,prompt_name=query": "org/x (prompt_name=query, truncate_dim=128)",
    "org/x,prompt_name=query,truncate_dim=128": "org/x (prompt_name=query, truncate_dim=128)",
    "org/x,device=cpu,batch_size=3,trust_remote_code=true": "org/x",
    "org/x,dtype=float32,backend=torch": "org/x",
    "org/x,dtype=bfloat16,revision=v1.5": "org/x (revision=v1.5, dtype=bfloat16)",
    "org/x,truncate_dim=128,name=X": "X",
    "length,tokenizer=spacy": "length (tokenizer=spacy)",
    "length,tokenizer=own": "length",
    "vectors:a/b/c.vec,case=exact,format=auto": "b/c.vec (case=exact)",
    # The digits are the first digits that `printf %s VALUE | sha256sum` prints.
    "org/x,prompt=Represent this sentence: ": "org/x (prompt=Represent this...392aa6)",
    "org/x,prompt=Task\nQuery:": "org/x (prompt=Task Query:...0c31c0)",
    "org/x,prompt=query: ": "org/x (prompt=query:...08a8bf)",
}


@pytest.mark.parametrize("spec", TITLES)
def test_names_distinguish_variants_of_a_model(spec: str) -> None:
    assert parse_spec(spec).title == TITLES[spec]


def test_defaults_are_in_the_names_of_the_models_that_they_change(tiny_model: Path) -> None:
    defaults = {"dtype": "bfloat16", "batch_size": 7, "device": None}
    assert parse_spec("org/x", defaults).title == "org/x (dtype=bfloat16)"
    assert parse_spec("org/x,dtype=float16", defaults).title == "org/x (dtype=float16)"
    assert parse_spec("one-hot", defaults).title == "one-hot"
    assert load_model(str(tiny_model), defaults).name.endswith("/tiny (dtype=bfloat16)")


@pytest.mark.needs("sentence_transformers")
def test_invalid_folders_are_model_errors(tmp_path: Path) -> None:
    for text in ("[1]", '{"architectures": 5}', '{"architectures": {"a": 1}}', "x"):
        (tmp_path / "config.json").write_text(text)
        with pytest.raises(ModelError):
            load_model(str(tmp_path))
    (tmp_path / "config_sentence_transformers.json").write_text('{"model_type": "OtherEncoder"}')
    with pytest.raises(ModelError, match=mentions("OtherEncoder, ... one vector per text ... harness.evaluate")):
        load_model(str(tmp_path))


@pytest.mark.needs("sentence_transformers")
@pytest.mark.parametrize("text", ["[" * 100_000, '{"model_type": ["x"]}', '{"model_type": "%s"}' % ("x" * 99_999)])
@pytest.mark.parametrize("name", ["config.json", "config_sentence_transformers.json"])
def test_odd_settings_of_folders_are_errors(tmp_path: Path, name: str, text: str) -> None:
    """Deeply nested brackets caused a RecursionError, and a list as model_type a TypeError."""
    (tmp_path / name).write_text(text)
    with pytest.raises(ModelError) as caught:
        load_model(str(tmp_path))
    is_nested = text[0] == "["
    assert str(caught.value).startswith(f"{tmp_path / name}: " if is_nested else f"{tmp_path}: ")
    assert len(str(caught.value)) < len(str(tmp_path)) + 300
    assert bool(re.search(mentions("nested ... model again"), str(caught.value))) == is_nested


@pytest.mark.needs("sentence_transformers")
@pytest.mark.parametrize("kind", ["sentence-transformers", "cross-encoder"])
@pytest.mark.parametrize(
    ("name", "settings", "limit"),
    [
        ("config.json", {"model_type": "bert", "num_hidden_layers": 1 << 53}, "500 layers"),
        ("config.json", {"text_config": [{"n_layer": 501}]}, "500 layers"),
        ("0_Transformer/config.json", {"num_hidden_layers": 501}, "500 layers"),
        ("modules.json", [{"idx": 0, "name": "0", "path": "", "type": "x"}] * 51, "50 modules"),
    ],
)
def test_folders_that_ask_for_an_endless_model_are_refused(
    tmp_path: Path, name: str, settings: object, limit: str, kind: str
) -> None:
    """A config.json of a few bytes made the library create layers until memory ran out."""
    (tmp_path / "0_Transformer").mkdir()
    (tmp_path / name).write_text(json.dumps(settings))
    with pytest.raises(ModelError, match=mentions(f"{name}: ... {limit}. Get the model again")):
        load_model(f"{kind}:{tmp_path}")


@pytest.mark.needs("sentence_transformers")
@pytest.mark.parametrize("place", [".2_Dense", "../2_Dense", "a/.hidden/b", "/2_Dense"])
@pytest.mark.parametrize("name", ["modules.json", "0_Transformer/router_config.json"])
def test_modules_outside_of_the_fingerprint_are_refused(tmp_path: Path, name: str, place: str) -> None:
    """Two models that differed only in a hidden folder had the same fingerprint, and shared embeddings."""
    (tmp_path / "0_Transformer").mkdir()
    (tmp_path / name).write_text(json.dumps([{"idx": 0, "path": "0_Transformer"}, {"idx": 1, "path": place}]))
    with pytest.raises(ModelError, match=mentions(f"{name}: ... '{place}', ... hidden or outside")):
        load_model(f"sentence-transformers:{tmp_path}")


@pytest.mark.needs("sentence_transformers")
def test_the_deepest_model_that_is_loaded(tiny_model: Path, tmp_path: Path) -> None:
    """500 layers are allowed: the error is that the checkpoint has only two layers."""
    folder = Path(shutil.copytree(tiny_model, tmp_path / "deep"))
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"num_hidden_layers": 500}))
    with pytest.raises(ModelError, match=mentions("deep: ... missing tensors ( ... complete model")):
        load_model(str(folder))


def test_whatever_a_loader_raises_names_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries check few of the files of a model, and can raise any error."""

    def fail(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("harness.models.kinds.baselines.OneHot", fail)
    with pytest.raises(ModelError, match=mentions("one-hot: ... (RecursionError: too deep) ... --verbose")):
        load_model("one-hot")


def test_pipes_are_refused(tmp_path: Path) -> None:
    """The program waited for a pipe, or for a pipe in the folder of a model."""
    (tmp_path / "modules.json").write_text("[]")
    os.mkfifo(tmp_path / "pipe")
    for spec in (tmp_path / "pipe", f"vectors:{tmp_path}/pipe", tmp_path):
        with pytest.raises(InputError, match=mentions("pipe: ... pipe ... content")):
            load_model(str(spec))


def test_names() -> None:
    assert short_name("/home/me/runs/best/") == "runs/best"
    assert short_name("sentence-transformers/all-MiniLM-L6-v2") == "sentence-transformers/all-MiniLM-L6-v2"
    assert short_name("../x") == "x"
    assert slug("org/my model: v1.5") == "org-my-model-v1.5"
    assert slug("../..") == "model"
    assert slug("..\\..\\x") == "x"
    assert "/" not in slug("a/../b")
    assert slug("org/x (truncate_dim=128)") == "org-x-truncate_dim-128"
    long = name_variant("x" * 300, {"prompt": "y" * 300, "prompt_name": "z" * 300, "revision": "0" * 40, "a": "b" * 99})
    assert len(long) == 200
    folders = [slug(f"{'x' * 100}{end}") for end in "ab"]
    assert [len(folder) for folder in folders] == [80, 80]
    assert folders[0] != folders[1]


def test_one_hot_counts_words() -> None:
    vectors = encode("one-hot", ["The storm, the STORM", "storm's"])
    assert sorted(vectors[0].tolist()) == [0.0, 2.0, 2.0]
    assert vectors[1].sum() == 2.0  # storm and 's


@pytest.mark.parametrize(
    "texts", [["b a b c", "", "d a", "c a a"], ["", "."], ["One"] * 3], ids=["some", "none", "same"]
)
def test_one_hot_is_the_matrix_of_scikit_learn(texts: list[str]) -> None:
    """With the same order of entries, so that no sum of products differs in its last bit."""
    words_of = in_lower_case(split_words)
    matrix = OneHot(words_of).encode(texts)
    expected = csr_matrix((len(texts), 1), dtype=np.int32)
    if any(map(words_of, texts)):
        expected = CountVectorizer(analyzer=words_of, dtype=np.int32).fit_transform(texts)
    assert (matrix.shape, matrix.dtype) == (expected.shape, expected.dtype)
    for part in ("data", "indices", "indptr"):
        assert getattr(matrix, part).tolist() == getattr(expected, part).tolist()


@pytest.mark.needs("spacy")
def test_one_hot_by_the_papers_tokenizer() -> None:
    assert load_tokenizer("spacy")("Turkey's well-known, 7.4%") == ["Turkey", "'s", "well", "known", "7.4"]
    assert encode("one-hot,tokenizer=spacy", ["Nobody can't"]).sum() == 3.0


def test_texts_without_words_have_zero_vectors() -> None:
    for spec in ("one-hot", "tf-idf", "char-ngrams"):
        assert encode(spec, ["", ""]).tolist() == [[0.0], [0.0]]
        assert not encode(spec, ["word", ""])[1].any()


def test_random_vectors_belong_to_their_text() -> None:
    vectors = encode("random")
    assert vectors.shape == (5, 300)
    assert vectors[1].tolist() == encode("random", ["a"])[0].tolist()
    assert encode("random", ["a"])[0, :3].tolist() == RANDOM_A
    unit = normalize(encode("random", [str(number) for number in range(200)]))
    cosines = (unit @ unit.T)[np.triu_indices(200, 1)]
    assert abs(cosines.mean()) < 0.005
    assert cosines.std() == pytest.approx(1 / 300**0.5, rel=0.05)


# The first six bytes of SHAKE-256 of "a", 86 7e 2c b0 4f 5a, as little-endian numbers minus 32767.5.
RANDOM_A = [-377.5, 12332.5, -9648.5]


def test_shortcuts() -> None:
    assert SHORTCUTS == ("length", "overlap", "options-only", "frequency")
    pairs = [("One two three", "two three four five"), ("a", "b")]
    assert load_model("length").scorer.score(pairs).tolist() == [-7.0, -2.0]
    assert load_model("overlap").scorer.score(pairs).tolist() == [2.0, 0.0]
    assert load_model("constant").scorer.score(pairs).tolist() == [0.0, 0.0]
    options = load_model("options-only").scorer.score_options([["a b", "a b", "a c", "d e"], ["x", "x", "x", "x"]])
    assert options[0] == pytest.approx([0.5, 0.5, 1 / 3, 0.0])
    assert options[1] == pytest.approx([1.0] * 4)


def test_one_option_has_no_others() -> None:
    assert load_model("options-only").scorer.score_options([["a"]]).tolist() == [[0.0]]


@pytest.mark.parametrize("form", ["object", "folder", "spec"])
def test_real_encoders_agree_with_their_library(minilm: Path, form: str) -> None:
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(minilm), device="cpu")
    specs = {"folder": str(minilm), "spec": f"sentence-transformers:{minilm}"}
    model = describe_object(library) if form == "object" else load_model(specs[form])
    assert model.parameters == 22_713_216
    assert encode_all(model.scorer, TEXTS) == pytest.approx(library.encode(TEXTS), abs=1e-6)


def test_every_module_prompt_and_cut_is_the_librarys(tiny_model: Path) -> None:
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(tiny_model), device="cpu")
    expected = {
        "": library.encode(TEXTS),
        ",prompt_name=query": library.encode(TEXTS, prompt_name="query"),
        ",prompt=abc ": library.encode(TEXTS, prompt="abc "),
        ",truncate_dim=4": library.encode(TEXTS, truncate_dim=4),
        ",batch_size=2": library.encode(TEXTS),
        ",device=cpu": library.encode(TEXTS),
    }
    library.max_seq_length = 5
    expected[",max_seq_length=5"] = library.encode(TEXTS)
    for options, vectors in expected.items():
        model = load_model(f"{tiny_model}{options}")
        assert encode_all(model.scorer, TEXTS) == pytest.approx(vectors, abs=1e-6), options


def test_batches_have_texts_of_one_length_and_do_not_depend_on_order(tiny_model: Path) -> None:
    scorer = load_model(f"{tiny_model},batch_size=3").scorer
    texts = [letter * count for letter in "abcdefg" for count in (1, 2, 3)]
    assert isinstance(scorer, SentenceEncoder)
    lengths = scorer.prepare(texts)[0]
    batches = [[texts[index] for index in batch] for batch in scorer.plan_batches(texts, lengths)]
    assert [len(batch) for batch in batches] == [3, 3, 1] * 3
    assert [len(batch[0]) for batch in batches] == [3, 3, 3, 2, 2, 2, 1, 1, 1]
    back = texts[::-1]
    assert [[back[index] for index in batch] for batch in scorer.plan_batches(back, lengths[::-1])] == batches


def test_several_processes(tiny_model: Path) -> None:
    model = load_model(f"{tiny_model},device=cpu+cpu")
    (batch,) = model.scorer.plan_batches(TEXTS, model.scorer.prepare(TEXTS)[0])
    assert sorted(batch) == [0, 1, 2, 3, 4]
    assert model.device == "cpu+cpu"
    assert model.scorer.encode(TEXTS) == pytest.approx(load_model(str(tiny_model)).scorer.encode(TEXTS), abs=1e-6)


def test_several_batches_at_a_time(tiny_model: Path) -> None:
    import torch
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(tiny_model), device="cpu")
    texts = [letter * count for letter in "abcdefghij" for count in range(1, 30)]
    threads = torch.get_num_threads()
    for workers in (1, 2, 5):
        encoder = SentenceEncoder(library, batch_size=4, workers=workers)
        assert encode_all(encoder, texts) == pytest.approx(library.encode(texts), abs=1e-6)
        assert torch.get_num_threads() == threads


@pytest.mark.needs("sentence_transformers")
def test_a_plain_encoder_is_pooled(tmp_path: Path) -> None:
    folder = save_tiny_encoder(tmp_path / "plain")
    assert parse_spec(str(folder)).kind.name == "sentence-transformers"
    assert encode(str(folder)).shape == (5, 16)


def change_tensors(folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Change the checkpoint of a model."""
    from safetensors.torch import load_file, save_file

    path = folder / "model.safetensors"
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path, {"format": "pt"})
    return folder


@pytest.mark.needs("sentence_transformers")
def test_checkpoints_with_a_missing_tensor(tmp_path: Path) -> None:
    """The library initializes missing tensors at random with only a log message, so scores differed in each run."""
    key = "encoder.layer.0.attention.self.query.weight"
    folder = change_tensors(save_tiny_encoder(tmp_path / "less"), lambda tensors: tensors.pop(key))
    with pytest.raises(ModelError, match=mentions(f"less: ... missing tensors (1, first: {key})")):
        load_model(str(folder))
    folder = change_tensors(save_tiny_encoder(tmp_path / "other"), lambda tensors: tensors.update(x=tensors.pop(key)))
    with pytest.raises(ModelError, match=mentions(f"first: {key} ... complete")):
        load_model(f"{folder},dtype=bfloat16")
    folder = change_tensors(
        save_tiny_encoder(tmp_path / "all"), lambda tensors: [tensors.pop(k) for k in [*tensors][1:]]
    )
    with pytest.raises(
        ModelError, match=mentions("all: ... missing tensors ( ... first: embeddings ... complete model")
    ):
        load_model(str(folder))


@pytest.mark.needs("sentence_transformers")
def test_tensors_of_layers_that_are_not_declared(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """The library leaves out these layers, and printed the names of their tensors as they are in the file."""
    folder = change_tensors(
        save_tiny_encoder(tmp_path / "more"),
        lambda tensors: tensors.update({"encoder.layer.7.\x1b[2J": tensors["embeddings.LayerNorm.bias"].clone()}),
    )
    assert load_model(str(folder)).kind == "sentence-transformers"
    assert "\x1b" not in capfd.readouterr().err
    assert re.search(mentions(r"more: ... 1 ... encoder.layer.7.\x1b[2J ... config.json"), caplog.text)
    caplog.clear()
    config = json.loads((folder / "config.json").read_text()) | {"num_hidden_layers": 1}
    (folder / "config.json").write_text(json.dumps(config))
    load_model(str(folder))
    assert re.search(mentions("17 ... encoder.layer.1.attention ... config.json"), caplog.text)  # 16 per layer of BERT
    (folder / "config.json").write_text(json.dumps(config | {"intermediate_size": 10**9}))
    with pytest.raises(ModelError, match=mentions("more: ... config.json ... again")):
        load_model(str(folder))


@pytest.mark.needs("sentence_transformers")
@pytest.mark.parametrize("dimension", [0, -3])
def test_a_configuration_that_removes_values(tmp_path: Path, tiny_model: Path, dimension: int) -> None:
    """A negative dimension removed the last values of all vectors."""
    path = shutil.copytree(tiny_model, tmp_path / "less") / "config_sentence_transformers.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"truncate_dim": dimension}))
    with pytest.raises(ModelError, match=mentions(f"{path.name} ... {dimension} ... truncate_dim=128")):
        load_model(str(path.parent))


@pytest.mark.needs("sentence_transformers")
def test_an_unused_pooler_may_be_missing(tmp_path: Path) -> None:
    """Vectors are means of the last layer. A cross-encoder of BERT uses the pooler, so the pooler must be complete."""
    from transformers import PreTrainedModel

    def drop_pooler(tensors: dict[str, Any]) -> None:
        for name in [name for name in tensors if "pooler" in name]:
            del tensors[name]

    original = PreTrainedModel.__dict__["from_pretrained"]
    whole = encode(str(save_tiny_encoder(tmp_path / "whole")))
    assert encode(str(change_tensors(save_tiny_encoder(tmp_path / "less"), drop_pooler))) == pytest.approx(whole)
    cross = change_tensors(save_tiny_encoder(tmp_path / "cross", labels=1), drop_pooler)
    with pytest.raises(
        ModelError, match=mentions("cross: ... tensors (2, first: bert.pooler.dense.bias) ... complete")
    ):
        load_model(str(cross))
    assert PreTrainedModel.__dict__["from_pretrained"] is original


@pytest.mark.needs("sentence_transformers")
def test_a_static_model_of_sentence_transformers(tmp_path: Path) -> None:
    """Its tokenizer is not from `transformers`: lengths are estimated, and the library computes the vectors."""
    from sentence_transformers import SentenceTransformer

    folder = save_static_model(tmp_path / "static")
    scorer = load_model(str(folder)).scorer
    assert encode_all(scorer, TEXTS) == pytest.approx(
        SentenceTransformer(str(folder), device="cpu").encode(TEXTS), abs=1e-6
    )


@pytest.mark.needs("model2vec")
def test_model2vec(tmp_path: Path) -> None:
    import model2vec

    folder = save_model2vec(tmp_path / "potion")
    assert parse_spec(str(folder)).kind.name == "model2vec"
    assert encode(str(folder)) == pytest.approx(model2vec.StaticModel.from_pretrained(folder).encode(TEXTS))
    with pytest.raises(ModelError, match=mentions("cannot be loaded ( ... model2vec folder")):
        load_model(f"model2vec:{tmp_path}")


@pytest.mark.needs("model2vec")
def test_tensors_that_overlap(tmp_path: Path) -> None:
    """The library names one of the tensors at random, so the message differed in each run."""
    folder = save_model2vec(tmp_path / "potion")
    path = folder / "model.safetensors"
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header["weights"] = header["embeddings"]
    changed = json.dumps(header).encode()
    path.write_bytes(len(changed).to_bytes(8, "little") + changed + data[8 + size :])
    with pytest.raises(
        ModelError, match=mentions("potion: ... (Error while deserializing header: invalid offset) ... model2vec")
    ):
        load_model(str(folder))


@pytest.mark.needs("model2vec")
def test_a_vocabulary_that_gives_a_number_twice(tmp_path: Path) -> None:
    """The tokenizer kept one of the two words at random, so the fingerprint differed in each run."""
    folder = save_model2vec(tmp_path / "potion")
    path = folder / "tokenizer.json"
    tokenizer = json.loads(path.read_text())
    tokenizer["model"]["vocab"] |= {"[UNK]": 7, "b": 1}  # those of "g" and "a"
    path.write_text(json.dumps(tokenizer))
    with pytest.raises(ModelError, match=mentions("potion/tokenizer.json: ... id 1. Save")):
        load_model(str(folder))


@pytest.mark.needs("sentence_transformers")
def test_a_cross_encoder_scores_before_its_activation(tmp_path: Path) -> None:
    import torch
    from sentence_transformers import CrossEncoder

    folder = save_tiny_encoder(tmp_path / "cross", labels=1)
    assert parse_spec(str(folder)).kind.name == "cross-encoder"
    pairs = [("abc", "abd"), ("a", "zzz zz")]
    library = CrossEncoder(str(folder), device="cpu")
    expected = library.predict(pairs, activation_fn=torch.nn.Identity())
    library.save_pretrained(str(tmp_path / "saved"))  # with a modules.json, as encoders have
    for model in (load_model(str(folder)), load_model(str(tmp_path / "saved")), describe_object(library)):
        assert model.kind == "cross-encoder"
        assert model.scorer.score(pairs) == pytest.approx(expected, abs=1e-6)
    with pytest.raises(ModelError, match=mentions("cross,device=cpu+cpu: ... several devices. Use one")):
        load_model(f"{folder},device=cpu+cpu")
    with pytest.raises(ModelError, match=mentions("trained head ... sentence-transformers")):
        load_model(f"cross-encoder:{save_tiny_encoder(tmp_path / 'bare')}")
    with pytest.raises(
        ModelError, match=mentions("3 outputs (LABEL_0, LABEL_1, LABEL_2) ... entailment: ... ,label=NAME")
    ):
        load_model(str(save_tiny_encoder(tmp_path / "three", labels=3)))


@pytest.mark.needs("sentence_transformers")
def test_a_classifier_of_two_outputs_works_by_its_label(tmp_path: Path) -> None:
    """A classifier of duplicates is no cross-encoder with a single score. The remedy of the message works.

    The message named the last label as an example, which can be that of contradictions.
    """
    folder = save_entailment_model(tmp_path / "duplicates", ("different", "duplicate"))
    with pytest.raises(ModelError, match=mentions("duplicates: ... 2 outputs (different, duplicate) ... ,label=NAME")):
        load_model(str(folder))
    pairs = [("a", "b"), ("b", "c")]
    scorers: list[Any] = [load_model(f"entailment:{folder},label={name}").scorer for name in ("different", "duplicate")]
    assert scorers[0].score(pairs) + scorers[1].score(pairs) == pytest.approx([1.0, 1.0], abs=1e-6)


def test_dtypes(tiny_model: Path) -> None:
    half = load_model(f"{tiny_model},dtype=bfloat16")
    assert half.options["dtype"] == "bfloat16"
    vectors = half.scorer.encode(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(encode(str(tiny_model)), abs=0.05)
    assert half.fingerprint != load_model(str(tiny_model)).fingerprint
    with pytest.raises(ModelError, match=mentions("tiny,dtype=float16,backend=onnx: ... float16 ... float32")):
        load_model(f"{tiny_model},dtype=float16,backend=onnx")


def test_two_models_never_share_a_fingerprint(tiny_model: Path, tmp_path: Path) -> None:
    """Results of one unnamed local model were returned for another model, because both had the name `model`."""
    moved, changed = tmp_path / "a" / "tiny", tmp_path / "b" / "tiny"
    shutil.copytree(tiny_model, moved)
    shutil.copytree(tiny_model, changed)
    (moved / "README.md").write_text("Another card, the same model.")
    (moved / ".cache").mkdir()
    (moved / ".cache" / "x").write_text("hidden")
    config = changed / "config_sentence_transformers.json"
    config.write_text(config.read_text() + " ")
    linked = tmp_path / "linked"
    linked.mkdir()
    for path in tiny_model.iterdir():
        (linked / path.name).symlink_to(path)
    assert len(list(linked.iterdir())) > 5
    (linked / "loop").symlink_to(linked)
    assert hash_folder(linked) != hash_folder(tmp_path / "a")
    models = [load_model(str(folder)) for folder in (tiny_model, moved, changed)]
    assert models[0].fingerprint == models[1].fingerprint == load_model(f"{tiny_model},batch_size=7").fingerprint
    assert models[0].store_key == models[1].store_key
    assert models[2].fingerprint != models[0].fingerprint
    options = ("", ",truncate_dim=4", ",prompt=x", ",prompt=torch", ",max_seq_length=9", ",dtype=float16")
    assert len({load_model(f"{tiny_model}{option}").fingerprint for option in options}) == len(options)
    usual = f"{tiny_model},backend=torch,trust_remote_code=false,dtype=float32,name=x"
    assert load_model(usual).fingerprint == models[0].fingerprint


def test_fingerprints_of_objects_depend_on_their_parameters(tiny_model: Path) -> None:
    from sentence_transformers import SentenceTransformer

    first, second = (SentenceTransformer(str(tiny_model), device="cpu") for _ in range(2))
    assert describe_object(first).fingerprint == describe_object(second).fingerprint
    next(second.parameters()).data[0, 0] += 1
    assert describe_object(first).fingerprint != describe_object(second).fingerprint
    assert describe_object(first).store_key is None


def test_a_model_on_the_hub_is_known_by_its_commit(tiny_model: Path, tmp_path: Path, run_torch_fork: Run) -> None:
    """The layout of the Hub's cache, offline."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    home = tmp_path / "hub" / "models--org--tiny"
    shutil.copytree(tiny_model, home / "snapshots" / commit)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(commit)
    code = """
from harness.models.loading import load_model
from harness.models.neural.checkpoints import identify
from harness.models.specs import parse_spec
identities = [identify(parse_spec(name), None) for name in ("org/tiny", "org/other")]
print(load_model("org/tiny").store_key, *identities)
"""
    result = run_torch_fork(code, HF_HUB_CACHE=str(tmp_path / "hub"))
    assert result.returncode == 0, result.stderr
    key, identity, unknown = result.stdout.split()
    assert len(key) == 64
    assert (identity, unknown) == (f"org/tiny@{commit}", "None")
    assert "org/other: cannot be identified reliably, so its embeddings are not stored" in result.stderr


def test_models_that_cannot_be_loaded(tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match=mentions("neither config.json nor modules.json. ... saved model")):
        load_model(str(tmp_path))
    (tmp_path / "modules.json").write_text("[]")
    with pytest.raises(ModelError, match=mentions("cannot be loaded ( ... name on the Hub")):
        load_model(str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match=mentions("tiny,prompt_name=ask ... 'ask' ... document, query")):
        load_model(f"{tiny_model},prompt_name=ask")


def test_vectors_are_not_truncated_beyond_their_dimension(tiny_model: Path) -> None:
    """A truncate_dim above the dimension was accepted and had no effect."""
    assert load_model(f"{tiny_model},truncate_dim=8").scorer.encode(TEXTS).shape == (5, 8)
    with pytest.raises(
        ModelError,
        match=mentions("tiny,truncate_dim=9: truncate_dim ... 8 dimensions ... Lower"),
    ):
        load_model(f"{tiny_model},truncate_dim=9")


def test_an_empty_prompt_is_said_and_used(tiny_model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "empty"
    shutil.copytree(tiny_model, folder)
    config = folder / "config_sentence_transformers.json"
    config.write_text(config.read_text().replace('"ask: "', '""'))
    vectors = encode(f"{folder},prompt_name=query")
    spec = f"sentence-transformers:{tmp_path.name}/empty,prompt_name=query"
    assert caplog.messages == [f"{spec}: the prompt 'query' of this model is empty and has no effect"]
    encode(f"{folder},prompt_name=document")
    assert len(caplog.messages) == 1
    assert vectors == pytest.approx(encode(str(tiny_model)))  # it says that it uses no prompt


def test_unavailable_devices(tiny_model: Path) -> None:
    require_devices("cpu+cpu")
    for device in ("cuda:99", "nonsense", "cpu+cuda:99", "nn"):
        message = f"device {device.split('+')[-1]} ... devices: cpu"
        with pytest.raises(OptionError, match=mentions(message)):
            load_model(f"{tiny_model},device={device}")
    with pytest.raises(OptionError, match=mentions("device cuda:99 ... devices:")):
        load_model(str(tiny_model), {"device": "cuda:99"})


def test_code_in_a_models_folder_is_not_run(tiny_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "evil"
    shutil.copytree(tiny_model, folder)
    (folder / "evil.py").write_text(f"import pathlib; pathlib.Path({str(tmp_path / 'ran')!r}).touch()\nclass M: ...")
    modules = (folder / "modules.json").read_text()
    (folder / "modules.json").write_text(modules.replace(modules.split('"type": "')[-1].split('"')[0], "evil.M"))
    with pytest.raises(ModelError, match=mentions("evil: ... its own code. ... ,trust_remote_code=true")):
        load_model(str(folder))
    assert not (tmp_path / "ran").exists()


@pytest.mark.needs("torch")
@pytest.mark.needs("transformers")
def test_the_remedy_for_own_code_is_not_repeated() -> None:
    """With the option, an error that names it has another cause, which is shown."""

    def make(name: str, **settings: object) -> None:
        raise TypeError("M() got an unexpected argument trust_remote_code")

    settings = {"local_files_only": False, "trust_remote_code": True}
    with pytest.raises(ModelError, match=mentions("org/x: cannot be loaded (M() got an unexpected argument")):
        load_checkpoint(make, "org/x", "float32", settings)
    with pytest.raises(ModelError, match=mentions("org/x: ... its own code. ... ,trust_remote_code=true")):
        load_checkpoint(make, "org/x", "float32", settings | {"trust_remote_code": False})


@pytest.mark.usefixtures("with_pip")
def test_what_is_missing_can_be_installed(monkeypatch: pytest.MonkeyPatch, tiny_model: Path) -> None:
    for package, extra, spec in (
        ("sentence_transformers", "neural", str(tiny_model)),
        ("model2vec", "model2vec", "model2vec:x"),
        ("spacy", "spacy", "one-hot,tokenizer=spacy"),
    ):
        monkeypatch.setitem(sys.modules, package, None)
        name = package.replace("_", "-")
        message = f"{name} ... pip install 'pyramid-paraphrase[{extra}]'"
        with pytest.raises(MissingExtraError, match=mentions(message)):
            load_model(spec)


def test_objects() -> None:
    class Both:
        def encode(self, texts: list[str]) -> list[list[float]]:
            return [[1.0] for _ in texts]

    assert describe_object(Both()).name == "Both"
    with pytest.raises(ModelError, match=mentions("batch_size ... sentence-transformers ... Omit")):
        describe_object(Both(), batch_size=3)
    with pytest.raises(ModelError, match=mentions("int ... encode(texts), score(pairs), ... Pass")):
        describe_object(3)


@pytest.mark.parametrize("options", ["", ",truncate_dim=4,prompt_name=query,batch_size=2", ",similarity=dot"])
def test_the_fingerprint_of_a_folder_follows_from_a_result(tiny_model: Path, options: str) -> None:
    model = load_model(f"{tiny_model}{options}")
    found = checkpoints.find_fingerprint(tiny_model, model.kind, model.options)
    assert found == (None if "similarity" in options else model.fingerprint)


def test_a_model_that_changes_while_it_is_loaded(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashes = iter(["a" * 64, "b" * 64])
    monkeypatch.setattr(checkpoints, "hash_folder", lambda _: next(hashes))
    with pytest.raises(ModelError, match=mentions("tiny: ... while ... Evaluate")):
        load_model(str(tiny_model))


def test_the_folder_does_not_identify_an_adapter(
    tiny_model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "adapter_config.json").write_text("{}")
    assert hash_local(str(tmp_path)) is None
    adapter = parse_spec(f"sentence-transformers:{tmp_path}")
    assert identify(adapter, None) is None
    trusted = parse_spec(f"{tiny_model},trust_remote_code=true")
    assert identify(trusted, hash_local(str(tiny_model))) is None
    assert caplog.text.count("cannot be identified reliably, so its embeddings are not stored") == 2


def test_baselines_have_one_identity_however_they_are_named() -> None:
    assert load_model("one-hot").fingerprint == load_model("one-hot,tokenizer=own").fingerprint
    assert load_model("one-hot").fingerprint != load_model("length").fingerprint


def test_unknown_tokenizer() -> None:
    with pytest.raises(OptionError, match=mentions("tokenizer 'x'. ... own, spacy")):
        load_tokenizer("x")
