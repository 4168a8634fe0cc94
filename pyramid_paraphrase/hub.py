"""Built folders, local or in dataset repositories on the Hugging Face Hub, and the default tests of data."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pyramid_paraphrase.errors import InputError, NoBuildError
from pyramid_paraphrase.files.inputs import exists, is_file
from pyramid_paraphrase.formats.pairs.corpora import list_pair_tests
from pyramid_paraphrase.pyramids.sources import MANIFEST_NAME, Source, is_readable_name, list_sources, resolve_source
from pyramid_paraphrase.rules.options import PYRAMID_TESTS, TEST, TRAIN, VALIDATION

_PREFIX = "hf://datasets/"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}(?:@[\w./-]{1,255})?", re.ASCII)
_LOG_IN = "log in with `hf auth login` and an account that may read it"


def find_repository(source: Source) -> str | None:
    """Find out whether a source is the name of a repository on the Hub. No request is sent.

    Args:
        source: "hf://datasets/ORG/NAME" or "ORG/NAME", optionally followed by "@REVISION". An existing path ORG/NAME
            has priority over a repository of that name. So has a file name of annotations, such as
            data/pyramids.tar.gz, even if the file does not exist.

    Returns:
        The repository as "ORG/NAME" or "ORG/NAME@REVISION", or None if the source is anything else.

    Raises:
        InputError: If the source begins like the address of a repository, but is not valid.
    """
    text = str(source)
    repository = text.removeprefix(_PREFIX).rstrip("/")
    is_valid = _NAME.fullmatch(repository) is not None
    if text.startswith(_PREFIX):
        if not is_valid:
            reason = "is not a name of a dataset on the Hub"
            raise InputError(text, reason, f"write {_PREFIX}ORG/NAME or {_PREFIX}ORG/NAME@REVISION")
        return repository
    is_path = not isinstance(source, str) or exists(source) or is_readable_name(text)
    return repository if is_valid and not is_path else None


def require_source(source: Source) -> None:
    """Check that a source exists, or can be the name of a repository. No request is sent.

    Raises:
        InputError: If neither is the case.
    """
    if find_repository(source) is None:
        resolve_source(source)


def is_built(source: Source) -> bool:
    """Return whether a source is a built folder, local or on the Hub. No request is sent.

    Raises:
        InputError: If a path does not exist.
    """
    return find_repository(source) is not None or is_file(resolve_source(source) / MANIFEST_NAME)


def locate_source(source: Source, configurations: Sequence[str]) -> Path:
    """Return the path of a source. For a repository on the Hub, it is the folder in the cache, named by the commit.

    Args:
        source: The source.
        configurations: Names of the configurations whose rows to download, for a repository.

    Raises:
        InputError: If a path does not exist, or `fetch_repository` raises it.
    """
    if repository := find_repository(source):
        _, folder = fetch_repository(repository, configurations)
        return folder
    return resolve_source(source)


def fetch_repository(repository: str, configurations: Sequence[str]) -> tuple[str, Path]:
    """Download a built folder from the Hub into the Hub cache, unless it is already there.

    Only the manifest and the rows of the configurations are downloaded. Without network access, or if the Hub does not
    answer, the cache is used.

    Args:
        repository: The repository, as `find_repository` returns it.
        configurations: Names of configurations.

    Returns:
        Name of the repository with its commit, and the folder of its files in the cache.

    Raises:
        InputError: If the repository cannot be read or does not contain a built folder.
    """
    from huggingface_hub import HfApi, constants, snapshot_download

    from pyramid_paraphrase.hub_client import find_silence
    from pyramid_paraphrase.publishing.export import list_own_files  # imports pyarrow, which few commands need

    name, _, revision = repository.partition("@")
    files = [f"{test}/{split}.parquet" for test in configurations for split in (TRAIN, VALIDATION, TEST)]
    silence = None
    if not constants.HF_HUB_OFFLINE:
        with suppress(Exception):  # the download reports it, unless the cache has the files
            silence = find_silence(lambda: HfApi().dataset_info(name, revision=revision or None))
    try:
        path = snapshot_download(
            name,
            repo_type="dataset",
            revision=revision or None,
            allow_patterns=[MANIFEST_NAME, *files],
            local_files_only=silence is not None,
            tqdm_class=_make_progress_bar(),
        )
    except Exception as error:  # the HTTP library and its types of errors depend on the version of huggingface_hub
        raise _explain(repository, silence or error) from error
    folder = Path(path)
    title = f"{name}@{folder.name}"
    listed = list_own_files(folder)
    if listed is None:
        reason = f"has no {MANIFEST_NAME}, which `pyramid-paraphrase build --output` writes"
        raise InputError(title, reason, "choose a repository to which a built folder was uploaded")
    for file in files:
        if file in listed and not is_file(folder / file):
            remedy = "load it again with network access. If that fails, ask its owner to upload it again"
            raise InputError(title, f"does not contain {file}, which its manifest lists", remedy)
    return title, folder


def _make_progress_bar() -> Any:  # noqa: ANN401 - the class has no parameters at run time
    """Return a class of progress bars that are shown only in a terminal, and removed at the end."""
    from tqdm.auto import tqdm

    class TerminalProgressBar(tqdm):  # type: ignore[type-arg]
        def __init__(self, *arguments: Any, **settings: Any) -> None:  # noqa: ANN401
            is_hidden = bool(settings.get("disable")) or not (sys.stderr and sys.stderr.isatty())
            super().__init__(*arguments, **(settings | {"disable": is_hidden, "leave": False}))

    return TerminalProgressBar


def _explain(repository: str, error: Exception) -> InputError:
    """Describe why a repository cannot be downloaded, as an error to be raised by the caller."""
    from huggingface_hub import constants, errors

    from pyramid_paraphrase.hub_client import HubLimitError

    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    page = f"https://huggingface.co/datasets/{repository.partition('@')[0]}"
    codes = (getattr(getattr(cause, "response", None), "status_code", 0) for cause in causes)
    status = next(filter(None, codes), 0)
    if any(isinstance(cause, errors.GatedRepoError) for cause in causes):
        return InputError(repository, "requires access approval", f"ask for access at {page}, and {_LOG_IN}")
    if any(isinstance(cause, errors.RepositoryNotFoundError) for cause in causes) or status == 401:
        reason = "is neither a local file or folder nor a Hub dataset that you may read"
        return InputError(repository, reason, f"check the name, or {_LOG_IN}")
    if any(isinstance(cause, errors.RevisionNotFoundError) for cause in causes):
        return InputError(repository, "does not have this revision on the Hub", f"see {page}/commits")
    if status == 403:
        reason = "may not be read with your account (403)"
        return InputError(repository, reason, f"ask its owner for access, or {_LOG_IN}")
    if constants.HF_HUB_OFFLINE:
        reason = "is neither a local file or folder nor complete in the Hub cache, and HF_HUB_OFFLINE is set"
        return InputError(repository, reason, "check the name, or unset HF_HUB_OFFLINE once to download it")
    fault = f"status {status}" if status else f"{type(causes[-1]).__name__}: {causes[-1]}"
    fault = next((str(cause) for cause in causes if isinstance(cause, HubLimitError)), fault)
    reason = f"is neither a local file or folder nor complete in the Hub cache, and the Hub cannot be reached ({fault})"
    return InputError(repository, reason, "check the name and the network, and try again")


def choose_default_tests(data: Source | Sequence[Source] | None) -> tuple[str, ...]:
    """Choose the tests of the data, without `presence`.

    Args:
        data: Annotation files, "sample", a pair corpus, or a built folder, local or on the Hub. If None, the last
            build.

    Returns:
        Names of configurations: the tests of a built folder, the tests of a pair corpus, the tests of pyramids in the
        last build, or all tests of pyramids for annotation files. Without a build, they are all tests of pyramids,
        because the error on loading them states the remedy.

    Raises:
        InputError: If a file does not exist, a repository cannot be read, or the manifest of a built folder is damaged.
    """
    if data is None:
        from pyramid_paraphrase.publishing.builds import find_last_build  # imports `datasets`, which few commands need

        built_tests = []
        for name in PYRAMID_TESTS:
            with suppress(NoBuildError):
                find_last_build(name, {})
                built_tests.append(name)
        return tuple(built_tests) or PYRAMID_TESTS
    sources = list_sources(data)
    built = [source for source in sources if is_built(source)]
    if len(built) == 1:
        from pyramid_paraphrase.publishing.export import list_tests  # imports `pyarrow`

        return list_tests(locate_source(built[0], ()))
    if len(sources) == 1 and not built:
        return list_pair_tests(sources[0]) or PYRAMID_TESTS
    return PYRAMID_TESTS
