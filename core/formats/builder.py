"""Collects what a dump says, and makes a :class:`Dump` of it.

Most slots of a dump look alike: group, path, type, dtype, shape and so on take few different values
together. Such a combination is a *template*, kept once; a slot then costs one id and four statistics,
and the columns are filled from the templates at the end.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import Problem
from core.formats.data_folder import DataFolder
from core.formats.tensor_files import resolve_files
from core.records.columns import ABSENT, Int32, Interner, ShapeInterner, TableBuilder, constant
from core.records.dump import Dump, Known, OperatorTable, ScopeTable, SlotTable
from core.records.names import classify_name, forward_name


class Template(NamedTuple):
    """What many slots have in common; ``group`` and ``kind`` are a :class:`SlotGroup` and a
    :class:`SlotKind` as plain integers, which hash faster.
    """

    group: int
    path: str
    kind: int
    type: str | None = None
    dtype: str | None = None
    shape: tuple[int, ...] | None = None
    requires_grad: int = ABSENT
    known: int = Known.NONE


class SparseColumn:
    """A column of ids that most rows do not have."""

    def __init__(self) -> None:
        self._rows = array("i")
        self._ids = array("i")

    def set(self, row: int, value: int) -> None:
        """Give *row* the id *value*; a later one replaces it."""
        self._rows.append(row)
        self._ids.append(value)

    def build(self, rows: int) -> Int32:
        """Return the column, :data:`ABSENT` where nothing was set."""
        if not self._rows:
            return constant(ABSENT, np.int32, rows)
        column = np.full(rows, ABSENT, np.int32)
        column[np.frombuffer(self._rows, np.int32)] = np.frombuffer(self._ids, np.int32)
        return column


class DumpBuilder:
    """Fill with :meth:`operator` and :meth:`slot`, then :meth:`build`."""

    def __init__(self, format: str, source: str, folder: DataFolder) -> None:
        self.format = format
        self.source = source
        """Path of the dump file, empty when there are only tensors."""
        self.folder = folder
        self.framework = self.task = self.level = ""
        self.header: dict[str, str] = {}
        self.problems: list[Problem] = []
        self.strings = Interner()
        self.shapes = ShapeInterner()
        self.stacks = Interner()
        self.scopes = TableBuilder(ScopeTable)
        self.rows: dict[int, int] = {}
        """Row of each operator by the id of its name; a repeated name has the last one."""
        self.names = array("i")
        """Id of each operator's name."""
        self.parent, self.micro_step, self.stack = SparseColumn(), SparseColumn(), SparseColumn()
        self.operator_extra = SparseColumn()
        self.checksum, self.value, self.extra, self.file = (SparseColumn() for _ in range(4))
        self.templates: dict[Template, int] = {}
        self.slots = array("i")
        """Template of each slot."""
        self.statistics = (array("d"), array("d"), array("d"), array("d"))
        self._dropped: set[int] = set()
        # Slots come in runs that belong to one operator; legacy dumps return to an operator later on.
        self._runs = (array("i"), array("i"))

    def problem(self, code: str, path: str, **parameters: str | int | float) -> None:
        """Note a problem with the file *path*."""
        self.problems.append(Problem(code, path, parameters))

    def operator(self, name: str) -> int:
        """Begin operator *name*; the slots that follow are its. Return its row.

        A name that was there before replaces its predecessor, as in a Python dict.
        """
        row = len(self.names)
        identity = self.strings(name)
        if identity in self.rows:
            self._dropped.add(self.rows[identity])
        self.names.append(identity)
        self.rows[identity] = row
        self.resume(row)
        return row

    def resume(self, row: int) -> None:
        """Go back to operator *row*; the slots that follow are its."""
        rows, starts = self._runs
        rows.append(row)
        starts.append(len(self.slots))

    @property
    def repeated(self) -> int:
        """How many operators were replaced by a later one of the same name."""
        return len(self._dropped)

    def row_of(self, name: str) -> int:
        """Return the row of operator *name*, -1 if there is none."""
        identity = self.strings.ids.get(name)
        return ABSENT if identity is None else self.rows.get(identity, ABSENT)

    def template(self, template: Template) -> int:
        """Return the id of *template*."""
        return self.templates.setdefault(template, len(self.templates))

    def slot(
        self, template: int, max: float = 0.0, min: float = 0.0, mean: float = 0.0, norm: float = 0.0
    ) -> int:
        """Add a slot to the current operator and return its row; unknown statistics are 0."""
        maxima, minima, means, norms = self.statistics
        maxima.append(max)
        minima.append(min)
        means.append(mean)
        norms.append(norm)
        self.slots.append(template)
        return len(self.slots) - 1

    def share_stacks(self) -> None:
        """Give backward calls without a stack the one of their forward call."""
        if not self.stacks.ids:
            return
        stacks = self.stack.build(len(self.names))
        texts = list(self.strings.ids)
        for row, identity in enumerate(self.names):
            if stacks[row] < 0 and "backward" in texts[identity]:
                forward = self.row_of(forward_name(texts[identity]) or "")
                if forward >= 0 and stacks[forward] >= 0:
                    self.stack.set(row, int(stacks[forward]))

    def build(self) -> Dump:
        """Return the dump. The builder must not be used afterwards."""
        order, owner = self._order()
        operators = self._operators(owner)
        slots = self._slots(order, owner)
        return Dump(
            format=self.format,
            framework=self.framework,
            task=self.task,
            level=self.level,
            data_dir=self.folder.path if self.folder.exists else "",
            operators=operators,
            slots=slots,
            scopes=self.scopes.build(),
            strings=self.strings.pool(),
            shapes=self.shapes.pool(),
            stacks=self.stacks.pool(),
            problems=tuple(self.problems),
            header=dict(self.header),
        )

    def _order(self) -> tuple[NDArray[np.int64] | slice, Int32]:
        """Return which slots to take in which order, and the new row of each one's operator."""
        rows, starts = (np.frombuffer(run, np.int32) for run in self._runs)
        owner = np.repeat(rows, np.diff(starts, append=np.int32(len(self.slots))))
        order: NDArray[np.int64] | slice = slice(None)
        if len(owner) and np.any(owner[1:] < owner[:-1]):
            order = np.argsort(owner, kind="stable")
            owner = owner[order]
        if self._dropped:
            kept = np.ones(len(self.names), bool)
            kept[list(self._dropped)] = False
            renumbered = (np.cumsum(kept) - 1).astype(np.int32)
            stays = kept[owner]
            order = np.arange(len(stays))[order][stays]
            owner = renumbered[owner[stays]]
        return order, owner

    def _operators(self, owner: Int32) -> OperatorTable:
        count = len(self.names)
        texts = list(self.strings.ids)
        facts = np.array([classify_name(texts[name]) for name in self.names], np.int32).reshape(count, 3)
        kept = np.ones(count, bool)
        kept[list(self._dropped)] = False
        sizes = np.bincount(owner, minlength=count - len(self._dropped)).astype(np.int32)
        return OperatorTable(
            name=np.frombuffer(self.names, np.int32)[kept],
            kind=facts[kept, 0].astype(np.uint8),
            direction=facts[kept, 1].astype(np.uint8),
            occurrence=facts[kept, 2],
            parent=self.parent.build(count)[kept],
            micro_step=self.micro_step.build(count)[kept],
            stack=self.stack.build(count)[kept],
            first_slot=(np.cumsum(sizes, dtype=np.int64) - sizes).astype(np.int32),
            slot_count=sizes,
            extra=self.operator_extra.build(count)[kept],
        )

    def _slots(self, order: NDArray[np.int64] | slice, owner: Int32) -> SlotTable:
        count = len(self.slots)
        used = np.frombuffer(self.slots, np.int32)[order]
        groups, paths, kinds, types, dtypes, shapes, gradients, known = (
            zip(*self.templates) if self.templates else ((),) * len(Template._fields)
        )
        numbers = [np.frombuffer(column, np.float64)[order] for column in self.statistics]
        named = self.file.build(count)[order]
        file, size, time = resolve_files(self.strings, self.problems, named, self.folder, self.source)
        return SlotTable(
            operator=owner,
            group=np.array(groups, np.uint8)[used],
            path=np.array([self.strings(text) for text in paths], np.int32)[used],
            kind=np.array(kinds, np.uint8)[used],
            type=np.array([self.strings(text) for text in types], np.int32)[used],
            dtype=np.array([self.strings(text) for text in dtypes], np.int32)[used],
            shape=np.array([self.shapes(shape) for shape in shapes], np.int32)[used],
            known=np.array(known, np.uint8)[used],
            max=numbers[0],
            min=numbers[1],
            mean=numbers[2],
            norm=numbers[3],
            requires_grad=np.array(gradients, np.int8)[used],
            checksum=self.checksum.build(count)[order],
            value=self.value.build(count)[order],
            extra=self.extra.build(count)[order],
            file=file,
            file_size=size,
            file_mtime_ns=time,
        )
