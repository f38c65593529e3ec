"""References by operator: what each is defined to compute, in float64. One module a family."""

from core.emulation.operators import (
    activation,
    arithmetic,
    attention,
    convolution,
    dropout,
    embedding,
    fused,
    joining,
    losses,
    matmul,
    normalization,
    optimizer,
    pointwise,
    pooling,
    reduction,
    shaping,
    softmax,
    table,
)

OPERATORS = table.registered()
"""All references by the name of their API, without prefix, underscores of dunders and in-place marks."""

__all__ = [
    "OPERATORS",
    "activation",
    "arithmetic",
    "attention",
    "convolution",
    "dropout",
    "embedding",
    "fused",
    "joining",
    "losses",
    "matmul",
    "normalization",
    "optimizer",
    "pointwise",
    "pooling",
    "reduction",
    "shaping",
    "softmax",
    "table",
]
