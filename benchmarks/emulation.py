"""Speed of the chip's arithmetic beside numpy's own, on one core: `python dev.py bench emulation`.

Ratios within one run are what counts: each is of the fastest of some runs that take turns. BLAS has one
thread, as in all processes of ulpscope; OPENBLAS_NUM_THREADS=2 shows what small products lose by more.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import importlib.util
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from core.dtypes import COMPUTING_FORMATS, DTYPES
from core.emulation.arithmetic.block_fma import BlockFma, multiply
from core.emulation.arithmetic.reduction import ReductionOrder, reduce_sum
from core.emulation.arithmetic.rounding import Conversion, Overflow, Rounding, convert

SIZE = 1024
ELEMENTS = 10_000_000
SLOW = 0.2
HALF = DTYPES["float16"]


def fastest(actions: dict[str, Callable[[], object]], runs: int = 7) -> dict[str, float]:
    """Return the best seconds of each, run in turns; slow ones run three times."""
    best = dict.fromkeys(actions, float("inf"))
    for run in range(runs):
        for name, action in actions.items():
            if run >= 3 and best[name] > SLOW:
                continue
            start = time.perf_counter()
            action()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def show(title: str, actions: dict[str, Callable[[], object]], reference: str) -> None:
    """Print milliseconds, and how many times the reference that is."""
    found = fastest(actions)
    print(f"\n{title}\n{'':34}{'ms':>10}{'times ' + reference:>24}")
    for name, seconds in found.items():
        print(f"{name:34}{seconds * 1e3:10.1f}{seconds / found[reference]:24.2f}")


def products() -> None:
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((SIZE, SIZE)).astype(np.float16).astype(np.float32) for _ in range(2))
    small_a = random.standard_normal((64, 16, 128, 64), np.float32)
    small_b = small_a.swapaxes(-1, -2)
    exact, fast = BlockFma(16), BlockFma(16, fused=False)
    cut_off, half = Rounding.TOWARD_ZERO, {"accumulator": HALF}
    ways = {
        "K = 16 in order": fast,
        "K = 4 in order": replace(fast, block=4),
        "toward zero": replace(fast, accumulate=cut_off),
        "half accumulators": replace(fast, **half),
        "exact, K = 16": exact,
        "exact, K = 4": replace(exact, block=4),
        "exact, toward zero": replace(exact, accumulate=cut_off),
        "exact, half accumulators": replace(exact, **half),
        "aligned, 2 guard bits, toward zero": replace(exact, guard_bits=2, accumulate=cut_off),
    }
    actions: dict[str, Callable[[], object]] = {"matmul": lambda: a @ b}
    actions |= {name: lambda way=way: multiply(a, b, way) for name, way in ways.items()}
    show(f"{SIZE} x {SIZE} x {SIZE}, numbers of float16", actions, "matmul")
    show(
        "1024 products of 128 x 64 x 128",
        {"matmul": lambda: small_a @ small_b, "K = 16 in order": lambda: multiply(small_a, small_b, fast)},
        "matmul",
    )
    ordered, wanted, blas = multiply(a, b, fast), multiply(a, b, exact), a @ b
    for name, found in (("K = 16 in order", ordered), ("matmul", blas)):
        single = (found == wanted).mean()
        rounded = (convert(found, Conversion(HALF)) == convert(wanted, Conversion(HALF))).mean()
        print(f"{name}: {single:.2%} as the exact ones in float32, {rounded:.3%} in float16")


def conversions() -> None:
    random = np.random.default_rng(0)
    normal = random.standard_normal(ELEMENTS, np.float32)
    wide = normal * (2.0 ** random.integers(-40, 20, ELEMENTS)).astype(np.float32)
    formats = {"float16": HALF, "bfloat16": DTYPES["bfloat16"], "hf32": COMPUTING_FORMATS["hf32"]}
    for title, values in (("N(0, 1)", normal), ("many subnormals and overflows", wide)):

        def cast(values: np.ndarray = values) -> np.ndarray:
            with np.errstate(all="ignore"):
                return values.astype(np.float16).astype(np.float32)

        actions: dict[str, Callable[[], object]] = {"numpy float16": cast}
        for name, dtype in formats.items():
            conversion = Conversion(dtype)
            actions[name] = lambda values=values, conversion=conversion: convert(values, conversion)
        odd, saturating = Conversion(HALF, Rounding.TO_ODD), Conversion(HALF, overflow=Overflow.SATURATE)
        actions["float16, to odd"] = lambda values=values, odd=odd: convert(values, odd)
        actions["float16, saturating"] = lambda values=values, way=saturating: convert(values, way)
        actions |= _torch_casts(values)
        show(f"{ELEMENTS} float32 numbers and back, {title}", actions, "numpy float16")
    rows = normal.reshape(1000, -1)
    actions = {"numpy sum": lambda: rows.sum(axis=1)}
    for order in ReductionOrder:
        if order is not ReductionOrder.SEQUENTIAL:
            actions[order] = lambda order=order: reduce_sum(rows, 1, order, Conversion(HALF))
    show(f"sums of {rows.shape[1]} numbers in float16", actions, "numpy sum")


def _torch_casts(values: np.ndarray) -> dict[str, Callable[[], object]]:
    if importlib.util.find_spec("torch") is None:
        return {}
    import torch

    torch.set_num_threads(1)
    tensor = torch.from_numpy(values)
    return {"torch half": lambda: tensor.half().float(), "torch bfloat16": lambda: tensor.bfloat16().float()}


def main() -> None:
    products()
    conversions()


if __name__ == "__main__":
    main()
