"""What a word is, for each purpose. All code that divides texts into words calls this module or a caller of it.

| purpose | function | words |
| --- | --- | --- |
| rows of the dataset, bags of words, word vectors, shortcuts, DIMPLE, PINC | `split_words` | frozen rules for \
English, which `expose_words` extends to all scripts |
| ROUGE, ParaEval, tables of paraphrases, coverage, people | `split_alphanumeric`, `find_words` | letters and digits, \
as in ROUGE-1.5.5 |
| parallel text, word alignments, phrase tables | `split_at_blanks` | what spaces and tabs separate, as in fast_align \
and Moses |

The words, pronouns and content words of the dataset are frozen: a change to any of them changes questions and pairs,
and needs a new dataset version. For text in Latin, Greek and Cyrillic letters, they do not depend on a library or on
the Unicode version of Python.

For scripts other than those of English, the first two rows follow Unicode Standard Annex 29 (word boundaries).
Combining marks, joiners and invisible characters continue a word (rule WB4). Words are compared in normal form C and
without invisible characters. There are two differences from the annex. Punctuation always ends a word, as in ROUGE. And
the annex divides scripts that have no blanks between words, such as Chinese and Thai, into single characters (rule
WB999). If a text has blanks between such words, as tokenized text has, the blanks divide it. If most of its letters are
of other scripts, as in English that quotes a Chinese name, such letters in succession are a word.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import filterfalse
from re import Pattern
from types import MappingProxyType

_LONGEST_MEAN = 5
"""Largest mean number of letters of words that blanks divide. Longer stretches are phrases or sentences: in tokenized
text, words of Chinese and Japanese have about 2 letters, and words of Thai about 4."""

_JOINERS = "\u200c\u200d"
_ZERO_WIDTH_SPACE = "\u200b"

# Cyrillic, so that rules about ASCII letters, such as those of abbreviations, do not apply.
_ANY_LETTER, _ANY_DIGIT = "\u0436", "0"

_PLAIN = re.compile(
    "[\0-\u00ac\u00ae-\u024f\u0370-\u0482\u048a-\u052f\u1e00-\u1eff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2122]*"
)
"""Latin, Greek and Cyrillic letters, and frequent punctuation. No character continues a word invisibly."""

_TRANSCRIPTION = re.compile("[\u02c8\u02cc\u02d0\u02d1]")
"""Marks of stress and length, which show that a text contains a phonetic transcription."""

_PLAIN_WORD = re.compile(r"[^\W_]+")
_OTHER_WHITE_SPACE = re.compile(rb"[\r\n\v\f]")


class _Patterns:
    """Patterns of text with characters beyond `_PLAIN`.

    A rule for the words of scripts without blanks between words is a pattern of all words of a text, and a pattern of
    the words that may follow other words without a blank, or None if blanks divide all words.

    Attributes:
        base: A letter or digit.
        unspaced: A letter of a script without blanks between words: a letter, or an ideographic number such as the zero
            of dates in Chinese, to which the annex gives no class.
        divided: A blank between two words of such scripts.
        by_blanks: The rule for tokenized text.
        by_script: The rule for text in other scripts that quotes such words: stretches of their letters are words.
        by_character: The rule for other text: single letters are words.
        stray: Marks and invisible characters where there is no word to continue, and joiners with nothing to join.
        invisible: Characters that do not distinguish words: invisible characters except joiners, and marks that
            enclose a character, as in the emoji of digits.
        other: Letters, digits and marks beyond `_PLAIN`.
        other_scripts: Letters, digits and marks of other scripts.
    """

    def __init__(self) -> None:
        import regex  # most texts do not need it

        def compile_pattern(pattern: str) -> Pattern[str]:
            return regex.compile(pattern, regex.VERSION1)

        ignorable = r"\p{Default_Ignorable_Code_Point}"
        base = rf"[[\p{{L}}\p{{N}}]--{ignorable}]"
        marks = r"[\p{M}\p{WB=Extend}\p{WB=Format}\u200d]"
        unspaced = rf"[[[\p{{L}}\p{{Ideographic}}]&&\p{{WB=Other}}]--{ignorable}]"
        katakana = r"[\p{L}&&\p{WB=Katakana}]"
        spaced = rf"[{base}--{unspaced}--{katakana}]"
        visible = rf"(?<!{ignorable})"  # a word ends before invisible characters
        blanks = rf"[\p{{Zs}}\t{_ZERO_WIDTH_SPACE}]+"
        other = rf"[[\p{{L}}\p{{Nd}}\p{{Ideographic}}{marks}]--{_PLAIN.pattern.removesuffix('*')}]"

        def make_rule(separate: str) -> tuple[Pattern[str], Pattern[str] | None]:
            separate = rf"{separate}|{katakana}[{katakana}{marks}]*"
            words = rf"(?:{separate}|{spaced}[{spaced}{marks}]*){visible}"
            return compile_pattern(words), compile_pattern(separate)

        self.base = compile_pattern(base)
        self.unspaced = compile_pattern(unspaced)
        self.divided = compile_pattern(rf"[{unspaced}{katakana}]{marks}*{blanks}[{unspaced}{katakana}]")
        self.by_blanks = (compile_pattern(rf"{base}[{base}{marks}]*{visible}"), None)
        self.by_script = make_rule(rf"{unspaced}[{unspaced}{marks}]*")
        self.by_character = make_rule(rf"{unspaced}{marks}*")
        self.stray = compile_pattern(rf"(?<![{base}{marks}]){marks}+|[{_JOINERS}]+(?!{base})")
        self.invisible = compile_pattern(rf"[[{ignorable}\p{{Me}}]--[{_JOINERS}{_ZERO_WIDTH_SPACE}]]")
        self.other = compile_pattern(other)
        self.other_scripts = compile_pattern(
            rf"[{other}--\p{{Script=Latin}}--\p{{Script=Common}}--\p{{Script=Inherited}}]"
        )


@lru_cache(maxsize=1)
def _compile_patterns() -> _Patterns:
    return _Patterns()


def compose(text: str) -> str:
    """Return a text in Unicode's normal form C, in which canonically equal texts are equal."""
    return unicodedata.normalize("NFC", text)


