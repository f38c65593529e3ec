"""A pair of any size: the second block of the bundled demo pair repeated, forward and backward.

Names, modules and stacks are those of the real dump; tensors are left out, so all evidence is statistics,
and each call is given five slots, as calls of fused kernels have. The GELU of one layer puts the target's
numbers off by two parts in a thousand; before it there is float32 noise.

    python tests/builders/large_pair.py FOLDER --layers 4082
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

DEMO = Path(__file__).resolve().parents[2] / "resources" / "demo" / "golden" / "step0" / "rank0"
_BLOCK = "Module.blocks.1."
_COUNT = re.compile(r"^((?:Functional|Tensor|Torch)\.\w+)\.(\d+)\.")
_STATISTICS = ("Max", "Min", "Mean", "Norm")
_NOISE, _FAULT = 3e-8, 2e-3
_VARIANTS = 24
"""Different noises that are drawn of each call."""
_SPACING = 100
"""Calls of one API that a layer has room for."""
_SLOTS = 5


@dataclass(frozen=True)
class _Call:
    name: str
    parent: str | None
    stack: str
    bodies: tuple[str, ...]
    """The record in JSON, :data:`_VARIANTS` of each :class:`_Kind`, one kind after the other."""


class _Kind(IntEnum):
    CLEAN = 0
    NOISY = 1
    INTRODUCING = 2
    """Noise in the inputs, a fault in the outputs."""
    FAULTY = 3


def _scaled(value: Any, draw: random.Random, size: float) -> Any:
    """Return a record without its tensor files, the statistics of floats off by about *size*."""
    if isinstance(value, list):
        return [_scaled(item, draw, size) for item in value]
    if not isinstance(value, dict):
        return value
    floats = "float" in str(value.get("dtype", ""))
    made = {}
    for key, item in value.items():
        if key == "data_name":
            continue
        change = key in _STATISTICS and floats and isinstance(item, float)
        made[key] = item * (1 + size * draw.gauss(0, 1)) if change else _scaled(item, draw, size)
    return made


_SIZES = {
    _Kind.CLEAN: (0.0, 0.0), _Kind.NOISY: (_NOISE, _NOISE), _Kind.INTRODUCING: (_NOISE, _FAULT),
    _Kind.FAULTY: (_FAULT, _FAULT),
}  # fmt: skip
"""By how much inputs and outputs are off."""


def _varied(record: dict[str, Any], draw: random.Random, inputs: float, outputs: float) -> dict[str, Any]:
    return {
        key: _scaled(value, draw, outputs if key.endswith("output") else inputs)
        for key, value in record.items()
    }


def _pad(record: dict[str, Any]) -> None:
    """Give *record* keyword arguments until it has :data:`_SLOTS` slots."""
    lists = [value for value in record.values() if isinstance(value, list)]
    count = sum(map(len, lists)) + len(record.get("input_kwargs", ())) + len(record.get("parameters", ()))
    tensor = next(item for value in lists for item in value if isinstance(item, dict))
    if "input_args" in record:
        kwargs = record.setdefault("input_kwargs", {})
        kwargs.update({f"operand_{at}": tensor for at in range(_SLOTS - count)})
    else:
        lists[0].extend([tensor] * (_SLOTS - count))


def _calls() -> tuple[list[_Call], list[_Call]]:
    """Return the calls of the block, forward and backward."""
    data: dict[str, Any] = json.loads((DEMO / "dump.json").read_text("utf-8"))["data"]
    parents: dict[str, str | None] = json.loads((DEMO / "construct.json").read_text("utf-8"))
    stacks: dict[str, Any] = json.loads((DEMO / "stack.json").read_text("utf-8"))
    stack_of = {name: key for key, (names, _) in stacks.items() for name in names}
    draw = random.Random(0)
    found = []
    for name, record in data.items():
        parent = parents.get(name)
        if not (name.startswith(_BLOCK) or str(parent).startswith(_BLOCK)):
            continue
        _pad(record)
        bodies = tuple(
            json.dumps(_varied(record, draw, *_SIZES[kind])) for kind in _Kind for _ in range(_VARIANTS)
        )
        found.append(_Call(name, parent, stack_of.get(name, ""), bodies))
    forward = [call for call in found if ".forward" in call.name]
    return forward, [call for call in found if ".forward" not in call.name]


def _renamed(name: str, layer: int) -> str:
    """Return the name that a call of the block has in *layer*."""
    name = name.replace(_BLOCK, f"Module.blocks.{layer}.", 1)
    return _COUNT.sub(lambda found: f"{found[1]}.{int(found[2]) + _SPACING * layer}.", name)


def _sequence(layers: int) -> Iterator[tuple[_Call, int]]:
    """Yield all calls with their layers, as they are executed."""
    forward, backward = _calls()
    for layer in range(layers):
        yield from ((call, layer) for call in forward)
    for layer in reversed(range(layers)):
        yield from ((call, layer) for call in backward)


def write_large_pair(folder: Path, layers: int, faulty: int | None = None) -> tuple[Path, Path]:
    """Write target and golden into *folder*; the GELU of layer *faulty*, or of the middle one, errs."""
    first_bad = layers // 2 if faulty is None else faulty
    target, golden = folder / "npu_large", folder / "gpu_large"
    for place in (target, golden):
        _write(place / "step0" / "rank0", layers, first_bad if place is target else -1)
    return target, golden


def _write(place: Path, layers: int, faulty: int) -> None:
    place.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1 if faulty < 0 else 2)
    stacks: dict[str, tuple[list[str], Any]] = {
        key: ([], frames) for key, (_, frames) in json.loads((DEMO / "stack.json").read_text("utf-8")).items()
    }
    head = {"task": "statistics", "level": "mix", "framework": "pytorch", "dump_data_dir": None}
    with (
        (place / "dump.json").open("w", encoding="utf-8", newline="\n") as dump,
        (place / "construct.json").open("w", encoding="utf-8", newline="\n") as tree,
    ):
        dump.write(json.dumps(head)[:-1] + ', "data": {')
        tree.write("{")
        separator, kind = "", _Kind.CLEAN if faulty < 0 else _Kind.NOISY
        for call, layer in _sequence(layers):
            if layer == faulty and call.name.startswith("Functional.gelu") and kind is _Kind.NOISY:
                kind = _Kind.INTRODUCING
            elif kind is _Kind.INTRODUCING:
                kind = _Kind.FAULTY
            body = call.bodies[kind * _VARIANTS + draw.randrange(_VARIANTS)]
            name = _renamed(call.name, layer)
            parent = json.dumps(_renamed(call.parent, layer) if call.parent else None)
            dump.write(f'{separator}\n"{name}": {body}')
            tree.write(f'{separator}\n"{name}": {parent}')
            separator = ","
            if call.stack:
                stacks[call.stack][0].append(name)
        dump.write("\n}}\n")
        tree.write("\n}\n")
    used = {key: [names, frames] for key, (names, frames) in stacks.items() if names}
    (place / "stack.json").write_text(json.dumps(used), "utf-8", newline="\n")


def main() -> None:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--layers", type=int, default=4082)
    options = parser.parse_args()
    print(*write_large_pair(options.folder, options.layers), sep="\n")


if __name__ == "__main__":
    main()
