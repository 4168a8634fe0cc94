"""The files that are uploaded to PyPI: what they contain, and what a user does with them in an empty environment.

The environment `release` of tox builds the files. The tests that install need the network.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest
from helpers.checkout import ROOT
from packaging.specifiers import SpecifierSet

DISTRIBUTIONS = Path(os.environ.get("DISTRIBUTIONS", "nowhere"))
"""The folder with the sdist and the wheel."""
ENTRY_POINT = "pyramid_paraphrase_command.py"
PACKAGES = ("pyramid_paraphrase/", "harness/")
NOT_IN_SDIST = {".gitignore"}
NOT_IN_WHEEL = {"pyramid_paraphrase/.huggingface.yaml"}
"""It helps users whose working directory is a checkout."""
CC0_SHA256 = "a2010f343487d3f7618affe54f789f5487602331c0a8d03f49e9a7c547cf0499"
"""Of the official text: Debian's `/usr/share/common-licenses/CC0-1.0`, and Creative Commons' `legalcode.txt`."""
SOURCES_ONLY = {"align": "eflomal", "benchmarks": "gensim", "spark": "pyspark"}
"""Extras with a package without wheels for Python 3.14. pip builds it from its source."""
MODEL2VEC = "pyramid-paraphrase evaluate --model model2vec:no-such-model --data sample"
"""A command that needs the extra `model2vec`. There is no such model, so it fails in any case."""
WITHOUT_ENSUREPIP = (
    "from pyramid_paraphrase.files import extras\n"
    "extras.find_spec = lambda _: None\n"
    "print(extras.MissingExtraError('submitit', 'slurm'))"
)
"""Prints the remedy of an environment without pip, on Debian without the package `python3-venv`."""

Shell = Callable[..., str]

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not DISTRIBUTIONS.is_dir(), reason="`tox -e release` builds the files and names them"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The empty folder of a user, outside of the checkout."""
    return tmp_path_factory.mktemp("user")


@pytest.fixture(scope="module")
def shell(folder: Path) -> Shell:
    """Runs a line of bash in the folder, without an active environment, and returns its output."""
    foreign = ("PYTHON", "VIRTUAL_ENV", "HF_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    environment |= {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HF_HOME": str(folder / "hf"),
        "HF_HUB_OFFLINE": "1",  # nothing is downloaded but packages
        "XDG_CACHE_HOME": str(folder / "cache"),
    }

    def run(line: str, status: int = 0, cwd: Path = folder, **variables: str) -> str:
        command = ["bash", "-c", line]
        variables = environment | variables
        ended = subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, check=False)
        assert ended.returncode == status, f"{line}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout + ended.stderr

    return run


