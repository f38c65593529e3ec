"""Modules whose forward is one operator, and what a dump does not tell of them.

A module's dump has its inputs and parameters, but neither ``eps`` nor ``stride``. The usual values are
tried; one that explains the output shows the module to be right, none doing so shows nothing, unless
there are no others (``exhaustive``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from core.emulation.terms.call import Call
from core.emulation.terms.outcome import NotReplayed

Guess = Callable[[Call], Iterator[dict[str, object]]]


@dataclass(frozen=True)
class Module:
    """One class of module: its operator, and the arguments to try."""

    operator: str
    guess: Guess | None = None
    exhaustive: bool = False
    """Whether the guesses are all there can be. A module without guesses has nothing to guess."""
    otherwise: NotReplayed = NotReplayed.AMBIGUOUS_ARGUMENTS


def _values(name: str, *values: object) -> Guess:
    def guess(call: Call) -> Iterator[dict[str, object]]:
        yield from ({name: value} for value in values)

    return guess


_EPSILONS = (1e-5, 1e-6, 1e-12, 1e-8, 1e-3, 2.0**-23, 2.0**-7, 2.0**-10)


def _layer_norm(call: Call) -> Iterator[dict[str, object]]:
    shape = call["weight"].shape if call.has("weight") else call["input"].shape[-1:]
    for eps in _EPSILONS:
        yield {"normalized_shape": list(shape), "eps": eps}


def _batch_norm(call: Call) -> Iterator[dict[str, object]]:
    for eps in _EPSILONS:
        yield {"training": True, "eps": eps}


def _group_norm(call: Call) -> Iterator[dict[str, object]]:
    channels = call["input"].shape[1]
    for groups in (32, *range(1, min(channels, 64) + 1)):
        if channels % groups == 0:
            yield {"num_groups": groups, "eps": 1e-5}
            yield {"num_groups": groups, "eps": 1e-6}


def _softmax(call: Call) -> Iterator[dict[str, object]]:
    for dim in range(-1, -1 - len(call["input"].shape), -1):
        yield {"dim": dim}


def _flatten(call: Call) -> Iterator[dict[str, object]]:
    yield {"start_dim": 1}
    yield {"start_dim": 0}


def _wanted(call: Call, count: int) -> tuple[int, ...]:
    """Return the spatial size of the dumped output."""
    output = call.outputs[0] if call.outputs else None
    return output.shape[len(output.shape) - count :] if output is not None else ()


def _cells(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil: bool = False) -> int:
    free = size + 2 * padding - dilation * (kernel - 1) - 1
    return (-(-free // stride) if ceil else free // stride) + 1


def _convolution(call: Call) -> Iterator[dict[str, object]]:
    kernel = call["weight"].shape[2:]
    size = call["input"].shape[-len(kernel) :]
    groups = call["input"].shape[-len(kernel) - 1] // max(call["weight"].shape[1], 1)
    wanted = _wanted(call, len(kernel))
    for stride, dilation in product((*range(1, 5), *kernel[:1]), (1, 2, 3, 4)):
        for padding in range(dilation * (max(kernel) - 1) + 1):
            made = tuple(_cells(n, k, stride, padding, dilation) for n, k in zip(size, kernel))
            if made == wanted:
                yield {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}


def _pooling(count: int, largest: bool) -> Guess:
    def guess(call: Call) -> Iterator[dict[str, object]]:
        size, wanted = call["input"].shape[-count:], _wanted(call, count)
        for kernel, ceil in product(range(2, 8), (False, True)):
            for stride, padding in product(dict.fromkeys((kernel, 2, 1, 3)), range(kernel // 2 + 1)):
                if tuple(_cells(n, kernel, stride, padding, 1, ceil) for n in size) == wanted:
                    yield {"kernel_size": kernel, "stride": stride, "padding": padding, "ceil_mode": ceil}

    return guess


def _adaptive(count: int) -> Guess:
    def guess(call: Call) -> Iterator[dict[str, object]]:
        yield {"output_size": list(_wanted(call, count))}

    return guess


_NOTHING_DROPPED = _values("p", 0.0)

MODULES: Mapping[str, Module] = {
    "Linear": Module("linear"),
    "NonDynamicallyQuantizableLinear": Module("linear"),
    "Embedding": Module("embedding"),
    "LayerNorm": Module("layer_norm", _layer_norm),
    "FusedLayerNorm": Module("layer_norm", _layer_norm),
    "RMSNorm": Module("npu_rms_norm", _values("eps", *_EPSILONS)),
    "LlamaRMSNorm": Module("npu_rms_norm", _values("eps", *_EPSILONS)),
    "Qwen2RMSNorm": Module("npu_rms_norm", _values("eps", *_EPSILONS)),
    "GroupNorm": Module("group_norm", _group_norm),
    **{f"BatchNorm{n}d": Module("batch_norm", _batch_norm) for n in (1, 2, 3)},
    **{f"Conv{n}d": Module(f"conv{n}d", _convolution) for n in (1, 2, 3)},
    **{f"MaxPool{n}d": Module(f"max_pool{n}d", _pooling(n, True)) for n in (1, 2, 3)},
    **{f"AvgPool{n}d": Module(f"avg_pool{n}d", _pooling(n, False)) for n in (1, 2, 3)},
    **{f"AdaptiveAvgPool{n}d": Module(f"adaptive_avg_pool{n}d", _adaptive(n), True) for n in (1, 2, 3)},
    **{f"AdaptiveMaxPool{n}d": Module(f"adaptive_max_pool{n}d", _adaptive(n), True) for n in (1, 2, 3)},
    **{
        name: Module("dropout", _NOTHING_DROPPED, otherwise=NotReplayed.RANDOM)
        for name in ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d")
    },
    "GELU": Module("gelu", _values("approximate", "none", "tanh"), True),
    "NewGELUActivation": Module("gelu", _values("approximate", "tanh"), True),
    "QuickGELUActivation": Module("fast_gelu"),
    "ReLU": Module("relu"),
    "ReLU6": Module("relu6"),
    "SiLU": Module("silu"),
    "Sigmoid": Module("sigmoid"),
    "Tanh": Module("tanh"),
    "Mish": Module("mish"),
    "Hardswish": Module("hardswish"),
    "Hardsigmoid": Module("hardsigmoid"),
    "SELU": Module("selu"),
    "LogSigmoid": Module("logsigmoid"),
    "Softsign": Module("softsign"),
    "LeakyReLU": Module("leaky_relu", _values("negative_slope", 0.01, 0.1, 0.2)),
    "ELU": Module("elu", _values("alpha", 1.0)),
    "Softplus": Module("softplus", _values("beta", 1.0)),
    "Softmax": Module("softmax", _softmax, True),
    "LogSoftmax": Module("log_softmax", _softmax, True),
    "Flatten": Module("flatten", _flatten),
    "Identity": Module("clone"),
    "CrossEntropyLoss": Module("cross_entropy", _values("reduction", "mean", "sum", "none")),
    "NLLLoss": Module("nll_loss", _values("reduction", "mean", "sum", "none")),
    "MSELoss": Module("mse_loss", _values("reduction", "mean", "sum", "none"), True),
    "L1Loss": Module("l1_loss", _values("reduction", "mean", "sum", "none"), True),
    "BCEWithLogitsLoss": Module(
        "binary_cross_entropy_with_logits", _values("reduction", "mean", "sum", "none")
    ),
}
"""Modules by the last part of their name, the class."""
