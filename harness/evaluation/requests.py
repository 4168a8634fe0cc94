"""Requests: everything that determines a result and is known before a model is loaded or a test is built.

`evaluate` writes the hash of the request next to each result. If a later request has the same hash, it reuses that
result and computes nothing. Files are compared by name, size and modification time, because hashing their content can
take longer than evaluating a baseline.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from harness.evaluation.modules.named import NamedMetric
from harness.evaluation.results import Result, read_result
from harness.files.hashing import hash_file, hash_values
from harness.files.json_files import Json
from harness.files.writing import expand_home, write_file
from harness.models.files.hub import find_commit
from harness.models.interfaces.kinds import Spec
from harness.stats.similarities import COSINE
from harness.support.names import slug
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.hub import locate_source
from pyramid_paraphrase.inputs import read_input
from pyramid_paraphrase.options import DATA_VERSION
from pyramid_paraphrase.sources import Source

_SUFFIX = ".request"


def describe_data(sources: Sequence[Source] | None, test_names: Sequence[str]) -> Json:
    """Describe tests and the files that they are built from.

    Args:
        sources: The files. None for the last build of each test.
        test_names: Names of configurations.

    Raises:
        InputError: If a file does not exist, or a repository on the Hub cannot be read.
        NoBuildError: If no files are given and a test has not been built.
    """
    if sources is None:
        from pyramid_paraphrase.builds import find_last_build

        entries = [find_last_build(name, {}) for name in test_names]
        return [[entry.configuration, entry.fingerprint, entry.optional_digest] for entry in entries]
    paths = [locate_source(source, test_names) for source in sources]
    return [list(test_names), [[path.name, _list_states(path)] for path in paths]]


def describe_files(model: Spec) -> Json:
    """Describe the files of a model: by name, size and modification time, or by the commit in the cache of the Hub.

    Args:
        model: The parsed spec of the model.

    Returns:
        The description. None if the vectors also depend on unknown files.
    """
    if model.settings.get("trust_remote_code"):  # the code may be in another repository
        return None
    path = expand_home(model.model)
    if model.kind.has_path and not path.exists():
        return find_commit(model.model, model.settings.get("revision"), model.kind.hub)
    if model.kind.has_path and path.is_dir() and any(path.rglob("adapter_config.json")):
        return None  # an adapter, whose base model is in another place
    return describe_local_files(model)


def describe_local_files(model: Spec) -> list[Json]:
    """Describe the files of a model on this machine. The list is empty for models on the Hub or without files."""
    path = expand_home(model.model)
    if not model.kind.has_path or not path.exists():
        return []
    return _list_states(path)


def hash_request(
    model: Spec, files: Json, data: Json, bootstrap: Sequence[int], metrics: Sequence[NamedMetric] = ()
) -> str:
    """Hash everything that determines a result.

    Args:
        model: The parsed spec of the model.
        files: Description of the files of the model.
        data: Description of the tests.
        bootstrap: Number of resamples and random seed.
        metrics: The metrics that the user named.

    Returns:
        A SHA-256 in hexadecimal.
    """
    decisive: dict[str, Json] = {
        "kind": model.kind.name,
        "model": model.model,
        "title": model.title,
        "options": {name: str(value) for name, value in model.settings.items()},
        "files": files,
        "data": data,
        "bootstrap": list(bootstrap),
        "version": [__version__, DATA_VERSION],
    }
    if model.similarity != COSINE:
        decisive["similarity"] = model.similarity
    if metrics:
        decisive["metrics"] = {metric.name: metric.sha256 for metric in metrics}
    return hash_values(decisive)


def _list_states(root: Path) -> list[Json]:
    """List name, size and modification time of a file, or of every file below a folder."""
    paths = [root]
    if root.is_dir():
        paths = sorted(path for path in root.rglob("*") if path.is_file())
    statuses = [(path, path.stat()) for path in paths]
    return [[path.relative_to(root).as_posix(), status.st_size, status.st_mtime_ns] for path, status in statuses]


def write_request(request: str, result: Path) -> None:
    """Write a request next to the JSON file of its result.

    Raises:
        OutputError: If the request cannot be written.
    """
    write_file(result.with_suffix(_SUFFIX), f"{request} {hash_file(result)}\n".encode())


def find_result(request: str, title: str, folder: Path) -> Result | None:
    """Find the result of a request.

    Args:
        request: Hash of the request.
        title: Name of the model in tables.
        folder: The folder that `Result.write` wrote results to.

    Returns:
        The result. None if it does not exist, or if one of its files was changed or removed.
    """
    for path in sorted((folder / slug(title)).glob(f"*{_SUFFIX}")):
        result = path.with_suffix(".json")
        with suppress(OSError, PyramidParaphraseError):
            if read_input(path).decode("ascii", "replace").split() == [request, hash_file(result)]:
                return read_result(result)
    return None
