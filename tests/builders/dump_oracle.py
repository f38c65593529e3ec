"""What a dump.json says, by the shortest way: ``json.loads`` and recursion. Nothing of it is shared with the
reader, which is judged by it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.records.dump import Dump, SlotKind

Fact = dict[str, Any]
LABELS = {
    "input_args": "input",
    "input_kwargs": "input",
    "input": "input",
    "output": "output",
    "parameters": "parameters",
}


def expected_slots(content: dict[str, Any], *, debug: bool = False) -> list[tuple[str, str, Fact]]:
    """Return operator, slot name and facts of every value in the ``data`` of *content*."""
    found: list[tuple[str, str, Fact]] = []
    for name, body in content["data"].items():
        if debug:
            _walk(found, name, "value", body)
        elif ".parameters_grad" in name:
            for key, value in body.items():
                _walk(found, name, f"parameters_grad.{key}", value[0] if len(value) == 1 else value)
        else:
            for key, value in body.items():
                if key in LABELS and value != {}:
                    _walk_group(found, name, LABELS[key], value)
    return found


def _walk_group(found: list[tuple[str, str, Fact]], name: str, label: str, value: Any) -> None:
    items = enumerate(value) if isinstance(value, list) else value.items()
    for key, item in items:
        _walk(found, name, f"{label}.{key}", item)


def _walk(found: list[tuple[str, str, Fact]], name: str, path: str, value: Any) -> None:
    if value is None:
        found.append((name, path, {"kind": SlotKind.NONE}))
    elif value == {}:
        found.append((name, path, {"kind": SlotKind.UNRECORDED}))
    elif isinstance(value, dict) and isinstance(value.get("type"), str):
        found.append((name, path, _leaf(value)))
    else:
        _walk_group(found, name, path, value)


def _leaf(leaf: dict[str, Any]) -> Fact:
    if "dtype" not in leaf:
        rest = {key: item for key, item in leaf.items() if key != "type"}  # a process group has no value
        return {"kind": SlotKind.ARGUMENT, "type": leaf["type"], "value": leaf.get("value", rest)}
    return {
        "kind": SlotKind.TENSOR,
        "type": leaf["type"],
        "dtype": leaf["dtype"],
        "shape": tuple(leaf["shape"]),
        **{key.lower(): leaf.get(key) for key in ("Max", "Min", "Mean", "Norm")},
        "requires_grad": {True: 1, False: 0, None: -1}[leaf.get("requires_grad")],
        # The xor of a 0-d tensor is its value, a number.
        "checksum": leaf["md5"]
        if isinstance(leaf.get("md5"), str)
        else json.dumps(leaf["md5"])
        if leaf.get("md5") is not None
        else "",
        "file": leaf.get("data_name") or "",
    }


def actual_slots(dump: Dump) -> list[tuple[str, str, Fact]]:
    """Return the same of a dump that was read, in the order of its columns."""
    return [
        (dump.operator_name(int(slot_operator)), dump.slot_name(slot), _fact(dump, slot))
        for slot, slot_operator in enumerate(dump.slots.operator)
    ]


def _fact(dump: Dump, slot: int) -> Fact:
    slots, strings = dump.slots, dump.strings
    kind = SlotKind(int(slots.kind[slot]))
    fact: Fact = {"kind": kind}
    if kind is SlotKind.ARGUMENT:
        fact["type"] = strings[int(slots.type[slot])]
        fact["value"] = json.loads(strings[int(slots.value[slot])])
    if kind is SlotKind.TENSOR:
        extra = json.loads(strings[int(slots.extra[slot])] or "{}")
        known = int(slots.known[slot])
        fact |= {
            "type": strings[int(slots.type[slot])],
            "dtype": dump.dtype(slot),
            "shape": dump.shape(slot),
            "requires_grad": int(slots.requires_grad[slot]),
            "checksum": strings[int(slots.checksum[slot])],
            "file": strings[int(slots.file[slot])],
        }
        for bit, name in enumerate(("max", "min", "mean", "norm")):
            value = float(getattr(slots, name)[slot]) if known >> bit & 1 else None
            fact[name] = extra.get(name.capitalize(), value)
    return fact


def same(left: Any, right: Any) -> bool:
    """Compare as Python does, but a NaN equals a NaN."""
    return json.dumps(_plain(left), sort_keys=True) == json.dumps(_plain(right), sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    # 1, 1.0 and True are one statistic; beyond 2**53 integers must stay exact.
    if isinstance(value, (int, float)) and not (isinstance(value, int) and abs(value) > 2**53):
        return float(value)
    return value


def read_json(path: Path) -> Any:
    """Return the content of a JSON file as Python reads it."""
    return json.loads(path.read_text(encoding="utf-8"))
