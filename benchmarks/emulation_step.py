"""The replay of a whole transformer step beside its plain forward: `python dev.py bench emulation_step`.

Makes the dump of some blocks in float16, forward and the gradients of their products, and times, call by
call: the calls alone in numpy's float32; their float64 references with error bounds; the whole emulation
with control, envelope and distances. Ratios within one run count; one BLAS thread, as in all of ulpscope.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from builders.dumps import call, write_dump

from core.emulation.chips.calls import Emulator
from core.emulation.chips.chip import control_computing
from core.emulation.chips.profile import find_profile
from core.emulation.replay.replaying import prepare_call
from core.emulation.terms.computing import computing_in
from core.formats.registry import find_run, read_cell
from core.progress import run_to_end
from core.records.names import forward_name
from core.records.run import CellKey

Array = np.ndarray[Any, Any]


class Step:
    """Blocks of a transformer in float16, computed in float32 and rounded after each operator."""

    def __init__(self, batch: int, tokens: int, width: int, heads: int) -> None:
        self.draw = np.random.default_rng(0)
        self.batch, self.tokens, self.width, self.heads = batch, tokens, width, heads
        self.calls: dict[str, Any] = {}
        self.counts: Counter[str] = Counter()

    def add(self, api: str, inputs: list[Any], made: Array, **keywords: Any) -> Array:
        half = made.astype(np.float16)
        name = f"{api}.{self.counts[api]}"
        self.counts[api] += 1
        self.calls[f"{name}.forward"] = call(inputs, [half], keywords)
        return half

    def weight(self, *shape: int) -> Array:
        return (self.draw.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float16)

    def linear(self, x: Array, outputs: int) -> Array:
        weight, bias = self.weight(outputs, x.shape[-1]), self.weight(outputs)
        made = x.astype(np.float32) @ weight.astype(np.float32).T + bias
        half = self.add("Functional.linear", [x, weight, bias], made)
        grad = self.weight(*half.shape)
        flat, rows = (a.reshape(-1, a.shape[-1]).astype(np.float32) for a in (grad, x))
        grads = [(flat @ weight.astype(np.float32)).reshape(x.shape), flat.T @ rows, flat.sum(0)]
        name = f"Functional.linear.{self.counts['Functional.linear'] - 1}.backward"
        self.calls[name] = {"input": [grad], "output": [item.astype(np.float16) for item in grads]}
        return half

    def norm(self, x: Array) -> Array:
        wide, gain, shift = x.astype(np.float32), np.ones(self.width, np.float16), self.weight(self.width)
        centred = wide - wide.mean(-1, keepdims=True)
        made = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) + shift
        return self.add("Functional.layer_norm", [x, [self.width], gain, shift, 1e-5], made)

    def block(self, x: Array) -> Array:
        mixed = self.linear(self.norm(x), 3 * self.width)
        parts = mixed.reshape(self.batch, self.tokens, 3, self.heads, -1).transpose(2, 0, 3, 1, 4)
        query, key, value = (np.ascontiguousarray(part) for part in parts)
        turned = np.ascontiguousarray(key.swapaxes(-1, -2))
        scores = self.add(
            "Torch.matmul", [query, turned], query.astype(np.float32) @ turned.astype(np.float32)
        )
        scaled = self.add("Tensor.__mul__", [scores, 0.125], scores.astype(np.float32) * np.float32(0.125))
        power = np.exp(scaled.astype(np.float32) - scaled.max(-1, keepdims=True))
        weights = self.add("Functional.softmax", [scaled], power / power.sum(-1, keepdims=True), dim=-1)
        out = self.add(
            "Torch.matmul", [weights, value], weights.astype(np.float32) @ value.astype(np.float32)
        )
        joined = np.ascontiguousarray(out.transpose(0, 2, 1, 3)).reshape(x.shape)
        projected = self.linear(joined, self.width)
        x = self.add("Tensor.__add__", [x, projected], x.astype(np.float32) + projected)
        hidden = self.linear(self.norm(x), 4 * self.width)
        wide = hidden.astype(np.float32)
        tanh = np.tanh(np.float32(0.7978845608) * (wide + np.float32(0.044715) * wide**3))
        active = self.add("Functional.gelu", [hidden], 0.5 * wide * (1 + tanh), approximate="tanh")
        down = self.linear(active, self.width)
        return self.add("Tensor.__add__", [x, down], x.astype(np.float32) + down)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--blocks", type=int, default=2)
    parser.add_argument("--profile", default="910B")
    options = parser.parse_args()
    step = Step(options.batch, options.tokens, options.width, 8)
    x = step.weight(options.batch, options.tokens, options.width)
    for _ in range(options.blocks):
        x = step.block(x)
    with tempfile.TemporaryDirectory() as folder:
        write_dump(Path(folder) / "step0" / "rank0", step.calls, tensors=True)
        ((_, source),) = find_run(folder).cells.items()
        dump = run_to_end(read_cell(source))
        names = {dump.operator_name(row): row for row in range(len(dump.operators))}
        emulator = Emulator(CellKey("", 0, 0), dump, None, find_profile(options.profile))
        spent: dict[str, Counter[str]] = defaultdict(Counter)
        verdicts: Counter[str] = Counter()
        for name, row in names.items():
            api = name.rsplit(".", 2)[0].removeprefix("Functional.") + "." + name.rsplit(".", 1)[-1]
            start = time.perf_counter()
            _, runnable = prepare_call(dump, row, forward=names.get(forward_name(name) or ""))
            spent[api]["reference"] += time.perf_counter() - start
            if runnable is not None:
                start = time.perf_counter()
                with computing_in(control_computing(runnable.call.storage)):
                    runnable.outputs()
                spent[api]["plain"] += time.perf_counter() - start
            start = time.perf_counter()
            verdicts[emulator.emulate(row).verdict.value] += 1
            spent[api]["emulation"] += time.perf_counter() - start
    print(f"{'':28}{'plain ms':>10}{'reference':>12}{'emulation':>12}{'ratio':>8}")
    for api, parts in [*spent.items(), ("all", sum(spent.values(), Counter()))]:
        ratio = parts["emulation"] / parts["plain"] if parts["plain"] else float("nan")
        numbers = (parts["plain"], parts["reference"], parts["emulation"])
        print(
            f"{api:28}"
            + "".join(f"{item * 1e3:>{width}.1f}" for item, width in zip(numbers, (10, 12, 12)))
            + f"{ratio:8.1f}"
        )
    print(dict(verdicts))


if __name__ == "__main__":
    main()
