"""Submissions: writing, reading, and every defect that is refused."""

from __future__ import annotations

import json
import re
import shutil
import string
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from helpers.messages import mentions
from helpers.submissions import FORM, change, edit_json, find_record, make_board, make_overlap_result
from msgspec import structs

from harness.evaluation.record import result_stem
from harness.leaderboards import submissions, verdicts
from harness.leaderboards.board import Board
from harness.leaderboards.checks import check_folder
from harness.leaderboards.forms import FORM_NAME, Link, check_form, read_form
from harness.leaderboards.site.entries import list_facts
from harness.leaderboards.submissions import (
    find_same_submission,
    find_tests,
    name_submission,
    read_submission,
    require_as_written,
    write_submission,
)
from harness.leaderboards.verdicts import enter_submission
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.errors import InputError, OutputError, PyramidParaphraseError


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return make_board(tmp_path / "board")


@pytest.fixture
def folder(board: Board) -> Path:
    return write_submission(board, make_overlap_result(), FORM)


def test_a_submission_that_was_entered_is_found_on_any_date(board: Board, folder: Path) -> None:
    result, later = make_overlap_result(), structs.replace(FORM, submitted="2031-01-01")
    assert find_same_submission(board, result, later) == folder
    assert find_same_submission(board, result, structs.replace(FORM, contact="another@example.org")) is None
    (folder / FORM_NAME).write_text("{}")
    assert find_same_submission(board, result, FORM) is None
    (folder / FORM_NAME).unlink()
    assert find_same_submission(board, result, FORM) is None


def test_what_a_model_did_to_texts_is_submitted_and_shown(board: Board) -> None:
    """Prompts may be longer than other texts, and all texts are bounded."""
    told = {
        "effective": {"prompt": "say:\n" * 200, "max_tokens": 8},
        "text_counts": {"cut_texts": 51, "cut_tokens": 1514},
    }
    folder = write_submission(board, change(make_overlap_result(), lambda value: value["model"].update(told)), FORM)
    result, _ = read_submission(board, folder)
    facts = dict(list_facts(result.record, None))
    assert facts["Configuration: max_tokens"] == "8"
    assert facts["Configuration: prompt"] == "say:\n" * 200
    assert (facts["Count: cut_texts"], facts["Count: cut_tokens"]) == ("51", "1,514")
    long = {"effective": {"pooling": "x" * 301}}
    folder = write_submission(
        board, change(make_overlap_result(), lambda value: value["model"].update(long, name="o")), FORM
    )
    with pytest.raises(LeaderboardError, match=mentions("model.effective.pooling. ... 300 characters")):
        read_submission(board, folder)


