"""Time of distributions and worst elements of large pairs: `benchmarks/distributions.py [SIDE [DTYPE ...]]`.

The baseline reads the bytes of both sides once: the largest of all bit patterns, by numpy. Gigabytes are
those of both sides; seconds are of the processor, so that other work on the machine does not count.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from core.metrics.inspection.distributions import (
    Bins,
    DistributionRequest,
    ValueRange,
    find_value,
    pair_distributions,
    worst_along,
)
from core.metrics.inspection.elements import By, WorstRequest, region_statistics, worst_elements
from core.metrics.inspection.sources import PairSources, TensorFile, open_pair
from core.progress import Work

SIDE = 16384


def driven(work: Work[Any]) -> float:
    """Drive *work* to its end; return the longest time between two reports, in seconds."""
    longest, last = 0.0, time.perf_counter()
    for _ in work:
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return max(longest, time.perf_counter() - last)


def seconds(action: Callable[[], object], repeats: int = 3) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


def saved(folder: Path, dtype: str, side: int) -> PairSources:
    """Write a pair of normal numbers that differ by about a hundredth, one NaN and one infinity in each."""
    random = np.random.default_rng(0)
    files = []
    golden = random.standard_normal((side, side), np.float32)
    for name in ("target", "golden"):
        values = golden if name == "golden" else golden * (1 + random.standard_normal(side, np.float32) / 100)
        values[5000 % side, 77], values[7000 % side, 9] = np.nan, np.inf
        path = folder / f"{dtype}-{name}.npy"
        if dtype == "bfloat16":
            words = values.view(np.uint32) >> np.uint32(16)
            np.save(path, words.astype(np.uint16).view("V2"))
        else:
            np.save(path, values.astype(dtype))
        files.append(TensorFile(str(path), dtype=dtype))
    return PairSources(*files)


def report(dtype: str, sources: PairSources, side: int) -> None:
    """Print a table of what is done with one pair."""
    pair = open_pair(sources)
    assert pair.both is not None
    views = [handle.bits().view(f"u{handle.stored.itemsize}") for handle in pair.both]
    size = sum(view.nbytes for view in views) / 1e9
    base = seconds(lambda: [view.max() for view in views])
    symlog = DistributionRequest(sources, Bins.SYMLOG)
    rows: dict[str, Callable[[], Work[Any]]] = {
        "distributions": lambda: pair_distributions(DistributionRequest(sources)),
        "distributions, symlog": lambda: pair_distributions(symlog),
        "worst 100 by absolute": lambda: worst_elements(WorstRequest(sources)),
        "worst 100 by ULP": lambda: worst_elements(WorstRequest(sources, By.ULP)),
        "statistics of all": lambda: region_statistics(sources),
        "a value that is not there": lambda: find_value(sources, ValueRange("target", 1e3, 2e3)),
        "the worst of a row": lambda: worst_along(sources, 0, 8000 % side, 8000 % side + 8),
    }
    print(f"\n{dtype}, {size:.2f} GB")
    print(f"{'':28}{'seconds':>9}{'GB/s':>8}{'ratio to reading once':>24}{'longest step, ms':>19}")
    print(f"{'reading once':28}{base:9.3f}{size / base:8.2f}{1:24.1f}")
    for name, work in rows.items():
        steps: list[float] = []
        took = seconds(lambda: steps.append(driven(work())), 2)  # noqa: B023 - called at once
        print(f"{name:28}{took:9.3f}{size / took:8.2f}{took / base:24.1f}{min(steps) * 1e3:19.0f}")


def main() -> None:
    side = int(sys.argv[1]) if len(sys.argv) > 1 else SIDE
    with tempfile.TemporaryDirectory() as folder:
        for dtype in sys.argv[2:] or ("bfloat16", "float16", "float32"):
            report(dtype, saved(Path(folder), dtype, side), side)
            for path in Path(folder).iterdir():
                path.unlink()


if __name__ == "__main__":
    main()
