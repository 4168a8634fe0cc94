"""The catalog of collections: every id of a pyramid belongs to its year, and nothing else does."""

from __future__ import annotations

import re

import pytest

from pyramid_paraphrase.catalog import (
    COLLECTION_NAMES,
    COLLECTIONS,
    DOWNLOADABLE,
    RecordCounts,
    describe_license,
    find_collection,
    find_pair_collection,
    has_terms,
    how_to_obtain,
    licence_of,
    title_of,
)
from pyramid_paraphrase.pyramids.naming import parse_document_name, parse_peer_name

# The ends and the middle of every range of letters and digits. A typing error in a pattern would
# send pyramids of its year to "other" without any message.
IDS = {
    "duc2005": ["D300", "D349", "D359", "D400", "D555", "D699", "D795"],
    "duc2006": ["D0600", "D0605", "D0650", "D0699"],
    "duc2007-main": ["D0700", "D0705", "D0750", "D0799"],
    "duc2007-update": ["D0700-A", "D0705-B", "D0750-M", "D0799-Z", "D0743-ABC"],
    "tac2008": ["D0800-A", "D0805-B", "D0850-M", "D0899-Z", "D0843-AB"],
    "tac2009": ["D0900-A", "D0905-B", "D0950-M", "D0999-Z", "D0943-AB"],
    "tac2010": ["D1000-A", "D1005-B", "D1050-M", "D1099-Z", "D1043-AB"],
    "tac2011": ["D1100-A", "D1105-B", "D1150-M", "D1199-Z", "D1143-AB"],
    "tac2014": ["D1400", "D1405", "D1450", "D1499", "D1400-A", "D1405-M", "D1450-Z", "D1499-AB"],
    "propsegment": ["propsegment:0", "propsegment:12333842741555326106", "propsegment:a.Z_9", "propsegment:Mm5"],
    "superpal": ["superpal:MultiNews_val10", "superpal:a.Z_9"],
    "realsumm": ["cnndm0", "cnndm10586"],
    "rose": ["rose:0", "rose:10500", "rose:xsum.test.12", "rose:cnndm.val.3"],
    "qapyramid": ["qapyramid:0281c649039f", "qapyramid:a.Z_9"],
    "summhay": ["summhay:harbour:s1", "summhay:64aa:A5.b_1"],
    "pyrxsum": ["xsum9", "xsum11138"],
    "sample": ["S0000", "S0001", "S0505", "S5950", "S9999"],
    "other": [
        "", "D", "D299", "D800", "D30", "D3000", "d300", "D3a0",
        "D060", "D06000", "D0600-A", "D070", "D07000", "D0700-", "D0700-a", "D0700-A1", "D0700A", "D0700_A",
        "D0800", "D0900", "D1000", "D1100", "D1200", "D1200-A", "D1300-A", "D1400-", "D1400-a", "D1400A", "D1500",
        "S000", "S00000", "S0001-A", "s0001",
        "propsegment:", "propsegment:1-A", "propsegment:1:A", "propsegment", "PropSegmEnt:1",
        "summhay:", "summhay:a", "summhay:a:", "summhay:a:b-c", "summhay:a:b:c",
        "qapyramid:", "qapyramid:a-b", "rose:", "rose:a", "rose:1-A", "superpal:", "superpal:a b", "superpal:1:A",
        "XD0700", "D0700 ", "cnndm", "cnndm1-A", "xsum", "Xsum1",
    ],
}  # fmt: skip


def test_pyramids_belong_to_their_collection() -> None:
    expected = {pyramid: name for name, ids in IDS.items() for pyramid in ids}
    assert len(expected) == sum(map(len, IDS.values())) > 100
    assert {pyramid: find_collection(pyramid).name for pyramid in expected} == expected


# Names of peer annotations in the forms that NIST's distributions have, year by year.
FILES = [
    ("DUC2005/pans/D324.M.250.I.3.pan", "D324", "", "3", "duc2005", 2005),
    ("DUC2006pyramiddata/allpans/100.D0601.M.250.A.1.pan", "D0601", "100", "1", "duc2006", 2006),
    ("DUC2006pyramiddata/allpans/115.D0631.M.250.E.24.pan", "D0631", "115", "24", "duc2006", 2006),
    ("mainPyramidEval.tar.gz!mainPyramidEval/allpans/D0701.M.250.A.15.pan", "D0701", "", "15", "duc2007-main", 2007),
    ("updateEval/Pyramid/allpans/D0743-A.M.100.J.44.pan", "D0743-A", "", "44", "duc2007-update", 2007),
    ("UpdateSumm08_eval/manual/peers/D0801-A.M.100.A.4", "D0801-A", "", "4", "tac2008", 2008),
    ("UpdateSumm09_eval/manual/peers/D0944-B.M.100.H.55", "D0944-B", "", "55", "tac2009", 2009),
    ("GuidedSumm2010_eval.tgz!manual/peers/D1046-B.M.100.H.43", "D1046-B", "", "43", "tac2010", 2010),
    ("GuidedSumm2011_eval.tgz!manual/peers/D1144-A.M.100.H.50", "D1144-A", "", "50", "tac2011", 2011),
    ("D1401.M.250.A.2.pan", "D1401", "", "2", "tac2014", 2014),
    ("S0101.M.100.A.1.pan", "S0101", "", "1", "sample", 2026),
    ("D1201-A.M.100.A.1", "D1201-A", "", "1", "other", 0),
]


