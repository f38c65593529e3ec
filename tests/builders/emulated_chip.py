"""A small network run step by step in the arithmetic of an Ascend 910A, in plain numpy, and dumped.

Written from the vendor's documents alone, without ulpscope's engine: float32 operands of the matrix unit
are cast to half (beyond 65504 they saturate), 16 products and the accumulator are added in one step and
rounded to float32, half results saturate and NaN becomes 0, vector operations compute in float32.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from builders.dumps import call, write_dump

Array = np.ndarray[Any, Any]


class Machine(Protocol):
    """What the network needs of a machine."""

    def product(self, a: Array, b: Array) -> Array:
        """Return a·b of float32 or half operands, in float32."""

    def half(self, x: Array) -> Array:
        """Return *x* in half."""


class Processor:
    """A machine with IEEE arithmetic: exact products, one rounding to float32, Inf where half overflows."""

    def product(self, a: Array, b: Array) -> Array:
        return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)

    def half(self, x: Array) -> Array:
        with np.errstate(over="ignore"):
            return x.astype(np.float16)


class Ascend910A:
    """Matrix unit and conversions of the first generation; *reverse* adds the blocks last to first."""

    def __init__(self, reverse: bool = False) -> None:
        self.reverse = reverse

    def half(self, x: Array) -> Array:
        return np.nan_to_num(np.clip(x, -65504.0, 65504.0), nan=0.0).astype(np.float16)

    def product(self, a: Array, b: Array) -> Array:
        left, right = self.half(a).astype(np.float64), self.half(b).astype(np.float64)
        blocks = range(0, left.shape[-1], 16)
        total = np.zeros((*left.shape[:-1], right.shape[-1]), np.float32)
        for start in reversed(blocks) if self.reverse else blocks:
            step = left[..., start : start + 16] @ right[..., start : start + 16, :]
            total = (total.astype(np.float64) + step).astype(np.float32)
        return total


def _exact(function: Any, x: Array) -> Array:
    return np.vectorize(function, otypes=[np.float64])(x.astype(np.float64))


def _gelu(x: Array) -> Array:
    return (x.astype(np.float64) * 0.5 * _exact(lambda t: math.erfc(-t / math.sqrt(2.0)), x)).astype(
        np.float32
    )


def _softmax(x: Array) -> Array:
    power = np.exp((x - x.max(-1, keepdims=True)).astype(np.float64)).astype(np.float32)
    return power / power.sum(-1, keepdims=True, dtype=np.float32)


def _layer_norm(x: Array, weight: Array, bias: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True, dtype=np.float32)
    scale = 1.0 / np.sqrt(np.mean(centred * centred, -1, keepdims=True, dtype=np.float32) + np.float32(1e-5))
    return (centred * scale * weight + bias).astype(np.float32)


def network_calls(machine: Machine, seed: int = 3, width: int = 96) -> dict[str, dict[str, Any]]:
    """Return the calls of one step: a float32 block with its gradients, and a half part that overflows."""
    draw = np.random.default_rng(seed)

    def normal(*shape: int, scale: float = 1.0) -> Array:
        return (draw.standard_normal(shape) * scale).astype(np.float32)

    calls: dict[str, dict[str, Any]] = {}
    x, weight, bias = normal(24, width), normal(width, width, scale=0.3), normal(width)
    hidden = (machine.product(x, weight.T) + bias).astype(np.float32)
    calls["Functional.linear.0.forward"] = call([x, weight, bias], [hidden])
    active = _gelu(hidden)
    calls["Functional.gelu.0.forward"] = call([hidden], [active])
    gain, shift = normal(width), normal(width)
    normed = _layer_norm(active, gain, shift)
    calls["Functional.layer_norm.0.forward"] = call([active, [width], gain, shift, 1e-5], [normed])
    scores = machine.product(normed, normed.T)
    calls["Torch.matmul.0.forward"] = call([normed, normed.T.copy()], [scores])
    weights = _softmax(scores)
    calls["Functional.softmax.0.forward"] = call([scores], [weights], {"dim": -1})
    mixed = machine.product(weights, normed)
    calls["Torch.matmul.1.forward"] = call([weights, normed], [mixed])
    kernel, image = normal(4, 3, 3, 3), normal(2, 3, 9, 9)
    calls["Functional.conv2d.0.forward"] = call([image, kernel], [_convolve(machine, image, kernel)])
    big, wide = machine.half(normal(8, 256, scale=40.0)), machine.half(normal(256, 8, scale=60.0))
    overflowing = machine.half(machine.product(big, wide))
    calls["Torch.matmul.2.forward"] = call([big, wide], [overflowing])
    with np.errstate(all="ignore"):
        twice = machine.half(overflowing.astype(np.float32) + overflowing.astype(np.float32))
    calls["Torch.add.0.forward"] = call([overflowing, overflowing], [twice])
    grad = normal(24, width)
    calls["Torch.matmul.1.backward"] = {
        "input": [grad],
        "output": [machine.product(grad, normed.T), machine.product(weights.T, grad)],
    }
    return calls


def _convolve(machine: Machine, image: Array, kernel: Array) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), (2, 3))
    columns = np.moveaxis(windows, 1, 3).reshape(-1, kernel[0].size)
    made = machine.product(columns, kernel.reshape(len(kernel), -1).T)
    return np.moveaxis(made.reshape(len(image), 7, 7, -1), -1, 1).copy()


def write_network(folder: Path, machine: Machine, seed: int = 3) -> Path:
    """Dump the network as run on *machine*; return the run's folder."""
    write_dump(folder / "step0" / "rank0", network_calls(machine, seed), tensors=True)
    return folder
