"""Calls of one dump that may drop something at random, and whether they did."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.match.parameters import api_of
from core.precheck.dumps.facts import Dropout
from core.records.dump import STATISTICS, Dump, Known, SlotGroup, SlotKind
from core.records.names import Direction, OperatorKind


class _Places(NamedTuple):
    """Where a call takes its probability among its inputs, by position; empty where by keyword alone."""

    rate: str = ""
    kept: str = ""
    """The share that is kept instead."""
    training: str = ""


_PURE = re.compile(
    r"_?(npu_|native_|fused_|feature_?|alpha_?|feature_?alpha_?|stable_?)*dropout([123]d)?_?"
    r"|drop_?path|stochastic_?depth|drop_?connect"
)
"""Names, in small letters, of what drops and does nothing else: operators, and classes of modules."""
_PURE_PLACES = _Places(rate="1", training="2")
_RECURRENT, _RECURRENT_PACKED = _Places(rate="5", training="6"), _Places(rate="6", training="7")
"""torch's recurrent operators; packed sequences come with their batch sizes before the hidden states."""
_RECURRENT_BIAS = "3"
"""Place of the switch for a bias, of sequences that are not packed."""
_TAKING = {
    "scaled_dot_product_attention": _Places(rate="4"),
    "_scaled_dot_product_flash_attention": _Places(rate="3"),
    "_scaled_dot_product_efficient_attention": _Places(rate="5"),
    "multi_head_attention_forward": _Places(rate="10", training="13"),
    "npu_fusion_attention": _Places(kept="9"),
    "npu_fusion_attention_v2": _Places(),
    "flash_attention_score": _Places(),
    "flash_attn_func": _Places(rate="3"),
    "flash_attn_qkvpacked_func": _Places(rate="1"),
    "flash_attn_kvpacked_func": _Places(rate="2"),
    "flash_attn_varlen_func": _Places(rate="7"),
    "memory_efficient_attention": _Places(rate="4"),
    "lstm": _RECURRENT, "gru": _RECURRENT, "rnn_tanh": _RECURRENT, "rnn_relu": _RECURRENT,
}  # fmt: skip
"""Operators that drop beside what they are for, and do not where they are not told to.

Signatures of torch, torch_npu, flash-attn, xformers and MindSpore.
"""
_RATES = ("p", "dropout_p", "probability", "prob", "dropout", "dropout_rate")
_KEPT = "keep_prob"
_MODES = ("training", "train")
_NOISY_SLOPE = "rrelu"
_NOISY_SLOPE_TRAINS = "3"
_MASKS = ("bernoulli", "bernoulli_")
"""What makes a mask: timm's drop path multiplies by one."""
_DRAWS = (
    "rand", "rand_like", "randn", "randn_like", "randint", "randint_like", "uniform_", "normal_", "random_",
    "gumbel_softmax",
)  # fmt: skip
"""What draws random numbers for a purpose that a dump does not show."""
_WORDS = ("drop", "stochastic", *_TAKING, _NOISY_SLOPE, *_MASKS, *_DRAWS)
"""Pieces of the names that all of these have."""
_MOST = 500
"""Calls that are told of."""


def dropouts_of(dump: Dump, *, golden: bool) -> tuple[Dropout, ...]:
    """Return the forward calls of *dump* that may drop something; active ones first, then unknown ones."""
    operators, slots = dump.operators, dump.slots
    asked = np.array([text in ("dropout_p", _KEPT) for text in dump.strings] + [False])
    wanted = _named(dump)
    wanted[slots.operator[(slots.kind == SlotKind.ARGUMENT) & asked[slots.path]]] = True
    wanted &= operators.direction == Direction.FORWARD
    told = (_told(dump, row, golden) for row in np.flatnonzero(wanted).tolist())
    found = [item for item in told if item is not None]
    return tuple(sorted(found, key=lambda item: (True, None, False).index(item.active))[:_MOST])


def _named(dump: Dump) -> NDArray[np.bool_]:
    """Return which calls have a name that may tell of dropping.

    Most names of a dump are those of other calls: all of them are searched as one text before any is taken
    apart.
    """
    names = [dump.operator_name(row).lower() for row in range(len(dump.operators))]
    starts = np.cumsum([0, *(len(name) + 1 for name in names)])
    text, found = "\n".join(names), np.zeros(len(names), bool)
    for word in _WORDS:
        place = text.find(word)
        while place >= 0:
            row = int(np.searchsorted(starts, place, side="right")) - 1
            found[row] = True
            place = text.find(word, int(starts[row + 1]))
    return found


def _told(dump: Dump, row: int, golden: bool) -> Dropout | None:
    name = dump.operator_name(row)
    api = api_of(name).lower()
    values = {
        dump.strings[int(dump.slots.path[slot])]: dump.argument(slot)
        for slot in dump.slots_of(row)
        if dump.slots.kind[slot] == SlotKind.ARGUMENT and dump.slots.group[slot] <= SlotGroup.KEYWORD
    }
    if api in _DRAWS:
        return Dropout(name, golden, None, None, None)
    if api in _MASKS:
        return Dropout(name, golden, None, None, _is_mixed(dump, row))
    if api == _NOISY_SLOPE:
        training = _switch(values, _NOISY_SLOPE_TRAINS)
        told = dump.operators.slot_count[row] and dump.operators.kind[row] != OperatorKind.MODULE
        active = training if training is not None or not told else False
        return Dropout(name, golden, None, training, active)
    pure = _PURE.fullmatch(api) is not None
    if not pure and dump.operators.kind[row] == OperatorKind.MODULE:
        return None  # what it does inside shows in calls of its own, or not at all
    places = _PURE_PLACES if pure else _TAKING.get(api)
    if places is _RECURRENT and not isinstance(values.get(_RECURRENT_BIAS), bool):
        places = _RECURRENT_PACKED
    rate = _rate(values, places or _Places())
    if places is None and rate is None and "dropout" not in api:
        return None
    training = _switch(values, places.training if places else "")
    if rate is None and places is not None and not pure and dump.operators.slot_count[row]:
        rate = 0.0  # the default of all of them
    if rate == 0 or training is False:
        return Dropout(name, golden, rate, training, False)
    active = _changes(dump, row) if pure else None
    if active is None and rate is not None:
        active = True
    return Dropout(name, golden, rate, training, active)


def _rate(values: dict[str, object], places: _Places) -> float | None:
    """Return the probability to drop with; ``None`` where the call is not given one."""
    for key in (*_RATES, places.rate):
        if (rate := _number(values.get(key))) is not None:
            return rate
    kept = next(
        (kept for key in (_KEPT, places.kept) if (kept := _number(values.get(key))) is not None), None
    )
    return None if kept is None else round(1.0 - kept, 12)


def _switch(values: dict[str, object], place: str) -> bool | None:
    return next((value for key in (*_MODES, place) if isinstance(value := values.get(key), bool)), None)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _is_mixed(dump: Dump, row: int) -> bool | None:
    """Return whether what a call gives out is not the same number everywhere."""
    slots = dump.slots
    for slot in dump.slots_of(row):
        if slots.group[slot] == SlotGroup.OUTPUT and slots.kind[slot] == SlotKind.TENSOR:
            known = Known(int(slots.known[slot]))
            return (
                bool(slots.max[slot] != slots.min[slot]) if known & Known.MAX and known & Known.MIN else None
            )
    return None


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
