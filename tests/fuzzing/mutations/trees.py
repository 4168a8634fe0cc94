"""Changes of folders: presence, names and kinds of files."""

from __future__ import annotations

import bz2
from collections.abc import Callable

from fuzzing.cases import Case, Content, Link, Pipe
from fuzzing.chance import TEXTS, Chance
from fuzzing.mutations.packing import compress, pack_zip

_NAMES = (
    *("x", ".hidden", " ", "a b", "~", "-x", "x.json", "x.xml", "x.tar.gz", "x.zip", "x.gz", "README.md", "COM1"),
    *("x\ny", "x\ty", "\x1b[31mred", "\u202ex", "\u00e9", "\u4e2d", "e\u0301", "\udcff", "a" * 250, "x.tsv", "x.txt"),
)


def mutate_tree(case: Case, chance: Chance) -> Case:
    """Apply one of the changes of this module."""
    name = chance.pick(sorted(case.files))
    return case if name is None else chance.choice(_CHANGES)(case, name, chance)


def _drop(case: Case, name: str, chance: Chance) -> Case:
    return case.without_file(name)


def _empty(case: Case, name: str, chance: Chance) -> Case:
    return case.with_file(name, b"")


def _rename(case: Case, name: str, chance: Chance) -> Case:
    """Rename a file or a folder, and keep its suffix in half of the cases."""
    parts = name.split("/")
    at = chance.randrange(len(parts))
    dot = parts[at].rfind(".")
    ending = parts[at][dot:] if dot > 0 and chance.happens(0.5) else ""
    new = [*parts[:at], chance.choice(_NAMES)[: 250 - len(ending)] + ending]
    old = "/".join(parts[: at + 1])
    files = {_move_below(path, old, "/".join(new)): content for path, content in case.files.items()}
    return Case(files, case.arguments)


def _move_below(path: str, old: str, new: str) -> str:
    return new + path[len(old) :] if path == old or path.startswith(f"{old}/") else path


def _copy(case: Case, name: str, chance: Chance) -> Case:
    folder, _, file = name.rpartition("/")
    place = f"{folder}/{chance.choice(_NAMES)}" if folder else chance.choice(_NAMES)
    target = chance.choice((place, f"{name}.copy", f"deeper/{name}", file))
    return case if _blocks(case, target) else case.with_file(target, case.files[name])


def _blocks(case: Case, target: str) -> bool:
    """Return whether no file can be written to a path, because a file or a folder is in the way."""
    return any(path == target or path.startswith(f"{target}/") or target.startswith(f"{path}/") for path in case.files)


def _swap(case: Case, name: str, chance: Chance) -> Case:
    second_name = chance.choice(sorted(case.files))
    return case.with_file(name, case.files[second_name]).with_file(second_name, case.files[name])


def _link(case: Case, name: str, chance: Chance) -> Case:
    file_name = chance.choice(sorted(case.files)).rpartition("/")[2]
    target = chance.choice((file_name, ".", "..", "/dev/null", "nowhere", name.rpartition("/")[2], "/proc/self/mem"))
    return case.with_file(name, Link(target))


def _pipe(case: Case, name: str, chance: Chance) -> Case:
    return case.with_file(name, Pipe())


def _make_folder(case: Case, name: str, chance: Chance) -> Case:
    return case.without_file(name).with_file(f"{name}/x", case.files[name])


def _compress(case: Case, name: str, chance: Chance) -> Case:
    content = case.files[name]
    if not isinstance(content, bytes):
        return case
    packed = chance.choice(_COMPRESSIONS)(content)
    return case.without_file(name).with_file(chance.choice((name, f"{name}.gz")), packed)


def _fill(case: Case, name: str, chance: Chance) -> Case:
    content: Content = chance.choice((b"\0" * 5000, b"\xff" * 5000, b"\n" * 5000, chance.choice(TEXTS).encode()))
    return case.with_file(name, content)


_COMPRESSIONS: tuple[Callable[[bytes], bytes], ...] = (
    compress,
    bz2.compress,
    lambda content: pack_zip({"x": content}),
    lambda _: compress(bytes(1 << 22)),
)

_CHANGES: tuple[Callable[[Case, str, Chance], Case], ...] = (
    _drop,
    _drop,
    _empty,
    _rename,
    _rename,
    _copy,
    _swap,
    _link,
    _pipe,
    _make_folder,
    _compress,
    _fill,
)
