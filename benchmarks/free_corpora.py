"""Tests made from freely licensed corpora: sizes, kinds of entailment, and time.

usage: free_corpora.py CORPORA MODEL      (CORPORA: folder with `propsegment` and `superpal`; MODEL: as for models.py)
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from models import MODEL_NAME

from harness.evaluation.layout import lay_out_tests
from harness.evaluation.runner import Settings, Suite, evaluate_model
from harness.models.loading import load_model
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PYRAMID_TESTS
from pyramid_paraphrase.words import FUNCTION_WORDS

COLLECTIONS = {"PropSegmEnt": "propsegment", "SuperPAL": "superpal"}
"""Folders by the title of the collection."""

RULES = ("mutual", "either")
FACTOR = 10
ROUNDS = 3
_PARTS = ("document_clusters", "propositions", "relationships")


def render_counts(corpora: Path) -> str:
    """Render a Markdown table of the sizes and fingerprints of all tests."""
    columns = ("pyramids", "scus", "propositions", "positives", "negatives", "questions")
    lines = [
        f"| collection | configuration | {' | '.join(columns).replace('scus', 'SCUs')} | fingerprint |",
        "| --- | --- |" + " ---: |" * len(columns) + " --- |",
    ]
    for title, folder in COLLECTIONS.items():
        corpus = read_corpus(corpora / folder)
        for name in PYRAMID_TESTS:
            test = build_test(corpus, name)
            numbers = " | ".join(f"{test.counts[column]:,}" if column in test.counts else "" for column in columns)
            lines.append(f"| {title} | `{name}` | {numbers} | `{test.fingerprint[:12]}` |")
    return "\n".join(lines)


def render_entailment(corpora: Path, model: str) -> str:
    """Render a Markdown table of tests on PropSegmEnt with mutual entailment, and with entailment in any direction."""
    specs = ("options-only", "overlap", "one-hot", "tf-idf", f"{model},name={MODEL_NAME}")
    models = [load_model(spec) for spec in specs]
    names = [loaded.name for loaded in models]
    lines = [
        f"| entailment | configuration | questions | {' | '.join(names)} |",
        "| --- | --- | ---: |" + " ---: |" * len(names),
    ]
    corpus = read_corpus(corpora / COLLECTIONS["PropSegmEnt"])
    for rule in RULES:
        for name in ("ranking", "ranking_matched"):
            test = build_test(corpus, name, {"entailment": rule})
            suite = Suite(*lay_out_tests([test]))
            values = []
            for loaded in models:
                result = evaluate_model(loaded, suite, Settings(quiet=True))
                values.append(f"{result.tests[name].metrics['success_rate']:.3f}")
            lines.append(f"| `{rule}` | `{name}` | {test.counts['questions']:,} | {' | '.join(values)} |")
    return "\n".join(lines)


_MEASURE = """
import json, sys, time
import datasets, pandas, pyarrow
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.reading import read_corpus
started = time.process_time()
corpus = read_corpus(sys.argv[1])
times = [time.process_time() - started]
for name in ("binary", "ranking", "binary_matched", "ranking_matched"):
    started = time.process_time()
    build_test(corpus, name)
    times.append(time.process_time() - started)
(peak,) = [line.split()[1] for line in open("/proc/self/status").read().splitlines() if line.startswith("VmHWM")]
print(json.dumps([times[0], sum(times[1:]), len(corpus.pyramids), corpus.accounts.contributors_read, int(peak) / 1024]))
"""


def render_speed(corpora: Path) -> str:
    """Render a Markdown table of the time and memory of building all four tests, from files to tables."""
    source = corpora / COLLECTIONS["PropSegmEnt"]
    lines = [
        "| corpus | pyramids | propositions | read, s | build, s | peak, MiB |",
        "| --- |" + " ---: |" * 5,
    ]
    with tempfile.TemporaryDirectory() as temporary:
        large = Path(temporary, "large")
        large.mkdir()
        multiply(source, large, FACTOR)
        for title, folder in (("PropSegmEnt, development split", source), (f"the same, {FACTOR} times", large)):
            read, build, pyramids, propositions, peak = min(_measure(folder) for _ in range(ROUNDS))
            lines.append(f"| {title} | {pyramids:,} | {propositions:,} | {read:.2f} | {build:.2f} | {peak:,.0f} |")
    return "\n".join(lines)


def _measure(source: Path) -> list[float]:
    command = [sys.executable, "-c", _MEASURE, str(source)]
    result: list[float] = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    return result


def multiply(source: Path, folder: Path, factor: int) -> None:
    """Write several copies of PropSegmEnt into one set of files, each with other clusters and other content words."""
    for part in _PARTS:
        entries = json.loads(gzip.decompress((source / f"{part}.dev.json.gz").read_bytes()))
        copies = [_change(entry, number) for number in range(factor) for entry in entries]
        (folder / f"{part}.json").write_text(json.dumps(copies), encoding="utf-8")


def _change(value: Any, number: int) -> Any:  # noqa: ANN401
    """Change the clusters, documents and content words of an entry."""
    if isinstance(value, list):
        return [_change(item, number) for item in value]
    if not isinstance(value, dict):
        return value
    if "sentence_text" in value:
        return _change_sentence(value, number)
    changed = {key: _change(item, number) for key, item in value.items()}
    if "document" in value:
        changed["document"] = _replace_sentences(value, changed["sentences"])
    for key in changed:
        if key == "cluster_id" or key.endswith("document_id"):
            changed[key] = f"{changed[key]}.{number}"
    return changed


def _replace_sentences(document: dict[str, Any], sentences: list[dict[str, Any]]) -> str:
    """Replace the sentences in the text of a document."""
    pieces, end = [], 0
    for old, new in zip(document["sentences"], sentences, strict=True):
        start = document["document"].index(old["sentence_text"], end)
        pieces += [document["document"][end:start], new["sentence_text"]]
        end = start + len(old["sentence_text"])
    return "".join([*pieces, document["document"][end:]])


def _change_sentence(sentence: dict[str, Any], number: int) -> dict[str, Any]:
    """Change the ending of every content word, and move the tokens after it."""
    pieces, tokens, end, shift = [], [], 0, 0
    for token in sentence["tokens"]:
        start, text = token["character_offset_of_token_in_sentence"], token["text"]
        ending = chr(ord("a") + number) * 2 if text.isalpha() and text.lower() not in FUNCTION_WORDS else ""
        pieces.append(sentence["sentence_text"][end:start] + text + ending)
        tokens.append({"text": text + ending, "character_offset_of_token_in_sentence": start + shift})
        end, shift = start + len(text), shift + len(ending)
    pieces.append(sentence["sentence_text"][end:])
    return {**sentence, "sentence_text": "".join(pieces), "tokens": tokens}


if __name__ == "__main__":
    folder, minilm = Path(sys.argv[1]), sys.argv[2]
    for text in (render_counts(folder), render_entailment(folder, minilm), render_speed(folder)):
        print(text, end="\n\n")
