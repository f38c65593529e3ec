"""Dumps of many calls, made in memory as columns: layers that repeat, calls put in and left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.records.columns import Interner, ShapeInterner, TableBuilder
from core.records.dump import Dump, Known, OperatorTable, ScopeTable, SlotGroup, SlotKind, SlotTable
from core.records.names import classify_name

# API, module inside the layer, shape class: the calls of one layer
LAYER = (
    ("Functional.layer_norm", "ln_1.LayerNorm", 0),
    ("Functional.linear", "attn.qkv.Linear", 1),
    ("Torch.matmul", "attn.Attention", 2),
    ("Tensor.__mul__", "attn.Attention", 2),
    ("Functional.softmax", "attn.Attention", 2),
    ("Torch.matmul", "attn.Attention", 0),
    ("Functional.linear", "attn.proj.Linear", 0),
    ("Tensor.__add__", "Block", 0),
    ("Functional.layer_norm", "ln_2.LayerNorm", 0),
    ("Functional.linear", "mlp.up.Linear", 3),
    ("Functional.gelu", "mlp.MLP", 3),
    ("Functional.linear", "mlp.down.Linear", 0),
    ("Tensor.__add__", "Block", 0),
)
SHAPES = ((2, 8, 16), (2, 8, 48), (2, 2, 8, 8), (2, 8, 64))


@dataclass(frozen=True)
class Sequence:
    """Calls in order: API, module, shape class, a number that its statistics follow, and who it is."""

    api: tuple[str, ...]
    module: tuple[str, ...]
    shape: tuple[int, ...]
    number: np.ndarray[Any, np.dtype[np.float64]]
    identity: np.ndarray[Any, np.dtype[np.int64]]
    """The same call has the same one on both sides; below 0 for a call of one side."""

    @staticmethod
    def layers(calls: int, *, modules: bool = True, numbers: bool = True, layers: int = 100) -> Sequence:
        """Return *calls* calls of a model of equal layers that runs again and again."""
        api, module, shape = [], [], []
        for index in range(calls):
            layer, place = divmod(index, len(LAYER))
            name, inner, size = LAYER[place]
            api.append(name)
            module.append(f"Module.h.{layer % layers}.{inner}" if modules else "")
            shape.append(size)
        number = np.random.default_rng(0).uniform(1, 2, calls) if numbers else np.full(calls, np.nan)
        return Sequence(tuple(api), tuple(module), tuple(shape), number, np.arange(calls))

    def put(self, place: int, api: str, module: str = "", shape: int = 0, number: float = 0.5) -> Sequence:
        """Return the sequence with one more call before *place*."""
        return Sequence(
            (*self.api[:place], api, *self.api[place:]),
            (*self.module[:place], module, *self.module[place:]),
            (*self.shape[:place], shape, *self.shape[place:]),
            np.insert(self.number, place, number),
            np.insert(self.identity, place, -1),
        )

    def take(self, rows: np.ndarray[Any, Any]) -> Sequence:
        """Return the calls *rows*."""
        chosen = rows.tolist()
        return Sequence(
            tuple(self.api[row] for row in chosen),
            tuple(self.module[row] for row in chosen),
            tuple(self.shape[row] for row in chosen),
            self.number[rows],
            self.identity[rows],
        )


def edited(whole: Sequence, share: float, chance: np.random.Generator, *, drop: bool = True) -> Sequence:
    """Return *whole* with *share* of its calls repeated with other numbers, and as many dropped."""
    count = len(whole.api)
    size = round(count * share)
    kept = (
        np.setdiff1d(np.arange(count), chance.choice(count, size, replace=False))
        if drop
        else np.arange(count)
    )
    extra = np.sort(chance.choice(count, size, replace=False))
    place = np.searchsorted(kept, extra)
    rows = np.insert(kept, place, extra)
    new = np.insert(np.zeros(len(kept), bool), place, True)
    made = whole.take(rows)
    noisy = made.number * (1 + 1e-3 * chance.standard_normal(len(rows)))
    number = np.where(new, chance.uniform(1, 2, len(rows)), noisy)
    number = np.where(np.isnan(made.number), np.nan, number)
    return replace(made, number=number, identity=np.where(new, -1, made.identity))


def made_dump(calls: Sequence, *, backward: bool = False, first: int = 0) -> Dump:
    """Return a dump of *calls*, counted from *first*; *backward* adds all backward calls in reverse."""
    strings, shapes = Interner(), ShapeInterner()
    operators, slots = TableBuilder(OperatorTable), TableBuilder(SlotTable)
    counts: Counter[str] = Counter()
    names = []
    for api in calls.api:
        names.append(f"{api}.{first + counts[api]}.forward")
        counts[api] += 1
    order = [(row, name) for row, name in enumerate(names)]
    if backward:
        order += [(row, f"{name.removesuffix('forward')}backward") for row, name in reversed(order)]
    path, kind, dtype = strings("0"), strings("torch.Tensor"), strings("torch.float32")
    for row, name in order:
        is_kind, direction, occurrence = classify_name(name)
        way = name.rsplit(".", 1)[1]
        parent = strings(f"{calls.module[row]}.{way}.0") if calls.module[row] else -1
        operators.append(strings(name), is_kind, direction, occurrence, parent, -1, -1, len(slots), 2, -1)
        known = Known.NONE if np.isnan(calls.number[row]) else Known.ALL
        value = 0.0 if np.isnan(calls.number[row]) else float(calls.number[row])
        shape = shapes(SHAPES[calls.shape[row]])
        for group in (SlotGroup.INPUT, SlotGroup.OUTPUT):
            scale = 1.0 if group is SlotGroup.INPUT else 1.5
            numbers = (value * scale, -value, 0.0, value * 3 * scale)
            slots.append(
                len(operators) - 1, group, path, SlotKind.TENSOR, kind, dtype, shape, known,
                *numbers, 0, -1, -1, -1, -1, -1, -1,
            )  # fmt: skip
    return Dump(
        format="msprobe",
        framework="pytorch",
        task="statistics",
        level="L1",
        data_dir="",
        operators=operators.build(),
        slots=slots.build(),
        scopes=ScopeTable.empty(),
        strings=strings.pool(),
        shapes=shapes.pool(),
        stacks=Interner().pool(),
    )
