"""Ten weeks of a leaderboard in a git repository: 40 submissions by 12 teams, of which 6 cheat, and new data.

usage: board_life.py SOURCE

The maintainer and each team have clones of one repository. Teams push branches, and the maintainer checks each one with
`leaderboard check --changed-since`, merges what passes, and decides about the rest. The script keeps a ledger of its
own: after each week, the accepted submissions, the decisions and the pages must be those of the ledger. In weeks 5 and
10, a fresh clone in another folder, time zone and with another hash seed must give the same bytes. Each cheat must be
caught, and must pass once the defence against it is taken out. The models are random projections of bags of words.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from msgspec import structs

from harness.cli import main
from harness.evaluation.record import sign_record
from harness.evaluation.results import Result, make_result, read_results
from harness.evaluation.runner import Settings, Suite, evaluate_model, load_suite
from harness.files.json_files import render_json
from harness.leaderboards.board import read_board
from harness.leaderboards.changes import find_changes
from harness.leaderboards.forms import Form
from harness.leaderboards.history import read_history
from harness.leaderboards.submissions import name_submission, write_submission
from harness.metrics.measuring import make_measure, measure_rows
from harness.metrics.rows import ScoredRows
from harness.models.loading import describe_object
from harness.stats.bootstrap import bootstrap, find_intervals
from harness.stats.rounding import round_scores

GIT = shutil.which("git") or "git"
WEEKS, TEAMS = 10, 12
TESTS = ("binary", "ranking")
_START, _DAY = 1_767_225_600, 86_400
"""2026-01-01 in seconds since 1970, and the seconds of a day."""

_SETTINGS = Settings(resamples=20)
_NEW_DATA = 6
"""Week in which the data get a new version."""


class Projection:
    """A model: words are random vectors, and a text is their sum. More dimensions make it better."""

    def __init__(self, seed: int, dimension: int) -> None:
        self._seed, self._dimension = seed, dimension

    def encode(self, texts: list[str]) -> np.ndarray[Any, Any]:
        """Return vectors of texts, shape (texts, dimension)."""
        return np.array([sum(map(self._embed, text.lower().split()), np.zeros(self._dimension)) for text in texts])

    def _embed(self, word: str) -> np.ndarray[Any, Any]:
        digest = hashlib.sha256(f"{self._seed} {word}".encode()).digest()
        return np.random.RandomState(np.frombuffer(digest, dtype=np.uint32)).normal(size=self._dimension)


@dataclass
class Play:
    """The state of the play.

    Attributes:
        folder: The folder of all clones.
        suite: The tests that models are ranked on now.
        week: The week, from 1.
        live: The ledger: names of ranked submissions, and their models.
        decisions: The ledger: action and name of each decision, in order.
        submitted: Number of submissions.
        made: Number of models.
        lines: Lines of the report.
    """

    folder: Path
    suite: Suite
    week: int = 1
    live: dict[str, str] = field(default_factory=dict)
    decisions: list[tuple[str, str]] = field(default_factory=list)
    submitted: int = 0
    made: int = 0
    lines: list[str] = field(default_factory=list)

    @property
    def keeper(self) -> Path:
        """The clone of the maintainer."""
        return self.folder / "keeper"

    @property
    def board(self) -> Path:
        """The leaderboard of the maintainer."""
        return self.keeper / "board"


def git(folder: Path, *arguments: str) -> None:
    """Run git with a fixed author and date."""
    date = os.environ["SOURCE_DATE_EPOCH"] + " +0000"
    who = {f"GIT_{role}_{part}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    environment = {**os.environ, **who, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    subprocess.run([GIT, *arguments], cwd=folder, env=environment, check=True, capture_output=True)


def command(*arguments: object) -> tuple[int, str]:
    """Run a command of this program. Returns its status and all that it says."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = main([str(argument) for argument in arguments])
    return status, said.getvalue()


def expect(condition: object, what: str) -> None:
    """Stop the play if something is not as the ledger says."""
    if not condition:
        raise SystemExit(f"not as expected: {what}")


