"""A judge: its prompts, the respondent that answers them, and the choices that replies name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from harness.files.writing import expand_home
from harness.models.interfaces.scores import Outcome, Scores
from pyramid_paraphrase.errors import InputError, OptionError, cannot_read
from pyramid_paraphrase.files.inputs import decode, open_input

MAX_PROMPT_CHARACTERS = 2000
"""Maximum number of characters of a template. Results contain templates, and leaderboards accept prompts up to this
length."""

_MAX_PROMPT_BYTES = 4 * MAX_PROMPT_CHARACTERS
"""Maximum number of bytes of a template file, because a character has at most four bytes in UTF-8."""

FIRST, SECOND = "{first}", "{second}"
"""The placeholders of the two texts."""

_PLACE = re.compile(f"{re.escape(FIRST)}|{re.escape(SECOND)}")

_SAME = f"""Do these two sentences say the same?

Sentence 1: {FIRST}
Sentence 2: {SECOND}

Answer with yes or no.
Answer:"""

_EXPRESSES = f"""Does this text say what the statement says?

Text: {FIRST}
Statement: {SECOND}

Answer with yes or no.
Answer:"""

_CHOOSE = f"""Which option says the same as this sentence?

Sentence: {FIRST}
Options:
{SECOND}

Answer with the number of the option.
Answer:"""


_ACU = f"""A reader knows nothing but the summary. Does the reader learn this fact from it, in whatever words?

Summary: {FIRST}
Fact: {SECOND}

Answer with yes or no.
Answer:"""

_QA = f"""Here are a summary, and a question with its right answer.
Can the question be answered in this way from the summary alone? The words of the answer may differ.

Summary: {FIRST}
Question and answer: {SECOND}

Answer with yes or no.
Answer:"""

_COVERAGE = f"""How much of this insight does the summary contain?
All of it (fully), a part of it (partially), or nothing (not)?

Summary: {FIRST}
Insight: {SECOND}

Answer with fully, partially or not.
Answer:"""

YES_OR_NO = ("yes", "no")
"""The choices of a question about a pair."""

_YES_SCORES: Mapping[str, float] = dict(zip(YES_OR_NO, (1.0, 0.0), strict=True))

DEFAULT_PROMPT = "default"
SUMMARY_PROMPTS: Mapping[str, tuple[str, Mapping[str, float]]] = {
    DEFAULT_PROMPT: (_EXPRESSES, _YES_SCORES),
    "acu": (_ACU, _YES_SCORES),
    "qa": (_QA, _YES_SCORES),
    "coverage": (_COVERAGE, {"fully": 1.0, "partially": 0.5, "not": 0.0}),
}
"""Templates for a summary and an SCU by name, with the scores of their answers.

They ask what annotators and judges of RoSE (Liu et al. 2023: Atomic Content Units), of QAPyramid (Zhang et al. 2025: a
question with its answer) and of Summary of a Haystack (Laban et al. 2024: coverage of an insight) were asked, with the
same answers, in our own words.
"""

ANSWERS = "summary_answers"
"""Name of the answers about summaries in results, if they are not yes and no."""

PAIR, SUMMARY, QUESTION = "prompt", "summary_prompt", "question_prompt"
"""Names of the templates in results: for a pair of sentences, for a summary (`FIRST`) and an SCU (`SECOND`), and for a
question (`FIRST`) and its numbered options (`SECOND`)."""


def choose_prompts(template: str | None, *, by_options: bool, name: str = DEFAULT_PROMPT) -> dict[str, str]:
    """Return the templates of a judge by their names. Without a template for summaries, that for pairs is used.

    Args:
        template: A template of the user. None for the default templates.
        name: Name of the template for summaries, one of `SUMMARY_PROMPTS`, if the user has none.
        by_options: Whether a prompt contains a question with all its options. If so, the user's template is for
            questions.
    """
    summary_template, _ = SUMMARY_PROMPTS[name]
    if by_options:
        return {PAIR: _SAME, SUMMARY: summary_template, QUESTION: template or _CHOOSE}
    return {PAIR: template} if template else {PAIR: _SAME, SUMMARY: summary_template}


def fill(template: str, first: str, second: str) -> str:
    """Insert two texts into a template. Placeholders within the texts are not replaced."""
    texts = {FIRST: first, SECOND: second}
    return _PLACE.sub(lambda place: texts[place.group()], template)


def read_template(path: str) -> str:
    """Read a template from a UTF-8 file.

    Line breaks become line feeds, and line breaks at the end are removed.

    Raises:
        InputError: If the file cannot be read, is too long, or has no placeholder for a text.
    """
    try:
        with open_input(expand_home(path)) as file:
            data = file.read(_MAX_PROMPT_BYTES + 1)
    except OSError as error:
        raise cannot_read(path, error, "use a file with a prompt") from None
    remedy = f"write a prompt with {FIRST} and {SECOND} as placeholders of the two texts, and ask for yes or no"
    template = None
    if len(data) <= _MAX_PROMPT_BYTES:  # otherwise the last character could be incomplete
        template = "\n".join(decode(data, path, remedy).splitlines()).rstrip("\n")
    if template is None or len(template) > MAX_PROMPT_CHARACTERS:
        raise InputError(path, f"has more than {MAX_PROMPT_CHARACTERS:,} characters", "shorten the prompt")
    missing = [placeholder for placeholder in (FIRST, SECOND) if placeholder not in template]
    if missing:
        raise InputError(path, f"has no {missing[0]}", remedy)
    return template


MIN_PROBABILITY = 0.01
"""Lowest probability of all choices together at which a judge's next token counts as an answer.

