"""Scores and judgements in tables of users: shapes, columns, several tables in a file, notes and errors."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from helpers.commands import Capture, unwrap
from helpers.messages import mentions

from harness.cli import main
from harness.summarization.meta_evaluation.formats import parse_scores
from harness.summarization.meta_evaluation.inputs import lack_topics, read_score_files
from harness.summarization.meta_evaluation.scores import ScoreCollector
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramids.sources import SourceFile

Values = Mapping[tuple[str, str], float]


def parse(
    text: str | bytes, name: str = "scores.csv", *, are_judgements: bool = False, **columns: str
) -> ScoreCollector:
    data = text.encode() if isinstance(text, str) else text
    return parse_scores(SourceFile(name, data), columns, are_judgements=are_judgements)


def read(
    text: str | bytes, name: str = "scores.csv", *, are_judgements: bool = False, **columns: str
) -> dict[str, Values]:
    parsed = parse(text, name, are_judgements=are_judgements, **columns)
    return {measure.name: dict(measure.values) for measure in parsed.finish()}


def make_rows() -> list[tuple[str, str, float, int]]:
    """Return topics, systems, scores and ratings of 6 topics and 5 systems, all made up."""
    chance = random.Random(7)
    return [
        (f"lake{topic}", f"run{system}", round(chance.random() + system / 4, 4), chance.randrange(3) + system)
        for topic in range(6)
        for system in range(5)
    ]


ROWS = make_rows()


def write_csv(header: list[str], rows: list[tuple[object, ...]], delimiter: str = ",") -> str:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
    return stream.getvalue()


def write_plain(names: tuple[str, str] = ("topic", "system"), delimiter: str = "\t") -> str:
    return write_csv([*names, "mine"], [row[:3] for row in ROWS], delimiter)


def write_german() -> bytes:
    rows: list[tuple[object, ...]] = [(topic, system, str(score).replace(".", ",")) for topic, system, score, _ in ROWS]
    return write_csv(["topic", "system", "mine"], rows, ";").replace("\n", "\r\n").encode("utf-8-sig")


def write_index() -> str:
    return write_csv(["", "topic", "system", "mine"], [(number, *row[:3]) for number, row in enumerate(ROWS)])


def write_long() -> str:
    header = ["system", "criterion", "topic", "points"]
    return write_csv(header, [(system, "mine", topic, score) for topic, system, score, _ in ROWS])


def write_wide() -> str:
    systems = sorted({row[1] for row in ROWS})
    scores = {(topic, system): score for topic, system, score, _ in ROWS}
    topics = sorted({row[0] for row in ROWS})
    return write_csv(["topic", *systems], [(topic, *(scores[topic, system] for system in systems)) for topic in topics])


def write_records() -> str:
    return json.dumps([{"topic": topic, "system": system, "mine": score} for topic, system, score, _ in ROWS])


def write_sacrerouge() -> str:
    """The files of metrics of SacreROUGE have nested values, a line per summary."""
    names = ("instance_id", "summarizer_id", "summarizer_type", "metrics")
    rows = [(topic, system, "peer", {"mine": score}) for topic, system, score, _ in ROWS]
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)


SHAPES: dict[str, tuple[str, str | bytes]] = {
    "marked": ("scores.tsv", write_plain().replace("\n", "\r\n").encode("utf-8-sig")),
    "commas": ("scores.csv", write_plain(delimiter=",")),
    "index": ("scores.csv", write_index()),
    "german": ("scores.csv", write_german()),
    "utf-16": ("scores.txt", write_plain().encode("utf-16")),
    "other names": ("scores.tsv", write_plain(("doc_id", "model"))),
    "other order": ("scores.tsv", write_csv(["system", "topic", "mine"], [(b, a, c) for a, b, c, _ in ROWS], "\t")),
    "records": ("scores.json", write_records()),
    "keys": ("mine.json", json.dumps({f"{topic}/{system}": score for topic, system, score, _ in ROWS})),
    "lines": ("scores.jsonl", write_sacrerouge()),
    "long": ("scores.csv", write_long()),
    "wide": ("mine.csv", write_wide()),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_all_shapes_of_a_table_give_the_same_correlations(
    shape: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a table that began with topic, tab and system was read."""
    monkeypatch.chdir(tmp_path)
    name, content = SHAPES[shape]
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    Path("plain.tsv").write_text(write_plain())
    rows = [(topic, system, rating) for topic, system, _, rating in ROWS]
    Path("ratings.tsv").write_text(write_csv(["topic", "system", "rating"], rows, "\t"))
    reports = []
    for scores, columns in (("plain.tsv", []), (name, ["--columns", "system=*"] if shape == "wide" else [])):
        command = ["meta-eval", scores, "--judgements", "ratings.tsv", "--resamples", "10", "--format", "json"]
        assert main([*command, *columns]) == 0
        reports.append(json.loads(capsys.readouterr().out))
    plain, other = reports
    assert len(plain["correlations"]) == 2
    for part in ("correlations", "differences", "judgements", "statistics", "systems", "other_systems"):
        assert other[part] == plain[part]
    assert "notes" not in plain["scores"][0]
    has_notes = shape in {"index", "other names", "keys", "lines", "long"}
    assert ("notes" in other["scores"][0]) is has_notes