def make_model(play: Play, name: str) -> Result:
    """Evaluate a new model."""
    play.made += 1
    model = describe_object(Projection(play.made, 8 + 4 * play.made)).renamed(name)
    return evaluate_model(model, play.suite, _SETTINGS)


def open_branch(play: Play, team: int, branch: str) -> Path:
    """Make a branch of the present state in the clone of a team. Returns the leaderboard in it."""
    clone = play.folder / f"team{team}"
    if not clone.exists():
        git(play.folder, "clone", "--quiet", "origin", clone.name)
    git(clone, "fetch", "--quiet", "origin")
    git(clone, "checkout", "--quiet", "-B", branch, "origin/main")
    return clone / "board"


def push(play: Play, board: Path, branch: str) -> None:
    """Propose a change: commit it in the clone of a team, and get it into the clone of the maintainer."""
    git(board.parent, "add", "--all")
    git(board.parent, "commit", "--quiet", "--message", branch)
    git(board.parent, "push", "--quiet", "--force", "origin", branch)
    git(play.keeper, "fetch", "--quiet", "origin")
    git(play.keeper, "checkout", "--quiet", "--detach", f"origin/{branch}")


def check(play: Play) -> tuple[int, str]:
    """Check a proposed change, as continuous integration does."""
    return command("leaderboard", "check", play.board, "--changed-since", "main")


def publish(play: Play, message: str, *, merge: str = "") -> None:
    """Merge a proposed change into the branch main, or publish what the maintainer changed in it."""
    if merge:
        git(play.keeper, "checkout", "--quiet", "main")
        git(play.keeper, "merge", "--quiet", "--no-edit", f"origin/{merge}")
    else:
        git(play.keeper, "add", "--all")
        git(play.keeper, "commit", "--quiet", "--message", message)
        git(play.keeper, "push", "--quiet", "origin", "main")


def submit(play: Play, team: int, result: Result, *flags: str) -> Path:
    """Submit a result on a branch of a team. Returns the new folder in the clone of the team."""
    play.submitted += 1
    branch = f"change{play.submitted}"
    board = open_branch(play, team, branch)
    path = result.write(play.folder / "results")
    status, said = command(
        *("submit", path, "--to", board, "--contact", f"team{team}@example.org", "--saw-test-data", "no"),
        *("--model-link", f"https://example.org/team{team}", "--training-data", "none", *flags),
    )
    expect(status == 0 and "Valid, and not yet accepted" in said, said)
    push(play, board, branch)
    return board / "submissions" / name_submission(result.record)


def enter(play: Play, team: int, name: str) -> str:
    """Submit a new model, which the maintainer merges. Returns the name of the submission."""
    result = make_model(play, name)
    submission = submit(play, team, result).name
    status, said = check(play)
    expect(status == 0 and "notice" not in said, said)
    publish(play, "", merge=f"change{play.submitted}")
    expect(command("leaderboard", "check", play.board)[0] == 0, "the leaderboard with a new submission")
    publish(play, f"Accept {name}")
    play.live[submission] = name
    play.decisions.append(("accepted", submission))
    return submission


def replace_model(play: Play, team: int, old: str) -> None:
    """Submit a new version of a model. It waits until the maintainer accepts it."""
    name = play.live[old]
    submission = submit(play, team, make_model(play, name), "--replaces", old).name
    status, said = check(play)
    expect(status == 2 and f"replaces {old}" in said, said)
    publish(play, "", merge=f"change{play.submitted}")
    status, said = command("leaderboard", "accept", play.board / "submissions" / submission, "--reason", "new version")
    expect(status == 0, said)
    publish(play, f"Replace {name}")
    del play.live[old]
    play.live[submission] = name
    play.decisions += [("accepted", submission), ("replaced", old)]


def correct_link(play: Play, team: int, name: str) -> None:
    """Correct the link of a submission."""
    branch = f"correct{len(play.decisions)}"
    board = open_branch(play, team, branch)
    (path,) = (path for path in (board / "submissions" / name).glob("*.json") if path.name != "submission.json")
    status, said = command(
        *("submit", path, "--to", board, "--contact", f"team{team}@example.org", "--saw-test-data", "no"),
        *("--model-link", "https://example.org/corrected", "--training-data", "none", "--replaces", name),
    )
    expect(status == 0, said)
    push(play, board, branch)
    status, said = check(play)
    expect(status == 2 and "leaderboard accept" in said, said)
    publish(play, "", merge=branch)
    status, said = command("leaderboard", "accept", play.board / "submissions" / name, "--reason", "another link")
    expect(status == 0, said)
    publish(play, "Accept another link")
    play.decisions.append(("changed", name))


