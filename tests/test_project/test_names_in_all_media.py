"""Every place that shows a name or a text of a stranger, with a hostile one, and the bytes that each place writes.

A place is a command or a function. Reports reach users through few functions, the `SINKS`. A profiler notes which
functions call them while the places run, and the sources tell which functions call them at all. The two must be equal.
"""

from __future__ import annotations

import ast
import contextlib
import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

import pytest
from helpers import submissions
from helpers.annotations import PYRAMID
from helpers.checkout import ROOT, list_sources
from helpers.pair_corpora import write_pit
from helpers.ranked_paraphrases import make_table, write_pairs
from helpers.sheets import fill_with_errors
from helpers.summary_scores import make_score_table

import harness
import pyramid_paraphrase
from harness.cards import yaml_edits
from harness.cards.writing import render_snippet, write_card
from harness.cli import main
from harness.evaluation.people.sheets import choose_rows, make_form, render_sheet
from harness.evaluation.results import parse_record
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.files import table_forms
from harness.leaderboards.audits.audits import audit_corpus, compare_scores, make_report
from harness.leaderboards.board import write_board
from harness.leaderboards.candidates import Candidate, read_candidates
from harness.leaderboards.contamination.prints import render_prints
from harness.leaderboards.site.pages import render_site
from harness.leaderboards.submissions import write_submission
from harness.models.loading import load_model
from harness.rendering import pages, pictures, reports
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.scores import MeasureScores
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.escaping import escape
from pyramid_paraphrase.files import tab_separated
from pyramid_paraphrase.pyramids.pyramid_scores import PeerScore, PeerScores

pytestmark = pytest.mark.full

VISIBLE = r"=cmd|'C x'!A1 <img src=x onerror=evil> | \input{evil} $x$ `y`"
MARKS = "\u0301" * 40
EVIL = f"{VISIBLE}\u202eevil{MARKS}\u200b\u3164"
"""A name that a spreadsheet runs, a page loads, LaTeX reads a file for, and that changes the direction of a line. Its
marks cover the lines above."""

FULL = f"{EVIL}\x1b[2J\n=forged"
"""Where texts may have several lines."""

SINKS = {
    function.__code__: function.__name__
    for function in (
        *(reports.render_report, reports.grid_csv, pages.render_page),
        *(table_forms.render_table_file, table_forms.render_sheet_file, table_forms.render_csv_rows),
        *(tab_separated.render_rows, pictures.make_figure, pictures.plot_charts, pictures.draw_picture),
        yaml_edits.render_yaml,
    )
}
OWN = {
    *("harness.rendering.reports", "harness.rendering.pictures"),
    *("harness.files.table_forms", "harness.cards.yaml_edits"),
}
"""The modules whose functions call each other."""

_NUMBER = re.compile(r"[+-]?\d*\.?\d+(e[+-]?\d+)?")

Outputs = Mapping[str, str]
"""What a place writes, by name of a file. The suffix names the medium. Standard output is a .txt file."""


class Place(NamedTuple):
    """A place that shows names.

    Attributes:
        name: The command or function.
        run: Runs it on the files in a folder. It writes to the folder of the second argument, or returns texts by name.
    """

    name: str
    run: Callable[[Path, Path], Outputs | None]


def command(*arguments: str) -> Place:
    """Run a command. In its arguments, IN and OUT are the folders of the inputs and of the outputs."""

    def run(inputs: Path, outputs: Path) -> None:
        filled = [part.replace("IN/", f"{inputs}/").replace("OUT/", f"{outputs}/") for part in arguments]
        assert main(filled) == 0, arguments

    return Place(" ".join(arguments), run)


def spread(*arguments: str, suffixes: str) -> list[Place]:
    """Run a command once per format of its report."""
    return [command(*arguments), *(command(*arguments, "--output", f"OUT/x{suffix}") for suffix in suffixes.split())]