def test_columns_have_the_names_that_the_user_gives() -> None:
    table = "nr,who,mark,topic\n1,a,0.5,9\n2,b,0.25,9\n"
    expected = {("1", "a"): 0.5, ("2", "b"): 0.25}
    assert read(table, topic="nr", system="who") == {"mark": expected, "topic": {("1", "a"): 9, ("2", "b"): 9}}
    assert read(table, topic="NR", system="who", value="mark") == {"mark": expected}
    parsed = parse(table, topic="nr", system="who")
    assert (parsed.columns, parsed.notes) == (("nr", "who", "mark", "topic"), [])


def test_columns_of_systems_beside_a_column_of_systems(tmp_path: Path, capsys: Capture) -> None:
    """The scores have a column per system, and the ratings a row per judge with a column that no field recognizes."""
    systems = ["s1", "s2", "s3", "s4"]
    wide = [(f"d{topic}", *(topic + place**2 for place in range(4))) for topic in range(3)]
    (tmp_path / "wide.csv").write_text(write_csv(["Dokument", *systems], wide))
    ratings = [
        (f"d{topic}", name, judge, topic + place + judge)
        for topic in range(3)
        for place, name in enumerate(systems)
        for judge in (1, 2)
    ]
    (tmp_path / "long.csv").write_text(write_csv(["Dokument", "Modell", "Person", "Note"], ratings))
    command = ["meta-eval", str(tmp_path / "wide.csv"), "--judgements", str(tmp_path / "long.csv"), "--format", "json"]
    command += ["--resamples", "5", "--columns"]
    assert main([*command, "topic=Dokument,system=*,judge=Person"]) == 2
    assert mentions_all('long.csv: ... no column for system ... --columns "system=NAME,*"', capsys)
    assert main([*command, "topic=Dokument,system=Model,*"]) == 2
    assert mentions_all('long.csv: ... no column Model for system ... --columns "system=NAME,*"', capsys)
    for columns in ("topic=Dokument,System=Modell,*,Judge=Person", "topic=Dokument,system=Modell, *"):
        assert main([*command, columns]) == 0
        report = json.loads(capsys.readouterr().out)
        assert {row["metric"]: row["systems"] for row in report["correlations"]} == {"wide": systems}
        assert report["judgements"][0]["judgements_per_summary"]["Note"]["judges"] == 2


def test_columns_of_another_file_do_not_matter() -> None:
    assert read("topic,system,a\nt,s,1\n", topic="doc_id", metric="aspect") == {"a": {("t", "s"): 1.0}}


def test_a_column_that_no_file_has(tmp_path: Path, capsys: Capture) -> None:
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, measure in zip(paths, "xy", strict=True):
        path.write_text(f"topic,system,{measure}\nt,1,1\nt,2,2\nt,3,3\n")
    command = ["meta-eval", str(paths[0]), "--judgements", str(paths[1]), "--resamples", "5"]
    assert main([*command, "--columns", "topic=doc"]) == 2
    assert mentions_all("no file has a column doc for topic ... topic, system, x, y", capsys)
    assert main([*command, "--judges", "coder"]) == 2
    assert mentions_all("no file has a column coder for judge", capsys)
    assert main([*command, "--columns", "system=*"]) == 2
    assert mentions_all("system=* has no effect ... Omit it", capsys)
    assert main([*command, "--judges", "x", "--columns", "judge=y"]) == 2
    assert mentions_all("--judges ... --columns ... Omit --judges", capsys)


