"""Speed of tier 1 in GB/s, both sides counted, on one core: `python benchmarks/tier1.py`.

The baseline is what one would write first: whole arrays in numpy, float64, the same numbers. Ratios
within one run are what counts; absolute speeds depend on the machine and its neighbours.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from core.dtypes import DTYPES, dtype_named
from core.formats.tensors import TensorHandle, open_tensor
from core.metrics.elementwise import compare_tensors

ELEMENTS = 1 << 24
REPEATS = 5


def seconds(action: Callable[[], object]) -> float:
    """Return the best of some runs."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def plain(target: np.ndarray, golden: np.ndarray) -> dict[str, float]:
    """Compute the same numbers with whole arrays."""
    t, g = target.astype(np.float64), golden.astype(np.float64)
    finite = np.isfinite(t) & np.isfinite(g)
    t, g = t[finite], g[finite]
    d = np.abs(t - g)
    with np.errstate(all="ignore"):
        relative = np.where(g != 0, d / np.abs(g), np.where(d == 0, 0, np.inf))
    return {
        "cosine": float(t @ g / np.sqrt((t @ t) * (g @ g))),
        "max_abs": float(d.max()),
        "index": int(d.argmax()),
        "rmse": float(np.sqrt((d**2).mean())),
        "mae": float(d.mean()),
        "relative_l2": float(np.sqrt((d @ d) / (g @ g))),
        "max_rel": float(relative[g != 0].max()),
        "below": float((relative < 1e-3).mean() + (relative < 5e-3).mean()),
        "flips": int(((t < 0) != (g < 0)).sum()),
        "zeros": int((t == 0).sum() + (g == 0).sum()),
        "equal": int((t == g).sum()),
    }


def main() -> None:
    random = np.random.default_rng(0)
    golden = random.standard_normal(ELEMENTS, dtype=np.float32)
    near = golden * (1 + 1e-6 * random.standard_normal(ELEMENTS, dtype=np.float32)).astype(np.float32)
    far = random.standard_normal(ELEMENTS, dtype=np.float32)
    holes = golden.copy()
    holes[::10_000] = np.nan
    pairs = {
        "float32, close": (near, golden, "float32"),
        "float32, unrelated": (far, golden, "float32"),
        "float32, equal": (golden.copy(), golden, "float32"),
        "float32, NaN in each chunk": (near, holes, "float32"),
        "float16": (near.astype(np.float16), far.astype(np.float16), "float16"),
        "bfloat16": (_bf16(near), _bf16(far), "bfloat16"),
        "int64": ((near * 1e3).astype(np.int64), (golden * 1e3).astype(np.int64), "int64"),
    }
    print(f"{'':28}{'GB/s':>8}{'plain':>8}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, (target, other, dtype) in pairs.items():
            handles = []
            for side, array in (("target", target), ("golden", other)):
                path = Path(folder) / f"{side}.npy"
                np.save(path, array.view("V2") if dtype == "bfloat16" else array)
                handles.append(open_tensor(str(path), dtype=dtype))
            numbers = [_numbers(handle) for handle in handles]
            size = target.nbytes + other.nbytes
            ours = size / seconds(lambda pair=tuple(handles): compare_tensors(*pair)) / 1e9
            theirs = size / seconds(lambda pair=tuple(numbers): plain(*pair)) / 1e9
            print(f"{name:28}{ours:8.2f}{theirs:8.2f}{ours / theirs:8.1f}")
        _opening(Path(folder))


def _bf16(values: np.ndarray) -> np.ndarray:
    return (values.view(np.uint32) >> 16).astype(np.uint16)


def _numbers(handle: TensorHandle) -> np.ndarray:
    return handle.read() if handle.stored is not dtype_named("float16") else handle.bits()


def _opening(folder: Path) -> None:
    """Time opening and judging many small files."""
    path = str(folder / "small.npy")
    np.save(path, np.zeros(1000, np.float32))
    opening = seconds(lambda: [open_tensor(path) for _ in range(1000)])
    loading = seconds(lambda: [np.load(path, mmap_mode="r") for _ in range(1000)])
    print(f"opening a small .npy: {opening * 1e3:.0f} us, numpy.load mapped: {loading * 1e3:.0f} us")
    handle = TensorHandle(np.zeros(1000, np.float32), DTYPES["float32"])
    comparing = seconds(lambda: [compare_tensors(handle, handle) for _ in range(1000)])
    print(f"comparing 1000 elements: {comparing * 1e3:.0f} us")


if __name__ == "__main__":
    main()
