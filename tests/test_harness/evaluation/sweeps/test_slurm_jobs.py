"""Jobs of Slurm without Slurm: a program that answers like `squeue`, and a job without units."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from helpers.messages import mentions

from harness.evaluation.sweeps.executors import UnitsOfJob, _is_in_queue, compute_on_slurm
from harness.evaluation.sweeps.units import SweepFolder, Unit, compute_unit
from pyramid_paraphrase.errors import OutputError


@pytest.mark.parametrize(
    ("answer", "is_in_queue"),
    [
        ("echo 7_1", True),
        ("true", False),
        ("echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1", False),
        ("echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1", True),
    ],
)
def test_the_answers_of_squeue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, *, is_in_queue: bool
) -> None:
    """Slurm forgets a job some time after its end. If it does not answer, the job may still run."""
    program = tmp_path / "squeue"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\n{answer}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert _is_in_queue("7") == is_in_queue
    assert "--jobs 7" in (tmp_path / "arguments").read_text()


def test_a_job_computes_no_unit_that_has_an_outcome(tmp_path: Path) -> None:
    """Without a process: the unit would need another one."""
    unit = Unit("one-hot", "one-hot", "a" * 64)
    folder = SweepFolder(tmp_path / "sweep")
    folder.prepare([unit])
    folder.write_failure(unit, "broken", 1.0)
    UnitsOfJob(folder, compute_unit, [unit], 1)()
    assert not list(folder.root.glob("logs/*"))
    outcome = folder.read_outcome(unit)
    assert outcome is not None
    assert outcome.reason == "broken"


@pytest.mark.needs("submitit")
def test_jobs_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """submitit writes the jobs to files, which ended in a traceback on a full disk."""
    (tmp_path / "sbatch").write_text("#!/bin/sh\n")
    (tmp_path / "sbatch").chmod(0o755)
    (tmp_path / "srun").symlink_to(tmp_path / "sbatch")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("submitit.SlurmExecutor.submit", fail)
    unit, folder = Unit("one-hot", "one-hot", "a" * 64), SweepFolder(tmp_path / "sweep")
    jobs = compute_on_slurm(
        folder, compute_unit, [unit], jobs=1, models_per_job=1, threads=1, minutes=1, options={"partition": "x"}
    )
    with pytest.raises(OutputError, match=mentions(f"{folder.jobs}: ... No space left on device ... space")):
        next(iter(jobs))
