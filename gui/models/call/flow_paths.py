"""The way of values through a dump: where one came through, and who takes it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.records.columns import ABSENT, Int32
from core.records.dump import Dump, SlotGroup, SlotKind
from core.records.flow import Basis, basis_of
from gui.models.call.flow_columns import SideFlow

INPUTS = (SlotGroup.INPUT, SlotGroup.KEYWORD)
OUTPUTS = (SlotGroup.OUTPUT, SlotGroup.PARAMETER_GRAD)
_FARTHEST = 500
"""Slots up to which a value is followed where it is passed on, and modules within each other."""


class Paths:
    """Of one side of a cell."""

    def __init__(self, dump: Dump, side: SideFlow) -> None:
        self._dump, self._side = dump, side
        self._source = side.flow.source

    def chain(self, slot: int) -> list[int]:
        """Return the outputs that the value of *slot* came through, the nearest first, its maker last."""
        chain: list[int] = []
        source = int(self._source[slot])
        while source != ABSENT and len(chain) < _FARTHEST:
            chain.append(source)
            if self.is_constant(source):  # there are many of the kind: the nearest is as good as any
                break
            source = int(self._source[source])
        return chain

    def taken(self, slot: int) -> tuple[Int32, set[int]]:
        """Return the slots that take the value of *slot*, in the order of the dump, and which calls give it
        out again.
        """
        slots, takers_of = self._dump.slots, self._side.flow.takers_of
        found = [takers_of(slot)]
        waiting = [] if self.is_constant(slot) else self._outputs(found[0])
        while waiting and len(found) < _FARTHEST:
            found.append(takers_of(waiting.pop()))
            waiting += self._outputs(found[-1])
        every = np.unique(np.concatenate(found))
        taking = np.isin(slots.group[every], INPUTS)
        operators = slots.operator[every]
        # a call that takes the value and passes it on is one station, not two
        shown = every[taking | ~np.isin(operators, operators[taking])]
        return shown, set(operators[~taking].tolist())

    def _outputs(self, slots: Int32) -> list[int]:
        """Return those of *slots* that only pass on what they have."""
        outputs: list[int] = slots[~np.isin(self._dump.slots.group[slots], INPUTS)].tolist()
        return outputs

    def is_constant(self, slot: int) -> bool:
        """Whether all elements of *slot* are one number."""
        return basis_of(self._dump, slot, slot) is Basis.CONSTANT

    def around(self, operator: int) -> Iterator[int]:
        """Yield the module calls around *operator*, the nearest first."""
        for _ in range(_FARTHEST):  # a dump may say that a module is its own parent
            operator = int(self._side.parent[operator])
            if operator < 0:
                return
            yield operator

    def is_inside(self, slot: int, operator: int) -> bool:
        """Whether *slot* is of a call that was made in the call *operator*."""
        return operator in self.around(int(self._dump.slots.operator[slot]))

    def tensors(self, operator: int, groups: tuple[SlotGroup, ...]) -> list[int]:
        """Return the slots of *operator* in *groups* that hold tensors."""
        slots = self._dump.slots
        return [
            slot
            for slot in self._dump.slots_of(operator)
            if int(slots.group[slot]) in groups and slots.kind[slot] == SlotKind.TENSOR
        ]
