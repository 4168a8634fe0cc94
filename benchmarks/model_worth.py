"""Measure whether the scores of models on `ranking` and `binary` predict how well the models score summaries.

usage: model_worth.py SOURCE MODEL [TEXT...]

SOURCE: mainPyramidEval.tar.gz of DUC 2007, beside which mainEval.tar.gz lies; MODEL: folder of a sentence-transformers
model; TEXTs: tokenized sentences to train word vectors on, as for trained_vectors.py.

Each model is evaluated on the tests, and its soft pyramid is correlated with the pyramid scores of annotators (13
systems) and with responsiveness (all 32), over the 23 topics with a pyramid: per topic over summaries (Kendall's tau-b,
the mean over topics), and over systems (Pearson's r of means). Then the ranks of the models by tests and by agreement
are correlated.

The tests are made from the same pyramids that the soft pyramid uses, so a model that suits these topics has an
advantage in both. The tests contain neither texts of peer summaries nor judgements.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gensim.models import Word2Vec
from markdown_tables import tabulate
from scipy import stats
from trained_vectors import EPOCHS, MIN_COUNT, SEED, read_sentences

from harness.evaluation.runner import Settings as EvaluationSettings
from harness.evaluation.runner import Suite, evaluate_model, load_suite
from harness.files.writing import write_file
from harness.models.interfaces.model import Model, Scorer
from harness.models.loading import describe_object, load_model
from harness.models.neural.scorers import SentenceEncoder
from harness.rendering.pictures import MARKERS, draw_picture, parse_format
from harness.summarization.meta_evaluation.correlations import KENDALL, PEARSON, SUMMARY, SYSTEM
from harness.summarization.meta_evaluation.evaluation import correlate
from harness.summarization.meta_evaluation.inputs import choose_measures, read_score_files
from harness.summarization.meta_evaluation.resampling import CorrelationSettings, Resampler
from harness.summarization.meta_evaluation.scores import MeasureScores, align_scores
from harness.summarization.reading import read_summaries
from harness.summarization.soft_pyramid import pair_with_pyramids, score_soft_pyramids
from harness.summarization.summaries import Summary
from harness.support.progress import Progress
from pyramid_paraphrase.pyramids.official_tables import CONTENT, MODIFIED_PYRAMID
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PAPER_TESTS
from pyramid_paraphrase.words import split_words

BASELINES = ("random", "one-hot", "tf-idf", "char-ngrams", "wtmf")
TRUNCATIONS = (4, 8, 16, 32, 64, 128, 256)
VECTOR_SIZES = (25, 100)
TEST_METRICS = ("ranking success", "ranking MRR", "binary F", "binary AP")
TARGETS = ("pyramid, summaries", "pyramid, systems", "responsiveness, summaries", "responsiveness, systems")
JUDGEMENTS = (MODIFIED_PYRAMID, CONTENT)
LEVELS = {SUMMARY: KENDALL, SYSTEM: PEARSON}
"""Coefficient by level. Ranks of few systems or of few levels of responsiveness are not informative."""

PERMUTATIONS = 10_000
PICTURES = {mode: Path(__file__).parent.parent / "docs" / f"model-worth-{mode}.png" for mode in ("light", "dark")}
"""The picture for light and for dark pages."""


class Row(NamedTuple):
    """The results of a model on the tests, and as a scorer of summaries."""

    name: str
    family: str
    tests: tuple[float, ...]
    worth: tuple[float, ...]


class Remembering:
    """A model of sentence-transformers that encodes each text once. Its first dimensions are used as further models."""

    def __init__(self, scorer: SentenceEncoder) -> None:
        self._scorer = scorer
        self._known: dict[str, Any] = {}

    def encode(self, texts: list[str]) -> Any:  # noqa: ANN401
        """Encode texts, each only once. Return shape (n, dimension)."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        for batch, vectors in self._scorer.encode_batches(missing) if missing else ():
            self._known.update(zip([missing[index] for index in batch], vectors, strict=True))
        return np.stack([self._known[text] for text in texts])


