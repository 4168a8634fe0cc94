"""Pyramids of the same summaries by several annotators, who may be programs, and how well they agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import nan
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from harness.evaluation.embedding import require_cosine
from harness.evaluation.people import CLAUSES, CONTRIBUTORS
from harness.evaluation.scoring import encode_to_units
from harness.models.files.store import ModelStore
from harness.models.interfaces.model import Ability, Model
from harness.models.kinds.people import AnnotatedWords
from harness.rendering.tables import count_of
from harness.stats.agreement import compare_clusters
from harness.stats.rounding import DECIMALS
from harness.stats.similarities import link_nearest
from harness.support.arrays import Flags, Floats, Indices
from harness.support.progress import Listener, ignore
from harness.text.locating import WordLocator
from pyramid_paraphrase.errors import EmptyResultError, InputError, LimitError
from pyramid_paraphrase.files.inputs import is_file, open_input, read_lines
from pyramid_paraphrase.pyramids.records import Contributor, Part, Pyramid, Scu
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.sentences import locate_clauses, locate_sentences
from pyramid_paraphrase.words import find_words

MATCHED = 0.5
"""Least Jaccard similarity of two contributors, or of two SCUs, that are the same, as sets of words."""

MAX_WORDS = 10_000
"""Most words of the summaries of a pyramid, whose pairs are compared. Summaries of DUC have up to 1,100 per pyramid."""

MAX_PROPOSITIONS = 1_000
"""Most propositions of a pyramid that a model joins, in time cubic in their number."""

_THRESHOLDS = tuple(step / 100 for step in range(101))

_UNIT = b"SCU\t"
"""Beginning of a line of the files of PyrEval: SCU, uid, weight and segment."""


class Marking(NamedTuple):
    """What an annotator marked in some summaries.

    Attributes:
        contributors: The numbers of the words of each contributor. Words are numbered over all summaries.
        scus: The SCU of each contributor, numbered from 0.
    """

    contributors: tuple[frozenset[int], ...]
    scus: tuple[int, ...]


class MarkedSummaries(NamedTuple):
    """The summaries of a topic, and what annotators marked in them.

    Attributes:
        pyramid: The first pyramid of these summaries.
        words: The words of each summary.
        markings: The markings by name of the annotator.
    """

    pyramid: Pyramid
    words: tuple[tuple[str, ...], ...]
    markings: dict[str, Marking]

    @property
    def summary_of_word(self) -> Indices:
        """The number of the summary of each word."""
        return np.repeat(np.arange(len(self.words)), list(map(len, self.words)))


def read_markings(sources: Sequence[str]) -> tuple[list[MarkedSummaries], list[str]]:
    """Read pyramids, and put those of the same summaries together.

    The name of an annotator is that of the source or, if a source has several pyramids of the same summaries, the name
    of the pyramid. Files of PyrEval contain only texts, which are located in the summaries of the other sources.

    Args:
        sources: Annotation files, folders and archives, and files of PyrEval.

    Returns:
        The summaries with their annotators, in the order of the sources, and notes for the reader.

    Raises:
        EmptyResultError: If no source is a pyramid.
        InputError: If a source cannot be read, or two annotators have the same name.
        LimitError: If the summaries of a pyramid are too long.
    """
    unit_files = [source for source in sources if has_units(source)]
    groups: dict[tuple[tuple[str, ...], ...], MarkedSummaries] = {}
    for source in (source for source in sources if source not in unit_files):
        by_words: dict[tuple[tuple[str, ...], ...], list[tuple[Pyramid, Marking]]] = {}
        for pyramid in read_corpus(source).pyramids:
            words, marking = mark(pyramid)
            by_words.setdefault(words, []).append((pyramid, marking))
        for words, members in by_words.items():
            group = groups.setdefault(words, MarkedSummaries(members[0][0], words, {}))
            for pyramid, marking in members:
                add_marking(group, Path(source).stem if len(members) == 1 else pyramid.id, marking, source)
    if not groups:
        raise EmptyResultError("the sources contain no pyramids. Add a pyramid file that DUCView wrote (.pyr)")
    notes = [note for source in unit_files for note in _add_units(list(groups.values()), source)]
    return list(groups.values()), notes


def add_marking(group: MarkedSummaries, name: str, marking: Marking, source: str) -> None:
    """Add an annotator to the summaries of a topic.

    Raises:
        InputError: If the summaries have an annotator of the same name.
    """
    if name in group.markings:
        raise InputError(source, f"a second annotator of {group.pyramid.id} has the name {name}", "rename the file")
    group.markings[name] = marking


def mark(pyramid: Pyramid) -> tuple[tuple[tuple[str, ...], ...], Marking]:
    """Return the words of the summaries of a pyramid, and what its annotator marked.

    Raises:
        LimitError: If the summaries are too long.
    """
    words = AnnotatedWords([pyramid], pyramid.id)
    if sum(map(len, words.summaries)) > MAX_WORDS:
        raise LimitError(pyramid.id, f"its summaries have more than {MAX_WORDS:,} words", "use shorter summaries")
    contributors = tuple(map(frozenset, words.contributors))
    return tuple(map(tuple, words.summaries)), Marking(contributors, tuple(words.scus))


def has_units(source: str) -> bool:
    """Return whether a source is a file of PyrEval. A file that cannot be read is an error of the next reader."""
    if is_file(source):
        with suppress(OSError), open_input(source) as file:
            return file.read(len(_UNIT)) == _UNIT
    return False


def _add_units(groups: Sequence[MarkedSummaries], source: str) -> Iterator[str]:
    """Locate the segments of a file of PyrEval in the summaries that contain most of them, and add an annotator.

    A segment is at its first place in a summary without another segment of the SCU. A note counts the others.

    Raises:
        InputError: If a line has another form, or no segment is in the summaries of a pyramid.
    """
    segments = list(_read_units(source))
    located: dict[int, Marking] = {}
    for number, group in enumerate(groups):
        locator = WordLocator(group.words, source)
        summary_of_word = group.summary_of_word
        contributors: list[frozenset[int]] = []
        scus: list[int] = []
        used: set[tuple[int, int]] = set()
        for scu, text in segments:
            places = locator.locate([word for word, _, _ in find_words(text)])
            summaries = [int(summary_of_word[place[0]]) for place in places]
            free = [place for place, summary in zip(places, summaries, strict=True) if (scu, summary) not in used]
            if free:
                used.add((scu, int(summary_of_word[free[0][0]])))
                contributors.append(frozenset(free[0]))
                scus.append(scu)
        located[number] = Marking(tuple(contributors), tuple(scus))
    best = max(located, key=lambda number: len(located[number].contributors))
    count = len(located[best].contributors)
    if not count:
        raise InputError(source, "none of its segments is in the summaries of a pyramid", "add a pyramid of its texts")
    add_marking(groups[best], Path(source).stem, located[best], source)
    if count < len(segments):
        missing = f"{len(segments) - count} of {count_of(len(segments), 'segment')}"
        yield f"{source}: {missing} are not in the summaries, and left out"


def _read_units(source: str) -> Iterator[tuple[int, str]]:
    """Yield the number of the SCU and the text of each segment of a file of PyrEval."""
    remedy = "use a file that PyrEval wrote"
    numbers: dict[str, int] = {}
    for number, line in enumerate(read_lines(Path(source), remedy), 1):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 4 or not line.startswith(_UNIT.decode()):
            raise InputError(source, "expected SCU, uid, weight and segment", remedy, number)
        yield numbers.setdefault(cells[1], len(numbers)), cells[3]


def compare_markings(
    summaries: MarkedSummaries, first: Marking, second: Marking
) -> tuple[dict[str, float], tuple[Floats, Floats, Floats]]:
    """Measure how well two annotators of the same summaries agree.

    Contributors are matched one to one, so that the sum of their similarities is the highest, and so are SCUs. F is 2 m
    / (n1 + n2) with m matches of similarity `MATCHED` or more. V and B-cubed F compare the SCUs of the matched
    contributors, so they do not depend on how the annotators divide the texts.

    Returns:
        ``contributors``, ``scus``, ``v_measure`` and ``b_cubed``, NaN if there is nothing to compare. Then the counts
        for the kappa of pairs of words of different summaries, as for `compute_kappa`: does an SCU contain both?
    """
    pairs = match_sets(first.contributors, second.contributors)
    scus = [list(join_scus(marking).values()) for marking in (first, second)]
    clusters = compare_clusters([first.scus[one] for one, _ in pairs], [second.scus[two] for _, two in pairs])
    values = {
        "contributors": _rate(pairs, first.contributors, second.contributors),
        "scus": _rate(match_sets(*scus), *scus),
        "v_measure": clusters["v_measure"],
        "b_cubed": clusters["b_cubed"],
    }
    summary_of_word = summaries.summary_of_word
    is_pair = np.triu(summary_of_word[:, np.newaxis] != summary_of_word)
    answers = [_pair_words(part, len(summary_of_word))[is_pair] for part in scus]
    counts = [np.array([(~answer).sum(), answer.sum()], dtype=np.float64) for answer in answers]
    agreed = np.array((answers[0] == answers[1]).sum(), dtype=np.float64)
    return values, (agreed, counts[0], counts[1])


def _rate(pairs: Sequence[tuple[int, int]], *marked: Sequence[object]) -> float:
    return 2 * len(pairs) / sum(map(len, marked)) if any(marked) else nan


def join_scus(marking: Marking) -> dict[int, frozenset[int]]:
    """Return the numbers of the words of each SCU, by its number."""
    words: dict[int, frozenset[int]] = {}
    for scu, contributor in zip(marking.scus, marking.contributors, strict=True):
        words[scu] = words.get(scu, frozenset()) | contributor
    return words


def match_sets(first: Sequence[frozenset[int]], second: Sequence[frozenset[int]]) -> list[tuple[int, int]]:
    """Match sets one to one, so that the sum of their Jaccard similarities is the highest.

    Returns:
        The indices of the matched sets whose similarity is at least `MATCHED`.
    """
    from scipy.optimize import linear_sum_assignment  # slow to import

    similarities = np.zeros((len(first), len(second)))
    for row, words in enumerate(first):
        for column, others in enumerate(second):
            if shared := len(words & others):
                similarities[row, column] = shared / (len(words) + len(others) - shared)
    rows, columns = linear_sum_assignment(similarities, maximize=True)
    is_same = similarities[rows, columns] >= MATCHED
    return list(zip(rows[is_same].tolist(), columns[is_same].tolist(), strict=True))


def _pair_words(scus: Sequence[frozenset[int]], count: int) -> Flags:
    """Return for each pair of words whether an SCU contains both."""
    is_in_scu = np.zeros((count, len(scus)), dtype=np.float32)
    for number, words in enumerate(scus):
        is_in_scu[list(words), number] = 1
    return np.asarray(is_in_scu @ is_in_scu.T > 0)


class Linked(NamedTuple):
    """Propositions of the summaries of a topic, and the steps that join them into SCUs, the most similar first.

    Attributes:
        contributors: The propositions, in the order of the text.
        marking: The propositions, each as an SCU of its own.
        steps: The steps of `link_nearest`.
    """

    contributors: tuple[Contributor, ...]
    marking: Marking
    steps: tuple[tuple[float, int, int], ...]

    def divide(self, threshold: float) -> list[int]:
        """Return the SCU of each proposition, if clusters of at least this similarity are joined."""
        scus = np.arange(len(self.contributors))
        for similarity, kept, joined in self.steps:
            if similarity < threshold:
                break
            scus[scus == joined] = kept
        return [int(scu) for scu in scus]

    def rate_thresholds(self, markings: Iterable[Marking]) -> list[float]:
        """Return the mean B-cubed F over annotators for each threshold, or nothing if they share no proposition."""
        values = []
        for marking in markings:
            pairs = match_sets(self.marking.contributors, marking.contributors)
            truth = [marking.scus[second] for _, second in pairs]
            divisions = map(self.divide, _THRESHOLDS) if pairs else ()
            values += [[compare_clusters([scus[first] for first, _ in pairs], truth)["b_cubed"] for scus in divisions]]
        return list(map(fmean, zip(*filter(None, values), strict=True)))

    def make_pyramid(self, pyramid: Pyramid, threshold: float) -> Pyramid:
        """Return a pyramid with the SCUs of a threshold, the heaviest first. The label is the text of the first one."""
        members: dict[int, list[Contributor]] = {}
        for contributor, scu in zip(self.contributors, self.divide(threshold), strict=True):
            members.setdefault(scu, []).append(contributor)
        ranked = sorted(members.values(), key=len, reverse=True)
        scus = (Scu(str(uid), group[0].text, tuple(group)) for uid, group in enumerate(ranked, 1))
        return replace(pyramid, scus=tuple(scus), relations=())


def make_pyramids(
    groups: Sequence[MarkedSummaries],
    others: Sequence[MarkedSummaries],
    model: Model,
    unit: str,
    *,
    store: ModelStore | None = None,
    listen: Listener = ignore,
) -> tuple[list[Pyramid], str]:
    """Make a pyramid of the summaries of each topic.

    Propositions are joined by the cosines of the model (`link_nearest`), but never two of one summary, so the weight of
    an SCU is the number of people who express it. The threshold of a topic has the highest mean B-cubed F over the
    annotators of the other topics, and is the middle one of several.

    Args:
        groups: The summaries with their annotators.
        others: Annotated summaries for the threshold. Without any, the threshold of each topic is fitted on the others.
        model: An encoder, or a model that learns an encoder from texts.
        unit: One of `UNITS`, what the propositions are.
        store: As for `encode_to_units`.
        listen: As for `encode_to_units`.

    Returns:
        The pyramids in the order of the summaries, and a note on the thresholds.

    Raises:
        EmptyResultError: If there is no other topic for a threshold.
        LimitError: If summaries have more than `MAX_PROPOSITIONS` propositions.
        ModelError: If the model is not an encoder, or fails.
    """
    model.require(Ability.ENCODE, Ability.LEARN, remedy="To join propositions, use an encoder, such as tf-idf")
    require_cosine(model)
    annotated = [*groups, *others]
    propositions = [_list_propositions(group.pyramid, unit) for group in annotated]
    texts = sorted({contributor.text for members in propositions for contributor in members})
    if not texts:
        raise EmptyResultError(f"the pyramids have no {unit}. Use pyramids with SCUs, or --join {CLAUSES}")
    vectors = encode_to_units(model, texts, "summaries", store=store, listen=listen)
    row_of = {text: row for row, text in enumerate(texts)}
    linked = []
    for group, members in zip(annotated, propositions, strict=True):
        rows = np.array([row_of[contributor.text] for contributor in members], dtype=np.int64)
        linked.append(_link(group.pyramid, members, vectors[rows]))
    quality = [links.rate_thresholds(group.markings.values()) for group, links in zip(annotated, linked, strict=True)]
    pyramids, thresholds = [], []
    for number, group in enumerate(groups):
        rated = zip(annotated[len(groups) :] or annotated, quality[len(groups) :] or quality, strict=True)
        values = [ratings for other, ratings in rated if ratings and other.pyramid.topic != group.pyramid.topic]
        if not values:
            reason = (
                f"{group.pyramid.id}: there are no propositions of annotators of other topics to fit a threshold on"
            )
            raise EmptyResultError(f"{reason}. Add pyramids of other topics by --fit")
        means = np.mean(values, axis=0)
        best = np.flatnonzero(means == means.max())
        thresholds.append(_THRESHOLDS[best[len(best) // 2]])
        pyramids.append(linked[number].make_pyramid(group.pyramid, thresholds[-1]))
    fitted = " to ".join(f"{threshold:g}" for threshold in sorted({min(thresholds), max(thresholds)}))
    return pyramids, f"{model.name}: joins {unit} from a mean cosine of {fitted}, fitted on other topics"


def _link(pyramid: Pyramid, propositions: tuple[Contributor, ...], vectors: Any) -> Linked:  # noqa: ANN401
    cosines = vectors @ vectors.T
    if not isinstance(cosines, np.ndarray):  # the product of sparse matrices is sparse
        cosines = cosines.toarray()
    summaries = [next(iter(contributor.summarizers), "") for contributor in propositions]
    steps = link_nearest(cosines.astype(np.float64).round(DECIMALS), summaries)
    scus = tuple(Scu(str(number), "", (contributor,)) for number, contributor in enumerate(propositions))
    return Linked(propositions, mark(replace(pyramid, scus=scus))[1], tuple(steps))


def _list_propositions(pyramid: Pyramid, unit: str) -> tuple[Contributor, ...]:
    """List the contributors of a pyramid, or the sentences or clauses of its summaries, in the order of the text.

    Raises:
        LimitError: If there are more than `MAX_PROPOSITIONS`.
    """
    contributors = [contributor for scu in pyramid.scus for contributor in scu.contributors]
    if unit != CONTRIBUTORS:
        contributors = []
        locate = locate_clauses if unit == CLAUSES else locate_sentences
        for summary in pyramid.summaries:
            for first, last in locate(pyramid.text[summary.start : summary.end]):
                start, end = summary.start + first, summary.start + last
                text = " ".join(pyramid.text[start:end].split())
                contributors.append(Contributor((Part(text, start, end, summary.summarizer),)))
    if len(contributors) > MAX_PROPOSITIONS:
        raise LimitError(pyramid.id, f"has more than {MAX_PROPOSITIONS:,} propositions", "divide it")
    return tuple(sorted(contributors, key=lambda contributor: contributor.parts[0].start))
