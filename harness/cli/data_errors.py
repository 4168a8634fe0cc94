"""Errors about data, with the options of commands as remedies. The errors of the library name parameters of Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pyramid_paraphrase.errors import NoAnnotationError, NoBuildError, OptionError
from pyramid_paraphrase.pyramids.sources import Source

SAME_DATA = "add --data SOURCE, the data that the models were evaluated on"
"""The remedy of commands that read results and their data."""


@contextmanager
def explaining_missing_build(remedy: str) -> Iterator[None]:
    """Replace the remedy of the error about missing data.

    Args:
        remedy: The remedy.

    Raises:
        NoBuildError: If no data was given to the block, and nothing was built before.
    """
    try:
        yield
    except NoBuildError as error:
        raise NoBuildError(error.missing, remedy) from None


@contextmanager
def explaining_labelled_pairs(
    sources: Sequence[Source] | None, make_remedy: Callable[[Sequence[str]], str]
) -> Iterator[None]:
    """Replace the error about sources without annotations, if a source is a corpus of labelled pairs.

    Args:
        sources: The sources that are read within the block. None means the last build.
        make_remedy: Makes the remedy from the names of the configurations that can be built from the corpus.

    Raises:
        OptionError: If a source is a corpus of labelled pairs, and no source has annotations.
    """
    try:
        yield
    except NoAnnotationError:
        from pyramid_paraphrase.formats.pair_corpora import list_pair_tests

        for source in sources or ():
            if test_names := list_pair_tests(source):
                remedy = make_remedy(test_names)
                raise OptionError(f"{source}: contains labelled pairs, not annotations. {remedy}") from None
        raise
