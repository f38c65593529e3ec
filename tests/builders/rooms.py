"""Headroom and training histories for the window's tests, and work that ends in other ways than well."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
from builders.dumps import call, write_dump
from builders.window_work import endless

from core.errors import InputError, Problem
from core.messages import Message
from core.overflow.headroom.loss_scale import suggest_loss_scale
from core.overflow.headroom.measuring import measure_headroom
from core.overflow.headroom.picture import exponent_picture
from core.progress import Progress, Work, run_to_end
from core.records.result import CellResult
from core.records.run import CellKey
from core.report.headroom_report import counts_of
from gui.headroom.work import CellRoom


def room_of(cell: CellResult, width: int = 4096) -> CellRoom:
    """Measure the target of *cell* here and now."""
    headroom = run_to_end(measure_headroom(cell.target, cell.key))
    picture, scale = exponent_picture(headroom, width), suggest_loss_scale([headroom])
    return CellRoom(headroom, picture, scale, counts_of(headroom))


def network(folder: Path, *, tensors: bool) -> Path:
    """Write calls whose values reach beyond fp16 at both ends; one tensor has a single element that does."""
    random = np.random.default_rng(3)
    data = random.standard_normal((64, 64)).astype(np.float32)
    lone = data.copy()
    lone[5, 7] = 1e5
    calls = {
        "Torch.mul.0.forward": call([data, 3.0], [lone]),
        "Torch.exp.0.forward": call([lone], [(np.abs(data) * 1e-9 + 1e-12).astype(np.float32)]),
        "Torch.zeros.0.forward": call([], [np.zeros((4, 4), np.float32)]),
        "Torch.bad.0.forward": call([], [np.array([np.nan, 7, 1], np.float32)]),
        "Torch.sum.0.backward": {
            "input": [np.full((), 1.0, np.float32)],
            "output": [(data * 1e-3).astype(np.float32)],
        },
    }
    return write_dump(folder, calls, tensors=tensors)


def endless_room(_path: str, _key: CellKey) -> Work[CellRoom]:
    yield from endless()
    raise AssertionError


def no_room(_path: str, _key: CellKey) -> Work[CellRoom]:
    yield Progress(0, 1, Message("gui.progress.preparing"))
    raise RuntimeError("planted")


def refused_room(path: str, _key: CellKey) -> Work[CellRoom]:
    yield Progress(0, 1, Message("gui.progress.preparing"))
    raise InputError(Problem("file_empty", path))


def megatron_log(
    path: Path, steps: int = 1000, bad: Collection[int] = (), batch: int = 64, scale: float = 65536.0
) -> Path:
    """Write a log of Megatron: at *bad* steps the scale halves, and never grows."""
    lines = []
    for step in range(1, steps + 1):
        skipped = step in bad
        scale /= 2 if skipped else 1
        lines.append(
            f" iteration {step:8}/ {steps} | global batch size: {batch:5} | loss scale: {scale:.1f} |"
            f" grad norm: 1.0 | number of skipped iterations: {skipped:3} | number of nan iterations:   0 |"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), "utf-8")
    return path
