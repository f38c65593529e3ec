"""Chips that run calibration probes, in numpy code of their own: no engine of ours in them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from builders.exact_rounding import rounded
from numpy.typing import NDArray

from core.dtypes import COMPUTING_FORMATS
from core.emulation.arithmetic.rounding import Rounding
from core.emulation.calibration.kit import result_file
from core.emulation.calibration.probes import Probe

Array = NDArray[Any]
NUMPY = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32}


@dataclass(frozen=True)
class SimulatedChip:
    """A matrix unit whose steps are exact and rounded once, and a vector unit of IEEE 754 but for the flags.

    ``product`` and ``convolution`` are what their float32 operands are rounded to: float32, float16, hf32.
    """

    blocks: Mapping[str, int]
    """Products a step, by the format of the operands."""
    product: str = "float32"
    convolution: str = "float32"
    toward_zero: bool = False
    saturates: bool = False
    layer_norm_away: bool = False
    flushes: bool = False
    sequential_sums: bool = False

    def results(self, probes: Iterable[Probe]) -> dict[str, Array]:
        """Return the results of all probes by name."""
        with np.errstate(all="ignore"):
            return {probe.name: self.result(probe) for probe in probes}

    def result(self, probe: Probe) -> Array:
        if probe.operation in ("matmul", "convolution"):
            return self.stored(self.multiplied(probe).reshape(probe.shape), probe.dtype)
        first, *others = (operand.astype(np.float64) for operand in probe.operands)
        if probe.operation == "layer_norm":
            spread = np.sqrt(first.var(axis=-1, keepdims=True) + 1e-5)
            made = ((first - first.mean(axis=-1, keepdims=True)) / spread * others[0] + others[1]).astype(
                np.float32
            )
            return bf16_away(made) if self.layer_norm_away else self.stored(made, probe.dtype)
        if probe.operation == "sum":
            return self.stored(self.summed(probe.operands[0]), probe.dtype)
        functions = {"add": np.add, "multiply": np.multiply, "sqrt": np.sqrt, "exp": np.exp}
        return self.stored(functions[probe.operation](first, *others).astype(np.float32), probe.dtype)

    def summed(self, values: Array) -> Array:
        terms = values.astype(np.float32)
        while terms.shape[1] > 1 and not self.sequential_sums:
            odd = terms[:, terms.shape[1] // 2 * 2 :]
            terms = np.hstack([terms[:, 0 : terms.shape[1] // 2 * 2 : 2] + terms[:, 1::2], odd])
        total = terms[:, 0]
        for place in range(1, terms.shape[1]):
            total = total + terms[:, place]
        return total

    def stored(self, values: Array, dtype: str) -> Array:
        """Convert results to *dtype*, back in float32."""
        made = values.astype(NUMPY[dtype])
        if self.saturates and dtype != "float32":
            largest = float(ml_dtypes.finfo(NUMPY[dtype]).max)
            made = np.nan_to_num(made.astype(np.float32), nan=0.0, posinf=largest, neginf=-largest)
        made = made.astype(np.float32)
        if self.flushes:
            made = np.where(np.abs(made) < float(ml_dtypes.finfo(NUMPY[dtype]).smallest_normal), 0.0, made)
        return made.astype(np.float32)

    def multiplied(self, probe: Probe) -> Array:
        if probe.operation == "matmul":
            left, right = probe.operands
        else:
            image, kernel = probe.operands
            left, right = kernel[:, :, 0, 0], image.reshape(image.shape[1], -1)
        entering = probe.dtype
        if entering == "float32":
            entering = self.product if probe.operation == "matmul" else self.convolution
        left, right = (self.entered(part, entering) for part in (left, right))
        block = self.blocks[entering]
        sums = np.zeros((left.shape[0], right.shape[1]), np.float32)
        for start in range(0, left.shape[1], block):
            places = slice(start, start + block)
            terms = left[:, places, np.newaxis].astype(np.float64) * right[np.newaxis, places].astype(
                np.float64
            )
            sums = self.closed(sums, terms)
        return sums

    def closed(self, sums: Array, terms: Array) -> Array:
        """Add a block, (M, block, N), and round once."""
        every = np.concatenate([sums[:, np.newaxis].astype(np.float64), terms], axis=1).transpose(0, 2, 1)
        flat = every.reshape(-1, every.shape[2])
        totals = [math.fsum(row) if np.isfinite(row).all() else row.sum() for row in flat]
        exact = np.array(totals).reshape(sums.shape)
        made = exact.astype(np.float32)
        if self.toward_zero:
            back = np.abs(made) > np.abs(exact)
            made = np.where(back, np.nextafter(made, np.float32(0)), made)
        return made

    def entered(self, values: Array, entering: str) -> Array:
        if entering == "hf32":
            hf32 = COMPUTING_FORMATS["hf32"]
            made = [rounded(Fraction(float(one)), hf32, Rounding.NEAREST_EVEN) for one in values.flat]
            return np.array(made).reshape(values.shape)
        made = values.astype(NUMPY[entering]).astype(np.float32)
        narrow = entering != "float32"
        if self.saturates and narrow:
            largest = float(ml_dtypes.finfo(NUMPY[entering]).max)
            made = np.clip(made, -largest, largest)
        if self.flushes:
            made = np.where(np.abs(made) < float(ml_dtypes.finfo(NUMPY[entering]).smallest_normal), 0.0, made)
        return made


def bf16_away(values: Array) -> Array:
    """Round float32 numbers to bfloat16, halves away from zero, in their bits."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + np.uint32(0x8000)) & np.uint32(0xFFFF0000)).view(np.float32)


A2 = SimulatedChip(
    blocks={"float16": 16, "bfloat16": 16, "float32": 4, "hf32": 8}, convolution="hf32", layer_norm_away=True
)
"""What is published of Ascend 910B, and to nearest even where nothing is."""
FIRST = SimulatedChip(
    blocks={"float16": 16, "bfloat16": 16}, product="float16", convolution="float16", saturates=True
)
"""What is published of Ascend 910A, likewise; with bfloat16, which makes no difference here."""


def write_results(
    folder: Path, results: Mapping[str, Array], device: str = "Ascend910B2", **said: Any
) -> None:
    """Write what ``run_probes.py`` writes; probes without a result did not run."""
    kit = json.loads((folder / "probes.json").read_text(encoding="utf-8"))
    entries: dict[str, Any] = {}
    for probe in kit["probes"]:
        name = probe["name"]
        if name in results:
            np.save(folder / result_file(name), results[name].astype(np.float32))
            entries[name] = {"dtype": probe["dtype"], "shape": list(results[name].shape)}
        else:
            entries[name] = {"error": "RuntimeError: not supported"}
    about = {
        "format": "ulpscope calibration results", "version": 1, "digest": kit["digest"], "device": device,
        "kind": "npu", "torch": "2.6.0", "torch_npu": "2.6.0", "switches": {}, "results": entries,
    }  # fmt: skip
    (folder / "device.json").write_text(json.dumps(about | said), encoding="utf-8")
