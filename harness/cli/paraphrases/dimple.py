"""Score ranked lists of paraphrases by quality and diversity (Shima and Mitamura 2011)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from harness.cli.arguments import (
    add_command,
    choose_format,
    number_in,
    path,
    positive,
    refuse_overwriting,
    say,
    show,
    show_or_write,
)
from harness.cli.shared_options import (
    add_bootstrap_options,
    add_output_options,
    add_pyramids_option,
    add_recipient_option,
    add_required_output,
    describe_spec,
    note_words,
)
from harness.files.writing import make_folder, write_file, write_files
from harness.models.loading import load_model
from harness.paraphrases.dimple.derivation import PAPER_SOURCES, derive_lists, list_methods
from harness.paraphrases.dimple.figures import draw_correlations
from harness.paraphrases.dimple.lists import LENIENT, STRICT, RankedList, read_lists, read_table, render_lists
from harness.paraphrases.dimple.meta_evaluation import MetaEvaluation, correlate_all, recognize_sets
from harness.paraphrases.dimple.metrics import CUTS
from harness.paraphrases.dimple.quality import AUTOMATIC, AutomaticQuality
from harness.paraphrases.dimple.recognition import SHARES, PairIndex, PositivePairs, read_positive_pairs
from harness.paraphrases.dimple.reports import FILE_FORMATS, render_sets_csv, report_correlations, report_scores
from harness.paraphrases.dimple.scores import Judgment, judge, score_lists
from harness.rendering.reports import REPORT_FORMATS, render_report
from harness.rendering.tables import count_of, render_table
from harness.support.extras import require
from harness.text.words import count_words
from pyramid_paraphrase.errors import OptionError, cannot_write
from pyramid_paraphrase.formats.pair_corpora import read_pair_corpus
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.ranges import RANK
from pyramid_paraphrase.words import split_words

_JUDGMENTS = (STRICT, LENIENT, AUTOMATIC)
_LISTS_HELP = "JSON lines file of ranked paraphrases, as `convert` writes it"
_PAIRS_HELP = (
    "positive pairs with a NAME for tables: a pair corpus, RTE files (.xml), or answers with nuggets (.tsv). "
    "Repeatable. Sources with the same NAME are merged"
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the actions convert, score, meta, derive and count."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    convert = add_command(actions, "convert", _convert, "convert a tab-separated table to ranked lists")
    convert.add_argument("table", type=path, metavar="FILE", help="tab-separated table with a header line")
    add_required_output(convert, "the lists (JSON lines)")
    score = add_command(actions, "score", _score, "score ranked lists by EP, EPR and DIMPLE")
    _add_scoring_options(score)
    add_bootstrap_options(score, "bootstrap over sources")
    add_output_options(score, REPORT_FORMATS)
    _add_meta_options(
        add_command(actions, "meta", _meta, "measure how well the metrics predict the recognition of paraphrases")
    )
    _add_derive_options(add_command(actions, "derive", _derive, "derive ranked lists from corpora, for experiments"))
    count = add_command(actions, "count", _count, "count the positive pairs with each source phrase")
    _add_pairs_option(count)
    _add_sources_option(count)


def _add_scoring_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lists", nargs="+", metavar="LISTS", help=_LISTS_HELP)
    parser.add_argument(
        "--k", type=_parse_cuts, default=CUTS, metavar="NUMBERS", help="rank cutoffs, comma-separated (default: 1,5,10)"
    )
    parser.add_argument(
        "--judgment",
        choices=_JUDGMENTS,
        default=_JUDGMENTS[0],
        help="quality judgments by strict annotators, lenient annotators or a model (default: %(default)s)",
    )
    parser.add_argument("--model", metavar="SPEC", help=describe_spec("model of --judgment automatic"))
    add_recipient_option(parser)


def _add_meta_options(parser: argparse.ArgumentParser) -> None:
    _add_scoring_options(parser)
    _add_pairs_option(parser)
    parser.add_argument(
        "--share",
        choices=SHARES,
        default=SHARES[0],
        help="count all recognized pairs, or only pairs gained by paraphrases (default: %(default)s)",
    )
    parser.add_argument(
        "--output", type=path, metavar="DIR", help="write tables (.csv, .md, .tex) and a figure (.png, .pdf) to DIR"
    )


def _add_derive_options(parser: argparse.ArgumentParser) -> None:
    _add_sources_option(parser)
    add_pyramids_option(parser)
    parser.add_argument(
        "--vocabulary",
        required=True,
        type=path,
        metavar="PAIRS",
        help="pair corpus with the vocabulary and the sentences",
    )
    parser.add_argument(
        "--neighbours",
        action="append",
        default=[],
        metavar="SPEC",
        help=describe_spec("encoder that lists nearest words", " (repeatable)"),
    )
    add_recipient_option(parser)
    parser.add_argument(
        "--least",
        type=positive,
        default=5,
        metavar="N",
        help="minimum number of texts that contain a word (default: %(default)s)",
    )
    add_required_output(parser, "the lists (JSON lines), with sentences of the corpora,")


def _add_pairs_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pairs", action="append", required=True, type=_name_pairs, metavar="NAME=SOURCE", help=_PAIRS_HELP
    )


def _add_sources_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sources",
        type=_parse_sources,
        metavar="TEXTS",
        help="source phrases, comma-separated (default: the ten verbs of the paper)",
    )


def _parse_cuts(text: str) -> tuple[int, ...]:
    parse = number_in(RANK)
    return tuple(sorted({parse(part) for part in text.split(",")}))


def _parse_sources(text: str) -> list[str]:
    sources = [source.strip() for source in text.split(",")]
    if not all(source and source.isprintable() for source in sources) or len(set(sources)) < len(sources):
        raise argparse.ArgumentTypeError("use different phrases, comma-separated")
    return sources


def _name_pairs(text: str) -> tuple[str, str]:
    name, _, source = text.partition("=")
    if not name.strip() or not name.isprintable() or not source:
        raise argparse.ArgumentTypeError("use a name and a source, such as MSRPC=msrp")
    return name, source


def _convert(options: argparse.Namespace) -> None:
    refuse_overwriting(options.output, options.table)
    lists = read_table(options.table)
    write_file(options.output, render_lists(lists))
    say(_describe_written(lists, options.output))


def _describe_written(lists: Sequence[RankedList], output: Path) -> str:
    count = count_of(sum(len(ranked.paraphrases) for ranked in lists), "paraphrase")
    return f"{show(output)}: {count} in {count_of(len(lists), 'list')}"


def _score(options: argparse.Namespace) -> None:
    form = choose_format(options, REPORT_FORMATS)
    refuse_overwriting(options.output, *options.lists)
    lists, judgment = _read_lists(options), _make_judgment(options)
    scores = score_lists(lists, judgment, cuts=options.k, resamples=options.resamples, seed=options.seed)
    show_or_write(render_report(report_scores(scores), form), options.output)


def _read_lists(options: argparse.Namespace) -> list[RankedList]:
    """Read the lists, and print a note on phrases without words, which have the lowest diversity."""
    lists = read_lists(options.lists)
    phrases = [ranked.source for ranked in lists]
    phrases += (paraphrase.text for ranked in lists for paraphrase in ranked.paraphrases)
    note_words(count_words(phrases, partial(split_words, tokenized=True)), "sources and paraphrases")
    return lists


def _make_judgment(options: argparse.Namespace) -> Judgment:
    if (options.judgment == AUTOMATIC) != (options.model is not None):
        raise OptionError("--judgment automatic and --model SPEC require each other. Use both or neither")
    if options.model is None:
        return judge(options.judgment)
    model = load_model(options.model, send_text_to=options.send_text_to)
    name = model.name
    if model.fingerprint:
        name += f" {model.fingerprint[:12]}"
    return Judgment(AUTOMATIC, AutomaticQuality(model), name)


def _meta(options: argparse.Namespace) -> None:
    if options.output is not None:
        require("matplotlib", "plots")  # before the computation, so that the error comes early
    lists = _read_lists(options)
    corpora = _read_pairs(options.pairs)
    if options.output is not None:
        make_folder(options.output)
    scores = score_lists(lists, _make_judgment(options), cuts=options.k)
    recognitions = tuple(recognize_sets(scores, lists, corpus) for corpus in corpora)
    correlations = tuple(correlate_all(scores, recognitions, options.share))
    evaluation = MetaEvaluation(scores, recognitions, correlations, options.share)
    say(render_report(report_correlations(evaluation, with_details=True), "terminal").rstrip("\n"))
    if options.output is not None:
        _write_meta(evaluation, options.output)


def _read_pairs(named_sources: Sequence[tuple[str, str]]) -> list[PositivePairs]:
    by_name: dict[str, list[str]] = {}
    for name, source in named_sources:
        by_name.setdefault(name, []).append(source)
    corpora = [read_positive_pairs(name, sources) for name, sources in by_name.items()]
    for corpus in corpora:
        counts = count_words(chain.from_iterable(corpus.pairs), split_words)
        note_words(counts, f"texts of {corpus.name}")
    return corpora


def _write_meta(evaluation: MetaEvaluation, folder: Path) -> None:
    report = report_correlations(evaluation)
    contents: dict[Path, bytes] = {}
    for suffix, form in FILE_FORMATS.items():
        contents[folder / f"correlations.{suffix}"] = render_report(report, form).encode()
    contents[folder / "sets.csv"] = f"{render_sets_csv(evaluation)}\n".encode()
    for form in ("png", "pdf"):
        contents[folder / f"correlations.{form}"] = draw_correlations(evaluation, form)
    try:
        write_files(contents)
    except OSError as error:
        raise cannot_write(folder, error) from None
    say("\n" + "\n".join(map(show, contents)))


def _derive(options: argparse.Namespace) -> None:
    refuse_overwriting(options.output, options.vocabulary, *options.pyramids)
    pyramids = read_corpus(*options.pyramids).pyramids
    splits = read_pair_corpus(options.vocabulary).splits
    texts: list[str] = []
    for pair in chain.from_iterable(splits.values()):
        texts += (pair.sentence1, pair.sentence2)
    models = [load_model(spec, send_text_to=options.send_text_to) for spec in options.neighbours]
    sources = options.sources or PAPER_SOURCES
    lists = derive_lists(sources, pyramids, texts, models, options.least)
    write_file(options.output, render_lists(lists))
    say(_describe_written(lists, options.output))
    _report_gaps(lists, list_methods(models), sources)


def _report_gaps(lists: Sequence[RankedList], methods: Sequence[str], sources: Sequence[str]) -> None:
    """Print the sources for which a method has no list, and the sources without a sentence."""
    for method in methods:
        listed = {ranked.source for ranked in lists if ranked.method == method}
        if missing := [source for source in sources if source not in listed]:
            say(f"{show(method)}: no list for {show(', '.join(missing))}")
    without_sentence = {ranked.source for ranked in lists if not ranked.paraphrases[0].sentence}
    if without_sentence:
        names = ", ".join(sorted(without_sentence))
        say(f"Not in the vocabulary, so without a sentence for automatic judgments: {show(names)}")


def _count(options: argparse.Namespace) -> None:
    corpora = _read_pairs(options.pairs)
    indices = [PairIndex(corpus.pairs) for corpus in corpora]
    sources = options.sources or PAPER_SOURCES
    rows: list[tuple[object, ...]] = []
    for source in sources:
        counts = [len(index.select_pairs(source)) for index in indices]
        rows.append((source, *counts))
    rows.append(("all", *(len(corpus.pairs) for corpus in corpora)))
    say(render_table(("source", *(corpus.name for corpus in corpora)), rows))