def mentions_all(pattern: str, capsys: Capture) -> bool:
    return bool(re.search(mentions(pattern), unwrap(capsys.readouterr().err)))


def test_missing_values_are_counted() -> None:
    """The program pandas writes "nan", other programs leave a cell empty or write NA."""
    parsed = parse("topic,system,a,b\nt,1,nan,3\nt,2,,NA\nt,3,0.5,#N/A\nt,4,2,nan\n")
    assert [dict(measure.values) for measure in parsed.finish()] == [
        {("t", "1"): 3.0},
        {("t", "3"): 0.5, ("t", "4"): 2.0},
    ]
    assert [measure.name for measure in parsed.finish()] == ["b", "a"]
    assert parsed.notes == ["scores.csv: 4 cells count as missing ('nan', 'NA', '#N/A')"]


def test_columns_without_numbers_are_named() -> None:
    """Half of the values of a column must be numbers. A value among numbers that is not one is an error."""
    parsed = parse("topic,system,text,half,a\nt,1,5,x,1\nt,2,five,y,2\nt,3,six,3,3\n")
    assert [measure.name for measure in parsed.finish()] == ["a"]
    assert parsed.notes == ["scores.csv: 2 columns without numbers not used (text, half)"]
    with pytest.raises(InputError, match=mentions("scores.csv, line 2: 'x' is not a number")):
        parse("topic,system,half\nt,1,x\nt,2,2\n")


SEVERAL = """\
systemId, good, kind
a, 0.5, 2.33
b, 0.25, 1.00


eventId , good, kind
t1, 0.3, 1.5
t2, 0.35, 1.5
t3, 0.65, 2.5


systemId, eventId , good, kind
a, t1, 0.4, 2
a, t2, 0.4, 2
a, t3, 0.7, 3
b, t1, 0.2, 1
b, t2, 0.3, 1
b, t3,    ,
"""
"""Two tables of means, and the table that they are the means of."""


def test_the_finest_of_several_tables_counts() -> None:
    """The means of system b and of topic t3 are over one summary less."""
    parsed = parse(SEVERAL)
    good, kind = parsed.finish()
    assert good.values == {("t1", "a"): 0.4, ("t2", "a"): 0.4, ("t3", "a"): 0.7, ("t1", "b"): 0.2, ("t2", "b"): 0.3}
    assert kind.values["t3", "a"] == 3.0
    recognized, systems, topics = parsed.notes
    assert "topic=eventId,system=systemId" in recognized
    assert re.search("from line 2 on.* 2 of 2 agree", systems)
    assert re.search("from line 7 on.* 2 of 3 agree", topics)
    assert "difference is 0.5 (t3, kind: 2.5, mean 3.0)" in topics
    with pytest.raises(InputError, match=mentions("scores.csv, line 15: 'x' is not a number")):
        parse(SEVERAL.replace("0.7, 3", "x, 3"))


def test_means_agree_to_their_decimals() -> None:
    table = "topic,system,a\nt,1,1\nu,1,2\nv,1,2\n\nsystem,a\n1,{}\n"
    for mean, count in (
        ("1.7", 1),
        ("1.67", 1),
        ('"1,6667"', 1),
        ("1.6666", 0),
        ("1.66", 0),
        ("2", 1),
        ("1.666666666667", 1),
    ):
        assert f"{count} of 1 agree" in parse(table.format(mean)).notes[-1]


def test_a_table_that_has_nothing_to_do_with_the_scores() -> None:
    parsed = parse("topic,system,a\nt,1,1\n\ntopic,words\nt,70\n")
    assert [measure.name for measure in parsed.finish()] == ["a"]
    assert "from line 5 on was not used" in parsed.notes[-1]


