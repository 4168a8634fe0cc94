"""Interrupt every command that writes: by SIGKILL, a full disk, and folders without permission. Count what is lost.

usage: interruptions.py CORPORA [COMMAND...] [--kills N] [--seed N]

CORPORA: folder with the corpora `duc2007`, `msrp`, `pit2015`, `realsumm` and `superpal`; COMMAND: commands to interrupt
(default: all that write); --kills: number of kills (default: 200); --seed: seed of the moments of the kills.

Each command replaces the output of an earlier run on other data. All its files, also caches and temporary files, are in
one folder, which is copied anew for each run. After an interruption, each file must be as before the run or as after a
complete run, and the next run must succeed and leave no temporary file. A run that is not killed must end with success,
or with exit status 2 and a message of one line. The disk is a tmpfs, so that the script needs Linux with `unshare`.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import hashlib
import importlib
import json
import os
import pkgutil
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple, NoReturn

from markdown_tables import tabulate

import harness
import pyramid_paraphrase
from harness.cli import main as run_command
from harness.cli.commands import COMMANDS
from pyramid_paraphrase.catalog import DOWNLOADABLE

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from helpers.sheets import fill
from helpers.tiny_models import save_tiny_model

_FREE_KIB = (0, 40, 200, 1_000, 5_000)
_MOST_SECONDS = 120
_SHOWN = 2_000
_MOUNT, _UNMOUNT = "/usr/bin/mount", "/usr/bin/umount"
_EXPECTED_STATUS = (0, 2)
_CAPSET, _CAPABILITY_VERSION = 126, 0x20080522

_TIMES = re.compile(
    rb'"(date|started|ended|when|[a-z_]*seconds|per_second|[a-z_]*bytes)": *("[^"]*"|[0-9.e+-]+)'
    rb'|data-value="[0-9.]+">[0-9,.]+<|<dd>[0-9.,]+ ?(s|texts? per second)?</dd>'
    rb"|\d{4}-\d\d-\d\dT[\d:.]+(\+\d\d:\d\d)?|[0-9.]+ s\b|[0-9a-f]{64}|/[^\s\"']*interruptions-[^/\s\"']*/"
)
"""What differs between two runs: times, memory, digests of files with times, and paths of this script."""


class Case(NamedTuple):
    """A command that writes.

    Attributes:
        command: The command line. Paths are relative to the folder of a run.
        earlier: Command lines that make its input and the output of an earlier run.
    """

    command: str
    earlier: tuple[str, ...] = ()


SUBMISSION = (
    "--to board --contact a@example.org --model-link https://example.org --training-data none --saw-test-data no"
)
PARAEVAL = "paraeval --peers in/peers --references in/references"
EVALUATE = "evaluate --quiet --data in/new --task ranking"

CASES = {
    "download": Case("download superpal --mirror {server} --output got"),
    "download of examples": Case("download examples --output got"),
    "inspect": Case("inspect sample --html pages", ("inspect in/old --html pages",)),
    "build": Case("build in/new --output built", ("build in/old --output built",)),
    "build in the cache": Case("build in/new", ("build in/old",)),
    "evaluate": Case(
        f"{EVALUATE} --model in/model --model overlap --output results",
        (f"{EVALUATE} --model tf-idf --output results",),
    ),
    "sweep": Case("sweep in/models.txt --data in/new --task ranking --output sweep --workers 2 --report"),
    "compare": Case(
        "compare results --output out.html", ("compare results/one-hot results/overlap --output out.html",)
    ),
    "errors": Case(
        "errors results --data in/new --task ranking --rows 5 --output out.html",
        ("errors results --data in/new --task ranking --rows 2 --output out.html",),
    ),
    "pairs": Case("pairs in/new --output pairs.csv", ("pairs in/old --output pairs.csv",)),
    "annotate sample": Case("annotate sample in/new --task ranking --rows 20 --output other.csv"),
    "annotate pyramids": Case(
        "annotate pyramids {corpora}/ducview --model one-hot --fit sample --output agreement.json --save made"
    ),
    "annotate votes": Case(
        "annotate votes in/QA_presence.json --hold-out anyone --save held --output out.json",
        ("annotate votes in/QA_presence.json --hold-out Q1 --save held --output out.json",),
    ),
    "annotate agreement": Case(
        "annotate agreement in/QA_presence.json filled.csv --data in/new --output out.html",
        ("annotate agreement in/QA_presence.json --output out.html",),
    ),
    "annotate score": Case("annotate score filled.csv --data in/new --output out.json"),
    "cache": Case("cache clear", (f"{EVALUATE} --model in/model --output other",)),
    "report": Case("report results --output out.html", ("report results/one-hot --output out.html",)),
    "report --agreement": Case(
        "report judged --agreement --data sample --output out.csv --plot out.png",
        (
            "evaluate --quiet --data sample --task presence --model overlap --output judged",
            "report judged --agreement --output out.csv --plot out.png",
        ),
    ),
    "card": Case("card results/one-hot --model-dir in/model --dataset-repo someone/data"),
    "submit": Case(f"submit results/one-hot {SUBMISSION}"),
    "leaderboard init": Case("leaderboard init newboard --data in/new --task ranking"),
    "leaderboard check": Case("leaderboard check board", (f"submit results/one-hot {SUBMISSION}",)),
    "leaderboard accept": Case(
        "leaderboard accept board/submissions/one-hot-*", (f"submit results/one-hot {SUBMISSION}",)
    ),
    "leaderboard retire": Case(
        "leaderboard retire board/submissions/one-hot-* --reason old",
        (f"submit results/one-hot {SUBMISSION}", "leaderboard check board"),
    ),
    "leaderboard withdraw": Case(
        "leaderboard withdraw board/submissions/one-hot-* --reason old",
        (f"submit results/one-hot {SUBMISSION}", "leaderboard check board"),
    ),
    "leaderboard audit": Case(
        "leaderboard audit board in/new --record new --output audit.json",
        ("leaderboard audit board in/old --record new --output audit.json",),
    ),
    "leaderboard render": Case(
        "leaderboard render board --output site",
        ("leaderboard render board --output site", f"submit results/one-hot {SUBMISSION}"),
    ),
    "leaderboard reproduce": Case(
        "leaderboard reproduce board/submissions/one-hot-* --data in/new", (f"submit results/one-hot {SUBMISSION}",)
    ),
    "pit score": Case("pit score --labels {corpora}/pit2015/test.label in/overlap.txt --output out.csv"),
    "pit compare": Case("pit compare --labels {corpora}/pit2015/test.label in/overlap.txt --output out.csv"),
    "pit submit": Case(
        "pit submit pit/overlap --output out.txt",
        ("evaluate --quiet --model overlap --data {corpora}/pit2015 --output pit",),
    ),
    "dimple convert": Case("dimple convert in/lists.tsv --output lists.jsonl"),
    "dimple sheet": Case(
        "dimple sheet lists.jsonl --output sheet.csv",
        (
            "dimple derive --vocabulary {corpora}/msrp --sources found --least 1 --output lists.jsonl",
            "dimple sheet lists.jsonl --seed 1 --output sheet.csv",
        ),
    ),
    "dimple votes": Case(
        "dimple votes lists.jsonl --sheets sheet.csv --output voted.jsonl",
        (
            "dimple derive --vocabulary {corpora}/msrp --sources found --least 1 --output lists.jsonl",
            "dimple sheet lists.jsonl --output sheet.csv",
            "dimple votes lists.jsonl --sheets sheet.csv --output voted.jsonl",
        ),
    ),
    "dimple score": Case(
        "dimple score lists.jsonl --judgment automatic --model one-hot --output out.csv",
        (
            "dimple derive --pyramids {corpora}/duc2007 --vocabulary {corpora}/msrp --least 1 --output lists.jsonl",
            "dimple score lists.jsonl --judgment automatic --model one-hot --k 1 --output out.csv",
        ),
    ),
    "dimple meta": Case(
        "dimple meta lists.jsonl --pairs M={corpora}/msrp --judgment automatic --model one-hot --output meta",
        (
            "dimple derive --pyramids {corpora}/duc2007 --vocabulary {corpora}/msrp --least 1 --output lists.jsonl",
            "dimple meta lists.jsonl --pairs M={corpora}/msrp --judgment automatic --model one-hot --k 1 --output meta",
        ),
    ),
    "dimple derive": Case(
        "dimple derive --pyramids in/new --vocabulary {corpora}/msrp --least 1 --output lists.jsonl",
        ("dimple derive --pyramids in/old --vocabulary {corpora}/msrp --least 1 --output lists.jsonl",),
    ),
    "collection filter": Case(
        "collection filter in/sentences.tsv --output out.tsv",
        ("collection filter in/sentences.tsv --seed 1 --output out.tsv",),
    ),
    "collection next": Case(
        "collection next in/questions.tsv --output out.tsv",
        ("collection next in/questions.tsv --seed 1 --output out.tsv",),
    ),
    "collection simulate": Case(
        "collection simulate {corpora}/pit2015 --budget 12 --limit 4 --runs 3 --plot out.png --output out.csv",
        ("collection simulate {corpora}/pit2015 --budget 12 --limit 4 --runs 2 --plot out.png --output out.csv",),
    ),
    "collection agreement": Case(
        "collection agreement in/votes.tsv --output out.tsv",
        ("collection agreement in/fewer_votes.tsv --output out.tsv",),
    ),
    "paraphrases compile": Case(
        "paraphrases compile in/table.tsv --output out.table",
        ("paraphrases compile in/small.tsv --output out.table",),
    ),
    "paraphrases clusters": Case(
        "paraphrases clusters {corpora}/duc2007 --output out.table",
        ("paraphrases clusters in/old --output out.table",),
    ),
    "paraphrases align": Case(
        "paraphrases align --forward in/text.align --reverse in/reverse.align --output out.align",
        ("paraphrases align --forward in/reverse.align --reverse in/reverse.align --output out.align",),
    ),
    "paraphrases extract": Case(
        "paraphrases extract in/text.b in/text.a in/text.align --workers 2 --output out.gz",
        ("paraphrases extract in/text.b in/text.a in/text.align --max-words 2 --workers 2 --output out.gz",),
    ),
    "paraphrases pivot": Case(
        "paraphrases pivot phrases.gz --workers 2 --output out.tsv.gz",
        (
            "paraphrases extract in/text.b in/text.a in/text.align --max-words 3 --workers 2 --output phrases.gz",
            "paraphrases pivot phrases.gz --all --workers 2 --output out.tsv.gz",
        ),
    ),
    "paraeval": Case(
        f"{PARAEVAL} --table in/table.tsv --output out.tsv --pairs p.tsv --matches m.tsv --plot p.png",
        (f"{PARAEVAL} --table in/small.tsv --output out.tsv --pairs p.tsv --matches m.tsv --plot p.png",),
    ),
    "rouge": Case(
        "rouge --peers in/peers --references in/references --output out.tsv",
        ("rouge --peers in/peers --references in/references --n 1 --output out.tsv",),
    ),
    "soft-pyramid": Case(
        "soft-pyramid --peers {corpora}/realsumm --pyramids {corpora}/realsumm --model one-hot --output out.tsv",
        ("rouge --peers in/peers --references in/references --n 1 --output out.tsv",),
    ),
    "score": Case("score sample --output out.tsv", ("score sample --rule ducview --output out.tsv",)),
    "dimple count": Case(
        "dimple count --pairs M={corpora}/msrp --output out.csv",
        ("dimple count --pairs M={corpora}/msrp --sources win --output out.csv",),
    ),
    "coverage": Case("coverage --pyramids in/new --output out.csv", ("coverage --pyramids in/old --output out.csv",)),
    "meta-eval": Case(
        "meta-eval rouge.tsv --judgements {corpora}/realsumm --resamples 50 --output out.json",
        (
            "rouge --peers {corpora}/realsumm --references {corpora}/realsumm --n 1 --output rouge.tsv",
            "meta-eval rouge.tsv --judgements {corpora}/realsumm --resamples 20 --output out.json",
        ),
    ),
}

READERS = {"models", "paraphrases show"}
"""The commands that write nothing."""

BASE = (
    f"{EVALUATE} --model one-hot --model overlap --model tf-idf --output results",
    "leaderboard init board --data in/new --task ranking",
    f"submit results/tf-idf {SUBMISSION}",
    "annotate sample in/new --task ranking --rows 10 --output sheet.csv",
)
"""Command lines that make the results and the leaderboard, which each run finds."""

Snapshot = dict[str, bytes]
Command = Callable[[], object]
"""Runs in a folder. A number that it returns is an exit status."""

Runs = Iterator[tuple[bool, str]]
"""Whether each run ended early or was refused, and its fault, or an empty text."""

_ROOM = "INTERRUPTIONS_ROOM"
_CACHES = {"HF_HOME": "hf", "XDG_CACHE_HOME": "cache", "TMPDIR": "tmp"}
_NOT_COMPARED = (".lock", ".sqlite3", ".log")
_REASON = re.compile("No space left|read-only|Read-only|[Pp]ermission|[Ff]ree space|[Ff]ree some space")


def run_apart(arguments: Sequence[str]) -> int:
    """Run this script in a process with mounts and caches of its own."""
    with tempfile.TemporaryDirectory(prefix="interruptions-") as folder:
        room = Path(folder) / "room"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
        environment |= {_ROOM: str(room), "OMP_NUM_THREADS": "1"}
        environment |= {name: str(room / "caches" / place) for name, place in _CACHES.items()}
        mounts = ["unshare", "--mount", *(["--user", "--map-root-user"] if os.getuid() else [])]
        return subprocess.run([*mounts, sys.executable, __file__, *arguments], env=environment).returncode


def render(corpora: Path, names: Sequence[str] = (), kills: int = 200, seed: int = 0) -> str:
    """Interrupt commands, and render a Markdown table of the number of runs and of the faults.

    Raises:
        AssertionError: If a command is in neither list, or a run without an interruption fails.
    """
    _check_names()
    cases = {name: case for name, case in CASES.items() if not names or name in names}
    _import_all()
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    rng = random.Random(seed)  # noqa: S311 - moments of kills are not secret
    room = Path(os.environ[_ROOM])
    base = room.with_name("base")
    with _serve(corpora) as server:
        places = {"corpora": str(corpora.resolve()), "server": server}
        room.mkdir(exist_ok=True)  # the imports above may have made caches
        _run_well(room, _write_inputs)
        for line in BASE:
            _run_well(room, partial(_run_line, line.format(**places)))
        _run_well(room, partial(fill, Path("sheet.csv"), Path("filled.csv"), lambda _: "a"))
        room.rename(base)
        for name, case in cases.items():
            arena = _Arena(room, base, case, places)
            for kind, runs in (
                ("kill", arena.kill(rng, -(-kills // len(cases)))),
                ("full disk", arena.fill_disk()),
                ("read-only disk", arena.forbid_all()),
                ("folders without permission", arena.forbid_folders()),
            ):
                for is_interrupted, fault in runs:
                    counts[kind].update(runs=1, interrupted=is_interrupted, faults=bool(fault))
                    if fault:
                        print(f"{name}, {kind}: {fault}", file=sys.stderr)
    rows = [
        (kind, f"{of_kind['runs']:,}", f"{of_kind['interrupted']:,}", f"{of_kind['faults']:,}")
        for kind, of_kind in counts.items()
    ]
    return tabulate(("interruption", "runs", "ended by it", "with a fault"), rows)


def _check_names() -> None:
    """Check that each command is listed once, and that none of the readers has an option for an output."""
    commands = {command.name: command for command in COMMANDS if command.module}
    writers = {name for name in commands if name in CASES}
    unlisted = set(commands) ^ writers ^ READERS
    assert not unlisted, f"in neither list, or in both: {unlisted}"


def _import_all() -> None:
    """Import all modules and large packages, so that each run starts at once in a copy of this process."""
    for package in (pyramid_paraphrase, harness):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    for name in ("datasets", "matplotlib.pyplot", "scipy.stats", "sklearn"):
        importlib.import_module(name)


def _write_inputs() -> None:
    """Write the inputs that no command makes: two topics, a list of models, parallel text, tables and summaries."""
    folder = Path("in")
    for name, topic in (("old", "S0101"), ("new", "S0102")):
        (folder / name).mkdir(parents=True)
        shutil.copy(pyramid_paraphrase.SAMPLE_DIR / f"{topic}.pyr", folder / name)
    rng = random.Random(0)  # noqa: S311 - invented text is not secret
    words = ["".join(rng.choices("abdeiklmnorstu", k=5)) for _ in range(400)]
    sentences = [rng.choices(words, k=12) for _ in range(1500)]
    pairs = [f"{first} {second}\t{second}\t0.5" for first, second in pairwise(words)]
    header = "item\tannotator\tvote\n"
    votes = [f"i{item}\ta{person}\t{rng.randrange(2)}\n" for item in range(60) for person in range(5)]
    units = {f"unit {number}": [[f"Q{person}", rng.randrange(2)] for person in range(3)] for number in range(40)}
    presence = {system: {document: {"p": units} for document in "abc"} for system in ("s1", "s2")}
    texts = {
        "QA_presence.json": json.dumps(presence),
        "models.txt": "one-hot\ntf-idf\nwtmf,dimension=5,iterations=2\n",
        "text.a": "".join(" ".join(words) + "\n" for words in sentences),
        "text.b": "".join(" ".join(word[:2].upper() for word in words) + "\n" for words in sentences),
        "text.align": (" ".join(f"{place}-{place}" for place in range(12)) + "\n") * 1500,
        "reverse.align": (" ".join(f"{place}-{place}" for place in range(10)) + "\n") * 1500,
        "table.tsv": "\n".join(pairs) + "\n",
        "small.tsv": "\n".join(pairs[:20]) + "\n",
        "lists.tsv": "source\tmethod\trank\tparaphrase\tstrict\tlenient\n" + "big\tm\t1\tlarge\t1\t1\n",
        "questions.tsv": "topic\toriginal\tcandidate\n1\tthe boat sank\ta boat went down\n",
        "sentences.tsv": "topic\tsentence\n"
        + "".join(f"t{n % 4}\t{' '.join(s)}\n" for n, s in enumerate(sentences[:80])),
        "votes.tsv": header + "".join(votes),
        "fewer_votes.tsv": header + "".join(votes[:200]),
        "overlap.txt": "true\t0.9000\nfalse\t0.1000\n" * 486,
    }
    for number in range(4):
        for author in "ABCD123":
            group = "peers" if author.isdigit() else "references"
            texts[f"{group}/D{number:02}.M.100.{author}"] = " ".join(rng.choices(words, k=80)) + ".\n"
    Path("caches", "tmp").mkdir(parents=True, exist_ok=True)
    save_tiny_model(folder / "model")
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


@contextmanager
def _serve(corpora: Path) -> Iterator[str]:
    """Serve the file of SuperPAL by the paths that `download` requests."""
    page = next(collection.page for collection in DOWNLOADABLE if collection.name == "superpal")
    with tempfile.TemporaryDirectory() as root, socket.socket() as free:
        place = Path(root, *Path(page.replace("/tree/", "/")).parts[2:])
        place.parent.mkdir(parents=True)
        place.symlink_to((corpora / "superpal").resolve())
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", root]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(1)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()
            server.wait()


class _Arena:
    """Runs of one command in copies of a folder.

    Args:
        room: The folder of each run. It does not exist.
        base: The folder with the common input.
        case: The command.
        places: The values of the names in its command lines.
    """

    def __init__(self, room: Path, base: Path, case: Case, places: Mapping[str, str]) -> None:
        self._room, self._template = room, room.with_name("template")
        self._command = partial(_run_line, case.command.format(**places))
        shutil.rmtree(self._template, ignore_errors=True)
        self._make_room(base)
        for line in case.earlier:
            _run_well(room, partial(_run_line, line.format(**places)))
        room.rename(self._template)
        self._before = _take_snapshot(self._template)
        self._make_room()
        started = time.perf_counter()
        _run_well(self._room, self._command)
        self._seconds = time.perf_counter() - started
        self._after = _take_snapshot(self._room)

    def kill(self, rng: random.Random, times: int) -> Runs:
        """Kill the command and its processes at random moments."""
        for _ in range(times):
            self._make_room()
            status, _ = _run(self._room, self._command, seconds=rng.uniform(0, self._seconds))
            yield status < 0, self._find_loss() or self._run_again()

    def fill_disk(self) -> Runs:
        """Run the command on disks with little space."""
        for free in _FREE_KIB:
            with self._mounted() as remount:
                statistics = os.statvfs(self._room)
                used = (statistics.f_blocks - statistics.f_bfree) * statistics.f_frsize
                remount(f"size={used + (free << 10)}")
                is_refused, fault = self._run_badly()
                remount("size=1g")
                yield is_refused, (fault and f"{free} KiB: {fault}") or self._run_again()

    def forbid_all(self) -> Runs:
        """Run the command on a disk that is read-only."""
        with self._mounted() as remount:
            remount("ro")
            is_refused, fault = self._run_badly()
            remount("rw")
            yield is_refused, fault or self._run_again()

    def forbid_folders(self) -> Runs:
        """Run the command in folders that allow reading only."""
        self._make_room()
        folders = [self._room, *(path for path in self._room.rglob("*") if path.is_dir() and not path.is_symlink())]
        for folder in folders:
            folder.chmod(0o555)
        is_refused, fault = self._run_badly(is_restricted=True)
        for folder in folders:
            folder.chmod(0o755)
        yield is_refused, fault or self._run_again()

    def _make_room(self, template: Path | None = None) -> None:
        if self._room.exists():
            shutil.rmtree(self._room)
        shutil.copytree(template or self._template, self._room, symlinks=True)

    @contextmanager
    def _mounted(self) -> Iterator[Callable[[str], object]]:
        """Make the room a disk in memory within the block. The function changes the options of the disk."""
        if self._room.exists():
            shutil.rmtree(self._room)
        self._room.mkdir()
        mount = partial(subprocess.run, check=True)
        mount([_MOUNT, "-t", "tmpfs", "-o", "size=1g", "none", self._room])
        try:
            shutil.copytree(self._template, self._room, symlinks=True, dirs_exist_ok=True)
            yield lambda options: mount([_MOUNT, "-o", f"remount,{options}", self._room])
        finally:
            mount([_UNMOUNT, "--lazy", self._room])

    def _run_badly(self, *, is_restricted: bool = False) -> tuple[bool, str]:
        """Run the command under conditions that it cannot change. Return whether it was refused, and a fault."""
        status, output = _run(self._room, self._command, is_restricted=is_restricted)
        if "Traceback" in output or status not in _EXPECTED_STATUS:
            return True, f"status {status}, {output[-_SHOWN:]}"
        if status and not _REASON.search(output):
            return True, f"no reason: {output[-_SHOWN:]}"
        return bool(status), self._find_loss()

    def _find_loss(self) -> str:
        """Return a fault if a file is neither as before the run nor as after a complete run."""
        now = _take_snapshot(self._room)
        broken = [
            name
            for name in {**self._before, **now}
            if now.get(name) not in (self._before.get(name), self._after.get(name))
        ]
        return f"neither old nor new: {broken}" if broken else ""

    def _run_again(self) -> str:
        """Run the command without an interruption, and return a fault."""
        status, output = _run(self._room, self._command)
        now = _take_snapshot(self._room)
        other = [name for name in {**self._after, **now} if now.get(name) != self._after.get(name)]
        left = [path.name for path in self._room.rglob(".pyramid-paraphrase-*") if path.suffix in (".tmp", ".old")]
        if status:
            return f"the next run has status {status}: {output[-_SHOWN:]}"
        return f"the next run differs: {other}, and leaves {left}" if other or left else ""


def _take_snapshot(folder: Path) -> Snapshot:
    """Return the digests of all files that people see, without times. Caches are not compared."""
    snapshot = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        is_hidden = any(part.startswith(".") for part in path.parts[len(folder.parts) :])
        if path.is_file() and not is_hidden and path.suffix not in _NOT_COMPARED:
            data = path.read_bytes()
            if path.suffix == ".gz":
                data = gzip.decompress(data)
            snapshot[name] = hashlib.sha256(_TIMES.sub(b"#", data)).digest()
    return snapshot


def _run_well(room: Path, command: Command) -> None:
    status, output = _run(room, command)
    assert status == 0, f"{command}: status {status}: {output}"


def _run(room: Path, command: Command, seconds: float | None = None, *, is_restricted: bool = False) -> tuple[int, str]:
    """Run a command in a copy of this process, and return its exit status and its output.

    This process itself runs none, because a copy of a process with threads can fail.

    Args:
        room: The working directory, which also has all caches.
        command: The command.
        seconds: The time until it is killed with all its processes. If None, a limit.
        is_restricted: Whether the permissions of files hold even for the superuser.
    """
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            _be_child(room, command, output.fileno(), is_restricted=is_restricted)
        deadline = time.monotonic() + (_MOST_SECONDS if seconds is None else seconds)
        while (ended := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
            time.sleep(0.002)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        status = ended[1] if ended[0] else os.waitpid(child, 0)[1]
        output.seek(0)
        return os.waitstatus_to_exitcode(status), output.read().decode()


def _be_child(room: Path, command: Command, output: int, *, is_restricted: bool) -> NoReturn:
    """Run a command and end the process."""
    status = 1
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.stdin.close()
        sys.stdout, sys.stderr = os.fdopen(1, "w", encoding="utf-8"), os.fdopen(2, "w", encoding="utf-8")
        os.chdir(room)
        if is_restricted:
            _heed_permissions()
        returned = command()
        status = returned if isinstance(returned, int) else 0
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _run_line(line: str) -> int:
    """Run a command line, in which a name with * stands for the paths that exist."""
    found = ((sorted(map(str, Path().glob(word))) or [word]) if "*" in word else [word] for word in shlex.split(line))
    return run_command(list(chain.from_iterable(found)))


def _heed_permissions() -> None:
    """Give up the right of the superuser to write where permissions forbid it."""

    class Header(ctypes.Structure):
        _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int))

    class Sets(ctypes.Structure):
        _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))

    status = ctypes.CDLL(None).syscall(
        _CAPSET, ctypes.byref(Header(_CAPABILITY_VERSION, 0)), ctypes.byref((Sets * 2)())
    )
    assert status == 0, "the capabilities of this process cannot be changed"


if __name__ == "__main__":
    if _ROOM not in os.environ:
        sys.exit(run_apart(sys.argv[1:]))
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    print(render(**vars(parser.parse_args())))
