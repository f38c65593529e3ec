"""How values go from call to call: which slot has its value from which other one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from core.records.columns import Int32
from core.records.dump import Dump, Known

_MEASURED = Known.MAX | Known.MIN


class Basis(IntEnum):
    """What two slots are taken for the same value by. Its name in lower case is the catalogue code
    ``gui.flow.basis.<name>``.
    """

    STATISTICS = 0
    """Number of elements, extremes and norm."""
    CHECKSUM = 1
    """Only checksums are known."""
    BOTH = 2
    """Statistics, and the checksums agree too."""
    CONSTANT = 3
    """A value that is the same everywhere: all tensors filled with it look alike."""


@dataclass(frozen=True)
class Flow:
    """Which slot of a dump has its value from which other one."""

    source: Int32
    """For each slot the row of the earlier output with its value, -1 where none was dumped. An output has
    one too where it only passes on what another call made."""
    first_taker: Int32
    """For each slot where its takers begin in ``takers``; one more at the end."""
    takers: Int32
    """Slots whose ``source`` is the same are neighbours, in the order of the dump."""

    def takers_of(self, slot: int) -> Int32:
        """Return the rows of the slots that have their value from row *slot*."""
        return self.takers[int(self.first_taker[slot]) : int(self.first_taker[slot + 1])]


def basis_of(dump: Dump, source: int, taker: int) -> Basis:
    """Return what the slots in rows *source* and *taker* of *dump* are taken for the same value by."""
    slots = dump.slots
    if (int(slots.known[source]) & _MEASURED) != _MEASURED:
        return Basis.CHECKSUM
    if slots.max[source] == slots.min[source]:
        return Basis.CONSTANT
    agree = slots.checksum[source] >= 0 and slots.checksum[source] == slots.checksum[taker]
    return Basis.BOTH if agree else Basis.STATISTICS
