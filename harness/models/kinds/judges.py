"""Judges: language models, here or on servers, that are asked whether two texts say the same thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.files.hashing import hash_values
from harness.models.files.hub import requiring_answers
from harness.models.hosted import access
from harness.models.hosted.presets import LIMIT, MOST_LISTED_TOKENS, OLDER_LIMIT, TOKENS_AFTER_THOUGHT
from harness.models.interfaces.kinds import ModelKind, Option, Spec, make_choice, make_number
from harness.models.interfaces.model import Model
from harness.models.interfaces.scores import NO_ANSWERS, Outcome
from harness.models.judging import judge
from harness.models.kinds import hosted
from harness.models.kinds.neural import EXTRA, REVISION, TORCH_OPTIONS, check_one_device
from harness.models.neural import checkpoints
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.rules.ranges import Range

if TYPE_CHECKING:
    from harness.models.judging.language_models import LanguageModel

PROBABILITY, TEXT = "probability", "text"
"""How a judge answers: by the probability of yes as the next token, or by the text that it generates."""

ANSWER = make_choice("answer", (PROBABILITY, TEXT))

BY_PAIRS, BY_OPTIONS = "pairs", "options"
"""How a judge is asked a question: about each option separately, or about all options together."""

QUESTIONS = make_choice("questions", (BY_PAIRS, BY_OPTIONS))
REPLY_TOKENS = make_number("reply_tokens", Range(1, 100_000), 16)
"""Maximum length of a reply. The default is enough for models that do not think first, because they begin with the
answer."""

PROMPT = make_choice("prompt", tuple(judge.SUMMARY_PROMPTS))
"""The template for `presence`. Results record the template itself under the same name as that for pairs."""

PROMPT_FILE = Option("prompt_file", judge.read_template, "a file with a prompt", names_file=True)

_FIELDS = ("model", "messages", "temperature", LIMIT, OLDER_LIMIT, "logprobs", "top_logprobs", "stream", "n")
"""Fields of requests that `extra_body` cannot set."""

_THINKING_TOKENS = make_number("thinking_tokens", Range(1, 100_000))
_TOP_LOGPROBS = make_number("top_logprobs", Range(1, 20))
_REQUESTS_PER_BATCH = make_number("requests_per_batch", Range(1, 50_000), changes_scores=False)
_POLL_SECONDS = make_number("poll_seconds", Range(0.01, 3600, is_whole=False), 60.0, changes_scores=False)
_TOKEN_LIMIT = replace(make_choice("token_limit", (LIMIT, OLDER_LIMIT)), changes_scores=False)
_TEMPERATURE = make_number("temperature", Range(0, 2, is_whole=False), 0.0)


def load_judge(spec: Spec) -> Model:
    """Load a causal language model that judges pairs.

    Raises:
        ModelError: If the model cannot be loaded, or its tokenizer cannot distinguish yes from no.
    """
    from harness.models.judging.language_models import NextTokens, Replies

    options = spec.settings
    hash_before = checkpoints.hash_local(spec.model)
    language_model = _load_language_model(spec)
    by_text = options[ANSWER.name] == TEXT
    if not by_text:
        _, answers = judge.SUMMARY_PROMPTS[options[PROMPT.name]]
        for choices in dict.fromkeys((judge.YES_OR_NO, tuple(answers))):  # raises before the evaluation if it cannot
            language_model.find_answer_tokens(choices)
    respondent = Replies(language_model, options[REPLY_TOKENS.name]) if by_text else NextTokens(language_model)
    scorer = make_judge(spec, respondent)
    prompt_options = (PROMPT.name, PROMPT_FILE.name)
    settings = {name: value for name, value in checkpoints.list_decisive(spec).items() if name not in prompt_options}
    identity = checkpoints.identify(spec, hash_before)
    settings |= scorer.settings
    model = checkpoints.describe_checkpoint(spec, language_model.model, scorer, identity, settings)
    if model.store_key is not None:
        model = replace(model, store_key=hash_values([model.store_key, judge.VERSION]))
    return replace(model, outcomes=NO_ANSWERS if by_text else (Outcome.IMPROBABLE,))


def load_hosted_judge(spec: Spec) -> Model:
    """Describe a language model on a server that judges pairs. Nothing is sent before pairs are scored.

    The fingerprint covers the name of the model, the address of the server, the prompts, and the options `answer`,
    `temperature`, `reply_tokens`, `thinking_tokens`, `top_logprobs` and `extra_body`.

    Raises:
        OptionError: If the key or `extra_body` cannot be used.
    """
    from harness.models.hosted.batches import BatchRespondent
    from harness.models.hosted.chat import ChatRespondent

    options = spec.settings
    key, body = access.read_key(options["key_variable"] or access.OPENAI_VARIABLE), options["extra_body"]
    fields: dict[str, Any] = {}
    if body:
        hosted.add_body(fields, body, key, _FIELDS)
    service = hosted.make_service(spec, key)
    by_probability = options["answer"] == PROBABILITY
    settings = {name: options[name] for name in ("temperature", "reply_tokens")}
    chat = ChatRespondent(
        service,
        by_probability=by_probability,
        concurrency=options["concurrency"],
        thinking_tokens=options[_THINKING_TOKENS.name] or 0,
        listed=options[_TOP_LOGPROBS.name],
        limit=options[_TOKEN_LIMIT.name],
        fields=fields,
        **settings,
    )
    size, concurrency = options[_REQUESTS_PER_BATCH.name], options["concurrency"]
    respondent: judge.Respondent = chat
    if size:
        pause = options[_POLL_SECONDS.name]
        respondent = BatchRespondent(service, chat, size=size, concurrency=concurrency, poll_seconds=pause)
    scorer = make_judge(spec, respondent)
    if size:
        scorer.items_at_once = 1 << 40  # all, so that a later run divides the rest into the same batches
    further = {name: options[name] for name in (_THINKING_TOKENS.name, _TOP_LOGPROBS.name, "extra_body")}
    chosen = {name: value for name, value in further.items() if value is not None}
    decisive = {"url": hosted.find_url(options), "answer": options["answer"], **settings, **chosen, **scorer.settings}
    model = hosted.describe_hosted(spec, service, scorer, decisive)
    return replace(
        model,
        store_key=hash_values([model.fingerprint, judge.VERSION]),
        outcomes=(*NO_ANSWERS, Outcome.BY_WORDS) if by_probability else NO_ANSWERS,
    )


def check_hosted_judge(spec: str, options: Mapping[str, Any]) -> None:
    """Refuse contradictory options, as `check_prompts` does, and thoughts for whose tokens a server lists too much.

    Raises:
        OptionError: If there are such options.
    """
    check_prompts(spec, options)
    if options.get(ANSWER.name, PROBABILITY) == TEXT:
        if options.get(_TOP_LOGPROBS.name):
            raise OptionError("answer=text requests no probabilities. Omit the option top_logprobs")
        return
    tokens = options.get(_THINKING_TOKENS.name) or 0
    most = MOST_LISTED_TOKENS // (options.get(_TOP_LOGPROBS.name) or TOKENS_AFTER_THOUGHT)
    if tokens > most:
        reason = f"thinking_tokens={tokens} is too large for probabilities, which servers list for each token"
        raise OptionError(f"{reason}. Add answer=text, or use at most {most}")


def make_judge(spec: Spec, respondent: judge.Respondent) -> judge.Judge:
    """Make a judge from the prompts that a spec sets and a respondent that answers them."""
    by_options, name = spec.settings[QUESTIONS.name] == BY_OPTIONS, spec.settings[PROMPT.name]
    prompts = judge.choose_prompts(spec.settings[PROMPT_FILE.name], by_options=by_options, name=name)
    _, answers = judge.SUMMARY_PROMPTS[name]
    make = judge.ChoosingJudge if by_options else judge.Judge
    return make(respondent, prompts, answers)


def check_prompts(spec: str, options: Mapping[str, Any]) -> None:
    """Refuse a named prompt beside a file with a prompt that replaces it, and the options that `check_one_device` does.

    Raises:
        OptionError: If both are set, and the file is not for questions.
        ModelError: As of `check_one_device`.
    """
    check_one_device(spec, options)
    if {PROMPT.name, PROMPT_FILE.name} <= options.keys() and options.get(QUESTIONS.name) != BY_OPTIONS:
        raise OptionError("options prompt and prompt_file are mutually exclusive. Omit one of them")


def _load_language_model(spec: Spec) -> LanguageModel:
    """Load a model and its tokenizer, and tokenize a prompt as a check."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from harness.models.judging.language_models import LanguageModel

    options = spec.settings
    settings = checkpoints.prepare_loading(spec)
    device = settings.pop("device")
    dtype = getattr(torch, options["dtype"])

    def make(name: str, **arguments: Any) -> Any:  # noqa: ANN401
        library: Any = AutoModelForCausalLM
        return library.from_pretrained(name, dtype=dtype, **arguments).eval()

    with requiring_answers(spec.model):
        model, missing = checkpoints.load_checkpoint(make, spec.model, options["dtype"], settings)
        checkpoints.require_language_model(model, spec.public)
        checkpoints.require_tensors(spec.model, missing)
        library: Any = AutoTokenizer
        tokenizer = library.from_pretrained(spec.model, **settings)
    if device:
        model = model.to(device)
    language_model = LanguageModel(model, tokenizer, spec.title, options["batch_size"])
    language_model.tokenize("Is it so?")  # raises before the evaluation if the chat template is faulty
    return language_model