def show_objects(inputs: Path, outputs: Path) -> Outputs:
    """Show the objects of `import harness` in the interpreter and in notebooks."""
    del outputs
    results = harness.read_results(inputs / "results")
    shown = [results, results.compare(resamples=5), results.errors("sample")]
    texts = {f"{type(thing).__name__}.txt": repr(thing) for thing in [*shown, results[0]]}
    texts |= {f"{type(thing).__name__}.html": thing._repr_html_() for thing in [*shown, results[0]]}
    places = product(range(3), range(4))
    values = {(f"D{topic}{EVIL}", f"{system}{EVIL}"): float(system) for topic, system in places}
    measures = [[MeasureScores(f"{EVIL}{name}", EVIL, values)] for name in ("metric", "judgement")]
    correlations = evaluate_metrics(*measures)
    texts["correlations.html"] = correlations._repr_html_()
    plotted = {
        "correlations": correlations.plot(),
        "values": results.plot(),
        "scores": results.plot("binary"),
        "differences": shown[1].plot(),
    }
    texts |= {f"{name}.svg": pictures.render_figure(figure, "svg").decode() for name, figure in plotted.items()}
    records = [results[0].record, *results[0].tests.values(), *shown[1], *shown[2].analyses]
    texts |= {f"{number}.repr": repr(record) for number, record in enumerate(records)}
    return texts | {"str.txt": str(results[0]), "format.txt": f"{results[0]}"}


def show_corpus(inputs: Path, outputs: Path) -> Outputs:
    del outputs
    corpus = pyramid_paraphrase.read_corpus(inputs / "annotations")
    scores, splits = PeerScores([PeerScore(FULL, FULL, "", 0, 0, 1, 0)]), pyramid_paraphrase.load("binary", "sample")
    splits["test"].info.description = FULL
    pages = {"corpus.html": corpus, "scores.html": scores, "splits.html": splits}
    texts = {name: thing._repr_html_() for name, thing in pages.items()}
    return {"corpus.txt": repr(corpus), "all.repr": repr(corpus.all_pyramids), **texts}


def show_sheet(inputs: Path, outputs: Path) -> Outputs:
    del inputs, outputs
    suite = submissions.load_sample()
    rows = suite.rows[0]
    texts = [f"{FULL} {text}" for text in suite.texts]
    sheet = render_sheet(rows, texts, choose_rows(rows, 10, 0), make_form(rows.test.configuration, 0))
    return {"sheet.csv": sheet.decode("utf-8-sig")}


def enter_card(inputs: Path, outputs: Path) -> Outputs:
    results = list(harness.read_results(inputs / "results"))
    write_card(results[:1], outputs, "someone/data")
    return {"snippet.md": render_snippet(results[:1], results[1:])}


def show_site(inputs: Path, outputs: Path) -> Outputs:
    """Render a leaderboard with a submission. Its texts are checked when it is read, but its title is not."""
    del inputs
    board = write_board(outputs / "board", "Sample models", submissions.load_sample().tests)
    write_submission(board, submissions.make_overlap_result(), submissions.FORM)
    candidates = [outcome for _, outcome in read_candidates(board, set()) if isinstance(outcome, Candidate)]
    site = render_site(replace(board, title=FULL), candidates, set())
    return {path.replace("/", "-"): page for path, page in site.items()}


def show_audit(inputs: Path, outputs: Path) -> Outputs:
    """Audit a corpus and a model with hostile names."""
    del inputs
    suite = submissions.load_sample()
    hashes = {rows.test.fingerprint: render_prints(suite.texts, rows) for rows in suite.rows}
    board = write_board(outputs / "board", "Sample models", suite.tests, hashes=hashes)
    corpus = outputs / f"corpus{EVIL}"
    corpus.write_text("\n".join(suite.texts), encoding="utf-8")
    arguments = [*map(str, (board.folder, corpus)), "--workers", "1", "--record", EVIL.replace("\u202e", "")]
    assert main(["leaderboard", "audit", *arguments, "--output", str(outputs / "command.md")]) == 0
    outcome = audit_corpus(board, [corpus], FULL)
    scores = compare_scores(board, outcome, [submissions.make_overlap_result()])
    report = make_report(outcome, [score._replace(model=FULL) for score in scores])
    texts = {}
    for form, suffix in reports.REPORT_FORMATS.items():
        if form != "xlsx":
            texts[f"audit{suffix}"] = reports.require_text(reports.render_report(report, form))
    return texts


