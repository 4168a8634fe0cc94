"""Files of a leaderboard in a git repository that a proposed change touches."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import PurePosixPath

from harness.leaderboards.board import SUBMISSIONS, Board
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.errors import shorten
from pyramid_paraphrase.files.inputs import is_folder

_REGULAR = "100644"
_MAX_QUOTED = 200
_PARTS = 3
"""Number of parts of the path of a file in a submission: submissions/NAME/FILE."""


def find_changes(board: Board, reference: str) -> tuple[set[str], list[LeaderboardError], list[PurePosixPath]]:
    """Find the changes to a leaderboard: the committed ones, and in the folders of submissions all others, too.

    Args:
        board: The leaderboard, in the working tree of a git repository.
        reference: A branch, tag or commit that the change is proposed for, such as "origin/main".

    Returns:
        The names of the submissions that differ from the merge base of the reference and HEAD, and an error for each
        other committed change. Authors may add and change submissions only. Then the files outside of submissions that
        are changed and not committed: they are no part of what is proposed.

    Raises:
        LeaderboardError: If git is missing, the leaderboard is not in a repository, or the reference is unknown.
    """
    base = _find_merge_base(board, reference)
    submissions, refusals, uncommitted = set(), [], []
    committed = {path: (mode, is_removed) for path, mode, is_removed in _list_changes(board, base, "HEAD")}
    for path, mode, is_removed in _list_changes(board, base):
        if path.parts[0] != SUBMISSIONS:
            if committed.get(path) != (mode, is_removed):
                uncommitted.append(path)
            continue
        committed[path] = mode, is_removed
    for path, (mode, is_removed) in committed.items():
        reason = _find_reason(board, path, mode, is_removed=is_removed)
        if reason:
            refusals.append(LeaderboardError(f"{board.folder / path}: {reason}"))
        else:
            submissions.add(path.parts[1])
    return submissions, refusals, uncommitted


def _find_reason(board: Board, path: PurePosixPath, mode: str, *, is_removed: bool) -> str:
    """Return the reason why the author of a submission may not change a file, or "" if there is none."""
    parts = path.parts
    verb = "is removed" if is_removed else "is added or changed"
    if parts[0] != SUBMISSIONS:
        remedy = "Undo the change, or commit it if you are the maintainer"
        return f"{verb}, but authors may only change {SUBMISSIONS}/. {remedy}"
    if len(parts) != _PARTS:
        return f"{verb}, but is not a file of a submission ({SUBMISSIONS}/NAME/FILE). Undo the change"
    if is_removed:
        folder = board.folder / parts[0] / parts[1]
        if is_folder(folder):
            return ""
        return (
            "is removed with its submission. Ask the maintainer to run `pyramid-paraphrase leaderboard withdraw` on it"
        )
    if mode and mode != _REGULAR:
        return f"has the mode {mode}, but must be a regular file that is not executable. Undo the change"
    return ""


def _find_merge_base(board: Board, reference: str) -> str:
    inside = _run_git(board, "rev-parse", "--is-inside-work-tree")
    if inside.stdout.strip() != b"true":
        reason = f"is not in the working tree of a git repository{_quote_error(inside)}"
        remedy = "Check out the repository of the leaderboard, or omit --changed-since"
        raise LeaderboardError(f"{board.folder}: {reason}. {remedy}")
    verified = _run_git(board, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    if verified.returncode:
        remedy = "Use a branch, tag or commit, such as origin/main, and fetch it first"
        raise LeaderboardError(f"{reference!r}: is not a commit of the git repository of {board.folder}. {remedy}")
    commit = verified.stdout.decode("ascii").strip()
    base = _run_git(board, "merge-base", commit, "HEAD")
    if base.returncode:
        remedy = "Fetch the whole history (in GitHub Actions: fetch-depth: 0)"
        raise LeaderboardError(f"{reference!r}: has no commit in common with HEAD of {board.folder}. {remedy}")
    return base.stdout.decode("ascii").strip()


def _list_changes(board: Board, base: str, head: str = "") -> Iterator[tuple[PurePosixPath, str, bool]]:
    """List files that differ from a commit in another one, or, without one, in the working tree.

    In the working tree, files count that git does not track and does not ignore.

    Yields:
        The path of a file, relative to the folder of the leaderboard, its git mode, which is empty for files that git
        does not track yet, and whether it was removed.
    """
    # The user's git configuration must not hide files by renames, external diff programs or submodules.
    flags = ("--raw", "-z", "--relative", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty")
    commits = [base, head] if head else [base]
    fields = _list_fields(board, "diff", *flags, *commits, "--", ".")
    for header, path in zip(fields[::2], fields[1::2], strict=True):
        _, mode, _, _, status = header.decode("ascii").split(" ")
        yield PurePosixPath(os.fsdecode(path)), mode, status == "D"
    if head:
        return
    for path in _list_fields(board, "ls-files", "-z", "--others", "--exclude-standard", "--", "."):
        yield PurePosixPath(os.fsdecode(path)), "", False


def _list_fields(board: Board, *arguments: str) -> list[bytes]:
    completed = _run_git(board, *arguments)
    if completed.returncode:
        problem = f"`git {arguments[0]}` failed{_quote_error(completed)}"
        raise LeaderboardError(f"{board.folder}: {problem}. Check the repository with `git fsck`")
    return completed.stdout.split(b"\0")[:-1]


def _quote_error(completed: subprocess.CompletedProcess[bytes]) -> str:
    text = shorten(" ".join(completed.stderr.decode(errors="replace").split()), _MAX_QUOTED)
    if not text:
        return ""
    return f" ({text})"


def _run_git(board: Board, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        return subprocess.run(  # noqa: S603 - no argument can become an option, and no shell is involved
            ["git", *arguments],  # noqa: S607 - the git on the PATH
            cwd=board.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise LeaderboardError(
            "--changed-since requires git, which is not installed or not on the PATH. Install git"
        ) from None
