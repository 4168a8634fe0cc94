"""Installed packages are compared with the bounds in `setup.cfg` when they are first used.

After `pip install pylate`, sentence-transformers was 5.3 instead of 6.2, and every model ended in an `AttributeError`.
"""

from __future__ import annotations

import configparser
import importlib
import logging
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.checkout import ROOT
from helpers.commands import Capture, Run, run
from helpers.messages import mentions
from packaging.requirements import Requirement

from harness.evaluation.sweeps.executors import compute_on_slurm
from harness.models.interfaces.kinds import ModelKind
from harness.models.kinds.onnx_files import read_onnx
from harness.models.loading import describe_object, load_model
from harness.models.neural.backends import BACKENDS
from harness.models.registry import KINDS
from harness.paraphrases.alignment import find_program
from harness.paraphrases.extraction.spark import spark_context
from harness.rendering.pictures import draw_picture
from harness.text.compositions import COMPOSITIONS
from harness.text.words import load_tokenizer
from pyramid_paraphrase.files.extras import WrongVersionError, find_installation, require_versions
from pyramid_paraphrase.files.workbooks import read_sheets

UNUSED = {"benchmarks", "docs", "tests"}
"""Extras whose packages `harness` does not import."""

Place = Callable[[str, str], None]


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A function that puts the metadata of a version of a package first on the path, as an installation does."""

    def place_metadata(name: str, version: str) -> None:
        folder = tmp_path_factory.mktemp("packages")
        metadata = folder / f"{name.replace('-', '_')}-{version}.dist-info" / "METADATA"
        metadata.parent.mkdir()
        metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        monkeypatch.syspath_prepend(folder)
        require_versions.cache_clear()

    yield place_metadata
    require_versions.cache_clear()


def list_requirements() -> list[tuple[str, Requirement]]:
    """List each requirement in `setup.cfg` with its extra, or with "" if it is always required."""
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    extras = {"": settings["options"]["install_requires"], **settings["options.extras_require"]}
    return [(extra, Requirement(line)) for extra, text in extras.items() for line in text.split("\n") if line]


def list_packages(extra: str) -> list[str]:
    """List the packages that an extra installs on this Python, without those of the extras that it includes."""
    requirements = [requirement for name, requirement in list_requirements() if name == extra]
    return [row.name for row in requirements if row.marker is None or row.marker.evaluate()]


def test_the_metadata_are_those_of_the_checkout() -> None:
    """An installation made before a change of `setup.cfg` would check other bounds than the tests expect."""
    installed = [Requirement(line) for line in find_installation().requires]
    assert len(installed) == len(list_requirements())
    assert {requirement.name for requirement in installed} == {
        requirement.name for _, requirement in list_requirements()
    }


def test_every_bound_of_every_extra_is_checked(place: Place) -> None:
    checked, extras = 0, set()
    for extra, requirement in list_requirements():
        extras.add(extra)
        if requirement.name == "pyramid-paraphrase" or not requirement.specifier:
            continue
        if requirement.marker and not requirement.marker.evaluate():
            continue  # not available for this Python
        place(requirement.name, "0.0.1")
        with pytest.raises(WrongVersionError) as error:
            require_versions(extra)
        assert re.search(mentions(f"{requirement.name} 0.0.1 ... >="), str(error.value))
        checked += 1
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    assert extras == {"", *settings["options.extras_require"]}
    assert len(extras) == 18
    assert checked >= 45


@pytest.mark.parametrize("extra", ["onnx", "openvino", "mteb", "benchmarks"])
def test_extras_of_an_extra_are_checked(place: Place, extra: str) -> None:
    place("sentence-transformers", "5.3.0")
    with pytest.raises(WrongVersionError, match=mentions("sentence-transformers 5.3.0 ... >=6,<7")):
        require_versions(extra)


@pytest.mark.parametrize("version", ["2.6", "2.6.0", "2.13.0+cpu", "2.13.0+cu130", "2.14.0.dev20261101", "3000"])
def test_versions_within_the_bounds(place: Place, version: str) -> None:
    """A build for a processor, a pre-release between the bounds. The last one has no metadata that can be compared."""
    place("torch", version.replace("3000", "nightly-of-today"))
    require_versions("neural")


@pytest.mark.parametrize("version", ["2.5.1+cpu", "2.6.0rc1", "3.0.0", "3.0.0.dev20261101"])
def test_versions_out_of_the_bounds(place: Place, version: str) -> None:
    """The bound <3 also excludes pre-releases of 3, as in pip (PEP 440, exclusive ordered comparison)."""
    place("torch", version)
    with pytest.raises(WrongVersionError, match=re.escape(f"torch {version} is installed, but >=2.6,<3 is needed")):
        require_versions("neural")


@pytest.mark.usefixtures("with_pip")
def test_all_wrong_versions_have_one_remedy(place: Place) -> None:
    """pip brings all packages of an extra within their bounds at once."""
    for name in ("torch", "transformers"):
        place(name, "1.0")
    with pytest.raises(WrongVersionError) as error:
        require_versions("neural")
    assert re.search(
        mentions("torch 1.0 ... >=2.6,<3 ... transformers 1.0 ... >=5,<6 ... pip install 'pyramid-paraphrase[neural]'"),
        str(error.value),
    )


def test_a_package_for_other_versions_of_python(run_python: Run, tmp_path: Path) -> None:
    """On Python 3.10, the remedy for a missing mteb was a command with which pip installs nothing."""
    metadata = tmp_path / "pyramid_paraphrase-0.1.0.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(
        "Metadata-Version: 2.1\nName: pyramid-paraphrase\nVersion: 0.1.0\n"
        'Requires-Dist: no-such-package>=1; python_version < "3.5" and extra == "future"\n'
    )
    (metadata.parent / "RECORD").touch()
    code = "from pyramid_paraphrase.files.extras import require; require('no_such_package', 'future')"
    last_line = run_python(code, PYTHONPATH=str(tmp_path)).stderr.splitlines()[-1]
    assert "WrongVersionError: no-such-package is not available for Python 3." in last_line
    assert last_line.endswith('Use a Python with python_version < "3.5"')


def test_a_package_that_is_not_installed_is_left_to_its_import() -> None:
    require_versions("no-such-extra")


def test_a_checkout_that_is_not_installed_is_not_checked(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Metadata that a build left in the checkout may be older than `setup.cfg`."""
    place("matplotlib", "1.0")
    place("built-in-the-checkout", "1.0")  # without RECORD
    monkeypatch.setattr("pyramid_paraphrase.files.extras.DISTRIBUTION", "built-in-the-checkout")
    with caplog.at_level(logging.INFO, "pyramid_paraphrase"):
        require_versions("plots")
    assert "versions of packages are not checked" in caplog.text