class Truncated:
    """The first dimensions of another encoder."""

    def __init__(self, whole: Scorer, size: int) -> None:
        self._whole, self._size = whole, size

    def encode(self, texts: list[str]) -> Any:  # noqa: ANN401
        """Truncate the vectors. Return shape (n, size)."""
        return self._whole.encode(texts)[:, : self._size]


class SumOfWords:
    """An encoder that sums the vectors of a text's words in lower case, computed by a function."""

    def __init__(self, find: Callable[[list[str]], Any]) -> None:
        self._find = find

    def encode(self, texts: list[str]) -> Any:  # noqa: ANN401
        """Sum the vectors of words. Return shape (n, dimension)."""
        words = [[word.lower() for word in split_words(text)] for text in texts]
        distinct = sorted({word for text in words for word in text})
        vectors, number = self._find(distinct), {word: index for index, word in enumerate(distinct)}
        sums = np.zeros((len(texts), vectors.shape[1]))
        for row, members in enumerate(words):
            sums[row] = vectors[[number[word] for word in members]].sum(axis=0)
        return sums


def list_models(model: str, texts: Sequence[str], folder: Path) -> Iterator[tuple[str, Model]]:
    """Return the models by family. The models of a family are variants of each other."""
    for name in BASELINES:
        yield name, load_model(name)
    sentences = list(read_sentences([Path(text) for text in texts]))
    for size in VECTOR_SIZES if sentences else ():
        vectors = Word2Vec(sentences, vector_size=size, min_count=MIN_COUNT, sg=1, epochs=EPOCHS, workers=1, seed=SEED)
        vectors.wv.save_word2vec_format(str(folder / f"{size}.txt"))
        yield "word2vec", load_model(f"{folder / f'{size}.txt'},name=word2vec-{size}")
    whole = load_model(model)
    remembering = Remembering(whole.scorer)
    yield "token embeddings", _describe(SumOfWords(_read_token_embeddings(model)), "MiniLM, input embeddings")
    yield "word by word", _describe(SumOfWords(remembering.encode), "MiniLM, word by word")
    for size in TRUNCATIONS:
        yield "MiniLM", _describe(Truncated(remembering, size), f"MiniLM, {size} dimensions")
    yield "MiniLM", _describe(remembering, "MiniLM")


def _describe(encoder: Scorer, name: str) -> Model:
    return describe_object(encoder).renamed(name)


def _read_token_embeddings(model: str) -> Callable[[list[str]], Any]:
    """The sum of the input embeddings of a word's pieces."""
    from sentence_transformers import SentenceTransformer

    loaded: Any = SentenceTransformer(model, device="cpu")
    table = loaded[0].auto_model.get_input_embeddings().weight.detach().numpy()

    def find(words: list[str]) -> Any:  # noqa: ANN401
        pieces = loaded.tokenizer(words, add_special_tokens=False)["input_ids"]
        return np.stack([table[row].sum(axis=0) for row in pieces])

    return find


def read_judgements(source: str) -> list[MeasureScores]:
    """Read modified pyramid scores and responsiveness, per topic and system."""
    files = read_score_files([source, _find_evaluation(source) / "manual" / "content.table"])
    return choose_measures(files, JUDGEMENTS, "criterion")


def _find_evaluation(source: str) -> Path:
    return Path(source).with_name("mainEval.tar.gz") / "mainEval"


def measure(
    model: Model,
    family: str,
    suite: Suite,
    scus_of: Mapping[Summary, Sequence[Sequence[str]]],
    judged: Sequence[MeasureScores],
) -> Row:
    """Evaluate a model on the tests, and as a scorer of summaries."""
    tasks = evaluate_model(model, suite, EvaluationSettings(resamples=1)).tasks
    ranking, binary = tasks["ranking"], tasks["binary"]
    tests = (ranking["success_rate"], ranking["mrr"], binary["f1"], binary["average_precision"])
    scores = score_soft_pyramids(replace(model, store_key=None), scus_of, bar=Progress(visible=False))
    keys = ((summary.topic, summary.author) for summary in scus_of)
    soft = MeasureScores(model.name, model.name, dict(zip(keys, scores, strict=True)))
    return Row(model.name, family, tests, tuple(value for judgement in judged for value in agree(soft, judgement)))


