"""One cell as the overflow analysis sees it: which slots are bad, where their values came from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.match.flow import earlier_outputs
from core.match.parameters import api_of, takes_parameter
from core.overflow.births.roles import UNINITIALISED, is_overwritten
from core.overflow.communication.movement import Movement, is_communication, read_movement
from core.overflow.special_values import SlotValues
from core.records.columns import Int32
from core.records.dump import Dump, SlotGroup
from core.records.names import Direction, OperatorKind, forward_name
from core.records.overflow import Special
from core.records.run import CellKey

NON_FINITE = Special.NAN | Special.PLUS_INF | Special.MINUS_INF
_SPECIALS = [Special(code) for code in range(2 * Special.SATURATED)]
_BACKWARD = int(Direction.BACKWARD)
_KEYWORD = int(SlotGroup.KEYWORD)
_MADE = (int(SlotGroup.OUTPUT), int(SlotGroup.PARAMETER_GRAD))


@dataclass(frozen=True)
class GoldenSide:
    """What the golden has in the slots of the target's dump."""

    dump: Dump
    values: SlotValues
    slot: Int32
    """The golden's slot for each slot of the target, -1 for none."""

    def special(self, slot: int) -> Special | None:
        """Return what the golden holds in the target's *slot*; ``None`` if that is not known."""
        partner = int(self.slot[slot])
        if partner < 0 or not self.values.known[partner]:
            return None
        return Special(int(self.values.special[partner]))


@dataclass(frozen=True)
class BadSlots:
    """The slots of one call that hold NaN or Inf, by what they are for."""

    inputs: tuple[int, ...]
    weights: tuple[int, ...]
    """Parameters, and inputs in the place of parameters."""
    outputs: tuple[int, ...]


_NOTHING = BadSlots((), (), ())


