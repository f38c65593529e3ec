"""Computing calls of one rank, drawn at random: what networks are made of, with NaN and Inf."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from builders.rank_simulation import Array, Cause, Raw, Simulation, Value

SHAPES = ((2, 3), (3, 2), (4,), (2, 2))


def argument(value: float | int | bool | str) -> Raw:
    """Return how a dump spells an argument that is no tensor."""
    return Raw(json.dumps({"type": type(value).__name__, "value": value}))


@dataclass
class Memory:
    """What one rank has at hand."""

    values: list[Value] = field(default_factory=list)
    weights: list[tuple[Value, Value]] = field(default_factory=list)
    """Weight (3 × 3) and bias of the linear layers."""
    saved: list[tuple[str, Array, frozenset[int], Value | None]] = field(default_factory=list)
    """Forward calls that can go backward: name, input, its origins, weight."""
    gradients: list[tuple[int, Value]] = field(default_factory=list)
    """Gradients of weights, by the number of the layer."""


class Layers:
    """Draws computing calls for the ranks of *simulation*."""

    def __init__(self, simulation: Simulation, draw: random.Random) -> None:
        self.simulation = simulation
        self.draw = draw
        self.numbers = np.random.default_rng(draw.randrange(1 << 32))
        self.memory = [Memory() for _ in range(simulation.ranks)]

    def fresh(self, shape: tuple[int, ...] | None = None) -> Value:
        """Return numbers from outside: data, or what a call that was not dumped gave."""
        return Value(self.array(self.draw.choice(SHAPES) if shape is None else shape))

    def array(self, shape: tuple[int, ...]) -> Array:
        """Return finite numbers."""
        return self.numbers.normal(0, 1.5, shape).astype(np.float32)

    def pick(self, rank: int, shape: tuple[int, ...] | None = None) -> Value:
        """Return something that *rank* has, or something new."""
        fitting = [value for value in self.memory[rank].values if shape is None or value.array.shape == shape]
        if not fitting or self.draw.random() < 0.1:
            made = self.fresh(shape)
            self.keep(rank, made)
            return made
        return self.draw.choice(fitting[-4:])

    def keep(self, rank: int, value: Value) -> None:
        """Remember *value* for later calls."""
        values = self.memory[rank].values
        if all(value is not item for item in values):
            values.append(value)
            del values[:-8]

    def tame(self, array: Array) -> Array:
        """Return *array* with its finite numbers brought to about 1, all else as it is."""
        finite = np.abs(array[np.isfinite(array)])
        largest = float(finite.max()) if finite.size else 0.0
        with np.errstate(all="ignore"):
            scaled = array * np.float32(self.draw.uniform(0.5, 1.5) / max(largest, 1e-3))
        return np.asarray(scaled, np.float32)

    def forward(self, rank: int) -> None:
        """Make one forward call, or a few that belong together."""
        kinds: Sequence[Callable[[int], None]] = (
            self.elementwise, self.elementwise, self.activation, self.linear, self.linear, self.matmul,
            self.layer_norm, self.softmax, self.attention_mask, self.in_place, self.log_of_zero, self.buffer,
            self.repair, self.finite_mask,
        )  # fmt: skip
        with np.errstate(all="ignore"):
            self.draw.choice(kinds)(rank)

    def elementwise(self, rank: int) -> None:
        api, function = self.draw.choice(
            (("Tensor.__add__", np.add), ("Torch.mul", np.multiply), ("Tensor.__sub__", np.subtract))
        )
        left = self.pick(rank)
        right = self.pick(rank, left.array.shape)
        self._settled(rank, left, right)
        self._give(rank, api, [left, right], self.tame(function(left.array, right.array)), saved=left)

    def activation(self, rank: int) -> None:
        api, function = self.draw.choice(
            (
                ("Functional.gelu", lambda x: x * (np.tanh(x) + 1)),
                ("Functional.relu", lambda x: np.maximum(x, np.float32(0))),
                ("Torch.tanh", np.tanh),
                ("Torch.clamp", lambda x: np.clip(x, -3, 3)),
                ("Torch.square", np.square),
            )
        )
        value = self.pick(rank)
        self._settled(rank, value)
        more = [argument(-3), argument(3)] if api == "Torch.clamp" else []
        result = function(value.array)
        result = result if api == "Torch.clamp" else self.tame(result)
        self._give(rank, api, [value, *more], np.asarray(result, np.float32), saved=value)

    def linear(self, rank: int) -> None:
        value = self.pick(rank, (2, 3))
        layer = self.draw.randrange(len(self.memory[rank].weights))
        weight, bias = self.memory[rank].weights[layer]
        self._settled(rank, value)
        result = self.tame(value.array @ weight.array.T + bias.array)
        self._give(
            rank, "Functional.linear", [value, weight, bias], result, reads=[value, weight, bias],
            saved=value, weight=weight,
        )  # fmt: skip

    def matmul(self, rank: int) -> None:
        left, right = self.pick(rank, (2, 3)), self.pick(rank, (3, 2))
        self._settled(rank, left, right)
        self._give(rank, "Torch.matmul", [left, right], self.tame(left.array @ right.array), saved=None)

    def layer_norm(self, rank: int) -> None:
        value = self.pick(rank)
        self._settled(rank, value)
        x = value.array
        result = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + np.float32(1e-5))
        size = Raw(json.dumps([{"type": "int", "value": x.shape[-1]}]))
        result = np.asarray(result * np.float32(self.draw.uniform(0.5, 1.5)), np.float32)
        self._give(rank, "Functional.layer_norm", [value, size], result, saved=value)

    def softmax(self, rank: int) -> None:
        self.softmax_of(rank, self.pick(rank))

    def softmax_of(self, rank: int, value: Value) -> None:
        """Take softmax of *value*."""
        self._settled(rank, value)
        x = value.array
        result = np.exp(x - x.max(-1, keepdims=True))
        result = (result / result.sum(-1, keepdims=True)).astype(np.float32)
        self._give(rank, "Functional.softmax", [value, argument(-1)], result)

    def attention_mask(self, rank: int, *, whole_row: bool = False) -> None:
        """Fill −Inf in, and take softmax of it: harmless, unless a *whole_row* is masked."""
        value = self.pick(rank, (2, 3))
        self._settled(rank, value)
        mask = np.array([[False, True, False], [False, False, True]])
        if whole_row:
            mask[0] = True
        in_place = self.draw.random() < 0.3
        filled = np.where(mask, np.float32(-np.inf), value.array)
        api = "Tensor.masked_fill_" if in_place else "Tensor.masked_fill"
        wanted = Cause.MASK if not value.bad else None
        target = Value(value.array, value.taint, value.maker) if in_place else None
        masked = self.simulation.compute(
            rank, api, [target or value, mask, argument(-np.inf)], filled,
            reads=[target or value], into=target, wanted=wanted, selects=True,
        )  # fmt: skip
        self.softmax_of(rank, masked)

    def finite_mask(self, rank: int) -> None:
        """Add the smallest number of the format to scores, which makes −Inf of some."""
        value = self.pick(rank, (2, 3))
        self._settled(rank, value)
        smallest = np.finfo(np.float32).min
        bias = np.where(np.array([[False, True, False], [False, False, False]]), smallest, np.float32(0))
        bias = bias.astype(np.float32)
        twice = bias + bias * np.float32(0.5)
        wanted = Cause.MASK if not value.bad else None
        masked = self.simulation.compute(
            rank, "Tensor.__add__", [value, Value(bias)], value.array + twice, reads=[value], wanted=wanted,
        )  # fmt: skip
        self.softmax_of(rank, masked)

    def in_place(self, rank: int) -> None:
        value = self.pick(rank)
        other = self.pick(rank, value.array.shape)
        if other is value:
            return
        self._settled(rank, value, other)
        result = self.tame(value.array + other.array)
        self.simulation.compute(rank, "Tensor.add_", [value, other], result, reads=[value, other], into=value)

    def log_of_zero(self, rank: int, *, used: bool = False) -> None:
        """Take the logarithm of something with zeros, and select them away, or not."""
        shape = self.draw.choice(SHAPES)
        zeros = np.abs(self.array(shape)) + np.float32(0.1)
        zeros.flat[0] = 0
        source = Value(zeros)
        logs = self.simulation.compute(
            rank,
            "Torch.log",
            [source],
            np.log(zeros).astype(np.float32),
            reads=[source],
            wanted=Cause.LOG_OF_ZERO,
        )
        if used:
            result = logs.array * np.where(zeros == 0, np.float32(0), np.float32(1.5))
            self._give(
                rank, "Torch.mul", [logs, Value(np.where(zeros == 0, 0, 1.5).astype(np.float32))], result
            )
            return
        keep = Value(zeros > 0)
        other = self.fresh(shape)
        result = np.where(keep.array, logs.array, other.array)
        self._give(rank, "Torch.where", [keep, logs, other], result, selects=True)

    def repair(self, rank: int) -> None:
        value = self.pick(rank)
        self._settled(rank, value)
        x = value.array
        if self.draw.random() < 0.5:
            keep = Value(np.isfinite(x) & (np.arange(x.size).reshape(x.shape) % 3 != 0))
            other = self.fresh(x.shape)
            result = np.where(keep.array, x, other.array)
            self._give(rank, "Torch.where", [keep, value, other], result, selects=True)
            return
        result = self.tame(np.where(np.isfinite(x), x, np.float32(0)))
        self._give(rank, "Torch.nan_to_num", [value], result, selects=True)

    def buffer(self, rank: int, *, used: bool = False) -> None:
        """Allocate memory, and write into it before it is used, or not."""
        shape = self.draw.choice(SHAPES)
        made = self.allocate(rank, shape)
        if used:
            self._give(rank, "Torch.square", [made], self.tame(np.square(made.array)))
            return
        source = self.pick(rank, shape)
        self._settled(rank, source)
        self.simulation.compute(
            rank, "Tensor.copy_", [made, source], source.array * np.float32(1), reads=[source], into=made
        )
        self.keep(rank, made)

    def allocate(self, rank: int, shape: tuple[int, ...]) -> Value:
        """Return memory that nobody has written."""
        size = Raw(json.dumps([{"type": "int", "value": n} for n in shape]))
        garbage = self.garbage(shape)
        return self.simulation.compute(rank, "Torch.empty", [size], garbage, reads=[], wanted=Cause.GARBAGE)

    def garbage(self, shape: tuple[int, ...]) -> Array:
        """Return memory as it happens to be."""
        found = self.array(shape)
        kind = self.draw.choice((np.nan, np.nan, np.inf, 1.0))
        found.flat[self.draw.randrange(found.size)] = kind
        return found

    # ---- the way back

    def backward(self, rank: int) -> bool:
        """Make the backward call of the last forward call that has none; say whether there was one."""
        memory = self.memory[rank]
        if not memory.saved:
            return False
        forward, array, taint, weight = memory.saved.pop()
        simulation = self.simulation
        gradient = self.pick(rank, array.shape)
        self._settled(rank, gradient)
        saved = Value(array, taint)
        with np.errstate(all="ignore"):
            result = self.tame(gradient.array * np.cos(array))
        name = forward.removesuffix(".forward") + ".backward"
        reads = [gradient, saved, *([weight] if weight is not None else [])]
        if weight is not None and weight.bad:
            result = np.full_like(result, np.nan)
        step = simulation.step
        if step.first_backward[rank] < 0:
            step.first_backward[rank] = simulation.row(rank)
        body = {"input": [gradient.array], "output": []}
        made = simulation.compute(
            rank, forward.rsplit(".", 2)[0], [], result, reads=reads, name=name, body=body, strict=True
        )
        self.keep(rank, made)
        if weight is not None:
            layer = next(n for n, (item, _) in enumerate(memory.weights) if item is weight)
            memory.gradients.append((layer, made))
        return True

    # ---- helpers of the calls

    def _settled(self, rank: int, *values: Value) -> None:
        self.simulation.settle(rank, *values)

    def _give(
        self,
        rank: int,
        api: str,
        arguments: list[Value | Raw],
        result: Array,
        *,
        reads: Sequence[Value] | None = None,
        selects: bool = False,
        saved: Value | None = None,
        weight: Value | None = None,
    ) -> None:
        taken = [item for item in arguments if isinstance(item, Value)] if reads is None else reads
        if saved is not None and self.draw.random() < 0.5:
            counts = self.simulation.step.counts[rank]
            name = f"{api}.{counts.get(api, 0)}.forward"
            self.memory[rank].saved.append((name, saved.array, saved.taint, weight))
            keep_at = len(self.memory[rank].saved) - 1
        else:
            keep_at = -1
        made = self.simulation.compute(rank, api, arguments, result, reads=taken, selects=selects)
        if keep_at >= 0:  # an unseen value has its origin's place only now
            name, array, _, weight = self.memory[rank].saved[keep_at]
            assert saved is not None
            self.memory[rank].saved[keep_at] = (name, array, saved.taint, weight)
        self.keep(rank, made)
