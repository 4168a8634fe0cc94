"""Tables of pairs in the exact forms of published corpora. All sentences were written for this project.

Only the files of PARAPHRASUS were at hand. The other forms follow the descriptions and the readers of their releases.
"""

from __future__ import annotations

import json
from pathlib import Path

_A, _B, _C = "The old mill closed.", 'They shut "the" mill.', "A heron flew by."


def _join(*rows: tuple[str, ...]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


def _write_objects(*rows: dict[str, object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


_PAWS = ("id", "sentence1", "sentence2", "label")
_QQP = ("id", "qid1", "qid2", "question1", "question2", "is_duplicate")
_MRPC = ("\ufeffQuality", "#1 ID", "#2 ID", "#1 String", "#2 String")
_SICK = ("pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment")
_SICK_FULL = ("pair_ID", "sentence_A", "sentence_B", "entailment_label", "relatedness_score", "entailment_AB")
_GLUE_STS = ("index", "genre", "filename", "year", "old_index", "source1", "source2", "sentence1", "sentence2", "score")
_PARAPHRASUS = ("id", "data set", "lang", "sentence1", "sentence2", "score", "A model (zero-shot)")
_ONESTOP = ("Unnamed: 0", "OriginalID", "SourceLevel", "TargetLevel", "sentence1", "sentence2", "label", "A model")
_NLI = ("gold_label", "sentence1_parse", "sentence1", "sentence2", "pairID", "genre", "label1", "label2")
_QUOTED_B = f'"{_B}"'.replace('"the"', '""the""')

PAIR_TABLES: dict[str, tuple[str, str]] = {
    "paws": ("test.tsv", _join(_PAWS, ("1", _A, _B, "1"), ("2", _A, _C, "0"))),
    "paws-qqp": (
        "dev_and_test.tsv",
        _join(_PAWS, ("1", f"b'{_A}'", f"b'{_B}'", "1"), ("2", f'b"{_A}"', f"b'{_C}'", "0")),
    ),
    "quora": (
        "quora_duplicate_questions.tsv",
        _join(
            _QQP,
            ("0", "1", "2", _A, _QUOTED_B, "1"),
            ("1", "1", "3", _A, "", "0"),
            ("2", "1", "4", _A, f'"{_C[:1]}\n{_C[2:]}"', "0"),
        ),
    ),
    "qqp-glue": ("dev.tsv", _join(_QQP, ("0", "1", "2", _A, _B, "1"), ("1", "2", _A), ("2", "1", "4", _A, _C, "0"))),
    "mrpc-glue": ("dev.tsv", _join(_MRPC, ("1", "1", "2", _A, _B), ("0", "1", "3", _A, _C))),
    "sick": ("SICK_test_annotated.txt", _join(_SICK, ("1", _A, _B, "4.5", "NEUTRAL"), ("2", _A, _C, "1", "NEUTRAL"))),
    "sick-full": (
        "SICK.txt",
        _join(_SICK_FULL, ("1", _A, _B, "NEUTRAL", "4.5", "x"), ("2", _A, _C, "NEUTRAL", "1", "x")),
    ),
    "sts-glue": (
        "dev.tsv",
        _join(_GLUE_STS, (*map(str, range(7)), _A, _B, "4.500"), (*map(str, range(7)), _A, _C, "1.000")),
    ),
    "sts": (
        "sts-test.csv",
        _join(
            ("main-news", "headlines", "2015", "0003", "4.500", _A, _B),
            ("main-news", "headlines", "2015", "0004", "1.000", _A, _C, "source", "source"),
        ),
    ),
    "snli": (
        "snli_1.0_dev.jsonl",
        _write_objects(
            {"annotator_labels": ["neutral"], "gold_label": "-", "sentence1": _A, "sentence2": _B},
            {"annotator_labels": ["neutral"], "gold_label": "neutral", "sentence1": _A, "sentence2": _C},
        ),
    ),
    "multinli": (
        "multinli_1.0_dev_matched.txt",
        _join(
            _NLI, ("entailment", "x", _A, _B, "1", "fiction", "a", "b"), ("neutral", "x", _A, _C, "2", "fiction", "a")
        ),
    ),
    "anli": (
        "dev.jsonl",
        _write_objects(
            {"uid": "1", "context": _A, "hypothesis": _B, "label": "e", "reason": ""},
            {"uid": "2", "context": _A, "hypothesis": _C, "label": "c", "reason": ""},
        ),
    ),
    "twitter": (
        "Twitter_URL_Corpus_test.txt",
        _join((_A, _B, "(4, 6)", "https://example.org/1"), (_A, _C, "(2, 6)", "https://example.org/1")),
    ),
    "paraphrasus-nli": (
        "stannlp-snli-pre-hyp.tsv",
        _join(_PARAPHRASUS, ("a/1", "a/snli", "en", _A, _B, "1", "1"), ("a/2", "a/snli", "en", _A, _C, "-1", "0")),
    ),
    "paraphrasus-graded": (
        "sickr-sts.tsv",
        _join(
            _PARAPHRASUS,
            ("a/1", "a/sick-sts", "en", _A, _B, "4.5", "1"),
            ("a/2", "a/sick-sts", "en", _A, _C, "1.0", "-100"),
        ),
    ),
    "onestop": (
        "onestop_parallel_all_pairs.tsv",
        _join(_ONESTOP, ("0", "1", "ADV", "ELE", _A, _B, "1", "1"), ("2", "2", "ADV", "ELE", _A, _C, "0", "0")),
    ),
}
"""Name and content of a file in each form. All have the same two pairs of sentences, a better and a worse one."""


def write_tables(folder: Path, *forms: str) -> None:
    """Write tables of some forms, under their usual names."""
    for name, text in map(PAIR_TABLES.__getitem__, forms):
        (folder / name).write_text(text, encoding="utf-8")
