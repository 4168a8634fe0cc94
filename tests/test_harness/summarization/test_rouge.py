"""ROUGE-n: counts, stems of ROUGE-1.5.5, the package rouge-score, and NIST's values for DUC 2007."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.annotations import tar
from helpers.checkout import REAL_SUMMARIES
from helpers.commands import run
from helpers.messages import mentions
from helpers.summaries import PEERS, write_summaries

from harness.cli import main
from harness.files.hashing import hash_values
from harness.summarization.grams import TopicGrams
from harness.summarization.locations import read_files
from harness.summarization.reading import read_summaries
from harness.summarization.references import Comparison, cut_summaries, pair_summaries, pool_references
from harness.summarization.rouge import ROUGE_VALUES, compute_values, name_metric, score_rouge
from harness.summarization.summaries import Summary
from harness.text.stems import (
    DEFAULT_WORDNET,
    Divide,
    choose_division,
    cut_endings,
    read_irregular_forms,
    read_stop_words,
    stem_as_rouge,
    stem_word,
)
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import InputError, OptionError
from pyramid_paraphrase.pyramids.corpus import Corpus

FORMS = {
    "adj.exc": "worse bad\n",
    "adv.exc": "better well\n",
    "noun.exc": "axes ax axis\naxes axe\n",
    "verb.exc": "fled flee\n",
}


def choose_words(stem: str = "porter", *, stop_words: bool = True, wordnet: Path | None = None) -> Divide:
    """Return the function that divides texts into words, without its signature."""
    divide, _ = choose_division(stem, stop_words=stop_words, wordnet=wordnet)
    return divide


@pytest.fixture
def wordnet(tmp_path: Path) -> Path:
    """Lists of irregular forms in WordNet's format."""
    folder = tmp_path / "wordnet"
    folder.mkdir()
    for name, text in FORMS.items():
        (folder / name).write_text(text)
    return folder


def match_texts(divide: Divide, order: int, peer: str, reference: str) -> tuple[int, int, int]:
    numbers: dict[str, int] = {}
    words = [[numbers.setdefault(word, len(numbers)) for word in divide(text)] for text in (reference, peer)]
    matched, totals = TopicGrams(words[:1], words[1:]).match_ngrams(order)
    return int(matched[0, 0]), int(totals[0]), int(totals[1])


def compute_one(*counts: float) -> dict[str, float]:
    values = compute_values(*(np.array(count, dtype=float) for count in counts))
    return dict(zip(ROUGE_VALUES, values.tolist(), strict=True))


def score_pair(peer: str, reference: str, order: int) -> tuple[int, int, int]:
    divide = choose_words("none")
    return match_texts(divide, order, peer, reference)


def test_ngrams_match_as_often_as_both_have_them() -> None:
    # By hand: a, b, a, b, c against a, b, a; and ab, ba, ab, bc against ab, ba.
    assert score_pair("a b a", "a b a b c", 1) == (3, 5, 3)
    assert score_pair("a b a", "a b a b c", 2) == (2, 4, 2)
    assert score_pair("a b. A", "a b a b c", 3) == (1, 3, 1)
    assert score_pair("a", "a", 2) == (0, 0, 0)


def test_precision_counts_the_summary_once_per_reference() -> None:
    """By hand: 1 of 2 and 2 of 4 n-grams of references, by a summary of 3. F = 2PR / (P + R)."""
    (pooled,) = pool_references([(1, 2, 3), (2, 4, 3)], leave_out=False)
    assert compute_one(*pooled) == {"recall": 3 / 6, "precision": 3 / 6, "f": 0.5}
    assert compute_one(1, 2, 3)["f"] == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))
    assert compute_one(0, 0, 0) == {"recall": 0, "precision": 0, "f": 0}


