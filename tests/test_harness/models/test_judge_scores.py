"""Judges: the prompts that they make, and the scores that they make of answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from helpers.judges import list_answers
from helpers.messages import mentions

from harness.models.interfaces.scores import Scores, make_scores
from harness.models.judging.judge import (
    ANSWERS,
    MAX_CHOICES,
    PAIR,
    QUESTION,
    SUMMARY,
    SUMMARY_PROMPTS,
    ChoosingJudge,
    Judge,
    fill,
)
from harness.models.kinds.judges import make_judge
from harness.models.loading import load_model
from harness.models.specs import parse_spec
from pyramid_paraphrase.errors import OptionError

PROMPTS = {
    PAIR: "same: {first} | {second}",
    SUMMARY: "expressed: {first} | {second}",
    QUESTION: "choose: {first} | {second}",
}


class ByLength:
    """A respondent that gives the first choice 1 / length of the prompt, in batches of one, the last prompt first."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def answer(self, prompts: list[str], choices: Sequence[str]) -> Iterator[tuple[list[int], Scores]]:
        self.prompts += prompts
        for index in reversed(range(len(prompts))):
            share = 1 / len(prompts[index])
            others = (1 - share) / (len(choices) - 1)
            yield [index], make_scores([[share] + [others] * (len(choices) - 1)])


def test_the_score_of_a_pair_is_the_share_of_yes_in_the_order_of_the_pairs() -> None:
    respondent = ByLength()
    scores = list_answers(Judge(respondent, PROMPTS).score_batches([("a", "b"), ("{second}", "b")]), 12)
    assert respondent.prompts == ["same: a | b", "same: {second} | b"]
    assert scores == pytest.approx([1 / 11, 1 / 18])


def test_a_summary_comes_before_its_scu() -> None:
    respondent = ByLength()
    scores = list_answers(Judge(respondent, PROMPTS).score_summary_batches(["scu", "s"], [["One.", "Two."], []]), 12)
    assert respondent.prompts == ["expressed: One. Two. | scu", "expressed:  | s"]
    assert scores == pytest.approx([1 / 26, 1 / 15])


def test_options_are_numbered() -> None:
    respondent = ByLength()
    judge = ChoosingJudge(respondent, PROMPTS)
    ((indices, shares),) = judge.score_question_batches(["q"], [["x", "y", "z"]])
    assert respondent.prompts == ["choose: q | 1: x\n2: y\n3: z"]
    assert indices == [0]
    assert shares.values.shape == (1, 3)


def test_more_options_than_digits_are_refused() -> None:
    judge = ChoosingJudge(ByLength(), PROMPTS)
    assert len(list(judge.score_question_batches(["q"], [["x"] * MAX_CHOICES]))) == 1
    with pytest.raises(OptionError, match="questions=options"):
        judge.score_question_batches(["q"], [["x"] * (MAX_CHOICES + 1)])


def test_grades_of_coverage() -> None:
    """A share x of "fully", and (1 - x) / 2 of "partially", which counts half."""
    judge = make_judge(parse_spec("judge:org/x,prompt=coverage"), ByLength())
    assert judge.settings[ANSWERS] == "fully, partially, not"
    [score] = list_answers(judge.score_summary_batches(["scu"], [["One.", "Two."]]), 12)
    share = 1 / len(fill(judge.prompts[SUMMARY], "One. Two.", "scu"))
    assert score == pytest.approx(share + 0.5 * (1 - share) / 2)
    [score] = list_answers(judge.score_batches([("a", "b")]), 12)
    assert score == pytest.approx(1 / len(fill(judge.prompts[PAIR], "a", "b")))  # pairs are asked as usual


@pytest.mark.parametrize("name", ["acu", "qa"])
def test_named_prompts_with_yes_and_no(name: str) -> None:
    judge = make_judge(parse_spec(f"judge:org/x,prompt={name}"), ByLength())
    template, _ = SUMMARY_PROMPTS[name]
    assert judge.settings[SUMMARY] == template
    assert ANSWERS not in judge.settings


def test_a_named_prompt_beside_a_file(tmp_path: Path) -> None:
    """With all options in a prompt, the file is for questions, and the named prompt for summaries."""
    file = tmp_path / "prompt.txt"
    file.write_text("{first} = {second}?")
    for kind in ("judge:org/x", "hosted-judge:x"):
        with pytest.raises(OptionError, match=mentions("prompt ... prompt_file ... Omit")):
            load_model(f"{kind},prompt=acu,prompt_file={file}", send_text_to=["api.openai.com"])
        with pytest.raises(OptionError, match=mentions("prompt ... default, acu, qa, coverage")):
            parse_spec(f"{kind},prompt=rose")
    both = make_judge(parse_spec(f"judge:org/x,prompt=qa,questions=options,prompt_file={file}"), ByLength())
    assert (both.prompts[SUMMARY], both.prompts[QUESTION]) == (SUMMARY_PROMPTS["qa"][0], "{first} = {second}?")


def test_options_of_a_spec_decide_the_judge(tmp_path: Path) -> None:
    """A prompt of the user is about pairs, or about questions if a prompt contains all options."""
    file = tmp_path / "prompt.txt"
    file.write_text("{first} = {second}?")
    by_pairs = make_judge(parse_spec(f"judge:org/x,prompt_file={file}"), ByLength())
    assert (type(by_pairs), by_pairs.prompts) == (Judge, {PAIR: "{first} = {second}?"})
    by_options = make_judge(parse_spec(f"judge:org/x,questions=options,prompt_file={file}"), ByLength())
    assert (type(by_options), by_options.prompts[QUESTION]) == (ChoosingJudge, "{first} = {second}?")
    plain = make_judge(parse_spec("judge:org/x"), ByLength()).prompts
    assert by_options.prompts == {**plain, QUESTION: "{first} = {second}?"}
