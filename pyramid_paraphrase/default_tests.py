"""The default tests for given data: models are evaluated on them if the user names no tests."""

from __future__ import annotations

from collections.abc import Sequence

from pyramid_paraphrase.errors import NoBuildError
from pyramid_paraphrase.hub import is_built, locate_source
from pyramid_paraphrase.pair_corpora.reading import list_pair_tests
from pyramid_paraphrase.pyramids.sources import Source, list_sources
from pyramid_paraphrase.rules.options import PYRAMID_TESTS


def choose_default_tests(data: Source | Sequence[Source] | None) -> tuple[str, ...]:
    """Choose the tests of the data, without `presence`.

    Args:
        data: Annotation files, "sample", a pair corpus, or a built folder, local or on the Hub. If None, the last
            build.

    Returns:
        Names of configurations: the tests of a built folder, the tests of a pair corpus, the tests of pyramids in the
        last build, or all tests of pyramids for annotation files. Without a build, they are all tests of pyramids,
        because the error on loading them states the remedy.

    Raises:
        InputError: If a file does not exist, a repository cannot be read, or the manifest of a built folder is damaged.
    """
    if data is None:
        return tuple(name for name in PYRAMID_TESTS if _is_built(name)) or PYRAMID_TESTS
    sources = list_sources(data)
    built = [source for source in sources if is_built(source)]
    if len(built) == 1:
        from pyramid_paraphrase.publishing.export import list_tests  # imports `pyarrow`

        return list_tests(locate_source(built[0], ()))
    if len(sources) == 1 and not built:
        return list_pair_tests(sources[0]) or PYRAMID_TESTS
    return PYRAMID_TESTS


def _is_built(name: str) -> bool:
    from pyramid_paraphrase.publishing.builds import find_last_build  # imports `datasets`, which few commands need

    try:
        find_last_build(name, {})
    except NoBuildError:
        return False
    return True