def remove_invisible(text: str) -> str:
    """Return a text in normal form C, without invisible characters, and with spaces in place of zero-width spaces."""
    if is_plain(text):
        return compose(text)
    return compose(_compile_patterns().invisible.sub("", text)).replace(_ZERO_WIDTH_SPACE, " ")


def is_plain(text: str) -> bool:
    """Return whether a text has only ASCII, Latin, Greek and Cyrillic letters, and frequent punctuation."""
    return text.isascii() or _PLAIN.fullmatch(text) is not None


def split_alphanumeric(text: str, *, tokenized: bool = False) -> list[str]:
    """Split a text into words: runs of letters and digits, in lower case.

    In ASCII text, these are the words of ROUGE-1.5.5, in which "Turkey's" and "U.S." are two words each. Letters beyond
    ASCII are letters here, but separate words in ROUGE-1.5.5.

    Args:
        text: The text, in any normal form.
        tokenized: Whether blanks divide all words, as in phrases of tokenized text. Otherwise, the text decides.

    Returns:
        The words, in normal form C and without invisible characters.
    """
    text = compose(text)
    if is_plain(text):
        return [word.lower() for word in _PLAIN_WORD.findall(text)]
    return [word for word, _, _ in find_words(text, tokenized=tokenized)]


def find_words(text: str, *, tokenized: bool = False) -> list[tuple[str, int, int]]:
    """Find the words of `split_alphanumeric` in a text.

    Returns:
        Each word with the index of its first character, and the index after its last character, in the text as it is.
    """
    if is_plain(text):
        return [(compose(match[0]).lower(), *match.span()) for match in _PLAIN_WORD.finditer(text)]
    words, _ = _choose_rule(text, tokenized=tokenized)
    matches = words.finditer(text)
    return [(_clean(match[0]).lower(), *match.span()) for match in matches]


def _clean(text: str) -> str:
    """Remove the characters that do not distinguish words."""
    patterns = _compile_patterns()
    return compose(patterns.stray.sub("", patterns.invisible.sub("", text)))


