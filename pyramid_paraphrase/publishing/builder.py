"""The builder behind `datasets.load_dataset("pyramid_paraphrase", ...)`."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
from datasets.data_files import DataFilesDict, sanitize_patterns

from pyramid_paraphrase.building import peers, presence, rows
from pyramid_paraphrase.building.build import PAIR_SCHEMAS, build_pair_test, build_test
from pyramid_paraphrase.building.built_tests import BuiltTest, TableHandle, list_handles
from pyramid_paraphrase.errors import InputError, NoBuildError, OptionError, PyramidParaphraseError, join_remedy
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.formats.pairs.corpora import read_one_pair_corpus
from pyramid_paraphrase.formats.pairs.files import PairCorpus
from pyramid_paraphrase.publishing import builds
from pyramid_paraphrase.publishing.card import CITATIONS
from pyramid_paraphrase.publishing.registration import NAME, code_hash
from pyramid_paraphrase.pyramids.sources import Source, SourceFiles, resolve_source
from pyramid_paraphrase.reading import (
    has_votes,
    parse_corpus,
    read_files,
    refuse_pair_corpora,
    warn_about_problems,
    warn_if_sample,
)
from pyramid_paraphrase.rules import options

_DAMAGE = (
    OSError, pa.ArrowException, AttributeError, KeyError, RecursionError, TypeError, UnicodeError, json.JSONDecodeError
)  # fmt: skip
"""Exceptions that `datasets` raises for damaged files. Any other ValueError means that a split does not exist."""

_Files = SourceFiles | PairCorpus
_BASE_PARAMETERS = frozenset(inspect.signature(datasets.DatasetBuilder.__init__).parameters)
_logger = make_logger(__name__)


BuilderConfig = dataclasses.make_dataclass(
    "BuilderConfig",
    [(option.name, option.type, dataclasses.field(default=option.default)) for option in options.OPTION_FIELDS],
    bases=(datasets.BuilderConfig,),
    namespace={"__module__": __name__},
    eq=False,
)
"""The configuration of a builder: the fields of `datasets.BuilderConfig` and the options of `Options`."""


class PyramidParaphrase(datasets.ArrowBasedBuilder):
    """Builds one configuration from annotation files, or loads the last build.

    The key of its cache is a hash of the files' content and of the code. After a change of the files or of this
    package, the cache is not used.

    Attributes:
        sources: The files to build from. Empty for the last build.
        entry: The entry of the last build, if it is loaded.
    """

    BUILDER_CONFIG_CLASS = BuilderConfig
    BUILDER_CONFIGS = [  # noqa: RUF012 - the name and form that `datasets` asks for
        BuilderConfig(
            name=row.name, version=datasets.Version(options.DATA_VERSION), description=row.title, **row.preset
        )
        for row in options.CONFIGURATIONS
    ]

    def __init__(
        self,
        cache_dir: str | None = None,
        config_name: str | None = None,
        data_files: Any = None,  # noqa: ANN401 - what `datasets` accepts
        data_dir: Source | None = None,
        built: BuiltTest | None = None,
        hash: str | None = None,  # noqa: A002 - the name that `datasets` asks for
        **kwargs: Any,  # noqa: ANN401
    ) -> None:
        """Check the arguments, find the cache entry and read the files. Nothing is built yet.

        Without data and without a build, only the features are known, and every way to get rows raises an error.

        Args:
            cache_dir: Folder of the `datasets` cache. If None, the default folder.
            config_name: Name of a configuration.
            data_files: Paths or patterns, as for `datasets.load_dataset`. They are relative to ``data_dir`` if it is
                given.
            data_dir: A folder of annotation files or archives, a file, an archive, or "sample".
            built: Rows that were built before, to be written to the cache.
            hash: The key of the cache for ``built``. Otherwise ignored, because the key depends on the content.
            **kwargs: Options, and arguments of `datasets.DatasetBuilder`. The argument ``dataset_name`` is ignored,
                because the name is fixed.

        Raises:
            OptionError: If the configuration or an option is unknown or wrong.
            InputError: If the data cannot be used.
        """
        if config_name is None:
            names = ", ".join(options.CONFIGURATION_NAMES)
            remedy = f'name it, as in load_dataset("{NAME}", "{options.CONFIGURATION_NAMES[0]}")'
            raise OptionError(join_remedy(f"no configuration was given. Choose from: {names}", remedy))
        configuration = options.find_configuration(config_name)
        base = {name: kwargs.pop(name) for name in _BASE_PARAMETERS & kwargs.keys()} | {"dataset_name": NAME}
        rules = options.make_options(configuration, kwargs)
        self._changed = options.changed_options(configuration, rules)
        self._built = built
        self._files: _Files | None = None
        self._failure: PyramidParaphraseError | None = None
        self.entry: builds.Entry | None = None
        self.sources = _list_sources(data_dir, data_files)
        if built is None:
            cache_dir, hash = self._locate(configuration, builds.find_root(cache_dir))  # noqa: A001
        try:
            super().__init__(cache_dir=cache_dir, config_name=config_name, hash=hash, **base, **self._changed)
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
            # `datasets` checks the arguments first, then sets the folder in the cache, then reads that folder.
            if "_cache_dir" not in vars(self):
                raise
            raise self._describe_damage("its description cannot be read") from None
        if self._failure:
            _logger.warning("%s has no rows: only its features are known", self.config_id)
            self.info.splits = datasets.SplitDict(dataset_name=NAME)  # otherwise, `get_dataset_infos` asks for the rows

    def _locate(self, configuration: options.Configuration, root: Path) -> tuple[str, str]:
        """Find the entry of the last build, or read the files. Without either, remember the error.

        Returns:
            The folder of the cache for the entry, and the key of the entry.
        """
        if self.sources:
            warn_if_sample(self.sources)
            self._files = _read_files(configuration, self.sources)
        else:
            try:
                self.entry = builds.find_last_build(configuration.name, self._changed, root)
            except InputError as error:
                self._failure = error
            except NoBuildError as error:
                self._failure = error
                self._use_files_of_last_build(configuration, root)
        if self.entry:
            name = self.entry.folder.parents[1].name
            _logger.warning("no data was given: using the last build of %s, %s", name, self.entry.origin)
            return str(self.entry.folder.parents[3]), self.entry.folder.name
        return str(root / builds.STORE_NAME / builds.FILES_NAME), _make_key(self._files)

    def _use_files_of_last_build(self, configuration: options.Configuration, root: Path) -> None:
        """Use the files that this configuration was built from with other options, unless they have changed."""
        entries = [entry for entry in builds.find_entries(root).values() if entry.configuration == configuration.name]
        if not entries or not entries[0].sources:
            return
        sources = list(entries[0].sources)
        name = builds.make_id(configuration.name, self._changed)
        try:
            files = _read_files(configuration, sources)
            reason = "" if files.digest == entries[0].sources_digest else f"{', '.join(sources)}: changed since"
        except InputError as error:
            reason = str(error)
        if reason:
            missing = f"no data was given, and {name} cannot be built from the files of the last build ({reason})"
            self._failure = NoBuildError(missing, builds.how_to_give_data(configuration.name))
            return
        _logger.warning("no data was given: building %s from the files of the last build, %s", name, entries[0].origin)
        self.sources, self._files, self._failure = sources, files, None

    def _info(self) -> datasets.DatasetInfo:
        configuration = options.find_configuration(self.config.name)
        columns: Collection[str] = rows.name_optional_columns(context=self.config.context)
        if self._built:
            columns = self._built.column_names
        elif isinstance(self._files, SourceFiles) and has_votes(self._files):
            columns = rows.VOTES.names
        return datasets.DatasetInfo(
            description=configuration.title,
            citation=CITATIONS[configuration.origin],
            features=make_features(configuration, columns),
            license="texts: as agreed with their provider (for DUC and TAC, NIST). Code: Apache-2.0",
        )

    def _split_generators(self, dl_manager: datasets.DownloadManager) -> list[datasets.SplitGenerator]:
        del dl_manager
        if self.entry:
            splits: Mapping[str, Sequence[pa.Table]] = builds.read_rows(self.entry)
        else:
            built = self._built or self.build()
            self.info.description = built.description
            splits = built.splits
        # `datasets` divides lists among processes.
        handles = {name: list_handles(tables) for name, tables in splits.items()}
        return [datasets.SplitGenerator(name=name, gen_kwargs={"tables": tables}) for name, tables in handles.items()]

    def download_and_prepare(
        self,
        output_dir: str | None = None,
        download_config: datasets.DownloadConfig | None = None,
        download_mode: datasets.DownloadMode | str | None = None,
        verification_mode: datasets.VerificationMode | str | None = None,
        *arguments: Any,  # noqa: ANN401
        **keywords: Any,  # noqa: ANN401
    ) -> None:
        """Write the rows to the cache, as the base class does.

        The rows of the last build are in the cache already. If the mode asks for a new download or for all checks,
        they are compared with their fingerprint instead.

        Raises:
            NoBuildError: If there is neither data nor a build.
            InputError: If the rows of the last build are damaged.
        """
        self._require_rows()
        if self.entry and output_dir is None:
            is_reused = download_mode in (None, datasets.DownloadMode.REUSE_DATASET_IF_EXISTS)
            if not is_reused or verification_mode == datasets.VerificationMode.ALL_CHECKS:
                builds.read_rows(self.entry)
            return
        super().download_and_prepare(
            output_dir, download_config, download_mode, verification_mode, *arguments, **keywords
        )

    def as_dataset(self, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401
        """Return the splits, as the base class does.

        Raises:
            NoBuildError: If there is neither data nor a build.
            InputError: If their files in the cache are damaged.
        """
        self._require_rows()
        try:
            return super().as_dataset(*arguments, **keywords)
        except _DAMAGE as error:
            raise self._describe_damage("its files cannot be read") from error

    def as_streaming_dataset(self, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401
        """Return the splits as iterables, as the base class does.

        Raises:
            NoBuildError: If there is neither data nor a build.
        """
        self._require_rows()
        return super().as_streaming_dataset(*arguments, **keywords)

    def _require_rows(self) -> None:
        if self._failure:
            raise self._failure

    def _describe_damage(self, reason: str) -> InputError:
        remedy = "delete this folder, and load the data again" if self.sources else builds.BUILD_AGAIN
        return builds.describe_damage(self._cache_dir, reason, remedy)

    def build(self) -> BuiltTest:
        """Build the rows from the files.

        Raises:
            PyramidParaphraseError: As `loading.load` does.
        """
        self._require_rows()
        configuration = options.find_configuration(self.config.name)
        files, self._files = self._files or _read_files(configuration, self.sources), None
        if _make_key(files) != self.hash:
            raise InputError(", ".join(self.sources), "has changed while it was used", "load the data again")
        if isinstance(files, PairCorpus):
            return build_pair_test(files, configuration.name)
        refuse_pair_corpora(self.sources)
        corpus = parse_corpus(self.sources, files)
        warn_about_problems(corpus)
        return build_test(corpus, configuration.name, self._changed)

    def _generate_tables(self, tables: list[TableHandle]) -> Iterator[tuple[int, pa.Table]]:
        for key, handle in enumerate(tables):
            yield key, handle.load()


def _read_files(configuration: options.Configuration, sources: Sequence[str]) -> _Files:
    """Read the files of a configuration, once for the key of the cache and for the rows."""
    if configuration.origin in options.ANNOTATIONS:
        return read_files(sources)
    return read_one_pair_corpus(sources)


def _make_key(files: _Files | None) -> str:
    content = files.digest if files else ""
    return hashlib.sha256(f"{code_hash()}:{content}".encode()).hexdigest()


def _list_sources(data_dir: Source | None, data_files: Any) -> list[str]:  # noqa: ANN401
    """List the paths that the user named. Patterns are resolved as `datasets` does."""
    folder = resolve_source(data_dir) if data_dir else Path.cwd()
    if not data_files:
        return [str(folder)] if data_dir else []
    if not isinstance(data_files, DataFilesDict):
        data_files = DataFilesDict.from_patterns(sanitize_patterns(data_files), base_path=str(folder))
    return [str(resolve_source(file)) for file in chain.from_iterable(data_files.values())]


def make_features(
    configuration: options.Configuration, columns: Collection[str] = rows.FACT_COLUMNS
) -> datasets.Features:
    """Make the features of a configuration's rows: the Arrow columns with the names of the labels.

    Args:
        configuration: The configuration.
        columns: Names of the columns of the rows. Optional columns are features only if they are named here.
    """
    schemas = {**PAIR_SCHEMAS, options.FRAGMENTS: peers.SCHEMA}
    schema = schemas.get(configuration.origin)
    if configuration.origin == options.SUMMARIES:
        is_graded = configuration.name == options.PRESENCE_GRADES
        schema = presence.GRADED_SCHEMA if is_graded else presence.SCHEMA
        schema = pa.schema([*schema, *(field for field in rows.VOTES if field.name in columns)])
    elif schema is None:
        schema = pa.schema([*rows.SCHEMAS[configuration.kind], *rows.list_optional_fields(configuration.kind, columns)])
    features = datasets.Features.from_arrow_schema(schema)
    if "label" in features:
        names = presence.LABEL_NAMES if configuration.origin == options.SUMMARIES else rows.LABEL_NAMES
        features["label"] = datasets.ClassLabel(names=list(names))
    return features