def test_references_are_pooled_or_left_out_in_turn() -> None:
    peer, *references = (
        Summary("D1", author, (text,), author)
        for author, text in (("1", "a b c"), ("A", "a x"), ("B", "b c y z"), ("C", "q r s t"))
    )
    comparison = Comparison(peer, tuple(references), is_reference=False)
    divide = choose_words("none")
    (pooled,) = score_rouge([comparison], ["1"], divide)
    (left_out,) = score_rouge([comparison], ["1"], divide, jackknife=True)
    # Matched: 1 of 2, 2 of 4, 0 of 4, by 3 words. F of m words of r by p is 2m / (r + p).
    expected = {"rouge_1": 3 / 10, "rouge_1_p": 3 / 9, "rouge_1_f": 6 / 19}
    assert pooled.values == pytest.approx(expected)
    assert left_out.values == pytest.approx(
        {
            "rouge_1": (2 / 8 + 1 / 6 + 3 / 6) / 3,
            "rouge_1_p": (2 / 6 + 1 / 6 + 3 / 6) / 3,
            "rouge_1_f": (4 / 14 + 2 / 12 + 6 / 12) / 3,
        }
    )
    (author,) = score_rouge([comparison._replace(is_reference=True)], ["1"], divide, jackknife=True)
    assert author.values == pooled.values


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        # Of each rule in which ROUGE is not Porter (1980): without it, published recalls are missed (see the module).
        ("environmental", "environ"), ("congressional", "congress"), ("disorientation", "disori"),
        ("commissioner", "commiss"), ("bilateral", "bilater"), ("considerable", "consider"),
        ("technology", "technolog"), ("technological", "technolog"), ("archaeologist", "archaeologist"),
        ("possibly", "possibl"),
        # The examples of the paper.
        ("caresses", "caress"), ("ponies", "poni"), ("agreed", "agre"), ("plastered", "plaster"), ("motoring", "motor"),
        ("conflated", "conflat"), ("hopping", "hop"), ("falling", "fall"), ("filing", "file"), ("happy", "happi"),
        ("relational", "relat"), ("electriciti", "electr"), ("adoption", "adopt"), ("controll", "control"),
        ("feed", "feed"), ("sing", "sing"), ("rate", "rate"), ("hopefulness", "hope"), ("nation", "nation"),
        # Of one letter, and of an ending alone.
        ("aing", "a"), ("sses", "ss"),
    ],
)  # fmt: skip
def test_stems_of_rouge(word: str, stem: str) -> None:
    assert cut_endings(word) == stem


def test_stems_differ_from_porters_by_rules_that_are_known(sample: Corpus) -> None:
    words = {word for pyramid in sample.pyramids for word in re.findall("[a-z]{4,}", pyramid.text.lower())}
    assert len(words) > 500
    known = re.compile(r".*(al|ally|ation|ations|ated|ates|ate|er|ers|able|ably|bly|logy|logist|logical)")
    assert {word for word in words if cut_endings(word) != stem_word(word) and not known.fullmatch(word)} == set()


def test_irregular_forms_are_looked_up_first_and_not_cut(wordnet: Path) -> None:
    forms = read_irregular_forms(wordnet)
    assert forms == {"worse": "bad", "better": "well", "axes": "axe", "fled": "flee"}  # the last of two
    words = ["fled", "worse", "fleeing", "was", "killings"]
    assert stem_as_rouge(words, forms) == ["flee", "bad", "fleeing"[:4], "was", "kill"]


def test_words_of_rouge_are_ascii(wordnet: Path) -> None:
    text = "A Zürich café fled 1790-85"
    divide = choose_words("rouge", wordnet=wordnet)
    assert divide(text) == ["a", "z", "rich", "caf", "flee", "1790", "85"]
    assert choose_words("porter")(text) == ["a", "zürich", "café", "fled", "1790", "85"]
    assert choose_words("none", stop_words=False)(text) == ["zürich", "café", "fled", "1790", "85"]
    assert choose_words("rouge", stop_words=False, wordnet=wordnet)("they were better") == ["well"]


