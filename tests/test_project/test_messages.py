"""The wording of all messages is in one catalogue, and errors have one form: the place, the problem and the remedy."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator

import pytest
from helpers.checkout import ROOT, list_sources
from helpers.messages import mentions
from helpers.wording import CATALOGUE, list_texts, make_template, render_catalogue

from harness.support import errors as harness_errors
from pyramid_paraphrase import errors
from pyramid_paraphrase.errors import InputError, NoBuildError, PyramidParaphraseError, join_remedy

REWRITE = "PYTHONPATH=tests python -m helpers.wording"
LEAST_TEXTS, LEAST_ERRORS = 2_300, 550

PROBLEM = re.compile(r"(?![A-Z])|Slurm|Spark|WordNet")
"""A message begins with a lowercase letter, a placeholder or a name."""
REMEDY = re.compile(r"(?!.*\.$).*[.?] [A-Z{`]|.*: \{\}")
"""A remedy is a sentence without its full stop. A value after the place can contain the problem and the remedy."""

Strings = dict[str, list[str]]


def list_error_classes() -> dict[str, type[PyramidParaphraseError]]:
    """Return the classes whose errors users see, by name."""
    members = {**vars(errors), **vars(harness_errors)}
    return {
        name: member
        for name, member in members.items()
        if isinstance(member, type) and issubclass(member, PyramidParaphraseError)
    }


def make_message(arguments: list[ast.expr], cls: type[PyramidParaphraseError], strings: Strings) -> str:
    """Return the message that a call of a class makes, with `{}` for each part that is not in the source."""
    parts = [complete(argument, strings) for argument in arguments]
    if issubclass(cls, InputError):
        return join_remedy(*parts[1:3])
    if issubclass(cls, NoBuildError):
        return join_remedy(*parts)
    return parts[0] if cls.__init__ is PyramidParaphraseError.__init__ else "{}"


def complete(node: ast.expr, strings: Strings) -> str:
    """Return a string of the source. Variables that have only one string in the module are replaced by it."""
    if isinstance(node, ast.JoinedStr):
        return "".join(complete(part, strings) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return complete(node.value, strings)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == join_remedy.__name__:
        return join_remedy(*(complete(argument, strings) for argument in node.args))
    if isinstance(node, ast.Name):
        values = strings.get(node.id, [])
        return values[0] if len(values) == 1 else "{}"
    return str(node.value) if isinstance(node, ast.Constant) else "{}"


def find_errors(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the template of each error that a source makes."""
    tree, classes = ast.parse(source), list_error_classes()
    strings: Strings = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            strings.setdefault(node.targets[0].id, []).append(make_template(node.value) or "{}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in classes:
            template = make_message(node.args, classes[node.func.id], strings)
            if template != "{}":
                yield node.lineno, template


@pytest.mark.parametrize(
    ("text", "is_mentioned"),
    [
        ("a.csv, line 3: ... 'maybe' ... Write yes", True),
        ("line 3: judgement ... --no-resume", True),
        ("a.csv", True),
        ("csv, line 3", True),
        (".csv, line 3", True),
        ("a.csv, line 3", True),
        ("a.csv, line 3: ... Write yes ... 'maybe'", False),
        ("line 3: judgement ... judgement", False),
        ("a.csv, line ... resume. ... a.csv", False),
        ("acsv", False),
        ("csv, lin", False),
        ("ine 3", False),
        ("Write ... --no", True),
        ("a.csv ... next line", False),
    ],
)
def test_mentions_finds_whole_words_in_their_order_in_one_line(text: str, is_mentioned: bool) -> None:
    message = "b/a.csv, line 3: judgement 'maybe' is not an answer. Write yes or no, or add --no-resume.\na next line"
    assert bool(re.search(mentions(text), message)) == is_mentioned


def test_the_catalogue_contains_all_texts() -> None:
    catalogue, current = CATALOGUE.read_text("utf-8"), render_catalogue()
    difference = difflib.unified_diff(catalogue.splitlines(), current.splitlines(), "catalogue", "code", "", "", 0, "")
    assert catalogue == current, "\n".join([f"Texts have changed. Run `{REWRITE}`.", *difference])
    assert sum(line.startswith("    ") for line in current.splitlines()) >= LEAST_TEXTS


def test_the_catalogue_sees_every_kind_of_text() -> None:
    source = '''
"""The docstring of a module."""
REMEDY = f"write {NAME} again"
"""The docstring of a variable."""
KINDS = {"part-empty": Kind(True, "part without text")}
parser.add_argument("--seed", help="random seed")
def read(path: "list of paths"):
    """The docstring of a function."""
    reason = f"has {count(lines, 'empty line')} in {', '.join(names)}"
    logger.warning("%s: reading it "
                   "again", path)
    re.compile(r"the \\d+ dogs")
    raise InputError(path, f"{reason}: it" + (" is wrong" if lines else ""), REMEDY.lower(), place("key"))
'''
    assert list_texts(source) == [
        "%s: reading it again",
        "empty line",
        "has {} in {}",
        "is wrong",
        "list of paths",
        "part without text",
        "random seed",
        "write {} again",
        "{}: it",
    ]


def test_errors_name_the_problem_and_then_the_remedy() -> None:
    seen, wrong = 0, []
    for path in list_sources():
        for line, template in find_errors(path.read_text("utf-8")):
            seen += 1
            if not (PROBLEM.match(template) and REMEDY.match(template)):
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {template}")
    assert wrong == []
    assert seen >= LEAST_ERRORS
