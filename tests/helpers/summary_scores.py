"""Scores and judgements for tests, in the formats of NIST, ROUGE and this project. All numbers are made up."""

from __future__ import annotations

from pathlib import Path

TOPICS = tuple(f"D09{number:02}" for number in range(1, 7))
SYSTEMS = ("1", "2", "3", "4", "5")
HUMANS = ("A", "B")


def judge(topic: int, author: int) -> int:
    """Content responsiveness of an author, humans coming last, from 1 to 5."""
    return 5 if author >= len(SYSTEMS) else 1 + (2 * author + topic * author) % 5


def score(topic: int, author: int) -> float:
    """Return a metric that correlates with the judgement, with some noise."""
    return judge(topic, author) / 10 + (3 * topic + 2 * author) % 7 / 100


def noise(topic: int, author: int) -> float:
    """Return a metric that does not correlate with the judgement."""
    return (5 * topic + 3 * author) % 11 / 20


def list_summaries() -> list[tuple[str, str, int, int]]:
    """Yield topics and authors, with their numbers."""
    return [
        (topic, author, number, place)
        for number, topic in enumerate(TOPICS)
        for place, author in enumerate((*SYSTEMS, *HUMANS))
    ]


def make_score_table() -> str:
    """Return a table in the format that commands write."""
    rows = [f"{topic}\t{author}\t{score(t, a):.5f}\t{noise(t, a):.5f}\n" for topic, author, t, a in list_summaries()]
    return "topic\tsystem\tgood\tnoise\n" + "".join(rows)


def make_rouge_output() -> str:
    """Return output of ROUGE-1.5.5 with -d: four sets of references for each system, and one for each human."""
    blocks = []
    for place, author in enumerate((*SYSTEMS, *HUMANS)):
        for metric, measure in (("ROUGE-1", noise), ("ROUGE-2", score)):
            lines = ["-" * 45, *(f"{author} {metric} Average_{kind}: 0.1 (95%-conf.int. 0.1 - 0.2)" for kind in "RPF")]
            lines.append("." * 45)
            for number, topic in enumerate(TOPICS):
                value = measure(number, place)
                for left_out in "ABCD" if author in SYSTEMS else author:
                    shift = "ABCD".index(left_out) / 1000
                    name = f"{topic}.M.250.Z-{left_out}.{author}"
                    lines.append(
                        f"{author} {metric} Eval {name} R:{value + shift:.5f} P:{value / 2:.5f} F:{value / 4:.5f}"
                    )
            blocks += lines
    return "\n".join(blocks) + "\n"


def make_content_table() -> str:
    """Return a table in NIST's format of content responsiveness."""
    return _head("Content Responsiveness Score (1 = very poor...5 = very good)") + "".join(
        f"{topic}\tZ\tY\t{author}\t{judge(t, a)}\n" for topic, author, t, a in list_summaries()
    )


def make_quality_table() -> str:
    """Return a table in NIST's format of linguistic quality, with two assessors for each summary."""
    head = _head("Quality Question Number", "Quality Score (1 = very poor...5 = very good)")
    return head + "".join(
        f"{topic}\tZ\t{assessor}\t{author}\t{question}\t{1 + (a * question + t) % 4 + shift}\n"
        for topic, author, t, a in list_summaries()
        for shift, assessor in enumerate("XY")
        for question in (1, 2)
    )


def _head(*titles: str) -> str:
    names = ("Topic", "Selector", "Assessor", "Summarizer (baseline=1..2; human=A..J; system=3..32)", *titles)
    lines = [names[0], *("|       " * depth + name for depth, name in enumerate(names[1:], 1)), "|       " * len(names)]
    return "\n".join(lines) + "\n"


def make_modified_scores() -> str:
    """Return a table in NIST's format of modified pyramid scores, for half of the topics and all systems but one."""
    return "".join(
        f"{topic}\t{author}\t{judge(t, a) / 6:.4f}\t{a + 2}\t1\t1\t2\t3\t4\t5\t{judge(t, a)}\n"
        for topic, author, t, a in list_summaries()
        if t % 2 == 0 and author in SYSTEMS[1:]
    )


def write_scores(folder: Path) -> None:
    """Return all tables by their names in the documentation."""
    for name, text in (
        ("scores.tsv", make_score_table()),
        ("rougejk.m.out", make_rouge_output()),
        ("content.table", make_content_table()),
        ("linguistic_quality.table", make_quality_table()),
        ("2007_modified_scores.txt", make_modified_scores()),
    ):
        (folder / name).write_text(text)
