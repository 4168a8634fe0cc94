"""Devices and memory of a machine, which the tests make up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.support import hardware
from harness.support.hardware import count_cores, describe_hardware, require_devices
from pyramid_paraphrase.errors import OptionError


@pytest.fixture
def _two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware, "_count_devices", lambda kind: {"cpu": 1, "cuda": 2}.get(kind, 0))


@pytest.mark.usefixtures("_two_gpus")
def test_available_devices() -> None:
    for names in ("cpu", "cuda", "cuda:0+cuda:1", "cpu+cuda:1"):
        require_devices(names)


@pytest.mark.usefixtures("_two_gpus")
@pytest.mark.parametrize(("names", "missing"), [("cuda:2", "cuda:2"), ("cpu+mps", "mps"), ("cpu:1", "cpu:1")])
def test_other_devices_are_refused_with_a_list_of_the_available_ones(names: str, missing: str) -> None:
    with pytest.raises(OptionError, match=f"{missing} .*: cpu, cuda:0, cuda:1$"):
        require_devices(names)


def test_cores_where_a_process_cannot_ask_for_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert count_cores() >= 1
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for cores, expected in ((8, 8), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        assert count_cores() == expected


def test_a_system_that_reports_neither_processor_nor_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows has neither /proc/cpuinfo nor `sysconf`."""

    def fail(*_: object, **__: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", fail)
    monkeypatch.delattr(os, "sysconf")
    monkeypatch.setattr(hardware.platform, "processor", lambda: "")
    monkeypatch.setattr(hardware.platform, "machine", lambda: "AMD64")
    described = describe_hardware("cpu")
    assert (described["processor"], described["memory_gib"]) == ("AMD64", 0.0)
    assert described["device_name"] == "cpu"


def test_memory_in_gib(monkeypatch: pytest.MonkeyPatch) -> None:
    """16,461,000 KiB, in pages of 4 KiB."""
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 4_115_250}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    assert describe_hardware("cpu")["memory_gib"] == 15.7
