"""The tests that models are evaluated on if the user names none."""

from __future__ import annotations

from collections.abc import Sequence

from pyramid_paraphrase.errors import NoBuildError
from pyramid_paraphrase.hub import is_built, locate_source
from pyramid_paraphrase.options import PYRAMID_TESTS
from pyramid_paraphrase.sources import Source, list_sources


def choose_default_tests(data: Source | Sequence[Source] | None) -> tuple[str, ...]:
    """Choose the tests of pyramids that the data has.

    Args:
        data: Annotation files, "sample", or a built folder, here or on the Hub; the last build if None.

    Returns:
        Names of configurations: the tests of a built folder, the tests that were built, or all of them for annotation
        files. All of them, too, if nothing was built, so that loading them says what to do.

    Raises:
        InputError: If a file does not exist, a repository cannot be read, or the manifest of a built folder is damaged.
    """
    if data is None:
        return tuple(name for name in PYRAMID_TESTS if _is_built(name)) or PYRAMID_TESTS
    built = [source for source in list_sources(data) if is_built(source)]
    if len(built) != 1:
        return PYRAMID_TESTS
    from pyramid_paraphrase.export import list_tests  # imports `pyarrow`

    return list_tests(locate_source(built[0], ()))


def _is_built(name: str) -> bool:
    from pyramid_paraphrase.builder import find_last_build  # imports `datasets`, which few commands need

    try:
        find_last_build(name, {})
    except NoBuildError:
        return False
    return True
