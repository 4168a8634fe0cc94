"""Texts from strangers in all media: terminals, shells, logs, Markdown, LaTeX, HTML and cells of spreadsheets.

`escape` makes characters visible that nobody sees or that change their surroundings. The other functions also make
visible what has a meaning in their medium. Texts of other characters are not changed by `escape`.
"""

from __future__ import annotations

import functools
import html
import logging
import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Any
from unicodedata import category, normalize

_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U00016fe4\U0001d159"
    "\U000e0100-\U000e01ef]"
)
"""Characters that nobody sees although Python regards them as printable: the others of the property
Default_Ignorable_Code_Point of Unicode, the blank of Braille, a filler of Khitan, and an empty note."""

_MOST_MARKS = 8
"""Largest number of combining marks on a letter. More of them cover the lines above and below."""

_BLOCK = re.compile(r"^( *(?:\d+(?=[.)](?: |$))|(?=[-+](?: |$)|--[- ]*$|=+ *$)))")
"""What would begin a list, or underline a heading, at the start of a line of Markdown."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    # At the start of a row, LaTeX would read these as an argument of the line break before it.
    **{character: f"{{{character}}}" for character in "[*"},
    "\0": "{}",
}
_LIGATURE = re.compile(r"([-'`,])(?=\1)|[!?](?=`)")
"""The first of two characters that LaTeX would print as one, such as a dash for two hyphens."""

_BLANKS = " '"
_FORMULA_SIGNS = "=+-@\u2212"
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LATER_FORMULA = re.compile(r";(?=[ ']*(?:[=@]|[+-](?!(?:\d+(?:\.\d*)?|\.\d+) *(?:;|\Z))))")


@functools.cache
def _compile_joiners() -> Any:  # noqa: ANN401
    """Compile the places where joiners and variation selectors are visible, because they change the letters around.

    The first three are those of UAX 31, section 2.3, and of RFC 5892, appendix A.
    """
    import regex  # most texts do not need it

    return regex.compile(
        r"""(?<=[\p{jt=L}\p{jt=D}]\p{M}{0,4})\u200c(?=\p{M}{0,4}[\p{jt=R}\p{jt=D}])  # Arabic, Syriac, N'Ko
        | (?<=\p{ccc=9})[\u200c\u200d]                                               # after a virama of India
        | (?<=\p{Extended_Pictographic}[\ufe0f\U0001f3fb-\U0001f3ff]?)\u200d(?=\p{Extended_Pictographic})
        | (?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]                               # emoji or a letter
        | (?<=[0-9\#*])\ufe0f(?=\u20e3)                                              # keycaps
        | (?<=[\u1820-\u1878])[\u180b-\u180f]                                        # forms of Mongolian letters""",
        regex.VERBOSE,
    )


def escape(text: str, keep: str = "") -> str:
    """Escape the characters of a text that nobody sees, or that change the text around them.

    These are control characters, changes of direction, line separators, zero-width characters, blanks other than the
    space, all characters without a meaning in Unicode, and combining marks without a letter or in great numbers.

    Args:
        text: Any text.
        keep: Characters to leave as they are.

    Returns:
        The text with the escape sequences of Python, such as ``x1b`` after a backslash. Letters of any script stay,
        with their accents, and with the joiners that they need.
    """
    loose_marks = set() if text.isascii() else set(_find_loose_marks(text))
    if text.isprintable() and not loose_marks and (text.isascii() or not _INVISIBLE.search(text)):
        return text
    joiners = set() if text.isascii() else {match.start() for match in _compile_joiners().finditer(text)}
    return "".join(
        letter
        if letter in keep or place in joiners or (_is_seen(letter) and place not in loose_marks)
        else ascii(letter)[1:-1]
        for place, letter in enumerate(text)
    )


def _find_loose_marks(text: str) -> Iterator[int]:
    """Find the combining marks without a letter, which change the text before, and those beyond `_MOST_MARKS`."""
    count = _MOST_MARKS
    for place, letter in enumerate(text):
        if not category(letter).startswith("M"):
            count = 0
        elif count == _MOST_MARKS:
            yield place
        else:
            count += 1


def is_visible(text: str) -> bool:
    """Return whether `escape` leaves a text as it is. Other names of topics, systems and models are refused."""
    return escape(text) == text


def _is_seen(letter: str) -> bool:
    return letter.isprintable() and not _INVISIBLE.match(letter)


def escape_markdown(text: str) -> str:
    """Escape text, so that Markdown shows it unchanged, also at the beginning of a paragraph."""
    escaped = _BLOCK.sub(r"\1\\", re.sub(r"([\\`*_{}\[\]<>#|~&$])", r"\\\1", escape(text)))
    return re.sub("^ | $", "&#32;", escaped)  # four spaces begin code, and a space prevents bold and italic letters


def escape_latex(text: str) -> str:
    """Escape text, so that LaTeX shows it unchanged."""
    letters = _LIGATURE.sub(r"\g<0>\0", escape(text))
    return "".join(_LATEX.get(character, character) for character in letters)


def escape_html(text: str) -> str:
    """Escape text, so that a notebook shows it unchanged. A class forbids that the notebook typesets formulas in it."""
    shown = html.escape(escape(text))
    if "$" not in shown and "\\" not in shown:
        return shown
    return f'<span class="tex2jax_ignore mathjax_ignore">{shown}</span>'


def render_html_table(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Render a table for a notebook, which styles it. All cells are escaped, and whole numbers get separators."""
    lines = []
    for tag, cells in (("th", header), *(("td", row) for row in rows)):
        texts = [escape_html(f"{cell:,}" if isinstance(cell, int) else str(cell)) for cell in cells]
        others = "".join(f"<{tag}>{text}</{tag}>" for text in texts[1:])
        lines.append(f'<tr><{tag} style="text-align: left">{texts[0]}</{tag}>{others}</tr>')
    return "\n".join(["<table>", f"<thead>{lines[0]}</thead>", "<tbody>", *lines[1:], "</tbody>", "</table>"])


def escape_csv(text: str) -> str:
    """Escape a cell of a CSV file for spreadsheets.

    A text that a spreadsheet would run as a formula gets an apostrophe in front, and so does a formula after a
    semicolon, which divides cells where the comma is the decimal point. Numbers are not changed.
    """
    return _LATER_FORMULA.sub(";'", escape_tsv(text))


def escape_tsv(text: str) -> str:
    """Escape a cell of a tab-separated file, which spreadsheets open, too. `restore_tsv` removes the apostrophe."""
    return f"'{escape(text)}" if _is_formula(text) else escape(text)


def restore_tsv(cell: str) -> str:
    """Remove the apostrophe in front of a formula. All other cells are not changed, with an apostrophe or without."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell) else cell


def _is_formula(text: str) -> bool:
    """Return whether a spreadsheet would run a text. It ignores invisible characters, blanks and our apostrophes."""
    if text.lstrip("'")[:1] in ("\t", "\r", "\n"):  # from OWASP's page on CSV injection
        return True
    for place, letter in enumerate(text):
        if letter not in _BLANKS and _is_seen(letter):  # NFKC, because full-width signs begin a formula, too
            return normalize("NFKC", letter) in tuple(_FORMULA_SIGNS) and not _NUMBER.fullmatch(text[place:].rstrip())
    return False


def quote_path(path: object) -> str:
    """Quote a path for a command line, so that a shell takes it as a single word, and a command not as an option."""
    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def make_logger(name: str) -> logging.Logger:
    """Make the logger of a module. Its messages are escaped, because other programs show them as they are.

    Args:
        name: Name of the module.
    """
    logger = logging.getLogger(name)
    logger.addFilter(_escape_record)
    return logger


def _escape_record(record: logging.LogRecord) -> bool:
    message = record.getMessage()
    if (safe := escape(message)) != message:
        record.msg, record.args = safe, ()
    return True
