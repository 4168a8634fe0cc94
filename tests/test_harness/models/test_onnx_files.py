"""ONNX files that take texts: vectors, and refused files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.encoding import encode_all
from helpers.messages import mentions
from helpers.tiny_models import make_onnx_model

from harness.models.kinds import onnx_files
from harness.models.kinds.onnx_files import read_onnx
from harness.models.loading import load_model
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import InputError, LimitError

pytestmark = pytest.mark.needs("onnx", "onnxruntime", "onnxruntime_extensions")


def save(model: Any, folder: Path, name: str = "model.onnx") -> Path:  # noqa: ANN401
    path = folder / name
    path.write_bytes(model.SerializeToString())
    return path


def test_vectors_of_texts(tmp_path: Path) -> None:
    model = load_model(str(save(make_onnx_model(), tmp_path)))
    assert (model.kind, model.parameters) == ("onnx", 7 * 2 + 1)
    assert encode_all(model.scorer, ["A storm hit the town.", "Storm, storm", ""]).tolist() == [[1, 2], [2, 0], [0, 0]]


def test_batches_are_the_texts_in_order(tmp_path: Path) -> None:
    model = load_model(str(save(make_onnx_model(), tmp_path)))
    texts = ["storm " * count for count in range(100)]
    batches = list(model.scorer.encode_batches(texts))
    assert [index for indices, _ in batches for index in indices] == list(range(100))
    assert np.concatenate([vectors for _, vectors in batches])[:, 0].tolist() == list(range(100))


def test_the_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    files = (make_onnx_model(), make_onnx_model(), make_onnx_model(do_lower_case=0))
    first, same, cased = (load_model(str(save(file, tmp_path, f"{i}.onnx"))) for i, file in enumerate(files))
    assert first.fingerprint == same.fingerprint != cased.fingerprint
    assert first.store_key == same.store_key != cased.store_key


def keep_elsewhere(model: Any) -> None:  # noqa: ANN401
    model.graph.initializer[0].data_location = 1
    model.graph.initializer[0].external_data.add(key="location", value="/etc/passwd")


def hide_in_branch(model: Any) -> None:  # noqa: ANN401
    """Move the operator to a graph in a node."""
    from onnx import helper

    node = helper.make_node("OpenAIAudioToText", [], ["text"], domain="com.microsoft.extensions")
    model.graph.node.append(helper.make_node("If", ["c"], ["t"], then_branch=helper.make_graph([node], "b", [], [])))


def hide_in_default(model: Any) -> None:  # noqa: ANN401
    """Move the operator to a graph that is the default of an attribute of a function."""
    from onnx import helper

    hide_in_branch(model)
    branch = model.graph.node.pop().attribute[0]
    node = helper.make_node("If", ["c"], ["t"])
    node.attribute.add(name="then_branch", ref_attr_name="branch", type=branch.type)
    function = helper.make_function("org.example", "Choose", ["c"], ["t"], [node], [])
    branch.name = "branch"
    function.attribute_proto.append(branch)
    model.functions.append(function)


def hide_in_training(model: Any) -> None:  # noqa: ANN401
    """Add the operator to a graph that computes the first values of the tensors for training."""
    hide_in_branch(model)
    model.training_info.add().initialization.node.append(model.graph.node.pop())


def keep_elsewhere_in_function(model: Any) -> None:  # noqa: ANN401
    """Add a function with a sparse constant whose indices are in another file."""
    from onnx import helper

    constant = helper.make_node("Constant", [], ["t"])
    attribute = constant.attribute.add(name="sparse_value", type=11)
    attribute.sparse_tensor.indices.name = "places"
    attribute.sparse_tensor.indices.external_data.add(key="location", value="../places.bin")
    model.functions.append(helper.make_function("org.example", "Get", [], ["t"], [constant], []))


def keep_elsewhere_in_training(model: Any) -> None:  # noqa: ANN401
    tensor = model.training_info.add().algorithm.initializer.add(name="rates", data_location=1)
    tensor.external_data.add(key="location", value="rates.bin")


def load_a_compiled_graph(model: Any) -> None:  # noqa: ANN401
    """Add an operator of ONNX Runtime that reads a graph, compiled for a device, from the file that it names."""
    from onnx import helper

    model.graph.node.append(
        helper.make_node("EPContext", [], ["t"], domain="com.microsoft", embed_mode=0, ep_cache_context="/etc/passwd")
    )


def call_what_is_not_in_the_file(model: Any) -> None:  # noqa: ANN401
    """Call an operator in the domain of a function of the file that does not define it."""
    from onnx import helper

    model.functions.append(helper.make_function("org.example", "Get", ["c"], ["c"], [], []))
    model.graph.node.append(helper.make_node("Ask", ["c"], ["t"], domain="org.example"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (keep_elsewhere, "model.onnx: ... 'matrix' ... another file. Export"),
        (keep_elsewhere_in_function, "model.onnx: ... 'places' ... another file. Export"),
        (keep_elsewhere_in_training, "model.onnx: ... 'rates' ... another file. Export"),
        (hide_in_branch, "model.onnx: ... com.microsoft.extensions.OpenAIAudioToText. Export"),
        (hide_in_default, "model.onnx: ... com.microsoft.extensions.OpenAIAudioToText. Export"),
        (hide_in_training, "model.onnx: ... com.microsoft.extensions.OpenAIAudioToText. Export"),
        (load_a_compiled_graph, "model.onnx: ... com.microsoft.EPContext. Export"),
        (call_what_is_not_in_the_file, "model.onnx: ... org.example.Ask. Export"),
    ],
)
def test_references_to_other_files_are_refused(tmp_path: Path, change: Callable[[Any], None], message: str) -> None:
    model = make_onnx_model()
    change(model)
    with pytest.raises(InputError, match=mentions(message)):
        load_model(str(save(model, tmp_path)))


@pytest.mark.parametrize(("operator", "domain"), [("PyOp", "ai.onnx.contrib"), ("BertTokenizer", "org.example")])
def test_operators_that_are_not_accepted(tmp_path: Path, operator: str, domain: str) -> None:
    model = make_onnx_model(op_type=operator, domain=domain)
    with pytest.raises(InputError, match=mentions(f"not accepted: {domain}.{operator} ... BasicTokenizer")):
        read_onnx(save(model, tmp_path))


def test_sparse_tensors_may_not_be_elsewhere_either(tmp_path: Path) -> None:
    model = make_onnx_model()
    model.graph.sparse_initializer.add().values.data_location = 1
    with pytest.raises(InputError, match=mentions("model.onnx: ... another file. Export")):
        read_onnx(save(model, tmp_path))


@pytest.mark.parametrize(("sizes", "message"), [([10**12], "again"), ([2**62] * 50, "again"), ([-7], "'x' ... again")])
@pytest.mark.parametrize("place", ["training", "graph"])
def test_sizes_that_no_file_has(tmp_path: Path, sizes: list[int], message: str, place: str) -> None:
    """ONNX Runtime does not look at tensors that no node uses. Their sizes became that of the model."""
    model = make_onnx_model()
    graph = model.training_info.add().algorithm if place == "training" else model.graph
    graph.initializer.add(name="x", dims=sizes, data_type=1)
    path = save(model, tmp_path)
    with pytest.raises(InputError, match=mentions(f"{path}: ... {message}")):
        read_onnx(path)


def test_tensors_of_small_numbers_fill_the_file(tmp_path: Path) -> None:
    """A tensor of 2 bits per value has four times as many values as bytes."""
    model = make_onnx_model()
    model.graph.initializer.add(
        name="x", dims=[40_000], data_type=26, raw_data=bytes(10_000)
    )  # UINT2 has the number 26
    assert read_onnx(save(model, tmp_path))[1] == 40_000 + 7 * 2 + 1


def test_a_graph_of_many_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte of empty nodes took 4 seconds to check, and a file of 1 GiB would take an hour."""
    model = make_onnx_model()
    parts = len(model.graph.node)
    path = save(model, tmp_path)
    monkeypatch.setattr(onnx_files, "MAX_MESSAGES", 100)
    assert read_onnx(path)[1] == 7 * 2 + 1
    for _ in range(100 - parts):
        model.graph.node.add(op_type="Neg")
    with pytest.raises(LimitError, match=mentions(f"{path}: ... 100 ... smaller model")):
        read_onnx(save(model, tmp_path))


