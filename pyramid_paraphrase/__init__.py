"""Tests of sentence embeddings made from pyramid annotations of the DUC and TAC conferences.

Importing this package registers it, so that ``datasets.load_dataset("pyramid_paraphrase", "ranking", data_dir=...)``
works. Heavy modules are imported only when they are used.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import TYPE_CHECKING

from pyramid_paraphrase.catalog import SAMPLE_DIR
from pyramid_paraphrase.publishing.registration import register_when_imported

if TYPE_CHECKING:
    from pyramid_paraphrase.building.build import build_test
    from pyramid_paraphrase.errors import PyramidParaphraseError
    from pyramid_paraphrase.loading import fingerprint, load
    from pyramid_paraphrase.pyramids.pyramid_scores import score_peers, score_peers_by_ducview
    from pyramid_paraphrase.reading import read_corpus

__version__ = "0.1.0"
__all__ = [
    "SAMPLE_DIR",
    "PyramidParaphraseError",
    "build_test",
    "fingerprint",
    "load",
    "read_corpus",
    "score_peers",
    "score_peers_by_ducview",
]

_HOMES = {
    "PyramidParaphraseError": "errors",
    "build_test": "building.build",
    "fingerprint": "loading",
    "load": "loading",
    "read_corpus": "reading",
    "score_peers": "pyramids.pyramid_scores",
    "score_peers_by_ducview": "pyramids.pyramid_scores",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is used."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, imported or not."""
    return sorted([*__all__, "__version__"])


if "ipykernel" in sys.modules:  # a notebook
    # Other libraries import this module. Without ipywidgets it warns, although nobody uses its bars.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module("tqdm.auto")

register_when_imported()
