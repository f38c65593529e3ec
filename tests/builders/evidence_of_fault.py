"""Whether a planted fault can be seen in dumps: by what it changed there, not by what anyone concludes.

The target's dump with the fault is held against that without; what the fault changed at the call it was
planted in must stand out of the harmless difference between the clean target and the golden side there.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import torch
from builders.planted_faults import Planted

STANDS_OUT = 10.0
"""How many times as large as what is harmless a change must be."""


def seen_in_dumps(
    golden: Path, clean: Path, target: Path, planted: Planted, task: str, unit_roundoff: float
) -> bool:
    """Return whether what *planted* did shows in the dump at the call to blame.

    Parameters
    ----------
    golden, clean, target
        Cells: golden side, target without the fault, target with it.
    task
        ``tensor``, ``statistics`` or ``md5``.
    unit_roundoff
        That of the coarsest format that the target uses and the golden side does not.
    """
    if not planted.calls:
        return False
    if planted.kind.startswith(("argument", "structure")):
        return True
    call = planted.calls[0]
    sides = [_records(cell).get(call, {}) for cell in (golden, clean, target)]
    # Weights and data show in what goes in, kernels only in what comes out.
    inputs = planted.kind.startswith(("weights", "data"))
    for side, cell in zip(sides, (golden, clean, target), strict=True):
        _load(side, cell, inputs=inputs, tensors=task == "tensor")
    names = sides[1].keys() & sides[2].keys()
    for name in names:
        noise = [_change(sides[1][key], sides[0][key]) for key in names & sides[0].keys()]
        floor = max([unit_roundoff, *(value for value in noise if math.isfinite(value))])
        if task == "md5" and floor <= 2.0**-24 and max(noise, default=0.0) == 0:
            sums = [side.get(name, {}).get("md5") for side in sides]
            if sums[0] == sums[1] and sums[1] != sums[2]:
                return True
        if _change(sides[2][name], sides[1][name]) > STANDS_OUT * floor:
            return True
    return False


def _records(cell: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((cell / "dump.json").read_text())["data"]
    return data


def _load(side: dict[str, Any], cell: Path, *, inputs: bool, tensors: bool) -> None:
    """Replace the parts of a call by its tensor records by slot, with their values where they are dumped."""
    groups = ("input", "input_args", "input_kwargs") if inputs else ()
    found: dict[str, Any] = {}

    def collect(name: str, value: Any) -> None:
        if isinstance(value, dict) and value.get("type") == "torch.Tensor":
            if tensors and value.get("data_name"):
                file = cell / "dump_tensor_data" / value["data_name"]
                value = {**value, "values": torch.load(file, weights_only=True)}
            found[name] = value
        elif isinstance(value, dict):
            for key, item in value.items():
                collect(f"{name}.{key}", item)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                collect(f"{name}.{index}", item)

    for group in (*groups, "output"):
        collect(group, side.get(group))
    side.clear()
    side.update(found)


def _change(one: dict[str, Any], other: dict[str, Any]) -> float:
    """Return the relative change from *other* to *one*, inf where only one has special values."""
    if one["shape"] != other["shape"]:
        return math.inf
    if "values" in one and "values" in other:
        left, right = one["values"].double(), other["values"].double()
        if not torch.equal(left.isfinite(), right.isfinite()):
            return math.inf
        left, right = left.nan_to_num(0, 0, 0), right.nan_to_num(0, 0, 0)
        return float((left - right).norm() / (right.norm() + 1e-300))
    size = math.prod(one["shape"]) or 1
    extremes = [abs(float(other[key])) for key in ("Max", "Min") if other[key] is not None]
    norm = float(other["Norm"]) if other["Norm"] is not None else 0.0
    scales = {
        "Max": max(extremes, default=0.0), "Min": max(extremes, default=0.0),
        "Norm": norm, "Mean": norm / math.sqrt(size),
    }  # fmt: skip
    worst = 0.0
    for key, scale in scales.items():
        if one[key] is None or other[key] is None:
            continue
        left, right = float(one[key]), float(other[key])
        if math.isfinite(left) != math.isfinite(right):
            return math.inf
        if math.isfinite(left) and left != right:
            worst = max(worst, abs(left - right) / (scale or 1e-300))
    return worst
