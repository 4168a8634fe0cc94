"""Summaries in folders and archives, and scores and judgements of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from helpers.annotations import PEER, PEER_NAME
from helpers.nist_tables import TABLE_2006, TABLE_UPDATE, make_aesop, make_manual
from helpers.summary_scores import (
    SYSTEMS,
    make_content_table,
    make_modified_scores,
    make_quality_table,
    make_rouge_output,
    make_score_table,
)

from fuzzing.cases import Case
from fuzzing.command_line import run_command
from fuzzing.mutations.lines import mutate_table
from fuzzing.mutations.markup import mutate_markup
from fuzzing.mutations.packing import compress, mutate_archive, pack_tar, pack_zip
from fuzzing.mutations.values import mutate_json_lines
from fuzzing.oracle import OUTPUT
from fuzzing.target import Arguments, Target
from harness.summarization.locations import read_files
from harness.summarization.reading import read_summaries

_TEXTS = {
    "D0901.M.250.A.7": b"A mill burned down on Monday.\nNobody was hurt.\n",
    "D0901.M.250.A.8": b"It rained at the mill.\n",
    "9/D0901.txt": b"Fire destroyed the old mill.\n",
    "D0902.7.txt": "The caf\u00e9 reopened.\n".encode("cp1252"),
}
_REFERENCES = {
    "D0901.M.250.A.A": b"The old mill burned down.\nAll workers escaped.\n",
    "B/D0901.html": b"""<html><body bgcolor="white"><a name="1">[1]</a> <a href="#1" id=1>Fire ruined the mill.</a>
