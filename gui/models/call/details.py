"""What is known of one call beyond its metrics: values side by side, and where it was called from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.records.columns import ABSENT, StringPool
from core.records.dump import STATISTICS, Dump, Known, SlotGroup, SlotKind
from core.records.names import forward_name
from core.records.result import CellResult
from core.records.stacks import Frame, decode_stack
from gui import numbers
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts, shape_label


def pool_text(pool: StringPool, index: int) -> str:
    """Return one text of *pool* without decoding all of them, which would take long in a large dump."""
    return pool.alone(index)


def rows_of_call(facts: Facts, row: int) -> range:
    """Return the rows of the call that *row* belongs to."""
    call = int(facts.call_of_row[row])
    starts = facts.calls.first_row
    return range(int(starts[call]), int(starts[call + 1]) if call + 1 < len(starts) else len(facts))


def row_of_call(
    cell: CellResult | None, facts: Facts | None, operator: int, name: str, slot: str = ""
) -> int:
    """Return the row to look at of one call of the target; -1 when it has none.

    Parameters
    ----------
    operator
        Its row in the dump; -1 where only its *name* is known.
    slot
        The slot that is asked about, if it has a row; else the first of the worst ones.
    """
    if cell is None or facts is None:
        return -1
    rows = np.flatnonzero(cell.rows.target_operator == operator) if operator >= 0 else np.empty(0, np.int64)
    if not len(rows) and name and name in facts.operators.texts:
        rows = np.flatnonzero(facts.operator == facts.operators.texts.index(name))
    if not len(rows):
        return -1
    if slot and slot in facts.slots.texts:
        exact = rows[facts.slot[rows] == facts.slots.texts.index(slot)]
        if len(exact):
            return int(exact[0])
    return int(rows[np.argmax(facts.category[rows])])


@dataclass(frozen=True)
class Argument:
    """One slot of a call, as both dumps have it."""

    row: int
    slot: str
    category: Category
    target: str
    golden: str
    is_tensor: bool
    statistics: tuple[tuple[str, str], ...] = (("", ""),) * len(STATISTICS)
    """Of target and golden, in the order of :data:`core.records.dump.STATISTICS`; empty where not known."""
    one_sided: bool = False
    """Whether only one side has the call."""

    @property
    def changed(self) -> bool:
        """Whether both sides are there and read differently."""
        return bool(self.target and self.golden and self.target != self.golden)


MOST_ARGUMENTS = 1_000
"""Slots of a call that are told at most: one that takes a whole model's parameters has many thousands."""


