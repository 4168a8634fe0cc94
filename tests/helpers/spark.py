"""A Spark cluster of two workers on this machine, and tasks that wait until a test lets them continue."""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from harness.paraphrases.extraction import spark
from harness.paraphrases.extraction.packing import Columns, Layout
from harness.paraphrases.extraction.spark import _count_pieces
from helpers.checkout import ROOT

GATES = "SPARK_TEST_GATES"
"""Environment variable with the folder of the named pipes `waiting` and `gate`."""

_SECONDS = 240
"""Seconds to wait for Spark. On an idle machine it starts in a few seconds."""


def find_obstacle() -> str:
    """Return the reason why Spark cannot be started, or an empty text."""
    return "" if shutil.which("java") else "Java is not installed"


def make_environment(folder: Path) -> dict[str, str]:
    """Return the environment of Spark's processes, which use this checkout and only this machine."""
    return os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}",
        "PYSPARK_PYTHON": sys.executable,
        # The processes are short: Java's second compiler and parallel collector would cost more than they save.
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_LOCAL_DIRS": str(folder),
        GATES: str(folder),
    }


@contextmanager
def run_session(command: list[str], environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process in its own session, and kill all processes of the session at the end."""
    with (
        log.open("wb") as file,
        subprocess.Popen(command, env=environment, stdout=file, stderr=file, start_new_session=True) as process,
    ):
        try:
            yield process
        finally:
            for pid in list_session(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def list_session(session: int) -> list[int]:
    """List the processes of a session."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in pids if _read_status(pid)[1] == session]


def _read_status(pid: int) -> tuple[int, int]:
    """Return the parent and the session of a process, or 0 if the process has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0, 0
    return int(fields[1]), int(fields[3])


@contextmanager
def start_cluster(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Start a master and two workers of one core each. Yield the master's URL and the environment of a driver."""
    environment = make_environment(folder)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    url = f"spark://127.0.0.1:{port}"
    master = f"spark-class org.apache.spark.deploy.master.Master --host 127.0.0.1 --port {port} --webui-port 0"
    worker = f"spark-class org.apache.spark.deploy.worker.Worker {url} --cores 1 --memory 1g --webui-port 0"
    script = f"{master} & {worker} & {worker} & wait"
    log = folder / "cluster.log"
    with run_session(["bash", "-c", script], environment, log):
        deadline = time.monotonic() + _SECONDS
        while log.read_text().count("Registering worker 127.0.0.1") < 2:
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield url, environment


def find_executor(pid: int) -> tuple[int, int]:
    """Return the executor of a Python process, and the worker of the executor."""
    while "CoarseGrainedExecutorBackend" not in Path(f"/proc/{pid}/cmdline").read_text():
        pid = _read_status(pid)[0]
    return pid, _read_status(pid)[0]


class Gates:
    """Two named pipes: tasks write their process ids to the first pipe, and wait until the second pipe is opened.

    Args:
        folder: Folder of the pipes.
    """

    def __init__(self, folder: Path) -> None:
        self._waiting, self._gate = folder / "waiting", folder / "gate"

    def make(self) -> IO[bytes]:
        """Make the pipes, and open the pipe of the process ids, which never ends."""
        os.mkfifo(self._waiting)
        os.mkfifo(self._gate)
        return self._waiting.open("r+b", buffering=0)

    @staticmethod
    def read_process(waiting: IO[bytes]) -> int:
        """Read the id of the next waiting process."""
        assert select.select([waiting], [], [], _SECONDS)[0], "no task waits"
        return int(waiting.readline())

    def wait(self) -> None:
        """Announce that this process waits, and wait. After the gate was opened, do nothing."""
        if self._gate.exists():
            with self._waiting.open("wb", buffering=0) as file:
                file.write(b"%d\n" % os.getpid())
            with suppress(FileNotFoundError):
                self._gate.read_bytes()

    def open(self) -> None:
        """Let all tasks continue. At least one task must be waiting."""
        with self._gate.open("wb"):
            self._gate.unlink()


def count_behind_the_gate(pieces: Iterable[tuple[int, Columns]], layout: Layout) -> Iterator[Columns]:
    """Count phrase pairs when the gate is open. This function runs in the executors."""
    Gates(Path(os.environ[GATES])).wait()
    yield from _count_pieces(pieces, layout)


def main() -> int:
    """Run the command line with tasks that wait before they count."""
    from harness.cli import main as run

    spark._count_pieces = count_behind_the_gate
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
