"""Download collections, inspect annotation files, build tests from them, and compute pyramid scores."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.options import SCORES_FILE, SOURCES, task
from harness.cli.outputs import (
    choose_table_form,
    encode,
    explaining_labelled_pairs,
    hint,
    print_notes,
    refuse_overwriting,
    say,
    show,
    show_or_write,
)
from harness.cli.parser import command, either, flag, option, path
from harness.files.downloads import RemoteFile, download_files, list_remote_files
from harness.files.writing import write_file, write_outputs
from harness.models.hosted.access import parse_mirror
from harness.rendering.inspection import render_agreement, render_inspection, render_scores
from harness.rendering.tables import NOTHING, Prose, count_of, render_table
from harness.summarization.summary_scores import average_annotations
from harness.summarization.summary_scores import render_scores as render_summary_scores
from harness.support.errors import DownloadError
from harness.support.progress import Progress
from pyramid_paraphrase import catalog
from pyramid_paraphrase.errors import InputError, OptionError, place, unknown_name
from pyramid_paraphrase.escaping import quote_path
from pyramid_paraphrase.files.inputs import exists, is_file
from pyramid_paraphrase.formats.pairs.corpora import read_one_pair_corpus
from pyramid_paraphrase.publishing.registration import NAME
from pyramid_paraphrase.pyramids import pyramid_scores
from pyramid_paraphrase.pyramids.corpus import ABOUT_DOCUMENTS, Corpus, describe_parts, describe_problems
from pyramid_paraphrase.pyramids.naming import note_similar, note_unified
from pyramid_paraphrase.pyramids.sources import read_score_table
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules import options as test_rules

if TYPE_CHECKING:
    from pyramid_paraphrase.building.built_tests import BuiltTest

_SERVER = "https://raw.githubusercontent.com"
_MEGABYTE = 1_000_000
_NIST, _DUCVIEW = "nist", "ducview"
EXAMPLES = "examples"
"""Name of the inputs of examples, and of their folder."""

_IMPORT = "from datasets import load_dataset"


@command(
    option("name NAME", "collection to download (default: list all collections)", nargs="?"),
    path("--output FOLDER", "write the files to FOLDER (default: NAME, in the current folder)"),
    option(
        "--mirror ADDRESS", f"server to use instead of {_SERVER}. The digest of every file is checked", parse_mirror
    ),
)
def run_download(options: argparse.Namespace) -> None:
    """Download a collection, or list the collections.

    Raises:
        DownloadError: If the collection is not downloaded, for example because only its publisher distributes it. The
            exit status is then 2, so that scripts do not continue without the files.
        OptionError: If the name of the collection is unknown, or an option has no effect.
    """
    if options.name == EXAMPLES:
        _write_examples(options)
        return
    if options.name is None:
        if options.output or options.mirror:
            raise OptionError("--output and --mirror have no effect without the name of a collection. Add the name")
        say(render_table(("name", "title", "size", "licence"), list(_list_rows())))
        return
    collection = next((row for row in catalog.DOWNLOADABLE if row.name == options.name), None)
    if collection is None:
        raise _explain_refusal(options.name)
    folder, remote_files = options.output or Path(collection.name), list_remote_files(collection.name)
    say(f"{show(collection.title)}: {show(collection.page)}")
    say(f"Licence: {show(collection.licence)}")
    say(f"Attribution: {show(collection.attribution)}")
    say(show(f"Folder: {folder} ({count_of(len(remote_files), 'file')}, {_format_size(remote_files)})"))
    # The server of files has the paths of the pages without "tree".
    path = collection.page.removeprefix("https://github.com").replace("/tree/", "/")
    address = (options.mirror or _SERVER) + path
    with Progress(visible=True) as progress:
        download_files(remote_files, address, folder, listener=progress.follow)
    hint(show(f"Next: pyramid-paraphrase inspect {quote_path(folder)}"))


def _write_examples(options: argparse.Namespace) -> None:
    """Write the inputs of the examples in help texts, which are in the package, to a folder.

    Raises:
        OptionError: If a file of the folder has another content.
    """
    if options.mirror:
        raise OptionError(f"--mirror has no effect on {EXAMPLES}, which are built in. Omit it")
    folder: Path = options.output or Path(EXAMPLES)
    source = Path(__file__).parent / "example_inputs"
    contents = {folder / file.relative_to(source): file.read_bytes() for file in sorted(source.rglob("*.*"))}
    for file, content in contents.items():
        if exists(file) and not (is_file(file) and file.read_bytes() == content):
            raise OptionError(f"{file}: has another content than the example. Use another folder for --output")
    write_outputs(contents)
    count = count_of(len(contents), "file")
    say(f"Written: {show(folder)} ({count}). The texts are invented, so scores of them mean nothing.")
    for file in contents:
        say(f"  {show(file)}")
    hint("Next: `pyramid-paraphrase COMMAND --help` ends with an example that runs on these files.")


def _list_rows() -> Iterator[tuple[str, str, str, str]]:
    yield EXAMPLES, Prose("Small inputs for the examples of each --help, built in"), NOTHING, Prose("CC0 1.0")
    for collection in catalog.DOWNLOADABLE:
        size = _format_size(list_remote_files(collection.name))
        yield collection.name, Prose(collection.title), size, Prose(collection.licence)
    for other in (*catalog.COLLECTIONS, *catalog.PAIR_COLLECTIONS):
        if other not in catalog.DOWNLOADABLE:
            yield other.name, Prose(other.title), NOTHING, Prose(other.access)


def _format_size(remote_files: list[RemoteFile]) -> str:
    return f"{sum(file.size for file in remote_files) / _MEGABYTE:.1f} MB"


def _explain_refusal(name: str) -> DownloadError | OptionError:
    """Return the error for a collection that cannot be downloaded, with the way to obtain it."""
    if name not in catalog.OBTAINABLE_NAMES:
        return unknown_name("collection", name, (*catalog.OBTAINABLE_NAMES, EXAMPLES))
    if name == catalog.SAMPLE_NAME:
        return DownloadError(f"{name}: is built in. Use `--data {name}`, without a download")
    return DownloadError(
        f"{catalog.how_to_obtain(name)}. This program cannot download it. When you have the files, pass their path to "
        "`build` or `evaluate --data`"
    )


@command(
    *SOURCES,
    flag("--list", "list every problem with its file and line"),
    path(
        "--html PATH",
        "write web pages with the pyramids, the marked summaries and the peers to the folder PATH, or the page of a "
        "single pyramid to PATH.html",
    ),
)
def run_inspect(options: argparse.Namespace) -> None:
    """Show the contents of annotation files: counts per collection, problems and completeness."""
    refuse_overwriting(options.html, *options.sources, flag_name="--html")
    corpora = _read_corpora(options)
    written = _write_pages(corpora, options.html) if options.html else ""
    for name, corpus in corpora.items():
        if name:
            say(f"{show(name)}:")
        say(render_inspection(corpus))
        for problem in corpus.problems if options.list else ():
            location, scu = place(problem.file, problem.line), problem.uid or "-"
            say(show(f"{location}: {problem.kind}: SCU {scu}: {problem.message}"))
    if written:
        say("\n" + "\n".join(map(show, written.split("\n"))))


def _read_corpora(options: argparse.Namespace) -> dict[str, Corpus]:
    """Read the sources as one corpus, without a name.

    Two people's pyramids of the same topic can have the same id, and then cannot be read as one corpus. To show both on
    web pages, each source is then a corpus, with its own name.
    """
    with explaining_labelled_pairs(
        options.sources, lambda _: "To evaluate models on them, pass the path to `evaluate --data`"
    ):
        try:
            return {"": read_corpus(*options.sources, strict=options.strict)}
        except InputError:
            names = [Path(source).stem for source in options.sources]
            if options.html is None or len(names) < 2:
                raise
            if len(set(names)) < len(names):
                names = options.sources
            try:
                return {
                    name: read_corpus(source, strict=options.strict)
                    for name, source in zip(names, options.sources, strict=True)
                }
            except InputError:
                pass  # the error of all sources together says more
            raise


def _write_pages(corpora: Mapping[str, Corpus], output: Path) -> str:
    """Write web pages of all pyramids, and return lines on them."""
    from harness.reports.pyramids.site import INDEX, SUFFIX, render_site  # imports Jinja

    pages, comparisons, listing, notes = render_site(corpora)
    parts, unmarked = (sum(getattr(page, name) for page in pages.values()) for name in ("parts", "unmarked"))
    count = count_of(len(pages), "pyramid")
    if output.suffix.lower() == SUFFIX:
        if len(pages) != 1:
            raise OptionError(f"{output}: is the name of a file, but the sources have {count}. Use a folder for --html")
        start = output
        [page] = pages.values()
        contents = {output: page.html}
    else:
        start = output / INDEX
        contents = {output / name: page.html for name, page in pages.items()}
        contents |= {output / name: comparison.html for name, comparison in comparisons.items()}
        contents[start] = listing  # the last file, because it has links to the others
        if other_files := sorted(set(output.glob(f"*{SUFFIX}")) - contents.keys()):
            reason = f"contains {other_files[0].name}, which these sources do not write"
            raise OptionError(f"{output}: {reason}. Use another folder for --html")
    write_outputs({file: html.encode() for file, html in contents.items()})
    if comparisons:
        count += f", {count_of(len(comparisons), 'comparison')}"
    left_out = f". {unmarked:,} of {parts:,} parts are not at their offsets, and not highlighted" if unmarked else ""
    written = f"Written: {start} ({count}){left_out}. The pages contain the texts of the files"
    return "\n".join([written, *notes])


@command(
    *SOURCES,
    option("--official FILE", "published score table to compare with (default: tables in SOURCE)", Path),
    option(
        "--rule",
        "rule of the scores: NIST's original and modified score, or quality, coverage and comprehensive score of "
        "DucView 1.5 (default: %(default)s)",
        choices=(_NIST, _DUCVIEW),
        default=_NIST,
    ),
    *SCORES_FILE,
)
def run_score(options: argparse.Namespace) -> None:
    """Print the pyramid scores of peer summaries, and compare them with published tables and with DucView's scores."""
    form = choose_table_form(options, (*options.sources, options.official))
    corpus = read_corpus(*options.sources, strict=options.strict)
    score = pyramid_scores.score_peers if options.rule == _NIST else pyramid_scores.score_peers_by_ducview
    scores = score(corpus.annotations, corpus.problems)
    official = None
    if options.official:  # read first, so that a bad file is refused before anything is printed
        official = pyramid_scores.parse_official(read_score_table(options.official))
    if form:
        _write_scores(options.output, form, scores, corpus)
    if form and not options.output:
        return
    inflated = pyramid_scores.find_inflated(corpus.annotations)
    say(render_scores(scores, inflated, are_written=bool(options.output)))
    if options.output:
        say(f"\nWritten: {show(options.output)} ({count_of(len(scores), 'row')})")
    similar = note_similar([[(score.pyramid, score.peer) for score in scores]])
    for note in (*note_unified(pyramid_scores.unify_peers(corpus.annotations)), *similar):
        say(f"\n{show(note)}.")
    saved = [problem for problem in corpus.problems if problem.kind in ABOUT_DOCUMENTS]
    if saved:
        say(f"\nFiles with several XML documents, because DucView appends: {describe_problems(saved)}.")
    written, differences = pyramid_scores.compare_with_ducview(corpus.annotations)
    if written:
        say("\n" + render_agreement("the scores that DucView wrote into the files", written, differences))
    _compare_with_tables(scores, corpus, options.official, official)


