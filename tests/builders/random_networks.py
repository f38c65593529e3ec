"""Small networks of random size, one of each kind that is trained in practice, and batches for them.

Needs torch. A network and its batch follow from a seed alone. ``make_network`` gives the network; what a
caller may change afterwards (an attribute such as ``eps``, a module, a weight) is found by walking its
modules, so every number that matters is an attribute of a module.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

Tensor = torch.Tensor


@dataclass(frozen=True)
class Sizes:
    """How large a network is."""

    batch: int
    length: int
    width: int
    heads: int
    layers: int
    vocabulary: int


class RMSNorm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = 1e-6

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class Attention(nn.Module):
    """Attention of small operators, or fused; grouped heads, rotary positions and causality on request."""

    def __init__(self, sizes: Sizes, *, groups: int = 1, rotary: bool = False, causal: bool = True) -> None:
        super().__init__()
        self.heads, self.groups, self.rotary, self.causal = sizes.heads, groups, rotary, causal
        self.size = sizes.width // sizes.heads
        self.base = 10000.0
        self.scale = self.size**-0.5
        self.softmax_dim = -1
        self.fused = False
        kept = sizes.width // groups
        self.query = nn.Linear(sizes.width, sizes.width, bias=not rotary)
        self.key = nn.Linear(sizes.width, kept, bias=not rotary)
        self.value = nn.Linear(sizes.width, kept, bias=not rotary)
        self.output = nn.Linear(sizes.width, sizes.width, bias=not rotary)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        query, key, value = (
            part(x).view(batch, length, -1, self.size).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        if self.rotary:
            query, key = self._turned(query), self._turned(key)
        if self.groups > 1:
            key, value = (part.repeat_interleave(self.groups, dim=1) for part in (key, value))
        if self.fused:
            mixed = F.scaled_dot_product_attention(query, key, value, is_causal=self.causal, scale=self.scale)
        else:
            scores = torch.matmul(query, key.transpose(-2, -1)) * self.scale
            if self.causal:
                future = torch.ones(length, length, dtype=torch.bool).triu(1)
                scores = scores.masked_fill(future, float("-inf"))
            mixed = torch.matmul(F.softmax(scores, dim=self.softmax_dim), value)
        return self.output(mixed.transpose(1, 2).reshape(batch, length, width))

    def _turned(self, x: Tensor) -> Tensor:
        half = self.size // 2
        steps = self.base ** (-torch.arange(half, dtype=torch.float32) / half)
        angles = torch.outer(torch.arange(x.shape[2], dtype=torch.float32), steps)
        angles = torch.cat((angles, angles), dim=-1)
        turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
        return x * torch.cos(angles) + turned * torch.sin(angles)


class GatedMLP(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.gate = nn.Linear(sizes.width, 2 * sizes.width, bias=False)
        self.up = nn.Linear(sizes.width, 2 * sizes.width, bias=False)
        self.down = nn.Linear(2 * sizes.width, sizes.width, bias=False)
        self.activation = nn.SiLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.activation(self.gate(x)) * self.up(x))


class MLP(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.up = nn.Linear(sizes.width, 2 * sizes.width)
        self.activation = nn.GELU()
        self.down = nn.Linear(2 * sizes.width, sizes.width)
        self.dropout = nn.Dropout(0.0)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(self.down(self.activation(self.up(x))))


class Experts(nn.Module):
    """A router that sends each token to its two best experts."""

    def __init__(self, sizes: Sizes, count: int = 3) -> None:
        super().__init__()
        self.router = nn.Linear(sizes.width, count, bias=False)
        self.experts = nn.ModuleList([GatedMLP(sizes) for _ in range(count)])
        self.chosen = 2

    def forward(self, x: Tensor) -> Tensor:
        tokens = x.reshape(-1, x.shape[-1])
        share, who = torch.topk(F.softmax(self.router(tokens), dim=-1), self.chosen, dim=-1)
        share = share / share.sum(-1, keepdim=True)
        result = torch.zeros_like(tokens)
        for index, expert in enumerate(self.experts):
            row, place = torch.where(who == index)
            part = expert(tokens[row]) * share[row, place].unsqueeze(-1)
            result = result.index_add(0, row, part.to(result.dtype))
        return result.view_as(x)


class Block(nn.Module):
    def __init__(self, norms: tuple[nn.Module, nn.Module], attention: nn.Module, mlp: nn.Module) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = norms
        self.attention, self.mlp = attention, mlp
        self.neutral = False
        self.checkpointed = False

    def forward(self, x: Tensor) -> Tensor:
        if self.checkpointed:
            result: Tensor = checkpoint(self._run, x, use_reentrant=False)
            return result
        return self._run(x)

    def _run(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm_1(x))
        if self.neutral:
            x = torch.mul(x, 1.0)
        return x + self.mlp(self.norm_2(x))


class LanguageModel(nn.Module):
    def __init__(self, sizes: Sizes, blocks: list[nn.Module], norm: nn.Module, *, positions: bool) -> None:
        super().__init__()
        self.tokens = nn.Embedding(sizes.vocabulary, sizes.width)
        self.positions = nn.Embedding(sizes.length, sizes.width) if positions else None
        self.blocks = nn.ModuleList(blocks)
        self.norm = norm
        self.head = nn.Linear(sizes.width, sizes.vocabulary, bias=False)
        self.loss = nn.CrossEntropyLoss(ignore_index=0)

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        x = self.tokens(batch["ids"])
        if self.positions is not None:
            x = x + self.positions(torch.arange(x.shape[1]))
        x = x * batch["mask"]
        for block in self.blocks:
            x = block(x)
        scores = self.head(self.norm(x))
        return self.loss(scores.view(-1, scores.shape[-1]), batch["labels"].view(-1))


class VisionTransformer(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, sizes.width, 4, stride=4)
        self.first = nn.Parameter(torch.randn(1, 1, sizes.width) * 0.1)
        self.blocks = nn.ModuleList([_gpt_block(sizes, causal=False) for _ in range(sizes.layers)])
        self.norm = nn.LayerNorm(sizes.width)
        self.head = nn.Linear(sizes.width, 10)
        self.loss = nn.CrossEntropyLoss()

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        x = self.patches(batch["images"]).flatten(2).transpose(1, 2)
        x = torch.cat((self.first.expand(len(x), -1, -1), x), dim=1)
        for block in self.blocks:
            x = block(x)
        return self.loss(self.head(self.norm(x)[:, 0]), batch["labels"])


class Cell(nn.Module):
    """An LSTM cell of small operators."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.inner = nn.Linear(width, 4 * width)
        self.outer = nn.Linear(width, 4 * width)

    def forward(self, x: Tensor, hidden: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        take, keep, show, new = (self.inner(hidden) + self.outer(x)).chunk(4, dim=-1)
        memory = torch.sigmoid(keep) * memory + torch.sigmoid(take) * torch.tanh(new)
        return torch.sigmoid(show) * torch.tanh(memory), memory


class Recurrent(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.tokens = nn.Embedding(sizes.vocabulary, sizes.width)
        self.cell = Cell(sizes.width)
        self.gru = nn.GRU(sizes.width, sizes.width, batch_first=True)
        self.norm = nn.LayerNorm(sizes.width)
        self.head = nn.Linear(sizes.width, sizes.vocabulary)
        self.loss = nn.CrossEntropyLoss(ignore_index=0)

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        x = self.tokens(batch["ids"]) * batch["mask"]
        hidden = memory = torch.zeros(len(x), x.shape[-1])
        steps = []
        for step in range(min(5, x.shape[1])):
            hidden, memory = self.cell(x[:, step], hidden, memory)
            steps.append(hidden)
        out, _ = self.gru(torch.stack(steps, dim=1))
        scores = self.head(self.norm(out))
        return self.loss(scores.flatten(0, 1), batch["labels"][:, : scores.shape[1]].reshape(-1))


class Convolutional(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        wide = sizes.width
        self.conv_1 = nn.Conv2d(3, wide, 3, padding=1, bias=False)
        self.norm_1 = nn.BatchNorm2d(wide)
        self.activation_1 = nn.ReLU()
        self.pool_1 = nn.MaxPool2d(2)
        self.conv_2 = nn.Conv2d(wide, wide, 3, padding=1)
        self.norm_2 = nn.GroupNorm(2, wide)
        self.activation_2 = nn.LeakyReLU(0.1)
        self.pool_2 = nn.AvgPool2d(3, stride=2, padding=1)
        self.head = nn.Linear(wide, 10)
        self.loss = nn.CrossEntropyLoss()

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        x = self.pool_1(self.activation_1(self.norm_1(self.conv_1(batch["images"]))))
        x = x + self.activation_2(self.norm_2(self.conv_2(x)))
        x = F.adaptive_avg_pool2d(self.pool_2(x), 1).flatten(1)
        return self.loss(self.head(x), batch["labels"])


def _llama_block(sizes: Sizes) -> Block:
    norms = RMSNorm(sizes.width), RMSNorm(sizes.width)
    return Block(norms, Attention(sizes, groups=2, rotary=True), GatedMLP(sizes))


def _gpt_block(sizes: Sizes, *, causal: bool = True) -> Block:
    norms = nn.LayerNorm(sizes.width), nn.LayerNorm(sizes.width)
    return Block(norms, Attention(sizes, causal=causal), MLP(sizes))


def _llama(sizes: Sizes) -> nn.Module:
    blocks: list[nn.Module] = [_llama_block(sizes) for _ in range(sizes.layers)]
    return LanguageModel(sizes, blocks, RMSNorm(sizes.width), positions=False)


def _gpt(sizes: Sizes) -> nn.Module:
    blocks: list[nn.Module] = [_gpt_block(sizes) for _ in range(sizes.layers)]
    return LanguageModel(sizes, blocks, nn.LayerNorm(sizes.width), positions=True)


def _mixture(sizes: Sizes) -> nn.Module:
    norms = [(RMSNorm(sizes.width), RMSNorm(sizes.width)) for _ in range(sizes.layers)]
    blocks: list[nn.Module] = [Block(two, Attention(sizes, rotary=True), Experts(sizes)) for two in norms]
    return LanguageModel(sizes, blocks, nn.LayerNorm(sizes.width), positions=False)


def _checkpointed(sizes: Sizes) -> nn.Module:
    network = _gpt(sizes)
    for module in network.modules():
        if isinstance(module, Block):
            module.checkpointed = True
    return network


ARCHITECTURES: dict[str, Callable[[Sizes], nn.Module]] = {
    "llama": _llama,
    "gpt": _gpt,
    "mixture": _mixture,
    "vision": VisionTransformer,
    "recurrent": Recurrent,
    "convolutional": Convolutional,
    "checkpointed": _checkpointed,
}


def random_sizes(random_: random.Random) -> Sizes:
    """Return sizes of a network that trains in milliseconds."""
    heads = random_.choice((2, 4))
    return Sizes(
        batch=random_.choice((2, 3)),
        length=random_.choice((6, 9, 12)),
        width=heads * random_.choice((4, 6, 8)),
        heads=heads,
        layers=random_.choice((1, 2)),
        vocabulary=random_.choice((17, 32, 50)),
    )


def make_network(architecture: str, sizes: Sizes, seed: int) -> nn.Module:
    """Return a network in training mode, its weights random by *seed*, biases and scales too."""
    torch.manual_seed(seed)
    network = ARCHITECTURES[architecture](sizes)
    with torch.no_grad():
        # A bias of zeros or a scale of ones would hide what is done wrong with it.
        for parameter in network.parameters():
            if parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter) * 0.1)
    return network.train()


def make_batch(sizes: Sizes, seed: int) -> dict[str, Any]:
    """Return token ids, a mask over them, images, and labels for either."""
    random_ = torch.Generator().manual_seed(seed)
    ids = torch.randint(1, sizes.vocabulary, (sizes.batch, sizes.length + 1), generator=random_)
    mask = torch.ones(sizes.batch, sizes.length, 1)
    mask[-1, -2:] = 0.0
    return {
        "ids": ids[:, :-1].contiguous(),
        "token_labels": ids[:, 1:].contiguous(),
        "mask": mask,
        "images": torch.randn(sizes.batch, 3, 8, 8, generator=random_),
        "image_labels": torch.randint(0, 10, (sizes.batch,), generator=random_),
    }
