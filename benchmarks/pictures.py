"""Time of heat maps of 16384 × 16384 bf16 from mapped bytes, on one core: `python benchmarks/pictures.py`.

The baseline reads the same bytes once: the largest of all bit patterns, by numpy.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from core.formats.tensors import open_tensor
from core.metrics.pictures import difference_picture, picture
from core.metrics.plane import Plane, Region

SIDE = 16384
PIXELS = (1024, 1024)


def seconds(action: Callable[[], object], repeats: int = 3) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        handles = []
        for name in ("target", "golden"):
            bits = random.integers(0x3000, 0x4080, (SIDE, SIDE), dtype=np.uint16)
            bits |= random.integers(0, 2, (SIDE, SIDE), dtype=np.uint16) << 15
            bits[5000, 77] = 0x7FC0
            np.save(Path(folder) / f"{name}.npy", bits.view("V2"))
            del bits
            handles.append(open_tensor(str(Path(folder) / f"{name}.npy"), dtype="bfloat16"))
        target, golden = handles
        plane, turned = Plane.of(target.shape), Plane(1, 0, (0, 0))
        base = seconds(lambda: target.bits().max())
        rows = {
            "one picture": lambda: picture(target, plane, None, PIXELS),
            "one picture, turned": lambda: picture(target, turned, None, PIXELS),
            "difference": lambda: difference_picture(target, golden, plane, None, PIXELS),
            "zoomed to 2000 x 2000": lambda: picture(target, plane, Region(4000, 6000, 0, 2000), PIXELS),
            "zoomed to 500 x 500": lambda: picture(target, plane, Region(4000, 4500, 0, 500), PIXELS),
        }
        print(f"{'':28}{'seconds':>9}{'ratio to reading once':>24}")
        print(f"{'reading once':28}{base:9.3f}{1:24.1f}")
        for name, action in rows.items():
            took = seconds(action)
            print(f"{name:28}{took:9.3f}{took / base:24.1f}")


if __name__ == "__main__":
    main()