RESULT_SUFFIXES = ".txt .md .tex .csv .tsv"
ANNOTATED = ("annotate", "score", f"IN/{EVIL}.csv", f"IN/b{EVIL}.csv", "--data", "sample")
AGREED = (
    "annotate",
    "agreement",
    *ANNOTATED[2:4],
    "IN/voted",
    f"IN/two/{EVIL}.pyr",
    f"IN/two/b{EVIL}.pyr",
    *ANNOTATED[4:],
)
PIT = ("--labels", "IN/pit/test.label", f"IN/{EVIL}.output", "IN/b.output")
CORRELATED = ("meta-eval", "IN/scores.tsv", "--judgements", f"IN/judged{EVIL}.tsv", "--resamples", "9")
PAIRS = f"{VISIBLE.replace('=', ':')}=IN/pairs"
SUMMARIES = ("--peers", "IN/peers", "--references", "IN/references")
PLACES = (
    *spread("report", "IN/results", suffixes=f"{RESULT_SUFFIXES} .html"),
    *spread("report", "IN/judged", "--agreement", "--data", "sample", suffixes=f"{RESULT_SUFFIXES} .html"),
    command("report", "IN/judged", "--agreement", "--plot", "OUT/x.svg"),
    command("report", "IN/results", "--by-topic", "--output", "OUT/x.csv"),
    *spread("compare", "IN/results", "--resamples", "5", suffixes=f"{RESULT_SUFFIXES} .json .html"),
    *spread("errors", "IN/results", "--data", "sample", suffixes=f"{RESULT_SUFFIXES} .json .html"),
    command("card", "IN/results", "--model", EVIL, "--print", "--dataset-repo", "someone/data"),
    Place("write_card", enter_card),
    Place("objects of harness", show_objects),
    Place("Corpus", show_corpus),
    command("inspect", "IN/annotations", "IN/broken", "--list"),
    command("inspect", "IN/annotations", "IN/broken", "--html", "OUT/pages"),
    command("inspect", f"IN/two/{EVIL}.pyr", f"IN/two/b{EVIL}.pyr", "--html", "OUT/pages"),
    command("pairs", "IN/annotations", "--output", "OUT/x.csv", "--plot", "OUT/x.svg"),
    command("pairs", "IN/annotations", "--output", "OUT/x.tsv"),
    Place("annotate sample", show_sheet),
    *spread(*AGREED, suffixes=f"{RESULT_SUFFIXES} .json .html"),
    *spread(*ANNOTATED, suffixes=f"{RESULT_SUFFIXES} .json"),
    *spread("annotate", "pyramids", f"IN/two/{EVIL}.pyr", f"IN/two/b{EVIL}.pyr", suffixes=f"{RESULT_SUFFIXES} .json"),
    *spread("annotate", "votes", "IN/voted", "--resamples", "5", suffixes=f"{RESULT_SUFFIXES} .json"),
    command("annotate", "votes", "IN/voted", "--hold-out", f"a{EVIL}", "--save", "OUT/held"),
    *spread("pit", "score", *PIT, suffixes=f"{RESULT_SUFFIXES} .json"),
    *spread("pit", "compare", *PIT, suffixes=f"{RESULT_SUFFIXES} .json"),
    *spread(*CORRELATED, "--plot", "OUT/x.svg", suffixes=f"{RESULT_SUFFIXES} .json"),
    *spread("dimple", "score", "IN/lists.jsonl", suffixes=f"{RESULT_SUFFIXES} .json"),
    command("dimple", "sheet", "IN/lists.jsonl", "--output", "OUT/x.csv"),
    command("dimple", "meta", "IN/lists.jsonl", "--pairs", PAIRS, "--output", "OUT/dimple"),
    command("dimple", "count", "--pairs", PAIRS, "--output", "OUT/x.tsv"),
    command("coverage", "--pyramids", "IN/annotations", "--table", f"IN/table{EVIL}.tsv", "--output", "OUT/x.csv"),
    command("collection", "filter", "IN/sentences.tsv", "--output", "OUT/x.tsv"),
    command("collection", "next", "IN/questions.tsv", "--output", "OUT/x.tsv"),
    command("collection", "agreement", "IN/votes.tsv", "--output", "OUT/x.tsv"),
    command("collection", "agreement", "IN/votes.tsv", "--expert", "IN/grades.tsv", "--plot", "OUT/x.svg"),
    command("collection", "simulate", "IN/pit", "--runs", "2", "--plot", "OUT/x.svg"),
    *(command("rouge", *SUMMARIES, "--output", f"OUT/x{suffix}") for suffix in (".tsv", ".csv", ".json")),
    command("paraeval", *SUMMARIES, "--output", "OUT/x.tsv", "--pairs", "OUT/y.tsv", "--matches", "OUT/z.tsv"),
    command("paraeval", *SUMMARIES, *("--table", f"IN/table{EVIL}.tsv", "--matches", "OUT/x.csv", "--sample", "9")),
    command("paraeval", *SUMMARIES, *("--table", f"IN/table{EVIL}.tsv", "--weighted", "--plot", "OUT/x.svg")),
    command("paraeval", *SUMMARIES, "--show", "D0101", VISIBLE),
    command("paraeval", *SUMMARIES, "--show", "D0101", VISIBLE, "--html", "OUT/x.html"),
    Place("leaderboard render", show_site),
    Place("leaderboard audit", show_audit),
)


