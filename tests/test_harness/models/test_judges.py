"""Judges that are models of `transformers`."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.judges import list_answers
from helpers.messages import mentions
from helpers.tiny_models import WORDS, save_judge, save_tiny_encoder

from harness.api.evaluating import evaluate
from harness.models.interfaces.scores import Outcome
from harness.models.judging.judge import Judge
from harness.models.loading import load_model
from harness.models.specs import parse_spec
from harness.support.errors import ModelError
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.errors import OptionError, PyramidParaphraseError

PAIRS = [("a b", "c"), ("a", "b"), ("d e f", "g")]
NEVER = -100.0
needs_transformers = pytest.mark.needs("sentence_transformers")


def ask(spec: str, pairs: list[tuple[str, str]] = PAIRS) -> list[float | str]:
    return ask_scorer(load_model(spec).scorer, pairs)


def ask_scorer(scorer: Judge, pairs: list[tuple[str, str]] = PAIRS) -> list[float | str]:
    return list_answers(scorer.score_batches(pairs))


@needs_transformers
def test_the_probability_of_yes_against_no(tmp_path: Path) -> None:
    """The words yes and Yes have 2 + 4 = 6, no and No have 1 + 1 = 2. Other words do not count."""
    folder = save_judge(tmp_path / "judge", {"yes": math.log(2), "Yes": math.log(4), "maybe": 9.0})
    assert ask(f"judge:{folder}") == [0.75, 0.75, 0.75]
    assert ask(f"judge:{folder},batch_size=2") == [0.75, 0.75, 0.75]
    assert ask(f"judge:{folder}", []) == []
    model = load_model(f"judge:{folder}")
    assert list_answers(model.scorer.score_summary_batches(["a"], [["b", "c"]])) == [0.75]
    assert (model.kind, model.outcomes, model.directions) == ("judge", (Outcome.IMPROBABLE,), ())


@needs_transformers
def test_coverage_in_three_grades(tmp_path: Path) -> None:
    """The words fully, partially and not have 1, 3 and 4 of 8: (1 + 3 / 2) / 8. By words, the most probable counts."""
    grades = ("fully", "partially", "not")
    vocabulary = (*WORDS[:-1], *grades, WORDS[-1])
    logits = dict(zip(grades, map(math.log, (50, 150, 200)), strict=True))
    folder = save_judge(tmp_path / "judge", logits, vocabulary=vocabulary)
    model = load_model(f"judge:{folder},prompt=coverage")
    assert list_answers(model.scorer.score_summary_batches(["a"], [["b", "c"]])) == [0.3125]
    assert model.options["summary_answers"] == "fully, partially, not"
    assert model.options["summary_prompt"].endswith("Answer with fully, partially or not.\nAnswer:")
    by_words = load_model(f"judge:{folder},prompt=coverage,answer=text").scorer
    assert list_answers(by_words.score_summary_batches(["a"], [["b"]])) == [0.0]
    assert len({load_model(f"judge:{folder}{option}").fingerprint for option in ("", ",prompt=acu", ",prompt=qa")}) == 3
    with pytest.raises(ModelError, match=mentions("fully, partially and not ... same token. ... answer=text")):
        load_model(f"judge:{save_judge(tmp_path / 'other', {})},prompt=coverage")


@needs_transformers
def test_answers_of_almost_no_probability_are_improbable(tmp_path: Path) -> None:
    """Of 14 words, yes, Yes, no and No have 2 + 4 + 1 + 1 = 8. The others have exp(x) and nine times 1.

    8 / (8 + 9 + 775) = 0.0101 is above the bound of 0.01, and 8 / (8 + 9 + 795) = 0.0099 is below it.
    """
    for weight, outcome in ((775, Outcome.ANSWERED), (795, Outcome.IMPROBABLE)):
        logits = {"yes": math.log(2), "Yes": math.log(4), "maybe": math.log(weight)}
        scorer = load_model(f"judge:{save_judge(tmp_path / str(weight), logits)}").scorer
        [(_, scores)] = scorer.score_batches([("a", "b")])
        assert scores.outcomes.tolist() == [outcome]
        assert scores.values.tolist() == pytest.approx([0.75], abs=1e-6)


@needs_transformers
def test_a_judge_without_a_probable_answer_is_an_error(tmp_path: Path) -> None:
    """A model that thinks first would be scored by the millionth part of its probability."""
    folder = save_judge(tmp_path / "judge", {"yes": math.log(2), "maybe": 15.0})
    with pytest.raises(
        ModelError,
        match=mentions(
            "judge: ... 227 of 319 ... ranking (improbable: 227). ... answer=text,reply_tokens=4000 ... prompt_file"
        ),
    ):
        evaluate(f"judge:{folder}", SAMPLE_DIR / "S0101.pyr", "ranking", cache=False, resamples=10)


@needs_transformers
def test_all_options_in_one_prompt(tmp_path: Path) -> None:
    """Of the words 1 to 4, the numbers of the options, 2 has 3 and the others have 1."""
    folder = save_judge(tmp_path / "judge", {"2": math.log(3)})
    scorer: Any = load_model(f"judge:{folder},questions=options").scorer
    options = [["a", "b", "c", "d"], ["e", "f", "g", "h"]]
    [(indices, shares)] = scorer.score_question_batches(["x", "y"], options)
    assert indices == [0, 1]
    np.testing.assert_allclose(shares.values, [[1 / 6, 1 / 2, 1 / 6, 1 / 6]] * 2, atol=1e-6)
    assert ask_scorer(scorer) == [0.5] * 3
    by_words: Any = load_model(f"judge:{folder},questions=options,answer=text").scorer
    [(_, shares)] = by_words.score_question_batches(["x", "y"], options)
    assert shares.values.tolist() == [[0, 1, 0, 0]] * 2
    with pytest.raises(OptionError, match=mentions("9 options ... 10. Omit questions=")):
        scorer.score_question_batches(["x"], [["a"] * 10])


@needs_transformers
def test_words_of_several_tokens_are_known_by_the_first(tmp_path: Path) -> None:
    folder = save_judge(tmp_path / "judge", {"yes": math.log(3), "no": 0.0})
    path = folder / "tokenizer.json"
    settings = json.loads(path.read_text())
    settings["pre_tokenizer"] = {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated", "invert": False}
    settings["model"]["vocab"] = {"[UNK]": 0, "y": 1, "n": 2, "e": 3, "s": 4, "o": 5, "<end>": 9}
    path.write_text(json.dumps(settings))
    assert ask(f"judge:{folder}", [("e", "s")]) == [0.75]
    settings["model"]["vocab"] = {"[UNK]": 0, "e": 3, "s": 4, "<end>": 9}
    path.write_text(json.dumps(settings))
    with pytest.raises(ModelError, match=mentions("judge: ... yes and no ... same token. ... answer=text")):
        load_model(f"judge:{folder}")


@needs_transformers
@pytest.mark.parametrize(
    ("word", "score"), [("Yes", 1.0), ("no", 0.0), ("sorry", "cut"), ("maybe", "cut"), ("<end>", "unparsable")]
)
def test_replies_in_words(tmp_path: Path, word: str, score: float | str) -> None:
    model = load_model(f"judge:{save_judge(tmp_path / 'judge', {word: 5.0})},answer=text")
    assert ask_scorer(model.scorer) == [score] * 3
    assert [outcome.label for outcome in model.outcomes] == ["refusals", "unparsable", "cut"]
    assert model.options["answer"] == "text"


@needs_transformers
def test_the_length_of_replies(tmp_path: Path) -> None:
    """The model repeats a word and never ends, so the reply is cut. The length is in the result if it is not 16."""
    folder = save_judge(tmp_path / "judge", {"maybe": 5.0})
    default, longer = (load_model(f"judge:{folder},answer=text{option}") for option in ("", ",reply_tokens=40"))
    assert "reply_tokens" not in default.options
    assert longer.options["reply_tokens"] == 40
    assert default.fingerprint != longer.fingerprint
    assert ask_scorer(longer.scorer) == ["cut"] * 3
    with pytest.raises(ModelError, match=mentions("128 tokens, ... 19, plus 120 ... reply_tokens")):
        ask(f"judge:{folder},answer=text,reply_tokens=120", [("a", "b")])


@needs_transformers
def test_a_template_of_chats_is_used(tmp_path: Path) -> None:
    """The prompt is the user's message in the chat template, and thinking is disabled."""
    template = "{% for message in messages %}yes {{ enable_thinking }} {{ message.content }}{% endfor %} sorry"
    scorer: Any = load_model(f"judge:{save_judge(tmp_path / 'chat', {}, chat_template=template)}").scorer
    tokens = scorer._respondent._language_model.tokenize("no maybe")
    assert [WORDS[token] for token in tokens] == ["yes", "[UNK]", "no", "maybe", "sorry"]
    broken = save_judge(tmp_path / "bad", {}, chat_template="{{ raise_exception('no such role') }}")
    with pytest.raises(ModelError, match=mentions("bad: ... no such role ... --verbose")):
        load_model(f"judge:{broken}")


