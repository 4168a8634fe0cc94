"""Texts from strangers are harmless and visible in each medium, and names in any script stay as they are."""

from __future__ import annotations

import ast
import logging
import subprocess

import pytest
from helpers.checkout import ROOT, list_sources

from pyramid_paraphrase.escaping import escape, escape_html, escape_latex, escape_markdown, make_logger, quote_path

LOGGERS = {
    "pyramid_paraphrase/escaping.py",
    "harness/models/files/kept_tests.py",
    "pyramid_paraphrase/files/extras.py",
    "harness/support/http_client.py",
    "harness/support/terminal.py",
}
"""Modules that may call `logging.getLogger`: the maker of loggers, and those that record messages or set up loggers."""


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a\x1b[2J\r\n\t\x9b\x7f", r"a\x1b[2J\r\n\t\x9b\x7f"),
        ("a\u202eb\u2066c\u200fd\u061ce", r"a\u202eb\u2066c\u200fd\u061ce"),
        ("\ufeffa\u200bb\u2060c\u00add", r"\ufeffa\u200bb\u2060c\xadd"),
        ("a\u3000b\u00a0c\u2028d", r"a\u3000b\xa0c\u2028d"),
        ("a\u034f\u115f\u3164\uffa0\u2800\u17b4", r"a\u034f\u115f\u3164\uffa0\u2800\u17b4"),
        ("a\ue000\u0378\U000e0041\ud800", r"a\ue000\u0378\U000e0041\ud800"),
        ("a\ufe0f1\ufe0f\u4e2d\U000e0100", "a\\ufe0f1\\ufe0f\u4e2d\\U000e0100"),
        ("a\u200cb\u200dc", r"a\u200cb\u200dc"),
        ("\u06cc\u200c", "\u06cc\\u200c"),
        ("\U0001f469\u200d\u200d\U0001f680", "\U0001f469\\u200d\\u200d\U0001f680"),
        ("\u2764\ufe0f\ufe0f", "\u2764\ufe0f\\ufe0f"),
        ("a\U00016fe4\U0001d159", r"a\U00016fe4\U0001d159"),
        ("\u0338a\u0338", "\\u0338a\u0338"),  # after an equals sign, the first makes it an unequal sign
        ("e" + "\u0301" * 9, "e" + "\u0301" * 8 + r"\u0301"),
        ("\u0e14" + "\u0e47" * 10, "\u0e14" + "\u0e47" * 8 + r"\u0e47\u0e47"),
    ],
)  # fmt: skip
def test_what_nobody_sees_is_escaped(text: str, escaped: str) -> None:
    assert escape(text) == escaped


@pytest.mark.parametrize(
    "text",
    [
        "tf-idf (n=2)", "re\u0301sume\u0301",
        "\u0634\u0628\u0643\u0629", "\u05e9\u05c1\u05dc\u05d5\u05dd", "\u4e2d\u6587",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian: "I want"
        "\u0915\u094d\u200d\u0937", "\u0dc1\u0dca\u200d\u0dbb\u0dd3",  # Hindi and Sinhala conjuncts
        "\U0001f469\u200d\U0001f680", "\U0001f469\U0001f3fd\u200d\U0001f680", "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\u2764\ufe0f", "1\ufe0f\u20e3", "\u1820\u180b\u1828",
    ],
)  # fmt: skip
def test_names_in_any_script_stay(text: str) -> None:
    assert escape(text) == text


def test_characters_to_keep() -> None:
    assert escape("a\nb\tc\x1b", "\n\t") == "a\nb\tc\\x1b"


