"""The GPUs that a process may use."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.support.hardware import list_gpus


@pytest.mark.parametrize(
    ("visible", "gpus"),
    [("0,2", ("0", "2")), (" GPU-8f , 1", ("GPU-8f", "1")), ("3,-1,4", ("3",)), ("", ()), ("-1", ())],
)
def test_visible_gpus(visible: str, gpus: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """CUDA ignores all names from the first one on that is not valid."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert list_gpus() == gpus


def test_gpus_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program of the driver is asked: here, a script of that name. It fails on a machine without a driver."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert list_gpus() == ()
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\nprintf 'GPU-8f\\nGPU-1c\\n'\n")
    program.chmod(0o755)
    assert list_gpus() == ("GPU-8f", "GPU-1c")
    program.write_text("#!/bin/sh\necho no driver\nexit 9\n")
    assert list_gpus() == ()
