"""Markdown tables for the documents that `record.py` writes."""

from __future__ import annotations

import re
from collections.abc import Sequence

_JUDGES = {"columns": "(Brier|ECE), own|alpha|(rho|tau), .*"}
_UNCALIBRATED = {**_JUDGES, "parts": r"\| judge \| (Brier|r, system)"}
_COUNTS = "pairs|ROUGE-1|not exact"
_CORRELATIONS = r"rho, .*|tau, summary|systems|topics|95 % interval"
LEFT_OUT: dict[str, dict[str, str]] = {
    "accuracies": {"columns": "counted pair by pair|with another seed|tie-held-out", "rows": r".*\| ROUGE-L"},
    "answers": {"rows": r".*\| 0 \|$"},
    "automatic_essays": {"columns": "V|B-cubed"},
    "automatic_scores": {"columns": _CORRELATIONS},
    "automatic_topics": {"columns": "V|B-cubed"},
    "build_speed": {"columns": "sum", "rows": r".*\| pyramid \|"},
    "collection": {"columns": "of the pairs", "rows": r".*\| 0\.45 \|"},
    "conformance": {"columns": "evaluator", "rows": ".*does not have this metric"},
    "contamination_unrelated": {"columns": "[567] words"},
    "dimple": {"parts": r".*EP@10, plain|\| (verb|quality)"},
    "duc2005": {"columns": ".* rho", "parts": r"\* `"},
    "factorization_speed": {"columns": "objective after (2|5|20|40)"},
    "false_alarms": {"columns": "F|.*, rho"},
    "judges_duc2007": _UNCALIBRATED,
    "judges_people": _UNCALIBRATED,
    "judges_realsumm": _UNCALIBRATED,
    "judges_summhay": _UNCALIBRATED,
    "free_counts": {"columns": "pyramids"},
    "library_cost": {"columns": "metrics by modules, s|by arithmetic alone, s"},
    "meta_resampling": {"columns": "level", "rows": r".*\| summary \|"},
    "model_worth": {
        "columns": "ranking MRR",
        "rows": r"\| (ranking MRR|MiniLM, \d+ dimensions)",
        "parts": ".*over all 17 models",
    },
    "mutants": {"rows": r".*\| 0 \| 100\.0% \| 100\.0% \|$"},
    "near_copies": {"columns": "truncate_dim=320"},
    "negative_types": {"columns": "other"},
    "pair_baselines": {"rows": r"\| random"},
    "packaged_models": {"columns": "`binary`, F"},
    "pair_readings": {"rows": ".*personal, reflexive", "columns": "excluded pronouns|words per text|random"},
    "paper": {"rows": r"\| (constant|length|overlap|options-only|tf-idf|char-ngrams|MiniLM)"},
    "paper_share": {"rows": r"\| constant"},
    "paraphrase_weights": {"columns": f"{_CORRELATIONS}|{_COUNTS}", "rows": r"\| (no table|WordNet:|.*para|.*-2 )"},
    "people": {"columns": "MRR|best F"},
    "people_as_systems": {"columns": "rho, .*|tau, summary|topics with a correlation"},
    "peers": {"columns": "precision|recall|accuracy"},
    "people_agreement": {"columns": "same for .*"},
    "phrase_extraction": {"rows": r"\| Moses, "},
    "pit": {"columns": "P|R"},
    "pit_tests": {"columns": "p", "rows": r".*\| random|\| max_f1"},
    "pit_trained": {"columns": "P|R"},
    "presence_scores": {"columns": "rho, .*"},
    "propsegment_compositions": {"columns": ".*, F"},
    "propsegment_models": {"rows": r"\| (MiniLM|tf-idf|one-hot|constant|random)"},
    "propsegment_packaged_models": {"columns": "parameters|.*, F"},
    "qapyramid_votes": {"parts": r"\| votes"},
    "question_readings": {
        "columns": "one-hot, MRR|length|overlap",
        "rows": r".*\| (1 \| personal|3 \| all|3 .*\| no \|)",
    },
    "rose": {"columns": "Spearman.*|.*tau-b, summary"},
    "second_evaluation": {"rows": r"\| (with `|`import numpy)"},
    "stability": {"rows": r"\| batches of (8|64) "},
    "summary_metrics": {
        "columns": f"{_CORRELATIONS}|{_COUNTS}",
        "rows": r"\| (ROUGE-\S+, stems: porter|SCUs:|all of them)",
    },
    "summhay": {"columns": "`presence`, .*", "parts": "`presence` summaries"},
    "summhay_judges": {"columns": "mean coverage by people"},
    "superpal_models": {"rows": r"\| (constant|random)"},
    "vector_files": {"columns": "ratio"},
    "vote_models": {"parts": r"\| seconds"},
}
"""What the pages leave out of the tables that a script prints: constants, values that another table of the pages has,
and variants that change little."""


def tabulate(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Render a table of Markdown cells, the first column aligned to the left, all others to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def leave_out(text: str, columns: str = "", rows: str = "", parts: str = "") -> str:
    """Shorten a text, above all its tables.

    Args:
        text: Markdown whose parts are separated by empty lines. Cells contain no "|".
        columns: A pattern for the whole titles of columns to leave out.
        rows: A pattern for the beginnings of the lines of rows to leave out.
        parts: A pattern for the beginnings of paragraphs, lists and tables to leave out.
    """
    kept_parts = []
    for part in text.split("\n\n"):
        if parts and re.match(parts, part):
            continue
        lines = part.splitlines()
        if part.startswith("| "):
            titles = _split_row(lines[0])
            places = [place for place, title in enumerate(titles) if not (columns and re.fullmatch(columns, title))]
            lines = [*lines[:2], *(line for line in lines[2:] if not (rows and re.match(rows, line)))]
            lines = [f"| {' | '.join(_split_row(line)[place] for place in places)} |" for line in lines]
        kept_parts.append("\n".join(lines))
    return "\n\n".join(kept_parts)


def _split_row(line: str) -> list[str]:
    return [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]
