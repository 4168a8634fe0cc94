"""People as models: a person's own pyramid of the same summaries shows which of their texts say the same thing."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from harness.models.interfaces.kinds import ModelKind, Spec, describe_model
from harness.models.interfaces.model import Coverage, Model
from harness.support.errors import ModelError
from harness.text.locating import WordLocator
from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.pyramids.records import Contributor, PeerAnnotation, Pyramid
from pyramid_paraphrase.words import find_words

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

CUTOFF = 0.5
"""Cosine from which two texts count as assigned to the same SCUs. No threshold is fitted for people."""

EXPONENT = 4
"""Exponent of the similarities in vectors. The contributor that is most similar to a text then decides, rather than a
long contributor of another SCU that contains the text. `benchmarks/annotators.py` measures other exponents and cutoffs.
"""

MAX_MARKED_WORDS = 2_000_000
"""Most words of all contributors of a file, which bounds the memory of their index. DUC 2007 has 29,000."""

_logger = make_logger(__name__)


class AnnotatedWords:
    """The words of annotated summaries, and the contributors that each word belongs to.

    Words, contributors and SCUs are numbered consecutively over all summaries of all pyramids.

    Args:
        pyramids: The pyramids.
        name: Name of their file, for error messages.

    Attributes:
        summaries: The words of each summary.
        contributors: The numbers of the words of each contributor, in ascending order.
        scus: The number of the SCU of each contributor.
        scu_count: Number of SCUs.

    Raises:
        LimitError: If the contributors have more than `MAX_MARKED_WORDS` words.
    """

    def __init__(self, pyramids: Iterable[Pyramid], name: str) -> None:
        self.summaries: list[list[str]] = []
        self.contributors: list[tuple[int, ...]] = []
        self.scu_count = 0
        self._contributors_by_word: dict[int, list[int]] = defaultdict(list)
        self.scus: list[int] = []
        self._marked = 0
        self._name = name
        first = 0
        for pyramid in pyramids:
            words = self._add_summaries(pyramid)
            self._add_scus(pyramid, words, first)
            first += len(words)

    def _add_summaries(self, pyramid: Pyramid) -> list[tuple[str, int, int]]:
        """Add the summaries of a pyramid, and return their words with their offsets in the text of the pyramid."""
        words: list[tuple[str, int, int]] = []
        for summary in pyramid.summaries:
            placed_words = find_words(pyramid.text[summary.start : summary.end])
            self.summaries.append([word for word, _, _ in placed_words])
            words += [(word, start + summary.start, end + summary.start) for word, start, end in placed_words]
        return words

    def _add_scus(self, pyramid: Pyramid, words: Sequence[tuple[str, int, int]], first: int) -> None:
        """Add the SCUs of a pyramid.

        Args:
            pyramid: The pyramid.
            words: The words of its summaries, each with its start and end in the text of the pyramid.
            first: Number of the first word.
        """
        starts, ends = [start for _, start, _ in words], [end for _, _, end in words]
        for scu in pyramid.scus:
            for contributor in scu.contributors:
                positions = tuple(first + position for position in self._find_words(contributor, starts, ends))
                for position in positions:
                    self._contributors_by_word[position].append(len(self.contributors))
                self.contributors.append(positions)
                self.scus.append(self.scu_count)
            self.scu_count += 1

    def _find_words(self, contributor: Contributor, starts: Sequence[int], ends: Sequence[int]) -> list[int]:
        """Return the positions of the words that overlap a contributor."""
        marked: set[int] = set()
        for part in contributor.parts:
            positions = range(bisect_right(ends, part.start), bisect_left(starts, part.end))
            self._marked += len(positions)
            if self._marked > MAX_MARKED_WORDS:
                reason = f"the contributors have more than {MAX_MARKED_WORDS:,} words"
                raise LimitError(self._name, reason, "use fewer pyramids at a time")
            marked.update(positions)
        return sorted(marked)

    def count_marked(self, positions: Iterable[int]) -> int:
        """Count the positions whose word belongs to a contributor."""
        return sum(position in self._contributors_by_word for position in positions)

    def compare(self, positions: Sequence[int]) -> dict[int, float]:
        """Compare a text with all contributors, as sets of words of the summaries.

        Args:
            positions: The numbers of the words of the text.

        Returns:
            For each SCU, by its number, the highest Jaccard similarity between the text and one of its contributors.
            SCUs with a similarity of 0 are left out.
        """
        shared = Counter(chain.from_iterable(self._contributors_by_word.get(position, ()) for position in positions))
        similarities: dict[int, float] = {}
        for contributor, count in shared.items():
            scu, union = self.scus[contributor], len(positions) + len(self.contributors[contributor]) - count
            similarities[scu] = max(similarities.get(scu, 0.0), count / union)
        return similarities


class Annotator:
    """An encoder of texts of summaries by the SCUs that a person assigned them to.

    Args:
        pyramids: The pyramids of the person.
        name: Name of their file, for messages.

    Attributes:
        unknown: Of the texts that were encoded last, the shares that the person assigned to no SCU.

    Raises:
        LimitError: If the pyramids are too large.
    """

    def __init__(self, pyramids: Sequence[Pyramid], name: str) -> None:
        self._name = name
        self._words = AnnotatedWords(pyramids, name)
        self.unknown: Coverage | None = None

    def encode(self, texts: list[str]) -> csr_matrix:
        """Locate each text in the summaries, and compare it with the contributors of every SCU.

        Returns:
            Shape (n, SCUs): the similarities of `AnnotatedWords.compare` to the power of `EXPONENT`, summed over all
            locations of the text. The row of a text is zero if the text is not in the summaries, or if none of its
            words is in a contributor.

        Raises:
            ModelError: If none of the texts is in the summaries.
            LimitError: If locating the texts takes too long.
        """
        from scipy.sparse import csr_matrix  # imported here, because importing it takes long

        rows: list[int] = []
        columns: list[int] = []
        values: list[float] = []
        counts = Counter(texts=len(texts))
        locator = WordLocator(self._words.summaries, self._name)
        for number, text in enumerate(texts):
            words = [word for word, _, _ in find_words(text)]
            locations = locator.locate(words)
            for similarities in map(self._words.compare, locations):
                rows += [number] * len(similarities)
                columns += similarities
                values += [similarity**EXPONENT for similarity in similarities.values()]
            counts["words"] += len(words)
            counts["marked words"] += max(map(self._words.count_marked, locations), default=0)
            counts["located texts"] += bool(locations)
        counts["marked texts"] = len(set(rows))
        self._report(counts)
        shape = len(texts), self._words.scu_count
        return csr_matrix((values, (rows, columns)), shape=shape)  # sums values with the same row and column

    def _report(self, counts: Counter[str]) -> None:
        """Report texts that are not in the summaries, and compute the shares of words and texts without an SCU."""
        count, missing = counts["texts"], counts["texts"] - counts["located texts"]
        if missing == count:
            reason = f"none of the {count:,} texts is in its summaries"
            raise ModelError(f"{self._name}: {reason}. Use a pyramid of the same summaries")
        if missing:
            remedy = "Labels of SCUs are never in summaries: to leave them out, build the tests with --no-labels"
            _logger.warning("%s: %d of %d texts are not in its summaries. %s", self._name, missing, count, remedy)
        unmarked_words = 1 - counts["marked words"] / counts["words"]
        self.unknown = Coverage(unmarked_words, 1 - counts["marked texts"] / count)


class Voter:
    """The votes of a person on the units of summaries.

    Args:
        annotations: The annotations, with votes and with texts of summaries.
        name: Name of their file, for messages.
    """

    def __init__(self, annotations: Iterable[PeerAnnotation], name: str) -> None:
        from pyramid_paraphrase.building.presence import describe_scu, list_sentences  # imports pyarrow

        self._name = name
        self._votes: dict[tuple[str, tuple[str, ...]], list[bool]] = defaultdict(list)
        for annotation in annotations:
            sentences = tuple(list_sentences(annotation))
            for scu, votes in zip(annotation.pyramid.scus, annotation.votes, strict=True):
                self._votes[describe_scu(scu), sentences] += [vote for _, vote in votes]

    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> list[float]:
        """Return the share of votes for each unit in a summary. Units with the same text have the mean of all votes.

        Raises:
            ModelError: If the person did not judge a unit in a summary.
        """
        votes = [self._votes.get((scu, tuple(summary)), []) for scu, summary in zip(scus, summaries, strict=True)]
        if missing := votes.count([]):
            reason = f"has no vote on {missing:,} of {len(votes):,} units of summaries"
            remedy = "Use both folders that `pyramid-paraphrase annotate votes --hold-out --save` writes"
            raise ModelError(f"{self._name}: {reason}. {remedy}")
        return [sum(given) / len(given) for given in votes]


def load_annotator(spec: Spec) -> Model:
    """Read the pyramids of a person, or the person's votes on units of summaries.

    Raises:
        InputError: If the file contains no annotations, or cannot be read.
        ModelError: If the file contains no pyramid with SCUs.
        LimitError: If the pyramids are too large.
    """
    from pyramid_paraphrase.reading import read_corpus  # imported here, because importing it takes long

    corpus = read_corpus(spec.model)
    content = {"model": corpus.digest}
    if voted := [annotation for annotation in corpus.annotations if annotation.votes and annotation.text]:
        return describe_model(spec, Voter(voted, spec.model), content, cutoff=CUTOFF)
    encoder = Annotator(corpus.pyramids, spec.model)
    if not any(pyramid.scus for pyramid in corpus.pyramids):
        raise ModelError(f"{spec.model}: contains no pyramid with SCUs. Use a pyramid file that DUCView wrote (.pyr)")
    return describe_model(spec, encoder, content, cutoff=CUTOFF, find_coverage=lambda: encoder.unknown)


ANNOTATOR = ModelKind(
    name="annotator",
    meaning="a person, represented by that person's pyramid of the same summaries, or votes on units",
    example="annotator:second.pyr",
    group="people",
    load=load_annotator,
    contents="pyramids (.pyr) or votes",
    is_reproducible=False,
)
