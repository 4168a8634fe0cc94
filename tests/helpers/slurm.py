"""A Slurm cluster of one node for tests."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
_CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
KillWait=1
MpiDefault=none
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SchedulerParameters=sched_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=urgent Nodes={host} MaxTime=INFINITE State=UP PriorityTier=2
"""
"""Jobs of the partition `urgent` preempt jobs of `all`. A preempted job waits until its credential has expired."""


def find_obstacle() -> str:
    """Return the reason why Slurm cannot be started, or an empty text."""
    path = f"{os.environ['PATH']}:/usr/sbin"
    missing = [program for program in PROGRAMS if shutil.which(program, path=path) is None]
    if missing:
        return f"Slurm is not installed: {missing[0]} is missing"
    return "" if os.geteuid() == 0 else "Slurm's daemons need root"


class Slurm:
    """Slurm's daemons, which write to a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": f"{os.environ['PATH']}:/usr/sbin"}
        for name in ("state", "spool", "munge"):
            (folder / name).mkdir()

    def start(self) -> None:
        """Start all daemons, and wait until the node takes jobs."""
        self._start_munge()
        ports = (find_port(), find_port())
        text = _CONFIGURATION.format(
            host=socket.gethostname().split(".")[0],
            folder=self.folder,
            controller_port=ports[0],
            node_port=ports[1],
            cores=os.cpu_count(),
        )
        (self.folder / "slurm.conf").write_text(text)
        self.run("slurmctld")
        self.start_node()

    def _start_munge(self) -> None:
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        names = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        options = [f"--{option}={self.folder}/munge/{name}" for option, name in names.items()]
        self.run("munged", "--force", *options)

    def start_node(self) -> None:
        """Start the daemon of the node, and wait until the node takes jobs."""
        self.run("slurmd")
        self.wait_until(lambda: self.run("sinfo", "-h", "-o", "%T").strip() in ("idle", "mixed", "allocated"))

    def kill_node(self) -> None:
        """Kill the daemon of the node, as in a crash. Its jobs continue."""
        os.kill(int((self.folder / "slurmd.pid").read_text()), signal.SIGKILL)

    def run(self, *command: str) -> str:
        """Run a program of Slurm, and return its output."""
        environment = os.environ | self.environment
        program = shutil.which(command[0], path=self.environment["PATH"]) or command[0]
        ended = subprocess.run(
            [program, *command[1:]], env=environment, capture_output=True, text=True, check=False, timeout=60
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def wait_until(self, is_true: object, seconds: float = 60) -> None:
        """Wait until a condition is true."""
        assert callable(is_true)
        deadline = time.monotonic() + seconds
        while not is_true():
            assert time.monotonic() < deadline, (self.folder / "slurmctld.log").read_text()[-2000:]
            time.sleep(0.1)

    def stop(self) -> None:
        """End all jobs and all daemons."""
        with suppress(AssertionError, subprocess.TimeoutExpired):
            self.run("scancel", "--user=root")
            self.wait_until(lambda: not self.run("squeue", "-h").strip(), 20)
        for name in ("slurmd.pid", "slurmctld.pid", "munge/pid"):
            with suppress(OSError, ValueError):
                os.kill(int((self.folder / name).read_text()), signal.SIGTERM)


def find_port() -> int:
    """Find a port that no program listens on."""
    with closing(socket.socket()) as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


@contextmanager
def running_slurm(folder: Path) -> Iterator[Slurm]:
    """Start Slurm, and end it when the block ends."""
    slurm = Slurm(folder)
    try:
        slurm.start()
        yield slurm
    finally:
        slurm.stop()