def arguments_of(cell: CellResult, facts: Facts, row: int) -> list[Argument]:
    """Return the slots of the call that *row* belongs to; of very many those around *row*."""
    found = []
    rows = rows_of_call(facts, row)
    first = max(min(row - rows.start - MOST_ARGUMENTS // 2, len(rows) - MOST_ARGUMENTS), 0)
    for at in rows[first : first + MOST_ARGUMENTS]:
        target, golden = int(cell.rows.target_slot[at]), int(cell.rows.golden_slot[at])
        if target < 0 and golden < 0:
            found += _one_sided(cell, facts, at)
            continue
        kinds = [
            dump.slots.kind[slot]
            for dump, slot in ((cell.target, target), (cell.golden, golden))
            if slot >= 0
        ]
        found.append(
            Argument(
                at,
                facts.slots[int(facts.slot[at])],
                Category(int(facts.category[at])),
                slot_text(cell.target, target),
                slot_text(cell.golden, golden),
                SlotKind.TENSOR in kinds,
                _statistics_of_both(cell, target, golden),
            )
        )
    return found


def argument_count(cell: CellResult, facts: Facts, row: int) -> int:
    """Return how many slots the call that *row* belongs to has."""
    rows = rows_of_call(facts, row)
    if int(cell.rows.target_slot[rows.start]) >= 0 or int(cell.rows.golden_slot[rows.start]) >= 0:
        return len(rows)
    on_target = int(cell.rows.target_operator[row]) >= 0
    side, operators = (
        (cell.target, cell.rows.target_operator) if on_target else (cell.golden, cell.rows.golden_operator)
    )
    return int(side.operators.slot_count[int(operators[row])])


def _one_sided(cell: CellResult, facts: Facts, row: int) -> list[Argument]:
    """Return the slots of a call that only one side has; its row names none of them."""
    on_target = int(cell.rows.target_operator[row]) >= 0
    dump = cell.target if on_target else cell.golden
    operator = int((cell.rows.target_operator if on_target else cell.rows.golden_operator)[row])
    made = []
    for slot in dump.slots_of(operator)[:MOST_ARGUMENTS]:
        shown = slot_text(dump, slot)
        label = slot_label(dump, slot)
        texts = (shown, "") if on_target else ("", shown)
        tensor = dump.slots.kind[slot] == SlotKind.TENSOR
        known = _statistics_of_both(cell, slot if on_target else -1, -1 if on_target else slot)
        made.append(Argument(row, label, Category(int(facts.category[row])), *texts, tensor, known, True))
    return made


def _statistics_of_both(cell: CellResult, target: int, golden: int) -> tuple[tuple[str, str], ...]:
    mine, theirs = dict(statistics_of(cell.target, target)), dict(statistics_of(cell.golden, golden))
    return tuple((mine.get(name, ""), theirs.get(name, "")) for name in STATISTICS)


def slot_label(dump: Dump, slot: int) -> str:
    """Return ``input.0``, ``output`` ... for row *slot*."""
    path = pool_text(dump.strings, int(dump.slots.path[slot]))
    label = SlotGroup(int(dump.slots.group[slot])).label
    return f"{label}.{path}" if path else label


def slot_text(dump: Dump, slot: int) -> str:
    """Return what *dump* says of row *slot* on one line; empty for -1."""
    if slot < 0:
        return ""
    slots = dump.slots
    kind = SlotKind(int(slots.kind[slot]))
    if kind is SlotKind.NONE:
        return "None"
    if kind is SlotKind.ARGUMENT:
        value = pool_text(dump.strings, int(slots.value[slot]))
        return value or pool_text(dump.strings, int(slots.type[slot]))
    if kind is SlotKind.UNRECORDED:
        return "{}"
    parts = [pool_text(dump.strings, int(slots.dtype[slot])).removeprefix("torch.")]
    shape = dump.shapes[int(slots.shape[slot])]
    if shape is not None:
        parts.append(shape_label(shape))
    return "  ".join(part for part in parts if part)


def statistics_of(dump: Dump, slot: int) -> list[tuple[str, str]]:
    """Return the statistics that *dump* has of row *slot*, by name."""
    if slot < 0:
        return []
    known = Known(int(dump.slots.known[slot]))
    return [
        (name, numbers.compact(float(getattr(dump.slots, name)[slot])))
        for name, flag in zip(STATISTICS, (Known.MAX, Known.MIN, Known.MEAN, Known.NORM))
        if flag in known
    ]


@dataclass(frozen=True)
class Stacks:
    """The call stacks of both sides, innermost frame first."""

    target: tuple[Frame, ...] = ()
    golden: tuple[Frame, ...] = ()
    of_forward: bool = False
    """Whether they are those of the forward call: a backward call has no stack of its own."""


def stacks_of(cell: CellResult, facts: Facts, row: int) -> Stacks:
    """Return the stacks of the call that *row* belongs to, or of its forward call."""
    found = _stacks(cell, row)
    if found.target or found.golden:
        return found
    forward = forward_name(facts.operators[int(facts.operator[row])])
    if forward is None or forward not in facts.operators.texts:
        return found
    rows = np.flatnonzero(facts.operator == facts.operators.texts.index(forward))
    if not len(rows):
        return found
    return replace(_stacks(cell, int(rows[0])), of_forward=True)


def _stacks(cell: CellResult, row: int) -> Stacks:
    return Stacks(
        _frames(cell.target, int(cell.rows.target_operator[row])),
        _frames(cell.golden, int(cell.rows.golden_operator[row])),
    )


def _frames(dump: Dump, operator: int) -> tuple[Frame, ...]:
    if operator < 0:
        return ()
    stack = int(dump.operators.stack[operator])
    return tuple(decode_stack(pool_text(dump.stacks, stack))) if stack != ABSENT else ()
