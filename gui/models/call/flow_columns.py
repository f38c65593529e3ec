"""The data flow of a cell as columns, joined to the rows of its result."""

from __future__ import annotations

from dataclasses import dataclass

from core.records.columns import Int32
from core.records.flow import Flow


@dataclass(frozen=True)
class SideFlow:
    """The flow of one side, and where its slots and calls stand in the result."""

    flow: Flow
    row_of_slot: Int32
    """The row of the result that a slot is in, -1 for none."""
    row_of_operator: Int32
    """The first row of a call."""
    parent: Int32
    """The row of the module call that a call was made in, -1 where that is none."""


@dataclass(frozen=True)
class CellFlow:
    """Both sides of a cell."""

    target: SideFlow
    golden: SideFlow
