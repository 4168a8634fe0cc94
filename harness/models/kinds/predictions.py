"""Predictions in a file as a model: published answers of systems about pairs, or about units of content in summaries.

A table of pairs in one of the forms of `pyramid_paraphrase.formats.pairs.tables`, such as a file of PARAPHRASUS, has a
column per system. Any other table of pairs has two columns of sentences and a score. A table of units has the texts of
the unit and of the summary, and a score. The file of Summary of a Haystack has the judgements of several models. Rows
are found by their texts, in which blanks and line breaks are the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean

from harness.files.columns import MISSING, Field, choose_table, parse_number, read_file, read_numbers
from harness.files.tables import Table, read_tables
from harness.models.interfaces.kinds import ModelKind, Spec, describe_model, make_number, make_text
from harness.models.interfaces.model import Model
from harness.models.interfaces.scores import Outcome, Scores, make_scores
from pyramid_paraphrase.errors import InputError, OptionError, unknown_name
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.inputs import decode
from pyramid_paraphrase.formats.pairs.files import CorpusFile
from pyramid_paraphrase.formats.pairs.tables import find_delimiter, find_table, read_column
from pyramid_paraphrase.formats.units import summhay
from pyramid_paraphrase.pyramids.sources import HEAD_BYTES, SourceFile, recognize
from pyramid_paraphrase.rules.options import GRADED_PAIRS, PAIRS
from pyramid_paraphrase.rules.ranges import Range

CUTOFF = 0.5
"""The cutoff of predictions that are all 0 or 1."""

NO_ANSWER = -100.0
"""The number that PARAPHRASUS writes for a missing answer."""

_SCORE = Field("score", ("prediction", "probability", "similarity", "answer", "label"))
_PAIRS = (
    Field("sentence1", ("text1", "sentencea", "question1", "premise", "source", "first")),
    Field("sentence2", ("text2", "sentenceb", "question2", "hypothesis", "target", "second")),
    _SCORE,
)
_UNITS = (
    Field("unit", ("scu", "scutext", "acu", "insight", "unittext", "contentunit")),
    Field("summary", ("summarytext", "systemoutput", "text")),
    _SCORE,
)
_REMEDY = "use a table with the columns sentence1, sentence2 and score, or unit, summary and score"

_logger = make_logger(__name__)

Key = tuple[str, str]


def join_blanks(text: str) -> str:
    """Return a text with one blank in place of each sequence of blanks and line breaks."""
    return " ".join(text.split())


class Answers:
    """Answers by the texts of two sides. Repeated rows have the mean of their answers.

    Args:
        rows: Both texts and the answer of each row, or None for a row without an answer.
        name: Name of the file, for messages.

    Raises:
        InputError: If no row has an answer.
    """

    def __init__(self, rows: Iterable[tuple[str, str, float | None]], name: str) -> None:
        answers: dict[Key, list[float]] = {}
        for first, second, answer in rows:
            if answer is not None:
                answers.setdefault((join_blanks(first), join_blanks(second)), []).append(answer)
        if not answers:
            raise InputError(name, "has no answer in the column of the predictions", "use another column")
        self._answers: Mapping[Key, float] = {key: fmean(values) for key, values in answers.items()}
        self.is_binary = all(value in (0, 1) for values in answers.values() for value in values)
        contrary = sum(len(set(values)) > 1 for values in answers.values())
        if contrary:
            message = "%s: repeated rows of %s texts have different answers, of which the mean is used"
            _logger.warning(message, name, f"{contrary:,}")

    def find(self, keys: Iterable[Key]) -> Scores:
        """Return the answers to pairs of texts. An answer that the file does not have is `Outcome.ABSENT`."""
        found = [self._answers.get((join_blanks(first), join_blanks(second))) for first, second in keys]
        outcomes = [Outcome.ABSENT if answer is None else Outcome.ANSWERED for answer in found]
        return make_scores([0.0 if answer is None else answer for answer in found], outcomes)


class PredictedPairs:
    """Predictions about pairs of texts."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def score(self, pairs: Sequence[Key]) -> Scores:
        """Look up pairs, each in its order."""
        return self._answers.find(pairs)