def _compare_with_tables(
    scores: Sequence[pyramid_scores.PeerScore] | Sequence[pyramid_scores.DucviewScore],
    corpus: Corpus,
    path: Path | None,
    official: Sequence[tuple[str, str, tuple[float, int, int]]] | None,
) -> None:
    """Compare scores with the table that the user named or, if there is none, with the tables in the sources."""
    if path and official:
        differences = pyramid_scores.compare_with_official(scores, official)
        say("\n" + render_agreement(path.name, len(official), differences))
        return
    for table in corpus.score_tables:
        try:
            rows = pyramid_scores.parse_official(table)
            differences = pyramid_scores.compare_with_official(scores, rows)
            say("\n" + render_agreement(table.name, len(rows), differences))
        except InputError as error:
            say(f"\nNot compared: {show(error)}")
    if not corpus.score_tables:
        hint("\nNo published score table in the sources. To compare with a table, add --official FILE.")


def _write_scores(
    output: Path | None,
    form: str,
    scores: Sequence[pyramid_scores.PeerScore] | Sequence[pyramid_scores.DucviewScore],
    corpus: Corpus,
) -> None:
    """Write the file of scores, and print a note on summaries with several annotations."""
    averaged = average_annotations(scores, pyramid_scores.find_inflated(corpus.annotations))
    names = dict.fromkeys(chain.from_iterable(score.values for score in averaged))
    content = render_summary_scores(averaged, names, form)
    if output is None:
        show_or_write(content, None)
    else:
        write_file(output, encode(content))
    if repeated := len(scores) - len(averaged):
        count = count_of(repeated, "further annotation")
        print_notes([f"{count} of the same summaries. {output or 'the table'} has the means of all annotations"])


