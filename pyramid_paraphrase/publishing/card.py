"""Descriptions in a built folder: a card for people and `datasets`, a benchmark for the Hub, and Croissant.

Croissant 1.0 (https://docs.mlcommons.org/croissant/docs/croissant-spec.html) is a JSON-LD format that dataset
catalogues and loaders read. The description names the files and the columns of the rows, and contains no text of the
rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import yaml

from pyramid_paraphrase.building.built_tests import BuiltTest, count_rows
from pyramid_paraphrase.catalog import describe_license, licence_of
from pyramid_paraphrase.pyramids.sources import InputFile
from pyramid_paraphrase.rules import options

FRAMEWORK = "pyramid-paraphrase"
"""The evaluation framework in the description for the Hub."""

_PYRAMID_METHOD = """@inproceedings{nenkova2004evaluating,
  title = {Evaluating Content Selection in Summarization: The Pyramid Method},
  author = {Nenkova, Ani and Passonneau, Rebecca J.},
  booktitle = {Proceedings of {HLT}-{NAACL} 2004},
  year = {2004}
}"""

CITATIONS = {
    options.PYRAMIDS: """@inproceedings{baumel2016sentence,
  title = {Sentence Embedding Evaluation Using Pyramid Annotation},
  author = {Baumel, Tal and Cohen, Raphael and Elhadad, Michael},
  booktitle = {Proceedings of the 1st Workshop on Evaluating Vector-Space Representations for {NLP}},
  year = {2016}
}""",
    options.SUMMARIES: _PYRAMID_METHOD,
    options.FRAGMENTS: _PYRAMID_METHOD,
    options.PIT: """@inproceedings{xu2015semeval,
  title = {{SemEval}-2015 Task 1: Paraphrase and Semantic Similarity in {Twitter} ({PIT})},
  author = {Xu, Wei and Callison-Burch, Chris and Dolan, Bill},
  booktitle = {Proceedings of the 9th International Workshop on Semantic Evaluation},
  year = {2015}
}""",
    options.PAIR_CORPUS: "",
}
"""Citations by origin of the configuration."""

_TITLE = "Pyramid paraphrase"

_TAGS = ("paraphrase", "sentence-embeddings", "summarization", "pyramid-method")

_TASK_CATEGORIES = {
    options.PAIRS: ("sentence-similarity", "text-classification"),
    options.GRADED_PAIRS: ("sentence-similarity",),
    options.QUESTIONS: ("multiple-choice",),
    options.MATCHES: ("multiple-choice",),
}
"""Tasks in the Hub's list by the kind of a test."""

_SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M", 10_000_000: "1M<n<10M"}
"""Names of numbers of rows in the Hub's list, by the number that the rows are below."""

_BODY = """
# Pyramid paraphrase, built from annotation files

Tests of sentence embeddings made from Summary Content Units (Baumel, Cohen and Elhadad 2016). Built by
`pyramid-paraphrase build`. `manifest.json` lists the input files, the rules and the versions of the build.

{table}

Load a configuration by the path of this folder, or by the name of a repository on the Hub that contains it:
`load_dataset("THIS_FOLDER", "{example}")`. `pyramid_paraphrase.load("{example}", "THIS_FOLDER")` also checks the rows
against the fingerprint.

Numbers are comparable only if the fingerprints are equal. `key.csv.gz` next to the rows of each configuration contains
ids, correct responses, splits and topics, but no text.

**The texts are under the agreement that came with the annotation files** (for DUC and TAC: NIST's). Sharing this
folder, for instance on a public hub, is redistribution: do it only if that agreement allows it. For people who are
covered by the agreement, upload it as a private dataset:
`hf upload ORG/NAME THIS_FOLDER --repo-type dataset --private`. The keys, the manifest and scores contain no text.

`eval.yaml` lists the metrics of models, for a benchmark on the Hugging Face Hub. The Hub checks this file when it is
pushed, and accepts only the evaluation frameworks of a list: `{framework}` must first be added to that list, which is
`packages/tasks/src/eval.ts` of huggingface.js.
"""