def poison(value: Any, whole: dict[str, Any], path: str = "") -> None:  # noqa: ANN401
    """Replace each text of a result by a hostile one, if the reader of results accepts it."""
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(part, dict | list):
            poison(part, whole, f"{path}.{key}")
        elif isinstance(part, str):
            for text in (FULL, EVIL, "<img evil>\u202e"):
                value[key] = text
                with contextlib.suppress(InputError):
                    parse_record(whole, path)
                    break
                value[key] = part


def write_results(folder: Path, test_name: str | None = None) -> None:
    """Write poisoned results on the tests of the sample, or on one other test of it."""
    for number, spec in enumerate(("one-hot", "tf-idf", "overlap")):

        def edit(record: dict[str, Any], number: int = number) -> None:
            record["model"]["effective"] = {"prompt": FULL, "max_tokens": 9}
            record["model"]["text_counts"] = {"cut_texts": 2, "cut_tokens": 3}
            record["model"]["training_data"] = ["snli", FULL[:200]]
            date = record["time"]["date"]
            poison(record, record)
            record["time"]["date"] = date  # a card needs a valid one
            record["model"]["name"] = f"{EVIL}{number or ''}"
            tests = record["tests"].values()
            for free in (record["model"]["options"], record["versions"], *(test["options"] for test in tests)):
                free[EVIL] = next(iter(free.values()), 1)  # names that the reader of results accepts
            for test in tests:
                test["counts"][EVIL] = 1

        result = submissions.evaluate_sample(spec, 10)
        if test_name is not None:
            suite = load_suite("sample", test_name)
            result = evaluate_model(load_model(spec), suite, Settings(resamples=10, quiet=True))
        submissions.change(result, edit, sign=False).write(folder)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    write_results(folder / "results")
    write_results(folder / "judged", "presence")
    for name in ("annotations", "broken"):
        (folder / name).mkdir()
    (folder / "annotations" / f"D0901{EVIL}.pyr").write_bytes(
        PYRAMID.replace(b'uid="2"', f"uid={quoteattr(EVIL)}".encode())
    )
    (folder / "broken" / f"{FULL}.pyr").write_bytes(b"<evil/>")
    (folder / "two").mkdir()
    for name, uid in ((f"{EVIL}.pyr", b'uid="2"'), (f"b{EVIL}.pyr", b'uid="3"')):
        (folder / "two" / name).write_bytes(PYRAMID.replace(b'uid="2"', uid))
    assert (
        main(["annotate", "sample", "sample", "--task", "binary", "--rows", "9", "--output", f"{folder}/sheet.csv"])
        == 0
    )
    for name, wrong in ((f"{EVIL}.csv", (1, 2)), (f"b{EVIL}.csv", (2, 3))):
        fill_with_errors(folder / "sheet.csv", folder / name, "binary", wrong)
    count = len((write_pit(folder / "pit") / "test.label").read_text().splitlines())
    for name in (f"{EVIL}.output", "b.output"):
        (folder / name).write_text("true\t1.0000\n" * (count - 1) + "false\t0.0000\n")
    table = make_score_table().replace("\t1\t", f"\t{VISIBLE}\t").replace("good", VISIBLE)
    (folder / "scores.tsv").write_text(table)
    (folder / f"judged{EVIL}.tsv").write_text(table.replace("noise", f"{VISIBLE}2"))
    write_pairs(folder / "pairs")
    (folder / "lists.tsv").write_text(make_table().replace("pivot", VISIBLE).replace("spotted", EVIL))
    assert main(["dimple", "convert", f"{folder}/lists.tsv", "--output", f"{folder}/lists.jsonl"]) == 0
    (folder / "questions.tsv").write_text(f"topic\toriginal\tcandidate\n{EVIL}\t{EVIL} a\t{EVIL} b\n")
    (folder / "sentences.tsv").write_text("topic\tsentence\n" + "".join(f"{EVIL}\t{EVIL} {n}\n" for n in "abcdef"))
    votes = "".join(f"{EVIL}{item}\t{person}{EVIL}\t{item % 2}\n" for item in range(4) for person in "abc")
    (folder / "votes.tsv").write_text(f"item\tannotator\tvote\n{votes}")
    units = {f"{EVIL}{item}": [[f"{person}{EVIL}", item % 2] for person in "abc"] for item in range(4)}
    (folder / "voted").mkdir()
    (folder / "voted" / "QA_presence.json").write_text(json.dumps({"s": {"d": {EVIL: units}, "e": {EVIL: units}}}))
    grades = "".join(f"{EVIL}{item}\t{item}\n" for item in range(4))
    (folder / "grades.tsv").write_text(f"item\tgrade\n{grades}")
    (folder / f"table{EVIL}.tsv").write_text("burned\tdown\t0.5\n")
    for author, part in ((VISIBLE, "peers"), ("b", "peers"), (VISIBLE, "references"), ("A", "references")):
        (folder / part).mkdir(exist_ok=True)
        (folder / part / f"D0101.{author}.txt").write_text(f"The mill {EVIL}\x1b[2J burned down.\n")
    return folder


