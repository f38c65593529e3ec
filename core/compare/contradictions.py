"""Tensor files that are not what their record says: left over from another run, or of another call."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, prod

from core.dtypes import DType, Kind, dtype_named
from core.errors import InputError, Problem
from core.formats.tensors.handle import TensorHandle
from core.metrics.tensor_metrics import TensorMetrics
from core.records.dump import Dump, Known, SlotGroup

_ROUNDINGS = 64
"""Units of roundoff by which extremes may miss those of the file. Most dumpers do not round them at all;
where they went through another format, they were rounded once or twice."""
_EXTREMES = Known.MAX | Known.MIN
_OF_PARAMETERS = (SlotGroup.PARAMETER, SlotGroup.PARAMETER_GRAD)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a record says of its tensor, as far as a file can contradict it; small and picklable."""

    dtype: str
    """As the dump spells it; empty when it does not say."""
    shape: tuple[int, ...] | None
    parameter: bool
    """Parameters may be sharded or flattened by what holds them; their files are taken as they are."""
    largest: float | None
    """Largest magnitude by the recorded extremes, ``None`` where they are not both known."""


def claim_of(dump: Dump, slot: int) -> Claim:
    """Return what row *slot* of *dump* claims."""
    slots = dump.slots
    known = int(slots.known[slot]) & _EXTREMES == _EXTREMES
    high, low = abs(float(slots.max[slot])), abs(float(slots.min[slot]))
    largest = (max(high, low) if high == high and low == low else float("nan")) if known else None
    parameter = int(slots.group[slot]) in _OF_PARAMETERS
    return Claim(dump.dtype(slot), dump.shape(slot), parameter, largest)


def refuse_contradicting(tensor: TensorHandle, claim: Claim) -> None:
    """Raise if the file is of another dtype, or has another number of elements, than its record says.

    A file may hold a float format in a wider one (bf16 as float32), formats that numpy lacks as their bits,
    and other dimensions for the same elements.

    Raises
    ------
    InputError
        ``file_contradicts_record``.
    """
    if claim.parameter:
        return
    said = dtype_named(claim.dtype) if claim.dtype else None
    shape = claim.shape
    fits = shape is None or shape == tensor.shape or prod(shape) == tensor.size
    if fits and (said is None or _may_be_stored_as(said, tensor.stored)):
        return
    record = f"{claim.dtype} {list(shape) if shape is not None else ''}".strip()
    facts = {"found": f"{tensor.stored.name} {list(tensor.shape)}", "recorded": record}
    raise InputError(Problem("file_contradicts_record", tensor.path, facts))


def _may_be_stored_as(said: DType, stored: DType) -> bool:
    if said is stored:
        return True
    if said.kind is stored.kind:
        return said.precision > 0 and stored.precision >= said.precision and stored.maximum >= said.maximum
    return not said.native and stored.kind is Kind.INTEGER and stored.itemsize == said.itemsize


def extremes_contradict(claim: Claim, tensor_largest: float, metrics: TensorMetrics, dtype: str) -> bool:
    """Return whether recorded extremes are not those of the file, of which all elements are finite.

    *tensor_largest* is the largest magnitude in the file, *dtype* the name of what its numbers are.
    """
    if claim.largest is None or metrics.finite_count != metrics.count or not metrics.count:
        return False
    said = dtype_named(dtype)
    if said is None or said.kind is Kind.COMPLEX or tensor_largest != tensor_largest:
        return False
    if not isfinite(claim.largest):
        return True
    largest = max(claim.largest, tensor_largest)
    unit = said.unit_roundoff or 2.0**-24  # extremes of integers go through float32 in some dumpers
    return abs(claim.largest - tensor_largest) > max(_ROUNDINGS * unit * largest, said.smallest_normal)
