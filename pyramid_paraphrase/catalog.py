"""The table of collections, to which a year is added as a row, and the built-in sample corpus."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

_NIST = "NIST's user agreement"
_DUC = (f"DUC data: sign {_NIST}, https://duc.nist.gov/data.html", _NIST, "https://duc.nist.gov/data.html")
_TAC = (f"TAC data: sign {_NIST}, https://tac.nist.gov/data/", _NIST, "https://tac.nist.gov/data/")
"""How to obtain the files, the licence, and the page of its terms."""

_PUBLIC_DOMAIN = "https://creativecommons.org/publicdomain/zero/1.0/"


class RecordCounts(NamedTuple):
    """Counts of a complete collection, read from its distribution."""

    pyramids: int
    scus: int
    contributors: int
    peer_annotations: int
    topics: int


class Collection(NamedTuple):
    """The pyramids of one source and year.

    Attributes:
        name: Its name.
        title: Its title.
        year: Its year, or 0 if it has none.
        pattern: A regular expression that matches the whole ids of its pyramids.
        files: Names of the files of the distribution.
        obtain: How to obtain the files.
        licence: The licence of the texts, in a few words or as an address.
        terms: The page with the terms of the licence, or "".
        expected: Counts of the complete collection, if they are known.
        marks_unmatched: Whether the annotators of its peer summaries marked text that matches no SCU, which the
            original pyramid score counts. If it is None, the annotations decide.
        access: How to obtain the files, in one to three words.
        page: The folder on GitHub that `pyramid-paraphrase download` gets the files from, or "". It names a commit by
            its full id, so that the files are always the same. Their sizes and digests are in
            ``harness/files/downloads.tsv``.
        attribution: The publications to cite for a collection with a page.
    """

    name: str
    title: str
    year: int
    pattern: str
    files: str
    obtain: str
    licence: str = "as agreed with the provider of the annotation files"
    terms: str = ""
    expected: RecordCounts | None = None
    marks_unmatched: bool | None = None
    access: str = "on request"
    page: str = ""
    attribution: str = ""


COLLECTIONS = (
    Collection("duc2005", "DUC 2005", 2005, r"D[3-7][0-9]{2}", "DUC2005.tar.gz", *_DUC, marks_unmatched=True),
    Collection("duc2006", "DUC 2006", 2006, r"D06[0-9]{2}", "DUC2006pyramiddata", *_DUC, marks_unmatched=False),
    Collection(
        "duc2007-main",
        "DUC 2007 main task",
        2007,
        r"D07[0-9]{2}",
        "mainPyramidEval.tar.gz",
        *_DUC,
        RecordCounts(23, 1583, 2643, 299, topics=23),
        marks_unmatched=False,
    ),
    Collection(
        "duc2007-update",
        "DUC 2007 update task",
        2007,
        r"D07[0-9]{2}-[A-Z]+",
        "updateEval.tar.gz",
        *_DUC,
        marks_unmatched=False,
    ),
    Collection("tac2008", "TAC 2008 update task", 2008, r"D08[0-9]{2}-[A-Z]+", "UpdateSumm08_eval.tar.gz", *_TAC),
    Collection("tac2009", "TAC 2009 update task", 2009, r"D09[0-9]{2}-[A-Z]+", "UpdateSumm09_eval.tar.gz", *_TAC),
    Collection("tac2010", "TAC 2010 guided task", 2010, r"D10[0-9]{2}-[A-Z]+", "GuidedSumm2010_eval.tgz", *_TAC),
    Collection("tac2011", "TAC 2011 guided task", 2011, r"D11[0-9]{2}-[A-Z]+", "GuidedSumm2011_eval.tgz", *_TAC),
    Collection("tac2014", "TAC 2014", 2014, r"D14[0-9]{2}(?:-[A-Z]+)?", "see the track's page", *_TAC),
    Collection(
        "propsegment",
        "PropSegmEnt",
        2022,
        r"propsegment:[A-Za-z0-9_.]+",
        "document_clusters, propositions and relationships of a split",
        "`pyramid-paraphrase download propsegment`",
        licence="CC BY-SA 3.0 (the texts, which are from Wikipedia)",
        page="https://github.com/google-research-datasets/PropSegmEnt/tree/ea0b57b3afb255553ac2dadaad7e83be8eddbac7/v1",
        attribution="Chen, Buthpitiya, Fabrikant, Roth and Schuster (2023), https://arxiv.org/abs/2212.10750",
    ),
    Collection(
        "superpal",
        "SuperPAL",
        2021,
        r"superpal:[A-Za-z0-9_.]+",
        "dev_MN_only.csv",
        "`pyramid-paraphrase download superpal`",
        licence="MIT (the annotations; the texts are news articles and summaries of Multi-News)",
        page="https://github.com/oriern/SuperPAL/tree/97b3d641e65cc772a3d041f05baa18b135c3940c/manual_datasets",
        attribution="Ernst et al. (2021), https://arxiv.org/abs/2009.00590",
    ),
    Collection(
        "realsumm",
        "REALSumm",
        2020,
        r"cnndm[0-9]+",
        "SCUs.txt, ids.txt, labels and summaries",
        "`pyramid-paraphrase download realsumm`",
        licence="CC BY 4.0 (the annotations; the texts are summaries of articles of CNN and Daily Mail)",
        expected=RecordCounts(100, 1056, 1056, 2500, topics=100),
        marks_unmatched=False,
        page="https://github.com/ZhangShiyue/Lite2-3Pyramid/tree/cfa581a587d5441ee2d84e77c8602c83ec36ffd5/data/REALSumm",
        attribution="Bhandari et al. (2020), https://arxiv.org/abs/2010.07100; Zhang and Bansal (2021), "
        "https://arxiv.org/abs/2109.11503",
    ),
    Collection(
        "rose",
        "RoSE",
        2023,
        r"rose:[a-z.]*[0-9]+",
        "acu-cnndm-test.json, protocol-comparison.json, protocol-comparison-llm.json",
        "`pyramid-paraphrase download rose`",
        licence="BSD 3-Clause (the annotations; the texts are summaries of articles of CNN and Daily Mail)",
        marks_unmatched=False,
        page="https://github.com/Yale-LILY/ROSE/tree/90d70985a1e8ae45c000ce030525fc5abf990d89/docs/_data",
        attribution="Liu et al. (2023), https://arxiv.org/abs/2212.07981",
    ),
    Collection(
        "qapyramid",
        "QAPyramid",
        2025,
        r"qapyramid:[A-Za-z0-9_.]+",
        "QA_presence.json",
        "`pyramid-paraphrase download qapyramid`",
        licence="MIT (the annotations; the units are from references of CNN and Daily Mail)",
        expected=RecordCounts(50, 891, 891, 500, topics=50),
        marks_unmatched=False,
        page="https://github.com/ZhangShiyue/QAPyramid/tree/8efd4982c262df88889c5d35243acfe4eacb51aa/raw_data",
        attribution="Zhang et al. (2025), https://arxiv.org/abs/2412.07096",
    ),
    Collection(
        "summhay",
        "Summary of a Haystack",
        2024,
        r"summhay:[A-Za-z0-9_]+:[A-Za-z0-9_.]+",
        "eval_benchmark_data.json",
        "`pyramid-paraphrase download summhay`",
        licence="Apache 2.0 (the texts are by language models)",
        expected=RecordCounts(29, 195, 195, 200, topics=29),
        marks_unmatched=False,
        page="https://github.com/salesforce/summary-of-a-haystack/tree/43531729bc39fdc301bcc9ff7b26c5e6ce3fbf57/data",
        attribution="Laban, Fabbri, Xiong and Wu (2024), https://arxiv.org/abs/2407.01370",
    ),
    Collection(
        "pyrxsum",
        "PyrXSum",
        2021,
        r"xsum[0-9]+",
        "SCUs.txt, ids.txt, labels and summaries",
        "the folder data/PyrXSum of https://github.com/ZhangShiyue/Lite2-3Pyramid",
        marks_unmatched=False,
        access="from its publisher",
    ),
    Collection(
        "sample",
        "Sample corpus of this project",
        2026,
        r"S[0-9]{4}",
        "part of the package",
        "built in, by the name 'sample'",
        _PUBLIC_DOMAIN,
        expected=RecordCounts(8, 189, 439, 16, topics=8),
        marks_unmatched=True,
        access="built in",
    ),
)

OTHER = Collection("other", "Other pyramids", 0, r".*", "", "yours")
"""The collection of pyramids whose ids match no other collection."""

DOWNLOADABLE = tuple(row for row in COLLECTIONS if row.page)
"""The collections that `pyramid-paraphrase download` can download."""

_ALL = (*COLLECTIONS, OTHER)
COLLECTION_NAMES = tuple(collection.name for collection in _ALL)


class PairCollection(NamedTuple):
    """A corpus of labelled pairs.

    ``digest`` is the digest of its pairs by `formats.pairs.corpora`, or "" if the form of its files identifies the
    corpus, or the digest is not known. ``access`` and ``licence`` are as in `Collection`.
    """

    name: str
    title: str
    obtain: str
    digest: str = ""
    access: str = "from its publisher"
    licence: str = "as agreed with the provider of the pairs"


_PARAPHRASUS = "from https://github.com/Andrian0s/paraphrasus (Michail et al. 2025)"

PAIR_COLLECTIONS = (
    PairCollection(
        "pit2015",
        "SemEval-2015 task 1, Paraphrase and Semantic Similarity in Twitter",
        "train.data, dev.data and test.data from https://github.com/cocoxu/SemEval-PIT2015",
    ),
    PairCollection(
        "msrp",
        "Microsoft Research Paraphrase Corpus",
        "msr_paraphrase_train.txt and msr_paraphrase_test.txt from https://www.microsoft.com/download/details.aspx?id=52398",
        "36c1ccf37b049af22fc23abfda3627968d9e2868f88147a37d1953f39bd6c4e1",
    ),
    PairCollection(
        "twitter-url",
        "Twitter URL paraphrase corpus",
        "a.toks, b.toks and sim.txt by way of https://languagenet.github.io",
        "4146f11836b3f3c64cacc07250dba34f3975f58d8637d89b9c4aef0359b41145",
    ),
    PairCollection(
        "twitter-url-votes",
        "Twitter URL paraphrase corpus with six votes per pair",
        "Twitter_URL_Corpus_train.txt and Twitter_URL_Corpus_test.txt by way of https://languagenet.github.io",
    ),
    PairCollection(
        "paws",
        "PAWS, Paraphrase Adversaries from Word Scrambling",
        "train.tsv, dev.tsv and test.tsv from https://github.com/google-research-datasets/paws",
    ),
    PairCollection(
        "qqp",
        "Quora question pairs",
        "quora_duplicate_questions.tsv of Quora, or train.tsv and dev.tsv of GLUE (https://gluebenchmark.com)",
    ),
    PairCollection("sick", "SICK", "SICK.txt, or the files of SemEval-2014 task 1"),
    PairCollection("sts-b", "STS benchmark", "sts-train.csv, sts-dev.csv and sts-test.csv, or the files of GLUE"),
    PairCollection(
        "multinli", "MultiNLI", "multinli_1.0_dev_matched.jsonl and others from https://cims.nyu.edu/~sbowman/multinli/"
    ),
    PairCollection("snli", "SNLI", "snli_1.0_dev.jsonl and others from https://nlp.stanford.edu/projects/snli/"),
    PairCollection("anli", "Adversarial NLI", "dev.jsonl and others from https://github.com/facebookresearch/anli"),
    PairCollection(
        "paraphrasus-snli",
        "PARAPHRASUS, premises and hypotheses of SNLI",
        f"stannlp-snli-pre-hyp.tsv {_PARAPHRASUS}",
        "2e7c01edaea6e403ca7ce98b669917981c7d9a73847643913eb32b17ab9d7d7c",
    ),
    PairCollection(
        "paraphrasus-anli",
        "PARAPHRASUS, premises and hypotheses of ANLI",
        f"fb-anli-pre-hyp.tsv {_PARAPHRASUS}",
        "71378528351546f325b23dbd53f72b8859f4889c5d0c4070b084d58388193ace",
    ),
    PairCollection(
        "paraphrasus-onestop",
        "PARAPHRASUS, sentences of OneStopEnglish",
        f"onestop_parallel_all_pairs.tsv {_PARAPHRASUS}",
        "d617f1192275e7dd1eb95e35c060036a9c10ea6a71e42aacec72d579dce296cf",
    ),
    PairCollection(
        "paraphrasus-sickr",
        "PARAPHRASUS, graded pairs of SICK",
        f"sickr-sts.tsv {_PARAPHRASUS}",
        "c727ec8ed2b408e3b704251022b5527cebcd67b5a36cfc31b7a1e4c159cd4748",
    ),
    PairCollection(
        "paraphrasus-stsb",
        "PARAPHRASUS, graded pairs of the STS benchmark",
        f"stsbenchmark-test-sts.tsv {_PARAPHRASUS}",
        "f5900846119ec53077f4727053c1bb1add17230b9f069579efa21f716ae8538a",
    ),
)

OBTAINABLE_NAMES = tuple(row.name for row in (*COLLECTIONS, *PAIR_COLLECTIONS))
"""Names of the collections that `how_to_obtain` describes."""
OTHER_PAIRS = PairCollection("other-pairs", "Other pairs", "yours")
"""The corpus of pairs whose digest is not in the table."""

OTHER_PIT = PairCollection("other-pit", "Other pairs in the files of SemEval-2015 task 1", "yours")
"""The corpus of pairs with grades whose test labels differ from the labels of the task."""


@lru_cache(maxsize=1 << 16)
def find_collection(pyramid_id: str) -> Collection:
    """Return the collection of a pyramid by the pyramid's id."""
    return next((row for row in COLLECTIONS if re.fullmatch(row.pattern, pyramid_id)), OTHER)


