"""The arithmetic of a chip, for references written over :mod:`core.emulation.terms.bounded`.

Vector operations compute in float32, each of them rounded; matrix products go through the block engine
(:mod:`core.emulation.arithmetic.block_fma`) after their operands were brought to a format that the matrix
unit takes; what leaves the call is converted to its format with the chip's rounding and overflow mode.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.dtypes import COMPUTING_FORMATS, DTYPES, DType, Kind
from core.emulation.arithmetic.block_fma import BlockFma, multiply
from core.emulation.arithmetic.reduction import ReductionOrder, reduce_sum
from core.emulation.arithmetic.rounding import Conversion, Overflow, Rounding, convert
from core.emulation.arithmetic.status import StatusBit, status_of_product
from core.emulation.chips.profile import Profile
from core.emulation.chips.profile_values import EXACT
from core.emulation.operators.table import Matrix, Operator
from core.emulation.terms.computing import Array, Axis, Computing, Contract
from core.emulation.terms.formats import FLOAT32
from core.emulation.terms.outcome import NotReplayable, NotReplayed


class Float32Computing(Computing):
    """Plain float32: every operation rounded to nearest even, sums and products as numpy's BLAS has them."""

    tracks_errors = False

    def entered(self, values: Array) -> Array:
        """Return float64 numbers in float32; integers as they are."""
        if values.dtype == np.float64:
            return values.astype(np.float32)
        return values.astype(np.complex64) if values.dtype == np.complex128 else values

    def rounded(self, values: Array) -> Array:
        """Return a result in float32; +, −, ×, ÷ and √ of float32 in float64 round to it correctly."""
        return self.entered(values)

    def product_operand(self, values: Array) -> Array:
        """Return float32 operands."""
        return self.entered(values) if values.dtype.kind in "fc" else values.astype(np.float32)


class Float64Computing(Computing):
    """Float64 without bounds: what stands for a chip's arithmetic of float64 tensors."""

    tracks_errors = False


def control_computing(storage: DType) -> Computing:
    """Return the arithmetic of a CPU for tensors stored as *storage*: the same dtype, another machine."""
    return Float64Computing() if storage.precision > FLOAT32.precision else Float32Computing()


@dataclass(frozen=True, slots=True)
class Choice:
    """One setting of what the envelope varies; :mod:`core.emulation.chips.variants` lists those to try.

    ``fused``: the products of a block and the accumulator are one exact sum, as the profile describes it;
    otherwise the block is summed in float32, which is fast and differs in last bits.
    """

    accumulate: Rounding
    guard_bits: int | None
    reduction_order: ReductionOrder
    splits: int = 1
    reverse: bool = False
    stores_intermediates: bool = False
    fused: bool = False

    @property
    def truncates(self) -> bool:
        """Whether the adder loses bits toward zero, by its rounding or for want of guard bits."""
        return self.accumulate is Rounding.TOWARD_ZERO or self.guard_bits is not None


def usual_choice(profile: Profile) -> Choice:
    """Return what the profile itself says, by the fast path."""
    guard = profile["guard_bits"]
    return Choice(
        Rounding(profile["accumulate_rounding"]),
        None if guard == EXACT else int(guard),
        ReductionOrder(profile["reduction_order"]),
    )


@dataclass
class Used:
    """What a run made use of, so that only variants are tried that can change it."""

    multiply_adds: int = 0
    sums: bool = False
    composite: bool = False
    """Whether an implementation may keep tensors between its steps."""
    intermediates: bool = False
    """Whether keeping them rounds them."""
    status: StatusBit = StatusBit.NONE
    """What the matrix unit would raise, where it is watched."""