@pytest.fixture(scope="module")
def shown(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[Place, Outputs], set[tuple[str, str]]]:
    """What each place wrote, and the functions that called a sink: the name of a module and of a function."""
    callers: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        del argument
        if event == "call" and frame.f_code in SINKS:
            caller = frame.f_back
            while caller and caller.f_code.co_name.startswith("<"):  # of a comprehension
                caller = caller.f_back
            if caller:
                callers.add((caller.f_globals["__name__"], caller.f_code.co_name))

    written: dict[Place, Outputs] = {}
    for place in PLACES:
        outputs, stream = tmp_path_factory.mktemp("outputs"), io.StringIO()
        sys.setprofile(note)
        try:
            with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
                texts = place.run(inputs, outputs) or {}
        except AssertionError:
            raise AssertionError(f"{place.name}: {stream.getvalue()}") from None
        finally:
            sys.setprofile(None)
        files = {path.name: path for path in outputs.rglob("*") if path.suffix in MEDIA}
        written[place] = {"stdout.txt": stream.getvalue(), **texts} | {
            name: path.read_text("utf-8-sig") for name, path in files.items()
        }
    return written, callers


def check_cells(text: str, delimiter: str) -> None:
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
        assert not [cell for cell in row if re.match(r"\s*[=+@-]", cell) and not _NUMBER.fullmatch(cell)]


