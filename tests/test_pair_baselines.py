"""The benchmark of baselines on corpora of pairs: a tiny one, and the real ones where they are at hand."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from conftest import ROOT, Run

FOLDER = ROOT.parent / "shared" / "data"
SCRIPT = f"import runpy; runpy.run_path({str(ROOT / 'benchmarks' / 'pair_baselines.py')!r}, run_name='__main__')"

PAIRS = [
    ("storms flooded two towns .", "two towns were flooded by storms .", "1"),
    ("nobody was hurt there", "no one there was hurt", "1"),
    ("prices of oil rose", "oil costs more", "1"),
    ("storms flooded two towns .", "prices of oil rose", "0"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The same four pairs to train and to test on, plain and compressed."""
    for name in ("msrp", "twitter_url"):
        for split in ("train", "test"):
            place = tmp_path / name / split
            place.mkdir(parents=True)
            for file, lines in zip(("a.toks", "b.toks", "sim.txt"), zip(*PAIRS, strict=True), strict=True):
                text = "".join(f"{line}\n" for line in lines).encode()
                if name == "msrp":
                    (place / file).write_bytes(text)
                else:
                    (place / f"{file}.gz").write_bytes(gzip.compress(text))
    return tmp_path


def test_a_table_with_every_baseline_and_further_models(run_python: Run, folder: Path) -> None:
    """The majority is right in 3 of 4, F = 2 * 3 / (2 * 3 + 1); all pairs with a shared word are paraphrases."""
    result = run_python(SCRIPT, folder, "--model", "char-ngrams", "--model", "length,name=Short")
    assert result.returncode == 0, result.stderr
    rows = [line.strip("| ").split(" | ") for line in result.stdout.splitlines()]
    assert rows[0][:4] == ["model", "MSRP, accuracy", "MSRP, F", "MSRP, s"]
    names = [
        "majority",
        "random",
        "one-hot",
        "tf-idf",
        "overlap",
        "logistic-regression",
        "wtmf",
        "char-ngrams",
        "Short",
    ]
    assert [row[0] for row in rows[2:]] == names
    shown = {row[0]: (*row[1:3], *row[4:6]) for row in rows[2:]}
    assert shown["majority"] == ("0.750", "0.857") * 2
    assert shown["overlap"] == ("1.000", "1.000") * 2


def test_what_cannot_be_measured(run_python: Run, folder: Path) -> None:
    result = run_python(SCRIPT, folder, "--model", "options-only")
    assert result.returncode == 1
    assert result.stderr == "what only chooses among options has nothing to say of pairs; leave it out\n"


# The majority: 1,147 of 1,725 are paraphrases, F = 2 * 1147 / (1725 + 1147). The regression: as the benchmark printed
# it first; 0.73 to 0.76 and 0.81 to 0.83 was the aim.
REACHED = {"majority": (0.664928, 0.798747), "logistic-regression": (0.748406, 0.821839)}


@pytest.mark.parametrize("spec", REACHED)
def test_what_baselines_reach_on_msrp(monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    if not (FOLDER / "msrp").is_dir():
        pytest.skip("the Microsoft Research Paraphrase Corpus is not beside the checkout (../shared/data/msrp)")
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import pair_baselines

    train, test = (pair_baselines.read_split(FOLDER / "msrp" / split) for split in ("train", "test"))
    assert (len(train.texts), int(train.labels.sum()), len(test.texts)) == (4076, 2753, 1725)
    reached = pair_baselines.measure_model(spec, "msrp", train, test)
    assert (reached.accuracy, reached.f1) == pytest.approx(REACHED[spec], abs=1e-6)
