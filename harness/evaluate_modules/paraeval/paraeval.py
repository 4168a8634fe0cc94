"""Recall of the words of reference summaries, paraphrases included, as a module for `evaluate`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import datasets
import evaluate

from harness.paraphrases.tables.reading import open_table
from harness.summarization.paraeval import CITATION
from harness.summarization.paraeval.matching import TIERS
from harness.summarization.paraeval.prepared_texts import WordRules
from harness.summarization.paraeval.scoring import Settings, name_tiers, score_summaries
from harness.summarization.summaries.records import Summary
from harness.summarization.summaries.references import Comparison
from pyramid_paraphrase.ranges import PROBABILITY

_DESCRIPTION = """
The share of the words of references that a summary matches, none twice: first paraphrases of several words, by the
choice that matches most; then those with a single word on a side, greedily; then equal words. Words are runs of letters
and digits, in lower case, as in ROUGE; without a table of paraphrases this is the recall of ROUGE-1. What is matched of
all references of a summary is divided by their words, as ROUGE-1.5.5 does with -f A.
"""

_INPUTS = """
Args:
    predictions (list of str): summaries, with a sentence per line: no phrase reaches beyond one.
    references (list of list of str): for each, summaries to compare with.
    table (str or list of str): tables of paraphrases, compiled or as text, or folders of WordNet; default: none.
    tiers (list of int): which tiers there are; default: 1, 2 and 3. 1 and 2 are called para_only, 1 and 3 ParaEval-2.
    stem (bool): whether words with the same stem (Porter) are the same; default: no.
    stop_words (bool): whether function words count; default: yes.
    jackknife (bool): whether to leave out each reference in turn, and average; default: no.
    min_probability (float): of paraphrases of the table; default: 0.
Returns:
    paraeval: the mean over the summaries, in [0, 1].
"""


class ParaEval(evaluate.Metric):
    """ParaEval (Zhou et al. 2006)."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features(
                {
                    "predictions": datasets.Value("string"),
                    "references": datasets.Sequence(datasets.Value("string")),
                }
            ),
        )

    def _compute(
        self,
        *,
        predictions: Sequence[str],
        references: Sequence[Sequence[str]],
        table: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        tiers: Sequence[int] = TIERS,
        stem: bool = False,
        stop_words: bool = True,
        jackknife: bool = False,
        min_probability: float = 0.0,
    ) -> dict[str, float]:
        chosen = tuple(sorted(set(tiers)))
        if not chosen or not set(chosen) <= set(TIERS):
            raise ValueError(f"the tiers are 1, 2 and 3, not {list(tiers)}")
        PROBABILITY.check("min_probability", min_probability)
        if not len(predictions) or min(map(len, references)) < 1 + jackknife:
            raise ValueError("give summaries, and one reference at least for each, or two to leave one out")
        paths = [] if table is None else [table] if isinstance(table, str | os.PathLike) else table
        tables = [open_table(Path(path), stem=stem, min_probability=min_probability) for path in paths]
        comparisons = [
            Comparison(_make(summary, "peer"), tuple(_make(one, str(n)) for n, one in enumerate(others)), False)
            for summary, others in zip(predictions, references, strict=True)
        ]
        settings = Settings((chosen,), WordRules(stem=stem, stop_words=stop_words), jackknife)
        scored = score_summaries(comparisons, lambda _: tables, settings)
        return {"paraeval": fmean(one.score.values[name_tiers(chosen)] for one in scored)}


def _make(text: str, author: str) -> Summary:
    return Summary("", author, tuple(text.splitlines()), "")