def check_markdown(text: str) -> None:
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)  # the metadata
    text = re.sub(r"(?m)^    .*|(?<!\\)`[^`\n]+`", "", text)  # code, in which nothing has a meaning
    assert not re.search(r"(?<!\\)<img", text)
    table = [line for line in text.splitlines() if line.startswith("|")]
    for line in table:
        assert len(re.findall(r"(?<!\\)\|", line)) in {
            len(re.findall(r"(?<!\\)\|", head)) for head in table if "---" in head
        }


def check_page(text: str) -> None:
    assert "<img" not in text


def check_latex(text: str) -> None:
    commands = re.sub(r"(?m)^%.*", "", text)
    assert r"\input" not in commands
    assert not re.search(r"(?<!\\)[$#]", commands)


MEDIA: dict[str, Callable[[str], object]] = {
    ".txt": str,
    ".repr": str,
    ".md": check_markdown,
    ".tex": check_latex,
    ".html": check_page,
    ".svg": check_page,
    ".csv": lambda text: check_cells(text, ","),
    ".tsv": lambda text: check_cells(text, "\t"),
    ".json": json.loads,
    ".yaml": str,
}
"""What must hold in a medium, besides that everything can be seen, by the suffix of a file."""


@pytest.mark.parametrize(
    "place", PLACES, ids=lambda place: re.sub(r"[^a-zA-Z./]+", "-", f"{place.name[:16]} {place.name[-12:]}")
)
def test_what_a_place_shows_is_harmless(place: Place, shown: tuple[dict[Place, Outputs], Any]) -> None:
    outputs = shown[0][place]
    for name, text in outputs.items():
        suffix = Path(name).suffix
        keep = {".tsv": "\t", ".repr": f"\u3164{MARKS}"}.get(suffix, "")  # Python's own `repr` of records shows these
        assert [line for line in text.split("\n") if escape(line, keep) != line] == [], name
        assert "\n=forged" not in text
        MEDIA[suffix](text)
    assert "evil" in "".join(outputs.values()) or "simulate" in place.name  # which shows no name


def test_every_function_that_writes_a_report_was_a_place(shown: tuple[Any, set[tuple[str, str]]]) -> None:
    called = {(module, name) for module, name in shown[1] if module not in OWN and module.startswith("harness")}
    sources = list_sources("harness")
    assert len(sources) > 200
    assert called == {caller for path in sources for caller in list_callers(path) if caller[0] not in OWN}
    assert (len(PLACES) > 60, len(called) > 20) == (True, True), f"{len(PLACES)} places, {len(called)} functions"
    assert {Path(name).suffix for texts in shown[0].values() for name in texts} == set(MEDIA)


def list_callers(path: Path) -> Iterator[tuple[str, str]]:
    """List the functions of a module that call a sink."""
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for function in ast.walk(ast.parse(path.read_text())):
        if isinstance(function, ast.FunctionDef):
            calls = {
                ast.unparse(node.func).rpartition(".")[2] for node in ast.walk(function) if isinstance(node, ast.Call)
            }
            if calls & set(SINKS.values()):
                yield module, function.name
