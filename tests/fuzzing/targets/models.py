"""Models: files of word vectors, ONNX files, and folders that libraries wrote."""

from __future__ import annotations

import bz2
import contextlib
import importlib
import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path

from helpers.annotations import FLOOD, FLOOD_SCUS, FLOOD_SCUS_OF_SECOND, PYRAMID, pyramid_file
from helpers.fasttext_files import make_fasttext
from helpers.pair_tables import PAIR_TABLES
from helpers.tiny_models import (
    make_onnx_model,
    save_entailment_model,
    save_model2vec,
    save_tiny_encoder,
    save_tiny_model,
)

from fuzzing.cases import Case, read_case
from fuzzing.chance import Chance
from fuzzing.mutations.lines import mutate_table
from fuzzing.mutations.markup import mutate_markup
from fuzzing.mutations.packing import compress, mutate_archive, mutate_compressed, pack_zip
from fuzzing.mutations.values import mutate_json
from fuzzing.mutations.vectors import mutate_binary_words, mutate_header_of_words, mutate_safetensors
from fuzzing.target import Arguments, Target
from harness.evaluation.embedding import embed_texts
from harness.evaluation.people.pyramids import read_markings
from harness.evaluation.people.report import report_agreement
from harness.evaluation.sweeps.plans import read_plan
from harness.models.files.vector_files import FORMATS, read_word_vectors
from harness.models.interfaces.model import Ability
from harness.models.loading import load_model
from harness.models.specs import parse_spec

_ROWS = {"a": (0.5, -0.25), "the": (1.0, 2.0), "mill": (0.125, 3.0), "caf\u00e9": (1e-3, -1.0), ",": (0.0, 1.0)}
_WANTED = [*_ROWS, "at 7", "", "missing", "\ud800"]
_TEXTS = ["a mill", "the old mill burned down", ""]
_LARGEST_MODEL_FILE = 1 << 16


def _make_vectors() -> Sequence[Case]:
    lines = [f"{word} {' '.join(map(str, values))}\n" for word, values in _ROWS.items()]
    glove = "".join(lines).encode()
    text = b"5 2\n" + glove
    binary = b"5 2\n" + b"".join(
        word.encode() + b" " + struct.pack("<2f", *values) + b"\n" for word, values in _ROWS.items()
    )
    files = {"v.vec": text, "v.txt": glove, "v.bin": binary, "v.gz": compress(text), "v.bz2": bz2.compress(glove)}
    cases = [Case({name: data}, ("auto",)) for name, data in files.items()]
    return [
        *cases,
        Case({"v.bin": make_fasttext()}, ("auto",)),
        Case({"v.bin": binary}, ("word2vec-binary",)),
        Case({"v.zip": pack_zip({"v.vec": text})}, ("auto",)),
    ]


def read_words(folder: Path, arguments: Arguments) -> object:
    """Read the vectors of some words."""
    path = next(iter(sorted(folder.iterdir())), folder / "v.vec")
    return read_word_vectors(path, _WANTED, format="".join(arguments))


def _change_format(arguments: Arguments, chance: Chance) -> Arguments:
    return (chance.choice(("auto", *FORMATS)),)


def _mutate_words(data: bytes, chance: Chance) -> bytes:
    return (mutate_header_of_words if chance.happens(0.3) else mutate_table(" "))(data, chance)


def _make_annotators() -> Sequence[Case]:
    pyramids = (PYRAMID, pyramid_file(FLOOD, FLOOD_SCUS_OF_SECOND))
    return [Case({"second.pyr": data}) for data in pyramids]


def ask_person(folder: Path, arguments: Arguments) -> object:
    """Compare texts by a pyramid, as the model of a person does."""
    del arguments
    model = load_model(f"annotator:{next(iter(sorted(folder.iterdir())), folder / 'second.pyr')}")
    texts = [*_TEXTS, *(part for scu in FLOOD_SCUS.values() for _, parts in scu for part in parts)]
    vectors, *_ = embed_texts(model, texts, store=None, resume=False, describe=str)
    return model.fingerprint, vectors.toarray().round(6), model.find_coverage and model.find_coverage()


def _make_predictions() -> Sequence[Case]:
    pairs, units = "sentence1,sentence2,score\n", "unit\tsummary\tscore\n"
    published, text = PAIR_TABLES["paraphrasus-nli"]
    return [
        Case({published: text.encode()}, ("A model (zero-shot)",)),
        Case({"p.csv": (pairs + "".join(f"{text},{text},0.5\n" for text in _TEXTS)).encode()}, ("score",)),
        Case({"p.tsv": (units + "".join(f"{text}\t{text}\t1\n" for text in _TEXTS)).encode()}, ("score",)),
    ]


def look_up(folder: Path, arguments: Arguments) -> object:
    """Look up texts in a file of predictions."""
    path = next(iter(sorted(folder.iterdir())), folder / "p.csv")
    model = load_model(f"predictions:{path},column={arguments[0]}")
    if hasattr(model.scorer, "score_summaries"):
        scores = model.scorer.score_summaries(list(_TEXTS), [[text] for text in _TEXTS])
    else:
        scores = model.scorer.score([(text, text) for text in _TEXTS])
    return model.fingerprint, model.cutoff, scores.values.tolist()


def _make_segments() -> Sequence[Case]:
    texts = [*_TEXTS, *(part for scu in FLOOD_SCUS.values() for _, parts in scu for part in parts)]
    lines = "".join(f"SCU\t{number // 2}\t2\t{text}\n" for number, text in enumerate(texts))
    return [Case({"a.pyr": pyramid_file(FLOOD, FLOOD_SCUS), "units.pyr": lines.encode()})]


