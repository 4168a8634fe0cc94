"""The training data that the card of a model names, and the collections that these data contain."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from harness.models.files.hub import find_snapshot
from harness.models.interfaces.kinds import Spec
from harness.models.interfaces.model import MAX_DATASETS
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.inputs import open_input
from pyramid_paraphrase.files.limits import MEBIBYTE

CARD = "README.md"
_MAX_CARD_BYTES, _MAX_LIST = MEBIBYTE, 1 << 16
"""Number of bytes of a card that are read, and of characters of its list of datasets that are parsed as YAML."""

_LONGEST_NAME = 200
_KEY = re.compile("datasets *:")
_BULLET = re.compile(r"\s*- \*\*Training Datasets?:\*\*\s*")
_LINK = re.compile(r"\[.*]\(https://huggingface\.co/datasets/([^\s()]+)\)")
"""A training dataset in the cards of sentence-transformers: its name, with the address of a dataset on the Hub."""

_ADDRESS = re.compile(r"(?:https?://)?huggingface\.co/datasets/|/+$")
_logger = make_logger(__name__)


class Contents(NamedTuple):
    """What datasets contain of our collections.

    Attributes:
        datasets: Names of datasets on the Hub that have these contents, each with the name that it had before, if any.
        collections: Names of our collections.
        has_labels: Whether the datasets contain all or a part of the collections, with their labels. If not, they
            contain the texts that the collections are made from.
        source: Where this can be seen: an address on huggingface.co, or another place.
    """

    datasets: tuple[str, ...]
    collections: tuple[str, ...]
    has_labels: bool
    source: str


_MTEB = "paths of datasets in github.com/embeddings-benchmark/mteb, mteb/tasks"
CONTENTS = (
    Contents(("glue", "nyu-mll/glue"), ("msrp", "qqp", "sts-b", "multinli"), True, "datasets/nyu-mll/glue"),
    Contents(("SetFit/mrpc",), ("msrp",), True, "datasets/SetFit/mrpc"),
    Contents(("snli", "stanfordnlp/snli"), ("snli", "paraphrasus-snli"), True, "datasets/stanfordnlp/snli"),
    Contents(("multi_nli", "nyu-mll/multi_nli", "SetFit/mnli"), ("multinli",), True, "datasets/nyu-mll/multi_nli"),
    Contents(
        ("sentence-transformers/all-nli",),
        ("snli", "multinli", "paraphrasus-snli"),
        True,
        "datasets/sentence-transformers/all-nli",
    ),
    Contents(("anli", "facebook/anli"), ("anli", "paraphrasus-anli"), True, "datasets/facebook/anli"),
    Contents(
        ("quora", "quora-competitions/quora", "embedding-data/QQP", "sentence-transformers/quora-duplicates"),
        ("qqp",),
        True,
        "datasets/quora-competitions/quora; card of sentence-transformers/all-MiniLM-L6-v2",
    ),
    Contents(("mteb/quora", "BeIR/quora"), ("qqp",), True, _MTEB),
    Contents(
        ("paws", "google-research-datasets/paws", "paws-x", "google-research-datasets/paws-x"),
        ("paws",),
        True,
        "datasets/google-research-datasets/paws",
    ),
    Contents(
        ("sick", "RobZamp/sick", "mteb/sickr-sts"),
        ("sick", "paraphrasus-sickr"),
        True,
        f"datasets/RobZamp/sick; {_MTEB}",
    ),
    Contents(
        ("sentence-transformers/stsb", "mteb/stsbenchmark-sts", "stsb_multi_mt", "PhilipMay/stsb_multi_mt"),
        ("sts-b", "paraphrasus-stsb"),
        True,
        f"datasets/PhilipMay/stsb_multi_mt; {_MTEB}",
    ),
    Contents(("mteb/twittersemeval2015-pairclassification",), ("pit2015",), True, _MTEB),
    Contents(("mteb/twitterurlcorpus-pairclassification",), ("twitter-url", "twitter-url-votes"), True, _MTEB),
    Contents(("sihaochen/propsegment",), ("propsegment",), True, "datasets/sihaochen/propsegment"),
    Contents(
        ("cnn_dailymail", "abisee/cnn_dailymail", "ccdv/cnn_dailymail"),
        ("realsumm", "rose", "qapyramid"),
        False,
        "datasets/abisee/cnn_dailymail",
    ),
    Contents(("multi_news", "alexfabbri/multi_news"), ("superpal",), False, "datasets/alexfabbri/multi_news"),
    Contents(("xsum", "EdinburghNLP/xsum"), ("pyrxsum",), False, "datasets/EdinburghNLP/xsum"),
    Contents(
        ("onestop_english", "iastate/onestop_english"),
        ("paraphrasus-onestop",),
        False,
        "datasets/iastate/onestop_english",
    ),
)
"""The table of datasets. A name counts whatever its case, and with hyphens, blanks or underscores."""


def _normalize(name: str) -> str:
    return re.sub(r"[\s_]+", "-", _ADDRESS.sub("", name.strip()).casefold())


_CONTENTS = [({_normalize(name) for name in row.datasets}, row) for row in CONTENTS]


def describe_overlap(datasets: Iterable[str], collections: Collection[str]) -> str:
    """Say which training data contain some of our collections, or the texts that these are made from.

    Args:
        datasets: Names of training data, as a card has them.
        collections: Names of collections.

    Returns:
        Such as "all or a part of snli (in snli), the texts of rose (in cnn_dailymail)". Empty if there are none.
    """
    names_by_part: dict[str, list[str]] = {}
    for name in datasets:
        for names, row in _CONTENTS:
            if _normalize(name) in names:
                what = "all or a part of" if row.has_labels else "the texts of"
                for collection in row.collections:
                    if collection in collections:
                        names_by_part.setdefault(f"{what} {collection}", []).append(name)
    return ", ".join(f"{part} (in {', '.join(names)})" for part, names in sorted(names_by_part.items()))


def read_training_data(spec: Spec) -> tuple[str, ...]:
    """Read the names of the training data from the card in a model's folder, or in the cache of the Hub.

    Args:
        spec: The spec of a model that was loaded.

    Returns:
        The names, at most `MAX_DATASETS`. Empty if there is no card, or it names none.
    """
    folder = Path(spec.model)
    if not folder.is_dir() and spec.kind.hub is not None:
        snapshot = find_snapshot(spec.model, spec.settings.get("revision"), spec.kind.hub)
        if snapshot is None:
            return ()
        folder = snapshot[1]
    with suppress(OSError), open_input(folder / CARD) as file:
        text = file.read(_MAX_CARD_BYTES).decode("utf-8", "replace")
        return _select(list_datasets(text, spec.public), spec.public)
    return ()


def find_training_data(model: Any) -> tuple[str, ...]:  # noqa: ANN401
    """Return the names of the training data of a model of sentence-transformers in memory, as `read_training_data`.

    The names are those of the card that the model was loaded with, and of the data of a later training.
    """
    name = type(model).__name__
    card, trained = getattr(model, "_model_card_text", None), getattr(model, "model_card_data", None)
    names = list_datasets(card, name) if isinstance(card, str) else []
    labels = (dataset.get("id") or dataset.get("name") for dataset in getattr(trained, "train_datasets", None) or [])
    return _select([*names, *(str(label) for label in labels if label)], name)


def _select(names: Iterable[str], model: str) -> tuple[str, ...]:
    """Return the distinct names that a result can contain, and log how many are left out."""
    distinct = list(dict.fromkeys(names))
    usable = [name for name in distinct if name.isprintable() and 0 < len(name) <= _LONGEST_NAME][:MAX_DATASETS]
    if len(usable) < len(distinct):
        message = "%s: %d names of training data in its card are left out (at most %d printable names are recorded)"
        _logger.warning(message, model, len(distinct) - len(usable), MAX_DATASETS)
    return tuple(usable)


def list_datasets(card: str, model: str) -> list[str]:
    """List the training data that a card names.

    Args:
        card: The text of a README: the key `datasets` of its metadata, and the list "Training Datasets" that
            sentence-transformers writes, which also has datasets that are not on the Hub.
        model: Name of the model, for messages.
    """
    import yaml  # imported here, because most models have no card

    lines = card.removeprefix("\ufeff").splitlines()
    start = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    names: list[str] = []
    if lines[start:] and lines[start].rstrip() == "---":
        metadata = list(takewhile(lambda line: line.rstrip() != "---", lines[start + 1 :]))
        try:
            names += _read_metadata(metadata)
        except (yaml.YAMLError, RecursionError, ValueError):
            _logger.warning("%s: the list datasets of its %s cannot be read, so it is not recorded", model, CARD)
    return names + list(_read_bullets(lines))


def _read_metadata(lines: list[str]) -> list[str]:
    """Read the list `datasets` of a card's metadata. Only its lines are parsed, because other lists can be very long.

    Raises:
        ValueError: If it is not a list of names. Also errors of YAML.
    """
    import yaml

    first = next((number for number, line in enumerate(lines) if _KEY.match(line)), None)
    if first is None:
        return []
    block = list(takewhile(lambda line: not line.strip() or line[0] in " \t-#]", lines[first + 1 :]))
    text = "\n".join([lines[first], *block])
    if len(text) > _MAX_LIST:
        raise ValueError("is too long")
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)  # it begins with a key
    value = root.value[0][1]
    nodes = value.value if isinstance(value, yaml.SequenceNode) else [value]
    if not all(isinstance(node, yaml.ScalarNode) for node in nodes):
        raise ValueError("has other values than names")
    return [str(node.value).strip() for node in nodes if node.tag != "tag:yaml.org,2002:null"]


def _read_bullets(lines: list[str]) -> Iterator[str]:
    """Yield the training datasets that a card of sentence-transformers lists, by their name on the Hub if any."""
    first = next((number for number, line in enumerate(lines) if _BULLET.fullmatch(line)), None)
    if first is None:
        return
    for line in lines[first + 1 :]:
        item = line.strip()
        if item and (not item.startswith("- ") or item.startswith("- **")):
            return
        if item:
            link = _LINK.fullmatch(item[2:].strip())
            yield link[1] if link else item[2:].strip()