def test_an_empty_folder_is_replaced(board: Board, folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()
    assert write_submission(board, make_overlap_result(), FORM) == folder
    with pytest.raises(LeaderboardError, match=mentions("exists ... submit")):
        write_submission(board, make_overlap_result(), FORM)


def test_written_submissions_can_be_read(board: Board, folder: Path) -> None:
    record = make_overlap_result().record
    stem = result_stem(record)
    assert folder == board.folder / "submissions" / f"overlap-{stem}"
    names = [f"{stem}.binary.csv.gz", f"{stem}.json", f"{stem}.ranking.csv.gz", "submission.json"]
    assert sorted(path.name for path in folder.iterdir()) == names
    form = {"format": 1} | structs.asdict(FORM)
    del form["replaces"]  # a default
    assert json.loads((folder / FORM_NAME).read_text()) == form
    result, form = read_submission(board, folder)
    assert form == FORM
    assert result.record == record
    assert result.content == make_overlap_result().content == (folder / f"{stem}.json").read_bytes()


def test_an_existing_folder_is_not_written_again(board: Board, folder: Path) -> None:
    with pytest.raises(LeaderboardError, match=mentions("exists ... submit")):
        write_submission(board, make_overlap_result(), FORM)
    _, form = read_submission(board, folder)
    assert form == FORM


@pytest.mark.parametrize("what", ["rename", "write_files"])
def test_a_failed_submission_leaves_no_files(board: Board, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    target = board.folder / "submissions" / name_submission(make_overlap_result().record)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if what == "rename":
        monkeypatch.setattr(Path, "rename", fail)
    else:
        monkeypatch.setattr(submissions, "write_files", fail)
    with pytest.raises(OutputError, match=mentions("(No space left on device) ... free")):
        write_submission(board, make_overlap_result(), FORM)
    assert not target.exists()
    assert not [path for path in board.folder.iterdir() if path.suffix == ".tmp"]


def test_of_two_submissions_at_the_same_time_one_is_an_error(board: Board) -> None:
    """Two processes that submitted the same result both passed the checks, and one was told to check the free space."""
    other = structs.replace(FORM, contact="another")

    def submit_meanwhile(_: Path) -> None:
        write_submission(board, make_overlap_result(), other)

    with pytest.raises(LeaderboardError, match=mentions("another submission ... meantime. ... remove it, and submit")):
        write_submission(board, make_overlap_result(), FORM, submit_meanwhile)
    (folder,) = board.list_submissions()
    assert read_submission(board, folder)[1] == other
    assert not [path for path in board.folder.iterdir() if path.suffix == ".tmp"]


@pytest.mark.parametrize("step", ["list_identities", "check_folder"])
def test_equal_submissions_at_the_same_time_are_entered_once(
    board: Board, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Of ten processes that submitted the same result, one was told to remove it. Later ones enter nothing, too."""
    undisturbed = getattr(verdicts, step)

    def be_late(*arguments: object, **options: object) -> object:
        if not board.list_submissions():
            write_submission(board, make_overlap_result(), FORM)
        return undisturbed(*arguments, **options)

    monkeypatch.setattr(verdicts, step, be_late)
    entered = enter_submission(board, make_overlap_result(), FORM)
    assert board.list_submissions() == [entered]


def test_a_submission_is_checked_before_it_is_in_its_place(board: Board) -> None:
    """The error names the final folder of the submission, not the temporary folder."""
    target = board.folder / "submissions" / name_submission(make_overlap_result().record)

    def refuse(folder: Path) -> None:
        assert not target.exists()
        raise LeaderboardError(f"{folder / FORM_NAME}: is refused. Change it")

    with pytest.raises(LeaderboardError, match=mentions(f"{target / FORM_NAME}: is refused. Change it")):
        write_submission(board, make_overlap_result(), FORM, refuse)
    assert board.list_submissions() == []


def test_numbers_are_checked_before_the_format_of_the_file(board: Board, folder: Path) -> None:
    """An edited number is reported as wrong, even if the edit has also changed the format."""
    path = find_record(folder)
    path.write_bytes(path.read_bytes() + b" ")

    with pytest.raises(LeaderboardError, match=mentions(f"{path}: spacing ... pyramid-paraphrase submit")):
        check_folder(board, folder)
    edit_json(path, lambda record: record["tests"]["ranking"]["metrics"].update(mrr=0.5))
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(LeaderboardError, match=mentions(f"{path}: mrr of ranking is 0.5 ... Submit")):
        check_folder(board, folder)


def write_over(name: str, text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(text)


FOLDERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "two files that do not belong": (
        lambda f: (write_over("b.txt", "")(f), write_over("a.txt", "")(f)),
        "a.txt ... Remove",
    ),
    "two folders": (lambda f: ((f / "y").mkdir(), (f / "x").mkdir()), ": x ... regular ... Remove"),
    "two results": (
        write_over("x.json", "{}"),
        "exactly ... submission.json ... pyramid-paraphrase submit",
    ),
    "no result": (lambda f: find_record(f).unlink(), "exactly ... submission.json ... pyramid-paraphrase submit"),
    "no form": (lambda f: (f / FORM_NAME).unlink(), "exactly ... submission.json ... pyramid-paraphrase submit"),
    "a record that is no result": (
        lambda f: edit_json(find_record(f), lambda r: r.update(note="x")),
        ".json: ... unexpected ... pyramid-paraphrase evaluate",
    ),
    "a record with blanks": (
        lambda f: find_record(f).write_bytes(find_record(f).read_bytes() + b" "),
        "spacing ... pyramid-paraphrase submit",
    ),
    "a record with a text": (
        lambda f: edit_json(find_record(f), lambda r: r["model"]["options"].update(note="x" * 301)),
        ".json: ... 301 characters ... model.options.note ... 300 characters",
    ),
    "another name": (
        lambda f: find_record(f).rename(f / "result.json"),
        "result.json: ... named ... pyramid-paraphrase submit",
    ),
    "other scores": (
        lambda f: edit_json(find_record(f), lambda r: r["tests"]["binary"]["scores"].update(file="x.csv.gz")),
        ".json: ... named ... pyramid-paraphrase submit",
    ),
    "an unknown test": (
        lambda f: edit_json(find_record(f), lambda r: r["tests"]["binary"].update(fingerprint="0" * 64)),
        ".json: ... binary ... --task ... b80dc816ce66, ranking",
    ),
    "a form without its fields": (
        lambda f: edit_json(f / FORM_NAME, lambda form: form.pop("contact")),
        "submission.json: ... 'contact' ... pyramid-paraphrase submit",
    ),
    "a form with blanks": (
        lambda f: (f / FORM_NAME).write_bytes((f / FORM_NAME).read_bytes() + b" "),
        "submission.json: spacing ... pyramid-paraphrase submit",
    ),
    "a form on no day": (
        lambda f: edit_json(f / FORM_NAME, lambda form: form.update(submitted="2026-02-30")),
        "submission.json: ... 2026-02-30 ... pyramid-paraphrase submit",
    ),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_unsound_folders_are_refused(board: Board, folder: Path, name: str) -> None:
    damage, message = FOLDERS[name]
    damage(folder)
    with pytest.raises(PyramidParaphraseError) as caught:
        require_as_written(read_submission(board, folder)[0])
    assert re.search(mentions(message), str(caught.value))


def test_line_ends_of_windows_are_accepted(board: Board, folder: Path) -> None:
    """Git may change line ends."""
    for path in (find_record(folder), folder / FORM_NAME):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    result, form = read_submission(board, folder)
    require_as_written(result)
    assert form == FORM


def test_a_folder_of_another_name(board: Board, folder: Path) -> None:
    moved = folder.rename(folder.with_name("mine"))
    with pytest.raises(
        LeaderboardError, match=mentions(f"mine: ... named {folder.name}. ... pyramid-paraphrase submit")
    ):
        read_submission(board, moved)


def test_paths_that_are_not_folders(board: Board, folder: Path) -> None:
    with pytest.raises(LeaderboardError, match=mentions("board/submissions/nothing: no such folder. Check")):
        read_submission(board, folder.with_name("nothing"))
    for name in ("link", "file", "dangling"):
        path = folder.with_name(name)
        if name == "link":
            path.symlink_to(folder)
        elif name == "dangling":
            path.symlink_to("nowhere")
        elif name == "file":
            path.write_text("")
        with pytest.raises(LeaderboardError, match=mentions(f"{name}: ... folder of a submission. Remove")):
            read_submission(board, path)


def test_a_folder_that_cannot_be_read(board: Board, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", fail)
    with pytest.raises(LeaderboardError, match=mentions("(Permission denied) ... Remove")):
        read_submission(board, folder)


@pytest.mark.parametrize(("size", "accepted"), [(1 << 18, True), ((1 << 18) + 1, False)])
def test_forms_have_a_quarter_of_a_mebibyte(tmp_path: Path, size: int, accepted: bool) -> None:
    """The first file is read, and refused for its content."""
    path = tmp_path / FORM_NAME
    path.write_text("{}" + " " * (size - 2))
    message = "is not a valid form of a submission" if accepted else "is larger than 262,144 bytes"
    with pytest.raises(InputError, match=message):
        read_form(path)


def test_scores_have_room_by_the_row(board: Board, folder: Path) -> None:
    """634 rows of 200 bytes, and 1,000 for the header."""
    path = next(folder.glob("*.ranking.csv.gz"))
    with path.open("r+b") as file:
        file.truncate(200 * 634 + 1001)
    with pytest.raises(
        InputError, match=mentions(".ranking.csv.gz: ... 127,800 bytes ... pyramid-paraphrase evaluate")
    ):
        read_submission(board, folder)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, ""),
        ({"contact": "  "}, "the form: ... contact ... printable ... Change"),
        ({"training_data": "a\u202eb"}, "the form: ... training_data ... Change"),
        ({"contact": ""}, "the form: ... contact ... Change"),
        ({"model_link": "javascript:alert(1)"}, "the form: ... model_link ... https:// ... Change"),
        ({"submitted": "2026-13-01"}, "the form: ... submitted: 2026-13-01 ... Change"),
    ],
)
def test_forms_are_checked_before_they_are_written(values: dict[str, str], message: str) -> None:
    form = structs.replace(FORM, **values)
    if not message:
        check_form(form, make_overlap_result().record)
        return
    with pytest.raises(InputError) as caught:
        check_form(form, make_overlap_result().record)
    assert re.search(mentions(message), str(caught.value))


def test_tests_are_found_by_fingerprint(board: Board) -> None:
    record = make_overlap_result().record
    tests = find_tests(board, record, Path("x"))
    assert {test_name: test.rows for test_name, test in tests.items()} == {"binary": 1375, "ranking": 634}
    foreign = change(
        make_overlap_result(), lambda r: r["tests"]["binary"].update(fingerprint="b80dc816ce66" + "0" * 52)
    )
    with pytest.raises(
        LeaderboardError, match=mentions("x: ... binary b80dc816ce66 ... --task ... binary b80dc816ce66, ranking")
    ):
        find_tests(board, foreign.record, Path("x"))


def is_link(text: str) -> bool:
    """Return whether a form with a link of a model can be read."""
    try:
        msgspec.convert(text, Link)
    except msgspec.ValidationError:
        return False
    return True


def test_the_characters_of_links() -> None:
    """Visible ASCII without quotes, angle brackets and backslashes follows a host of letters, digits, . and -."""
    visible = set(map(chr, range(0x21, 0x7F)))
    characters = [chr(code) for code in range(0x250)]
    assert {c for c in characters if is_link(f"https://example.org/{c}")} == visible - set("\"'<>\\`")
    host = set(string.ascii_letters + string.digits + ".-")
    assert {c for c in characters if is_link(f"https://{c}")} == host
    assert {c for c in characters if is_link(f"https://a{c}b")} == host | set("/?#")
    assert {c for c in characters if is_link(f"https://a:{c}")} == set(string.digits)
    assert all(map(is_link, ["https://example.org", "https://example.org:8080/a?b#c", "https://a:80"]))
    assert not any(map(is_link, ["https://", "http://a", "https://a:", "https://a:80b", " https://a", "https://a\n"]))
    assert is_link(f"https://{'a' * 492}")
    assert not is_link(f"https://{'a' * 493}")


@pytest.mark.parametrize("contact", ["me@example.org", "first.last+tag@mail.example.org", "https://example.org/me"])
def test_contacts_are_addresses(contact: str) -> None:
    check_form(structs.replace(FORM, contact=contact), make_overlap_result().record)


@pytest.mark.parametrize(
    "contact", ["me", "me@example", "@example.org", "me@.org", "a b@example.org", "http://example.org", "see README"]
)
def test_contacts_that_nobody_can_write_to(contact: str) -> None:
    with pytest.raises(InputError, match=mentions("the form: contact: ... e-mail ... https:// ... Change")):
        check_form(structs.replace(FORM, contact=contact), make_overlap_result().record)


def test_only_baselines_need_no_link() -> None:
    """A kind that this program does not know may be anything, so its model needs a link."""
    without, record = structs.replace(FORM, model_link=None), make_overlap_result().record
    check_form(without, record)
    for kind in ("sentence-transformers", "of a later release"):
        other = structs.replace(record, model=structs.replace(record.model, kind=kind))
        with pytest.raises(LeaderboardError, match=mentions("overlap: lacks a description. Add --model-link")):
            check_form(without, other)
        check_form(FORM, other)
