"""Insertion of the numbers of a model into the files of its repository."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from harness.cards.metadata import update_readme
from harness.cards.numbers import list_numbers, make_entries, make_groups
from harness.cards.yaml_edits import (
    append_items,
    apply_edits,
    parse_document,
    read_text,
    render_yaml,
    replace_value,
    split_byte_order_mark,
)
from harness.evaluation.record import ModelRecord
from harness.evaluation.results import Result
from harness.files.writing import write_files
from harness.models.neural.checkpoints import find_fingerprint
from harness.support.errors import CardError
from pyramid_paraphrase.catalog import SAMPLE_WARNING
from pyramid_paraphrase.errors import InputError, LimitError, cannot_read, cannot_write
from pyramid_paraphrase.files.inputs import is_folder, open_input
from pyramid_paraphrase.files.limits import MEBIBYTE

README_NAME = "README.md"
ENTRIES_NAME = ".eval_results/pyramid_paraphrase.yaml"
MAX_CARD_BYTES = 16 * MEBIBYTE

_logger = logging.getLogger(__name__)


def update_entries(text: str, file: str, entries: Sequence[Mapping[str, Any]]) -> str:
    """Enter entries into a file under `.eval_results`. Entries of other datasets and tasks remain unchanged.

    Args:
        text: The content of the file. Empty if there is no file.
        file: Name of the file, for messages.
        entries: Entries from `make_entries`.

    Returns:
        The new content of the file.

    Raises:
        InputError: If the content is not a list of entries in YAML.
    """
    mark, content = split_byte_order_mark(text)
    document = parse_document(content, file)
    line_break = "\r\n" if "\r\n" in text else "\n"
    if document.root is None:
        if text and not text.endswith(("\r", "\n")):
            text += line_break
        return text + render_yaml(list(entries)).replace("\n", line_break)
    if not isinstance(document.root, yaml.SequenceNode):
        raise InputError(file, "is not a list of entries", "rename or remove it", document.line(document.root))
    edits, new_entries = [], []
    for entry in entries:
        identity = (entry["dataset"]["id"], entry["dataset"]["task_id"])
        items = [item for item in document.root.value if _identify(item) == identity]
        edits += [replace_value(document, item, entry) for item in items]
        if not items:
            new_entries.append(entry)
    if new_entries:
        edits.append(append_items(document, document.root, new_entries))
    return mark + apply_edits(document, edits, line_break)


def _identify(item: yaml.Node) -> tuple[str | None, str | None]:
    return read_text(item, "dataset", "id"), read_text(item, "dataset", "task_id")


def write_card(results: Sequence[Result], folder: Path, dataset_repo: str | None = None) -> list[Path]:
    """Enter the numbers of a model into the files of its repository. Either all files are written, or none.

    Args:
        results: One or more results of one model.
        folder: A checkout of the model's repository, or the folder in which the model was saved.
        dataset_repo: Id of the benchmark dataset on the Hub. If None, only the README is written.

    Returns:
        The written files.

    Raises:
        PyramidParaphraseError: If the results are not from one model, or not of different tests, or if a file cannot be
            read or written.
    """
    numbers = list_numbers(results)
    if not is_folder(folder):
        raise CardError(f"{folder}: no such folder. Use the folder with the model's README.md")
    for result in results:
        _warn_if_changed(result.record.model, folder)
    path = folder / README_NAME
    text = update_readme(_read(path), str(path), results[0].model, make_groups(numbers, dataset_repo))
    contents = {path: text}
    if dataset_repo:
        entries_path = folder / ENTRIES_NAME
        entries = make_entries(numbers, dataset_repo)
        contents[entries_path] = update_entries(_read(entries_path), str(entries_path), entries)
    try:
        for path in contents:
            path.parent.mkdir(exist_ok=True)
        write_files({path: text.encode() for path, text in contents.items()})
    except OSError as error:
        raise cannot_write(folder, error) from None
    return list(contents)


def _warn_if_changed(model: ModelRecord, folder: Path) -> None:
    """Log a warning if a model was evaluated from a folder of this name, and the folder now has other files.

    Raises:
        ModelError: If a file of the folder cannot be read.
    """
    name = model.spec.partition(":")[2].split(",")[0]
    if not folder.resolve().as_posix().endswith(f"/{name}"):
        return
    fingerprint = find_fingerprint(folder, model.kind, model.options)
    if fingerprint not in (None, model.fingerprint):
        prints = f"fingerprint {str(fingerprint)[:12]} instead of {model.fingerprint[:12]}"
        message = "%s: its files are not those that were evaluated (%s). If the model has changed, evaluate it again"
        _logger.warning(message, folder, prints)


def _read(path: Path) -> str:
    """Read a text file with its line breaks. Return an empty text if there is no file."""
    try:
        with open_input(path) as file:
            data = file.read(MAX_CARD_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise cannot_read(path, error, "check the path") from None
    if len(data) > MAX_CARD_BYTES:
        raise LimitError(str(path), f"is larger than {MAX_CARD_BYTES:,} bytes", "shorten it")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(str(path), "is not UTF-8", "convert the file to UTF-8", line) from None


def render_metadata(results: Sequence[Result], dataset_repo: str | None = None) -> str:
    """Render both forms of metadata as files without other content.

    Raises:
        CardError: If the results are not from one version of a model, or not of different tests.
    """
    numbers = list_numbers(results)
    readme = update_readme("", README_NAME, results[0].model, make_groups(numbers, dataset_repo))
    blocks = [f"{README_NAME}:\n\n{readme}"]
    if dataset_repo:
        blocks.append(f"{ENTRIES_NAME}:\n\n{render_yaml(make_entries(numbers, dataset_repo))}")
    return "\n".join(blocks)


def warn_if_sample(results: Sequence[Result]) -> None:
    """Log a warning that scores on the sample cannot be compared with others."""
    if any("sample" in result.record.dataset.collections for result in results):
        _logger.warning(SAMPLE_WARNING)
