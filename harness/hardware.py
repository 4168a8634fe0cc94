"""What machine a result was computed on."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any


def describe_hardware(device: str) -> dict[str, Any]:
    """Name processor, cores, memory and device.

    Args:
        device: Where the model computed, such as "cpu" or "cuda:0".

    Returns:
        The section `hardware` of a result.
    """
    return {
        "device": device,
        "device_name": _name_device(device),
        "processor": _name_processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "memory_gib": _count_memory(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def _name_device(device: str) -> str:
    if device.startswith("cuda") and "torch" in sys.modules:
        import torch

        return str(torch.cuda.get_device_name(device.split("+")[0]))
    return device


def _name_processor() -> str:
    """Name the processor; Python does not know it on Linux."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _count_memory() -> float:
    """Memory of the machine in GiB; 0 where the system does not tell."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30), 1)
    except (AttributeError, OSError, ValueError):
        return 0.0
