"""Small models of random weights whose folders contain code, as those of families with code of their authors do.

The code is ours. Names of files, classes and fields are those that public configurations and their users name:

* gte-en-v1.5: config.json with the `auto_map` "Alibaba-NLP/new-impl--modeling.NewModel" and the type
  "new". There, the code is in another repository; here, it is in the folder.
* jina-embeddings v3 and v5: modules.json with the type `custom_st.Transformer` and the keyword `task`, and config.json
  with `lora_adaptations` (v3) or `task_names` (v5).
* GritLM and NV-Embed: `modeling_gritlm7b.py` and `modeling_nvembed.py` beside the weights, and a pooling without the
  prompt.
* jina-reranker-v2: `modeling_xlm_roberta.py` beside the weights, one output.
* mxbai-rerank-v2: Qwen2 with the logits of "1" and "0" (`LogitScore` of sentence-transformers, mteb pull request 4857).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from helpers.stand_ins import RERANKER_TEMPLATE, SIZES, save_stand_in
from helpers.tiny_models import save_vocabulary

_MODEL = """
from transformers import {base}


class {name}({base}):
    pass
"""

_ADAPTERS = """
import torch
from sentence_transformers.base.modules import Transformer as Plain


class Transformer(Plain):
    def forward(self, features, task=None, truncate_dim=None, **settings):
        features = super().forward(features)
        tasks = self.model.config.to_dict()["{tasks}"]
        if task is not None:
            generator = torch.Generator().manual_seed(tasks.index(task))
            vectors = features["token_embeddings"]
            features["token_embeddings"] = vectors @ torch.randn(2 * [vectors.shape[-1]], generator=generator)
        return features
"""


def edit_json(path: Path, **fields: object) -> None:
    """Set fields of a JSON file."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def save_model_with_code(
    folder: Path,
    model_type: str,
    module: str,
    *,
    base: str,
    auto_class: str = "AutoModel",
    **settings: Any,  # noqa: ANN401
) -> Path:
    """Save a stand-in whose class is in its folder.

    Args:
        folder: The folder.
        model_type: The `model_type` of config.json, as for `save_stand_in`.
        module: Name of the file and the class, such as "modeling.NewModel".
        base: The class of transformers that it extends.
        auto_class: The class of transformers that loads it.
        settings: Other arguments of `save_stand_in`.
    """
    save_stand_in(folder, model_type, **settings)
    file, name = module.split(".")
    (folder / f"{file}.py").write_text(_MODEL.format(base=base, name=name))
    edit_json(folder / "config.json", architectures=[name], auto_map={auto_class: module})
    return folder


def save_gte(folder: Path) -> Path:
    """gte-en-v1.5: the vector of the first token, by code in the folder, whose type the library does not know."""
    save_model_with_code(folder, "bert", "modeling.NewModel", base="BertModel", pooling="cls")
    (folder / "configuration.py").write_text(
        f"{_MODEL.format(base='BertConfig', name='NewConfig')}\n\nNewConfig.model_type = 'new'\n"
    )
    with (folder / "modeling.py").open("a") as file:
        file.write("\n\nfrom .configuration import NewConfig\n\nNewModel.config_class = NewConfig\n")
    classes = {"AutoConfig": "configuration.NewConfig", "AutoModel": "modeling.NewModel"}
    edit_json(folder / "config.json", model_type="new", auto_map=classes)
    return folder


def save_instructed(folder: Path, file: str) -> Path:
    """GritLM or NV-Embed: Mistral by code in the folder, with a mean that leaves out the prompt."""
    save_model_with_code(folder, "mistral", f"{file}.MistralModel", base="MistralModel as Plain")
    text = (folder / f"{file}.py").read_text().replace("(MistralModel as Plain)", "(Plain)")
    (folder / f"{file}.py").write_text(text)
    (pooling,) = folder.glob("*_Pooling/config.json")
    edit_json(pooling, include_prompt=False)
    return folder


def save_adapters(folder: Path, tasks: str) -> Path:
    """jina-embeddings: an adapter per task, by a module in the folder. `tasks` is the field that lists them."""
    save_stand_in(folder, "bert")
    (folder / "custom_st.py").write_text(_ADAPTERS.format(tasks=tasks))
    edit_json(folder / "config.json", **{tasks: ["retrieval", "text-matching", "classification"]})
    path = folder / "modules.json"
    modules = json.loads(path.read_text())
    modules[0] |= {"type": "custom_st.Transformer", "kwargs": ["task", "truncate_dim"]}
    path.write_text(json.dumps(modules))
    return folder


def save_coded_reranker(folder: Path) -> Path:
    """jina-reranker-v2: a classifier with one output, by code in the folder."""
    return save_model_with_code(
        folder,
        "bert",
        "modeling_xlm_roberta.XLMRobertaForSequenceClassification",
        base="BertForSequenceClassification",
        auto_class="AutoModelForSequenceClassification",
        labels=1,
    )


def save_digit_reranker(folder: Path) -> Path:
    """mxbai-rerank-v2: a causal model of the type qwen2, which scores a pair by the logits of "1" and "0"."""
    import torch
    import transformers
    from sentence_transformers import CrossEncoder
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.cross_encoder.modules.logit_score import LogitScore

    library: Any = transformers  # it has no types
    plain = folder.with_name(f"{folder.name}-plain")
    tokenizer = library.BertTokenizerFast(str(save_vocabulary(plain)))
    tokenizer.chat_template = RERANKER_TEMPLATE
    sizes = {name: size for name, size in SIZES.items() if name != "head_dim"}
    torch.manual_seed(0)
    config = library.Qwen2Config(
        **sizes, vocab_size=len(tokenizer), initializer_range=0.5, pad_token_id=0, bos_token_id=2, eos_token_id=3
    )
    library.Qwen2ForCausalLM(config).save_pretrained(plain)
    tokenizer.save_pretrained(plain)
    true, false = tokenizer.convert_tokens_to_ids(["1", "0"])
    modules = [Transformer(str(plain), transformer_task="text-generation"), LogitScore(true, false)]
    CrossEncoder(modules=modules, device="cpu").save_pretrained(str(folder))
    return folder