def decide(play: Play, action: str, past: str, name: str) -> None:
    """Withdraw or retire a submission."""
    status, said = command("leaderboard", action, play.board / "submissions" / name, "--reason", "its team asked")
    expect(status == 0, said)
    publish(play, f"{action} {name}")
    if past == "withdrawn":
        del play.live[name]
    play.decisions.append((past, name))


@dataclass(frozen=True)
class Cheat:
    """A way to cheat.

    Attributes:
        title: Its title.
        write: Function that writes the files of the cheater to its copy of the leaderboard.
        sign: What `check` says if it is caught.
        defences: What is taken out for the counter-check: values by their places.
    """

    title: str
    write: Callable[[Play, Path], object]
    sign: str
    defences: Mapping[str, Any]


def _find_victim(play: Play, board: Path) -> tuple[str, Path]:
    name = next(iter(play.live))
    (path,) = (path for path in (board / "submissions" / name).glob("*.json") if path.name != "submission.json")
    return name, path


def _forge(board: Path, result: Result) -> Path:
    form = Form("mallory@example.org", "https://example.org/mallory", "none", "no", "1970-01-01")
    return write_submission(read_board(board), result, form)


def _rename(result: Result, name: str) -> Result:
    fingerprint = hashlib.sha256(name.encode()).hexdigest()
    model = structs.replace(result.record.model, name=name, fingerprint=fingerprint)
    return make_result(sign_record(structs.replace(result.record, model=model)), result.rows)


def _copy(play: Play, board: Path) -> None:
    """The scores of another team, under another name, with a date before all others."""
    _, path = _find_victim(play, board)
    _forge(board, _rename(read_results([path])[0], "copied"))


def _backdate(play: Play, board: Path) -> None:
    """A decision of the first week, which the cheater writes into the record of decisions."""
    folder = _forge(board, make_model(play, "backdated"))
    path = board / "accepted.json"
    record = json.loads(path.read_text())
    victim = record["history"][0]
    record["history"].insert(0, {**victim, "submission": folder.name, "model": "backdated"})
    path.write_bytes(render_json(record))


def _take_name(play: Play, board: Path) -> None:
    """The name of another team's model."""
    _forge(board, make_model(play, next(iter(play.live.values()))))


def _fit(play: Play, board: Path) -> None:
    """Scores made from the right responses."""
    result = make_model(play, "fitted")
    noise = np.random.RandomState(0)

    def solve(rows: ScoredRows) -> ScoredRows:
        right = rows.targets if rows.scores.ndim == 1 else np.eye(rows.scores.shape[1])[rows.targets]
        return replace(rows, scores=round_scores(right + 0.1 * noise.normal(size=rows.scores.shape)))

    _forge(board, _measure(result, {name: solve(rows) for name, rows in result.rows.items()}))


def _measure(result: Result, rows: Mapping[str, ScoredRows]) -> Result:
    """Return a result with other scores, and all numbers computed from them."""
    tests, statistics = {}, result.record.statistics
    for name, scored in rows.items():
        metrics = measure_rows(scored)
        threshold = metrics.pop("threshold", None)
        split = scored.test_split(threshold)
        samples = bootstrap(make_measure(split), split.topic_count, statistics.resamples, statistics.seed)
        changes: dict[str, Any] = {"metrics": metrics, "threshold": threshold, "intervals": find_intervals(samples)}
        tests[name] = structs.replace(result.tests[name], **changes)
    return make_result(structs.replace(result.record, tests=tests), rows)


def _permute(play: Play, board: Path) -> None:
    """The numbers of a good model, over scores in another order."""
    result = make_model(play, "permuted")
    order = np.random.RandomState(0)
    rows = {
        name: replace(scored, scores=round_scores(order.permutation(scored.scores)))
        for name, scored in result.rows.items()
    }
    _forge(board, make_result(result.record, rows))


