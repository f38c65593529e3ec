"""Two dumps whose calls give tensors of every kind that the heat maps must show."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
from builders.dumps import call, write_dump
from numpy.typing import NDArray

from core.cli.main import main
from core.records.result import CellResult
from core.store.results import load_cell, load_info

Array = NDArray[np.generic]


def tensors() -> dict[str, tuple[Array, Array]]:
    """Return target and golden of each call, by the name of its operator."""
    random = np.random.default_rng(11)

    def normal(*shape: int) -> NDArray[np.float32]:
        return random.normal(size=shape).astype(np.float32)

    def apart(golden: NDArray[np.float32], *places: tuple[int, ...]) -> NDArray[np.float32]:
        target = golden.copy()
        for place in places:
            target[place] += 1.5
        return target

    deep, flat, line, wide = normal(2, 3, 24, 40), normal(30, 50), normal(3000), normal(700, 900)
    special = apart(flat, (4, 7))
    special[3, 5], special[20, 44], special[21, 2], special[22, 9] = np.nan, np.inf, -np.inf, np.nan
    planted = apart(wide, (612, 77))
    planted[611, 803] = np.nan
    ids = random.integers(0, 50_000, size=(4, 128))
    other_ids = ids.copy()
    other_ids[3, 5] += 1
    mask = random.random((12, 16)) < 0.4
    other_mask = mask.copy()
    other_mask[2, 3] ^= True
    phases = (normal(6, 10) + 1j * normal(6, 10)).astype(np.complex64)
    halves = normal(16, 24)
    return {
        "deep": (apart(deep, (1, 2, 7, 9)), deep),
        "flat": (apart(flat, (11, 40)), flat),
        "special": (special, flat),
        "wide": (planted, wide),
        "line": (apart(line, (1234,)), line),
        "number": (np.array(2.5, np.float32), np.array(2.0, np.float32)),
        "row": (apart(normal(1, 64), (0, 9)), normal(1, 64)),
        "empty": (np.zeros((0, 4), np.float32), np.zeros((0, 4), np.float32)),
        "ids": (other_ids, ids),
        "mask": (other_mask, mask),
        "phases": (np.conj(phases), phases),
        "bf16": (apart(halves, (3, 4)).astype(ml_dtypes.bfloat16), halves.astype(ml_dtypes.bfloat16)),
        "fp8": (
            apart(halves, (3, 4)).astype(ml_dtypes.float8_e4m3fn),
            halves.astype(ml_dtypes.float8_e4m3fn),
        ),
        "turned": (normal(20, 30), normal(30, 20)),
    }


def write_pair(folder: Path, chosen: dict[str, tuple[Array, Array]] | None = None) -> tuple[Path, Path]:
    """Write both dumps, of all :func:`tensors` or of *chosen* ones."""
    pairs = tensors() if chosen is None else chosen
    made = []
    for side, at in (("npu", 0), ("gpu", 1)):
        calls = {f"Functional.{name}.0.forward": call(outputs=[pair[at]]) for name, pair in pairs.items()}
        made.append(write_dump(folder / side, calls, tensors=True))
    return made[0], made[1]


def compared(folder: Path, chosen: dict[str, tuple[Array, Array]] | None = None) -> CellResult:
    """Return the comparison of such a pair; its dumps lie in *folder*."""
    target, golden = write_pair(folder, chosen)
    result = folder / "result.h5"
    main(["compare", str(target), str(golden), "-o", str(result), "--quiet", "--no-cache"])
    return load_cell(result, load_info(result).cells[0])
