"""A small language model, trained for a few steps under the official dumper.

Run as a script of its own, as a user's training would be::

    python train.py --config config.json --output DIR --variant golden --width 12 --length 10

Needs torch and mindstudio-probe. Everything is seeded and runs on one thread, so a variant gives the same
numbers each time on one machine.
"""

from __future__ import annotations

import argparse
import contextlib
import math
from typing import Any

import torch
from msprobe.pytorch import PrecisionDebugger
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode

VOCABULARY = 32
TILE = 32
VARIANTS = ("golden", "device", "broken_gelu", "bf16", "extra_call")

aten = torch.ops.aten


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.proj = nn.Linear(width, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.qkv(x).reshape(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(width // self.heads)
        future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(future, float("-inf"))
        mixed = torch.matmul(F.softmax(scores, dim=-1), value)
        return self.proj(mixed.transpose(1, 2).reshape(batch, length, width))


class FeedForward(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(F.gelu(self.up(x)))


class Block(nn.Module):
    def __init__(self, width: int, heads: int, *, extra_call: bool) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(width, bias=False)
        self.attention = Attention(width, heads)
        self.norm_2 = nn.LayerNorm(width, bias=False)
        self.feed_forward = FeedForward(width)
        self.extra_call = extra_call

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm_1(x))
        if self.extra_call:
            x = torch.mul(x, 1.0)
        return x + self.feed_forward(self.norm_2(x))


class LanguageModel(nn.Module):
    def __init__(self, width: int, length: int, *, extra_call: bool) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, width)
        self.positions = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(
            [Block(width, 2, extra_call=extra_call and index == 1) for index in range(2)]
        )
        self.norm = nn.LayerNorm(width, bias=False)
        self.head = nn.Linear(width, VOCABULARY, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class OtherDevice(TorchDispatchMode):
    """A second device, under the API: what is recorded as a call's arguments stays right.

    It adds up matrix products in two halves, so it rounds differently, as other hardware does. With
    *broken_gelu* its GELU kernel goes wrong in the second call of each step: columns behind the last full
    tile of 32 are scaled by the distribution function of the tile before, still lying in the buffer.
    """

    def __init__(self, *, broken_gelu: bool) -> None:
        super().__init__()
        self.broken_gelu = broken_gelu
        self.gelu_calls = 0

    def new_step(self) -> None:
        self.gelu_calls = 0

    def __torch_dispatch__(
        self, function: Any, types: Any, arguments: tuple[Any, ...] = (), keywords: Any = None
    ) -> Any:
        keywords = keywords or {}
        if function in (aten.mm.default, aten.bmm.default):
            return _product_in_halves(function, *arguments)
        if function is aten.addmm.default and not keywords:
            bias, left, right = arguments
            return aten.add.Tensor(_product_in_halves(aten.mm.default, left, right), bias)
        if function is aten.gelu.default:
            self.gelu_calls += 1
            if self.broken_gelu and self.gelu_calls == 2:
                return _gelu_with_stale_tail(arguments[0])
        return function(*arguments, **keywords)


def _product_in_halves(multiply: Any, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    half = left.shape[-1] // 2
    first = multiply(aten.slice.Tensor(left, -1, 0, half), aten.slice.Tensor(right, -2, 0, half))
    second = multiply(
        aten.slice.Tensor(left, -1, half, left.shape[-1]), aten.slice.Tensor(right, -2, half, right.shape[-2])
    )
    return aten.add.Tensor(first, second)


def _gelu_with_stale_tail(x: torch.Tensor) -> torch.Tensor:
    right = aten.gelu.default(x)
    tail = x.shape[-1] % TILE
    full = x.shape[-1] - tail
    stale = aten.slice.Tensor(x, -1, full - tail, full)
    weights = aten.mul.Tensor(
        aten.add.Tensor(aten.erf.default(aten.mul.Tensor(stale, math.sqrt(0.5))), 1), 0.5
    )
    wrong = aten.mul.Tensor(aten.slice.Tensor(x, -1, full, x.shape[-1]), weights)
    return aten.cat.default([aten.slice.Tensor(right, -1, 0, full), wrong], -1)


def train(options: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(11)
    batches = torch.Generator().manual_seed(100 + options.rank)
    model = LanguageModel(options.width, options.length, extra_call=options.variant == "extra_call")
    if options.fine_tune:
        for part in (model.tokens, model.positions, model.blocks[0]):
            part.requires_grad_(False)
    optimizer = torch.optim.AdamW([weight for weight in model.parameters() if weight.requires_grad], lr=1e-3)
    debugger = PrecisionDebugger(config_path=options.config, dump_path=options.output)
    device = OtherDevice(broken_gelu=options.variant == "broken_gelu")
    on_device = device if options.variant in ("device", "broken_gelu") else contextlib.nullcontext()
    mixed = torch.autocast("cpu", dtype=torch.bfloat16, enabled=options.variant == "bf16")
    with on_device:
        for _ in range(options.steps):
            device.new_step()
            batch = torch.randint(0, VOCABULARY, (1, options.length + 1), generator=batches)
            debugger.start(model=model, rank_id=options.rank)
            with mixed:
                scores = model(batch[:, :-1])
                loss = F.cross_entropy(scores.reshape(-1, VOCABULARY), batch[:, 1:].reshape(-1))
            if options.save:
                debugger.save(scores, "scores", save_backward=True)
            loss.backward()
            if not options.optimizer:
                debugger.stop()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            debugger.stop()
            debugger.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--variant", choices=VARIANTS, default="golden")
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--width", type=int, default=12)
    parser.add_argument("--length", type=int, default=10)
    parser.add_argument("--fine-tune", action="store_true", help="train the second block and the head only")
    parser.add_argument("--optimizer", action="store_true", help="record clipping and the optimizer too")
    parser.add_argument("--save", action="store_true", help="save the scores, for level debug")
    train(parser.parse_args())
