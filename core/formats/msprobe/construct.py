"""construct.json: which module encloses each call.

A flat map from child to parent. A parent is a name, null, an empty text (older dumps), or, under
Megatron's pipeline, ``[name, micro_step]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core.formats import json_text
from core.formats.builder import DumpBuilder
from core.formats.msprobe.side_files import read_map
from core.formats.odd_values import OddValues
from core.messages import Message
from core.progress import Progress, Work
from core.records.columns import ABSENT
from core.records.names import OperatorKind, classify_name

_COUNT_KEY = "megatron_micro_step_number"


class Construct:
    """Gives the operators of *builder* their parents: :meth:`read`, then :meth:`apply`."""

    def __init__(self, builder: DumpBuilder) -> None:
        self._builder = builder
        self._path = ""
        # Names that are no operators (so far): pseudo parents, or calls that the dump left out.
        self._others: dict[str, tuple[str | None, int]] = {}

    def read(self, path: str) -> Work[None]:
        """Read the construct.json at *path*; an empty path has nothing to say."""
        self._path = path
        builder = self._builder
        odd = OddValues()
        for members in read_map(path, builder):
            for child, raw in members:
                try:
                    value = json_text.decode(raw)
                except ValueError:
                    value = _UNREADABLE
                if child == _COUNT_KEY:
                    builder.header[child] = "" if value is _UNREADABLE else json_text.dumps(value)
                    if value.__class__ is not int:
                        odd.add(child)
                    continue
                if _is_odd(value):
                    odd.add(child)
                parent, micro_step = _parent(value)
                row = builder.row_of(child)
                if row < 0:
                    self._others[child] = (parent, micro_step)
                else:
                    self._set(row, parent, micro_step)
            yield Progress(0, 0, Message("progress.read", {"path": path}))
        builder.problems += odd.problems(path)

    def add_operators(self) -> None:
        """Make operators of the calls that the dump does not have (a dump of the structure alone)."""
        for name in self._others:
            if classify_name(name)[0] is not OperatorKind.OTHER:
                self._builder.operator(name)

    def apply(self) -> None:
        """Finish the tree: scopes for parents that are no operators, gradients to their modules."""
        builder = self._builder
        for child, (parent, micro_step) in self._others.items():
            row = builder.row_of(child)
            if row >= 0:
                self._set(row, parent, micro_step)
        self._attach_gradients()
        parents = {
            int(builder.names[row]): int(parent)
            for row, parent in enumerate(builder.parent.build(len(builder.names)))
            if parent >= 0
        }
        scopes = self._find_scopes(set(parents.values()))
        parents |= {scope: parent for scope, parent in scopes.items() if parent >= 0}
        broken = _break_cycles(parents)
        for identity in broken:
            if identity in scopes:
                scopes[identity] = ABSENT
            else:
                builder.parent.set(builder.rows[identity], ABSENT)
        if broken:
            name = list(builder.strings.ids)[broken[0]]
            builder.problem("parent_cycles", self._path, count=len(broken), name=name)
        for scope, above in scopes.items():
            builder.scopes.append(scope, above)

    def _set(self, row: int, parent: str | None, micro_step: int) -> None:
        self._builder.parent.set(row, self._builder.strings(parent))
        self._builder.micro_step.set(row, micro_step)

    def _attach_gradients(self) -> None:
        """Put each module's parameter gradients under its last backward call, else its last forward one."""
        builder = self._builder
        texts = list(builder.strings.ids)
        wanted: dict[str, list[int]] = {}
        for row, identity in enumerate(builder.names):
            stem, found, _ = texts[identity].rpartition(".parameters_grad")
            if found:
                wanted.setdefault(stem, []).append(row)
        if not wanted:
            return
        modules: dict[str, dict[str, int]] = {stem: {} for stem in wanted}
        for identity in builder.names:
            head, _, _ = texts[identity].rpartition(".")
            stem, _, way = head.rpartition(".")
            if stem in modules:
                modules[stem][way] = identity
        for stem, rows in wanted.items():
            module = modules[stem].get("backward", modules[stem].get("forward", ABSENT))
            for row in rows:
                builder.parent.set(row, module)

    def _find_scopes(self, parents: set[int]) -> dict[int, int]:
        """Return the ids of names among *parents*, and of their parents, that are no operators."""
        builder = self._builder
        scopes: dict[int, int] = {}
        texts = list(builder.strings.ids)
        pending = [texts[identity] for identity in parents - builder.rows.keys()]
        while pending:
            name = pending.pop()
            parent = self._others.get(name, (None, ABSENT))[0]
            above = builder.strings(parent)
            scopes[builder.strings(name)] = above
            if parent is not None and above not in scopes and above not in builder.rows:
                pending.append(parent)
        return dict(sorted(scopes.items()))


_UNREADABLE = object()


def _is_odd(value: Any) -> bool:
    """Tell whether *value* is no parent as dumpers write one: null, a name, or one of them with a step."""
    if isinstance(value, list) and len(value) == 2:
        value, step = value
        if step is not None and not (step.__class__ is int and 0 <= step < 2**31):
            return True
    return value is not None and not json_text.is_text(value)


def _parent(value: Any) -> tuple[str | None, int]:
    """Return parent and micro-step that one value of the map says."""
    micro_step = ABSENT
    if isinstance(value, list):
        step = value[1] if len(value) > 1 else None
        if step.__class__ is int and 0 <= step < 2**31:
            micro_step = int(step)
        value = value[0] if value else None
    return (value if value and json_text.is_text(value) else None), micro_step


def _break_cycles(parents: dict[int, int]) -> list[int]:
    """Remove an edge of each cycle in *parents*; return the names that lost their parent."""
    if not parents:
        return []
    size = max(*parents, *parents.values()) + 2
    above = np.full(size, size - 1, np.int64)  # the last entry is the root of all, and its own parent
    above[list(parents)] = list(parents.values())
    # Following twice as many parents each time, whatever has a root is there after log2(size) rounds.
    far = above
    for _ in range(size.bit_length()):
        far = far[far]
    lost = []
    # Only names on a cycle are reached by going far from a name that leads into one.
    for start in sorted(set(far[far != size - 1].tolist())):
        path, name = {start}, start
        while name in parents and parents[name] not in path:
            name = parents[name]
            path.add(name)
        if name in parents:
            del parents[name]
            lost.append(name)
    return lost