class PredictedUnits:
    """Predictions about units in summaries. A summary is known by its text, whatever its division into sentences."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def score_summaries(self, scus: Sequence[str], summaries: Sequence[Sequence[str]]) -> Scores:
        """Look up units and summaries."""
        return self._answers.find((scu, " ".join(summary)) for scu, summary in zip(scus, summaries, strict=True))


def load_predictions(spec: Spec) -> Model:
    """Read predictions.

    Raises:
        InputError: If the file is not a table with predictions.
        OptionError: If the column does not exist.
    """
    options, path = spec.settings, spec.model
    data = read_file(path, _REMEDY)
    # A file with tabs is read as the reader of the pairs reads it: quotation marks are part of a sentence.
    file = CorpusFile("", path.rpartition("/")[2], path, decode(data, path, "convert the file to UTF-8"))
    scorer: PredictedPairs | PredictedUnits
    if find_delimiter(file.first_line) == "\t" and find_table(file.first_line) is not None:
        answers = Answers(_read_pairs(file, options["column"]), path)
        scorer = PredictedPairs(answers)
    elif recognize(path, data[:HEAD_BYTES], summhay.KINDS):
        scorer = PredictedUnits(answers := Answers(_find_judge(SourceFile(path, data), options["column"]), path))
    else:
        table, columns, is_of_units = _choose_table(read_tables(SourceFile(path, data)), options["column"])
        sides = [columns[field.name] for field in (_UNITS if is_of_units else _PAIRS)[:2]]
        answers = Answers(_read_rows(table, sides, columns[_SCORE.name]), path)
        scorer = PredictedUnits(answers) if is_of_units else PredictedPairs(answers)
    cutoff = options["cutoff"]
    if cutoff is None and answers.is_binary:
        cutoff = CUTOFF
    content = {"sha256": hashlib.sha256(data).hexdigest(), "column": options["column"], "cutoff": cutoff}
    return describe_model(spec, scorer, content, options=content, cutoff=cutoff, outcomes=(Outcome.ABSENT,))


def _read_pairs(file: CorpusFile, column: str | None) -> Iterator[tuple[str, str, float | None]]:
    if column is None:
        raise OptionError(f"{file.full_name}: the column of the predictions is missing. Add ,column=NAME")
    table = Table(file.full_name, (column,), [])
    for number, first, second, cell in read_column(file, column):
        value = None if cell.strip().lower() in MISSING else parse_number(table, number, cell.strip())
        yield first, second, None if value == NO_ANSWER else value


def _find_judge(file: SourceFile, column: str | None) -> Iterable[tuple[str, str, float]]:
    """Return the judgements of the model that the column names, with the prefix of its field in the file or without."""
    judgements = summhay.read_judgements(file)
    name = (column or "").removeprefix(summhay.JUDGES)
    if name not in judgements:
        raise unknown_name("column of predictions", column or "", judgements)
    return judgements[name]


def _choose_table(tables: Sequence[Table], column: str | None) -> tuple[Table, Mapping[str, int], bool]:
    """Return the table with the predictions, its columns, and whether it is about units of content."""
    wanted = {} if column is None else {_SCORE.name: column}
    try:
        return *choose_table(tables, _UNITS, wanted, "", _REMEDY), True
    except InputError:
        return *choose_table(tables, _PAIRS, wanted, "", _REMEDY), False


def _read_rows(table: Table, sides: Sequence[int], score: int) -> Iterator[tuple[str, str, float | None]]:
    for note in table.notes:
        _logger.warning("%s", note, extra={"is_note": True})
    for (_, cells), value in zip(table.rows, read_numbers(table, score), strict=True):
        first, second = (cells[side] or "" for side in sides)
        yield first, second, None if value == NO_ANSWER else value


PREDICTIONS = ModelKind(
    name="predictions",
    meaning="answers of a system in a table, found by the texts of the rows",
    example="predictions:stannlp-snli-pre-hyp.tsv,column=LLama3 zero-shot (Paraph)",
    group="other models",
    load=load_predictions,
    options=(make_text("column"), make_number("cutoff", Range(-1e9, 1e9, is_whole=False))),
    contents="predictions",
    tests=(PAIRS, GRADED_PAIRS),
    is_reproducible=False,
)
