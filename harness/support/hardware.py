"""The machine: its devices, processor, cores and memory."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from itertools import takewhile
from pathlib import Path
from typing import Any

from pyramid_paraphrase.errors import OptionError

HOW_TO_NAME_DEVICES = "cpu, cuda, cuda:1, or several joined by +"
VISIBLE_GPUS = "CUDA_VISIBLE_DEVICES"
"""Name of the environment variable that lists the GPUs that a process may use."""

_DEVICES = re.compile(r"[a-z]+(:\d+)?(\+[a-z]+(:\d+)?)*")
_USUAL_DEVICES = ("cpu", "cuda", "mps", "xpu")


def parse_devices(text: str) -> str:
    """Check the syntax of the names of devices. `require_devices` checks whether the devices exist.

    Raises:
        ValueError: If the syntax is wrong.
    """
    if not _DEVICES.fullmatch(text):
        raise ValueError(f"use {HOW_TO_NAME_DEVICES}")
    return text


def require_devices(names: str) -> None:
    """Refuse devices that this machine does not have, or that the installed `torch` does not support.

    Args:
        names: Names of devices, such as "cuda", or "cuda:0+cuda:1".

    Raises:
        OptionError: If a device is not available.
    """
    for name in names.split("+"):
        kind, _, number = name.partition(":")
        if int(number or 0) >= _count_devices(kind):
            available: list[str] = []
            for kind in _USUAL_DEVICES:
                count = _count_devices(kind)
                available += [kind] if count == 1 else [f"{kind}:{number}" for number in range(count)]
            raise OptionError(f"device {name} is not available. Available devices: {', '.join(available)}")


def _count_devices(kind: str) -> int:
    import torch

    count_devices = getattr(getattr(torch, kind, None), "device_count", None)
    if count_devices is None:
        return 0
    return int(count_devices())


def count_cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def list_gpus() -> tuple[str, ...]:
    """List the NVIDIA GPUs that this process may use, by their names in ``CUDA_VISIBLE_DEVICES``."""
    visible = os.environ.get(VISIBLE_GPUS)
    if visible is not None:
        # CUDA ignores all names after the first one that is not valid, such as -1.
        return tuple(takewhile(lambda name: name and name != "-1", map(str.strip, visible.split(","))))
    program = shutil.which("nvidia-smi")
    if program is None:
        return ()
    command = [program, "--query-gpu=uuid", "--format=csv,noheader"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return tuple(answer.stdout.split()) if answer.returncode == 0 else ()


def describe_hardware(device: str) -> dict[str, Any]:
    """Describe the processor, cores, memory and device.

    Args:
        device: Device on which the model computed, such as "cpu" or "cuda:0".

    Returns:
        The section `hardware` of a result.
    """
    return {
        "device": device,
        "device_name": _name_device(device),
        "processor": _name_processor(),
        "cores": count_cores(),
        "memory_gib": _count_memory(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def _name_device(device: str) -> str:
    if device.startswith("cuda") and "torch" in sys.modules:
        import torch

        return str(torch.cuda.get_device_name(device.split("+")[0]))
    return device


def _name_processor() -> str:
    """Return the name of the processor. On Linux, it is in /proc/cpuinfo, because Python does not know it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _count_memory() -> float:
    """Return the memory of the machine in GiB, or 0 if the system does not report it."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30), 1)
    except (AttributeError, OSError, ValueError):
        return 0.0
