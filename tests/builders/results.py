"""Comparison results made by hand: a small GPT's training step on two machines, as columns.

The layout of names, parents and slots is that of an msprobe dump; the numbers follow from a seed. One
GELU introduces an error, everything after it inherits it; a few rows show the rarer verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from core.errors import Problem
from core.records.columns import ABSENT, Interner, ShapeInterner, StringPool
from core.records.dump import Dump, Known, OperatorTable, ScopeTable, SlotGroup, SlotKind, SlotTable
from core.records.names import parse_operator_name
from core.records.result import (
    CellResult,
    ClassCountTable,
    Evidence,
    Origin,
    Reason,
    ResultInfo,
    RowTable,
    Verdict,
)
from core.records.run import CellKey
from core.records.stacks import Frame, encode_stack

HIDDEN = 64


def _table(kind: type, rows: list[dict[str, float]]) -> Any:
    made = {}
    for item in fields(kind):
        dtype, default = item.metadata["dtype"], item.metadata["default"]
        made[item.name] = np.array([row.get(item.name, default) for row in rows], dtype)
    return kind(**made)


@dataclass
class SideBuilder:
    """Collects the calls of one side."""

    device: str
    strings: Interner = field(default_factory=Interner)
    stacks: Interner = field(default_factory=Interner)
    shapes: ShapeInterner = field(default_factory=ShapeInterner)
    operators: list[dict[str, float]] = field(default_factory=list)
    slots: list[dict[str, float]] = field(default_factory=list)

    def call(self, name: str, parent: str | None, stack: list[Frame] | None = None) -> int:
        """Begin a call; its slots follow. Returns its row."""
        parsed = parse_operator_name(name)
        self.operators.append(
            {
                "name": self.strings(name),
                "kind": parsed.kind,
                "direction": parsed.direction,
                "occurrence": parsed.occurrence,
                "parent": self.strings(parent),
                "stack": self.stacks(encode_stack(stack)) if stack else ABSENT,
                "first_slot": len(self.slots),
                "slot_count": 0,
            }
        )
        return len(self.operators) - 1

    def _slot(self, group: SlotGroup, path: str, **facts: float) -> int:
        row = {"operator": len(self.operators) - 1, "group": group, "path": self.strings(path), **facts}
        self.slots.append(row)
        self.operators[-1]["slot_count"] += 1
        return len(self.slots) - 1

    def tensor(self, group: SlotGroup, path: str, dtype: str, shape: tuple[int, ...], scale: float) -> int:
        """Add a tensor to the latest call; returns the slot's row."""
        return self._slot(
            group, path, kind=SlotKind.TENSOR, type=self.strings("torch.Tensor"),
            dtype=self.strings(f"torch.{dtype}"), shape=self.shapes(shape), known=Known.ALL,
            max=2.5 * scale, min=-2.25 * scale, mean=0.0125 * scale,
            norm=scale * float(np.prod(shape)) ** 0.5, requires_grad=1,
        )  # fmt: skip

    def argument(self, group: SlotGroup, path: str, type_name: str, value: str) -> int:
        """Add an argument (*value* is JSON text) to the latest call; returns the slot's row."""
        return self._slot(
            group, path, kind=SlotKind.ARGUMENT, type=self.strings(type_name), value=self.strings(value)
        )

    def dump(self) -> Dump:
        """Return what was collected."""
        return Dump(
            format="msprobe", framework="pytorch", task="tensor", level="mix", data_dir="",
            operators=_table(OperatorTable, self.operators), slots=_table(SlotTable, self.slots),
            scopes=ScopeTable.empty(), strings=StringPool.of(self.strings.ids),
            shapes=self.shapes.pool(), stacks=StringPool.of(self.stacks.ids),
            header={"device": f'"{self.device}"'},
        )  # fmt: skip


