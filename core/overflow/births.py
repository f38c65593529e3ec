"""Births written down: the sentence, how bad, how many elements, and what the stack says."""

from __future__ import annotations

import math
from itertools import islice

from core.messages import Message, Parameter
from core.overflow.cell import Cell
from core.overflow.excuses import Excuse
from core.overflow.saturation import Plateau
from core.overflow.special_values import count_special
from core.overflow.sweep import Arrival, Swept
from core.records.dump import Known, SlotGroup, SlotKind
from core.records.names import OperatorKind
from core.records.overflow import Birth, BirthKind, Level, Special
from core.records.stacks import Frame, decode_stack

_LIBRARIES = ("site-packages", "dist-packages", "/torch/", "\\torch\\")


def accuse(cell: Cell, swept: Swept, arrival: Arrival) -> Birth:
    """Return the birth that *arrival* is."""
    row = arrival.row
    takers = [taker for taker in cell.takers(row) if taker in cell.bad_slots]
    goes_on = any(cell.bad_slots[taker].outputs for taker in takers)
    if not takers:  # a view that was not dumped may have come between
        goes_on = any(later > row and cell.parent(row) != cell.names[later] for later in swept.state)
    notes = [*_golden_note(cell, arrival), *_cause_note(cell, swept, arrival)]
    if arrival.kind is BirthKind.INPUT:
        notes += _candidates(cell, row)
    if arrival.kind in (BirthKind.INPUT, BirthKind.OUTPUT):
        notes += _undecided_note(cell, row)
    if cell.is_backward(row) and arrival.kind is BirthKind.OUTPUT:
        notes.append(Message("overflow.note.gradient"))
    if not goes_on and takers:
        names = ", ".join(dict.fromkeys(cell.names[taker] for taker in takers))
        notes.append(Message("overflow.note.absorbed", {"operators": names}))
    code = f"overflow.birth.{arrival.kind.value}"
    return _birth(cell, row, arrival.slot, arrival.kind, arrival.values, code, {},
                  spreads=goes_on, notes=tuple(notes), others=arrival.others)  # fmt: skip


def excused_birth(cell: Cell, arrival: Arrival) -> Birth:
    """Return *arrival* as what it was excused for."""
    code = f"overflow.excuse.{(arrival.excuse or Excuse.FILL).value}"
    return _birth(cell, arrival.row, arrival.slot, arrival.kind, arrival.values, code, {}, spreads=False)


def accuse_plateau(cell: Cell, plateau: Plateau) -> Birth:
    """Return the birth of saturated values that *plateau* is."""
    parameters: dict[str, Parameter] = {"format": plateau.format, "limit": plateau.limit}
    code = "overflow.birth.saturation" if plateau.certain else "overflow.possible.saturation"
    if plateau.certain and plateau.limit == 0:
        code = "overflow.birth.silenced"
    evidence: dict[str, Parameter] = {}
    for name in ("at_limit", "golden_beyond", "zero_for_nan", "size"):
        count = getattr(plateau, name)
        if count > 0:
            evidence[name] = count
    return _birth(cell, plateau.row, plateau.slot, BirthKind.SATURATION, Special.SATURATED, code, parameters,
                  evidence=evidence)  # fmt: skip


def _birth(
    cell: Cell,
    row: int,
    slot: int,
    kind: BirthKind,
    values: Special,
    code: str,
    parameters: dict[str, Parameter],
    *,
    spreads: bool = True,
    notes: tuple[Message, ...] = (),
    evidence: dict[str, Parameter] | None = None,
    others: int = 0,
) -> Birth:
    dump = cell.dump
    operator, name = cell.names[row], dump.slot_name(slot)
    said = {"operator": operator, "slot": name, "values": in_words(values), "others": others, **parameters}
    facts = _facts(cell, row, slot) if evidence is None else evidence
    bad_output = dump.slots.group[slot] in (SlotGroup.OUTPUT, SlotGroup.PARAMETER_GRAD)
    good_output = row not in cell.bad_slots or not cell.bad_slots[row].outputs
    level = Level.CRITICAL if bad_output else Level.MEDIUM if good_output else Level.HIGH
    return Birth(
        kind=kind,
        level=level,
        cell=cell.key,
        operator=operator,
        slot=name,
        row=row,
        values=values,
        message=Message(code, said),
        spreads=spreads,
        module=cell.parent(row),
        stack=dump.stacks[int(dump.operators.stack[row])],
        evidence={"evidence": _evidence(cell, slot), **facts},
        notes=notes,
    )


