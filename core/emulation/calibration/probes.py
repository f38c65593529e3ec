"""The probes: operands to be run on a chip, and which parameters of its profile their results tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from core.emulation.arithmetic.rounding import Array
from core.emulation.calibration.operands import (
    around_rounding,
    beside_ties,
    between,
    beyond_half,
    cancelling,
    one_product,
    plain,
    spread,
)

_SEED = 20260
_SIDE = 4
"""Height and width of the images of convolutions: their kernels are 1 x 1, so that K is the channels."""
_COLUMNS = _SIDE * _SIDE


class Group(StrEnum):
    """Probes that are explained together, by one setting of some parameters."""

    PRODUCT_OPERANDS = "product_operands"
    CONVOLUTION_OPERANDS = "convolution_operands"
    OUTPUT = "output"
    OVERFLOW = "overflow"
    SUBNORMALS = "subnormals"
    LAYER_NORM = "layer_norm"
    REDUCTION = "reduction"
    MATRIX_OVERFLOW = "matrix_overflow"
    FLOAT16_SUMS = "float16_sums"
    BFLOAT16_SUMS = "bfloat16_sums"
    FLOAT32_SUMS = "float32_sums"
    CONVOLUTION_SUMS = "convolution_sums"
    FLOAT16_ORDER = "float16_order"
    BFLOAT16_ORDER = "bfloat16_order"
    FLOAT32_ORDER = "float32_order"
    CONVOLUTION_ORDER = "convolution_order"


_ADDER = ("guard_bits", "accumulate_rounding", "accumulator")
_OPERANDS = ("hf32_format", "operand_rounding")
_ORDER = ("splits", "reverse")
TELLS: dict[Group, tuple[str, ...]] = {
    Group.PRODUCT_OPERANDS: ("float32_product", *_OPERANDS),
    Group.CONVOLUTION_OPERANDS: ("float32_convolution", *_OPERANDS),
    Group.OUTPUT: ("output_rounding",),
    Group.OVERFLOW: ("overflow", "nan_to_zero"),
    Group.SUBNORMALS: ("flush_subnormals",),
    Group.LAYER_NORM: ("bf16_rounding",),
    Group.REDUCTION: ("reduction_order", "reduction_format"),
    Group.MATRIX_OVERFLOW: ("matrix_float32_saturates",),
    Group.FLOAT16_SUMS: ("block_half", *_ADDER),
    Group.BFLOAT16_SUMS: ("block_half", *_ADDER),
    Group.FLOAT32_SUMS: ("block_float32", "block_hf32", *_ADDER),
    Group.CONVOLUTION_SUMS: ("block_float32", "block_hf32", *_ADDER),
    Group.FLOAT16_ORDER: _ORDER,
    Group.BFLOAT16_ORDER: _ORDER,
    Group.FLOAT32_ORDER: _ORDER,
    Group.CONVOLUTION_ORDER: _ORDER,
}
"""The parameters that a group is for; where no setting explains it, none of them is claimed."""


@dataclass(frozen=True, eq=False)
class Probe:
    """One operation with its operands.

    Attributes
    ----------
    name : str
        Also the beginning of its files' names.
    group : Group
    operation : str
        ``matmul``, ``convolution`` (image and 1 x 1 kernel), ``add``, ``multiply``, ``sqrt``, ``exp``,
        ``layer_norm`` (input, weight, bias; over the last axis) or ``sum`` (over the last axis).
    dtype : str
        Of operands and result.
    operands : tuple of float32 arrays
        Numbers of that format.
    shape : tuple of int
        Of the result.
    """

    name: str
    group: Group
    operation: str
    dtype: str
    operands: tuple[Array, ...]
    shape: tuple[int, ...]

    def matrices(self) -> tuple[Array, Array]:
        """Return the operands of a product or a 1 x 1 convolution as (M, K) and (K, N)."""
        first, second = self.operands
        if self.operation == "matmul":
            return first, second
        return second.reshape(second.shape[0], -1), first.reshape(first.shape[1], -1)


def probes() -> list[Probe]:
    """Return all probes; the same ones each time."""
    generator = np.random.Generator(np.random.PCG64(_SEED))
    made = [*_operand_probes(generator), *_scalar_probes(), *_vector_probes(generator)]
    for dtype in ("float16", "bfloat16", "float32"):
        made += _sum_probes(generator, dtype, _matmul)
    return made + list(_sum_probes(generator, "float32", _convolution))


def _matmul(name: str, group: Group, left: Array, right: Array, dtype: str = "float32") -> Probe:
    return Probe(name, group, "matmul", dtype, (left, right), (left.shape[0], right.shape[1]))


def _convolution(name: str, group: Group, left: Array, right: Array, dtype: str = "float32") -> Probe:
    image = right.reshape(1, right.shape[0], _SIDE, _SIDE)
    shape = (1, left.shape[0], _SIDE, _SIDE)
    return Probe(name, group, "convolution", dtype, (image, left.reshape(*left.shape, 1, 1)), shape)


def _elementwise(
    name: str, group: Group, operation: str, dtype: str, *operands: list[float] | Array
) -> Probe:
    arrays = tuple(np.asarray(values, np.float32) for values in operands)
    return Probe(name, group, operation, dtype, arrays, arrays[0].shape)


def _operand_probes(generator: np.random.Generator) -> Iterator[Probe]:
    """Yield sums of one product: what float32 operands are rounded to shows bit by bit."""
    left, powers = one_product(around_rounding(generator, 256), 32, _COLUMNS)
    # A number a column; the kernel, or the left matrix, holds the powers.
    right = one_product(around_rounding(generator, _COLUMNS), 32, _COLUMNS)[0].T.copy()
    far, _ = one_product(beyond_half(), 32, _COLUMNS)
    for kind, group, make in (
        ("product", Group.PRODUCT_OPERANDS, _matmul),
        ("convolution", Group.CONVOLUTION_OPERANDS, _convolution),
    ):
        yield make(f"{kind}_left", group, left, powers)
        yield make(f"{kind}_right", group, powers.T.copy(), right)
        yield make(f"{kind}_range", group, far, powers)


def _scalar_probes() -> Iterator[Probe]:
    """Yield what single numbers show: overflow, subnormals, ties."""
    large = np.array([40000.0, 60000.0, -40000.0, 65504.0, np.inf, -np.inf, 1.0], np.float32)
    added = np.array([40000.0, 10.0, -40000.0, 65504.0, 1.0, np.inf, 2.0], np.float32)
    yield _elementwise("overflow_add", Group.OVERFLOW, "add", "float16", large, added)
    yield _elementwise("overflow_sqrt", Group.OVERFLOW, "sqrt", "float16", [-1.0, 4.0, np.inf])
    yield _elementwise("overflow_exp", Group.OVERFLOW, "exp", "float16", [12.0, 0.0])
    yield _elementwise(
        "overflow_bfloat16",
        Group.OVERFLOW,
        "add",
        "bfloat16",
        [2.0**127, -(2.0**127), 1],
        [2.0**127, -(2.0**127), 1],
    )
    yield _matmul("overflow_matmul", Group.OVERFLOW, *_single([300.0, -300.0, 8.0], [300.0, 2.0]), "float16")
    yield _matmul(
        "overflow_float32", Group.MATRIX_OVERFLOW, *_single([2.0**100, -(2.0**100), 1], [2.0**100, 2])
    )
    small = [2.0**-14, -(2.0**-14), 2.0**-13, 1.0]
    yield _elementwise(
        "subnormal_multiply", Group.SUBNORMALS, "multiply", "float16", small, [0.5, 0.25, 0.75, 1]
    )
    yield _elementwise(
        "subnormal_float32",
        Group.SUBNORMALS,
        "multiply",
        "float32",
        [2.0**-126, -(2.0**-126), 1],
        [0.5, 0.25, 1],
    )
    yield _matmul(
        "subnormal_operands",
        Group.SUBNORMALS,
        *_single([2.0**-20, 3 * 2.0**-16, 1], [2.0**8, 2.0**9]),
        "float16",
    )
    yield _matmul(
        "subnormal_results", Group.SUBNORMALS, *_single([2.0**-10, 2.0**-9, 1], [2.0**-8, 2.0**-6]), "float16"
    )
    for dtype, bits in (("float16", 11), ("bfloat16", 8)):
        whole, part = between(bits)
        yield _elementwise(f"ties_add_{dtype}", Group.OUTPUT, "add", dtype, whole, part)
        left, right = np.zeros((len(whole), 32), np.float32), np.zeros((32, _COLUMNS), np.float32)
        left[:, 0], left[:, 1] = whole, part
        right[:2] = np.resize([1.0, -1.0], _COLUMNS)
        yield _matmul(f"ties_matmul_{dtype}", Group.OUTPUT, left, right, dtype)


def _single(left: list[float], right: list[float]) -> tuple[Array, Array]:
    """Return matrices whose product is the outer one; all but one place of K is 0."""
    a, b = np.zeros((len(left), 32), np.float32), np.zeros((32, len(right)), np.float32)
    a[:, 3], b[3] = left, right
    return a, b


def _vector_probes(generator: np.random.Generator) -> Iterator[Probe]:
    """Yield a layer norm whose results lie on ties of bfloat16, and sums of many numbers."""
    # Rows of ±1 stay ±1 but for eps; weights of quarters of a unit put the result beside the bias, and in
    # float32 exactly there.
    columns = 64
    rows = np.where((np.arange(8)[:, np.newaxis] + np.arange(columns)) % 2, 1.0, -1.0)
    place = np.arange(columns) // 2
    bias = (1.0 + place * 2.0**-7) * np.where(np.arange(columns) // 2 % 3 == 2, -1.0, 1.0)
    weight = np.resize([2.0**-8, 2.0**-8, 2.0**-9, 3 * 2.0**-9, 2.0**-8], columns)
    operands = tuple(part.astype(np.float32) for part in (rows, weight, bias))
    yield Probe("layer_norm_ties", Group.LAYER_NORM, "layer_norm", "bfloat16", operands, rows.shape)
    for dtype, length in (("float32", 1000), ("float16", 600)):
        values = spread(generator, 16, length, dtype)
        yield Probe(f"sum_{dtype}", Group.REDUCTION, "sum", dtype, (values,), (16,))


def _sum_probes(
    generator: np.random.Generator, dtype: str, make: Callable[[str, Group, Array, Array, str], Probe]
) -> Iterator[Probe]:
    """Yield sums of products: the shortest first, which leave few adders for the others."""
    kind = "convolution" if make is _convolution else dtype
    sums, order = Group(f"{kind}_sums"), Group(f"{kind}_order")
    bits = {"float16": 10, "bfloat16": 7}.get(dtype, 20)
    yield make(f"{kind}_short", sums, *cancelling(generator, 80, 8, _COLUMNS), dtype)
    yield make(f"{kind}_ties", sums, *beside_ties(generator, 80, 16, _COLUMNS, bits), dtype)
    yield make(f"{kind}_blocks", sums, *cancelling(generator, 80, 128, _COLUMNS), dtype)
    yield make(f"{kind}_normal", sums, *plain(generator, 64, 64, _COLUMNS, dtype), dtype)
    yield make(f"{kind}_positive", sums, *plain(generator, 64, 96, _COLUMNS, dtype, positive=True), dtype)
    yield make(f"{kind}_long", order, *cancelling(generator, 40, 256, _COLUMNS), dtype)
    yield make(f"{kind}_deep", order, *cancelling(generator, 20, 1024, _COLUMNS), dtype)
