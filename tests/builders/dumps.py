"""Dump folders made by hand, in the form of the official dumper, around given arrays."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

Value = Any
"""An array becomes a tensor record, None a null, a Python value a scalar, a list or dict nests."""

_NAMES = {np.dtype(ml_dtypes.bfloat16): "bfloat16"}


def call(
    inputs: Sequence[Value] = (), outputs: Sequence[Value] = (), kwargs: Mapping[str, Value] | None = None
) -> dict[str, Any]:
    """Return a forward call with these values in its slots."""
    return {"input_args": list(inputs), "input_kwargs": dict(kwargs or {}), "output": list(outputs)}


def write_dump(
    folder: Path,
    calls: Mapping[str, Mapping[str, Any]],
    *,
    tensors: bool = False,
    checksums: bool = False,
    statistics: bool = True,
    construct: Mapping[str, str | None] | None = None,
    stacks: Mapping[str, list[str]] | None = None,
) -> Path:
    """Write ``dump.json`` (and ``construct.json``, ``stack.json``, tensor files) into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    data_dir = folder / "dump_tensor_data"
    if tensors:
        data_dir.mkdir(exist_ok=True)

    def leaf(value: Value, name: str) -> Any:
        if value is None:
            return None
        if isinstance(value, np.ndarray):
            return _tensor(value, name, data_dir if tensors else None, checksums, statistics)
        if isinstance(value, Mapping):
            return {key: leaf(item, f"{name}.{key}") for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [leaf(item, f"{name}.{index}") for index, item in enumerate(value)]
        return {"type": type(value).__name__, "value": value}

    words = {"input_args": "input", "input_kwargs": "kwargs"}
    data = {
        name: {part: leaf(value, f"{name}.{words.get(part, part)}") for part, value in body.items()}
        for name, body in calls.items()
    }
    header = {
        "task": "tensor" if tensors else "statistics",
        "level": "L1",
        "framework": "pytorch",
        "dump_data_dir": str(data_dir) if tensors else None,
    }
    (folder / "dump.json").write_text(json.dumps({**header, "data": data}, indent=1))
    if construct is not None:
        (folder / "construct.json").write_text(json.dumps(construct, indent=1))
    if stacks is not None:
        numbered = {str(index): [[name], frames] for index, (name, frames) in enumerate(stacks.items())}
        (folder / "stack.json").write_text(json.dumps(numbered, indent=1))
    return folder


def _tensor(
    value: np.ndarray[Any, Any], name: str, data_dir: Path | None, checksums: bool, statistics: bool
) -> dict[str, Any]:
    record: dict[str, Any] = {
        "type": "torch.Tensor",
        "dtype": f"torch.{_NAMES.get(value.dtype, value.dtype.name)}",
        "shape": list(value.shape),
    }
    if statistics:
        record |= _statistics(value)
    record["requires_grad"] = False
    if checksums:
        record["md5"] = f"{zlib.crc32(np.ascontiguousarray(value).tobytes()):08x}"
    if data_dir is not None:
        file = f"{name}.npy"
        stored = value.astype(np.float32) if value.dtype == ml_dtypes.bfloat16 else value
        np.save(data_dir / file, stored)
        record["data_name"] = file
    return record


def _statistics(value: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return Max, Min, Mean, Norm as the official dumper computes them, without its rounding."""
    if value.size == 0:
        return dict.fromkeys(("Max", "Min", "Mean", "Norm"))
    if value.dtype == bool:
        return {"Max": bool(value.any()), "Min": bool(value.all()), "Mean": None, "Norm": None}
    if value.ndim == 0:
        return dict.fromkeys(("Max", "Min", "Mean", "Norm"), value.item())
    if value.dtype.kind in "iu":
        return {"Max": int(value.max()), "Min": int(value.min()), "Mean": None, "Norm": None}
    wide = value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)
    if value.dtype.kind == "c":
        wide = np.abs(wide)
    with np.errstate(all="ignore"):
        return {
            "Max": float(np.max(wide)),
            "Min": float(np.min(wide)),
            "Mean": float(np.mean(wide)),
            "Norm": float(np.linalg.norm(wide.ravel())),
        }


def write_losses(folder: Path, losses: list[float]) -> Path:
    """Write a dump with the loss of each step, a scalar, and what is none beside it."""
    values = np.arange(4, dtype=np.float32)
    for step, loss in enumerate(losses):
        scalar = np.array(loss, np.float32)
        write_dump(
            folder / f"step{step}" / "rank0",
            {
                "Functional.linear.0.forward": call([values], [values]),
                "Functional.cross_entropy.0.forward": call([values], [scalar]),
                "Torch.mean.0.forward": call([values], [np.array(3.0, np.float32)]),
            },
        )
    return folder