def test_words_are_stemmed_by_choice() -> None:
    assert choose_words("porter")("the killings") == ["the", "kill"]
    assert choose_words("none")("the killings") == ["the", "killings"]


def test_invalid_choices() -> None:
    with pytest.raises(OptionError, match=mentions("stem 'port'. ... 'porter'? ... none, porter")):
        choose_division("port")
    with pytest.raises(OptionError, match=mentions("WordNet ... stem porter. Omit")):
        choose_division("porter", wordnet=Path("wordnet"))


def test_irregular_forms_are_left_to_rules(wordnet: Path) -> None:
    """The signature says so. Other stems look up nothing."""
    divide, signature = choose_division("rouge", irregular_forms=False)
    assert divide("fled killings") == ["fled", "kill"]
    assert signature == "stem:rouge|stop-words:yes|wordnet:no"
    assert choose_words("rouge", wordnet=wordnet)("fled killings") == ["flee", "kill"]
    with pytest.raises(OptionError, match=mentions("stem porter ... no irregular forms. Choose stem rouge")):
        choose_division("porter", irregular_forms=False)


def test_stop_words_of_a_file(tmp_path: Path) -> None:
    """They equal whole words before stemming. A word with an apostrophe equals none, as in ROUGE-1.5.5."""
    path = tmp_path / "words.txt"
    path.write_text("The\nkilled\n\ndon't\n")
    words = read_stop_words(path)
    assert words == {"the", "killed", "don't"}
    for stem in ("porter", "rouge"):
        divide, signature = choose_division(stem, stop_words=words, irregular_forms=stem == "porter")
        assert divide("THE killed killing don't") == ["kill", "don", "t"]
        assert f"|stop-words:{hash_values(['don' + chr(39) + 't', 'killed', 'the'])[:12]}" in signature
    path.write_text("a\nb c\n")
    with pytest.raises(InputError, match=mentions("words.txt, line 2: contains several words ... one word per line")):
        read_stop_words(path)
    path.write_text("\n")
    with pytest.raises(InputError, match=mentions("words.txt: contains no words ... one word per line")):
        read_stop_words(path)


def make_text(*sentences: str, author: str = "1") -> Summary:
    return Summary("D1", author, sentences, author)


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        ({}, ("a  b c", "d é", "f g")),
        ({"words": 1}, ("a",)),
        ({"words": 3}, ("a  b c",)),
        ({"words": 4}, ("a  b c", "d")),
        ({"words": 5}, ("a  b c", "d é")),
        ({"words": 7}, ("a  b c", "d é", "f g")),
        ({"words": 100}, ("a  b c", "d é", "f g")),
        # "a  b c" has 6 bytes, and "d é" 4. Half of a character is left out.
        ({"size": 6}, ("a  b c",)),
        ({"size": 7}, ("a  b c", "d")),
        ({"size": 9}, ("a  b c", "d ")),
        ({"size": 10}, ("a  b c", "d é")),
        ({"words": 4, "size": 6}, ("a  b c",)),
    ],
)
def test_texts_are_cut_as_by_rouge(limits: dict[str, int], kept: tuple[str, ...]) -> None:
    """ROUGE-1.5.5 counts words between blanks, and bytes without those between sentences."""
    text, short = make_text("a  b c", "d é", "f g"), make_text("x", author="A")
    comparisons = [Comparison(text, (short, text), is_reference=False)] * 2
    cut, notes = cut_summaries(comparisons, **limits)
    assert [row.peer.sentences for row in cut] == [kept] * 2
    assert cut[0].references == (short, cut[0].peer)
    assert (cut == comparisons) == (kept == text.sentences)
    assert len(notes) == bool(limits)


