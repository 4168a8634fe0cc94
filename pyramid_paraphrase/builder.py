"""The builder behind `datasets.load_dataset("pyramid_paraphrase", ...)`."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
from datasets.data_files import DataFilesDict, get_data_patterns

from pyramid_paraphrase.build import build_test
from pyramid_paraphrase.built_tests import BuiltTest
from pyramid_paraphrase.corpus import Corpus, read_corpus
from pyramid_paraphrase.errors import InputError, NoBuildError, OptionError
from pyramid_paraphrase.last_build import (
    describe_damage,
    find_fingerprint,
    find_last_entry,
    find_optional_digest,
    read_entry_info,
)
from pyramid_paraphrase.optional_columns import FACT_COLUMNS, list_optional_fields, name_optional_columns
from pyramid_paraphrase.options import (
    ANNOTATIONS,
    CITATIONS,
    CONFIGURATION_NAMES,
    CONFIGURATIONS,
    DATA_VERSION,
    FRAGMENTS,
    OPTION_FIELDS,
    PYRAMID_TESTS,
    SUMMARIES,
    Configuration,
    changed_options,
    find_configuration,
    make_options,
)
from pyramid_paraphrase.pair_corpora.build import SCHEMAS as PAIR_SCHEMAS
from pyramid_paraphrase.pair_corpora.build import build_pair_test
from pyramid_paraphrase.pair_corpora.reading import read_one_pair_corpus
from pyramid_paraphrase.peers import SCHEMA as PEERS_SCHEMA
from pyramid_paraphrase.presence import LABEL_NAMES as PRESENCE_LABELS
from pyramid_paraphrase.presence import SCHEMA as PRESENCE_SCHEMA
from pyramid_paraphrase.problems import KINDS, describe
from pyramid_paraphrase.registration import NAME, code_hash
from pyramid_paraphrase.rows import LABEL_NAMES, SCHEMAS, digest_optional_columns, fingerprint_rows
from pyramid_paraphrase.sample import SAMPLE_DIR, SAMPLE_WARNING
from pyramid_paraphrase.sources import Source, is_readable_name, read_sources, resolve_source
from pyramid_paraphrase.stored_tables import TableHandle, list_handles

_HOW_TO_GIVE_DATA = (
    "pass your files as data_dir=... (source=... in pyramid_paraphrase.load), or build them once with "
    "`pyramid-paraphrase build SOURCE{option}`"
)
_SAMPLE_HINT = ". To try the package without data, use data_dir=pyramid_paraphrase.SAMPLE_DIR"
_PROBLEMS = "problems in the input: %s. `pyramid-paraphrase inspect SOURCE --list` lists them"
_BUILD_AGAIN = "repair it by building it again with `pyramid-paraphrase build SOURCE`"


def how_to_give_data(configuration: str) -> str:
    """Describe how to pass data to a configuration. A sample exists only for tests of pyramids."""
    if configuration in PYRAMID_TESTS:
        return _HOW_TO_GIVE_DATA.format(option="") + _SAMPLE_HINT
    return _HOW_TO_GIVE_DATA.format(option=f" --config {configuration}")


_DAMAGE = (
    OSError, pa.ArrowException, AttributeError, KeyError, RecursionError, TypeError, UnicodeError, json.JSONDecodeError
)  # fmt: skip
"""Exceptions that `datasets` raises for damaged files. Any other ValueError means that a split does not exist."""

_BASE_PARAMETERS = frozenset(inspect.signature(datasets.DatasetBuilder.__init__).parameters)
_logger = logging.getLogger(__name__)


def make_features(configuration: Configuration, columns: Collection[str] = FACT_COLUMNS) -> datasets.Features:
    """Make the features of a configuration's rows: the Arrow columns with the names of the labels.

    Args:
        configuration: The configuration.
        columns: Names of the columns of the rows. Optional columns are features only if they are named here.
    """
    schemas = {**PAIR_SCHEMAS, SUMMARIES: PRESENCE_SCHEMA, FRAGMENTS: PEERS_SCHEMA}
    schema = schemas.get(configuration.origin)
    if schema is None:
        schema = pa.schema([*SCHEMAS[configuration.kind], *list_optional_fields(configuration.kind, columns)])
    features = datasets.Features.from_arrow_schema(schema)
    if "label" in features:
        names = PRESENCE_LABELS if configuration.origin == SUMMARIES else LABEL_NAMES
        features["label"] = datasets.ClassLabel(names=list(names))
    return features


BuilderConfig = dataclasses.make_dataclass(
    "BuilderConfig",
    [(option.name, option.type, dataclasses.field(default=option.default)) for option in OPTION_FIELDS],
    bases=(datasets.BuilderConfig,),
    namespace={"__module__": __name__},
    eq=False,
)
"""The configuration of a builder: the fields of `datasets.BuilderConfig` and the options of `Options`."""


class PyramidParaphrase(datasets.ArrowBasedBuilder):
    """Builds one configuration from annotation files, or loads the last build.

    The key of its cache is a hash of the files' content and of the code. After a change of the files or of this
    package, the cache is not used.
    """

    BUILDER_CONFIG_CLASS = BuilderConfig
    BUILDER_CONFIGS = [  # noqa: RUF012 - the name and form that `datasets` asks for
        BuilderConfig(name=row.name, version=datasets.Version(DATA_VERSION), description=row.title, **row.preset)
        for row in CONFIGURATIONS
    ]

    def __init__(
        self,
        cache_dir: str | None = None,
        config_name: str | None = None,
        data_files: DataFilesDict | None = None,
        data_dir: Source | None = None,
        built: BuiltTest | None = None,
        **kwargs: Any,  # noqa: ANN401
    ) -> None:
        """Check the arguments and find the cache entry. Nothing is built yet.

        Args:
            cache_dir: Folder of the `datasets` cache. If None, the default folder.
            config_name: Name of a configuration.
            data_files: Files that the user named or that `datasets` listed. Ignored if there is a ``data_dir``.
            data_dir: A folder with annotation files or archives.
            built: Rows that were built before, to be written to the cache.
            **kwargs: Options, and arguments of `datasets.DatasetBuilder`. The arguments ``dataset_name`` and ``hash``
                are ignored, because the name is fixed and the key of the cache depends on the content.

        Raises:
            OptionError: If the configuration or an option is unknown or wrong.
            InputError: If the data cannot be used.
            NoBuildError: If there is no data and nothing was built before.
        """
        if config_name is None:
            raise OptionError(f"no configuration was given. Choose from: {', '.join(CONFIGURATION_NAMES)}")
        options = {name: value for name, value in kwargs.items() if name not in _BASE_PARAMETERS}
        base = {name: value for name, value in kwargs.items() if name in _BASE_PARAMETERS - {"dataset_name", "hash"}}
        configuration = find_configuration(config_name)
        changed = changed_options(configuration, make_options(configuration, options))
        named_files = None
        if not data_dir and not built:
            named_files = _select_named_files(data_files)
        self._built = built
        self._sources = _list_sources(data_dir, named_files)
        warn_if_sample(self._sources)
        key = self._find_key(configuration, changed, cache_dir)
        try:
            super().__init__(
                cache_dir=cache_dir,
                dataset_name=NAME,
                config_name=config_name,
                hash=key,
                data_dir=self._sources[0] if data_dir else None,
                data_files=named_files,
                **base,
                **changed,
            )
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
            # `datasets` checks the arguments first, then sets the folder in the cache, then reads that folder.
            if "_cache_dir" not in vars(self):
                raise
            raise self._make_damage_error("its description cannot be read") from None
        self._changed = changed

    def _find_key(self, configuration: Configuration, changed: dict[str, Any], cache_dir: str | None) -> str:
        """Return the key of the entry in the cache."""
        if self._built:
            return _hash_with_code(self._built.fingerprint + self._built.optional_digest)
        if self._sources:
            return _hash_with_code(self._digest_sources(configuration))
        entry = find_last_build(configuration.name, changed, cache_dir)
        description = read_entry_info(entry, _BUILD_AGAIN).description
        _logger.warning("no data was given: using the last build of %s. %s", entry.parents[1].name, description)
        return entry.name

    def _info(self) -> datasets.DatasetInfo:
        configuration = find_configuration(self.config.name)
        columns: Collection[str] = name_optional_columns(context=self.config.context)
        if self._built:
            columns = self._built.column_names
        return datasets.DatasetInfo(
            description=configuration.title,
            citation=CITATIONS[configuration.origin],
            features=make_features(configuration, columns),
            license="texts: as agreed with their provider (for DUC and TAC, NIST). Code: Apache-2.0",
        )

    def _split_generators(self, dl_manager: datasets.DownloadManager) -> list[datasets.SplitGenerator]:
        del dl_manager
        if not self._built and not self._sources:
            splits: Mapping[str, Sequence[pa.Table]] = self.read_tables()
        else:
            built = self._built or self._build()
            self.info.description = built.description
            splits = built.splits
        # `datasets` divides lists among processes.
        handles = {name: list_handles(tables) for name, tables in splits.items()}
        return [datasets.SplitGenerator(name=name, gen_kwargs={"tables": tables}) for name, tables in handles.items()]

    def as_dataset(self, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401
        """Return the splits, as the base class does.

        Raises:
            InputError: If their files in the cache are damaged.
        """
        try:
            return super().as_dataset(*arguments, **keywords)
        except _DAMAGE as error:
            raise self._make_damage_error("its files cannot be read") from error

    def read_tables(self) -> dict[str, list[pa.Table]]:
        """Read the rows in the cache, and compare them with the fingerprint of the build.

        Returns:
            Tables by split.

        Raises:
            InputError: If they are damaged.
        """
        with suppress(pa.ArrowException, KeyError, ValueError):
            tables = {str(split): [dataset.data.table] for split, dataset in self.as_dataset().items()}
            for table in chain.from_iterable(tables.values()):
                table.validate(full=True)  # in damaged files, offsets can point outside of the file
            digests = fingerprint_rows(tables), digest_optional_columns(tables)
            if digests == (find_fingerprint(self.info), find_optional_digest(self.info)):
                return tables
        raise self._make_damage_error("its rows differ from the rows that were built")

    def _make_damage_error(self, reason: str) -> InputError:
        remedy = _BUILD_AGAIN
        if self._sources:
            remedy = "delete this folder, and load the data again"
        return describe_damage(self._cache_dir, reason, remedy)

    def _digest_sources(self, configuration: Configuration) -> str:
        if configuration.origin in ANNOTATIONS:
            return read_sources(self._sources).digest()
        return read_one_pair_corpus(self._sources).digest

    def _build(self) -> BuiltTest:
        if find_configuration(self.config.name).origin not in ANNOTATIONS:
            return build_pair_test(read_one_pair_corpus(self._sources), self.config.name)
        corpus = read_corpus(*self._sources)
        warn_about_problems(corpus)
        return build_test(corpus, self.config.name, self._changed)

    def _generate_tables(self, tables: list[TableHandle]) -> Iterator[tuple[int, pa.Table]]:
        for key, handle in enumerate(tables):
            yield key, handle.load()


def warn_if_sample(sources: Sequence[Source]) -> None:
    """Log a warning if a source is the sample, because scores on it are not comparable with other scores."""
    if any(resolve_source(source) == SAMPLE_DIR for source in sources):
        _logger.warning(SAMPLE_WARNING)


def warn_about_problems(corpus: Corpus) -> None:
    """Log a warning about everything that was left out, and an info message about repairs."""
    left_out = [problem for problem in corpus.problems if KINDS[problem.kind].left_out]
    repaired = [problem for problem in corpus.problems if not KINDS[problem.kind].left_out]
    if left_out:
        _logger.warning(_PROBLEMS, describe(left_out))
    if repaired:
        _logger.info(_PROBLEMS, describe(repaired))


def find_last_build(configuration: str, options: dict[str, Any], cache_dir: Source | None = None) -> Path:
    """Return the cache entry of the last build of a configuration with these options. The entry may be damaged.

    Raises:
        NoBuildError: If there is no build.
    """
    config_id = datasets.BuilderConfig(configuration).create_config_id(options)
    root = Path(cache_dir or datasets.config.HF_DATASETS_CACHE).expanduser() / NAME / config_id / DATA_VERSION
    last = find_last_entry(root)
    if last is None:
        missing = f"no data was given, and {config_id} was not built before"
        raise NoBuildError(missing, how_to_give_data(configuration))
    return last


def _hash_with_code(content: str) -> str:
    return hashlib.sha256(f"{code_hash()}:{content}".encode()).hexdigest()


def _list_sources(data_dir: Source | None, named_files: DataFilesDict | None) -> list[str]:
    if data_dir:
        return [str(resolve_source(data_dir))]
    if named_files is None:
        return []
    return [str(resolve_source(file)) for file in chain.from_iterable(named_files.values())]


def _select_named_files(data_files: DataFilesDict | None) -> DataFilesDict | None:
    """Return the files that the user named, or None if `datasets` listed the working directory.

    Raises:
        InputError: If both are possible and their results differ.
    """
    if not data_files:
        return None
    working_folder = str(Path.cwd())
    listed_files = DataFilesDict.from_patterns(get_data_patterns(working_folder), base_path=working_folder)
    if dict(listed_files) != dict(data_files):
        return data_files
    if all(map(is_readable_name, chain.from_iterable(listed_files.values()))):
        remedy = "pass data_dir='.' to use these files, or call pyramid_paraphrase.load(...) to use the last build"
        reason = "contains only annotation files: it is unclear whether to use them or the last build"
        raise InputError(working_folder, reason, remedy)
    return None
