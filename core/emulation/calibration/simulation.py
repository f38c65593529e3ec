"""What a chip with given parameters would return for a probe, as :mod:`core.emulation.chips.chip` has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.dtypes import COMPUTING_FORMATS, DTYPES, DType
from core.emulation.arithmetic.block_fma import BlockFma, multiply
from core.emulation.arithmetic.reduction import ReductionOrder, reduce_sum
from core.emulation.arithmetic.rounding import Array, Conversion, Overflow, Rounding, convert
from core.emulation.calibration.probes import Probe
from core.emulation.chips.profile_values import EXACT

Setting = Mapping[str, Any]
"""Values of some parameters, by the names of a profile; ``splits`` and ``reverse`` beside."""

DEFAULTS: Setting = {
    "float32_product": "float32",
    "float32_convolution": "float32",
    "hf32_format": "hf32",
    "operand_rounding": "nearest_even",
    "block_half": 16,
    "block_float32": 16,
    "block_hf32": 16,
    "guard_bits": EXACT,
    "accumulate_rounding": "nearest_even",
    "accumulator": "float32",
    "splits": 1,
    "reverse": False,
    "output_rounding": "nearest_even",
    "bf16_rounding": "nearest_even",
    "overflow": "inf_nan",
    "nan_to_zero": True,
    "matrix_float32_saturates": False,
    "flush_subnormals": False,
    "reduction_order": "tree",
    "reduction_format": "float32",
}
"""For parameters that a setting does not name: the probe does not depend on them."""

_EPSILON = 1e-5
"""Of layer norms; torch's default, which ``run_probes.py`` leaves."""


def policy_of(probe: Probe) -> str:
    """Return the parameter that says what the probe's float32 operands are rounded to."""
    return "float32_convolution" if probe.operation == "convolution" else "float32_product"


def entering_format(dtype: str, policy: str, hf32_format: str) -> DType:
    """Return the format in which operands of *dtype* enter the matrix unit."""
    if dtype != "float32":
        return DTYPES[dtype]
    return COMPUTING_FORMATS[hf32_format] if policy == "hf32" else DTYPES[policy]


def block_name(entering: DType) -> str:
    """Return the parameter that says how many products of such operands are one step."""
    if entering.name in ("float16", "bfloat16"):
        return "block_half"
    return "block_float32" if entering.name == "float32" else "block_hf32"


def simulated(probe: Probe, setting: Setting) -> Array:
    """Return what a chip would give for *probe*, numbers of its dtype in float32.

    Parameters
    ----------
    probe : Probe
    setting : Setting
        :data:`DEFAULTS` stand for parameters that it leaves out.
    """
    full = {**DEFAULTS, **setting}
    with np.errstate(all="ignore"):
        if probe.operation in ("matmul", "convolution"):
            operands = entered_operands(probe, full)
            return delivered_product(probe, summed(probe, operands, full), full)
        return _delivered(probe, _vector(probe, full), full, _vector_rounding(probe, full))


def entered_operands(probe: Probe, setting: Setting) -> tuple[Array, Array]:
    """Return the matrices of *probe* as they enter the matrix unit, (M, K) and (K, N)."""
    full = {**DEFAULTS, **setting}
    entering = entering_format(probe.dtype, full[policy_of(probe)], full["hf32_format"])
    narrow = entering.name in ("float16", "bfloat16")
    conversion = Conversion(
        entering,
        Rounding(full["operand_rounding"]),
        Overflow(full["overflow"]) if narrow else Overflow.INF_NAN,
        full["nan_to_zero"],
        full["flush_subnormals"],
    )
    left, right = (convert(matrix, conversion) for matrix in probe.matrices())
    return left, right


def summed(probe: Probe, operands: tuple[Array, Array], setting: Setting) -> Array:
    """Return the sums of products that the matrix unit holds at the end, (M, N) float32."""
    full = {**DEFAULTS, **setting}
    entering = entering_format(probe.dtype, full[policy_of(probe)], full["hf32_format"])
    guard = full["guard_bits"]
    engine = BlockFma(
        block=full[block_name(entering)],
        guard_bits=None if guard == EXACT else int(guard),
        accumulate=Rounding(full["accumulate_rounding"]),
        accumulator=DTYPES[full["accumulator"]],
        splits=full["splits"],
        reverse=full["reverse"],
    )
    return multiply(*operands, engine)


def delivered_product(probe: Probe, sums: Array, setting: Setting) -> Array:
    """Return *sums* as they leave the matrix unit, in the shape and dtype of the result of *probe*."""
    full = {**DEFAULTS, **setting}
    if full["matrix_float32_saturates"] and full["overflow"] == Overflow.SATURATE:
        sums = convert(sums, Conversion(DTYPES["float32"], overflow=Overflow.SATURATE))
    return _delivered(probe, sums.reshape(probe.shape), full, full["output_rounding"])


def _vector_rounding(probe: Probe, full: Setting) -> str:
    return str(full["bf16_rounding" if probe.operation == "layer_norm" else "output_rounding"])


def _vector(probe: Probe, full: Setting) -> Array:
    """Return the result of a vector operation in float32, before it is stored."""
    first, *others = (operand.astype(np.float64) for operand in probe.operands)
    match probe.operation:
        case "add":
            made = first + others[0]
        case "multiply":
            made = first * others[0]
        case "sqrt":
            made = np.sqrt(first)
        case "exp":
            made = np.exp(first)
        case "layer_norm":
            centred = first - first.mean(axis=-1, keepdims=True)
            spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + _EPSILON)
            made = centred / spread * others[0] + others[1]
        case "sum":
            return _total(probe, full)
        case _:
            raise KeyError(probe.operation)
    return np.asarray(made, np.float32)


def _total(probe: Probe, full: Setting) -> Array:
    half = probe.dtype == "float16" and full["reduction_format"] == "float16"
    mode = Overflow(full["overflow"]) if half else Overflow.INF_NAN
    step = Conversion(
        DTYPES["float16" if half else "float32"], overflow=mode, nan_to_zero=full["nan_to_zero"]
    )
    return reduce_sum(probe.operands[0], -1, ReductionOrder(full["reduction_order"]), step)


def _delivered(probe: Probe, made: Array, full: Setting, rounding: str) -> Array:
    narrow = probe.dtype != "float32"
    conversion = Conversion(
        DTYPES[probe.dtype],
        Rounding(rounding),
        Overflow(full["overflow"]) if narrow else Overflow.INF_NAN,
        full["nan_to_zero"],
        full["flush_subnormals"],
    )
    return convert(np.asarray(made, np.float32), conversion)