def test_cut_texts_are_counted() -> None:
    long, short, reference = make_text("a b c"), make_text("a b", author="2"), make_text("a b c d", author="A")
    comparisons = [Comparison(peer, (reference,), is_reference=False) for peer in (long, short)]
    _, notes = cut_summaries(comparisons, words=2, size=1000)
    assert notes == ["cut to 2 words and 1,000 bytes: 1 of 2 summaries and 1 of 1 references"]


def test_invalid_wordnet(wordnet: Path) -> None:
    (wordnet / "noun.exc").write_text("mice mouse\ngeese\n")
    with pytest.raises(
        InputError,
        match=mentions("wordnet/noun.exc, line 2: ... irregular ... adj.exc, adv.exc, noun.exc ... verb.exc"),
    ):
        read_irregular_forms(wordnet)
    (wordnet / "adj.exc").unlink()
    with pytest.raises(
        InputError, match=mentions("wordnet/adj.exc: ... directory ... adj.exc, adv.exc, noun.exc ... verb.exc")
    ):
        read_irregular_forms(wordnet)


class Words:
    """A tokenizer for rouge-score with the words of this project."""

    def __init__(self, stem: str) -> None:
        self.tokenize = choose_words(stem)


@pytest.mark.needs("rouge_score")
@pytest.mark.parametrize("stem", ["", "none", "porter"])
def test_rouge_score_says_the_same(sample: Corpus, stem: str) -> None:
    """The package of that name, with its own words ("") or with ours, on all pairs of the sample's summaries."""
    import rouge_score.rouge_scorer as library

    scorer = library.RougeScorer(["rouge1", "rouge2"], tokenizer=Words(stem) if stem else None)
    divide = choose_words(stem or "none")
    for pyramid in sample.pyramids:
        whole = (pyramid.text[summary.start : summary.end] for summary in pyramid.summaries)
        texts = [text.encode("ascii", "replace").decode() for text in whole]  # beyond ASCII, words differ
        assert len(texts) == 4
        for reference in texts:
            for peer in texts:
                theirs = scorer.score(reference, peer)
                for order in (1, 2):
                    matches = match_texts(divide, order, peer, reference)
                    ours, expected = compute_one(*matches), theirs[f"rouge{order}"]
                    assert ours["recall"] == pytest.approx(expected.recall, abs=1e-9)
                    assert ours["precision"] == pytest.approx(expected.precision, abs=1e-9)
                    assert ours["f"] == pytest.approx(expected.fmeasure, abs=1e-9)


@pytest.fixture(scope="module")
def published() -> dict[tuple[str, str, str, str], tuple[float, float, float]]:
    """Recall, precision and F by metric, topic, system, and the reference that is left out, as in NIST's file."""
    if not REAL_SUMMARIES.is_file():
        pytest.skip("the licensed DUC 2007 archive is not beside the checkout (../shared/data/duc2007)")
    (file,) = read_files(REAL_SUMMARIES / "mainEval" / "ROUGE" / "rougejk.m.out")
    item = r"\S+ ROUGE-(\S+) Eval (D[0-9]+)\.M\.250\.[A-Z]-([A-J])\.([A-Z0-9]+)"
    pattern = re.compile(item + " R:([0-9.]+) P:([0-9.]+) F:([0-9.]+)")
    values = {}
    for match in filter(None, map(pattern.match, file.data.decode().splitlines())):
        values[match[1], match[2], match[4], match[3]] = (float(match[5]), float(match[6]), float(match[7]))
    return values


def real_comparisons() -> list[Comparison]:
    paths = [REAL_SUMMARIES / "mainEval" / "ROUGE" / name for name in ("peers", "models")]
    (peers, _), (references, _) = map(read_summaries, paths)
    comparisons, _ = pair_summaries(peers, references, jackknife=True)
    return comparisons


def leave_out_in_turn(comparison: Comparison) -> Iterator[tuple[str, Comparison]]:
    if comparison.is_reference:
        yield comparison.peer.author, comparison
        return
    for left_out in comparison.references:
        rest = tuple(reference for reference in comparison.references if reference is not left_out)
        yield left_out.author, comparison._replace(references=rest)


