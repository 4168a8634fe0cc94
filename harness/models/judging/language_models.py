"""Causal language models of `transformers` that answer prompts with one of several choices."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from harness.models.interfaces.scores import Outcome, make_scores
from harness.models.judging.judge import MIN_PROBABILITY, Answers, parse_answer, share_among
from harness.models.neural.scorers import BatchHalving, plan_batches
from harness.support.arrays import Floats
from harness.support.errors import ModelError


class LanguageModel:
    """A causal language model with its tokenizer.

    Args:
        model: The model of `transformers`.
        tokenizer: Its tokenizer.
        name: Name of the model, for error messages.
        batch_size: Prompts per batch. None for about `TOKENS_PER_BATCH` tokens per batch.
    """

    def __init__(self, model: Any, tokenizer: Any, name: str, batch_size: int | None) -> None:  # noqa: ANN401
        self.model, self.tokenizer, self._name, self._batch_size = model, tokenizer, name, batch_size
        self._halving = BatchHalving()

    def tokenize(self, prompt: str) -> list[int]:
        """Return the tokens of a prompt. If the tokenizer has a chat template, the prompt is a message of the user."""
        if not self.tokenizer.chat_template:
            return list(self.tokenizer(prompt)["input_ids"])
        messages = [{"role": "user", "content": prompt}]
        # Thinking is disabled, because the next token would not be the answer.
        settings = {"add_generation_prompt": True, "return_dict": False, "enable_thinking": False}
        return list(self.tokenizer.apply_chat_template(messages, **settings))

    def find_answer_tokens(self, choices: Sequence[str]) -> list[list[int]]:
        """Find the tokens that mean each choice.

        These are all forms of the word that are a single token: in lower, title or upper case, with or without a
        preceding space. If there is no such form, the first token of the word is used.

        Raises:
            ModelError: If two choices begin with the same token.
        """
        tokens = []
        for word in choices:
            forms = [blank + form for blank in ("", " ") for form in (word, word.title(), word.upper())]
            tokenized = [self.tokenizer(form, add_special_tokens=False)["input_ids"] for form in forms]
            single_tokens = {ids[0] for ids in tokenized if len(ids) == 1} - {self.tokenizer.unk_token_id}
            tokens.append(sorted(single_tokens) or tokenized[0][:1])
        if len(set(chain(*tokens))) < sum(map(len, tokens)):
            words = f"{', '.join(choices[:-1])} and {choices[-1]}"
            raise ModelError(f"{self._name}: its tokenizer begins {words} with the same token. Add answer=text")
        return tokens

    def run(
        self, prompts: list[str], compute: Callable[[Any], Floats], extra_tokens: int
    ) -> Iterator[tuple[list[int], Floats]]:
        """Compute values for each prompt. Batches consist of prompts of equal token length, so nothing is padded.

        If memory runs out, the batch is halved.

        Args:
            prompts: n prompts.
            compute: Function of a tensor of tokens, shape (prompts, tokens). It returns values, shape (prompts, k).
            extra_tokens: Number of tokens that the model adds to a prompt.

        Yields:
            Batches of indices of prompts, and their values.

        Raises:
            ModelError: If a prompt is longer than the model can read.
        """
        import torch

        tokens = [self.tokenize(prompt) for prompt in prompts]
        lengths = [len(prompt_tokens) for prompt_tokens in tokens]
        self._require_length(max(lengths, default=0), extra_tokens)

        def compute_part(part: Sequence[list[int]]) -> Floats:
            with torch.inference_mode():
                return compute(torch.tensor(part, device=self.model.device))

        order = sorted(range(len(tokens)), key=lambda index: -lengths[index])
        for batch in plan_batches(order, lengths, self._batch_size, self.model.device.type):
            members = [tokens[index] for index in batch]

            def compute_in_parts(size: int, members: list[list[int]] = members) -> Floats:
                parts = [compute_part(members[start : start + size]) for start in range(0, len(members), size)]
                return np.concatenate(parts)

            yield batch, self._halving.run(compute_in_parts, len(batch))

    def _require_length(self, length: int, extra_tokens: int) -> None:
        limit = getattr(self.model.config, "max_position_embeddings", None)
        if isinstance(limit, int) and length + extra_tokens > limit:
            reason = f"accepts at most {limit:,} tokens, but a prompt has {length:,}"
            if extra_tokens:
                reason += f", plus {extra_tokens} for the reply (reply_tokens)"
            raise ModelError(f"{self._name}: {reason}. Shorten the prompt, or use a model with a longer context")


class NextTokens:
    """A respondent that returns the probabilities of the choices as the next token.

    The probability of a choice is the sum of exp(logit) over its tokens, divided by the sum over the tokens of all
    choices. An answer is improbable if all choices together have a probability below `MIN_PROBABILITY`.

    Args:
        language_model: The model.
    """

    def __init__(self, language_model: LanguageModel) -> None:
        self._language_model = language_model
        is_sparing = "logits_to_keep" in inspect.signature(language_model.model.forward).parameters
        self._settings = {"logits_to_keep": 1} if is_sparing else {}  # the logits of all tokens may need gigabytes

    def answer(self, prompts: list[str], choices: Sequence[str]) -> Answers:
        """Answer prompts by probabilities.

        Raises:
            ModelError: If two choices begin with the same token.
        """
        import torch

        tokens_of_choices = self._language_model.find_answer_tokens(choices)

        def compute(tokens: Any) -> Floats:  # noqa: ANN401
            output = self._language_model.model(input_ids=tokens, use_cache=False, **self._settings)
            logits = output.logits[:, -1].double()
            sums = [logits[:, tokens_of_choice].logsumexp(dim=1) for tokens_of_choice in tokens_of_choices]
            stacked = torch.stack(sums, dim=1)
            shares = np.asarray(stacked.softmax(dim=1).cpu().numpy())
            probabilities = (stacked.logsumexp(dim=1) - logits.logsumexp(dim=1)).exp().cpu().numpy()
            return np.column_stack([shares, probabilities])

        for indices, columns in self._language_model.run(prompts, compute, extra_tokens=0):
            is_improbable = columns[:, -1] < MIN_PROBABILITY
            yield indices, make_scores(columns[:, :-1], np.where(is_improbable, Outcome.IMPROBABLE, Outcome.ANSWERED))


class Replies:
    """A respondent that generates replies by greedy decoding.

    Args:
        language_model: The model. Its generation settings are replaced.
        reply_tokens: Maximum number of tokens of a reply.
    """

    def __init__(self, language_model: LanguageModel, reply_tokens: int) -> None:
        import transformers

        self._language_model, self._reply_tokens = language_model, reply_tokens
        library: Any = transformers  # it has no types
        ends = language_model.model.generation_config.eos_token_id
        language_model.model.generation_config = library.GenerationConfig(
            do_sample=False,
            max_new_tokens=reply_tokens,
            eos_token_id=ends,
            pad_token_id=ends[0] if isinstance(ends, list) else ends,
        )
        self._ends = set(ends) if isinstance(ends, list) else {ends}

    def answer(self, prompts: list[str], choices: Sequence[str]) -> Answers:
        """Answer prompts. The choice that the reply names gets 1, and the other choices get 0."""
        import torch

        def compute(tokens: Any) -> Floats:  # noqa: ANN401
            sequences = self._language_model.model.generate(tokens, attention_mask=torch.ones_like(tokens))
            new_tokens = sequences[:, tokens.shape[1] :]
            answers = [self._read(reply, choices) for reply in new_tokens.tolist()]
            shared = [share_among(answer, len(choices)) for answer in answers]
            return np.array([[*shares, outcome] for shares, outcome in shared])

        for indices, columns in self._language_model.run(prompts, compute, extra_tokens=self._reply_tokens):
            yield indices, make_scores(columns[:, :-1], columns[:, -1].astype(np.uint8))

    def _read(self, tokens: list[int], choices: Sequence[str]) -> int | Outcome:
        """Read a reply. Without an answer and without an end, it was cut."""
        answer = parse_answer(self._language_model.tokenizer.decode(tokens, skip_special_tokens=True), choices)
        is_cut = answer is Outcome.UNPARSABLE and self._ends.isdisjoint(tokens)
        return Outcome.CUT if is_cut else answer
