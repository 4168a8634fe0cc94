"""Pyramid scores, by hand on a small pyramid and row by row on the published ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.annotations import PEER, PEER_NAME, parse_file
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from harness.rendering.inspection import render_scores
from pyramid_paraphrase.errors import EmptyResultError, InputError
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.pyramid_scores import (
    DucviewScore,
    PeerScore,
    PeerScores,
    average_by_system,
    average_scus,
    compare_with_official,
    find_inflated,
    parse_official,
    score_peer,
    score_peers,
)
from pyramid_paraphrase.pyramids.records import PeerAnnotation, PeerScu, Problem, Pyramid, Scu, Summary
from pyramid_paraphrase.pyramids.sources import SourceFile


def test_by_hand() -> None:
    """Weights 3 and 2. The peer matches the first twice and has one contributor of its own.

    Reached 3; it expresses 3, best 3 + 2 = 5: original 3/5. Models have 5 contributors in 3 summaries: 1.67, so 2;
    best of 2 is 5: modified 3/5. One SCU, one repetition.
    """
    annotation = parse_file(PEER, PEER_NAME).annotation
    assert annotation is not None
    assert score_peer(annotation) == PeerScore("D0901-A", "7", "", 0.6, 0.6, 1, 1)


def pyramid_of(weights: list[int], models: int) -> Pyramid:
    contributor = parse_file(PEER, PEER_NAME).reading.pyramid.scus[0].contributors[0]
    scus = tuple(Scu(str(uid), "", (contributor,) * weight) for uid, weight in enumerate(weights, 1))
    return Pyramid("D1", "D1", (), "", (Summary("d", "A", 0, 1),) * models, scus)


@pytest.mark.parametrize(
    ("weights", "models", "rounded"), [([4, 3, 3], 4, 3), ([4, 2], 4, 2), ([3, 2], 4, 1), ([1], 4, 0)]
)
def test_the_average_is_rounded_half_up(weights: list[int], models: int, rounded: int) -> None:
    assert average_scus(pyramid_of(weights, models)) == rounded


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.data())
def test_scores_are_bounded_and_all_matched_is_best(weights: list[int], data: st.DataObject) -> None:
    pyramid = pyramid_of(weights, 4)
    matched = data.draw(st.sets(st.sampled_from([scu.uid for scu in pyramid.scus])))
    contributor = pyramid.scus[0].contributors[0]
    scus = tuple(PeerScu(uid, weights[int(uid) - 1], (contributor,)) for uid in sorted(matched))
    score = score_peer(PeerAnnotation("1", "", pyramid, "", scus))
    assert 0 <= score.original <= 1
    assert (score.scus, score.repetitions) == (len(matched), 0)
    everything = tuple(PeerScu(scu.uid, len(scu.contributors), (contributor,)) for scu in pyramid.scus)
    assert score_peer(PeerAnnotation("1", "", pyramid, "", everything)).original == 1


@pytest.mark.parametrize("uid", ["77", "2"])
def test_scus_with_a_foreign_uid_weigh_as_their_label_says(uid: str) -> None:
    data = PEER.replace(b'<peerscu uid="1"', f'<peerscu uid="{uid}"'.encode())
    annotation = parse_file(data, PEER_NAME).annotation
    assert annotation is not None
    assert score_peer(annotation).original == 0.6


def test_systems_are_averaged() -> None:
    scores = [PeerScore("D1", "1", "", 0.5, 0.1, 1, 0), PeerScore("D2", "1", "", 0.7, 0.2, 1, 0)]
    scores.append(PeerScore("D1", "2", "", 0.1, 0.9, 1, 0))
    systems = [(peer, summaries, round(modified, 6)) for peer, summaries, _, modified in average_by_system(scores)]
    assert systems == [("2", 1, 0.9), ("1", 2, 0.15)]


def test_peers_with_zeros_before_their_numbers_are_averaged_with_the_others() -> None:
    """Topic D0647 of DUC 2006 has peers 01 to 09, so the means of six systems lacked a topic. 0.6 is right for it."""
    annotation = parse_file(PEER, PEER_NAME).annotation
    assert annotation is not None
    names = (("D1", "7"), ("D2", "07"), ("D1", "10"), ("D2", "7"))
    pyramid = annotation.pyramid
    peers = [replace(annotation, peer=peer, pyramid=replace(pyramid, id=topic)) for topic, peer in names]
    scores = score_peers(peers[:3])
    assert [(score.pyramid, score.peer) for score in scores] == [("D1", "7"), ("D1", "10"), ("D2", "7")]
    assert [(peer, summaries) for peer, summaries, *_ in average_by_system(scores)] == [("7", 2), ("10", 1)]
    assert {score.peer for score in score_peers(peers)} == {"7", "07", "10"}  # two peers of D2
    official = parse_official(SourceFile("t.txt", b"D1 07 0.6 1 1\nD2 007 0.6 1 1\n"))
    assert compare_with_official(scores, official) == []


def test_no_peers() -> None:
    with pytest.raises(EmptyResultError, match=mentions("(.pan) ... peer annotations")):
        score_peers([])


def test_peers_that_were_left_out_are_named() -> None:
    """The message asked for peer annotations although there was one that could not be read."""
    problems = [
        Problem("x.pyr", 7, "part-moved", "", "moved"),
        Problem("x.pan", 3, "file-rejected", "", "is damaged"),
        Problem("y.pan", 5, "file-rejected", "", "is empty"),
    ]
    with pytest.raises(EmptyResultError, match=mentions("(.pan) ... left out, x.pan, line 3: is damaged. Correct")):
        score_peers([], problems)


def test_original_scores_are_inflated_where_unmatched_text_is_left_out(real: Corpus) -> None:
    """The original score was shown for DUC 2007, although most annotations do not mark the text that it counts."""
    assert find_inflated(real.annotations) == {"duc2007-main"}
    scores = score_peers(real.annotations)
    table = render_scores(scores[:40], find_inflated(real.annotations))
    assert "not shown for duc2007-main" in table
    rows = [line.split() for line in table.splitlines() if line.startswith("D07")]
    assert len(rows) == 40
    assert {row[-4] for row in rows} == {"-"}


@pytest.mark.parametrize(
    ("pyramid_id", "uid", "expected"),
    [
        ("D301", "1", set()),  # DUC 2005: its row says so, even for a summary that matches completely
        ("D0601", "0", {"duc2006"}),
        ("D0901-A", "0", set()),
        ("D0901-A", "1", {"tac2009"}),
        ("X1", "0", set()),
        ("X1", "1", {"other"}),
    ],
)
def test_the_collection_decides(pyramid_id: str, uid: str, expected: set[str]) -> None:
    """Collections without a verdict are judged by their annotations: one contributor of an SCU, or of none (uid 0)."""
    pyramid = replace(pyramid_of([2, 1], 3), id=pyramid_id)
    contributor = pyramid.scus[0].contributors[0]
    annotation = PeerAnnotation("1", "", pyramid, "", (PeerScu(uid, 2, (contributor,)),))
    assert find_inflated([annotation]) == expected


@pytest.mark.parametrize(
    ("marked", "of", "expected"),
    [(0, 4, {"other"}), (1, 4, {"other"}), (2, 5, {"other"}), (2, 4, set()), (4, 4, set())],
)
def test_half_of_the_annotations_decide(marked: int, of: int, expected: set[str]) -> None:
    """Of some summaries, so many have text that matches no SCU, beside an SCU that is matched."""
    pyramid = replace(pyramid_of([2, 1], 3), id="X1")
    contributors = (pyramid.scus[0].contributors[0],)
    matched, unmatched = PeerScu("1", 2, contributors), PeerScu("0", 0, contributors)
    scus = [(matched, unmatched)] * marked + [(matched,)] * (of - marked)
    assert find_inflated([PeerAnnotation(str(n), "", pyramid, "", own) for n, own in enumerate(scus)]) == expected


def test_only_inflated_scores_are_hidden() -> None:
    scores = [PeerScore("D0601", "1", "", 0.9, 0.5, 1, 0), PeerScore("D301", "2", "", 0.7, 0.6, 1, 0)]
    rows = [line.split() for line in render_scores(scores, frozenset({"duc2006"})).splitlines()]
    assert ["D0601", "1", "-", "0.5000", "1", "0"] in rows
    assert ["D301", "2", "0.7000", "0.6000", "1", "0"] in rows
    assert ["1", "1", "-", "0.5000"] in rows
    assert ["2", "1", "0.7000", "0.6000"] in rows
    assert "-" not in render_scores(scores).replace("D0601", "").split()


def test_a_notebook_shows_the_means_of_systems(sample: Corpus) -> None:
    """The same numbers as `render_scores`. Scores of all summaries were shown as a list of records."""
    scores = score_peers(sample.annotations)
    assert scores[:1] == [scores[0]]
    assert ">1</td><td>8</td><td>0.9332</td><td>0.9217</td></tr>" in scores._repr_html_()
    assert "Means of 16 summaries." in scores._repr_html_()
    inflated = PeerScores([PeerScore("D0601", "<b>", "", 0.9, 0.5, 1, 0)], {"duc2006"})._repr_html_()
    assert ">&lt;b&gt;</td><td>1</td><td>-</td><td>0.5000</td>" in inflated
    assert "original is too high for duc2006" in inflated
    undefined = PeerScores([DucviewScore("D0601", "1", "", 0.9, None, None, 1, 0)], {"duc2006"})._repr_html_()
    assert "<td>0.9000</td><td>-</td><td>-</td>" in undefined
    assert "1 summaries lack a score" in undefined
    assert PeerScores([])._repr_html_() == "[]"


def test_official_tables() -> None:
    table = SourceFile("t.txt", b"D1 1 0.0851 2 0 4 5 5\n\nD1\t13\t0.5\t8\t3\n")
    official = parse_official(table)
    scores = [PeerScore("D1", "1", "", 0, 0.08514, 2, 0), PeerScore("D1", "13", "", 0, 0.5, 8, 2)]
    assert compare_with_official(scores, official) == ["D1 peer 13: published 0.5 8 3, ours 0.5000 8 2"]
    assert compare_with_official([], official)[0].endswith("ours no annotation")


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_lines_of_official_tables_are_counted(end: bytes) -> None:
    with pytest.raises(InputError, match=mentions("t.txt, line 3: ... SCUs ... 2007_modified_scores.txt")):
        parse_official(SourceFile("t.txt", end.join([b"D1 1 0.0851 2 0", b"", b"x", b""])))


@pytest.mark.parametrize(
    ("computed", "agrees"),
    [
        (0.5, True),
        (0.30005 + 0.2, True),
        (0.5 + 0.00005 * (1 + 0.5e-9), True),
        (0.5 + 0.00005 * (1 + 1.5e-9), False),
        (0.5 - 0.00006, False),
    ],
)
def test_scores_agree_to_four_decimals(computed: float, agrees: bool) -> None:
    """Half a unit of the last decimal is agreement, whatever floating point makes of it."""
    official = parse_official(SourceFile("t.txt", b"D1 1 0.5000 2 0\n"))
    differences = compare_with_official([PeerScore("D1", "1", "", 0, computed, 2, 0)], official)
    assert (differences == []) == bool(agrees)


def test_a_peer_that_says_nothing_has_nothing() -> None:
    """The summary expresses no SCU, so the highest possible weight is 0 as well."""
    score = score_peer(PeerAnnotation("1", "", pyramid_of([2, 1], 2), "", ()))
    assert score == PeerScore("D1", "1", "", 0.0, 0.0, 0, 0)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"D1 1 0.5 1 0\nD1 x\n", "t.txt, line 2: expected"),
        (b"D1 1 0.5 1 0\r\nD1 x\r\n", "t.txt, line 2: expected"),
        (b"", "t.txt: contains no scores"),
        # `str.splitlines` divides lines at these, which moved all line numbers behind them.
        (
            b"D1 1 0.5 1 0\nD1 2 0.5 1 0\x0bD1 3 0.5 1 0\n",
            "t.txt, line 2: contains a character that some programs treat",
        ),
        ("D1 1 0.5 1 0\u2028D1 2 0.5 1 0".encode(), "t.txt, line 1: contains a character that some programs treat"),
    ],
)
def test_tables_that_are_none(data: bytes, place: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_official(SourceFile("t.txt", data))
    assert str(caught.value).startswith(place)
    assert str(caught.value).endswith("Use NIST's table, such as 2007_modified_scores.txt")


def test_all_published_scores_of_duc_2007_are_reproduced(real: Corpus) -> None:
    """299 rows of scoring/2007_modified_scores.txt: score, numSCUs and numrepetitions."""
    (table,) = real.score_tables
    official = parse_official(table)
    assert len(official) == 299
    assert compare_with_official(score_peers(real.annotations), official) == []


def test_sample_peers(sample: Corpus) -> None:
    scores = score_peers(sample.annotations)
    assert len(scores) == 16
    (good, _, _, high), (mediocre, _, _, low) = average_by_system(scores)
    assert (good, mediocre) == ("1", "2")
    assert high > 0.8 > 0.5 > low
