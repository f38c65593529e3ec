"""Speed of counting exponents, in GB/s on one core: `python -m benchmarks.headroom`.

The baseline is what one would write first: whole arrays rounded to float16, floor(log2) of float64.
Ratios within one run are what counts; absolute speeds depend on the machine and its neighbours.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from core.dtypes import DTYPES, widen
from core.overflow.headroom.exponents import CHUNK, MagnitudeCounter, limits_of
from core.overflow.headroom.measuring import measure_headroom
from core.overflow.headroom.picture import exponent_picture
from core.progress import run_to_end
from core.records.columns import ShapePool, StringPool
from core.records.dump import Dump, Known, OperatorTable, ScopeTable, SlotGroup, SlotTable

ELEMENTS = 1 << 24
SLOTS = 1_000_000
REPEATS = 3
LIMITS = limits_of(DTYPES["float16"])


def seconds(action: Callable[[], object]) -> float:
    """Return the best of some runs."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def ours(bits: np.ndarray, stored: str) -> object:
    """Count as the product does."""
    counter = MagnitudeCounter(DTYPES[stored], LIMITS)
    for start in range(0, len(bits), CHUNK):
        counter.add(bits[start : start + CHUNK])
    return counter.result()


def plain(bits: np.ndarray, stored: str) -> object:
    """Find the same with whole arrays."""
    values = np.abs(widen(bits, DTYPES[stored]).astype(np.float64))
    with np.errstate(all="ignore"):
        rounded = values.astype(np.float16)
        exponents = np.floor(np.log2(values))
    counts = np.histogram(exponents[np.isfinite(exponents)], bins=np.arange(-64, 129))
    nonzero = values != 0
    return (
        counts,
        values.max(),
        np.sqrt(np.mean(values**2)),
        np.count_nonzero(np.isinf(rounded)),
        np.count_nonzero((rounded == 0) & nonzero),
        np.count_nonzero((rounded < LIMITS.normal) & (rounded != 0)),
    )


def many_slots() -> Dump:
    """Return a dump of :data:`SLOTS` slots with statistics, two inputs and an output a call."""
    random = np.random.default_rng(0)
    calls = SLOTS // 3
    slots = SlotTable.empty(3 * calls)
    slots.operator[:] = np.repeat(np.arange(calls), 3)
    slots.group[:] = np.tile([SlotGroup.INPUT, SlotGroup.INPUT, SlotGroup.OUTPUT], calls)
    slots.dtype[:] = slots.shape[:] = 0
    slots.known[:] = Known.ALL
    slots.max[:] = random.lognormal(0, 8, 3 * calls)
    slots.min[:] = -random.lognormal(0, 8, 3 * calls)
    slots.norm[:] = np.maximum(slots.max, -slots.min) * 3
    operators = OperatorTable.empty(calls)
    operators.direction[:] = np.arange(calls) // (calls // 2 + 1) + 1
    strings, shapes = StringPool.of(["torch.float32"]), ShapePool.of([(64, 64)])
    return Dump(
        "msprobe", "pytorch", "statistics", "L1", "", operators, slots, ScopeTable.empty(), strings, shapes,
        StringPool.of([]),
    )  # fmt: skip


def main() -> None:
    random = np.random.default_rng(0)
    normal = random.standard_normal(ELEMENTS, dtype=np.float32)
    tensors = {
        "float32": (normal, "float32"),
        "float32, zeros": (np.zeros_like(normal), "float32"),
        "float32, powers of two": (np.ones_like(normal), "float32"),
        "float64": (normal.astype(np.float64), "float64"),
        "float16": (normal.astype(np.float16), "float16"),
        "bfloat16": ((normal.view(np.uint32) >> 16).astype(np.uint16), "bfloat16"),
    }
    print(f"{'':28}{'GB/s':>8}{'plain':>8}{'ratio':>8}")
    for name, (bits, stored) in tensors.items():
        fast = bits.nbytes / seconds(lambda bits=bits, stored=stored: ours(bits, stored)) / 1e9
        slow = bits.nbytes / seconds(lambda bits=bits, stored=stored: plain(bits, stored)) / 1e9
        print(f"{name:28}{fast:8.2f}{slow:8.2f}{fast / slow:8.1f}")
    small = normal[:1000]
    print(f"counting 1000 elements: {seconds(lambda: ours(small, 'float32')) * 1e6:.0f} us")
    dump = many_slots()
    print(f"{SLOTS} slots by statistics: {seconds(lambda: run_to_end(measure_headroom(dump))):.2f} s")
    headroom = run_to_end(measure_headroom(dump))
    print(f"their picture, 1600 columns: {seconds(lambda: exponent_picture(headroom, 1600)):.2f} s")


if __name__ == "__main__":
    main()