def test_means_of_judges_beside_their_judgements() -> None:
    table = "topic,system,judge,a\nt,1,x,1\nt,1,y,2\n\ntopic,system,a\nt,1,1.5\n"
    parsed = parse(table, are_judgements=True)
    (measure,) = parsed.finish()
    assert (measure.values, measure.judgements, measure.judges) == ({("t", "1"): 1.5}, (2, 2), 2)
    assert "means of summaries, of which 1 of 1 agree" in parsed.notes[-1]


def test_a_row_per_metric() -> None:
    long = "doc,model,metric,score\nt,1,r1,0.5\nt,1,r2,0.25\nt,2,r1,1\n"
    assert read(long) == {"r1": {("t", "1"): 0.5, ("t", "2"): 1.0}, "r2": {("t", "1"): 0.25}}
    assert "metrics are in the column metric" in parse(long).notes[1]
    two = "doc,model,measure,p,r\nt,1,r1,0.5,1\n"
    assert read(two) == {"r1 p": {("t", "1"): 0.5}, "r1 r": {("t", "1"): 1.0}}
    assert read(two, value="p", metric="measure") == {"r1": {("t", "1"): 0.5}}
    assert read("topic,system,facet,rating\nt,1,style,2\nt,1,sense,4\n", metric="facet", are_judgements=True) == {
        "style": {("t", "1"): 2.0},
        "sense": {("t", "1"): 4.0},
    }


def test_a_column_named_metric_with_numbers_is_a_measure() -> None:
    assert read("topic,system,metric\nt,1,0.5\n") == {"metric": {("t", "1"): 0.5}}


def test_a_column_per_system_or_per_topic() -> None:
    expected = {("t", "1"): 0.5, ("t", "2"): 0.25, ("u", "1"): 1.0}
    assert read("topic,s1,s2,note\nt,0.5,0.25,x\nu,1,,y\n", "r.csv", system="*") == {
        "r": {(topic, f"s{system}"): value for (topic, system), value in expected.items()}
    }
    assert read("system,t,u\n1,0.5,1\n2,0.25,\n", "r.csv", topic="*") == {"r": expected}
    assert read("topic,metric,s1\nt,good,3\n", system="*") == {"good": {("t", "s1"): 3.0}}
    judged = parse("topic,judge,s1\nt,x,3\nt,y,4\n", system="*", are_judgements=True)
    assert (judged.finish()[0].values, judged.finish()[0].judges) == ({("t", "s1"): 3.5}, 2)
    assert judged.columns == ("topic", "judge", "s1", "*")


LISTS = [
    {
        "id": "dm-1",
        "decoded": "A lake froze.",
        "expert_annotations": [{"sense": 2, "style": 5}, {"sense": 3, "style": 5}, {"sense": 4, "style": 2}],
        "turker_annotations": [{"sense": 1, "style": 1}],
        "references": ["Ice.", "More ice."],
        "model_id": "M1",
        "length": 3,
    },
    {"id": "dm-1", "decoded": "Ice?", "expert_annotations": [{"sense": 1}], "model_id": "M2", "length": 1},
]


@pytest.mark.parametrize("are_judgements", [True, False])
def test_lists_within_a_record_are_several_judgements(are_judgements: bool) -> None:
    """Annotated summaries of SummEval have a list of judgements by experts, and one by other workers."""
    parsed = parse("".join(json.dumps(record) + "\n" for record in LISTS), "s.jsonl", are_judgements=are_judgements)
    measures = {measure.name: measure for measure in parsed.finish()}
    assert measures["expert_annotations.sense"].values == {("dm-1", "M1"): 3.0, ("dm-1", "M2"): 1.0}
    assert measures["expert_annotations.sense"].judgements == (1, 3)
    assert measures["expert_annotations.style"].values == {("dm-1", "M1"): 4.0}
    assert measures["turker_annotations.sense"].values == {("dm-1", "M1"): 1.0}
    assert measures["length"].values == {("dm-1", "M1"): 3.0, ("dm-1", "M2"): 1.0}
    assert (measures["length"].judgements, measures["length"].judges) == ((1, 1), 0)
    assert len(measures) == 5
    assert parsed.notes[-1] == "s.jsonl: 2 columns without numbers not used (decoded, references)"