def test_every_published_value_is_reproduced(
    published: dict[tuple[str, str, str, str], tuple[float, float, float]],
) -> None:
    """ROUGE-1.5.5 with stems: all 5,940 evaluations of DUC 2007 by seven measures, to five decimals.

    ROUGE computes F from recall and precision that are rounded already, so that F is off by their errors, too.
    """
    if not DEFAULT_WORDNET.is_dir():
        pytest.skip("WordNet is not installed at /usr/share/wordnet")
    divide = choose_words("rouge")
    cases = [case for comparison in real_comparisons() for case in leave_out_in_turn(comparison)]
    measures = ("1", "2", "3", "4", "L", "W-1.2", "SU4")
    scores = score_rouge([comparison for _, comparison in cases], measures, divide)
    agreeing: Counter[tuple[str, str]] = Counter()
    for (left_out, _), score in zip(cases, scores, strict=True):
        for measure in measures:
            expected = published[measure, score.topic, score.author, left_out]
            recall, precision, _ = expected
            slope = 2 * (recall**2 + precision**2) / (recall + precision) ** 2 if recall else 0  # of F, in both
            for value, number in zip(("recall", "precision", "f"), expected, strict=True):
                tolerance = 0.0000051 * (1 + (slope if value == "f" else 0))
                agreeing[measure, value] += abs(score.values[name_metric(measure, value)] - number) <= tolerance
    assert dict.fromkeys(agreeing.values()) == {5940: None}
    assert len(agreeing) == 21
    assert len(published) == 7 * 5940