def _add_rules(parser: argparse._ActionsContainer) -> None:
    """Add a flag for each option of the tests."""
    rules = parser.add_argument_group("test rules (the defaults follow the text of the paper, not its figures)")
    for field in test_rules.OPTION_FIELDS:
        name, default, metadata = "--" + field.name.replace("_", "-"), field.default, field.metadata
        kinds = " and ".join(kind.name for kind in metadata["kinds"])
        if isinstance(default, bool):
            text = f"{metadata['help']} ({kinds}, default: {'yes' if default else 'no'})"
            flag(name, text, action=argparse.BooleanOptionalAction, default=None)(rules)
            continue
        text = f"{metadata['help']} ({kinds}, default: {str(default) or metadata['empty']})"
        usage = name if metadata["choices"] else f"{name} {type(default).__name__.upper()}"
        option(usage, text, metadata["range"], choices=metadata["choices"] or None)(rules)


@command(
    *SOURCES,
    task(
        f" to build, comma-separated: {', '.join(test_rules.CONFIGURATION_NAMES)} (default: the first "
        f"{len(test_rules.PYRAMID_TESTS)}, which are built from pyramids)",
        action="extend",
        hidden=["--config"],
    ),
    either(
        option(
            "--output DIR",
            "write Parquet files to DIR instead of the `datasets` cache. An earlier build in DIR is replaced",
            Path,
        ),
        option("--cache-dir DIR", "folder of the `datasets` cache", Path),
    ),
    _add_rules,
)
def run_build(options: argparse.Namespace) -> None:
    """Build tests into the cache of `datasets` or a folder."""
    import datasets

    if options.quiet or not sys.stderr.isatty():
        datasets.disable_progress_bars()
    chosen = [row for row in test_rules.CONFIGURATIONS if row.name in (options.task or test_rules.PYRAMID_TESTS)]
    rules = _list_rules(options, chosen)
    if options.output and (unsupported := [row.name for row in chosen if row.origin != test_rules.PYRAMIDS]):
        remedy = "Load its files with data_dir=..., or omit --output"
        raise OptionError(f"{unsupported[0]} cannot be written with --output. {remedy}")
    if any(row.origin not in test_rules.ANNOTATIONS for row in chosen):
        _build_pairs(options, chosen)
    else:
        _build_from_pyramids(options, chosen, rules)