def test_files_that_are_not_onnx(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_text("storm 1 0 0\n")
    with pytest.raises(InputError, match=mentions("model.onnx: ... ONNX ... .onnx")):
        load_model(str(path))


def test_a_damaged_graph(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """ONNX Runtime refuses the file, because the input of a node does not exist. Its own messages are not shown."""
    model = make_onnx_model()
    model.graph.node[1].input[1] = "absent"
    with pytest.raises(ModelError, match=mentions("model.onnx: ... (InvalidArgument: ... 'absent' ... --verbose")):
        load_model(str(save(model, tmp_path)))
    assert capfd.readouterr() == ("", "")


def test_a_file_is_run_in_the_format_that_was_checked(tmp_path: Path) -> None:
    """ONNX Runtime takes a file with "ORTM" after four bytes for its own format, whose operators nobody has checked.

    These bytes can be an unknown field of an ONNX file: number 15, of four bytes, with the length in three bytes.
    """
    path = tmp_path / "model.onnx"
    path.write_bytes(b"\x7a\x84\x80\x00ORTM" + make_onnx_model().SerializeToString())
    assert encode_all(load_model(str(path)).scorer, ["A storm hit the town."]).tolist() == [[1, 2]]


def test_a_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_files, "MAX_FILE_BYTES", 100)
    with pytest.raises(LimitError, match=mentions("model.onnx: ... 0 GiB ... smaller")):
        read_onnx(save(make_onnx_model(), tmp_path))


def test_inputs_that_are_not_texts(tmp_path: Path) -> None:
    model = make_onnx_model()
    del model.graph.node[0]
    model.graph.input[0].name = "ids"
    model.graph.input[0].type.tensor_type.elem_type = 7
    with pytest.raises(ModelError, match=mentions("model.onnx: ... input ... ids of type tensor(int64). Export")):
        load_model(str(save(model, tmp_path)))


def test_outputs_that_are_not_vectors(tmp_path: Path) -> None:
    model = make_onnx_model()
    del model.graph.node[1:]
    model.graph.output[0].name = "ids"
    model.graph.output[0].type.tensor_type.elem_type = 7
    with pytest.raises(ModelError, match=mentions("model.onnx: ... output ... ids of type tensor(int64). Export")):
        load_model(str(save(model, tmp_path)))


def test_a_vector_per_token(tmp_path: Path) -> None:
    model = make_onnx_model()
    del model.graph.node[2]
    model.graph.output[0].name = "tokens"
    model.graph.output[0].type.tensor_type.ClearField("shape")
    scorer = load_model(str(save(model, tmp_path))).scorer
    with pytest.raises(ModelError, match=mentions("shape (4, 2) ... Export")):
        encode_all(scorer, ["storm town"])
