"""How much of a step a dump holds: what is not in it cannot be seen, however well the rest agrees."""

from __future__ import annotations

import numpy as np

from core.match.flow import producers
from core.match.parameters import api_of, takes_parameter
from core.precheck.dumps.facts import Recorded
from core.records.dump import Dump, SlotGroup, SlotKind
from core.records.names import Direction, OperatorKind

_CUT = (
    "truncated", "lines_truncated", "changed_while_reading", "broken_operators", "broken_lines", "not_json",
    "not_readable", "too_deep",
)  # fmt: skip
"""Problems of reading that cost operators."""
_LEAST_LINKED = 0.25
"""Share of what goes into calls that other dumped calls have made, from which a dump is taken for whole.

An assumption: whole steps have 0.5 to 0.95; in a dump of chosen operators next to nothing is linked.
"""
_MOST_ASKED = 2000
"""Values that go into calls that are looked at."""


def recorded_of(dump: Dump) -> Recorded:
    """Return what *dump* holds of its step."""
    if any(problem.code in _CUT for problem in dump.problems):
        return Recorded.CUT
    kinds = dump.operators.kind
    if not (kinds == OperatorKind.API).any():
        return Recorded.MODULES if (kinds == OperatorKind.MODULE).any() else Recorded.VALUES
    if not (dump.slots.kind == SlotKind.TENSOR).any():
        return Recorded.STRUCTURE
    return Recorded.CALLS if _is_linked(dump) else Recorded.PART


def _is_linked(dump: Dump) -> bool:
    """Return whether calls take what other calls have made; a single call has nobody to take from."""
    slots, operators = dump.slots, dump.operators
    calls = (operators.kind == OperatorKind.API) & (operators.direction == Direction.FORWARD)
    if calls.sum() < 2:
        return True
    taken = (slots.kind == SlotKind.TENSOR) & (slots.group <= SlotGroup.KEYWORD) & calls[slots.operator]
    made = producers(dump) >= 0
    linked = asked = 0
    for slot in np.flatnonzero(taken)[:_MOST_ASKED].tolist():
        api = api_of(dump.operator_name(int(slots.operator[slot])))
        if not takes_parameter(api, int(slots.group[slot]), dump.strings[int(slots.path[slot])]):
            asked += 1
            linked += bool(made[slot])
    return linked >= _LEAST_LINKED * asked
