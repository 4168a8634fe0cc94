"""Corpora of units: RoSE, QAPyramid with texts of summaries, and LitePyramids, compressed and in archives."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from helpers.litepyramids import make_units
from helpers.qapyramid import VOTES, write_votes
from helpers.rose import list_labelled, write_release, write_rose

from fuzzing.cases import Case, read_case
from fuzzing.mutations.lines import mutate_table
from fuzzing.mutations.packing import mutate_archive, mutate_compressed, pack_zip
from fuzzing.mutations.values import mutate_json
from fuzzing.target import Target
from fuzzing.targets.scu_labels import read_labels

_CELLS = mutate_table(",")
_FORMATS = (
    ("*.zip", mutate_archive(mutate_json)),
    ("*.csv", _CELLS),
    ("*.csv.gz", mutate_compressed(_CELLS)),
    ("*.gz", mutate_compressed(mutate_json)),
    ("*", mutate_json),
)


def _make_rose() -> Sequence[Case]:
    with tempfile.TemporaryDirectory() as name:
        files = read_case(write_rose(Path(name, "rose"))).plain_files()
        release = write_release(Path(name, "cnndm.test.acus.aggregated.jsonl"), list_labelled())
        files[release.name] = release.read_bytes()
    forms = ({name: data} for name, data in files.items())
    packed = {f"{name}.gz": gzip.compress(data, mtime=0) for name, data in files.items()}
    return [*map(Case, forms), Case(dict(files)), Case(packed), Case({"rose.zip": pack_zip(files)})]


def _make_qapyramid() -> Sequence[Case]:
    rows = [
        {"document": document, "system": system, "text": f"A ferry sank. {system} saw it."}
        for system, documents in VOTES.items()
        for document in documents
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    table = "".join(f"{row['document']},{row['system']},{row['text']}\n" for row in rows).encode()
    with tempfile.TemporaryDirectory() as name:
        files = read_case(write_votes(Path(name)).parent).plain_files()
    with_lines = {**files, "texts.jsonl": lines}
    with_table = {**files, "texts.csv": b"document,system,text\n" + table}
    packed = {f"{name}.gz": gzip.compress(data, mtime=0) for name, data in with_table.items()}
    return [*map(Case, (files, with_lines, with_table, packed)), Case({"votes.zip": pack_zip(with_lines)})]


def _make_litepyramids() -> Sequence[Case]:
    data = make_units().encode()
    return [Case({"scus-2005.csv": data}), Case({"scus-2005.csv.gz": gzip.compress(data, mtime=0)})]


TARGETS = (
    Target("rose", read_labels, _make_rose, _FORMATS),
    Target("qapyramid", read_labels, _make_qapyramid, _FORMATS),
    Target("litepyramids", read_labels, _make_litepyramids, _FORMATS),
)
