"""Large pairs from small real ones: entries repeated under new names, tensors as large as wanted."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np

from tests.builders.scaled_dump import scale_dump

PROJECT = Path(__file__).resolve().parent.parent
REAL = PROJECT / "resources" / "demo"


def statistics_pair(folder: Path, megabytes: int = 46) -> tuple[Path, Path]:
    """Return two runs of about 140 000 rows each; every statistic of the target has its own noise."""
    target, golden = folder / "statistics_target", folder / "statistics_golden"
    for place, side in ((target, "target"), (golden, "golden")):
        dump = place / "step0" / "rank0" / "dump.json"
        if dump.exists():
            continue
        source = folder / f"{side}_source.json"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(_without_tensors(next((REAL / side).rglob("dump.json"))))
        scale_dump(source, dump, megabytes * 1_000_000)
    return target, golden


def _without_tensors(dump: Path) -> str:
    said = json.loads(dump.read_text("utf-8"))
    said["task"], said["dump_data_dir"] = "statistics", None

    def strip(value: object) -> object:
        if isinstance(value, dict):
            return {key: strip(item) for key, item in value.items() if key != "data_name"}
        return [strip(item) for item in value] if isinstance(value, list) else value

    return json.dumps({**said, "data": strip(said["data"])})


def tensor_pair(folder: Path, tensors: int = 3200, total: int = 1 << 30) -> tuple[Path, Path]:
    """Return two runs of *tensors* float32 tensors, *total* bytes a side, equal up to rounding noise.

    The files are ``.npy``-free: real ``.pt`` files made by repeating a real file's header, so that the
    official tool reads them too. They need torch to be written.
    """
    target, golden = folder / "tensor_target", folder / "tensor_golden"
    if (golden / "step0" / "rank0" / "dump.json").exists():
        return target, golden
    import torch

    chance = random.Random(0)
    generator = torch.Generator().manual_seed(0)
    mean = total // tensors // 4
    names: list[str] = []
    sizes = [max(16, int(mean * 2 * chance.random())) for _ in range(tensors)]
    records: dict[str, dict[str, dict[str, object]]] = {"target": {}, "golden": {}}
    for index in range(tensors):
        call = f"Functional.linear.{index // 2}.forward"
        slot = "input" if index % 2 == 0 else "output"
        name = f"{call}.{slot}.0.pt"
        names.append(name)
        shape = [max(1, sizes[index] // 64), 64]
        value = torch.randn(shape, generator=generator)
        noisy = value * (1 + 1e-7 * torch.randn(shape, generator=generator))
        for side, place, tensor in (("target", target, noisy), ("golden", golden, value)):
            data = place / "step0" / "rank0" / "dump_tensor_data"
            data.mkdir(parents=True, exist_ok=True)
            torch.save(tensor, data / name)
            part = "input_args" if slot == "input" else "output"
            call_record = records[side].setdefault(call, {"input_args": [], "input_kwargs": {}, "output": []})
            call_record[part].append(_record(tensor.numpy(), name))  # type: ignore[attr-defined]
    for side, place in (("target", target), ("golden", golden)):
        header = {
            "task": "tensor",
            "level": "L1",
            "framework": "pytorch",
            "dump_data_dir": "dump_tensor_data",
        }
        text = json.dumps({**header, "data": records[side]}, indent=1)
        (place / "step0" / "rank0" / "dump.json").write_text(text)
    return target, golden


def _record(values: np.ndarray, name: str) -> dict[str, object]:  # type: ignore[type-arg]
    return {
        "type": "torch.Tensor",
        "dtype": "torch.float32",
        "shape": list(values.shape),
        "Max": float(values.max()),
        "Min": float(values.min()),
        "Mean": float(values.mean()),
        "Norm": float(np.linalg.norm(values.ravel())),
        "requires_grad": False,
        "data_name": name,
    }
