"""What README and dataset card tell people to type, typed; and what they state, checked."""

from __future__ import annotations

import gzip
import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import textwrap
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
import yaml
from helpers.aligned_corpora import align_town, make_superpal, make_town
from helpers.annotations import MODEL_TEXT, SCUS, SUMMARIES, pair_element, pyramid_element, sea_file, tar
from helpers.checkout import ROOT
from helpers.commands import Room, make_environment, run
from helpers.hub_cache import put_on_the_hub
from helpers.interfaces import RERANKING
from helpers.metric_modules import METRICS
from helpers.model_server import serve_models
from helpers.pair_corpora import write_pit, write_tokens
from helpers.pair_tables import write_tables
from helpers.paraphrase_tables import TSV
from helpers.qapyramid import write_votes
from helpers.ranked_paraphrases import make_table, write_pairs
from helpers.rose import write_rose
from helpers.scu_labels import write_scu_labels
from helpers.sheets import fill_with_errors
from helpers.summaries import write_summaries
from helpers.summary_scores import SYSTEMS, TOPICS, write_scores
from helpers.summhay import write_summhay
from helpers.tiny_models import save_entailment_model, save_judge
from helpers.warm_process import NEUTRAL_LIBRARIES, WarmProcess, warm_process
from huggingface_hub import DatasetCard

from harness.paraphrases.dimple.conversion import convert_table, list_sheet_rows
from pyramid_paraphrase import SAMPLE_DIR, __version__
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.publishing.card import render_card
from pyramid_paraphrase.publishing.export import write_folder
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES, PYRAMID_TESTS