@pytest.fixture(scope="module")
def page() -> list[str]:
    """The lines of bash and the snippets of Python on the project's page on PyPI."""
    text = read_metadata().get_payload()
    parts = re.findall(r"^```(bash|python)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    lines = [line for language, code in parts if language == "bash" for line in code.splitlines()]
    snippets = [f"python - <<'END'\n{code}\nEND" for language, code in parts if language == "python"]
    return lines + snippets


@pytest.fixture(scope="module")
def first_output(shell: Shell, folder: Path, page: list[str]) -> str:
    """The output of the page's first line, which makes the environment. pip takes the built wheel for a release."""
    (wheel,) = DISTRIBUTIONS.glob("*.whl")
    constraint = folder / "constraint.txt"
    constraint.write_text(f"pyramid-paraphrase @ {wheel.resolve().as_uri()}\n")
    return shell(page[0], PIP_CONSTRAINT=str(constraint))


def read_metadata() -> Message:
    """Read the metadata in the wheel, whose body PyPI shows as the project's page."""
    (wheel,) = DISTRIBUTIONS.glob("*.whl")
    with ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def list_files() -> set[str]:
    """List the files of the repository: all that git tracks, and new files that it does not ignore."""
    if not (ROOT / ".git").exists():
        pytest.skip("needs a checkout by git")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return {name for name in names if (ROOT / name).is_file()}


def find_remedy(message: str) -> str:
    """Return the command between backquotes, word for word."""
    (command,) = re.findall(r"`([^`]* install [^`]*)`", message)
    return str(command)


def test_the_wheel_contains_every_file_of_the_packages() -> None:
    """Data are files that no module imports: if a pattern in `setup.cfg` misses one, only a user notices."""
    (wheel,) = DISTRIBUTIONS.glob("*.whl")
    with ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    expected = {name for name in list_files() if name.startswith(PACKAGES)} - NOT_IN_WHEEL | {ENTRY_POINT}
    assert {
        "harness/files/downloads.tsv",
        "harness/rendering/pages/report.html",
        "pyramid_paraphrase/sample_corpus/S0101.pyr",
    } < expected
    assert packed == expected


def test_the_sdist_contains_every_file_of_the_repository() -> None:
    """The tests and the documentation, with all that they read; and nothing else."""
    (sdist,) = DISTRIBUTIONS.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        packed = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    made = {name for name in packed if name == "PKG-INFO" or name.startswith("pyramid_paraphrase.egg-info/")}
    assert packed - made == list_files() - NOT_IN_SDIST


def test_both_files_contain_the_texts_of_both_licences() -> None:
    (wheel,) = DISTRIBUTIONS.glob("*.whl")
    with ZipFile(wheel) as archive:
        texts = {
            name.partition("/licenses/")[2]: archive.read(name) for name in archive.namelist() if "/licenses/" in name
        }
    assert texts.keys() == {"LICENSE", "LICENSES/CC0-1.0.txt"} == set(read_metadata().get_all("License-File") or ())
    assert b"Apache License" in texts["LICENSE"]
    assert hashlib.sha256(texts["LICENSES/CC0-1.0.txt"]).hexdigest() == CC0_SHA256
    (sdist,) = DISTRIBUTIONS.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        for name, text in texts.items():
            member = archive.extractfile(f"{archive.getnames()[0]}/{name}")
            assert member is not None
            assert member.read() == text


def test_python_3_14_has_wheels_of_all_packages() -> None:
    """Without an interpreter: uv resolves the tested set for Python 3.14, from wheels only. It needs the network."""
    (wheel,) = DISTRIBUTIONS.glob("*.whl")
    metadata = read_metadata()
    assert SpecifierSet(metadata["Requires-Python"]).contains("3.14.0")
    extras = set(metadata.get_all("Provides-Extra") or ()) - SOURCES_ONLY.keys()
    assert len(extras) == 14
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "-"]
    command += ["--python-version", "3.14", "--only-binary", ":all:", "--constraint", str(ROOT / "constraints.txt")]
    requirement = f"pyramid-paraphrase[{','.join(sorted(extras))}] @ {wheel.resolve().as_uri()}"
    ended = subprocess.run(command, input=requirement, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    names = {line.partition("==")[0] for line in ended.stdout.splitlines()}
    assert {"datasets", "lxml", "numpy", "pyarrow", "scikit-learn", "torch", "spacy", "mteb"} <= names
    assert len(names) >= 100


def list_links(text: str) -> list[str]:
    """Return the addresses of links and pictures of a page in Markdown and HTML."""
    links = re.findall(r"\]\(([^)]*)\)|(?:src|srcset|href)=\"([^\"]*)\"|^\[[^\]]+\]: (\S+)", text, re.MULTILINE)
    return ["".join(match) for match in links]


def test_no_link_of_the_page_is_relative() -> None:
    """PyPI shows the page alone, so a link to another file of the repository leads nowhere."""
    metadata = read_metadata()
    text = metadata.get_payload()
    assert metadata["License-Expression"] == "Apache-2.0 AND CC0-1.0"
    assert text.startswith("# pyramid-paraphrase\n")
    assert [link for link in list_links(text) if not link.startswith("https://")] == []


def test_links_of_every_form_are_found() -> None:
    """The page has no link today, so the test above would pass with any expression."""
    text = '[a](docs/a.md) <img src="b.png"> <a href="https://example.org">\n[c]: docs/c.md\n'
    assert list_links(text) == ["docs/a.md", "b.png", "https://example.org", "docs/c.md"]


def test_the_lines_of_the_page(shell: Shell, page: list[str], first_output: str) -> None:
    assert "\nmodels\n  tf-idf" in first_output
    assert "pyramid-paraphrase build sample" in page
    assert "load_dataset" in page[-1]
    for code in page[1:]:
        assert shell(f". .venv/bin/activate && {code}")


@pytest.mark.usefixtures("first_output")
def test_metrics_are_loaded_from_the_wheel(shell: Shell) -> None:
    code = "import evaluate, harness.evaluate_modules as m; print(evaluate.load(f'{m.__path__[0]}/mrr').name)"
    assert shell(f'.venv/bin/python -c "{code}"').splitlines()[-1] == "mrr"


@pytest.mark.usefixtures("first_output")
def test_remedies_work_word_for_word(shell: Shell, folder: Path, tmp_path: Path) -> None:
    """In any folder, with the environment active and not, with and without pip in it. PyPI may have no release."""
    activate = f". {folder}/.venv/bin/activate"
    shell(find_remedy(shell(f".venv/bin/{MODEL2VEC}", status=2)), cwd=ROOT)
    assert "not installed" not in shell(f".venv/bin/{MODEL2VEC}", status=2)

    shell(".venv/bin/python -m pip uninstall -q -y pip model2vec")
    remedy = find_remedy(shell(f".venv/bin/{MODEL2VEC}", status=2))
    assert "ensurepip" in remedy
    shell(f"{activate} && {remedy}", cwd=tmp_path)
    assert "not installed" not in shell(f".venv/bin/{MODEL2VEC}", status=2)

    remedy = find_remedy(shell(f'.venv/bin/python -c "{WITHOUT_ENSUREPIP}"'))
    assert " --python " in remedy
    shell(remedy, cwd=tmp_path)
    shell(".venv/bin/python -c 'import submitit'")
