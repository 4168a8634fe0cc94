"""The statements of the author of a submission about the model."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import asdict

from harness.evaluation.record import Record
from harness.files import json_files
from harness.models.registry import KIND_BY_NAME
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.escaping import is_visible
from pyramid_paraphrase.files.inputs import read_bytes

FORM_NAME = "submission.json"
MAX_JSON_BYTES = 1 << 18
REMEDY = "Write it again with `pyramid-paraphrase submit`"

_LINK = r"https://[A-Za-z0-9.-]+(:[0-9]+)?([/?#][!#-&(-;=?-\[\]^_a-z{|}~]*)?"
_CONTACT = rf"{_LINK}|[A-Za-z0-9.!#$%&*+/=?^_`{{|}}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+"


Link = Annotated[
    str,
    Meta(
        pattern=rf"^{_LINK}\Z",
        max_length=500,
        description="an address that begins with https:// and contains no space or quote",
    ),
]


class Form(json_files.JsonRecord, frozen=True, tag_field="format", tag=1):
    """The statements of the author of a submission.

    Attributes:
        contact: Person to ask about the model.
        model_link: URL of a description of the model. None for a baseline of this program, which needs no name.
        training_data: Data that the model was trained on.
        saw_test_data: "yes" if it was trained on texts or annotations of the tests, "no", or "unknown".
        submitted: Date of the submission, in ISO format.
        replaces: Name of an accepted submission that it replaces, or "".
    """

    contact: json_files.ShortLine
    model_link: Link | None
    training_data: Annotated[
        str, Meta(pattern=json_files.LINE, max_length=1000, description="1 to 1,000 characters in one line")
    ]
    saw_test_data: Literal["no", "yes", "unknown"]
    submitted: json_files.Date
    replaces: Annotated[
        str, Meta(pattern=r"^[\w.-]{1,255}\Z", description="the name of a submission, which is that of its folder")
    ] = ""


def needs_link(record: Record) -> bool:
    """Return whether the author has to link a description of the model: for all but baselines of this program."""
    kind = KIND_BY_NAME.get(record.model.kind)
    return kind is None or kind.has_name


def check_form(form: Form, record: Record) -> None:
    """Check the statements of an author before they are written. Later checks accept every contact in one line.

    Args:
        form: The statements.
        record: The record of the result that is submitted.

    Raises:
        InputError: If they are not valid, or name no address for questions.
        LeaderboardError: If they do not link a description of the model, although it has one.
    """
    json_files.make_record(msgspec.to_builtins(form), Form, "the form", "form of a submission", "change it")
    _check_lines(form, "the form", "change it")
    if not re.fullmatch(_CONTACT, form.contact, re.ASCII):
        reason = f"contact: {form.contact!r} is neither an address of e-mail nor a link that begins with https://"
        raise InputError("the form", reason, "change it")
    if form.model_link is None and needs_link(record):
        raise LeaderboardError(f"{record.model.name}: lacks a description. Add --model-link with its address")


def read_form(path: Path) -> Form:
    """Read the statements of the author of a submission.

    Raises:
        InputError: If they are not valid.
    """
    data = read_bytes(path, MAX_JSON_BYTES, REMEDY)
    value = json_files.parse_json(data, str(path), REMEDY)
    form = json_files.make_record(value, Form, str(path), "form of a submission", REMEDY)
    require_format(data, json_files.render_json(msgspec.to_builtins(form)), path)
    _check_lines(form, str(path), REMEDY)
    return form


def require_format(data: bytes, rendered: bytes, path: Path) -> None:
    """Refuse a file that differs from how this program writes its content, except for line ends.

    Raises:
        LeaderboardError: If the file could hide text in repeated keys, spaces or unusual forms of numbers.
    """
    if data.replace(b"\r\n", b"\n") != rendered:  # git may have changed line ends
        reason = f"{path}: spacing, key order or numbers differ from the format of this program"
        raise LeaderboardError(f"{reason}. {REMEDY}")


def _check_lines(form: Form, file: str, remedy: str) -> None:
    """Check properties of a form that its schema cannot: texts are visible and not blank, and the date exists."""
    for name, text in asdict(form).items():
        if text and (not is_visible(text) or not text.strip()):
            raise InputError(file, f"is not a form of a submission: {name}: is not a single printable line", remedy)
    try:
        date.fromisoformat(form.submitted)
    except ValueError:
        reason = f"is not a form of a submission: submitted: {form.submitted} is not a date"
        raise InputError(file, reason, remedy) from None