@needs_transformers
def test_the_prompt_is_recorded_and_in_the_fingerprint(tmp_path: Path) -> None:
    folder = save_judge(tmp_path / "judge", {})
    file = tmp_path / "prompts" / "short.txt"
    file.parent.mkdir()
    file.write_text("{first} = {second}?")
    default, own = load_model(f"judge:{folder}"), load_model(f"judge:{folder},prompt_file={file}")
    assert default.options["prompt"].startswith("Do these two sentences say the same?")
    assert default.options["summary_prompt"].startswith("Does this text say what the statement says?")
    assert own.options == {"dtype": "float32", "prompt": "{first} = {second}?"}
    assert own.spec.endswith("/judge,prompt_file=short.txt")
    assert str(tmp_path) not in own.spec
    file.write_text("{first} == {second}?")
    changed = load_model(f"judge:{folder},prompt_file={file}")
    models = (default, own, changed)
    assert len({model.fingerprint for model in models}) == len({model.store_key for model in models}) == 3
    assert len({model.name for model in models}) == 3


@needs_transformers
def test_prompts_that_are_too_long(tmp_path: Path) -> None:
    """The model has 128 positions, the default prompt has 17 words besides the two texts, and a reply takes 16."""
    folder = save_judge(tmp_path / "judge", {})
    assert ask(f"judge:{folder}", [("a " * 110, "b")]) == [0.5]
    with pytest.raises(ModelError, match=mentions("judge: ... 128 tokens, ... 129. ... prompt")):
        ask(f"judge:{folder}", [("a " * 111, "b")])
    with pytest.raises(ModelError, match=mentions("judge (answer=text): ... 128 tokens, ... 113, plus 16")):
        ask(f"judge:{folder},answer=text", [("a " * 95, "b")])


