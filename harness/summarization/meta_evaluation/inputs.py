"""From what users name to measures: files of scores, and pyramid annotations, which have scores of their own."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from harness.files.writing import expand_home
from harness.summarization.meta_evaluation.formats import MODIFIED_PYRAMID, RECALL, parse_scores
from harness.summarization.meta_evaluation.scores import ScoreCollector, Scores
from harness.summarization.summaries.locations import Location, read_files
from pyramid_paraphrase.archives import is_archive
from pyramid_paraphrase.catalog import find_collection
from pyramid_paraphrase.corpus import read_corpus
from pyramid_paraphrase.errors import InputError, NoAnnotationError, OptionError, unknown_name
from pyramid_paraphrase.inputs import is_file, is_folder
from pyramid_paraphrase.pyramid_scores import find_inflated, score_peers
from pyramid_paraphrase.sample import SAMPLE_NAME

ORIGINAL_PYRAMID = "pyramid"
_REJECTED = ("file-rejected", "member-skipped")


@dataclass(frozen=True, slots=True)
class ScoreFile:
    """What was read from a place.

    Attributes:
        source: The place, as it was named.
        sha256: Of the file, or of all annotations.
        scores: A record per measure.
        left_out: How many of its annotation files could not be read.
    """

    source: str
    sha256: str
    scores: tuple[Scores, ...]
    left_out: int = 0


def read_score_files(locations: Iterable[Location], rouge: str = RECALL) -> list[ScoreFile]:
    """Read scores, or judgements, wherever they are.

    Args:
        locations: Files of scores, which may lie in archives, and files, folders and archives of pyramid annotations.
        rouge: What of ROUGE's output is read, one of `formats.ROUGE_VALUES`.

    Returns:
        What each holds; measures of one name are told apart by the names of their files.

    Raises:
        InputError: If one cannot be read, or is given twice.
    """
    files = [_read(location, rouge) for location in locations]
    contents = Counter(file.sha256 for file in files)
    for file in files:
        if contents[file.sha256] > 1:
            raise InputError(file.source, "is given twice", "name it once")
    return _tell_apart(files)


def _read(location: Location, rouge: str) -> ScoreFile:
    if _holds_annotations(location):
        return _read_pyramids(location)
    files = read_files(location)
    if len(files) > 1:
        reason = f"holds {len(files):,} files"
        raise InputError(str(location), reason, "name the one with scores, or a folder or archive of annotations")
    data = files[0].data
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return _read_pyramids(location)
    return ScoreFile(str(location), hashlib.sha256(data).hexdigest(), tuple(parse_scores(files[0], rouge)))


def _holds_annotations(location: Location) -> bool:
    path = expand_home(location)
    return str(location) == SAMPLE_NAME or is_folder(path) or (is_file(path) and is_archive(path.name))


def _read_pyramids(location: Location) -> ScoreFile:
    try:
        corpus = read_corpus(location)
    except NoAnnotationError as error:
        raise InputError(error.file, error.reason, "name the file of scores in it, such as ARCHIVE/PATH") from None
    collector, inflated = ScoreCollector(str(location)), find_inflated(corpus.annotations)
    for number, score in enumerate(score_peers(corpus.annotations)):
        key, part = (score.pyramid, score.peer), score.annotator or str(number)
        collector.add(MODIFIED_PYRAMID, key, score.modified, part=part)
        if find_collection(score.pyramid).name not in inflated:
            collector.add(ORIGINAL_PYRAMID, key, score.original, part=part)
    left_out = sum(problem.kind in _REJECTED for problem in corpus.problems)
    return ScoreFile(str(location), corpus.digest, tuple(collector.finish()), left_out)


def _tell_apart(files: Sequence[ScoreFile]) -> list[ScoreFile]:
    """Put the name of the file before that of a measure that several have; the whole path if files are called alike."""
    names = Counter(scores.name for file in files for scores in file.scores)
    short = Counter(PurePath(file.source).name for file in files)
    told = []
    for file in files:
        base = PurePath(file.source).name
        prefix = base if short[base] == 1 else file.source
        renamed = (replace(one, name=f"{prefix}:{one.name}") if names[one.name] > 1 else one for one in file.scores)
        told.append(replace(file, scores=tuple(renamed)))
    return told


def choose_measures(files: Sequence[ScoreFile], wanted: Sequence[str] | None, what: str) -> list[Scores]:
    """Choose measures by name.

    Args:
        files: What was read.
        wanted: Names; all if None.
        what: What a measure is here, for errors: "metric" or "criterion".

    Returns:
        The measures, in the order of the names or else of the files.

    Raises:
        OptionError: If there is none of a name, or a name is given twice.
    """
    known = {scores.name: scores for file in files for scores in file.scores}
    if wanted is None:
        return list(known.values())
    for name, count in Counter(wanted).items():
        if several := [one for one in known if name not in known and one.endswith(f":{name}")]:
            raise OptionError(f"{what} '{name}' is in several files; give {' or '.join(several)}")
        if name not in known:
            raise unknown_name(what, name, known)
        if count > 1:
            raise OptionError(f"{what} '{name}' is named twice; name it once")
    return [known[name] for name in wanted]
