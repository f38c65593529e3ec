"""Matrix products."""

from __future__ import annotations

import numpy as np

from core.emulation.operators.contraction import Contraction, parse_contraction
from core.emulation.operators.table import Matrix, Outputs, Rows, gradient, reference
from core.emulation.terms.bounded import Bounded, product_of, reduced_to
from core.emulation.terms.call import Call
from core.emulation.terms.computing import Array, Multiply
from core.emulation.terms.outcome import NotReplayable, NotReplayed

Gradients = list[Bounded | None]


def _product(left: Bounded, right: Bounded) -> Bounded:
    if left.ndim == 1 and right.ndim == 1:
        return (left * right).sum()
    return left @ right


@reference(
    "matmul mm bmm",
    "input, mat2|other|tensor2, *, out=None",
    matrix=Matrix.PRODUCT,
    ends_in_view=True,
    rows=Rows.BATCH,
)
def matmul(call: Call) -> Outputs:
    """Return input · mat2, batched and broadcast as numpy does."""
    return _product(call.tensor("input"), call.tensor("mat2"))


@reference("rmatmul", "mat2, input|other", matrix=Matrix.PRODUCT, ends_in_view=True)
def rmatmul(call: Call) -> Outputs:
    """Return the product of the reversed operator."""
    return matmul(call)


@gradient("matmul mm bmm")
def matmul_backward(call: Call, grads: Gradients) -> Gradients:
    """Return G·Bᵀ and Aᵀ·G, summed over broadcast batches; as flat batches too."""
    grad = needed(grads)
    left, right = call.tensor("input"), call.tensor("mat2")
    wide_left = left.reshape(1, -1) if left.ndim == 1 else left
    wide_right = right.reshape(-1, 1) if right.ndim == 1 else right
    wide = grad
    if left.ndim == 1:
        wide = wide.moved(lambda a: a[..., None, :] if right.ndim > 1 else a[..., None])
    if right.ndim == 1:
        wide = wide.moved(lambda a: a[..., None])
    grad_left = _gathered(call, wide, _adjoint(wide_right), wide_left.shape)
    grad_right = _gathered(call, _adjoint(wide_left), wide, wide_right.shape)
    return [grad_left.reshape(*left.shape), grad_right.reshape(*right.shape)]


def _gathered(call: Call, left: Bounded, right: Bounded, shape: tuple[int, ...]) -> Bounded:
    """Return the product summed over broadcast batches, each of which may have been stored."""
    made = left @ right
    return made if made.shape == shape else reduced_to(call.stored(made), shape)


def _adjoint(x: Bounded) -> Bounded:
    """Return the conjugate transpose of the last two dimensions."""
    return x.swapaxes(-1, -2).moved(np.conj)


def needed(grads: Gradients) -> Bounded:
    """Return the gradient of the first output."""
    if not grads or grads[0] is None:
        raise NotReplayable(NotReplayed.MISSING_TENSOR, "input.0")
    return grads[0]


@reference(
    "linear npu_linear",
    "input, weight, bias=None",
    matrix=Matrix.PRODUCT,
    ends_in_view=True,
    rows=Rows.FIRST,
)
def linear(call: Call) -> Outputs:
    """Return input · weightᵀ + bias."""
    product = call.tensor("input") @ call.tensor("weight").swapaxes(-1, -2)
    bias = call.optional("bias")
    return product if bias is None else call.stored(product) + bias


@gradient("linear npu_linear")
def linear_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradients of input, weight and bias, and those two in the layout of addmm."""
    grad = needed(grads)
    x, weight = call.tensor("input"), call.tensor("weight")
    flat_x = x.reshape(-1, x.shape[-1])
    flat = grad.reshape(-1, grad.shape[-1])
    grad_x = flat @ weight.moved(np.conj)
    grad_weight = flat.swapaxes(0, 1) @ flat_x.moved(np.conj)
    grad_bias = call.total(flat, 0) if call.has("bias") else None
    return [grad_x.reshape(*x.shape), grad_weight, grad_bias, grad_x, grad_weight.swapaxes(0, 1)]


def _scaled(call: Call, value: Bounded, name: str) -> Bounded:
    factor = call[name]
    return value if factor == 1 else value * call.operand(factor, name)


@reference("addmm", "input, mat1|batch1, mat2|batch2, *, beta=1, alpha=1, out=None", matrix=Matrix.PRODUCT)
@reference("baddbmm", "input, mat1|batch1, mat2|batch2, *, beta=1, alpha=1, out=None", matrix=Matrix.PRODUCT)
def addmm(call: Call) -> Outputs:
    """Return beta · input + alpha · mat1 · mat2."""
    product = _scaled(call, call.tensor("mat1") @ call.tensor("mat2"), "alpha")
    if call["beta"] == 0:
        return product
    return call.stored(product) + _scaled(call, call.tensor("input"), "beta")


@gradient("addmm baddbmm")
def addmm_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradients of input, mat1 and mat2."""
    grad = needed(grads)
    first, second = call.tensor("mat1"), call.tensor("mat2")
    scaled = _scaled(call, grad, "alpha")
    return [
        reduced_to(_scaled(call, grad, "beta"), call.tensor("input").shape),
        scaled @ _adjoint(second),
        _adjoint(first) @ scaled,
    ]


@reference("mv dot inner", "input, other|vec|tensor|vec2, *, out=None", matrix=Matrix.PRODUCT)
def inner(call: Call) -> Outputs:
    """Return sums over the last dimensions of products."""
    left, right = call.tensor("input"), call.tensor("other")
    return product_of(left, right, _inner, left.shape[-1])


def _inner(left: Array, right: Array, multiply: Multiply) -> Array:
    rows, columns = left.reshape(-1, left.shape[-1]), right.reshape(-1, right.shape[-1])
    return multiply(rows, columns.T).reshape((*left.shape[:-1], *right.shape[:-1]))


@reference("outer ger", "input, vec2, *, out=None")
def outer(call: Call) -> Outputs:
    """Return all products of two vectors' elements."""
    return call.tensor("input").reshape(-1, 1) * call.tensor("vec2").reshape(1, -1)


@reference("einsum", "equation, *operands", matrix=Matrix.PRODUCT, ends_in_view=True)
def einsum(call: Call) -> Outputs:
    """Return a contraction of one or two operands."""
    equation, operands = _contraction(call)
    if len(operands) == 1:
        whole = Bounded(np.ones(()))
        return product_of(operands[0], whole, lambda a, _, __: np.einsum(equation, a), operands[0].value.size)
    first, second = operands
    found = parse_contraction(equation, first.ndim, second.ndim)
    return product_of(first, second, found, found.terms(first.shape, second.shape))


@gradient("einsum")
def einsum_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradients of two operands whose letters all occur elsewhere."""
    equation, operands = _contraction(call)
    if len(operands) != 2:
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, "einsum.backward")
    grad = needed(grads)
    found = parse_contraction(equation, operands[0].ndim, operands[1].ndim)

    def against(other: str, wanted: str, value: Bounded) -> Bounded:
        if not set(wanted) <= set(found.result + other) or len(set(wanted)) < len(wanted):
            raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, "einsum.backward")
        return product_of(grad, value, Contraction(found.result, other, wanted), grad.value.size)

    first, second = operands
    return [against(found.second, found.first, second), against(found.first, found.second, first)]


def _contraction(call: Call) -> tuple[str, list[Bounded]]:
    operands = call.tensors("operands")
    if not 1 <= len(operands) <= 2:
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, f"einsum of {len(operands)}")
    return call.word("equation"), operands
