"""Dataset repositories on the Hugging Face Hub that hold a built folder."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.inputs import exists, is_file
from pyramid_paraphrase.sources import MANIFEST_NAME, Source, is_readable_name, resolve_source

_PREFIX = "hf://datasets/"
_NAME = re.compile(r"([A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95})(?:@([\w./-]{1,255}))?", re.ASCII)
_LOG_IN = "log in with `hf auth login` and an account that may read it"


class Repository(NamedTuple):
    """A dataset repository on the Hub, and the commit, branch or tag to read; None for the main branch."""

    name: str
    revision: str | None

    def __str__(self) -> str:
        return f"{self.name}@{self.revision}" if self.revision else self.name


class RepositoryCopy(NamedTuple):
    """The files of a repository in the cache of the Hub: its name with the commit, and their folder."""

    title: str
    folder: Path


def find_repository(source: Source) -> Repository | None:
    """Find out whether a source is the name of a repository on the Hub. Nothing is requested.

    Args:
        source: "hf://datasets/ORG/NAME" or "ORG/NAME", each with "@REVISION" behind it if wanted. Something that lies
            at the path ORG/NAME is meant before a repository of that name. So is a file name of annotations, such as
            data/pyramids.tar.gz, even if there is no such file.

    Returns:
        The repository; None if the source is something else.

    Raises:
        InputError: If the source begins as the address of a repository, and is none.
    """
    text = str(source)
    match = _NAME.fullmatch(text.removeprefix(_PREFIX).rstrip("/"))
    if text.startswith(_PREFIX):
        if match is None:
            reason = "is not a name of a dataset on the Hub"
            raise InputError(text, reason, f"write {_PREFIX}ORG/NAME or {_PREFIX}ORG/NAME@REVISION")
        return Repository(match[1], match[2])
    if match is None or not isinstance(source, str) or exists(source) or is_readable_name(text):
        return None
    return Repository(match[1], match[2])


def require_source(source: Source) -> None:
    """Check that there is something at a path, or that it can be the name of a repository. Nothing is requested.

    Raises:
        InputError: If it is neither.
    """
    if find_repository(source) is None:
        resolve_source(source)


def is_built(source: Source) -> bool:
    """Return whether a source is a built folder, here or on the Hub. Nothing is requested.

    Raises:
        InputError: If there is nothing at a path.
    """
    return find_repository(source) is not None or is_file(resolve_source(source) / MANIFEST_NAME)


def locate_source(source: Source, configurations: Sequence[str]) -> Path:
    """Return the path of a source; of a repository on the Hub, the folder in the cache, whose name is the commit.

    Args:
        source: The source.
        configurations: Names of the configurations whose rows are needed of a repository.

    Raises:
        InputError: If there is nothing at a path, or as `fetch_repository` does.
    """
    if repository := find_repository(source):
        return fetch_repository(repository, configurations).folder
    return resolve_source(source)


def fetch_repository(repository: Repository, configurations: Sequence[str]) -> RepositoryCopy:
    """Download a built folder from the Hub into the Hub's cache, unless it is there already.

    Only the manifest and the rows of the configurations are downloaded. Without network, the cache is used.

    Args:
        repository: The repository.
        configurations: Names of configurations.

    Returns:
        The copy in the cache.

    Raises:
        InputError: If the repository cannot be read or holds no built folder.
    """
    from huggingface_hub import snapshot_download

    from pyramid_paraphrase.splits import TEST, TRAIN, VALIDATION  # imports numpy, which few commands need

    files = [f"{name}/{split}.parquet" for name in configurations for split in (TRAIN, VALIDATION, TEST)]
    try:
        path = snapshot_download(
            repository.name,
            repo_type="dataset",
            revision=repository.revision,
            allow_patterns=[MANIFEST_NAME, *files],
            tqdm_class=_make_progress_bar(),
        )
    except Exception as error:  # the library for HTTP, and with it the types of errors, depends on the version
        raise _explain(repository, error) from error
    copy = RepositoryCopy(f"{repository.name}@{Path(path).name}", Path(path))
    _require_complete(copy, files)
    return copy


def _make_progress_bar() -> Any:  # noqa: ANN401 - the class has no parameters at run time
    """Make a class of progress bars that are shown in a terminal only, and leave no line behind."""
    from tqdm.auto import tqdm

    class TerminalProgressBar(tqdm):  # type: ignore[type-arg]
        def __init__(self, *arguments: Any, **settings: Any) -> None:  # noqa: ANN401
            is_hidden = bool(settings.get("disable")) or not sys.stderr.isatty()
            super().__init__(*arguments, **(settings | {"disable": is_hidden, "leave": False}))

    return TerminalProgressBar


def _require_complete(copy: RepositoryCopy, files: Sequence[str]) -> None:
    """Check that a copy has a manifest, and every file that the manifest lists among some.

    Raises:
        InputError: If not, because the repository never had the file, or because a download stopped.
    """
    from pyramid_paraphrase.export import list_own_files  # imports pyarrow, which few commands need

    listed = list_own_files(copy.folder)
    if listed is None:
        reason = f"has no {MANIFEST_NAME}, which `pyramid-paraphrase build --output` writes"
        raise InputError(copy.title, reason, "choose a repository to which a built folder was uploaded")
    for name in files:
        if name in listed and not is_file(copy.folder / name):
            remedy = "load it again with network access. If that fails, ask its owner to upload it again"
            raise InputError(copy.title, f"does not contain {name}, which its manifest lists", remedy)


def _explain(repository: Repository, error: Exception) -> InputError:
    """Describe why a repository cannot be downloaded, as an error to be raised by the caller."""
    from huggingface_hub.constants import HF_HUB_OFFLINE
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    causes = list(_list_causes(error))
    page = f"https://huggingface.co/datasets/{repository.name}"
    status = next((code for cause in causes if (code := _find_status(cause))), 0)
    if any(isinstance(cause, GatedRepoError) for cause in causes):
        return InputError(str(repository), "requires access approval", f"ask for access at {page}, and {_LOG_IN}")
    if any(isinstance(cause, RepositoryNotFoundError) for cause in causes) or status == 401:
        reason = "is neither a local file or folder nor a Hub dataset that you may read"
        return InputError(str(repository), reason, f"check the name, or {_LOG_IN}")
    if any(isinstance(cause, RevisionNotFoundError) for cause in causes):
        return InputError(str(repository), "does not have this revision on the Hub", f"see {page}/commits")
    if status == 403:
        reason = "may not be read with your account (403)"
        return InputError(str(repository), reason, f"ask its owner for access, or {_LOG_IN}")
    if HF_HUB_OFFLINE:
        reason = "is neither a local file or folder nor complete in the Hub cache, and HF_HUB_OFFLINE is set"
        return InputError(str(repository), reason, "check the name, or unset HF_HUB_OFFLINE once to download it")
    cause = f"status {status}" if status else f"{type(causes[-1]).__name__}: {causes[-1]}"
    reason = f"is neither a local file or folder nor complete in the Hub cache, and the Hub cannot be reached ({cause})"
    return InputError(str(repository), reason, "check the name and the network, and try again")


def _list_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _find_status(error: BaseException) -> int:
    """Return the status of the answer that caused an error; 0 if there was no answer."""
    response = getattr(error, "response", None)
    return int(getattr(response, "status_code", 0) or 0)