class GptStep:
    """Builds both sides of one training step of a GPT and the rows between them."""

    def __init__(self, layers: int, faulty_layer: int, seed: int = 7, origins: bool = True) -> None:
        self.layers, self.faulty, self.origins = layers, faulty_layer, origins
        self.random = np.random.default_rng(seed)
        self.target, self.golden = SideBuilder("npu"), SideBuilder("cuda")
        self.rows: list[dict[str, float]] = []
        self.occurrences: dict[str, int] = {}
        self.order: list[tuple[str, str, str, bool]] = []
        self.wrong = False

    def build(self, problems: tuple[Problem, ...] = ()) -> CellResult:
        """Return the finished cell."""
        self._forward()
        self._backward()
        special = [index for index, row in enumerate(self.rows) if row["reason"] == Reason.SPECIAL_VALUES]
        counts = np.zeros((len(special), 16), np.int64)
        counts[:, 0], counts[:, 4], counts[:, 8] = 1500, 12, 3
        return CellResult(
            CellKey("", 0, 0), CellKey("", 0, 0), self.target.dump(), self.golden.dump(),
            _table(RowTable, self.rows), ClassCountTable(np.array(special, np.int32), counts), problems,
        )  # fmt: skip

    def _number(self, api: str) -> int:
        number = self.occurrences.get(api, 0)
        self.occurrences[api] = number + 1
        return number

    def _api(self, api: str, parent: str, line: int, bad: bool = False, dtype: str = "float32") -> None:
        name = f"{api}.{self._number(api)}"
        self.order.append((name, parent, dtype, bad))
        self._pair(f"{name}.forward", f"{parent}.forward.0", line, bad, dtype)

    def _forward(self) -> None:
        model = "Module.model.GPT"
        self._api("Functional.embedding", model, 48)
        for layer in range(self.layers):
            block = f"Module.model.transformer.h.{layer}.Block"
            module = f"Module.model.transformer.h.{layer}"
            self._api("Functional.layer_norm", f"{module}.ln_1.LayerNorm", 31)
            self._api("Functional.linear", f"{module}.attn.Attention", 55)
            self._api("Functional.scaled_dot_product_attention", f"{module}.attn.Attention", 58)
            self._api("Functional.linear", f"{module}.attn.Attention", 62)
            self._api("Tensor.__add__", block, 84)
            self._api("Functional.layer_norm", f"{module}.ln_2.LayerNorm", 31)
            self._api("Functional.linear", f"{module}.mlp.MLP", 70)
            self._api("Functional.gelu", f"{module}.mlp.MLP", 71, bad=layer == self.faulty)
            self._api("Functional.linear", f"{module}.mlp.MLP", 72)
            self._api("Tensor.__add__", block, 85)
            for part in (
                f"{module}.ln_1.LayerNorm",
                f"{module}.attn.Attention",
                f"{module}.ln_2.LayerNorm",
                f"{module}.mlp.MLP",
                block,
            ):
                parent = block if part != block else model
                self._pair(f"{part}.forward.0", f"{parent}.forward.0", 0)
            if layer == self.faulty:
                self._one_sided(self.target, "NPU.npu_fusion_attention.0.forward", Reason.TARGET_ONLY)
                self._one_sided(self.golden, "Torch.contiguous.0.forward", Reason.GOLDEN_ONLY)
        self._pair(f"{model}.forward.0", None, 0)
        self._api("Functional.cross_entropy", model, 101, dtype="bfloat16")

    def _backward(self) -> None:
        for name, parent, dtype, _ in reversed(self.order):
            self._pair(f"{name}.backward", f"{parent}.backward.0", 0, False, dtype)
        self._pair("Torch.clip_grad_norm.0.forward", None, 130)

    def _one_sided(self, side: SideBuilder, name: str, reason: Reason) -> None:
        parent = f"Module.model.transformer.h.{self.faulty}.attn.Attention.forward.0"
        operator = side.call(name, parent)
        side.tensor(SlotGroup.OUTPUT, "0", "float16", (2, 2, 12, 12), 1.0)
        which = "target_operator" if reason == Reason.TARGET_ONLY else "golden_operator"
        self.rows.append({which: operator, "verdict": Verdict.NOT_COMPARED, "reason": reason})

    def _pair(
        self, name: str, parent: str | None, line: int, bad: bool = False, dtype: str = "float32"
    ) -> None:
        frames = (
            [
                Frame("train/model.py", line, "forward", f"h = F.{name.split('.')[1]}(h, self.gelu)"),
                Frame("train/model.py", 84, "forward", "x = x + self.mlp(self.ln_2(x))"),
                Frame("train/loop.py", 212, "step", "logits = self.model(batch.tokens)"),
            ]
            if line
            else None
        )  # fmt: skip
        target = self.target.call(name, parent, frames)
        golden = self.golden.call(name, parent, frames)
        wide = "gelu" in name or "mlp" in name
        shape = (2, 12, HIDDEN * (4 if wide else 1))
        inputs_wrong = self.wrong
        self.wrong = self.wrong or bad
        for group, path in ((SlotGroup.INPUT, "0"), (SlotGroup.INPUT, "1"), (SlotGroup.OUTPUT, "0")):
            if path == "1" and "linear" not in name:
                continue
            slots = [
                side.tensor(group, path, dtype, shape, 1.0 + 0.1 * group)
                for side in (self.target, self.golden)
            ]
            output = group == SlotGroup.OUTPUT
            self._tensor_row(
                target, golden, slots, self.wrong if output else inputs_wrong, output, bad, shape
            )
        if "gelu" in name and name.endswith("forward"):
            values = ('"tanh"', '"none"') if bad else ('"none"', '"none"')
            slots = [
                side.argument(SlotGroup.KEYWORD, "approximate", "str", value)
                for side, value in zip((self.target, self.golden), values)
            ]
            self.rows.append(
                {
                    "target_operator": target, "golden_operator": golden,
                    "target_slot": slots[0], "golden_slot": slots[1],
                    "verdict": Verdict.DIFFERS if bad else Verdict.EQUAL,
                    "reason": Reason.VALUE if bad else Reason.IDENTICAL, "evidence": Evidence.FULL,
                }
            )  # fmt: skip

    def _tensor_row(
        self, target: int, golden: int, slots: list[int], wrong: bool, output: bool, bad: bool,
        shape: tuple[int, ...],
    ) -> None:  # fmt: skip
        count = int(np.prod(shape))
        chance = self.random.random()
        verdict, reason, origin = Verdict.CLOSE, Reason.WITHIN_NOISE, Origin.UNKNOWN
        error = 3e-7 * 10 ** self.random.normal(0, 0.22)
        if wrong:
            verdict, reason = Verdict.DIFFERS, Reason.BEYOND_NOISE
            error = 4e-4 * 10 ** self.random.normal(0, 0.2)
            if self.origins:
                origin = Origin.INTRODUCED if bad and output else Origin.INHERITED
            if chance < 0.004 and not bad:
                reason, error = Reason.SPECIAL_VALUES, np.inf
            elif chance < 0.008 and not bad:
                verdict, reason, origin = Verdict.GOLDEN_INVALID, Reason.GOLDEN_SPECIAL_VALUES, Origin.UNKNOWN
        elif chance < 0.35:
            verdict, reason, error = Verdict.EQUAL, Reason.IDENTICAL, 0.0
        self.rows.append(
            {
                "target_operator": target, "golden_operator": golden,
                "target_slot": slots[0], "golden_slot": slots[1],
                "verdict": verdict, "reason": reason, "evidence": Evidence.FULL, "origin": origin,
                "error": error, "allowed": 2e-6,
                "cosine": 1.0 - error**2 / 2 if np.isfinite(error) else np.nan,
                "max_abs": error * 2.3, "max_abs_index": int(self.random.integers(count)),
                "rmse": error * 0.9, "mae": error * 0.7, "euclidean": error * 40, "relative_l2": error,
                "max_rel": error * 1e3, "max_rel_index": int(self.random.integers(count)),
                "share_below_1e3": 1.0 if error < 1e-4 else 0.93, "share_below_5e3": 1.0,
                "sign_flips": 0, "target_zeros": 3, "golden_zeros": 3,
                "equal_count": count if error == 0 else count // 15, "count": count,
            }
        )  # fmt: skip


