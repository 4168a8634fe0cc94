"""PropSegmEnt as pyramids: outcomes of all propositions and relations, and errors for wrong files."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.aligned_corpora import (
    BOATS_A,
    BOATS_B,
    ENTAILS,
    FILE_NAMES,
    HARBOUR,
    NEITHER,
    Documents,
    Mark,
    PropSegment,
    Response,
    list_texts,
    make_cluster,
    make_harbour,
    make_relationship,
    make_segmentation,
    require_offsets,
)
from helpers.annotations import PYRAMID, tar
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from pyramid_paraphrase.catalog import find_collection
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.formats import propsegment
from pyramid_paraphrase.formats.segments import (
    Document,
    Segment,
    build_pyramid,
    find_same,
    make_masks,
)
from pyramid_paraphrase.pyramids.corpus import count_kinds
from pyramid_paraphrase.pyramids.records import CONTRADICTS, OVERLAPS, Relation
from pyramid_paraphrase.pyramids.records import ENTAILS as SCU_ENTAILS
from pyramid_paraphrase.reading import read_corpus


def shuffle_entries(folder: Path) -> None:
    generator = random.Random(5)
    for path in folder.iterdir():
        entries = json.loads(path.read_text())
        generator.shuffle(entries)
        path.write_text(json.dumps(entries))


def compress_files(folder: Path) -> None:
    for path in list(folder.iterdir()):
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()


def pack_files(folder: Path) -> None:
    members = {f"v1/{path.name}": path.read_bytes() for path in folder.iterdir()}
    for path in list(folder.iterdir()):
        path.unlink()
    (folder / "v1.tar.gz").write_bytes(tar(members))


def repeat_files(folder: Path) -> None:
    make_harbour().write(folder / "copy")


def add_a_part(folder: Path) -> None:
    harbour = make_harbour()
    PropSegment(harbour.clusters, harbour.propositions[:3], harbour.relationships[:4]).write(folder, "all")


PACKINGS = {
    "order": shuffle_entries,
    "gzip": compress_files,
    "archive": pack_files,
    "repeated": repeat_files,
    "splits": add_a_part,
}


class TestPropSegment:
    def test_a_cluster_is_a_pyramid(self, tmp_path: Path) -> None:
        corpus = read_corpus(make_harbour().write(tmp_path))
        (pyramid,) = corpus.pyramids
        assert (pyramid.id, pyramid.topic, pyramid.sets) == ("propsegment:17", "propsegment:17", ())
        assert find_collection(pyramid.id).name == "propsegment"
        assert [summary.summarizer for summary in pyramid.summaries] == ["a", "b"]
        assert list_texts(pyramid) == [
            ["old harbour of Tarn froze in March"],
            ["harbour of Tarn froze in March", "In March ice closed the harbour of Tarn"],
            ["Six boats sank there", "Half a dozen boats went down"],
            ["a pilot drowned"],
            ["No pilot drowned"],
        ]
        assert [(scu.uid, scu.label, scu.weight) for scu in pyramid.scus] == [
            ("1", "", 1), ("2", "", 2), ("3", "", 2), ("4", "", 1), ("7", "", 1),
        ]  # fmt: skip
        assert pyramid.relations == (
            Relation(CONTRADICTS, "7", "4", False),
            Relation(SCU_ENTAILS, "1", "2", True),
            Relation(SCU_ENTAILS, "2", "1", False),
            Relation(OVERLAPS, "1", "2", False),
        )
        require_offsets(corpus)

    def test_everything_that_was_read_is_accounted_for(self, tmp_path: Path) -> None:
        """7 of 11 propositions are used. One of 7 relations with text names a premise that is not a proposition."""
        corpus = read_corpus(make_harbour().write(tmp_path))
        accounts = corpus.accounts
        assert (accounts.files_read, accounts.files_used, accounts.files_left_out) == (3, 3, 0)
        assert (accounts.scus_read, accounts.scus_used) == (5, 5)
        assert (accounts.contributors_read, accounts.contributors_used, accounts.contributors_left_out) == (11, 7, 4)
        assert (accounts.relations_read, accounts.relations_used, accounts.relations_left_out) == (8, 7, 1)
        assert count_kinds(corpus.problems) == {
            "not-compared": 1,
            "not-reference": 1,
            "premise-left-out": 1,
            "relation-without-text": 1,
            "without-text": 2,
        }
        assert {(problem.line, problem.message) for problem in corpus.problems} == {
            (0, "1 in cluster 17"),
            (0, "1 in cluster 18"),
            (0, "2 in cluster 18"),
        }

    @pytest.mark.parametrize(
        ("responses", "merged"),
        [
            ([(ENTAILS, BOATS_B)] * 2 + [(NEITHER, None)], True),
            ([(NEITHER, None)] + [(ENTAILS, BOATS_B)] * 2, True),
            ([(ENTAILS, BOATS_B)] + [(NEITHER, None)] * 2, False),
            ([(ENTAILS, BOATS_B)] * 2 + [(NEITHER, None)] * 2, False),
            ([(ENTAILS, BOATS_B), (ENTAILS, None), (NEITHER, None)], True),
            ([(ENTAILS, None)] * 3, False),
        ],
    )
    def test_most_raters_decide(self, tmp_path: Path, responses: list[Response], merged: bool) -> None:
        """More than half must find an entailment, and one of them must name the premise."""
        harbour = make_harbour()
        harbour.relationships[2] = make_relationship("17", HARBOUR, BOATS_A, "b", responses)
        (pyramid,) = read_corpus(harbour.write(tmp_path)).pyramids
        assert (["Six boats sank there", "Half a dozen boats went down"] in list_texts(pyramid)) == merged

    def test_responses_in_several_entries_are_counted_together(self, tmp_path: Path) -> None:
        """Three of six find an entailment: not more than half."""
        harbour = make_harbour()
        harbour.relationships.append(make_relationship("17", HARBOUR, BOATS_A, "b", [(NEITHER, None)] * 3))
        corpus = read_corpus(harbour.write(tmp_path))
        assert ["Six boats sank there"] in list_texts(corpus.pyramids[0])
        assert corpus.accounts.relations_used == 8

    def test_a_premise_that_is_nearly_a_proposition_stands_for_it(self, tmp_path: Path) -> None:
        """24 of 28 characters are common."""
        harbour = make_harbour()
        nearly = Mark("b", 1, "dozen boats went down")
        responses = [(ENTAILS, nearly)] * 3
        harbour.relationships[2] = make_relationship("17", HARBOUR, BOATS_A, "b", responses)
        corpus = read_corpus(harbour.write(tmp_path))
        assert ["Six boats sank there", "Half a dozen boats went down"] in list_texts(corpus.pyramids[0])
        assert count_kinds(corpus.problems)["premise-replaced"] == 3

    def test_a_judged_proposition_of_another_rater_is_used(self, tmp_path: Path) -> None:
        harbour = make_harbour()
        judged = Mark("a", 0, "harbour froze")
        harbour.relationships.append(make_relationship("17", HARBOUR, judged, "b", [(NEITHER, None)]))
        corpus = read_corpus(harbour.write(tmp_path))
        assert ["harbour froze"] in list_texts(corpus.pyramids[0])
        assert "not-reference" not in count_kinds(corpus.problems)

    def test_a_cluster_without_relations_is_left_out(self, tmp_path: Path) -> None:
        harbour = make_harbour()
        harbour.clusters.append(make_cluster("19", HARBOUR))
        harbour.propositions.append(make_segmentation("19", HARBOUR, (BOATS_A,)))
        corpus = read_corpus(harbour.write(tmp_path))
        assert [pyramid.id for pyramid in corpus.pyramids] == ["propsegment:17"]
        assert count_kinds(corpus.problems)["not-compared"] == 2

    @pytest.mark.parametrize("packing", PACKINGS)
    def test_packing_and_order_change_nothing(self, tmp_path: Path, packing: str) -> None:
        expected = read_corpus(make_harbour().write(tmp_path / "expected"))
        folder = tmp_path / "other"
        make_harbour().write(folder)
        PACKINGS[packing](folder)
        corpus = read_corpus(folder)
        assert corpus.pyramids == expected.pyramids
        assert count_kinds(corpus.problems) == count_kinds(expected.problems)
        assert (corpus.digest == expected.digest) == (packing in ("gzip", "archive"))
        accounts = corpus.accounts
        assert accounts.files_read == accounts.files_used + accounts.files_repeated
        assert accounts.files_repeated == {"repeated": 3, "splits": 1}.get(packing, 0)

    def test_pyramids_of_ducview_can_lie_beside(self, tmp_path: Path) -> None:
        make_harbour().write(tmp_path)
        (tmp_path / "x.pyr").write_bytes(PYRAMID)
        (tmp_path / "names.json").write_text('{"documents": 1}')
        corpus = read_corpus(tmp_path)
        assert [pyramid.id for pyramid in corpus.pyramids] == ["D0901-A", "propsegment:17"]
        assert (corpus.accounts.files_used, corpus.accounts.other_files) == (4, 1)


@pytest.mark.parametrize(("gap", "is_recognized"), [(2046, True), (2047, False)])
def test_files_are_recognized_by_their_first_two_kibibytes(tmp_path: Path, gap: int, is_recognized: bool) -> None:
    """The last byte of the mark is the 2,048th or the next one."""
    make_harbour().write(tmp_path)
    mark = b'"premise_document_id"'
    (tmp_path / "relationships.dev.json").write_bytes(b"[" + b" " * (gap - len(mark)) + b"{" + mark + b": 1}]")
    recognized = "relationships.dev.json: ... pyramid-paraphrase download propsegment"
    message = recognized if is_recognized else "document_clusters.dev.json: ... relationships ... three files"
    with pytest.raises(InputError, match=mentions(message)):
        read_corpus(tmp_path)


def change(entries: list[Any], *path: str | int, value: object) -> None:
    """Set a value within nested lists and objects."""
    *outer, last = path
    node: Any = entries
    for key in outer:
        node = node[key]
    node[last] = value


WRONG_ENTRIES: dict[str, tuple[Callable[[PropSegment], None], str]] = {
    "an unknown status": (
        lambda files: change(
            files.relationships, 0, "relationship_responses", 0, "relationship", value="RELATIONSHIP_PERHAPS"
        ),
        "relationships.dev.json: ... 'RELATIONSHIP_PERHAPS' ... pyramid-paraphrase download propsegment",
    ),
    "a missing field": (
        lambda files: change(files.propositions, 1, value={"segmentation_responses": []}),
        "propositions.dev.json: ... missing required field `sentence_id` - at `$[1]` ... download propsegment",
    ),
    "a negative index": (
        lambda files: change(files.propositions, 0, "sentence_id", "sentence_index", value=-1),
        "propositions.dev.json: ... >= 0 - at `$[0].sentence_id.sentence_index` ... download propsegment",
    ),
    "an id with a line break": (
        lambda files: change(files.clusters, 0, "cluster_id", value="17\n"),
        "document_clusters.dev.json: ... at `$[0].cluster_id` ... pyramid-paraphrase download propsegment",
    ),
    "a proposition without tokens": (
        lambda files: change(
            files.propositions, 0, "segmentation_responses", 0, "propositions", 0, "token_indices", value=[]
        ),
        "propositions.dev.json: ... length >= 1 ... pyramid-paraphrase download propsegment",
    ),
    "no such token": (
        lambda files: change(
            files.propositions, 0, "segmentation_responses", 0, "propositions", 0, "token_indices", value=[99]
        ),
        "document_clusters.dev.json: cluster 17 ... token 99 in sentence 0 of document a. ... release",
    ),
    "the token after the last": (
        lambda files: change(
            files.propositions, 0, "segmentation_responses", 0, "propositions", 0, "token_indices", value=[9]
        ),
        "document_clusters.dev.json: cluster 17 ... token 9 in sentence 0 of document a. ... release",
    ),
    "the sentence after the last": (
        lambda files: change(files.propositions, 0, "sentence_id", "sentence_index", value=2),
        "document_clusters.dev.json: cluster 17 ... sentence 2 in document a. ... release",
    ),
    "the highest index": (
        lambda files: change(files.propositions, 0, "sentence_id", "sentence_index", value=(1 << 31) - 1),
        "document_clusters.dev.json: cluster 17 ... sentence 2147483647 in document a. ... release",
    ),
    "a higher index": (
        lambda files: change(files.propositions, 0, "sentence_id", "sentence_index", value=1 << 31),
        "propositions.dev.json: ... `int` <= 2147483647 ... pyramid-paraphrase download propsegment",
    ),
    "no such sentence": (
        lambda files: change(files.propositions, 0, "sentence_id", "sentence_index", value=9),
        "document_clusters.dev.json: cluster 17 ... sentence 9 in document a. ... release",
    ),
    "a token elsewhere": (
        lambda files: change(
            files.clusters, 0, "documents", 0, "sentences", 0, "tokens", 2,
            "character_offset_of_token_in_sentence", value=1,
        ),
        "document_clusters.dev.json: cluster 17 ... token 2 ... offset 1 ... release",
    ),
    "tokens that overlap": (
        lambda files: change(
            files.clusters, 0, "documents", 0, "sentences", 0, "tokens", 3,
            value={"text": "harbour of", "character_offset_of_token_in_sentence": 8},
        ),
        "document_clusters.dev.json: cluster 17 ... token 3 ... overlaps ... release",
    ),
    "a sentence that is not in its document": (
        lambda files: change(files.clusters, 0, "documents", 0, "document", value="Something else."),
        "document_clusters.dev.json: cluster 17 ... sentence 0 ... text ... document a. ... release",
    ),
    "a token without text": (
        lambda files: change(
            files.clusters, 0, "documents", 0, "sentences", 0, "tokens", 2,
            value={"text": " ", "character_offset_of_token_in_sentence": 3},
        ),
        "document_clusters.dev.json: cluster 17 ... token 2 ... offset 3 ... release",
    ),
    "a cluster twice": (
        lambda files: files.clusters.append(make_cluster("17", {"a": HARBOUR["c"]})),
        "document_clusters.dev.json: ... cluster 17 more than once. ... three files",
    ),
    "a document twice": (
        lambda files: change(files.clusters, 0, "documents", 2, "document_id", value="a"),
        "document_clusters.dev.json: cluster 17 ... two documents ... a. ... release",
    ),
    "a surrogate": (
        lambda files: change(files.clusters, 0, "documents", 0, "document", value="\ud800"),
        "document_clusters.dev.json: ... PropSegmEnt ... pyramid-paraphrase download propsegment",
    ),
    "a compared document that is missing": (
        lambda files: change(files.relationships, 0, "premise_document_id", value="d"),
        "document_clusters.dev.json: cluster 17 ... document d, ... release",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_ENTRIES)
def test_wrong_entries_are_refused(tmp_path: Path, name: str) -> None:
    spoil, message = WRONG_ENTRIES[name]
    harbour = make_harbour()
    spoil(harbour)
    with pytest.raises(InputError, match=mentions(message)):
        read_corpus(harbour.write(tmp_path))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'[{"premise_document_id": "b", ', "truncated"),
        (b'[{"premise_document_id": ' + b"[" * 100_000, "`str`, got `array` - at ... premise_document_id"),
        (b'[{"premise_document_id": "b", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]", "recursion"),
        (b'{"premise_document_id": "b"}', "`array`, got `object`"),
        (b'[{"premise_document_id": "\xff"}]', "utf-8"),
    ],
)
def test_files_that_are_no_json_of_the_format(tmp_path: Path, data: bytes, message: str) -> None:
    make_harbour().write(tmp_path)
    (tmp_path / "relationships.dev.json").write_bytes(data)
    with pytest.raises(InputError, match=mentions(f"relationships.dev.json: ... {message} ... download propsegment")):
        read_corpus(tmp_path)


def test_a_byte_order_mark_is_no_difference(tmp_path: Path) -> None:
    expected = read_corpus(make_harbour().write(tmp_path / "expected"))
    folder = make_harbour().write(tmp_path / "other")
    path = folder / "propositions.dev.json"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_corpus(folder).pyramids == expected.pyramids


@pytest.mark.parametrize("name", FILE_NAMES)
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = make_harbour().write(tmp_path)
    (folder / name.format("dev")).unlink()
    title = {"document_clusters.{}.json": "document clusters"}.get(name, name.split(".")[0])
    (first, _) = sorted(path.name for path in folder.iterdir())
    with pytest.raises(InputError, match=mentions(f"{first}: ... {title}. ... three files")):
        read_corpus(folder)


def test_files_that_contradict_each_other(tmp_path: Path) -> None:
    make_harbour().write(tmp_path)
    changed = make_harbour()
    changed.propositions[1] = make_segmentation("17", HARBOUR, (BOATS_A,))
    changed.write(tmp_path, "train")
    message = (
        "propositions.train.json: ... propositions.dev.json ... cluster 17, document a, sentence 1. ... three files"
    )
    with pytest.raises(InputError, match=mentions(message)):
        read_corpus(tmp_path)


def test_clusters_that_contradict_each_other(tmp_path: Path) -> None:
    make_harbour().write(tmp_path)
    changed = make_harbour()
    changed.clusters[0] = make_cluster("17", {**HARBOUR, "c": HARBOUR["b"]})
    changed.write(tmp_path, "train")
    with pytest.raises(
        InputError,
        match=mentions("document_clusters.train.json: ... document_clusters.dev.json ... cluster 17. ... three files"),
    ):
        read_corpus(tmp_path)


def rename_cluster(cluster_id: str) -> PropSegment:
    """Give the cluster of the harbour another id in all files."""
    return PropSegment(
        *(json.loads(json.dumps(part).replace('"17"', json.dumps(cluster_id))) for part in make_harbour())
    )


def test_ids_are_letters_digits_underscores_and_full_stops(tmp_path: Path) -> None:
    longest = "AKaz09_." * 5
    corpus = read_corpus(rename_cluster(longest).write(tmp_path))
    assert [pyramid.id for pyramid in corpus.pyramids] == [f"propsegment:{longest}"]
    for number, cluster_id in enumerate(("", f"{longest}x", "-17", " 17", "1-7", "1:7", "1 7", "\u00e9", "17\n")):
        folder = rename_cluster(cluster_id).write(tmp_path / str(number))
        with pytest.raises(
            InputError,
            match=mentions("document_clusters.dev.json: ... cluster_id ... pyramid-paraphrase download propsegment"),
        ):
            read_corpus(folder)


def test_a_segmentation_that_does_not_say_so_is_no_reference(tmp_path: Path) -> None:
    harbour = make_harbour()
    response: dict[str, Any] = harbour.propositions[0]["segmentation_responses"][1]  # type: ignore[index]
    del response["is_reference_response"]
    corpus = read_corpus(harbour.write(tmp_path))
    assert count_kinds(corpus.problems)["not-reference"] == 1


def test_tokens_that_follow_each_other_are_one_part(tmp_path: Path) -> None:
    """Neighbouring tokens are one span even without a space between them, as before a full stop."""
    harbour = make_harbour()
    harbour.propositions[1] = make_segmentation("17", HARBOUR, (BOATS_A, Mark("a", 1, "Six pilot drowned .")))
    del harbour.relationships[3]
    (pyramid,) = read_corpus(harbour.write(tmp_path)).pyramids
    contributors = [contributor for scu in pyramid.scus for contributor in scu.contributors]
    (contributor,) = (contributor for contributor in contributors if contributor.text.endswith("drowned."))
    assert [part.text for part in contributor.parts] == ["Six", "pilot drowned."]


def test_judgements_of_a_hypothesis_have_no_order(tmp_path: Path) -> None:
    """Some hypotheses are judged in several entries. Files with them in another order do not contradict each other."""
    harbour = make_harbour()
    harbour.relationships.append(make_relationship("17", HARBOUR, BOATS_A, "b", [(NEITHER, None)]))
    harbour.write(tmp_path)
    harbour.relationships.reverse()
    expected = read_corpus(tmp_path)
    harbour.write(tmp_path, "train")
    corpus = read_corpus(tmp_path)
    assert corpus.pyramids == expected.pyramids
    assert (corpus.accounts.relations_read, corpus.accounts.files_used) == (9, 4)


def test_a_damaged_gzip_file_is_refused(tmp_path: Path) -> None:
    path = make_harbour().write(tmp_path) / "propositions.dev.json"
    (tmp_path / "propositions.dev.json.gz").write_bytes(gzip.compress(path.read_bytes())[:-20])
    path.unlink()
    with pytest.raises(InputError, match=mentions("document_clusters.dev.json: ... propositions. ... three files")):
        read_corpus(tmp_path)
    with pytest.raises(InputError, match=mentions("propositions.dev.json.gz: ... damaged")):
        read_corpus(*sorted(tmp_path.iterdir()))


def test_propositions_of_a_sentence_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_harbour().write(tmp_path)
    monkeypatch.setattr(limits, "MAX_SENTENCE_PROPOSITIONS", 2)
    read_corpus(folder)
    monkeypatch.setattr(limits, "MAX_SENTENCE_PROPOSITIONS", 1)
    message = "document_clusters.dev.json, propsegment:17, sentence 1 of document a: ... 1 propositions ... Remove"
    with pytest.raises(LimitError, match=mentions(message)):
        read_corpus(folder)


@pytest.mark.parametrize(
    ("name", "enough", "message"),
    [
        ("MAX_TEXT_CHARACTERS", 184, "document_clusters.dev.json, propsegment:17: ... 183 characters ... Remove"),
        ("MAX_CONTRIBUTORS", 7, "document_clusters.dev.json, propsegment:17: ... 6 propositions ... Remove"),
        (
            "MAX_SENTENCE_CHARACTERS",
            42,
            "document_clusters.dev.json, propsegment:17, sentence 2 of document a: ... 41 characters ... Remove",
        ),
        ("MAX_RELATIONS", 4, "document_clusters.dev.json: ... 3 relations ... corpus"),
    ],
)
def test_the_size_of_a_cluster_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, enough: int, message: str
) -> None:
    """The cluster of the harbour has 7 propositions and 4 relations; its text has 184 characters, its longest
    sentence 42."""
    folder = make_harbour().write(tmp_path)
    monkeypatch.setattr(limits, name, enough)
    read_corpus(folder)
    monkeypatch.setattr(limits, name, enough - 1)
    with pytest.raises(LimitError, match=mentions(message)):
        read_corpus(folder)


def test_relations_are_counted_over_all_clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = make_harbour("17"), make_harbour("19")
    joined_files = [file + other_file for file, other_file in zip(first, second, strict=True)]
    folder = PropSegment(*joined_files).write(tmp_path)
    monkeypatch.setattr(limits, "MAX_RELATIONS", 7)
    with pytest.raises(LimitError, match=mentions("document_clusters.dev.json: ... 7 relations ... corpus")):
        read_corpus(folder)


def test_large_clusters_are_refused_before_premises_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comparing thousands of premises with thousands of propositions of one sentence would take minutes."""
    monkeypatch.setattr(propsegment, "find_same", None)
    monkeypatch.setattr(limits, "MAX_CONTRIBUTORS", 6)
    with pytest.raises(
        LimitError, match=mentions("document_clusters.dev.json, propsegment:17: ... 6 propositions ... Remove")
    ):
        read_corpus(make_harbour().write(tmp_path))


