"""Models on the Hub: find them in the local cache, and find out whether the Hub can be reached."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

from harness.models.files.nearby_names import suggest_nearby
from harness.support.errors import ModelError, describe_cause

_MARKS = ("config.json", "modules.json")
"""Files of which every saved model has at least one."""

_TRIES = 2
_SECONDS_BETWEEN_TRIES = 1
_NO_CONNECTION = frozenset({"ConnectError", "ConnectTimeout", "ProxyError", "ConnectionError"})
"""Errors without any answer, in requests, httpx and its successors; the Hub's library uses one of these packages.

A late answer is not among them, because the library that loads the model waits longer than this module.
"""


class HubLibrary(NamedTuple):
    """How a library finds models on the Hub and in the local cache.

    Attributes:
        organization: The organization to which a name without one may belong; empty if there is none.
        cache_variable: Environment variable with the folder of the library's own cache; empty if there is none.
    """

    organization: str = ""
    cache_variable: str = ""


def must_be_local(name: str, revision: str | None, library: HubLibrary | None) -> bool:
    """Find out whether a model has to be taken from the cache because the Hub cannot be reached.

    The libraries request one file after the other, each several times. Without network, their error comes after more
    than a minute. This function requests one file, twice.

    Args:
        name: A folder, or a name on the Hub.
        revision: A commit, branch or tag; None for the main branch.
        library: The library that loads the model.

    Returns:
        True if the Hub cannot be reached and the model is in the cache; False for a folder, and if the Hub answers.

    Raises:
        ModelError: If the Hub cannot be reached and the model is not in the cache.
    """
    from huggingface_hub.constants import HF_HUB_OFFLINE

    if Path(name).is_dir():
        return False
    error = None
    cause, remedy = "HF_HUB_OFFLINE is set", "check the name, unset HF_HUB_OFFLINE"
    if not HF_HUB_OFFLINE:
        error = _request_file(name, revision)
        if error is None:
            return False
        cause, remedy = describe_cause(error), "check the name and the network"
    if find_commit(name, revision, library) is not None:
        return True
    state = f"revision {revision} is" if revision else "is"
    raise ModelError(
        f"{name}: {state} not in the local cache, and the Hub cannot be asked ({cause}); {remedy}, or give a folder"
        f"{suggest_nearby(name)}"
    ) from error


def _request_file(name: str, revision: str | None) -> Exception | None:
    """Request a file from the Hub; return the error if the Hub cannot be reached, and None for any answer."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    unreachable = None
    for attempt in range(_TRIES):
        time.sleep(attempt * _SECONDS_BETWEEN_TRIES)
        try:
            get_hf_file_metadata(hf_hub_url(name, _MARKS[0], revision=revision))
        except Exception as error:
            if _NO_CONNECTION.isdisjoint(parent.__name__ for parent in type(error).__mro__):
                return None  # the library that loads the model reports any other error, in more detail
            unreachable = error
        else:
            return None
    return unreachable


def is_unknown(error: BaseException | None) -> bool:
    """Whether an error of a library was caused by a repository that the Hub does not show to this user."""
    from huggingface_hub.errors import RepositoryNotFoundError

    while error is not None and not isinstance(error, RepositoryNotFoundError):
        error = error.__cause__ or error.__context__
    return error is not None


def find_commit(name: str, revision: str | None, library: HubLibrary | None) -> str | None:
    """Find the cached commit of a model on the Hub.

    Args:
        name: Its name.
        revision: A commit, branch or tag; None for the main branch.
        library: The library that loads the model; None if it takes none from the Hub.

    Returns:
        Repository and commit, such as "org/name@0123abc"; None if no file of it is in the cache.
    """
    from huggingface_hub import try_to_load_from_cache

    if library is None:
        return None
    folder = os.environ.get(library.cache_variable) if library.cache_variable else None
    repositories = [name]
    if library.organization and "/" not in name:
        repositories.append(f"{library.organization}/{name}")
    for repository in repositories:
        for mark in _MARKS:
            path = try_to_load_from_cache(repository, mark, cache_dir=folder, revision=revision)
            if isinstance(path, str):
                return f"{repository}@{Path(path).parent.name}"
    return None
