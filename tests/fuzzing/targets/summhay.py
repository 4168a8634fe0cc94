"""Summary of a Haystack: files alone, compressed and in archives, as annotations and as scores."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

from helpers.summhay import make_entries

from fuzzing.cases import Case
from fuzzing.mutations.packing import compress, mutate_archive, mutate_compressed, pack_tar
from fuzzing.mutations.values import mutate_json, mutate_json_lines
from fuzzing.target import Arguments, Target, require
from fuzzing.targets.pyramids import require_accounts
from harness.summarization.meta_evaluation.inputs import read_score_files
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.presence import PARTLY_PRESENT, PARTLY_PRESENT_LEFT_OUT
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import NON_MATCHING_UID
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PEERS, PRESENCE, PRESENCE_GRADES

_FORMATS = (
    ("*.tgz", mutate_archive(mutate_json)),
    ("*.json.gz", mutate_compressed(mutate_json)),
    ("*.jsonl", mutate_json_lines),
    ("*", mutate_json),
)
_TESTS = (PRESENCE, PRESENCE_GRADES, PEERS)


def _make_summhay() -> Sequence[Case]:
    entries = make_entries()
    data = json.dumps(entries).encode()
    lines = "".join(json.dumps(entry) + "\n" for entry in entries).encode()
    forms = (
        {"data.json": data},
        {"data.jsonl": lines},
        {"data.json.gz": gzip.compress(data, mtime=0)},
        {"corpus.tgz": compress(pack_tar({"data/a.json": data}))},
        {"first.json": json.dumps(entries[:1]).encode(), "others.json": json.dumps(entries[1:]).encode()},
    )
    return [Case(dict(form), (test,)) for form in forms for test in _TESTS]


def read_units(folder: Path, arguments: Arguments) -> object:
    """Read a folder as annotations and as scores, and build one of the tests. Every judgement must be in it."""
    corpus = read_corpus(folder)
    require_accounts(corpus)
    _require_places(corpus)
    (name,) = arguments
    measures = [(score.name, len(score.values)) for file in read_score_files([folder]) for score in file.scores]
    try:
        test = build_test(corpus, name)
    except EmptyResultError as error:
        return corpus, measures, str(error)
    if name != PEERS:
        names = ("positives", "negatives", PARTLY_PRESENT, PARTLY_PRESENT_LEFT_OUT)
        units = sum(len(annotation.pyramid.scus) for annotation in corpus.annotations if annotation.text.strip())
        require(sum(test.counts.get(key, 0) for key in names) == units, "every unit of a summary is counted")
    return corpus, measures, test.fingerprint


def _require_places(corpus: Corpus) -> None:
    """Check that summaries are annotated once, and that every part is the text at its offsets."""
    keys = {(annotation.pyramid.id, annotation.peer) for annotation in corpus.annotations}
    require(len(keys) == len(corpus.annotations), "a summary is annotated once")
    for annotation in corpus.annotations:
        uids = [scu.uid for scu in (*annotation.scus, *annotation.partial)]
        known = {scu.uid for scu in annotation.pyramid.scus} | {NON_MATCHING_UID}
        require(set(uids) <= known and len(uids) == len(set(uids)), "a unit has one label")
        for scu in (*annotation.scus, *annotation.partial):
            for part in (part for contributor in scu.contributors for part in contributor.parts):
                require(annotation.text[part.start : part.end] == part.text, "parts are the text at their offsets")


TARGETS = (Target("summhay", read_units, _make_summhay, _FORMATS),)
