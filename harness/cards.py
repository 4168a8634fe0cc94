"""A model's numbers for its card: the two forms of metadata that the Hub reads, and a text for people."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from huggingface_hub import EvalResult, EvalResultEntry, eval_result_entries_to_yaml
from huggingface_hub.repocard_data import eval_results_to_model_index

from harness.errors import CardError
from harness.files import cannot_write, write_files
from harness.model_index import Group, update_readme
from harness.models.naming import slug
from harness.results import Result
from harness.yaml_edits import BYTE_ORDER_MARK, append, apply, parse_document, read_text, render, replace
from pyramid_paraphrase.builder import CITATION
from pyramid_paraphrase.catalog import COLLECTIONS
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.limits import MEBIBYTE
from pyramid_paraphrase.options import BINARY, METRICS, RANKING, number_id
from pyramid_paraphrase.registration import NAME
from pyramid_paraphrase.sample import SAMPLE_WARNING
from pyramid_paraphrase.splits import TEST

README_NAME = "README.md"
ENTRIES_NAME = ".eval_results/pyramid_paraphrase.yaml"
MAX_CARD_BYTES = 16 * MEBIBYTE

# Both are tasks of the Hub. Its "sentence-similarity" is for graded similarity; here a pair is classified, as in the
# paraphrase corpora that the Hub lists under "text-classification", and an option is chosen.
_TASKS = {
    BINARY: ("text-classification", "Paraphrase identification"),
    RANKING: ("multiple-choice", "Paraphrase choice"),
}
_TITLES = {"f1": "F", "average_precision": "average precision", "success_rate": "success rate", "mrr": "MRR"}
_logger = logging.getLogger(__name__)


class Number(NamedTuple):
    """A number that is published.

    Attributes:
        result: What it is from.
        task: Name of the configuration.
        kind: Its task, "binary" or "ranking".
        metric: Name of the metric.
        value: As it is stored.
    """

    result: Result
    task: str
    kind: str
    metric: str
    value: float

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the data."""
        return str(self.result.tasks[self.task]["fingerprint"])


def list_numbers(results: Sequence[Result]) -> list[Number]:
    """List what is published of a model, in the order of the results.

    Args:
        results: One or more, of one model, without a task in common.

    Returns:
        The numbers.

    Raises:
        CardError: If they are of several models, or two are of one task.
    """
    names = list(dict.fromkeys(result.model for result in results))
    if len(names) > 1:
        raise CardError(f"the results are of {len(names)} models, {', '.join(names)}; give those of one")
    numbers = [number for result in results for number in _list_numbers(result)]
    ids = [number_id(number.task, number.metric) for number in numbers]
    for number, one in zip(numbers, ids, strict=True):
        if ids.count(one) > 1:
            raise CardError(f"several results have {number.task}; give one, a card would not tell them apart")
    return numbers


def _list_numbers(result: Result) -> Iterator[Number]:
    for task, values in result.tasks.items():
        kind = BINARY if "f1" in values else RANKING
        for metric in METRICS[kind]:
            yield Number(result, task, kind, metric, float(values[metric]))


def make_groups(numbers: Sequence[Number], dataset_repo: str | None) -> list[Group]:
    """Numbers as `results` of a model-index.

    Args:
        numbers: What `list_numbers` returned.
        dataset_repo: Id of the dataset on the Hub; the name to load it by if None.

    Returns:
        An item per task.
    """
    groups: list[Group] = []
    for task in dict.fromkeys(number.task for number in numbers):
        own = [number for number in numbers if number.task == task]
        task_type, task_name = _TASKS[own[0].kind]
        results = [
            EvalResult(
                task_type=task_type,
                task_name=task_name,
                dataset_type=dataset_repo or NAME,
                dataset_name=f"Pyramid paraphrase ({task})",
                dataset_config=task,
                dataset_split=TEST,
                dataset_args={"fingerprint": number.fingerprint},
                metric_type=number.metric,
                metric_name=_TITLES[number.metric],
                metric_value=number.value,
            )
            for number in own
        ]
        groups += eval_results_to_model_index(own[0].result.model, results)[0]["results"]
    return groups


def make_entries(numbers: Sequence[Number], dataset_repo: str) -> list[dict[str, Any]]:
    """Numbers as entries of a file under `.eval_results`.

    Args:
        numbers: What `list_numbers` returned.
        dataset_repo: Id of the benchmark dataset on the Hub.

    Returns:
        An entry per number.

    Raises:
        CardError: If a result has a date that the Hub would refuse.
    """
    entries = [
        EvalResultEntry(
            dataset_id=dataset_repo,
            task_id=number_id(number.task, number.metric),
            value=number.value,
            date=_read_date(number.result),
            notes=number.result.signature,
        )
        for number in numbers
    ]
    return eval_result_entries_to_yaml(entries)


def _read_date(result: Result) -> str:
    date = str(result.record["time"]["date"])
    try:
        datetime.fromisoformat(date)
    except ValueError:
        raise CardError(f"the result of {result.model} has no date as ISO 8601 has it; evaluate again") from None
    return date


