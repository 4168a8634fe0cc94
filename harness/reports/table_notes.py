"""Notes below tables of models: few topics, marks of the best models, and what single models did not read or decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from harness.evaluation import record as records
from harness.evaluation.comparing.standings import AND_BEATS_SHORTCUT, HOW_BEST_IS_FOUND, NO_BETTER
from harness.evaluation.scoring import LEARNED_PAIRS
from harness.metrics.rows import DIFFERENT, ROUNDED, UNDECIDED
from harness.models.files.training_data import describe_overlap
from harness.models.interfaces.kinds import TRAIN_ON
from harness.models.interfaces.model import MAX_TOKENS, PROMPT, PROMPT_SOURCE, ROUTE, SIDES, TASK_SOURCE
from harness.models.interfaces.scores import MISSING, Outcome
from harness.models.judging.judge import MIN_PROBABILITY
from harness.models.neural.prompts import DOCUMENT, QUERY
from harness.models.neural.sides import BOTH
from harness.rendering.tables import count_of
from harness.reports.analysis import choose_wording
from harness.reports.model_tables import PAPER, PAPER_SHARE, TABLE1, ModelRow, Table
from harness.stats.significance import can_be_significant
from harness.text.words import WordCounts
from pyramid_paraphrase.errors import shorten
from pyramid_paraphrase.escaping import escape
from pyramid_paraphrase.rules.options import BINARY, PAIRS, find_configuration

_FLAGGED_ANSWERS = {
    Outcome.BY_WORDS: "by the words of the reply, because the server lists no probabilities that determine the answer",
    Outcome.IMPROBABLE: f"although all answers together have less than {MIN_PROBABILITY:.0%} of the probability "
    "of a reply",
}
"""How a judge gave the answers that results count under these names."""

_PROMPT_OPTIONS = frozenset({"prompt", "prompt_name", "instruction"})
_MOST_NAMES = 10
_SHOWN_PROMPT, _SHOWN_SOURCE, _SHOWN_OVERLAP = 60, 120, 500
"""Number of characters of a prompt, of its source, and of training data, in a note."""


def write_notes(table: Table) -> list[str]:
    """Write notes on tests with few topics or a single class, on marks of the best models, and on single rows."""
    notes = [*_note_few_topics(table), *_note_single_class(table), *_note_fitted_class(table)]
    notes += _note_other_metrics(table)
    marks = [table.judge(row, column) for row in table.ours for column in table.standings]
    if any(is_best is not None for is_best, _ in marks):
        has_shortcuts = any(beats_shortcut is not None for _, beats_shortcut in marks)
        notes.append(f"* or bold: {HOW_BEST_IS_FOUND}{AND_BEATS_SHORTCUT if has_shortcuts else ''}.")
    if any(beats_shortcut is False for _, beats_shortcut in marks):
        notes.append(f"= or not above: {NO_BETTER}.")
    notes += note_models(table.ours)
    if len(table.ours) < len(table.rows):
        notes.append(f"The paper: {PAPER}. Its data are different, so its numbers are not ranked with ours.")
    if any(table.at_paper_share.values()):
        always, share = 2 * PAPER_SHARE / (1 + PAPER_SHARE), f"{PAPER_SHARE:.2%}"
        notes.append(
            f"F at {share}: {share} of the paper's pairs are paraphrases. Weights of other pairs give {BINARY} this "
            "share, also where the threshold is fitted. Best F: the highest of all thresholds, on all rows. At "
            f"{share}, calling every pair a paraphrase gives {always:.4f}, and calling {share} of them paraphrases at "
            f"random {PAPER_SHARE:.4f} (the paper's random: {TABLE1['random'][0]:.3f})."
        )
    return notes


def _note_other_metrics(table: Table) -> Iterator[str]:
    """List the modules of metrics and the sets of other pairs, with the beginnings of their SHA-256."""
    modules: set[tuple[str, str]] = set()
    for row in table.ours:
        for result in row.results:
            modules |= result.record.metric_modules.items()
    listed = [f"{name} {sha256[:12]}" for name, sha256 in sorted(modules) if not name.startswith(records.TRANSFER)]
    if listed:
        yield f"Other metrics: modules of evaluate. Models are not ranked by them. {', '.join(listed)}."
    sets = [
        f"{name.removeprefix(records.TRANSFER)} {sha256[:12]}"
        for name, sha256 in sorted(modules)
        if name.startswith(records.TRANSFER)
    ]
    if sets:
        yield (
            "False alarms: share of other pairs that are called paraphrases, and recall: share of paraphrases, by the "
            f"threshold of the test. Models are not ranked by them. {', '.join(sets)}."
        )


def note_models(rows: Sequence[ModelRow]) -> list[str]:
    """Write the notes on single models: what they did not read, did not decide, or answered in another way."""
    notes = [*_note_words(rows)]
    for row in rows:
        record = row.results[-1].record
        if unknown := record.model.out_of_vocabulary:
            shares = f"{unknown.tokens:.1%} of the words and {unknown.texts:.1%} of the texts"
            composed = ""
            if unknown.composed:
                composed = f" Vectors of {unknown.composed:.1%} of the words come from their character n-grams."
            notes.append(f"{row.name}: {shares} have no vector.{composed}")
        notes += note_texts(row.name, record)
        notes += note_training_data(row.name, record)
        notes += note_answers(row.name, row.tests)
        notes += _note_learning(row)
        # The names under which a server reported its model, if the requested name is not the only one.
        if names := {name for result in row.results if result.record.usage for name in result.record.usage.models}:
            shown = ", ".join(f"'{escape(shorten(name, _SHOWN_PROMPT))}'" for name in sorted(names)[:_MOST_NAMES])
            notes.append(f"{row.name}: the server reports the model as {shown}.")
        notes += [*_note_ties(row), *_note_degenerate(row)]
    return notes


def _note_learning(row: ModelRow) -> Iterator[str]:
    """Note the splits that a model learned from, if they are not `train` alone, and the number of labelled pairs."""
    names_by_count: dict[int, list[str]] = {}
    for name, test in row.tests.items():
        if LEARNED_PAIRS in test.counts:
            names_by_count.setdefault(test.counts[LEARNED_PAIRS], []).append(name)
    splits = row.results[-1].record.model.options.get(TRAIN_ON.name)
    for count, names in names_by_count.items():
        pairs = count_of(count, "labelled pair")
        yield f"{row.name}: learned from {pairs} of {splits} ({', '.join(names)})."


def _note_few_topics(table: Table) -> Iterator[str]:
    counts: dict[str, int] = {}
    for row in table.ours:
        counts |= {name: test.counts["topics"] for name, test in row.tests.items() if "topics" in test.counts}
    names_by_count: dict[int, list[str]] = {}
    for name in table.test_names:
        if name in counts and not can_be_significant(counts[name]):
            names_by_count.setdefault(counts[name], []).append(name)
    for count, names in names_by_count.items():
        topics = count_of(count, "topic")
        yield f"{', '.join(names)}: {topics}, too few for reliable intervals and significant differences."


def _note_single_class(table: Table) -> Iterator[str]:
    """Note tests whose test split has only positives, or none, because metrics are then 0 or 1 by definition."""
    for name in table.test_names:
        test = next(row.tests[name] for row in table.ours if name in row.tests)
        wording = choose_wording(name)
        positives = test.counts.get("paraphrases", test.counts.get("matched"))
        if positives is None:
            continue  # another kind of test, or a result that another program wrote
        if positives == 0:
            yield f"{name}: has no {wording.positives} to find, so F is 0 for every model."
        elif positives == test.counts.get("test"):
            yield f"{name}: has only {wording.positives}, so classifying every row as one gives F = 1."


def _note_fitted_class(table: Table) -> Iterator[str]:
    """Note tests of pairs whose thresholds are fitted on pairs of a single class, which says nothing about it."""
    for name in table.test_names:
        results = [row.find_result(name) for row in table.ours]
        rows = next((result.rows[name] for result in results if result and name in result.rows), None)
        if rows is None or rows.kind != PAIRS:
            continue
        targets = rows.fitted_on()[1]
        if targets.size and targets.min() == targets.max():
            content = "only paraphrases" if targets[0] else "no paraphrases"
            yield f"{name}: its split {rows.fit_split} has {content}, so thresholds fitted on it are arbitrary."


def _note_words(rows: Iterable[ModelRow]) -> Iterator[str]:
    """Note texts without words, and texts in which single characters are the words, once for all models."""
    names_by_line: dict[str, list[str]] = {}
    for row in rows:
        record = row.results[-1].record
        counts = (record.model.text_counts.get(name, 0) for name in (records.WITHOUT_WORDS, records.SINGLE_CHARACTERS))
        for line in WordCounts(record.dataset.texts, *counts).describe():
            names_by_line.setdefault(line, []).append(row.name)
    for line, names in names_by_line.items():
        yield f"{', '.join(names)}: {line}."


def note_texts(name: str, record: records.Record) -> Iterator[str]:
    """Note the prompt that no option names, the texts or pairs that it cut, and the texts with a zero vector.

    Args:
        name: Name of the model.
        record: The result of the model.
    """
    effective = record.model.effective
    yield from _note_prompt(name, record)
    counts = record.model.text_counts
    texts = f"of {record.dataset.texts:,} texts"
    pairs = f"of {counts.get(records.PAIRS_READ, 0):,} pairs of texts"
    for key, total in ((records.CUT_TEXTS, texts), (records.CUT_PAIRS, pairs)):
        if key in counts:
            lost = count_of(counts.get(records.CUT_TOKENS, 0), "token")
            length = f" to {effective[MAX_TOKENS]} tokens" if MAX_TOKENS in effective else ""
            yield f"{name}: {counts[key]:,} {total} were cut{length} ({lost} lost)."
    for key, total in ((records.UNKNOWN_TEXTS, texts), (records.UNKNOWN_PAIRS, pairs)):
        if key in counts:
            yield f"{name}: the vocabulary of its tokenizer contains no token of {counts[key]:,} {total}."
    if records.UNKNOWN_TOKENS in counts:
        unknown = f"does not contain {count_of(counts[records.UNKNOWN_TOKENS], 'token')} of its inputs"
        yield f"{name}: the vocabulary of its tokenizer {unknown}."
    if records.ZERO_VECTORS in counts:
        causes = "no known word, or a failure of the model"
        yield f"{name}: the vectors of {counts[records.ZERO_VECTORS]:,} {texts} are zero ({causes})."


def _note_prompt(name: str, record: records.Record) -> Iterator[str]:
    """Note the text before every text unless the spec names it, and its source."""
    effective = record.model.effective
    prompt = escape(shorten(str(effective.get(PROMPT)), _SHOWN_PROMPT))
    if PROMPT_SOURCE in effective:
        source = escape(shorten(str(effective[PROMPT_SOURCE]), _SHOWN_SOURCE))
        yield f"{name}: prompt=auto puts the prompt '{prompt}' before every text ({source})."
    elif PROMPT in effective and SIDES not in effective and not record.model.options.keys() & _PROMPT_OPTIONS:
        yield f"{name}: its configuration puts the prompt '{prompt}' before every text."
    if SIDES in effective:
        yield f"{name}: {_describe_sides(effective)}."
    elif ROUTE in effective and "task" not in record.model.options:
        route = escape(shorten(str(effective[ROUTE]), _SHOWN_PROMPT))
        yield f"{name}: has several routes, and all texts take its default route '{route}'."
    if TASK_SOURCE in effective:
        options = record.model.options
        task = escape(shorten(str(options.get("task", options.get("input_type"))), _SHOWN_PROMPT))
        yield f"{name}: is used with the task '{task}' ({escape(shorten(str(effective[TASK_SOURCE]), _SHOWN_SOURCE))})."


def _describe_sides(effective: Mapping[str, str | int | bool]) -> str:
    """Describe as what a model encodes the two texts of a pair, with the prompts of both sides."""
    sides = str(effective[SIDES])
    names = [name for name in (QUERY, DOCUMENT) if sides in (name, BOTH)]
    prompts = {name: effective.get(f"{name}_{PROMPT}", effective.get(PROMPT)) for name in names}
    shown = ", ".join(
        f"{name}: '{escape(shorten(str(text), _SHOWN_PROMPT))}'" for name, text in prompts.items() if text
    )
    described = f" (prompts: {shown})" if shown else ""
    if sides == BOTH:
        return f"encodes one text as a query and one as a document{described}, and takes the mean of both orders"
    return f"encodes both texts of a pair as if each were a {escape(shorten(sides, _SHOWN_PROMPT))}{described}"


def note_training_data(name: str, record: records.Record) -> Iterator[str]:
    """Note the training data of a model, according to its card, that contain collections of the tests."""
    overlap = describe_overlap(record.model.training_data, record.dataset.collections)
    if overlap:
        yield f"{name}: was trained on {escape(shorten(overlap, _SHOWN_OVERLAP))}, according to its model card."


def note_answers(name: str, tests: Mapping[str, records.TestRecord]) -> Iterator[str]:
    """Note how often a judge gave no answer, or gave its answer in another way than the spec says.

    Args:
        name: The name of the model.
        tests: Its numbers by name of the configuration.
    """
    for test_name, test in tests.items():
        counts = {reason.label: test.counts[reason.label] for reason in MISSING if test.counts.get(reason.label)}
        if counts:
            reasons = ", ".join(f"{reason}: {count:,}" for reason, count in counts.items())
            total = f"{sum(counts.values()):,}"
            yield f"{name}: {total} times without an answer in {test_name} ({reasons}), counted as wrong."
        for outcome, description in _FLAGGED_ANSWERS.items():
            if count := test.counts.get(outcome.label):
                yield f"{name}: answers {count_of(count, 'time')} in {test_name} {description}."


def _note_ties(row: ModelRow) -> Iterator[str]:
    """Note tests on most rows of which a model cannot decide, because all options have the same score."""
    for test_name in row.tests:
        result = row.find_result(test_name)
        if result is None or test_name not in result.rows or result.rows[test_name].kind == PAIRS:
            continue  # a model that scores all pairs the same calls all of them paraphrases, or none
        if UNDECIDED in row.tests[test_name].counts:
            continue  # has a note of its own
        tied, rows = result.rows[test_name].count_ties()
        if tied > rows / 2:
            scored = "options" if result.rows[test_name].kind.has_options else "rows"
            share = f"in {tied:,} of {rows:,} rows of {test_name}, all {scored} have the same rounded score"
            yield f"{row.name}: {share}, so the model decides nothing there."


def _note_degenerate(row: ModelRow) -> Iterator[str]:
    """Note models that give equal scores, classify every row as positive, or find no positive."""
    for test_name, test in row.tests.items():
        metrics, positive = test.metrics, choose_wording(test_name).positive
        if UNDECIDED in test.counts:
            compared = "of the options of each row" if find_configuration(test_name).kind.has_options else "of all rows"
            yield f"{row.name}: the scores {compared} of {test_name} are equal, so its numbers show ties only."
        if DIFFERENT in test.counts and ROUNDED in test.counts:
            numbers = f"{test.counts[DIFFERENT]:,} different scores of {test_name}, and {test.counts[ROUNDED]:,}"
            yield f"{row.name}: gives {numbers} after rounding, which makes ties of the others."
        share = metrics.get("positive_share")
        is_every_pair = share is not None and metrics.get("recall") == 1 and metrics.get("precision") == share
        if is_every_pair or _classifies_every_match(test):
            yield f"{row.name}: classifies every row of {test_name} as a {positive}, which determines its F."
        is_without_positives = test.counts.get("paraphrases", test.counts.get("matched")) == 0  # the test has a note
        if metrics.get("f1", metrics.get("match_f1")) == 0 and not is_without_positives:
            yield f"{row.name}: finds no {positive} of {test_name} at its threshold."


def _classifies_every_match(test: records.TestRecord) -> bool:
    """Return whether a model names an option for every row of matches: its right options divided by its precision."""
    precision, recall = test.metrics.get("match_precision"), test.metrics.get("match_recall")
    matched, rows = test.counts.get("matched"), test.counts.get("test")
    if not precision or recall is None or matched is None or rows is None:
        return False  # other programs may write results without some of the numbers
    return abs(recall * matched / precision - rows) < 1 / 2
