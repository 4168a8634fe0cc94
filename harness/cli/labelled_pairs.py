"""Errors about labelled pairs that a user gives instead of annotations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pyramid_paraphrase.errors import NoAnnotationError, OptionError
from pyramid_paraphrase.sources import Source


@contextmanager
def explaining_labelled_pairs(
    sources: Sequence[Source] | None, make_remedy: Callable[[Sequence[str]], str]
) -> Iterator[None]:
    """Replace the error about sources without annotations, if a source is a corpus of labelled pairs.

    The error of the library names configurations. The user of a command needs the option instead.

    Args:
        sources: The sources that are read within the block. None means the last build.
        make_remedy: Makes the remedy from the names of the configurations that can be built from the corpus.

    Raises:
        OptionError: If a source is a corpus of labelled pairs, and no source has annotations.
    """
    try:
        yield
    except NoAnnotationError:
        from pyramid_paraphrase.pair_corpora.reading import list_pair_tests

        for source in sources or ():
            if test_names := list_pair_tests(source):
                remedy = make_remedy(test_names)
                raise OptionError(f"{source}: contains labelled pairs, not annotations. {remedy}") from None
        raise
