"""What the parameters of a profile may be: the one list of their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.dtypes import COMPUTING_FORMATS
from core.emulation.arithmetic.reduction import ReductionOrder
from core.emulation.arithmetic.rounding import Overflow, Rounding

EXACT = "exact"
"""Value of ``guard_bits`` for an adder that loses nothing."""


@dataclass(frozen=True)
class Allowed:
    """Values that a parameter takes, and how to say which."""

    takes: Callable[[Any], bool]
    described: tuple[str, ...]


def _one_of(*values: str) -> Allowed:
    return Allowed(lambda value: isinstance(value, str) and value in values, values)


def _list_of(*values: str) -> Allowed:
    return Allowed(
        lambda value: isinstance(value, list) and all(item in values for item in value),
        tuple(f"[{value}, ...]" for value in values),
    )


def _whole(low: int, high: int) -> Allowed:
    return Allowed(lambda value: type(value) is int and low <= value <= high, (f"{low} ... {high}",))


def _guard(value: Any) -> bool:
    return value == EXACT or (type(value) is int and 0 <= value <= _MOST_GUARD_BITS)


_MOST_GUARD_BITS = 16
_ROUNDING = _one_of(*Rounding)
_TRUTH = Allowed(lambda value: isinstance(value, bool), ("true", "false"))
_NAMES = Allowed(
    lambda value: isinstance(value, list) and all(isinstance(n, str) for n in value), ("[names]",)
)
_GUARD = Allowed(_guard, (EXACT, f"0 ... {_MOST_GUARD_BITS}"))
_ACCUMULATE = _one_of(Rounding.NEAREST_EVEN, Rounding.TOWARD_ZERO)
FLOAT32_POLICIES = ("float16", "hf32", "float32")
"""What a chip may do with float32 operands of its matrix unit: round them, or take them as they are."""
_FLOAT32_POLICY = _one_of(*FLOAT32_POLICIES)
_ORDER = _one_of(*ReductionOrder)
_BY_OPERATOR = Allowed(
    lambda value: isinstance(value, dict) and all(item in set(Rounding) for item in value.values()),
    ("{ operator = rounding, ... }",),
)

PARAMETERS: Mapping[str, Allowed] = {
    "operand_formats": _list_of("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"),
    "float32_product": _FLOAT32_POLICY,
    "float32_convolution": _FLOAT32_POLICY,
    "hf32_format": _one_of(*COMPUTING_FORMATS),
    "operand_rounding": _ROUNDING,
    "block_half": _whole(1, 1024),
    "block_fp8": _whole(1, 1024),
    "block_float32": _whole(1, 1024),
    "block_hf32": _whole(1, 1024),
    "accumulator": _one_of("float32", "float16"),
    "accumulate_rounding": _ACCUMULATE,
    "guard_bits": _GUARD,
    "output_rounding": _ROUNDING,
    "bf16_rounding": _BY_OPERATOR,
    "overflow": _one_of(*Overflow),
    "overflow_modes": _list_of(*Overflow),
    "nan_to_zero": _TRUTH,
    "matrix_float32_saturates": _TRUTH,
    "flush_subnormals": _TRUTH,
    "flushed_operators": _NAMES,
    "reduction_order": _ORDER,
    "reduction_format": _one_of("float32", "float16"),
    "quirks": _list_of("not_equal_nan"),
}
"""Every parameter of a profile; the shipped files explain each."""

ENVELOPE: Mapping[str, Allowed] = {
    "accumulate_rounding": _ACCUMULATE,
    "guard_bits": _GUARD,
    "splits": _whole(1, 64),
    "reverse": _TRUTH,
    "reduction_order": _ORDER,
    "stores_intermediates": _TRUTH,
}
"""What the envelope varies: the parameters that nobody has published, and what a library may choose."""
