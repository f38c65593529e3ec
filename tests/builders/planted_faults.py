"""Faults to plant into a small network: broken kernels, other arguments, weights, data and structure.

Needs torch. A fault of a kernel is a function of the kernel's right result. The others change the network
or the batch, and say by which module, parameter or input the call to blame is known.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from builders.random_networks import Attention, RMSNorm
from builders.traced_kernels import Place, Wrong
from torch import nn

Tensor = torch.Tensor


@dataclass
class Planted:
    """What was done, and how the call to blame is known in the trace."""

    kind: str
    detail: str
    modules: tuple[str, ...] = ()
    """Modules whose call of one of *apis* is to blame."""
    apis: tuple[str, ...] = ()
    number: float | None = None
    """The number that the call to blame takes, where several calls of the module would do."""
    storage: int = 0
    """Address of the weight or input whose first use is to blame."""
    calls: tuple[str, ...] = field(default=())


# ---- kernels


def _rows(result: Tensor, dim: int) -> Tensor:
    return result.transpose(0, dim) if result.dim() > dim else result


def kernel_faults(random_: random.Random) -> dict[str, Wrong]:
    """Return ways in which any kernel's result can be wrong, with numbers drawn from *random_*."""
    factor = random_.choice((0.5, 0.9, 1.05, 1.5, 2.0))
    share = random_.uniform(0.1, 0.9)

    def scaled(result: Tensor, _: Any) -> Tensor:
        return result * factor

    def zeroed(result: Tensor, _: Any) -> Tensor:
        return result * 0

    def rows_rolled(result: Tensor, _: Any) -> Tensor:
        dims = [dim for dim in range(result.dim()) if result.shape[dim] > 1]
        return result.roll(1, dims[int(share * len(dims))])

    def one_element(result: Tensor, _: Any) -> Tensor:
        wrong = result.clone(memory_format=torch.contiguous_format)
        wrong.view(-1)[int(share * wrong.numel())] = 5 * result.abs().max() + 0.1
        return wrong

    def stale_block(result: Tensor, _: Any) -> Tensor:
        wrong = result.clone(memory_format=torch.contiguous_format)
        flat = wrong.view(-1)
        size = max(1, len(flat) // 8)
        start = int(share * (len(flat) - 2 * size))
        flat[start : start + size] = flat[start + size : start + 2 * size].clone()
        return wrong

    def biased(result: Tensor, _: Any) -> Tensor:
        return result + result.abs().mean() * 0.1

    def truncated(result: Tensor, _: Any) -> Tensor:
        kept = torch.full_like(result, -(1 << 19), dtype=torch.int32)
        return (result.float().view(torch.int32) & kept).view(torch.float32)

    def transposed(result: Tensor, _: Any) -> Tensor:
        if result.dim() < 2:
            return result.flip(0)
        return result.transpose(-1, -2).contiguous().view(result.shape)

    def sign_flipped(result: Tensor, _: Any) -> Tensor:
        wrong = result.clone()
        wrong[..., : max(1, wrong.shape[-1] // 4)] *= -1
        return wrong

    def overflowing(result: Tensor, _: Any) -> Tensor:
        size = result.abs()
        return torch.where(size >= size.max() * 0.9, result.sign() * float("inf"), result)

    def nan_row(result: Tensor, _: Any) -> Tensor:
        wrong = result.clone()
        wrong[int(share * len(wrong))] = float("nan")
        return wrong

    def saturated(result: Tensor, _: Any) -> Tensor:
        limit = result.abs().max().item() * 0.4
        return result.clamp(-limit, limit)

    def tail_missing(result: Tensor, _: Any) -> Tensor:
        wrong = result.clone()
        wrong[..., -max(1, wrong.shape[-1] // 5) :] = 0
        return wrong

    ways = (scaled, zeroed, rows_rolled, one_element, stale_block, biased, truncated, transposed,
            sign_flipped, overflowing, nan_row, saturated, tail_missing)  # fmt: skip
    return {f"kernel_{way.__name__}": way for way in ways}


def _unbiased(result: Tensor, arguments: tuple[Any, ...]) -> Tensor:
    count = arguments[0].numel() // max(1, arguments[0].shape[1]) if arguments[0].dim() == 4 else 0
    count = count or arguments[0].shape[-1]
    return result * ((count - 1) / count) ** 0.5


def _without_bias(result: Tensor, arguments: tuple[Any, ...]) -> Tensor:
    return result - arguments[0]


def _part_of_sum(result: Tensor, arguments: tuple[Any, ...]) -> Tensor:
    left, right = arguments[-2:]
    kept = left.shape[-1] - max(1, left.shape[-1] // 4)
    part = torch.matmul(left[..., :kept], right[..., :kept, :])
    return part + arguments[0] if len(arguments) == 3 else part


def _not_accumulated(result: Tensor, arguments: tuple[Any, ...]) -> Tensor:
    gradient, ids = arguments[:2]
    wrong = torch.zeros_like(result)
    wrong[ids.reshape(-1)] = gradient.reshape(-1, gradient.shape[-1])
    return wrong


_OF_KERNEL: dict[str, tuple[tuple[str, ...], Wrong]] = {
    "kernel_unbiased_variance": (("native_layer_norm", "native_batch_norm", "native_group_norm"), _unbiased),
    "kernel_without_bias": (("addmm",), _without_bias),
    "kernel_part_of_sum": (("mm", "bmm", "addmm"), _part_of_sum),
    "kernel_not_accumulated": (("embedding_dense_backward",), _not_accumulated),
}


def plant_kernel_fault(random_: random.Random, places: list[Place], kind: str) -> tuple[Place, Wrong] | None:
    """Return a place and what goes wrong there, ``None`` where no kernel fits *kind*."""
    if kind in _OF_KERNEL:
        kernels, wrong = _OF_KERNEL[kind]
        places = [place for place in places if place.kernel in kernels]
    else:
        wrong = kernel_faults(random_)[kind]
    return (random_.choice(places), wrong) if places else None


KERNEL_KINDS = (*kernel_faults(random.Random(0)), *_OF_KERNEL)


# ---- arguments


def _argument_changes(module: nn.Module) -> list[tuple[str, Any, tuple[str, ...]]]:
    """Return what may be changed of *module*: attribute, other value, the calls that take it."""
    if isinstance(module, nn.LayerNorm):
        return [("eps", 1e-2, ("layer_norm",))]
    if isinstance(module, RMSNorm):
        return [("eps", 3e-2, ("__add__", "add"))]
    if isinstance(module, nn.BatchNorm2d):
        return [("eps", 1e-2, ("batch_norm",)), ("momentum", 0.5, ("batch_norm",))]
    if isinstance(module, nn.GroupNorm):
        return [("eps", 1e-2, ("group_norm",)), ("num_groups", 1, ("group_norm",))]
    if isinstance(module, nn.GELU):
        return [("approximate", "tanh", ("gelu",))]
    if isinstance(module, nn.LeakyReLU):
        return [("negative_slope", 0.2, ("leaky_relu",))]
    if isinstance(module, nn.Dropout):
        return [("p", 0.2, ("dropout",))]
    if isinstance(module, nn.CrossEntropyLoss):
        return [("ignore_index", 3, ("cross_entropy",)), ("label_smoothing", 0.1, ("cross_entropy",))]
    if isinstance(module, nn.AvgPool2d):
        return [("count_include_pad", False, ("avg_pool2d",))]
    if isinstance(module, nn.Conv2d) and module.kernel_size == (3, 3):
        return [("dilation", (2, 2), ("conv2d",))]
    if isinstance(module, Attention):
        changes: list[tuple[str, Any, tuple[str, ...]]] = []
        fused = ("scaled_dot_product_attention",)
        changes.append(("scale", 1.0, fused if module.fused else ("__mul__", "mul")))
        if module.fused:
            return [*changes, ("causal", not module.causal, fused)]
        return [*changes, ("softmax_dim", -2, ("softmax",))]
    return []


def change_argument(random_: random.Random, network: nn.Module) -> Planted | None:
    """Change one argument of one call of *network*."""
    found = [
        (name, module, change)
        for name, module in network.named_modules()
        for change in _argument_changes(module)
    ]
    if not found:
        return None
    name, module, (attribute, value, apis) = random_.choice(found)
    setattr(module, attribute, value)
    if attribute == "dilation":
        module.padding = (2, 2)  # type: ignore[assignment]
    number = value if "__mul__" in apis else None
    return Planted("argument", f"{name}.{attribute} = {value}", (name,), apis, number)


# ---- weights and data


def change_weight(random_: random.Random, network: nn.Module) -> Planted:
    """Change one weight matrix of *network* as a wrong checkpoint does."""
    weights = [(name, value) for name, value in network.named_parameters() if value.dim() > 1]
    name, weight = random_.choice(weights)
    way = random_.choice(("rows_swapped", "scaled", "other_init", "one_row", "one_element"))
    with torch.no_grad():
        rows = weight if len(weight) > 1 else weight[0].T
        if way == "rows_swapped":
            half = len(rows) // 2
            rows.copy_(torch.cat((rows[half:], rows[:half])))
        elif way == "scaled":
            weight.mul_(random_.choice((0.5, 0.95, 1.1, 2.0)))
        elif way == "other_init":
            weight.copy_(torch.randn_like(weight) * weight.std())
        elif way == "one_row":
            rows[0].zero_()
        else:
            weight.view(-1)[random_.randrange(weight.numel())] += 3 * weight.std()
    return Planted(f"weights_{way}", name, storage=weight.data_ptr())


def change_data(random_: random.Random, batch: dict[str, Tensor], inputs: tuple[str, ...]) -> Planted:
    """Change one of *inputs* in *batch* as another preparation of data does."""
    name = random_.choice(inputs)
    value = batch[name]
    if name == "mask":
        way, value = "inverted", 1 - value
    elif value.is_floating_point():
        way = random_.choice(("scaled", "flipped", "one_replaced"))
        if way == "scaled":
            value = value * 0.5 + 0.1
        elif way == "flipped":
            value = value.flip(-1).contiguous()
        else:
            value = value.clone()
            value[0] = value[-1]
    else:
        way = random_.choice(("shifted", "one_replaced"))
        value = value.roll(1, -1) if way == "shifted" else value.clone()
        if way == "one_replaced":
            value[0] = value[-1]
    batch[name] = value.contiguous()
    return Planted(f"data_{name}_{way}", name, storage=batch[name].data_ptr())


# ---- structure


_APIS: dict[type[nn.Module], tuple[str, ...]] = {
    nn.GELU: ("gelu",), nn.ReLU: ("relu",), nn.SiLU: ("silu",), nn.LeakyReLU: ("leaky_relu",),
    nn.LayerNorm: ("layer_norm",), nn.GroupNorm: ("group_norm",), nn.BatchNorm2d: ("batch_norm",),
}  # fmt: skip


def change_structure(random_: random.Random, network: nn.Module) -> Planted:
    """Add a call that is not neutral, leave one out, or put another in its place."""
    found = [(name, module) for name, module in network.named_modules() if type(module) in _APIS]
    name, module = random_.choice(found)
    way = random_.choice(("extra", "missing", "replaced"))
    forward = module.forward
    forwards: dict[str, Callable[[Tensor], Tensor]] = {
        "extra": lambda x: torch.mul(forward(x), 1.25),
        "missing": lambda x: x,
        "replaced": torch.tanh,
    }
    # On the instance, so that the module keeps its name and class, as in another version of its code.
    module.forward = forwards[way]  # type: ignore[method-assign]
    apis = {"extra": ("mul",), "missing": _APIS[type(module)], "replaced": ("tanh", *_APIS[type(module)])}[
        way
    ]
    return Planted(f"structure_{way}", name, (name,), apis)