def _look_alike(play: Play, board: Path) -> None:
    """A name that looks like that of another team's model."""
    name = next(iter(play.live.values()))
    _forge(board, make_model(play, name.replace("l", "1").replace("o", "0")))


CHEATS = (
    Cheat("copy", _copy, "has the same scores as", {"verdicts.settle_conflicts": lambda *_: {}}),
    Cheat(
        "backdating",
        _backdate,
        "authors may only change",
        {"find_changes": lambda *arguments: (find_changes(*arguments)[0], [], [])},
    ),
    Cheat("another's name", _take_name, "has the same name as", {"verdicts.settle_conflicts": lambda *_: {}}),
    Cheat(
        "fitted to the labels",
        _fit,
        "implausible on",
        {"rankings.NEAR_PERFECT": 2.0, "notices._find_implausible": lambda _: iter(())},
    ),
    Cheat(
        "permuted scores",
        _permute,
        "but its scores give",
        {"checks._check_metrics": lambda *_: None, "checks._check_intervals": lambda *_: None},
    ),
    Cheat("look-alike letters", _look_alike, "is easily confused with", {"notices.find_skeleton": lambda name: name}),
)


@contextlib.contextmanager
def without(defences: Mapping[str, Any]) -> Iterator[None]:
    """Take defences out."""
    with contextlib.ExitStack() as stack:
        for place, value in defences.items():
            package = "harness.leaderboards" if "." in place else "harness.cli.evaluation.leaderboards"
            stack.enter_context(mock.patch(f"{package}.{place}", value))
        # What a check found is remembered, and must not hide that a defence is missing.
        stack.enter_context(mock.patch("harness.leaderboards.candidates.locate_memory", return_value=None))
        yield


def cheat(play: Play, team: int, way: Cheat) -> str:
    """Let a team cheat. Returns what the check says with the defence, and without it."""
    play.submitted += 1
    branch = f"change{play.submitted}"
    board = open_branch(play, team, branch)
    way.write(play, board)
    push(play, board, branch)
    status, said = check(play)
    expect(way.sign in said, f"{way.title} is not caught: {said}")
    with without(way.defences):
        bare_status, bare_said = check(play)
    expect(
        bare_status == 0 and way.sign not in bare_said, f"{way.title} does not pass without its defence: {bare_said}"
    )
    git(play.keeper, "checkout", "--quiet", "main")
    return "refused" if status else "noticed"


def renew_data(play: Play, source: str) -> None:
    """Rank models on a new version of the data, and refuse a result on the earlier one."""
    late = make_model(play, "late")
    folder = play.folder / "new-data"
    names = ",".join(TESTS)
    configurations = [argument for name in TESTS for argument in ("--config", name)]
    expect(command("build", source, *configurations, "--seed", 1, "--output", folder)[0] == 0, "the new data")
    status, said = command("leaderboard", "init", play.board, "--data", folder, "--task", names, "--supersede")
    expect(status == 0, said)
    publish(play, "Rank models on new data")
    board = open_branch(play, 1, "late")
    path = late.write(play.folder / "results")
    status, said = command("submit", path, "--to", board, "--contact", "a@example.org", "--model-link",
                           "https://example.org", "--training-data", "none", "--saw-test-data", "no")  # fmt: skip
    expect(status == 2 and "the data" in said, said)
    play.suite = load_suite(folder, TESTS)


def close_week(play: Play) -> str:
    """Compare the leaderboard and its site with the ledger. Returns the SHA-256 of all pages."""
    site = play.folder / "site"
    status, said = command("leaderboard", "check", play.board)
    expect(status == 0, said)
    status, said = command("leaderboard", "render", play.board, "--output", site)
    expect(status == 0, said)
    history = read_history(read_board(play.board))
    expect([(decision.action, decision.submission) for decision in history.history] == play.decisions, "the decisions")
    expect({path.stem for path in (site / "models").iterdir()} == play.live.keys(), "the pages of models")
    page = (site / "history.html").read_text()
    expect(all(page.count(f">{name}<") >= 1 for _, name in play.decisions), "the page of the history")
    expect((site / "earlier.html").exists() == (play.week >= _NEW_DATA), "the page of earlier data")
    return hash_site(site)