def expose_words(text: str, *, tokenized: bool) -> tuple[str, str]:
    """Prepare a text for rules that know only Latin, Greek and Cyrillic letters, and the digits of ASCII.

    A phonetic transcription gets no letters, because the rules of data version 1.0.0 divide texts at its symbols. All
    other Latin letters, such as those of Azerbaijani, are letters.

    Args:
        text: The text, in any normal form.
        tokenized: As for `split_alphanumeric`.

    Returns:
        The text without invisible characters, and with zero-width spaces between words that no blank divides. And a
        text of the same length in which letters and marks of all scripts are Cyrillic letters, and digits of all
        scripts are 0.
    """
    patterns = _compile_patterns()
    clean = _clean(text)
    _, separate = _choose_rule(clean, tokenized=tokenized)
    if separate is not None:
        clean = separate.sub(rf"{_ZERO_WIDTH_SPACE}\g<0>{_ZERO_WIDTH_SPACE}", clean)
    other = patterns.other_scripts if _TRANSCRIPTION.search(text) else patterns.other
    return clean, other.sub(lambda match: _ANY_DIGIT if match[0].isdecimal() else _ANY_LETTER, clean)


def consists_of_letters(word: str) -> bool:
    """Return whether all characters of a word are letters, or marks and joiners that belong to letters."""
    return all(character.isalpha() or continues_word(character) for character in word)


def continues_word(character: str) -> bool:
    """Return whether a character is a mark or a joiner. It belongs to the word before it, but is not a letter."""
    return character in _JOINERS or unicodedata.category(character).startswith("M")


def is_divided_into_characters(text: str) -> bool:
    """Return whether single characters are the words of a text, because no blanks divide it."""
    if is_plain(text) or _choose_rule(text) is not _compile_patterns().by_character:
        return False
    return max(_count_unspaced_letters(text)) > 1


def is_divided_by_blanks(text: str) -> bool:
    """Return whether blanks divide the words of a text, although its script has no blanks between words."""
    if is_plain(text):
        return False
    patterns = _compile_patterns()
    return patterns.divided.search(text) is not None and _choose_rule(text) is patterns.by_blanks


def _choose_rule(text: str, *, tokenized: bool = False) -> tuple[Pattern[str], Pattern[str] | None]:
    """Choose the rule for the words of scripts without blanks between words."""
    patterns = _compile_patterns()
    unspaced = len(patterns.unspaced.findall(text))
    if tokenized or not unspaced:
        return patterns.by_blanks
    counts = _count_unspaced_letters(text)
    if sum(counts) > _LONGEST_MEAN * len(counts):
        return patterns.by_character
    if patterns.divided.search(text):
        return patterns.by_blanks
    if 2 * unspaced < len(patterns.base.findall(text)):
        return patterns.by_script
    return patterns.by_character


def _count_unspaced_letters(text: str) -> list[int]:
    """Count the letters of scripts without blanks in each stretch of letters that has such letters."""
    patterns = _compile_patterns()
    stretches, _ = patterns.by_blanks
    counts = (len(patterns.unspaced.findall(word)) for word in stretches.findall(text))
    return [count for count in counts if count]


def split_at_blanks(line: bytes) -> list[bytes]:
    """Split a line without its end at spaces and tabs only, as fast_align and Moses do."""
    if _OTHER_WHITE_SPACE.search(line):
        return [word for word in line.replace(b"\t", b" ").split(b" ") if word]
    return line.split()


# Latin, Greek and Cyrillic letters, all of them older than any supported Python: their lower case will not change.
_LETTER = "A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u052f\u1e00-\u1eff"
_ABBREVIATIONS = (
    "Mr|Mrs|Ms|Dr|Prof|St|Gen|Gov|Sen|Rep|Lt|Col|Sgt|Rev|Jr|Sr|Inc|Corp|Co|Ltd|No|vs"
    "|Jan|Feb|Mar|Apr|Aug|Sept|Sep|Oct|Nov|Dec"
    "|Ariz|Calif|Colo|Conn|Fla|Ga|Ill|Mass|Pa|Tenn|Va|Wash"
)
_WORD = re.compile(
    rf"""
    (?=[{_LETTER}0-9'\u2019])(?:                                     # other characters begin no word
      (?![Cc]annot)[{_LETTER}][{_LETTER}0-9]*(?![{_LETTER}0-9.'\u2019])  # most words, which fit only the last line
    | (?:[A-Za-z]\.){{2,}}(?![{_LETTER}0-9])                        # U.S. p.m.
    | (?:[A-Za-z]\.)+[A-Za-z](?![{_LETTER}0-9])                     # U.S at the end of a sentence
    | [A-Z]\.(?=\s)                                                 # an initial
    | (?:{_ABBREVIATIONS})\.(?=[\s,;)]|$)
    | [{_LETTER}0-9]+(?:\.[{_LETTER}0-9]+)*\.(?:com|org|net|gov|edu)(?![{_LETTER}0-9])
    | ['\u2019](?:s|S|d|D|m|M|re|RE|ll|LL|ve|VE)(?![{_LETTER}0-9])  # 's, of Turkey's
    | (?:n['\u2019]t|N['\u2019]T)(?![{_LETTER}0-9])                 # n't, of didn't
    | [0-9]+(?:[.,:/][0-9]+)*[{_LETTER}]*                           # 7.4 12,018 1980s 19th
    | [Cc]an(?=not(?![{_LETTER}0-9]))                               # can, of cannot
    | [{_LETTER}](?:(?!n['\u2019]t|N['\u2019]T)[{_LETTER}0-9])*     # did, of didn't
    )
    """,
    re.VERBOSE,
)

