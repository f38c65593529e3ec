"""The calls of both sides in one vocabulary: what a call is called, where it stands, what goes in and out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from core.dtypes import dtype_named
from core.match.hashing import Keys, combine
from core.match.similarity import Records, collect_records
from core.records.columns import Int64
from core.records.dump import Dump, SlotGroup, SlotKind
from core.records.names import OperatorKind, parse_operator_name

_WILD = -2
"""Parent of a call in a module that the other side does not know: no evidence for or against a pair."""


@dataclass(frozen=True)
class Calls:
    """One side's calls, a row each, as keys that mean the same on both sides; each refines the one before."""

    line: Keys
    """What is called: API or module, direction, micro-step."""
    place: Keys
    """... and in which module."""
    shape: Keys
    """... and with which shapes and classes of dtypes in its tensor slots."""
    whole: Keys
    """... and with which arguments."""
    stem: Keys
    """API or module alone, for finding the forward of a backward."""
    occurrence: Int64
    records: Records

    def __len__(self) -> int:
        return len(self.line)

    def take(self, rows: Int64) -> Calls:
        """Return the calls *rows*, in that order."""
        return Calls(
            self.line[rows],
            self.place[rows],
            self.shape[rows],
            self.whole[rows],
            self.stem[rows],
            self.occurrence[rows],
            self.records.take(rows),
        )


def call_stem(name: str, kind: int) -> str:
    """Return *name* without direction and call count."""
    if kind in (OperatorKind.API, OperatorKind.MODULE):
        parts = name.rsplit(".", 2)
        if len(parts) == 3 and _ends(parts[1], parts[2]):
            return parts[0]
    return parse_operator_name(name).stem


def _ends(before: str, last: str) -> bool:
    if last in ("forward", "backward"):
        return before.isascii() and before.isdecimal()
    return before in ("forward", "backward") and last.isascii() and last.isdecimal()


def operator_stems(dump: Dump) -> list[str]:
    """Return the stem of each call of *dump*; calls with the same one share the text."""
    strings, operators = dump.strings, dump.operators
    shared: dict[str, str] = {}
    stems = (call_stem(strings[name], kind) for name, kind in zip(operators.name, operators.kind.tolist()))
    return [shared.setdefault(stem, stem) for stem in stems]


def parent_stems(dump: Dump) -> dict[int, str]:
    """Return the stem of each different parent of *dump*, by its id in ``strings``."""
    different = np.unique(dump.operators.parent).tolist()
    return {
        text: call_stem(dump.strings[text], OperatorKind.MODULE) if text >= 0 else "" for text in different
    }


def make_calls(
    target: Dump, golden: Dump, stems: tuple[list[str], list[str]], rename: Callable[[str], str]
) -> tuple[Calls, Calls]:
    """Return both sides' calls.

    *stems* are those of :func:`operator_stems`; *rename* turns the target's into the golden's words.
    """
    renamed = {stem: rename(stem) for stem in set(stems[0])}
    stems = [renamed[stem] for stem in stems[0]], stems[1]
    parents = (
        {text: rename(stem) for text, stem in parent_stems(target).items()},
        parent_stems(golden),
    )
    # Sorted, so that the keys do not depend on which side comes first.
    words = _numbered({*stems[0], *stems[1], *parents[0].values(), *parents[1].values()})
    sides = target, golden
    shared = set(parents[0].values()) & set(parents[1].values())
    paths = _shared_texts(sides, "path")
    values = _shared_texts(sides, "value")
    shapes = _numbered({*target.shapes.shapes, *golden.shapes.shapes})
    with_steps = all(bool((side.operators.micro_step >= 0).any()) for side in sides)
    groups = [group for group in SlotGroup if all(bool((side.slots.group == group).any()) for side in sides)]
    made = []
    for side, names, above, path, value in zip(sides, stems, parents, paths, values):
        operators = side.operators
        stem = np.array([words[name] for name in names], np.int64)
        steps = operators.micro_step if with_steps else np.zeros(len(operators), np.int32)
        base = combine(stem, operators.kind, steps)
        line = combine(base.view(np.int64), operators.direction)
        ids = np.array([words[above[text]] if above[text] in shared else _WILD for text in above], np.int64)
        keys = np.fromiter(above, np.int64, len(above))
        parent = ids[np.searchsorted(keys, operators.parent)] if len(keys) else np.empty(0, np.int64)
        place = combine(line.view(np.int64), parent)
        tensors, arguments = _slot_sums(side, path, value, shapes, groups)
        shape = combine(place.view(np.int64), tensors.view(np.int64))
        whole = combine(shape.view(np.int64), arguments.view(np.int64))
        made.append(
            Calls(
                line, place, shape, whole, base, operators.occurrence.astype(np.int64), collect_records(side)
            )
        )
    return made[0], made[1]


def _numbered(items: Iterable[object]) -> dict[object, int]:
    return {item: number for number, item in enumerate(sorted(items))}  # type: ignore[type-var]


def _shared_texts(sides: tuple[Dump, Dump], column: str) -> list[Int64]:
    """Return *column* of both sides' slots with texts numbered alike; -1 stays."""
    different = [np.unique(getattr(side.slots, column)) for side in sides]
    numbers = _numbered({side.strings[text] for side, ids in zip(sides, different) for text in ids.tolist()})
    columns = []
    for side, ids in zip(sides, different):
        known = np.array([numbers[side.strings[text]] for text in ids.tolist()], np.int64)
        columns.append(
            known[np.searchsorted(ids, getattr(side.slots, column))] if len(ids) else np.empty(0, np.int64)
        )
    return columns


def _slot_sums(
    dump: Dump, path: Int64, value: Int64, shapes: dict[object, int], groups: list[SlotGroup]
) -> tuple[Keys, Keys]:
    """Return for each call a key of its tensor slots and one of its arguments, of the groups *groups*."""
    slots = dump.slots
    wanted = np.isin(slots.group, groups)
    shape_ids = np.array([-1, *(shapes[shape] for shape in dump.shapes.shapes)], np.int64)[slots.shape + 1]
    texts = np.unique(slots.dtype)
    classes = np.array([_dtype_class(dump.strings[text]) for text in texts.tolist()], np.int64)
    dtype = classes[np.searchsorted(texts, slots.dtype)] if len(texts) else np.empty(0, np.int64)
    tensor = wanted & (slots.kind == SlotKind.TENSOR)
    argument = wanted & (slots.kind == SlotKind.ARGUMENT)
    tensor_keys = combine(slots.group, path, shape_ids, dtype)
    argument_keys = combine(slots.group, path, value)
    return _sums(dump, np.where(tensor, tensor_keys, np.uint64(0))), _sums(
        dump, np.where(argument, argument_keys, np.uint64(0))
    )


def _dtype_class(name: str) -> int:
    found = dtype_named(name) if name else None
    return ord(found.kind.value[0]) if found else 0


def _sums(dump: Dump, keys: Keys) -> Keys:
    """Return the sum of the keys of each call's slots; the slots of a call are neighbours."""
    running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(keys, dtype=np.uint64)])
    first = dump.operators.first_slot.astype(np.int64)
    total: Keys = running[first + dump.operators.slot_count] - running[first]
    return total
