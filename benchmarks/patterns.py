"""Time and memory of the search for patterns in bf16 pairs: `python benchmarks/patterns.py [SIDE]`.

Pairs are SIDE × SIDE, 16384 unless given. The baseline is tier 1 of the same pair, one pass for its
metrics. "gap" is the longest time between two reports of progress, in which a user can't cancel.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np

from core.formats.tensors.opening import open_tensor
from core.metrics.elementwise import compare_tensors
from core.metrics.patterns.engine import find_patterns

Array = np.ndarray


def _noise(bits: Array) -> Array:
    values = bits.view(ml_dtypes.bfloat16)
    out = np.empty_like(bits)
    random = np.random.default_rng(1)
    for row in range(len(bits)):
        noisy = values[row].astype(np.float32) * (
            1 + 0.05 * random.standard_normal(bits.shape[1], np.float32)
        )
        out[row] = noisy.astype(ml_dtypes.bfloat16).view(np.uint16)
    return out


def _rolled_with_padding(bits: Array) -> Array:
    out = np.roll(bits, 3, axis=0)
    out[:3] = 0x3F80
    return out


def _overwritten(bits: Array) -> Array:
    out = bits.copy()
    out.reshape(-1)[4096 : 4096 + 8192] = 0x4000
    return out


CASES: dict[str, Callable[[Array], Array]] = {
    "noise beyond the format": _noise,
    "ratio 4": lambda bits: bits + np.uint16(2 << 7),
    "transposed": lambda bits: np.ascontiguousarray(bits.T),
    "rows shifted": _rolled_with_padding,
    "rows permuted": lambda bits: bits[np.random.default_rng(2).permutation(len(bits))],
    "heads interleaved": lambda bits: np.ascontiguousarray(
        bits.reshape(len(bits), 16, -1, 64).swapaxes(1, 2)
    ).reshape(bits.shape),
    "block overwritten": _overwritten,
}


def main() -> None:
    side = int(sys.argv[1]) if len(sys.argv) > 1 else 16384
    random = np.random.default_rng(0)
    print(f"{'':26}{'seconds':>9}{'ratio':>7}{'gap ms':>8}{'peak MB':>9}  found")
    with tempfile.TemporaryDirectory() as folder:
        golden_path, target_path = Path(folder) / "golden.npy", Path(folder) / "target.npy"
        bits = random.integers(0x3000, 0x4080, (side, side), dtype=np.uint16)
        bits |= random.integers(0, 2, (side, side), dtype=np.uint16) << 15
        np.save(golden_path, bits.view("V2"))
        for name, change in CASES.items():
            np.save(target_path, change(bits).view("V2"))
            with (
                open_tensor(str(target_path), dtype="bfloat16") as target,
                open_tensor(str(golden_path), dtype="bfloat16") as golden,
            ):
                start = time.perf_counter()
                compare_tensors(target, golden)
                base = time.perf_counter() - start
                tracemalloc.start()
                began = last = time.perf_counter()
                gap = 0.0
                work = find_patterns(target, golden)
                found = None
                while found is None:
                    try:
                        next(work)
                    except StopIteration as end:
                        found = end.value
                    now = time.perf_counter()
                    gap, last = max(gap, now - last), now
                peak = tracemalloc.get_traced_memory()[1] / 1e6
                tracemalloc.stop()
            took = last - began
            names = ", ".join(pattern.name for pattern in found)
            print(f"{name:26}{took:9.2f}{took / base:7.1f}{1000 * gap:8.0f}{peak:9.0f}  {names}", flush=True)


if __name__ == "__main__":
    main()
