"""Command lines: numbers, paths, names and formats."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from helpers.annotations import PEER, PEER_NAME, PYRAMID
from helpers.pair_corpora import DECISIONS
from helpers.paraphrase_tables import TSV
from helpers.ranked_paraphrases import make_table as make_lists_table
from helpers.summary_scores import make_content_table, make_score_table

from fuzzing.cases import Case, read_case
from fuzzing.chance import TEXTS, Chance
from fuzzing.command_line import run_command
from fuzzing.oracle import INPUT, OUTPUT
from fuzzing.target import Arguments, Target
from fuzzing.targets.results import list_sources, make_result

_NUMBERS = (
    *(
        "0",
        "-0",
        "1",
        "2",
        "-1",
        "0.5",
        "1.0",
        "nan",
        "inf",
        "-inf",
        "1e999",
        "1_000",
        "+1",
        " 1 ",
        "0x10",
        "\u0663",
        "",
    ),
    *("9" * 20, "-" + "9" * 20, "9" * 400, "9" * 5000, "1e5", "1e-400", "18446744073709551616", "."),
)
"""Small numbers and absurd numbers. Numbers between them are valid, and would take much time."""

_OUTSIDE = ("/", "..", "../..")
"""Folders with unknown content."""

_FILES = {
    "a.pyr": PYRAMID,
    PEER_NAME: PEER,
    "units.pyr": b"SCU\t0\t2\tThe old mill\nSCU\t0\t2\tburned down\n",
    "scores.tsv": make_score_table().encode(),
    "content.table": make_content_table().encode(),
    "table.tsv": TSV.encode(),
    "test.label": "".join(f"{DECISIONS[n % 6]}\t{n % 6 / 5:.4f}\n" for n in range(12)).encode(),
    "system.output": "".join(f"{'true' if n % 3 else 'false'}\t0.{n:02}00\n" for n in range(12)).encode(),
    "peers/7/D0901.txt": b"A mill burned.\n",
    "references/A/D0901.txt": b"The mill burned down.\nNobody was hurt.\n",
    "questions.tsv": b"topic\toriginal\tcandidate\n1\tthe boat sank\ta boat went down\n1\tthe boat sank\tit rained\n",
    "sentences.tsv": b"topic\tsentence\n1\tthe boat sank\n1\ta boat went down\n1\tit rained\n",
    "anna.csv": b"judgement,id,test\nyes,0,binary 0123456789ab\n",
    "lists.tsv": make_lists_table().encode(),
    "lists.jsonl": b'{"source": "found", "method": "m", "paraphrase": "saw", "rank": 1}\n',
}
_LINES = """\
inspect input/a.pyr --list --strict
score input/D0901-A.M.100.A.7.pan --official input/scores.tsv
score input/D0901-A.M.100.A.7.pan --output output/p.json
models
evaluate --model one-hot --data input/sample --task ranking --output output/r --no-cache --quiet --resamples 5 --seed 1
evaluate --model wtmf,dimension=2 --data input/sample --task ranking --no-cache --quiet --resamples 5
compare input/results/one-hot input/results/length --resamples 5 --seed 2
report input/results --format html --output output/r.html --paper
meta-eval input/scores.tsv --judgements input/content.table --resamples 5 --seed 3 --level system --metrics good,noise
meta-eval input/scores.tsv --judgements input/content.table --resamples 5 --systems all --format csv --plot x.gif
meta-eval input/scores.tsv --judgements input/content.table --resamples 5 --columns topic=topic,system=*,value=good
pit score --labels input/test.label input/system.output --resamples 5 --format json
paraphrases compile input/table.tsv --output output/t.bin --min-probability 0.1 --input-format tsv
paraphrases show input/table.tsv died
paraeval --peers input/peers --references input/references --table input/table.tsv --stem --min-probability 0.2
paraeval --peers input/peers --references input/references --table input/table.tsv --weighted --matches output/m.tsv
rouge --peers input/peers --references input/references --n 1,2 --stem porter --output output/r.tsv
annotate sample input/sample --task ranking --rows 5 --seed 1 --output output/sheet.csv
annotate pyramids input/a.pyr input/units.pyr --format csv
annotate pyramids input/a.pyr --model one-hot --fit input/sample --join clauses --no-cache --save output/made
annotate score input/anna.csv --data input/sample --resamples 5 --seed 2 --format json
collection next input/questions.tsv --budget 3 --epsilon 0.4 --limit 2 --seed 4 --size 1 --output output/n.tsv
collection filter input/sentences.tsv --originals 10 --candidates 50 --per-question 2 --seed 4 --output output/q.tsv
dimple score input/lists.jsonl --judgment strict
dimple convert input/lists.tsv --output output/l.jsonl
leaderboard check input
leaderboard render input --output output/site
card input/results/one-hot --print --dataset-repo a/b
build input/sample --output output/b --config ranking --seed 1
cache list --cache-dir output
--version
""".splitlines()


def _make_commands() -> Sequence[Case]:
    files = {**_FILES, **{f"sample/{path.name}": path.read_bytes() for path in list_sources()}}
    for spec in ("one-hot", "length"):
        with tempfile.TemporaryDirectory() as name:
            make_result(spec).write(name)
            written = read_case(Path(name)).plain_files()
        files |= {f"results/{spec}/{path}": data for path, data in written.items()}
    return [Case(files, tuple(line.split(" "))) for line in _LINES]


@cache
def _list_options() -> list[str]:
    return sorted({word for line in _LINES for word in line.split(" ") if word.startswith("--")})


def change_command(arguments: Arguments, chance: Chance) -> Arguments:
    """Change one argument, add one or leave one out."""
    words = list(arguments)
    at = chance.randrange(len(words)) if words else 0
    kind = chance.randrange(8)
    if not words or kind == 0:
        words.insert(at, _choose_word(chance))
    elif kind == 1:
        del words[at]
    elif kind == 2:
        words[at + 1 : at + 1] = [words[at]]
    elif kind == 3:
        words += [chance.choice(_list_options()), _choose_word(chance)]
    elif kind == 4 and words[at].startswith("--"):
        words[at : at + 2] = [f"{words[at]}={_choose_word(chance)}"]
    else:
        values = [place for place, word in enumerate(words) if place and not word.startswith("--")] or [at]
        words[chance.choice(values)] = _choose_word(chance)
    return tuple(_write_elsewhere(words))


def _write_elsewhere(words: list[str]) -> list[str]:
    """Prevent a command from writing into the folder of its input, because such a change would be a finding."""
    for at, word in enumerate(words):
        is_output = word.startswith("--output=") or words[max(at - 1, 0)] == "--output"
        if is_output and INPUT in word:
            words[at] = word.replace(INPUT, OUTPUT)
    return words


def _choose_word(chance: Chance) -> str:
    """Choose a number, a text, the name of a file, or an option. Arguments cannot contain zero bytes."""
    texts = [text for text in TEXTS if text not in _OUTSIDE]
    paths = ("input", "nowhere", "input/nowhere", f"{OUTPUT}/new", "/dev/null", "/proc/self/mem", "\udcff", "~nobody/x")
    word = chance.choice(
        (chance.choice(_NUMBERS), chance.choice(texts), chance.choice(paths), chance.choice(_list_options()))
    )
    return word.replace("\0", "")


def run_line(folder: Path, arguments: Arguments) -> object:
    """Run a command line."""
    del folder
    said = run_command(arguments)
    return said.status, said.errors


TARGETS = (Target("command", run_line, _make_commands, change_arguments=change_command, seconds=10.0),)