def in_words(values: Special) -> str:
    """Return ``NaN, +Inf`` for a sentence, the same in all languages."""
    words = {"nan": "NaN", "+inf": "+Inf", "-inf": "−Inf"}
    return ", ".join(words.get(word, word) for word in values.words)


def _evidence(cell: Cell, slot: int) -> str:
    return "full" if cell.dump.slots.file_size[slot] >= 0 else "statistics"


def _facts(cell: Cell, row: int, slot: int) -> dict[str, Parameter]:
    """Return how many elements are bad, the dtype, and how large the finite inputs are."""
    dump = cell.dump
    facts: dict[str, Parameter] = {}
    counts = count_special(dump, slot)
    if counts is not None:
        for name in ("nan", "plus_inf", "minus_inf"):
            if number := getattr(counts, name):
                facts[name] = number
        facts["size"] = counts.size
    facts["dtype"] = dump.dtype(slot)
    largest = 0.0
    for other in dump.slots_of(row):
        if dump.slots.group[other] <= SlotGroup.PARAMETER and dump.slots.kind[other] == SlotKind.TENSOR:
            known = Known(int(dump.slots.known[other]))
            for statistic in ("max", "min"):
                value = abs(float(getattr(dump.slots, statistic)[other]))
                if known & Known[statistic.upper()] and math.isfinite(value):
                    largest = max(largest, value)
    if largest:
        facts["largest_input"] = float(f"{largest:.6g}")
    return facts


def _golden_note(cell: Cell, arrival: Arrival) -> list[Message]:
    """Return whether the golden has the same."""
    if cell.golden is None:
        return []
    theirs = cell.golden.special(arrival.slot)
    if theirs is None:
        return []
    if theirs == Special.NONE:
        return [Message("overflow.note.golden_finite")]
    return [Message(GOLDEN_TOO, {"values": in_words(theirs)})]


GOLDEN_TOO = "overflow.note.golden_too"
"""Code of the note on a birth that the golden has as well."""


def _cause_note(cell: Cell, swept: Swept, arrival: Arrival) -> list[Message]:
    if arrival.cause < 0:
        return []
    cause = swept.arrivals[arrival.cause]
    parameters = {"operator": cell.names[cause.row], "values": in_words(cause.values)}
    return [Message("overflow.note.cause", parameters)]


def _undecided_note(cell: Cell, row: int) -> list[Message]:
    """Say how many calls before *row* the dump is silent about."""
    before = cell.undecided_rows[cell.undecided_rows < row]
    if not len(before):
        return []
    last = cell.names[int(before[-1])]
    return [Message("overflow.note.undecided", {"count": len(before), "operator": last})]


def _candidates(cell: Cell, row: int) -> list[Message]:
    """Name where the operator that was not dumped must stand: between the call before and this one."""
    before = row - 1
    while before >= 0 and cell.kind(before) is not OperatorKind.API:
        before -= 1
    here = _frames(cell, row)
    if before < 0:
        where = f"{here[0].path}:{here[0].line}" if here else ""
        return [Message("overflow.note.first_call", {"place": where})] if where else []
    there = _frames(cell, before)
    for frame in here:
        same = [item for item in there if (item.path, item.function) == (frame.path, frame.function)]
        if same and same[0].line <= frame.line:
            return [
                Message(
                    "overflow.note.between",
                    {
                        "operator": cell.names[before],
                        "path": frame.path,
                        "first": same[0].line,
                        "last": frame.line,
                        "function": frame.function,
                    },
                )
            ]
    return [Message("overflow.note.after", {"operator": cell.names[before]})]


def _frames(cell: Cell, row: int) -> list[Frame]:
    """Return the user's own frames of call *row*, innermost first."""
    stack = decode_stack(cell.dump.stacks[int(cell.dump.operators.stack[row])])
    own = (frame for frame in stack if frame.line and not any(word in frame.path for word in _LIBRARIES))
    return list(islice(own, 32))
