"""Calls on a simulated chip: what its arithmetic gives is explained, an error planted in it is not.

The chip is simulated here in plain numpy, without ulpscope's engine: blocks of products and an accumulator
rounded to nearest or toward zero, K in any order and any number of parts, 16-bit results rounded once,
saturation. A call is innocent, or has one element wrong by a multiple of its own size.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import ml_dtypes
import numpy as np
from campaign import Failure, run

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from builders.dumps import call
from builders.reading import read_only_cell
from builders.replay_answers import write_calls

from core.emulation.chips.calls import Emulator
from core.emulation.chips.profile import find_profile
from core.records.emulation import EmulationVerdict
from core.records.run import CellKey

Array = np.ndarray[Any, Any]
DTYPES: dict[str, Any] = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32}
UNITS = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24}
PLANTED = {"float16": 8.0, "bfloat16": 8.0, "float32": 400.0}
"""Unit roundoffs by which a planted element is wrong, relative to what its sum adds up: four ULP of a 16-bit
result; in float32 what a long sum may lose comes first."""


class Chip:
    """One chip at random: how it adds."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.toward_zero = random.random() < 0.5
        self.block = random.choice((4, 8, 16, 32))
        self.parts = random.choice((1, 1, 2, 3, 4, 8))
        self.shuffled = random.random() < 0.3

    def rounded(self, exact: Array) -> Array:
        near = exact.astype(np.float32)
        if not self.toward_zero:
            return near
        too_far = np.abs(near.astype(np.float64)) > np.abs(exact)
        return np.where(too_far, np.nextafter(near, np.float32(0)), near)

    def product(self, a: Array, b: Array) -> Array:
        order = list(range(a.shape[-1]))
        if self.shuffled:
            self.random.shuffle(order)
        left, right = a.astype(np.float64), b.astype(np.float64)
        total = np.zeros((*a.shape[:-1], b.shape[-1]), np.float32)
        for part in np.array_split(np.array(order), self.parts):
            inner = np.zeros_like(total)
            for start in range(0, len(part), self.block):
                some = part[start : start + self.block]
                inner = self.rounded(inner.astype(np.float64) + left[..., some] @ right[..., some, :])
            total = self.rounded(total.astype(np.float64) + inner.astype(np.float64))
        return total

    def total(self, x: Array) -> Array:
        found = np.zeros(x.shape[:-1], np.float32)
        for part in np.array_split(np.arange(x.shape[-1]), self.random.choice((1, 4, 16))):
            found = (found + x[..., part].astype(np.float32).sum(-1, dtype=np.float32)).astype(np.float32)
        return found


Made = tuple[str, dict[str, Any], Array, Array]
"""Name of the call, its body without output, the result in float32, and how large what was added up is."""


def _draw(random: Random, *shape: int, scale: float = 1.0) -> Array:
    generator = np.random.default_rng(random.randrange(1 << 30))
    return generator.standard_normal(shape) * scale


def _product(random: Random, chip: Chip, dtype: Any) -> Made:
    rows, inner, columns = (
        random.randint(1, 40),
        random.choice((1, 7, 16, 64, 200, 700)),
        random.randint(1, 40),
    )
    shift = random.choice((0.0, 0.0, 1.0))
    a = (_draw(random, rows, inner) + shift).astype(dtype)
    b = (_draw(random, inner, columns, scale=random.choice((1.0, 0.05))) + shift).astype(dtype)
    sizes = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    return "Torch.matmul.0.forward", call([a, b]), chip.product(a, b), sizes


def _linear(random: Random, chip: Chip, dtype: Any) -> Made:
    _, body, made, sizes = _product(random, chip, dtype)
    x, weight = body["input_args"]
    bias = _draw(random, weight.shape[1]).astype(dtype)
    total = (made + bias.astype(np.float32)).astype(np.float32)
    return (
        "Functional.linear.0.forward",
        call([x, np.ascontiguousarray(weight.T), bias]),
        total,
        sizes + np.abs(bias.astype(np.float64)),
    )


def _elementwise(random: Random, chip: Chip, dtype: Any) -> Made:
    name, function = random.choice(
        [("__add__", np.add), ("__sub__", np.subtract), ("__mul__", np.multiply), ("div", np.divide)]
    )
    a, b = (_draw(random, 6, 50, scale=3.0).astype(dtype) for _ in range(2))
    with np.errstate(all="ignore"):
        made = function(a.astype(np.float64), b.astype(np.float64)).astype(np.float32)
    return f"Tensor.{name}.0.forward", call([a, b]), made, np.abs(made.astype(np.float64))


