"""The corpus: distinct pyramids and peer annotations, and counts of everything that was read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyramid_paraphrase.pyramids.parts import Accounts, CorpusPart, join_parts
from pyramid_paraphrase.pyramids.problems import report_rejected
from pyramid_paraphrase.pyramids.records import PeerAnnotation, Problem, Pyramid
from pyramid_paraphrase.pyramids.sources import InputFile, SourceFile, SourceFiles
from pyramid_paraphrase.pyramids.summary import (
    CollectionCounts,
    count_collections,
    render_summary,
    render_summary_html,
)


@dataclass(frozen=True, slots=True, repr=False)
class Corpus:
    """The parsed sources. Shown in Python, it is a table of counts, without any text.

    Attributes:
        pyramids: The pyramids that tests are made of, in the order of their ids.
        files: The file of each pyramid, by the pyramid's id.
        annotations: Peer annotations in the order of pyramid, peer and annotator, each with its own pyramid.
        score_tables: Published score tables among the files.
        inputs: The files on disk that were read.
        problems: A problem for everything that was repaired or left out.
        accounts: Counts of everything that was read.
        digest: SHA-256 of the annotation files' bytes.
        reference_pyramids: The pyramids of single references, in the order of their ids. They are used only to compare
            summaries of peers with them. Each of their SCUs has one contributor, so they give no pairs or questions.
    """

    pyramids: tuple[Pyramid, ...]
    files: dict[str, str]
    annotations: tuple[PeerAnnotation, ...]
    score_tables: tuple[SourceFile, ...]
    inputs: tuple[InputFile, ...]
    problems: tuple[Problem, ...]
    accounts: Accounts
    digest: str
    reference_pyramids: tuple[Pyramid, ...] = ()

    @property
    def all_pyramids(self) -> tuple[Pyramid, ...]:
        """All pyramids that summaries can be compared with: `pyramids` and `reference_pyramids`."""
        return (*self.pyramids, *self.reference_pyramids)

    def count_collections(self) -> list[CollectionCounts]:
        """Count the pyramids, SCUs, contributors and peer annotations of each collection."""
        return count_collections(self.all_pyramids, self.annotations)

    def __repr__(self) -> str:
        """Return the counts per collection, and the problems by kind."""
        return render_summary(self.count_collections(), self.problems)

    def _repr_html_(self) -> str:
        """Return the counts and problems as HTML for a notebook."""
        return render_summary_html(self.count_collections(), self.problems)


def unite(files: SourceFiles, parts: Iterable[CorpusPart]) -> Corpus:
    """Make a corpus of its parts, and count the files that do not belong to any part."""
    rejected = len(files.rejected) + len(files.skipped)
    unread = CorpusPart(
        pyramids=(),
        files={},
        problems=(*files.skipped, *map(report_rejected, files.rejected)),
        accounts=Accounts(
            files_read=rejected,
            files_left_out=rejected,
            other_files=files.other_files + len(files.score_tables),
        ),
    )
    whole = join_parts([unread, *parts])
    return Corpus(
        pyramids=tuple(sorted(whole.pyramids, key=_get_id)),
        files=whole.files,
        annotations=tuple(sorted(whole.annotations, key=_list_names)),
        score_tables=tuple(files.score_tables),
        inputs=tuple(files.inputs),
        problems=tuple(sorted(set(whole.problems))),
        accounts=whole.accounts,
        digest=files.digest(),
        reference_pyramids=tuple(sorted(whole.reference_pyramids, key=_get_id)),
    )


def _get_id(pyramid: Pyramid) -> str:
    return pyramid.id


def _list_names(annotation: PeerAnnotation) -> tuple[str, str, str]:
    return (annotation.pyramid.id, annotation.peer, annotation.annotator)
