"""Four ranks that train together under the official dumper, one of which overflows in float16.

Run as a script of its own::

    python train.py --config config.json --output DIR --variant overflow

Ranks 0 and 1 split a layer between them, and so do ranks 2 and 3 (tensor parallel groups). The second pair
works on what the first one sends (pipeline). At the end of the step all ranks average a value. On rank 2 the
queries are so large that their product with the keys does not fit into float16: ``Torch.matmul.0.forward``.
The attention mask is made of −Inf, in both variants. Needs torch with gloo, and mindstudio-probe.
"""

from __future__ import annotations

import argparse
import os
from typing import Any

import torch
from msprobe.pytorch import PrecisionDebugger
from torch import distributed, multiprocessing
from torch.nn import functional as F

VARIANTS = ("golden", "overflow")
RANKS, WIDTH, LENGTH = 4, 8, 6
PAIRS = ((0, 1), (2, 3))


def step(rank: int, variant: str, groups: list[Any]) -> None:
    pair = rank // 2
    group = groups[pair]
    numbers = torch.Generator().manual_seed(7 + rank)
    weight = torch.randn(WIDTH, WIDTH, generator=numbers)
    x = torch.randn(LENGTH, WIDTH, generator=torch.Generator().manual_seed(3))
    if pair == 1:
        distributed.recv(x, src=rank - 2)
    x = F.linear(x, weight)
    large = 512.0 if variant == "overflow" and rank == 2 else 1.0
    query = torch.mul(x, large).half()
    scores = torch.matmul(query, torch.mul(x, 16.0).half().transpose(0, 1))
    future = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
    scores = scores.masked_fill(future, float("-inf"))
    x = torch.matmul(F.softmax(scores, dim=-1).float(), x)
    distributed.all_reduce(x, group=group)
    parts = [torch.empty_like(x) for _ in PAIRS[pair]]
    distributed.all_gather(parts, x, group=group)
    x = F.gelu(torch.cat(parts, dim=-1))
    if pair == 0:
        distributed.send(x[:, :WIDTH].contiguous(), dst=rank + 2)
    loss = F.mse_loss(x, torch.zeros_like(x))
    distributed.all_reduce(loss)


def train(rank: int, options: argparse.Namespace) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(options.port))
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", rank=rank, world_size=RANKS)
    groups = [distributed.new_group(list(pair)) for pair in PAIRS]
    debugger = PrecisionDebugger(config_path=options.config, dump_path=options.output)
    for _ in range(options.steps):
        debugger.start(rank_id=rank)
        step(rank, options.variant, groups)
        debugger.stop()
        debugger.step()
    distributed.barrier()
    distributed.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--variant", choices=VARIANTS, default="golden")
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--port", type=int, default=29511)
    multiprocessing.spawn(train, (parser.parse_args(),), RANKS)
