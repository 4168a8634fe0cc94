"""Every command that writes, killed before each of its file operations: nothing is lost, and the next run succeeds.

The data are two topics of the sample, so that a run takes a tenth of a second. A room holds an older output, and what
an earlier run that was killed had left.
"""

from __future__ import annotations

import gzip
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from datasets.packaged_modules.cache.cache import Cache
from helpers.commands import run
from helpers.crash_points import kill_everywhere, leave_abandoned
from helpers.earlier_releases import make_earlier_layout
from helpers.file_server import serve_files
from helpers.paraphrase_tables import TSV
from helpers.qapyramid import write_votes
from helpers.sheets import fill

from harness.evaluation.record import TimeRecord
from harness.evaluation.results import Result, read_results
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.files.downloads import RemoteFile, download_files
from harness.leaderboards.board import read_board
from harness.leaderboards.forms import Form
from harness.leaderboards.reproduction import set_up
from harness.leaderboards.submissions import name_submission
from harness.leaderboards.verdicts import enter_submission
from harness.models.files import kept_tests
from harness.models.files.store import TEST_SUFFIX, ModelStore
from harness.models.interfaces.model import Model
from harness.models.loading import load_model
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.loading import fingerprint
from pyramid_paraphrase.publishing.builds import find_last_build, own_builds
from pyramid_paraphrase.pyramids.sources import MANIFEST_NAME

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(sys.platform != "linux", reason="looks up open files in /proc, which is Linux's"),
]

FORM = Form("someone@example.org", "https://example.org/m", "none", "no", "2026-01-02")
FLAGS = ["--contact", FORM.contact, "--model-link", FORM.model_link, "--training-data", "none", "--saw-test-data", "no"]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Old data and new data, of one topic each."""
    folders = []
    for topic in ("S0101", "S0102"):
        folder = tmp_path_factory.mktemp("data") / topic
        folder.mkdir()
        shutil.copy(SAMPLE_DIR / f"{topic}.pyr", folder)
        folders.append(folder)
    return folders[0], folders[1]


@pytest.fixture(scope="module")
def results(sources: tuple[Path, Path]) -> dict[str, Result]:
    suite = load_suite(sources[1], "ranking")
    names = ("one-hot", "tf-idf", "length")
    return {name: evaluate_model(load_model(name), suite, Settings(resamples=100)) for name in names}


@pytest.fixture
def template(tmp_path: Path) -> Path:
    folder = tmp_path / "template"
    folder.mkdir()
    return folder


@pytest.fixture
def room(tmp_path: Path) -> Path:
    return tmp_path / "room"


@pytest.fixture
def board(
    template: Path, sources: tuple[Path, Path], results: dict[str, Result], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A leaderboard in the template; its shortcuts are computed once for all tests."""
    monkeypatch.setattr("harness.leaderboards.reproduction.evaluate_model", lambda model, *_: results[model.name])
    monkeypatch.setattr("harness.leaderboards.reproduction.list_shortcuts", lambda _: ["length"])
    set_up(template / "board", "Two topics", sources[1], ["ranking"])
    return template / "board"