PRONOUN_KINDS = MappingProxyType(
    {
        "personal": frozenset("i me you he him she her it we us they them".split()),
        "possessive": frozenset("my your yours his her hers its our ours their theirs".split()),
        "reflexive": frozenset("myself yourself yourselves himself herself itself ourselves themselves".split()),
    }
)
"""Pronouns by kind. "mine" is left out, because it is more often a noun in news."""

PRONOUNS = frozenset[str]().union(*PRONOUN_KINDS.values())

_NAMES = frozenset({"US", "IT"})

FUNCTION_WORDS = PRONOUNS | frozenset(
    """
    a an the this that these those each every either neither some any no none all both half such another other others
    much many more most few fewer little less least several enough same own one
    who whom whose which what whatever whichever whoever when whenever where wherever why how however whether
    mine somebody someone something anybody anyone anything nobody nothing everybody everyone everything
    about above across after against along alongside amid amidst among amongst around as at before behind below
    beneath beside besides between beyond by despite down during except for from in inside into like near of off on
    onto out outside over per regarding since than through throughout till to toward towards under underneath
    unlike until up upon versus via with within without
    and but or nor so yet if unless because although though while whereas once lest
    be am is are was were been being have has had having do does did doing done
    can could may might must shall should will would ought
    ca wo sha 's 'd 'm 're 'll 've n't not
    there here then thus hence therefore also too very just only even ever never
    """.split()
)
"""Words of the closed classes: articles, determiners, quantifiers, pronouns, prepositions, conjunctions, auxiliaries,
clitics, and the few adverbs that work like them. Written for this benchmark."""


def split_words(text: str, *, tokenized: bool = False) -> list[str]:
    """Split a text into its words, in order and in their original case.

    Punctuation is left out. Clitics and hyphenated words are split. Numbers and abbreviations stay whole. Words are in
    Unicode's normal form C. The module describes the words of scripts other than Latin, Greek and Cyrillic.

    Args:
        text: The text.
        tokenized: Whether blanks divide all words, as in phrases of tokenized text. Otherwise, the text decides.
    """
    if is_plain(text):
        return _WORD.findall(compose(text))
    text, exposed = expose_words(text, tokenized=tokenized)
    return [text[slice(*match.span())] for match in _WORD.finditer(exposed)]


@lru_cache(maxsize=1 << 17)
def normalize_word(word: str) -> str:
    """Return the form in which words are compared: lower case, with a straight apostrophe."""
    return word.lower().replace("\u2019", "'")


@lru_cache(maxsize=1 << 17)
def list_pronoun_kinds(word: str) -> frozenset[str]:
    """Return the kinds of pronouns that a word belongs to. Case matters: "US" and "IT" are names."""
    if word in _NAMES:
        return frozenset()
    return frozenset(kind for kind, words in PRONOUN_KINDS.items() if word.lower() in words)


@lru_cache(maxsize=1 << 17)
def is_function_word(word: str) -> bool:
    """Return whether a word is of a closed class. Case matters: "US" and "IT" are names."""
    return word not in _NAMES and normalize_word(word) in FUNCTION_WORDS


def content_words(words: list[str]) -> frozenset[str]:
    """Return the distinct normalized words that are not function words. The words are in their original case."""
    return frozenset(map(normalize_word, filterfalse(is_function_word, words)))
