"""One side of some rows: what its dump says in their slots, as the official tables print it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.records.columns import ABSENT, Int32
from core.records.dump import Dump, Known, SlotGroup, SlotKind
from core.report.cells import numbers, safe_text

NOT_THERE = "N/A"

Bool = NDArray[np.bool_]
Texts = NDArray[np.object_]


class DumpTexts:
    """The texts of one dump as a report needs them, made once. The last entry of each array is for -1."""

    def __init__(self, dump: Dump) -> None:
        self.dump = dump
        self.strings = _texts([*dump.strings, NOT_THERE])
        self.operators = _texts([*(dump.strings[name] for name in dump.operators.name.tolist()), NOT_THERE])
        self.shapes = _texts([*(str(list(shape)) for shape in dump.shapes.shapes), NOT_THERE])
        dtypes = set(np.unique(dump.slots.dtype).tolist()) - {ABSENT}
        words = {index: dump.strings[index].lower() for index in dtypes}
        self.boolean = self._mask(index for index, word in words.items() if "bool" in word)
        self.integer = self._mask(index for index, word in words.items() if "int" in word)
        self.arguments = self.strings.copy()
        for value in set(np.unique(dump.slots.value).tolist()) - {ABSENT}:
            self.arguments[value] = safe_text(_argument_text(dump.strings[value]))
        self.arguments[ABSENT] = ""
        self.classes = self.strings.copy()
        for kind in set(np.unique(dump.slots.type).tolist()) - {ABSENT}:
            name = dump.strings[kind]
            self.classes[kind] = name if name.startswith("<") else f"<class '{name}'>"

    def _mask(self, indices: Iterable[int]) -> Bool:
        mask = np.zeros(len(self.strings), bool)
        mask[list(indices)] = True
        return mask


class Side:
    """One side of the chosen rows: its slots as arrays, with a blank behind for absent ones."""

    def __init__(self, texts: DumpTexts, operators: Int32, slots: Int32) -> None:
        self.texts = texts
        self.operators = operators
        self.rows = slots
        self.there = slots >= 0

    def column(self, name: str, blank: float = ABSENT) -> NDArray[Any]:
        """Return column *name* of the slots, *blank* where there is none."""
        values: NDArray[Any] = getattr(self.texts.dump.slots, name)
        return np.append(values, np.array(blank, values.dtype))[self.rows]

    @cached_property
    def kind(self) -> NDArray[np.int64]:
        """The slot kinds, 255 where there is no slot."""
        return self.column("kind", 255).astype(np.int64)

    @cached_property
    def is_argument(self) -> Bool:
        """Where an argument sits."""
        return np.asarray(self.kind == SlotKind.ARGUMENT)

    @cached_property
    def is_tensor(self) -> Bool:
        """Where a tensor sits."""
        return np.asarray(self.kind == SlotKind.TENSOR)

    @cached_property
    def known(self) -> NDArray[np.uint8]:
        """Which statistics the dump has."""
        return self.column("known", 0)

    def has(self, statistic: str) -> Bool:
        """Return where the dump has *statistic*."""
        return np.asarray((self.known & Known[statistic.upper()]) != 0)

    @cached_property
    def arguments(self) -> Texts:
        """The values of arguments as the official tables print them; empty for anything else."""
        return self.texts.arguments[np.where(self.is_argument, self.column("value"), ABSENT)]

    def checksums(self) -> list[str]:
        """Return checksums as the official table has them: arguments get the CRC-32 of their text."""
        made = self.texts.strings[self.column("checksum")]
        arguments = self.arguments[self.is_argument].tolist()
        known = {text: f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}" for text in set(arguments)}
        made[self.is_argument] = [known[text] for text in arguments]
        return made.tolist()  # type: ignore[no-any-return]

    def names(self) -> list[str]:
        """Return the official item name of each row: the tensor file's stem, or operator and slot."""
        operators, files = self.texts.operators[self.operators], self.column("file")
        slots = self.column("path").astype(np.int64) * len(SlotGroup) + self.column("group", 0)
        different, first, inverse = np.unique(slots, return_index=True, return_inverse=True)
        underscored = _texts([text.endswith(("_forward", "_backward")) for text in operators])
        suffixes = _texts([self._suffix(int(self.rows[index])) for index in first])
        dots = np.where(underscored.astype(bool), "_", ".").astype(object)
        made = (
            np.where(self.there, operators + dots + suffixes[inverse], operators)
            if len(different)
            else operators
        )
        for index in np.flatnonzero(files >= 0).tolist():
            made[index] = self.texts.strings[files[index]].rsplit(".", 1)[0]
        return made.tolist()  # type: ignore[no-any-return]

    def _suffix(self, slot: int) -> str:
        if slot < 0:
            return ""
        dump = self.texts.dump
        # The names of gradients and saved values already say what the slot is.
        bare = dump.slots.group[slot] in (SlotGroup.PARAMETER_GRAD, SlotGroup.VALUE)
        return dump.strings[int(dump.slots.path[slot])] if bare else dump.slot_name(slot)

    @cached_property
    def dtypes(self) -> Texts:
        """The dtype of tensors, the Python class of arguments."""
        tensors, arguments = self.texts.strings[self.column("dtype")], self.texts.classes[self.column("type")]
        return np.asarray(np.where(self.is_argument, arguments, tensors))

    @cached_property
    def shapes(self) -> Texts:
        """The shape of tensors, ``[]`` for arguments."""
        return np.asarray(np.where(self.is_argument, "[]", self.texts.shapes[self.column("shape")]))

    def requires_grad(self) -> list[str]:
        """Return True, False or N/A."""
        words = _texts(["False", "True", NOT_THERE])
        return words[self.column("requires_grad")].tolist()  # type: ignore[no-any-return]

    def statistic(self, name: str) -> list[str]:
        """Return a statistic as the official tables print it."""
        values, has = self.column(name, 0), self.has(name)
        made = _texts(numbers(values, absent=~has, word=NOT_THERE))
        dtype = np.where(self.is_tensor, self.column("dtype"), ABSENT)
        if name in ("max", "min"):
            boolean = self.texts.boolean[dtype] & has
            made[boolean] = np.where(values[boolean] != 0, "True", "False")
        whole = self.texts.integer[dtype] & has & np.isfinite(values) & (values == np.floor(values))
        made[whole] = [str(int(value)) for value in values[whole].tolist()]
        made[(self.kind == SlotKind.NONE) | (self.is_tensor & ~has)] = "None"
        made[self.is_argument] = self.arguments[self.is_argument]
        return made.tolist()  # type: ignore[no-any-return]


def _texts(values: Iterable[Any]) -> Texts:
    kept = list(values)
    made = np.empty(len(kept), object)
    made[:] = kept
    return made


def _argument_text(value: str) -> str:
    try:
        parsed = json.loads(value)
    except ValueError:
        return value
    return str(parsed)
