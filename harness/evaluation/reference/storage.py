"""Compact storage of results: a file with the rows of each test, and a file of scores per model and test."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from harness.evaluation.records.json_form import parse_record
from harness.evaluation.results import Result
from harness.evaluation.score_files import parse_score_text
from harness.files.json_files import parse_json
from harness.files.writing import write_files
from harness.metrics.rows import ScoredRows
from harness.support.names import slug
from pyramid_paraphrase.files.gzip_streams import compress_pieces

_ROWS = "rows"
_DIGITS = 12
_REMEDY = "install the package again"


def write_references(results: Iterable[Result], folder: Path) -> None:
    """Write results.

    Args:
        results: The results, with their scores. All results on a test have its rows in the same order.
        folder: An existing folder. No file in it is removed.

    Raises:
        ValueError: If two results on a test have different rows.
        OSError: If a file cannot be written.
    """
    contents: dict[Path, bytes] = {}
    for result in results:
        model = slug(result.model)
        for test_name, test in result.tests.items():
            text = gzip.decompress(result.files[test_name])
            rows, scores = _divide_columns(text, _count_scores(result.rows[test_name]))
            path = folder / _name_file(test.fingerprint, _ROWS)
            if contents.setdefault(path, rows) != rows:
                raise ValueError(f"{result.place}: the rows of {test_name} differ from those of another result")
            contents[folder / _name_file(test.fingerprint, model)] = scores
        contents[folder / f"{result.record.dataset.fingerprint[:_DIGITS]}.{model}.json"] = result.content
    write_files({path: _compress(path, data) for path, data in contents.items()})


def _compress(path: Path, data: bytes) -> bytes:
    return data if path.suffix == ".json" else compress_pieces([data])


def _name_file(fingerprint: str, content: str) -> str:
    return f"{fingerprint[:_DIGITS]}.{content}.csv.gz"


def _count_scores(rows: ScoredRows) -> int:
    return int(rows.scores.reshape(len(rows.ids), -1).shape[1])


def _divide_columns(text: bytes, score_count: int) -> tuple[bytes, bytes]:
    """Divide CSV into its first columns and its last `score_count` columns."""
    lines = [line.rsplit(b",", score_count) for line in text.splitlines()]
    rows, scores = (line[0] for line in lines), (b",".join(line[1:]) for line in lines)
    return b"\n".join(rows) + b"\n", b"\n".join(scores) + b"\n"


def read_records(folder: Path) -> list[Result]:
    """Read the numbers of all results, without scores, sorted by file name."""
    results = []
    for path in sorted(folder.glob("*.json")):
        content = path.read_bytes()
        record = parse_record(parse_json(content, str(path), _REMEDY), str(path))
        results.append(Result(record, {}, {}, content, str(path)))
    return results


def read_rows(folder: Path, result: Result, test_names: Sequence[str]) -> Mapping[str, ScoredRows]:
    """Read the scored rows of some tests of a result.

    Args:
        folder: The folder that `write_references` wrote to.
        result: A result of `read_records`.
        test_names: Names of configurations.

    Returns:
        The rows by name of the configuration.
    """
    rows = {}
    for test_name in test_names:
        fingerprint = result.tests[test_name].fingerprint
        files = [folder / _name_file(fingerprint, content) for content in (_ROWS, slug(result.model))]
        columns = [gzip.decompress(file.read_bytes()).splitlines() for file in files]
        text = b"".join(b"%s,%s\n" % line for line in zip(*columns, strict=True))
        rows[test_name] = parse_score_text(text, str(files[1]))
    return rows
