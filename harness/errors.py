"""The errors of evaluating, beside those of `pyramid_paraphrase.errors`."""

from __future__ import annotations

from pyramid_paraphrase.errors import PyramidParaphraseError


class MissingExtraError(PyramidParaphraseError):
    """A model needs a package that is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        name = package.split(".")[0].replace("_", "-")
        super().__init__(f"the package {name} is not installed; pip install 'pyramid-paraphrase[{extra}]'")


class ModelError(PyramidParaphraseError):
    """A model cannot be loaded, or what it returns cannot be used."""


class ComparisonError(PyramidParaphraseError):
    """Results that do not compare."""
