"""What the tests of downloads share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def online(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library reads HF_HUB_OFFLINE when it is imported, and the tests run with it."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