@pytest.mark.parametrize(
    ("text", "markdown", "latex"),
    [
        ("tf-idf (n=2)", "tf-idf (n=2)", "tf-idf (n=2)"),
        ("a_b|c", r"a\_b\|c", r"a\_b\textbar{}c"),
        ("a\u202e\nb", r"a\\u202e\\nb", r"a\textbackslash{}u202e\textbackslash{}nb"),
        (r"\input{/etc/x}", r"\\input\{/etc/x\}", r"\textbackslash{}input\{/etc/x\}"),
        ("<script>", r"\<script\>", r"\textless{}script\textgreater{}"),
        ("- x", r"\- x", "- x"),
        (" + x", r"&#32;\+ x", " + x"),  # CommonMark 0.31, section 6.2: no bold or italic letters next to a space
        ("    x ", "&#32;   x&#32;", "    x "),  # section 4.4: code
        ("-", r"\-", "-"),  # section 5.2: an empty item of a list
        ("1)", r"1\)", "1)"),
        ("--", r"\--", "-{}-"),  # section 4.3: the line above is a heading; in LaTeX, it is a dash
        ("- - -", r"\- - -", "- - -"),  # section 4.1: a line across the page
        ("==", r"\==", "=="),
        ("$x$", r"\$x\$", r"\$x\$"),  # GitHub and notebooks typeset formulas
        ("tf---idf", "tf---idf", "tf-{}-{}-idf"),
        ("``a'' ?`", r"\`\`a'' ?\`", "`{}`a'{}' ?{}`"),  # quotation marks, and an inverted question mark
        ("12. x", r"12\. x", "12. x"),
        ("-0.5", "-0.5", "-0.5"),
        ("1.5 x", "1.5 x", "1.5 x"),
    ],
)
def test_markdown_and_latex_show_texts_unchanged(text: str, markdown: str, latex: str) -> None:
    assert (escape_markdown(text), escape_latex(text)) == (markdown, latex)


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("a b", "a b"),
        ('<b title="x">', "&lt;b title=&quot;x&quot;&gt;"),
        ("a\u202e", '<span class="tex2jax_ignore mathjax_ignore">a\\u202e</span>'),
        (r"$\href{x}$", r'<span class="tex2jax_ignore mathjax_ignore">$\href{x}$</span>'),
    ],
)
def test_notebooks_show_texts_unchanged(text: str, page: str) -> None:
    """Notebooks typeset formulas in tables, and a formula can be a link."""
    assert escape_html(text) == page


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("board/a", "board/a"),
        ("a; echo b", "a; echo b"),
        ("it's $HOME `date`\n*", "it's $HOME `date`\n*"),
        ("-rf", "./-rf"),  # otherwise a command would take it for an option
        ("~root", "~root"),
    ],
)
def test_a_shell_takes_a_path_as_one_word(path: str, word: str) -> None:
    """Messages contain commands to copy, with paths of users and names of strangers."""
    line = f"printf '<%s>' {quote_path(path)}"
    assert subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True).stdout == f"<{word}>"


def test_messages_of_loggers_are_escaped_for_other_handlers(caplog: pytest.LogCaptureFixture) -> None:
    """Programs that call the Python functions write logs by their own handlers, which escape nothing."""
    logger = make_logger("harness.some_module")
    assert make_logger("harness.some_module") is logger
    assert len(logger.filters) == 1
    logger.warning("%s: %d of 9 %%", "a\u202e\nb", 3)
    logger.warning("100% \x1b")
    logger.warning("%s of %d", "a", 13)
    assert [record.getMessage() for record in caplog.records] == [r"a\u202e\nb: 3 of 9 %", r"100% \x1b", "a of 13"]
    assert caplog.records[-1].args == ("a", 13)
    assert logging.Formatter("%(message)s").format(caplog.records[0]) == r"a\u202e\nb: 3 of 9 %"


def test_every_module_makes_its_logger_in_one_place() -> None:
    sources = list_sources()
    assert len(sources) > 250
    callers, made = set(), 0
    for path in sources:
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        names = [ast.unparse(call.func) for call in calls]
        made += names.count("make_logger")
        if "logging.getLogger" in names:
            callers.add(path.relative_to(ROOT).as_posix())
    assert callers == LOGGERS
    assert made > 25