def render_card(tests: Sequence[BuiltTest]) -> str:
    """Render the README.md of a folder: metadata that `datasets` reads, and a text for people.

    The key of a folder in the cache of `datasets` depends on this file alone. The file contains the fingerprints, so
    that changed rows have a different key.

    Args:
        tests: The configurations in the folder.

    Returns:
        Markdown with YAML metadata.
    """
    license_fields = describe_license(set().union(*(test.collections for test in tests)))
    licenses = [f"{field}: {value}" for field, value in license_fields.items()]
    sizes = {
        test.configuration.name: {split: count_rows(test.splits[split]) for split in test.splits} for test in tests
    }
    total = sum(sum(splits.values()) for splits in sizes.values())
    categories = dict.fromkeys(category for test in tests for category in _TASK_CATEGORIES[test.configuration.kind])
    lines = ["---", "language:", "- en", *licenses, f"pretty_name: {_TITLE}"]
    if all(test.configuration.origin in options.ANNOTATIONS for test in tests):
        lines += ["annotations_creators:", "- expert-generated"]  # corpora of pairs were labelled in many ways
    lines += ["size_categories:", f"- {next((name for most, name in _SIZES.items() if total < most), '10M<n<100M')}"]
    lines += ["task_categories:", *(f"- {category}" for category in categories)]
    lines += ["tags:", *(f"- {tag}" for tag in _TAGS), "configs:"]
    for test in tests:
        name = test.configuration.name
        lines += [f"- config_name: {name}", f"  description: {json.dumps(test.description)}", "  data_files:"]
        for split in test.splits:
            lines += [f"  - split: {split}", f"    path: {name}/{split}.parquet"]
    rows = ["| configuration | split | rows | fingerprint |", "| --- | --- | ---: | --- |"]
    for test in tests:
        name, short_fingerprint = test.configuration.name, test.fingerprint[:12]
        for split, size in sizes[name].items():
            rows.append(f"| `{name}` | {split} | {size:,} | `{short_fingerprint}` |")
    body = _BODY.format(table="\n".join(rows), example=tests[0].configuration.name, framework=FRAMEWORK)
    return "\n".join([*lines, "---"]) + body


def number_id(configuration: str, metric: str) -> str:
    """Return the full name of a published number, such as "binary_f1"."""
    return f"{configuration}_{metric}"


def render_benchmark(tests: Sequence[BuiltTest], metrics: Mapping[str, Sequence[str]]) -> str:
    """Render the eval.yaml of a folder, in the format of benchmark datasets on the Hub: a task per published number.

    Args:
        tests: The configurations in the folder.
        metrics: Names of the published metrics by configuration.

    Returns:
        YAML.
    """
    collections = ", ".join(sorted(set().union(*(test.collections for test in tests))))
    fingerprints = ", ".join(f"{test.configuration.name} {test.fingerprint[:12]}" for test in tests)
    description = (
        "Is this pair of propositions a paraphrase, and which of four is one? Tests of sentence embeddings from "
        f"Summary Content Units (Baumel, Cohen and Elhadad 2016). Made from: {collections}. Numbers are comparable "
        f"only if the fingerprints are equal: {fingerprints}."
    )
    tasks = []
    for test in tests:
        task = {"config": test.configuration.name, "split": options.TEST}
        published = metrics.get(test.configuration.name, ())
        tasks += [{"id": number_id(test.configuration.name, metric), **task} for metric in published]
    benchmark = {"name": _TITLE, "description": description, "evaluation_framework": FRAMEWORK, "tasks": tasks}
    return yaml.safe_dump(benchmark, sort_keys=False, width=120)


CROISSANT_NAME = "croissant.json"

_CROISSANT_NAMES = """
    citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes isLiveDataset
    jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate separator source subField
    transform
""".split()

_CONTEXT = dict(
    sorted(
        {
            "@language": "en",
            "@vocab": "https://schema.org/",
            **{name: f"cr:{name}" for name in _CROISSANT_NAMES},
            "conformsTo": "dct:conformsTo",
            "cr": "http://mlcommons.org/croissant/",
            "data": {"@id": "cr:data", "@type": "@json"},
            "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
            "dct": "http://purl.org/dc/terms/",
            "examples": {"@id": "cr:examples", "@type": "@json"},
            "rai": "http://mlcommons.org/croissant/RAI/",
            "sc": "https://schema.org/",
        }.items()
    )
)
"""The context that the specification recommends. It is the same in every file."""

_FORMATS = {".parquet": "application/x-parquet", ".gz": "application/gzip", ".json": "application/json"}