def _curve(random: Random, chip: Chip, dtype: Any) -> Made:
    name, function = random.choice(
        [
            ("Torch.exp", np.exp),
            ("Torch.tanh", np.tanh),
            ("Torch.sigmoid", lambda x: 1.0 / (1.0 + np.exp(-x))),
            ("Functional.silu", lambda x: x / (1.0 + np.exp(-x))),
        ]
    )
    x = _draw(random, 4, 60).astype(dtype)
    made = function(x.astype(np.float64)).astype(np.float32)
    return f"{name}.0.forward", call([x]), made, np.abs(made.astype(np.float64))


def _softmax(random: Random, chip: Chip, dtype: Any) -> Made:
    x = _draw(random, 5, random.choice((3, 40, 300)), scale=2.0).astype(dtype)
    power = np.exp((x.astype(np.float32) - x.astype(np.float32).max(-1, keepdims=True)).astype(np.float64))
    power = power.astype(np.float32)
    made = (power / chip.total(power)[:, None]).astype(np.float32)
    return "Functional.softmax.0.forward", call([x], (), {"dim": -1}), made, np.abs(made.astype(np.float64))


def _layer_norm(random: Random, chip: Chip, dtype: Any) -> Made:
    width = random.choice((8, 64, 300))
    x = (_draw(random, 6, width) + random.choice((0.0, 2.0))).astype(dtype)
    weight, bias = _draw(random, width).astype(dtype), _draw(random, width).astype(dtype)
    wide = x.astype(np.float32)
    centred = wide - (chip.total(wide) / np.float32(width))[:, None]
    scale = 1.0 / np.sqrt(chip.total(centred * centred) / np.float32(width) + np.float32(1e-5))
    hat = (centred * scale[:, None].astype(np.float32)).astype(np.float32)
    made = (hat * weight.astype(np.float32) + bias.astype(np.float32)).astype(np.float32)
    sizes = np.abs(hat * weight.astype(np.float32)) + np.abs(bias.astype(np.float32)) + 1.0
    body = call([x, [width], weight, bias, 1e-5])
    return "Functional.layer_norm.0.forward", body, made, sizes.astype(np.float64)


def _sum(random: Random, chip: Chip, dtype: Any) -> Made:
    x = _draw(random, 20, random.choice((5, 100, 900))).astype(dtype)
    return (
        "Torch.sum.0.forward",
        call([x], (), {"dim": -1}),
        chip.total(x),
        np.abs(x.astype(np.float64)).sum(-1),
    )


KINDS: tuple[Callable[[Random, Chip, Any], Made], ...] = (
    _product, _product, _linear, _elementwise, _curve, _softmax, _layer_norm, _sum,
)  # fmt: skip


def trial(random: Random) -> str:
    """Make a call on a chip, spoil it or not, and ask."""
    name = random.choice(list(DTYPES))
    dtype, chip = DTYPES[name], Chip(random)
    api, body, made, sizes = random.choice(KINDS)(random, chip, dtype)
    with np.errstate(over="ignore"):
        output = made.astype(dtype)
    spoilt = random.random() < 0.5
    if spoilt:
        at = random.randrange(output.size)
        error = PLANTED[name] * UNITS[name] * float(sizes.flat[at])
        wrong = output.copy()
        wrong.flat[at] = dtype(float(output.flat[at]) + random.choice((-error, error)))
        spoilt = bool(np.isfinite(wrong.astype(np.float64)).all() and sizes.flat[at] > 2.0**-10)
        output = wrong if spoilt else output
    body["output"] = [output]
    profile = find_profile(random.choice(("910B", "910B", "950")))
    with tempfile.TemporaryDirectory() as folder:
        dump = read_only_cell(write_calls(Path(folder) / "step0" / "rank0", {api: body}))
        found = Emulator(CellKey("", 0, 0), dump, None, profile).emulate(0)
    outside = found.verdict is EmulationVerdict.OUTSIDE
    if found.verdict is EmulationVerdict.NOT_REPLAYED or outside != spoilt:
        told = f"{api} of {name} under {profile.name}, {vars(chip)}: {found}"
        raise Failure(f"{'a planted error is explained' if spoilt else 'innocent, but accused'}: {told}")
    return "spoilt and outside" if spoilt else str(found.verdict)


if __name__ == "__main__":
    run("chips", trial)
