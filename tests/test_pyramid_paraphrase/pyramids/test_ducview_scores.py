"""Scores by the rule of DucView 1.5, and the scores that it writes into peer annotations."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest
from helpers.annotations import PEER, PEER_NAME, PYRAMID, parse_file
from helpers.commands import Capture, run
from helpers.messages import mentions

from harness.rendering.inspection import render_scores
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.pyramid_scores import (
    DucviewScore,
    average_by_system,
    compare_with_ducview,
    compare_with_official,
    count_by_ducview,
    find_inflated,
    parse_official,
    score_peer_by_ducview,
    score_peers_by_ducview,
)
from pyramid_paraphrase.pyramids.records import Contributor, PeerAnnotation, PeerScu, Pyramid, Scu, Summary

WRITTEN = {
    "totalscu": "3",
    "uniquescu": "1",
    "scusNotInPyr": "1",
    "totalWeight": "3",
    "maxScoreTotalscu": "5",
    "qualityScore": "0.6",
    "averagescu": "1",
    "maxScoreAveragescu": "3",
    "coverageScore": "1",
    "comprehensiveScore": "0.75",
}
"""The numbers of `PEER` by hand. Weights 3 and 2; the peer matches the first twice and has one contributor of its own.

Models have 5 contributors in 3 summaries, 1.67 on average, rounded down to 1: coverage 3/3. Quality is 3/5, and the
harmonic mean of 1 and 0.6 is 1.2/1.6.
"""


def write_score(numbers: dict[str, str]) -> bytes:
    """Return `PEER` with the scores that DucView writes at its end."""
    rows = "".join(f" <{name}>{text}</{name}>\n" for name, text in numbers.items())
    return PEER.replace(b"</peerAnnotation>", f"<score>\n{rows}</score>\n</peerAnnotation>".encode())


def annotation_of(data: bytes) -> PeerAnnotation:
    annotation = parse_file(data, PEER_NAME).annotation
    assert annotation is not None
    return annotation


def peer_of(weights: list[int], models: int, matched: dict[str, int]) -> PeerAnnotation:
    """Make a peer that expresses the SCUs 1, 2, 3 of some weights so many times. "0" is content that matches none."""
    contributor = Contributor(())
    scus = tuple(Scu(str(uid), "", (contributor,) * weight) for uid, weight in enumerate(weights, 1))
    pyramid = Pyramid("D1", "D1", (), "", (Summary("d", "A", 0, 1),) * models, scus)
    peer_scus = tuple(PeerScu(uid, 9, (contributor,) * times) for uid, times in matched.items())
    return PeerAnnotation("1", "", pyramid, "", peer_scus)


def test_by_hand() -> None:
    numbers = count_by_ducview(annotation_of(PEER))
    assert {name: None if value is None else round(value, 4) for name, value in numbers.items()} == {
        name: float(text) for name, text in WRITTEN.items()
    }
    score = score_peer_by_ducview(annotation_of(PEER))
    assert score == DucviewScore("D0901-A", "7", "", 0.6, 1.0, pytest.approx(0.75), 1, 1)


@pytest.mark.parametrize(
    ("weights", "models", "matched", "expected"),
    [
        ([4, 3, 3], 4, {"1": 1}, (1.0, 0.5714, 0.7273)),  # 10/4 is 2, where NIST's rule says 3: 4/7 for 4/10
        ([4, 3, 3], 4, {"1": 1, "0": 2}, (0.4, 0.5714, 0.4706)),
        ([2, 2], 2, {"1": 1, "2": 1}, (1.0, 1.0, 1.0)),
        ([2, 2], 2, {"0": 3}, (0.0, 0.0, 0.0)),
        ([2, 1], 2, {"77": 1}, (4.5, 1.0, 1.6364)),  # not in the pyramid: the weight that the annotation states, 9
        ([2, 1], 2, {}, (None, None, None)),  # "No SCUs were annotated"
        ([2, 1], 1, {"1": 1}, (1.0, None, None)),  # the text is not divided into documents
        ([1, 1], 3, {"1": 1}, (1.0, 1.0, 1.0)),  # an average of 0, and division by zero: infinite, at most 1
        ([1, 1], 3, {"0": 1}, (0.0, None, None)),  # 0 / 0
    ],
)
def test_cases(
    weights: list[int], models: int, matched: dict[str, int], expected: tuple[float | None, float | None, float | None]
) -> None:
    """Computed by DucView's formulas. It has no number for an SCU that is not in the pyramid."""
    score = score_peer_by_ducview(peer_of(weights, models, matched))
    rounded = [value if value is None else round(value, 4) for value in score[3:6]]
    assert tuple(rounded) == expected


def test_written_scores_are_read() -> None:
    assert annotation_of(PEER).written_score == ()
    assert annotation_of(write_score(WRITTEN)).written_score == tuple(WRITTEN.items())
    assert compare_with_ducview([annotation_of(PEER), annotation_of(write_score(WRITTEN))]) == (1, [])


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({}, ""),
        ({"qualityScore": "0,6", "comprehensiveScore": "0,75"}, ""),
        ({"qualityScore": "\N{ARABIC-INDIC DIGIT ZERO}\N{ARABIC DECIMAL SEPARATOR}\N{ARABIC-INDIC DIGIT SIX}"}, ""),
        ({"qualityScore": "0.60005"}, ""),
        ({"qualityScore": "0.6001"}, "qualityScore 0.6001, ours 0.6"),
        ({"qualityScore": "NaN"}, "qualityScore NaN, ours 0.6"),
        ({"totalscu": "4", "averagescu": "2"}, "totalscu 4, ours 3; averagescu 2, ours 1"),
        ({"scusNotInPyr": "null"}, "scusNotInPyr null, ours 1"),
    ],
)
def test_written_scores_are_compared(changes: dict[str, str], difference: str) -> None:
    expected = [f"D0901-A peer 7: written {difference}"] if difference else []
    assert compare_with_ducview([annotation_of(write_score(WRITTEN | changes))]) == (1, expected)