@needs_transformers
def test_precisions(tmp_path: Path) -> None:
    folder = save_judge(tmp_path / "judge", {"yes": 1.0, "Yes": NEVER, "No": NEVER})
    model = load_model(f"judge:{folder},dtype=bfloat16")
    scorer: Any = model.scorer
    assert model.options["dtype"] == "bfloat16"
    assert ask_scorer(scorer) == pytest.approx([1 / (1 + math.exp(-1))] * 3, abs=0.01)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("judge:org/x,answer=words", "option answer ... 'words'. Use probability, text"),
        ("judge:org/x,prompt_file=nowhere.txt", "nowhere.txt: ... directory ... prompt"),
        ("judge:org/x,prompt_file=a\0b", "prompt_file ... 'a\\x00b' ... prompt"),
        ("judge:org/x,device=cpu+cpu", "judge:org/x,device=cpu+cpu: ... several devices. Use one"),
        ("judge:org/x,dtype=int8", "judge:org/x,dtype=int8 ... int8 ... float32 ... float16"),
        ("judge:org/x,max_seq_length=5", "option of judge 'max_seq_length'. ... answer, batch_size"),
        ("judge:", "name of the model ... judge:Qwen/Qwen2.5-0.5B-Instruct,dtype=bfloat16"),
    ],
)
def test_wrong_specs(spec: str, message: str) -> None:
    with pytest.raises(PyramidParaphraseError) as caught:
        parse_spec(spec)
    assert re.search(mentions(message), str(caught.value))


@needs_transformers
def test_folders_without_a_judge(tmp_path: Path) -> None:
    folder = save_judge(tmp_path / "judge", {})
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=mentions("judge: cannot be loaded ( ... Hub")):
        load_model(f"judge:{folder}")
    classifier = save_tiny_encoder(tmp_path / "classifier", labels=2)
    with pytest.raises(ModelError, match=mentions("classifier: ... causal language model")):
        load_model(f"judge:{classifier}")
