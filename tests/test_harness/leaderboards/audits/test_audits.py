"""Audits of corpora: rows on one side and on both, scores without them, records, and boards without hashes."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import Capture, run
from helpers.messages import mentions
from helpers.submissions import FLAGS, FORM, edit_json, evaluate_sample, load_sample
from msgspec import structs

from harness.leaderboards.audits.audits import audit_corpus, read_audits
from harness.leaderboards.board import read_board
from harness.leaderboards.contamination.grams import normalize
from harness.leaderboards.contamination.prints import read_prints, render_prints
from harness.leaderboards.submissions import write_submission
from pyramid_paraphrase.errors import InputError

TESTS = ("binary", "ranking")


@pytest.fixture
def board(empty_board: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(empty_board, tmp_path / "board"))


def list_sides(name: str) -> list[tuple[str, str]]:
    """Return the two texts of each row of the test split, in the order of the suite."""
    suite = load_sample()
    rows = next(rows for rows in suite.rows if rows.name == name)
    second = rows.targets + 1 if rows.kind.has_options else np.ones(len(rows.ids), dtype=int)
    pairs = [(line[0], line[place]) for line, place in zip(rows.texts.tolist(), second.tolist(), strict=True)]
    sides = [(suite.texts[first], suite.texts[other]) for first, other in pairs]
    return [side for side, is_test in zip(sides, rows.is_test.tolist(), strict=True) if is_test]


def audit(board: Path, corpus: Path, capsys: Capture, *options: object) -> dict[str, Any]:
    assert run("leaderboard", "audit", board, corpus, "--workers", "1", "--format", "json", *options) == 0
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    return record


def count_words(text: str) -> int:
    return len(normalize(text).split())


@pytest.mark.parametrize("name", TESTS)
def test_rows_are_counted_by_their_sides(board: Path, tmp_path: Path, capsys: Capture, name: str) -> None:
    """The corpus contains some of the texts, which the test counts row by row."""
    sides = list_sides(name)
    texts = sorted({text for pair in sides for text in pair})
    chosen = [text for text in texts[::3] if count_words(text) >= 4]
    (tmp_path / "corpus.txt").write_text("\n\nor not\n".join(chosen))
    inside = set(map(normalize, chosen))

    def is_found(text: str) -> bool:
        words = b" ".join(normalize(text).split())
        corpus = b" ".join(normalize("\n\nor not\n".join(chosen)).split()).split()
        own = words.split()
        order = min(len(own), 8)
        runs = {tuple(corpus[start : start + order]) for start in range(len(corpus) - order + 1)}
        return order >= 4 and any(tuple(own[at : at + order]) in runs for at in range(len(own) - order + 1))

    found = {text: is_found(text) for text in texts}
    assert sum(found.values()) >= len(inside) > 10
    hits = [(found[first], found[second]) for first, second in sides]
    audited = next(
        test
        for test in audit(board, tmp_path / "corpus.txt", capsys)["audit"]["tests"]
        if test["configuration"] == name
    )
    long = [all(found[text] and count_words(text) >= 8 for text in pair) for pair in sides]
    assert audited["rows"] == len(sides)
    assert audited["one_side"] == sum(sum(hit) == 1 for hit in hits) > 0
    assert audited["both_sides"] == sum(sum(hit) == 2 for hit in hits) > 0
    assert audited["both_long"] == sum(long)
    assert audited["not_searchable"] == sum(min(map(count_words, pair)) < 4 for pair in sides)


def test_scores_without_the_rows(board: Path, tmp_path: Path, capsys: Capture) -> None:
    """Questions whose two texts the corpus contains no longer count. The success rate is computed here row by row."""
    sides = list_sides("ranking")
    (tmp_path / "corpus").write_text("\n".join(sides[0]))
    result = evaluate_sample("overlap", 10)
    result.write(tmp_path / "results")
    record = audit(board, tmp_path / "corpus", capsys, "--result", tmp_path / "results")
    (score,) = [score for score in record["scores"] if score["configuration"] == "ranking"]
    both = [{first, second} <= set(sides[0]) for first, second in sides]
    assert record["audit"]["tests"][1]["both_sides"] == sum(both) == 2
    rows = result.rows["ranking"]
    best = rows.scores == rows.scores.max(axis=1, keepdims=True)
    successes = best[np.arange(len(both)), rows.targets] / best.sum(axis=1)
    assert (score["model"], score["metric"]) == ("overlap", "success_rate")
    assert score["value"] == pytest.approx(successes.mean(), abs=1e-6)
    assert score["without_both_sides"] == pytest.approx(successes[~np.array(both)].mean(), abs=1e-6)


def test_all_rows_are_found_in_a_corpus_of_all_texts(board: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "corpus").write_text("\n".join(load_sample().texts))
    record = audit(board, tmp_path / "corpus", capsys)
    for test in record["audit"]["tests"]:
        assert test["both_sides"] >= test["rows"] - test["not_searchable"] > 0
    assert {score["model"] for score in record["scores"]} == {"length", "options-only", "overlap"}
    assert any(score["without_any_side"] is None for score in record["scores"])


def test_nothing_is_found_elsewhere(board: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "corpus").write_text("A text about nothing that any annotator has ever read, with many words in it.")
    record = audit(board, tmp_path / "corpus", capsys)
    assert [(test["one_side"], test["both_sides"]) for test in record["audit"]["tests"]] == [(0, 0), (0, 0)]
    assert record["scores"] == []


def test_ranked_submissions_are_measured(board: Path, tmp_path: Path, capsys: Capture) -> None:
    evaluate_sample("one-hot").write(tmp_path / "results")
    assert run("submit", tmp_path / "results", "--to", board, *FLAGS, "--saw-test-data", "no") == 0
    assert run("leaderboard", "check", board) == 0
    (tmp_path / "corpus").write_text("\n".join(list_sides("ranking")[0]))
    capsys.readouterr()
    record = audit(board, tmp_path / "corpus", capsys)
    assert "one-hot" in {score["model"] for score in record["scores"]}


def test_an_audit_is_recorded(board: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    corpus = tmp_path / "corpus"
    corpus.write_text("\n".join(list_sides("ranking")[0]))
    record = audit(board, corpus, capsys, "--record", "Web pages, 2025")
    (stored,) = read_audits(read_board(board))
    assert (stored.corpus, stored.date, stored.files, stored.unread) == ("Web pages, 2025", "2026-01-01", 1, 0)
    assert [path.name for path in (board / "audits").iterdir()] == ["Web-pages-2025.json"]
    assert json.loads((board / "audits" / "Web-pages-2025.json").read_text()) == record["audit"]
    site = tmp_path / "site"
    assert run("leaderboard", "render", board, "--output", site) == 0
    rows = re.findall(r"<tr><th scope=\"row\"><bdi>(.*?)</bdi></th>(.*?)</tr>", (site / "about.html").read_text())
    ranking = record["audit"]["tests"][1]
    assert [name for name, _ in rows] == ["Web pages, 2025"] * 2
    numbers = [ranking[name] for name in ("rows", "one_side", "both_sides", "both_long")]
    assert re.findall(r"number\">([0-9,]+)<", rows[1][1])[1:] == [f"{number:,}" for number in numbers]
    edit_json(board / "audits" / "Web-pages-2025.json", lambda value: value.update(words=-1))
    with pytest.raises(InputError, match=mentions("Web-pages-2025.json")):
        read_audits(read_board(board))


@pytest.mark.parametrize(
    ("stated", "is_marked", "is_counted"),
    [
        ("News, and the WEB PAGES of 2025.", True, True),
        ("all our web pages2025", True, False),  # the name of the corpus is a part of another word
        ("news", True, False),
        ("Unknown.", False, False),
    ],
)
def test_models_that_name_their_training_data_are_marked(
    board: Path, tmp_path: Path, capsys: Capture, stated: str, *, is_marked: bool, is_counted: bool
) -> None:
    """Their mark is beside the counts of the audits of corpora that they name."""
    (tmp_path / "corpus").write_text("\n".join(list_sides("ranking")[0]))
    record = audit(board, tmp_path / "corpus", capsys, "--record", "web pages")
    write_submission(read_board(board), evaluate_sample("one-hot"), structs.replace(FORM, training_data=stated))
    assert run("leaderboard", "check", board) == 0
    assert run("leaderboard", "render", board, "--output", tmp_path / "site") == 0
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert index.count("<dt>†</dt>") == 1
    assert index.count('<abbr title="names its training data">†</abbr>') == (3 if is_marked else 0)  # of one model
    ranking = record["audit"]["tests"][1]
    found = f"both sides of {ranking['both_sides']} and one side of {ranking['one_side']} of {ranking['rows']} rows"
    assert index.count(f"<small>web pages contains {found} of ranking</small>") == (2 if is_counted else 0)
    (page,) = (tmp_path / "site" / "models").iterdir()
    assert (found in page.read_text(encoding="utf-8")) == is_counted


def test_boards_without_hashes_name_the_remedy(board: Path, tmp_path: Path) -> None:
    (tmp_path / "corpus").write_text("text")
    before = {path.name: path.read_bytes() for path in (board / "hashes").iterdir()}
    shutil.rmtree(board / "hashes")
    with pytest.raises(InputError, match=mentions("leaderboard init")):
        audit_corpus(read_board(board), [tmp_path / "corpus"], "corpus")
    assert run("leaderboard", "init", board, "--data", "sample", "--task", ",".join(TESTS)) == 0
    assert {path.name: path.read_bytes() for path in (board / "hashes").iterdir()} == before
    assert len(before) == 2


def test_hashes_contain_no_text(board: Path) -> None:
    """The file has only the names of its fields, numbers, and hexadecimal digits."""
    suite = load_sample()
    for rows in suite.rows:
        data = json.loads(gzip.decompress(render_prints(suite.texts, rows)))
        assert list(data) == ["format", "fingerprint", "words", "texts", "short", "rows"]
        assert set("".join(data["texts"])) <= set("0123456789abcdef")
        assert data["texts"] == sorted(data["texts"])
        assert {type(number) for row in data["rows"] for number in row} == {int}
    assert len(suite.rows) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"fingerprint": "0" * 64},
        {"words": 2},
        {"rows": [[0, 0]]},
        {"short": [1 << 40]},
        {"texts": ["xyz"]},
        {"texts": []},
    ],
)
def test_damaged_hashes_are_refused(board: Path, change: dict[str, Any]) -> None:
    (test, _) = read_board(board).tests
    path = read_board(board).locate_hashes(test)
    data = json.loads(gzip.decompress(path.read_bytes()))
    path.write_bytes(gzip.compress(json.dumps({**data, **change}).encode()))
    with pytest.raises(InputError, match=mentions(path.name)):
        read_prints(path, test.fingerprint, test.rows)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=mentions(path.name)):
        read_prints(path, test.fingerprint, test.rows)


def test_the_table_and_what_was_not_read(board: Path, tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "text").write_text("\n".join(list_sides("ranking")[0]))
    for number in range(7):
        (folder / f"{number}.bin").write_bytes(b"\0")
    assert run("leaderboard", "audit", board, folder) == 0
    printed = capsys.readouterr()
    assert "ranking" in printed.out
    assert "8 words" in printed.out
    assert printed.err.count("note: ") == 7  # the number of files, five of them, and the number of the others
    output = tmp_path / "table.csv"
    assert run("leaderboard", "audit", board, folder, "--output", output) == 0
    assert output.read_text().splitlines()[0] == "test,rows,one side,both sides,both by 8 words"
    assert len(output.read_text().splitlines()) == 3
