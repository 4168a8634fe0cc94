"""Recall of the words of reference summaries, including paraphrases, as a module for `evaluate`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from statistics import fmean

from harness.evaluate_modules import frame
from harness.paraphrases.tables.reading import open_table
from harness.summarization.paraeval import CITATION
from harness.summarization.paraeval.scoring import score_summaries
from harness.summarization.paraeval.texts import TIERS, ParaEvalSettings, name_tiers
from harness.summarization.references import Comparison
from harness.summarization.summaries import Summary, note_markup
from harness.text.markup import divide_lines
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.pyramids.sources import Source, list_sources
from pyramid_paraphrase.rules.ranges import PROBABILITY

_logger = make_logger(__name__)

_DESCRIPTION = """
The share of the words of references that a summary matches. No word is matched twice. First, paraphrases of several
words are matched, by the choice that matches most words. Then, paraphrases with a single word on one side are matched
greedily. Finally, equal words are matched. Words are runs of letters and digits, in lower case, as in ROUGE. Without a
table of paraphrases, the score is the recall of ROUGE-1. The matches in all references of a summary are divided by the
number of words of these references, as in ROUGE-1.5.5 with -f A.
"""

_INPUTS = """
Args:
    predictions (list of str): summaries with one sentence per line. No phrase extends over several sentences.
    references (list of list of str): the reference summaries of each summary.
    table (str or list of str): tables of paraphrases, compiled or as text, or folders of WordNet (default: none).
    tiers (list of int): the tiers of matching (default: 1, 2 and 3). 1 and 2 are called para_only, 1 and 3 ParaEval-2.
    stem (bool): whether words with the same stem (Porter) are equal (default: no).
    stop_words (bool): whether stop words count (default: yes).
    jackknife (bool): whether to leave out each reference in turn, and average (default: no).
    min_probability (float): lowest probability of paraphrases of the table (default: 0).
    weighted (bool): whether the words of a paraphrase count with its probability (default: no, they count fully).
Returns:
    paraeval: the mean over the summaries, in [0, 1].

Examples:
    >>> import evaluate
    >>> import harness.evaluate_modules
    >>> metric = evaluate.load(f"{harness.evaluate_modules.__path__[0]}/paraeval")
    >>> round(metric.compute(predictions=["The dog sleeps."], references=[["The cat sleeps."]])["paraeval"], 4)
    0.6667
"""


class Paraeval(frame.MetricModule):
    """ParaEval (Zhou et al. 2006)."""

    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS
    FEATURES = frame.SUMMARIES
    SOURCE = CITATION
    REFERENCE_URLS = ("https://aclanthology.org/N06-1057/",)

    def _compute(
        self,
        *,
        predictions: Sequence[str],
        references: Sequence[Sequence[str]],
        table: Source | Sequence[Source] | None = None,
        tiers: Sequence[int] = TIERS,
        stem: bool = False,
        stop_words: bool = True,
        jackknife: bool = False,
        min_probability: float = 0.0,
        weighted: bool = False,
    ) -> dict[str, float]:
        chosen = tuple(sorted(set(tiers)))
        if not chosen or not set(chosen) <= set(TIERS):
            raise ValueError(f"tiers is {list(tiers)}. Use one or more of 1, 2 and 3")
        PROBABILITY.check("min_probability", min_probability)
        if not len(predictions) or min(map(len, references)) < 1 + jackknife:
            raise ValueError("pass at least one summary, and at least one reference for each (with jackknife, two)")
        paths = [] if table is None else list_sources(table)
        tables = [open_table(Path(path), stem=stem, min_probability=min_probability) for path in paths]
        comparisons = []
        for peer, texts in zip(predictions, references, strict=True):
            numbered = tuple(_make_summary(text, str(number)) for number, text in enumerate(texts))
            comparisons.append(Comparison(_make_summary(peer, "peer"), numbered, is_reference=False))
        summaries = chain.from_iterable((comparison.peer, *comparison.references) for comparison in comparisons)
        for note in note_markup("paraeval", (summary.markup for summary in summaries)):
            _logger.warning(note)
        settings = ParaEvalSettings((chosen,), stem=stem, stop_words=stop_words, jackknife=jackknife, weighted=weighted)
        scored = score_summaries(comparisons, lambda _: tables, settings)
        return {"paraeval": fmean(score.values[name_tiers(chosen)] for score, _ in scored)}


def _make_summary(text: str, author: str) -> Summary:
    sentences, markup = divide_lines(text)
    return Summary(topic="", author=author, sentences=sentences, path="", markup=markup)
