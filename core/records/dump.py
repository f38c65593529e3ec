"""What one dump holds: operators, their slots, and the pools their ids point into."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any

import numpy as np

from core.errors import Problem
from core.records.columns import (
    ABSENT,
    Float64,
    Int8,
    Int32,
    Int64,
    ShapePool,
    StringPool,
    Table,
    UInt8,
    column,
)


class SlotGroup(IntEnum):
    """Where in a call a value sits. Keyword arguments are inputs with a name for a path."""

    INPUT = 0
    KEYWORD = 1
    PARAMETER = 2
    OUTPUT = 3
    PARAMETER_GRAD = 4
    VALUE = 5

    @property
    def label(self) -> str:
        """The word that slot names begin with."""
        return _GROUP_LABELS[self]


_GROUP_LABELS = {
    SlotGroup.INPUT: "input",
    SlotGroup.KEYWORD: "input",
    SlotGroup.PARAMETER: "parameters",
    SlotGroup.OUTPUT: "output",
    SlotGroup.PARAMETER_GRAD: "parameters_grad",
    SlotGroup.VALUE: "value",
}


class SlotKind(IntEnum):
    """What sits in a slot."""

    TENSOR = 0
    ARGUMENT = 1
    NONE = 2
    """Python's None: an absent bias, a gradient that never came."""
    UNRECORDED = 3
    """The dumper could not record the object (``{}`` in a dump.json)."""


class Known(IntFlag):
    """Which statistics of a tensor record the dump has; the rest hold 0 and mean nothing."""

    NONE = 0
    MAX = 1
    MIN = 2
    MEAN = 4
    NORM = 8
    ALL = 15


STATISTICS = ("max", "min", "mean", "norm")
"""The four statistics, in the order of :class:`Known`; norm is the Euclidean norm."""


@dataclass(frozen=True)
class OperatorTable(Table):
    """One row a call, in execution order as the dump has it."""

    name: Int32 = column(np.int32)
    """Id in ``strings``."""
    kind: UInt8 = column(np.uint8)
    """:class:`core.records.names.OperatorKind`."""
    direction: UInt8 = column(np.uint8)
    """:class:`core.records.names.Direction`."""
    occurrence: Int32 = column(np.int32, default=ABSENT)
    parent: Int32 = column(np.int32, default=ABSENT)
    """Name (id in ``strings``) of the enclosing module or scope."""
    micro_step: Int32 = column(np.int32, default=ABSENT)
    stack: Int32 = column(np.int32, default=ABSENT)
    """Id in ``stacks``."""
    first_slot: Int32 = column(np.int32)
    slot_count: Int32 = column(np.int32)
    extra: Int32 = column(np.int32, default=ABSENT)
    """JSON text (id in ``strings``) of what the dump says beside the slots, such as ``is_nan``."""


@dataclass(frozen=True)
class SlotTable(Table):
    """One row a value; the slots of one operator are neighbours."""

    operator: Int32 = column(np.int32)
    group: UInt8 = column(np.uint8)
    """:class:`SlotGroup`."""
    path: Int32 = column(np.int32)
    """Where inside the group (id in ``strings``): ``0``, ``mask``, ``0.1``; empty for a bare value."""
    kind: UInt8 = column(np.uint8)
    """:class:`SlotKind`."""
    type: Int32 = column(np.int32, default=ABSENT)
    """Type as the dump spells it (id in ``strings``): ``torch.Tensor``, ``int``, ``slice``."""
    dtype: Int32 = column(np.int32, default=ABSENT)
    """Dtype as the dump spells it (id in ``strings``)."""
    shape: Int32 = column(np.int32, default=ABSENT)
    """Id in ``shapes``."""
    known: UInt8 = column(np.uint8)
    """:class:`Known`: which of the next four hold something."""
    max: Float64 = column(np.float64)
    min: Float64 = column(np.float64)
    mean: Float64 = column(np.float64)
    norm: Float64 = column(np.float64)
    requires_grad: Int8 = column(np.int8, default=ABSENT)
    checksum: Int32 = column(np.int32, default=ABSENT)
    """Checksum as the dump spells it (id in ``strings``)."""
    value: Int32 = column(np.int32, default=ABSENT)
    """JSON text of an argument's value (id in ``strings``)."""
    extra: Int32 = column(np.int32, default=ABSENT)
    """JSON text of all keys without a column, and of integers beyond 2**53 (id in ``strings``)."""
    file: Int32 = column(np.int32, default=ABSENT)
    """Name of the tensor's file in the dump's data folder (id in ``strings``)."""
    file_size: Int64 = column(np.int64, default=ABSENT)
    """Bytes when the dump was read; -1 when the file was not there."""
    file_mtime_ns: Int64 = column(np.int64, default=ABSENT)


@dataclass(frozen=True)
class ScopeTable(Table):
    """Parents that are not calls themselves (``optimizer``, a module the dump left out)."""

    name: Int32 = column(np.int32)
    parent: Int32 = column(np.int32, default=ABSENT)


@dataclass(frozen=True)
class Dump:
    """All that one (step, rank) says, without the tensors' bytes."""

    format: str
    """Name of the reader: ``msprobe``, ``ptdbg``, ..."""
    framework: str
    """``pytorch``, ``mindspore`` or empty when the dump does not tell."""
    task: str
    """The dumper's task: ``statistics``, ``tensor``, ``md5`` ...; empty when not told."""
    level: str
    data_dir: str
    """Folder of the tensor files, absolute; empty when there is none."""
    operators: OperatorTable
    slots: SlotTable
    scopes: ScopeTable
    strings: StringPool
    shapes: ShapePool
    stacks: StringPool
    """Each different stack once, as JSON text; see :mod:`core.records.stacks`."""
    problems: tuple[Problem, ...] = ()
    header: Mapping[str, str] = field(default_factory=dict)
    """What else the dump's header says, as JSON texts by key."""

    @property
    def recorded(self) -> str:
        """What the dumper recorded: its task, with the checksums that "statistics" may hold or be."""
        tensors = self.slots.kind == SlotKind.TENSOR
        if self.task != "statistics" or not (self.slots.checksum[tensors] >= 0).any():
            return self.task
        return "statistics + checksums" if self.slots.known[tensors].any() else "checksums"

    def operator_name(self, operator: int) -> str:
        """Return the name of row *operator* of ``operators``."""
        return self.strings[int(self.operators.name[operator])]

    def slot_name(self, slot: int) -> str:
        """Return ``input.0``, ``input.mask``, ``output`` ... for row *slot* of ``slots``."""
        label = _GROUP_LABELS[SlotGroup(int(self.slots.group[slot]))]
        path = self.strings[int(self.slots.path[slot])]
        return f"{label}.{path}" if path else label

    def shape(self, slot: int) -> tuple[int, ...] | None:
        """Return the shape of row *slot*, ``None`` when the dump does not tell."""
        return self.shapes[int(self.slots.shape[slot])]

    def dtype(self, slot: int) -> str:
        """Return the dtype of row *slot* as the dump spells it, empty when it does not tell."""
        return self.strings[int(self.slots.dtype[slot])]

    def argument(self, slot: int) -> Any:
        """Return the value of the argument in row *slot*; ``None`` if it has none, or none that JSON says."""
        text = self.strings[int(self.slots.value[slot])]
        try:
            return json.loads(text) if text else None
        except ValueError:
            return None

    def slots_of(self, operator: int) -> range:
        """Return the rows of ``slots`` that belong to row *operator* of ``operators``."""
        first = int(self.operators.first_slot[operator])
        return range(first, first + int(self.operators.slot_count[operator]))
