"""The one table of number formats: names, storage, and the constants of their arithmetic.

Dumps spell a dtype in many ways (``torch.bfloat16``, ``BFloat16``, ``mindspore.bfloat16``, ``bf16``,
``<class 'int'>``); :func:`dtype_named` maps them all to one :class:`DType`. Formats that numpy lacks
(bf16, fp8) are held as their bits, and :func:`widen` turns bits into float32 exactly.

Constants follow IEEE 754-2019 (binary16/32/64), the bfloat16 definition (8 exponent bits, 7 stored
fraction bits) and the OCP 8-bit floating point specification, revision 1.0 (E4M3, E5M2).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


class Kind(Enum):
    """What the elements of a format are, and so how two of them are compared."""

    FLOAT = "float"
    COMPLEX = "complex"
    INTEGER = "integer"
    BOOL = "bool"


@dataclass(frozen=True, slots=True)
class DType:
    """One number format.

    ``storage`` is the numpy dtype that holds the bits. ``precision`` counts significand bits with the
    hidden one (0 for integers); ``maximum`` is the largest finite value, ``smallest_normal`` the
    smallest positive normal one. For complex formats they describe the parts.
    """

    name: str
    kind: Kind
    storage: np.dtype[np.generic]
    precision: int = 0
    maximum: float = 0.0
    smallest_normal: float = 0.0
    native: bool = True

    @property
    def itemsize(self) -> int:
        """Bytes an element."""
        return self.storage.itemsize

    @property
    def unit_roundoff(self) -> float:
        """Largest relative error of one rounding to nearest, 2**-precision; 0 for exact formats."""
        return 2.0**-self.precision if self.precision else 0.0

    @property
    def smallest_subnormal(self) -> float:
        """Smallest positive value, 0 for exact formats."""
        return self.smallest_normal * 2.0 ** (1 - self.precision) if self.precision else 0.0


def _float(
    name: str, storage: str, precision: int, maximum: float, normal: float, native: bool = True
) -> DType:
    return DType(name, Kind.FLOAT, np.dtype(storage), precision, maximum, normal, native)


_FLOAT32_MAX = float(np.finfo(np.float32).max)
_FLOAT64_MAX = float(np.finfo(np.float64).max)
_FLOAT64_NORMAL = float(np.finfo(np.float64).smallest_normal)

DTYPES: dict[str, DType] = {
    dtype.name: dtype
    for dtype in (
        _float("float64", "<f8", 53, _FLOAT64_MAX, _FLOAT64_NORMAL),
        _float("float32", "<f4", 24, _FLOAT32_MAX, 2.0**-126),
        _float("float16", "<f2", 11, 65504.0, 2.0**-14),
        _float("bfloat16", "<u2", 8, (2.0 - 2.0**-7) * 2.0**127, 2.0**-126, native=False),
        _float("float8_e4m3fn", "u1", 4, 448.0, 2.0**-6, native=False),
        _float("float8_e5m2", "u1", 3, 57344.0, 2.0**-14, native=False),
        DType("complex64", Kind.COMPLEX, np.dtype("<c8"), 24, _FLOAT32_MAX, 2.0**-126),
        DType("complex128", Kind.COMPLEX, np.dtype("<c16"), 53, _FLOAT64_MAX, _FLOAT64_NORMAL),
        *(DType(f"int{bits}", Kind.INTEGER, np.dtype(f"<i{bits // 8}")) for bits in (8, 16, 32, 64)),
        *(DType(f"uint{bits}", Kind.INTEGER, np.dtype(f"<u{bits // 8}")) for bits in (8, 16, 32, 64)),
        DType("bool", Kind.BOOL, np.dtype("?")),
    )
}

COMPUTING_FORMATS: dict[str, DType] = {
    dtype.name: dtype
    for dtype in (
        _float("hf32", "<u4", 12, (2.0 - 2.0**-11) * 2.0**127, 2.0**-126, native=False),
        _float("hf32_10", "<u4", 11, (2.0 - 2.0**-10) * 2.0**127, 2.0**-126, native=False),
        _float("tf32", "<u4", 11, (2.0 - 2.0**-10) * 2.0**127, 2.0**-126, native=False),
    )
}
"""Formats that matrix units round float32 operands to and no dump stores; :func:`dtype_named` finds none.

HF32 keeps 11 stored fraction bits on Atlas A2/A3 (CANN, ATC parameter ``--allow_hf32``) and 10 on Ascend 950
(CANN, "HF32" among the key features of Mmad); TF32 keeps 10 (NVIDIA A100 architecture whitepaper). All have
float32's exponent.
"""

_ALIASES = {
    "bf16": "bfloat16", "half": "float16", "fp16": "float16", "float": "float32", "fp32": "float32",
    "double": "float64", "fp64": "float64", "long": "int64", "int": "int64", "short": "int16",
    "char": "int8", "byte": "uint8", "bool_": "bool", "float8_e4m3": "float8_e4m3fn",
    "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip


@lru_cache(maxsize=256)
def dtype_named(name: str) -> DType | None:
    """Return the format that a dump calls *name*, or ``None`` if it is not in the table.

    ``<class 'float'>`` (a Python scalar in legacy dumps) is float64, as Python's own.
    """
    short = name.strip()
    if short.startswith("<class '"):
        short = short[8:].rstrip("'>")
        short = {"float": "float64"}.get(short, short)
    short = short.rsplit(".", 1)[-1].lower()
    return DTYPES.get(_ALIASES.get(short, short))


@lru_cache(maxsize=8)
def _table_of_bytes(name: str) -> NDArray[np.float32]:
    """Return the 256 values of an 8-bit format as float32, by decoding each pattern."""
    exponent_bits, fraction_bits, bias = {"float8_e4m3fn": (4, 3, 7), "float8_e5m2": (5, 2, 15)}[name]
    codes = np.arange(256)
    sign = np.where(codes & 0x80, -1.0, 1.0)
    exponent = (codes >> fraction_bits) & ((1 << exponent_bits) - 1)
    fraction = codes & ((1 << fraction_bits) - 1)
    normal = (1 + fraction / (1 << fraction_bits)) * 2.0 ** (exponent - bias)
    subnormal = fraction / (1 << fraction_bits) * 2.0 ** (1 - bias)
    values = sign * np.where(exponent == 0, subnormal, normal)
    if name == "float8_e4m3fn":  # no infinities; only S.1111.111 is NaN
        values[(codes & 0x7F) == 0x7F] = np.nan
    else:
        top = exponent == (1 << exponent_bits) - 1
        values[top] = np.where(fraction[top] == 0, sign[top] * np.inf, np.nan)
    return values.astype(np.float32)


def widen(bits: NDArray[np.generic], dtype: DType) -> NDArray[np.generic]:
    """Turn the stored *bits* of *dtype* into numbers numpy can compute with; exact, any shape.

    Native formats come back as they are; bf16 and fp8 as float32.
    """
    if dtype.native:
        return bits
    if dtype.name == "bfloat16":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    values: NDArray[np.float32] = _table_of_bytes(dtype.name)[bits]
    return values


def coarser(first: DType, second: DType) -> DType:
    """Return the one with fewer significand bits: the format that decides what can be expected."""
    if not first.precision or not second.precision:
        return first if first.precision else second
    return first if first.precision <= second.precision else second
