"""Targets of fuzzing: a reader, inputs that it accepts, and the changes of these inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from fuzzing.cases import MAX_BYTES, MAX_FILES, Case
from fuzzing.chance import Chance
from fuzzing.mutations.blobs import Mutator, mutate_bytes, splice
from fuzzing.mutations.trees import mutate_tree

Arguments = tuple[str, ...]

_ROUNDS = (1, 1, 1, 2, 2, 3, 5)
_BYTES, _SPLICE, _TREE = 0.25, 0.05, 0.12
"""Probability that a case is changed as bytes, joined with another seed, or changed as a folder."""


class BrokenPromiseError(Exception):
    """A broken promise without an exception of the reader."""


def require(kept: bool, promise: str) -> None:
    """Check a promise about a result.

    Args:
        kept: Whether the promise is kept.
        promise: Description of the promise.

    Raises:
        BrokenPromiseError: If the promise is broken.
    """
    if not kept:
        raise BrokenPromiseError(promise)


@dataclass(frozen=True)
class Target:
    """A reader and its inputs.

    Attributes:
        name: The name on the command line.
        run: Reads the case in a folder, and returns the result. It may write to the folder `OUTPUT` beside it.
        make_seeds: Makes inputs that the reader accepts.
        formats: Patterns of paths, each with the function that changes matching files. The first match counts.
        change_arguments: Changes the arguments of a case, if the target has arguments.
        repair: Makes a changed case consistent, for instance hashes of files, so that the reader does not refuse it at
            once.
        needs: Packages that the target requires. It is left out without them.
        seconds: Limit of processor time for an input.
        changes_input: Whether the reader may change its files.
        has_tree: Whether names and kinds of files are also changed.
    """

    name: str
    run: Callable[[Path, Arguments], object]
    make_seeds: Callable[[], Sequence[Case]]
    formats: tuple[tuple[str, Mutator], ...] = ()
    change_arguments: Callable[[Arguments, Chance], Arguments] | None = None
    repair: Callable[[Case, Chance], Case] | None = None
    needs: tuple[str, ...] = ()
    seconds: float = 2.0
    changes_input: bool = False
    has_tree: bool = True

    @cached_property
    def seeds(self) -> Sequence[Case]:
        """The seeds, made once."""
        return self.make_seeds()

    def missing(self) -> list[str]:
        """List the required packages that are not installed."""
        return [name for name in self.needs if find_spec(name) is None]

    def make_case(self, seed: int, number: int) -> Case:
        """Make an input that depends only on the arguments.

        Args:
            seed: The seed of the campaign.
            number: Number of the input. A negative number is an unchanged seed of the target.
        """
        if number < 0:
            return self.seeds[-1 - number]
        chance = Chance(seed, self.name, number)
        case = chance.choice(self.seeds)
        steps: list[Callable[[Case, Chance], Case]] = [self._change_structure] * chance.choice(_ROUNDS)
        steps += [self._change_bytes] * (chance.choice(_ROUNDS) if chance.happens(_BYTES) else 0)
        steps += [self._splice] * chance.happens(_SPLICE)
        steps += [mutate_tree] * (self.has_tree and chance.happens(_TREE))
        for step in steps:
            changed = step(case, chance)
            if changed.size <= MAX_BYTES and len(changed.files) <= MAX_FILES:
                case = changed
        return self.repair(case, chance) if self.repair else case

    def _change_structure(self, case: Case, chance: Chance) -> Case:
        if self.change_arguments and (not case.files or chance.happens(0.5)):
            return Case(case.files, self.change_arguments(case.arguments, chance))
        name = chance.pick(sorted(name for name in case.plain_files() if self._find_mutator(name)))
        if name is None:
            return self._change_bytes(case, chance)
        mutator = self._find_mutator(name) or mutate_bytes
        return case.with_file(name, mutator(case.plain_files()[name], chance))

    def _find_mutator(self, name: str) -> Mutator | None:
        return next((mutator for pattern, mutator in self.formats if fnmatch(name, pattern)), None)

    def _change_bytes(self, case: Case, chance: Chance) -> Case:
        files = case.plain_files()
        name = chance.pick(sorted(files))
        return case if name is None else case.with_file(name, mutate_bytes(files[name], chance))

    def _splice(self, case: Case, chance: Chance) -> Case:
        """Join the beginning of a file and the end of a file of any seed."""
        files, seed_files = case.plain_files(), chance.choice(self.seeds).plain_files()
        name, seed_name = chance.pick(sorted(files)), chance.pick(sorted(seed_files))
        if name is None or seed_name is None:
            return case
        return case.with_file(name, splice(files[name], seed_files[seed_name], chance))