def write_types(*types: tuple[str, str]) -> str:
    """Return lines as SacreROUGE writes them, of 5 topics and the summarizers with these types."""
    rows = [
        {
            "instance_id": f"d{topic}",
            "summarizer_id": name,
            "summarizer_type": kind,
            "metrics": {"x": place * topic % 4},
        }
        for topic in range(5)
        for place, (name, kind) in enumerate(types)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_the_type_of_a_summarizer_decides_who_is_a_person(tmp_path: Path, capsys: Capture) -> None:
    """By its name, the system T was a person, and the person "gold" a system."""
    types = (("T", "peer"), ("2", "peer"), ("3", "peer"), ("gold", "reference"))
    (tmp_path / "m.jsonl").write_text(write_types(*types))
    rows = [(f"d{topic}", name, (place + topic) % 3) for topic in range(5) for place, (name, _) in enumerate(types)]
    (tmp_path / "r.csv").write_text(write_csv(["topic", "system", "rating"], [*rows, ("d0", "B", 2)]))
    paths = [str(tmp_path / "m.jsonl"), "--judgements", str(tmp_path / "r.csv")]
    expected = {"automatic": (["B", "gold"], ["T", "2", "3"]), "human": (["T", "2", "3"], ["gold"]), "all": ([], None)}
    for systems, (others, compared) in expected.items():
        command = ["meta-eval", *paths, "--resamples", "5", "--format", "json", "--systems", systems]
        assert main(command) == 0
        report = json.loads(capsys.readouterr().out)
        assert report["other_systems"] == others
        if compared is not None:
            assert report["correlations"][0]["systems"] == compared
    note = report["scores"][0]["notes"][-1]
    assert re.search(mentions("m.jsonl: ... summarizer_type ... 1 of 4 summarizers are people"), note)


def test_types_of_summarizers() -> None:
    table = "topic,system,type,a\nt,1,Human,1\nt,2,system,2\nt,3,,3\n"
    parsed = parse(table)
    assert (parsed.people, parsed.finish()[0].people) == ({"1": True, "2": False}, {"1": True, "2": False})
    assert parse(table.replace("Human", "neural")).people == {}
    assert parse(table.replace("type", "who"), type="who").people == {"1": True, "2": False}
    with pytest.raises(InputError, match=mentions("line 2: 'neural' ... reference or human")):
        parse(table.replace("Human", "neural"), type="type")
    with pytest.raises(InputError, match=mentions("line 5: summarizer 1 ... different name")):
        parse(table + "u,1,peer,2\n")
    with pytest.raises(InputError, match=mentions("scores.csv: ... no column of systems. Omit type")):
        parse("topic,who,s1\nt,peer,1\n", system="*", type="who")


def test_nested_metrics_have_names_with_dots() -> None:
    record = {"instance_id": "d1", "summarizer_id": "7", "metrics": {"rouge-1": {"recall": 0.5, "f1": 0.25}, "x": 1}}
    other = {**record, "summarizer_id": "8", "metrics": {"x": 2}}
    assert read(f"{json.dumps(record)}\n{json.dumps(other)}\n", "m.jsonl") == {
        "rouge-1.recall": {("d1", "7"): 0.5},
        "rouge-1.f1": {("d1", "7"): 0.25},
        "x": {("d1", "7"): 1.0, ("d1", "8"): 2.0},
    }


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ('[{"topic": "t", "system": "", "a": 1}]', {}, "file.json, record 1: ... no system"),
        (
            '[{"topic": "t", "system": "s", "a": 1}, {"topic": "t", "system": "s", "a": 2}]',
            {},
            "file.json, record 2: contains two scores",
        ),
        ("topic,system,judge,a\nt,s,,1\nt,s,x,2\n", {}, "file.json, line 2: ... no judge. Write the judge"),
        ("topic,system,a\nt,s,1\n", {"value": "topic"}, "file.json, line 2: 't' is not a number"),
        (
            "topic,system,a\nt,s,1\nt,s,2\n",
            {},
            "line 3: ... two scores ... --columns judge=NAME ... --columns metric=NAME",
        ),
        ("a,b\nx,1\n", {"topic": "q"}, "file.json: ... no column q for topic and system"),
        ("topic system a\nt s 1\n", {}, "file.json: ... topic system a (t s 1). ... by tabs or commas"),
    ],
)
def test_tables_that_cannot_be_used(text: str, columns: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=mentions(message)):
        parse(text, "file.json", **columns)