DOCUMENTS = (
    "README.md",
    "dataset_card.md",
    "docs/annotation.md",
    "docs/collection.md",
    "docs/dataset.md",
    "docs/dimple.md",
    "docs/evaluation.md",
    "docs/from_a_table.md",
    "docs/get_started.md",
    "docs/index.md",
    "docs/leaderboards.md",
    "docs/meta_evaluation.md",
    "docs/model_servers.md",
    "docs/model_options.md",
    "docs/models.md",
    "docs/pairs.md",
    "docs/paraphrases.md",
    "docs/people.md",
    "docs/publishing.md",
    "docs/start_paraphrases.md",
    "docs/start_summaries.md",
    "docs/summaries.md",
    "docs/summary_scores.md",
    "docs/sweeps.md",
    "docs/test_rules.md",
)
METRIC_CARDS = [str(path.relative_to(ROOT)) for path in ROOT.glob("harness/evaluate_modules/*/README.md")]
LIBRARIES = (*NEUTRAL_LIBRARIES, "datasets", "evaluate", "sentence_transformers", "mteb")
"""Imported once for all documents."""
INSTALL = "pip install pyramid-paraphrase"
"""Beginning of a line for users of a release. The tests of the release install it as the page on PyPI says."""
SET_UP = ("python3 -m venv ", ".venv/bin/python -m pip ", INSTALL)
"""Beginnings of commands that need the network: continuous integration runs those of README, see below."""
DOWNLOAD = "pyramid-paraphrase download "
"""Beginning of a command that needs the network. In its place, files of ours are written."""
SERVER = "http://localhost:7997/v1"
"""Address of a server of embeddings in documents. In its place, commands get that of a server of ours."""
GIT_IDENTITY = {f"GIT_{role}_{part}": "someone" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
UPLOAD = "hf upload my-lab/pyramids "
"""Beginning of a command that needs the network. In its place, a built folder lies in the cache of the Hub."""


def blocks(document: str) -> list[tuple[str, str]]:
    """Return the language and the text of the blocks of a document; those in lists are indented.

    A block of the language `text` is an output of the block before it, if the line above says "the output begins".
    """
    text = (ROOT / document).read_text()
    pattern = r"^( *)```(bash|python)\n([\s\S]*?)^\1```$|^.*output.* begins .*:\n\n```(text)\n([\s\S]*?)^```$"
    found = re.finditer(pattern, text, re.MULTILINE)
    return [(match[2] or match[4], textwrap.dedent(match[3] or match[5])) for match in found]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> Iterator[tuple[WarmProcess, str]]:
    """A process that has imported all libraries, and its HF_HOME, where models and a dataset lie as if downloaded.

    MiniLM is the real one, the others are small and random.
    """
    folder = tmp_path_factory.mktemp("documents")
    environment = make_environment(folder)
    put_on_the_hub(minilm, "models--sentence-transformers--all-MiniLM-L6-v2", folder / "hf" / "hub")
    classifier, judge = save_entailment_model(folder / "nli"), save_judge(folder / "judge", {"yes": 1.0})
    put_on_the_hub(classifier, "models--cross-encoder--nli-deberta-v3-base", folder / "hf" / "hub")
    put_on_the_hub(judge, "models--Qwen--Qwen2.5-0.5B-Instruct", folder / "hf" / "hub")
    corpus = read_corpus(SAMPLE_DIR)
    write_folder(corpus, [build_test(corpus, name) for name in PYRAMID_TESTS], folder / "pyramids")
    put_on_the_hub(folder / "pyramids", "datasets--my-lab--pyramids", folder / "hf" / "hub")
    with warm_process(folder, environment, LIBRARIES) as process:
        yield process, environment["HF_HOME"]


@pytest.fixture(scope="module")
def server_url() -> Iterator[str]:
    """The address of a server of embeddings that also reranks."""
    reranker = RERANKING["standard"]
    with serve_models() as server:
        server.forms[reranker.path] = reranker.form
        yield server.url


@pytest.fixture(scope="module")
def filled_sheets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with sheets as two people send them back."""
    folder = tmp_path_factory.mktemp("sheets")
    sheet = tmp_path_factory.mktemp("empty") / "sheet.csv"
    assert run("annotate", "sample", "sample", "--task", "binary", "--output", sheet) == 0
    for name, wrong in (("anna", range(0, 100, 9)), ("ben", range(0, 100, 7))):
        fill_with_errors(sheet, folder / f"{name}.csv", "binary", wrong)
    return folder


@pytest.mark.full
@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_and_snippet_runs(
    room: Room,
    loaded: tuple[WarmProcess, str],
    minilm: Path,
    filled_sheets: Path,
    server_url: str,
    document: str,
) -> None:
    """In the order of the document, in one folder, with the sample packed as NIST's archive is named."""
    members = {f"mainPyramidEval/{path.name}": path.read_bytes() for path in SAMPLE_DIR.iterdir()}
    folder = room.folder
    (folder / "mainPyramidEval.tar.gz").write_bytes(tar(members))
    shutil.copytree(minilm, folder / "my-model", copy_function=os.symlink)
    (folder / "lists.tsv").write_text(make_table())
    ids = [row[0] for row in list_sheet_rows(convert_table(folder / "lists.tsv", [])[0], 0)]
    for name, answer in (("carol", "yes"), ("dan", "no")):
        lines = ["id,strict,lenient", *(f"{key},{answer},yes" for key in ids)]
        (folder / f"{name}.csv").write_text("\n".join(lines))
    (folder / "substitutes.csv").write_text("verb,other,score\nfound,discovered,0.9\n")
    ppdb = "[VB] ||| {} ||| {} ||| -logp(e2|e1)=1.9 ||| 0-0 ||| Equivalence\n"
    entries = (("found", "discovered"), ("killed", "shot dead"))
    content = "".join(ppdb.format(*entry) for entry in entries).encode()
    (folder / "ppdb-2.0-s-all.gz").write_bytes(gzip.compress(content))
    (folder / "models.yaml").write_text("- one-hot\n- model: wtmf\n  dimension: [5, 10]\n  iterations: 2\n")
    (folder / "paraphrases.tsv").write_text(TSV)
    (folder / "vectors.txt").write_text("the 1 0 1\nof 0 1 1\nin 1 1 0\n")
    shutil.copy(SAMPLE_DIR / "S0101.pyr", folder / "first.pyr")
    shutil.copy(SAMPLE_DIR / "S0101.pyr", folder / "second.pyr")
    pair = pair_element("Flames took the old mill", ["burned down on Monday"], "1", MODEL_TEXT)
    (folder / "essays.sea").write_bytes(sea_file(pyramid_element(SUMMARIES, SCUS), [pair]))
    shutil.copytree(METRICS / "accuracy", folder / "accuracy")
    write_pairs(folder / "pairs")
    write_collection(folder)
    write_parallel_text(folder)
    write_scores(folder)
    write_summaries(folder)
    write_judged_summaries(folder)
    write_own_summaries(folder)
    make_town().write(folder / "propsegment")
    (folder / "superpal").mkdir()
    (folder / "superpal" / "dev_MN_only.csv").write_bytes(make_superpal(align_town()))
    write_scu_labels(folder / "realsumm")
    write_rose(folder / "rose")
    write_votes(folder / "qapyramid")
    write_summhay(folder / "summhay")
    (folder / "peers" / "S0101.M.100.S.1").write_text("Something happened.\n")  # of a topic of the sample's pyramids
    shutil.copytree(filled_sheets, folder, dirs_exist_ok=True)
    write_pit(folder / "pit2015")
    write_tokens(folder / "msrp")
    write_tables(folder, "anli", "sick-full")
    write_pairs(folder / "msrp")
    process, home = loaded
    place = (folder, room.environment | {"HF_HOME": home} | GIT_IDENTITY)
    outputs = [""]
    for language, text in blocks(document):
        if language == "text":
            assert text in outputs[-1]
        else:
            codes = text.strip().splitlines() if language == "bash" else [text]
            outputs.append(
                "".join(run_code(code.replace(SERVER, server_url), language, process, place) for code in codes)
            )
    assert len(list(filter(None, outputs))) >= 1


def run_code(code: str, language: str, process: WarmProcess, place: tuple[Path, dict[str, str]]) -> str:
    """Run a line of bash or a snippet, and return its output. For a command that needs the network, check its place."""
    folder, environment = place
    if code.startswith(SET_UP):
        return ""
    if code.startswith(DOWNLOAD):
        assert (folder / code.removeprefix(DOWNLOAD)).is_dir()
        return ""
    if code.startswith(UPLOAD):
        uploaded, *options = code.removeprefix(UPLOAD).split()
        assert (folder / uploaded / "manifest.json").is_file()
        assert options == ["--repo-type", "dataset", "--private"]
        return ""
    if code.startswith("git "):
        subprocess.run(["bash", "-c", code], cwd=folder, env=environment, check=True)
        return ""
    run_it = process.run_command if language == "bash" else process.run_snippet
    result = run_it(code, folder, environment)
    assert result.returncode == 0, code + result.stderr
    assert result.stdout
    return result.stdout


def write_collection(room: Path) -> None:
    """Sentences, votes, grades, and a corpus of labelled pairs, as those who collect paraphrases have them."""
    sentences = [
        (topic, f"{topic} number {n} {'of many' if n < 3 else ''}") for topic in ("cup", "rain") for n in range(6)
    ]
    votes = [(f"i{n}", name, int(n < most)) for n in range(4) for name, most in (("ann", 2), ("bob", 3), ("eve", 1))]
    grades = [("i0", 5), ("i1", 4), ("i2", 2), ("i3", 0)]
    for name, rows in (
        ("sentences.tsv", [("topic", "sentence"), *sentences]),
        ("votes.tsv", [("item", "annotator", "vote"), *votes]),
        ("expert.tsv", [("item", "grade"), *grades]),
    ):
        (room / name).write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    pairs = [(topic, number) for topic in range(12) for number in range(8)]
    (room / "tweets" / "train").mkdir(parents=True)
    for name, lines in (
        ("a.toks", [f"topic {topic} began" for topic, _ in pairs]),
        ("b.toks", [f"topic {topic} began {'or so' if number % 2 else number}" for topic, number in pairs]),
        ("sim.txt", [str(int(number < topic % 3)) for topic, number in pairs]),
    ):
        (room / "tweets" / "train" / name).write_text("".join(line + "\n" for line in lines))


def write_judged_summaries(room: Path) -> None:
    """Summaries of the topics and by the systems of the judgements that `write_scores` makes."""
    words = "the storm tore down an old bridge and nobody was hurt when the river rose again".split()
    for number, topic in enumerate(TOPICS):
        (room / "references" / f"{topic}.M.100.A.A").write_text(" ".join(words) + ".\n")
        for place, system in enumerate(SYSTEMS):
            text = " ".join(words[number : number + 3 * (place + 1)])
            (room / "peers" / f"{topic}.M.100.A.{system}").write_text(text + ".\n")


def write_own_summaries(room: Path) -> None:
    """Summaries as a researcher has them, in forms of their own, of topics of the sample; and ratings of them."""
    words = "the storm tore down an old bridge and nobody was hurt when the river rose again".split()
    (room / "mine.txt").write_text("The storm tore down a bridge.\n")
    (room / "theirs.txt").write_text("An old bridge was torn down by the storm.\n")
    (room / "output.txt").write_text("A storm came.\nPrices rose.\n")
    (room / "target.txt").write_text("The storm hit the town.\nFood prices rose again.\n")
    (room / "gold").mkdir()
    topics = [f"S010{number}" for number in range(1, 7)]
    rows, ratings = [], ["topic\tsystem\trating"]
    for number, topic in enumerate(topics):
        for name in ("anna", "ben"):
            (room / "gold" / f"{topic}_{name}.txt").write_text(f"{name.title()} says: {' '.join(words)}.\n")
        for place in range(1, 6):
            text = " ".join(words[number : number + 2 * place])
            rows.append({"topic": topic, "author": f"system-{place}", "text": f"{text}. That was all."})
            ratings.append(f"{topic}\tsystem-{place}\t{1 + (place + number * place) % 5}")
    predictions = [{"id": number, "prediction": "Rain fell."} for number in range(3)]
    data = [{"id": number, "article": "Rain fell, snow fell.", "highlights": "Snow fell ."} for number in range(3)]
    for file, lines in (("systems.jsonl", rows), ("predictions.jsonl", predictions), ("data.jsonl", data)):
        (room / file).write_text("".join(json.dumps(line) + "\n" for line in lines))
    (room / "ratings.tsv").write_text("\n".join(ratings) + "\n")
    scores, ratings = ["topic;system;my metric"], ["topic,system,annotator,relevance"]
    for topic, team in product(range(6), range(1, 6)):
        scores.append(f"lake {topic};team {team};0,{topic * team % 7}")
        ratings += [f"lake {topic},team {team},anna,{topic * team % 4}", f"lake {topic},team {team},ben,{team}"]
    (room / "my_scores.csv").write_text("\n".join(scores) + "\n")
    (room / "my_ratings.csv").write_text("\n".join(ratings) + "\n")


def write_parallel_text(room: Path) -> None:
    """Sentences, their translations and word alignments, as those who extract phrases have them."""
    comment = "# Sentence pair (1) source length 2 target length 2 alignment score : 0.1"
    for name, lines in (
        ("fr-en.A3.final", (comment, "lets you", "NULL ({ }) vous ({ 2 }) permet ({ 1 })")),
        ("en-fr.A3.final", (comment, "vous permet", "NULL ({ }) lets ({ 2 }) you ({ 1 })")),
        ("text.fr", ("il vous permet de compter", "il vous permet de lire")),
        ("text.en", ("it allows you to count", "it lets you read")),
        ("text.align", ("0-0 1-2 2-1 3-3 4-4", "0-0 1-2 2-1 3-1 4-3")),
        ("forward.align", ("0-0 1-2 2-1 3-3 4-4", "0-0 1-2 2-1 3-1 4-3")),
        ("reverse.align", ("0-0 1-2 2-1 3-3 4-4", "0-0 1-2 2-1 4-3")),
    ):
        (room / name).write_text("".join(line + "\n" for line in lines))


def test_continuous_integration_runs_the_set_up_of_the_readme() -> None:
    """It finds each line by its beginning, which must fit that line only."""
    lines = [line for _, text in blocks("README.md") for line in text.splitlines() if line.startswith(SET_UP)]
    assert len(lines) == 3
    command = [".venv/bin/pyramid-paraphrase", "evaluate", "--model", "tf-idf", "--data", "sample"]
    assert shlex.split(lines[0])[-len(command) :] == command
    assert lines[2].endswith("'.[tests]' && .venv/bin/python -m pytest -n auto")
    script = (ROOT / ".ci" / "run").read_text()
    (loop,) = re.findall(r"^for beginning in (.+); do$", script, re.MULTILINE)
    beginnings = shlex.split(loop)
    assert len(beginnings) == len(lines)
    for beginning, line in zip(beginnings, (lines[0], lines[2], lines[1]), strict=True):
        assert re.findall(f"^{beginning}.*$", (ROOT / "README.md").read_text(), re.MULTILINE) == [line]


def test_every_page_has_the_set_up_lines_of_the_readme() -> None:
    """Users of a page and of README get the same environment. Those for a release are run by the release's tests."""
    pages = [page for page in DOCUMENTS if page != "README.md"]
    lines = [line for page in pages for line in (ROOT / page).read_text().splitlines() if line.startswith(SET_UP[:2])]
    assert len(lines) == 5
    readme = (ROOT / "README.md").read_text()
    assert [line for line in lines if line not in readme] == []


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == __version__
    assert citation["license"] == "Apache-2.0"
    assert citation["authors"] == [{"name": "The pyramid-paraphrase contributors"}]
    assert re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0].rstrip(",") == __version__


