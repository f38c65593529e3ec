"""What runs in other processes to find dumps that have moved. Imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.records.dump import Dump
from core.records.result import CellResult
from core.store.moved import (
    Likeness,
    Look,
    Moved,
    TensorFile,
    load_moved,
    look_at,
    placed,
    rule_for,
    save_moved,
    tensor_files,
    with_rule,
)

_SAMPLE = 24
"""Files that decide whether a dump is the same one."""


@dataclass(frozen=True)
class Whereabouts:
    """Where the tensors of one side of a cell lie."""

    folder: str
    """As the result says."""
    files: tuple[TensorFile, ...] = ()
    """Some of them; none where the dump has no tensors."""
    place: str = ""
    """Where they lie; empty where they are not to be had."""
    exact: bool = True
    look: Look = Look(Likeness.SAME)
    """What was seen at the place, or where they should be."""

    @property
    def lost(self) -> bool:
        """Whether there are tensors and they are not to be had."""
        return bool(self.files) and not self.place


@dataclass(frozen=True)
class Located:
    """What a folder that the user pointed at has of one side."""

    rule: Moved
    look: Look


def whereabouts(cell: CellResult, result_path: str) -> tuple[Whereabouts, Whereabouts]:
    """Return where the tensors of both sides of *cell* lie: in their place, known elsewhere, or beside it.

    What is found in the folder of the result file is kept, if sizes and times agree.
    """
    beside = str(Path(result_path).parent) if result_path else ""
    return _whereabouts(cell.target, beside), _whereabouts(cell.golden, beside)


def _whereabouts(dump: Dump, beside: str) -> Whereabouts:
    files = tensor_files(dump, _SAMPLE)
    here = Whereabouts(dump.data_dir, files)
    if not files:
        return here
    rules = load_moved()
    found = placed(dump, rules)
    if found.data_dir == dump.data_dir:
        seen = look_at(dump.data_dir, files)
        if seen.same:
            return replace(here, place=dump.data_dir)
    else:
        exact = bool(found.slots.file_mtime_ns.max(initial=-1) >= 0)
        known = files if exact else tuple(replace(file, mtime_ns=-1) for file in files)
        seen = look_at(found.data_dir, known)
        if seen.same:
            return replace(here, place=found.data_dir, exact=exact)
    located = rule_for(dump.data_dir, files, beside) if beside else None
    if located is not None and located[1].same:
        _remember(with_rule(rules, located[0]))
        return replace(here, place=placed(dump, (located[0],)).data_dir)
    return replace(here, look=seen)


def _remember(rules: Sequence[Moved]) -> None:
    try:
        save_moved(rules)
    except OSError:  # it is found again the next time
        return


def locate(sides: Sequence[Whereabouts], folder: str) -> tuple[Located | None, ...]:
    """Return what lies of each of *sides* in *folder*; ``None`` for a side of which nothing does.

    Runs of one model have files of the same names and sizes: a folder that is one side's is not offered as
    the other's too.
    """
    found = [_located(side, folder) for side in sides]
    for number, one in enumerate(found):
        if one is None or one.look.likeness is not Likeness.SIZES:
            continue
        for at, other in enumerate(found):
            if at != number and other is not None and _claims(other, one, earlier=at < number):
                found[number] = None
                break
    return tuple(found)


def _located(side: Whereabouts, folder: str) -> Located | None:
    if not side.files:
        return None
    made = rule_for(side.folder, side.files, folder)
    return None if made is None else Located(*made)


def _claims(other: Located, one: Located, *, earlier: bool) -> bool:
    """Whether the place of *one* is rather that of *other*, which comes *earlier* or later."""
    if other.rule.new != one.rule.new or other.rule.old == one.rule.old:
        return False
    if other.look.likeness in (Likeness.OTHER, Likeness.MISSING):
        return False
    if other.look.same:
        return True
    name = Path(one.rule.new).name
    ours, theirs = (Path(each.rule.old).name == name for each in (one, other))
    return theirs or (earlier and not ours)