def agree(scores: MeasureScores, judgement: MeasureScores) -> Iterator[float]:
    """Correlate over summaries within topics, and over systems."""
    for level, coefficient in LEVELS.items():
        block = align_scores([scores, judgement])
        yield correlate(judgement.name, scores.name, level, block, Resampler(CorrelationSettings(resamples=1))).values[
            coefficient
        ]


def correlate_models(rows: Sequence[Row], metric: int, target: int) -> tuple[float, float]:
    """Return Spearman's rho over models, and its one-sided p-value by a permutation test."""
    ours = stats.rankdata([row.tests[metric] for row in rows])
    theirs = stats.rankdata([row.worth[target] for row in rows])
    random = np.random.RandomState(0)
    rho = np.corrcoef(ours, theirs)[0, 1]
    drawn = [np.corrcoef(random.permutation(ours), theirs)[0, 1] for _ in range(PERMUTATIONS)]
    return float(rho), float((1 + sum(permuted_rho >= rho - 1e-9 for permuted_rho in drawn)) / (1 + PERMUTATIONS))


def measure_all(source: str, model: str, texts: Sequence[str]) -> list[Row]:
    """Render a row per model, the best model of `ranking` first."""
    suite, judged = load_suite(source, PAPER_TESTS), read_judgements(source)
    summaries, _ = read_summaries(_find_evaluation(source) / "ROUGE" / "peers")
    systems = [summary for summary in summaries if summary.author.isdigit()]
    scus_of, _ = pair_with_pyramids(systems, read_corpus(source).pyramids)
    with tempfile.TemporaryDirectory() as folder:
        models = list_models(model, texts, Path(folder))
        rows = []
        for family, scorer in models:
            print(scorer.name, file=sys.stderr, flush=True)
            rows.append(measure(scorer, family, suite, scus_of, judged))
    return sorted(rows, key=lambda row: (-row.tests[0], row.name))


def render(source: str, model: str, texts: Sequence[str]) -> str:
    """Measure everything, draw the picture and render the tables."""
    rows = measure_all(source, model, texts)
    for mode, path in PICTURES.items():
        draw(rows, path, is_dark=mode == "dark")
    return render_rows(rows)


def render_rows(rows: Sequence[Row]) -> str:
    """Render the models, and the agreement of their ranks: for all models, and for the last model of each family."""
    table = [[row.name, *(f"{value:.3f}" for value in (*row.tests, *row.worth))] for row in rows]
    best = list({row.family: row for row in reversed(rows)}.values())
    parts = [tabulate(["model", *TEST_METRICS, *TARGETS], table)]
    informed = [row for row in best if row.name != "random"]
    choices = {
        f"all {len(rows)} models": rows,
        f"the best of {len(best)} families": best,
        "these without random": informed,
    }
    for name, chosen in choices.items():
        cells = [
            [metric, *("{:.2f} (p {:.4f})".format(*correlate_models(chosen, i, j)) for j in range(len(TARGETS)))]
            for i, metric in enumerate(TEST_METRICS)
        ]
        parts.append(tabulate([f"Spearman's rho over {name}", *TARGETS], cells))
    return "\n\n".join(parts)


def draw(rows: Sequence[Row], path: Path, *, is_dark: bool = False) -> None:
    """Draw success on `ranking` against the agreement with annotators' pyramid scores, per summary."""

    def fill(figure: Any) -> None:  # noqa: ANN401
        axes = figure.add_subplot()
        for index, family in enumerate(dict.fromkeys(row.family for row in rows)):
            members = [row for row in rows if row.family == family]
            marker = MARKERS[index % len(MARKERS)]  # there are more colours than shapes, so all families differ
            values = zip(*((row.tests[0], row.worth[0]) for row in members), strict=True)
            axes.plot(*values, marker, color=f"C{index}", label=family)
        axes.set_xlabel("success rate on ranking")
        axes.set_ylabel("agreement with pyramid scores (tau-b within topics)")
        axes.legend()

    write_file(path, draw_picture((6.0, 4.2), parse_format(path), fill, is_dark=is_dark))


if __name__ == "__main__":
    given, folder, *sentences = sys.argv[1:]
    print(render(given, folder, sentences))
