"""Make ``tests/data/replay/*.npz``: what torch computes for the replayed operators, in three formats.

Run with a Python that has torch; the tests read only the file. Each case is a call with its arguments
described by JSON, its outputs, and the gradients of its float operands for fixed gradients of the outputs.

    python tests/builders/make_replay_answers.py
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

FOLDER = Path(__file__).resolve().parents[1] / "data" / "replay"
FORMATS = (torch.float64, torch.bfloat16, torch.float16)
NAMESPACES = {"Functional": F, "Torch": torch, "Tensor": torch.Tensor}
generator = torch.Generator()
number_format = torch.float64


def normal(*shape: int) -> torch.Tensor:
    # Values with few digits compress well and change nothing.
    drawn = torch.randn(shape, generator=generator, dtype=torch.float64)
    return (torch.round(drawn * 1024) / 1024).to(number_format)


def positive(*shape: int) -> torch.Tensor:
    return normal(*shape).abs() + 0.125


def fixed(tensor: torch.Tensor) -> torch.Tensor:
    """Mark an operand for which no gradient is asked."""
    tensor.is_fixed = True  # type: ignore[attr-defined]
    return tensor


def whole(high: int, *shape: int) -> torch.Tensor:
    return torch.randint(0, high, shape, generator=generator)


def mask(*shape: int) -> torch.Tensor:
    return whole(2, *shape).bool()


numbers: dict[str, list[np.ndarray]] = {"float64": [], "int64": [], "bool": []}
cases: list[dict[str, object]] = []


def keep(value: object) -> object:
    """Return a JSON description of an argument; tensors go to the arrays."""
    if isinstance(value, torch.Tensor):
        name = str(value.dtype).rsplit(".", 1)[-1]
        array = (value.double() if value.is_floating_point() else value).detach().numpy()
        kind = "float64" if array.dtype.kind == "f" else array.dtype.name
        start = sum(item.size for item in numbers[kind])
        numbers[kind].append(array.astype(kind).reshape(-1).copy())
        return {"tensor": [kind, start, list(array.shape), name]}
    if isinstance(value, (list, tuple)):
        return {"list": [keep(item) for item in value]}
    if isinstance(value, slice):
        return {"slice": [value.start, value.stop, value.step]}
    if value is Ellipsis:
        return {"ellipsis": True}
    return {"value": value}


def leaves(value: object) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value] if value.is_floating_point() and not hasattr(value, "is_fixed") else []
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return []


def case(name: str, *args: object, grad: bool = True, **kwargs: object) -> None:
    """Make a case, unless torch has no kernel for the format."""
    try:
        make_case(name, *args, grad=grad, **kwargs)
    except (NotImplementedError, RuntimeError) as error:
        if number_format is torch.float64 or "not implemented" not in str(error):
            raise


def make_case(name: str, *args: object, grad: bool = True, **kwargs: object) -> None:
    prefix, api = name.split(".", 1)
    given = {
        "args": [keep(item) for item in args],
        "kwargs": {key: keep(item) for key, item in kwargs.items()},
    }
    operands = leaves([*args, *kwargs.values()])
    if grad:
        for operand in operands:
            operand.requires_grad_(True)
    else:
        args = tuple(item.clone() if isinstance(item, torch.Tensor) else item for item in args)
    result = getattr(NAMESPACES[prefix], api)(*args, **kwargs)
    outputs = list(result) if isinstance(result, (tuple, list)) else [result]
    entry: dict[str, object] = {"name": name, **given, "outputs": [keep(item) for item in outputs]}
    if grad:
        incoming = [normal(*item.shape) if item.is_floating_point() else None for item in outputs]
        pairs = [(item, g) for item, g in zip(outputs, incoming) if g is not None and item.requires_grad]
        made = torch.autograd.grad(
            [item for item, _ in pairs], operands, [g for _, g in pairs], allow_unused=True
        )
        entry["grads"] = [keep(item) for item in incoming]
        entry["made"] = [keep(item) for item in made]
    cases.append(entry)


def matrices() -> None:
    case("Torch.matmul", normal(3, 4), normal(4, 5))
    case("Torch.matmul", normal(2, 1, 3, 4), normal(5, 4, 2))
    case("Torch.matmul", normal(4), normal(4))
    case("Torch.matmul", normal(2, 3, 4), normal(4))
    case("Torch.matmul", normal(4), normal(2, 4, 3))
    case("Tensor.__matmul__", normal(3, 4), normal(4, 5))
    case("Torch.mm", normal(3, 4), normal(4, 5))
    case("Torch.bmm", normal(2, 3, 4), normal(2, 4, 5))
    case("Torch.addmm", normal(5), normal(3, 4), normal(4, 5), beta=0.5, alpha=2.0)
    case("Torch.baddbmm", normal(2, 3, 5), normal(2, 3, 4), normal(2, 4, 5), alpha=0.25)
    case("Functional.linear", normal(2, 3, 4), normal(5, 4), normal(5))
    case("Functional.linear", normal(3, 4), normal(5, 4))
    case("Torch.einsum", "bqd,bkd->bqk", normal(2, 3, 4), normal(2, 5, 4))
    case("Torch.einsum", "ij,jk->ik", normal(3, 4), normal(4, 2))
    case("Torch.mv", normal(3, 4), normal(4), grad=False)
    case("Torch.outer", normal(3), normal(4), grad=False)


def arithmetic() -> None:
    for name in ("add", "sub", "mul", "div", "maximum", "minimum"):
        case(f"Torch.{name}", normal(3, 4), positive(4))
    for name in (
        "__add__",
        "__sub__",
        "__mul__",
        "__truediv__",
        "__radd__",
        "__rsub__",
        "__rmul__",
        "__rtruediv__",
    ):
        case(f"Tensor.{name}", positive(3, 4), 1.5)
    case("Torch.add", normal(3), normal(3), alpha=2.0)
    case("Torch.sub", normal(3), normal(3), alpha=0.5)
    case("Torch.rsub", normal(3), 2.0)
    case("Torch.div", normal(6), positive(6), rounding_mode="floor", grad=False)
    case("Torch.div", normal(6), positive(6), rounding_mode="trunc", grad=False)
    case("Torch.pow", positive(5), 2.5)
    case("Torch.pow", normal(5), 2)
    case("Torch.pow", positive(5), normal(5))
    case("Tensor.__pow__", positive(5), 3)
    case("Tensor.__rpow__", normal(5), 2.0, grad=False)
    for name in ("__iadd__", "__isub__", "__imul__", "__itruediv__"):
        case(f"Tensor.{name}", normal(3, 4), positive(4), grad=False)
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        case(f"Torch.{name}", whole(3, 6), whole(3, 6), grad=False)
    for name in ("add", "sub", "mul", "floor_divide", "bitwise_and"):
        case(f"Torch.{name}", whole(9, 6) + 1, whole(9, 6) + 1, grad=False)
    case("Torch.where", mask(3, 4), normal(3, 4), normal(4))
    case("Tensor.masked_fill", normal(2, 3, 4), mask(3, 4), -10000.0)
    case("Tensor.masked_fill", normal(3, 4), mask(3, 4), float("-inf"))


def pointwise() -> None:
    for name in [
        "neg",
        "abs",
        "exp",
        "exp2",
        "expm1",
        "sin",
        "cos",
        "tan",
        "tanh",
        "sigmoid",
        "square",
        "erf",
        "atan",
        "sinh",
        "cosh",
    ]:
        case(f"Torch.{name}", normal(7))
    for name in ["log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal"]:
        case(f"Torch.{name}", positive(7))
    for name in ["sign", "floor", "ceil", "round", "trunc", "isnan", "logical_not", "erfc"]:
        case(f"Torch.{name}", normal(7), grad=False)
    case("Torch.clamp", normal(9), -0.5, 0.5)
    case("Torch.clamp", normal(9), min=0.25)
    case("Torch.clamp_min", normal(9), 0.0)
    case("Tensor.exp_", normal(4), grad=False)
    for name in [
        "relu",
        "silu",
        "softplus",
        "leaky_relu",
        "elu",
        "selu",
        "hardswish",
        "mish",
        "logsigmoid",
        "relu6",
        "hardtanh",
        "softsign",
    ]:
        case(f"Functional.{name}", normal(9) * 3)
    # Its backward holds 1/6 in single precision.
    case("Functional.hardsigmoid", normal(9) * 3, grad=False)
    case("Functional.gelu", normal(9) * 2, approximate="none")
    case("Functional.gelu", normal(9) * 2, approximate="tanh")
    case("Functional.softplus", normal(9) * 3, beta=2.0, threshold=3.0)
    case("Functional.elu", normal(9), alpha=0.5)
    case("Functional.softmax", normal(3, 5), dim=-1)
    case("Functional.softmax", normal(3, 5), 0)
    case("Functional.log_softmax", normal(3, 5), dim=1)
    case("Torch.softmax", normal(3, 5), -1)
    case("Torch.logsumexp", normal(3, 5), 1, grad=False)


def reductions() -> None:
    x = (3, 4, 5)
    case("Torch.sum", normal(*x))
    case("Tensor.sum", normal(*x), (0, 2), keepdim=True)
    case("Torch.mean", normal(*x), -1)
    case("Torch.mean", normal(*x))
    case("Torch.var", normal(*x), 1)
    case("Torch.var", normal(*x), dim=(0, 1), unbiased=False, keepdim=True)
    case("Torch.std", normal(*x), -1, True, True)
    case("Torch.std", normal(*x))
    case("Torch.var_mean", normal(*x), dim=1, correction=0, grad=False)
    case("Torch.max", normal(*x))
    case("Torch.max", normal(*x), 1)
    case("Torch.min", normal(*x), dim=-1, keepdim=True)
    case("Torch.max", normal(*x), normal(5), grad=False)
    case("Torch.amax", normal(*x), dim=(0, 1), grad=False)
    case("Torch.amin", normal(*x), -1, True, grad=False)
    case("Torch.argmax", normal(*x), dim=1, grad=False)
    case("Torch.prod", normal(*x), 1, grad=False)
    case("Torch.norm", normal(*x))
    case("Tensor.norm", normal(*x), 2, -1, True)
    case("Torch.norm", normal(*x), 1, grad=False)
    case("Torch.norm", normal(*x), float("inf"), grad=False)
    case("Torch.norm", normal(*x), 3.0, 1, grad=False)
    case("Torch.cumsum", normal(*x), 1)
    case("Torch.all", mask(*x), 1, grad=False)
    case("Torch.any", mask(*x), grad=False)


def norms() -> None:
    case("Functional.layer_norm", normal(2, 3, 8), [8], normal(8), normal(8), 1e-5)
    case("Functional.layer_norm", normal(2, 3, 8), [3, 8])
    case("Functional.rms_norm", normal(2, 3, 8), [8], normal(8), 1e-6)
    case("Functional.rms_norm", normal(2, 3, 8), [8])
    case("Functional.group_norm", normal(2, 6, 3, 3), 3, normal(6), normal(6), 1e-5)
    case("Functional.batch_norm", normal(4, 3, 5, 5), None, None, normal(3), normal(3), True, 0.1, 1e-5)
    case("Functional.batch_norm", normal(4, 3), None, None, normal(3), normal(3), True)
    case(
        "Functional.batch_norm",
        normal(4, 3, 5),
        normal(3),
        positive(3),
        normal(3),
        normal(3),
        False,
        0.1,
        1e-3,
        grad=False,
    )
    case(
        "Torch.batch_norm",
        normal(4, 3, 5),
        normal(3),
        normal(3),
        normal(3),
        positive(3),
        False,
        0.1,
        1e-3,
        True,
        grad=False,
    )
    case("Functional.instance_norm", normal(2, 3, 6), grad=False)
    case("Functional.normalize", normal(3, 5), dim=-1, grad=False)


def lookups_and_losses() -> None:
    case("Functional.embedding", whole(6, 2, 5), normal(6, 4))
    case("Functional.embedding", whole(6, 2, 5), normal(6, 4), 2)
    case("Torch.embedding", normal(6, 4), whole(6, 3), grad=False)
    case("Functional.one_hot", whole(5, 4), 5, grad=False)
    target = whole(5, 6)
    target[2] = -100
    case("Functional.cross_entropy", normal(6, 5), target)
    case("Functional.cross_entropy", normal(6, 5), target, fixed(positive(5)), reduction="sum")
    case("Functional.cross_entropy", normal(2, 5, 3), whole(5, 2, 3), reduction="none")
    case("Functional.cross_entropy", normal(6, 5), whole(5, 6), positive(5), label_smoothing=0.1, grad=False)
    case("Functional.cross_entropy", normal(6, 5), torch.softmax(normal(6, 5), 1), grad=False)
    case("Functional.nll_loss", normal(6, 5), whole(5, 6), fixed(positive(5)))
    for name in ("mse_loss", "l1_loss"):
        for reduction in ("mean", "sum", "none"):
            case(f"Functional.{name}", normal(3, 4), normal(3, 4), reduction=reduction)
    case("Functional.smooth_l1_loss", normal(3, 4), normal(3, 4), grad=False)
    case("Functional.kl_div", normal(3, 4), positive(3, 4), reduction="batchmean", grad=False)
    target = mask(3, 4).to(number_format)
    case("Functional.binary_cross_entropy_with_logits", normal(3, 4), target, grad=False)
    case(
        "Functional.binary_cross_entropy_with_logits",
        normal(3, 4),
        target.detach(),
        pos_weight=positive(4),
        grad=False,
    )
    case("Functional.binary_cross_entropy", torch.sigmoid(normal(3, 4)), target.detach(), grad=False)
    case("Functional.dropout", normal(5), 0.0, True)
    case("Functional.dropout", normal(5), 0.5, False)


def attention() -> None:
    shape = (2, 4, 5, 6)
    case("Functional.scaled_dot_product_attention", normal(*shape), normal(*shape), normal(*shape))
    case(
        "Functional.scaled_dot_product_attention",
        normal(*shape),
        normal(*shape),
        normal(*shape),
        is_causal=True,
    )
    allowed = mask(5, 5) | torch.eye(5).bool()
    case(
        "Functional.scaled_dot_product_attention",
        normal(*shape),
        normal(*shape),
        normal(*shape),
        attn_mask=allowed,
        scale=0.3,
    )
    case(
        "Functional.scaled_dot_product_attention",
        normal(*shape),
        normal(2, 2, 5, 6),
        normal(2, 2, 5, 6),
        enable_gqa=True,
    )
    case(
        "Functional.scaled_dot_product_attention",
        normal(*shape),
        normal(*shape),
        normal(*shape),
        normal(5, 5),
        grad=False,
    )


def windows() -> None:
    case("Functional.conv1d", normal(2, 4, 9), normal(6, 2, 3), normal(6), 2, 1, 1, 2)
    case("Functional.conv2d", normal(2, 3, 7, 6), normal(4, 3, 3, 2), normal(4), (2, 1), (1, 0), (1, 2))
    case("Functional.conv2d", normal(1, 4, 5, 5), normal(4, 1, 3, 3), None, padding="same", groups=4)
    case("Functional.conv2d", normal(3, 6, 6), normal(2, 3, 3, 3))
    case("Functional.conv3d", normal(1, 2, 4, 4, 4), normal(2, 2, 2, 3, 2), padding=1)
    case(
        "Functional.conv_transpose2d",
        normal(1, 4, 4, 3),
        normal(4, 2, 3, 3),
        normal(4),
        2,
        1,
        1,
        2,
        grad=False,
    )
    case("Functional.conv_transpose1d", normal(1, 2, 4), normal(2, 3, 3), grad=False)
    case("Functional.max_pool2d", normal(2, 3, 7, 7), 3, 2, 1)
    case("Functional.max_pool2d", normal(3, 7, 7), 2, ceil_mode=True)
    case("Functional.max_pool1d", normal(2, 3, 9), 3, 1, 0, 2)
    case("Functional.avg_pool2d", normal(2, 3, 7, 7), 3, 2, 1)
    case("Functional.avg_pool2d", normal(2, 3, 7, 7), 3, 2, 1, True)
    case("Functional.avg_pool2d", normal(2, 3, 7, 7), 3, 2, 1, True, False)
    case("Functional.avg_pool1d", normal(2, 3, 9), 4)
    case("Functional.avg_pool3d", normal(2, 4, 4, 4), 2)
    case("Functional.adaptive_avg_pool2d", normal(2, 3, 7, 5), (3, 2))
    case("Functional.adaptive_max_pool2d", normal(2, 3, 7, 5), 2, grad=False)


def shapes() -> None:
    x = (2, 3, 4)
    case("Tensor.reshape", normal(*x), 6, -1)
    case("Tensor.view", normal(*x), (4, 6))
    case("Tensor.transpose", normal(*x), 1, -1)
    case("Torch.permute", normal(*x), (2, 0, 1))
    case("Tensor.permute", normal(*x), 2, 0, 1)
    case("Tensor.t", normal(2, 3))
    case("Tensor.expand", normal(2, 1, 4), -1, 3, -1)
    case("Torch.squeeze", normal(2, 1, 4), 1)
    case("Torch.unsqueeze", normal(2, 4), -1)
    case("Torch.flatten", normal(*x), 1)
    case("Torch.flip", normal(*x), [0, 2])
    case("Torch.roll", normal(*x), 1, 2)
    case("Tensor.repeat", normal(2, 3), 2, 1, 2)
    case("Torch.repeat_interleave", normal(2, 3), 2, 1)
    case("Torch.narrow", normal(*x), 1, 1, 2)
    case("Torch.tril", normal(4, 4), 1)
    case("Torch.triu", normal(2, 4, 4))
    case("Torch.gather", normal(3, 4), 1, whole(4, 3, 2))
    case("Torch.index_select", normal(3, 4), 0, whole(3, 5))
    case("Torch.masked_select", normal(3, 4), mask(3, 4))
    case("Tensor.__getitem__", normal(3, 4), (slice(None), slice(0, 4, 2)))
    case("Tensor.__getitem__", normal(3, 4), 1)
    case("Tensor.__getitem__", normal(3, 4), (..., None, 2))
    case("Tensor.__getitem__", normal(3, 4), whole(3, 5))
    case("Torch.cat", [normal(2, 3), normal(1, 3)], 0)
    case("Torch.stack", [normal(2, 3), normal(2, 3)], dim=1)
    case("Torch.chunk", normal(5, 3), 2)
    case("Torch.split", normal(5, 3), [2, 3])
    case("Tensor.split", normal(5, 3), 2, dim=0)
    case("Torch.unbind", normal(2, 3), grad=False)
    case("Functional.pad", normal(2, 3), (1, 0, 2, 1), value=0.5, grad=False)
    case("Tensor.scatter", normal(2, 4), 1, torch.tensor([[0, 2], [3, 1]]), normal(2, 2), grad=False)
    case("Tensor.contiguous", normal(3))
    case("Tensor.float", whole(9, 4), grad=False)


def optimizers() -> None:
    case("Tensor.addcmul_", normal(4), normal(4), normal(4), value=0.25, grad=False)
    case("Tensor.addcdiv_", normal(4), normal(4), positive(4), value=-0.25, grad=False)
    case("Tensor.lerp_", normal(4), normal(4), 0.25, grad=False)
    case("Tensor.mul_", normal(4), 0.5, grad=False)
    case("Tensor.add_", normal(4), normal(4), alpha=-0.5, grad=False)
    case("Torch._foreach_norm", [normal(4), normal(2, 3)], grad=False)
    case("Torch._foreach_add", [normal(4), normal(2)], [normal(4), normal(2)], alpha=2.0, grad=False)
    case("Torch._foreach_mul", [normal(4), normal(2)], 0.5, grad=False)
    case("Tensor.zero_", normal(4), grad=False)
    case("Tensor.copy_", normal(2, 4), normal(4), grad=False)


def write(name: str) -> None:
    """Make all cases in the current format and write them to file *name*."""
    generator.manual_seed(7)
    cases.clear()
    for parts in numbers.values():
        parts.clear()
    for make in (
        matrices, arithmetic, pointwise, reductions, norms, lookups_and_losses, attention, windows, shapes,
        optimizers,
    ):  # fmt: skip
        make()
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = np.frombuffer(json.dumps(cases, allow_nan=True).encode(), np.uint8)
    joined = {kind: np.concatenate(parts) for kind, parts in numbers.items()}
    np.savez_compressed(FOLDER / name, cases=text, **joined)
    print(f"{name}: {len(cases)} cases, {(FOLDER / name).stat().st_size} bytes, torch {torch.__version__}")


if __name__ == "__main__":
    for number_format in FORMATS:
        write(str(number_format).rsplit(".", 1)[-1] + ".npz")