<a name="2">[2]</a> <a href="#2" id=2>Nobody was hurt &amp; all were glad.</a></body></html>""",
    "D0902.M.250.A.A": b'<SUM DOCSET="d0902" TYPE="PERDOCSET">\nThe cafe is open again.\n</SUM>\n',
}
_BLANKS, _TABS = mutate_table(" "), mutate_table("\t")


def _join(**folders: dict[str, bytes]) -> dict[str, bytes]:
    return {f"{folder}/{name}": data for folder, files in folders.items() for name, data in files.items()}


def _make_summaries() -> Sequence[Case]:
    folders = _join(peers=_TEXTS, references=_REFERENCES)
    inner = _join(peers=_TEXTS)
    return [
        Case(folders, ("peers",)),
        Case(_join(references=_REFERENCES) | {"a.tar.gz": compress(pack_tar(inner))}, ("a.tar.gz/peers",)),
        Case(_join(references=_REFERENCES) | {"a.zip": pack_zip({"x.tar": pack_tar(inner)})}, ("a.zip/x.tar/peers",)),
    ]


def read_folders(folder: Path, arguments: Arguments) -> object:
    """Read summaries, and score them by ROUGE."""
    peers = str(folder / "".join(arguments))
    read = read_summaries(peers), read_summaries(folder / "references")
    return read, run_command(["rouge", "--peers", peers, "--references", str(folder / "references"), "--jackknife"])


_ROWS = (
    b'{"id": "D0901", "author": "7", "text": "A mill burned down. Nobody was hurt."}\n'
    b'{"id": 902, "author": "7", "text": "It rained.\\nThe caf\\u00e9 reopened."}\n'
)
_TABLE = b'id,author,text\nD0901,7,"A mill burned, they say."\n902,7,"It rained.\nNobody was hurt."\n'


def _make_rows() -> Sequence[Case]:
    references = {"D0901_A.txt": b"The old mill burned down.\n", "902_A.txt": b"It rained.\n"}
    folder = _join(references=references)
    return [
        Case(folder | {"peers.jsonl": _ROWS}, ("peers.jsonl",)),
        Case(folder | {"peers.csv": _TABLE}, ("peers.csv",)),
        Case(folder | {"peers.zip": pack_zip({"x/peers.jsonl": _ROWS})}, ("peers.zip",)),
        Case(folder | {"peers.jsonl.gz": compress(_ROWS)}, ("peers.jsonl.gz",)),
    ]


def read_named(folder: Path, arguments: Arguments) -> object:
    """Score summaries of rows by ROUGE against files that a pattern names."""
    places = ["--peers", str(folder / "".join(arguments)), "--references", str(folder / "references")]
    return run_command(["rouge", *places, "--columns", "topic=id", "--pattern", "{topic}_{author}.txt"])


def _make_locations() -> Sequence[Case]:
    members = {"x/a.txt": b"a", "x/y/b.txt": b"b", "x/.hidden": b"c"}
    archive = {"z.tar": pack_tar(members)}
    return [
        Case(archive, ("z.tar/x/y",)),
        Case({"z.zip": pack_zip(members)}, ("z.zip/x",)),
        Case({"z.tgz": compress(pack_tar({"in/z.zip": pack_zip(members)}))}, ("z.tgz/in/z.zip/x/a.txt",)),
        Case(archive | {"f/a.txt": b"a", "f/b.txt": b"b"}, ("",)),
    ]


def read_location(folder: Path, arguments: Arguments) -> object:
    """Read the file at a path that may lead into archives."""
    return read_files(folder / "".join(arguments))


def _make_lines() -> Sequence[Case]:
    texts = b"It rained.<q>Nobody was hurt.\n\nThe mill &amp; the caf\xc3\xa9 burned.\n"
    files = {"hyp.txt": texts, "ref.txt": b"Rain fell.\nA <b>storm</b> came.\n<t> The mill burned. </t>\n"}
    return [Case(files, ()), Case(files, ("--by-line",)), Case(files, ("--by-file",))]


def score_lines(folder: Path, arguments: Arguments) -> object:
    """Score files with a summary per line. A mutation may change the number of lines."""
    files = ["--peers", str(folder / "hyp.txt"), "--references", str(folder / "ref.txt")]
    return run_command(["rouge", *files, *arguments])


def _make_scores() -> Sequence[Case]:
    judgements = make_content_table().encode()
    makers = (make_score_table, make_rouge_output, make_quality_table, make_modified_scores)
    texts = [maker().encode() for maker in makers]
    texts += [text.encode() for text in (TABLE_2006, TABLE_UPDATE, make_manual("A", SYSTEMS), make_aesop("A"))]
    cases = [Case({"scores.txt": text, "judged.txt": judgements}) for text in texts]
    archive = {"s.tgz": compress(pack_tar({"x/scores.txt": texts[0]})), "judged.txt": texts[3]}
    return [
        *cases,
        Case({"s.pan/" + PEER_NAME: PEER, "judged.txt": texts[3]}, ("s.pan",)),
        Case(archive, ("s.tgz/x/scores.txt",)),
    ]


def meta_evaluate(folder: Path, arguments: Arguments) -> object:
    """Correlate scores with judgements."""
    scores, judged = str(folder / ("".join(arguments) or "scores.txt")), str(folder / "judged.txt")
    options = ["--resamples", "20", "--systems", "all", "--format", "json", "--output", f"{OUTPUT}/report.json"]
    return run_command(["meta-eval", scores, "--judgements", judged, *options])


_ARCHIVES = tuple((pattern, mutate_archive(_BLANKS)) for pattern in ("*.tar", "*.tgz", "*.gz", "*.zip"))

TARGETS = (
    Target(
        "summaries",
        read_folders,
        _make_summaries,
        (*_ARCHIVES, ("*.html", mutate_markup), ("*", _BLANKS)),
    ),
    Target(
        "summary-rows",
        read_named,
        _make_rows,
        (*_ARCHIVES, ("*.jsonl", mutate_json_lines), ("*.csv", mutate_table(",")), ("*", _BLANKS)),
    ),
    Target("summary-lines", score_lines, _make_lines, (("*", mutate_markup), ("*", _BLANKS))),
    Target("locations", read_location, _make_locations, _ARCHIVES),
    Target("scores", meta_evaluate, _make_scores, (("*.pan", mutate_markup), *_ARCHIVES, ("*", _TABS), ("*", _BLANKS))),
)