Spans = tuple[tuple[int, int], ...]


def segment(*spans: tuple[int, int]) -> Segment:
    return Segment(0, 0, spans)


def test_nearly_the_same_text_is_two_thirds() -> None:
    """Characters in both and in either: 2 of 3 are enough, 199 of 300 are not."""
    assert find_same(segment((0, 3)), make_masks([segment((0, 2))])) == segment((0, 2))
    assert find_same(segment((0, 300)), make_masks([segment((0, 199))])) is None
    assert find_same(segment((0, 2), (5, 7)), make_masks([segment((0, 7))])) is None
    assert find_same(segment((0, 9)), {}) is None
    # The share of the second segment is higher. The third segment equals the second.
    candidates = [segment((0, 7)), segment((0, 8)), segment((1, 9))]
    assert find_same(segment((0, 9)), make_masks(candidates)) == segment((0, 8))


@pytest.mark.parametrize(
    ("first", "second", "overlap"),
    [
        (((0, 10),), ((3, 5),), True),  # contained
        (((0, 10),), ((0, 10), (12, 14)), True),  # contained, though not the first
        (((0, 4),), ((1, 5),), False),  # 3 of 5
        (((0, 5),), ((1, 6),), True),  # 4 of 6
        (((0, 4),), ((5, 9),), False),
    ],
)
def test_overlapping_propositions_are_related(first: Spans, second: Spans, overlap: bool) -> None:
    document = Document("x", "a" * 20, ((0, "a" * 20),))
    pyramid = build_pyramid("propsegment:1", "x", [document], [Segment(0, 0, first), Segment(0, 0, second)], [])
    assert pyramid.relations == ((Relation(OVERLAPS, "1", "2", False),) if overlap else ())


