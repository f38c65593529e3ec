"""Read ``tests/data/replay/*.npz`` and write the calls as a dump."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from builders.dumps import call, write_dump

FOLDER = Path(__file__).resolve().parents[1] / "data" / "replay"


class Answers:
    """All cases of one format, with arrays in place of their descriptions."""

    def __init__(self, name: str) -> None:
        with np.load(FOLDER / f"{name}.npz") as stored:
            self._numbers = {kind: stored[kind] for kind in ("float64", "int64", "bool")}
            self.cases: list[dict[str, Any]] = json.loads(stored["cases"].tobytes())

    def value(self, described: dict[str, Any]) -> Any:
        if "tensor" in described:
            kind, start, shape, name = described["tensor"]
            count = int(np.prod(shape))
            array = self._numbers[kind][start : start + count].reshape(shape)
            return array.astype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
        if "list" in described:
            return [self.value(item) for item in described["list"]]
        for word in ("slice", "ellipsis"):
            if word in described:
                return raw({"type": word, "value": described[word] if word == "slice" else "..."})
        return described["value"]

    def calls(self) -> dict[str, dict[str, Any]]:
        """Return bodies of a dump.json by name: forward ``<api>.<case>.forward``, and the backward."""
        made: dict[str, dict[str, Any]] = {}
        for index, case in enumerate(self.cases):
            name = f"{case['name']}.{index}"
            outputs = [self.value(item) for item in case["outputs"]]
            keywords = {key: self.value(item) for key, item in case["kwargs"].items()}
            made[f"{name}.forward"] = call([self.value(item) for item in case["args"]], outputs, keywords)
            if "grads" in case:
                made[f"{name}.backward"] = {
                    "input": [self.value(item) for item in case["grads"]],
                    "output": [self.value(item) for item in case["made"]],
                }
        return made


def raw(node: dict[str, Any]) -> str:
    """Mark a node that goes into the dump.json as it is."""
    return "raw:" + json.dumps(node)


def write_calls(folder: Path, calls: dict[str, dict[str, Any]]) -> Path:
    """Write *calls* as a tensor dump, raw nodes in place."""
    write_dump(folder, calls, tensors=True)
    file = folder / "dump.json"

    def unwrap(node: Any) -> Any:
        if isinstance(node, dict):
            value = node.get("value")
            if isinstance(value, str) and value.startswith("raw:"):
                return json.loads(value[4:])
            return {key: unwrap(item) for key, item in node.items()}
        return [unwrap(item) for item in node] if isinstance(node, list) else node

    file.write_text(json.dumps(unwrap(json.loads(file.read_text()))))
    return folder