def _list_rules(options: argparse.Namespace, chosen: Sequence[test_rules.Configuration]) -> dict[str, Any]:
    """Return the rules of tests that the user set. Refuse a rule that has no effect on any chosen configuration."""
    rules = {name: getattr(options, name) for name in test_rules.OPTION_NAMES if getattr(options, name) is not None}
    for name in rules:
        if not any(test_rules.is_free(row, name) for row in chosen):
            names = ", ".join(row.name for row in test_rules.CONFIGURATIONS if test_rules.is_free(row, name))
            raise OptionError(f"option {name} has no effect on the chosen configurations. It applies to {names}")
    return rules


def _build_pairs(options: argparse.Namespace, chosen: Sequence[test_rules.Configuration]) -> None:
    """Build the configurations of a pair corpus into the cache."""
    from pyramid_paraphrase.building.build import build_pair_test

    names = [row.name for row in chosen if row.origin not in test_rules.ANNOTATIONS]
    if len(names) < len(chosen):
        reason = f"{', '.join(names)} and the other configurations need different files"
        raise OptionError(f"{reason}. Build them separately")
    pairs = read_one_pair_corpus(options.sources)
    tests = [build_pair_test(pairs, name) for name in names]
    call = _seed(options, tests, pairs.digest)
    say(f"Pairs read: {show(catalog.title_of(tests[0].collections[0]))}.\n")
    _report(tests, call)


