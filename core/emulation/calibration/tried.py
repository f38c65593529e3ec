"""The values that are tried of each parameter: all that a profile takes, but blocks of powers of two only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.emulation.arithmetic.reduction import ReductionOrder
from core.emulation.arithmetic.rounding import Overflow, Rounding
from core.emulation.calibration.probes import Group
from core.emulation.chips.profile_values import EXACT, FLOAT32_POLICIES

_ROUNDINGS = tuple(item.value for item in Rounding)
_MODES = tuple(item.value for item in Overflow)
_TRUTH = (False, True)

TRIED: Mapping[str, tuple[Any, ...]] = {
    "float32_product": FLOAT32_POLICIES,
    "float32_convolution": FLOAT32_POLICIES,
    "hf32_format": ("hf32", "hf32_10"),
    "operand_rounding": _ROUNDINGS,
    "block_half": (1, 2, 4, 8, 16, 32, 64),
    "block_float32": (1, 2, 4, 8, 16, 32, 64),
    "block_hf32": (1, 2, 4, 8, 16, 32, 64),
    "guard_bits": (EXACT, *range(17)),
    "accumulate_rounding": (Rounding.NEAREST_EVEN.value, Rounding.TOWARD_ZERO.value),
    "accumulator": ("float32", "float16"),
    "splits": (1, 2, 4, 8),
    "reverse": _TRUTH,
    "output_rounding": _ROUNDINGS,
    "bf16_rounding": _ROUNDINGS,
    "overflow": _MODES,
    "nan_to_zero": _TRUTH,
    "matrix_float32_saturates": _TRUTH,
    "flush_subnormals": _TRUTH,
    "reduction_order": tuple(item.value for item in ReductionOrder),
    "reduction_format": ("float32", "float16"),
}
"""Every parameter that is fitted, in the order of the answer; ``bf16_rounding`` is that of layer norms."""

_ENTERING = ("hf32_format", "operand_rounding", "overflow", "flush_subnormals")


def _of(*names: str) -> dict[str, Sequence[Any]]:
    return {name: TRIED[name] for name in names}


SIMPLE: Mapping[Group, Mapping[str, Sequence[Any]]] = {
    Group.PRODUCT_OPERANDS: _of("float32_product", *_ENTERING),
    Group.CONVOLUTION_OPERANDS: _of("float32_convolution", *_ENTERING),
    Group.OUTPUT: _of("output_rounding"),
    Group.OVERFLOW: _of("overflow", "nan_to_zero", "output_rounding"),
    Group.SUBNORMALS: _of("flush_subnormals"),
    Group.LAYER_NORM: _of("bf16_rounding"),
    Group.REDUCTION: _of("reduction_order", "reduction_format"),
    Group.MATRIX_OVERFLOW: _of("float32_product", "hf32_format", "overflow", "matrix_float32_saturates"),
}
"""The parameters that are tried on each group; sums of products are asked apart, for adders."""