_COLUMNS = {
    "id": "SHA-256 over the configuration, the pyramids, the SCUs and the texts of the row",
    "sentence": "a proposition",
    "label": "1 for a paraphrase, 0 for any other pair",
    "question": "a proposition",
    "options": "propositions, one of which is a paraphrase of the question",
    "answer": "index of the paraphrase among the options",
    "collection": "collection of the pyramid",
    "pyramid": "id of the pyramid",
    "scu": "uid of the SCU (Summary Content Unit)",
    "kind": "whether the text is a contributor or a label of the SCU",
    "summarizer": "names of the model summaries that the text is from",
    "weight": "weight of the SCU: the number of model summaries that contribute",
    "parts": "number of parts of the contributor, 0 for a label",
    "option_scus": "uids of the SCUs of the options",
    "option_kinds": "whether each option is a contributor or a label",
    "relation": "contradicts if people said that the SCU of one text contradicts that of the other, otherwise empty",
    "context": "the sentences of the summaries that contain the text, with their neighbours, or empty for a label",
    "option_summarizers": "names of the model summaries that the options are from",
    "option_weights": "weights of the SCUs of the options",
    "option_parts": "numbers of parts of the options, 0 for a label",
    "option_contexts": "the contexts of the options",
    "option_relations": "contradicts if people said that the SCUs of option and question contradict, otherwise empty",
}
"""Descriptions of columns, by their names without the number of the side."""

_KIND_WITH_UNITS = "whether the text is a contributor or a label of the SCU, or a discourse unit aligned with it"


def render_croissant(tests: Sequence[BuiltTest], schemas: Mapping[str, pa.Schema], files: Iterable[InputFile]) -> str:
    """Render the croissant.json of a folder.

    Args:
        tests: The configurations in the folder.
        schemas: Their columns, by the name of the configuration.
        files: The files to describe. The files with rows are CONFIGURATION/SPLIT.parquet.

    Returns:
        JSON-LD: a file object per file, and a record set with its fields per configuration and split.
    """
    collections = sorted(set().union(*(test.collections for test in tests)))
    fingerprints = ", ".join(f"{test.configuration.name} {test.fingerprint}" for test in tests)
    description = (
        "Tests of sentence embeddings made from Summary Content Units (Baumel, Cohen and Elhadad 2016). "
        f"Made from: {', '.join(collections)}. Fingerprints: {fingerprints}."
    )
    croissant = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "pyramid-paraphrase",
        "description": description,
        "license": list(dict.fromkeys(map(licence_of, collections))),
        "citeAs": CITATIONS[options.PYRAMIDS],
        "inLanguage": "en",
        "keywords": ["paraphrase", "sentence embeddings", "summarization", "pyramid method"],
        "version": options.DATA_VERSION,
        "distribution": [_describe_file(file) for file in files],
        "recordSet": [record_set for test in tests for record_set in _list_record_sets(test, schemas)],
    }
    return json.dumps(croissant, indent=1) + "\n"


def _describe_file(file: InputFile) -> dict[str, str]:
    suffix = "." + file.name.rsplit(".", 1)[1]
    return {
        "@type": "cr:FileObject",
        "@id": file.name,
        "name": file.name,
        "contentUrl": file.name,
        "contentSize": f"{file.size} B",
        "encodingFormat": _FORMATS[suffix],
        "sha256": file.sha256,
    }


def _list_record_sets(test: BuiltTest, schemas: Mapping[str, pa.Schema]) -> Iterator[dict[str, Any]]:
    name = test.configuration.name
    for split in test.splits:
        record_set = f"{name}/{split}"
        fields = [_describe_field(record_set, column) for column in schemas[name]]
        for field in fields:
            if test.options and test.options.units and field["description"] == _COLUMNS["kind"]:
                field["description"] = _KIND_WITH_UNITS
        yield {
            "@type": "cr:RecordSet",
            "@id": record_set,
            "name": record_set,
            "description": f"{test.configuration.title}. Split: {split}",
            "key": {"@id": f"{record_set}/id"},
            "field": fields,
        }


def _describe_field(record_set: str, column: pa.Field) -> dict[str, Any]:
    is_list = pa.types.is_list(column.type)
    values = column.type.value_type if is_list else column.type
    return {
        "@type": "cr:Field",
        "@id": f"{record_set}/{column.name}",
        "name": column.name,
        "description": _COLUMNS.get(column.name) or _COLUMNS[column.name.rstrip("12")],
        "dataType": "sc:Integer" if pa.types.is_integer(values) else "sc:Text",
        **({"repeated": True} if is_list else {}),
        "source": {"fileObject": {"@id": f"{record_set}.parquet"}, "extract": {"column": column.name}},
    }
