"""What must hold of every input, and whether it does."""

from __future__ import annotations

import dataclasses
import gc
import hashlib
import os
import resource
import shutil
import time
import traceback
from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fuzzing.cases import Case, read_case, write_case
from fuzzing.target import BrokenPromiseError, Target
from pyramid_paraphrase.errors import PyramidParaphraseError

MAX_MESSAGE = 2000
"""Characters of a message."""

MAX_MEMORY = 1 << 30
"""Bytes by which the peak of memory may rise while an input is read."""

INPUT, OUTPUT, TEMPORARY, HOME = "input", "output", "temporary", "home"
"""Folders of a case, of what a target writes, of temporary files and of the user, all in the room of a worker."""

_WANTED = frozenset({".pyramid-paraphrase-site"})
"""Hidden files that belong to what is written."""

_PACKAGES = ("pyramid_paraphrase", "harness")
_STATUS = Path("/proc/self/status")
_SPARE_ADDRESSES = 3 * MAX_MEMORY
"""Address space that a process may take beyond what it has: threads and libraries reserve more than they use."""

_SPARE_SECONDS = 3
"""Processor time after which a process is ended, as a multiple of what an input may take."""


class Failure(NamedTuple):
    """A broken promise.

    Attributes:
        kind: Which promise: "exception", "message", "slow", "memory", "leftover", "input", "repetition", "violation";
            "waits" for a process that waited for ever, and "killed" for one that did not survive.
        detail: What happened.
        place: Innermost function of our packages that was running, such as "harness/files/json_files.py: parse_json".
        traceback: Where it happened, in full.
    """

    kind: str
    detail: str
    place: str
    traceback: str = ""

    @property
    def signature(self) -> str:
        """What failures of one cause have in common."""
        what = self.detail.split(":")[0] if self.kind in ("exception", "violation") else ""
        return f"{self.kind}|{what}|{self.place}"


class Outcome(NamedTuple):
    """What came of an input.

    Attributes:
        digest: SHA-256 of the result or the error; empty if the input cannot be written to a disk.
        failure: What went wrong, if anything.
        seconds: Processor time that the slower run took.
        growth: Bytes by which the peak of memory rose, in the run where it rose more.
    """

    digest: str
    failure: Failure | None = None
    seconds: float = 0.0
    growth: int = 0


def judge(target: Target, case: Case, room: Path, *, limited: bool = True) -> Outcome:
    """Run a target on a case twice, and check everything that is promised.

    Args:
        target: The target.
        case: Its input.
        room: A folder for files, emptied first; the process works in it.
        limited: Whether the process is ended if it goes on for too long.
    """
    os.chdir(room)
    _clear(room)
    try:
        write_case(case, room / INPUT)
    except (OSError, ValueError):
        return Outcome("")
    first = _run_once(target, case, room, limited=limited)
    if first.failure:
        return first
    if target.changes_input:
        _clear(room)
        write_case(case, room / INPUT)
    _clear_folder(room / OUTPUT)
    second = _run_once(target, case, room, limited=limited)
    if second.failure:
        return second
    if first.digest != second.digest:
        return Outcome("", Failure("repetition", "the second time gave another result", target.name))
    return first._replace(seconds=max(first.seconds, second.seconds), growth=max(first.growth, second.growth))


def _clear(room: Path) -> None:
    """Remove everything that the case before has left."""
    for path in room.iterdir():
        if path.is_symlink() or not path.is_dir():
            path.unlink()
        else:
            shutil.rmtree(path, ignore_errors=True)
    for name in (INPUT, OUTPUT, TEMPORARY, HOME):
        (room / name).mkdir(exist_ok=True)


def _clear_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)


def _run_once(target: Target, case: Case, room: Path, *, limited: bool) -> Outcome:
    used, resident = time.process_time(), _reset_peak()
    _limit_process(used + _SPARE_SECONDS * target.seconds if limited else None)
    error: BaseException | None = None
    digest = ""
    try:
        digest = digest_value(target.run(Path(INPUT), case.arguments))
    except PyramidParaphraseError as expected:
        error, digest = expected, digest_value(f"{type(expected).__name__}: {expected}")
    except (Exception, SystemExit) as unexpected:
        error = unexpected
    seconds, growth = time.process_time() - used, _read_peak() - resident
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY,) * 2)  # making the next input takes time, too
    os.chdir(room)
    failure = _find_failure(target, error, seconds, growth) or _find_traces(target, case, room)
    if failure is not None:
        del error
        gc.collect()
    return Outcome(digest, failure, seconds, growth)