def test_a_row_without_scores_needs_no_names() -> None:
    assert read("topic,system,a\nt,s,1\nSource: a lake,,\n") == {"a": {("t", "s"): 1.0}}


def write_systems(folder: Path, name: str, change: Callable[[int], float]) -> str:
    path = folder / name
    path.write_text(write_csv(["model", name.split(".")[0]], [(f"m{n}", change(n)) for n in range(6)]))
    return str(path)


def test_scores_of_systems_without_topics(tmp_path: Path, capsys: Capture) -> None:
    """SciPy's pearsonr of 0 to 5 and the remainders 0, 2, 4, 0, 2, 4 is 0.4781."""
    scores, judged = (
        write_systems(tmp_path, "good.csv", float),
        write_systems(tmp_path, "rating.csv", lambda n: 2.0 * n % 6),
    )
    command = ["meta-eval", scores, "--judgements", judged, "--resamples", "20"]
    assert main([*command, "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    (correlation,) = report["correlations"]
    assert (correlation["level"], correlation["values"]["pearson"]) == ("system", 0.478091)
    assert report["statistics"]["unit"] == "systems"
    assert "row per system and no topics" in report["scores"][0]["notes"][-1]
    assert main(command) == 0
    output = capsys.readouterr().out
    assert "topics " not in output.partition("\n\n")[0]
    assert "over topics" not in output
    assert "more topics" not in output
    assert main([*command, "--level", "summary"]) == 2
    assert mentions_all("--level summary ... per system. Omit it", capsys)
    (tmp_path / "topics.csv").write_text(write_plain(delimiter=","))
    assert main([*command[:3], str(tmp_path / "topics.csv")]) == 2
    assert mentions_all("good.csv: ... per system and no topics, but ... topics.csv has topics ... topic=*", capsys)


def test_notes_on_columns_are_shown_with_an_error(tmp_path: Path, capsys: Capture) -> None:
    """The number of a row was taken for the topic, and nothing but the error said so."""
    (tmp_path / "a.csv").write_text("id,paper,system,a\n7,t,x1,1\n8,t,x2,2\n9,t,x3,3\n")
    (tmp_path / "b.csv").write_text("topic,system,b\nt,x1,1\nt,x2,2\nt,x3,3\n")
    command = ["meta-eval", str(tmp_path / "a.csv"), "--judgements", str(tmp_path / "b.csv"), "--resamples", "5"]
    assert main(command) == 2
    errors = unwrap(capsys.readouterr().err).splitlines()
    assert re.search(mentions("note: ... a.csv: ... topic=id"), errors[0])
    assert re.search(mentions("no topic has both a score and a judgement"), errors[-1])
    assert main([*command, "--columns", "topic=paper"]) == 0


def test_measures_with_topics_have_them() -> None:
    assert not lack_topics(parse("topic,system,a\nt,s,1\n").finish())
    assert lack_topics(parse("system,a\ns,1\n").finish())


def test_a_compressed_table(tmp_path: Path) -> None:
    """The file was refused as binary."""
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"topic,s1\nt,1\n"))
    (file,) = read_score_files([tmp_path / "a.csv.gz"], columns={"system": "*"})
    assert {measure.name: dict(measure.values) for measure in file.scores} == {"a": {("t", "s1"): 1.0}}


@pytest.mark.needs("openpyxl")
def test_a_sheet_per_metric(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "words"
    book.active.append(["topic", "s1", "s2"])
    book.active.append(["t", 3, 4.5])
    other = book.create_sheet("style")
    other.append(["system", "topic", "style"])
    other.append(["s1", "t", "n/a"])
    other.append(["s2", "t", 2])
    book.save(tmp_path / "a.xlsx")
    (file,) = read_score_files([tmp_path / "a.xlsx"], columns={"system": "*"})
    values = {measure.name: dict(measure.values) for measure in file.scores}
    assert values == {"words": {("t", "s1"): 3.0, ("t", "s2"): 4.5}, "style": {("t", "s2"): 2.0}}
    assert file.notes == (f"{tmp_path / 'a.xlsx'}, sheet style: 1 cell counts as missing ('n/a')",)