EXAMPLE_PROBLEMS = (
    Problem("file_empty", "/data/npu_dump/step0/rank0/construct.json"),
    Problem("file_missing", "/data/npu_dump/step0/rank0/dump_tensor_data/Functional.gelu.1.forward.pt"),
)


def gpt_result(
    layers: int = 36, faulty_layer: int = 14, origins: bool = True, problems: bool = True
) -> CellResult:
    """Return one compared cell; 36 layers give about 2 000 rows."""
    return GptStep(layers, faulty_layer, origins=origins).build(EXAMPLE_PROBLEMS if problems else ())


def single_run(cell: CellResult) -> CellResult:
    """Return what exploring only the target of *cell* would give: the same rows, nothing judged."""
    empty = SideBuilder("").dump()
    kept = cell.rows.take(cell.rows.target_operator >= 0)
    rows = RowTable.empty(len(kept))
    rows.target_operator[:] = kept.target_operator
    rows.target_slot[:] = kept.target_slot
    rows.reason[:] = Reason.SINGLE_RUN
    return CellResult(cell.key, cell.key, cell.target, empty, rows, ClassCountTable.empty(), cell.problems)


def result_info(cell: CellResult, steps: int = 2, ranks: int = 4) -> ResultInfo:
    """Return the info of a result with *steps* × *ranks* cells, the first of which is *cell*."""
    return ResultInfo(
        target_path="/data/runs/npu_dump", golden_path="/data/runs/gpu_dump", version="0.1.0",
        created="2026-01-05T10:00:00+00:00", thresholds={},
        cells=tuple(CellKey("", step, rank) for step in range(steps) for rank in range(ranks)),
        problems=cell.problems,
    )  # fmt: skip