def test_submit(
    board: Path, template: Path, room: Path, results: dict[str, Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed `submit` once left an empty or incomplete folder, so the next one was refused."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767312000")  # 2026-01-02
    path = results["one-hot"].write(template / "results").relative_to(template)
    entered = enter_submission(read_board(board), results["tf-idf"], FORM).relative_to(template)
    new = entered.with_name(name_submission(results["one-hot"].record))
    leave_abandoned(board)

    def submit() -> int:
        return run("submit", room / path, "--to", room / "board", *FLAGS)

    kill_everywhere(submit, template, room, (entered.as_posix(), new.as_posix()))


def test_build_into_the_cache(template: Path, room: Path, sources: tuple[Path, Path]) -> None:
    """After a kill, all configurations are those of one build, with and without the import."""
    old, new = sources
    names = ("ranking", "binary_matched")
    configurations = [argument for name in names for argument in ("--config", name)]
    assert run("build", old, *configurations, "--cache-dir", template / "cache") == 0
    leave_abandoned(template / "cache")
    leave_abandoned(template / "cache" / "pyramid_paraphrase_builds")

    def build() -> int:
        return run("build", new, *configurations, "--cache-dir", room / "cache")

    def check() -> None:
        entries = [find_last_build(name, {}, room / "cache") for name in names]
        assert [entry.sources for entry in entries] in ([(str(old),)] * 2, [(str(new),)] * 2)
        assert [entry.fingerprint for entry in entries] == [
            fingerprint(Cache(str(room / "cache"), "pyramid_paraphrase", name, "auto", "auto").as_dataset())
            for name in names
        ]

    own_builds.clear()  # otherwise this process loads what it built last
    operations = kill_everywhere(build, template, room, ("cache/pyramid_paraphrase",), check)
    assert operations >= 15


def test_build_into_a_cache_of_the_earlier_version(template: Path, room: Path, sources: tuple[Path, Path]) -> None:
    """The folder of its entries is exchanged with the link."""
    old, new = sources
    assert run("build", old, "--config", "ranking", "--cache-dir", template / "cache") == 0
    own_builds.clear()
    make_earlier_layout(template / "cache")

    def build() -> int:
        return run("build", new, "--config", "ranking", "--cache-dir", room / "cache")

    assert kill_everywhere(build, template, room, ("cache/pyramid_paraphrase",)) >= 10


def test_build_into_a_folder(template: Path, room: Path, sources: tuple[Path, Path]) -> None:
    """There was once a moment without either folder."""
    old, new = sources
    assert run("build", old, "--config", "ranking", "--output", template / "built") == 0
    leave_abandoned(template)

    def build() -> int:
        return run("build", new, "--config", "ranking", "--output", room / "built")

    kill_everywhere(build, template, room, ("built",))


def test_build_into_a_folder_where_the_system_cannot_exchange(
    template: Path, room: Path, sources: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old folder is retired for a moment. The next run, even one that is killed as well, brings it back."""
    old, new = sources
    assert run("build", old, "--config", "ranking", "--output", template / "built") == 0
    monkeypatch.setattr("pyramid_paraphrase.files.atomic._find_system_call", lambda: None)
    leave_abandoned(template)

    def build() -> int:
        return run("build", new, "--config", "ranking", "--output", room / "built")

    def check() -> None:
        retired = list(room.glob(".pyramid-paraphrase-*.old"))
        assert any((folder / MANIFEST_NAME).is_file() for folder in (room / "built", *retired))

    kill_everywhere(build, template, room, (), check)


def test_leaderboard_render(board: Path, template: Path, room: Path, results: dict[str, Result]) -> None:
    enter_submission(read_board(board), results["tf-idf"], FORM)
    assert run("leaderboard", "render", board, "--output", template / "site") == 0
    enter_submission(read_board(board), results["one-hot"], FORM)
    leave_abandoned(template)
    kill_everywhere(
        lambda: run("leaderboard", "render", room / "board", "--output", room / "site"), template, room, ("site",)
    )


def test_leaderboard_init(board: Path, template: Path, room: Path, sources: tuple[Path, Path]) -> None:
    """`leaderboard.json` is written after the files that it names; shortcuts once came after it."""
    shutil.rmtree(board)
    board.mkdir()
    leave_abandoned(board)

    def check() -> None:
        if (room / "board" / "leaderboard.json").exists():
            made = read_board(room / "board")
            assert len(made.key(made.tests[0]).ids) > 0
            assert {result.model for result in made.shortcuts} == {"length"}

    kill_everywhere(
        lambda: run("leaderboard", "init", room / "board", "--data", sources[1], "--task", "ranking"),
        template, room, ("board/leaderboard.json", "board/README.md"), check,
    )  # fmt: skip


def test_card(template: Path, room: Path, results: dict[str, Result]) -> None:
    path = results["one-hot"].write(template / "results").relative_to(template)
    (template / "model").mkdir()
    (template / "model" / "README.md").write_text("---\nlicense: mit\n---\n# Model\n")
    leave_abandoned(template / "model")
    arguments = ["--model-dir", room / "model", "--dataset-repo", "someone/data"]
    units = ("model/README.md", "model/.eval_results/pyramid_paraphrase.yaml")
    kill_everywhere(lambda: run("card", room / path, *arguments), template, room, units)


def test_report(template: Path, room: Path, results: dict[str, Result]) -> None:
    results["one-hot"].write(template / "results")
    leave_abandoned(template)
    (template / "report.md").write_text("an older report")
    kill_everywhere(
        lambda: run("report", room / "results", "--output", room / "report.md"), template, room, ("report.md",)
    )


def test_inspect(template: Path, room: Path, sources: tuple[Path, Path]) -> None:
    old, new = sources
    assert run("inspect", old, "--html", template / "pages") == 0
    leave_abandoned(template / "pages")

    def inspect() -> int:
        return run("inspect", old, new, "--html", room / "pages")

    names = ("s0101.html", "s0102.html", "index.html")
    kill_everywhere(inspect, template, room, tuple(f"pages/{name}" for name in names))


def test_annotate(template: Path, room: Path, sources: tuple[Path, Path]) -> None:
    """A sheet that is there already is written again only if it is the same, so that a killed run can be repeated."""
    leave_abandoned(template)
    arguments = [sources[1], "--task", "ranking", "--rows", 4]
    kill_everywhere(
        lambda: run("annotate", "sample", *arguments, "--output", room / "sheet.csv"), template, room, ("sheet.csv",)
    )
    shutil.rmtree(room)
    assert run("annotate", "sample", *arguments, "--output", template / "sheet.csv") == 0
    fill(template / "sheet.csv", template / "anna.csv", lambda _: "a")
    (template / "report.json").write_text("an older report")
    kill_everywhere(
        lambda: run("annotate", "score", room / "anna.csv", "--data", sources[1], "--output", room / "report.json"),
        template, room, ("report.json",),
    )  # fmt: skip


def test_annotate_pyramids(template: Path, room: Path, sources: tuple[Path, Path]) -> None:
    leave_abandoned(template)
    (template / "made").mkdir()
    (template / "report.json").write_text("an older report")
    arguments = [sources[1], "--model", "one-hot", "--no-cache", "--fit", "sample", "--output", room / "report.json"]
    kill_everywhere(
        lambda: run("annotate", "pyramids", *arguments, "--save", room / "made"), template, room, ("report.json",)
    )


def test_annotate_votes(template: Path, room: Path) -> None:
    leave_abandoned(template)
    write_votes(template / "votes")
    (template / "held").mkdir()
    for name in ("labels.zip", "person.zip"):
        (template / "held" / name).write_bytes(b"an older archive")
    arguments = [room / "votes", "--hold-out", "anyone", "--resamples", 9, "--output", room / "report.json"]
    (template / "report.json").write_text("an older report")
    kept = ("report.json", "held/labels.zip", "held/person.zip")
    kill_everywhere(lambda: run("annotate", "votes", *arguments, "--save", room / "held"), template, room, kept)


def test_paraphrases_compile(template: Path, room: Path) -> None:
    leave_abandoned(template)
    (template / "list.tsv").write_text(TSV)
    (template / "list.table").write_bytes(b"an older table")
    kill_everywhere(
        lambda: run("paraphrases", "compile", room / "list.tsv", "--output", room / "list.table"),
        template, room, ("list.table",),
    )  # fmt: skip


def test_paraphrases_extract(template: Path, room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary files of data that do not fit into memory are removed, too."""
    monkeypatch.setattr("harness.paraphrases.extraction.phrase_pairs.MAX_ROW_BYTES", 256)
    leave_abandoned(template)
    (template / "text.de").write_text("der Rat\ndas Land\n")
    (template / "text.en").write_text("the council\nthe country\n")
    (template / "text.align").write_text("0-0 1-1\n0-0 1-1\n")
    (template / "phrases.gz").write_bytes(gzip.compress(b"an older table"))
    text = [room / "text.de", room / "text.en", room / "text.align"]
    kill_everywhere(
        lambda: run("paraphrases", "extract", *text, "--workers", 1, "--output", room / "phrases.gz"),
        template, room, ("phrases.gz",),
    )  # fmt: skip


def test_paraphrases_align(template: Path, room: Path) -> None:
    leave_abandoned(template)
    (template / "forward").write_text("0-0 1-1\n")
    (template / "reverse").write_text("0-0\n")
    (template / "alignments").write_bytes(b"older alignments")
    directions = ["--forward", room / "forward", "--reverse", room / "reverse"]
    kill_everywhere(
        lambda: run("paraphrases", "align", *directions, "--output", room / "alignments"),
        template, room, ("alignments",),
    )  # fmt: skip


def test_paraphrases_pivot(template: Path, room: Path) -> None:
    """Temporary files are removed, too."""
    leave_abandoned(template)
    (template / "table").write_text("f ||| big ||| 0.5 0.5\nf ||| large ||| 0.5 0.5\n")
    (template / "paraphrases.gz").write_bytes(gzip.compress(b"older paraphrases"))
    kill_everywhere(
        lambda: run("paraphrases", "pivot", room / "table", "--workers", 1, "--output", room / "paraphrases.gz"),
        template, room, ("paraphrases.gz",),
    )  # fmt: skip


class Lengths:
    """A model whose vectors are worth keeping."""

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)


def test_evaluate_with_a_store(
    template: Path, room: Path, sources: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results hold the time of day, and databases change with every use, so that readers look at them instead."""
    suite = load_suite(sources[1], "ranking")
    model = Model("lengths", "object", "lengths", "0" * 64, Lengths(), store_key="a" * 64)
    time = TimeRecord("2026-01-02T03:04:05+00:00", wall_seconds=1.0, model_seconds=1.0, encoded=1, per_second=1.0)
    monkeypatch.setattr("harness.evaluation.runner._make_times", lambda *_: time)
    (template / "results" / "lengths").mkdir(parents=True)
    leave_abandoned(template / "results" / "lengths")

    def run_model() -> int:
        result = evaluate_model(model, suite, Settings(resamples=10, store=ModelStore(room / "store")))
        result.write(room / "results")
        (room / "store" / f"{'a' * 64}.sqlite3").unlink()
        return 0

    def check() -> None:
        if any((room / "results").rglob("*.json")):
            (result,) = read_results([room / "results"])
            assert result.record.model.name == "lengths"
        if (room / "store").exists():
            with ModelStore(room / "store").open("a" * 64, "lengths") as kept:
                assert len(kept.read(suite.texts)) in (0, len(suite.texts))

    kill_everywhere(run_model, template, room, (), check)


def test_tests_that_are_kept(
    template: Path, room: Path, sources: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Evaluations find no test or a whole one, also one that another process writes at the same time."""
    monkeypatch.setattr(kept_tests, "_MIN_ROWS", 1)
    (template / "store").mkdir()
    leave_abandoned(template / "store")

    def load() -> int:
        kept_tests.load_kept_tests([sources[1]], ["ranking"], ModelStore(room / "store"), resume=False)
        return 0

    def check() -> None:
        for path in (room / "store").glob(f"*{TEST_SUFFIX}"):
            assert kept_tests._read(path, "ranking") is not None

    kill_everywhere(load, template, room, (), check)


def test_download(template: Path, room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was killed in the middle of a file is continued, and a file has its name only once it is complete."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    text = b"The river rose.\n" * 40_000
    river = RemoteFile("texts/river.txt", 640_000, "39aa89f441a801c4520b01ee3cd560dc984a699e")
    bridge = RemoteFile("bridge.txt", 17, "f5b3ee57e3123139ad485700e0b8370d3af78fca")
    part = template / "corpus" / "texts" / f".river.txt.{river.digest}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(text[:100_000])

    with serve_files() as server:
        server.contents = {"/texts/river.txt": text, "/bridge.txt": b"The bridge fell.\n"}

        def download() -> int:
            download_files([river, bridge], server.url, room / "corpus")
            return 0

        kill_everywhere(download, template, room, ("corpus/texts/river.txt", "corpus/bridge.txt"))
