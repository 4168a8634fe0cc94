"""Leaderboards: the folder of a board, with untrusted submissions."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import lzma
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fuzzing.cases import Case, read_case
from fuzzing.chance import Chance
from fuzzing.command_line import run_command
from fuzzing.mutations.lines import mutate_table
from fuzzing.mutations.packing import mutate_compressed
from fuzzing.mutations.parquet import mutate_parquet
from fuzzing.mutations.values import mutate_json, mutate_json_lines
from fuzzing.oracle import OUTPUT
from fuzzing.target import Arguments, Target
from fuzzing.targets.results import SCORES_PATTERN, load_small_suite, make_result, mutate_scores, repair_hashes
from harness.leaderboards.board import write_board
from harness.leaderboards.checks import check_folder
from harness.leaderboards.contamination.prints import render_prints
from harness.leaderboards.forms import Form
from harness.leaderboards.reproduction import write_reproduction
from harness.leaderboards.submissions import write_submission

_FORM = Form("me@example.org", "https://example.org/model", "news, no summaries", "no", "2026-01-01")


def _make_boards() -> Sequence[Case]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        board = write_board(folder / "board", "A board", load_small_suite().tests)
        for spec in ("length", "overlap"):
            make_result(spec).write(folder / "board" / "shortcuts")
        for spec in ("one-hot", "tf-idf"):
            submitted_to = write_submission(board, make_result(spec), _FORM)
        write_reproduction(board, check_folder(board, submitted_to), make_result("tf-idf"), 0.0)
        whole = read_case(folder)
    submitted = [path for path in whole.files if "/tf-idf" in path]
    smaller = whole
    for path in submitted:
        smaller = smaller.without_file(path)
    return [whole, smaller]


def _repair(case: Case, chance: Chance) -> Case:
    """Write the correct hashes of scores and of keys, so that their content is read."""
    case = repair_hashes(case, chance)
    name = "board/leaderboard.json"
    try:
        record = json.loads(case.plain_files()[name])
        for test in record["tests"]:
            key = case.plain_files()[f"board/keys/{test['key']}"]
            test["key_sha256"] = hashlib.sha256(key).hexdigest()
        return case.with_file(name, (json.dumps(record, indent=1) + "\n").encode())
    except (ValueError, TypeError, KeyError, RecursionError):
        return case


def check_board(folder: Path, arguments: Arguments) -> object:
    """Run the commands that check a board and write its site."""
    del arguments
    checked = run_command(["leaderboard", "check", str(folder / "board")])
    return checked, run_command(["leaderboard", "render", str(folder / "board"), "--output", f"{OUTPUT}/site"])


def submit_result(folder: Path, arguments: Arguments) -> object:
    """Run the command that enters a result into a board."""
    options = ["--contact", "me@example.org", "--model-link", "https://example.org/model", "--saw-test-data", "no"]
    values = dict(zip(options[::2], options[1::2], strict=True)) | dict(
        zip(arguments[::2], arguments[1::2], strict=False)
    )
    texts = [part for pair in values.items() for part in pair]
    return run_command(
        ["submit", str(folder / "result"), "--to", str(folder / "board"), "--training-data", "news", *texts]
    )


def _make_submissions() -> Sequence[Case]:
    smaller = _make_boards()[1]
    with tempfile.TemporaryDirectory() as name:
        make_result("char-ngrams").write(name)
        result = read_case(Path(name))
    files = {f"result/{path}": content for path, content in result.files.items()}
    board = {path: content for path, content in smaller.files.items() if "/submissions/" not in path}
    return [Case({**board, **files}, ("--contact", "me@example.org"))]


def _change_form(arguments: Arguments, chance: Chance) -> Arguments:
    option = chance.choice(("--contact", "--model-link", "--training-data"))
    return option, chance.text() if chance.happens(0.7) else f"https://example.org/{chance.text()}"


def audit_corpus(folder: Path, arguments: Arguments) -> object:
    """Run the command that searches a corpus for the texts of a board's tests."""
    del arguments
    paths = [str(folder / "board"), str(folder / "corpus"), "--workers", "1"]
    return run_command(["leaderboard", "audit", *paths, "--output", f"{OUTPUT}/audit.json"])


def _make_corpora() -> Sequence[Case]:
    suite = load_small_suite()
    hashes = {rows.test.fingerprint: render_prints(suite.texts, rows) for rows in suite.rows}
    with tempfile.TemporaryDirectory() as name:
        write_board(Path(name).resolve() / "board", "A board", suite.tests, hashes=hashes)
        board = read_case(Path(name).resolve())
    lines = b"".join(json.dumps({"text": text, "more": [text[:9]]}).encode() + b"\n" for text in suite.texts[:9])
    table = io.BytesIO()
    pq.write_table(pa.table({"text": suite.texts[:9], "lists": [[text] for text in suite.texts[:9]]}), table)
    text = "\n".join(suite.texts[:9]).encode()
    contents = {
        "corpus/lines.jsonl": lines,
        "corpus/document.json": json.dumps([{"text": text} for text in suite.texts[:5]], indent=1).encode(),
        "corpus/text.txt": text,
        "corpus/table.parquet": table.getvalue(),
        "corpus/packed.gz": gzip.compress(lines, mtime=0),
        "corpus/packed.bz2": bz2.compress(text),
        "corpus/packed.xz": lzma.compress(text),
        "corpus/packed.zst": bytes(pa.compress(lines, "zstd", asbytes=True)),
    }
    return [Case({**board.files, path: content}, ()) for path, content in contents.items()]


_FORMATS = (
    ("*.json", mutate_json),
    (SCORES_PATTERN, mutate_scores),
    ("*.md", mutate_table(" ")),
)

TARGETS = (
    Target(
        "audited-corpus",
        audit_corpus,
        _make_corpora,
        (
            ("*.jsonl", mutate_json_lines),
            ("*.json", mutate_json),
            ("*.parquet", mutate_parquet),
            ("board/hashes/*.json.gz", mutate_compressed(mutate_json)),
            ("*.txt", mutate_table(" ")),
        ),
    ),
    Target(
        "board", check_board, _make_boards, _FORMATS, repair=_repair, changes_input=True
    ),  # it records accepted submissions
    Target(
        "submission",
        submit_result,
        _make_submissions,
        _FORMATS,
        change_arguments=_change_form,
        repair=_repair,
        changes_input=True,
    ),
)