def hash_site(site: Path) -> str:
    """Return the SHA-256 of the names and contents of all files of a site."""
    digest = hashlib.sha256()
    for path in sorted(site.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(site)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def render_clone(play: Play) -> str:
    """Render the site from a fresh clone in another process, folder, time zone and hash seed, without the cache."""
    clone = play.folder / f"elsewhere{play.week}" / "clone"
    clone.parent.mkdir()
    git(clone.parent, "clone", "--quiet", str(play.folder / "origin"), clone.name)
    environment = {**os.environ, "TZ": "Asia/Tokyo", "PYTHONHASHSEED": str(play.week), "LC_ALL": "C"}
    environment |= {"XDG_CACHE_HOME": str(clone.parent / "cache")}
    code = "import sys; from harness.cli import main; sys.exit(main(sys.argv[1:]))"
    arguments = ("leaderboard", "render", str(clone / "board"), "--output", str(clone.parent / "site"))
    subprocess.run([sys.executable, "-c", code, *arguments], env=environment, check=True, capture_output=True)
    return hash_site(clone.parent / "site")


def play_weeks(source: str, folder: Path, weeks: int = WEEKS) -> list[str]:
    """Play the first weeks. Returns a line per week."""
    play = Play(folder, load_suite(source, TESTS))
    os.environ["SOURCE_DATE_EPOCH"] = str(_START)
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", "origin")
    git(folder, "clone", "--quiet", "origin", "keeper")
    git(play.keeper, "checkout", "--quiet", "-b", "main")
    status, said = command("leaderboard", "init", play.board, "--data", source, "--task", ",".join(TESTS))
    expect(status == 0, said)
    publish(play, "Start a leaderboard")
    ways = iter(CHEATS)
    for play.week in range(1, weeks + 1):
        os.environ["SOURCE_DATE_EPOCH"] = str(_START + 7 * _DAY * (play.week - 1))
        events = []
        if play.week == _NEW_DATA:
            renew_data(play, source)
            events.append("new data")
        events += [*submit_all(play, ways), *decide_all(play)]
        digest = close_week(play)
        if play.week in (5, WEEKS):
            expect(render_clone(play) == digest, "the site from a fresh clone")
            events.append("fresh clone: same bytes")
        play.lines.append(f"| {play.week} | {play.submitted} | {len(play.live)} | {'; '.join(events)} |")
    return play.lines


def submit_all(play: Play, ways: Iterator[Cheat]) -> Iterator[str]:
    """Play the four submissions of a week. Yields those that are not simply a new model."""
    while play.submitted < 4 * play.week:
        team, position = 1 + play.submitted % TEAMS, play.submitted % 4
        if position == 3 and play.week % 2 == 0:
            replace_model(play, team, next(reversed(play.live)))
            yield "replaced"
        elif position == 2 and (way := next(ways, None)):
            yield f"{way.title}: {cheat(play, team, way)}"
        else:
            enter(play, team, f"model-{team}-of-week-{play.week}-{position}")


def decide_all(play: Play) -> Iterator[str]:
    """Play the corrections, withdrawals and retirements of a week."""
    if play.week in (3, 5, 8):
        correct_link(play, 1, next(reversed(play.live)))
        yield "link corrected"
    if play.week in (4, 7, 9):
        decide(play, "withdraw", "withdrawn", next(iter(play.live)))
        yield "withdrawn"
    if play.week == WEEKS:
        decide(play, "retire", "retired", next(iter(play.live)))
        yield "retired"


def render(source: str) -> str:
    """Play all weeks in a temporary folder, and render a Markdown table."""
    folder = Path(tempfile.mkdtemp())
    try:
        lines = play_weeks(source, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return "\n".join(["| week | submissions | with a page | events |", "| ---: | ---: | ---: | --- |", *lines])


if __name__ == "__main__":
    print(render(sys.argv[1]))
