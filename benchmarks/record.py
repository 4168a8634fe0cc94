"""Measure everything, and write it between the marks in benchmarks/README.md and dataset_card.md.

usage: record.py SOURCE MODEL [NAME...]      (NAMEs of sections; all without)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import anchors
import build_speed
import counts
import shortcuts
import tokenizer

from pyramid_paraphrase.corpus import read_corpus
from pyramid_paraphrase.pyramid_scores import compare_with_official, parse_official, score_peers

HERE = Path(__file__).parent
DOCUMENTS = (HERE / "README.md", HERE.parent / "dataset_card.md")


def render_scores(source: str) -> str:
    """One line on the agreement with the published table inside the source."""
    corpus = read_corpus(source)
    (table,) = corpus.score_tables
    agreement = compare_with_official(score_peers(corpus.annotations), parse_official(table))
    return f"{agreement.agreeing} of {agreement.rows} published rows are reproduced: score, SCUs and repetitions."


def write_section(name: str, text: str) -> None:
    """Put a text between the marks of a section, wherever they are."""
    for path in DOCUMENTS:
        marks = re.compile(rf"(<!-- begin: {name} -->\n).*?(<!-- end: {name} -->)", re.DOTALL)
        old = path.read_text(encoding="utf-8")
        path.write_text(marks.sub(lambda match: match[1] + text + "\n" + match[2], old), encoding="utf-8")


def main(source: str, model: str, *names: str) -> None:
    """Measure and write the sections."""
    sections: dict[str, Callable[[], str]] = {
        "tokenizer": lambda: tokenizer.render(source),
        "counts": lambda: counts.render(source),
        "anchors": lambda: anchors.render(source),
        "shortcuts": lambda: shortcuts.render(source, model),
        "scores": lambda: render_scores(source),
        "build_speed": lambda: build_speed.render(Path(source)),
    }
    for name in names or sections:
        write_section(name, sections[name]())


if __name__ == "__main__":
    main(*sys.argv[1:])
