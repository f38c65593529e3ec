"""One pass over the calls of a cell in execution order: what is born where, and what is only passed on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from core.overflow.births.cell import NON_FINITE, BadSlots, Cell
from core.overflow.births.excuses import Excuse, excuse_for
from core.overflow.births.roles import MIXING, changes_operand, is_loss, takes_mask
from core.overflow.births.writers import cell_operand, writer_before
from core.overflow.communication.calls import Communication, communication_of
from core.records.columns import ABSENT
from core.records.dump import SlotGroup
from core.records.names import OperatorKind
from core.records.overflow import BirthKind, Special

FROM_OUTSIDE = (BirthKind.INPUT, BirthKind.COMMUNICATION)
"""Kinds of arrivals of values that no call of the rank made."""


@dataclass
class Arrival:
    """A call in which special values appear that no call before it made."""

    row: int
    slot: int
    """The first slot that holds them."""
    kind: BirthKind
    values: Special
    excuse: Excuse | None = None
    """Why they may be meant; ``None`` accuses the call."""
    causes: tuple[int, ...] = ()
    """Positions of the excused arrivals whose values turned into these, growing."""
    shown_by: int = ABSENT
    """An asynchronous call that shows the same values in its buffer."""
    effect: int = ABSENT
    """The call that shows that values which might have been meant are not."""
    written: bool = False
    """The values stand among the arguments of the call, which writes them into its operand."""
    others: int = 0
    """How many slots more are bad from outside in the same way: other parameters."""


@dataclass
class Swept:
    """What the pass over a cell found."""

    arrivals: list[Arrival] = field(default_factory=list)
    state: dict[int, Special] = field(default_factory=dict)
    """Special values in a call that are not meant, by its row, growing."""
    came_from: dict[int, int] = field(default_factory=dict)
    """The call before it on the way of these values, by row; -1 where they begin or come from other ranks."""
    communications: list[Communication] = field(default_factory=list)


@dataclass
class _Incoming:
    """What arrives in one call."""

    carried: Special = Special.NONE
    """Special values that an earlier call passed on."""
    source: int = ABSENT
    """That call."""
    excused: set[int] = field(default_factory=set)
    """Positions of the excused arrivals whose values come in."""
    meant: Special = Special.NONE
    strangers: list[int] = field(default_factory=list)
    """Bad inputs that no dumped call made."""
    bad_weights: list[int] = field(default_factory=list)

    def carry(self, values: Special, source: int) -> None:
        self.carried |= values
        if source > self.source:
            self.source = source


def sweep(cell: Cell) -> Swept:
    """Return the arrivals in *cell*, what is passed on, and its communication calls."""
    return _Sweep(cell).run()


class _Sweep:
    """The pass; keeps what earlier calls did."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._found = Swept()
        self._excused_slot: dict[int, set[int]] = {}
        """Arrivals that the values of a slot come from, where they are meant."""
        self._excused_row: dict[int, set[int]] = {}
        self._inside: dict[str, int] = {}
        """The last call with unmeant values inside of a module call, by the module's name."""
        self._excused_inside: dict[str, set[int]] = {}
        self._meant_calls: dict[int, set[int]] = {}
        """Arrivals whose values are sent, by communication calls that send nothing bad but these."""
        self._parameter: Arrival | None = None
        self._last = ABSENT

    def run(self) -> Swept:
        cell, found = self._cell, self._found
        if cell.bad.any():
            for row in self._order():
                slots = cell.bad_slots[row]
                self._judge(row, slots, self._incoming(row, slots))
        found.communications = [
            replace(
                communication_of(cell.names[row], movement, cell.dump, cell.values),
                meant=row in self._meant_calls,
                hinges=self._outside(self._meant_calls.get(row, ())),
            )
            for row, movement in cell.movements.items()
        ]
        return found

    def _order(self) -> list[int]:
        """Return the bad calls in execution order, but modules behind what is inside of them.

        Some dumpers note a module before its calls, others after. Gradients of parameters stand behind the
        backward call that they come from.
        """
        cell = self._cell
        rows = list(cell.bad_slots)
        gradients = {row for row in rows if cell.kind(row) is OperatorKind.PARAMETERS_GRAD}
        last: dict[str, int] = {}
        for row in rows:
            for name in cell.around(row) if row not in gradients else ():
                last[name] = max(last.get(name, row), row)
        place = {row: max(row, last.get(cell.names[row], row)) for row in rows}
        for row in gradients:
            behind = cell.depends_on(row)
            place[row] = max(row, place.get(behind, behind))
        return sorted(rows, key=lambda row: (place[row], row in gradients, -row))

    def _incoming(self, row: int, slots: BadSlots) -> _Incoming:
        cell, found = self._cell, _Incoming()
        for slot in slots.inputs:
            self._enter(found, slot, found.strangers)
        for slot in slots.weights:
            self._enter(found, slot, found.bad_weights)
        behind = cell.depends_on(row)
        if cell.kind(row) is OperatorKind.PARAMETERS_GRAD:
            self._enter_gradients(found, behind)
        elif behind >= 0:
            self._enter_call(found, behind)
        if cell.kind(row) is OperatorKind.MODULE:
            self._enter_module(found, cell.names[row])
            for slot in slots.outputs:
                self._enter(found, slot, [])
        return found

    def _enter_gradients(self, found: _Incoming, behind: int) -> None:
        """Add what gradients of parameters are made of, *behind* being the backward call of their module."""
        if behind >= 0:
            self._enter_call(found, behind)
            self._enter_module(found, self._cell.names[behind])
            self._enter_call(found, self._cell.depends_on(behind))
        elif self._last >= 0:  # the backward call was not dumped
            found.carry(self._found.state[self._last], self._last)

    def _enter(self, found: _Incoming, slot: int, strangers: list[int]) -> None:
        """Add what stands in *slot*; one that no call made goes to *strangers*."""
        cell = self._cell
        values, producer = cell.special((slot,)) & NON_FINITE, int(cell.producer[slot])
        arrivals = self._excused_slot.get(producer, set())
        if arrivals and all(self._found.arrivals[number].excuse is not None for number in arrivals):
            found.excused |= arrivals
            found.meant |= values
        elif producer < 0:
            strangers.append(slot)
        else:
            found.carry(values, int(cell.dump.slots.operator[producer]))

    def _enter_call(self, found: _Incoming, row: int) -> None:
        if row in self._found.state:
            found.carry(self._found.state[row], row)
        self._enter_meant(found, self._excused_row.get(row, ()))

    def _enter_module(self, found: _Incoming, name: str) -> None:
        inside = self._inside.get(name, ABSENT)
        if inside >= 0:
            found.carry(self._found.state[inside], inside)
        self._enter_meant(found, self._excused_inside.get(name, ()))

    def _enter_meant(self, found: _Incoming, arrivals: Iterable[int]) -> None:
        for number in arrivals:
            arrival = self._found.arrivals[number]
            if arrival.excuse is not None:
                found.excused.add(number)
                found.meant |= arrival.values

    def _judge(self, row: int, slots: BadSlots, incoming: _Incoming) -> None:
        cell = self._cell
        out = cell.special(slots.outputs) & NON_FINITE
        if incoming.carried:
            self._pass_on(row, slots, incoming.source)
        elif incoming.bad_weights:
            self._take_weights(row, slots, incoming)
        elif incoming.strangers:
            self._take_strangers(row, slots, incoming, out)
        elif row in cell.movements:
            self._move(row, slots, incoming, out)
        elif out & ~incoming.meant:
            self._make(row, slots, incoming, out)
        elif out:
            self._pass_on_meant(row, slots, incoming)

    def _make(self, row: int, slots: BadSlots, incoming: _Incoming, out: Special) -> None:
        """Let the call make special values out of finite ones, or of ones that are meant."""
        excuse = excuse_for(self._cell, row, out)
        if incoming.excused and excuse is not Excuse.SELECTED:
            excuse = None
        causes = tuple(sorted(incoming.excused))
        self._arrive(Arrival(row, slots.outputs[0], BirthKind.OUTPUT, out, excuse, causes), slots)

    def _move(self, row: int, slots: BadSlots, incoming: _Incoming, out: Special) -> None:
        """Send what is meant, and receive; who sent it is seen when all ranks are known."""
        leaking = [number for number in incoming.excused if not self._is_deliberate(number)]
        if leaking and slots.inputs:  # no longer selected away, or not read
            values = self._cell.special(slots.inputs) & NON_FINITE
            causes = tuple(sorted(leaking))
            self._arrive(Arrival(row, slots.inputs[0], BirthKind.INPUT, values, None, causes), slots)
            return
        if slots.inputs:
            self._meant_calls[row] = set(incoming.excused)
        if out == Special.MINUS_INF:
            excuse = Excuse.OUTSIDE_MASK
            self._arrive(Arrival(row, slots.outputs[0], BirthKind.COMMUNICATION, out, excuse), slots)
        elif slots.outputs:
            self._pass_on(row, slots, ABSENT)

    def _is_deliberate(self, number: int) -> bool:
        excuse = self._found.arrivals[number].excuse
        return excuse is not None and excuse.deliberate

    def _is_only_unread(self, number: int) -> bool:
        excuse = self._found.arrivals[number].excuse
        return excuse is not None and excuse.only_unread

    def _take_weights(self, row: int, slots: BadSlots, incoming: _Incoming) -> None:
        first = incoming.bad_weights[0]
        values = self._cell.special(tuple(incoming.bad_weights)) & NON_FINITE
        if self._parameter is None and self._last < 0:
            self._parameter = Arrival(row, first, BirthKind.PARAMETER, values)
            self._parameter.others = len(incoming.bad_weights) - 1
            self._arrive(self._parameter, slots)
            return
        if self._parameter is not None:
            self._parameter.others += len(incoming.bad_weights)
        self._pass_on(row, slots, self._parameter.row if self._parameter is not None else self._last)

    def _take_strangers(self, row: int, slots: BadSlots, incoming: _Incoming, out: Special) -> None:
        cell = self._cell
        first = incoming.strangers[0]
        values = cell.special(tuple(incoming.strangers)) & NON_FINITE
        path = cell.dump.strings[int(cell.dump.slots.path[first])]
        changed = bool(out) and changes_operand(cell.api(row)) and self._is_operand(slots)
        if changed and excuse_for(cell, row, out) is Excuse.FILL:
            self._arrive(Arrival(row, slots.outputs[0], BirthKind.OUTPUT, out, Excuse.FILL), slots)
        elif values == Special.MINUS_INF and self._may_be_mask(row, path):
            self._take_mask(row, first, slots, incoming, out)
        elif self._last >= 0:
            # Something was bad before; a view or a call that was not dumped brought it here.
            self._pass_on(row, slots, self._last)
        elif changed:
            self._arrive(Arrival(row, slots.outputs[0], BirthKind.IN_PLACE, out), slots)
        elif (writer := writer_before(cell, row, first, values)) >= 0:
            self._take_written(writer, row, slots, values)
        else:
            shown_by = cell.shown_by(first)
            self._arrive(Arrival(row, first, BirthKind.INPUT, values, shown_by=shown_by), slots)

    def _take_written(self, writer: int, row: int, slots: BadSlots, values: Special) -> None:
        """Accuse the call *writer*, which put its own argument into a tensor that *row* takes."""
        operand = cell_operand(self._cell, writer)
        self._found.arrivals.append(Arrival(writer, operand, BirthKind.IN_PLACE, values, written=True))
        self._found.state[writer] = values
        self._found.came_from[writer] = ABSENT
        self._pass_on(row, slots, writer)

    def _take_mask(self, row: int, slot: int, slots: BadSlots, incoming: _Incoming, out: Special) -> None:
        """Let −Inf come in that looks like a mask's."""
        mask = Arrival(row, slot, BirthKind.INPUT, Special.MINUS_INF, Excuse.OUTSIDE_MASK)
        if not out & ~Special.MINUS_INF:
            self._arrive(mask, slots)
            return
        self._found.arrivals.append(mask)
        incoming.excused.add(len(self._found.arrivals) - 1)
        self._make(row, slots, incoming, out)

    def _may_be_mask(self, row: int, path: str) -> bool:
        cell = self._cell
        return not cell.is_backward(row) and takes_mask(cell.api(row), path)

    def _is_operand(self, slots: BadSlots) -> bool:
        """Whether the operand alone is bad, and is what comes out."""
        cell = self._cell
        table, strings = cell.dump.slots, cell.dump.strings
        if len(slots.inputs) != 1 or slots.weights or table.group[slots.inputs[0]] != SlotGroup.INPUT:
            return False
        same = cell.special(slots.inputs) == cell.special(slots.outputs)
        return same and strings[int(table.path[slots.inputs[0]])] in ("", "0")

    def _outside(self, arrivals: Iterable[int]) -> tuple[int, ...]:
        """Return the calls in which those of *arrivals* came in that no call of this rank made."""
        found = (self._found.arrivals[number] for number in sorted(arrivals))
        return tuple(arrival.row for arrival in found if arrival.kind in FROM_OUTSIDE)

    # ---- what is remembered

    def _arrive(self, arrival: Arrival, slots: BadSlots) -> None:
        self._found.arrivals.append(arrival)
        number = len(self._found.arrivals) - 1
        if arrival.excuse is None:
            self._pass_on(arrival.row, slots, ABSENT)
            self._accuse_cause(arrival)
        else:
            self._keep_meant(arrival.row, slots.outputs, {number})

    def _accuse_cause(self, arrival: Arrival) -> None:
        """Something bad follows from what was excused: accuse it, unless Inf was meant there."""
        for number in arrival.causes:
            cause = self._found.arrivals[number]
            if cause.excuse is not None and not cause.excuse.deliberate:
                cause.excuse = None
                cause.effect = arrival.row
                self._found.state[cause.row] = cause.values
                self._found.came_from[cause.row] = ABSENT
                self._found.came_from[arrival.row] = cause.row
                self._found.arrivals.pop()  # it is the last
                return

    def _pass_on(self, row: int, slots: BadSlots, source: int) -> None:
        cell = self._cell
        self._found.state[row] = cell.special((*slots.inputs, *slots.weights, *slots.outputs)) & NON_FINITE
        self._found.came_from[row] = source
        self._last = row
        if cell.kind(row) is not OperatorKind.PARAMETERS_GRAD:  # nothing of them goes on in the module
            for name in cell.around(row):
                self._inside[name] = row

    def _pass_on_meant(self, row: int, slots: BadSlots, incoming: _Incoming) -> None:
        """Let the call give out Inf that is meant, unless it must not: then something bad follows."""
        cell = self._cell
        unread = any(self._is_only_unread(item) for item in incoming.excused)
        backward = cell.is_backward(row)
        api = cell.api(row)
        if cell.kind(row) is OperatorKind.API and (unread or backward or is_loss(api) or api in MIXING):
            out = cell.special(slots.outputs) & NON_FINITE
            causes = tuple(sorted(incoming.excused))
            self._arrive(Arrival(row, slots.outputs[0], BirthKind.OUTPUT, out, None, causes), slots)
        else:
            self._keep_meant(row, slots.outputs, incoming.excused)

    def _keep_meant(self, row: int, outputs: Iterable[int], arrivals: set[int]) -> None:
        for slot in outputs:
            self._excused_slot[slot] = set(arrivals)
        self._excused_row.setdefault(row, set()).update(arrivals)
        for name in self._cell.around(row):
            self._excused_inside.setdefault(name, set()).update(arrivals)