def import_anew(module: str) -> None:
    """Import a module that an earlier test may have imported."""
    sys.modules.pop(module, None)
    importlib.import_module(module)


def start_spark() -> None:
    with spark_context("local[1]", Path()):
        raise AssertionError("no version was checked")


def request_slurm() -> None:
    next(compute_on_slurm(None, None, (), jobs=1, models_per_job=1, threads=1, minutes=1, options={}))


USES: list[tuple[str, str, Callable[[], object]]] = [
    ("align", "eflomal", find_program),
    ("excel", "openpyxl", lambda: read_sheets("scores.xlsx", b"", 1)),
    ("mteb", "mteb", lambda: import_anew("harness.integrations.mteb")),
    ("neural", "sentence-transformers", lambda: import_anew("harness.integrations.sentence_transformers")),
    ("onnx-files", "onnx", lambda: read_onnx(Path("model.onnx"))),
    ("plots", "matplotlib", lambda: draw_picture((1, 1), "png", print)),
    ("slurm", "submitit", request_slurm),
    ("spacy", "spacy", lambda: load_tokenizer("spacy")),
    ("spark", "pyspark", start_spark),
    ("wordfreq", "wordfreq", lambda: COMPOSITIONS["sif"].weigh([])),
    *((backend.name, backend.packages[-1], backend.require) for backend in BACKENDS),
]
"""Extra, package and use of it, for all uses that are not in the loader of a kind of model."""

