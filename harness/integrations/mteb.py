"""The tests as tasks of mteb, on the user's own data: ``mteb.evaluate(model, tasks=make_tasks("built"))``.

Not all that mteb gives is what `harness.evaluate` gives. Its F, precision, recall and accuracy of pairs are of the best
threshold on the very pairs they are measured on, where ours is fitted on `validation`; and it tries no threshold below
all scores, where everything is a paraphrase. It breaks ties of questions by document id where ours shares them.
And its cosines are of single precision and not rounded. Average precision, success rate and MRR agree but for that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from datasets import Dataset, DatasetDict

from harness.evaluation.runner import DEFAULT_TASKS, load_suite
from harness.metrics import CITATION
from harness.support.extras import require
from pyramid_paraphrase.build import BuiltTest
from pyramid_paraphrase.catalog import COLLECTIONS
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.options import BINARY, PYRAMID_TESTS, PYRAMIDS
from pyramid_paraphrase.propositions import sha256_of
from pyramid_paraphrase.registration import NAME
from pyramid_paraphrase.sources import Source
from pyramid_paraphrase.splits import TEST

EXTRA = "mteb"
_Pairs: Any = require("mteb.abstasks", EXTRA).AbsTaskPairClassification
_Retrieval: Any = require("mteb.abstasks", EXTRA).AbsTaskRetrieval
_loaders = require("mteb.abstasks.retrieval_dataset_loaders", EXTRA)
_task_metadata = require("mteb.abstasks.task_metadata", EXTRA)

_SUBSET = "default"
_FINGERPRINT_DIGITS = 12
_LANGUAGE = "eng-Latn"
_PROMPT = "Find the text that says the same as the given text."
_SAMPLE = "sample"
_NIST_PAGES = {"duc": "https://duc.nist.gov/data.html", "tac": "https://tac.nist.gov/data/"}


class PairTask(_Pairs):
    """A test of pairs, such as `binary`.

    mteb 2.26 encodes the column of first texts and that of second ones, each as a whole: a text as often as it occurs.
    (`_encode_unique_texts` of its evaluator is there, but nothing calls it.) Its threshold never cuts inside a group of
    equal scores, and never below the last one: F is 0 if all scores are equal.

    Attributes:
        built: The test.
    """

    built: BuiltTest
    label_column_name = "label"

    def load_data(self, num_proc: int | None = None, **kwargs: object) -> None:  # noqa: ARG002
        """Take the pairs from memory."""
        rows = _test_rows(self.built).select(["sentence1", "sentence2", "label"])
        self.dataset = DatasetDict({TEST: Dataset.from_dict(rows.to_pydict())})
        self.data_loaded = True


class QuestionTask(_Retrieval):
    """A test of questions, such as `ranking`, as reranking: `top_ranked` holds the options of each question.

    The documents are the distinct options, as a retrieval corpus lists a document once. mteb encodes the corpus and the
    questions once each, and questions that differ only in their options are separate questions. Equal scores are
    ordered by document id, so ids are hashes of the texts: nothing in them depends on which option is right.

    Attributes:
        built: The test.
    """

    built: BuiltTest

    def load_data(self, num_proc: int | None = None, **kwargs: object) -> None:  # noqa: ARG002
        """Take the questions from memory."""
        rows = _test_rows(self.built).select(["id", "question", "options", "answer"]).to_pylist()
        options = {row["id"]: name_documents(row["options"]) for row in rows}
        documents = {key: text for row in rows for key, text in zip(options[row["id"]], row["options"], strict=True)}
        split = _loaders.RetrievalSplitData(
            corpus=Dataset.from_dict({"id": list(documents), "text": list(documents.values())}),
            queries=Dataset.from_dict({name: [row[key] for row in rows] for name, key in _QUERY_COLUMNS.items()}),
            relevant_docs={row["id"]: {options[row["id"]][row["answer"]]: 1} for row in rows},
            top_ranked=options,
        )
        self.dataset = {_SUBSET: {TEST: split}}
        self.data_loaded = True


_QUERY_COLUMNS = {"id": "id", "text": "question"}


def name_documents(options: Sequence[str]) -> list[str]:
    """Name the options of one question by hashes of their texts.

    Args:
        options: Texts. Two may be equal, being of different SCUs; they are two documents then, or there would be fewer
            to choose from.

    Returns:
        As many distinct ids; the first one of a text is the same in every question.
    """
    return [sha256_of(text, str(options[:place].count(text))) for place, text in enumerate(options)]


def make_tasks(
    data: Source | Sequence[Source] | None = None, tasks: str | Sequence[str] = DEFAULT_TASKS
) -> list[PairTask | QuestionTask]:
    """Make tasks for `mteb.evaluate` of the test splits of our tests.

    mteb keeps results by the names of model and task alone. So the name of a task ends in the fingerprint of its test,
    and what was measured on other rows is never taken for it. Models in memory, or from a folder, that have no name of
    their own are one and the same to mteb: for those, pass ``cache=None`` to `mteb.evaluate`.

    Args:
        data: Annotation files, "sample", or a built folder; what was built last if None.
        tasks: Names of configurations that are made from pyramids.

    Returns:
        A task per configuration, called for instance ``PyramidParaphraseRankingMatched-`` and 12 digits.

    Raises:
        PyramidParaphraseError: If the data cannot be used, or a configuration is made from something else.
    """
    tests = load_suite(data, tasks).tests
    if other := [test.configuration.name for test in tests if test.configuration.origin != PYRAMIDS]:
        raise OptionError(
            f"mteb's tasks are made for {', '.join(PYRAMID_TESTS)}, and {other[0]} is none of them; it may have a task "
            "of its own for that corpus"
        )
    return [make_task(built) for built in tests]


def make_task(built: BuiltTest) -> PairTask | QuestionTask:
    """Make a task of a test that is built already."""
    base = PairTask if built.configuration.task == BINARY else QuestionTask
    # A class per test: mteb drops the metadata of an instance when it unloads its data.
    own = {"metadata": describe_task(built), "built": built, "__doc__": base.__doc__}
    return type(_class_name(built), (base,), own)()


def describe_task(built: BuiltTest) -> Any:  # noqa: ANN401
    """Fill in what mteb wants to know of a task: a `TaskMetadata`."""
    is_pairs = built.configuration.task == BINARY
    return _task_metadata.TaskMetadata(
        name=f"{_class_name(built)}-{built.fingerprint[:_FINGERPRINT_DIGITS]}",
        description=f"{built.configuration.title}; from pyramid annotations of summaries of news.",
        dataset={"path": NAME, "name": built.configuration.name, "revision": built.fingerprint},
        type="PairClassification" if is_pairs else "Reranking",
        category="t2t",
        prompt=_PROMPT,
        eval_splits=[TEST],
        eval_langs=[_LANGUAGE],
        # The one metric of pairs that needs no threshold, so that mteb's agrees with ours.
        main_score="cosine_ap" if is_pairs else "accuracy",
        domains=["News", "Written"],
        task_subtypes=[],
        dialect=[],
        sample_creation="created",
        bibtex_citation=CITATION.strip(),
        **_describe_origin(built.collections),
    )


def _describe_origin(collections: Sequence[str]) -> Mapping[str, Any]:
    """Where the texts come from, when, and who may have them; None for what nobody knows of files of no collection."""
    known = {collection.name: collection.year for collection in COLLECTIONS}
    years = [known.get(name, 0) for name in collections]
    pages = {_NIST_PAGES.get(re.split(r"\d", name)[0]) for name in collections}
    page = pages.pop() if len(pages) == 1 else None
    is_sample = set(collections) == {_SAMPLE}
    return {
        "date": (f"{min(years)}-01-01", f"{max(years)}-12-31") if all(years) else None,
        "license": "cc0-1.0" if is_sample else page or ("multiple" if len(collections) > 1 else "not specified"),
        "reference": page,
        "annotations_creators": None if is_sample else "expert-annotated",
        "is_public": is_sample,
    }


def _class_name(built: BuiltTest) -> str:
    return "".join(word.capitalize() for word in f"{NAME}_{built.configuration.name}".split("_"))


def _test_rows(built: BuiltTest) -> pa.Table:
    return pa.concat_tables(built.splits[TEST])