def test_links_lead_to_files_and_headings() -> None:
    """In the repository: the tests of the site check the pages that are made of the same files."""
    documents = ["README.md", "CONTRIBUTING.md", "benchmarks/README.md"]
    for folder in ("docs", "benchmarks/measurements"):
        pages = [path for path in (ROOT / folder).iterdir() if path.suffix in (".md", ".ipynb")]
        documents += sorted(str(path.relative_to(ROOT)) for path in pages)
    seen, dead = 0, []
    for document in documents:
        for target, heading in re.findall(r"\]\(([^)#:\s]*)(?:#([^)]+))?\)", (ROOT / document).read_text()):
            path = (ROOT / document).parent / target if target else ROOT / document
            seen += 1
            if not path.exists():
                dead.append(f"{document}: {target}")
            elif heading and path.suffix == ".md" and heading not in list_anchors(path):
                dead.append(f"{document}: {target}#{heading}")
    assert dead == []
    assert len(documents) > 43
    assert seen > 450


def list_anchors(path: Path) -> set[str]:
    """List the anchors of a page as GitHub and the site make them from its headings."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in titles]
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in plain}


@pytest.mark.parametrize("document", ["dataset_card.md", "docs/pypi.md", *sorted(METRIC_CARDS), "a built folder"])
def test_documents_that_stand_alone_have_absolute_links(document: str) -> None:
    """The Hub and PyPI show them without the files beside them."""
    corpus = read_corpus(SAMPLE_DIR)
    is_built = document == "a built folder"
    text = render_card([build_test(corpus, "ranking")]) if is_built else (ROOT / document).read_text()
    links = re.findall(r"\]\(([^)]+)\)", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE))
    assert [link for link in links if not link.startswith(("https://", "http://", "#"))] == []
    assert [name for name in re.findall(r"`(docs/[\w/.]+)`", text) if not (ROOT / name).exists()] == []
    assert text.count("](") == len(links)


def test_the_security_page_lists_every_limit() -> None:
    """A limit that is renamed or new was missing from the page."""
    text = (ROOT / "docs" / "security.md").read_text()
    names = {name for name in vars(limits) if name.isupper()} - {"MEBIBYTE"}
    assert len(names) > 25
    assert names - set(re.findall(r"`([A-Z_]+)`", text)) == set()
    rows = [line for line in text.splitlines() if line.startswith("|") and "` in `harness/" in line]
    assert len(rows) == 25
    for row in rows:
        places = re.findall(r"((?:`[A-Z]\w+`(?:, | and )?)+) in `([\w/]+)\.py`", row)
        assert places, row
        for constants, module in places:
            for name in re.findall(r"\w+", constants.replace(" and ", " ")):
                assert hasattr(importlib.import_module(module.replace("/", ".")), name), row


def test_the_security_page_names_tests_that_exist() -> None:
    text = (ROOT / "docs" / "security.md").read_text()
    paths = re.findall(r"`((?:tests|benchmarks)/[\w/]+\.py)`", text.split("## Which tests show it", 1)[1])
    assert len(paths) > 15
    assert [path for path in paths if not (ROOT / path).is_file()] == []


def test_the_cards_metadata_is_what_the_hub_reads() -> None:
    _, metadata, body = (ROOT / "dataset_card.md").read_text().split("---\n", 2)
    fields = yaml.safe_load(metadata)
    assert {"language", "pretty_name", "task_categories"} <= set(fields)
    # The Hub refuses a card whose licence is "other" without a name.
    assert fields["license"] == "other"
    assert re.fullmatch(r"[a-z0-9-]+", fields["license_name"])
    assert fields["license_link"].startswith("https://")
    assert "configs" not in fields
    assert all(f"`{name}`" in body for name in CONFIGURATION_NAMES if not name.startswith(("pairs", "pit_")))
    # The Hub's own client reads the same and loses nothing.
    card = DatasetCard.load(ROOT / "dataset_card.md", ignore_metadata_errors=False)
    assert card.data.to_dict() == fields
    assert len(body.split()) < 900


def test_the_index_of_measurements_links_to_each_section() -> None:
    index = (ROOT / "benchmarks" / "README.md").read_text()
    pages = sorted((ROOT / "benchmarks" / "measurements").glob("*.md"))
    sections = sum(len(re.findall(r"^## ", path.read_text(), re.MULTILINE)) for path in pages)
    links = re.findall(r"\]\((measurements/\w+\.md#[^)]+)\)", index)  # their headings exist by the test above
    assert len(links) == len(set(links)) == sections
    assert sections >= 60


def test_every_measured_section_is_filled() -> None:
    pages = sorted((ROOT / "benchmarks" / "measurements").glob("*.md"))
    names = []
    for page in pages:
        sections = re.findall(r"<!-- begin: (\w+) -->\n(.*?)<!-- end: \1 -->", page.read_text(), re.DOTALL)
        assert sections, page
        assert all(text.strip() for _, text in sections)
        names += [name for name, _ in sections]
    assert len(pages) >= 10
    assert len(set(names)) == len(names) > 80
