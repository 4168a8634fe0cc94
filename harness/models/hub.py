"""Models on the Hub: what of them is in the local cache, and whether the Hub can be asked for the rest."""

from __future__ import annotations

import os
import time
from pathlib import Path

from harness.support.errors import ModelError, describe_cause

_MARKS = ("config.json", "modules.json")
"""Files of which every saved model has at least one."""

_TRIES = 2
_SECONDS_BETWEEN_TRIES = 1
_NO_CONNECTION = frozenset({"ConnectError", "ConnectTimeout", "ProxyError", "ConnectionError"})
"""What errors without any answer are called by requests, httpx and its successors, one of which the Hub's library uses.

A server that answers late is none of them: the library waits longer for it than is waited here.
"""


def must_be_local(name: str, revision: str | None, kind: str) -> bool:
    """Find out whether a model has to be taken from the cache, for the Hub cannot be asked.

    The libraries ask for one file after the other, each several times: without network, that is over a minute before
    they say so. Here, one file is asked for, twice.

    Args:
        name: A folder, or a name on the Hub.
        revision: A commit, branch or tag; None for the main branch.
        kind: The kind of model.

    Returns:
        True where the Hub cannot be asked and the model is in the cache; False for a folder, and where the Hub answers.

    Raises:
        ModelError: If the Hub cannot be asked and the model is not in the cache.
    """
    if Path(name).is_dir():
        return False
    from huggingface_hub.constants import HF_HUB_OFFLINE

    error = None if HF_HUB_OFFLINE else _ask(name, revision)
    if not HF_HUB_OFFLINE and error is None:
        return False
    if find_commit(name, revision, kind) is not None:
        return True
    what = f"revision {revision} is" if revision else "is"
    cause = "HF_HUB_OFFLINE is set" if error is None else describe_cause(error)
    remedy = "check the name, unset HF_HUB_OFFLINE" if error is None else "check the name and the network"
    raise ModelError(
        f"{name}: {what} not in the local cache, and the Hub cannot be asked ({cause}); {remedy}, or give a folder"
    ) from error


def _ask(name: str, revision: str | None) -> Exception | None:
    """Ask the Hub for a file; return why it cannot be reached, None if it answers, whatever it says."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    unreachable = None
    for number in range(_TRIES):
        time.sleep(number * _SECONDS_BETWEEN_TRIES)
        try:
            get_hf_file_metadata(hf_hub_url(name, _MARKS[0], revision=revision))
        except Exception as error:
            if _NO_CONNECTION.isdisjoint(parent.__name__ for parent in type(error).__mro__):
                return None  # of all else, the library that loads the model has more to say
            unreachable = error
        else:
            return None
    return unreachable


def is_unknown(error: BaseException | None) -> bool:
    """Whether what a library says was caused by a repository that the Hub does not show to this user."""
    from huggingface_hub.errors import RepositoryNotFoundError

    while error is not None and not isinstance(error, RepositoryNotFoundError):
        error = error.__cause__ or error.__context__
    return error is not None


def find_commit(name: str, revision: str | None, kind: str) -> str | None:
    """Find the cached commit of a model on the Hub.

    Args:
        name: Its name; without an organization, it may be one of the organization that is called as the kind.
        revision: A commit, branch or tag; None for the main branch.
        kind: The kind of model.

    Returns:
        Such as "org/name@0123abc"; None if nothing of it is in the cache.
    """
    from huggingface_hub import try_to_load_from_cache

    # Where sentence-transformers looks first.
    folder = os.environ.get("SENTENCE_TRANSFORMERS_HOME") if kind != "model2vec" else None
    for repository in (name,) if "/" in name else (name, f"{kind}/{name}"):
        for mark in _MARKS:
            path = try_to_load_from_cache(repository, mark, cache_dir=folder, revision=revision)
            if isinstance(path, str):
                return f"{repository}@{Path(path).parent.name}"
    return None
