"""Checkpoints made by hand: safetensors files and the tables of their weights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from core.formats.evidence.weights.checkpoint import read_weight_file
from core.progress import run_to_end
from core.records.evidence import Evidence, EvidenceKind, Place, WeightTable

Array = np.ndarray[Any, Any]
_NAMES = {
    np.dtype(np.float32): "F32", np.dtype(np.float16): "F16", np.dtype(ml_dtypes.bfloat16): "BF16",
    np.dtype(np.int64): "I64",
}  # fmt: skip


def write_safetensors(path: Path, tensors: Mapping[str, Array]) -> Path:
    """Write *tensors* as the format's specification has it: length, JSON header, bytes."""
    header: dict[str, Any] = {}
    data = b""
    for name, value in tensors.items():
        raw = np.ascontiguousarray(value).tobytes()
        offsets = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": _NAMES[value.dtype], "shape": list(value.shape), "data_offsets": offsets}
        data += raw
    text = json.dumps(header).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def checkpoint(path: Path, tensors: Mapping[str, Array]) -> Evidence:
    """Write *tensors* and return what the reader makes of the file."""
    return run_to_end(read_weight_file(str(write_safetensors(path, tensors))))


def statistics(values: Mapping[str, tuple[float, float, float, float]], path: str = "stats.json") -> Evidence:
    """Return the evidence of statistics alone: max, min, mean, norm by name."""
    count = len(values)
    numbers = np.array(list(values.values()), np.float64).reshape(count, 4)
    table = WeightTable(
        tuple(values), ("",) * count, (None,) * count, ("",) * count,
        numbers, ("",) * count, ("",) * count, -1, Place(path),
    )  # fmt: skip
    return Evidence(path, (EvidenceKind.WEIGHTS,), weights=table)


def statistics_of(value: Array) -> tuple[float, float, float, float]:
    """Return max, min, mean and norm in float64, by numpy."""
    wide = value.astype(np.float64)
    return float(wide.max()), float(wide.min()), float(wide.mean()), float(np.linalg.norm(wide.ravel()))
