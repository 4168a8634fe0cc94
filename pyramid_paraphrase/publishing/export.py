"""Write and read a built dataset as a folder: Parquet files, descriptions, manifest, and keys without text."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import platform
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pyramid_paraphrase.building.built_tests import BuiltTest, fingerprint_rows, list_collections
from pyramid_paraphrase.building.rows import PYRAMID_COLUMNS
from pyramid_paraphrase.catalog import COLLECTION_NAMES, find_collection, topic_of
from pyramid_paraphrase.errors import InputError, OptionError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.archives import compress_pieces
from pyramid_paraphrase.files.atomic import write_whole_folder
from pyramid_paraphrase.files.inputs import exists, open_input
from pyramid_paraphrase.publishing import card
from pyramid_paraphrase.publishing.registration import NAME
from pyramid_paraphrase.pyramids.corpus import Corpus, count_kinds
from pyramid_paraphrase.pyramids.sources import MANIFEST_NAME, hash_file
from pyramid_paraphrase.rules import options
from pyramid_paraphrase.rules.propositions import sha256_of

MANIFEST_FORMAT = 1
KEY_NAME = "key.csv.gz"
CARD_NAME = "README.md"
BENCHMARK_NAME = "eval.yaml"

_TABLES_PER_ROW_GROUP = 100
"""Tables per row group of a Parquet file: up to 100,000 rows, about 40 MiB."""

_SPLITS = (options.TEST, options.TRAIN, options.VALIDATION)
_VERSIONED = ("pyramid-paraphrase", "datasets", "lxml", "numpy", "pyarrow")


def write_folder(
    corpus: Corpus,
    tests: Sequence[BuiltTest],
    folder: Path,
    metrics: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> None:
    """Write built configurations as a folder that `load_dataset` loads by its path.

    Args:
        corpus: The corpus that the configurations were built from.
        tests: The configurations.
        folder: The path of the folder. An existing folder is replaced if this function wrote it.
        metrics: Names of the published metrics by configuration, for the benchmark. Without them, it lists no tasks.

    Raises:
        OutputError: If anything else is at this path, or the folder cannot be written.
    """
    write_whole_folder(folder, list_own_files, lambda temporary: _write_files(corpus, tests, temporary, metrics))


def list_own_files(folder: Path) -> list[str] | None:
    """List the files of a build. Return None if the folder is not a build."""
    try:
        manifest = _load_manifest(folder)
        name, files = manifest["name"], manifest["files"]
    except (InputError, OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    is_list = isinstance(files, list) and all(isinstance(file, str) for file in files)
    return files if name == NAME and is_list else None


def _write_files(
    corpus: Corpus, tests: Sequence[BuiltTest], folder: Path, metrics: Mapping[str, Sequence[str]]
) -> None:
    schemas = {test.configuration.name: _make_schema(test.configuration, test.column_names) for test in tests}
    for test in tests:
        subfolder, schema = folder / test.configuration.name, schemas[test.configuration.name]
        subfolder.mkdir()
        for split, tables in test.splits.items():
            # A limited number of rows is in memory at a time.
            remaining = iter(tables)
            with pq.ParquetWriter(subfolder / f"{split}.parquet", schema, write_page_index=True) as writer:
                while group := list(islice(remaining, _TABLES_PER_ROW_GROUP)):
                    writer.write_table(pa.concat_tables(group).cast(schema))
        (subfolder / KEY_NAME).write_bytes(render_key(test))
    manifest = make_manifest(corpus, tests)
    texts = {
        MANIFEST_NAME: json.dumps(manifest, indent=1) + "\n",
        BENCHMARK_NAME: card.render_benchmark(tests, metrics),
        CARD_NAME: card.render_card(tests),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    digests = []
    for name in manifest["files"]:
        if name == MANIFEST_NAME or "/" in name:
            with open_input(folder / name) as file:
                digests.append(hash_file(file, name))
    (folder / card.CROISSANT_NAME).write_text(card.render_croissant(tests, schemas, digests), encoding="utf-8")


def _make_schema(configuration: options.Configuration, columns: Collection[str]) -> pa.Schema:
    from pyramid_paraphrase.publishing.builder import make_features  # imports `datasets`, which few commands need

    return make_features(configuration, columns).arrow_schema


def render_key(test: BuiltTest) -> bytes:
    """Render the key of a configuration: everything that metrics need except scores, without any text.

    Returns:
        A gzip-compressed CSV file: id, label or answer, split, and topics joined by a space.
    """
    return compress_pieces(_render_key_rows(test))


def _render_key_rows(test: BuiltTest) -> Iterator[bytes]:
    """Yield the key as CSV, one table at a time, because all rows together would need too much memory."""
    kind = test.configuration.kind
    target, pyramid_columns = kind.target, PYRAMID_COLUMNS[kind]
    yield f"id,{target},split,topics\n".encode("ascii")
    for split, tables in test.splits.items():
        for table in tables:
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\n")
            columns = table.select(["id", target, *pyramid_columns]).to_pydict()
            for row_id, value, *pyramids in zip(*columns.values(), strict=True):
                topics = " ".join(sorted(set(map(topic_of, pyramids))))
                writer.writerow([row_id, value, split, topics])
            yield text.getvalue().encode("ascii")


def make_manifest(corpus: Corpus, tests: Sequence[BuiltTest]) -> dict[str, Any]:
    """Describe a build: fingerprints, options, counts, inputs, versions."""
    collections = sorted({find_collection(pyramid.id) for pyramid in corpus.pyramids})
    files = [MANIFEST_NAME, BENCHMARK_NAME, CARD_NAME, card.CROISSANT_NAME]
    for test in tests:
        names = (KEY_NAME, *(f"{split}.parquet" for split in test.splits))
        files += [f"{test.configuration.name}/{name}" for name in names]
    return {
        "format": MANIFEST_FORMAT,
        "name": NAME,
        "data_version": options.DATA_VERSION,
        "fingerprint": sha256_of(*sorted(test.fingerprint for test in tests)),
        "files": sorted(files),
        "configurations": {
            test.configuration.name: {
                "fingerprint": test.fingerprint,
                "optional_columns": test.optional_digest,
                "options": test.recorded_options,
                "counts": test.counts,
            }
            for test in tests
        },
        "pyramids": {
            pyramid.id: {"collection": find_collection(pyramid.id).name, "file": corpus.files[pyramid.id]}
            for pyramid in corpus.pyramids
        },
        "collections": {row.name: {"title": row.title, "year": row.year} for row in collections},
        "accounts": dataclasses.asdict(corpus.accounts),
        "problems": count_kinds(corpus.problems),
        "inputs": [dataclasses.asdict(file) for file in corpus.inputs],
        "versions": {"python": platform.python_version(), **{name: version(name) for name in _VERSIONED}},
    }


def list_tests(folder: Path) -> tuple[str, ...]:
    """List the configurations of a folder that `write_folder` wrote.

    Raises:
        InputError: If its manifest was changed.
    """
    manifest = _read_manifest(folder)
    return tuple(name for name in options.PYRAMID_TESTS if name in manifest)


def read_folder(folder: Path, configuration: str) -> BuiltTest:
    """Read one configuration of a folder that `write_folder` wrote, and check it against its manifest.

    Raises:
        OptionError: If the folder does not contain the configuration.
        InputError: If its rows or its manifest were changed.
    """
    manifest = _read_manifest(folder)
    chosen = options.find_configuration(configuration)
    configurations = [name for name in options.PYRAMID_TESTS if name in manifest]
    if configuration not in configurations:
        built_with = ", ".join(configurations) or "no known configuration"
        raise OptionError(f"{folder} does not contain {configuration}. It contains {built_with}")
    files = {split: folder / configuration / f"{split}.parquet" for split in _SPLITS}
    try:
        tables = {split: [_read_parquet(file, chosen)] for split, file in files.items() if exists(file)}
        fault = _find_fault({split: table for split, (table,) in tables.items()}, chosen.kind)
    except (OSError, ValueError, pa.ArrowException) as error:
        causes = str(error).splitlines() or [type(error).__name__]
        reason = f"cannot be read ({causes[0]})"
        raise InputError(str(folder / configuration), reason, _REBUILD) from None
    entry = manifest[configuration]
    try:
        rules, counts, fingerprint = options.Options(**entry["options"]), dict(entry["counts"]), entry["fingerprint"]
    except (KeyError, TypeError, ValueError):
        raise InputError(str(folder / MANIFEST_NAME), _NO_MANIFEST, _REBUILD) from None
    if not fault and fingerprint_rows(tables) != fingerprint:
        fault = "rows do not match the fingerprint in the manifest"
    if fault:
        raise InputError(str(folder / configuration), fault, _REBUILD)
    test = BuiltTest(
        configuration=chosen,
        options=rules,
        splits=tables,
        collections=list_collections(tables),
        counts=counts,
        fingerprint=fingerprint,
    )
    if test.optional_digest != entry.get("optional_columns", ""):
        reason = "columns of weights, parts, relations or contexts do not match the manifest"
        raise InputError(str(folder / configuration), reason, _REBUILD)
    return test


def _read_parquet(file: Path, configuration: options.Configuration) -> pa.Table:
    with open_input(file) as stream:  # refuses a named pipe, on which pyarrow would block
        table = pq.read_table(stream)
    # Earlier releases wrote no optional columns.
    return table.cast(_make_schema(configuration, table.column_names))


def _find_fault(splits: Mapping[str, pa.Table], kind: options.Kind) -> str:
    """Describe the first fault of the rows, or return "" if there is none.

    The fingerprint cannot detect these faults if it was changed together with the rows.

    Raises:
        pa.ArrowInvalid: If a text is not UTF-8.
    """
    required = {options.VALIDATION, options.TEST} if kind.fits_threshold else {options.TEST}
    if not required <= splits.keys() <= {*_SPLITS} or not all(map(len, splits.values())):
        return "does not have the expected splits"
    whole = pa.concat_tables(splits.values())
    whole.validate(full=True)
    values = [column.combine_chunks() for column in whole.columns]
    values += [column.flatten() for column in values if pa.types.is_list(column.type)]
    if any(column.null_count for column in values):
        return "has a row with a missing value"
    names = [name for name in whole.column_names if name == "id" or name.startswith("pyramid")]
    if not all(pc.all(pc.ascii_is_printable(whole[name])).as_py() for name in names):
        return "has an id with characters outside of ASCII"
    if set(list_collections({options.TEST: [whole]})).difference(COLLECTION_NAMES):
        return "has a row of an unknown collection"
    if pc.count_distinct(whole["id"]).as_py() < len(whole):
        return "has a duplicate id"
    lowest, highest = pc.min_max(whole[kind.target]).as_py().values()
    lists = [column for column in whole.columns if pa.types.is_list(column.type)]
    lengths = [pc.list_value_length(column).unique().to_pylist() for column in lists]
    counts = {2} if kind == options.PAIRS else set(chain.from_iterable(lengths))
    if len(counts) > 1 or lowest < 0 or highest >= counts.pop():
        return f"has a wrong {kind.target}, or questions of different numbers of options"
    return ""


_NO_MANIFEST = "is not a manifest of a built dataset"
_REBUILD = "build the folder again with `pyramid-paraphrase build SOURCE --output`"


def _load_manifest(folder: Path) -> Any:  # noqa: ANN401 - the content is untrusted
    """Parse the manifest of a folder.

    Raises:
        ValueError: If it is not JSON, or larger than `limits` allows.
    """
    with open_input(folder / MANIFEST_NAME) as file:
        data = file.read(limits.MAX_FILE_BYTES + 1)
    if len(data) > limits.MAX_FILE_BYTES:
        raise ValueError("too large")
    return json.loads(data)


def _read_manifest(folder: Path) -> Mapping[str, Any]:
    try:
        configurations: Mapping[str, Any] = dict(_load_manifest(folder)["configurations"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise InputError(str(folder / MANIFEST_NAME), _NO_MANIFEST, f"{_REBUILD} after removing it") from None
    return configurations