def test_the_command(tmp_path: Path, wordnet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_summaries(tmp_path)
    places = ["--peers", str(tmp_path / "peers"), "--references", str(tmp_path / "references")]
    output = tmp_path / "scores.tsv"
    assert main(["rouge", *places, "--output", str(output)]) == 0
    captured = capsys.readouterr()
    assert (
        captured.out
        == f"""\
system  summaries  rouge_1  rouge_1_p  rouge_1_f  rouge_2  rouge_2_p  rouge_2_f
1               2   0.6111     0.6250     0.6167   0.1322     0.1429     0.1370
A               2   0.5000     0.5071     0.5000   0.0714     0.0833     0.0769
2               2   0.0000     0.0000     0.0000   0.0000     0.0000     0.0000

Sorted by rouge_2, best system first.
rouge_N is the recall, rouge_N_p the precision, and rouge_N_f their harmonic mean.

rouge|stem:porter|stop-words:yes|jackknife:no|version:{__version__}
"""
    )
    assert re.search(mentions("note: peers/D0101.M.100.A.2 is empty"), captured.err)
    # By hand, system 1: 6 of 10 and 4 of 8 words, 3 of 9 and 0 of 7 pairs of words; of D0102, 5 of 7 and 5 of 8 words.
    # Its summaries have 8 words: precision 10 / 16 twice, F 20 / (18 + 16) and 20 / (15 + 16).
    assert output.read_text().splitlines()[:3] == [
        "topic\tsystem\trouge_1\trouge_2",
        "D0101\tA\t0.375000\t0.000000",
        "D0101\t1\t0.555556\t0.187500",
    ]


def test_the_commands_options(tmp_path: Path, wordnet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_summaries(tmp_path)
    places = ["--peers", str(tmp_path / "peers"), "--references", str(tmp_path / "references")]
    stems = ["--stem", "rouge", "--wordnet", str(wordnet), "--no-stop-words"]
    assert main(["rouge", *places, *stems, "--jackknife", "--n", "1"]) == 0
    # By hand, system 1: of storm, blew, old, bridge, hurt 3, of bombing, wind, destroyed, bridge 2; of council, voted,
    # sanctions, mill 3, of sanctions, hit, old, mill, said, council 3.
    rows = capsys.readouterr().out.splitlines()
    assert rows[1].split()[:3] == ["1", "2", f"{((3 / 5 + 2 / 4) / 2 + (3 / 4 + 3 / 6) / 2) / 2:.4f}"]
    assert rows[-1].startswith("rouge|stem:rouge|stop-words:no|wordnet:93a712f6d835|jackknife:yes|version:")


def score_texts(folder: Path, peer: str, reference: str, *options: str) -> int:
    (folder / "peer.txt").write_text(peer, encoding="utf-8")
    (folder / "reference.txt").write_text(reference, encoding="utf-8")
    places = ["--peers", str(folder / "peer.txt"), "--references", str(folder / "reference.txt")]
    return main(["rouge", *places, "--workers", "1", *options])


@pytest.mark.parametrize(
    ("peer", "reference", "first", "second"),
    [
        ("राम की किताब", "राम के किताबें", "0.3333", "0.0000"),
        ("كَتَبَ الدَّرْسَ", "كُتِبَ الدَّرْسَ", "0.5000", "0.0000"),
        ("cafe\u0301 noir", "café noir", "1.0000", "1.0000"),
        ("แมว กิน ปลา", "แมว กิน ปู", "0.6667", "0.5000"),
    ],
)
def test_words_of_other_scripts_by_hand(
    tmp_path: Path, peer: str, reference: str, first: str, second: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Marks were dropped, so that words with other vowel signs were equal, and one word became several."""
    assert score_texts(tmp_path, peer, reference, "--stem", "none") == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[1].split()[2::3] == [first, second]
    assert "note: " not in captured.err


def test_summaries_whose_words_say_little_are_counted(
    tmp_path: Path, wordnet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score_texts(tmp_path, "天气很好。", "天气不错。", "--n", "1") == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[1].split()[2] == "0.5000"
    assert re.search(mentions("note: 2 of 2 summaries ... blanks ... segmenter"), captured.err)
    assert score_texts(tmp_path, "a cat", "किताब", "--n", "1", "--stem", "rouge", "--wordnet", str(wordnet)) == 0
    assert re.search(mentions("note: 1 of 2 summaries ... ASCII ... --stem porter"), capsys.readouterr().err)


def test_values_are_chosen_for_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_summaries(tmp_path)
    places = ["--peers", str(tmp_path / "peers"), "--references", str(tmp_path / "references")]
    output = tmp_path / "scores.tsv"
    assert main(["rouge", *places, "--n", "1", "--values", "f,precision", "--output", str(output)]) == 0
    assert output.read_text().splitlines()[2] == f"D0101\t1\t{20 / 34:.6f}\t0.625000"
    assert output.read_text().splitlines()[0] == "topic\tsystem\trouge_1_f\trouge_1_p"


def score_recall(capsys: pytest.CaptureFixture[str], *options: object) -> dict[str, str]:
    """Run the command, and return the recall of unigrams by system."""
    assert main(["rouge", "--n", "1", *map(str, options)]) == 0
    table = capsys.readouterr().out.partition("\n\n")[0]
    return {line.split()[0]: line.split()[2] for line in table.splitlines()[1:]}


def test_a_summary_per_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No line shares a word with its reference, but all lines together have the same words."""
    monkeypatch.chdir(tmp_path)
    Path("hyp.txt").write_text("the cat sat\na storm came\nprices rose\n")
    Path("ref.txt").write_text("prices rose\nthe cat sat\na storm came\n")
    files = ("--peers", "hyp.txt", "--references", "ref.txt", "--n", "1")
    assert main(["rouge", *files]) == 2
    assert re.search(mentions("3 lines ... --by-line ... --by-file"), capsys.readouterr().err)
    assert main(["rouge", *files, "--by-line", "--output", "scores.tsv"]) == 0
    assert Path("scores.tsv").read_text().splitlines() == [
        "topic\tsystem\trouge_1", "1\tpeer\t0.000000", "2\tpeer\t0.000000", "3\tpeer\t0.000000",
    ]  # fmt: skip
    assert main(["rouge", *files, "--by-file", "--output", "scores.tsv"]) == 0
    assert Path("scores.tsv").read_text().splitlines()[1:] == ["summary\tpeer\t1.000000"]
    capsys.readouterr()
    assert main(["paraeval", *files[:4], "--by-line"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["peer", "3", "0.0000"]
    Path("hyp.txt").write_text("the cat sat\na storm came\n")
    assert main(["rouge", *files]) == 0
    assert re.search(mentions("hyp.txt (2 lines) ... ref.txt (3 lines) ... --by-line"), capsys.readouterr().err)


def test_summaries_by_any_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same summaries as files, as rows, and with two patterns. 2 of 4 words of the reference are matched."""
    for name, text in (
        ("both/storm_mine.txt", "It rained."),
        ("gold/storm.txt", "It rained all day."),
        ("rows.jsonl", '{"id": 1, "text": "It rained."}'),
        ("gold.csv", "number,summary\n1,It rained all day.\n"),
        ("mine.txt", "It rained."),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    names = ["--pattern", "{topic}_{author}.txt", "--reference-pattern", "{topic}.txt"]
    places = ["--peers", tmp_path / "both", "--references", tmp_path / "gold"]
    assert score_recall(capsys, *places, *names) == {"mine": "0.5000"}
    names = ["--columns", "topic=id", "--reference-columns", "topic=number,text=summary"]
    places = ["--peers", tmp_path / "rows.jsonl", "--references", tmp_path / "gold.csv"]
    assert score_recall(capsys, *places, *names) == {"peer": "0.5000"}
    places = ["--peers", tmp_path / "mine.txt", "--references", tmp_path / "gold" / "storm.txt"]
    assert score_recall(capsys, *places) == {"peer": "0.5000"}


def test_a_pattern_holds_for_references_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("peers/storm-mine", "It rained."), ("references/storm-A", "It rained.")):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    places = ["--peers", tmp_path / "peers", "--references", tmp_path / "references"]
    assert score_recall(capsys, *places, "--pattern", "{topic}-{author}") == {"mine": "1.0000"}


@pytest.mark.parametrize("copy", [False, True])
def test_peers_that_are_the_references_are_warned_of(
    copy: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same folder as peers and references gave only scores of people, or scores of 1."""
    write_summaries(tmp_path)
    references = tmp_path / "references"
    peers = references
    if copy:
        peers = tmp_path / "copy"
        shutil.copytree(references, peers)
    assert main(["rouge", "--peers", str(peers), "--references", str(references)]) == 0
    (warning,) = capsys.readouterr().err.splitlines()
    assert re.search(mentions("warning: ... reference ... --peers ... --references"), warning)
    assert re.search(mentions("reference ... --peers ... --references"), warning)


def test_tables_fold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The values of three lengths do not fit into 80 columns, and neither does the name of a folder."""
    for author in ("a-system-with-a-very-long-name-in-large", "a-system-with-a-very-long-name-in-small"):
        (tmp_path / "peers" / author).mkdir(parents=True)
        (tmp_path / "peers" / author / "storm.txt").write_text("It rained.")
    (tmp_path / "storm.A.txt").write_text("It rained again.")
    places = ["--peers", str(tmp_path / "peers"), "--references", str(tmp_path / "storm.A.txt")]
    assert main(["rouge", *places, "--n", "1,2,3"]) == 0
    table = capsys.readouterr().out.partition("rouge_N is")[0]
    headers = [line.split() for line in table.splitlines() if line.startswith("system")]
    assert max(map(len, table.splitlines())) <= 80
    assert [header[:2] for header in headers] == [["system", "summaries"]] * len(headers)
    columns = [f"rouge_{order}{ending}" for order in (1, 2, 3) for ending in ("", "_p", "_f")]
    assert [name for header in headers for name in header[2:]] == columns
    assert len({line.split()[0] for line in table.splitlines() if line.startswith("a-system")}) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pattern", "{author}.txt"], "pattern '{author}.txt' ... optionally"),
        (["--reference-pattern", "{topic}{author}"], "pattern '{topic}{author}' ... optionally"),
        (["--columns", "id"], "topic=COLUMN, author=COLUMN, text=COLUMN"),
        (["--reference-columns", "title=id"], "topic=COLUMN, author=COLUMN, text=COLUMN"),
        (["--values", "recall,p"], "argument --values: "),
        (["--n", "0"], "--n: ... from 1 to 10"),
        (["--n", "1,11"], "--n: ... from 1 to 10"),
        (["--n", "1,x"], "--n: ... from 1 to 10"),
        (["--stem", "rogue"], "--stem: ... 'rogue' ... 'rouge'"),
    ],
)
def test_invalid_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["rouge", "--peers", "peers", "--references", "references", *options])
    assert re.search(mentions(message), capsys.readouterr().err)


def test_inputs_are_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_summaries(tmp_path)
    peers = str(tmp_path / "peers")
    assert main(["rouge", "--peers", peers, "--references", peers, "--output", peers]) == 2
    assert re.search(mentions("peers: ... also an input ... --output"), capsys.readouterr().err)


def test_an_archive_with_inputs_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = tmp_path / "eval.tar.gz"
    archive.write_bytes(tar({f"peers/{name}": text.encode() for name, text in PEERS.items()}))
    before = archive.read_bytes()
    peers = f"{archive}/peers"
    assert main(["rouge", "--peers", peers, "--references", peers, "--output", str(archive)]) == 2
    assert re.search(mentions("eval.tar.gz: ... also an input ... --output"), capsys.readouterr().err)
    assert archive.read_bytes() == before


@pytest.mark.parametrize("name", ["D0101.M.100.A.1", "scores.tsv"])
def test_scores_are_not_written_among_summaries(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The scores replaced a summary, or the next call read the scores as a summary."""
    write_summaries(tmp_path)
    places = ["--peers", str(tmp_path / "peers"), "--references", str(tmp_path / "references")]
    assert main(["rouge", *places, "--output", str(tmp_path / "peers" / name)]) == 2
    assert re.search(mentions("folder of summaries ... --output"), capsys.readouterr().err)
    assert {file.name for file in (tmp_path / "peers").iterdir()} == set(PEERS)


def test_limits_and_stop_words_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By hand: of "a b c d", "a b" remain, of which one is a stop word, against "a x" of "a x y"."""
    for name, text in {"peers/D1.1": "a b c d", "references/D1.A": "a x y"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "words.txt").write_text("b\n")
    places = ("--peers", tmp_path / "peers", "--references", tmp_path / "references", "--stem", "rouge", "--no-wordnet")
    status = run(
        *("rouge", *places, "--pattern", "{topic}.{author}", "--n", "1,L", "--values", "recall,precision"),
        *("--stop-words", tmp_path / "words.txt", "--max-words", 2, "--max-bytes", 100, "--output", tmp_path / "r.tsv"),
    )
    assert status == 0
    said, error = capsys.readouterr()
    assert "note: cut to 2 words and 100 bytes: 1 of 1 summaries and 1 of 1 references" in error
    assert "note: without WordNet, " in error
    assert "ROUGE-1.5.5 -b cuts none for L and W" in error
    header, row = (tmp_path / "r.tsv").read_text().splitlines()[-2:]
    values = dict(zip(header.split("\t"), row.split("\t"), strict=True))
    assert (float(values["rouge_1"]), float(values["rouge_1_p"])) == (0.5, 1.0)
    assert "|max-words:2|max-bytes:100" in said.replace("\n  ", "")