JUDGE = ModelKind(
    name="judge",
    meaning="a causal language model that is asked whether two texts say the same thing",
    example="judge:Qwen/Qwen2.5-0.5B-Instruct,dtype=bfloat16",
    group="judges",
    load=load_judge,
    options=(
        REVISION,
        *TORCH_OPTIONS,
        ANSWER,
        QUESTIONS,
        PROMPT,
        PROMPT_FILE,
        REPLY_TOKENS,
    ),
    check=check_prompts,
    hub="",
    extra=EXTRA,
    gives_probabilities=True,
)

HOSTED_JUDGE = ModelKind(
    name="hosted-judge",
    meaning="a language model on an OpenAI-compatible server that is asked whether two texts say the same thing",
    example="hosted-judge:gpt-4o-mini",
    group="judges",
    load=load_hosted_judge,
    options=(
        hosted.URL,
        ANSWER,
        QUESTIONS,
        PROMPT,
        PROMPT_FILE,
        _TEMPERATURE,
        REPLY_TOKENS,
        _THINKING_TOKENS,
        _TOP_LOGPROBS,
        _TOKEN_LIMIT,
        _REQUESTS_PER_BATCH,
        _POLL_SECONDS,
        hosted.EXTRA_BODY,
        *hosted.ACCESS,
    ),
    check=check_hosted_judge,
    find_recipient=hosted.find_recipient,
    is_reproducible=False,
    gives_probabilities=True,
)