def compare_people(folder: Path, arguments: Arguments) -> object:
    """Compare the pyramid of a person with one of PyrEval, whose segments are located."""
    del arguments
    groups, notes = read_markings([str(path) for path in sorted(folder.iterdir())])
    return report_agreement(groups, notes).record, notes


def _make_folders() -> Sequence[Case]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folders = (
            save_tiny_model(folder / "tiny"),
            save_tiny_encoder(folder / "pair", labels=1),
            save_entailment_model(folder / "entailment"),
        )
        cases = [read_case(saved) for saved in folders]
    return [_keep_small(case) for case in cases]


def _make_model2vec() -> Sequence[Case]:
    with tempfile.TemporaryDirectory() as name:
        return [_keep_small(read_case(save_model2vec(Path(name) / "m")))]


def _make_onnx() -> Sequence[Case]:
    return [Case({"m.onnx": make_onnx_model().SerializeToString()})]


def load_onnx(folder: Path, arguments: Arguments) -> object:
    """Load an ONNX file, and encode texts."""
    del arguments
    model = load_model(f"onnx:{next(iter(sorted(folder.iterdir())), folder / 'm.onnx')}")
    vectors, *_ = embed_texts(model, _TEXTS, store=None, resume=False, describe=str)
    return model.fingerprint, model.parameters, vectors.round(3)


def _keep_small(case: Case) -> Case:
    """Put the files into a folder, without the card, which is not part of a model."""
    files = {name: data for name, data in case.plain_files().items() if not name.endswith(".md")}
    return Case({f"model/{name}": data for name, data in files.items() if len(data) < _LARGEST_MODEL_FILE})


def load_folder(folder: Path, arguments: Arguments) -> object:
    """Load the model of a folder with its fingerprint, and encode texts."""
    del arguments
    with contextlib.suppress(ImportError):  # a changed folder may need it, and importing it takes seconds
        importlib.import_module("sentence_transformers")
    model = load_model(str(folder / "model"))
    vectors = None
    if Ability.SCORE_PAIRS not in model.abilities:
        vectors, *_ = embed_texts(model, _TEXTS, store=None, resume=False, describe=str)
        vectors = vectors.round(3)
    return model.kind, model.name, model.fingerprint, model.parameters, vectors


def _make_specs() -> Sequence[Case]:
    specs = (
        *("one-hot", "wtmf,dimension=50,iterations=10", "vectors:v.vec,case=exact,format=auto", "options-only"),
        "sentence-transformers:model,truncate_dim=128,prompt=query: ,max_seq_length=48,batch_size=8,device=cpu",
        *("cross-encoder:org/name,dtype=float16,backend=torch,revision=main", "model2vec:x,name=a b"),
        *("entailment:org/name,direction=mean,label=LABEL_0", "judge:org/name,answer=text,prompt_file=prompt.txt"),
    )
    return [Case({}, (spec,)) for spec in specs]


def _change_spec(arguments: Arguments, chance: Chance) -> Arguments:
    """Change a text between the marks of a spec."""
    mark = chance.choice((",", "=", ":"))
    pieces = "".join(arguments).split(mark)
    at = chance.randrange(len(pieces))
    pieces[at] = chance.choice((chance.number(), chance.text(), pieces[at] + chance.text(), pieces[-1]))
    return (mark.join(pieces),)


def parse_name(folder: Path, arguments: Arguments) -> object:
    """Parse the name of a model with its options."""
    del folder
    return parse_spec("".join(arguments))._replace(kind=None)  # type: ignore[arg-type]


def _make_plans() -> Sequence[Case]:
    text = b"# models\none-hot\ntf-idf,tokenizer=spacy\n"
    listed = b"- one-hot\n- model: [a/b, c/d]\n  truncate_dim: [64, 128]\n  prompt: 'query: '\n"
    return [Case({"models.txt": text}), Case({"models.yaml": listed})]


def read_models(folder: Path, arguments: Arguments) -> object:
    """Read the file that lists the models of a sweep."""
    del arguments
    return read_plan(next(folder.iterdir(), folder / "models.txt"))


_MODEL = (
    ("*.safetensors", mutate_safetensors),
    ("*.json", mutate_json),
    ("*vocab.txt", mutate_table(" ")),
)

TARGETS = (
    Target(
        "word-vectors",
        read_words,
        _make_vectors,
        (
            ("*.vec", _mutate_words),
            ("*.txt", _mutate_words),
            ("*.bin", mutate_binary_words),
            ("*.gz", mutate_compressed(_mutate_words)),
            ("*.zip", mutate_archive(_mutate_words)),
        ),
        change_arguments=_change_format,
    ),
    Target("annotator", ask_person, _make_annotators, (("*.pyr", mutate_markup),)),
    Target("predictions", look_up, _make_predictions, (("*.csv", mutate_table(",")), ("*.tsv", mutate_table("\t")))),
    Target("segments", compare_people, _make_segments, (("a.pyr", mutate_markup), ("*.pyr", mutate_table("\t")))),
    Target("model-spec", parse_name, _make_specs, change_arguments=_change_spec, has_tree=False),
    Target("plan", read_models, _make_plans, (("*.txt", mutate_table(",")), ("*.yaml", mutate_table(":")))),
    Target("model-folder", load_folder, _make_folders, _MODEL, needs=("sentence_transformers",), seconds=5.0),
    Target("model2vec-folder", load_folder, _make_model2vec, _MODEL, needs=("model2vec",), seconds=5.0),
    Target("onnx-file", load_onnx, _make_onnx, needs=("onnx", "onnxruntime_extensions"), seconds=5.0),
)
