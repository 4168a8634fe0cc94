"""Load rows as `datasets` objects: built in memory, from a built folder, or from the last build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, overload

import datasets
import pyarrow as pa

from pyramid_paraphrase.building.build import build_pair_test, build_test
from pyramid_paraphrase.building.built_tests import BuiltTest, count_rows, fingerprint_rows, list_collections
from pyramid_paraphrase.errors import InputError, NoBuildError, OptionError, join_remedy, suggest_names, unknown_name
from pyramid_paraphrase.escaping import escape_html, make_logger, render_html_table
from pyramid_paraphrase.formats.pairs.corpora import read_one_pair_corpus
from pyramid_paraphrase.hub import fetch_repository, find_repository, is_built
from pyramid_paraphrase.publishing.builder import PyramidParaphrase, make_features
from pyramid_paraphrase.publishing.builds import how_to_give_data, read_rows
from pyramid_paraphrase.publishing.export import read_folder
from pyramid_paraphrase.pyramids.sources import Source, list_sources, resolve_source
from pyramid_paraphrase.reading import read_corpus, warn_about_problems, warn_if_sample
from pyramid_paraphrase.rules.options import (
    ANNOTATIONS,
    CONFIGURATION_NAMES,
    PYRAMIDS,
    find_configuration,
    make_options,
)

_logger = make_logger(__name__)

SplitName: TypeAlias = str | datasets.Split | datasets.ReadInstruction
"""Names of splits that `datasets` accepts, such as "test", "test[:100]" or "validation+test"."""

_ALL = str(datasets.Split.ALL)


@overload
def load(
    configuration: str,
    source: Source | Sequence[Source] | None = None,
    *,
    split: None = None,
    strict: bool = False,
    **options: Any,  # noqa: ANN401
) -> datasets.DatasetDict: ...
@overload
def load(
    configuration: str,
    source: Source | Sequence[Source] | None = None,
    *,
    split: SplitName,
    strict: bool = False,
    **options: Any,  # noqa: ANN401
) -> datasets.Dataset: ...
@overload
def load(
    configuration: str,
    source: Source | Sequence[Source] | None = None,
    *,
    split: list[SplitName] | tuple[SplitName, ...],
    strict: bool = False,
    **options: Any,  # noqa: ANN401
) -> list[datasets.Dataset]: ...
def load(
    configuration: str,
    source: Source | Sequence[Source] | None = None,
    *,
    split: SplitName | Sequence[SplitName] | None = None,
    strict: bool = False,
    **options: Any,
) -> datasets.DatasetDict | datasets.Dataset | list[datasets.Dataset]:
    """Load a configuration without a cache: the rows are always those of the current files.

    Args:
        configuration: "binary", "ranking", "binary_matched" or "ranking_matched". For a pair corpus: "pairs",
            "pit_identification" or "pit_similarity".
        source: A file, folder or archive of annotations, several of them, "sample", or a folder that
            `pyramid-paraphrase build --output` wrote. For a pair corpus, its folder or archive. "ORG/NAME" or
            "hf://datasets/ORG/NAME" is a built folder in a dataset repository on the Hugging Face Hub, and
            "ORG/NAME@REVISION" is a commit, branch or tag of it. If None, the last build of `pyramid-paraphrase build`.
        split: The split to load, named as for `datasets.load_dataset`: "test", "test[:100]", "validation+test", or
            several in a list. If None, all splits.
        strict: Whether any problem of the files is an error.
        **options: Rules of the test: options of `pyramid-paraphrase build` with underscores, such as ``min_words=4``.

    Returns:
        A `Dataset` for a split, a list for several splits, and a `DatasetDict` for all, which a notebook shows as a
        table of numbers. The splits are "validation" and
        "test" for pairs, "test" for questions, and also "train" if rows are split by topic or by collection. A pair
        corpus has its own splits.

    Raises:
        OptionError: If the configuration, the split or an option is unknown or wrong, or the first two arguments are
            in the order of `load_dataset`.
        InputError: If the source cannot be used.
        EmptyResultError: If the rules leave no rows.
        NoBuildError: If no source is given and nothing was built.
    """
    if str(source) in CONFIGURATION_NAMES and configuration not in CONFIGURATION_NAMES:
        remedy = f"Unlike `datasets.load_dataset`, `load` takes it first: load({str(source)!r}, {str(configuration)!r})"
        raise OptionError(f"{source} is a configuration, and was given as the source. {remedy}")
    (built,) = load_tests([configuration], source, strict=strict, **options)
    return to_datasets(built) if split is None else select_splits(built, split)


def load_tests(
    configurations: Sequence[str],
    source: Source | Sequence[Source] | None = None,
    *,
    strict: bool = False,
    **options: Any,  # noqa: ANN401
) -> list[BuiltTest]:
    """Load several configurations. The source is read once.

    Args:
        configurations: Names of the configurations.
        source: As for `load`.
        strict: Whether any problem of the files is an error.
        **options: Rules, the same for all configurations.

    Returns:
        A built test per name. For the last build, the counts are only the numbers of rows.

    Raises:
        PyramidParaphraseError: As `load` does.
    """
    if source is None:
        return [_load_last_build(name, options) for name in configurations]
    sources = list_sources(source)
    if not sources:
        raise NoBuildError("no source was given", how_to_give_data(configurations[0]))
    if len(sources) == 1 and is_built(sources[0]):
        if options:
            reason = f"{sources[0]} is a built dataset, whose options cannot be changed"
            raise OptionError(f"{reason}. Build it again with the new options")
        if repository := find_repository(sources[0]):
            return _read_repository(repository, configurations)
        return [read_folder(resolve_source(sources[0]), name) for name in configurations]
    return _build_tests(configurations, sources, options, strict=strict)


def _read_repository(repository: str, configurations: Sequence[str]) -> list[BuiltTest]:
    """Read tests from a repository on the Hub, and record its commit in them."""
    title, folder = fetch_repository(repository, configurations)
    _logger.info("reading %s from %s", title, folder)
    try:
        tests = [read_folder(folder, name) for name in configurations]
    except InputError as error:
        remedy = f"remove {folder} to download it again. If that fails, ask its owner to upload it again"
        raise InputError(title, error.reason, remedy) from None
    return [replace(test, repository=title) for test in tests]


def _build_tests(
    names: Sequence[str], sources: Sequence[Source], options: Mapping[str, Any], *, strict: bool
) -> list[BuiltTest]:
    """Build tests from files. Annotations and pair corpora are each read only once."""
    annotation_tests = [name for name in names if find_configuration(name).origin in ANNOTATIONS]
    pair_tests = [name for name in names if name not in annotation_tests]
    tests: dict[str, BuiltTest] = {}
    if annotation_tests:
        warn_if_sample(sources)
        corpus = read_corpus(*sources, strict=strict)
        warn_about_problems(corpus)
        tests |= {name: build_test(corpus, name, options) for name in annotation_tests}
    if pair_tests:
        for name in pair_tests:
            make_options(find_configuration(name), options)
        pairs = read_one_pair_corpus(sources)
        tests |= {name: build_pair_test(pairs, name) for name in pair_tests}
    return [tests[name] for name in names]


def _load_last_build(name: str, options: Mapping[str, Any]) -> BuiltTest:
    builder = PyramidParaphrase(config_name=name, **options)
    if builder.entry is None:
        return builder.build()
    tables = read_rows(builder.entry)
    configuration = find_configuration(name)
    rules = make_options(configuration, options) if configuration.origin == PYRAMIDS else None
    return BuiltTest(
        configuration=configuration,
        options=rules,
        splits=tables,
        collections=list_collections(tables),
        counts={f"{split}_rows": count_rows(split_tables) for split, split_tables in tables.items()},
        fingerprint=builder.entry.fingerprint,
    )


def fingerprint(splits: Mapping[str, datasets.Dataset]) -> str:
    """Compute the fingerprint of a configuration: SHA-256 of its rows. It does not depend on how they were loaded.

    Args:
        splits: All its splits, as `load` and `load_dataset` return them.

    Returns:
        64 hexadecimal digits, the same as in the report of `build`.
    """
    return fingerprint_rows(
        {name: rows.with_format("arrow").iter(batch_size=len(rows) or 1) for name, rows in splits.items()}
    )


class Splits(datasets.DatasetDict):
    """The splits of a configuration. A notebook shows their numbers as a table, without texts, which are licensed."""

    def _repr_html_(self) -> str:
        """Return the numbers of rows, topics and positive rows of each split as HTML for a notebook."""
        table = []
        for name, rows in self.items():
            columns = [column for column in ("pyramid", "pyramid1", "pyramid2") if column in rows.column_names]
            topics = len(set[str]().union(*map(rows.unique, columns))) if columns else "-"
            positive = sum(rows["label"]) if "label" in rows.column_names else "-"
            table.append((name, len(rows), topics, positive))
        description = next((rows.info.description for rows in self.values()), "")
        shown = render_html_table(("split", "rows", "topics", "positive rows"), table)
        return f"<p>{escape_html(description)}</p>\n{shown}"


def to_datasets(built: BuiltTest) -> Splits:
    """Convert a built configuration to datasets in memory, one per split."""
    return Splits({name: _make_dataset(built, tables, name) for name, tables in built.splits.items()})


def select_splits(built: BuiltTest, split: SplitName | Sequence[SplitName]) -> Any:  # noqa: ANN401 - by the argument
    """Convert the named part of a built configuration to datasets in memory.

    Args:
        built: The configuration.
        split: A split as `datasets.load_dataset` names it, or several of them.

    Returns:
        A `datasets.Dataset`, or a list of them if several splits are named.

    Raises:
        OptionError: If a split does not exist, or `datasets` cannot parse its name.
    """
    if isinstance(split, list | tuple):
        return [select_splits(built, part) for part in split]
    row_counts = {name: count_rows(tables) for name, tables in built.splits.items()}
    name = split.to_spec() if isinstance(split, datasets.ReadInstruction) else str(split)
    if name == _ALL:
        name = "+".join(row_counts)
    pieces = []
    for section in _read_sections(name, row_counts):
        rows = pa.concat_tables(built.splits[section.splitname])
        pieces.append(rows.slice(section.from_, max(0, section.to - section.from_)))
    return _make_dataset(built, pieces, name)


def _read_sections(name: str, row_counts: Mapping[str, int]) -> list[Any]:
    """Parse the name of a split, with `datasets`, as ranges of rows.

    Returns:
        Ranges with the attributes ``splitname``, ``from_`` and ``to``.
    """
    try:
        sections: list[Any] = datasets.ReadInstruction.from_spec(name).to_absolute(row_counts)
    except (AssertionError, ValueError) as error:
        if name.isidentifier():
            raise unknown_name("split", name, row_counts) from None
        problem = f"split '{name}' cannot be used ({error})"
        raise OptionError(join_remedy(problem, suggest_names(name, row_counts))) from None
    return sections


def _make_dataset(built: BuiltTest, tables: Sequence[pa.Table], split: str) -> datasets.Dataset:
    table = pa.concat_tables(tables)
    info = datasets.DatasetInfo(
        description=built.description,
        features=make_features(built.configuration, table.column_names),
        config_name=built.configuration.name,
    )
    table = table.cast(info.features.arrow_schema)
    return datasets.Dataset(table, info=info, split=datasets.NamedSplit(split))
