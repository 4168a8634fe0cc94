"""The tests as tasks of mteb, on the user's own data: ``mteb.evaluate(model, tasks=make_tasks("built"))``.

Some metrics of mteb differ from the metrics of `harness.evaluate`:

* mteb chooses the threshold for F, precision, recall and accuracy on the same pairs that it measures.
  `harness.evaluate` fits it on `validation`.
* mteb does not try a threshold below all scores, at which every pair is called a paraphrase.
* mteb breaks ties of options by document id. `harness.evaluate` shares ties.
* The cosines of mteb have single precision and are not rounded.

Apart from ties and rounding, average precision, success rate and MRR agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from datasets import Dataset, DatasetDict

from harness.evaluation.runner import load_suite
from harness.metrics import CITATION
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.catalog import COLLECTIONS, OTHER, SAMPLE_NAME
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.files.extras import require
from pyramid_paraphrase.publishing.registration import NAME
from pyramid_paraphrase.pyramids.sources import Source
from pyramid_paraphrase.rules.options import PAIRS, PAPER_TESTS, PYRAMID_TESTS, PYRAMIDS, TEST
from pyramid_paraphrase.rules.propositions import sha256_of

EXTRA = "mteb"
_Pairs: Any = require("mteb.abstasks", EXTRA).AbsTaskPairClassification
_Retrieval: Any = require("mteb.abstasks", EXTRA).AbsTaskRetrieval
_loaders = require("mteb.abstasks.retrieval_dataset_loaders", EXTRA)
_task_metadata = require("mteb.abstasks.task_metadata", EXTRA)

_SUBSET = "default"


class PairTask(_Pairs):
    """A test of pairs, such as `binary`.

    mteb 2.26 encodes the columns of first and second texts unchanged, so it encodes repeated texts repeatedly (its
    function `_encode_unique_texts` is never called). Its threshold is never inside a group of equal scores and never
    below the lowest score. Therefore F is 0 if all scores are equal.

    Attributes:
        built: The test.
    """

    built: BuiltTest
    label_column_name = "label"

    def load_data(self, num_proc: int | None = None, **kwargs: object) -> None:  # noqa: ARG002
        """Convert the pairs of the test to a dataset."""
        rows = _test_rows(self.built).select(["sentence1", "sentence2", "label"])
        self.dataset = DatasetDict({TEST: Dataset.from_dict(rows.to_pydict())})
        self.data_loaded = True


class QuestionTask(_Retrieval):
    """A test of questions, such as `ranking`, as reranking: `top_ranked` contains the options of each question.

    The documents are the distinct options, because a retrieval corpus lists each document once. mteb encodes the corpus
    and the questions once each. Questions that differ only in their options are separate questions. mteb orders equal
    scores by document id. Ids are hashes of the texts, so they do not depend on which option is right.

    Attributes:
        built: The test.
    """

    built: BuiltTest

    def load_data(self, num_proc: int | None = None, **kwargs: object) -> None:  # noqa: ARG002
        """Convert the questions of the test to a corpus, queries and rankings."""
        rows = _test_rows(self.built)
        queries = {"id": rows["id"].to_pylist(), "text": rows["question"].to_pylist()}
        documents: dict[str, str] = {}
        top_ranked: dict[str, list[str]] = {}
        relevant: dict[str, dict[str, int]] = {}
        for row in rows.select(["id", "options", "answer"]).to_pylist():
            document_ids = name_documents(row["options"])
            documents.update(zip(document_ids, row["options"], strict=True))
            top_ranked[row["id"]] = document_ids
            relevant[row["id"]] = {document_ids[row["answer"]]: 1}
        split = _loaders.RetrievalSplitData(
            corpus=Dataset.from_dict({"id": list(documents), "text": list(documents.values())}),
            queries=Dataset.from_dict(queries),
            relevant_docs=relevant,
            top_ranked=top_ranked,
        )
        self.dataset = {_SUBSET: {TEST: split}}
        self.data_loaded = True


def name_documents(options: Sequence[str]) -> list[str]:
    """Name the options of one question by hashes of their texts.

    Args:
        options: The texts of the options. Two options can be equal if they belong to different SCUs. They become two
            documents, so that the number of options stays the same.

    Returns:
        One distinct id per option. The first option with a certain text has the same id in every question.
    """
    return [sha256_of(text, str(options[:position].count(text))) for position, text in enumerate(options)]


def make_tasks(
    data: Source | Sequence[Source] | None = None, tasks: str | Sequence[str] = PAPER_TESTS
) -> list[PairTask | QuestionTask]:
    """Make tasks for `mteb.evaluate` from the test splits of our tests.

    mteb caches results by the names of model and task only. Therefore the name of a task ends in the fingerprint of its
    test, so that results on other rows are never used for this test. mteb cannot distinguish models without a name,
    such as models in memory or from a folder. Pass ``cache=None`` to `mteb.evaluate` for these models.

    Args:
        data: Annotation files, "sample", or a built folder, local or on the Hub ("ORG/NAME"). The last build if None.
        tasks: Names of configurations that are made from pyramids.

    Returns:
        A task per configuration. Its name is, for example, ``PyramidParaphraseRankingMatched-`` and 12 digits.

    Raises:
        PyramidParaphraseError: If the data cannot be used, or a configuration is not made from pyramids.
    """
    tests = load_suite(data, tasks).tests
    for test in tests:
        if test.configuration.origin != PYRAMIDS:
            remedy = f"Choose from {', '.join(PYRAMID_TESTS)}, or look for a task of mteb for the same corpus"
            raise OptionError(f"no mteb task can be made for {test.configuration.name}. {remedy}")
    return [make_task(built) for built in tests]


def make_task(built: BuiltTest) -> PairTask | QuestionTask:
    """Make a task of pair classification or, from questions, of reranking."""
    base = PairTask if built.configuration.kind == PAIRS else QuestionTask
    # A class per test, because mteb drops the metadata of an instance when it unloads its data.
    attributes = {"metadata": describe_task(built), "built": built, "__doc__": base.__doc__}
    return type(_class_name(built), (base,), attributes)()


def describe_task(built: BuiltTest) -> Any:  # noqa: ANN401
    """Make the `TaskMetadata` of a task."""
    task_type, main_score = "Reranking", "accuracy"
    if built.configuration.kind == PAIRS:
        # The only metric of pairs without a threshold, so the values of mteb and `harness.evaluate` agree.
        task_type, main_score = "PairClassification", "cosine_ap"
    return _task_metadata.TaskMetadata(
        name=f"{_class_name(built)}-{built.fingerprint[:12]}",
        description=f"{built.configuration.title}. Made from pyramid annotations of news summaries.",
        dataset={"path": NAME, "name": built.configuration.name, "revision": built.fingerprint},
        type=task_type,
        category="t2t",
        prompt="Find the text that says the same as the given text.",
        eval_splits=[TEST],
        eval_langs=["eng-Latn"],
        main_score=main_score,
        domains=["News", "Written"],
        task_subtypes=[],
        dialect=[],
        sample_creation="created",
        bibtex_citation=CITATION.strip(),
        **_describe_origin(built.collections),
    )


def _describe_origin(collections: Sequence[str]) -> Mapping[str, Any]:
    """Describe the date, the licence and the source of the texts. Unknown facts are None."""
    rows_by_name = {row.name: row for row in COLLECTIONS}
    rows = [rows_by_name.get(name, OTHER) for name in collections]
    years = [row.year for row in rows]
    date = (f"{min(years)}-01-01", f"{max(years)}-12-31") if all(years) else None
    # NIST has a page for each conference. Texts of several conferences, or of another source, have no page.
    pages = {row.terms for row in rows}
    page = (pages.pop() or None) if len(pages) == 1 else None
    origin = {"date": date, "reference": page}
    if set(collections) == {SAMPLE_NAME}:
        return {**origin, "license": "cc0-1.0", "annotations_creators": None, "is_public": True}
    license_name = page or ("multiple" if len(collections) > 1 else "not specified")
    return {**origin, "license": license_name, "annotations_creators": "expert-annotated", "is_public": False}


def _class_name(built: BuiltTest) -> str:
    return "".join(word.capitalize() for word in f"{NAME}_{built.configuration.name}".split("_"))


def _test_rows(built: BuiltTest) -> pa.Table:
    return pa.concat_tables(built.splits[TEST])
