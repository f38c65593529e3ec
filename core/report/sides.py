"""One side of some rows: what its dump says in their slots, as the official tables print it."""

from __future__ import annotations

import json
import zlib
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.records.columns import ABSENT, Int32
from core.records.dump import Dump, Known, SlotGroup, SlotKind
from core.report.cells import mapped, numbers, pooled

NOT_THERE = "N/A"


class Side:
    """One side of the chosen rows: its slots as arrays, with a blank behind for absent ones."""

    def __init__(self, dump: Dump, operators: Int32, slots: Int32) -> None:
        self.dump = dump
        self.operators = operators
        self.rows = slots
        self.there = slots >= 0

    def column(self, name: str, blank: float = ABSENT) -> NDArray[Any]:
        """Return column *name* of the slots, *blank* where there is none."""
        values: NDArray[Any] = getattr(self.dump.slots, name)
        return np.append(values, np.array(blank, values.dtype))[self.rows]

    @cached_property
    def kind(self) -> NDArray[np.int64]:
        """The slot kinds, 255 where there is no slot."""
        return self.column("kind", 255).astype(np.int64)

    @cached_property
    def known(self) -> NDArray[np.uint8]:
        """Which statistics the dump has."""
        return self.column("known", 0)

    def has(self, statistic: str) -> NDArray[np.bool_]:
        """Return where the dump has *statistic*."""
        found: NDArray[np.bool_] = (self.known & Known[statistic.upper()]) != 0
        return found

    @cached_property
    def arguments(self) -> list[str]:
        """The values of arguments as the official tables print them; empty for anything else."""
        texts: dict[int, str] = {ABSENT: ""}
        made = []
        for value in np.where(self.kind == SlotKind.ARGUMENT, self.column("value"), ABSENT).tolist():
            if value not in texts:
                texts[value] = _argument_text(self.dump.strings[value])
            made.append(texts[value])
        return made

    def checksums(self) -> list[str]:
        """Return checksums as the official table has them: arguments get the CRC-32 of their text."""
        texts = pooled(self.dump.strings, self.column("checksum"), NOT_THERE)
        for index in np.flatnonzero(self.kind == SlotKind.ARGUMENT).tolist():
            texts[index] = f"{zlib.crc32(self.arguments[index].encode('utf-8', 'surrogatepass')):08x}"
        return texts

    def names(self) -> list[str]:
        """Return the official item name of each row: the tensor file's stem, or operator and slot."""
        files = self.column("file")
        operator_names = pooled(
            self.dump.strings, np.append(self.dump.operators.name, ABSENT)[self.operators], NOT_THERE
        )
        slot_names: dict[tuple[int, int], str] = {}
        result = []
        for operator, slot, path, group, file in zip(
            operator_names,
            self.rows.tolist(),
            self.column("path").tolist(),
            self.column("group", 0).tolist(),
            files.tolist(),
        ):
            if slot < 0:
                result.append(operator)
            elif file >= 0:
                result.append(self.dump.strings[file].rsplit(".", 1)[0])
            else:
                if (path, group) not in slot_names:
                    # The names of gradients and saved values already say what the slot is.
                    bare = group in (SlotGroup.PARAMETER_GRAD, SlotGroup.VALUE)
                    slot_names[path, group] = self.dump.strings[path] if bare else self.dump.slot_name(slot)
                underscored = operator.endswith(("_forward", "_backward"))
                result.append(f"{operator}{'_' if underscored else '.'}{slot_names[path, group]}")
        return result

    def dtypes(self) -> list[str]:
        """Return the dtype of tensors, the Python class of arguments."""
        types = pooled(self.dump.strings, self.column("type"), NOT_THERE)
        dtypes = pooled(self.dump.strings, self.column("dtype"), NOT_THERE)
        arguments = (self.kind == SlotKind.ARGUMENT).tolist()
        return [
            (kind if kind.startswith("<") else f"<class '{kind}'>") if argument else dtype
            for kind, dtype, argument in zip(types, dtypes, arguments)
        ]

    def shapes(self) -> list[str]:
        """Return the shape of tensors, ``[]`` for arguments."""
        texts = [str(list(shape)) for shape in self.dump.shapes.shapes]
        ids = self.column("shape").tolist()
        arguments = (self.kind == SlotKind.ARGUMENT).tolist()
        return [
            texts[index] if index >= 0 else "[]" if argument else NOT_THERE
            for index, argument in zip(ids, arguments)
        ]

    def requires_grad(self) -> list[str]:
        """Return True, False or N/A."""
        return mapped(self.column("requires_grad"), {ABSENT: NOT_THERE, 0: "False", 1: "True"})

    def statistic(self, name: str) -> list[str]:
        """Return a statistic as the official tables print it."""
        values = self.column(name, 0)
        texts = numbers(values, absent=~self.has(name), word=NOT_THERE)
        kinds = self.kind
        boolean = self._boolean if name in ("max", "min") else np.zeros(len(kinds), bool)
        integer = self._integer & self.has(name) & np.isfinite(values)
        for index in np.flatnonzero(boolean & self.has(name)).tolist():
            texts[index] = "True" if values[index] else "False"
        for index in np.flatnonzero(integer & ~boolean).tolist():
            texts[index] = str(int(values[index])) if values[index].is_integer() else texts[index]
        for index in np.flatnonzero(
            (kinds == SlotKind.NONE) | ((kinds == SlotKind.TENSOR) & ~self.has(name))
        ).tolist():
            texts[index] = "None"
        for index in np.flatnonzero(kinds == SlotKind.ARGUMENT).tolist():
            texts[index] = self.arguments[index]
        return texts

    @cached_property
    def _boolean(self) -> NDArray[np.bool_]:
        return self._dtype_is("bool")

    @cached_property
    def _integer(self) -> NDArray[np.bool_]:
        return self._dtype_is("int")

    def _dtype_is(self, word: str) -> NDArray[np.bool_]:
        has_word = np.array([word in text.lower() for text in self.dump.strings] + [False])
        found: NDArray[np.bool_] = has_word[self.column("dtype")] & (self.kind == SlotKind.TENSOR)
        return found


def _argument_text(value: str) -> str:
    try:
        parsed = json.loads(value)
    except ValueError:
        return value
    return str(parsed)