Below this bound, at least 99 % of the probability belongs to other tokens, so the model does not answer with its next
token, and the share of yes among the rest says little. A model that thinks first gave yes and no 2e-6 together. Their
six forms each would have 4e-4 together if all of 32,000 tokens were equally probable.
"""

VERSION = 4
"""Version of the rules by which replies and tokens are read. Stored answers of another version are not used."""

MAX_CHOICES = 9
"""Maximum number of options of a question. Options are numbered by one digit, which is one token."""

MAX_REPLY_CHARACTERS = 1000
"""Number of characters at the beginning of a reply that are parsed."""

_END_OF_THOUGHT = re.compile(
    r"</(?:think|thinking|thought|reasoning)>|\[/THINK]|\u25c1/think\u25b7|<\|channel\|>final<\|message\|>"
)
"""What models that think first write between a thought and the reply."""

_SPELLED_BYTE = re.compile("<0x([0-9A-Fa-f]{2})>")
_END_OF_WORD = "</w>"
_AROUND_WORD = re.compile(r"^[\W_]+|[\W_]+$")
_SHIFTED_BYTES = (*range(33), *range(127, 161), 173)
_BYTES = {chr(byte): byte for byte in set(range(256)).difference(_SHIFTED_BYTES)}
_BYTES |= {chr(256 + place): byte for place, byte in enumerate(_SHIFTED_BYTES)}
"""The bytes by the characters with which byte-level tokenizers spell them (`bytes_to_unicode` of GPT-2)."""

_BEFORE_ANSWER = frozenset({"answer", "final", "is", "my", "number", "option", "sentence", "the"})
_JOINED = frozenset({"and", "or"})
_REFUSING = (
    "i can't",
    "i cannot",
    "i can not",
    "i won't",
    "i will not",
    "i'm not able",
    "i am not able",
    "i'm unable",
    "i am unable",
    "i must decline",
    "as an ai",
)


def number_choices(count: int) -> tuple[str, ...]:
    """Return the numbers of options as choices, starting at 1.

    Args:
        count: Number of options, at most `MAX_CHOICES`.
    """
    return tuple(str(number) for number in range(1, count + 1))


def parse_answer(reply: str, choices: Sequence[str] = YES_OR_NO) -> int | Outcome:
    """Find the answer in a reply.

    The answer is the first word of the reply, if it is a choice. Words such as "the answer is" may precede it. "Yes or
    no" is not an answer, and neither is a yes or no later in the reply: "I cannot say yes" is a refusal.

    Args:
        reply: The text that a model generated.
        choices: Words in lower case.

    Returns:
        The index of the choice, or the outcome without an answer. The reply is a refusal if it begins with a common
        phrase of refusal, which an apology may precede.
    """
    words = split_reply(reply)
    while words and words[0] in _BEFORE_ANSWER:
        words.pop(0)
    if words and words[0] in choices:
        following = next((word for word in words[1:] if word not in _JOINED), "")
        if following not in choices or following == words[0]:  # not "yes or no", "yes and no" or "yes/no"
            return choices.index(words[0])
    text = " ".join(words)
    for apology in ("i'm sorry", "i am sorry", "sorry", "but"):
        text = text.removeprefix(apology).lstrip()
    return Outcome.REFUSALS if text.startswith(_REFUSING) else Outcome.UNPARSABLE


def split_reply(reply: str) -> list[str]:
    """Return the words at the beginning of a reply in lower case.

    A thought at the beginning of the reply, up to "</think>" or a mark with the same meaning, is skipped.
    """
    conclusion = _END_OF_THOUGHT.split(reply)[-1]
    text = conclusion[:MAX_REPLY_CHARACTERS].casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return re.findall(r"[^\W_]+(?:'[^\W_]+)?", text)


def find_end_of_thought(reply: str) -> int:
    """Return the place after the last mark that ends a thought, or 0 if there is none."""
    return max((match.end() for match in _END_OF_THOUGHT.finditer(reply)), default=0)


def read_token(token: str) -> str:
    """Return the word of a token in lower case, without the marks of tokenizers and without marks around the word.

    Servers list tokens as text (" Yes") or as in the vocabulary: with U+2581 or U+0120 for a space, as the bytes of a
    byte-level tokenizer, as "<0x20>", or with "</w>" at the end of a word. Quotation marks and markup do not count.

    Returns:
        The word. Empty for a token of blanks and marks.
    """
    text = _SPELLED_BYTE.sub(lambda match: chr(int(match[1], 16)), token[:MAX_REPLY_CHARACTERS])
    text = text.removesuffix(_END_OF_WORD)
    if all(character in _BYTES for character in text):
        text = bytes(_BYTES[character] for character in text).decode("utf-8", errors="replace")
    return _AROUND_WORD.sub("", text).casefold()


def share_among(answer: int | Outcome, count: int) -> tuple[list[float], Outcome]:
    """Return the shares of choices and the outcome: 1 for the answer and 0 for the others, 0 for all without answer."""
    if isinstance(answer, Outcome):
        return [0.0] * count, answer
    return [float(choice == answer) for choice in range(count)], Outcome.ANSWERED


Answers = Iterator[tuple[list[int], Scores]]
"""Batches of answers: indices of prompts, and the answers to them. Each index occurs once over all batches."""


class Respondent(Protocol):
    """A model that answers prompts."""

    def answer(self, prompts: list[str], choices: Sequence[str]) -> Answers:
        """Answer prompts.

        Args:
            prompts: n prompts. Each prompt is a question whose answer is one of the choices.
            choices: k words in lower case, which differ in their first token.

        Yields:
            Batches of answers, shape (prompts, k): the probabilities of the choices, which sum to 1 if there is an
            answer.
        """


class Judge:
    """A scorer that asks a respondent about each pair of texts.

    Args:
        respondent: The model that answers.
        prompts: The templates of the questions, as `choose_prompts` returns them.
        answers: The answers about a summary, with the score of each, in [0, 1].

    Attributes:
        prompts: The templates of the questions.
        answers: The answers about a summary.
        in_batches: See `Ability`.
        items_at_once: Number of items that it gets at once. None for the usual number.
    """

    in_batches = True
    items_at_once: int | None = None

    def __init__(
        self, respondent: Respondent, prompts: Mapping[str, str], answers: Mapping[str, float] = _YES_SCORES
    ) -> None:
        self._respondent, self.prompts, self.answers = respondent, prompts, answers

    @property
    def settings(self) -> dict[str, str]:
        """What results record: the templates, and the answers about summaries if they are not yes and no."""
        recorded = {} if tuple(self.answers) == YES_OR_NO else {ANSWERS: ", ".join(self.answers)}
        return {**self.prompts, **recorded}

    def score_batches(self, pairs: list[tuple[str, str]]) -> Answers:
        """Score pairs in batches."""
        return self._ask([fill(self.prompts[PAIR], first, second) for first, second in pairs], _YES_SCORES)

    def score_summary_batches(self, scus: list[str], summaries: list[list[str]]) -> Answers:
        """Score summaries in batches."""
        template = self.prompts.get(SUMMARY, self.prompts[PAIR])
        texts = [" ".join(sentences) for sentences in summaries]
        return self._ask([fill(template, text, scu) for text, scu in zip(texts, scus, strict=True)], self.answers)

    def _ask(self, prompts: list[str], answers: Mapping[str, float]) -> Answers:
        """Ask questions, and yield the mean score of the answers by their probabilities: for yes, its probability."""
        scores = np.array(list(answers.values()))
        for indices, shares in self._respondent.answer(prompts, tuple(answers)):
            yield indices, Scores(shares.values @ scores, shares.outcomes)


class ChoosingJudge(Judge):
    """A judge that gets all options of a question together and chooses the right one."""

    def score_question_batches(self, questions: list[str], options: list[list[str]]) -> Answers:
        """Score options in batches by their probabilities. See `Ability.SCORE_QUESTIONS`.

        Raises:
            OptionError: If a question has more than `MAX_CHOICES` options.
        """
        count = len(options[0])
        if count > MAX_CHOICES:
            reason = f"questions=options supports at most {MAX_CHOICES} options per question, found {count}"
            raise OptionError(f"{reason}. Omit questions=options")
        prompts = []
        for question, texts in zip(questions, options, strict=True):
            numbered = "\n".join(f"{number}: {text}" for number, text in enumerate(texts, 1))
            prompts.append(fill(self.prompts[QUESTION], question, numbered))
        return self._respondent.answer(prompts, number_choices(count))
