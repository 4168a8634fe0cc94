"""Time of the four tests by sentence encoders on GPUs, compared with `SentenceTransformer.encode` of the same texts.

usage: device_speed.py SOURCE DEVICES MODEL...

DEVICES are names of devices, such as `cuda`, or several in one word, such as `cuda:0+cuda:1`. MODEL is a folder of a
sentence-transformers model. The name `stand-in` makes a model of 0.6 billion parameters with the layers of
Qwen3-Embedding-0.6B, random weights, and the tokenizer of the first MODEL. Times do not depend on weights, but the
first MODEL's tokenizer makes a few tokens more or fewer per text than that of Qwen3 would.

Each model runs in float32 and in bfloat16. `encode` gets every distinct text once, has its best batch size, and uses
the first device alone. `evaluate` takes the built tests, keeps no vectors, and uses the first device, then all devices.
Loading is not timed. Each step takes turns with the others, and its fastest round counts.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import torch
from markdown_tables import tabulate
from sentence_transformers import SentenceTransformer
from timing import time_in_turns

from harness.evaluation.runner import Settings, Suite, evaluate_model, load_suite
from harness.models.loading import load_model
from pyramid_paraphrase.rules.options import PYRAMID_TESTS

BATCH_SIZES = (32, 128, 512)
PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
ROUNDS = 3
STAND_IN = "stand-in"
STAND_IN_SHAPE: Mapping[str, Any] = {
    "num_hidden_layers": 28,
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151_669,
}
"""The shape of Qwen3-Embedding-0.6B, from its `config.json`."""


def render(source: str, devices: str, models: list[str]) -> str:
    """Measure all models in both precisions, and render a Markdown table of seconds."""
    suite = load_suite(source, PYRAMID_TESTS)
    rows = []
    for name in models:
        with _find_folder(name, models) as folder:
            for precision in PRECISIONS:
                rows += [[Path(name).name, precision, *row] for row in _measure(folder, suite, devices, precision)]
    table = tabulate(["model", "precision", "million parameters", "what", "devices", "seconds", "times encode"], rows)
    names = sorted({_describe(device) for device in devices.split("+")})
    return f"{table}\n\n{len(suite.texts):,} distinct texts; {', '.join(names)}; torch {torch.__version__}."


def _measure(folder: str, suite: Suite, devices: str, precision: str) -> list[list[str]]:
    """Time `encode` and `evaluate` in turns, and return a row for each."""
    first = devices.split("+")[0]
    plain = SentenceTransformer(folder, device=first, model_kwargs={"dtype": PRECISIONS[precision]})
    texts = list(suite.texts)
    plain.encode(texts[:64])  # warm-up: the first step would include the initialization of the device
    steps: dict[str, Callable[[], object]] = {
        f"encode {size}": partial(plain.encode, texts, batch_size=size) for size in BATCH_SIZES
    }
    for places in dict.fromkeys((first, devices)):
        model = load_model(f"{folder},device={places},dtype={precision}")
        steps[places] = partial(evaluate_model, model, suite, Settings())
    times = time_in_turns(steps, ROUNDS)
    size = min(BATCH_SIZES, key=lambda size: times[f"encode {size}"])
    encode = times[f"encode {size}"]
    parameters = f"{sum(values.numel() for values in plain.parameters()) / 1e6:,.0f}"
    rows = [[parameters, f"`SentenceTransformer.encode`, batches of {size}", first, f"{encode:.2f}", "1.00"]]
    for places in dict.fromkeys((first, devices)):
        seconds = times[places]
        rows.append([parameters, "**`evaluate`, four tests**", places, f"{seconds:.2f}", f"{seconds / encode:.2f}"])
    return rows


@contextmanager
def _find_folder(name: str, models: list[str]) -> Iterator[str]:
    """Yield the folder of a model. The stand-in has a temporary one."""
    if name != STAND_IN:
        yield name
        return
    from sentence_transformers.models import Pooling, Transformer
    from transformers import AutoTokenizer, Qwen3Config, Qwen3Model

    with tempfile.TemporaryDirectory() as scratch:
        torch.manual_seed(0)
        Qwen3Model(Qwen3Config(**STAND_IN_SHAPE)).save_pretrained(scratch)
        AutoTokenizer.from_pretrained(models[0]).save_pretrained(scratch)
        transformer = Transformer(scratch)
        model = SentenceTransformer(modules=[transformer, Pooling(STAND_IN_SHAPE["hidden_size"], "mean")])
        folder = str(Path(scratch, "model"))
        model.save(folder)
        yield folder


def _describe(device: str) -> str:
    return torch.cuda.get_device_name(device) if device.startswith("cuda") else device


if __name__ == "__main__":
    print(render(sys.argv[1], sys.argv[2], sys.argv[3:]))
