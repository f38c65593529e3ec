"""Tensors of a call as numbers of the widest format of their kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.dtypes import DType, Kind
from core.emulation.terms.arguments import Tensor
from core.emulation.terms.formats import FLOAT64, INT64, is_float
from core.emulation.terms.outcome import NotReplayable, NotReplayed
from core.errors import InputError
from core.records.dump import Dump, SlotGroup, SlotKind
from core.store.tensor_bytes import place_of


def read_tensor(dump: Dump, slot: int, index: Any = ()) -> Tensor:
    """Read the tensor of row *slot*, or what a numpy *index* selects of it.

    Raises
    ------
    NotReplayable
        MISSING_TENSOR or UNREADABLE.
    """
    place = place_of(dump, slot)
    if place is None:
        raise NotReplayable(NotReplayed.MISSING_TENSOR, dump.slot_name(slot))
    try:
        with place.open() as handle:
            return widened(handle.read(index), handle.dtype)
    except InputError as error:
        raise NotReplayable(NotReplayed.UNREADABLE, error.problem.path) from None


def widened(numbers: np.ndarray[Any, Any], dtype: DType) -> Tensor:
    """Return *numbers* in the widest format of their kind: float64, int64, bool or complex128."""
    if dtype.kind is Kind.COMPLEX or numbers.dtype.kind == "c":
        return Tensor(numbers.astype(np.complex128), dtype)
    if numbers.dtype.kind == "f":
        # A dump may call integers what its file holds as floats.
        known = dtype if is_float(dtype) else FLOAT64
        return Tensor(numbers.astype(np.float64), known)
    if numbers.dtype == np.bool_:
        return Tensor(np.array(numbers), dtype)
    if numbers.dtype == np.uint64:
        return Tensor(np.array(numbers), dtype)
    return Tensor(numbers.astype(np.int64), dtype if dtype.kind is not Kind.FLOAT else INT64)


_OUTPUTS = (SlotGroup.OUTPUT, SlotGroup.PARAMETER_GRAD)


def output_slots(dump: Dump, operator: int) -> list[int]:
    """Return the rows of a call's outputs that are tensors or None; of gradients of parameters, those."""
    slots = dump.slots
    return [
        slot
        for slot in dump.slots_of(operator)
        if slots.group[slot] in _OUTPUTS and slots.kind[slot] in (SlotKind.TENSOR, SlotKind.NONE)
    ]
