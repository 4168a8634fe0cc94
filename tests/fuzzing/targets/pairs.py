"""Corpora of labelled pairs, outputs of SemEval-2015 task 1, and votes of annotators."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from helpers.pair_corpora import write_msr, write_pit, write_tokens
from helpers.pair_tables import PAIR_TABLES

from fuzzing.cases import Case, read_case
from fuzzing.command_line import run_command
from fuzzing.mutations.lines import mutate_table
from fuzzing.mutations.markup import mutate_markup
from fuzzing.mutations.packing import compress, mutate_archive, mutate_compressed, pack_tar, pack_zip
from fuzzing.oracle import OUTPUT
from fuzzing.target import Arguments, Target
from fuzzing.targets.tables import WORKBOOK
from harness.paraphrases.dimple.positive_pairs import read_positive_pairs
from harness.pit.scoring import measure_systems, read_inputs
from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus

_SENTENCES = (
    ("old bridge", "was closed on monday"),
    ("bridge", "was shut"),
    ("ferry", "came back in the rain"),
    ("boat", "returned"),
    ("choir", "won a prize"),
)
_CELLS = mutate_table("\t")
_FORMATS = (
    *((pattern, mutate_archive(_CELLS)) for pattern in ("*.tar", "*.tgz", "*.tar.gz", "*.zip")),
    ("*.gz", mutate_compressed(_CELLS)),
    ("*", _CELLS),
)


def _make_corpora() -> Sequence[Case]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = [
            read_case(write_pit(folder / "pit")),
            read_case(write_tokens(folder / "tokens")),
            read_case(write_tokens(folder / "zipped", zipped=True)),
            read_case(write_msr(folder / "msr")),
        ]
    files = [{f"c/{name}": data for name, data in case.plain_files().items()} for case in cases]
    archives = [
        Case({"c/a.zip": pack_zip(files[0])}, ("a.zip",)),
        Case({"c/a.tar.gz": compress(pack_tar(files[1]))}, ("a.tar.gz",)),
        Case({"c/a.tar": pack_tar(files[2])}, ("a.tar",)),
    ]
    tables = [
        Case({f"c/{name}": text.encode()}, arguments)
        for name, text in PAIR_TABLES.values()
        for arguments in ((), (name,))
    ]
    rows = (("sentence1", "sentence2", "label"), ("old bridge", 'a "closed"', "1"), ("old bridge", "a b", "0"))
    own = [Case({"c/test.csv": "\n".join(map(cell.join, rows)).encode("utf-8-sig")}) for cell in ",;"]
    return [*(Case(members) for members in files), *archives, *tables, *own]


def _make_workbooks() -> Sequence[Case]:
    second = '<is><t>sentence2</t></is></c><c r="D2" t="str"><v>label</v></c>'
    members = {
        name: re.sub("<row><c t.*?</row>", "", text)
        .replace(">topic<", ">sentence1<")
        .replace("<is><t>system</t></is></c>", second)
        .replace(' t="b"', "")
        for name, text in WORKBOOK.items()
    }
    return [Case({"c/test.xlsx": pack_zip({name: text.encode() for name, text in members.items()})})]


def read_pairs(folder: Path, arguments: Arguments) -> object:
    """Read a corpus of pairs in a folder or an archive."""
    return read_pair_corpus(folder / "c" / "".join(arguments))


def _make_outputs() -> Sequence[Case]:
    with tempfile.TemporaryDirectory() as name:
        files = read_case(write_pit(Path(name) / "pit")).plain_files()
    labels, data = files["test.label"], files["test.data"]
    output = labels.replace(b"----", b"false").replace(b"0.2000", b"0.3217")
    return [
        Case({"test.label": labels, "system.output": output}),
        Case({"test.label": labels, "system.output": output, "other.output": labels.replace(b"----", b"true")}),
        Case({"test.label": labels, "system.output": output, "test.data": data}, ("strict",)),
    ]


def score_outputs(folder: Path, arguments: Arguments) -> object:
    """Read labels, outputs and test data, and measure the outputs."""
    outputs = sorted(folder.glob("*.output")) or [folder / "system.output"]
    data = folder / "test.data" if (folder / "test.data").exists() else None
    inputs = read_inputs(folder / "test.label", outputs, data, strict="strict" in arguments)
    return inputs, [dict(system.metrics) for system in measure_systems(inputs)]


def _make_votes() -> Sequence[Case]:
    votes = [f"item{item}\tannotator{who}\t{int((item + who) % 3 == 0)}\n" for item in range(6) for who in range(5)]
    grades = [f"item{item}\t{item % 6}\n" for item in range(6)]
    return [
        Case({"votes.tsv": ("item\tannotator\tvote\n" + "".join(votes)).encode()}),
        Case(
            {
                "votes.tsv": ("item\tannotator\tvote\n" + "".join(votes)).encode(),
                "grades.tsv": ("item\tgrade\n" + "".join(grades)).encode(),
            }
        ),
    ]


def rate_votes(folder: Path, arguments: Arguments) -> object:
    """Run the command that measures the agreement of annotators with each other and with an expert."""
    del arguments
    expert = ["--expert", str(folder / "grades.tsv")] if os.path.lexists(folder / "grades.tsv") else []
    options = [*expert, "--min-kappa", "0.1", "--output", f"{OUTPUT}/labels.tsv"]
    return run_command(["collection", "agreement", str(folder / "votes.tsv"), *options])


def _make_sentences() -> Sequence[Case]:
    rows = [f"topic{topic}\tthe {thing} {what}\n" for topic in range(3) for thing, what in _SENTENCES]
    return [Case({"sentences.tsv": ("topic\tsentence\n" + "".join(rows)).encode()})]


def make_questions(folder: Path, arguments: Arguments) -> object:
    """Run the command that makes questions for annotators."""
    del arguments
    return run_command(["collection", "filter", str(folder / "sentences.tsv"), "--output", f"{OUTPUT}/questions.tsv"])


def _make_positive_pairs() -> Sequence[Case]:
    rte = b"""<?xml version="1.0" encoding="UTF-8"?>
<entailment-corpus>
<pair id="1" value="TRUE" task="IR"><t>A mill burned down.</t><h>There was a fire.</h></pair>
<pair id="2" entailment="YES" task="IE"><t>The ferry sank.</t><h>A boat sank.</h></pair>
<pair id="3" entailment="UNKNOWN"><t>It rained.</t><h>It snowed.</h></pair>
</entailment-corpus>
"""
    nuggets = b"question_id\tresponse\tnugget\n1\ta fire in the mill\tthe mill burned\n2\tthe boat\tit sank\n"
    return [Case({"rte.xml": rte}), Case({"nuggets.tsv": nuggets}), Case({"rte.zip": pack_zip({"a/rte.xml": rte})})]


def read_positives(folder: Path, arguments: Arguments) -> object:
    """Read pairs that mean the same from RTE or from answers with nuggets."""
    del arguments
    return read_positive_pairs(sorted(folder.iterdir()) or [folder])


TARGETS = (
    Target("pair-corpus", read_pairs, _make_corpora, _FORMATS),
    Target("pair-workbook", read_pairs, _make_workbooks, (("*", mutate_archive(mutate_markup)),), needs=("openpyxl",)),
    Target("pit-outputs", score_outputs, _make_outputs, _FORMATS),
    Target("votes", rate_votes, _make_votes, _FORMATS),
    Target("sentences", make_questions, _make_sentences, _FORMATS),
    Target("positive-pairs", read_positives, _make_positive_pairs, (("*.xml", mutate_markup), *_FORMATS)),
)