def _build_from_pyramids(
    options: argparse.Namespace, chosen: Sequence[test_rules.Configuration], rules: Mapping[str, Any]
) -> None:
    """Build configurations into the cache or a folder."""
    from pyramid_paraphrase.building.build import build_test
    from pyramid_paraphrase.reading import warn_about_problems, warn_if_sample

    warn_if_sample(options.sources)
    with Progress(visible=True) as bar:
        bar.start("reading", 1)
        with explaining_labelled_pairs(
            options.sources, lambda names: "Use " + " ".join(f"--task {name}" for name in names)
        ):
            corpus = read_corpus(*options.sources, strict=options.strict)
        bar.stop()
        warn_about_problems(corpus)
        tests = []
        for row in chosen:
            bar.start(f"building {row.name}", 1)
            applicable_rules = {name: value for name, value in rules.items() if test_rules.is_free(row, name)}
            tests.append(build_test(corpus, row.name, applicable_rules))
    if options.output:
        from harness.metrics.table import list_published
        from pyramid_paraphrase.publishing.export import write_folder

        published = {row.name: [metric.name for metric in list_published(row)] for row in chosen}
        write_folder(corpus, tests, options.output, published)
        call = f'{_IMPORT}; load_dataset({_quote(options.output)}, "{chosen[0].name}")'
    else:
        call = _seed(options, tests, corpus.digest)
    say(f"Pyramids read: {len(corpus.all_pyramids)}. Problems: {show(describe_problems(corpus.problems))}.")
    if parts := describe_parts(corpus.count_collections()):
        say(parts)
    say("")
    _report(tests, call)
    if options.output:
        folder = show(quote_path(options.output))
        hint("To share this folder as a private dataset on the Hub, if the licence of the texts allows it:")
        hint(f"  hf upload ORG/NAME {folder} --repo-type dataset --private")


def _quote(path: Path) -> str:
    """Return a path as a literal of Python in double quotes, as in all documents. JSON has the same escapes."""
    return json.dumps(str(path), ensure_ascii=False)


def _seed(options: argparse.Namespace, tests: Sequence[BuiltTest], digest: str) -> str:
    """Put the tests into the cache. Return the Python call that loads the first test."""
    from pyramid_paraphrase.publishing.seeding import seed_cache

    seed_cache(tests, options.cache_dir, sources=options.sources, sources_digest=digest)
    first = tests[0]
    arguments = [f'"{first.configuration.name}"']
    if first.options:
        changed = test_rules.changed_options(first.configuration, first.options)
        arguments += [f"{name}={value!r}" for name, value in changed.items()]
    if options.cache_dir:
        arguments.append(f"cache_dir={_quote(options.cache_dir)}")
    call = f'{_IMPORT}; load_dataset("{NAME}", {", ".join(arguments)})'
    # Without the import, `datasets` prefers a folder of that name, such as this project's source code.
    return f"import {NAME}; {call}" if Path(NAME).is_dir() else call


def _report(tests: Sequence[BuiltTest], call: str) -> None:
    """Print the numbers of rows, the numbers of rows and summaries that were left out, and a call that loads a test."""
    from pyramid_paraphrase.building import built_tests, peers, presence

    losses = (
        (built_tests.ACROSS_SPLITS, "pairs left out", "their texts are in different splits"),
        (built_tests.SHARED_TOPICS, "rows left out", "another split has a collection with the same topic"),
        (presence.SUMMARIES_LEFT_OUT, "annotated summaries left out", "no text, or an SCU that is not in the pyramid"),
        (presence.UNITS_LEFT_OUT, "units of summaries left out", "nobody judged them"),
        (presence.PARTLY_PRESENT_LEFT_OUT, "SCUs left out", "expressed only in part"),
        (peers.PARTLY, "fragments left out", "express only a part of an SCU"),
        (peers.SHORT, "fragments left out", "fewer than three words"),
        (peers.WITH_PRONOUN, "fragments left out", "contain a pronoun"),
        (peers.FOREIGN, "fragments left out", "the annotation refers to an SCU that is not in the pyramid"),
        (peers.OUTVOTED, "fragments left out", "unmatched here, but matched in another summary"),
        (peers.SAME_WORDS, "fragments left out", "same content words as the label of the SCU"),
        (peers.FEW_OPTIONS, "fragments left out", "fewer than two options"),
    )
    rows: list[tuple[object, ...]] = []
    notes = []
    for test in tests:
        name, fingerprint = test.configuration.name, test.fingerprint[:12]
        rows += [(name, split, built_tests.count_rows(tables), fingerprint) for split, tables in test.splits.items()]
        for key, noun, reason in losses:
            if count := test.counts.get(key):
                notes.append(f"{name}: {noun}: {count:,} ({reason})")
    say(render_table(("configuration", "split", "rows", "fingerprint"), rows))
    if notes:
        say("\n" + "\n".join(map(show, notes)))
    hint(f"\nIn Python: {show(call)}")
