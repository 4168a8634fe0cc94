"""Models on the Hub: search in the local cache, the check whether the Hub can be reached, and suggestions of names."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from urllib.parse import unquote

from harness.files.writing import expand_home
from harness.support.errors import ModelError, describe_cause
from pyramid_paraphrase.errors import CLOSE, find_similar

_MAX_NAMES = 10_000
"""Maximum number of entries of a folder that are compared."""


def suggest_nearby(name: str) -> str:
    """Return a question about a file or folder with a similar name, to be appended to an error message.

    Args:
        name: The name of a model, which may be a misspelled path.

    Returns:
        Such as ". Did you mean 'runs/my-model'?", or an empty text if no name in the same folder is similar.
    """
    path = expand_home(name)
    names: list[str] = []
    with suppress(OSError, ValueError), os.scandir(path.parent) as entries:
        names = sorted(entry.name for entry in islice(entries, _MAX_NAMES) if not entry.name.startswith("."))
    similar = find_similar(path.name, names, CLOSE)
    if similar in ("", path.name):
        return ""
    return f". Did you mean '{path.with_name(similar)}'?"


_MARKS = ("config.json", "modules.json", "adapter_config.json")
"""Every saved model has at least one of these files."""

_TRIES = 2
_SECONDS_BETWEEN_TRIES = 1
_NO_CONNECTION = frozenset({"ConnectError", "ConnectTimeout", "ProxyError", "ConnectionError"})
"""Names of errors which mean that no answer came. The Hub's library uses requests, httpx or a successor of httpx."""


CACHE_VARIABLE = "SENTENCE_TRANSFORMERS_HOME"
"""Environment variable with the folder of the cache of sentence-transformers."""

ORGANIZATIONS = SENTENCE_TRANSFORMERS, CROSS_ENCODER, SPARSE_ENCODER = (
    "sentence-transformers",
    "cross-encoder",
    "sparse-encoder",
)
"""The organizations that sentence-transformers adds to names of models without an organization."""


def must_be_local(name: str, revision: str | None, organization: str | None) -> bool:
    """Return whether a model has to be loaded from the cache because the Hub cannot be reached.

    The libraries request one file after another, each several times. Without a network connection, their error takes
    more than a minute. This function requests one file, twice.

    Args:
        name: A folder, or a name on the Hub.
        revision: A commit, branch or tag. None for the main branch.
        organization: As for `find_snapshot`.

    Returns:
        True if the Hub cannot be reached and the model is in the cache. False for a folder, or if the Hub answers.

    Raises:
        ModelError: If the Hub cannot be reached and the model is not in the cache.
    """
    from huggingface_hub.constants import HF_HUB_OFFLINE

    if Path(name).is_dir():
        return False
    error = None
    cause, remedy = "HF_HUB_OFFLINE is set", "Check the name, unset HF_HUB_OFFLINE"
    if not HF_HUB_OFFLINE:
        error = _request_file(name, revision)
        if error is None:
            return False
        cause, remedy = describe_cause(error), "Check the name and the network"
    if find_snapshot(name, revision, organization) is not None:
        return True
    state = f"revision {revision} is" if revision else "is"
    reason = f"{state} not in the local cache, and the Hub cannot be reached ({cause})"
    raise ModelError(f"{name}: {reason}. {remedy}, or use a folder{suggest_nearby(name)}") from error


def _request_file(name: str, revision: str | None) -> Exception | None:
    """Request a file from the Hub. Return the error if there is no answer in time, and None after any answer."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    from pyramid_paraphrase.hub_client import find_silence

    unreachable, address = None, hf_hub_url(name, _MARKS[0], revision=revision)
    for attempt in range(_TRIES):
        time.sleep(attempt * _SECONDS_BETWEEN_TRIES)
        try:
            return find_silence(lambda: get_hf_file_metadata(address, timeout=None))
        except Exception as error:
            if _NO_CONNECTION.isdisjoint(parent.__name__ for parent in type(error).__mro__):
                return None  # the library that loads the model reports other errors in more detail
            unreachable = error
    return unreachable


_FILE = re.compile(r"/(.+?)/resolve/([^/]+)/(.+)")
"""The address of a file, after that of the Hub: repository, revision and path."""


@contextmanager
def requiring_answers(name: str) -> Iterator[None]:
    """Refuse a model if the Hub does not send a file that the block needs, which loads the model.

    Libraries continue without a file if the Hub does not answer. The model would then be another one, for example with
    another pooling.

    Args:
        name: A folder, or a name on the Hub.

    Raises:
        ModelError: If a request for a file has no answer, and the file is not in the cache. If the block fails, also
            if any other request has no answer.
    """
    from pyramid_paraphrase.hub_client import failures

    def refuse(failure: Exception) -> ModelError:
        reason = f"cannot be downloaded from the Hub ({describe_cause(failure)})"
        return ModelError(f"{name}: {reason}. Check the network, and run the command again")

    failures.clear()
    try:
        yield
    except Exception:
        for failure in failures.values():
            raise refuse(failure) from failure
        raise
    for address, failure in failures.items():
        if not _is_in_cache(address):
            raise refuse(failure) from failure


def _is_in_cache(address: str) -> bool:
    """Return whether an address is not that of a file, or the file is in a cache."""
    from huggingface_hub import constants, try_to_load_from_cache

    match = _FILE.fullmatch(unquote(address.removeprefix(constants.ENDPOINT)))
    if match is None:
        return True
    repository, revision, file = match.groups()
    caches = (None, os.environ.get(CACHE_VARIABLE))
    return any(isinstance(try_to_load_from_cache(repository, file, cache, revision), str) for cache in caches)


def is_unknown(error: BaseException | None) -> bool:
    """Return whether a repository that does not exist, or that this user may not read, caused a library's error."""
    from huggingface_hub.errors import RepositoryNotFoundError

    while error is not None and not isinstance(error, RepositoryNotFoundError):
        error = error.__cause__ or error.__context__
    return error is not None


def find_snapshot(name: str, revision: str | None, organization: str | None) -> tuple[str, Path] | None:
    """Find the cached files of a model on the Hub.

    Args:
        name: Name of the model.
        revision: A commit, branch or tag. None for the main branch.
        organization: The organization that the library that loads the model adds to names without one. Empty if it adds
            none. None if it does not load models from the Hub.

    Returns:
        The repository and the commit, such as "org/name@0123abc", and the folder of the files. None if no file of the
        model is in the cache, or if the name cannot be one on the Hub.
    """
    from huggingface_hub import errors, try_to_load_from_cache

    if organization is None:
        return None
    folder = os.environ.get(CACHE_VARIABLE) if organization in ORGANIZATIONS else None
    repositories = [name]
    if organization and "/" not in name:
        repositories.append(f"{organization}/{name}")
    for repository in repositories:
        for mark in _MARKS:
            try:
                path = try_to_load_from_cache(repository, mark, cache_dir=folder, revision=revision)
            except errors.HFValidationError:
                return None
            if isinstance(path, str):
                folder_of_commit = Path(path).parent  # named by the commit
                return f"{repository}@{folder_of_commit.name}", folder_of_commit
    return None