@dataclass
class ChipComputing(Float32Computing):
    """The arithmetic of *profile* for one call of an operator whose coarsest format is *storage*."""

    profile: Profile
    choice: Choice
    matrix: Matrix | None
    storage: DType
    used: Used = field(default_factory=Used)
    watched: bool = False
    """Whether to tell the overflow status of products."""

    def product_operand(self, values: Array) -> Array:
        """Return operands in the format in which they enter the matrix unit."""
        return convert(
            super().product_operand(values), operand_conversion(self.profile, self.matrix, self.storage)
        )

    def product(self, left: Array, right: Array, contract: Contract) -> Array:
        """Return the products by the block engine."""
        engine = self._engine()

        def by_blocks(a: Array, b: Array) -> Array:
            made = multiply(a, b, engine)
            self.used.multiply_adds += made.size * a.shape[-1]
            if self.watched:
                self.used.status |= status_of_product(a, b, made, engine.accumulator)
            return made

        made = contract(left, right, by_blocks)
        if self.profile["matrix_float32_saturates"] and self._saturates:
            return convert(made, Conversion(FLOAT32, overflow=Overflow.SATURATE))
        return made

    @property
    def _saturates(self) -> bool:
        return Overflow(self.profile["overflow"]) is Overflow.SATURATE

    def _engine(self) -> BlockFma:
        entering = operand_format(self.profile, self.matrix, self.storage)
        choice = self.choice
        return BlockFma(
            block=engine_block(self.profile, entering),
            guard_bits=choice.guard_bits,
            accumulate=choice.accumulate,
            accumulator=DTYPES[self.profile["accumulator"]],
            splits=choice.splits,
            reverse=choice.reverse,
            fused=choice.fused
            or choice.accumulate is not Rounding.NEAREST_EVEN
            or choice.guard_bits is not None,
        )

    def total(self, values: Array, axis: Axis, keepdims: bool) -> Array:
        """Return sums in the order of the chip's reductions."""
        self.used.sums = True
        if values.dtype.kind == "c":
            return super().total(values, axis, keepdims)
        step = FLOAT32
        if self.profile["reduction_format"] == "float16" and self.storage.name == "float16":
            step = self.storage
        conversion = Conversion(step, overflow=self._mode(step), nan_to_zero=self.profile["nan_to_zero"])
        made = reduce_sum(self.entered(values), axis, self.choice.reduction_order, conversion)
        return made.reshape(np.sum(values, axis=axis, keepdims=True).shape) if keepdims else made

    def stored(self, values: Array, storage: DType) -> Array:
        """Return what a composite implementation keeps, in float32 or in the stored format."""
        self.used.composite = True
        if storage.precision >= FLOAT32.precision or values.dtype.kind != "f":
            return values
        self.used.intermediates = True
        if not self.choice.stores_intermediates:
            return values
        return convert(values, Conversion(storage, overflow=self._mode(storage)))

    def compared(self, function: Callable[[Array, Array], Any], left: Array, right: Array) -> Array:
        """Return a comparison; one quirk: NaN may count as equal to everything in ``ne``."""
        made = super().compared(function, left, right)
        if function is np.not_equal and "not_equal_nan" in self.profile["quirks"]:
            return made & ~(np.isnan(left) | np.isnan(right))
        return made

    def _mode(self, dtype: DType) -> Overflow:
        # Results in float32 never saturate (Ascend C, boundary values of vector operations).
        return Overflow(self.profile["overflow"]) if dtype.precision < FLOAT32.precision else Overflow.INF_NAN


def engine_block(profile: Profile, entering: DType) -> int:
    """Return how many products of operands of the format *entering* are added in one step."""
    if entering is FLOAT32:
        return int(profile["block_float32"])
    if entering.name in COMPUTING_FORMATS:
        return int(profile["block_hf32"])
    return int(profile["block_fp8" if entering.itemsize == 1 else "block_half"])


def operand_format(profile: Profile, matrix: Matrix | None, storage: DType) -> DType:
    """Return the format in which operands stored as *storage* enter the matrix unit.

    Raises
    ------
    NotReplayable
        UNSUPPORTED_DTYPE: the unit does not take them, and no policy converts them.
    """
    if storage.precision < FLOAT32.precision:
        if storage.name not in profile["operand_formats"]:
            raise NotReplayable(NotReplayed.UNSUPPORTED_DTYPE, storage.name)
        return storage
    policy = profile["float32_convolution" if matrix is Matrix.CONVOLUTION else "float32_product"]
    if policy == "hf32":
        return COMPUTING_FORMATS[profile["hf32_format"]]
    return DTYPES[policy]


def operand_conversion(profile: Profile, matrix: Matrix | None, storage: DType) -> Conversion:
    """Return how operands stored as *storage* are converted before the matrix unit."""
    entering = operand_format(profile, matrix, storage)
    halves = entering.precision < FLOAT32.precision and entering.name in DTYPES
    mode = Overflow(profile["overflow"]) if halves else Overflow.INF_NAN
    return Conversion(
        entering,
        Rounding(profile["operand_rounding"]),
        mode,
        profile["nan_to_zero"],
        profile["flush_subnormals"],
    )


def output_conversion(profile: Profile, operator: Operator, dtype: DType) -> Conversion:
    """Return how a result of *operator* is converted to *dtype* when it leaves the call."""
    rounding = Rounding(profile["output_rounding"])
    if dtype.name == "bfloat16":
        rounding = Rounding(profile["bf16_rounding"].get(operator.name, rounding))
    narrow = dtype.precision < FLOAT32.precision
    return Conversion(
        dtype,
        rounding,
        Overflow(profile["overflow"]) if narrow else Overflow.INF_NAN,
        profile["nan_to_zero"],
        profile["flush_subnormals"] or operator.name in profile["flushed_operators"],
    )


def delivered(values: Array, conversion: Conversion, dtype: DType) -> Array:
    """Return results as they are dumped: converted, then widened to *dtype*, as float64 or as they are."""
    if values.dtype.kind == "c":
        return values.astype(np.complex128)
    if dtype.kind is not Kind.FLOAT or values.dtype.kind != "f":
        return values
    return convert(values, conversion).astype(np.float64)