class Cell:
    """A dump with what is known of its special values, and lookups that the analysis needs."""

    def __init__(
        self, key: CellKey, dump: Dump, values: SlotValues, golden: GoldenSide | None = None
    ) -> None:
        self.key = key
        self.dump = dump
        self.values = values
        self.golden = golden
        self.bad: NDArray[np.bool_] = (values.special & int(NON_FINITE)) != 0
        # As bytes: looking up single numbers is what the pass over a bad cell does most.
        self._codes = values.special.tobytes()
        self._directions = dump.operators.direction.tobytes()
        self._apis: dict[int, str] = {}

    def special(self, slots: tuple[int, ...]) -> Special:
        """Return all that is special in *slots*."""
        found = 0
        for slot in slots:
            found |= self._codes[slot]
        return _SPECIALS[found]

    @cached_property
    def names(self) -> list[str]:
        """Names of all calls, by row."""
        strings = self.dump.strings
        return [strings[name] for name in self.dump.operators.name.tolist()]

    @cached_property
    def row_of_name(self) -> dict[str, int]:
        """Row of each call by its name."""
        return {name: row for row, name in enumerate(self.names)}

    @cached_property
    def movements(self) -> dict[int, Movement]:
        """What the communication calls move, by row, growing."""
        rank = self.key.rank
        found = (
            read_movement(name, row, self.dump, rank)
            for row, name in enumerate(self.names)
            if is_communication(name)
        )
        return {movement.row: movement for movement in found if movement is not None}

    @cached_property
    def producer(self) -> Int32:
        """For each bad slot, the output of an earlier call that held the same values; -1 for none.

        What a communication call shows of its arguments and did not receive is no output. Memory that nobody
        has written often holds the NaN of something freed: it is taken for the producer only where nothing
        else is.
        """
        made = self.bad & ~self._only_shown
        unwritten = self._unwritten
        found = earlier_outputs(self.dump, made & ~unwritten)
        if not unwritten.any():
            return found
        memory = earlier_outputs(self.dump, made)
        written: dict[int, int] = {}
        for slot in np.flatnonzero(self.bad & (memory >= 0)).tolist():
            if self._is_overwritten(slot):
                written.setdefault(int(memory[slot]), int(self.dump.slots.operator[slot]))
        for slot in np.flatnonzero((found < 0) & (memory >= 0)).tolist():
            if written.get(int(memory[slot]), len(self.names)) > self.dump.slots.operator[slot]:
                found[slot] = memory[slot]
        return found

    def _is_overwritten(self, slot: int) -> bool:
        """Whether the call of an input *slot* writes into it without reading it."""
        slots = self.dump.slots
        row, group = int(slots.operator[slot]), int(slots.group[slot])
        if group > _KEYWORD:
            return False
        movement = self.movements.get(row)
        if movement is not None:
            return slot not in movement.sent
        return is_overwritten(self.api(row), group, self.dump.strings[int(self.dump.slots.path[slot])])

    def shown_by(self, slot: int) -> int:
        """Return the asynchronous call that shows the values of a bad *slot* in its buffer, -1 for none."""
        producer = int(self._last_seen[slot])
        row = int(self.dump.slots.operator[producer]) if producer >= 0 else -1
        movement = self.movements.get(row)
        return row if movement is not None and producer in movement.shown else -1

    @cached_property
    def _last_seen(self) -> Int32:
        """For each bad slot, the last output that shows the same values, whatever that means."""
        return earlier_outputs(self.dump, self.bad)

    @property
    def _only_shown(self) -> NDArray[np.bool_]:
        """Bad outputs of communication calls that these did not receive."""
        slots = self.dump.slots
        outputs = self.bad & (slots.group == SlotGroup.OUTPUT) & np.isin(slots.operator, list(self.movements))
        found: NDArray[np.bool_] = np.zeros(len(slots), bool)
        for slot in np.flatnonzero(outputs).tolist():
            found[slot] = slot not in self.movements[int(slots.operator[slot])].received
        return found

    @property
    def _unwritten(self) -> NDArray[np.bool_]:
        """Bad outputs of calls that hand out memory as it is."""
        slots = self.dump.slots
        outputs = self.bad & (slots.group == SlotGroup.OUTPUT)
        rows = [row for row in np.unique(slots.operator[outputs]).tolist() if self.api(row) in UNINITIALISED]
        found: NDArray[np.bool_] = outputs & np.isin(slots.operator, rows)
        return found

    @cached_property
    def consumers(self) -> dict[int, list[int]]:
        """Rows of the calls that take the values of a bad output, by its slot."""
        found: dict[int, list[int]] = defaultdict(list)
        slots = self.dump.slots
        taken = np.flatnonzero((self.producer >= 0) & (slots.group <= SlotGroup.KEYWORD))
        for slot in taken.tolist():
            found[int(self.producer[slot])].append(int(slots.operator[slot]))
        return found

    @cached_property
    def _handed_out(self) -> dict[int, list[int]]:
        """Outputs of modules that hold the values of an output inside of them, by that one."""
        found: dict[int, list[int]] = defaultdict(list)
        slots = self.dump.slots
        made = (slots.group == SlotGroup.OUTPUT) | (slots.group == SlotGroup.PARAMETER_GRAD)
        for slot in np.flatnonzero(made & (self.producer >= 0)).tolist():
            if self.kind(int(slots.operator[slot])) is OperatorKind.MODULE:
                found[int(self.producer[slot])].append(slot)
        return found

    def bad_of(self, row: int) -> BadSlots:
        """Return the bad slots of call *row*; one that writes into its operand may have none."""
        return self.bad_slots.get(row, _NOTHING)

    def takers(self, row: int) -> list[int]:
        """Return the rows of all calls that take bad outputs of call *row*, also of the modules around it."""
        pending, seen, found = list(self.bad_of(row).outputs), set[int](), set[int]()
        while pending:
            slot = pending.pop()
            if slot not in seen:
                seen.add(slot)
                found.update(self.consumers.get(slot, ()))
                pending.extend(self._handed_out.get(slot, ()))
        return sorted(found)

    @cached_property
    def bad_slots(self) -> dict[int, BadSlots]:
        """Bad slots by the row of their call, growing; what a call overwrites unread is left out."""
        found: dict[int, tuple[list[int], list[int], list[int]]] = {}
        slots, strings = self.dump.slots, self.dump.strings
        for slot in np.flatnonzero(self.bad).tolist():
            row, group = int(slots.operator[slot]), int(slots.group[slot])
            path = strings[int(slots.path[slot])]
            inputs, weights, outputs = found.setdefault(row, ([], [], []))
            movement = self.movements.get(row)
            if group in _MADE:
                if movement is None or slot in movement.received:
                    outputs.append(slot)
            elif self._is_overwritten(slot):
                continue
            elif movement is None and self._takes_parameter(row, group, path):
                weights.append(slot)
            else:
                inputs.append(slot)
        return {row: BadSlots(*map(tuple, lists)) for row, lists in sorted(found.items()) if any(lists)}

    def _takes_parameter(self, row: int, group: int, path: str) -> bool:
        return not self.is_backward(row) and takes_parameter(self.api(row), group, path)

    def api(self, row: int) -> str:
        """Return ``softmax`` for a call of ``Functional.softmax``."""
        api = self._apis.get(row)
        if api is None:
            api = self._apis[row] = api_of(self.names[row])
        return api

    def kind(self, row: int) -> OperatorKind:
        """Return what kind of call *row* is."""
        return OperatorKind(int(self.dump.operators.kind[row]))

    def is_backward(self, row: int) -> bool:
        """Whether *row* belongs to the backward pass."""
        return self._directions[row] == _BACKWARD

    def parent(self, row: int) -> str:
        """Return the name of the module call around *row*, empty for none."""
        return self.dump.strings[int(self.dump.operators.parent[row])]

    def around(self, row: int) -> Iterator[str]:
        """Yield the names of all module calls around *row*, innermost first."""
        seen: set[str] = set()
        name = self.parent(row)
        while name and name not in seen:
            seen.add(name)
            yield name
            above = self.row_of_name.get(name, -1)
            name = self.parent(above) if above >= 0 else ""

    def depends_on(self, row: int) -> int:
        """Return the call whose saved values a backward call works on, -1 for none."""
        name = self.names[row]
        if self.kind(row) is OperatorKind.PARAMETERS_GRAD:
            stem, _, count = name.rpartition(".parameters_grad")
            return self.row_of_name.get(f"{stem}.backward.{count.lstrip('.') or '0'}", -1)
        return self.row_of_name.get(forward_name(name) or "", -1)

    @cached_property
    def undecided_rows(self) -> NDArray[np.int64]:
        """Rows of the calls with floating point tensors of which the dump says nothing, growing."""
        return np.unique(self.dump.slots.operator[~self.values.known])
