"""Folders ``step*/rank*`` written from what a simulation of several ranks wrote down."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from builders.rank_simulation import Array, Raw, StepRecord

PROGRAM = "/workspace/train/model.py"


def write_ranks(
    folder: Path,
    steps: Sequence[StepRecord],
    *,
    statistics: bool = True,
    tensors: bool = False,
    stacks: bool = False,
    construct: bool | Mapping[str, str] = False,
) -> Path:
    """Write all ranks of *steps* into *folder*."""
    for step in steps:
        for rank, calls in enumerate(step.calls):
            place = folder / f"step{step.number}" / f"rank{rank}"
            data_dir = place / "dump_tensor_data"
            data_dir.mkdir(parents=True) if tensors else place.mkdir(parents=True)
            entries = []
            for call in calls:
                writer = _Writer(call.name, statistics, data_dir if tensors else None)
                entries.append(f"{json.dumps(call.name)}: {writer.text(call.body)}")
            head = {
                "task": "tensor" if tensors else "statistics",
                "level": "mix" if construct is not False else "L1",
                "framework": "pytorch",
                "dump_data_dir": str(data_dir) if tensors else None,
            }
            text = json.dumps(head)[:-1] + ',\n "data": {' + ",\n".join(entries) + "}}"
            (place / "dump.json").write_text(text, encoding="utf-8")
            if construct is not False:
                parents = construct if isinstance(construct, Mapping) else {}
                around = {call.name: parents.get(call.name) for call in calls}
                (place / "construct.json").write_text(json.dumps(around), encoding="utf-8")
            if stacks:
                frames = {
                    str(number): [
                        [call.name],
                        [f"File {PROGRAM}, line {10 + call.stack}, in forward, \n x = call({call.stack})"],
                    ]
                    for number, call in enumerate(calls)
                    if ".forward" in call.name
                }
                (place / "stack.json").write_text(json.dumps(frames), encoding="utf-8")
    return folder


_PARTS = {"input_args": "input", "input_kwargs": "kwargs"}


class _Writer:
    """The text of one call."""

    def __init__(self, name: str, statistics: bool, data_dir: Path | None) -> None:
        self._name = name
        self._statistics = statistics
        self._data_dir = data_dir

    def text(self, body: dict[str, Any]) -> str:
        """Return the JSON text of *body*."""
        return self._nested(body, self._name)

    def _nested(self, value: Any, path: str) -> str:
        if value is None:
            return "null"
        if isinstance(value, Raw):
            return str(value)
        if isinstance(value, np.ndarray):
            return self._tensor(value, path)
        if isinstance(value, list):
            items = (self._nested(item, f"{path}.{number}") for number, item in enumerate(value))
            return f"[{', '.join(items)}]"
        pairs = (
            f"{json.dumps(key)}: {self._nested(item, f'{path}.{_PARTS.get(key, key)}')}"
            for key, item in value.items()
        )
        return f"{{{', '.join(pairs)}}}"

    def _tensor(self, array: Array, path: str) -> str:
        said = f'{{"type": "torch.Tensor", "dtype": "torch.{array.dtype.name}", "shape": {list(array.shape)}'
        said += (
            measured(array) if self._statistics else ', "Max": null, "Min": null, "Mean": null, "Norm": null'
        )
        said += ', "requires_grad": false'
        if self._data_dir is not None:
            np.save(self._data_dir / f"{path}.npy", array)
            said += f', "data_name": {json.dumps(f"{path}.npy")}'
        return said + "}"


def measured(array: Array) -> str:
    """Return the statistics of *array* as the official dumper has them: NaN wherever there is one."""
    if array.dtype == bool:
        return f', "Max": {json.dumps(bool(array.any()))}, "Min": {json.dumps(bool(array.all()))}'
    wide = array.astype(np.float64).ravel()
    with np.errstate(all="ignore"):
        numbers = (wide.max(), wide.min(), wide.mean(), np.sqrt(wide @ wide))
    words = (json.dumps(float(number)) for number in numbers)
    return "".join(
        f', "{key}": {word}' for key, word in zip(("Max", "Min", "Mean", "Norm"), words, strict=True)
    )
