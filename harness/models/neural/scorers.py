"""Encoding of texts and scoring of pairs by models of sentence-transformers.

Texts are encoded in batches without padding, in several threads. If memory runs out, batches are halved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from harness.models.neural.configuration import find_prompt, tokenize
from harness.support.errors import is_out_of_memory
from pyramid_paraphrase.escaping import make_logger

_Output = TypeVar("_Output")
_logger = make_logger(__name__)


class BatchHalving:
    """A procedure that halves the batch size whenever memory runs out. Later batches have the reduced size, too.

    Vectors and scores do not depend on the batch size, except for the rounding of the last digits.
    """

    def __init__(self) -> None:
        self._halvings = 0

    def run(self, compute: Callable[[int], _Output], size: int) -> _Output:
        """Call a function with a batch size that fits into memory.

        Args:
            compute: Function of a batch size. Each call starts from the beginning.
            size: The initial batch size, at least 1.

        Raises:
            Exception: Any error of the function, including lack of memory with a batch size of 1.
        """
        while True:
            reduced_size = max(1, size >> self._halvings)
            try:
                return compute(reduced_size)
            except Exception as error:
                if reduced_size == 1 or not is_out_of_memory(error):
                    raise
            # The exception refers to tensors until its block ends, so the next attempt must come after the block.
            self._halvings += 1
            _logger.warning("memory ran out with a batch size of %d. Continuing with half of it", reduced_size)


TOKENS_PER_BATCH = {"cpu": 2048, "cuda": 65536}
_PAIRS_PER_BATCH = 32
_TEXTS_PER_CHUNK = 8192
_CHARACTERS_PER_TOKEN = 4
_MAX_WORKERS = 8


class SentenceEncoder:
    """An encoder that uses `SentenceTransformer.encode` on batches of equal token length, so that nothing is padded.

    On a CPU with several cores, several batches are encoded at the same time, each with fewer threads, because small
    matrices do not keep many threads busy. If memory runs out, the batch is halved.

    Args:
        model: A `SentenceTransformer`.
        batch_size: Texts per batch. None for about `TOKENS_PER_BATCH` tokens per batch.
        prompt: Text to put before every text.
        prompt_name: Name of a prompt of the model.
        devices: Several devices, each with its own process. Empty for the device of the model.
        workers: Number of batches that are encoded at the same time.
        task: The argument `task` of `encode`.
    """

    in_batches = True

    def __init__(
        self,
        model: Any,  # noqa: ANN401
        *,
        batch_size: int | None = None,
        prompt: str | None = None,
        prompt_name: str | None = None,
        devices: Sequence[str] = (),
        workers: int = 1,
        task: str | None = None,
    ) -> None:
        self._model, self._batch_size, self._devices, self._workers = model, batch_size, list(devices), workers
        self._arguments = {"task": task} if task else {}
        self._prompts = {"prompt": prompt, "prompt_name": prompt_name}
        self._halving = BatchHalving()

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Encode texts, shape (n, dimension)."""
        settings: dict[str, Any] = {"show_progress_bar": False, **self._prompts, **self._arguments}
        size = max(1, len(texts))
        if self._devices:
            settings["device"] = self._devices
            size = self._batch_size or _PAIRS_PER_BATCH

        def encode_in_batches(batch_size: int) -> npt.NDArray[np.float32]:
            return np.asarray(self._model.encode(texts, batch_size=batch_size, **settings))

        return self._halving.run(encode_in_batches, size)

    def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
        """Encode texts batch by batch."""
        lengths, encode_batch = self.prepare(texts)
        batches = self.plan_batches(texts, lengths)

        def encode(batch: list[int]) -> tuple[list[int], npt.NDArray[np.float32]]:
            return batch, encode_batch(batch)

        # The first batch is encoded alone, because the initialization of libraries at first use is not thread-safe.
        yield from map(encode, batches[:1])
        if self._workers == 1:
            yield from map(encode, batches[1:])
            return
        import torch

        threads = torch.get_num_threads()
        torch.set_num_threads(max(1, threads // self._workers))
        try:
            with ThreadPoolExecutor(self._workers) as pool:
                yield from pool.map(encode, batches[1:])
        finally:
            torch.set_num_threads(threads)

    def prepare(self, texts: list[str]) -> tuple[list[int], Callable[[list[int]], npt.NDArray[np.float32]]]:
        """Return the number of tokens of each text, and a function that encodes a batch of indices.

        If the tokenizer is not a tokenizer of `transformers`, the numbers are estimates.
        """
        if callable(self._model.tokenizer):
            lengths = np.diff(tokenize(self._model, texts, self.prompt).starts).tolist()
        else:
            lengths = [1 + len(text) // _CHARACTERS_PER_TOKEN for text in texts]
        return lengths, lambda batch: self.encode([texts[index] for index in batch])

    def plan_batches(self, texts: Sequence[str], lengths: Sequence[int]) -> list[list[int]]:
        """Divide texts into batches of equal token length, the longest texts first.

        Args:
            texts: The texts.
            lengths: Number of tokens of each text.

        Returns:
            Batches of indices. With several devices, large chunks, which are divided among the devices later.
        """
        order = sorted(range(len(texts)), key=lambda index: (-lengths[index], texts[index]))
        if self._devices:
            return [order[start : start + _TEXTS_PER_CHUNK] for start in range(0, len(order), _TEXTS_PER_CHUNK)]
        return plan_batches(order, lengths, self._batch_size, self._model.device.type)

    @property
    def prompt(self) -> str:
        """The text that is put before every text."""
        return find_prompt(self._model, **self._prompts)


def plan_batches(order: Iterable[int], lengths: Sequence[int], batch_size: int | None, device: str) -> list[list[int]]:
    """Divide inputs into batches of equal token length, so that nothing is padded.

    Args:
        order: The indices of the inputs, the longest first, so that memory runs out at the start or never.
        lengths: Number of tokens of each input.
        batch_size: Inputs per batch. None for about `TOKENS_PER_BATCH` tokens per batch.
        device: Type of the device.
    """
    budget = TOKENS_PER_BATCH.get(device, TOKENS_PER_BATCH["cuda"])
    batches: list[list[int]] = []
    for length, group in groupby(order, key=lengths.__getitem__):
        members, size = list(group), batch_size or max(1, budget // max(1, length))
        batches += [members[start : start + size] for start in range(0, len(members), size)]
    return batches


def count_workers(model: Any, *, trusted: bool) -> int:  # noqa: ANN401
    """Choose the number of batches to encode at the same time.

    It is 1 on other devices than the CPU, and for models with their own code (`trusted`), which may not be thread-safe.
    """
    import torch

    if model.device.type != "cpu" or trusted:
        return 1
    return min(_MAX_WORKERS, int(torch.get_num_threads()))


class CrossScorer:
    """A scorer that uses `CrossEncoder.predict` without activation. A sigmoid would create ties of high scores.

    Args:
        model: A `CrossEncoder`.
        batch_size: Pairs per batch. None for the default size.
        prompt: The instruction of the template. None for the default of the model.
    """

    def __init__(self, model: Any, batch_size: int | None = None, prompt: str | None = None) -> None:  # noqa: ANN401
        self._model, self._batch_size, self._prompt = model, batch_size or _PAIRS_PER_BATCH, prompt
        self._halving = BatchHalving()

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float32]:
        """Score pairs, shape (n,)."""
        return self.predict(pairs)

    def predict(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float32]:
        """Compute the outputs of the model for pairs, shape (n,) for a single output, otherwise (n, outputs)."""
        from torch.nn import Identity

        def predict(batch_size: int) -> npt.NDArray[np.float32]:
            settings = {"show_progress_bar": False, "activation_fn": Identity(), "prompt": self._prompt}
            return np.asarray(self._model.predict(pairs, batch_size=batch_size, **settings))

        return self._halving.run(predict, self._batch_size)


class EntailmentScorer:
    """A scorer of pairs by the probability that the first text entails the second.

    Args:
        model: A `CrossEncoder` with one output per label.
        label: Number of the label that means entailment.
        batch_size: Pairs per batch. None for the default size.
    """

    def __init__(self, model: Any, label: int, batch_size: int | None = None) -> None:  # noqa: ANN401
        self._outputs, self._label = CrossScorer(model, batch_size), label

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Score pairs by the softmax over all labels, shape (n,), values in [0, 1]."""
        outputs = self._outputs.predict(pairs).astype(np.float64)
        powers = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        return np.asarray(powers[:, self._label] / powers.sum(axis=1))
