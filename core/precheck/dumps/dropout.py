"""Calls of one dump that may drop something at random, and whether they did."""

from __future__ import annotations

import numpy as np

from core.match.parameters import api_of
from core.precheck.dumps.facts import Dropout
from core.records.dump import STATISTICS, Dump, Known, SlotGroup, SlotKind
from core.records.names import Direction

_WORD = "dropout"
_RATES = ("p", "dropout_p", "probability")
_KEPT = "keep_prob"
"""What ``npu_fusion_attention`` calls the share that is kept."""
_MODES = ("training", "train")
_ATTENTION = "scaled_dot_product_attention"
_ATTENTION_PLACE = "4"
"""Position of the probability among the inputs of torch's attention, as its documentation has them."""
_MOST = 500
"""Calls that are told of."""


def dropouts_of(dump: Dump, *, golden: bool) -> tuple[Dropout, ...]:
    """Return the forward calls of *dump* that take a probability to drop with; active ones first."""
    operators, slots = dump.operators, dump.slots
    named = np.array([_WORD in text.lower() for text in dump.strings] + [False])
    asked = np.array([text in ("dropout_p", _KEPT) for text in dump.strings] + [False])
    attention = np.array([_ATTENTION in text for text in dump.strings] + [False])
    wanted = named[operators.name] | attention[operators.name]
    wanted[slots.operator[(slots.kind == SlotKind.ARGUMENT) & asked[slots.path]]] = True
    wanted &= operators.direction == Direction.FORWARD
    found = [_told(dump, row, golden) for row in np.flatnonzero(wanted).tolist()]
    known = [item for item in found if item.active is not None or item.probability is not None]
    return tuple(sorted(known, key=lambda item: not item.active)[:_MOST])


def _told(dump: Dump, row: int, golden: bool) -> Dropout:
    name = dump.operator_name(row)
    own = _WORD in api_of(name).lower() or _WORD in name.lower()
    values = {
        dump.strings[int(dump.slots.path[slot])]: dump.argument(slot)
        for slot in dump.slots_of(row)
        if dump.slots.kind[slot] == SlotKind.ARGUMENT and dump.slots.group[slot] <= SlotGroup.KEYWORD
    }
    places = (*_RATES, "1") if own else (*_RATES, _ATTENTION_PLACE) if _ATTENTION in name else _RATES
    rate = next((_number(values[place]) for place in places if place in values), None)
    kept = _number(values.get(_KEPT))
    rate = 1.0 - kept if kept is not None and rate is None else rate
    modes = (*_MODES, "2") if own else ()
    training = next((value for place in modes if isinstance(value := values.get(place), bool)), None)
    if rate == 0 or training is False:
        active: bool | None = False
    else:
        active = _changes(dump, row) if own else None
        if active is None and rate is not None:
            active = True
    return Dropout(name, golden, rate, training, active)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _changes(dump: Dump, row: int) -> bool | None:
    """Return whether the first output differs from the first input; ``None`` where no record tells."""
    slots = dump.slots
    tensors = [slot for slot in dump.slots_of(row) if slots.kind[slot] == SlotKind.TENSOR]
    taken = next((slot for slot in tensors if slots.group[slot] <= SlotGroup.KEYWORD), None)
    given = next((slot for slot in tensors if slots.group[slot] == SlotGroup.OUTPUT), None)
    if taken is None or given is None:
        return None
    if slots.checksum[taken] >= 0 and slots.checksum[given] >= 0:
        return bool(slots.checksum[taken] != slots.checksum[given])
    known = Known(int(slots.known[taken])) & Known(int(slots.known[given]))
    names = [name for name in STATISTICS if known & Known[name.upper()]]
    if not names:
        return None
    values = [np.array([getattr(slots, name)[slot] for name in names]) for slot in (taken, given)]
    return not np.array_equal(values[0], values[1], equal_nan=True)