def test_written_scores_may_be_incomplete_or_of_another_program() -> None:
    """Without a known heading, DucView writes no coverage. Other names are not DucView's."""
    quality = {name: WRITTEN[name] for name in ("totalscu", "qualityScore")}
    assert compare_with_ducview([annotation_of(write_score(quality))]) == (1, [])
    assert compare_with_ducview([annotation_of(write_score({"other": "7"}))]) == (0, [])
    assert compare_with_ducview([annotation_of(write_score({}))]) == (0, [])


def test_a_value_that_is_not_defined() -> None:
    """DucView writes NaN for 0/0, or the replacement character on older Java."""
    peer = peer_of([1, 1], 3, {"0": 1})
    for text in ("NaN", "\N{REPLACEMENT CHARACTER}"):
        assert compare_with_ducview([replace(peer, written_score=(("coverageScore", text),))]) == (1, [])
    written = (("coverageScore", "0.5"),)
    half = replace(peer, written_score=written)
    assert compare_with_ducview([half]) == (1, ["D1 peer 1: written coverageScore 0.5, ours -"])
    half = replace(peer_of([4, 3, 3], 4, {"1": 1}), written_score=written)
    assert compare_with_ducview([half]) == (1, ["D1 peer 1: written coverageScore 0.5, ours 0.5714"])


def test_systems_are_averaged_over_the_summaries_with_scores() -> None:
    """The last system has no score at all."""
    scores = [
        DucviewScore("D1", "2", "", None, None, None, 0, 0),
        DucviewScore("D1", "1", "", 0.5, 0.1, 0.2, 1, 0),
        DucviewScore("D2", "1", "", 0.7, None, None, 1, 0),
        DucviewScore("D3", "3", "", 0.1, 0.9, 0.3, 1, 0),
    ]
    assert average_by_system(scores) == [("3", 1, 0.1, 0.9, 0.3), ("1", 2, 0.6, 0.1, 0.2), ("2", 1, None, None, None)]
    table = render_scores(scores, frozenset({"other"}))
    assert re.search(r"^2 +1 +- +- +-$", table, re.MULTILINE)
    assert "2 of 4 summaries" in table
    assert re.search(mentions("quality ... other ... coverage"), table)


def test_no_peers() -> None:
    with pytest.raises(EmptyResultError, match=mentions("(.pan) ... peer annotations")):
        score_peers_by_ducview([])


def test_the_command(tmp_path: Path, capsys: Capture) -> None:
    """One of two files agrees with what DucView wrote into it, whatever the rule."""
    (tmp_path / PEER_NAME).write_bytes(write_score(WRITTEN) * 2)
    (tmp_path / PEER_NAME.replace("7", "8")).write_bytes(write_score(WRITTEN | {"totalWeight": "5"}))
    (tmp_path / "D0901-A.pyr").write_bytes(PYRAMID)
    (tmp_path / "t_modified_scores.txt").write_text("D0901-A 7 1.0 1 1\nD0901-A 8 0.6 1 1\n")
    tables = {}
    for rule in ("nist", "ducview"):
        assert run("score", tmp_path, "--rule", rule) == 0
        tables[rule] = capsys.readouterr().out
        assert "1 of 2 rows agree with the scores that DucView wrote" in tables[rule]
        assert "D0901-A peer 8: written totalWeight 5, ours 3\n" in tables[rule]
        assert "document-superseded 1" in tables[rule]
    assert re.search(r"^D0901-A +7 +0\.6000 +0\.6000 +1 +1$", tables["nist"], re.MULTILINE)
    assert re.search(r"^D0901-A +7 +0\.6000 +1\.0000 +0\.7500 +1 +1$", tables["ducview"], re.MULTILINE)
    assert "D0901-A peer 7: published 1.0 1 1, ours 0.6000 1 1" in tables["nist"]
    assert "D0901-A peer 8: published 0.6 1 1, ours 1.0000 1 1" in tables["ducview"]
    assert run("score", tmp_path) == 0
    assert capsys.readouterr().out == tables["nist"]


def test_duc_2007(real: Corpus) -> None:
    """Means and numbers by DucView 1.5 itself (psunlpgroup/DucView-1.5 at ba694eb, Java 17) on the 299 files."""
    scores = score_peers_by_ducview(real.annotations)
    scored = [score for score in scores if None not in score]
    assert (len(scores), len(scored)) == (299, 297)
    means = [fmean(score[place] or 0.0 for score in scored) for place in (3, 4, 5)]
    assert [round(mean, 5) for mean in means] == [0.51641, 0.2744, 0.34355]
    differences = compare_with_official(scores, parse_official(real.score_tables[0]))
    assert len(differences) == 167
    assert find_inflated(real.annotations) == {"duc2007-main"}
    peer = next(one for one in real.annotations if (one.pyramid.id, one.peer) == ("D0701", "13"))
    numbers = ("11", "8", "0", "20", "39", "0.5128", "14", "45", "0.4444", "0.4762")
    written = tuple(zip(WRITTEN, numbers, strict=True))
    assert compare_with_ducview([replace(peer, written_score=written)]) == (1, [])