def test_propositions_of_different_sentences_do_not_overlap() -> None:
    document = Document("x", "a" * 20, ((0, "a" * 10), (10, "a" * 10)))
    segments = [Segment(0, 0, ((0, 4),)), Segment(0, 1, ((0, 4),))]
    pyramid = build_pyramid("propsegment:1", "x", [document], segments, [])
    assert pyramid.relations == ()


words = st.lists(st.sampled_from(["ice", "tarn", "boat", "sank", "froze", "élan"]), min_size=2, max_size=6)


@given(st.lists(words, min_size=2, max_size=4), st.data())
def test_any_propositions_keep_their_offsets(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[list[str]], data: st.DataObject
) -> None:
    """Whatever is marked, accounts add up and every part is the text at its offsets."""
    documents: Documents = {"a": [" ".join(sentence) for sentence in sentences], "b": ["ice sank the boat"]}
    marks = []
    for number, sentence in enumerate(sentences):
        chosen = data.draw(st.sets(st.integers(0, len(sentence) - 1), min_size=1))
        marks.append((number, sorted(chosen)))
    segmentations: list[Any] = []
    for number, tokens in marks:
        place = {"cluster_id": "1", "document_id": "a", "sentence_index": number}
        response = {"is_reference_response": data.draw(st.booleans()), "propositions": [{"token_indices": tokens}]}
        segmentations.append({"sentence_id": place, "segmentation_responses": [response]})
    judged = make_relationship("1", documents, Mark("b", 0, "ice sank"), "a", [(NEITHER, None)])
    folder = tmp_path_factory.mktemp("any")
    corpus = read_corpus(PropSegment([make_cluster("1", documents)], segmentations, [judged]).write(folder))
    require_offsets(corpus)
    accounts = corpus.accounts
    assert accounts.contributors_read == len(marks) + 1
    assert accounts.contributors_read == accounts.contributors_used + accounts.contributors_left_out
    assert accounts.contributors_left_out == count_kinds(corpus.problems).get("not-reference", 0)