def topic_of(pyramid: str) -> str:
    """Return the topic number in a pyramid's id: "D0743" for "D0743-A"."""
    return pyramid.split("-", 1)[0]


def documents_of(pyramid: str) -> str:
    """Return the name of the documents of a pyramid, which are in one split of a test that is made from annotations.

    They are those of its topic. Only the subtopics of SummHay share documents: "summhay:news" for "summhay:news:1".
    """
    return ":".join(topic_of(pyramid).split(":")[:2])


def title_of(name: str) -> str:
    """Return the title of a collection, or the name itself if it is unknown."""
    return next((row.title for row in (*_ALL, *PAIR_COLLECTIONS, OTHER_PAIRS, OTHER_PIT) if row.name == name), name)


def licence_of(name: str) -> str:
    """Return the licence of the texts of a collection or of a corpus of pairs, with the page of its terms."""
    for collection in _ALL:
        if collection.name == name:
            return ", ".join(filter(None, (collection.licence, collection.terms)))
    return OTHER_PAIRS.licence


def has_terms(name: str) -> bool:
    """Return whether the licence of a collection's texts has any terms, that is, whether it is not public domain."""
    return licence_of(name) != _PUBLIC_DOMAIN


def describe_license(names: Iterable[str]) -> dict[str, str]:
    """Describe the licences of the texts of collections in the metadata of a card on the Hub.

    A licence with terms is "other", because the Hub's list of licences does not contain the licences of these texts.
    The Hub then requires a name and accepts the address of a page. The address is omitted if the texts are under
    several licences.

    Args:
        names: Names of collections.

    Returns:
        The fields of the metadata, whose names the Hub prescribes.
    """
    restricted = set(filter(has_terms, names))
    if not restricted:
        return {"license": "cc0-1.0"}
    rows = [row for row in _ALL if row.name in restricted]
    if {row.licence for row in rows} == {_NIST}:
        license_name, links = "nist-user-agreement", {row.terms for row in rows}
    else:
        license_name, links = "as-agreed-for-each-collection", {row.page for row in rows}
    fields = {"license": "other", "license_name": license_name}
    if len(links) == 1 and "" not in links:
        fields["license_link"] = links.pop()
    return fields


def how_to_obtain(name: str) -> str:
    """Describe how to obtain the files of a collection or of a corpus of pairs, by its name."""
    for corpus in PAIR_COLLECTIONS:
        if corpus.name == name:
            return f"{corpus.title}: {corpus.obtain}"
    collection = next(row for row in _ALL if row.name == name)
    return f"{collection.title}: {collection.files or 'any files'} ({collection.obtain})"


def find_pair_collection(digest: str) -> str:
    """Return the name of a pair corpus in the table, by the digest of its pairs."""
    return next((row.name for row in PAIR_COLLECTIONS if digest == row.digest), OTHER_PAIRS.name)


SAMPLE_NAME = "sample"
"""The source name of the sample."""

SAMPLE_DIR = Path(__file__).parent / "sample_corpus"
"""The folder of the sample, for ``data_dir``."""

SAMPLE_WARNING = "this is the built-in sample corpus: its scores only show that the program works"
