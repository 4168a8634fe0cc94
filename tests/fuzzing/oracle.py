"""The oracle: checks of the promises that every input must keep."""

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
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from fuzzing.cases import Case, read_case, write_case
from fuzzing.target import BrokenPromiseError, Target
from pyramid_paraphrase.errors import PyramidParaphraseError

MAX_MESSAGE = 2000
"""Maximum number of characters of a message."""

MAX_MEMORY = 1 << 30
"""Maximum increase of the peak memory while an input is read, in bytes."""

INPUT, OUTPUT, TEMPORARY, HOME = "input", "output", "temporary", "home"
"""Folders for the case, the output, temporary files and the user's home, all in the room of a worker."""

_WANTED = frozenset({".pyramid-paraphrase-site"})
"""Hidden files that belong to the output."""

_PACKAGES = ("pyramid_paraphrase", "harness")
_STATUS = Path("/proc/self/status")
_DESCRIPTORS, _MAPPINGS = Path("/proc/self/fd"), Path("/proc/self/maps")
_SPARE_ADDRESSES = 3 * MAX_MEMORY
"""Address space that a process may add, in bytes. Threads and libraries reserve more memory than they use."""

_SPARE_SECONDS = 3
"""Processor time after which the system ends a process, as a multiple of the limit for an input."""


class Failure(NamedTuple):
    """A broken promise.

    Attributes:
        kind: The promise: "exception", "message", "slow", "memory", "open", "leftover", "input", "repetition",
            "violation", "waits" for a process that waited forever, or "killed" for a process that ended.
        detail: Description of the failure.
        place: Innermost running function of our packages, such as "harness/files/json_files.py: parse_json".
        traceback: The full traceback.
    """

    kind: str
    detail: str
    place: str
    traceback: str = ""

    @property
    def signature(self) -> str:
        """The text that is the same for all failures of one cause."""
        cause = self.detail.split(":")[0] if self.kind in ("exception", "violation") else ""
        return f"{self.kind}|{cause}|{self.place}"


class Outcome(NamedTuple):
    """The outcome of an input.

    Attributes:
        digest: SHA-256 of the result or the error. Empty if the input cannot be written to disk.
        failure: The failure, or None.
        seconds: Processor time of the slower of two runs.
        growth: Increase of the peak memory in bytes, the larger of two runs.
    """

    digest: str
    failure: Failure | None = None
    seconds: float = 0.0
    growth: int = 0


def judge(target: Target, case: Case, room: Path, *, limited: bool = True) -> Outcome:
    """Run a target on a case twice, and check all promises.

    Args:
        target: The target.
        case: The input.
        room: A folder for files, which is emptied first. It becomes the working directory.
        limited: Whether the system ends the process if it takes far too much time or memory.
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
    """Remove all files of the previous case."""
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
    error = None  # the traceback refers to this function, so that memory and files of the reader would stay in use
    if failure is not None:
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
    """Describe the fault of a message. Return an empty text if it is one short printable line."""
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
    """Name a function by its path, beginning with the package, without line numbers, which change."""
    parts = Path(file).parts
    starts = [at for at, part in enumerate(parts) if part in _PACKAGES]
    return f"{'/'.join(parts[starts[-1] :] if starts else parts[-2:])}: {function}"


def find_place_in_dump(text: str) -> str:
    """Find the innermost function of our packages in the output of `faulthandler` at the end of the process."""
    lines = [line for line in text.splitlines() if line.startswith("  File ")]
    for line in lines:
        file, _, line_and_function = line.removeprefix('  File "').partition('", line ')
        place = _describe_place(file, line_and_function.partition(" in ")[2])
        if place.split("/")[0] in _PACKAGES:
            return place
    return ""


def _find_traces(target: Target, case: Case, room: Path) -> Failure | None:
    """Find files that a reader left open or behind, or changed. Its error, if any, must still exist."""
    if still_open := [name for folder in (INPUT, OUTPUT) for name in _list_open_files(room / folder)]:
        return Failure("open", f"left {', '.join(still_open)[:200]!a} open", target.name)
    left = sorted(path.name for path in (room / TEMPORARY).iterdir())
    left += sorted(path.name for path in (room / OUTPUT).rglob(".*") if path.name not in _WANTED)
    if left:
        return Failure("leftover", f"left {', '.join(left)[:200]!a} behind", target.name)
    if not target.changes_input and read_case(room / INPUT).files != _with_folders(case):
        return Failure("input", "its files were changed", target.name)
    return None


def _list_open_files(folder: Path) -> list[str]:
    """List the files of a folder that are open, except files mapped to memory, which stay open as long as their arrays.

    The list is empty on other systems than Linux.
    """
    paths = set()
    for descriptor in _DESCRIPTORS.glob("*"):
        with suppress(OSError):  # the descriptor of this very listing is closed by now
            paths.add(Path(os.readlink(descriptor)))  # noqa: PTH115
    found = [path for path in sorted(paths) if path.is_relative_to(folder)]
    mapped = _MAPPINGS.read_text() if found else ""
    return [path.name for path in found if f" {path}\n" not in mapped]


def _with_folders(case: Case) -> Mapping[str, Any]:
    """Return the files of a case in the order in which they are read from disk."""
    return dict(sorted(case.files.items()))


def digest_value(value: object) -> str:
    """Return the SHA-256 of a result, independent of the path of the room."""
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
    """List the parts of a collection or a record. Other objects have no parts."""
    if isinstance(value, Mapping):
        return [part for item in value.items() for part in item]
    if isinstance(value, Set):
        return sorted(map(repr, value))
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.astuple(value)
    if dataclasses.is_dataclass(value):
        return [getattr(value, field.name) for field in dataclasses.fields(value)]
    return []


def _limit_process(seconds: float | None) -> None:
    """Let the system end this process if it uses far more time or memory than allowed. None sets no limit."""
    cpu, addresses = resource.RLIM_INFINITY, resource.RLIM_INFINITY
    if seconds is not None:
        cpu, addresses = int(seconds) + 1, _read_status("VmSize") + _SPARE_ADDRESSES
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_AS, (addresses, resource.RLIM_INFINITY))


def _reset_peak() -> int:
    """Reset the peak memory where the system allows it, and return the memory in use."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return _read_peak()
    return _read_status("VmRSS")


def _read_peak() -> int:
    return _read_status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _read_status(field: str) -> int:
    """Read a memory size of this process in bytes from /proc. Return 0 on other systems than Linux."""
    try:
        text = _STATUS.read_text()
    except OSError:
        return 0
    _, separator, value = text.partition(f"\n{field}:")
    return int(value.split()[0]) * 1024 if separator else 0