def _find_failure(target: Target, error: BaseException | None, seconds: float, growth: int) -> Failure | None:
    place, text = find_place(error), "".join(traceback.format_exception(error)) if error else ""
    if isinstance(error, MemoryError) or growth > MAX_MEMORY:
        detail = f"memory rose by {growth >> 20:,} MiB; {MAX_MEMORY >> 20:,} MiB are allowed"
        return Failure("memory", detail, place or target.name, text)
    if isinstance(error, BrokenPromiseError):
        return Failure("violation", str(error), target.name, text)
    if error is not None and not isinstance(error, PyramidParaphraseError):
        return Failure("exception", f"{type(error).__name__}: {error!s:.300}", place, text)
    if error is not None and (fault := find_fault(str(error))):
        return Failure("message", f"{fault}: {str(error)[:300]!a}", place, text)
    if seconds > target.seconds:
        detail = f"took {seconds:.1f} s of processor time; {target.seconds:g} s are allowed"
        return Failure("slow", detail, place or target.name, text)
    return None


def find_fault(message: str) -> str:
    """Say what is wrong with a message; nothing if it is one short printable line."""
    if len(message) > MAX_MESSAGE:
        return f"the message has {len(message):,} characters"
    if not message.strip():
        return "the message is empty"
    if not message.isprintable():
        return "the message is not one printable line"
    return ""


def find_place(error: BaseException | None) -> str:
    """Find the innermost function of our packages in a traceback."""
    frames = traceback.extract_tb(error.__traceback__) if error else []
    places = [_describe_place(frame.filename, frame.name) for frame in frames]
    ours = [place for place in places if place.split("/")[0] in _PACKAGES]
    return ours[-1] if ours else places[-1] if places else ""


def _describe_place(file: str, function: str) -> str:
    """Name a function by its path from the package on, without line numbers, which change."""
    parts = Path(file).parts
    starts = [at for at, part in enumerate(parts) if part in _PACKAGES]
    return f"{'/'.join(parts[starts[-1] :] if starts else parts[-2:])}: {function}"


def find_place_in_dump(text: str) -> str:
    """Find the innermost function of our packages in what `faulthandler` wrote when the process was ended."""
    lines = [line for line in text.splitlines() if line.startswith("  File ")]
    for line in lines:
        file, _, rest = line.removeprefix('  File "').partition('", line ')
        place = _describe_place(file, rest.partition(" in ")[2])
        if place.split("/")[0] in _PACKAGES:
            return place
    return ""


def _find_traces(target: Target, case: Case, room: Path) -> Failure | None:
    """Find what a reader has left behind or changed."""
    left = sorted(path.name for path in (room / TEMPORARY).iterdir())
    left += sorted(path.name for path in (room / OUTPUT).rglob(".*") if path.name not in _WANTED)
    if left:
        return Failure("leftover", f"left {', '.join(left)[:200]!a} behind", target.name)
    if not target.changes_input and read_case(room / INPUT).files != _with_folders(case):
        return Failure("input", "its files were changed", target.name)
    return None


def _with_folders(case: Case) -> Mapping[str, Any]:
    """The files of a case as they are read back from a disk."""
    return dict(sorted(case.files.items()))


def digest_value(value: object) -> str:
    """SHA-256 of a result, in the order of its parts, wherever the room of the worker is."""
    digest = hashlib.sha256()
    _feed(digest, value)
    return digest.hexdigest()


def _feed(digest: Any, value: object) -> None:  # noqa: ANN401
    digest.update(f"<{type(value).__name__}>".encode())
    if isinstance(value, np.ndarray):
        digest.update(f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, bytes):
        digest.update(value.replace(os.fsencode(Path.cwd()), b"."))
    elif isinstance(value, str | int | float | Path | None):
        digest.update(repr(value).replace(str(Path.cwd()), ".").encode())
    else:
        for part in _list_parts(value):
            _feed(digest, part)


def _list_parts(value: object) -> Iterable[object]:
    """List what a collection or a record holds; nothing is known of other objects."""
    if isinstance(value, Mapping):
        return [part for item in value.items() for part in item]
    if isinstance(value, Set):
        return sorted(map(repr, value))
    if isinstance(value, list | tuple):
        return value
    if dataclasses.is_dataclass(value):
        return [getattr(value, field.name) for field in dataclasses.fields(value)]
    return []


def _limit_process(seconds: float | None) -> None:
    """Let the system end this process if it uses far more than is allowed; None for no limit."""
    cpu, addresses = resource.RLIM_INFINITY, resource.RLIM_INFINITY
    if seconds is not None:
        cpu, addresses = int(seconds) + 1, _read_status("VmSize") + _SPARE_ADDRESSES
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_AS, (addresses, resource.RLIM_INFINITY))


def _reset_peak() -> int:
    """Let the peak of memory begin anew, and return the memory in use; it cannot be done everywhere."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return _read_peak()
    return _read_status("VmRSS")


def _read_peak() -> int:
    return _read_status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _read_status(field: str) -> int:
    """Read a number of bytes from what Linux says of this process; 0 elsewhere."""
    try:
        text = _STATUS.read_text()
    except OSError:
        return 0
    _, found, rest = text.partition(f"\n{field}:")
    return int(rest.split()[0]) * 1024 if found else 0