@pytest.mark.parametrize(("file", "pyramid", "annotator", "peer", "name", "year"), FILES)
def test_files_of_peers_tell_their_collection(
    file: str, pyramid: str, annotator: str, peer: str, name: str, year: int
) -> None:
    """From the name of a file over its topic and document set, which make the id of the pyramid, to the year."""
    base_name = re.split("[/!]", file)[-1]
    document = parse_document_name(base_name.removeprefix(f"{annotator}.").removesuffix(".pan"))
    assert document is not None
    topic, document_set, _ = document
    assert "-".join(filter(None, (topic, document_set))) == pyramid
    assert parse_peer_name(file) == (annotator, peer)
    assert (find_collection(pyramid).name, find_collection(pyramid).year) == (name, year)


def test_every_collection_has_ids_here() -> None:
    assert tuple(IDS) == COLLECTION_NAMES


def test_years_are_those_of_the_titles() -> None:
    years = {row.name: row.year for row in COLLECTIONS}
    without_year = ("sample", "propsegment", "superpal", "realsumm", "rose", "qapyramid", "summhay", "pyrxsum")
    own_years = {name: years.pop(name) for name in without_year}
    assert own_years == {
        "sample": 2026,
        "propsegment": 2022,
        "superpal": 2021,
        "realsumm": 2020,
        "rose": 2023,
        "qapyramid": 2025,
        "summhay": 2024,
        "pyrxsum": 2021,
    }
    assert all(str(year) in title_of(name) and str(year) in name for name, year in years.items())
    assert find_collection("none of ours").year == 0


def test_counts_of_complete_collections() -> None:
    """Counts of DUC 2007 are from NIST's archive by `inspect`, the others from their files."""
    expected = {row.name: row.expected for row in COLLECTIONS if row.expected}
    assert expected == {
        "duc2007-main": RecordCounts(23, 1583, 2643, 299, topics=23),
        "realsumm": RecordCounts(100, 1056, 1056, 2500, topics=100),
        "qapyramid": RecordCounts(50, 891, 891, 500, topics=50),
        "summhay": RecordCounts(29, 195, 195, 200, topics=29),
        "sample": RecordCounts(8, 189, 439, 16, topics=8),
    }


def test_collections_whose_annotators_marked_unmatched_text() -> None:
    """The archives of NIST: since DUC 2006 most annotations lack it. Labels of SCUs mark no text. Our sample has it."""
    marks = {row.name: row.marks_unmatched for row in COLLECTIONS if row.marks_unmatched is not None}
    names = ("duc2006", "duc2007-main", "duc2007-update", "realsumm", "rose", "qapyramid", "summhay", "pyrxsum")
    assert marks == {"duc2005": True, "sample": True} | dict.fromkeys(names, False)


def test_titles() -> None:
    assert title_of("tac2008") == "TAC 2008 update task"
    assert title_of("other-pairs") == "Other pairs"
    assert title_of("msrp") == "Microsoft Research Paraphrase Corpus"
    assert title_of("unheard-of") == "unheard-of"


def test_how_to_obtain_files() -> None:
    assert how_to_obtain("duc2007-main").startswith("DUC 2007 main task: mainPyramidEval.tar.gz (DUC data: sign NIST's")
    assert how_to_obtain("other") == "Other pyramids: any files (yours)"
    assert how_to_obtain("msrp").startswith("Microsoft Research Paraphrase Corpus: msr_paraphrase_train.txt and msr_")


def test_collections_that_can_be_downloaded() -> None:
    """A commit is named in full, because a branch or a short id can change its meaning."""
    names = ["propsegment", "superpal", "realsumm", "rose", "qapyramid", "summhay"]
    assert [collection.name for collection in DOWNLOADABLE] == names
    for collection in DOWNLOADABLE:
        assert re.fullmatch(r"https://github\.com/[\w-]+/[\w-]+/tree/[0-9a-f]{40}/[\w/]+", collection.page)
        assert collection.licence.startswith(("CC BY", "MIT", "BSD", "Apache"))
        assert "https://arxiv.org/abs/" in collection.attribution
        assert how_to_obtain(collection.name).endswith(f"(`pyramid-paraphrase download {collection.name}`)")


def test_pair_corpora_are_known_by_their_digest() -> None:
    msrp = "36c1ccf37b049af22fc23abfda3627968d9e2868f88147a37d1953f39bd6c4e1"
    assert find_pair_collection(msrp) == "msrp"
    assert find_pair_collection("0" * 64) == "other-pairs"


def test_licences_say_whether_texts_may_be_passed_on() -> None:
    """Pair corpora are in no collection, and once had no licence."""
    assert licence_of("msrp") == licence_of("other-pairs") == "as agreed with the provider of the pairs"
    assert [name for name in (*COLLECTION_NAMES, "pit2015") if not has_terms(name)] == ["sample"]


@pytest.mark.parametrize(
    ("names", "fields"),
    [
        (["sample"], ["cc0-1.0"]),
        (["sample", "duc2007-main"], ["other", "nist-user-agreement", "https://duc.nist.gov/data.html"]),
        (["duc2006", "tac2008"], ["other", "nist-user-agreement"]),
        (["duc2006", "superpal"], ["other", "as-agreed-for-each-collection"]),
        (["other"], ["other", "as-agreed-for-each-collection"]),
    ],
)
def test_licences_are_described_as_the_hub_asks(names: list[str], fields: list[str]) -> None:
    """For "other", it asks for a name and an address, https://huggingface.co/docs/hub/repositories-licenses."""
    keys = ("license", "license_name", "license_link")
    assert describe_license(names) == dict(zip(keys, fields, strict=False))
    assert describe_license(["superpal"])["license_link"].startswith("https://github.com/oriern/SuperPAL/tree/")