KINDS_WITH_EXTRA = [kind for kind in KINDS if kind.extra]


@pytest.mark.parametrize(("extra", "package", "use"), USES, ids=lambda value: value if isinstance(value, str) else "")
def test_every_use_is_checked(extra: str, package: str, use: Callable[[], object], place: Place) -> None:
    """The check comes before the import, so this runs with and without the package."""
    if package not in list_packages(extra):
        pytest.skip("not available for this Python")
    place(package, "0.0.1")
    with pytest.raises(WrongVersionError, match=mentions(f"{package} 0.0.1 ... pyramid-paraphrase[{extra}]")):
        use()


@pytest.mark.parametrize("kind", KINDS_WITH_EXTRA, ids=lambda kind: kind.name)
def test_every_kind_is_checked(kind: ModelKind, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the packages that the extra brings besides the imported one."""
    monkeypatch.chdir(tmp_path)
    if kind.contents:
        Path(kind.example.removeprefix(f"{kind.name}:")).touch()
    packages = list_packages(kind.extra)
    assert packages or sys.version_info >= (3, 14)
    for package in packages:
        place(package, "0.0.1")
        with pytest.raises(WrongVersionError, match=f"{package} 0.0.1 is installed"):
            load_model(kind.example, send_text_to=["api.openai.com"])


def test_every_extra_has_a_use() -> None:
    used = {extra for extra, _, _ in USES} | {kind.extra for kind in KINDS_WITH_EXTRA}
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    assert used == {*settings["options.extras_require"]} - UNUSED
    assert len(used) == 14


def test_a_model_in_memory_is_checked(place: Place, tiny_model: Path) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(tiny_model), device="cpu")
    place("sentence-transformers", "5.3.0")
    with pytest.raises(
        WrongVersionError,
        match=mentions("sentence-transformers 5.3.0 ... >=6,<7 ... pip install 'pyramid-paraphrase[neural]'"),
    ):
        describe_object(model)


@pytest.mark.usefixtures("with_pip")
def test_the_command_line_names_version_and_remedy(place: Place, capsys: Capture) -> None:
    place("model2vec", "0.9.1")
    assert run("evaluate", "--model", "model2vec:potion-base-8M", "--data", "sample") == 2
    message = capsys.readouterr().err
    assert re.search(mentions("model2vec 0.9.1 ... >=0.10,<1 ... pip install 'pyramid-paraphrase[model2vec]'"), message)
    assert re.search(mentions("model2vec 0.9.1 ... >=0.10,<1 ... pip install 'pyramid-paraphrase[model2vec]'"), message)


def test_a_wrong_required_package_explains_a_crash(run_python: Run, tmp_path: Path) -> None:
    """A command whose import or call fails names the wrong version. With --verbose, it shows the failure, too."""
    (tmp_path / "lxml").mkdir()
    (tmp_path / "lxml" / "__init__.py").touch()
    metadata = tmp_path / "lxml-4.9.4.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: lxml\nVersion: 4.9.4\n")
    code = "import sys; from harness.cli import main; sys.exit(main(sys.argv[1:]))"
    started = run_python(code, "inspect", "sample", PYTHONPATH=str(tmp_path))
    assert started.returncode == 2
    assert "lxml 4.9.4 is installed, but >=5.2,<7 is needed" in started.stderr
    assert "install pyramid-paraphrase`" in started.stderr
    assert "Traceback" not in started.stderr


def test_a_crash_with_right_versions_stays_a_crash(run_python: Run) -> None:
    code = """
import sys
from harness import cli
cli.make_parser = lambda: [][0]
cli.main(["inspect", "sample"])
"""
    assert "IndexError" in run_python(code).stderr


def test_packaging_is_imported_only_for_an_extra(run_python: Run) -> None:
    code = "import sys, harness.cli; harness.cli.make_parser(); print('packaging' in sys.modules)"
    assert run_python(code).stdout == "False\n"
