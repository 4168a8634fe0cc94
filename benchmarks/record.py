"""Measure everything, and write it between the marks in benchmarks/measurements.

usage: record.py SOURCE MODEL CORPORA [NAME...] [--texts TEXT...] [--wordnet FOLDER] [--table TABLE...]
                 [--meteor FILE] [--parallel SOURCE TARGET ALIGNMENTS]... [--moses FOLDER] [--packages FOLDER]
                 [--infinity PROGRAM] [--core PYTHON]

NAME: section to write (default: all sections); MODEL: folder of a sentence-transformers model; CORPORA: folder with the
pair corpora `msrp`, `twitter_url` and `pit2015`, the freely licensed `propsegment`, `superpal`, `realsumm` and `rose`,
`litepyramids`, with scores of DUC 2005, `ducview`, with pyramids of the same summaries by three people, `pyreval`, with
pyramids of them by PyrEval, and `qapyramid` and `summhay`, with several people's or judges' votes; TEXT: texts to train
word vectors on; TABLE: paraphrases in addition to WordNet and SCUs; --meteor: METEOR's English table; --parallel:
word-aligned parallel texts, first the text of `paraphrases_from_text.py`; --moses: the programs of Moses (see
phrase_extraction.py); --packages: folder of the packages with real models, which are downloaded if necessary;
--infinity: an embedding server (see endpoints.py); --core: the Python of an environment without optional packages (see
core_coverage.py). NIST's evaluation of summaries, `mainEval.tar.gz`, must be beside the source.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

import accuracies
import annotators
import automatic_pyramids
import board_life
import build_speed
import clarity
import collection
import conformance
import contamination
import core_coverage
import counts
import dimple
import duc2005
import ducview_scores
import endpoints
import engines
import evaluate_speed
import factorization_speed
import false_alarms
import free_corpora
import interruptions
import judges
import leaderboard_speed
import library_cost
import many_results
import meta_resampling
import metrics_speed
import model_worth
import models
import mutants
import near_copies
import negative_types
import pair_baselines
import paraeval_speed
import paraphrase_tables
import paraphrases_from_text
import peers
import phrase_extraction
import pit
import presence
import readings
import second_evaluation
import sign_flips
import stability
import summary_metrics
import sweeps
import tokenizer
import units
import vector_files
import vote_models
import ways
from markdown_tables import LEFT_OUT, leave_out
from timing import run_script

from pyramid_paraphrase.pyramids.pyramid_scores import compare_with_official, parse_official, score_peers
from pyramid_paraphrase.reading import read_corpus

HERE = Path(__file__).parent
MISSING = (
    core_coverage.MissingEnvironmentError,
    endpoints.MissingServerError,
    evaluate_speed.MissingInstructionsError,
    phrase_extraction.MissingProgramsError,
    vote_models.MissingLibraryError,
)
"""Errors of scripts whose requirements are missing on this machine."""

PAGES = sorted((HERE / "measurements").glob("*.md"))


def render_scores(source: str) -> str:
    """Render a line on the agreement with the published table in the source."""
    corpus = read_corpus(source)
    (table,) = corpus.score_tables
    official = parse_official(table)
    differences = compare_with_official(score_peers(corpus.annotations), official)
    agreeing = len(official) - len(differences)
    return f"{agreeing} of {len(official)} published rows are reproduced: score, SCUs and repetitions."


def write_section(name: str, text: str) -> None:
    """Put a text between the marks of a section, without the parts that the pages leave out."""
    text = leave_out(text, **LEFT_OUT.get(name, {}))
    marks = re.compile(rf"(<!-- begin: {name} -->\n).*?(<!-- end: {name} -->)", re.DOTALL)
    for page in PAGES:
        old = page.read_text(encoding="utf-8")
        page.write_text(marks.sub(lambda match: match[1] + text + "\n" + match[2], old), encoding="utf-8")


def main() -> None:
    """Measure and write the sections."""
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("model")
    parser.add_argument("corpora", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--texts", nargs="*", default=[])
    parser.add_argument("--wordnet", default="/usr/share/wordnet")
    parser.add_argument("--table", dest="tables", action="append", default=[])
    parser.add_argument("--meteor", type=Path)
    parser.add_argument("--parallel", nargs=3, type=Path, action="append", default=[])
    parser.add_argument("--moses", type=Path)
    parser.add_argument("--packages")
    parser.add_argument("--infinity", type=Path)
    parser.add_argument("--core", type=Path)
    options = parser.parse_args()
    source, model, corpora = options.source, options.model, options.corpora
    propsegment = str(corpora / "propsegment")
    sections: dict[str, Callable[[], str]] = {
        "tokenizer": lambda: tokenizer.render(source),
        "counts": lambda: counts.render(source),
        "arithmetic": readings.render_arithmetic,
        "years": lambda: readings.render_years(source),
        "question_readings": lambda: readings.render_questions(source, model),
        "pair_readings": lambda: readings.render_pairs(source, model),
        "models": lambda: models.render(source, model),
        "propsegment_models": lambda: models.render(propsegment, model),
        "superpal_models": lambda: models.render(str(corpora / "superpal"), model),
        "free_counts": lambda: free_corpora.render_counts(corpora),
        "negative_types": lambda: negative_types.render(source, corpora),
        "error_types": lambda: negative_types.render_errors(source, model),
        "qapyramid_votes": lambda: units.render_votes(corpora),
        "rose": lambda: units.render_rose(corpora),
        "summhay_judges": lambda: units.render_judges(corpora),
        "summhay": lambda: units.render_summhay(corpora, model),
        "entailment": lambda: free_corpora.render_entailment(corpora, model),
        "peers": lambda: peers.render(source, model),
        "judges_realsumm": lambda: judges.render_judges(str(corpora / "realsumm"), model),
        "judges_duc2007": lambda: judges.render_judges(source, model),
        "judges_people": lambda: judges.render_people(corpora, model),
        "judges_summhay": lambda: judges.render_summhay(corpora / "summhay", model),
        "presence_scores": lambda: presence.render_scores(corpora / "realsumm", model),
        "people": lambda: annotators.render_scores(corpora / "ducview", model),
        "people_agreement": lambda: annotators.render_agreement(corpora / "ducview"),
        "automatic_topics": lambda: automatic_pyramids.render_topics(source, model),
        "automatic_essays": lambda: automatic_pyramids.render_essays(source, model, corpora),
        "automatic_scores": lambda: automatic_pyramids.render_scores(source, model),
        "paper": lambda: models.render_beside_paper(source, model),
        "paper_share": lambda: models.render_paper_share(source, model),
        "packaged_models": lambda: models.render_packaged(source, model, options.packages),
        "propsegment_packaged_models": lambda: models.render_packaged(propsegment, model, options.packages),
        "compositions": lambda: models.render_compositions(source, model, options.packages),
        "propsegment_compositions": lambda: models.render_compositions(propsegment, model, options.packages),
        "sign_flips": sign_flips.render,
        "meta_resampling": meta_resampling.render,
        "near_copies": lambda: near_copies.render(source, model),
        "mutants": mutants.render,
        "core_coverage": lambda: core_coverage.render(options.core),
        "clarity": clarity.render,
        "parts": clarity.render_parts,
        "ways": ways.render,
        "stability": lambda: stability.render(source, model),
        "scores": lambda: render_scores(source),
        "ducview_scores": lambda: ducview_scores.render(source),
        "conformance": lambda: conformance.render(source, model),
        "endpoints": lambda: endpoints.render(source, model, options.infinity),
        "answers": endpoints.render_memory,
        "metrics_speed": lambda: metrics_speed.render(source),
        "evaluate_speed": lambda: evaluate_speed.render(source, model),
        "second_evaluation": lambda: second_evaluation.render(source, model),
        "library_cost": lambda: library_cost.render(source, model),
        "board_life": lambda: board_life.render("sample"),
        "contamination_unrelated": lambda: contamination.render_unrelated(source, str(corpora)),
        "contamination_related": lambda: contamination.render_related(source, corpora / "duc2007" / "mainEval.tar.gz"),
        "contamination_speed": lambda: contamination.render_speed(source, 100),
        "leaderboard_speed": lambda: leaderboard_speed.render(source),
        "many_results": lambda: many_results.render(source),
        "many_pairs": many_results.render_pairs,
        "vector_files": vector_files.render,
        "pair_baselines": lambda: pair_baselines.render(corpora, model),
        "false_alarms": lambda: false_alarms.render(corpora / "paraphrasus", Path(source), corpora / "msrp", model),
        "factorization_speed": lambda: factorization_speed.render(corpora),
        "paraphrase_tables": lambda: paraphrase_tables.render(source),
        "meteor_table": lambda: paraphrase_tables.render_meteor(options.meteor),
        "paraphrases_from_text": lambda: run_script(paraphrases_from_text.__file__, *options.parallel[0]),
        "phrase_extraction": lambda: phrase_extraction.render_beside_moses(options.parallel, options.moses),
        "pit": lambda: pit.render(corpora / "pit2015"),
        "pit_tests": lambda: pit.render_tests(corpora / "pit2015"),
        "pit_trained": lambda: pit.render_trained(corpora / "pit2015", corpora / "twitter_url"),
        "collection": lambda: collection.render(corpora / "twitter_url"),
        "vote_models": lambda: vote_models.render(
            corpora / "qapyramid" / "QA_presence.json.gz", corpora / "summhay" / "eval_benchmark_data.json"
        ),
        "dimple": lambda: dimple.render(source, corpora / "msrp", corpora / "rte" / "rte.zip", model),
        "dimple_votes": lambda: dimple.render_votes(corpora / "pit2015", model),
        "model_worth": lambda: model_worth.render(source, model, options.texts),
        "summary_metrics": lambda: summary_metrics.render(source, model, options.wordnet, options.tables),
        "accuracies": lambda: accuracies.render(
            Path(options.source).with_name("mainEval.tar.gz"), corpora / "litepyramids"
        ),
        "duc2005": lambda: duc2005.render(corpora / "litepyramids"),
        "paraphrase_weights": lambda: summary_metrics.render_weights(
            source, options.wordnet, options.tables, options.meteor
        ),
        "people_as_systems": lambda: summary_metrics.render_people(source),
        "coverage": lambda: summary_metrics.render_coverage(source, options.wordnet, options.tables),
        "paraeval_speed": lambda: paraeval_speed.render(source, corpora),
        "sweeps": lambda: sweeps.render(source),
        "sweep_kills": lambda: sweeps.render_kills(source),
        "interruptions": lambda: run_script(interruptions.__file__, corpora),
        "engines": engines.render,
        "build_speed": lambda: build_speed.render(Path(source)),
    }
    for name in options.names or sections:
        try:
            write_section(name, sections[name]())
        except MISSING as error:
            print(f"{name}: {error}. Its numbers are not changed")


if __name__ == "__main__":
    main()
