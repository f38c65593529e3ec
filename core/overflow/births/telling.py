"""Births written down: the sentence, how bad, how many elements, and what the stack says."""

from __future__ import annotations

import math
from collections.abc import Mapping

from core.messages import Message, Parameter
from core.overflow.births.cell import Cell
from core.overflow.births.excuses import Excuse
from core.overflow.births.saturation import Plateau
from core.overflow.births.sweep import FROM_OUTSIDE, Arrival, Swept
from core.overflow.births.uncaptured import candidates
from core.overflow.special_values import count_special
from core.records.dump import Known, SlotGroup, SlotKind
from core.records.overflow import Birth, BirthKind, Level, Special


def accuse(cell: Cell, swept: Swept, arrival: Arrival) -> Birth:
    """Return the birth that *arrival* is."""
    row = arrival.row
    takers = [taker for taker in cell.takers(row) if taker in cell.bad_slots]
    goes_on = any(cell.bad_slots[taker].outputs or taker in cell.movements for taker in takers)
    if not takers:  # a view that was not dumped may have come between
        goes_on = any(later > row and cell.parent(row) != cell.names[later] for later in swept.state)
    notes = [*_golden_note(cell, arrival), *_cause_note(cell, swept, arrival)]
    if arrival.others:
        notes.append(Message("overflow.note.other_parameters", {"count": arrival.others}))
    if arrival.effect >= 0:
        effect = {"operator": cell.names[arrival.effect]}
        notes.append(Message("overflow.note.effect", effect))
        goes_on = True
    if arrival.kind is BirthKind.INPUT:
        notes += candidates(cell, row)
    if arrival.kind in (BirthKind.INPUT, BirthKind.OUTPUT):
        notes += _undecided_note(cell, row)
    if cell.is_backward(row) and arrival.kind in (BirthKind.INPUT, BirthKind.OUTPUT):
        notes.append(Message("overflow.note.gradient"))
    if not goes_on and takers:
        names = ", ".join(dict.fromkeys(cell.names[taker] for taker in takers))
        notes.append(Message("overflow.note.absorbed", {"operators": names}))
    turned = arrival.kind is BirthKind.OUTPUT and bool(arrival.causes)
    how = "turned" if turned else "written" if arrival.written else arrival.kind.value
    return _birth(
        f"overflow.birth.{how}",
        cell,
        arrival.slot,
        arrival.kind,
        arrival.values,
        {},
        spreads=goes_on,
        notes=tuple(notes),
        evidence=_facts(cell, arrival.slot),
    )


def excused_birth(cell: Cell, arrival: Arrival) -> Birth:
    """Return *arrival* as what it was excused for."""
    excuse = arrival.excuse or Excuse.FILL
    return _birth(
        f"overflow.excuse.{excuse.value}", cell, arrival.slot, arrival.kind, arrival.values, {}, spreads=False
    )


def accuse_plateau(cell: Cell, plateau: Plateau) -> Birth:
    """Return the birth of saturated values that *plateau* is."""
    counts = {name: getattr(plateau, name) for name in _COUNTS}
    evidence: dict[str, Parameter] = {"evidence": "full" if plateau.at_limit >= 0 else "statistics"}
    return _birth(
        _plateau_code(plateau),
        cell,
        plateau.slot,
        BirthKind.SATURATION,
        Special.SATURATED,
        {"format": plateau.format, "limit": plateau.limit},
        evidence=evidence | {name: count for name, count in counts.items() if count > 0},
    )


_COUNTS = ("at_limit", "golden_beyond", "zero_for_nan", "size")


def _plateau_code(plateau: Plateau) -> str:
    if not plateau.certain:
        return "overflow.possible.saturation"
    return "overflow.birth.saturation" if plateau.limit else "overflow.birth.silenced"


def _birth(
    code: str,
    cell: Cell,
    slot: int,
    kind: BirthKind,
    values: Special,
    said: Mapping[str, Parameter],
    *,
    spreads: bool = True,
    notes: tuple[Message, ...] = (),
    evidence: Mapping[str, Parameter] | None = None,
) -> Birth:
    dump = cell.dump
    row, name = int(dump.slots.operator[slot]), dump.slot_name(slot)
    operator = cell.names[row]
    return Birth(
        kind=kind,
        level=_level(cell, row, slot),
        cell=cell.key,
        operator=operator,
        slot=name,
        row=row,
        values=values,
        message=Message(code, {"operator": operator, "slot": name, "values": in_words(values), **said}),
        spreads=spreads,
        module=cell.parent(row),
        stack=dump.stacks[int(dump.operators.stack[row])],
        evidence=evidence or {},
        notes=notes,
    )


def _level(cell: Cell, row: int, slot: int) -> Level:
    bad = cell.bad_slots.get(row)
    if bad is None:  # it writes into its operand, which the dump shows as it was before
        return Level.CRITICAL
    if cell.dump.slots.group[slot] in (SlotGroup.OUTPUT, SlotGroup.PARAMETER_GRAD):
        return Level.HIGH if bad.inputs or bad.weights else Level.CRITICAL
    return Level.HIGH if bad.outputs else Level.MEDIUM


def in_words(values: Special) -> str:
    """Return ``NaN, +Inf`` for a sentence, the same in all languages."""
    words = {"nan": "NaN", "+inf": "+Inf", "-inf": "−Inf"}
    return ", ".join(words.get(word, word) for word in values.words)


def _facts(cell: Cell, slot: int) -> dict[str, Parameter]:
    """Return how many elements of *slot* are bad, its dtype, and how large the finite inputs are."""
    dump = cell.dump
    counts = count_special(dump, slot)
    facts: dict[str, Parameter] = {"evidence": "statistics" if counts is None else "full"}
    if counts is not None:
        for name in ("nan", "plus_inf", "minus_inf"):
            if number := getattr(counts, name):
                facts[name] = number
        facts["size"] = counts.size
    facts["dtype"] = dump.dtype(slot)
    largest = _largest_input(cell, int(dump.slots.operator[slot]))
    if largest:
        facts["largest_input"] = float(f"{largest:.6g}")
    return facts


def _largest_input(cell: Cell, row: int) -> float:
    """Return the largest finite magnitude among the inputs of call *row*, 0 for none."""
    slots = cell.dump.slots
    largest = 0.0
    for slot in cell.dump.slots_of(row):
        if slots.group[slot] > SlotGroup.PARAMETER or slots.kind[slot] != SlotKind.TENSOR:
            continue
        for known, column in ((Known.MAX, slots.max), (Known.MIN, slots.min)):
            value = abs(float(column[slot]))
            if slots.known[slot] & known and math.isfinite(value):
                largest = max(largest, value)
    return largest


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
    if not arrival.causes:
        return []
    cause = swept.arrivals[arrival.causes[-1]]
    said = {
        "operator": cell.names[cause.row],
        "values": in_words(cause.values),
        "slot": cell.dump.slot_name(cause.slot),
    }
    outside = cause.kind in FROM_OUTSIDE
    return [Message("overflow.note.cause_outside" if outside else "overflow.note.cause", said)]


def _undecided_note(cell: Cell, row: int) -> list[Message]:
    """Say how many calls before *row* the dump is silent about."""
    before = cell.undecided_rows[cell.undecided_rows < row]
    if not len(before):
        return []
    last = cell.names[int(before[-1])]
    return [Message("overflow.note.undecided", {"count": len(before), "operator": last})]
