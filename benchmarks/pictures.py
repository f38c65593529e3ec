"""Time of heat maps of 16384 × 16384 bf16 from mapped bytes, on one core: `python benchmarks/pictures.py`.

The baseline reads the same bytes once: the largest of all bit patterns, by numpy.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from core.formats.tensors import open_tensor
from core.metrics.inspection.pictures import PictureRequest, pair_pictures
from core.metrics.inspection.sources import PairSources, TensorFile
from core.metrics.inspection.specials import Special, next_special
from core.metrics.pictures.drawing import difference_picture, picture
from core.metrics.pictures.kinds import Difference
from core.metrics.pictures.plane import Plane, Region
from core.progress import run_to_end

SIDE = 16384
PIXELS = (1024, 1024)


def seconds(action: Callable[[], object], repeats: int = 3) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def sources(folder: str, positive: bool = False) -> PairSources:
    """Write both tensors: one NaN, the golden near the target; *positive*: no negative number."""
    random = np.random.default_rng(0)
    files = []
    bits = random.integers(0x3000, 0x4080, (SIDE, SIDE), dtype=np.uint16)
    if not positive:
        bits |= random.integers(0, 2, (SIDE, SIDE), dtype=np.uint16) << 15
    bits[5000, 77] = 0x7FC0
    for name in ("target", "golden"):
        path = str(Path(folder) / f"{name}.npy")
        np.save(path, bits.view("V2"))
        files.append(TensorFile(path, "bfloat16"))
        bits ^= random.integers(0, 4, (SIDE, SIDE), dtype=np.uint16)
        bits[5000, 77] = 0x3F80
    return PairSources(files[0], files[1])


def steps(request: PictureRequest) -> tuple[float, float, float]:
    """Return when the target's picture was done, when all were, and the longest wait between two yields."""
    start = last = time.perf_counter()
    first = longest = 0.0
    for answer in pair_pictures(request):
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
        if not first and answer is not None and answer.golden.picture is not None:
            first = now - start
    return first, last - start, longest


def rows(pair: PairSources) -> Iterator[tuple[str, Callable[[], object]]]:
    target, golden = (open_tensor(str(getattr(side, "path")), dtype="bfloat16") for side in (pair.target, pair.golden))  # fmt: skip  # noqa: B009, E501
    plane, turned = Plane.of(target.shape), Plane((1,), (0,), (0, 0))
    shape = (4, 8, 2048, 4096)
    merged = Plane((0, 2), (1, 3), (0,) * 4)
    apart, apart_golden = target.reshaped(shape), golden.reshaped(shape)
    yield "one picture", lambda: picture(target, plane, None, PIXELS)
    yield "one picture, turned", lambda: picture(target, turned, None, PIXELS)
    yield "one picture, merged axes", lambda: picture(apart, merged, None, PIXELS)
    for kind in Difference:
        yield (
            f"difference, {kind}",
            lambda kind=kind: difference_picture(  # type: ignore[misc]
                target, golden, plane, None, PIXELS, kind
            ),
        )
    yield "difference, merged axes", lambda: difference_picture(apart, apart_golden, merged, None, PIXELS)
    for side in (8000, 2000, 500):
        part = Region(4000, 4000 + side, 0, side)
        yield f"zoomed to {side} x {side}", lambda part=part: picture(target, plane, part, PIXELS)  # type: ignore[misc]
    yield "no -Inf to be found", lambda: run_to_end(next_special(pair, "target", Special.MINUS_INF))
    yield "the one NaN, backwards", lambda: run_to_end(next_special(pair, "target", Special.NAN, None, False))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        pair = sources(folder)
        whole = open_tensor(str(Path(folder) / "target.npy"), dtype="bfloat16")
        base = seconds(lambda: whole.bits().max())
        print(f"{'':32}{'seconds':>9}{'ratio to reading once':>24}")
        print(f"{'reading once':32}{base:9.3f}{1:24.1f}")
        for name, action in rows(pair):
            took = seconds(action)
            print(f"{name:32}{took:9.3f}{took / base:24.1f}")
        for number, kind in enumerate(Difference):  # other pixels each time: the latest answers are kept
            first, every, longest = steps(
                PictureRequest(pair, max_pixels=(1024, 1024 - number), difference=kind)
            )
            print(f"{'all three, ' + kind:32}{every:9.3f}{every / base:24.1f}")
            print(f"{'':8}first {first:.3f}, longest without a yield {longest:.3f}")
        pair = sources(folder, positive=True)
        for name, golden in (("positive", pair.golden), ("positive, equal", pair.target)):
            first, every, longest = steps(PictureRequest(PairSources(pair.target, golden), max_pixels=PIXELS))
            print(f"{'all three, ' + name:32}{every:9.3f}{every / base:24.1f}")
            print(f"{'':8}first {first:.3f}, longest without a yield {longest:.3f}")


if __name__ == "__main__":
    main()
