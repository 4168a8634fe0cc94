"""Python, the command `evaluate` and sweeps: a request gives the same bytes, and the same mistakes are refused."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from helpers.commands import Capture, run
from helpers.messages import mentions
from helpers.sweeps import read_results

import harness
from harness.evaluation import session
from harness.models.loading import describe_object
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import OptionError, PyramidParaphraseError

REQUEST = ("--data", "sample", "--task", "binary,ranking", "--resamples", "10", "--seed", "3", "--quiet")
MODELS = ["one-hot", "char-ngrams,name=letters", "overlap,name=words", "constant", "wtmf,dimension=5,iterations=2"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and a separate cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def evaluate(models: Any, output: str = "results", **options: Any) -> Any:  # noqa: ANN401
    return harness.evaluate(
        models, "sample", ["binary", "ranking"], resamples=10, seed=3, cache=False, output=output, **options
    )


def evaluate_by_command(models: list[str], *arguments: str) -> int:
    flags = [text for model in models for text in ("--model", model)]
    return run("evaluate", *flags, *REQUEST, "--no-cache", *arguments)


def sweep(models: list[str]) -> int:
    Path("models.txt").write_text("\n".join(models))
    return run("sweep", "models.txt", *REQUEST, "--no-cache", "--workers", "1", "--output", "sweep")


def evaluate_everywhere(models: list[str]) -> list[dict[str, Any]]:
    """Return the files of all results by interface, without times. They are the same in number, name and content."""
    evaluate(models, "python")
    assert evaluate_by_command(models, "--output", "command") == 0
    assert sweep(models) == 0
    return [read_results(Path(name)) for name in ("python", "command", "sweep/results")]


def test_the_same_request_gives_the_same_bytes(folder: Path) -> None:
    """Models with and without options and names, and the same shortcuts: `overlap` under another name is not one."""
    by_python, by_command, by_sweep = evaluate_everywhere(MODELS)
    assert by_python == by_command == by_sweep
    assert len(by_python) == 8 * 3 - 1  # a JSON file and two files of scores per model, one for options-only
    names = {content["model"]["name"] for path, content in by_python.items() if path.endswith(".json")}
    assert names == {
        "one-hot", "letters", "words", "constant", "wtmf (dimension=5, iterations=2)", "length", "overlap",
        "options-only",
    }  # fmt: skip


@pytest.mark.full
@pytest.mark.needs("onnx", "onnxruntime")
def test_a_model_on_a_backend_gives_the_same_bytes(folder: Path, tiny_model: Path) -> None:
    spec = f"{tiny_model},name=tiny,backend=onnx"
    by_python, by_command, by_sweep = evaluate_everywhere([spec])
    assert by_python == by_command == by_sweep
    evaluate({"tiny": f"{tiny_model}"}, "option", backend="onnx")
    (record,) = (json.loads(path.read_text()) for path in Path("option/tiny").glob("*.json"))
    assert record["model"]["options"]["backend"] == "onnx"
    for name in ("tiny/", "length/"):
        scores = [content for path, content in by_python.items() if path.startswith(name) and path.endswith(".gz")]
        others = read_results(Path("option"))
        assert scores == [content for path, content in others.items() if path.startswith(name) and path.endswith(".gz")]
        assert len(scores) == 2


REPEATED = (["one-hot", "one-hot"], ["one-hot", "tf-idf,name=one-hot"], ["length,name=overlap"])


@pytest.mark.parametrize("models", REPEATED)
def test_names_must_differ_everywhere(capsys: Capture, folder: Path, models: list[str]) -> None:
    """Python gave two results of one name, the command one, and a sweep no shortcut `overlap`, without a word."""
    name = "overlap" if len(models) == 1 else "one-hot"
    with pytest.raises(OptionError, match=mentions(f"{name} ... mapping of names")):
        evaluate(models)
    for refused in (evaluate_by_command, sweep):
        assert refused(models) == 2
        assert re.search(mentions(f"{name} ... ,name=..."), capsys.readouterr().err)
    assert not Path("results").exists()
    assert not Path("sweep").exists()


@pytest.mark.parametrize(
    ("models", "folder_name"),
    [(["one-hot,name=run 1", "one-hot,name=run-1"], "run-1"), (["one-hot,name=length!"], "length")],
)
def test_models_need_different_folders(capsys: Capture, folder: Path, models: list[str], folder_name: str) -> None:
    """The result of a model replaced that of the same model under another name, without a word."""
    with pytest.raises(OptionError, match=mentions(f"folder ... {folder_name} ... mapping of names")):
        evaluate(models)
    for refused in (evaluate_by_command, sweep):
        assert refused(models) == 2
        assert re.search(mentions(f"folder ... {folder_name} ... ,name=..."), capsys.readouterr().err)


def test_names_in_other_alphabets_have_their_own_folders(folder: Path) -> None:
    """All names without a letter of English had the folder `model`. Composed and decomposed letters are the same."""
    names = ["模型一", "模型二", "модель", "modèle", "modele"]
    results = evaluate(dict.fromkeys(names, "one-hot"))
    assert len({Path(result.path).parent for result in results}) == len(names) + 3
    with pytest.raises(OptionError, match=mentions("modèle. ... mapping of names")):
        evaluate({"modèle": "one-hot", "mode\u0300le": "tf-idf"})


@pytest.mark.parametrize("models", [[], (), {}, iter(())])
def test_some_model_is_needed(models: Any) -> None:  # noqa: ANN401
    """Python evaluated the shortcuts alone. The command and sweeps refuse an empty list, too."""
    with pytest.raises(OptionError, match=mentions("no model ... Pass")):
        harness.evaluate(models, "sample", "ranking")


@pytest.mark.parametrize("options", [{"backend": "onyx"}, {"dtype": "float8"}, {"device": "gpu:x"}])
def test_options_of_python_are_checked_for_all_models(options: dict[str, str]) -> None:
    """Models without an option ignored its value, even one that the command refuses."""
    (name, value), *_ = options.items()
    with pytest.raises(PyramidParaphraseError, match=mentions(f"{name} is '{value}'. Use")):
        harness.evaluate("one-hot", "sample", "ranking", **options)  # type: ignore[call-overload]


@pytest.mark.parametrize("model", ["overlap", ["one-hot", "overlap,name=words"], "cross-encoder:org/model"])
def test_a_similarity_is_for_encoders(model: Any) -> None:  # noqa: ANN401
    """A spec ignored the argument, and an object was refused."""
    with pytest.raises(ModelError, match=mentions("similarity ... encoders ... ,similarity=")):
        harness.evaluate(model, "sample", "ranking", similarity="dot")


class Counting:
    """Counts how often texts are encoded."""

    def __init__(self) -> None:
        self.calls = 0

    def encode(self, texts: list[str]) -> list[list[int]]:
        self.calls += 1
        return [[text.count(letter) for letter in "etaoin"] for text in texts]


def test_objects_need_different_names() -> None:
    first, second = Counting(), Counting()
    with pytest.raises(OptionError, match=mentions("name Counting ... mapping of names")):
        harness.evaluate([first, second], "sample", "ranking")
    with pytest.raises(OptionError, match=mentions("name overlap ... mapping of names")):
        harness.evaluate({"overlap": first}, "sample", "ranking")
    assert (first.calls, second.calls) == (0, 0)


BAD_NAMES = ["a\nb", "\ud83d", "\x1b[31m", "a\0b", "x" * 101, " ", "", "\u202eabc", 5]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_is_checked_before_anything_is_computed(name: Any) -> None:  # noqa: ANN401
    """All texts were encoded first. A result with half of a surrogate pair was written, and could not be read."""
    model = Counting()
    for evaluate_named in (
        lambda: harness.evaluate(model, "sample", "ranking", name=name),
        lambda: harness.evaluate({name: model}, "sample", "ranking"),
    ):
        with pytest.raises(OptionError, match=mentions("name ... 1 to 100 characters")) as caught:
            evaluate_named()
        assert str(caught.value).isprintable()
    assert model.calls == 0


@pytest.mark.parametrize("name", ["a\nb", "\ud83d", "\x1b[31m", "x" * 101, " "])
def test_a_name_in_a_spec_is_checked_everywhere(capsys: Capture, folder: Path, name: str) -> None:
    spec = f"one-hot,name={name}"
    with pytest.raises(OptionError, match=mentions("name ... 1 to 100 characters")):
        evaluate(spec)
    assert evaluate_by_command([spec]) == 2
    assert re.search(mentions("name ... 1 to 100 characters"), capsys.readouterr().err)
    Path("plan.yaml").write_text(json.dumps([{"model": "one-hot", "name": [name]}]))
    assert run("sweep", "plan.yaml", *REQUEST) == 2
    assert not Path("results").exists()


def test_the_class_of_an_object_can_have_any_name() -> None:
    odd = type("A\nB", (Counting,), {})
    assert describe_object(odd()).name.isprintable()
    assert describe_object(Counting()).name == "Counting"


def test_a_folder_whose_name_is_not_unicode(folder: Path, tmp_path: Path) -> None:
    """Its name went into the result, which could then not be read."""
    path = os.fsdecode(b"vectors-\xff.txt")
    try:
        Path(path).write_text("the 1 0\nof 0 1\n")
    except OSError:
        pytest.skip("the file system allows only names in Unicode")
    result = evaluate(f"vectors:{path}")
    assert harness.read_result(result.path).record.model.spec == "vectors:vectors-\\udcff.txt"


def test_texts_of_options_must_be_unicode() -> None:
    with pytest.raises(OptionError, match=mentions("option prompt ... or a text")):
        harness.evaluate("sentence-transformers:some/model,prompt=\ud83d", "sample", "ranking")


@pytest.mark.parametrize("options", [{"backend": "onyx"}, {"dtype": "float8"}, {"device": "gpu:x"}])
def test_options_of_python_are_those_of_specs(options: dict[str, str]) -> None:
    """A misspelled backend was a KeyError."""
    (name, value), *_ = options.items()
    with pytest.raises(PyramidParaphraseError, match=mentions(f"{name} is '{value}'. Use")):
        harness.evaluate("sentence-transformers:some/model", "sample", "ranking", **options)  # type: ignore[call-overload]
    with pytest.raises(PyramidParaphraseError, match=mentions("backend, device and dtype ... spec")):
        harness.evaluate(Counting(), "sample", "ranking", **options)


def refuse_to_compute(*arguments: object) -> NoReturn:
    raise AssertionError(f"nothing is to be computed from {arguments}")


@pytest.mark.parametrize("first", [lambda: evaluate_by_command(["one-hot"]), lambda: evaluate(["one-hot"])])
def test_python_finds_earlier_results(
    folder: Path, monkeypatch: pytest.MonkeyPatch, first: Callable[[], object]
) -> None:
    """Those of the command, too: a second evaluation loads neither the tests nor the model."""
    first()
    before = {path: path.read_bytes() for path in folder.glob("results/*/*")}
    with monkeypatch.context() as patch:
        for name in ("evaluate_model", "load_suite", "load_model"):
            patch.setattr(session, name, refuse_to_compute)
        results = evaluate(["one-hot"])
        assert evaluate("one-hot").content == results["one-hot"].content
        assert evaluate_by_command(["one-hot"]) == 0
    assert [result.model for result in results] == ["one-hot", "length", "overlap", "options-only"]
    assert all(Path(result.path).read_bytes() == result.content for result in results)
    assert {path: path.read_bytes() for path in folder.glob("results/*/*")} == before


@pytest.mark.parametrize(
    "change", [{"force": True}, {"resume": False}, {"output": "elsewhere"}, {"name": "x"}, {"seed": 4}]
)
def test_python_computes_what_is_not_the_same_request(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    request = {"tasks": ["binary"], "resamples": 5, "seed": 3, "cache": False, "output": "results"}
    harness.evaluate("one-hot", "sample", **request)  # type: ignore[call-overload]
    computed = []
    compute = session.evaluate_model
    monkeypatch.setattr(session, "evaluate_model", lambda *args: computed.append(args) or compute(*args))
    harness.evaluate("one-hot", "sample", **request)  # type: ignore[call-overload]
    assert not computed
    harness.evaluate("one-hot", "sample", **{**request, **change})  # type: ignore[call-overload]
    assert len(computed) == 1


def test_a_changed_result_and_objects_are_computed_again(folder: Path) -> None:
    evaluate("one-hot")
    (path,) = Path("results/one-hot").glob("*.json")
    path.write_text("{}")
    assert evaluate("one-hot").tests.keys() == {"binary", "ranking"}
    model = Counting()
    for calls in (1, 2):
        evaluate(model)
        assert model.calls == calls


def test_files_that_change_while_they_are_evaluated_are_not_remembered(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("v.txt").write_text("the 1 0\nof 0 1\n")

    load_tests = session.Session.load_tests

    def load(loading: session.Session) -> Any:  # noqa: ANN401
        Path("v.txt").write_text("the 1 0\nof 0 1\na 1 1\n")
        return load_tests(loading)

    monkeypatch.setattr(session.Session, "load_tests", load)
    evaluate("vectors:v.txt")
    assert list(Path("results").glob("*/*.json"))
    assert not list(Path("results").glob("*/*.request"))