def update_entries(text: str, file: str, entries: Sequence[Mapping[str, Any]]) -> str:
    """Enter entries into a file under `.eval_results`; those of other datasets and tasks stay as they are.

    Args:
        text: The file; empty if there is none.
        file: Its name, for messages.
        entries: What `make_entries` returned.

    Returns:
        The file with the entries.

    Raises:
        InputError: If it cannot be read.
    """
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    document = parse_document(text.removeprefix(mark), file)
    if document.root is None:
        return (text + "\n" if text and not text.endswith("\n") else text) + render(list(entries))
    if not isinstance(document.root, yaml.SequenceNode):
        raise InputError(file, "is no list of entries", "move it out of the way", document.line(document.root))
    edits, new = [], []
    for entry in entries:
        wanted = (entry["dataset"]["id"], entry["dataset"]["task_id"])
        items = [item for item in document.root.value if _identify(item) == wanted]
        edits += [replace(document, item, entry) for item in items]
        new += [] if items else [entry]
    if new:
        edits.append(append(document, document.root, new))
    return mark + apply(document, edits, "\r\n" if "\r\n" in text else "\n")


def _identify(item: yaml.Node) -> tuple[str | None, str | None]:
    return read_text(item, "dataset", "id"), read_text(item, "dataset", "task_id")


def write_card(results: Sequence[Result], folder: Path, dataset_repo: str | None = None) -> list[Path]:
    """Enter a model's numbers into the files of its repository; nothing is written unless all can be.

    Args:
        results: One or more, of one model.
        folder: A checkout of the model's repository, or the folder it was saved to.
        dataset_repo: Id of the benchmark dataset on the Hub; without it only the README is written.

    Returns:
        The files that were written.

    Raises:
        PyramidParaphraseError: If the results do not fit each other, or a file cannot be read or written.
    """
    numbers = list_numbers(results)
    if not folder.is_dir():
        raise CardError(f"{folder}: no such folder; name the one with the model's README.md")
    path = folder / README_NAME
    text = update_readme(_read(path), str(path), results[0].model, make_groups(numbers, dataset_repo))
    contents = {path: text}
    if dataset_repo:
        beside = folder / ENTRIES_NAME
        contents[beside] = update_entries(_read(beside), str(beside), make_entries(numbers, dataset_repo))
    try:
        for path in contents:
            path.parent.mkdir(exist_ok=True)
        write_files({path: text.encode() for path, text in contents.items()})
    except OSError as error:
        raise cannot_write(folder, error) from None
    return list(contents)


def _read(path: Path) -> str:
    """The text of a file with its line ends; empty if there is none."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_CARD_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror})", "check the path") from None
    if len(data) > MAX_CARD_BYTES:
        raise LimitError(str(path), f"is larger than {MAX_CARD_BYTES:,} bytes", "give a smaller one")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(str(path), "is not in UTF-8", "convert it", line) from None


def render_metadata(results: Sequence[Result], dataset_repo: str | None = None) -> str:
    """Both forms of metadata as they would be in files that hold nothing else.

    Raises:
        CardError: If the results do not fit each other.
    """
    numbers = list_numbers(results)
    readme = update_readme("", README_NAME, results[0].model, make_groups(numbers, dataset_repo))
    blocks = [f"{README_NAME}:\n\n{readme}"]
    if dataset_repo:
        blocks.append(f"{ENTRIES_NAME}:\n\n{render(make_entries(numbers, dataset_repo))}")
    return "\n".join(blocks)


def render_snippet(results: Sequence[Result]) -> str:
    """Render the numbers as Markdown: values with intervals, data, signatures, how to cite.

    Args:
        results: One or more, of one model.

    Returns:
        A section of a README.

    Raises:
        CardError: If the results do not fit each other.
    """
    numbers = list_numbers(results)
    rows = [f"| `{one.task}` | {_TITLES[one.metric]} | {one.value:.3f} | {_format_interval(one)} |" for one in numbers]
    prints = dict.fromkeys(f"`{number.task}` `{number.fingerprint[:12]}`" for number in numbers)
    data = f"Data: {', '.join(_list_collections(results))}; fingerprints {', '.join(prints)}."
    lines = [
        "## Pyramid paraphrase",
        "",
        "| test | metric | value | interval |",
        "| --- | --- | ---: | --- |",
        *rows,
        "",
        f"{data} Numbers compare only between equal fingerprints. {_describe_statistics(results)}",
        "",
        "Signature, to be quoted with the numbers:",
        "",
        *dict.fromkeys(f"    {result.signature}" for result in results),
        "",
        "The tests follow this paper:",
        "",
        "```bibtex",
        CITATION,
        "```",
    ]
    return "\n".join(lines)


def _format_interval(number: Number) -> str:
    interval = number.result.tasks[number.task]["intervals"].get(number.metric)
    return f"[{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "-"


def _list_collections(results: Sequence[Result]) -> list[str]:
    titles = {row.name: row.title for row in COLLECTIONS}
    names = dict.fromkeys(name for result in results for name in result.record["dataset"]["collections"])
    return [titles.get(name) or slug(name) for name in names]


def _describe_statistics(results: Sequence[Result]) -> str:
    kinds = dict.fromkeys(
        (one["confidence"], one["resamples"]) for one in (result.record["statistics"] for result in results)
    )
    described = [f"{confidence * 100:g} %, bootstrap over topics, {count:,} resamples" for confidence, count in kinds]
    return f"Intervals: {'; '.join(described)}."


def warn_if_sample(results: Sequence[Result]) -> None:
    """Log that scores on the sample compare with nothing."""
    if any("sample" in result.record["dataset"]["collections"] for result in results):
        _logger.warning(SAMPLE_WARNING)
